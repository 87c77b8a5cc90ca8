// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Operations that become chains of others, or only move elements.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::attribute;
using nem::opcode;
using value = chain::value;
using o = nac::operation;

void unary(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  c.finish(c.apply(op, {c.input(m.operand(0))}));
}

void binary(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  c.finish(c.apply(op, {c.input(m.operand(0)), c.input(m.operand(1))}));
}

/// a ± alpha b; of truth values whether one holds
void sum(mapper& m, opcode op) {
  if (op == opcode::add && m.gives_truth()) op = opcode::max;
  chain c(m, m.result_shape());
  const value a = c.input(m.operand(0));
  value b = c.input(m.operand(1));
  if (const double alpha = m.args().real_or(2, 1); alpha != 1) b = c.mul(b, c.number(alpha));
  c.finish(c.apply(op, {a, b}));
}

/// alpha goes with what is subtracted: b - alpha a
void reversed_sum(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  value a = c.input(m.operand(0));
  const value b = c.input(m.operand(1));
  if (const double alpha = m.args().real_or(2, 1); alpha != 1) a = c.mul(a, c.number(alpha));
  c.finish(c.apply(op, {b, a}));
}

void clamp(mapper& m, opcode) {
  chain c(m, m.result_shape());
  value x = c.input(m.operand(0));
  if (!m.has(1) && !m.has(2)) m.refuse("it has no bound");
  if (m.has(1)) x = c.apply(opcode::max, {x, c.input(m.operand(1))});
  if (m.has(2)) x = c.apply(opcode::min, {x, c.input(m.operand(2))});
  c.finish(x);
}
void clamp_max(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  c.finish(c.apply(op, {c.input(m.operand(0)), c.input(m.operand(1))}));
}
void hardtanh(mapper& m, opcode) {
  chain c(m, m.result_shape());
  c.finish(clamped(c, c.input(m.operand(0)), m.args().real_or(1, -1), m.args().real_or(2, 1)));
}
void relu6(mapper& m, opcode) {
  chain c(m, m.result_shape());
  c.finish(clamped(c, c.input(m.operand(0)), 0, 6));
}
[[nodiscard]] value hard_sigmoid_of(chain& c, const value& x) {
  return c.mul(clamped(c, c.add(x, c.number(3)), 0, 6), c.number(1.0 / 6));
}
void hardsigmoid(mapper& m, opcode) {
  chain c(m, m.result_shape());
  c.finish(hard_sigmoid_of(c, c.input(m.operand(0))));
}
void hardswish(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  c.finish(c.mul(x, hard_sigmoid_of(c, x)));
}
void leaky_relu(mapper& m, opcode op) {
  if (!std::isfinite(m.args().real_or(1, 0.01))) m.refuse("its slope isn't finite");
  chain c(m, m.result_shape());
  c.finish(c.apply(op, {c.input(m.operand(0))}, {{attribute::alpha, m.args().real_or(1, 0.01)}}));
}

void gelu(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  if (m.args().string_or(1, "none") != "tanh") return c.finish(c.apply(op, {x}));
  const value cube = c.mul(c.mul(x, x), x);
  const value inner =
      c.mul(c.add(x, c.mul(cube, c.number(0.044715))), c.number(std::sqrt(2 / std::numbers::pi)));
  const value sides = c.add(c.apply(opcode::tanh, {inner}), c.number(1));
  c.finish(c.mul(c.mul(x, c.number(0.5)), sides));
}

