// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations along axes: sums and the like, the largest and the smallest, softmax.
//
// Sums of floats are made in FP64 and rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "operations.hpp"
#include "reduce.hpp"
#include "tensor/elementwise.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

reduction reduction_of(memory& arena, const tensor& x, std::uint32_t axes, bool keep_axes) {
  reduction r;
  std::size_t order[max_rank] = {}, kept = 0, reduced = max_rank, first = max_rank, last = 0;
  std::size_t wide = 0;  // reduced axes of more or less than one element
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (!names(axes, i)) {
      r.dims.push_back(x.dim(i));
      order[kept++] = i;
      continue;
    }
    if (keep_axes) r.dims.push_back(1);
    if (x.dim(i) == 1) continue;
    ++wide;
    first = std::min(first, i);
    last = i;
  }
  if (wide == 0) {
    r.x = x;
    r.g = {x.dims.product(0, x.rank()), 1, 1};
    return r;
  }
  bool in_a_row = true;
  for (std::size_t i = first; i <= last; ++i)
    in_a_row = in_a_row && (names(axes, i) || x.dim(i) == 1);
  if (in_a_row) {
    r.x = x;
    r.g = {x.dims.product(0, first), x.dims.product(first, last + 1),
           x.dims.product(last + 1, x.rank())};
    return r;
  }
  reduced = kept;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (names(axes, i)) order[reduced++] = i;
  r.x = permuted(arena, x, order);
  r.g = {r.x.dims.product(0, kept), r.x.dims.product(kept, x.rank()), 1};
  return r;
}

std::uint32_t axes_at(call& c, std::size_t letter, std::size_t rank) {
  const std::span<const std::int64_t> list = c.int_list(letter);
  return list.empty() ? all_axes : axes_of(list, rank);
}

void need_elements(const tensor& x, std::uint32_t axes, bool given) {
  bool empty = !given && x.size() == 0;
  for (std::size_t i = 0; i < x.rank(); ++i) empty = empty || (names(axes, i) && x.dim(i) == 0);
  if (empty)
    fail(errc::nac_run_shape,
         "shape " + x.dims.text() + " has no elements to reduce; expected at least 1");
}

namespace operations {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Floats in FP64, finish(a, count) of them rounded once; integers in 64 bits, of which the result
/// keeps the low ones.
template <class R, class Finish>
[[nodiscard]] value reduce_numbers(call& c, data_type to, std::uint32_t axes, bool keep,
                                   Finish&& finish) {
  const tensor& given = c.tensor_at(0);
  const bool in_place = is_floating(to) || (to == data_type::int64 && !is_floating(given.type));
  const reduction r =
      reduction_of(c.arena, in_place ? given : cast(c.arena, given, to), axes, keep);
  tensor out = make_tensor(c.arena, to, r.dims);
  if (out.size() == 0) return out;
  visit(r.x.type, [&]<class T>(of<T>) {
    const T* const x = r.x.template as<T>();
    if (is_floating(to)) {
      fold_by<R, double>(r.g, x, [&](std::int64_t i, double a) {
        put_real(out, i, finish(a, static_cast<double>(r.g.count)));
      });
    } else if constexpr (!is_float<T>) {
      fold_by<R, std::uint64_t>(r.g, x, [&](std::int64_t i, std::uint64_t a) {
        if (to == data_type::int64)
          out.template as<std::int64_t>()[i] = static_cast<std::int64_t>(a);
        else
          out.template as<T>()[i] = convert<T>(a);
      });
    }
  });
  return out;
}
/// Sums and products: those of integers are int64, unless the call names a type.
template <class R>
[[nodiscard]] value reduce_numbers(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, is_floating(x.type) ? x.type : data_type::int64);
  return reduce_numbers<R>(c, to, axes_at(c, 1, x.rank()), c.truth_or(2, false),
                           [](double a, double) { return a; });
}

