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
#include "tensor/rows.hpp"
#include "tensor/softmax.hpp"

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
    fail(errc::nac_run_shape, "shape ", x.dims, " has no elements to reduce; expected at least 1");
}

namespace {

constexpr std::int64_t results_at_once = 512;

/// Calls f(results, how many, place of the first) for parts of all results.
template <class F>
void each_part(std::int64_t count, F&& f) {
  double part[results_at_once];
  for (std::int64_t i = 0; i < count; i += results_at_once)
    f(part, static_cast<std::size_t>(std::min(results_at_once, count - i)), row_place{i, 1, i, 1});
}
/// Reductions of contiguous floats that have a kernel.
[[nodiscard]] double fold_by_kernel(tensors::reduction by, const float* row, std::size_t n) {
  if (by == tensors::reduction::max) return double{tensors::greatest(row, n)};
  if (by == tensors::reduction::min) return double{tensors::least(row, n)};
  return tensors::sum(row, n);
}
[[nodiscard]] bool has_kernel(tensors::reduction by, const reduction& r) {
  using enum tensors::reduction;
  return r.x.type == data_type::float32 && r.g.inner == 1 &&
         (by == sum_in_lanes || by == max || by == min);
}

}  // namespace

template <class A>
void fold_to(const tensor& out, const reduction& r, tensors::reduction by,
             tensors::row_function<A> before, tensors::row_function<A> after) {
  if (out.size() == 0) return;
  tensors::fold<A>(
      by, tensors::fold_rows(r.g),
      [&](const row_place& at, A* row, std::size_t n) {
        load(r.x, at, row, n);
        before(at, row, n);
      },
      [&](const row_place& at, A* results, std::size_t n) {
        after(at, results, n);
        store(out, at, results, n);
      });
}
template <class A>
void fold_to(const tensor& out, const reduction& r, tensors::reduction by,
             tensors::row_function<A> after) {
  if constexpr (std::is_same_v<A, double>)
    if (has_kernel(by, r) && out.size() != 0)
      return each_part(r.g.outer, [&](double* part, std::size_t n, const row_place& at) {
        const auto count = static_cast<std::size_t>(r.g.count);
        const float* const x = r.x.as<float>() + static_cast<std::size_t>(at.first) * count;
        for (std::size_t i = 0; i < n; ++i) part[i] = fold_by_kernel(by, x + i * count, count);
        after(at, part, n);
        store(out, at, part, n);
      });
  if (out.size() == 0) return;
  tensors::fold<A>(by, tensors::fold_rows(r.g, false), elements_of(r.x),
                   [&](const row_place& at, A* results, std::size_t n) {
                     after(at, results, n);
                     store(out, at, results, n);
                   });
}
#define TESSERA_FOLD(A)                                                                            \
  template void fold_to(const tensor&, const reduction&, tensors::reduction,                       \
                        tensors::row_function<A>, tensors::row_function<A>);                       \
  template void fold_to(const tensor&, const reduction&, tensors::reduction,                       \
                        tensors::row_function<A>)
TESSERA_FOLD(float);
TESSERA_FOLD(double);
TESSERA_FOLD(std::int64_t);
#undef TESSERA_FOLD

