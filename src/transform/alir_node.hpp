// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR operations that are moved from one model to another, or changed within one.
//
//   alir_node n(program.model(), i);
//   n.each_operand([&](std::int32_t& x) { x = moved[x]; });
//   n.append_to(other);
//
// Lifetime:   owns everything.
// Errors:     none: of verified models.
// Limits:     those of the format.
// Allocation: the terms of a sum.

#ifndef TESSERA_TRANSFORM_ALIR_NODE_HPP
#define TESSERA_TRANSFORM_ALIR_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// One operation, with the terms of a sum beside it.
struct alir_node {
  alir::operation op;
  std::vector<alir::term> terms;

  alir_node(const alir::model& m, std::size_t i) : op(m.ops[i]) {
    if (op.code != alir::opcode::sum) return;
    for (const alir::term& t : alir::terms(m, op)) terms.push_back(t);
  }

  template <class Visit>
  void each_operand(Visit visit) {
    if (op.code == alir::opcode::sum) {
      for (alir::term& t : terms) visit(t.id);
      return;
    }
    if (op.code == alir::opcode::input) return;
    if (op.id0 >= 0) visit(op.id0);
    if (op.id1 >= 0) visit(op.id1);
    if (op.code == alir::opcode::mux) {
      auto condition = static_cast<std::int32_t>(op.data);
      visit(condition);
      op.data = condition;
    }
  }

  /// The new operation's index.
  std::int32_t append_to(alir::model& m) const {
    alir::operation o = op;
    if (o.code == alir::opcode::sum) {
      o.id0 = static_cast<std::int32_t>(m.terms.size());
      o.id1 = static_cast<std::int32_t>(terms.size());
      for (const alir::term& t : terms) m.terms.push_back(t);
    }
    m.ops.push_back(o);
    return static_cast<std::int32_t>(m.ops.size()) - 1;
  }
};

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_ALIR_NODE_HPP
