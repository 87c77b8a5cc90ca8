// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of NAC v1.2: runs a verified node stream with PyTorch's semantics.
//
//   tessera::vm::genome::machine vm(program);                  // from genome::verify
//   vm.set_parameter("p_weight", {weight_shape, std::span(weight)});
//   vm.set_input(0, {shape, std::span(x)});
//   if (const auto done = vm.run(); !done) return report(done.code, done.offset, done.text);
//   for (const float y : vm.output(0).elements<float>()) use(y);
//
// Inputs are the DATA_INPUTs outside of blocks, in their order; parameters have ids, names or neither
// (PARAM_INPUT). All that a program names must be given; they stay set. Outputs are what OUTPUT gives,
// or the last node's value.
//
// Link tessera::vm.
//
// Lifetime:   a machine borrows its program. An output lasts until the next run. One machine serves one
//             caller at a time.
// Errors:     set_*(): nac_run_input and genome_run_parameter where there is no such one,
//             nac_run_shape where the bytes aren't those of the shape, budget_memory. run(): genome_run_*,
//             nac_run_*, budget_steps, budget_memory, with the node; where patterns lead,
//             genome_pattern_* and genome_reference_external. A machine can be run again after any of
//             them.
// Limits:     machine_options; the steps of each node are charged before it runs.
// Allocation: numbers, parameters and results, within max_memory.

#ifndef TESSERA_VM_GENOME_HPP
#define TESSERA_VM_GENOME_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "../genome.hpp"
#include "array.hpp"
#include "observer.hpp"
#include "outcome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

/// A node; calls of patterns, IF and WHILE contain what they run.
struct event {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no node, no pattern
  std::uint32_t node = none;          ///< of the stream; of a call, the PATTERN
  std::uint32_t pattern = none;       ///< the id of the innermost pattern that it is in
  std::uint32_t pattern_node = none;  ///< and the index there
};

/// How a run ended, and at which node it failed.
struct outcome : vm::outcome, event {
  std::uint64_t offset = 0;  ///< of the node, into the stream's bytes
  std::uint64_t nodes = 0;   ///< that ran, calls among them
};

/// How a machine is made.
struct machine_options {
  std::uint64_t max_memory = budget{}.max_memory;    ///< bytes of parameters, inputs and results
  std::uint64_t max_nodes = std::uint64_t{1} << 20;  ///< of the expansion; and inputs of a kind
};

/// A stream with its parameters, inputs and outputs.
class machine {
 public:
  /// Resolves names, arguments and constants; run() has the error where one can't run.
  explicit machine(const tessera::genome::program& p, const machine_options& how = {});
  machine(machine&&) noexcept;             ///< the other may only be destroyed or assigned to
  machine& operator=(machine&&) noexcept;  ///< the other may only be destroyed or assigned to
  ~machine();

  /// How many DATA_INPUTs there are outside of blocks.
  [[nodiscard]] std::size_t inputs() const noexcept;
  /// Sets an input, from 0, by copying an array.
  outcome set_input(std::size_t index, const array_view& x);
  /// Ids of the parameters that the program takes, in the order of its nodes.
  [[nodiscard]] std::span<const std::uint32_t> parameters() const noexcept;
  /// Sets a parameter by its id, by copying an array.
  outcome set_parameter(std::uint32_t id, const array_view& x);
  /// Sets a parameter by its name in the registry, by copying an array.
  outcome set_parameter(std::string_view name, const array_view& x);
  /// How many PARAM_INPUTs there are, in the order of the expansion.
  [[nodiscard]] std::size_t unnamed_parameters() const noexcept;
  /// Sets the parameter of a PARAM_INPUT, from 0, by copying an array.
  outcome set_unnamed_parameter(std::size_t index, const array_view& x);

  /// Runs the stream once.
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

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_HPP
