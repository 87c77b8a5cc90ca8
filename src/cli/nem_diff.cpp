// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera diff` of NEM files.

#include <algorithm>
#include <tessera/core/json_write.hpp>

#include "nem.hpp"
#include "tessera/inspect/nem/device.hpp"
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

/// The devices that a file declares, with all that they inherit. They borrow the program.
[[nodiscard]] std::vector<inspect::device_summary> declared_devices(
    const std::optional<nem::program>& p) {
  std::vector<inspect::device_summary> out;
  if (!p) return out;
  for (const nem::device& d : p->catalog().devices)
    if (d.where.length != 0 && d.where.file == 0) out.emplace_back(p->catalog(), d);
  return out;
}

struct device_comparison {
  std::string_view before, after;
  inspect::device_difference found;
};
/// Devices of one name, or the only ones of both files.
[[nodiscard]] std::vector<device_comparison> compare_devices(
    const std::vector<inspect::device_summary>& before,
    const std::vector<inspect::device_summary>& after) {
  std::vector<device_comparison> out;
  for (const inspect::device_summary& a : before) {
    const auto b = std::find_if(after.begin(), after.end(), [&](const inspect::device_summary& d) {
      return d.name == a.name || (before.size() == 1 && after.size() == 1);
    });
    if (b != after.end()) out.push_back({a.name, b->name, inspect::diff(a, *b)});
  }
  return out;
}

void append_devices(text& out, const std::vector<device_comparison>& all) {
  for (const device_comparison& c : all) {
    if (c.found.lines.empty()) continue;
    out << "\ndevice " << c.before;
    if (c.after != c.before) out << " and " << c.after;
    out << ", with what they inherit\n";
    for (const inspect::device_difference::line& l : c.found.lines) {
      out << "  " << shown_text(l.what) << ": " << (l.before.empty() ? "none" : l.before) << " -> "
          << (l.after.empty() ? "none" : l.after) << '\n';
    }
  }
}
void write_devices(json::writer& w, const std::vector<device_comparison>& all) {
  w.key("devices").begin_array();
  for (const device_comparison& c : all) {
    w.begin_object().key("before").string(c.before).key("after").string(c.after);
    w.key("differences").begin_array();
    for (const inspect::device_difference::line& l : c.found.lines) {
      w.begin_object().key("what").string(l.what);
      for (const auto& [key, value] : {std::pair("before", &l.before), {"after", &l.after}}) {
        w.key(key);
        if (value->empty())
          w.null();
        else
          w.string(*value);
      }
      w.end();
    }
    w.end().end();
  }
  w.end();
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
  // What included files change, too; files that don't verify are compared by their text alone.
  const nem_outcome verified[] = {verify_nem(a, before, {}), verify_nem(b, after, {})};
  const std::vector<device_comparison> devices =
      compare_devices(declared_devices(verified[0].program), declared_devices(verified[1].program));
  const bool same = found.same() && std::all_of(devices.begin(), devices.end(), [](const auto& c) {
                      return c.found.lines.empty();
                    });
  const exit_code verdict = same ? success : bad_input;
  if (quiet) return verdict;
  if (!before.as_json) {
    text out = text_of_difference(found);
    append_devices(out, devices);
    return print_result(out, verdict);
  }
  text out;
  json::writer w(out);
  w.begin_object().key("before").string(json_name(before.path));
  w.key("after").string(json_name(after.path)).key("format").string("nem");
  w.key("same").boolean(same).key("changed").integer(found.changed);
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
  w.end();
  if (!devices.empty()) write_devices(w, devices);
  w.end();
  out << '\n';
  return print_result(out, verdict);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
