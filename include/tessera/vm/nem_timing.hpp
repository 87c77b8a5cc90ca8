// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Abstract time: which unit executes a task, when it starts and ends, and how busy the units are.
//
//   timeline when(program, timing_profile{});
//   machine.run(&found, &when);                          // the same results as without
//   show(when.report());
//
//   task                    cycles                                            parameters
//   transfer, store         ceil(bytes / bandwidth) + latency                 32 bytes per cycle, 4
//   gemm, matmul, conv*     ceil(macs / macs per cycle) + latency             4096; 2. The target's
//                           NMU.int4_macs … by the type of the weights, where it has them
//   all others              ceil(elements / elements per cycle) + latency     256, 1
//
// Layout operations are among the others: they count the elements that they rearrange, not the bytes
// that these take, so that gathering a tile from L2 or DDR takes less time than a transfer of as many
// bytes. A program that wants times that hold on hardware moves what is in a row by transfers.
//
// A product that a VPU executes, in place of an NMU, takes ceil(macs / elements per cycle) +
// latency 2.
//
// Tasks are placed in the order in which they are ready, then in that of the text, then of
// iterations, each on the unit that is free first (the lowest of equals); a task without an engine,
// on the engine whose unit is free first. @resource(type[i]) binds it to one unit: an i beyond
// those of the engine is taken modulo their count; a type that the device lacks becomes VPU, if the
// device has one that can execute the operation, else the operation's own unit type.
//
// A token is live from the issue of its task to the task's end. Where the target has
// SEQ.max_active_tokens, no more are live at once ("Unit Characteristics"): tasks are then issued in
// the order in which they may be, as tokens become free.
//
// Units are those of the target's topology. Without one there are as many engines as L1 buffers and
// @seq_engine name, each with one NMU, CSTL, DMA and VPU, and one sDMA. Transfers that touch DDR take
// the sDMA, unless @resource(DMA[i]) says otherwise. compute(), and tasks whose unit type is
// missing, use a VPU, a CSTL, a DMA or an NMU, the first that exists and can execute them; if none
// can, time passes as if the target had a suitable unit.
//
// Link tessera::vm.
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     times saturate at 2^63 - 1. Reports list units without tasks where the device has at
//             most 1024 units.
// Allocation: for each unit that executes a task, for each buffer, and 16 bytes for each task.

#ifndef TESSERA_VM_NEM_TIMING_HPP
#define TESSERA_VM_NEM_TIMING_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// What kept a task from starting earlier: its last dependency.
enum class cause : std::uint8_t {
  none,      ///< nothing: it could start at once
  deps,      ///< a task in its deps
  wait,      ///< a wait before it
  sync,      ///< a .sync task before it
  window,    ///< an iteration that had to end first
  loop_end,  ///< a loop before it
  unit,      ///< all units that could execute it were busy; not known here
  tokens     ///< as many tokens as the sequencer has were live
};
/// The names of causes, by cause.
inline constexpr std::string_view cause_names[] = {"none",   "deps",    "wait", "sync",
                                                   "window", "endloop", "unit", "tokens"};
/// How many causes there are.
inline constexpr std::size_t cause_count = sizeof cause_names / sizeof cause_names[0];
static_assert(cause_count == static_cast<std::size_t>(cause::tokens) + 1);

/// A task that may start.
struct ready_task {
  std::uint32_t task = 0;    ///< nem::task::index
  std::uint64_t issued = 0;  ///< when its gate opened, and there was a token for it
  std::uint64_t time = 0;    ///< when all that it waits for was complete
  cause why = cause::none;   ///< what of it was last
  std::uint32_t slot = 0;    ///< that the caller gave it
  std::uint64_t held =
      0;  ///< cycles from the opening of its gate to its issue, for want of a token
};

/// How much an execution does: what cost models count.
struct work {
  std::uint64_t macs = 0;  ///< multiply-accumulates, of products only
  /// Of the larger of the first input and the first output; none of transfer and store.
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;  ///< moved by transfer and store
};
/// How much a task does, by the shapes of its operands.
[[nodiscard]] work work_of(const call& c) noexcept;

/// The parameters of the cost model.
struct timing_profile {
  std::uint64_t bandwidth = 32;        ///< bytes per cycle, of each DMA and sDMA
  std::uint64_t transfer_latency = 4;  ///< cycles
  std::uint64_t macs = 4096;           ///< per cycle, of an NMU; the target's own come first
  std::uint64_t product_latency = 2;   ///< cycles
  std::uint64_t elements = 256;        ///< per cycle, of a CSTL or VPU
  std::uint64_t element_latency = 1;   ///< cycles
  bool is_of_target = true;            ///< whether the target's NMU.*_macs count

  /// Sets a parameter by its name, as "bandwidth"; false for an unknown name, or for an invalid 0.
  /// Setting "macs" overrides the target's values for all types.
  [[nodiscard]] bool set(std::string_view name, std::uint64_t value) noexcept;
  /// All names, ", " between them.
  [[nodiscard]] static std::string_view names() noexcept;
};

/// Multiply-accumulates of an NMU in a cycle: the target's for weights of that type, where it has them.
[[nodiscard]] std::uint64_t macs_per_cycle(const timing_profile& costs, const model::catalog& c,
                                           const model::device* target, element weights) noexcept;

/// A buffer that an instance touches.
struct touched_buffer {
  std::uint32_t index = 0;                 ///< in machine::buffers()
  model::level level = model::level::ddr;  ///< of its memory
  std::int64_t engine = -1;                ///< of an L1; else -1
  std::uint64_t size = 0;                  ///< bytes
};
/// One execution of a task, as schedules see it.
struct instance {
  model::task task;                         ///< its spans are no longer valid
  call what;                                ///< its operands in memory
  std::span<const touched_buffer> buffers;  ///< of the operands, inputs first
  std::span<const std::int64_t> iteration;  ///< values of the loops around it, the outermost first
};

/// Where and when a task was executed.
struct placement {
  model::unit unit = model::unit::none;  ///< the type of the unit
  std::int64_t engine = -1;              ///< -1: a unit of the device
  std::uint32_t index = 0;               ///< of the units of that type
  std::uint64_t issued = 0;              ///< cycles: when earlier tasks let it be issued,
  std::uint64_t ready = 0;               ///< and when all it waits for was complete
  std::uint64_t start = 0, end = 0;      ///< cycles
  cause why = cause::none;               ///< what kept it from starting earlier
  std::uint64_t held = 0;                ///< cycles that its issue waited for a token
};

/// Use of one unit; busy, idle and idle_at_end together are all cycles.
struct unit_report {
  model::unit unit = model::unit::none;  ///< its type
  std::int64_t engine = -1;              ///< -1: a unit of the device
  std::uint32_t index = 0;               ///< of the units of that type
  /// How many tasks it executed, and cycles that these took.
  std::uint64_t tasks = 0, busy = 0;
  std::array<std::uint64_t, cause_count> idle =
      {};                         ///< cycles before a task, by what it waited for last
  std::uint64_t idle_at_end = 0;  ///< cycles after its last task
};
/// Peak use of one memory: a buffer lives from the first task that touches it to the end of the
/// last.
struct memory_report {
  model::level level = model::level::ddr;  ///< which kind of memory
  std::int64_t engine = -1;                ///< of an L1; else -1
  std::uint64_t peak = 0, declared = 0;    ///< bytes that live at once, and of all buffers
  std::uint64_t capacity = 0;              ///< bytes that the target has; 0 if unknown
};
/// What a timeline found.
struct timing_report {
  std::uint64_t cycles = 0;           ///< until the last task ends
  std::uint64_t tasks = 0;            ///< that were placed
  std::uint64_t max_live_tokens = 0;  ///< issued and not complete, at once
  /// Cycles from issue to start, of all tasks: those until it was ready, by its last dependency,
  /// and those until a unit was free, as cause::unit. (Delays of issue, such as a wait or a window,
  /// show as idle units.) Those before its issue for want of a token, as cause::tokens.
  std::array<std::uint64_t, cause_count> stalls = {};
  std::vector<unit_report> units;       ///< those of the device and of each engine
  std::vector<memory_report> memories;  ///< those with buffers: DDR, L2, then each engine's L1
};

/// Places tasks on units.
class timeline {
 public:
  /// Called with each task that was placed.
  using observer = callback<void(const instance&, const placement&)>;

  /// An empty timeline for the program's target; the program has to outlive it.
  explicit timeline(const model::program& p, const timing_profile& costs = {}, observer seen = {});
  timeline(const timeline&) = delete;
  timeline& operator=(const timeline&) = delete;
  ~timeline();

  /// Adds the buffers, for engines and memories that no task touches, or not yet.
  void declare(std::span<const touched_buffer> all);
  /// Adds the next task, and returns where and when it is executed. Tasks come in the order of
  /// `ready`'s time, then of their nodes, then of their indices; a machine only knows its lookahead
  /// of tasks, and later ones use the units that are free then.
  placement place(const instance& t, const ready_task& ready);
  /// The report so far.
  [[nodiscard]] timing_report report() const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_TIMING_HPP
