// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Bytes in the assembly that have no other form: hex digits after 0x, two for each byte.
//
//   nac::detail::print_bytes(out, b);     // 0x54495341
//   nac::detail::parse_bytes(in, to);
//
// Lifetime:   nothing is kept.
// Errors:     nac_hex, at the number.
// Limits:     none.
// Allocation: what is read.

#ifndef TESSERA_NAC_DETAIL_HEX_HPP
#define TESSERA_NAC_DETAIL_HEX_HPP

#include <cstddef>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../print.hpp"
#include "lexer.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

inline constexpr std::size_t bytes_of_line = 32;  ///< that are printed in one number

inline void print_bytes(text& out, bytes b) {
  out << "0x";
  for (const std::byte v : b) {
    const auto n = static_cast<unsigned>(v);
    out << "0123456789abcdef"[n >> 4] << "0123456789abcdef"[n & 15];
  }
}

/// Lines of `bytes 0x…`.
inline void print_byte_lines(text& out, bytes b, std::string_view margin) {
  for (; !b.empty(); b = b.subspan(b.size() < bytes_of_line ? b.size() : bytes_of_line)) {
    out << margin << "bytes ";
    print_bytes(out, b.size() < bytes_of_line ? b : b.first(bytes_of_line));
    out << '\n';
  }
}

inline void parse_bytes(lexer& in, pool<std::byte>& to) {
  const token t = in.peek();
  std::string_view digits = t.text;
  if (t.kind != token_kind::number || digits.substr(0, 2) != "0x" || digits.size() % 2 != 0)
    return in.fail(errc::nac_hex);
  for (std::size_t i = 2; i < digits.size(); i += 2) {
    const unsigned high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high > 15 || low > 15) return in.fail(errc::nac_hex);
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  in.next();
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_HEX_HPP
