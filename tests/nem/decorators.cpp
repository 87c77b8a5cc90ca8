// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include <tessera/nem/execution.hpp>
#include <tessera/nem/format.hpp>

#include "rule_check.hpp"
#include "support/catch.hpp"

using namespace tessera;
using rule_check::check;
using rule_check::finds;
using rule_check::passes;

namespace {

const std::string head(rule_check::head);

/// A program with a decorator on a target, marked.
std::string program(std::uint8_t target, std::string_view decorator) {
  const std::string d = "`" + std::string(decorator);
  switch (target) {
    case nem::on_buffer: return head + "buffer K : L2 (size=8) " + d + "\n";
    case nem::on_region: return head + "let K = region(G, 8, 8) " + d + "\n";
    case nem::on_operand: return head + "relu.sync in X " + d + " out Y\n";
    case nem::on_transfer: return head + "transfer.sync(dst=Y, src=S) " + d + "\n";
    case nem::on_compute: return head + "softmax.sync in X out Y axis=0 " + d + "\n";
    default: return head + "loop i in [0..3] " + d + ":\nendloop\n";
  }
}
/// A region that is only written as an operand, where the decorator doesn't let it be read.
std::string written(std::string_view decorator) {
  return head + "relu.sync in X out Y " + std::string(decorator) + "\n";
}

std::string_view argument_of(nem::decorator which) {
  switch (nem::decorator_table[static_cast<std::size_t>(which)].argument) {
    case nem::decorator_argument::none: return "";
    case nem::decorator_argument::integer:
      return which == nem::decorator::seq_engine ? "(0)" : "(1)";
    case nem::decorator_argument::unit: return "(DMA[0])";
    case nem::decorator_argument::tag: return "(some_tag)";
  }
  return "";
}

}  // namespace

TEST_CASE("nem/decorators: what each of them applies to", "[nem]") {
  struct {
    std::string_view name, targets;  // of buffer, region, operand, transfer, compute, loop
  } const table[] = {
      {"materialized", "-ro---"},  {"readonly", "bro---"},   {"writeonly", "bro---"},
      {"deterministic", "---tcl"}, {"memmove", "---t--"},    {"max_in_flight", "-----l"},
      {"resource", "---tc-"},      {"seq_engine", "---tc-"}, {"debug", "brotcl"},
      {"profile", "brotcl"},
  };
  CHECK(nem::decorator_count == 10);
  for (const auto& row : table) {
    const nem::decorator which = nem::find_decorator(row.name);
    REQUIRE(which != nem::decorator::unknown);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto target = static_cast<std::uint8_t>(1u << i);
      std::string_view argument = argument_of(which);
      if (which == nem::decorator::resource && target == nem::on_compute) argument = "(CSTL[0])";
      std::string source = program(target, "@" + std::string(row.name) + std::string(argument));
      if (which == nem::decorator::writeonly && target == nem::on_operand)
        source = written("@writeonly");
      INFO(source);
      CHECK(finds(row.targets[i] == '-' ? "DEC-002" : "", source) == "");
    }
  }
}

TEST_CASE("nem/decorators: stores take what transfers take", "[nem]") {
  CHECK(passes(head + "store.sync(dst=S, src=X) @memmove @deterministic @resource(CSTL[0]) "
                      "@seq_engine(0) @debug(a) @profile(\"b\")") == "");
  CHECK(finds("DEC-002", head + "store.sync(dst=S, src=X) `@max_in_flight(1)") == "");
}

TEST_CASE("nem/decorators: wait takes those that have no effect", "[nem]") {
  const std::string wait = head + "t = relu.async in X out Y\nwait(t) ";
  CHECK(passes(wait + "@debug(a) @profile(\"b\")") == "");
  for (const nem::decorator_row& row : nem::decorator_table) {
    const nem::decorator which = nem::find_decorator(row.name);
    if (row.argument == nem::decorator_argument::tag) continue;
    CHECK(finds("DEC-002", wait + "`@" + std::string(row.name) + std::string(argument_of(which))) ==
          "");
  }
  CHECK(check(wait + "@memmove").text("DEC-002") ==
        "@memmove applies to transfers and stores, not to waits");
  CHECK(finds("DEC-001", wait + "`@fast") == "");
}

TEST_CASE("nem/decorators: DEC-001 names the nearest decorator", "[nem]") {
  const auto c = check(head + "loop i in [0..3] `@max_inflight(2):\nendloop");
  REQUIRE(c.rules() == "DEC-001");
  CHECK(c.first("DEC-001")->where.offset == c.mark);
  CHECK(c.text("DEC-001") == "unknown decorator @max_inflight");
  CHECK(c.note("DEC-001") == "did you mean @max_in_flight?");
  CHECK(check(head + "buffer K : L2 (size=8) @zzz").note("DEC-001") == "");
  CHECK(finds("DEC-001", "buffer B : L2 (size=8) `@fast(1, some_name)") == "");
}

TEST_CASE("nem/decorators: DEC-002 says where it belongs", "[nem]") {
  CHECK(check("buffer B : L2 (size=8) @memmove").text("DEC-002") ==
        "@memmove applies to transfers and stores, not to buffers");
  CHECK(check("buffer B : L2 (size=8) @deterministic").text("DEC-002") ==
        "@deterministic applies to transfers and stores, compute tasks and loops, not to buffers");
  const auto c = check(head + "clamp.sync in X out Y `@resource(CSTL[0]) min_val=0.0 max_val=1.0");
  REQUIRE(c.rules() == "DEC-002");
  CHECK(c.first("DEC-002")->where.offset == c.mark);
  CHECK(c.note("DEC-002") == "decorators of the task follow its attributes");
  CHECK(passes(head + "clamp.sync in X out Y min_val=0.0 max_val=1.0 @resource(CSTL[0])") == "");
  // Without attributes the last output's decorators are the task's.
  CHECK(passes(head + "relu.sync in X out Y @materialized @resource(CSTL[0])") == "");
}

TEST_CASE("nem/decorators: DEC-003 number and kind of arguments", "[nem]") {
  CHECK(finds("DEC-003", "buffer B : L2 (size=8) @readonly(`1)") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] `@max_in_flight:\nendloop") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] @max_in_flight(2, `3):\nendloop") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] @max_in_flight(`2.5):\nendloop") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] @max_in_flight(`\"2\"):\nendloop") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] @max_in_flight(`[2]):\nendloop") == "");
  CHECK(finds("DEC-003", "loop i in [0..3] @max_in_flight(`CSTL[0]):\nendloop") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y `@resource") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y @resource(`CSTL)") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y @resource(`3)") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y `@seq_engine") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y @seq_engine(0, `1)") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y `@debug") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y @debug(`1)") == "");
  CHECK(finds("DEC-003", head + "relu.sync in X out Y @profile(a, `b)") == "");
  CHECK(passes(head + "relu.sync in X out Y @debug(a) @profile(\"b\")") == "");
}

TEST_CASE("nem/decorators: integers may be expressions of what is visible", "[nem]") {
  CHECK(passes("const N = 2\nlet m = N * 2\nloop i in [1..3] @max_in_flight(m - N):\n"
               "  loop j in [0..1] @max_in_flight(i):\n  endloop\nendloop") == "");
  CHECK(finds("EXP-002", "loop i in [0..3] @max_in_flight(`many):\nendloop") == "");
}

TEST_CASE("nem/decorators: DEC-004 the second of two", "[nem]") {
  const auto c = check("buffer B : L2 (size=8) @readonly `@readonly");
  REQUIRE(c.rules() == "DEC-004");
  CHECK(c.first("DEC-004")->where.offset == c.mark);
  CHECK(c.first("DEC-004")->severity == tessera::severity::warning);
  CHECK(c.first("DEC-004")->related.offset == 23);
  CHECK(finds("DEC-004", "loop i in [0..3] @max_in_flight(2) `@max_in_flight(3):\nendloop") == "");
  CHECK(finds("DEC-004", head + "relu.sync in X out Y @debug(a) `@debug(b)") == "");
  CHECK(passes(head + "relu.sync in X @materialized out Y @materialized") == "");
}

TEST_CASE("nem/decorators: DEC-005 readonly and writeonly exclude each other", "[nem]") {
  const auto c = check("buffer B : L2 (size=8) @writeonly `@readonly");
  REQUIRE(c.rules() == "DEC-005");
  CHECK(c.first("DEC-005")->where.offset == c.mark);
  CHECK(c.note("DEC-005") == "@writeonly is given here");
  CHECK(finds("DEC-005", head + "let K = region(G, 8, 8) @readonly `@writeonly") == "");
  CHECK(finds("DEC-005", head + "relu.sync in X @readonly `@writeonly out Y") == "");
  CHECK(passes("buffer B : L2 (size=8) @writeonly") == "");
}

TEST_CASE("nem/decorators: DEC-006 at least one iteration", "[nem]") {
  CHECK(finds("DEC-006", "loop i in [0..3] @max_in_flight(`0):\nendloop") == "");
  CHECK(finds("DEC-006", "const N = 2\nloop i in [0..3] @max_in_flight(`N - 4):\nendloop") == "");
  CHECK(passes("loop i in [0..3] @max_in_flight(1):\nendloop") == "");
  // In one of the outer loop's iterations.
  CHECK(finds("DEC-006",
              "loop i in [0..3]:\n  loop j in [0..3] @max_in_flight(`3 - i):\n  endloop\n"
              "endloop") == "");
}

TEST_CASE("nem/decorators: RES-001 units that can't be named", "[nem]") {
  for (const char* const unit : {"SEQ", "sDMA", "WDM"}) {
    const auto c = check(head + "relu.sync in X out Y @resource(`" + unit + "[0])");
    REQUIRE(c.rules() == "RES-001");
    CHECK(c.first("RES-001")->where.offset == c.mark);
    CHECK(c.text("RES-001").find(std::string(unit) + " is not a valid @resource target") == 0);
  }
}

TEST_CASE("nem/decorators: RES-002 names the nearest unit", "[nem]") {
  const auto c = check(head + "relu.sync in X out Y @resource(`cstl[0])");
  REQUIRE(c.rules() == "RES-002");
  CHECK(c.first("RES-002")->where.offset == c.mark);
  CHECK(c.note("RES-002") == "did you mean CSTL?");
  CHECK(finds("RES-002", head + "relu.sync in X out Y @resource(`ENGINE[0])") == "");
}

TEST_CASE("nem/decorators: RES-003 negative indices", "[nem]") {
  CHECK(finds("RES-003", head + "relu.sync in X out Y @resource(CSTL[`0 - 1])") == "");
  CHECK(finds("RES-003", head +
                             "loop i in [0..2]:\n  relu.sync in X out Y @resource(CSTL[`1 - i])\n"
                             "endloop") == "");
  CHECK(passes(head + "loop i in [0..2]:\n  relu.sync in X out Y @resource(CSTL[i mod 2])\n"
                      "endloop") == "");
}
