// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/statements.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"
#include "tessera/inspect/nem/statistics.hpp"

using namespace tessera;

namespace {

nem::program verified(std::string_view source) {
  result<nem::model> d = nem::read(source);
  REQUIRE(d);
  result<nem::program> p = nem::verify(std::move(*d));
  REQUIRE(p);
  return std::move(*p);
}

}  // namespace

TEST_CASE("inspect/nem/statements: lines of tasks and the loops around them", "[inspect_nem]") {
  constexpr std::string_view source =
      "buffer A : L2 (size=64)\n"
      "loop i in [0..1]: loop j in [0..1]:\n"
      "\n"
      "  a = transfer.sync(\n    dst=region(A, 0, 8), src=region(A, 8, 8))\n"
      "endloop\n"
      "wait(a)\n"
      "b = transfer.sync(dst=region(A, 0, 8), src=region(A, 8, 8)) endloop\n"
      "store.sync(dst=region(A, 0, 8), src=region(A, 8, 8))";
  const result<nem::model> d = nem::read(source);
  REQUIRE(d);
  const inspect::task_statements tasks(*d, source);
  std::string seen;
  for (const inspect::task_statement& s : tasks.all()) {
    CHECK(tasks.find(s.node) == &s);
    CHECK(tasks.find(s.node + 1) == nullptr);
    seen += std::to_string(s.line) + ' ' + std::string(nem::name_of(*d, s.node)) + ':';
    for (const std::uint32_t loop : tasks.loops(s)) seen.append(" ").append(nem::name_of(*d, loop));
    seen += '\n';
  }
  CHECK(seen == "4 a: i j\n8 b: i\n9 :\n");
}

TEST_CASE("inspect/nem/statistics: addresses are multiples of the alignment", "[inspect_nem]") {
  const nem::program p = verified(
      "buffer a : L2 (size=10)\n"
      "buffer b : L1[1] (size=3, align=8)\n"
      "buffer c : L2 (size=7, align=16)\n"
      "buffer d : L1[1] (size=1, align=4)\n"
      "buffer e : L1[0] (size=1, align=64)\n"
      "buffer f : L2 (size=9223372036854775807)\n"
      "buffer g : L2 (size=9223372036854775807)\n"
      "buffer h : L2 (size=1, align=2)\n");
  std::string seen;
  for (const inspect::buffer_address& b : inspect::address_map(p))
    seen += std::string(b.name) + ' ' + inspect::memory_name(b.level, b.engine) + ' ' +
            std::to_string(b.address) + ' ' + std::to_string(b.alignment) + '\n';
  CHECK(seen ==
        "a L2 0 1\nb L1[1] 0 8\nc L2 16 16\nd L1[1] 4 4\ne L1[0] 0 64\nf L2 23 1\n"
        "g L2 9223372036854775830 1\nh L2 18446744073709551615 2\n");
}
