// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A timeline as a trace, as a table and as JSON.
//
//   inspect::timeline_recorder seen(program, source);
//   vm::nem::timeline when(program, costs, seen);
//   machine.run(&found, &when);
//   text trace, report;
//   seen.append_trace(trace, when.report());             // or append_csv(table)
//   inspect::append_report(report, when.report());
//
//   process   the device, then each engine             in the trace a cycle is a microsecond
//   thread    a unit: NMU[0]
//   span      a task: opcode and token; its index and line, the iteration, its amount of work, and
//             the cause of its wait; its category is that of the opcode
//   counter   live bytes of each memory, live tokens
//
// Lifetime:   borrows the program and its source; a timeline borrows its recorder.
// Errors:     none.
// Limits:     none.
// Allocation: for each task and for each buffer.

#ifndef TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP
#define TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../../core/text.hpp"
#include "../../nem.hpp"
#include "../../vm/nem_timing.hpp"
#include "statements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Records the events; they are written after the run.
class timeline_recorder {
 public:
  /// `source` is the program's text, for line numbers.
  timeline_recorder(const nem::program& p, std::string_view source);
  timeline_recorder(const timeline_recorder&) = delete;
  timeline_recorder& operator=(const timeline_recorder&) = delete;

  /// The timeline calls it.
  void operator()(const vm::nem::instance& t, const vm::nem::placement& at);
  /// Appends the trace in Chrome's JSON form.
  void append_trace(text& out, const vm::nem::timing_report& r) const;
  /// Appends a table with a line per task, in the order of their starts, under a line of titles:
  /// task, opcode, token, line, iteration ("i=1 j=0"), unit, engine (empty: the device's), issued,
  /// ready, start, end, waited_for, bytes, macs, elements. Times are cycles.
  void append_csv(text& out) const;

 private:
  struct record {
    vm::nem::placement at;
    vm::nem::work work;
    nem::opcode opcode;
    std::uint32_t task, node, token;
    std::uint32_t first_iteration, iterations;  ///< in iterations_
  };
  struct life {
    vm::nem::touched_buffer what;
    std::uint64_t first = UINT64_MAX, last = 0;
  };

  /// Calls f(variable, value) with each loop around a task, the outermost first.
  template <class F>
  void each_loop(const record& r, F&& f) const;

  const nem::program& program_;
  task_statements statements_;
  std::vector<record> records_;
  std::vector<std::int64_t> iterations_;
  std::vector<life> lives_;  ///< by index of buffer
};

/// Appends a table for people.
void append_report(text& out, const vm::nem::timing_report& r);
/// Appends an object: {"cycles", "tasks", "tokens_live", "stalls", "units", "memories"}.
void append_json(text& out, const vm::nem::timing_report& r);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP
