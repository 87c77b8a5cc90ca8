// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of NAC: runs a verified program with PyTorch's semantics.
//
//   tessera::vm::nac::machine vm(program);                     // from nac::verify
//   const std::int64_t shape[] = {1, 3};
//   const float x[] = {1, 2, 3};
//   vm.set_input(0, {shape, std::span(x)});
//   if (const auto done = vm.run(); !done) return report(done.code, done.instruction, done.text);
//   for (const float y : vm.output(0).elements<float>()) use(y);
//
// Inputs are numbered as in program.inputs(); they stay set. Parameters come from the container and are
// loaded at the first run; states begin as float32 zeros, or as what set_state() made them, and change
// from run to run. Outputs are the operands of OUTPUT, as many as the header counts; a program without
// one has its last result as its only output. Random operations have PyTorch's distributions, and the same
// numbers in every run with the same seed; they aren't PyTorch's.
//
// Link tessera::vm.
//
// Lifetime:   a machine borrows its program and what that borrows. An output lasts until the next run.
//             One machine serves one caller at a time.
// Errors:     set_input(), set_state(): nac_run_shape where the bytes aren't those of the shape,
//             nac_run_input and nac_run_state where there is no such one, budget_memory. run():
//             nac_run_*, budget_steps, budget_memory, with the instruction; an operation that is unknown
//             here is nac_operation_unsupported before anything runs. A machine can be run again after
//             any of them.
// Limits:     machine_options; the steps of each instruction are charged before it runs.
// Allocation: constants, parameters and results, within max_memory.

#ifndef TESSERA_VM_NAC_HPP
#define TESSERA_VM_NAC_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "../nac.hpp"
#include "array.hpp"
#include "observer.hpp"
#include "outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// How a run ended.
struct outcome : vm::outcome {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no instruction
  std::uint32_t instruction = none;                         ///< of OPS
  std::uint64_t instructions = 0;                           ///< that ran
};

/// How a machine is made.
struct machine_options {
  std::uint64_t max_memory = budget{}.max_memory;  ///< bytes of constants, parameters and results
  std::uint64_t seed = 0;  ///< of random operations; each run begins with it
};

/// An instruction; CONTROL_FLOW and CONVERGENCE contain their branches.
struct event {
  std::uint32_t instruction = 0;  ///< index in OPS
  std::uint64_t live = 0;         ///< bytes of all values
};

/// A program with its inputs, states and outputs.
class machine {
 public:
  /// Makes a machine; parameters are loaded at the first run.
  explicit machine(const tessera::nac::program& p, const machine_options& how = {});
  machine(machine&&) noexcept;             ///< the other may only be destroyed or assigned to
  machine& operator=(machine&&) noexcept;  ///< the other may only be destroyed or assigned to
  ~machine();

  /// Sets an input, by its index in program.inputs(), by copying an array.
  outcome set_input(std::size_t index, const array_view& x);
  /// Sets a state, by its id, by copying an array.
  outcome set_state(std::uint16_t id, const array_view& x);

  /// Runs the program once.
  template <observer_of<event> Observer = no_observer>
  outcome run(const budget& limit = {}, Observer&& see = {}) {
    return run_observed(limit, observer_ref<event>(see));
  }

  /// How many outputs the last run gave.
  [[nodiscard]] std::size_t outputs() const noexcept;
  /// An output of the last run, from 0. Empty where the output is no tensor. Of an operation with several
  /// results, the first one.
  [[nodiscard]] array_view output(std::size_t index) const noexcept;

 private:
  outcome run_observed(const budget& limit, const observer_ref<event>& see);

  class state;
  std::unique_ptr<state> state_;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_HPP
