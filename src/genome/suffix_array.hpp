// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Suffixes of a text of numbers, sorted by their first `depth` symbols: the occurrences of a
// repeated string of at most that length are one range of the order.
//
//   std::vector<std::uint32_t> order = suffix_array(text, 26, 40);  // symbols from 0 to 25
//   std::vector<std::uint8_t> shared = common_prefixes(text, order, 40);
//
//   text        b a n a n a
//   order       5 3 1 0 4 2       a, ana, anana, banana, na, nana
//   shared      0 1 3 0 0 2       symbols that suffix order[i] has in common with the one before
//
// Sorted by prefix doubling (Manber and Myers, 1993): where groups of suffixes are in the order of
// their first h symbols, the ranks of what follows h symbols later sort each group by its first 2h.
// Groups of one are done with; the others are split over threads, as are prefixes. Where the first
// `depth` symbols are the same, the earlier suffix comes first.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc.
// Limits:     2^32 - 1 symbols.
// Allocation: at most 48 bytes for each symbol while it sorts, 5 for what it gives; time in
//             O(n log n log depth) at worst, close to O(n) where groups are small or don't part any
//             more, and in O(n depth) for the prefixes.

#ifndef TESSERA_GENOME_SUFFIX_ARRAY_HPP
#define TESSERA_GENOME_SUFFIX_ARRAY_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Symbols are below `symbols`; depth is at least 1.
[[nodiscard]] std::vector<std::uint32_t> suffix_array(std::span<const std::uint32_t> text,
                                                      std::uint32_t symbols, std::uint32_t depth,
                                                      unsigned threads = 1);

/// Counted up to `depth`.
[[nodiscard]] std::vector<std::uint8_t> common_prefixes(std::span<const std::uint32_t> text,
                                                        std::span<const std::uint32_t> order,
                                                        std::uint8_t depth, unsigned threads = 1);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SUFFIX_ARRAY_HPP
