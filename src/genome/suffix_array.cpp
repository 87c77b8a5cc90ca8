// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "suffix_array.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

/// Counting sort: `from` into `to`, by `rank` of each; what is equal keeps its order. `starts` is
/// scratch for as many ranks as there are.
void sort_by_rank(std::span<const std::uint32_t> from, std::span<const std::uint32_t> rank,
                  std::vector<std::uint32_t>& starts, std::span<std::uint32_t> to) {
  std::fill(starts.begin(), starts.end(), 0);
  for (const std::uint32_t r : rank) ++starts[r];
  std::uint32_t sum = 0;
  for (std::uint32_t& s : starts) sum += std::exchange(s, sum);
  for (const std::uint32_t i : from) to[starts[rank[i]]++] = i;
}

}  // namespace

std::vector<std::uint32_t> suffix_array(std::span<const std::uint32_t> text, std::uint32_t symbols,
                                        std::uint32_t depth) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::vector<std::uint32_t> order(size), other(size), rank(text.begin(), text.end());
  std::vector<std::uint32_t> starts(symbols);
  for (std::uint32_t i = 0; i < size; ++i) other[i] = i;
  sort_by_rank(other, rank, starts, order);

  for (std::uint32_t sorted = 1; sorted < depth;) {
    // Suffixes are in the order of their first `sorted` symbols, and numbered by them.
    const std::uint32_t step = std::min(sorted, depth - sorted);
    // By the symbols from `step` on: suffixes that end before, then the others in their order.
    std::uint32_t at = 0;
    for (std::uint32_t i = step < size ? size - step : 0; i < size; ++i) other[at++] = i;
    for (const std::uint32_t i : order)
      if (i >= step) other[at++] = i - step;
    sort_by_rank(other, rank, starts, order);
    sorted += step;
    if (sorted == depth) break;

    // Both halves the same: the same rank. `other` takes the new ones.
    std::uint32_t ranks = 0;
    const auto second = [&](std::uint32_t i) {
      return size - i > step ? std::uint64_t{rank[i + step]} + 1 : 0;
    };
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t p = order[i];
      if (i != 0 && !(rank[order[i - 1]] == rank[p] && second(order[i - 1]) == second(p))) ++ranks;
      other[p] = ranks;
    }
    rank.swap(other);
    if (size == 0 || ranks == size - 1) break;  // all differ
    starts.resize(std::size_t{ranks} + 1);
  }
  return order;
}

std::vector<std::uint8_t> common_prefixes(std::span<const std::uint32_t> text,
                                          std::span<const std::uint32_t> order,
                                          std::uint8_t depth) {
  std::vector<std::uint8_t> shared(order.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t a = order[i - 1], b = order[i];
    const std::size_t most = std::min<std::size_t>(depth, text.size() - std::max(a, b));
    std::size_t length = 0;
    while (length < most && text[a + length] == text[b + length]) ++length;
    shared[i] = static_cast<std::uint8_t>(length);
  }
  return shared;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
