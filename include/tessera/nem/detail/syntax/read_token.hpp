// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The part of the reader of NEM that all productions use: nodes, findings,
// numbers and strings.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/error.hpp"
#include "../../../core/number.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "lexer.hpp"
#include "reader.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- nodes ---

inline std::uint32_t reader::put(node_kind kind, unsigned detail, const char* first,
                                 std::uint32_t value) {
  if (count_ == room_) [[unlikely]]
    more_nodes();
  const std::uint32_t i = count_++;
  nodes_[i] = {kind, static_cast<std::uint8_t>(detail), 0, offset_of(first), value, i + 1};
  return i;
}

[[gnu::noinline]] inline void reader::finish(std::uint32_t i) noexcept {
  set_end(i, last_);
  nodes_[i].next = count_;
}

inline void reader::put_leaf(node_kind kind, unsigned detail, const char* last,
                             std::uint32_t value) {
  if (count_ == room_) [[unlikely]]
    more_nodes();
  const std::uint32_t i = count_++;
  nodes_[i] = {kind,
               static_cast<std::uint8_t>(detail),
               length_of(static_cast<std::uint32_t>(last - at_)),
               offset_of(at_),
               value,
               i + 1};
  last_ = last;
  at_ = skip(last);
}

// --- diagnostics ---

inline place reader::token() const noexcept {
  if (!at_end()) [[likely]]
    return range(at_, token_end());
  const char* p = at_;
  if (p > source_ && p[-1] == '\n') --p;
  if (p > source_ && p[-1] == '\r') --p;
  return range(p, p);
}

inline bool reader::may_report() noexcept {
  if (!stopped_ && found_.errors() >= max_errors_) stop();
  return !stopped_;
}

inline void reader::stop() noexcept {
  stopped_ = true;
  end_ = at_;
}

inline bool reader::may_warn(errc code) noexcept {
  if (severity_of(code, found_.profile()) == severity::error) return may_report();
  if (stopped_) return false;
  if (warnings_++ < max_findings / 2) return true;
  ++found_.report().warnings;
  return false;
}

inline reader::got::got(const lexer& in, std::string_view token) noexcept
    : end_(in.at_end()), cut_(token.size() > 40), token_(token) {
  if (!cut_) return;
  std::size_t size = 37;
  while (size > 0 && (static_cast<unsigned char>(token[size]) & 0xc0u) == 0x80u) --size;
  token_ = token.substr(0, size);
}

inline reader::got reader::here_is() const noexcept {
  const char* const last = token_end();
  return got(*this, {at_, static_cast<std::size_t>(last - at_)});
}

inline bool reader::not_a_token() {
  if (at_end() || is(*at_, class_letter | class_mark)) return false;
  if (*at_ == '"') {
    if (after_string(at_) != nullptr) return false;
    const char* const last = line_end(at_);
    if (may_report())
      found_.add(errc::nem_lex_002_string, range(at_, last))
          << "the string isn't closed before the end of its line";
    take_to(last);
    return true;
  }
  if (is(*at_, class_digit)) {
    const char* const last = after_number(at_);
    if (is_sound_number(at_, last)) return false;
    bad_number(last);
    return true;
  }
  bad_character(at_);
  take_to(at_ + character_length(at_));
  return true;
}

inline unsigned reader::character_length(const char* p) const noexcept {
  const unsigned length = utf8_length(p, end_);
  return length != 0 ? length : 1;
}

inline void reader::bad_character(const char* p) {
  if (!may_report()) return;
  const unsigned length = utf8_length(p, end_);
  const unsigned byte = static_cast<unsigned char>(*p);
  auto out = found_.add(errc::nem_lex_001_character, range(p, p + character_length(p)));
  if (length == 0 || byte < 0x20 || byte == 0x7f)
    out << "the byte " << byte << (length == 0 ? " isn't valid UTF-8" : " isn't allowed here");
  else
    out << "the character '" << std::string_view(p, length)
        << "' is allowed only in comments and strings"
        << (is_sigil(p) ? ": names have no '%'" : usual(std::string_view(p, length)));
  if (byte == '%' && (!is_sigil(p) || is(p[1], class_letter)))
    out.fix(range(p, p + 1)) << (is_sigil(p) ? "" : "mod");
}

