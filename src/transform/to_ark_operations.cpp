// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC's operations as operations of ARK. What takes more than one of them is computed in float32 where
// elements have 16 bits, and rounded at its end, as NAC's machine does it.

#include <cmath>
#include <limits>

#include "transform/to_ark.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using ark::op_type;
using nac::data_type;
using nac::operation;

[[nodiscard]] std::vector<std::int64_t> listed(const vn::shape& s) { return {s.begin(), s.end()}; }
/// What arithmetic needs: ARK's 32 bits aren't those of int64, and its bytes aren't truth values.
void expect_arithmetic(data_type t) {
  if (t == data_type::boolean)
    vn::fail(errc::nac_to_ark_type, "arithmetic of bool, which ARK has no type for");
  if (t == data_type::int64)
    vn::fail(errc::nac_to_ark_type, "arithmetic of int64; ARK's integers have 32 bits");
}
void expect_floats(data_type t) {
  if (!nac::is_floating(t))
    vn::fail(errc::nac_to_ark_type, "elements are ", nac::name(t), "; expected floats");
}
/// What FLOAT, of 32 bits, is for a number; none where it can't be that. Integers wrap as their type
/// does, which ARK saturates.
[[nodiscard]] std::optional<double> argument_of(std::optional<double> v, data_type type) noexcept {
  if (!v) return v;
  if (type == data_type::uint8) v = vn::convert<std::uint8_t>(static_cast<std::int64_t>(*v));
  if (type == data_type::int8) v = vn::convert<std::int8_t>(static_cast<std::int64_t>(*v));
  const auto f = static_cast<float>(*v);
  const bool fits = std::isfinite(f) && (nac::is_floating(type) || static_cast<double>(f) == *v);
  return fits ? v : std::nullopt;
}

}  // namespace

ark_item ark_writer::translated(nac::operation o) {
  if (only_moves(o)) return move();
  switch (o) {
    case operation::dropout:
    case operation::feature_dropout:
    case operation::native_dropout: {
      const bool is_off = number_of(2) == 0.0 || number_of(1) == 0.0;
      if (!is_off) vn::fail(errc::nac_to_ark_operation, "it draws random numbers");
      if (o != operation::native_dropout) return at(0);
      return only_first(at(0));
    }
    case operation::pad: return padded();
    case operation::roll: return rolled();
    case operation::cat: return joined(false);
    case operation::stack: return joined(true);
    case operation::to_copy:
    case operation::type_as: return converted();
    case operation::sum:
    case operation::mean:
    case operation::amin:
    case operation::amax:
    case operation::min_all:
    case operation::max_all: return reduction(o, 1);
    case operation::min_dim:
    case operation::max_dim: return only_first(reduction(o, 1));
    case operation::norm: return reduction(o, 2);
    case operation::matmul:
    case operation::linear:
    case operation::addmm:
    case operation::baddbmm:
    case operation::mv: return product_of(o);
    case operation::embedding: return lookup();
    case operation::softmax: return softmax();
    case operation::layer_norm:
    case operation::native_layer_norm:
    case operation::rms_norm:
    case operation::fused_rms_norm: return norm(o);
    case operation::batch_norm: return only_first(batch_norm(3, 4, 6));
    case operation::batch_norm_by_mode: return batch_norm_by_mode(7);
    case operation::native_batch_norm: return only_first(batch_norm_by_mode(7));
    case operation::group_norm: return group_norm();
    case operation::attention:
    case operation::attention_for_cpu:
    case operation::attention_flash:
    case operation::attention_efficient: return attention(o);
    case operation::conv1d:
    case operation::conv2d:
    case operation::conv_padded:
    case operation::convolution: return convolution(o);
    case operation::conv_transpose: return transposed_convolution();
    case operation::upsample_linear:
    case operation::upsample_linear_to:
    case operation::upsample_cubic:
    case operation::upsample_cubic_to:
    case operation::upsample_linear_antialiased:
    case operation::upsample_linear_antialiased_to:
    case operation::upsample_cubic_antialiased:
    case operation::upsample_cubic_antialiased_to: {
      const std::size_t rank = call_->tensor_at(0).rank();
      if (rank < 3 || rank > 4)
        vn::fail(errc::nac_to_ark_shape, "expected 1 or 2 dimensions of images");
      return resampled(rank - 2);
    }
    case operation::max_pool1d:
    case operation::avg_pool1d:
    case operation::adaptive_avg_pool1d: return pooling(o, 1);
    case operation::max_pool2d:
    case operation::max_pool2d_with_indices:
    case operation::avg_pool2d:
    case operation::adaptive_avg_pool2d: return pooling(o, 2);
    default: return elementwise(o);
  }
}

ark_item ark_writer::only_first(ark_item x) {
  ark_item out;
  out.what = ark_item::form::list;
  out.list.push_back(std::move(x));
  out.list.resize(3);  // the others are absent
  return out;
}

