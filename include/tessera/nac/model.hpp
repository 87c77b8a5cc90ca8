// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NAC container that was read: a view of its header, its sections and their records.
//
//   for (const nac::instruction i : file.instructions())
//     std::cout << i.index << ' ' << file.operation_name(i.a) << '\n';
//
//   A ≥ 10             u8 A, u8 B, [i16 n, n × i16 constant], len(PERM[B]) × i16
//                      the constants only where PERM[B] holds one of S A f i b s c;
//                      without a signature: only A and B
//   2 INPUT     0      nothing               3 OUTPUT  0 1 2  outputs + 1 words, outputs words
//               1-5    prefix, id                      3      prefix, parameter, 2 × i16 (version 2)
//                      4 and 5: version 2              4      i16 (version 2)
//   6 CONTROL_FLOW     prefix, lengths of both branches, i16
//   7 CONVERGENCE      i16 n, n × i16, end, and where end isn't 0: i16 n, n × i16
//   0 1 4 5 8 9        nothing
//
// The first word of a system operation is a prefix: a count of the following words, which by the
// specification includes the prefix, and in files of the original compiler doesn't. Sizes don't
// depend on it, except for CONVERGENCE. No compiler writes that one; runtimes read one word after
// its constants, where the specification has branches; an end of 0 means that there are none.
//
// Lifetime:   borrows the bytes that were read; ranges of instructions borrow the model.
// Errors:     none: `read` has checked every record.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_MODEL_HPP
#define TESSERA_NAC_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/text.hpp"
#include "detail/record_list.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- Records of all sections but OPS and TRNG, and lists of them over the bytes.
//
//   for (const nac::tensor t : file.tensors())
//     std::cout << t.id << ' ' << name(t.type) << ' ' << t.data.size() << '\n';
//
//   CMAP PERM        u32 n { u16 id, u8 length, text }
//   CNST             u32 n { u16 id, u8 type, u16 length, payload }, ORCH's pool too
//   MMAP             u32 n { u16 tick, u8 n { u8 action, u16 target } }
//   DATA block 1, 2  u32 n { u16 id, u16 length, text }
//   DATA block 3     u32 n { u16 id, u32 metadata, u64 data, metadata, data }
//     metadata       u8 type, u8 rank, rank × u32, u8 quantization, and then by its code
//       2 int8_tensor   f32 scale
//       3 int8_channel  u8 axis, u32 n, n × f32
//       4 block_fp8     u16 block, u8 rank, rank × u32, u32 n, n × f32
//   RSRC             u32 n { u16 length, name, u32 length, data }
//   ARRS             u32 n { u16 length, name, u8 type, u8 rank, rank × u32, u64 length, data }
//
// A list decodes its records while it is iterated, by the functions that `read` checks them with.
//
// Lifetime:   records and lists borrow the bytes that were read.
// Errors:     of the parse functions, values; iterating a list that `read` made has none.
// Limits:     none of their own.
// Allocation: none.

/// Consecutive little-endian values, unaligned.
template <class T>
class packed {
 public:
  packed() noexcept = default;
  /// The `size` values of `sizeof(T)` bytes each that begin at `data`.
  packed(const std::byte* data, std::uint32_t size) noexcept : data_(data), size_(size) {}
  /// How many values there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Value i, which must exist.
  [[nodiscard]] T operator[](std::size_t i) const noexcept {
    return load_le<T>(data_ + i * sizeof(T));
  }
  /// The first byte of the first value; null for a default one.
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

 private:
  const std::byte* data_ = nullptr;
  std::uint32_t size_ = 0;
};

/// An id and its text: an operation of CMAP, a signature of PERM, a parameter or an input of DATA
/// (whose id is the index of its INPUT instruction).
struct named {
  std::uint64_t offset = 0;  ///< of the record
  std::uint16_t id = 0;      ///< its key; of records with one id the last counts
  std::string_view text;     ///< the bytes of the file, whose encoding isn't checked
};

