// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/statistics.hpp"

#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tests/alir/build.hpp"

using namespace tessera;

TEST_CASE("alir/statistics: opcodes in order, the widest type, latency and cost",
          "[inspect_alir]") {
  constexpr std::string_view source =
      R"({"model":[[2,1],[0,0],[2],[0],[false],[[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],)"
      R"([1,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,1,0,0,[-16.0,15.0,0.5],1.5,6.0]],-1,-1,null],)"
      R"("meta":"ALIRModel","spec_version":2})";
  result<alir::model> m = alir::read(source);
  REQUIRE(m);
  const result<alir::program> p = alir::verify(std::move(*m));
  REQUIRE(p);
  const inspect::alir_statistics s(*p);
  REQUIRE(s.opcodes.size() == 2);
  CHECK(s.opcodes[0].value + s.opcodes[1].value == 3);
  CHECK(s.widest == 6);
  CHECK(s.latency == 1.5);
  CHECK(s.cost == 6.0);
  CHECK(s.opcodes[1].cost == 6.0);
  REQUIRE(s.widths.size() == 2);
  CHECK((s.widths[0].bits == 5 && s.widths[0].operations == 2));
  CHECK((s.widths[1].bits == 6 && s.widths[1].operations == 1));
  CHECK(s.depth == 1);
  CHECK(s.critical_path == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("alir/statistics: the critical path is that of latency, then of depth",
          "[inspect_alir]") {
  build::sketch b;
  const auto x = b.input(build::bits(4)), y = b.input(build::bits(4));
  const auto slow =
      b.op({.id0 = y, .code = alir::opcode::negate, .qint = build::bits(5), .latency = 4});
  auto fast = x;
  for (int k = 0; k < 3; ++k)
    fast = b.op({.id0 = fast, .code = alir::opcode::negate, .qint = build::bits(5), .latency = 1});
  const auto sum = b.op(
      {.id0 = fast, .id1 = slow, .code = alir::opcode::add, .qint = build::bits(6), .latency = 5});
  b.output(sum);
  b.op({.id0 = x, .code = alir::opcode::negate, .qint = build::bits(5), .latency = 5});
  {
    const alir::program p = b.verified();
    const inspect::alir_statistics s(p);
    CHECK(s.depth == 4);
    CHECK(s.critical_path == std::vector<std::uint32_t>{1, 2, 6});
  }
  for (alir::operation& o : b.model.ops) o.latency = 0;
  const alir::program p = b.verified();
  CHECK(inspect::alir_statistics(p).critical_path == std::vector<std::uint32_t>{0, 3, 4, 5, 6});
}

TEST_CASE("alir/statistics: a program without operations", "[inspect_alir]") {
  result<alir::model> m = alir::read(std::string_view(
      R"({"model":[[0,0],[],[],[],[],[],-1,-1,null],"meta":"ALIRModel","spec_version":2})"));
  REQUIRE(m);
  const result<alir::program> p = alir::verify(std::move(*m));
  REQUIRE(p);
  const inspect::alir_statistics s(*p);
  CHECK(s.opcodes.empty());
  CHECK((s.widest == 0 && s.latency == 0 && s.cost == 0));
  CHECK((s.widths.empty() && s.depth == 0 && s.critical_path.empty()));
}
