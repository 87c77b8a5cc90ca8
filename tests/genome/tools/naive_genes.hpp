// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Genes as their definitions say, by trying everything: all sets of nodes, all orders, all ways.

#ifndef TESSERA_TESTS_GENOME_TOOLS_NAIVE_GENES_HPP
#define TESSERA_TESTS_GENOME_TOOLS_NAIVE_GENES_HPP

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "genome/corpus.hpp"
#include "genome/gene.hpp"

namespace genes_test {

using tessera::genomics::corpus;

/// A node by what it means: its operation, and the node that gives each argument; -1 is an input.
struct plain_node {
  std::string operation;
  std::vector<int> arguments;
};
using plain_graph = std::vector<plain_node>;

/// As D and the variation say it: D ascending, each once.
inline void add_to(corpus& to, const plain_graph& g, const std::string& name = "g") {
  to.begin(name);
  to.add(to.names().kind("<DATA_INPUT>", "", {}), {});
  for (const plain_node& n : g) {
    std::set<std::uint32_t> d;
    for (const int a : n.arguments) d.insert(static_cast<std::uint32_t>(a + 1));
    std::string variation;
    for (const int a : n.arguments) {
      const auto at = d.find(static_cast<std::uint32_t>(a + 1));
      variation +=
          (variation.empty() ? "in" : ",in") + std::to_string(std::distance(d.begin(), at));
    }
    const std::vector<std::uint32_t> inputs(d.begin(), d.end());
    to.add(to.names().kind(n.operation, variation, {}), inputs);
  }
}

/// Some other order in which all nodes come after what they take.
inline plain_graph reordered(const plain_graph& g, std::mt19937& random) {
  std::vector<int> place(g.size(), -1), order;
  while (order.size() < g.size()) {
    std::vector<int> ready;
    for (std::size_t i = 0; i < g.size(); ++i) {
      bool is_ready = place[i] < 0;
      for (const int a : g[i].arguments)
        is_ready = is_ready && (a < 0 || place[static_cast<std::size_t>(a)] >= 0);
      if (is_ready) ready.push_back(static_cast<int>(i));
    }
    const int next = ready[random() % ready.size()];
    place[static_cast<std::size_t>(next)] = static_cast<int>(order.size());
    order.push_back(next);
  }
  plain_graph out;
  for (const int i : order) {
    plain_node n = g[static_cast<std::size_t>(i)];
    for (int& a : n.arguments)
      if (a >= 0) a = place[static_cast<std::size_t>(a)];
    out.push_back(n);
  }
  return out;
}

/// Labels and edges, of which the least in all orders of the nodes is the code.
struct shape {
  std::vector<std::string> labels;
  std::vector<std::vector<std::set<int>>> edges;  ///< [from][to]: arguments; -1 is a gap

  [[nodiscard]] shape in_order(const std::vector<int>& order) const {
    shape s;
    for (const int i : order) {
      s.labels.push_back(labels[static_cast<std::size_t>(i)]);
      s.edges.emplace_back();
      for (const int j : order)
        s.edges.back().push_back(edges[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
    return s;
  }
  [[nodiscard]] shape least() const {
    std::vector<int> order;
    for (std::size_t i = 0; i < labels.size(); ++i) order.push_back(static_cast<int>(i));
    shape best = *this;
    do {
      shape s;  // labels first: most orders fail there
      for (const int i : order) s.labels.push_back(labels[static_cast<std::size_t>(i)]);
      if (s.labels > best.labels) continue;
      s = in_order(order);
      if (s < best) best = s;
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
  }
  [[nodiscard]] bool connected() const {
    std::vector<std::size_t> reached{0};
    std::set<std::size_t> seen{0};
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (std::size_t v = 0; v < labels.size(); ++v)
        if ((!edges[reached[k]][v].empty() || !edges[v][reached[k]].empty()) &&
            seen.insert(v).second)
          reached.push_back(v);
    return reached.size() == labels.size();
  }
  [[nodiscard]] bool gapped() const {
    for (const auto& row : edges)
      for (const auto& e : row)
        if (e.count(-1) != 0) return true;
    return false;
  }
  friend auto operator<=>(const shape&, const shape&) = default;
};

inline shape shape_of(const corpus& c, const tessera::genomics::gene& g) {
  shape s;
  for (const std::uint32_t l : g.labels) s.labels.emplace_back(c.names().operations()[l]);
  s.edges.assign(s.labels.size(), std::vector<std::set<int>>(s.labels.size()));
  for (const auto& e : g.edges)
    s.edges[e.from][e.to].insert(e.gap ? -1 : static_cast<int>(e.input));
  return s;
}

struct naive_gene {
  std::map<std::uint32_t, std::uint64_t> counts;  ///< by graph
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t t = 0;
    for (const auto& [graph, count] : counts) t += count;
    return t;
  }
};
using naive_findings = std::map<shape, naive_gene>;

/// Whether a way of 1 to `left` nodes outside of `set` leads from u to v.
inline bool way(const plain_graph& g, int u, int v, const std::set<int>& set, unsigned left,
                bool begun = false) {
  for (int x = u + 1; x <= v; ++x) {
    const auto& a = g[static_cast<std::size_t>(x)].arguments;
    if (std::find(a.begin(), a.end(), u) == a.end()) continue;
    if (x == v && begun) return true;
    if (x != v && left > 0 && set.count(x) == 0 && way(g, x, v, set, left - 1, true)) return true;
  }
  return false;
}

inline naive_findings naive(const std::vector<plain_graph>& graphs, unsigned min_nodes,
                            unsigned max_nodes, unsigned min_models, unsigned max_gap) {
  naive_findings all;
  std::map<shape, shape> leasts;
  for (std::uint32_t i = 0; i < graphs.size(); ++i) {
    const plain_graph& g = graphs[i];
    std::vector<std::pair<std::vector<int>, shape>> found;
    for (unsigned bits = 1; bits < 1u << g.size(); ++bits) {
      std::vector<int> nodes;
      for (unsigned v = 0; v < g.size(); ++v)
        if ((bits >> v & 1) != 0) nodes.push_back(static_cast<int>(v));
      if (nodes.size() < min_nodes || nodes.size() > max_nodes) continue;
      shape s;
      s.edges.assign(nodes.size(), std::vector<std::set<int>>(nodes.size()));
      for (std::size_t to = 0; to < nodes.size(); ++to) {
        const plain_node& n = g[static_cast<std::size_t>(nodes[to])];
        s.labels.push_back(n.operation);
        for (std::size_t a = 0; a < n.arguments.size(); ++a)
          for (std::size_t from = 0; from < to; ++from)
            if (nodes[from] == n.arguments[a])
              s.edges[from][to].insert(n.operation == "add" ? 0 : static_cast<int>(a));
      }
      if (s.connected()) found.emplace_back(nodes, s);
      if (max_gap == 0) continue;
      const std::set<int> set(nodes.begin(), nodes.end());
      for (std::size_t from = 0; from < nodes.size(); ++from)
        for (std::size_t to = from + 1; to < nodes.size(); ++to)
          if (s.edges[from][to].empty() && way(g, nodes[from], nodes[to], set, max_gap))
            s.edges[from][to].insert(-1);
      if (s.gapped() && s.connected()) found.emplace_back(nodes, s);
    }
    std::sort(found.begin(), found.end());
    std::map<shape, std::set<int>> used;
    for (const auto& [nodes, s] : found) {
      const auto at = leasts.find(s);
      const shape& least =
          at != leasts.end() ? at->second : leasts.emplace(s, s.least()).first->second;
      std::set<int>& u = used[least];
      if (std::any_of(nodes.begin(), nodes.end(), [&u](int v) { return u.count(v) != 0; }))
        continue;
      u.insert(nodes.begin(), nodes.end());
      ++all[least].counts[i];
    }
  }
  std::erase_if(all, [&](const auto& x) { return x.second.counts.size() < min_models; });
  std::set<shape> dropped;
  for (const auto& [s, g] : all)
    for (std::size_t without = 0; without < s.labels.size(); ++without) {
      std::vector<int> order;
      for (std::size_t k = 0; k < s.labels.size(); ++k)
        if (k != without) order.push_back(static_cast<int>(k));
      const shape part = s.in_order(order).least();
      const auto at = all.find(part);
      if (at != all.end() && part.gapped() == s.gapped() && at->second.total() == g.total() &&
          at->second.counts.size() == g.counts.size())
        dropped.insert(part);
    }
  for (const shape& s : dropped) all.erase(s);
  return all;
}

inline plain_graph random_graph(std::mt19937& random, std::size_t size) {
  const char* const operations[] = {"conv", "relu", "add", "sub"};
  plain_graph g;
  for (std::size_t i = 0; i < size; ++i) {
    plain_node n{operations[random() % 4], {}};
    const std::size_t arguments = n.operation == "conv" || n.operation == "relu" ? 1 : 2;
    for (std::size_t a = 0; a < arguments; ++a) {
      const std::size_t back = 1 + random() % 3;
      n.arguments.push_back(back > i ? -1 : static_cast<int>(i - back));
    }
    g.push_back(n);
  }
  return g;
}

}  // namespace genes_test

#endif  // TESSERA_TESTS_GENOME_TOOLS_NAIVE_GENES_HPP
