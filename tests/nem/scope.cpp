// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>

#include "nem/verified.hpp"

using nem_test::check;
using nem_test::example;
using nem_test::verified;

namespace {

constexpr char copy[] =
    "buffer M : DDR (size=64); buffer N : DDR (size=64);"
    "let X = region(M, 0, 8); let Y = region(N, 0, 8); ";

void check_copy(example e) {
  const std::string bad = std::string(copy) + std::string(e.bad);
  const std::string good = std::string(copy) + std::string(e.good);
  check({e.rule, bad, e.text, good});
}

}  // namespace

TEST_CASE("nem/scope: declarations", "[nem]") {
  const example examples[] = {
      {"NAM-001", "let a = 3; ^let a = 4", "a is already declared in this scope, as let",
       "let a = 3; let b = 4"},
      {"NAM-001", "buffer B : L2 (size=4); ^B = region(B, 0, 4)", "as buffer",
       "buffer B : L2 (size=4); R = region(B, 0, 4)"},
      {"NAM-001", "loop i in [0..1]: ^let i = 3 endloop", "as loop variable",
       "loop i in [0..1]: let j = i endloop"},
      {"NAM-001", "loop i in [0..1]: let a = 1; ^let a = 2 endloop", "as let",
       "loop i in [0..1]: let a = 1 endloop; loop i in [0..1]: let a = 2 endloop; let a = 3"},
      {"NAM-002", "let a = 3; loop i in [0..1]: ^let a = i endloop", "let a hides the let",
       "loop i in [0..1]: let a = i endloop; let a = 3"},
      {"NAM-002", "loop i in [0..1]: ^loop i in [0..1]: endloop endloop",
       "loop variable i hides the loop variable",
       "loop i in [0..1]: loop j in [0..1]: endloop endloop"},
      {"NAM-003", "let R = ^region(B, 0, 4); buffer B : L2 (size=4)", "buffer B isn't declared",
       "buffer B : L2 (size=4); let R = region(B, 0, 4)"},
      {"NAM-003", "loop i in [0..1]: buffer B : L2 (size=4) endloop; let R = ^region(B, 0, 4)",
       "buffer B isn't declared",
       "loop i in [0..1]: buffer B : L2 (size=4); let R = region(B, 0, 4) endloop"},
      {"NAM-004", "let k = 1; let R = ^region(k, 0, 4)", "k is a let",
       "buffer k : L2 (size=4); let R = region(k, 0, 4)"},
  };
  for (const example& e : examples) check(e);
}

TEST_CASE("nem/scope: operands", "[nem]") {
  check_copy({"NAM-005", "transfer.async(dst=X, src=^Z)", "operand Z isn't declared",
              "let Z = Y; transfer.async(dst=X, src=Z)"});
  check_copy({"NAM-005", "loop i in [0..1]: let Z = Y endloop; transfer.async(dst=X, src=^Z)",
              "operand Z isn't declared",
              "loop i in [0..1]: let Z = Y; transfer.sync(dst=X, src=Z) endloop"});
  check_copy({"NAM-006", "transfer.async(dst=^M, src=Y)", "M is a buffer",
              "transfer.async(dst=X, src=Y)"});
  check_copy({"NAM-006", "let a = 1; transfer.async(dst=X, src=^a)", "a is a let",
              "transfer.async(dst=X, src=Y)"});
}

TEST_CASE("nem/scope: tokens", "[nem]") {
  check_copy({"TOK-001", "wait(^t)", "no task assigns token t",
              "t = transfer.async(dst=X, src=Y); wait(t)"});
  check_copy({"TOK-002", "wait(^t); t = transfer.async(dst=X, src=Y)", "only later",
              "t = transfer.async(dst=X, src=Y); wait(t)"});
  check_copy({"TOK-002", "t = transfer.async(dst=X, src=Y, deps=[^t])",
              "the task depends on its own token", "t = transfer.async(dst=X, src=Y, deps=[])"});
  check_copy({"TOK-002", "loop i in [0..1]: t = transfer.async(dst=X, src=Y) endloop; wait(^t)",
              "only inside its loop",
              "loop i in [0..1]: t = transfer.async(dst=X, src=Y); wait(t) endloop"});
  check_copy({"TOK-002",  // of the iteration before
              "loop i in [0..1]: u = transfer.sync(dst=X, src=Y, deps=[^t]); t = "
              "transfer.sync(dst=X, src=Y) endloop",
              "only later",
              "t = transfer.sync(dst=X, src=Y); loop i in [0..1]: u = transfer.sync(dst=X, src=Y, "
              "deps=[t]) endloop"});
  check_copy({"TOK-004", "wait(^X)", "X is a region", "t = transfer.async(dst=X, src=Y); wait(t)"});
  check_copy({"TOK-005", "t = transfer.async(dst=X, src=Y); ^u = wait(t); wait(u)",
              "wait produces no token", "t = transfer.async(dst=X, src=Y); wait(t)"});
  check_copy({"TOK-007", "t = transfer.async(dst=X, src=Y); wait(t, ^t)", "duplicate token t",
              "t = transfer.async(dst=X, src=Y); wait(t); wait(t)"});
  check_copy({"NAM-001", "t = transfer.sync(dst=X, src=Y); ^t = transfer.sync(dst=X, src=Y)",
              "as token", "t = transfer.sync(dst=X, src=Y); u = transfer.sync(dst=X, src=Y)"});
}

TEST_CASE("nem/scope: tokens of other iterations, and of loops that have ended", "[nem]") {
  const std::string_view local =
      ": tokens are local to an iteration, and that of the iteration before isn't visible";
  const std::string_view in_order =
      "each iteration begins after the one before it is complete; no dependency is needed";
  const std::string_view joined =
      " is visible only inside its loop: all tasks of a loop are complete after its endloop";
  const std::string b = "buffer B : L2 (size=64) ";
  const std::string u = "u = transfer.sync(dst=region(B, 0, 8), src=region(B, 8, 8)";
  const std::string t = "t = transfer.sync(dst=region(B, 16, 8), src=region(B, 24, 8)";
  const auto check = [&](const std::string& source, std::string_view token, const std::string& text,
                         const std::string& note, const std::string& fixed) {
    const auto o = verified(b + source);
    CAPTURE(source);
    REQUIRE(o.report.diagnostics.size() == 1);
    const auto& d = o.report.diagnostics[0];
    CHECK(tessera::nem::rule(d.code).id() == "TOK-002");
    CHECK((b + source).substr(d.where.offset - 1, d.where.length + 2) == token);
    CHECK(o.report.text_of(d.text) == text);
    CHECK((d.has_note ? o.report.text_of(d.note) : "") == note);
    REQUIRE(d.has_fix == !fixed.empty());
    if (!d.has_fix) return;
    std::string changed = b + source;
    changed.replace(d.fix.offset, d.fix.length, o.report.text_of(d.replacement));
    CHECK(changed == b + fixed);
    CHECK(verified(changed).report.diagnostics.empty());
  };
  const std::string loop = "loop i in [0..1]: ", two = "loop i in [0..1] @max_in_flight(2): ";
  check(loop + u + ", deps=[t]) " + t + ") endloop", "[t]",
        "token t is assigned only later" + std::string(local), std::string(in_order),
        loop + u + ", deps=[]) " + t + ") endloop");
  check(loop + t + ", deps=[t]) endloop", "[t]",
        "the task depends on its own token t" + std::string(local), std::string(in_order),
        loop + t + ", deps=[]) endloop");
  check(two + t + ", deps=[t]) endloop", "[t]",
        "the task depends on its own token t" + std::string(local),
        "up to 2 iterations overlap; with @max_in_flight(1) each begins after the one before it",
        "");
  check(loop + t + ") endloop " + u + ", deps=[t])", "[t]", "token t" + std::string(joined),
        "t is assigned here", loop + t + ") endloop " + u + ", deps=[])");
  check(loop + t + ") endloop wait(t)", "(t)", "token t" + std::string(joined),
        "t is assigned here", "");
  // A list of several keeps the others.
  check(u + ") " + loop + t + ") endloop wait(t, u)", "(t,", "token t" + std::string(joined),
        "t is assigned here", u + ") " + loop + t + ") endloop wait(u)");
  check(u + ") " + loop + t + ") endloop wait(u, t)", " t)", "token t" + std::string(joined),
        "t is assigned here", u + ") " + loop + t + ") endloop wait(u)");
  // Both outside of loops, or in different ones: nothing is said of iterations.
  check("wait(t) " + t + ")", "(t)", "token t is assigned only later", "t is assigned here", "");
  check(t + ", deps=[t])", "[t]", "the task depends on its own token t", "", "");
  check("wait(t) " + loop + t + ") endloop", "(t)", "token t is assigned only later",
        "t is assigned here", "");
}

TEST_CASE("nem/scope: a buffer whose name a loop gives to a number", "[nem]") {
  const auto o = nem_test::verified(
      "buffer A : L2 (size=64); buffer B : L2 (size=64); loop i in [0..99]: let B = i "
      "transfer.async(dst=region(B, 0, 8), src=region(A, 0, 8)) endloop");
  CAPTURE(o.lines);
  CHECK(o.has("NAM-004"));
}

TEST_CASE("nem/scope: notes point to the earlier declaration", "[nem]") {
  const auto o = verified("let a = 1\nlet a = 2");
  REQUIRE(o.report.diagnostics.size() == 1);
  const auto& d = o.report.diagnostics[0];
  REQUIRE(d.has_note);
  CHECK(d.related.offset == 0);
  CHECK(o.report.text_of(d.note) == "declared here");
}
