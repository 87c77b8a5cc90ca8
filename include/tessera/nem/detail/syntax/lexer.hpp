// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Characters and words of NEM: what a reader sees of a source, one token ahead.
//
//   nem::detail::lexer in("const A = 1");
//   nem::detail::word w = in.peek_word();     // "const"
//   nem::detail::keyword_of(w);               // keyword::const_
//   in.take_word(w);                          // now at A
//
//   blank     space, tab, CR, LF, and comments from # to the end of the line
//   word      A-Z a-z 0-9 _, not beginning with a digit
//   number    digits, or digits.digits with an exponent or none
//   string    "…" on one line, escapes \n \t \\ \"
//   others    . .. , : ; = ( ) [ ] { } < > @ + - * /
//
// There are no token objects: the reader knows what may follow and looks at the character. Words are
// distinguished by their first eight bytes as one number.
//
// Lifetime:   borrows the source.
// Errors:     none; the reader reports.
// Limits:     sources below 4 GiB.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../../version.hpp"
#include "../../format.hpp"
#include "word.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

// Bits of a character's class. An operator, or `mod`, may begin with class_operator.
inline constexpr std::uint8_t class_letter = 1, class_digit = 2, class_blank = 4, class_comment = 8,
                              class_mark = 16, class_quote = 32, class_operator = 64;
struct character_classes {
  std::uint8_t of[256];
};
[[nodiscard]] consteval character_classes make_classes() noexcept {
  character_classes c{};
  for (unsigned i = 0; i < 256; ++i) c.of[i] = 0;
  for (unsigned i = 'a'; i <= 'z'; ++i) c.of[i] = class_letter;
  for (unsigned i = 'A'; i <= 'Z'; ++i) c.of[i] = class_letter;
  c.of[static_cast<unsigned>('_')] = class_letter;
  for (unsigned i = '0'; i <= '9'; ++i) c.of[i] = class_digit;
  for (const char b : {' ', '\t', '\r', '\n'}) c.of[static_cast<unsigned>(b)] = class_blank;
  c.of[static_cast<unsigned>('#')] = class_comment;
  c.of[static_cast<unsigned>('"')] = class_quote;
  for (const char m : std::string_view(".,:;=()[]{}<>@+-*/"))
    c.of[static_cast<unsigned>(m)] = class_mark;
  for (const char o : {'+', '-', '*', '/', 'm'}) c.of[static_cast<unsigned>(o)] |= class_operator;
  return c;
}
inline constexpr character_classes classes = make_classes();
[[nodiscard]] inline bool is(char c, unsigned class_bits) noexcept {
  return (classes.of[static_cast<unsigned char>(c)] & class_bits) != 0;
}

/// Words with a number each, found by one multiplication: open addressing, at most half full.
template <std::size_t Slots>
struct word_table {
  static_assert((Slots & (Slots - 1)) == 0);
  struct entry {
    std::uint64_t key = 0, more = 0;
    std::uint32_t size = 0;
    std::uint8_t value = 0;
  };
  entry of[Slots] = {};

  [[nodiscard]] static constexpr std::size_t slot(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15u) >> 40) & (Slots - 1);
  }
  /// Adds a word of up to sixteen characters.
  consteval void add(std::string_view word, std::uint8_t value) noexcept {
    std::size_t i = slot(key_of(word));
    while (of[i].key != 0) i = (i + 1) & (Slots - 1);
    of[i] = {key_of(word), word.size() > 8 ? key_of(word.substr(8)) : 0,
             static_cast<std::uint32_t>(word.size()), value};
  }
  [[nodiscard]] std::uint8_t find(word w, std::uint8_t otherwise) const noexcept {
    for (std::size_t i = slot(w.key); of[i].key != 0; i = (i + 1) & (Slots - 1))
      if (of[i].key == w.key && of[i].more == w.more && of[i].size == w.size) return of[i].value;
    return otherwise;
  }
};

