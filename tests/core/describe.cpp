// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/sort.hpp>
#include <vector>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

std::string described(errc code, std::uint64_t offset, std::string_view source) {
  const text t = describe({code, offset}, source, "f");
  return std::string(t.view());
}

std::string path(std::string_view source, std::uint64_t offset) {
  const text t = json::path(source, offset);
  return std::string(t.view());
}

/// The third line, which shows the source, and the fourth, which shows the caret.
struct shown {
  std::string line, caret;
};
shown lines(const std::string& description) {
  std::vector<std::string> all;
  std::string rest = description;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    REQUIRE(end != std::string::npos);
    all.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  REQUIRE(all.size() == 4);
  return {all[2], all[3]};
}

}  // namespace

TEST_CASE("describe: line, column, path and caret", "[core]") {
  CHECK(described(errc::alir_opcode, 14, "{\"a\":\n  [0, 1, 12, -1]}") ==
        "f:2:9: error: unknown opcode: expected -2 to 10, or 11 in versions 3 and 4\n"
        "  [alir_opcode] at $.a[2], offset 14\n"
        "    [0, 1, 12, -1]}\n"
        "          ^\n");
  CHECK(described(errc::json_unexpected_end, 4, "[1,\n") ==
        "f:2:1: error: the text ends inside a JSON value\n"
        "  [json_unexpected_end] at $[1], offset 4\n"
        "  \n"
        "  ^\n");
}

TEST_CASE("describe: text that isn't JSON has no path", "[core]") {
  CHECK(described(errc::json_expected_value, 3, "PROGRAM x") ==
        "f:1:4: error: expected a JSON value\n"
        "  [json_expected_value] at offset 3\n"
        "  PROGRAM x\n"
        "     ^\n");
}

TEST_CASE("describe: where JSON was expected, a comment is named", "[core]") {
  CHECK(described(errc::json_expected_key, 2, "{ // x\n}")
            .starts_with("f:1:3: error: expected a key in quotes; JSON has no comments\n"));
  const auto message = [](errc code, std::uint64_t offset, std::string_view source) {
    const text t = message_of({code, offset}, source);
    return std::string(t.view());
  };
  CHECK(message(errc::json_trailing_bytes, 3, "{} /* */").ends_with("; JSON has no comments"));
  CHECK(message(errc::json_expected_value, 0, "# x").ends_with("; JSON has no comments"));
  CHECK(message(errc::json_expected_value, 1, "[/x]") == "expected a JSON value");
  CHECK(message(errc::json_expected_value, 9, "[//") == "expected a JSON value");
  CHECK(message(errc::alir_opcode, 1, "[// x").find("comments") == std::string::npos);
}

TEST_CASE("describe: an empty text, and offsets past the end", "[core]") {
  CHECK(described(errc::json_unexpected_end, 0, "") ==
        "f:1:1: error: the text ends inside a JSON value\n  [json_unexpected_end] at offset 0\n  \n"
        "  ^\n");
  CHECK(described(errc::json_unexpected_end, 99, "ab") ==
        described(errc::json_unexpected_end, 2, "ab"));
}

TEST_CASE("describe: without a name it says <input>", "[core]") {
  const text t = describe({errc::json_depth, 0}, std::string_view("1"));
  CHECK(t.view().substr(0, 20) == "<input>:1:1: error: ");
}

TEST_CASE("describe: characters of several bytes take one column above the caret", "[core]") {
  const shown s = lines(described(errc::json_bad_literal, 10, "[\"\xc3\xa9\xf0\x9f\x98\x80\",x]"));
  CHECK(s.line == "  [\"\xc3\xa9\xf0\x9f\x98\x80\",x]");
  CHECK(s.caret == "        ^");
  // The column is of bytes, as compilers count.
  CHECK(described(errc::json_bad_literal, 10, "[\"\xc3\xa9\xf0\x9f\x98\x80\",x]").substr(0, 7) ==
        "f:1:11:");
}

