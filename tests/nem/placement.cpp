// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/nem/format.hpp>
#include <tessera/nem/read.hpp>
#include <tessera/nem/verify.hpp>
#include <utility>
#include <vector>

#include "nem/verbs.hpp"
#include "rule_check.hpp"
#include "support/catch.hpp"

using namespace tessera;
using rule_check::check;
using rule_check::finds;
using rule_check::on_device;
using rule_check::passes;

namespace {

const std::string head(rule_check::head);
const std::string two = "buffer A : L2 (size=64)\nbuffer B : L2 (size=64)\n";

}  // namespace

TEST_CASE("nem/placement: DEC-007 what is readonly isn't written", "[nem]") {
  const auto c = check(two +
                       "let R = region(B, 0, 8) @readonly\n"
                       "transfer.sync(dst=`R, src=region(A, 0, 8))");
  REQUIRE(c.rules() == "DEC-007");
  CHECK(c.first("DEC-007")->where.offset == c.mark);
  CHECK(c.text("DEC-007") == "the task writes R, which is marked @readonly");
  CHECK(c.related("DEC-007") == "@readonly");
  CHECK(c.first("DEC-007")->related.offset == c.source.find("@readonly"));
  CHECK(passes(two + "let R = region(B, 0, 8) @readonly\n"
                     "transfer.sync(dst=region(A, 0, 8), src=R)") == "");
  CHECK(finds("DEC-007", two + "transfer.sync(dst=`region(B, 0, 8) @readonly, "
                               "src=region(A, 0, 8))") == "");
  CHECK(finds("DEC-007",
              "buffer A : L2 (size=8)\nbuffer B : L2 (size=8) @readonly\n"
              "transfer.sync(dst=`region(B, 0, 8), src=region(A, 0, 8))") == "");
  CHECK(finds("DEC-007", head + "let Z = region(B, 16, 8) elem=f16, shape=[4], layout=C @readonly\n"
                                "relu.sync in X out `Z") == "");
}

TEST_CASE("nem/placement: DEC-008 what is writeonly isn't read", "[nem]") {
  const auto c = check(two +
                       "let R = region(B, 0, 8) @writeonly\n"
                       "store.sync(dst=region(A, 0, 8), src=`R)");
  REQUIRE(c.rules() == "DEC-008");
  CHECK(c.first("DEC-008")->where.offset == c.mark);
  CHECK(c.text("DEC-008") == "the task reads R, which is marked @writeonly");
  CHECK(passes(two + "let R = region(B, 0, 8) @writeonly\n"
                     "store.sync(dst=R, src=region(A, 0, 8))") == "");
  CHECK(finds("DEC-008",
              "buffer A : L2 (size=8)\nbuffer B : L2 (size=8) @writeonly\n"
              "transfer.sync(dst=region(A, 0, 8), src=`region(B, 0, 8))") == "");
  CHECK(finds("DEC-008", head + "relu.sync in `X @writeonly out Y") == "");
}

TEST_CASE("nem/placement: RES-004 each operation and each unit", "[nem]") {
  // A task of each row, and the units that may execute it.
  const std::string m =
      "let P = region(B, 16, 8) elem=f16, shape=[2, 2], layout=MK\n"
      "let Q = region(B, 24, 8) elem=f16, shape=[2, 2], layout=KN\n"
      "let R = region(B, 32, 8) elem=f16, shape=[2, 2], layout=MN\n"
      "let F = region(B, 40, 16) elem=f32, shape=[4], layout=C\n"
      "transfer.sync(dst=P, src=region(G, 8, 8))\n"
      "transfer.sync(dst=Q, src=region(G, 16, 8))\n";
  struct {
    std::string_view task, units;
  } const table[] = {
      {"matmul.sync in P, Q out R accum_type=f32", "NMU VPU"},
      {"gemm.sync in P, Q out R accum_type=f32", "NMU VPU"},
      {"relu.sync in X out Y", "CSTL VPU"},
      {"add.sync in X, X out Y", "CSTL VPU"},
      {"clamp.sync in X out Y min_val=0.0 max_val=1.0", "CSTL VPU"},
      {"softmax.sync in X out Y axis=0", "CSTL VPU"},
      {"rmsnorm.sync in X out Y axis=0 epsilon=0.5", "CSTL VPU"},
      {"reshape.sync in X out R target_shape=[2, 2]", "CSTL DMA VPU"},
      {"cast.sync in X out F", "CSTL VPU"},
      {"store.sync(dst=S, src=X)", "CSTL DMA"},
      {"transfer.sync(dst=S, src=X)", "DMA"},
      {"transfer.sync(dst=Y, src=X)", "DMA"},
      {"transfer.sync(dst=region(G, 8, 8), src=S)", "DMA"},
      {"compute.sync in X out Y op=\"mine\"", "NMU CSTL DMA VPU"},
  };
  for (const auto& row : table)
    for (const std::string_view unit : {"NMU", "CSTL", "DMA", "VPU"}) {
      const std::string source =
          head + m + std::string(row.task) + " @resource(`" + std::string(unit) + "[0])";
      INFO(source);
      const auto c = check(source);
      const tessera::diagnostic* const d = c.first("RES-004");
      const bool is_eligible =
          (" " + std::string(row.units) + " ").find(" " + std::string(unit) + " ") !=
          std::string::npos;
      CHECK((d == nullptr) == is_eligible);
      if (d != nullptr) CHECK(d->where.offset == c.mark);
      for (const tessera::diagnostic& other : c.found.diagnostics)
        CHECK((other.code == errc::nem_res_004_eligible ||
               other.severity != tessera::severity::error));
    }
  CHECK(check(head + "relu.sync in X out Y @resource(NMU[0])").text("RES-004") ==
        "NMU can't execute relu: expected CSTL or VPU");
}

