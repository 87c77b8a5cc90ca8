// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/symbols.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/inspect/nem/facts.hpp"

using namespace tessera;
using inspect::nem_symbol_kind;

namespace {

struct text_with_names {
  explicit text_with_names(std::string s)
      : source(std::move(s)), model(inspect::read_partly(source)), all(model, source) {}

  /// "buffer A@7 22 40": the kind, the name, where it is declared and used.
  [[nodiscard]] std::string line(std::uint32_t symbol) const {
    const inspect::nem_symbol& s = all.symbols()[symbol];
    std::string out = std::string(name(s.kind)) + ' ' +
                      source.substr(s.name.offset, s.name.length) + '@' +
                      std::to_string(s.name.offset);
    for (const inspect::nem_name& n : all.names())
      if (n.symbol == symbol && !n.is_declaration) out += ' ' + std::to_string(n.where.offset);
    return out;
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < all.symbols().size(); ++i) out.push_back(line(i));
    return out;
  }
  [[nodiscard]] std::vector<std::string> visible(std::string_view before) const {
    std::vector<std::string> out;
    for (const std::uint32_t i :
         all.visible(model, static_cast<std::uint32_t>(source.find(before))))
      out.emplace_back(nem::name_of(model, all.symbols()[i].node));
    std::sort(out.begin(), out.end());
    return out;
  }

  std::string source;
  nem::model model;
  inspect::nem_symbols all;
};

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("inspect/nem: names of a program", "[inspect_nem]") {
  const text_with_names t(
      "program p :\n"                                                  // 0
      "const # a comment\n n = 2\n"                                    // 12
      "buffer A : L1[n] (size=n*8)\n"                                  // 37
      "X = region ( A, n, 8) elem=i8, shape=[n]\n"                     // 65
      "let y = [n, 3]\n"                                               // 106
      "t = pad.async in X out region(A, 8, 8) pads=y mode=constant\n"  // 121
      "wait(t)\n");                                                    // 181
  CHECK(t.lines() == strings{"program p@8", "const n@31 51 60 81 103 115", "buffer A@44 78 151",
                             "region X@65 138", "let y@110 165", "token t@121 186"});
}

TEST_CASE("inspect/nem: a name means what is declared last in the innermost loop",
          "[inspect_nem]") {
  const text_with_names t(
      "const n = 1\n"                  // 0
      "let a = n\n"                    // 12
      "loop i in [0..a]:\n"            // 22
      "  let a = i\n"                  // 40
      "  let b = a\n"                  // 52
      "  loop i in [0..i]: endloop\n"  // 64
      "endloop\n"                      // 92
      "let c = a + i\n");              // 100
  CHECK(t.lines() == strings{"const n@6 20", "let a@16 36 108", "loop variable i@27 50 80",
                             "let a@46 62", "let b@58", "loop variable i@71", "let c@104"});
}

TEST_CASE("inspect/nem: what is visible at a place", "[inspect_nem]") {
  const text_with_names t(
      "buffer A : L2 (size=8)\n"
      "loop i in [0..1]:\n"
      "  let x = region(A, 0, 8)\n"
      "  loop j in [0..1]:\n"
      "    let z = i\n"
      "  endloop\n"
      "  let w = 1\n"
      "endloop\n"
      "let v = 1\n");
  CHECK(t.visible("buffer").empty());
  CHECK(t.visible("loop i") == strings{"A"});
  CHECK(t.visible("region(") == strings{"A", "i"});
  CHECK(t.visible("let z") == strings{"A", "i", "j", "x"});
  CHECK(t.visible("let w") == strings{"A", "i", "x"});
  CHECK(t.visible("let v") == strings{"A"});
}

TEST_CASE("inspect/nem: names of devices and families", "[inspect_nem]") {
  const text_with_names t(
      "type_family my . own<T: {i8, f16}> {\n"  // 0
      "  A: T B: i8 variants: v: { B: absent } conformance: { MUST <i8> } }\n"
      "device base { opcode.mandatory { my.own<i8>.v eltwise<f16>.default } }\n"
      "device d extends base { opcode.extended { my .own<f16> . w } }\n");
  CHECK(t.lines() == strings{"type family my . own@12 139 219", "type parameter T@21 42",
                             "variant v@60 150", "device base@113 194", "device d@184"});
  std::size_t unknown = 0;
  for (const inspect::nem_name& n : t.all.names()) unknown += n.symbol == nem::no_index ? 1 : 0;
  CHECK(unknown == 3);  // eltwise, its variant, and w
}

TEST_CASE("inspect/nem: the name at an offset", "[inspect_nem]") {
  const text_with_names t("const abc = 1\nlet d = abc\n");
  CHECK(t.all.at(5) == nullptr);
  for (std::uint32_t i = 6; i <= 9; ++i) CHECK(t.all.at(i) == &t.all.names()[0]);
  CHECK(t.all.at(10) == nullptr);
  CHECK(t.all.at(22)->symbol == 0);
  CHECK(t.all.at(25)->symbol == 0);
  CHECK(t.all.at(1000) == nullptr);
  CHECK(inspect::nem_symbols().at(0) == nullptr);
}

