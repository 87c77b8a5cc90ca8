// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "subgraph_search.hpp"

#include <algorithm>
#include <array>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t none = key_table::none;
constexpr std::uint32_t all_parts = none - 1;  // not connected, but each part is frequent
constexpr std::size_t cache_words = std::size_t{1} << 22;

// Words of sets as they are visited: a node's label, then its edges from and to nodes before it, and
// behind all of them the gaps.
constexpr std::uint32_t edge_mark = 1u << 31, gap_mark = 3u << 30, gives = 1u << 23;

/// Labels and edges of a set, nodes in the order in which it was visited.
struct parts_of_set {
  std::vector<std::uint32_t> labels;
  std::vector<gene_edge> edges;

  explicit parts_of_set(std::span<const std::uint32_t> words) {
    for (const std::uint32_t w : words) {
      if ((w & edge_mark) == 0) {
        labels.push_back(w);
        continue;
      }
      const auto last = static_cast<std::uint32_t>(labels.size() - 1);
      const std::uint32_t other = w >> 24 & 63;
      if ((w & gap_mark) == gap_mark)
        edges.push_back({w >> 8 & 255, w & 255, 0, true});
      else if ((w & gives) != 0)
        edges.push_back({last, other, w & (gives - 1), false});
      else
        edges.push_back({other, last, w & (gives - 1), false});
    }
  }
};

/// Sets of nodes that grow together.
struct groups {
  std::array<std::uint8_t, max_canonical_nodes> of{};

  explicit groups(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) of[i] = static_cast<std::uint8_t>(i);
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint8_t from = of[a], to = of[b];
    for (std::uint8_t& g : of)
      if (g == from) g = to;
  }
};

}  // namespace

std::vector<std::uint32_t> words_of(const canonical_form& f) {
  std::vector<std::uint32_t> words = f.labels;
  for (const gene_edge& e : f.edges)
    words.push_back(edge_mark | e.from << 24 | e.to << 16 | e.input << 1 | (e.gap ? 1u : 0u));
  return words;
}

canonical_form form_of(key_table::key words) {
  canonical_form f;
  for (const std::uint32_t w : words)
    if ((w & edge_mark) == 0)
      f.labels.push_back(w);
    else
      f.edges.push_back({w >> 24 & 127, w >> 16 & 255, w >> 1 & 0x7fff, (w & 1) != 0});
  return f;
}

// ---- counting

void disjoint_counter::add(std::uint32_t gene, std::span<const std::uint32_t> ascending) {
  if (gene >= slots_.size()) {
    slots_.resize(std::size_t{gene} + 1);
    best_.resize(slots_.size() * stride_);
  }
  slot& s = slots_[gene];
  if (s.graph != graph_) {
    s.graph = graph_;
    s.count = 0;
    s.used.clear();
    in_graph_.push_back(gene);
  }
  if (s.first != first_) {
    s.first = first_;
    s.size = 0;
    s.used.erase(s.used.begin(), s.used.lower_bound(ascending[0]));
    now_.push_back(gene);
  }
  std::uint32_t* const best = best_.data() + std::size_t{gene} * stride_;
  if (s.size != 0 &&
      !std::lexicographical_compare(ascending.begin(), ascending.end(), best, best + s.size))
    return;
  if (!s.used.empty())
    for (const std::uint32_t v : ascending)
      if (s.used.count(v) != 0) return;
  std::copy(ascending.begin(), ascending.end(), best);
  s.size = static_cast<std::uint32_t>(ascending.size());
}

void disjoint_counter::end_first() {
  for (const std::uint32_t gene : now_) {
    slot& s = slots_[gene];
    if (s.size == 0) continue;
    ++s.count;
    const std::uint32_t* const best = best_.data() + std::size_t{gene} * stride_;
    s.used.insert(best + 1, best + s.size);
  }
  now_.clear();
  ++first_;
}

std::span<const disjoint_counter::count> disjoint_counter::end_graph() {
  counts_.clear();
  for (const std::uint32_t gene : in_graph_) {
    counts_.push_back({gene, slots_[gene].count});
    slots_[gene].used.clear();
  }
  in_graph_.clear();
  return counts_;
}

// ---- the search

void subgraph_search::start(const pass& p) {
  pass_ = p;
  deepest_ = p.size != 0 ? p.size : p.max_nodes;
  counted_.clear();
  counted_gene_.clear();
  codes_.clear();
  place_.clear();
  part_of_.clear();
}

void subgraph_search::begin_part() {
  ++part_;
  cut_ = false;
  candidates_.clear();
  if (codes_.size() <= max_candidates) return;
  const pass again = pass_;
  start(again);
}

std::uint64_t subgraph_search::look_at(const corpus::graph& g, std::span<const std::uint32_t> order,
                                       const std::vector<bool>& usable, std::uint64_t budget) {
  dataflow seen(g, order, labels_, usable, pass_.gapped ? pass_.max_gap : 0);
  cut_ = cut_ || seen.gaps_cut();
  graph_ = &seen;
  near_.assign(seen.size(), false);
  counter_.begin_graph();
  std::uint64_t left = budget;
  for (std::uint32_t first = 0; first < seen.size(); ++first) {
    if (!usable[seen.label(first)]) continue;
    allowance_ = std::max(left / (seen.size() - first), left / 8);
    const std::uint64_t before = allowance_;
    stopped_ = false;
    look_from(first);
    counter_.end_first();
    left -= before - allowance_;
  }
  counts_ = counter_.end_graph();
  if (pass_.size != 0)
    for (const disjoint_counter::count& c : counts_) {
      candidate& of = candidates_[c.gene];
      ++of.models;
      of.occurrences += c.occurrences;
    }
  graph_ = nullptr;
  return budget - left;
}

bool subgraph_search::spend(std::uint64_t work) {
  if (work > allowance_) {
    stopped_ = cut_ = true;
    return false;
  }
  allowance_ -= work;
  return true;
}

void subgraph_search::look_from(std::uint32_t first) {
  if (!spend(1)) return;
  take(first);
  near_[first] = true;
  if (visit() && deepest_ > 1) {
    mark_neighbours(first);
    extend(0);
  }
  for (const std::uint32_t v : extensions_) near_[v] = false;
  near_[first] = false;
  extensions_.clear();
  set_.clear();
  words_.clear();
}

/// Sets that grow from the one at hand by extensions from `begin` on.
void subgraph_search::extend(std::size_t begin) {
  const std::size_t end = extensions_.size(), words = words_.size();
  for (std::size_t i = begin; i < end && !stopped_; ++i) {
    if (!spend(1)) return;
    const std::uint32_t v = extensions_[i];
    take(v);
    if (visit() && set_.size() < deepest_) {
      mark_neighbours(v);
      extend(i + 1);
      for (std::size_t k = end; k < extensions_.size(); ++k) near_[extensions_[k]] = false;
      extensions_.resize(end);
    }
    set_.pop_back();
    words_.resize(words);
  }
}

void subgraph_search::take(std::uint32_t v) {
  words_.push_back(graph_->label(v));
  const std::span<const dataflow::link> links = graph_->links(v);
  for (std::uint32_t k = 0; k < set_.size(); ++k) {
    const std::uint32_t other = set_[k];
    auto at = std::lower_bound(links.begin(), links.end(), dataflow::link{other, 0});
    for (; at != links.end() && at->other == other; ++at)
      words_.push_back(edge_mark | k << 24 | (v < other ? gives : 0) | at->argument);
  }
  set_.push_back(v);
}

void subgraph_search::mark_neighbours(std::uint32_t v) {
  const std::span<const dataflow::link> links = graph_->links(v);
  const std::span<const std::uint32_t> gaps = graph_->gaps(v);
  if (!spend(links.size() + gaps.size())) return;
  const auto mark = [this](std::uint32_t u) {
    if (u <= set_[0] || near_[u]) return;
    near_[u] = true;
    extensions_.push_back(u);
  };
  for (const dataflow::link& l : links) mark(l.other);
  for (const std::uint32_t u : gaps) mark(u);
}

/// Counts the set at hand, if that is what the pass is for. Returns whether to let it grow.
bool subgraph_search::visit() {
  if (!pass_.gapped && set_.size() == pass_.size) {
    count(counted_gene(words_));
    return false;
  }
  const std::uint32_t gene = known_parts();
  if (gene == none) return false;
  if (!pass_.gapped) {
    if (pass_.size == 0) count((*pass_.wanted)[gene]);
  } else if (set_.size() > 1 && (pass_.size == 0 || set_.size() == pass_.size)) {
    const std::size_t words = words_.size();
    if (add_gaps()) {
      const std::uint32_t found = counted_gene(words_);
      count(pass_.size == 0 && found != none ? (*pass_.wanted)[found] : found);
    }
    words_.resize(words);
  }
  return !stopped_;
}

