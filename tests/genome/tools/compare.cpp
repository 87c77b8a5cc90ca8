// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/compare.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace tessera::genomics;

/// Graphs of only operations and commands; genes come from the test.
struct graphs {
  corpus all;
  findings found;
  std::vector<std::string> names;

  void add(std::string name, std::vector<std::string> nodes) {
    all.begin(name);
    for (const std::string& n : nodes) all.add(all.names().kind(n, "", {}), {});
    names.push_back(std::move(name));
  }
  void gene(std::uint32_t size) { found.genes.emplace_back().labels.assign(size, 0); }
  [[nodiscard]] distance_matrix run(bool operations, unsigned threads = 1) const {
    std::vector<std::uint32_t> of;
    for (std::uint32_t i = 0; i < all.size(); ++i) of.push_back(i);
    return distances(all, found, of, {.operations = operations, .threads = threads});
  }
};

std::string text_of(const tessera::text& t) { return std::string(t.view()); }

}  // namespace

TEST_CASE("genome_tools/compare: weighted Jaccard of genes and operations", "[genome_tools]") {
  graphs g;
  g.add("a", {"<DATA_INPUT>", "relu", "relu", "add", "<OUTPUT>"});
  g.add("b", {"<DATA_INPUT>", "<DATA_INPUT>", "relu", "mul"});
  g.add("c", {"<DATA_INPUT>"});
  g.add("d", {"<OUTPUT>"});
  g.gene(10);
  g.gene(3);
  g.found.occurrences = {{0, 0, 2}, {1, 0, 1}, {1, 1, 4}};

  const distance_matrix genes = g.run(false);
  REQUIRE(genes.size == 4);
  // a: 20 of gene 0; b: 10 of gene 0 and 12 of gene 1.
  CHECK(genes(0, 1) == static_cast<float>(1 - 10.0 / 32));
  CHECK(genes(0, 2) == 1.0f);
  CHECK(genes(2, 3) == 0.0f);

  const distance_matrix both = g.run(true);
  // a: relu 2, add 1; b: relu 1, mul 1.
  CHECK(both(0, 1) == static_cast<float>(1 - 11.0 / (32 + 2 + 1 + 1)));
  CHECK(both(2, 3) == 0.0f);  // commands are no operations
  CHECK(both(0, 2) == 1.0f);
  for (std::uint32_t i = 0; i < 4; ++i) {
    CHECK(both(i, i) == 0.0f);
    for (std::uint32_t k = 0; k < 4; ++k) CHECK(both(i, k) == both(k, i));
  }

  const std::uint32_t some[] = {1, 0};
  const distance_matrix two = distances(g.all, g.found, some, {});
  REQUIRE(two.size == 2);
  CHECK(two(0, 1) == both(0, 1));
  CHECK(distances(g.all, g.found, {}, {}).values.empty());
}

TEST_CASE("genome_tools/compare: with presence a gene counts once, the more the fewer have it",
          "[genome_tools]") {
  graphs g;
  g.add("a", {"<DATA_INPUT>", "relu", "relu", "add"});
  g.add("b", {"relu", "mul", "add"});
  g.add("c", {"relu", "mul", "mul"});
  g.gene(10);
  g.gene(3);
  g.found.occurrences = {{0, 0, 2}, {1, 0, 1}, {1, 1, 4}};
  const std::uint32_t of[] = {0, 1, 2};
  const double two = std::log(1 + 3.0 / 2), three = std::log(2.0);
  const distance_matrix d = distances(g.all, g.found, of, {.presence = true});
  // Gene 0 and add are of a and b, mul of b and c, relu of all; gene 1 of b only.
  CHECK(d(0, 1) == static_cast<float>(1 - (two + two + three) / (3 * two + three)));
  CHECK(d(0, 2) == static_cast<float>(1 - three / (3 * two + three)));
  const distance_matrix genes =
      distances(g.all, g.found, of, {.operations = false, .presence = true});
  CHECK(genes(0, 1) == 0.0f);
  CHECK(genes(0, 2) == 1.0f);
}

TEST_CASE("genome_tools/compare: compositions are operations with their constants",
          "[genome_tools]") {
  graphs g;
  const argument one{"arg1", "int", "1"}, two{"arg1", "int", "2"};
  for (const argument& c : {one, two, one}) {
    g.all.begin("net");
    g.all.add(g.all.names().kind("<DATA_INPUT>", "", {}), {});
    g.all.add(g.all.names().kind("conv", "", {&c, 1}), {0});
  }
  const std::uint32_t of[] = {0, 1, 2};
  const distance_matrix d = distances(g.all, g.found, of, {.compositions = true});
  CHECK(d(0, 1) == static_cast<float>(1 - 1.0 / 3));  // conv; each its own composition
  CHECK(d(0, 2) == 0.0f);
  const distance_matrix only =
      distances(g.all, g.found, of, {.operations = false, .compositions = true});
  CHECK(only(0, 1) == 1.0f);
}

TEST_CASE("genome_tools/compare: a naive sum says the same, with any number of threads",
          "[genome_tools]") {
  graphs g;
  std::uint32_t state = 1;
  const auto random = [&state](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
  };
  constexpr std::uint32_t size = 200, genes = 12;
  for (std::uint32_t k = 0; k < genes; ++k) g.gene(2 + k);
  std::vector<std::vector<std::uint64_t>> counts(size, std::vector<std::uint64_t>(genes));
  for (std::uint32_t i = 0; i < size; ++i) {
    g.add("g" + std::to_string(i), {});
    for (std::uint32_t k = 0; k < genes; ++k) {
      counts[i][k] = random(3) == 0 ? random(9) : 0;
      if (counts[i][k] != 0) g.found.occurrences.push_back({i, k, counts[i][k]});
    }
  }
  const distance_matrix d = g.run(true), threaded = g.run(true, 4);
  CHECK(d.values == threaded.values);
  std::uint32_t wrong = 0;
  for (std::uint32_t a = 0; a < size; ++a)
    for (std::uint32_t b = 0; b < size; ++b) {
      double least = 0, most = 0;
      for (std::uint32_t k = 0; k < genes; ++k) {
        const auto x = static_cast<double>(counts[a][k] * (2 + k));
        const auto y = static_cast<double>(counts[b][k] * (2 + k));
        least += x < y ? x : y;
        most += x < y ? y : x;
      }
      const double expected = most == 0 ? 0 : 1 - least / most;
      wrong += std::abs(static_cast<double>(d(a, b)) - expected) > 1e-6 ? 1u : 0u;
    }
  CHECK(wrong == 0);
}

TEST_CASE("genome_tools/compare: progress ends at the number of pairs", "[genome_tools]") {
  graphs g;
  for (std::uint32_t i = 0; i < 130; ++i) g.add("g", {"relu"});
  const std::vector<std::uint32_t> of(130, 0);
  std::uint64_t last = 0, calls = 0, of_all = 0;
  bool ascending = true;
  (void)distances(g.all, g.found, of,
                  {.threads = 2, .progress = [&](std::uint64_t done, std::uint64_t total) {
                     ascending = ascending && done >= last;
                     last = done;
                     of_all = total;
                     ++calls;
                   }});
  CHECK(ascending);
  CHECK(last == 130 * 129 / 2);
  CHECK(of_all == last);
  CHECK(calls == 130);
}

TEST_CASE("genome_tools/compare: texts", "[genome_tools]") {
  distance_matrix d;
  d.size = 2;
  d.values = {0, 0.3125f, 0.3125f, 0};
  const std::vector<std::string> names = {"re,s\"net\n", "\xC3\xA4"};
  CHECK(text_of(distance_table(d, names)) ==
        "                    1      2\n"
        " 1  re,s\"net\\n      -  0.313\n"
        " 2  \xC3\xA4           0.313      -\n");
  CHECK(text_of(distance_csv(d, names)) ==
        "name,\"re,s\"\"net\\n\",\xC3\xA4\n"
        "\"re,s\"\"net\\n\",0.000000,0.312500\n"
        "\xC3\xA4,0.312500,0.000000\n");
  CHECK(text_of(distance_json(d, names)) ==
        "{\n  \"names\": [\n    \"re,s\\\"net\\\\n\",\n    \"\xC3\xA4\"\n  ],\n"
        "  \"distances\": [\n    [0.0,0.3125],\n    [0.3125,0.0]\n  ]\n}\n");
  CHECK(distance_table({}, {}).empty());
}

TEST_CASE("genome_tools/compare: of many graphs the nearest are listed", "[genome_tools]") {
  distance_matrix d;
  d.size = max_table_size + 1;
  std::vector<std::string> names;
  for (std::uint32_t a = 0; a < d.size; ++a) {
    names.push_back(std::string(1, static_cast<char>('a' + static_cast<char>(a))));
    for (std::uint32_t b = 0; b < d.size; ++b)
      d.values.push_back(static_cast<float>(a < b ? b - a : a - b) / 16);
  }
  const std::string table = text_of(distance_table(d, names));
  CHECK(table.substr(0, table.find('\n')) == "graph  nearest");
  CHECK(table.find("\na      0.063 b  0.125 c  0.188 d\n") != table.npos);
  CHECK(table.find("\nf      0.063 e  0.063 g  0.125 d\n") != table.npos);  // the first of equals
}
