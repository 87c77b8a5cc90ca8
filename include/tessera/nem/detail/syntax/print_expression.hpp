// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Values of NEM as canonical text: numbers, strings, lists and expressions.
//
//   nem::detail::value_printer values(d, {});
//   values.print(out, let + 1);                // (i mod 2) * 64
//
//   number        7, and 0.5, 1.0e-5: the shortest digits that read back, on both sides of a point
//   string        "…" with \\ \" \n \t
//   list          [1, [2, 3]]
//   left operand  bare:         a * b  before + - *,  a + b and a - b  before + -,  -a
//                 parentheses:  all else, so always around / and mod
//   right operand parentheses around anything with an operator
//
// So a reader without precedence gets the same value as one with it. Where an expression is so deep
// that these parentheses would go over what readers accept, it gets only those that precedence
// needs, no more than it was read with.
//
// Lifetime:   a printer borrows the model.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: up to 16 bytes an operand of the largest expression, besides the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/shortest.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../model.hpp"
#include "../rules/arithmetic.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

namespace detail {

/// How deep parentheses, signs and lists may be nested.
inline constexpr std::uint32_t readable_nesting = 256;

/// A finite number, not below zero, as the language writes them. What is infinite gets a number
/// that reads back as infinity.
inline void append_real(text& out, double v) {
  if (!(v <= DBL_MAX)) {
    out << "1.0e999";
    return;
  }
  char digits[double_capacity];
  const char* const end = put_double(digits, v, double_style::python);
  std::string_view number(digits, static_cast<std::size_t>(end - digits));
  std::size_t exponent = 0;
  while (exponent < number.size() && number[exponent] != 'e') ++exponent;
  if (exponent == number.size()) {
    out << number;
    return;
  }
  const std::string_view mantissa = number.substr(0, exponent);
  out << mantissa << (mantissa.find('.') == std::string_view::npos ? ".0e" : "e");
  number.remove_prefix(exponent + 1);
  if (number.front() == '-') out << '-';
  number.remove_prefix(1);
  while (number.front() == '0') number.remove_prefix(1);
  out << number;
}

inline void append_string(text& out, std::string_view s) {
  out << '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c != '"' && c != '\\' && c != '\n' && c != '\t') continue;
    out << s.substr(plain, i - plain) << '\\' << (c == '\n' ? 'n' : c == '\t' ? 't' : c);
    plain = i + 1;
  }
  out << s.substr(plain) << '"';
}

[[nodiscard]] constexpr bool is_sum(node_kind k) noexcept {
  return k == node_kind::add || k == node_kind::subtract;
}
[[nodiscard]] constexpr bool is_binary(node_kind k) noexcept {
  return is_operator(k) && !is_unary(k);
}

/// Where the operands of an expression's operators are: those of the operator `at` are at
/// `at - 1` and, if it has two, at `left(at)`.
class expression_index {
 public:
  void assign(const model& d, std::uint32_t expression) {
    root_ = expression;
    const std::uint32_t count = d.nodes[expression].next - expression - 1;
    first_.clear();
    first_.reserve(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      const node_kind kind = d.nodes[expression + 1 + k].kind;
      first_.push_back(!is_operator(kind)          ? k
                       : kind == node_kind::negate ? first_[k - 1]
                                                   : first_[first_[k - 1] - 1]);
    }
  }
  [[nodiscard]] std::uint32_t left(std::uint32_t at) const noexcept {
    return root_ + first_[at - root_ - 2];  // what ends before the right operand begins
  }

 private:
  std::uint32_t root_ = 0;
  pool<std::uint32_t> first_;  // where the part that ends with an operand or operator begins
};

class value_printer {
 public:
  value_printer(const model& d, const print_options& options) noexcept
      : d_(d), strict_(options.strict_ebnf) {}

  /// A number, name, string, list or expression.
  void print(text& out, std::uint32_t value) {
    const std::uint32_t end = d_.nodes[value].next;
    bool is_first = true;
    lists_.clear();
    for (std::uint32_t i = value;;) {
      while (!lists_.empty() && lists_.back() == i) {
        lists_.pop_back();
        out << ']';
      }
      if (i >= end) return;
      if (!is_first) out << ", ";
      const node& n = d_.nodes[i];
      is_first = n.kind == node_kind::list;
      if (is_first) {
        out << '[';
        lists_.push_back(n.next);
        if (n.next == ++i) is_first = false;
        continue;
      }
      if (n.kind == node_kind::expression)
        print_expression(out, i, static_cast<std::uint32_t>(lists_.size()));
      else
        print_primary(out, n);
      i = n.next;
    }
  }
  /// The children of a node, with commas.
  void print_children(text& out, std::uint32_t parent) {
    std::string_view comma;
    for (const std::uint32_t c : children(d_, parent)) {
      if (d_.nodes[c].kind == node_kind::decorator) break;  // of a wait, after its tokens
      out << comma;
      print(out, c);
      comma = ", ";
    }
  }

