// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What operations on elements by their indices share.
//
// Lifetime:   for one operation.
// Errors:     faults: nac_run_index, nac_run_type, nac_run_shape, budget_memory.
// Limits:     those of tensors.
// Allocation: results.

#ifndef TESSERA_VM_NAC_INDEXING_HPP
#define TESSERA_VM_NAC_INDEXING_HPP

#include <cstddef>
#include <cstdint>

#include "call.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

[[noreturn]] void refuse_index(std::int64_t i, std::int64_t size);

/// Indices of an index tensor, as int64. Throws nac_run_type for types other than int32 and int64.
[[nodiscard]] tensor indices_of(memory& arena, const tensor& t);

/// Letter 1, which replaces a part of letter 0 of that shape, in the type of that.
[[nodiscard]] tensor source_of(call& c, const shape& dims, const char* what);

/// The elements of `x` that the first `count` arguments of letter 1 choose, as index has them.
[[nodiscard]] tensor indexed(call& c, const tensor& x, std::size_t count);

/// The slices of `x` along an axis that a list of indices chooses.
[[nodiscard]] tensor selected(memory& arena, const tensor& x, std::size_t axis,
                              const tensor& index);

/// The indices [k, rank] of the elements that aren't 0.
[[nodiscard]] tensor nonzero_of(memory& arena, const tensor& x);

/// An axis of a tensor that has dimensions. Throws nac_run_axis.
[[nodiscard]] inline std::size_t axis_in(const tensor& x, std::int64_t axis) {
  if (x.rank() == 0)
    fail(errc::nac_run_axis, "axis ", axis, " of a tensor of rank 0; expected rank 1 or more");
  return axis_of(axis, x.rank());
}
/// A tensor of rank 0 as one of rank 1.
[[nodiscard]] inline tensor with_dimensions(const tensor& t) {
  return t.rank() == 0 ? t.with_shape({1}) : t;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_INDEXING_HPP
