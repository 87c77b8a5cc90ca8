// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/nem/print.hpp>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>
#include <tessera/nem/write.hpp>

#include "nem/generator.hpp"
#include "nem/same.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

nem::model read(std::string_view source) {
  INFO(source);
  auto d = nem_test::read(source);
  REQUIRE(d);
  return std::move(*d);
}
std::string printed(std::string_view source, const nem::print_options& options = {}) {
  const text t = nem::print(read(source), options);
  return std::string(t.view());
}
/// The canonical text of an expression.
std::string canonical(std::string_view expression, const nem::print_options& options = {}) {
  const std::string text = printed("let x = " + std::string(expression), options);
  REQUIRE(text.size() > 9);
  return text.substr(8, text.size() - 9);
}
void check_laws(std::string_view source) {
  INFO(source);
  const nem::model d = read(source);
  const text once = nem::print(d);
  INFO(once.view());
  auto again = nem_test::read(once);
  REQUIRE(again);
  CHECK(tests::same(d, *again));
  CHECK(nem::print(*again) == once);
}

}  // namespace

TEST_CASE("nem/print: nothing is printed as nothing", "[nem]") {
  CHECK(printed("").empty());
  CHECK(printed(" ; # c\r\n").empty());
}

TEST_CASE("nem/print: parentheses make the flat reading right", "[nem]") {
  CHECK(canonical("1+2*3") == "1 + (2 * 3)");
  CHECK(canonical("1*2+3") == "1 * 2 + 3");
  CHECK(canonical("(1+2)*3") == "(1 + 2) * 3");
  CHECK(canonical("1*2*3") == "1 * 2 * 3");
  CHECK(canonical("1-2-3") == "1 - 2 - 3");
  CHECK(canonical("1-(2-3)") == "1 - (2 - 3)");
  CHECK(canonical("a mod 2*n") == "(a mod 2) * n");
  CHECK(canonical("a / b / c") == "(a / b) / c");
  CHECK(canonical("a / b + c") == "(a / b) + c");
  CHECK(canonical("a * b / c") == "(a * b) / c");
  CHECK(canonical("a * b mod c") == "(a * b) mod c");
  CHECK(canonical("((((a))))") == "a");
  CHECK(canonical("a + b * c - d") == "a + (b * c) - d");
}

TEST_CASE("nem/print: signs", "[nem]") {
  CHECK(canonical("- 3") == "-3");
  CHECK(canonical("-(a+b)") == "-(a + b)");
  CHECK(canonical("-a*b") == "-a * b");
  CHECK(canonical("-(a*b)") == "-(a * b)");
  CHECK(canonical("a - -b") == "a - (-b)");
  CHECK(canonical("- - 3") == "--3");
  CHECK(canonical("[-1.5, -x]") == "[-1.5, -x]");
  const nem::print_options strict{.strict_ebnf = true};
  CHECK(canonical("-3", strict) == "(0 - 3)");
  CHECK(canonical("a * -b", strict) == "a * (0 - b)");
  CHECK(canonical("- -(a + b)", strict) == "(0 - (0 - (a + b)))");
  CHECK(canonical("2 * (-3 + 1)", strict) == "2 * ((0 - 3) + 1)");
}