/// max(x, 0) + scale' (exp(min(x, 0) f) - 1)
[[nodiscard]] value exponential_unit(chain& c, const value& x, double negative, double positive,
                                     double factor) {
  value low = c.apply(opcode::min, {x, c.number(0)});
  if (factor != 1) low = c.mul(low, c.number(factor));
  low = c.mul(c.apply(opcode::sub, {c.apply(opcode::exp, {low}), c.number(1)}), c.number(negative));
  value high = c.apply(opcode::relu, {x});
  if (positive != 1) high = c.mul(high, c.number(positive));
  return c.add(high, low);
}
void elu(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const double alpha = m.args().real_or(1, 1), scale = m.args().real_or(2, 1);
  c.finish(
      exponential_unit(c, c.input(m.operand(0)), alpha * scale, scale, m.args().real_or(3, 1)));
}
void celu(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const double alpha = m.args().real_or(1, 1);
  if (std::abs(alpha) < 1e-30) m.refuse("an alpha below 1e-30");
  c.finish(exponential_unit(c, c.input(m.operand(0)), alpha, 1, 1 / alpha));
}
void selu(mapper& m, opcode) {
  constexpr double scale = 1.0507009873554804934193349852946;
  constexpr double alpha = 1.6732632423543772848170429916717;
  chain c(m, m.result_shape());
  c.finish(exponential_unit(c, c.input(m.operand(0)), alpha * scale, scale, 1));
}

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
[[nodiscard]] value soft_plus_of(chain& c, const value& x) {
  const value e = c.apply(opcode::exp, {c.apply(opcode::neg, {c.apply(opcode::abs, {x})})});
  return c.add(c.apply(opcode::relu, {x}), c.apply(opcode::log, {c.add(e, c.number(1))}));
}
void softplus(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const double beta = m.args().real_or(1, 1);
  if (beta != 1) m.refuse("a beta other than 1");
  c.finish(soft_plus_of(c, c.input(m.operand(0))));
}
void mish(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  c.finish(c.mul(x, c.apply(opcode::tanh, {soft_plus_of(c, x)})));
}
void log_sigmoid(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const value x = c.apply(opcode::neg, {c.input(m.operand(0))});
  c.finish(c.apply(opcode::neg, {soft_plus_of(c, x)}));
}

void square(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  c.finish(c.apply(op, {x, x}));
}
void reciprocal(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  c.finish(c.apply(op, {c.number(1), c.input(m.operand(0))}));
}
void rsqrt(mapper& m, opcode) {
  chain c(m, m.result_shape());
  const value root = c.apply(opcode::sqrt, {c.input(m.operand(0))});
  c.finish(c.apply(opcode::div, {c.number(1), root}));
}
void power(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  const value x = c.input(m.operand(0));
  if (m.is_constant(1) && m.elements(1).size() == 1) {
    const float e = m.elements(1)[0];
    if (e == 2) return c.finish(c.mul(x, x));
    if (e == 3) return c.finish(c.mul(c.mul(x, x), x));
    if (e == 0.5f) return c.finish(c.apply(opcode::sqrt, {x}));
  }
  c.finish(c.apply(op, {x, c.input(m.operand(1))}));
}
void add_product(mapper& m, opcode op) {
  chain c(m, m.result_shape());
  value p = c.apply(op, {c.input(m.operand(1)), c.input(m.operand(2))});
  if (const double v = m.args().real_or(3, 1); v != 1) p = c.mul(p, c.number(v));
  c.finish(c.add(c.input(m.operand(0)), p));
}

// ---- moving several tensors

void concatenate(mapper& m, opcode) {
  const tensor_view y = m.make(m.result_shape());
  const std::size_t axis = m.has(1) ? axis_of(m, 1, y.rank()) : 0;
  m.need("view", "default");
  std::int64_t at = 0;
  for (std::size_t k = 0; k < m.args().count(0); ++k) {
    const tensor_view x = m.operand(0, k);
    if (product(x.shape) == 0) continue;
    m.copy(x, narrowed(y, axis, at, x.shape[axis]));
    at += x.shape[axis];
  }
  m.give(y);
}
void concatenate_along(mapper& m, std::size_t axis) {
  const tensor_view y = m.make(m.result_shape());
  m.need("view", "default");
  std::int64_t at = 0;
  for (std::size_t k = 0; k < m.args().count(0); ++k) {
    const tensor_view x = of_rank(m.operand(0, k), y.rank());
    m.copy(x, narrowed(y, axis, at, x.shape[axis]));
    at += x.shape[axis];
  }
  m.give(y);
}
void concatenate_columns(mapper& m, opcode) {
  concatenate_along(m, m.result_shape().size() == 1 ? 0 : 1);
}
void concatenate_rows(mapper& m, opcode) { concatenate_along(m, 0); }
void stack(mapper& m, opcode) {
  const tensor_view y = m.make(m.result_shape());
  const std::size_t axis = m.has(1) ? axis_of(m, 1, y.rank()) : 0;
  m.need("view", "default");
  for (std::size_t k = 0; k < m.args().count(0); ++k)
    m.copy(m.operand(0, k), without(narrowed(y, axis, static_cast<std::int64_t>(k), 1), axis));
  m.give(y);
}

/// Refuses what would be converted: all numbers have the network's type here.
void check_kinds(mapper& m, std::size_t to, std::size_t from) {
  const nac::data_type a = m.args().tensor_at(to).type, b = m.args().tensor_at(from).type;
  if (a != b && !(is_floating(a) && is_floating(b)))
    m.refuse("it takes the elements of one of another type");
}
/// Writes a tensor over a part of another.
void scatter_into(mapper& m, const tensor_view& x, const tensor_view& part,
                  const tensor_view& whole) {
  check_kinds(m, 0, 1);
  m.need("view", "default");
  m.copy(x, whole);
  m.copy(expanded(m.operand(1), part.shape), part);
  m.give(whole);
}
void slice_scatter(mapper& m, opcode) {
  const tensor_view x = m.operand(0), y = m.make(x.shape);
  const std::size_t axis = m.has(2) ? axis_of(m, 2, x.rank()) : 0;
  const std::int64_t n = x.shape[axis], step = m.has(5) ? m.args().whole(5) : 1;
  const auto bound = [&](std::size_t letter, std::int64_t otherwise) {
    std::int64_t at = m.has(letter) ? m.args().whole(letter) : otherwise;
    if (at < 0) at += n;
    return std::clamp<std::int64_t>(at, 0, n);
  };
  const std::int64_t first = bound(3, 0), end = bound(4, n);
  if (end <= first) return m.give(x);
  tensor_view part = narrowed(y, axis, first, (end - first + step - 1) / step);
  part.strides[axis] *= step;
  scatter_into(m, x, part, y);
}
void select_scatter(mapper& m, opcode) {
  const tensor_view x = m.operand(0), y = m.make(x.shape);
  const std::size_t axis = axis_of(m, 2, x.rank());
  const std::int64_t at = m.args().whole(3), n = x.shape[axis];
  scatter_into(m, x, without(narrowed(y, axis, at < 0 ? at + n : at, 1), axis), y);
}
void broadcast_all(mapper& m, opcode) {
  std::vector<tensor_view> all;
  const dimensions shape = m.result_shape();
  for (std::size_t k = 0; k < m.args().count(0); ++k)
    all.push_back(expanded(m.operand(0, k), shape));
  m.give_all(std::move(all));
}
void move_or_zero(mapper& m, opcode) { m.move_elements_or_zeros(); }
/// The second operand, in the shape of the first.
void copy_over(mapper& m, opcode) {
  check_kinds(m, 0, 1);
  m.give(expanded(m.operand(1), m.result_shape()));
}

void identity_in_inference(mapper& m, opcode) {
  if (m.args().truth_or(2, false) && m.args().real_or(1, 0.5) != 0)
    m.refuse("dropout in training is random");
  m.give(m.operand(0));
}

constexpr mapping element_rows[] = {
    {o::relu, unary, opcode::relu},
    {o::sigmoid, unary, opcode::sigmoid},
    {o::tanh, unary, opcode::tanh},
    {o::exp, unary, opcode::exp},
    {o::log, unary, opcode::log},
    {o::sqrt, unary, opcode::sqrt},
    {o::abs, unary, opcode::abs},
    {o::neg, unary, opcode::neg},
    {o::silu, unary, opcode::silu},
    {o::mul, binary, opcode::mul},
    {o::div, binary, opcode::div},
    {o::minimum, binary, opcode::min},
    {o::maximum, binary, opcode::max},
    {o::add, sum, opcode::add},
    {o::sub, sum, opcode::sub},
    {o::rsub, reversed_sum, opcode::sub},
    {o::pow, power, opcode::pow},
    {o::square, square, opcode::mul},
    {o::reciprocal, reciprocal, opcode::div},
    {o::rsqrt, rsqrt, opcode::div},
    {o::addcmul, add_product, opcode::mul},
    {o::addcdiv, add_product, opcode::div},
    {o::clamp, clamp, opcode::clamp},
    {o::clamp_max, clamp_max, opcode::min},
    {o::hardtanh, hardtanh, opcode::clamp},
    {o::relu6, relu6, opcode::clamp},
    {o::hardsigmoid, hardsigmoid, opcode::clamp},
    {o::hardswish, hardswish, opcode::clamp},
    {o::leaky_relu, leaky_relu, opcode::leaky_relu},
    {o::gelu, gelu, opcode::gelu},
    {o::elu, elu, opcode::exp},
    {o::celu, celu, opcode::exp},
    {o::selu, selu, opcode::exp},
    {o::softplus, softplus, opcode::log},
    {o::mish, mish, opcode::tanh},
    {o::log_sigmoid, log_sigmoid, opcode::log},
    {o::cat, concatenate, opcode::concat},
    {o::stack, stack, opcode::concat},
    {o::dropout, identity_in_inference, opcode::reshape},
    {o::native_dropout, identity_in_inference, opcode::reshape},
    {o::feature_dropout, identity_in_inference, opcode::reshape},
    {o::alpha_dropout, identity_in_inference, opcode::reshape},
    {o::slice_scatter, slice_scatter, opcode::concat},
    {o::select_scatter, select_scatter, opcode::concat},
    {o::copy, copy_over, opcode::reshape},
    {o::fill, copy_over, opcode::reshape},
    {o::im2col, move_or_zero, opcode::gather},
    {o::diag_embed, move_or_zero, opcode::gather},
    {o::diag, move_or_zero, opcode::gather},
    {o::diagflat, move_or_zero, opcode::gather},
    {o::broadcast_tensors, broadcast_all, opcode::reshape},
    {o::hstack, concatenate_columns, opcode::concat},
    {o::vstack, concatenate_rows, opcode::concat},
    {o::pass},
    {o::clone},
    {o::view},
    {o::transpose},
    {o::permute},
    {o::expand},
    {o::expand_as},
    {o::reshape_as},
    {o::select},
    {o::slice},
    {o::narrow},
    {o::unsqueeze},
    {o::squeeze},
    {o::flatten},
    {o::unflatten},
    {o::split},
    {o::split_with_sizes},
    {o::chunk},
    {o::unbind},
    {o::movedim},
    {o::repeat},
    {o::tile},
    {o::roll},
    {o::transpose_matrices},
    {o::flip},
    {o::flip_rows},
    {o::flip_columns},
    {o::rot90},
    {o::pixel_shuffle},
    {o::pixel_unshuffle},
    {o::channel_shuffle},
    {o::repeat_interleave},
    {o::unfold},
    {o::tensor_split},
    {o::tensor_split_at},
    {o::hsplit},
    {o::vsplit},
    {o::dsplit},
    {o::diagonal},
    {o::linalg_diagonal},
    {o::reverse_axes},
    {o::adjoint},
    {o::as_strided},
    {o::take},
    {o::take_along_dim},
    {o::reshape_alias},
    {o::atleast_1d},
    {o::atleast_2d},
    {o::atleast_3d},
    {o::positive},
    {o::upsample_nearest},
    {o::upsample_nearest_to},
    {o::upsample_nearest_nd},
    {o::upsample_nearest_nd_to},
    {o::upsample_nearest_exact},
    {o::upsample_nearest_exact_to},
    {o::reflection_pad},
    {o::replication_pad},
    {o::pad_circular},
    {o::fftshift},
    {o::ifftshift},
    {o::conj},
    {o::real},
};

}  // namespace

value clamped(chain& c, value x, double low, double high) {
  // No attribute can be infinite, and those of clamp are in order.
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    x = c.apply(opcode::max, {x, c.number(low)});
    return c.apply(opcode::min, {x, c.number(high)});
  }
  return c.apply(opcode::clamp, {x}, {{attribute::min_val, low}, {attribute::max_val, high}});
}

std::size_t axis_of(mapper& m, std::size_t letter, std::size_t rank) {
  if (rank == 0) m.refuse("its operand has no dimension");
  const std::int64_t axis = m.args().whole(letter);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

std::vector<std::size_t> with_last(std::size_t axis, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(axis));
  order.push_back(axis);
  return order;
}

std::span<const mapping> element_mappings() noexcept { return element_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
