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
#include "operations.hpp"
#include "reduce.hpp"
#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

[[nodiscard]] std::string name_of(data_type t) { return std::string(model::name(t)); }
[[noreturn]] void refuse_type(const call& c, data_type t) {
  fail(errc::nac_run_type, std::string(model::name(c.operation)) + " of type " + name_of(t));
}

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

/// The greatest or the smallest size.
template <class R, class T, class End>
void fold_sizes(const groups& g, const T* x, End&& end) {
  fold(
      g, x, R::template start<double>(),
      [](double& a, T v, std::int64_t) { a = R::step(a, std::fabs(convert<double>(v))); },
      [](double& a, double b) { a = R::join(a, b); }, end);
}
/// The norm of any order, given to end(result, norm).
template <class T, class End>
void fold_norm(const groups& g, const T* x, double order, End&& end) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (order == infinity) return fold_sizes<reductions::amax>(g, x, end);
  if (order == -infinity) return fold_sizes<reductions::amin>(g, x, end);
  if (order == 0) return fold_by<reductions::sum, double, bool>(g, x, end);
  if (order == 1) return fold_by<reductions::sum_of_sizes, double>(g, x, end);
  if (order == 2)
    return fold_by<reductions::sum_of_squares, double>(
        g, x, [&](std::int64_t i, double a) { end(i, std::sqrt(a)); });
  fold(
      g, x, 0.0,
      [order](double& a, T v, std::int64_t) {
        a += std::pow(std::fabs(convert<double>(v)), order);
      },
      [](double& a, double b) { a += b; },
      [&](std::int64_t i, double a) { end(i, std::pow(a, 1 / order)); });
}
[[nodiscard]] value norm_of(call& c, const tensor& x, double order, std::uint32_t axes, bool keep,
                            data_type to) {
  if (!is_floating(x.type)) refuse_type(c, x.type);
  if (!is_floating(to) || promote(x.type, to) != to)
    fail(errc::nac_run_type, "dtype is " + name_of(to) +
                                 "; expected a floating-point type that holds all values of " +
                                 name_of(x.type));
  // No elements have no greatest one, and 0 has no inverse.
  if (order < 0 || std::isinf(order)) need_elements(x, axes, axes != all_axes);
  const reduction r = reduction_of(c.arena, x, axes, keep);
  tensor out = make_tensor(c.arena, to, r.dims);
  if (out.size() == 0) return out;
  // Powers take longer than other sizes.
  if (std::isfinite(order) && order != 0 && order != 1 && order != 2) c.charge_operands(32);
  visit_float(x.type, [&]<class T>(of<T>) {
    fold_norm(r.g, r.x.as<T>(), order, [&](std::int64_t i, double a) { put_real(out, i, a); });
  });
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

template <class A>
struct ranked {
  A v;
  std::int64_t index;
};
/// NaNs last, equals in their order.
template <class A>
[[nodiscard]] inline bool comes_before(const ranked<A>& a, const ranked<A>& b) noexcept {
  const bool a_nan = a.v != a.v, b_nan = b.v != b.v;
  if (a_nan != b_nan) return b_nan;
  if (a.v < b.v || b.v < a.v) return a.v < b.v;
  return a.index < b.index;
}

/// pick(elements, count) is one of each group's elements, which it may put into another order.
/// Without an axis of all elements, and only its value.
template <class Pick>
[[nodiscard]] value picked(call& c, const std::size_t* axis, bool keep, Pick&& pick) {
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
  if (values.size() != 0)
    visit(x.type, [&]<class T>(of<T>) {
      using item = ranked<compute<T>>;
      const storage scratch = c.arena.take(static_cast<std::uint64_t>(g.count) * sizeof(item));
      item* const all = static_cast<item*>(static_cast<void*>(scratch.data()));
      for (std::int64_t i = 0; i < g.results(); ++i) {
        const T* const from = x.template as<T>() + i / g.inner * g.count * g.inner + i % g.inner;
        for (std::int64_t j = 0; j < g.count; ++j)
          new (all + j) item{static_cast<compute<T>>(from[j * g.inner]), j};
        const item one = pick(all, g.count);
        values.template as<T>()[i] = from[one.index * g.inner];
        if (axis != nullptr) indices.template as<std::int64_t>()[i] = one.index;
      }
    });
  if (axis == nullptr) return values;
  return value(std::vector<value>{std::move(values), std::move(indices)});
}
template <class A>
[[nodiscard]] ranked<A> of_rank(ranked<A>* all, std::int64_t count, std::int64_t k) {
  std::nth_element(all, all + k, all + count, comes_before<A>);
  return all[k];
}
/// The lower one of two in the middle. A NaN is the median, unless they aren't counted.
[[nodiscard]] value median_of(call& c, const std::size_t* axis, bool skips_nan) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(c, x.type);
  if (axis == nullptr && x.size() == 0) {
    if (is_floating(x.type))
      return filled(c.arena, x.type, {},
                    {data_type::float64, 0, std::numeric_limits<double>::quiet_NaN()});
    fail(errc::nac_run_shape, "shape " + x.dims.text() +
                                  " has no elements; expected at least 1 for type " +
                                  name_of(x.type));
  }
  return picked(c, axis, c.truth_or(2, false), [&]<class A>(ranked<A>* all, std::int64_t count) {
    const auto is_nan = [](const ranked<A>& e) { return e.v != e.v; };
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
  if (!is_floating(common)) refuse_type(c, common);
  const shape dims = broadcast(a.dims, b.dims);
  const std::uint32_t axes = std::uint32_t{1} << axis_of(c.whole_or(2, 1), dims.rank());
  const double epsilon = c.real_or(3, 1e-8);
  const tensor x = spread_reals(c, a, common, dims), y = spread_reals(c, b, common, dims);
  const value first = x, second = y, both = invoke(c, mul, {{&first}, {&second}});
  const tensor& products = both.as_tensor();
  const auto fold_all = [&]<class R>(R, const tensor& t, auto&& end) {
    const reduction r = reduction_of(c.arena, t, axes, false);
    fold_by<R, double>(r.g, r.x.as<double>(), end);
  };
  tensor out = make_tensor(c.arena, common, reduction_of(c.arena, products, axes, false).dims);
  const tensor sizes = make_tensor(c.arena, data_type::float64, out.dims);
  double* const size = sizes.as<double>();
  fold_all(reductions::sum_of_squares{}, x,
           [&](std::int64_t i, double v) { size[i] = std::max(std::sqrt(v), epsilon); });
  fold_all(reductions::sum_of_squares{}, y,
           [&](std::int64_t i, double v) { size[i] *= std::max(std::sqrt(v), epsilon); });
  fold_all(reductions::sum{}, products, [&](std::int64_t i, double v) {
    put_real(out, i, tensors::formulas::quotient(v, size[i]));
  });
  return out;
}

value median(call& c) { return median_of(c, nullptr, false); }
value nanmedian(call& c) { return median_of(c, nullptr, true); }
value median_dim(call& c) { return median_along(c, false); }
value nanmedian_dim(call& c) { return median_along(c, true); }
value kthvalue(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(c, x.type);
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  const std::int64_t k = c.whole(1), most = along(x.dims, axis).count;
  if (k < 1 || k > most)
    fail(errc::nac_run_argument,
         "k is " + std::to_string(k) + "; expected 1 to " + std::to_string(most));
  return picked(c, &axis, c.truth_or(3, false), [k]<class A>(ranked<A>* all, std::int64_t count) {
    return of_rank(all, count, k - 1);
  });
}
/// The most frequent value, the smallest one of several, and the index of its last element.
value mode(call& c) {
  const std::size_t axis = axis_of(c.whole_or(1, -1), c.tensor_at(0).rank());
  return picked(c, &axis, c.truth_or(2, false), []<class A>(ranked<A>* all, std::int64_t count) {
    std::sort(all, all + count, comes_before<A>);
    std::int64_t best = 0, most = 0, run = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      run = i != 0 && all[i].v == all[i - 1].v ? run + 1 : 1;
      if (run <= most) continue;
      most = run;
      best = i;
    }
    return all[best];
  });
}

value histc(call& c) {
  const tensor& x = c.tensor_at(0);
  if (!is_floating(x.type)) refuse_type(c, x.type);
  const std::int64_t bins = c.whole_or(1, 100);
  if (bins <= 0)
    fail(errc::nac_run_argument, "bins is " + std::to_string(bins) + "; expected at least 1");
  double low = c.real_or(2, 0), high = c.real_or(3, 0);
  return visit_float(x.type, [&]<class T>(of<T>) -> value {
    using A = compute<T>;
    const T* const from = x.as<T>();
    const groups g{1, static_cast<std::int64_t>(x.size()), 1};
    if (low == high && x.size() != 0) {
      fold_by<reductions::amin, A>(g, from, [&](std::int64_t, A a) { low = double{a}; });
      fold_by<reductions::amax, A>(g, from, [&](std::int64_t, A a) { high = double{a}; });
    }
    if (!std::isfinite(low) || !std::isfinite(high) || low > high)
      fail(errc::nac_run_argument, "min is " + std::to_string(low) + " and max " +
                                       std::to_string(high) +
                                       "; expected finite numbers, and min <= max");
    if (low == high) {
      low -= 1;
      high += 1;
    }
    const tensor counts = make_tensor(c.arena, data_type::int64, {bins});
    std::int64_t* const count = counts.as<std::int64_t>();
    std::fill_n(count, bins, 0);
    const A first = static_cast<A>(low), last = static_cast<A>(high);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const A v = static_cast<A>(from[i]);
      if (!(v >= first && v <= last)) continue;
      const A at = tensors::formulas::quotient((v - first) * static_cast<A>(bins), last - first);
      ++count[std::min(convert<std::int64_t>(at), bins - 1)];
    }
    return cast(c.arena, counts, x.type);
  });
}