namespace operations {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Floats in FP64, rounded once; integers in 64 bits, of which the result keeps the low ones.
[[nodiscard]] value reduce_numbers(call& c, tensors::reduction by, data_type to, std::uint32_t axes,
                                   bool keep) {
  const tensor& given = c.tensor_at(0);
  const bool in_place = is_floating(to) || (to == data_type::int64 && !is_floating(given.type));
  const reduction r =
      reduction_of(c.arena, in_place ? given : cast(c.arena, given, to), axes, keep);
  tensor out = make_tensor(c.arena, to, r.dims);
  if (is_floating(to))
    fold_to<double>(out, r, by, unchanged);
  else
    fold_to<std::int64_t>(out, r, by, unchanged);
  return out;
}
/// Those of integers are int64, unless the call names a type.
[[nodiscard]] data_type type_of_sums(call& c) {
  const tensor& x = c.tensor_at(0);
  return c.type_or(3, is_floating(x.type) ? x.type : data_type::int64);
}
[[nodiscard]] reduction reduction_of_call(call& c) {
  const tensor& x = c.tensor_at(0);
  return reduction_of(c.arena, x, axes_at(c, 1, x.rank()), c.truth_or(2, false));
}
void divide(std::int64_t count, double* sums, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    sums[i] = count == 0 ? nan : sums[i] / static_cast<double>(count);
}

[[nodiscard]] value variance(call& c, bool is_deviation, bool with_mean) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type))
    fail(errc::nac_run_type, "input is ", x.type, "; expected a floating-point type");
  // Axes are a list here: a number in their place is the correction, or whether it is 1, and what
  // follows says whether axes stay. With three arguments each is in its place.
  const bool without_axes = c.has(1) && c.at(1).is_tensor() && c.count(3) == 0;
  if (without_axes && c.has(2) && c.real(2) != 0 && c.real(2) != 1)
    fail(errc::nac_run_argument, "correction ", c.real(1), " is followed by ", c.real(2),
         "; expected keepdim, 0 or 1, where no axes are given");
  const std::uint32_t axes = without_axes ? all_axes : axes_at(c, 1, x.rank());
  const double correction = without_axes ? c.real(1) : c.real_or(2, 1);
  const bool keep = c.truth_or(without_axes ? 2 : 3, false);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, x.type, r.dims);
  tensor means = with_mean ? make_tensor(c.arena, x.type, r.dims) : tensor{};
  if (out.size() != 0) {
    const tensor wide = make_tensor(c.arena, data_type::float64, r.dims);
    double* const mean = wide.as<double>();
    const auto count = static_cast<double>(r.g.count);
    const double divisor = std::max(count - correction, 0.0);
    const auto finish = [&](const row_place& at, double* sums, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        const double none = sums[i] > 0 ? std::numeric_limits<double>::infinity() : nan;
        const double v = divisor > 0 ? sums[i] / divisor : none;
        sums[i] = is_deviation ? std::sqrt(v) : v;
      }
      if (with_mean) store(means, at, mean + at.first, n);
    };
    if (x.type == data_type::float32 && r.g.inner == 1) {
      each_part(r.g.outer, [&](double* part, std::size_t n, const row_place& at) {
        for (std::size_t i = 0; i < n; ++i) {
          const auto row = static_cast<std::size_t>(at.first) + i;
          const auto size = static_cast<std::size_t>(r.g.count);
          const tensors::moments m = tensors::moments_of(r.x.as<float>() + row * size, size);
          part[i] = m.variance * count;
          mean[row] = m.mean;
        }
        finish(at, part, n);
        store(out, at, part, n);
      });
    } else {
      fold_to<double>(
          wide, r, tensors::reduction::sum_in_lanes,
          [&](const row_place&, double* sums, std::size_t n) { divide(r.g.count, sums, n); });
      tensors::fold_squares(tensors::fold_rows(r.g), elements_of(r.x), mean,
                            [&](const row_place& at, double* sums, std::size_t n) {
                              finish(at, sums, n);
                              store(out, at, sums, n);
                            });
    }
  }
  if (!with_mean) return out;
  return value(std::vector<value>{std::move(out), std::move(means)});
}

/// 1 for what isn't 0.
constexpr auto truths = [](const row_place&, auto* row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) row[i] = row[i] != 0 ? 1 : 0;
};
/// Whether all, or any, are true.
[[nodiscard]] value truth(call& c, bool all) {
  const tensor& x = c.tensor_at(0);
  // Unlike other operations, these take an empty list for no axis.
  const std::uint32_t axes = c.has(1) ? axes_of(c.int_list(1), x.rank()) : all_axes;
  const reduction r = reduction_of(c.arena, x, axes, c.truth_or(2, false));
  const data_type to = x.type == data_type::uint8 ? data_type::uint8 : data_type::boolean;
  tensor out = make_tensor(c.arena, to, r.dims);
  const auto by = all ? tensors::reduction::prod : tensors::reduction::sum_in_lanes;
  visit_sums(x.type, [&]<class A>(of<A>) { fold_to<A>(out, r, by, truths, truths); });
  return out;
}

// ---- the greatest and the smallest

