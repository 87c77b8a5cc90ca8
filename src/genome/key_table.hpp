// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Sequences of 32-bit words and their numbers, from 0 on in the order in which they came.
//
//   key_table t;
//   t.add(words);        // {number, whether it is new}
//   t.find(words);       // its number, or key_table::none
//
// Lifetime:   owns its words.
// Errors:     std::bad_alloc.
// Limits:     2^32 - 1 sequences; the caller keeps to fewer.
// Allocation: the words, 8 bytes for each sequence, and 8 to 16 more for where it is found.

#ifndef TESSERA_GENOME_KEY_TABLE_HPP
#define TESSERA_GENOME_KEY_TABLE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tessera/core/bytes.hpp"
#include "tessera/core/keyed_hash.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

class key_table {
 public:
  using key = std::span<const std::uint32_t>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(firsts_.size() - 1);
  }
  [[nodiscard]] key operator[](std::uint32_t i) const noexcept {
    return {words_.data() + firsts_[i], static_cast<std::size_t>(firsts_[i + 1] - firsts_[i])};
  }
  [[nodiscard]] std::size_t words() const noexcept { return words_.size(); }

  [[nodiscard]] std::uint32_t find(key k) const noexcept {
    if (places_.empty()) return none;
    return places_[place_of(k, hash(k))].number;
  }
  std::pair<std::uint32_t, bool> add(key k) {
    if (places_.size() < 2 * (std::size_t{size()} + 1)) grow();
    const std::uint32_t h = hash(k);
    place& at = places_[place_of(k, h)];
    if (at.number != none) return {at.number, false};
    words_.insert(words_.end(), k.begin(), k.end());
    firsts_.push_back(words_.size());
    at = {h, size() - 1};
    return {at.number, true};
  }
  void clear() { *this = {}; }

 private:
  struct place {
    std::uint32_t hash = 0, number = none;
  };
  [[nodiscard]] static std::uint32_t hash(key k) noexcept {
    return static_cast<std::uint32_t>(keyed_hash(as_text(std::as_bytes(k))));
  }
  [[nodiscard]] std::size_t place_of(key k, std::uint32_t h) const noexcept {
    std::size_t i = h & (places_.size() - 1);
    while (places_[i].number != none &&
           (places_[i].hash != h || !same((*this)[places_[i].number], k)))
      i = (i + 1) & (places_.size() - 1);
    return i;
  }
  [[nodiscard]] static bool same(key a, key b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
  }
  void grow() {
    std::vector<place> old(places_.empty() ? 64 : 2 * places_.size());
    old.swap(places_);
    for (const place& p : old) {
      if (p.number == none) continue;
      std::size_t i = p.hash & (places_.size() - 1);
      while (places_[i].number != none) i = (i + 1) & (places_.size() - 1);
      places_[i] = p;
    }
  }

  std::vector<std::uint32_t> words_;
  std::vector<std::uint64_t> firsts_{0};
  std::vector<place> places_;  // a power of two, at most half full
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_KEY_TABLE_HPP
