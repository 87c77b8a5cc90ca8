// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that knows what authors write who come from C,
// Python or MLIR: messages show the right form, and reading goes on in the
// statement where its meaning is clear. Where it isn't, reading resumes at the
// next statement.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../core/suggest.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../format.hpp"
#include "../../model.hpp"
#include "lexer.hpp"
#include "reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- words of other languages ---

struct other_word {
  std::string_view written, meant;
};
inline constexpr other_word other_statements[] = {
    {"end", "endloop"},    {"endfor", "endloop"}, {"for", "loop"},   {"int", "const"},
    {"float", "let"},      {"var", "let"},        {"val", "let"},    {"auto", "let"},
    {"alloc", "buffer"},   {"import", "include"}, {"await", "wait"}, {"define", "const"},
    {"module", "program"},
};
inline constexpr other_word other_properties[] = {
    {"bytes", "size"}, {"length", "size"}, {"alignment", "align"}};
inline constexpr std::string_view property_words[] = {"size", "align"};
inline constexpr other_word other_tasks[] = {
    {"copy", "transfer"}, {"load", "transfer"}, {"memcpy", "transfer"},
    {"move", "transfer"}, {"dma", "transfer"},  {"save", "store"},
};
inline constexpr other_word other_arguments[] = {
    {"to", "dst"}, {"out", "dst"},   {"output", "dst"}, {"destination", "dst"}, {"from", "src"},
    {"in", "src"}, {"input", "src"}, {"source", "src"}, {"after", "deps"},
};
/// What is meant by a word: one of a table, or else the nearest keyword. Empty
/// if none is near.
template <std::size_t N, std::size_t Keywords>
[[nodiscard, gnu::cold]] std::string_view meant_by(std::string_view word,
                                                   const other_word (&table)[N],
                                                   const std::string_view (&keywords)[Keywords]) {
  for (const other_word& o : table)
    if (o.written == word) return o.meant;
  suggestion near(word);
  for (const std::string_view k : keywords) near.offer(k);
  return near.word();
}
inline constexpr std::string_view statement_words[] = {
    "const", "let",  "buffer",  "loop",   "endloop", "transfer",
    "store", "wait", "program", "device", "include", "type_family"};
inline constexpr std::string_view transfer_words[] = {"transfer", "store"};
inline constexpr std::string_view argument_words[] = {"dst", "src", "deps"};

/// By type_field.
inline constexpr std::string_view examples_of_types[] = {
    "elem=f16", "shape=[2, 2]", "layout=NK", "strides=[2, 1]",
    "quant=per_tensor(scale=0.5, zero_point=0)"};
inline constexpr std::string_view example_of_region =
    "region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK";
[[nodiscard]] constexpr std::string_view example_of(keyword k) noexcept {
  if (k == keyword::const_) return "const N = 4";
  if (k == keyword::let) return "let N = 4";
  if (k == keyword::region) return "let X = region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK";
  if (k == keyword::buffer) return "buffer B : L1[0] (size=64, align=16)";
  if (k == keyword::loop) return "loop i in [0..3] @max_in_flight(2):";
  if (k == keyword::transfer) return "t = transfer.async(dst=Y, src=X, deps=[u])";
  if (k == keyword::store) return "t = store.async(dst=Y, src=X, deps=[u])";
  if (k == keyword::wait) return "wait(t, u)";
  if (k == keyword::program) return "program p:";
  if (k == keyword::device) return "device \"npm_lite.cfg\"";
  if (k == keyword::include) return "include \"npm_lite.cfg\"";
  return {};
}
[[nodiscard]] constexpr std::string_view example_of(attribute_kind k) noexcept {
  switch (k) {
    case attribute_kind::integer: return "1";
    case attribute_kind::real: return "0.5";
    case attribute_kind::boolean: return "true";
    case attribute_kind::element: return "f32";
    case attribute_kind::integers: return "[...]";
    case attribute_kind::string: return "\"...\"";
    case attribute_kind::word: return "constant";
  }
  return {};  // unreachable: all kinds are above
}

// --- after an error ---

inline void reader::after_error(const char* first) {
  note_form(first);
  form_ = {};
  recover(first);
}

inline void reader::note_form(const char* first) {
  if (found_.report().diagnostics.empty()) return;
  const diagnostic& d = found_.report().diagnostics.back();
  if (d.has_note || d.has_fix || d.where.offset < offset_of(first) ||
      (d.code != errc::nem_syn_001_token && d.code != errc::nem_syn_008_statement))
    return;
  text out;
  if (form_.empty())
    statement_form(first, out);
  else
    out << form_;
  if (!out.view().empty()) findings::writer(&found_).note() << "for example: " << out;
}

inline bool reader::is_let_of_region(word w) const noexcept {
  const char* const name = after_blanks(w.last());
  if (w.key != make_key("let") || name >= end_ || !is(*name, class_letter)) return false;
  const char* const equals = equals_after(word_at(name));
  const char* const value = equals != nullptr ? after_blanks(equals + 1) : end_;
  return value < end_ && is(*value, class_letter) && word_at(value).key == make_key("region");
}

inline void reader::statement_form(const char* first, text& out) const {
  if (!is(*first, class_letter)) return;
  word w = word_at(first);
  const char* const equals = equals_after(w);
  const bool is_assigned = equals != nullptr && !begins_statement(keyword_of(w));
  if (is_assigned) {
    const char* const value = after_blanks(equals + 1);
    if (value >= end_ || !is(*value, class_letter)) return;
    w = word_at(value);
  }
  const keyword k = is_let_of_region(w) ? keyword::region : keyword_of(w);
  const char* const next = after_blanks(w.last());
  if (k != keyword::none || next >= end_) {
    out << example_of(k);
    return;
  }
  const auto op =
      static_cast<opcode>(opcode_words.find(w, static_cast<std::uint8_t>(opcode::relu)));
  if (op != opcode::relu || *next == '.' || w.text() == "relu") task_form(op, out);
}

inline void reader::task_form(opcode op, text& out) {
  const opcode_row& r = row(op);
  out << "t = " << r.name << ".async";
  for (const bool is_input : {true, false}) {
    const char* separator = is_input ? " in " : " out ";
    for (std::string_view list = is_input ? r.inputs : r.outputs; !list.empty();) {
      const std::string_view word = next_word(list);
      if (word.back() == '?') continue;
      out << separator << (word.back() == '*' ? word.substr(0, word.size() - 1) : word);
      if (word.back() == '*') out << ", ...";
      separator = ", ";
    }
  }
  for (std::string_view list = r.attributes; !list.empty();) {
    const std::string_view word = next_word(list);
    if (word.back() == '?') continue;
    const attribute a = find_attribute(word);
    out << ' ' << word << '=' << example_of(attribute_table[static_cast<std::size_t>(a)].kind);
  }
  out << " deps=[u]";
}

inline void reader::recover(const char* first) {
  std::size_t most = indent_of(first);
  if (at_ == first && !at_end()) take_to(token_end());
  while (!at_end()) {
    if (at(';')) return;
    if (at_word()) {
      const word w = peek_word();
      const bool new_line = on_new_line();
      if (may_begin(w, new_line, new_line && indent_of(at_) <= most)) return;
      take_word(w);
    } else if (!skip_other_comment()) {
      const bool opens_block = at(':') || at('{');
      take_to(token_end());
      if (opens_block && (at_end() || on_new_line())) most = ~std::size_t{0};
    }
  }
}

inline std::size_t reader::indent_of(const char* p) const noexcept {
  constexpr std::ptrdiff_t max_column = 1000;  // so that long lines take no quadratic time
  const char* first = p;
  while (first > source_ && first[-1] != '\n' && p - first < max_column) --first;
  const char* last = first;
  while (last < p && is(*last, class_blank)) ++last;
  return static_cast<std::size_t>(last - first);
}

inline bool reader::may_begin(word w, bool new_line, bool is_outer) const noexcept {
  const keyword k = keyword_of(w);
  if (k == keyword::endloop) return true;
  if (new_line && begins_statement(k)) return true;
  const char* p = after_blanks(w.last());
  if (p >= end_) return is_outer && w.key == make_key("end");
  if (k == keyword::const_ || k == keyword::let || k == keyword::buffer || k == keyword::loop) {
    if (!is(*p, class_letter)) return false;
    p = after_blanks(word_at(p).last());
    if (p >= end_) return false;
    if (k == keyword::loop) return is(*p, class_letter) && word_at(p).key == make_key("in");
    return *p == (k == keyword::buffer ? ':' : '=');
  }
  if (!new_line || is_reserved(k)) return false;
  if (is_outer) return may_begin_outer(w, p);
  if (*p == '=') return any_assignment_ || is_call(after_blanks(p + 1));
  return *p == '.' && is_call(w.first);
}

