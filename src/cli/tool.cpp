// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tool.hpp"

#include <unistd.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/json.hpp>
#include <utility>

#include "foreign.hpp"
#include "inspect/label.hpp"
#include "io/file.hpp"
#include "tessera/core/suggest.hpp"
#include "tessera/genome.hpp"
#include "tessera/nem/format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr format_row format_table[] = {
    {format::unknown, "unknown", "", "unknown", "", nullptr, false},
    {format::alir_json, "alir", "", "ALIR JSON", "ALIR programs", &file_actions::alir, true},
    {format::alir_bytecode, "alir", "", "ALIR bytecode", "ALIR programs", &file_actions::alir,
     false},
    {format::alir_pipeline, "alir", "an ", "ALIR pipeline", "ALIR pipelines",
     &file_actions::alir_pipeline, true},
    {format::ark_model, "ark", "an ", "ARK model", "ARK models", &file_actions::ark_model, true},
    {format::ark_plan, "ark", "an ", "ARK plan", "ARK plans", &file_actions::ark_plan, true},
    {format::nac, "nac", "a ", "NAC container", "NAC containers", &file_actions::nac, false},
    {format::nac_assembly, "nac", "", "NAC assembly", "NAC assembly", &file_actions::nac_assembly,
     true},
    {format::safetensors, "safetensors", "a ", "safetensors file", "safetensors files",
     &file_actions::safetensors, false},
    {format::nem, "nem", "", "NEM text", "NEM files", &file_actions::nem, true},
    {format::genome_registry, "genome", "a ", "NAC v1.2 registry", "NAC v1.2 registries",
     &file_actions::genome_registry, true},
    {format::genome_stream, "genome", "a ", "NAC v1.2 stream in base64", "NAC v1.2 streams",
     &file_actions::genome_stream, true},
    {format::genome_binary, "genome", "a ", "NAC v1.2 stream", "NAC v1.2 streams",
     &file_actions::genome_stream, false},
    {format::genome_signatures, "genome", "", "NAC v1.2 signatures", "NAC v1.2 streams",
     &file_actions::genome_signatures, true},
    {format::pt2, "pt2", "a ", "PT2 archive", "PT2 archives", &file_actions::pt2, false},
};

/// Lines that are safe on a terminal.
[[nodiscard]] text safe_lines(std::string_view s) {
  text out;
  append_shown(out, s, "\n\t");
  return out;
}

/// Likewise JSON, where only strings have unsafe characters: they become JSON escapes.
[[nodiscard]] text safe_json(std::string_view s) {
  text out, escape;
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const char* const plain = at;
    while (at != end && (*at == '\n' || unsafe_length(at, end) == 0)) at += utf8_length(at, end);
    out << std::string_view(plain, static_cast<std::size_t>(at - plain));
    if (at == end) break;
    const unsigned length = unsafe_length(at, end);
    escape.clear();
    append_shown(escape, {at, length});
    at += length;
    std::string_view digits = escape.view().substr(2);  // \x7f or \u{202e}
    if (length > 1) digits = digits.substr(1, digits.size() - 2);
    if (length == 1 && digits != "7f")
      out << "\xEF\xBF\xBD";  // JSON has no bytes that aren't UTF-8
    else
      out << "\\u" << std::string_view("0000").substr(digits.size()) << digits;
  }
  return out;
}

[[nodiscard]] bool begins_json(std::string_view s) noexcept {
  return s.starts_with('{') || s.starts_with('[');
}
[[nodiscard]] text safe_result(std::string_view s) {
  return begins_json(s) ? safe_json(s) : safe_lines(s);
}

/// Whether this may be a base64 stream of v1.2: it decodes to whole nodes, or it is too long for a
/// word, so that the reader can report what is wrong.
[[nodiscard]] bool is_base64(std::string_view text) {
  constexpr std::size_t longest_word = 24;
  const auto value = [](char c) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return static_cast<unsigned>(digits.find(c));  // above 63 for other characters
  };
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return false;
  text = text.substr(start, text.find_last_not_of(" \t\r\n") + 1 - start);
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  constexpr std::size_t node = 7;  // characters of its 5 bytes
  if (text.size() < node) return false;
  for (const char c : text)
    if (value(c) > 63) return false;
  const auto byte = [&](std::size_t at) {
    const std::size_t i = at / 3 * 4 + at % 3;
    const unsigned bits = value(text[i]) << 6 | value(text[i + 1]);
    return (bits >> (4 - at % 3 * 2)) & 0xff;
  };
  const std::size_t size = text.size() * 3 / 4;
  if (byte(0) == 0 || byte(0) == 9) return false;
  std::size_t at = 0;
  while (at + 5 <= size) at += 5 + std::size_t{2} * byte(at + 4);
  return at == size || text.size() > longest_word;
}

