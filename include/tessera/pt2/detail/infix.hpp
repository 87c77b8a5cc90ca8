// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Shape expressions as PyTorch 2.5 writes them, and how later versions write the same.
//
//   2*s0 + 1     Add(Mul(Integer(2), Symbol('s0', …)), Integer(1))
//   s0 - s1      Add(s0, Mul(-1, s1))          s0/2     Mul(s0, Pow(2, -1))
//   Eq(s0, 1)    Equality(s0, 1)               s0//2    FloorDiv(s0, 2)

#ifndef TESSERA_PT2_DETAIL_INFIX_HPP
#define TESSERA_PT2_DETAIL_INFIX_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../core/json_read.hpp"
#include "../../core/number.hpp"
#include "../expression.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

inline constexpr std::size_t max_expression_size = 65536;
inline constexpr unsigned max_expression_depth = 128;

/// Whether a text is a number of both notations: one of JSON, in the range of a double.
[[nodiscard]] inline bool is_real(std::string_view s) {
  json::reader in(s);
  (void)in.number();
  return in.finish().code == errc::ok;
}

class infix_parser {
 public:
  explicit infix_parser(std::string_view source) noexcept : source_(source) {}

  result<expression> read() {
    if (source_.size() > max_expression_size)
      return error{errc::pt2_expression, max_expression_size};
    if (binary(0, 0) == 0 || !is_at_end()) return error{errc::pt2_expression, at_};
    return std::move(out_);
  }

 private:
  enum class forms : std::uint8_t { plain, repeatable, negated, inverted };
  /// An operator: how strongly it binds, and the call that it is.
  struct sign_row {
    unsigned level;
    std::string_view sign, name;
    forms form;
  };
  static constexpr unsigned relations = 2, levels = 5;
  static constexpr sign_row signs[] = {
      {0, "|", "Or", forms::repeatable},
      {1, "&", "And", forms::repeatable},
      {relations, "==", "Equality", forms::plain},
      {relations, "!=", "Unequality", forms::plain},
      {relations, "<=", "LessThan", forms::plain},
      {relations, ">=", "GreaterThan", forms::plain},
      {relations, "<", "StrictLessThan", forms::plain},
      {relations, ">", "StrictGreaterThan", forms::plain},
      {3, "+", "Add", forms::repeatable},
      {3, "-", "Add", forms::negated},
      {4, "//", "FloorDiv", forms::plain},
      {4, "*", "Mul", forms::repeatable},
      {4, "/", "Mul", forms::inverted},
      {4, "%", "Mod", forms::plain},
  };

  [[nodiscard]] bool is_at_end() noexcept {
    while (at_ < source_.size() && source_[at_] == ' ') ++at_;
    return at_ == source_.size();
  }
  [[nodiscard]] bool accept(std::string_view token) noexcept {
    if (is_at_end() || source_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] const sign_row* accept_sign(unsigned level) noexcept {
    for (const sign_row& row : signs)
      if (row.level == level && accept(row.sign)) return &row;
    return nullptr;
  }
  [[nodiscard]] static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] static constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  [[nodiscard]] static expression::node call(std::string_view name) noexcept {
    expression::node n;
    n.kind = expression::kinds::call;
    n.text = name;
    return n;
  }
  [[nodiscard]] static expression::node integer(std::int64_t value) noexcept {
    expression::node n;
    n.integer = value;
    return n;
  }
  /// Makes what begins at `index` the first child of a call.
  void wrap(std::size_t index, std::string_view name) {
    out_.nodes.push_back({});
    for (std::size_t i = out_.nodes.size() - 1; i > index; --i) out_.nodes[i] = out_.nodes[i - 1];
    out_.nodes[index] = call(name);
    end_child(index);
  }
  /// What was appended last is another child of the call.
  void end_child(std::size_t call) noexcept {
    ++out_.nodes[call].children;
    out_.nodes[call].size = static_cast<std::uint32_t>(out_.nodes.size() - call);
  }

  // Each returns how many levels it has appended; 0 where the text isn't an expression.

