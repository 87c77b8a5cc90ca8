// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

void softmax(double* x, std::size_t n, std::size_t step, bool logarithm) noexcept {
  double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t i = 0; i < n; ++i) greatest = x[i * step] > greatest ? x[i * step] : greatest;
  for (std::size_t i = 0; i < n; ++i) {
    const double v = x[i * step] - greatest, power = std::exp(v);
    sum += power;
    x[i * step] = logarithm ? v : power;
  }
  const double less = logarithm ? std::log(sum) : 0;
  for (std::size_t i = 0; i < n; ++i) {
    double& v = x[i * step];
    v = logarithm ? v - less : v / sum;
  }
}

void softmax_columns(const float* x, float* to, std::size_t rows, std::size_t columns,
                     bool logarithm) noexcept {
  constexpr std::size_t at_once = 256;
  float greatest[at_once], row[at_once];
  double sum[at_once];
  for (std::size_t first = 0; first < columns; first += at_once) {
    const std::size_t n = std::min(at_once, columns - first);
    std::fill_n(greatest, n, -std::numeric_limits<float>::infinity());
    std::fill_n(sum, n, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* const from = x + r * columns + first;
      for (std::size_t k = 0; k < n; ++k)
        greatest[k] = from[k] > greatest[k] ? from[k] : greatest[k];
    }
    for (std::size_t r = 0; r < rows; ++r) {
      float* const results = to + r * columns + first;
      apply(binary::sub, x + r * columns + first, greatest, logarithm ? row : results, n);
      float* const e = logarithm ? row : results;
      apply(function::exp, e, e, n);
      for (std::size_t k = 0; k < n; ++k) sum[k] += double{e[k]};
    }
    if (logarithm)
      for (std::size_t k = 0; k < n; ++k) sum[k] = double{greatest[k]} + std::log(sum[k]);
    else
      for (std::size_t k = 0; k < n; ++k) row[k] = static_cast<float>(sum[k]);
    for (std::size_t r = 0; r < rows; ++r) {
      const float* const from = x + r * columns + first;
      float* const results = to + r * columns + first;
      if (logarithm)
        for (std::size_t k = 0; k < n; ++k)
          results[k] = static_cast<float>(double{from[k]} - sum[k]);
      else
        apply(binary::div, results, row, results, n);
    }
  }
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
