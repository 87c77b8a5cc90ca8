// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Properties of layouts, over random pictures: arrows lead down, nothing overlaps, frames hold what
// is theirs, and names don't matter.

#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include "support/catch.hpp"

#include "tessera/inspect/picture.hpp"

namespace {

using namespace tessera::inspect;

constexpr double slack = 1e-6;

/// A graph without cycles whose nodes are in frames, the outer ones first.
picture random_picture(std::uint32_t seed, std::uint32_t nodes, std::uint32_t frames) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t n) {
    return static_cast<std::uint32_t>(random() % n);
  };
  picture p;
  for (std::uint32_t f = 0; f < frames; ++f)
    p.frames.push_back({std::to_string(f), "frame " + std::to_string(f), "#808080",
                        f == 0 || below(2) == 0 ? picture::none : below(f)});
  for (std::uint32_t n = 0; n < nodes; ++n) {
    picture::node node;
    node.id = "n" + std::to_string(n);
    node.lines = {{std::string(1 + below(20), 'x')}};
    if (below(3) == 0) node.lines.push_back({"more"});
    if (frames != 0 && below(2) == 0) node.frame = below(frames);
    p.nodes.push_back(std::move(node));
  }
  for (std::uint32_t n = 1; n < nodes; ++n)
    for (std::uint32_t k = below(4); k != 0; --k) p.edges.push_back({below(n), n});
  return p;
}

bool overlap(const box& a, const box& b) {
  return a.left + slack < b.left + b.width && b.left + slack < a.left + a.width &&
         a.top + slack < b.top + b.height && b.top + slack < a.top + a.height;
}
bool holds(const box& outer, const box& inner) {
  return inner.left + slack >= outer.left && inner.top + slack >= outer.top &&
         inner.left + inner.width <= outer.left + outer.width + slack &&
         inner.top + inner.height <= outer.top + outer.height + slack;
}
/// Whether a frame is another one or lies in it.
bool is_in(const picture& p, std::uint32_t inner, std::uint32_t outer) {
  while (inner != picture::none && inner != outer) inner = p.frames[inner].parent;
  return inner == outer;
}

void check_boxes(const picture& p, const layout& l) {
  const box page{0, 0, l.width, l.height};
  for (std::uint32_t a = 0; a < p.nodes.size(); ++a) {
    REQUIRE(holds(page, l.nodes[a]));
    for (std::uint32_t b = a + 1; b < p.nodes.size(); ++b)
      REQUIRE_FALSE(overlap(l.nodes[a], l.nodes[b]));
    for (std::uint32_t f = 0; f < p.frames.size(); ++f) {
      if (is_in(p, p.nodes[a].frame, f))
        REQUIRE(holds(l.frames[f], l.nodes[a]));
      else
        REQUIRE_FALSE(overlap(l.frames[f], l.nodes[a]));
    }
  }
  for (std::uint32_t a = 0; a < p.frames.size(); ++a)
    for (std::uint32_t b = a + 1; b < p.frames.size(); ++b) {
      if (is_in(p, b, a))
        REQUIRE(holds(l.frames[a], l.frames[b]));
      else
        REQUIRE_FALSE(overlap(l.frames[a], l.frames[b]));
    }
}

/// Arrows run down from the lower border of their tail to the upper one of their head.
void check_arrows(const picture& p, const layout& l) {
  for (std::uint32_t e = 0; e < p.edges.size(); ++e) {
    const std::vector<point>& way = l.edges[e];
    REQUIRE(way.size() >= 2);
    const box &from = l.nodes[p.edges[e].from], &to = l.nodes[p.edges[e].to];
    REQUIRE(way.front().y == Approx(from.top + from.height));
    REQUIRE(way.front().x >= from.left);
    REQUIRE(way.front().x <= from.left + from.width);
    REQUIRE(way.back().y == Approx(to.top));
    REQUIRE(way.back().x >= to.left);
    REQUIRE(way.back().x <= to.left + to.width);
    for (std::size_t i = 1; i < way.size(); ++i) REQUIRE(way[i].y + slack >= way[i - 1].y);
  }
}

}  // namespace

