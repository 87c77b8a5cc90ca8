// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <tessera/core/describe.hpp>
#include <tessera/nem/builder.hpp>
#include <tessera/nem/print.hpp>
#include <tessera/nem/resolver.hpp>
#include <tessera/nem/verify.hpp>
#include <tessera/nem/write.hpp>

#include "nem/same.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;
using nem::element;
using nem::expr;
using nem::opcode;
using nem::unit;

namespace {

const std::string programs = TESSERA_TESTS_DATA_DIR "/nem/programs/";

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// That what was built is what reading its canonical text makes, node by node with the places.
void check_canonical(const nem::model& built) {
  const result<text> written = nem::write(built);
  REQUIRE(written);
  const result<nem::model> again = nem_test::read(written->view());
  REQUIRE(again);
  REQUIRE(again->nodes.size() == built.nodes.size());
  for (std::size_t i = 0; i < built.nodes.size(); ++i) {
    INFO("node " << i);
    CHECK(again->nodes[i].kind == built.nodes[i].kind);
    CHECK(again->nodes[i].offset == built.nodes[i].offset);
    CHECK(again->nodes[i].length == built.nodes[i].length);
    CHECK(again->nodes[i].value == built.nodes[i].value);
  }
  CHECK(again->characters == built.characters);
  CHECK(*nem::write(*again) == *written);
}

/// That a program of tests/data was built anew, and verifies as it does.
void check_file(nem::builder& b, const std::string& name) {
  report found;
  result<nem::model> built = b.finish(&found);
  const text listed = describe(found, {});
  INFO(listed.view());
  REQUIRE(built);
  CHECK(found.diagnostics.empty());
  const result<nem::model> read = nem_test::read(content_of(programs + name));
  REQUIRE(read);
  CHECK(tests::same(*built, *read));
  check_canonical(*built);
  nem::folder_files files(programs);
  CHECK(nem_test::verify(std::move(*built), {.resolver = files.resolver()}));
}

/// The canonical text of `let x = e`, without its beginning.
std::string canonical(const expr& e) {
  nem::builder b;
  const result<nem::model> d = b.let("x", e).finish();
  INFO(e.text());
  REQUIRE(d);
  const result<text> t = nem::write(*d);
  REQUIRE(t);
  return std::string(t->view().substr(8, t->size() - 9));
}

struct failure {
  errc code;
  std::uint64_t offset;
  error_index index;
  std::string message;
};
failure failure_of(nem::builder& b) {
  report found;
  const result<nem::model> d = b.finish(&found);
  REQUIRE_FALSE(d);
  REQUIRE(found.diagnostics.size() >= 1);
  CHECK(found.diagnostics[0].code == d.error().code);
  CHECK(found.diagnostics[0].where.offset == d.error().offset);
  return {d.error().code, d.error().offset, d.error().index,
          std::string(found.text_of(found.diagnostics[0].text))};
}
/// That the statement of a number is refused by the builder itself.
void check_refused(nem::builder& b, std::uint64_t statement, std::string_view message) {
  const failure f = failure_of(b);
  CHECK(f.code == errc::nem_syn_001_token);
  CHECK(f.offset == statement);
  CHECK(f.index == error_index::operation);
  CHECK(f.message == message);
}

}  // namespace

TEST_CASE("nem/builder: nothing is an empty document", "[nem]") {
  nem::builder b;
  const result<nem::model> d = b.finish();
  REQUIRE(d);
  CHECK(d->nodes.empty());
}

