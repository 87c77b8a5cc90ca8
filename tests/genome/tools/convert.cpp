// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/convert.hpp"

#include <algorithm>

#include "genome/convert_parts.hpp"
#include "genome/tools/show.hpp"

using namespace genome_tests;
using tessera::errc;
namespace ark = tessera::ark;
namespace genome = tessera::genome;
using lines = std::vector<std::string>;

namespace {

[[nodiscard]] lines of_nac(std::string_view text, bool parameter_names = false) {
  const nac_program p = nac_of_text(text);
  genomics::corpus c;
  const tessera::error e = add_graph(c, "g", *p.program, {.parameter_names = parameter_names});
  INFO(e.name());
  REQUIRE(e.code == errc::ok);
  REQUIRE(c.size() == 1);
  CHECK(c.name(0) == "g");
  return show(c, 0);
}

/// "code at instruction"; the corpus must be as it was.
[[nodiscard]] std::string nac_error(std::string_view text) {
  const nac_program p = nac_of_text(text);
  genomics::corpus c;
  const tessera::error e = add_graph(c, "g", *p.program);
  CHECK(c.size() == 0);
  CHECK(c.nodes() == 0);
  for (const nac::instruction& i : p.file->instructions())
    if (i.offset == e.offset) return std::string(e.name()) + " at " + std::to_string(i.index);
  return std::string(e.name());
}

[[nodiscard]] lines of_ark(std::string_view json) {
  const auto g = ark::read(json);
  INFO((g ? std::string_view() : g.error().name()));
  REQUIRE(g);
  genomics::corpus c;
  REQUIRE(add_graph(c, "g", *g).code == errc::ok);
  return show(c, 0);
}

/// A rank's file with these operations; a tensor is its Id, its buffer the Id over 10.
struct ark_text {
  std::string nodes;
  int count = 0;

  static std::string tensors(const std::vector<int>& ids) {
    std::string out = "[";
    for (const int id : ids) {
      if (out.size() != 1) out += ',';
      out += R"({"Id":)" + std::to_string(id) +
             R"(,"DataType":"FP32","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],)"
             R"("Buffer":{"Id":)" +
             std::to_string(id / 10) + R"(,"Rank":-1,"SendTags":[],"RecvTags":[]}})";
    }
    return out + "]";
  }
  void op(const std::string& type, const std::vector<int>& reads, const std::vector<int>& writes,
          const std::vector<int>& results, const std::string& args = "{}") {
    if (count != 0) nodes += ',';
    nodes += R"({"Id":)" + std::to_string(count++) +
             R"(,"ProducerNodeIds":[],"ConsumerNodeIds":[],"Op":{"Type":")" + type +
             R"(","Name":"n","IsVirtual":false,"ReadTensors":)" + tensors(reads) +
             R"(,"WriteTensors":)" + tensors(writes) + R"(,"ResultTensors":)" + tensors(results) +
             R"(,"Args":)" + args + "}}";
  }
  [[nodiscard]] std::string text() const {
    return R"({"Rank":0,"WorldSize":1,"Nodes":[)" + nodes + "]}";
  }
};

}  // namespace

// ---- .nac

TEST_CASE("genome_tools/convert: a .nac's arguments by position and by tensor", "[genome_tools]") {
  CHECK(of_nac(R"(
    code:
      x = input
      y = input
      twice = nac.add(x, x)
      back = nac.sub(y, x)
      both = aten.cat.default(back, x, twice, 1)
      left = nac.sub(2, both)
      slice = aten.slice.Tensor(left, 0, null, 7)
      output(slice, x)
  )") == lines{"<DATA_INPUT>", "<DATA_INPUT>", "nac.add:node_args(1):kwargs() in0,in0 [0]",
               "nac.sub:node_args(2):kwargs() in1,in0 [0 1]",
               "aten.cat.default:node_args(3):kwargs() in2,in0,in1 {arg3 int 1} [0 2 3]",
               "nac.sub:node_args(1):kwargs() in0 {arg0 int 2} [4]",
               "aten.slice.Tensor:node_args(1):kwargs() in0 {arg1 int 0; arg2 NoneType null; "
               "arg3 int 7} [5]",
               "<OUTPUT> [6 0]"});
}

TEST_CASE("genome_tools/convert: names of operations that aren't UTF-8", "[genome_tools]") {
  // They are in tables and JSON, of which a .nac file's bytes would make something that isn't either.
  genomics::node_parts n;
  CHECK(n.operation("aten.fft\xe6\xff") ==
        "aten.fft\xEF\xBF\xBD\xEF\xBF\xBD:node_args(0):kwargs()");
}

TEST_CASE("genome_tools/convert: arguments stand in the order of their names as text",
          "[genome_tools]") {
  // 12 tensors a to l: arg0, arg1, arg10, arg11, arg2 … are a, b, k, l, c …; arg12 is the constant.
  std::string code = "code:\n", names;
  for (char c = 'a'; c <= 'l'; ++c) {
    code.append("  ").append(1, c).append(" = input\n");
    names.append(1, c).append(", ");
  }
  const lines g = of_nac(code + "  y = aten.cat.default(" + names + "0)\n  output(y)\n");
  REQUIRE(g.size() == 14);
  CHECK(g[12] ==
        "aten.cat.default:node_args(12):kwargs() in0,in1,in10,in11,in2,in3,in4,in5,in6,in7,in8,in9 "
        "{arg12 int 0} [0 1 2 3 4 5 6 7 8 9 10 11]");
}

TEST_CASE("genome_tools/convert: constants of a .nac in their types", "[genome_tools]") {
  CHECK(of_nac(R"(
    code:
      x = input
      a = aten.sum.dim_IntList(x, ints [0, -1], true)
      b = nac.mul(a, 1.0)
      c = nac.mul(b, 1)
      d = nac.mul(c, 1e+20)
      e = aten.gelu.default(d, "ta\"nh")
      f = nac.mul(e, -inf)
      h = nac.mul(f, nan)
      i = aten.upsample_nearest2d.vec(h, null, floats [2.0, 0.5])
      output(i)
  )") == lines{"<DATA_INPUT>",
               "aten.sum.dim_IntList:node_args(1):kwargs() in0 {arg1 list [0,-1]; arg2 bool true} "
               "[0]",
               "nac.mul:node_args(1):kwargs() in0 {arg1 float 1.0} [1]",
               "nac.mul:node_args(1):kwargs() in0 {arg1 int 1} [2]",
               "nac.mul:node_args(1):kwargs() in0 {arg1 float 1e+20} [3]",
               "aten.gelu.default:node_args(1):kwargs() in0 {arg1 str \"ta\\\"nh\"} [4]",
               "nac.mul:node_args(1):kwargs() in0 {arg1 float \"-inf\"} [5]",
               "nac.mul:node_args(1):kwargs() in0 {arg1 float \"nan\"} [6]",
               "aten.upsample_nearest2d.vec:node_args(1):kwargs() in0 {arg1 NoneType null; arg2 "
               "list [2.0,0.5]} [7]",
               "<OUTPUT> [8]"});
}

TEST_CASE("genome_tools/convert: inputs of a .nac, with the names of parameters or without",
          "[genome_tools]") {
  constexpr std::string_view text = R"(
    weights external
    code:
      x = input
      w = parameter "layer.weight"
      s = state 3
      k = lifted 7
      y = aten.linear.default(x, w)
      z = nac.add(y, s)
      u = nac.add(z, k)
      output(u)
  )";
  const lines with = of_nac(text, true), without = of_nac(text);
  REQUIRE(with.size() == 8);
  CHECK(with[1] == "<CONST_REF> {parameter layer.weight}");  // each in front of what takes it
  CHECK(with[2] == "aten.linear.default:node_args(2):kwargs() in0,in1 [0 1]");
  CHECK(with[3] == "<CONST_REF> {parameter state.3}");
  CHECK(with[4] == "nac.add:node_args(2):kwargs() in0,in1 [2 3]");
  CHECK(with[5].starts_with("<CONST_REF> {parameter constant."));
  for (std::size_t i : {1u, 3u, 5u}) CHECK(without[i] == "<CONST_REF>");
  for (std::size_t i : {0u, 2u, 4u, 6u, 7u}) CHECK(with[i] == without[i]);
}

TEST_CASE("genome_tools/convert: a parameter of a .nac is in front of what first takes it",
          "[genome_tools]") {
  const lines of = of_nac(R"(
    weights external
    code:
      unused = parameter "u"
      w = parameter "w"
      b = parameter "b"
      x = input
      y = aten.linear.default(x, w, b)
      z = aten.linear.default(y, w)
      v = parameter "v"
      t = nac.add(z, v)
      output(t, b)
  )",
                          true);
  CHECK(of == lines{"<CONST_REF> {parameter u}", "<DATA_INPUT>", "<CONST_REF> {parameter w}",
                    "<CONST_REF> {parameter b}",
                    "aten.linear.default:node_args(3):kwargs() in0,in1,in2 [1 2 3]",
                    "aten.linear.default:node_args(2):kwargs() in1,in0 [2 4]",
                    "<CONST_REF> {parameter v}", "nac.add:node_args(2):kwargs() in0,in1 [5 6]",
                    "<OUTPUT> [7 3]"});
  // Control flow keeps the file's order: blocks take what is outside of them.
  const lines kept = of_nac(R"(
    weights external
    code:
      w = parameter "w"
      x = input
      c = control_flow(x, 2, 1)
      a = nac.add(x, w)
      subgraph_output(a)
      d = nac.neg(x)
      output(c)
  )",
                            true);
  CHECK(kept[0] == "<CONST_REF> {parameter w}");
}

TEST_CASE("genome_tools/convert: a CONTROL_FLOW lists what its branches take", "[genome_tools]") {
  CHECK(of_nac(R"(
    code:
      p = input
      x = input
      y = input
      c = control_flow(p, 3, 1)
      a = nac.add(y, x)
      b = nac.mul(a, p)
      subgraph_output(b)
      d = nac.neg(y)
      e = nac.add(c, x)
      output(e)
  )") == lines{"<DATA_INPUT>", "<DATA_INPUT>", "<DATA_INPUT>",
               "<CONTROL_FLOW_PREFIX> IF {blocks 3,1} [0 0 1 2]",
               "nac.add:node_args(2):kwargs() in1,in0 [1 2]",
               "nac.mul:node_args(2):kwargs() in1,in0 [0 4]", "<OUTPUT> [5]",
               "nac.neg:node_args(1):kwargs() in0 [2]",
               "nac.add:node_args(2):kwargs() in1,in0 [1 3]", "<OUTPUT> [8]"});
}

TEST_CASE("genome_tools/convert: empty and nested branches", "[genome_tools]") {
  // Instructions 2 to 7; each empty branch is an OUTPUT, so that later nodes move.
  CHECK(of_nac(R"(
    code:
      p = input
      x = input
      outer = control_flow(p, 4, 0)
      a = nac.neg(x)
      inner = control_flow(a, 0, 1)
      b = nac.add(a, x)
      c = nac.mul(inner, a)
      e = nac.neg(outer)
      last = control_flow(e, 0, 0)
      output(last)
  )") == lines{"<DATA_INPUT>",                                   // 0
               "<DATA_INPUT>",                                   // 1
               "<CONTROL_FLOW_PREFIX> IF {blocks 5,1} [0 1]",    // 2
               "nac.neg:node_args(1):kwargs() in0 [1]",          // 3
               "<CONTROL_FLOW_PREFIX> IF {blocks 1,1} [3 1 3]",  // 4
               "<OUTPUT>",                                       // 5
               "nac.add:node_args(2):kwargs() in1,in0 [1 3]",    // 6
               "nac.mul:node_args(2):kwargs() in1,in0 [3 4]",    // 7
               "<OUTPUT>",                                       // 8
               "nac.neg:node_args(1):kwargs() in0 [2]",          // 9
               "<CONTROL_FLOW_PREFIX> IF {blocks 1,1} [9]",      // 10
               "<OUTPUT>", "<OUTPUT>",                           // 11, 12
               "<OUTPUT> [10]"});
}

TEST_CASE("genome_tools/convert: control flow that v1.2 has no node for", "[genome_tools]") {
  const std::string start = "code:\n p = input\n x = input\n";
  CHECK(nac_error(start + "m = convergence(x)\n output(m)\n") == "genome_counterpart at 2");
  CHECK(nac_error(start + "c = control_flow(p, 1, 0)\n y = input\n output(c)\n") ==
        "genome_counterpart at 3");
  CHECK(nac_error(start + "c = control_flow(p, 1, 0)\n output(x)\n output(c)\n") ==
        "genome_counterpart at 3");
  CHECK(nac_error(start + "c = control_flow(p, 2, 0)\n subgraph_output(x)\n y = nac.neg(x)\n"
                          "output(c)\n") == "genome_counterpart at 3");
  CHECK(nac_error(start + "c = control_flow(p, 1, 0)\n y = nac.neg(x)\n output(y)\n") ==
        "genome_counterpart at 4");
  CHECK(nac_error(start + "c = control_flow(p, 1, 1)\n y = nac.neg(x)\n z = nac.neg(y)\n"
                          "output(c)\n") == "genome_counterpart at 4");
  CHECK(nac_error(start + "c = control_flow(p, 1, 0)\n y = nac.neg(c)\n output(c)\n") ==
        "genome_counterpart at 3");
}

TEST_CASE("genome_tools/convert: 252 results go into an IF's blocks, not 253", "[genome_tools]") {
  const auto code = [](int taken) {
    std::string inputs = "code:\n p = input\n", body;
    for (int i = 0; i < taken; ++i) {
      inputs += " x" + std::to_string(i) + " = input\n";
      body += " y" + std::to_string(i) + " = nac.neg(x" + std::to_string(i) + ")\n";
    }
    return inputs + " c = control_flow(p, " + std::to_string(taken) + ", 0)\n" + body +
           " output(c)\n";
  };
  const lines most = of_nac(code(252));
  REQUIRE(most.size() == 1 + 252 + 1 + 252 + 1 + 1);
  CHECK(std::count(most[253].begin(), most[253].end(), ' ') == 4 + 252);
  CHECK(nac_error(code(253)) == "genome_node_inputs at 254");
}

TEST_CASE("genome_tools/convert: thousands of branches in branches", "[genome_tools]") {
  // Each level takes x of its own from outside of all, so that the outermost ones list the most.
  constexpr std::uint32_t depth = 4'000, outside = 100;
  std::string code = "code:\n p = input\n";
  for (std::uint32_t i = 0; i < outside; ++i) code += " x" + std::to_string(i) + " = input\n";
  for (std::uint32_t i = 0; i < depth; ++i) {
    const std::uint32_t rest = 2 * (depth - i) - 1;  // instructions after, all of them inside
    code += " c" + std::to_string(i) + " = control_flow(p, " + std::to_string(rest) + ", 0)\n";
    code += " y" + std::to_string(i) + " = nac.neg(x" + std::to_string(i % outside) + ")\n";
  }
  const nac_program p = nac_of_text(code + " output(c0)\n");
  genomics::corpus c;
  REQUIRE(add_graph(c, "g", *p.program).code == errc::ok);
  const genomics::corpus::graph g = c[0];
  REQUIRE(g.size() == 1 + outside + 2 * depth + depth + 1);  // an OUTPUT for each empty branch
  CHECK(g.inputs(1 + outside).size() == 1 + 1 + outside);    // p twice: within, it is a condition
  CHECK(g.inputs(1 + outside + 2 * (depth - 1)).size() == 1 + 1);
  CHECK(show_kind(c.names(), g.kinds[1 + outside]) ==
        "<CONTROL_FLOW_PREFIX> IF {blocks " + std::to_string(3 * depth - 2) + ",1}");
}

// ---- ARK

