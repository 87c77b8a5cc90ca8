// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "genome/key_table.hpp"
#include "support/catch.hpp"

using namespace tessera::genomics;

namespace {

struct labelled {
  std::vector<std::uint32_t> labels;
  std::vector<gene_edge> edges;

  [[nodiscard]] labelled moved(const std::vector<std::uint32_t>& places) const {
    labelled out{labels, edges};
    for (std::size_t i = 0; i < labels.size(); ++i) out.labels[places[i]] = labels[i];
    for (gene_edge& e : out.edges) {
      e.from = places[e.from];
      e.to = places[e.to];
    }
    return out;
  }
};

[[nodiscard]] canonical_form form(const labelled& g) { return canonicalise(g.labels, g.edges); }

[[nodiscard]] std::vector<std::uint32_t> shuffled(std::size_t size, std::mt19937& random) {
  std::vector<std::uint32_t> places(size);
  std::iota(places.begin(), places.end(), 0u);
  std::shuffle(places.begin(), places.end(), random);
  return places;
}

/// Isomorphic by the definition: some order of the nodes makes them the same.
[[nodiscard]] bool isomorphic(const labelled& a, const labelled& b) {
  if (a.labels.size() != b.labels.size() || a.edges.size() != b.edges.size()) return false;
  std::vector<gene_edge> wanted = b.edges;
  std::sort(wanted.begin(), wanted.end());
  std::vector<std::uint32_t> places(a.labels.size());
  std::iota(places.begin(), places.end(), 0u);
  do {
    labelled m = a.moved(places);
    std::sort(m.edges.begin(), m.edges.end());
    if (m.labels == b.labels && m.edges == wanted) return true;
  } while (std::next_permutation(places.begin(), places.end()));
  return false;
}

[[nodiscard]] labelled random_labelled(std::mt19937& random, std::uint32_t size,
                                       std::uint32_t labels, std::uint32_t sparse) {
  labelled g;
  for (std::uint32_t i = 0; i < size; ++i) {
    g.labels.push_back(static_cast<std::uint32_t>(random() % labels));
    for (std::uint32_t k = 0; k < i; ++k)
      if (random() % sparse == 0) {
        const bool gap = random() % 8 == 0;
        g.edges.push_back({k, i, gap ? 0 : static_cast<std::uint32_t>(random() % 2), gap});
      }
  }
  return g;
}

/// A graph and its form, in many orders; and that the form is the graph.
void one_form(const labelled& g, std::mt19937& random) {
  const canonical_form f = form(g);
  for (int i = 0; i < 8; ++i) CHECK(form(g.moved(shuffled(g.labels.size(), random))) == f);
  std::vector<std::uint32_t> places(g.labels.size());
  for (std::uint32_t i = 0; i < f.order.size(); ++i) places[f.order[i]] = i;
  labelled m = g.moved(places);
  std::sort(m.edges.begin(), m.edges.end());
  CHECK(m.labels == f.labels);
  CHECK(m.edges == f.edges);
  for (const gene_edge& e : f.edges) CHECK(e.from < e.to);  // in an order of the dataflow
}

}  // namespace

TEST_CASE("genome/canonical: equal forms if and only if isomorphic", "[genome_tools]") {
  std::mt19937 random(1);
  std::vector<labelled> graphs;
  std::vector<canonical_form> forms;
  for (int i = 0; i < 60; ++i) {
    graphs.push_back(random_labelled(random, 3 + static_cast<std::uint32_t>(i % 3), 1, 2));
    for (gene_edge& e : graphs.back().edges) e = {e.from, e.to, 0, false};
    forms.push_back(form(graphs.back()));
  }
  int same = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const bool equal = forms[i] == forms[k];
      same += equal;
      CHECK(equal == isomorphic(graphs[i], graphs[k]));
    }
  CHECK(same > 20);
}

