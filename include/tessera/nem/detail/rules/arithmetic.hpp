// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operators of NEM's expressions on 64-bit integers, checked.
//
//   std::int64_t sum;
//   if (nem::apply(nem::node_kind::add, a, b, sum) == nem::arithmetic_error::overflow) …
//
//   + - *   overflow is an error
//   /       truncates towards zero
//   mod     has the sign of the divisor: -7 mod 4 is 1
//   -       negates its first operand
//
// Lifetime:   nothing is kept.
// Errors:     an arithmetic_error.
// Limits:     64 bits.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP
#define TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP

#include <cstdint>
#include <string_view>

#include "../../../version.hpp"
#include "../../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

enum class arithmetic_error : std::uint8_t { none, overflow, division };

/// Applies an operator. Where it can't, `to` is left as it was. `negate` takes only `a`.
[[nodiscard]] constexpr arithmetic_error apply(node_kind op, std::int64_t a, std::int64_t b,
                                               std::int64_t& to) noexcept {
  std::int64_t value = 0;
  bool overflow = false;
  switch (op) {
    case node_kind::add: overflow = __builtin_add_overflow(a, b, &value); break;
    case node_kind::subtract: overflow = __builtin_sub_overflow(a, b, &value); break;
    case node_kind::multiply: overflow = __builtin_mul_overflow(a, b, &value); break;
    case node_kind::negate: overflow = __builtin_sub_overflow(std::int64_t{0}, a, &value); break;
    case node_kind::divide:
      if (b == 0) return arithmetic_error::division;
      if (b == -1)  // the processor traps where the quotient has no room
        overflow = __builtin_sub_overflow(std::int64_t{0}, a, &value);
      else
        value = a / b;
      break;
    case node_kind::modulo:
      if (b == 0) return arithmetic_error::division;
      value = b == -1 ? 0 : a % b;
      if (value != 0 && (value < 0) != (b < 0)) value += b;
      break;
    default: return arithmetic_error::none;  // unreachable: not an operator
  }
  if (overflow) return arithmetic_error::overflow;
  to = value;
  return arithmetic_error::none;
}

/// Whether an operator takes one operand.
[[nodiscard]] constexpr bool is_unary(node_kind op) noexcept { return op == node_kind::negate; }
/// As the language writes it.
[[nodiscard]] constexpr std::string_view operator_text(node_kind op) noexcept {
  switch (op) {
    case node_kind::add: return "+";
    case node_kind::multiply: return "*";
    case node_kind::divide: return "/";
    case node_kind::modulo: return "mod";
    default: return "-";
  }
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP
