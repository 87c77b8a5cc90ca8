// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The shapes that operations produce, for verifying models and for building them.
//
//   ark::dimensions out;
//   if (ark::broadcast(ark::shape_of(a), ark::shape_of(b), out)) …      // [4,1] + [8] → [4,8]
//   ark::matmul_shape m;
//   if (ark::multiply(ark::shape_of(a), ark::shape_of(b), false, true, m)) use(m.out, m.inner);
//
//   broadcast     aligned at the last dimension; each pair equal, or one of them 1
//   reduced       the axis becomes 1, or goes; the only axis that goes leaves [1]
//   permuted      out[i] = in[permutation[i]]
//   multiply      [.., M, K] x [.., K, N]; one dimension acts as [1, K] or [K, 1]; up to two of them
//                 give [M, N], otherwise batches are broadcast to the rank of the larger
//   looked_up     [a, b, c] in [rows, columns] → [a, b, c, columns], in two forms
//
// Lifetime:   values.
// Errors:     false, for shapes that don't fit.
// Limits:     four dimensions.
// Allocation: none.

#ifndef TESSERA_ARK_SHAPES_HPP
#define TESSERA_ARK_SHAPES_HPP

#include <cstddef>
#include <cstdint>

#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// One to four sizes; those from `rank` on are 1.
struct dimensions {
  std::int64_t size[max_rank] = {1, 1, 1, 1};  ///< from the outermost
  std::uint32_t rank = 1;                      ///< from 1 to 4

  /// The innermost size.
  [[nodiscard]] constexpr std::int64_t last() const noexcept { return size[rank - 1]; }
  friend constexpr bool operator==(const dimensions&, const dimensions&) = default;
};
/// One list of sizes of a layout; a layout without dimensions is [1].
[[nodiscard]] constexpr dimensions dimensions_of(const std::int64_t (&sizes)[max_rank],
                                                 std::uint32_t rank) noexcept {
  dimensions d;
  d.rank = rank == 0 ? 1 : rank;
  for (std::size_t i = 0; i < max_rank; ++i) d.size[i] = sizes[i];
  return d;
}
/// The shape of a layout.
[[nodiscard]] constexpr dimensions shape_of(const layout& l) noexcept {
  return dimensions_of(l.shape, l.rank);
}
/// The padded shape of a layout.
[[nodiscard]] constexpr dimensions padded_shape_of(const layout& l) noexcept {
  return dimensions_of(l.padded_shape, l.rank);
}
/// The number of elements; it can't overflow for a tensor of fewer than 2^63 bytes.
[[nodiscard]] constexpr std::uint64_t elements(const layout& l) noexcept {
  std::uint64_t n = 1;
  for (const std::int64_t d : l.shape) n *= static_cast<std::uint64_t>(d);
  return n;
}
/// "[4,8]"
text& operator<<(text& out, const dimensions& d);

/// The same, padded with leading ones: four dimensions.
[[nodiscard]] dimensions extended(const dimensions& d) noexcept;
/// The last `rank` of four dimensions.
[[nodiscard]] dimensions last_of(const dimensions& four, std::uint32_t rank) noexcept;
/// The shape to which both broadcast; false if there is none.
[[nodiscard]] bool broadcast(const dimensions& a, const dimensions& b, dimensions& out) noexcept;
/// Whether `a` broadcasts to the shape `to`.
[[nodiscard]] inline bool broadcasts_to(const dimensions& a, const dimensions& to) noexcept {
  dimensions out;
  return broadcast(a, to, out) && out == to;
}
/// `axis` may be negative: -1 is the last.
[[nodiscard]] bool reduced(const dimensions& in, std::int64_t axis, bool keep,
                           dimensions& out) noexcept;
/// Dimension i of `out` is dimension permutation[i]; false if that is no permutation.
[[nodiscard]] bool permuted(const dimensions& in, view<std::int64_t> permutation,
                            dimensions& out) noexcept;
/// The shape of a matrix product, and its sizes.
struct matmul_shape {
  dimensions out;                                 ///< of the product
  std::int64_t rows = 1, columns = 1, inner = 1;  ///< M, N, K
};
/// False when the inner dimensions differ or the batches don't broadcast; rows, columns and the
/// left inner dimension are then given all the same.
[[nodiscard]] bool multiply(const dimensions& a, const dimensions& b, bool transpose_a,
                            bool transpose_b, matmul_shape& m) noexcept;
/// The shape of rows looked up in a table: the indices' and the columns, padded with leading ones.
[[nodiscard]] bool looked_up(const dimensions& indices, const dimensions& table,
                             dimensions& out) noexcept;
/// Whether `out` is one of the two shapes that a lookup has: with the leading ones, or without.
[[nodiscard]] bool is_looked_up(const dimensions& indices, const dimensions& table,
                                const dimensions& out) noexcept;

/// The name under which older files have an argument of `op`; `other` when there is none.
[[nodiscard]] argument_name older_name(argument_name name, op_type op) noexcept;
/// An operation's argument under its name or the older one; null when neither is there. For an
/// operation of a program, each argument that its Type requires is there, in its TYPE.
[[nodiscard]] const argument* argument_of(const model& g, const op& o, argument_name name) noexcept;

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/shapes.hpp"
#endif

#endif  // TESSERA_ARK_SHAPES_HPP
