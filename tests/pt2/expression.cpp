// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shape expressions and trees of arguments.

#include "pt2/samples.hpp"

using namespace tessera;

TEST_CASE("pt2/expression: calls, symbols and numbers, as people write them", "[pt2]") {
  const auto print = [](std::string_view source) {
    const auto e = pt2::read_expression(source);
    REQUIRE(e);
    const text t = pt2::print(*e);
    return std::string(t.view());
  };
  CHECK(print("Integer(-4)") == "-4");
  CHECK(print("Symbol('s77', positive=True, integer=True)") == "s77");
  CHECK(print("Symbol('u0')") == "u0");
  CHECK(print("Mul(Integer(2), Add(Symbol('a'), Integer(1)))") == "2*(a + 1)");
  CHECK(print("Add(Mul(Integer(2), Symbol('a')), Integer(1))") == "2*a + 1");
  CHECK(print("FloorDiv(Symbol('a'), FloorDiv(Symbol('b'), Integer(2)))") == "a//(b//2)");
  CHECK(print("FloorDiv(FloorDiv(Symbol('a'), Symbol('b')), Integer(2))") == "a//b//2");
  CHECK(print("Max(Integer(1), Symbol('a'))") == "Max(1, a)");
  CHECK(print("Float('0.5', precision=53)") == "0.5");
  CHECK(print("Rational(1, 2)") == "1/2");
  CHECK(print("GreaterThan(Symbol('a'), Integer(2))") == "a >= 2");
  CHECK(print("And(true, false)") == "true & false");
  CHECK(print("Where()") == "Where()");
}

TEST_CASE("pt2/expression: text outside the grammar is refused at its place", "[pt2]") {
  const auto at = [](std::string_view source) {
    const auto e = pt2::read_expression(source);
    REQUIRE_FALSE(e);
    CHECK(e.error().code == errc::pt2_expression);
    return e.error().offset;
  };
  CHECK(at("") == 0);
  CHECK(at("s0") == 2);
  CHECK(at("2*s0") == 1);
  CHECK(at("Integer(4) ") == 10);
  CHECK(at("Integer(9223372036854775808)") == 26);
  CHECK(at("Add(Integer(1),Integer(2))") == 14);
  CHECK(at("Symbol(\"a\")") == 7);
  CHECK(at("Symbol('a', print('x'))") == 17);
  CHECK(at("Float('x', precision=53)") == 24);
  CHECK(at("__import__('os').system('x')") == 11);
  std::string deep;
  for (int i = 0; i < 127; ++i) deep += "Add(";
  CHECK(pt2::read_expression(deep + "Integer(1)" + std::string(127, ')')));
  CHECK(at("Add(" + deep + "Integer(1)" + std::string(128, ')')) == 4 * 128);
  CHECK(at(std::string(65537, 'a')) == 65536);
}

TEST_CASE("pt2/expression: trees", "[pt2]") {
  const auto t =
      pt2::read_tree(R"([1, {"type": "builtins.list", "context": "null", "children_spec": [)"
                     R"({"type": null, "context": null, "children_spec": []},)"
                     R"({"type": "builtins.tuple", "context": "null", "children_spec": []}]}])");
  REQUIRE(t);
  CHECK(t->nodes.size() == 3);
  CHECK(t->leaves == 1);
  CHECK(t->nodes[0].size == 3);
  CHECK(t->nodes[1].is_leaf);
  CHECK(t->type(t->nodes[2]) == "builtins.tuple");
  CHECK(pt2::read_tree("[2, {}]").error() == error(errc::pt2_tree, 1));
  CHECK(pt2::read_tree("[1, {}]").error() == error(errc::pt2_tree, 4));
  CHECK(pt2::read_tree("[1]").error().code == errc::json_missing_element);
  CHECK(pt2::read_tree(R"([1, {"type": null, "context": null, "children_spec": [)"
                       R"({"type": null, "context": null, "children_spec": []}]}])")
            .error() == error(errc::pt2_tree, 4));
  std::string deep = "[1, ";
  for (int i = 0; i < 40; ++i) deep += R"({"type": "t", "context": "", "children_spec": [)";
  CHECK(pt2::read_tree(deep).error().code == errc::json_depth);
}
