// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/statistics.hpp"

#include <string_view>

#include "support/catch.hpp"

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
}
