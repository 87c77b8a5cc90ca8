// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A step divided: its dimensions merged, its columns in blocks or slices, the terms of its product in
// slices; and the tiles of a dimension.
//
//   merge_dimensions(s);                                   // of a step that works element by element
//   step blocks = by_blocks(s, 64);                        // of 64 columns
//   std::vector<segment> tiles = segments_of(s, 1, 8);     // of 8 rows, as far as there are
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: that of the vectors.

#ifndef TESSERA_TRANSFORM_LOWER_DIVIDE_HPP
#define TESSERA_TRANSFORM_LOWER_DIVIDE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transform/lower/tiling.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

/// a / b, rounded up.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}
[[nodiscard]] constexpr bool is_product(nem::opcode op) noexcept {
  return op == nem::opcode::conv2d || op == nem::opcode::gemm;
}

inline constexpr std::size_t no_dimension = ~std::size_t{0};
/// The dimension of a view that follows one of the step.
[[nodiscard]] std::size_t follower(const access& a, std::size_t dimension) noexcept;

/// Merges dimensions that all accesses go through alike.
void merge_dimensions(step& s);
/// A dimension of 1 before all others.
void add_dimension(step& s);
/// The columns in blocks of `size`: a dimension of blocks before all others.
[[nodiscard]] step by_blocks(const step& from, std::int64_t size);
/// The terms of the product in slices: a dimension of slices before all others of what is multiplied.
[[nodiscard]] step by_slices(const step& from, std::int64_t slices);
/// The columns in slices: a dimension of slices before all others of what has columns.
[[nodiscard]] step by_columns(const step& from, std::int64_t slices);
/// Whether slices of a step's columns are products of what all of them have in common.
[[nodiscard]] bool has_product_of_columns(const step& s) noexcept;
/// The terms of the product that a step begins with, if they can be in slices; else 1.
[[nodiscard]] std::int64_t terms_of(const step& s, const target& device);

/// The tiles of a dimension, those of one form together.
[[nodiscard]] std::vector<segment> segments_of(const step& s, std::uint32_t d, std::int64_t size);
/// Segments as loops: where those at the ends are one tile each, all are one loop.
[[nodiscard]] std::vector<tile_run> runs_of(const std::vector<segment>& all);
/// Elements of the first tiles to try: all, halves, thirds …
[[nodiscard]] std::vector<std::int64_t> tile_sizes(std::int64_t n);

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_DIVIDE_HPP
