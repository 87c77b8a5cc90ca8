// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Instructions of a plan that only use values, not files or models.
//
//   plan_values with{arena, work};
//   plan_value sum = with.binary(0, a, b);                       // by the choice's number
//   plan_value shaped = with.create(data_type::int64, 0, sum);   // [1, 1]
//
// Lifetime:   for one instruction.
// Errors:     faults: nac_plan_slot, those of operations, budget_memory.
// Limits:     none of their own.
// Allocation: results; of sample and top_k 8 bytes for an element besides.

#ifndef TESSERA_VM_EXECUTION_PLAN_VALUES_HPP
#define TESSERA_VM_EXECUTION_PLAN_VALUES_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tessera/nac/all.hpp"
#include "value.hpp"
#include "vm/nac/call.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Throws nac_plan_slot: `wanted` was expected.
[[noreturn]] void wrong_slot(std::string_view wanted, const plan_value& found);
/// A number, or the one element of a tensor.
[[nodiscard]] plan_value number_of(const plan_value& v);
/// The same without a fraction.
[[nodiscard]] std::int64_t whole_of(const plan_value& v);
/// As Python's bool().
[[nodiscard]] bool truth_of(const plan_value& v);
/// Rounds of a loop.
[[nodiscard]] std::int64_t rounds_of(const plan_value& v);

struct plan_values {
  memory& arena;
  workspaces& work;

  /// A tensor, number or list as a tensor; scalars give way to others' types.
  [[nodiscard]] tensor tensor_of(const plan_value& v) const;
  /// What a model results in.
  [[nodiscard]] plan_value from_model(const value& v) const;
  [[nodiscard]] plan_value list_of(std::span<const std::int64_t> v) const;

  [[nodiscard]] plan_value create(data_type type, std::uint32_t kind, const plan_value& from) const;
  [[nodiscard]] plan_value pad_left(const plan_value& v, const plan_value& width,
                                    const plan_value& with) const;
  [[nodiscard]] plan_value unsqueezed(const plan_value& v, const plan_value& axis) const;
  [[nodiscard]] plan_value squeezed(const plan_value& v, const plan_value& axis) const;
  [[nodiscard]] plan_value concatenated(std::span<const tensor> all, const plan_value& axis) const;
  [[nodiscard]] plan_value shape_of(const plan_value& v) const;
  [[nodiscard]] plan_value dimension(const plan_value& v, const plan_value& index) const;
  [[nodiscard]] plan_value extracted(const plan_value& v, const plan_value& index) const;
  [[nodiscard]] plan_value unary(std::uint32_t op, const plan_value& v) const;
  [[nodiscard]] plan_value binary(std::uint32_t op, const plan_value& a, const plan_value& b) const;
  [[nodiscard]] plan_value compared(std::uint32_t op, const plan_value& a,
                                    const plan_value& b) const;
  [[nodiscard]] plan_value argmax(const plan_value& v) const;
  void top_k(const plan_value& v, const plan_value& k, plan_value& indices,
             plan_value& values) const;
  /// Changes `random`, the state of the generator.
  [[nodiscard]] plan_value sample(const plan_value& logits, const plan_value& temperature,
                                  const plan_value& top_k, std::uint64_t& random) const;

 private:
  [[nodiscard]] tensor apply(model::operation o, std::span<const value> arguments) const;
};

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_EXECUTION_PLAN_VALUES_HPP
