// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices, and what is made of them: linear layers.

#include <cmath>
#include <tessera/core/bytes.hpp>
#include <utility>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

/// How many rows of so many 16-bit floats are widened at a time: a part that stays in the cache.
[[nodiscard]] std::size_t rows_at_once(std::size_t rows, std::size_t columns) noexcept {
  constexpr std::size_t elements = std::size_t{1} << 17;
  return std::clamp<std::size_t>(elements / std::max<std::size_t>(columns, 1), 1,
                                 std::max<std::size_t>(rows, 1));
}

/// C = A B or C += A B, where B is a tensor's elements, of 16 bits or of type T, which are widened a
/// part at a time.
template <class T>
void multiply_by(call& c, std::size_t m, std::size_t n, std::size_t k, const T* a, data_type type,
                 const std::byte* b, bool transposed, T* out, bool accumulate) {
  const auto as_bytes = [](T* p) { return static_cast<std::byte*>(static_cast<void*>(p)); };
  if (widened(type) == type) {
    const T* const data = static_cast<const T*>(static_cast<const void*>(b));
    return multiply<T>(m, n, k, {a, k}, {data, transposed ? k : n, transposed}, out, n, accumulate,
                       c.work);
  }
  const std::size_t rows = transposed ? n : k, columns = transposed ? k : n;
  const std::size_t once = rows_at_once(rows, columns);
  if (rows == 0) return multiply<T>(m, n, k, {a, k}, {a, n}, out, n, accumulate, c.work);
  const storage part = c.arena.take(once * columns * sizeof(T));
  T* const wide = static_cast<T*>(static_cast<void*>(part.data()));
  for (std::size_t row = 0; row < rows; row += once) {
    const std::size_t now = std::min(once, rows - row);
    cast(type, b + row * columns * model::size_of(type), widened(type), as_bytes(wide),
         now * columns);
    if (transposed)
      multiply<T>(m, now, k, {a, k}, {wide, k, true}, out + row, n, accumulate, c.work);
    else
      multiply<T>(m, n, now, {a + row, k}, {wide, n}, out, n, accumulate || row != 0, c.work);
  }
}

/// Products for each index of `batch`, written or added to `out`, [batch …, m, n] of the widened
/// type.
template <class T>
void multiply_all(call& c, const matrices& by, const shape& batch, const tensor& a_given,
                  const tensor& b_given, T* out, bool accumulate) {
  const std::size_t batches = count_of(batch.product(0, batch.rank()));
  const std::size_t m = by.m, n = by.n, k = by.k;
  if (batches == 0 || m == 0 || n == 0) return;
  charge_products(c.arena, widened(a_given.type), batches, m, n, k);
  if (k == 0) {
    if (!accumulate) std::fill_n(out, batches * m * n, T{});
    return;
  }
  const tensor a = cast(c.arena, a_given, widened(a_given.type));
  const T* const a_data = a.as<T>();
  if (by.b_batch.product(0, by.b_batch.rank()) == 1 && by.a_batch == batch)
    return multiply_by<T>(c, batches * m, n, k, a_data, b_given.type, b_given.data, by.transposed,
                          out, accumulate);
  const tensor b = cast(c.arena, b_given, widened(b_given.type));
  const T* const b_data = b.as<T>();
  T* to = out;
  broadcast_rows<2>(batch, {&by.a_batch, &by.b_batch}).each_element([&](const auto& at) {
    const T* const x = a_data + count_of(at[0]) * m * k;
    const T* const y = b_data + count_of(at[1]) * k * n;
    T* const product = std::exchange(to, to + m * n);
    if (m * n * k > 16)
      return multiply<T>(m, n, k, {x, k}, {y, by.transposed ? k : n, by.transposed}, product, n,
                         accumulate, c.work);
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t s = 0; s < n; ++s) {
        T sum = accumulate ? product[r * n + s] : T{};
        for (std::size_t p = 0; p < k; ++p)
          sum = sum_of(sum, x[r * k + p], y[by.transposed ? s * k + p : p * n + s]);
        product[r * n + s] = sum;
      }
  });
}

/// `scale` times the elements that broadcast to `dims`.
template <class T>
void fill(const tensor& from, T scale, const shape& dims, T* out) {
  const auto rows = [&](const auto* data, auto read) {
    const std::size_t columns = dims.rank() == 0 ? 1 : count_of(dims[dims.rank() - 1]);
    const shape outer = dims.rank() == 0 ? dims : leading(dims, 1);
    const bool repeats = from.rank() == 0 || from.dim(from.rank() - 1) == 1;
    const std::size_t count = columns == 0 ? 0 : count_of(outer.product(0, outer.rank()));
    shape from_outer = from.rank() == 0 ? from.dims : leading(from.dims, 1);
    if (count == 0) return;
    T* to = out;
    broadcast_rows<1>(outer, {&from_outer}).each_element([&](const auto& at) {
      const auto* const row = data + count_of(at[0]) * (repeats ? 1 : columns);
      if (repeats)
        std::fill_n(to, columns, sum_of(T{}, scale, read(row[0])));
      else if (scale == T{1})
        for (std::size_t i = 0; i < columns; ++i) to[i] = read(row[i]);
      else
        for (std::size_t i = 0; i < columns; ++i) to[i] = sum_of(T{}, scale, read(row[i]));
      to += columns;
    });
  };
  if (widened(from.type) == from.type) return rows(from.as<T>(), [](T v) { return v; });
  if constexpr (std::is_same_v<T, float>)
    visit_float(from.type, [&]<class F>(of<F>) {
      if constexpr (is_half<F>) rows(from.as<F>(), [](F v) { return static_cast<float>(v); });
    });
}

}  // namespace

tensor matrix_product(call& c, const matrices& by, const shape& batch, const shape& result,
                      const tensor& a, const tensor& b, const tensor* addend, const scalar* beta,
                      const scalar* alpha) {
  tensor out = make_tensor(c.arena, widened(a.type), result);
  visit_product(a.type, [&]<class T>(of<T>) {
    const T times = alpha == nullptr ? T{1} : alpha->as<T>();
    const T addend_times = addend == nullptr ? T{} : beta == nullptr ? T{1} : beta->as<T>();
    // What isn't counted isn't looked at: a NaN there doesn't matter.
    if (times == T{}) {
      std::fill_n(out.as<T>(), out.size(), T{});
    } else if (times == T{1} && addend_times != T{}) {
      fill<T>(*addend, addend_times, result, out.as<T>());
      return multiply_all<T>(c, by, batch, a, b, out.as<T>(), true);
    } else {
      multiply_all<T>(c, by, batch, a, b, out.as<T>(), false);
    }
    if (times != T{1} && times != T{})
      for (T& v : out.elements<T>()) v = sum_of(T{}, times, v);
    if (addend_times == T{}) return;
    const tensor more = make_tensor(c.arena, out.type, result);
    fill<T>(*addend, addend_times, result, more.as<T>());
    for (std::size_t i = 0; i < out.size(); ++i)
      out.as<T>()[i] = sum_of(out.as<T>()[i], T{1}, more.as<T>()[i]);
  });
  return cast(c.arena, out, a.type);
}

tensor linear_of(call& c, const tensor& x, const tensor& w, const tensor* bias) {
  expect_type(w, x.type);
  if (bias != nullptr) expect_type(*bias, x.type);
  if (x.rank() == 0 || w.rank() == 0 || w.rank() > 2 || (w.rank() == 1 && bias != nullptr) ||
      x.dim(x.rank() - 1) != w.dim(w.rank() - 1))
    refuse_shapes(x, w);
  // All rows at once.
  shape result = leading(x.dims, 1);
  matrices by;
  by.m = count_of(result.product(0, result.rank()));
  by.k = count_of(x.dim(x.rank() - 1));
  by.n = w.rank() == 1 ? 1 : count_of(w.dim(0));
  by.transposed = true;
  if (w.rank() == 2) result.push_back(w.dim(0));
  if (bias != nullptr) expect_broadcasts(bias->dims, result);
  return matrix_product(c, by, {}, result, x, w, bias);
}