/// Variances as FP64, given to end(result, variance, mean).
template <class T, class End>
void fold_variances(const reduction& r, double correction, const tensor& means, End&& end) {
  const T* const x = r.x.as<T>();
  double* const mean = means.as<double>();
  const auto n = static_cast<double>(r.g.count);
  const double divisor = std::max(n - correction, 0.0);
  const auto finish = [&](std::int64_t i, double a, double about) {
    const double none = a > 0 ? std::numeric_limits<double>::infinity() : nan;
    end(i, divisor > 0 ? a / divisor : none, about);
  };
  if constexpr (std::is_same_v<T, float>)
    if (r.g.inner == 1) {
      const auto count = static_cast<std::size_t>(r.g.count);
      const T* row = x;
      for (std::int64_t o = 0; o < r.g.outer; ++o, row += count) {
        const tensors::moments m = tensors::moments_of(row, count);
        finish(o, m.variance * n, m.mean);
      }
      return;
    }
  fold_by<reductions::sum, double>(
      r.g, x, [&](std::int64_t i, double a) { mean[i] = r.g.count == 0 ? nan : a / n; });
  fold(
      r.g, x, 0.0,
      [&](double& a, T v, std::int64_t i) {
        const double d = convert<double>(v) - mean[i];
        a += d * d;
      },
      [](double& a, double b) { a += b; },
      [&](std::int64_t i, double a) { finish(i, a, mean[i]); });
}

[[nodiscard]] value variance(call& c, bool is_deviation, bool with_mean) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type))
    fail(errc::nac_run_type,
         "input is " + std::string(model::name(x.type)) + "; expected a floating-point type");
  // Axes are a list here: a number in their place is the correction, or whether it is 1, and what
  // follows says whether axes stay. With three arguments each is in its place.
  const bool without_axes = c.has(1) && c.at(1).is_tensor() && c.count(3) == 0;
  if (without_axes && c.has(2) && c.real(2) != 0 && c.real(2) != 1)
    fail(errc::nac_run_argument, "correction " + std::to_string(c.real(1)) + " is followed by " +
                                     std::to_string(c.real(2)) +
                                     "; expected keepdim, 0 or 1, where no axes are given");
  const std::uint32_t axes = without_axes ? all_axes : axes_at(c, 1, x.rank());
  const double correction = without_axes ? c.real(1) : c.real_or(2, 1);
  const bool keep = c.truth_or(without_axes ? 2 : 3, false);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, x.type, r.dims);
  tensor means = with_mean ? make_tensor(c.arena, x.type, r.dims) : tensor{};
  if (out.size() != 0) {
    const tensor wide = make_tensor(c.arena, data_type::float64, r.dims);
    visit_float(x.type, [&]<class T>(of<T>) {
      fold_variances<T>(r, correction, wide, [&](std::int64_t i, double v, double mean) {
        out.as<T>()[i] = convert<T>(is_deviation ? std::sqrt(v) : v);
        if (with_mean) means.as<T>()[i] = convert<T>(mean);
      });
    });
  }
  if (!with_mean) return out;
  return value(std::vector<value>{std::move(out), std::move(means)});
}

/// Whether all, or any, are true.
template <class R>
[[nodiscard]] value truth(call& c) {
  const tensor& x = c.tensor_at(0);
  // Unlike other operations, these take an empty list for no axis.
  const std::uint32_t axes = c.has(1) ? axes_of(c.int_list(1), x.rank()) : all_axes;
  const reduction r = reduction_of(c.arena, x, axes, c.truth_or(2, false));
  const data_type to = x.type == data_type::uint8 ? data_type::uint8 : data_type::boolean;
  tensor out = make_tensor(c.arena, to, r.dims);
  if (out.size() == 0) return out;
  visit(x.type, [&]<class T>(of<T>) {
    fold_by<R, bool>(r.g, r.x.template as<T>(), [&](std::int64_t i, bool a) {
      out.template as<std::uint8_t>()[i] = a ? 1 : 0;
    });
  });
  return out;
}

