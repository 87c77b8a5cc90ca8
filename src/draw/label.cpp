// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "label.hpp"

#include <algorithm>

#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace draw {

std::string escaped(std::string_view s) {
  std::string out;
  std::size_t characters = 0;
  while (!s.empty()) {
    if (++characters > longest_label) return out + "\xE2\x80\xA6";
    const unsigned length = std::max(utf8_length(s.data(), s.data() + s.size()), 1u);
    const unsigned char c = static_cast<unsigned char>(s[0]);
    if (c < 0x20 || c == 0x7f || (length == 1 && c >= 0x80))
      out += "\xEF\xBF\xBD";
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += s.substr(0, length);
    s.remove_prefix(std::min<std::size_t>(length, s.size()));
  }
  return out;
}

}  // namespace draw
}  // namespace tessera::inline TESSERA_ABI
