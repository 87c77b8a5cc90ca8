// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Matrices as products of others, and what follows from those: norms, inverses, powers and
// exponential functions. In FP64, rounded once. Vectors that are determined but for their sign may have
// another one than PyTorch's.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;

/// Matrices of doubles, [count, rows, columns].
struct batch {
  tensor of;
  shape leading;
  data_type type = data_type::float32;
  std::size_t count = 0, rows = 0, columns = 0;
  [[nodiscard]] double* at(std::size_t i) const noexcept {
    return of.as<double>() + i * rows * columns;
  }
};
/// A copy. Charges what some sweeps over each matrix take.
[[nodiscard]] batch batch_of(call& c, const tensor& x, bool square = false) {
  if (x.type != data_type::float32 && x.type != data_type::float64)
    refuse_type(x.type, "f32 or f64");
  const std::size_t rank = x.rank();
  if (rank < 2 || (square && x.dim(rank - 1) != x.dim(rank - 2)))
    fail(errc::nac_run_shape, "shape is ", x.dims,
         square ? "; expected square matrices" : "; expected matrices");
  batch b;
  b.type = x.type;
  b.leading = leading(x.dims, 2);
  b.count = count_of(x.dims.product(0, rank - 2));
  b.rows = count_of(x.dim(rank - 2));
  b.columns = count_of(x.dim(rank - 1));
  b.of = make_tensor(c.arena, data_type::float64, x.dims);
  cast(x.type, x.data, data_type::float64, b.of.data, b.of.size());
  const std::size_t least = std::min(b.rows, b.columns);
  charge_products(c.arena, data_type::float64, product_of_steps(b.count, 16), b.rows, b.columns,
                  least);
  return b;
}
[[nodiscard]] tensor results(call& c, const batch& b, std::initializer_list<std::size_t> dims) {
  shape all = b.leading;
  for (const std::size_t n : dims) all.push_back(static_cast<std::int64_t>(n));
  return make_tensor(c.arena, data_type::float64, all);
}

/// Turns columns p and q of a matrix by an angle.
void rotate(double* a, std::size_t rows, std::size_t stride, std::size_t p, std::size_t q,
            double cosine, double sine) noexcept {
  for (std::size_t i = 0; i < rows; ++i) {
    double &x = a[i * stride + p], &y = a[i * stride + q];
    const double before = x;
    x = cosine * before - sine * y;
    y = sine * before + cosine * y;
  }
}
void set_identity(double* a, std::size_t n) noexcept {
  std::fill_n(a, n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = 1;
}
/// Columns in the order of `keys`, all that there are.
void reorder(double* a, std::size_t rows, std::size_t stride,
             const std::vector<std::size_t>& keys) {
  std::vector<double> line(keys.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < keys.size(); ++j) line[j] = a[i * stride + keys[j]];
    std::copy(line.begin(), line.end(), a + i * stride);
  }
}
constexpr int max_sweeps = 64;
constexpr double negligible = std::numeric_limits<double>::epsilon();

/// Makes columns `from` … of a matrix, [rows, columns], unit vectors orthogonal to all before.
void complete(double* u, std::size_t rows, std::size_t columns, std::size_t from) {
  std::vector<double> v(rows);
  for (std::size_t j = from, next = 0; j < columns; ++next) {
    std::fill(v.begin(), v.end(), 0.0);
    v[next % rows] = 1;
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < j; ++k) {
        double dot = 0;
        for (std::size_t i = 0; i < rows; ++i) dot += v[i] * u[i * columns + k];
        for (std::size_t i = 0; i < rows; ++i) v[i] -= dot * u[i * columns + k];
      }
    const double norm = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    if (norm * norm * 4 * static_cast<double>(rows) < 1 && next < 2 * rows) continue;
    for (std::size_t i = 0; i < rows; ++i) u[i * columns + j] = v[i] / norm;
    ++j;
  }
}

/// A = U S V' by turning columns until they are orthogonal (Hestenes, 1958). `a` has at least as many
/// rows as columns and becomes the columns of U; V is [columns, columns]; S descends.
void singular_values(double* a, std::size_t rows, std::size_t columns, double* s, double* v) {
  set_identity(v, columns);
  bool turned = true;
  for (int sweep = 0; sweep < max_sweeps && std::exchange(turned, false); ++sweep)
    for (std::size_t p = 0; p < columns; ++p)
      for (std::size_t q = p + 1; q < columns; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          const double x = a[i * columns + p], y = a[i * columns + q];
          pp += x * x;
          qq += y * y;
          pq += x * y;
        }
        if (!(std::fabs(pq) > negligible * std::sqrt(pp * qq))) continue;
        turned = true;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1 / (std::fabs(zeta) + std::hypot(1, zeta)), zeta);
        const double cosine = 1 / std::hypot(1, t);
        rotate(a, rows, columns, p, q, cosine, cosine * t);
        rotate(v, columns, columns, p, q, cosine, cosine * t);
      }
  std::vector<double> norms(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i) sum += a[i * columns + j] * a[i * columns + j];
    norms[j] = std::sqrt(sum);
  }
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return norms[x] > norms[y]; });
  reorder(a, rows, columns, order);
  reorder(v, columns, columns, order);
  std::size_t used = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    s[j] = norms[order[j]];
    if (!(s[j] > 0)) continue;
    for (std::size_t i = 0; i < rows; ++i) a[i * columns + j] /= s[j];
    used = j + 1;
  }
  complete(a, rows, columns, used);
}

void transpose_into(const double* from, std::size_t rows, std::size_t columns, double* to) {
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

/// Of each matrix U, S and V' (not V).
struct factors_of_all {
  tensor u, s, v;
};
[[nodiscard]] factors_of_all decompose(call& c, const batch& b, bool full) {
  const std::size_t least = std::min(b.rows, b.columns), most = std::max(b.rows, b.columns);
  const std::size_t u_columns = full ? b.rows : least, v_rows = full ? b.columns : least;
  factors_of_all f{results(c, b, {b.rows, u_columns}), results(c, b, {least}),
                   results(c, b, {v_rows, b.columns})};
  const tensor room =
      make_tensor(c.arena, data_type::float64,
                  {static_cast<std::int64_t>(2 * most), static_cast<std::int64_t>(most)});
  const bool wide = b.rows < b.columns;
  double *const tall = room.as<double>(), *const small = tall + most * most;
  for (std::size_t k = 0; k < b.count; ++k) {
    if (wide)
      transpose_into(b.at(k), b.rows, b.columns, tall);
    else
      std::copy_n(b.at(k), b.rows * b.columns, tall);
    singular_values(tall, most, least, f.s.as<double>() + k * least, small);
    // The long factor, perhaps with more columns, and the short one.
    const std::size_t long_columns = full ? most : least;
    std::vector<double> longer(most * long_columns);
    for (std::size_t i = 0; i < most; ++i)
      std::copy_n(tall + i * least, least,
                  longer.begin() + static_cast<std::ptrdiff_t>(i * long_columns));
    complete(longer.data(), most, long_columns, least);
    double* const u = f.u.as<double>() + k * b.rows * u_columns;
    double* const v = f.v.as<double>() + k * v_rows * b.columns;
    if (wide) {
      std::copy_n(small, least * least, u);
      transpose_into(longer.data(), most, long_columns, v);
    } else {
      std::copy(longer.begin(), longer.end(), u);
      transpose_into(small, least, least, v);
    }
  }
  return f;
}

/// Eigenvalues of a symmetric matrix, ascending, and their vectors as columns (Jacobi, 1846).
void eigenvalues(double* a, std::size_t n, double* values, double* v) {
  set_identity(v, n);
  bool turned = true;
  for (int sweep = 0; sweep < max_sweeps && std::exchange(turned, false); ++sweep)
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        const double pq = a[p * n + q], pp = a[p * n + p], qq = a[q * n + q];
        if (!(std::fabs(pq) > negligible * negligible * (std::fabs(pp) + std::fabs(qq)))) continue;
        turned = true;
        const double theta = (qq - pp) / (2 * pq);
        const double t = std::copysign(1 / (std::fabs(theta) + std::hypot(1, theta)), theta);
        const double cosine = 1 / std::hypot(1, t), sine = cosine * t;
        rotate(a, n, n, p, q, cosine, sine);
        for (std::size_t i = 0; i < n; ++i) {
          const double x = a[p * n + i], y = a[q * n + i];
          a[p * n + i] = cosine * x - sine * y;
          a[q * n + i] = sine * x + cosine * y;
        }
        a[p * n + q] = a[q * n + p] = 0;
        rotate(v, n, n, p, q, cosine, sine);
      }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return a[x * n + x] < a[y * n + y]; });
  for (std::size_t j = 0; j < n; ++j) values[j] = a[order[j] * n + order[j]];
  reorder(v, n, n, order);
}
/// Both, of matrices of which one triangle is read.
[[nodiscard]] std::pair<tensor, tensor> eigenvalues_of_all(call& c, std::size_t letter) {
  const batch b = batch_of(c, c.tensor_at(0), true);
  const std::string_view triangle = c.string_or(letter, "L");
  if (triangle != "L" && triangle != "U")
    fail(errc::nac_run_argument, "UPLO is \"", triangle.substr(0, 32), "\"; expected L or U");
  const tensor values = results(c, b, {b.rows}), vectors = results(c, b, {b.rows, b.rows});
  for (std::size_t k = 0; k < b.count; ++k) {
    double* const a = b.at(k);
    for (std::size_t i = 0; i < b.rows; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double &below = a[i * b.rows + j], &above = a[j * b.rows + i];
        (triangle == "L" ? above : below) = triangle == "L" ? below : above;
      }
    eigenvalues(a, b.rows, values.as<double>() + k * b.rows,
                vectors.as<double>() + k * b.rows * b.rows);
  }
  return {cast(c.arena, values, b.type), cast(c.arena, vectors, b.type)};
}

/// A = Q R by Householder's reflections, with R's signs as LAPACK has them. Q is [rows, rows] and
/// `a` becomes R.
void triangularise(double* a, std::size_t rows, std::size_t columns, double* q) {
  set_identity(q, rows);
  std::vector<double> v(rows);
  const auto reflect = [&](double* m, std::size_t width, std::size_t from) {
    for (std::size_t j = 0; j < width; ++j) {
      double dot = 0;
      for (std::size_t i = from; i < rows; ++i) dot += v[i] * m[i * width + j];
      for (std::size_t i = from; i < rows; ++i) m[i * width + j] -= 2 * dot * v[i];
    }
  };
  for (std::size_t k = 0; k < std::min(rows, columns) && k + 1 < rows; ++k) {
    double below = 0, sum = 0;
    for (std::size_t i = k + 1; i < rows; ++i) below += a[i * columns + k] * a[i * columns + k];
    if (below == 0) continue;
    const double first = a[k * columns + k];
    const double beta = -std::copysign(std::sqrt(below + first * first), first);
    for (std::size_t i = k; i < rows; ++i) v[i] = a[i * columns + k] - (i == k ? beta : 0);
    for (std::size_t i = k; i < rows; ++i) sum += v[i] * v[i];
    for (std::size_t i = k; i < rows; ++i) v[i] /= std::sqrt(sum);
    reflect(a, columns, k);
    reflect(q, rows, k);  // of Q' for now
  }
}

/// Singular values as another operation's operand.
[[nodiscard]] tensor values_along_last(call& c, const tensor& x) {
  const batch b = batch_of(c, x);
  return cast(c.arena, decompose(c, b, false).s, b.type);
}

