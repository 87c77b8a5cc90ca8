// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A listing of a program: one line per input, node and output, with types and shapes.
//
//   tessera::text listing = pt2::print(*model);
//
//   pt2 8.20: "model" of PyTorch 2.13.0+cpu, 2 nodes, 1 weight, 0 constants
//   s77 = 2..
//   p_w: f32[3] = parameter "w" (weight_0, 12 bytes)
//   x: f32[s77,3] = input
//   add: f32[s77,3] = aten.add.Tensor(x, p_w, alpha=2)
//   relu: f32[s77,3] = aten.relu.default(add)
//   return relu
//
//   NAME: TYPE[SIZES]  strides and offset follow where the tensor isn't contiguous; int, bool and
//                      float are symbolic numbers, with their expressions
//   s77 = 2..          what a symbol may be
//   (a, name=b)        positional and keyword arguments; bodies of control flow are below, indented
//
// Lifetime:   the text owns itself.
// Errors:     none. For a model that check() refuses: the first line, with the error's name.
// Limits:     none.
// Allocation: the text, and 12 bytes for each value of a graph.

#ifndef TESSERA_PT2_PRINT_HPP
#define TESSERA_PT2_PRINT_HPP

#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// What a listing has besides types and shapes.
struct print_options {
  bool modules = false;       ///< the path of each node's module, as a comment
  bool stack_traces = false;  ///< its lines of Python, which name files of the exporting machine
};

/// The listing of a model's program.
[[nodiscard]] text print(const model& m, const print_options& options = {});

/// The type and sizes of a tensor: "f32[2,s77]".
void print(text& out, const model& m, const tensor_meta& t);
/// The value of an argument, as print writes it.
void print(text& out, const model& m, const argument& a);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_PT2_PRINT_HPP
