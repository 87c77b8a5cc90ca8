// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Signals, images and volumes: samples between elements, columns of windows, shuffled channels.

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "operations.hpp"
#include "planes.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

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

/// Of `pixels`, the size that is double has the nearest of each pair, whatever the scale.
enum class between : std::uint8_t { nearest, pixels, exact, linear, cubic };
[[nodiscard]] bool interpolates(between how) noexcept {
  return how == between::linear || how == between::cubic;
}

[[nodiscard]] taps taps_at(between how, std::int64_t i, std::int64_t in, std::int64_t out,
                           double scale, bool align) {
  const double step =
      align       ? (out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0)
      : scale > 0 ? 1 / scale
                  : static_cast<double>(in) / static_cast<double>(out);
  const auto at = static_cast<double>(i);
  taps t{};
  t.share[0] = 1;
  t.count = 1;
  // Whatever the scale.
  const bool is_same = in == out && how != between::exact && how != between::cubic;
  if (is_same || (how == between::pixels && out == 2 * in)) {
    t.at[0] = is_same ? i : i / 2;
    return t;
  }
  if (!interpolates(how)) {
    // PyTorch's own rule, in float.
    const float place =
        (static_cast<float>(at) + (how == between::exact ? 0.5f : 0.0f)) * static_cast<float>(step);
    t.at[0] = std::min(convert<std::int64_t>(std::floor(place)), in - 1);
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

/// The elements of a plane by their shares; unless all are inside, those outside are 0.
template <bool AllInside, class T>
[[nodiscard]] double sum_of_taps(const taps& d, const taps& h, const taps& w, const T* plane,
                                 const planes& p) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < d.count; ++i)
    for (std::size_t j = 0; j < h.count; ++j)
      for (std::size_t k = 0; k < w.count; ++k) {
        if (!AllInside && (d.at[i] < 0 || h.at[j] < 0 || w.at[k] < 0)) continue;
        sum += d.share[i] * h.share[j] * w.share[k] *
               static_cast<double>(plane[(d.at[i] * p.in[1] + h.at[j]) * p.in[2] + w.at[k]]);
      }
  return sum;
}
/// The first of an axis's taps, for each result.
void take_elements(const tensor& x, const planes& p,
                   const std::array<std::vector<taps>, max_axes>& of, const tensor& result) {
  std::vector<std::int64_t> columns;
  for (const taps& t : of[2]) columns.push_back(t.at[0]);
  tensors::with_word(model::size_of(x.type), [&]<class T>(nac::of<T>) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    std::byte* to = result.data;
    for (std::int64_t n = 0; n < p.count; ++n)
      for (const taps& d : of[0])
        for (const taps& h : of[1]) {
          const std::byte* const row =
              x.data + ((n * p.in[0] + d.at[0]) * p.in[1] + h.at[0]) * p.in[2] * size;
          for (const std::int64_t column : columns) {
            std::memcpy(to, row + column * size, sizeof(T));
            to += size;
          }
        }
  });
}

/// Elements of [N, C, sizes …] between those of `x`.
[[nodiscard]] tensor resampled(call& c, const tensor& x, between how, const sizes& out,
                               const std::array<double, max_axes>& scales, bool align) {
  if (!is_floating(x.type) && x.type != data_type::uint8)
    refuse_type(x.type, "a floating-point type or u8");
  if (x.type == data_type::uint8 && interpolates(how))
    refuse_type(x.type, "a floating-point type, as the mode interpolates");
  planes p = planes_of(x, x.rank() - 2);
  if (x.dim(1) == 0)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected at least 1 channel");
  p.out = out;
  if (how != between::pixels) charge_each(c, p, {4, 4, 4});
  tensor result = make_tensor(c.arena, x.type, p.result_of(x));
  if (result.size() == 0) return result;
  std::array<std::vector<taps>, max_axes> of;
  for (std::size_t a = 0; a < max_axes; ++a) {
    (void)c.arena.take(static_cast<std::uint64_t>(p.out[a]) * sizeof(taps));
    of[a].reserve(count_of(p.out[a]));
    for (std::int64_t i = 0; i < p.out[a]; ++i)
      of[a].push_back(a < max_axes - p.rank ? taps{{0}, {1}, 1}
                                            : taps_at(how, i, p.in[a], p.out[a], scales[a], align));
  }
  if (!interpolates(how)) {
    take_elements(x, p, of, result);
    return result;
  }
  const tensor wide = as_numbers(c.arena, x), sums = make_tensor(c.arena, wide.type, result.dims);
  visit_wide(x.type, [&]<class T>(nac::of<T>) {
    const T* const all = wide.as<T>();
    T* to = sums.as<T>();
    each_result(p, [&](std::int64_t n, const sizes& at) {
      *to++ = static_cast<T>(sum_of_taps<true>(of[0][count_of(at[0])], of[1][count_of(at[1])],
                                               of[2][count_of(at[2])], all + n * p.in_size(), p));
    });
  });
  return cast(c.arena, sums, x.type);
}

