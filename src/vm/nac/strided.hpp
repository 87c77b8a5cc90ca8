// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Axes of tensors, their orders and parts; copies in any order are tensor/strided.hpp's.
//
// Lifetime:   nothing is kept.
// Errors:     axes_of: nac_run_axis. expanded, permuted and narrowed: budget_memory.
// Limits:     none.
// Allocation: what expanded, permuted and narrowed give.

#ifndef TESSERA_VM_NAC_STRIDED_HPP
#define TESSERA_VM_NAC_STRIDED_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor.hpp"
#include "tensor/fold.hpp"
#include "tensor/strided.hpp"
#include "tensor/strided_rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

using tensors::groups;
using tensors::walk;

/// Distances of a dense tensor's elements along each axis.
struct strides {
  std::int64_t of[max_rank];
  explicit strides(const shape& dims) noexcept {
    std::int64_t n = 1;
    for (std::size_t i = dims.rank(); i-- != 0; n *= dims[i]) of[i] = n;
  }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const noexcept { return of[i]; }
};

/// The rows of a shape that operands broadcast to, by their indices; it has elements.
template <std::size_t N>
[[nodiscard]] tensors::rows<N, max_rank> broadcast_rows(
    const shape& to, const std::array<const shape*, N>& operands) noexcept {
  std::array<std::int64_t, max_rank> steps[N];
  std::array<std::span<const std::int64_t>, N> all;
  for (std::size_t k = 0; k < N; ++k) {
    const shape& own = *operands[k];
    const std::size_t added = to.rank() - own.rank();
    std::int64_t step = 1;
    for (std::size_t i = to.rank(); i-- > 0;) {
      const std::int64_t dim = i < added ? 1 : own[i - added];
      steps[k][i] = dim == 1 ? 0 : step;
      step *= dim;
    }
    all[k] = {steps[k].data(), to.rank()};
  }
  return {to.dims(), all};
}

[[nodiscard]] inline groups along(const shape& dims, std::size_t axis) noexcept {
  if (dims.rank() == 0) return {};
  return {dims.product(0, axis), dims[axis], dims.product(axis + 1, dims.rank())};
}

/// Which axes a list names, a bit for each; throws nac_run_axis for those that aren't there, and for
/// repeated ones.
[[nodiscard]] std::uint32_t axes_of(std::span<const std::int64_t> list, std::size_t rank);
[[nodiscard]] constexpr bool names(std::uint32_t axes, std::size_t axis) noexcept {
  return (axes >> axis & 1) != 0;
}

/// The elements in memory of their own.
[[nodiscard]] tensor copied(memory& arena, const tensor& x);
/// Some elements of a tensor: of any strides, from one on.
struct tensor_part {
  shape dims = {};
  std::int64_t first = 0;
  std::int64_t steps[max_rank] = {};

  tensor_part() noexcept {}
  /// All elements.
  explicit tensor_part(const shape& whole) noexcept : dims(whole) {
    const strides all(whole);
    std::copy_n(all.of, whole.rank(), steps);
  }
  /// One more axis, the innermost one.
  void add(std::int64_t size, std::int64_t step) {
    dims.push_back(size);
    steps[dims.rank() - 1] = step;
  }
  /// Only so many along an axis, every step-th one; of less than two, any step will do.
  void cut(std::size_t axis, std::int64_t start, std::int64_t count,
           std::int64_t step = 1) noexcept {
    first += start * steps[axis];
    steps[axis] = count < 2 ? 0 : steps[axis] * step;
    dims[axis] = count;
  }
};
/// Copies between parts of equal sizes.
void copy(const tensor& x, const tensor_part& from, const tensor& out,
          const tensor_part& to) noexcept;
/// The elements of a part, dense.
[[nodiscard]] tensor taken(memory& arena, const tensor& x, const tensor_part& p);
/// A copy of `x` with a dense tensor's elements in a part, which has that shape.
[[nodiscard]] tensor replaced(memory& arena, const tensor& x, const tensor_part& p,
                              const tensor& source);

/// Puts tensors, as the type of `out`, side by side along the axes from one on. `out` has elements.
void join(const tensor& out, std::size_t axis, std::span<const tensor* const> all);

/// A dense tensor with the axes of `x` in another order: axis i is order[i] of `x`.
[[nodiscard]] tensor permuted(memory& arena, const tensor& x, const std::size_t* order);
/// `x` with its elements repeated, as broadcasting to `dims` does; it must broadcast to that.
[[nodiscard]] tensor expanded(memory& arena, const tensor& x, const shape& dims);
/// A part of `x` along an axis; shares its elements where they lie side by side.
[[nodiscard]] tensor narrowed(memory& arena, const tensor& x, std::size_t axis, std::int64_t start,
                              std::int64_t count);
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_STRIDED_HPP
