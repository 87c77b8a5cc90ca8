// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Keys and their numbers, from 0 on in the order in which they came.
//
//   numbered<edge> edges;
//   std::uint32_t i = edges.add({from, to});     // the same for the same key
//   edges[i].from;
//
// A key is plain, compares with ==, and gives two words that identify it: key.words(). Numbers
// don't depend on the table that finds them.
//
// Lifetime:   owns its keys.
// Errors:     std::bad_alloc, std::length_error beyond the limit.
// Limits:     2^32 - 2 keys.
// Allocation: the keys, and 4 to 8 bytes for each.

#ifndef TESSERA_GENOME_NUMBERED_HPP
#define TESSERA_GENOME_NUMBERED_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tessera/core/keyed_hash.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

template <class Key>
class numbered {
 public:
  [[nodiscard]] std::uint32_t add(const Key& key) {
    if (4 * (keys_.size() + 1) > 3 * slots_.size()) grow();
    const std::size_t at = find(key);
    if (slots_[at] != 0) return slots_[at] - 1;
    if (keys_.size() == 0xfffffffeu) throw std::length_error("too many keys");
    keys_.push_back(key);
    slots_[at] = static_cast<std::uint32_t>(keys_.size());
    return slots_[at] - 1;
  }
  [[nodiscard]] const Key& operator[](std::size_t i) const noexcept { return keys_[i]; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(keys_.size());
  }
  /// Bytes that it holds.
  [[nodiscard]] std::uint64_t memory() const noexcept {
    return keys_.capacity() * sizeof(Key) + slots_.capacity() * sizeof(slots_[0]);
  }

 private:
  /// The slot of a key, or the one that it gets.
  [[nodiscard]] std::size_t find(const Key& key) const noexcept {
    const auto [x, y] = key.words();
    std::size_t at = static_cast<std::size_t>(hash_(x, y)) & (slots_.size() - 1);
    while (slots_[at] != 0 && !(keys_[slots_[at] - 1] == key)) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      slots_[find(keys_[i])] = static_cast<std::uint32_t>(i) + 1;
  }

  hash_key hash_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> slots_;  // numbers plus 1; a power of two of them, some free
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_NUMBERED_HPP