/// What a reserved word is for. From `in` on they begin no statement, from `element` on they are
/// values somewhere, and `upstream` ones are names, with a warning.
enum class keyword : std::uint8_t {
  none,
  const_,
  let,
  buffer,
  loop,
  endloop,
  transfer,
  store,
  wait,
  include,
  device,
  program,
  type_family,
  region,
  in,
  out,
  mod,
  element,
  level,
  upstream
};
[[nodiscard]] consteval word_table<256> make_keywords() noexcept {
  word_table<256> t;
  constexpr keyword order[] = {
      keyword::program, keyword::device,   keyword::include, keyword::const_,
      keyword::buffer,  keyword::let,      keyword::loop,    keyword::endloop,
      keyword::region,  keyword::transfer, keyword::store,   keyword::wait,
      keyword::in,      keyword::out,      keyword::mod,     keyword::type_family};
  static_assert(sizeof order / sizeof order[0] == sizeof reserved_words / sizeof reserved_words[0]);
  for (std::size_t i = 0; i < sizeof order / sizeof order[0]; ++i)
    t.add(reserved_words[i], static_cast<std::uint8_t>(order[i]));
  for (std::size_t i = 0; i < element_count; ++i)
    t.add(name(static_cast<element>(i)), static_cast<std::uint8_t>(keyword::element));
  for (const level l : {level::ddr, level::l2, level::l1})
    t.add(name(l), static_cast<std::uint8_t>(keyword::level));
  for (const std::string_view w : upstream_reserved_words)
    t.add(w, static_cast<std::uint8_t>(keyword::upstream));
  return t;
}
inline constexpr word_table<256> keyword_words = make_keywords();
/// The sizes of reserved words by their first character, a bit each.
struct keyword_sizes {
  std::uint16_t of[256];
};
[[nodiscard]] consteval keyword_sizes make_keyword_sizes() noexcept {
  keyword_sizes s{};
  for (const auto& e : keyword_words.of)
    s.of[e.key & 0xff] = static_cast<std::uint16_t>(s.of[e.key & 0xff] | 1u << (e.size & 15));
  return s;
}
inline constexpr keyword_sizes sizes_of_keywords = make_keyword_sizes();
[[nodiscard, gnu::noinline]] inline keyword find_keyword(std::uint32_t size, std::uint64_t key,
                                                         std::uint64_t more) noexcept {
  return static_cast<keyword>(keyword_words.find({nullptr, size, key, more}, 0));
}
[[nodiscard]] inline keyword find_keyword(word w) noexcept {
  return find_keyword(w.size, w.key, w.more);
}
/// Whether it may be a reserved word; most names aren't.
[[nodiscard]] inline bool may_be_keyword(word w) noexcept {
  return (sizes_of_keywords.of[w.key & 0xff] >> (w.size & 15) & 1) != 0;
}
[[nodiscard]] inline keyword keyword_of(word w) noexcept {
  return may_be_keyword(w) ? find_keyword(w) : keyword::none;
}
/// Whether a statement, a declaration or a directive begins with it.
[[nodiscard]] constexpr bool begins_statement(keyword k) noexcept {
  return k >= keyword::const_ && k <= keyword::type_family;
}
/// Whether it can't be a name.
[[nodiscard]] constexpr bool is_reserved(keyword k) noexcept {
  return k != keyword::none && k != keyword::upstream;
}

