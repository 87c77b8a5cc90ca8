// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include <utility>

#include "nem/verified.hpp"
#include "tessera/core/report.hpp"
#include "tessera/nem/print.hpp"

using nem_test::verified;
namespace nem = tessera::nem;

namespace {

constexpr char device[] =
    "include \"npm_baseline_1.0.nem\"\ndevice pair extends npm_baseline_1_0 {\n  topology {\n"
    "    num_engines = 2\n    l2_size_bytes = 65536\n    device_units { sDMA = 1 }\n"
    "    per_engine { NMU = 1 CSTL = 1 DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 4096 }\n  }\n}\n";

}  // namespace

TEST_CASE("nem/verify: a program for a device", "[nem]") {
  tessera::report found;
  std::string source = device;
  source +=
      "program copy:\nbuffer A : DDR (size=64)\nbuffer B : L1[1] (size=64)\n"
      "t = transfer.async(dst=region(B, 0, 64), src=region(A, 0, 64))\n"
      "store.sync(dst=region(A, 0, 64), src=region(B, 0, 64), deps=[t])\n";
  auto d = nem::read(source, {}, &found);
  REQUIRE(d);
  const auto p = nem::verify(std::move(*d), {}, &found);
  for (const tessera::diagnostic& f : found.diagnostics) UNSCOPED_INFO(found.text_of(f.text));
  REQUIRE(p);
  CHECK(found.errors == 0);
  REQUIRE(p->target() != nullptr);
  CHECK(p->catalog().text_of(p->target()->name) == "pair");
  CHECK(p->target()->topology.engines == 2);
  CHECK(p->tasks() == 2);
  CHECK(p->iterations() == 0);
  struct engines : nem::visitor {
    void task(const nem::values&, const nem::task& t) { sum += t.engine; }
    std::int64_t sum = 0;
  } e;
  nem::for_each_task(*p, e);
  CHECK(e.sum == 2);
}

TEST_CASE("nem/verify: documents without a program", "[nem]") {
  CHECK(verified("").is_valid);
  CHECK(verified("program empty:").is_valid);
  CHECK(verified("include \"npm_baseline_1.0.nem\"\ndevice one extends npm_baseline_1_0 { }\n"
                 "device two extends one { }")
            .is_valid);
  CHECK_FALSE(verified("device one extends nothing { }\ndevice two extends one { }").is_valid);
}

TEST_CASE("nem/verify: all that is wrong, in the order of the phases", "[nem]") {
  const auto o = verified(
      "include \"missing.nem\"\nconst N = M\nbuffer B : L1[7] (size=1.5)\nlet R = region(B, 0, 4)\n"
      "buffer C : L2 (size=8)\ntransfer.async(dst=region(C, 0, 4), src=region(C, 2, 4), deps=[t])");
  CAPTURE(o.lines);
  CHECK_FALSE(o.is_valid);
  CHECK(o.report.errors == 5);
  const std::string_view expected[] = {"INC-001", "CON-002", "EXP-001", "TOK-001", "XFR-006"};
  std::size_t i = 0;
  for (const tessera::diagnostic& d : o.report.diagnostics)
    if (d.severity == tessera::severity::error) CHECK(nem::rule(d.code).id() == expected[i++]);
}

TEST_CASE("nem/verify: errors of reading suppress what follows", "[nem]") {
  const auto o = verified("const A = B\nfoo bar\n");
  CHECK(o.has("SYN-008"));
  CHECK_FALSE(o.has("CON-002"));
}

TEST_CASE("nem/verify: the first error is returned; a report is not needed", "[nem]") {
  auto d = nem::read("let a = 1\nlet b = c\nlet b = 2\n");
  REQUIRE(d);
  const auto p = nem::verify(std::move(*d));
  REQUIRE_FALSE(p);
  CHECK(p.error().code == tessera::errc::nem_exp_002_name);
  CHECK(p.error().offset == 18);
}

TEST_CASE("nem/verify: a report keeps so many, and counts all", "[nem]") {
  std::string source;
  for (int i = 0; i < 50; ++i) source += "let a" + std::to_string(i) + " = x\n";
  nem::verify_options options;
  options.max_diagnostics = 10;
  const auto o = verified(source, options);
  CHECK(o.report.errors == 50);
  CHECK(o.report.diagnostics.size() == 10);
}

TEST_CASE("nem/verify: groups of rules are called", "[nem]") {
  CHECK(verified("buffer B : L2 (size=8) @fast").has("DEC-001"));
  CHECK(verified("loop i in [0..1] @max_in_flight(0): endloop").has("DEC-006"));
  CHECK(verified("loop i in [0..1]: loop j in [0..1] @max_in_flight(1 - i): endloop endloop")
            .has("DEC-006"));
  CHECK(verified("buffer A : L1[0] (size=8); buffer B : L1[1] (size=8);"
                 "transfer.async(dst=region(B, 0, 8), src=region(A, 0, 8))")
            .has("PLC-001"));
  CHECK(verified("buffer A : L2 (size=8); buffer B : L2 (size=8);"
                 "transfer.async(dst=region(B, 0, 4), src=region(A, 0, 8))")
            .has("XFR-001"));
  CHECK(
      verified("buffer A : L2 (size=8); rleu.async in region(A, 0, 4) elem=i8, shape=[4], layout=C "
               "out region(A, 4, 4) elem=i8, shape=[4], layout=C")
          .has("OPC-001"));
  CHECK(verified("buffer A : L2 (size=8); buffer B : L2 (size=8);"
                 "transfer.async(dst=region(B, 0, 8), src=region(A, 0, 8));"
                 "transfer.async(dst=region(A, 0, 8), src=region(B, 0, 8))")
            .has("HAZ-001"));
}

TEST_CASE("nem/verify: errors name the node of a document that was built in code", "[nem]") {
  const auto read = nem::read("const A = 1\nconst B = 2\nconst B = 3\n");
  REQUIRE(read);
  nem::model built = *read;
  for (nem::node& n : built.nodes) n.offset = 0, n.length = 0;
  tessera::report found;
  const auto p = nem::verify(std::move(built), {}, &found);
  REQUIRE_FALSE(p);
  CHECK(p.error().offset == 4);  // const A, 1, const B, 2
  CHECK(p.error().index == tessera::error_index::node);
  const tessera::listing list(found, {});
  const tessera::text shown = list.describe(found.diagnostics[0]);
  CHECK(std::string(shown.view()) ==
        "<input>: error: duplicate constant declaration B [CON-001] at node 4\n"
        "<input>: note: declared here before at node 2\n");
  tessera::report of_file;
  CHECK_FALSE(nem::verify(*nem::read("const B = 2\nconst B = 3\n"), {}, &of_file));
  REQUIRE(of_file.diagnostics.size() == 1);
  CHECK(of_file.diagnostics[0].where.index == tessera::error_index::none);
}

TEST_CASE("nem/verify: an empty document is a program without statements", "[nem]") {
  auto d = nem::read("");
  REQUIRE(d);
  CHECK(nem::print(*d).empty());
  const auto p = nem::verify(std::move(*d));
  REQUIRE(p);
  CHECK(p->tasks() == 0);
}
