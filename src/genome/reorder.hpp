// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Graphs in an order in which their genes have nothing between their nodes, as patterns need it.
//
//   findings found = mine_contiguous(all, {.places = true});
//   reordered r = parameters_first(all, found);
//   result<signatures> s = signatures_of(r.graphs);
//   add_patterns(*s, r.graphs, r.genes);
//
// A contiguous gene goes over inputs and parameters; a pattern can't. So at each place of a gene what
// it goes over comes in front of it, in its own order; all else stays. The graphs are the same ones,
// node by node, in another order in which every node comes after what it takes. Inputs stay ascending:
// a variation is renamed where they change places.
//
// Distances between nodes change, and with them genes: each is there in all the forms in which it then
// occurs, the most frequent first, with the places that have it. A place keeps its order where
// something with inputs, an OUTPUT, is between its nodes.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc; std::length_error as for the corpus.
// Limits:     those of corpus.hpp and tokens.hpp.
// Allocation: a corpus as large as the given one, its text (tokens.hpp), and the forms.

#ifndef TESSERA_GENOME_REORDER_HPP
#define TESSERA_GENOME_REORDER_HPP

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct reordered {
  corpus graphs;
  findings genes;  ///< contiguous; of findings, only genes
};

/// `found` is of mine_contiguous() with places, and of this corpus.
[[nodiscard]] reordered parameters_first(const corpus& of, const findings& found);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_REORDER_HPP
