// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Signals, images and volumes: planes of one to three axes after channels and maybe a batch.
//
//   planes p = planes_of(x, 2);
//   p.kernel = sizes_or(c, 1, p.rank, p.kernel, "a kernel", 1);
//
// Lifetime:   for one operation.
// Errors:     faults: nac_run_shape, nac_run_argument, budget_steps.
// Limits:     max_size elements along an axis.
// Allocation: none.

#ifndef TESSERA_VM_NAC_PLANES_HPP
#define TESSERA_VM_NAC_PLANES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "multiply.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

inline constexpr std::size_t max_axes = 3;
using sizes = tensors::triple;  // depth, height, width; 1 where there is none

/// Planes of `rank` axes, and the windows over them.
struct planes : tensors::windows {
  std::size_t rank = 0;
  std::int64_t count = 0;
  sizes around = tensors::ones;  // at most so many elements are in a window

  /// The shape of the result: that of `x` with other sizes.
  [[nodiscard]] shape result_of(const tensor& x) const {
    shape dims = x.dims;
    for (std::size_t a = 0; a < rank; ++a) dims[x.rank() - rank + a] = out[max_axes - rank + a];
    return dims;
  }
  [[nodiscard]] std::int64_t in_size() const { return tensors::volume(in); }
};

/// The last `rank` dimensions, after channels and maybe a batch.
[[nodiscard]] inline planes planes_of(const tensor& x, std::size_t rank) {
  if (x.rank() != rank + 1 && x.rank() != rank + 2)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected [batch,] channels and ", rank,
         " more dimensions");
  planes p;
  p.rank = rank;
  p.count = x.dims.product(0, x.rank() - rank);
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t d = x.dim(x.rank() - rank + a);
    if (d == 0 || d > max_size)
      fail(errc::nac_run_shape, "shape is ", x.dims, "; expected 1 to ", max_size,
           " elements in each of the last ", rank, " dimensions");
    p.in[max_axes - rank + a] = d;
  }
  return p;
}

/// The same, with elements but for the batch.
[[nodiscard]] inline planes planes_with_channels(const tensor& x, std::size_t rank) {
  const planes p = planes_of(x, rank);
  if (x.dim(x.rank() - rank - 1) == 0)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected at least 1 channel");
  return p;
}
/// By a letter, if it isn't missing or empty.
[[nodiscard]] inline sizes sizes_or(call& c, std::size_t letter, std::size_t rank,
                                    const sizes& otherwise, const char* what, std::int64_t least) {
  const std::span<const std::int64_t> given = c.int_list(letter);
  return given.empty() ? otherwise : sizes_of(given, rank, otherwise, least, what);
}

/// Letter 1 is a list of them.
inline void expect_sizes(call& c, std::size_t rank) {
  if (c.int_list(1).size() != rank)
    fail(errc::nac_run_argument, "a size with ", c.int_list(1).size(), " elements; expected ",
         rank);
}

/// Whether letter 1, sizes, is given, and not another one, scales: one of both is.
[[nodiscard]] inline bool is_by_size(const call& c, std::size_t scale_letter) {
  if (c.has(1) == c.has(scale_letter))
    fail(errc::nac_run_argument,
         c.has(1) ? "both output_size and scale_factors are given; expected one of them"
                  : "neither output_size nor scale_factors is given; expected one of them");
  return c.has(1);
}

[[noreturn]] inline void refuse_kernel(const planes& p, std::size_t a) {
  fail(errc::nac_run_shape, "kernel ", p.kernel[a], " with dilation ", p.dilation[a],
       " doesn't fit into an axis of ", p.in[a], " elements with padding ", p.padding[a]);
}
/// Charges for each element of the result those around its place.
inline void charge_each(call& c, const planes& p, const sizes& around) {
  std::uint64_t inside = 2;
  for (std::size_t a = 0; a < max_axes; ++a)
    inside = product_of_steps(inside, static_cast<std::uint64_t>(std::min(around[a], p.in[a])));
  const std::uint64_t steps = sum_of_steps(8, inside);
  std::uint64_t all = static_cast<std::uint64_t>(p.count);
  for (const std::int64_t n : p.out) all = product_of_steps(all, static_cast<std::uint64_t>(n));
  c.arena.charge(product_of_steps(all, steps));
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_PLANES_HPP
