// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// All ranks of a model together: the rules M, and the order in which one process runs them.
//
//   const ark::program* ranks[] = {&*rank0, &*rank1};
//   auto world = ark::verify_ranks({ranks, 2}, {}, &found);
//   ark::schedule order(*world);
//   for (ark::schedule::step s; order.next(s);)
//     execute(s.rank, world->rank(s.rank).model().ops[s.op]);
//
// A file describes a buffer of another rank by a remote buffer, which only its tags connect with the
// buffer of its owner:
//
//   in rank r: {"Id": 9, "Rank": o, "RecvTags": [[-1, t]]}     the remote buffer
//   in rank o: {"Id": 4, "Rank": -1, "RecvTags": [[r, t], …]}  its owner's buffer
//
// Each message has a source, a destination and a tag: a channel. A send adds a message, a receive
// waits for one; DeviceSync waits for all ranks. Messages on one channel are interchangeable, so
// counting them is enough to run the ranks in turns, and to prove that there is no deadlock.
//
//   Send, SendPacket       sends on (own rank, W[0]'s rank, t) for each t of W[0]'s RecvTags
//   Recv                   waits for (R[0]'s rank, own rank, t) for each t of R[0]'s SendTags
//   RecvPacket             waits for (R[0]'s rank, own rank, t) for its tags in R[1]'s RecvTags
//   RecvReduceSend[Packet] waits for each of R[1]'s RecvTags, then sends on W[1], W[2], …
//
// In a report, place::file is the number of the program in the list that was given.
//
// Lifetime:   a world borrows its programs, a schedule its world.
// Errors:     ark_m*, that of the first diagnostic that is an error.
// Limits:     ranks_options.
// Allocation: linear in the models.

#ifndef TESSERA_ARK_RANKS_HPP
#define TESSERA_ARK_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What interchangeable messages have in common.
struct channel {
  /// The rank that sends, and the one that receives.
  std::uint32_t source = 0, destination = 0;  ///< ranks
  std::int32_t tag = 0;                       ///< the tag of both
  friend constexpr bool operator==(const channel&, const channel&) = default;
};

namespace detail {
class ranks_checker;
}
/// Programs that together are a model; only verify_ranks() makes one. Borrows the programs.
class world {
 public:
  /// How many ranks there are: WorldSize.
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
  /// Programs in order of their Rank, whatever the order they were given in.
  [[nodiscard]] const program& rank(std::size_t r) const noexcept { return *programs_[r]; }
  /// The owner's buffer for the remote `buffer` of rank r: an entry of the owner's buffers, which is
  /// its storage. By its RecvTags or, without any, its SendTags; none if there is none.
  [[nodiscard]] std::uint32_t owner_buffer(std::size_t r, std::uint32_t buffer) const noexcept {
    return owners_[first_buffer_[r] + programs_[r]->storage(buffer)];
  }

  /// The channels that operations use, each once.
  [[nodiscard]] const pool<channel>& channels() const& noexcept { return channels_; }
  const pool<channel>& channels() const&& = delete;
  /// Indices of the channels on which an operation (an index into rank r's model().ops) sends.
  [[nodiscard]] view<std::uint32_t> sends(std::size_t r, std::size_t op) const noexcept;
  /// The same for those on which it waits.
  [[nodiscard]] view<std::uint32_t> receives(std::size_t r, std::size_t op) const noexcept;

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

/// The order in which one process runs all ranks: each runs until it waits, then the next one that can
/// continue does. next() gives an operation that waits once its messages have been sent.
class schedule {
 public:
  /// One operation of one rank.
  struct step {
    std::uint32_t rank = 0;  ///< which rank runs it
    std::uint32_t node = 0;  ///< in model().nodes
    std::uint32_t op = 0;    ///< in model().ops
  };
  /// Where a rank waits, and for what.
  struct wait {
    step at;            ///< the operation that waits
    bool sync = false;  ///< for all ranks
    channel message;    ///< otherwise: for one of these
  };

  /// From the first operations of all ranks on. Borrows the world.
  explicit schedule(const world& w);
  explicit schedule(world&&) = delete;

  /// The next operation to execute; false when all have ended, or when no rank can continue.
  [[nodiscard]] bool next(step& out);
  /// How many ranks have not ended; once next() is false, these wait for each other.
  [[nodiscard]] std::size_t unfinished() const noexcept;
  /// Once next() is false: where rank r waits. False when it has ended.
  [[nodiscard]] bool waits(std::size_t r, wait& out) const noexcept;
  /// Messages that were sent and not received.
  [[nodiscard]] std::uint64_t left_over() const noexcept;

 private:
  struct state {
    std::uint32_t node = 0,
                  op = 0;        // the next one: indices of a node and of one of its operations
    std::uint32_t received = 0;  // messages that it has received so far
    bool synced = false;         // it is at a DeviceSync that all have reached
    bool ended = false;
  };

  /// Continues with the current rank by one operation; false when it waits or has ended.
  bool advance(step& out);
  void wake(std::uint32_t rank);

  const world& world_;
  pool<state> ranks_;
  pool<std::uint32_t> queue_;  // a ring: the ranks that can continue
  std::size_t first_ = 0, queued_ = 0, arrived_ = 0;
  pool<std::uint64_t> messages_;  // by channel: those that are under way
  pool<std::uint32_t> waiting_;   // by channel: the rank that waits, + 1; 0: none does
  std::uint32_t current_ = 0;
  bool running_ = false;
};

/// Appends one sentence: which ranks wait, where and for what.
void describe_waits(const world& w, const schedule& order, text& out);

/// What the ranks' texts are, and how much is reported.
struct ranks_options {
  view<std::string_view> sources = {};   ///< the texts of the programs, for exact offsets
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Verifies that programs, in any order, are all ranks of one model and cannot deadlock.
[[nodiscard]] result<world> verify_ranks(view<const program*> ranks,
                                         const ranks_options& options = {},
                                         report* found = nullptr);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/ranks.hpp"
#endif

#endif  // TESSERA_ARK_RANKS_HPP
