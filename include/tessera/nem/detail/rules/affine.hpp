// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Integers that are affine in loop variables: what an expression is in all iterations at once.
//
//   detail::affine offset;                     // 64 * i + [0, 128)
//   detail::reach r = offset.reach_of(loops);  // its least and its greatest value
//   if (detail::first_above(64, rest, limit, loops[0], i)) …     // the first iteration beyond it
//
//   slopes   what one step of each loop variable adds
//   rest     a constant, or, after `mod`, one of a range of values that come back periodically
//
// Sums of 4 products of 61 and 64 bits fit in 128 bits, so that nothing here overflows.
//
// Lifetime:   values.
// Errors:     false where a result isn't affine, or a coefficient exceeds its limit.
// Limits:     4 loops; slopes of up to 2^61.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_AFFINE_HPP
#define TESSERA_NEM_DETAIL_RULES_AFFINE_HPP

#include <cstddef>
#include <cstdint>

#include "../../../version.hpp"
#if !defined(__SIZEOF_INT128__)
#include "wide_integer.hpp"
#endif

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

#if defined(__SIZEOF_INT128__)
__extension__ using int128 = __int128;
#else
using int128 = wide_integer;
#endif

/// The values of a loop variable.
struct loop_range {
  std::int64_t first = 0, last = 0;
};
/// The values of an expression, from the least to the greatest that is possible.
struct reach {
  int128 low = 0, high = 0;
};

struct affine {
  static constexpr std::size_t max_loops = 4;
  static constexpr std::int64_t max_slope = std::int64_t{1} << 61;

  std::int64_t slopes[max_loops] = {};
  std::int64_t low = 0, high = 0;  ///< of the rest

  [[nodiscard]] static affine constant(std::int64_t x) noexcept { return {{}, x, x}; }
  /// Whether no slope counts: its values come back with the period of `mod`, if there is one.
  [[nodiscard]] bool is_steady() const noexcept {
    for (const std::int64_t s : slopes)
      if (s != 0) return false;
    return true;
  }
  /// Whether the rest is one number.
  [[nodiscard]] bool is_exact() const noexcept { return low == high; }
  [[nodiscard]] bool is_constant() const noexcept { return is_steady() && is_exact(); }
  /// From the loop `from` on: what outer loops add is left out.
  [[nodiscard]] detail::reach reach_of(const loop_range* loops,
                                       std::size_t from = 0) const noexcept {
    detail::reach r{low, high};
    for (std::size_t k = from; k < max_loops; ++k) {
      if (slopes[k] == 0) continue;
      const int128 a = int128{slopes[k]} * loops[k].first;
      const int128 b = int128{slopes[k]} * loops[k].last;
      r.low += a < b ? a : b;
      r.high += a < b ? b : a;
    }
    return r;
  }

  // Each returns false, and leaves anything, where the result isn't of this form.

  [[nodiscard]] bool add(const affine& b) noexcept {
    for (std::size_t k = 0; k < max_loops; ++k)
      if (!set_slope(k, int128{slopes[k]} + b.slopes[k])) return false;
    return !__builtin_add_overflow(low, b.low, &low) &&
           !__builtin_add_overflow(high, b.high, &high);
  }
  [[nodiscard]] bool scale(std::int64_t by) noexcept {
    for (std::size_t k = 0; k < max_loops; ++k)
      if (!set_slope(k, int128{slopes[k]} * by)) return false;
    std::int64_t a = 0, b = 0;
    if (__builtin_mul_overflow(low, by, &a) || __builtin_mul_overflow(high, by, &b)) return false;
    low = a < b ? a : b;
    high = a < b ? b : a;
    return true;
  }
  [[nodiscard]] bool multiply(const affine& b) noexcept {
    if (b.is_constant()) return scale(b.low);
    if (!is_constant()) return false;
    const std::int64_t by = low;
    *this = b;
    return scale(by);
  }

 private:
  [[nodiscard]] bool set_slope(std::size_t k, int128 x) noexcept {
    if (x > max_slope || x < -max_slope) return false;
    slopes[k] = static_cast<std::int64_t>(x);
    return true;
  }
};

/// The first value of a loop variable for which slope * variable + rest > limit.
[[nodiscard]] inline bool first_above(int128 slope, int128 rest, int128 limit,
                                      const loop_range& loop, std::int64_t& to) noexcept {
  to = loop.first;
  if (slope * loop.first + rest > limit) return true;
  if (slope <= 0 || slope * loop.last + rest <= limit) return false;
  const int128 room = limit - rest;  // slope * first <= room: rounded down, it is in the loop
  int128 i = room / slope;
  if (i * slope > room) --i;
  to = static_cast<std::int64_t>(i + 1);
  return true;
}

/// The first value of a loop variable for which [slope * variable + rest, … + p) and [0, q) meet.
[[nodiscard]] inline bool first_meeting(int128 slope, int128 rest, std::int64_t p, std::int64_t q,
                                        const loop_range& loop, std::int64_t& to) noexcept {
  const bool is_rising = slope >= 0;  // it comes from below: then from what ends before 0
  const bool comes = is_rising ? first_above(slope, rest, -int128{p}, loop, to)
                               : first_above(-slope, -rest, -int128{q}, loop, to);
  const int128 at = slope * to + rest;
  return comes && at < q && at + p > 0;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_AFFINE_HPP
