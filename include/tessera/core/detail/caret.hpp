// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A line of a source with a caret below, at the end of descriptions of errors.
//
//   detail::append_caret(out, "let R = rgion(B, 0, 8)", 8, 5, "region", 8);
//   //   let R = rgion(B, 0, 8)
//   //           ^~~~~
//   //           region
//
// Lifetime:   none.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 bytes of a line are shown.
// Allocation: the text.

#ifndef TESSERA_CORE_DETAIL_CARET_HPP
#define TESSERA_CORE_DETAIL_CARET_HPP

#include <cstddef>
#include <string_view>

#include "../../version.hpp"
#include "../text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr std::size_t shown_columns = 78;

/// The line that holds `offset`, cut around it to the width, and below it a caret under the first
/// of `length` characters and tildes under the others, with the text to be `inserted` on a third
/// line. Characters unsafe for a terminal become escapes (see append_shown); tabs and carriage
/// returns are spaces.
inline void append_caret(text& out, std::string_view source, std::size_t offset,
                         std::size_t length = 1, std::string_view inserted = {},
                         std::size_t inserted_at = 0) {
  std::size_t first = offset, last = offset;
  while (first > 0 && source[first - 1] != '\n' && offset - first <= shown_columns) --first;
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
  text part;
  // Whole characters: one that `to` cuts is part of it.
  const auto shown = [&](std::size_t from, std::size_t to) {
    part.clear();
    while (from < to) {
      const unsigned valid = utf8_length(source.data() + from, source.data() + source.size());
      const std::size_t size = valid != 0 ? valid : 1;
      if (source[from] == '\t' || source[from] == '\r')
        part << ' ';
      else
        append_shown(part, source.substr(from, size));
      from += size;
    }
    return part.view();
  };
  const auto repeat = [&](char c, std::size_t from, std::size_t to) {
    for (const char of : shown(from, to))
      if ((static_cast<unsigned char>(of) & 0xc0u) != 0x80u) out << c;
  };
  const auto indent = [&](std::size_t to) {
    out << "\n  ";
    repeat(' ', first, to);
  };
  out << "  " << shown(first, last);
  indent(offset);
  out << '^';
  std::size_t second = offset + 1;
  while (second < last && tail(second)) ++second;
  repeat('~', second, last - offset < length ? last : offset + length);
  if (!inserted.empty() && inserted_at >= first && inserted_at <= last) {
    indent(inserted_at);
    out << inserted;
  }
  out << '\n';
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_CARET_HPP
