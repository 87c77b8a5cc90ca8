// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "ends.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "plan.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::ark {
namespace {

using model::op_type;

/// Views of one buffer.
class regions {
 public:
  /// False when it is there already.
  bool add(const region& r) {
    first_ = std::min(first_, r.first);
    end_ = std::max(end_, r.end);
    if (has(r)) return false;
    if (list_.size() < most) list_.push_back(r);
    full_ = full_ || list_.size() == most;
    return true;
  }
  [[nodiscard]] bool touch(const region& r) const {
    if (full_) return r.first < end_ && first_ < r.end;
    return std::any_of(list_.begin(), list_.end(), [&r](const region& l) { return overlap(l, r); });
  }
  /// Whether one of them has all of it.
  [[nodiscard]] bool cover(const region& r) const {
    return std::any_of(list_.begin(), list_.end(), [&r](const region& l) {
      bool inside = alike(l, r);
      for (std::size_t d = 0; inside && d < r.layout->rank; ++d)
        inside =
            l.layout->offsets[d] <= r.layout->offsets[d] &&
            l.layout->offsets[d] + l.layout->shape[d] >= r.layout->offsets[d] + r.layout->shape[d];
      return inside;
    });
  }

 private:
  static constexpr std::size_t most = 256;  // so that time stays linear
  [[nodiscard]] bool has(const region& r) const {
    return std::any_of(list_.begin(), list_.end(), [&r](const region& l) {
      return l.element == r.element && same_dimensions(*l.layout, *r.layout);
    });
  }
  std::vector<region> list_;
  std::uint64_t first_ = std::numeric_limits<std::uint64_t>::max(), end_ = 0;
  bool full_ = false;
};

[[nodiscard]] bool uses_data(const model::op& o) noexcept {
  return info(o.type).kind != model::op_kind::view && o.type != op_type::noop &&
         o.type != op_type::send_done && o.type != op_type::device_sync;
}

/// One rank and the views that were seen in each of its storages.
struct rank_view {
  const model::program& program;
  const model::graph& graph;
  explicit rank_view(const model::program& p) : program(p), graph(p.graph()) {}

  [[nodiscard]] bool is_here(std::uint32_t t) const { return is_local(graph, buffer_of(graph, t)); }
  [[nodiscard]] std::uint32_t storage(std::uint32_t t) const {
    return program.storage(graph.tensors[t].buffer);
  }
  [[nodiscard]] end_point point(std::uint32_t t) const {
    return {static_cast<std::uint32_t>(graph.rank), t, graph.tensors[t].buffer};
  }
};

}  // namespace

std::vector<end_point> inputs(const model::world& w) {
  std::vector<std::vector<regions>> written(w.size());
  for (std::size_t r = 0; r < w.size(); ++r) written[r].resize(w.rank(r).graph().buffers.size());
  for (std::size_t r = 0; r < w.size() && w.size() > 1; ++r) {
    const rank_view from(w.rank(r));
    for (const model::op& o : from.graph.ops) {
      if (o.type == op_type::send_done || !uses_data(o)) continue;
      for (const std::uint32_t t : writes(from.graph, o)) {
        if (from.is_here(t)) continue;
        const std::uint32_t entry = w.owner_buffer(r, from.graph.tensors[t].buffer);
        const auto owner = static_cast<std::size_t>(buffer_of(from.graph, t).rank);
        if (entry != model::none)
          written[owner][w.rank(owner).storage(entry)].add(region_of(from.program, t));
      }
    }
  }
  std::vector<end_point> out;
  for (std::size_t r = 0; r < w.size(); ++r) {
    const rank_view at(w.rank(r));
    std::vector<regions> found(at.graph.buffers.size());
    for (const model::node& n : at.graph.nodes)
      for (const model::op& o : operations(at.graph, n)) {
        if (!uses_data(o)) continue;
        for (const std::uint32_t t : reads(at.graph, o)) {
          if (!at.is_here(t)) continue;
          const region here = region_of(at.program, t);
          if (!written[r][at.storage(t)].touch(here) && found[at.storage(t)].add(here))
            out.push_back(at.point(t));
        }
        for (const std::uint32_t t : writes(at.graph, o))
          if (at.is_here(t)) written[r][at.storage(t)].add(region_of(at.program, t));
      }
  }
  return out;
}

std::vector<end_point> outputs(const model::world& w) {
  std::vector<end_point> out;
  for (std::size_t r = 0; r < w.size(); ++r) {
    const rank_view at(w.rank(r));
    const model::graph& g = at.graph;
    std::vector<regions> read(g.buffers.size()), written(g.buffers.size());
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (std::size_t n = g.nodes.size(); n-- > 0;)
      for (std::size_t i = g.nodes[n].ops.count; i-- > 0;) {
        const model::op& o = operations(g, g.nodes[n])[i];
        if (!uses_data(o)) continue;
        for (std::size_t j = o.writes; j-- > 0;) {
          const std::uint32_t t = writes(g, o)[j];
          if (!at.is_here(t)) continue;
          const region here = region_of(at.program, t);
          if (!read[at.storage(t)].touch(here) && !written[at.storage(t)].cover(here)) {
            std::uint32_t shown = t;
            for (const std::uint32_t x : results(g, o))
              if (at.storage(x) == at.storage(t) && g.tensors[x].type == g.tensors[t].type &&
                  same_dimensions(layout_of(g, x), layout_of(g, t)))
                shown = x;
            out.push_back(at.point(shown));
          }
          written[at.storage(t)].add(here);
        }
        for (const std::uint32_t t : reads(g, o))
          if (at.is_here(t)) read[at.storage(t)].add(region_of(at.program, t));
      }
    std::reverse(out.begin() + first, out.end());
  }
  return out;
}

}  // namespace vm::ark
}  // namespace tessera::inline TESSERA_ABI
