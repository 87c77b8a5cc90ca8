// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tensors in parts, tensors made of others, and what a tensor is: all by other operations.

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "indexing.hpp"
#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;

[[nodiscard]] value list_of(std::span<const std::int64_t> v) {
  return value::int_list({v.begin(), v.end()});
}
void expect_rank(const tensor& x, std::size_t least) {
  if (x.rank() < least)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank ", least, " or more");
}

/// In sections of one size, or at indices where the argument is a list.
[[nodiscard]] value split_along(call& c, std::size_t axis) {
  const tensor& x = c.tensor_at(0);
  if (c.at(1).what() == value::form::int_list)
    return result_of(c, operation::tensor_split_at,
                     {x, list_of(c.int_list(1)), whole(c, static_cast<std::int64_t>(axis))});
  const std::int64_t sections = c.whole(1);
  if (sections < 1 || x.dim(axis) % sections != 0)
    fail(errc::nac_run_argument, sections, " sections of ", x.dim(axis),
         " elements; expected a divisor");
  return result_of(c, operation::tensor_split,
                   {x, make_number(c.arena, sections), whole(c, static_cast<std::int64_t>(axis))});
}

/// The same of each tensor of a list.
[[nodiscard]] value of_each(call& c, operation o) {
  std::vector<value> all;
  for (std::size_t k = 0; k < c.count(0); ++k) all.push_back(result_of(c, o, {c.tensor_at(0, k)}));
  return value(std::move(all));
}

/// All of these matrices along a diagonal, zeros elsewhere.
[[nodiscard]] shape as_matrix(const tensor& t) {
  if (t.rank() > 2) fail(errc::nac_run_shape, "shape is ", t.dims, "; expected rank 2 or less");
  return {t.rank() == 2 ? t.dim(0) : 1, t.rank() == 0 ? 1 : t.dim(t.rank() - 1)};
}

/// Rows of `r` increasing indices below n, or ones that don't decrease.
void add_combinations(std::int64_t n, std::size_t r, bool again, std::vector<std::int64_t>& row,
                      std::vector<std::int64_t>& all) {
  if (row.size() == r) {
    all.insert(all.end(), row.begin(), row.end());
    return;
  }
  // The last ones need room for those that follow.
  const std::int64_t end = again ? n : n - static_cast<std::int64_t>(r - row.size()) + 1;
  for (std::int64_t i = row.empty() ? 0 : row.back() + (again ? 0 : 1); i < end; ++i) {
    row.push_back(i);
    add_combinations(n, r, again, row, all);
    row.pop_back();
  }
}
/// The binomial coefficient, at most `most`.
[[nodiscard]] std::uint64_t choices(std::uint64_t n, std::uint64_t r, std::uint64_t most) noexcept {
  if (r > n) return 0;
  std::uint64_t all = 1;
  for (std::uint64_t i = 1; i <= std::min(r, n - r) && all < most; ++i) all = all * (n + 1 - i) / i;
  return std::min(all, most);
}

/// Indices that a mask leaves out are 0.
[[nodiscard]] std::vector<value> masked_indices(call& c, std::size_t first) {
  std::vector<value> out;
  for (std::size_t k = 0; k < c.count(first); ++k) {
    if (!c.has(first, k)) {
      out.emplace_back();
      continue;
    }
    out.push_back(
        result_of(c, operation::where,
                  {c.tensor_at(1), c.tensor_at(first, k), make_number(c.arena, std::int64_t{0})}));
  }
  return out;
}

/// Both rows of sums that neighbours along an axis make, for integrals.
[[nodiscard]] tensor part(call& c, const tensor& x, std::size_t axis, std::int64_t from,
                          std::int64_t cut) {
  const std::int64_t count = std::max<std::int64_t>(x.dim(axis) - from - cut, 0);
  return narrowed(c.arena, x, axis, std::min(from, x.dim(axis)), count);
}
[[nodiscard]] tensor areas(call& c, std::size_t& axis) {
  const tensor &y = c.tensor_at(0), &given = c.tensor_at(1);
  axis = axis_of(c.whole_or(2, -1), y.rank());
  tensor x = given;
  if (x.rank() == 1 && y.rank() > 1) {
    shape dims;
    for (std::size_t i = 0; i < y.rank(); ++i) dims.push_back(i == axis ? x.dim(0) : 1);
    x = x.with_shape(dims);
  }
  if (y.rank() == 0 || x.rank() != y.rank() || x.dim(axis) != y.dim(axis)) refuse_shapes(y, given);
  const tensor width =
      tensor_of(c, operation::sub, {part(c, x, axis, 1, 0), part(c, x, axis, 0, 1)});
  const tensor sums =
      tensor_of(c, operation::add, {part(c, y, axis, 1, 0), part(c, y, axis, 0, 1)});
  return tensor_of(c, operation::mul, {sums, width});
}

/// Weights of observations: one each.
[[nodiscard]] tensor observation_weights(const tensor& w, std::int64_t count) {
  if (!(w.dims == shape{count}))
    fail(errc::nac_run_shape, "weights have shape ", w.dims, "; expected [", count,
         "], one per observation");
  return w;
}

}  // namespace

// ---- in parts

value hsplit(call& c) {
  expect_rank(c.tensor_at(0), 1);
  return split_along(c, c.tensor_at(0).rank() == 1 ? 0 : 1);
}
value vsplit(call& c) {
  expect_rank(c.tensor_at(0), 2);
  return split_along(c, 0);
}
value dsplit(call& c) {
  expect_rank(c.tensor_at(0), 3);
  return split_along(c, 2);
}
value tensor_split_by(call& c) {
  const tensor& by = c.tensor_at(1);
  if (by.rank() > 1 || by.type != data_type::int64)
    fail(errc::nac_run_argument, "sections or indices are ", by.dims, " of ", by.type,
         "; expected i64 of rank 0 or 1");
  const value axis = make_number(c.arena, c.whole_or(2, 0));
  if (by.rank() == 0) return result_of(c, operation::tensor_split, {c.at(0), c.at(1), axis});
  return result_of(c, operation::tensor_split_at, {c.at(0), list_of(c.int_list(1)), axis});
}
value atleast_1d_each(call& c) { return of_each(c, operation::atleast_1d); }
value atleast_2d_each(call& c) { return of_each(c, operation::atleast_2d); }
value atleast_3d_each(call& c) { return of_each(c, operation::atleast_3d); }
value to_cpu(call& c) { return of_each(c, operation::pass); }

// ---- of others

value block_diag(call& c) {
  std::int64_t rows = 0, columns = 0;
  std::vector<const tensor*> all;
  for (std::size_t k = 0; k < c.count(0); ++k) {
    all.push_back(&c.tensor_at(0, k));
    const shape dims = as_matrix(*all[k]);
    if (dims[0] > max_size - rows || dims[1] > max_size - columns) refuse_shapes(*all[0], *all[k]);
    rows += dims[0];
    columns += dims[1];
  }
  const data_type type = promote(all);
  tensor out = filled(c.arena, type, {rows, columns}, scalar{});
  const std::size_t size = model::size_of(type);
  std::int64_t row = 0, column = 0;
  for (const tensor* const t : all) {
    const shape dims = as_matrix(*t);
    for (std::int64_t i = 0; i < dims[0]; ++i)
      cast(t->type, t->data + count_of(i * dims[1]) * model::size_of(t->type), type,
           out.data + count_of((row + i) * columns + column) * size, count_of(dims[1]));
    row += dims[0];
    column += dims[1];
  }
  return out;
}

value cartesian_prod(call& c) {
  std::vector<value> lines;
  for (std::size_t k = 0; k < c.count(0); ++k) {
    const tensor& t = c.tensor_at(0, k);
    if (t.rank() != 1)
      fail(errc::nac_run_shape, "operand ", k, " has shape ", t.dims, "; expected rank 1");
    lines.emplace_back(t);
  }
  if (lines.size() == 1) return lines[0];
  const value grids =
      result_of(c, operation::meshgrid, {value(std::move(lines)), value::string("ij")});
  std::vector<value> flat;
  for (const value& v : grids.as_list())
    flat.emplace_back(v.as_tensor().with_shape({static_cast<std::int64_t>(v.as_tensor().size())}));
  return result_of(c, operation::stack, {value(std::move(flat)), whole(c, 1)});
}

value combinations(call& c) {
  const tensor& x = c.tensor_at(0);
  const std::int64_t r = c.whole_or(1, 2);
  const bool again = c.truth_or(2, false);
  if (x.rank() != 1) fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 1");
  if (r < 0 || r > 255) fail(errc::nac_run_argument, "r is ", r, "; expected 0 to 255");
  if (r == 0) return make_tensor(c.arena, x.type, {0});
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  const std::uint64_t n = x.size(), of_r = count_of(r);
  const std::uint64_t rows = choices(again && n != 0 ? n + of_r - 1 : n, of_r, most);
  const storage counted = c.arena.take(product_of_steps(rows, of_r * 8));
  std::vector<std::int64_t> row, all;
  add_combinations(x.dim(0), count_of(r), again, row, all);
  const tensor indices =
      make_tensor(c.arena, data_type::int64, {static_cast<std::int64_t>(all.size())});
  std::copy(all.begin(), all.end(), indices.as<std::int64_t>());
  return selected(c.arena, x, 0, indices)
      .with_shape({static_cast<std::int64_t>(all.size()) / r, r});
}

value fill_diagonal(call& c) {
  const tensor& x = c.tensor_at(0);
  expect_rank(x, 2);
  for (std::size_t i = 1; i < x.rank() && x.rank() > 2; ++i)
    if (x.dim(i) != x.dim(0))
      fail(errc::nac_run_shape, "shape is ", x.dims, "; expected equal dimensions");
  const scalar v = c.number(1);
  fits(v, x.type);
  tensor out = copied(c.arena, x);
  const tensor one = filled(c.arena, x.type, {}, v);
  const strides step(x.dims);
  std::int64_t by = 0, shortest = x.dim(0);
  for (std::size_t i = 0; i < x.rank(); ++i) {
    by += step[i];
    shortest = std::min(shortest, x.dim(i));
  }
  // Wrapped, tall matrices have it again after each square and a row between.
  std::int64_t count = shortest;
  if (c.truth_or(2, false) && x.rank() == 2 && x.dim(0) > x.dim(1))
    count = (static_cast<std::int64_t>(x.size()) + by - 1) / by;
  const std::size_t size = model::size_of(x.type);
  for (std::int64_t i = 0; i < count && x.size() != 0; ++i)
    std::memcpy(out.data + count_of(i * by) * size, one.data, size);
  return out;
}

/// So many rows, the last ones made of the filler where there are fewer.
value nonzero_static(call& c) {
  const std::int64_t rows = c.whole(1);
  if (rows < 0) fail(errc::nac_run_argument, "size is ", rows, "; expected at least 0");
  const tensor found = nonzero_of(c.arena, c.tensor_at(0));
  const std::int64_t filler = c.whole_or(2, -1), width = found.dim(1);
  tensor out = make_tensor(c.arena, data_type::int64, {rows, width});
  const std::size_t n = std::min(found.size(), out.size());
  std::copy_n(found.as<std::int64_t>(), n, out.as<std::int64_t>());
  std::fill_n(out.as<std::int64_t>() + n, out.size() - n, filler);
  return out;
}

value sum_to_size(call& c) {
  const tensor& x = c.tensor_at(0);
  const shape to(c.int_list(1));
  expect_broadcasts(to, x.dims);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i + to.rank() < x.rank() || (to[i + to.rank() - x.rank()] == 1 && x.dim(i) != 1))
      axes.push_back(static_cast<std::int64_t>(i));
  if (axes.empty()) return x;
  return tensor_of(c, operation::sum, {x, value::int_list(std::move(axes))}).with_shape(to);
}

value trapezoid_over(call& c) {
  std::size_t axis = 0;
  const tensor all = areas(c, axis);
  const tensor sum = tensor_of(c, operation::sum, {all, whole(c, static_cast<std::int64_t>(axis))});
  return result_of(c, operation::div, {sum, make_number(c.arena, 2.0)});
}
value cumulative_trapezoid_over(call& c) {
  std::size_t axis = 0;
  const tensor all = areas(c, axis);
  const tensor sums =
      tensor_of(c, operation::cumsum, {all, whole(c, static_cast<std::int64_t>(axis))});
  return result_of(c, operation::div, {sums, make_number(c.arena, 2.0)});
}

/// Parts along an axis get a norm of at most so much.
value renorm(call& c) {
  const tensor& x = c.tensor_at(0);
  expect_rank(x, 2);
  if (!is_floating(x.type)) refuse(c, x.type);
  const std::size_t axis = axis_of(c.whole(2), x.rank());
  const double p = c.real(1), most = c.real(3);
  if (!(p > 0) || !(most >= 0))
    fail(errc::nac_run_argument, "p is ", p, " and maxnorm ", most,
         "; expected p > 0 and maxnorm >= 0");
  std::vector<std::int64_t> others;
  for (std::size_t i = 0; i < x.rank(); ++i)
    if (i != axis) others.push_back(static_cast<std::int64_t>(i));
  const tensor wide = cast(c.arena, x, widened(x.type));
  const tensor norms = tensor_of(c, operation::norm,
                                 {wide, make_number(c.arena, p), value::int_list(std::move(others)),
                                  make_number(c.arena, true)});
  const value limit = make_number(c.arena, most);
  const tensor scale =
      tensor_of(c, operation::div,
                {limit, tensor_of(c, operation::add, {norms, make_number(c.arena, 1e-7)})});
  const tensor by =
      tensor_of(c, operation::where,
                {tensor_of(c, operation::gt, {norms, limit}), scale, make_number(c.arena, 1.0)});
  return cast(c.arena, tensor_of(c, operation::mul, {wide, by}), x.type);
}

