// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <vector>

#include "dump.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;
using tessera_tests::dump;
using tessera_tests::found;
using tessera_tests::tree;

namespace {

constexpr std::string_view whole_program = R"(# a program with everything
include "families.nem"
device "chip.cfg"
program demo:

const ROWS = 4
const BYTES = ROWS * (2 + -1) mod 9
let scale = -1.5e-3
let table = [1, [2, "two"], ROWS + 1]
buffer far : DDR (size=BYTES * 64, align=64) @readonly
buffer near : L1[ROWS mod 2] (align=8, size=512)
let x = region(near, 0, 64)
    elem=i8, shape=[2, 32], layout=MK, quant=per_channel(axis=0, scales=[0.5, 0.25], zero_points=[0, 0])
    @materialized
y = region(near, 64, 64) elem=i8, shape=[64], strides=[1]
loop i in [0..ROWS-1] @max_in_flight(2):
  t = transfer.async(dst=x, src=region(far, i * 64, 64) elem=i8, shape=[2, 32], layout=MK, deps=[])
  loop j in [0..i]:
    u = relu.async in x, region(near, 0, 8) elem=i8, shape=[8], layout=C
        out y @resource(CSTL[j mod 2])
  endloop
  v = softmax.sync in x out y deps=[t] axis=1 accum_type=i32 strides=[1, 1] @debug("here")
  wait(t, v); store.sync(src=y, dst=x) @memmove
endloop
)";
constexpr std::string_view whole_configuration = R"(include "base.nem"
type_family mac.wide<T: {i8, f16}, U: {i32}> {
  A: T   B: i8
  accum = i32   quant = required on A
  variants:
    plain: { C: absent } conformance: { MUST <i8, i32>  MAY <f16, i32> }
    other: { } conformance: { MAY }
}
device chip extends base_1_0 {
  spec_version = "NEM-1.0"
  topology {
    num_engines = 2  l2_size_bytes = 1024 * 64
    device_units { sDMA = 1 WDM = 0 }
    per_engine { NMU = 1 CSTL = 2 DMA = 2 VPU = 1 SEQ = 1 l1_size_bytes = 4096 }
  }
  unit_characteristics { NMU { macs = 64 } SEQ { max_active_tokens = 4 } }
  opcode.mandatory { cast.default mac.wide<i8, i32>.plain }
  opcode.extended { mac.wide.other }
}
)";

std::string repeated(std::string_view s, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += s;
  return out;
}

/// What holds for every tree, and for the places of every diagnostic.
void check_laws(std::string_view source, const result<nem::model>& d, const tessera::report& r) {
  if ((r.errors == 0) != static_cast<bool>(d)) FAIL("a document where there are errors, or none");
  for (const tessera::diagnostic& x : r.diagnostics) {
    for (const tessera::place& p : {x.where, x.related, x.fix})
      if (std::uint64_t{p.offset} + p.length > source.size()) FAIL("a place past the source");
    if (x.text.size == 0) FAIL("a diagnostic without text");
  }
  if (!d) return;
  std::vector<std::uint32_t> ends = {static_cast<std::uint32_t>(d->nodes.size())};
  for (std::uint32_t i = 0; i < d->nodes.size(); ++i) {
    const nem::node& n = d->nodes[i];
    while (ends.back() <= i) ends.pop_back();
    if (n.next <= i || n.next > ends.back()) FAIL("children that aren't nested");
    if (std::uint64_t{n.offset} + n.length > source.size()) FAIL("a node past the source");
    ends.push_back(n.next);
  }
}

}  // namespace

TEST_CASE("nem/read: a whole program", "[nem]") {
  CHECK(found(whole_program).empty());
  CHECK(tree(whole_program) ==
        "include:families.nem device_file:chip.cfg program:demo constant:ROWS(4) "
        "constant:BYTES(expression(ROWS 2 1 negate add multiply 9 modulo)) "
        "let:scale(expression(0.0015 negate)) "
        "let:table(list(1 list(2 \"two\") expression(ROWS 1 add))) "
        "buffer:far(size(expression(BYTES 64 multiply)) align(64) decorator:readonly#1) "
        "buffer:near#2(level_index(expression(ROWS 2 modulo)) align(8) size(512)) "
        "let:x(region:near(0 64 elem#1 shape(2 32) layout:MK quant#1(quant_field(0) "
        "quant_field#4(list(0.5 0.25)) quant_field#5(list(0 0)))) decorator:materialized) "
        "let:y(region:near(64 64 elem#1 shape(64) strides(1))) "
        "loop:i(0 expression(ROWS 1 subtract) decorator:max_in_flight#5(2) body("
        "transfer:t(destination(x) source(region:far(expression(i 64 multiply) 64 elem#1 "
        "shape(2 32) layout:MK)) deps) "
        "loop:j(0 i body(compute:u(opcode:relu#8 input(x) input(region:near(0 8 elem#1 shape(8) "
        "layout:C)) output(y) decorator:resource#6(unit_index:CSTL(expression(j 2 modulo)))))) "
        "compute:v#1(opcode:softmax#43 input(x) output(y) deps(t) attribute:axis#15(1) "
        "attribute:accum_type(i32) attribute:strides#2(list(1 1)) decorator:debug#8(\"here\")) "
        "wait:-(t v) store:-#1(source(y) destination(x) decorator:memmove#4)))");
}

TEST_CASE("nem/read: a whole configuration", "[nem]") {
  CHECK(found(whole_configuration).empty());
  CHECK(tree(whole_configuration) ==
        "include:base.nem type_family:mac.wide(type_parameter:T(i8 f16) type_parameter:U(i32) "
        "binding:A(T) binding:B(i8) condition:accum(i32) condition:quant(required on:A) "
        "variant:plain(binding:C(absent) conformance#1(i8 i32) conformance(f16 i32)) "
        "variant:other(conformance)) "
        "device:chip(extends:base_1_0 spec_version:NEM-1.0 topology(num_engines(2) "
        "l2_size(expression(1024 64 multiply)) device_units(unit:sDMA#5(1) unit:WDM#6(0)) "
        "per_engine(unit:NMU(1) unit:CSTL#1(2) unit:DMA#2(2) unit:VPU#3(1) unit:SEQ#4(1) "
        "l1_size(4096))) "
        "unit_characteristics(unit_group:NMU(characteristic:macs(64)) "
        "unit_group:SEQ#4(characteristic:max_active_tokens(4))) "
        "mandatory(variant_ref:cast(default) variant_ref:mac.wide(i8 i32 plain)) "
        "extended(variant_ref:mac.wide(other)))");
}

TEST_CASE("nem/read: nodes cover their text", "[nem]") {
  const std::string_view source =
      "  let a = (1 + 2) * b  # c\n t = relu.sync in A @readonly out B\n";
  const auto d = nem::read(source);
  REQUIRE(d);
  const auto text = [&](std::uint32_t i) {
    return source.substr(d->nodes[i].offset, d->nodes[i].length);
  };
  const std::string_view expected[] = {"let a = (1 + 2) * b",
                                       "(1 + 2) * b",
                                       "1",
                                       "2",
                                       "1 + 2",
                                       "b",
                                       "(1 + 2) * b",
                                       "t = relu.sync in A @readonly out B",
                                       "relu",
                                       "A @readonly",
                                       "A",
                                       "@readonly",
                                       "B",
                                       "B"};
  REQUIRE(d->nodes.size() == sizeof expected / sizeof expected[0]);
  for (std::uint32_t i = 0; i < d->nodes.size(); ++i) CHECK(text(i) == expected[i]);

  // A length is 65,535 for more.
  const auto wide = nem::read("let a = [" + repeated("1, ", 30000) + "1]");
  REQUIRE(wide);
  CHECK(wide->nodes[0].length == 65535);
  CHECK(wide->nodes[0].next == 30003);
}

TEST_CASE("nem/read: numbers", "[nem]") {
  const auto integer = [](std::string_view digits) {
    const auto d = nem::read("const A = " + std::string(digits));
    return d ? d->integer(d->nodes[1]) : -1;
  };
  CHECK(integer("0") == 0);
  CHECK(integer("000000000000000000000000000017") == 17);
  CHECK(integer("4294967295") == 4294967295);
  CHECK(integer("4294967296") == 4294967296);
  CHECK(integer("9223372036854775807") == INT64_MAX);
  CHECK(integer("9223372036854775808") == -1);
  CHECK(found("const A = 18446744073709551616") == "LEX-005@10+20");
  CHECK(found("const A = 99999999999999999999999999") == "LEX-005@10+26");
  const auto real = [](std::string_view digits) {
    const auto d = nem::read("let a = " + std::string(digits));
    REQUIRE(d);
    REQUIRE(d->nodes[1].kind == nem::node_kind::real);
    return d->reals[d->nodes[1].value];
  };
  CHECK(real("0.1") == 0.1);
  CHECK(real("1.0e-5") == 1.0e-5);
  CHECK(real("12.5E+3") == 12500);
  CHECK(real("1.7976931348623157e308") == 1.7976931348623157e308);
  CHECK(real("1.0e-999999999999999999999") == 0);
  CHECK(found("let a = 1.0e309") == "LEX-004@8+7");
}

