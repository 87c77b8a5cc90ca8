// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Graphs with what genes go over in front of them.

#include "genome/reorder.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "genome/contiguous.hpp"
#include "genome/convert.hpp"
#include "genome/graphs.hpp"
#include "genome/patterns.hpp"
#include "genome/tools/registries.hpp"
#include "genome/tools/show.hpp"

namespace {

using namespace tessera;
using namespace tessera::genomics;
using genome_tests::show;
using lines = std::vector<std::string>;

constexpr std::string_view linear = "linear:node_args(2):kwargs()";
constexpr std::string_view relu = "relu:node_args(1):kwargs()";

/// An input, then layers of a parameter, a product with it, and a relu.
corpus layers(int graphs, std::uint32_t count) {
  corpus all;
  const std::uint32_t input = all.names().kind("<DATA_INPUT>", "", {});
  const std::uint32_t parameter = all.names().kind("<CONST_REF>", "", {});
  const std::uint32_t product = all.names().kind(linear, "in0,in1", {});
  const std::uint32_t activation = all.names().kind(relu, "in0", {});
  for (int g = 0; g < graphs; ++g) {
    all.begin("g" + std::to_string(g));
    all.add(input, {});
    for (std::uint32_t i = 0, last = 0; i < count; ++i, last += 3) {
      all.add(parameter, {});
      all.add(product, {last, last + 1});
      all.add(activation, {last + 2});
    }
  }
  return all;
}

}  // namespace

TEST_CASE("genomics/reorder: parameters come in front of the gene", "[genome_tools]") {
  const corpus all = layers(2, 2);
  const findings found =
      mine_contiguous(all, {.min_length = 4, .max_length = 4, .min_score = 8, .places = true});
  REQUIRE(found.genes.size() == 1);
  const reordered r = parameters_first(all, found);
  REQUIRE(r.graphs.size() == 2);
  CHECK(r.graphs.name(1) == "g1");
  // Of the second product, the parameter is now first: its inputs are ascending, and renamed.
  const lines expected = {"<DATA_INPUT>",
                          "<CONST_REF>",
                          "<CONST_REF>",
                          "linear:node_args(2):kwargs() in0,in1 [0 1]",
                          "relu:node_args(1):kwargs() in0 [3]",
                          "linear:node_args(2):kwargs() in1,in0 [2 4]",
                          "relu:node_args(1):kwargs() in0 [5]"};
  CHECK(show(r.graphs, 0) == expected);
  CHECK(show(r.graphs, 1) == expected);
  REQUIRE(r.genes.genes.size() == 1);
  const gene& g = r.genes.genes[0];
  CHECK(g.inputs == std::vector<std::vector<std::int32_t>>{{-3, -2}, {-1}, {-3, -1}, {-1}});
  CHECK(g.occurrences == 2);
  CHECK(g.models == 2);
  CHECK(g.score == 8);

  // So it is a pattern now.
  result<signatures> before = signatures_of(all), after = signatures_of(r.graphs);
  REQUIRE((before && after));
  REQUIRE(add_patterns(*before, all, found) == std::vector<std::uint32_t>{10});
  REQUIRE(add_patterns(*after, r.graphs, r.genes) == std::vector<std::uint32_t>{10});
  const auto size = [](signatures& s) {
    const result<genome::library> l = genome::verify(std::move(s.registry));
    REQUIRE(l);
    const result<genome::program> p = genome::verify(std::move(s.streams[0]), *l);
    REQUIRE(p);
    const result<genome::stream> small = genome::compress(*p);
    REQUIRE(small);
    return small->size();
  };
  CHECK(size(*before) == 7);
  CHECK(size(*after) == 4);
}

TEST_CASE("genomics/reorder: all forms of a gene, the most frequent first", "[genome_tools]") {
  // A product of the first input, two nodes before the gene or three: in the second graph what is in
  // between the nodes comes from the gap itself, in the others not.
  corpus all;
  const std::uint32_t input = all.names().kind("<DATA_INPUT>", "", {});
  const std::uint32_t parameter = all.names().kind("<CONST_REF>", "", {});
  const std::uint32_t zeros = all.names().kind("zeros:node_args(0):kwargs()", "", {});
  const std::uint32_t activation = all.names().kind(relu, "in0", {});
  const auto add = [&](const std::string& name, bool parameter_inside) {
    all.begin(name);
    all.add(input, {});
    if (!parameter_inside) all.add(parameter, {});
    all.add(zeros, {});
    if (parameter_inside) all.add(parameter, {});
    all.add(activation, {0});  // 3 before, wherever the parameter is
  };
  add("a", true);
  add("b", false);
  add("c", false);
  const findings found =
      mine_contiguous(all, {.min_length = 2, .max_length = 2, .min_score = 2, .places = true});
  REQUIRE(found.genes.size() == 1);
  CHECK(found.genes[0].occurrences == 3);
  const reordered r = parameters_first(all, found);
  CHECK(show(r.graphs, 0) == show(r.graphs, 1));
  REQUIRE(r.genes.genes.size() == 1);
  CHECK(r.genes.genes[0].occurrences == 3);
  CHECK(r.genes.genes[0].models == 3);
}

TEST_CASE("genomics/reorder: an OUTPUT stays where it is", "[genome_tools]") {
  corpus all;
  const std::uint32_t input = all.names().kind("<DATA_INPUT>", "", {});
  const std::uint32_t activation = all.names().kind(relu, "in0", {});
  const std::uint32_t output = all.names().kind("<OUTPUT>", "", {});
  for (int g = 0; g < 2; ++g) {
    all.begin("g");
    all.add(input, {});
    all.add(activation, {0});
    all.add(output, {1});
    all.add(activation, {1});
  }
  const findings found =
      mine_contiguous(all, {.min_length = 2, .max_length = 2, .min_score = 2, .places = true});
  REQUIRE(found.genes.size() == 1);
  const reordered r = parameters_first(all, found);
  CHECK(show(r.graphs, 0) == show(all, 0));
  CHECK(r.genes.genes.empty());  // nowhere is it contiguous
}

TEST_CASE("genomics/reorder: inputs that a variation doesn't name keep their order",
          "[genome_tools]") {
  for (const bool is_named : {true, false}) {
    corpus all;
    const std::uint32_t input = all.names().kind("<DATA_INPUT>", "", {});
    const std::uint32_t parameter = all.names().kind("<CONST_REF>", "", {});
    const std::uint32_t activation = all.names().kind(relu, "in0", {});
    const std::uint32_t cat =
        all.names().kind("cat:node_args(2):kwargs()", is_named ? "in1,in0,in1" : "in1", {});
    for (int g = 0; g < 2; ++g) {
      all.begin("g");
      all.add(input, {});
      all.add(activation, {0});
      all.add(parameter, {});
      all.add(cat, {1, 2});
    }
    const findings found =
        mine_contiguous(all, {.min_length = 2, .max_length = 2, .min_score = 2, .places = true});
    REQUIRE(found.genes.size() == 1);
    const lines of = show(parameters_first(all, found).graphs, 0);
    REQUIRE(of.size() == 4);
    CHECK(of[1] == "<CONST_REF>");
    CHECK(of[3] == (is_named ? "cat:node_args(2):kwargs() in0,in1,in0 [1 2]"
                             : "cat:node_args(2):kwargs() in1 [2 1]"));
  }
}

TEST_CASE("genomics/reorder: nothing is lost, and all comes after what it takes",
          "[genome_tools]") {
  const corpus all = layers(3, 7);
  const findings found =
      mine_contiguous(all, {.min_length = 3, .max_length = 5, .min_score = 6, .places = true});
  REQUIRE(found.genes.size() > 1);
  const reordered r = parameters_first(all, found);
  for (std::size_t g = 0; g < all.size(); ++g) {
    const corpus::graph before = all[g], after = r.graphs[g];
    REQUIRE(after.size() == before.size());
    std::size_t edges = 0;
    for (std::uint32_t i = 0; i < after.size(); ++i)
      for (const std::uint32_t from : after.inputs(i)) {
        CHECK(from < i);
        ++edges;
      }
    CHECK(edges == before.all_inputs.size());
    const auto operations = [](const corpus& of, const corpus::graph& graph) {
      std::vector<std::uint32_t> out;
      for (const std::uint32_t kind : graph.kinds) out.push_back(of.names()[kind].operation);
      std::sort(out.begin(), out.end());
      return out;
    };
    CHECK(operations(all, before) == operations(r.graphs, after));
  }
}

TEST_CASE("genomics/reorder: random graphs with blocks stay what they were", "[genome_tools]") {
  std::size_t moved = 0, genes = 0, macros = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const genome::library names = genome_tests::library_of(graphs::names());
    corpus all;
    graphs::graph_maker maker(seed);
    for (int g = 0; g < 3; ++g)
      REQUIRE(add_graph(all, "g", genome_tests::program_of(maker.make(120), names)).code ==
              errc::ok);
    const findings found =
        mine_contiguous(all, {.min_length = 2, .max_length = 6, .min_score = 4, .places = true});
    const reordered r = parameters_first(all, found);
    CAPTURE(seed);
    result<signatures> s = signatures_of(r.graphs);
    REQUIRE(s);
    for (const std::uint32_t id : add_patterns(*s, r.graphs, r.genes)) CHECK(id != 0);
    genes += r.genes.genes.size();
    const genome::library l = genome_tests::library_of(std::move(s->registry));
    for (std::size_t g = 0; g < all.size(); ++g) {
      moved += show(all, g) != show(r.graphs, g);
      REQUIRE(r.graphs[g].size() == all[g].size());
      const result<genome::stream> small =
          genome::compress(genome_tests::program_of(s->streams[g], l));
      REQUIRE(small);
      for (const genome::node& n : small->nodes) macros += n.what() == genome::command::pattern;
      const auto back = genome::expand(genome_tests::program_of(*small, l));
      REQUIRE(back);
      CHECK(*back == s->streams[g]);
    }
  }
  CHECK(moved > 10);
  CHECK(genes > 40);
  CHECK(macros > 40);
}
