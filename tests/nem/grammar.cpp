// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Each decision about the grammar, with texts that are read and texts that are refused.

#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>

#include "dump.hpp"
#include "support/catch.hpp"
#include "tessera/nem/format.hpp"

using namespace tessera;
using tessera_tests::found;
using tessera_tests::tree;

namespace {

/// Both are read, and to the same tree.
void same(std::string_view a, std::string_view b) {
  INFO(a);
  INFO(b);
  CHECK(tree(a) != "error");
  CHECK(tree(a) == tree(b));
}
void accepted(std::string_view source) {
  INFO(source);
  CHECK(found(source).empty());
}
void refused(std::string_view source, std::string_view expected) {
  INFO(source);
  CHECK(found(source) == expected);
}

}  // namespace

TEST_CASE("nem/grammar: lines, comments and characters (G-01 to G-04)", "[nem]") {
  same("const A = 1 buffer B : L2 (size=A)", "const\nA\n=\n1\nbuffer\nB\n:\nL2\n(\nsize\n=\nA\n)");
  same("let R = region(B, 0, 8) elem=i8, shape=[8], layout=C",
       "let R = region(B,\n 0, # c\n 8)\n\n elem=i8,\n shape=[8],\n layout=C\n");
  same("const A = 1", "# before\nconst A = 1 # after");
  same("let a = \"#\"", "let a = \"#\"#");
  refused("const A = 1 // no", "SYN-001@13+1");
  same("const A = 1",
       "\xef\xbb\xbf"
       "const\tA =\r\n1\r\n");
  same("const A = 1", "const A\r= 1");
  refused("const A = 1\f", "LEX-001@11+1");
  refused("const A = 1 \xef\xbb\xbf", "LEX-001@12+3");
  refused(std::string_view("const A = 1\0", 12), "LEX-001@11+1");
  CHECK(tree("const a_1Z = a_1z").find("a_1Z") == 9);
  accepted("const " + std::string(100000, 'x') + " = 1");
  refused("const gr\xc3\xb6\xc3\x9f = 1", "LEX-001@8+2");
  accepted("# gr\xc3\xb6\xc3\x9f");
  CHECK(tree("").empty());
  CHECK(tree(" # only a comment").empty());
}

TEST_CASE("nem/grammar: reserved words (G-05)", "[nem]") {
  for (const std::string_view w : nem::reserved_words) {
    INFO(w);
    const std::string expected = "SYN-013@6+" + std::to_string(w.size());
    CHECK(found("const " + std::string(w) + " = 1") == expected);
  }
  for (std::size_t i = 0; i < nem::element_count; ++i)
    CHECK(found("let " + std::string(nem::name(static_cast<nem::element>(i))) + " = 1")
              .substr(0, 8) == "SYN-013@");
  for (const char* w : {"DDR", "L1", "L2"})
    CHECK(found("buffer " + std::string(w) + " : L2 (size=1)").substr(0, 9) == "SYN-013@7");
  for (const std::string_view w : nem::upstream_reserved_words) {
    CHECK(found("const " + std::string(w) + " = 1") == "SYN-018@6+" + std::to_string(w.size()));
    // The declaration warns, not each use; decorators, layouts, attributes and devices don't.
    accepted("let a = " + std::string(w) + " + 1");
    accepted("let R = region(B, 0, 1) elem=i8, shape=[1], layout=" + std::string(w) + " @" +
             std::string(w));
    accepted("device " + std::string(w) + " { }");
    if (w != "deps") accepted("relu.sync in a out b " + std::string(w) + "=1");
  }
  for (const char* w : {"NMU", "MUST", "variants", "on", "per_tensor", "axis", "relu", "true", "IN",
                        "program_", "Loop", "ddr", "i64"})
    accepted("const " + std::string(w) + " = 1");
  accepted("let R = region(B, 0, 1) elem=i8, shape=[1], layout=L2 @loop");
  refused("relu.async IN a OUT b", "SYN-001@11+2 SYN-001@16+3");
  refused("relu.async in a, IN out b", "");
  refused("wait(in)", "SYN-001@5+2");
  refused("wait(L1)", "SYN-013@5+2");
}