TEST_CASE("layout: arrows lead down, and nothing overlaps", "[inspect_picture]") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const picture p = random_picture(seed, 1 + seed * 2, 0);
    const layout l = lay_out(p);
    check_boxes(p, l);
    check_arrows(p, l);
  }
}

TEST_CASE("layout: frames hold their nodes and frames, and no others", "[inspect_picture]") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const picture p = random_picture(seed, 5 + seed, 1 + seed % 7);
    check_boxes(p, lay_out(p));
  }
}

TEST_CASE("layout: nested frames that arrows cross in order", "[inspect_picture]") {
  picture p;
  p.frames = {{"0", "outer"}, {"1", "inner", "#808080", 0}};
  for (const std::uint32_t frame : {picture::none, 0u, 1u, 1u, 0u, picture::none}) {
    picture::node n;
    n.id = "n" + std::to_string(p.nodes.size());
    n.lines = {{"node"}};
    n.frame = frame;
    p.nodes.push_back(n);
  }
  for (std::uint32_t n = 0; n + 1 < 6; ++n) p.edges.push_back({n, n + 1});
  p.edges.push_back({0, 5});
  p.edges.push_back({2, 5});
  const layout l = lay_out(p);
  check_boxes(p, l);
  check_arrows(p, l);
  for (std::uint32_t n = 0; n + 1 < 6; ++n) CHECK(l.nodes[n].top < l.nodes[n + 1].top);
}

TEST_CASE("layout: an arrow from a frame begins at its border", "[inspect_picture]") {
  picture p;
  p.frames = {{"0", "loop"}};
  p.nodes.resize(2);
  p.nodes[0].lines = p.nodes[1].lines = {{"task"}};
  p.nodes[0].frame = 0;
  p.edges.push_back({0, 1});
  p.edges[0].from_frame = 0;
  const layout l = lay_out(p);
  CHECK(l.edges[0].front().y == Approx(l.frames[0].top + l.frames[0].height));
  CHECK(l.edges[0].back().y == Approx(l.nodes[1].top));
}

TEST_CASE("layout: a cycle has one arrow that leads up, and a node may refer to itself",
          "[inspect_picture]") {
  picture p;
  p.nodes.resize(3);
  p.edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}};
  const layout l = lay_out(p);
  check_boxes(p, l);
  CHECK(l.edges[2].front().y > l.edges[2].back().y);
  CHECK(l.edges[0].front().y < l.edges[0].back().y);
  CHECK(lay_out(picture{}).nodes.empty());
}

TEST_CASE("layout: names don't matter, only how wide they are", "[inspect_picture]") {
  picture p = random_picture(7, 60, 4);
  const layout before = lay_out(p);
  for (picture::node& n : p.nodes) {
    n.id = "other_" + n.id;
    for (picture::line& l : n.lines)
      for (char& c : l.text) c = c == 'x' ? 'z' : c;
  }
  const layout after = lay_out(p);
  for (std::size_t n = 0; n < p.nodes.size(); ++n) {
    CHECK(before.nodes[n].left == after.nodes[n].left);
    CHECK(before.nodes[n].top == after.nodes[n].top);
  }
}

TEST_CASE("layout: a chain is straight", "[inspect_picture]") {
  picture p;
  p.nodes.resize(30);
  for (std::uint32_t n = 0; n < 30; ++n) p.nodes[n].lines = {{std::string(n % 7 + 1, 'x')}};
  for (std::uint32_t n = 0; n + 1 < 30; ++n) p.edges.push_back({n, n + 1});
  const layout l = lay_out(p);
  const double middle = l.nodes[0].left + l.nodes[0].width / 2;
  for (const box& b : l.nodes) CHECK(b.left + b.width / 2 == Approx(middle).margin(3));
}
