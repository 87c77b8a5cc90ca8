// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pools: the largest elements and the means of windows, which are regular, parts of each axis, or at
// random places; and maxima back at their places.

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "operations.hpp"
#include "planes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// Any tensor's last two dimensions.
[[nodiscard]] planes images_of(const tensor& x) {
  const std::size_t rank = x.rank();
  if (rank < 2 || x.dim(rank - 1) > max_size || x.dim(rank - 2) > max_size)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 2 or more, and at most ",
         max_size, " rows and columns");
  planes p;
  p.rank = 2;
  p.count = x.dims.product(0, rank - 2);
  p.in = {1, x.dim(rank - 2), x.dim(rank - 1)};
  return p;
}

/// The arguments kernel, stride and padding from letter 1 on, and how many windows there are.
void take_windows(call& c, planes& p, std::size_t dilation_letter, bool ceil_mode) {
  if (c.int_list(1).empty())
    fail(errc::nac_run_argument, "kernel_size is empty; expected 1 or ", p.rank, " numbers");
  p.kernel = p.around = sizes_or(c, 1, p.rank, p.kernel, "a kernel", 1);
  p.stride = sizes_or(c, 2, p.rank, p.kernel, "a stride", 1);
  p.padding = sizes_or(c, 3, p.rank, p.padding, "padding", 0);
  if (dilation_letter != 0)
    p.dilation = sizes_or(c, dilation_letter, p.rank, p.dilation, "a dilation", 1);
  for (std::size_t a = max_axes - p.rank; a < max_axes; ++a) {
    const std::int64_t kernel = p.kernel[a], stride = p.stride[a], padding = p.padding[a];
    if (padding > kernel / 2)
      fail(errc::nac_run_argument, "padding is ", padding, "; expected at most ", kernel / 2,
           ", half the kernel");
    const std::int64_t span =
        p.in[a] + 2 * padding - p.dilation[a] * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
    p.out[a] = span < 0 ? 0 : span / stride + 1;
    if (ceil_mode && (p.out[a] - 1) * stride >= p.in[a] + padding) --p.out[a];
    if (p.out[a] <= 0) refuse_kernel(p, a);
  }
}

/// Elements of one axis that a window has: first, first + step … before end.
struct stretch {
  std::int64_t first, end;
  std::int64_t share;  // the factor of this axis in what a mean divides by
};
[[nodiscard]] inline stretch stretch_at(const planes& p, std::size_t a, std::int64_t at,
                                        bool count_padding = true) noexcept {
  const std::int64_t step = p.dilation[a];
  std::int64_t first = at * p.stride[a] - p.padding[a];
  const std::int64_t end = std::min(first + (p.kernel[a] - 1) * step + 1, p.in[a]);
  // Padding after the planes counts, but not what ceil_mode added.
  const std::int64_t padded = std::min(first + p.kernel[a], p.in[a] + p.padding[a]) - first;
  if (first < 0) first += (-first + step - 1) / step * step;
  return {first, end, count_padding ? padded : end - first};
}

using stretches = std::array<stretch, max_axes>;
[[nodiscard]] bool is_empty(const stretches& s) noexcept {
  return s[0].first >= s[0].end || s[1].first >= s[1].end || s[2].first >= s[2].end;
}
/// Calls f(plane, stretches) for each element of the result, in its order; stretch_of(axis, at) gives
/// each of them.
template <class S, class F>
void each_window(const planes& p, S&& stretch_of, F&& f) {
  stretches s;
  for (std::int64_t n = 0; n < p.count; ++n)
    for (std::int64_t d = 0; d < p.out[0]; ++d) {
      s[0] = stretch_of(0, d);
      for (std::int64_t h = 0; h < p.out[1]; ++h) {
        s[1] = stretch_of(1, h);
        for (std::int64_t k = 0; k < p.out[2]; ++k) {
          s[2] = stretch_of(2, k);
          f(n, s);
        }
      }
    }
}
/// Calls f(index in the plane) for the elements of three stretches.
template <class F>
void each_inside(const planes& p, const stretches& s, const sizes& step, F&& f) {
  for (std::int64_t d = s[0].first; d < s[0].end; d += step[0])
    for (std::int64_t h = s[1].first; h < s[1].end; h += step[1])
      for (std::int64_t k = s[2].first; k < s[2].end; k += step[2])
        f((d * p.in[1] + h) * p.in[2] + k);
}

/// What any other element of a type is greater than, as a number.
template <class A>
[[nodiscard]] A lowest_of(data_type type) noexcept {
  if constexpr (std::is_floating_point_v<A>) return -std::numeric_limits<A>::infinity();
  return visit(type, []<class T>(of<T>) {
    if constexpr (is_float<T>)
      return A{};
    else
      return static_cast<A>(std::numeric_limits<T>::lowest());
  });
}

