// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Texts of CMAP and PERM by their ids, and ids by their texts.

#ifndef TESSERA_NAC_DETAIL_SHORT_INDEX_HPP
#define TESSERA_NAC_DETAIL_SHORT_INDEX_HPP

#include <cstdint>
#include <string_view>

#include "../../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Texts of CMAP or PERM by their ids, and the least id of a text.
class short_index {
 public:
  short_index() noexcept = default;
  /// The last record of an id counts; ids above 255 name nothing.
  void set(std::uint16_t id, std::string_view text) noexcept;
  [[nodiscard]] bool has(std::uint32_t id) const noexcept { return id < 256 && present_[id]; }
  [[nodiscard]] std::string_view operator[](std::uint8_t id) const noexcept { return texts_[id]; }
  /// The least id whose text this is; 256 when there is none.
  [[nodiscard]] std::uint32_t find(std::string_view text) noexcept;

 private:
  static constexpr std::uint32_t slot_count = 1024;  // a quarter full at most
  static constexpr std::uint16_t empty = 0xffff;
  [[nodiscard]] static std::uint32_t hash(std::string_view text) noexcept;
  void rebuild() noexcept;
  std::string_view texts_[256];
  std::uint16_t slots_[slot_count] = {};
  bool present_[256] = {};
  bool stale_ = true;
};

inline void short_index::set(std::uint16_t id, std::string_view text) noexcept {
  if (id > 255) return;
  texts_[id] = text;
  present_[id] = true;
  stale_ = true;
}

inline std::uint32_t short_index::find(std::string_view text) noexcept {
  if (stale_) rebuild();
  for (std::uint32_t slot = hash(text);; slot = (slot + 1) % slot_count) {
    const std::uint16_t id = slots_[slot];
    if (id == empty) return 256;
    if (texts_[id] == text) return id;
  }
}

inline std::uint32_t short_index::hash(std::string_view text) noexcept {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return (h ^ h >> 16) % slot_count;
}

inline void short_index::rebuild() noexcept {
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

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SHORT_INDEX_HPP
