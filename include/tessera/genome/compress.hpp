// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The inverse of expand(): a flat graph in the patterns of its library, and in copies.
//
//   auto short_form = genome::compress(*program);
//   auto again = genome::verify(std::move(*short_form), library);
//   auto flat = genome::expand(*again);              // the graph as it was, node by node
//
//   const genome::compressor many(library);          // prepares the patterns once
//   for (const genome::program& p : programs) use(many.run(p));
//
// First, what repeats becomes a COPY: runs of more than 2 equal nodes without inputs, up to 32767,
// of which only the first is used. Then patterns are looked for from left to right; the longest that
// matches is taken, of equal ones the first in the registry, and the search continues after it. A
// match is the same A, B and C, and the same D with all references relative, in the numbering in
// which a COPY is one node; patterns inside of patterns count as what they expand to.
//
//   a match is used where             because
//   it lies in one block              a macro is a node of one block; it may hold whole blocks
//   it takes 255 nodes or fewer       D has no room for more; counted before patterns are put in
//   plain nodes take its result only  that is what an id of a macro means: the last node outside of
//                                     blocks, or the one of expand_options::results; nodes of other
//                                     macros take any of its nodes
//   it ends no block, or with its     the last node of a block gives the block's value
//   result
//   it takes inputs outside of        in blocks they are those of the IF or WHILE
//   blocks only
//
// What isn't used stays as plain nodes, which may be a reason not to use other matches. B and C of a
// macro name the pattern, D the nodes that it takes: ascending, each once.
//
// A pattern of one node saves nothing, and is used only for a node that takes an inner result of a
// macro, one that isn't the macro's own: as a plain node it couldn't. Where the library lacks such a
// pattern, a longer match is lost; which patterns would save it is known:
//
//   auto missing = many.missing(p);                  // for node k: missing->nodes and missing->saved
//
// A program that has patterns already is expanded first. COPYs that are there stay as they are.
// Of a library whose patterns are huge when they are written out, patterns count in the order of the
// registry, each that keeps all of them within 16 × the nodes of graph and library, plus 65536. Those
// that are longer than the graph, or hold a node that the graph doesn't, never count.
//
// Lifetime:   the stream owns itself.
// Errors:     those of expand().
// Limits:     limits::max_items nodes, and as many inputs; 2^31 - 1. No recursion.
// Allocation: 50 bytes for each node of all patterns, once; typically 160 for one of the graph
//             and of patterns that may occur in it, and 12 for each input; at most 1500, and 5 MB,
//             where patterns are made for it. Time is linear in these up to a logarithmic factor,
//             of the nodes of patterns and of their number.

#ifndef TESSERA_GENOME_COMPRESS_HPP
#define TESSERA_GENOME_COMPRESS_HPP

#include <cstdint>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "detail/pattern_texts.hpp"
#include "expand.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Patterns of one node each that a library lacks: nodes of a graph that take inner results.
struct missing_patterns {
  stream nodes;               ///< references relative, as in a pattern; may be equal
  pool<std::uint64_t> saved;  ///< by node: bytes that the matches which it takes from would save
};

/// compress() of many graphs over one library, whose patterns are prepared once. Threads may share
/// it. Lifetime: borrows the library, and expand_options::results.
class compressor {
 public:
  /// Prepares the patterns of `l`, whose matches are chosen by `how`.
  explicit compressor(const library& l, const expand_options& how = {})
      : how_(how), patterns_(l, how.copies), wrong_(patterns_.choose(how.results)) {}

  /// `flat` is of the same library.
  [[nodiscard]] result<stream> run(const program& flat) const;
  /// What run() would use if the library had it, where one match or more depends on it. Operations
  /// only, whose inputs are up to 32768 nodes before them.
  [[nodiscard]] result<missing_patterns> missing(const program& flat) const;

 private:
  /// In which a COPY is one node.
  [[nodiscard]] result<stream> graph_of(const program& flat) const;

  const expand_options how_;
  detail::pattern_index patterns_;
  const error wrong_;
};

/// A flat graph in the patterns of its library. expand() gives the same graph back, node by node.
[[nodiscard]] inline result<stream> compress(const program& flat, const expand_options& how = {}) {
  return compressor(flat.library(), how).run(flat);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/compress.hpp"
#endif

#endif  // TESSERA_GENOME_COMPRESS_HPP
