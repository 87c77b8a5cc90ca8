// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Rule G14: a path of dependencies orders accesses to the same bytes, one of which writes.
//
//   hazards(c, edges, steps).run();
//
// In the order of the array a file runs correctly; but running nodes in another order that the edges
// allow may give another result. Files of the format's own writer have many such accesses, because
// edges follow tensors and not buffers.
//
//   accesses   ReadTensors and WriteTensors of operations that compute or communicate; not views,
//              Noop, SendDone, DeviceSync, nor the labels that receives read
//   reported   each pair of nodes once, at the later access
//
// Each access is compared with the earlier ones of its buffer, back to a write of all its bytes that
// is itself ordered after all earlier ones and before this access: what is older is ordered, too.
//
// Lifetime:   borrows the context and the edges.
// Errors:     warnings.
// Limits:     verify_options::hazard_steps, counted in visited accesses, rows and edges.
// Allocation: 24 bytes for each access, 13 for each node, 8 for each buffer.

#ifndef TESSERA_ARK_DETAIL_HAZARDS_HPP
#define TESSERA_ARK_DETAIL_HAZARDS_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../../version.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "findings.hpp"
#include "overlap.hpp"
#include "rules_graph.hpp"
#include "rules_structure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class hazards {
 public:
  hazards(context& c, const graph_rules& edges) : c_(c), g_(c.g), edges_(edges) {}

  /// False when it stopped early.
  bool run() {
    if (!edges_.in_order() && edges_.order().empty()) return true;  // in a cycle nothing is ordered
    const auto count = static_cast<std::uint32_t>(g_.nodes.size());
    left_ = c_.options.hazard_steps;
    rank_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) rank_[node_at(i)] = i;
    reached_.resize(count);
    reported_.resize(count);
    newest_.resize(g_.buffers.size());
    newest_write_.resize(g_.buffers.size());
    first_op_.resize(std::size_t{count} + 1);
    for (const op_place& p : c_.ops) ++first_op_[p.node + 1];
    for (std::uint32_t n = 0; n < count; ++n) first_op_[n + 1] += first_op_[n];
    written();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t n = node_at(i);
      current_ = n;
      frontier_.clear();
      started_ = false;
      for (std::uint32_t k = first_op_[n]; k < first_op_[n + 1]; ++k)
        if (!operation(c_.ops[k])) return false;
    }
    return true;
  }

 private:
  struct access {
    std::uint32_t tensor, node;
    std::uint32_t older, older_write;  // of the same buffer, + 1; 0: none
    bool write, ordered;               // ordered: after every earlier conflicting access
  };

  /// Nodes in an order along their edges.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t i) const noexcept {
    return edges_.in_order() ? i : edges_.order()[i];
  }
  [[nodiscard]] static bool accesses(op_type t) noexcept {
    switch (t) {
      case op_type::send_done:
      case op_type::device_sync: return false;
      default: return info(t).kind != op_kind::view && info(t).kind != op_kind::none;
    }
  }
  [[nodiscard]] static bool is_label(op_type t, std::uint32_t read) noexcept {
    return read == 0 && (t == op_type::recv || t == op_type::recv_packet);
  }
  /// Buffers that nothing writes are skipped.
  void written() {
    written_.resize(g_.buffers.size());
    for (const op_place& p : c_.ops) {
      const op& o = g_.ops[p.op];
      if (accesses(o.type))
        for (const std::uint32_t t : writes(g_, o)) written_[c_.storage_of(t)] = true;
    }
  }

  bool operation(const op_place& p) {
    const op& o = g_.ops[p.op];
    if (!accesses(o.type)) return true;
    for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
      const std::uint32_t t = g_.uses[o.first_use + u];
      const std::uint32_t storage = c_.storage_of(t);
      if (!written_[storage] || c_.unsound[t] || (u < o.reads && is_label(o.type, u))) continue;
      const bool write = u >= o.reads;
      access a{t, p.node, newest_[storage], newest_write_[storage], write, true};
      if (!look_back(a, p, o, u)) return false;
      all_.push_back(a);
      newest_[storage] = static_cast<std::uint32_t>(all_.size());
      if (write) newest_write_[storage] = newest_[storage];
    }
    return true;
  }

  bool look_back(access& a, const op_place& p, const op& o, std::uint32_t use) {
    const layout& mine = layout_of(g_, a.tensor);
    const std::uint64_t bytes = info(g_.tensors[a.tensor].type).bytes;
    for (std::uint32_t i = a.write ? a.older : a.older_write; i != 0;) {
      if (left_ == 0) return false;
      --left_;
      const access& b = all_[i - 1];
      i = a.write ? b.older : b.older_write;
      // A node's own accesses are in order, and were compared themselves.
      const bool same_node = b.node == a.node;
      const layout& other = layout_of(g_, b.tensor);
      const std::uint64_t other_bytes = info(g_.tensors[b.tensor].type).bytes;
      if (b.tensor != a.tensor) {
        spend(4);
        if (bytes == other_bytes && same_grid(mine, other)) {
          if (!boxes_meet(mine, other)) continue;
        } else {
          const footprint x(mine, bytes), y(other, other_bytes);
          spend(overlap_cost(x, y));
          if (!overlap(x, y)) continue;
        }
      }
      bool path = same_node;
      if (!path && !reaches(b.node, path)) return false;
      if (!path) {
        a.ordered = false;
        report_pair(a, b, p, o, use);
      } else if (b.write && b.ordered &&
                 (b.tensor == a.tensor ||
                  footprint(other, other_bytes).covers(footprint(mine, bytes)))) {
        break;
      }
    }
    return true;
  }

  /// Whether a path of edges leads from a node to the current one. The search goes backwards from
  /// the current node, the latest first, and only as far as needed.
  bool reaches(std::uint32_t from, bool& path) {
    if (!started_) {
      started_ = true;
      expand(current_);
    }
    while (reached_[from] != current_ + 1 && !frontier_.empty() && frontier_[0] >= rank_[from]) {
      if (left_ == 0) return false;
      --left_;
      expand(node_at(pop()));
    }
    path = reached_[from] == current_ + 1;
    return true;
  }
  void expand(std::uint32_t n) {
    for (const std::uint32_t m : edges_.producers(n)) {
      spend(1);
      if (m == none || reached_[m] == current_ + 1 || m == current_) continue;
      reached_[m] = current_ + 1;
      push(rank_[m]);
    }
  }
  void spend(std::uint64_t steps) noexcept { left_ -= left_ < steps ? left_ : steps; }
  // A heap of places in the order of nodes, the last on top.
  void push(std::uint32_t place) {
    frontier_.push_back(place);
    std::size_t i = frontier_.size() - 1;
    for (; i > 0 && frontier_[(i - 1) / 2] < place; i = (i - 1) / 2)
      frontier_[i] = frontier_[(i - 1) / 2];
    frontier_[i] = place;
  }
  std::uint32_t pop() noexcept {
    const std::uint32_t top = frontier_[0], last = frontier_.back();
    frontier_.pop_back();
    std::size_t i = 0;
    for (std::size_t child; (child = 2 * i + 1) < frontier_.size(); i = child) {
      if (child + 1 < frontier_.size() && frontier_[child] < frontier_[child + 1]) ++child;
      if (frontier_[child] <= last) break;
      frontier_[i] = frontier_[child];
    }
    if (!frontier_.empty()) frontier_[i] = last;
    return top;
  }

  void report_pair(const access& a, const access& b, const op_place& p, const op& o,
                   std::uint32_t use) {
    if (reported_[b.node] == a.node + 1) return;
    reported_[b.node] = a.node + 1;
    c_.warning(errc::ark_g14_unordered_access, at_use(p.node, p.index, o, use))
        << "node " << g_.nodes[b.node].id << (b.write ? " writes" : " reads")
        << " the same bytes of buffer " << buffer_of(g_, a.tensor).id
        << "; no path of dependencies leads from it to node " << g_.nodes[a.node].id;
  }

  context& c_;
  const ark::model& g_;
  const graph_rules& edges_;
  std::uint64_t left_ = 0;
  pool<std::uint32_t> rank_;                   // by node: its location in the order
  pool<std::uint32_t> first_op_;               // by node: its operations in context::ops
  pool<bool> written_;                         // by buffer
  pool<std::uint32_t> newest_, newest_write_;  // by buffer: its accesses so far, + 1; 0: none
  pool<access> all_;
  pool<std::uint32_t> reached_, reported_;  // by node: the node for which it was, + 1
  pool<std::uint32_t> frontier_;
  std::uint32_t current_ = 0;
  bool started_ = false;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_HAZARDS_HPP
