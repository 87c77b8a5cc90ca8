// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "label.hpp"

#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

std::string escaped(std::string_view s) {
  std::string out;
  std::size_t characters = 0;
  while (!s.empty()) {
    if (++characters > longest_label) return out + "\xE2\x80\xA6";
    const unsigned unsafe = unsafe_length(s.data(), s.data() + s.size());
    const unsigned length = unsafe != 0 ? unsafe : utf8_length(s.data(), s.data() + s.size());
    const char c = s[0];
    if (unsafe != 0) {
      text escape;
      append_shown(escape, s.substr(0, length));
      out += escape.view();
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else {
      out += s.substr(0, length);
    }
    s.remove_prefix(length);
  }
  return out;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
