// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/gene_text.hpp"

#include "genome/gene_code.hpp"
#include "support/catch.hpp"

using namespace tessera::genomics;

namespace {

/// Labels are operations of these names, in a vocabulary of their own.
struct sample_genes {
  corpus all;
  findings found;

  gene& add(gene_form form, const std::vector<std::string>& names,
            const std::vector<gene_edge>& edges) {
    gene& g = found.genes.emplace_back();
    g.form = form;
    for (const std::string& n : names) {
      const std::uint32_t kind = all.names().kind(n, "in0", {});
      g.labels.push_back(form == gene_form::contiguous ? kind : all.names()[kind].operation);
    }
    g.edges = edges;
    return g;
  }
  [[nodiscard]] std::string line() const { return gene_line(all.names(), found.genes.back()); }
};

[[nodiscard]] gene_edge direct(std::uint32_t from, std::uint32_t to, std::uint32_t input = 0) {
  return {from, to, input, false};
}

}  // namespace

TEST_CASE("genome/gene_text: short targets", "[genome_tools]") {
  CHECK(short_target("aten.conv2d.default") == "conv2d");
  CHECK(short_target("aten.add.Tensor") == "add.Tensor");
  CHECK(short_target("ark.Gemm") == "ark.Gemm");
  CHECK(short_target("aten.") == "aten.");
  CHECK(short_target(".default") == ".default");
}

TEST_CASE("genome/gene_text: a gene on one line", "[genome_tools]") {
  sample_genes s;
  using enum gene_form;
  s.add(connected, {"aten.conv2d.default:node_args(3):kwargs()", "bn", "relu"},
        {direct(0, 1), direct(1, 2)});
  CHECK(s.line() == "conv2d > bn > relu");
  s.add(connected, {"relu", "conv", "bn", "add"},
        {direct(0, 1), direct(0, 3), direct(1, 2), direct(2, 3)});
  CHECK(s.line() == "relu#1 > conv > bn > add#2; #1 > #2");
  s.add(connected, {"a", "b", "c", "d"}, {direct(0, 2), direct(1, 2, 1), direct(2, 3)});
  CHECK(s.line() == "a > c#1 > d; b > #1");
  s.add(connected, {"a", "b"}, {direct(0, 1), direct(0, 1, 1)});
  CHECK(s.line() == "a > b");
  s.add(gapped, {"a", "b", "c"}, {{0, 1, 0, true}, direct(1, 2)});
  CHECK(s.line() == "a ~> b > c");
  s.add(connected, {"a"}, {});
  CHECK(s.line() == "a");
  s.add(contiguous, {"aten.a.default:node_args(1):kwargs()", "b", "c"}, {direct(0, 2)});
  CHECK(s.line() == "a, b, c");
  s.add(connected, {"a\nb\xff"}, {});
  CHECK(s.line() == "a\\nb\\xff");
}

TEST_CASE("genome/gene_text: tables", "[genome_tools]") {
  sample_genes s;
  gene& g = s.add(gene_form::connected, {"conv", "bn"}, {direct(0, 1)});
  g.score = g.occurrences = 12345;
  g.models = 10;
  g.code = gene_code(s.all.names(), g);
  gene& h = s.add(gene_form::connected, {"conv", "ln"}, {direct(0, 1)});
  h.score = h.occurrences = 7;
  h.models = 3;
  h.code = gene_code(s.all.names(), h);
  CHECK(genes_table(s.all, s.found) ==
        "rank  score  models  occurrences  nodes  gene\n"
        "   1  12345      10        12345      2  conv > bn\n"
        "   2      7       3            7      2  conv > ln\n");
  CHECK(genes_table(s.all, s.found, 2, {{h.code, "conv norm"}}) ==
        "rank  score  models  occurrences  nodes  gene\n"
        "   1  12345      10        12345      2  conv > bn\n"
        "   2      7       3            7      2  conv norm: conv > ln\n");
  s.found.complete = false;
  CHECK(genes_table(s.all, s.found, 1) ==
        "rank  score  models  occurrences  nodes  gene\n"
        "   1  12345      10        12345      2  conv > bn\n"
        "1 more\n"
        "the search reached its limits: there may be more\n");
  CHECK(coverage_line(s.found) == "it reached a limit");
  s.found.examined = {.nodes = 2000, .finished_nodes = 1999, .models = 5, .finished_models = 4};
  const std::string line =
      "finished from 1999 of 2000 nodes in all passes (99.9 %), and in 4 of 5 models without "
      "reaching "
      "a limit";
  CHECK(coverage_line(s.found) == line);
  CHECK(genes_table(s.all, s.found, 1) ==
        "rank  score  models  occurrences  nodes  gene\n"
        "   1  12345      10        12345      2  conv > bn\n"
        "1 more\n"
        "the search reached its limits: there may be more\n" +
            line + '\n');
  s.found.examined.models_without_gaps = 1;
  s.found.examined.uncounted_sets = 2;
  CHECK(coverage_line(s.found) ==
        line +
            "; left: all gaps of 1 models, which have too many, 2 sets or "
            "more of too many genes");
  s.found.examined.models_without_gaps = s.found.examined.uncounted_sets = 0;
  s.found.examined.gapped_sets = 7;
  CHECK(coverage_line(s.found) == line);
  s.found.examined.ungrown_sets = 3;
  CHECK(coverage_line(s.found) ==
        line + "; left: 3 of 7 sets with gaps, which didn't grow further");
  CHECK(alleles_table(s.all, s.found, alleles(s.found)) ==
        "2 genes, 12352 occurrences of {\"form\":\"connected\",\"nodes\":2,\"edges\":[[0,1]]}\n"
        "rank  occurrences  gene\n"
        "   1        12345  conv > bn\n"
        "   2            7  conv > ln\n");
}

