// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Executes bound tasks on the machine's memory, and reports findings: all RT rules but RT-RACE.
//
//   executor e(program, options, written, found);
//   if (!e.execute(task)) …                    // the run has ended
//
// Lifetime:   borrows all that it gets.
// Errors:     findings.
// Limits:     none.
// Allocation: the workspace of operations; a byte for each node.

#ifndef TESSERA_VM_NEM_EXECUTOR_HPP
#define TESSERA_VM_NEM_EXECUTOR_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binder.hpp"
#include "memory.hpp"
#include "operations.hpp"
#include "run_findings.hpp"
#include "tessera/vm/nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// A buffer's memory.
struct storage {
  zero_pages pages;
  marked_bytes written;  ///< or bound
};

class executor {
 public:
  executor(const model::program& p, const machine_options& how, std::span<storage> buffers,
           std::span<const place> places, workspace& scratch, run_findings& found)
      : document_(p.model()),
        how_(how),
        buffers_(buffers),
        places_(places),
        scratch_(scratch),
        found_(found),
        reported_(p.model().nodes.size()) {}

  /// False when the run has ended, without the task or with it.
  [[nodiscard]] bool execute(bound_task& t);
  /// Tasks that were executed.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }

 private:
  void check_inputs(const bound_task& t);
  void mark_outputs(const bound_task& t);
  void clear_outputs(const bound_task& t);
  [[nodiscard]] verdict compute(const bound_task& t);
  [[nodiscard]] std::uint64_t offset(const bound_task& t, std::size_t operand) const noexcept {
    return static_cast<std::uint64_t>(t.operands[operand].data -
                                      buffers_[t.buffers[operand].index].pages.data());
  }

  const model::model& document_;
  const machine_options& how_;
  std::span<storage> buffers_;
  std::span<const place> places_;
  workspace& scratch_;
  run_findings& found_;
  std::vector<std::uint8_t> reported_;  ///< nodes of tasks whose inputs were missing something
  std::uint64_t tasks_ = 0;
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_EXECUTOR_HPP
