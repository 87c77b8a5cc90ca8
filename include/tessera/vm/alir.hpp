// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of ALIR: runs a verified program over batches of samples, bit-exact to the
// specification.
//
//   tessera::vm::alir::machine vm(program);
//   auto done = vm.run(inputs, outputs, samples);   // row-major [samples][n]
//   if (!done) report(done.code, done.operation, done.sample);
//
// Values are integers that wrap around at 64 bits. Samples run in blocks, one after another through a
// compiled program: an instruction is decoded once and applied to all lanes of a block, which have 16
// bits where it is proven that those are enough, or 32. The instruction set is chosen at run time, not
// at compile time.
//
// Link tessera::vm.
//
// Lifetime:   a machine keeps nothing of the program. One machine serves one caller at a time; a
//             copy shares its compiled program.
// Errors:     alir_lookup_range, a value outside its table: the outcome gives the first sample with
//             one, and the first operation for it; outputs of earlier samples are written, those
//             from it on are unchanged. budget_steps and budget_memory are detected before anything
//             runs.
// Limits:     budget.
// Allocation: on construction, without rows that would exceed the budget. run()
//             allocates nothing with one thread; with several, threads at the first run, and where a
//             lookup may trap a copy of the outputs.

#ifndef TESSERA_VM_ALIR_HPP
#define TESSERA_VM_ALIR_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "../alir.hpp"
#include "observer.hpp"
#include "outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::alir {

/// The result of a run; true when all samples ran. Steps: operations times samples whose outputs are
/// written.
struct outcome : vm::outcome {
  std::int64_t operation = -1;  ///< index of the operation that trapped
  std::uint64_t sample = 0;     ///< the first sample for which it did
};

/// Instruction sets that the loop is compiled for: any processor's; AVX2 with BMI1 and BMI2; these with
/// AVX-512 F, BW, DQ and VL.
enum class level : std::uint8_t { baseline, avx2, avx512 };
/// The best one that this processor has.
[[nodiscard]] level best_level() noexcept;

/// How a machine is made.
struct machine_options {
  std::uint64_t max_memory = budget{}.max_memory;  ///< bytes that it may need, for all threads
  unsigned threads = 1;                            ///< at most, for batches that are worth it
  level instructions = best_level();               ///< at most best_level()
  int min_lane_bits = 16;                          ///< for tests: 32 and 64 ask for wider lanes
};

/// An operation for a block of samples.
struct event {
  std::size_t operation = 0;             ///< its index
  std::uint64_t first = 0;               ///< the first sample of the block
  std::span<const std::int64_t> values;  ///< at its end: one for each sample of the block
};

/// A program, compiled for batches of samples.
class machine {
 public:
  /// Compiles a program. A machine that needs more than `max_memory` bytes is made without its rows,
  /// and can't run.
  explicit machine(const tessera::alir::program& p, const machine_options& how = {});
  machine(const machine& other);                 ///< shares the compiled program
  machine(machine&& other) noexcept;             ///< the other may only be destroyed or assigned to
  machine& operator=(const machine& other);      ///< shares the compiled program
  machine& operator=(machine&& other) noexcept;  ///< the other may only be destroyed or assigned to
  ~machine();

  /// Doubles of a sample.
  [[nodiscard]] std::size_t inputs() const noexcept;
  /// Doubles of a sample's result.
  [[nodiscard]] std::size_t outputs() const noexcept;
  /// Operations for each sample.
  [[nodiscard]] std::size_t size() const noexcept;
  /// Bits of a lane: 16, 32 or 64.
  [[nodiscard]] int lane_bits() const noexcept;
  /// Bytes of working memory, for all threads.
  [[nodiscard]] std::uint64_t memory() const noexcept;

  /// Runs `samples` rows of inputs() doubles to as many rows of outputs() doubles. The spans hold
  /// at least that many.
  outcome run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
              const budget& limit = {});

 protected:
  /// `one_to_one`: each operation is one instruction, so that its values can be seen.
  machine(const tessera::alir::program& p, const machine_options& how, bool one_to_one);
  /// As run(), with one thread; `see` sees each operation of a machine that is one to one.
  outcome run_observed(std::span<const double> in, std::span<double> out, std::uint64_t samples,
                       const budget& limit, const observer_ref<event>& see);

 private:
  class state;
  std::unique_ptr<state> state_;
};

/// A machine that shows every operation's values, in the order of the program: slower, as it
/// runs the unchanged program.
class observed_machine : private machine {
 public:
  /// Compiles a program, one instruction for each operation.
  explicit observed_machine(const tessera::alir::program& p,
                            std::uint64_t max_memory = budget{}.max_memory)
      : machine(p, {.max_memory = max_memory, .instructions = level::baseline}, true) {}

  /// Those of machine.
  using machine::inputs, machine::outputs, machine::size, machine::memory;

  /// As machine::run. After a trap the values of its sample and of later ones are meaningless.
  template <observer_of<event> Observer>
  outcome run(std::span<const double> in, std::span<double> out, std::uint64_t samples,
              const budget& limit, Observer&& see) {
    return run_observed(in, out, samples, limit, observer_ref<event>(see));
  }
};

}  // namespace vm::alir
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_ALIR_HPP