// ---- elements

ark_item ark_writer::elementwise(nac::operation o) {
  switch (o) {
    case operation::add: return arithmetic(op_type::add, 0, 1, call_->real_or(2, 1));
    case operation::sub: return arithmetic(op_type::sub, 0, 1, call_->real_or(2, 1));
    case operation::rsub: return arithmetic(op_type::sub, 1, 0, call_->real_or(2, 1));
    case operation::mul: return arithmetic(op_type::mul, 0, 1, 1);
    case operation::div: return arithmetic(op_type::div, 0, 1, 1);
    case operation::pow: return power();
    case operation::gt:
    case operation::lt:
    case operation::ge:
    case operation::le:
    case operation::eq:
    case operation::ne: return compared(o);
    case operation::logical_and:
    case operation::logical_or:
    case operation::logical_xor:
    case operation::bitwise_and:
    case operation::bitwise_or:
    case operation::bitwise_xor: return joined_truth(o);
    case operation::maximum:
    case operation::minimum: return extreme(o == operation::maximum);
    case operation::prelu: return prelu();
    case operation::glu: return glu();
    case operation::log_softmax: return log_softmax();
    case operation::where: return chosen(1, 2);
    case operation::masked_fill: return chosen(2, 0);
    default: return activation(o);
  }
}

ark::value ark_writer::scaled(ark::value x, double by) {
  return by == 1 ? x : to_.scalar_mul(x, argument(by), named());
}
ark::value ark_writer::plus(ark::value x, double more) {
  return more == 0 ? x : to_.scalar_add(x, argument(more), named());
}
ark::value ark_writer::one_over(ark::value x, data_type type) {
  return to_.div(filled(1, type), x, named());
}
ark::value ark_writer::absolute(ark::value x) {
  return to_.add(to_.relu(x, named()), to_.relu(scaled(x, -1), named()), named());
}

ark::value ark_writer::combined(op_type op, ark::value a, const vn::shape& a_dims, ark::value b,
                                const vn::shape& b_dims) {
  const std::vector<sizes> as = collapsed({listed(a_dims), listed(b_dims)});
  if (as[0].size() > ark::max_rank)
    vn::fail(errc::nac_to_ark_shape, "more than 4 dimensions in which ", a_dims, " and ", b_dims,
             " repeat differently");
  return to_.op(op, {shaped(a, as[0]), shaped(b, as[1])}, named());
}

/// first op (alpha * second); of products and quotients, alpha is 1.
ark_item ark_writer::arithmetic(op_type op, std::size_t first, std::size_t second, double alpha) {
  const vn::tensor &a = call_->tensor_at(first), &b = call_->tensor_at(second);
  data_type type = vn::promote(a, b);
  if (op == op_type::div) type = vn::as_float(type);
  expect_arithmetic(type);
  const vn::shape dims = vn::broadcast(a.dims, b.dims);
  const bool adds = op == op_type::add || op == op_type::sub;
  if (op != op_type::div && a.dims == dims && number_of(second)) {
    const double n = *number_of(second) * alpha;
    const std::optional<double> y = argument_of(op == op_type::sub ? -n : n, type);
    const ark::value v = tensor_of(at(first), type);
    if (y) return made(adds ? plus(v, *y) : scaled(v, *y), type, dims);
  }
  const std::optional<double> by = argument_of(op == op_type::sub ? -alpha : alpha, type);
  const std::optional<double> x = argument_of(number_of(first), type);
  if (op != op_type::div && b.dims == dims && x && by) {
    const ark::value v = tensor_of(at(second), type);
    return made(adds ? plus(scaled(v, *by), *x) : scaled(v, *x), type, dims);
  }
  const auto factor = [&](std::size_t letter) {
    const std::optional<double> number = argument_of(number_of(letter), type);
    return number ? filled(*number, type) : tensor_of(at(letter), type);
  };
  const std::optional<double> times = argument_of(alpha, type);
  if (!times) vn::fail(errc::nac_to_ark_argument, "alpha is ", alpha);
  const ark::value v = factor(first), w = scaled(factor(second), *times);
  return made(combined(op, v, a.dims, w, b.dims), type, dims);
}

