// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loops along axes.
//
//   const reduction r = reduction_of(arena, x, axes, keep);
//   tensor out = make_tensor(arena, type, r.dims);
//   fold_by<reductions::sum, double>(r.g, r.x.as<T>(), [&](std::int64_t i, double a) { … });
//
// Lifetime:   for one operation.
// Errors:     faults: nac_run_axis, nac_run_shape, budget_memory.
// Limits:     none.
// Allocation: a copy of the tensor where the axes' elements don't lie together.

#ifndef TESSERA_VM_NAC_REDUCE_HPP
#define TESSERA_VM_NAC_REDUCE_HPP

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "call.hpp"
#include "strided.hpp"
#include "tensor/reductions.hpp"
#include "tensor/rows.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace reductions = tensors::reductions;

inline constexpr std::uint32_t all_axes = ~std::uint32_t{0};

/// A tensor whose elements along some axes become one.
struct reduction {
  tensor x;  ///< the axes where they belong
  groups g;
  shape dims;  ///< of the result
};

[[nodiscard]] reduction reduction_of(memory& arena, const tensor& x, std::uint32_t axes,
                                     bool keep_axes);
/// The axes that a letter gives; all of them where it is missing, and where it is empty.
[[nodiscard]] std::uint32_t axes_at(call& c, std::size_t letter, std::size_t rank);
/// Throws nac_run_shape for reductions that have no value of no elements. `given`: whether axes were,
/// which may then leave nothing of an empty tensor.
void need_elements(const tensor& x, std::uint32_t axes, bool given);

inline constexpr std::int64_t columns_at_once = 256;

/// Brings the elements of each group together: step(a, element, column) for each of them, from
/// `start` on, and join(a, b) for what was brought together apart; end(result, a).
template <class A, class T, class Step, class Join, class End>
void fold(const groups& g, const T* x, A start, Step&& step, Join&& join, End&& end) {
  constexpr std::int64_t lanes = 8;
  if (g.inner == 1) {
    for (std::int64_t o = 0; o < g.outer; ++o, x += g.count) {
      A a[lanes];
      std::fill(a, a + lanes, start);
      std::int64_t i = 0;
      for (; i + lanes <= g.count; i += lanes)
        for (std::int64_t l = 0; l < lanes; ++l) step(a[l], x[i + l], o);
      for (; i < g.count; ++i) step(a[0], x[i], o);
      for (std::int64_t half = lanes / 2; half != 0; half /= 2)
        for (std::int64_t l = 0; l < half; ++l) join(a[l], a[l + half]);
      end(o, a[0]);
    }
    return;
  }
  A a[columns_at_once];
  for (std::int64_t o = 0; o < g.outer; ++o, x += g.count * g.inner)
    for (std::int64_t first = 0; first < g.inner; first += columns_at_once) {
      const std::int64_t n = std::min(columns_at_once, g.inner - first);
      const std::int64_t result = o * g.inner + first;
      std::fill(a, a + n, start);
      const T* row = x + first;
      for (std::int64_t r = 0; r < g.count; ++r, row += g.inner)
        for (std::int64_t k = 0; k < n; ++k) step(a[k], row[k], result + k);
      for (std::int64_t k = 0; k < n; ++k) end(result + k, a[k]);
    }
}
/// By a reduction in type A: end(result, a). Elements are converted by way of type Via.
template <class R, class A, class Via = A, class T, class End>
void fold_by(const groups& g, const T* x, End&& end) {
  if constexpr (std::is_same_v<T, float> && std::is_same_v<A, Via>) {
    const auto by_kernel = [&](auto&& kernel) {
      const auto n = static_cast<std::size_t>(g.count);
      for (std::int64_t o = 0; o < g.outer; ++o, x += n) end(o, kernel(x, n));
    };
    if (g.inner == 1) {
      if constexpr (std::is_same_v<R, reductions::sum>)
        return by_kernel([](const float* row, std::size_t n) { return tensors::sum(row, n); });
      if constexpr (std::is_same_v<R, reductions::amax>)
        return by_kernel([](const float* row, std::size_t n) { return tensors::greatest(row, n); });
      if constexpr (std::is_same_v<R, reductions::amin>)
        return by_kernel([](const float* row, std::size_t n) { return tensors::least(row, n); });
    }
  }
  fold(
      g, x, R::template start<A>(),
      [](A& a, T v, std::int64_t) { a = R::template step<A>(a, convert<A>(convert<Via>(v))); },
      [](A& a, A b) { a = R::template join<A>(a, b); }, end);
}

/// Element i of a tensor of floats.
inline void put_real(const tensor& to, std::int64_t i, double v) noexcept {
  visit_float(to.type, [&]<class T>(of<T>) { to.as<T>()[i] = convert<T>(v); });
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_REDUCE_HPP
