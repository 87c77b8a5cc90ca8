// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Patterns and copies written out: a verified stream becomes a flat graph, node by node.
//
//   auto flat = genome::expand(*program);                         // neither PATTERN nor COPY
//   auto counted = genome::expand(*program, {.copies = false});   // COPY stays one node
//   const genome::pattern_result second[] = {{18, 5}};            // pattern 18 gives its node 5
//   auto other = genome::expand(*program, {.results = {second, 1}});
//
// The numbering that references of patterns count in has each pattern written out, patterns inside
// of patterns too, and a COPY as one node. Copies are multiplied after that, and all ids moved.
//
//   in the program                     in the flat graph
//   PATTERN                            its nodes; what it lists in D doesn't matter
//   d of the pattern's flat node j     the node at start + j + d, inside of the pattern or before it
//   id of a PATTERN                    its result: the last of its nodes that isn't in a block
//   COPY of n nodes, an id of it       n nodes, the first of them
//   IF, WHILE                          the same, the lengths of their blocks in flat nodes
//
// References of a pattern's nodes are offsets where they stay in a block, and ids where they leave
// it. Those of other nodes keep their form. Neither is limited to what a file can hold.
//
// Lifetime:   the graph owns itself.
// Errors:     at the byte offset of the stream's node: genome_expansion_size, before anything is
//             written out; genome_pattern_order where a pattern takes something from before the
//             graph, from a block that has ended, or of a node that has no value;
//             genome_reference_external where it takes what the IF around it doesn't list. At the
//             index in `results`: genome_pattern_result.
// Limits:     limits::max_items nodes, and as many inputs; 2^31 - 1. No recursion.
// Allocation: the graph; 8 bytes for each of its nodes, 4 for each of the stream's, 32 for each
//             pattern of the library, and 160 for each pattern or block inside of another. Time is
//             linear in the patterns that occur, the stream, and the graph.

#ifndef TESSERA_GENOME_EXPAND_HPP
#define TESSERA_GENOME_EXPAND_HPP

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "detail/pattern_shapes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How far to expand, and how much.
struct expand_options {
  bool copies = true;  ///< a COPY becomes as many nodes as it says; else it stays one
  view<pattern_result> results = {};  ///< what patterns result in; empty: their last nodes
  limits limit = {};                  ///< of nodes
};

/// A program as a flat graph.
[[nodiscard]] result<stream> expand(const program& p, const expand_options& how = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/expand.hpp"
#endif

#endif  // TESSERA_GENOME_EXPAND_HPP