/// Whether a registry of v1.2 has a member of this name; `also_of_others`: which other formats may
/// have, too.
[[nodiscard]] bool is_registry_member(std::string_view key, bool also_of_others) {
  for (const std::string_view name :
       {"canonical_to_index", "index_to_canonical", "variation_to_index", "index_to_constant",
        "constant_group_to_index", "index_to_constant_group", "param_name_to_index",
        "index_to_param_name"})
    if (key == name) return true;
  return also_of_others && (key == "constants" || key == "patterns" || key == "rules");
}

/// The format of JSON by the keys of its root object, as far as they can be read.
[[nodiscard]] format format_of_keys(std::string_view source) {
  json::reader in(source);
  std::string_view key;
  format likely = format::unknown;
  constexpr int enough = 4;
  int members = 0;
  bool streams = false;  // whether the first value is a stream
  for (in.object(); in.key(key); ++members) {
    if (is_registry_member(key, false)) return format::genome_registry;
    if (is_registry_member(key, true)) likely = format::genome_registry;
    const bool is_string = members == 0 && in.peek() == json::kind::string;
    streams = streams || (is_string && is_base64(in.string()));
    if (members == 0 && streams) continue;
    if (streams && members == enough) break;
    if (key == "model" || key == "spec_version" || key == "meta") return format::alir_json;
    if (key == "TaskInfos" || key == "ProcessorGroups" || key == "Architecture" ||
        key == "NumProcessors" || key == "NumWarpsPerProcessor")
      return format::ark_plan;
    if (key == "Nodes") return format::ark_model;
    if (key == "Rank" || key == "WorldSize") likely = format::ark_model;
    if (!is_string) in.skip();
  }
  if (streams && likely == format::unknown) return format::genome_signatures;
  return in.failed() ? format::unknown : likely;
}

/// The format of JSON by quoted names near its start: for JSON that is malformed early on, and for a
/// root that is an array.
[[nodiscard]] format format_of_names(std::string_view text) {
  constexpr std::size_t near = std::size_t{1} << 20;
  const bool is_object = text.starts_with('{');
  text = text.substr(0, near);
  const auto at = [text](std::string_view name) { return text.find(name); };
  if (!is_object)
    return at("\"ProducerNodeIds\"") != text.npos ? format::ark_model : format::alir_json;
  const std::size_t alir = std::min(at("\"model\""), at("\"spec_version\""));
  const std::size_t plan = std::min({at("\"TaskInfos\""), at("\"ProcessorGroups\""),
                                     at("\"NumProcessors\""), at("\"NumWarpsPerProcessor\"")});
  const std::size_t model = at("\"Nodes\""), either = std::min(at("\"WorldSize\""), at("\"Rank\""));
  const std::size_t registry = std::min(at("\"canonical_to_index\""), at("\"index_to_canonical\""));
  if (registry < std::min({alir, plan, model, either})) return format::genome_registry;
  if (alir < std::min({plan, model, either})) return format::alir_json;
  if (plan < model) return format::ark_plan;
  return std::min(model, either) != text.npos ? format::ark_model : format::alir_json;
}

/// A zip whose directory, near the end, has the member that marks a PT2 archive, or one of its
/// predecessors.
[[nodiscard]] bool is_pt2(std::string_view text) {
  constexpr std::size_t near = std::size_t{1} << 20;
  if (!text.starts_with("PK\x03\x04")) return false;
  text.remove_prefix(text.size() - std::min(text.size(), near));
  return text.find("archive_format") != text.npos ||
         text.find("serialized_exported_program.json") != text.npos;
}

/// By the first word after comments.
[[nodiscard]] bool is_assembly(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == text.npos) return false;
    text.remove_prefix(start);
    if (text[0] != ';') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text.starts_with("nac 1.") || text.starts_with("code:");
}

