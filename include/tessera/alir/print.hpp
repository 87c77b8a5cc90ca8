// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A listing of ALIR: one line per operation, with its type, operands and value range.
//
//   tessera::text listing = alir::print(model);
//
//   alir 2: 2 inputs, 13 outputs, 18 operations, 1 table
//   %0 = input 0                        : fixed<1,3,1> [-8.0, 7.5] step 0.5
//   %3 = add %0, %1 << -1               : fixed<1,4,1> [-8.0, 9.0] step 0.5
//   %9 = mux %0 ? %5 : %1 << -1         : fixed<0,2,1> [0.0, 3.5] step 0.5; latency 2.0, cost 2.5
//   table 0: 4 entries [1, -2, -3, -2]
//   output 3 = -%9 << -2
//
// `<<` multiplies by a power of two; fixed<k,i,f> is sign, integer and fraction bits. A model that
// verify() would refuse prints too, with `?` for a type that doesn't exist.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ALIR_PRINT_HPP
#define TESSERA_ALIR_PRINT_HPP

#include "../core/text.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// What a listing shows.
struct print_options {
  bool costs = true;  ///< latency and cost of the operations that have them
};

/// The listing of a model.
[[nodiscard]] text print(const model& m, const print_options& options = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/print.hpp"
#endif

#endif  // TESSERA_ALIR_PRINT_HPP
