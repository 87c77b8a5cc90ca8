// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What goes with maxima of windows: their elements back at their places, and windows at random places.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// An integer for each of the last `axes` dimensions, at least `least`.
[[nodiscard]] std::span<const std::int64_t> sizes_of(call& c, std::size_t letter, std::size_t axes,
                                                     std::int64_t least) {
  const std::span<const std::int64_t> list = c.int_list(letter);
  if (list.size() != axes)
    fail(errc::nac_run_argument, "a list of " + std::to_string(list.size()) +
                                     " integers; expected " + std::to_string(axes));
  for (const std::int64_t n : list)
    if (n < least || n > max_size)
      fail(errc::nac_run_argument, std::to_string(n) + " in a list; expected " +
                                       std::to_string(least) + " to " + std::to_string(max_size));
  return list;
}
void expect_image(const tensor& x, std::size_t axes) {
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected rank " +
                                  std::to_string(axes + 1) + " or " + std::to_string(axes + 2));
}

/// Zeros but for the elements of `x`, which are where the indices say, in each plane.
[[nodiscard]] value unpooled(call& c, std::size_t axes) {
  const tensor &x = c.tensor_at(0), &indices = c.tensor_at(1);
  expect_image(x, axes);
  if (indices.type != data_type::int64) refuse_type(indices.type, "i64");
  if (x.type == data_type::boolean) refuse_type(x.type, "any type but bool");
  if (!(indices.dims == x.dims)) refuse_shapes(x, indices);
  shape dims = leading(x.dims, axes);
  for (const std::int64_t n : sizes_of(c, 2, axes, 0)) dims.push_back(n);
  tensor out = filled(c.arena, x.type, dims, scalar{});
  const std::size_t planes = count_of(dims.product(0, dims.rank() - axes));
  const std::int64_t room = dims.product(dims.rank() - axes, dims.rank());
  const std::size_t each = planes == 0 ? 0 : x.size() / planes, size = model::size_of(x.type);
  for (std::size_t i = 0; i < planes * each; ++i) {
    const std::int64_t at = indices.as<std::int64_t>()[i];
    if (at < 0 || at >= room)
      fail(errc::nac_run_index,
           "index " + std::to_string(at) + "; expected 0 to " + std::to_string(room - 1));
    std::copy_n(x.data + i * size, size,
                out.data + (i / each * count_of(room) + count_of(at)) * size);
  }
  return out;
}

/// Where windows begin on an axis: about evenly, from a random place on; the last one at the end.
[[nodiscard]] std::vector<std::int64_t> starts_of(double sample, std::int64_t in, std::int64_t out,
                                                  std::int64_t kernel, bool in_float) {
  std::vector<std::int64_t> starts(count_of(out));
  const auto between = static_cast<double>(in - kernel), gaps = static_cast<double>(out - 1);
  // As PyTorch rounds it.
  const float alpha = static_cast<float>(in - kernel) / static_cast<float>(out - 1);
  const auto at = [&](std::int64_t i) {
    if (!in_float)
      return static_cast<std::int64_t>((static_cast<double>(i) + sample) * (between / gaps)) -
             static_cast<std::int64_t>(sample * (between / gaps));
    const auto s = static_cast<float>(sample);
    return static_cast<std::int64_t>((static_cast<float>(i) + s) * alpha) -
           static_cast<std::int64_t>(s * alpha);
  };
  for (std::int64_t i = 0; i + 1 < out; ++i) starts[count_of(i)] = at(i);
  if (out > 0) starts[count_of(out - 1)] = in - kernel;
  return starts;
}

