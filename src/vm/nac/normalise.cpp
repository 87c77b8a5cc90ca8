// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Normalisation: by channel, by row, by group of channels.

#include <cmath>
#include <limits>

#include "multiply.hpp"
#include "operations.hpp"
#include "tensor/rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// Refuses what isn't a float, and parameters that are neither of its type nor, to 16-bit floats,
/// all of float32. Returns the parameters' type; without any, the operand's.
[[nodiscard]] data_type expect_floats(const tensor& x,
                                      std::initializer_list<const tensor*> parameters) {
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  data_type type = x.type;
  bool any = false;
  for (const tensor* p : parameters) {
    if (p == nullptr) continue;
    if (any) expect_type(*p, type);
    type = p->type;
    any = true;
  }
  if (type != x.type && type != widened(x.type))
    fail(errc::nac_run_type, "input is ", x.type, " and a parameter ", type,
         "; expected the same type, or f32 for parameters of f16 and bf16");
  return type;
}

void expect_shape(const tensor* parameter, const shape& s) {
  if (parameter != nullptr && !(parameter->dims == s))
    fail(errc::nac_run_shape, "a parameter has shape ", parameter->dims, "; expected ", s);
}

/// The last dimensions, which normalized_shape says.
[[nodiscard]] shape normalized_dims(const tensor& x, std::span<const std::int64_t> over) {
  const shape inner(over);
  if (inner.rank() == 0 || inner.rank() > x.rank() ||
      !(shape(x.dims.dims().subspan(x.rank() - inner.rank())) == inner))
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected normalized_shape, ", inner,
         ", as its last dimensions");
  return inner;
}
void expect_channels(const tensor& x) {
  if (x.rank() < 2)
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected rank 2 or more");
}

using tensors::moments;

/// Sums in as many parts as vectors have lanes.
template <class T, class F>
[[nodiscard]] double sum_over(const T* x, std::size_t n, F&& f) noexcept {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += f(static_cast<double>(x[i + l]));
  for (; i < n; ++i) sums[0] += f(static_cast<double>(x[i]));
  double all = 0;
  for (const double s : sums) all += s;
  return all;
}

/// The mean and the variance of the population, in two passes; NaN where there is nothing.
template <class T>
[[nodiscard]] moments moments_of(const T* x, std::size_t n) noexcept {
  if constexpr (std::is_same_v<T, float>) return tensors::moments_of(x, n);
  const auto count = static_cast<double>(n);
  const double mean = sum_over(x, n, [](double v) { return v; }) / count;
  return {mean, sum_over(x, n, [mean](double v) { return (v - mean) * (v - mean); }) / count};
}

/// The same of `rows` rows of n elements that begin `step` apart.
template <class T>
[[nodiscard]] moments moments_of_rows(const T* x, std::size_t rows, std::size_t step,
                                      std::size_t n) noexcept {
  const auto mean_of = [&](auto&& f) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += sum_over(x + i * step, n, f);
    return sum / static_cast<double>(rows * n);
  };
  const double mean = mean_of([](double v) { return v; });
  return {mean, mean_of([mean](double v) { return (v - mean) * (v - mean); })};
}

[[nodiscard]] double inverse_deviation(double variance, double epsilon) noexcept {
  return 1 / std::sqrt(variance + epsilon);
}

/// (x - center) * factor + offset.
template <class T>
void shift_and_scale(const T* x, T* to, std::size_t n, T center, T factor, T offset) noexcept {
  for (std::size_t i = 0; i < n; ++i) to[i] = (x[i] - center) * factor + offset;
}

/// The results in the type that is computed in: `wide` itself where that was made for them.
[[nodiscard]] tensor target(call& c, const tensor& x, const tensor& wide) {
  return widened(x.type) == x.type ? make_tensor(c.arena, x.type, x.dims) : wide;
}

template <class T>
[[nodiscard]] const T* data_or_null(const tensor& t) noexcept {
  return t.data == nullptr ? nullptr : t.as<T>();
}
/// The parameter as the type that is computed in; no data where it is missing.
[[nodiscard]] tensor wide_parameter(call& c, const tensor* p) {
  return p == nullptr ? tensor{} : cast(c.arena, *p, widened(p->type));
}

struct normalised {
  tensor out, mean, inverse;
};

