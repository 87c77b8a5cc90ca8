// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ark.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tessera/core/describe.hpp>

namespace tessera::inline TESSERA_ABI {
namespace cli {

line_column line_index::locate(std::uint64_t offset) {
  if (starts_.empty()) {
    starts_.push_back(0);
    for (std::size_t at = source_.find('\n'); at != source_.npos; at = source_.find('\n', at + 1))
      starts_.push_back(at + 1);
  }
  offset = std::min<std::uint64_t>(offset, source_.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return {static_cast<std::uint64_t>(next - starts_.begin()), offset - *(next - 1) + 1};
}

std::string line_index::excerpt(std::uint64_t offset) const {
  constexpr std::size_t columns = 78;
  const std::size_t at =
      offset < source_.size() ? static_cast<std::size_t>(offset) : source_.size();
  const auto is_tail = [this](std::size_t i) {
    return i < source_.size() && (static_cast<unsigned char>(source_[i]) & 0xc0u) == 0x80u;
  };
  std::size_t first = at, last = at;
  while (first > 0 && source_[first - 1] != '\n' && at - first < columns) --first;
  if (first > 0 && source_[first - 1] != '\n') first = at - columns / 2;
  while (last < source_.size() && source_[last] != '\n' && last - first < columns) ++last;
  if (last < source_.size() && source_[last] != '\n' && at - first > columns / 2) {
    first = at - columns / 2;
    while (last < source_.size() && source_[last] != '\n' && last - first < columns) ++last;
  }
  while (first < at && is_tail(first)) ++first;
  while (last > at && is_tail(last)) --last;
  std::string line(source_.substr(first, last - first));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\t' || c == '\r'; }, ' ');
  text out;
  append_shown(out << "  ", std::string_view(line).substr(0, at - first));
  const auto columns_before = std::count_if(out.view().begin(), out.view().end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  });
  append_shown(out, std::string_view(line).substr(at - first));
  out << '\n';
  for (auto i = columns_before; i > 0; --i) out << ' ';
  out << "^\n";
  return std::string(out.view());
}

namespace {

/// Rules are looked up by name in documents; what has none keeps the name of its code.
[[nodiscard]] std::string rule_of(errc code) {
  const ark::rule rule(code);
  return std::string(rule.id().empty() ? error{code}.name() : rule.id());
}

/// Fills in what people see.
void compose(diagnostic& d, const source& from, line_index& lines) {
  const line_column at = lines.locate(*d.offset);
  d.line = at.line;
  d.column = at.column;
  d.shown = from.name + ':' + std::to_string(at.line) + ':' + std::to_string(at.column) + ": " +
            d.severity + ": " + d.message + "\n  [" + d.rule + "] at " + d.path.value_or("$") +
            ", offset " + std::to_string(*d.offset) + '\n' + lines.excerpt(*d.offset);
}

[[nodiscard]] const char* word_for(ark::severity s) noexcept {
  return s == ark::severity::error ? "error" : s == ark::severity::warning ? "warning" : "note";
}

}  // namespace

diagnostic diagnose_ark(error e, const source& from) {
  line_index lines(from.characters());
  diagnostic d;
  d.rule = rule_of(e.code);
  d.message = e.message();
  d.offset = std::min<std::uint64_t>(e.offset, from.characters().size());
  const text path = json::path(from.characters(), *d.offset);
  d.path = path.view();
  compose(d, from, lines);
  return d;
}

std::vector<diagnostic> diagnose_ark(const ark::report& found, const source& from,
                                     std::uint32_t file) {
  line_index lines(from.characters());
  std::vector<diagnostic> out;
  for (const ark::diagnostic& f : found.diagnostics) {
    if (f.file != file) continue;
    diagnostic d;
    d.severity = word_for(f.severity);
    d.rule = rule_of(f.code);
    d.message = found.text_of(f.text);
    d.offset = f.offset;
    d.path = found.text_of(f.path);
    compose(d, from, lines);
    out.push_back(std::move(d));
  }
  return out;
}

void show_findings(const std::vector<diagnostic>& found, const shown_findings& how,
                   const ark::report* counts) {
  constexpr std::size_t few = 3;
  std::map<std::string, std::size_t> seen;
  for (const diagnostic& d : found) {
    const std::size_t nth = ++seen[d.severity + ' ' + d.rule];
    if (how.all || d.severity == "error" || nth <= few) show(d);
  }
  for (const auto& [what, count] : seen)
    if (!how.all && count > few && !what.starts_with("error"))
      show_note(std::to_string(count - few) + " more " + what.substr(0, what.find(' ')) +
                (count - few == 1 ? "" : "s") + " of rule " + what.substr(what.find(' ') + 1) +
                "; --all shows them");
  if (counts == nullptr) return;
  const std::uint64_t total = counts->errors + counts->warnings + counts->notes;
  if (total > counts->diagnostics.size())
    show_note(std::to_string(total - counts->diagnostics.size()) +
              " more findings were counted and not kept");
  if (counts->hazards_bounded)
    show_note("rule G14 was not checked to the end: the model is too large for it");
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
  ark::report found;
  result<ark::program> p = ark::verify(std::move(*in.graph), options, &found, from.characters());
  if (p) return {std::move(*p), success};
  return {std::nullopt, to.fail(diagnose_ark(found, from), format::ark_model)};
}

std::string rank_of(const ark::model& g) {
  if (g.world_size == 1) return {};
  return "rank " + std::to_string(g.rank) + " of " + std::to_string(g.world_size);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
