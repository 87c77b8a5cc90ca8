// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations that an operation reads, and what it is called.
//
//   each_operand(p, i, [&](std::size_t x) { needed[x] = true; });
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_INSPECT_ALIR_OPERANDS_HPP
#define TESSERA_INSPECT_ALIR_OPERANDS_HPP

#include <cstddef>
#include <string_view>

#include "tessera/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// id0, id1 and the condition of a mux, or the terms of a sum.
template <class Visit>
void each_operand(const alir::program& p, std::size_t i, Visit visit) {
  const alir::operation& o = p.op(i);
  if (o.code == alir::opcode::input || o.code == alir::opcode::constant) return;
  if (o.code == alir::opcode::sum) {
    for (const alir::term& t : terms(p.model(), o)) visit(static_cast<std::size_t>(t.id));
    return;
  }
  visit(static_cast<std::size_t>(o.id0));
  if (o.id1 >= 0) visit(static_cast<std::size_t>(o.id1));
  if (o.code == alir::opcode::mux) visit(static_cast<std::size_t>(o.data));
}

/// The mnemonic, or that of a bit operation's sub-operation.
[[nodiscard]] inline std::string_view name_of(const alir::operation& o) noexcept {
  constexpr std::string_view unary[] = {"not", "any", "all"}, binary[] = {"and", "or", "xor"};
  if (o.code == alir::opcode::bit_unary) return unary[o.data];
  if (o.code == alir::opcode::bit_binary) return binary[o.data >> 24];
  return alir::info(o.code).mnemonic;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_OPERANDS_HPP
