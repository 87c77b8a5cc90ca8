// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Windows over signals, images and volumes of any rank: pools, columns, samples between elements.

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

constexpr std::size_t max_axes = 3;
using sizes = std::array<std::int64_t, max_axes>;  // depth, height, width; 1 where there is none

/// Planes of `rank` axes, and what to make of them.
struct planes {
  std::size_t rank = 0;
  std::int64_t count = 0;
  sizes in = {1, 1, 1}, out = {1, 1, 1};
  sizes around = {1, 1, 1};  // at most so many elements are in a window

  /// The shape of the result: that of `x` with other sizes.
  [[nodiscard]] shape result_of(const tensor& x) const {
    shape dims = x.dims;
    for (std::size_t a = 0; a < rank; ++a) dims[x.rank() - rank + a] = out[max_axes - rank + a];
    return dims;
  }
  [[nodiscard]] std::int64_t in_size() const { return in[0] * in[1] * in[2]; }
  [[nodiscard]] std::int64_t out_size() const { return out[0] * out[1] * out[2]; }
};

/// The last `rank` dimensions, after channels and maybe a batch.
[[nodiscard]] planes planes_of(const tensor& x, std::size_t rank) {
  if (x.rank() != rank + 1 && x.rank() != rank + 2)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected [batch,] channels and " +
                                  std::to_string(rank) + " more dimensions");
  planes p;
  p.rank = rank;
  p.count = x.dims.product(0, x.rank() - rank);
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t d = x.dim(x.rank() - rank + a);
    if (d == 0 || d > max_size)
      fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected 1 to " +
                                    std::to_string(max_size) + " elements in each of the last " +
                                    std::to_string(rank) + " dimensions");
    p.in[max_axes - rank + a] = d;
  }
  return p;
}

/// The same, with elements but for the batch.
[[nodiscard]] planes planes_with_channels(const tensor& x, std::size_t rank) {
  const planes p = planes_of(x, rank);
  if (x.dim(x.rank() - rank - 1) == 0)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected at least 1 channel");
  return p;
}
/// Any tensor's last two dimensions.
[[nodiscard]] planes images_of(const tensor& x) {
  const std::size_t rank = x.rank();
  if (rank < 2 || x.dim(rank - 1) > max_size || x.dim(rank - 2) > max_size)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() +
                                  "; expected rank 2 or more, and at most " +
                                  std::to_string(max_size) + " rows and columns");
  return {
      2, x.dims.product(0, rank - 2), {1, x.dim(rank - 2), x.dim(rank - 1)}, {1, 1, 1}, {1, 1, 1}};
}

/// A number for each axis, or one for all of them.
[[nodiscard]] sizes sizes_or(call& c, std::size_t letter, std::size_t rank, const sizes& otherwise,
                             const char* what, std::int64_t least) {
  const std::span<const std::int64_t> given = c.int_list(letter);
  if (given.empty()) return otherwise;
  if (given.size() != 1 && given.size() != rank)
    fail(errc::nac_run_argument, std::string(what) + " with " + std::to_string(given.size()) +
                                     " elements; expected 1 or " + std::to_string(rank));
  sizes s = {1, 1, 1};
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t v = given[given.size() == 1 ? 0 : a];
    if (v < least || v > max_size)
      fail(errc::nac_run_argument, std::string(what) + " of " + std::to_string(v) + "; expected " +
                                       std::to_string(least) + " to " + std::to_string(max_size));
    s[max_axes - rank + a] = v;
  }
  return s;
}

struct windows {
  sizes kernel = {1, 1, 1}, stride = {1, 1, 1}, padding = {0, 0, 0}, dilation = {1, 1, 1};
  bool count_padding = true;
};
/// Elements of one axis that a window has: first, first + step … before end.
struct stretch {
  std::int64_t first, end;
  std::int64_t share;  // the factor of this axis in what a mean divides by
};
[[nodiscard]] inline stretch stretch_at(const windows& w, const planes& p, std::size_t a,
                                        std::int64_t at) noexcept {
  std::int64_t first = at * w.stride[a] - w.padding[a];
  const std::int64_t end = std::min(first + (w.kernel[a] - 1) * w.dilation[a] + 1, p.in[a]);
  // Padding after the planes counts, but not what ceil_mode added.
  const std::int64_t padded = std::min(first + w.kernel[a], p.in[a] + w.padding[a]) - first;
  if (first < 0) first += (-first + w.dilation[a] - 1) / w.dilation[a] * w.dilation[a];
  return {first, end, w.count_padding ? padded : end - first};
}

