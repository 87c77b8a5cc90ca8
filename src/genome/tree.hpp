// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Family trees of graphs, by neighbour joining (Saitou and Nei, in the form of Studier and Keppler).
//
//   std::vector<std::uint32_t> of = sample(all.size(), max_tree_size, 1);
//   tree t = neighbour_joining(distances(all, found, of));
//   std::cout << newick(t, names);          // (resnet18:0.25,(vgg:0.125,alexnet:0.5):0.25,mlp:1.0);
//
// As long as more than three clusters are left, the two with the smallest
//
//   (clusters - 2) × distance - sum of the one's distances - sum of the other's
//
// are joined. Clusters are in the order of their first leaves; of equal pairs the one whose first,
// then whose second cluster comes first is taken. Distances that are those along a tree give that
// tree. A branch whose length comes out below 0 gets 0, and its sibling takes the difference, so that
// the two stay as far apart as they are; of the last three branches, both others take it.
//
//   output   what
//   newick   one line; a name is quoted where it isn't a plain word, lengths read back as they are
//   dot      for Graphviz, laid out by twopi around the last inner node; edges have a len, for neato
//   svg      a picture: rooted in the middle of its longest path, branches to scale, subtrees with
//            fewer leaves first; names longer than inspect::longest_label are cut
//
// Nothing recurses: a tree may be a chain. A tree that was made by other means has its children
// before their parents: a child of inner node i is a leaf or an inner node before i.
//
// Lifetime:   values.
// Errors:     std::bad_alloc. There are as many names as leaves.
// Limits:     no number of leaves, but work grows by its cube: max_tree_size takes seconds.
// Allocation: 8 bytes for each pair of leaves; pictures some 500 bytes for each leaf.

#ifndef TESSERA_GENOME_TREE_HPP
#define TESSERA_GENOME_TREE_HPP

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compare.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Trees of more graphs are built from a sample.
inline constexpr std::uint32_t max_tree_size = 2000;

/// A tree without a root: leaves are 0 to leaves - 1, inner nodes follow in the order in which
/// they were joined; the last one has three children, or fewer where there are fewer leaves. Without
/// leaves there is no node at all.
struct tree {
  struct child {
    std::uint32_t node = 0;
    double length = 0;  ///< never below 0
  };
  std::uint32_t leaves = 0;
  std::vector<std::vector<child>> inner;  ///< children of inner node leaves + i
};
[[nodiscard]] tree neighbour_joining(const distance_matrix& d,
                                     const progress_function& progress = {});

/// Where `svg` draws a tree: to the right by length, down by rows of leaves.
struct tree_plot {
  struct line {
    double left = 0, top = 0, right = 0, bottom = 0;
  };
  struct end {
    std::uint32_t leaf = 0;
    double length = 0, row = 0;  ///< from the root
  };
  std::vector<line> lines;  ///< branches, and what joins them
  std::vector<end> ends;    ///< of the leaves, from the top
  double deepest = 0;       ///< the longest of the lengths; 0 for a tree without any
  double unit = 0;          ///< a round number of about a quarter of that
};
[[nodiscard]] tree_plot plot(const tree& t);

[[nodiscard]] text newick(const tree& t, std::span<const std::string> names);
[[nodiscard]] text dot(const tree& t, std::span<const std::string> names);
/// Names have the colour of their group, where there are groups: one for each leaf, as its tooltip.
[[nodiscard]] text svg(const tree& t, std::span<const std::string> names,
                       std::span<const std::string> groups = {});

/// Which of `size` graphs a tree is built from: all, or `wanted` of them, chosen by the seed, each
/// choice as likely as any other; ascending.
[[nodiscard]] std::vector<std::uint32_t> sample(std::uint32_t size, std::uint32_t wanted,
                                                std::uint64_t seed);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_TREE_HPP
