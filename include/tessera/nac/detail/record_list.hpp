// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How the records of a section are found in its bytes; the lists of nac/model.hpp are made of it.

#ifndef TESSERA_NAC_DETAIL_RECORD_LIST_HPP
#define TESSERA_NAC_DETAIL_RECORD_LIST_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/load_store.hpp"
#include "../../core/number.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

template <class T>
class packed;
struct named;
struct constant;
struct tensor;
struct resource;
struct array;
struct command;
struct tick;

}  // namespace nac
namespace nac::detail {

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

// One function for each record: how many bytes it has at least, and how it is read.

struct short_named {
  using record = named;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept;
};

struct long_named {
  using record = named;
  static constexpr std::uint64_t least = 4;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept;
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

struct tick_form {
  using record = tick;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, tick& out) noexcept;
};

/// An instruction that `read` came by: a further place to decode from.
struct waypoint {
  std::uint64_t offset = 0;                ///< from the first instruction
  std::uint32_t index = 0, arguments = 0;  ///< of the instruction; in front of it
};
/// Those of a list, about an eighth of it apart; none of a short list.
struct waypoints {
  static constexpr std::uint32_t max_count = 7;
  waypoint all[max_count];
  std::uint32_t count = 0;
};

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RECORD_LIST_HPP
