// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loops over elements, made of the functions of tensor/formulas.hpp.
//
//   loop f = loop_of<formulas::exp, 1>(lane);              // of one operand; null: not of that lane
//   const formulas::clamp<T> op{lower, upper};
//   … each_with<formulas::clamp<T>, T, 1>, &op …           // a function with parameters
//
// Lifetime:   as elementwise.hpp.
// Errors:     faults: nac_run_division.
// Limits:     3 operands.
// Allocation: none.

#ifndef TESSERA_VM_NAC_LOOPS_HPP
#define TESSERA_VM_NAC_LOOPS_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "elementwise.hpp"
#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace formulas = tensors::formulas;

/// y[i] = f.of(x[i] …).
template <std::size_t Operands, class T, class F>
inline void run_each(const std::byte* const* in, std::byte* to, std::size_t n, const F f) {
  const auto run = [&](const auto* const... x) {
    auto* const y = lanes<decltype(f.of(*x...))>(to);
    for (std::size_t i = 0; i < n; ++i) y[i] = f.of(x[i]...);
  };
  if constexpr (Operands == 1)
    run(lanes<T>(in[0]));
  else if constexpr (Operands == 2)
    run(lanes<T>(in[0]), lanes<T>(in[1]));
  else
    run(lanes<T>(in[0]), lanes<T>(in[1]), lanes<T>(in[2]));
}
/// A quotient of integers, which has no value for a divisor of 0.
template <class F>
struct checked {
  template <class T>
  [[nodiscard]] static T of(T a, T b) {
    if (b == 0) fail(errc::nac_run_division);
    return F::of(a, b);
  }
};
template <class F, class T, std::size_t Operands>
void each(const std::byte* const* in, std::byte* to, std::size_t n, const void*) {
  constexpr bool is_partial = F::result == formulas::gives::quotient && formulas::non_floats<T>;
  run_each<Operands, T>(in, to, n, std::conditional_t<is_partial, checked<F>, F>{});
}
template <class F, class T, std::size_t Operands>
void each_with(const std::byte* const* in, std::byte* to, std::size_t n, const void* with) {
  run_each<Operands, T>(in, to, n, *static_cast<const F*>(with));
}

/// So many floats aren't worth the choice of a kernel.
inline constexpr std::size_t few_floats = 16;
typedef float quad [[gnu::vector_size(16)]];
template <class F, class... Rows>
inline void each_of_few(std::size_t n, float* y, const Rows*... x) {
  const auto load = [](const float* from) {
    quad four;
    std::memcpy(&four, from, sizeof four);
    return four;
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const quad four = F::of(load(x + i)...);
    std::memcpy(y + i, &four, sizeof four);
  }
  // At most three, without a loop.
  if (i < n) y[i] = F::of(x[i]...);
  if (i + 1 < n) y[i + 1] = F::of(x[i + 1]...);
  if (i + 2 < n) y[i + 2] = F::of(x[i + 2]...);
}
/// By the function's kernel, unless there are few and the formula gives the same bits.
template <class F, std::size_t Operands>
void each_by_kernel(const std::byte* const* in, std::byte* to, std::size_t n, const void*) {
  const float* const x = lanes<float>(in[0]);
  float* const y = lanes<float>(to);
  if constexpr (Operands == 2) {
    const float* const b = lanes<float>(in[1]);
    n > few_floats ? tensors::apply(F::kernel, x, b, y, n) : each_of_few<F>(n, y, x, b);
  } else {
    if constexpr (std::is_same_v<F, formulas::relu>)
      if (n <= few_floats) return each_of_few<F>(n, y, x);
    tensors::apply(F::kernel, x, y, n);
  }
}

/// The loop of a function for a lane; null where there is none.
template <class F, std::size_t Operands>
[[nodiscard]] loop loop_of(data_type lane) {
  return visit(lane, []<class T>(of<T>) -> loop {
    if constexpr (std::is_same_v<T, float> && formulas::has_kernel<F>)
      return each_by_kernel<F, Operands>;
    else if constexpr (!is_half<T> && F::template takes<T>)
      return each<F, T, Operands>;
    else
      return nullptr;
  });
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_LOOPS_HPP
