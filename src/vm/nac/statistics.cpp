// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Norms and distances, elements by their rank, counts of values, differences.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "multiply.hpp"
#include "operations.hpp"
#include "reduce.hpp"
#include "tensor/formulas.hpp"
#include "tensor/sort.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// What another operation gives for these arguments, a list of each letter's.
[[nodiscard]] value invoke(call& c, value (*f)(call&),
                           std::initializer_list<std::initializer_list<const value*>> letters) {
  model::binding b;
  std::vector<const value*> all;
  std::size_t k = 0;
  for (const auto& arguments : letters) {
    b.first[k] = static_cast<std::uint8_t>(all.size());
    for (const value* v : arguments)
      if (v != nullptr) all.push_back(v);
    b.count[k] = static_cast<std::uint8_t>(all.size() - b.first[k]);
    ++k;
  }
  call inner(c.arena, c.work, c.operation, b, all);
  return f(inner);
}

// ---- norms

/// Brings what f makes of elements together.
template <class F>
void fold_each(const tensor& out, const reduction& r, tensors::reduction by, F&& f,
               tensors::row_function<double> finish = unchanged) {
  fold_to<double>(
      out, r, by,
      [&f](const row_place&, double* row, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) row[i] = f(row[i]);
      },
      finish);
}
const auto size = [](double v) { return std::fabs(v); };
const auto squared = [](double v) { return v * v; };
const auto roots = [](const row_place&, double* row, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) row[i] = std::sqrt(row[i]);
};
/// The norm of any order.
void fold_norm(const tensor& out, const reduction& r, double order) {
  using enum tensors::reduction;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isinf(order)) return fold_each(out, r, order == infinity ? max : min, size);
  if (order == 0)
    return fold_each(out, r, sum_in_lanes, [](double v) { return v != 0 ? 1.0 : 0.0; });
  if (order == 1) return fold_each(out, r, sum_in_lanes, size);
  if (order == 2) return fold_each(out, r, sum_in_lanes, squared, roots);
  fold_each(
      out, r, sum_in_lanes, [order](double v) { return std::pow(std::fabs(v), order); },
      [order](const row_place&, double* row, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) row[i] = std::pow(row[i], 1 / order);
      });
}
[[nodiscard]] value norm_of(call& c, const tensor& x, double order, std::uint32_t axes, bool keep,
                            data_type to) {
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  if (!is_floating(to) || promote(x.type, to) != to)
    fail(errc::nac_run_type, "dtype is ", to,
         "; expected a floating-point type that holds all values of ", x.type);
  // No elements have no greatest one, and 0 has no inverse.
  if (order < 0 || std::isinf(order)) need_elements(x, axes, axes != all_axes);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, to, r.dims);
  if (out.size() == 0) return out;
  // Powers take longer than other sizes.
  if (std::isfinite(order) && order != 0 && order != 1 && order != 2) c.charge_operands(32);
  fold_norm(out, r, order);
  return out;
}

/// As float64, repeated along the axes where there is one element.
[[nodiscard]] tensor spread_reals(call& c, const tensor& x, data_type common, const shape& dims) {
  const source in[] = {{&x, common, data_type::float64}};
  return elementwise(c.arena, dims, in, data_type::float64, data_type::float64,
                     [](const std::byte* const* from, std::byte* to, std::size_t n, const void*) {
                       std::memcpy(to, from[0], n * sizeof(double));
                     });
}

// ---- elements by their rank

constexpr std::size_t parts_size = 256;
using tensors::sort_key;

