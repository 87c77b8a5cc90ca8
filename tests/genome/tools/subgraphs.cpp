// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/subgraphs.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "genome/dataflow.hpp"
#include "genome/dataflow_order.hpp"
#include "genome/tools/naive_genes.hpp"
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

/// As many places as were counted, each of other nodes, which are those of the gene.
void check_places(const corpus& all, subgraph_options how, const findings& found) {
  CHECK(found.places.empty());
  how.places = true;
  const findings placed = mine_subgraphs(all, how);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> nodes;
  std::size_t places = 0, wanted = 0;
  for (const gene_place& p : placed.places) {
    ++places;
    const gene& g = found.genes[p.gene];
    CHECK(std::is_sorted(p.nodes.begin(), p.nodes.end()));
    std::vector<std::uint32_t> labels, own = g.labels;
    for (const std::uint32_t n : p.nodes)
      labels.push_back(all.names()[all[p.graph].kinds[n]].operation);
    std::sort(labels.begin(), labels.end());
    std::sort(own.begin(), own.end());
    CHECK(labels == own);
    std::vector<std::uint32_t>& of = nodes[{p.graph, p.gene}];
    of.insert(of.end(), p.nodes.begin(), p.nodes.end());
  }
  for (auto& [key, of] : nodes) {
    std::sort(of.begin(), of.end());
    CHECK(std::adjacent_find(of.begin(), of.end()) == of.end());
  }
  for (const occurrence& o : found.occurrences) {
    wanted += o.count;
    CHECK(nodes[{o.graph, o.gene}].size() == o.count * found.genes[o.gene].labels.size());
  }
  CHECK(places == wanted);
}

/// What a search found, against what trying everything finds.
void same_as_naive(const std::vector<plain_graph>& graphs, const subgraph_options& how) {
  corpus all;
  for (const plain_graph& g : graphs) add_to(all, g);
  const findings found = mine_subgraphs(all, how);
  CHECK(found.complete);
  CHECK(found.examined.nodes != 0);
  CHECK(found.examined == search_coverage{.nodes = found.examined.nodes,
                                          .finished_nodes = found.examined.nodes,
                                          .models = all.size(),
                                          .finished_models = all.size()});
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
  check_places(all, how, found);
}