ark_item ark_writer::power() {
  const vn::tensor& x = call_->tensor_at(0);
  const std::optional<double> e = number_of(1);
  if (!e || !at(0).is_tensor())
    vn::fail(errc::nac_to_ark_operation, "ARK has no powers but those of constant exponents");
  const vn::tensor& exponent = call_->tensor_at(1);
  const data_type type = vn::promote(x, exponent);
  expect_arithmetic(type);
  const ark::value v = tensor_of(at(0), type);
  const auto times = [&](ark::value a, ark::value b) { return to_.mul(a, b, named()); };
  if (*e == 1) return made(v, type, x.dims);
  if (*e == 2) return made(times(v, v), type, x.dims);
  if (*e == 3) return made(times(times(v, v), v), type, x.dims);
  if (*e == 4) return made(times(times(v, v), times(v, v)), type, x.dims);
  expect_floats(type);
  if (*e == 0.5) return made(to_.sqrt(v, named()), type, x.dims);
  if (*e == -0.5) return made(to_.rsqrt(v, named()), type, x.dims);
  if (*e == -1) return made(one_over(v, type), type, x.dims);
  if (*e == -2) return made(one_over(times(v, v), type), type, x.dims);
  vn::fail(errc::nac_to_ark_operation, "exponent ", *e,
           "; expected -2, -1, -0.5, 0.5, 1, 2, 3 or 4");
}

/// Operands of two letters, the first where a mask holds, which letter 0 of where and letter 1 of
/// masked_fill is: each times 0 or 1, and added.
ark_item ark_writer::chosen(std::size_t yes, std::size_t no) {
  const std::size_t mask = no == 0 ? 1 : 0;
  if (!at(mask).is_known()) return chosen_by_input(mask, yes, no);
  const vn::tensor& m = call_->tensor_at(mask);
  const vn::tensor &a = call_->tensor_at(yes), &b = call_->tensor_at(no);
  const data_type type = no == 0 ? b.type : vn::promote(a, b);
  expect_arithmetic(type);
  const auto part = [&](std::size_t letter, bool where) -> std::pair<ark::value, vn::shape> {
    const vn::value zero = vn::make_number(arena_, std::int64_t{0}),
                    one = vn::make_number(arena_, std::int64_t{1});
    const vn::value& held = at(letter).is_known() ? at(letter).known : one;
    vn::tensor t =
        vn::tensor_of(*call_, operation::where, {m, where ? held : zero, where ? zero : held});
    const ark::value w = weight(t, type, {});
    if (at(letter).is_known()) return {w, t.dims};
    const vn::shape& dims = call_->tensor_at(letter).dims;
    return {combined(op_type::mul, tensor_of(at(letter), type), dims, w, t.dims),
            vn::broadcast(dims, t.dims)};
  };
  const auto [u, u_dims] = part(yes, true);
  const auto [v, v_dims] = part(no, false);
  return made(combined(op_type::add, u, u_dims, v, v_dims), type, vn::broadcast(u_dims, v_dims));
}

/// The same where the mask is a tensor of ARK.
ark_item ark_writer::chosen_by_input(std::size_t mask, std::size_t yes, std::size_t no) {
  const vn::tensor& m = call_->tensor_at(mask);
  const vn::tensor &a = call_->tensor_at(yes), &b = call_->tensor_at(no);
  const data_type type = no == 0 ? b.type : vn::promote(a, b);
  expect_arithmetic(type);
  if (m.type != data_type::boolean)
    vn::fail(errc::nac_to_ark_type, "the mask is ", nac::name(m.type), "; expected bool");
  // Infinite numbers could not be taken 0 times.
  const double most = type == data_type::float16 ? 65504 : 3e38;
  const auto finite = [&](std::size_t letter) {
    const vn::tensor& t = call_->tensor_at(letter);
    if (!nac::is_floating(t.type)) return weight(t, type, {});
    return weight(vn::tensor_of(*call_, operation::clamp,
                                {t, vn::make_number(arena_, -most), vn::make_number(arena_, most)}),
                  type, {});
  };
  const auto part = [&](std::size_t letter, ark::value by) {
    const std::optional<double> number = argument_of(number_of(letter), type);
    const ark::value v = number                  ? filled(*number, type)
                         : at(letter).is_known() ? finite(letter)
                                                 : tensor_of(at(letter), type);
    return combined(op_type::mul, v, call_->tensor_at(letter).dims, by, m.dims);
  };
  const ark::value held = tensor_of(at(mask), type),
                   others = plus(scaled(cast(held, type, data_type::float32), -1), 1);
  const ark::value u = part(yes, held), v = part(no, cast(others, data_type::float32, type));
  const vn::shape u_dims = vn::broadcast(a.dims, m.dims), v_dims = vn::broadcast(b.dims, m.dims);
  return made(combined(op_type::add, u, u_dims, v, v_dims), type, vn::broadcast(u_dims, v_dims));
}

ark_item ark_writer::converted() {
  const vn::tensor& x = call_->tensor_at(0);
  const data_type to =
      call_->operation == operation::type_as ? call_->tensor_at(1).type : call_->type_or(1, x.type);
  if (call_->makes_complex())
    vn::fail(errc::nac_to_ark_type, "complex numbers, which ARK has no type for");
  (void)code_of(to);
  if (to == data_type::boolean && x.type != to) return truth_of(truth(0), x.dims);
  if (nac::is_floating(x.type) && to == data_type::int64)
    vn::fail(errc::nac_to_ark_type, "floats become int64; ARK's integers have 32 bits");
  ark::value v = at(0).at;
  data_type from = x.type;
  if (!nac::is_floating(to)) {  // cut off, not rounded, as only FP32 is
    v = cast(v, from, vn::widened(from));
    from = vn::widened(from);
  }
  return made(cast(v, from, to), to, x.dims);
}