TEST_CASE("genome/canonical: random graphs of all sizes in any order", "[genome_tools]") {
  std::mt19937 random(2);
  for (std::uint32_t size = 1; size <= max_canonical_nodes; ++size)
    for (std::uint32_t labels = 1; labels < 4; ++labels)
      one_form(random_labelled(random, size, labels, 1 + size / 3), random);
}

TEST_CASE("genome/canonical: graphs with many symmetries take few steps", "[genome_tools]") {
  std::mt19937 random(3);
  labelled star, chains, complete, apart, crown;
  star.labels.assign(16, 7);
  for (std::uint32_t i = 1; i < 16; ++i) star.edges.push_back({0, i, 0, false});
  chains.labels.assign(15, 7);  // seven ways of two nodes from one
  for (std::uint32_t i = 1; i < 15; ++i) chains.edges.push_back({i < 8 ? 0 : i - 7, i, 0, false});
  complete.labels.assign(16, 7);
  crown.labels.assign(16, 7);
  for (std::uint32_t i = 0; i < 8; ++i)
    for (std::uint32_t k = 8; k < 16; ++k) {
      complete.edges.push_back({i, k, 0, false});
      if (k - 8 != i) crown.edges.push_back({i, k, 0, false});
    }
  apart.labels.assign(16, 7);
  for (const labelled& g : {star, chains, complete, crown, apart}) one_form(g, random);
  // Two rings of four and one of eight: refinement doesn't distinguish them.
  labelled two, one;
  two.labels.assign(16, 7);
  one.labels.assign(16, 7);
  for (std::uint32_t i = 0; i < 8; ++i) {
    one.edges.push_back({i, 8 + i, 0, false});
    one.edges.push_back({(i + 1) % 8, 8 + i, 0, false});
    two.edges.push_back({i, 8 + i, 0, false});
    two.edges.push_back({i / 4 * 4 + (i + 1) % 4, 8 + i, 0, false});
  }
  one_form(one, random);
  one_form(two, random);
  CHECK_FALSE(form(one) == form(two));
}

TEST_CASE("genome/canonical: labels, directions, inputs and gaps all count", "[genome_tools]") {
  const labelled base{{1, 2, 3}, {{0, 1, 0, false}, {1, 2, 0, false}}};
  const std::vector<labelled> others = {
      {{1, 2, 4}, base.edges},
      {{1, 2, 3}, {{0, 1, 0, false}, {2, 1, 0, false}}},
      {{1, 2, 3}, {{0, 1, 0, false}, {1, 2, 1, false}}},
      {{1, 2, 3}, {{0, 1, 0, false}, {1, 2, 0, true}}},
      {{1, 2, 3}, {{0, 1, 0, false}}},
      {{1, 2, 3}, {{0, 1, 0, false}, {1, 2, 0, false}, {1, 2, 1, false}}}};
  for (const labelled& g : others) CHECK_FALSE(form(g) == form(base));
  labelled twice = base;
  twice.edges.push_back(base.edges[0]);
  CHECK(form(twice) == form(base));
  CHECK(canonicalise({}, {}).labels.empty());
}

TEST_CASE("genome/canonical: a table of keys gives each its number", "[genome_tools]") {
  key_table t;
  CHECK(t.find({}) == key_table::none);
  std::vector<std::vector<std::uint32_t>> keys{{}};
  for (std::uint32_t i = 0; i < 500; ++i) keys.push_back({i % 7, i, i * i}), keys.push_back({i});
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    CHECK(t.find(keys[i]) == key_table::none);
    CHECK(t.add(keys[i]) == std::pair<std::uint32_t, bool>{i, true});
    CHECK(t.add(keys[i / 2]) == std::pair<std::uint32_t, bool>{i / 2, false});
  }
  CHECK(t.size() == keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    CHECK(t.find(keys[i]) == i);
    CHECK(std::equal(keys[i].begin(), keys[i].end(), t[i].begin(), t[i].end()));
  }
  t.clear();
  CHECK(t.size() == 0);
  CHECK(t.find(keys[1]) == key_table::none);
}
