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

#include "tensor/strided_rows.hpp"
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

template <std::size_t count>
using rows = tensors::rows<count, model::max_rank>;

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_TENSOR_HPP
