// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// tests/data/nem: what is found in each of its files, exactly, and laws that hold for all of them.

#include "nem/nem.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace tessera;

namespace {

namespace fs = std::filesystem;

const fs::path data = TESSERA_TESTS_DATA_DIR "/nem";

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A line of the manifest.
struct row {
  std::string file;
  nem::profile profile = nem::profile::standard;
  std::string findings;
};
const std::vector<row>& manifest() {
  static const std::vector<row> all = [] {
    std::vector<row> rows;
    std::istringstream in(content_of(data / "manifest.tsv"));
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
      REQUIRE(second != std::string::npos);
      const std::string profile = line.substr(first + 1, second - first - 1);
      row r{line.substr(0, first), nem::profile::standard, line.substr(second + 1)};
      if (profile == "strict") r.profile = nem::profile::strict;
      if (profile == "upstream") r.profile = nem::profile::upstream;
      REQUIRE((profile == "standard" || r.profile != nem::profile::standard));
      rows.push_back(r);
    }
    return rows;
  }();
  return all;
}
/// Those of the profile `standard`, so that each file is there once.
std::vector<row> files() {
  std::vector<row> once;
  for (const row& r : manifest())
    if (r.profile == nem::profile::standard) once.push_back(r);
  return once;
}

/// One finding, to be compared and shown.
struct finding {
  std::string file;  ///< empty for the file itself
  std::uint32_t line = 0;
  std::string rule, severity, text;
};
const char* name_of(tessera::severity s) {
  return s == tessera::severity::error     ? "error"
         : s == tessera::severity::warning ? "warning"
                                           : "note";
}

struct outcome {
  std::vector<finding> findings;  ///< in the order of files and lines
  bool is_read = false, is_verified = false;
  std::uint64_t errors = 0;

  [[nodiscard]] std::string line() const {
    std::string s;
    for (const finding& f : findings)
      s += (s.empty() ? "" : " ") + f.rule + ':' + f.severity + ':' +
           (f.file.empty() ? "" : f.file + ':') + std::to_string(f.line);
    return s.empty() ? "-" : s;
  }
  [[nodiscard]] std::string texts() const {
    std::string s;
    for (const finding& f : findings)
      s += f.file + ':' + std::to_string(f.line) + ": " + f.rule + ": " + f.text + '\n';
    return s;
  }
};

/// Reads and verifies `source` as if it were `file`.
outcome check(const std::string& file, const std::string& source, nem::profile profile) {
  nem::folder_files files(data.string());
  tessera::report found;
  nem::read_options how;
  how.profile = profile;
  nem::verify_options options;
  options.profile = profile;
  options.resolver = files.resolver();
  // A name beside the file and not its own, so that what includes itself is opened once.
  const std::string beside = (fs::path(file).parent_path() / "source").generic_string();
  options.id = beside;
  outcome o;
  result<nem::model> d = nem::read(source, how, &found);
  o.is_read = static_cast<bool>(d);
  if (d) o.is_verified = static_cast<bool>(nem::verify(std::move(*d), options, &found));
  o.errors = found.errors;
  for (const tessera::diagnostic& f : found.diagnostics) {
    const std::string in = f.where.file == 0
                               ? std::string()
                               : std::string(found.text_of(found.files[f.where.file - 1]));
    const std::string_view text = in.empty() ? source : files.text_of(in);
    o.findings.push_back({in, static_cast<std::uint32_t>(locate(text, f.where.offset).line),
                          std::string(nem::rule(f.code).id()), name_of(f.severity),
                          std::string(found.text_of(f.text))});
  }
  std::sort(o.findings.begin(), o.findings.end(), [](const finding& a, const finding& b) {
    return std::tie(a.file, a.line, a.rule) < std::tie(b.file, b.line, b.rule);
  });
  return o;
}

/// The rules that verification finds, without lines.
std::multiset<std::string> verified_rules(const outcome& o) {
  std::multiset<std::string> rules;
  for (const finding& f : o.findings)
    if (f.rule.substr(0, 3) != "LEX" && f.rule.substr(0, 3) != "SYN") rules.insert(f.rule);
  return rules;
}

/// Nodes of a model, but for empty lists of dependences, which aren't printed.
std::size_t count_of(const nem::model& d) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i)
    count += d.nodes[i].kind != nem::node_kind::deps || d.nodes[i].next != i + 1;
  return count;
}
std::string printed(const nem::model& d) {
  const text t = nem::print(d);
  return std::string(t.view());
}

}  // namespace

TEST_CASE("nem/conformance: each file gives what the manifest says", "[nem]") {
  for (const row& r : manifest()) {
    const outcome o = check(r.file, content_of(data / r.file), r.profile);
    INFO(r.file << '\n' << o.texts());
    CHECK(o.line() == r.findings);
    CHECK(o.is_verified == (r.findings.find(":error:") == std::string::npos));
    CHECK(o.is_verified == (o.errors == 0));
    for (const finding& f : o.findings) {
      CHECK(!f.text.empty());
      CHECK(f.line > 0);
    }
  }
}

