// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the writer of an unknown word may have meant: the nearest of the words that are known.
//
//   nearest("rleu", nem::opcode_table);                           // "relu"
//   suggestion s("npm_lite_v3");                                  // where there is no table:
//   for (const nem::device& d : devices) s.offer(c.text_of(d.name));
//   s.word();                                                     // empty: nothing is near
//
//   step        a character added, left out or replaced, or two neighbours swapped
//   case        the case of ASCII letters counts nothing: "cstl" means "CSTL"
//   near        at most as many steps as a third of the longer word's characters
//
// Of several words that are as near, the first one offered is taken.
//
// Lifetime:   the word that is returned is the one that was offered.
// Errors:     none; an empty word where nothing is near.
// Limits:     words up to 32 characters; longer ones are near to nothing.
// Allocation: none.

#ifndef TESSERA_CORE_SUGGEST_HPP
#define TESSERA_CORE_SUGGEST_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
inline constexpr std::size_t max_suggestion = 32;  ///< characters of words that are compared

/// The nearest of the words that are offered. Lifetime: borrows them.
class suggestion {
 public:
  /// Looks for words near `word`.
  explicit constexpr suggestion(std::string_view word) noexcept : to_(word) {}

  /// Takes the candidate where it is nearer than those before.
  [[gnu::cold]] constexpr void offer(std::string_view candidate) noexcept {
    const std::size_t longer = to_.size() > candidate.size() ? to_.size() : candidate.size();
    const std::size_t shorter = to_.size() + candidate.size() - longer;
    if (shorter == 0 || longer > max_suggestion) return;
    const std::size_t third = longer / 3, most = third < best_ ? third : best_ - 1;
    if (best_ == 0 || longer - shorter > most) return;
    const std::size_t steps = distance(to_, candidate);
    if (steps <= most) best_ = steps, word_ = candidate;
  }
  /// The nearest one so far, empty where none is near.
  [[nodiscard]] constexpr std::string_view word() const noexcept { return word_; }

 private:
  [[nodiscard]] static constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  /// The steps from one word to the other: three rows of the table over both words' beginnings.
  [[nodiscard]] static constexpr std::size_t distance(std::string_view a,
                                                      std::string_view b) noexcept {
    std::uint8_t rows[3][max_suggestion + 1] = {};
    std::uint8_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (std::size_t k = 0; k <= b.size(); ++k) last[k] = static_cast<std::uint8_t>(k);
    for (std::size_t i = 0; i < a.size(); ++i) {
      row[0] = static_cast<std::uint8_t>(i + 1);
      const char x = lower(a[i]);
      for (std::size_t k = 0; k < b.size(); ++k) {
        const char y = lower(b[k]);
        unsigned steps = last[k] + (x == y ? 0u : 1u);
        if (last[k + 1] + 1u < steps) steps = last[k + 1] + 1u;
        if (row[k] + 1u < steps) steps = row[k] + 1u;
        if (i > 0 && k > 0 && x == lower(b[k - 1]) && y == lower(a[i - 1]) &&
            before[k - 1] + 1u < steps)
          steps = before[k - 1] + 1u;
        row[k + 1] = static_cast<std::uint8_t>(steps);
      }
      std::uint8_t* const free = before;
      before = last, last = row, row = free;
    }
    return last[b.size()];
  }

  std::string_view to_, word_;
  std::size_t best_ = max_suggestion + 1;  ///< steps to word_
};

/// The nearest word of a table, whose rows are words or have a `name` or a `key`.
template <class Row, std::size_t n>
[[nodiscard]] constexpr std::string_view nearest(std::string_view word,
                                                 const Row (&table)[n]) noexcept {
  suggestion s(word);
  for (const Row& r : table) {
    if constexpr (requires { s.offer(r.name); })
      s.offer(r.name);
    else if constexpr (requires { s.offer(r.key); })
      s.offer(r.key);
    else
      s.offer(r);
  }
  return s.word();
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SUGGEST_HPP
