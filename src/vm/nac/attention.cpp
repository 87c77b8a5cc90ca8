// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Scaled dot product attention: the scores of some rows at a time, which stay in the cache.

#include <algorithm>
#include <cmath>
#include <limits>

#include "multiply.hpp"
#include "operations.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// Steps of a score: a mask, and an exponential function. And of a head, however small.
constexpr std::uint64_t score_steps = 4, head_steps = 128;

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
    tensors::apply(tensors::binary::mul, x, by, x, n);
  else
    for (std::size_t j = 0; j < n; ++j) x[j] *= by;
}

/// e to what there is more than the largest, times a factor above 0, in place; the sum. A row of
/// nothing but -infinity becomes zeros.
template <class T>
[[nodiscard]] T exponentials(T* x, T factor, std::size_t n) noexcept {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  T largest = lowest, sum = 0;
  if constexpr (std::is_same_v<T, float>)
    largest = tensors::greatest(x, n);
  else
    for (std::size_t j = 0; j < n; ++j) largest = x[j] > largest || x[j] != x[j] ? x[j] : largest;
  if (largest == lowest) {
    std::fill_n(x, n, T{});
    return 1;
  }
  if constexpr (std::is_same_v<T, float>)
    return static_cast<T>(tensors::exponentials(x, largest, factor, x, n));
  for (std::size_t j = 0; j < n; ++j) sum += x[j] = std::exp((x[j] - largest) * factor);
  return sum;
}

}  // namespace

value attention(call& c) {
  const tensor &q = c.tensor_at(0), &k = c.tensor_at(1), &v = c.tensor_at(2);
  const tensor* const mask = c.optional(3);
  // Arguments have no names here. A number that no boolean follows is the scale, as programs that
  // are evaluated have no dropout; a boolean is is_causal if it is the only argument and there is
  // no mask, and enable_gqa after is_causal.
  const bool lone = c.has(4) && c.count(5) == 0;
  const bool lone_truth = lone && mask == nullptr && c.number(4).type == data_type::boolean;
  const bool truth_for_scale =
      c.has(6) && c.count(7) == 0 && c.number(6).type == data_type::boolean;
  const bool is_causal = c.truth_or(lone_truth ? 4 : 5, false);
  const bool grouped = c.truth_or(truth_for_scale ? 6 : 7, false);
  const bool has_scale = c.has(6) && !truth_for_scale;
  if (!lone && c.real_or(4, 0) != 0)
    fail(errc::nac_run_argument,
         "dropout of " + std::to_string(c.real(4)) + " is not deterministic; expected 0");

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
    if (is_causal) fail(errc::nac_run_argument, "both a mask and is_causal");
    if (mask->type != data_type::boolean && mask->type != data_type::float32)
      expect_type(*mask, q.type);
    expect_broadcasts(mask->dims, scores);
  }
  result.push_back(last(q, 2));
  result.push_back(last(v, 1));
  tensor out = make_tensor(c.arena, q.type, result);
  if (out.size() == 0) return out;
  const auto heads = static_cast<std::uint64_t>(batch.product(0, batch.rank()));
  charge_products(c.arena, widened(q.type), heads, rows, columns, depth);
  charge_products(c.arena, widened(q.type), heads, rows, width, columns);
  c.arena.charge(product_of_steps(
      heads, sum_of_steps(head_steps, product_of_steps(score_steps * rows, columns))));

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
    const auto room_for = [&](std::size_t n) { return c.arena.take(n * sizeof(T)); };
    const auto data_of = [](const storage& s) {
      return s ? static_cast<T*>(static_cast<void*>(s.data())) : nullptr;
    };
    const storage score_room = room_for(once * columns), sum_room = room_for(once);
    const storage wide_room[] = {narrow ? room_for(rows * depth) : storage(),
                                 narrow ? room_for(columns * depth) : storage(),
                                 narrow ? room_for(columns * width) : storage(),
                                 narrow ? room_for(once * width) : storage()};
    // The elements of a head of a tensor as T.
    const auto head = [&](const tensor& t, std::size_t at, std::size_t size, const storage& wide) {
      if (!narrow) return static_cast<const T*>(t.as<T>() + at * size);
      cast(t.type, t.data + at * size * model::size_of(t.type), widened(t.type), wide.data(), size);
      return static_cast<const T*>(data_of(wide));
    };
    // Steps of the mask from row to row and from column to column.
    shape mask_batch;
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

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