/// The arguments kernel, stride and padding from letter 1 on, and how many windows there are.
[[nodiscard]] windows windows_of(call& c, planes& p, std::size_t dilation_letter, bool ceil_mode) {
  windows w;
  const std::size_t first = max_axes - p.rank;
  if (c.int_list(1).empty())
    fail(errc::nac_run_argument,
         "kernel_size is empty; expected 1 or " + std::to_string(p.rank) + " numbers");
  w.kernel = sizes_or(c, 1, p.rank, w.kernel, "a kernel", 1);
  w.stride = sizes_or(c, 2, p.rank, w.kernel, "a stride", 1);
  w.padding = sizes_or(c, 3, p.rank, w.padding, "padding", 0);
  for (std::size_t a = 0; a < first; ++a) w.padding[a] = 0;
  if (dilation_letter != 0)
    w.dilation = sizes_or(c, dilation_letter, p.rank, w.dilation, "a dilation", 1);
  for (std::size_t a = first; a < max_axes; ++a) {
    const std::int64_t kernel = w.kernel[a], stride = w.stride[a], padding = w.padding[a];
    if (padding > kernel / 2)
      fail(errc::nac_run_argument, "padding is " + std::to_string(padding) + "; expected at most " +
                                       std::to_string(kernel / 2) + ", half the kernel");
    const std::int64_t span =
        p.in[a] + 2 * padding - w.dilation[a] * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
    p.out[a] = span < 0 ? 0 : span / stride + 1;
    if (ceil_mode && (p.out[a] - 1) * stride >= p.in[a] + padding) --p.out[a];
    if (p.out[a] <= 0)
      fail(errc::nac_run_shape, "kernel " + std::to_string(kernel) + " with dilation " +
                                    std::to_string(w.dilation[a]) +
                                    " doesn't fit into an axis of " + std::to_string(p.in[a]) +
                                    " elements with padding " + std::to_string(padding));
  }
  p.around = w.kernel;
  return w;
}

/// Charges for each element of the result those around its place.
void charge_each(call& c, const planes& p, const sizes& around) {
  std::uint64_t inside = 2;
  for (std::size_t a = 0; a < max_axes; ++a)
    inside = product_of_steps(inside, static_cast<std::uint64_t>(std::min(around[a], p.in[a])));
  const std::uint64_t steps = sum_of_steps(8, inside);
  std::uint64_t all = static_cast<std::uint64_t>(p.count);
  for (const std::int64_t n : p.out) all = product_of_steps(all, static_cast<std::uint64_t>(n));
  c.arena.charge(product_of_steps(all, steps));
}

/// Calls f(plane, at) for each element of the result, in its order.
template <class F>
void each_result(const planes& p, F&& f) {
  for (std::int64_t n = 0; n < p.count; ++n) {
    sizes at;
    for (at[0] = 0; at[0] < p.out[0]; ++at[0])
      for (at[1] = 0; at[1] < p.out[1]; ++at[1])
        for (at[2] = 0; at[2] < p.out[2]; ++at[2]) f(n, at);
  }
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
void largest_on_lines(const windows& w, const planes& p, std::span<const column> columns,
                      const T* plane, const stretch& depth, const stretch& rows, T lowest,
                      T* to) noexcept {
  const auto larger = [](T a, T b) { return b > a || b != b ? b : a; };
  const std::int64_t stride = w.stride[2];
  std::fill_n(to, p.out[2], lowest);
  for (std::int64_t d = depth.first; d < depth.end; d += w.dilation[0])
    for (std::int64_t h = rows.first; h < rows.end; h += w.dilation[1])
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
void largest_of_narrow(const windows& w, const planes& p, const T* from, T lowest, T* to) noexcept {
  column columns[max_narrow];
  const std::int64_t kernel = w.kernel[2], stride = w.stride[2], width = p.in[2];
  for (std::int64_t k = 0; k < kernel; ++k) {
    const std::int64_t shift = k * w.dilation[2] - w.padding[2];
    const std::int64_t first = shift < 0 ? (-shift + stride - 1) / stride : 0;
    columns[k] = {shift, first,
                  shift >= width ? 0 : std::min(p.out[2], (width - 1 - shift) / stride + 1)};
  }
  for (std::int64_t n = 0; n < p.count; ++n, from += p.in_size())
    for (std::int64_t d = 0; d < p.out[0]; ++d)
      for (std::int64_t h = 0; h < p.out[1]; ++h, to += p.out[2])
        largest_on_lines(w, p, {columns, count_of(kernel)}, from, stretch_at(w, p, 0, d),
                         stretch_at(w, p, 1, h), lowest, to);
}

/// The largest elements of the windows, and their indices in the plane.
template <class S>
[[nodiscard]] value largest(call& c, const tensor& x, const planes& p, const sizes& step,
                            bool with_indices, S&& stretch_of) {
  tensor places;
  if (with_indices) places = make_tensor(c.arena, data_type::int64, p.result_of(x));
  const tensor out = in_wide(c, x, p, [&]<class T>(const T* all, T* to) {
    std::int64_t* index = with_indices ? places.as<std::int64_t>() : nullptr;
    const T lowest = lowest_of<T>(x.type);
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
  });
  if (!with_indices) return out;
  return value(std::vector<value>{out, places});
}

[[nodiscard]] value max_pool(call& c, std::size_t rank, bool with_indices) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean || (rank == 1 && !with_indices && !is_floating(x.type)))
    refuse_type(x.type, rank == 1 ? "a floating-point type" : "any type but bool");
  planes p = rank == 2 && !with_indices ? planes_with_channels(x, rank) : planes_of(x, rank);
  const windows w = windows_of(c, p, 4, c.truth_or(5, false));
  if (!with_indices && w.kernel[2] <= max_narrow)
    return in_wide(c, x, p, [&]<class T>(const T* from, T* to) {
      largest_of_narrow(w, p, from, lowest_of<T>(x.type), to);
    });
  return largest(c, x, p, w.dilation, with_indices,
                 [&](std::size_t a, std::int64_t at) { return stretch_at(w, p, a, at); });
}

