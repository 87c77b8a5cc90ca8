// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where the elements of a tensor are: a home, and strides in it.
//
//   tensor_view x{home, 0, {1, 3, 8, 8}, dense_strides({1, 3, 8, 8})};
//   tensor_view y = permuted(x, {0, 2, 3, 1});                // no element moves
//   std::optional<tensor_view> z = reshaped(y, {1, 64, 3});   // where strides can say it
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: that of the vectors.

#ifndef TESSERA_TRANSFORM_LOWER_VIEW_HPP
#define TESSERA_TRANSFORM_LOWER_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

using dimensions = std::vector<std::int64_t>;

/// Some elements of a home. Offset and strides are elements; strides aren't negative.
struct tensor_view {
  std::uint32_t home = 0;
  std::int64_t offset = 0;
  dimensions shape, strides;

  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  friend bool operator==(const tensor_view&, const tensor_view&) = default;
};

[[nodiscard]] std::int64_t product(std::span<const std::int64_t> of) noexcept;
/// Of row-major order.
[[nodiscard]] dimensions dense_strides(const dimensions& shape);
/// Whether elements follow each other in the order of the shape.
[[nodiscard]] bool is_dense(const tensor_view& v) noexcept;

[[nodiscard]] tensor_view permuted(const tensor_view& v, const std::vector<std::size_t>& order);
/// In another shape of as many elements; none where strides can't say it.
[[nodiscard]] std::optional<tensor_view> reshaped(const tensor_view& v, const dimensions& shape);
/// Broadcast to a shape, as numpy does.
[[nodiscard]] tensor_view expanded(const tensor_view& v, const dimensions& shape);
/// `count` elements of a dimension from `first` on.
[[nodiscard]] tensor_view narrowed(const tensor_view& v, std::size_t dimension, std::int64_t first,
                                   std::int64_t count);
/// With dimensions of 1 before it, up to a rank.
[[nodiscard]] tensor_view of_rank(const tensor_view& v, std::size_t rank);
/// Without a dimension, whose index is 0.
[[nodiscard]] tensor_view without(const tensor_view& v, std::size_t dimension);

/// The dimensions from the one of the largest stride to that of the smallest.
[[nodiscard]] std::vector<std::size_t> order_of(const tensor_view& v);
[[nodiscard]] std::vector<std::size_t> inverse_of(const std::vector<std::size_t>& order);

/// The offset of an element in its home, by its row-major index.
[[nodiscard]] std::int64_t element_at(const tensor_view& v, std::int64_t index) noexcept;

/// Where an operation that only moves elements takes them: from[i] is the row-major index in `v` of
/// element i of a result of that shape. None where strides can't say it.
[[nodiscard]] std::optional<tensor_view> moved(const tensor_view& v, const dimensions& shape,
                                               std::span<const std::int64_t> from);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_VIEW_HPP