TEST_CASE("nem/print: numbers and strings", "[nem]") {
  CHECK(canonical("007") == "7");
  CHECK(canonical("4294967295") == "4294967295");
  CHECK(canonical("9223372036854775807") == "9223372036854775807");
  CHECK(canonical("1.50") == "1.5");
  CHECK(canonical("0.0") == "0.0");
  CHECK(canonical("2.0") == "2.0");
  CHECK(canonical("0.00001") == "1.0e-5");
  CHECK(canonical("1.25e-7") == "1.25e-7");
  CHECK(canonical("0.0001") == "0.0001");
  CHECK(canonical("1.0E+22") == "1.0e22");
  CHECK(canonical("12345678901234567890.0") == "1.2345678901234567e19");
  CHECK(canonical("2.2250738585072014e-308") == "2.2250738585072014e-308");
  CHECK(canonical(R"("a\n\t\\\"b # c")") == R"("a\n\t\\\"b # c")");
  CHECK(canonical(R"("a\qb")") == R"("a\\qb")");
  CHECK(canonical("[ 1,[ ],[2,[\"x\"]] , 3, ]") == "[1, [], [2, [\"x\"]], 3]");
  auto infinite = nem::read("const A = 1.5");
  REQUIRE(infinite);
  infinite->reals[0] = std::numeric_limits<double>::infinity();
  CHECK(nem::print(*infinite) == "const A = 1.0e999\n");
}

TEST_CASE("nem/print: declarations", "[nem]") {
  CHECK(printed("const  A=1;const B = A") == "const A = 1\nconst B = A\n");
  CHECK(printed("buffer B:L2(align=8,size=2*4)@readonly@debug(\"x\", 1)") ==
        "buffer B : L2 (size=2 * 4, align=8) @readonly @debug(\"x\", 1)\n");
  CHECK(printed("buffer B : L1 [ i+1 ] (size=8)") == "buffer B : L1[i + 1] (size=8)\n");
  CHECK(printed("buffer B : DDR ()") == "buffer B : DDR ()\n");
  CHECK(printed("X = region(B, 0, 4)") == "let X = region(B, 0, 4)\n");
  CHECK(printed("X = region(B, 0, 4, layout=C, shape=[4], elem=i8) @debug @readonly") ==
        "let X = region(B, 0, 4)\n    elem=i8, shape=[4], layout=C\n    @debug\n    @readonly\n");
  CHECK(printed("let X = region(B, 0, 4) elem=i8, strides=[1], shape=[4], quant = per_group("
                "zero_points=[0], axis=0, scales=[0.5], group_size=4)") ==
        "let X = region(B, 0, 4)\n    elem=i8, shape=[4], strides=[1], "
        "quant=per_group(axis=0, group_size=4, scales=[0.5], zero_points=[0])\n");
}

TEST_CASE("nem/print: tasks", "[nem]") {
  CHECK(printed("t = transfer . async ( src = a @readonly, deps=[x,y],\n dst=region(B,0,4) "
                "elem=i8, shape=[4]) @memmove @resource(DMA[i mod 2])") ==
        "t = transfer.async(dst=region(B, 0, 4) elem=i8, shape=[4], src=a @readonly, "
        "deps=[x, y])\n    @memmove\n    @resource(DMA[i mod 2])\n");
  CHECK(printed("store.sync(dst=a, src=b, deps=[])") == "store.sync(dst=a, src=b)\n");
  CHECK(printed("wait(a,b)") == "wait(a, b)\n");
  CHECK(printed("t = wait(a)") == "t = wait(a)\n");
  CHECK(printed("wait(a, b)\n@debug(x)@profile(\"y\")") ==
        "wait(a, b) @debug(x) @profile(\"y\")\n");
  CHECK(printed("c = conv2d.sync in X,W@readonly out Y zeta=1 dilations=[1,1] accum_type=i32 "
                "deps=[t] alpha=edge pads=[0] @deterministic") ==
        "c = conv2d.sync\n    in  X, W @readonly\n    out Y\n    deps=[t]\n    pads=[0]\n"
        "    dilations=[1, 1]\n    accum_type=i32\n    alpha=edge\n    zeta=1\n"
        "    @deterministic\n");
  CHECK(printed("compute.async in a out b op=\"f\" attrs={ y=1, x=true }") ==
        "compute.async\n    in  a\n    out b\n    op=\"f\"\n    x=true\n    y=1\n");
}

TEST_CASE("nem/print: decorators after the last output", "[nem]") {
  CHECK(printed("relu.sync in X out Y @materialized @resource(VPU[0])") ==
        "relu.sync\n    in  X\n    out Y @materialized\n    @resource(VPU[0])\n");
  // With something after it, a decorator stays at the operand; so the empty list must stay too.
  const std::string_view kept = "relu.sync\n    in  X\n    out Y @debug\n    deps=[]\n";
  CHECK(printed("relu.sync in X out Y @debug deps=[]") == kept);
  CHECK(printed(kept) == kept);
  const std::string_view after = "relu.sync\n    in  X\n    out Y\n    deps=[]\n    @readonly\n";
  CHECK(printed("relu.sync in X out Y deps=[] @readonly") == after);
  CHECK(printed("relu.sync in X out Y deps=[] @debug") ==
        "relu.sync\n    in  X\n    out Y\n    @debug\n");
}

TEST_CASE("nem/print: loops", "[nem]") {
  CHECK(printed("loop i in [ 0 .. N-1 ] @max_in_flight(2): loop j in [0..i]: let a=j endloop "
                "relu.sync in X out Y endloop wait(a)") ==
        "loop i in [0..N - 1] @max_in_flight(2):\n  loop j in [0..i]:\n    let a = j\n"
        "  endloop\n  relu.sync\n      in  X\n      out Y\nendloop\nwait(a)\n");
}

TEST_CASE("nem/print: what comes before statements", "[nem]") {
  CHECK(printed("include \"a\\\\b\" include \"c\" device \"d.cfg\" program p : const A = 1") ==
        "include \"a\\\\b\"\ninclude \"c\"\ndevice \"d.cfg\"\nprogram p:\nconst A = 1\n");
  CHECK(printed("device d") == "device d\n");
  CHECK(printed("device d { } type_family f { variants : }") ==
        "type_family f {\n  variants:\n}\ndevice d {\n}\n");
}

TEST_CASE("nem/print: type families", "[nem]") {
  CHECK(printed("type_family g . h<T:{i8,f16},U:{i4}>{ quant=required on W accum=f32 X:T Y:any "
                "variants: a:{B:absent C:i32} conformance:{MUST<i8,i4>MAY} b:{}conformance:{}}") ==
        "type_family g.h<T: {i8, f16}, U: {i4}> {\n  X: T\n  Y: any\n  quant = required on W\n"
        "  accum = f32\n  variants:\n    a: { B: absent C: i32 }\n"
        "      conformance: { MUST <i8, i4> MAY }\n    b: {}\n      conformance: {}\n}\n");
}

TEST_CASE("nem/print: devices", "[nem]") {
  CHECK(printed("device d extends e { opcode.extended{q<f16,i8>.default}opcode . mandatory "
                "{g.float.x cast.default} unit_characteristics{SEQ{b=1 a=2}} topology{per_engine"
                "{l1_size_bytes=2*8 NMU=1 SEQ=1}device_units{sDMA=2}l2_size_bytes=64 "
                "num_engines=2}spec_version=\"1\"}") ==
        "device d extends e {\n  spec_version = \"1\"\n  topology {\n    num_engines = 2\n"
        "    l2_size_bytes = 64\n    device_units {\n      sDMA = 2\n    }\n    per_engine {\n"
        "      NMU = 1\n      SEQ = 1\n      l1_size_bytes = 2 * 8\n    }\n  }\n"
        "  unit_characteristics {\n    SEQ {\n      b = 1\n      a = 2\n    }\n  }\n"
        "  opcode.mandatory {\n    g.float.x\n    cast.default\n  }\n"
        "  opcode.extended {\n    q<f16, i8>.default\n  }\n}\n");
}

TEST_CASE("nem/print: deep expressions stay readable", "[nem]") {
  // With a pair of parentheses around each quotient, this would be deeper than readers accept.
  std::string quotients = "let a = 1", nested = "let a = ", signs = "let a = ", lists = "let a = ";
  for (int i = 0; i < 3000; ++i) quotients += " / b";
  for (int i = 0; i < 250; ++i) nested += "x + y * (";
  nested += "z" + std::string(250, ')');
  for (int i = 0; i < 128; ++i) signs += "-(1 + ";
  signs += "2" + std::string(128, ')');
  lists += std::string(200, '[') + "1 / 2 / 3" + std::string(200, ']');
  for (const std::string& source : {quotients, nested, signs, lists}) check_laws(source);
  CHECK(printed(quotients) == quotients + "\n");
  // Up to there they are written.
  std::string some = "let a = 1";
  for (int i = 0; i < 257; ++i) some += " / b";
  CHECK(printed(some).substr(0, 264) == "let a = " + std::string(256, '('));
  some += " / b";
  CHECK(printed(some) == some + "\n");
}

TEST_CASE("nem/print: random documents are read as they were printed", "[nem]") {
  for (unsigned seed = 0; seed < 400; ++seed) check_laws(tests::generator(seed, 5).file());
}

TEST_CASE("nem/print: without a sign, the grammar of the specification suffices", "[nem]") {
  const nem::print_options strict{.strict_ebnf = true};
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::string source = tests::generator(seed, 0).file();
    INFO(source);
    auto again = nem_test::read(printed(source, strict));
    REQUIRE(again);
    for (const nem::node& n : again->nodes) REQUIRE(n.kind != nem::node_kind::negate);
  }
}

TEST_CASE("nem/print: of a program it says what declarations and tasks resolve to", "[nem]") {
  auto d = nem_test::read(
      "const N = 4\n"
      "buffer A : L2 (size=N * 8, align=8)\n"
      "buffer W : DDR (size=32)\n"
      "loop i in [1..N - 1]:\n"
      "  let X = region(A, i * 8, 8) elem=i8, shape=[8], layout=C\n"
      "  t = transfer.async(dst=X, src=region(W, i * 8, 8) elem=i8, shape=[8], layout=C)\n"
      "  c = relu.async in X out X deps=[t]\n"
      "  wait(c)\n"
      "endloop\n"
      "let V = region(W, 0, 8) elem=i32, shape=[2, 1], strides=[1, 2]\n");
  REQUIRE(d);
  const auto p = nem::verify(std::move(*d));
  REQUIRE(p);
  CHECK(nem::print(*p) ==
        "const N = 4\n"
        "buffer A : L2 (size=N * 8, align=8)  # 32 bytes, aligned to 8\n"
        "buffer W : DDR (size=32)  # 32 bytes\n"
        "loop i in [1..N - 1]:  # i from 1 to 3\n"
        "  let X = region(A, i * 8, 8)  # bytes 8 to 15 of A, i8 [8] where i is 1\n"
        "      elem=i8, shape=[8], layout=C\n"
        "  t = transfer.async(dst=X, src=region(W, i * 8, 8) elem=i8, shape=[8], layout=C)\n"
        "  c = relu.async  # unit CSTL\n"
        "      in  X\n"
        "      out X\n"
        "      deps=[t]\n"
        "  wait(c)\n"
        "endloop\n"
        "let V = region(W, 0, 8)  # bytes 0 to 7 of W, i32 [2, 1], strides [1, 2]\n"
        "    elem=i32, shape=[2, 1], strides=[1, 2]\n");
}

TEST_CASE("nem/print: of a program it says what tasks leave to their defaults", "[nem]") {
  auto d = nem_test::read(
      "buffer A : L2 (size=256)\n"
      "conv2d.async in region(A, 0, 32) elem=f16, shape=[1, 4, 4, 1], layout=NHWC,\n"
      "  region(A, 64, 18) elem=f16, shape=[3, 3, 1, 1], layout=HWIO\n"
      "  out region(A, 128, 8) elem=f16, shape=[1, 2, 2, 1], layout=NHWC\n"
      "  pads=[0, 0, 0, 0] strides=[1, 1] dilations=[1, 1] accum_type=f32\n");
  REQUIRE(d);
  const auto p = nem::verify(std::move(*d));
  REQUIRE(p);
  const text all = nem::print(*p);
  CHECK(all.view().find("conv2d.async  # groups=1, unit NMU\n") != std::string_view::npos);
}

TEST_CASE("nem/write: the text that print gives of a model", "[nem]") {
  const nem::model d = read("let x = -3");
  const auto plain = nem::write(d), strict = nem::write(d, {.strict_ebnf = true});
  REQUIRE((plain && strict));
  CHECK(*plain == "let x = -3\n");
  CHECK(*strict == "let x = (0 - 3)\n");
}

TEST_CASE("nem/write: a model that no text can hold is refused", "[nem]") {
  nem::model built = read("const name = 1");
  for (nem::node& n : built.nodes) n.offset = 0, n.length = 0;
  REQUIRE(nem::write(built));
  built.names[built.nodes[0].value] = {static_cast<std::uint32_t>(built.characters.size()), 4};
  built.characters << "na e";
  const auto refused = nem::write(built);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().offset == 9);  // const na e = 1
}
