// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <optional>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/findings.hpp>
#include <tessera/core/report.hpp>

#include "../support/allocations.hpp"
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

TEST_CASE("report: a finding in a binary has its bytes and a caret", "[core]") {
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

TEST_CASE("report: places at and past the end of a source can be shown", "[core]") {
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

TEST_CASE("report: paths that a finding in JSON lacks are looked up", "[core]") {
  const std::string_view source = R"({"a":[1,{"b":[2,3]}],"c":4})";
  report r;
  for (const char c : {'4', '2', '1', '3', '}'}) {
    const place where{0, source.find(c), 1};
    r.diagnostics.push_back(finding(r, errc::json_expected_value, where, "x"));
    const text path = json::path(source, where.offset);
    const std::string expected = "] at " + std::string(path.view()) + ", offset ";
    const source_file file{"m", source};
    const listing list(r, {&file, 1});
    const text shown = list.describe(r.diagnostics.back());
    CHECK(std::string(shown.view()).find(expected) != std::string::npos);
  }
}

TEST_CASE("findings: messages, paths, notes and fixes", "[core]") {
  report r;
  detail::findings found(&r, 3);
  CHECK_FALSE(found.failed());
  found.warning(errc::input_too_large, {0, 3, 1});
  found.add(errc::json_expected_value, severity::error, {0, 5, 2}, "CON-001").path() << "$.a";
  found.error(errc::json_expected_integer, {0, 1, 1}) << "expected " << 2 << ", found \x1b";
  found.note(errc::json_expected_value, {}).note({0, 1, 1}).fix({0, 2, 1}) << "not kept";
  found.close();
  CHECK(found.failed());
  CHECK(found.first_error() == error{errc::json_expected_value, 5});
  CHECK(found.errors() == 2);
  CHECK((r.errors == 2 && r.warnings == 1 && r.notes == 1));
  REQUIRE(r.diagnostics.size() == 3);
  CHECK(r.text_of(r.diagnostics[0].text) == error{errc::input_too_large}.message());
  CHECK(r.rule_of(r.diagnostics[0]) == "input_too_large");
  CHECK(r.diagnostics[0].severity == severity::warning);
  CHECK(r.text_of(r.diagnostics[1].text) == error{errc::json_expected_value}.message());
  CHECK(r.rule_of(r.diagnostics[1]) == "CON-001");
  CHECK(r.text_of(r.diagnostics[1].path) == "$.a");
  CHECK(r.text_of(r.diagnostics[2].text) == "expected 2, found \\x1b");
}

TEST_CASE("findings: a note, a fix and long names", "[core]") {
  report r;
  detail::findings found(&r, 9);
  const std::string shown_part(199, 'n');
  std::string name = shown_part;
  name += "\u00e4";
  (found.error(errc::json_expected_value, {0, 5, 2}) << name).note({0, 7, 1}) << "there";
  found.error(errc::json_expected_value, {0, 6, 2}).fix({0, 8, 0}) << name;
  found.close();
  const diagnostic &d = r.diagnostics[0], &e = r.diagnostics[1];
  CHECK(r.text_of(d.text).substr(0, 199) == shown_part);
  CHECK(r.text_of(d.text).substr(199) == "...");
  CHECK((d.has_note && !d.has_fix && d.related.offset == 7));
  CHECK(r.text_of(d.note) == "there");
  CHECK((e.has_fix && !e.has_note && e.fix.offset == 8));
  CHECK(r.text_of(e.replacement) == name);
}

TEST_CASE("findings: without a report, the first error", "[core]") {
  detail::findings found(nullptr, 9);
  found.warning(errc::input_too_large, {});
  CHECK_FALSE(found.failed());
  found.error(error{errc::json_expected_value, 4, error_index::node});
  (found.error(errc::json_expected_integer, {}) << "x").path().note().fix({}) << "y";
  CHECK(found.first_error().code == errc::json_expected_value);
  CHECK(found.first_error().offset == 4);
  CHECK(found.first_error().index == error_index::node);
  CHECK(found.errors() == 2);
}

TEST_CASE("findings: where memory ends, a path or a message is left out", "[core]") {
  std::size_t whole = 0, without_path = 0, empty = 0;
  for (std::size_t before = 0; before < 300; ++before)
    for (const bool has_text : {true, false}) {
      report r;
      r.characters << std::string(before, 'y');
      std::optional<detail::findings> found;
      found.emplace(&r, 9u);
      const auto w = found->add(errc::json_expected_value, severity::error, {}, "R", "$.path");
      if (has_text) w << "text";
      const tessera_tests::failing_allocations none(0, true);
      found.reset();
      REQUIRE(r.diagnostics.size() == 1);
      const diagnostic& d = r.diagnostics[0];
      const std::string_view message = r.text_of(d.text), path = r.text_of(d.path);
      CHECK((path == "$.path" || path.empty()));
      CHECK((has_text || message.empty() || message == error{d.code}.message()));
      if (has_text) CHECK(message == "text");
      whole += path.empty() ? 0u : 1u;
      without_path += path.empty() && !message.empty() ? 1u : 0u;
      empty += message.empty() ? 1u : 0u;
    }
  CHECK(whole > 0);
  CHECK(without_path > 0);
  CHECK(empty > 0);
}
