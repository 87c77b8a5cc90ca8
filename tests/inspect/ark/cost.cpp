// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Costs, memory and what flows, against numbers worked out by hand.

#include "tessera/inspect/ark/cost.hpp"

#include "models.hpp"
#include "tessera/inspect/ark/flow.hpp"

namespace {

using namespace tests;
using tessera::inspect::conflict;
using tessera::inspect::cost;
using tessera::inspect::flow;

const char* const flags = R"("TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false})";

cost only(const ark::model& g) { return tessera::inspect::cost_of(g, g.ops[g.ops.size() - 1]); }
void check(const cost& c, std::uint64_t flops, std::uint64_t read, std::uint64_t written) {
  CHECK(c.flops == flops);
  CHECK(c.read == read);
  CHECK(c.written == written);
}

/// One operation on a and b that writes c.
ark::model one(const std::string& type, const std::string& a, const std::string& b,
               const std::string& c, const std::string& data = "FP32",
               const std::string& args = "") {
  model m;
  m.tensor("a", a, data);
  if (!b.empty()) m.tensor("b", b, data);
  m.tensor("c", c, data).op(type, "x", b.empty() ? "a" : "a b", "c", "r", args);
  return m.graph();
}

}  // namespace

TEST_CASE("cost: element-wise operations count what is written", "[inspect_ark]") {
  check(only(one("Add", "4,8", "8", "4,8")), 32, 4 * (32 + 8), 4 * 32);
  check(only(one("Mul", "4,8", "4,1", "4,8", "FP16")), 32, 2 * (32 + 4), 2 * 32);
  check(only(one("Rope", "2,4", "4", "2,4")), 24, 4 * 12, 4 * 8);
  check(only(one("Exp", "1,8", "", "4,8")), 32, 4 * 8, 4 * 32);
  check(only(one("Relu", "5", "", "5")), 5, 20, 20);
  check(only(one("Sqrt", "5", "", "5")), 5, 20, 20);
  check(only(one("Rsqrt", "5", "", "5")), 10, 20, 20);
  check(only(one("Sigmoid", "5", "", "5")), 20, 20, 20);
  check(only(one("Gelu", "5", "", "5")), 45, 20, 20);
  check(only(one("Softmax", "2,4", "", "2,4")), 40, 32, 32);
  check(only(one("Copy", "5", "", "5")), 0, 20, 20);
  check(only(one("ScalarMul", "5", "", "5", "FP32", R"("Factor":{"FLOAT":2.0})")), 5, 20, 20);
}

TEST_CASE("cost: products, sums, rows", "[inspect_ark]") {
  check(only(one("Matmul", "2,4", "4,3", "2,3", "FP32", flags)), 2 * 2 * 4 * 3, 4 * (8 + 12), 24);
  // [K, M] by transposing; batches multiply.
  check(only(one("Matmul", "5,4,2", "4,3", "5,2,3", "FP16",
                 R"("TransposeInput":{"BOOL":true},"TransposeOther":{"BOOL":false})")),
        5 * 2 * 2 * 4 * 3, 2 * (40 + 12), 2 * 30);
  // The older spelling of the flag.
  check(only(one("Matmul", "4,2", "4,3", "2,3", "FP32",
                 R"("IsInputColumnMajor":{"BOOL":true},"IsOtherColumnMajor":{"BOOL":false})")),
        2 * 2 * 4 * 3, 80, 24);
  check(only(one("Matmul", "4", "4,3", "1,3", "FP32", flags)), 2 * 4 * 3, 64, 12);
  check(only(one("MatmulGelu", "2,4", "4,3", "2,3", "FP32", flags)), 48 + 54, 80, 24);
  const std::string axis = R"("Axis":{"INT":1},"KeepDim":{"BOOL":true})";
  check(only(one("ReduceSum", "4,8", "", "4,1", "FP32", axis)), 28, 128, 16);
  check(only(one("ReduceMax", "4,8", "", "4,1", "FP32", axis)), 28, 128, 16);
  check(only(one("ReduceMean", "4,8", "", "4,1", "FP32", axis)), 32, 128, 16);
  // Of the table only the rows that are looked up.
  model m;
  m.tensor("i", "2", "INT32").tensor("table", "100,3").tensor("out", "1,1,2,3");
  m.op("Embedding", "x", "i table", "out", "r");
  check(only(m.graph()), 0, 8 + 24, 24);
}

TEST_CASE("cost: views and waiting are free", "[inspect_ark]") {
  model m;
  m.tensor("a", "4").tensor("v", "2,2", "FP32", 0).op("Tensor", "", "a", "", "v");
  m.op("Noop", "", "v", "", "");
  const ark::model g = m.graph();
  check(tessera::inspect::cost_of(g, g.ops[0]), 0, 0, 0);
  check(tessera::inspect::cost_of(g, g.ops[1]), 0, 0, 0);
}

TEST_CASE("cost: what doesn't fit 64 bits is the largest number", "[inspect_ark]") {
  const std::string big = "4294967296";
  const cost c =
      only(one("Matmul", big + ',' + big, big + ',' + big, big + ',' + big, "FP32", flags));
  check(c, UINT64_MAX, UINT64_MAX, UINT64_MAX);
}

TEST_CASE("cost: the summary of a small model", "[inspect_ark]") {
  const ark::model g = load("mlp.json");
  const flow f(g);
  const auto s = tessera::inspect::summarise(g, f);
  // fc1: 2 2 4 8, bias and relu: 16 each, fc2: 2 2 8 3.
  check(s.total, 128 + 16 + 16 + 96, (32 + 128) + (64 + 32) + 64 + (64 + 96), 3 * 64 + 24);
  REQUIRE(s.types.size() == 3);
  CHECK(s.types[0].type == "Matmul");
  CHECK(s.types[0].count == 2);
  CHECK(s.types[0].total.flops == 224);
  CHECK(s.memory.buffers == 8);
  CHECK(s.memory.bytes == 32 + 128 + 32 + 96 + 3 * 64 + 24);
  // Inputs and the output throughout, and two of the three in between.
  CHECK(s.memory.peak == 32 + 128 + 32 + 96 + 24 + 2 * 64);
  REQUIRE(s.memory.peak_op != ark::none);
  CHECK(name(g, g.ops[s.memory.peak_op]) == "bias");
  CHECK(s.memory.padding == 0);
  CHECK(s.memory.unused == 0);
  CHECK(s.transfers.empty());
}

TEST_CASE("cost: what goes to another rank", "[inspect_ark]") {
  const ark::model g = load("pair.r1.json");
  const auto s = tessera::inspect::summarise(g, flow(g));
  REQUIRE(s.transfers.size() == 1);
  CHECK(s.transfers[0].from == 1);
  CHECK(s.transfers[0].to == 0);
  CHECK(s.transfers[0].transfers == 1);
  CHECK(s.transfers[0].bytes == 24);
  CHECK(s.memory.buffers == 3);
  CHECK(s.memory.remote == 2);
}

TEST_CASE("cost: padding and what lies outside", "[inspect_ark]") {
  model m;
  // 3 of 4 columns are elements; 4 of 8 are padded; 2 rows of 8.
  m.tensor("a", "2,3", "FP32", 0, "2,8", "0,0", "2,4").tensor("out", "2,3");
  m.op("Copy", "x", "a", "out", "r");
  const ark::model g = m.graph();
  const auto s = tessera::inspect::summarise(g, flow(g));
  CHECK(s.memory.padding == 4 * 2);
  CHECK(s.memory.unused == 4 * 2 * 4);

  // Shards of one buffer together leave nothing.
  model shards;
  shards.tensor("a", "2,4", "FP32", 0, "4,4", "0,0").tensor("b", "2,4", "FP32", 0, "4,4", "2,0");
  shards.tensor("c", "2,4", "FP32", 1);
  shards.op("Add", "x", "a b", "c", "r");
  const ark::model h = shards.graph();
  const auto t = tessera::inspect::summarise(h, flow(h));
  CHECK(t.memory.padding == 0);
  CHECK(t.memory.unused == 0);
}

TEST_CASE("flow: inputs, outputs and who wrote what", "[inspect_ark]") {
  const ark::model g = load("block.json");
  const flow f(g);
  REQUIRE(f.inputs().size() == 1);
  CHECK(g.tensors[f.inputs()[0]].id == 0);
  REQUIRE(f.outputs().size() == 2);
  CHECK(name(g, g.ops[f.writer_of_output(0)]) == "mul");
  CHECK(name(g, g.ops[f.writer_of_output(1)]) == "in place");
  // Div reads what Exp wrote over Sub's result, and the sum of it.
  const auto before = f.before(4);
  REQUIRE(before.size() == 4);
  CHECK((before[0].from == 2 && before[0].kind == conflict::reads_written));
  CHECK((before[1].from == 3 && before[1].kind == conflict::reads_written));
  CHECK((before[2].from == 3 && before[2].kind == conflict::overwrites_read));
  CHECK((before[3].from == 2 && before[3].kind == conflict::overwrites_written));
  // The last one doubles what the first two have read.
  const auto last = f.before(7);
  REQUIRE(last.size() == 2);
  CHECK((last[0].from == 0 && last[0].kind == conflict::overwrites_read));
  CHECK((last[1].from == 1 && last[1].kind == conflict::overwrites_read));
}

TEST_CASE("flow: parts of a buffer", "[inspect_ark]") {
  model m;
  m.tensor("x", "2,4", "FP32", 0).tensor("left", "2,2", "FP32", 1, "2,4", "0,0");
  m.tensor("right", "2,2", "FP32", 1, "2,4", "0,2").tensor("all", "2,4", "FP32", 1);
  m.tensor("half", "2,2", "FP32", 2).tensor("out", "2,4", "FP32", 3);
  m.op("Exp", "a", "half", "left", "l").op("Relu", "b", "half", "right", "r");
  m.op("Add", "c", "all x", "out", "y");
  const ark::model g = m.graph();
  const flow f(g);
  CHECK(f.before(1).empty());  // side by side, in rows that interleave
  REQUIRE(f.before(2).size() == 2);
  CHECK(f.before(2)[0].from == 0);
  CHECK(f.before(2)[1].from == 1);
  CHECK(f.inputs().size() == 2);  // half and x, not the buffer of both
  CHECK(f.outputs().size() == 1);
  CHECK_FALSE(f.bounded());
  CHECK(flow(g, 1).bounded());
}

TEST_CASE("flow: what peers fill is no input, what is only kept is an output", "[inspect_ark]") {
  const ark::model g = load("pair.r0.json");
  const flow f(g);
  REQUIRE(f.inputs().size() == 1);
  CHECK(g.tensors[f.inputs()[0]].id == 0);
  model m;
  m.tensor("a", "4").tensor("b", "4").op("Exp", "x", "a", "b", "r").op("Noop", "", "r", "", "");
  const ark::model h = m.graph();
  CHECK(flow(h).outputs().size() == 1);
}
