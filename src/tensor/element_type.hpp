// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The types that elements of tensors have in memory, and conversions between them.
//
//   visit(type, [&]<class T>(of<T>) { add<T>(a, b); });              // T: float, half, bool …
//   convert<std::int8_t, round_and_saturate>(2.5f);                  // 2
//   convert<std::int8_t>(300.5);                                     // 44: 300 modulo 256
//
//                         to integers              NaN          double to 16 bits   NaNs as floats
//   as_pytorch            cut off, low bits        0            by way of float     as they are
//   cut_and_saturate      cut off, saturated       0            rounded once        as they are
//   round_and_saturate    ties to even, saturated  0            rounded once        one pattern
//
// Machines map their format's enumeration to these types, and choose one of the rules.
//
// Lifetime:   values.
// Errors:     none: every number converts.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_TENSOR_ELEMENT_TYPE_HPP
#define TESSERA_TENSOR_ELEMENT_TYPE_HPP

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tessera/core/float16.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// Floats of 16 bits; computed with in float.
struct half {
  static constexpr int fraction_bits = 10;
  static constexpr double min_normal = 0x1p-14;
  std::uint16_t bits = 0;
  half() noexcept = default;
  explicit half(float v) noexcept : bits(half_from_float(v)) {}
  operator float() const noexcept { return float_from_half(bits); }
};
struct bfloat16 {
  static constexpr int fraction_bits = 7;
  static constexpr double min_normal = 0x1p-126;
  std::uint16_t bits = 0;
  bfloat16() noexcept = default;
  explicit bfloat16(float v) noexcept : bits(bfloat16_from_float(v)) {}
  operator float() const noexcept { return float_from_bfloat16(bits); }
};
/// Two in a byte, the lower half first: never an object in memory.
struct int4 {};

#define TESSERA_ELEMENT_TYPES(X)                                                                   \
  X(boolean, bool)                                                                                 \
  X(i4, int4)                                                                                      \
  X(i8, std::int8_t)                                                                               \
  X(i16, std::int16_t)                                                                             \
  X(i32, std::int32_t)                                                                             \
  X(i64, std::int64_t)                                                                             \
  X(u8, std::uint8_t)                                                                              \
  X(u16, std::uint16_t)                                                                            \
  X(u32, std::uint32_t)                                                                            \
  X(f16, half)                                                                                     \
  X(bf16, bfloat16)                                                                                \
  X(f32, float)                                                                                    \
  X(f64, double)

enum class element_type : std::uint8_t {
#define TESSERA_X(name, type) name,
  TESSERA_ELEMENT_TYPES(TESSERA_X)
#undef TESSERA_X
};

/// The element_type of a C++ type.
template <class T>
inline constexpr element_type type_of = element_type::boolean;
#define TESSERA_X(name, type)                                                                      \
  template <>                                                                                      \
  inline constexpr element_type type_of<type> = element_type::name;
TESSERA_ELEMENT_TYPES(TESSERA_X)
#undef TESSERA_X

template <class T>
struct of {
  using type = T;
};
/// Calls f(of<T>{}) with the T of a type.
template <class F>
decltype(auto) visit(element_type type, F&& f) {
  switch (type) {
#define TESSERA_X(name, type)                                                                      \
  case element_type::name: return f(of<type>{});
    TESSERA_ELEMENT_TYPES(TESSERA_X)
#undef TESSERA_X
  }
  __builtin_unreachable();  // others are no types
}
#undef TESSERA_ELEMENT_TYPES
/// Calls f(of<T>{}) with the unsigned integer of 1, 2, 4 or 8 bytes.
template <class F>
decltype(auto) with_word(std::size_t bytes, F&& f) {
  if (bytes == 1) return f(of<std::uint8_t>{});
  if (bytes == 2) return f(of<std::uint16_t>{});
  if (bytes == 4) return f(of<std::uint32_t>{});
  return f(of<std::uint64_t>{});
}

template <class T>
inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_half<T>;
/// What elements of type T are computed in.
template <class T>
using compute = std::conditional_t<is_half<T>, float, T>;
/// What sums and products of numbers of type T are made in, so that those of integers wrap.
template <class T>
using wrapping =
    std::conditional_t<std::is_floating_point_v<T>, T,
                       std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>>;

