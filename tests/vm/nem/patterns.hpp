// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Patterns of elements and their numbers, computed only with integers.

#ifndef TESSERA_TESTS_VM_NEM_PATTERNS_HPP
#define TESSERA_TESTS_VM_NEM_PATTERNS_HPP

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensors.hpp"

namespace test {

struct number_form {
  bool is_floating, is_signed;
  int bits, fraction_bits;
};
inline number_form form_of(element e) {
  switch (e) {
    case element::i4: return {false, true, 4, 0};
    case element::i8: return {false, true, 8, 0};
    case element::i16: return {false, true, 16, 0};
    case element::i32: return {false, true, 32, 0};
    case element::u8: return {false, false, 8, 0};
    case element::u16: return {false, false, 16, 0};
    case element::u32: return {false, false, 32, 0};
    case element::f16: return {true, true, 16, 10};
    case element::bf16: return {true, true, 16, 7};
    default: return {true, true, 32, 23};
  }
}

/// The pattern of an integer's low bits.
inline std::uint32_t wrapped(element e, std::int64_t x) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) &
                                    ((std::uint64_t{1} << form_of(e).bits) - 1));
}
inline std::int64_t least_of(element e) {
  const number_form f = form_of(e);
  return f.is_signed ? -(std::int64_t{1} << (f.bits - 1)) : 0;
}
inline std::int64_t most_of(element e) {
  return (std::int64_t{1} << form_of(e).bits) - 1 + least_of(e);
}

/// The number that a pattern is.
inline double number_of(element e, std::uint32_t pattern) {
  const number_form f = form_of(e);
  const std::uint32_t sign = pattern >> (f.bits - 1) & 1;
  if (!f.is_floating)
    return static_cast<double>(pattern) - (f.is_signed && sign != 0 ? std::ldexp(1.0, f.bits) : 0);
  const int exponent_bits = f.bits - 1 - f.fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(pattern >> f.fraction_bits & ((1u << exponent_bits) - 1));
  const std::uint32_t fraction = pattern & ((1u << f.fraction_bits) - 1);
  double size = 0;
  if (exponent == 2 * bias + 1)
    size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    size = std::ldexp(fraction, 1 - bias - f.fraction_bits);
  else
    size = std::ldexp(fraction + (1u << f.fraction_bits), exponent - bias - f.fraction_bits);
  return sign != 0 ? -size : size;
}

/// The pattern of a floating type nearest to a number, ties to even, from the bits of the number.
inline std::uint32_t nearest_float(element e, double x) {
  const number_form f = form_of(e);
  const int bias = (1 << (f.bits - 2 - f.fraction_bits)) - 1;
  const std::uint32_t infinity = static_cast<std::uint32_t>(2 * bias + 1) << f.fraction_bits;
  if (x != x) return infinity | 1u << (f.fraction_bits - 1);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const auto sign = static_cast<std::uint32_t>(bits >> 63) << (f.bits - 1);
  const auto biased = static_cast<int>(bits >> 52 & 2047);
  if (biased == 2047) return sign | infinity;
  std::uint64_t significand = bits & ((std::uint64_t{1} << 52) - 1);
  if (biased != 0) significand |= std::uint64_t{1} << 52;
  const int exponent = biased == 0 ? -1022 : biased - 1023;
  const int kept = exponent < 1 - bias ? 1 - bias : exponent;  // of the pattern
  const int dropped = kept - f.fraction_bits - (exponent - 52);
  std::uint64_t n = 0;
  if (dropped < 60) {
    n = significand >> dropped;
    const std::uint64_t rest = significand - (n << dropped),
                        half = std::uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && n % 2 != 0)) ++n;
  }
  n += static_cast<std::uint64_t>(kept + bias - 1) << f.fraction_bits;
  return sign | (n > infinity ? infinity : static_cast<std::uint32_t>(n));
}
/// The pattern of the nearest integer, ties to even, saturated; 0 of a NaN.
inline std::uint32_t nearest_integer(element e, double x) {
  if (x != x) return 0;
  const auto least = static_cast<double>(least_of(e)), most = static_cast<double>(most_of(e));
  if (x <= least) return wrapped(e, least_of(e));
  if (x >= most) return wrapped(e, most_of(e));
  const double down = std::floor(x), rest = x - down;
  auto n = static_cast<std::int64_t>(down);
  if (rest > 0.5 || (rest == 0.5 && n % 2 != 0)) ++n;
  return wrapped(e, n);
}
inline std::uint32_t nearest(element e, double x) {
  return form_of(e).is_floating ? nearest_float(e, x) : nearest_integer(e, x);
}

inline void set_bits(held& h, const std::vector<std::uint32_t>& patterns) {
  const vm::nem::tensor t = h.tensor();
  const vm::nem::rows<1> r(t.shape, {t.strides});
  const std::uint32_t* from = patterns.data();
  r.each([&](const auto& first, std::int64_t n) {
    wrap(t, first[0], r.steps()[0], from, static_cast<std::size_t>(n));
    from += n;
  });
}
/// A dense vector of patterns.
inline held vector_of(element e, const std::vector<std::uint32_t>& patterns) {
  held h(e, {static_cast<std::int64_t>(patterns.size())});
  set_bits(h, patterns);
  return h;
}

/// Numbers without order, the same in each run.
struct random_bits {
  std::uint64_t state = 1;
  std::uint32_t operator()() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 32);
  }
};

/// Patterns of a type: 0, the least, the greatest, those around them, NaNs and others without order.
inline std::vector<std::uint32_t> some_patterns(element e, std::size_t count,
                                                std::uint64_t seed = 1) {
  const number_form f = form_of(e);
  const std::uint64_t all = std::uint64_t{1} << f.bits;
  std::vector<std::uint32_t> out;
  for (const std::uint64_t around : {all, all / 2, all / 4})
    for (std::uint64_t i = around + all - 3; i != around + all + 4; ++i)
      out.push_back(static_cast<std::uint32_t>(i % all));
  if (f.is_floating)
    for (const double x : {0.0, 1.0, 2.0, 0.5, 3.0, 1e30, 1e-30, 0.1, 65504.0, 6e-8})
      for (const double sign : {1.0, -1.0}) out.push_back(nearest_float(e, sign * x));
  if (f.is_floating)
    for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) out.push_back(nearest_float(e, x));
  random_bits next{seed};
  while (out.size() < count) out.push_back(static_cast<std::uint32_t>(next() % all));
  out.resize(count);
  return out;
}

}  // namespace test

#endif  // TESSERA_TESTS_VM_NEM_PATTERNS_HPP
