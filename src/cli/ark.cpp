// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark.hpp"

#include <algorithm>
#include <map>
#include <tessera/core/describe.hpp>

namespace tessera::inline TESSERA_ABI {
namespace cli {

diagnostic diagnose_ark(error e, const source& from) {
  const std::uint64_t offset = std::min<std::uint64_t>(e.offset, from.characters().size());
  const text path = json::path(from.characters(), offset);
  const text message = message_of(e, from.characters(), path);
  tessera::report found;
  const auto keep = [&found](std::string_view s) {
    const text_range out{static_cast<std::uint32_t>(found.characters.size()),
                         static_cast<std::uint32_t>(s.size())};
    found.characters << s;
    return out;
  };
  tessera::diagnostic d;
  d.code = e.code;
  d.where.offset = offset;
  d.rule = keep(ark::rule(e.code).id());
  d.path = keep(path);
  d.text = keep(message);
  found.diagnostics.push_back(d);
  found.errors = 1;
  return diagnose(found, from)[0];
}

std::vector<std::vector<diagnostic>> diagnose_ranks(const tessera::report& found,
                                                    std::span<const source_file> files) {
  std::vector<diagnostic> all = diagnose(found, files);
  std::vector<std::vector<diagnostic>> out(files.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].included.clear();  // each file has its own list
    out[found.diagnostics[i].where.file].push_back(std::move(all[i]));
  }
  return out;
}

void show_findings(const std::vector<diagnostic>& found, const shown_findings& how,
                   const tessera::report* counts) {
  constexpr std::size_t few = 3;
  std::map<std::string, std::size_t> seen;
  for (const diagnostic& d : found) {
    const std::size_t nth = ++seen[d.severity + ' ' + d.rule];
    if (how.all || d.severity == "error" || nth <= few) show(d);
  }
  for (const auto& [what, count] : seen)
    if (!how.all && count > few && !what.starts_with("error"))
      show_note(plural(count - few, "more " + what.substr(0, what.find(' '))) + " of rule " +
                what.substr(what.find(' ') + 1) + "; --all shows all");
  if (counts == nullptr) return;
  note_omitted(omitted_of(*counts));
  if (counts->is_bounded) show_note("the check of rule G14 is incomplete: the model is too large");
}

exit_code conclude_check(const source& file, const reporting& to, const tessera::report& found,
                         bool is_valid, bool all, std::string details) {
  const std::vector<diagnostic> shown = diagnose(found, file);
  const exit_code verdict = is_valid ? success : bad_input;
  if (to.as_json) {
    const text report = file_report(to.path, file.what, shown, omitted_of(found));
    return print_result(report, verdict);
  }
  show_findings(shown, {all});
  note_omitted(omitted_of(found));
  if (!is_valid) return verdict;
  if (found.warnings != 0) details += ", " + plural(found.warnings, "warning");
  return print_ok(file, to, details);
}

read_outcome read_ark(const source& from, const reporting& to) {
  result<ark::model> g = ark::read(from.characters());
  if (g) return {std::move(*g), success};
  return {std::nullopt, to.fail(diagnose_ark(g.error(), from), bad_input, from.what)};
}

verify_outcome verify_ark(const source& from, const reporting& to,
                          const ark::verify_options& options) {
  read_outcome in = read_ark(from, to);
  if (!in.graph) return {std::nullopt, in.code};
  tessera::report found;
  ark::verify_options how = options;
  how.source = from.characters();
  result<ark::program> p = ark::verify(std::move(*in.graph), how, &found);
  if (p) return {std::move(*p), success};
  return {std::nullopt, to.fail(diagnose(found, from), format::ark_model)};
}

std::string rank_of(const ark::model& g) {
  if (g.world_size == 1) return {};
  return "rank " + std::to_string(g.rank) + " of " + std::to_string(g.world_size);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
