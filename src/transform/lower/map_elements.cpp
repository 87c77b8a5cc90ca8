// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The table of mappings, and operations that become chains of others.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "transform/lower/chain.hpp"
#include "transform/lower/map_products.hpp"

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

/// a ± alpha b
void sum(mapper& m, opcode op) {
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

[[nodiscard]] value clamped(chain& c, value x, double low, double high) {
  // No attribute can be infinite, and those of clamp are in order.
  if (!std::isfinite(low) || !std::isfinite(high) || low > high) {
    x = c.apply(opcode::max, {x, c.number(low)});
    return c.apply(opcode::min, {x, c.number(high)});
  }
  return c.apply(opcode::clamp, {x}, {{attribute::min_val, low}, {attribute::max_val, high}});
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

/// x (1 - mask) + value mask, for a mask that is known; an infinite value is added as it is.
void masked_fill(mapper& m, opcode) {
  if (!m.is_constant(1) || !m.is_constant(2)) m.refuse("its mask or value depends on inputs");
  std::vector<float> mask = m.elements(1), keep(mask.size());
  const float v = m.elements(2)[0];
  for (std::size_t k = 0; k < mask.size(); ++k) {
    const bool is_set = mask[k] != 0;
    keep[k] = is_set ? 0 : 1;
    mask[k] = is_set ? v : 0;
  }
  const dimensions shape = m.operand(1).shape;
  chain c(m, m.result_shape());
  value x = c.input(m.operand(0));
  if (std::isfinite(v)) x = c.mul(x, c.input(m.constant(std::move(keep), shape)));
  c.finish(c.add(x, c.input(m.constant(std::move(mask), shape))));
}

// ---- along a dimension

[[nodiscard]] std::size_t axis_of(mapper& m, std::size_t letter, std::size_t rank) {
  const std::int64_t axis = m.args().whole(letter);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

void softmax(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  if (x.rank() == 0) m.refuse("its operand has no dimension");
  const std::size_t axis = axis_of(m, 1, x.rank());
  std::vector<std::size_t> order(x.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(axis));
  order.push_back(axis);
  const tensor_view turned = permuted(x, order);
  chain c(m, turned.shape, 1);
  m.give(permuted(c.result(c.apply(op, {c.input(turned)}, {{attribute::axis, -1}})),
                  inverse_of(order)));
}

/// Over the last `count` dimensions of x; a scale and a bias of their shape, or none.
[[nodiscard]] tensor_view normalized(mapper& m, opcode op, const tensor_view& x, std::size_t count,
                                     const tensor_view* scale, const tensor_view* bias,
                                     double epsilon) {
  if (!std::isfinite(epsilon) || epsilon < 0) m.refuse("its epsilon isn't a number from 0 on");
  dimensions rows(x.shape.begin(), x.shape.end() - static_cast<std::ptrdiff_t>(count));
  const std::int64_t size = product(std::span(x.shape).subspan(rows.size()));
  rows.push_back(size);
  chain c(m, rows, 1);
  std::vector<value> in = {c.input(m.reshape(x, rows))};
  if (scale != nullptr) in.push_back(c.vector(m.reshape(*scale, {size})));
  if (bias != nullptr) {
    if (scale == nullptr)
      in.push_back(
          c.vector(m.constant(std::vector<float>(static_cast<std::size_t>(size), 1.0f), {size})));
    in.push_back(c.vector(m.reshape(*bias, {size})));
  }
  const tensor_view y =
      c.result(c.apply(op, std::move(in), {{attribute::axis, -1}, {attribute::epsilon, epsilon}}));
  return m.reshape(y, x.shape);
}

void layer_norm(mapper& m, opcode op) {
  const std::size_t count = m.args().int_list(1).size();
  std::optional<tensor_view> scale, bias;
  if (m.has(2)) scale = m.operand(2);
  if (m.has(3)) bias = m.operand(3);
  m.give(normalized(m, op, m.operand(0), count, scale ? &*scale : nullptr, bias ? &*bias : nullptr,
                    m.args().real_or(4, 1e-5)));
}
void rms_norm(mapper& m, opcode op) {
  const std::size_t count = m.args().int_list(1).size();
  std::optional<tensor_view> scale;
  if (m.has(2)) scale = m.operand(2);
  m.give(normalized(m, op, m.operand(0), count, scale ? &*scale : nullptr, nullptr,
                    m.args().real_or(3, std::numeric_limits<float>::epsilon())));
}

/// One scale and bias for each channel, dimension 1.
[[nodiscard]] tensor_view per_channel(const tensor_view& v, std::size_t rank) {
  tensor_view out = v;
  out.shape.insert(out.shape.end(), rank - 2, 1);
  out.strides.insert(out.strides.end(), rank - 2, 0);
  return out;
}

void group_norm(mapper& m, opcode op) {
  const tensor_view x = m.operand(0);
  const std::int64_t groups = m.args().whole(1), batch = x.shape[0];
  const std::int64_t size = product(x.shape) / batch / groups;
  const tensor_view parts = m.reshape(x, {batch, groups, size});
  const tensor_view y =
      m.reshape(normalized(m, op, parts, 1, nullptr, nullptr, m.args().real_or(4, 1e-5)), x.shape);
  if (!m.has(2) && !m.has(3)) return m.give(y);
  chain c(m, x.shape);
  value v = c.input(y);
  if (m.has(2)) v = c.mul(v, c.input(per_channel(m.operand(2), x.rank())));
  if (m.has(3)) v = c.add(v, c.input(per_channel(m.operand(3), x.rank())));
  c.finish(v);
}

/// (x - mean) / sqrt(variance + eps) * weight + bias, as one factor and one summand for each channel.
void batch_norm_by(mapper& m, std::size_t eps_letter) {
  for (std::size_t k = 1; k <= 4; ++k)
    if (m.has(k) && !m.is_constant(k)) m.refuse("its statistics depend on inputs");
  if (!m.has(3) || !m.has(4)) m.refuse("it has no statistics of its own");
  const std::vector<float> mean = m.elements(3), variance = m.elements(4);
  const double eps = m.args().real(eps_letter);
  for (const float v : variance)
    if (!(static_cast<double>(v) + eps > 0)) m.refuse("a variance that isn't above 0");
  std::vector<float> factor(mean.size()), summand(mean.size());
  const std::vector<float> weight = m.has(1) ? m.elements(1) : std::vector<float>(mean.size(), 1);
  const std::vector<float> bias = m.has(2) ? m.elements(2) : std::vector<float>(mean.size(), 0);
  for (std::size_t k = 0; k < mean.size(); ++k) {
    const double f =
        static_cast<double>(weight[k]) / std::sqrt(static_cast<double>(variance[k]) + eps);
    factor[k] = static_cast<float>(f);
    summand[k] =
        static_cast<float>(static_cast<double>(bias[k]) - f * static_cast<double>(mean[k]));
  }
  const tensor_view x = m.operand(0);
  const auto channels = static_cast<std::int64_t>(mean.size());
  chain c(m, x.shape);
  const value scaled =
      c.mul(c.input(x), c.input(per_channel(m.constant(std::move(factor), {channels}), x.rank())));
  c.finish(
      c.add(scaled, c.input(per_channel(m.constant(std::move(summand), {channels}), x.rank()))));
}
void batch_norm(mapper& m, opcode) { batch_norm_by(m, 6); }
void batch_norm_by_mode(mapper& m, opcode) {
  if (m.args().truth_or(5, false)) m.refuse("training computes statistics of the batch");
  batch_norm_by(m, 7);
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
void stack(mapper& m, opcode) {
  const tensor_view y = m.make(m.result_shape());
  const std::size_t axis = m.has(1) ? axis_of(m, 1, y.rank()) : 0;
  m.need("view", "default");
  for (std::size_t k = 0; k < m.args().count(0); ++k)
    m.copy(m.operand(0, k), without(narrowed(y, axis, static_cast<std::int64_t>(k), 1), axis));
  m.give(y);
}

// ---- attention

/// softmax(q k' scale + mask) v
void attention(mapper& m, opcode) {
  const tensor_view q = m.operand(0), k = m.operand(1), v = m.operand(2);
  if (m.args().real_or(4, 0) != 0) m.refuse("dropout in training");
  if (m.args().truth_or(7, false)) m.refuse("queries in groups");
  const std::size_t rank = q.rank();
  if (rank < 3 || k.rank() != rank || v.rank() != rank) m.refuse("operands of other ranks");
  const double scale = m.args().real_or(6, 1 / std::sqrt(static_cast<double>(q.shape[rank - 1])));
  std::vector<std::size_t> turned(rank);
  std::iota(turned.begin(), turned.end(), std::size_t{0});
  std::swap(turned[rank - 1], turned[rank - 2]);
  const tensor_view scores = batched_product(m, q, permuted(k, turned));
  chain c(m, scores.shape, 1);
  value s = c.mul(c.input(scores), c.number(scale));
  if (m.args().truth_or(5, false)) {
    const std::int64_t rows = scores.shape[rank - 2], columns = scores.shape[rank - 1];
    std::vector<float> mask;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      mask.push_back(i % columns > i / columns ? -std::numeric_limits<float>::infinity() : 0);
    s = c.add(s, c.input(m.constant(std::move(mask), {rows, columns})));
  }
  if (m.has(3)) {
    tensor_view mask = m.operand(3);
    if (m.args().tensor_at(3).type == nac::data_type::boolean) {
      std::vector<float> add = m.elements(3);
      for (float& e : add) e = e != 0 ? 0 : -std::numeric_limits<float>::infinity();
      mask = m.constant(std::move(add), mask.shape);
    }
    s = c.add(s, c.input(mask));
  }
  const tensor_view weights = c.result(c.apply(opcode::softmax, {s}, {{attribute::axis, -1}}));
  m.give(batched_product(m, weights, v));
}

void identity_in_inference(mapper& m, opcode) {
  if (m.args().truth_or(2, false) && m.args().real_or(1, 0.5) != 0)
    m.refuse("dropout in training is random");
  m.give(m.operand(0));
}

constexpr mapping table[] = {
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
    {o::masked_fill, masked_fill, opcode::add},
    {o::softmax, softmax, opcode::softmax},
    {o::log_softmax, softmax, opcode::log_softmax},
    {o::layer_norm, layer_norm, opcode::layernorm},
    {o::native_layer_norm, layer_norm, opcode::layernorm},
    {o::rms_norm, rms_norm, opcode::rmsnorm},
    {o::group_norm, group_norm, opcode::layernorm},
    {o::batch_norm, batch_norm, opcode::mul},
    {o::batch_norm_by_mode, batch_norm_by_mode, opcode::mul},
    {o::attention, attention, opcode::softmax},
    {o::linear, map_linear, opcode::gemm},
    {o::addmm, map_addmm, opcode::gemm},
    {o::matmul, map_matmul, opcode::gemm},
    {o::conv1d, map_convolution_nd, opcode::conv2d},
    {o::conv2d, map_convolution_nd, opcode::conv2d},
    {o::convolution, map_convolution, opcode::conv2d},
    {o::max_pool2d, map_max_pool, opcode::maxpool},
    {o::max_pool2d_with_indices, map_max_pool, opcode::maxpool},
    {o::avg_pool2d, map_average_pool, opcode::avgpool},
    {o::adaptive_avg_pool2d, map_adaptive_pool, opcode::avgpool},
    {o::mean, map_mean, opcode::avgpool},
    {o::cat, concatenate, opcode::concat},
    {o::stack, stack, opcode::concat},
    {o::dropout, identity_in_inference, opcode::reshape},
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
};

}  // namespace

const mapping* find_mapping(nac::operation wanted) noexcept {
  for (const mapping& row : table)
    if (row.from == wanted) return &row;
  return nullptr;
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
