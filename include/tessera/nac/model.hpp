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
//                      without a signature: A and B alone
//   2 INPUT     0      nothing               3 OUTPUT  0 1 2  outputs + 1 words, outputs words
//               1-5    prefix, id                      3      prefix, parameter, 2 × i16 (version 2)
//                      4 and 5: version 2              4      i16 (version 2)
//   6 CONTROL_FLOW     prefix, lengths of both branches, i16
//   7 CONVERGENCE      i16 n, n × i16, end, and where end isn't 0: i16 n, n × i16
//   0 1 4 5 8 9        nothing
//
// The first word of a system operation is a prefix that counts, by the specification, itself too,
// and in files of the original compiler only what follows. Sizes never depend on it, but for
// CONVERGENCE: no compiler writes that one, runtimes read one word behind its constants, and the
// specification wants branches there; an end of 0 says that there are none.
//
// Lifetime:   borrows the bytes that were read; ranges of instructions borrow the file.
// Errors:     none: `read` has found everything to be in its place.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_MODEL_HPP
#define TESSERA_NAC_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "records.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// An instruction of OPS or TRNG.
struct instruction {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  std::uint8_t a = 0, b = 0;
  bool has_prefix = false;
  std::int16_t prefix = 0;  ///< as it stands, where there is one
  packed<std::uint16_t> c;  ///< what follows the prefix: ids, or lengths of branches
  packed<std::int16_t> d;   ///< offsets to instructions; 0: a constant

  /// Where a word of C or D stands.
  [[nodiscard]] std::uint64_t c_offset(std::size_t k) const noexcept {
    return offset + (has_prefix ? 4 : 2) + 2 * std::uint64_t{k};
  }
  [[nodiscard]] std::uint64_t d_offset(std::size_t k) const noexcept {
    return c_offset(c.size() + k);
  }
};

class model;

namespace detail {
[[nodiscard]] error parse_instruction(const model& f, cursor& in, instruction& out) noexcept;
struct maker;
struct place_finder;

/// An instruction in the middle of a list, which `read` came by: a second place to decode from.
struct halfway {
  std::uint64_t offset = 0;                ///< from the first instruction
  std::uint32_t index = 0, arguments = 0;  ///< of the instruction; in front of it
};
}  // namespace detail

/// The instructions of OPS or TRNG.
class instructions {
 public:
  class iterator {
   public:
    iterator() noexcept = default;
    iterator(const model* f, detail::cursor at, std::uint32_t left) noexcept;
    [[nodiscard]] const instruction& operator*() const noexcept { return now_; }
    [[nodiscard]] const instruction* operator->() const noexcept { return &now_; }
    iterator& operator++() noexcept;
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

  instructions() noexcept = default;
  instructions(const model* f, detail::cursor first, std::uint32_t count,
               const detail::halfway& half = {}) noexcept
      : model_(f), first_(first), count_(count), halfway_(half) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] iterator begin() const noexcept { return {model_, first_, count_}; }
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }
  /// At the first instruction, and ending at the section's bound.
  [[nodiscard]] detail::cursor cursor() const noexcept { return first_; }
  [[nodiscard]] const detail::halfway& halfway() const noexcept { return halfway_; }

 private:
  const model* model_ = nullptr;
  detail::cursor first_;
  std::uint32_t count_ = 0;
  detail::halfway halfway_;
};

/// A container. Only `read` makes one that isn't empty.
class model {
 public:
  [[nodiscard]] bytes source() const noexcept { return source_; }
  [[nodiscard]] nac::header header() const noexcept { return header_; }
  /// The container's version byte: 1 or 2.
  [[nodiscard]] std::uint8_t version() const noexcept { return container_version(header_); }
  /// The method that the header names; what counts is each tensor's own.
  [[nodiscard]] nac::quantization quantization() const noexcept { return quantization_; }
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// Bit 6 of byte 4: a header of version 2 says that it has a training section.
  [[nodiscard]] bool has_training_flag() const noexcept { return training_flag_; }
  [[nodiscard]] std::uint16_t inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::uint16_t outputs() const noexcept { return outputs_; }
  [[nodiscard]] std::uint16_t d_model() const noexcept { return d_model_; }