// ---- the largest and the smallest

template <class R>
[[nodiscard]] value extreme(call& c, std::uint32_t axes, bool keep) {
  const tensor& x = c.tensor_at(0);
  need_elements(x, axes, axes != all_axes);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, x.type, r.dims);
  if (out.size() == 0) return out;
  visit(x.type, [&]<class T>(of<T>) {
    using A = compute<T>;
    fold_by<R, A>(r.g, r.x.template as<T>(),
                  [&](std::int64_t i, A a) { out.template as<T>()[i] = static_cast<T>(a); });
  });
  return out;
}
template <class R>
[[nodiscard]] value extreme_of_axes(call& c) {
  return extreme<R>(c, axes_at(c, 1, c.tensor_at(0).rank()), c.truth_or(2, false));
}

/// Calls end(result, index) with the first index of each group's greatest or least element.
template <bool Greatest, class T, class End>
void each_best(const groups& g, const T* x, End&& end) {
  using A = compute<T>;
  if (g.inner == 1) {
    for (std::int64_t o = 0; o < g.outer; ++o, x += g.count) {
      A a = static_cast<A>(x[0]);
      std::int64_t best = 0;
      for (std::int64_t i = 1; i < g.count; ++i) {
        const A v = static_cast<A>(x[i]);
        if (reductions::beats<Greatest>(v, a)) {
          a = v;
          best = i;
        }
      }
      end(o, best);
    }
    return;
  }
  A a[columns_at_once];
  std::int64_t best[columns_at_once];
  for (std::int64_t o = 0; o < g.outer; ++o, x += g.count * g.inner)
    for (std::int64_t first = 0; first < g.inner; first += columns_at_once) {
      const std::int64_t n = std::min(columns_at_once, g.inner - first);
      const T* row = x + first;
      for (std::int64_t k = 0; k < n; ++k) {
        a[k] = static_cast<A>(row[k]);
        best[k] = 0;
      }
      for (std::int64_t i = 1; i < g.count; ++i) {
        row += g.inner;
        for (std::int64_t k = 0; k < n; ++k) {
          const A v = static_cast<A>(row[k]);
          if (reductions::beats<Greatest>(v, a[k])) {
            a[k] = v;
            best[k] = i;
          }
        }
      }
      for (std::int64_t k = 0; k < n; ++k) end(o * g.inner + first + k, best[k]);
    }
}

/// Values and indices.
template <bool Greatest>
[[nodiscard]] value extreme_along(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), x.rank());
  const std::uint32_t axes = std::uint32_t{1} << axis;
  need_elements(x, axes, true);
  const groups g = along(x.dims, axis);
  shape dims = x.dims;
  if (x.rank() != 0) dims[axis] = 1;
  if (x.rank() != 0 && !c.truth_or(2, false)) dims.erase(axis);
  tensor values = make_tensor(c.arena, x.type, dims);
  tensor indices = make_tensor(c.arena, data_type::int64, dims);
  if (values.size() != 0)
    visit(x.type, [&]<class T>(of<T>) {
      const T* const from = x.template as<T>();
      each_best<Greatest>(g, from, [&](std::int64_t i, std::int64_t best) {
        const std::int64_t o = i / g.inner, k = i % g.inner;
        values.template as<T>()[i] = from[(o * g.count + best) * g.inner + k];
        indices.template as<std::int64_t>()[i] = best;
      });
    });
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

