// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A JSON writer: commas, indentation, escapes, and numbers that read back as the same value.
//
//   tessera::text out;
//   json::writer w(out, json::compact);
//   w.begin_object().key("step").number(0.5).key("ids").begin_array().integer(7).end().end();
//   // {"step":0.5,"ids":[7]}
//
//   json::compact    {"a":[1,2]}          no white space
//   json::spaced     {"a": [1, 2]}        one line, as Python's json.dumps writes by default
//   json::indented   two spaces per level, one member or element per line, "key": value
//
// Within `indented`, a container begun with `one_line` is written compact, with its contents;
// that is how the ARK serializer lays out tensors, arguments and lists of numbers.
//
// A record of numbers, whose text has a bound, is faster through a pointer; compact in any layout:
//
//   w.record(json::number_capacity + 2, [](json::cursor to) {
//     return to.literal("[").number(0.5).literal("]");
//   });
//
// Lifetime:   borrows the text it appends to.
// Errors:     none: the caller pairs begin and end, writes finite doubles and valid UTF-8.
// Limits:     none.
// Allocation: the growth of the text.

#ifndef TESSERA_CORE_JSON_WRITE_HPP
#define TESSERA_CORE_JSON_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "shortest.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The white space of a document.
struct layout {
  unsigned indent;                ///< spaces a level; 0 writes one line
  std::string_view comma, colon;  ///< what separates members, and a key from its value
  double_style doubles = double_style::python;  ///< how doubles are spelled
};
/// One line without a space.
inline constexpr layout compact{0, ",", ":"};
/// One line, as Python's json.dumps writes it.
inline constexpr layout spaced{0, ", ", ": "};
/// A line for each value, two spaces a level.
inline constexpr layout indented{2, ",", ": "};

/// Appends `s` in quotes. Escapes only what JSON requires; other controls as `\u00xx`.
inline void append_quoted(text& out, std::string_view s) {
  out << '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out << s.substr(plain, i - plain) << '\\';
    plain = i + 1;
    switch (c) {
      case '\b': out << 'b'; break;
      case '\f': out << 'f'; break;
      case '\n': out << 'n'; break;
      case '\r': out << 'r'; break;
      case '\t': out << 't'; break;
      case '"':
      case '\\': out << s[i]; break;
      default:
        out << "u00"
            << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
    }
  }
  out << s.substr(plain) << '"';
}

/// Most characters of one cursor::integer or cursor::number.
inline constexpr std::size_t number_capacity =
    double_capacity;  ///< of one cursor::integer or number

/// Where the next character of a record goes. Each call stores and returns the next position: by
/// value, so that it stays in registers. Nothing checks the capacity there.
class cursor {
 public:
  /// Stores at `to`, where there must be space for all that follows.
  cursor(char* to, double_style doubles) noexcept : to_(to), doubles_(doubles) {}

  /// In decimal.
  template <class Int>
  [[nodiscard]] cursor integer(Int v) const noexcept {
    return {put_integer(to_, v), doubles_};
  }
  /// The shortest decimal number that reads as this double.
  [[nodiscard]] cursor number(double v) const noexcept {
    return {put_double(to_, v, doubles_), doubles_};
  }
  /// Verbatim JSON: brackets, commas, keys.
  template <std::size_t Size>
  [[nodiscard]] cursor literal(const char (&json)[Size]) const noexcept {
    std::memcpy(to_, json, Size - 1);
    return {to_ + Size - 1, doubles_};
  }
  /// Where the next character goes.
  [[nodiscard]] char* place() const noexcept { return to_; }

 private:
  char* to_;
  double_style doubles_;
};

/// Writes one document in the order of the calls, with the white space that its layout asks for.
class writer {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit writer(text& out, const layout& how = compact) noexcept : out_(out), layout_(how) {}

  /// Opens a container; `one_line` keeps all of it on one line, whatever the layout.
  ///@{
  writer& begin_object(bool one_line = false) { return begin('{', '}', one_line); }
  writer& begin_array(bool one_line = false) { return begin('[', ']', one_line); }
  ///@}
  /// Closes the innermost container.
  writer& end() {
    const bool is_object = (kinds_.view().back() == '}');
    kinds_.truncate(kinds_.size() - 1);
    if (!fresh_ && one_line_ == 0) new_line();
    if (one_line_ != 0) --one_line_;
    out_ << (is_object ? '}' : ']');
    fresh_ = false;
    return *this;
  }
  /// The key of the next member.
  writer& key(std::string_view name) {
    separate();
    append_quoted(out_, name);
    out_ << (one_line_ > 0 && layout_.indent != 0 ? std::string_view(":") : layout_.colon);
    after_key_ = true;
    return *this;
  }

  /// An integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  writer& integer(Int v) { return separate(), out_ << v, *this; }
  /// A double in the layout's style; it must be finite.
  writer& number(double v) { return separate(), append_double(out_, v, layout_.doubles), *this; }
  /// A string, quoted and escaped.
  writer& string(std::string_view v) { return separate(), append_quoted(out_, v), *this; }
  /// True or false.
  writer& boolean(bool v) { return raw(v ? "true" : "false"); }
  /// A null.
  writer& null() { return raw("null"); }
  /// A value that is already JSON text, such as a number's token.
  writer& raw(std::string_view json) { return separate(), out_ << json, *this; }
  /// A value of at most `max_size` bytes that `write(cursor)` stores; it returns the end of the
  /// value.
  template <class Write>
  writer& record(std::size_t max_size, Write write) {
    separate();
    char* const begin = out_.prepare(max_size);
    const cursor end = write(cursor(begin, layout_.doubles));
    return out_.advance(static_cast<std::size_t>(end.place() - begin)), *this;
  }

 private:
  writer& begin(char bracket, char close, bool one_line) {
    separate();
    out_ << bracket;
    kinds_ << close;
    if (one_line || one_line_ != 0 || layout_.indent == 0) ++one_line_;
    fresh_ = true;
    return *this;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
    } else if (kinds_.size() != 0) {
      if (!fresh_) {
        if (layout_.comma.size() == 1 || (one_line_ != 0 && layout_.indent != 0))
          out_ << ',';
        else
          out_ << layout_.comma;
      }
      if (one_line_ == 0) new_line();
    }
    fresh_ = false;
  }
  void new_line() {
    const std::size_t spaces = kinds_.size() * layout_.indent;
    char* const to = out_.prepare(1 + spaces);
    *to = '\n';
    std::memset(to + 1, ' ', spaces);
    out_.advance(1 + spaces);
  }

  text& out_;
  layout layout_;
  text kinds_;                // the closing brackets that are due
  std::size_t one_line_ = 0;  // the number of innermost containers on one line
  bool fresh_ = false, after_key_ = false;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_WRITE_HPP
