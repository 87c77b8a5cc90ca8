// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sequences of several lengths, padded to one or packed.

#include "sequences.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elementwise.hpp"
#include "multiply.hpp"
#include "operations.hpp"
#include "strided.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

/// A tensor of a value, with room at the front for [first, second, …].
[[nodiscard]] tensor padded_tensor(call& c, const tensor& like, std::int64_t first,
                                   std::int64_t second, std::size_t from, const scalar& v) {
  shape dims = {first, second};
  for (std::size_t i = from; i < like.rank(); ++i) dims.push_back(like.dim(i));
  return filled(c.arena, like.type, dims, v);
}
/// Bytes of an element of x with its dimensions from `first` on.
[[nodiscard]] std::size_t bytes_of_part(const tensor& x, std::size_t first) {
  return count_of(x.dims.product(first, x.rank())) * model::size_of(x.type);
}
void copy_part(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

}  // namespace

std::span<const std::int64_t> batch_sizes_of(call& c, const tensor& sizes, std::int64_t rows) {
  if (sizes.type != data_type::int64) refuse_type(sizes.type, "i64");
  if (sizes.rank() != 1 || sizes.dim(0) == 0)
    fail(errc::nac_run_shape, "batch_sizes have shape ", sizes.dims,
         "; expected rank 1, and elements");
  const std::span<const std::int64_t> all = sizes.elements<std::int64_t>();
  std::int64_t sum = 0, last = rows;
  for (const std::int64_t n : all) {
    if (n < 1 || n > last)
      fail(errc::nac_run_argument, "batch size ", n, "; expected 1 to the one before, of ", rows,
           " rows in all");
    last = n;
    sum += n;
    if (sum > rows) break;
  }
  if (sum != rows)
    fail(errc::nac_run_argument, "batch_sizes have another sum than the ", rows,
         " rows of the data");
  c.arena.charge(all.size());
  return all;
}

/// Letters: input lengths batch_first.
value pack_padded_sequence(call& c) {
  const tensor &given = c.tensor_at(0), &lengths = c.tensor_at(1);
  if (given.rank() < 2 || lengths.rank() != 1) refuse_shapes(given, lengths);
  std::size_t order[max_rank];
  for (std::size_t i = 0; i < given.rank(); ++i) order[i] = i < 2 ? 1 - i : i;
  const tensor x = c.truth_or(2, false) ? permuted(c.arena, given, order) : given;
  const std::int64_t steps = x.dim(0), batch = x.dim(1);
  if (lengths.dim(0) != batch || batch == 0) refuse_shapes(given, lengths);
  if (lengths.type != data_type::int64) refuse_type(lengths.type, "i64");
  std::int64_t last = steps, rows = 0;
  for (const std::int64_t n : lengths.elements<std::int64_t>()) {
    if (n < 1 || n > last)
      fail(errc::nac_run_argument, "length is ", n,
           "; expected at least 1, and no more than the one before or ", steps);
    rows += last = n;
  }
  shape dims = {rows};
  for (std::size_t i = 2; i < x.rank(); ++i) dims.push_back(x.dim(i));
  tensor data = make_tensor(c.arena, x.type, dims);
  tensor sizes = make_tensor(c.arena, data_type::int64, {*lengths.as<std::int64_t>()});
  const std::size_t bytes = bytes_of_part(x, 2);
  std::byte* to = data.data;
  std::int64_t now = batch;
  for (std::int64_t t = 0; t < sizes.dim(0); ++t) {
    while (lengths.as<std::int64_t>()[now - 1] <= t) --now;
    sizes.as<std::int64_t>()[t] = now;
    copy_part(to, x.data + count_of(t * batch) * bytes, count_of(now) * bytes);
    to += count_of(now) * bytes;
  }
  return value(std::vector<value>{std::move(data), std::move(sizes)});
}

/// Letters: data batch_sizes batch_first padding_value total_length.
value pad_packed_sequence(call& c) {
  const tensor& data = c.tensor_at(0);
  if (data.rank() == 0) refuse_shapes(data, c.tensor_at(1));
  const std::span<const std::int64_t> sizes = batch_sizes_of(c, c.tensor_at(1), data.dim(0));
  std::int64_t steps = static_cast<std::int64_t>(sizes.size());
  if (const std::int64_t total = c.whole(4); total > 0) {
    if (total < steps)
      fail(errc::nac_run_argument, "total_length is ", total, "; expected at least ", steps);
    steps = total;
  }
  tensor out = padded_tensor(c, data, steps, sizes[0], 1, c.number(3));
  tensor lengths = make_tensor(c.arena, data_type::int64, {sizes[0]});
  const std::size_t bytes = bytes_of_part(data, 1);
  const std::byte* from = data.data;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const std::size_t n = count_of(sizes[t]);
    copy_part(out.data + t * count_of(sizes[0]) * bytes, from, n * bytes);
    from += n * bytes;
    std::fill_n(lengths.as<std::int64_t>(), n, static_cast<std::int64_t>(t + 1));
  }
  if (c.truth_or(2, false)) {
    std::size_t order[max_rank];
    for (std::size_t i = 0; i < out.rank(); ++i) order[i] = i < 2 ? 1 - i : i;
    out = permuted(c.arena, out, order);
  }
  return value(std::vector<value>{std::move(out), std::move(lengths)});
}

/// Letters: sequences batch_first padding_value padding_side.
value pad_sequence(call& c) {
  const std::size_t count = c.count(0);
  const std::string_view side = c.string_or(3, "right");
  if (side != "left" && side != "right")
    fail(errc::nac_run_argument, "padding_side is \"", side.substr(0, 32),
         "\"; expected left or right");
  const tensor& first = c.tensor_at(0, 0);
  std::int64_t steps = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const tensor& t = c.tensor_at(0, k);
    if (t.rank() == 0 || t.rank() != first.rank() ||
        !std::equal(t.dims.begin() + 1, t.dims.end(), first.dims.begin() + 1))
      refuse_shapes(first, t);
    steps = std::max(steps, t.dim(0));
  }
  const bool batch_first = c.truth_or(1, false);
  const auto rows = static_cast<std::int64_t>(count);
  const scalar filler = c.has(2) ? c.number(2) : scalar{};
  tensor out = batch_first ? padded_tensor(c, first, rows, steps, 1, filler)
                           : padded_tensor(c, first, steps, rows, 1, filler);
  const std::size_t bytes = bytes_of_part(first, 1);
  for (std::size_t k = 0; k < count; ++k) {
    const tensor x = cast(c.arena, c.tensor_at(0, k), first.type);
    const std::size_t length = count_of(x.dim(0));
    const std::size_t from = side == "left" ? count_of(steps) - length : 0;
    for (std::size_t t = 0; t < length; ++t) {
      const std::size_t at = batch_first ? k * count_of(steps) + from + t : (from + t) * count + k;
      copy_part(out.data + at * bytes, x.data + t * bytes, bytes);
    }
  }
  return out;
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
