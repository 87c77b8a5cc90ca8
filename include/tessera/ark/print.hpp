// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A listing of a model: one line per operation, with its tensors, arguments, name and edges.
//
//   tessera::text listing = ark::print(*model);
//
//   ark D3: rank 0 of 2, 3 nodes, 3 operations, 9 tensors, 6 buffers
//   %2 = ReduceSum(%0 FP16[3,10] @0) -> %1 FP16[3,1] @1 {Axis=1, KeepDim=true}  # node 0 "sum" -> 1
//   %4 FP16[3,1] of [4,8] at [1,0] @2 = Tensor(%2 FP16[3,1] @1)  # node 1 "view" <- 0
//   %6 = Send(%2 FP16[3,1] @1) -> %5 FP16[3,1] @3:rank1  # node 2 "send"
//   @1: sends [1,-2147483648]
//   @3: rank 1, receives [-1,-2147483648]
//
//   %ID TYPE[Shape]     of [Strides], at [Offsets], padded [PaddedShape], pads [Pads]: each only where
//                       it isn't the plain case. A result without them is the same view as the first
//                       tensor that is written
//   @ID                 the buffer; those that aren't plain local ones are listed at the end
//   {Name=value}        arguments in file order; with their TYPE if it isn't the expected one
//   node 3.1            the second operation of node 3; <- its producers, -> its consumers
//
// Lifetime:   the text owns itself.
// Errors:     none. For a model that check() refuses: the first line, with the error's name.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ARK_PRINT_HPP
#define TESSERA_ARK_PRINT_HPP

#include "../core/text.hpp"
#include "../version.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

struct print_options {};  // reserved for later options

/// The listing of a model.
[[nodiscard]] text print(const model& m, const print_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_ARK_PRINT_HPP
