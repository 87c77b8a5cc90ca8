// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Images of another size whose elements are means of all that they cover, with the weights of a
// triangle, a cubic or Lanczos's window: rows first, then columns, in FP64.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "operations.hpp"
#include "planes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// A filter, zero from `reach` on.
struct filter {
  double reach;
  double (*at)(double distance) noexcept;
};
constexpr filter triangle = {1, [](double x) noexcept { return std::max(1 - std::fabs(x), 0.0); }};
constexpr filter cubic_filter = {2, [](double x) noexcept {
                                   constexpr double k = -0.5;
                                   x = std::fabs(x);
                                   if (x < 1) return ((k + 2) * x - (k + 3)) * x * x + 1;
                                   return x < 2 ? (((x - 5) * x + 8) * x - 4) * k : 0.0;
                                 }};

[[nodiscard]] double sinc(double x) noexcept {
  x *= std::numbers::pi;
  return x == 0 ? 1 : std::sin(x) / x;
}
constexpr filter lanczos = {
    3, [](double x) noexcept { return std::fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0.0; }};

/// An axis of an image and of the result. A scale of 0: that of the sizes.
struct axis {
  std::int64_t in, out;
  double scale = 0;
};

/// The elements that make each one of the result, with their weights: at most `width` of them.
class weights {
 public:
  weights(memory& arena, const filter& f, const axis& a, bool align) {
    const auto in = static_cast<double>(a.in), out = static_cast<double>(a.out);
    const double step = align         ? (a.out > 1 ? (in - 1) / (out - 1) : 0)
                        : a.scale > 0 ? 1 / a.scale
                                      : in / out;
    const double support = f.reach * std::max(step, 1.0), shrink = step >= 1 ? 1 / step : 1;
    width = std::min(a.in, static_cast<std::int64_t>(std::min(2 * support, in)) + 2);
    const auto n = static_cast<std::uint64_t>(a.out);
    counted_ = arena.take(product_of_steps(n, static_cast<std::uint64_t>(width + 2) * 8));
    arena.charge(product_of_steps(n, static_cast<std::uint64_t>(width) * 8));
    all_.resize(count_of(a.out * width));
    for (std::int64_t i = 0; i < a.out; ++i) {
      const double center = step * (static_cast<double>(i) + 0.5);
      const auto low = static_cast<std::int64_t>(std::max(center - support + 0.5, 0.0));
      const auto high = static_cast<std::int64_t>(std::min(center + support + 0.5, in));
      const std::int64_t size = std::clamp<std::int64_t>(high - low, 0, width);
      first_.push_back(std::min(low, a.in - size));
      count_.push_back(size);
      double* const to = all_.data() + i * width;
      double sum = 0;
      for (std::int64_t j = 0; j < size; ++j)
        sum += to[j] = f.at((static_cast<double>(j + low) - center + 0.5) * shrink);
      for (std::int64_t j = 0; j < size && sum != 0; ++j) to[j] /= sum;
    }
  }
  /// Element `i` of the result, of a line whose elements are `stride` apart.
  template <class T>
  [[nodiscard]] double sum(std::int64_t i, const T* line, std::int64_t stride) const noexcept {
    const T* const from = line + first_[count_of(i)] * stride;
    const double* const weight = all_.data() + i * width;
    double all = 0;
    for (std::int64_t k = 0; k < count_[count_of(i)]; ++k)
      all += weight[k] * convert<double>(from[k * stride]);
    return all;
  }

  std::int64_t width;

 private:
  storage counted_;
  std::vector<std::int64_t> first_, count_;
  std::vector<double> all_;
};