/// To the nearest integer, ties to even, as nearbyint() does it, in arithmetic that loops take as
/// vectors.
[[nodiscard]] inline double rounded(double x) noexcept {
#if FLT_EVAL_METHOD == 0
  // From 2^52 on, numbers are integers.
  const double big = std::copysign(0x1p52, x), sum = x + big;
  return std::fabs(x) < 0x1p52 ? sum - big : x;
#else
  return std::nearbyint(x);
#endif
}

/// How floats become integers, and floats of 16 bits.
struct as_pytorch {
  static constexpr bool rounds_once = false, has_one_nan = false;
  template <class Int, class Real>
  [[nodiscard]] static Int whole(Real x) noexcept {
    if (x != x) return Int{};
    constexpr Real limit = static_cast<Real>(9223372036854775808.0);
    return static_cast<Int>(x >= limit    ? INT64_MAX
                            : x <= -limit ? INT64_MIN
                                          : static_cast<std::int64_t>(x));
  }
};
struct cut_and_saturate {
  static constexpr bool rounds_once = true, has_one_nan = false;
  template <class Int, class Real>
  [[nodiscard]] static Int whole(Real x) noexcept {
    using limits = std::numeric_limits<Int>;
    if (x != x) return 0;
    if (x <= static_cast<Real>(limits::min())) return limits::min();
    if (x >= static_cast<Real>(std::uint64_t{1} << limits::digits)) return limits::max();
    return static_cast<Int>(x);
  }
};
struct round_and_saturate {
  static constexpr bool rounds_once = true, has_one_nan = true;
  template <class Int>
  [[nodiscard]] static Int whole(double x) noexcept {
    using limits = std::numeric_limits<Int>;
    if constexpr (sizeof(Int) > 4) {
      return cut_and_saturate::whole<Int>(rounded(x));
    } else {
      constexpr double min = limits::min(), max = limits::max();
      x = x == x ? x : 0;
      x = x > min ? x : min;
      x = x < max ? x : max;
#if FLT_EVAL_METHOD == 0
      // The last bit of the sum has the weight 1.
      return static_cast<Int>(std::bit_cast<std::uint64_t>(x + 0x1.8p52));
#else
      return static_cast<Int>(static_cast<std::int64_t>(std::nearbyint(x)));
#endif
    }
  }
};

/// By the formats whose rules they are.
using nac_semantics = as_pytorch;
using ark_semantics = cut_and_saturate;
using nem_semantics = round_and_saturate;

/// The float that a number becomes on its way to `Half`; what rounds once leaves nothing to a second
/// rounding.
template <class Half, class Rules, class From>
[[nodiscard]] inline float float_for(From x) noexcept {
  if constexpr (Rules::rounds_once && std::is_same_v<From, double>) {
    constexpr int dropped = 52 - Half::fraction_bits;
    constexpr std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
    // Adding may carry into the exponent, up to infinity.
    auto bits = std::bit_cast<std::uint64_t>(x);
    bits = (bits + (tie - 1) + (bits >> dropped & 1)) & ~(2 * tie - 1);
    // Subnormals are multiples of the smallest one.
    constexpr double unit = Half::min_normal / (1 << Half::fraction_bits);
    const double small = std::copysign(rounded(x * (1 / unit)) * unit, x);
    const double y = std::fabs(x) < Half::min_normal ? small : std::bit_cast<double>(bits);
    const double nan = Rules::has_one_nan ? std::numeric_limits<double>::quiet_NaN() : x;
    return static_cast<float>(x == x ? y : nan);
  } else {
    const auto y = static_cast<float>(x);
    return !Rules::has_one_nan || y == y ? y : std::numeric_limits<float>::quiet_NaN();
  }
}

/// One element as another type. What isn't 0 is true; integers become others by their low bits.
template <class To, class Rules = nac_semantics, class From>
[[nodiscard]] inline To convert(From from) noexcept {
  constexpr bool one_nan = Rules::has_one_nan && std::is_floating_point_v<From>;
  if constexpr (std::is_same_v<To, From> && !one_nan) {
    return from;
  } else if constexpr (is_half<From>) {
    return convert<To, Rules>(static_cast<float>(from));
  } else if constexpr (std::is_same_v<To, bool>) {
    return from != From{};
  } else if constexpr (is_half<To>) {
    return To(float_for<To, Rules>(from));
  } else if constexpr (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) {
    return Rules::template whole<To>(from);
  } else if constexpr (one_nan) {
    const auto to = static_cast<To>(from);
    return to == to ? to : std::numeric_limits<To>::quiet_NaN();
  } else {
    return static_cast<To>(from);
  }
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_ELEMENT_TYPE_HPP
