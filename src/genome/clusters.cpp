// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "clusters.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t no_node = ~std::uint32_t{0};

/// The tree, directed away from its last node, and cut by taking branches out.
class cutting {
 public:
  cutting(const tree& t, const distance_matrix& d) : leaves_(t.leaves), d_(d) {
    const std::size_t nodes = leaves_ + t.inner.size();
    parent_.assign(nodes, no_node);
    cluster_.assign(nodes, 0);
    within_.resize(nodes);
    sums_.resize(nodes);
    sizes_.resize(nodes);
    for (std::size_t i = 0; i < t.inner.size(); ++i)
      for (const tree::child& c : t.inner[i])
        parent_[c.node] = leaves_ + static_cast<std::uint32_t>(i);
    best_.push_back(best_branch(0));
  }

  std::vector<std::uint32_t> run(std::uint32_t clusters) {
    while (best_.size() < std::min(clusters, leaves_)) {
      const auto next =
          std::max_element(best_.begin(), best_.end(),
                           [](const branch& a, const branch& b) { return a.gain < b.gain; });
      if (next->below == no_node) break;
      split(static_cast<std::uint32_t>(next - best_.begin()), next->below);
    }
    return numbered_by_leaves();
  }

 private:
  /// The branch above a node, and how much the scatter falls without it.
  struct branch {
    double gain = -1;
    std::uint32_t below = no_node;
  };

  [[nodiscard]] double squared(std::uint32_t a, std::uint32_t b) const noexcept {
    const double v = static_cast<double>(d_(a, b));
    return v * v;
  }
  /// Whether the branch above a node is there and its other end of the same cluster.
  [[nodiscard]] bool is_joined(std::uint32_t v) const noexcept {
    return parent_[v] != no_node && cluster_[parent_[v]] == cluster_[v];
  }

  /// Children come before their parents, so that sums go up in one pass. A pair of leaves lies within
  /// a subtree from their lowest common ancestor on: leaves of a node's earlier children are paired
  /// with those of the next one.
  [[nodiscard]] branch best_branch(std::uint32_t cluster) {
    std::vector<std::uint32_t> leaves;
    for (std::uint32_t v = 0; v < leaves_; ++v)
      if (cluster_[v] == cluster) leaves.push_back(v);
    below_.assign(parent_.size(), {});
    for (std::uint32_t v = 0; v < parent_.size(); ++v) {
      if (cluster_[v] != cluster) continue;
      if (v >= leaves_) continue;
      sums_[v] = 0;
      for (const std::uint32_t w : leaves) sums_[v] += squared(v, w);
      within_[v] = 0;
      below_[v].push_back(v);
    }
    for (std::uint32_t v = leaves_; v < parent_.size(); ++v) within_[v] = sums_[v] = 0;
    for (std::uint32_t v = 0; v < parent_.size(); ++v) {
      if (cluster_[v] != cluster) continue;
      sizes_[v] = below_[v].size();
      if (is_joined(v)) add_to(parent_[v], v);
    }
    return best_of(cluster, leaves.size());
  }

  void add_to(std::uint32_t up, std::uint32_t v) {
    for (const std::uint32_t a : below_[up])
      for (const std::uint32_t b : below_[v]) within_[up] += squared(a, b);
    within_[up] += within_[v];
    sums_[up] += sums_[v];
    below_[up].insert(below_[up].end(), below_[v].begin(), below_[v].end());
    below_[v] = {};
  }

  [[nodiscard]] branch best_of(std::uint32_t cluster, std::size_t leaves) const {
    double all = 0;
    for (std::uint32_t v = 0; v < leaves_; ++v)
      if (cluster_[v] == cluster) all += sums_[v] / 2;
    branch best;
    for (std::uint32_t v = 0; v < parent_.size(); ++v) {
      if (cluster_[v] != cluster || !is_joined(v) || sizes_[v] == 0 || sizes_[v] == leaves)
        continue;
      const double inside = within_[v], between = sums_[v] - 2 * inside;
      const auto a = static_cast<double>(sizes_[v]), n = static_cast<double>(leaves);
      const double gain = all / n - inside / a - (all - inside - between) / (n - a);
      if (best.below == no_node || gain > best.gain) best = {gain, v};
    }
    return best;
  }

  /// Nodes below `top`, and itself, become a cluster of their own.
  void split(std::uint32_t cluster, std::uint32_t top) {
    const auto made = static_cast<std::uint32_t>(best_.size());
    for (std::size_t i = parent_.size(); i-- > 0;) {  // parents come first
      const auto v = static_cast<std::uint32_t>(i);
      if (cluster_[v] != cluster) continue;
      if (v == top || (parent_[v] != no_node && cluster_[parent_[v]] == made)) cluster_[v] = made;
    }
    best_.emplace_back();
    best_[made] = best_branch(made);
    best_[cluster] = best_branch(cluster);
  }

  [[nodiscard]] std::vector<std::uint32_t> numbered_by_leaves() const {
    std::vector<std::uint32_t> numbers(best_.size(), no_node), out;
    std::uint32_t next = 0;
    for (std::uint32_t v = 0; v < leaves_; ++v) {
      std::uint32_t& number = numbers[cluster_[v]];
      if (number == no_node) number = next++;
      out.push_back(number);
    }
    return out;
  }

  std::uint32_t leaves_;
  const distance_matrix& d_;
  std::vector<std::uint32_t> parent_, cluster_;  // of nodes
  std::vector<branch> best_;                     // of clusters
  std::vector<std::vector<std::uint32_t>> below_;
  std::vector<double> within_,
      sums_;  // squares: of pairs below a node; of these with the cluster's
  std::vector<std::size_t> sizes_;
};

[[nodiscard]] double pairs(std::uint64_t n) noexcept {
  return n == 0 ? 0 : static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

}  // namespace

std::vector<std::uint32_t> cut(const tree& t, const distance_matrix& d, std::uint32_t clusters) {
  if (t.leaves == 0) return {};
  return cutting(t, d).run(clusters);
}

double adjusted_rand_index(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> both;
  std::map<std::uint32_t, std::uint64_t> of_a, of_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ++both[{a[i], b[i]}];
    ++of_a[a[i]];
    ++of_b[b[i]];
  }
  double together = 0, in_a = 0, in_b = 0;
  for (const auto& [key, n] : both) together += pairs(n);
  for (const auto& [key, n] : of_a) in_a += pairs(n);
  for (const auto& [key, n] : of_b) in_b += pairs(n);
  const double expected = pairs(a.size()) > 0 ? in_a * in_b / pairs(a.size()) : 0;
  const double most = (in_a + in_b) / 2;
  return most - expected > 0 ? (together - expected) / (most - expected) : 1;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
