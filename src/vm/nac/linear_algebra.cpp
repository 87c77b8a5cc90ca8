// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products that are made of other operations, distances, and systems of linear equations: by
// elimination in FP64, rounded once.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;

[[nodiscard]] value number_or_none(call& c, std::size_t letter) {
  return c.has(letter) ? c.at(letter) : value();
}

void expect_rank(const tensor& t, std::size_t rank) {
  if (t.rank() != rank) fail(errc::nac_run_shape, "shape is ", t.dims, "; expected rank ", rank);
}
/// As PyTorch, which has no loops for 16 bits here.
void expect_wide_float(const tensor& t) {
  if (t.type != data_type::float32 && t.type != data_type::float64)
    refuse_type(t.type, "f32 or f64");
}

// ---- distances

/// (sum of |x|^p)^(1/p) along the last axis.
[[nodiscard]] tensor norm_along_last(call& c, const tensor& difference, double p) {
  const tensor x = tensor_of(c, operation::abs, {difference});
  const value last = whole(c, -1);
  if (p == std::numeric_limits<double>::infinity() && x.dim(x.rank() - 1) != 0)
    return tensor_of(c, operation::amax, {x, last});
  const auto sum_of_all = [&](const tensor& t) { return tensor_of(c, operation::sum, {t, last}); };
  if (p == 0)
    return cast(c.arena, sum_of_all(tensor_of(c, operation::ne, {x, make_number(c.arena, 0.0)})),
                x.type);
  if (p == 1 || x.dim(x.rank() - 1) == 0) return sum_of_all(x);
  if (p == 2)
    return tensor_of(c, operation::sqrt, {sum_of_all(tensor_of(c, operation::square, {x}))});
  const tensor powers = tensor_of(c, operation::pow, {x, make_number(c.arena, p)});
  return tensor_of(c, operation::pow, {sum_of_all(powers), make_number(c.arena, 1 / p)});
}

[[nodiscard]] double exponent_of(call& c, std::size_t letter) {
  const double p = c.real_or(letter, 2);
  if (!(p >= 0)) fail(errc::nac_run_argument, "p is ", p, "; expected at least 0");
  return p;
}

// ---- linear equations

/// A matrix of doubles, [n, n], as a permutation of its rows made of a lower matrix with ones in its
/// diagonal and an upper one.
struct factors {
  std::vector<std::size_t> rows;  ///< which row of the matrix each one is
  double sign = 1;                ///< of the permutation
  bool singular = false;
};
void factorise(double* a, std::size_t n, factors& f) {
  f.rows.resize(n);
  f.sign = 1;
  f.singular = false;
  for (std::size_t i = 0; i < n; ++i) f.rows[i] = i;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(a[i * n + k]) > std::fabs(a[best * n + k])) best = i;
    if (best != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + best * n);
      std::swap(f.rows[k], f.rows[best]);
      f.sign = -f.sign;
    }
    if (a[k * n + k] == 0) {
      f.singular = true;
      continue;
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double by = a[i * n + k] /= a[k * n + k];
      for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= by * a[k * n + j];
    }
  }
}

/// Solves T X = B in place, X being [n, columns], by substitution.
void substitute(const double* t, std::size_t n, bool upper, bool unit, double* x,
                std::size_t columns) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = upper ? n - 1 - k : k;
    double* const row = x + i * columns;
    for (std::size_t p = upper ? i + 1 : 0; p < (upper ? n : i); ++p)
      for (std::size_t j = 0; j < columns; ++j) row[j] -= t[i * n + p] * x[p * columns + j];
    for (std::size_t j = 0; j < columns && !unit; ++j) row[j] /= t[i * n + i];
  }
}

