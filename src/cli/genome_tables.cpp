// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome_tables.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tessera/core/json.hpp>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// Reads an object whose members `take` reads; reports what is wrong.
[[nodiscard]] exit_code read_members(
    const std::string& path, const std::function<void(json::reader&, const std::string&)>& take) {
  const reporting to{path};
  io::expected<io::content> content = io::load(path, {}, io::side_input);
  if (!content) return to.fail(content.error());
  const source file{shown_name(path), std::move(*content), format::unknown};
  json::reader in(file.characters());
  std::string_view key;
  for (in.object(); in.key(key);) take(in, std::string(key));
  const error e = in.finish();
  return e.code == errc::ok ? success : to.fail(e, file);
}

}  // namespace

gene_names read_gene_names(const std::string& path) {
  gene_names out;
  if (path.empty()) return out;
  out.code = read_members(path, [&out](json::reader& in, const std::string& name) {
    for (in.array(); in.element();) {
      text code;
      json::writer w(code);
      if (in.peek() != json::kind::object) in.fail(errc::json_expected_object, in.offset());
      json::copy(in, w);
      out.of.emplace(code.view(), name);
    }
  });
  return out;
}

network_families read_families(const std::string& path, const std::vector<std::string>& networks) {
  network_families out;
  std::map<std::string, std::string> known;
  out.code = read_members(path, [&known](json::reader& in, const std::string& network) {
    known.emplace(network, in.string());
  });
  if (out.code != success) return out;
  for (const std::string& n : networks) {
    const auto at = known.find(n);
    if (at == known.end()) {
      const std::string what = "'" + n + "' has no family in the file";
      out.code = reporting{path}.fail(diagnose(shown_name(path), "family", what), bad_input,
                                      format::unknown);
      return out;
    }
    const auto same = std::find(out.names.begin(), out.names.end(), at->second);
    out.family.push_back(static_cast<std::uint32_t>(same - out.names.begin()));
    if (same == out.names.end()) out.names.push_back(at->second);
  }
  return out;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
