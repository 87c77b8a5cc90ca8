// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Plans: how a machine runs a model. Operations cut into tiles, and who computes them.
//
//   auto plan = ark::read_plan(source);
//   if (!plan) return fail(describe(plan.error(), source));
//   for (const ark::plan_task& t : plan->tasks)
//     for (std::uint32_t i = 0; i < t.ops.count; ++i)
//       use(t.id, plan->parts.ops[t.ops.first + i], plan->configs[t.ops.first + i].num_tasks);
//
//   plan             Rank WorldSize [Architecture] NumProcessors NumWarpsPerProcessor TaskInfos
//                    ProcessorGroups
//   task             Id NumWarps SramBytes Ops: operations of the model, each with its Config
//   Config           NumWarps SramBytes NumTasks [Tile TileShapeMNK ImplType ChannelType …]
//   processor group  ProcessorRange ResourceGroups
//   resource group   ProcessorRange WarpRange SramRange TaskGroups
//   task group       TaskId TaskRange Granularity
//   range            [begin, end] or [begin, end, step]; `end` is behind the last
//
// Architecture is absent in older files and stands behind NumWarpsPerProcessor in some that were
// edited by hand; that is kept, and so are unknown members of every object, and null in place of the
// lists that older planners wrote for an empty model. A Config is kept whole, as compact JSON; what
// is known of it is read from there, and values in another form than expected are as if absent.
//
// Lifetime:   a plan owns itself.
// Errors:     those of read() for operations; ark_plan_member, ark_plan_range and ark_plan_config at
//             the value that is wrong, or at the object that lacks a member.
// Limits:     max_bytes; max_items for every list; max_depth.
// Allocation: at most 16 × input + 64 KiB, for hostile text; about the input for real files.

#ifndef TESSERA_ARK_PLAN_HPP
#define TESSERA_ARK_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "read.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// begin, begin + step, … below end. The format's own code generator takes every step for 1.
struct plan_range {
  std::int64_t begin = 0, end = 0, step = 1;
  bool has_step = false;  ///< the step stood in the file

  /// How many there are when the step is 1.
  [[nodiscard]] constexpr std::int64_t count() const noexcept {
    return end > begin ? end - begin : 0;
  }
  /// Whether all of it lies in `outer`. An empty range does where its ends do.
  [[nodiscard]] constexpr bool inside(const plan_range& outer) const noexcept {
    return begin >= outer.begin && end <= outer.end;
  }
};

enum class flag : std::uint8_t { absent, no, yes };

/// How one operation is computed. Numbers are -1, texts and lists empty when absent.
struct plan_config {
  std::uint64_t offset = 0;      ///< of its operation in the file
  string text;                   ///< all of it, JSON, compact
  std::int64_t num_warps = -1;   ///< of one tile
  std::int64_t sram_bytes = -1;  ///< of one tile
  std::int64_t num_tasks = -1;   ///< how many tiles there are
  std::int64_t granularity = -1;
  range tile, tile_shape_mnk, tile_pad_mnk;  ///< in parts.integers
  string impl_type, channel_type, packet_type;
  flag signal = flag::absent, wait = flag::absent;
};

/// One of TaskInfos: operations whose tiles are computed together.
struct plan_task {
  std::int64_t id = 0;
  std::int64_t num_warps = 0, sram_bytes = 0;  ///< what one tile needs
  std::uint64_t offset = 0;                    ///< of its text in the file
  range ops;                                   ///< in parts.ops and in configs
  std::uint32_t members = none;                ///< unknown members, as in graph
};

/// Tiles of one task.
struct task_group {
  std::int64_t task_id = 0;
  plan_range tasks;
  std::int64_t granularity = 1;
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Warps and memory of some processors. Those of one processor group run side by side.
struct resource_group {
  plan_range processors, warps, sram;
  range task_groups;         ///< in plan::task_groups
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Groups run one behind the other where they share processors.
struct processor_group {
  plan_range processors;
  range resource_groups;     ///< in plan::resource_groups
  std::uint64_t offset = 0;  ///< of its text in the file
  std::uint32_t members = none;
};

/// Where Architecture stood.
enum class architecture_place : std::uint8_t { absent, behind_world_size, behind_num_warps };

struct plan {
  /// Rank, WorldSize, operations and what they hold; no nodes. own_members are the plan's. `form`
  /// tells how tensors and buffers were laid out; plans of D2 and D3 don't differ, and are d3.
  model parts;
  string architecture;
  architecture_place place = architecture_place::absent;
  bool null_tasks = false, null_groups = false;  ///< null stood in place of an empty list
  std::int64_t num_processors = 0, num_warps_per_processor = 0;

  pool<plan_config> configs;  ///< one for each of parts.ops
  pool<plan_task> tasks;
  pool<processor_group> processor_groups;
  pool<resource_group> resource_groups;
  pool<task_group> task_groups;

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept;
};

[[nodiscard]] inline view<op> operations(const plan& p, const plan_task& t) noexcept {
  return {p.parts.ops.data() + t.ops.first, t.ops.count};
}
[[nodiscard]] inline view<plan_config> configs(const plan& p, const plan_task& t) noexcept {
  return {p.configs.data() + t.ops.first, t.ops.count};
}
[[nodiscard]] inline view<resource_group> resource_groups(const plan& p,
                                                          const processor_group& g) noexcept {
  return {p.resource_groups.data() + g.resource_groups.first, g.resource_groups.count};
}
[[nodiscard]] inline view<task_group> task_groups(const plan& p, const resource_group& g) noexcept {
  return {p.task_groups.data() + g.task_groups.first, g.task_groups.count};
}

/// Reads a plan file.
[[nodiscard]] result<plan> read_plan(std::string_view source, const limits& limit = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_HPP
