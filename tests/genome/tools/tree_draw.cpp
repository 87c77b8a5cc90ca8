// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "genome/tree.hpp"
#include "support/catch.hpp"

namespace {

using namespace tessera::genomics;

/// What joining makes of the textbook's five: (((a:2,b:3):3,c:4):2,d:2,e:1).
tree five() {
  tree t;
  t.leaves = 5;
  t.inner = {{{0, 2}, {1, 3}}, {{5, 3}, {2, 4}}, {{6, 2}, {3, 2}, {4, 1}}};
  return t;
}

/// Each leaf hangs on the chain, one after the other.
tree chain(std::uint32_t leaves) {
  tree t;
  t.leaves = leaves;
  t.inner.push_back({{0, 1}, {1, 1}});
  for (std::uint32_t i = 2; i + 1 < leaves; ++i) t.inner.push_back({{leaves + i - 2, 1}, {i, 1}});
  t.inner.back().push_back({leaves - 1, 1});
  return t;
}

std::vector<std::string> names_of(std::uint32_t leaves) {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < leaves; ++i) out.push_back("graph_" + std::to_string(i));
  return out;
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Whether tags close in the order in which they open, and & begins an entity.
bool well_formed(std::string_view s) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  for (std::size_t at = 0; at < s.size();) {
    if (s[at] == '&') {
      const std::size_t end = s.find(';', at);
      if (end == s.npos || end - at > 6) return false;
      at = end + 1;
      continue;
    }
    if (s[at] == '>') return false;
    if (s[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = s.find('>', at);
    if (end == s.npos) return false;
    const std::string_view tag = s.substr(at + 1, end - at - 1);
    if (tag.find('<') != tag.npos || count(tag, "\"") % 2 != 0) return false;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      if (open.empty()) ++roots;
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  return open.empty() && roots == 1;
}

/// An attribute of the element that shows a text.
double place(std::string_view svg, std::string_view shown, std::string_view attribute) {
  const std::size_t end = svg.find(std::string(">").append(shown).append("</text>"));
  if (end == svg.npos) return -1;
  const std::size_t begin = svg.rfind('<', end);
  const std::size_t at = svg.find(std::string(" ").append(attribute).append("=\""), begin);
  return std::strtod(svg.data() + at + attribute.size() + 3, nullptr);
}
double size_of(std::string_view svg, std::string_view attribute) {
  const std::size_t at = svg.find(std::string(" ").append(attribute).append("=\""));
  return std::strtod(svg.data() + at + attribute.size() + 3, nullptr);
}

}  // namespace

TEST_CASE("genome_tools/tree_draw: the root is in the middle of the longest path",
          "[genome_tools]") {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const tessera::text out = svg(five(), names);
  const std::string_view s = out.view();
  REQUIRE(well_formed(s));
  // b and c are 10 apart, the root is 5 from both; 640 points are 5 wide.
  CHECK(place(s, "a", "x") == 24 + 4 * 128 + 6);
  CHECK(place(s, "b", "x") == 24 + 5 * 128 + 6);
  CHECK(place(s, "c", "x") == 24 + 5 * 128 + 6);
  CHECK(place(s, "d", "x") == 24 + 5 * 128 + 6);
  CHECK(place(s, "e", "x") == 24 + 4 * 128 + 6);
  CHECK(place(s, "a", "y") == Approx(24 + 12 + 0.35 * 14));
  CHECK(place(s, "e", "y") == Approx(24 + 4 * 24 + 12 + 0.35 * 14));
  // The branch to c begins where c parts from d and e: 1 from the root.
  CHECK(count(s, "M152.00 84.00H664.00\n") == 1);
  CHECK(count(s, "V") == 4 + 2);                 // forks, ends of the scale
  CHECK(count(s, "M24.00 168.00H152.00") == 1);  // 1 unit
  CHECK(count(s, ">1.0</text>") == 1);
  CHECK(count(s, "<text") == 6);
}

TEST_CASE("genome_tools/tree_draw: a root that is a node already", "[genome_tools]") {
  tree t;
  t.leaves = 3;
  t.inner = {{{0, 2}, {1, 2}, {2, 1}}};
  const tessera::text out = svg(t, names_of(3));
  CHECK(place(out.view(), "graph_0", "x") == 24 + 640 + 6);
  CHECK(place(out.view(), "graph_1", "x") == 24 + 640 + 6);
  CHECK(place(out.view(), "graph_2", "x") == 24 + 320 + 6);
  CHECK(count(out.view(), "V") == 1 + 2);
}

TEST_CASE("genome_tools/tree_draw: names never overlap and stay on the page", "[genome_tools]") {
  for (const std::uint32_t leaves : {5u, 50u, 500u}) {
    const std::vector<std::string> names = names_of(leaves);
    const tessera::text out = svg(chain(leaves), names);
    const std::string_view s = out.view();
    REQUIRE(well_formed(s));
    const double font = size_of(s, "font-size"), width = size_of(s, "width");
    CHECK(font >= 9);
    std::vector<bool> used(leaves);
    std::uint32_t wrong = 0;
    for (const std::string& n : names) {
      const double x = place(s, n, "x"), y = place(s, n, "y");
      const double row = (y - 24 - 0.35 * font) / (leaves <= 40 ? 24 : leaves <= 160 ? 16 : 12);
      const auto index = static_cast<std::size_t>(row);
      if (index >= leaves || used[index]) {
        ++wrong;
        continue;
      }
      used[index] = true;
      wrong += x < 24 || x + 0.6 * font * static_cast<double>(n.size()) > width ? 1u : 0u;
    }
    CHECK(wrong == 0);
    CHECK(size_of(s, "height") > place(s, names[0], "y"));
  }
}

TEST_CASE("genome_tools/tree_draw: odd trees and names", "[genome_tools]") {
  for (std::uint32_t leaves = 0; leaves < 3; ++leaves) {
    tree t;
    t.leaves = leaves;
    if (leaves != 0) t.inner.emplace_back();
    for (std::uint32_t i = 0; i < leaves; ++i) t.inner[0].push_back({i, 0});
    const tessera::text picture = svg(t, names_of(leaves)), graph = dot(t, names_of(leaves));
    CHECK(well_formed(picture.view()));
    CHECK(count(picture.view(), "<text") == leaves);  // no scale without lengths
    CHECK(count(picture.view(), "nan") + count(picture.view(), "inf") == 0);
    CHECK(count(graph.view(), " -- ") == leaves);
  }
  tree t;
  t.leaves = 3;
  t.inner = {{{0, 1e-9}, {1, 2e-9}, {2, 3e-9}}};
  std::vector<std::string> names = {"<a&\"b'>", "", std::string(100, 'W')};
  names[2] += "\n\xff";
  const tessera::text picture = svg(t, names);
  CHECK(well_formed(picture.view()));
  CHECK(count(picture.view(), ">&lt;a&amp;&quot;b&#39;&gt;</text>") == 1);
  CHECK(count(picture.view(), std::string(49, 'W')) == 0);
  CHECK(count(picture.view(), ">5e-10</text>") == 1);
  const tessera::text graph = dot(t, names);
  CHECK(count(graph.view(), "label=<&lt;a&amp;&quot;b&#39;&gt;>];") == 1);
  CHECK(count(graph.view(), "label=< >];") == 1);
}

TEST_CASE("genome_tools/tree_draw: DOT", "[genome_tools]") {
  const tessera::text out = dot(five(), names_of(5));
  const std::string_view s = out.view();
  CHECK(count(s, "{") == 1);
  CHECK(count(s, "}") == 1);
  CHECK(count(s, "[") == count(s, "]"));
  CHECK(count(s, "\"") % 2 == 0);
  CHECK(count(s, " -- ") == 7);
  CHECK(count(s, "root=n7,") == 1);
  CHECK(count(s, "label=<graph_3>];\n") == 1);
  CHECK(count(s, "  n6 -- n2 [len=2.100, tooltip=\"4.0\"];\n") == 1);
  CHECK(count(s, "  n5 -- n0 [len=1.100, tooltip=\"2.0\"];\n") == 1);
}

TEST_CASE("genome_tools/tree_draw: chains of thousands", "[genome_tools]") {
  constexpr std::uint32_t leaves = max_tree_size;
  const tree t = chain(leaves);
  const std::vector<std::string> names = names_of(leaves);
  const tessera::text picture = svg(t, names), graph = dot(t, names), line = newick(t, names);
  CHECK(well_formed(picture.view()));
  CHECK(count(picture.view(), "<text") == leaves + 1);
  CHECK(count(graph.view(), " -- ") == 2 * leaves - 3);
  CHECK(count(line.view(), "(") == leaves - 2);
  CHECK(count(line.view(), ")") == leaves - 2);
}