value bincount(call& c) {
  const tensor& given = c.tensor_at(0);
  const tensor* const weights = c.optional(1);
  const std::int64_t at_least = c.whole_or(2, 0);
  if (!is_integral(given.type)) refuse_type(c, given.type);
  if (given.rank() != 1 || (weights != nullptr && weights->dims != given.dims))
    fail(errc::nac_run_shape,
         "input has shape " + given.dims.text() +
             (weights != nullptr ? " and weights " + weights->dims.text() : "") +
             "; expected rank 1" + (weights != nullptr ? " and the same shape" : ""));
  if (at_least < 0)
    fail(errc::nac_run_argument,
         "minlength is " + std::to_string(at_least) + "; expected at least 0");
  const tensor x = cast(c.arena, given, data_type::int64);
  const std::span<const std::int64_t> all = x.elements<std::int64_t>();
  std::int64_t count = at_least;
  for (const std::int64_t v : all) {
    if (v < 0 || v == std::numeric_limits<std::int64_t>::max())
      fail(errc::nac_run_argument, "input has an element " + std::to_string(v) +
                                       "; expected at least 0 and less than 2^63 - 1");
    count = std::max(count, v + 1);
  }
  const bool is_weighed = weights != nullptr && !all.empty();
  const data_type to = !is_weighed                           ? data_type::int64
                       : weights->type == data_type::float32 ? data_type::float32
                                                             : data_type::float64;
  tensor out = filled(c.arena, to, {count}, {data_type::int64, 0, 0});
  const tensor added = is_weighed ? cast(c.arena, *weights, to) : tensor{};
  visit(to, [&]<class T>(of<T>) {
    T* const result = out.template as<T>();
    for (std::size_t i = 0; i < all.size(); ++i)
      result[all[i]] = tensors::formulas::add::of(
          result[all[i]], is_weighed ? added.template as<T>()[i] : convert<T>(1));
  });
  return out;
}