  [[nodiscard]] bool has(nac::section s) const noexcept { return part(s).offset != 0; }
  /// A section with its tag, up to the next section or the end of the file; empty when absent.
  [[nodiscard]] bytes section(nac::section s) const noexcept;
  /// Byte offset of a section; 0 when absent.
  [[nodiscard]] std::uint64_t offset(nac::section s) const noexcept { return part(s).offset; }
  /// Bytes between the last record of a section and its bound.
  [[nodiscard]] std::uint64_t slack(nac::section s) const noexcept {
    return part(s).end - part(s).used;
  }

  [[nodiscard]] nac::schedule schedule() const noexcept {
    return {at(nac::section::mmap), part(nac::section::mmap).count};
  }
  [[nodiscard]] nac::instructions instructions() const& noexcept {
    return {this, at(nac::section::ops), part(nac::section::ops).count, halfway_[0]};
  }
  nac::instructions instructions() const&& = delete;
  /// Those of TRNG.
  [[nodiscard]] nac::instructions training() const& noexcept {
    return {this, at(nac::section::trng), part(nac::section::trng).count, halfway_[1]};
  }
  nac::instructions training() const&& = delete;
  /// Those that CMAP names.
  [[nodiscard]] short_names operations() const noexcept {
    return {at(nac::section::cmap), part(nac::section::cmap).count};
  }
  [[nodiscard]] nac::constants constants() const noexcept {
    return {at(nac::section::cnst), part(nac::section::cnst).count};
  }
  [[nodiscard]] short_names signatures() const noexcept {
    return {at(nac::section::perm), part(nac::section::perm).count};
  }
  [[nodiscard]] long_names parameters() const noexcept {
    return {at(nac::section::data), part(nac::section::data).count};
  }
  /// The named inputs: the index of an INPUT instruction and its name.
  [[nodiscard]] long_names input_names() const noexcept { return input_names_; }
  [[nodiscard]] nac::tensors tensors() const noexcept { return tensors_; }
  /// PROC: the tokenizer's manifest.
  [[nodiscard]] bytes manifest() const noexcept { return manifest_; }
  /// ORCH: the bytecode, and its own constants.
  [[nodiscard]] bytes plan() const noexcept { return plan_; }
  [[nodiscard]] nac::constants plan_constants() const noexcept { return plan_constants_; }
  [[nodiscard]] nac::resources resources() const noexcept {
    return {at(nac::section::rsrc), part(nac::section::rsrc).count};
  }
  [[nodiscard]] nac::arrays arrays() const noexcept {
    return {at(nac::section::arrs), part(nac::section::arrs).count};
  }

  /// The name of an operation: CMAP's, else the one this version predefines, else empty.
  [[nodiscard]] std::string_view operation_name(std::uint8_t a) const noexcept;
  /// A signature; empty where there is none.
  [[nodiscard]] std::string_view signature(std::uint8_t b) const noexcept {
    return characters(nac::section::perm, signatures_, b);
  }
  [[nodiscard]] bool has_signature(std::uint8_t b) const noexcept {
    return signatures_.offset[b] != 0;
  }
  /// Whether a signature's instructions have constants.
  [[nodiscard]] bool has_constants(std::uint8_t b) const noexcept {
    return signatures_.has_constants[b];
  }
  [[nodiscard]] std::uint8_t arguments(std::uint8_t b) const noexcept {
    return signatures_.size[b];
  }

 private:
  friend struct detail::maker;
  friend struct detail::place_finder;
  struct extent {
    std::uint64_t offset = 0, end = 0;  // of the section, with its tag
    std::uint64_t first = 0, used = 0;  // its first record, and behind its last
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
  detail::halfway halfway_[2] = {};  // of OPS, TRNG
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
#endif

#endif  // TESSERA_NAC_MODEL_HPP
