// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Functions that take many of ARK's operations, in float32, and comparisons.
//
//   x > 0           min(max(2^200 x, 0), 1), in two steps: exact for all numbers
//   integers        a > b as max(a, 0) > max(b, 0) or max(-1 - a, 0) < max(-1 - b, 0), whose differences
//                   fit 32 bits; as floats they keep their signs
//   truth values    0 and 1 of float32, then of UINT8
//   logarithms      a series; far from 1 that of the root of degree 64, and a step of Halley's method
//   sine, cosine    of what is left without multiples of pi, which are taken away in three parts

#include <cmath>
#include <iterator>
#include <numbers>

#include "transform/to_ark.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using ark::op_type;
using nac::data_type;
using nac::operation;

constexpr data_type f32 = data_type::float32;

}  // namespace

ark::value ark_writer::function(operation o, ark::value x) {
  switch (o) {
    case operation::celu: {
      const double alpha = call_->real_or(1, 1);
      if (alpha == 0) vn::fail(errc::nac_to_ark_argument, "alpha is 0");
      return exponential_unit(x, alpha, 1, 1 / alpha);
    }
    case operation::selu:
      return exponential_unit(x, 1.6732632423543772848170429916717,
                              1.0507009873554804934193349852946, 1);
    case operation::softplus: {
      const double beta = call_->real_or(1, 1);
      if (beta == 0 || call_->real_or(2, 20) < 17)  // e^-17 is less than a rounding
        vn::fail(errc::nac_to_ark_argument, "beta is 0, or threshold below 17");
      return scaled(soft_plus(scaled(x, beta)), 1 / beta);
    }
    case operation::log_sigmoid: return scaled(soft_plus(scaled(x, -1)), -1);
    case operation::mish: return mish(x);
    case operation::log: return logarithm(x);
    case operation::log2: return scaled(logarithm(x), std::numbers::log2e);
    case operation::log10: return scaled(logarithm(x), std::numbers::log10e);
    case operation::erf: return complementary_error(x, false);
    case operation::erfc: return complementary_error(x, true);
    case operation::sin: return sine(x, false);
    case operation::cos: return sine(x, true);
    case operation::sign: return to_.sub(is_positive(x), is_positive(scaled(x, -1)), named());
    case operation::softshrink: {
      const double by = -call_->real_or(1, 0.5);
      return to_.sub(to_.relu(plus(x, by), named()), to_.relu(plus(scaled(x, -1), by), named()),
                     named());
    }
    case operation::hardshrink:
      return to_.mul(x, is_positive(plus(absolute(x), -call_->real_or(1, 0.5))), named());
    case operation::threshold: {
      const ark::value above = is_positive(plus(x, -call_->real(1)));
      return to_.add(to_.mul(x, above, named()), scaled(other(above), call_->real(2)), named());
    }
    default: vn::fail(errc::nac_to_ark_operation, "there is no composition of ARK's operations");
  }
}

ark::value ark_writer::polynomial(ark::value x, std::span<const double> coefficients) {
  ark::value sum = plus(scaled(x, coefficients[0]), coefficients[1]);
  for (const double c : coefficients.subspan(2)) sum = plus(to_.mul(sum, x, named()), c);
  return sum;
}

/// scale (max(x, 0) + alpha (exp(inside min(x, 0)) - 1))
ark::value ark_writer::exponential_unit(ark::value x, double alpha, double scale, double inside) {
  const ark::value below = scaled(to_.relu(scaled(x, -1), named()), -inside);
  return to_.add(scaled(to_.relu(x, named()), scale),
                 scaled(plus(to_.exp(below, named()), -1), alpha * scale), named());
}

/// log(x) = 2 atanh(z) with z = (x - 1) / (x + 1), by a series of as many terms as there are odd.
ark::value ark_writer::logarithm_by(ark::value x, std::span<const double> odd) {
  const ark::value z = to_.div(plus(x, -1), plus(x, 1), named());
  return to_.mul(z, polynomial(to_.mul(z, z, named()), odd), named());
}