namespace operations {
namespace {

[[nodiscard]] tensor matmul_of(call& c, const tensor& a, const tensor& b) {
  expect_type(b, a.type);
  if (a.rank() == 0 || b.rank() == 0) refuse_shapes(a, b);
  matrices by;
  const std::size_t row = b.rank() == 1 ? 0 : b.rank() - 2;
  by.k = count_of(a.dim(a.rank() - 1));
  if (b.dim(row) != a.dim(a.rank() - 1)) refuse_shapes(a, b);
  by.m = a.rank() == 1 ? 1 : count_of(a.dim(a.rank() - 2));
  by.n = b.rank() == 1 ? 1 : count_of(b.dim(b.rank() - 1));
  by.a_batch = leading(a.dims, std::min<std::size_t>(a.rank(), 2));
  by.b_batch = leading(b.dims, std::min<std::size_t>(b.rank(), 2));
  const shape batch = broadcast(by.a_batch, by.b_batch);
  shape result = batch;
  if (a.rank() > 1) result.push_back(a.dim(a.rank() - 2));
  if (b.rank() > 1) result.push_back(b.dim(b.rank() - 1));
  return matrix_product(c, by, batch, result, a, b);
}

/// Products of parts of an axis with what they have in the other operand: of rows of `a` with the
/// matrices of `b`, of the matrices of `a` with columns of `b`, or, if neither has three axes, of columns
/// of `a` with rows of `b`. What no group has is 0.
[[nodiscard]] tensor products_of_groups(call& c, const tensor& a, const tensor& b,
                                        std::span<const std::int64_t> ends) {
  const bool by_rows = b.rank() == 3, by_columns = a.rank() == 3;
  const std::size_t m = count_of(a.dim(a.rank() - 2)), k = count_of(a.dim(a.rank() - 1)),
                    n = count_of(b.dim(b.rank() - 1));
  const std::size_t total = by_rows ? m : by_columns ? n : k;
  shape result;
  if (!by_rows && !by_columns) result.push_back(static_cast<std::int64_t>(ends.size()));
  result.push_back(a.dim(a.rank() - 2));
  result.push_back(b.dim(b.rank() - 1));
  const tensor out = make_tensor(c.arena, widened(a.type), result);
  const tensor x = cast(c.arena, a, out.type), y = cast(c.arena, b, out.type);
  visit_product(a.type, [&]<class T>(of<T>) {
    std::fill_n(out.as<T>(), out.size(), T{});
    const T *left = x.as<T>(), *right = y.as<T>();
    T* to = out.as<T>();
    std::int64_t first = 0;
    for (const std::int64_t end : ends) {
      if (end < first || count_of(end) > total)
        fail(errc::nac_run_argument, "a group ends at ", end, "; expected ", first, " to ", total);
      const std::size_t part = count_of(end - std::exchange(first, end));
      const std::size_t rows = by_rows ? part : m, columns = by_columns ? part : n,
                        terms = by_rows || by_columns ? k : part;
      charge_products(c.arena, out.type, 1, rows, columns, terms);
      if (rows != 0 && columns != 0 && terms != 0)
        multiply<T>(rows, columns, terms, {left, k}, {right, n}, to, n, false, c.work);
      left += by_rows ? part * k : by_columns ? m * k : part;
      right += by_rows ? k * n : by_columns ? part : part * n;
      to += by_rows ? part * n : by_columns ? part : m * n;
    }
  });
  return out;
}

[[nodiscard]] const scalar* number_or_null(call& c, std::size_t letter, scalar& held) {
  if (!c.has(letter)) return nullptr;
  held = c.number(letter);
  return &held;
}

}  // namespace

value matmul(call& c) { return matmul_of(c, c.tensor_at(0), c.tensor_at(1)); }

value linear(call& c) { return linear_of(c, c.tensor_at(0), c.tensor_at(1), c.optional(2)); }

value addmm(call& c) {
  const tensor &addend = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  expect_type(b, a.type);
  expect_type(addend, a.type);
  if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(0)) refuse_shapes(a, b);
  const shape result = {a.dim(0), b.dim(1)};
  expect_broadcasts(addend.dims, result);
  matrices by;
  by.m = count_of(a.dim(0));
  by.n = count_of(b.dim(1));
  by.k = count_of(a.dim(1));
  scalar beta, alpha;
  return matrix_product(c, by, {}, result, a, b, &addend, number_or_null(c, 3, beta),
                        number_or_null(c, 4, alpha));
}

value baddbmm(call& c) {
  const tensor &addend = c.tensor_at(0), &a = c.tensor_at(1), &b = c.tensor_at(2);
  expect_type(b, a.type);
  expect_type(addend, a.type);
  if (a.rank() != 3 || b.rank() != 3 || a.dim(0) != b.dim(0) || a.dim(2) != b.dim(1))
    refuse_shapes(a, b);
  const shape batch = {a.dim(0)}, result = {a.dim(0), a.dim(1), b.dim(2)};
  expect_broadcasts(addend.dims, result);
  matrices by;
  by.a_batch = by.b_batch = batch;
  by.m = count_of(a.dim(1));
  by.n = count_of(b.dim(2));
  by.k = count_of(a.dim(2));
  scalar beta, alpha;
  return matrix_product(c, by, batch, result, a, b, &addend, number_or_null(c, 3, beta),
                        number_or_null(c, 4, alpha));
}

value grouped_mm(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  expect_type(b, a.type);
  const std::size_t a_rank = a.rank(), b_rank = b.rank();
  if (a_rank < 2 || a_rank > 3 || b_rank < 2 || b_rank > 3 ||
      a.dim(a_rank - 1) != b.dim(b_rank - 2) || (a_rank + b_rank == 6 && a.dim(0) != b.dim(0)))
    refuse_shapes(a, b);
  const data_type type = c.type_or(4, a.type);
  if (c.has(3)) fail(errc::nac_run_argument, "a bias is given; expected none");
  const tensor* const offs = c.optional(2);
  if ((offs == nullptr) != (a_rank + b_rank == 6))
    fail(errc::nac_run_argument, offs == nullptr ? "no offs are given; expected the groups' ends"
                                                 : "offs are given for batches; expected none");
  if (offs == nullptr) return cast(c.arena, matmul_of(c, a, b), type);
  if (!is_integral(offs->type)) refuse_type(offs->type, "int32");
  const tensor& with_groups = a_rank == 3 ? a : b;
  if (offs->rank() != 1 || (a_rank != b_rank && offs->dim(0) != with_groups.dim(0)))
    refuse_shapes(with_groups, *offs);
  const tensor ends = cast(c.arena, *offs, data_type::int64);
  return cast(c.arena, products_of_groups(c, a, b, ends.elements<std::int64_t>()), type);
}

value outer(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.rank() != 1 || b.rank() != 1) refuse_shapes(a, b);
  const data_type type = promote(a, b);
  const tensor x = as_numbers(c.arena, cast(c.arena, a, type)),
               y = as_numbers(c.arena, cast(c.arena, b, type));
  const tensor out = make_tensor(c.arena, x.type, {a.dim(0), b.dim(0)});
  visit_numbers(type, [&]<class T>(of<T>) {
    T* to = out.as<T>();
    for (const T v : x.elements<T>())
      for (const T w : y.elements<T>()) *to++ = sum_of(T{}, v, w);
  });
  return cast(c.arena, out, type);
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
