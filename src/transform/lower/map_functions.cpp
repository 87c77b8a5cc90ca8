// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Functions of numbers that no opcode has, as chains of those that there are.

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::opcode;
using value = chain::value;
using o = nac::operation;

/// From here on all numbers of the type are integers.
[[nodiscard]] double first_whole(nem::element type) noexcept {
  return type == nem::element::f32 ? 0x1p23 : type == nem::element::f16 ? 0x1p10 : 0x1p7;
}

/// x ≥ 0 to the nearest integer, half to even: sums of that size have no fraction.
[[nodiscard]] value rounded_magnitude(mapper& m, chain& c, const value& x) {
  const value big = c.number(first_whole(m.device().type()));
  const value low = c.apply(opcode::min, {x, big});
  const value whole = c.apply(opcode::sub, {c.add(low, big), big});
  return c.add(whole, c.apply(opcode::sub, {x, low}));
}
[[nodiscard]] value negative_part(chain& c, const value& x) {
  return c.apply(opcode::relu, {c.apply(opcode::neg, {x})});
}
/// f(max(x, 0)) - f(max(-x, 0))
template <class F>
[[nodiscard]] value of_magnitudes(chain& c, const value& x, F&& f) {
  const value above = f(c.apply(opcode::relu, {x}));
  const value below = f(negative_part(c, x));
  return c.apply(opcode::sub, {above, below});
}
[[nodiscard]] value rounded(mapper& m, chain& c, const value& x) {
  return of_magnitudes(c, x, [&](const value& v) { return rounded_magnitude(m, c, v); });
}
/// 1 where a > b, else 0.
[[nodiscard]] value is_above(chain& c, const value& a, const value& b) {
  const value more = c.apply(opcode::relu, {c.apply(opcode::sub, {a, b})});
  return inverted(c, c.apply(opcode::pow, {c.number(0), more}));
}
[[nodiscard]] value floor_of(mapper& m, chain& c, const value& x) {
  const value near = rounded(m, c, x);
  return c.apply(opcode::sub, {near, is_above(c, near, x)});
}
[[nodiscard]] value trunc_of(mapper& m, chain& c, const value& x) {
  return of_magnitudes(c, x, [&](const value& v) {
    const value near = rounded_magnitude(m, c, v);
    return c.apply(opcode::sub, {near, is_above(c, near, v)});
  });
}

/// A chain of one operand.
template <class F>
void of_one(mapper& m, F&& f) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  c.finish(f(c, x));
}
/// A chain of two.
template <class F>
void of_two(mapper& m, F&& f) {
  chain c(m, m.result_shape());
  const value a = c.input(m.operand(0)), b = c.input(m.operand(1));
  c.finish(f(c, a, b));
}

void round(mapper& m, opcode) {
  of_one(m, [&](chain& c, const value& x) { return rounded(m, c, x); });
}
void floor(mapper& m, opcode) {
  of_one(m, [&](chain& c, const value& x) { return floor_of(m, c, x); });
}
void ceil(mapper& m, opcode op) {
  of_one(m,
         [&](chain& c, const value& x) { return c.apply(op, {floor_of(m, c, c.apply(op, {x}))}); });
}
void trunc(mapper& m, opcode) {
  of_one(m, [&](chain& c, const value& x) { return trunc_of(m, c, x); });
}
void frac(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) { return c.apply(op, {x, trunc_of(m, c, x)}); });
}
void floor_divide(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    return floor_of(m, c, c.apply(op, {a, b}));
  });
}
void divide_by_mode(mapper& m, opcode op) {
  const std::string_view mode = m.args().string_or(2, "");
  of_two(m, [&](chain& c, const value& a, const value& b) {
    const value q = c.apply(op, {a, b});
    if (mode == "floor") return floor_of(m, c, q);
    return mode == "trunc" ? trunc_of(m, c, q) : q;
  });
}
/// a - b floor(a / b)
void remainder(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    const value q = floor_of(m, c, c.apply(op, {a, b}));
    return c.apply(opcode::sub, {a, c.mul(b, q)});
  });
}
void fmod(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    const value q = trunc_of(m, c, c.apply(op, {a, b}));
    return c.apply(opcode::sub, {a, c.mul(b, q)});
  });
}

// ---- exponential functions and logarithms