template <bool Greatest>
[[nodiscard]] value index_of_extreme(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean)
    fail(errc::nac_run_type, "input is bool; expected a numeric type");
  const bool along_axis = c.has(1), keep = c.truth_or(2, false);
  shape dims = x.dims;
  groups g{1, static_cast<std::int64_t>(x.size()), 1};
  if (along_axis) {
    const std::size_t axis = axis_of(c.whole(1), x.rank());
    need_elements(x, std::uint32_t{1} << axis, true);
    g = along(x.dims, axis);
    if (x.rank() != 0) dims[axis] = 1;
    if (x.rank() != 0 && !keep) dims.erase(axis);
  } else {
    need_elements(x, all_axes, false);
    for (std::size_t i = 0; i < dims.rank(); ++i) dims[i] = 1;
    if (!keep) dims = {};
  }
  tensor out = make_tensor(c.arena, data_type::int64, dims);
  if (out.size() == 0) return out;
  visit(x.type, [&]<class T>(of<T>) {
    each_best<Greatest>(g, x.template as<T>(), [&](std::int64_t i, std::int64_t best) {
      out.template as<std::int64_t>()[i] = best;
    });
  });
  return out;
}

// ---- softmax

using tensors::apply;
using tensors::binary;

/// [count, inner] with elements that belong together in columns, each row `inner` long.
void softmax_columns(const float* x, float* y, std::int64_t count, std::int64_t inner,
                     bool logarithm) noexcept {
  float largest[columns_at_once], row[columns_at_once];
  double sum[columns_at_once];
  for (std::int64_t first = 0; first < inner; first += columns_at_once) {
    const std::int64_t n = std::min(columns_at_once, inner - first);
    const auto width = static_cast<std::size_t>(n);
    std::fill(largest, largest + n, -std::numeric_limits<float>::infinity());
    std::fill(sum, sum + n, 0.0);
    for (std::int64_t r = 0; r < count; ++r) {
      const float* const from = x + r * inner + first;
      for (std::int64_t k = 0; k < n; ++k) largest[k] = from[k] > largest[k] ? from[k] : largest[k];
    }
    for (std::int64_t r = 0; r < count; ++r) {
      float* const to = y + r * inner + first;
      apply(binary::sub, x + r * inner + first, largest, to, width);
      float* const e = logarithm ? row : to;
      apply(tensors::function::exp, to, e, width);
      for (std::int64_t k = 0; k < n; ++k) sum[k] += double{e[k]};
    }
    if (logarithm)
      for (std::int64_t k = 0; k < n; ++k) sum[k] = double{largest[k]} + std::log(sum[k]);
    else
      for (std::int64_t k = 0; k < n; ++k) row[k] = static_cast<float>(sum[k]);
    for (std::int64_t r = 0; r < count; ++r) {
      const float* const from = x + r * inner + first;
      float* const to = y + r * inner + first;
      if (logarithm)
        for (std::int64_t k = 0; k < n; ++k) to[k] = static_cast<float>(double{from[k]} - sum[k]);
      else
        apply(binary::div, to, row, to, width);
    }
  }
}

/// In FP64, by the definition.
void softmax_of_doubles(const double* x, double* y, const groups& g, bool logarithm) noexcept {
  for (std::int64_t i = 0; i < g.results(); ++i) {
    const std::int64_t first = i / g.inner * g.count * g.inner + i % g.inner;
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < g.count; ++j) {
      const double v = x[first + j * g.inner];
      largest = v > largest ? v : largest;
    }
    for (std::int64_t j = 0; j < g.count; ++j) {
      const double v = x[first + j * g.inner] - largest, e = std::exp(v);
      sum += e;
      y[first + j * g.inner] = logarithm ? v : e;
    }
    const double less = logarithm ? std::log(sum) : 0;
    for (std::int64_t j = 0; j < g.count; ++j) {
      double& v = y[first + j * g.inner];
      v = logarithm ? v - less : v / sum;
    }
  }
}

[[nodiscard]] value softmax_along(call& c, bool logarithm) {
  const tensor& given = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), given.rank());
  data_type to = c.type_or(2, given.type);
  // The truth value of aten._softmax: whether halves result in float32.
  if (c.has(2) && c.at(2).is_tensor() && c.truth_or(2, false) && is_floating(to) &&
      model::size_of(to) == 2)
    to = data_type::float32;
  if (!is_floating(to))
    fail(errc::nac_run_type, "the result would be " + std::string(model::name(to)) +
                                 "; expected a floating-point type");
  if (given.size() == 0) return make_tensor(c.arena, to, given.dims);
  const groups g = along(given.dims, axis);
  if (to == data_type::float64) {
    const tensor x = cast(c.arena, given, to);
    tensor out = make_tensor(c.arena, to, given.dims);
    softmax_of_doubles(x.as<double>(), out.as<double>(), g, logarithm);
    return out;
  }
  // Values are those of the result's type, halves computed in float32.
  const tensor rounded =
      is_floating(given.type) && model::size_of(given.type) == 2 ? given : cast(c.arena, given, to);
  const tensor x = cast(c.arena, rounded, data_type::float32);
  tensor out = make_tensor(c.arena, data_type::float32, given.dims);
  const float* const from = x.as<float>();
  float* const result = out.as<float>();
  const auto rows = static_cast<std::size_t>(g.outer), n = static_cast<std::size_t>(g.count);
  if (g.inner == 1)
    (logarithm ? tensors::log_softmax : tensors::softmax)(from, result, rows, n,
                                                          tensors::best_level());
  else
    for (std::int64_t o = 0; o < g.outer; ++o)
      softmax_columns(from + o * g.count * g.inner, result + o * g.count * g.inner, g.count,
                      g.inner, logarithm);
  return cast(c.arena, out, to);
}

}  // namespace

value sum(call& c) { return reduce_numbers<reductions::sum>(c); }
value mean(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, x.type);
  if (!is_floating(to))
    fail(errc::nac_run_type, "the mean of " + std::string(model::name(x.type)) + " would be " +
                                 std::string(model::name(to)) + "; expected a floating-point type");
  return reduce_numbers<reductions::sum>(c, to, axes_at(c, 1, x.rank()), c.truth_or(2, false),
                                         [](double a, double n) { return n == 0 ? nan : a / n; });
}
value prod(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, is_floating(x.type) ? x.type : data_type::int64);
  const std::uint32_t axes =
      c.has(1) ? std::uint32_t{1} << axis_of(c.whole(1), x.rank()) : all_axes;
  return reduce_numbers<reductions::prod>(c, to, axes, c.truth_or(2, false),
                                          [](double a, double) { return a; });
}
value nansum(call& c) {
  const data_type from = c.tensor_at(0).type;
  // A NaN is true, so none would be left out.
  if (is_floating(from) && c.type_or(3, from) == data_type::boolean)
    fail(errc::nac_run_type, "dtype is bool for input of " + std::string(model::name(from)) +
                                 "; expected a numeric type");
  return reduce_numbers<reductions::nansum>(c);
}
value nanmean(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, x.type);
  if (!is_floating(x.type) || !is_floating(to))
    fail(errc::nac_run_type, "the mean of " + std::string(model::name(x.type)) + " would be " +
                                 std::string(model::name(to)) + "; expected floating-point types");
  const reduction r = reduction_of(c.arena, x, axes_at(c, 1, x.rank()), c.truth_or(2, false));
  tensor out = make_tensor(c.arena, to, r.dims);
  struct part {
    double sum = 0, count = 0;
  };
  visit_float(x.type, [&]<class T>(of<T>) {
    fold(
        r.g, r.x.as<T>(), part{},
        [](part& a, T element, std::int64_t) {
          const double v = convert<double>(element);
          a.sum += reductions::without_nan(v);
          a.count += v == v ? 1 : 0;
        },
        [](part& a, const part& b) {
          a = {a.sum + b.sum, a.count + b.count};
        },
        [&](std::int64_t i, const part& a) {
          put_real(out, i, a.count == 0 ? nan : a.sum / a.count);
        });
  });
  return out;
}
value count_nonzero(call& c) {
  const tensor& x = c.tensor_at(0);
  const reduction r = reduction_of(c.arena, x, axes_at(c, 1, x.rank()), false);
  tensor out = make_tensor(c.arena, data_type::int64, r.dims);
  if (out.size() == 0) return out;
  visit(x.type, [&]<class T>(of<T>) {
    fold_by<reductions::sum, std::uint64_t, bool>(
        r.g, r.x.template as<T>(), [&](std::int64_t i, std::uint64_t a) {
          out.template as<std::int64_t>()[i] = static_cast<std::int64_t>(a);
        });
  });
  return out;
}
value logsumexp(call& c) {
  const data_type to = as_float(c.tensor_at(0).type);
  const tensor x = cast(c.arena, c.tensor_at(0), to);
  const reduction r = reduction_of(c.arena, x, axes_at(c, 1, x.rank()), c.truth_or(2, false));
  tensor out = make_tensor(c.arena, to, r.dims);
  if (out.size() == 0) return out;
  const tensor greatest = make_tensor(c.arena, data_type::float64, r.dims);
  double* const most = greatest.as<double>();
  visit_float(to, [&]<class T>(of<T>) {
    const T* const from = r.x.as<T>();
    fold_by<reductions::amax, compute<T>>(r.g, from, [&](std::int64_t i, compute<T> a) {
      most[i] = std::isinf(a) ? 0 : static_cast<double>(a);
    });
    fold(
        r.g, from, 0.0,
        [&](double& a, T v, std::int64_t i) { a += std::exp(convert<double>(v) - most[i]); },
        [](double& a, double b) { a += b; },
        [&](std::int64_t i, double a) { put_real(out, i, most[i] + std::log(a)); });
  });
  return out;
}