// ---- functions of one element

ark_item ark_writer::activation(nac::operation o) {
  const vn::tensor& x = call_->tensor_at(0);
  if (o == operation::logical_not || (o == operation::bitwise_not && x.type == data_type::boolean))
    return truth_of(other(truth(0)), x.dims);
  const bool keeps_integers = o == operation::relu || o == operation::neg || o == operation::square;
  const data_type type = keeps_integers ? x.type : vn::as_float(x.type);
  expect_arithmetic(x.type);
  if (const std::optional<ark::value> y = simple(o, tensor_of(at(0), type), type))
    return made(*y, type, x.dims);
  const data_type wide = vn::widened(type);
  return made(cast(activated(o, tensor_of(at(0), wide)), wide, type), type, x.dims);
}

/// What is one operation of ARK, or two that round as one does.
std::optional<ark::value> ark_writer::simple(nac::operation o, ark::value x, data_type type) {
  switch (o) {
    case operation::relu: return to_.relu(x, named());
    case operation::neg: return scaled(x, -1);
    case operation::square: return to_.mul(x, x, named());
    case operation::exp: return to_.exp(x, named());
    case operation::sqrt: return to_.sqrt(x, named());
    case operation::rsqrt: return to_.rsqrt(x, named());
    case operation::sigmoid: return to_.sigmoid(x, named());
    case operation::abs: return absolute(x);
    case operation::reciprocal: return one_over(x, type);
    case operation::gelu:
      if (call_->string_or(1, "none") == "tanh") return to_.gelu(x, named());
      return std::nullopt;
    default: return std::nullopt;
  }
}

/// Of float32.
ark::value ark_writer::activated(nac::operation o, ark::value x) {
  switch (o) {
    case operation::silu: return to_.mul(x, to_.sigmoid(x, named()), named());
    case operation::tanh: return plus(scaled(to_.sigmoid(scaled(x, 2), named()), 2), -1);
    case operation::gelu: return gelu_by_erf(x);
    case operation::relu6: return clamped(x, 0, 6);
    case operation::hardtanh: return clamped(x, call_->real_or(1, -1), call_->real_or(2, 1));
    case operation::clamp: {
      const auto bound = [&](std::size_t letter, double none) {
        const double v = call_->real_or(letter, none);
        return v == none ? std::nullopt : std::optional(v);
      };
      constexpr double inf = std::numeric_limits<double>::infinity();
      return clamped(x, bound(1, -inf), bound(2, inf));
    }
    case operation::clamp_max: return clamped(x, std::nullopt, call_->real(1));
    case operation::hardsigmoid: return hard_sigmoid(x);
    case operation::hardswish: return to_.mul(x, hard_sigmoid(x), named());
    case operation::leaky_relu:
      return to_.add(to_.relu(x, named()),
                     scaled(to_.relu(scaled(x, -1), named()), -call_->real_or(1, 0.01)), named());
    case operation::elu:
      return exponential_unit(x, call_->real_or(1, 1), call_->real_or(2, 1), call_->real_or(3, 1));
    default: return function(o, x);
  }
}

ark::value ark_writer::clamped(ark::value x, std::optional<double> low,
                               std::optional<double> high) {
  for (const std::optional<double>& bound : {low, high})
    if (bound && !argument_of(bound, data_type::float32))
      vn::fail(errc::nac_to_ark_argument, "bound ", *bound, "; expected a finite number");
  if (low) x = plus(to_.relu(plus(x, -*low), named()), *low);
  if (high) x = plus(scaled(to_.relu(plus(scaled(x, -1), *high), named()), -1), *high);
  return x;
}

ark::value ark_writer::hard_sigmoid(ark::value x) {
  return scaled(clamped(plus(x, 3), 0, 6), 1.0 / 6);
}

/// relu(x) - |x| Q(|x|), Q being the upper tail of the normal distribution: erfc(|x| / sqrt(2)) / 2, as
/// t exp(-x^2 / 2 + p(t)) with t = 1 / (1 + |x| / sqrt(8)) and a polynomial by Chebyshev, whose relative
/// error is at most 1.2e-7 (Press et al., Numerical Recipes, 6.2).
ark::value ark_writer::gelu_by_erf(ark::value x) {
  const ark::value magnitude = absolute(x);
  return to_.sub(to_.relu(x, named()), to_.mul(magnitude, upper_tail(magnitude), named()), named());
}
ark::value ark_writer::upper_tail(ark::value magnitude) {
  constexpr double p[] = {0.17087277,  -0.82215223, 1.48851587, -1.13520398, 0.27886807,
                          -0.18628806, 0.09678418,  0.37409196, 1.00002368,  -1.26551223};
  constexpr double root_of_8 = 2.82842712474619009760;
  const ark::value t = one_over(plus(scaled(magnitude, 1 / root_of_8), 1), data_type::float32);
  const ark::value sum = polynomial(t, p);
  const ark::value square = scaled(to_.mul(magnitude, magnitude, named()), -0.5);
  const ark::value power = to_.exp(to_.add(square, sum, named()), named());
  return scaled(to_.mul(t, power, named()), 0.5);
}

