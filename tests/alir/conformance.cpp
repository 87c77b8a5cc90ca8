// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Runs tests/data/alir/conformance.tsv, which says how its lines are written.

#include "samples.hpp"
// Keeps the line above where it is.
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <tessera/core/bytes.hpp>

#include "io/compress.hpp"
#include "tessera/vm/alir.hpp"

namespace {

using samples::alir::model;
using tessera::errc;
using tessera::error;

struct test_case {
  std::string name, stage;
  errc code = errc::ok;
  bool refused = false;  // by the file layer, which has no codes
  std::uint64_t offset = 0;
  std::string content;
  bool is_bytecode = false;
  bool is_compressed = false;
};

errc code_named(std::string_view name) {
  std::optional<errc> found;
  tessera::for_each_errc([&](const tessera::errc_row& row) {
    if (row.name == name) found = row.code;
  });
  if (!found) FAIL("no error is called " << std::string(name));
  return *found;
}

std::string replaced(std::string all, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = all.find(from, at)) != std::string::npos; at += to.size())
    all.replace(at, from.size(), to);
  return all;
}

/// JSON from its short form: the marker out, ~XX in.
std::string json_of(std::string_view form, std::uint64_t& marker) {
  std::string out;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '^')
      marker = out.size();
    else if (form[i] == '~')
      out += static_cast<char>(std::stoi(std::string(form.substr(i + 1, 2)), nullptr, 16)), i += 2;
    else
      out += form[i];
  }
  return out;
}

/// Bytecode from its short form.
std::string bytecode_of(std::string form, std::uint64_t& marker) {
  form = replaced(replaced(form, "X2", "-1 0 -1 0 0 1 3 0"), "X4", "b-1 b1 b3 b0 h0 h1 q0");
  std::istringstream tokens(form);
  std::string out;
  for (std::string token; tokens >> token;) {
    if (token[0] == '^') {
      marker = out.size();
      token.erase(0, 1);
    }
    if (token.empty() || token == "|") continue;
    if (token == "ALIR") {
      out += token;
      continue;
    }
    const std::size_t size = token[0] == 'b' ? 1 : token[0] == 'h' ? 2 : token[0] == 'q' ? 8 : 4;
    const long long value = std::stoll(size == 4 ? token : token.substr(1));
    char raw[8];
    tessera::store_le(raw, std::int64_t{value});
    out.append(raw, size);
  }
  return out;
}

void set_source(test_case& c, const std::string& source, std::uint64_t& marker) {
  const std::size_t colon = source.find(':');
  const std::string kind = source.substr(0, colon), form = source.substr(colon + 1);
  if (colon == std::string::npos) {
    c.content = samples::load(samples::folder() / source);
    c.is_bytecode = source.ends_with(".bc");
    c.is_compressed = source.ends_with(".gz");
  } else if (kind == "bytecode") {
    c.content = bytecode_of(form, marker);
    c.is_bytecode = true;
  } else if (kind == "json") {
    c.content = json_of(form, marker);
  } else {
    const int version = kind.back() - '0';
    const std::string whole = kind.starts_with("rows")
                                  ? samples::with_rows(form, version)
                                  : R"({"model":[)" + form +
                                        R"(],"meta":"ALIRModel","spec_version":)" + kind.back() +
                                        "}";
    const std::string input = version == 2 ? "[0,-1,-1,0,Q]" : "[[],-1,[0],Q]";
    c.content = json_of(replaced(replaced(whole, "X", input), "Q", "[-8,7,1],0,0"), marker);
  }
}

