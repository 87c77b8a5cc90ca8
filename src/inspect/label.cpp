// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "label.hpp"

#include <cmath>
#include <cstdint>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

std::string as_utf8(std::string_view s) {
  std::string out;
  while (!s.empty()) {
    const unsigned length = utf8_length(s.data(), s.data() + s.size());
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else
      out += s.substr(0, length);
    s.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

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

void put_fixed(text& out, double v, unsigned decimals) {
  std::uint64_t unit = 1;
  for (unsigned i = 0; i < decimals; ++i) unit *= 10;
  const auto n = static_cast<std::uint64_t>(std::floor(v * static_cast<double>(unit) + 0.5));
  out << n / unit;
  if (decimals == 0) return;
  out << '.';
  for (std::uint64_t rest = n % unit; unit > 1; rest %= unit) {
    unit /= 10;
    out << static_cast<char>('0' + static_cast<char>(rest / unit));
  }
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
