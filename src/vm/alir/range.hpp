// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Intervals of int64 that hold every value of an operation, in arithmetic that wraps around: a
// result that may overflow has the full range.
//
//   range sum = add(shifted(a, 3), b);
//   if (fits(sum, 16)) ...
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_ALIR_RANGE_HPP
#define TESSERA_VM_ALIR_RANGE_HPP

#include <algorithm>
#include <cstdint>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

/// All v with low <= v <= high.
struct range {
  std::int64_t low = 0, high = 0;
  [[nodiscard]] bool within(const range& r) const noexcept {
    return low >= r.low && high <= r.high;
  }
};
inline constexpr range anything{INT64_MIN, INT64_MAX};

/// The values of a signed type.
[[nodiscard]] inline range signed_bits(int width) noexcept {
  if (width == 0) return {};
  return {INT64_MIN >> (64 - width), INT64_MAX >> (64 - width)};
}
[[nodiscard]] inline range values_of(tessera::alir::fixed_type t) noexcept {
  return t.k ? signed_bits(t.width()) : range{0, signed_bits(t.width() + 1).high};
}
[[nodiscard]] inline bool fits(const range& r, int width) noexcept {
  return r.within(signed_bits(width));
}
[[nodiscard]] inline range either(const range& a, const range& b) noexcept {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

[[nodiscard]] inline range add(const range& a, const range& b) noexcept {
  range r;
  const bool over = __builtin_add_overflow(a.low, b.low, &r.low);
  return __builtin_add_overflow(a.high, b.high, &r.high) || over ? anything : r;
}
[[nodiscard]] inline range subtract(const range& a, const range& b) noexcept {
  range r;
  const bool over = __builtin_sub_overflow(a.low, b.high, &r.low);
  return __builtin_sub_overflow(a.high, b.low, &r.high) || over ? anything : r;
}
[[nodiscard]] inline range multiply(const range& a, const range& b) noexcept {
  std::int64_t corner[4];
  if (__builtin_mul_overflow(a.low, b.low, &corner[0]) ||
      __builtin_mul_overflow(a.low, b.high, &corner[1]) ||
      __builtin_mul_overflow(a.high, b.low, &corner[2]) ||
      __builtin_mul_overflow(a.high, b.high, &corner[3]))
    return anything;
  const auto [low, high] = std::minmax_element(corner, corner + 4);
  return {*low, *high};
}
/// Shifted to the left, or to the right when `by` is negative; by at most 63 bits.
[[nodiscard]] inline range shifted(const range& r, std::int64_t by) noexcept {
  if (by <= 0) return {r.low >> -by, r.high >> -by};
  if (!fits(r, static_cast<int>(64 - by))) return anything;
  return {r.low * (std::int64_t{1} << (by - 1)) * 2, r.high * (std::int64_t{1} << (by - 1)) * 2};
}
/// Of a bit operation: as many bits as the wider operand, and a sign if one of them has one.
[[nodiscard]] inline range bitwise(const range& a, const range& b) noexcept {
  const range both = either(a, b);
  std::uint64_t bits = static_cast<std::uint64_t>(both.high < 0 ? ~both.high : both.high) |
                       static_cast<std::uint64_t>(both.low < 0 ? ~both.low : both.low);
  for (int by = 1; by < 64; by *= 2) bits |= bits >> by;
  const auto high = static_cast<std::int64_t>(bits);
  return {both.low < 0 ? ~high : 0, high};
}

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ALIR_RANGE_HPP