inline bool reader::may_begin_outer(word w, const char* next) const noexcept {
  if (*next == '=') {
    if (any_assignment_ || is_call(after_blanks(next + 1))) return true;
    for (const std::string_view field : quant_field_names)
      if (w.text() == field) return false;
    return attribute_words.find(w, 255) == 255 && type_field_of(w) == f_none &&
           argument_of(w) == 3 && w.key != make_key("attrs") && w.key != make_key("size") &&
           w.key != make_key("align");
  }
  if (!is(*next, class_letter)) return *next == '.' || *next == '(' || *next == ':' || *next == '[';
  const keyword k = keyword_of(word_at(next));
  return k != keyword::in && k != keyword::out && k != keyword::mod;
}

inline bool reader::skip_other_comment() {
  if (!at_other_comment()) return false;
  const char* p = at_;
  if (at_[0] == '/' && (end_ - at_ < 2 || at_[1] != '*')) {
    take_to(line_end(p));
    return true;
  }
  for (p += at_[0] == '/' ? 2 : 1; end_ - p >= 2; ++p)
    if (p[0] == '*' && p[1] == '/') return take_to(p + 2), true;
  take_to(end_);
  return true;
}

inline bool reader::at_other_comment() const noexcept {
  if (at_end()) return false;
  const char next = end_ - at_ > 1 ? at_[1] : '\0';
  if (*at_ == '/' && (next == '/' || next == '*')) return true;
  return (*at_ == '/' || *at_ == '*') && at_ != source_ && at_[-1] == '/';
}

// --- statements ---

inline bool reader::bad_mark() {
  const char* const before = at_;
  (void)no_statement();
  if (skip_other_comment()) return true;
  if (at_ == before) take_to(token_end());
  return false;
}

inline bool reader::bad_statement(word w, const char* next) {
  if (const char* const equals = colon_assignment(w, next); equals != nullptr) {
    begin_statement();
    return assigned_statement(w, keyword::none, equals);
  }
  const keyword k = keyword_of(word_of(meant_by(w.text(), other_statements, statement_words)));
  const bool is_meant = fits(k, next);
  (void)no_statement();
  if (is_meant) return meant_statement(w, k);
  if (w.key == make_key("for") || w.key == make_key("while") || w.key == make_key("if"))
    return other_loop(w);
  take_word(w);
  return false;
}

inline bool reader::fits(keyword k, const char* next) const noexcept {
  if (k == keyword::none) return false;
  if (k == keyword::endloop) return loops_ + excess_loops_ + other_loops_ != 0;
  if (next >= end_) return false;
  if (k == keyword::transfer || k == keyword::store) return *next == '.';
  if (k == keyword::wait) return *next == '(';
  if (k == keyword::include || k == keyword::device) return *next == '"';
  if (!is(*next, class_letter)) return false;
  const char* p = after_blanks(word_at(next).last());
  if (p >= end_) return false;
  if (k == keyword::const_ || k == keyword::let) return *p == '=';
  if (k == keyword::buffer || k == keyword::program) return *p == ':';
  if (k == keyword::type_family) return *p == '{' || *p == '<' || *p == '.';
  if (!is(*p, class_letter) || word_at(p).key != make_key("in")) return false;
  p = after_blanks(word_at(p).last());
  return p < end_ && *p == '[';
}

inline const char* reader::end_of_loop(word w) const noexcept {
  const char* p = w.last();
  while (p < end_ && *p == ' ') ++p;
  if (p >= end_ || !is(*p, class_letter)) return nullptr;
  const word next = word_at(p);
  return next.key == make_key("loop") || next.key == make_key("for") ? next.last() : nullptr;
}

inline bool reader::meant_statement(word w, keyword k) {
  if (k == keyword::endloop) {
    const char* const last = end_of_loop(w);
    end_loop(w);
    if (last != nullptr) take_to(last);
    return true;
  }
  if (k == keyword::include) return include(w);
  if (k == keyword::device) return device_or_directive(w);
  if (k == keyword::program) return header(w);
  if (k == keyword::type_family) return begin_family(), type_family_declaration(w), true;
  begin_statement();
  if (k == keyword::const_) return constant_statement(w);
  if (k == keyword::let) return let_statement(w);
  if (k == keyword::buffer) return buffer_statement(w);
  if (k == keyword::loop) return loop_statement(w);
  return task(at_, no_name, w, k);
}

