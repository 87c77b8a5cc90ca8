// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <string>
#include <string_view>

#include "nem/verbs.hpp"
#include "nem/verified.hpp"

using nem_test::check;
using nem_test::example;
using nem_test::outcome;
using nem_test::verified;
namespace nem = tessera::nem;

namespace {

/// The value of an expression, seen as the offset of a region.
struct offset_of : nem::visitor {
  void task(const nem::values& v, const nem::task& t) {
    value = v.regions[v.inputs(t)[0].region].offset;
  }
  std::int64_t value = -1;
};

std::int64_t value_of(const std::string& expression, const std::string& before = "") {
  const std::string source = "buffer B : DDR (size=9223372036854775807)\n" + before +
                             "\ntransfer.async(dst=region(B, 0, 1), src=region(B, " + expression +
                             ", 1)) @memmove";
  tessera::report found;
  auto d = nem_test::read(source, {}, &found);
  REQUIRE(d);
  auto p = nem_test::verify(std::move(*d), {}, &found);
  for (const tessera::diagnostic& f : found.diagnostics) UNSCOPED_INFO(found.text_of(f.text));
  REQUIRE(p);
  offset_of v;
  nem::for_each_task(*p, v);
  return v.value;
}

}  // namespace

TEST_CASE("nem/evaluate: operators, precedence and names", "[nem]") {
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("20 - 5 - 4") == 11);
  CHECK(value_of("40 / 3 / 2") == 6);
  CHECK(value_of("17 mod 5 * 2") == 4);
  CHECK(value_of("3 - -4") == 7);
  CHECK(value_of("-(2 - 9)") == 7);
  CHECK(value_of("9007199254740993 / 1") == 9007199254740993);
  CHECK(value_of("9223372036854775806") == 9223372036854775806);
  CHECK(value_of("0 - (0 - 7) / 2") == 3);  // truncates
  CHECK(value_of("(0 - 7) mod 3") == 2);    // the sign of the divisor
  CHECK(value_of("(7 mod (0 - 3)) + 10") == 8);
  CHECK(value_of("2 * n + k", "const n = 21; let k = n / 2") == 52);
  CHECK(value_of("b", "let a = 5; let b = a") == 5);
}

TEST_CASE("nem/evaluate: rules of constants", "[nem]") {
  const example examples[] = {
      {"CON-001", "const N = 4; ^const N = 5", "duplicate constant declaration N",
       "const N = 4; const M = 5"},
      {"CON-002", "const N = ^M * 2; const M = 3", "forward reference to undeclared constant M",
       "const M = 3; const N = M * 2"},
      {"CON-002", "const N = 1 + ^N", "forward reference to undeclared constant N", "const N = 1"},
      {"CON-003", "let k = 3; const N = ^k + 1", "let k", "const k = 3; const N = k + 1"},
      {"CON-003", "buffer B : L2 (size=8); const N = ^B", "buffer B", "const N = 1"},
      {"CON-004", "const N = 1 + ^8 / 0", "division by zero in constant expression",
       "const N = 8 / 2"},
      {"CON-004", "const Z = 0; const N = ^8 mod Z", "division by zero in constant expression",
       "const Z = 3; const N = 8 mod Z"},
      {"CON-005", "loop i in [0..2]: ^const N = 4 endloop",
       "const declaration not permitted inside loop body",
       "const N = 4; loop i in [0..2]: endloop"},
      {"CON-006", "buffer N : L2 (size=8); ^const N = 4",
       "name conflict - N already declared as buffer", "buffer N : L2 (size=8); const M = 4"},
      {"CON-006", "const N = 4; ^buffer N : L2 (size=8)",
       "name conflict - N already declared as const", "const N = 4; buffer M : L2 (size=8)"},
      {"CON-006", "const N = 4; ^loop N in [0..1]: endloop",
       "name conflict - N already declared as const", "const N = 4; loop M in [0..1]: endloop"},
      {"CON-006", "const N = 4; loop i in [0..1]: ^let N = i endloop",
       "name conflict - N already declared as const",
       "const N = 4; loop i in [0..1]: let M = i endloop"},
      {"CON-007", "const N = 2 * ^0.5", "const declarations must be integer", "const N = 2 * 5"},
      {"CON-008", "const N = ^4611686018427387904 * 2", "4611686018427387904 * 2",
       "const N = 4611686018427387903 * 2"},
      {"CON-008", "const N = ^(0 - 9223372036854775807 - 1) / -1", "leaves the range",
       "const N = (0 - 9223372036854775807) / -1"},
  };
  for (const example& e : examples) check(e);
}

