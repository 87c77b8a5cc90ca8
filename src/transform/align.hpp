// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The best alignment of two sequences: pairs in order, with few interruptions.
//
//   auto pairs = align(n, m, [&](std::uint32_t i, std::uint32_t j) { return a[i] == b[j] ? 3 : 0; });
//
// A pair counts its score; each run without a partner costs `gap_cost`. Of equal alignments, the one
// whose runs come last: what repeats is paired from the front.
//
// Lifetime:   nothing is kept.
// Errors:     none where there are more than max_aligned pairs to choose from.
// Limits:     max_aligned.
// Allocation: a byte for each pair to choose from.

#ifndef TESSERA_TRANSFORM_ALIGN_HPP
#define TESSERA_TRANSFORM_ALIGN_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace transform {

inline constexpr std::uint64_t max_aligned = std::uint64_t{1} << 26;
inline constexpr std::int64_t gap_cost = 2;

/// `score` is 0 where i and j can't be a pair.
template <class Score>
[[nodiscard]] std::optional<std::vector<std::pair<std::uint32_t, std::uint32_t>>> align(
    std::uint32_t n, std::uint32_t m, const Score& score) {
  // The last step of an alignment: a pair, or a run of the first or second sequence.
  enum step : std::uint8_t { pair = 0, first = 1, second = 2 };
  constexpr std::int64_t never = std::int64_t{-1} << 60;
  const std::uint64_t width = std::uint64_t{m} + 1;
  if ((std::uint64_t{n} + 1) * width > max_aligned) return std::nullopt;
  const auto columns = static_cast<std::size_t>(width);
  struct cell {
    std::int64_t best[3] = {never, never, never};
  };
  const auto choose = [](std::int64_t(&of)[3]) {
    step s = pair;
    if (of[first] >= of[s]) s = first;
    if (of[second] >= of[s]) s = second;
    return s;
  };
  // Of each last step: the one before, in two bits.
  std::vector<std::uint8_t> from((std::size_t{n} + 1) * columns);
  std::vector<cell> row(columns), previous(columns);
  for (std::uint32_t i = 0; i <= n; ++i) {
    for (std::uint32_t j = 0; j <= m; ++j) {
      cell& c = row[j];
      c = {};
      std::uint8_t& back = from[i * columns + j];
      if (i == 0 && j == 0) c.best[pair] = 0;
      const auto extend = [&](step by, const cell& of) {
        std::int64_t after[3];
        for (const step s : {pair, first, second})
          after[s] = of.best[s] - (by == pair || by == s ? 0 : gap_cost);
        const step s = choose(after);
        c.best[by] = after[s];
        back = static_cast<std::uint8_t>(back | s << (2 * by));
      };
      if (i != 0 && j != 0) {
        if (const std::int64_t gain = score(i - 1, j - 1); gain > 0) {
          extend(pair, previous[j - 1]);
          c.best[pair] += gain;
        }
      }
      if (i != 0) extend(first, previous[j]);
      if (j != 0) extend(second, row[j - 1]);
    }
    std::swap(row, previous);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  step last = choose(previous[m].best);
  for (std::uint32_t i = n, j = m; i != 0 || j != 0;) {
    const auto before = static_cast<step>(from[i * columns + j] >> (2 * last) & 3);
    if (last == pair) out.emplace_back(i - 1, j - 1);
    if (last != second) --i;
    if (last != first) --j;
    last = before;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_ALIGN_HPP
