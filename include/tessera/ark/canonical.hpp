// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One form for all graphs that differ only in Ids and in orders that mean nothing.
//
//   const ark::graph a = ark::canonicalise(*one), b = ark::canonicalise(*other);
//   const auto left = ark::write(a), right = ark::write(b);
//   if (*left == *right) …                      // the same model
//
//   Ids         0, 1, … in order of appearance, of tensors and of buffers; of nodes their places
//   edges       ascending by place; an Id that no node has comes behind those that some have
//   tags        ascending
//   arguments   by name
//
// Operations, tensors in each list and the dialect stay as they are. What nothing refers to is left
// out. The serializer of the format takes Ids from counters of its process and edges from the order
// of addresses, so two runs of one program give different texts.
//
// Lifetime:   the graph owns itself.
// Errors:     none. A graph that check() refuses comes back as it was.
// Limits:     none.
// Allocation: the new graph, and 16 bytes for each node, tensor and buffer while it is made.

#ifndef TESSERA_ARK_CANONICAL_HPP
#define TESSERA_ARK_CANONICAL_HPP

#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The graph in the form that all others of its kind have.
[[nodiscard]] model canonicalise(const model& g);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/canonical.hpp"
#endif

#endif  // TESSERA_ARK_CANONICAL_HPP
