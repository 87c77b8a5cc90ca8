// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of ALIR pipelines: sample by sample, or cycle by cycle.
//
//   tessera::vm::alir::pipeline_machine vm(staged);
//   auto done = vm.run(inputs, outputs, samples);   // row-major [samples][n], without waiting
//
//   for (const auto& sample : stream) {
//     const auto now = vm.step(sample, outputs);    // one cycle of the clock
//     if (now.has_output) use(outputs);             // of the sample latency() - 1 steps ago
//   }
//
// A cycle: a sample is at the input, the clock's edge moves what is before each register into it, and the
// outputs are what can be seen after the edge. So a pipeline of n registers gives the outputs of a
// sample in the step of the sample itself (n = 0 and 1) or n - 1 steps later. Registers hold nothing at
// the start; a block whose register holds nothing gives nothing.
//
// Link tessera::vm.
//
// Lifetime:   a machine keeps nothing of the pipeline. One machine serves one caller at a time.
// Errors:     those of machine: alir_lookup_range, budget_steps and budget_memory; the outcome says in
//             which block. After a trap in step(), its sample is lost and the others go on.
// Limits:     budget.
// Allocation: on construction: that of each block's machine, and rows of values between blocks.

#ifndef TESSERA_VM_ALIR_PIPELINE_HPP
#define TESSERA_VM_ALIR_PIPELINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

/// The result of a run; `operation` is one of `block`. Steps: operations of all blocks times samples whose
/// outputs are written.
struct pipeline_outcome : outcome {
  std::size_t block = 0;  ///< index of the block that trapped
};

/// The result of a cycle; true unless a block trapped, and then the first one that did.
struct cycle : pipeline_outcome {
  bool has_output = false;  ///< whether a sample is at the output, and the outputs are written
};

/// A pipeline: a machine for each block, and the registers between them.
class pipeline_machine {
 public:
  /// Compiles all blocks; `how` is that of each block's machine, and its memory that of all together.
  explicit pipeline_machine(const tessera::alir::staged& p, const machine_options& how = {});

  /// Doubles of a sample.
  [[nodiscard]] std::size_t inputs() const noexcept { return blocks_.front().inputs(); }
  /// Doubles of a sample's result.
  [[nodiscard]] std::size_t outputs() const noexcept { return blocks_.back().outputs(); }
  /// How many blocks there are, one or more.
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }
  /// Operations of all blocks for each sample.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The number of registers that a sample passes.
  [[nodiscard]] std::uint64_t latency() const noexcept { return latency_; }
  /// Bytes of working memory.
  [[nodiscard]] std::uint64_t memory() const noexcept;

  /// Runs `samples` rows of inputs() doubles to as many rows of outputs() doubles, as machine::run. It
  /// leaves the registers of step() as they are.
  pipeline_outcome run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
                       const budget& limit = {});

  /// One cycle. `in` holds inputs() doubles or, where no sample comes, nothing (of a pipeline with
  /// inputs); `out` outputs() doubles.
  cycle step(std::span<const double> in, std::span<double> out);
  /// Empties the registers.
  void reset() noexcept;

 private:
  /// Values between two blocks, or at an end; nothing before the first sample.
  struct wire {
    std::vector<double> values;
    bool is_full = false;
  };
  void compute(std::size_t block, const wire& in, wire& out, cycle& done);

  std::vector<machine> blocks_;
  bool input_register_, output_register_;
  std::uint64_t latency_;
  std::size_t size_ = 0;
  std::uint64_t max_memory_;          // of a run whose budget says nothing
  std::uint64_t chunk_ = 1;           // samples that pass from block to block together
  std::vector<double> rows_[2];       // their values
  std::vector<wire> before_, after_;  // of each block: its register, and what it gives
  wire sample_, output_;
};

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ALIR_PIPELINE_HPP
