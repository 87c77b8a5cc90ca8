// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A place in a binary source, at the end of descriptions of errors.

#ifndef TESSERA_CORE_DETAIL_HEX_HPP
#define TESSERA_CORE_DETAIL_HEX_HPP

#include <cstddef>
#include <cstdint>

#include "../bytes.hpp"
#include "../text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace detail {

inline void append_hex(text& out, std::uint64_t v, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) out << "0123456789abcdef"[v >> 4 * i & 15];
}

/// " (0x30c)"
inline void append_offset_in_hex(text& out, std::uint64_t offset) {
  out << " (0x";
  unsigned digits = 1;
  while (digits < 16 && offset >> 4 * digits != 0) ++digits;
  append_hex(out, offset, digits);
  out << ')';
}

/// The 16 bytes around an offset, and a caret below the byte at the offset.
inline void append_hex_line(text& out, bytes source, std::size_t offset) {
  out << "  ";
  const std::size_t first =
      offset == source.size() && offset != 0 ? (offset - 1) / 16 * 16 : offset / 16 * 16;
  append_hex(out, first, 8);
  out << ':';
  for (std::size_t i = first; i < source.size() && i < first + 16; ++i) {
    out << ' ';
    append_hex(out, static_cast<std::uint64_t>(source[i]), 2);
  }
  out << "\n  ";
  for (std::size_t i = 0; i < 10 + 3 * (offset - first); ++i) out << ' ';
  out << "^\n";
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_HEX_HPP
