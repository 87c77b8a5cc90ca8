// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "dataflow.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace tessera::inline TESSERA_ABI {
namespace genomics {

namespace {

// Sorted: parts of targets, small letters, whose operations commute.
constexpr std::string_view commutative[] = {
    "add",         "bitwise_and", "bitwise_or",  "bitwise_xor", "eq",       "equal",
    "logical_and", "logical_or",  "logical_xor", "max",         "maximum",  "min",
    "minimum",     "mul",         "multiply",    "ne",          "not_equal"};

/// "in1,in0" -> 1, 0. Empty for anything else, and for too many.
[[nodiscard]] std::vector<std::uint32_t> read_variation(std::string_view text) {
  std::vector<std::uint32_t> out;
  genome::variation_inputs parts(text);
  for (std::uint32_t input = 0; parts.next(input);) {
    if (out.size() == operation_labels::max_arguments) return {};
    out.push_back(input);
  }
  return parts.failed() ? std::vector<std::uint32_t>() : out;
}

[[nodiscard]] bool names_all(std::span<const std::uint32_t> arguments, std::size_t inputs) {
  std::uint64_t named = 0;
  if (arguments.empty() || inputs > operation_labels::max_arguments) return false;
  for (const std::uint32_t a : arguments) {
    if (a >= inputs) return false;
    named |= std::uint64_t{1} << a;
  }
  return named == ~std::uint64_t{0} >> (64 - inputs);
}

/// FNV-1a, the same everywhere.
[[nodiscard]] std::uint64_t hash(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

bool commutes(std::string_view target) {
  while (!target.empty()) {
    const std::string_view part = target.substr(0, target.find('.'));
    target.remove_prefix(std::min(target.size(), part.size() + 1));
    std::string small(part);
    for (char& c : small)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (small.size() > 1 && small.back() == '_') small.pop_back();  // in place
    if (std::binary_search(std::begin(commutative), std::end(commutative), small)) return true;
  }
  return false;
}

operation_labels::operation_labels(const vocabulary& names)
    : by_rank_(names.operations().size()), arguments_(1) {
  const name_table& operations = names.operations();
  std::iota(by_rank_.begin(), by_rank_.end(), 0u);
  std::sort(by_rank_.begin(), by_rank_.end(), [&operations](std::uint32_t a, std::uint32_t b) {
    return operations[a] < operations[b];
  });
  for (const std::uint32_t o : by_rank_) hashes_.push_back(hash(operations[o]));
  std::vector<std::uint32_t> ranks(by_rank_.size());
  std::vector<bool> in_order(by_rank_.size());
  for (std::uint32_t r = 0; r < by_rank_.size(); ++r) {
    ranks[by_rank_[r]] = r;
    in_order[by_rank_[r]] = !commutes(names.target(by_rank_[r]));
  }
  for (std::uint32_t v = 0; v < names.variations().size(); ++v)
    arguments_.push_back(read_variation(names.variations()[v]));
  for (std::uint32_t k = 0; k < names.size(); ++k) {
    const vocabulary::kind_row& row = names[k];
    const bool taken = row.operation >= genome::first_id ||
                       row.operation == static_cast<std::uint32_t>(genome::command::control_flow);
    labels_.push_back(taken ? ranks[row.operation] : none);
    variations_.push_back(in_order[row.operation] ? row.variation + 1 : 0);
  }
}

std::vector<operation_edge> operation_edges(const corpus::graph& of,
                                            const operation_labels& labels) {
  constexpr std::uint32_t none = operation_labels::none;
  std::vector<operation_edge> edges;
  for (std::uint32_t i = 0; i < of.size(); ++i) {
    if (labels.of_kind(of.kinds[i]) == none) continue;
    const std::span<const std::uint32_t> inputs = of.inputs(i);
    const std::span<const std::uint32_t> arguments = labels.arguments(of.kinds[i]);
    const auto add = [&](std::uint32_t input, std::uint32_t argument) {
      if (input < i && labels.of_kind(of.kinds[input]) != none)
        edges.push_back({input, i, argument});
    };
    if (names_all(arguments, inputs.size()))
      for (std::uint32_t a = 0; a < arguments.size(); ++a) add(inputs[arguments[a]], a);
    else
      for (const std::uint32_t input : inputs) add(input, 0);
  }
  if (edges.size() > std::numeric_limits<std::uint32_t>::max() / 2)
    throw std::length_error("operation_edges");
  return edges;
}

dataflow::dataflow(const corpus::graph& of, std::span<const std::uint32_t> order,
                   const operation_labels& labels, const std::vector<bool>& usable,
                   std::uint32_t max_gap)
    : max_gap_(max_gap) {
  std::vector<std::uint32_t> place(of.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    labels_.push_back(labels.of_kind(of.kinds[order[i]]));
  }
  using edge = operation_edge;
  std::vector<edge> edges = operation_edges(of, labels);
  for (edge& e : edges) e = {place[e.from], place[e.to], e.argument};
  const auto fill = [this](std::vector<std::uint32_t>& firsts) {
    for (std::size_t v = 0; v < size(); ++v) firsts[v + 1] += firsts[v];
    return std::vector<std::uint32_t>(firsts.begin(), firsts.end() - 1);
  };

  first_link_.assign(size() + std::size_t{1}, 0);
  const auto linked = [&](const edge& e) {
    return usable[labels_[e.from]] && usable[labels_[e.to]];
  };
  for (const edge& e : edges)
    if (linked(e)) ++first_link_[e.from + 1], ++first_link_[e.to + 1];
  std::vector<std::uint32_t> next = fill(first_link_);
  links_.resize(first_link_.back());
  for (const edge& e : edges)
    if (linked(e)) {
      links_[next[e.from]++] = {e.to, e.argument};
      links_[next[e.to]++] = {e.from, e.argument};
    }
  std::uint32_t kept = 0;
  for (std::uint32_t v = 0; v < size(); ++v) {
    const auto begin = links_.begin() + first_link_[v], end = links_.begin() + first_link_[v + 1];
    std::sort(begin, end);
    first_link_[v] = kept;
    for (auto at = begin; at != end; ++at)
      if (at == begin || *at != *(at - 1)) links_[kept++] = *at;
  }
  first_link_[size()] = kept;
  links_.resize(kept);
  if (max_gap_ == 0) return;

  first_taker_.assign(size() + std::size_t{1}, 0);
  fan_in_.assign(size(), 0);
  std::sort(edges.begin(), edges.end(), [](const edge& a, const edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && edges[i].from == edges[i - 1].from && edges[i].to == edges[i - 1].to) continue;
    ++first_taker_[edges[i].from + 1];
    ++fan_in_[edges[i].to];
    takers_.push_back(edges[i].to);
  }
  (void)fill(first_taker_);
  seen_.assign(size(), 0);
  find_gaps(usable);
}

/// Calls `visit` for what ways of gaps lead to from `from`, up to `last`, some of it repeatedly; it
/// returns whether to go on. Returns how many nodes the ways lead over.
template <class Visit>
std::size_t dataflow::walk(std::uint32_t from, std::uint32_t last,
                           std::span<const std::uint32_t> keeps_off, Visit visit) {
  ++now_;
  reached_.assign(1, from);
  for (const std::uint32_t v : keeps_off) seen_[v] = now_;
  std::size_t begin = 0;
  for (std::uint32_t step = 0; step <= max_gap_; ++step)
    for (const std::size_t end = reached_.size(); begin < end; ++begin) {
      const std::uint32_t u = reached_[begin];
      const std::uint32_t first = first_taker_[u], count = first_taker_[u + 1] - first;
      if (count > max_fan) continue;
      for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint32_t v = takers_[first + k];
        if (v > last || fan_in_[v] > max_fan) continue;
        if (step > 0 && !visit(v)) return reached_.size();
        if (seen_[v] == now_) continue;
        seen_[v] = now_;
        reached_.push_back(v);
      }
    }
  return reached_.size();
}

void dataflow::find_gaps(const std::vector<bool>& usable) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::uint32_t> found;
  std::size_t reached = 0;
  for (std::uint32_t u = 0; u < size(); ++u) {
    if (!usable[labels_[u]]) continue;
    found.clear();
    reached += walk(u, size(), {}, [&](std::uint32_t v) {
      const std::span<const link> direct = links(u);
      const auto at = std::lower_bound(direct.begin(), direct.end(), link{v, 0});
      if (usable[labels_[v]] && (at == direct.end() || at->other != v)) found.push_back(v);
      return true;
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    for (const std::uint32_t v : found) pairs.push_back({u, v});
    if (pairs.size() + reached > std::size_t{max_gaps_a_node} * size() + 1024) {
      gaps_cut_ = true;
      return;
    }
  }
  first_gap_.assign(size() + std::size_t{1}, 0);
  for (const auto& [u, v] : pairs) ++first_gap_[u + 1], ++first_gap_[v + 1];
  for (std::size_t v = 0; v < size(); ++v) first_gap_[v + 1] += first_gap_[v];
  std::vector<std::uint32_t> next(first_gap_.begin(), first_gap_.end() - 1);
  gaps_.resize(first_gap_.back());
  // Pairs ascend by their first node, so the lists do: first what is before a node, then after it.
  for (const auto& [u, v] : pairs) gaps_[next[v]++] = u;
  for (const auto& [u, v] : pairs) gaps_[next[u]++] = v;
}

bool dataflow::reaches(std::uint32_t from, std::uint32_t to, std::span<const std::uint32_t> nodes) {
  bool found = false;
  steps_ += walk(from, to, nodes, [&found, to](std::uint32_t v) {
    found = found || v == to;
    return !found;
  });
  return found;
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
