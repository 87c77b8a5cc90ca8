// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Genes of the dataflow: connected pieces that recur, wherever their nodes are in the streams.
//
//   findings f = mine_subgraphs(all, {.min_nodes = 3, .max_nodes = 6});
//   f.genes[0];                                   // conv > bn > add with both of its ways
//   std::vector<allele_group> a = alleles(f);     // the same skeleton with other operations
//
//   term          definition
//   operation     a node with A from 10 on, an IF or a WHILE; what is taken from inputs, parameters
//                 and constants is no part of a gene. Its label is the operation's name
//   edge          from the operation that gives to the one that takes, with which argument it is:
//                 see dataflow.hpp, by which the order of nodes in a stream makes no difference
//   occurrence    a set of operations of one graph that is connected by the edges between them: all
//                 of these are the gene's, so that a residual block comes with both of its ways
//   gapped        an occurrence that is connected only, or also, by gaps: u to v is a gap when v
//                 takes nothing from u, and a way leads from u to v over 1 to max_gap operations
//                 that aren't in the set; dataflow.hpp says which hubs ways keep off. A gapped gene
//                 has a gap at least, and max_gap > 0 finds connected genes too
//   gene          the class of all occurrences that are isomorphic, by labels, edges and gaps: its
//                 code, {"labels", "edges"} as JSON, is that of canonical.hpp
//   models        support: graphs that hold an occurrence, min_models at least
//   occurrences   how many of a graph's share no node: they are taken by their ascending nodes, in the
//                 order of dataflow_order.hpp, the smallest first, each that shares none with those
//                 taken before; the sum over all graphs
//   score         occurrences * (nodes - 1): the nodes that one node for each would save
//
// The 8 * max_genes best by score, and those that equal the last of them, are looked at. One is
// dropped when another of the same form, of one node more, has as many occurrences and models, and is
// that gene without one of its nodes: it says nothing new. The others are ordered by score, the
// highest first, then by nodes, the most first, then by code; max_genes of them are kept.
//
// The search goes by sizes, connected genes first. Each connected part of an occurrence is a gene of
// at least as many models; and no gene has more occurrences than a part of it has nodes that are the
// first of one of its sets. So a set grows on only when its parts are genes that leave room for one
// that is looked at, and nothing is missed, unless a limit says so:
//
//   limit            what it does
//   max_work         sets, their neighbours and nodes within gaps looked at in all searching; each
//                    pass gives a graph its share of what is left, by nodes, and each first node of a
//                    set its part of that: an eighth of what the graph has left, or what falls to it
//                    when all get as much. Counting what was found may take as much again for each form
//   max_candidates   genes of one size: new ones beyond aren't counted
//   gapped growth    once as many genes as are looked at were found, sets with gaps grow by the same
//                    rule, though their genes may have parts that aren't: a way that leads over a
//                    node is a gap for the part without it. Corpora of few genes don't come that far
//   gaps             dataflow.hpp: a graph with too many has none
//
// Whichever of them takes effect makes findings.complete false, and takes effect at the same place
// each time: findings depend on neither threads, time, nor the order of nodes within graphs, but for
// counts where nodes are alike in all that lies around them. When it is false, genes can be missing,
// and counts are lower bounds; findings.examined says how much was done, and what was left.
//
// Lifetime:   values; labels are operations of the corpus's vocabulary.
// Errors:     std::bad_alloc, and std::length_error beyond 2^31 inputs of a graph.
// Limits:     2 <= min_nodes <= max_nodes <= 16, max_gapped_nodes <= max_nodes, max_gap <= 4;
//             options are brought into that.
// Allocation: what was found; 4 bytes for each node; for each thread the graph at hand and at most
//             130 MB; 150 bytes for each candidate of a size. Time is linear in the number of graphs,
//             and less as they repeat each other: max_nodes passes over their sets, and as many over
//             those with gaps. 1,000 graphs of 2,000 nodes take a minute of one processor, and two
//             with gaps; a fifth node of gapped genes takes twice that, and more each further one.

#ifndef TESSERA_GENOME_SUBGRAPHS_HPP
#define TESSERA_GENOME_SUBGRAPHS_HPP

#include "corpus.hpp"
#include "gene.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct subgraph_options {
  std::uint32_t min_nodes = 3, max_nodes = 6;
  std::uint32_t min_models = 2;  ///< graphs that must hold a gene
  std::uint32_t max_gap = 0;     ///< nodes between two of a gapped gene; 0: only connected genes
  std::uint32_t max_gapped_nodes = 4;  ///< of a gapped gene; max_nodes at most
  std::uint32_t max_genes = 1000;
  std::uint32_t max_candidates = std::uint32_t{1} << 19;  ///< distinct genes of one size
  std::uint64_t max_work = std::uint64_t{1} << 30;        ///< sets, neighbours and gaps looked at
  bool places = false;   ///< whether findings have the occurrences that were counted
  unsigned threads = 0;  ///< 0: as many as the machine has
  progress_function progress = {};
};

[[nodiscard]] findings mine_subgraphs(const corpus& of, const subgraph_options& how = {});

/// Genes of the same skeleton: the same nodes and edges with other operations.
struct allele_group {
  std::string skeleton;              ///< canonical code without operations
  std::vector<std::uint32_t> genes;  ///< by occurrences, the most frequent first, then by index
};
/// Groups of two genes or more, by the occurrences of all their genes, then by skeleton. Genes are
/// of a group when their form, their edges and their gaps are the same; which argument an edge is
/// belongs to the operation, and isn't compared. Contiguous genes are compared as they are in
/// their streams, the others, of 16 nodes at most, by their canonical code without labels.
[[nodiscard]] std::vector<allele_group> alleles(const findings& of);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SUBGRAPHS_HPP
