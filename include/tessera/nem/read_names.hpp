// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The names of a document, each kept once.
//
//   nem::detail::name_index names(document, source.size());
//   std::uint32_t a = names.of("t0");       // 0
//   std::uint32_t b = names.of("t0");       // 0 again
//
// A table of 32-bit slots with open addressing: the low bits are the name's index + 1, the others
// some bits of its hash, so that nearly all comparisons of characters find what they look for. Names
// that are made to collide meet another seed.
//
// Lifetime:   borrows the document.
// Errors:     none.
// Limits:     fewer than 2^31 names.
// Allocation: 8 to 16 bytes a name, besides the document's own.

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

  /// The index of a name or string, which is added if it is new.
  [[nodiscard]] std::uint32_t of(std::string_view s) {
    const std::uint64_t h = hash(s);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = static_cast<std::size_t>(h >> 32) & mask;
    const std::uint32_t low = static_cast<std::uint32_t>(mask),
                        tag = static_cast<std::uint32_t>(h) & ~low;
    unsigned steps = 0;
    for (std::uint32_t slot; (slot = slots_[i]) != 0; i = (i + 1) & mask, ++steps)
      if ((slot & ~low) == tag && d_.name((slot & low) - 1) == s) return (slot & low) - 1;
    const auto index = static_cast<std::uint32_t>(d_.names.size());
    d_.names.push_back(
        {static_cast<std::uint32_t>(d_.characters.size()), static_cast<std::uint32_t>(s.size())});
    d_.characters << s;
    slots_[i] = tag | (index + 1);
    if (steps > 128 && seeds_ < 8) {
      ++seeds_;
      seed_ = hash(s) | 1;
      fill(slots_.size());
    } else if (2 * d_.names.size() >= slots_.size()) {
      fill(2 * slots_.size());
    }
    return index;
  }

 private:
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t h) noexcept {
    h *= 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
  }
  [[nodiscard]] std::uint64_t hash(std::string_view s) const noexcept {
    const char* p = s.data();
    std::size_t n = s.size();
    std::uint64_t h = seed_ + n;
    for (; n > 8; n -= 8, p += 8) h = mixed(h ^ load_le<std::uint64_t>(p));
    std::uint64_t rest = 0;
    if (n == 8) {
      rest = load_le<std::uint64_t>(p);
    } else if (n >= 4) {
      rest = load_le<std::uint32_t>(p) | std::uint64_t{load_le<std::uint32_t>(p + n - 4)} << 32;
    } else if (n != 0) {
      const auto byte = [p](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(p[i])};
      };
      rest = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
    }
    h = mixed(h ^ rest);
    return h * 0xff51afd7ed558ccdu;
  }
  void fill(std::size_t slots) {
    if (slots != slots_.size()) slots_.resize(slots);
    std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(std::uint32_t));
    const std::size_t mask = slots - 1;
    const std::uint32_t low = static_cast<std::uint32_t>(mask);
    for (std::size_t n = 0; n < d_.names.size(); ++n) {
      const std::uint64_t h = hash(d_.name(static_cast<std::uint32_t>(n)));
      std::size_t i = static_cast<std::size_t>(h >> 32) & mask;
      while (slots_[i] != 0) i = (i + 1) & mask;
      slots_[i] = (static_cast<std::uint32_t>(h) & ~low) | static_cast<std::uint32_t>(n + 1);
    }
  }

  document& d_;
  pool<std::uint32_t> slots_;
  std::uint64_t seed_ = 0x243f6a8885a308d3u;
  unsigned seeds_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_READ_NAMES_HPP
