// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices, and what is made of them: linear layers, attention, LSTM cells.

#include <cmath>
#include <limits>

#include "kernels/elementwise.hpp"
#include "kernels/rows.hpp"
#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {
namespace {

/// The type's code for numbers that products are defined for, with the type they are computed in.
template <class F>
void visit_product(data_type type, F&& f) {
  if (type == data_type::boolean) refuse_type(type);
  visit(widened(type), [&]<class T>(of<T> t) {
    if constexpr (!std::is_same_v<T, bool> && !is_half<T>) f(t);
  });
}

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
  const storage part = c.room.take(once * columns * sizeof(T));
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
  if (k == 0) {
    if (!accumulate) std::fill_n(out, batches * m * n, T{});
    return;
  }
  const tensor a = cast(c.room, a_given, widened(a_given.type));
  const T* const a_data = a.as<T>();
  if (by.b_batch.product(0, by.b_batch.rank()) == 1 && by.a_batch == batch)
    return multiply_by<T>(c, batches * m, n, k, a_data, b_given.type, b_given.data, by.transposed,
                          out, accumulate);
  const tensor b = cast(c.room, b_given, widened(b_given.type));
  const T* const b_data = b.as<T>();
  offsets<2> at(batch, {&by.a_batch, &by.b_batch});
  for (std::size_t i = 0; i < batches; ++i, at.next()) {
    const T *const x = a_data + at[0] * m * k, *const y = b_data + at[1] * k * n;
    T* const to = out + i * m * n;
    if (m * n * k > 16) {
      multiply<T>(m, n, k, {x, k}, {y, by.transposed ? k : n, by.transposed}, to, n, accumulate,
                  c.work);
      continue;
    }
    for (std::size_t r = 0; r < m; ++r)
      for (std::size_t s = 0; s < n; ++s) {
        T sum = accumulate ? to[r * n + s] : T{};
        for (std::size_t p = 0; p < k; ++p)
          sum = sum_of(sum, x[r * k + p], y[by.transposed ? s * k + p : p * n + s]);
        to[r * n + s] = sum;
      }
  }
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
    offsets<1> at(outer, {&from_outer});
    for (std::size_t r = 0; r < count; ++r, at.next()) {
      T* const to = out + r * columns;
      const auto* const row = data + at[0] * (repeats ? 1 : columns);
      if (repeats)
        std::fill_n(to, columns, sum_of(T{}, scale, read(row[0])));
      else if (scale == T{1})
        for (std::size_t i = 0; i < columns; ++i) to[i] = read(row[i]);
      else
        for (std::size_t i = 0; i < columns; ++i) to[i] = sum_of(T{}, scale, read(row[i]));
    }
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
  tensor out = make_tensor(c.room, widened(a.type), result);
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
    const tensor more = make_tensor(c.room, out.type, result);
    fill<T>(*addend, addend_times, result, more.as<T>());
    for (std::size_t i = 0; i < out.size(); ++i)
      out.as<T>()[i] = sum_of(out.as<T>()[i], T{1}, more.as<T>()[i]);
  });
  return cast(c.room, out, a.type);
}

