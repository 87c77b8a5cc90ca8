// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations on one vector of elements, and the loops around them, for one instruction set.
// elementwise.cpp includes it once for each, in a namespace of its own.
//
// The elements after the last whole vector go through one that is padded with zeros.
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: none.

typedef float floats [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::int32_t masks [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
// As many floats as there are doubles in a register.
typedef float few_floats [[gnu::vector_size(TESSERA_VECTOR_BYTES / 2)]];
typedef double doubles [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];
typedef std::uint64_t numbers [[gnu::vector_size(TESSERA_VECTOR_BYTES)]];

/// e^x with a relative error below 2^-32; infinite from 709.4, and at least e^-708.
TESSERA_TARGET [[gnu::always_inline]] inline doubles exponential(doubles x) {
  const doubles upper = doubles{} + 710, lower = doubles{} - 708;
  x = x > upper ? upper : x;
  x = x < lower ? lower : x;
  // x = n ln 2 + r, |r| <= ln 2 / 2. After adding 2^52 + 2^51 the low bits are those of n.
  constexpr double magic = 0x1.8p52;
  const doubles shifted = x * 0x1.71547652b82fep0 + magic;
  const doubles r = x - (shifted - magic) * 0x1.62e42fefa39efp-1;
  // The series, to r^8.
  doubles sum = r * (1.0 / 40320) + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const numbers power = (reinterpret_cast<numbers>(shifted) + 1023) << 52;
  return sum * reinterpret_cast<doubles>(power);
}

TESSERA_TARGET [[gnu::always_inline]] inline floats roots(floats x) {
  floats y;
  for (std::size_t i = 0; i < sizeof x / sizeof(float); ++i) y[i] = __builtin_sqrtf(x[i]);
  return y;
}

struct relu {
  using vector = floats;
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats x) {
    const masks negative = x < 0;
    return reinterpret_cast<floats>(reinterpret_cast<masks>(x) & ~negative);
  }
};
struct sqrt {
  using vector = floats;
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats x) { return roots(x); }
};
struct rsqrt {
  using vector = floats;
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats x) { return 1 / roots(x); }
};
struct exp {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) { return exponential(x); }
};
struct sigmoid {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    return 1 / (1 + exponential(-x));
  }
};
struct gelu {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    return x / (1 + exponential(x * (gelu_linear + gelu_cubic * (x * x))));
  }
};

/// Half of erfc(|x|) for |x| >= 0, with a relative error below 2^-29: e^(-x^2) t q(t), where
/// t = 1 / (1 + 0.4 |x|), and q was fitted at Chebyshev's points. 0 where x is infinite.
TESSERA_TARGET [[gnu::always_inline]] inline doubles half_erfc(doubles size) {
  const doubles t = 1 / (1 + 0.4 * size);
  doubles sum = t * (0x1.3caf66976209cp-6) - 0x1.c4268c836580cp-4;
  sum = sum * t + 0x1.f5ba5e80b3edfp-3;
  sum = sum * t - 0x1.fbe6851b40b06p-3;
  sum = sum * t + 0x1.c3ab3ccca6101p-4;
  sum = sum * t - 0x1.03743391d8baep-4;
  sum = sum * t + 0x1.e6953376aea8cp-6;
  sum = sum * t + 0x1.0adf4bee9ce30p-4;
  sum = sum * t + 0x1.f2edc4cbc8adfp-4;
  sum = sum * t + 0x1.5f410165a1be1p-3;
  sum = sum * t + 0x1.a935873f80596p-3;
  sum = sum * t + 0x1.ce2f226d3829cp-3;
  sum = sum * t + 0x1.ce2f219f69e1ap-3;
  return exponential(-(size * size)) * (t * sum) * 0.5;
}
TESSERA_TARGET [[gnu::always_inline]] inline doubles size_of(doubles x) { return x < 0 ? -x : x; }

