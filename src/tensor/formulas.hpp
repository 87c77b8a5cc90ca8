// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Functions of one element and of two, each defined once for all machines.
//
//   float y = formulas::sigmoid::of(0.5f);                 // T is what is computed in: float, double,
//   std::int8_t s = formulas::add::of(a, b);               // integers (which wrap) or bool
//   if constexpr (formulas::sqrt::takes<T>) …              // not of integers
//
// A row of a table is a function: its name, the types of elements that it takes, what its results are
// in PyTorch, what arrays of float have for it in NAC's machine, and the formula. A table's rows make
// types, so that a machine has a loop for each by a template, and operations by one more macro.
//
//   takes      floats, numbers (no bool), non_floats (no floats), integers, anything
//   gives      same      the operands' type
//              real      that of floats; float32 for others
//              whole     the same, and integers are unchanged
//              truth     bool
//              bits      the same; whole numbers that are stored as floats are taken as integers
//              quotient  the same; integers have none for a divisor of 0
//              own       the machine decides
//
// Machines that differ in what a function is of a NaN or of -0 use functions of different names.
//
// Lifetime:   nothing is kept.
// Errors:     none: `quotient` functions of integers must not be called with a divisor of 0.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_FORMULAS_HPP
#define TESSERA_TENSOR_FORMULAS_HPP

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors::formulas {

template <class T>
inline constexpr bool is_bool = std::is_same_v<T, bool>;
template <class T>
inline constexpr bool floats = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool numbers = !is_bool<T>;
template <class T>
inline constexpr bool non_floats = !floats<T>;
template <class T>
inline constexpr bool integers = non_floats<T>&& numbers<T>;
template <class T>
inline constexpr bool anything = true;

enum class gives : std::uint8_t { same, real, whole, truth, bits, quotient, own };
struct no_kernel {};
inline constexpr no_kernel none;

// ---- parts of formulas

/// What sums and products of integers are made in, so that they wrap; T itself for others, vectors
/// of floats for one.
template <class T>
[[nodiscard]] constexpr auto wrapping_of(T x) noexcept {
  if constexpr (!std::is_integral_v<T>)
    return x;
  else if constexpr (sizeof(T) > 4)
    return static_cast<std::uint64_t>(x);
  else
    return static_cast<std::uint32_t>(x);
}
template <class T>
[[nodiscard]] inline T sum(T a, T b) noexcept {
  if constexpr (is_bool<T>)
    return a || b;
  else
    return static_cast<T>(wrapping_of(a) + wrapping_of(b));
}
template <class T>
[[nodiscard]] inline T difference(T a, T b) noexcept {
  return static_cast<T>(wrapping_of(a) - wrapping_of(b));
}
template <class T>
[[nodiscard]] inline T product(T a, T b) noexcept {
  if constexpr (is_bool<T>)
    return a && b;
  else
    return static_cast<T>(wrapping_of(a) * wrapping_of(b));
}
/// IEEE 754 has a value for division by zero, which a sanitizer need not report.
template <class T>
[[nodiscard]]
#if defined(__GNUC__)
__attribute__((no_sanitize("float-divide-by-zero")))
#endif
inline T
quotient(T a, T b) noexcept {
  return a / b;
}
template <class T>
[[nodiscard]] inline T negative(T x) noexcept {
  if constexpr (floats<T>)
    return -x;
  else
    return difference(T{}, x);
}
template <class T>
[[nodiscard]] inline T magnitude(T x) noexcept {
  if constexpr (floats<T>)
    return std::fabs(x);
  else
    return x < T{} ? negative(x) : x;
}
/// min(max(x + 3, 0), 6); a NaN stays one.
template <class T>
[[nodiscard]] inline T hard_gate(T x) noexcept {
  const T shifted = x + T{3}, lower = shifted < T{} ? T{} : shifted;
  return lower > T{6} ? T{6} : lower;
}
template <class T>
[[nodiscard]] inline bool is_nan(T x) noexcept {
  if constexpr (floats<T>) return x != x;
  return false;
}
template <class T>
[[nodiscard]] inline bool is_infinite(T x) noexcept {
  if constexpr (floats<T>) return std::isinf(x);
  return false;
}
template <class T>
[[nodiscard]] inline bool has_sign(T x) noexcept {
  if constexpr (floats<T>)
    return std::signbit(x);
  else
    return x < T{};
}
template <class T>
[[nodiscard]] inline T complement(T x) noexcept {
  if constexpr (is_bool<T>)
    return !x;
  else
    return static_cast<T>(~x);
}
/// Towards zero.
template <class T>
[[nodiscard]] inline T cut_quotient(T a, T b) noexcept {
  if constexpr (floats<T>) {
    return std::trunc(quotient(a, b));
  } else {
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return negative(a);
    return static_cast<T>(a / b);
  }
}
/// What that leaves: of the dividend's sign.
template <class T>
[[nodiscard]] inline T cut_rest(T a, T b) noexcept {
  if constexpr (floats<T>) {
    return std::fmod(a, b);
  } else {
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
}
/// The largest whole number that isn't above the quotient, as Python's // has it.
template <class T>
[[nodiscard]] inline T floored_quotient(T a, T b) noexcept {
  if constexpr (floats<T>) {
    if (b == T{}) return quotient(a, b);
    const T left = std::fmod(a, b);
    // What divides exactly, but for rounding.
    T exact = (a - left) / b;
    if (left != T{} && (left < T{}) != (b < T{})) exact -= T{1};
    if (exact == T{}) return std::copysign(T{}, a / b);
    const T down = std::floor(exact);
    return exact - down > T(0.5) ? down + T{1} : down;
  } else {
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return negative(a);
    const T down = static_cast<T>(a / b);
    return static_cast<T>(a % b != 0 && (a < 0) != (b < 0) ? down - 1 : down);
  }
}
/// What that leaves: of the divisor's sign.
template <class T>
[[nodiscard]] inline T floored_rest(T a, T b) noexcept {
  const T rest = cut_rest(a, b);
  return static_cast<T>(rest != T{} && (rest < T{}) != (b < T{}) ? rest + b : rest);
}
/// Integers: the low bits; of negative powers the part before the point, 0 for those of 0.
template <class T>
[[nodiscard]] inline T power(T a, T b) noexcept {
  if constexpr (floats<T>) {
    return std::pow(a, b);
  } else {
    using U = std::make_unsigned_t<T>;
    if constexpr (std::is_signed_v<T>)
      if (b < 0) return a == 1 ? T{1} : a == -1 ? static_cast<T>(b % 2 == 0 ? 1 : -1) : T{};
    T to = 1, square = a;
    for (U left = static_cast<U>(b); left != 0; left = static_cast<U>(left >> 1)) {
      if ((left & 1) != 0) to = product(to, square);
      square = product(square, square);
    }
    return to;
  }
}
/// Never negative, but for what the type has no size of.
template <class T>
[[nodiscard]] inline T common_divisor(T a, T b) noexcept {
  a = magnitude(a);
  b = magnitude(b);
  while (a != 0) {
    const T left = cut_rest(b, a);
    b = a;
    a = left;
  }
  return magnitude(b);
}
template <class T>
[[nodiscard]] inline T common_multiple(T a, T b) noexcept {
  const T divisor = common_divisor(a, b);
  return divisor == 0 ? T{} : magnitude(product(cut_quotient(a, divisor), b));
}
/// log(e^a + e^b) from the greater one and log(1 + x).
template <class T, class Exp, class Log>
[[nodiscard]] inline T log_of_sum(T a, T b, Exp&& exponential, Log&& logarithm) noexcept {
  if (a == b && std::isinf(a)) return a;
  return (a > b || is_nan(a) ? a : b) + logarithm(exponential(-std::fabs(a - b)));
}
/// a, 0 for a = 0 whatever the logarithm is.
template <class T>
[[nodiscard]] inline T times_log(T a, T b, T logarithm) noexcept {
  return is_nan(b) ? b : a == T{} ? T{} : a * logarithm;
}
/// sin(pi x) / (pi x).
template <class T>
[[nodiscard]] inline T cardinal_sine(T x) noexcept {
  const T angle = x * T(3.14159265358979323846);
  return x == T{} ? T{1} : std::sin(angle) / angle;
}
/// By a count outside of the type's bits nothing is left, or the sign.
template <class T>
[[nodiscard]] inline T shifted_left(T a, T b) noexcept {
  if constexpr (is_bool<T>) {
    return a;
  } else {
    constexpr T bits = sizeof(T) * 8;
    return b < 0 || b >= bits ? T{} : static_cast<T>(wrapping_of(a) << b);
  }
}
template <class T>
[[nodiscard]] inline T shifted_right(T a, T b) noexcept {
  if constexpr (is_bool<T>) {
    return a;
  } else {
    constexpr T last = sizeof(T) * 8 - (std::is_signed_v<T> ? 1 : 0);
    if (b < 0 || b >= last) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : T{};
    return static_cast<T>(a >> b);
  }
}
/// a, b, or `equal` bits where they are equal, and a NaN where neither is chosen. By masks, so that
/// loops need no branch.
template <class T, class Bits>
[[nodiscard]] inline T chosen(T a, T b, bool is_a, bool is_b, Bits equal) noexcept {
  const auto mask = [](bool x) { return Bits{0} - static_cast<Bits>(x); };
  const Bits left = mask(is_a), right = mask(is_b), same = mask(a == b);
  constexpr auto nan = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  return std::bit_cast<T>((std::bit_cast<Bits>(a) & left) | (std::bit_cast<Bits>(b) & right) |
                          (equal & same) | (nan & ~(left | right | same)));
}
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
[[nodiscard]] inline T ordered_least(T a, T b) noexcept {
  using bits = bits_of<T>;
  return chosen(a, b, a < b, b < a, std::bit_cast<bits>(a) | std::bit_cast<bits>(b));
}
template <class T>
[[nodiscard]] inline T ordered_greatest(T a, T b) noexcept {
  using bits = bits_of<T>;
  return chosen(a, b, a > b, b > a, std::bit_cast<bits>(a) & std::bit_cast<bits>(b));
}

// ---- the tables: X(name, takes, gives, kernel, formula)

#define TESSERA_UNARY_FUNCTIONS(X)                                                                 \
  /* 0 where x < 0: NaNs and -0 stay */                                                            \
  X(relu, numbers, same, unary::relu, x < T{} ? T{} : x)                                           \
  X(abs, numbers, same, none, magnitude(x))                                                        \
  X(sign, anything, same, none, static_cast<T>((x > T{} ? 1 : 0) - (x < T{} ? 1 : 0)))             \
  X(bitwise_not, non_floats, same, none, complement(x))                                            \
  X(frac, floats, same, none, x - std::trunc(x))                                                   \
  X(silu, floats, same, function::silu, x / (T{1} + std::exp(-x)))                                 \
  X(hardsigmoid, floats, same, none, hard_gate(x) / T{6})                                          \
  X(hardswish, floats, same, none, (x * hard_gate(x) / T{6}))                                      \
  X(mish, floats, same, none, (x * std::tanh(std::log1p(std::exp(x)))))                            \
  X(log_sigmoid, floats, same, none, (x < T{} ? x : T{}) - std::log1p(std::exp(-std::fabs(x))))    \
  X(floor, floats, whole, none, std::floor(x))                                                     \
  X(ceil, floats, whole, none, std::ceil(x))                                                       \
  /* halves to the even neighbour */                                                               \
  X(round, floats, whole, none, std::nearbyint(x))                                                 \
  X(trunc, floats, whole, none, std::trunc(x))                                                     \
  X(exp, floats, real, function::exp, std::exp(x))                                                 \
  X(exp2, floats, real, none, std::exp2(x))                                                        \
  X(expm1, floats, real, none, std::expm1(x))                                                      \
  X(log, floats, real, function::log, std::log(x))                                                 \
  X(log2, floats, real, none, std::log2(x))                                                        \
  X(log10, floats, real, none, std::log10(x))                                                      \
  X(log1p, floats, real, none, std::log1p(x))                                                      \
  X(sqrt, floats, real, unary::sqrt, std::sqrt(x))                                                 \
  X(rsqrt, floats, real, unary::rsqrt, quotient(T{1}, std::sqrt(x)))                               \
  X(reciprocal, floats, real, none, quotient(T{1}, x))                                             \
  X(sin, floats, real, none, std::sin(x))                                                          \
  X(cos, floats, real, none, std::cos(x))                                                          \
  X(tan, floats, real, none, std::tan(x))                                                          \
  X(sinh, floats, real, none, std::sinh(x))                                                        \
  X(cosh, floats, real, none, std::cosh(x))                                                        \
  X(tanh, floats, real, function::tanh, std::tanh(x))                                              \
  X(asin, floats, real, none, std::asin(x))                                                        \
  X(acos, floats, real, none, std::acos(x))                                                        \
  X(atan, floats, real, none, std::atan(x))                                                        \
  X(asinh, floats, real, none, std::asinh(x))                                                      \
  X(acosh, floats, real, none, std::acosh(x))                                                      \
  X(atanh, floats, real, none, std::atanh(x))                                                      \
  X(erf, floats, real, function::erf, std::erf(x))                                                 \
  X(erfc, floats, real, none, std::erfc(x))                                                        \
  X(sigmoid, floats, real, function::sigmoid, T{1} / (T{1} + std::exp(-x)))                        \
  X(deg2rad, floats, real, none, (x * T(0.017453292519943295769236907684886)))                     \
  X(rad2deg, floats, real, none, (x * T(57.295779513082320876798154814105)))                       \
  X(sinc, floats, real, none, cardinal_sine(x))                                                    \
  /* of a real number: 0 or pi */                                                                  \
  X(angle, floats, real, none, is_nan(x) ? x : x < T{} ? T(3.14159265358979323846) : T{})          \
  X(isposinf, anything, truth, none, is_infinite(x) && x > T{})                                    \
  X(isneginf, anything, truth, none, is_infinite(x) && x < T{})                                    \
  X(isfinite, anything, truth, none, !is_nan(x) && !is_infinite(x))                                \
  X(isnan, anything, truth, none, is_nan(x))                                                       \
  X(isinf, anything, truth, none, is_infinite(x))                                                  \
  X(signbit, anything, truth, none, has_sign(x))                                                   \
  X(logical_not, anything, truth, none, x == T{})

// Operations that have options, and what only one machine has.
#define TESSERA_OTHER_UNARY_FUNCTIONS(X)                                                           \
  X(neg, numbers, own, none, negative(x))                                                          \
  X(square, numbers, own, none, product(x, x))                                                     \
  X(gelu, floats, own, function::gelu_erf,                                                         \
    (x * T(0.5) * (T{1} + std::erf(x * T(0.70710678118654752440)))))                               \
  X(gelu_tanh, floats, own, function::gelu,                                                        \
    (x * T(0.5) * (T{1} + std::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)))))  \
  /* 1 + erf(z) is erfc(-z), which keeps its digits where it is small */                           \
  X(gelu_erfc, floats, own, none, (T(0.5) * x * std::erfc(x * T(-0.70710678118654752440))))        \
  /* gelu_tanh with 2 / (1 + e^-2z) for 1 + tanh(z) */                                             \
  X(gelu_exp, floats, own, none,                                                                   \
    x / (T{1} + std::exp(x * (T(-2 * 0.7978845608) + T(-2 * 0.7978845608 * 0.044715) * (x * x))))) \
  /* NaNs stay; -0 is 0 */                                                                         \
  X(relu_of_zeros, numbers, own, none, x > T{} || is_nan(x) ? x : T{})                             \
  /* max(x, 0), where a NaN counts for nothing */                                                  \
  X(relu_of_numbers, numbers, own, none, x > T{} ? x : T{})

