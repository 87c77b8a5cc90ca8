// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Functions of contiguous floats, and what is done to rows of them, computed in FP32 vectors: several
// times as fast as those of elementwise.hpp, which are rounded from FP64.
//
//   apply(function::gelu_erf, x, x, n);                      // in place
//   softmax(scores, scores, rows, n);                        // rows of n, one after the other
//   layer_norm(x, weight, bias, y, rows, 768, 1e-5);         // weight and bias may be null
//   const float largest = greatest(x, n);
//   const double sum = exponentials(x, largest, 1, e, n);    // softmax, but for the division
//
// Errors, measured over a sample of all floats:
//
//   exp, log                    1 unit in the last place
//   sigmoid, silu               2.5
//   tanh, erf                   2.6
//   gelu                        2.5 for x > -1; below that 2^-24
//   gelu_erf                    3.6 for x > -1; below that 6, and 0 of x < -13
//   softmax                     4 and that of x - max(x)
//
// Levels differ in the last place: those with FMA round less often.
//
// Lifetime:   nothing is kept. Results may be in the place of the operand, but must not
//             overlap it otherwise.
// Errors:     none: IEEE 754 gives every operation a value.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_ROWS_HPP
#define TESSERA_TENSOR_ROWS_HPP

#include <cstddef>
#include <cstdint>

#include "tensor/level.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

enum class function : std::uint8_t {
  exp,       ///< e^x
  log,       ///< of 0: -infinity; of less: NaN
  sigmoid,   ///< 1 / (1 + e^-x)
  silu,      ///< x * sigmoid(x); of -infinity: NaN
  tanh,      //
  gelu,      ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))); of -infinity: NaN
  gelu_erf,  ///< x / 2 * (1 + erf(x / sqrt(2))), the exact form; of -infinity: NaN
  erf
};
inline constexpr std::size_t function_count = static_cast<std::size_t>(function::erf) + 1;

void apply(function f, const float* x, float* to, std::size_t n,
           level at_most = best_level()) noexcept;

/// e^x / sum(e^x) of each row. A row of nothing but -infinity, or with a NaN or infinity, becomes NaN.
void softmax(const float* x, float* to, std::size_t rows, std::size_t n,
             level at_most = best_level()) noexcept;
/// x - log(sum(e^x)) of each row.
void log_softmax(const float* x, float* to, std::size_t rows, std::size_t n,
                 level at_most = best_level()) noexcept;

/// e^((x - largest) * factor), where no x is greater than `largest` and the factor is above 0; the
/// sum.
double exponentials(const float* x, float most, float factor, float* to, std::size_t n,
                    level at_most = best_level()) noexcept;

/// NaN if any is; infinite if there are none.
[[nodiscard]] float greatest(const float* x, std::size_t n, level at_most = best_level()) noexcept;
[[nodiscard]] float least(const float* x, std::size_t n, level at_most = best_level()) noexcept;

/// In FP64, in some order.
[[nodiscard]] double sum(const float* x, std::size_t n, level at_most = best_level()) noexcept;

struct moments {
  double mean, variance;
};
/// The mean and the variance of the population, good to FP32 or better whatever their sizes; NaN of
/// nothing.
[[nodiscard]] moments moments_of(const float* x, std::size_t n,
                                 level at_most = best_level()) noexcept;

/// (x - mean) / sqrt(variance + epsilon) * scale + shift of each row. Without scale and shift where
/// they are null; the means and inverse deviations, one for each row, where there is a place for them.
void layer_norm(const float* x, const float* scale, const float* shift, float* to, std::size_t rows,
                std::size_t n, double epsilon, float* means = nullptr, float* inverses = nullptr,
                level at_most = best_level()) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_ROWS_HPP
