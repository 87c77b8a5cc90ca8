// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The 16-bit floats of tensor files: IEEE binary16 and bfloat16, to and from float.
//
//   float x = tessera::float_from_half(0x3c00);      // 1.0f
//   std::uint16_t h = tessera::half_from_float(x);   // rounded to nearest, ties to even
//
//   binary16   1 sign, 5 exponent (bias 15), 10 fraction bits
//   bfloat16   1 sign, 8 exponent (bias 127), 7 fraction bits: the upper half of a float
//
// NaNs stay NaNs and keep their sign and upper fraction bits (hosts that compute on x87 may quiet a
// signaling one); too large becomes infinity.
//
// Lifetime:   values.
// Errors:     none: every bit pattern converts.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_FLOAT16_HPP
#define TESSERA_CORE_FLOAT16_HPP

#include <bit>
#include <cstdint>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {

/// The float with the value of a binary16 pattern; exact.
[[nodiscard]] constexpr float float_from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0x1f)  // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  if (fraction == 0) return std::bit_cast<float>(sign);
  const auto shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;  // subnormal
  fraction = fraction << shift & 0x3ffu;
  return std::bit_cast<float>(sign | (113 - shift) << 23 | fraction << 13);
}

/// The binary16 pattern nearest to `value`, ties to even.
[[nodiscard]] constexpr std::uint16_t half_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)  // NaN: quiet, so that a payload of low bits only survives
    return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 2^16
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return static_cast<std::uint16_t>(sign);  // below half the least subnormal
  // Significand and the number of its bits that are dropped; rounding may carry into the exponent,
  // which is what makes 65520 infinite and the largest subnormal normal.
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t dropped = exponent >= 113 ? 13 : 126 - exponent;
  std::uint32_t half = exponent >= 113 ? (exponent - 113) << 10 : 0;
  half += significand >> dropped;
  const std::uint32_t rest = significand & ((1u << dropped) - 1);
  const std::uint32_t tie = 1u << (dropped - 1);
  half += (rest > tie || (rest == tie && (half & 1u) != 0)) ? 1u : 0u;
  return static_cast<std::uint16_t>(sign | half);
}

/// The float with the value of a bfloat16 pattern; exact.
[[nodiscard]] constexpr float float_from_bfloat16(std::uint16_t value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

/// The bfloat16 pattern nearest to `value`, ties to even.
[[nodiscard]] constexpr std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_FLOAT16_HPP