[[nodiscard]] value extreme(call& c, bool greatest, std::uint32_t axes, bool keep) {
  const tensor& x = c.tensor_at(0);
  need_elements(x, axes, axes != all_axes);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, x.type, r.dims);
  const auto by = greatest ? tensors::reduction::max : tensors::reduction::min;
  // Rows of floats have a kernel.
  if (has_kernel(by, r))
    fold_to<double>(out, r, by, unchanged);
  else
    visit_numbers(x.type, [&]<class A>(of<A>) { fold_to<A>(out, r, by, unchanged); });
  return out;
}
[[nodiscard]] value extreme_of_axes(call& c, bool greatest) {
  return extreme(c, greatest, axes_at(c, 1, c.tensor_at(0).rank()), c.truth_or(2, false));
}

/// The first index of each group's greatest or least element, and its value unless that is null.
void find_best(const tensor& x, const groups& g, bool greatest, const tensor* values,
               const tensor& indices) {
  if (indices.size() == 0) return;
  visit_numbers(x.type, [&]<class A>(of<A>) {
    tensors::fold_best<A>(greatest, tensors::fold_rows(g, false), elements_of(x),
                          put_best<A>(values, indices));
  });
}

/// Values and indices.
[[nodiscard]] value extreme_along(call& c, bool greatest) {
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
  find_best(x, g, greatest, &values, indices);
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

[[nodiscard]] value index_of_extreme(call& c, bool greatest) {
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
  find_best(x, g, greatest, nullptr, out);
  return out;
}

// ---- softmax

[[nodiscard]] value softmax_along(call& c, bool logarithm) {
  const tensor& given = c.tensor_at(0);
  const std::size_t axis = axis_of(c.whole(1), given.rank());
  data_type to = c.type_or(2, given.type);
  // The truth value of aten._softmax: whether halves result in float32.
  if (c.has(2) && c.at(2).is_tensor() && c.truth_or(2, false) && is_floating(to) &&
      model::size_of(to) == 2)
    to = data_type::float32;
  if (!is_floating(to))
    fail(errc::nac_run_type, "the result would be ", to, "; expected a floating-point type");
  if (given.size() == 0) return make_tensor(c.arena, to, given.dims);
  const groups g = along(given.dims, axis);
  if (to == data_type::float64) {
    tensor out = make_tensor(c.arena, to, given.dims);
    cast(given.type, given.data, to, out.data, given.size());
    for (std::int64_t i = 0; i < g.results(); ++i)
      tensors::softmax(out.as<double>() + i / g.inner * g.count * g.inner + i % g.inner,
                       static_cast<std::size_t>(g.count), static_cast<std::size_t>(g.inner),
                       logarithm);
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
    logarithm ? tensors::log_softmax(from, result, rows, n)
              : tensors::softmax(from, result, rows, n);
  else
    for (std::int64_t o = 0; o < g.outer; ++o)
      tensors::softmax_columns(from + o * g.count * g.inner, result + o * g.count * g.inner, n,
                               static_cast<std::size_t>(g.inner), logarithm);
  return cast(c.arena, out, to);
}

}  // namespace

value sum(call& c) {
  const std::uint32_t axes = axes_at(c, 1, c.tensor_at(0).rank());
  return reduce_numbers(c, tensors::reduction::sum_in_lanes, type_of_sums(c), axes,
                        c.truth_or(2, false));
}
value mean(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, x.type);
  if (!is_floating(to))
    fail(errc::nac_run_type, "the mean of ", x.type, " would be ", to,
         "; expected a floating-point type");
  const reduction r = reduction_of_call(c);
  tensor out = make_tensor(c.arena, to, r.dims);
  fold_to<double>(
      out, r, tensors::reduction::sum_in_lanes,
      [&](const row_place&, double* sums, std::size_t n) { divide(r.g.count, sums, n); });
  return out;
}
value prod(call& c) {
  const std::uint32_t axes =
      c.has(1) ? std::uint32_t{1} << axis_of(c.whole(1), c.tensor_at(0).rank()) : all_axes;
  return reduce_numbers(c, tensors::reduction::prod, type_of_sums(c), axes, c.truth_or(2, false));
}

namespace {
constexpr auto without_nan = [](const row_place&, double* row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) row[i] = row[i] != row[i] ? 0 : row[i];
};
}  // namespace

