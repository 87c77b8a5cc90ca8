// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Listings of streams and registries.

#include <string>
#include <tessera/genome.hpp>
#include <utility>

#include "genome/registry_samples.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

[[nodiscard]] genome::library library_of(genome::registry r) {
  auto l = genome::verify(std::move(r));
  if (!l) FAIL(l.error().name());
  return std::move(*l);
}
[[nodiscard]] std::string printed(const genome::library& l, genome::stream s) {
  const auto p = genome::verify(std::move(s), l);
  if (!p) FAIL(p.error().name() << " at " << p.error().offset);
  const text out = genome::print(*p);
  return std::string(out.view());
}

[[nodiscard]] genome::registry some() {
  genome::registry r;
  r.add_operation(10, "aten.relu.default:node_args(1):kwargs()");
  r.add_operation(11, "aten.sub.Tensor:node_args(2):kwargs()");
  r.add_operation(12, "aten.arange.default:node_args(0):kwargs('dtype',)");
  r.add_operation(13, "aten.slice.Tensor:node_args(1):kwargs()");
  r.add_variation(10, "in0");
  r.add_variation(11, "in1,in0");
  r.add_constant(10, "int", "7");
  r.add_constant(11, "torch.dtype", "\"torch.int64\"");
  r.add_constant(12, "str", "\"mean\\n\"");
  r.add_group(10, "arg0=10;dtype=11");
  r.add_parameter(10, "fc.weight\n");
  genome::stream inner, outer;
  inner.add({.a = 10, .b = 10}, {-2});
  inner.add({.a = 10, .b = 10}, {-1});
  r.add_pattern(20, inner);
  outer.add({.a = 6, .b = 20}, {});
  outer.add({.a = 11, .b = 11}, {-1, -3});
  r.add_pattern(300, outer);
  return r;
}

}  // namespace

TEST_CASE("genome/print: nodes, by what the registry says", "[genome]") {
  const genome::library l = library_of(some());
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 3, .b = 1}, {});
  s.add({.a = 5, .b = 1, .c = 10}, {});
  s.add({.a = 11, .b = 11}, {0, 2});
  s.add({.a = 13, .b = 10, .c = 10}, {3});
  s.add({.a = 12, .b = 1, .c = -11}, {});
  s.add({.a = 7, .b = 2, .c = 3}, {1, 0});
  s.add({.a = 7, .b = 12, .c = 2}, {1, -11});
  s.add({.a = 6, .b = 300 & 255, .c = 0x100}, {0, 3});
  s.add({.a = 13, .b = 10, .c = 12}, {8});
  s.add({.a = 1, .b = 1}, {});
  s.add({.a = 4, .b = 1}, {5, 9, 9});
  CHECK(printed(l, std::move(s)) == R"(; 12 nodes, 13 inputs
%0 = input
%1 = parameter
%2 = parameter "fc.weight\n"
%3 = aten.sub.Tensor(%2, %0)
%4 = aten.slice.Tensor(%3; 7)
%5 = aten.arange.default(arg0 = 7, dtype = torch.int64)
%6 = 3 x input
%7 = 2 x aten.arange.default(arg0 = 7, dtype = torch.int64)
%8 = pattern 300(%0, %3)  ; 3 nodes
%9 = aten.slice.Tensor(%8; "mean\n")
pad
output(%5, %9, %9)
)");
}

TEST_CASE("genome/print: what a COPY repeats", "[genome]") {
  const genome::library l = library_of(some());
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 3, .b = 1}, {});
  s.add({.a = 3, .b = 1}, {});
  s.add({.a = 5, .b = 1, .c = 10}, {});
  s.add({.a = 5, .b = 1, .c = 10}, {});
  s.add({.a = 1, .b = 1}, {});
  s.add({.a = 1, .b = 1}, {});
  const std::string plain = printed(l, s);
  CHECK(plain.find("input") != std::string::npos);
  genome::stream copies;
  copies.add({.a = 7, .b = 2, .c = 2}, {1, 0});
  copies.add({.a = 7, .b = 3, .c = 2}, {1, 0});
  copies.add({.a = 7, .b = 5, .c = 2}, {1, 10});
  const std::string all = printed(l, copies);
  INFO(all);
  CHECK(all.find("input\n") != std::string::npos);
  CHECK(all.find("parameter\n") != std::string::npos);
  CHECK(all.find("parameter \"fc.weight\\n\"\n") != std::string::npos);
}

TEST_CASE("genome/print: operations that would move a terminal's cursor are in quotes",
          "[genome]") {
  genome::registry r;
  r.add_operation(10, "a\x1b[2J:node_args(1):kwargs()");
  r.add_variation(10, "in0");
  const genome::library l = library_of(std::move(r));
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 10, .b = 10}, {0});
  CHECK(printed(l, std::move(s)).find("%1 = \"a\\u001b[2J\"(") != std::string::npos);
}

