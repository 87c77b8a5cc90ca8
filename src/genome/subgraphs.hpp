// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#ifndef TESSERA_GENOME_SUBGRAPHS_HPP
#define TESSERA_GENOME_SUBGRAPHS_HPP

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct subgraph_options {
  std::uint32_t min_nodes = 3, max_nodes = 8;
  std::uint32_t min_models = 2;  ///< graphs that must hold a gene
  std::uint32_t max_gap = 0;     ///< nodes between two of a gapped gene; 0: connected genes
  std::uint32_t max_genes = 1000;
  std::uint64_t max_work = std::uint64_t{1} << 32;  ///< occurrences looked at
  unsigned threads = 0;
  progress_function progress;
};

[[nodiscard]] findings mine_subgraphs(const corpus& of, const subgraph_options& how = {});

/// Genes of the same skeleton: the same nodes and edges with other operations.
struct allele_group {
  std::string skeleton;              ///< canonical code without operations
  std::vector<std::uint32_t> genes;  ///< by occurrences, the most frequent first
};
[[nodiscard]] std::vector<allele_group> alleles(const findings& of);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SUBGRAPHS_HPP
