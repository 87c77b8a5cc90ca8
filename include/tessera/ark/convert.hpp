// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Converts a graph from one dialect to another.
//
//   auto old = ark::convert(std::move(*graph), ark::dialect::d1b);
//   if (!old) return fail(describe(old.error(), source));
//
// Operations and their order stay as they are, and so do tensors and buffers with their Ids:
//
//   Ops to Op        a node of several operations becomes a chain of nodes. An edge goes between the
//                    operations that share a tensor, or from the last one to the first when none
//                    do. Nodes get their places as Ids, edges stand ascending on both sides
//   Op to Ops        nodes of one operation
//   Matmul           d1a and d1b get the arguments that repeat the shapes, others lose them
//   IsExternal       d2x and d3x get `false` where there is none, others lose `false`
//   Pads             d1a gets ones, others get PaddedShape = Shape
//   spellings        IsInputColumnMajor and IsOtherColumnMajor become TransposeInput and
//                    TransposeOther; Value of ScalarAdd and ScalarMul becomes Factor
//
// Lifetime:   the graph owns itself.
// Errors:     what check() refuses; ark_dialect where `true` would be lost as IsExternal, or padding
//             in d1a; ark_g01, g03, g05 where a chain can't be made; ark_o03 for a Matmul that
//             doesn't have its tensors. The offset is that of the node.
// Limits:     none.
// Allocation: linear in the graph.

#ifndef TESSERA_ARK_CONVERT_HPP
#define TESSERA_ARK_CONVERT_HPP

#include <cstdint>

#include "../core/result.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether the graph has a form in its dialect: one operation a node without "Ops", no padding
/// where there are "Pads".
[[nodiscard]] bool in_dialect(const model& g) noexcept;

namespace detail {

/// An edge between two nodes, by their places.
struct edge {
  std::uint32_t from, to;
};

}  // namespace detail

/// The same operations in the same order, as another dialect writes them. A graph that is in the
/// dialect already stays as it is.
[[nodiscard]] result<model> convert(model g, dialect to);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/convert.hpp"
#endif

#endif  // TESSERA_ARK_CONVERT_HPP