TEST_CASE("genome_tools/convert: ARK operations take what was last written", "[genome_tools]") {
  ark_text t;
  t.op("Tensor", {}, {}, {30});  // names memory
  t.op("Matmul", {10, 20}, {30}, {31},
       R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":true}})");
  t.op("Add", {31, 10}, {31}, {32});  // in place
  t.op("Relu", {31}, {40}, {41});     // version 31 was overwritten
  t.op("Reshape", {33}, {}, {34});    // same buffer, another Id
  t.op("Sub", {34, 34}, {50}, {51});
  t.op("ScalarMul", {41}, {60}, {61}, R"({"Factor":{"FLOAT":0.5}})");
  CHECK(of_ark(t.text()) ==
        lines{"<DATA_INPUT>", "<DATA_INPUT>",
              "ark.Matmul:node_args(2):kwargs('TransposeInput', 'TransposeOther') in0,in1 "
              "{TransposeInput bool false; TransposeOther bool true} [0 1]",
              "ark.Add:node_args(2):kwargs() in1,in0 [0 2]",
              "ark.Relu:node_args(1):kwargs() in0 [3]", "ark.Reshape:node_args(1):kwargs() in0 [3]",
              "ark.Sub:node_args(1):kwargs() in0,in0 [5]",
              "ark.ScalarMul:node_args(1):kwargs('Factor',) in0 {Factor float 0.5} [4]",
              "<OUTPUT> [6 7]"});
}

TEST_CASE("genome_tools/convert: ARK arguments of every type", "[genome_tools]") {
  ark_text t;
  t.op("Odd", {10}, {20}, {21},
       R"({"d":{"DIMS":[0,2,1]},"A":{"INT":-3},"b":{"UINT64":18446744073709551615},)"
       R"("f":{"FLOAT":0.1},"o":{"OFFSET":{"BufferId":1,"Value":2}},"e'=;":{"BOOL":true}})");
  t.op("ScalarAdd", {21}, {30}, {31}, R"({"Value":{"FLOAT":2}})");  // an older name
  t.op("ScalarMul", {31}, {40}, {41}, R"({"Value":{"FLOAT":2},"Factor":{"FLOAT":3}})");
  t.op("Noop", {41}, {}, {});  // gives nothing
  CHECK(of_ark(t.text()) ==
        lines{"<DATA_INPUT>",
              "ark.Odd:node_args(1):kwargs('A', 'b', 'd', 'e%27%3d%3b', 'f') in0 {A int -3; b int "
              "18446744073709551615; d list [0,2,1]; e%27%3d%3b bool true; f float "
              "0.10000000149011612} [0]",
              "ark.ScalarAdd:node_args(1):kwargs('Factor',) in0 {Factor float 2.0} [1]",
              "ark.ScalarMul:node_args(1):kwargs('Factor',) in0 {Factor float 3.0} [2]",
              "ark.Noop:node_args(1):kwargs() in0 [3]"});
}

TEST_CASE("genome_tools/convert: one ARK model in all dialects is one graph", "[genome_tools]") {
  genomics::corpus c;
  for (const char* name : {"mlp.d3.json", "mlp.d1a.min.json", "mlp.d1b.json", "mlp.d1c.json",
                           "mlp.d2.json", "mlp.d2x.json", "mlp.d3x.json"}) {
    const std::string text =
        content_of(std::filesystem::path(TESSERA_TESTS_DATA_DIR) / "ark" / "ok" / name);
    const auto g = ark::read(text);
    REQUIRE(g);
    REQUIRE(add_graph(c, name, *g).code == errc::ok);
    INFO(name);
    CHECK(show(c, c.size() - 1) == show(c, 0));
  }
  const lines g = show(c, 0);
  CHECK(g[2] ==
        "ark.Matmul:node_args(2):kwargs('TransposeInput', 'TransposeOther') in0,in1 "
        "{TransposeInput bool false; TransposeOther bool true} [0 1]");
  CHECK(g[4] == "ark.Add:node_args(2):kwargs() in0,in1 [2 3]");
  CHECK(g[5] == "ark.Relu:node_args(1):kwargs() in0 [4]");
}
