// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Integers as decimal digits, stored through a pointer.
//
//   char line[tessera::integer_capacity];
//   char* end = tessera::put_integer(line, -1234);   // "-1234"
//
// Small numbers come from a table of 4 KB. Of others eight digits are made at a time, side by side in
// one word, by multiplications: no loop and no branch depends on the number of digits, which
// is unpredictable in real files.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_DIGITS_HPP
#define TESSERA_CORE_DIGITS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "load_store.hpp"

namespace tessera::inline TESSERA_ABI {

/// The size that put_integer needs: a sign and 20 digits. All of it may be overwritten, whatever
/// the number's length.
inline constexpr std::size_t integer_capacity = 21;

namespace detail {

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // the characters

/// The characters of each number below 1000, the first in the lowest byte, and their count in the
/// highest: most numbers in real files are small.
struct small_numbers {
  std::uint32_t at[1000] = {};
  consteval small_numbers() noexcept {
    for (std::uint32_t n = 0; n < 1000; ++n) {
      const std::uint32_t padded = (n / 100 | n / 10 % 10 << 8 | n % 10 << 16) + 0x303030;
      at[n] = n < 10    ? padded >> 16 | 1u << 24
              : n < 100 ? padded >> 8 | 2u << 24
                        : padded | 3u << 24;
    }
  }
};
inline constexpr small_numbers below_1000;

/// The digits of n < 10^8 as eight numbers, the first in the lowest byte.
[[nodiscard]] constexpr std::uint64_t eight_digits(std::uint32_t n) noexcept {
  // Every lane is cut in two, the quotient in its low half and the remainder in its high half:
  // (lane << half) - quotient * ((divisor << half) - 1). The quotients come from multiplications
  // by rounded reciprocals that are exact below 10^4 and 10^2.
  const std::uint64_t high = n / 10000;
  const std::uint64_t fours = (std::uint64_t{n} << 32) - high * ((std::uint64_t{10000} << 32) - 1);
  const std::uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
  const std::uint64_t twos = (fours << 16) - hundreds * ((100u << 16) - 1);
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;
  return (twos << 8) - tens * ((10u << 8) - 1);
}

/// n < 10^8 in eight characters.
inline void put_eight(char* to, std::uint32_t n) noexcept {
  store_le(to, eight_digits(n) | eight_zeros);
}

/// n < 1000; four characters are overwritten.
inline char* put_small(char* to, std::uint32_t n) noexcept {
  const std::uint32_t entry = below_1000.at[n];
  store_le(to, entry);
  return to + (entry >> 24);
}

/// n < 10^8 without leading zeros; eight characters are overwritten.
inline char* put_up_to_eight(char* to, std::uint32_t n) noexcept {
  const std::uint64_t digits = eight_digits(n);
  // Bits before the first nonzero digit, in whole bytes; the last digit always counts.
  const auto leading =
      static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56)) & 56;
  store_le(to, (digits | eight_zeros) >> leading);
  return to + (8 - leading / 8);
}

inline char* put_magnitude(char* to, std::uint64_t n) noexcept {
  constexpr std::uint64_t unit = 100000000;
  if (n < 1000) return put_small(to, static_cast<std::uint32_t>(n));
  if (n < unit) return put_up_to_eight(to, static_cast<std::uint32_t>(n));
  const std::uint64_t high = n / unit;
  if (high < unit) {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high));
  } else {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high / unit));
    put_eight(to, static_cast<std::uint32_t>(high % unit));
    to += 8;
  }
  put_eight(to, static_cast<std::uint32_t>(n % unit));
  return to + 8;
}

}  // namespace detail

/// Writes any integer in decimal and returns the end. `to` has `integer_capacity` bytes.
template <class Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
inline char* put_integer(char* to, Int value) noexcept {
  auto magnitude = static_cast<std::uint64_t>(value);
  if constexpr (std::is_signed_v<Int>) {
    const bool negative = value < 0;
    *to = '-';  // overwritten by a digit when there is no sign, as that is unpredictable too
    to += negative ? 1 : 0;
    magnitude = negative ? 0 - magnitude : magnitude;
  }
  return detail::put_magnitude(to, magnitude);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DIGITS_HPP
