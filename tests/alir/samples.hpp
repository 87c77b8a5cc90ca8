// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The sample files, and how tests look at models.
//
//   for (const samples::file& f : samples::good()) samples::read(f.content, f.is_bytecode());
//
// Lifetime:   values; good() lives as long as the program.
// Errors:     a file that can't be read fails the test.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_TESTS_ALIR_SAMPLES_HPP
#define TESSERA_TESTS_ALIR_SAMPLES_HPP

#include "alir.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "../support/catch.hpp"

namespace samples {

namespace alir = tessera::alir;

[[nodiscard]] inline std::string load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) FAIL("cannot open " << path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

[[nodiscard]] inline std::filesystem::path folder() { return TESSERA_TESTS_DATA_DIR "/alir"; }

/// A file that every reader accepts.
struct file {
  std::string name;  ///< all_ops
  std::string form;  ///< v2.json, v3.json, v4.json, v2.bc or v4.bc
  std::string content;
  [[nodiscard]] bool is_bytecode() const { return form.ends_with(".bc"); }
};

/// All of them, by name.
[[nodiscard]] inline const std::vector<file>& good() {
  static const std::vector<file> all = [] {
    std::vector<file> list;
    for (const auto& entry : std::filesystem::directory_iterator(folder() / "ok")) {
      const std::string whole = entry.path().filename().string();
      const std::size_t dot = whole.find('.');
      const std::string form = whole.substr(dot + 1);
      if (form.ends_with("json") || form.ends_with("bc"))
        list.push_back({whole.substr(0, dot), form, load(entry.path())});
    }
    std::sort(list.begin(), list.end(), [](const file& a, const file& b) {
      return std::pair(a.name, a.form) < std::pair(b.name, b.form);
    });
    return list;
  }();
  return all;
}
/// The content of one.
[[nodiscard]] inline const std::string& good(std::string_view name, std::string_view form) {
  for (const file& f : good())
    if (f.name == name && f.form == form) return f.content;
  FAIL("no sample " << std::string(name) << '.' << std::string(form));
  return good().front().content;
}

[[nodiscard]] inline tessera::result<alir::model> read(std::string_view content, bool is_bytecode,
                                                       const tessera::limits& limit = {}) {
  return is_bytecode ? alir::read_bytecode(tessera::as_bytes(content), limit)
                     : alir::read_json(content, limit);
}

/// What must be readable.
[[nodiscard]] inline alir::model model(std::string_view content, bool is_bytecode = false) {
  auto m = read(content, is_bytecode);
  if (!m) FAIL(std::string(m.error().name()) << " at " << m.error().offset << " in " << content);
  return std::move(*m);
}

/// JSON of version 2, or of another one.
[[nodiscard]] inline std::string json(const alir::model& m, std::int32_t version = 2) {
  auto out = alir::write_json(m, version);
  if (!out) FAIL("write_json: " << std::string(out.error().name()) << " at " << out.error().offset);
  return std::string(out->view());
}
/// Version 2 bytecode as in files.
[[nodiscard]] inline std::string bytecode(const alir::model& m) {
  auto out = alir::write_bytecode(m);
  if (!out)
    FAIL("write_bytecode: " << std::string(out.error().name()) << " at " << out.error().offset);
  std::string raw(out->size() * 4, '\0');
  for (std::size_t i = 0; i < out->size(); ++i) tessera::store_le(raw.data() + 4 * i, (*out)[i]);
  return raw;
}

/// Copies of `all` in which each first `from` is a `to`.
[[nodiscard]] inline std::string with(std::string all, std::string_view from, std::string_view to) {
  const std::size_t at = all.find(from);
  if (at == std::string::npos) FAIL("no " << from << " in " << all);
  return all.replace(at, from.size(), to);
}

/// The smallest file around the rows of some operations: an input, an output, a table of 4 entries.
[[nodiscard]] inline std::string with_rows(std::string_view rows, int version = 2) {
  return R"({"model":[[1,1],[0],[0],[0],[false],[)" + std::string(rows) +
         R"(],-1,-1,[{"table":[1,2,3,4]}]],"meta":"ALIRModel","spec_version":)" +
         std::to_string(version) + "}";
}

}  // namespace samples

#endif  // TESSERA_TESTS_ALIR_SAMPLES_HPP
