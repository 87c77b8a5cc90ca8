// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements along an axis in order, and places in what is in order.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "indexing.hpp"
#include "operations.hpp"
#include "strided.hpp"
#include "tensor/sort.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {
namespace {

/// The elements at `taken` indices of each group.
void take_along(const tensor& to, const tensor& x, const groups& g, const tensor& indices,
                std::int64_t taken) {
  tensors::with_word(model::size_of(x.type), [&]<class T>(of<T>) {
    const std::int64_t* index = indices.as<std::int64_t>();
    std::byte* place = to.data;
    for (std::int64_t o = 0; o < g.outer; ++o)
      for (std::int64_t j = 0; j < taken * g.inner; ++j, place += sizeof(T)) {
        const std::int64_t from = (o * g.count + *index++) * g.inner + j % g.inner;
        std::memcpy(place, x.data + from * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      }
  });
}

/// The first `taken` values along an axis, which `arrange` brings to the front, and their indices.
template <class Arrange>
[[nodiscard]] value arranged(call& c, const tensor& x, std::size_t axis, std::int64_t taken,
                             bool with_values, Arrange arrange) {
  shape dims = x.dims;
  if (x.rank() != 0) dims[axis] = taken;
  tensor indices = make_tensor(c.arena, data_type::int64, dims);
  tensor values = with_values ? make_tensor(c.arena, x.type, dims) : tensor{};
  const groups g = along(x.dims, axis);
  if (indices.size() != 0) {
    using tensors::sort_key;
    const auto count = static_cast<std::size_t>(g.count);
    const storage scratch = c.arena.take(count * sizeof(sort_key));
    auto* const all = static_cast<sort_key*>(static_cast<void*>(scratch.data()));
    std::int64_t* const index = indices.as<std::int64_t>();
    for (std::int64_t i = 0; i < g.results(); ++i) {
      const std::int64_t o = i / g.inner, k = i % g.inner;
      tensors::read_keys(element_of(x.type), x.data, o * g.count * g.inner + k, g.inner, all,
                         count);
      arrange(all, count);
      for (std::int64_t j = 0; j < taken; ++j) index[(o * taken + j) * g.inner + k] = all[j].index;
    }
    if (with_values) take_along(values, x, g, indices, taken);
  }
  if (!with_values) return indices;
  return value(std::vector<value>{std::move(values), std::move(indices)});
}

[[nodiscard]] value ordered(call& c, const tensor& x, std::size_t axis, bool descending,
                            bool with_values = true) {
  return arranged(c, x, axis, along(x.dims, axis).count, with_values,
                  [&](tensors::sort_key* all, std::size_t count) {
                    tensors::sort_keys(all, count, descending);
                  });
}

[[nodiscard]] value sorted(call& c, bool with_values) {
  const tensor& x = c.tensor_at(0);
  return ordered(c, x, axis_of(c.whole_or(1, -1), x.rank()), c.truth_or(2, false), with_values);
}

// ---- places in sorted elements

/// Which of two places an element has that is there already: before its equals, or after them.
[[nodiscard]] bool is_right_of_equals(call& c, std::size_t right, std::size_t side) {
  const bool given = c.truth_or(right, false);
  const std::string_view word = c.string_or(side, given ? "right" : "left");
  if (word != "left" && word != "right")
    fail(errc::nac_run_argument, "side is \"" + std::string(word) + "\"; expected left or right");
  if (given && word == "left")
    fail(errc::nac_run_argument, "side is left and right is true; expected one of them");
  return word == "right";
}

/// The place of `v` among `count` elements in ascending order, which `order` may give; a NaN is
/// after all of them, as PyTorch's comparisons have it.
template <class T>
[[nodiscard]] std::int64_t place_of(T v, const T* sorted, const std::int64_t* order,
                                    std::int64_t count, bool after_equals) {
  std::int64_t first = 0, last = count;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    const T there = sorted[order == nullptr ? middle : order[middle]];
    if (after_equals ? !(there > v) : !(there >= v))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// The places of the elements of `x` in the rows of `sequence`: all in its only one, or row by row.
[[nodiscard]] value places(call& c, const tensor& sequence, const tensor& x, const tensor* sorter,
                           bool as_int32, bool after_equals) {
  if (sequence.rank() == 0)
    fail(errc::nac_run_shape, "the sorted elements have rank 0; expected at least 1");
  const std::size_t last = sequence.rank() - 1;
  const auto leading = [&](const tensor& t) { return t.dims.dims().first(last); };
  if (last != 0 &&
      (x.rank() != sequence.rank() || !std::ranges::equal(leading(x), leading(sequence))))
    fail(errc::nac_run_shape, "values have shape " + x.dims.text() + "; expected " +
                                  sequence.dims.text() +
                                  ", that of the sorted elements, except along the last axis");
  if (sorter != nullptr && !(sorter->dims == sequence.dims))
    fail(errc::nac_run_shape, "sorter has shape " + sorter->dims.text() + "; expected " +
                                  sequence.dims.text() + ", that of the sorted elements");
  const std::int64_t count = sequence.dims[last];
  const tensor order = sorter != nullptr ? indices_of(c.arena, *sorter) : tensor{};
  if (sorter != nullptr)
    for (const std::int64_t i : order.elements<std::int64_t>())
      if (i < 0 || i >= count) refuse_index(i, count);
  const data_type common = sequence.type == x.type ? x.type : promote(sequence, x);
  if (common == data_type::boolean)
    fail(errc::nac_run_type, "the elements are bool; expected a numeric type");
  const tensor all = as_numbers(c.arena, cast(c.arena, sequence, common)),
               wanted = as_numbers(c.arena, cast(c.arena, x, common));
  tensor out = make_tensor(c.arena, data_type::int64, x.dims);
  const std::int64_t each = last == 0 ? static_cast<std::int64_t>(x.size()) : x.dims[last];
  if (out.size() != 0)
    visit_numbers(common, [&]<class T>(of<T>) {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(out.size()); ++i) {
        const std::int64_t row = i / each * count;
        out.as<std::int64_t>()[i] = place_of(
            wanted.as<T>()[i], all.as<T>() + row,
            sorter != nullptr ? order.as<std::int64_t>() + row : nullptr, count, after_equals);
      }
    });
  return as_int32 ? cast(c.arena, out, data_type::int32) : out;
}

}  // namespace

value topk(call& c) {
  const tensor& x = c.tensor_at(0);
  if (x.type == data_type::boolean)
    fail(errc::nac_run_type, "the elements are bool; expected a numeric type");
  const std::int64_t k = c.whole(1);
  const std::size_t axis = axis_of(c.whole_or(2, -1), x.rank());
  const std::int64_t count = along(x.dims, axis).count;
  if (k < 0 || k > count)
    fail(errc::nac_run_argument,
         "k is " + std::to_string(k) + "; expected 0 to " + std::to_string(count));
  const std::int64_t taken = x.rank() == 0 ? 1 : k;
  return arranged(c, x, axis, taken, true, [&](tensors::sort_key* all, std::size_t n) {
    tensors::select_keys(all, n, static_cast<std::size_t>(taken), c.truth_or(3, true),
                         c.truth_or(4, true));
  });
}
value sort(call& c) { return sorted(c, true); }
value argsort(call& c) { return sorted(c, false); }
value sort_stable(call& c) {
  const tensor& x = c.tensor_at(0);
  return ordered(c, x, axis_of(c.whole_or(2, -1), x.rank()), c.truth_or(3, false));
}
value argsort_stable(call& c) { return sort_stable(c).as_list()[1]; }
value msort(call& c) {
  const tensor& x = c.tensor_at(0);
  return ordered(c, x, 0, false).as_list()[0];
}

value searchsorted(call& c) {
  const bool after_equals = is_right_of_equals(c, 3, 4);
  return places(c, c.tensor_at(0), c.tensor_at(1), c.optional(5), c.truth_or(2, false),
                after_equals);
}
value bucketize(call& c) {
  const tensor& boundaries = c.tensor_at(1);
  if (boundaries.rank() != 1)
    fail(errc::nac_run_shape,
         "boundaries have shape " + boundaries.dims.text() + "; expected rank 1");
  return places(c, boundaries, c.tensor_at(0), nullptr, c.truth_or(2, false), c.truth_or(3, false));
}

value isin(call& c) {
  const tensor &x = c.tensor_at(0), &among = c.tensor_at(1);
  const data_type common = promote(x, among);
  if (common == data_type::boolean)
    fail(errc::nac_run_type, "the elements are bool; expected a numeric type");
  const bool inverted = c.truth_or(3, false);
  const tensor all = as_numbers(c.arena, cast(c.arena, among, common)),
               asked = as_numbers(c.arena, cast(c.arena, x, common));
  tensor out = make_tensor(c.arena, data_type::boolean, x.dims);
  visit_numbers(common, [&]<class T>(of<T>) {
    std::vector<T> sorted;  // without NaNs, which equal nothing
    for (const T v : all.elements<T>())
      if (v == v) sorted.push_back(v);
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const T a = asked.as<T>()[i];
      const bool found = a == a && std::binary_search(sorted.begin(), sorted.end(), a);
      out.as<bool>()[i] = found != inverted;
    }
  });
  return out;
}

/// Always sorted; indices and counts are empty where they aren't asked for. Each NaN is one of its
/// own.
value unique(call& c) {
  const tensor& x = c.tensor_at(0);
  const bool with_inverse = c.truth_or(2, false), with_counts = c.truth_or(3, false);
  const auto count = static_cast<std::int64_t>(x.size());
  const value in_order = ordered(c, x.with_shape({count}), 0, false);
  const tensor &sorted = in_order.as_list()[0].as_tensor(),
               &from = in_order.as_list()[1].as_tensor();
  tensor inverse = make_tensor(c.arena, data_type::int64, with_inverse ? x.dims : shape{0});
  std::vector<std::int64_t> firsts;
  const tensor numbers = as_numbers(c.arena, sorted);
  visit_numbers(x.type, [&]<class T>(of<T>) {
    const T* const v = numbers.as<T>();
    for (std::int64_t i = 0; i < count; ++i) {
      if (i == 0 || !(v[i] == v[i - 1])) firsts.push_back(i);
      if (with_inverse)
        inverse.as<std::int64_t>()[from.as<std::int64_t>()[i]] =
            static_cast<std::int64_t>(firsts.size()) - 1;
    }
  });
  const auto kinds = static_cast<std::int64_t>(firsts.size());
  tensor values = make_tensor(c.arena, x.type, {kinds});
  tensor counts = make_tensor(c.arena, data_type::int64, {with_counts ? kinds : 0});
  const std::size_t size = model::size_of(x.type);
  firsts.push_back(count);
  for (std::size_t i = 0; i + 1 < firsts.size(); ++i) {
    std::memcpy(values.data + i * size, sorted.data + static_cast<std::size_t>(firsts[i]) * size,
                size);
    if (with_counts) counts.as<std::int64_t>()[i] = firsts[i + 1] - firsts[i];
  }
  return value(std::vector<value>{std::move(values), std::move(inverse), std::move(counts)});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