/// By a size, or by scales, which then are those of the rule.
[[nodiscard]] value upsample_by(call& c, between how, std::size_t align_letter,
                                std::size_t scale_letter) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() < 3 || x.rank() > 5)
    fail(errc::nac_run_shape, "shape is ", x.dims,
         "; expected batch, channels and 1 to 3 more dimensions");
  const std::size_t rank = x.rank() - 2, first = max_axes - rank;
  sizes out = {1, 1, 1};
  std::array<double, max_axes> scales = {};
  if (is_by_size(c, scale_letter)) {
    out = sizes_or(c, 1, rank, out, "a size", 1);
  } else {
    const std::span<const double> given = c.numbers(scale_letter);
    if (given.size() != 1 && given.size() != rank)
      fail(errc::nac_run_argument, given.size(), " scales; expected 1 or ", rank);
    for (std::size_t a = 0; a < rank; ++a) {
      const double s = given[given.size() == 1 ? 0 : a];
      const double size = std::floor(static_cast<double>(x.dim(2 + a)) * s);
      const bool is_large = size > static_cast<double>(max_size);
      if (!(size >= 1) || is_large)
        fail(is_large && how == between::pixels ? errc::budget_memory : errc::nac_run_argument,
             "scale is ", s, " for an axis of ", x.dim(2 + a),
             " elements; expected an output of 1 to ", max_size);
      scales[first + a] = s;
      out[first + a] = static_cast<std::int64_t>(size);
    }
  }
  return resampled(c, x, how, out, scales, align_letter != 0 && c.truth_or(align_letter, false));
}
void expect_images(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() != 4)
    fail(errc::nac_run_shape, "shape is ", x.dims,
         "; expected rank 4: batch, channels, height, width");
  if (!c.has(1)) return;
  expect_sizes(c, 2);
  for (const std::int64_t n : c.int_list(1))
    if (n > max_size) fail(errc::budget_memory, "an axis of ", n, " elements");
}
/// To a size; one optional scale for each axis from `scale_letter` on.
[[nodiscard]] value upsample_to(call& c, between how, std::size_t align_letter,
                                std::size_t scale_letter) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() < 3 || x.rank() > 5)
    fail(errc::nac_run_shape, "shape is ", x.dims,
         "; expected batch, channels and 1 to 3 more dimensions");
  const std::size_t rank = x.rank() - 2;
  expect_sizes(c, rank);
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

value upsample_linear(call& c) { return upsample_by(c, between::linear, 2, 3); }
value upsample_linear_to(call& c) { return upsample_to(c, between::linear, 2, 3); }
value upsample_cubic(call& c) { return upsample_by(c, between::cubic, 2, 3); }
value upsample_cubic_to(call& c) { return upsample_to(c, between::cubic, 2, 3); }
value upsample_nearest_nd(call& c) { return upsample_by(c, between::nearest, 0, 2); }
value upsample_nearest_nd_to(call& c) { return upsample_to(c, between::nearest, 0, 2); }
value upsample_nearest_exact(call& c) { return upsample_by(c, between::exact, 0, 2); }
value upsample_nearest_exact_to(call& c) { return upsample_to(c, between::exact, 0, 2); }
value upsample_nearest(call& c) {
  expect_images(c);
  return upsample_by(c, between::pixels, 0, 2);
}
value upsample_nearest_to(call& c) {
  expect_images(c);
  return upsample_to(c, between::pixels, 0, 2);
}

value grid_sampler(call& c) {
  const tensor &x = c.tensor_at(0), &grid = c.tensor_at(1);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  expect_type(grid, x.type);
  const std::int64_t mode = c.whole_or(2, 0), padding = c.whole_or(3, 0);
  if (mode < 0 || mode > 2 || padding < 0 || padding > 2)
    fail(errc::nac_run_argument, "interpolation_mode is ", mode, " and padding_mode ", padding,
         "; expected 0 to 2");
  const bool align = c.truth_or(4, false);
  constexpr between modes[] = {between::linear, between::nearest, between::cubic};
  const between how = modes[mode];
  const auto beyond = static_cast<outside>(padding);
  const std::size_t rank = x.rank() < 2 ? 0 : x.rank() - 2;
  if ((rank != 2 && rank != 3) || grid.rank() != x.rank() || grid.dim(0) != x.dim(0) ||
      grid.dim(grid.rank() - 1) != static_cast<std::int64_t>(rank))
    fail(errc::nac_run_shape, "input has shape ", x.dims, " and grid ", grid.dims,
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
      *to++ = static_cast<T>(sum_of_taps<false>(t[0], t[1], t[2], plane, p));
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
    fail(errc::nac_run_shape, "theta has shape ", theta.dims, " and size is ", size,
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
void take_columns(call& c, std::size_t letter, planes& p) {
  p.kernel = sizes_or(c, letter, 2, p.kernel, "a kernel", 1);
  p.dilation = sizes_or(c, letter + 1, 2, p.dilation, "a dilation", 1);
  p.padding = sizes_or(c, letter + 2, 2, p.padding, "padding", 0);
  p.stride = sizes_or(c, letter + 3, 2, p.stride, "a stride", 1);
  for (std::size_t a = 1; a < max_axes; ++a) {
    const std::int64_t span = p.in[a] + 2 * p.padding[a] - p.dilation[a] * (p.kernel[a] - 1) - 1;
    if (span < 0) refuse_kernel(p, a);
    p.out[a] = span / p.stride[a] + 1;
  }
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
  take_columns(c, 1, p);
  const std::int64_t channels = x.dim(x.rank() - 3);
  shape dims;
  if (x.rank() == 4) dims.push_back(x.dim(0));
  dims.push_back(times(times(channels, p.kernel[1]), p.kernel[2]));
  dims.push_back(times(p.out[1], p.out[2]));
  tensor out = make_tensor(c.arena, x.type, dims);
  if (out.size() == 0) return out;
  tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
    tensors::gather_columns<T>(p, x.as<T>(), p.count, 0, p.out[1] * p.out[2], out.as<T>());
  });
  return out;
}

value col2im(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  planes p;
  p.rank = 2;
  p.in = sizes_or(c, 1, 2, p.in, "a size", 1);
  take_columns(c, 2, p);
  const std::int64_t area = times(p.kernel[1], p.kernel[2]);
  if ((x.rank() != 2 && x.rank() != 3) || x.dim(x.rank() - 2) % area != 0 ||
      x.dim(x.rank() - 1) != times(p.out[1], p.out[2]))
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected [batch,] a multiple of ", area, ", ",
         p.out[1] * p.out[2]);
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
    tensors::add_columns<T>(p, to, p.count, 0, p.out[1] * p.out[2], from);
  });
  return cast(c.arena, sums, x.type);
}

value unfold(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t size = c.whole(2), step = c.whole(3);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  const std::int64_t all = x.rank() == 0 ? 1 : x.dim(axis);
  if (size < 0 || size > all || step <= 0)
    fail(errc::nac_run_argument, "size is ", size, " and step ", step, "; expected a size of 0 to ",
         all, " and a step of at least 1");
  tensor_part p(x.dims);
  const std::int64_t along = x.rank() == 0 ? 0 : p.steps[axis];
  if (x.rank() != 0) p.cut(axis, 0, (all - size) / step + 1, step);
  p.add(size, along);
  return taken(c.arena, x, p);
}

namespace {

/// [..., C r r, H, W] to [..., C, H r, W r], or back.
[[nodiscard]] value shuffled(call& c, bool back) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t r = c.whole(1);
  const std::size_t rank = x.rank();
  if (rank < 3)
    fail(errc::nac_run_shape, "shape is ", x.dims,
         "; expected rank 3 or more: channels, height, width");
  const std::int64_t channels = x.dim(rank - 3), h = x.dim(rank - 2), w = x.dim(rank - 1);
  if (r <= 0 || r > max_size || (back ? h % r != 0 || w % r != 0 : channels % (r * r) != 0))
    fail(errc::nac_run_shape, "the factor is ", r, "; expected one of at least 1 that divides ",
         back ? "height and width" : "the channels when squared", " of shape ", x.dims);
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
    fail(errc::nac_run_argument, "padding has ", list.size(), " numbers; expected 2, 4 or 6");
  if (x.rank() != axes + 1 && x.rank() != axes + 2)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank ", axes + 1, " or ", axes + 2,
         " for padding of ", list.size(), " numbers");
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