inline bool reader::other_loop(word w) {
  take_word(w);
  std::size_t depth = 0;
  while (!at_end() && !on_new_line()) {
    const char c = *at_;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth != 0) --depth;
    take_to(token_end());
    if (depth != 0 || (c != ':' && c != '{')) continue;
    ++other_loops_;
    return true;
  }
  return false;
}

inline bool reader::no_statement() {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_008_statement, token());
  out << "expected a declaration, a task or a loop, got " << here_is();
  if (at_other_comment()) {
    out << ": comments begin with '#'";
    const std::string_view line(at_, static_cast<std::size_t>(line_end(at_) - at_));
    const bool is_one_line = line.substr(0, 2) == "//" ||
                             (line.substr(0, 2) == "/*" && line.find("*/", 2) == line.size() - 2);
    if (is_one_line) out.fix(range(at_, at_ + 2)) << '#';
  } else if (at('@')) {
    out << (loops_ != 0 ? ": those of a loop precede its ':'"
                        : ": decorators follow what they apply to");
  } else if (at('{') && loops_ != 0) {
    out << ": the body of a loop ends with endloop";
  } else if (at(',')) {
    out << ": statements aren't separated by commas";
  } else if (at_word()) {
    no_statement(out, peek_word());
  } else {
    out << mark_hint({});
    if (at('(')) misspelt_region(out);
  }
  return false;
}

inline void reader::misspelt_region(findings::writer out) {
  const auto back = [this](const char* p, std::uint8_t wanted) {
    while (p > source_ && is(p[-1], wanted)) --p;
    return p;
  };
  constexpr std::uint8_t in_word = class_letter | class_digit;
  const char* const first = back(last_, in_word);
  const std::string_view written(first, static_cast<std::size_t>(last_ - first));
  suggestion near(written);
  near.offer("region");
  if (near.word().empty() || written == "region") return;
  // Only in let R = region(…).
  const char* const equals = back(first, class_blank);
  if (equals == source_ || equals[-1] != '=') return;
  const char* const let_last = back(back(back(equals - 1, class_blank), in_word), class_blank);
  const char* const let = back(let_last, in_word);
  if (std::string_view(let, static_cast<std::size_t>(let_last - let)) != "let") return;
  out.note() << "did you mean region?";
  out.fix(range(first, last_)) << "region";
}

inline void reader::no_statement(findings::writer out, word w) {
  if (const char* const equals = equals_after(w); equals != nullptr)
    return no_assignment(out, w, equals);
  if (w.key == make_key("deps")) {
    out << ": as in deps=[t, u]";
    return;
  }
  if (type_field_of(w) != f_none) {
    out << ": type attributes are written as " << w.text() << "=...";
    return;
  }
  if (attribute_words.find(w, 255) != 255) {
    out << ": attributes are written as " << w.text() << "=...";
    return;
  }
  if (decorator_words.find(w, 255) != 255) {
    out << ": decorators are written as @" << w.text();
    out.fix(range(w.first, w.first)) << '@';
    return;
  }
  if (opcode_words.find(w, 255) != 255) {
    out << ": " << w.text() << " is written as " << w.text() << ".async or .sync";
    return;
  }
  out << unit_hint();
  for (const std::string_view other : {"if", "else", "while", "return"})
    if (w.text() == other) out << ": the only control flow is a loop over a range";
  const std::string_view meant = meant_by(w.text(), other_statements, statement_words);
  if (meant.empty()) return;
  out.note() << "did you mean " << meant << '?';
  if (!fits(keyword_of(word_of(meant)), after_blanks(w.last()))) return;
  const char* const next = meant == "endloop" ? end_of_loop(w) : nullptr;
  out.fix(range(w.first, next != nullptr ? next : w.last())) << meant;
}