/// A copy of matrices as doubles, and how many there are of what size.
struct square_matrices {
  tensor a;
  std::size_t count, n;
  [[nodiscard]] double* at(std::size_t i) const noexcept { return a.as<double>() + i * n * n; }
};
/// Charges n^3 steps for each besides.
[[nodiscard]] square_matrices matrices_of(call& c, const tensor& given) {
  expect_wide_float(given);
  const std::size_t rank = given.rank();
  if (rank < 2 || given.dim(rank - 1) != given.dim(rank - 2))
    fail(errc::nac_run_shape, "shape is ", given.dims, "; expected square matrices");
  square_matrices m;
  m.n = count_of(given.dim(rank - 1));
  m.count = count_of(given.dims.product(0, rank - 2));
  m.a = make_tensor(c.arena, data_type::float64, given.dims);
  cast(given.type, given.data, data_type::float64, m.a.data, m.a.size());
  charge_products(c.arena, data_type::float64, m.count, m.n, m.n, m.n);
  return m;
}

/// Throws where a matrix is marked.
void expect_unmarked(const tensor& info, const char* what) {
  for (std::size_t i = 0; i < info.size(); ++i)
    if (info.as<std::int32_t>()[i] != 0) fail(errc::nac_run_argument, "matrix ", i, " is ", what);
}

/// The solution X of A X = B for doubles of one batch; singular ones throw, or get NaN and a mark.
[[nodiscard]] tensor solved(call& c, const square_matrices& m, const tensor& b, std::size_t columns,
                            std::int32_t* marks) {
  charge_products(c.arena, data_type::float64, m.count, m.n, m.n, columns);
  const tensor x = make_tensor(c.arena, data_type::float64, b.dims);
  factors f;
  const storage counted = c.arena.take(m.n * sizeof(std::size_t));
  for (std::size_t i = 0; i < m.count; ++i) {
    factorise(m.at(i), m.n, f);
    if (f.singular && marks == nullptr)
      fail(errc::nac_run_argument, "matrix ", i, " is singular; expected an invertible one");
    if (marks != nullptr) marks[i] = 0;
    for (std::size_t k = m.n; f.singular && k-- != 0;)
      if (m.at(i)[k * m.n + k] == 0) marks[i] = static_cast<std::int32_t>(k + 1);
    const double* const from = b.as<double>() + i * m.n * columns;
    double* const to = x.as<double>() + i * m.n * columns;
    for (std::size_t r = 0; r < m.n; ++r)
      std::copy_n(from + f.rows[r] * columns, columns, to + r * columns);
    substitute(m.at(i), m.n, false, true, to, columns);
    substitute(m.at(i), m.n, true, false, to, columns);
  }
  return x;
}

/// The inverse of each matrix; marks of the singular ones where there is room for them.
[[nodiscard]] tensor inverse_of(call& c, const tensor& given, std::int32_t* marks) {
  const square_matrices m = matrices_of(c, given);
  const tensor ones = make_tensor(c.arena, data_type::float64, given.dims);
  std::fill_n(ones.as<double>(), ones.size(), 0.0);
  for (std::size_t i = 0; i < m.count; ++i)
    for (std::size_t k = 0; k < m.n; ++k) ones.as<double>()[(i * m.n + k) * m.n + k] = 1;
  return cast(c.arena, solved(c, m, ones, m.n, marks), given.type);
}

/// Both of one batch: A, [batch …, n, n], and B, [batch …, n, k], as doubles.
[[nodiscard]] tensor expanded(call& c, const tensor& t, const shape& batch) {
  shape dims = batch;
  for (std::size_t i = t.rank() - 2; i < t.rank(); ++i) dims.push_back(t.dim(i));
  const std::span<const std::int64_t> list = dims.dims();
  return tensor_of(c, operation::expand,
                   {t, value::int_list(std::vector<std::int64_t>(list.begin(), list.end()))});
}
[[nodiscard]] tensor turned(call& c, const tensor& t) {
  return tensor_of(c, operation::transpose, {t, whole(c, -2), whole(c, -1)});
}

/// beta * addend + alpha * A B, as aten.addmm.
[[nodiscard]] tensor addmm_of(call& c, const tensor& addend, const tensor& a, const tensor& b) {
  return tensor_of(c, operation::addmm, {addend, a, b, number_or_none(c, 3), number_or_none(c, 4)});
}