/// pick(elements, count) is one of each group's elements, which it may put into another order.
/// Without an axis of all elements, and only its value.
[[nodiscard]] value picked(call& c, const std::size_t* axis, bool keep,
                           tensors::function_ref<sort_key(sort_key*, std::int64_t)> pick) {
  const tensor& x = c.tensor_at(0);
  groups g{1, static_cast<std::int64_t>(x.size()), 1};
  shape dims;
  if (axis != nullptr) {
    need_elements(x, std::uint32_t{1} << *axis, true);
    g = along(x.dims, *axis);
    dims = x.dims;
    if (x.rank() != 0) dims[*axis] = 1;
    if (x.rank() != 0 && !keep) dims.erase(*axis);
  }
  tensor values = make_tensor(c.arena, x.type, dims);
  tensor indices = axis != nullptr ? make_tensor(c.arena, data_type::int64, dims) : tensor{};
  if (values.size() != 0) {
    const auto count = static_cast<std::size_t>(g.count);
    const std::size_t bytes = model::size_of(x.type);
    const storage scratch = c.arena.take(count * sizeof(sort_key));
    auto* const all = static_cast<sort_key*>(static_cast<void*>(scratch.data()));
    for (std::int64_t i = 0; i < g.results(); ++i) {
      const std::int64_t first = i / g.inner * g.count * g.inner + i % g.inner;
      tensors::read_keys(element_of(x.type), x.data, first, g.inner, all, count);
      const std::int64_t one = pick(all, g.count).index;
      std::memcpy(values.data + static_cast<std::size_t>(i) * bytes,
                  x.data + static_cast<std::size_t>(first + one * g.inner) * bytes, bytes);
      if (axis != nullptr) indices.as<std::int64_t>()[i] = one;
    }
  }
  if (axis == nullptr) return values;
  return value(std::vector<value>{std::move(values), std::move(indices)});
}
[[nodiscard]] sort_key of_rank(sort_key* all, std::int64_t count, std::int64_t k) {
  std::nth_element(all, all + k, all + count);
  return all[k];
}
/// The lower one of two in the middle. A NaN is the median, unless they aren't counted.
[[nodiscard]] value median_of(call& c, const std::size_t* axis, bool skips_nan) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(x.type, "any type but bool");
  if (axis == nullptr && x.size() == 0) {
    if (is_floating(x.type))
      return filled(c.arena, x.type, {},
                    {data_type::float64, 0, std::numeric_limits<double>::quiet_NaN()});
    fail(errc::nac_run_shape, "shape ", x.dims, " has no elements; expected at least 1 for type ",
         x.type);
  }
  return picked(c, axis, c.truth_or(2, false), [&](sort_key* all, std::int64_t count) {
    const auto is_nan = [&](const sort_key& e) {
      return is_floating(x.type) && e.key == sort_key::nan;
    };
    const std::int64_t nans = std::count_if(all, all + count, is_nan);
    if (nans != 0 && !skips_nan) return *std::find_if(all, all + count, is_nan);
    return of_rank(all, count, (std::max<std::int64_t>(count - nans, 1) - 1) / 2);
  });
}
[[nodiscard]] value median_along(call& c, bool skips_nan) {
  const std::size_t axis = axis_of(c.whole(1), c.tensor_at(0).rank());
  return median_of(c, &axis, skips_nan);
}

}  // namespace

value norm(call& c) {
  const tensor& x = c.tensor_at(0);
  return norm_of(c, x, c.real_or(1, 2), axes_at(c, 2, x.rank()), c.truth_or(3, false),
                 c.type_or(4, x.type));
}
value cosine_similarity(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const data_type common = promote(a, b);
  if (!is_floating(common)) refuse_type(common, "a floating-point type");
  const shape dims = broadcast(a.dims, b.dims);
  const std::uint32_t axes = std::uint32_t{1} << axis_of(c.whole_or(2, 1), dims.rank());
  const double epsilon = c.real_or(3, 1e-8);
  const tensor x = spread_reals(c, a, common, dims), y = spread_reals(c, b, common, dims);
  const value first = x, second = y, both = invoke(c, mul, {{&first}, {&second}});
  const tensor& products = both.as_tensor();
  const reduction r = reduction_of(c.arena, products, axes, false),
                  rx = reduction_of(c.arena, x, axes, false),
                  ry = reduction_of(c.arena, y, axes, false);
  tensor out = make_tensor(c.arena, common, r.dims);
  const tensor sizes = make_tensor(c.arena, data_type::float64, out.dims);
  double* const size_of = sizes.as<double>();
  const auto at_least = [epsilon](double squares) { return std::max(std::sqrt(squares), epsilon); };
  fold_each(sizes, rx, tensors::reduction::sum_in_lanes, squared,
            [&](const row_place&, double* row, std::size_t n) {
              for (std::size_t i = 0; i < n; ++i) row[i] = at_least(row[i]);
            });
  fold_each(sizes, ry, tensors::reduction::sum_in_lanes, squared,
            [&](const row_place& at, double* row, std::size_t n) {
              for (std::size_t i = 0; i < n; ++i)
                row[i] = size_of[at.first + static_cast<std::int64_t>(i)] * at_least(row[i]);
            });
  fold_to<double>(out, r, tensors::reduction::sum_in_lanes,
                  [&](const row_place& at, double* row, std::size_t n) {
                    for (std::size_t i = 0; i < n; ++i)
                      row[i] = tensors::formulas::quotient(
                          row[i], size_of[at.first + static_cast<std::int64_t>(i)]);
                  });
  return out;
}