TEST_CASE("genome/print: groups of many arguments are cut short", "[genome]") {
  const auto with_group = [](const std::string& group) {
    genome::registry r;
    r.add_operation(10, "aten.relu.default:node_args(1):kwargs()");
    r.add_variation(10, "in0");
    r.add_constant(10, "int", "7");
    r.add_group(10, group);
    const genome::library l = library_of(std::move(r));
    genome::stream s;
    s.add({.a = 2, .b = 1}, {});
    s.add({.a = 10, .b = 10, .c = -11}, {0});
    return printed(l, s);
  };
  std::string group = "a=10";
  for (char key = 'b'; key <= 'p'; ++key) group += std::string(";") + key + "=10";
  CHECK(with_group(group).find("o = 7, p = 7)") != std::string::npos);
  CHECK(with_group(group + ";q=10").find("o = 7, p = 7, ...)") != std::string::npos);
  // A long one is cut between two arguments.
  std::string longer = "k" + std::string(2500, 'k') + "=10;l" + std::string(2500, 'l') + "=10";
  CHECK(with_group(longer).find("kkk") != std::string::npos);
  CHECK(with_group(longer).find("lll") == std::string::npos);
}

TEST_CASE("genome/print: blocks", "[genome]") {
  const genome::library l = library_of(some());
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});
  s.add({.a = 8, .b = 1}, {5, 1, 0, 0});
  s.add({.a = 8, .b = 2}, {1, 2, 0});  // in the IF's first block
  s.add({.a = 10, .b = 10}, {0});
  s.add({.a = 10, .b = 10}, {0});
  s.add({.a = 10, .b = 10}, {-1});
  s.add({.a = 10, .b = 10}, {-4});
  s.add({.a = 10, .b = 10}, {0});
  s.add({.a = 4, .b = 1}, {1});
  CHECK(printed(l, std::move(s)) == R"(; 9 nodes, 13 inputs
%0 = input
%1 = if(%0, %0)
  %2 = while(%0)
    %3 = aten.relu.default(%0)
  do
    %4 = aten.relu.default(%0)
    %5 = aten.relu.default(%4)
  %6 = aten.relu.default(%2)
else
  %7 = aten.relu.default(%0)
output(%1)
)");
}

TEST_CASE("genome/print: a registry with its patterns", "[genome]") {
  const genome::library l = library_of(some());
  const text out = genome::print(l);
  CHECK(out.view() ==
        R"(; 4 operations, 2 variations, 3 constants, 1 constant group, 1 parameter, 2 patterns

pattern 20  ; 2 nodes
  %0 = aten.relu.default(%-2)
  %1 = aten.relu.default(%0)

pattern 300  ; 3 nodes
  %0 = pattern 20()  ; 2 nodes
  %2 = aten.sub.Tensor(%-1, %1)
)");
}

TEST_CASE("genome/print: rules", "[genome]") {
  const auto r = genome::read_registry(R"x({"rules":{
    "transition_rules":{"After 'a' -> 'b' with connection 'in0=SOURCE'":{"probability":"0.92",
      "count":11,"b64_repr":"EAoAEwARCgAUAQAA","exceptions":["-> 'c' with conn 'in0=SOURCE' (1 times)"]}},
    "composition_rules":{"Composition: Op='a', Var=10, Const='None'":{"count":88}},
    "structural_rules":{"Node 'a' is formed":{"count":12}}}})x");
  REQUIRE(r);
  const genome::library l = library_of(genome::registry(*r));
  const text out = genome::print(l);
  CHECK(out.view() ==
        R"x(; 0 operations, 0 variations, 0 constants, 0 constant groups, 0 parameters, 0 patterns

transition rules
  After 'a' -> 'b' with connection 'in0=SOURCE'  ; probability 0.92, 11 times
    but -> 'c' with conn 'in0=SOURCE' (1 times)

composition rules
  Composition: Op='a', Var=10, Const='None'  ; 88 times

structural rules
  Node 'a' is formed  ; 12 times
)x");
}

TEST_CASE("genome/print: what many lines may show is cut short", "[genome]") {
  genome::registry r = some();
  std::string name(94, 'x');
  name += "\xe2\x82\xacyz";  // cut inside the euro sign
  r.add_parameter(11, name);
  const genome::library l = library_of(std::move(r));
  genome::stream s;
  s.add({.a = 5, .b = 1, .c = 11}, {});
  std::string shown = "; 1 node, 0 inputs\n%0 = parameter \"";
  shown.append(94, 'x').append("\"...\n");
  CHECK(printed(l, std::move(s)) == shown);
}
