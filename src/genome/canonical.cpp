// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Colour refinement, and a search over individualised nodes where it leaves cells of several. Orders
// that turn out equal are symmetries; they spare the search whatever they map onto what it has seen.

#include "canonical.hpp"

#include <algorithm>
#include <array>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::size_t max_nodes = max_canonical_nodes;
using per_node = std::array<std::uint8_t, max_nodes>;
using matrix = std::array<per_node, max_nodes>;

class search {
 public:
  search(std::span<const std::uint32_t> labels, const matrix& edges)
      : size_(labels.size()), edges_(edges) {
    std::array<std::uint8_t, max_nodes> depths{};
    bool grows = true;
    for (std::size_t round = 0; grows && round < size_; ++round) {
      grows = false;
      for (std::size_t u = 0; u < size_; ++u)
        for (std::size_t v = 0; v < size_; ++v)
          if (edges_[u][v] != 0 && depths[v] <= depths[u]) {
            depths[v] = static_cast<std::uint8_t>(depths[u] + 1);
            grows = true;
          }
    }
    per_node colours{};
    for (std::size_t u = 0; u < size_; ++u)
      for (std::size_t v = 0; v < size_; ++v)
        colours[u] = static_cast<std::uint8_t>(
            colours[u] +
            (depths[v] < depths[u] || (depths[v] == depths[u] && labels[v] < labels[u])));
    refine(colours);
    descend(colours, 0);
  }

  [[nodiscard]] const per_node& best() const noexcept { return best_; }

 private:
  /// A node's colour is how many nodes come before its cell. Splits cells by the colours around
  /// their nodes until that distinguishes no more.
  void refine(per_node& colours) const {
    for (;;) {
      std::array<std::array<std::uint32_t, max_nodes + 1>, max_nodes> signatures{};
      for (std::size_t u = 0; u < size_; ++u) {
        auto& s = signatures[u];
        s[0] = colours[u];
        for (std::size_t v = 0; v < size_; ++v)
          if ((edges_[u][v] | edges_[v][u]) != 0)
            s[v + 1] = 1u << 24 | std::uint32_t{colours[v]} << 16 |
                       std::uint32_t{edges_[u][v]} << 8 | edges_[v][u];
        std::sort(s.begin() + 1, s.begin() + 1 + static_cast<std::ptrdiff_t>(size_));
      }
      per_node next{};
      for (std::size_t u = 0; u < size_; ++u)
        for (std::size_t v = 0; v < size_; ++v)
          next[u] = static_cast<std::uint8_t>(next[u] + (signatures[v] < signatures[u]));
      if (next == colours) return;
      colours = next;
    }
  }

  /// Below `depth` individualised nodes, of path_. Returns the depth to go on from: less than
  /// `depth` when all here equals, by a symmetry, what was tried further up.
  std::size_t descend(const per_node& colours, std::size_t depth) {
    per_node cell{};
    std::size_t cell_size = 0;
    for (std::size_t c = 0; c < size_ && cell_size < 2; ++c) {
      cell_size = 0;
      for (std::size_t u = 0; u < size_; ++u)
        if (colours[u] == c) cell[cell_size++] = static_cast<std::uint8_t>(u);
    }
    if (cell_size < 2) return leaf(colours, depth);
    per_node tried{};
    std::size_t tried_size = 0;
    for (std::size_t i = 0; i < cell_size; ++i) {
      if (maps_onto(tried, tried_size, cell[i], depth)) continue;
      path_[depth] = cell[i];
      per_node next = colours;
      for (std::size_t k = 0; k < cell_size; ++k)
        if (k != i) ++next[cell[k]];
      refine(next);
      const std::size_t back = descend(next, depth + 1);
      if (back < depth) return back;
      tried[tried_size++] = cell[i];
    }
    return depth;
  }

  /// Whether the symmetries that keep the path map `u` onto a node that was tried instead of it.
  [[nodiscard]] bool maps_onto(const per_node& tried, std::size_t tried_size, std::uint8_t u,
                               std::size_t depth) const {
    if (tried_size == 0) return false;
    per_node orbit{};
    for (std::size_t v = 0; v < size_; ++v) orbit[v] = static_cast<std::uint8_t>(v);
    for (const per_node& s : symmetries_) {
      bool keeps = true;
      for (std::size_t d = 0; d < depth; ++d) keeps = keeps && s[path_[d]] == path_[d];
      if (!keeps) continue;
      for (std::size_t v = 0; v < size_; ++v) {
        const std::uint8_t a = orbit[v], b = orbit[s[v]];
        for (std::size_t w = 0; w < size_ && a != b; ++w)
          if (orbit[w] == a) orbit[w] = b;
      }
    }
    for (std::size_t i = 0; i < tried_size; ++i)
      if (orbit[tried[i]] == orbit[u]) return true;
    return false;
  }

  std::size_t leaf(const per_node& colours, std::size_t depth) {
    per_node order{};  // all colours differ
    for (std::size_t u = 0; u < size_; ++u) order[colours[u]] = static_cast<std::uint8_t>(u);
    int compared = -1;
    if (has_best_) {
      compared = 0;
      for (std::size_t i = 0; i < size_ && compared == 0; ++i)
        for (std::size_t j = 0; j < size_ && compared == 0; ++j)
          compared = int{edges_[order[i]][order[j]]} - int{edges_[best_[i]][best_[j]]};
    }
    if (compared < 0) {
      has_best_ = true;
      best_ = order;
      best_path_ = path_;
    }
    if (compared != 0) return depth;
    per_node s{};
    for (std::size_t i = 0; i < size_; ++i) s[best_[i]] = order[i];
    symmetries_.push_back(s);
    std::size_t common = 0;  // all below the branch that parts from the best order's equals it
    while (common < depth && path_[common] == best_path_[common]) ++common;
    return common;
  }

  std::size_t size_;
  const matrix& edges_;
  per_node path_{}, best_path_{}, best_{};
  bool has_best_ = false;
  std::vector<per_node> symmetries_;
};

}  // namespace

canonical_form canonicalise(std::span<const std::uint32_t> labels,
                            std::span<const gene_edge> edges) {
  std::vector<gene_edge> sorted(edges.begin(), edges.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());

  // What lies between two nodes, numbered by its contents from 1 on.
  using between = std::vector<std::pair<std::uint32_t, bool>>;
  std::vector<between> kinds;
  const auto next_pair = [&sorted](std::size_t i) {
    std::size_t end = i;
    while (end < sorted.size() && sorted[end].from == sorted[i].from &&
           sorted[end].to == sorted[i].to)
      ++end;
    return end;
  };
  const auto kind_of = [&sorted](std::size_t begin, std::size_t end) {
    between k;
    for (std::size_t i = begin; i < end; ++i) k.emplace_back(sorted[i].input, sorted[i].gap);
    return k;
  };
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end)
    kinds.push_back(kind_of(i, end = next_pair(i)));
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  matrix m{};
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    const auto at = std::lower_bound(kinds.begin(), kinds.end(), kind_of(i, end = next_pair(i)));
    m[sorted[i].from][sorted[i].to] = static_cast<std::uint8_t>(at - kinds.begin() + 1);
  }

  const search found(labels, m);
  canonical_form form;
  per_node place{};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint8_t u = found.best()[i];
    place[u] = static_cast<std::uint8_t>(i);
    form.order.push_back(u);
    form.labels.push_back(labels[u]);
  }
  for (gene_edge& e : sorted) {
    e.from = place[e.from];
    e.to = place[e.to];
  }
  std::sort(sorted.begin(), sorted.end());
  form.edges = std::move(sorted);
  return form;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