TEST_CASE("describe: control characters don't move the caret", "[core]") {
  const shown s = lines(described(errc::json_control_character, 4, "[\"\t\x1b\x7f\r\"]"));
  CHECK(s.line == "  [\" \\x1b\\x7f \"]");
  CHECK(s.caret == "         ^");
  const shown turned =
      lines(described(errc::json_bad_literal, 8, "[\"\xe2\x80\xae\x9b\",\xc3\xa9x]"));
  CHECK(turned.line == "  [\"\\u{202e}\\x9b\",\xc3\xa9x]");
  CHECK(turned.caret == "                  ^");
}

TEST_CASE("describe: long lines are cut around the place", "[core]") {
  std::string source = "first\n";
  for (int i = 0; i < 100; ++i) source += std::to_string(i % 10) + "abcdefghi";
  source += "\nlast";
  for (std::uint64_t column = 0; column <= 1000; ++column) {
    CAPTURE(column);
    const std::uint64_t offset = 6 + column;
    const shown s = lines(described(errc::json_bad_literal, offset, source));
    REQUIRE(s.line.size() <= 80);
    REQUIRE(s.caret.size() >= 3);
    if (column < 1000) {  // at the end of the line the caret is after it
      REQUIRE(s.caret.size() <= s.line.size());
      REQUIRE(s.line[s.caret.size() - 1] == source[static_cast<std::size_t>(offset)]);
    }
    REQUIRE(source.find(s.line.substr(2)) != std::string::npos);
  }
  const std::string fits(78, 'x');
  CHECK(lines(described(errc::json_bad_literal, 77, fits)).line == "  " + fits);
}

TEST_CASE("describe: cutting keeps characters whole", "[core]") {
  for (const std::string_view character : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    for (std::size_t slack = 0; slack < 4; ++slack) {
      std::string source(slack, 'x');
      for (int i = 0; i < 100; ++i) source += character;
      for (std::size_t i = 0; i < 100; ++i) {
        const std::size_t offset = slack + i * character.size();
        CAPTURE(character, slack, offset);
        const shown s = lines(described(errc::json_bad_literal, offset, source));
        const char* p = s.line.data();
        const char* const end = p + s.line.size();
        while (p != end) {
          const unsigned length = utf8_length(p, end);
          REQUIRE(length != 0);
          p += length;
        }
      }
    }
}

TEST_CASE("describe: binary sources show sixteen bytes", "[core]") {
  const std::string source = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
  const auto binary = [&](std::uint64_t offset, std::size_t size) {
    const std::string_view part = std::string_view(source).substr(0, size);
    const text t = describe({errc::alir_bytecode_truncated, offset}, as_bytes(part), "f");
    return std::string(t.view());
  };
  CHECK(binary(18, 20) ==
        "f: error: the bytecode ends before its last field\n"
        "  [alir_bytecode_truncated] at offset 18 (0x12)\n"
        "  00000010: 51 52 53 54\n"
        "                  ^\n");
  CHECK(binary(20, 20) ==
        "f: error: the bytecode ends before its last field\n"
        "  [alir_bytecode_truncated] at offset 20 (0x14)\n"
        "  00000010: 51 52 53 54\n"
        "                        ^\n");
  CHECK(binary(32, 32) ==
        "f: error: the bytecode ends before its last field\n"
        "  [alir_bytecode_truncated] at inp_shifts[2], offset 32 (0x20)\n"
        "  00000010: 51 52 53 54 55 56 57 58 59 5a 30 31 32 33 34 35\n"
        "                                                            ^\n");
  CHECK(binary(0, 0) ==
        "f: error: the bytecode ends before its last field\n"
        "  [alir_bytecode_truncated] at offset 0 (0x0)\n"
        "  00000000:\n"
        "            ^\n");
  CHECK(binary(99, 20) == binary(20, 20));
}

TEST_CASE("describe: paths of values, keys and brackets", "[core]") {
  constexpr std::string_view source = R"({"a":[10,{"b c":[]},""],"":{"x_1":true}})";
  const auto at = [&](std::string_view needle) { return path(source, source.find(needle)); };
  CHECK(path(source, 0) == "$");
  CHECK(at("\"a\"") == "$.a");
  CHECK(at("[10") == "$.a");
  CHECK(at("10") == "$.a[0]");
  CHECK(at("0,") == "$.a[0]");
  CHECK(at("{\"b") == "$.a[1]");
  CHECK(at("[]") == "$.a[1][\"b c\"]");
  CHECK(at("]}") == "$.a[1][\"b c\"]");
  CHECK(at("},\"\"]") == "$.a[1]");
  CHECK(at("\"\"]") == "$.a[2]");
  CHECK(at("],\"\":") == "$.a");
  CHECK(at("{\"x_1") == "$[\"\"]");
  CHECK(at("true") == "$[\"\"].x_1");
  CHECK(at("rue") == "$[\"\"].x_1");
  CHECK(path(source, source.size() - 1) == "$");
  CHECK(path("7", 0) == "$");
  CHECK(path("{\"\\u0041\":1}", 10) == "$.A");
  CHECK(path("{\"q\\\"\":1}", 7) == "$[\"q\\\"\"]");
}

TEST_CASE("describe: paths into broken texts lead to the last value before the break", "[core]") {
  CHECK(path("[1,[2,x", 6) == "$[1][1]");
  CHECK(path("[1,[2,x", 7) == "$[1][1]");
  CHECK(path("{\"a\":[1,2", 9) == "$.a[1]");
  CHECK(path("{\"a\" 1}", 5) == "$");
  CHECK(path("[", 1) == "$");
  CHECK(path("", 0) == "$");
  CHECK(path("{\"a\":1,\"a\":2}", 7) == "$.a");
  CHECK(path(std::string(70, '['), 64).substr(0, 7) == "$[0][0]");
}

TEST_CASE("describe: the path of a deep place grows only with its depth", "[core]") {
  std::string source = "[";
  for (int i = 0; i < 1000; ++i) source += "{\"k\":[1,2,3]},";
  source += "[4]]";
  CHECK(path(source, source.size() - 3) == "$[1000][0]");
}

TEST_CASE("json::find: the inverse of json::path", "[core]") {
  const std::string text =
      "\xEF\xBB\xBF {\"a\": [1, [true, null], {\"b c\": -2.5e3, \"\\u0061\": \"x]\"}],\n"
      "\"\": {}, \"k10\": [[], {\"a\": {\"a\": []}}], \"k1\": {\"q\\\"]\": "
      "[0,1,2,3,4,5,6,7,8,9,10]}}  tail";
  // Each value that a reader meets is at the path that path() gives it.
  std::vector<std::string> paths;
  std::vector<std::uint64_t> expected;
  const std::size_t end = text.find("  tail");
  for (std::size_t at = 3; at < end; ++at) {
    const std::string at_path = path(std::string_view(text).substr(0, end), at);
    if (!paths.empty() && std::find(paths.begin(), paths.end(), at_path) != paths.end()) continue;
    const std::uint64_t found = json::find(text, at_path);
    REQUIRE(found != json::no_offset);
    CHECK(path(text, found) == at_path);
    CHECK(found >= 4);
    paths.push_back(at_path);
    expected.push_back(found);
  }
  CHECK(paths.size() > 20);
  CHECK(json::find(text, "$") == 4);
  CHECK(json::find(text, "$.a[1][1]") == text.find("null"));
  CHECK(json::find(text, R"($.a[2]["b c"])") == text.find("-2.5"));
  CHECK(json::find(text, "$.a[2].a") == text.find("\"x]"));
  CHECK(json::find(text, R"($.k1["q\"]"][10])") == text.find("10]}"));

  // In any order, twice, among others that lead nowhere: one walk.
  const std::string nowhere[] = {"",
                                 "a",
                                 "$a",
                                 "$.b",
                                 "$.a[3]",
                                 "$.a.b",
                                 "$[0]",
                                 "$.k10[01]",
                                 "$.a[",
                                 "$.",
                                 "$.a[2][\"b",
                                 "$.a[0][0]",
                                 "$.a[99999999999999999999]",
                                 "$[\"\"].x"};
  std::vector<std::string_view> all;
  for (const std::string& p : paths) all.push_back(p);
  for (const std::string& p : nowhere) all.push_back(p);
  for (const std::string& p : paths) all.push_back(p);
  std::reverse(all.begin(), all.begin() + 17);
  std::vector<std::uint64_t> offsets(all.size());
  json::find(text, {all.data(), all.size()}, offsets.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i]);
    CHECK(offsets[i] == json::find(text, all[i]));
    const auto known = std::find(paths.begin(), paths.end(), all[i]);
    CHECK(offsets[i] == (known == paths.end()
                             ? json::no_offset
                             : expected[static_cast<std::size_t>(known - paths.begin())]));
  }
  // Broken text: what comes before the break is found.
  CHECK(json::find("[1, 2, x", "$[1]") == 4);
  CHECK(json::find("[1, 2, x", "$[3]") == json::no_offset);
  CHECK(json::find("", "$.a") == json::no_offset);
}

