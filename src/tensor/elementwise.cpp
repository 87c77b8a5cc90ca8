// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop runs over the elements, and what is done to one. Large arrays wait for memory, so there
// are no loops for AVX-512. Compiled without contraction, so that all levels give the same bits.

#include "elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// The loops of one instruction set, by operation.
struct engine {
  void (*one_operand[unary_count])(const float*, float*, std::size_t);
  struct {
    void (*arrays)(const float*, const float*, float*, std::size_t);
    void (*number_after)(const float*, float, float*, std::size_t);
    void (*number_before)(float, const float*, float*, std::size_t);
  } two_operands[binary_count];
};

// gelu(x) = x / (1 + e^(x (linear + cubic x^2))), which is the same as with tanh.
constexpr double gelu_linear = -2 * 0.7978845608, gelu_cubic = gelu_linear * 0.044715;

#define TESSERA_LOOP "elementwise_loop.hpp"
#define TESSERA_AVX2 "avx2"
#include "row_levels.hpp"

/// In FP64, rounded once.
template <class F>
float rounded(float x) noexcept {
  return static_cast<float>(F::of(double{x}));
}

}  // namespace

float apply(unary op, float x) noexcept {
  switch (op) {
    case unary::relu: return formulas::relu::of(x);
    case unary::sqrt: return formulas::sqrt::of(x);
    case unary::rsqrt: return formulas::rsqrt::of(x);
    case unary::exp: return rounded<formulas::exp>(x);
    case unary::sigmoid: return rounded<formulas::sigmoid>(x);
    case unary::gelu: return rounded<formulas::gelu_exp>(x);
    case unary::gelu_erf: return rounded<formulas::gelu_erfc>(x);
    case unary::erf: return rounded<formulas::erf>(x);
    case unary::tanh: return rounded<formulas::tanh>(x);
    case unary::silu: return rounded<formulas::silu>(x);
  }
  return 0;
}

float apply(binary op, float a, float b) noexcept {
  switch (op) {
    case binary::add: return formulas::add::of(a, b);
    case binary::sub: return formulas::sub::of(a, b);
    case binary::mul: return formulas::mul::of(a, b);
    case binary::div: return formulas::div::of(a, b);
  }
  return 0;
}

void apply(unary op, const float* x, float* to, std::size_t n, level at_most) noexcept {
  engine_of(at_most).one_operand[static_cast<std::size_t>(op)](x, to, n);
}
void apply(binary op, const float* a, const float* b, float* to, std::size_t n,
           level at_most) noexcept {
  engine_of(at_most).two_operands[static_cast<std::size_t>(op)].arrays(a, b, to, n);
}
void apply(binary op, const float* a, float b, float* to, std::size_t n, level at_most) noexcept {
  engine_of(at_most).two_operands[static_cast<std::size_t>(op)].number_after(a, b, to, n);
}
void apply(binary op, float a, const float* b, float* to, std::size_t n, level at_most) noexcept {
  engine_of(at_most).two_operands[static_cast<std::size_t>(op)].number_before(a, b, to, n);
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