[[nodiscard]] std::string_view word_of(std::string_view s) {
  std::size_t n = 0;
  while (n < s.size() && (s[n] == '_' || (s[n] >= 'A' && s[n] <= 'Z') ||
                          (s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9')))
    ++n;
  return s.substr(0, n);
}
[[nodiscard]] bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// Without leading blanks and line breaks.
[[nodiscard]] std::string_view trimmed_left(std::string_view s) {
  return s.substr(std::min(s.find_first_not_of(" \t\r\n"), s.size()));
}

/// Whether a construct of NEM begins here: a keyword and a name, but not a word of a sentence. If only
/// a part is here, the reader reports what is missing.
[[nodiscard]] bool begins_nem(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> keywords[] = {
      {"const", ""},   {"let", ""},           {"buffer", ""},      {"loop", "in"},
      {"program", ""}, {"device", "extends"}, {"include", ""},     {"wait", ""},
      {"store", ""},   {"transfer", ""},      {"type_family", ""}, {"endloop", ""}};
  const std::string_view word = word_of(text);
  for (const auto& [keyword, second] : keywords) {
    if (word != keyword) continue;
    std::string_view rest = text.substr(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::size_t name = word_of(rest).size();
    if (name == 0) return rest.empty() || "\"(.:={#\r\n"sv.find(rest[0]) != rest.npos;
    rest.remove_prefix(name);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const std::string_view third = word_of(rest);
    return (third.empty() || third == second || !is_letter(third[0])) && !rest.starts_with(',');
  }
  return false;
}

/// Whether the text after comments begins with a construct of NEM or with a task.
[[nodiscard]] bool is_nem(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n;");
    if (start == text.npos) return false;
    text.remove_prefix(start);
    if (text[0] != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  if (begins_nem(text)) return true;
  // NAME = OPCODE.async, OPCODE.async, NAME = OPCODE in
  std::string_view rest = trimmed_left(text.substr(word_of(text).size()));
  const bool assigned = rest.size() != text.size() && rest.starts_with('=');
  if (assigned) {
    text = trimmed_left(rest.substr(1));
    rest = trimmed_left(text.substr(word_of(text).size()));
  }
  if (rest.size() == text.size()) return false;
  return rest.starts_with(".async") || rest.starts_with(".sync") ||
         (assigned && word_of(rest) == "in" && !nearest(word_of(text), nem::opcode_table).empty());
}

/// A length, and JSON of that length; ALIR bytecode that looks like it would have thousands of inputs.
[[nodiscard]] bool is_safetensors(bytes content) {
  if (content.size() < 10) return false;
  const auto length = load_le<std::uint64_t>(content.data());
  if (length < 2 || length > content.size() - 8) return false;
  const std::string_view header = as_text(content.subspan(8, static_cast<std::size_t>(length)));
  return header[0] == '{' && (header[1] == '"' || header[1] == '}') &&
         (header.back() == '}' || header.back() == ' ');
}

}  // namespace

const format_row& info(format f) noexcept { return format_table[static_cast<std::size_t>(f)]; }

format detect(bytes content) {
  std::string_view text = as_text(content);
  if (text.starts_with("ALIR")) return format::alir_bytecode;
  if (text.starts_with("NAC")) return format::nac;
  if (is_safetensors(content)) return format::safetensors;
  if (is_pt2(text)) return format::pt2;
  if (is_assembly(text)) return format::nac_assembly;
  // Words of version 2 begin with a small number, the version. Other small numbers are reported as
  // unsupported versions.
  if (content.size() >= 4 && load_le<std::uint32_t>(content.data()) < 256)
    return foreign_format(content).empty() ? format::alir_bytecode : format::unknown;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == text.npos) return format::unknown;
  if (text[start] != '{' && text[start] != '[') {
    // JSON after a comment, for example: the reader reports it.
    const bool is_comment = text[start] == '/' || text[start] == '#';
    const std::size_t brace = is_comment ? text.find_first_of("{[", start) : text.npos;
    for (const std::string_view name : {"\"ProducerNodeIds\"", "\"TaskInfos\"", "\"model\"",
                                        "\"spec_version\"", "\"canonical_to_index\""})
      if (brace != text.npos && text.find(name) != text.npos)
        return format_of_names(text.substr(brace));
    if (is_base64(text))
      return format::genome_stream;  // before NEM: padding looks like an assignment
    return is_nem(text) ? format::nem : format::unknown;
  }
  if (text[start] == '{') {
    const format f = format_of_keys(text);
    if (f == format::alir_json && alir::starts_pipeline(text)) return format::alir_pipeline;
    if (f != format::unknown || !foreign_format(content).empty()) return f;
  }
  const format f = format_of_names(text.substr(start));
  return f == format::alir_json && alir::starts_pipeline(text) ? format::alir_pipeline : f;
}

std::string shown_name(std::string_view path) {
  if (path == "-") return "<stdin>";
  return path.empty() ? "''" : shown_text(path);
}

std::string shown_text(std::string_view s) {
  text out;
  append_shown(out, s);
  return std::string(out.view());
}

std::string json_name(std::string_view path) { return inspect::as_utf8(path); }

void write_json(json::writer& w, const diagnostic& d) {
  const auto number = [&w](const char* key, const std::optional<std::uint64_t>& v) {
    w.key(key);
    if (v)
      w.integer(*v);
    else
      w.null();
  };
  w.begin_object().key("severity").string(d.severity).key("rule").string(d.rule);
  if (!d.included.empty()) w.key("file").string(d.included);
  number("offset", d.offset);
  if (d.length) number("length", d.length);
  number("line", d.line);
  number("column", d.column);
  w.key("path");
  if (d.path)
    w.string(*d.path);
  else
    w.null();
  w.key("message").string(d.message);
  if (d.note) {
    w.key("note").begin_object();
    if (!d.note->included.empty()) w.key("file").string(d.note->included);
    number("offset", d.note->offset);
    number("line", d.note->line);
    number("column", d.note->column);
    w.key("message").string(d.note->message).end();
  }
  if (d.fix) {
    w.key("fix").begin_object().key("offset").integer(d.fix->offset);
    w.key("length").integer(d.fix->length).key("text").string(d.fix->text).end();
  }
  w.end();
}

diagnostic diagnose(std::string_view file, std::string_view rule, std::string message) {
  diagnostic d;
  d.rule = rule;
  d.shown.append(file).append(": error: ").append(message) += '\n';
  d.message = std::move(message);
  return d;
}

void add_place(diagnostic& d, std::string_view place) {
  const std::string_view between = place.empty() ? "" : " ";
  d.shown.append("  [").append(d.rule).append("]").append(between).append(place) += '\n';
  d.message.append(between).append(place);
}

diagnostic diagnose(error e, const source& from) {
  diagnostic d;
  d.rule = e.name();
  d.message = e.message();
  if (e.index != error_index::none) {  // in a model that was made from the file
    const text shown = describe(e, from.data(), from.name);
    d.shown = shown.view();
    return d;
  }
  d.offset = e.offset;
  if (info(from.what).is_text) {
    const line_column at = locate(from.characters(), e.offset);
    d.line = at.line;
    d.column = at.column;
    if (from.what != format::nem && from.what != format::genome_stream) {
      const text path = json::path(from.characters(), e.offset);
      d.path = path.view();
    }
    const text message = message_of(e, from.characters(), d.path.value_or(std::string()));
    d.message = message.view();
    const text shown = describe(e, from.characters(), from.name);
    d.shown = shown.view();
  } else {
    const text shown = describe(e, from.data(), from.name);
    d.shown = shown.view();
  }
  return d;
}

std::vector<diagnostic> diagnose(const report& found, std::span<const source_file> sources) {
  if (found.diagnostics.empty()) return {};  // a listing looks for the lines of all sources
  const listing list(found, {sources.data(), sources.size()});
  const auto name_of = [&](const place& p) {
    return p.file == 0 ? std::string() : json_name(list.file_name(p));
  };
  const auto is_text = [&](const place& p) {
    return p.index == error_index::none && p.file < sources.size() && !sources[p.file].is_binary;
  };
  std::vector<diagnostic> out;
  for (const tessera::diagnostic& f : found.diagnostics) {
    diagnostic d;
    d.included = name_of(f.where);
    d.severity = name(f.severity);
    d.rule = found.rule_of(f);
    d.message = found.text_of(f.text);
    if (f.where.index != error_index::whole) d.offset = f.where.offset;
    if (is_text(f.where)) {
      const line_column at = list.locate(f.where);
      d.line = at.line;
      d.column = at.column;
    }
    if (f.where.length != 0) d.length = f.where.length;
    if (const std::string_view path = list.path_of(f); !path.empty()) d.path = path;
    if (f.has_note) {
      diagnostic::related_note note;
      note.message = found.text_of(f.note);
      if (f.related.length != 0) {
        note.included = name_of(f.related);
        note.offset = f.related.offset;
        if (is_text(f.related)) {
          const line_column there = list.locate(f.related);
          note.line = there.line;
          note.column = there.column;
        }
      }
      d.note = std::move(note);
    }
    if (f.has_fix)
      d.fix = diagnostic::replacement{f.fix.offset, f.fix.length,
                                      std::string(found.text_of(f.replacement))};
    const text shown = list.describe(f);
    d.shown = shown.view();
    out.push_back(std::move(d));
  }
  return out;
}

std::vector<diagnostic> diagnose(const report& found, const source& from) {
  const source_file file = from.shown();
  return diagnose(found, {&file, 1});
}

diagnostic diagnose(const io::failure& why) {
  io::failure unnamed = why;
  unnamed.path.clear();
  diagnostic d = diagnose(shown_name(why.path), why.kind == io::fault::system ? "io" : "content",
                          unnamed.message());
  d.path_of_file = why.path;
  return d;
}

void show(const diagnostic& d) {
  const text safe = safe_lines(d.shown);
  std::string shown(safe.view());
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool plain = (no_color != nullptr && *no_color != '\0') || terminal == nullptr ||
                     std::string_view(terminal) == "dumb";
  if (isatty(STDERR_FILENO) == 1 && !plain) {
    const std::string word = d.severity + ':';
    const char* const color = d.severity == "error"     ? "\033[1;31m"
                              : d.severity == "warning" ? "\033[1;35m"
                                                        : "\033[1;36m";
    if (const std::size_t at = shown.find(word); at != shown.npos)
      shown.replace(at, word.size(), color + word + "\033[0m");
  }
  busy_line::clear();
  std::fputs(shown.c_str(), stderr);
}

void show_error(std::string_view message) {
  diagnostic d;
  d.shown = "error: " + std::string(message) + '\n';
  show(d);
}

void show_note(std::string_view message) {
  diagnostic d;
  d.severity = "note";
  d.shown = "note: " + shown_text(message) + '\n';
  show(d);
}

exit_code usage_error(std::string_view verb, std::string_view message) {
  show_error("tessera " + std::string(verb) + ": " + shown_text(message) + "\nTry 'tessera " +
             std::string(verb) + " --help'.");
  return wrong_usage;
}

namespace {

bool several_files = false;
unsigned seen_families = 0;  // of files, if there are several

[[nodiscard]] unsigned family_of(const source& file) noexcept {
  for (const family_row& f : family_table)
    if (f.word == info(file.what).name) return f.which;
  return 0;
}

}  // namespace

exit_code check_option(std::string_view verb, std::string_view option, unsigned applies_to,
                       const source& file) {
  if (applies_to == everywhere || (applies_to & family_of(file)) != 0) return success;
  std::string message(option);
  message.append(" applies only to ").append(names_of(applies_to));
  message.append("; this is ").append(info(file.what).article);
  return usage_error(verb, message.append(info(file.what).description));
}

exit_code check_options(std::string_view verb, const source& file) {
  seen_families |= family_of(file);
  if (several_files) return success;
  for (const option_row* o : given_options())
    if (const exit_code code = check_option(verb, o->name(), o->families, file); code != success)
      return code;
  return success;
}

void expect_several_files() { several_files = true; }

exit_code finish_options(std::string_view verb, exit_code code) {
  if (!several_files || seen_families == 0) return code;
  for (const option_row* o : given_options())
    if ((o->families & seen_families) == 0)
      code = std::max(code, usage_error(verb, std::string(o->name()) + " applies only to " +
                                                  names_of(o->families) +
                                                  "; none of the files has such a format"));
  return code;
}

void append_table(text& out, const std::vector<std::vector<std::string>>& rows,
                  std::uint64_t numbers) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  for (const auto& row : rows) {
    std::string line = "   ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(widths[c] - row[c].size(), ' ');
      line += ' ';
      line += (numbers >> c & 1) != 0 ? pad + row[c] : row[c] + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

bool has_errors(std::span<const diagnostic> found) noexcept {
  return std::any_of(found.begin(), found.end(),
                     [](const diagnostic& d) { return d.severity == "error"; });
}

std::uint64_t omitted_of(const report& found) noexcept {
  const std::uint64_t total = found.errors + found.warnings + found.notes;
  return total - std::min<std::uint64_t>(total, found.diagnostics.size());
}

void note_omitted(std::uint64_t count) {
  if (count != 0)
    show_note(plural(count, "more finding") + (count == 1 ? " is" : " are") + " not shown");
}

std::string cannot_run(const operation_names& unsupported) {
  constexpr std::size_t max_shown = 8;
  std::string out = plural(unsupported.size(), "operation") + " cannot be run here: ";
  std::size_t shown = 0;
  for (const std::string& name : unsupported) {
    if (shown == max_shown) break;
    out.append(shown++ == 0 ? "" : ", ").append(shown_name(name));
  }
  if (unsupported.size() > shown)
    out += " and " + std::to_string(unsupported.size() - shown) + " more";
  return out;
}

diagnostic diagnose(const source& file, std::string_view rule, const operation_names& unsupported) {
  diagnostic d = diagnose(file.name, rule, cannot_run(unsupported));
  add_place(d, "");
  return d;
}

exit_code print_ok(const source& file, const reporting& to, std::string_view details,
                   const operation_names& unsupported) {
  if (to.as_json) {
    const text line = file_report(to.path, file.what, {}, 0, unsupported);
    return print_result(line);
  }
  std::string line =
      file.name + (unsupported.empty() ? ": ok (" : ": valid; " + cannot_run(unsupported) + " (");
  line.append(info(file.what).description).append(details).append(")\n");
  return print_result(line);
}

namespace {
report_collector collector;
}  // namespace

void collect_reports(report_collector collect) { collector = std::move(collect); }

text file_report(std::string_view file, format what, std::span<const diagnostic> found,
                 std::uint64_t omitted, const operation_names& unsupported,
                 const std::function<void(json::writer&)>& more) {
  text out;
  if (collector) {
    collector(file, found, omitted, unsupported);
    return out;
  }
  json::writer w(out);
  w.begin_object().key("file").string(json_name(file)).key("format");
  if (what == format::unknown)
    w.null();
  else
    w.string(info(what).name);
  w.key("ok").boolean(!has_errors(found)).key("diagnostics").begin_array();
  for (const diagnostic& d : found) write_json(w, d);
  w.end();
  if (omitted != 0) w.key("omitted").integer(omitted);
  if (!unsupported.empty()) {
    w.key("unsupported").begin_array();
    for (const std::string& name : unsupported) w.string(json_name(name));
    w.end();
  }
  if (more) more(w);
  w.end();
  out << '\n';
  return out;
}

exit_code reporting::fail(std::span<const diagnostic> found, format what) const {
  if (as_json) {
    const text report = file_report(path, what, found);
    return print_result(report, bad_input);
  }
  for (const diagnostic& d : found)
    if (d.severity == "error") show(d);
  return bad_input;
}

exit_code reporting::fail(const report& found, error first, const source& from) const {
  if (found.diagnostics.empty()) return fail(first, from);
  const std::vector<diagnostic> all = diagnose(found, from);
  if (!as_json) {
    for (const diagnostic& d : all) show(d);
    note_omitted(omitted_of(found));
    return bad_input;
  }
  const text out = file_report(path, from.what, all, omitted_of(found));
  return print_result(out, bad_input);
}

exit_code reporting::fail(const diagnostic& d, exit_code code, format what) const {
  if (!as_json) return show(d), code;
  const text report = file_report(d.path_of_file.empty() ? path : d.path_of_file, what, {&d, 1});
  return print_result(report, code);
}

namespace {

/// Files of these formats are mapped and only partly read, so that they may be larger than the limit.
[[nodiscard]] bool is_container(bytes content) {
  return as_text(content).starts_with("NAC") || is_safetensors(content) ||
         as_text(content).starts_with("PK\x03\x04");
}

}  // namespace

format detect(bytes content, const std::string& path) {
  if (io::without_codec(path).ends_with(".nem")) return format::nem;
  const bool is_pt2 = path.ends_with(".pt2") && as_text(content).starts_with("PK");
  return is_pt2 ? format::pt2 : detect(content);
}

loaded try_load_source(const std::string& path, diagnostic& why, format otherwise,
                       const io::input_rule& rule) {
  constexpr limits limit;
  io::expected<io::content> content = io::load(path, limit, rule);
  if (content && content->size() > limit.max_bytes && !is_container(*content))
    content = io::too_large(path, limit.max_bytes);
  if (!content) {
    why = diagnose(content.error());
    return {std::nullopt, code_of(content.error())};
  }
  source s{shown_name(path), std::move(*content), format::unknown};
  s.what = detect(s.data(), path);
  // By its name too, so that a reader reports what is wrong with its content.
  const std::string foreign = s.what == format::unknown ? foreign_format(s.data()) : std::string();
  if (s.what == format::unknown && !s.data().empty() && foreign.empty())
    s.what = io::without_codec(path).ends_with(".b64") ? format::genome_stream : otherwise;
  if (s.what != format::unknown) return {std::move(s), success};
  const std::string message =
      foreign.empty()
          ? "unknown format; expected ALIR JSON or ARK JSON (begin with {), ALIR bytecode (begins "
            "with a small version number or \"ALIR\"), a NAC container (begins with \"NAC\"), NEM "
            "text, or a registry or streams of NAC v1.2"
          : "not a Tessera format; this looks like " + foreign;
  why = diagnose(s.name, "unknown_format", s.data().empty() ? "the file is empty" : message);
  why.shown += "  [unknown_format] at offset 0\n";
  why.offset = 0;
  return {std::nullopt, bad_input};
}

loaded load_source(const reporting& to, format otherwise, const io::input_rule& rule) {
  diagnostic why;
  loaded out = try_load_source(to.path, why, otherwise, rule);
  if (!out) out.code = to.fail(why, out.code, format::unknown);
  return out;
}

exit_code wrong_format(const source& file, const reporting& to, std::string_view verb,
                       std::string_view wanted) {
  const format_row& row = info(file.what);
  std::string message = "this is ";
  message.append(row.article).append(row.description).append("; ");
  message.append(verb).append(" takes ").append(wanted);
  return to.fail(diagnose(file.name, "format", std::move(message)), bad_input, file.what);
}

exit_code with_source(const source& file, const reporting& to, std::string_view verb,
                      const file_actions& act) {
  if (const file_actions::action& mine = act.*info(file.what).act) {
    exit_code code = check_options(verb, file);
    if (code == success && act.check) code = act.check(file);
    return code == success ? mine(file) : code;
  }
  std::vector<std::string_view> kinds;
  for (const format_row& row : format_table)
    if (row.act != nullptr && act.*row.act && (kinds.empty() || kinds.back() != row.kind))
      kinds.push_back(row.kind);
  std::string wanted;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i != 0) wanted += i + 1 == kinds.size() ? " and " : ", ";
    wanted += kinds[i];
  }
  return wrong_format(file, to, verb, wanted);
}

exit_code with_file(const reporting& to, std::string_view verb, const file_actions& act,
                    format otherwise) {
  const loaded in = load_source(to, otherwise);
  return in ? with_source(*in.file, to, verb, act) : in.code;
}

namespace {

using busy_clock = std::chrono::steady_clock;

/// What busy_line's thread and the rest of the tool share.
struct busy_state {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = true, shown = false;
  busy_clock::time_point start, quiet_since;
} busy;

void clear_busy_line() {
  if (std::exchange(busy.shown, false)) std::fputs("\r\033[K", stderr);
}

}  // namespace

busy_line::busy_line(std::string verb) {
  if (isatty(STDERR_FILENO) != 1) return;
  busy.stopped = false;
  busy.start = busy.quiet_since = busy_clock::now();
  thread_ = std::thread([verb = std::move(verb)] {
    std::unique_lock lock(busy.mutex);
    while (
        !busy.changed.wait_for(lock, std::chrono::milliseconds(250), [] { return busy.stopped; })) {
      const busy_clock::time_point now = busy_clock::now();
      if (now - busy.quiet_since < std::chrono::seconds(1)) continue;
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - busy.start);
      std::fprintf(stderr, "\r%s: %lld s", verb.c_str(), static_cast<long long>(seconds.count()));
      busy.shown = true;
    }
    clear_busy_line();
  });
}

busy_line::~busy_line() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void busy_line::clear() {
  const std::lock_guard lock(busy.mutex);
  busy.quiet_since = busy_clock::now();
  clear_busy_line();
}

void busy_line::stop() {
  {
    const std::lock_guard lock(busy.mutex);
    busy.stopped = true;
    clear_busy_line();
  }
  busy.changed.notify_all();
}

progress::progress(std::uint64_t total)
    : total_(total),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(clock::now() + std::chrono::seconds(1)) {}

void progress::advance(std::uint64_t done) {
  done_ += done;
  if (!terminal_ || total_ == 0) return;
  const clock::time_point now = clock::now();
  if (now < next_) return;
  busy_line::clear();
  std::fprintf(stderr, "\r%3.0f %%",
               100.0 * static_cast<double>(done_) / static_cast<double>(total_));
  shown_ = true;
  next_ = now + std::chrono::milliseconds(100);
}

void progress::clear() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return path != "-" && fs::is_directory(path, unknown);
}

