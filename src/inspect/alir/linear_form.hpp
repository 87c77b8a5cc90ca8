// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// An operation's value as a sum of multiples of earlier values: what an interval of each operand
// forgets, that two of them depend on the same number, is there as a coefficient.
//
//   linear_form sum;                        // (x + y) - x
//   if (forms.open(sum, i, 1))              // 1·v_i
//     while (!fits(forms.values(sum)) && forms.expand(sum, forms.last(sum))) {}
//
// Lifetime:   borrows the program and the sets of values.
// Errors:     false where a coefficient would pass 64 bits or terms are too many; the form is
//             worthless then.
// Limits:     max_terms.
// Allocation: the terms.

#ifndef TESSERA_INSPECT_ALIR_LINEAR_FORM_HPP
#define TESSERA_INSPECT_ALIR_LINEAR_FORM_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "value_set.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

struct linear_form {
  struct term {
    std::int32_t id;
    std::int64_t by;
  };
  std::int64_t constant = 0;
  std::vector<term> terms;  ///< ascending by id, none by 0
  int halved = 0;           ///< the value is the sum over 2^halved, without a rest
};

class linear_forms {
 public:
  static constexpr std::size_t max_terms = 512;
  static constexpr std::int32_t none = -1;

  linear_forms(const alir::program& p, const std::vector<value_set>& values)
      : p_(p), values_(values), drops_only_zeros_(p.size()) {}

  /// Adds `by` times what operation i adds up, before it shifts its result; false if it isn't a
  /// sum.
  [[nodiscard]] bool open(linear_form& to, std::int32_t i, std::int64_t by) const;
  [[nodiscard]] bool add(linear_form& to, std::int32_t id, std::int64_t by) const;
  [[nodiscard]] bool add_scaled(linear_form& to, const linear_form& form, std::int64_t by) const;
  /// The latest of its operations that is a sum itself, and loses nothing.
  [[nodiscard]] std::int32_t last(const linear_form& of) const noexcept;
  /// Finds out whether the bits that the sum i drops are always 0. Until then they count as lost.
  template <class Spend>
  void find_dropped_bits(std::int32_t i, Spend spend) {
    linear_form sum;
    const auto drops = static_cast<int>(-p_.shifts(static_cast<std::size_t>(i)).result);
    if (drops <= 0 || !open(sum, i, 1)) return;
    while (!is_multiple(sum, drops)) {
      const std::int32_t next = last(sum);
      if (!spend(sum.terms.size()) || next == none || !expand(sum, next)) return;
    }
    drops_only_zeros_[static_cast<std::size_t>(i)] = true;
  }
  /// Replaces operation `id`, if it is a term.
  [[nodiscard]] bool expand(linear_form& in, std::int32_t id) const;

  /// The values of a form; everything if that may pass 64 bits.
  [[nodiscard]] value_set values(const linear_form& of) const noexcept;
  [[nodiscard]] bool bounds(const linear_form& of, vm::alir::range& out) const noexcept;

 private:
  [[nodiscard]] bool is_exact_sum(std::int32_t id) const noexcept;
  [[nodiscard]] static bool double_all(linear_form& in, int power) noexcept;
  [[nodiscard]] bool is_multiple(const linear_form& of, int power) const noexcept;

  const alir::program& p_;
  const std::vector<value_set>& values_;
  std::vector<bool> drops_only_zeros_;  ///< by operation
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_LINEAR_FORM_HPP