struct gelu_erf {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    const doubles tail = half_erfc(size_of(x) * 0x1.6a09e667f3bcdp-1);
    return x * (x < 0 ? tail : 1 - tail);
  }
};
struct erf {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    // The series where the difference loses digits.
    const doubles s = x * x;
    doubles near = s * (-1.0 / 1320) + 1.0 / 216;
    near = near * s - 1.0 / 42;
    near = near * s + 1.0 / 10;
    near = near * s - 1.0 / 3;
    near = (near * s + 1) * x * 0x1.20dd750429b6dp+0;
    const doubles far = 1 - 2 * half_erfc(size_of(x));
    return size_of(x) < 0.25 ? near : x < 0 ? -far : far;
  }
};
struct tanh {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    const doubles s = x * x;
    doubles near = s * (-17.0 / 315) + 2.0 / 15;
    near = near * s - 1.0 / 3;
    near = (near * s + 1) * x;
    const doubles power = exponential(-2 * size_of(x)), far = (1 - power) / (1 + power);
    return size_of(x) < 0.1 ? near : x < 0 ? -far : far;
  }
};
struct silu {
  using vector = few_floats;
  TESSERA_TARGET [[gnu::always_inline]] static doubles of(doubles x) {
    return x / (1 + exponential(-x));
  }
};

struct add {
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats a, floats b) { return a + b; }
};
struct sub {
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats a, floats b) { return a - b; }
};
struct mul {
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats a, floats b) { return a * b; }
};
struct div {
  TESSERA_TARGET [[gnu::always_inline]] static floats of(floats a, floats b) { return a / b; }
};

template <class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Vector>
TESSERA_TARGET [[gnu::always_inline]] inline Vector load_last(const float* from,
                                                              std::size_t count) {
  Vector v = {};
  std::memcpy(&v, from, count * sizeof(float));
  return v;
}

template <class Op>
TESSERA_TARGET [[gnu::always_inline]] inline typename Op::vector result(typename Op::vector x) {
  if constexpr (sizeof(typename Op::vector) == sizeof(floats))
    return Op::of(x);
  else
    return __builtin_convertvector(Op::of(__builtin_convertvector(x, doubles)), few_floats);
}

template <class Op>
TESSERA_TARGET void one_operand(const float* x, float* to, std::size_t n) {
  using vector = typename Op::vector;
  constexpr std::size_t lanes = sizeof(vector) / sizeof(float);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const vector y = result<Op>(load<vector>(x + i));
    std::memcpy(to + i, &y, sizeof y);
  }
  if (i == n) return;
  const vector y = result<Op>(load_last<vector>(x + i, n - i));
  std::memcpy(to + i, &y, (n - i) * sizeof(float));
}

/// An operand of two: an array, or a number which is the same for every lane.
struct array {
  const float* x;
  TESSERA_TARGET [[gnu::always_inline]] floats all(std::size_t i) const {
    return load<floats>(x + i);
  }
  TESSERA_TARGET [[gnu::always_inline]] floats last(std::size_t i, std::size_t count) const {
    return load_last<floats>(x + i, count);
  }
};
struct number {
  float x;
  TESSERA_TARGET [[gnu::always_inline]] floats all(std::size_t) const { return floats{} + x; }
  TESSERA_TARGET [[gnu::always_inline]] floats last(std::size_t, std::size_t) const {
    return floats{} + x;
  }
};

template <class Op, class Left, class Right>
TESSERA_TARGET [[gnu::always_inline]] inline void combine(Left a, Right b, float* to,
                                                          std::size_t n) {
  constexpr std::size_t lanes = sizeof(floats) / sizeof(float);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const floats y = Op::of(a.all(i), b.all(i));
    std::memcpy(to + i, &y, sizeof y);
  }
  if (i == n) return;
  const floats y = Op::of(a.last(i, n - i), b.last(i, n - i));
  std::memcpy(to + i, &y, (n - i) * sizeof(float));
}
template <class Op>
TESSERA_TARGET void arrays(const float* a, const float* b, float* to, std::size_t n) {
  combine<Op>(array{a}, array{b}, to, n);
}
template <class Op>
TESSERA_TARGET void number_after(const float* a, float b, float* to, std::size_t n) {
  combine<Op>(array{a}, number{b}, to, n);
}
template <class Op>
TESSERA_TARGET void number_before(float a, const float* b, float* to, std::size_t n) {
  combine<Op>(number{a}, array{b}, to, n);
}

// In the order of unary and binary.
inline constexpr engine functions = {
    {one_operand<relu>, one_operand<sqrt>, one_operand<rsqrt>, one_operand<exp>,
     one_operand<sigmoid>, one_operand<gelu>, one_operand<gelu_erf>, one_operand<erf>,
     one_operand<tanh>, one_operand<silu>},
    {{arrays<add>, number_after<add>, number_before<add>},
     {arrays<sub>, number_after<sub>, number_before<sub>},
     {arrays<mul>, number_after<mul>, number_before<mul>},
     {arrays<div>, number_after<div>, number_before<div>}}};
