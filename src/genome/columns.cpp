// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "columns.hpp"

#include <cmath>
#include <cstdint>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

std::string printable(std::string_view name) {
  text out;
  append_shown(out, name);
  return std::string(out.view());
}

std::size_t width(std::string_view s) noexcept {
  std::size_t n = 0;
  for (const char c : s) n += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1u : 0u;
  return n;
}

void put_left(text& out, std::string_view s, std::size_t columns) {
  out << s;
  for (std::size_t i = width(s); i < columns; ++i) out << ' ';
}

void put_right(text& out, std::string_view s, std::size_t columns) {
  for (std::size_t i = width(s); i < columns; ++i) out << ' ';
  out << s;
}

std::string fixed(double v, unsigned decimals) {
  text out;
  put_fixed(out, v, decimals);
  return std::string(out.view());
}

double rounded(double v) noexcept { return std::floor(v * 1e6 + 0.5) / 1e6; }

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