#define TESSERA_BINARY_FUNCTIONS(X)                                                                \
  /* a NaN stays one */                                                                            \
  X(minimum, anything, same, none, a < b || is_nan(a) ? a : b)                                     \
  X(maximum, anything, same, none, a > b || is_nan(a) ? a : b)                                     \
  /* the other one of a NaN */                                                                     \
  X(fmin, anything, same, none, a < b || is_nan(b) ? a : b)                                        \
  X(fmax, anything, same, none, a > b || is_nan(b) ? a : b)                                        \
  X(gcd, integers, same, none, common_divisor(a, b))                                               \
  X(lcm, integers, same, none, common_multiple(a, b))                                              \
  X(logaddexp, floats, same, none,                                                                 \
    log_of_sum(                                                                                    \
        a, b, [](T x) { return std::exp(x); }, [](T x) { return std::log1p(x); }))                 \
  X(logaddexp2, floats, same, none,                                                                \
    log_of_sum(                                                                                    \
        a, b, [](T x) { return std::exp2(x); },                                                    \
        [](T x) { return std::log1p(x) * T(1.4426950408889634074); }))                             \
  X(xlogy, floats, real, none, times_log(a, b, std::log(b)))                                       \
  X(xlog1py, floats, real, none, times_log(a, b, std::log1p(b)))                                   \
  X(copysign, floats, real, none, std::copysign(a, b))                                             \
  X(hypot, floats, same, none, std::hypot(a, b))                                                   \
  X(atan2, floats, real, none, std::atan2(a, b))                                                   \
  X(floor_divide, numbers, quotient, none, floored_quotient(a, b))                                 \
  X(remainder, numbers, quotient, none, floored_rest(a, b))                                        \
  X(fmod, numbers, quotient, none, cut_rest(a, b))                                                 \
  X(lt, anything, truth, none, a < b)                                                              \
  X(le, anything, truth, none, a <= b)                                                             \
  X(gt, anything, truth, none, a > b)                                                              \
  X(ge, anything, truth, none, a >= b)                                                             \
  X(eq, anything, truth, none, a == b)                                                             \
  X(ne, anything, truth, none, a != b)                                                             \
  X(logical_and, anything, truth, none, (a != T{}) & (b != T{}))                                   \
  X(logical_or, anything, truth, none, (a != T{}) | (b != T{}))                                    \
  X(logical_xor, anything, truth, none, (a != T{}) != (b != T{}))                                  \
  X(bitwise_and, non_floats, bits, none, static_cast<T>(a & b))                                    \
  X(bitwise_or, non_floats, bits, none, static_cast<T>(a | b))                                     \
  X(bitwise_xor, non_floats, bits, none, static_cast<T>(a ^ b))                                    \
  X(left_shift, non_floats, bits, none, shifted_left(a, b))                                        \
  X(right_shift, non_floats, bits, none, shifted_right(a, b))