TEST_CASE("nem/grammar: numbers, strings and marks (G-06 to G-11)", "[nem]") {
  same("const A = 7", "const A = 007");
  refused("const A = 0x10", "LEX-004@10+4");
  refused("const A = 1_000", "LEX-004@10+5");
  refused("let a = .5", "SYN-001@8+1");
  refused("let a = 1.", "SYN-008@9+1");
  refused("let a = 1.x", "SYN-008@9+1");
  refused("let a = 1.0.5", "SYN-008@11+1");
  accepted("let a = 1.0e-5");
  CHECK(tree("loop i in [0..3]: endloop") == "loop:i(0 3 body)");
  same("loop i in [0..3]: endloop", "loop i in [0 .. 3] : endloop");
  refused("loop i in [0...3]: endloop", "SYN-001@14+1");
  refused("loop i in [0. .3]: endloop", "SYN-001@12+1");
  refused("loop i in [1.5..3]: endloop", "");
  refused("loop i in [0..1.5] { }", "SYN-001@19+1");
  same("t = transfer.async(dst=a, src=b)", "t = transfer . async\n(dst=a, src=b)");
  same("relu.sync in a out b", "relu\n.\nsync in a out b");
  CHECK(tree("const A = - - 1") == "constant:A(expression(1 negate negate))");
  CHECK(tree("const A = -2 * 3") == "constant:A(expression(2 negate 3 multiply))");
  CHECK(tree("const A = 1 - -2") == "constant:A(expression(1 2 negate subtract))");
  CHECK(tree("const A = -(a + b)") == "constant:A(expression(a b add negate))");
  refused("const A = + 1", "SYN-001@10+1");
}

TEST_CASE("nem/grammar: expressions and values (G-12 to G-18)", "[nem]") {
  CHECK(tree("const A = 1 + 2 * 3") == "constant:A(expression(1 2 3 multiply add))");
  CHECK(tree("const A = (1 + 2) * 3") == "constant:A(expression(1 2 add 3 multiply))");
  CHECK(tree("const A = 1 - 2 - 3") == "constant:A(expression(1 2 subtract 3 subtract))");
  CHECK(tree("const A = 1 - (2 - 3)") == "constant:A(expression(1 2 3 subtract subtract))");
  CHECK(tree("const A = 8 / 4 mod 3 * 2") ==
        "constant:A(expression(8 4 divide 3 modulo 2 multiply))");
  CHECK(tree("const A = a mod b + modb") == "constant:A(expression(a b modulo modb add))");
  CHECK(tree("const A = (((a)))") == "constant:A(a)");
  CHECK(tree("const A = ((1)) + (((2)))") == "constant:A(expression(1 2 add))");
  same("const A = 1 + 2", "const A = (1 + 2)");
  refused("const A = (1 + 2", "SYN-001@16+0");
  refused("const A = 1 + 2)", "SYN-008@15+1");
  refused("const A = ()", "SYN-001@11+1");
  refused("const A = 1 +", "SYN-001@13+0");
  refused("const A = 1 +\n 2", "");
  refused("const A = 1\n + 2", "SYN-017@13+1");
  refused("const A = (1\n + 2)", "SYN-017@14+1");
  CHECK(tree("let a = [1.5, -2, [], [x, \"s\"], b * 2]") ==
        "let:a(list(1.5 expression(2 negate) list list(x \"s\") expression(b 2 multiply)))");
  refused("let a = [1,]", "SYN-019@10+1");
  refused("let a = [[1,],]", "SYN-019@11+1 SYN-019@13+1");
  refused("let a = [,]", "SYN-001@9+1");
  refused("let a = [1,,]", "SYN-001@11+1");
  refused("let a = [1 2]", "SYN-001@11+1");
  refused("let a = [1", "SYN-001@10+0");
  refused("let a = \"s\" + 1", "SYN-008@12+1");
  refused("let a = [1] + 1", "SYN-008@12+1");
  refused("const A = \"s\"", "SYN-001@10+3");
  refused("const A = [1]", "SYN-001@10+1");
  refused("let a = [region(B, 0, 1)]", "SYN-001@9+6");
  refused("relu.sync in a out b x=[region(B, 0, 1)]", "SYN-001@24+6");
  refused("let a = i8", "SYN-013@8+2");
}

