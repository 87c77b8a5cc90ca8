// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two models.

#include "tessera/inspect/ark/diff.hpp"

#include <algorithm>
#include <regex>

#include "models.hpp"

namespace {

using namespace tests;
using tessera::inspect::diff;
using tessera::inspect::graph_difference;

/// x -> Exp -> Relu -> Sqrt, a chain of `count` in turns.
std::string chain(int count, int without = -1) {
  const char* const types[] = {"Exp", "Relu", "Sqrt"};
  model m;
  m.tensor("x", "4");
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    if (i == without) continue;
    const std::string n = std::to_string(i);
    m.tensor("w" + n, "4").op(types[i % 3], "op" + n, last, "w" + n, "r" + n);
    last = "r" + n;
  }
  return m.text();
}

std::string part(const graph_difference& d, const std::string& what) {
  for (const auto& o : d.ops)
    for (const auto& p : o.parts)
      if (p.what == what) return p.before + " -> " + p.after;
  return "no such part";
}

}  // namespace

TEST_CASE("diff: Ids and names make no difference", "[inspect_ark]") {
  const std::string text = load_text("block.json");
  const std::string ids = std::regex_replace(text, std::regex(R"("Id":(\d+))"), R"("Id":7$1)");
  const std::string names =
      std::regex_replace(ids, std::regex(R"("Name": "[^"\\]*")"), R"("Name": "n")");
  REQUIRE(names != text);
  const graph_difference d = diff(parse(text), parse(names));
  CHECK(d.same());
  CHECK(d.unchanged == 8);
}

TEST_CASE("diff: neither does the order of what is independent", "[inspect_ark]") {
  const auto build = [](bool swapped) {
    model m;
    m.tensor("x", "4").tensor("y", "4").tensor("a", "4").tensor("b", "4").tensor("c", "4");
    m.tensor("d", "4").tensor("e", "4");
    const auto one = [&m] { m.op("Exp", "", "x", "a", "ra").op("Relu", "", "x", "c", "rc"); };
    const auto other = [&m] { m.op("Exp", "", "y", "b", "rb").op("Sqrt", "", "y", "d", "rd"); };
    swapped ? other() : one();
    swapped ? one() : other();
    m.op("Sub", "", "ra rb", "e", "re");
    return m.graph();
  };
  CHECK(diff(build(false), build(true)).same());
}

TEST_CASE("diff: one argument, one shape, one operation", "[inspect_ark]") {
  const std::string text = load_text("block.json");
  const auto with = [&text](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    REQUIRE(at != other.npos);
    other.replace(at, from.size(), to);
    return diff(parse(text), parse(other));
  };
  graph_difference d = with(R"("FLOAT":2.0)", R"("FLOAT":3.0)");
  CHECK(d.changed == 1);
  CHECK(d.unchanged == 7);
  CHECK(part(d, "Args") == "Factor=2 -> Factor=3");
  d = with(R"("Factor")", R"("Value")");  // another spelling of the same
  CHECK(d.same());
  d = with(R"("WorldSize": 1)", R"("WorldSize": 2)");
  REQUIRE(d.model.size() == 1);
  CHECK(d.model[0].what == "WorldSize");
  d = with(R"("Type": "Sigmoid")", R"("Type": "Relu")");
  CHECK(d.added == 1);
  CHECK(d.removed == 1);

  d = diff(load("mlp.json"), load("wide.json"));
  CHECK(part(d, "ReadTensors[1].Shape") == "[8, 3] -> [8, 5]");
  CHECK(d.added == 1);
  CHECK(d.removed == 1);
  CHECK(d.changed == 1);
  CHECK(d.unchanged == 2);
}

TEST_CASE("diff: an operation less in a chain", "[inspect_ark]") {
  const graph_difference d = diff(parse(chain(30)), parse(chain(30, 12)));
  CHECK(d.removed == 1);
  CHECK(d.added == 0);
  CHECK(d.changed <= 2);
  const graph_difference back = diff(parse(chain(30, 12)), parse(chain(30)));
  CHECK(back.added == 1);
  CHECK(back.removed == 0);
}

TEST_CASE("diff: edges, sources and shared buffers", "[inspect_ark]") {
  const auto build = [](const std::string& read, int buffer) {
    model m;
    m.tensor("x", "4").tensor("a", "4").tensor("b", "4").tensor("c", "4", "FP32", buffer);
    m.op("Exp", "e", "x", "a", "ra").op("Relu", "r", "x", "b", "rb");
    m.op("Add", "s", "ra " + read, "c", "rc");
    return m.graph();
  };
  const ark::model g = build("rb", -1);
  CHECK(diff(g, build("rb", -1)).same());
  graph_difference d = diff(g, build("ra", -1));
  CHECK_FALSE(d.same());
  CHECK(part(d, "ReadTensors[1] from") == "Relu \"r\" in node 1 -> Exp \"e\" in node 0");
  // In the buffer of the input, which is overwritten then.
  d = diff(g, build("rb", 0));
  CHECK_FALSE(d.same());

  std::string text = load_text("mlp.json");
  const std::string edge = "\"ProducerNodeIds\": [2]";
  REQUIRE(text.find(edge) != text.npos);
  text.replace(text.find(edge), edge.size(), "\"ProducerNodeIds\": [2,0]");
  d = diff(load("mlp.json"), parse(text));
  CHECK(part(d, "Producers") == " -> node 0");
}

TEST_CASE("diff: a file is the same as itself, however large", "[inspect_ark]") {
  const std::string text = chain(400);
  CHECK(diff(parse(text), parse(text)).unchanged == 400);
}

TEST_CASE("diff: views may be passed over", "[inspect_ark]") {
  const auto build = [](bool view) {
    model m;
    m.tensor("x", "4").tensor("v", "2,2", "FP32", 0).tensor("a", "2,2");
    if (view) m.op("Tensor", "", "x", "", "v");
    m.op("Exp", "", "v", "a", "r");
    std::string text = m.text();
    const std::size_t at = text.find("\"IsVirtual\":false");
    if (view) text.replace(at, 17, "\"IsVirtual\":true");
    return parse(text);
  };
  CHECK(diff(build(true), build(false)).removed == 1);
  CHECK(diff(build(true), build(false), {.views = false}).same());
}
