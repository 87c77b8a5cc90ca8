// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "value_set.hpp"

#include <algorithm>
#include <bit>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

using vm::alir::anything;
using vm::alir::range;

[[nodiscard]] std::uint64_t bits_of(std::int64_t v) noexcept {
  return static_cast<std::uint64_t>(v);
}
[[nodiscard]] std::int64_t number_of(std::uint64_t bits) noexcept {
  return static_cast<std::int64_t>(bits);
}
[[nodiscard]] std::uint64_t grid_mask(unsigned grid) noexcept {
  return (std::uint64_t{1} << grid) - 1;
}

/// `wide` is what arithmetic without bounds gives; `anything` if that doesn't fit.
[[nodiscard]] value_set result_of(const range& r, unsigned grid, bool ends, bool full,
                                  std::uint64_t inputs, bool wraps) noexcept {
  value_set x;
  x.r = r;
  x.grid = static_cast<std::uint8_t>(std::min(grid, 63u));
  x.wraps = wraps;
  x.inputs = inputs;
  // What wraps around keeps its low bits, but they may be others than those of INT64_MIN.
  if (wraps) x.r = anything, x.grid = 0;
  x.ends = ends && !wraps;
  x.full = full && !wraps;
  if (x.is_single()) x.ends = x.full = true, x.inputs = 0;
  return x;
}

/// Whether steps of 2^small from each number of the other set leave no gap.
[[nodiscard]] bool covers(const value_set& small, unsigned grid) noexcept {
  const std::uint64_t step = std::uint64_t{1} << grid;
  return small.span() >= step - (std::uint64_t{1} << small.grid);
}

[[nodiscard]] value_set combined(const value_set& a, const value_set& b, const range& r,
                                 bool over) noexcept {
  const bool apart = independent(a, b);
  const std::uint64_t inputs = a.inputs | b.inputs;
  over = over || a.wraps || b.wraps;
  if (a.is_constant() || b.is_constant()) {
    const value_set& x = a.is_constant() ? b : a;
    return result_of(r, x.grid, x.ends, x.full, inputs, over);
  }
  const value_set& fine = a.grid <= b.grid ? a : b;
  const value_set& coarse = a.grid <= b.grid ? b : a;
  return result_of(r, fine.grid, apart && a.ends && b.ends,
                   apart && a.full && b.full && covers(fine, coarse.grid), inputs, over);
}

}  // namespace

value_set single(std::int64_t v) noexcept {
  value_set x;
  x.r = {v, v};
  return x;
}

value_set somewhere(const range& r, std::uint64_t inputs) noexcept {
  value_set x;
  x.r = r;
  x.ends = x.full = false;
  x.inputs = inputs;
  return x;
}

bool independent(const value_set& a, const value_set& b) noexcept {
  return (a.inputs & b.inputs) == 0;
}

value_set clipped(const value_set& x, const range& limits) noexcept {
  if (x.r.within(limits)) return x;
  const std::uint64_t mask = grid_mask(x.grid);
  range r = x.r;
  if (r.low < limits.low) {
    const std::uint64_t up = (bits_of(limits.low) - bits_of(r.low) + mask) & ~mask;
    r.low = number_of(bits_of(r.low) + up);
  }
  if (r.high > limits.high) {
    const std::uint64_t down = (bits_of(r.high) - bits_of(limits.high) + mask) & ~mask;
    r.high = number_of(bits_of(r.high) - down);
  }
  // An end beyond the other one, or one that went around.
  if (x.r.low > limits.high || x.r.high < limits.low || r.low > r.high || r.low < limits.low ||
      r.high > limits.high)
    return somewhere(limits, x.inputs);
  value_set out = x;
  out.r = r;
  out.ends = x.full;
  out.wraps = false;
  return out;
}

value_set either(const value_set& a, const value_set& b) noexcept {
  const range r = vm::alir::either(a.r, b.r);
  const auto apart = bits_of(a.r.low) - bits_of(b.r.low);
  const auto grid =
      std::min({a.is_single() ? 63u : a.grid, b.is_single() ? 63u : b.grid,
                static_cast<unsigned>(std::countr_zero(apart | std::uint64_t{1} << 63))});
  const bool low = (a.r.low == r.low && a.ends) || (b.r.low == r.low && b.ends);
  const bool high = (a.r.high == r.high && a.ends) || (b.r.high == r.high && b.ends);
  const std::uint64_t step = std::uint64_t{1} << grid;
  const auto whole = [grid](const value_set& x) {
    return x.full && (x.grid == grid || x.is_single());
  };
  const bool touch = (a.r.low <= b.r.high || bits_of(a.r.low) - bits_of(b.r.high) <= step) &&
                     (b.r.low <= a.r.high || bits_of(b.r.low) - bits_of(a.r.high) <= step);
  value_set x =
      result_of(r, grid, low && high, whole(a) && whole(b) && touch, a.inputs | b.inputs, false);
  x.wraps = a.wraps || b.wraps;
  return x;
}

value_set negated(const value_set& x) noexcept {
  const bool over = x.r.low == INT64_MIN;
  return result_of(over ? anything : range{-x.r.high, -x.r.low}, x.grid, x.ends, x.full, x.inputs,
                   over);
}

value_set add(const value_set& a, const value_set& b) noexcept {
  range r;
  bool over = __builtin_add_overflow(a.r.low, b.r.low, &r.low);
  over = __builtin_add_overflow(a.r.high, b.r.high, &r.high) || over;
  return combined(a, b, r, over);
}

value_set subtract(const value_set& a, const value_set& b) noexcept {
  range r;
  bool over = __builtin_sub_overflow(a.r.low, b.r.high, &r.low);
  over = __builtin_sub_overflow(a.r.high, b.r.low, &r.high) || over;
  return combined(a, b, r, over);
}

value_set scaled(const value_set& x, std::int64_t by) noexcept {
  if (by == 0) return single(0);
  range r;
  bool over = __builtin_mul_overflow(by > 0 ? x.r.low : x.r.high, by, &r.low);
  over = __builtin_mul_overflow(by > 0 ? x.r.high : x.r.low, by, &r.high) || over;
  const std::uint64_t size = by < 0 ? 0 - bits_of(by) : bits_of(by);
  return result_of(r, x.grid + static_cast<unsigned>(std::countr_zero(size)), x.ends,
                   x.full && std::has_single_bit(size), x.inputs, over);
}

value_set multiply(const value_set& a, const value_set& b) noexcept {
  if (a.is_constant()) return scaled(b, a.r.low);
  if (b.is_constant()) return scaled(a, b.r.low);
  const range r = vm::alir::multiply(a.r, b.r);
  const bool over = r.low == INT64_MIN && r.high == INT64_MAX;
  return result_of(r, 0, independent(a, b) && a.ends && b.ends, false, a.inputs | b.inputs, over);
}

value_set square(const value_set& x) noexcept {
  const range r = vm::alir::multiply(x.r, x.r);
  if (r.low == INT64_MIN) return result_of(r, 0, false, false, x.inputs, true);
  const std::int64_t low = x.r.low * x.r.low, high = x.r.high * x.r.high;
  if (x.r.low >= 0 || x.r.high <= 0)
    return result_of({std::min(low, high), std::max(low, high)}, 0, x.ends, false, x.inputs, false);
  return result_of({0, std::max(low, high)}, 0, x.ends && x.full && x.on_grid(0), false, x.inputs,
                   false);
}

value_set shifted(const value_set& x, std::int64_t by) noexcept {
  if (by == 0) return x;
  if (by > 0) {
    const auto left = static_cast<unsigned>(by);
    const bool over = !vm::alir::fits(x.r, static_cast<int>(64 - left));
    return result_of(vm::alir::shifted(x.r, by), x.grid + left, x.ends, x.full, x.inputs,
                     over && !(x.is_single() && x.r.low == 0));
  }
  // Steps of more than the bits that go stay steps; finer ones leave no gap.
  const auto right = static_cast<unsigned>(-by);
  value_set out = result_of(vm::alir::shifted(x.r, by), x.grid > right ? x.grid - right : 0, x.ends,
                            x.full, x.inputs, false);
  out.wraps = x.wraps;
  return out;
}

value_set not_negative(const value_set& x) noexcept {
  if (x.r.low >= 0) return x;
  if (x.r.high <= 0) return single(0);
  const bool keeps = x.on_grid(0);
  value_set out =
      result_of({0, x.r.high}, keeps ? x.grid : 0, x.ends, x.full && keeps, x.inputs, false);
  out.wraps = x.wraps;
  return out;
}

value_set wrapped(const value_set& x, tessera::alir::fixed_type t) noexcept {
  const range own = vm::alir::values_of(t);
  if (x.r.within(own)) return x;
  const auto width = static_cast<unsigned>(t.width());
  if (width == 0) return single(0);
  if (x.is_single() || x.grid >= width) {
    const std::uint64_t kept = bits_of(x.r.low) & grid_mask(width);
    const bool negative = t.k && (kept >> (width - 1)) != 0;
    value_set one = single(number_of(negative ? kept | ~grid_mask(width) : kept));
    if (!x.is_constant() && !x.ends) one.ends = one.full = false, one.inputs = x.inputs;
    return one;
  }
  // The numbers of the type that differ from x.r.low by steps of the grid.
  const unsigned grid = x.grid;
  const std::uint64_t mask = grid_mask(grid), low_bits = bits_of(x.r.low) & mask;
  const std::uint64_t last = bits_of(own.high) & ~mask;
  range r{number_of((bits_of(own.low) & ~mask) + low_bits), number_of(last + low_bits)};
  // From where the type starts, how many times around the ends are.
  const auto turn = [&](std::int64_t v) { return (v - own.low) >> width; };
  const bool fits = width < 64 && x.r.low >= INT64_MIN / 2 && x.r.high <= INT64_MAX / 2;
  if (fits && turn(x.r.low) == turn(x.r.high)) {
    const std::int64_t by = number_of(bits_of(turn(x.r.low)) << width);
    value_set out =
        result_of({x.r.low - by, x.r.high - by}, x.grid, x.ends, x.full, x.inputs, false);
    return out;
  }
  const bool all = x.full && (x.span() >> grid) + 1 >= (std::uint64_t{1} << (width - grid));
  // Past an end of the type, numbers on both sides of it are reached.
  return result_of(r, grid, x.full && fits, all, x.inputs, false);
}

namespace {

/// The least a | b of low <= a, b <= high in two ranges of unsigned numbers: where only one of the
/// lower ends has a bit, the other may take it and be 0 below.
[[nodiscard]] std::uint64_t least_or(std::uint64_t a, std::uint64_t a_end, std::uint64_t b,
                                     std::uint64_t b_end) noexcept {
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if ((~a & b & bit) != 0) {
      const std::uint64_t other = (a | bit) & (0 - bit);
      if (other <= a_end) return other | b;
    } else if ((a & ~b & bit) != 0) {
      const std::uint64_t other = (b | bit) & (0 - bit);
      if (other <= b_end) return a | other;
    }
  }
  return a | b;
}
/// The greatest a | b: where both upper ends have a bit, one may do without it and have all below.
[[nodiscard]] std::uint64_t greatest_or(std::uint64_t a, std::uint64_t a_end, std::uint64_t b,
                                        std::uint64_t b_end) noexcept {
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if ((a_end & b_end & bit) == 0) continue;
    const std::uint64_t one = (a_end - bit) | (bit - 1);
    if (one >= a) return one | b_end;
    const std::uint64_t other = (b_end - bit) | (bit - 1);
    if (other >= b) return a_end | other;
  }
  return a_end | b_end;
}

struct bit_bounds {
  std::uint64_t low, high;
};
/// a | b.
[[nodiscard]] bit_bounds or_bounds(const bit_bounds& a, const bit_bounds& b) noexcept {
  return {least_or(a.low, a.high, b.low, b.high), greatest_or(a.low, a.high, b.low, b.high)};
}
[[nodiscard]] bit_bounds inverted(const bit_bounds& x) noexcept { return {~x.high, ~x.low}; }
/// ~(~a | ~b).
[[nodiscard]] bit_bounds and_bounds(const bit_bounds& a, const bit_bounds& b) noexcept {
  return inverted(or_bounds(inverted(a), inverted(b)));
}
/// The least a ^ b: as least_or, while a bit that one has and the other may take is no longer set.
[[nodiscard]] std::uint64_t least_xor(bit_bounds a, bit_bounds b) noexcept {
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    if ((~a.low & b.low & bit) != 0) {
      const std::uint64_t other = (a.low | bit) & (0 - bit);
      if (other <= a.high) a.low = other;
    } else if ((a.low & ~b.low & bit) != 0) {
      const std::uint64_t other = (b.low | bit) & (0 - bit);
      if (other <= b.high) b.low = other;
    }
  }
  return a.low ^ b.low;
}
[[nodiscard]] bit_bounds xor_bounds(const bit_bounds& a, const bit_bounds& b) noexcept {
  // ~(a ^ ~b) is a ^ b, and the greatest is where that is least.
  return {least_xor(a, b), ~least_xor(a, inverted(b))};
}
[[nodiscard]] bit_bounds bounds_of(tessera::alir::binary_bits what, const bit_bounds& a,
                                   const bit_bounds& b) noexcept {
  using tessera::alir::binary_bits;
  switch (what) {
    case binary_bits::conjunction: return and_bounds(a, b);
    case binary_bits::disjunction: return or_bounds(a, b);
    case binary_bits::exclusive: break;
  }
  return xor_bounds(a, b);
}

}  // namespace

value_set bitwise(tessera::alir::binary_bits what, const value_set& a,
                  const value_set& b) noexcept {
  range r{INT64_MAX, INT64_MIN};
  // Numbers of one sign are in the order of their bits.
  for (const bool a_negative : {false, true})
    for (const bool b_negative : {false, true}) {
      const range half_a = a_negative ? range{a.r.low, std::min<std::int64_t>(a.r.high, -1)}
                                      : range{std::max<std::int64_t>(a.r.low, 0), a.r.high};
      const range half_b = b_negative ? range{b.r.low, std::min<std::int64_t>(b.r.high, -1)}
                                      : range{std::max<std::int64_t>(b.r.low, 0), b.r.high};
      if (half_a.low > half_a.high || half_b.low > half_b.high) continue;
      const bit_bounds both = bounds_of(what, {bits_of(half_a.low), bits_of(half_a.high)},
                                        {bits_of(half_b.low), bits_of(half_b.high)});
      r = {std::min(r.low, number_of(both.low)), std::max(r.high, number_of(both.high))};
    }
  const bool exact = independent(a, b) && a.full && b.full && (a.grid == 0 || a.is_single()) &&
                     (b.grid == 0 || b.is_single());
  return result_of(r, 0, exact, false, a.inputs | b.inputs, false);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