TEST_CASE("nem/evaluate: rules of expressions", "[nem]") {
  const example examples[] = {
      {"EXP-001", "buffer B : L2 (size=^2.5)", "buffer sizes must be integer",
       "buffer B : L2 (size=25)"},
      {"EXP-001", "let s = 2.5; buffer B : L2 (size=4 * ^s)", "buffer sizes must be integer",
       "let s = 2; buffer B : L2 (size=4 * s)"},
      {"EXP-001", "loop i in [0..^1.5]: endloop", "loop bounds must be integer",
       "loop i in [0..1]: endloop"},
      {"EXP-001", "let s = ^4.5 mod 2", "mod", "let s = 4.5 / 2"},
      {"EXP-002", "let a = ^b; let b = 1", "b isn't declared", "let b = 1; let a = b"},
      {"EXP-003", "loop i in [0..2]: let a = ^6 / (i - 2) endloop", "division by zero",
       "loop i in [0..2]: let a = 6 / (i + 2) endloop"},
      {"EXP-003", "let a = ^1.5 / 0", "division by zero", "let a = 1.5 / 0.5"},
      {"EXP-004", "loop i in [0..64]: let a = ^9223372036854775800 + i endloop",
       "9223372036854775800 + 8", "loop i in [0..7]: let a = 9223372036854775800 + i endloop"},
      {"EXP-004", "let m = 0 - 9223372036854775807 - 1; let a = ^-m", "-(-9223372036854775808)",
       "let m = 0 - 9223372036854775807; let a = -m"},
      {"EXP-005", "buffer B : L2 (size=8); let a = 2 * ^B", "buffer B", "let B = 1; let a = 2 * B"},
      {"EXP-005", "let s = \"x\"; let a = ^s + 1", "string s", "let s = 1; let a = s + 1"},
      {"EXP-005", "let s = [1, 2]; let a = ^s + 1", "list s", "let s = 1; let a = s + 1"},
      {"EXP-005",
       "buffer B : L2 (size=8); let R = region(B, 0, 4) elem=i8, shape=[4], layout=C, "
       "quant=per_tensor(scale=^[2], zero_point=0)",
       "a list isn't a number",
       "buffer B : L2 (size=8); let R = region(B, 0, 4) elem=i8, shape=[4], layout=C, "
       "quant=per_tensor(scale=2, zero_point=0)"},
      {"EXP-005",
       "buffer B : L2 (size=8); let R = region(B, 0, 4) elem=i8, shape=[4], layout=C, "
       "quant=per_tensor(scale=^\"x\", zero_point=0)",
       "a string isn't a number",
       "buffer B : L2 (size=8); let R = region(B, 0, 4) elem=i8, shape=[4], layout=C, "
       "quant=per_tensor(scale=2, zero_point=0)"},
      {"EXP-006", "let a = ^(0 - 9) / 2", "-9 and 2", "let a = 9 / 2"},
      {"EXP-006", "let a = ^9 mod (0 - 2)", "9 and -2", "let a = 9 mod 2"},
  };
  for (const example& e : examples) check(e);
}

TEST_CASE("nem/evaluate: all errors of an expression, and none that another caused", "[nem]") {
  const outcome o = verified("let a = x + y * (2 / 0); let b = a + 1; const N = b");
  CHECK(o.lines ==
        "EXP-002 8 x isn't declared before this point\n"
        "EXP-002 12 y isn't declared before this point\n"
        "EXP-003 17 division by zero\n"
        "CON-003 50 a constant expression can't use the let b\n");
  CHECK(verified("const A = 1 / 0; const B = A; buffer C : L2 (size=B); let R = region(C, 0, 9)")
            .report.errors == 1);
  CHECK(verified("buffer C : L2 (size=0); let R = region(C, 0, 9); transfer.async(dst=R, src=R)")
            .report.errors == 1);
  CHECK(verified("loop i in [0..n]: let a = i; let R = region(B, a, 1) endloop").report.errors ==
        2);
}

TEST_CASE("nem/evaluate: deep and long expressions", "[nem]") {
  std::string deep = "let a = ";
  for (int i = 0; i < 250; ++i) deep += "1 - 2 * (";
  deep += "3";
  for (int i = 0; i < 250; ++i) deep += ")";
  CHECK(verified(deep).has("EXP-004"));  // the stack had room; the value hasn't
  std::string lengthy = "const N = 0";
  for (int i = 0; i < 100000; ++i) lengthy += " + 1";
  lengthy += "; buffer B : L2 (size=N); let R = region(B, 99999, 1)";
  CHECK(verified(lengthy).is_valid);
}
