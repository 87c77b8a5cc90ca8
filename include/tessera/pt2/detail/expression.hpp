// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of pt2/expression.hpp.

#ifndef TESSERA_PT2_DETAIL_EXPRESSION_HPP
#define TESSERA_PT2_DETAIL_EXPRESSION_HPP

#include "../../core/json_read.hpp"
#include "../expression.hpp"
#include "infix.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class expression_parser {
 public:
  explicit expression_parser(std::string_view source) noexcept : source_(source) {}

  result<expression> read() {
    if (source_.size() > max_expression_size)
      return error{errc::pt2_expression, max_expression_size};
    if (!term(0) || at_ != source_.size()) return error{errc::pt2_expression, at_};
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool accept(std::string_view token) noexcept {
    if (source_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] std::string_view name() noexcept {
    const std::size_t first = at_;
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    while (at_ < source_.size() &&
           (is_letter(source_[at_]) || (at_ != first && is_digit(source_[at_]))))
      ++at_;
    return source_.substr(first, at_ - first);
  }
  /// An integer of 64 bits.
  [[nodiscard]] bool integer(std::int64_t& out) noexcept {
    const bool negative = accept("-");
    const std::size_t first = at_;
    out = 0;
    for (; at_ < source_.size() && source_[at_] >= '0' && source_[at_] <= '9'; ++at_) {
      const int digit = source_[at_] - '0';
      if (!checked_mul<std::int64_t>(out, 10, out) ||
          !checked_add<std::int64_t>(out, negative ? -digit : digit, out))
        return false;
    }
    return at_ != first;
  }
  /// A name or a number in single quotes, then ", key=word" any number of times, and ')'.
  [[nodiscard]] bool quoted(std::string_view& out) noexcept {
    if (!accept("'")) return false;
    const std::size_t first = at_;
    while (at_ < source_.size() && source_[at_] != '\'' && source_[at_] != '\\') ++at_;
    out = source_.substr(first, at_ - first);
    if (out.empty() || !accept("'")) return false;
    while (accept(", ")) {
      std::int64_t ignored = 0;
      if (name().empty() || !accept("=")) return false;
      if (name().empty() && !integer(ignored)) return false;
    }
    return accept(")");
  }
  [[nodiscard]] bool term(unsigned depth) {
    if (depth >= max_expression_depth) return false;
    const std::size_t index = out_.nodes.size();
    expression::node n;
    if (at_ < source_.size() &&
        (source_[at_] == '-' || (source_[at_] >= '0' && source_[at_] <= '9'))) {
      if (!integer(n.integer)) return false;  // the parts of a Rational
      return out_.nodes.push_back(n), true;
    }
    n.text = name();
    if (n.text == "true" || n.text == "false") {
      n.kind = expression::kinds::boolean;
      n.integer = n.text == "true" ? 1 : 0;
      return out_.nodes.push_back(n), true;
    }
    if (n.text.empty() || !accept("(")) return false;
    if (n.text == "Integer") {
      n.text = {};
      if (!integer(n.integer) || !accept(")")) return false;
    } else if (n.text == "Symbol") {
      n.kind = expression::kinds::symbol;
      if (!quoted(n.text)) return false;
    } else if (n.text == "Float") {
      n.kind = expression::kinds::real;
      if (!quoted(n.text) || !is_real(n.text)) return false;
    } else {
      n.kind = expression::kinds::call;
      out_.nodes.push_back(n);
      if (!accept(")")) {
        do {
          if (!term(depth + 1)) return false;
          ++out_.nodes[index].children;
        } while (accept(", "));
        if (!accept(")")) return false;
      }
      out_.nodes[index].size = static_cast<std::uint32_t>(out_.nodes.size() - index);
      return true;
    }
    return out_.nodes.push_back(n), true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  expression out_;
};

/// Signs that calls are written with, and how strongly they bind.
struct infix_row {
  std::string_view name, sign;
  int binds;
};
inline constexpr infix_row infix_rows[] = {
    {"Or", " | ", 1},           {"And", " & ", 2},
    {"Equality", " == ", 3},    {"Unequality", " != ", 3},
    {"LessThan", " <= ", 3},    {"StrictLessThan", " < ", 3},
    {"GreaterThan", " >= ", 3}, {"StrictGreaterThan", " > ", 3},
    {"Add", " + ", 4},          {"Mul", "*", 5},
    {"Rational", "/", 5},       {"FloorDiv", "//", 5},
    {"CleanDiv", "//", 5},      {"IntTrueDiv", "/", 5},
    {"FloatTrueDiv", "/", 5},   {"Mod", " % ", 5},
    {"PythonMod", " % ", 5},    {"Pow", "**", 6},
    {"PowByNatural", "**", 6},  {"FloatPow", "**", 6},
};

inline void print_term(text& out, const expression& e, std::size_t index, int outer) {
  const expression::node& n = e.nodes[index];
  switch (n.kind) {
    case expression::kinds::integer: out << n.integer; return;
    case expression::kinds::boolean: out << (n.integer != 0 ? "true" : "false"); return;
    case expression::kinds::real:
    case expression::kinds::symbol: append_shown(out, n.text); return;
    case expression::kinds::call: break;
  }
  const infix_row* sign = nullptr;
  for (const infix_row& row : infix_rows)
    if (row.name == n.text && n.children >= 2) sign = &row;
  const bool in_brackets = sign == nullptr || sign->binds <= outer;
  if (sign == nullptr) out << n.text;
  if (in_brackets) out << '(';
  std::size_t child = index + 1;
  for (std::uint32_t i = 0; i < n.children; ++i, child += e.nodes[child].size) {
    if (i != 0) out << (sign == nullptr ? ", " : sign->sign);
    print_term(out, e, child, sign == nullptr ? 0 : i == 0 ? sign->binds - 1 : sign->binds);
  }
  if (in_brackets) out << ')';
}

/// Reads the nodes of a tree; recursion is limited by the depth of the JSON.
class tree_reader {
 public:
  tree_reader(std::string_view source, const limits& limit) : in_(source, limit) {}

  result<tree> read() {
    in_.array();
    in_.require_element();
    const std::uint64_t version_at = in_.offset();
    if (in_.int64() != 1) in_.fail(errc::pt2_tree, version_at);
    in_.require_element();
    node();
    in_.end_array();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    return std::move(out_);
  }

 private:
  void node() {
    const std::uint64_t at = in_.offset();
    const std::size_t index = out_.nodes.size();
    out_.nodes.push_back({});
    text type, context;
    bool has_type = false, has_children = false, is_null = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "type") {
        has_type = true;
        is_null = in_.peek() == json::kind::null;
        if (is_null)
          in_.null();
        else
          type << in_.string();
      } else if (key == "context") {
        if (in_.peek() == json::kind::null)
          in_.null();
        else
          context << in_.string();
      } else if (key == "children_spec") {
        has_children = true;
        for (in_.array(); in_.element();) {
          ++out_.nodes[index].children;
          node();
        }
      } else {
        in_.skip();
      }
    }
    tree::node& n = out_.nodes[index];
    if (!has_type || !has_children || (is_null && n.children != 0))
      return in_.fail(errc::pt2_tree, at);
    n.is_leaf = is_null;
    out_.leaves += is_null ? 1 : 0;
    n.size = static_cast<std::uint32_t>(out_.nodes.size() - index);
    n.first = static_cast<std::uint32_t>(out_.characters.size());
    n.type_size = static_cast<std::uint32_t>(type.size());
    n.context_size = static_cast<std::uint32_t>(context.size());
    out_.characters << type.view() << context.view();
  }

  json::reader in_;
  tree out_;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<expression> read_expression(std::string_view source, notation how) {
  return how == notation::calls ? detail::expression_parser(source).read()
                                : detail::infix_parser(source).read();
}

TESSERA_INLINE text print(const expression& e) {
  text out;
  if (!e.nodes.empty()) detail::print_term(out, e, 0, 0);
  return out;
}

TESSERA_INLINE text write_expression(const expression& e) {
  text out;
  if (!e.nodes.empty()) detail::write_term(out, e, 0);
  return out;
}

TESSERA_INLINE result<tree> read_tree(std::string_view source, const limits& limit) {
  limits low = limit;
  if (low.max_depth > 1024) low.max_depth = 1024;
  return detail::tree_reader(source, low).read();
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_EXPRESSION_HPP