TEST_CASE("nem/grammar: documents (G-17 to G-23)", "[nem]") {
  accepted("device d { }");
  accepted("device a { } device b extends a { }");
  accepted("include \"a\" type_family f { variants: } device a { }");
  accepted("include \"a\" include \"b\" device \"c\" program p: const A = 1");
  accepted("device a { } program p: const A = 1");
  CHECK(tree("device a") == "device_name:a");
  CHECK(tree("device \"a\"") == "device_file:a");
  CHECK(tree("device a extends b { }") == "device:a(extends:b)");
  refused("device a \"b\"", "SYN-008@9+3");
  refused("device", "SYN-001@6+0");
  refused("device a extends b", "SYN-001@18+0");
  refused("device \"a\" device b { }", "SYN-005@11+6");
  refused("device \"a\" include \"b\"", "SYN-004@11+7");
  refused("include a", "SYN-001@8+1");
  refused("program p", "SYN-001@9+0");
  refused("program : const A = 1", "SYN-001@8+1");
  refused("const A = 1 program p: const B = 2", "SYN-006@12+7");
  same("const A = 1 const B = 2", ";;const A = 1; ;\n; const B = 2;");
  refused("foo bar\nconst A = 1 2 3\nlet b = 1", "SYN-008@0+3 SYN-008@20+1");
  refused("foo const A = ,", "SYN-008@0+3 SYN-001@14+1");
  refused(", const A = 1", "SYN-008@0+1");
  refused("in = 3", "SYN-008@0+2");
}

TEST_CASE("nem/grammar: declarations (G-25 to G-33)", "[nem]") {
  CHECK(tree("buffer B : DDR ()") == "buffer:B");
  CHECK(tree("buffer B : L2 (align=8)") == "buffer:B#1(align(8))");
  CHECK(tree("buffer B : L1[i + 1] (align=a, size=b) @readonly @debug(x)") ==
        "buffer:B#2(level_index(expression(i 1 add)) align(a) size(b) decorator:readonly#1 "
        "decorator:debug#8(x))");
  refused("buffer B : DDR[0] (size=1)", "SYN-001@14+1");
  refused("buffer B : L2 size=1", "SYN-001@14+4");
  refused("buffer B : L2 (size=1,)", "SYN-001@22+1");
  refused("buffer B : L2 (bytes=1)", "SYN-001@15+5");
  refused("buffer B (size=1)", "SYN-001@9+1");
  refused("buffer B : L1[] (size=1)", "SYN-001@14+1");
  same("let X = region(B, 0, 8) @materialized", "X = region(B, 0, 8) @materialized");
  accepted("let X = Y let x = 1.5 let s = \"a\"");
  refused("let X = 1 @debug(a)", "SYN-008@10+1");
  refused("let X = region(B, 0)", "SYN-001@19+1");
  refused("let X = region(B + 1, 0, 8)", "SYN-001@17+1");
  same("let R = region(B, 0, 8) elem=i8, shape=[8], layout=C",
       "let R = region(B, 0, 8, elem=i8, shape=[8]) layout=C");
  accepted(
      "let R = region(B, 0, 8) layout=C, quant=per_tensor(scale=1, zero_point=0), shape=[8], "
      "elem=i8");
  accepted("let R = region(B, 0, 8) elem=i8, shape=[8]");
  refused("let R = region(B, 0, 8) elem=i8, shape=[8], foo=1", "SYN-001@44+3");
  refused("let R = region(B, 0, 8), elem=i8, shape=[8]", "SYN-008@23+1");
  refused("let R = region(B, 0, 8) @readonly elem=i8, shape=[8]", "SYN-008@34+4");
  refused("let R = region(B, 0, 8) elem=i8, shape=8", "SYN-001@39+1");
  refused("let R = region(B, 0, 8) elem=i8, shape=[[8]]", "SYN-001@40+1");
  refused("let R = region(B, 0, 8) elem=i8, shape=[8,], layout=C", "SYN-019@41+1");
  refused("let R = region(B, 0, 8) elem=i8, shape=[8], layout=\"C\"", "SYN-001@51+3");
  refused("let R = region(B, 0, 8) elem=int32, shape=[8]", "TYP-001@29+5");
  for (std::size_t i = 0; i < nem::element_count; ++i)
    accepted("let R = region(B, 0, 8) elem=" +
             std::string(nem::name(static_cast<nem::element>(i))) + ", shape=[8]");
  CHECK(tree("let R = region(B, 0, 8) elem=i8, shape=[8], quant=per_group(zero_points=[0], "
             "axis=A, scales=s, group_size=2 * B)") ==
        "let:R(region:B(0 8 elem#1 shape(8) quant#2(quant_field#5(list(0)) quant_field(A) "
        "quant_field#4(s) quant_field#1(expression(2 B multiply)))))");
  const std::string typed = "let R = region(B, 0, 8) elem=i8, shape=[8], quant=";
  refused(typed + "per_row(axis=0)", "SYN-001@50+7");
  refused(typed + "per_tensor(scales=[1], zero_point=0)", "SYN-001@61+6");
  refused(typed + "per_tensor()", "SYN-001@61+1");
  refused(typed + "per_tensor(scale=1)", "SYN-012@44+25");
  refused(typed + "per_tensor(scale=1 zero_point=0)", "SYN-001@69+10");
}

TEST_CASE("nem/grammar: attributes of a type and of a task (G-34, G-39)", "[nem]") {
  CHECK(tree("conv2d.sync in region(B, 0, 8) elem=i8, shape=[8], strides=[1] out "
             "region(B, 0, 8) elem=i8, shape=[8] strides=[2, 2]") ==
        "compute:-#1(opcode:conv2d#4 input(region:B(0 8 elem#1 shape(8) strides(1))) "
        "output(region:B(0 8 elem#1 shape(8))) attribute:strides#2(list(2 2)))");
  CHECK(tree("add.sync in region(B, 0, 8) elem=i8, shape=[8], layout=C, X out Y") ==
        "compute:-#1(opcode:add#19 input(region:B(0 8 elem#1 shape(8) layout:C)) input(X) "
        "output(Y))");
  CHECK(tree("add.sync in region(B, 0, 8), shape out Y") ==
        "compute:-#1(opcode:add#19 input(region:B(0 8)) input(shape) output(Y))");
  CHECK(tree("transfer.sync(dst=region(B, 0, 8) elem=i8, shape=[8], src=region(C, 0, 8), "
             "deps=[t])") ==
        "transfer:-#1(destination(region:B(0 8 elem#1 shape(8))) source(region:C(0 8)) deps(t))");
  // `strides = region(…)` begins a statement.
  CHECK(tree("S = region(B, 0, 8) elem=i8, shape=[8]\nstrides = region(B, 0, 8)") ==
        "let:S(region:B(0 8 elem#1 shape(8))) let:strides(region:B(0 8))");
  refused("conv2d.sync in X out region(B, 0, 8) elem=i8, shape=[8] layout=C", "SYN-009@56+6");
}

TEST_CASE("nem/grammar: tasks (G-35 to G-38, G-41 to G-43)", "[nem]") {
  CHECK(tree("t = wait(a)") == "wait:t(a)");
  CHECK(tree("wait(a, b) @debug(x)") == "wait:-(a b decorator:debug#8(x))");
  refused("wait()", "SYN-001@5+1");
  refused("wait(a,)", "SYN-001@7+1");
  refused("wait(a b)", "SYN-001@7+1");
  refused("wait a", "SYN-001@5+1");
  CHECK(tree("store.async(deps=[a, b], src=x, dst=y @readonly)") ==
        "store:-(deps(a b) source(x) destination(y decorator:readonly#1))");
  accepted("transfer.sync(dst=a, src=b, deps=[])");
  refused("transfer.sync(a, b)", "SYN-001@14+1");
  refused("transfer.sync(dst a, src=b)", "SYN-001@18+1");
  refused("transfer.sync(dst=a, src=b,)", "SYN-001@27+1");
  refused("transfer.sync(dst=a, src=b, deps=t)", "SYN-001@33+1");
  refused("transfer.sync(dst=a, src=b, deps=[t,])", "SYN-001@36+1");
  refused("transfer.later(dst=a, src=b)", "SYN-001@9+5");
  refused("transfer(dst=a, src=b)", "SYN-001@8+1");
  // What follows `X =` distinguishes an attribute from a statement, whatever the lines.
  same("relu.sync in a out b x=1\ny = region(B, 0, 1)",
       "relu.sync in a out b\nx=1 y = region(B, 0, 1)");
  CHECK(tree("relu.sync in a out b u=v w=[1] t = gelu.async in c out d k = wait(t) "
             "s = store.sync(dst=a, src=b) r = transfer . sync(dst=a, src=b) z = 1.5") == "error");
  CHECK(tree("relu.sync in a out b u=v t = gelu.async in c out d k = wait(t) l=1") == "error");
  CHECK(tree("relu.sync in a out b u=v region_=1 wait=transfer") == "error");
  CHECK(tree("relu.sync in a out b async=sync\nx = sync.async in c out d") ==
        "compute:-#1(opcode:relu#8 input(a) output(b) attribute:async#22(sync)) "
        "compute:x(opcode:sync#49 input(c) output(d))");
  refused("relu.sync in a out b x=1, y=2", "SYN-001@24+1");
  refused("relu.sync in a out b, x=1", "SYN-008@23+1");
  refused("relu.sync in a, b", "SYN-001@17+0");
  refused("relu.sync in out b", "SYN-001@13+3");
  refused("relu.sync out b in a", "SYN-001@10+3");
  refused("relu.sync in a + b out c", "SYN-001@15+1");
  refused("relu.sync(in a, out b)", "SYN-001@9+1");
  refused("compute.async(op=\"a\", attrs={})", "SYN-001@13+1");
  same("compute.sync in a out b op=\"f\" attrs={ x=1, y=true z=\"s\", } q=2",
       "compute.sync in a out b op=\"f\" x=1 y=true z=\"s\" q=2");
  accepted("compute.sync in a out b attrs={} @debug(x)");
  refused("compute.sync in a out b attrs={ x=1", "SYN-001@35+0");
  refused("compute.sync in a out b attrs={ x }", "SYN-001@34+1");
  refused("compute.sync in a out b x=1 attrs={ x=1 }", "OPC-007@36+1");
  CHECK(tree("reduce_sum.sync in a out b keepdims=true accum_type=i32 deps=[t] axes=[0]") ==
        "compute:-#1(opcode:reduce_sum#36 input(a) output(b) attribute:keepdims#19(true) "
        "attribute:accum_type(i32) deps(t) attribute:axes#13(list(0)))");
  CHECK(tree("bogus.sync in a out b") == "compute:-#1(opcode:bogus#49 input(a) output(b))");
  refused("relu in a out b", "SYN-008@0+4");
  refused("t = relu in a out b", "SYN-008@0+1");
  refused("t = 3", "SYN-008@0+1");
}

TEST_CASE("nem/grammar: decorators (G-40, G-57 to G-60)", "[nem]") {
  CHECK(tree("relu.sync in a out b @materialized @resource(CSTL[0]) @debug(x)") ==
        "compute:-#1(opcode:relu#8 input(a) output(b decorator:materialized) "
        "decorator:resource#6(unit_index:CSTL(0)) decorator:debug#8(x))");
  CHECK(tree("relu.sync in a out b @resource(CSTL[i + 1]) @readonly @seq_engine(0) @other(1)") ==
        "compute:-#1(opcode:relu#8 input(a) output(b decorator:readonly#1 decorator:other#10(1)) "
        "decorator:resource#6(unit_index:CSTL(expression(i 1 add))) decorator:seq_engine#7(0))");
  // Decorators of other operands, and those before an attribute, stay.
  CHECK(tree("split.sync in a @resource(CSTL[0]) out b @deterministic, c @memmove") ==
        "compute:-#1(opcode:split#33 input(a decorator:resource#6(unit_index:CSTL(0))) "
        "output(b decorator:deterministic#3) output(c) decorator:memmove#4)");
  CHECK(tree("relu.sync in a out b @deterministic x=1 @profile(y)") ==
        "compute:-#1(opcode:relu#8 input(a) output(b decorator:deterministic#3) "
        "attribute:x#22(1) decorator:profile#9(y))");
  CHECK(tree("relu.sync in a out region(B, 0, 8) elem=i8, shape=[8] @debug(x)") ==
        "compute:-#1(opcode:relu#8 input(a) output(region:B(0 8 elem#1 shape(8))) "
        "decorator:debug#8(x))");
  const std::string_view source = "relu.sync in a out b @readonly @debug(x)";
  const auto d = nem::read(source);
  REQUIRE(d);
  CHECK(source.substr(d->nodes[4].offset, d->nodes[4].length) == "b @readonly");
  CHECK(d->nodes[0].length == source.size());

  same("buffer B : L2 () @readonly", "buffer B : L2 ()\n@ readonly");
  CHECK(tree("buffer B : L2 () @x(1, \"s\", [a])") ==
        "buffer:B#1(decorator:x#10(1 \"s\" list(a)))");
  accepted("loop i in [0..1] @max_in_flight(2) @strides @deterministic: endloop");
  refused("loop i in [0..1]: @deterministic endloop", "SYN-008@18+1");
  refused("buffer B : L2 () @readonly()", "SYN-001@27+1");
  refused("buffer B : L2 () @x(1,)", "SYN-001@22+1");
  refused("buffer B : L2 () @", "SYN-001@18+0");
  refused("@readonly buffer B : L2 ()", "SYN-008@0+1");
  refused("relu.sync in a out b @resource NMU[0]", "SYN-008@31+3");
  refused("relu.sync in a out b @resource(NMU[0], 1)", "SYN-001@37+1");
  accepted("relu.sync in a out b @resource(CSTL)");
}

