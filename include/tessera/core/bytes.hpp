// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Bytes as they stand in files: borrowed views, loads and stores, arithmetic on file numbers.
//
//   std::uint32_t n = tessera::load_le<std::uint32_t>(in.data() + 8);
//   std::uint64_t size;
//   if (!tessera::checked_mul(rows, columns, size)) return error{...};
//
// Nothing in Tessera lays a struct over a file: values are copied out with memcpy, so alignment
// and the byte order of the host don't matter.
//
// Lifetime:   `bytes` borrows.
// Errors:     the checked functions return false on overflow.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_BYTES_HPP
#define TESSERA_CORE_BYTES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {

/// Borrowed bytes.
using bytes = std::span<const std::byte>;

/// An owner of bytes that is about to go: what borrows from it would dangle.
template <class Owner>
concept temporary_bytes =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, bytes> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, bytes> &&
    !std::ranges::enable_borrowed_range<std::remove_cvref_t<Owner>>;

/// The same memory seen as bytes or as text.
[[nodiscard]] inline bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
[[nodiscard]] inline std::string_view as_text(bytes b) noexcept {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

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

/// A number that memory can hold, as what indexes memory; what is more loses its upper bits.
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

#endif  // TESSERA_CORE_BYTES_HPP
