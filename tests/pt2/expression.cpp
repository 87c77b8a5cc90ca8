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

TEST_CASE("pt2/expression: infix notation, of PyTorch 2.5", "[pt2]") {
  const auto calls = [](std::string_view source) {
    const auto e = pt2::read_expression(source, pt2::notation::infix);
    INFO(source);
    REQUIRE(e);
    CHECK(e->nodes[0].size == e->nodes.size());
    const text t = pt2::write_expression(*e);
    // What is written is the same in the other notation.
    const auto same = pt2::read_expression(t);
    REQUIRE(same);
    CHECK(pt2::print(*same) == pt2::print(*e));
    std::string out(t.view());
    const std::string symbol = "Symbol('", s = "', positive=True, integer=True)",
                      u = "', integer=True)";
    for (const std::string& part : {symbol, s, u})
      for (std::size_t at = out.find(part); at != out.npos; at = out.find(part))
        out.erase(at, part.size());
    return out;
  };
  CHECK(calls("4") == "Integer(4)");
  CHECK(calls("-4") == "Integer(-4)");
  CHECK(calls("s0") == "s0");
  CHECK(calls("2*s0") == "Mul(Integer(2), s0)");
  CHECK(calls("s0**2") == "Pow(s0, Integer(2))");
  CHECK(calls("2*s0*s1 + 3*s0 + 1") ==
        "Add(Mul(Integer(2), s0, s1), Mul(Integer(3), s0), Integer(1))");
  CHECK(calls("s0 - 2*s1 - 3") == "Add(s0, Mul(Mul(Integer(2), s1), Integer(-1)), Integer(-3))");
  CHECK(calls("-s0 + 4") == "Add(Mul(s0, Integer(-1)), Integer(4))");
  CHECK(calls("-s0**2") == "Mul(Pow(s0, Integer(2)), Integer(-1))");
  CHECK(calls("2**s0**2") == "Pow(Integer(2), Pow(s0, Integer(2)))");
  CHECK(calls("s0**(-1)") == "Pow(s0, Integer(-1))");
  CHECK(calls("((s0 - 1)//2) + 1") ==
        "Add(FloorDiv(Add(s0, Integer(-1)), Integer(2)), Integer(1))");
  CHECK(calls("(s0//2)//3") == "FloorDiv(FloorDiv(s0, Integer(2)), Integer(3))");
  CHECK(calls("s0//2//3") == "FloorDiv(FloorDiv(s0, Integer(2)), Integer(3))");
  CHECK(calls("s0*s1/2") == "Mul(s0, s1, Pow(Integer(2), Integer(-1)))");
  CHECK(calls("s0 % 2") == "Mod(s0, Integer(2))");
  CHECK(calls("Max(1, s0, u0)") == "Max(Integer(1), s0, u0)");
  CHECK(calls("Mod(s0, 8*s1)") == "Mod(s0, Mul(Integer(8), s1))");
  CHECK(calls("f()") == "f()");
  CHECK(calls("0.5*ToFloat(s0)") == "Mul(Float('0.5', precision=53), ToFloat(s0))");
  CHECK(calls("1.0e-5") == "Float('1.0e-5', precision=53)");
  CHECK(calls("Eq(u0, 1)") == "Equality(u0, Integer(1))");
  CHECK(calls("Ne(u0, 1)") == "Unequality(u0, Integer(1))");
  CHECK(calls("(s0 >= 2) & (s0 < 8) | True") ==
        "Or(And(GreaterThan(s0, Integer(2)), StrictLessThan(s0, Integer(8))), true)");
  CHECK(calls("u0 == 3") == "Equality(u0, Integer(3))");
}

TEST_CASE("pt2/expression: infix text outside the grammar is refused at its place", "[pt2]") {
  const auto at = [](std::string_view source) {
    const auto e = pt2::read_expression(source, pt2::notation::infix);
    INFO(source);
    REQUIRE_FALSE(e);
    CHECK(e.error().code == errc::pt2_expression);
    return e.error().offset;
  };
  CHECK(at("") == 0);
  CHECK(at("2*") == 2);
  CHECK(at("s0 s1") == 3);
  CHECK(at("(s0") == 3);
  CHECK(at("s0)") == 2);
  CHECK(at("f(s0") == 4);
  CHECK(at("f(s0,") == 5);
  CHECK(at("s0 < s1 < s2") == 9);
  CHECK(at("9223372036854775808") == 19);
  CHECK(at("1e+") == 3);
  CHECK(at("01.5") == 4);  // nor are these numbers in the notation of calls
  CHECK(at("1e400 + s0") == 5);
  CHECK(at("s0 + Integer(2)") == 12);  // which writes leaves so
  CHECK(at("Symbol(s0)") == 6);
  CHECK(at("Float(2)") == 5);
  CHECK(at("true(s0)") == 4);
  CHECK(at("false()") == 5);
  CHECK(at("'a'") == 0);
  CHECK(at("a.b") == 1);
  CHECK(at("__import__('os').system('x')") == 11);
  CHECK(at(std::string(65537, 'a')) == 65536);
  // Levels, of brackets and of what binds to the left.
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '(') + "s0" +
           std::string(static_cast<std::size_t>(levels), ')');
  };
  CHECK(pt2::read_expression(nested(127), pt2::notation::infix));
  CHECK(at(nested(128)) == 128);
  const auto divided = [](int times) {
    std::string out = "s0";
    for (int i = 0; i < times; ++i) out += "//2";
    return out;
  };
  CHECK(pt2::read_expression(divided(127), pt2::notation::infix));
  CHECK(at(divided(128)) == 2 + 3 * 128);
  std::string sum = "s0";
  while (sum.size() < 60000) sum += " + 2*s0";
  CHECK(pt2::read_expression(sum, pt2::notation::infix));
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
