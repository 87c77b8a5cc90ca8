// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of core/text.hpp.

#ifndef TESSERA_CORE_DETAIL_TEXT_HPP
#define TESSERA_CORE_DETAIL_TEXT_HPP

#include "../text.hpp"

namespace tessera::inline TESSERA_ABI {

[[gnu::cold]] TESSERA_INLINE void append_shown(text& out, std::string_view s,
                                               std::string_view kept) {
  const auto hex = [&out](unsigned v) { out << "0123456789abcdef"[v & 15]; };
  const char* plain = s.data();
  const char* const end = plain + s.size();
  const auto flush = [&](const char* at) {
    out << std::string_view(plain, static_cast<std::size_t>(at - plain));
  };
  for (const char* at = plain; at != end;) {
    const auto lead = static_cast<unsigned char>(*at);
    if (lead >= 0x20 && lead < 0x7f) {
      ++at;
      continue;
    }
    const unsigned length = unsafe_length(at, end);
    if (length == 0 || (lead < 0x80 && kept.find(*at) != kept.npos)) {
      at += length == 0 ? utf8_length(at, end) : 1;
      continue;
    }
    flush(at);
    if (lead == '\n' || lead == '\t' || lead == '\r') {
      out << '\\' << (lead == '\n' ? 'n' : lead == '\t' ? 't' : 'r');
    } else if (length == 1) {
      out << "\\x";
      hex(lead >> 4);
      hex(lead);
    } else {
      const auto tail = [at](int i) { return static_cast<unsigned char>(at[i]) & 0x3fu; };
      const unsigned c = length == 2 ? (lead & 0x1fu) << 6 | tail(1)
                                     : (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
      out << "\\u{";
      for (int shift = c > 0xfff ? 12 : c > 0xff ? 8 : 4; shift >= 0; shift -= 4) hex(c >> shift);
      out << '}';
    }
    plain = at += length;
  }
  flush(end);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_TEXT_HPP