/// Where a part of an axis is that is cut into p.out[a] parts, which overlap where it can't be even.
[[nodiscard]] inline stretch part_at(const planes& p, std::size_t a, std::int64_t at) noexcept {
  const std::int64_t first = at * p.in[a] / p.out[a];
  const std::int64_t end = ((at + 1) * p.in[a] + p.out[a] - 1) / p.out[a];
  return {first, end, end - first};
}
[[nodiscard]] planes adaptive_planes(call& c, const tensor& x, std::size_t rank,
                                     bool with_any_images = false) {
  if (c.int_list(1).size() != rank)
    fail(errc::nac_run_argument, "a size with " + std::to_string(c.int_list(1).size()) +
                                     " elements; expected " + std::to_string(rank));
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
  windows w = windows_of(c, p, 0, c.truth_or(4, false));
  for (std::size_t a = 0; rank == 3 && a < max_axes; ++a)
    if (w.kernel[a] > p.in[a])
      fail(errc::nac_run_shape, "kernel is " + std::to_string(w.kernel[a]) + "; expected at most " +
                                    std::to_string(p.in[a]) + ", the size of the axis");
  w.count_padding = c.truth_or(5, true);
  const std::int64_t divisor = c.whole_or(6, 0);
  if (c.has(6) && divisor == 0)
    fail(errc::nac_run_argument, "divisor_override is 0; expected another number");
  return means(c, x, p, divisor,
               [&](std::size_t a, std::int64_t at) { return stretch_at(w, p, a, at); });
}
[[nodiscard]] value adaptive_avg(call& c, std::size_t rank) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const planes p = adaptive_planes(c, x, rank, rank == 2);
  return means(c, x, p, 0, [&](std::size_t a, std::int64_t at) { return part_at(p, a, at); });
}

// ---- between elements

/// The elements of an axis that make one of the result, and their shares.
struct taps {
  std::int64_t at[4];
  double share[4];
  std::size_t count;
};

