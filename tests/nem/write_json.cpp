// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <limits>
#include <string>
#include <string_view>
#include <tessera/nem/read.hpp>
#include <tessera/nem/write.hpp>

#include "nem/generator.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

using namespace tessera;

namespace {

std::string json_of(std::string_view source) {
  auto d = nem_test::read(source);
  REQUIRE(d);
  const text t = nem::write_json(*d);
  return std::string(t.view());
}
/// What is between the brackets of "nodes", without the indent.
std::string nodes_of(std::string_view source) {
  const std::string json = json_of(source);
  std::string nodes;
  std::size_t line = json.find("[\n") + 2;
  while (json.compare(line, 4, "  ]\n") != 0) {
    const std::size_t end = json.find('\n', line);
    nodes += json.substr(line + 4, end - line - 3);
    line = end + 1;
  }
  return nodes;
}

}  // namespace

TEST_CASE("nem/write_json: a document", "[nem]") {
  CHECK(json_of("") == "{\n  \"format\": \"nem-ast\",\n  \"version\": 1,\n  \"nodes\": []\n}\n");
  CHECK(json_of("program p:\nlet a = [1, 2.5]\n") == R"({
  "format": "nem-ast",
  "version": 1,
  "nodes": [
    {"kind":"program","range":[0,10],"name":"p"},
    {
      "kind": "let",
      "range": [11,16],
      "name": "a",
      "children": [
        {
          "kind": "list",
          "range": [19,8],
          "children": [
            {"kind":"integer","range":[20,1],"value":1},
            {"kind":"real","range":[23,3],"value":2.5}
          ]
        }
      ]
    }
  ]
}
)");
}

TEST_CASE("nem/write_json: expressions are trees of their operators", "[nem]") {
  CHECK(
      nodes_of("let a = 1 - b * -2")
          .find(
              R"({"kind":"subtract","range":[8,10],"left":{"kind":"integer","range":[8,1],"value":1},)"
              R"("right":{"kind":"multiply","range":[12,6],"left":{"kind":"name","range":[12,1],)"
              R"("name":"b"},"right":{"kind":"negate","range":[16,2],"operand":{"kind":"integer",)"
              R"("range":[17,1],"value":2}}}})") != std::string::npos);
}

TEST_CASE("nem/write_json: the range of an expression has its parentheses", "[nem]") {
  CHECK(nodes_of("let a = (1 - 2)").find(R"({"kind":"subtract","range":[8,7],)") !=
        std::string::npos);
  CHECK(nodes_of("let a = (1 - 2) * 3").find(R"("left":{"kind":"subtract","range":[9,5],)") !=
        std::string::npos);
}

TEST_CASE("nem/write_json: fields by kind", "[nem]") {
  const auto has = [](std::string_view source, std::string_view field) {
    INFO(source);
    return json_of(source).find(field) != std::string::npos;
  };
  CHECK(has("include \"a/b\"", "\"kind\":\"include\",\"range\":[0,13],\"path\":\"a/b\""));
  CHECK(has("buffer B : L1[2] (size=8)", "\"level\": \"L1\""));
  CHECK(has("t = store.sync(dst=a, src=b)", "\"name\": \"t\",\n      \"mode\": \"sync\""));
  CHECK_FALSE(has("store.sync(dst=a, src=b)", "\"name\": \"t\""));
  CHECK(has("relu.async in a out b", "\"kind\":\"opcode\",\"range\":[0,4],\"name\":\"relu\""));
  CHECK(has("let r = region(B, 0, 4) elem=bool, shape=[4]", "\"element\":\"bool\""));
  CHECK(has("let r = region(B, 0, 4) elem=i8, shape=[4], quant=per_tensor(scale=1, zero_point=0)",
            "\"form\": \"per_tensor\""));
  CHECK(has("let r = region(B, 0, 4) elem=i8, shape=[4], quant=per_tensor(scale=1, zero_point=0)",
            "\"field\": \"zero_point\""));
  CHECK(has("type_family f { variants: v: {} conformance: { MUST MAY } }",
            "\"conformance\":\"MUST\""));
  CHECK(has("device d { spec_version = \"1.0\" }", "\"value\":\"1.0\""));
  auto infinite = nem_test::read("let a = 1.5");  // which no file has
  REQUIRE(infinite);
  infinite->reals[0] = std::numeric_limits<double>::infinity();
  const text json = nem::write_json(*infinite);
  CHECK(json.view().find("\"value\":1e999") != std::string_view::npos);
  CHECK(has("let a = 9223372036854775807", "\"value\":9223372036854775807"));
}

TEST_CASE("nem/write_json: each node is there", "[nem]") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const std::string source = tests::generator(seed, 0).file();
    INFO(source);
    auto d = nem_test::read(source);
    REQUIRE(d);
    std::size_t nodes = 0, kinds = 0;
    for (const nem::node& n : d->nodes) nodes += n.kind != nem::node_kind::expression;
    const std::string json = json_of(source);
    for (std::size_t at = 0; (at = json.find("\"kind\":", at)) != std::string::npos; ++at) ++kinds;
    CHECK(kinds == nodes);
  }
}

TEST_CASE("nem/write_json: long expressions don't indent", "[nem]") {
  std::string source = "let a = 1";
  for (int i = 0; i < 20000; ++i) source += " + 1";
  CHECK(json_of(source).size() < 200 * source.size() / 4);
}