template <opcode Op>
[[nodiscard]] value scaled(chain& c, const value& x, double before, double after) {
  value y = before == 1 ? x : c.mul(x, c.number(before));
  y = c.apply(Op, {y});
  return after == 1 ? y : c.mul(y, c.number(after));
}
void exp2(mapper& m, opcode) {
  of_one(m,
         [](chain& c, const value& x) { return scaled<opcode::exp>(c, x, std::numbers::ln2, 1); });
}
void log2(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) {
    return scaled<opcode::log>(c, x, 1, 1 / std::numbers::ln2);
  });
}
void log10(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) {
    return scaled<opcode::log>(c, x, 1, 1 / std::numbers::ln10);
  });
}
void log1p(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) { return c.apply(op, {c.add(x, c.number(1))}); });
}
void expm1(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    return c.apply(opcode::sub, {c.apply(op, {x}), c.number(1)});
  });
}
/// (e^x ± e^-x) / 2
void hyperbolic(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    const value grows = c.apply(opcode::exp, {x});
    const value falls = c.apply(opcode::exp, {c.apply(opcode::neg, {x})});
    return c.mul(c.apply(op, {grows, falls}), c.number(0.5));
  });
}
/// sign(x) log(|x| + sqrt(x² + 1))
void asinh(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    const value size = c.apply(opcode::abs, {x});
    const value root = c.apply(opcode::sqrt, {c.add(c.mul(x, x), c.number(1))});
    return c.mul(sign_of(c, x, opcode::pow), c.apply(op, {c.add(size, root)}));
  });
}
void acosh(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    const value square = c.apply(opcode::sub, {c.mul(x, x), c.number(1)});
    return c.apply(op, {c.add(x, c.apply(opcode::sqrt, {square}))});
  });
}
void atanh(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    const value above = c.add(c.number(1), x);
    const value below = c.apply(opcode::sub, {c.number(1), x});
    return c.mul(c.apply(op, {c.apply(opcode::div, {above, below})}), c.number(0.5));
  });
}
void logit(mapper& m, opcode op) {
  of_one(m, [&](chain& c, value x) {
    if (m.has(1)) x = clamped(c, x, m.args().real(1), 1 - m.args().real(1));
    return c.apply(op, {c.apply(opcode::div, {x, inverted(c, x)})});
  });
}
/// max(a, b) + log(1 + e^-|a - b|)
void logaddexp(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    const value apart = c.apply(opcode::abs, {c.apply(opcode::sub, {a, b})});
    const value falls = c.apply(opcode::exp, {c.apply(opcode::neg, {apart})});
    return c.add(c.apply(opcode::max, {a, b}), c.apply(op, {c.add(falls, c.number(1))}));
  });
}

// ---- polynomials

/// c0 + x (c1 + x (…))
[[nodiscard]] value polynomial(chain& c, const value& x, std::initializer_list<double> of) {
  const double* k = of.end() - 1;
  value y = c.number(*k);
  while (k != of.begin()) y = c.add(c.mul(y, x), c.number(*--k));
  return y;
}

/// 1 - erf(x) of x ≥ 0, but for 1.2e-7 of it: Numerical Recipes, "Special Functions", erfcc.
[[nodiscard]] value erfc_of_magnitude(chain& c, const value& x) {
  const value t = c.apply(opcode::div, {c.number(1), c.add(c.mul(x, c.number(0.5)), c.number(1))});
  const value series = polynomial(c, t,
                                  {-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
                                   0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277});
  return c.mul(t, c.apply(opcode::exp, {c.apply(opcode::sub, {series, c.mul(x, x)})}));
}
[[nodiscard]] value erf_of(chain& c, const value& x) {
  const value size = c.apply(opcode::abs, {x});
  return c.mul(sign_of(c, x, opcode::pow), inverted(c, erfc_of_magnitude(c, size)));
}
/// y, or 2 - y on the left.
[[nodiscard]] value erfc_of(chain& c, const value& x) {
  const value y = erfc_of_magnitude(c, c.apply(opcode::abs, {x}));
  const value other = c.apply(opcode::sub, {c.number(2), c.add(y, y)});
  return c.add(y, c.mul(is_above(c, c.number(0), x), other));
}
void erf(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) { return erf_of(c, x); });
}
void erfc(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) { return erfc_of(c, x); });
}

