// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Bags of embeddings: sums, means or greatest elements of a table's rows.

#include <algorithm>
#include <cstring>
#include <vector>

#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using model::operation;

/// Steps that a bag takes besides those of its rows.
constexpr std::uint64_t bag_steps = 512;

enum class mode : std::int64_t { sum, mean, max };

/// Where the bags begin among the indices, and at last where they end.
[[nodiscard]] tensor bounds_of(call& c, const tensor& offsets, std::int64_t count,
                               bool include_last) {
  const std::int64_t n = offsets.dim(0), bags = include_last ? n - 1 : n;
  if (bags < 0) fail(errc::nac_run_argument, "no offsets; expected at least the last one");
  const tensor from = cast(c.arena, offsets, data_type::int64);
  const tensor bounds = make_tensor(c.arena, data_type::int64, {bags + 1});
  std::int64_t* const to = bounds.as<std::int64_t>();
  std::copy_n(from.as<std::int64_t>(), count_of(bags), to);
  to[bags] = count;
  if (n != 0 && from.as<std::int64_t>()[0] != 0)
    fail(errc::nac_run_argument, "offsets[0] is ", from.as<std::int64_t>()[0], "; expected 0");
  if (include_last && from.as<std::int64_t>()[bags] != count)
    fail(errc::nac_run_argument, "the last offset is ", from.as<std::int64_t>()[bags],
         "; expected ", count, ", the number of indices");
  for (std::int64_t i = 0; i < bags; ++i)
    if (to[i] > to[i + 1])
      fail(errc::nac_run_argument, "bag ", i, " begins at ", to[i], " and ends at ", to[i + 1],
           "; expected an end of at least its beginning");
  return bounds;
}

/// Takes a table's row out of all bags.
void drop(std::int64_t padding, tensor& indices, tensor* weights, const tensor& bounds) {
  std::int64_t* const at = indices.as<std::int64_t>();
  std::int64_t kept = 0;
  const std::span<std::int64_t> ends = bounds.elements<std::int64_t>();
  for (std::size_t bag = 0; bag + 1 < ends.size(); ++bag) {
    const std::int64_t first = ends[bag], last = ends[bag + 1];
    ends[bag] = kept;
    for (std::int64_t i = first; i < last; ++i) {
      if (at[i] == padding) continue;
      if (weights != nullptr) {
        const std::size_t size = model::size_of(weights->type);
        std::memmove(weights->data + count_of(kept) * size, weights->data + count_of(i) * size,
                     size);
      }
      at[kept++] = at[i];
    }
  }
  ends.back() = kept;
  indices = indices.with_shape({kept});
  if (weights != nullptr) *weights = weights->with_shape({kept});
}

[[nodiscard]] tensor copy_of(memory& arena, const tensor& x, data_type type) {
  const tensor out = make_tensor(arena, type, x.dims);
  cast(x.type, x.data, type, out.data, out.size());
  return out;
}

// Only the first result: the others are for training.
[[nodiscard]] value bags_of(call& c, std::int64_t padding) {
  const tensor &table = c.tensor_at(0), &given = c.tensor_at(1), &offsets = c.tensor_at(2);
  const std::int64_t how = c.whole_or(4, 0);
  if (how < 0 || how > 2) fail(errc::nac_run_argument, "mode ", how, "; expected 0 to 2");
  if (!is_floating(table.type)) refuse_type(table.type, "a floating-point type");
  for (const tensor* t : {&given, &offsets})
    if (t->type != data_type::int64 && t->type != data_type::int32)
      refuse_type(t->type, "i64 or i32");
  if (table.rank() != 2 || given.rank() != 1) refuse_shapes(table, given);
  if (offsets.rank() != 1) refuse_shapes(given, offsets);
  const tensor* const weights = c.optional(6);
  if (weights != nullptr) {
    expect_type(*weights, table.type);
    if (!(weights->dims == given.dims)) refuse_shapes(given, *weights);
    if (static_cast<mode>(how) != mode::sum)
      fail(errc::nac_run_argument, "per_sample_weights with mode ", how, "; expected mode 0, sum");
  }
  const tensor bounds = bounds_of(c, offsets, given.dim(0), c.truth_or(7, false));
  tensor indices = copy_of(c.arena, given, data_type::int64);
  tensor factors = weights == nullptr ? tensor{} : copy_of(c.arena, *weights, weights->type);
  for (const std::int64_t i : indices.elements<std::int64_t>())
    if (i < 0 || i >= table.dim(0))
      fail(errc::nac_run_index, "index is ", i, "; expected at least 0 and less than ",
           table.dim(0), ", the rows of the table");
  if (padding >= 0) drop(padding, indices, weights == nullptr ? nullptr : &factors, bounds);

  const data_type wide = widened(table.type);
  const value axis = make_number(c.arena, std::int64_t{0});
  tensor rows = cast(c.arena, tensor_of(c, operation::index_select, {table, axis, indices}), wide);
  if (weights != nullptr)
    rows = tensor_of(
        c, operation::mul,
        {rows, cast(c.arena, factors, wide).with_shape({factors.dim(0), std::int64_t{1}})});
  const std::span<const std::int64_t> ends = bounds.elements<std::int64_t>();
  const tensor out =
      make_tensor(c.arena, wide, {static_cast<std::int64_t>(ends.size()) - 1, table.dim(1)});
  const std::size_t bytes = count_of(table.dim(1)) * model::size_of(wide);
  for (std::size_t bag = 0; bag + 1 < ends.size(); ++bag) {
    c.arena.charge(bag_steps);
    std::byte* const to = out.data + bag * bytes;
    const std::int64_t n = ends[bag + 1] - ends[bag];
    if (n == 0 || bytes == 0) {
      std::memset(to, 0, bytes);
      continue;
    }
    const operation one = static_cast<mode>(how) == mode::sum    ? operation::sum
                          : static_cast<mode>(how) == mode::mean ? operation::mean
                                                                 : operation::amax;
    const tensor all = tensor_of(c, one, {narrowed(c.arena, rows, 0, ends[bag], n), axis});
    std::memcpy(to, all.data, bytes);
  }
  return value(std::vector<value>{cast(c.arena, out, table.type)});
}

}  // namespace

value embedding_bag(call& c) {
  if (!c.has(8)) return bags_of(c, -1);
  const tensor& table = c.tensor_at(0);
  if (table.rank() != 2) refuse_shapes(table, c.tensor_at(1));
  const std::int64_t padding = c.whole(8), rows = table.dim(0);
  if (padding < -rows || padding >= rows)
    fail(errc::nac_run_index, "padding_idx is ", padding, "; expected at least ", -rows,
         " and less than ", rows, ", the rows of the table");
  return bags_of(c, padding < 0 ? padding + rows : padding);
}
value embedding_bag_forward(call& c) { return bags_of(c, c.whole_or(8, -1)); }

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