std::uint32_t subgraph_search::known_parts() {
  if (known_.words() > cache_words) {
    known_.clear();
    known_gene_.clear();
  }
  const auto [number, is_new] = known_.add(words_);
  if (is_new) known_gene_.push_back(frequent_parts());
  return known_gene_[number];
}

std::uint32_t subgraph_search::frequent_parts() const {
  const parts_of_set all(words_);
  groups connected(all.labels.size());
  for (const gene_edge& e : all.edges) connected.join(e.from, e.to);
  std::uint32_t found = none;
  bool several = false;
  for (std::uint32_t i = 0; i < all.labels.size(); ++i) {
    std::array<std::uint32_t, max_canonical_nodes> place{};
    std::vector<std::uint32_t> labels;
    for (std::uint32_t k = 0; k < all.labels.size(); ++k)
      if (connected.of[k] == i) {
        place[k] = static_cast<std::uint32_t>(labels.size());
        labels.push_back(all.labels[k]);
      }
    if (labels.empty()) continue;
    std::vector<gene_edge> edges;
    for (gene_edge e : all.edges)
      if (connected.of[e.from] == i) {
        e.from = place[e.from];
        e.to = place[e.to];
        edges.push_back(e);
      }
    several = several || found != none;
    found = frequent_.find(words_of(canonicalise(labels, edges)));
    if (found == none) return none;
  }
  return several ? all_parts : found;
}

/// Adds gaps to the words of the set. Returns whether it has any, and is connected with them.
bool subgraph_search::add_gaps() {
  groups connected(set_.size());
  bool any = false;
  for (std::uint32_t i = 0; i < set_.size(); ++i)
    for (std::uint32_t k = i + 1; k < set_.size(); ++k) {
      const std::span<const dataflow::link> links = graph_->links(set_[i]);
      const auto at = std::lower_bound(links.begin(), links.end(), dataflow::link{set_[k], 0});
      if (at != links.end() && at->other == set_[k]) {
        connected.join(i, k);
        continue;
      }
      const std::span<const std::uint32_t> gaps = graph_->gaps(set_[i]);
      if (!std::binary_search(gaps.begin(), gaps.end(), set_[k])) continue;
      const bool forth = set_[i] < set_[k];
      const std::uint32_t from = forth ? i : k, to = forth ? k : i;
      const std::uint64_t steps = graph_->steps();
      const bool reaches = graph_->reaches(set_[from], set_[to], set_);
      if (!spend(graph_->steps() - steps)) return false;
      if (!reaches) continue;
      connected.join(i, k);
      words_.push_back(gap_mark | from << 8 | to);
      any = true;
    }
  for (std::size_t i = 1; i < set_.size(); ++i)
    if (connected.of[i] != connected.of[0]) return false;
  return any;
}

/// A number for the gene of the set at hand: in candidates_ where sets of one size count; else that
/// of the frequent gene.
std::uint32_t subgraph_search::counted_gene(std::span<const std::uint32_t> words) {
  const auto in_part = [this](std::uint32_t code) {
    if (pass_.size == 0 || part_of_[code] == part_) return true;
    if (candidates_.size() == max_candidates) return false;
    part_of_[code] = part_;
    place_[code] = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({code, 0, 0});
    return true;
  };
  std::uint32_t code = none;
  if (const std::uint32_t at = counted_.find(words); at != none) {
    code = counted_gene_[at];
  } else {
    const parts_of_set all(words);
    const std::vector<std::uint32_t> canonical = words_of(canonicalise(all.labels, all.edges));
    if (pass_.size == 0) {
      code = frequent_.find(canonical);
    } else {
      code = codes_.find(canonical);
      if (code == none && candidates_.size() < max_candidates) {
        code = codes_.add(canonical).first;
        place_.push_back(0);
        part_of_.push_back(0);
      }
      if (code == none) return cut_ = true, none;
    }
    if (counted_.words() > cache_words) {
      counted_.clear();
      counted_gene_.clear();
    }
    (void)counted_.add(words);
    counted_gene_.push_back(code);
  }
  if (code == none || pass_.size == 0) return code;
  if (!in_part(code)) return cut_ = true, none;
  return place_[code];
}

void subgraph_search::count(std::uint32_t gene) {
  if (gene == none) return;
  std::array<std::uint32_t, max_canonical_nodes> ascending{};
  const auto end = std::copy(set_.begin(), set_.end(), ascending.begin());
  std::sort(ascending.begin(), end);
  counter_.add(gene, {ascending.data(), set_.size()});
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
