// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/view.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

std::int64_t element_at(const tensor_view& v, std::int64_t index) noexcept {
  std::int64_t at = v.offset;
  for (std::size_t k = v.rank(); k-- != 0; index /= v.shape[k])
    at += index % v.shape[k] * v.strides[k];
  return at;
}

std::int64_t product(std::span<const std::int64_t> of) noexcept {
  std::int64_t n = 1;
  for (const std::int64_t d : of) n *= d;
  return n;
}

dimensions dense_strides(const dimensions& shape) {
  dimensions out(shape.size());
  std::int64_t n = 1;
  for (std::size_t k = shape.size(); k-- != 0; n *= shape[k]) out[k] = n;
  return out;
}

bool is_dense(const tensor_view& v) noexcept {
  std::int64_t n = 1;
  for (std::size_t k = v.rank(); k-- != 0; n *= v.shape[k])
    if (v.shape[k] != 1 && v.strides[k] != n) return false;
  return true;
}

tensor_view permuted(const tensor_view& v, const std::vector<std::size_t>& order) {
  tensor_view out{v.home, v.offset, {}, {}};
  for (const std::size_t k : order) {
    out.shape.push_back(v.shape[k]);
    out.strides.push_back(v.strides[k]);
  }
  return out;
}

std::optional<tensor_view> reshaped(const tensor_view& v, const dimensions& shape) {
  tensor_view out{v.home, v.offset, shape, dimensions(shape.size())};
  std::size_t from = v.rank(), to = shape.size();
  while (from != 0 || to != 0) {
    // The last dimensions that hold as many elements on both sides.
    std::size_t first = from, first_to = to;
    std::int64_t a = first != 0 ? v.shape[--first] : 1, b = first_to != 0 ? shape[--first_to] : 1;
    while (a != b) {
      if (a < b && first != 0)
        a *= v.shape[--first];
      else if (b < a && first_to != 0)
        b *= shape[--first_to];
      else
        return std::nullopt;
    }
    // Those on the left follow each other, but for dimensions of 1.
    std::int64_t stride = 0, next = -1;
    for (std::size_t k = from; k-- != first;) {
      if (v.shape[k] == 1) continue;
      if (next == -1)
        stride = v.strides[k];
      else if (v.strides[k] != next)
        return std::nullopt;
      next = v.strides[k] * v.shape[k];
    }
    for (std::size_t k = to; k-- != first_to; stride *= shape[k]) out.strides[k] = stride;
    from = first;
    to = first_to;
  }
  return out;
}

tensor_view of_rank(const tensor_view& v, std::size_t rank) {
  tensor_view out = v;
  if (rank > v.rank()) {
    out.shape.insert(out.shape.begin(), rank - v.rank(), 1);
    out.strides.insert(out.strides.begin(), rank - v.rank(), 0);
  }
  return out;
}

tensor_view without(const tensor_view& v, std::size_t dimension) {
  tensor_view out = v;
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(dimension));
  out.strides.erase(out.strides.begin() + static_cast<std::ptrdiff_t>(dimension));
  return out;
}

tensor_view expanded(const tensor_view& v, const dimensions& shape) {
  tensor_view out = of_rank(v, shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (out.shape[k] == 1) out.strides[k] = 0;
    out.shape[k] = shape[k];
  }
  return out;
}

tensor_view narrowed(const tensor_view& v, std::size_t dimension, std::int64_t first,
                     std::int64_t count) {
  tensor_view out = v;
  out.offset += first * v.strides[dimension];
  out.shape[dimension] = count;
  return out;
}

std::vector<std::size_t> order_of(const tensor_view& v) {
  std::vector<std::size_t> out(v.rank());
  std::iota(out.begin(), out.end(), std::size_t{0});
  // Dimensions of 1 stay where they are among the others: their strides say nothing.
  std::vector<std::size_t> wide;
  for (const std::size_t k : out)
    if (v.shape[k] != 1) wide.push_back(k);
  std::vector<std::size_t> sorted = wide;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return v.strides[a] > v.strides[b]; });
  for (std::size_t k = 0; k < wide.size(); ++k) out[wide[k]] = sorted[k];
  return out;
}

std::vector<std::size_t> inverse_of(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = k;
  return out;
}

std::optional<tensor_view> moved(const tensor_view& v, const dimensions& shape,
                                 std::span<const std::int64_t> from) {
  if (from.empty()) return std::nullopt;
  tensor_view out{v.home, element_at(v, from[0]), shape, dimensions(shape.size())};
  const dimensions dense = dense_strides(shape);
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (shape[k] > 1)
      out.strides[k] = element_at(v, from[static_cast<std::size_t>(dense[k])]) - out.offset;
  if (std::any_of(out.strides.begin(), out.strides.end(), [](std::int64_t s) { return s < 0; }))
    return std::nullopt;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (element_at(v, from[i]) != element_at(out, static_cast<std::int64_t>(i)))
      return std::nullopt;
  return out;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
