// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "sarif.hpp"

#include <algorithm>
#include <map>
#include <tessera/core/json_write.hpp>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// A path as a relative or absolute URI reference.
[[nodiscard]] std::string uri_of(std::string_view path) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/+,=@").find(c) != std::string_view::npos;
    const auto byte = static_cast<unsigned char>(c);
    if (plain)
      out += c;
    else
      out.append("%").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
  }
  return out.starts_with('/') ? "file://" + out : out;
}

void write_artifact(json::writer& w, std::string_view file) {
  w.key("artifactLocation").begin_object().key("uri").string(uri_of(file)).end();
}

struct region {
  std::optional<std::uint64_t> offset, line, column, length;
};
void write_place(json::writer& w, std::string_view file, const region& at) {
  w.key("physicalLocation").begin_object();
  write_artifact(w, file);
  if (at.line) {
    w.key("region").begin_object().key("startLine").integer(*at.line);
    w.key("startColumn").integer(at.column.value_or(1)).end();
  } else if (at.offset) {
    w.key("region").begin_object().key("byteOffset").integer(*at.offset);
    w.key("byteLength").integer(at.length.value_or(0)).end();
  }
  w.end();
}

void write_result(json::writer& w, const std::string& file, const diagnostic& d, std::size_t rule) {
  w.begin_object().key("ruleId").string(d.rule).key("ruleIndex").integer(rule);
  w.key("level").string(d.severity);
  w.key("message").begin_object().key("text").string(d.message).end();
  w.key("locations").begin_array().begin_object();
  write_place(w, d.included.empty() ? file : d.included, {d.offset, d.line, d.column, d.length});
  if (d.path) {
    w.key("logicalLocations").begin_array().begin_object();
    w.key("fullyQualifiedName").string(*d.path).end().end();
  }
  w.end().end();
  if (d.note) {
    w.key("relatedLocations").begin_array().begin_object();
    write_place(w, d.note->included.empty() ? file : d.note->included,
                {d.note->offset, d.note->line, d.note->column, std::nullopt});
    w.key("message").begin_object().key("text").string(d.note->message).end().end().end();
  }
  w.end();
}

}  // namespace

void sarif_log::add(std::string_view file, std::span<const diagnostic> found, std::uint64_t omitted,
                    const operation_names& unsupported) {
  const std::string name = file == "-" ? "stdin" : json_name(file);
  files_.push_back(name);
  for (const diagnostic& d : found) findings_.push_back({name, d});
  omitted_ += omitted;
  const bool reported = has_errors(found);
  if (unsupported.empty() || reported) return;
  diagnostic d;
  d.severity = "note";
  d.rule = "not_runnable";
  d.message = cannot_run(unsupported);
  findings_.push_back({name, std::move(d)});
}

text sarif_log::write() const {
  std::map<std::string_view, std::size_t> rules;
  for (const finding& f : findings_) rules.emplace(f.what.rule, 0);
  std::size_t next = 0;
  for (auto& rule : rules) rule.second = next++;
  text out;
  json::writer w(out);
  w.begin_object().key("$schema").string("https://json.schemastore.org/sarif-2.1.0.json");
  w.key("version").string("2.1.0").key("runs").begin_array().begin_object();
  w.key("tool").begin_object().key("driver").begin_object().key("name").string("tessera");
  w.key("version").string(TESSERA_VERSION_STRING).key("rules").begin_array();
  for (const auto& rule : rules) w.begin_object().key("id").string(rule.first).end();
  w.end().end().end().key("columnKind").string("unicodeCodePoints");
  w.key("invocations").begin_array().begin_object().key("executionSuccessful").boolean(true);
  if (omitted_ != 0) {
    w.key("toolExecutionNotifications").begin_array().begin_object().key("level").string("note");
    w.key("message").begin_object().key("text");
    w.string(plural(omitted_, "more finding") + " not kept; --all keeps more").end().end().end();
  }
  w.end().end().key("artifacts").begin_array();
  for (const std::string& file : files_)
    w.begin_object().key("location").begin_object().key("uri").string(uri_of(file)).end().end();
  w.end().key("results").begin_array();
  for (const finding& f : findings_) write_result(w, f.file, f.what, rules[f.what.rule]);
  w.end().end().end().end();
  out << '\n';
  return out;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