/// Weights of the four neighbours of a place `t` after the second one, with PyTorch's coefficient.
void cubic(double t, double (&share)[4]) noexcept {
  constexpr double k = -0.75;
  const auto near = [](double d) { return ((k + 2) * d - (k + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((k * d - 5 * k) * d + 8 * k) * d - 4 * k; };
  share[0] = far(t + 1);
  share[1] = near(t);
  share[2] = near(1 - t);
  share[3] = far(2 - t);
}

enum class between : std::uint8_t { nearest, exact, linear, cubic };

[[nodiscard]] taps taps_at(between how, std::int64_t i, std::int64_t in, std::int64_t out,
                           double scale, bool align) {
  const double step =
      align       ? (out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0)
      : scale > 0 ? 1 / scale
                  : static_cast<double>(in) / static_cast<double>(out);
  const auto at = static_cast<double>(i);
  taps t{};
  if (in == out && (how == between::nearest || how == between::linear)) {  // whatever the scale
    t.at[0] = i;
    t.share[0] = 1;
    t.count = 1;
    return t;
  }
  if (how == between::nearest || how == between::exact) {
    // PyTorch's own rule, in float.
    const float place =
        (static_cast<float>(at) + (how == between::exact ? 0.5f : 0.0f)) * static_cast<float>(step);
    t.at[0] = std::min(convert<std::int64_t>(std::floor(place)), in - 1);
    t.share[0] = 1;
    t.count = 1;
    return t;
  }
  double place = align ? at * step : (at + 0.5) * step - 0.5;
  if (how == between::linear) {
    place = std::max(place, 0.0);
    t.at[0] = std::min(static_cast<std::int64_t>(place), in - 1);
    t.at[1] = std::min(t.at[0] + 1, in - 1);
    t.share[1] = std::min(std::max(place - static_cast<double>(t.at[0]), 0.0), 1.0);
    t.share[0] = 1 - t.share[1];
    t.count = 2;
    return t;
  }
  const double below = std::floor(place);
  cubic(place - below, t.share);
  for (std::int64_t k = 0; k < 4; ++k)
    t.at[k] = std::min(std::max(static_cast<std::int64_t>(below) - 1 + k, std::int64_t{0}), in - 1);
  t.count = 4;
  return t;
}

/// Elements of [N, C, sizes …] between those of `x`.
[[nodiscard]] tensor resampled(call& c, const tensor& x, between how, const sizes& out,
                               const std::array<double, max_axes>& scales, bool align) {
  if (!is_floating(x.type) && x.type != data_type::uint8)
    refuse_type(x.type, "a floating-point type or u8");
  const bool takes_bytes = how == between::nearest || how == between::exact;
  if (x.type == data_type::uint8 && !takes_bytes)
    refuse_type(x.type, "a floating-point type, as the mode interpolates");
  planes p = planes_of(x, x.rank() - 2);
  if (x.dim(1) == 0)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected at least 1 channel");
  p.out = out;
  charge_each(c, p, {4, 4, 4});
  tensor result = make_tensor(c.arena, x.type, p.result_of(x));
  if (result.size() == 0) return result;
  std::array<std::vector<taps>, max_axes> of;
  for (std::size_t a = 0; a < max_axes; ++a) {
    (void)c.arena.take(static_cast<std::uint64_t>(p.out[a]) * sizeof(taps));
    const bool is_there = a >= max_axes - p.rank;
    for (std::int64_t i = 0; i < p.out[a]; ++i)
      of[a].push_back(is_there ? taps_at(how, i, p.in[a], p.out[a], scales[a], align)
                               : taps{{0}, {1}, 1});
  }
  const auto size = static_cast<std::int64_t>(model::size_of(x.type));
  if (takes_bytes) {
    tensors::with_word(count_of(size), [&]<class T>(nac::of<T>) {
      std::byte* to = result.data;
      each_result(p, [&](std::int64_t n, const sizes& at) {
        const auto from = [&](std::size_t a) { return of[a][count_of(at[a])].at[0]; };
        const std::int64_t place = (from(0) * p.in[1] + from(1)) * p.in[2] + from(2);
        std::memcpy(to, x.data + (n * p.in_size() + place) * size, sizeof(T));
        to += sizeof(T);
      });
    });
    return result;
  }
  const tensor wide = as_numbers(c.arena, x), sums = make_tensor(c.arena, wide.type, result.dims);
  visit_wide(x.type, [&]<class T>(nac::of<T>) {
    const T* const all = wide.as<T>();
    T* to = sums.as<T>();
    each_result(p, [&](std::int64_t n, const sizes& at) {
      const T* const plane = all + n * p.in_size();
      const taps &d = of[0][static_cast<std::size_t>(at[0])],
                 &h = of[1][static_cast<std::size_t>(at[1])],
                 &w = of[2][static_cast<std::size_t>(at[2])];
      double sum = 0;
      for (std::size_t i = 0; i < d.count; ++i)
        for (std::size_t j = 0; j < h.count; ++j)
          for (std::size_t k = 0; k < w.count; ++k)
            sum += d.share[i] * h.share[j] * w.share[k] *
                   static_cast<double>(plane[(d.at[i] * p.in[1] + h.at[j]) * p.in[2] + w.at[k]]);
      *to++ = static_cast<T>(sum);
    });
  });
  return cast(c.arena, sums, x.type);
}

/// By a size, or by scales, which then are those of the rule.
[[nodiscard]] value upsample_by(call& c, between how, std::size_t align_letter,
                                std::size_t scale_letter) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() < 3 || x.rank() > 5)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() + "; expected batch, channels and 1 to 3 more dimensions");
  const std::size_t rank = x.rank() - 2, first = max_axes - rank;
  const bool by_size = c.has(1), by_scale = c.has(scale_letter);
  if (by_size == by_scale)
    fail(errc::nac_run_argument,
         by_size ? "both output_size and scale_factors are given; expected one of them"
                 : "neither output_size nor scale_factors is given; expected one of them");
  sizes out = {1, 1, 1};
  std::array<double, max_axes> scales = {};
  if (by_size) {
    out = sizes_or(c, 1, rank, out, "a size", 1);
  } else {
    const std::span<const double> given = c.numbers(scale_letter);
    if (given.size() != 1 && given.size() != rank)
      fail(errc::nac_run_argument,
           std::to_string(given.size()) + " scales; expected 1 or " + std::to_string(rank));
    for (std::size_t a = 0; a < rank; ++a) {
      const double s = given[given.size() == 1 ? 0 : a];
      const double size = std::floor(static_cast<double>(x.dim(2 + a)) * s);
      if (!(size >= 1) || size > static_cast<double>(max_size))
        fail(errc::nac_run_argument,
             "scale is " + std::to_string(s) + " for an axis of " + std::to_string(x.dim(2 + a)) +
                 " elements; expected an output of 1 to " + std::to_string(max_size));
      scales[first + a] = s;
      out[first + a] = static_cast<std::int64_t>(size);
    }
  }
  return resampled(c, x, how, out, scales, align_letter != 0 && c.truth_or(align_letter, false));
}
/// To a size; one optional scale for each axis from `scale_letter` on.
[[nodiscard]] value upsample_to(call& c, between how, std::size_t align_letter,
                                std::size_t scale_letter) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() < 3 || x.rank() > 5)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() + "; expected batch, channels and 1 to 3 more dimensions");
  const std::size_t rank = x.rank() - 2;
  if (c.int_list(1).size() != rank)
    fail(errc::nac_run_argument, "a size with " + std::to_string(c.int_list(1).size()) +
                                     " elements; expected " + std::to_string(rank));
  const sizes out = sizes_or(c, 1, rank, {1, 1, 1}, "a size", 1);
  std::array<double, max_axes> scales = {};
  for (std::size_t a = 0; a < rank; ++a)
    scales[max_axes - rank + a] = c.real_or(scale_letter + a, 0);
  return resampled(c, x, how, out, scales, align_letter != 0 && c.truth_or(align_letter, false));
}

// ---- grids

enum class outside : std::uint8_t { zeros, border, reflection };

/// A place outside of [low, high] mirrored into it.
[[nodiscard]] double reflected(double x, double low, double high) noexcept {
  if (high <= low) return 0;
  const double span = high - low, over = std::fabs(x - low);
  const double extra = std::fmod(over, span);
  return std::fmod(std::floor(over / span), 2.0) == 0 ? extra + low : high - extra;
}