[[nodiscard]] bool same(const findings& a, const findings& b) {
  if (a.genes.size() != b.genes.size() || a.complete != b.complete || a.examined != b.examined ||
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
  for (unsigned round = 0; round < 5; ++round) {
    std::vector<plain_graph> graphs;
    for (unsigned i = 0; i < 4; ++i) graphs.push_back(random_graph(random, 9));
    CAPTURE(round);
    same_as_naive(graphs, {.min_nodes = 2, .max_nodes = 5, .min_models = 1 + round % 3});
  }
}

TEST_CASE("genome/subgraphs: gapped genes are those that trying everything finds",
          "[genome_tools]") {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 5; ++round) {
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
  for (unsigned i = 0; i < 4; ++i) graphs.push_back(random_graph(random, 18));
  corpus all, other;
  add_to(other, {{"zz", {}}, {"sub", {0, 0}}, {"relu", {1}}});  // other numbers for all names
  other.drop_last();
  for (const plain_graph& g : graphs) add_to(all, g);
  for (const plain_graph& g : graphs) add_to(other, reordered(g, random));
  subgraph_options how{
      .min_nodes = 2, .max_nodes = 5, .max_gapped_nodes = 5, .max_genes = 1u << 30};
  for (how.max_gap = 0; how.max_gap < 2; ++how.max_gap) {
    const findings found = mine_subgraphs(all, how);
    CHECK(found.genes.size() > 20);
    CHECK(same(found, mine_subgraphs(other, how)));
  }
}

namespace {

/// Residual blocks: both ways, with other operations between them in the stream.
[[nodiscard]] plain_graph residual(const std::string& norm, unsigned blocks) {
  plain_graph g{{"stem", {-1}}};
  for (unsigned b = 0; b < blocks; ++b) {
    const int x = static_cast<int>(g.size()) - 1;
    g.push_back({"other", {-1}});
    g.push_back({"conv", {x}});
    g.push_back({norm, {x + 2}});
    g.push_back({"other", {-1}});
    g.push_back({"add", {x, x + 3}});
    g.push_back({"relu", {x + 5}});
  }
  return g;
}

}  // namespace

TEST_CASE("genome/subgraphs: a residual block is a gene with both of its ways", "[genome_tools]") {
  corpus all;
  add_to(all, residual("norm", 3));
  add_to(all, residual("norm", 2));
  const findings f = mine_subgraphs(all, {.min_nodes = 4, .max_nodes = 5});
  const gene* const g = gene_of(f, R"({"labels":["relu","conv","norm","add","relu"],)"
                                   R"("edges":[[0,1,0],[0,3,0],[1,2,0],[2,3,0],[3,4,0]]})");
  REQUIRE(g != nullptr);
  CHECK(g->form == gene_form::connected);
  CHECK(g->models == 2);
  CHECK(g->occurrences == 2);  // two in the first overlap: one, and one in the second
  CHECK(g->score == 8);
  // conv > norm > add > relu is in all blocks; it is only once for each, and not dropped.
  const gene* const h =
      gene_of(f, R"({"labels":["conv","norm","add","relu"],"edges":[[0,1,0],[1,2,0],[2,3,0]]})");
  REQUIRE(h != nullptr);
  CHECK(h->occurrences == 5);
  CHECK(&f.genes[0] == h);
}

TEST_CASE("genome/subgraphs: an edge's argument distinguishes genes, unless they commute",
          "[genome_tools]") {
  const auto pairs = [](const std::string& operation) {
    corpus all;
    add_to(all, {{"conv", {-1}}, {"relu", {-1}}, {operation, {0, 1}}});
    add_to(all, {{"relu", {-1}}, {"conv", {-1}}, {operation, {1, 0}}});
    add_to(all, {{"conv", {-1}}, {"relu", {-1}}, {operation, {1, 0}}});
    add_to(all, {{"conv", {-1}}, {"relu", {-1}}, {operation, {1, 0}}});
    return mine_subgraphs(all, {.min_nodes = 3, .max_nodes = 3});
  };
  const findings sub = pairs("aten.sub.Tensor:node_args(2):kwargs()");
  REQUIRE(sub.genes.size() == 2);
  CHECK(sub.genes[0].models == 2);
  CHECK(sub.genes[1].models == 2);
  const findings add = pairs("aten.add_.Tensor:node_args(2):kwargs()");
  REQUIRE(add.genes.size() == 1);
  CHECK(add.genes[0].models == 4);
}

TEST_CASE("genome/subgraphs: a gapped gene is found over what differs", "[genome_tools]") {
  corpus all;
  add_to(all, {{"conv", {-1}}, {"batch_norm", {0}}, {"relu", {1}}, {"pool", {2}}});
  add_to(all,
         {{"conv", {-1}}, {"layer_norm", {0}}, {"dropout", {1}}, {"relu", {2}}, {"pool", {3}}});
  const auto codes = [&all](std::uint32_t max_gap) {
    std::vector<std::string> out;
    for (const gene& g :
         mine_subgraphs(all, {.min_nodes = 2, .max_nodes = 3, .max_gap = max_gap}).genes)
      out.push_back(g.code);
    return out;
  };
  const std::string direct = R"({"labels":["relu","pool"],"edges":[[0,1,0]]})";
  CHECK(codes(0) == std::vector<std::string>{direct});
  CHECK(codes(1) == std::vector<std::string>{direct});  // two in the second
  CHECK(codes(2) ==
        std::vector<std::string>{
            R"({"labels":["conv","relu","pool"],"edges":[[1,2,0]],"gaps":[[0,1]]})", direct});
}

TEST_CASE("genome/subgraphs: gaps keep off hubs", "[genome_tools]") {
  for (const std::size_t takers : {8u, 9u}) {
    plain_graph g{{"a", {-1}}, {"hub", {0}}, {"b", {1}}};
    while (g.size() < takers + 2) g.push_back({"x", {1}});
    corpus all;
    add_to(all, g);
    add_to(all, g);
    const findings f = mine_subgraphs(all, {.min_nodes = 2, .max_nodes = 2, .max_gap = 1});
    const gene* const gap = gene_of(f, R"({"labels":["a","b"],"edges":[],"gaps":[[0,1]]})");
    CHECK((gap != nullptr) == (takers == 8));
    CHECK(f.complete);
  }
}

TEST_CASE("genome/subgraphs: alleles have the same skeleton", "[genome_tools]") {
  corpus all;
  const std::vector<std::vector<const char*>> blocks = {{"conv", "batch_norm", "relu"},
                                                        {"depthwise", "batch_norm", "relu6"},
                                                        {"depthwise", "layer_norm", "gelu"}};
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (int copy = 0; copy < 2; ++copy) {
      plain_graph g;
      for (std::size_t n = 0; n <= i; ++n) {  // n + 1 times, apart from one another
        const int first = static_cast<int>(g.size());
        g.push_back({blocks[i][0], {-1}});
        g.push_back({blocks[i][1], {first}});
        g.push_back({blocks[i][2], {first + 1}});
      }
      g.push_back({"sub", {2, 1}});  // which makes another shape
      add_to(all, g);
    }
  const findings f = mine_subgraphs(all, {.min_nodes = 3, .max_nodes = 3});
  const std::vector<allele_group> groups = alleles(f);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].skeleton == R"({"form":"connected","nodes":3,"edges":[[0,1],[1,2]]})");
  std::vector<std::pair<std::string, std::uint64_t>> chains;
  for (const std::uint32_t i : groups[0].genes)
    chains.emplace_back(all.names().operations()[f.genes[i].labels[2]], f.genes[i].occurrences);
  REQUIRE(chains.size() == 6);
  CHECK(chains[0] == std::pair<std::string, std::uint64_t>{"gelu", 6});
  CHECK(chains[1] == std::pair<std::string, std::uint64_t>{"relu6", 4});
  CHECK(groups[1].skeleton == R"({"form":"connected","nodes":3,"edges":[[0,1],[0,2],[1,2]]})");
  CHECK(groups[1].genes.size() == 3);
}

