// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One run of a program: visits its tasks in the order of the text, and executes them in the order
// of a schedule.
//
//   run_visitor r(program, options, binder, executor, found, when, watched, max_steps, see);
//   r.run();                                      // to the end, or until an error ends it
//
// In order, a task is executed as it is visited, from the evaluated program itself. For other orders
// it is kept until the graph of dependencies allows it to start.
//
// Unverified iterations are checked as they come: the first error ends the run. So does an output
// that doesn't match its inputs, which the profile `upstream` permits.
//
// Lifetime:   borrows its arguments.
// Errors:     findings.
// Limits:     machine_options.
// Allocation: that of kept tasks, of their graph, and of the search for races.

#ifndef TESSERA_VM_NEM_RUN_HPP
#define TESSERA_VM_NEM_RUN_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "executor.hpp"
#include "graph.hpp"
#include "ready_tasks.hpp"
#include "run_findings.hpp"
#include "tessera/vm/nem.hpp"
#include "vm/meter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// A place that owns its shape and strides.
struct held_place {
  place where;
  std::vector<std::int64_t> shape, strides;
  void set(const model::values& v, const model::region& r);
};
/// A name of a region in a loop, and where it was last.
struct watched_region {
  std::string name;
  std::vector<std::uint32_t> names;  ///< in model::names: its own, and its aliases'
  bool was_seen = false;
  held_place last;
};

class run_visitor : public model::visitor {
 public:
  run_visitor(const model::program& p, const machine_options& how, binder& to, executor& with,
              run_findings& found, timeline* when, std::deque<watched_region>& watched,
              std::uint64_t max_steps, const observer_ref<event>& see, const bool& is_stopped);

  void run();
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_.used(); }
  /// The kept tasks that haven't begun.
  [[nodiscard]] std::vector<waiting_task> waiting() const;

  // What nem::walker calls.
  void loop(const model::values& v, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight);
  void iteration(std::uint32_t node, std::int64_t value);
  void end_loop(std::uint32_t node);
  void wait(std::uint32_t node, view<std::uint32_t> tasks);
  void task(const model::values& v, const model::task& t);
  [[nodiscard]] bool stopped() const noexcept { return is_over_; }
  void end(const model::values& v);

 private:
  /// A search for races in the order of the text.
  struct race_finder {
    race_finder(run_visitor& r, const model::program& p);
    tessera::report report;
    model::verify_options options;
    model::findings found;
    model::context context;
    model::hazards hazards;
    std::size_t reported = 0;  ///< diagnostics
  };
  static void write_iteration(const void* self, const tessera::diagnostic& d, text& to);

  [[nodiscard]] bool spend(std::uint32_t node, std::uint64_t steps);
  [[nodiscard]] bool is_sound(const model::values& v, const model::task& t);
  [[nodiscard]] bool has_late_error();
  [[nodiscard]] bool is_deterministic(std::uint32_t node);
  void search(const model::values& v, const model::task& t);
  void watch(const model::values& v);
  void keep(const model::values& v, const model::task& t, const bound_task& b);
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size() - free_slots_.size(); }
  void drain(std::size_t left);
  void execute(bound_task& t);
  /// What the graph calls with tasks that may start.
  [[nodiscard]] auto when_ready() {
    return [this](const task_graph::ready_task& t) { ready_.push(t, kept_[t.slot].node()); };
  }

  const model::program& program_;
  const machine_options& how_;
  binder& binder_;
  executor& executor_;
  run_findings& found_;
  timeline* when_;
  std::deque<watched_region>& watched_;
  const observer_ref<event>& see_;
  const bool& is_stopped_;  ///< by an observer

  // Iterations that verification skipped.
  bool is_checking_;
  tessera::report late_report_;
  model::verify_options options_;
  model::findings late_;
  model::context context_;
  model::compute_rules rules_;
  std::size_t late_seen_ = 0;
  std::unique_ptr<race_finder> races_;

  // Where it is.
  std::vector<std::uint32_t> loops_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint8_t> loops_are_deterministic_;
  std::vector<std::uint8_t> tasks_are_deterministic_;  ///< in loops, by node: 1 no, 2 yes
  std::size_t outer_regions_ = 0;                      ///< visible outside of loops
  meter steps_;
  std::uint64_t events_ = 0;  ///< of the graph, at most
  bool is_over_ = false;

  // Of schedules other than in_order.
  bool has_graph_;
  std::uint64_t max_tokens_;  ///< live at once, of a timed run; 0: any number
  task_graph graph_;
  ready_tasks ready_;
  kept_memory kept_memory_;
  std::vector<kept_task> kept_;  ///< by slot; slots of completed tasks are reused
  restored_task restored_;
  std::uint32_t begun_ = 0;                ///< the slot of the task that was restored
  std::vector<std::uint32_t> free_slots_;  ///< of kept_
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_RUN_HPP
