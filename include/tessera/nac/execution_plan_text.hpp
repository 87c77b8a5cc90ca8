// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The orchestrator's plan as text for people, and read back to the same bytes.
//
//       src_constant $0, #0 ; 3
//       flow_loop_start $0
//     L1:
//       string_format $1, #1, [$0] ; "n={}"
//       io_write $1, stdout, $0, line
//       flow_loop_end L1
//       exec_halt
//
//   $n          a slot                       #n      a constant of the plan by its id
//   [$1, $2]    a list of slots              none    no slot or no constant, where that can be
//   word        what the table calls a value, or the label that a jump goes to; any word but `end`
//   n           a model, a value without a name, or a jump's distance from the end of its operand
//   bytes 0x…   what is no instruction: from the first bytes that can't be one to the end
//
// Operands stand in the order of the bytes. Every byte is printed, so that a broken plan reads back
// as it was, too; values of constants stand in comments.
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_mep_* and nac_text_*, at the token.
// Limits:     a jump reaches 32 KiB; labels and jumps stand in the first 4 GiB of the text.
// Allocation: to print, 6 × the bytecode and 100 bytes for each constant, beside the text;
//             to parse, at most 20 × the text, where it is labels alone.

#ifndef TESSERA_NAC_EXECUTION_PLAN_TEXT_HPP
#define TESSERA_NAC_EXECUTION_PLAN_TEXT_HPP

#include "../core/bytes.hpp"
#include "../core/text.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Prints bytecode, labels behind two spaces and instructions behind four.
void print_plan(text& out, bytes code, const constants& pool_of);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/execution_plan_text.hpp"
#endif

#endif  // TESSERA_NAC_EXECUTION_PLAN_TEXT_HPP