/// A constant of CNST or of the orchestrator's pool.
struct constant {
  std::uint64_t offset = 0;                  ///< of the record
  std::uint16_t id = 0;                      ///< its key; of records with one id the last counts
  constant_type type = constant_type::null;  ///< decides which of the functions below may be called
  std::uint16_t length = 0;                  ///< as in the file: bytes, elements, or ignored
  const std::byte* payload = nullptr;        ///< its first byte in the file

  /// The value of a boolean: any byte but 0 is true.
  [[nodiscard]] bool boolean() const noexcept { return payload[0] != std::byte{0}; }
  /// The value of an int64.
  [[nodiscard]] std::int64_t int64() const noexcept { return load_le<std::int64_t>(payload); }
  /// The value of a float64.
  [[nodiscard]] double float64() const noexcept { return load_le<double>(payload); }
  /// The bytes of a string.
  [[nodiscard]] std::string_view string() const noexcept { return as_text(bytes(payload, length)); }
  /// The elements of a list[int32].
  [[nodiscard]] packed<std::int32_t> int32_list() const noexcept { return {payload, length}; }
  /// The elements of a list[float32].
  [[nodiscard]] packed<float> float32_list() const noexcept { return {payload, length}; }
};

/// A tensor of DATA: what its metadata say, and its elements (section 6.1.1).
struct tensor {
  std::uint64_t offset = 0;             ///< of the record
  std::uint64_t data_offset = 0;        ///< of the elements
  std::uint16_t id = 0;                 ///< of its parameter
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// The tensor's own method, whatever the header says.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;                 ///< int8_channel: the axis that scales run along
  std::uint16_t block = 0;               ///< block_fp8: elements of one scale
  packed<std::uint32_t> shape;           ///< as it is stored: block_fp8 stores the padded count
  packed<std::uint32_t> original_shape;  ///< block_fp8: the shape that it is read as
  packed<float> scales;  ///< none, one of int8_tensor, else one for each channel or block
  bytes metadata, data;  ///< as they are in the file; the elements

  /// The shape of the values: `original_shape` for block_fp8, else `shape`.
  [[nodiscard]] packed<std::uint32_t> value_shape() const noexcept {
    return quantization == nac::quantization::block_fp8 ? original_shape : shape;
  }
};

/// A file of RSRC.
struct resource {
  std::uint64_t offset = 0, data_offset = 0;  ///< of the record; of `data`
  std::string_view name;                      ///< bytes of the file; verify finds names that repeat
  bytes data;                                 ///< its content, which NAC doesn't interpret
};

/// An array of ARRS.
struct array {
  std::uint64_t offset = 0, data_offset = 0;  ///< of the record; of `data`
  std::string_view name;                      ///< bytes of the file; verify finds names that repeat
  data_type type = data_type::float32;        ///< of the elements
  packed<std::uint32_t> shape;  ///< sizes of the dimensions; none for a single element
  bytes data;                   ///< the elements, row-major and little-endian
};

/// A command of MMAP; `what` may be an unknown code.
struct command {
  std::uint64_t offset = 0;           ///< of the record
  action what = action::save_result;  ///< what is to be done
  std::uint16_t target = 0;           ///< the index of an instruction of OPS
};

/// A number of records of one form, decoded while they are iterated.
template <class Form>
class list {
 public:
  using value_type = typename Form::record;  ///< what iteration gives

  /// Decodes a record at a time.
  class iterator {
   public:
    /// At the end of any list.
    iterator() noexcept = default;
    /// At the first of `left` records that begin at `at`.
    iterator(detail::cursor at, std::uint32_t left) noexcept : next_(at), left_(left) { read(); }
    /// The current record, which lasts until the iterator moves.
    [[nodiscard]] const value_type& operator*() const noexcept { return record_; }
    /// The same.
    [[nodiscard]] const value_type* operator->() const noexcept { return &record_; }
    /// Moves to the next record.
    iterator& operator++() noexcept {
      --left_;
      read();
      return *this;
    }
    /// Whether as many records are left, for iterators of one list.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.left_ == b.left_;
    }

