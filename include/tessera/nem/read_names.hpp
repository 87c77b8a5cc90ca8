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
#include "syntax.hpp"
#include "word.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class name_index {
 public:
  name_index(document& d, std::size_t source_size) : d_(d) {
    std::size_t slots = 64;
    while (slots < source_size / 48) slots *= 2;
    fill(slots);
  }

  /// The index of a word, which is added if it is new.
  [[nodiscard, gnu::always_inline]] std::uint32_t of(word w) {
    return of(w.first, w.size, w.key, w.more);
  }
  /// The same for other characters.
  [[nodiscard]] std::uint32_t of_text(std::string_view s) { return of(word_of(s)); }

 private:
  struct entry {
    std::uint64_t key = 0, more = 0;  ///< as of words
    std::uint32_t size = 0;
  };

  /// The parts of a word stay in registers.
  [[nodiscard, gnu::noinline]] std::uint32_t of(const char* first, std::uint32_t size,
                                                std::uint64_t key, std::uint64_t more) {
    if (size > 16) [[unlikely]]
      return of_long(first, size, key, more);
    const std::uint32_t h = hash(key, more), low = mask_;
    const std::uint32_t* const slots = slots_.data();
    std::uint32_t i = h & low;
    for (std::uint32_t slot; (slot = slots[i]) != 0; i = (i + 1) & low) {
      if (((slot ^ h) & ~low) != 0) continue;
      const std::uint32_t index = (slot & low) - 1;
      const entry& e = entries_[index];
      if (e.key == key && e.more == more && e.size == size) [[likely]]
        return index;
    }
    return add(first, size, key, more);
  }
  [[nodiscard, gnu::cold, gnu::noinline]] std::uint32_t of_long(const char* first,
                                                                std::uint32_t size,
                                                                std::uint64_t key,
                                                                std::uint64_t more) {
    const std::uint32_t h = hash(first, size, key, more), low = mask_;
    std::uint32_t i = h & low;
    for (std::uint32_t slot; (slot = slots_[i]) != 0; i = (i + 1) & low) {
      if (((slot ^ h) & ~low) != 0) continue;
      const std::uint32_t index = (slot & low) - 1;
      if (entries_[index].size == size &&
          std::memcmp(d_.name(index).data(), first, size) == 0)
        return index;
    }
    return add(first, size, key, more);
  }

  [[nodiscard, gnu::always_inline]] static std::uint64_t mixed(std::uint64_t h) noexcept {
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
  [[nodiscard, gnu::always_inline]] std::uint32_t hash(std::uint64_t key,
                                                       std::uint64_t more) const noexcept {
    return static_cast<std::uint32_t>((mixed(seed_ ^ key) ^ more) * 0x9e3779b97f4a7c15u >> 32);
  }
  [[nodiscard]] std::uint32_t hash(const char* first, std::uint32_t size, std::uint64_t key,
                                   std::uint64_t more) const noexcept {
    if (size <= 16) return hash(key, more);
    std::uint64_t h = mixed(mixed(seed_ ^ key) ^ more) + size;
    for (std::uint32_t i = 16; i + 8 < size; i += 8)
      h = mixed(h ^ load_le<std::uint64_t>(first + i));
    return hash(h, load_le<std::uint64_t>(first + size - 8));
  }
  [[nodiscard, gnu::noinline]] std::uint32_t add(const char* first, std::uint32_t size,
                                                 std::uint64_t key, std::uint64_t more) {
    const auto index = static_cast<std::uint32_t>(d_.names.size());
    d_.names.push_back({static_cast<std::uint32_t>(d_.characters.size()), size});
    d_.characters << std::string_view(first, size);
    entries_.push_back({key, more, size});
    const unsigned steps = place(index);
    if (steps > 128 && seeds_ < 8) {
      ++seeds_;
      seed_ = mixed(seed_ ^ key ^ more) | 1;
      fill(slots_.size());
    } else if (2 * d_.names.size() >= slots_.size()) {
      fill(2 * slots_.size());
    }
    return index;
  }
  /// Puts a name into the first slot that is free. Returns how many weren't.
  unsigned place(std::uint32_t index) noexcept {
    const entry& e = entries_[index];
    const std::uint32_t h = hash(d_.name(index).data(), e.size, e.key, e.more);
    std::uint32_t i = h & mask_;
    unsigned steps = 0;
    for (; slots_[i] != 0; ++steps) i = (i + 1) & mask_;
    slots_[i] = (h & ~mask_) | (index + 1);
    return steps;
  }
  void fill(std::size_t slots) {
    if (slots != slots_.size()) {
      slots_ = {};
      (void)slots_.prepare(slots);
      slots_.advance(slots);
    }
    std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(std::uint32_t));
    mask_ = static_cast<std::uint32_t>(slots - 1);
    for (std::size_t n = 0; n < entries_.size(); ++n)
      (void)place(static_cast<std::uint32_t>(n));
  }

  document& d_;
  pool<std::uint32_t> slots_;
  pool<entry> entries_;
  std::uint32_t mask_ = 0;  ///< slots - 1
  std::uint64_t seed_ = 0x243f6a8885a308d3u;
  unsigned seeds_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_READ_NAMES_HPP
