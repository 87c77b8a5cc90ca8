// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What a page shows of a corpus: its graphs, the genes that they share, and their family tree.
//
//   findings found = mine_contiguous(all, {.places = true});
//   inspect::page p = page_of(all, found, of, neighbour_joining(distances(all, found, of)));
//   p.title = "networks";
//   std::cout << inspect::html(p);
//
//   graph        a node for each operation, input and output; parameters are among what a click shows.
//                Contiguous genes are folded; without any, long graphs fold where they repeat
//   gene         its nodes and edges, as a graph of its own; a gap is dashed
//   tree         of the graphs that it was made of; a graph of it by itself has none
//
// Lifetime:   the page owns what it shows.
// Errors:     std::bad_alloc. Findings have places; the tree's leaves are `of`.
// Limits:     corpus_page_limits; the facts say what was left out.
// Allocation: the page.

#ifndef TESSERA_GENOME_PAGE_HPP
#define TESSERA_GENOME_PAGE_HPP

#include <cstdint>
#include <span>

#include "corpus.hpp"
#include "gene.hpp"
#include "tessera/inspect/page.hpp"
#include "tree.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// What a page of 5 MB has room for.
struct corpus_page_limits {
  std::size_t graph_nodes = 16000;  ///< of all graphs that are drawn
  std::size_t gene_nodes = 4000;    ///< of all genes
  std::size_t holders = 50000;      ///< graphs of genes
};

[[nodiscard]] inspect::page page_of(const corpus& all, const findings& found,
                                    std::span<const std::uint32_t> of, const tree& family,
                                    const corpus_page_limits& limits = {});

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PAGE_HPP
