// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A NAC program at the shapes of its inputs: it is run once, so that everything that doesn't depend on
// them is known, and of the rest types and shapes.
//
//   network net(program, {{1, 3, 224, 224}}, limits);
//   net.result(12).as_tensor().dims;           // of a run with some inputs
//   net.is_constant(12);                       // whether it has these elements for all inputs
//   vm::nac::call c = net.call_of(12);         // what an operation is called with
//
// Lifetime:   borrows the program.
// Errors:     throws a refusal: of the run, of instructions whose results depend on more than inputs.
// Limits:     those of a run.
// Allocation: all results of the program at once.

#ifndef TESSERA_TRANSFORM_LOWER_NETWORK_HPP
#define TESSERA_TRANSFORM_LOWER_NETWORK_HPP

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "tessera/transform/lower.hpp"
#include "transform/lower/steps.hpp"
#include "vm/nac/call.hpp"
#include "vm/nac/interpreter.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class network {
 public:
  network(const nac::program& p, const lower_options& options);

  [[nodiscard]] const nac::program& program() const noexcept { return program_; }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(program_.code().steps.size());
  }
  [[nodiscard]] const nac::step& at(std::uint32_t i) const noexcept {
    return program_.code().steps[i];
  }
  [[nodiscard]] const vm::nac::value& result(std::uint32_t i) const noexcept { return results_[i]; }
  [[nodiscard]] bool is_constant(std::uint32_t i) const noexcept { return !depends_[i]; }
  /// Of an input of integers: the fewest rows that it indexes, 0 where it indexes nothing.
  [[nodiscard]] std::int64_t index_end(std::uint32_t input);
  /// Whether it is in a branch that isn't taken.
  [[nodiscard]] bool is_skipped(std::uint32_t i) const noexcept { return is_skipped_[i]; }
  /// Of a CONTROL_FLOW: whether its condition is known, the instructions that give the results of a
  /// branch, and the last one of both.
  [[nodiscard]] bool is_decided(std::uint32_t i) const { return !is_open_[i]; }
  [[nodiscard]] bool holds(std::uint32_t i) const;
  [[nodiscard]] std::vector<std::uint32_t> results_of_branch(std::uint32_t i, bool is_first) const;
  [[nodiscard]] std::uint32_t end_of_branches(std::uint32_t i) const {
    return branches_of(i).after - 1;
  }
  /// "v12 aten.relu.default"
  [[nodiscard]] std::string name_of(std::uint32_t i) const;
  /// The instruction whose result an argument is, ~0 of a constant.
  [[nodiscard]] std::uint32_t argument_of(std::uint32_t i, std::size_t k) const {
    const nac::argument a = program_.code().arguments_of(at(i))[k];
    return a.is_constant() ? ~std::uint32_t{0} : written(a.index(), i);
  }
  /// The values of an operation's arguments; one of them may be another value than its own.
  [[nodiscard]] vm::nac::call call_of(std::uint32_t i, std::size_t replaced = ~std::size_t{0},
                                      const vm::nac::value* by = nullptr);
  [[nodiscard]] vm::nac::memory& arena() noexcept { return machine_.arena(); }

 private:
  [[nodiscard]] refusal failed(const vm::nac::outcome& done) const;
  void find_dependent();
  void find_branch(std::uint32_t i);
  /// What an operand is there: of an instruction whose result was written in place before it, what
  /// wrote it last.
  [[nodiscard]] std::uint32_t written(std::uint32_t operand, std::uint32_t at) const;
  void check_writes() const;
  [[nodiscard]] bool depends_on_operands(std::uint32_t i) const;
  void find_skipped();
  /// Of a CONTROL_FLOW: the first instructions of its second branch and after both.
  struct branches {
    std::uint32_t middle = 0, after = 0;
  };
  [[nodiscard]] branches branches_of(std::uint32_t i) const;
  void run_other_branches(const lower_options& options);
  [[nodiscard]] bool has_all_results() const;
  [[nodiscard]] std::int64_t rows_indexed(std::uint32_t i, const std::vector<bool>& follows);
  /// Random floats from `low` to `high`.
  void set_inputs(const lower_options& options, std::uint64_t random, double low, double high);
  [[nodiscard]] vm::nac::tensor random_input(nac::data_type type,
                                             const std::vector<std::int64_t>& shape,
                                             std::uint64_t& random, double low, double high);

  const nac::program& program_;
  vm::nac::interpreter machine_;
  vm::nac::workspaces work_;
  std::vector<vm::nac::value> results_;  // by instruction
  std::vector<bool> depends_, is_skipped_, is_open_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> writes_;  // in place, by what was made first
  std::map<std::uint32_t, std::uint32_t> first_;  // of writes in place: what was made first
  std::map<std::uint16_t, vm::nac::value> constants_;
  std::deque<nac::binding> bindings_;
  std::deque<std::vector<const vm::nac::value*>> arguments_;
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_NETWORK_HPP