[[nodiscard]] consteval word_table<256> make_opcodes() noexcept {
  word_table<256> t;
  for (std::size_t i = 0; i < opcode_count; ++i)
    t.add(opcode_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<64> make_attributes() noexcept {
  word_table<64> t;
  for (std::size_t i = 0; i < attribute_count; ++i)
    t.add(attribute_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<32> make_decorators() noexcept {
  word_table<32> t;
  for (std::size_t i = 0; i < decorator_count; ++i)
    t.add(decorator_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<32> make_elements() noexcept {
  word_table<32> t;
  for (std::size_t i = 0; i < element_count; ++i)
    t.add(name(static_cast<element>(i)), static_cast<std::uint8_t>(i));
  return t;
}
inline constexpr word_table<256> opcode_words = make_opcodes();
inline constexpr word_table<64> attribute_words = make_attributes();
inline constexpr word_table<32> decorator_words = make_decorators();
inline constexpr word_table<32> element_words = make_elements();

/// A place in a source, always at a token or at the end. What dozens of productions use is compiled
/// once; the commonest productions use scan_word and skip() in its place.
class lexer {
 public:
  explicit lexer(std::string_view source) noexcept
      : source_(source.data()),
        at_(source.data()),
        last_(source.data()),
        end_(source.data() + source.size()) {
    if (source.substr(0, 3) == "\xef\xbb\xbf") at_ += 3;
    at_ = after_blanks(at_);
  }

  [[nodiscard]] bool at_end() const noexcept { return at_ >= end_; }
  /// The next character, 0 at the end.
  [[nodiscard]] char peek() const noexcept { return at_ < end_ ? *at_ : '\0'; }
  [[nodiscard]] bool at_word() const noexcept { return at_ < end_ && is(*at_, class_letter); }
  [[nodiscard]] bool at(char c) const noexcept { return at_ < end_ && *at_ == c; }
  [[nodiscard]] std::uint32_t here() const noexcept { return offset_of(at_); }
  [[nodiscard]] std::uint32_t offset_of(const char* p) const noexcept {
    return static_cast<std::uint32_t>(p - source_);
  }

  /// The word at `from`, which is at a letter.
  [[nodiscard, gnu::noinline]] word word_at(const char* from) const noexcept {
    return scan_word(from, end_);
  }
  [[nodiscard]] word peek_word() const noexcept { return word_at(at_); }
  void take_word(word w) noexcept { take_to(w.last()); }
  void take(std::size_t count = 1) noexcept { take_to(at_ + count); }
  /// The token ends before `p`.
  [[gnu::noinline]] void take_to(const char* p) noexcept {
    last_ = p;
    at_ = skip(p);
  }
  [[nodiscard]] bool take_if(char c) noexcept {
    if (!at(c)) return false;
    return take(), true;
  }

  /// The first character from `p` on that isn't blank or of a comment. All that can begin
  /// tokens but quotes are above '#', as are no blanks.
  [[nodiscard, gnu::noinline]] const char* after_blanks(const char* p) const noexcept {
    return skip(p);
  }
  /// The same, inline.
  [[nodiscard, gnu::always_inline]] const char* skip(const char* p) const noexcept {
    if (p >= end_ || *p > '#') return p;
    if (*p != ' ') return after_more_blanks(p);
    ++p;
    return p<end_&& * p> '#' ? p : after_more_blanks(p);
  }
  [[nodiscard, gnu::noinline]] const char* after_more_blanks(const char* p) const noexcept {
    if (end_ - p >= 16) [[likely]] {
      const unsigned count = blank_bytes(p);
      p += count;
      if (count < 16 && *p != '#') [[likely]]
        return p;
    }
    return after_comments(p);
  }
  [[nodiscard, gnu::noinline]] const char* after_comments(const char* p) const noexcept {
    for (;; ++p) {
      while (p < end_ && is(*p, class_blank)) ++p;
      if (p >= end_ || *p != '#') return p;
      const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      if (newline == nullptr) return end_;
      p = static_cast<const char*>(newline);
    }
  }
  /// Whether the token is the first of its line.
  [[nodiscard]] bool on_new_line() const noexcept {
    if (last_ == source_) return true;
    if (at_ - last_ <= 1) [[likely]]
      return at_ != last_ && *last_ == '\n';
    return std::memchr(last_, '\n', static_cast<std::size_t>(at_ - last_)) != nullptr;
  }
  /// Whether a task, a region or a wait begins at `p`, so that `X =` before it begins a statement
  /// and no attribute.
  [[nodiscard]] bool is_call(const char* p) const noexcept {
    if (p >= end_ || !is(*p, class_letter)) return false;
    const word w = scan_word(p, end_);
    p = skip(w.last());
    if (p >= end_) return false;
    if (*p == '(') return w.key == make_key("region") || w.key == make_key("wait");
    if (*p != '.') return false;
    if ((w.size == 8 && w.key == make_key("transfer")) ||
        (w.size == 5 && w.key == make_key("store")))
      return true;
    p = after_blanks(p + 1);
    if (p >= end_ || !is(*p, class_letter)) return false;
    const word m = scan_word(p, end_);
    return m.key == make_key("async") || m.key == make_key("sync");
  }
  /// Where `=` is if one follows the word, else null.
  [[nodiscard, gnu::noinline]] const char* equals_after(word w) const noexcept {
    const char* const p = skip(w.last());
    return p < end_ && *p == '=' ? p : nullptr;
  }

  /// The end of the number or malformed number at `p`, for messages.
  [[nodiscard]] const char* after_number(const char* p) const noexcept {
    const auto digits = [&] {
      while (p < end_ && is(*p, class_letter | class_digit)) ++p;
    };
    digits();
    if (end_ - p >= 2 && *p == '.' && is(p[1], class_digit)) ++p, digits();
    if ((p[-1] == 'e' || p[-1] == 'E') && p < end_ && (*p == '+' || *p == '-')) ++p, digits();
    return p;
  }
  /// The end of the string at `p`, or null if it isn't closed on its line.
  [[nodiscard]] const char* after_string(const char* p) const noexcept {
    for (++p; p < end_ && *p != '\n'; ++p) {
      if (*p == '"') return p + 1;
      if (*p == '\\' && end_ - p >= 2 && p[1] != '\n') ++p;
    }
    return nullptr;
  }
  /// The end of the line that `p` is on, without CR.
  [[nodiscard]] const char* line_end(const char* p) const noexcept {
    const char* const first = p;
    while (p < end_ && *p != '\n') ++p;
    return p > first && p[-1] == '\r' ? p - 1 : p;
  }
  /// The token's end, also of one that isn't sound; the end of the source is empty.
  [[nodiscard]] const char* token_end() const noexcept {
    if (at_ >= end_) return at_;
    if (is(*at_, class_letter)) return word_at(at_).last();
    if (is(*at_, class_digit)) return after_number(at_);
    if (*at_ == '"') {
      const char* const p = after_string(at_);
      return p != nullptr ? p : line_end(at_);
    }
    return end_ - at_ >= 2 && at_[0] == '.' && at_[1] == '.' ? at_ + 2 : at_ + 1;
  }

 protected:
  const char* source_;
  const char* at_;    ///< the next token
  const char* last_;  ///< the end of the one before it
  const char* end_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP
