// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/dot.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "tests/alir/build.hpp"

using namespace tessera;
using alir::opcode;
using build::bits;
using inspect::picture;

namespace {

/// Output 0 is x + y and -(x + y); output 1 is x - y, at latency 1 like the sum; output 2 is 0.
[[nodiscard]] build::sketch program() {
  build::sketch s;
  const auto x = s.input(bits(4)), y = s.input(bits(4));
  const auto sum =
      s.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = bits(5), .latency = 1, .cost = 4});
  s.op({.id0 = x, .id1 = y, .code = opcode::subtract, .qint = bits(5), .latency = 1.5, .cost = 4});
  s.output(s.op({.id0 = sum, .code = opcode::negate, .qint = bits(6), .latency = 2, .cost = 1}));
  s.output(3);
  s.output(-1);
  return s;
}
[[nodiscard]] std::string words(const picture::node& n) {
  std::string out;
  for (const picture::line& l : n.lines) out += (out.empty() ? "" : " | ") + l.text;
  return out;
}
[[nodiscard]] std::string arrows(const picture& p) {
  std::string out;
  for (const picture::edge& e : p.edges)
    out += words(p.nodes[e.from]) + " -> " + words(p.nodes[e.to]) +
           (e.label.empty() ? "" : ": " + e.label) + '\n';
  return out;
}

}  // namespace

TEST_CASE("alir/dot: operations in frames by latency", "[inspect_alir]") {
  const alir::program p = program().verified();
  const picture d = inspect::draw(p);
  REQUIRE(d.frames.size() == 3);
  CHECK(d.frames[0].label == "latency 0 to 1");
  CHECK(d.frames[2].label == "latency 2 to 3");
  REQUIRE(d.nodes.size() == 8);
  CHECK(words(d.nodes[2]) == "%2 add | fixed<1,4,0>");
  CHECK(d.nodes[3].frame == 1);
  CHECK((d.nodes[0].is_thick && d.nodes[2].is_thick && d.nodes[4].is_thick));
  CHECK((!d.nodes[1].is_thick && !d.nodes[3].is_thick));
  CHECK(words(d.nodes[7]) == "output 2 | 0");
  CHECK(d.edges.size() == 2 + 2 + 1 + 2);
  const text svg = inspect::svg(d);
  CHECK(svg.view().find("<svg") != std::string_view::npos);
}

TEST_CASE("alir/dot: folded by output", "[inspect_alir]") {
  const alir::program p = program().verified();
  const picture d = inspect::draw(p, inspect::alir_draw_options{.fold = true});
  CHECK(arrows(d) ==
        "2 inputs -> output 0 | 1 add | 5 bits, cost 4: 2\n"
        "2 inputs -> output 1 | 1 sub | 5 bits, cost 4: 2\n"
        "output 0 | 1 add | 5 bits, cost 4 -> output 0 | 1 neg | 6 bits, cost 1: 1\n"
        "output 0 | 1 neg | 6 bits, cost 1 -> output 0\n"
        "output 1 | 1 sub | 5 bits, cost 4 -> output 1\n");
}

TEST_CASE("alir/dot: what several outputs need, and what none needs", "[inspect_alir]") {
  build::sketch s = program();
  s.output(2);
  s.op({.id0 = 3, .code = opcode::negate, .qint = bits(6), .latency = 1.5});
  const alir::program p = s.verified();
  const picture d = inspect::draw(p, inspect::alir_draw_options{.fold = true});
  std::string all;
  for (const picture::node& n : d.nodes) all += words(n) + '\n';
  CHECK(all.find("several outputs | 1 add") != std::string::npos);
  CHECK(all.find("no output | 1 neg") != std::string::npos);
}

TEST_CASE("alir/dot: depth where a file has no latencies", "[inspect_alir]") {
  build::sketch s = program();
  for (alir::operation& o : s.model.ops) o.latency = 0;
  const alir::program p = s.verified();
  const picture d = inspect::draw(p);
  REQUIRE(d.frames.size() == 3);
  CHECK(d.frames[1].label == "depth 1");
  CHECK(d.nodes[4].frame == 2);
}

TEST_CASE("alir/dot: no more than max_operations", "[inspect_alir]") {
  const alir::program p = program().verified();
  for (const bool fold : {false, true}) {
    const picture all =
        inspect::draw(p, inspect::alir_draw_options{.fold = fold, .max_operations = 5});
    const picture some =
        inspect::draw(p, inspect::alir_draw_options{.fold = fold, .max_operations = 3});
    const auto more = [](const picture& d) {
      std::size_t n = 0;
      for (const picture::node& x : d.nodes)
        n += words(x).find("more operation") != std::string::npos;
      return n;
    };
    CHECK(more(all) == 0);
    CHECK(more(some) == 1);
  }
  CHECK(words(inspect::draw(p, inspect::alir_draw_options{.max_operations = 4}).nodes.back()) ==
        "and 1 more operation");
}
