// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names of a model, each kept once.
//
//   nem::detail::name_index names(model, source.size());
//   std::uint32_t a = names.of_text("t0");       // 0
//   std::uint32_t b = names.of_text("t0");       // 0 again
//
// A table of 32-bit slots with open addressing: the low bits are the name's index + 1, the others
// some bits of its hash, so that nearly all comparisons of names find what they look for; those are
// of two numbers for up to sixteen characters. Programs that other programs wrote number their
// names: what differs in its last character is near in the table, so that they go through it and
// not around in it. Hashes are keyed, so that no names can be made to collide.
//
// Lifetime:   borrows the model.
// Errors:     none.
// Limits:     fewer than 2^31 names.
// Allocation: up to 64 bytes a name while it reads, besides the model's own.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../../core/keyed_hash.hpp"
#include "../../../core/load_store.hpp"
#include "../../../core/pool.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "word.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class name_index {
 public:
  name_index(model& d, std::size_t source_size) : d_(d) {
    std::size_t slots = 64;
    while (slots < source_size / 24) slots *= 2;
    fill(slots);
    d_.names.reserve(slots / 4);
    d_.characters.reserve(source_size / 16);
    entries_.reserve(slots / 4);
  }

  /// The index of a word, which is added if it is new.
  [[nodiscard, gnu::always_inline]] std::uint32_t of(word w) {
    return of(w.first, w.size, w.key, w.more);
  }
  /// The same for other characters.
  [[nodiscard]] std::uint32_t of_text(std::string_view s) { return of(word_of(s)); }

 private:
  /// What distinguishes names: their characters up to sixteen. Longer ones have the key 0, which no
  /// word has, and a hash.
  struct entry {
    std::uint64_t key = 0, more = 0;
  };

  /// Nearly all names that were met before are in the first slot that they may be in, which is
  /// empty for nearly all others.
  [[nodiscard, gnu::noinline]] std::uint32_t of(const char* first, std::uint32_t size,
                                                std::uint64_t key, std::uint64_t more) {
    if (size - 1 < 16) [[likely]] {
      const std::uint32_t h = hash(key, more, first, size), low = mask_;
      const std::uint32_t slot = slots_.data()[h & low];
      if (slot == 0) return add(first, size, key, more, h, h & low);
      if ((slot ^ h) <= low) [[likely]] {
        const std::uint32_t index = (slot & low) - 1;
        const entry& e = entries_.data()[index];
        if (e.key == key && e.more == more) [[likely]]
          return index;
      }
    }
    return find_or_add(first, size, key, more);
  }
  [[nodiscard, gnu::noinline]] std::uint32_t find_or_add(const char* first, std::uint32_t size,
                                                         std::uint64_t key, std::uint64_t more) {
    if (size > 16) [[unlikely]] {
      key = 0;
      more = hash_long(first, size);
    }
    const std::uint32_t h = hash_of(key, more, first, size), low = mask_;
    std::uint32_t i = h & low;
    for (std::uint32_t slot; (slot = slots_[i]) != 0; i = (i + step) & low) {
      if ((slot ^ h) > low) continue;
      const std::uint32_t index = (slot & low) - 1;
      if (entries_[index].key == key && entries_[index].more == more &&
          (size <= 16 || d_.name(index) == std::string_view(first, size)))
        return index;
    }
    return add(first, size, key, more, h, i);
  }
  /// A new name, into slot `i`.
  [[nodiscard, gnu::noinline]] std::uint32_t add(const char* first, std::uint32_t size,
                                                 std::uint64_t key, std::uint64_t more,
                                                 std::uint32_t h, std::uint32_t i) {
    const auto index = static_cast<std::uint32_t>(d_.names.size());
    slots_[i] = (h & ~mask_) | (index + 1);
    *d_.names.prepare(1) = {static_cast<std::uint32_t>(d_.characters.size()), size};
    d_.names.advance(1);
    *entries_.prepare(1) = {key, more};
    entries_.advance(1);
    char* const to = d_.characters.prepare(size < 16 ? 16 : size);
    if (size <= 16) {
      store_le(to, key);
      store_le(to + 8, more);
    } else {
      std::memcpy(to, first, size);
    }
    d_.characters.advance(size);
    if (index >= mask_ / 2) [[unlikely]]  // half full
      fill(2 * slots_.size());
    return index;
  }

  [[nodiscard, gnu::always_inline]] std::uint32_t hash(std::uint64_t key,
                                                       std::uint64_t more) const noexcept {
    return static_cast<std::uint32_t>(hash_(key, more));
  }
  /// Of a name of 1 to 16: of what is before its last character, which decides where near that.
  [[nodiscard, gnu::always_inline]] std::uint32_t hash(std::uint64_t key, std::uint64_t more,
                                                       const char* first,
                                                       std::uint32_t size) const noexcept {
    return hash(key & masks_of_words.key[size - 1], more & masks_of_words.more[size - 1]) ^
           static_cast<unsigned char>(first[size - 1]);
  }
  [[nodiscard]] std::uint32_t hash_of(std::uint64_t key, std::uint64_t more, const char* first,
                                      std::uint32_t size) const noexcept {
    return size - 1 < 16 ? hash(key, more, first, size) : hash(key, more);
  }
  [[nodiscard]] std::uint64_t hash_long(const char* first, std::uint32_t size) const noexcept {
    return hash_(std::string_view(first, size)) | 1;  // so that it isn't the empty name's
  }
  [[gnu::cold]] void fill(std::size_t slots) {
    if (slots != slots_.size()) {
      slots_ = {};
      (void)slots_.prepare(slots);
      slots_.advance(slots);
    }
    std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(std::uint32_t));
    mask_ = static_cast<std::uint32_t>(slots - 1);
    for (std::uint32_t n = 0; n < d_.names.size(); ++n) {
      const entry& e = entries_[n];
      const std::string_view s = d_.name(n);
      const std::uint32_t h = hash_of(e.key, e.more, s.data(), d_.names[n].size);
      std::uint32_t i = h & mask_;
      while (slots_[i] != 0) i = (i + step) & mask_;
      slots_[i] = (h & ~mask_) | (n + 1);
    }
  }

  static constexpr std::uint32_t step = 17;  ///< past numbered neighbours; odd, to meet each slot

  model& d_;
  pool<std::uint32_t> slots_;
  pool<entry> entries_;
  std::uint32_t mask_ = 0;  ///< slots - 1
  const hash_key hash_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP
