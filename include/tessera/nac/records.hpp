// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers: the records of all sections but OPS and TRNG, and lists of them over the bytes.
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

#ifndef TESSERA_NAC_RECORDS_HPP
#define TESSERA_NAC_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/text.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Little-endian values one behind another, of no alignment.
template <class T>
class packed {
 public:
  packed() noexcept = default;
  packed(const std::byte* data, std::uint32_t size) noexcept : data_(data), size_(size) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T operator[](std::size_t i) const noexcept {
    return load_le<T>(data_ + i * sizeof(T));
  }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

 private:
  const std::byte* data_ = nullptr;
  std::uint32_t size_ = 0;
};

/// An id and its text: an operation of CMAP, a signature of PERM, a parameter or an input of DATA
/// (whose id is the index of its INPUT instruction).
struct named {
  std::uint64_t offset = 0;
  std::uint16_t id = 0;
  std::string_view text;
};

/// A constant of CNST or of the orchestrator's pool.
struct constant {
  std::uint64_t offset = 0;
  std::uint16_t id = 0;
  constant_type type = constant_type::null;
  std::uint16_t length = 0;  ///< as it stands: bytes, elements, or ignored
  const std::byte* payload = nullptr;

  [[nodiscard]] bool boolean() const noexcept { return payload[0] != std::byte{0}; }
  [[nodiscard]] std::int64_t int64() const noexcept { return load_le<std::int64_t>(payload); }
  [[nodiscard]] double float64() const noexcept { return load_le<double>(payload); }
  [[nodiscard]] std::string_view string() const noexcept { return as_text(bytes(payload, length)); }
  [[nodiscard]] packed<std::int32_t> int32_list() const noexcept { return {payload, length}; }
  [[nodiscard]] packed<float> float32_list() const noexcept { return {payload, length}; }
};

/// A tensor of DATA: what its metadata say, and its elements (section 6.1.1).
struct tensor {
  std::uint64_t offset = 0;             ///< of the record
  std::uint64_t data_offset = 0;        ///< of the elements
  std::uint16_t id = 0;                 ///< of its parameter
  data_type type = data_type::float32;  ///< of the elements as they are stored
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;                 ///< int8_channel: the axis that scales run along
  std::uint16_t block = 0;               ///< block_fp8: elements of one scale
  packed<std::uint32_t> shape;           ///< as it is stored: block_fp8 stores the padded count
  packed<std::uint32_t> original_shape;  ///< block_fp8: the shape that it is read as
  packed<float> scales;
  bytes metadata, data;

  /// The shape of the values: `original_shape` for block_fp8, else `shape`.
  [[nodiscard]] packed<std::uint32_t> value_shape() const noexcept {
    return quantization == nac::quantization::block_fp8 ? original_shape : shape;
  }
};

/// A file of RSRC.
struct resource {
  std::uint64_t offset = 0, data_offset = 0;
  std::string_view name;
  bytes data;
};

/// An array of ARRS.
struct array {
  std::uint64_t offset = 0, data_offset = 0;
  std::string_view name;
  data_type type = data_type::float32;
  packed<std::uint32_t> shape;
  bytes data;
};

/// A command of MMAP; `what` may be an unknown code.
struct command {
  std::uint64_t offset = 0;
  action what = action::save_result;
  std::uint16_t target = 0;
};

namespace detail {

/// The number of elements of a shape: 1 of none, 0 as soon as one dimension is 0. False when it
/// doesn't fit.
template <class Shape>
[[nodiscard]] inline bool count_elements(const Shape& shape, std::uint64_t& count) noexcept {
  bool fits = true, none = false;
  count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    none = none || shape[i] == 0;
    fits = fits && checked_mul(count, std::uint64_t{shape[i]}, count);
  }
  if (none) count = 0;
  return fits || none;
}

/// Walks over a part of a file; what it takes was asked for by `has` before.
class cursor {
 public:
  cursor() noexcept = default;
  cursor(const std::byte* model, std::uint64_t at, std::uint64_t end) noexcept
      : model_(model), at_(at), end_(end) {}
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return end_ - at_; }
  [[nodiscard]] bool has(std::uint64_t count) const noexcept { return left() >= count; }
  [[nodiscard]] const std::byte* data() const noexcept { return model_ + at_; }
  template <class T>
  [[nodiscard]] T take() noexcept {
    const T value = load_le<T>(data());
    at_ += sizeof(T);
    return value;
  }
  [[nodiscard]] bytes take_bytes(std::uint64_t count) noexcept;
  template <class T>
  [[nodiscard]] packed<T> take_packed(std::uint32_t count) noexcept {
    const packed<T> values(data(), count);
    at_ += std::uint64_t{count} * sizeof(T);
    return values;
  }
  [[nodiscard]] error fail(errc code) const noexcept { return {code, at_}; }

 private:
  const std::byte* model_ = nullptr;
  std::uint64_t at_ = 0, end_ = 0;
};

template <class Length>
[[nodiscard]] inline error parse_named(cursor& in, named& out) noexcept {
  if (!in.has(2 + sizeof(Length))) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const Length length = in.take<Length>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.text = as_text(in.take_bytes(length));
  return {};
}

// One function for each record: how many bytes it has at least, and how it is read.

struct short_named {
  using record = named;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept {
    return parse_named<std::uint8_t>(in, out);
  }
};

struct long_named {
  using record = named;
  static constexpr std::uint64_t least = 4;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept {
    return parse_named<std::uint16_t>(in, out);
  }
};

struct constant_form {
  using record = constant;
  static constexpr std::uint64_t least = 5;
  [[nodiscard]] static error parse(cursor& in, constant& out) noexcept;
};

struct tensor_form {
  using record = tensor;
  static constexpr std::uint64_t least = 14;
  [[nodiscard]] static error parse(cursor& in, tensor& out) noexcept;
};

struct resource_form {
  using record = resource;
  static constexpr std::uint64_t least = 6;
  [[nodiscard]] static error parse(cursor& in, resource& out) noexcept;
};

struct array_form {
  using record = array;
  static constexpr std::uint64_t least = 12;
  [[nodiscard]] static error parse(cursor& in, array& out) noexcept;
};

struct command_form {
  using record = command;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, command& out) noexcept;
};

}  // namespace detail

/// A number of records of one form, decoded while they are iterated.
template <class Form>
class list {
 public:
  using value_type = typename Form::record;

  class iterator {
   public:
    iterator() noexcept = default;
    iterator(detail::cursor at, std::uint32_t left) noexcept : next_(at), left_(left) { read(); }
    [[nodiscard]] const value_type& operator*() const noexcept { return record_; }
    [[nodiscard]] const value_type* operator->() const noexcept { return &record_; }
    iterator& operator++() noexcept {
      --left_;
      read();
      return *this;
    }
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

  list() noexcept = default;
  list(detail::cursor first, std::uint32_t count) noexcept : first_(first), count_(count) {}
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] iterator begin() const noexcept { return {first_, count_}; }
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first record.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }

 private:
  detail::cursor first_;
  std::uint32_t count_ = 0;
};

using short_names = list<detail::short_named>;  ///< of CMAP and PERM
using long_names = list<detail::long_named>;    ///< of DATA
using constants = list<detail::constant_form>;
using tensors = list<detail::tensor_form>;
using resources = list<detail::resource_form>;
using arrays = list<detail::array_form>;
using commands = list<detail::command_form>;

/// The commands of one instruction of OPS.
struct tick {
  std::uint64_t offset = 0;
  std::uint16_t instruction = 0;
  nac::commands commands;
};

namespace detail {

struct tick_form {
  using record = tick;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, tick& out) noexcept;
};

}  // namespace detail

using schedule = list<detail::tick_form>;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/records.hpp"
#endif

#endif  // TESSERA_NAC_RECORDS_HPP
