// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Genes and alleles as tables for people and as JSON.
//
//   std::cout << genes_table(all, found);
//   std::cout << alleles_table(all, found, alleles(found));
//
//   gene                          how it is shown: ways of the dataflow, until all edges are
//   a chain                       conv2d > batch_norm > relu
//   a residual block              relu#1 > conv2d > batch_norm > add#2; #1 > #2
//   a gap                         conv2d ~> relu
//   a contiguous gene             conv2d, batch_norm, relu: in stream order; "3 x" a COPY
//
// A node that is shown more than once has a number, and only that from the second time on. Names are
// targets without "aten." and ".default".
//
// Lifetime:   values; findings must be of the corpus.
// Errors:     none: in tables, what can't be printed becomes U+FFFD.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_GENOME_GENE_TEXT_HPP
#define TESSERA_GENOME_GENE_TEXT_HPP

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "corpus.hpp"
#include "gene.hpp"
#include "subgraphs.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// "aten.conv2d.default" -> "conv2d".
[[nodiscard]] std::string_view short_target(std::string_view target) noexcept;
[[nodiscard]] std::string_view form_name(gene_form form) noexcept;
/// A gene on one line, for people.
[[nodiscard]] std::string gene_line(const vocabulary& names, const gene& g);

/// What a search that is incomplete did and what it left, on one line.
[[nodiscard]] std::string coverage_line(const findings& found);

/// Names that people have for genes, by their canonical codes.
using names_by_code = std::map<std::string, std::string, std::less<>>;

/// Rank, score, models, occurrences, nodes, gene, in front of which is "NAME: " if it has one; the
/// first `max_genes` of them.
[[nodiscard]] text genes_table(const corpus& of, const findings& found,
                               std::size_t max_genes = ~std::size_t{0},
                               const names_by_code& known = {});
/// {"complete", "examined", "models", "genes": [{"rank", "name", "form", "score", "models", "occurrences",
/// "operations", "edges", "gaps", "code", "by_model"}]}: an edge is [from, to, input], a gap
/// [from, to]; a gene without a name has none. "examined" is there where a search for subgraphs is
/// incomplete: {"share", "nodes", "finished_nodes", "models", "finished_models", "models_without_gaps",
/// "uncounted_sets", "gapped_sets", "ungrown_sets"}, the share being that of finished nodes.
[[nodiscard]] text genes_json(const corpus& of, const findings& found,
                              const names_by_code& known = {});
/// Each group: its occurrences and skeleton, then rank, occurrences and gene of each of its genes.
[[nodiscard]] text alleles_table(const corpus& of, const findings& found,
                                 std::span<const allele_group> groups);
/// {"groups": [{"skeleton", "occurrences", "genes": [{"rank", "occurrences", "models", "operations"}]}]}
[[nodiscard]] text alleles_json(const corpus& of, const findings& found,
                                std::span<const allele_group> groups);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_GENE_TEXT_HPP