inline void reader::no_assignment(findings::writer out, word w, const char* equals) {
  const char* const value = after_blanks(equals + 1);
  const word callee = value < end_ && is(*value, class_letter) ? word_at(value) : word{};
  if (opcode_words.find(callee, 255) != 255) {
    out << ": " << callee.text() << " is written as " << callee.text() << ".async or .sync";
  } else if (w.text() == "dtype" || w.text() == "type") {
    out << ": element types are written as elem=...";
  } else if (argument_of(w) != 3) {
    out << ": " << w.text() << " belongs in the parentheses of transfer and store";
  } else {
    out << ": only regions and tasks are assigned without const or let";
    const bool is_value = value < end_ && is(*value, class_letter | class_digit | class_quote);
    if (is_value && attribute_words.find(w, 255) == 255 && type_field_of(w) == f_none)
      out.fix(range(w.first, w.first)) << "let ";
  }
}

inline const char* reader::colon_assignment(word w, const char* next) {
  if (next >= end_ || *next != ':') return nullptr;
  const char* const last = next + (end_ - next > 1 && next[1] == '=' ? 2 : 1);
  if (!is_call(after_blanks(last)) || !may_report()) return nullptr;
  auto out = found_.add(errc::nem_syn_008_statement, range_of(w));
  out << "expected a declaration, a task or a loop, got '" << w.text()
      << "': names are assigned with '='";
  out.fix(range(next, last)) << (next[-1] == ' ' ? "=" : " =");
  return last - 1;
}

inline bool reader::declared_task(std::uint32_t i, word declared) {
  const word callee = peek_word();
  const keyword k = keyword_of(callee);
  if (k == keyword::region || !may_report()) return expression();
  const char* const first = source_ + nodes_[i].offset;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is()
      << ": tokens are assigned without const or let";
  out.fix(range(first, declared.first)) << "";
  const std::uint32_t name = nodes_[i].value;
  count_ = i;
  any_assignment_ = false;
  return task(declared.first, name, callee, k);
}

// --- declarations and loops ---

inline bool reader::bad_level(std::uint32_t i, word& w) {
  suggestion near(w.text());
  for (const level l : {level::ddr, level::l2, level::l1}) near.offer(name(l));
  if (near.word().empty() || !may_report()) return unexpected("DDR, L2 or L1");
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected DDR, L2 or L1, got " << here_is();
  out.fix(range_of(w)) << near.word();
  for (const level l : {level::ddr, level::l2, level::l1})
    if (name(l) == near.word()) nodes_[i].detail = static_cast<std::uint8_t>(l);
  w.key = key_of(near.word());
  return true;
}

inline bool reader::bad_property(std::uint32_t buffer, word& w) {
  constexpr std::string_view expected = "size= or align=";
  if (at_word()) {
    const std::string_view meant = meant_by(w.text(), other_properties, property_words);
    if (meant.empty() || equals_after(w) == nullptr || !may_report()) return unexpected(expected);
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected " << expected << ", got " << here_is();
    out.fix(range_of(w)) << meant;
    w.key = key_of(meant);
    return true;
  }
  if (at_end() || !is(*at_, class_digit)) return unexpected(expected);
  const char* const number_end = after_number(at_);
  const char* const closing = after_blanks(number_end);
  const bool is_index = static_cast<level>(nodes_[buffer].detail) == level::l1 &&
                        last_[-1] == '(' && closing < end_ && *closing == ')';
  if (!is_index) return unexpected(expected, ": as in (size=64, align=16)");
  if (not_a_token() || !may_report()) return false;
  const std::string_view index(at_, static_cast<std::size_t>(number_end - at_));
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is()
      << ": the index of an engine is in brackets, as in L1[0] (size=64)";
  const char* const next = after_blanks(closing + 1);
  if (next < end_ && *next == '(') out.fix(range(last_ - 1, closing + 1)) << '[' << index << ']';
  return false;
}

inline bool reader::bad_range() {
  constexpr std::string_view hint = ": as in [0..3], where 0 and 3 are included";
  if (end_ - at_ < 3 || at_[0] != '.' || at_[1] != '.') return unexpected("'..'", hint);
  take(2);
  if (at('<')) return unexpected("an expression", hint);
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is() << hint;
  const char* const next = after_blanks(at_ + 1);
  const char first = next < end_ ? *next : '\n';
  const bool has_end = (first >= '0' && first <= '9') || (first >= 'a' && first <= 'z') ||
                       (first >= 'A' && first <= 'Z') || first == '_' || first == '(';
  if (has_end) out.fix(range(at_, at_ + 1)) << "";
  take();
  return true;
}

