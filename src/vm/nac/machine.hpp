// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference VM of NAC: runs verified programs with PyTorch's semantics, one instruction after
// another.
//
//   machine vm(*program);                            // from nac::verify
//   tensor x = make_tensor(vm.room(), data_type::float32, {1, 3});
//   vm.set_input(0, x);
//   const outcome done = vm.run();
//   if (!done) report(done.code, done.instruction, done.text);
//   const tensor& y = vm.outputs()[0].as_tensor();
//
//   parameters    loaded where an INPUT or PRELOAD asks, quantized ones as float32
//   states        INPUT 2: zeros of [1, 12, 0, 64] in float32 until set_state; a program changes one
//                 by aten.copy.default into it. They stay between runs.
//   inputs        INPUT 0, in the order of program.inputs(); they stay set
//
// Lifetime:   a machine borrows its program and what that borrows. Tensors of its memory must not
//             outlive it. One machine serves one caller at a time.
// Errors:     run(): nac_run_*, budget_steps, budget_memory, with the instruction.
// Limits:     machine_options; max_steps instructions.
// Allocation: parameters and results, within max_memory.

#ifndef TESSERA_VM_NAC_MACHINE_HPP
#define TESSERA_VM_NAC_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "call.hpp"
#include "tensor.hpp"
#include "tessera/nac.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// How a run ended: true when all went well.
struct outcome {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  errc code = errc::ok;
  std::uint32_t instruction = none;  ///< of OPS
  std::uint64_t steps = 0;           ///< instructions that ran
  std::string text;                  ///< what there was instead
  [[nodiscard]] explicit operator bool() const noexcept { return code == errc::ok; }
};

struct machine_options {
  std::uint64_t max_memory = budget{}.max_memory;
  memory* room = nullptr;  ///< one that outlives the machine, instead of its own
};

class machine {
 public:
  explicit machine(const model::program& p, const machine_options& how = {});
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  ~machine();

  [[nodiscard]] const model::program& program() const noexcept { return program_; }
  /// Where tensors for inputs and states are made.
  [[nodiscard]] memory& room() noexcept { return room_; }

  /// An input by its index in program().inputs().
  void set_input(std::size_t index, value v) { inputs_[index] = std::move(v); }
  /// What the program returned, in its order.
  [[nodiscard]] std::span<const value> outputs() const noexcept { return outputs_; }

  outcome run(std::uint64_t max_steps = budget{}.max_steps);

 private:
  model::program const& program_;
  memory own_;
  memory& room_;
  workspaces work_;
  std::vector<value> constants_;            // by place
  std::vector<std::uint32_t> constant_at_;  // by id
  std::vector<value> inputs_, results_, outputs_;
  std::vector<std::uint32_t> input_at_;   // by instruction
  std::vector<const value*> arguments_;   // as the program's code has them
  std::vector<model::binding> bindings_;  // by instruction
};

/// The values of a tensor of DATA, quantized ones as float32, in memory of `room`.
[[nodiscard]] tensor load(memory& room, const model::tensor& from);
/// An array of a container.
[[nodiscard]] tensor load(memory& room, const model::array& from);
/// Elements in little-endian order.
[[nodiscard]] tensor load(memory& room, data_type type, const shape& dims, bytes from);
/// A constant of CNST or of a plan.
[[nodiscard]] value load(memory& room, const model::constant& from);

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_MACHINE_HPP