TEST_CASE("nem/builder: a program with a loop and products", "[nem]") {
  nem::builder b;
  const expr queries("queries"), keys("keys"), depth("depth"), heads("heads"), slot("slot");
  const expr q_size("q_size"), k_size("k_size"), s_size("s_size"), head("head");
  b.device_file("devices/product.nem").program("attention");
  b.constant("heads", 4).constant("queries", 8).constant("keys", 16).constant("depth", 32);
  b.constant("q_size", queries * depth * 2).constant("k_size", keys * depth * 2);
  b.constant("s_size", queries * keys * 2);
  for (const std::string_view name : {"q_all", "k_all", "v_all"})
    b.buffer(name, nem::level::ddr, heads * (name == "q_all" ? q_size : k_size), 64)
        .decorate(nem::decorator::readonly);
  b.buffer("results", nem::level::ddr, heads * q_size, 64).decorate(nem::decorator::writeonly);
  b.buffer("near_q", nem::level::l1, 2 * q_size).buffer("near_k", nem::level::l1, 2 * k_size);
  b.buffer("near_v", nem::level::l1, 2 * k_size).buffer("near_s", nem::level::l1, 2 * s_size);
  b.buffer("near_y", nem::level::l1, 2 * q_size);
  b.loop("head", 0, heads - 1).max_in_flight(2);
  b.let("slot", mod(head, 2));
  const auto tile = [&](std::string_view name, std::string_view in, const expr& size, expr rows,
                        expr columns, std::string_view layout) {
    b.let(name, b.region(in, slot * size, size)
                    .elem(element::f16)
                    .shape({std::move(rows), std::move(columns)})
                    .layout(layout));
  };
  tile("q", "near_q", q_size, queries, depth, "MK");
  tile("k", "near_k", k_size, keys, depth, "NK");
  tile("v", "near_v", k_size, keys, depth, "KN");
  tile("scores", "near_s", s_size, queries, keys, "MN");
  tile("weights", "near_s", s_size, queries, keys, "MK");
  tile("y", "near_y", q_size, queries, depth, "MN");
  b.transfer("q_loaded", "q", b.region("q_all", head * q_size, q_size));
  b.transfer("k_loaded", "k", b.region("k_all", head * k_size, k_size));
  b.transfer("v_loaded", "v", b.region("v_all", head * k_size, k_size));
  b.compute("compared", opcode::gemm).in("q").in("k").out("scores");
  b.attribute(nem::attribute::accum_type, element::f32).deps({"q_loaded", "k_loaded"});
  b.compute("weighted", opcode::softmax).in("scores").out("scores").deps({"compared"});
  b.attribute(nem::attribute::axis, -1);
  b.compute("mixed", opcode::gemm).in("weights").in("v").out("y");
  b.attribute(nem::attribute::accum_type, element::f32).deps({"weighted", "v_loaded"});
  b.store("stored", b.region("results", head * q_size, q_size), "y").deps({"mixed"});
  b.end_loop();
  check_file(b, "attention.nem");
}

TEST_CASE("nem/builder: families and devices", "[nem]") {
  nem::builder b;
  b.include("devices/family.nem");
  b.begin_family("sort").parameter("T", {element::i8, element::i16, element::f16});
  b.binding("input", "T").binding("output", "T");
  b.variant("ascending").conformance(true, {element::i8}).conformance(false, {element::i16});
  b.conformance(false, {element::f16});
  b.variant("with_indices").binding("indices", "i32");
  b.conformance(false, {element::i8}).conformance(false, {element::f16}).end_family();
  const auto units = [&b](std::int64_t vpus, std::int64_t l1) {
    for (const unit u : {unit::nmu, unit::cstl, unit::dma}) b.units(u, 1);
    b.units(unit::vpu, vpus).units(unit::seq, 1).l1_size_bytes(l1);
  };
  b.begin_device("sorter", "family").num_engines(4).l2_size_bytes(expr(1024) * 1024);
  b.units(unit::sdma, 1);
  units(2, 65536);
  b.mandatory("sort", {element::i8}, "ascending").extended("sort", {element::f16}, "with_indices");
  b.end_device().begin_device("sorter_lite", "sorter").num_engines(1).l2_size_bytes(262144);
  units(1, 32768);
  check_file(b.end_device(), "configuration.nem");
}

TEST_CASE("nem/builder: conditions, characteristics and versions", "[nem]") {
  nem::builder b;
  b.begin_family("f.g").binding("X", "any_supported").condition("accum", "i32");
  b.condition("quant", "required", "X").variant("v").conformance(true).end_family();
  b.begin_device("d").spec_version("NEM-1.0").characteristic(unit::nmu, "int8_macs", 64);
  b.characteristic(unit::seq, "max_active_tokens", 8).characteristic(unit::nmu, "fp16_macs", 32);
  b.mandatory("f.g", {}, "v").end_device();
  const result<nem::model> built = b.finish();
  REQUIRE(built);
  CHECK(*nem::write(*built) == R"(type_family f.g {
  X: any_supported
  accum = i32
  quant = required on X
  variants:
    v: {}
      conformance: { MUST }
}
device d {
  spec_version = "NEM-1.0"
  unit_characteristics {
    NMU {
      int8_macs = 64
      fp16_macs = 32
    }
    SEQ {
      max_active_tokens = 8
    }
  }
  opcode.mandatory {
    f.g.v
  }
}
)");
  check_canonical(*built);
}