/// From 1/2 to 2 by the series. Else that of the root of degree 64, y, and a step of Halley's method:
/// y + 2 (x - e^y) / (x + e^y).
ark::value ark_writer::logarithm(ark::value x) {
  constexpr double many[] = {2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11,
                             2. / 9,  2. / 7,  2. / 5,  2. / 3,  2};
  constexpr double largest = 88.72;  // whose power is finite
  ark::value root = x;
  for (int k = 0; k < 6; ++k) root = to_.sqrt(root, named());
  const ark::value y = clamped(scaled(logarithm_by(root, many), 64), std::nullopt, largest);
  const ark::value power = scaled(to_.exp(y, named()), 0.5), half = scaled(x, 0.5);
  const ark::value more =
      to_.div(to_.sub(half, power, named()), to_.add(half, power, named()), named());
  const ark::value far = to_.add(y, scaled(more, 2), named());
  return either(is_positive(plus(absolute(plus(x, -1.25)), -0.75)), far,
                logarithm_by(x, std::span(many).subspan(2)));
}

/// The first where a condition is 1, the second where it is 0.
ark::value ark_writer::either(ark::value condition, ark::value yes, ark::value no) {
  return to_.add(to_.mul(condition, yes, named()), to_.mul(other(condition), no, named()), named());
}

/// max(x, 0) + log(1 + u) with u = e^-|x|, as 2 atanh(u / (u + 2)).
ark::value ark_writer::soft_plus(ark::value x) {
  constexpr double odd[] = {2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3, 2};
  const ark::value u = to_.exp(scaled(absolute(x), -1), named());
  const ark::value z = to_.div(u, plus(u, 2), named());
  const ark::value series = polynomial(to_.mul(z, z, named()), odd);
  return to_.add(to_.relu(x, named()), to_.mul(z, series, named()), named());
}

/// x tanh(log(1 + w)) with w = e^x: of n = w (w + 2), x n / (n + 2).
ark::value ark_writer::mish(ark::value x) {
  const ark::value w = to_.exp(clamped(x, std::nullopt, 20), named());
  const ark::value n = to_.mul(w, plus(w, 2), named());
  return to_.mul(x, to_.div(n, plus(n, 2), named()), named());
}

/// erfc(|x|) = 2 Q(sqrt(2) |x|); of negative x, 2 less that. erf by its series up to 1/2.
ark::value ark_writer::complementary_error(ark::value x, bool is_complement) {
  constexpr double root = 1.12837916709551257390;  // 2 / sqrt(pi)
  constexpr double odd[] = {-root / 1320, root / 216, -root / 42, root / 10, -root / 3, root};
  const ark::value magnitude = absolute(x);
  const ark::value tail = scaled(upper_tail(scaled(magnitude, std::numbers::sqrt2)), 2);
  const ark::value below = is_positive(scaled(x, -1));
  const ark::value sign = plus(scaled(below, -2), 1);  // of 0, too, 1
  if (is_complement) return to_.add(scaled(below, 2), to_.mul(sign, tail, named()), named());
  const ark::value square = clamped(to_.mul(x, x, named()), std::nullopt, 1);
  const ark::value near = to_.mul(x, polynomial(square, odd), named());
  return either(is_positive(plus(magnitude, -0.5)), to_.mul(sign, other(tail), named()), near);
}

/// Cut off at the point, for less than 2^31.
ark::value ark_writer::whole_part(ark::value x) {
  return cast(cast(x, f32, data_type::int32), data_type::int32, f32);
}

/// |x| = (n + h) pi + r, |r| at most pi / 2, with h of 0 for sine and 1/2 for cosine; sin(r) by its
/// Taylor series, whose sign n has. Up to 8192 as exact as r is.
ark::value ark_writer::sine(ark::value x, bool is_cosine) {
  constexpr double parts[] = {3.140625, 9.67502593994140625e-4, 1.509957990978376432e-7};
  constexpr double odd[] = {
      1. / 6227020800, -1. / 39916800, 1. / 362880, -1. / 5040, 1. / 120, -1. / 6, 1};
  const ark::value magnitude = absolute(x);
  const ark::value n =
      whole_part(plus(scaled(magnitude, 1 / std::numbers::pi), is_cosine ? 0 : 0.5));
  const ark::value turns = plus(n, is_cosine ? 0.5 : 0);
  ark::value r = magnitude;
  for (const double part : parts) r = to_.add(r, scaled(turns, -part), named());
  const ark::value y = to_.mul(r, polynomial(to_.mul(r, r, named()), odd), named());
  const ark::value is_odd = to_.sub(n, scaled(whole_part(scaled(n, 0.5)), 2), named());
  // cos(|x|) = cos(r + (n + 1/2) pi) = -(-1)^n sin(r)
  const ark::value sign = is_cosine ? plus(scaled(is_odd, 2), -1) : plus(scaled(is_odd, -2), 1);
  const ark::value even = to_.mul(y, sign, named());
  if (is_cosine) return even;
  return to_.mul(even, plus(scaled(is_positive(scaled(x, -1)), -2), 1), named());
}

// ---- comparisons

/// 1 where x is above 0, else 0.
ark::value ark_writer::is_positive(ark::value x) {
  return clamped(scaled(scaled(x, 0x1p100), 0x1p100), 0, 1);
}

/// A number is no weight.
ark::value ark_writer::operand(std::size_t letter, data_type type) {
  const std::optional<double> n = number_of(letter);
  const bool fits = n && std::isfinite(static_cast<float>(*n)) &&
                    (nac::is_floating(type) || static_cast<double>(static_cast<float>(*n)) == *n);
  return fits ? filled(*n, type) : tensor_of(at(letter), type);
}

data_type ark_writer::compared_as(std::size_t a, std::size_t b) const {
  const data_type type = vn::promote(call_->tensor_at(a), call_->tensor_at(b));
  return type == data_type::int64 || type == data_type::int32 ? data_type::int64 : f32;
}

ark::value ark_writer::is_greater(std::size_t a, std::size_t b) {
  const data_type type = compared_as(a, b);
  const vn::shape &a_dims = call_->tensor_at(a).dims, &b_dims = call_->tensor_at(b).dims;
  const ark::value x = operand(a, type), y = operand(b, type);
  if (type == f32) return is_positive(combined(op_type::sub, x, a_dims, y, b_dims));
  const ark::value minus_one = filled(-1, type);
  const auto below = [&](ark::value v) {
    return to_.relu(to_.sub(minus_one, v, named()), named());
  };
  const ark::value high = combined(op_type::sub, to_.relu(x, named()), a_dims, to_.relu(y, named()),
                                   b_dims),
                   low = combined(op_type::sub, below(y), b_dims, below(x), a_dims);
  return is_positive(to_.add(cast(high, type, f32), cast(low, type, f32), named()));
}

ark::value ark_writer::differs(std::size_t a, std::size_t b) {
  const data_type type = compared_as(a, b);
  const ark::value d = combined(op_type::sub, operand(a, type), call_->tensor_at(a).dims,
                                operand(b, type), call_->tensor_at(b).dims);
  return is_positive(absolute(cast(d, type, f32)));
}

ark_item ark_writer::truth_of(ark::value x, const vn::shape& dims) {
  return made(cast(x, f32, data_type::boolean), data_type::boolean, dims);
}

ark_item ark_writer::compared(operation o) {
  ark::value y;
  switch (o) {
    case operation::gt: y = is_greater(0, 1); break;
    case operation::lt: y = is_greater(1, 0); break;
    case operation::ge: y = other(is_greater(1, 0)); break;
    case operation::le: y = other(is_greater(0, 1)); break;
    case operation::ne: y = differs(0, 1); break;
    default: y = other(differs(0, 1)); break;
  }
  return truth_of(y, vn::broadcast(call_->tensor_at(0).dims, call_->tensor_at(1).dims));
}

/// 1 where an operand isn't 0.
ark::value ark_writer::truth(std::size_t letter) {
  const data_type type = type_of(letter);
  if (type == data_type::boolean) return operand(letter, f32);
  const data_type as =
      type == data_type::int64 || type == data_type::int32 ? data_type::int64 : f32;
  return is_positive(absolute(cast(operand(letter, as), as, f32)));
}

ark_item ark_writer::joined_truth(operation o) {
  const vn::tensor &a = call_->tensor_at(0), &b = call_->tensor_at(1);
  const bool is_bitwise =
      o == operation::bitwise_and || o == operation::bitwise_or || o == operation::bitwise_xor;
  if (is_bitwise && (a.type != data_type::boolean || b.type != data_type::boolean))
    vn::fail(errc::nac_to_ark_type, "bits of integers; expected bool");
  const ark::value x = truth(0), y = truth(1);
  const auto of = [&](op_type op) { return combined(op, x, a.dims, y, b.dims); };
  ark::value joined;
  if (o == operation::logical_and || o == operation::bitwise_and)
    joined = of(op_type::mul);
  else if (o == operation::logical_or || o == operation::bitwise_or)
    joined = clamped(of(op_type::add), std::nullopt, 1);
  else
    joined = absolute(of(op_type::sub));
  return truth_of(joined, vn::broadcast(a.dims, b.dims));
}

/// One of the operands times 1, the other one times 0.
ark_item ark_writer::extreme(bool is_maximum) {
  const vn::tensor &a = call_->tensor_at(0), &b = call_->tensor_at(1);
  const data_type type = vn::promote(a, b);
  if (!nac::is_floating(type))
    vn::fail(errc::nac_to_ark_type, "elements are ", nac::name(type), "; expected floats");
  const vn::shape dims = vn::broadcast(a.dims, b.dims);
  const ark::value first = is_maximum ? is_greater(0, 1) : is_greater(1, 0);
  const ark::value x = combined(op_type::mul, operand(0, f32), a.dims, first, dims),
                   y = combined(op_type::mul, operand(1, f32), b.dims, other(first), dims);
  return made(cast(combined(op_type::add, x, dims, y, dims), f32, type), type, dims);
}

// ---- functions with more operands

ark_item ark_writer::prelu() {
  const vn::tensor &x = call_->tensor_at(0), &slope = call_->tensor_at(1);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  const std::int64_t channels = x.rank() > 1 ? x.dim(1) : 1;
  if (slope.size() != 1 && slope.size() != static_cast<std::size_t>(channels))
    vn::fail(errc::nac_run_shape, slope.size(), " slopes of ", channels, " channels");
  const std::int64_t outer = x.rank() > 0 ? x.dim(0) : 1;
  const ark::value v =
      shaped(tensor_of(at(0), f32), {outer, channels, x.dims.product(2, x.rank())});
  const ark::value by =
      shaped(tensor_of(at(1), f32), {1, static_cast<std::int64_t>(slope.size()), 1});
  const ark::value y = to_.sub(to_.relu(v, named()),
                               to_.mul(to_.relu(scaled(v, -1), named()), by, named()), named());
  return made(cast(y, f32, x.type), x.type, x.dims);
}

/// The first half times the sigmoid of the second.
ark_item ark_writer::glu() {
  const vn::tensor& x = call_->tensor_at(0);
  if (!nac::is_floating(x.type)) vn::fail(errc::nac_to_ark_type, "expected floats");
  const std::size_t axis = vn::axis_of(call_->whole_or(1, -1), x.rank());
  if (x.rank() == 0 || x.dim(axis) % 2 != 0) vn::fail(errc::nac_run_shape, "halves of ", x.dims);
  const std::int64_t half = x.dim(axis) / 2, outer = x.dims.product(0, axis),
                     inner = x.dims.product(axis + 1, x.rank());
  const ark::value v = tensor_of(at(0), f32);
  const auto part = [&](std::int64_t first) {
    return sliced(v, outer, 2 * half, inner, first, half);
  };
  const ark::value y = to_.mul(part(0), to_.sigmoid(part(half), named()), named());
  vn::shape dims = x.dims;
  dims[axis] = half;
  return made(cast(y, f32, x.type), x.type, dims);
}

/// d - log(sum(e^d)) with d = x - max(x).
ark_item ark_writer::log_softmax() {
  const vn::tensor& x = call_->tensor_at(0);
  const data_type type = call_->type_or(2, vn::as_float(x.type));
  if (!nac::is_floating(x.type) || x.rank() == 0)
    vn::fail(errc::nac_to_ark_type, "expected floats of 1 dimension or more");
  const std::size_t axis = vn::axis_of(call_->whole(1), x.rank());
  const ark::value v = shaped(tensor_of(at(0), f32), {x.dims.product(0, axis), x.dim(axis),
                                                      x.dims.product(axis + 1, x.rank())});
  const ark::value d = to_.sub(v, to_.reduce_max(v, 1, {.name = name_}), named());
  const ark::value sum = to_.reduce_sum(to_.exp(d, named()), 1, {.name = name_});
  const ark::value y = to_.sub(d, logarithm(sum), named());
  return made(cast(y, f32, type), type, x.dims);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