/// (x - mean) / sqrt(variance + epsilon) * weight + bias, by the channels of axis 1. Without means
/// and variances those of the batch, which are results too: the means and the inverse deviations.
[[nodiscard]] normalised by_channel(call& c, const tensor& x, const tensor* weight,
                                    const tensor* bias, const tensor* mean, const tensor* variance,
                                    double epsilon) {
  const std::int64_t channels = x.dim(1);
  for (const tensor* p : {weight, bias, mean, variance}) expect_shape(p, {channels});
  const tensor wide = cast(c.arena, x, widened(x.type));
  normalised r;
  r.out = target(c, x, wide);
  const tensor& out = r.out;
  if (mean == nullptr) {
    r.mean = make_tensor(c.arena, wide.type, {channels});
    r.inverse = make_tensor(c.arena, wide.type, {channels});
  }
  if (out.size() == 0 && (mean != nullptr || channels == 0)) {
    r.out = cast(c.arena, out, x.type);
    return r;
  }
  const auto batch = count_of(x.dim(0)), n = count_of(channels);
  const auto inner = count_of(x.dims.product(2, x.rank()));
  visit_wide(x.type, [&]<class T>(of<T>) {
    const tensor w = wide_parameter(c, weight), b = wide_parameter(c, bias);
    const tensor m = wide_parameter(c, mean), v = wide_parameter(c, variance);
    // (x - center) * factor + offset: nothing cancels that the statistics don't.
    const tensor parts = make_tensor(c.arena, out.type, {3, channels});
    T *const center = parts.as<T>(), *const factor = center + n, *const offset = factor + n;
    const T* const data = wide.as<T>();
    for (std::size_t k = 0; k < n; ++k) {
      moments s{};
      if (mean != nullptr) {
        s = {static_cast<double>(m.as<T>()[k]), static_cast<double>(v.as<T>()[k])};
      } else {
        s = moments_of_rows(data + k * inner, batch, n * inner, inner);
      }
      const double weighted = weight != nullptr ? static_cast<double>(w.as<T>()[k]) : 1;
      center[k] = static_cast<T>(s.mean);
      const double inverse = inverse_deviation(s.variance, epsilon);
      factor[k] = static_cast<T>(inverse * weighted);
      offset[k] = bias != nullptr ? b.as<T>()[k] : T{};
      if (mean == nullptr) {
        r.mean.as<T>()[k] = static_cast<T>(s.mean);
        r.inverse.as<T>()[k] = static_cast<T>(inverse);
      }
    }
    T* const to = out.as<T>();
    if (inner == 1) {
      for (std::size_t i = 0; i < batch; ++i)
        for (std::size_t k = 0; k < n; ++k)
          to[i * n + k] = (data[i * n + k] - center[k]) * factor[k] + offset[k];
      return;
    }
    for (std::size_t i = 0; i < batch * n; ++i)
      shift_and_scale(data + i * inner, to + i * inner, inner, center[i % n], factor[i % n],
                      offset[i % n]);
  });
  r.out = cast(c.arena, out, x.type);
  return r;
}

/// By rows over the last dimensions; means and inverse deviations where they are asked for.
[[nodiscard]] normalised by_row(call& c, const tensor& x, std::span<const std::int64_t> over,
                                const tensor* weight, const tensor* bias, double epsilon,
                                bool with_moments) {
  const data_type parameters = expect_floats(x, {weight, bias});
  const shape inner = normalized_dims(x, over);
  const std::size_t outer = x.rank() - inner.rank();
  expect_shape(weight, inner);
  expect_shape(bias, inner);
  const tensor wide = cast(c.arena, x, widened(x.type));
  normalised r;
  r.out = target(c, x, wide);
  const auto rows = count_of(x.dims.product(0, outer)), n = count_of(inner.elements());
  if (with_moments) {
    shape s(x.dims.dims().first(outer));
    while (s.rank() < x.rank()) s.push_back(1);
    r.mean = make_tensor(c.arena, wide.type, s);
    r.inverse = make_tensor(c.arena, wide.type, s);
  }
  if (rows != 0 && (n != 0 || with_moments)) {
    visit_wide(x.type, [&]<class T>(of<T>) {
      const tensor w_held = wide_parameter(c, weight), b_held = wide_parameter(c, bias);
      const T *const w = data_or_null<T>(w_held), *const b = data_or_null<T>(b_held);
      if constexpr (std::is_same_v<T, float>) {
        tensors::layer_norm(wide.as<T>(), w, b, r.out.as<T>(), rows, n, epsilon,
                            with_moments ? r.mean.as<T>() : nullptr,
                            with_moments ? r.inverse.as<T>() : nullptr);
        return;
      }
      for (std::size_t i = 0; i < rows; ++i) {
        const T* const from = wide.as<T>() + i * n;
        T* const to = r.out.as<T>() + i * n;
        const moments s = moments_of(from, n);
        const double inverse = inverse_deviation(s.variance, epsilon);
        const T mean = static_cast<T>(s.mean), scale = static_cast<T>(inverse);
        if (with_moments) {
          r.mean.as<T>()[i] = mean;
          r.inverse.as<T>()[i] = scale;
        }
        if (w != nullptr && b != nullptr) {
          for (std::size_t j = 0; j < n; ++j) to[j] = (from[j] - mean) * scale * w[j] + b[j];
          continue;
        }
        for (std::size_t j = 0; j < n; ++j) {
          T v = (from[j] - mean) * scale;
          if (w != nullptr) v *= w[j];
          if (b != nullptr) v += b[j];
          to[j] = v;
        }
      }
    });
  }
  r.out = cast(c.arena, r.out, x.type);
  if (with_moments) {
    r.mean = cast(c.arena, r.mean, parameters);
    r.inverse = cast(c.arena, r.inverse, parameters);
  }
  return r;
}

/// By groups of channels; the means and inverse deviations of each, [batch, groups].
[[nodiscard]] normalised by_group(call& c, const tensor& x, std::int64_t groups,
                                  const tensor* weight, const tensor* bias, double epsilon) {
  (void)expect_floats(x, {weight, bias});
  expect_channels(x);
  const std::int64_t channels = x.dim(1);
  if (groups <= 0) fail(errc::nac_run_argument, "num_groups is ", groups, "; expected at least 1");
  if (channels % groups != 0)
    fail(errc::nac_run_shape, channels, " channels; expected a multiple of num_groups, ", groups);
  expect_shape(weight, {channels});
  expect_shape(bias, {channels});
  const tensor wide = cast(c.arena, x, widened(x.type));
  normalised r;
  r.out = target(c, x, wide);
  r.mean = make_tensor(c.arena, wide.type, {x.dim(0), groups});
  r.inverse = make_tensor(c.arena, wide.type, {x.dim(0), groups});
  const auto inner = count_of(x.dims.product(2, x.rank()));
  const auto of_group = count_of(channels / groups);
  visit_wide(x.type, [&]<class T>(of<T>) {
    const tensor w_held = wide_parameter(c, weight), b_held = wide_parameter(c, bias);
    const T *const w = data_or_null<T>(w_held), *const b = data_or_null<T>(b_held);
    const std::size_t all = r.mean.size();
    for (std::size_t g = 0; g < all; ++g) {
      const std::size_t start = g * of_group * inner;
      const moments s = moments_of(wide.as<T>() + start, of_group * inner);
      const double inverse = inverse_deviation(s.variance, epsilon);
      r.mean.as<T>()[g] = static_cast<T>(s.mean);
      r.inverse.as<T>()[g] = static_cast<T>(inverse);
      for (std::size_t k = 0; k < of_group && inner != 0; ++k) {
        const std::size_t channel = (g * of_group + k) % count_of(channels);
        const double weighted = w != nullptr ? static_cast<double>(w[channel]) : 1;
        shift_and_scale(wide.as<T>() + start + k * inner, r.out.as<T>() + start + k * inner, inner,
                        static_cast<T>(s.mean), static_cast<T>(inverse * weighted),
                        b != nullptr ? b[channel] : T{});
      }
    }
  });
  r.out = cast(c.arena, r.out, x.type);
  return r;
}

/// All three as results, the statistics as the parameters' type.
[[nodiscard]] value all_of(call& c, const normalised& r, data_type parameters) {
  return value(std::vector<value>{r.out, cast(c.arena, r.mean, parameters),
                                  cast(c.arena, r.inverse, parameters)});
}

