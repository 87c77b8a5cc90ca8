// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Numbers in memory: little-endian loads and stores of any alignment, and checked arithmetic.
//
//   auto length = tessera::load_le<std::uint32_t>(data.data() + 4);
//   tessera::store_le(out, std::int64_t{-1});
//   if (!checked_add(offset, size, end)) return too_large;
//
// Lifetime:   values.
// Errors:     none: the caller ensures that there are enough bytes.
// Limits:     none.
// Allocation: none, except for the growth of a pool.

#ifndef TESSERA_CORE_LOAD_STORE_HPP
#define TESSERA_CORE_LOAD_STORE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

template <std::size_t Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};

template <class T>
[[nodiscard]] constexpr T byte_swapped(T v) noexcept {
  T out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out = static_cast<T>(static_cast<std::uint64_t>(out) << 8 | (v & 0xffu));
    v = static_cast<T>(static_cast<std::uint64_t>(v) >> 8);
  }
  return out;
}

}  // namespace detail

/// A little-endian integer or float at `from`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
[[nodiscard]] inline T load_le(const void* from) noexcept {
  typename detail::unsigned_of_size<sizeof(T)>::type raw;
  std::memcpy(&raw, from, sizeof raw);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  return std::bit_cast<T>(raw);
}

/// Writes `value` little-endian to `to`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
inline void store_le(void* to, T value) noexcept {
  auto raw = std::bit_cast<typename detail::unsigned_of_size<sizeof(T)>::type>(value);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  std::memcpy(to, &raw, sizeof raw);
}

/// Appends `value` little-endian to a pool of bytes.
template <class Pool, class T>
inline void append_le(Pool& to, T value) {
  std::byte raw[sizeof(T)];
  store_le(raw, value);
  to.append(raw, sizeof raw);
}

/// A number as std::size_t; a larger one loses its upper bits.
[[nodiscard]] constexpr std::size_t to_size(std::uint64_t n) noexcept { return n & SIZE_MAX; }

/// `out = a + b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_add(T a, T b, T& out) noexcept {
  return !__builtin_add_overflow(a, b, &out);
}

/// `out = a * b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_mul(T a, T b, T& out) noexcept {
  return !__builtin_mul_overflow(a, b, &out);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LOAD_STORE_HPP