namespace operations {
namespace {

/// Refuses a shape that doesn't broadcast to another one without changing that.
void expect_broadcasts(const shape& from, const shape& to) {
  if (from.rank() > to.rank() || !(broadcast(from, to) == to))
    fail(errc::nac_run_shape, from.text() + " doesn't broadcast to " + to.text());
}

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

/// x W' + b.
[[nodiscard]] tensor linear_of(call& c, const tensor& x, const tensor& w, const tensor* bias) {
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

value outer(call& c) {
  const tensor &a = c.tensor_at(0), &b = c.tensor_at(1);
  if (a.rank() != 1 || b.rank() != 1) refuse_shapes(a, b);
  const data_type type = promote(a, b);
  const tensor x = cast(c.room, a, type), y = cast(c.room, b, type);
  tensor out = make_tensor(c.room, type, {a.dim(0), b.dim(0)});
  if (out.size() == 0) return out;
  visit(type, [&]<class T>(of<T>) {
    T* to = out.as<T>();
    for (const T v : x.elements<T>())
      for (const T w : y.elements<T>())
        if constexpr (std::is_same_v<T, bool>)
          *to++ = v && w;
        else if constexpr (is_half<T>)
          *to++ = T(static_cast<float>(v) * static_cast<float>(w));
        else
          *to++ = sum_of(T{}, v, w);
  });
  return out;
}

// ---- attention

namespace {

/// How a mask's elements reach scores.
template <class T>
void add_mask(const tensor& mask, std::size_t at, std::size_t step, T* scores, std::size_t n) {
  visit(mask.type, [&]<class M>(of<M>) {
    const M* const from = mask.as<M>() + at;
    if constexpr (std::is_same_v<M, bool>) {
      for (std::size_t j = 0; j < n; ++j)
        if (!from[j * step]) scores[j] = -std::numeric_limits<T>::infinity();
    } else if constexpr (is_float<M>) {
      if (step == 1)
        for (std::size_t j = 0; j < n; ++j) scores[j] += static_cast<T>(from[j]);
      else
        for (std::size_t j = 0; j < n; ++j) scores[j] += static_cast<T>(from[j * step]);
    }
  });
}

template <class T>
void multiply_by_number(T* x, T by, std::size_t n) noexcept {
  if constexpr (std::is_same_v<T, float>)
    kernels::apply(kernels::binary::mul, x, by, x, n);
  else
    for (std::size_t j = 0; j < n; ++j) x[j] *= by;
}

/// e to what there is more than the largest, times a factor above 0, in place; the sum. A row of
/// nothing but -infinity becomes zeros.
template <class T>
[[nodiscard]] T exponentials(T* x, T factor, std::size_t n) noexcept {
  constexpr T least = -std::numeric_limits<T>::infinity();
  T most = least, sum = 0;
  if constexpr (std::is_same_v<T, float>)
    most = kernels::greatest(x, n);
  else
    for (std::size_t j = 0; j < n; ++j) most = x[j] > most || x[j] != x[j] ? x[j] : most;
  if (most == least) {
    std::fill_n(x, n, T{});
    return 1;
  }
  if constexpr (std::is_same_v<T, float>)
    return static_cast<T>(kernels::exponentials(x, most, factor, x, n));
  for (std::size_t j = 0; j < n; ++j) sum += x[j] = std::exp((x[j] - most) * factor);
  return sum;
}

}  // namespace

value attention(call& c) {
  const tensor &q = c.tensor_at(0), &k = c.tensor_at(1), &v = c.tensor_at(2);
  const tensor* const mask = c.optional(3);
  // Names of arguments are lost. A number that no truth value follows is the scale, for programs
  // that are evaluated have no dropout; a truth value alone is is_causal where there is no mask, and
  // behind is_causal enable_gqa.
  const bool lone = c.has(4) && c.count(5) == 0;
  const bool lone_truth = lone && mask == nullptr && c.number(4).type == data_type::boolean;
  const bool truth_for_scale =
      c.has(6) && c.count(7) == 0 && c.number(6).type == data_type::boolean;
  const bool is_causal = c.truth_or(lone_truth ? 4 : 5, false);
  const bool grouped = c.truth_or(truth_for_scale ? 6 : 7, false);
  const bool has_scale = c.has(6) && !truth_for_scale;
  if (!lone && c.real_or(4, 0) != 0)
    fail(errc::nac_run_argument, "dropout of " + std::to_string(c.real(4)) + " isn't repeatable");

  expect_type(k, q.type);
  expect_type(v, q.type);
  if (!is_floating(q.type)) refuse_type(q.type);
  if (q.rank() < 2 || k.rank() < 2) refuse_shapes(q, k);
  if (v.rank() < 2) refuse_shapes(q, v);
  const auto last = [](const tensor& t, std::size_t back) { return t.dim(t.rank() - back); };
  if (last(q, 1) != last(k, 1)) refuse_shapes(q, k);
  if (last(k, 2) != last(v, 2)) refuse_shapes(k, v);
  const std::size_t rows = count_of(last(q, 2)), columns = count_of(last(k, 2));
  const std::size_t depth = count_of(last(q, 1)), width = count_of(last(v, 1));

  shape q_batch = leading(q.dims, 2), k_batch = leading(k.dims, 2), v_batch = leading(v.dims, 2);
  // Groups of query heads share a key's: an axis [key heads, 1] meets one of [key heads, group].
  if (grouped) {
    if (q.rank() < 3 || k.rank() != q.rank() || v.rank() != q.rank() || q.rank() == max_rank)
      refuse_shapes(q, k);
    const std::size_t head = q_batch.rank() - 1;
    const auto split = [&](const tensor& t, shape& s) {
      if (s[head] == 0 || q_batch[head] % s[head] != 0) refuse_shapes(q, t);
      s.push_back(1);
    };
    split(k, k_batch);
    split(v, v_batch);
    if (k_batch[head] != v_batch[head]) refuse_shapes(k, v);
    q_batch.push_back(q_batch[head] / k_batch[head]);
    q_batch[head] = k_batch[head];
  }
  const shape batch = broadcast(broadcast(q_batch, k_batch), v_batch);
  shape result = batch;
  if (grouped) {
    result = leading(batch, 1);
    result[result.rank() - 1] *= batch[batch.rank() - 1];
  }
  shape scores = result;
  scores.push_back(last(q, 2));
  scores.push_back(last(k, 2));
  if (mask != nullptr) {
    if (is_causal) fail(errc::nac_run_argument, "a mask and is_causal");
    if (mask->type != data_type::boolean && mask->type != data_type::float32)
      expect_type(*mask, q.type);
    expect_broadcasts(mask->dims, scores);
  }
  result.push_back(last(q, 2));
  result.push_back(last(v, 1));
  tensor out = make_tensor(c.room, q.type, result);
  if (out.size() == 0) return out;

  const double given = lone && !lone_truth ? c.real(4)
                       : has_scale         ? c.real(6)
                       : depth == 0        ? 1.0
                                           : 1 / std::sqrt(static_cast<double>(depth));
  visit_wide(q.type, [&]<class T>(of<T>) {
    const T scale = static_cast<T>(given);
    // It may wait for the exponential function, where nothing else comes between.
    const bool scale_later =
        mask == nullptr && scale > 0 && scale < std::numeric_limits<T>::infinity();
    const bool narrow = widened(q.type) != q.type;
    // The scores of as many rows as stay in the cache, and of a head what has to be widened.
    constexpr std::size_t elements = std::size_t{1} << 17;
    const std::size_t once =
        std::clamp<std::size_t>(elements / std::max<std::size_t>(columns, 1), 1, rows);
    const auto room_for = [&](std::size_t n) { return c.room.take(n * sizeof(T)); };
    const auto data_of = [](const storage& s) {
      return s ? static_cast<T*>(static_cast<void*>(s.data())) : nullptr;
    };
    const storage score_room = room_for(once * columns), sum_room = room_for(once);
    const storage wide_room[] = {narrow ? room_for(rows * depth) : storage(),
                                 narrow ? room_for(columns * depth) : storage(),
                                 narrow ? room_for(columns * width) : storage(),
                                 narrow ? room_for(once * width) : storage()};
    // Where a head of a tensor stands as T.
    const auto head = [&](const tensor& t, std::size_t at, std::size_t size, const storage& wide) {
      if (!narrow) return static_cast<const T*>(t.as<T>() + at * size);
      cast(t.type, t.data + at * size * model::size_of(t.type), widened(t.type), wide.data(), size);
      return static_cast<const T*>(data_of(wide));
    };
    // Steps of the mask from row to row and from column to column.
    shape mask_batch, no_batch;
    std::size_t mask_row = 0, mask_column = 0, mask_size = 1;
    if (mask != nullptr) {
      const std::size_t r = mask->rank();
      if (r >= 1 && mask->dim(r - 1) != 1) mask_column = 1;
      if (r >= 2 && mask->dim(r - 2) != 1) mask_row = count_of(mask->dim(r - 1));
      if (r >= 2) mask_size = count_of(mask->dim(r - 1) * mask->dim(r - 2));
      if (r > 2) mask_batch = leading(mask->dims, 2);
    }
    const shape result_batch = leading(result, 2);
    offsets<3> at(batch, {&q_batch, &k_batch, &v_batch});
    offsets<1> mask_at(result_batch, {&mask_batch});  // in the same order
    T *const s = data_of(score_room), *const sums = data_of(sum_room);
    const std::size_t batches = count_of(batch.product(0, batch.rank()));
    std::size_t k_before = SIZE_MAX, v_before = SIZE_MAX;
    const T *keys = nullptr, *values = nullptr;
    for (std::size_t b = 0; b < batches; ++b, at.next(), mask_at.next()) {
      const T* const queries = head(q, at[0], rows * depth, wide_room[0]);
      if (at[1] != k_before) keys = head(k, k_before = at[1], columns * depth, wide_room[1]);
      if (at[2] != v_before) values = head(v, v_before = at[2], columns * width, wide_room[2]);
      for (std::size_t row = 0; row < rows; row += once) {
        const std::size_t now = std::min(once, rows - row);
        const std::size_t seen = is_causal ? std::min(columns, row + now) : columns;
        multiply<T>(now, seen, depth, {queries + row * depth, depth}, {keys, depth, true}, s, seen,
                    false, c.work);
        T* const to = narrow ? data_of(wide_room[3]) : out.as<T>() + (b * rows + row) * width;
        for (std::size_t r = 0; r < now; ++r) {
          T* const x = s + r * seen;
          const std::size_t n = is_causal ? std::min(seen, row + r + 1) : seen;
          if (!scale_later) multiply_by_number(x, scale, n);
          if (mask != nullptr)
            add_mask(*mask, mask_at[0] * mask_size + (row + r) * mask_row, mask_column, x, n);
          sums[r] = exponentials(x, scale_later ? scale : T{1}, n);
          std::fill(x + n, x + seen, T{});
        }
        multiply<T>(now, width, seen, {s, seen}, {values, width}, to, width, false, c.work);
        for (std::size_t r = 0; r < now; ++r)
          multiply_by_number(to + r * width, 1 / sums[r], width);
        if (narrow)
          cast(widened(q.type), wide_room[3].data(), q.type,
               out.data + (b * rows + row) * width * model::size_of(q.type), now * width);
      }
    }
  });
  return out;
}

// ---- LSTM

// The new hidden and cell states, as PyTorch's own operation gives them: a list of two tensors.
value lstm_cell(call& c) {
  const tensor &x = c.tensor_at(0), &h = c.tensor_at(1), &cell = c.tensor_at(2);
  const tensor &w_x = c.tensor_at(3), &w_h = c.tensor_at(4);
  const tensor *const b_x = c.optional(5), *const b_h = c.optional(6);
  const data_type type = x.type;
  if (!is_floating(type)) refuse_type(type);
  for (const tensor* t : {&h, &cell, &w_x, &w_h}) expect_type(*t, type);
  if (x.rank() != 2 || h.rank() != 2) refuse_shapes(x, h);
  if (!(cell.dims == h.dims) || x.dim(0) != h.dim(0)) refuse_shapes(h, cell);
  if (h.dim(1) > INT64_MAX / 4) refuse_shapes(h, w_h);
  const std::int64_t size = h.dim(1), gates = 4 * size;
  if (!(w_x.dims == shape{gates, x.dim(1)})) refuse_shapes(x, w_x);
  if (!(w_h.dims == shape{gates, size})) refuse_shapes(h, w_h);
  for (const tensor* b : {b_x, b_h}) {
    if (b == nullptr) continue;
    expect_type(*b, type);
    if (!(b->dims == shape{gates})) refuse_shapes(*b, w_x);
  }
  const data_type wide = widened(type);
  const auto rows = count_of(x.dim(0)), n = count_of(size);
  const tensor all = make_tensor(c.room, wide, {x.dim(0), gates});
  const tensor hidden = make_tensor(c.room, wide, h.dims), next = make_tensor(c.room, wide, h.dims);
  const tensor old = cast(c.room, cell, wide);
  visit_wide(type, [&]<class T>(of<T>) {
    const tensor wide_x = cast(c.room, x, wide), wide_h = cast(c.room, h, wide);
    T* const g = all.as<T>();
    std::fill_n(g, all.size(), T{});
    for (const tensor* b : {b_x, b_h}) {
      if (b == nullptr) continue;
      const tensor bias = cast(c.room, *b, wide);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < 4 * n; ++j) g[i * 4 * n + j] += bias.as<T>()[j];
    }
    multiply_by<T>(c, rows, 4 * n, count_of(x.dim(1)), wide_x.as<T>(), w_x.type, w_x.data, true, g,
                   true);
    multiply_by<T>(c, rows, 4 * n, n, wide_h.as<T>(), w_h.type, w_h.data, true, g, true);
    const auto sigmoid = [](T v) { return 1 / (1 + std::exp(-v)); };
    for (std::size_t i = 0; i < rows; ++i) {
      const T* const row = g + i * 4 * n;  // input, forget, cell and output gates
      for (std::size_t j = 0; j < n; ++j) {
        const T kept = sigmoid(row[n + j]) * old.as<T>()[i * n + j];
        const T now = kept + sigmoid(row[j]) * std::tanh(row[2 * n + j]);
        next.as<T>()[i * n + j] = now;
        hidden.as<T>()[i * n + j] = sigmoid(row[3 * n + j]) * std::tanh(now);
      }
    }
  });
  return value(std::vector<value>{cast(c.room, hidden, type), cast(c.room, next, type)});
}

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