/// A coordinate of [-1, 1] as a place among `size` elements.
[[nodiscard]] double place_of(double x, std::int64_t size, bool align) noexcept {
  const auto n = static_cast<double>(size);
  return align ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
}
[[nodiscard]] double kept_inside(double place, std::int64_t size, outside how,
                                 bool align) noexcept {
  const auto n = static_cast<double>(size);
  if (how == outside::reflection)
    place = align ? reflected(place, 0, n - 1) : reflected(place, -0.5, n - 0.5);
  if (how != outside::zeros) place = std::min(std::max(place, 0.0), n - 1);
  return place;
}

/// The elements of an axis that make the one at a place; those that are nowhere are -1.
[[nodiscard]] taps taps_of_place(between how, double x, std::int64_t size, outside beyond,
                                 bool align) {
  taps t{};
  double place = place_of(x, size, align);
  const auto known = [&](double v) {  // an element, or nothing
    if (how == between::cubic) v = kept_inside(v, size, beyond, align);
    return v >= 0 && v <= static_cast<double>(size - 1) ? static_cast<std::int64_t>(v)
                                                        : std::int64_t{-1};
  };
  if (how != between::cubic) place = kept_inside(place, size, beyond, align);
  const double below = std::floor(place);
  if (how == between::nearest) {
    t.at[0] = known(std::nearbyint(place));
    t.share[0] = 1;
    t.count = 1;
  } else if (how == between::linear) {
    t.at[0] = known(below);
    t.at[1] = known(below + 1);
    t.share[1] = place - below;
    t.share[0] = 1 - t.share[1];
    t.count = 2;
  } else {
    cubic(place - below, t.share);
    for (int k = 0; k < 4; ++k) t.at[k] = known(below - 1 + k);
    t.count = 4;
  }
  return t;
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

value upsample_linear(call& c) { return upsample_by(c, between::linear, 2, 3); }
value upsample_linear_to(call& c) { return upsample_to(c, between::linear, 2, 3); }
value upsample_cubic(call& c) { return upsample_by(c, between::cubic, 2, 3); }
value upsample_cubic_to(call& c) { return upsample_to(c, between::cubic, 2, 3); }
value upsample_nearest_nd(call& c) { return upsample_by(c, between::nearest, 0, 2); }
value upsample_nearest_nd_to(call& c) { return upsample_to(c, between::nearest, 0, 2); }
value upsample_nearest_exact(call& c) { return upsample_by(c, between::exact, 0, 2); }
value upsample_nearest_exact_to(call& c) { return upsample_to(c, between::exact, 0, 2); }

namespace {

/// Pixels of [N, C, H, W] by the size in `out`; scales where they were given and mean something.
[[nodiscard]] tensor nearest(call& c, const tensor& x, const std::int64_t (&out)[2],
                             const double (&scales)[2]) {
  if (!is_floating(x.type) && x.type != data_type::uint8)
    refuse_type(x.type, "a floating-point type or u8");
  if (x.rank() != 4)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() + "; expected rank 4: batch, channels, height, width");
  planes p = planes_with_channels(x, 2);
  for (std::size_t a = 0; a < 2; ++a) {
    if (out[a] <= 0)
      fail(errc::nac_run_argument,
           "the output size is " + std::to_string(out[a]) + "; expected at least 1");
    p.out[a + 1] = out[a];
  }
  const tensor result = make_tensor(c.arena, x.type, p.result_of(x));
  if (result.size() == 0) return result;
  // PyTorch's own rule, in float: sizes that are equal or double are exact.
  const auto source = [&](std::size_t a, std::int64_t at) {
    const std::int64_t in = p.in[a + 1], n = p.out[a + 1];
    if (n == in) return at;
    if (n == 2 * in) return at / 2;
    const float step = scales[a] > 0 ? static_cast<float>(1 / scales[a])
                                     : static_cast<float>(in) / static_cast<float>(n);
    return std::min(convert<std::int64_t>(std::floor(static_cast<float>(at) * step)), in - 1);
  };
  const storage held = c.arena.take(count_of(p.out[2]) * sizeof(std::int64_t));
  auto* const columns = static_cast<std::int64_t*>(static_cast<void*>(held.data()));
  for (std::int64_t k = 0; k < p.out[2]; ++k) columns[k] = source(1, k);
  tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    const std::byte* image = x.data;
    std::byte* to = result.data;
    for (std::int64_t n = 0; n < p.count; ++n, image += p.in_size() * size)
      for (std::int64_t y = 0; y < p.out[1]; ++y) {
        const std::byte* const row = image + source(0, y) * p.in[2] * size;
        for (std::int64_t k = 0; k < p.out[2]; ++k, to += size)
          std::memcpy(to, row + columns[k] * size, sizeof(T));
      }
  });
  return result;
}

}  // namespace