folder_listing files_in(const std::string& folder, bool recursive) {
  folder_listing out;
  std::vector<std::string> open{folder};
  while (!open.empty()) {
    const std::string at = std::move(open.back());
    open.pop_back();
    std::error_code wrong, unknown;
    fs::directory_iterator entry(at, wrong);
    for (; !wrong && entry != fs::directory_iterator(); entry.increment(wrong)) {
      const fs::path& path = entry->path();
      if (path.filename().native().front() == '.') continue;
      if (entry->is_regular_file(unknown))
        out.files.push_back(path.string());
      else if (recursive && !entry->is_symlink(unknown) && entry->is_directory(unknown))
        open.push_back(path.string());
    }
    if (wrong)
      out.failures.push_back({io::fault::system, "cannot read the folder", wrong.value(), at});
  }
  std::sort(out.files.begin(), out.files.end());
  return out;
}

void file_list::add_options(const command& verb) {
  verb.bind("FILE", paths);
  verb.bind("--json", json);
}

bool file_list::is_wrong(std::string_view verb) const {
  if (std::count(paths.begin(), paths.end(), "-") <= 1) return false;
  (void)usage_error(verb, "standard input can be read only once");
  return true;
}

exit_code file_list::each(std::string_view verb,
                          const std::function<exit_code(const reporting&)>& act) const {
  if (is_wrong(verb)) return wrong_usage;
  if (paths.size() > 1) expect_several_files();
  exit_code code = success;
  for (const std::string& path : paths) code = std::max(code, act({path, json}));
  return finish_options(verb, code);
}

void return_large_blocks() noexcept {
#if defined(__GLIBC__)
  (void)::mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

exit_code fail_result(const io::failure& why, const std::string& path, const reporting& to) {
  // A reader that closes a pipe early (head, a pager) is no error to report.
  if (path != "-" || why.error_number != EPIPE) (void)to.fail(why);
  return io_error;
}

exit_code write_results(std::vector<named_result> files, const reporting& to) {
  std::stable_partition(files.begin(), files.end(), [](const named_result& f) {
    std::error_code unknown;
    return f.path != "-" && (!fs::exists(f.path, unknown) || fs::is_regular_file(f.path, unknown) ||
                             fs::is_directory(f.path, unknown));
  });
  std::vector<io::file_writer> staged;
  for (const named_result& f : files) {
    text safe;
    bytes data = f.data;
    if (f.path == "-" && isatty(STDOUT_FILENO) == 1) {
      safe = safe_result(as_text(data));
      data = as_bytes(safe);
    }
    if (f.path == "-") busy_line::clear();
    io::expected<io::file_writer> out = io::stage(f.path, data);
    if (!out) return fail_result(out.error(), f.path, to);
    staged.push_back(*std::move(out));
  }
  for (std::size_t i = staged.size(); i-- != 0;)
    if (const io::expected<io::done> done = staged[i].finish(); !done) return to.fail(done.error());
  return success;
}

exit_code write_result(const std::string& path, bytes data, const reporting& to) {
  return write_results({{path, data}}, to);
}

exit_code write_report(const std::string& path, std::string_view report) {
  if (report.empty() && path == "-") return success;
  const text safe = safe_result(report);
  return write_result(path, as_bytes(safe));
}

report_writer::report_writer(std::string path) : path_(std::move(path)) {}

bool report_writer::put(text& piece) {
  if (piece.empty()) return true;
  if (!out_) {
    is_json_ = begins_json(piece);
    if (path_ == "-") busy_line::clear();
    if (io::codec_of_name(path_) == io::codec::none) out_.emplace(io::file_writer::open(path_));
  }
  const text safe = is_json_ ? safe_json(piece) : safe_lines(piece);
  piece.clear();
  if (!out_) {
    whole_ << safe;
    return true;
  }
  return *out_ && (*out_)->put(as_bytes(safe));
}

exit_code report_writer::finish() {
  if (!whole_.empty()) return write_result(path_, as_bytes(whole_));
  if (!out_) return write_report(path_, {});
  if (!*out_) return fail_result(out_->error(), path_, {});
  const io::expected<io::done> wrote = (*out_)->finish();
  return wrote ? success : fail_result(wrote.error(), path_, {});
}

result<alir::model> read_alir(const source& from) {
  const alir::encoding as =
      from.what == format::alir_json ? alir::encoding::json : alir::encoding::bytecode;
  return alir::read(from.data(), {.encoding = as});
}

result<alir::program> verify_alir(const source& from, report* found,
                                  const alir::verify_options& options) {
  result<alir::model> m = read_alir(from);
  if (!m) return m.error();
  return alir::verify(std::move(*m), options, found);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
