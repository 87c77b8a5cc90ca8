// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One form for all orders of the nodes of a small labelled graph.
//
//   canonical_form a = canonicalise(labels, edges);
//   canonical_form b = canonicalise(other_labels, other_edges);
//   a == b;  // whether they are isomorphic: labels, directions, inputs and gaps alike
//
// Nodes are in an order of the dataflow: by the longest way from a node without producers, then by
// label, then by what their neighbours are. That leaves some orders; all that differ by more than a
// symmetry of the graph are tried, and the smallest adjacency matrix wins. So it is exact, no hash.
//
// Lifetime:   values.
// Errors:     none. Edges must lie within the nodes and form no cycle.
// Limits:     16 nodes.
// Allocation: the form, and a record for each symmetry that is found.

#ifndef TESSERA_GENOME_CANONICAL_HPP
#define TESSERA_GENOME_CANONICAL_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

inline constexpr std::uint32_t max_canonical_nodes = 16;

struct canonical_form {
  std::vector<std::uint32_t> labels;
  std::vector<gene_edge> edges;      ///< ascending, each once
  std::vector<std::uint32_t> order;  ///< which of the given nodes is at each place

  friend bool operator==(const canonical_form& a, const canonical_form& b) {
    return a.labels == b.labels && a.edges == b.edges;
  }
};
/// Forms compare by the numbers that labels are.
[[nodiscard]] canonical_form canonicalise(std::span<const std::uint32_t> labels,
                                          std::span<const gene_edge> edges);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CANONICAL_HPP
