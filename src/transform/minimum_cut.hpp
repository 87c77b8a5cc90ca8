// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The minimum cut between two nodes of a directed graph: Dinic's algorithm, without recursion.
//
//   minimum_cut cut(nodes, source, sink);
//   cut.add_arc(a, b, 3);
//   if (cut.run(work)) cut.is_source_side(a);   // of the smallest such side
//   cut.add_arc(b, c, minimum_cut::unlimited);  // and run again, from the flow so far
//
// Lifetime:   owns everything.
// Errors:     run() ends without an answer when its work is used up.
// Limits:     2^31 arcs; capacities that add up to less than `unlimited`.
// Allocation: 32 bytes for each arc, 16 for each node.

#ifndef TESSERA_TRANSFORM_MINIMUM_CUT_HPP
#define TESSERA_TRANSFORM_MINIMUM_CUT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

class minimum_cut {
 public:
  using node = std::uint32_t;
  static constexpr std::int64_t unlimited = std::int64_t{1} << 60;

  minimum_cut(std::size_t nodes, node source, node sink)
      : source_(source), sink_(sink), first_(nodes, none), level_(nodes, none), next_(nodes) {}

  void add_arc(node from, node to, std::int64_t capacity) {
    add_half(from, to, capacity);
    add_half(to, from, 0);
  }

  /// Whether the flow is the largest. Takes from `work` one for each arc that it looks at.
  [[nodiscard]] bool run(std::uint64_t& work) {
    while (find_levels(work)) {
      next_ = first_;
      if (!augment(work)) return false;
    }
    return work != 0;
  }
  [[nodiscard]] bool is_source_side(node n) const noexcept { return level_[n] != none; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  struct arc {
    node to;
    std::uint32_t next;  // of the same node
    std::int64_t capacity;
  };

  void add_half(node from, node to, std::int64_t capacity) {
    arcs_.push_back({to, first_[from], capacity});
    first_[from] = static_cast<std::uint32_t>(arcs_.size() - 1);
  }

  /// Distances from the source; whether the sink has one, and there is work left.
  [[nodiscard]] bool find_levels(std::uint64_t& work) {
    std::fill(level_.begin(), level_.end(), none);
    level_[source_] = 0;
    queue_.assign(1, source_);
    for (std::size_t at = 0; at < queue_.size(); ++at) {
      for (std::uint32_t a = first_[queue_[at]]; a != none; a = arcs_[a].next) {
        if (work == 0) return false;
        --work;
        if (arcs_[a].capacity == 0 || level_[arcs_[a].to] != none) continue;
        level_[arcs_[a].to] = level_[queue_[at]] + 1;
        queue_.push_back(arcs_[a].to);
      }
    }
    return level_[sink_] != none;
  }

  /// Fills the shortest paths; false when the work is used up.
  [[nodiscard]] bool augment(std::uint64_t& work) {
    path_.clear();
    for (node at = source_;;) {
      if (at == sink_) {
        at = push();
        continue;
      }
      std::uint32_t& a = next_[at];
      while (a != none && (arcs_[a].capacity == 0 || level_[arcs_[a].to] != level_[at] + 1)) {
        if (work == 0) return false;
        --work;
        a = arcs_[a].next;
      }
      if (a != none) {
        path_.push_back(a);
        at = arcs_[a].to;
      } else {
        if (path_.empty()) return true;
        level_[at] = none;  // leads nowhere
        at = arcs_[path_.back() ^ 1].to;
        path_.pop_back();
      }
    }
  }
  /// Fills the path to the sink; where to go on: at its first full arc.
  [[nodiscard]] node push() {
    std::int64_t most = unlimited;
    for (const std::uint32_t a : path_) most = std::min(most, arcs_[a].capacity);
    std::size_t full = path_.size();
    for (std::size_t k = path_.size(); k-- > 0;) {
      arcs_[path_[k]].capacity -= most;
      arcs_[path_[k] ^ 1].capacity += most;
      if (arcs_[path_[k]].capacity == 0) full = k;
    }
    const node from = arcs_[path_[full] ^ 1].to;
    path_.resize(full);
    return from;
  }

  node source_, sink_;
  std::vector<arc> arcs_;
  std::vector<std::uint32_t> first_, level_, next_;
  std::vector<node> queue_;
  std::vector<std::uint32_t> path_;
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_MINIMUM_CUT_HPP
