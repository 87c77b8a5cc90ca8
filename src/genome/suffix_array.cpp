// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "suffix_array.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "parallel.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

constexpr std::uint32_t part_size = 1 << 15;  // suffixes that a thread takes at a time

/// Suffixes order[begin] to order[end - 1], which are equal as far as they are sorted.
struct group {
  std::uint32_t begin, end;
  [[nodiscard]] std::uint32_t size() const noexcept { return end - begin; }
};

constexpr std::size_t few_keys = 24;  // that are sorted as fast in any way

/// What a thread sorts with.
struct scratch {
  std::vector<std::uint64_t> keys, others;
};

class sorter {
 public:
  sorter(std::span<const std::uint32_t> text, unsigned threads)
      : size_(static_cast<std::uint32_t>(text.size())),
        threads_(threads),
        order_(size_),
        rank_(size_),
        scratch_(threads) {}

  std::vector<std::uint32_t> run(std::span<const std::uint32_t> text, std::uint32_t symbols,
                                 std::uint32_t depth) {
    sort_first(text, symbols);
    for (std::uint32_t sorted = 1; sorted < depth && !groups_.empty();) {
      const std::uint32_t step = std::min(sorted, depth - sorted);
      sorted += step;
      split(step);
    }
    return std::move(order_);
  }

 private:
  /// By the first symbol. The rank of a suffix is where its group starts.
  void sort_first(std::span<const std::uint32_t> text, std::uint32_t symbols) {
    std::vector<std::uint32_t> starts(std::size_t{symbols} + 1);
    for (const std::uint32_t symbol : text) ++starts[symbol + 1];
    for (std::uint32_t s = 0; s < symbols; ++s) {
      if (starts[s + 1] > 1) groups_.push_back({starts[s], starts[s] + starts[s + 1]});
      starts[s + 1] += starts[s];
    }
    for (std::uint32_t i = 0; i < size_; ++i) rank_[i] = starts[text[i]];
    for (std::uint32_t i = 0; i < size_; ++i) order_[starts[text[i]]++] = i;
  }

  /// All groups by the rank of what follows `step` symbols later. No rank changes before all have
  /// been looked at.
  void split(std::uint32_t step) {
    std::vector<std::size_t> parts{0};  // of groups, some part_size suffixes in each
    std::uint32_t sum = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      sum += groups_[g].size();
      if (sum < part_size && g + 1 < groups_.size()) continue;
      parts.push_back(g + 1);
      sum = 0;
    }
    std::vector<std::vector<group>> found(parts.size() - 1);
    parallel(threads_, found.size(), [&](unsigned thread, std::size_t part) {
      for (std::size_t g = parts[part]; g < parts[part + 1]; ++g)
        split(groups_[g], step, scratch_[thread], found[part]);
    });
    parallel(threads_, found.size(), [&](unsigned, std::size_t part) {
      for (const group g : found[part])
        if (rank_[order_[g.begin]] != g.begin)  // else they all have it already
          for (std::uint32_t k = g.begin; k < g.end; ++k) rank_[order_[k]] = g.begin;
    });
    groups_.clear();
    for (const std::vector<group>& part : found)
      for (const group g : part)
        if (g.size() > 1) groups_.push_back(g);
  }

  /// Keys, whose lower halves ascend. Where a large group parts, most of it often stays together: what
  /// two of three keys have in their upper halves is set apart, and only the others are sorted.
  static void sort(scratch& of) {
    std::vector<std::uint64_t>& keys = of.keys;
    if (keys.size() < few_keys) return std::sort(keys.begin(), keys.end());
    const std::uint64_t first = keys.front() >> 32, last = keys.back() >> 32;
    const std::uint64_t most = first == last ? first : keys[keys.size() / 2] >> 32;
    of.others.clear();
    std::size_t kept = 0;
    for (const std::uint64_t key : keys)
      if (key >> 32 == most)
        keys[kept++] = key;
      else
        of.others.push_back(key);
    std::sort(of.others.begin(), of.others.end());
    const auto less = std::lower_bound(of.others.begin(), of.others.end(), most << 32);
    const std::ptrdiff_t below = less - of.others.begin();
    const auto same = keys.begin() + static_cast<std::ptrdiff_t>(kept);
    if (below != 0) std::copy_backward(keys.begin(), same, same + below);
    std::copy(of.others.begin(), less, keys.begin());
    std::copy(less, of.others.end(), same + below);
  }

  void split(group g, std::uint32_t step, scratch& of, std::vector<group>& found) {
    std::vector<std::uint64_t>& keys = of.keys;
    keys.resize(g.size());
    std::uint64_t differ = 0;
    for (std::uint32_t k = 0; k < g.size(); ++k) {
      const std::uint32_t i = order_[g.begin + k];
      const std::uint64_t after = size_ - i > step ? std::uint64_t{rank_[i + step]} + 1 : 0;
      keys[k] = after << 32 | i;
      differ |= keys[k] ^ keys[0];
    }
    if (differ >> 32 == 0) return found.push_back(g);
    sort(of);
    std::uint32_t begin = g.begin;
    for (std::uint32_t k = g.begin; k < g.end; ++k) {
      const std::uint64_t key = keys[k - g.begin];
      order_[k] = static_cast<std::uint32_t>(key);
      if (k + 1 < g.end && key >> 32 == keys[k + 1 - g.begin] >> 32) continue;
      found.push_back({begin, k + 1});
      begin = k + 1;
    }
  }

  const std::uint32_t size_;
  const unsigned threads_;
  std::vector<std::uint32_t> order_, rank_;
  std::vector<group> groups_;     // of more than one suffix
  std::vector<scratch> scratch_;  // of each thread
};

}  // namespace

std::vector<std::uint32_t> suffix_array(std::span<const std::uint32_t> text, std::uint32_t symbols,
                                        std::uint32_t depth, unsigned threads) {
  return sorter(text, threads).run(text, symbols, depth);
}

std::vector<std::uint8_t> common_prefixes(std::span<const std::uint32_t> text,
                                          std::span<const std::uint32_t> order, std::uint8_t depth,
                                          unsigned threads) {
  std::vector<std::uint8_t> shared(order.size());
  const std::size_t parts = (order.size() + part_size - 1) / part_size;
  parallel(threads, parts, [&](unsigned, std::size_t part) {
    const std::size_t end = std::min(order.size(), (part + 1) * part_size);
    for (std::size_t i = std::max<std::size_t>(part * part_size, 1); i < end; ++i) {
      const std::size_t a = order[i - 1], b = order[i];
      const std::size_t max_length = std::min<std::size_t>(depth, text.size() - std::max(a, b));
      std::size_t length = 0;
      while (length < max_length && text[a + length] == text[b + length]) ++length;
      shared[i] = static_cast<std::uint8_t>(length);
    }
  });
  return shared;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
