// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Plans: how a machine runs a model. Operations cut into tiles, and who computes them.
//
//   auto plan = ark::read_plan(source);
//   if (!plan) return fail(describe(plan.error(), source));
//   tessera::report found;
//   const error e = ark::verify_plan(*plan, {.model = &*program, .source = source}, &found);
//   std::cout << ark::print(*plan);
//   auto text = ark::write_plan(*plan);
//
//   plan             Rank WorldSize [Architecture] NumProcessors NumWarpsPerProcessor TaskInfos
//                    ProcessorGroups
//   task             Id NumWarps SramBytes Ops: operations of the model, each with its Config
//   Config           NumWarps SramBytes NumTasks [Tile TileShapeMNK ImplType ChannelType …]
//   processor group  ProcessorRange ResourceGroups
//   resource group   ProcessorRange WarpRange SramRange TaskGroups
//   task group       TaskId TaskRange Granularity
//   range            [begin, end] or [begin, end, step]; `end` is exclusive
//
// Older files have no Architecture, and some that were edited by hand have it after
// NumWarpsPerProcessor. A plan keeps that, unknown members of every object, and null for the lists
// that older planners wrote for an empty model. It keeps each Config whole, as compact JSON, and the
// values in it that are known; values of an unexpected form count as absent.
//
// Lifetime:   a plan owns itself.
// Errors:     of read_plan(): those of read() for operations; ark_plan_member, ark_plan_range and
//             ark_plan_config at the wrong value, or at the object that lacks a member.
// Limits:     read_options and plan_options.
// Allocation: at most 16 × input + 64 KiB to read hostile text; about the input for real files.

#ifndef TESSERA_ARK_PLAN_HPP
#define TESSERA_ARK_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "print.hpp"
#include "read.hpp"
#include "verify.hpp"
#include "write.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// begin, begin + step, … below end. The format's own code generator takes every step for 1.
struct plan_range {
  /// The first, the end, and the distance.
  std::int64_t begin = 0, end = 0, step = 1;
  bool has_step = false;  ///< the file has the step

  /// How many there are when the step is 1.
  [[nodiscard]] constexpr std::int64_t count() const noexcept {
    return end > begin ? end - begin : 0;
  }
  /// Whether all of it lies in `outer`. An empty range does where its ends do.
  [[nodiscard]] constexpr bool inside(const plan_range& outer) const noexcept {
    return begin >= outer.begin && end <= outer.end;
  }
};

/// A member that is not in the file, false or true.
enum class flag : std::uint8_t { absent, no, yes };

/// How one operation is computed. Numbers are -1, texts and lists empty when absent.
struct plan_config {
  std::uint64_t offset = 0;       ///< of its operation in the file
  string text;                    ///< all of it, JSON, compact
  std::int64_t num_warps = -1;    ///< of one tile
  std::int64_t sram_bytes = -1;   ///< of one tile
  std::int64_t num_tasks = -1;    ///< how many tiles there are
  std::int64_t granularity = -1;  ///< Granularity
  /// Lists of numbers, in parts.integers.
  range tile, tile_shape_mnk, tile_pad_mnk;  ///< in parts.integers
  /// Names as the file has them.
  string impl_type, channel_type, packet_type;
  /// Whether a communication signals, and whether it waits.
  flag signal = flag::absent, wait = flag::absent;
};

/// One of TaskInfos: operations whose tiles are computed together.
struct plan_task {
  std::int64_t id = 0;  ///< in the file; task groups refer to it
  /// Warps and bytes of SRAM that one tile needs.
  std::int64_t num_warps = 0, sram_bytes = 0;  ///< what one tile needs
  std::uint64_t offset = 0;                    ///< of its text in the file
  range ops;                                   ///< in parts.ops and in configs
  std::uint32_t members = none;                ///< unknown members, as in model
};

/// Tiles of one task.
struct task_group {
  std::int64_t task_id = 0;      ///< the task's Id
  plan_range tasks;              ///< which of its tiles
  std::int64_t granularity = 1;  ///< how many tiles one processor takes at a time
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Warps and memory of some processors. Those of one processor group run side by side.
struct resource_group {
  /// Which of the processors, of their warps and of their bytes of SRAM.
  plan_range processors, warps, sram;
  range task_groups;             ///< in plan::task_groups
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Groups that share processors run one after the other.
struct processor_group {
  plan_range processors;         ///< those that its resource groups share
  range resource_groups;         ///< in plan::resource_groups
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Where the file has Architecture.
enum class architecture_place : std::uint8_t { absent, after_world_size, after_num_warps };

/// A plan of one rank, not yet verified.
struct plan {
  /// Rank, WorldSize, operations and what they refer to; no nodes. own_members are the plan's.
  /// `form` is the layout of tensors and buffers; plans of D2 and D3 don't differ, and are d3.
  model parts;
  string architecture;                                    ///< as the file has it; empty: absent
  architecture_place place = architecture_place::absent;  ///< where it is among the members
  bool null_tasks = false, null_groups = false;           ///< null in place of an empty list
  /// What the plan was made for.
  std::int64_t num_processors = 0, num_warps_per_processor = 0;

  pool<plan_config> configs;               ///< one for each of parts.ops
  pool<plan_task> tasks;                   ///< in the file's order
  pool<processor_group> processor_groups;  ///< in the file's order
  pool<resource_group> resource_groups;    ///< of all processor groups
  pool<task_group> task_groups;            ///< of all resource groups

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept;
};

/// The operations of a task. Borrows.
[[nodiscard]] inline view<op> operations(const plan& p, const plan_task& t) noexcept {
  return {p.parts.ops.data() + t.ops.first, t.ops.count};
}
/// The configurations of a task's operations. Borrows.
[[nodiscard]] inline view<plan_config> configs(const plan& p, const plan_task& t) noexcept {
  return {p.configs.data() + t.ops.first, t.ops.count};
}
/// The parts of a processor group. Borrows.
[[nodiscard]] inline view<resource_group> resource_groups(const plan& p,
                                                          const processor_group& g) noexcept {
  return {p.resource_groups.data() + g.resource_groups.first, g.resource_groups.count};
}
/// The parts of a resource group. Borrows.
[[nodiscard]] inline view<task_group> task_groups(const plan& p, const resource_group& g) noexcept {
  return {p.task_groups.data() + g.task_groups.first, g.task_groups.count};
}

/// Reads a plan file.
[[nodiscard]] result<plan> read_plan(std::string_view source, const read_options& options = {});

/// Whether a file could hold the plan: every plan that was read passes. Of one that was built in
/// code it finds, at the task or group:
///
///   operations  what check() refuses in them
///   indices     outside their pools                               ark_too_large
///   numbers     negative                                          ark_plan_member, ark_plan_range
///   Config      not one for each operation, or not an object      ark_plan_config
///   lists       both null and filled                              ark_plan_member
[[nodiscard]] error check(const plan& p);

/// The JSON of a plan, byte for byte what the format's own planner writes. Fails with what check()
/// refuses, and with json_* for a kept value that is no JSON. `to` of the options has no effect:
/// plans have one dialect.
///
///   compact   no white space, no newline at the end
///   pretty    two spaces per level, "key": value, a newline at the end. Five levels below the root
///             have a line for each element; deeper ones, and arrays that begin with a number, are
///             compact
///   order     members in the planner's order, Architecture where it was, unknown ones last
///   Config    plan_config::text, unchanged; the other fields of plan_config are ignored
[[nodiscard]] result<text> write_plan(const plan& p, const write_options& options = {});

/// A listing of a plan: its tasks, then its schedule.
///
///   plan of rank 0 of 1, CUDA_80, 4 processors of 4 warps, 2 tasks
///   task 0, 4 warps, 24672 bytes: Matmul "matmul" 0:FP32[4,8] 1:FP32[8,16] -> 6:FP32[4,16], 1 tile
///   task 1, 1 warp, 0 bytes: Relu "relu" 8:FP32[4,16] -> 10:FP32[4,16], 4 tiles of 1x64
///   group on processors 0..1
///     warps 0..4, memory 0..24672: task 0 tiles 0..1
[[nodiscard]] text print(const plan& p, const print_options& options = {});

/// The operations of a plan, which must have passed check(), as a model that can be verified (with
/// verify_options::of_plan), run and compared.
///
///   nodes   one for each operation, tasks by their Ids, within a task in file order; Ids from 0
///   edges   from the node that makes a tensor to those that use it; for a tensor that none makes,
///           from the last one before that writes its buffer, as plans have no views
///   form    d3, or d3x when buffers have IsExternal
///
/// Planners number tasks in an order that terminates; in the order of the schedule, ranks may
/// deadlock.
[[nodiscard]] model plan_model(const plan& p);

/// What a plan is checked against, and how much is reported.
struct plan_options {
  const program* model = nullptr;        ///< the model that the plan has to run
  std::string_view source = {};          ///< the text that was read, for exact offsets
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Verifies a plan, and that it runs the model if there is one. Returns the first error, or ok.
///
///   ark_plan_architecture  E  an unknown Architecture
///   ark_plan_task          E  a duplicate Id of a task; a task group's TaskId that no task has
///   ark_plan_config        E  Config without NumWarps, SramBytes or NumTasks; a Matmul's tile that
///                             doesn't divide its padded shape
///                          W  an unknown ImplType or ChannelType; a NumTasks that doesn't match the
///                             tile and the padded shape
///   ark_plan_range         E  a range that ends before it begins, or steps by 0
///                          W  a step other than 1: generated code steps by 1 all the same
///   ark_plan_parent        E  processors outside their group's or the machine's, warps outside the
///                             processor's, tiles outside the task's
///   ark_plan_resources     E  an operation needs more than its task, a task more than its resource
///                             group: warps, memory, or any processor at all
///   ark_plan_tiles         E  a tile that no task group covers, or more than one
///                          W  a task that no task group runs; operations of one task that have
///                             different NumTasks
///   ark_plan_member        E  Granularity 0
///   ark_s07_no_ops         E  a task without operations
///   rules of models        those that verify() finds in plan_model(), but for edges and hazards; T08
///                          and G10 are warnings, as plans that people edit break them and run
///
/// Not checked: the NumTasks of a Matmul with the tile [1,1,1], which planners write where
/// they have no default.
///
/// With a model, operations that aren't virtual are matched by what they are: Type, Args, and of each
/// tensor the DataType, the layout and the buffer. Ids of tensors and names don't matter, and Ids of
/// buffers only if the two files agree in them; otherwise buffers count in the order of their first
/// use. Unmatched operations are paired by the buffer that they write. So a plan that was edited, to
/// split a multiplication say, is distinguished from one that lacks an operation:
///
///   ark_plan_model         E  Rank or WorldSize differ
///                          E  an operation of the model that the plan lacks (a Noop: W)
///                          E  two operations that use the same memory, one of them writing it, in
///                             the opposite order; of each buffer only the last use is compared
///                          W  an operation with other tensors, Args or Type than in the model
///                          W  an operation that the model doesn't have
///
/// Whether changed operations still compute the same is found by running both.
[[nodiscard]] error verify_plan(const plan& p, const plan_options& options = {},
                                report* found = nullptr);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/plan.hpp"
#endif

#endif  // TESSERA_ARK_PLAN_HPP
