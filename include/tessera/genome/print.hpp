// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A human-readable listing of NAC v1.2: one line per node, ids replaced by what the registry says.
//
//   tessera::text listing = genome::print(*program);
//
//     ; 6 nodes, 5 inputs
//     %0 = input
//     %1 = parameter "p_embeddings_weight"
//     %2 = aten.linear.default(%0, %1)
//     %3 = aten.slice.Tensor(%2; arg1 = 0, arg2 = 3)
//     %4 = pattern 18(%2, %3)                              ; 10 nodes
//     output(%4)
//
//   tessera::text genes = genome::print(*library);         // counts, patterns and rules
//
// Tensors come in the order of the variation, then constants: by name where a group gives one.
// %n is the node of index n, also for references that are relative in the stream. The blocks of an
// IF or WHILE are indented, with `else` or `do` between them. In a pattern nodes count as its
// expansion has them, so that a pattern inside of it takes as many numbers as it has nodes, and what
// comes from outside is %-1, the node before its first, and so on.
//
// Lifetime:   borrows while it runs; the text owns itself.
// Errors:     none.
// Limits:     blocks are indented by 32 levels at most; names and values show 96 bytes, groups 16 parts.
// Allocation: the text, and 24 bytes for each open block.

#ifndef TESSERA_GENOME_PRINT_HPP
#define TESSERA_GENOME_PRINT_HPP

#include "../core/text.hpp"
#include "program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

struct print_options {};  // none yet

/// The nodes of a stream.
[[nodiscard]] text print(const program& p, const print_options& options = {});

/// What a registry holds: how much of everything, its patterns and its rules.
[[nodiscard]] text print(const library& l, const print_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_GENOME_PRINT_HPP
