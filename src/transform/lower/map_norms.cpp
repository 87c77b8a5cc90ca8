// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Softmax, norms and attention: by the opcodes where the device has them for the type, else by means,
// greatest elements and chains.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::attribute;
using nem::opcode;
using value = chain::value;
using o = nac::operation;

[[nodiscard]] std::vector<bool> last_only(std::size_t rank) {
  std::vector<bool> out(rank);
  out.back() = true;
  return out;
}

// ---- softmax

/// Along the last dimension: e^(x - most) / sum, or its logarithm.
[[nodiscard]] tensor_view softmax_by_parts(mapper& m, opcode op, const tensor_view& x) {
  const std::vector<bool> by = last_only(x.rank());
  const tensor_view most = folded(m, opcode::maxpool, x, by);
  chain c(m, x.shape);
  const tensor_view below = c.result(c.apply(opcode::sub, {c.input(x), c.input(most)}));
  chain d(m, x.shape);
  const tensor_view powers = d.result(d.apply(opcode::exp, {d.input(below)}));
  const tensor_view mean = folded(m, opcode::avgpool, powers, by);
  chain e(m, x.shape);
  const value sum = e.mul(e.input(mean), e.number(static_cast<double>(x.shape.back())));
  if (op == opcode::softmax) return e.result(e.apply(opcode::div, {e.input(powers), sum}));
  return e.result(e.apply(opcode::sub, {e.input(below), e.apply(opcode::log, {sum})}));
}

void softmax(mapper& m, opcode op) {
  const tensor_view x = of_rank(m.operand(0), 1);
  if (x.rank() != m.operand(0).rank())  // of one element
    return m.give(m.number(op == opcode::softmax ? 1 : 0));
  const std::vector<std::size_t> order = with_last(axis_of(m, 1, x.rank()), x.rank());
  const tensor_view turned = permuted(x, order);
  if (!m.device_has("softmax", "default"))
    return m.give(permuted(softmax_by_parts(m, op, turned), inverse_of(order)));
  chain c(m, turned.shape, 1);
  m.give(permuted(c.result(c.apply(op, {c.input(turned)}, {{attribute::axis, -1}})),
                  inverse_of(order)));
}

// ---- norms

/// Of rows: (x - mean) / sqrt(variance + eps), or x / sqrt(mean of squares + eps); times a scale, plus
/// a bias.
[[nodiscard]] tensor_view normalized_by_parts(mapper& m, opcode op, tensor_view x,
                                              const tensor_view* scale, const tensor_view* bias,
                                              double epsilon) {
  const std::vector<bool> by = last_only(x.rank());
  if (op == opcode::layernorm) {
    const tensor_view mean = folded(m, opcode::avgpool, x, by);
    chain c(m, x.shape);
    x = c.result(c.apply(opcode::sub, {c.input(x), c.input(mean)}));
  }
  chain c(m, x.shape);
  const value v = c.input(x);
  const tensor_view variance = folded(m, opcode::avgpool, c.result(c.mul(v, v)), by);
  chain d(m, variance.shape);
  const tensor_view root =
      d.result(d.apply(opcode::sqrt, {d.add(d.input(variance), d.number(epsilon))}));
  chain e(m, x.shape);
  value y = e.apply(opcode::div, {e.input(x), e.input(root)});
  if (scale != nullptr) y = e.mul(y, e.input(*scale));
  if (bias != nullptr) y = e.add(y, e.input(*bias));
  return e.result(y);
}

