// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products, convolutions and windows as steps; see map.hpp.

#ifndef TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP
#define TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP

#include "transform/lower/map.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// Two numbers, of rows and of columns.
struct pair_of {
  std::int64_t rows = 0, columns = 0;
};
struct window_geometry {
  pair_of kernel = {1, 1}, stride = {1, 1}, dilation = {1, 1};
  pair_of before = {0, 0}, after = {0, 0};  ///< padding

  [[nodiscard]] std::int64_t rows(std::int64_t in) const noexcept {
    return (in + before.rows + after.rows - dilation.rows * (kernel.rows - 1) - 1) / stride.rows +
           1;
  }
  [[nodiscard]] std::int64_t columns(std::int64_t in) const noexcept {
    return (in + before.columns + after.columns - dilation.columns * (kernel.columns - 1) - 1) /
               stride.columns +
           1;
  }
};

/// Writes a new tensor of the step's dimensions.
[[nodiscard]] tensor_view write_new(mapper& m, step& s);
/// What follows the first dimensions of a step.
[[nodiscard]] std::vector<std::int32_t> first_dimensions(std::size_t count);
/// A vector that follows a dimension.
[[nodiscard]] access vector_access(const tensor_view& v, std::size_t dimension);

/// What is added to each column: one number for each, or one for all of them.
[[nodiscard]] std::optional<tensor_view> bias_of(mapper& m, std::size_t letter,
                                                 std::int64_t columns);
/// y[…, n] = x[…, k] w[k, n] + bias[n]
[[nodiscard]] tensor_view product_with(mapper& m, tensor_view x, const tensor_view& w,
                                       const tensor_view* bias);
/// a[…, m, k] b[…, k, n], batches broadcast.
[[nodiscard]] tensor_view batched_product(mapper& m, const tensor_view& a, const tensor_view& b);
/// x times a matrix along an axis, of as many rows.
[[nodiscard]] tensor_view by_matrix(mapper& m, const tensor_view& x, std::size_t axis,
                                    std::vector<float> matrix);

/// Folds some dimensions, by avgpool or maxpool; they are 1 in the result.
[[nodiscard]] tensor_view folded(mapper& m, nem::opcode op, const tensor_view& x,
                                 const std::vector<bool>& is_folded);
/// The windows of some rows and columns of images, NHWC.
[[nodiscard]] tensor_view pooled(mapper& m, nem::opcode op, const tensor_view& x,
                                 const window_geometry& g);
/// A new tensor of one number.
[[nodiscard]] tensor_view filled(mapper& m, const dimensions& shape, double value);
/// x with elements of one number before and after it in each dimension; fewer than none are taken off.
[[nodiscard]] tensor_view padded(mapper& m, const tensor_view& x, const dimensions& before,
                                 const dimensions& after, double value);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP
