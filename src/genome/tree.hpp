// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_TREE_HPP
#define TESSERA_GENOME_TREE_HPP

#include <string>
#include <vector>

#include "compare.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Trees of more graphs are built from a sample.
inline constexpr std::uint32_t max_tree_size = 2000;

/// A tree without a root: leaves are 0 to leaves - 1, inner nodes behind them; the last one has
/// three children, or fewer where there are fewer leaves.
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

[[nodiscard]] text newick(const tree& t, std::span<const std::string> names);
[[nodiscard]] text dot(const tree& t, std::span<const std::string> names);
[[nodiscard]] text svg(const tree& t, std::span<const std::string> names);

/// Which of `size` graphs a tree is built from: all, or `wanted` of them, chosen by the seed, ascending.
[[nodiscard]] std::vector<std::uint32_t> sample(std::uint32_t size, std::uint32_t wanted,
                                                std::uint64_t seed);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_TREE_HPP