/// sin x, as that of x - k π, by a series. π is three numbers, of which k times the first ones are
/// exact.
[[nodiscard]] value sine_of(mapper& m, chain& c, const value& x) {
  const double big = 1.5 * first_whole(m.device().type());
  const auto near = [&](const value& v) {  // to the nearest integer, if v isn't too large
    return c.apply(opcode::sub, {c.add(v, c.number(big)), c.number(big)});
  };
  const value k = near(c.mul(x, c.number(1 / std::numbers::pi)));
  value r = x;
  for (const double part : {3.140625, 0.0009675025939941406, 1.5099579909783765e-07})
    r = c.apply(opcode::sub, {r, c.mul(k, c.number(part))});
  const value square = c.mul(r, r);
  const value series =
      polynomial(c, square, {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800});
  const value half = near(c.apply(opcode::sub, {c.mul(k, c.number(0.5)), c.number(0.25)}));
  const value odd = c.apply(opcode::sub, {k, c.mul(half, c.number(2))});
  const value sign = c.apply(opcode::sub, {c.number(1), c.mul(odd, c.number(2))});
  return c.mul(c.mul(r, series), sign);
}
[[nodiscard]] value cosine_of(mapper& m, chain& c, const value& x) {
  return sine_of(m, c, c.add(x, c.number(std::numbers::pi / 2)));
}
void sin(mapper& m, opcode) {
  of_one(m, [&](chain& c, const value& x) { return sine_of(m, c, x); });
}
void cos(mapper& m, opcode) {
  of_one(m, [&](chain& c, const value& x) { return cosine_of(m, c, x); });
}
void tan(mapper& m, opcode op) {
  of_one(m, [&](chain& c, const value& x) {
    const value up = sine_of(m, c, x);
    return c.apply(op, {up, cosine_of(m, c, x)});
  });
}

/// atan x: of x ≤ 1 a series for x² in which it converges fast, of larger ones π/2 - atan(1/x).
[[nodiscard]] value arc_tangent_of(chain& c, const value& x) {
  const value size = c.apply(opcode::abs, {x});
  const value low = c.apply(opcode::min, {size, c.number(1)});
  const value high = c.apply(opcode::max, {size, c.number(1)});
  const value t = c.apply(opcode::div, {low, high});  // |x| or 1/|x|
  // Abramowitz and Stegun, 4.4.49: within 2e-8.
  const value y = c.mul(t, polynomial(c, c.mul(t, t),
                                      {1, -0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393,
                                       -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257}));
  const value is_large = is_above(c, size, c.number(1));
  // y or π/2 - y
  const value turned = c.mul(
      is_large, c.apply(opcode::sub, {c.number(std::numbers::pi / 2), c.mul(y, c.number(2))}));
  return c.mul(sign_of(c, x, opcode::pow), c.add(y, turned));
}
void atan(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) { return arc_tangent_of(c, x); });
}

/// The angle of (x, y): atan(y / x), turned by π on the left.
void atan2(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& y, const value& x) {
    const value is_left = is_above(c, c.number(0), x);
    const value turn =
        c.mul(c.mul(is_left, sign_of(c, y, opcode::pow)), c.number(std::numbers::pi));
    return c.add(arc_tangent_of(c, c.apply(op, {y, x})), turn);
  });
}

// ---- others

void hypot(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    return c.apply(op, {c.add(c.mul(a, a), c.mul(b, b))});
  });
}
void lerp(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value a = c.input(m.operand(0)), b = c.input(m.operand(1)), w = c.input(m.operand(2));
  c.finish(c.add(a, c.mul(c.apply(op, {b, a}), w)));
}
/// x 2^n of integers; to the right, rounded down.
void shift_left(mapper& m, opcode) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    return c.mul(a, c.apply(opcode::pow, {c.number(2), b}));
  });
}
void shift_right(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) {
    return floor_of(m, c, c.apply(op, {a, c.apply(opcode::pow, {c.number(2), b})}));
  });
}
void degrees(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) { return c.mul(x, c.number(180 / std::numbers::pi)); });
}
void radians(mapper& m, opcode) {
  of_one(m, [](chain& c, const value& x) { return c.mul(x, c.number(std::numbers::pi / 180)); });
}
/// x - min(max(x, -l), l)
void softshrink(mapper& m, opcode op) {
  const double l = m.args().real_or(1, 0.5);
  of_one(m, [&](chain& c, const value& x) { return c.apply(op, {x, clamped(c, x, -l, l)}); });
}
/// x where |x| > l, else 0
void hardshrink(mapper& m, opcode) {
  const double l = m.args().real_or(1, 0.5);
  of_one(m, [&](chain& c, const value& x) {
    return c.mul(x, is_above(c, c.apply(opcode::abs, {x}), c.number(l)));
  });
}
/// x where x > t, else v
void threshold(mapper& m, opcode) {
  const double t = m.args().real(1), v = m.args().real(2);
  of_one(m, [&](chain& c, const value& x) {
    const value above = is_above(c, x, c.number(t));
    const value kept = c.mul(x, above);
    return v == 0 ? kept : c.add(kept, c.mul(inverted(c, above), c.number(v)));
  });
}
/// max(x, 0) - w max(-x, 0), w for each channel
void prelu(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  tensor_view w = m.operand(1);
  if (product(w.shape) == 1) w = m.reshape(w, {});
  if (w.rank() == 1 && x.rank() > 2) {
    w.shape.insert(w.shape.end(), x.rank() - 2, 1);
    w.strides.insert(w.strides.end(), x.rank() - 2, 0);
  }
  chain c(m, m.result_shape());
  const value v = c.input(x);
  const value above = c.apply(opcode::relu, {v});
  c.finish(c.apply(op, {above, c.mul(c.input(w), negative_part(c, v))}));
}
/// The slope of evaluation is the mean of the bounds.
void rrelu(mapper& m, opcode op) {
  if (m.args().truth_or(3, false)) m.refuse("its slopes are random in training");
  const double slope = (m.args().real_or(1, 1.0 / 8) + m.args().real_or(2, 1.0 / 3)) / 2;
  of_one(m, [&](chain& c, const value& x) {
    return c.apply(op, {x}, {{nem::attribute::alpha, slope}});
  });
}
/// a sigmoid(b), a and b the halves of a dimension
void glu(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  const std::size_t axis = m.has(1) ? axis_of(m, 1, x.rank()) : x.rank() - 1;
  const std::int64_t half = x.shape[axis] / 2;
  chain c(m, m.result_shape());
  const value a = c.input(narrowed(x, axis, 0, half));
  c.finish(c.mul(a, c.apply(op, {c.input(narrowed(x, axis, half, half))})));
}
void add_relu(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value a = c.input(m.operand(0));
  value b = c.input(m.operand(1));
  if (const double alpha = m.args().real_or(2, 1); alpha != 1) b = c.mul(b, c.number(alpha));
  c.finish(c.apply(op, {c.add(a, b)}));
}
void xlogy(mapper& m, opcode op) {
  of_two(m, [&](chain& c, const value& a, const value& b) { return c.mul(a, c.apply(op, {b})); });
}
void clamp_tensors(mapper& m, opcode) {
  chain c(m, m.result_shape());
  value x = c.input(m.operand(0));
  if (m.has(1)) x = c.apply(opcode::max, {x, c.input(m.operand(1))});
  if (m.has(2)) x = c.apply(opcode::min, {x, c.input(m.operand(2))});
  c.finish(x);
}

