// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The canonical text of a NEM model: the same for all models that mean the same.
//
//   tessera::text canonical = nem::print(model);
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
// An empty deps=[] is left out, except where decorators behind it would move to an operand. The
// text is read as the same model, and prints as itself.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: the text, and what its largest expression needs.

#ifndef TESSERA_NEM_PRINT_HPP
#define TESSERA_NEM_PRINT_HPP

#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// How canonical text may differ.
struct print_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] text print(const model& d, const print_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_NEM_PRINT_HPP