value upsample_nearest(call& c) {
  const tensor& x = c.tensor_at(0);
  const bool by_size = c.has(1), by_scale = c.has(2);
  if (by_size == by_scale)
    fail(errc::nac_run_argument,
         by_size ? "both output_size and scale_factors are given; expected one of them"
                 : "neither output_size nor scale_factors is given; expected one of them");
  std::int64_t out[2];
  double scales[2] = {};
  if (by_size) {
    const std::span<const std::int64_t> size = c.int_list(1);
    if (size.size() != 2)
      fail(errc::nac_run_argument,
           "a size with " + std::to_string(size.size()) + " elements; expected 2");
    std::copy_n(size.data(), 2, out);
  } else {
    const std::span<const double> given = c.numbers(2);
    // Files have one number for both too.
    if (given.empty() || given.size() > 2)
      fail(errc::nac_run_argument, std::to_string(given.size()) + " scales; expected 1 or 2");
    scales[0] = given.front();
    scales[1] = given.back();
    if (x.rank() != 4)
      fail(errc::nac_run_shape,
           "shape is " + x.dims.text() + "; expected rank 4: batch, channels, height, width");
    for (std::size_t a = 0; a < 2; ++a)
      out[a] = convert<std::int64_t>(static_cast<double>(x.dim(2 + a)) * scales[a]);
  }
  return nearest(c, x, out, scales);
}

value upsample_nearest_to(call& c) {
  const std::span<const std::int64_t> size = c.int_list(1);
  if (size.size() != 2)
    fail(errc::nac_run_argument,
         "a size with " + std::to_string(size.size()) + " elements; expected 2");
  return nearest(c, c.tensor_at(0), {size[0], size[1]}, {c.real_or(2, 0), c.real_or(3, 0)});
}

namespace {

/// The elements of a plane by their shares; those outside are 0.
template <class T>
[[nodiscard]] double sum_of_taps(const taps (&t)[max_axes], const T* plane, const planes& p) {
  double sum = 0;
  for (std::size_t i = 0; i < t[0].count; ++i)
    for (std::size_t j = 0; j < t[1].count; ++j)
      for (std::size_t k = 0; k < t[2].count; ++k) {
        if (t[0].at[i] < 0 || t[1].at[j] < 0 || t[2].at[k] < 0) continue;
        sum +=
            t[0].share[i] * t[1].share[j] * t[2].share[k] *
            static_cast<double>(plane[(t[0].at[i] * p.in[1] + t[1].at[j]) * p.in[2] + t[2].at[k]]);
      }
  return sum;
}

}  // namespace

value grid_sampler(call& c) {
  const tensor &x = c.tensor_at(0), &grid = c.tensor_at(1);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  expect_type(grid, x.type);
  const std::int64_t mode = c.whole_or(2, 0), padding = c.whole_or(3, 0);
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    fail(errc::nac_run_argument, "interpolation_mode is " + std::to_string(mode) +
                                     " and padding_mode " + std::to_string(padding) +
                                     "; expected 0 to 2");
  const bool align = c.truth_or(4, false);
  constexpr between modes[] = {between::linear, between::nearest, between::cubic};
  const between how = modes[mode];
  const auto beyond = static_cast<outside>(padding);
  const std::size_t rank = x.rank() < 2 ? 0 : x.rank() - 2;
  if ((rank != 2 && rank != 3) || grid.rank() != x.rank() || grid.dim(0) != x.dim(0) ||
      grid.dim(grid.rank() - 1) != static_cast<std::int64_t>(rank))
    fail(errc::nac_run_shape,
         "input has shape " + x.dims.text() + " and grid " + grid.dims.text() +
             "; expected rank 4 or 5 for both, the same batch, and as many coordinates in the last "
             "axis of the grid as the image has dimensions");
  if (rank == 3 && how == between::cubic)
    fail(errc::nac_run_argument,
         "interpolation_mode is 2, cubic, for volumes; expected 0 or 1, bilinear or nearest");
  planes p = planes_of(x, rank);
  for (std::size_t a = 0; a < rank; ++a) p.out[max_axes - rank + a] = grid.dim(1 + a);
  charge_each(c, p, {4, 4, 4});
  const tensor wide = as_numbers(c.arena, x), wide_grid = as_numbers(c.arena, grid),
               out = make_tensor(c.arena, wide.type, p.result_of(x));
  if (out.size() == 0) return cast(c.arena, out, x.type);
  const std::int64_t channels = x.dim(1);
  visit_wide(x.type, [&]<class T>(of<T>) {
    const T* const all = wide.as<T>();
    const T* const places = wide_grid.as<T>();
    T* to = out.as<T>();
    each_result(p, [&](std::int64_t n, const sizes& at) {
      const std::int64_t point =
          ((n / channels * p.out[0] + at[0]) * p.out[1] + at[1]) * p.out[2] + at[2];
      taps t[max_axes] = {{{0}, {1}, 1}, {{0}, {1}, 1}, {{0}, {1}, 1}};
      for (std::size_t k = 0; k < rank; ++k) {  // the last axis comes first
        const std::size_t a = max_axes - 1 - k;
        const auto place = static_cast<double>(
            places[point * static_cast<std::int64_t>(rank) + static_cast<std::int64_t>(k)]);
        t[a] = taps_of_place(how, place, p.in[a], beyond, align);
      }
      const T* const plane = all + n * p.in_size();
      *to++ = static_cast<T>(sum_of_taps(t, plane, p));
    });
  });
  return cast(c.arena, out, x.type);
}