  unsigned binary(unsigned level, unsigned depth) {
    if (level == levels) return unary(depth);
    const std::size_t first = out_.nodes.size();
    unsigned height = binary(level + 1, depth);
    std::string_view chain;  // the call at `first`, if more operands may be added to it
    while (height != 0) {
      const sign_row* const sign = accept_sign(level);
      if (sign == nullptr) break;
      if (level == relations && !chain.empty()) return 0;
      if (chain != sign->name || sign->form == forms::plain) {
        wrap(first, sign->name);
        ++height;
      }
      chain = sign->name;
      const std::size_t operand = out_.nodes.size();
      unsigned of_operand = binary(level + 1, depth);
      if (of_operand == 0) return 0;
      if (sign->form == forms::negated) of_operand = negate(operand, of_operand);
      if (sign->form == forms::inverted) of_operand = invert(operand, of_operand);
      end_child(first);
      if (of_operand + 1 > height) height = of_operand + 1;
      if (height > max_expression_depth) return 0;
    }
    return height;
  }
  unsigned negate(std::size_t operand, unsigned height) {
    expression::node& n = out_.nodes[operand];
    if (n.kind == expression::kinds::integer && n.size == 1) return n.integer = -n.integer, height;
    wrap(operand, "Mul");
    out_.nodes.push_back(integer(-1));
    end_child(operand);
    return height + 1;
  }
  unsigned invert(std::size_t operand, unsigned height) {
    wrap(operand, "Pow");
    out_.nodes.push_back(integer(-1));
    end_child(operand);
    return height + 1;
  }
  unsigned unary(unsigned depth) {
    if (depth >= max_expression_depth) return 0;
    const std::size_t first = out_.nodes.size();
    const bool is_negative = accept("-");
    unsigned height = is_negative ? unary(depth + 1) : atom(depth);
    if (height != 0 && is_negative) return negate(first, height);
    if (height == 0 || !accept("**")) return height;
    wrap(first, "Pow");
    const unsigned exponent = unary(depth + 1);
    end_child(first);
    if (exponent == 0) return 0;
    return (exponent > height ? exponent : height) + 1;
  }
  unsigned atom(unsigned depth) {
    if (accept("(")) {
      const unsigned height = binary(0, depth + 1);
      return height != 0 && accept(")") ? height : 0;
    }
    if (is_at_end()) return 0;
    if (is_digit(source_[at_])) return number();
    const std::size_t start = at_;
    if (is_letter(source_[at_]))
      while (at_ < source_.size() && (is_letter(source_[at_]) || is_digit(source_[at_]))) ++at_;
    const std::string_view name = source_.substr(start, at_ - start);
    if (name.empty()) return 0;
    if (at_ < source_.size() && source_[at_] == '(') return arguments(name, depth);
    expression::node n;
    n.kind = expression::kinds::symbol;
    n.text = name;
    if (name == "True" || name == "False") {
      n.kind = expression::kinds::boolean;
      n.integer = name == "True" ? 1 : 0;
    }
    return out_.nodes.push_back(n), 1;
  }
  unsigned arguments(std::string_view name, unsigned depth) {
    // In the other notation these are no calls.
    for (const std::string_view leaf : {"Integer", "Symbol", "Float", "true", "false"})
      if (name == leaf) return 0;
    const std::size_t first = out_.nodes.size();
    out_.nodes.push_back(call(name == "Eq" ? "Equality" : name == "Ne" ? "Unequality" : name));
    unsigned height = 1;
    if (!accept("(")) return 0;
    if (accept(")")) return height;
    do {
      const unsigned of_child = binary(0, depth + 1);
      if (of_child == 0) return 0;
      end_child(first);
      if (of_child + 1 > height) height = of_child + 1;
    } while (accept(","));
    return accept(")") && height <= max_expression_depth ? height : 0;
  }
  /// "12", "0.5" or "1.0e-5".
  unsigned number() {
    const std::size_t start = at_;
    const auto skip_digits = [this] {
      while (at_ < source_.size() && is_digit(source_[at_])) ++at_;
    };
    skip_digits();
    const std::size_t end_of_integer = at_;
    if (at_ < source_.size() && source_[at_] == '.') ++at_, skip_digits();
    if (at_ + 1 < source_.size() && source_[at_] == 'e') {
      ++at_;
      if (source_[at_] == '-' || source_[at_] == '+') ++at_;
      if (at_ == source_.size() || !is_digit(source_[at_])) return 0;
      skip_digits();
    }
    expression::node n;
    if (at_ != end_of_integer) {
      n.kind = expression::kinds::real;
      n.text = source_.substr(start, at_ - start);
      if (!is_real(n.text)) return 0;
      return out_.nodes.push_back(n), 1;
    }
    for (const char c : source_.substr(start, at_ - start))
      if (!checked_mul<std::int64_t>(n.integer, 10, n.integer) ||
          !checked_add<std::int64_t>(n.integer, c - '0', n.integer))
        return 0;
    return out_.nodes.push_back(n), 1;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  expression out_;
};

/// Sizes of inputs are positive, which data that is computed need not be.
inline void write_term(text& out, const expression& e, std::size_t index) {
  const expression::node& n = e.nodes[index];
  switch (n.kind) {
    case expression::kinds::integer: out << "Integer(" << n.integer << ')'; return;
    case expression::kinds::boolean: out << (n.integer != 0 ? "true" : "false"); return;
    case expression::kinds::real: out << "Float('" << n.text << "', precision=53)"; return;
    case expression::kinds::symbol:
      out << "Symbol('" << n.text << (n.text[0] == 's' ? "', positive=True" : "'")
          << ", integer=True)";
      return;
    case expression::kinds::call: break;
  }
  out << n.text << '(';
  std::size_t child = index + 1;
  for (std::uint32_t i = 0; i < n.children; ++i, child += e.nodes[child].size) {
    if (i != 0) out << ", ";
    write_term(out, e, child);
  }
  out << ')';
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_INFIX_HPP