 private:
  enum class part : std::uint8_t { operand, in_parentheses, operator_, close };
  struct pending {
    std::uint32_t at;
    part what;
  };

  void print_primary(text& out, const node& n) {
    switch (n.kind) {
      case node_kind::integer:
      case node_kind::wide_integer: out << d_.integer(n); break;
      case node_kind::real: append_real(out, d_.reals[n.value]); break;
      case node_kind::string: append_string(out, d_.name(n.value)); break;
      default: out << d_.name(n.value);
    }
  }

  [[nodiscard]] node_kind kind(std::uint32_t at) const noexcept { return d_.nodes[at].kind; }
  [[nodiscard]] bool left_needs_parentheses(node_kind left, node_kind outer) const noexcept {
    if (!is_binary(left)) return false;
    if (is_minimal_) return is_sum(left) && !is_sum(outer);
    if (left == node_kind::multiply) return !is_sum(outer) && outer != node_kind::multiply;
    return !is_sum(left) || !is_sum(outer);
  }
  [[nodiscard]] bool right_needs_parentheses(node_kind right, node_kind outer) const noexcept {
    if (is_minimal_) return is_binary(right) && (is_sum(right) || !is_sum(outer));
    return is_binary(right) || (right == node_kind::negate && !strict_);
  }

  /// How deep the text of an expression would be, with its signs.
  [[nodiscard]] std::uint32_t nesting(std::uint32_t first, std::uint32_t end) {
    depths_.clear();
    depths_.reserve(end - first);
    for (std::uint32_t at = first; at < end; ++at) {
      const node_kind k = kind(at);
      std::uint32_t depth = 0;
      if (is_operator(k)) {
        depth = depths_[at - 1 - first];
        if (k == node_kind::negate) {
          depth += is_binary(kind(at - 1)) ? 2u : 1u;
        } else {
          const std::uint32_t l = index_.left(at);
          std::uint32_t other = depths_[l - first];
          if (right_needs_parentheses(kind(at - 1), k)) ++depth;
          if (left_needs_parentheses(kind(l), k)) ++other;
          if (other > depth) depth = other;
        }
      }
      depths_.push_back(depth);
    }
    return depths_.back();
  }

  void print_expression(text& out, std::uint32_t expression, std::uint32_t lists) {
    const std::uint32_t first = expression + 1, end = d_.nodes[expression].next;
    index_.assign(d_, expression);
    is_minimal_ = false;
    if (end - first + lists > readable_nesting)
      is_minimal_ = nesting(first, end) + lists > readable_nesting;
    parts_.clear();
    parts_.push_back({end - 1, part::operand});
    while (!parts_.empty()) {
      const pending p = parts_.back();
      parts_.pop_back();
      const node& n = d_.nodes[p.at];
      if (p.what == part::close) {
        out << ')';
        continue;
      }
      if (p.what == part::operator_) {
        out << ' ' << operator_text(n.kind) << ' ';
        continue;
      }
      if (p.what == part::in_parentheses) {
        out << '(';
        parts_.push_back({p.at, part::close});
      }
      if (!is_operator(n.kind)) {
        print_primary(out, n);
      } else if (n.kind == node_kind::negate) {
        out << (strict_ ? "(0 - " : "-");
        if (strict_) parts_.push_back({p.at, part::close});
        parts_.push_back(
            {p.at - 1, is_binary(kind(p.at - 1)) ? part::in_parentheses : part::operand});
      } else {
        const std::uint32_t left = index_.left(p.at), right = p.at - 1;
        parts_.push_back({right, right_needs_parentheses(kind(right), n.kind) ? part::in_parentheses
                                                                              : part::operand});
        parts_.push_back({p.at, part::operator_});
        parts_.push_back({left, left_needs_parentheses(kind(left), n.kind) ? part::in_parentheses
                                                                           : part::operand});
      }
    }
  }

  const model& d_;
  bool strict_, is_minimal_ = false;
  pool<std::uint32_t> lists_, depths_;
  expression_index index_;
  pool<pending> parts_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP
