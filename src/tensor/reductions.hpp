// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Reductions: what brings many elements to one, each defined once for all machines.
//
//   double a = reductions::sum::start<double>();
//   for (float v : row) a = reductions::sum::step<double>(a, v);
//   a = reductions::sum::join(a, of_the_other_rows);       // what was brought together separately
//
// A row of the table is a reduction: its name, what it starts with, and the formulas of a step and of
// a join, all of type A: a float; an unsigned integer, which wraps; a signed one, where elements are
// compared; bool. A machine chooses A, converts elements to it, and its result to theirs.
//
// Machines that differ in what they make of NaNs use reductions of different names.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_REDUCTIONS_HPP
#define TESSERA_TENSOR_REDUCTIONS_HPP

#include <cmath>
#include <limits>
#include <type_traits>

#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors::reductions {

/// The value that every other one comes before.
template <bool Greatest, class A>
[[nodiscard]] constexpr A worst() noexcept {
  using limits = std::numeric_limits<A>;
  if constexpr (std::is_floating_point_v<A>)
    return Greatest ? -limits::infinity() : limits::infinity();
  else
    return Greatest ? limits::min() : limits::max();
}
/// Whether v takes the place of a; a NaN takes that of any number.
template <bool Greatest, class A>
[[nodiscard]] inline bool beats(A v, A a) noexcept {
  if constexpr (std::is_floating_point_v<A>)
    return a == a && !(Greatest ? v <= a : v >= a);
  else
    return Greatest ? v > a : v < a;
}
/// The better of two without a branch; a NaN may give way to another.
template <bool Greatest, class A>
[[nodiscard]] inline A better(A a, A v) noexcept {
  const bool is_better = Greatest ? v > a : v < a;
  if constexpr (std::is_floating_point_v<A>) return is_better || v != v ? v : a;
  return is_better ? v : a;
}
template <class A>
[[nodiscard]] inline A without_nan(A v) noexcept {
  if constexpr (std::is_floating_point_v<A>) return v != v ? A{} : v;
  return v;
}

// X(name, start, step(a, v), join(a, b))
#define TESSERA_REDUCTIONS(X)                                                                      \
  X(sum, A{}, a + v, step(a, b))                                                                   \
  X(nansum, A{}, a + without_nan(v), a + b)                                                        \
  X(prod, A{1}, (a * v), step(a, b))                                                               \
  X(all, true, (a & v), step(a, b))                                                                \
  X(any, false, a | v, step(a, b))                                                                 \
  X(sum_of_sizes, A{}, a + std::fabs(v), a + b)                                                    \
  X(sum_of_squares, A{}, a + v * v, a + b)                                                         \
  X(amax, (worst<true, A>()), better<true>(a, v), step(a, b))                                      \
  X(amin, (worst<false, A>()), better<false>(a, v), step(a, b))                                    \
  /* -0 is less than +0 */                                                                         \
  X(ordered_max, (worst<true, A>()), formulas::ordered_greatest(a, v), step(a, b))                 \
  X(ordered_min, (worst<false, A>()), formulas::ordered_least(a, v), step(a, b))                   \
  /* NaNs count for nothing */                                                                     \
  X(max_of_numbers, std::numeric_limits<A>::lowest(), v > a ? v : a, step(a, b))

#define TESSERA_X(name, begin, next, together)                                                     \
  struct name {                                                                                    \
    template <class A>                                                                             \
    [[nodiscard]] static constexpr A start() noexcept {                                            \
      return begin;                                                                                \
    }                                                                                              \
    template <class A>                                                                             \
    [[nodiscard]] static A step(A a, A v) noexcept {                                               \
      return next;                                                                                 \
    }                                                                                              \
    template <class A>                                                                             \
    [[nodiscard]] static A join(A a, A b) noexcept {                                               \
      return together;                                                                             \
    }                                                                                              \
  };
TESSERA_REDUCTIONS(TESSERA_X)
#undef TESSERA_X

}  // namespace tensors::reductions
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_REDUCTIONS_HPP
