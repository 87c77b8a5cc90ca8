// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A task as its executing code sees it: operands in memory, with their types, and attributes.
//
//   verdict relu(const call& c) {
//     const tensor &x = c.inputs[0], &y = c.outputs[0];
//     const rows<2> r(x.shape, {x.strides, y.strides});
//     r.each([&](const auto& first, std::int64_t n) { load(x, first[0], r.steps()[0], row, n); … });
//   }
//
// Lifetime:   borrows for the execution of a task.
// Errors:     verdict.
// Limits:     nem::max_rank dimensions.
// Allocation: none.

#ifndef TESSERA_VM_NEM_TENSOR_HPP
#define TESSERA_VM_NEM_TENSOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tessera/vm/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// The dimension of an axis; negative ones count from the last.
[[nodiscard]] inline std::size_t axis_from(std::int64_t axis, std::size_t rank) noexcept {
  return static_cast<std::size_t>(axis) + (axis < 0 ? rank : std::size_t{0});
}
/// The strides of a dense shape. Where they don't fit 64 bits, they are meaningless.
[[nodiscard]] inline std::array<std::int64_t, model::max_rank> dense_strides(
    shape_view shape) noexcept {
  std::array<std::int64_t, model::max_rank> to = {};
  std::int64_t n = 1;
  for (std::size_t d = shape.size(); d-- != 0; (void)__builtin_mul_overflow(n, shape[d], &n))
    to[d] = n;
  return to;
}

/// The rows that make up a shape, for `count` tensors that have it, each with strides of its own.
/// Dimensions that are contiguous in all strides are merged, so that dense tensors have one row.
template <std::size_t count>
class rows {
 public:
  using indices = std::array<std::int64_t, count>;

  rows(shape_view shape, const std::array<shape_view, count>& strides) noexcept {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) continue;
      bool follows = rank_ != 0;
      for (std::size_t k = 0; k < count && follows; ++k)
        follows = strides_[rank_ - 1][k] == strides[k][d] * shape[d];
      std::int64_t joined = 0;  // more than 64 bits count, where strides are 0
      follows = follows && !__builtin_mul_overflow(shape_[rank_ - 1], shape[d], &joined);
      if (!follows) ++rank_;
      shape_[rank_ - 1] = follows ? joined : shape[d];
      for (std::size_t k = 0; k < count; ++k) strides_[rank_ - 1][k] = strides[k][d];
    }
    if (rank_ == 0) {
      rank_ = 1;
      shape_[0] = 1;
      strides_[0] = {};
    }
  }
  /// From one element of a row to the next, by the k-th strides.
  [[nodiscard]] const indices& steps() const noexcept { return strides_[rank_ - 1]; }
  [[nodiscard]] std::int64_t length() const noexcept { return shape_[rank_ - 1]; }
  /// Whether there is only one row.
  [[nodiscard]] bool is_one() const noexcept { return rank_ == 1; }

  /// Calls f(first, n): `first[k]` is the index of a row's first element by the k-th strides, n is
  /// its length.
  template <class F>
  void each(F&& f) const {
    indices first = {};
    std::array<std::int64_t, model::max_rank> at = {};
    const std::size_t outer = rank_ - 1;
    for (;;) {
      f(static_cast<const indices&>(first), shape_[outer]);
      std::size_t d = outer;
      for (; d != 0; --d) {
        for (std::size_t k = 0; k < count; ++k) first[k] += strides_[d - 1][k];
        if (++at[d - 1] != shape_[d - 1]) break;
        for (std::size_t k = 0; k < count; ++k) first[k] -= strides_[d - 1][k] * shape_[d - 1];
        at[d - 1] = 0;
      }
      if (d == 0) return;
    }
  }

 private:
  std::size_t rank_ = 0;
  std::array<std::int64_t, model::max_rank + 1> shape_ = {};
  std::array<indices, model::max_rank + 1> strides_ = {};
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_TENSOR_HPP
