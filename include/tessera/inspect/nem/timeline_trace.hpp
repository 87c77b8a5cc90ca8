// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A timeline as a trace, as a table and as JSON.
//
//   inspect::timeline_recorder seen(program, source);
//   vm::nem::timeline when(program, costs, seen);
//   machine.run(&found, &when);
//   text trace, report;
//   seen.append_trace(trace, when.report());             // or append_csv(trace)
//   inspect::append_report(report, when.report());
//
//   process   the device, then each engine             in the trace a cycle is a microsecond
//   thread    a unit: NMU[0]
//   span      a task: opcode and token; its index and line, the iteration, its amount of work, and
//             the cause of its wait; its category is that of the opcode
//   counter   live bytes of each memory, live tokens
//
// A trace takes some 300 bytes a task: it can be written in pieces, as they are made.
//
// Lifetime:   borrows the program; a timeline borrows its recorder.
// Errors:     none.
// Limits:     none.
// Allocation: 12 bytes for each task statement, some 20 for each task that is executed, 40 for each
//             buffer; a trace that is written sorts 32 bytes for each task.

#ifndef TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP
#define TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../core/text.hpp"
#include "../../nem.hpp"
#include "../../vm/callback.hpp"
#include "../../vm/nem_timing.hpp"
#include "statements.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Takes what a text holds, and clears it. Returns whether more is wanted.
using text_sink = vm::callback<bool(text&)>;

/// Records the events; they are written after the run.
class timeline_recorder {
 public:
  /// `source` is the program's text, for line numbers.
  timeline_recorder(const nem::program& p, std::string_view source);
  timeline_recorder(const timeline_recorder&) = delete;
  timeline_recorder& operator=(const timeline_recorder&) = delete;

  /// The timeline calls it.
  void operator()(const vm::nem::instance& t, const vm::nem::placement& at);
  /// Appends the trace in Chrome's JSON form. With a sink the text is passed to it, between two events,
  /// whenever it has 64 KiB; what is left at the end remains in the text.
  void append_trace(text& out, const vm::nem::timing_report& r, text_sink sink = {}) const;
  /// Appends a table with a line per task, in the order in which they were ready, under a line of titles:
  /// task, opcode, token, line, iteration ("i=1 j=0"), unit, engine (empty: the device's), issued,
  /// ready, start, end, waited_for, bytes, macs, elements. Times are cycles. The sink gets whole lines.
  void append_csv(text& out, text_sink sink = {}) const;

 private:
  /// Of a task. Most numbers are near those of the task before, so that their differences are short.
  struct record {
    vm::nem::placement at;
    vm::nem::work work;
    nem::opcode opcode = nem::opcode::unknown;
    std::uint32_t task = 0, node = 0, token = 0;
    std::vector<std::int64_t> iteration;
  };
  class reader;
  class trace_writer;
  struct life {
    vm::nem::touched_buffer what;
    std::uint64_t first = UINT64_MAX, last = 0;
  };

  void put_byte(std::uint64_t byte);
  void put(std::uint64_t n);
  /// A number that is near another one.
  void put_near(std::uint64_t other, std::uint64_t n);
  /// Calls f(variable, value) with each loop around a task, the outermost first.
  template <class F>
  void each_loop(const record& r, F&& f) const;

  const nem::program& program_;
  task_statements statements_;
  std::vector<std::vector<std::uint8_t>> records_;  ///< numbers, 7 bits a byte, the lowest first
  record last_;
  std::size_t count_ = 0;    ///< of records
  std::vector<life> lives_;  ///< by index of buffer
};

/// Appends a table for people.
void append_report(text& out, const vm::nem::timing_report& r);
/// Appends an object: {"cycles", "tasks", "tokens_live", "stalls", "units", "memories"}.
void append_json(text& out, const vm::nem::timing_report& r);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_TIMELINE_TRACE_HPP
