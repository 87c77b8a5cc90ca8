// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values between elements in order, and parts that differ from each other.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
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

// ---- quantiles

enum class between : std::uint8_t { linear, lower, higher, midpoint, nearest };
[[nodiscard]] between between_of(call& c, std::size_t letter) {
  const std::string_view word = c.string_or(letter, "linear");
  constexpr std::string_view words[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  const auto* const found = std::find(std::begin(words), std::end(words), word);
  if (found == std::end(words))
    fail(errc::nac_run_argument, "interpolation is \"" + std::string(word.substr(0, 32)) +
                                     "\"; expected linear, lower, higher, midpoint or nearest");
  return static_cast<between>(found - words);
}
/// The element of n in order at a place between 0 and n - 1, which may be a fraction.
template <class T>
[[nodiscard]] T element_at(const T* sorted, T place, between how) {
  T low = std::floor(place), high = std::ceil(place), weight = place - low;
  if (how == between::nearest) low = high = std::nearbyint(place);
  if (how == between::lower) high = low;
  if (how == between::higher) low = high;
  if (how == between::midpoint) weight = T{1} / 2;
  const T a = sorted[static_cast<std::size_t>(low)], b = sorted[static_cast<std::size_t>(high)];
  if (low == high) return a;
  return weight < T{1} / 2 ? a + weight * (b - a) : b - (b - a) * (1 - weight);
}

/// Letters: self q dim keepdim interpolation. A NaN makes a slice's quantiles NaN, or is left out.
[[nodiscard]] value quantiles(call& c, bool without_nans) {
  const tensor &given = c.tensor_at(0), &q = c.tensor_at(1);
  if (given.type != data_type::float32 && given.type != data_type::float64)
    refuse_type(given.type, "f32 or f64");
  if (!q.is_number) expect_type(q, given.type);
  if (q.rank() > 1)
    fail(errc::nac_run_shape, "q has shape " + q.dims.text() + "; expected rank 0 or 1");
  const between how = between_of(c, 4);
  const auto size = static_cast<std::int64_t>(given.size());
  const std::size_t axis = c.has(2) ? axis_of(c.whole(2), given.rank()) : 0;
  const tensor x = c.has(2) && given.rank() != 0 ? given : given.with_shape({size});
  const groups g = along(x.dims, axis);
  if (g.count == 0)
    fail(errc::nac_run_shape, "shape is " + given.dims.text() + "; expected elements");
  shape dims;
  if (q.rank() == 1) dims.push_back(q.dim(0));
  for (std::size_t i = 0; i < given.rank(); ++i)
    if (c.has(2) && i != axis)
      dims.push_back(given.dim(i));
    else if (c.truth_or(3, false))
      dims.push_back(1);
  const tensor out = make_tensor(c.arena, given.type, dims), at = cast(c.arena, q, given.type);
  c.arena.charge(product_of_steps(x.size(), 64));
  const std::size_t each = count_of(g.results());
  visit_wide(given.type, [&]<class T>(of<T>) {
    for (const T v : at.template elements<T>())
      if (!(v >= 0 && v <= 1))
        fail(errc::nac_run_argument, "q is " + std::to_string(v) + "; expected 0 to 1");
    const storage counted = c.arena.take(count_of(g.count) * sizeof(T));
    std::vector<T> sorted;
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t inner = count_of(g.inner);
      const T* const from = x.template as<T>() + i / inner * count_of(g.count) * inner + i % inner;
      sorted.clear();
      for (std::size_t j = 0; j < count_of(g.count); ++j)
        if (!std::isnan(from[j * inner])) sorted.push_back(from[j * inner]);
      std::sort(sorted.begin(), sorted.end());
      const bool none = sorted.empty() || (!without_nans && sorted.size() != count_of(g.count));
      for (std::size_t k = 0; k < at.size(); ++k)
        out.template as<T>()[k * each + i] =
            none ? std::numeric_limits<T>::quiet_NaN()
                 : element_at(sorted.data(),
                              at.template as<T>()[k] * static_cast<T>(sorted.size() - 1), how);
    }
  });
  return out;
}

// ---- parts that differ

/// -1, 0 or 1 as rows of n elements are in order.
using row_order = int (*)(const std::byte* a, const std::byte* b, std::size_t n);
[[nodiscard]] row_order order_of(data_type type) {
  return visit(type, []<class T>(of<T>) -> row_order {
    return [](const std::byte* a, const std::byte* b, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<compute<T>>(lanes<T>(a)[i]);
        const auto y = static_cast<compute<T>>(lanes<T>(b)[i]);
        if (x < y) return -1;
        if (!(x == y)) return 1;
      }
      return 0;
    };
  });
}

/// The parts along an axis, each once: all, in order, or of those in a row that are the same the
/// first. Without an axis the elements.
struct wanted {
  bool sorted, inverse, counts;
};
[[nodiscard]] value differing(call& c, const std::int64_t* along_axis, wanted w) {
  const tensor& x = c.tensor_at(0);
  const bool whole = along_axis == nullptr;
  const std::size_t axis = whole ? 0 : axis_in(x, *along_axis);
  if (!whole) w.inverse = w.counts = true;  // as PyTorch, which gives them unasked
  std::size_t order[max_rank] = {axis};
  for (std::size_t i = 0, k = 1; i < x.rank(); ++i)
    if (i != axis) order[k++] = i;
  const tensor rows =
      whole ? x.with_shape({static_cast<std::int64_t>(x.size())}) : permuted(c.arena, x, order);
  const std::size_t count = count_of(rows.dim(0));
  const std::size_t each = count == 0 ? 0 : rows.size() / count;
  if (count != 0 && each == 0)
    fail(errc::nac_run_shape, "shape is " + x.dims.text() + "; expected elements");
  const std::size_t bytes = each * model::size_of(x.type);
  const row_order compare = order_of(x.type);
  const storage counted = c.arena.take(count * 2 * sizeof(std::size_t));
  c.arena.charge(product_of_steps(x.size(), w.sorted ? 64 : 4));
  std::vector<std::size_t> at(count), firsts;
  std::iota(at.begin(), at.end(), std::size_t{0});
  const auto row = [&](std::size_t i) { return rows.data + i * bytes; };
  if (w.sorted)
    std::stable_sort(at.begin(), at.end(), [&](std::size_t a, std::size_t b) {
      return compare(row(a), row(b), each) < 0;
    });
  shape of_inverse = whole ? x.dims : shape{rows.dim(0)};
  tensor inverse = make_tensor(c.arena, data_type::int64, w.inverse ? of_inverse : shape{0});
  for (std::size_t i = 0; i < count; ++i) {
    if (i == 0 || compare(row(at[i - 1]), row(at[i]), each) != 0) firsts.push_back(i);
    if (w.inverse) inverse.as<std::int64_t>()[at[i]] = static_cast<std::int64_t>(firsts.size()) - 1;
  }
  shape dims = rows.dims;
  dims[0] = static_cast<std::int64_t>(firsts.size());
  tensor found = make_tensor(c.arena, x.type, dims);
  tensor counts = make_tensor(c.arena, data_type::int64, {w.counts ? dims[0] : 0});
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    std::copy_n(row(at[firsts[i]]), bytes, found.data + i * bytes);
    const std::size_t next = i + 1 < firsts.size() ? firsts[i + 1] : count;
    if (w.counts) counts.as<std::int64_t>()[i] = static_cast<std::int64_t>(next - firsts[i]);
  }
  if (!whole) {
    std::size_t back[max_rank] = {};
    for (std::size_t i = 0; i < x.rank(); ++i) back[order[i]] = i;
    found = permuted(c.arena, found, back);
  }
  return value(std::vector<value>{std::move(found), std::move(inverse), std::move(counts)});
}

}  // namespace

value quantile(call& c) { return quantiles(c, false); }
value nanquantile(call& c) { return quantiles(c, true); }

// Letters: self return_inverse return_counts dim.
value unique_consecutive(call& c) {
  const wanted w{false, c.truth_or(1, false), c.truth_or(2, false)};
  if (!c.has(3)) return differing(c, nullptr, w);
  const std::int64_t axis = c.whole(3);
  return differing(c, &axis, w);
}
value unique_dim_consecutive(call& c) {
  const std::int64_t axis = c.whole(1);
  return differing(c, &axis, {false, c.truth_or(2, false), c.truth_or(3, false)});
}
// Always sorted. Letters: self dim sorted return_inverse return_counts.
value unique_dim(call& c) {
  const std::int64_t axis = c.whole(1);
  return differing(c, &axis, {true, c.truth_or(3, false), c.truth_or(4, false)});
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
