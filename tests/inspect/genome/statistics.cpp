// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/genome/statistics.hpp"

#include <utility>

#include "support/catch.hpp"

using namespace tessera;

namespace {

/// Two operations, a pattern of both, and a pattern of three nodes that contains it.
[[nodiscard]] genome::library library() {
  genome::registry r;
  r.add_operation(10, "aten.relu.default:node_args(1):kwargs()");
  r.add_operation(11, "aten.sub.Tensor:node_args(2):kwargs()");
  r.add_variation(10, "in0");
  r.add_variation(11, "in1,in0");
  r.add_parameter(10, "fc.weight");
  genome::stream inner, outer;
  inner.add({.a = 10, .b = 10}, {-2});
  inner.add({.a = 10, .b = 10}, {-1});
  r.add_pattern(20, inner);
  outer.add({.a = 6, .b = 20}, {});
  outer.add({.a = 11, .b = 11}, {-1, -3});
  r.add_pattern(300, outer);
  auto l = genome::verify(std::move(r));
  REQUIRE(l);
  return std::move(*l);
}

}  // namespace

TEST_CASE("inspect/genome: nodes of a stream, by command and by operation", "[inspect_genome]") {
  const genome::library l = library();
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 10, .b = 10}, {0});
  s.add({.a = 11, .b = 11}, {0, 1});
  s.add({.a = 11, .b = 11}, {1, 2});
  s.add({.a = 6, .b = 20}, {3});
  const auto p = genome::verify(std::move(s), l);
  if (!p) FAIL(p.error().name() << " at " << p.error().offset);
  const inspect::stream_statistics counted(*p);
  CHECK(counted.nodes == 5);
  CHECK(counted.expanded == 6);
  CHECK(counted.bytes == offset_of(p->stream(), 5));
  CHECK(counted.commands[static_cast<std::size_t>(genome::command::operation)] == 3);
  CHECK(counted.commands[static_cast<std::size_t>(genome::command::pattern)] == 1);
  REQUIRE(counted.operations.size() == 2);
  CHECK(counted.operations[0].name == l.operation(11));
  CHECK(counted.operations[0].value == 2);
  CHECK(counted.operations[1].name == l.operation(10));
  CHECK(counted.operations[1].value == 1);
}

TEST_CASE("inspect/genome: entries of a registry", "[inspect_genome]") {
  const inspect::registry_statistics counted(library());
  CHECK(counted.operations == 2);
  CHECK(counted.variations == 2);
  CHECK(counted.constants == 0);
  CHECK(counted.parameters == 1);
  CHECK(counted.patterns == 2);
  CHECK(counted.longest_pattern == 3);
}