/// Where the largest element of a window is, of a NaN the last one; sizes of three axes.
using sizes = std::array<std::int64_t, 3>;
[[nodiscard]] std::int64_t largest_in(const double* plane, const sizes& in, const sizes& window,
                                      const sizes& start) noexcept {
  std::int64_t largest = (start[0] * in[1] + start[1]) * in[2] + start[2];
  for (std::int64_t i = 0; i < window[0] * window[1] * window[2]; ++i) {
    const std::int64_t z = start[0] + i / (window[1] * window[2]);
    const std::int64_t y = start[1] + i / window[2] % window[1];
    const std::int64_t here = (z * in[1] + y) * in[2] + start[2] + i % window[2];
    if (plane[here] > plane[largest] || std::isnan(plane[here])) largest = here;
  }
  return largest;
}

/// Letters: input kernel_size output_size random_samples, of which each plane has one for each axis.
[[nodiscard]] value fractional(call& c, std::size_t axes) {
  const tensor &given = c.tensor_at(0), &samples = c.tensor_at(3);
  expect_image(given, axes);
  if (!is_floating(given.type)) refuse_type(given.type, "a floating-point type");
  expect_type(samples, given.type);
  const bool batched = given.rank() == axes + 2;
  const shape planes = leading(given.dims, axes);
  if (samples.rank() != 3 || samples.dim(2) != static_cast<std::int64_t>(axes) ||
      samples.dim(0) != (batched ? given.dim(0) : 1) || samples.dim(1) != planes[planes.rank() - 1])
    refuse_shapes(given, samples);
  const auto kernel = sizes_of(c, 1, axes, 1), to = sizes_of(c, 2, axes, 1);
  shape dims = planes;
  // Axes that are missing have one element.
  sizes in = {1, 1, 1}, out = {1, 1, 1}, window = {1, 1, 1};
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t k = 3 - axes + i;
    in[k] = given.dim(planes.rank() + i);
    out[k] = to[i];
    window[k] = kernel[i];
    if (out[k] + window[k] - 1 > in[k])
      fail(errc::nac_run_shape, "kernel size " + std::to_string(window[k]) + " and output size " +
                                    std::to_string(out[k]) + " for " + std::to_string(in[k]) +
                                    " elements; expected smaller ones");
    dims.push_back(to[i]);
  }
  const tensor x = cast(c.arena, given, data_type::float64);
  const tensor places = cast(c.arena, samples, data_type::float64);
  const tensor best = make_tensor(c.arena, data_type::float64, dims);
  tensor indices = make_tensor(c.arena, data_type::int64, dims);
  const std::size_t count = count_of(planes.product(0, planes.rank()));
  c.arena.charge(product_of_steps(best.size(), count_of(window[0] * window[1] * window[2]) * 2));
  std::size_t at = 0;
  for (std::size_t p = 0; p < count; ++p) {
    std::vector<std::int64_t> starts[3];
    for (std::size_t k = 0; k < 3; ++k) {
      // Planes have those of the last axis first, volumes those of the first.
      const std::size_t sample = axes == 2 ? 2 - k : k;
      starts[k] = k < 3 - axes ? std::vector<std::int64_t>{0}
                               : starts_of(places.as<double>()[p * axes + sample], in[k], out[k],
                                           window[k], given.type != data_type::float64);
    }
    const double* const plane = x.as<double>() + p * count_of(in[0] * in[1] * in[2]);
    for (const std::int64_t d : starts[0])
      for (const std::int64_t h : starts[1])
        for (const std::int64_t w : starts[2]) {
          const std::int64_t largest = largest_in(plane, in, window, {d, h, w});
          best.as<double>()[at] = plane[largest];
          indices.as<std::int64_t>()[at++] = largest;
        }
  }
  return value(std::vector<value>{cast(c.arena, best, given.type), std::move(indices)});
}

}  // namespace

value max_unpool2d(call& c) { return unpooled(c, 2); }
value max_unpool3d(call& c) {
  (void)sizes_of(c, 3, 3, 1);
  (void)sizes_of(c, 4, 3, 0);
  return unpooled(c, 3);
}
value fractional_max_pool2d(call& c) { return fractional(c, 2); }
value fractional_max_pool3d(call& c) { return fractional(c, 3); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
