// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Base64 (RFC 4648, section 4), strictly: signatures and the patterns of registries are kept in it.
//
//   tessera::pool<std::byte> bytes;
//   tessera::error e = genome::detail::decode_base64("AgEAAAA=", bytes);   // 02 01 00 00 00
//   tessera::text line;
//   genome::detail::encode_base64(bytes, line);                            // appends AgEAAAA=
//
//   characters   A to Z, a to z, 0 to 9, + and /; nothing else between them
//   groups       of 4; the last may end in = or ==, and bits that no byte has are 0
//
// So every sequence of bytes has one text.
//
// Lifetime:   none is kept.
// Errors:     genome_base64_character at the character, genome_base64_end at the group of 4; what was
//             decoded until then stays.
// Limits:     none.
// Allocation: what the output grows by: 3 bytes for each 4 characters.

#ifndef TESSERA_GENOME_DETAIL_BASE64_HPP
#define TESSERA_GENOME_DETAIL_BASE64_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

inline constexpr std::string_view base64_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The values of characters; 64 for `=`, 255 for those that base64 doesn't have.
struct base64_values {
  std::uint8_t of[256];
  consteval base64_values() noexcept : of{} {
    for (std::uint8_t& v : of) v = 255;
    for (std::uint8_t v = 0; v < 64; ++v) of[static_cast<unsigned char>(base64_characters[v])] = v;
    of[static_cast<unsigned char>('=')] = 64;
  }
};
inline constexpr base64_values base64_value;

/// A text without the white space around it.
[[nodiscard]] constexpr std::string_view without_space(std::string_view s) noexcept {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// Whether a source consists of characters of base64, white space around them aside.
[[nodiscard]] constexpr bool is_base64(std::string_view source) noexcept {
  const std::string_view inner = without_space(source);
  for (const char c : inner)
    if (base64_value.of[static_cast<unsigned char>(c)] == 255) return false;
  return !inner.empty();
}

/// Where decoded byte `at` is in the text: the start of its group.
[[nodiscard]] constexpr std::uint64_t base64_group(std::uint64_t at) noexcept { return at / 3 * 4; }

/// Appends the bytes of `source`. The error's offset is into it.
[[nodiscard]] inline error decode_base64(std::string_view source, pool<std::byte>& out) {
  for (std::size_t at = 0; at < source.size(); at += 4) {
    const std::string_view group = source.substr(at, 4);
    std::uint32_t bits = 0, characters = 0;  // how many come before the first =
    bool padded = false, mixed = false;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::uint8_t v = base64_value.of[static_cast<unsigned char>(group[i])];
      if (v == 255) return {errc::genome_base64_character, at + i};
      bits = bits << 6 | (v & 63u);
      if (v == 64) {
        padded = true;
      } else {
        mixed = mixed || padded;
        ++characters;
      }
    }
    const bool last = source.size() - at <= 4;
    const std::uint32_t unused = characters == 2 ? 0xffff : characters == 3 ? 0xff : 0;
    if (group.size() != 4 || mixed || characters < 2 || (padded && !last) || (bits & unused) != 0)
      return {errc::genome_base64_end, at};
    std::byte* const to = out.prepare(3);
    to[0] = static_cast<std::byte>(bits >> 16);
    to[1] = static_cast<std::byte>(bits >> 8 & 0xff);
    to[2] = static_cast<std::byte>(bits & 0xff);
    out.advance(characters - 1);
  }
  return {};
}

/// Appends the text of `source`.
inline void encode_base64(bytes source, text& out) {
  for (std::size_t at = 0; at < source.size(); at += 3) {
    const std::size_t left = source.size() - at;
    const auto byte = [&](std::size_t i) {
      return i < left ? std::to_integer<std::uint32_t>(source[at + i]) : 0;
    };
    const std::uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    char* const to = out.prepare(4);
    to[0] = base64_characters[bits >> 18];
    to[1] = base64_characters[bits >> 12 & 63];
    to[2] = left > 1 ? base64_characters[bits >> 6 & 63] : '=';
    to[3] = left > 2 ? base64_characters[bits & 63] : '=';
    out.advance(4);
  }
}

}  // namespace genome::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_BASE64_HPP