const std::vector<test_case>& manifest() {
  static const std::vector<test_case> all = [] {
    std::vector<test_case> list;
    std::istringstream lines(samples::load(samples::folder() / "conformance.tsv"));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::vector<std::string> column;
      std::istringstream parts(line);
      for (std::string part; std::getline(parts, part, '\t');) column.push_back(part);
      INFO(line);
      REQUIRE(column.size() == 4);
      test_case c;
      c.name = column[0];
      c.stage = column[1];
      std::uint64_t marker = UINT64_MAX;
      set_source(c, column[3], marker);
      const std::size_t at = column[2].find('@');
      c.refused = column[2] == "refused";
      if (column[2] != "ok" && !c.refused) {
        c.code = code_named(column[2].substr(0, at));
        c.offset = at == std::string::npos ? marker : std::stoull(column[2].substr(at + 1));
        REQUIRE(c.offset != UINT64_MAX);
      }
      list.push_back(std::move(c));
    }
    return list;
  }();
  return all;
}

/// The stages of a case up to its own; the error of the last.
error run(const test_case& c, const model* read) {
  if (c.stage == "write_json") return tessera::alir::write_json(*read, 2).error();
  if (c.stage == "write_json_3") return tessera::alir::write_json(*read, 3).error();
  if (c.stage == "write_bytes")
    return tessera::alir::write(*read, {.encoding = tessera::alir::encoding::bytecode}).error();
  if (c.stage == "write_bytecode") return tessera::alir::write_bytecode(*read).error();
  const auto proven = tessera::alir::verify(model(*read));
  if (c.stage == "verify" || !proven) return proven.error();
  REQUIRE(c.stage == "run");
  tessera::vm::alir::machine vm(*proven);
  const std::vector<double> in(vm.inputs());
  std::vector<double> out(vm.outputs());
  const tessera::vm::alir::outcome done = vm.run(in, out, 1);
  return done ? error{} : error{done.code, static_cast<std::uint64_t>(done.operation)};
}

}  // namespace

TEST_CASE("alir/conformance: every case has its verdict, code and offset", "[alir]") {
  for (const test_case& c : manifest()) {
    INFO(c.name << ", " << c.stage << ": " << (c.is_bytecode ? "" : c.content));
    std::string content = c.content;
    if (c.is_compressed) {
      if (!tessera::io::is_supported(tessera::io::codec::gzip)) continue;
      const auto plain = tessera::io::decompress(tessera::as_bytes(content));
      CHECK(c.refused == !plain);
      if (!plain) continue;
      content = std::string(tessera::as_text(plain->view()));
    }
    const error expected{c.code, c.offset};
    const auto read = samples::read(content, c.is_bytecode);
    if (c.stage == "read") {
      CHECK(read.error() == expected);
    } else {
      REQUIRE(read.error() == error{});
      CHECK(run(c, &*read) == expected);
    }
    if (c.code != errc::ok && c.stage != "run") CHECK(c.offset <= content.size());
    CHECK_FALSE(tessera::describe(expected, content, c.name).empty());
  }
}

TEST_CASE("alir/conformance: every code of ALIR and of JSON has a case", "[alir]") {
  std::set<errc> covered;
  std::set<std::string> names;
  for (const test_case& c : manifest()) {
    covered.insert(c.code);
    CHECK(names.insert(c.name).second);
  }
  tessera::for_each_errc([&](const tessera::errc_row& row) {
    // What no file can say: models built in code hold it, in read_write.cpp and verify.cpp. The lint's
    // are in tests/inspect/alir/lint.cpp, pipelines in pipeline.cpp.
    if (row.code == errc::alir_not_finite || row.code == errc::alir_unused_shift) return;
    if (row.code >= errc::alir_overflow && row.code <= errc::alir_negative_cost) return;
    if (row.code >= errc::alir_pipeline_form && row.code <= errc::alir_fsm_order) return;
    if (!row.name.starts_with("alir_") && !row.name.starts_with("json_")) return;
    INFO(row.name);
    CHECK(covered.count(row.code) == 1);
  });
}

TEST_CASE("alir/conformance: every malformed file has a case", "[alir]") {
  const std::string lines = samples::load(samples::folder() / "conformance.tsv");
  for (const auto& entry : std::filesystem::directory_iterator(samples::folder() / "bad")) {
    const std::string source = "\tbad/" + entry.path().filename().string() + "\n";
    INFO(source);
    CHECK(lines.find(source) != std::string::npos);
  }
}