/// Over the last `count` dimensions of x; a scale and a bias of their shape, or none.
[[nodiscard]] tensor_view normalized(mapper& m, opcode op, const tensor_view& x, std::size_t count,
                                     const std::optional<tensor_view>& scale,
                                     const std::optional<tensor_view>& bias, double epsilon) {
  if (!std::isfinite(epsilon) || epsilon < 0) m.refuse("its epsilon isn't a number from 0 on");
  dimensions rows(x.shape.begin(), x.shape.end() - static_cast<std::ptrdiff_t>(count));
  const std::int64_t size = product(std::span(x.shape).subspan(rows.size()));
  rows.push_back(size);
  std::optional<tensor_view> factor, summand;
  if (scale) factor = m.reshape(*scale, {size});
  if (bias) summand = m.reshape(*bias, {size});
  const tensor_view flat = m.reshape(x, rows);
  if (!m.device_has("norm", "default"))
    return m.reshape(normalized_by_parts(m, op, flat, factor ? &*factor : nullptr,
                                         summand ? &*summand : nullptr, epsilon),
                     x.shape);
  chain c(m, rows, 1);
  std::vector<value> in = {c.input(flat)};
  if (!factor && summand)
    factor = m.constant(std::vector<float>(static_cast<std::size_t>(size), 1.0f), {size});
  if (factor) in.push_back(c.vector(*factor));
  if (summand) in.push_back(c.vector(*summand));
  const tensor_view y =
      c.result(c.apply(op, std::move(in), {{attribute::axis, -1}, {attribute::epsilon, epsilon}}));
  return m.reshape(y, x.shape);
}

[[nodiscard]] std::optional<tensor_view> optional_operand(mapper& m, std::size_t letter) {
  if (!m.has(letter)) return std::nullopt;
  return m.operand(letter);
}

void layer_norm(mapper& m, opcode op) {
  const std::size_t count = m.args().int_list(1).size();
  m.give(normalized(m, op, m.operand(0), count, optional_operand(m, 2), optional_operand(m, 3),
                    m.args().real_or(4, 1e-5)));
}
void rms_norm(mapper& m, opcode op) {
  const std::size_t count = m.args().int_list(1).size();
  m.give(normalized(m, op, m.operand(0), count, optional_operand(m, 2), std::nullopt,
                    m.args().real_or(3, std::numeric_limits<float>::epsilon())));
}

/// One scale and bias for each channel, dimension 1.
[[nodiscard]] tensor_view per_channel(const tensor_view& v, std::size_t rank) {
  tensor_view out = v;
  out.shape.insert(out.shape.end(), rank - 2, 1);
  out.strides.insert(out.strides.end(), rank - 2, 0);
  return out;
}