inline std::string_view reader::usual(std::string_view character) noexcept {
  if (character == "%") return ": the remainder is mod";
  if (character == "'" || character.substr(0, 2) == "\xe2\x80")
    return ": strings are enclosed in \"\"";
  for (const std::string_view o : {"^", "&", "|", "~", "!"})
    if (character == o) return ": expressions have + - * / mod";
  return character == "\xc2\xa0" ? ": it is a no-break space" : "";
}

inline bool reader::unexpected(std::string_view expected, std::string_view hint) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is() << hint;
  if (at_other_comment()) out << ": comments begin with '#'";
  if (hint.empty()) out << mark_hint(expected) << unit_hint();
  return false;
}

inline void reader::missing(std::string_view expected, std::string_view what) {
  if (!may_report()) return;
  const bool is_line_end = !at_end() && on_new_line();  // then it is the last one that is wrong
  auto out = found_.add(errc::nem_syn_001_token, is_line_end ? range(last_, last_) : token());
  out << "expected " << expected << (is_line_end ? " before " : ", got ") << here_is();
  out.fix(range(last_, last_)) << what;
}

// --- tokens ---

inline bool reader::expect(char c) {
  if (at_ < end_ && *at_ == c) [[likely]] {
    take();
    return true;
  }
  return unexpected_mark(c);
}

inline bool reader::unexpected_mark(char c) {
  if (is_other_mark(c)) return true;
  if (c == '=' && !at_end() && is(*at_, class_digit) && !on_new_line())
    return missing("'='", " ="), !stopped_;
  const char quoted[] = {'\'', c, '\''};
  return unexpected({quoted, 3});
}

inline bool reader::expect_closing(char c, const char* open) {
  if (take_if(c)) [[likely]]
    return true;
  return unclosed(c, open);
}

inline bool reader::unclosed(char c, const char* open, std::string_view hint) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '" << c << "', got " << here_is() << hint;
  if (at_other_comment()) out << ": comments begin with '#'";
  if (hint.empty()) out << mark_hint({}) << unit_hint();
  out.note(range(open, open + 1)) << "to match this '" << *open << '\'';
  return false;
}

inline bool reader::declared_name(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return !may_be_keyword(w) || questionable_name(w, find_keyword(w), what);
}

inline bool reader::questionable_name(word w, keyword k, std::string_view what) {
  if (k == keyword::none) return true;
  if (k == keyword::upstream) {
    if (may_warn(errc::nem_syn_018_upstream_reserved))
      found_.add(errc::nem_syn_018_upstream_reserved, range_of(w))
          << "other readers of NEM reserve '" << w.text() << '\'';
    return true;
  }
  if (begins_statement(k) && on_new_line()) return unexpected(what);
  reserved(w, what);
  return true;
}

inline void reader::reserved(word w, std::string_view what) {
  if (may_report())
    found_.add(errc::nem_syn_013_reserved, range_of(w))
        << "expected " << what << ", but '" << w.text() << "' is a reserved word";
}

inline bool reader::used_name(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return is_usable(w, what);
}

[[gnu::noinline]] inline bool reader::is_usable_keyword(word w, std::string_view what) {
  const keyword k = find_keyword(w);
  if (k == keyword::none || k == keyword::upstream) return true;
  if (k != keyword::element && k != keyword::level) return unexpected(what);
  reserved(w, what);
  return true;
}

inline bool reader::any_word(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return true;
}

// --- numbers and strings ---

inline bool reader::number() {
  std::uint32_t v = 0;
  const char* p = at_;
  const char* const nine = end_ - p > 9 ? p + 9 : end_;  // digits that can't overflow
  for (unsigned digit; p < nine && (digit = static_cast<unsigned>(*p - '0')) < 10; ++p)
    v = v * 10 + digit;
  if (p == nine || *p == '.' || is(*p, class_letter)) [[unlikely]]
    return long_number(p, v);
  put_leaf(node_kind::integer, 0, p, v);
  return true;
}