   private:
    void read() noexcept {
      if (left_ != 0) (void)Form::parse(next_, record_);  // which `read` has found to be right
    }
    detail::cursor next_;
    std::uint32_t left_ = 0;
    value_type record_;
  };

  /// No records.
  list() noexcept = default;
  /// The `count` records that begin at `first`, all of which Form::parse accepts.
  list(detail::cursor first, std::uint32_t count) noexcept : first_(first), count_(count) {}
  /// How many records there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The first record, decoded.
  [[nodiscard]] iterator begin() const noexcept { return {first_, count_}; }
  /// After the last record.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first record.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }

 private:
  detail::cursor first_;
  std::uint32_t count_ = 0;
};

using short_names = list<detail::short_named>;  ///< of CMAP and PERM
using long_names = list<detail::long_named>;    ///< of DATA
using constants = list<detail::constant_form>;  ///< of CNST or of the orchestrator's pool
using tensors = list<detail::tensor_form>;      ///< of DATA
using resources = list<detail::resource_form>;  ///< of RSRC
using arrays = list<detail::array_form>;        ///< of ARRS
using commands = list<detail::command_form>;    ///< of a tick

/// The commands of one instruction of OPS.
struct tick {
  std::uint64_t offset = 0;       ///< of the record
  std::uint16_t instruction = 0;  ///< its index in OPS
  nac::commands commands;         ///< in the order of the file
};

using schedule = list<detail::tick_form>;  ///< the ticks of MMAP

/// An instruction of OPS or TRNG.
struct instruction {
  std::uint64_t offset = 0;  ///< of its first byte
  std::uint32_t index = 0;   ///< in its list, from 0
  /// A, the operation, which CMAP names from 10 on; B, the id of its signature in PERM, or the
  /// variant of a system operation.
  std::uint8_t a = 0, b = 0;
  bool has_prefix = false;  ///< whether a 16-bit prefix precedes C
  std::int16_t prefix = 0;  ///< as in the file, where there is one
  packed<std::uint16_t> c;  ///< what follows the prefix: ids, or lengths of branches
  packed<std::int16_t> d;   ///< offsets to instructions; 0: a constant

  /// The offset of a word of C or D.
  [[nodiscard]] std::uint64_t c_offset(std::size_t k) const noexcept {
    return offset + (has_prefix ? 4 : 2) + 2 * std::uint64_t{k};
  }
  /// The offset of word `k` of D.
  [[nodiscard]] std::uint64_t d_offset(std::size_t k) const noexcept {
    return c_offset(c.size() + k);
  }
};

class model;

namespace detail {
[[nodiscard]] error parse_instruction(const model& f, cursor& in, instruction& out) noexcept;
struct maker;
struct place_finder;
}  // namespace detail

/// The instructions of OPS or TRNG.
class instructions {
 public:
  /// Decodes an instruction at a time.
  class iterator {
   public:
    /// At the end of any list.
    iterator() noexcept = default;
    /// At the first of `left` instructions of `f` that begin at `at`.
    iterator(const model* f, detail::cursor at, std::uint32_t left) noexcept;
    /// The current instruction, which lasts until the iterator moves.
    [[nodiscard]] const instruction& operator*() const noexcept { return now_; }
    /// The same.
    [[nodiscard]] const instruction* operator->() const noexcept { return &now_; }
    /// Moves to the next instruction.
    iterator& operator++() noexcept;
    /// Whether as many instructions are left, for iterators of one list.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.left_ == b.left_;
    }

   private:
    void read() noexcept;
    const model* model_ = nullptr;
    detail::cursor next_;
    std::uint32_t left_ = 0;
    instruction now_;
  };

  /// No instructions.
  instructions() noexcept = default;
  /// The `count` instructions of `f` that begin at `first`; model::instructions and model::training
  /// make them.
  instructions(const model* f, detail::cursor first, std::uint32_t count,
               const detail::waypoints& noted = {}) noexcept
      : model_(f), first_(first), count_(count), waypoints_(noted) {}
  /// How many instructions there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The first instruction, decoded.
  [[nodiscard]] iterator begin() const noexcept { return {model_, first_, count_}; }
  /// After the last instruction.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }
  /// At the first instruction, and ending at the section's bound.
  [[nodiscard]] detail::cursor cursor() const noexcept { return first_; }
  /// Instructions that `read` came by, about an eighth of the list apart: decode and resolve begin
  /// at these too. None of a short list.
  [[nodiscard]] const detail::waypoints& waypoints() const noexcept { return waypoints_; }

 private:
  const model* model_ = nullptr;
  detail::cursor first_;
  std::uint32_t count_ = 0;
  detail::waypoints waypoints_;
};

/// A container. Only `read` makes one that isn't empty.
class model {
 public:
  /// All bytes that were read.
  [[nodiscard]] bytes source() const noexcept { return source_; }
  /// The form of the header, hence the version.
  [[nodiscard]] nac::header header() const noexcept { return header_; }
  /// The container's version byte: 1 or 2.
  [[nodiscard]] std::uint8_t version() const noexcept { return container_version(header_); }
  /// The method that the header names; what counts is each tensor's own.
  [[nodiscard]] nac::quantization quantization() const noexcept { return quantization_; }
  /// Bit 7 of byte 4: the header says that the weights are in the file.
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// Bit 6 of byte 4: a header of version 2 says that it has a training section.
  [[nodiscard]] bool has_training_flag() const noexcept { return training_flag_; }
  /// The number of named inputs that the header states.
  [[nodiscard]] std::uint16_t inputs() const noexcept { return inputs_; }
  /// The number of outputs that the header states: as many results as each OUTPUT has.
  [[nodiscard]] std::uint16_t outputs() const noexcept { return outputs_; }
  /// The size of embeddings or of hidden states (section 2.2.4); 0 where it isn't defined.
  [[nodiscard]] std::uint16_t d_model() const noexcept { return d_model_; }

  /// Whether a section is in the file.
  [[nodiscard]] bool has(nac::section s) const noexcept { return part(s).offset != 0; }
  /// A section with its tag, up to the next section or the end of the file; empty when absent.
  [[nodiscard]] bytes section(nac::section s) const noexcept;
  /// Byte offset of a section; 0 when absent.
  [[nodiscard]] std::uint64_t offset(nac::section s) const noexcept { return part(s).offset; }
  /// Bytes between the last record of a section and its bound.
  [[nodiscard]] std::uint64_t slack(nac::section s) const noexcept {
    return part(s).end - part(s).used;
  }

  /// The ticks of MMAP in the order of the file.
  [[nodiscard]] nac::schedule schedule() const noexcept {
    return {at(nac::section::mmap), part(nac::section::mmap).count};
  }
  /// The instructions of OPS.
  [[nodiscard]] nac::instructions instructions() const& noexcept {
    return {this, at(nac::section::ops), part(nac::section::ops).count, waypoints_[0]};
  }
  nac::instructions instructions() const&& = delete;
  /// Those of TRNG.
  [[nodiscard]] nac::instructions training() const& noexcept {
    return {this, at(nac::section::trng), part(nac::section::trng).count, waypoints_[1]};
  }
  nac::instructions training() const&& = delete;
  /// Those that CMAP names.
  [[nodiscard]] short_names operations() const noexcept {
    return {at(nac::section::cmap), part(nac::section::cmap).count};
  }
  /// The records of CNST.
  [[nodiscard]] nac::constants constants() const noexcept {
    return {at(nac::section::cnst), part(nac::section::cnst).count};
  }
  /// The records of PERM.
  [[nodiscard]] short_names signatures() const noexcept {
    return {at(nac::section::perm), part(nac::section::perm).count};
  }
  /// The names of parameters: block 1 of DATA.
  [[nodiscard]] long_names parameters() const noexcept {
    return {at(nac::section::data), part(nac::section::data).count};
  }
  /// The named inputs: the index of an INPUT instruction and its name.
  [[nodiscard]] long_names input_names() const noexcept { return input_names_; }
  /// The tensors of parameters: block 3 of DATA; none where the weights are outside.
  [[nodiscard]] nac::tensors tensors() const noexcept { return tensors_; }
  /// PROC: the tokenizer's manifest.
  [[nodiscard]] bytes manifest() const noexcept { return manifest_; }
  /// ORCH: the bytecode, and its own constants.
  [[nodiscard]] bytes execution_plan() const noexcept { return plan_; }
  /// The orchestrator's constants, which are not those of CNST.
  [[nodiscard]] nac::constants plan_constants() const noexcept { return plan_constants_; }
  /// The files of RSRC.
  [[nodiscard]] nac::resources resources() const noexcept {
    return {at(nac::section::rsrc), part(nac::section::rsrc).count};
  }
  /// The arrays of ARRS.
  [[nodiscard]] nac::arrays arrays() const noexcept {
    return {at(nac::section::arrs), part(nac::section::arrs).count};
  }