value affine_grid_generator(call& c) {
  const tensor& theta = c.tensor_at(0);
  if (!is_floating(theta.type)) refuse_type(theta.type, "a floating-point type");
  const shape size(c.int_list(1));
  const bool align = c.truth_or(2, false);
  const std::size_t rank = size.rank() < 2 ? 0 : size.rank() - 2;
  if ((rank != 2 && rank != 3) || !(theta.dims == shape({size[0], static_cast<std::int64_t>(rank),
                                                         static_cast<std::int64_t>(rank) + 1})))
    fail(errc::nac_run_shape,
         "theta has shape " + theta.dims.text() + " and size is " + size.text() +
             "; expected [N, 2, 3] for [N, C, H, W] or [N, 3, 4] for [N, C, D, H, W]");
  shape dims;
  for (std::size_t i = 0; i < size.rank(); ++i)
    if (i != 1) dims.push_back(size[i]);
  dims.push_back(static_cast<std::int64_t>(rank));
  const tensor wide = as_numbers(c.arena, theta), out = make_tensor(c.arena, wide.type, dims);
  planes p;
  p.rank = rank;
  p.count = size[0];
  for (std::size_t a = 0; a < rank; ++a) p.out[max_axes - rank + a] = size[2 + a];
  const auto place = [&](std::size_t a, std::int64_t i) {
    const auto n = static_cast<double>(p.out[a]), at = static_cast<double>(i);
    if (align) return p.out[a] > 1 ? at * 2 / (n - 1) - 1 : 0.0;
    return (2 * at + 1) / n - 1;
  };
  visit_wide(theta.type, [&]<class T>(of<T>) {
    const T* const maps = wide.as<T>();
    T* to = out.as<T>();
    if (out.size() == 0) return;
    each_result(p, [&](std::int64_t n, const sizes& at) {
      for (std::size_t row = 0; row < rank; ++row) {
        const T* const map = maps + (static_cast<std::size_t>(n) * rank + row) * (rank + 1);
        double sum = static_cast<double>(map[rank]);
        for (std::size_t k = 0; k < rank; ++k)
          sum += static_cast<double>(map[k]) * place(max_axes - 1 - k, at[max_axes - 1 - k]);
        *to++ = static_cast<T>(sum);
      }
    });
  });
  return cast(c.arena, out, theta.type);
}

// ---- columns

namespace {

/// The arguments kernel, dilation, padding and stride of columns, and how many windows there are.
[[nodiscard]] windows columns_of(call& c, std::size_t letter, planes& p) {
  windows w;
  w.kernel = sizes_or(c, letter, 2, w.kernel, "a kernel", 1);
  w.dilation = sizes_or(c, letter + 1, 2, w.dilation, "a dilation", 1);
  w.padding = sizes_or(c, letter + 2, 2, w.padding, "padding", 0);
  w.padding[0] = 0;
  w.stride = sizes_or(c, letter + 3, 2, w.stride, "a stride", 1);
  for (std::size_t a = 1; a < max_axes; ++a) {
    const std::int64_t span = p.in[a] + 2 * w.padding[a] - w.dilation[a] * (w.kernel[a] - 1) - 1;
    if (span < 0)
      fail(errc::nac_run_shape, "kernel " + std::to_string(w.kernel[a]) + " with dilation " +
                                    std::to_string(w.dilation[a]) +
                                    " doesn't fit into an axis of " + std::to_string(p.in[a]) +
                                    " elements with padding " + std::to_string(w.padding[a]));
    p.out[a] = span / w.stride[a] + 1;
  }
  return w;
}

/// Calls f(place in the columns, place in the planes) for all pairs that there are.
template <class F>
void each_pair(const windows& w, const planes& p, F&& f) {
  std::int64_t column = 0;
  const auto each_window = [&](std::int64_t n, std::int64_t i, std::int64_t j) {
    for (std::int64_t y = 0; y < p.out[1]; ++y)
      for (std::int64_t x = 0; x < p.out[2]; ++x, ++column) {
        const std::int64_t h = y * w.stride[1] - w.padding[1] + i * w.dilation[1];
        const std::int64_t k = x * w.stride[2] - w.padding[2] + j * w.dilation[2];
        if (h >= 0 && h < p.in[1] && k >= 0 && k < p.in[2])
          f(column, (n * p.in[1] + h) * p.in[2] + k);
      }
  };
  for (std::int64_t n = 0; n < p.count; ++n)
    for (std::int64_t i = 0; i < w.kernel[1]; ++i)
      for (std::int64_t j = 0; j < w.kernel[2]; ++j) each_window(n, i, j);
}
[[nodiscard]] std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t n = 0;
  if (__builtin_mul_overflow(a, b, &n)) fail(errc::budget_memory);
  return n;
}

}  // namespace

value im2col(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type) && x.type != data_type::boolean)
    refuse_type(x.type, "a floating-point type or bool");
  planes p = planes_of(x, 2);
  const windows w = columns_of(c, 1, p);
  const std::int64_t channels = x.dim(x.rank() - 3);
  shape dims;
  if (x.rank() == 4) dims.push_back(x.dim(0));
  dims.push_back(times(times(channels, w.kernel[1]), w.kernel[2]));
  dims.push_back(times(p.out[1], p.out[2]));
  tensor out = make_tensor(c.arena, x.type, dims);
  if (out.size() == 0) return out;
  std::memset(out.data, 0, out.bytes());
  tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    each_pair(w, p, [&](std::int64_t column, std::int64_t at) {
      std::memcpy(out.data + column * size, x.data + at * size, sizeof(T));
    });
  });
  return out;
}

value col2im(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  planes p;
  p.rank = 2;
  p.in = sizes_or(c, 1, 2, p.in, "a size", 1);
  const windows w = columns_of(c, 2, p);
  const std::int64_t area = times(w.kernel[1], w.kernel[2]);
  if ((x.rank() != 2 && x.rank() != 3) || x.dim(x.rank() - 2) % area != 0 ||
      x.dim(x.rank() - 1) != times(p.out[1], p.out[2]))
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected [batch,] a multiple of " +
                                  std::to_string(area) + ", " +
                                  std::to_string(p.out[1] * p.out[2]));
  const std::int64_t channels = x.dim(x.rank() - 2) / area;
  shape dims;
  if (x.rank() == 3) dims.push_back(x.dim(0));
  p.count = channels * (x.rank() == 3 ? x.dim(0) : 1);
  for (const std::int64_t d : {channels, p.in[1], p.in[2]}) dims.push_back(d);
  const tensor wide = as_numbers(c.arena, x), sums = make_tensor(c.arena, wide.type, dims);
  visit_wide(x.type, [&]<class T>(of<T>) {
    const T* const from = wide.as<T>();
    T* const to = sums.as<T>();
    std::fill_n(to, sums.size(), T{});
    each_pair(w, p, [&](std::int64_t column, std::int64_t at) { to[at] += from[column]; });
  });
  return cast(c.arena, sums, x.type);
}

value unfold(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t size = c.whole(2), step = c.whole(3);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  const std::int64_t all = x.rank() == 0 ? 1 : x.dim(axis);
  if (size < 0 || size > all || step <= 0)
    fail(errc::nac_run_argument, "size is " + std::to_string(size) + " and step " +
                                     std::to_string(step) + "; expected a size of 0 to " +
                                     std::to_string(all) + " and a step of at least 1");
  shape dims = x.dims;
  if (x.rank() != 0) dims[axis] = (all - size) / step + 1;
  dims.push_back(size);
  tensor out = make_tensor(c.arena, x.type, dims);
  if (out.size() == 0) return out;
  const strides from(x.dims), to(dims);
  walk w;
  for (std::size_t i = 0; i < x.rank(); ++i)
    w.add(dims[i], i == axis ? from[i] * step : from[i], to[i]);
  w.add(size, x.rank() == 0 ? 0 : from[axis], 1);
  w.copy(out.data, x.data, model::size_of(x.type));
  return out;
}

namespace {

/// [..., C r r, H, W] to [..., C, H r, W r], or back.
[[nodiscard]] value shuffled(call& c, bool back) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t r = c.whole(1);
  const std::size_t rank = x.rank();
  if (rank < 3)
    fail(errc::nac_run_shape,
         "shape is " + x.dims.text() + "; expected rank 3 or more: channels, height, width");
  const std::int64_t channels = x.dim(rank - 3), h = x.dim(rank - 2), w = x.dim(rank - 1);
  if (r <= 0 || r > max_size || (back ? h % r != 0 || w % r != 0 : channels % (r * r) != 0))
    fail(errc::nac_run_shape, "the factor is " + std::to_string(r) +
                                  "; expected one of at least 1 that divides " +
                                  (back ? "height and width" : "the channels when squared") +
                                  " of shape " + x.dims.text());
  const std::int64_t n = x.dims.product(0, rank - 3);
  shape dims = x.dims;
  tensor y;
  if (back) {
    const std::size_t order[] = {0, 1, 3, 5, 2, 4};
    y = permuted(c.arena, x.with_shape({n, channels, h / r, r, w / r, r}), order);
    dims[rank - 3] = channels * r * r;
    dims[rank - 2] = h / r;
    dims[rank - 1] = w / r;
  } else {
    const std::size_t order[] = {0, 1, 4, 2, 5, 3};
    y = permuted(c.arena, x.with_shape({n, channels / (r * r), r, r, h, w}), order);
    dims[rank - 3] = channels / (r * r);
    dims[rank - 2] = h * r;
    dims[rank - 1] = w * r;
  }
  return y.with_shape(dims);
}

/// Around the last axes, as many as the list has pairs; after channels and maybe a batch.
[[nodiscard]] value padded_by(call& c, const char* mode) {
  const tensor& x = c.tensor_at(0);
  const std::span<const std::int64_t> list = c.int_list(1);
  const std::size_t axes = list.size() / 2;
  if (list.size() % 2 != 0 || axes == 0 || axes > 3)
    fail(errc::nac_run_argument,
         "padding has " + std::to_string(list.size()) + " numbers; expected 2, 4 or 6");
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected rank " +
                                  std::to_string(axes + 1) + " or " + std::to_string(axes + 2) +
                                  " for padding of " + std::to_string(list.size()) + " numbers");
  return result_of(c, model::operation::pad,
                   {x, value::int_list({list.begin(), list.end()}), value::string(mode)});
}

}  // namespace

value pixel_shuffle(call& c) { return shuffled(c, false); }
value pixel_unshuffle(call& c) { return shuffled(c, true); }
value reflection_pad(call& c) { return padded_by(c, "reflect"); }
value replication_pad(call& c) { return padded_by(c, "replicate"); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
