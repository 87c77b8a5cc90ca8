// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_COMPARE_HPP
#define TESSERA_GENOME_COMPARE_HPP

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
  bool operations = true;  ///< operations count too, as genes of one node
  unsigned threads = 0;
  progress_function progress;
};
/// `of` are graphs of the corpus: rows and columns of the matrix.
[[nodiscard]] distance_matrix distances(const corpus& all, const findings& found,
                                        std::span<const std::uint32_t> of,
                                        const distance_options& how = {});

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_COMPARE_HPP