#define TESSERA_OTHER_BINARY_FUNCTIONS(X)                                                          \
  X(add, anything, own, binary::add, sum(a, b))                                                    \
  X(sub, numbers, own, binary::sub, difference(a, b))                                              \
  X(mul, anything, own, binary::mul, product(a, b))                                                \
  X(div, floats, own, binary::div, formulas::quotient(a, b))                                       \
  X(pow, numbers, own, none, power(a, b))                                                          \
  X(heaviside, anything, own, none, a == T{} ? b : static_cast<T>(a > T{}))                        \
  X(glu, floats, own, none, (a / (T{1} + std::exp(-b))))                                           \
  X(prelu, floats, own, none, a > T{} ? a : a * b)                                                 \
  X(trunc_divide, numbers, quotient, none, cut_quotient(a, b))                                     \
  /* a NaN is the result, and -0 is less than +0 */                                                \
  X(ordered_min, floats, own, none, ordered_least(a, b))                                           \
  X(ordered_max, floats, own, none, ordered_greatest(a, b))

template <class T, gives Rule>
using result_of = std::conditional_t<Rule == gives::truth, bool, T>;

#define TESSERA_FUNCTION(name, types, rule, array_function, parameters, ...)                       \
  struct name {                                                                                    \
    static constexpr auto kernel = array_function;                                                 \
    static constexpr gives result = gives::rule;                                                   \
    template <class T>                                                                             \
    static constexpr bool takes = types<T>;                                                        \
    template <class T>                                                                             \
    [[nodiscard]] static result_of<T, result> of parameters noexcept {                             \
      return __VA_ARGS__;                                                                          \
    }                                                                                              \
  };
#define TESSERA_X(name, types, rule, kernel, ...)                                                  \
  TESSERA_FUNCTION(name, types, rule, kernel, (T x), __VA_ARGS__)
TESSERA_UNARY_FUNCTIONS(TESSERA_X)
TESSERA_OTHER_UNARY_FUNCTIONS(TESSERA_X)
#undef TESSERA_X
#define TESSERA_X(name, types, rule, kernel, ...)                                                  \
  TESSERA_FUNCTION(name, types, rule, kernel, (T a, T b), __VA_ARGS__)
TESSERA_BINARY_FUNCTIONS(TESSERA_X)
TESSERA_OTHER_BINARY_FUNCTIONS(TESSERA_X)
#undef TESSERA_X
#undef TESSERA_FUNCTION

template <class F>
inline constexpr bool has_kernel = !std::is_same_v<decltype(F::kernel), const no_kernel>;

// ---- functions with parameters of the element's type

template <class T>
struct leaky_relu {
  T slope;
  [[nodiscard]] T of(T x) const noexcept {
    const T below = x * slope;
    return x > T{} ? x : below;
  }
};
/// The same, but of 0: times 1, whatever the slope.
template <class T>
struct scaled_leaky_relu {
  T slope;
  [[nodiscard]] T of(T x) const noexcept { return x * (x >= T{} ? T{1} : slope); }
};
template <class T>
struct elu {
  T below, above, inside;
  [[nodiscard]] T of(T x) const noexcept {
    return x <= T{} ? std::expm1(x * inside) * below : x * above;
  }
};
template <class T>
struct softplus {
  T beta, threshold;
  [[nodiscard]] T of(T x) const noexcept {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }
};
template <class T>
struct clamp {
  T lower, upper;
  [[nodiscard]] T of(T x) const noexcept {
    const T y = x < lower ? lower : x;
    return y > upper ? upper : y;
  }
};
template <class T>
struct softshrink {
  T lambda;
  [[nodiscard]] T of(T x) const noexcept {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x * T{};
  }
};
template <class T>
struct hardshrink {
  T lambda;
  [[nodiscard]] T of(T x) const noexcept { return x >= -lambda && x <= lambda ? T{} : x; }
};
template <class T>
struct threshold {
  T limit, otherwise;
  [[nodiscard]] T of(T x) const noexcept { return x <= limit ? otherwise : x; }
};
/// log(x / (1 - x)) of x between the bounds.
template <class T>
struct logit {
  clamp<T> bounds;
  [[nodiscard]] T of(T x) const noexcept {
    const T y = bounds.of(x);
    return std::log(y * quotient(T{1}, T{1} - y));
  }
};
template <class T>
struct nan_to_num {
  T nan, above, below;
  [[nodiscard]] T of(T x) const noexcept {
    return x != x ? nan : !std::isinf(x) ? x : x > T{} ? above : below;
  }
};
/// The same with bounds for each element; a NaN of any operand stays one.
template <class T>
struct clamp_between {
  [[nodiscard]] T of(T x, T lower, T upper) const noexcept {
    return minimum::of(maximum::of(x, lower), upper);
  }
};
/// Sums and differences with the second operand times a number.
template <class T>
struct scaled_add {
  T alpha;
  [[nodiscard]] T of(T a, T b) const noexcept { return sum(a, product(alpha, b)); }
};
template <class T>
struct scaled_sub {
  T alpha;
  [[nodiscard]] T of(T a, T b) const noexcept { return difference(a, product(alpha, b)); }
};
template <class T>
struct addcmul {
  T scale;
  [[nodiscard]] T of(T x, T a, T b) const noexcept { return sum(x, product(product(scale, a), b)); }
};
template <class T>
struct addcdiv {
  T scale;
  [[nodiscard]] T of(T x, T a, T b) const noexcept { return x + quotient(scale * a, b); }
};
/// From the nearer end, so that both ends are met exactly.
template <class T>
struct lerp {
  [[nodiscard]] T of(T from, T to, T weight) const noexcept {
    return std::fabs(weight) < T(0.5) ? from + weight * (to - from)
                                      : to - (to - from) * (T{1} - weight);
  }
};

}  // namespace tensors::formulas
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_FORMULAS_HPP
