// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs tests/data/pt2/conformance.tsv, which explains its columns.

#include "pt2/samples.hpp"
// Keeps the line above where it is.
#include <set>
#include <sstream>

using namespace tessera;

namespace {

struct row {
  std::string verdict, code, at, archive, member, from, to;
};

[[nodiscard]] std::vector<row> rows() {
  std::vector<row> out;
  std::istringstream lines(pt2_samples::load(pt2_samples::folder() / "conformance.tsv"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    row r;
    std::istringstream columns(line);
    for (std::string* const column : {&r.verdict, &r.code, &r.at, &r.archive, &r.member, &r.from})
      std::getline(columns, *column, '\t');
    std::getline(columns, r.to);
    out.push_back(std::move(r));
  }
  return out;
}

[[nodiscard]] std::string member_name(const std::string& member) {
  if (member == "program") return std::string(pt2_samples::program_json);
  if (member == "weights") return std::string(pt2_samples::weights_json);
  if (member == "constants") return std::string(pt2_samples::constants_json);
  return member == "weights+" ? "data/weights/weight_0" : member;
}

/// The first error, or the first diagnostic of a report without errors.
struct finding {
  std::string verdict = "ok", code = "-";
  std::uint64_t offset = 0;
};
[[nodiscard]] finding found_in(const std::string& source) {
  auto m = pt2::read(source);
  if (!m) return {"read", std::string(m.error().name()), m.error().offset};
  report found;
  const auto p = pt2::verify(std::move(*m), {}, &found);
  if (!p) return {"verify", std::string(p.error().name()), p.error().offset};
  if (found.diagnostics.empty()) return {};
  const diagnostic& d = found.diagnostics[0];
  return {std::string(name(d.severity)), std::string(error(d.code).name()), d.where.offset};
}

}  // namespace

TEST_CASE("pt2/conformance: every case has its verdict, code and offset", "[pt2]") {
  for (const row& r : rows()) {
    INFO(r.verdict << ' ' << r.code << ' ' << r.at << ' ' << r.from << " -> " << r.to);
    pt2_samples::archive a = pt2_samples::open(r.archive);
    const std::string member = member_name(r.member);
    std::string& content = a.at(member).content;
    if (r.from == "*")
      content = r.to;
    else if (r.from.empty())
      content += r.to;
    else
      a.replace(member, r.from, r.to);
    const std::string source = a.zip();
    const finding got = found_in(source);
    CHECK(got.verdict == r.verdict);
    CHECK(got.code == r.code);
    if (r.verdict == "ok") continue;
    // Payloads are described in the weights' configuration.
    const std::string place =
        r.member == "weights+" ? std::string(pt2_samples::weights_json) : member;
    std::string at = r.at;
    const std::size_t caret = at.find('^');
    at.erase(caret, 1);
    const std::size_t in_member = a.at(place).content.find(at);
    REQUIRE(in_member != std::string::npos);
    CHECK(got.offset == a.data_of(place) + in_member + caret);
  }
}

TEST_CASE("pt2/conformance: every code of programs has a case", "[pt2]") {
  std::set<std::string> cased;
  for (const row& r : rows()) cased.insert(r.code);
  for_each_errc([&](const errc_row& r) {
    const int code = static_cast<int>(r.code);
    // Those of archives are in archive.cpp, as are notes about them; of pickles in pickle.cpp; of models
    // built in code and of sinks in write.cpp.
    const bool is_of_program = code >= 6050 && code < 6140 && (code < 6060 || code >= 6080);
    if (is_of_program) {
      INFO(r.name);
      CHECK(cased.count(std::string(r.name)) == 1);
    }
  });
}

TEST_CASE("pt2/conformance: an error is described with its member and its path", "[pt2]") {
  pt2_samples::archive a = pt2_samples::open("two");
  a.replace(pt2_samples::program_json, R"("arg": {"as_tensor")", R"("arg": {"as_tensr")");
  const std::string source = a.zip();
  const auto m = pt2::read(source);
  REQUIRE_FALSE(m);
  const text shown = describe(m.error(), as_bytes(source), "two.pt2");
  CHECK(shown.view().find("member two/models/model.json, "
                          "$.graph_module.graph.nodes[0].inputs[0].arg, offset ") !=
        std::string_view::npos);
  pt2_samples::archive lacking = pt2_samples::open("two");
  lacking.replace(pt2_samples::program_json, ", \"minor\": 20", "");
  const std::string incomplete = lacking.zip();
  const text missing = describe(pt2::read(incomplete).error(), as_bytes(incomplete), "two.pt2");
  CHECK(missing.view().find("$.schema_version (with major), offset ") != std::string_view::npos);
  // Core's errors too.
  a.replace(pt2_samples::program_json, R"("as_tensr")", R"("as_tensor)");
  const std::string broken = a.zip();
  const auto none = pt2::read(broken);
  REQUIRE_FALSE(none);
  const text of_core = describe(none.error(), as_bytes(broken), "two.pt2");
  CHECK(of_core.view().find("member two/models/model.json, $.graph_module") !=
        std::string_view::npos);
}
