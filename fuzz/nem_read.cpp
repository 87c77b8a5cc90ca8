// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// nem::read: for any text a tree or errors whose places, notes and fixes are inside; a tree's nodes nest,
// each in the text of its parent, and its names, numbers and enumerators exist. Where there is one
// finding, and it has a fix, the fix takes it away.

#include <tessera/core/bytes.hpp>
#include <tessera/nem.hpp>
#include <vector>

#include "require.hpp"

using namespace tessera;

namespace {

void require_tree(const nem::model& d, std::size_t size) {
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    const nem::node& n = d.nodes[i];
    while (!open.empty() && d.nodes[open.back()].next <= i) open.pop_back();
    fuzz::require(n.next > i && n.next <= d.nodes.size(), "children follow their node");
    fuzz::require(open.empty() || n.next <= d.nodes[open.back()].next,
                  "children end with their parent");
    fuzz::require(n.offset <= size && n.length <= size - n.offset, "a node lies in the source");
    if (nem::has_name(n.kind) && n.value != nem::no_name) {
      fuzz::require(n.value < d.names.size(), "a name is in the table");
      const nem::string s = d.names[n.value];
      fuzz::require(s.first <= d.characters.size() && s.size <= d.characters.size() - s.first,
                    "its characters are in the document");
    }
    if (n.kind == nem::node_kind::real)
      fuzz::require(n.value < d.reals.size(), "a real is in the table");
    if (n.kind == nem::node_kind::wide_integer)
      fuzz::require(n.value < d.integers.size() && d.integers[n.value] > 0xffffffff,
                    "a wide integer is in the table, and wide");
    if (n.next > i + 1) open.push_back(i);
  }
}

[[nodiscard]] bool lies_in(const tessera::place& p, std::size_t size) {
  return p.file == 0 && p.offset <= size && p.length <= size - p.offset;
}
[[nodiscard]] bool lies_in(const tessera::text_range& s, const tessera::report& found) {
  return s.first <= found.characters.size() && s.size <= found.characters.size() - s.first;
}

void require_report(const tessera::report& found, std::size_t size) {
  std::uint64_t counts[3] = {};
  for (const tessera::diagnostic& d : found.diagnostics) {
    ++counts[static_cast<std::size_t>(d.severity)];
    fuzz::require(lies_in(d.where, size), "a finding lies in the source");
    fuzz::require(lies_in(d.text, found) && lies_in(d.note, found) && lies_in(d.replacement, found),
                  "what a finding says is in the report");
    fuzz::require(lies_in(d.related, size), "a note lies in the source");
    fuzz::require(d.has_note == (d.note.size != 0), "a note says something");
    fuzz::require(!nem::rule(d.code).id().empty() || d.code < errc::nem_lex_001_character,
                  "a finding is of a rule or of a limit");
    fuzz::require(d.text.size != 0, "a finding says something");
    fuzz::require(d.has_fix || d.replacement.size == 0, "only fixes replace");
    if (d.has_fix) {
      fuzz::require(lies_in(d.fix, size), "a fix lies in the source");
      fuzz::require(d.fix.length != 0 || d.replacement.size != 0, "a fix changes something");
    }
  }
  fuzz::require(
      counts[0] <= found.errors && counts[1] <= found.warnings && counts[2] <= found.notes,
      "what is kept was counted");
}

/// Whether a finding of the fixed text is one that the fix was for: it says the same, where that now is.
[[nodiscard]] bool is_same(const tessera::diagnostic& x, const tessera::report& after,
                           const tessera::diagnostic& d, const tessera::report& found) {
  const bool is_moved = d.fix.offset + d.fix.length <= d.where.offset;
  const std::uint64_t first =
      d.where.offset + (is_moved ? d.replacement.size - std::uint64_t{d.fix.length} : 0);
  return x.code == d.code && x.where.offset == first && x.where.length == d.where.length &&
         after.text_of(x.text) == found.text_of(d.text);
}

/// Applies the fix of the only finding, and reads again. Where there are more, what is assumed after one
/// error can bring another one back.
void require_fix(std::string_view source) {
  tessera::report found;
  (void)nem::read(source, {}, &found);
  if (found.diagnostics.size() != 1 || !found.diagnostics[0].has_fix) return;
  const tessera::diagnostic& d = found.diagnostics[0];
  text fixed;
  fixed << source.substr(0, d.fix.offset) << found.text_of(d.replacement)
        << source.substr(d.fix.offset + d.fix.length);
  tessera::report after;
  (void)nem::read(fixed, {}, &after);
  for (const tessera::diagnostic& x : after.diagnostics)
    fuzz::require(!is_same(x, after, d, found), "a fix takes its finding away");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact source(fuzz::as_text(data, size));
  tessera::report found;
  nem::read_options options;
  options.max_errors = 1 + static_cast<std::uint32_t>(fuzz::below(source.text(), 20));
  const result<nem::model> d = nem::read(source.text(), options, &found);
  require_report(found, size);
  fuzz::turns turn(source.text());
  if (found.diagnostics.size() == 1 && turn.one_in(4)) require_fix(source.text());
  if (d) {
    fuzz::require(found.errors == 0, "a document has no errors");
    require_tree(*d, size);
  } else {
    fuzz::require_error(d.error(), size);
    fuzz::require(found.errors != 0 && found.errors <= options.max_errors,
                  "what isn't a document has errors, but not too many");
  }
  if (!turn.one_in(16)) return 0;
  const tessera::source_file file{"input", source.text()};
  const tessera::listing list(found, {&file, 1});
  for (const tessera::diagnostic& x : found.diagnostics)
    fuzz::require(!list.describe(x).empty(), "a finding can be shown");
  return 0;
}
