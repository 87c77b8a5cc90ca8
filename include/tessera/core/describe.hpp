// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An error in words: looks at the source again and shows the place.
//
//   model.json:1:48: error: unknown opcode: expected -2 to 10, or 11 in versions 3 and 4
//     [alir_opcode] at $.model[5][3][2], offset 47
//     [[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,1,12,-1,[-8.0,9.0,0.5],1.0,6.0]]
//                                              ^
//
//   program.bc: error: the bytecode ends early
//     [alir_bytecode_truncated] at offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// Lifetime:   the text that is returned owns itself.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 columns of a line are shown.
// Allocation: the text, and what json::reader needs to find a path.

#ifndef TESSERA_CORE_DESCRIBE_HPP
#define TESSERA_CORE_DESCRIBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bytes.hpp"
#include "error.hpp"
#include "json.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The JSON path (`$.model[5][3]`) of the innermost value that starts at `offset` or contains it;
/// in broken text, of the last value before the place where reading stops.
[[nodiscard]] inline text path(std::string_view source, std::uint64_t offset,
                               const limits& limit = {}) {
  struct step {
    bool is_object;
    std::uint64_t count;    // members or elements that were entered; the last is the current one
    std::size_t key_first;  // in `keys`, up to the next step's
  };
  pool<step> steps;
  text keys;
  reader in(source, limit);
  for (bool found = in.offset() >= offset; !found;) {
    switch (in.peek()) {
      case kind::object: in.object(), steps.push_back({true, 0, keys.size()}); break;
      case kind::array: in.array(), steps.push_back({false, 0, keys.size()}); break;
      default: in.skip(), found = in.offset() > offset;
    }
    // On to the next value; containers that end on the way are left.
    bool more = false;
    while (!found && !more && !steps.empty()) {
      std::string_view name;
      more = steps.back().is_object ? in.key(name) : in.element();
      if (in.failed()) {
        found = true;
      } else if (more) {
        ++steps.back().count;
        keys.truncate(steps.back().key_first);
        keys << name;
        found = in.offset() >= offset;
      } else {
        found = in.offset() > offset;
        keys.truncate(steps.back().key_first);
        steps.pop_back();
      }
    }
    found = found || steps.empty();
  }

  text out("$");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& s = steps[i];
    if (s.count == 0) break;  // behind the opening bracket, before the first value
    if (!s.is_object) {
      out << '[' << s.count - 1 << ']';
      continue;
    }
    const std::size_t end = i + 1 < steps.size() ? steps[i + 1].key_first : keys.size();
    const std::string_view key = keys.view().substr(s.key_first, end - s.key_first);
    bool plain = !key.empty();
    for (const char c : key)
      plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                        (c >= '0' && c <= '9'));
    if (plain) {
      out << '.' << key;
    } else {
      out << '[';
      append_quoted(out, key);
      out << ']';
    }
  }
  return out;
}

}  // namespace json

namespace detail {

inline constexpr std::size_t shown_columns = 78;

/// The line that holds `offset`, cut to what fits around it, and a caret below.
inline void append_caret(text& out, std::string_view source, std::size_t offset) {
  std::size_t first = offset, last = offset;
  while (first > 0 && source[first - 1] != '\n') --first;
  while (last < source.size() && source[last] != '\n' &&
         last - first < offset - first + shown_columns)
    ++last;
  const auto tail = [&](std::size_t i) {
    return (static_cast<unsigned char>(source[i]) & 0xc0u) == 0x80u;
  };
  if (last - first > shown_columns) {
    const std::size_t before = shown_columns / 2;
    if (offset - first > before) first = offset - before;
    while (first < offset && tail(first)) ++first;
    if (last - first > shown_columns) last = first + shown_columns;
  }
  while (last > offset && last < source.size() && tail(last)) --last;
  out << "  ";
  for (std::size_t i = first; i < last; ++i) {  // control characters would move the caret
    const char c = source[i];
    out << (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c);
  }
  out << "\n  ";
  for (std::size_t i = first; i < offset; ++i)
    if ((static_cast<unsigned char>(source[i]) & 0xc0u) != 0x80u) out << ' ';
  out << "^\n";
}

inline void append_hex(text& out, std::uint64_t v, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) out << "0123456789abcdef"[v >> 4 * i & 15];
}

inline void append_message(text& out, error e) {
  out << ": error: " << e.message() << "\n  [" << e.name() << ']';
}

}  // namespace detail

/// An error in a text source, with line, column, caret and, when the text is JSON, the path.
/// `name` is the file's name as it is to be shown.
[[nodiscard]] inline text describe(error e, std::string_view source,
                                   std::string_view name = "<input>", const limits& limit = {}) {
  const std::size_t offset =
      e.offset < source.size() ? static_cast<std::size_t>(e.offset) : source.size();
  const line_column at = locate(source, offset);
  text out(name);
  out << ':' << at.line << ':' << at.column;
  detail::append_message(out, e);
  const std::size_t start = source.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  if (start != std::string_view::npos && (source[start] == '{' || source[start] == '[')) {
    const text path = json::path(source, offset, limit);
    out << " at " << path << ", offset ";
  } else {
    out << " at offset ";
  }
  out << offset << '\n';
  detail::append_caret(out, source, offset);
  return out;
}

/// An error in a binary source, with the 16 bytes around it and a caret.
[[nodiscard]] inline text describe(error e, bytes source, std::string_view name = "<input>") {
  const std::size_t offset =
      e.offset < source.size() ? static_cast<std::size_t>(e.offset) : source.size();
  text out(name);
  detail::append_message(out, e);
  out << " at offset " << offset << " (0x";
  unsigned digits = 1;
  while (digits < 16 && offset >> 4 * digits != 0) ++digits;
  detail::append_hex(out, offset, digits);
  out << ")\n  ";
  const std::size_t first =
      offset == source.size() && offset != 0 ? (offset - 1) / 16 * 16 : offset / 16 * 16;
  detail::append_hex(out, first, 8);
  out << ':';
  for (std::size_t i = first; i < source.size() && i < first + 16; ++i) {
    out << ' ';
    detail::append_hex(out, static_cast<std::uint64_t>(source[i]), 2);
  }
  out << "\n  ";
  for (std::size_t i = 0; i < 10 + 3 * (offset - first); ++i) out << ' ';
  out << "^\n";
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DESCRIBE_HPP
