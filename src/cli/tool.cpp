// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tool.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "io/file.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

constexpr format_row format_table[] = {
    {format::unknown, "unknown", "unknown", false},
    {format::alir_json, "alir", "ALIR JSON", true},
    {format::alir_bytecode, "alir", "ALIR bytecode", false},
};

void write_json(json::writer& w, const diagnostic& d) {
  const auto number = [&w](const char* key, const std::optional<std::uint64_t>& v) {
    w.key(key);
    if (v)
      w.integer(*v);
    else
      w.null();
  };
  w.begin_object().key("severity").string("error").key("rule").string(d.rule);
  number("offset", d.offset);
  number("line", d.line);
  number("column", d.column);
  w.key("path");
  if (d.path)
    w.string(*d.path);
  else
    w.null();
  w.key("message").string(d.message).end();
}

/// U+FFFD for each byte that isn't UTF-8 and, unless they are kept, for each control character.
[[nodiscard]] std::string legible(std::string_view s, bool keep_controls) {
  std::string out;
  while (!s.empty()) {
    const unsigned length = utf8_length(s.data(), s.data() + s.size());
    const bool control = static_cast<unsigned char>(s[0]) < 0x20 || s[0] == 0x7f;
    if (length == 0 || (control && !keep_controls))
      out += "\xEF\xBF\xBD";
    else
      out += s.substr(0, length);
    s.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace

const format_row& info(format f) noexcept { return format_table[static_cast<std::size_t>(f)]; }

format detect(bytes content) noexcept {
  std::string_view text = as_text(content);
  if (text.starts_with("ALIR")) return format::alir_bytecode;
  // Words of version 2 begin with the version, a small number; so does what claims another one.
  if (content.size() >= 4 && load_le<std::uint32_t>(content.data()) < 256)
    return format::alir_bytecode;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != text.npos && (text[start] == '{' || text[start] == '[')) return format::alir_json;
  return format::unknown;
}

std::string shown_name(std::string_view path) {
  if (path == "-") return "<stdin>";
  return path.empty() ? "''" : legible(path, false);
}

std::string json_name(std::string_view path) { return legible(path, true); }

diagnostic diagnose(error e, const source& from) {
  diagnostic d;
  d.rule = e.name();
  d.message = e.message();
  d.offset = e.offset;
  if (info(from.what).is_text) {
    const line_column at = locate(from.characters(), e.offset);
    d.line = at.line;
    d.column = at.column;
    const text path = json::path(from.characters(), e.offset);
    d.path = path.view();
    const text shown = describe(e, from.characters(), from.name);
    d.shown = shown.view();
  } else {
    const text shown = describe(e, from.data(), from.name);
    d.shown = shown.view();
  }
  return d;
}

diagnostic diagnose(const io::failure& why) {
  diagnostic d;
  d.path_of_file = why.path;
  d.rule = why.kind == io::fault::system ? "io" : "content";
  io::failure unnamed = why;
  unnamed.path.clear();
  d.message = unnamed.message();
  d.shown = shown_name(why.path) + ": error: " + d.message + '\n';
  return d;
}

void show(const diagnostic& d) {
  std::string shown = d.shown;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = (no_color != nullptr && *no_color != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb";
  if (isatty(STDERR_FILENO) == 1 && !plain)
    if (const std::size_t at = shown.find("error:"); at != shown.npos)
      shown.replace(at, 6, "\033[1;31merror:\033[0m");
  std::fputs(shown.c_str(), stderr);
}

void show_error(std::string_view message) {
  diagnostic d;
  d.shown = "error: " + std::string(message) + '\n';
  show(d);
}

void show_note(std::string_view message) {
  std::fputs(("note: " + std::string(message) + '\n').c_str(), stderr);
}

exit_code usage_error(std::string_view verb, std::string_view message) {
  show_error("tessera " + std::string(verb) + ": " + std::string(message) + "\nTry 'tessera " +
             std::string(verb) + " --help'.");
  return wrong_usage;
}

text file_report(std::string_view file, format what, const diagnostic* wrong) {
  text out;
  json::writer w(out);
  w.begin_object().key("file").string(json_name(file)).key("format");
  if (what == format::unknown)
    w.null();
  else
    w.string(info(what).name);
  w.key("ok").boolean(wrong == nullptr).key("diagnostics").begin_array();
  if (wrong != nullptr) write_json(w, *wrong);
  w.end().end();
  out << '\n';
  return out;
}

exit_code reporting::fail(const diagnostic& d, exit_code code, format what) const {
  if (!as_json) return show(d), code;
  const text report = file_report(d.path_of_file.empty() ? path : d.path_of_file, what, &d);
  const exit_code wrote = print_result(report);
  return wrote != success ? wrote : code;
}

loaded load_source(const reporting& to) {
  io::expected<io::content> content = io::load(to.path);
  if (!content) return {std::nullopt, to.fail(content.err())};
  source s{shown_name(to.path), std::move(*content), format::unknown};
  s.what = detect(s.data());
  if (s.what != format::unknown) return {std::move(s), success};
  diagnostic d;
  d.rule = "unknown_format";
  d.message = s.data().empty() ? "the file is empty"
                               : "expected ALIR JSON, which begins with {, or ALIR bytecode, "
                                 "which begins with a small version number or \"ALIR\"";
  d.offset = 0;
  d.shown = s.name + ": error: " + d.message + "\n  [unknown_format] at offset 0\n";
  return {std::nullopt, to.fail(d, bad_input, format::unknown)};
}

void file_list::add_options(CLI::App& verb, const std::string& files,
                            const std::string& json_help) {
  verb.add_option("FILE", paths, files + "; - is standard input")->required();
  verb.add_flag("--json", json, json_help);
}

exit_code file_list::each(std::string_view verb,
                          const std::function<exit_code(const reporting&)>& act) const {
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    return usage_error(verb, "standard input can be read only once");
  exit_code code = success;
  for (const std::string& path : paths) code = std::max(code, act({path, json}));
  return code;
}

exit_code write_result(const std::string& path, bytes data) {
  const io::expected<io::done> wrote = io::store(path, data);
  if (wrote) return success;
  // Whoever closes a pipe early (head, a pager) has what they wanted.
  if (path != "-" || wrote.err().error_number != EPIPE) show(diagnose(wrote.err()));
  return io_error;
}

result<alir::model> read_alir(const source& from) {
  return from.what == format::alir_json ? alir::read_json(from.characters())
                                        : alir::read_bytecode(from.data());
}

result<alir::program> verify_alir(const source& from) {
  result<alir::model> m = read_alir(from);
  if (!m) return m.err();
  return alir::verify(std::move(*m));
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