/// Batch norm whose running statistics are the letters 3 and 4 where they are letters; in training
/// those of the batch count, and are results.
[[nodiscard]] normalised by_mode(call& c, bool training, const tensor* mean, const tensor* variance,
                                 double epsilon) {
  const tensor& x = c.tensor_at(0);
  const tensor *const weight = c.optional(1), *const bias = c.optional(2);
  const data_type parameters = expect_floats(x, {weight, bias, mean, variance});
  expect_channels(x);
  if ((mean == nullptr) != (variance == nullptr) || (!training && mean == nullptr))
    fail(errc::nac_run_argument, "running_mean or running_var isn't given; expected both");
  if (training) {
    expect_shape(mean, {x.dim(1)});
    expect_shape(variance, {x.dim(1)});
    mean = variance = nullptr;
  }
  normalised r = by_channel(c, x, weight, bias, mean, variance, epsilon);
  if (!training) r.mean = r.inverse = make_tensor(c.arena, parameters, {0});
  r.mean = cast(c.arena, r.mean, parameters);
  r.inverse = cast(c.arena, r.inverse, parameters);
  return r;
}

}  // namespace

// Results: the tensor, and the statistics of the batch; two empty tensors where it isn't training.
// The running ones, values like others, don't change.
value batch_norm(call& c) {
  const normalised r = by_mode(c, false, &c.tensor_at(3), &c.tensor_at(4), c.real(6));
  return value(std::vector<value>{r.out, r.mean, r.inverse});
}
value batch_norm_by_mode(call& c) {
  return by_mode(c, c.truth_or(5, false), c.optional(3), c.optional(4), c.real(7)).out;
}
value native_batch_norm(call& c) {
  const normalised r = by_mode(c, c.truth_or(5, false), c.optional(3), c.optional(4), c.real(7));
  return value(std::vector<value>{r.out, r.mean, r.inverse});
}
value batch_norm_of_batch(call& c) {
  const normalised r = by_mode(c, c.truth_or(3, true), nullptr, nullptr, c.real(5));
  return value(std::vector<value>{r.out, r.mean, r.inverse});
}

value layer_norm(call& c) {
  return by_row(c, c.tensor_at(0), c.int_list(1), c.optional(2), c.optional(3), c.real_or(4, 1e-5),
                false)
      .out;
}

value native_layer_norm(call& c) {
  normalised r =
      by_row(c, c.tensor_at(0), c.int_list(1), c.optional(2), c.optional(3), c.real(4), true);
  return value(std::vector<value>{std::move(r.out), std::move(r.mean), std::move(r.inverse)});
}

value group_norm(call& c) {
  return by_group(c, c.tensor_at(0), c.whole(1), c.optional(2), c.optional(3), c.real_or(4, 1e-5))
      .out;
}

value native_group_norm(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type parameters = expect_floats(x, {c.optional(1), c.optional(2)});
  if (x.rank() < 2 || x.dim(0) != c.whole(3) || x.dim(1) != c.whole(4) ||
      x.dims.product(2, x.rank()) != c.whole(5))
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected N, C and HxW of ", c.whole(3),
         ", ", c.whole(4), " and ", c.whole(5));
  return all_of(c, by_group(c, x, c.whole(6), c.optional(1), c.optional(2), c.real(7)), parameters);
}

// Groups of one channel; with running statistics as batch norm.
value instance_norm(call& c) {
  const tensor& x = c.tensor_at(0);
  const tensor *const weight = c.optional(1), *const bias = c.optional(2);
  const tensor *const mean = c.optional(3), *const variance = c.optional(4);
  (void)expect_floats(x, {weight, bias, mean, variance});
  expect_channels(x);
  expect_shape(mean, {x.dim(1)});
  expect_shape(variance, {x.dim(1)});
  if (c.truth_or(5, true)) return by_group(c, x, x.dim(1), weight, bias, c.real(7)).out;
  if (mean == nullptr || variance == nullptr)
    fail(errc::nac_run_argument, "running_mean or running_var isn't given; expected both");
  return by_channel(c, x, weight, bias, mean, variance, c.real(7)).out;
}

// ---- compositions

namespace {

using model::operation;

[[nodiscard]] value axes(std::size_t rank, std::size_t first, std::size_t last,
                         std::size_t but = max_rank) {
  std::vector<std::int64_t> list;
  for (std::size_t i = first; i < std::min(last, rank); ++i)
    if (i != but) list.push_back(static_cast<std::int64_t>(i));
  return value::int_list(std::move(list));
}

/// x / sqrt(mean of squares + epsilon) * weight, over the last dimensions, and the factor.
struct by_mean_square {
  tensor out, factor;
};
[[nodiscard]] by_mean_square rms_norm_of(call& c) {
  const tensor& x = c.tensor_at(0);
  const tensor* const weight = c.optional(2);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const shape inner = normalized_dims(x, c.int_list(1));
  expect_shape(weight, inner);
  const double least = visit_float(x.type, []<class T>(of<T>) -> double {
    if constexpr (std::is_same_v<T, half>) return 0x1p-10;
    if constexpr (std::is_same_v<T, bfloat>) return 0x1p-7;
    if constexpr (!is_half<T>) return static_cast<double>(std::numeric_limits<T>::epsilon());
  });
  const double epsilon = c.real_or(3, least);
  const tensor wide = cast(c.arena, x, widened(x.type));
  const value over = axes(x.rank(), x.rank() - inner.rank(), x.rank());
  const tensor squares =
      tensor_of(c, operation::mean,
                {tensor_of(c, operation::square, {wide}), over, make_number(c.arena, true)});
  by_mean_square r;
  r.factor = tensor_of(c, operation::rsqrt,
                       {tensor_of(c, operation::add, {squares, make_number(c.arena, epsilon)})});
  r.out = cast(c.arena, tensor_of(c, operation::mul, {wide, r.factor}), x.type);
  if (weight != nullptr)
    r.out = cast(c.arena, tensor_of(c, operation::mul, {r.out, *weight}), x.type);
  return r;
}

/// The weights v * g / |v|, and the norms |v|: of the slices along an axis.
struct weight_and_norm {
  tensor weight, norm;
};
[[nodiscard]] weight_and_norm weight_norm_of(call& c) {
  const tensor &v = c.tensor_at(0), &g = c.tensor_at(1);
  if (!is_floating(v.type)) refuse_type(v.type, "a floating-point type");
  expect_type(g, v.type);
  const std::int64_t axis = c.whole_or(2, 0);
  const std::size_t kept = axis == -1 ? max_rank : axis_of(axis, v.rank());
  const tensor squares = tensor_of(c, operation::square, {cast(c.arena, v, widened(v.type))});
  weight_and_norm r;
  const bool is_sum = kept == max_rank || v.rank() > 1;
  r.norm = tensor_of(c, operation::sqrt,
                     {is_sum ? tensor_of(c, operation::sum,
                                         {squares, axes(v.rank(), 0, v.rank(), kept),
                                          make_number(c.arena, kept != max_rank)})
                             : squares});
  const tensor factor = tensor_of(c, operation::div, {cast(c.arena, g, r.norm.type), r.norm});
  r.weight = cast(c.arena, tensor_of(c, operation::mul, {v, factor}), v.type);
  return r;
}

}  // namespace

// The running statistics, too, as they are after a step of training.
value batch_norm_functional(call& c) {
  const tensor &x = c.tensor_at(0), &mean = c.tensor_at(3), &variance = c.tensor_at(4);
  const bool training = c.truth_or(5, false);
  const normalised r = by_mode(c, training, &mean, &variance, c.real(7));
  value new_mean = mean, new_variance = variance;
  if (training) {
    const tensor wide = cast(c.arena, x, mean.type);
    const value over = axes(x.rank(), 0, x.rank(), 1);
    const value weight = make_number(c.arena, c.real(6));
    new_mean =
        tensor_of(c, operation::lerp, {mean, tensor_of(c, operation::mean, {wide, over}), weight});
    new_variance = tensor_of(c, operation::lerp,
                             {variance, tensor_of(c, operation::var, {wide, over}), weight});
  }
  return value(std::vector<value>{r.out, r.mean, r.inverse, new_mean, new_variance});
}

value rms_norm(call& c) { return rms_norm_of(c).out; }
value fused_rms_norm(call& c) {
  by_mean_square r = rms_norm_of(c);
  return value(std::vector<value>{std::move(r.out), std::move(r.factor)});
}

value weight_norm(call& c) { return weight_norm_of(c).weight; }
value weight_norm_interface(call& c) {
  const std::int64_t axis = c.whole_or(2, 0);
  if (axis != 0 && axis + 1 != static_cast<std::int64_t>(c.tensor_at(0).rank()))
    fail(errc::nac_run_axis, "dim is ", axis, "; expected the first or the last axis");
  weight_and_norm r = weight_norm_of(c);
  return value(std::vector<value>{std::move(r.weight), std::move(r.norm)});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
