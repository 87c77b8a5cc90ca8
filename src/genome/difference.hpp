// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two graphs of a corpus.
//
//   corpus both;                                   // add_graph() twice
//   graph_difference d = difference(both, 0, 1);
//   for (const node_difference& n : d.nodes) …     // n.before == none: added
//
//   paired       first nodes of one kind whose inputs are of the same kinds (sequence_match.hpp); then,
//                between these, nodes of the same operation, in their order
//   unchanged    a pair of one kind whose inputs are pairs, each with the other's
//   changed      another pair
//
// A graph is that of the expansion, so that it makes no difference how a stream is compressed, and
// kinds are what ids mean, so that registries may differ.
//
// Lifetime:   values.
// Errors:     std::bad_alloc.
// Limits:     those of sequence_match.hpp.
// Allocation: some 100 bytes for each node.

#ifndef TESSERA_GENOME_DIFFERENCE_HPP
#define TESSERA_GENOME_DIFFERENCE_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct node_difference {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t before = none, after = none;
  bool operation = false, variation = false, constants = false, inputs = false;  ///< of a pair
};

struct graph_difference {
  std::vector<node_difference> nodes;  ///< in the order of the graphs; removed before added
  std::uint64_t changed = 0, added = 0, removed = 0, unchanged = 0;

  [[nodiscard]] bool same() const noexcept { return nodes.empty(); }
};
[[nodiscard]] graph_difference difference(const corpus& of, std::size_t before, std::size_t after);

/// A node as text: "conv2d(%2, %3, arg3=[2, 2])".
[[nodiscard]] std::string node_text(const corpus& of, std::size_t graph, std::uint32_t node);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DIFFERENCE_HPP
