// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/page.hpp"

#include <string>
#include <tessera/core/json.hpp>
#include <vector>

#include "genome/compare.hpp"
#include "genome/contiguous.hpp"
#include "genome/subgraphs.hpp"
#include "support/catch.hpp"
#include "support/evil_names.hpp"

namespace {

using namespace tessera;
using namespace tessera::genomics;
using inspect::page;

std::uint32_t operation(corpus& c, const std::string& name) {
  return c.names().kind("aten." + name + ".default:node_args(1):kwargs()", "in0", {});
}
/// An input and a parameter, the letters as operations one after the other, and an output.
void add_chain(corpus& c, std::string_view name, std::string_view letters) {
  const argument weight[] = {{"", "parameter", "weight"}};
  c.begin(name);
  c.add(c.names().kind("<DATA_INPUT>", "", {}), {});
  c.add(c.names().kind("<CONST_REF>", "", weight), {});
  std::uint32_t last = 0, next = 2;
  for (const char letter : letters) {
    const std::uint32_t kind = operation(c, std::string(1, letter));
    if (next == 2)
      c.add(kind, {last, 1});
    else
      c.add(kind, {last});
    last = next++;
  }
  c.add(c.names().kind("<OUTPUT>", "", {}), {last});
}

std::vector<std::string> ids(const page::graph& g) {
  std::vector<std::string> out;
  for (const inspect::picture::node& n : g.drawn.nodes) out.push_back(n.id);
  return out;
}

struct three {
  corpus all;
  std::vector<std::uint32_t> of{0, 1, 2};

  three() {
    add_chain(all, "one", "xabcdyabcd");
    add_chain(all, "two", "zabcd");
    add_chain(all, "other", "uvw");
  }
  [[nodiscard]] page page_with(const findings& found, const corpus_page_limits& limits = {}) const {
    return page_of(all, found, of, neighbour_joining(distances(all, found, of)), limits);
  }
  [[nodiscard]] findings contiguous() const {
    return mine_contiguous(all, {.min_length = 4, .max_length = 4, .min_score = 8, .places = true});
  }
};

}  // namespace

TEST_CASE("genome/page: a corpus has its graphs, folded by genes", "[genome_tools]") {
  const three c;
  const findings found = c.contiguous();
  REQUIRE(found.genes.size() == 1);
  const page p = c.page_with(found);
  REQUIRE(p.members.size() == 3);
  CHECK(p.members[1].name == "two");
  REQUIRE(p.genes.size() == 1);
  CHECK(p.genes[0].name == "a, b, c, d");
  REQUIRE(p.genes[0].holders.size() == 2);
  CHECK(p.genes[0].holders[0].member == 0);
  CHECK(p.genes[0].holders[0].count == 2);
  CHECK(p.genes[0].holders[1].member == 1);
  CHECK(p.roots == std::vector<std::uint32_t>{p.members[0].graph, p.members[1].graph,
                                              p.members[2].graph, p.genes[0].graph});
  // Parameters aren't nodes; each gene is one.
  const page::graph& one = p.graphs[p.members[0].graph];
  CHECK(one.name == "one");
  CHECK(ids(one) == std::vector<std::string>{"n0", "n2", "block0", "n7", "block1", "n12"});
  CHECK(one.drawn.nodes[2].lines[0].text == "gene 1");
  CHECK(one.nodes[2].genes == std::vector<std::uint32_t>{0});
  CHECK(one.nodes[1].genes.empty());
  REQUIRE(one.nodes[1].rows.size() == 2);
  CHECK(one.nodes[1].rows[0].value == "n0");
  CHECK(one.nodes[1].rows[1].value == "parameter weight");
  const page::graph& inside = p.graphs[one.nodes[4].inner];
  CHECK(ids(inside) == std::vector<std::string>{"n8", "n9", "n10", "n11", "from_n7", "to_n12"});
  CHECK(inside.nodes[3].genes == std::vector<std::uint32_t>{0});
  // What is inside of the second graph's gene is counted from all graphs of the page.
  const page::graph& two = p.graphs[p.members[1].graph];
  CHECK(ids(p.graphs[two.nodes[2].inner])[0] == "n3");
  CHECK(ids(p.graphs[p.genes[0].graph]) == std::vector<std::string>{"g0", "g1", "g2", "g3"});
  CHECK(p.graphs[p.genes[0].graph].drawn.edges.size() == 3);
}