value trace(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean) refuse_type(c, x.type);
  if (x.rank() != 2) fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected rank 2");
  const std::int64_t n = std::min(x.dim(0), x.dim(1)), step = x.dim(1) + 1;
  tensor out = make_tensor(c.arena, is_floating(x.type) ? x.type : data_type::int64, {});
  visit(x.type, [&]<class T>(of<T>) {
    using A = std::conditional_t<is_float<T>, double, std::int64_t>;
    A a{};
    for (std::int64_t i = 0; i < n; ++i)
      a = tensors::formulas::add::of(a, convert<A>(x.template as<T>()[i * step]));
    if constexpr (is_float<T>)
      out.template as<T>()[0] = convert<T>(a);
    else
      out.template as<std::int64_t>()[0] = a;
  });
  return out;
}

/// Differences of elements that follow each other, n times over.
value diff(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.rank() == 0) fail(errc::nac_run_shape, "rank is 0; expected at least 1");
  const std::int64_t n = c.whole_or(1, 1);
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  if (n < 0) fail(errc::nac_run_argument, "n is " + std::to_string(n) + "; expected at least 0");
  if (n == 0) return x;
  value all = c.at(0);
  const value dim = make_number(c.arena, static_cast<std::int64_t>(axis));
  if (c.has(3) || c.has(4)) {
    for (const std::size_t k : {std::size_t{3}, std::size_t{4}})
      if (c.has(k) && c.tensor_at(k).rank() != x.rank())
        fail(errc::nac_run_shape, std::string(k == 3 ? "prepend" : "append") + " has shape " +
                                      c.tensor_at(k).dims.text() + "; expected rank " +
                                      std::to_string(x.rank()));
    all = invoke(
        c, cat, {{c.has(3) ? &c.at(3) : nullptr, &c.at(0), c.has(4) ? &c.at(4) : nullptr}, {&dim}});
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
