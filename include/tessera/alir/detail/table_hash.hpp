// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The name that ALIR gives a lookup table: SHA-256 over its entries and fraction bits.
//
//   tessera::text hash = alir::table_hash(entries, 7);   // 64 hexadecimal digits
//
//   hashed   entries as little-endian int32, then the fraction bits of the lookup in decimal
//
// Equal hashes mean equal tables; no reader checks them. The format's compiler also hashes a mask
// of entries that are never reached when a table has one; files don't keep the mask, so such a
// table's hash can't be made again. SHA-256 is that of FIPS 180-4.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ALIR_DETAIL_TABLE_HASH_HPP
#define TESSERA_ALIR_DETAIL_TABLE_HASH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../core/bytes.hpp"
#include "../../core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {
namespace detail {

class sha256 {
 public:
  void update(bytes data) noexcept {
    for (const std::byte b : data) {
      block_[size_++ % 64] = static_cast<std::uint8_t>(b);
      if (size_ % 64 == 0) compress();
    }
  }
  [[nodiscard]] text hex() {
    const std::uint64_t bits = size_ * 8;
    const std::byte one{0x80}, zero{0};
    update({&one, 1});
    while (size_ % 64 != 56) update({&zero, 1});
    for (unsigned i = 8; i-- > 0;) {
      const auto b = static_cast<std::byte>(bits >> 8 * i);
      update({&b, 1});
    }
    text out;
    for (const std::uint32_t word : state_)
      for (unsigned i = 8; i-- > 0;) out << "0123456789abcdef"[word >> 4 * i & 15];
    return out;
  }

 private:
  void compress() noexcept {
    static constexpr std::uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    std::uint32_t w[64];
    for (unsigned i = 0; i < 16; ++i)
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    for (unsigned i = 16; i < 64; ++i)
      w[i] = w[i - 16] + w[i - 7] +
             (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
             (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::uint32_t s[8];
    std::memcpy(s, state_, sizeof s);
    for (unsigned i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
      const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t one = s[7] +
                                (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                choice + k[i] + w[i];
      const std::uint32_t two =
          (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      std::memmove(s + 1, s, 7 * sizeof *s);
      s[4] += one;
      s[0] = one + two;
    }
    for (unsigned i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint8_t block_[64];
  std::uint64_t size_ = 0;
};

}  // namespace detail

/// The hash of a table whose lookup has `fraction_bits` fraction bits.
[[nodiscard]] inline text table_hash(view<std::int32_t> entries, int fraction_bits) {
  detail::sha256 hash;
  for (const std::int32_t v : entries) {
    std::byte raw[4];
    store_le(raw, v);
    hash.update({raw, 4});
  }
  text f;
  f << fraction_bits;
  hash.update(as_bytes(f));
  return hash.hex();
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ALIR_DETAIL_TABLE_HASH_HPP
