// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "lsp_words.hpp"

#include <algorithm>
#include <optional>

#include "lsp_server.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli::lsp {

namespace {

[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}
[[nodiscard]] bool is_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
template <std::size_t n>
[[nodiscard]] bool is_in(const std::string_view (&words)[n], std::string_view word) noexcept {
  return std::find(words, words + n, word) != words + n;
}

}  // namespace

bool word_scanner::next() noexcept {
  const auto size = static_cast<std::uint32_t>(text_.size());
  while (at_ < size && is_blank(text_[at_])) ++at_;
  if (at_ >= size) return false;
  const std::uint32_t first = at_;
  const char c = text_[first];
  token_kind kind = token_kind::mark;
  const auto take_word = [&] {
    while (at_ < size && is_word(text_[at_])) ++at_;
  };
  if (c == '#') {
    kind = token_kind::comment;
    while (at_ < size && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
  } else if (c == '"') {
    kind = token_kind::string;
    for (++at_; at_ < size && text_[at_] != '\n' && text_[at_] != '\r' && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\' && at_ + 1 < size && text_[at_ + 1] != '\n' && text_[at_ + 1] != '\r')
        ++at_;
    if (at_ < size && text_[at_] == '"') ++at_;
  } else if (is_digit(c)) {
    kind = token_kind::number;
    take_word();
    if (at_ + 1 < size && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      ++at_;
      take_word();
      const char last = text_[at_ - 1];
      if ((last == 'e' || last == 'E') && at_ < size && (text_[at_] == '-' || text_[at_] == '+')) {
        ++at_;
        take_word();
      }
    }
  } else if (is_word(c)) {
    kind = token_kind::word;
    take_word();
  } else {
    ++at_;
  }
  token_ = {kind, first, at_ - first};
  return true;
}

std::vector<scanned> tokens_before(std::string_view text, std::uint32_t offset, bool& is_hidden) {
  std::vector<scanned> out;
  is_hidden = false;
  // To the end of the line, for a comment or a string that goes on past the offset.
  for (word_scanner in(text); in.next() && in.token().offset < offset;) {
    const scanned& t = in.token();
    if (t.kind == token_kind::comment)
      is_hidden = is_hidden || offset <= t.end();
    else
      out.push_back(t);
  }
  return out;
}

word_in_place word_at(std::string_view text, std::uint32_t offset) {
  // Strings and comments end with their lines.
  std::uint32_t line = offset;
  while (line != 0 && text[line - 1] != '\n') --line;
  word_in_place w;
  for (word_scanner in(text, line); in.next() && in.token().offset <= offset;) {
    const scanned& t = in.token();
    if (t.kind == token_kind::word && offset <= t.end()) w.word = t;
  }
  if (w.word.length == 0) return w;
  std::size_t at = w.word.offset;
  while (at != 0 && is_blank(text[at - 1])) --at;
  if (at != 0) w.before = text[at - 1];
  at = w.word.end();
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at < text.size()) w.after = text[at];
  return w;
}

word_class class_of(std::string_view word, char before, char after) noexcept {
  constexpr std::string_view modes[] = {"async", "sync"};
  if (before == '@')
    return nem::find_decorator(word) != nem::decorator::unknown ? word_class::decorator
                                                                : word_class::none;
  if (before == '.' && is_in(modes, word)) return word_class::mode;
  const bool is_opcode = nem::find_opcode(word) != nem::opcode::unknown;
  if (is_opcode && after == '.') return word_class::opcode;
  if (after == '=' &&
      (nem::find_attribute(word) != nem::attribute::unknown ||
       is_in(nem::quant_field_names, word) || is_in(nem::upstream_reserved_words, word)))
    return word_class::attribute;
  if (is_in(nem::reserved_words, word)) return word_class::keyword;
  if (nem::find_element(word) != nem::element::none) return word_class::element;
  if (word == "DDR" || word == "L2" || word == "L1") return word_class::level;
  if (nem::find_unit(word) != nem::unit::none) return word_class::unit;
  return word_class::none;
}

// ---- semantic tokens

namespace {

/// In the order of the legend.
enum class shade : std::uint8_t {
  keyword,
  comment,
  string,
  number,
  function,
  modifier,
  decorator,
  property,
  type,
  enum_member,
  variable,
  parameter,
  event,
  class_name,
  interface,
  type_parameter,
  namespace_name
};
constexpr std::string_view shade_names[] = {
    "keyword",   "comment",  "string",    "number",        "function", "modifier",
    "decorator", "property", "type",      "enumMember",    "variable", "parameter",
    "event",     "class",    "interface", "typeParameter", "namespace"};
constexpr std::string_view modifier_names[] = {"declaration", "readonly"};
constexpr unsigned declaration = 1, readonly = 2;

[[nodiscard]] shade shade_of(inspect::nem_symbol_kind k) noexcept {
  using kind = inspect::nem_symbol_kind;
  switch (k) {
    case kind::program: return shade::namespace_name;
    case kind::constant:
    case kind::let:
    case kind::region:
    case kind::buffer: return shade::variable;
    case kind::loop_variable: return shade::parameter;
    case kind::token: return shade::event;
    case kind::device: return shade::class_name;
    case kind::type_family: return shade::interface;
    case kind::type_parameter: return shade::type_parameter;
    case kind::variant: break;
  }
  return shade::enum_member;
}
[[nodiscard]] std::optional<shade> shade_of(word_class c) noexcept {
  switch (c) {
    case word_class::none: break;
    case word_class::keyword: return shade::keyword;
    case word_class::opcode: return shade::function;
    case word_class::mode: return shade::modifier;
    case word_class::decorator: return shade::decorator;
    case word_class::attribute: return shade::property;
    case word_class::element: return shade::type;
    case word_class::level:
    case word_class::unit: return shade::enum_member;
  }
  return std::nullopt;
}

/// Writes tokens relative to one another.
class shader {
 public:
  shader(json::writer& to, const source_text& text, encoding e) : to_(to), text_(text), e_(e) {}
  void put(std::uint32_t first, std::uint32_t last, shade s, unsigned modifiers) {
    const position at = text_.position_of(first, e_);
    const std::uint32_t length = text_.units_of(first, last, e_);
    const bool is_same_line = at.line == before_.line;
    to_.integer(at.line - before_.line);
    to_.integer(is_same_line ? at.character - before_.character : at.character);
    to_.integer(length).integer(static_cast<unsigned>(s)).integer(modifiers);
    before_ = at;
  }

 private:
  json::writer& to_;
  const source_text& text_;
  encoding e_;
  position before_;
};

/// The character before a token, blanks aside; 0 where there is none.
[[nodiscard]] char before(std::string_view text, const scanned& last) noexcept {
  return last.length == 0 ? '\0' : text[last.end() - 1];
}
[[nodiscard]] char after(std::string_view text, std::uint32_t at) noexcept {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at < text.size() ? text[at] : '\0';
}

[[nodiscard]] std::optional<shade> shade_of(std::string_view text, const scanned& t,
                                            const scanned& last) noexcept {
  switch (t.kind) {
    case token_kind::comment: return shade::comment;
    case token_kind::string: return shade::string;
    case token_kind::number: return shade::number;
    case token_kind::mark:
      if (text[t.offset] == '@') return shade::decorator;
      return std::nullopt;
    case token_kind::word: break;
  }
  return shade_of(class_of(t.in(text), before(text, last), after(text, t.end())));
}

}  // namespace

void write_legend(json::writer& to) {
  to.begin_object().key("tokenTypes").begin_array();
  for (const std::string_view name : shade_names) to.string(name);
  to.end().key("tokenModifiers").begin_array();
  for (const std::string_view name : modifier_names) to.string(name);
  to.end().end();
}

void server::write_tokens(json::writer& to, document& d, std::uint32_t first, std::uint32_t last) {
  const std::string_view text = d.text().view();
  const auto& names = d.symbols().names();
  auto name = names.begin();
  to.begin_object().key("data").begin_array();
  shader out(to, d.text(), encoding_);
  scanned before;
  for (word_scanner in(text); in.next();) {
    const scanned& t = in.token();
    if (t.offset >= last) break;
    while (name != names.end() && name->where.offset < t.offset) ++name;
    if (t.end() > first) {
      if (name != names.end() && name->where.offset == t.offset && t.kind == token_kind::word) {
        const bool is_constant = name->kind == inspect::nem_symbol_kind::constant ||
                                 name->kind == inspect::nem_symbol_kind::loop_variable;
        out.put(t.offset, t.end(), shade_of(name->kind),
                (name->is_declaration ? declaration : 0) | (is_constant ? readonly : 0));
      } else if (const std::optional<shade> s = shade_of(text, t, before)) {
        out.put(t.offset, t.end(), *s, 0);
      }
    }
    if (t.kind != token_kind::comment) before = t;
  }
  to.end().end();
}

failure server::tokens(const message& m, json::writer& to) {
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  write_tokens(to, *d, 0, static_cast<std::uint32_t>(d->text().view().size()));
  return {};
}

failure server::tokens_of_range(const message& m, json::writer& to) {
  failure why;
  document* const d = find_document(m, why);
  if (d == nullptr) return why;
  const auto [first, last] = range_of(m, *d);
  write_tokens(to, *d, first, last);
  return {};
}

}  // namespace cli::lsp
}  // namespace tessera::inline TESSERA_ABI
