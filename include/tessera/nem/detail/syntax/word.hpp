// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Words of a NEM source, sixteen characters at once.
//
//   const nem::detail::word w = nem::detail::scan_word(p, end);   // p is at a letter or _
//   w.key == nem::detail::make_key("let");                          // of words up to eight characters
//
// Where a word ends comes from one comparison of sixteen bytes; its characters as two numbers make
// comparing and hashing names cheap.
//
// Lifetime:   a word borrows the source.
// Errors:     none.
// Limits:     words below 4 GiB.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../../core/load_store.hpp"
#include "../../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A word of the source.
struct word {
  const char* first = nullptr;
  std::uint32_t size = 0;
  std::uint64_t key = 0;   ///< its first eight bytes, the first lowest
  std::uint64_t more = 0;  ///< the eight after them
  [[nodiscard]] std::string_view text() const noexcept { return {first, size}; }
  [[nodiscard]] const char* last() const noexcept { return first + size; }
};

/// The first eight bytes of a word as a number, the first lowest.
[[nodiscard]] constexpr std::uint64_t key_of(std::string_view s) noexcept {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < s.size() && i < 8; ++i)
    key |= std::uint64_t{static_cast<unsigned char>(s[i])} << 8 * i;
  return key;
}
/// The same of a word that is known, always a constant: GCC leaves calls of constexpr functions.
[[nodiscard]] consteval std::uint64_t make_key(std::string_view s) noexcept { return key_of(s); }

using byte_lanes [[gnu::vector_size(16)]] = unsigned char;
using truth_lanes [[gnu::vector_size(16)]] = signed char;

/// How many of sixteen truths, from the first on, hold.
[[nodiscard]] inline unsigned leading_anywhere(truth_lanes holds) noexcept {
  char raw[16];
  std::memcpy(raw, &holds, 16);
  const auto low = static_cast<unsigned>(std::countr_one(load_le<std::uint64_t>(raw)));
  if (low < 64) return low / 8;
  return 8 + static_cast<unsigned>(std::countr_one(load_le<std::uint64_t>(raw + 8))) / 8;
}
[[nodiscard, gnu::always_inline]] inline unsigned leading(truth_lanes holds) noexcept {
#if defined(__SSE2__)
  using char_lanes [[gnu::vector_size(16)]] = char;
  const int bits = __builtin_ia32_pmovmskb128(std::bit_cast<char_lanes>(holds));
  return static_cast<unsigned>(__builtin_ctz(~static_cast<unsigned>(bits)));  // at most 16
#else
  return leading_anywhere(holds);
#endif
}
/// How many of the sixteen bytes at `p` belong to a word.
[[nodiscard, gnu::always_inline]] inline unsigned word_bytes(const char* p) noexcept {
  byte_lanes x;
  std::memcpy(&x, p, 16);
  // Ranges end at 0x7f then, so that one signed comparison finds them.
  const auto letters = std::bit_cast<truth_lanes>((x | 0x20) + (0x7f - 'z'));
  const auto digits = std::bit_cast<truth_lanes>(x + (0x7f - '9'));
  return leading((letters > 0x7f - 26) | (digits > 0x7f - 10) | (x == '_'));
}
/// How many of them are blanks.
[[nodiscard, gnu::always_inline]] inline unsigned blank_bytes(const char* p) noexcept {
  byte_lanes x;
  std::memcpy(&x, p, 16);
  return leading((x == ' ') | (x == '\n') | (x == '\t') | (x == '\r'));
}

/// What of eight bytes, and of the eight after them, belongs to a word of 0 to 16.
struct word_masks {
  std::uint64_t key[17], more[17];
};
[[nodiscard]] consteval word_masks make_word_masks() noexcept {
  word_masks m{};
  for (unsigned i = 0; i <= 16; ++i) {
    m.key[i] = i >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * i) - 1;
    m.more[i] = i == 16 ? ~std::uint64_t{0} : i > 8 ? (std::uint64_t{1} << 8 * (i - 8)) - 1 : 0;
  }
  return m;
}
inline constexpr word_masks masks_of_words = make_word_masks();

/// The characters of `s` as a word, which needn't be one.
[[nodiscard]] inline word word_of(std::string_view s) noexcept {
  char raw[16] = {};
  if (!s.empty()) std::memcpy(raw, s.data(), s.size() < 16 ? s.size() : 16);
  return {s.data(), static_cast<std::uint32_t>(s.size()), load_le<std::uint64_t>(raw),
          load_le<std::uint64_t>(raw + 8)};
}
/// A word that is longer than sixteen bytes, or nearer than that to the end.
[[nodiscard, gnu::cold, gnu::noinline]] inline word scan_long_word(const char* first,
                                                                   const char* end) noexcept {
  const char* p = first;
  unsigned size = 16;
  while (size == 16 && end - p >= 16) p += size = word_bytes(p);
  if (size == 16 && p < end) {
    char raw[16] = {};
    std::memcpy(raw, p, static_cast<std::size_t>(end - p));
    p += word_bytes(raw);
  }
  return word_of({first, static_cast<std::size_t>(p - first)});
}
/// The word at `first`.
[[nodiscard, gnu::always_inline]] inline word scan_word(const char* first,
                                                        const char* end) noexcept {
  if (end - first >= 16) [[likely]] {
    const unsigned size = word_bytes(first);
    if (size < 16) [[likely]]
      return {first, size, load_le<std::uint64_t>(first) & masks_of_words.key[size],
              load_le<std::uint64_t>(first + 8) & masks_of_words.more[size]};
  }
  return scan_long_word(first, end);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP
