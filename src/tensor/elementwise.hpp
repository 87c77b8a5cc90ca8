// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Element-wise operations on contiguous floats.
//
//   apply(binary::add, a, b, sum, n);
//   apply(binary::div, 1.0f, x, inverse, n);      // either side may be one number
//   apply(unary::gelu, x, x, n);                  // in place
//   float y = apply(unary::gelu, 0.5f);           // one element, by the definition
//
// Results have the same bits at every level, but for the sign and payload of NaNs. Those of
// + - * / and sqrt are correctly rounded, relu is exact, and rsqrt rounds the root and then its
// inverse. The others are computed in FP64 and rounded once; the arrays' own exponential function
// makes the difference to the form for one element, which calls that of the standard library:
//
//   error, in units of the last place     arrays      one element, with a libm that is good in FP64
//   exp                                   0.504       0.501
//   sigmoid                               0.504       0.501
//   gelu                                  0.504       0.501
//   gelu_erf, erf, tanh, silu             0.510       0.501
//
// Lifetime:   nothing is kept. A result may be in the place of an operand, but must not
//             overlap it otherwise.
// Errors:     none: IEEE 754 gives every operation a value.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_ELEMENTWISE_HPP
#define TESSERA_TENSOR_ELEMENTWISE_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/level.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

enum class unary : std::uint8_t {
  relu,      ///< 0 where x < 0, otherwise x: a NaN stays one
  sqrt,      ///< of less than -0: NaN
  rsqrt,     ///< 1 / sqrt(x)
  exp,       ///< e^x
  sigmoid,   ///< 1 / (1 + e^-x)
  gelu,      ///< x / 2 * (1 + tanh(0.7978845608 * (x + 0.044715 * x^3))); of -infinity: NaN
  gelu_erf,  ///< x / 2 * (1 + erf(x / sqrt(2))), the exact form; of -infinity: NaN
  erf,
  tanh,
  silu  ///< x * sigmoid(x); of -infinity: NaN
};
inline constexpr std::size_t unary_count = static_cast<std::size_t>(unary::silu) + 1;
enum class binary : std::uint8_t { add, sub, mul, div };
inline constexpr std::size_t binary_count = static_cast<std::size_t>(binary::div) + 1;

/// By the definition, through FP64 where that isn't exact, rounded once.
[[nodiscard]] float apply(unary op, float x) noexcept;
[[nodiscard]] float apply(binary op, float a, float b) noexcept;

void apply(unary op, const float* x, float* to, std::size_t n,
           level at_most = best_level()) noexcept;
void apply(binary op, const float* a, const float* b, float* to, std::size_t n,
           level at_most = best_level()) noexcept;
void apply(binary op, const float* a, float b, float* to, std::size_t n,
           level at_most = best_level()) noexcept;
void apply(binary op, float a, const float* b, float* to, std::size_t n,
           level at_most = best_level()) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_ELEMENTWISE_HPP
