// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Softmax where elements aren't rows of floats, whose kernel is in rows.hpp.
//
//   softmax(x, 4, 3, false);                         // x[0], x[3], x[6], x[9], in place
//   softmax_columns(x, y, 4, 3, true);               // log_softmax of the columns of [4, 3]
//
// A NaN is never the greatest element, but makes the sum one; so does a row of only -infinity.
//
// Lifetime:   nothing is kept. Results may be in the place of the operand.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_SOFTMAX_HPP
#define TESSERA_TENSOR_SOFTMAX_HPP

#include <cstddef>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// In FP64, by the definition: n elements, each `step` after the one before.
void softmax(double* x, std::size_t n, std::size_t step, bool logarithm) noexcept;
/// Of the columns of [rows, columns]; sums are made in FP64.
void softmax_columns(const float* x, float* to, std::size_t rows, std::size_t columns,
                     bool logarithm) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_SOFTMAX_HPP
