// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/report.hpp>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

text_range add(report& r, std::string_view words) {
  const auto first = static_cast<std::uint32_t>(r.characters.size());
  r.characters << words;
  return {first, static_cast<std::uint32_t>(words.size())};
}
diagnostic finding(report& r, errc code, place where, std::string_view words) {
  diagnostic d;
  d.code = code;
  d.where = where;
  d.text = add(r, words);
  return d;
}
std::string shown(const report& r, std::initializer_list<source_file> sources) {
  const text all = describe(r, {sources.begin(), sources.size()});
  return std::string(all.view());
}

}  // namespace

TEST_CASE("report: a finding in a text has its line, a caret, its note and its fix", "[core]") {
  report r;
  diagnostic d = finding(r, errc::json_expected_value, {0, 10, 3}, "duplicate name ab");
  d.rule = add(r, "CON-001");
  d.has_note = true;
  d.related = {0, 4, 1};
  d.note = add(r, "declared here first");
  d.has_fix = true;
  d.fix = {0, 10, 3};
  d.replacement = add(r, "xyz");
  r.diagnostics.push_back(d);
  CHECK(shown(r, {{"a.nem", "one\ntwo\nxxabc end\n"}}) ==
        "a.nem:3:3: error: duplicate name ab [CON-001]\n"
        "  xxabc end\n"
        "    ^~~\n"
        "    xyz\n"
        "a.nem:2:1: note: declared here first\n"
        "  two\n"
        "  ^\n");
}

TEST_CASE("report: severities, a path, and a note about no place", "[core]") {
  report r;
  diagnostic d = finding(r, errc::json_expected_integer, {0, 5, 1}, "expected an integer: \"x\"");
  d.severity = severity::warning;
  d.path = add(r, "$.a");
  d.has_note = true;
  d.note = add(r, "2 more");
  r.diagnostics.push_back(d);
  CHECK(shown(r, {{"m.json", R"({"a":"x"})"}}) ==
        "m.json:1:6: warning: expected an integer: \"x\"\n"
        "  [json_expected_integer] at $.a, offset 5\n"
        "  {\"a\":\"x\"}\n"
        "       ^\n"
        "  note: 2 more\n");
}

TEST_CASE("report: a finding in a binary has its bytes and what stands there", "[core]") {
  report r;
  diagnostic d = finding(r, errc::input_too_large, {0, 17, 1}, "4 arguments; expected 2 or 3");
  d.path = add(r, "instruction 12, argument 2");
  r.diagnostics.push_back(d);
  const source_file binary{"n.nac", "0123456789abcdefABC", true};
  CHECK(shown(r, {binary}) ==
        "n.nac: error: 4 arguments; expected 2 or 3\n"
        "  [input_too_large] at instruction 12, argument 2, offset 17 (0x11)\n"
        "  00000010: 41 42 43\n"
        "               ^\n");
  r.diagnostics[0].path = {};
  CHECK(shown(r, {binary}).find("\n  [input_too_large] at offset 17 (0x11)\n") !=
        std::string::npos);
}

TEST_CASE("report: elements of models built in code, and files without a source", "[core]") {
  report r;
  r.diagnostics.push_back(
      finding(r, errc::input_too_large, {0, 2, 0, error_index::operation}, "id0 is 7"));
  r.diagnostics.push_back(
      finding(r, errc::input_too_large, {0, 0, 0, error_index::whole}, "no outputs"));
  r.files.push_back(add(r, "device.nem"));
  r.diagnostics.push_back(finding(r, errc::input_too_large, {1, 3, 1}, "unknown unit"));
  r.diagnostics.push_back(
      finding(r, errc::input_too_large, {9, 3, 1}, "a file that is not listed"));
  CHECK(shown(r, {}) ==
        "<input>: error: id0 is 7 [input_too_large] at operation 2\n"
        "<input>: error: no outputs [input_too_large]\n"
        "device.nem: error: unknown unit [input_too_large]\n"
        "<input>: error: a file that is not listed [input_too_large]\n");
}

TEST_CASE("report: places at and behind the end of a source can be shown", "[core]") {
  report r;
  for (const std::uint64_t offset : {0u, 3u, 4u, 99u})
    r.diagnostics.push_back(finding(r, errc::input_too_large, {0, offset, 1}, "x"));
  const std::string_view source = "a\nb\n";
  CHECK_FALSE(shown(r, {{"t", source}}).empty());
  CHECK_FALSE(shown(r, {{"b", source, true}}).empty());
  const source_file file{"t", source};
  const listing list(r, {&file, 1});
  CHECK(list.locate({0, 2, 1}) == line_column{2, 1});
  CHECK(list.locate({0, 3, 1}) == line_column{2, 2});
  CHECK(list.locate({0, 4, 1}) == line_column{3, 1});
  CHECK(list.locate({1, 4, 1}) == line_column{1, 1});
}
