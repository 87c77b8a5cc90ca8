// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/join.hpp"

#include <string>
#include <utility>

#include "genome/tools/registries.hpp"

namespace {

namespace genome = tessera::genome;
namespace genomics = tessera::genomics;
using tessera::errc;

constexpr std::string_view add_name = "x.add:node_args(2):kwargs('dim', 'end')";
constexpr std::string_view relu_name = "x.relu:node_args(1):kwargs()";

/// What streams are joined to: ids as the tools give them.
[[nodiscard]] genome::registry target() {
  genome::registry r = genome_tests::registry_of({add_name, relu_name}, {"in0,in1", "in0"});
  r.add_constant(10, "float", "7");
  return r;
}
/// Others, at the ends of their ranges.
[[nodiscard]] genome::library source() {
  genome::registry r;
  r.add_operation(10, relu_name);
  r.add_operation(255, add_name);
  r.add_variation(2, "in1,in0");
  r.add_variation(3, "in0");
  r.add_constant(1, "int", "7");
  r.add_constant(2, "float", "7");
  r.add_group(0, "dim=1;end=2");
  r.add_parameter(0, "w");
  return genome_tests::library_of(std::move(r));
}

[[nodiscard]] bool is(const genome::node& n, int a, int b, int c) {
  return n.a == a && n.b == b && n.c == c;
}

}  // namespace

TEST_CASE("genome_tools/join: nodes say the same in the registry that they come to",
          "[genome_tools]") {
  const genome::library from = source();
  genome::stream s;
  s.add({.a = 2, .b = 1}, {});                 // 0  DATA_INPUT
  s.add({.a = 5, .b = 1, .c = 0}, {});         // 1  CONST_REF w
  s.add({.a = 10, .b = 3, .c = 1}, {0});       // 2  relu, int 7
  s.add({.a = 255, .b = 2, .c = -1}, {1, 2});  // 3  add in1,in0, dim=int 7;end=float 7
  s.add({.a = 7, .b = 5, .c = 4}, {1, 0});     // 4  four times w
  s.add({.a = 4, .b = 1}, {3});                // 5  OUTPUT
  REQUIRE(genome::verify(s, from));

  genome::registry to = target();
  genomics::registry_join join(to);
  REQUIRE(join.add(from, s).code == errc::ok);
  CHECK(is(s.nodes[0], 2, 1, 0));
  CHECK(is(s.nodes[1], 5, 1, 10));
  CHECK(is(s.nodes[2], 11, 11, 11));
  CHECK(is(s.nodes[3], 10, 12, -11));
  CHECK(is(s.nodes[4], 7, 5, 4));
  CHECK(s.inputs[s.nodes[4].first + 1] == 10);
  CHECK(is(s.nodes[5], 4, 1, 0));

  // The same stream again adds nothing, and what was added holds together.
  genome::stream again = s;
  genome::registry same = to;
  REQUIRE(genomics::registry_join(same).add(*genome::verify(to), again).code == errc::ok);
  CHECK(again == s);
  CHECK(same == to);
  const tessera::result<genome::library> joined = genome::verify(std::move(to));
  REQUIRE(joined);
  CHECK(joined->variation(12) == "in1,in0");
  CHECK(joined->group(10) == "dim=11;end=10");
  CHECK(joined->registry().name_of(joined->constant(11)->type) == "int");
  CHECK(joined->parameter(10) == "w");
  CHECK(genome::verify(s, *joined));
}

TEST_CASE("genome_tools/join: what exceeds a limit is reported with its node", "[genome_tools]") {
  const genome::library from = source();
  const auto added = [&from](genome::registry to, const genome::node& n) {
    genome::stream s;
    s.add({.a = 2, .b = 1}, {});
    s.add(n, {0});
    return genomics::registry_join(to).add(from, s);
  };
  const auto is_at_1 = [](tessera::error e, errc code) { return e.code == code && e.offset == 1; };
  const genome::node relu{.a = 10, .b = 2}, with_constant{.a = 10, .b = 3, .c = 1},
      with_group{.a = 10, .b = 3, .c = -1}, w{.a = 5, .b = 1};

  genome::registry full;
  full.add_operation(255, "x.last:node_args(1):kwargs()");
  CHECK(is_at_1(added(full, relu), errc::genome_operations_full));
  full = target();
  full.add_variation(255, "in9");
  CHECK(is_at_1(added(full, relu), errc::genome_operations_full));
  CHECK(added(full, with_constant).code == errc::ok);
  full.add_constant(32767, "int", "9");
  CHECK(is_at_1(added(full, with_constant), errc::genome_ids_full));
  full = target();
  full.add_group(32767, "dim=10");
  CHECK(is_at_1(added(full, with_group), errc::genome_ids_full));
  full.add_parameter(32766, "v");
  CHECK(added(full, w).code == errc::ok);
  full.add_parameter(32767, "u");
  CHECK(is_at_1(added(full, w), errc::genome_ids_full));
  CHECK(is_at_1(added(target(), {.a = 6, .b = 20}), errc::genome_pattern_unknown));
}
