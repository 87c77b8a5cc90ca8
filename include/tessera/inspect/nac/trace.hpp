// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A run of a NAC machine as a trace in Chrome's JSON form, for Perfetto and chrome://tracing.
//
//   inspect::run_recorder seen(program);
//   vm.run({}, seen);                                     // vm::nac::machine
//   text trace;
//   seen.append_trace(trace, "model.nac");
//
//   process   the machine                                 times in microseconds
//   thread    instructions, the memory schedule's commands, loading of parameters
//   span      an instruction: its operation and arguments; CONTROL_FLOW contains its branches
//   counter   live bytes of all values
//
// Lifetime:   borrows the program.
// Errors:     none: an instruction that failed has no duration.
// Limits:     none.
// Allocation: for each instruction that runs and each command.

#ifndef TESSERA_INSPECT_NAC_TRACE_HPP
#define TESSERA_INSPECT_NAC_TRACE_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../core/text.hpp"
#include "../../nac.hpp"
#include "../../vm/nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Records the events of any number of runs; they are written afterwards, so that writing doesn't
/// disturb them. The first two functions are those of every observer; machines that have a memory
/// schedule to follow call the others, too.
class run_recorder {
 public:
  using clock = std::chrono::steady_clock;  ///< that measures times

  /// Times count from here on.
  explicit run_recorder(const nac::program& p) : program_(p), start_(clock::now()) {}

  /// An instruction begins.
  void begin(const vm::nac::event& at);
  /// An instruction is complete.
  void end(const vm::nac::event& at);
  /// A command of the memory schedule was executed.
  void command(nac::action what, std::uint32_t target);
  /// A parameter was loaded in another thread.
  void preloaded(std::uint32_t target, clock::time_point from, clock::time_point to);

  /// Appends the trace; `name` is the process's.
  void append_trace(text& out, std::string_view name) const;

 private:
  struct span {
    std::uint32_t instruction;
    clock::time_point from, to;
    std::uint64_t live;
  };
  struct moment {
    nac::action what;
    std::uint32_t target;
    clock::time_point at;
  };

  const nac::program& program_;
  clock::time_point start_;
  std::vector<span> instructions_, loads_;
  std::vector<std::size_t> open_;  ///< of instructions_, those that run
  std::vector<moment> commands_;
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_TRACE_HPP