value median(call& c) { return median_of(c, nullptr, false); }
value nanmedian(call& c) { return median_of(c, nullptr, true); }
value median_dim(call& c) { return median_along(c, false); }
value nanmedian_dim(call& c) { return median_along(c, true); }
value kthvalue(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(x.type, "any type but bool");
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  const std::int64_t k = c.whole(1), most = along(x.dims, axis).count;
  if (k < 1 || k > most) fail(errc::nac_run_argument, "k is ", k, "; expected 1 to ", most);
  return picked(c, &axis, c.truth_or(3, false),
                [k](sort_key* all, std::int64_t count) { return of_rank(all, count, k - 1); });
}
/// The most frequent value, the smallest one of several, and the index of its last element.
value mode(call& c) {
  const std::size_t axis = axis_of(c.whole_or(1, -1), c.tensor_at(0).rank());
  const bool has_nans = is_floating(c.tensor_at(0).type);
  return picked(c, &axis, c.truth_or(2, false), [=](sort_key* all, std::int64_t count) {
    tensors::sort_keys(all, static_cast<std::size_t>(count), false);
    std::int64_t best = 0, most = 0, run = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool is_nan = has_nans && all[i].key == sort_key::nan;
      run = i != 0 && !is_nan && all[i].key == all[i - 1].key ? run + 1 : 1;
      if (run <= most) continue;
      most = run;
      best = i;
    }
    return all[best];
  });
}

value histc(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(x.type, "a floating-point type");
  const std::int64_t bins = c.whole_or(1, 100);
  if (bins <= 0) fail(errc::nac_run_argument, "bins is ", bins, "; expected at least 1");
  double low = c.real_or(2, 0), high = c.real_or(3, 0);
  const auto limit = [&](tensors::reduction by) {
    double found = 0;
    tensors::fold<double>(by, tensors::fold_rows({1, static_cast<std::int64_t>(x.size()), 1}),
                          elements_of(x),
                          [&](const row_place&, double* v, std::size_t) { found = *v; });
    return found;
  };
  if (low == high && x.size() != 0) {
    low = limit(tensors::reduction::min);
    high = limit(tensors::reduction::max);
  }
  if (!std::isfinite(low) || !std::isfinite(high) || low > high)
    fail(errc::nac_run_argument, "min is ", low, " and max ", high,
         "; expected finite numbers, and min <= max");
  if (low == high) {
    low -= 1;
    high += 1;
  }
  const tensor counts = make_tensor(c.arena, data_type::int64, {bins});
  std::int64_t* const count = counts.as<std::int64_t>();
  std::fill_n(count, bins, 0);
  const auto add = [&]<class A>(of<A>) {
    const A first = static_cast<A>(low), last = static_cast<A>(high);
    A part[parts_size];
    for (std::size_t from = 0; from < x.size(); from += parts_size) {
      const std::size_t n = std::min(parts_size, x.size() - from);
      load(x, {static_cast<std::int64_t>(from), 1, 0, 0}, part, n);
      for (const A v : std::span(part, n)) {
        if (!(v >= first && v <= last)) continue;
        const A at = tensors::formulas::quotient((v - first) * static_cast<A>(bins), last - first);
        ++count[std::min(convert<std::int64_t>(at), bins - 1)];
      }
    }
  };
  x.type == data_type::float64 ? add(of<double>{}) : add(of<float>{});
  return cast(c.arena, counts, x.type);
}