value var(call& c) { return variance(c, false, false); }
value std_dev(call& c) { return variance(c, true, false); }
value var_mean(call& c) { return variance(c, false, true); }
value std_mean(call& c) { return variance(c, true, true); }
value all(call& c) { return truth<reductions::all>(c); }
value equal(call& c) {
  using enum model::operation;
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (!(a.dims == b.dims)) return make_number(c.arena, false);
  return result_of(c, item, {result_of(c, model::operation::all, {result_of(c, eq, {a, b})})});
}

value any(call& c) { return truth<reductions::any>(c); }
value max_all(call& c) { return extreme<reductions::amax>(c, all_axes, false); }
value min_all(call& c) { return extreme<reductions::amin>(c, all_axes, false); }
value max_dim(call& c) { return extreme_along<true>(c); }
value min_dim(call& c) { return extreme_along<false>(c); }
value amax(call& c) { return extreme_of_axes<reductions::amax>(c); }
value amin(call& c) { return extreme_of_axes<reductions::amin>(c); }
value aminmax(call& c) {
  const std::size_t rank = c.tensor_at(0).rank();
  const std::uint32_t axes = c.has(1) ? std::uint32_t{1} << axis_of(c.whole(1), rank) : all_axes;
  const bool keep = c.truth_or(2, false);
  return value(std::vector<value>{extreme<reductions::amin>(c, axes, keep),
                                  extreme<reductions::amax>(c, axes, keep)});
}
value argmax(call& c) { return index_of_extreme<true>(c); }
value argmin(call& c) { return index_of_extreme<false>(c); }

value softmax(call& c) { return softmax_along(c, false); }
value log_softmax(call& c) { return softmax_along(c, true); }

// Rows of nothing but -infinity become zeros.
value safe_softmax(call& c) {
  using model::operation;
  const tensor out = softmax_along(c, false).as_tensor();
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type) || x.size() == 0) return out;
  const double lowest = -std::numeric_limits<double>::infinity();
  const tensor greatest = tensor_of(
      c, operation::amax, {x, make_number(c.arena, c.whole(1)), make_number(c.arena, true)});
  const tensor all_low = tensor_of(c, operation::eq, {greatest, make_number(c.arena, lowest)});
  return result_of(c, operation::masked_fill, {out, all_low, make_number(c.arena, 0.0)});
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
