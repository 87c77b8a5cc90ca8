// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The notations inside of PT2's strings: an expression or a tree, or an error with an offset inside.
// An expression is written so that it reads as the same, from either notation; nodes nest.

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/pt2.hpp>

#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

template <class Nodes>
void check_nodes(const Nodes& nodes) {
  fuzz::require(nodes.size() != 0 && nodes[0].size == nodes.size(), "the first node holds all");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fuzz::require(nodes[i].size >= 1 && nodes[i].size <= nodes.size() - i, "nodes nest");
    std::size_t child = i + 1;
    for (std::uint32_t k = 0; k < nodes[i].children; ++k) {
      fuzz::require(child < i + nodes[i].size, "a child is in its parent");
      child += nodes[child].size;
    }
    fuzz::require(child == i + nodes[i].size, "a node is its children and itself");
  }
}

[[nodiscard]] bool same(const pt2::expression& a, const pt2::expression& b) {
  bool is_same = a.nodes.size() == b.nodes.size();
  for (std::size_t i = 0; is_same && i < a.nodes.size(); ++i)
    is_same = a.nodes[i].kind == b.nodes[i].kind && a.nodes[i].children == b.nodes[i].children &&
              a.nodes[i].integer == b.nodes[i].integer &&
              (a.nodes[i].text == b.nodes[i].text ||
               a.nodes[i].kind == pt2::expression::kinds::boolean);  // True is true
  return is_same;
}

void check_expression(std::string_view source, pt2::notation how, fuzz::turns& turn) {
  const result<pt2::expression> e = pt2::read_expression(source, how);
  if (!e) return fuzz::require_error(e.error(), source.size());
  check_nodes(e->nodes);
  if (!turn.one_in(8)) return;
  fuzz::require(!pt2::print(*e).empty(), "an expression can be printed");
  const text written = pt2::write_expression(*e);
  const result<pt2::expression> again = pt2::read_expression(written.view());
  fuzz::require(again && same(*e, *again), "what was written reads as the same");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::exact memory(fuzz::as_text(data, size));
  const std::string_view source = memory.text();
  fuzz::turns turn(source);
  check_expression(source, pt2::notation::calls, turn);
  check_expression(source, pt2::notation::infix, turn);
  const result<pt2::tree> t = pt2::read_tree(source);
  if (!t) {
    fuzz::require_error(t.error(), size);
    return 0;
  }
  check_nodes(t->nodes);
  std::uint32_t leaves = 0;
  for (const pt2::tree::node& n : t->nodes) {
    leaves += n.is_leaf;
    fuzz::require(!n.is_leaf || n.children == 0, "a leaf has no children");
    (void)t->type(n);
    (void)t->context(n);
  }
  fuzz::require(leaves == t->leaves, "leaves are counted");
  return 0;
}
