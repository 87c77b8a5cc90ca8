// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC assembly as tokens: what assemble and its parts read from.
//
//   nac::detail::lexer in(source);
//   if (in.accept("schedule")) in.expect(':');
//   const std::int64_t tick = in.integer(0, 65535);
//   in.end_line();
//   if (in.failed()) return in.error();
//
//   word      a letter, '_' or '<', then letters, digits and _ . < >      nac.add  <INPUT>
//   number    a digit or '-', then letters, digits and + - . _            -1  1e-5  0x1f  -inf
//   string    "…" with \" \\ \n \r \t \xHH                                "fc.weight"
//   mark      any other character by itself                               ( ) [ ] { } = : , #
//   line end  ends a statement, but for those inside of brackets
//   comment   from ';' to the end of the line
//
// The first error stays, and everything after it is refused without effect.
//
// Lifetime:   borrows the source.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     none.
// Allocation: what is asked for: decoded strings.

#ifndef TESSERA_NAC_DETAIL_LEXER_HPP
#define TESSERA_NAC_DETAIL_LEXER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/error.hpp"
#include "../../core/number.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

enum class token_kind : std::uint8_t { word, number, string, mark, line_end, end };

struct token {
  token_kind kind = token_kind::end;
  std::uint64_t offset = 0;
  std::string_view text;  ///< as written; a string with its quotes
};

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] constexpr bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// 0 to 15, or 16.
[[nodiscard]] constexpr unsigned hex_digit(char c) noexcept {
  return is_decimal(c)            ? static_cast<unsigned>(c - '0')
         : (c >= 'a' && c <= 'f') ? static_cast<unsigned>(c - 'a') + 10
         : (c >= 'A' && c <= 'F') ? static_cast<unsigned>(c - 'A') + 10
                                  : 16;
}

[[nodiscard]] constexpr bool starts_word(char c) noexcept {
  return is_letter(c) || c == '_' || c == '<';
}

[[nodiscard]] constexpr bool is_in_word(char c) noexcept {
  return is_letter(c) || is_decimal(c) || c == '_' || c == '.' || c == '<' || c == '>';
}

class lexer {
 public:
  lexer() noexcept = default;
  explicit lexer(std::string_view source) noexcept : source_(source) { read(); }

  [[nodiscard]] const token& peek() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return now_.offset; }
  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// Keeps the first error, and ends the tokens.
  void fail(errc code, std::uint64_t offset) noexcept {
    if (failed()) return;
    error_ = {code, offset};
    now_ = {token_kind::end, offset, {}};
  }
  void fail(errc code) noexcept { fail(code, now_.offset); }

  token next() noexcept {
    const token t = now_;
    if (!failed()) read();
    return t;
  }
  /// Takes the token if it is this mark, or this word.
  bool accept(char mark) noexcept {
    if (now_.kind != token_kind::mark || now_.text[0] != mark) return false;
    next();
    return true;
  }
  bool accept(std::string_view word) noexcept {
    if (now_.kind != token_kind::word || now_.text != word) return false;
    next();
    return true;
  }
  bool expect(char mark) noexcept {
    if (accept(mark)) return true;
    fail(errc::nac_text_mark);
    return false;
  }
  [[nodiscard]] bool at_line_end() const noexcept {
    return now_.kind == token_kind::line_end || now_.kind == token_kind::end;
  }
  /// The end of a statement, and the empty lines after it.
  void end_line() noexcept {
    if (!at_line_end()) return fail(errc::nac_text_line_end);
    skip_lines();
  }
  void skip_lines() noexcept {
    while (now_.kind == token_kind::line_end) next();
  }
  /// A decimal integer, or hex digits after 0x; `min` after an error.
  [[nodiscard]] std::int64_t integer(std::int64_t min, std::int64_t max) noexcept {
    if (now_.kind != token_kind::number) return fail(errc::nac_text_integer), min;
    std::string_view digits = now_.text;
    const bool negative = digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    const bool hex = digits.substr(0, 2) == "0x";
    if (hex) digits.remove_prefix(2);
    std::uint64_t magnitude = 0;
    bool fits = true;
    if (digits.empty()) return fail(errc::nac_text_integer), min;
    for (const char c : digits) {
      const unsigned d = hex_digit(c);
      if (d >= (hex ? 16u : 10u)) return fail(errc::nac_text_integer), min;
      fits = fits && !__builtin_mul_overflow(magnitude, std::uint64_t{hex ? 16u : 10u}, &magnitude);
      fits = fits && !__builtin_add_overflow(magnitude, std::uint64_t{d}, &magnitude);
    }
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    fits = fits && magnitude <= (negative ? half : half - 1);
    const auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    if (!fits || value < min || value > max) return fail(errc::nac_text_range), min;
    next();
    return value;
  }
  /// A string, decoded and appended to `to`.
  void string(text& to) {
    if (now_.kind != token_kind::string) return fail(errc::nac_text_string);
    const token t = next();
    const std::string_view s = t.text.substr(1, t.text.size() - 2);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] != '\\') {
        to << s[i];
        continue;
      }
      const char c = ++i < s.size() ? s[i] : '\0';
      if (c == 'x' && i + 2 < s.size() && hex_digit(s[i + 1]) < 16 && hex_digit(s[i + 2]) < 16) {
        to << static_cast<char>(hex_digit(s[i + 1]) << 4 | hex_digit(s[i + 2]));
        i += 2;
      } else if (c == '"' || c == '\\') {
        to << c;
      } else if (c == 'n' || c == 'r' || c == 't') {
        to << (c == 'n' ? '\n' : c == 'r' ? '\r' : '\t');
      } else {
        return fail(errc::nac_text_escape, t.offset + 1 + i);
      }
    }
  }

 private:
  [[nodiscard]] char at(std::size_t i) const noexcept {
    return i < source_.size() ? source_[i] : '\0';
  }
  void read() noexcept {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == ';') {
        while (at_ < source_.size() && source_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && depth_ != 0)) {
        ++at_;
      } else {
        break;
      }
    }
    const std::size_t first = at_;
    const auto take = [&](token_kind kind) {
      now_ = {kind, first, source_.substr(first, at_ - first)};
    };
    if (at_ >= source_.size()) return take(token_kind::end);
    const char c = source_[at_++];
    if (c == '\n') return take(token_kind::line_end);
    if (c == '"') {
      while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n')
        at_ += source_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
      if (at_ >= source_.size() || source_[at_] != '"')
        return fail(errc::nac_text_string_end, first);
      ++at_;
      return take(token_kind::string);
    }
    if (starts_word(c)) {
      while (is_in_word(at(at_))) ++at_;
      return take(token_kind::word);
    }
    if (is_decimal(c) || (c == '-' && (is_decimal(at(at_)) || is_letter(at(at_))))) {
      while (is_in_word(at(at_)) || at(at_) == '+' || at(at_) == '-') ++at_;
      return take(token_kind::number);
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ != 0) --depth_;
    take(token_kind::mark);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  token now_;
  tessera::error error_;
};

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LEXER_HPP