// ---- along dimensions

/// Dimensions of which `axes` has the bits, those in a row at once.
ark::value ark_writer::reduced(op_type op, ark::value x, const vn::shape& dims,
                               std::uint32_t axes) {
  sizes left = listed(dims);
  const auto has_axis = [&](std::size_t d) { return (axes >> d & 1) != 0; };
  const auto product = [&](std::size_t a, std::size_t b) {
    std::int64_t n = 1;
    for (std::size_t d = a; d < b; ++d) n *= left[d];
    return n;
  };
  for (std::size_t end = left.size(); end > 0;) {
    if (!has_axis(end - 1)) {
      --end;
      continue;
    }
    std::size_t first = end - 1;
    while (first > 0 && has_axis(first - 1)) --first;
    x = shaped(x, {product(0, first), product(first, end), product(end, left.size())});
    x = op == op_type::reduce_sum    ? to_.reduce_sum(x, 1, {.name = name_})
        : op == op_type::reduce_mean ? to_.reduce_mean(x, 1, {.name = name_})
                                     : to_.reduce_max(x, 1, {.name = name_});
    for (std::size_t d = first; d < end; ++d) left[d] = 1;
    end = first;
  }
  return x;
}

/// Over the axes of letter `first`, which whether they are kept and the type follow.
ark_item ark_writer::reduction(nac::operation o, std::size_t first) {
  const vn::tensor& x = call_->tensor_at(0);
  const bool is_norm = o == operation::norm;
  const double order = is_norm ? call_->real_or(1, 2) : 0;
  if (is_norm && order != 1 && order != 2 && order != std::numeric_limits<double>::infinity())
    vn::fail(errc::nac_to_ark_argument, "a norm of order ", order, "; expected 1, 2 or infinity");
  const bool is_least = o == operation::amin || o == operation::min_all || o == operation::min_dim;
  const bool is_most = o == operation::amax || o == operation::max_all || o == operation::max_dim;
  const bool is_extreme = is_least || is_most;
  const data_type type = is_extreme ? x.type : call_->type_or(first + 2, x.type);
  if (is_most)
    expect_arithmetic(type);
  else
    expect_floats(x.type), expect_floats(type);
  std::uint32_t axes = 0;
  for (const std::int64_t d : call_->int_list(first))
    axes |= std::uint32_t{1} << vn::axis_of(d, x.rank());
  if (axes == 0) axes = (std::uint32_t{1} << x.rank()) - 1;
  const bool keeps = call_->truth_or(first + 1, false);
  vn::shape dims;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    const bool is_reduced = (axes >> d & 1) != 0;
    if (!is_reduced || keeps) dims.push_back(is_reduced ? 1 : x.dim(d));
  }
  const data_type wide = is_extreme ? type : vn::widened(type);
  const op_type op = is_extreme || order > 2             ? op_type::reduce_max
                     : o == operation::sum || order != 0 ? op_type::reduce_sum
                                                         : op_type::reduce_mean;
  const double sign = is_least ? -1 : 1;
  ark::value v = scaled(tensor_of(at(0), wide), sign);
  if (is_norm) v = order == 2 ? to_.mul(v, v, named()) : absolute(v);
  ark::value y = scaled(reduced(op, v, x.dims, axes), sign);
  if (order == 2) y = to_.sqrt(y, named());
  return made(cast(y, wide, type), type, dims);
}

ark::value ark_writer::softmax_of(ark::value x, std::int64_t outer, std::int64_t width,
                                  std::int64_t inner) {
  x = shaped(x, {outer, width, inner});
  const ark::value most = to_.reduce_max(x, 1, {.name = name_});
  const ark::value powers = to_.exp(to_.sub(x, most, named()), named());
  return to_.div(powers, to_.reduce_sum(powers, 1, {.name = name_}), named());
}

ark_item ark_writer::softmax() {
  const vn::tensor& x = call_->tensor_at(0);
  const data_type type = call_->type_or(2, vn::as_float(x.type)), wide = vn::widened(type);
  expect_arithmetic(x.type);
  if (x.rank() == 0) vn::fail(errc::nac_to_ark_shape, "expected 1 dimension or more");
  const std::size_t axis = vn::axis_of(call_->whole(1), x.rank());
  const ark::value y = softmax_of(tensor_of(at(0), wide), x.dims.product(0, axis), x.dim(axis),
                                  x.dims.product(axis + 1, x.rank()));
  return made(cast(y, wide, type), type, x.dims);
}

// ---- norms

ark::value ark_writer::centered(ark::value x, std::int64_t rows, std::int64_t width, double eps) {
  x = shaped(x, {rows, width});
  return by_root_mean_square(to_.sub(x, to_.reduce_mean(x, 1, {.name = name_}), named()), rows,
                             width, eps);
}
ark::value ark_writer::by_root_mean_square(ark::value x, std::int64_t rows, std::int64_t width,
                                           double eps) {
  x = shaped(x, {rows, width});
  const ark::value square = to_.reduce_mean(to_.mul(x, x, named()), 1, {.name = name_});
  return to_.mul(x, to_.rsqrt(plus(square, eps), named()), named());
}
/// Times the operand of one letter, and that of another added, both of a shape that broadcasts.
ark::value ark_writer::scaled_by(ark::value x, const sizes& dims, std::size_t factor,
                                 std::size_t bias, const sizes& of_operands) {
  const auto operand = [&](std::size_t letter) {
    return shaped(tensor_of(at(letter), data_type::float32), of_operands);
  };
  x = shaped(x, dims);
  if (has(factor)) x = to_.mul(x, operand(factor), named());
  if (bias != factor && has(bias)) x = to_.add(x, operand(bias), named());
  return x;
}

ark_item ark_writer::norm(nac::operation o) {
  const vn::tensor& x = call_->tensor_at(0);
  expect_floats(x.type);
  const std::size_t normalized = call_->int_list(1).size();
  if (normalized > x.rank())
    vn::fail(errc::nac_run_shape, "normalized_shape has more dimensions than the input");
  const std::int64_t rows = x.dims.product(0, x.rank() - normalized),
                     width = x.dims.product(x.rank() - normalized, x.rank());
  const ark::value v = tensor_of(at(0), data_type::float32);
  const bool is_rms = o == operation::rms_norm || o == operation::fused_rms_norm;
  ark::value y;
  if (is_rms) {
    const double smallest = x.type == data_type::float16    ? 0x1p-10
                            : x.type == data_type::bfloat16 ? 0x1p-7
                                                            : 0x1p-23;
    y = by_root_mean_square(v, rows, width, call_->real_or(3, smallest));
    y = scaled_by(y, {rows, width}, 2, 2, {1, width});
  } else {
    y = centered(v, rows, width, call_->real_or(4, 1e-5));
    y = scaled_by(y, {rows, width}, 2, 3, {1, width});
  }
  ark_item out = made(cast(y, data_type::float32, x.type), x.type, x.dims);
  return o == operation::layer_norm || o == operation::rms_norm ? out : only_first(std::move(out));
}

/// By the mean and variance that letters have.
ark_item ark_writer::batch_norm(std::size_t mean, std::size_t variance, std::size_t epsilon) {
  const vn::tensor& x = call_->tensor_at(0);
  expect_floats(x.type);
  if (x.rank() < 2 || !has(mean) || !has(variance))
    vn::fail(errc::nac_to_ark_argument, "expected images with channels, a mean and a variance");
  const std::int64_t channels = x.dim(1);
  const sizes dims{x.dim(0), channels, x.dims.product(2, x.rank())}, one{1, channels, 1};
  const auto operand = [&](std::size_t letter) {
    return shaped(tensor_of(at(letter), data_type::float32), one);
  };
  ark::value factor = to_.rsqrt(plus(operand(variance), call_->real_or(epsilon, 1e-5)), named());
  if (has(1)) factor = to_.mul(factor, operand(1), named());
  const ark::value v = shaped(tensor_of(at(0), data_type::float32), dims);
  ark::value y = to_.mul(to_.sub(v, operand(mean), named()), factor, named());
  if (has(2)) y = to_.add(y, operand(2), named());
  return made(cast(y, data_type::float32, x.type), x.type, x.dims);
}
ark_item ark_writer::batch_norm_by_mode(std::size_t epsilon) {
  if (call_->truth_or(5, false))
    vn::fail(errc::nac_to_ark_argument, "training is true; expected inference");
  return batch_norm(3, 4, epsilon);
}

ark_item ark_writer::group_norm() {
  const vn::tensor& x = call_->tensor_at(0);
  expect_floats(x.type);
  const std::int64_t groups = call_->whole(1);
  if (x.rank() < 2 || groups < 1 || x.dim(1) % groups != 0)
    vn::fail(errc::nac_run_shape, groups, " groups of an input of shape ", x.dims);
  const std::int64_t images = x.dim(0), channels = x.dim(1), rest = x.dims.product(2, x.rank());
  ark::value y = centered(tensor_of(at(0), data_type::float32), images * groups,
                          channels / groups * rest, call_->real_or(4, 1e-5));
  y = scaled_by(y, {images, channels, rest}, 2, 3, {1, channels, 1});
  return made(cast(y, data_type::float32, x.type), x.type, x.dims);
}

// ---- products and rows of tables

ark_item ark_writer::multiplied(const operand_of_product& a, const operand_of_product& b,
                                bool transpose_b) {
  const data_type type = (a.item->is_tensor() ? a : b).item->type;
  expect_arithmetic(type);
  if (a.item->is_tensor() && b.item->is_tensor() && b.item->type != type)
    vn::fail(errc::nac_run_type, "a product of ", nac::name(type), " and ",
             nac::name(b.item->type));
  sizes left = listed(a.dims), right = listed(b.dims);
  if (left.empty() || right.empty()) vn::fail(errc::nac_run_shape, "expected 1 dimension or more");
  const bool is_row = left.size() == 1, is_column = right.size() == 1;
  if (is_row) left.insert(left.begin(), 1);
  if (is_column) right.push_back(1);
  const auto take = [](sizes& from) {
    const std::int64_t last = from.back();
    return from.pop_back(), last;
  };
  const std::int64_t k = take(left), m = take(left), last = take(right), before = take(right);
  const bool turned = transpose_b && !is_column;
  const std::int64_t n = turned ? before : last;
  if (k != (turned ? last : before))
    vn::fail(errc::nac_run_shape, "products of ", a.dims, " and ", b.dims);
  const ark::value x = tensor_of(*a.item, type), y = tensor_of(*b.item, type);
  const sizes matrix = turned ? sizes{n, k} : sizes{k, n};
  std::int64_t batches = 1;
  for (const std::int64_t d : right) batches *= d;
  ark::value out;
  vn::shape dims = vn::broadcast(vn::shape(left), vn::shape(right));
  if (batches == 1) {
    std::int64_t rows = m;
    for (const std::int64_t d : left) rows *= d;
    out = to_.matmul(shaped(x, {rows, k}), shaped(y, matrix),
                     {.name = name_, .transpose_other = turned});
  } else {
    std::vector<sizes> as = collapsed({left, right});
    as[0].insert(as[0].end(), {m, k});
    as[1].insert(as[1].end(), matrix.begin(), matrix.end());
    if (as[0].size() > ark::max_rank)
      vn::fail(errc::nac_to_ark_shape, "batches of ", a.dims, " and ", b.dims,
               "; expected at most 2 dimensions");
    out =
        to_.matmul(shaped(x, as[0]), shaped(y, as[1]), {.name = name_, .transpose_other = turned});
  }
  if (!is_row) dims.push_back(m);
  if (!is_column) dims.push_back(n);
  return made(out, type, dims);
}

/// beta * bias + alpha * product.
ark_item ark_writer::added(const ark_item& product, std::size_t bias, double alpha, double beta) {
  const vn::shape& of = call_->tensor_at(bias).dims;
  const ark::value v = scaled(tensor_of(at(bias), product.type), beta);
  return made(combined(op_type::add, scaled(product.at, alpha), product.dims, v, of), product.type,
              vn::broadcast(product.dims, of));
}

ark_item ark_writer::product_of(nac::operation o) {
  const auto factor = [&](std::size_t letter) -> operand_of_product {
    return {&at(letter), call_->tensor_at(letter).dims};
  };
  if (o == operation::matmul || o == operation::mv) return multiplied(factor(0), factor(1), false);
  if (o == operation::linear) {
    const ark_item y = multiplied(factor(0), factor(1), true);
    return has(2) ? added(y, 2, 1, 1) : y;
  }
  return added(multiplied(factor(1), factor(2), false), 0, call_->real_or(4, 1),
               call_->real_or(3, 1));
}

ark_item ark_writer::lookup() {
  const vn::tensor &table = call_->tensor_at(0), &rows = call_->tensor_at(1);
  if (table.rank() != 2 || nac::is_floating(rows.type))
    vn::fail(errc::nac_run_shape, "expected a table of 2 dimensions, and integers");
  vn::shape dims = rows.dims;
  dims.push_back(table.dim(1));
  const ark::value index = shaped(tensor_of(at(1), data_type::int64), {rows.dims.elements()});
  const ark::value y = to_.embedding(index, tensor_of(at(0), table.type), named());
  return made(y, table.type, dims);
}

// ---- attention