/// A norm of the matrices in two dimensions. Letters: self ord word dim keepdim dtype.
[[nodiscard]] value norm_of_matrices(call& c, const tensor& x, std::int64_t row,
                                     std::int64_t column) {
  const bool keep = c.truth_or(4, false);
  const std::string_view word = c.string_or(2, c.has(1) ? "" : "fro");
  const double order = c.has(1) ? c.real(1) : 2;
  const std::size_t i = axis_of(row, x.rank()), j = axis_of(column, x.rank());
  if (i == j || x.rank() < 2)
    fail(errc::nac_run_axis, "dim is ", row, " and ", column, " of ", x.dims,
         "; expected two dimensions");
  const value both = value::int_list({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
  if (word == "fro")
    return result_of(c, operation::norm,
                     {x, make_number(c.arena, 2.0), both, make_number(c.arena, keep)});
  const bool is_nuclear = word == "nuc", of_values = is_nuclear || std::fabs(order) == 2;
  if ((!word.empty() && !is_nuclear) ||
      (word.empty() && !of_values && std::fabs(order) != 1 && !std::isinf(order)))
    fail(errc::nac_run_argument, "ord is ",
         word.empty() ? std::to_string(order) : std::string(word.substr(0, 32)),
         "; expected fro, nuc, 1, 2, inf or their negatives");
  const operation best = order < 0 ? operation::amin : operation::amax;
  if (of_values) {
    const tensor last = tensor_of(c, operation::movedim, {x, both, value::int_list({-2, -1})});
    const tensor s = values_along_last(c, last);
    tensor out = tensor_of(c, is_nuclear ? operation::sum : best, {s, whole(c, -1)});
    if (!keep) return out;
    shape dims = x.dims;
    dims[i] = dims[j] = 1;
    return out.with_shape(dims);
  }
  const bool by_columns = std::fabs(order) == 1;
  const auto summed = static_cast<std::int64_t>(by_columns ? i : j);
  const auto rest = static_cast<std::int64_t>(by_columns ? j : i);
  const value yes = make_number(c.arena, true);
  const tensor sums =
      tensor_of(c, operation::sum, {tensor_of(c, operation::abs, {x}), whole(c, summed), yes});
  const tensor out = tensor_of(c, best, {sums, whole(c, rest), yes});
  if (keep) return out;
  return result_of(c, operation::squeeze, {out, both});
}
[[nodiscard]] tensor typed(call& c) {
  const tensor& x = c.tensor_at(0);
  return cast(c.arena, x, c.type_or(5, x.type));
}

/// The pseudoinverse, without singular values up to a limit.
[[nodiscard]] value pseudoinverse(call& c, double absolute, double relative) {
  const batch b = batch_of(c, c.tensor_at(0));
  const factors_of_all f = decompose(c, b, false);
  const std::size_t least = std::min(b.rows, b.columns);
  const tensor out = results(c, b, {b.columns, b.rows});
  std::fill_n(out.as<double>(), out.size(), 0.0);
  for (std::size_t k = 0; k < b.count; ++k) {
    const double* const s = f.s.as<double>() + k * least;
    const double *const u = f.u.as<double>() + k * b.rows * least, *const v = f.v.as<double>() +
                                                                              k * least * b.columns;
    const double limit = std::max(absolute, least == 0 ? 0 : relative * s[0]);
    double* const to = out.as<double>() + k * b.columns * b.rows;
    for (std::size_t p = 0; p < least && s[p] > limit; ++p)
      for (std::size_t i = 0; i < b.columns; ++i)
        for (std::size_t j = 0; j < b.rows; ++j)
          to[i * b.rows + j] += v[p * b.columns + i] / s[p] * u[j * least + p];
  }
  return cast(c.arena, out, b.type);
}
[[nodiscard]] double default_tolerance(const tensor& x) {
  const auto most = x.rank() < 2 ? 0 : std::max(x.dim(x.rank() - 1), x.dim(x.rank() - 2));
  return static_cast<double>(most) * (x.type == data_type::float64
                                          ? std::numeric_limits<double>::epsilon()
                                          : double{std::numeric_limits<float>::epsilon()});
}

}  // namespace

// Letters: A mode.
value qr(call& c) {
  const batch b = batch_of(c, c.tensor_at(0));
  const std::string_view mode = c.string_or(1, "reduced");
  if (mode != "reduced" && mode != "complete" && mode != "r")
    fail(errc::nac_run_argument, "mode is \"", mode.substr(0, 32),
         "\"; expected reduced, complete or r");
  const std::size_t least = std::min(b.rows, b.columns);
  const std::size_t inner = mode == "complete" ? b.rows : least;
  const tensor q = results(c, b, {b.rows, inner}), r = results(c, b, {inner, b.columns});
  std::vector<double> turned(b.rows * b.rows);
  for (std::size_t k = 0; k < b.count; ++k) {
    triangularise(b.at(k), b.rows, b.columns, turned.data());
    for (std::size_t i = 0; i < b.rows; ++i)
      for (std::size_t j = 0; j < inner; ++j)
        q.as<double>()[(k * b.rows + i) * inner + j] = turned[j * b.rows + i];
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t j = 0; j < b.columns; ++j)
        r.as<double>()[(k * inner + i) * b.columns + j] = j < i ? 0 : b.at(k)[i * b.columns + j];
  }
  const tensor none = make_tensor(c.arena, b.type, {0});
  return value(
      std::vector<value>{mode == "r" ? none : cast(c.arena, q, b.type), cast(c.arena, r, b.type)});
}

/// U, S and V'; without full matrices as many columns and rows as there are values.
[[nodiscard]] value singular_factors(call& c, bool full) {
  const batch b = batch_of(c, c.tensor_at(0));
  const factors_of_all f = decompose(c, b, full);
  return value(std::vector<value>{cast(c.arena, f.u, b.type), cast(c.arena, f.s, b.type),
                                  cast(c.arena, f.v, b.type)});
}
// Letters: A full_matrices.
value svd(call& c) { return singular_factors(c, c.truth_or(1, true)); }
value reduced_svd(call& c) { return singular_factors(c, c.truth_or(1, false)); }
value svdvals(call& c) { return values_along_last(c, c.tensor_at(0)); }
value eigh(call& c) {
  std::pair<tensor, tensor> both = eigenvalues_of_all(c, 1);
  return value(std::vector<value>{std::move(both.first), std::move(both.second)});
}
value eigvalsh(call& c) { return eigenvalues_of_all(c, 1).first; }

value matrix_norm(call& c) {
  const tensor x = typed(c);
  std::int64_t row = -2, column = -1;
  if (c.has(3)) {
    const std::span<const std::int64_t> dims = c.int_list(3);
    if (dims.size() != 2)
      fail(errc::nac_run_argument, "dim has ", dims.size(), " elements; expected 2");
    row = dims[0];
    column = dims[1];
  }
  return norm_of_matrices(c, x, row, column);
}
// Of one dimension a vector's norm, of two a matrix's; without an order or dimensions of all.
value linalg_norm(call& c) {
  const tensor x = typed(c);
  const bool has_order = c.has(1) || c.has(2);
  if (c.has(3)) {
    const std::span<const std::int64_t> dims = c.int_list(3);
    if (dims.size() == 2 && has_order) return norm_of_matrices(c, x, dims[0], dims[1]);
    if (dims.size() > 2 && has_order)
      fail(errc::nac_run_argument, "dim has ", dims.size(), " elements; expected 1 or 2");
  } else if (has_order && x.rank() == 2) {
    return norm_of_matrices(c, x, 0, 1);
  } else if (has_order && x.rank() != 1) {
    fail(errc::nac_run_shape, "shape is ", x.dims, "; expected rank 1 or 2");
  }
  if (c.has(2)) fail(errc::nac_run_argument, "ord is a word for a vector; expected a number");
  value dims;
  if (c.has(3)) {
    const std::span<const std::int64_t> list = c.int_list(3);
    dims = value::int_list({list.begin(), list.end()});
  }
  return result_of(
      c, operation::norm,
      {x, make_number(c.arena, c.real_or(1, 2)), dims, make_number(c.arena, c.truth_or(4, false))});
}
value nuclear_norm(call& c) {
  const tensor s = values_along_last(c, c.tensor_at(0));
  return result_of(c, operation::sum, {s, whole(c, -1)});
}

