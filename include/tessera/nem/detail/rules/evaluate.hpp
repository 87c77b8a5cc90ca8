// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The value of an expression at one point of a program.
//
//   std::int64_t size;
//   if (!detail::evaluate_integer(c, node, size)) return;     // reported, here or before
//   double scale;
//   if (!detail::evaluate_real(c, node, scale)) return;       // integers convert
//
//   integers   64 bits, checked: EXP-003, EXP-004                "Expressions"
//   reals      binary64, where a FLOAT is allowed; else EXP-001
//   names      those that are visible: EXP-002, EXP-005
//   const      its own rules for the same: CON-002 … CON-008     "Constants"
//
// What each iteration of a loop evaluates isn't cold, here and in region.hpp and place.hpp: a machine
// that runs the program spends a sixth of its time per task there. All else is compiled for size.
//
// Lifetime:   nothing is kept.
// Errors:     reported at the operand or the operator that is wrong.
// Limits:     1,024 operands at once: more than an expression of 256 nested parentheses holds.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP
#define TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../version.hpp"
#include "../../model.hpp"
#include "arithmetic.hpp"
#include "context.hpp"
#include "scope.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A value while it is computed; number{} is the integer 0. It has no initializers, so that a stack of
/// them costs nothing.
struct number {
  std::int64_t integer;
  double real;
  bool is_real;
  bool is_unknown;  ///< after an error
  bool varies;      ///< whether it depends on a loop variable
  [[nodiscard]] double as_real() const noexcept {
    return is_real ? real : static_cast<double>(integer);
  }
};

/// A FLOAT without a fraction as an integer.
[[nodiscard]] inline bool to_integer(double x, std::int64_t& to) noexcept {
  if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return false;
  to = static_cast<std::int64_t>(x);
  return static_cast<double>(to) == x;
}

/// What an expression is for.
struct purpose {
  std::string_view integer;  ///< what to say of a FLOAT; empty where one is allowed
  bool is_constant = false;  ///< of a const declaration
};
inline constexpr purpose for_integer = {"expected an integer, found a FLOAT"};
inline constexpr purpose for_number = {};
inline constexpr purpose for_constant = {"const declarations must be integer", true};

inline bool report_float(context& c, std::uint32_t at, const purpose& p) {
  c.report(p.is_constant ? errc::nem_con_007_float : errc::nem_exp_001_float, at) << p.integer;
  return false;
}

/// The value of a name.
[[gnu::cold]] inline bool evaluate_name(context& c, std::uint32_t at, const purpose& p,
                                        number& to) {
  static constexpr binding nothing = {};
  const binding& b = c.names != nullptr ? (*c.names)[c[at].value] : nothing;
  if (b.kind == binding_kind::none) {
    auto&& w = c.report(p.is_constant ? errc::nem_con_002_forward : errc::nem_exp_002_name, at);
    if (p.is_constant)
      w << "forward reference to undeclared constant " << c.name(at);
    else
      w << c.name(at) << " isn't declared before this point";
    suggest(c, w, c.name(at), p.is_constant ? binding_kind::constant : binding_kind::none);
    return false;
  }
  if (p.is_constant && b.kind != binding_kind::constant) {
    (c.report(errc::nem_con_003_not_constant, at)
     << "a constant expression can't use the " << name(b.kind) << ' ' << c.name(at))
            .note(head(c, b.node))
        << c.name(at) << " is declared here";
    return false;
  }
  if (!b.is_known) return false;
  to = {};
  to.varies = b.varies;
  switch (b.kind) {
    case binding_kind::constant:
    case binding_kind::integer:
    case binding_kind::loop_variable: to.integer = b.integer; return true;
    case binding_kind::real:
      if (!p.integer.empty()) return report_float(c, at, p);
      to.real = std::bit_cast<double>(b.integer);
      to.is_real = true;
      return true;
    default: break;
  }
  const std::string_view kind = b.kind == binding_kind::string ? "string"
                                : name(b.kind) == "let"        ? "list"
                                                               : name(b.kind);
  (c.report(errc::nem_exp_005_kind, at) << "the " << kind << ' ' << c.name(at) << " isn't a number")
          .note(head(c, b.node))
      << c.name(at) << " is declared here";
  return false;
}

/// One operand of an expression, or a whole one.
inline bool evaluate_operand(context& c, std::uint32_t at, const purpose& p, number& to) {
  const node& n = c[at];
  switch (n.kind) {
    case node_kind::integer:
    case node_kind::wide_integer:
      to = {};
      to.integer = c.d.integer(n);
      return true;
    case node_kind::real:
      if (!p.integer.empty()) return report_float(c, at, p);
      to = {};
      to.real = c.d.reals[n.value];
      to.is_real = true;
      return true;
    case node_kind::name: return evaluate_name(c, at, p, to);
    case node_kind::list:
      c.report(errc::nem_exp_005_kind, at) << "a list isn't a number";
      return false;
    default: c.report(errc::nem_exp_005_kind, at) << "a string isn't a number"; return false;
  }
}

/// Applies an operator to `a`, in place, and to `b`.
[[gnu::cold]] inline void apply_operator(context& c, std::uint32_t at, const purpose& p, number& a,
                                         const number& b) {
  const node_kind op = c[at].kind;
  a.varies = a.varies || b.varies;
  a.is_unknown = a.is_unknown || b.is_unknown;
  if (a.is_unknown) return;
  bool is_division = false;
  if (a.is_real || b.is_real) {
    const double x = a.as_real(), y = b.as_real();
    a.is_real = true;
    switch (op) {
      case node_kind::add: a.real = x + y; return;
      case node_kind::subtract: a.real = x - y; return;
      case node_kind::multiply: a.real = x * y; return;
      case node_kind::negate: a.real = -x; return;
      case node_kind::divide:
        if (y != 0) {
          a.real = x / y;
          return;
        }
        is_division = true;
        break;
      default:
        c.report(errc::nem_exp_001_float, at) << "mod needs integers, found a FLOAT";
        a.is_unknown = true;
        return;
    }
  } else {
    if ((op == node_kind::divide || op == node_kind::modulo) &&
        ((a.integer < 0 && b.integer != 0) || b.integer < 0))
      c.report(errc::nem_exp_006_negative, at)
          << (op == node_kind::divide ? "'/'" : "mod") << " of " << a.integer << " and "
          << b.integer << ": implementations differ where an operand is negative";
    const std::int64_t left = a.integer;
    const arithmetic_error e = apply(op, left, b.integer, a.integer);
    if (e == arithmetic_error::none) return;
    is_division = e == arithmetic_error::division;
    if (!is_division) {
      auto w =
          c.report(p.is_constant ? errc::nem_con_008_overflow : errc::nem_exp_004_overflow, at);
      if (op == node_kind::negate)
        w << "-(" << left << ')';
      else
        w << left << ' ' << operator_text(op) << ' ' << b.integer;
      w << " leaves the range of 64 bits";
    }
  }
  a.is_unknown = true;
  if (!is_division) return;
  if (p.is_constant)
    c.report(errc::nem_con_004_division, at) << "division by zero in constant expression";
  else
    c.report(errc::nem_exp_003_division, at)
        << (op == node_kind::modulo ? "mod by zero" : "division by zero");
}

/// Operators follow their operands. What couldn't be evaluated stays unknown, so that all
/// errors of an expression are found at once, and each only where it is.
[[gnu::cold]] inline bool evaluate_expression(context& c, std::uint32_t at, const purpose& p,
                                              number& to) {
  constexpr std::size_t most = 1024;
  number stack[most];
  std::size_t size = 0;
  for (std::uint32_t i = at + 1; i < c[at].next; ++i) {
    const node_kind k = c[i].kind;
    if (!is_operator(k)) {
      if (size == most) return false;
      if (!evaluate_operand(c, i, p, stack[size])) {
        stack[size] = {};
        stack[size].is_unknown = true;
      }
      ++size;
    } else if (is_unary(k)) {
      if (size < 1) return false;
      apply_operator(c, i, p, stack[size - 1], number{});
    } else {
      if (size < 2) return false;
      --size;
      apply_operator(c, i, p, stack[size - 1], stack[size]);
    }
  }
  if (size != 1 || stack[0].is_unknown) return false;
  to = stack[0];
  return true;
}

/// The value of any expression; false after an error, which was reported here or before.
[[gnu::cold]] inline bool evaluate(context& c, std::uint32_t at, const purpose& p, number& to) {
  if (c[at].kind == node_kind::expression) return evaluate_expression(c, at, p, to);
  return evaluate_operand(c, at, p, to);
}

/// The value of an expression of integers only, as most are: it takes a part of the time of
/// evaluate(). False where there is anything else, or an error; nothing is reported.
[[nodiscard]] inline bool evaluate_plain(const context& c, std::uint32_t at,
                                         std::int64_t& to) noexcept {
  if (c.names == nullptr) return false;
  constexpr std::size_t most = 8;
  std::int64_t stack[most] = {};
  std::size_t size = 0;
  const node *n = &c[at], *const end = n + (n->next - at);
  for (n += n->kind == node_kind::expression; n != end; ++n) {
    if (n->kind == node_kind::integer || n->kind == node_kind::name) {
      if (size == most) return false;
      std::int64_t& x = stack[size++];
      x = static_cast<std::int64_t>(n->value);
      if (n->kind == node_kind::integer) continue;
      const binding& b = (*c.names)[n->value];
      if (!b.is_known || (b.kind != binding_kind::constant && b.kind != binding_kind::integer &&
                          b.kind != binding_kind::loop_variable))
        return false;
      x = b.integer;
    } else {
      if (!is_operator(n->kind) || is_unary(n->kind) || size < 2) return false;
      std::int64_t& left = stack[--size - 1];
      const std::int64_t right = stack[size];
      const bool is_division = n->kind == node_kind::divide || n->kind == node_kind::modulo;
      if (is_division && (left < 0 || right <= 0)) return false;
      if (apply(n->kind, left, right, left) != arithmetic_error::none) return false;
    }
  }
  to = stack[0];
  return size == 1;
}

/// The value of an expression where only an integer is allowed.
inline bool evaluate_integer(context& c, std::uint32_t at, const purpose& p, std::int64_t& to) {
  const node& n = c[at];
  if (n.kind == node_kind::integer) {
    to = static_cast<std::int64_t>(n.value);
    return true;
  }
  if (evaluate_plain(c, at, to)) return true;
  number x;
  if (!evaluate(c, at, p, x)) return false;
  to = x.integer;
  return true;
}
inline bool evaluate_integer(context& c, std::uint32_t at, std::int64_t& to) {
  return evaluate_integer(c, at, for_integer, to);
}
/// The value of an expression where numbers of both kinds are allowed.
inline bool evaluate_real(context& c, std::uint32_t at, double& to) {
  number x;
  if (!evaluate(c, at, for_number, x)) return false;
  to = x.as_real();
  return true;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP
