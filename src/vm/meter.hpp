// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The steps that a run has left of its budget. All machines charge their work to one of these,
// before they begin it, as far as shapes determine how much it will be.
//
//   meter steps(budget{}.max_steps);
//   if (!steps.charge(product_steps(m, n, k))) return refuse(steps.refusal());
//
//   a step    an element that is read or written, or eight bytes that are moved: about a nanosecond.
//             Slower work on an element (exponential functions, divisions, sorting) counts as
//             several; a multiply-add of a matrix product counts as a part of one.
//
// Instructions, tasks and iterations take some steps themselves, so that programs without elements
// end too. Counts depend on the program and on the shapes of its inputs, never on the platform, on
// threads or on a schedule.
//
// Lifetime:   a value.
// Errors:     charge() returns false; nothing is charged then.
// Limits:     sums and products beyond 64 bits saturate at the largest number, which only a budget
//             of that number allows.
// Allocation: none, but for refusal().

#ifndef TESSERA_VM_METER_HPP
#define TESSERA_VM_METER_HPP

#include <cstdint>
#include <string>

#include "tessera/core/limits.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm {

/// Steps of an instruction, a task or an iteration besides those of its elements: the cost of
/// dispatch.
inline constexpr std::uint64_t instruction_steps = 64;
/// The same for each of its operands.
inline constexpr std::uint64_t operand_steps = 16;

[[nodiscard]] constexpr std::uint64_t sum_of_steps(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}
[[nodiscard]] constexpr std::uint64_t product_of_steps(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/// Multiply-adds of float32 kernels in a step: they do from ten to a hundred in a nanosecond.
inline constexpr std::uint64_t products_a_step = 32;

/// A product of matrices [m, k] and [k, n], with `a_step` multiply-adds per step. Thin ones take
/// as long as reading their factors and writing the result.
[[nodiscard]] constexpr std::uint64_t product_steps(
    std::uint64_t m, std::uint64_t n, std::uint64_t k,
    std::uint64_t a_step = products_a_step) noexcept {
  const std::uint64_t result = product_of_steps(m, n);
  const std::uint64_t factors = product_of_steps(sum_of_steps(m, n), k);
  const std::uint64_t all = sum_of_steps(product_of_steps(result, k) / a_step, operand_steps);
  return sum_of_steps(all, sum_of_steps(result, factors));
}

/// The bytes that a run may hold: those of its machine, or fewer where its budget names fewer.
[[nodiscard]] constexpr std::uint64_t memory_of_run(const budget& run,
                                                    std::uint64_t machine) noexcept {
  const bool is_default = run.max_memory == budget{}.max_memory;
  return is_default || run.max_memory > machine ? machine : run.max_memory;
}

class meter {
 public:
  /// Without a budget it only counts.
  constexpr explicit meter(std::uint64_t max_steps = UINT64_MAX) noexcept
      : max_(max_steps), left_(max_steps) {}

  /// False if fewer are left; `refused` is then the number requested.
  [[nodiscard]] constexpr bool charge(std::uint64_t steps) noexcept {
    if (steps > left_) [[unlikely]] {
      refused_ = steps;
      return false;
    }
    left_ -= steps;
    return true;
  }
  /// A meter for a part of this work, with its own budget, which may be smaller.
  [[nodiscard]] constexpr meter part(std::uint64_t max_steps) const noexcept {
    if (max_ == UINT64_MAX) return meter(max_steps);
    meter m(max_);
    m.left_ = max_steps < left_ ? max_steps : left_;
    return m;
  }
  [[nodiscard]] constexpr std::uint64_t used() const noexcept { return max_ - left_; }
  [[nodiscard]] constexpr std::uint64_t left() const noexcept { return left_; }
  [[nodiscard]] constexpr std::uint64_t max() const noexcept { return max_; }

  /// "2251799813685248 steps, with 4294967100 of 4294967296 left": of the last charge that was refused.
  [[nodiscard]] std::string refusal() const {
    const std::string needed = refused_ == UINT64_MAX ? "more than 2^64" : std::to_string(refused_);
    return needed + " steps, with " + std::to_string(left_) + " of " + std::to_string(max_) +
           " left";
  }

 private:
  std::uint64_t max_, left_, refused_ = 0;
};

}  // namespace vm
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_METER_HPP
