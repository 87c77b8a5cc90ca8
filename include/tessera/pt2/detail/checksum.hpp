// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The checksum of members of archives: CRC-32 with the reversed polynomial 0xedb88320.

#ifndef TESSERA_PT2_DETAIL_CHECKSUM_HPP
#define TESSERA_PT2_DETAIL_CHECKSUM_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/bytes.hpp"
#include "../../core/load_store.hpp"
#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Row k: what a byte adds when k bytes follow it in a step of eight.
struct crc_table {
  std::uint32_t rows[8][256];
};
[[nodiscard]] consteval crc_table make_crc_table() noexcept {
  crc_table t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
    t.rows[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = t.rows[k - 1][i];
      t.rows[k][i] = t.rows[0][before & 0xff] ^ before >> 8;
    }
  return t;
}
inline constexpr crc_table crc_rows = make_crc_table();

[[nodiscard]] inline std::uint32_t crc32(bytes of) noexcept {
  std::uint32_t c = 0xffffffffu;
  const std::byte* at = of.data();
  std::size_t left = of.size();
  const auto& t = crc_rows.rows;
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t a = load_le<std::uint32_t>(at) ^ c, b = load_le<std::uint32_t>(at + 4);
    c = t[7][a & 0xff] ^ t[6][a >> 8 & 0xff] ^ t[5][a >> 16 & 0xff] ^ t[4][a >> 24] ^
        t[3][b & 0xff] ^ t[2][b >> 8 & 0xff] ^ t[1][b >> 16 & 0xff] ^ t[0][b >> 24];
  }
  for (; left != 0; --left, ++at)
    c = t[0][(c ^ std::to_integer<std::uint32_t>(*at)) & 0xff] ^ c >> 8;
  return ~c;
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_CHECKSUM_HPP