value nansum(call& c) {
  const data_type from = c.tensor_at(0).type, to = type_of_sums(c);
  // A NaN is true, so none would be left out.
  if (is_floating(from) && to == data_type::boolean)
    fail(errc::nac_run_type, "dtype is bool for input of ", from, "; expected a numeric type");
  if (!is_floating(to)) return sum(c);
  const reduction r = reduction_of_call(c);
  tensor out = make_tensor(c.arena, to, r.dims);
  fold_to<double>(out, r, tensors::reduction::sum_in_lanes, without_nan, unchanged);
  return out;
}
value nanmean(call& c) {
  const tensor& x = c.tensor_at(0);
  const data_type to = c.type_or(3, x.type);
  if (!is_floating(x.type) || !is_floating(to))
    fail(errc::nac_run_type, "the mean of ", x.type, " would be ", to,
         "; expected floating-point types");
  const reduction r = reduction_of_call(c);
  tensor out = make_tensor(c.arena, to, r.dims);
  const tensor sums = make_tensor(c.arena, data_type::float64, r.dims);
  fold_to<double>(sums, r, tensors::reduction::sum_in_lanes, without_nan, unchanged);
  fold_to<double>(
      out, r, tensors::reduction::sum_in_lanes,
      [](const row_place&, double* row, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) row[i] = row[i] == row[i] ? 1 : 0;
      },
      [&](const row_place& at, double* counts, std::size_t n) {
        const double* const sum = sums.as<double>() + at.first;
        for (std::size_t i = 0; i < n; ++i) counts[i] = counts[i] == 0 ? nan : sum[i] / counts[i];
      });
  return out;
}
value count_nonzero(call& c) {
  const tensor& x = c.tensor_at(0);
  const reduction r = reduction_of(c.arena, x, axes_at(c, 1, x.rank()), false);
  tensor out = make_tensor(c.arena, data_type::int64, r.dims);
  visit_sums(x.type, [&]<class A>(of<A>) {
    fold_to<A>(out, r, tensors::reduction::sum_in_lanes, truths, unchanged);
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
  fold_to<double>(greatest, r, tensors::reduction::max,
                  [](const row_place&, double* row, std::size_t n) {
                    for (std::size_t i = 0; i < n; ++i) row[i] = std::isinf(row[i]) ? 0 : row[i];
                  });
  fold_to<double>(
      out, r, tensors::reduction::sum_in_lanes,
      [most](const row_place& at, double* row, std::size_t n) {
        const double* less = most + at.index;
        for (std::size_t i = 0; i < n; ++i, less += at.index_step)
          row[i] = std::exp(row[i] - *less);
      },
      [most](const row_place& at, double* row, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
          row[i] = most[at.first + static_cast<std::int64_t>(i)] + std::log(row[i]);
      });
  return out;
}

value var(call& c) { return variance(c, false, false); }
value std_dev(call& c) { return variance(c, true, false); }
value var_mean(call& c) { return variance(c, false, true); }
value std_mean(call& c) { return variance(c, true, true); }
value all(call& c) { return truth(c, true); }
value equal(call& c) {
  using enum model::operation;
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (!(a.dims == b.dims)) return make_number(c.arena, false);
  return result_of(c, item, {result_of(c, model::operation::all, {result_of(c, eq, {a, b})})});
}

value any(call& c) { return truth(c, false); }
value max_all(call& c) { return extreme(c, true, all_axes, false); }
value min_all(call& c) { return extreme(c, false, all_axes, false); }
value max_dim(call& c) { return extreme_along(c, true); }
value min_dim(call& c) { return extreme_along(c, false); }
value amax(call& c) { return extreme_of_axes(c, true); }
value amin(call& c) { return extreme_of_axes(c, false); }
value aminmax(call& c) {
  const std::size_t rank = c.tensor_at(0).rank();
  const std::uint32_t axes = c.has(1) ? std::uint32_t{1} << axis_of(c.whole(1), rank) : all_axes;
  const bool keep = c.truth_or(2, false);
  return value(std::vector<value>{extreme(c, false, axes, keep), extreme(c, true, axes, keep)});
}
value argmax(call& c) { return index_of_extreme(c, true); }
value argmin(call& c) { return index_of_extreme(c, false); }

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