TEST_CASE("nem/placement: units that are eligible, by category", "[nem]") {
  using nem::opcode;
  using nem::unit;
  const auto set = [](std::initializer_list<unit> list) {
    unsigned s = 0;
    for (const unit u : list) s |= nem::units(u);
    return static_cast<nem::unit_set>(s);
  };
  const auto matrix = set({unit::nmu, unit::vpu}), plain = set({unit::cstl, unit::vpu}),
             layout = set({unit::cstl, unit::dma, unit::vpu});
  for (const opcode op : {opcode::gemm, opcode::matmul, opcode::conv2d, opcode::conv1d,
                          opcode::conv3d, opcode::depthwise_conv2d})
    CHECK((nem::eligible_units(op) == matrix && nem::default_unit(op) == unit::nmu));
  for (const opcode op : {opcode::relu, opcode::pow, opcode::clamp, opcode::maxpool,
                          opcode::avgpool, opcode::layernorm, opcode::log_softmax})
    CHECK((nem::eligible_units(op) == plain && nem::default_unit(op) == unit::cstl));
  for (const opcode op : {opcode::transpose, opcode::concat, opcode::split, opcode::gather})
    CHECK((nem::eligible_units(op) == layout && nem::default_unit(op) == unit::cstl));
  for (const opcode op :
       {opcode::reduce_sum, opcode::argmin, opcode::cast, opcode::quantize, opcode::dequantize})
    CHECK((nem::eligible_units(op) == plain && nem::default_unit(op) == unit::vpu));
  CHECK(nem::eligible_units(opcode::store) == set({unit::cstl, unit::dma}));
  CHECK(nem::default_unit(opcode::store) == unit::cstl);
  CHECK(nem::eligible_units(opcode::transfer) == set({unit::dma}));
  CHECK(nem::default_unit(opcode::transfer) == unit::dma);
  CHECK(nem::eligible_units(opcode::compute) == set({unit::nmu, unit::cstl, unit::dma, unit::vpu}));
  CHECK(nem::default_unit(opcode::compute) == unit::none);
}

TEST_CASE("nem/placement: RES-005 another unit of the type", "[nem]") {
  const auto c = check(on_device() + head + "relu.sync in X out Y @resource(CSTL[`5])");
  REQUIRE(c.first("RES-005") != nullptr);
  CHECK(c.first("RES-005")->where.offset == c.mark);
  CHECK(c.first("RES-005")->severity == tessera::severity::note);
  CHECK(c.text("RES-005") == "an engine of small has 2 CSTL: CSTL[5] becomes CSTL[1]");
  CHECK(c.found.errors == 0);
  CHECK(check(on_device() + head + "relu.sync in X out Y @resource(CSTL[1])").first("RES-005") ==
        nullptr);
  // Without a target any index may be right.
  CHECK(passes(head + "relu.sync in X out Y @resource(CSTL[5])") == "");
}