TEST_CASE("nem/grammar: loops (G-45 to G-48)", "[nem]") {
  CHECK(tree("loop i in [a..b * 2] @max_in_flight(2): const A = 1; buffer B : L2 () endloop") ==
        "loop:i(a expression(b 2 multiply) decorator:max_in_flight#5(2) body(constant:A(1) "
        "buffer:B#1))");
  refused("loop i in 0..3: endloop", "SYN-001@10+1");
  refused("loop i [0..3]: endloop", "SYN-001@7+1");
  refused("loop i in [0..3] endloop", "SYN-001@17+7");
  refused("loop i in [0, 3]: endloop", "SYN-001@12+1");
  refused("loop in [0..3]: endloop", "SYN-013@5+2");
  refused("loop i in [0..3]: endloop endloop", "SYN-003@26+7");
  refused("loop i in [0..3]: { }", "SYN-008@18+1 SYN-002@21+0");
  refused("loop i in [0..3] {\n let a = 1\n loop j in [0..1] { let b = 1 }\n}\nlet c = ,",
          "SYN-001@17+1 SYN-001@48+1 SYN-001@72+1");
  CHECK(found("loop i in [0..x: let a = 1 endloop\nlet b = ,") == "SYN-001@15+1 SYN-001@43+1");
}

TEST_CASE("nem/grammar: devices and families (G-49 to G-56)", "[nem]") {
  CHECK(tree("device d { opcode . mandatory { a.b } topology { per_engine { l1_size_bytes = 8 "
             "SEQ = 1 } num_engines = 1 } spec_version = \"x\" }") ==
        "device:d(mandatory(variant_ref:a(b)) topology(per_engine(l1_size(8) unit:SEQ#4(1)) "
        "num_engines(1)) spec_version:x)");
  CHECK(tree("device d { opcode.extended { a.b c . d . e\nf<i8>.g h.i<f16, i8>.j } }") ==
        "device:d(extended(variant_ref:a(b) variant_ref:c.d(e) variant_ref:f(i8 g) "
        "variant_ref:h.i(f16 i8 j)))");
  refused("device d { opcode.extended { a.b, c.d } }", "SYN-001@32+1");
  refused("device d { opcode.extended { a } }", "SYN-001@31+1");
  refused("device d { opcode.extended { a.b.c.d } }", "SYN-001@34+1");
  refused("device d { opcode.extended { a<i8> } }", "SYN-001@35+1");
  refused("device d { opcode.extended { a<>.b } }", "SYN-001@31+1");
  refused("device d { opcode.extended { a.b.c<i8> } }", "SYN-001@34+1");
  refused("device d { opcode.optional { } }", "SYN-001@18+8");
  refused("device d { topology { num_engines = -1 } }", "SYN-001@36+1");
  refused("device d { topology { num_engines = 1.5 } }", "SYN-001@36+3");
  refused("device d { topology { num_engines = 1, l2_size_bytes = 1 } }", "SYN-001@37+1");
  refused("device d { topology { per_engine { GPU = 1 } } }", "SYN-001@35+3");
  accepted("device d { unit_characteristics { sDMA { a = 1 } WDM { a = 1 } NMU { } } }");
  refused("device d { unit_characteristics { FOO { } } }", "SYN-001@34+3");
  refused("device d { topology T { } }", "SYN-001@20+1");
  refused("device d { const A = 1 }", "SYN-001@11+5");
  refused("device d {", "SYN-001@10+0");
  CHECK(tree("type_family f . g { X: any_supported on: T quant = required on on accum = i32 "
             "variants: }") ==
        "type_family:f.g(binding:X(any_supported) binding:on(T) condition:quant(required on:on) "
        "condition:accum(i32))");
  refused("type_family f.g.h { variants: }", "SYN-001@15+1");
  refused("type_family f { X: T }", "SYN-001@21+1");
  refused("type_family f<> { variants: }", "SYN-001@14+1");
  refused("type_family f { variants: v: { X = T } conformance: { } }", "SYN-001@33+1");
  refused("type_family f { variants: v: { } conformance: { SHOULD } }", "SYN-001@48+6");
  accepted("type_family f { variants: v: { X: T Y: i8 } conformance: { } }");
}
