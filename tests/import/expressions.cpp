// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Regular expressions of tokenizers, with a guard before each character that they match.

#include "import/expressions.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace tessera::transform;

namespace {

[[nodiscard]] std::string plain(std::string_view expression) {
  return guarded_expression(expression, "").value_or("none");
}
[[nodiscard]] bool is_refused(std::string_view expression) {
  return !guarded_expression(expression, "").has_value();
}
[[nodiscard]] std::string between(std::string_view before, std::string_view set,
                                  std::string_view after) {
  return std::string(before).append(set).append(after);
}

}  // namespace

TEST_CASE("import/expressions: each character refuses the guard", "[import]") {
  CHECK(guarded_expression("a|b+", "x") == "(?:(?!x)a)|(?:(?!x)b)+");
  CHECK(guarded_expression("(a)", "x") == "(?:(?:(?!x)a))");
  CHECK(guarded_expression("(?i:a)(?=b)(?!c)(?>d)(?:e)", "") == "(?i:a)(?=b)(?!c)(?>d)(?:e)");
  CHECK(guarded_expression(R"([a\]])", "x") == R"((?:(?!x)[a\]]))");
  CHECK(guarded_expression(R"(\p{L})", "x") == R"((?:(?!x)\p{L}))");
  CHECK(guarded_expression("a{2,3}", "x") == "(?:(?!x)a){2,3}");
  CHECK(guarded_expression(".", "x") == "(?:(?!x)[^\n])");
}

TEST_CASE("import/expressions: classes are those of Unicode", "[import]") {
  CHECK(plain(R"(\s)") == between("[", white_space, "]"));
  CHECK(plain(R"(\S)") == between("[^", white_space, "]"));
  CHECK(plain(R"(\w\D)") == between("[", word_characters, "]") + between("[^", digits, "]"));
  CHECK(plain(R"([^\s\p{L}\d])") ==
        between("[^", white_space, "\\p{L}") + std::string(digits) + "]");
  CHECK(plain(R"([\n\r\t])") == "[\n\r\t]");
  CHECK(plain(R"(\P{N})") == R"(\P{N})");
}

TEST_CASE("import/expressions: what is escaped stays", "[import]") {
  CHECK(plain(R"(\.\[\@\`\{\/\:)") == R"(\.\[\@\`\{\/\:)");
  CHECK(plain(R"([\.\-\@\[\`\{\/\:])") == R"([\.\-\@\[\`\{\/\:])");
  for (const char c : {'a', 'z', 'A', 'Z', '0', '9'}) {
    CAPTURE(c);
    CHECK(is_refused(std::string{'\\', c}));
    CHECK(is_refused(std::string{'[', '\\', c, ']'}));
  }
  CHECK(literal("azAZ09 \x7f@[`{/:") == "azAZ09 \x7f\\@\\[\\`\\{\\/\\:");
  CHECK(literal("\u00e9") == "\u00e9");
}

TEST_CASE("import/expressions: what isn't translated", "[import]") {
  for (const char* const e :
       {"^a", "a$", "]", "}", "[a", "[a&&b]", "[a[b]]", R"(\)", R"([\)", "(?<n>a)", "(?<=a)", "a{",
        "a{,2}", "a{2", R"(\1)", R"(\b)", R"(\p{L)"}) {
    CAPTURE(e);
    CHECK(is_refused(e));
  }
}

TEST_CASE("import/expressions: sets of code points", "[import]") {
  CHECK(set_of({}).empty());
  CHECK(set_of({'a'}) == "a");
  CHECK(set_of({'a', 'b'}) == "ab");
  CHECK(set_of({'a', 'b', 'c', 'e'}) == "a-ce");
  CHECK(set_of({'-', ']', 0x20, 0x1f}) == "\x1f \\-\\]");
  CHECK(set_of({0x7f, 0x80, 0x81, 0x1f600}) == "\\\x7f-\u0081\U0001f600");
}
