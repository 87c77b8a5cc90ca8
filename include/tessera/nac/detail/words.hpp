// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/print.hpp.

#ifndef TESSERA_NAC_DETAIL_WORDS_HPP
#define TESSERA_NAC_DETAIL_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../print.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::assembly {

TESSERA_INLINE void short_index::set(std::uint16_t id, std::string_view text) noexcept {
  if (id > 255) return;
  texts_[id] = text;
  present_[id] = true;
  stale_ = true;
}

TESSERA_INLINE std::uint32_t short_index::find(std::string_view text) noexcept {
  if (stale_) rebuild();
  for (std::uint32_t slot = hash(text);; slot = (slot + 1) % slot_count) {
    const std::uint16_t id = slots_[slot];
    if (id == empty) return 256;
    if (texts_[id] == text) return id;
  }
}

TESSERA_INLINE std::uint32_t short_index::hash(std::string_view text) noexcept {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return (h ^ h >> 16) % slot_count;
}

TESSERA_INLINE void short_index::rebuild() noexcept {
  stale_ = false;
  for (std::uint16_t& slot : slots_) slot = empty;
  for (std::uint32_t id = 0; id < 256; ++id) {
    if (!present_[id]) continue;
    std::uint32_t slot = hash(texts_[id]);
    while (slots_[slot] != empty && texts_[slots_[slot]] != texts_[id])
      slot = (slot + 1) % slot_count;
    if (slots_[slot] == empty) slots_[slot] = static_cast<std::uint16_t>(id);
  }
}

}  // namespace nac::assembly
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WORDS_HPP