TEST_CASE("sort: stable, whatever the order was", "[core]") {
  struct pair {
    int key, place;
  };
  std::uint32_t seed = 1;
  for (std::size_t count : {0u, 1u, 2u, 3u, 7u, 64u, 65u, 1000u})
    for (int shape = 0; shape < 4; ++shape) {
      std::vector<pair> v;
      for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525 + 1013904223;
        const int n = static_cast<int>(i);
        const int keys[] = {n, -n, n / 3, static_cast<int>(seed >> 28)};
        v.push_back({keys[shape], n});
      }
      std::vector<pair> expected = v;
      const auto less = [](const pair& a, const pair& b) { return a.key < b.key; };
      std::stable_sort(expected.begin(), expected.end(), less);
      tessera::sort(v.data(), v.size(), less);
      CHECK(std::equal(v.begin(), v.end(), expected.begin(), [](const pair& a, const pair& b) {
        return a.key == b.key && a.place == b.place;
      }));
    }
}

TEST_CASE("first_not_below: as the standard's lower_bound", "[core]") {
  for (std::size_t count : {0u, 1u, 2u, 3u, 7u, 64u, 65u}) {
    std::vector<int> v;
    for (std::size_t i = 0; i < count; ++i) v.push_back(static_cast<int>(i / 2 * 2));
    for (int wanted = -1; wanted <= static_cast<int>(count) + 1; ++wanted) {
      const auto expected = std::lower_bound(v.begin(), v.end(), wanted) - v.begin();
      CHECK(tessera::first_not_below(v.data(), v.size(), [&](int i) { return i < wanted; }) ==
            static_cast<std::size_t>(expected));
    }
  }
}

TEST_CASE("describe: what was built in code is named by its element", "[core]") {
  const error e{errc::alir_id0, 2, error_index::operation};
  const auto shown = [](const error& wrong) {
    const text t = describe(wrong, "", "f");
    const text same = describe(wrong, bytes(), "f");
    CHECK(t == same.view());
    return std::string(t.view());
  };
  CHECK(shown(e) ==
        "f: error: id0 must refer to an earlier operation\n  [alir_id0] at operation 2\n");
  const error whole = error{errc::alir_shape, 0}.in(error_index::whole);
  CHECK(shown(whole) == "f: error: expected two counts, each 0 to 2^31 - 1\n  [alir_shape]\n");
  CHECK(error{}.in(error_index::whole).index == error_index::none);
  CHECK(e == error{errc::alir_id0, 2});
  CHECK(sizeof(error) <= 16);
}