TEST_CASE("nem/conformance: each rule has a file that breaks it and one that doesn't", "[nem]") {
  std::map<std::string, std::string> findings;
  for (const row& r : files()) findings[r.file] = r.findings;
  for (const nem::rule_row& rule : nem::rule_table) {
    if (rule.phase == nem::phase::run) continue;  // of machines
    const std::string id(nem::rule(rule.code).id());
    INFO(id);
    REQUIRE(findings.count("rules/" + id + "_bad.nem") == 1);
    REQUIRE(findings.count("rules/" + id + "_good.nem") == 1);
    const std::string bad = findings["rules/" + id + "_bad.nem"],
                      good = findings["rules/" + id + "_good.nem"];
    CHECK(bad.find(id + ':' + name_of(rule.severity) + ':') != std::string::npos);
    CHECK(good.find(id) == std::string::npos);
    CHECK(good.find(":error:") == std::string::npos);
    // No error but the rule's own.
    for (std::size_t at = 0; (at = bad.find(":error:", at)) != std::string::npos; ++at)
      CHECK(bad.substr(at - 7, 7) == id);
  }
}

TEST_CASE("nem/conformance: texts by which other tools know a finding", "[nem]") {
  constexpr std::pair<const char*, const char*> texts[] = {
      {"rules/CON-001_bad.nem", "duplicate constant declaration rows"},
      {"rules/CON-002_bad.nem", "forward reference to undeclared constant words"},
      {"rules/CON-004_bad.nem", "division by zero in constant expression"},
      {"more/CON-004_mod.nem", "division by zero in constant expression"},
      {"rules/CON-005_bad.nem", "const declaration not permitted inside loop body"},
      {"rules/CON-006_bad.nem", "name conflict - data already declared as buffer"},
      {"more/CON-006_orders.nem", "name conflict - first already declared as const"},
      {"rules/CON-007_bad.nem", "const declarations must be integer"},
      {"more/EXP-001_places.nem", "buffer sizes must be integer"},
      {"more/EXP-001_places.nem", "loop bounds must be integer"},
      {"rules/DEV-006_bad.nem", "memory sizes must be > 0"},
      {"more/RES-001_units.nem", "SEQ is not a valid @resource target"},
      {"more/RES-001_units.nem", "sDMA is not a valid @resource target"},
      {"more/RES-001_units.nem", "WDM is not a valid @resource target"},
      {"rules/OPC-005_bad.nem", "epsilon is required"},
      {"more/OPC-005_each.nem", "axis is required"},
      {"rules/SHP-002_bad.nem", "shapes must be identical"},
      {"rules/FAM-003_bad.nem", "accum_type must equal i32"},
      {"rules/FAM-005_bad.nem", "element types must match"},
      {"rules/QNT-003_bad.nem", "group_size must be positive"},
  };
  for (const auto& [file, text] : texts) {
    const outcome o = check(file, content_of(data / file), nem::profile::standard);
    INFO(file << '\n' << o.texts());
    CHECK(o.texts().find(text) != std::string::npos);
  }
}

TEST_CASE("nem/conformance: the manifest lists all files", "[nem]") {
  std::set<std::string> listed;
  for (const row& r : manifest()) listed.insert(r.file);
  std::size_t count = 0;
  for (const char* name : {"rules", "grammar", "more", "programs"})
    for (const auto& entry : fs::directory_iterator(data / name)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = name + ("/" + entry.path().filename().generic_string());
      INFO(file);
      CHECK(listed.count(file) == 1);
      ++count;
    }
  CHECK(count > 2 * nem::rule_count);
}

TEST_CASE("nem/conformance: canonical text reads as the same program", "[nem]") {
  std::size_t read = 0;
  for (const row& r : files()) {
    const std::string source = content_of(data / r.file);
    const result<nem::model> d = nem::read(source);
    if (!d) continue;
    ++read;
    const std::string once = printed(*d);
    INFO(r.file << '\n' << once);
    tessera::report found;
    const result<nem::model> again = nem::read(once, {}, &found);
    REQUIRE(again);
    CHECK(printed(*again) == once);
    CHECK(count_of(*again) == count_of(*d));
    // Nothing that other readers don't know: no warning but that of names.
    for (const tessera::diagnostic& f : found.diagnostics)
      CHECK((f.code == errc::nem_syn_018_upstream_reserved ||
             f.code == errc::nem_syn_019_trailing_comma || f.code == errc::nem_lex_003_escape));
    CHECK(verified_rules(check(r.file, once, nem::profile::standard)) ==
          verified_rules(check(r.file, source, nem::profile::standard)));
  }
  CHECK(read > 300);
}

TEST_CASE("nem/conformance: what is read of a file doesn't depend on what follows", "[nem]") {
  for (const char* file : {"programs/convolution_ping_pong.nem", "programs/layouts.nem",
                           "programs/configuration.nem", "programs/gemm_blocked.nem"}) {
    const std::string source = content_of(data / file);
    const result<nem::model> whole = nem::read(source);
    REQUIRE(whole);
    const std::string all = printed(*whole);
    for (std::uint32_t i = 0; i < whole->nodes.size(); i = whole->nodes[i].next) {
      const std::uint32_t cut = whole->nodes[i].offset;
      INFO(file << " up to byte " << cut);
      const result<nem::model> part = nem::read(std::string_view(source).substr(0, cut));
      REQUIRE(part);
      CHECK(part->nodes.size() == i);
      CHECK(all.substr(0, printed(*part).size()) == printed(*part));
    }
    // And wherever else it ends, its error lies within.
    for (std::size_t size = 0; size < source.size(); ++size) {
      tessera::report found;
      const result<nem::model> part =
          nem::read(std::string_view(source).substr(0, size), {}, &found);
      if (static_cast<bool>(part) != (found.errors == 0)) FAIL(file << " up to byte " << size);
      if (!part && part.error().offset > size) FAIL(file << " up to byte " << size);
    }
  }
}