TEST_CASE("nem/placement: RES-006 another type of unit", "[nem]") {
  const std::string without_vpu = on_device("NMU = 1 CSTL = 2 DMA = 2 SEQ = 1");
  const auto c = check(without_vpu + head + "relu.sync in X out Y @resource(`VPU[0])");
  REQUIRE(c.first("RES-006") != nullptr);
  CHECK(c.first("RES-006")->where.offset == c.mark);
  CHECK(c.first("RES-006")->severity == tessera::severity::warning);
  CHECK(c.text("RES-006") == "small has no VPU: CSTL executes relu");
  CHECK(c.found.errors == 0);
  CHECK(check(on_device() + head + "relu.sync in X out Y @resource(VPU[0])").first("RES-006") ==
        nullptr);
  // VPU comes first where it can.
  CHECK(check(on_device("NMU = 1 DMA = 2 VPU = 1 SEQ = 1") + head +
              "reshape.sync in X out Y target_shape=[4] @resource(CSTL[0])")
            .text("RES-006") == "small has no CSTL: VPU executes reshape");
  // Nothing else moves data: the program can't run.
  const auto none = check(on_device("NMU = 1 CSTL = 1 VPU = 1 SEQ = 1") + head +
                          "transfer.sync(dst=Y, src=S) @resource(`DMA[0])");
  REQUIRE(none.first("RES-004") != nullptr);
  CHECK(none.first("RES-004")->where.offset == none.mark);
}

TEST_CASE("nem/placement: RES-007 DMA where DDR takes sDMA", "[nem]") {
  const std::string three =
      "buffer D : DDR (size=64)\nbuffer A : L2 (size=8)\nbuffer B : L1 (size=8)\n";
  CHECK(finds("RES-007", three + "transfer.sync(dst=region(A, 0, 8), src=region(D, 0, 8)) "
                                 "@resource(`DMA[0])") == "");
  CHECK(finds("RES-007", three + "transfer.sync(dst=region(B, 0, 8), src=region(D, 0, 8)) "
                                 "@resource(`DMA[0])") == "");
  CHECK(finds("RES-007", three + "transfer.sync(dst=region(D, 0, 8), src=region(D, 8, 8)) "
                                 "@resource(`DMA[0])") == "");
  CHECK(passes(three + "transfer.sync(dst=region(B, 0, 8), src=region(A, 0, 8)) "
                       "@resource(DMA[0])") == "");
  CHECK(passes(three + "transfer.sync(dst=region(A, 0, 8), src=region(D, 0, 8))") == "");
}

TEST_CASE("nem/placement: RES-008 DDR without sDMA", "[nem]") {
  const std::string units = "NMU = 1 CSTL = 2 DMA = 2 VPU = 1 SEQ = 1";
  const std::string body = "buffer D : DDR (size=8)\nbuffer A : L2 (size=16)\n";
  const std::string load = body + "`transfer.sync(dst=region(A, 0, 8), src=region(D, 0, 8))";
  CHECK(finds("RES-008", on_device(units, "device_units { WDM = 0 }") + load) == "");
  CHECK(finds("RES-008", on_device(units, "device_units { sDMA = 0 }") + load) == "");
  CHECK(finds("RES-008", on_device(units, "") + body +
                             "`store.sync(dst=region(D, 0, 8), src=region(A, 0, 8))") == "");
  CHECK(passes(on_device() + load) == "");
  CHECK(passes(load) == "");
  CHECK(passes(on_device(units, "") + body +
               "transfer.sync(dst=region(A, 0, 8), src=region(A, 8, 8))") == "");
  CHECK(check(on_device(units, "") + load).related("RES-008") == "buffer D : DDR (size=8)");
}

namespace {

/// The tasks of a program, with the flags of their operands.
struct collector : nem::visitor {
  void task(const nem::values& v, const nem::task& t) {
    tasks.push_back(t);
    std::string flags;
    for (const nem::operand& o : v.inputs(t)) flags += static_cast<char>('0' + o.flags);
    for (const nem::operand& o : v.outputs(t)) flags += static_cast<char>('0' + o.flags);
    operands.push_back(flags);
  }
  std::vector<nem::task> tasks;
  std::vector<std::string> operands;
};

collector tasks_of(const std::string& source) {
  collector c;
  auto document = nem_test::read(source);
  REQUIRE(document);
  auto program = nem_test::verify(std::move(*document));
  REQUIRE(program);
  nem::for_each_task(*program, c);
  return c;
}

}  // namespace

TEST_CASE("nem/placement: where tasks are bound to", "[nem]") {
  const auto c =
      tasks_of(head +
               "buffer H : L1[2] (size=16)\n"
               "loop i in [0..1]:\n"
               "  relu.sync in X out Y @resource(CSTL[3 - i])\n"
               "endloop\n"
               "transfer.sync(dst=region(H, 0, 8), src=S)\n"
               "transfer.sync(dst=region(G, 8, 8), src=S) @seq_engine(4) @memmove\n"
               "transfer.sync(dst=region(G, 8, 8), src=S) @seq_engine(5) @seq_engine(6)\n"
               "transfer.sync(dst=region(G, 8, 8), src=S)\n");
  REQUIRE(c.tasks.size() == 7);
  CHECK(c.tasks[0].unit == nem::unit::none);
  CHECK(c.tasks[0].engine == 0);
  CHECK(c.tasks[1].unit == nem::unit::cstl);
  CHECK(c.tasks[1].unit_index == 3);
  CHECK(c.tasks[2].unit_index == 2);
  CHECK(c.tasks[3].unit == nem::unit::none);
  CHECK(c.tasks[3].unit_index == 0);
  CHECK(c.tasks[3].engine == 2);
  CHECK_FALSE(c.tasks[3].is_memmove);
  CHECK(c.tasks[4].engine == 4);
  CHECK(c.tasks[4].is_memmove);
  CHECK(c.tasks[5].engine == 5);  // of two the first one
  CHECK(c.tasks[6].engine == -1);
}

TEST_CASE("nem/placement: what buffers, regions and operands say is united", "[nem]") {
  const auto c = tasks_of(
      "buffer A : L2 (size=32) @readonly\n"
      "buffer B : L2 (size=32) @writeonly\n"
      "let R = region(A, 0, 8) @materialized\n"
      "transfer.sync(dst=region(B, 0, 8) @materialized, src=R)\n"
      "transfer.sync(dst=region(B, 8, 8), src=region(A, 8, 8) @readonly)\n");
  REQUIRE(c.operands.size() == 2);
  CHECK(c.operands[0] == "56");  // readonly and materialized, writeonly and materialized
  CHECK(c.operands[1] == "12");
}

TEST_CASE("nem/placement: PLC-001 L1 memories of several engines", "[nem]") {
  const std::string l1 =
      "buffer A : L1[0] (size=8)\nbuffer B : L1[1] (size=8)\n"
      "buffer G : L2 (size=8)\n"
      "transfer.sync(dst=region(A, 0, 8), src=region(G, 0, 8))\n";
  const auto c = check(l1 + "transfer.sync(dst=`region(B, 0, 8), src=region(A, 0, 8))");
  REQUIRE(c.rules() == "PLC-001");
  CHECK(c.first("PLC-001")->where.offset == c.mark);
  CHECK(c.text("PLC-001") ==
        "a region of B is in L1[1] and a region of A in L1[0]; expected all L1 operands of a task "
        "on one engine");
  CHECK(c.related("PLC-001") == "region(A, 0, 8)");
  CHECK(passes(l1 + "transfer.sync(dst=region(B, 0, 8), src=region(G, 0, 8))") == "");
  // A pin can't help, and makes no difference.
  CHECK(finds("PLC-001", l1 + "transfer.sync(dst=`region(B, 0, 8), src=region(A, 0, 8)) "
                              "@seq_engine(1)") == "");
}

TEST_CASE("nem/placement: PLC-002 pinned to another engine", "[nem]") {
  const std::string l1 = "buffer G : L2 (size=16)\nbuffer B : L1[1] (size=8)\n";
  const auto c =
      check(l1 + "transfer.sync(dst=region(B, 0, 8), src=region(G, 0, 8)) @seq_engine(`0)");
  REQUIRE(c.rules() == "PLC-002");
  CHECK(c.first("PLC-002")->where.offset == c.mark);
  CHECK(c.related("PLC-002") == "region(B, 0, 8)");
  CHECK(passes(l1 + "transfer.sync(dst=region(B, 0, 8), src=region(G, 0, 8)) @seq_engine(1)") ==
        "");
  CHECK(passes(l1 + "transfer.sync(dst=region(G, 8, 8), src=region(G, 0, 8)) @seq_engine(0)") ==
        "");
  CHECK(finds("PLC-002", l1 + "loop i in [0..1]:\n  transfer.sync(dst=region(B, 0, 8), "
                              "src=region(G, 0, 8)) @seq_engine(`1 - i)\nendloop") == "");
}

TEST_CASE("nem/placement: PLC-003 pinned to no engine", "[nem]") {
  const std::string l2 =
      "buffer G : L2 (size=16)\n"
      "transfer.sync(dst=region(G, 0, 8), src=region(G, 8, 8)) @seq_engine";
  CHECK(finds("PLC-003", on_device() + l2 + "(`2)") == "");
  CHECK(passes(on_device() + l2 + "(1)") == "");
  CHECK(finds("PLC-003", l2 + "(`0 - 1)") == "");
  CHECK(passes(l2 + "(7)") == "");
  CHECK(check(on_device() + l2 + "(2)").text("PLC-003") ==
        "engine 2 doesn't exist; small has 2 engines, from 0 on");
}
