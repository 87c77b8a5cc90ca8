// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Instructions of an execution plan that only use values, not files or models.
//
//   plan_values with{arena, work};
//   plan_value sum = with.binary(plan_binary::add, a, b);
//   plan_value shaped = with.create(data_type::int64, 0, sum);   // [1, 1]
//
// Lifetime:   for one instruction.
// Errors:     faults: nac_plan_slot, those of operations, budget_memory.
// Limits:     none of their own.
// Allocation: results; of sample and top_k 8 bytes for an element besides.

#ifndef TESSERA_VM_EXECUTION_PLAN_VALUES_HPP
#define TESSERA_VM_EXECUTION_PLAN_VALUES_HPP

#include <algorithm>
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

/// The choices of math_unary, math_binary and logic_compare, by their numbers in the format.
enum class plan_unary : std::uint8_t { softmax, sqrt, abs, neg, exp, reciprocal };
enum class plan_binary : std::uint8_t { add, sub, mul, div, pow, max, min };
enum class plan_comparison : std::uint8_t { eq, ne, gt, lt };
static_assert(std::ranges::count(model::plan_choices, 'Q', &model::plan_choice::set) == 6 &&
              std::ranges::count(model::plan_choices, 'B', &model::plan_choice::set) == 7 &&
              std::ranges::count(model::plan_choices, 'L', &model::plan_choice::set) == 4);
/// A choice by its number, which is verified.
template <class Choice>
[[nodiscard]] Choice choice(std::uint32_t number) noexcept {
  return static_cast<Choice>(number);
}

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
  [[nodiscard]] plan_value unary(plan_unary op, const plan_value& v) const;
  [[nodiscard]] plan_value binary(plan_binary op, const plan_value& a, const plan_value& b) const;
  [[nodiscard]] plan_value compared(plan_comparison op, const plan_value& a,
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