TEST_CASE("nem/builder: lists of integers, and one scale for all", "[nem]") {
  nem::builder b;
  const std::int64_t numbers[] = {1, -2};
  b.buffer("B", nem::level::l2, 64).let("l", expr(view<std::int64_t>(numbers, 2)));
  b.let("r", b.region("B", 0, 4).elem(element::i8).shape({4}).layout("C").per_tensor(0.5, -3));
  const result<nem::model> built = b.finish();
  REQUIRE(built);
  CHECK(*nem::write(*built) ==
        "buffer B : L2 (size=64)\nlet l = [1, -2]\nlet r = region(B, 0, 4)\n"
        "    elem=i8, shape=[4], layout=C, "
        "quant=per_tensor(scale=0.5, zero_point=-3)\n");
}

TEST_CASE("nem/builder: operands, descriptors and decorators", "[nem]") {
  nem::builder b;
  b.device_name("d").program("p").buffer_in_l1("B", 1, 256, 64).buffer("C", nem::level::l2, 256);
  b.let("r", b.region("B", 0, 4)
                 .elem(element::i8)
                 .shape({2, 2})
                 .strides({2, 1})
                 .per_channel(0, view<double>(), {1, 2}));
  b.let("s", b.region("B", 4, 4)
                 .elem(element::i8)
                 .shape({4})
                 .layout("C")
                 .per_group(0, 2, {0.5, 0.25}, {0, 0})
                 .decorate(nem::decorator::materialized));
  b.transfer("", "r", "s").sync().decorate(nem::decorator::memmove).seq_engine(1);
  b.transfer("t", "s", b.region("C", 0, 4));
  b.compute("u", opcode::compute).in("r").out("s").deps({"t"}).sync();
  b.attribute("op", expr::string("my \"op\"\n")).resource(unit::cstl, mod(expr(5), 2));
  b.wait({"t", "u"}).decorate(nem::decorator::debug, "here");
  const result<nem::model> built = b.finish();
  REQUIRE(built);
  CHECK(*nem::write(*built) == R"(device d
program p:
buffer B : L1[1] (size=256, align=64)
buffer C : L2 (size=256)
let r = region(B, 0, 4)
    elem=i8, shape=[2, 2], strides=[2, 1], quant=per_channel(axis=0, scales=[], zero_points=[1, 2])
let s = region(B, 4, 4)
    elem=i8, shape=[4], layout=C, quant=per_group(axis=0, group_size=2, scales=[0.5, 0.25], zero_points=[0, 0])
    @materialized
transfer.sync(dst=r, src=s)
    @memmove
    @seq_engine(1)
t = transfer.async(dst=s, src=region(C, 0, 4))
u = compute.sync
    in  r
    out s
    deps=[t]
    op="my \"op\"\n"
    @resource(CSTL[5 mod 2])
wait(t, u) @debug(here)
)");
  check_canonical(*built);
}

TEST_CASE("nem/builder: expressions keep their meaning", "[nem]") {
  const expr a("a"), b("b"), c("c");
  CHECK(canonical(a + b * c) == "a + (b * c)");
  CHECK(canonical((a + b) * c) == "(a + b) * c");
  CHECK(canonical(a - (b - c)) == "a - (b - c)");
  CHECK(canonical(a - b - c) == "a - b - c");
  CHECK(canonical(a / (b * c)) == "a / (b * c)");
  CHECK(canonical(mod(a, b) * c) == "(a mod b) * c");
  CHECK(canonical(-(a + b)) == "-(a + b)");
  CHECK(canonical(a * -b) == canonical(a * expr(-b)));
  CHECK(canonical(-expr(-3)) == "--3");
  CHECK(canonical(2.5) == "2.5");
  CHECK(canonical(-1e-7) == "-1.0e-7");
  CHECK(canonical(-0.0) == "-0.0");
  CHECK(canonical(1.0) == "1.0");
  CHECK(canonical(INT64_MAX) == "9223372036854775807");
  CHECK(canonical(INT64_MIN) == "-9223372036854775807 - 1");
  CHECK(canonical(expr(INT64_MIN) * 1) == "(-9223372036854775807 - 1) * 1");
  CHECK(canonical({1, a, {2, 3}}) == "[1, a, [2, 3]]");
  CHECK(canonical(expr::string("a\\b\t\"")) == R"("a\\b\t\"")");
  expr sum = 0;  // deeper than parentheses may be
  for (int i = 1; i < 1000; ++i) sum = sum + i;
  CHECK(canonical(sum).size() > 3000);
}

TEST_CASE("nem/builder: what isn't a name or a number is refused", "[nem]") {
  constexpr std::string_view tail = " is neither a name nor a number of the language";
  for (const std::string_view name : {"", "1a", "a b", "a.b", "a;b", "é", "a=b", "x = 1 const y"}) {
    INFO(name);
    const std::string message = std::string(name) + std::string(tail);
    nem::builder constant, use, token, buffer, program, attribute, deps, variant;
    check_refused(constant.constant("a", 1).constant(name, 1), 1, message);
    check_refused(use.let("a", expr(name) + 1).let("b", 2), 0,
                  std::string(name) + " + 1" + std::string(tail));
    if (!name.empty()) check_refused(token.transfer(name, "x", "y"), 0, message);
    check_refused(buffer.buffer(name, nem::level::l2, 1), 0, message);
    check_refused(program.program(name), 0, message);
    check_refused(attribute.compute("t", opcode::relu).attribute(name, 1), 0, message);
    check_refused(deps.wait({"t"}).wait({name}), 1, message);
    check_refused(variant.begin_device("d").mandatory("f", {}, name), 0, message);
    nem::builder region;
    CHECK(failure_of(region.transfer("t", "a", region.region(name, 0, 1))).offset == 0);
  }
  nem::builder nan, infinite, wide, family;
  check_refused(nan.let("a", std::nan("")), 0, "nan" + std::string(tail));
  check_refused(infinite.let("a", -std::numeric_limits<double>::infinity()), 0,
                "-infinity" + std::string(tail));
  CHECK(failure_of(wide.let("a", UINT64_MAX)).offset == 0);
  check_refused(family.begin_family("a.b.c"), 0, "a.b.c is not a name");
}

TEST_CASE("nem/builder: what the tables don't have is written as unknown", "[nem]") {
  nem::builder b;
  b.let("r", b.region("x", 0, 8).elem(element::i8).shape({8}).decorate(nem::decorator::unknown));
  b.compute("t", opcode::unknown).in("r").out("r").attribute(nem::attribute::unknown, 1);
  b.decorate(nem::decorator::unknown);
  const result<nem::model> built = b.finish();
  REQUIRE(built);
  const result<text> written = nem::write(*built);
  REQUIRE(written);
  CHECK(*written ==
        "let r = region(x, 0, 8)\n    elem=i8, shape=[8]\n    @unknown\n"
        "t = unknown.async\n    in  r\n    out r\n    unknown=1\n    @unknown\n");
  CHECK_FALSE(nem_test::verify(nem::model(*built)));
}

TEST_CASE("nem/builder: what belongs to another statement is refused", "[nem]") {
  nem::builder in, out, deps, attribute, sync, decorator, units, binding, end, first;
  check_refused(first.in("x"), 0, "an input without a statement");
  check_refused(in.wait({"t"}).in("x"), 0, "an input of another statement");
  check_refused(out.transfer("t", "a", "b").out("x"), 0, "an output of another statement");
  check_refused(deps.constant("a", 1).constant("b", 1).deps({"t"}), 1, "deps of another statement");
  check_refused(attribute.loop("i", 0, 1).attribute("axis", 1), 0,
                "an attribute of another statement");
  check_refused(sync.wait({"t"}).sync(), 0, "sync of another statement");
  check_refused(decorator.begin_device("d").max_in_flight(2), 0,
                "a decorator of another statement");
  check_refused(units.program("p").units(unit::nmu, 1), 0, "units of another statement");
  check_refused(binding.begin_device("d").binding("X", "T"), 0, "a binding of another statement");
  check_refused(end.begin_device("d").end_family(), 0,
                "the end of a type family of another statement");
}

TEST_CASE("nem/builder: what was written so far can be looked at", "[nem]") {
  nem::builder b;
  CHECK(b.source().empty());
  b.constant("N", 4).constant("M", 5);
  CHECK(b.source().substr(0, 11) == "const N = 4");
}

TEST_CASE("nem/builder: the first error is kept, and the reader's are reported", "[nem]") {
  nem::builder first;
  check_refused(first.constant("a b", 1).constant("c d", 1).in("x"), 0,
                "a b is neither a name nor a number of the language");
  nem::builder no_output;
  CHECK(failure_of(no_output.compute("t", opcode::relu).in("x")).code == errc::nem_syn_001_token);
  nem::builder open_loop;
  CHECK(failure_of(open_loop.loop("i", 0, 1)).code == errc::nem_syn_002_loop);
  nem::builder reserved;
  const failure f = failure_of(reserved.constant("loop", 1));
  CHECK(f.code == errc::nem_syn_013_reserved);
  CHECK(f.offset == 6);
  nem::builder no_scale;
  CHECK(failure_of(no_scale.let("r", no_scale.region("B", 0, 1).elem(element::i8))).code ==
        errc::nem_syn_012_missing);
}
