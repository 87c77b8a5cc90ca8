// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// When a plan's tiles run, and on which warps of which processors.
//
//   const tessera::inspect::plan_timeline t(plan);
//   for (const auto& r : t.runs()) use(r.processor, r.warp, r.start, r.end);
//   tessera::text trace;
//   tessera::inspect::append_trace(trace, ranks);          // Chrome's form, a process for each rank
//
//   time        no device's: a tile takes the arithmetic operations and the bytes read and written of
//               its operations (cost.hpp), as a part of those of all tiles, by its warps; 1 at least for
//               each operation
//   groups      a processor group begins when the groups before it that share processors have ended
//               on all of their processors; groups that share none run side by side
//   resources   the resource groups of one processor group begin together, each on its own warps; where
//               they share some, one after the other
//   slots       as many tiles of a task at once as its warps and its memory fit into the resource
//               group's; slot k has the k-th warps of them
//   tiles       Granularity tiles to each processor in turn; a task group begins at the processor after
//               the last one of the task group before it, each slot as soon as it is free
//   messages    not in it: ranks don't wait for each other
//
// That is how the format's code generator spreads tiles; steps of ranges are 1, as it takes them.
//
// Lifetime:   values; a timeline borrows its plan while it is made.
// Errors:     none: any plan that passed verify_plan() is accepted.
// Limits:     `max_work` steps of tiles, warps and processors; beyond that complete() is false, and the
//             last runs are missing.
// Allocation: 80 bytes for each run; tiles that follow each other on the same warps are one.

#ifndef TESSERA_INSPECT_ARK_PLAN_TIMELINE_HPP
#define TESSERA_INSPECT_ARK_PLAN_TIMELINE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "../../ark.hpp"
#include "../../core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Tiles of a task, one after the other on the same warps.
struct plan_run {
  std::uint32_t task = 0;            ///< in plan::tasks
  std::int64_t processor = 0;        ///< its number, as in ranges of the plan
  std::int64_t warp = 0;             ///< the first of the task's NumWarps
  std::int64_t first_tile = 0;       ///< the number of the first tile
  std::uint64_t tiles = 0;           ///< how many; their numbers need not be consecutive
  std::uint64_t start = 0, end = 0;  ///< in the time of plan_timeline
  /// What ended when this began, after the warps were idle: a task and its processor; or none.
  std::uint32_t waited_task = ark::none;
  std::int64_t waited_processor = 0;  ///< where waited_task ran
  std::uint64_t waited = 0;           ///< how long the first warp was idle
};

/// The timeline of one rank's plan, which passed verify_plan().
class plan_timeline {
 public:
  /// Steps of tiles, warps and processors that a timeline may take.
  static constexpr std::uint64_t default_work = std::uint64_t{1} << 20;

  /// Computes the timeline; after `max_work` steps it isn't complete().
  explicit plan_timeline(const ark::plan& p, std::uint64_t max_work = default_work);

  /// By start, then by processor and warp.
  [[nodiscard]] const std::vector<plan_run>& runs() const noexcept { return runs_; }
  /// When the last run ends; 0 without runs.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  /// Whether all tiles are in runs().
  [[nodiscard]] bool complete() const noexcept { return complete_; }

 private:
  class scheduler;
  std::vector<plan_run> runs_;
  std::uint64_t end_ = 0;
  bool complete_ = true;
};

/// Appends the timelines of the plans of all ranks, or of one: a row for each warp that begins a tile,
/// counters of the memory that tiles have, and of buffers from their first to their last use; inputs,
/// outputs and what callers or peers fill count throughout.
void append_trace(text& out, std::span<const ark::plan* const> ranks,
                  std::uint64_t max_work = plan_timeline::default_work);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_PLAN_TIMELINE_HPP
