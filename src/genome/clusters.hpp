// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A family tree cut into clusters, and how well they agree with families that are known.
//
//   std::vector<std::uint32_t> found = cut(t, d, 30);         // the cluster of each leaf
//   double agreement = adjusted_rand_index(found, families);  // 1: the same partition
//
//   cut    removes branches, one at a time, each from one cluster, until there are as many clusters as
//          asked for: of all branches the one is next whose removal makes the scatter fall the most,
//
//            sum over clusters of (sum over pairs of distance²) / leaves
//
//          that is Ward's criterion, for distances that may be no Euclidean ones. A cluster is thus a
//          connected part of the tree. Labels have no part in it. Of equal branches the one is removed
//          that comes first: clusters in the order of their first leaves, branches in that of the tree.
//   index  of Hubert and Arabie: the share of pairs that both partitions treat alike, corrected so
//          that random ones have 0 on average; below 0 where they agree less than that. It is 1 where
//          each partition has one cluster, or one for each leaf.
//
// Lifetime:   values.
// Errors:     std::bad_alloc. The matrix is the one that the tree was made from.
// Limits:     more clusters than leaves are as many as leaves.
// Allocation: 8 bytes for each pair of leaves. Time is quadratic in the leaves of what is cut: 2,000
//             leaves and 100 clusters take a second or two.

#ifndef TESSERA_GENOME_CLUSTERS_HPP
#define TESSERA_GENOME_CLUSTERS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "compare.hpp"
#include "tree.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// The cluster of each leaf, numbered in the order of their first leaves.
[[nodiscard]] std::vector<std::uint32_t> cut(const tree& t, const distance_matrix& d,
                                             std::uint32_t clusters);

/// Of two partitions of the same things: the part that each thing is in. 1 if there are none.
[[nodiscard]] double adjusted_rand_index(std::span<const std::uint32_t> a,
                                         std::span<const std::uint32_t> b);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CLUSTERS_HPP
