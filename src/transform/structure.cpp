// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Passes that look at no operation's meaning: what is computed twice, what nothing uses, where weights
// are loaded.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "transform/passes.hpp"
#include "vm/nac/in_place.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

/// A use reaches so many instructions back; of a merged result, too.
constexpr std::uint32_t max_reach = 32000;
/// Earlier nodes with the same operation and operands that are looked at.
constexpr std::size_t max_candidates = 8;

[[nodiscard]] std::string key_of(const graph& g, std::uint32_t n) {
  const graph::node& of = g[n];
  std::string key = std::to_string(of.name) + (of.what == graph::role::system ? " p" : " ");
  for (const graph::operand& o : of.operands) {
    key += o.letter;
    key += o.node != graph::none ? 'v' : 'c';
    key += std::to_string(o.node != graph::none ? o.node : o.value);
  }
  return key;
}

}  // namespace

void merge_common(graph& g, pass_context& c) {
  const sharing shared(g);
  const std::vector<std::uint32_t> place = g.places();
  std::unordered_map<std::string, std::vector<std::uint32_t>> seen;
  for (std::uint32_t n = g.first(), next; n != graph::none; n = next) {
    next = g[n].next;
    g.resolve(n);
    if ((!is_pure(g, n) && !g.is_parameter(n)) || shared.is_fixed(g, n)) continue;
    std::vector<std::uint32_t>& same = seen[key_of(g, n)];
    const auto at = std::find_if(same.rbegin(), same.rend(), [&](std::uint32_t e) {
      return place[n] - place[e] < max_reach && g.contains(g[e].block, g[n].block);
    });
    if (at == same.rend() || g.is_last(n)) {
      if (same.size() == max_candidates) same.erase(same.begin());
      same.push_back(n);
      continue;
    }
    c.changed(g, n, "the same as " + shown(g, *at));
    g.forward(n, *at);
  }
  g.resolve();
}

namespace {

class reachable {
 public:
  explicit reachable(const graph& g) : g_(g), live_(g.size()) {
    for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next) {
      const bool is_branch_end =
          g[n].block != graph::none && (g.is_last(n) || g[n].a == nac::op_output);
      if (is_branch_end) ends_[g[g[n].block].opener].push_back(n);
      if (left_alone_[n] || has_effect(n) || (g[n].block == graph::none && g.is_last(n))) mark(n);
    }
    while (!next_.empty()) {
      const std::uint32_t n = next_.back();
      next_.pop_back();
      for (const graph::operand& o : g[n].operands)
        if (o.node != graph::none) mark(o.node);
      if (g[n].block != graph::none) mark(g[g[n].block].opener);
      if (const auto ends = ends_.find(n); ends != ends_.end())
        for (const std::uint32_t e : ends->second) mark(e);
    }
  }
  /// Markers live with the node whose branches they are.
  [[nodiscard]] bool contains(std::uint32_t n) const noexcept {
    const graph::node& of = g_[n];
    const bool is_marker = of.what == graph::role::branch || of.what == graph::role::end;
    return live_[is_marker ? of.opener : n];
  }

 private:
  void mark(std::uint32_t n) {
    if (live_[n]) return;
    live_[n] = true;
    next_.push_back(n);
  }
  [[nodiscard]] bool has_effect(std::uint32_t n) {
    const graph::node& of = g_[n];
    switch (of.what) {
      case graph::role::operation: return !is_pure(g_, n);
      case graph::role::system:
        if (of.a == nac::op_output)
          return of.block == graph::none || of.b == static_cast<std::uint8_t>(nac::output::model);
        return !g_.is_parameter(n);
      case graph::role::opener: return of.a == nac::op_convergence;
      case graph::role::branch:
      case graph::role::end: break;
    }
    return false;
  }

  const graph& g_;
  const std::vector<bool> left_alone_ = in_convergence(g_);
  std::vector<bool> live_;
  std::vector<std::uint32_t> next_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ends_;  // by opener
};

}  // namespace

void remove_dead(graph& g, pass_context& c) {
  const reachable live(g);
  for (std::uint32_t n = g.first(), next; n != graph::none; n = next) {
    next = g[n].next;
    if (live.contains(n)) continue;
    if (g[n].what == graph::role::operation)
      c.changed(g, n, std::string(g.name(n)) + ": nothing uses it");
    else if (g.is_parameter(n))
      c.changed(g, n, g.parameter_of(n).name + ": nothing uses it");
    else if (g[n].what == graph::role::opener)
      c.changed(g, n, "CONTROL_FLOW: nothing uses its value");
    g.erase(n);
  }
  c.count += g.drop_parameters();
}

namespace {

/// The node in block `outer` that contains `n`, which is in it or in a block inside.
[[nodiscard]] std::uint32_t in_block(const graph& g, std::uint32_t n, std::uint32_t outer) {
  while (g[n].block != outer) n = g[g[n].block].opener;
  return n;
}
[[nodiscard]] std::uint32_t common_block(const graph& g, std::uint32_t a, std::uint32_t b) {
  while (a != b && a != graph::none && b != graph::none) {
    std::uint32_t& deeper = g[a].depth >= g[b].depth ? a : b;
    deeper = g[g[deeper].opener].block;
  }
  return a == b ? a : graph::none;
}

struct placed {
  std::uint32_t first_use = graph::none, block = graph::none;
};

}  // namespace

void place_parameters(graph& g, pass_context& c) {
  const sharing shared(g);
  std::vector<placed> of(g.size());
  std::vector<std::uint32_t> order;  // parameters by their first use
  for (std::uint32_t n = g.first(); n != graph::none; n = g[n].next)
    for (const graph::operand& o : g[n].operands) {
      if (o.node == graph::none || !g.is_parameter(o.node)) continue;
      placed& p = of[o.node];
      p.block = p.first_use == graph::none ? g[n].block : common_block(g, p.block, g[n].block);
      if (p.first_use != graph::none) continue;
      p.first_use = n;
      order.push_back(o.node);
    }
  std::map<std::uint32_t, std::vector<std::uint32_t>> wanted;  // by place: what is before it
  for (const std::uint32_t n : order)
    if (!shared.changes(n) && !g.is_last(n) && g.contains(g[n].block, of[n].block))
      wanted[in_block(g, of[n].first_use, of[n].block)].push_back(n);
  for (const auto& [place, parameters] : wanted) {
    std::uint32_t before = place;
    const bool is_there = std::all_of(parameters.rbegin(), parameters.rend(), [&](std::uint32_t n) {
      before = g[before].previous;
      return before == n;
    });
    if (is_there) continue;
    for (const std::uint32_t n : parameters) {
      c.changed(g, n, g.parameter_of(n).name + ": before " + shown(g, place));
      g.move_before(n, place);
    }
  }
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