ark_item ark_writer::attention(nac::operation o) {
  attention_operands with;
  if (o == operation::attention) {
    // The rules by which NAC's machine tells arguments without names apart.
    const bool lone = has(4) && call_->count(5) == 0;
    const auto is_truth = [&](std::size_t k) {
      return call_->number(k).type == data_type::boolean;
    };
    const bool lone_truth = lone && !has(3) && is_truth(4);
    const bool truth_for_scale = has(6) && call_->count(7) == 0 && is_truth(6);
    with = {3, call_->truth_or(lone_truth ? 4 : 5, false), std::nullopt,
            lone ? 0 : call_->real_or(4, 0), call_->truth_or(truth_for_scale ? 6 : 7, false)};
    if (lone && !lone_truth)
      with.scale = call_->real(4);
    else if (has(6) && !truth_for_scale)
      with.scale = call_->real(6);
    return attended(with);
  }
  const bool is_efficient = o == operation::attention_efficient;
  const std::size_t causal = is_efficient ? 6 : 4, scale = is_efficient ? 7 : 6;
  with.mask = is_efficient ? 3 : o == operation::attention_for_cpu ? 5 : attention_operands::none;
  if (o == operation::attention_for_cpu && has(3) && dims_of(3).rank() >= 2) {
    with.mask = 3;
    if (has(4)) with.scale = call_->real(4);
  } else {
    with.is_causal = call_->truth_or(causal, false);
    with.dropout = call_->real_or(is_efficient ? 5 : 3, 0);
    if (has(scale)) with.scale = call_->real(scale);
  }
  return only_first(attended(with));
}

/// What is added to scores: of truth values, 0 and -infinity.
ark_item ark_writer::bias_of(const attention_operands& with, const vn::shape& scores) {
  const double infinite = std::numeric_limits<double>::infinity();
  ark_item out;
  out.what = ark_item::form::known;
  const std::int64_t rows = scores[scores.rank() - 2], columns = scores[scores.rank() - 1];
  if (with.is_causal) {
    vn::tensor t = vn::make_tensor(arena_, data_type::float32, {rows, columns});
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        t.as<float>()[i * columns + j] = j > i ? -static_cast<float>(infinite) : 0;
    out.known = std::move(t);
    return out;
  }
  const ark_item& mask = at(with.mask);
  if (call_->tensor_at(with.mask).type != data_type::boolean) return mask;
  if (!mask.is_known()) {  // 0, or so low that its exponential is 0
    constexpr double low = 3e38;
    return made(plus(scaled(tensor_of(mask, data_type::float32), low), -low), data_type::float32,
                mask.dims);
  }
  out.known = vn::tensor_of(*call_, operation::where,
                            {call_->tensor_at(with.mask), vn::make_number(arena_, 0.0),
                             vn::make_number(arena_, -infinite)});
  return out;
}

ark_item ark_writer::attended(const attention_operands& with) {
  const vn::tensor &q = call_->tensor_at(0), &k = call_->tensor_at(1), &v = call_->tensor_at(2);
  expect_floats(q.type);
  if (with.dropout != 0) vn::fail(errc::nac_to_ark_argument, "dropout_p isn't 0");
  if (q.rank() < 2 || k.rank() < 2 || v.rank() < 2)
    vn::fail(errc::nac_run_shape, "expected 2 dimensions or more");
  if (with.is_grouped && q.rank() > 2 && q.dim(q.rank() - 3) != k.dim(k.rank() - 3))
    vn::fail(errc::nac_to_ark_argument, "heads are shared; expected as many of keys as of queries");
  constexpr data_type wide = data_type::float32;
  const auto widened = [&](std::size_t letter) {
    const vn::tensor& t = call_->tensor_at(letter);
    return made(tensor_of(at(letter), wide), wide, t.dims);
  };
  const ark_item queries = widened(0), keys = widened(1), values = widened(2);
  ark_item scores = multiplied({&queries, queries.dims}, {&keys, keys.dims}, true);
  const double scale = with.scale.value_or(1 / std::sqrt(static_cast<double>(q.dim(q.rank() - 1))));
  scores.at = scaled(scores.at, scale);
  if (with.is_causal || (with.mask != attention_operands::none && has(with.mask))) {
    const ark_item bias = bias_of(with, scores.dims);
    const vn::shape& of = bias.is_known() ? bias.known.as_tensor().dims : bias.dims;
    const vn::shape both = vn::broadcast(scores.dims, of);
    scores =
        made(combined(op_type::add, scores.at, scores.dims, tensor_of(bias, wide), of), wide, both);
  }
  const std::int64_t width = scores.dims[scores.dims.rank() - 1];
  scores.at = softmax_of(scores.at, scores.dims.product(0, scores.dims.rank() - 1), width, 1);
  // Rows that a mask leaves nothing of are zeros; of others this changes nothing.
  if (with.mask != attention_operands::none && has(with.mask) &&
      type_of(with.mask) == data_type::boolean && !at(with.mask).is_known())
    scores.at = combined(op_type::mul, scores.at, scores.dims, tensor_of(at(with.mask), wide),
                         dims_of(with.mask));
  const ark_item y = multiplied({&scores, scores.dims}, {&values, values.dims}, false);
  return made(cast(y.at, wide, q.type), q.type, y.dims);
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
