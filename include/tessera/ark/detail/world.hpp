// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/world.hpp.

#ifndef TESSERA_ARK_DETAIL_WORLD_HPP
#define TESSERA_ARK_DETAIL_WORLD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../../core/text.hpp"
#include "../findings.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../world.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class ranks_checker;

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE view<std::uint32_t> world::sends(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first, t.sends};
}

TESSERA_INLINE view<std::uint32_t> world::receives(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first + t.sends, t.receives};
}

TESSERA_INLINE schedule::schedule(const world& w) : world_(w) {
  ranks_.resize(w.size());
  queue_.resize(w.size());
  messages_.resize(w.channels().size());
  waiting_.resize(w.channels().size());
  for (std::size_t r = 0; r < w.size(); ++r) queue_[r] = static_cast<std::uint32_t>(r);
  queued_ = w.size();
}

TESSERA_INLINE bool schedule::next(step& out) {
  for (;;) {
    if (!running_) {
      if (queued_ == 0) return false;
      current_ = queue_[first_];
      first_ = first_ + 1 == queue_.size() ? 0 : first_ + 1;
      --queued_;
      running_ = true;
    }
    running_ = advance(out);
    if (running_) return true;
  }
}

TESSERA_INLINE std::size_t schedule::unfinished() const noexcept {
  std::size_t count = 0;
  for (const state& s : ranks_) count += s.ended ? 0 : 1;
  return count;
}

TESSERA_INLINE bool schedule::waits(std::size_t r, wait& out) const noexcept {
  const state& s = ranks_[r];
  if (s.ended) return false;
  const model& g = world_.rank(r).model();
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  out.at = {static_cast<std::uint32_t>(r), s.node, op};
  out.sync = g.ops[op].type == op_type::device_sync;
  out.message = {};
  if (const auto list = world_.receives(r, op); s.received < list.size())
    out.message = world_.channels()[list[s.received]];
  return true;
}

TESSERA_INLINE std::uint64_t schedule::left_over() const noexcept {
  std::uint64_t count = 0;
  for (const std::uint64_t m : messages_) count += m;
  return count;
}

TESSERA_INLINE bool schedule::advance(step& out) {
  state& s = ranks_[current_];
  const model& g = world_.rank(current_).model();
  while (s.node < g.nodes.size() && s.op >= g.nodes[s.node].ops.count) {
    ++s.node;
    s.op = 0;
  }
  if (s.node == g.nodes.size()) {
    s.ended = true;
    return false;
  }
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  const auto wanted = world_.receives(current_, op);
  for (; s.received < wanted.size(); ++s.received) {
    const std::uint32_t c = wanted[s.received];
    if (messages_[c] == 0) {
      waiting_[c] = current_ + 1;
      return false;
    }
    --messages_[c];
  }
  if (g.ops[op].type == op_type::device_sync && !s.synced) {
    if (++arrived_ < ranks_.size()) return false;
    arrived_ = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].synced = true;
      if (r != current_) wake(r);
    }
  }
  for (const std::uint32_t c : world_.sends(current_, op)) {
    ++messages_[c];
    if (waiting_[c] != 0) wake(waiting_[c] - 1);
    waiting_[c] = 0;
  }
  out = {current_, s.node, op};
  ++s.op;
  s.received = 0;
  s.synced = false;
  return true;
}

TESSERA_INLINE void schedule::wake(std::uint32_t rank) {
  std::size_t i = first_ + queued_++;
  if (i >= queue_.size()) i -= queue_.size();
  queue_[i] = rank;
}

TESSERA_INLINE void describe_waits(const world& w, const schedule& order, text& out) {
  schedule::wait at;
  std::size_t count = 0;
  for (std::size_t r = 0; r < w.size(); ++r) {
    if (!order.waits(r, at)) continue;
    if (++count > 16) continue;
    const model& g = w.rank(r).model();
    out << (count == 1 ? "" : "; ") << "rank " << r << " waits at node " << g.nodes[at.at.node].id
        << " (" << type_name(g, g.ops[at.at.op]) << ") for ";
    if (at.sync)
      out << "all ranks";
    else
      out << "a message from rank " << at.message.source << " to rank " << at.message.destination
          << " with tag " << at.message.tag;
  }
  if (count > 16) out << "; and " << count - 16 << " more";
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_WORLD_HPP