inline bool reader::bad_loop_end() {
  while (at_word() && !on_new_line() && decorator_words.find(peek_word(), 255) != 255) {
    if (!may_report()) return false;
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected ':', got " << here_is() << ": decorators are written as @"
        << peek_word().text();
    out.fix(range(at_, at_)) << '@';
    take_word(peek_word());
    if (const char* const last = at('(') ? after_brackets(at_) : nullptr; last != nullptr)
      take_to(last);
    if (!decorators()) return false;
    if (take_if(':')) return true;
  }
  if (is_other_mark(':')) return true;
  if (!at_end() && !at_word() && !on_new_line())
    return unexpected("':'", at('{') ? ": the body of a loop ends with endloop" : "");
  missing("':'", ":");
  return at_end() || on_new_line();
}

// --- tasks ---

inline bool reader::is_upper_case(word w, std::string_view lower) {
  if (w.size != lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((w.first[i] | 0x20) != lower[i]) return false;
  if (may_report()) {
    auto out = found_.add(errc::nem_syn_001_token, range_of(w));
    out << "expected '" << lower << "', got '" << w.text() << "': keywords are in lower case";
    out.fix(range_of(w)) << lower;
  }
  return true;
}

inline bool reader::bad_mode(std::uint32_t i) {
  if (last_[-1] != '.') {
    const bool is_call_without = at('(');
    const bool is_store = nodes_[i].kind == node_kind::store;
    (void)unexpected("'.async' or '.sync'", is_store ? ": as in store.async(dst=Y, src=X)"
                                                     : ": as in transfer.async(dst=Y, src=X)");
    return is_call_without && !stopped_;
  }
  if (!at_word()) return unexpected("async or sync");
  const word w = peek_word();
  suggestion near(w.text());
  near.offer("async");
  near.offer("sync");
  if (near.word().empty() || !may_report()) return unexpected("async or sync");
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected async or sync, got " << here_is();
  out.fix(range_of(w)) << near.word();
  if (near.word() == "sync") nodes_[i].detail = static_cast<std::uint8_t>(mode::sync);
  take_word(w);
  return true;
}

inline bool reader::no_operands(word callee, keyword& meant) {
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected 'in', got '(': only transfer and store take parentheses";
  if (opcode_words.find(callee, 255) != 255) return false;
  const std::string_view near = meant_by(callee.text(), other_tasks, transfer_words);
  if (near.empty()) return false;
  out.note() << "did you mean " << near << '?';
  out.fix(range_of(callee)) << near;
  meant = keyword_of(word_of(near));
  return true;
}

inline void reader::comma_before_out() {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected a region, got " << here_is();
  out.fix(range(last_ - 1, last_)) << (at_ == last_ ? " " : "");
}

inline bool reader::stray_comma() {
  if (!may_report()) return false;
  const place comma = token();
  const char* const next = after_blanks(at_ + 1);
  const char* const equals =
      next < end_ && is(*next, class_letter) ? equals_after(word_at(next)) : nullptr;
  const bool goes_on = equals != nullptr && !is_call(after_blanks(equals + 1));
  auto out = found_.add(errc::nem_syn_001_token, comma);
  out << "expected an attribute or a statement, got ','";
  if (goes_on) out << ": attributes are separated by blanks";
  if (goes_on) out.fix(comma) << (next == at_ + 1 ? " " : "");
  if (goes_on) take();
  return goes_on;
}

inline bool reader::attribute_as_operand(std::uint32_t task) {
  const node& leaf = nodes_[last_operand_ + 1];
  const char* const first = source_ + leaf.offset;
  const char* comma = first;
  while (comma > source_ && is(comma[-1], class_blank)) --comma;
  const bool is_attribute = leaf.kind == node_kind::name && count_ == last_operand_ + 2 &&
                            comma[-1] == ',' && !is_call(after_blanks(at_ + 1));
  if (!is_attribute) return true;
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_008_statement, token());
  out << "expected a declaration, a task or a loop, got '=': attributes are separated by blanks";
  out.fix(range(comma - 1, comma)) << (comma == first ? " " : "");
  count_ = last_operand_;
  last_operand_ = task + 1;
  while (nodes_[last_operand_].next < count_) last_operand_ = nodes_[last_operand_].next;
  last_ = comma - 1;
  at_ = first;
  return true;
}

inline bool reader::bad_argument(word w, unsigned& field, const char*& equals) {
  constexpr std::string_view expected = "dst=, src= or deps=";
  const char* const next = after_blanks(w.last());
  const char mark = next < end_ ? *next : '\0';
  if (field == 3) {
    const std::string_view meant = meant_by(w.text(), other_arguments, argument_words);
    if (type_field_of(w) != f_none && mark == '=')
      return unexpected(expected, ": no comma precedes the type attributes of a region");
    if (meant.empty() || (mark != '=' && mark != ':'))
      return unexpected(expected, ": arguments are named, as in dst=Y, src=X");
    if (!may_report()) return false;
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected " << expected << ", got " << here_is();
    out.note() << "did you mean " << meant << '?';
    out.fix(range_of(w)) << meant;
    field = argument_of(word_of(meant));
    equals = next;
    return true;
  }
  take_word(w);
  equals = at_;
  if (at(':')) return is_other_mark('=');
  if (field != 2 || !at('[')) return unexpected("'='");
  missing("'='", "=");
  equals = w.last() - 1;
  return !stopped_;
}

inline bool reader::bad_deps() {
  const word w = at_word() ? peek_word() : word{};
  const char* const last = at('(') ? after_brackets(at_) : w.size != 0 ? w.last() : nullptr;
  if (last == nullptr || is_reserved(keyword_of(w))) return as_in("deps=[t, u]"), unexpected("'['");
  if (!may_report()) return false;
  const std::string_view all(at_, static_cast<std::size_t>(last - at_));
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '[', got " << here_is() << ": deps is a list of tokens";
  out.fix(range(at_, last)) << '[' << (w.size != 0 ? all : all.substr(1, all.size() - 2)) << ']';
  if (w.size != 0)
    put_name(w);
  else
    take_to(last);
  return true;
}

inline bool reader::bad_token() {
  constexpr std::string_view expected = "the name of a token";
  const bool is_trailing = (at(']') || at(')')) && last_[-1] == ',';
  const char* const last = at('"') ? after_string(at_) : nullptr;
  if ((!is_trailing && last == nullptr) || !may_report()) return unexpected(expected);
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is();
  if (is_trailing) {
    out.fix(range(last_ - 1, last_)) << "";
    return true;
  }
  out << ": tokens are names, without quotes";
  out.fix(range(at_, last)) << std::string_view(at_ + 1, static_cast<std::size_t>(last - at_ - 2));
  take_to(last);
  return true;
}

// --- decorators ---

inline std::string_view reader::decorator_form(word w) noexcept {
  switch (static_cast<nem::decorator>(
      decorator_words.find(w, static_cast<std::uint8_t>(decorator::unknown)))) {
    case decorator::max_in_flight: return ": as in @max_in_flight(2)";
    case decorator::resource: return ": as in @resource(CSTL[0])";
    case decorator::seq_engine: return ": as in @seq_engine(0)";
    case decorator::debug: return ": as in @debug(\"name\")";
    case decorator::profile: return ": as in @profile(\"name\")";
    case decorator::materialized:
    case decorator::readonly:
    case decorator::writeonly:
    case decorator::deterministic:
    case decorator::memmove: return ": it takes no argument";
    case decorator::unknown: break;
  }
  return {};
}

[[gnu::noinline]] inline bool reader::at_decorator_argument(word w) const noexcept {
  if (at_end() || on_new_line()) return false;
  if (*at_ == '[' || *at_ == '=' || is(*at_, class_digit)) return true;
  if (w.text() != "resource" || !is(*at_, class_letter)) return false;
  const char* const p = after_blanks(peek_word().last());
  return p < end_ && *p == '[';
}

inline void reader::bad_decorator_argument(word w) {
  const bool in_brackets = at('[');
  const char* const first = at('=') ? after_blanks(at_ + 1) : at_;
  const char* last = first;
  if (in_brackets) {
    last = after_brackets(first);
  } else if (first < end_ && is(*first, class_letter | class_digit)) {
    last = is(*first, class_digit) ? after_number(first) : word_at(first).last();
    if (last < end_ && *last == '[') last = after_brackets(last);
  }
  if (may_report()) {
    auto out = found_.add(errc::nem_syn_008_statement, token());
    out << "expected '(' after @" << w.text() << ", got " << here_is() << decorator_form(w);
    if (last != nullptr && last != first && !decorator_form(w).ends_with("argument")) {
      const std::string_view all(first, static_cast<std::size_t>(last - first));
      out.fix(range(w.last(), last))
          << '(' << (in_brackets ? all.substr(1, all.size() - 2) : all) << ')';
    }
  }
  take_to(last != nullptr && last != at_ ? last : token_end());
}

inline bool reader::empty_argument(word w) {
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is() << decorator_form(w);
  if (decorator_form(w).ends_with("argument")) out.fix(range(w.last(), at_ + 1)) << "";
  return true;
}

inline const char* reader::after_brackets(const char* p) const noexcept {
  constexpr std::ptrdiff_t max_length = 1000;
  const char* const last = end_ - p < max_length ? end_ : p + max_length;
  std::size_t depth = 0;
  for (; p < last && *p != '#' && *p != '"'; ++p) {
    if (*p == '(' || *p == '[') ++depth;
    if ((*p == ')' || *p == ']') && --depth == 0) return p + 1;
  }
  return nullptr;
}

// --- regions ---

inline bool reader::no_equals(type_word& t) {
  const char* const next = after_blanks(t.name.last());
  if (next >= end_ || (*next != '[' && *next != ':') || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, range_of(t.name));
  out << "expected '=' after '" << t.name.text() << "', got '" << *next << "': as in "
      << examples_of_types[t.field];
  out.fix(range(t.name.last(), *next == ':' ? next + 1 : t.name.last())) << '=';
  t.equals = *next == ':' ? next : t.name.last() - 1;
  return true;
}

inline bool reader::mark_before_type() {
  const char* const next = after_blanks(at_ + 1);
  type_word t;
  if (!is_type_attribute(t, next, true) || !may_report()) return false;
  const place mark = token();
  auto out = found_.add(errc::nem_syn_008_statement, mark);
  out << "expected a type attribute or a statement, got " << here_is()
      << ": type attributes follow region(...) directly";
  out.fix(mark) << "";
  take();
  return true;
}

// --- marks and units ---

inline bool reader::is_sigil(const char* p) const noexcept {
  if (p != at_ || *p != '%' || end_ - p < 2 || !is(p[1], class_letter | class_digit)) return false;
  if (last_ == source_ || on_new_line()) return true;
  const char before = last_[-1];
  const std::string_view last(source_, offset_of(last_));
  return before == '=' || before == ',' || before == '(' || before == '[' ||
         last.ends_with(" in") || last.ends_with(" out");
}

inline bool reader::is_other_mark(char c) {
  if (!(c == '=' && at(':')) && !(c == ':' && (at('=') || at(';')))) return false;
  const char* const last = at_ + (c == '=' && end_ - at_ > 1 && at_[1] == '=' ? 2 : 1);
  const char* const next = after_blanks(last);
  if (next < end_ && is(*next, class_letter) && equals_after(word_at(next)) != nullptr)
    return false;
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '" << c << "', got " << here_is();
  out.fix(range(at_, last)) << c;
  take_to(last);
  return true;
}

inline std::string_view reader::mark_hint(std::string_view expected) const noexcept {
  if (at_end() || at_ == source_) return {};
  const char before = at_[-1];
  const char after = end_ - at_ > 1 ? at_[1] : '\0';
  if (*at_ == '.' && after != '.' && (is(before, class_digit) || is(after, class_digit)))
    return ": numbers have digits on both sides of their point";
  if (*at_ == '<' || *at_ == '>') return ": expressions have + - * / mod";
  if (*at_ == '*' && before == '*') return ": there is no operator for powers";
  if (*at_ == '[' && expected != "'('" && is(before, class_letter | class_digit))
    return ": bytes of a buffer are written as region(B, 0, 8)";
  return {};
}

inline std::string_view reader::unit_hint() const noexcept {
  if (!at_word() || last_ == source_ || !is(last_[-1], class_digit)) return {};
  return is_byte_unit(peek_word().text()) ? ": sizes are in bytes, without a unit" : "";
}

inline bool reader::is_byte_unit(std::string_view w) noexcept {
  for (const std::string_view unit : {"B", "K", "KB", "KiB", "M", "MB", "MiB", "G", "GB", "GiB",
                                      "k", "kB", "kb", "m", "mb", "g", "gb", "bytes"})
    if (w == unit) return true;
  return false;
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP
