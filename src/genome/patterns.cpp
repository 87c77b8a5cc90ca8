// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "patterns.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace genomics {
namespace {

/// The nodes that a registry has for kinds. They differ between nodes with inputs and without: what
/// C of a single constant means depends on the positions of the tensors.
class nodes_of_kinds {
 public:
  nodes_of_kinds(const signatures& of, const corpus& from)
      : nodes_(std::size_t{from.names().size()} * 2) {
    const std::size_t graphs = std::min(of.streams.size(), from.size());
    for (std::size_t g = 0; g < graphs; ++g) {
      const corpus::graph graph = from[g];
      const genome::stream& s = of.streams[g];
      const std::size_t size = std::min<std::size_t>(graph.size(), s.size());
      for (std::size_t i = 0; i < size; ++i)
        nodes_[index(graph.kinds[i], graph.inputs(i).size())] = s.nodes[i];
    }
  }
  /// Null where there is none.
  [[nodiscard]] const genome::node* find(std::uint32_t kind, std::size_t inputs) const noexcept {
    const std::size_t i = index(kind, inputs);
    return i < nodes_.size() && nodes_[i].a != 0 ? &nodes_[i] : nullptr;
  }

 private:
  static std::size_t index(std::uint32_t kind, std::size_t inputs) noexcept {
    return std::size_t{kind} * 2 + (inputs != 0 ? 1 : 0);
  }
  std::vector<genome::node> nodes_;
};

/// False: a registry can't hold the gene.
bool make_pattern(const gene& g, const nodes_of_kinds& nodes, genome::stream& to) {
  if (g.form != gene_form::contiguous || g.labels.empty() || g.inputs.size() != g.labels.size())
    return false;
  for (std::size_t i = 0; i < g.labels.size(); ++i) {
    const std::vector<std::int32_t>& d = g.inputs[i];
    const std::uint32_t repeats = i < g.repeats.size() ? g.repeats[i] : 0;
    const genome::node* n = nodes.find(g.labels[i], d.size());
    if (n == nullptr || d.size() > genome::max_node_inputs) return false;
    if (repeats != 0) {
      if (!d.empty() || repeats > 32767) return false;
      to.add({.a = static_cast<std::uint8_t>(genome::command::copy),
              .b = n->a,
              .c = static_cast<std::int16_t>(repeats)},
             {n->b, n->c});
      continue;
    }
    if (n->what() != genome::command::operation) return false;
    for (const std::int32_t reference : d)
      if (reference >= 0 || reference < genome::min_relative) return false;
    to.add(*n, view<std::int32_t>(d.data(), d.size()));
  }
  return true;
}

/// What two equal nodes have in common, at the end of `key`.
void add_key(const genome::node& n, view<std::int32_t> inputs, std::vector<std::uint32_t>& key) {
  key.push_back(std::uint32_t{n.a} << 24 | std::uint32_t{n.b} << 16 |
                static_cast<std::uint16_t>(n.c));
  key.push_back(n.count);
  for (const std::int32_t d : inputs) key.push_back(static_cast<std::uint32_t>(d));
}
/// What two equal patterns have in common.
std::vector<std::uint32_t> key_of(const genome::stream_view& s) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < s.size(); ++i) add_key(s.nodes[i], s.inputs_of(i), out);
  return out;
}

}  // namespace

std::vector<std::uint32_t> add_patterns(signatures& to, const corpus& from, const findings& found) {
  const nodes_of_kinds nodes(to, from);
  key_table known;
  std::vector<std::uint32_t> known_ids;
  std::uint32_t next = genome::first_id;
  for (const genome::pattern& p : to.registry.patterns) {
    if (known.add(key_of(to.registry.nodes_of(p))).second) known_ids.push_back(p.id);
    next = std::max(next, p.id + 1);
  }
  std::vector<std::uint32_t> ids;
  for (const gene& g : found.genes) {
    genome::stream pattern;
    std::uint32_t& id = ids.emplace_back(0);
    if (!make_pattern(g, nodes, pattern)) continue;
    const std::vector<std::uint32_t> key = key_of(pattern);
    if (const std::uint32_t at = known.find(key); at != key_table::none) {
      id = known_ids[at];
    } else if (next <= genome::last_pattern_id) {
      id = next++;
      to.registry.add_pattern(id, pattern);
      (void)known.add(key);
      known_ids.push_back(id);
    }
  }
  return ids;
}

void missing_pattern_table::add(const genome::missing_patterns& of_graph) {
  const genome::stream_view nodes = of_graph.nodes;
  std::vector<std::uint32_t> key;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const view<std::int32_t> d = nodes.inputs_of(i);
    key.clear();
    add_key(nodes.nodes[i], d, key);
    const auto [number, is_new] = keys_.add(key);
    if (is_new) rows_.push_back({nodes.nodes[i], {d.begin(), d.end()}});
    rows_[number].saved += of_graph.saved[i];
  }
}

void missing_pattern_table::add_to(genome::registry& r) const {
  constexpr std::uint64_t row_bytes = 16;
  std::uint32_t next = genome::first_id;
  for (const genome::pattern& p : r.patterns) next = std::max(next, p.id + 1);
  for (const row& one : rows_) {
    if (next > genome::last_pattern_id) return;
    if (one.saved <= 5 + 2 * one.inputs.size() + row_bytes) continue;
    genome::stream pattern;
    pattern.add(one.node, view<std::int32_t>(one.inputs.data(), one.inputs.size()));
    r.add_pattern(next++, pattern);
  }
}

void drop_unused_patterns(genome::registry& r, std::size_t first,
                          const std::vector<genome::stream>& streams) {
  std::vector<bool> used(std::size_t{genome::last_pattern_id} + 1);
  for (const genome::stream& s : streams)
    for (const genome::node& n : s.nodes)
      if (n.what() == genome::command::pattern) used[n.pattern_id()] = true;
  std::size_t kept = first;
  for (std::size_t i = first; i < r.patterns.size(); ++i)
    if (used[r.patterns[i].id]) r.patterns[kept++] = r.patterns[i];
  r.patterns.shrink(kept);
}

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI
