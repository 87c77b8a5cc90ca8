// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products, convolutions, pools and means as steps; see map.hpp.

#ifndef TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP
#define TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP

#include "transform/lower/map.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

void map_linear(mapper& m, nem::opcode op);
void map_addmm(mapper& m, nem::opcode op);
void map_matmul(mapper& m, nem::opcode op);
void map_convolution_nd(mapper& m, nem::opcode op);
void map_convolution(mapper& m, nem::opcode op);
void map_max_pool(mapper& m, nem::opcode op);
void map_average_pool(mapper& m, nem::opcode op);
void map_adaptive_pool(mapper& m, nem::opcode op);
void map_mean(mapper& m, nem::opcode op);

/// a[…, m, k] b[…, k, n], batches broadcast.
[[nodiscard]] tensor_view batched_product(mapper& m, const tensor_view& a, const tensor_view& b);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_MAP_PRODUCTS_HPP
