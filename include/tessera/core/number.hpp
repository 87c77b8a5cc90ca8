// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Decimal text to doubles: correctly rounded, independent of the locale.
//
//   double v = tessera::decimal_to_double({.digits = "25", .exponent = -1});   // 2.5
//
// std::from_chars for doubles is missing from libc++ before version 20, so nothing here uses
// <charconv>. Common numbers take one multiplication or division whose result is exact; the
// rest uses plain big-integer arithmetic that reads like the definition. The inverse is in
// shortest.hpp.
//
// Lifetime:   values.
// Errors:     none; a magnitude beyond the largest double gives infinity, for the caller to reject.
// Limits:     none: any number of digits is rounded correctly.
// Allocation: none.

#ifndef TESSERA_CORE_NUMBER_HPP
#define TESSERA_CORE_NUMBER_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {

/// A decimal number: its digits, read as one integer, times 10^exponent.
struct decimal {
  std::string_view digits = {};  ///< '0' to '9', and at most one '.', which is skipped
  std::int64_t exponent = 0;     ///< power of ten of the last digit; |exponent| <= 2^60
};

namespace detail {

inline constexpr double infinity = std::bit_cast<double>(std::uint64_t{0x7ff} << 52);

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t powers_of_ten[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
};

/// An unsigned integer of up to 8192 bits: enough for 800 digits times 10^1200.
class big_integer {
 public:
  explicit big_integer(std::uint64_t v = 0) noexcept {
    for (; v != 0; v >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(v);
  }

  /// this = this * factor + addend
  void multiply_add(std::uint32_t factor, std::uint32_t addend) noexcept {
    std::uint64_t carry = addend;
    for (unsigned i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }
  void multiply_power_of_ten(unsigned exponent) noexcept {
    for (; exponent >= 9; exponent -= 9) multiply_add(1000000000u, 0);
    for (; exponent > 0; --exponent) multiply_add(10, 0);
  }
  void shift_left(unsigned count) noexcept {
    if (size_ == 0) return;
    const unsigned words = count / 32;
    if (words != 0) {
      std::memmove(limbs_ + words, limbs_, size_ * sizeof *limbs_);
      std::memset(limbs_, 0, words * sizeof *limbs_);
      size_ += words;
    }
    if (count % 32 != 0) multiply_add(1u << count % 32, 0);
  }
  /// this -= other, which must not be larger
  void subtract(const big_integer& other) noexcept {
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < size_; ++i) {
      const std::uint64_t take = borrow + (i < other.size_ ? other.limbs_[i] : 0u);
      borrow = limbs_[i] < take ? 1 : 0;
      limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - take);
    }
    while (size_ != 0 && limbs_[size_ - 1] == 0) --size_;
  }
  void add(const big_integer& other) noexcept {
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < other.size_ || carry != 0; ++i) {
      if (i >= size_) limbs_[size_++] = 0;
      carry += std::uint64_t{limbs_[i]} + (i < other.size_ ? other.limbs_[i] : 0u);
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  [[nodiscard]] int compare(const big_integer& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (unsigned i = size_; i-- > 0;)
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
    return 0;
  }
  [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
  [[nodiscard]] int bit_length() const noexcept {
    return size_ == 0 ? 0 : static_cast<int>(32 * size_) - std::countl_zero(limbs_[size_ - 1]);
  }

 private:
  unsigned size_ = 0;
  std::uint32_t limbs_[256];
};

/// (significand + a bit of rest) × 2^exponent rounded to nearest even; the significand has 64 bits.
[[nodiscard]] inline double round_to_double(std::uint64_t significand, bool rest,
                                            int exponent) noexcept {
  // 11 bits go for a normal number, more for a subnormal one, all or more for zero.
  int dropped = 11;
  if (exponent + dropped < -1074) dropped = -1074 - exponent;
  if (dropped > 64) return 0.0;
  std::uint64_t kept = dropped == 64 ? 0 : significand >> dropped;
  const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t lost = dropped == 64 ? significand : significand & ((tie << 1) - 1);
  if (lost > tie || (lost == tie && (rest || (kept & 1) != 0))) ++kept;
  const int unit = exponent + dropped;  // the power of two of the last kept bit
  if (unit > 971 || (unit == 971 && kept >> 53 != 0)) return infinity;
  // The carry of rounding up runs into the exponent field, where it belongs.
  const std::uint64_t biased = kept >> 52 != 0 ? static_cast<std::uint64_t>(unit + 1074) : 0;
  return std::bit_cast<double>((biased << 52) + kept);
}

/// The double nearest to m / 10^k, ties to even, for m > 0 and k <= 18, from a quotient that is at
/// most one step and a half off: what dividing the rounded m by the exact power gives. The
/// remainder decides; it is small, so that arithmetic modulo 2^64 finds it.
[[nodiscard]] inline double nearest_quotient(std::uint64_t m, double quotient,
                                             unsigned k) noexcept {
  auto bits = std::bit_cast<std::uint64_t>(quotient);
  const std::uint64_t significand = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  const int exponent = static_cast<int>(bits >> 52) - 1075;  // quotient = significand * 2^exponent
  // In units of 2^exponent, or of 1 where that is above 1.
  const int up = exponent > 0 ? exponent : 0, down = exponent < 0 ? -exponent : 0;
  const std::uint64_t step = powers_of_ten[k] << up;
  std::uint64_t rest = (down < 64 ? m << down : 0) - significand * step;
  const bool above = rest >> 63 == 0;
  if (!above) rest = 0 - rest;
  if (!above && significand == std::uint64_t{1} << 52) rest *= 2;  // steps below it are half
  while (2 * rest > step || (2 * rest == step && (bits & 1) != 0)) {
    bits = above ? bits + 1 : bits - 1;
    if (rest < step) break;
    rest -= step;
  }
  return std::bit_cast<double>(bits);
}

/// m / 10^k, correctly rounded, for m < 2^63 and k <= 18.
[[nodiscard, gnu::always_inline]] inline double quotient_by_power_of_ten(std::uint64_t m,
                                                                         unsigned k) noexcept {
  const double quotient =
      static_cast<double>(static_cast<std::int64_t>(m)) / exact_powers_of_ten[k];
  // Two exact operands, one operation: rounded by IEEE 754, where the host computes in doubles.
  const bool rounded = m == 0 || (FLT_EVAL_METHOD == 0 && m >> 53 == 0);
  return rounded ? quotient : nearest_quotient(m, quotient, k);
}

/// The definition: numerator / denominator as big integers, 64 bits of quotient, one rounding.
[[nodiscard, gnu::cold]] inline double decimal_to_double_exact(const decimal& d) noexcept {
  // Beyond 800 digits the rest only means "a little more": the halfway points between doubles
  // have at most 767 significant digits.
  constexpr unsigned max_digits = 800;
  big_integer numerator;
  std::int64_t exponent = d.exponent;
  unsigned taken = 0;
  bool more = false;
  for (const char c : d.digits) {
    if (c == '.' || (taken == 0 && c == '0')) continue;
    if (taken < max_digits) {
      numerator.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
      ++taken;
    } else {
      more = more || c != '0';
      ++exponent;
    }
  }
  if (numerator.is_zero()) return 0.0;
  if (more) {
    numerator.multiply_add(10, 1);
    --exponent;
  }
  if (exponent + taken > 310) return infinity;
  if (exponent + taken < -330) return 0.0;
  big_integer denominator(1);
  if (exponent >= 0)
    numerator.multiply_power_of_ten(static_cast<unsigned>(exponent));
  else
    denominator.multiply_power_of_ten(static_cast<unsigned>(-exponent));
  // Scale so that the quotient lies in [2^63, 2^65), then divide bit by bit.
  int scale = 64 - (numerator.bit_length() - denominator.bit_length());
  if (scale >= 0)
    numerator.shift_left(static_cast<unsigned>(scale));
  else
    denominator.shift_left(static_cast<unsigned>(-scale));
  denominator.shift_left(64);
  std::uint64_t quotient = 0;
  bool top = false;
  for (int bit = 64; bit >= 0; --bit) {
    const bool one = numerator.compare(denominator) >= 0;
    if (one) numerator.subtract(denominator);
    if (bit == 64)
      top = one;
    else
      quotient |= std::uint64_t{one ? 1u : 0u} << bit;
    numerator.shift_left(1);
  }
  bool rest = !numerator.is_zero();
  if (top) {  // 65 bits: the last joins the rest
    rest = rest || (quotient & 1) != 0;
    quotient = quotient >> 1 | std::uint64_t{1} << 63;
    --scale;
  }
  return round_to_double(quotient, rest, -scale);
}

}  // namespace detail

/// The double nearest to d, ties to even; infinity beyond the largest, 0 below the smallest. The
/// value of the digits is known, and below 2^64.
[[nodiscard]] inline double decimal_to_double(const decimal& d,
                                              std::uint64_t significand) noexcept {
  if (significand == 0) return 0.0;
  const std::int64_t e = d.exponent;
  // Two exact operands and one operation: correctly rounded by IEEE 754, where doubles are doubles.
  if (FLT_EVAL_METHOD == 0 && significand >> 53 == 0 && e >= -22 && e <= 22) {
    const auto v = static_cast<double>(significand);
    return e < 0 ? v / detail::exact_powers_of_ten[-e] : v * detail::exact_powers_of_ten[e];
  }
  if (e < 0 && e >= -18) {
    const volatile double quotient =  // a double also where the host computes wider
        static_cast<double>(significand) / detail::exact_powers_of_ten[-e];
    return detail::nearest_quotient(significand, quotient, static_cast<unsigned>(-e));
  }
  return detail::decimal_to_double_exact(d);
}

/// The same for any digits.
[[nodiscard]] inline double decimal_to_double(const decimal& d) noexcept {
  std::uint64_t significand = 0;
  unsigned taken = 0;
  for (const char c : d.digits) {
    if (c == '.') continue;
    if (significand != 0 || c != '0') ++taken;
    if (taken > 19) return detail::decimal_to_double_exact(d);
    significand = significand * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return decimal_to_double(d, significand);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_NUMBER_HPP
