// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of a plan in order, and the edges of the model that they are.

#ifndef TESSERA_ARK_DETAIL_PLAN_MODEL_HPP
#define TESSERA_ARK_DETAIL_PLAN_MODEL_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/sort.hpp"
#include "../model.hpp"
#include "../plan.hpp"
#include "index.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// An operation of a plan: number `op` of the task at `task`.
struct plan_place {
  std::uint32_t task = 0, op = 0;
};

/// All operations of a plan, in the order of their tasks' Ids.
[[nodiscard]] inline pool<plan_place> plan_order(const plan& p) {
  pool<std::uint32_t> tasks;
  for (std::size_t t = 0; t < p.tasks.size(); ++t) tasks.push_back(static_cast<std::uint32_t>(t));
  sort(tasks.data(), tasks.size(), [&p](std::uint32_t a, std::uint32_t b) {
    return p.tasks[a].id != p.tasks[b].id ? p.tasks[a].id < p.tasks[b].id : a < b;
  });
  pool<plan_place> out;
  for (const std::uint32_t t : tasks)
    for (std::uint32_t i = 0; i < p.tasks[t].ops.count; ++i) out.push_back({t, i});
  return out;
}

/// Gives the nodes of a model their edges.
inline void add_edges(model& g) {
  const id_index tensor_ids(g.tensors.data(), g.tensors.size());
  const id_index buffer_ids(g.buffers.data(), g.buffers.size());
  const pool<std::uint32_t>&tensor_of = tensor_ids.firsts(), &buffer_of = buffer_ids.firsts();
  pool<std::uint32_t> makers, writers, listed, counts;  // by tensor, buffer, node, node
  for (const std::uint32_t t : tensor_of) (void)t, makers.push_back(none);
  for (const std::uint32_t b : buffer_of) (void)b, writers.push_back(none);
  for (std::size_t n = g.nodes.size(); n-- > 0;)
    for (const std::uint32_t t : results(g, g.ops[g.nodes[n].ops.first]))
      makers[tensor_of[t]] = static_cast<std::uint32_t>(n);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) listed.push_back(none), counts.push_back(0);

  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const op& o = g.ops[g.nodes[n].ops.first];
    const std::size_t first = g.integers.size();
    for (std::uint32_t i = 0; i < o.reads + o.writes; ++i) {
      const std::uint32_t t = g.uses[o.first_use + i];
      std::uint32_t from = makers[tensor_of[t]];
      if (from == none) from = writers[buffer_of[g.tensors[t].buffer]];
      if (from == none || from == n || listed[from] == n) continue;
      listed[from] = static_cast<std::uint32_t>(n);
      ++counts[from];
      g.integers.push_back(std::int64_t{from});
    }
    for (const std::uint32_t t : writes(g, o))
      writers[buffer_of[g.tensors[t].buffer]] = static_cast<std::uint32_t>(n);
    const std::size_t count = g.integers.size() - first;
    sort(g.integers.data() + first, count, [](std::int64_t a, std::int64_t b) { return a < b; });
    g.nodes[n].producers = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    g.nodes[n].consumers = {static_cast<std::uint32_t>(g.integers.size()), 0};
    g.integers.resize(g.integers.size() + counts[n]);
  }
  for (const node& n : g.nodes)
    for (std::uint32_t i = 0; i < n.producers.count; ++i) {
      range& to = g.nodes[static_cast<std::size_t>(g.integers[n.producers.first + i])].consumers;
      g.integers[to.first + to.count++] = n.id;
    }
}

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_MODEL_HPP
