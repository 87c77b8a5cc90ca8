// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names of a document, each kept once.
//
//   nem::detail::name_index names(document, source.size());
//   std::uint32_t a = names.of_text("t0");       // 0
//   std::uint32_t b = names.of_text("t0");       // 0 again
//
// A table of 32-bit slots with open addressing: the low bits are the name's index + 1, the others
// some bits of its hash, so that nearly all comparisons of characters find what they look for. Names
// that are made to collide meet another seed.
//
// Lifetime:   borrows the document.
// Errors:     none.
// Limits:     fewer than 2^31 names.
// Allocation: up to 64 bytes a name while it reads, besides the document's own.

#ifndef TESSERA_NEM_READ_NAMES_HPP
#define TESSERA_NEM_READ_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../version.hpp"
#include "lexer.hpp"
#include "syntax.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class name_index {
 public:
  name_index(document& d, std::size_t source_size) : d_(d) {
    std::size_t slots = 64;
    while (slots < source_size / 64) slots *= 2;
    slots_.resize(slots);
  }

  /// The index of a word, which is added if it is new.
  [[nodiscard, gnu::always_inline]] std::uint32_t of(const word& w) {
    const std::uint64_t tail = w.size > 8 ? load_le<std::uint64_t>(w.last() - 8) : 0;
    const std::uint64_t h = hash(w.key, tail, w.text());
    const std::size_t mask = slots_.size() - 1;
    const std::uint32_t low = static_cast<std::uint32_t>(mask),
                        tag = static_cast<std::uint32_t>(h) & ~low;
    std::size_t i = static_cast<std::size_t>(h >> 32) & mask;
    unsigned steps = 0;
    for (std::uint32_t slot; (slot = slots_[i]) != 0; i = (i + 1) & mask, ++steps) {
      if ((slot & ~low) != tag) continue;
      const std::uint32_t index = (slot & low) - 1;
      const entry& e = entries_[index];
      if (e.head == w.key && e.tail == tail && e.size == w.size &&
          (w.size <= 16 || d_.name(index) == w.text())) [[likely]]
        return index;
    }
    return add(w, tail, h, i, steps);
  }
  /// The same for other characters.
  [[nodiscard]] std::uint32_t of_text(std::string_view s) {
    return of(word{s.data(), static_cast<std::uint32_t>(s.size()), key_of(s)});
  }

 private:
  struct entry {
    std::uint64_t head = 0, tail = 0;  ///< its first eight bytes, and its last if there are more
    std::uint32_t size = 0;
  };

  [[nodiscard, gnu::always_inline]] static std::uint64_t mixed(std::uint64_t h) noexcept {
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
  [[nodiscard, gnu::always_inline]] std::uint64_t hash(std::uint64_t head, std::uint64_t tail,
                                                       std::string_view s) const noexcept {
    std::uint64_t h = mixed((mixed(seed_ ^ head) + s.size()) ^ tail);
    if (s.size() > 16) [[unlikely]]
      h = hash_middle(h, s);
    return h * 0xff51afd7ed558ccdu;
  }
  [[nodiscard, gnu::noinline]] static std::uint64_t hash_middle(std::uint64_t h,
                                                                std::string_view s) noexcept {
    for (std::size_t i = 8; i + 8 < s.size(); i += 8)
      h = mixed(h ^ load_le<std::uint64_t>(s.data() + i));
    return h;
  }
  [[nodiscard, gnu::noinline]] std::uint32_t add(const word& w, std::uint64_t tail, std::uint64_t h,
                                                 std::size_t i, unsigned steps) {
    const auto index = static_cast<std::uint32_t>(d_.names.size());
    d_.names.push_back({static_cast<std::uint32_t>(d_.characters.size()), w.size});
    d_.characters << w.text();
    entries_.push_back({w.key, tail, w.size});
    slots_[i] = (static_cast<std::uint32_t>(h) & ~static_cast<std::uint32_t>(slots_.size() - 1)) |
                (index + 1);
    if (steps > 128 && seeds_ < 8) {
      ++seeds_;
      seed_ = h | 1;
      fill(slots_.size());
    } else if (2 * d_.names.size() >= slots_.size()) {
      fill(2 * slots_.size());
    }
    return index;
  }
  void fill(std::size_t slots) {
    if (slots != slots_.size()) slots_ = {}, slots_.resize(slots);
    std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(std::uint32_t));
    const std::size_t mask = slots - 1;
    const std::uint32_t low = static_cast<std::uint32_t>(mask);
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      const std::uint64_t h =
          hash(entries_[n].head, entries_[n].tail, d_.name(static_cast<std::uint32_t>(n)));
      std::size_t i = static_cast<std::size_t>(h >> 32) & mask;
      while (slots_[i] != 0) i = (i + 1) & mask;
      slots_[i] = (static_cast<std::uint32_t>(h) & ~low) | static_cast<std::uint32_t>(n + 1);
    }
  }

  document& d_;
  pool<std::uint32_t> slots_;
  pool<entry> entries_;
  std::uint64_t seed_ = 0x243f6a8885a308d3u;
  unsigned seeds_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_READ_NAMES_HPP