[[gnu::noinline]] inline bool reader::long_number(const char* p, std::uint64_t v) {
  const char* const first = at_;
  while (p < end_ && is(*p, class_digit)) {
    if (v > (~std::uint64_t{0} - 9) / 10) [[unlikely]]
      v = ~std::uint64_t{0} / 10 - 1;  // stays above 2^63 with every digit that follows
    v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
  }
  if (p < end_) {
    if (is(*p, class_letter)) return bad_number(after_number(first));
    if (*p == '.' && end_ - p >= 2 && is(p[1], class_digit)) return real(p);
  }
  if (v >> 63 != 0) [[unlikely]] {
    if (may_report())
      found_.add(errc::nem_lex_005_integer, range(first, p))
          << "the integer exceeds 2^63 - 1 = 9223372036854775807";
    v = 1;  // so that reading goes on
  }
  if (v >> 32 == 0) {
    put_leaf(node_kind::integer, 0, p, static_cast<std::uint32_t>(v));
  } else {
    put_leaf(node_kind::wide_integer, 0, p, static_cast<std::uint32_t>(d_.integers.size()));
    d_.integers.push_back(static_cast<std::int64_t>(v));
  }
  return true;
}

inline bool reader::real(const char* point) {
  const char* const first = at_;
  const char* p = point + 1;
  while (p < end_ && is(*p, class_digit)) ++p;
  const char* const digits_end = p;
  std::int64_t exponent = 0;
  if (p < end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool negative = p < end_ && *p == '-';
    if (p < end_ && (*p == '-' || *p == '+')) ++p;
    if (p >= end_ || !is(*p, class_digit)) return bad_number(after_number(first));
    for (; p < end_ && is(*p, class_digit); ++p)
      if (exponent < std::int64_t{1} << 50) exponent = exponent * 10 + (*p - '0');
    if (negative) exponent = -exponent;
  }
  if (p < end_ && is(*p, class_letter)) return bad_number(after_number(first));
  const double v =
      decimal_to_double({.digits = {first, static_cast<std::size_t>(digits_end - first)},
                         .exponent = exponent - (digits_end - point - 1)});
  if (v > 1.7976931348623157e308) {
    if (may_report())
      found_.add(errc::nem_lex_004_number, range(first, p))
          << "the number exceeds the largest double, 1.7976931348623157e308";
  }
  put_leaf(node_kind::real, 0, p, static_cast<std::uint32_t>(d_.reals.size()));
  d_.reals.push_back(v);
  return true;
}

inline bool reader::bad_number(const char* last) {
  if (may_report()) {
    const std::string_view number(at_, static_cast<std::size_t>(last - at_ < 40 ? last - at_ : 40));
    auto out = found_.add(errc::nem_lex_004_number, range(at_, last));
    out << "malformed number '" << number << "': ";
    const char* p = at_;
    while (p < last && is(*p, class_digit)) ++p;
    const char* const digits_end = p;
    const bool has_exponent = p < last && (*p == 'e' || *p == 'E');
    if (has_exponent && ++p < last && (*p == '-' || *p == '+')) ++p;
    const char* const exponent = p;
    while (p < last && is(*p, class_digit)) ++p;
    if (has_exponent && p != exponent && p == last) {
      out << "numbers with an exponent have a point, as 1.0e5";
      out.fix(range(digits_end, digits_end)) << ".0";
    } else if (number.substr(0, 2) == "0x" || number.substr(0, 2) == "0X") {
      out << "integers are decimal";
    } else if (is_byte_unit({digits_end, static_cast<std::size_t>(last - digits_end)})) {
      out << "sizes are in bytes, without a unit";
    } else if (number.find('_') != number.npos) {
      out << "digits aren't separated";
    } else {
      out << "expected digits, or digits '.' digits with an exponent or none";
    }
  }
  take_to(last);
  return false;
}

