// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Genes as patterns of a registry, over signatures that are written down by hand.

#include "src/genome/patterns.hpp"

#include <utility>

#include "src/genome/contiguous.hpp"
#include "support/catch.hpp"
#include "tessera/genome/compress.hpp"
#include "tessera/genome/expand.hpp"
#include "tessera/genome/verify.hpp"

namespace {

using namespace tessera;
using namespace tessera::genomics;

/// input, a, then `times` × (b(-1) c(-2,-1)): two graphs of it, and their signatures.
struct twice {
  corpus all;
  signatures to;
  std::uint32_t a, b, c;

  explicit twice(std::uint32_t times) {
    const std::uint32_t in = all.names().kind("<DATA_INPUT>", "", {});
    a = all.names().kind("aten.a:node_args(1):kwargs()", "in0", {});
    const argument one[] = {{"arg1", "int", "7"}};
    b = all.names().kind("aten.b:node_args(1):kwargs()", "in0", one);
    c = all.names().kind("aten.c:node_args(2):kwargs()", "in0,in1", {});
    for (int g = 0; g < 2; ++g) {
      genome::stream& s = to.streams.emplace_back();
      all.begin("g");
      all.add(in, {});
      s.add({2, 1}, {});
      all.add(a, {0});
      s.add({20, 10}, {0});
      for (std::uint32_t i = 1, k = 0; k < times; ++k, i += 2) {
        all.add(b, {i});
        s.add({21, 10, 12}, {static_cast<std::int32_t>(i)});
        all.add(c, {i, i + 1});
        s.add({30, 11}, {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i) + 1});
      }
    }
  }
};

gene made_of(std::vector<std::uint32_t> labels, std::vector<std::vector<std::int32_t>> inputs) {
  gene g;
  g.labels = std::move(labels);
  g.inputs = std::move(inputs);
  return g;
}

}  // namespace

TEST_CASE("genomics/patterns: genes get ids and nodes of the registry", "[genome_tools]") {
  twice t(1);
  const findings found = mine_contiguous(t.all, {.min_length = 2, .max_length = 8, .min_score = 2});
  REQUIRE(found.genes.size() == 1);
  CHECK(add_patterns(t.to, t.all, found) == std::vector<std::uint32_t>{10});
  genome::stream expected;
  expected.add({20, 10}, {-1});
  expected.add({21, 10, 12}, {-1});
  expected.add({30, 11}, {-2, -1});
  const genome::registry& r = t.to.registry;
  REQUIRE(r.patterns.size() == 1);
  CHECK(r.patterns[0].id == 10);
  CHECK(r.nodes_of(r.patterns[0]) == genome::stream_view(expected));
  // And again: it is there.
  CHECK(add_patterns(t.to, t.all, found) == std::vector<std::uint32_t>{10});
  CHECK(r.patterns.size() == 1);
}

TEST_CASE("genomics/patterns: signatures are compressed by them", "[genome_tools]") {
  const std::uint32_t times = 9;
  twice t(times);
  findings pair;
  pair.genes = {made_of({t.b, t.c}, {{-1}, {-2, -1}})};
  for (const findings& found :
       {pair, mine_contiguous(t.all, {.min_length = 2, .max_length = 40, .min_score = 4})}) {
    result<signatures> made = signatures_of(t.all);
    REQUIRE(made);
    for (const std::uint32_t id : add_patterns(*made, t.all, found)) CHECK(id != 0);
    const result<genome::library> library = genome::verify(std::move(made->registry));
    REQUIRE(library);
    for (const genome::stream& s : made->streams) {
      genome::stream copy;
      for (std::size_t i = 0; i < s.size(); ++i)
        copy.add(s.nodes[i], genome::stream_view(s).inputs_of(i));
      const result<genome::program> flat = genome::verify(std::move(copy), *library);
      REQUIRE(flat);
      result<genome::stream> small = genome::compress(*flat);
      REQUIRE(small);
      // The input, a, and a macro for each pair; what was mined is longer than a pair.
      if (found.genes.size() == 1 && found.genes[0].labels.size() == 2)
        CHECK(small->size() == 2 + times);
      else
        CHECK(small->size() < 2 + times);
      const result<genome::program> again = genome::verify(std::move(*small), *library);
      REQUIRE(again);
      const result<genome::stream> back = genome::expand(*again);
      REQUIRE(back);
      CHECK(*back == s);
    }
  }
}

TEST_CASE("genomics/patterns: a gene with a COPY is a pattern with one", "[genome_tools]") {
  corpus all;
  const std::uint32_t in = all.names().kind("<DATA_INPUT>", "", {});
  const std::uint32_t a = all.names().kind("aten.a:node_args(1):kwargs()", "in0", {});
  const std::uint32_t out = all.names().kind("<OUTPUT>", "", {});
  for (int g = 0; g < 2; ++g) {
    all.begin("g");
    for (int i = 0; i < 4; ++i) all.add(in, {});
    all.add(a, {0});
    all.add(a, {4});
    all.add(out, {5});
  }
  const findings found = mine_contiguous(all, {.min_length = 2, .max_length = 3, .min_score = 1});
  REQUIRE(found.genes.size() == 1);
  CHECK(found.genes[0].repeats == std::vector<std::uint32_t>{4, 0, 0});
  result<signatures> made = signatures_of(all);
  REQUIRE(made);
  CHECK(add_patterns(*made, all, found) == std::vector<std::uint32_t>{10});
  const genome::node first = made->registry.nodes_of(made->registry.patterns[0]).nodes[0];
  CHECK(first.what() == genome::command::copy);
  CHECK(first.c == 4);
  const result<genome::library> library = genome::verify(std::move(made->registry));
  REQUIRE(library);
  const result<genome::program> flat = genome::verify(genome::stream(made->streams[0]), *library);
  REQUIRE(flat);
  result<genome::stream> small = genome::compress(*flat);
  REQUIRE(small);
  CHECK(small->size() == 2);  // the pattern, and the output
  const result<genome::program> again = genome::verify(std::move(*small), *library);
  REQUIRE(again);
  const result<genome::stream> back = genome::expand(*again);
  REQUIRE(back);
  CHECK(*back == made->streams[0]);
}

TEST_CASE("genomics/patterns: ids follow the highest, up to the last", "[genome_tools]") {
  twice t(2);
  genome::stream other;
  other.add({21, 10, 12}, {-9});
  t.to.registry.add_pattern(65533, other);
  findings found;
  found.genes = {made_of({t.b, t.c}, {{-1}, {-2, -1}}), made_of({t.b}, {{-9}}),
                 made_of({t.b, t.b}, {{-1}, {-1}}), made_of({t.c}, {{-2, -1}}),
                 made_of({t.b, t.c}, {{-1}, {-2, -1}})};
  CHECK(add_patterns(t.to, t.all, found) ==
        std::vector<std::uint32_t>{65534, 65533, 65535, 0, 65534});
  CHECK(t.to.registry.patterns.size() == 3);
}

TEST_CASE("genomics/patterns: what a registry can't hold", "[genome_tools]") {
  twice t(1);
  findings found;
  const std::uint32_t in = t.all[0].kinds[0];
  found.genes = {
      made_of({t.b}, {{-32768}}),
      made_of({t.b}, {{-32769}}),
      made_of({t.b}, {{0}}),
      made_of({t.b}, {{}}),    // no such node without inputs
      made_of({in}, {{}}),     // not an operation
      made_of({999}, {{-1}}),  // no such kind
      made_of({}, {}),
      made_of({t.b}, {}),  // no inputs at all: not contiguous
      made_of({t.b}, {std::vector<std::int32_t>(255, -1)}),
      made_of({t.b}, {std::vector<std::int32_t>(256, -1)}),
  };
  found.genes.push_back(found.genes[0]);
  found.genes.back().form = gene_form::connected;
  CHECK(add_patterns(t.to, t.all, found) ==
        std::vector<std::uint32_t>{10, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0});
}

TEST_CASE("genomics/patterns: patterns of one node that pay", "[genome_tools]") {
  // Each takes 5 + 2 × inputs + 16 bytes.
  const auto missing = [](std::uint64_t saved, std::initializer_list<std::int32_t> d) {
    genome::missing_patterns m;
    m.nodes.add({21, 10, 12}, d);
    m.saved.push_back(saved);
    return m;
  };
  missing_pattern_table table;
  table.add(missing(23, {-1}));  // not more than it takes
  table.add(missing(26, {-1, -5}));
  table.add(missing(12, {-2}));
  table.add({});
  table.add(missing(12, {-2}));
  genome::registry r;
  genome::stream other;
  other.add({21, 10, 12}, {-9});
  r.add_pattern(65533, other);
  table.add_to(r);
  REQUIRE(r.patterns.size() == 3);
  CHECK(r.patterns[1].id == 65534);
  CHECK(r.nodes_of(r.patterns[1]).inputs_of(0)[1] == -5);
  CHECK(r.patterns[2].id == 65535);
  CHECK(r.nodes_of(r.patterns[2]).inputs_of(0)[0] == -2);
  // Where there are no ids left, none is added.
  table.add_to(r);
  CHECK(r.patterns.size() == 3);

  // A call of 65535; those from the second on must have one.
  std::vector<genome::stream> streams(2);
  streams[1].add({6, 0xff, static_cast<std::int16_t>(-256)}, {});
  drop_unused_patterns(r, 1, streams);
  REQUIRE(r.patterns.size() == 2);
  CHECK(r.patterns[0].id == 65533);
  CHECK(r.patterns[1].id == 65535);
}