/// a x b along an axis of three elements.
[[nodiscard]] tensor cross_along(call& c, const tensor& a, const tensor& b, std::size_t axis) {
  if (a.rank() != b.rank()) refuse_shapes(a, b);
  const data_type type = promote(a, b);
  if (a.dim(axis) != 3 || b.dim(axis) != 3) refuse_shapes(a, b);
  const value along = whole(c, static_cast<std::int64_t>(axis));
  // Elements 1, 2, 0 and 2, 0, 1 of both.
  const auto rolled = [&](const tensor& t, std::int64_t by) {
    return tensor_of(c, operation::roll, {cast(c.arena, t, type), whole(c, by), along});
  };
  const tensor more = tensor_of(c, operation::mul, {rolled(a, -1), rolled(b, 1)});
  const tensor less = tensor_of(c, operation::mul, {rolled(a, 1), rolled(b, -1)});
  return tensor_of(c, operation::sub, {more, less});
}

}  // namespace

// ---- products

value dot(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.rank() != 1 || b.rank() != 1) refuse_shapes(a, b);
  return result_of(c, operation::matmul, {a, b});
}
value mv(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.rank() != 2 || b.rank() != 1) refuse_shapes(a, b);
  return result_of(c, operation::matmul, {a, b});
}

value inner(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.rank() == 0 || b.rank() == 0) return result_of(c, operation::mul, {a, b});
  const value last = whole(c, -1);
  return result_of(c, operation::tensordot, {a, b, last, last});
}

value addmv(call& c) {
  const tensor &addend = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  if (a.rank() != 2 || b.rank() != 1) refuse_shapes(a, b);
  expect_broadcasts(addend.dims, {a.dim(0)});
  const tensor column = b.with_shape({b.dim(0), 1});
  const tensor all = addend.rank() == 0 ? addend : addend.with_shape({addend.dim(0), 1});
  return addmm_of(c, all, a, column).with_shape({a.dim(0)});
}

value addr(call& c) {
  const tensor &addend = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  if (a.rank() != 1 || b.rank() != 1) refuse_shapes(a, b);
  const tensor* const all[] = {&addend, &a, &b};
  const data_type type = promote(all);
  return addmm_of(c, cast(c.arena, addend, type), cast(c.arena, a, type).with_shape({a.dim(0), 1}),
                  cast(c.arena, b, type).with_shape({1, b.dim(0)}));
}

// The sum over a batch is the product of longer rows and columns.
value addbmm(call& c) {
  const tensor &addend = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  if (a.rank() != 3 || b.rank() != 3 || a.dim(0) != b.dim(0) || a.dim(2) != b.dim(1))
    refuse_shapes(a, b);
  const std::size_t order[] = {1, 0, 2};
  const std::int64_t length = a.dim(0) * a.dim(2);
  return addmm_of(c, addend, permuted(c.arena, a, order).with_shape({a.dim(1), length}),
                  b.with_shape({length, b.dim(2)}));
}

// Elements of [a1, 1, a2, 1] times those of [b1, 1, b2], with as many dimensions each.
value kron(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const std::size_t rank = std::max(a.rank(), b.rank());
  shape of_a, of_b, result;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t m = i + a.rank() < rank ? 1 : a.dim(i + a.rank() - rank);
    const std::int64_t n = i + b.rank() < rank ? 1 : b.dim(i + b.rank() - rank);
    if (m > max_size || n > max_size) refuse_shapes(a, b);
    of_a.push_back(m);
    of_a.push_back(1);
    of_b.push_back(1);
    of_b.push_back(n);
    result.push_back(m * n);
  }
  return tensor_of(c, operation::mul, {a.with_shape(of_a), b.with_shape(of_b)}).with_shape(result);
}

