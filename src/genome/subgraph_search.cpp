// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "subgraph_search.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

constexpr std::uint32_t none = key_table::none;
constexpr std::uint32_t all_parts = none - 1;  // not connected, but each part is frequent
constexpr std::uint32_t not_yet = none - 2;    // hasn't been looked up
constexpr std::uint32_t max_states = std::uint32_t{1} << 20, max_codes = std::uint32_t{1} << 18;

// Words of sets as they are visited: a node's label, then its edges from and to nodes before it, and
// after all of them the gaps.
constexpr std::uint32_t gap_mark = 3u << 30, gives = 1u << 23;

/// Labels and edges of a set, nodes in the order in which it was visited.
struct parts_of_set {
  std::vector<std::uint32_t> labels;
  std::vector<gene_edge> edges;

  explicit parts_of_set(std::span<const std::uint32_t> words) {
    for (const std::uint32_t w : words) {
      if (!is_edge_word(w)) {
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

/// Which nodes can be had from the first of `left` by edges that `near` says, a bit for each.
template <class Near>
[[nodiscard]] std::uint32_t connected_with_first(std::uint32_t left, Near near) {
  std::uint32_t found = left & (0u - left), looked_at = 0;
  while (found != looked_at) {
    const std::uint32_t next = found & ~looked_at;
    const auto i = static_cast<std::uint32_t>(std::countr_zero(next));
    looked_at |= 1u << i;
    found |= near(i) & left;
  }
  return found;
}

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
    if (!is_edge_word(w))
      f.labels.push_back(w);
    else
      f.edges.push_back({w >> 24 & 127, w >> 16 & 255, w >> 1 & 0x7fff, (w & 1) != 0});
  return f;
}

std::vector<canonical_form> connected_parts(std::span<const std::uint32_t> labels,
                                            std::span<const gene_edge> edges) {
  std::array<std::uint32_t, max_canonical_nodes> near{};
  for (const gene_edge& e : edges) {
    if (e.gap) continue;
    near[e.from] |= 1u << e.to;
    near[e.to] |= 1u << e.from;
  }
  std::vector<canonical_form> parts;
  for (std::uint32_t left = (1u << labels.size()) - 1, part = 0; left != 0; left &= ~part) {
    part = connected_with_first(left, [&near](std::uint32_t i) { return near[i]; });
    std::array<std::uint32_t, max_canonical_nodes> place{};
    std::vector<std::uint32_t> inner_labels;
    for (std::uint32_t k = 0; k < labels.size(); ++k)
      if ((part >> k & 1) != 0) {
        place[k] = static_cast<std::uint32_t>(inner_labels.size());
        inner_labels.push_back(labels[k]);
      }
    std::vector<gene_edge> inner;
    for (const gene_edge& e : edges)
      if (!e.gap && (part >> e.from & 1) != 0)
        inner.push_back({place[e.from], place[e.to], e.input, false});
    parts.push_back(canonicalise(inner_labels, inner));
  }
  return parts;
}

void subgraph_search::start(const pass& p) {
  pass_ = p;
  deepest_ = p.size != 0 ? p.size : p.max_nodes;
  counter_ = disjoint_counter(deepest_, p.keeps_sets);
  ++tables_;
  codes_.clear();
  place_.clear();
  part_of_.clear();
  if (p.needed != nullptr) forget_states();  // it takes the place of what is frequent
}

void subgraph_search::begin_part() {
  ++part_;
  examined_ = {};
  candidates_.clear();
  if (codes_.size() <= max_codes) return;
  const pass again = pass_;
  start(again);
}

std::uint64_t subgraph_search::look_at(const corpus::graph& g, std::span<const std::uint32_t> order,
                                       const std::vector<bool>& usable, std::uint64_t budget) {
  dataflow seen(g, order, labels_, usable, pass_.gapped ? pass_.max_gap : 0);
  cut_ = gaps_cut_ = seen.gaps_cut();
  graph_ = &seen;
  near_.assign(seen.size(), false);
  place_in_set_.assign(seen.size(), 0);
  counter_.begin_graph();
  std::uint64_t left = budget;
  for (std::uint32_t first = 0; first < seen.size(); ++first) {
    if (!usable[seen.label(first)]) continue;
    allowance_ = std::max(left / (seen.size() - first), left / 8);
    const std::uint64_t before = allowance_;
    stopped_ = false;
    look_from(first);
    counter_.end_first();
    ++examined_.nodes;
    examined_.finished_nodes += stopped_ ? 0 : 1;
    left -= before - allowance_;
  }
  counts_ = counter_.end_graph();
  if (pass_.size != 0)
    for (const disjoint_counter::count& c : counts_) {
      candidate& of = candidates_[c.gene];
      ++of.models;
      of.occurrences += c.occurrences;
      of.firsts += c.firsts;
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
  leave();
}

/// Sets that grow from the one at hand by extensions from `begin` on.
void subgraph_search::extend(std::size_t begin) {
  const std::size_t end = extensions_.size();
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
    leave();
  }
}

void subgraph_search::take(std::uint32_t v) {
  constexpr std::size_t few = 16;  // of which each is looked up, and else each of the set
  const std::size_t begin = words_.size();
  relations of;
  words_.push_back(graph_->label(v));
  const std::span<const dataflow::link> links = graph_->links(v);
  const auto add = [&](std::uint32_t k, const dataflow::link& l) {
    words_.push_back(edge_mark | k << 24 | (v < l.other ? gives : 0) | l.argument);
    of.links |= 1u << k;
  };
  if (links.size() <= few) {
    for (const dataflow::link& l : links)
      if (const std::uint32_t place = place_in_set_[l.other]; place != 0) add(place - 1, l);
  } else {
    for (std::uint32_t k = 0; k < set_.size(); ++k) {
      auto at = std::lower_bound(links.begin(), links.end(), dataflow::link{set_[k], 0});
      for (; at != links.end() && at->other == set_[k]; ++at) add(k, *at);
    }
  }
  const std::span<const std::uint32_t> gaps = graph_->gaps(v);
  if (gaps.size() <= few) {
    for (const std::uint32_t u : gaps)
      if (const std::uint32_t place = place_in_set_[u]; place != 0) of.gaps |= 1u << (place - 1);
  } else {
    for (std::uint32_t k = 0; k < set_.size(); ++k)
      if (std::binary_search(gaps.begin(), gaps.end(), set_[k])) of.gaps |= 1u << k;
  }
  if (steps_.size() > max_states) forget_states();
  states_.push_back(
      next_state(states_.empty() ? 0 : states_.back(), std::span(words_).subspan(begin)));
  relations_.push_back(of);
  set_.push_back(v);
  ends_.push_back(static_cast<std::uint32_t>(words_.size()));
  place_in_set_[v] = static_cast<std::uint8_t>(set_.size());
}

void subgraph_search::leave() {
  place_in_set_[set_.back()] = 0;
  set_.pop_back();
  states_.pop_back();
  relations_.pop_back();
  ends_.pop_back();
  words_.resize(ends_.empty() ? 0 : ends_.back());
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
    count(counted_gene(states_.back()));
    return false;
  }
  const std::uint32_t gene = known_parts(states_.back());
  if (gene == none) return false;
  if (!pass_.gapped) {
    if (pass_.size == 0) count((*pass_.wanted)[gene]);
  } else if (set_.size() > 1 && set_.size() < pass_.size) {
    if (pass_.prunes && add_gaps()) {
      ++examined_.gapped_sets;
      if (!known_gaps(next_state(states_.back(), gap_words_))) {
        ++examined_.ungrown_sets;
        return false;
      }
    }
  } else if (set_.size() > 1 && add_gaps()) {
    const std::uint32_t found = counted_gene(next_state(states_.back(), gap_words_));
    count(pass_.size == 0 && found != none ? (*pass_.wanted)[found] : found);
  }
  return !stopped_;
}

std::uint32_t subgraph_search::next_state(std::uint32_t from,
                                          std::span<const std::uint32_t> words) {
  const std::uint32_t state = 1 + steps_.add({from, additions_.add(words).first});
  if (state >= meanings_.size()) meanings_.resize(std::size_t{state} + 1, {not_yet, 0, 0});
  return state;
}

/// Begins anew with those of the set at hand.
void subgraph_search::forget_states() {
  additions_.clear();
  steps_ = {};
  meanings_.clear();
  for (std::size_t k = 0, begin = 0; k < states_.size(); begin = ends_[k++])
    states_[k] =
        next_state(k == 0 ? 0 : states_[k - 1], std::span(words_).subspan(begin, ends_[k] - begin));
}

std::vector<std::uint32_t> subgraph_search::words_of_state(std::uint32_t state) const {
  std::array<std::uint32_t, max_canonical_nodes + 1> additions{};
  std::size_t count = 0;
  for (; state != 0; state = steps_[state - 1].from)
    additions[count++] = steps_[state - 1].addition;
  std::vector<std::uint32_t> words;
  while (count-- > 0) {
    const key_table::key k = additions_[additions[count]];
    words.insert(words.end(), k.begin(), k.end());
  }
  return words;
}

std::uint32_t subgraph_search::known_parts(std::uint32_t state) {
  if (meanings_[state].known == not_yet) meanings_[state].known = frequent_parts(state);
  return meanings_[state].known;
}

std::uint32_t subgraph_search::frequent_parts(std::uint32_t state) const {
  const parts_of_set all(words_of_state(state));
  std::uint32_t found = none;
  const std::vector<canonical_form> parts = connected_parts(all.labels, all.edges);
  for (const canonical_form& part : parts) {
    found = frequent_.find(words_of(part));
    if (found == none || (pass_.needed != nullptr && !(*pass_.needed)[found])) return none;
  }
  return parts.size() == 1 ? found : all_parts;
}

bool subgraph_search::known_gaps(std::uint32_t state) {
  if (meanings_[state].known == not_yet) {
    const parts_of_set all(words_of_state(state));
    const std::uint32_t gene = frequent_.find(words_of(canonicalise(all.labels, all.edges)));
    meanings_[state].known = gene != none && (*pass_.needed)[gene] ? gene : none;
  }
  return meanings_[state].known != none;
}

/// Finds the gaps of the set. Returns whether it has any, and is connected with them.
bool subgraph_search::add_gaps() {
  gap_words_.clear();
  std::array<std::uint32_t, max_canonical_nodes> near{};
  for (std::uint32_t k = 1; k < set_.size(); ++k) {
    const relations& of = relations_[k];
    std::uint32_t found = of.links;
    for (std::uint32_t left = of.gaps; left != 0; left &= left - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
      const bool forth = set_[i] < set_[k];
      const std::uint32_t from = forth ? i : k, to = forth ? k : i;
      // Ways ascend: where no node of the set lies between, none is in the way.
      const bool may_block = std::any_of(set_.begin(), set_.end(), [&](std::uint32_t v) {
        return v > set_[from] && v < set_[to];
      });
      if (may_block) {
        const std::uint64_t steps = graph_->steps();
        const bool reaches = graph_->reaches(set_[from], set_[to], set_);
        if (!spend(graph_->steps() - steps)) return false;
        if (!reaches) continue;
      }
      gap_words_.push_back(gap_mark | from << 8 | to);
      found |= 1u << i;
    }
    near[k] |= found;
    for (std::uint32_t left = found; left != 0; left &= left - 1)
      near[static_cast<std::uint32_t>(std::countr_zero(left))] |= 1u << k;
  }
  const std::uint32_t all = (1u << set_.size()) - 1;
  return !gap_words_.empty() &&
         connected_with_first(all, [&near](std::uint32_t i) { return near[i]; }) == all;
}

/// A number for the gene of a set: in candidates_ where sets of one size count; else that of the
/// frequent gene.
std::uint32_t subgraph_search::counted_gene(std::uint32_t state) {
  std::uint32_t code = none;
  if (meanings_[state].table == tables_) {
    code = meanings_[state].counted;
  } else {
    const parts_of_set all(words_of_state(state));
    const std::vector<std::uint32_t> canonical = words_of(canonicalise(all.labels, all.edges));
    if (pass_.size == 0) {
      code = frequent_.find(canonical);
    } else {
      code = codes_.find(canonical);
      if (code == none && candidates_.size() < pass_.max_candidates) {
        code = codes_.add(canonical).first;
        place_.push_back(0);
        part_of_.push_back(0);
      }
      if (code == none) return leave_uncounted();
    }
    meanings_[state].counted = code;
    meanings_[state].table = tables_;
  }
  if (code == none || pass_.size == 0) return code;
  if (part_of_[code] != part_) {
    if (candidates_.size() == pass_.max_candidates) return leave_uncounted();
    part_of_[code] = part_;
    place_[code] = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({code, 0, 0, 0});
  }
  return place_[code];
}

std::uint32_t subgraph_search::leave_uncounted() {
  ++examined_.uncounted_sets;
  cut_ = true;
  return none;
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
