// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/subgraphs.hpp"

#include <tuple>

#include "genome/dataflow.hpp"
#include "genome/dataflow_order.hpp"
#include "genome_tools/naive_genes.hpp"
#include "support/catch.hpp"

using namespace tessera::genomics;
using namespace genes_test;

namespace {

/// The graph in the order that occurrences are counted by.
[[nodiscard]] plain_graph in_dataflow_order(const corpus& c, std::size_t i, const plain_graph& g) {
  const std::vector<std::uint32_t> order = dataflow_order(c[i], operation_labels(c.names()));
  REQUIRE(order.size() == g.size());
  std::vector<int> place(g.size(), -1);
  plain_graph out;
  for (const std::uint32_t node : order) {  // one more than in `g`, where there is no input
    plain_node n = g[node - 1];
    for (int& a : n.arguments)
      if (a >= 0) a = place[static_cast<std::size_t>(a)];
    place[node - 1] = static_cast<int>(out.size());
    out.push_back(n);
    for (const int a : g[node - 1].arguments)  // givers first
      CHECK((a < 0 || place[static_cast<std::size_t>(a)] >= 0));
  }
  return out;
}

/// What a search found, against what trying everything finds.
void same_as_naive(const std::vector<plain_graph>& graphs, const subgraph_options& how) {
  corpus all;
  for (const plain_graph& g : graphs) add_to(all, g);
  const findings found = mine_subgraphs(all, how);
  CHECK(found.complete);
  std::vector<plain_graph> ordered;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    ordered.push_back(in_dataflow_order(all, i, graphs[i]));
  const naive_findings expected =
      naive(ordered, how.min_nodes, how.max_nodes, how.min_models, how.max_gap);
  REQUIRE(found.genes.size() == expected.size());
  std::vector<const naive_gene*> by_index;
  std::set<std::string> codes;
  for (std::size_t i = 0; i < found.genes.size(); ++i) {
    const gene& g = found.genes[i];
    const shape s = shape_of(all, g);
    const auto at = expected.find(s.least());
    REQUIRE(at != expected.end());
    CHECK(codes.insert(g.code).second);
    CHECK((g.form == gene_form::gapped) == s.gapped());
    CHECK(g.models == at->second.counts.size());
    CHECK(g.occurrences == at->second.total());
    CHECK(g.score == g.occurrences * (g.labels.size() - 1));
    by_index.push_back(&at->second);
    if (i == 0) continue;
    const gene& last = found.genes[i - 1];
    CHECK(
        (last.score > g.score || (last.score == g.score && last.labels.size() >= g.labels.size())));
    if (last.score == g.score && last.labels.size() == g.labels.size()) CHECK(last.code < g.code);
  }
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> counts, wanted;
  for (const occurrence& o : found.occurrences) counts.emplace_back(o.graph, o.gene, o.count);
  for (std::uint32_t i = 0; i < by_index.size(); ++i)
    for (const auto& [graph, count] : by_index[i]->counts) wanted.emplace_back(graph, i, count);
  std::sort(wanted.begin(), wanted.end());
  CHECK(counts == wanted);
}

[[nodiscard]] bool same(const findings& a, const findings& b) {
  if (a.genes.size() != b.genes.size() || a.complete != b.complete ||
      a.occurrences.size() != b.occurrences.size())
    return false;
  for (std::size_t i = 0; i < a.genes.size(); ++i) {
    const gene &x = a.genes[i], &y = b.genes[i];
    if (x.code != y.code || x.form != y.form || x.edges != y.edges || x.models != y.models ||
        x.occurrences != y.occurrences || x.score != y.score)
      return false;
  }
  for (std::size_t i = 0; i < a.occurrences.size(); ++i)
    if (a.occurrences[i].graph != b.occurrences[i].graph ||
        a.occurrences[i].gene != b.occurrences[i].gene ||
        a.occurrences[i].count != b.occurrences[i].count)
      return false;
  return true;
}

[[nodiscard]] const gene* gene_of(const findings& f, const std::string& code) {
  for (const gene& g : f.genes)
    if (g.code == code) return &g;
  return nullptr;
}

}  // namespace

TEST_CASE("genome/subgraphs: connected genes are those that trying everything finds",
          "[genome_tools]") {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 6; ++round) {
    std::vector<plain_graph> graphs;
    for (unsigned i = 0; i < 4; ++i) graphs.push_back(random_graph(random, 9));
    CAPTURE(round);
    same_as_naive(graphs, {.min_nodes = 2, .max_nodes = 5, .min_models = 1 + round % 3});
  }
}

TEST_CASE("genome/subgraphs: gapped genes are those that trying everything finds",
          "[genome_tools]") {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 6; ++round) {
    std::vector<plain_graph> graphs;
    for (unsigned i = 0; i < 3; ++i) graphs.push_back(random_graph(random, 8));
    CAPTURE(round);
    same_as_naive(graphs, {.min_nodes = 2 + round % 2,
                           .max_nodes = 4,
                           .min_models = 1 + round % 3,
                           .max_gap = 1 + round % 2});
  }
}

TEST_CASE(
    "genome/subgraphs: the order of nodes makes no difference, nor does that of graphs' names",
    "[genome_tools]") {
  std::mt19937 random(3);
  std::vector<plain_graph> graphs;
  for (unsigned i = 0; i < 6; ++i) graphs.push_back(random_graph(random, 24));
  corpus all, other;
  add_to(other, {{"zz", {}}, {"sub", {0, 0}}, {"relu", {1}}});  // other numbers for all names
  other.drop_last();
  for (const plain_graph& g : graphs) add_to(all, g);
  for (const plain_graph& g : graphs) add_to(other, reordered(g, random));
  subgraph_options how{.min_nodes = 2, .max_nodes = 5, .max_genes = 1u << 30};
  for (how.max_gap = 0; how.max_gap < 2; ++how.max_gap) {
    const findings found = mine_subgraphs(all, how);
    CHECK(found.genes.size() > 50);
    CHECK(same(found, mine_subgraphs(other, how)));
  }
}