[[nodiscard]] value resized(call& c, const filter& f, const axis& rows, const axis& columns) {
  const tensor& x = c.tensor_at(0);
  if (x.type != data_type::float32 && x.type != data_type::float64)
    refuse_type(x.type, "f32 or f64");
  const bool align = c.truth_or(2, false);
  tensor out = make_tensor(c.arena, x.type, {x.dim(0), x.dim(1), rows.out, columns.out});
  if (out.size() == 0) return out;
  const weights of_rows(c.arena, f, rows, align), of_columns(c.arena, f, columns, align);
  const auto planes = static_cast<std::uint64_t>(x.dim(0) * x.dim(1));
  const auto width = static_cast<std::uint64_t>(columns.out);
  c.arena.charge(product_of_steps(
      planes,
      sum_of_steps(product_of_steps(static_cast<std::uint64_t>(rows.in * of_columns.width), width),
                   product_of_steps(static_cast<std::uint64_t>(rows.out * of_rows.width), width))));
  const tensor narrow = make_tensor(c.arena, data_type::float64, {rows.in, columns.out});
  double* const lines = narrow.as<double>();
  visit_wide(x.type, [&]<class T>(nac::of<T>) {
    for (std::uint64_t p = 0; p < planes; ++p) {
      const T* const plane = x.as<T>() + static_cast<std::int64_t>(p) * rows.in * columns.in;
      T* to = out.as<T>() + static_cast<std::int64_t>(p) * rows.out * columns.out;
      for (std::int64_t i = 0; i < rows.in; ++i)
        for (std::int64_t j = 0; j < columns.out; ++j)
          lines[i * columns.out + j] = of_columns.sum(j, plane + i * columns.in, 1);
      for (std::int64_t i = 0; i < rows.out; ++i)
        for (std::int64_t j = 0; j < columns.out; ++j)
          *to++ = convert<T>(of_rows.sum(i, lines + j, columns.out));
    }
  });
  return out;
}

void expect_image(const tensor& x) {
  if (x.rank() != 4 || x.dims.product(1, 4) == 0)
    fail(errc::nac_run_shape, "shape is ", x.dims,
         "; expected batch, channels, rows and columns, with elements");
}
[[nodiscard]] axis sized(std::int64_t in, std::int64_t out, double scale) {
  if (out < 1 || out > max_size)
    fail(errc::nac_run_argument, "an axis has ", out, " elements after resizing; expected 1 to ",
         max_size);
  return {in, out, scale};
}

/// To a size, letter 1; with scales, letters 3 and 4, that say where elements are.
[[nodiscard]] value resized_to(call& c, const filter& f, bool has_scales = true) {
  const tensor& x = c.tensor_at(0);
  expect_image(x);
  expect_sizes(c, 2);
  const std::span<const std::int64_t> to = c.int_list(1);
  return resized(c, f, sized(x.dim(2), to[0], has_scales ? c.real_or(3, 0) : 0),
                 sized(x.dim(3), to[1], has_scales ? c.real_or(4, 0) : 0));
}
/// By a size or by scales. Letters: input output_size align_corners scale_factors.
[[nodiscard]] value resized_by(call& c, const filter& f) {
  const tensor& x = c.tensor_at(0);
  expect_image(x);
  if (is_by_size(c, 3)) return resized_to(c, f, false);
  const std::span<const double> by = c.numbers(3);
  if (by.size() != 2)
    fail(errc::nac_run_argument, "scale_factors has ", by.size(), " elements; expected 2");
  const auto scaled = [&](std::int64_t in, double scale) {
    return sized(in, convert<std::int64_t>(static_cast<double>(in) * scale), scale);
  };
  return resized(c, f, scaled(x.dim(2), by[0]), scaled(x.dim(3), by[1]));
}

}  // namespace

value upsample_linear_antialiased(call& c) { return resized_by(c, triangle); }
value upsample_linear_antialiased_to(call& c) { return resized_to(c, triangle); }
value upsample_cubic_antialiased(call& c) { return resized_by(c, cubic_filter); }
value upsample_cubic_antialiased_to(call& c) { return resized_to(c, cubic_filter); }
value upsample_lanczos_antialiased(call& c) { return resized_by(c, lanczos); }
value upsample_lanczos_antialiased_to(call& c) { return resized_to(c, lanczos); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