value tensordot(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const std::span<const std::int64_t> of_a = c.int_list(2), of_b = c.int_list(3);
  if (of_a.size() != of_b.size())
    fail(errc::nac_run_argument, "dims are ", of_a.size(), " axes of the first operand and ",
         of_b.size(), " of the second; expected as many");
  const std::uint32_t a_axes = axes_of(of_a, a.rank()), b_axes = axes_of(of_b, b.rank());
  std::size_t a_order[max_rank] = {}, b_order[max_rank] = {};
  std::size_t a_count = 0, b_count = 0;
  shape result;
  std::int64_t rows = 1, shared = 1, columns = 1;
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (!names(a_axes, i)) {
      a_order[a_count++] = i;
      rows *= a.dim(i);
      result.push_back(a.dim(i));
    }
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    const std::size_t i = axis_of(of_a[k], a.rank()), j = axis_of(of_b[k], b.rank());
    if (a.dim(i) != b.dim(j)) refuse_shapes(a, b);
    a_order[a_count++] = i;
    b_order[b_count++] = j;
    shared *= a.dim(i);
  }
  for (std::size_t j = 0; j < b.rank(); ++j)
    if (!names(b_axes, j)) {
      b_order[b_count++] = j;
      columns *= b.dim(j);
      result.push_back(b.dim(j));
    }
  return tensor_of(c, operation::matmul,
                   {permuted(c.arena, a, a_order).with_shape({rows, shared}),
                    permuted(c.arena, b, b_order).with_shape({shared, columns})})
      .with_shape(result);
}

// From left to right; the order changes what is rounded, not what it means.
value multi_dot(call& c) {
  const std::size_t n = c.count(0);
  if (n < 2) fail(errc::nac_run_argument, n, " tensors; expected at least 2");
  tensor product = c.tensor_at(0, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const tensor& t = c.tensor_at(0, k);
    if (t.rank() != 2 && !(t.rank() == 1 && (k == 0 || k == n - 1)))
      fail(errc::nac_run_shape, "operand ", k, " has shape ", t.dims,
           "; expected rank 2, or 1 for the first and the last");
    if (k != 0) product = tensor_of(c, operation::matmul, {product, t});
  }
  return product;
}

value bilinear(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1), &w = c.tensor_at(2);
  if (w.rank() != 3 || a.rank() == 0 || a.rank() != b.rank()) refuse_shapes(a, w);
  const shape batch = leading(a.dims, 1);
  if (!(batch == leading(b.dims, 1))) refuse_shapes(a, b);
  const value equation = value::string("...i,oij,...j->...o");
  const std::vector<value> operands = {a, w, b};
  const tensor out = tensor_of(c, operation::einsum, {equation, value(operands)});
  const tensor* const bias = c.optional(3);
  return bias == nullptr ? value(out) : result_of(c, operation::add, {out, *bias});
}

value cdist(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  const double p = exponent_of(c, 2);
  expect_type(b, a.type);
  expect_wide_float(a);
  if (a.rank() < 2 || b.rank() < 2 || a.dim(a.rank() - 1) != b.dim(b.rank() - 1))
    refuse_shapes(a, b);
  const tensor difference = tensor_of(c, operation::sub,
                                      {tensor_of(c, operation::unsqueeze, {a, whole(c, -2)}),
                                       tensor_of(c, operation::unsqueeze, {b, whole(c, -3)})});
  return norm_along_last(c, difference, p);
}

// Of each row and those after it.
value pdist(call& c) {
  const tensor& x = c.tensor_at(0);
  const double p = exponent_of(c, 1);
  expect_wide_float(x);
  expect_rank(x, 2);
  const std::int64_t n = x.dim(0);
  if (n > max_size)
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected at most ", max_size, " rows");
  const std::int64_t pairs = n * (n - 1) / 2;
  const tensor first = make_tensor(c.arena, data_type::int64, {pairs});
  const tensor second = make_tensor(c.arena, data_type::int64, {pairs});
  std::int64_t *i_to = first.as<std::int64_t>(), *j_to = second.as<std::int64_t>();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = i + 1; j < n; ++j) {
      *i_to++ = i;
      *j_to++ = j;
    }
  const auto rows = [&](const tensor& indices) {
    return tensor_of(c, operation::index_select, {x, whole(c, 0), indices});
  };
  return norm_along_last(c, tensor_of(c, operation::sub, {rows(first), rows(second)}), p);
}

// Without an axis the first of three elements.
value cross(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (c.has(2)) return cross_along(c, a, b, axis_of(c.whole(2), a.rank()));
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (a.dim(i) == 3) return cross_along(c, a, b, i);
  refuse_shapes(a, b);
}
value linalg_cross(call& c) {
  const tensor& a = c.tensor_at(0);
  if (a.rank() == 0) refuse_shapes(a, c.tensor_at(1));
  return cross_along(c, a, c.tensor_at(1), axis_of(c.whole_or(2, -1), a.rank()));
}

// ---- linear equations

value det(call& c) {
  const tensor& given = c.tensor_at(0);
  const square_matrices m = matrices_of(c, given);
  const tensor out = make_tensor(c.arena, data_type::float64, leading(given.dims, 2));
  const storage counted = c.arena.take(m.n * sizeof(std::size_t));
  factors f;
  for (std::size_t i = 0; i < m.count; ++i) {
    factorise(m.at(i), m.n, f);
    double product = f.sign;
    for (std::size_t k = 0; k < m.n; ++k) product *= m.at(i)[k * m.n + k];
    out.as<double>()[i] = product;
  }
  return cast(c.arena, out, given.type);
}

// PyTorch's has factors and pivots, too, for gradients.
value linalg_det(call& c) { return value(std::vector<value>{det(c)}); }

/// The determinant's sign and the logarithm of its size.
value slogdet(call& c) {
  const tensor& given = c.tensor_at(0);
  const square_matrices m = matrices_of(c, given);
  const shape dims = leading(given.dims, 2);
  const tensor signs = make_tensor(c.arena, data_type::float64, dims);
  const tensor sizes = make_tensor(c.arena, data_type::float64, dims);
  const storage counted = c.arena.take(m.n * sizeof(std::size_t));
  factors f;
  for (std::size_t i = 0; i < m.count; ++i) {
    factorise(m.at(i), m.n, f);
    double sign = f.sign, size = 0;
    for (std::size_t k = 0; k < m.n; ++k) {
      const double v = m.at(i)[k * m.n + k];
      sign = v < 0 ? -sign : v == 0 ? 0 : sign;
      size += std::log(std::fabs(v));
    }
    signs.as<double>()[i] = sign;
    sizes.as<double>()[i] = size;
  }
  return value(
      std::vector<value>{cast(c.arena, signs, given.type), cast(c.arena, sizes, given.type)});
}

value inverse(call& c) { return inverse_of(c, c.tensor_at(0), nullptr); }

value inverse_ex(call& c) {
  const tensor& given = c.tensor_at(0);
  const tensor marks =
      make_tensor(c.arena, data_type::int32, given.rank() < 2 ? shape{} : leading(given.dims, 2));
  const tensor out =
      inverse_of(c, given, c.truth_or(1, false) ? nullptr : marks.as<std::int32_t>());
  if (c.truth_or(1, false)) std::fill_n(marks.as<std::int32_t>(), marks.size(), 0);
  return value(std::vector<value>{out, marks});
}

namespace {

/// X of A X = B, or of X A = B. B is a vector where it has one dimension, or those of A but the last;
/// else matrices. `info` gets marks of singular matrices, which throw without it.
[[nodiscard]] tensor solution_of(call& c, tensor* info) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  expect_type(b, a.type);
  const bool left = c.truth_or(2, true);
  if (a.rank() < 2) refuse_shapes(a, b);
  const bool vectors = b.rank() == 1 || (b.rank() + 1 == a.rank() && b.dims == leading(a.dims, 1));
  if (b.rank() == 0 || (vectors && !left)) refuse_shapes(a, b);
  tensor right = vectors ? tensor_of(c, operation::unsqueeze, {b, whole(c, -1)}) : b;
  if (!left) right = turned(c, right);
  const tensor matrix = left ? a : turned(c, a);
  if (right.dim(right.rank() - 2) != matrix.dim(matrix.rank() - 1)) refuse_shapes(a, b);
  const shape batch = broadcast(leading(matrix.dims, 2), leading(right.dims, 2));
  const square_matrices m = matrices_of(c, expanded(c, matrix, batch));
  right = cast(c.arena, expanded(c, right, batch), data_type::float64);
  const auto columns = count_of(right.dim(right.rank() - 1));
  if (info != nullptr) *info = make_tensor(c.arena, data_type::int32, batch);
  std::int32_t* const marks = info == nullptr ? nullptr : info->as<std::int32_t>();
  tensor x = cast(c.arena, solved(c, m, right, columns, marks), a.type);
  if (!left) x = turned(c, x);
  return vectors ? tensor_of(c, operation::squeeze, {x, whole(c, -1)}) : x;
}

}  // namespace