constexpr mapping function_rows[] = {
    {o::round, round, opcode::add},
    {o::floor, floor, opcode::sub},
    {o::ceil, ceil, opcode::neg},
    {o::trunc, trunc, opcode::sub},
    {o::frac, frac, opcode::sub},
    {o::floor_divide, floor_divide, opcode::div},
    {o::div_mode, divide_by_mode, opcode::div},
    {o::remainder, remainder, opcode::div},
    {o::fmod, fmod, opcode::div},
    {o::exp2, exp2, opcode::exp},
    {o::log2, log2, opcode::log},
    {o::log10, log10, opcode::log},
    {o::log1p, log1p, opcode::log},
    {o::expm1, expm1, opcode::exp},
    {o::sinh, hyperbolic, opcode::sub},
    {o::cosh, hyperbolic, opcode::add},
    {o::asinh, asinh, opcode::log},
    {o::acosh, acosh, opcode::log},
    {o::atanh, atanh, opcode::log},
    {o::logit, logit, opcode::log},
    {o::logaddexp, logaddexp, opcode::log},
    {o::erf, erf, opcode::exp},
    {o::erfc, erfc, opcode::exp},
    {o::sin, sin, opcode::mul},
    {o::cos, cos, opcode::mul},
    {o::tan, tan, opcode::div},
    {o::atan, atan, opcode::div},
    {o::atan2, atan2, opcode::div},
    {o::hypot, hypot, opcode::sqrt},
    {o::lerp, lerp, opcode::sub},
    {o::left_shift, shift_left, opcode::mul},
    {o::right_shift, shift_right, opcode::div},
    {o::rad2deg, degrees, opcode::mul},
    {o::deg2rad, radians, opcode::mul},
    {o::softshrink, softshrink, opcode::sub},
    {o::hardshrink, hardshrink, opcode::mul},
    {o::threshold, threshold, opcode::mul},
    {o::prelu, prelu, opcode::sub},
    {o::rrelu, rrelu, opcode::leaky_relu},
    {o::glu, glu, opcode::sigmoid},
    {o::add_relu, add_relu, opcode::relu},
    {o::xlogy, xlogy, opcode::log},
    {o::clamp_tensor, clamp_tensors, opcode::max},
};

}  // namespace

value rounded_to_even(mapper& m, chain& c, const value& x) { return rounded(m, c, x); }
value rounded_down(mapper& m, chain& c, const value& x) { return floor_of(m, c, x); }

/// By a conversion to integers of 32 bits, as that to longer ones of numbers that these have, too.
value truncated(chain& c, const value& x) {
  return c.convert(c.convert(x, nem::element::i32), nem::element::none);
}

std::span<const mapping> function_mappings() noexcept { return function_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