  /// The name of an operation: CMAP's, else the one this version predefines, else empty.
  [[nodiscard]] std::string_view operation_name(std::uint8_t a) const noexcept;
  /// A signature; empty where there is none.
  [[nodiscard]] std::string_view signature(std::uint8_t b) const noexcept {
    return characters(nac::section::perm, signatures_, b);
  }
  /// Whether PERM has a signature with this id.
  [[nodiscard]] bool has_signature(std::uint8_t b) const noexcept {
    return signatures_.offset[b] != 0;
  }
  /// Whether a signature's instructions have constants.
  [[nodiscard]] bool has_constants(std::uint8_t b) const noexcept {
    return signatures_.has_constants[b];
  }
  /// How many arguments a signature has, one for each letter; 0 where there is none.
  [[nodiscard]] std::uint8_t arguments(std::uint8_t b) const noexcept {
    return signatures_.size[b];
  }

 private:
  friend struct detail::maker;
  friend struct detail::place_finder;
  struct extent {
    std::uint64_t offset = 0, end = 0;  // of the section, with its tag
    std::uint64_t first = 0, used = 0;  // of its first record, and after its last
    std::uint32_t count = 0;
  };
  /// The texts of CMAP or PERM by id: plain arrays, which are cleared in one go.
  struct short_texts {
    std::uint32_t offset[256];  // from the section's tag, so never 0 for a text
    std::uint8_t size[256];
    bool has_constants[256];  // of a signature
  };

  [[nodiscard]] const extent& part(nac::section s) const noexcept {
    return parts_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] detail::cursor at(nac::section s) const noexcept {
    return {source_.data(), part(s).first, part(s).end};
  }
  [[nodiscard]] std::string_view characters(nac::section s, const short_texts& of,
                                            std::uint8_t id) const noexcept;

  bytes source_;
  nac::header header_ = nac::header::v1_6;
  nac::quantization quantization_ = nac::quantization::none;
  bool internal_weights_ = false, training_flag_ = false;
  std::uint16_t inputs_ = 0, outputs_ = 0, d_model_ = 0;
  extent parts_[section_count];
  long_names input_names_;
  nac::tensors tensors_;
  bytes manifest_, plan_;
  nac::constants plan_constants_;
  short_texts operations_ = {}, signatures_ = {};
  detail::waypoints waypoints_[2] = {};  // of OPS, TRNG
};

inline instructions::iterator::iterator(const model* f, detail::cursor at,
                                        std::uint32_t left) noexcept
    : model_(f), next_(at), left_(left) {
  read();
}

inline void instructions::iterator::read() noexcept {
  if (left_ != 0) (void)detail::parse_instruction(*model_, next_, now_);
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/model.hpp"
#include "detail/records.hpp"
#endif

#endif  // TESSERA_NAC_MODEL_HPP