/// Groups of channels, each normalized as a whole.
void normalize_groups(mapper& m, opcode op, std::int64_t groups, std::size_t weight,
                      std::size_t bias, double epsilon) {
  const tensor_view x = m.operand(0);
  const std::int64_t batch = x.shape[0], size = product(x.shape) / batch / groups;
  const tensor_view parts = m.reshape(x, {batch, groups, size});
  const tensor_view y =
      m.reshape(normalized(m, op, parts, 1, std::nullopt, std::nullopt, epsilon), x.shape);
  if (!m.has(weight) && !m.has(bias)) return m.give(y);
  chain c(m, x.shape);
  value v = c.input(y);
  if (m.has(weight)) v = c.mul(v, c.input(per_channel(m.operand(weight), x.rank())));
  if (m.has(bias)) v = c.add(v, c.input(per_channel(m.operand(bias), x.rank())));
  c.finish(v);
}
void group_norm(mapper& m, opcode op) {
  normalize_groups(m, op, m.args().whole(1), 2, 3, m.args().real_or(4, 1e-5));
}
void native_group_norm(mapper& m, opcode op) {
  normalize_groups(m, op, m.args().whole(6), 1, 2, m.args().real(7));
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

/// By the mean and variance of each channel over the batch.
void batch_norm_of_batch_by(mapper& m, double epsilon) {
  const tensor_view x = m.operand(0);
  if (x.rank() < 2) m.refuse("its operand has no channels");
  std::vector<bool> by(x.rank(), true);
  by[1] = false;
  const tensor_view mean = folded(m, opcode::avgpool, x, by);
  chain c(m, x.shape);
  const tensor_view apart = c.result(c.apply(opcode::sub, {c.input(x), c.input(mean)}));
  chain d(m, x.shape);
  const value v = d.input(apart);
  const tensor_view variance = folded(m, opcode::avgpool, d.result(d.mul(v, v)), by);
  chain e(m, variance.shape);
  const tensor_view root =
      e.result(e.apply(opcode::sqrt, {e.add(e.input(variance), e.number(epsilon))}));
  chain f(m, x.shape);
  value y = f.apply(opcode::div, {f.input(apart), f.input(root)});
  if (m.has(1)) y = f.mul(y, f.input(per_channel(m.operand(1), x.rank())));
  if (m.has(2)) y = f.add(y, f.input(per_channel(m.operand(2), x.rank())));
  f.finish(y);
}
void batch_norm(mapper& m, opcode) { batch_norm_by(m, 6); }
void batch_norm_by_mode(mapper& m, opcode) {
  if (m.args().truth_or(5, false)) return batch_norm_of_batch_by(m, m.args().real(7));
  batch_norm_by(m, 7);
}
void batch_norm_of_batch(mapper& m, opcode) { batch_norm_of_batch_by(m, m.args().real(5)); }
void instance_norm(mapper& m, opcode op) {
  if (!m.args().truth_or(5, true)) return batch_norm_by(m, 7);
  normalize_groups(m, op, m.operand(0).shape[1], 1, 2, m.args().real(7));
}

// ---- attention

/// Which letters an attention has what at.
struct attention_letters {
  std::size_t mask, dropout, is_causal, scale, in_groups;
};
constexpr std::size_t not_there = ~std::size_t{0};

/// 0 where keys are seen, minus infinity where they aren't.
[[nodiscard]] value additive_mask(mapper& m, chain& c, std::size_t letter) {
  if (m.args().tensor_at(letter).type != nac::data_type::boolean) return c.input(m.operand(letter));
  if (!m.is_constant(letter)) return c.apply(opcode::log, {c.input(m.operand(letter))});
  std::vector<float> add = m.elements(letter);
  for (float& e : add) e = e != 0 ? 0 : -std::numeric_limits<float>::infinity();
  return c.input(m.constant(std::move(add), m.operand(letter).shape));
}

/// 1 for the queries that see any key by a mask of truth values, 0 for others; none where all do.
[[nodiscard]] std::optional<tensor_view> sees_any(mapper& m, std::size_t letter) {
  if (m.args().tensor_at(letter).type != nac::data_type::boolean) return std::nullopt;
  if (!m.is_constant(letter)) {
    const tensor_view mask = m.operand(letter);
    return folded(m, opcode::maxpool, mask, last_only(mask.rank()));
  }
  const std::vector<float> mask = m.elements(letter);
  dimensions shape = m.operand(letter).shape;
  const auto columns = static_cast<std::size_t>(shape.back());
  std::vector<float> any(mask.size() / columns);
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] != 0) any[i / columns] = 1;
  if (std::find(any.begin(), any.end(), 0.0f) == any.end()) return std::nullopt;
  shape.back() = 1;
  return m.constant(std::move(any), shape);
}

/// Queries in as many groups as there are keys: [N, H, …] as [N, groups, H / groups, …].
[[nodiscard]] tensor_view in_groups(mapper& m, const tensor_view& v, std::int64_t groups) {
  dimensions shape = v.shape;
  const std::size_t heads = v.rank() - 3;
  shape[heads] /= groups;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(heads), groups);
  return m.reshape(v, shape);
}