TEST_CASE("genome/page: the tree of a corpus goes from 0 to 1", "[genome_tools]") {
  const three c;
  const page p = c.page_with(c.contiguous());
  REQUIRE(p.family.leaves.size() == 3);
  double longest = 0;
  for (const page::tree::leaf& l : p.family.leaves) longest = std::max(longest, l.length);
  CHECK(longest == 1);
  // "other" shares nothing with the two others: it is the first, as the smaller half.
  CHECK(p.family.leaves[0].member == 2);
  CHECK(p.family.leaves[2].row == 2);
  CHECK(p.family.unit > 0);
  CHECK_FALSE(p.family.unit_text.empty());
  corpus single;
  add_chain(single, "one", "abc");
  const std::uint32_t of[] = {0};
  const findings none;
  const page alone = page_of(single, none, of, neighbour_joining(distances(single, none, of)));
  CHECK(alone.family.leaves.empty());
  CHECK(alone.roots.size() == 1);
}

TEST_CASE("genome/page: genes of the dataflow mark their nodes", "[genome_tools]") {
  const three c;
  const findings found =
      mine_subgraphs(c.all, {.min_nodes = 3, .max_nodes = 4, .places = true, .threads = 1});
  REQUIRE_FALSE(found.genes.empty());
  const page p = c.page_with(found);
  const page::graph& two = p.graphs[p.members[1].graph];
  CHECK(ids(two) == std::vector<std::string>{"n0", "n2", "n3", "n4", "n5", "n6", "n7"});
  CHECK(two.nodes[1].genes.empty());
  for (std::size_t i = 2; i < 6; ++i) CHECK(two.nodes[i].genes == std::vector<std::uint32_t>{0});
}

TEST_CASE("genome/page: what doesn't fit is left out, and the facts say so", "[genome_tools]") {
  const three c;
  const findings found = c.contiguous();
  const auto shown = [](const page& p) {
    std::string out;
    for (const page::row& r : p.facts)
      if (r.key == "shown") out += r.value + '\n';
    return out;
  };
  CHECK(shown(c.page_with(found)).empty());
  const std::size_t first = c.all[0].size();
  const page one = c.page_with(found, {.graph_nodes = first});
  CHECK(shown(one) == "1 of 3 graphs as graphs\n");
  CHECK(one.members[1].graph == page::none);
  CHECK(c.page_with(found, {.graph_nodes = first - 1}).members[0].graph == page::none);
  CHECK(c.page_with(found, {.gene_nodes = 4}).genes.size() == 1);
  const page without = c.page_with(found, {.gene_nodes = 3});
  CHECK(shown(without) == "0 of 1 genes\n");
  CHECK(without.graphs[without.members[0].graph].drawn.nodes.size() == 12);
  CHECK(c.page_with(found, {.holders = 2}).genes.size() == 1);
  CHECK(c.page_with(found, {.holders = 1}).genes.empty());
}

TEST_CASE("genome/page: names of networks and operations are text", "[genome_tools]") {
  corpus all;
  for (const std::string_view name : tests::evil_names) {
    all.begin(name);
    all.add(all.names().kind(std::string(name) + ":node_args(0):kwargs()", name, {}), {});
  }
  std::vector<std::uint32_t> of(all.size());
  for (std::uint32_t i = 0; i < of.size(); ++i) of[i] = i;
  const findings none;
  const text made =
      inspect::html(page_of(all, none, of, neighbour_joining(distances(all, none, of))));
  const std::string_view begin = "id=\"data\">";
  const std::size_t first = made.view().find(begin) + begin.size();
  const std::string_view data =
      made.view().substr(first, made.view().find("</script>", first) - first);
  CHECK(data.find_first_of("<>&") == data.npos);
  CHECK(data.find("\xE2\x80\xAE") == data.npos);
  json::reader in(data);
  text out;
  json::writer w(out);
  json::copy(in, w);
  CHECK(in.finish().code == errc::ok);
}