value bincount(call& c) {
  const tensor& given = c.tensor_at(0);
  const tensor* const weights = c.optional(1);
  const std::int64_t at_least = c.whole_or(2, 0);
  if (!is_integral(given.type)) refuse_type(given.type, "an integer type");
  if (given.rank() != 1 || (weights != nullptr && weights->dims != given.dims))
    fail(errc::nac_run_shape, "input has shape ", given.dims,
         weights != nullptr ? " and weights " + weights->dims.text() : "", "; expected rank 1",
         weights != nullptr ? " and the same shape" : "");
  if (at_least < 0)
    fail(errc::nac_run_argument, "minlength is ", at_least, "; expected at least 0");
  const tensor x = cast(c.arena, given, data_type::int64);
  const std::span<const std::int64_t> all = x.elements<std::int64_t>();
  std::int64_t count = at_least;
  for (const std::int64_t v : all) {
    if (v < 0 || v == std::numeric_limits<std::int64_t>::max())
      fail(errc::nac_run_argument, "input has an element ", v,
           "; expected at least 0 and less than 2^63 - 1");
    count = std::max(count, v + 1);
  }
  const bool is_weighed = weights != nullptr && !all.empty();
  const data_type to = !is_weighed                           ? data_type::int64
                       : weights->type == data_type::float32 ? data_type::float32
                                                             : data_type::float64;
  tensor out = filled(c.arena, to, {count}, {data_type::int64, 0, 0});
  const tensor added = is_weighed ? cast(c.arena, *weights, to) : tensor{};
  const auto add = [&]<class T>(of<T>) {
    T* const result = out.as<T>();
    for (std::size_t i = 0; i < all.size(); ++i)
      result[all[i]] += is_weighed ? added.as<T>()[i] : 1;
  };
  if (to == data_type::int64)
    add(of<std::int64_t>{});
  else
    to == data_type::float32 ? add(of<float>{}) : add(of<double>{});
  return out;
}

value trace(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(x.type, "any type but bool");
  if (x.rank() != 2) fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 2");
  const std::int64_t n = std::min(x.dim(0), x.dim(1)), step = x.dim(1) + 1;
  tensor out = make_tensor(c.arena, is_floating(x.type) ? x.type : data_type::int64, {});
  visit_sums(x.type, [&]<class A>(of<A>) {
    A sum{}, part[parts_size];
    for (std::int64_t i = 0; i < n; i += std::int64_t{parts_size}) {
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(parts_size, n - i));
      load(x, {i * step, step, 0, 0}, part, count);
      for (const A v : std::span(part, count)) sum = tensors::formulas::add::of(sum, v);
    }
    store(out, {}, &sum, 1);
  });
  return out;
}

/// Differences of elements that follow each other, n times over.
value diff(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() == 0) fail(errc::nac_run_shape, "rank is 0; expected at least 1");
  const std::int64_t n = c.whole_or(1, 1);
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  if (n < 0) fail(errc::nac_run_argument, "n is ", n, "; expected at least 0");
  if (n == 0) return x;
  value all = x;
  const value dim = make_number(c.arena, static_cast<std::int64_t>(axis));
  if (c.has(3) || c.has(4)) {
    for (const std::size_t k : {std::size_t{3}, std::size_t{4}})
      if (c.has(k) && c.tensor_at(k).rank() != x.rank())
        fail(errc::nac_run_shape, k == 3 ? "prepend" : "append", " has shape ", c.tensor_at(k).dims,
             "; expected rank ", x.rank());
    all = invoke(c, cat,
                 {{c.has(3) ? &c.at(3) : nullptr, &all, c.has(4) ? &c.at(4) : nullptr}, {&dim}});
  }
  for (std::int64_t k = 0; k < n; ++k) {
    const tensor t = all.as_tensor();
    const std::int64_t left = t.dim(axis) - 1;
    if (left <= 0) return narrowed(c.arena, t, axis, 0, 0);
    const value before = narrowed(c.arena, t, axis, 0, left);
    const value after = narrowed(c.arena, t, axis, 1, left);
    all = invoke(c, t.type == data_type::boolean ? ne : sub, {{&after}, {&before}});
  }
  return all;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
