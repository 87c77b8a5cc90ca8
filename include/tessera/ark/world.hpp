// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// All ranks of a model together, and the order in which one process runs them.
//
//   ark::schedule order(*world);                         // world: from verify_ranks()
//   for (ark::schedule::step s; order.next(s);)
//     execute(s.rank, world->rank(s.rank).graph().ops[s.op]);
//
// Each message has a source, a destination and a tag: a channel. A send adds a message, a receive
// waits for one; DeviceSync waits for all ranks. What is sent on one channel is alike, so counting
// is enough to run the ranks in turns, and to prove that they don't wait for each other.
//
//   Send, SendPacket       sends on (own rank, W[0]'s rank, t) for each t of W[0]'s RecvTags
//   Recv                   waits for (R[0]'s rank, own rank, t) for each t of R[0]'s SendTags
//   RecvPacket             waits for (R[0]'s rank, own rank, t) for its tags in R[1]'s RecvTags
//   RecvReduceSend[Packet] waits for each of R[1]'s RecvTags, then sends on W[1], W[2], …
//
// Lifetime:   a world borrows its programs, a schedule its world.
// Errors:     none.
// Limits:     none.
// Allocation: linear in the graphs.

#ifndef TESSERA_ARK_WORLD_HPP
#define TESSERA_ARK_WORLD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "findings.hpp"
#include "format.hpp"
#include "graph.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What messages have in common that can stand for each other.
struct channel {
  std::uint32_t source = 0, destination = 0;  ///< ranks
  std::int32_t tag = 0;
  friend constexpr bool operator==(const channel&, const channel&) = default;
};

namespace detail {
class ranks_checker;
}
class world;
[[nodiscard]] result<world> verify_ranks(view<const program*> ranks,
                                         const verify_options& options = {},
                                         report* found = nullptr,
                                         view<std::string_view> sources = {});

/// Programs that together are a model; only verify_ranks() makes one. Borrows the programs.
class world {
 public:
  /// How many ranks there are: WorldSize.
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
  /// Programs in order of their Rank, whatever the order they were given in.
  [[nodiscard]] const program& rank(std::size_t r) const noexcept { return *programs_[r]; }
  /// What the stand-in `buffer` of rank r stands for: an entry of the buffers of the rank that holds
  /// it, which is its storage. By its RecvTags or, without any, its SendTags; none if there is none.
  [[nodiscard]] std::uint32_t owner_buffer(std::size_t r, std::uint32_t buffer) const noexcept {
    return owners_[first_buffer_[r] + programs_[r]->storage(buffer)];
  }

  /// The channels that operations use, each once.
  [[nodiscard]] const pool<channel>& channels() const& noexcept { return channels_; }
  const pool<channel>& channels() const&& = delete;
  /// Indices of the channels on which an operation (an index into rank r's graph().ops) sends.
  [[nodiscard]] view<std::uint32_t> sends(std::size_t r, std::size_t op) const noexcept {
    const traffic& t = traffic_[first_op_[r] + op];
    return {uses_.data() + t.first, t.sends};
  }
  /// The same for those on which it waits.
  [[nodiscard]] view<std::uint32_t> receives(std::size_t r, std::size_t op) const noexcept {
    const traffic& t = traffic_[first_op_[r] + op];
    return {uses_.data() + t.first + t.sends, t.receives};
  }

 private:
  friend class detail::ranks_checker;
  struct traffic {
    std::uint32_t first = 0, sends = 0, receives = 0;
  };
  world() = default;

  pool<const program*> programs_;
  pool<std::size_t> first_buffer_, first_op_;  // of each rank, in the pools below
  pool<std::uint32_t> owners_;
  pool<traffic> traffic_;
  pool<std::uint32_t> uses_;  // indices of channels
  pool<channel> channels_;
};

/// The order in which one process runs all ranks: each runs until it waits, then the next that can
/// go on does. An operation that waits is named when what it waits for is there.
class schedule {
 public:
  struct step {
    std::uint32_t rank = 0;
    std::uint32_t node = 0;  ///< in graph().nodes
    std::uint32_t op = 0;    ///< in graph().ops
  };
  /// Where a rank waits, and for what.
  struct wait {
    step at;
    bool sync = false;  ///< for all ranks
    channel message;    ///< otherwise: for one of these
  };

  explicit schedule(const world& w) : world_(w) {
    ranks_.resize(w.size());
    queue_.resize(w.size());
    messages_.resize(w.channels().size());
    waiting_.resize(w.channels().size());
    for (std::size_t r = 0; r < w.size(); ++r) queue_[r] = static_cast<std::uint32_t>(r);
    queued_ = w.size();
  }
  explicit schedule(world&&) = delete;

  /// The next operation to execute; false when all have ended, or when none can go on.
  [[nodiscard]] bool next(step& out) {
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
  /// How many ranks have not ended; behind the end, these wait for each other.
  [[nodiscard]] std::size_t unfinished() const noexcept {
    std::size_t count = 0;
    for (const state& s : ranks_) count += s.ended ? 0 : 1;
    return count;
  }
  /// Behind the end: where rank r waits. False when it has ended.
  [[nodiscard]] bool waits(std::size_t r, wait& out) const noexcept {
    const state& s = ranks_[r];
    if (s.ended) return false;
    const graph& g = world_.rank(r).graph();
    const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
    out.at = {static_cast<std::uint32_t>(r), s.node, op};
    out.sync = g.ops[op].type == op_type::device_sync;
    out.message = {};
    if (const auto list = world_.receives(r, op); s.received < list.size())
      out.message = world_.channels()[list[s.received]];
    return true;
  }
  /// Messages that were sent and not received.
  [[nodiscard]] std::uint64_t left_over() const noexcept {
    std::uint64_t count = 0;
    for (const std::uint64_t m : messages_) count += m;
    return count;
  }

 private:
  struct state {
    std::uint32_t node = 0,
                  op = 0;        // what comes next: an index of a node, and among its operations
    std::uint32_t received = 0;  // messages that it has taken already
    bool synced = false;         // it stands at a DeviceSync that all have reached
    bool ended = false;
  };

  /// Goes on with the current rank by one operation; false when it waits or has ended.
  bool advance(step& out) {
    state& s = ranks_[current_];
    const graph& g = world_.rank(current_).graph();
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
  void wake(std::uint32_t rank) {
    std::size_t i = first_ + queued_++;
    if (i >= queue_.size()) i -= queue_.size();
    queue_[i] = rank;
  }

  const world& world_;
  pool<state> ranks_;
  pool<std::uint32_t> queue_;  // a ring: the ranks that can go on
  std::size_t first_ = 0, queued_ = 0, arrived_ = 0;
  pool<std::uint64_t> messages_;  // by channel: those that are under way
  pool<std::uint32_t> waiting_;   // by channel: the rank that waits, + 1; 0: none does
  std::uint32_t current_ = 0;
  bool running_ = false;
};

/// Which rank waits where, and for what, in one sentence.
inline void describe_waits(const world& w, const schedule& order, text& out) {
  schedule::wait at;
  std::size_t count = 0;
  for (std::size_t r = 0; r < w.size(); ++r) {
    if (!order.waits(r, at)) continue;
    if (++count > 16) continue;
    const graph& g = w.rank(r).graph();
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

#endif  // TESSERA_ARK_WORLD_HPP
