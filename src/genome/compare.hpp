// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How far graphs are from each other, by the genes that they share.
//
//   distance_matrix d = distances(all, found, sample(all.size(), max_tree_size, 1));
//   std::cout << distance_table(d, names);
//
// A graph is a bag of genes, each weighted by the nodes it explains: occurrences times nodes of the
// gene. The distance is that of Jaccard on such bags,
//
//   1 - sum of min(x, y) / sum of max(x, y)        over all genes
//
// a metric: 0 for the same genes equally often, 1 for none in common; 0 between two graphs that have
// none at all. With distance_options::operations each operation is a gene of one node, so that graphs
// which are too small for genes compare too. Commands (inputs, parameters, outputs, IF, WHILE) are
// no operations.
//
//   compositions   an operation with its variation and constants is a gene of one node, too: what
//                  registries call a composition. A depthwise convolution is then another gene than
//                  a dense one
//   presence       a graph has a gene or doesn't, so that networks of one design are near each other
//                  however deep they are. A gene that m of n graphs have weighs log(1 + n / m): the
//                  fewer have it, the more it says; of one graph only, it weighs nothing
//
//   output             what
//   distance_table     up to max_table_size graphs as a matrix; of more, the nearest of each
//   distance_csv       the matrix; quoted where RFC 4180 asks for it; six decimals
//   distance_json      {"names": [...], "distances": [[...]]}, rounded to six digits
//
// The result is the same whatever the number of threads.
//
// Lifetime:   a matrix owns itself.
// Errors:     std::bad_alloc. `of` holds indices of graphs, `found` is of the same corpus.
// Limits:     2^32 genes and operations together.
// Allocation: 4 bytes for each pair, 16 for each gene of a graph, and 8 for each gene and thread.

#ifndef TESSERA_GENOME_COMPARE_HPP
#define TESSERA_GENOME_COMPARE_HPP

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Distances between graphs, from 0 (the same genes equally often) to 1 (none in common).
struct distance_matrix {
  std::uint32_t size = 0;
  std::vector<float> values;  ///< size × size, symmetric, zeros on the diagonal

  [[nodiscard]] float operator()(std::size_t a, std::size_t b) const noexcept {
    return values[a * size + b];
  }
};
struct distance_options {
  bool operations = true;     ///< operations count too, as genes of one node
  bool compositions = false;  ///< operations with their constants count too
  bool presence = false;      ///< which genes a graph has counts, not how often
  unsigned threads = 0;       ///< 0: as many as the machine has
  progress_function progress = {};
};
/// `of` are graphs of the corpus: rows and columns of the matrix.
[[nodiscard]] distance_matrix distances(const corpus& all, const findings& found,
                                        std::span<const std::uint32_t> of,
                                        const distance_options& how = {});

/// Tables of more graphs list the nearest_shown nearest of each.
inline constexpr std::uint32_t max_table_size = 12, nearest_shown = 3;

/// `names` are those of the rows.
[[nodiscard]] text distance_table(const distance_matrix& d, std::span<const std::string> names);
[[nodiscard]] text distance_csv(const distance_matrix& d, std::span<const std::string> names);
[[nodiscard]] text distance_json(const distance_matrix& d, std::span<const std::string> names);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_COMPARE_HPP
