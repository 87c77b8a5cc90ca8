// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Equivalent forms of a model: in another dialect, or in the canonical one.
//
//   auto old = ark::convert(std::move(*model), ark::dialect::d1b);
//   if (!old) return fail(describe(old.error(), source));
//
// convert() keeps operations and their order, and tensors and buffers with their Ids:
//
//   Ops to Op        a node of several operations becomes a chain of nodes. An edge goes between the
//                    operations that share a tensor, or from the last one to the first when none
//                    do. Nodes get their indices as Ids, edges are ascending in both lists
//   Op to Ops        nodes of one operation
//   Matmul           d1a and d1b get the arguments that repeat the shapes, others lose them
//   IsExternal       d2x and d3x get `false` where there is none, others lose `false`
//   Pads             d1a gets ones, others get PaddedShape = Shape
//   spellings        IsInputColumnMajor and IsOtherColumnMajor become TransposeInput and
//                    TransposeOther; Value of ScalarAdd and ScalarMul becomes Factor
//
// canonicalise() gives one form to all models that differ only in Ids and in insignificant orders:
//
//   const auto left = ark::write(ark::canonicalise(one)), right = ark::write(ark::canonicalise(other));
//   if (*left == *right) …                      // the same model
//
//   Ids         0, 1, … in order of appearance, of tensors and of buffers; of nodes their indices
//   edges       ascending by index; Ids that no node has come last
//   tags        ascending
//   arguments   by name
//
// It keeps operations, the tensors in each list and the dialect, and drops what nothing refers to.
// The format's own serializer takes Ids from counters of its process and edges from the order of
// addresses, so two runs of one program give different texts.
//
// Lifetime:   models own themselves.
// Errors:     of convert(): what check() refuses; ark_dialect where `true` would be lost as
//             IsExternal, or padding in d1a; ark_g01, g03, g05 where no chain can be made; ark_o03
//             for a Matmul with a wrong number of tensors. The offset is that of the node.
//             canonicalise() has none: it returns a copy of a model that check() refuses.
// Limits:     none.
// Allocation: linear in the model.

#ifndef TESSERA_ARK_CONVERT_HPP
#define TESSERA_ARK_CONVERT_HPP

#include <cstdint>

#include "../core/result.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether the model can be written in its dialect: one operation per node without "Ops", no
/// padding where there are "Pads".
[[nodiscard]] bool in_dialect(const model& g) noexcept;

namespace detail {

/// An edge between two nodes, by their indices.
struct edge {
  std::uint32_t from, to;
};

}  // namespace detail

/// The same operations in the same order, as another dialect writes them. A model that is already in
/// that dialect is returned unchanged.
[[nodiscard]] result<model> convert(model m, dialect to);

/// The canonical form of a model.
[[nodiscard]] model canonicalise(const model& m);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/convert.hpp"
#endif

#endif  // TESSERA_ARK_CONVERT_HPP
