// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop runs over the elements. Compiled with contraction: a product may be fused with its sum.

#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// The loops of one instruction set.
struct engine {
  void (*of_function[function_count])(const float*, float*, std::size_t);
  void (*softmax)(const float*, float*, std::size_t, std::size_t);
  void (*log_softmax)(const float*, float*, std::size_t, std::size_t);
  double (*exponentials)(const float*, float, float, float*, std::size_t);
  float (*greatest)(const float*, std::size_t);
  float (*least)(const float*, std::size_t);
  double (*sum)(const float*, std::size_t);
  moments (*moments_of)(const float*, std::size_t);
  void (*layer_norm)(const float*, const float*, const float*, float*, std::size_t, std::size_t,
                     double, float*, float*);
};

#define TESSERA_LOOP "rows_loop.hpp"
#define TESSERA_AVX2 "avx2,fma"
#include "row_levels.hpp"

}  // namespace

void apply(function f, const float* x, float* to, std::size_t n, level at_most) noexcept {
  engine_of(at_most).of_function[static_cast<std::size_t>(f)](x, to, n);
}
void softmax(const float* x, float* to, std::size_t rows, std::size_t n, level at_most) noexcept {
  engine_of(at_most).softmax(x, to, rows, n);
}
void log_softmax(const float* x, float* to, std::size_t rows, std::size_t n,
                 level at_most) noexcept {
  engine_of(at_most).log_softmax(x, to, rows, n);
}
double exponentials(const float* x, float largest, float factor, float* to, std::size_t n,
                    level at_most) noexcept {
  return engine_of(at_most).exponentials(x, largest, factor, to, n);
}
float greatest(const float* x, std::size_t n, level at_most) noexcept {
  return engine_of(at_most).greatest(x, n);
}
float least(const float* x, std::size_t n, level at_most) noexcept {
  return engine_of(at_most).least(x, n);
}
double sum(const float* x, std::size_t n, level at_most) noexcept {
  return engine_of(at_most).sum(x, n);
}
moments moments_of(const float* x, std::size_t n, level at_most) noexcept {
  return engine_of(at_most).moments_of(x, n);
}
void layer_norm(const float* x, const float* scale, const float* shift, float* to, std::size_t rows,
                std::size_t n, double epsilon, float* means, float* inverses,
                level at_most) noexcept {
  engine_of(at_most).layer_norm(x, scale, shift, to, rows, n, epsilon, means, inverses);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
