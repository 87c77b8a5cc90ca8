// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loops along axes.
//
//   const reduction r = reduction_of(arena, x, axes, keep);
//   tensor out = make_tensor(arena, type, r.dims);
//   fold_to<double>(out, r, tensors::reduction::sum_in_lanes);
//
// Lifetime:   for one operation.
// Errors:     faults: nac_run_axis, nac_run_shape, budget_memory.
// Limits:     none.
// Allocation: a copy of the tensor where the axes' elements don't lie together.

#ifndef TESSERA_VM_NAC_REDUCE_HPP
#define TESSERA_VM_NAC_REDUCE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "call.hpp"
#include "strided.hpp"
#include "tensor/element_rows.hpp"
#include "tensor/fold.hpp"
#include "types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using tensors::row_place;

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

// ---- rows of elements as numbers

template <class A>
inline void load(const tensor& x, const row_place& at, A* to, std::size_t n) noexcept {
  tensors::load_row(element_of(x.type), x.data, at.first, at.step, to, n);
}
template <class A>
inline void store(const tensor& to, const row_place& at, const A* from, std::size_t n) noexcept {
  tensors::store_row<tensors::nac_semantics>(element_of(to.type), to.data, at.first, at.step, from,
                                             n);
}
[[nodiscard]] inline tensors::elements elements_of(const tensor& x) noexcept {
  return {element_of(x.type), x.data};
}
/// Stores values, unless they are null, and indices.
template <class A>
[[nodiscard]] inline auto put_best(const tensor* values, const tensor& indices) noexcept {
  return [=, &indices](const row_place& at, A* v, std::int64_t* index, std::size_t n) {
    if (values != nullptr) store(*values, at, v, n);
    std::copy_n(index, n, indices.as<std::int64_t>() + at.first);
  };
}
/// Element i becomes f(i).
template <class A, class F>
void put_each(const tensor& out, F&& f) {
  constexpr std::int64_t part = 256;
  A row[part];
  const auto size = static_cast<std::int64_t>(out.size());
  for (std::int64_t i = 0; i < size; i += part) {
    const std::int64_t n = std::min(part, size - i);
    for (std::int64_t k = 0; k < n; ++k) row[k] = f(i + k);
    store(out, {i, 1, 0, 0}, row, static_cast<std::size_t>(n));
  }
}

/// Calls f(of<A>{}) with what sums of a type are made in.
template <class F>
decltype(auto) visit_sums(data_type type, F&& f) {
  if (is_floating(type)) return f(of<double>{});
  return f(of<std::int64_t>{});
}

/// Brings the elements of each group together, in type A, after `before` has changed them: the index
/// of an element's place is that of its result. `after` changes results before they are stored.
template <class A>
void fold_to(const tensor& out, const reduction& r, tensors::reduction by,
             tensors::row_function<A> before, tensors::row_function<A> after);
/// The same of elements as they are.
template <class A>
void fold_to(const tensor& out, const reduction& r, tensors::reduction by,
             tensors::row_function<A> after);
inline constexpr auto unchanged = [](const row_place&, auto*, std::size_t) {};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_REDUCE_HPP