TEST_CASE("genome/subgraphs: alleles of contiguous genes are compared in stream order",
          "[genome_tools]") {
  findings f;
  const auto add = [&f](std::vector<gene_edge> edges, std::uint64_t occurrences) {
    gene g;
    g.labels = {static_cast<std::uint32_t>(f.genes.size()), 1, 2};
    g.edges = std::move(edges);
    g.occurrences = occurrences;
    f.genes.push_back(g);
  };
  add({{0, 1, 0, false}, {0, 2, 0, false}}, 5);
  add({{0, 1, 2, false}, {0, 2, 1, false}}, 7);
  add({{0, 1, 0, false}, {1, 2, 0, false}}, 20);
  add({{0, 2, 0, false}, {1, 2, 0, false}}, 1);
  f.genes.push_back(f.genes[0]);
  f.genes.back().form = gene_form::connected;
  const std::vector<allele_group> groups = alleles(f);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].genes == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("genome/subgraphs: threads make no difference", "[genome_tools]") {
  std::mt19937 random(4);
  corpus all;
  for (unsigned i = 0; i < 8; ++i) add_to(all, random_graph(random, 20));
  subgraph_options how{.max_nodes = 4, .max_gap = 1};
  for (const std::uint64_t work : {std::uint64_t{1} << 32, std::uint64_t{8000}}) {
    how.max_work = work;
    how.threads = 1;
    std::uint64_t last = 0, total = 0;
    how.progress = [&](std::uint64_t done, std::uint64_t of) {
      CHECK(done > last);
      last = done;
      total = of;
    };
    const findings one = mine_subgraphs(all, how);
    CHECK(last == total);
    CHECK(total > 0);
    how.progress = {};
    how.threads = 4;
    const findings four = mine_subgraphs(all, how);
    CHECK(same(one, four));
    CHECK(one.complete == (work > 8000));
    CHECK(one.examined.models == 8);
    CHECK((one.examined.finished_models == 8) == one.complete);
    CHECK((one.examined.finished_nodes == one.examined.nodes) == one.complete);
    CHECK(one.examined.finished_nodes > 0);
    CHECK(!one.genes.empty());
  }
}

