// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Scaled dot product attention: the scores of some rows at a time, which stay in the cache.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"
#include "tensor/element_rows.hpp"
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
  constexpr std::size_t part = 256;
  T row[part];
  for (std::size_t i = 0; i < n; i += part, scores += part) {
    const std::size_t count = std::min(part, n - i);
    tensors::load_row(element_of(mask.type), mask.data, static_cast<std::int64_t>(at + i * step),
                      static_cast<std::int64_t>(step), row, count);
    if (mask.type == data_type::boolean) {
      for (std::size_t j = 0; j < count; ++j)
        if (row[j] == T{}) scores[j] = -std::numeric_limits<T>::infinity();
    } else if (is_floating(mask.type)) {
      for (std::size_t j = 0; j < count; ++j) scores[j] += row[j];
    }
  }
}

template <class T>
void multiply_by_number(T* x, T by, std::size_t n) noexcept {
  if constexpr (std::is_same_v<T, float>)
    tensors::apply(tensors::binary::mul, x, by, x, n);
  else
    for (std::size_t j = 0; j < n; ++j) x[j] *= by;
}

/// The largest element, and the sum of the exponential functions.
template <class T>
struct exponential_sum {
  T largest, sum;
};

/// e to what there is more than the largest, times a factor above 0, in place. A row of nothing but
/// -infinity becomes zeros.
template <class T>
[[nodiscard]] exponential_sum<T> exponentials(T* x, T factor, std::size_t n) noexcept {
  constexpr T lowest = -std::numeric_limits<T>::infinity();
  T largest = lowest, sum = 0;
  if constexpr (std::is_same_v<T, float>)
    largest = tensors::greatest(x, n);
  else
    for (std::size_t j = 0; j < n; ++j) largest = x[j] > largest || x[j] != x[j] ? x[j] : largest;
  if (largest == lowest) {
    std::fill_n(x, n, T{});
    return {largest, 1};
  }
  if constexpr (std::is_same_v<T, float>)
    return {largest, static_cast<T>(tensors::exponentials(x, largest, factor, x, n))};
  for (std::size_t j = 0; j < n; ++j) sum += x[j] = std::exp((x[j] - largest) * factor);
  return {largest, sum};
}

/// What is asked for.
struct query {
  const tensor *q, *k, *v, *mask;
  bool is_causal = false;
  bool grouped = false;              ///< heads of queries share those of keys
  bool with_logarithms = false;      ///< the logarithms of the sums are a result, too
  std::optional<double> scale = {};  ///< without one, 1 / sqrt(depth)
};

/// Sizes of a head, and how the heads of the operands meet.
struct heads {
  std::size_t rows, columns, depth, width;
  shape q_batch, k_batch, v_batch, batch;
  shape result;  ///< the dimensions before rows and columns
};

[[nodiscard]] std::int64_t last(const tensor& t, std::size_t back) {
  return t.dim(t.rank() - back);
}

/// Groups of query heads share a key's: an axis [key heads, 1] meets one of [key heads, group].
void group_heads(const query& given, heads& h) {
  const tensor &q = *given.q, &k = *given.k, &v = *given.v;
  if (q.rank() < 3 || k.rank() != q.rank() || v.rank() != q.rank() || q.rank() == max_rank)
    refuse_shapes(q, k);
  const std::size_t head = h.q_batch.rank() - 1;
  const auto split = [&](const tensor& t, shape& s) {
    if (s[head] == 0 || h.q_batch[head] % s[head] != 0) refuse_shapes(q, t);
    s.push_back(1);
  };
  split(k, h.k_batch);
  split(v, h.v_batch);
  if (h.k_batch[head] != h.v_batch[head]) refuse_shapes(k, v);
  h.q_batch.push_back(h.q_batch[head] / h.k_batch[head]);
  h.q_batch[head] = h.k_batch[head];
}

[[nodiscard]] heads heads_of(const query& given) {
  const tensor &q = *given.q, &k = *given.k, &v = *given.v;
  expect_type(k, q.type);
  expect_type(v, q.type);
  if (!is_floating(q.type)) refuse_type(q.type, "a floating-point type");
  if (q.rank() < 2 || k.rank() < 2) refuse_shapes(q, k);
  if (v.rank() < 2) refuse_shapes(q, v);
  if (last(q, 1) != last(k, 1)) refuse_shapes(q, k);
  if (last(k, 2) != last(v, 2)) refuse_shapes(k, v);
  heads h{};
  h.rows = count_of(last(q, 2));
  h.columns = count_of(last(k, 2));
  h.depth = count_of(last(q, 1));
  h.width = count_of(last(v, 1));
  h.q_batch = leading(q.dims, 2);
  h.k_batch = leading(k.dims, 2);
  h.v_batch = leading(v.dims, 2);
  if (given.grouped) group_heads(given, h);
  h.batch = broadcast(broadcast(h.q_batch, h.k_batch), h.v_batch);
  h.result = h.batch;
  if (given.grouped) {
    h.result = leading(h.batch, 1);
    h.result[h.result.rank() - 1] *= h.batch[h.batch.rank() - 1];
  }
  if (given.mask != nullptr) {
    shape scores = h.result;
    scores.push_back(last(q, 2));
    scores.push_back(last(k, 2));
    if (given.is_causal)
      fail(errc::nac_run_argument, "both attn_mask and is_causal are given; expected at most one");
    if (given.mask->type != data_type::boolean && given.mask->type != data_type::float32)
      expect_type(*given.mask, q.type);
    expect_broadcasts(given.mask->dims, scores);
  }
  return h;
}

/// A mask's steps from row to row and from column to column.
struct mask_steps {
  shape batch;
  std::size_t row = 0, column = 0, size = 1;
};
[[nodiscard]] mask_steps steps_of(const tensor* mask) {
  mask_steps s;
  if (mask == nullptr) return s;
  const std::size_t r = mask->rank();
  if (r >= 1 && mask->dim(r - 1) != 1) s.column = 1;
  if (r >= 2 && mask->dim(r - 2) != 1) s.row = count_of(mask->dim(r - 1));
  if (r >= 2) s.size = count_of(mask->dim(r - 1) * mask->dim(r - 2));
  if (r > 2) s.batch = leading(mask->dims, 2);
  return s;
}

/// Room for the scores of as many rows as stay in the cache, and for what has to be widened of a head.
template <class T>
class room {
 public:
  room(memory& arena, const heads& h, data_type type)
      : once(std::clamp<std::size_t>(elements / std::max<std::size_t>(h.columns, 1), 1, h.rows)),
        type_(type) {
    const bool narrow = widened(type) != type;
    const std::size_t sizes[count] = {once * h.columns,    once,
                                      h.rows * h.depth,    h.columns * h.depth,
                                      h.columns * h.width, once * h.width};
    for (std::size_t i = 0; i < count; ++i)
      if (i < 2 || narrow) all_[i] = arena.take(sizes[i] * sizeof(T));
  }
  enum part : std::size_t { scores, sums, queries, keys, values, results, count };
  [[nodiscard]] T* data(part p) const noexcept {
    return all_[p] ? static_cast<T*>(static_cast<void*>(all_[p].data())) : nullptr;
  }
  /// The elements of head number `at` of a tensor as T.
  [[nodiscard]] const T* head(const tensor& t, std::size_t at, std::size_t size, part p) const {
    if (widened(type_) == type_) return t.as<T>() + at * size;
    cast(type_, t.data + at * size * model::size_of(type_), widened(type_), all_[p].data(), size);
    return data(p);
  }
  const std::size_t once;

 private:
  static constexpr std::size_t elements = std::size_t{1} << 17;
  data_type type_;
  storage all_[count];
};

/// One head's operands.
template <class T>
struct head {
  const T *queries, *keys, *values;
  std::size_t mask_at;  ///< where its part of the mask begins
};

/// The scores' exponential functions and their sums, of rows from `row` on.
template <class T>
void score(call& c, const query& given, const heads& h, const head<T>& at, const mask_steps& mask,
           std::size_t row, std::size_t now, std::size_t seen, T scale, T* s, T* sums,
           T* logarithms) {
  // The scale may wait for the exponential function, where nothing else comes between.
  const bool scale_later =
      given.mask == nullptr && scale > 0 && scale < std::numeric_limits<T>::infinity();
  multiply<T>(now, seen, h.depth, {at.queries + row * h.depth, h.depth}, {at.keys, h.depth, true},
              s, seen, false, c.work);
  for (std::size_t r = 0; r < now; ++r) {
    T* const x = s + r * seen;
    const std::size_t n = given.is_causal ? std::min(seen, row + r + 1) : seen;
    if (!scale_later) multiply_by_number(x, scale, n);
    if (given.mask != nullptr)
      add_mask(*given.mask, at.mask_at + (row + r) * mask.row, mask.column, x, n);
    const exponential_sum<T> e = exponentials(x, scale_later ? scale : T{1}, n);
    sums[r] = e.sum;
    // As PyTorch has it, 0 for a row of which nothing is seen.
    const bool unseen = e.largest == -std::numeric_limits<T>::infinity();
    if (logarithms != nullptr)
      logarithms[row + r] =
          unseen ? T{} : (scale_later ? scale : T{1}) * e.largest + std::log(e.sum);
    std::fill(x + n, x + seen, T{});
  }
}

/// All heads; without a tensor for them, no logarithms.
template <class T>
void attend_all(call& c, const query& given, const heads& h, T scale, const tensor& out,
                const tensor& logarithms) {
  const data_type type = given.q->type;
  const bool narrow = widened(type) != type;
  const room<T> parts(c.arena, h, type);
  const mask_steps mask = steps_of(given.mask);
  shape mask_batch = mask.batch;
  if (given.grouped && mask_batch.rank() != 0) {  // as the groups of the batch
    std::int64_t& last = mask_batch[mask_batch.rank() - 1];
    const std::int64_t group = last == 1 ? 1 : h.batch[h.batch.rank() - 1];
    last /= group;
    mask_batch.push_back(group);
  }
  T *const s = parts.data(parts.scores), *const sums = parts.data(parts.sums);
  if (h.batch.product(0, h.batch.rank()) == 0) return;
  std::size_t b = 0;
  std::int64_t k_before = -1, v_before = -1;
  head<T> one{};
  const auto each = broadcast_rows<4>(h.batch, {&h.q_batch, &h.k_batch, &h.v_batch, &mask_batch});
  each.each_element([&](const auto& at) {
    one.queries = parts.head(*given.q, count_of(at[0]), h.rows * h.depth, parts.queries);
    if (at[1] != k_before)
      one.keys = parts.head(*given.k, count_of(at[1]), h.columns * h.depth, parts.keys);
    if (at[2] != v_before)
      one.values = parts.head(*given.v, count_of(at[2]), h.columns * h.width, parts.values);
    k_before = at[1];
    v_before = at[2];
    one.mask_at = count_of(at[3]) * mask.size;
    T* const logs = logarithms.data == nullptr ? nullptr : logarithms.as<T>() + b * h.rows;
    for (std::size_t row = 0; row < h.rows; row += parts.once) {
      const std::size_t now = std::min(parts.once, h.rows - row);
      const std::size_t seen = given.is_causal ? std::min(h.columns, row + now) : h.columns;
      score<T>(c, given, h, one, mask, row, now, seen, scale, s, sums, logs);
      const std::size_t first = (b * h.rows + row) * h.width;
      T* const to = narrow ? parts.data(parts.results) : out.as<T>() + first;
      multiply<T>(now, h.width, seen, {s, seen}, {one.values, h.width}, to, h.width, false, c.work);
      for (std::size_t r = 0; r < now; ++r)
        multiply_by_number(to + r * h.width, 1 / sums[r], h.width);
      if (narrow)
        cast(widened(type), static_cast<const std::byte*>(static_cast<const void*>(to)), type,
             out.data + first * model::size_of(type), now * h.width);
    }
    ++b;
  });
}

struct attended {
  tensor out, logarithms;
};

[[nodiscard]] attended attend(call& c, const query& given) {
  const heads h = heads_of(given);
  const data_type type = given.q->type, wide = widened(type);
  shape rows = h.result;
  rows.push_back(last(*given.q, 2));
  shape result = rows;
  result.push_back(last(*given.v, 1));
  attended r;
  r.out = make_tensor(c.arena, type, result);
  if (given.with_logarithms) r.logarithms = make_tensor(c.arena, wide, rows);
  if (r.out.size() == 0 && (!given.with_logarithms || r.logarithms.size() == 0)) return r;
  const auto count = static_cast<std::uint64_t>(h.batch.product(0, h.batch.rank()));
  charge_products(c.arena, wide, count, h.rows, h.columns, h.depth);
  charge_products(c.arena, wide, count, h.rows, h.width, h.columns);
  c.arena.charge(product_of_steps(
      count, sum_of_steps(head_steps, product_of_steps(score_steps * h.rows, h.columns))));
  const double scale =
      given.scale.value_or(h.depth == 0 ? 1.0 : 1 / std::sqrt(static_cast<double>(h.depth)));
  visit_wide(type, [&]<class T>(of<T>) {
    attend_all<T>(c, given, h, static_cast<T>(scale), r.out, r.logarithms);
  });
  return r;
}

void expect_no_dropout(double rate) {
  if (rate != 0)
    fail(errc::nac_run_argument, "dropout of ", rate, " is not deterministic; expected 0");
}

/// For a letter that isn't there.
constexpr std::size_t no_dropout = model::max_letters;

/// The two results that all implementations with a name of their own have.
[[nodiscard]] value attend_with_logarithms(call& c, const tensor* mask, std::size_t dropout,
                                           bool is_causal, std::size_t scale) {
  query given{&c.tensor_at(0), &c.tensor_at(1), &c.tensor_at(2), mask};
  for (const tensor* t : {given.q, given.k, given.v})
    if (t->rank() != 4)
      fail(errc::nac_run_shape, "query, key or value has shape ", t->dims,
           "; expected 4 dimensions");
  if (dropout != no_dropout) expect_no_dropout(c.real_or(dropout, 0));
  given.is_causal = is_causal;
  given.with_logarithms = true;
  if (c.has(scale)) given.scale = c.real(scale);
  attended r = attend(c, given);
  return value(std::vector<value>{std::move(r.out), std::move(r.logarithms)});
}

}  // namespace

value attention(call& c) {
  query given{&c.tensor_at(0), &c.tensor_at(1), &c.tensor_at(2), c.optional(3)};
  // Arguments have no names here. A number that no boolean follows is the scale, as programs that
  // are evaluated have no dropout; a boolean is is_causal if it is the only argument and there is
  // no mask, and enable_gqa after is_causal.
  const bool lone = c.has(4) && c.count(5) == 0;
  const bool lone_truth = lone && given.mask == nullptr && c.number(4).type == data_type::boolean;
  const bool truth_for_scale =
      c.has(6) && c.count(7) == 0 && c.number(6).type == data_type::boolean;
  given.is_causal = c.truth_or(lone_truth ? 4 : 5, false);
  given.grouped = c.truth_or(truth_for_scale ? 6 : 7, false);
  if (!lone) expect_no_dropout(c.real_or(4, 0));
  if (lone && !lone_truth)
    given.scale = c.real(4);
  else if (c.has(6) && !truth_for_scale)
    given.scale = c.real(6);
  return attend(c, given).out;
}

// A mask has a name in PyTorch, so it may follow the operands at once.
value attention_for_cpu(call& c) {
  if (c.has(3) && c.at(3).is_tensor() && c.tensor_at(3).rank() >= 2)
    return attend_with_logarithms(c, c.optional(3), no_dropout, false, 4);
  return attend_with_logarithms(c, c.optional(5), 3, c.truth_or(4, false), 6);
}
// Of the results that only training on a GPU needs there are none.
value attention_flash(call& c) {
  return attend_with_logarithms(c, nullptr, 3, c.truth_or(4, false), 6);
}
value attention_efficient(call& c) {
  return attend_with_logarithms(c, c.optional(3), 5, c.truth_or(6, false), 7);
}

value attention_cudnn(call& c) {
  return attend_with_logarithms(c, c.optional(3), 5, c.truth_or(6, false), 8);
}
value attention_overrideable(call& c) {
  return attend_with_logarithms(c, c.optional(3), 4, c.truth_or(5, false), 7);
}

// Its second result is the weights of the values. A mask is added to the scores whatever its type is,
// for booleans have become numbers before.
value attention_math(call& c) {
  using model::operation;
  query given{&c.tensor_at(0), &c.tensor_at(1), &c.tensor_at(2), c.optional(3)};
  const tensor& q = *given.q;
  expect_no_dropout(c.real_or(4, 0));
  if (c.has(6)) fail(errc::nac_run_argument, "a dropout_mask is given; expected none");
  given.is_causal = c.truth_or(5, false);
  given.grouped = c.truth_or(8, false);
  (void)heads_of(given);  // which looks at all shapes and types

  const auto whole = [&](std::int64_t v) { return value(make_number(c.arena, v)); };
  const auto for_all_heads = [&](const tensor& t) {
    if (!given.grouped) return t;
    return tensor_of(c, operation::repeat_interleave,
                     {t, whole(last(q, 3) / std::max<std::int64_t>(last(t, 3), 1)), whole(-3)});
  };
  const tensor keys =
      tensor_of(c, operation::transpose, {for_all_heads(*given.k), whole(-2), whole(-1)});
  const double scale = c.real_or(7, 1 / std::sqrt(static_cast<double>(last(q, 1))));
  tensor scores = tensor_of(
      c, operation::mul, {tensor_of(c, operation::matmul, {q, keys}), make_number(c.arena, scale)});
  if (given.mask != nullptr)
    scores = cast(c.arena, tensor_of(c, operation::add, {scores, *given.mask}), q.type);
  if (given.is_causal) {
    const value dims = value::int_list({last(q, 2), last(*given.k, 2)});
    const value ones = result_of(c, operation::ones, {dims, value::string("bool")});
    scores = tensor_of(c, operation::where,
                       {result_of(c, operation::tril, {ones}), scores,
                        make_number(c.arena, -std::numeric_limits<double>::infinity())});
  }
  const tensor weights = tensor_of(c, operation::safe_softmax, {scores, whole(-1)});
  return value(std::vector<value>{
      tensor_of(c, operation::matmul, {weights, for_all_heads(*given.v)}), weights});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
