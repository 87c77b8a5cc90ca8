// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Contiguous genes: runs of consecutive nodes that occur in many places, as the patterns
// of NAC v1.2 are defined.
//
//   findings found = mine_contiguous(all, {.min_length = 8, .max_length = 40});
//   for (const gene& g : found.genes) use(g.labels, g.inputs, g.occurrences);
//
//   taken             nodes that are the same: kind, and inputs relative to the node
//   left out          DATA_INPUT, PARAM_INPUT, CONST_REF, OUTPUT, NONE and PAD, though relative
//                     inputs count them; a gene goes over them
//   a run that        one node, whatever its nodes are, with how many they are (tokens.hpp)
//   becomes a COPY
//   never crossed     IF, WHILE, the ends of their blocks, the ends of graphs
//   frequency         occurrences, whether they overlap or not
//   score             frequency times length in nodes
//
// Again and again, among all runs of min_length to max_length nodes that occur in two places or
// more, the one of the highest score becomes a gene, and its places are taken out, left to right
// and without overlap, each leaving a gap that no later gene crosses. Of equal scores the one wins
// whose first place is in the earliest graph; there the shorter; there the earlier. It ends where
// no score is at least min_score.
//
//   of a gene      occurrences, score    the frequency and score when it was chosen
//                  models                graphs that held it then
//                  inputs                of each node, below 0
//                  edges                 inputs that lead to nodes of the gene when it occurs with
//                                        nothing between its nodes, as in a registry
//                  code                  kinds with inputs: "12(-1,-3) 14(-1)", of a COPY "3x2()"
//   of findings    occurrences           places that were taken out
//                  complete              false: max_genes ended it
//
// The text of all graphs is sorted once (suffix_array.hpp); runs that occur in the same places are
// one range of that order. Scores only fall as places are taken out, so that a heap of old scores
// finds the highest one: what it gives is counted again, and put back if it fell.
//
// Lifetime:   nothing is kept; genes have numbers of the corpus's vocabulary.
// Errors:     std::bad_alloc; std::length_error beyond 2^31 - 1 nodes.
// Limits:     lengths are cut to 1 … 255 nodes.
// Allocation: at most 52 bytes for each node while the text is sorted (suffix_array.hpp); then 9,
//             and 32 for each range whose score is high enough. 15 to 35 in all on what was
//             measured. Time almost linear in the number of nodes.

#ifndef TESSERA_GENOME_CONTIGUOUS_HPP
#define TESSERA_GENOME_CONTIGUOUS_HPP

#include "corpus.hpp"
#include "gene.hpp"
#include "tokens.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct contiguous_options {
  std::uint32_t min_length = 8, max_length = 40;  ///< nodes
  std::uint64_t min_score = 100;                  ///< frequency times length
  std::uint32_t max_genes = 65526;
  bool places = false;              ///< whether findings have the places that were taken out
  unsigned threads = 0;             ///< that sort; 0: as many as the machine has
  progress_function progress = {};  ///< in nodes that were taken out
};

/// The gene that the `length` tokens from `first` on are; `text` is of this corpus.
[[nodiscard]] gene contiguous_gene(const corpus& of, const token_text& text, std::uint32_t first,
                                   std::uint32_t length);

[[nodiscard]] findings mine_contiguous(const corpus& of, const contiguous_options& how = {});

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CONTIGUOUS_HPP