/// The results are made by f(x's elements, the results) as numbers.
template <class F>
[[nodiscard]] tensor in_wide(call& c, const tensor& x, const planes& p, F&& f) {
  const tensor wide = as_numbers(c.arena, x), out = make_tensor(c.arena, wide.type, p.result_of(x));
  charge_each(c, p, p.around);
  if (out.size() != 0) visit_numbers(x.type, [&]<class T>(of<T>) { f(wide.as<T>(), out.as<T>()); });
  return cast(c.arena, out, x.type);
}

constexpr std::int64_t max_narrow = 16;
/// One column of a kernel: the windows x from first to end have it in the plane, at shift + x * stride.
struct column {
  std::int64_t shift, first, end;
};
/// The largest of each window of a line of results, for all windows at once. A NaN stays.
template <class T>
void largest_on_lines(const planes& p, std::span<const column> columns, const T* plane,
                      const stretch& depth, const stretch& rows, T lowest, T* to) noexcept {
  const auto larger = [](T a, T b) { return b > a || b != b ? b : a; };
  const std::int64_t stride = p.stride[2];
  std::fill_n(to, p.out[2], lowest);
  for (std::int64_t d = depth.first; d < depth.end; d += p.dilation[0])
    for (std::int64_t h = rows.first; h < rows.end; h += p.dilation[1])
      for (const column& c : columns) {
        const T* const line = plane + (d * p.in[1] + h) * p.in[2];
        if (stride == 1)
          for (std::int64_t x = c.first; x < c.end; ++x) to[x] = larger(to[x], line[x + c.shift]);
        else
          for (std::int64_t x = c.first; x < c.end; ++x)
            to[x] = larger(to[x], line[x * stride + c.shift]);
      }
}
/// The largest of each window of kernels with at most max_narrow columns.
template <class T>
void largest_of_narrow(const planes& p, const T* from, T lowest, T* to) noexcept {
  column columns[max_narrow];
  const std::int64_t kernel = p.kernel[2], stride = p.stride[2], width = p.in[2];
  for (std::int64_t k = 0; k < kernel; ++k) {
    const std::int64_t shift = k * p.dilation[2] - p.padding[2];
    const std::int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    columns[k] = {shift, first,
                  shift >= width ? 0 : std::min(p.out[2], (width - 1 - shift) / stride + 1)};
  }
  for (std::int64_t n = 0; n < p.count; ++n, from += p.in_size())
    for (std::int64_t d = 0; d < p.out[0]; ++d)
      for (std::int64_t h = 0; h < p.out[1]; ++h, to += p.out[2])
        largest_on_lines(p, {columns, count_of(kernel)}, from, stretch_at(p, 0, d),
                         stretch_at(p, 1, h), lowest, to);
}

/// The largest element of each window, of NaNs the last one, and its index in the plane.
template <class T, class S>
void put_largest(const planes& p, const sizes& step, const T* all, T lowest, T* to,
                 std::int64_t* index, S&& stretch_of) noexcept {
  each_window(p, stretch_of, [&](std::int64_t n, const stretches& inside) {
    const T* const plane = all + n * p.in_size();
    std::int64_t best = (inside[0].first * p.in[1] + inside[1].first) * p.in[2] + inside[2].first;
    each_inside(p, inside, step, [&](std::int64_t i) {
      if (plane[i] > plane[best] || plane[i] != plane[i]) best = i;
    });
    // A wide dilation may step over all elements.
    *to++ = is_empty(inside) ? lowest : plane[best];
    if (index != nullptr) *index++ = best;
  });
}
template <class S>
[[nodiscard]] value largest(call& c, const tensor& x, const planes& p, const sizes& step,
                            bool with_indices, S&& stretch_of) {
  tensor places;
  if (with_indices) places = make_tensor(c.arena, data_type::int64, p.result_of(x));
  const tensor out = in_wide(c, x, p, [&]<class T>(const T* all, T* to) {
    put_largest(p, step, all, lowest_of<T>(x.type), to,
                with_indices ? places.as<std::int64_t>() : nullptr, stretch_of);
  });
  if (!with_indices) return out;
  return value(std::vector<value>{out, places});
}

[[nodiscard]] value max_pool(call& c, std::size_t rank, bool with_indices) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean || (rank == 1 && !with_indices && !is_floating(x.type)))
    refuse_type(x.type, rank == 1 ? "a floating-point type" : "any type but bool");
  planes p = rank == 2 && !with_indices ? planes_with_channels(x, rank) : planes_of(x, rank);
  take_windows(c, p, 4, c.truth_or(5, false));
  if (!with_indices && p.kernel[2] <= max_narrow)
    return in_wide(c, x, p, [&]<class T>(const T* from, T* to) {
      largest_of_narrow(p, from, lowest_of<T>(x.type), to);
    });
  return largest(c, x, p, p.dilation, with_indices,
                 [&](std::size_t a, std::int64_t at) { return stretch_at(p, a, at); });
}

/// Where a part of an axis is that is cut into p.out[a] parts, which overlap where it can't be even.
[[nodiscard]] inline stretch part_at(const planes& p, std::size_t a, std::int64_t at) noexcept {
  const std::int64_t first = at * p.in[a] / p.out[a];
  const std::int64_t end = ((at + 1) * p.in[a] + p.out[a] - 1) / p.out[a];
  return {first, end, end - first};
}
[[nodiscard]] planes adaptive_planes(call& c, const tensor& x, std::size_t rank,
                                     bool with_any_images = false) {
  expect_sizes(c, rank);
  const sizes out = sizes_or(c, 1, rank, {1, 1, 1}, "a size", 0);
  // The mean of whole images is defined for others too.
  const bool of_any = with_any_images && out == sizes{1, 1, 1};
  planes p = of_any ? images_of(x) : planes_of(x, rank);
  p.out = out;
  for (std::size_t a = 0; a < max_axes; ++a)
    p.around[a] = p.out[a] == 0 ? 1 : p.in[a] / p.out[a] + 2;
  return p;
}
[[nodiscard]] value adaptive_max(call& c, std::size_t rank) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const planes p = adaptive_planes(c, x, rank);
  return largest(c, x, p, {1, 1, 1}, true,
                 [&](std::size_t a, std::int64_t at) { return part_at(p, a, at); });
}

/// The sum of a window's elements, with a step of 1.
template <class Sum, class T>
[[nodiscard]] Sum sum_inside(const planes& p, const stretches& s, const T* plane) noexcept {
  Sum sum{};
  for (std::int64_t d = s[0].first; d < s[0].end; ++d)
    for (std::int64_t h = s[1].first; h < s[1].end; ++h) {
      const T* const line = plane + (d * p.in[1] + h) * p.in[2];
      for (std::int64_t k = s[2].first; k < s[2].end; ++k) sum += static_cast<Sum>(line[k]);
    }
  return sum;
}
/// Means of the windows, or sums divided by `divisor` if it isn't 0; 0 of an empty window.
template <class S>
[[nodiscard]] tensor means(call& c, const tensor& x, const planes& p, std::int64_t divisor,
                           S&& stretch_of) {
  return in_wide(c, x, p, [&]<class T>(const T* all, T* to) {
    using sum_type = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    each_window(p, stretch_of, [&](std::int64_t n, const stretches& s) {
      const std::int64_t by = divisor != 0 ? divisor : s[0].share * s[1].share * s[2].share;
      const auto sum = sum_inside<sum_type>(p, s, all + n * p.in_size());
      if (p.in_size() != 0 && is_empty(s))  // 0 / 0, NaN, of an image without elements
        *to++ = 0;
      else if constexpr (std::is_floating_point_v<T>)
        *to++ = static_cast<T>(sum / static_cast<double>(by));
      else
        *to++ = static_cast<T>(
            by == -1 ? 0 - sum : static_cast<sum_type>(static_cast<std::int64_t>(sum) / by));
    });
  });
}

[[nodiscard]] value avg_pool(call& c, std::size_t rank) {
  const tensor& x = c.tensor_at(0);
  // Of volumes PyTorch takes no halves, and wants them to hold a window.
  const bool is_half_type = widened(x.type) != x.type;
  if ((!is_floating(x.type) && x.type != data_type::int64) || (rank == 3 && is_half_type))
    refuse_type(x.type, rank == 3 ? "f32, f64 or i64" : "a floating-point type or i64");
  planes p = rank == 2 ? planes_with_channels(x, rank) : planes_of(x, rank);
  take_windows(c, p, 0, c.truth_or(4, false));
  for (std::size_t a = 0; rank == 3 && a < max_axes; ++a)
    if (p.kernel[a] > p.in[a])
      fail(errc::nac_run_shape, "kernel is ", p.kernel[a], "; expected at most ", p.in[a],
           ", the size of the axis");
  const bool count_padding = c.truth_or(5, true);
  const std::int64_t divisor = c.whole_or(6, 0);
  if (c.has(6) && divisor == 0)
    fail(errc::nac_run_argument, "divisor_override is 0; expected another number");
  return means(c, x, p, divisor,
               [&](std::size_t a, std::int64_t at) { return stretch_at(p, a, at, count_padding); });
}
[[nodiscard]] value adaptive_avg(call& c, std::size_t rank) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const planes p = adaptive_planes(c, x, rank, rank == 2);
  return means(c, x, p, 0, [&](std::size_t a, std::int64_t at) { return part_at(p, a, at); });
}

