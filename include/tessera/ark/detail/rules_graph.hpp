// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules G but G14: nodes, their edges, and who makes which tensor.
//
//   graph_rules edges(c);
//   edges.run();
//   edges.order();        // a topological order; empty when there is a cycle
//
//   G01  node Ids are unique                       G07  producers are earlier in the array
//   G02  a node's Id is its index                  G08  no list repeats an edge
//   G03  edges name nodes                          G09  users of a result list its producer
//   G04  both nodes list an edge                   G10  a tensor is the result of one operation
//   G05  no node depends on itself                 G12  an operation doesn't use its own result
//   G06  no cycles                                 G13  a result isn't used before it is made
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none; all is linear in nodes, edges and uses.
// Allocation: 20 bytes for each edge, 20 for each node, 4 for each tensor.

#ifndef TESSERA_ARK_DETAIL_RULES_GRAPH_HPP
#define TESSERA_ARK_DETAIL_RULES_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../model.hpp"
#include "findings.hpp"
#include "rules_structure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class graph_rules {
 public:
  explicit graph_rules(context& c)
      : c_(c), g_(c.g), count_(static_cast<std::uint32_t>(c.g.nodes.size())) {}

  [[gnu::cold]] void run() {
    ids();
    for (side& s : sides_) resolve(s);
    for (side& s : sides_) listed(s);
    mirrored();
    if (!ascending()) sort_nodes();
    array_order();
    tensors();
  }

  /// Whether the order of the array is one in which producers come first.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  /// Otherwise such an order of the nodes; empty when there is none.
  [[nodiscard]] const pool<std::uint32_t>& order() const noexcept { return order_; }
  /// The nodes that a node lists as producers, `none` for what isn't there.
  [[nodiscard]] view<std::uint32_t> producers(std::uint32_t n) const noexcept {
    return {sides_[0].target.data() + sides_[0].first[n],
            sides_[0].first[n + 1] - sides_[0].first[n]};
  }

 private:
  /// Edges as one of their two nodes lists them.
  struct side {
    bool producers;
    pool<std::uint32_t> target;  // by edge: the node that is listed
    pool<std::uint32_t> owner;   // by edge: the node that lists it
    pool<std::uint32_t> first;   // by node: its first edge; one more for the end
    pool<std::uint32_t> by_target, first_by_target;  // edges by the node that is listed
  };

  [[nodiscard]] static std::string_view member_of(const side& s) noexcept {
    return s.producers ? "ProducerNodeIds" : "ConsumerNodeIds";
  }
  [[nodiscard]] static std::string_view word_of(const side& s) noexcept {
    return s.producers ? "producer " : "consumer ";
  }
  [[nodiscard]] range range_of(const side& s, std::uint32_t n) const noexcept {
    return s.producers ? g_.nodes[n].producers : g_.nodes[n].consumers;
  }
  [[nodiscard]] location at(const side& s, std::uint32_t edge) const noexcept {
    const std::uint32_t n = s.owner[edge];
    return at_node(n).in(member_of(s), edge - s.first[n]);
  }

  /// G01, G02.
  [[gnu::cold]] void ids() {
    for (std::uint32_t n = 0; n < count_; ++n) {
      const std::int64_t id = g_.nodes[n].id;
      if (const std::uint32_t first = c_.nodes.first_of(n); first != n) {
        repeated_ = true;
        c_.error(errc::ark_g01_node_id, at_node(n).in("Id"))
            << "duplicate Id " << id << ", also of $.Nodes[" << first << ']';
      } else if (id != std::int64_t{n}) {
        c_.warning(errc::ark_g02_node_index, at_node(n).in("Id"))
            << "Id " << id << " differs from the node's index, " << n;
      }
    }
  }

  /// Finds the nodes that edges name, and lists the edges by them.
  [[gnu::cold]] void resolve(side& s) {
    std::uint32_t edges = 0;
    s.first.reserve(std::size_t{count_} + 1);
    for (std::uint32_t n = 0; n < count_; ++n) {
      s.first.push_back(edges);
      edges += range_of(s, n).count;
    }
    s.first.push_back(edges);
    s.target.reserve(edges);
    s.owner.reserve(edges);
    s.first_by_target.resize(std::size_t{count_} + 1);
    for (std::uint32_t n = 0; n < count_; ++n)
      for (const std::int64_t id : integers(g_, range_of(s, n))) {
        const std::uint32_t t = c_.nodes.first(id);
        s.target.push_back(t);
        s.owner.push_back(n);
        if (t != none) ++s.first_by_target[t + 1];
      }
    for (std::uint32_t n = 0; n < count_; ++n) s.first_by_target[n + 1] += s.first_by_target[n];
    s.by_target.resize(s.first_by_target[count_]);
    pool<std::uint32_t> next = s.first_by_target;
    for (std::uint32_t e = 0; e < edges; ++e)
      if (s.target[e] != none) s.by_target[next[s.target[e]]++] = e;
  }

  /// G03, G05, G08.
  [[gnu::cold]] void listed(const side& s) {
    pool<std::uint32_t> seen;  // by node: the node that listed it last, + 1
    seen.resize(count_);
    for (std::uint32_t e = 0; e < s.target.size(); ++e) {
      const std::uint32_t n = s.owner[e], t = s.target[e];
      const std::int64_t id = g_.integers[range_of(s, n).first + (e - s.first[n])];
      if (t == none) {
        c_.error(errc::ark_g03_edge_target, at(s, e))
            << word_of(s) << id << " does not exist; expected the Id of a node in this file";
        continue;
      }
      if (t == c_.nodes.first_of(n))
        c_.error(errc::ark_g05_self_edge, at(s, e))
            << "node " << id << " lists itself; expected another node";
      if (seen[t] == n + 1)
        c_.warning(errc::ark_g08_repeated_edge, at(s, e)) << word_of(s) << id << " is listed twice";
      seen[t] = n + 1;
    }
  }

  /// G04.
  [[gnu::cold]] void mirrored() {
    pool<bool> repeated;  // an Id that several nodes have names none of them
    if (repeated_) {
      repeated.resize(count_);
      for (std::uint32_t n = 0; n < count_; ++n)
        if (const std::uint32_t first = c_.nodes.first_of(n); first != n)
          repeated[first] = repeated[n] = true;
    }
    pool<std::uint32_t> seen;
    for (std::size_t i = 0; i < 2; ++i) {
      const side &s = sides_[i], &other = sides_[1 - i];
      pool<bool> missing;
      missing.resize(s.target.size());
      bool any = false;
      seen.clear();
      seen.resize(count_);
      for (std::uint32_t n = 0; n < count_; ++n) {
        if (s.first_by_target[n] == s.first_by_target[n + 1]) continue;
        for (std::uint32_t e = other.first[n]; e < other.first[n + 1]; ++e)
          if (other.target[e] != none) seen[other.target[e]] = n + 1;
        for (std::uint32_t k = s.first_by_target[n]; k < s.first_by_target[n + 1]; ++k) {
          const std::uint32_t e = s.by_target[k], owner = s.owner[e];
          if (seen[owner] == n + 1 || owner == n) continue;
          if (repeated_ && (repeated[owner] || repeated[n])) continue;
          any = missing[e] = true;
        }
      }
      for (std::uint32_t e = 0; any && e < s.target.size(); ++e)
        if (missing[e])
          c_.error(errc::ark_g04_edge_mirror, at(s, e))
              << word_of(s) << g_.nodes[s.target[e]].id << " does not list node "
              << g_.nodes[s.owner[e]].id << " in its " << member_of(other);
    }
  }

  /// Whether all edges go forward in the array.
  [[nodiscard]] bool ascending() noexcept {
    in_order_ = true;
    for (const side& s : sides_)
      for (std::uint32_t e = 0; e < s.target.size(); ++e) {
        const std::uint32_t t = s.target[e], n = s.owner[e];
        if (t != none && t != n && (t > n) == s.producers) in_order_ = false;
      }
    return in_order_;
  }

  /// Some order along the edges of both sides; G06 when there is none.
  [[gnu::cold, gnu::noinline]] void sort_nodes() {
    pool<std::uint32_t> waits_for;
    waits_for.resize(count_);
    const auto each = [&](std::uint32_t n, bool before, auto&& visit) {
      // Nodes before n list it as consumer, or it lists them as producers.
      const side &own = sides_[before ? 0 : 1], &other = sides_[before ? 1 : 0];
      for (std::uint32_t e = own.first[n]; e < own.first[n + 1]; ++e)
        if (own.target[e] != none && own.target[e] != n) visit(own.target[e]);
      for (std::uint32_t k = other.first_by_target[n]; k < other.first_by_target[n + 1]; ++k)
        if (const std::uint32_t o = other.owner[other.by_target[k]]; o != n) visit(o);
    };
    for (std::uint32_t n = 0; n < count_; ++n)
      each(n, true, [&](std::uint32_t) { ++waits_for[n]; });
    for (std::uint32_t n = 0; n < count_; ++n)
      if (waits_for[n] == 0) order_.push_back(n);
    for (std::size_t i = 0; i < order_.size(); ++i)
      each(order_[i], false, [&](std::uint32_t n) {
        if (--waits_for[n] == 0) order_.push_back(n);
      });
    if (order_.size() == count_) return;
    order_.clear();

    // Each remaining node has a remaining predecessor: walking backwards ends in a cycle.
    pool<std::uint32_t> visited, cycle;  // by node: the walk that came here, + 1
    visited.resize(count_);
    for (std::uint32_t start = 0; start < count_; ++start) {
      std::uint32_t n = start;
      while (waits_for[n] != 0 && visited[n] == 0) {
        visited[n] = start + 1;
        std::uint32_t before = n;
        each(n, true, [&](std::uint32_t m) {
          if (waits_for[m] != 0 && before == n) before = m;
        });
        n = before;
      }
      if (waits_for[n] == 0 || visited[n] != start + 1) continue;
      cycle.clear();
      std::uint32_t lowest = 0;
      std::uint32_t at = n;
      do {
        visited[at] = none;  // each cycle is reported once
        if (cycle.empty() || at < cycle[lowest]) lowest = static_cast<std::uint32_t>(cycle.size());
        cycle.push_back(at);
        std::uint32_t before = at;
        each(at, true, [&](std::uint32_t m) {
          if (waits_for[m] != 0 && before == at) before = m;
        });
        at = before;
      } while (at != n);
      report_cycle(cycle, lowest);
    }
  }
  /// A cycle, backwards along its edges.
  [[gnu::cold, gnu::noinline]] void report_cycle(const pool<std::uint32_t>& cycle,
                                                 std::uint32_t lowest) {
    {
      writer out = c_.error(errc::ark_g06_cycle, at_node(cycle[lowest]));
      out << "dependency cycle: ";
      const std::size_t shown = cycle.size() < 12 ? cycle.size() : 12;
      for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t k = (lowest + cycle.size() - i) % cycle.size();
        out << g_.nodes[cycle[k]].id << " -> ";
      }
      if (shown < cycle.size()) out << "(" << cycle.size() - shown << " more) -> ";
      out << g_.nodes[cycle[lowest]].id;
    }
  }

  /// G07.
  void array_order() {
    const side& s = sides_[0];
    for (std::uint32_t e = 0; !in_order_ && e < s.target.size(); ++e) {
      const std::uint32_t n = s.owner[e], t = s.target[e];
      if (t == none || t <= n) continue;
      c_.warning(errc::ark_g07_order, at(s, e))
          << "the node precedes its producer " << g_.nodes[t].id << ", $.Nodes[" << t << ']';
    }
  }

  /// G09, G10, G12, G13.
  [[gnu::cold]] void tensors() {
    pool<std::uint32_t> maker;  // by tensor: which operation in order makes it, + 1
    maker.resize(g_.tensors.size());
    for (std::uint32_t i = 0; i < c_.ops.size(); ++i) {
      const op_place& p = c_.ops[i];
      const auto made = results(g_, g_.ops[p.op]);
      for (std::uint32_t k = 0; k < made.size(); ++k) {
        std::uint32_t& m = maker[c_.same_tensor(made[k])];
        if (m == 0) {
          m = i + 1;
          continue;
        }
        const severity how = c_.options.of_plan ? severity::warning : severity::error;
        {
          writer out = c_.found.add(errc::ark_g10_second_producer, how, c_.at(p, list::results, k));
          const op_place& first = c_.ops[m - 1];
          out << "tensor " << g_.tensors[made[k]].id << " is already a result of node "
              << g_.nodes[first.node].id;
          out << ' ' << quoted{name(g_, g_.ops[first.op])};
        }
      }
    }
    pool<std::uint32_t> listed;  // by node: the one that lists it as producer, + 1
    listed.resize(count_);
    std::uint32_t current = none;
    for (std::uint32_t i = 0; i < c_.ops.size(); ++i) {
      const op_place& p = c_.ops[i];
      const op& o = g_.ops[p.op];
      const view<std::uint32_t> used{g_.uses.data() + o.first_use, std::size_t{o.reads} + o.writes};
      for (std::uint32_t u = 0; u < used.size(); ++u) {
        const std::uint32_t m = maker[c_.same_tensor(used[u])];
        if (m == 0) continue;
        const std::int64_t id = g_.tensors[used[u]].id;
        const location at = at_use(p.node, p.index, o, u);
        if (m - 1 == i) {
          c_.error(errc::ark_g12_own_result, at)
              << "the operation reads or writes tensor " << id << ", its own result";
          continue;
        }
        const std::uint32_t from = c_.ops[m - 1].node;
        if (m - 1 > i)
          c_.error(errc::ark_g13_use_before_result, at)
              << "tensor " << id << " is used before node " << g_.nodes[from].id << " makes it";
        const std::uint32_t producer = c_.nodes.first_of(from);
        if (producer == c_.nodes.first_of(p.node)) continue;
        if (current != p.node) {
          current = p.node;
          for (const std::uint32_t t : producers(current))
            if (t != none) listed[t] = current + 1;
        }
        if (listed[producer] == current + 1) continue;
        listed[producer] = current + 1;
        c_.error(errc::ark_g09_missing_edge, at)
            << "tensor " << id << " is a result of node " << g_.nodes[from].id
            << ", which this node does not list as producer; expected " << g_.nodes[from].id
            << " in ProducerNodeIds";
      }
    }
  }

  context& c_;
  const ark::model& g_;
  std::uint32_t count_;
  side sides_[2] = {{true, {}, {}, {}, {}, {}}, {false, {}, {}, {}, {}, {}}};
  pool<std::uint32_t> order_;
  bool in_order_ = true, repeated_ = false;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_GRAPH_HPP
