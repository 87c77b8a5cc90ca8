// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How often a graph holds each gene, when occurrences share no node.
//
//   disjoint_counter c(max_nodes);
//   c.begin_graph();
//   c.add(gene, ascending_nodes);  // … all sets of one first node, then
//   c.end_first();                 // … and the same for the next
//   c.end_graph();                 // the counts
//
// Lifetime:   counts, until the next graph.
// Errors:     std::bad_alloc.
// Limits:     genes and nodes below 2^32 - 1.
// Allocation: 40 bytes for each gene and 4 for each of its nodes; 16 to 40 for each node that is taken.

#ifndef TESSERA_GENOME_DISJOINT_COUNTER_HPP
#define TESSERA_GENOME_DISJOINT_COUNTER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/core/keyed_hash.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Pairs of 32-bit words that are marked, until clear().
class pair_marks {
 public:
  [[nodiscard]] bool has(std::uint32_t a, std::uint32_t b) const noexcept {
    return !taken_.empty() && places_[place_of(key(a, b))] != 0;
  }
  void add(std::uint32_t a, std::uint32_t b);
  void clear() noexcept;

 private:
  /// Never 0: the first word is below 2^32 - 1.
  [[nodiscard]] static std::uint64_t key(std::uint32_t a, std::uint32_t b) noexcept {
    return (std::uint64_t{a} + 1) << 32 | b;
  }
  [[nodiscard]] std::size_t place_of(std::uint64_t k) const noexcept;

  std::vector<std::uint64_t> places_;  // a power of two, at most half full
  std::vector<std::size_t> taken_;
};

/// How many occurrences of each gene can be had of a graph without sharing nodes, when they are taken
/// by their ascending nodes, the smallest first. Sets come by their first node, in any order for it.
class disjoint_counter {
 public:
  struct count {
    std::uint32_t gene = 0, occurrences = 0;
    std::uint32_t firsts = 0;  ///< nodes that are the first of a set: occurrences are no more
  };
  /// A set that was counted.
  struct occurrence_set {
    std::uint32_t gene = 0;
    std::vector<std::uint32_t> nodes;
  };
  explicit disjoint_counter(std::uint32_t nodes, bool keeps_sets = false)
      : stride_(nodes), keeps_sets_(keeps_sets) {}

  void begin_graph() {
    ++graph_;
    sets_.clear();
  }
  void add(std::uint32_t gene, std::span<const std::uint32_t> ascending);
  /// All sets of this first node have come.
  void end_first();
  /// Of the graph, in the order in which genes came; only valid until the next graph.
  [[nodiscard]] std::span<const count> end_graph();
  /// What was counted of the graph, where sets are kept.
  [[nodiscard]] std::span<const occurrence_set> sets() const noexcept { return sets_; }

 private:
  struct slot {
    std::uint64_t graph = 0, first = 0;  // where `count` and `best` are from
    std::uint32_t count = 0, firsts = 0, size = 0;
  };
  std::uint32_t stride_;
  bool keeps_sets_;
  std::uint64_t graph_ = 0, first_ = 1;
  std::vector<slot> slots_;
  std::vector<std::uint32_t> best_, now_, in_graph_;
  pair_marks used_;  // gene and node
  std::vector<count> counts_;
  std::vector<occurrence_set> sets_;
};

inline std::size_t pair_marks::place_of(std::uint64_t k) const noexcept {
  std::size_t i = static_cast<std::size_t>(keyed_hash(k)) & (places_.size() - 1);
  while (places_[i] != 0 && places_[i] != k) i = (i + 1) & (places_.size() - 1);
  return i;
}

inline void pair_marks::add(std::uint32_t a, std::uint32_t b) {
  if (places_.size() < 2 * (taken_.size() + 1)) {
    std::vector<std::uint64_t> old(places_.empty() ? 64 : 2 * places_.size());
    old.swap(places_);
    for (std::size_t& i : taken_) {
      const std::uint64_t k = old[i];
      i = place_of(k);
      places_[i] = k;
    }
  }
  const std::size_t i = place_of(key(a, b));
  if (places_[i] != 0) return;
  places_[i] = key(a, b);
  taken_.push_back(i);
}

inline void pair_marks::clear() noexcept {
  for (const std::size_t i : taken_) places_[i] = 0;
  taken_.clear();
}

inline void disjoint_counter::add(std::uint32_t gene, std::span<const std::uint32_t> ascending) {
  if (gene >= slots_.size()) {
    slots_.resize(std::size_t{gene} + 1);
    best_.resize(slots_.size() * stride_);
  }
  slot& s = slots_[gene];
  if (s.graph != graph_) {
    s.graph = graph_;
    s.count = s.firsts = 0;
    in_graph_.push_back(gene);
  }
  if (s.first != first_) {
    s.first = first_;
    s.size = 0;
    ++s.firsts;
    now_.push_back(gene);
  }
  std::uint32_t* const best = best_.data() + std::size_t{gene} * stride_;
  if (s.size != 0 &&
      !std::lexicographical_compare(ascending.begin(), ascending.end(), best, best + s.size))
    return;
  if (s.count != 0)
    for (const std::uint32_t v : ascending)
      if (used_.has(gene, v)) return;
  std::copy(ascending.begin(), ascending.end(), best);
  s.size = static_cast<std::uint32_t>(ascending.size());
}

inline void disjoint_counter::end_first() {
  for (const std::uint32_t gene : now_) {
    slot& s = slots_[gene];
    if (s.size == 0) continue;
    ++s.count;
    const std::uint32_t* const best = best_.data() + std::size_t{gene} * stride_;
    for (std::uint32_t k = 1; k < s.size; ++k) used_.add(gene, best[k]);  // the first is passed
    if (keeps_sets_) sets_.push_back({gene, std::vector<std::uint32_t>(best, best + s.size)});
  }
  now_.clear();
  ++first_;
}

inline std::span<const disjoint_counter::count> disjoint_counter::end_graph() {
  counts_.clear();
  for (const std::uint32_t gene : in_graph_)
    counts_.push_back({gene, slots_[gene].count, slots_[gene].firsts});
  used_.clear();
  in_graph_.clear();
  return counts_;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DISJOINT_COUNTER_HPP
