// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/corpus.hpp"

#include "genome/tools/show.hpp"

using namespace genome_tests;
using genomics::argument;

namespace {

[[nodiscard]] std::vector<std::uint32_t> values(std::span<const std::uint32_t> s) {
  return {s.begin(), s.end()};
}
using numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("genome_tools/corpus: names get numbers in the order in which they come",
          "[genome_tools]") {
  genomics::name_table t;
  CHECK(t.size() == 0);
  CHECK(t.find("") == 0);
  CHECK(t.add("b") == 0);
  CHECK(t.add("") == 1);
  CHECK(t.add("a") == 2);
  CHECK(t.add("b") == 0);
  CHECK(t.add(std::string_view("b\0", 2)) == 3);
  CHECK(t.size() == 4);
  CHECK(t.find("a") == 2);
  CHECK(t.find("") == 1);
  CHECK(t.find("c") == t.size());
  CHECK(t[3] == std::string_view("b\0", 2));
  CHECK(t[1].empty());
}

TEST_CASE("genome_tools/corpus: many names", "[genome_tools]") {
  genomics::name_table t;
  constexpr std::uint32_t count = 20'000;
  for (std::uint32_t i = 0; i < count; ++i) REQUIRE(t.add("n" + std::to_string(i * 7919)) == i);
  for (std::uint32_t i = 0; i < count; i += 37) {
    REQUIRE(t.find("n" + std::to_string(i * 7919)) == i);
    REQUIRE(t[i] == "n" + std::to_string(i * 7919));
  }
  CHECK(t.find("n1") == count);
}

TEST_CASE("genome_tools/corpus: the commands are the first operations", "[genome_tools]") {
  const genomics::vocabulary v;
  CHECK(v.operations().size() == 10);
  CHECK(v.operations()[2] == "<DATA_INPUT>");
  CHECK(v.operations()[5] == "<CONST_REF>");
  CHECK(v.operations()[8] == "<CONTROL_FLOW_PREFIX>");
  CHECK(v.variations()[0].empty());
  CHECK(v.constants_size() == 1);
  CHECK(v.arguments(0).empty());
  CHECK(v.size() == 0);
}

TEST_CASE("genome_tools/corpus: kinds differ in operation, variation, and each part of constants",
          "[genome_tools]") {
  genomics::vocabulary v;
  const argument base[] = {{"arg1", "int", "1"}, {"dim", "int", "2"}};
  const std::string name = "aten.x.default:node_args(1):kwargs()";
  const std::uint32_t first = v.kind(name, "in0", base);
  CHECK(v.kind(std::string(name), "in0", base) == first);
  std::vector<std::uint32_t> others = {first, v.kind("y", "in0", base), v.kind(name, "in1", base),
                                       v.kind(name, "in0", {}), v.kind(name, "in0", {base, 1})};
  const argument changed[][2] = {
      {{"arg2", "int", "1"}, base[1]},   {{"arg1", "bool", "1"}, base[1]},
      {{"arg1", "int", "1.0"}, base[1]}, {{"arg1i", "nt", "1"}, base[1]},
      {{"arg1", "int1", ""}, base[1]},   {base[1], base[0]}};
  for (const auto& c : changed) others.push_back(v.kind(name, "in0", c));
  for (std::size_t i = 0; i < others.size(); ++i) CHECK(others[i] == i);
  CHECK(v.size() == others.size());

  const std::vector<argument> back = v.arguments(v[first].constants);
  REQUIRE(back.size() == 2);
  CHECK(back[0].key == "arg1");
  CHECK(back[1].type == "int");
  CHECK(back[1].value == "2");
  CHECK(v.operations()[v[first].operation] == name);
  CHECK(v.target(v[first].operation) == "aten.x.default");
  CHECK(v.target(5) == "<CONST_REF>");
}

TEST_CASE("genome_tools/corpus: values may hold any bytes", "[genome_tools]") {
  genomics::vocabulary v;
  const std::string odd("\0;=\n\"", 5), longer(70'000, 'x');
  const argument given[] = {{"", odd, longer}, {odd, "", ""}};
  const std::vector<argument> back = v.arguments(v[v.kind("a", "", given)].constants);
  REQUIRE(back.size() == 2);
  CHECK(back[0].type == odd);
  CHECK(back[0].value == longer);
  CHECK(back[1].key == odd);
  CHECK(back[1].value.empty());
}

TEST_CASE("genome_tools/corpus: graphs with their nodes and inputs", "[genome_tools]") {
  genomics::corpus c;
  CHECK(c.size() == 0);
  c.begin("one");
  const std::uint32_t in = c.names().kind("<DATA_INPUT>", "", {}), op = c.names().kind("a", "", {});
  c.add(in, {});
  c.add(op, {0});
  c.add(op, {1, 0});
  c.begin("empty");
  c.begin("wrong");
  c.add(in, {});
  CHECK(c.nodes() == 4);
  c.drop_last();
  CHECK(c.nodes() == 3);
  c.begin("two");
  c.add(in, {});

  REQUIRE(c.size() == 3);
  CHECK(c.name(0) == "one");
  CHECK(c.name(2) == "two");
  const genomics::corpus::graph g = c[0];
  REQUIRE(g.size() == 3);
  CHECK(values(g.kinds) == numbers{in, op, op});
  CHECK(values(g.inputs(0)).empty());
  CHECK(values(g.inputs(1)) == numbers{0});
  CHECK(values(g.inputs(2)) == numbers{1, 0});
  CHECK(c[1].size() == 0);
  CHECK(c[2].size() == 1);
  CHECK(c.nodes() == 4);
}

TEST_CASE("genome_tools/corpus: a node takes 14 to 20 bytes", "[genome_tools]") {
  genomics::corpus c;
  constexpr std::uint32_t graphs = 40, size = 2000;
  for (std::uint32_t g = 0; g < graphs; ++g) {
    c.begin("model " + std::to_string(g));
    for (std::uint32_t i = 0; i < size; ++i) {  // 1.5 inputs each, as in residual networks
      const std::uint32_t kind = c.names().kind("op" + std::to_string(i % 50), "", {});
      if (i < 2)
        c.add(kind, {});
      else if (i % 2 == 0)
        c.add(kind, {i - 1});
      else
        c.add(kind, {i - 1, i - 2});
    }
  }
  c.begin("the last one makes the ones before as small as they get");
  const double each = static_cast<double>(c.memory()) / static_cast<double>(c.nodes());
  INFO(each << " bytes");
  CHECK(c.nodes() == graphs * size);
  CHECK(each >= 14);
  CHECK(each <= 20);
}

TEST_CASE("genome_tools/corpus: memory counts names", "[genome_tools]") {
  genomics::corpus c;
  c.begin("g");
  const std::uint64_t before = c.memory();
  constexpr std::uint32_t count = 10'000, size = 50;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = std::to_string(i);
    name.resize(size, '.');
    const argument parameter{"", "parameter", name};
    c.add(c.names().kind("<CONST_REF>", "", {&parameter, 1}), {});
  }
  const std::uint64_t each = (c.memory() - before) / count;
  INFO(each << " bytes");
  CHECK(each >= size + 8 + 12 + 60);          // name, node, kind, and entries in two tables
  CHECK(each <= 2 * (size + 30 + 20) + 200);  // vectors double
}