/// softmax(q k' scale + mask) v
void attention_by(mapper& m, opcode op, const attention_letters& at) {
  tensor_view q = m.operand(0), k = m.operand(1), v = m.operand(2);
  if (m.args().real_or(at.dropout, 0) != 0) m.refuse("dropout in training");
  const bool has_groups = at.in_groups != not_there && m.args().truth_or(at.in_groups, false) &&
                          k.shape[k.rank() - 3] != q.shape[q.rank() - 3];
  if (q.rank() < 3 || k.rank() != q.rank() || v.rank() != q.rank())
    m.refuse("operands of other ranks");
  const dimensions shape = m.result_shape();
  if (has_groups) {
    const std::int64_t groups = k.shape[k.rank() - 3];
    if (at.mask != not_there && m.has(at.mask)) m.refuse("a mask of queries in groups");
    q = in_groups(m, q, groups);
    k = in_groups(m, k, groups);
    v = in_groups(m, v, groups);
  }
  const std::size_t rank = q.rank();
  const double scale =
      m.args().real_or(at.scale, 1 / std::sqrt(static_cast<double>(q.shape[rank - 1])));
  std::vector<std::size_t> turned(rank);
  std::iota(turned.begin(), turned.end(), std::size_t{0});
  std::swap(turned[rank - 1], turned[rank - 2]);
  const tensor_view scores = batched_product(m, q, permuted(k, turned));
  const bool is_native = m.device_has("softmax", "default");
  chain c(m, scores.shape, is_native ? 1 : 0);
  value s = c.mul(c.input(scores), c.number(scale));
  if (m.args().truth_or(at.is_causal, false)) {
    const std::int64_t rows = scores.shape[rank - 2], columns = scores.shape[rank - 1];
    std::vector<float> mask;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      mask.push_back(i % columns > i / columns ? -std::numeric_limits<float>::infinity() : 0);
    s = c.add(s, c.input(m.constant(std::move(mask), {rows, columns})));
  }
  if (at.mask != not_there && m.has(at.mask)) s = c.add(s, additive_mask(m, c, at.mask));
  tensor_view weights = is_native ? c.result(c.apply(op, {s}, {{attribute::axis, -1}}))
                                  : softmax_by_parts(m, op, c.result(s));
  std::optional<tensor_view> seen;
  if (at.mask != not_there && m.has(at.mask)) seen = sees_any(m, at.mask);
  if (seen) {  // a row of nothing is NaN: its weights are 0
    chain d(m, weights.shape);
    const value any = d.input(*seen);
    weights = d.result(d.mul(d.apply(opcode::pow, {d.input(weights), any}), any));
  }
  m.give(m.reshape(batched_product(m, weights, v), shape));
}
void attention(mapper& m, opcode op) { attention_by(m, op, {3, 4, 5, 6, 7}); }
void attention_for_cpu(mapper& m, opcode op) { attention_by(m, op, {5, 3, 4, 6, not_there}); }
void attention_flash(mapper& m, opcode op) { attention_by(m, op, {not_there, 3, 4, 6, not_there}); }
void attention_efficient(mapper& m, opcode op) { attention_by(m, op, {3, 5, 6, 7, not_there}); }
void attention_math(mapper& m, opcode op) { attention_by(m, op, {3, 4, 5, 7, 8}); }

constexpr mapping norm_rows[] = {
    {o::softmax, softmax, opcode::softmax},
    {o::log_softmax, softmax, opcode::log_softmax},
    {o::layer_norm, layer_norm, opcode::layernorm},
    {o::native_layer_norm, layer_norm, opcode::layernorm},
    {o::rms_norm, rms_norm, opcode::rmsnorm},
    {o::fused_rms_norm, rms_norm, opcode::rmsnorm},
    {o::group_norm, group_norm, opcode::layernorm},
    {o::native_group_norm, native_group_norm, opcode::layernorm},
    {o::instance_norm, instance_norm, opcode::layernorm},
    {o::batch_norm, batch_norm, opcode::mul},
    {o::batch_norm_by_mode, batch_norm_by_mode, opcode::mul},
    {o::native_batch_norm, batch_norm_by_mode, opcode::mul},
    {o::batch_norm_of_batch, batch_norm_of_batch, opcode::mul},
    {o::attention, attention, opcode::softmax},
    {o::attention_for_cpu, attention_for_cpu, opcode::softmax},
    {o::attention_flash, attention_flash, opcode::softmax},
    {o::attention_efficient, attention_efficient, opcode::softmax},
    {o::attention_math, attention_math, opcode::softmax},
};

}  // namespace

std::span<const mapping> norm_mappings() noexcept { return norm_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