// Letters: observations in columns, correction, how often each counts, and how much.
value cov(call& c) {
  const tensor& given = c.tensor_at(0);
  if (given.rank() > 2)
    fail(errc::nac_run_shape, "shape is ", given.dims, "; expected rank 2 or less");
  if (given.type == data_type::boolean) refuse(c, given.type);
  const bool is_vector = given.rank() < 2;
  const data_type type = as_float(given.type);
  const std::int64_t count = given.rank() == 0 ? 1 : given.dim(given.rank() - 1);
  const tensor x = cast(c.arena, given, type).with_shape({is_vector ? 1 : given.dim(0), count});
  const auto correction = static_cast<double>(c.whole_or(1, 1));
  const tensor *how_often = c.optional(2), *how_much = c.optional(3);
  tensor w = filled(c.arena, data_type::float64, {count}, {data_type::float64, 1, 1.0});
  double of_squares = 0, all = 0;
  for (const tensor* const t : {how_often, how_much})
    if (t != nullptr)
      w = tensor_of(c, operation::mul,
                    {w, cast(c.arena, observation_weights(*t, count), data_type::float64)});
  const tensor much = how_much != nullptr ? cast(c.arena, *how_much, data_type::float64) : tensor();
  for (std::int64_t i = 0; i < count; ++i) {
    const double v = w.as<double>()[i];
    if (!(v >= 0)) fail(errc::nac_run_argument, "a weight is ", v, "; expected at least 0");
    all += v;
    of_squares += v * (how_much != nullptr ? much.as<double>()[i] : 1);
  }
  const double norm = how_much != nullptr ? all - correction * of_squares / all : all - correction;
  const tensor wide = cast(c.arena, x, data_type::float64);
  const value along = whole(c, 1), keep = make_number(c.arena, true);
  const tensor weighted = tensor_of(c, operation::mul, {wide, w});
  const tensor mean =
      tensor_of(c, operation::div,
                {tensor_of(c, operation::sum, {weighted, along, keep}), make_number(c.arena, all)});
  const tensor centred = tensor_of(c, operation::sub, {wide, mean});
  const tensor product =
      tensor_of(c, operation::matmul,
                {tensor_of(c, operation::mul, {centred, w}),
                 tensor_of(c, operation::transpose, {centred, whole(c, 0), whole(c, 1)})});
  const tensor out =
      tensor_of(c, operation::div, {product, make_number(c.arena, std::max(norm, 0.0))});
  return cast(c.arena, is_vector ? out.with_shape({}) : out, type);
}
value corrcoef(call& c) {
  const tensor all =
      cast(c.arena, tensor_of(c, operation::cov, {c.tensor_at(0)}), data_type::float64);
  const data_type type = as_float(c.tensor_at(0).type);
  if (all.rank() == 0) return cast(c.arena, tensor_of(c, operation::div, {all, all}), type);
  const tensor deviations =
      tensor_of(c, operation::sqrt, {tensor_of(c, operation::diagonal, {all})});
  const tensor rows = tensor_of(
      c, operation::div, {all, tensor_of(c, operation::unsqueeze, {deviations, whole(c, 1)})});
  const tensor out = tensor_of(c, operation::div, {rows, deviations});
  return cast(
      c.arena,
      tensor_of(c, operation::clamp, {out, make_number(c.arena, -1.0), make_number(c.arena, 1.0)}),
      type);
}

// Letters: self mask indices … and, the last one, the fill.
value unsafe_masked_index(call& c) {
  if (c.tensor_at(1).type != data_type::boolean) refuse(c, c.tensor_at(1).type);
  std::vector<value> given = masked_indices(c, 2);
  const tensor found = tensor_of(c, operation::index, {c.at(0), value(std::move(given))});
  return result_of(c, operation::where, {c.at(1), found, c.at(3)});
}

// ---- what a tensor is

value dim(call& c) {
  return make_number(c.arena, static_cast<std::int64_t>(c.tensor_at(0).rank()));
}
value is_floating_point(call& c) { return make_number(c.arena, is_floating(c.tensor_at(0).type)); }
value is_complex(call& c) { return make_number(c.arena, c.at(0).is_complex()); }
value is_signed(call& c) {
  const data_type t = c.tensor_at(0).type;
  return make_number(c.arena, t != data_type::uint8 && t != data_type::boolean);
}
value is_same_size(call& c) {
  return make_number(c.arena, c.tensor_at(0).dims == c.tensor_at(1).dims);
}
value shape_as_tensor(call& c) {
  const shape& dims = c.tensor_at(0).dims;
  tensor out = make_tensor(c.arena, data_type::int64, {static_cast<std::int64_t>(dims.rank())});
  std::copy(dims.begin(), dims.end(), out.as<std::int64_t>());
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