inline bool reader::is_sound_number(const char* p, const char* last) const noexcept {
  const auto digits = [&] {
    const char* const first = p;
    while (p < last && is(*p, class_digit)) ++p;
    return p != first;
  };
  (void)digits();
  if (p == last) return true;
  if (*p++ != '.' || !digits()) return false;
  if (p == last) return true;
  if (*p != 'e' && *p != 'E') return false;
  ++p;
  if (p < last && (*p == '+' || *p == '-')) ++p;
  return digits() && p == last;
}

inline bool reader::string_value(std::uint32_t& index, std::string_view what) {
  if (!at('"')) return unexpected(what);
  const char* const last = after_string(at_);
  if (last == nullptr) return !not_a_token();
  bool plain = true;
  for (const char* p = at_ + 1; p != last - 1; ++p) {
    const unsigned char c = static_cast<unsigned char>(*p);
    plain = plain && c != '\\' && c >= 0x20 && c < 0x7f;
  }
  if (plain) {
    index = names_.of_text({at_ + 1, static_cast<std::size_t>(last - at_ - 2)});
  } else {
    resolve_escapes(at_ + 1, last - 1);
    index = names_.of_text(scratch_);
  }
  take_to(last);
  return true;
}

inline void reader::resolve_escapes(const char* p, const char* last) {
  scratch_.clear();
  while (p != last) {
    const unsigned char c = static_cast<unsigned char>(*p);
    unsigned length = utf8_length(p, last);
    if (c == '\\') {
      const char e = p[1];
      if (e == 'n' || e == 't' || e == '\\' || e == '"') {
        scratch_ << (e == 'n' ? '\n' : e == 't' ? '\t' : e);
        p += 2;
        continue;
      }
      if (may_warn(errc::nem_lex_003_escape))
        found_.add(errc::nem_lex_003_escape, range(p, p + 1 + character_length(p + 1)))
            << "unknown escape: expected one of \\n \\t \\\\ \\\"; it is kept "
               "as it is";
    } else if ((c < 0x20 && c != '\t') || c == 0x7f || length == 0) {
      bad_character(p);
      length = 1;
    }
    scratch_ << std::string_view(p, length);
    p += length;
  }
}

inline void reader::grow(std::uint64_t capacity) {
  if (capacity < 16) capacity = 16;
  if (capacity > max_nodes_) capacity = max_nodes_;
  d_.nodes.advance(count_ - d_.nodes.size());
  d_.nodes.reserve(to_size(capacity) + 2);  // two spare ones are written when a limit is met
  nodes_ = d_.nodes.data();
  room_ = static_cast<std::uint32_t>(capacity);
}

inline void reader::more_nodes() {
  if (room_ < max_nodes_) {
    const auto left = static_cast<std::uint64_t>(end_ - at_);  // bytes; hardly any has two nodes
    const std::uint64_t enough = room_ + left + left / 4 + 64, doubled = std::uint64_t{room_} * 2;
    return grow(doubled < enough ? doubled : enough);
  }
  if (failure_.code == errc::ok && !stopped_) {
    failure_ = {errc::too_many_items, here()};
    found_.add(errc::too_many_items, token())
        << "a file holds more than limits::max_items = " << max_nodes_ << " nodes";
  }
  stop();
  count_ = room_ - 1;
}

inline void reader::once(fields& f, unsigned field, word w, errc code) {
  if ((f.seen >> field & 1) == 0) [[likely]] {
    f.seen |= 1u << field;
    f.first[field] = offset_of(w.first);
    f.length[field] = static_cast<std::uint16_t>(w.size);
    return;
  }
  repeated(code, range_of(w), w.text(), {0, f.first[field], f.length[field]});
}

inline void reader::repeated(errc code, place where, std::string_view name, place before) {
  if (!may_report()) return;
  auto out = found_.add(code, where);
  out << "duplicate '" << name << '\'';
  out.note(before) << "first given here";
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP
