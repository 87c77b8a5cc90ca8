// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "lsp_transport.hpp"

#include <algorithm>
#include <optional>
#include <tessera/core/json_path.hpp>
#include <tessera/core/json_read.hpp>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

namespace {

constexpr std::size_t max_line = 4096, max_lines = 64, chunk = std::size_t{1} << 16;

[[nodiscard]] char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = lower(c);
  return out;
}
[[nodiscard]] std::string_view trimmed(std::string_view s) noexcept {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

}  // namespace

// ---- frames

bool frame_reader::fill() {
  if (at_ != 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t size = buffer_.size();
  buffer_.resize(size + chunk);
  const std::size_t got = in_.read(buffer_.data() + size, chunk);
  buffer_.resize(size + got);
  return got != 0;
}

bool frame_reader::is_waiting() { return at_ < buffer_.size() || in_.is_waiting(); }

bool frame_reader::line(std::string& to, bool& is_whole) {
  to.clear();
  is_whole = true;
  for (;;) {
    if (at_ == buffer_.size() && !fill()) return false;
    const std::size_t end = std::min(buffer_.find('\n', at_), buffer_.size());
    const std::size_t room = max_line - to.size();
    is_whole = is_whole && end - at_ <= room;
    to.append(buffer_, at_, std::min(end - at_, room));
    at_ = end;
    if (at_ == buffer_.size()) continue;
    ++at_;
    if (!to.empty() && to.back() == '\r') to.pop_back();
    return true;
  }
}

void frame_reader::add(headers& to, std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos) {
    to.wrong = "expected a header NAME: VALUE";
    return;
  }
  const std::string name = lower(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-length") {
    if (to.has_length) to.wrong = "duplicate Content-Length";
    to.has_length = true;
    if (value.empty()) to.wrong = "expected a number as Content-Length";
    for (const char c : value) {
      if (c < '0' || c > '9') {
        to.wrong = "expected a number as Content-Length";
        to.has_length = false;
        return;
      }
      if (to.length > (UINT64_MAX - 9) / 10) {
        to.is_huge = true;
        return;
      }
      to.length = to.length * 10 + static_cast<std::uint64_t>(c - '0');
    }
  } else if (name == "content-type") {
    const std::string type = lower(value);
    const std::size_t at = type.find("charset=");
    if (at == type.npos) return;
    std::string_view charset = std::string_view(type).substr(at + 8);
    charset = trimmed(charset.substr(0, charset.find(';')));
    if (charset.size() >= 2 && charset.front() == '"')
      charset = charset.substr(1, charset.size() - 2);
    if (charset != "utf-8" && charset != "utf8") to.wrong = "expected the charset utf-8";
  }
}

bool frame_reader::skip(std::uint64_t count) {
  for (;;) {
    const std::uint64_t here = std::min<std::uint64_t>(count, buffer_.size() - at_);
    at_ += static_cast<std::size_t>(here);
    count -= here;
    if (count == 0) return true;
    if (!fill()) return false;
  }
}

frame frame_reader::next() {
  headers all;
  std::string text;
  bool is_whole = true;
  for (std::size_t lines = 0;;) {
    if (!line(text, is_whole)) return {};
    if (text.empty()) {
      if (lines == 0) continue;
      break;
    }
    if (!is_whole || ++lines > max_lines)
      all.wrong = "the header is too long";
    else
      add(all, text);
  }
  if (all.is_huge) return {};  // which nobody can send: there is no next message
  if (!all.has_length && all.wrong.empty()) all.wrong = "missing Content-Length";
  if (all.length > max_)
    all.wrong = "a message has " + std::to_string(all.length) + " bytes; expected at most " +
                std::to_string(max_);
  if (!all.wrong.empty()) {
    if (!skip(all.length)) return {};
    return {frame::malformed, std::move(all.wrong)};
  }
  const auto size = static_cast<std::size_t>(all.length);
  std::string content;
  while (content.size() < size) {
    if (at_ == buffer_.size() && !fill()) return {};
    const std::size_t here = std::min(size - content.size(), buffer_.size() - at_);
    content.append(buffer_, at_, here);
    at_ += here;
  }
  return {frame::message, std::move(content)};
}

text framed(std::string_view content) {
  text out;
  out << "Content-Length: " << content.size() << "\r\n\r\n" << content;
  return out;
}

// ---- messages

namespace {

// By their components, so that `find` need not sort them for each message.
constexpr std::string_view paths[] = {
    "$.id",
    "$.jsonrpc",
    "$.method",
    "$.params.capabilities.general.positionEncodings",
    "$.params.capabilities.textDocument.codeAction.codeActionLiteralSupport",
    "$.params.capabilities.textDocument.completion.completionItem.snippetSupport",
    "$.params.capabilities.textDocument.documentSymbol.hierarchicalDocumentSymbolSupport",
    "$.params.capabilities.textDocument.hover.contentFormat",
    "$.params.capabilities.textDocument.publishDiagnostics.relatedInformation",
    "$.params.contentChanges",
    "$.params.context.includeDeclaration",
    "$.params.context.only",
    "$.params.id",
    "$.params.initializationOptions.allowIncludesAnywhere",
    "$.params.initializationOptions.device",
    "$.params.initializationOptions.devices",
    "$.params.initializationOptions.include",
    "$.params.initializationOptions.profile",
    "$.params.position.character",
    "$.params.position.line",
    "$.params.range.end.character",
    "$.params.range.end.line",
    "$.params.range.start.character",
    "$.params.range.start.line",
    "$.params.rootPath",
    "$.params.rootUri",
    "$.params.text",
    "$.params.textDocument.text",
    "$.params.textDocument.uri",
    "$.params.textDocument.version",
    "$.params.workspaceFolders",
};
static_assert(sizeof paths / sizeof paths[0] == static_cast<std::size_t>(field::count));

/// A position of a range, at its object.
[[nodiscard]] bool read_position(json::reader& in, position& to) {
  if (in.peek() != json::kind::object) return false;
  bool has_line = false, has_character = false;
  in.object();
  for (std::string_view key; in.key(key);) {
    const bool is_line = key == "line";
    if (!is_line && key != "character") {
      in.skip();
      continue;
    }
    const std::uint64_t n = in.uint64();
    (is_line ? to.line : to.character) =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(n, UINT32_MAX));
    (is_line ? has_line : has_character) = true;
  }
  return has_line && has_character && !in.failed();
}
[[nodiscard]] bool read_range(json::reader& in, text_change& to) {
  if (in.peek() != json::kind::object) return false;
  bool has_first = false, has_last = false;
  in.object();
  for (std::string_view key; in.key(key);) {
    if (key == "start")
      has_first = read_position(in, to.first);
    else if (key == "end")
      has_last = read_position(in, to.last);
    else
      in.skip();
    if (in.failed()) return false;
  }
  return has_first && has_last;
}
[[nodiscard]] bool read_change(json::reader& in, text_change& to) {
  if (in.peek() != json::kind::object) return false;
  bool has_text = false;
  in.object();
  for (std::string_view key; in.key(key);) {
    if (key == "text" && in.peek() == json::kind::string) {
      to.text = in.string();
      has_text = true;
    } else if (key == "range" && in.peek() != json::kind::null) {
      if (!read_range(in, to)) return false;
      to.has_range = true;
    } else {
      in.skip();
    }
  }
  return has_text && !in.failed();
}

}  // namespace

message::message(std::string json) : json_(std::move(json)) {
  offsets_.fill(json::no_offset);
  if (!check()) return;
  json::find(json_, {paths, sizeof paths / sizeof paths[0]}, offsets_.data());
  id = id_of(field::id);
  method = text(field::method);
  is_response = !id.empty() && !has(field::method);
  if (has(field::id) && id.empty())
    fail(invalid_request, "expected a number or a string as id");
  else if (method.empty() && !is_response)
    fail(invalid_request, "expected a method");
  else if (text(field::jsonrpc) != "2.0")
    fail(invalid_request, "expected \"jsonrpc\": \"2.0\"");
}

/// Whether it is a JSON object.
bool message::check() {
  json::reader in(json_);
  const bool is_object = in.peek() == json::kind::object;
  in.skip();
  const tessera::error e = in.finish();
  if (e.code != errc::ok)
    fail(parse_error, std::string(e.message()) + " at byte " + std::to_string(e.offset));
  else if (!is_object)
    fail(invalid_request, "expected an object");
  return error == 0;
}

void message::fail(int code, std::string text) {
  error = code;
  why = std::move(text);
}

std::string_view message::json_of(field f) const noexcept {
  const std::uint64_t at = offsets_[static_cast<std::size_t>(f)];
  return at >= json_.size() || error == parse_error
             ? std::string_view()
             : std::string_view(json_).substr(static_cast<std::size_t>(at));
}

std::string message::text(field f) const {
  const std::string_view at = json_of(f);
  json::reader in(at);
  return in.peek() == json::kind::string ? std::string(in.string()) : std::string();
}

std::string message::id_of(field f) const {
  const std::string_view at = json_of(f);
  json::reader in(at);
  const json::kind k = in.peek();
  if (k != json::kind::string && k != json::kind::number) return {};
  return std::string(in.skip());
}

std::int64_t message::integer(field f, std::int64_t otherwise) const {
  const std::string_view at = json_of(f);
  json::reader in(at);
  if (in.peek() != json::kind::number) return otherwise;
  const std::int64_t n = in.int64();
  return in.failed() ? otherwise : n;
}

bool message::number(field f, std::uint32_t& to) const {
  const std::int64_t n = integer(f, -1);
  to = static_cast<std::uint32_t>(std::clamp<std::int64_t>(n, 0, UINT32_MAX));
  return n >= 0;
}

bool message::place(field line, field character, position& to) const {
  return number(line, to.line) && number(character, to.character);
}

std::vector<std::string> message::texts(field f) const {
  const std::string_view at = json_of(f);
  json::reader in(at);
  std::vector<std::string> out;
  if (in.peek() != json::kind::array) return out;
  for (in.array(); in.element();) {
    if (in.peek() == json::kind::string)
      out.emplace_back(in.string());
    else
      in.skip();
  }
  return out;
}

std::vector<std::string> message::uris(field f) const {
  const std::string_view at = json_of(f);
  json::reader in(at);
  std::vector<std::string> out;
  if (in.peek() != json::kind::array) return out;
  for (in.array(); in.element();) {
    if (in.peek() != json::kind::object) {
      in.skip();
      continue;
    }
    in.object();
    for (std::string_view key; in.key(key);) {
      if (key == "uri" && in.peek() == json::kind::string)
        out.emplace_back(in.string());
      else
        in.skip();
    }
  }
  return out;
}

bool message::changes(std::vector<text_change>& to) const {
  const std::string_view at = json_of(field::changes);
  json::reader in(at);
  if (in.peek() != json::kind::array) return false;
  for (in.array(); in.element();)
    if (!read_change(in, to.emplace_back())) return false;
  return !in.failed();
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