/// An integer for each of the last `axes` dimensions, at least `least`.
[[nodiscard]] std::span<const std::int64_t> sizes_of(call& c, std::size_t letter, std::size_t axes,
                                                     std::int64_t least) {
  const std::span<const std::int64_t> list = c.int_list(letter);
  if (list.size() != axes)
    fail(errc::nac_run_argument, "a list of ", list.size(), " integers; expected ", axes);
  for (const std::int64_t n : list)
    if (n < least || n > max_size)
      fail(errc::nac_run_argument, n, " in a list; expected ", least, " to ", max_size);
  return list;
}
void expect_image(const tensor& x, std::size_t axes) {
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank ", axes + 1, " or ", axes + 2);
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
    if (at < 0 || at >= room) fail(errc::nac_run_index, "index ", at, "; expected 0 to ", room - 1);
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

/// Letters: input kernel_size output_size random_samples, of which each plane has one for each axis.
[[nodiscard]] value fractional(call& c, std::size_t axes) {
  const tensor &given = c.tensor_at(0), &samples = c.tensor_at(3);
  planes p = planes_of(given, axes);
  if (!is_floating(given.type)) refuse_type(given.type, "a floating-point type");
  expect_type(samples, given.type);
  const shape dims = leading(given.dims, axes);
  if (samples.rank() != 3 || samples.dim(2) != static_cast<std::int64_t>(axes) ||
      samples.dim(0) != (given.rank() == axes + 2 ? given.dim(0) : 1) ||
      samples.dim(1) != dims[dims.rank() - 1])
    refuse_shapes(given, samples);
  const auto kernel = sizes_of(c, 1, axes, 1), to = sizes_of(c, 2, axes, 1);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t k = max_axes - axes + i;
    p.out[k] = to[i];
    p.around[k] = kernel[i];
    if (p.out[k] + kernel[i] - 1 > p.in[k])
      fail(errc::nac_run_shape, "kernel size ", kernel[i], " and output size ", p.out[k], " for ",
           p.in[k], " elements; expected smaller ones");
  }
  const tensor places = cast(c.arena, samples, data_type::float64);
  tensor indices = make_tensor(c.arena, data_type::int64, p.result_of(given));
  planes one = p;
  one.count = 1;
  const std::int64_t results = tensors::volume(p.out);
  const tensor best = in_wide(c, given, p, [&]<class T>(const T* all, T* largest) {
    for (std::int64_t n = 0; n < p.count; ++n) {
      std::vector<std::int64_t> starts[max_axes];
      for (std::size_t k = 0; k < max_axes; ++k) {
        // Planes have those of the last axis first, volumes those of the first.
        const std::size_t sample = count_of(n) * axes + (axes == 2 ? 2 - k : k);
        starts[k] = k < max_axes - axes ? std::vector<std::int64_t>{0}
                                        : starts_of(places.as<double>()[sample], p.in[k], p.out[k],
                                                    p.around[k], !std::is_same_v<T, double>);
      }
      put_largest(one, tensors::ones, all + n * p.in_size(), T{}, largest + n * results,
                  indices.as<std::int64_t>() + n * results, [&](std::size_t a, std::int64_t at) {
                    const std::int64_t first = starts[a][count_of(at)];
                    return stretch{first, first + p.around[a], 0};
                  });
    }
  });
  return value(std::vector<value>{best, std::move(indices)});
}

}  // namespace

value max_pool1d(call& c) { return max_pool(c, 1, false); }
value max_pool2d(call& c) { return max_pool(c, 2, false); }
value max_pool3d(call& c) { return max_pool(c, 3, false); }
value max_pool1d_with_indices(call& c) { return max_pool(c, 1, true); }
value max_pool2d_with_indices(call& c) { return max_pool(c, 2, true); }
value max_pool3d_with_indices(call& c) { return max_pool(c, 3, true); }
value avg_pool1d(call& c) { return avg_pool(c, 1); }
value avg_pool2d(call& c) { return avg_pool(c, 2); }
value avg_pool3d(call& c) { return avg_pool(c, 3); }
value adaptive_avg_pool1d(call& c) { return adaptive_avg(c, 1); }
value adaptive_avg_pool2d(call& c) { return adaptive_avg(c, 2); }
value adaptive_avg_pool3d(call& c) { return adaptive_avg(c, 3); }
value adaptive_max_pool1d(call& c) { return adaptive_max(c, 1); }
value adaptive_max_pool2d(call& c) { return adaptive_max(c, 2); }
value adaptive_max_pool3d(call& c) { return adaptive_max(c, 3); }

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