value solve(call& c) { return solution_of(c, nullptr); }
// The solution, factors and pivots, which are empty here because only gradients need them, and marks.
value solve_ex(call& c) {
  tensor info;
  const tensor x = solution_of(c, &info);
  if (c.truth_or(3, false)) expect_unmarked(info, "singular; expected an invertible one");
  const tensor factors_of_a = make_tensor(c.arena, x.type, {0});
  const tensor pivots = make_tensor(c.arena, data_type::int32, {0});
  return value(std::vector<value>{x, factors_of_a, pivots, info});
}

value solve_triangular(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  expect_type(b, a.type);
  const bool upper = c.truth_or(2, true), left = c.truth_or(3, true), unit = c.truth_or(4, false);
  if (a.rank() < 2 || b.rank() < 2) refuse_shapes(a, b);
  const tensor matrix = left ? a : turned(c, a);
  tensor x = left ? b : turned(c, b);
  if (x.dim(x.rank() - 2) != matrix.dim(matrix.rank() - 1)) refuse_shapes(a, b);
  const shape batch = broadcast(leading(matrix.dims, 2), leading(x.dims, 2));
  const square_matrices m = matrices_of(c, expanded(c, matrix, batch));
  const tensor right = expanded(c, x, batch);
  x = make_tensor(c.arena, data_type::float64, right.dims);
  cast(right.type, right.data, data_type::float64, x.data, x.size());
  const auto columns = count_of(x.dim(x.rank() - 1));
  charge_products(c.arena, data_type::float64, m.count, m.n, m.n, columns);
  for (std::size_t i = 0; i < m.count; ++i)
    substitute(m.at(i), m.n, upper == left, unit, x.as<double>() + i * m.n * columns, columns);
  x = cast(c.arena, x, a.type);
  return left ? x : turned(c, x);
}

namespace {

/// A = L L'; of A only the lower triangle is read, or the upper one. The size of the leading part that
/// isn't positive definite, or 0.
[[nodiscard]] std::int32_t factorise_symmetric(double* a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double* const row = a + j * n;
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = row[k];
      for (std::size_t p = 0; p < k; ++p) sum -= row[p] * a[k * n + p];
      if (k == j && !(sum > 0)) return static_cast<std::int32_t>(j + 1);
      row[k] = k == j ? std::sqrt(sum) : sum / a[k * n + k];
    }
    std::fill(row + j + 1, row + n, 0.0);
  }
  return 0;
}
[[nodiscard]] tensor cholesky_of(call& c, tensor& info) {
  const tensor& given = c.tensor_at(0);
  const bool upper = c.truth_or(1, false);
  if (given.rank() < 2)
    fail(errc::nac_run_shape, "shape is ", given.dims, "; expected square matrices");
  const square_matrices m = matrices_of(c, upper ? turned(c, given) : given);
  info = make_tensor(c.arena, data_type::int32, leading(given.dims, 2));
  for (std::size_t i = 0; i < m.count; ++i)
    info.as<std::int32_t>()[i] = factorise_symmetric(m.at(i), m.n);
  const tensor out = cast(c.arena, m.a, given.type);
  return upper ? turned(c, out) : out;
}
constexpr const char* not_positive = "not positive definite; expected one that is";

}  // namespace

value cholesky(call& c) {
  tensor info;
  tensor out = cholesky_of(c, info);
  expect_unmarked(info, not_positive);
  return out;
}
value cholesky_ex(call& c) {
  tensor info;
  const tensor out = cholesky_of(c, info);
  if (c.truth_or(2, false)) expect_unmarked(info, not_positive);
  return value(std::vector<value>{out, info});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
