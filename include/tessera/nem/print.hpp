// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The canonical text of a NEM model, the same for all models that mean the same, and that of a
// verified program with comments: what its declarations and tasks resolve to.
//
//   std::cout << nem::print(model).view();       // a model
//   std::cout << nem::print(program).view();     // with comments: bytes, types, defaults
//
//   buffer A : L1[0] (size=4096, align=64) @readonly
//   loop i in [0..N - 1] @max_in_flight(2):
//     let X = region(A, (i mod 2) * 64, 64)
//         elem=i8, shape=[8, 8], layout=HW, quant=per_tensor(scale=0.5, zero_point=0)
//         @materialized
//     t = transfer.async(dst=X, src=region(B, i * 64, 64))
//     c = conv2d.async
//         in  X, W
//         out Y
//         deps=[t]
//         pads=[0, 0, 0, 0]
//         @resource(NMU[0])
//     wait(c)
//   endloop
//
//   order       includes, families, devices, device directive, header, statements
//   attributes  deps, then those of the opcode in the registry's order, then others by name
//   types       elem, shape, layout or strides, quant with its fields in their order
//   decorators  of buffers, loops and operands on the line; others on lines of their own
//
//   buffer A : L1[0] (size=N * 8, align=64) @readonly  # 64 bytes, aligned to 64
//   loop i in [0..N - 1]:  # i from 0 to 7
//     let X = region(A, i * 8, 8)  # bytes 0 to 7 of A, i8 [8] where i is 0
//         elem=i8, shape=[8]
//     c = relu.async  # unit VPU
//
// Comments are about the first iteration of loops. They name the attributes that a task leaves to
// their defaults, and the unit where none is named.
//
// An empty deps=[] is left out, except where decorators after it would move to an operand. The
// text is read as the same model, and prints as itself.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: the text, and what its largest expression needs; of a program also 8 bytes for each
//             node, and the comments.

#ifndef TESSERA_NEM_PRINT_HPP
#define TESSERA_NEM_PRINT_HPP

#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Options for printed text.
struct print_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

class program;

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] text print(const model& d, const print_options& options = {});
/// The same of a program, with comments.
[[nodiscard]] text print(const program& p, const print_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/syntax/print.hpp"
#endif

#endif  // TESSERA_NEM_PRINT_HPP
