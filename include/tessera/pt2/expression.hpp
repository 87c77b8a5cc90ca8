// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Two notations inside the strings of a program: shape expressions and trees of arguments.
//
//   auto e = pt2::read_expression("Mul(Integer(2), Symbol('s10', positive=True, integer=True))");
//   e->nodes[0].text;     // "Mul", with 2 children; e->nodes[1].integer == 2; e->nodes[2].text == "s10"
//   pt2::print(*e);       // 2*s10
//
//   expression   NAME(EXPRESSION, …) | Integer(4) | Symbol('s77', positive=True) | Rational(1, 2)
//                | Float('0.5', precision=53) | true | false
//
// PyTorch 2.5 has infix notation in files, too: read_expression("2*s10", pt2::notation::infix).
//
//   auto t = pt2::read_tree(R"([1, {"type": null, "context": null, "children_spec": []}])");
//   t->leaves;            // 1: values in the order of the signature
//
// Nodes are in prefix order: the first child of node i is i + 1, the next sibling of i is i + size.
// Expressions are text of Python; they are parsed here and never evaluated as code.
//
// Lifetime:   an expression borrows its text; a tree owns its names.
// Errors:     pt2_expression, pt2_tree or json_*, with the offset in the text.
// Limits:     64 KiB and 128 levels of an expression; max_depth of a tree.
// Allocation: 40 bytes for each node.

#ifndef TESSERA_PT2_EXPRESSION_HPP
#define TESSERA_PT2_EXPRESSION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// A shape expression: its nodes in prefix order, the root first.
struct expression {
  /// What a node is. A `call` is an operator or a function of its children.
  enum class kinds : std::uint8_t { integer, real, symbol, boolean, call };
  /// A number, a symbol, a boolean or a call.
  struct node {
    kinds kind = kinds::integer;  ///< which of the following it has
    /// How many children a call has; how many nodes this one is, with all below it.
    std::uint32_t children = 0, size = 1;
    std::int64_t integer = 0;  ///< also 0 or 1 of a boolean
    std::string_view text;     ///< a symbol's or call's name, the digits of a real
  };
  pool<node> nodes;  ///< in prefix order; one or more
};

/// How files write expressions.
enum class notation : std::uint8_t {
  calls,  ///< "Mul(Integer(2), Symbol('s10', positive=True, integer=True))"
  infix,  ///< "2*s10"; of PyTorch 2.5
};
/// That of a major version of the schema.
[[nodiscard]] constexpr notation notation_of(std::int64_t version) noexcept {
  return version < 8 ? notation::infix : notation::calls;
}
/// Reads an expression. Errors: pt2_expression, with the offset in the text.
[[nodiscard]] result<expression> read_expression(std::string_view source,
                                                 notation how = notation::calls);
/// Infix, as people write it: "2*s10 + 1". Calls without a usual sign keep their names.
[[nodiscard]] text print(const expression& e);
/// In the notation of calls, whatever it was read from.
[[nodiscard]] text write_expression(const expression& e);

/// How nested arguments or results are flattened.
struct tree {
  /// A container of values, or a leaf: one value.
  struct node {
    /// In `characters`: `type_size` bytes from `first` on, then the context.
    std::uint32_t first = 0, type_size = 0, context_size = 0;
    /// How many children it has; how many nodes it is, with all below it.
    std::uint32_t children = 0, size = 1;
    bool is_leaf = false;  ///< one value; it has no type and no children
  };
  pool<node> nodes;          ///< in prefix order; one or more
  text characters;           ///< types and contexts of all nodes
  std::uint32_t leaves = 0;  ///< how many nodes are leaves

  /// "builtins.tuple", "builtins.dict" …; empty for a leaf.
  [[nodiscard]] std::string_view type(const node& n) const noexcept {
    return characters.view().substr(n.first, n.type_size);
  }
  /// JSON: for a dict, its keys in the order of the children.
  [[nodiscard]] std::string_view context(const node& n) const noexcept {
    return characters.view().substr(n.first + n.type_size, n.context_size);
  }
};
/// Reads the JSON of a tree, such as module_call::in_spec. Errors: pt2_tree or json_*.
[[nodiscard]] result<tree> read_tree(std::string_view source, const limits& limit = {});

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/expression.hpp"
#endif

#endif  // TESSERA_PT2_EXPRESSION_HPP
