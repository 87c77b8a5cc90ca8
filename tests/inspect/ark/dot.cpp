// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Compositions and pictures.

#include "tessera/inspect/ark/dot.hpp"

#include <string_view>

#include "models.hpp"
#include "tessera/inspect/ark/fold.hpp"

namespace {

using namespace tests;
using tessera::inspect::composition;
using tessera::inspect::find_compositions;
using tessera::inspect::flow;

std::vector<composition> found(const ark::model& g) { return find_compositions(g, flow(g)); }

const char* const last_axis = R"("Axis":{"INT":1},"KeepDim":{"BOOL":true})";

/// RMSNorm with everything that may belong to it, or with a reader of the squares outside.
model norm(bool read_inside) {
  model m;
  m.tensor("x", "2,4", "FP16").tensor("wide", "2,4").tensor("square", "2,4").tensor("mean", "2,1");
  m.tensor("eps", "2,1").tensor("scale", "2,1").tensor("normed", "2,4").tensor("weight", "1,4");
  m.tensor("back", "2,4", "FP16").tensor("spy", "2,4");
  m.op("Cast", "", "x", "wide", "c").op("Mul", "", "c c", "square", "s");
  m.op("ReduceMean", "", "s", "mean", "m", last_axis);
  m.op("ScalarAdd", "", "m", "eps", "e", R"("Factor":{"FLOAT":1e-5})");
  m.op("Rsqrt", "", "e", "scale", "r").op("Mul", "", "c r", "normed", "n");
  m.op("Mul", "", "n weight", "normed", "w").op("Cast", "", "w", "back", "b");
  if (read_inside) m.op("Exp", "", "s", "spy", "y");
  return m;
}

std::string drawn(const ark::model& g, bool fold = false) {
  const ark::model* ranks[] = {&g};
  const tessera::text out = tessera::inspect::dot(tessera::inspect::draw(ranks, {.fold = fold}));
  return std::string(out.view());
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("fold: Softmax in place, SiLU", "[inspect_ark]") {
  const ark::model g = load("block.json");
  const auto all = found(g);
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "Softmax");
  CHECK(all[0].ops == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  CHECK(all[1].name == "SiLU");
  CHECK(all[1].ops == std::vector<std::uint32_t>{5, 6});
}

TEST_CASE("fold: RMSNorm with casts and a weight", "[inspect_ark]") {
  const auto all = found(norm(false).graph());
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "RMSNorm");
  CHECK(all[0].ops.size() == 8);
}

TEST_CASE("fold: what is read from outside is no composition", "[inspect_ark]") {
  CHECK(found(norm(true).graph()).empty());
}

TEST_CASE("fold: LayerNorm", "[inspect_ark]") {
  model m;
  m.tensor("x", "2,4").tensor("mean", "2,1").tensor("d", "2,4").tensor("square", "2,4");
  m.tensor("var", "2,1").tensor("eps", "2,1").tensor("scale", "2,1").tensor("out", "2,4");
  m.op("ReduceMean", "", "x", "mean", "m", last_axis).op("Sub", "", "x m", "d", "rd");
  m.op("Mul", "", "rd rd", "square", "s").op("ReduceMean", "", "s", "var", "v", last_axis);
  m.op("ScalarAdd", "", "v", "eps", "e", R"("Factor":{"FLOAT":1e-6})");
  m.op("Rsqrt", "", "e", "scale", "r").op("Mul", "", "r rd", "out", "y");
  const auto all = found(m.graph());
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "LayerNorm");
  CHECK(all[0].ops.size() == 7);
}

TEST_CASE("dot: names are quoted whatever they hold", "[inspect_ark]") {
  const std::string dot = drawn(load("block.json"));
  CHECK(dot.find("a &quot;quoted&quot; &lt;name&gt; &amp; \\ more") != dot.npos);
  model m;
  m.tensor("x", "4").tensor("y", "4");
  m.op("Exp", R"(\u0001\n\"]>; \u00e9)" + std::string(100, 'z'), "x", "y", "r");
  const std::string odd = drawn(m.graph());
  CHECK(odd.find('\x01') == odd.npos);
  CHECK(odd.find("&quot;]&gt;; \xC3\xA9zz") != odd.npos);
  CHECK(odd.find(std::string(60, 'z')) == odd.npos);
}

TEST_CASE("dot: boxes, arrows, ends", "[inspect_ark]") {
  const std::string dot = drawn(load("mlp.json"));
  CHECK(count(dot, "<B>") == 4);
  CHECK(count(dot, "r0_op0 -> r0_op1") == 1);
  CHECK(count(dot, "input t") == 4);
  CHECK(count(dot, "output t") == 1);
  CHECK(count(dot, "dotted") == 0);
  const std::string block = drawn(load("block.json"));
  CHECK(count(block, "r0_op0 -> r0_op7 [style=\"dotted\", tooltip=\"overwrites what was read\"]") ==
        1);
  CHECK(count(block, "r0_op1 -> r0_op7 [style=\"dotted\"") == 1);
  const std::string folded = drawn(load("block.json"), true);
  CHECK(count(folded, "<B>") == 3);
  CHECK(count(folded, "<B>Softmax</B>") == 1);
  CHECK(count(folded, "r0_fold0 -> r0_fold1;") == 1);
}

TEST_CASE("dot: ranks and what goes between them", "[inspect_ark]") {
  const ark::model a = load("pair.r0.json"), b = load("pair.r1.json");
  const ark::model* ranks[] = {&a, &b};
  const tessera::text out = tessera::inspect::dot(tessera::inspect::draw(ranks));
  CHECK(count(out, "subgraph cluster_r") == 2);
  CHECK(count(out, "r0_op0 -> r1_op1 [style=\"dashed\"") == 1);
  CHECK(count(out, "r1_op0 -> r0_op1 [style=\"dashed\"") == 1);
}

TEST_CASE("dot: broken graphs are drawn too", "[inspect_ark]") {
  CHECK(count(drawn(load("broken.json")), "<B>") == 4);
  CHECK(count(drawn(load("unknown.json")), "Frobnicate") == 1);
}
