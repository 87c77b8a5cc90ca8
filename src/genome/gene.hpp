// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Genes: recurring pieces of graphs, as all miners give them.
//
//   form         what its labels are       what its edges are
//   contiguous   kinds, in stream order    direct; `inputs` has D, relative, of every node
//   connected    operations                direct: node `to` takes the result of `from`
//   gapped       operations                direct, or over one or more nodes that aren't in the gene
//
// Nodes of connected and gapped genes are in the order of their canonical code, whatever order
// they were found in: equal codes are equal genes.
//
// Lifetime:   values; labels are numbers of the corpus's vocabulary.
// Errors:     none here.
// Limits:     32-bit indices.
// Allocation: what they hold.

#ifndef TESSERA_GENOME_GENE_HPP
#define TESSERA_GENOME_GENE_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "less_by_element.hpp"
#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

enum class gene_form : std::uint8_t { contiguous, connected, gapped };

struct gene_edge {
  std::uint32_t from = 0, to = 0;  ///< nodes of the gene
  std::uint32_t input = 0;         ///< of `to`, in the order of D; 0 over a gap
  bool gap = false;
  friend auto operator<=>(const gene_edge&, const gene_edge&) = default;
};

struct gene {
  gene_form form = gene_form::contiguous;
  std::vector<std::uint32_t> labels;
  std::vector<gene_edge> edges;
  std::vector<std::uint32_t> repeats;  ///< contiguous only: how many nodes a COPY is; else 0
  std::vector<std::vector<std::int32_t>> inputs;  ///< contiguous only
  std::uint64_t occurrences = 0;                  ///< as the miner's header defines them
  std::uint32_t models = 0;                       ///< support: graphs that hold it
  std::uint64_t score = 0;                        ///< as the miner's header defines it
  std::string code;                               ///< canonical: 1:1 with what the gene is
};

/// How often a graph holds a gene.
struct occurrence {
  std::uint32_t graph = 0, gene = 0;
  std::uint64_t count = 0;
};

/// Where a graph holds a gene.
struct gene_place {
  std::uint32_t graph = 0, gene = 0;
  std::vector<std::uint32_t> nodes;  ///< of the graph, ascending

  friend bool operator<(const gene_place& a, const gene_place& b) noexcept {
    if (a.graph != b.graph) return a.graph < b.graph;
    return a.gene != b.gene ? a.gene < b.gene : less_by_element()(a.nodes, b.nodes);
  }
};

/// How far a search for connected and gapped genes came, in all of its passes together.
struct search_coverage {
  std::uint64_t nodes = 0;           ///< that sets were to be searched from
  std::uint64_t finished_nodes = 0;  ///< of these, from which the search came to its end
  std::uint64_t models = 0;
  std::uint64_t finished_models = 0;      ///< in which no limit took effect
  std::uint64_t models_without_gaps = 0;  ///< which have too many
  std::uint64_t uncounted_sets = 0;       ///< whose genes were too many, at least
  std::uint64_t gapped_sets = 0;          ///< that grew only if their genes were found before
  std::uint64_t ungrown_sets = 0;         ///< of these: what they would become wasn't searched
  friend bool operator==(const search_coverage&, const search_coverage&) = default;
};

struct findings {
  std::vector<gene> genes;              ///< in the order in which they were chosen
  std::vector<occurrence> occurrences;  ///< by graph, then by gene
  std::vector<gene_place> places;  ///< where the options ask for them: by graph, gene and nodes
  bool complete = true;            ///< no limit of work or memory cut the search short
  search_coverage examined;        ///< all 0 of contiguous genes
};

/// How far work is, from 0 to `total`; called from one thread at a time.
using progress_function = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_GENE_HPP