TEST_CASE("inspect/nem: statements that don't read are left out", "[inspect_nem]") {
  struct row {
    std::string_view broken;
    std::string_view names;  ///< of what is left
  };
  for (const row& r : {
           row{"const a = \nconst b = 2\n", "b"},
           {"const a = 1\n$ & %\nconst b = 2\n", "a b"},
           {"const a = 1\nlet x = region(\nconst b = 2\n", "a b"},
           {"const a = 1\nt = relu.async\n    in x\n    out\nconst b = 2\n", "a b"},
           {"loop i in [0..1]:\n  const a = 1\n", "i a"},
           {"loop i in [0..1]:\n  loop j in [0..:\n  const a = 1\nendloop\nendloop\n", "i a"},
           {"const a = 1\nendloop\nconst b = 2\n", "a b"},
           {"const a = 1\nprogam p:\nconst b = 2\n", "a b"},
           {"device d { topology { num_engines = \nconst b = 2\n", "b"},
           {"const a = 1\nconst b = \"", "a"},
           {"buffer B : L2 (size=\nbuffer C : L2 (size=8)\nloop i in [0..1]:\nendloop\n", "C i"},
       }) {
    INFO(r.broken);
    const text_with_names t{std::string(r.broken)};
    std::string names;
    for (const inspect::nem_symbol& s : t.all.symbols())
      names += (names.empty() ? "" : " ") + t.source.substr(s.name.offset, s.name.length);
    CHECK(names == r.names);
  }
}

TEST_CASE("inspect/nem: facts of the first iterations", "[inspect_nem]") {
  const std::string source =
      "const n = 4\n"
      "buffer A : L1[1] (size=n * 16, align=8) @readonly\n"
      "buffer B : L2 (size=64)\n"
      "loop i in [2..n - 1] @max_in_flight(2):\n"
      "  let unused = region(A, i * 8, 8)\n"
      "  t = transfer.async(dst=region(B, i * 16, 16), src=region(A, i * 16, 16))\n"
      "  wait(t)\n"
      "endloop\n"
      "wait_for_it = transfer.sync(dst=region(B, 0, 16), src=region(A, 0, 16))\n";
  const result<nem::model> d = nem::read(source);
  REQUIRE(d);
  const auto program = nem::verify(*d);
  REQUIRE(program);
  const inspect::nem_facts f(*d, {}, &*program);
  const auto node = [&](std::string_view of, nem::node_kind k) {
    const std::size_t at = source.find(of);
    for (std::uint32_t i = 0; i < d->nodes.size(); ++i)
      if (d->nodes[i].offset == at && d->nodes[i].kind == k) return i;
    return nem::no_node;
  };
  REQUIRE(f.number(0) != nullptr);
  CHECK(*f.number(0) == 4);
  const nem::buffer* const a = f.buffer(node("buffer A", nem::node_kind::buffer));
  REQUIRE(a != nullptr);
  CHECK(a->size == 64);
  CHECK(a->engine == 1);
  const auto* const loop = f.loop(node("loop", nem::node_kind::loop));
  REQUIRE(loop != nullptr);
  CHECK(loop->first == 2);
  CHECK(loop->last == 3);
  CHECK(loop->in_flight == 2);
  const auto* const unused = f.region(node("let unused", nem::node_kind::let));
  REQUIRE(unused != nullptr);
  CHECK(unused->offset == 16);
  CHECK(unused->iteration == std::vector<std::pair<std::string, std::int64_t>>{{"i", 2}});
  const auto* const t = f.task(node("t = ", nem::node_kind::transfer));
  REQUIRE(t != nullptr);
  REQUIRE(t->inputs.size() == 1);
  CHECK(t->inputs[0].buffer == "A");
  CHECK(t->inputs[0].offset == 32);
  CHECK(t->is_placed);
  CHECK(t->work.bytes == 16);
  CHECK(t->cycles == 5);  // 16 bytes in a cycle, and a latency of 4
  CHECK(f.regions().size() == 5);
  CHECK(f.task(0) == nullptr);
  CHECK(f.target() == nullptr);
}

TEST_CASE("inspect/nem: facts of a model with errors", "[inspect_nem]") {
  const std::string source =
      "const n = m\n"
      "buffer A : L2 (size=8)\n"
      "let x = region(A, 0, 16)\n"
      "let y = region(A, n, 8)\n"
      "let z = region(A, 0, 8)\n"
      "transfer.async(dst=x, src=q)\n"
      "loop i in [3..0]:\n"
      "  let w = region(A, 0, 4)\n"
      "endloop\n";
  const result<nem::model> d = nem::read(source);
  REQUIRE(d);
  const inspect::nem_facts f(*d, {}, nullptr);
  REQUIRE(f.regions().size() == 1);
  CHECK(f.regions()[0].second.extent == 8);
  CHECK(f.number(0) == nullptr);
}

TEST_CASE("nem_facts: nothing is known without a model", "[inspect_nem]") {
  const inspect::nem_facts none;
  CHECK(none.buffer(0) == nullptr);
  CHECK(none.task(0) == nullptr);
  CHECK(none.regions().empty());
  CHECK(none.target() == nullptr);
}
