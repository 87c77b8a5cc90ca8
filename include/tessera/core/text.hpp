// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Text that grows, UTF-8, and places in a text.
//
//   tessera::text out;
//   out << "line " << 7;
//   std::string_view v = out;
//   std::cout << out;                                            // or any stream with write()
//   tessera::line_column at = tessera::locate(source, offset);   // 1-based
//
// `text` is what writers and printers return: characters in one block that isn't cleared before it
// is written, so that a writer can reserve a record's bound once and then store through a pointer.
// It replaces std::string, which would cost more to include than the rest of the library.
//
// Lifetime:   text owns; view() and the conversion borrow from it.
// Errors:     none; std::bad_alloc where the host has exceptions.
// Limits:     none.
// Allocation: at most twice the characters held.

#ifndef TESSERA_CORE_TEXT_HPP
#define TESSERA_CORE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../version.hpp"
#include "digits.hpp"
#include "pool.hpp"

namespace tessera::inline TESSERA_ABI {

/// Growing characters. Movable and copyable; not terminated by a zero.
class text {
 public:
  text() noexcept = default;
  /// Copies the characters.
  explicit text(std::string_view from) { *this << from; }

  /// The first character; may be null where there are none.
  [[nodiscard]] const char* data() const noexcept {
    return static_cast<const char*>(block_.data());
  }
  /// How many characters there are.
  [[nodiscard]] std::size_t size() const noexcept { return block_.size(); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return block_.size() == 0; }
  /// All characters. Borrows from the text.
  [[nodiscard]] std::string_view view() const& noexcept { return {data(), size()}; }
  std::string_view view() const&& = delete;
  /// All characters. Borrows from the text.
  operator std::string_view() const& noexcept { return view(); }
  operator std::string_view() const&& = delete;

  /// Removes all characters; the memory stays.
  void clear() noexcept { block_.set_size(0); }
  /// Keeps the first `size` characters.
  void truncate(std::size_t size) noexcept {
    if (size < block_.size()) block_.set_size(size);
  }

  /// Room for `count` more characters; write them there, then say how many with advance().
  [[nodiscard]] char* prepare(std::size_t count) {
    return static_cast<char*>(block_.prepare(count));
  }
  /// Counts characters that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { block_.set_size(block_.size() + count); }
  /// How many more characters fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return block_.available(); }
  /// Allocates for `size` characters in all.
  void reserve(std::size_t size) { block_.reserve(size); }
  /// False, without a change, where there is no memory.
  [[nodiscard]] bool try_reserve(std::size_t size) noexcept { return block_.try_reserve(size); }

  /// Appends the characters.
  text& operator<<(std::string_view s) { return block_.append(s.data(), s.size()), *this; }
  /// Appends one character.
  text& operator<<(char c) {
    *prepare(1) = c;
    return advance(1), *this;
  }
  /// Any integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  text& operator<<(Int value) {
    char* const to = prepare(integer_capacity);
    return advance(static_cast<std::size_t>(put_integer(to, value) - to)), *this;
  }
  /// Not implicitly converted to char; see append_double.
  template <class Value>
    requires(std::is_same_v<Value, bool> || std::is_floating_point_v<Value>)
  text& operator<<(Value) = delete;
  /// Appends the characters up to the terminating zero.
  text& operator<<(const char* s) { return *this << std::string_view(s); }

  /// Writes to a std::ostream, or to anything else with `write(data, size)`.
  template <class Stream>
    requires requires(Stream& out, const char* data) { out.write(data, 1); }
  friend Stream& operator<<(Stream& out, const text& t) {
    out.write(t.data(), static_cast<std::ptrdiff_t>(t.size()));
    return out;
  }

 private:
  detail::block block_;
};

/// Whether the characters are the same.
[[nodiscard]] inline bool operator==(const text& a, std::string_view b) noexcept {
  return a.view() == b;
}
[[nodiscard]] inline bool operator==(const text& a, const text& b) noexcept {
  return a.view() == b.view();
}

/// Decodes the UTF-8 sequence at `at`, which holds at least one byte before `end`. Returns its
/// length, 1 to 4, or 0 when it is truncated, overlong, a surrogate, or above U+10FFFF.
[[nodiscard]] constexpr unsigned utf8_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
  const auto tail = [&byte](std::ptrdiff_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const std::ptrdiff_t left = end - at;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation byte, or an overlong two-byte form
  if (lead < 0xe0) return left >= 2 && tail(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (lead > 0xf4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
  return 4;
}

/// Whether all of a text is UTF-8.
[[nodiscard]] constexpr bool is_utf8(std::string_view s) noexcept {
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const unsigned length = utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Writes the UTF-8 form of a code point up to U+10FFFF to `to`, which has room for 4 bytes, and
/// returns its length.
constexpr unsigned utf8_encode(std::uint32_t code_point, char* to) noexcept {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code_point < 0x80) return put(code_point), 1;
  if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    return put(0x80 | (code_point & 0x3f)), 2;
  }
  if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    return put(0x80 | (code_point & 0x3f)), 3;
  }
  put(0xf0 | code_point >> 18);
  put(0x80 | (code_point >> 12 & 0x3f));
  put(0x80 | (code_point >> 6 & 0x3f));
  return put(0x80 | (code_point & 0x3f)), 4;
}

/// The number of bytes at `at`, at least one before `end`, that must not reach a terminal
/// unescaped: a control of C0, C1 or DEL, a byte that isn't UTF-8, or a character that turns text
/// around, has no width or ends a line (U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to
/// U+206F, U+FEFF). 0 for all others.
[[nodiscard]] constexpr unsigned unsafe_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) -> std::uint32_t {
    return static_cast<unsigned char>(at[i]);
  };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 1 : 0;
  const unsigned length = utf8_length(at, end);
  if (length == 0) return 1;
  if (length == 2) {
    const std::uint32_t c = (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    return c < 0xa0 || c == 0x61c ? 2 : 0;
  }
  if (length == 4) return 0;
  const std::uint32_t c = (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const bool unsafe = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                      (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  return unsafe ? 3 : 0;
}

/// Appends `s` for display: what unsafe_length finds becomes `\n`, `\t`, `\r`, `\x1b` (of a byte)
/// or `\u{202e}` (of a character), except for the ASCII characters in `kept`.
void append_shown(text& out, std::string_view s, std::string_view kept = {});

/// A place in a text, both from 1; the column counts bytes, as compilers do.
struct line_column {
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< from 1, in bytes
  friend constexpr bool operator==(const line_column&, const line_column&) = default;
};

/// The line and column of a byte offset; an offset past the end counts as the end.
[[nodiscard]] constexpr line_column locate(std::string_view source, std::uint64_t offset) noexcept {
  line_column at;
  const std::size_t end = offset < source.size() ? to_size(offset) : source.size();
  for (std::size_t i = 0; i < end; ++i) {
    ++at.column;
    if (source[i] == '\n') at = {at.line + 1, 1};
  }
  return at;
}

}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/text.hpp"
#endif

#endif  // TESSERA_CORE_TEXT_HPP