TEST_CASE("genome/gene_text: JSON of a search that is incomplete", "[genome_tools]") {
  sample_genes s;
  s.found.complete = false;
  const std::string_view examined = "\"examined\": ";
  const tessera::text unknown = genes_json(s.all, s.found);
  CHECK(unknown.view().find(examined) == std::string_view::npos);
  s.found.examined = {.nodes = 3000001,
                      .finished_nodes = 3000000,
                      .models = 4,
                      .finished_models = 3,
                      .models_without_gaps = 1,
                      .uncounted_sets = 5,
                      .gapped_sets = 9,
                      .ungrown_sets = 8};
  const tessera::text json = genes_json(s.all, s.found);
  const std::size_t at = json.view().find(examined);
  REQUIRE(at != std::string_view::npos);
  CHECK(
      json.view().substr(at + examined.size(), json.view().find('}', at) - at - examined.size()) ==
      R"({"share":0.999999,"nodes":3000001,"finished_nodes":3000000,"models":4,)"
      R"("finished_models":3,"models_without_gaps":1,"uncounted_sets":5,"gapped_sets":9,)"
      R"("ungrown_sets":8)");
}

TEST_CASE("genome/gene_text: JSON", "[genome_tools]") {
  sample_genes s;
  s.all.begin("net \"one\"");
  gene& g = s.add(gene_form::gapped, {"conv", "bn", "relu"}, {direct(0, 1, 2), {1, 2, 0, true}});
  g.score = 4;
  g.occurrences = 2;
  g.models = 1;
  g.code = gene_code(s.all.names(), g);
  CHECK(g.code == R"({"labels":["conv","bn","relu"],"edges":[[0,1,2]],"gaps":[[1,2]]})");
  s.found.occurrences.push_back({0, 0, 2});
  CHECK(genes_json(s.all, s.found) == R"({
  "complete": true,
  "models": 1,
  "genes": [
    {
      "rank": 1,
      "form": "gapped",
      "score": 4,
      "models": 1,
      "occurrences": 2,
      "operations": ["conv","bn","relu"],
      "edges": [[0,1,2]],
      "gaps": [[1,2]],
      "code": "{\"labels\":[\"conv\",\"bn\",\"relu\"],\"edges\":[[0,1,2]],\"gaps\":[[1,2]]}",
      "by_model": [
        {"model":"net \"one\"","count":2}
      ]
    }
  ]
}
)");
  const tessera::text named = genes_json(s.all, s.found, {{g.code, "block"}, {"else", "other"}});
  CHECK(named.view().find("\"rank\": 1,\n      \"name\": \"block\",\n      \"form\"") !=
        std::string_view::npos);
  CHECK(alleles_json(s.all, s.found, {}) == "{\n  \"groups\": []\n}\n");
  gene& h = s.add(gene_form::gapped, {"conv", "bn", "gelu"}, {direct(0, 1, 0), {1, 2, 0, true}});
  h.occurrences = 1;
  h.models = 1;
  CHECK(alleles_json(s.all, s.found, alleles(s.found)) == R"({
  "groups": [
    {
      "skeleton": "{\"form\":\"gapped\",\"nodes\":3,\"edges\":[[0,1]],\"gaps\":[[1,2]]}",
      "occurrences": 3,
      "genes": [
        {
          "rank": 1,
          "occurrences": 2,
          "models": 1,
          "operations": ["conv","bn","relu"]
        },
        {
          "rank": 2,
          "occurrences": 1,
          "models": 1,
          "operations": ["conv","bn","gelu"]
        }
      ]
    }
  ]
}
)");
}
