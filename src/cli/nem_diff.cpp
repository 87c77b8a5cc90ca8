// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff` of NEM files.

#include <tessera/core/json_write.hpp>

#include "nem.hpp"
#include "tessera/inspect/nem/diff.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The lines of a statement after a mark: "+ buffer …".
void append_lines(text& out, std::string_view statement, std::string_view mark) {
  while (!statement.empty()) {
    const std::string_view line = statement.substr(0, statement.find('\n'));
    out << mark << line << '\n';
    statement.remove_prefix(std::min(line.size() + 1, statement.size()));
  }
}

/// Whether one of the lines of a statement is `line`.
[[nodiscard]] bool has_line(std::string_view statement, std::string_view line) {
  const std::string all = '\n' + std::string(statement) + '\n';
  return all.find('\n' + std::string(line) + '\n') != all.npos;
}

/// The lines that the other statement lacks.
[[nodiscard]] std::string lines_without(std::string_view statement, std::string_view other) {
  std::string out;
  while (!statement.empty()) {
    const std::string_view line = statement.substr(0, statement.find('\n'));
    if (!has_line(other, line)) out.append(out.empty() ? "" : "\n").append(line);
    statement.remove_prefix(std::min(line.size() + 1, statement.size()));
  }
  return out;
}

[[nodiscard]] text text_of_difference(const inspect::program_difference& found) {
  text out;
  if (found.same()) {
    out << "identical: " << plural(found.unchanged, "statement") << '\n';
    return out;
  }
  for (const inspect::statement_difference& d : found.statements) {
    if (d.before.empty()) {
      append_lines(out, d.after, "+ ");
    } else if (d.after.empty()) {
      append_lines(out, d.before, "- ");
    } else {
      const std::string_view head = std::string_view(d.after).substr(0, d.after.find('\n'));
      if (has_line(d.before, head)) out << "~ " << head << '\n';
      append_lines(out, lines_without(d.before, d.after), "~ - ");
      append_lines(out, lines_without(d.after, d.before), "~ + ");
    }
  }
  out << found.changed << " changed, " << found.added << " added, " << found.removed << " removed, "
      << found.unchanged << " unchanged\n";
  return out;
}

}  // namespace

exit_code diff_nem(const source& a, const source& b, const reporting& before,
                   const reporting& after, bool quiet) {
  const nem_document first = read_nem(a, before);
  if (!first.document) return first.code;
  const nem_document second = read_nem(b, after);
  if (!second.document) return second.code;
  const inspect::program_difference found = inspect::diff(*first.document, *second.document);
  const exit_code verdict = found.same() ? success : bad_input;
  if (quiet) return verdict;
  if (!before.as_json) {
    const text out = text_of_difference(found);
    return print_result(out, verdict);
  }
  text out;
  json::writer w(out);
  w.begin_object().key("before").string(json_name(before.path));
  w.key("after").string(json_name(after.path)).key("format").string("nem");
  w.key("same").boolean(found.same()).key("changed").integer(found.changed);
  w.key("added").integer(found.added).key("removed").integer(found.removed);
  w.key("unchanged").integer(found.unchanged).key("statements").begin_array();
  for (const inspect::statement_difference& d : found.statements) {
    w.begin_object().key("kind").string(d.before.empty()  ? "added"
                                        : d.after.empty() ? "removed"
                                                          : "changed");
    for (const auto& [key, value] : {std::pair("before", &d.before), {"after", &d.after}}) {
      w.key(key);
      if (value->empty())
        w.null();
      else
        w.string(*value);
    }
    w.end();
  }
  w.end().end();
  out << '\n';
  return print_result(out, verdict);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