TEST_CASE("genome/subgraphs: a hub takes its share of the work and no more", "[genome_tools]") {
  plain_graph g{{"hub", {-1}}};
  for (int i = 0; i < 60; ++i) g.push_back({"x", {0}});
  for (int i = 0; i < 10; ++i) {
    const int first = static_cast<int>(g.size());
    for (const char* operation : {"a", "b", "c"})
      g.push_back(
          {operation, {first == static_cast<int>(g.size()) ? -1 : static_cast<int>(g.size()) - 1}});
  }
  corpus all;
  add_to(all, g);
  add_to(all, g);
  const findings f = mine_subgraphs(all, {.max_nodes = 8, .max_work = 200000});
  CHECK_FALSE(f.complete);
  // Of each graph only the hub, in the passes from some size on; from all else sets were searched.
  CHECK(f.examined.models == 2);
  CHECK(f.examined.finished_models == 0);
  const std::uint64_t left = f.examined.nodes - f.examined.finished_nodes;
  CHECK(left >= 2);
  CHECK(left <= 2 * 9);
  const gene* const chain = gene_of(f, R"({"labels":["a","b","c"],"edges":[[0,1,0],[1,2,0]]})");
  REQUIRE(chain != nullptr);
  CHECK(chain->occurrences == 20);
  CHECK(chain->models == 2);
}

TEST_CASE("genome/subgraphs: the best genes are the same, however few are kept", "[genome_tools]") {
  std::mt19937 random(5);
  corpus all;
  for (unsigned i = 0; i < 4; ++i) add_to(all, random_graph(random, 25));
  subgraph_options how{.min_nodes = 2, .max_nodes = 4, .max_genes = 1u << 30};
  const findings connected = mine_subgraphs(all, how);
  how.max_gap = 1;
  const findings gapped = mine_subgraphs(all, how);
  CHECK(connected.complete);
  CHECK(gapped.complete);
  how.max_genes = 7;
  const findings best_gapped = mine_subgraphs(all, how);
  how.max_gap = 0;
  const findings best = mine_subgraphs(all, how);
  CHECK(best.complete);
  REQUIRE(best.genes.size() == 7);
  REQUIRE(connected.genes.size() > 8 * 7);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(best.genes[i].code == connected.genes[i].code);
    CHECK(best.genes[i].occurrences == connected.genes[i].occurrences);
    CHECK(best.genes[i].models == connected.genes[i].models);
  }
  // Those with gaps may lack some. What there is holds.
  CHECK_FALSE(best_gapped.complete);
  CHECK(best_gapped.examined.ungrown_sets > 0);
  CHECK(best_gapped.examined.ungrown_sets <= best_gapped.examined.gapped_sets);
  CHECK(best_gapped.examined.finished_nodes == best_gapped.examined.nodes);
  CHECK(best_gapped.examined.finished_models == 4);
  REQUIRE(best_gapped.genes.size() == 7);
  CHECK(best_gapped.genes[0].code == gapped.genes[0].code);
  for (const gene& g : best_gapped.genes) {
    const gene* const same_gene = gene_of(gapped, g.code);
    REQUIRE(same_gene != nullptr);
    CHECK(g.occurrences == same_gene->occurrences);
    CHECK(g.models == same_gene->models);
  }
}

TEST_CASE("genome/subgraphs: gapped genes have their own size", "[genome_tools]") {
  corpus all;
  for (int i = 0; i < 2; ++i)
    add_to(all, {{"a", {-1}}, {"b", {0}}, {"c", {1}}, {"d", {2}}, {"e", {3}}, {"f", {4}}});
  const auto largest = [&all](std::uint32_t max_nodes, std::uint32_t max_gapped_nodes) {
    std::size_t connected = 0, gapped = 0;
    for (const gene& g : mine_subgraphs(all, {.min_nodes = 2,
                                             .max_nodes = max_nodes,
                                             .max_gap = 1,
                                             .max_gapped_nodes = max_gapped_nodes})
                             .genes) {
      std::size_t& size = g.form == gene_form::gapped ? gapped : connected;
      size = std::max(size, g.labels.size());
    }
    return std::pair(connected, gapped);
  };
  CHECK(largest(6, 3) == std::pair<std::size_t, std::size_t>(6, 3));
  CHECK(largest(3, 5) == std::pair<std::size_t, std::size_t>(3, 3));
  CHECK(largest(6, 1) == std::pair<std::size_t, std::size_t>(6, 0));
  CHECK(largest(6, 5) == std::pair<std::size_t, std::size_t>(6, 5));
}

TEST_CASE("genome/subgraphs: too many candidates cut the search short", "[genome_tools]") {
  corpus all;  // 21 pairs of operations
  plain_graph g;
  for (int i = 0; i < 21; ++i) {
    g.push_back({"a" + std::to_string(i), {-1}});
    g.push_back({"b" + std::to_string(i), {static_cast<int>(g.size()) - 1}});
  }
  for (int i = 0; i < 40; ++i) add_to(all, g);
  subgraph_options how{.min_nodes = 2, .max_nodes = 2, .max_candidates = 42};
  const findings enough = mine_subgraphs(all, how);
  CHECK(enough.complete);
  CHECK(enough.genes.size() == 21);
  how.max_candidates = 41;  // of the operations, one is missing, and so is its pair
  how.threads = 1;
  const findings less = mine_subgraphs(all, how);
  CHECK_FALSE(less.complete);
  CHECK(less.genes.size() == 20);
  CHECK(less.examined.uncounted_sets == 40);
  CHECK(less.examined.finished_models == 0);
  CHECK(less.examined.finished_nodes == less.examined.nodes);
  for (const gene& found : less.genes) CHECK(found.occurrences == 40);
  how.threads = 3;
  CHECK(same(less, mine_subgraphs(all, how)));

  // None in excess in any part of the corpus, but in all of it.
  corpus different;
  for (const char* const operation : {"x", "x", "y", "y", "z", "z"})
    add_to(different, {{operation, {-1}}, {operation, {0}}});
  how.max_candidates = 2;
  const findings two = mine_subgraphs(different, how);
  CHECK_FALSE(two.complete);
  CHECK(two.genes.size() == 2);
  CHECK(two.examined.uncounted_sets == 4);
  CHECK(two.examined.finished_models == 6);
}

TEST_CASE("genome/subgraphs: a graph of too many gaps has none", "[genome_tools]") {
  // Layers of eight, each node of which takes from all eight before: as far as fans go.
  plain_graph g;
  for (int layer = 0; layer < 50; ++layer)
    for (int i = 0; i < 8; ++i) {
      plain_node n{layer % 2 == 0 ? "add" : "mul", {-1}};
      if (layer > 0) n.arguments.clear();
      for (int k = 0; layer > 0 && k < 8; ++k) n.arguments.push_back(8 * (layer - 1) + k);
      g.push_back(n);
    }
  corpus all;
  add_to(all, g);
  add_to(all, g);
  const std::string gap = R"({"labels":["add","add"],"edges":[],"gaps":[[0,1]]})";
  for (const std::uint32_t max_gap : {1u, 4u}) {
    const findings f = mine_subgraphs(all, {.min_nodes = 2, .max_nodes = 2, .max_gap = max_gap});
    CHECK(f.complete == (max_gap == 1));
    CHECK(f.examined.models_without_gaps == (max_gap == 1 ? 0 : 2));
    CHECK(f.examined.finished_models == (max_gap == 1 ? 2 : 0));
    CHECK((gene_of(f, gap) != nullptr) == (max_gap == 1));
    CHECK(gene_of(f, R"({"labels":["add","mul"],"edges":[[0,1,0]]})") != nullptr);
  }
}

TEST_CASE("genome/subgraphs: empty corpora and odd options", "[genome_tools]") {
  corpus all;
  CHECK(mine_subgraphs(all).genes.empty());
  CHECK(alleles(findings()).empty());
  all.begin("empty");
  all.begin("inputs alone");
  all.add(all.names().kind("<DATA_INPUT>", "", {}), {});
  CHECK(mine_subgraphs(all, {.max_gap = 1}).genes.empty());
  add_to(all, residual("norm", 1));
  add_to(all, residual("norm", 1));
  const findings all_sizes = mine_subgraphs(all, {.min_nodes = 0, .max_nodes = 99, .max_gap = 99});
  CHECK(all_sizes.complete);
  REQUIRE(!all_sizes.genes.empty());
  CHECK(all_sizes.genes[0].labels.size() == 5);
  const findings none = mine_subgraphs(all, {.max_work = 0});
  CHECK(none.genes.empty());
  CHECK_FALSE(none.complete);
  CHECK(none.examined.nodes > 0);
  CHECK(none.examined.finished_nodes == 0);
  CHECK(mine_subgraphs(all, {.max_genes = 1}).genes.size() == 1);
}