TEST_CASE("nem/read: strings", "[nem]") {
  const auto value = [](std::string_view literal) {
    const auto d = nem::read("let a = " + std::string(literal));
    return d ? std::string(d->name(d->nodes[1].value)) : "error";
  };
  CHECK(value(R"("")").empty());
  CHECK(value(R"("a b # no comment")") == "a b # no comment");
  CHECK(value(R"("\n\t\\\"")") == "\n\t\\\"");
  CHECK(value(R"("\q\é\\")") == "\\q\\é\\");
  CHECK(value("\"grün\"") == "grün");
  CHECK(found("let a = \"x\\\ny\"") == "LEX-002@8+3");
  CHECK(found("let a = \"x\r\nlet b = 1") == "LEX-002@8+2");
  CHECK(found("let a = \"x\\\"") == "LEX-002@8+4");
  CHECK(found("let a = \"x\x01y\"") == "LEX-001@10+1");
  CHECK(found("let a = \"x\xffy\"") == "LEX-001@10+1");
}

TEST_CASE("nem/read: names are kept once, in the order of their first use", "[nem]") {
  const auto d = nem::read("const bb = 1 const a = bb let bb2 = \"a\"");
  REQUIRE(d);
  REQUIRE(d->names.size() == 3);
  CHECK(d->name(0) == "bb");
  CHECK(d->name(1) == "a");
  CHECK(d->name(2) == "bb2");
  CHECK(d->nodes[5].value == 1);

  std::string source;  // names of all lengths, twice
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t n = 1; n < 200; ++n) {
      source += "let " + std::string(n, 'x') + " = 0 let " + std::string(n, 'x') + "y = 0 let z" +
                std::string(n, 'x') + " = 0\n";
    }
  const auto many = nem::read(source);
  REQUIRE(many);
  CHECK(many->names.size() == 597);
  for (std::uint32_t i = 0, k = 0; i < many->nodes.size(); i = many->nodes[i].next, ++k)
    if (many->nodes[i].value != k % 597) FAIL("another name");
}

TEST_CASE("nem/read: each rule, with its place", "[nem]") {
  struct row {
    std::string_view source, expected;
  };
  const row rows[] = {
      {"const A = 1 ~ 2", "LEX-001@12+1"},
      {"const A = 1 \xc3\xa9", "LEX-001@12+2"},
      {"const A = 1 \x01", "LEX-001@12+1"},
      {"const A = 1 \xff", "LEX-001@12+1"},
      {"device \"a.cfg", "LEX-002@7+6"},
      {"let s = \"a\\q\"", "LEX-003@10+2"},
      {"const A = 2x", "LEX-004@10+2"},
      {"const A = 1e5", "LEX-004@10+3"},
      {"const A = 0e.3", "LEX-004@10+4"},
      {"let a = 1.0e", "LEX-004@8+4"},
      {"let a = 1.0e+", "LEX-004@8+5"},
      {"let a = 1.5_", "LEX-004@8+4"},
      {"const A = 9223372036854775808", "LEX-005@10+19"},
      {"buffer B : L3 (size=8)", "SYN-001@11+2"},
      {"const A 1", "SYN-001@8+1"},
      {"const A = ", "SYN-001@10+0"},
      {"loop i in [0..3]: let a = i", "SYN-002@27+0"},
      {"loop i in [0..3]: let a = i\n", "SYN-002@27+0"},  // on a line that exists
      {"const A = \r\n", "SYN-001@10+0"},
      {"loop i in [0..3]: loop j in [0..3]: endloop", "SYN-002@43+0"},
      {"const A = 1 endloop", "SYN-003@12+7"},
      {"const A = 1 include \"a\"", "SYN-004@12+7"},
      {"program p: device d", "SYN-005@11+6"},
      {"const A = 1 device \"d\"", "SYN-005@12+6"},
      {"device a device b", "SYN-005@9+6"},
      {"device a { } device b", "SYN-005@13+6"},
      {"program p: device a { }", "SYN-005@11+6"},
      {"program p: program q:", "SYN-006@11+7"},
      {"const A = 1 program q:", "SYN-006@12+7"},
      {"type_family f { variants: } const A = 1 const B = 1", "SYN-007@28+5"},
      {"const A = 1 type_family f { variants: }", "SYN-007@12+11"},
      {"device a { } device b { } program p:", "SYN-007@26+7"},
      {"type_family f { variants: } device a", "SYN-007@28+6"},
      {"foo bar", "SYN-008@0+3"},
      {"const A = 1 2", "SYN-008@12+1"},
      {"x = 3", "SYN-008@0+1"},
      {"let R = region(B, 0, 8) elem=i8 shape=[8]", "SYN-009@32+5"},
      {"let R = region(B, 0, 8) elem=i8, shape=[8], elem=i8", "SYN-010@44+4"},
      {"let R = region(B, 0, 8) elem=i8, shape=[8], layout=C, strides=[1]", "SYN-010@54+7"},
      {"let R = region(B, 0, 8, elem=i8) elem=i8, shape=[1]", "SYN-020@24+7 SYN-010@33+4"},
      {"buffer B : L2 (size=8, size=8)", "SYN-011@23+4"},
      {"transfer.sync(dst=a, src=b, dst=c)", "SYN-011@28+3"},
      {"let R = region(B, 0, 8) elem=i8, shape=[8], quant=per_tensor(scale=1, scale=2, "
       "zero_point=0)",
       "SYN-011@70+5"},
      {"transfer.sync(dst=a)", "SYN-012@0+20"},
      {"t = store.sync()", "SYN-012@0+16"},
      {"let R = region(B, 0, 8) elem=i8, shape=[8], quant=per_group(axis=0, scales=[1], "
       "zero_points=[0])",
       "SYN-012@44+52"},
      {"let R = region(B, 0, 8) elem=i8, layout=C", "SYN-012@8+33"},
      {"const loop = 1", "SYN-013@6+4"},
      {"let x = i8", "SYN-013@8+2"},
      {"L1 = region(B, 0, 8)", "SYN-013@0+2"},
      {"wait = relu.sync in a out b", "SYN-013@0+4"},
      {"const A = 1\n - 2", "SYN-017@13+1"},
      {"const A = 1\n mod 2", "SYN-017@13+3"},
      {"const size = 1", "SYN-018@6+4"},
      {"let a = [1, 2,]", "SYN-019@13+1"},
      {"let R = region(B, 0, 1) elem=i8, shape=[]", "SYN-019@39+2"},
      {"let R = region(B, 0, 8, elem=i8, shape=[8])", "SYN-020@24+18"},
      {"let R = region(B, 0, 8) elem=i64, shape=[1]", "TYP-001@29+3"},
      {"type_family f<T: {i8, int}> { variants: }", "TYP-001@22+3"},
      {"type_family f<T {i8}, U: {i8}> { variants: v: { } conformance: { } }", "SYN-001@16+1"},
      {"type_family f<T {i8}> { variants: } type_family 1", "SYN-001@16+1 SYN-001@48+1"},
      {"device a { opcode.extended { f<x>.y } }", "TYP-001@31+1"},
      {"softmax.async in X out Y axis=0 axis=0", "OPC-007@32+4"},
      {"softmax.async in X out Y other=0 deps=[] other=0", "OPC-007@41+5"},
      {"softmax.async in X out Y deps=[] axis=0 deps=[]", "OPC-007@40+4"},
      {"compute.async in X out Y op=\"a\" attrs={a=1, a=2}", "OPC-007@44+1"},
      {"device d { topology { per_engine { WDM = 1 } } }", "DEV-011@35+3"},
      {"device d { topology { device_units { NMU = 1 } } }", "DEV-011@37+3"},
      {"device d { topology { } topology { } }", "DEV-012@24+8"},
      {"device d { topology { num_engines = 1 num_engines = 1 } }", "DEV-012@38+11"},
      {"device d { topology { per_engine { NMU = 1 NMU = 1 } } }", "DEV-012@43+3"},
      {"device d { unit_characteristics { NMU { a = 1 b = 1 a = 2 } } }", "DEV-012@52+1"},
      {"device d { unit_characteristics { NMU { a = 1 b = 1 b = 2 } } }", "DEV-012@52+1"},
      {"device d { opcode.mandatory { } opcode.mandatory { } }", "DEV-012@39+9"},
  };
  for (const row& r : rows) {
    INFO(r.source);
    CHECK(found(r.source) == r.expected);
  }
}

TEST_CASE("nem/read: texts, notes and fixes", "[nem]") {
  const auto one = [](std::string_view source) {
    tessera::report r;
    (void)nem::read(source, {}, &r);
    REQUIRE(r.diagnostics.size() == 1);
    const tessera::diagnostic& d = r.diagnostics[0];
    std::string out(r.text_of(d.text));
    if (d.has_note)
      out += " | " + std::to_string(d.related.offset) + '+' + std::to_string(d.related.length) +
             ' ' + std::string(r.text_of(d.note));
    if (d.has_fix)
      out += " | " + std::to_string(d.fix.offset) + '+' + std::to_string(d.fix.length) + " '" +
             std::string(r.text_of(d.replacement)) + '\'';
    return out;
  };
  CHECK(one("const A = ,") == "expected an expression, got ',' | 0+0 for example: const N = 4");
  CHECK(one("const A = (1") == "expected ')', got the end of the file | 10+1 to match this '('");
  CHECK(one("let a = [1 2]") == "expected ',' or ']', got '2' | 8+1 to match this '['");
  CHECK(one(" loop i in [0..1]:") ==
        "expected endloop, got the end of the file | 1+4 the loop begins here");
  CHECK(one("let R = region(B, 0, 8) elem=i8 shape=[8]") ==
        "expected ',' between type attributes, got 'shape' | 31+0 ','");
  CHECK(one("buffer B : L2 (size=8 align=8)") == "expected ',' or ')', got 'align' | 21+0 ','");
  CHECK(one("transfer.sync(dst=a src=b)") == "expected ',' or ')', got 'src' | 19+0 ','");
  CHECK(one("relu.sync in a out b x=1, y=2") ==
        "expected an attribute or a statement, got ',': attributes are separated by blanks | "
        "24+1 ''");
  CHECK(one("relu.sync IN a out b") ==
        "expected 'in', got 'IN': keywords are in lower case | 10+2 'in'");
  CHECK(one("program p const A = 1") == "expected ':', got 'const' | 9+0 ':'");
  CHECK(one("let a = [1,]") == "a trailing comma is an extension | 10+1 ''");
  CHECK(one("buffer B : L2 (size=8, size=9)") == "duplicate 'size' | 15+4 first given here");
  CHECK(one("const A = " + std::string(60, 'x') + ' ' + std::string(60, 'y')) ==
        "expected a declaration, a task or a loop, got '" + std::string(37, 'y') + "...'");
}

TEST_CASE("nem/read: one mistake gives one error, and all are found", "[nem]") {
  const std::string_view source =
      "const A =\n"                                 // 1: no value
      "const B = 2\n"                               //
      "buffer X : L2 size=8)\n"                     // 2: no parenthesis
      "loop i in [0..3:\n"                          // 3: no bracket, but a loop
      "  t0 = transfer.async(dst=a,\n"              //
      "    src=)\n"                                 // 4: no operand
      "  ; foo bar baz; let ok = 1\n"               // 5: no statement
      "  t1 = relu.async in a, out b\n"             // 6: no operand
      "    pads=[1\n"                               // 7: no bracket
      "    strides=[2]\n"                           //
      "  t2 = relu.async in a out b axis=\n"        // 8: no value
      "endloop\n"                                   //
      "loop j in [0..1] junk: let q = 1 endloop\n"  // 9: no colon
      "let s = \"abc\n"                             // 10: not closed
      "let t = 1 !\n"                               // 11: no token
      "x = 3\n"                                     // 12: no statement
      "wait()\n";                                   // 13: no name
  tessera::report r;
  const auto d = nem::read(source, {}, &r);
  CHECK_FALSE(d);
  CHECK(d.error().code == errc::nem_syn_001_token);
  CHECK(d.error().offset == 10);
  CHECK(r.errors == 13);
  std::string lines;
  for (const tessera::diagnostic& x : r.diagnostics)
    lines += std::to_string(locate(source, x.where.offset).line) + ' ';
  CHECK(lines == "2 3 4 6 7 8 10 12 13 14 15 16 17 ");

  CHECK(
      found(
          "device d {\n topology { num_engines = x }\n unit_characteristics { } bogus { a { b } }\n"
          " opcode.extended { a. }\n}\ndevice e { topology { \n"
          "device f { }\ntype_family g { X: }\ntype_family h { variants: v: { } }") ==
      "SYN-001@37+1 SYN-001@67+5 SYN-001@107+1 SYN-001@134+6 SYN-001@166+1 SYN-001@201+1");

  // A declaration that an error ended is over at its last brace, whatever follows.
  CHECK(found("device d { topology { a = = } } foo bar") == "SYN-001@22+1 SYN-008@32+3");
  CHECK(found("type_family f { variants v } foo bar") == "SYN-001@25+1 SYN-008@29+3");
  CHECK(found("type_family f { variants v } ; foo bar") == "SYN-001@25+1 SYN-008@31+3");

  // What is in a group that an error ended isn't repeated in the next one.
  CHECK(found("device d { unit_characteristics { SEQ { a = = 4 } } }\n"
              "device e { unit_characteristics { SEQ { a = 4 } } }") == "SYN-001@44+1");
}

TEST_CASE("nem/read: sixteen errors, or as many as are asked for", "[nem]") {
  const std::string source = repeated("foo bar;\n", 40);
  tessera::report r;
  CHECK_FALSE(nem::read(source, {}, &r));
  CHECK(r.errors == 16);
  for (const std::uint32_t most : {0u, 1u, 17u, 40u, 41u}) {
    nem::read_options o;
    o.max_errors = most;
    tessera::report few;
    CHECK_FALSE(nem::read(source, o, &few));
    CHECK(few.errors == (most == 0 ? 1 : most < 40 ? most : 40));
  }
}

TEST_CASE("nem/read: severities by profile", "[nem]") {
  nem::read_options strict;
  strict.profile = nem::profile::strict;
  const std::string_view source = "let a = [1,]\nlet size = 1\n + 2";
  tessera::report r, s;
  CHECK(nem::read(source, {}, &r));
  CHECK(r.errors == 0);
  CHECK(r.warnings == 3);
  CHECK_FALSE(nem::read(source, strict, &s));
  CHECK(s.errors == 2);
  CHECK(s.warnings == 1);
  // Warnings beyond what a report keeps are counted, and leave room for errors.
  tessera::report many;
  CHECK_FALSE(nem::read(repeated("let size = 1\n", 5000) + "foo", {}, &many));
  CHECK(many.warnings == 5000);
  CHECK(many.errors == 1);
  CHECK(many.diagnostics.size() <= 1000);
  CHECK(many.diagnostics.back().code == errc::nem_syn_008_statement);
}

TEST_CASE("nem/read: 256 levels of nesting, not 257", "[nem]") {
  const auto parentheses = [](std::size_t n) {
    return "const A = " + repeated("(", n) + "1" + repeated(")", n);
  };
  const auto signs = [](std::size_t n) { return "const A = " + repeated("-", n) + "1"; };
  const auto sums = [](std::size_t n) {
    return "const A = " + repeated("1 + 2 * (", n) + "1" + repeated(")", n);
  };
  const auto lists = [](std::size_t n) { return "let a = " + repeated("[", n) + repeated("]", n); };
  const auto mixed = [](std::size_t n) {
    return "let a = " + repeated("[", n - 1) + "(1)" + repeated("]", n - 1);
  };
  const auto loops = [](std::size_t n) {
    return repeated("loop i in [0..1]: ", n) + repeated("endloop ", n);
  };
  CHECK(tree(parentheses(256)) == "constant:A(1)");
  // A loop that is one too many, and is none of this language.
  CHECK(found(repeated("loop i in [0..1]: ", 256) + "loop i { } " + repeated("endloop ", 256)) ==
        "SYN-014@4608+4 SYN-001@4615+1");
  CHECK(found(parentheses(257)) == "SYN-014@266+1");
  CHECK(found(parentheses(100000)) == "SYN-014@266+1");
  CHECK(found(signs(256)).empty());
  CHECK(found(signs(257)) == "SYN-014@266+1");
  CHECK(found(sums(256)).empty());
  CHECK(found(sums(257)) == "SYN-014@" + std::to_string(10 + 257 * 9 - 1) + "+1");
  CHECK(found(lists(256)).empty());
  CHECK(found(lists(257)) == "SYN-014@264+1");
  CHECK(found(mixed(256)).empty());
  CHECK(found(mixed(257)) == "SYN-014@264+1");
  CHECK(found(loops(256)).empty());
  CHECK(found(loops(257)) == "SYN-014@" + std::to_string(256 * 18) + "+4");
  CHECK(found(loops(100000)) == "SYN-014@" + std::to_string(256 * 18) + "+4");
}

TEST_CASE("nem/read: limits at n and at n + 1", "[nem]") {
  const std::string_view source = "const A = 1 const B = A + 1";  // 7 nodes, 27 bytes
  nem::read_options o;
  o.limit.max_items = 7;
  CHECK(nem::read(source, o));
  for (const std::uint64_t items : {6u, 5u, 4u, 1u, 0u}) {
    o.limit.max_items = items;
    tessera::report r;
    CHECK(nem::read(source, o, &r).error().code == errc::too_many_items);
    CHECK(r.errors == 1);
  }
  CHECK(nem::read("# nothing", o));
  o.limit = {};
  o.limit.max_bytes = 27;
  CHECK(nem::read(source, o));
  o.limit.max_bytes = 26;
  CHECK(nem::read(source, o).error().code == errc::input_too_large);
}

TEST_CASE("nem/read: memory is linear on the worst sources", "[nem]") {
  const std::string worst[] = {repeated("+1", 100000).insert(0, "const A = 1"),
                               repeated("@a", 100000).insert(0, "buffer a : L2 () "),
                               repeated("1,", 100000).insert(0, "let a = [") + "1]",
                               [] {
                                 std::string s = "wait(a";
                                 for (int i = 0; i < 60000; ++i) s += ",a" + std::to_string(i);
                                 return s + ")";
                               }(),
                               repeated("let size=1\n", 20000),
                               repeated("x \n", 50000),
                               repeated(";", 100000),
                               std::string(100000, '"')};
  for (const std::string& source : worst) {
    INFO(source.substr(0, 20));
    const tessera_tests::allocations used;
    tessera::report r;
    (void)nem::read(source, {}, &r);
    CHECK(used.peak() < 32 * source.size() + 100000);
  }
}

TEST_CASE("nem/read: a prefix of a valid file is an error, or ends after a statement", "[nem]") {
  for (const std::string_view source : {whole_program, whole_configuration}) {
    const auto whole = nem::read(source);
    REQUIRE(whole);
    std::size_t accepted = 0;
    for (std::size_t size = 0; size < source.size(); ++size) {
      const std::string_view prefix = source.substr(0, size);
      tessera::report r;
      const auto d = nem::read(prefix, {}, &r);
      check_laws(prefix, d, r);
      if (!d) continue;
      ++accepted;
      // All of its statements but the last are those of the file.
      std::uint32_t i = 0, last = 0;
      for (; i < d->nodes.size(); i = d->nodes[i].next) last = i;
      for (std::uint32_t k = 0; k < last; ++k) {
        const nem::node &a = d->nodes[k], &b = whole->nodes[k];
        if (a.kind != b.kind || a.offset != b.offset || a.length != b.length ||
            a.value != b.value || a.next != b.next)
          FAIL("another tree before " << size);
      }
    }
    CHECK(accepted > 5);
    CHECK(accepted < source.size() / 2);
  }
}

TEST_CASE("nem/read: what is left of a valid file is read or refused", "[nem]") {
  std::uint32_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<std::size_t>(state >> 8) % below;
  };
  constexpr std::string_view pieces[] = {
      "(",  ")",       "[",    "]",      "{",  "}",    ",",  "=",       ":",       ";",    "@",
      "..", "-",       "\"",   "#",      "\n", "loop", "in", "endloop", "let",     "\xc3", "1.5",
      "9e", "region(", "elem", "device", "<",  ">",    ".",  "wait",    "attrs={", "mod",  "\0"};
  for (int round = 0; round < 3000; ++round) {
    std::string source(round % 3 == 0 ? whole_configuration : whole_program);
    for (std::size_t n = 1 + random(4); n > 0; --n) {
      const std::size_t at = random(source.size());
      switch (random(4)) {
        case 0: source[at] = static_cast<char>(random(256)); break;
        case 1: source.erase(at, 1 + random(20)); break;
        case 2: source.insert(at, pieces[random(sizeof pieces / sizeof pieces[0])]); break;
        default: source.insert(at, source.substr(random(source.size()), random(60)));
      }
    }
    tessera::report r;
    const auto d = nem::read(source, {}, &r);
    check_laws(source, d, r);
    if (r.errors > 16) FAIL("more errors than sixteen");
  }
}