value pinverse(call& c) { return pseudoinverse(c, 0, c.real_or(1, 1e-15)); }
// Letters: self atol rtol hermitian.
value linalg_pinv(call& c) {
  const double absolute = c.real_or(1, 0);
  const double otherwise = absolute > 0 ? 0 : default_tolerance(c.tensor_at(0));
  return pseudoinverse(c, absolute, c.real_or(2, otherwise));
}
value matrix_rank(call& c) {
  const double absolute = c.real_or(1, 0);
  const tensor& x = c.tensor_at(0);
  const double relative = c.real_or(2, absolute > 0 ? 0 : default_tolerance(x));
  const batch b = batch_of(c, x);
  const tensor s = decompose(c, b, false).s;
  tensor out = make_tensor(c.arena, data_type::int64, b.leading);
  const std::size_t least = std::min(b.rows, b.columns);
  for (std::size_t k = 0; k < b.count; ++k) {
    const double* const all = s.as<double>() + k * least;
    const double limit = std::max(absolute, least == 0 ? 0 : relative * all[0]);
    out.as<std::int64_t>()[k] =
        std::count_if(all, all + least, [limit](double v) { return v > limit; });
  }
  return out;
}

value matrix_power(call& c) {
  const tensor& x = c.tensor_at(0);
  std::int64_t n = c.whole(1);
  const batch b = batch_of(c, x, true);
  constexpr std::int64_t most = 1 << 30;
  if (n > most || n < -most) fail(errc::nac_run_argument, "n is ", n, "; expected at most 2^30");
  tensor square = n < 0 ? tensor_of(c, operation::inverse, {x}) : x, power;
  for (n = std::abs(n); n != 0; n /= 2) {
    if (n % 2 == 1)
      power = power.data == nullptr ? square : tensor_of(c, operation::matmul, {power, square});
    if (n > 1) square = tensor_of(c, operation::matmul, {square, square});
  }
  if (power.data != nullptr) return power;
  for (std::size_t k = 0; k < b.count; ++k) set_identity(b.at(k), b.rows);
  return cast(c.arena, b.of, b.type);
}

// A Taylor series of a small fraction of the matrix, squared as often as it was halved.
value matrix_exp(call& c) {
  const batch b = batch_of(c, c.tensor_at(0), true);
  const std::size_t n = b.rows, size = n * n;
  constexpr int terms = 18, max_halvings = 1100;
  charge_products(c.arena, data_type::float64, product_of_steps(b.count, terms), n, n, n);
  std::vector<double> sum(size), term(size), product(size);
  const auto multiply_by = [&](std::vector<double>& x, const double* y) {
    std::fill(product.begin(), product.end(), 0.0);
    add_products<double>(n, n, n, {x.data(), n}, {y, n}, product.data(), n);
    x.swap(product);
  };
  for (std::size_t k = 0; k < b.count && n != 0; ++k) {
    double* const a = b.at(k);
    double norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double row = 0;
      for (std::size_t j = 0; j < n; ++j) row += std::fabs(a[i * n + j]);
      norm = std::max(norm, row);
    }
    int halvings = 0;
    if (norm > 0.5 && std::isfinite(norm)) halvings = std::min(std::ilogb(norm) + 2, max_halvings);
    for (std::size_t i = 0; i < size; ++i) a[i] = std::ldexp(a[i], -halvings);
    set_identity(sum.data(), n);
    term = sum;
    for (int t = 1; t <= terms; ++t) {
      multiply_by(term, a);
      for (std::size_t i = 0; i < size; ++i) sum[i] += term[i] /= t;
    }
    charge_products(c.arena, data_type::float64, static_cast<std::uint64_t>(halvings), n, n, n);
    for (; halvings != 0; --halvings) {
      term = sum;
      multiply_by(sum, term.data());
    }
    std::copy(sum.begin(), sum.end(), a);
  }
  return cast(c.arena, b.of, b.type);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
