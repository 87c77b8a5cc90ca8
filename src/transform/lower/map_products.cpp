// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/map_products.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::attribute;
using nem::element;
using nem::expr;
using nem::opcode;

[[nodiscard]] std::vector<std::int32_t> first_dimensions(std::size_t count) {
  std::vector<std::int32_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

[[nodiscard]] access vector_access(const tensor_view& v, std::size_t dimension) {
  return {v, {static_cast<std::int32_t>(dimension)}};
}

/// Writes a new tensor of the step's dimensions.
[[nodiscard]] tensor_view write_new(mapper& m, step& s) {
  const tensor_view y = m.make(s.dims);
  s.write = {y, first_dimensions(s.dims.size())};
  return y;
}

/// Two numbers: one given twice where there is only one.
struct pair_of {
  std::int64_t rows = 0, columns = 0;
};
[[nodiscard]] pair_of pair_at(mapper& m, std::size_t letter, std::int64_t otherwise) {
  if (!m.has(letter)) return {otherwise, otherwise};
  const std::span<const std::int64_t> list = m.args().int_list(letter);
  if (list.empty()) return {otherwise, otherwise};
  return {list[0], list[list.size() - 1]};
}

struct geometry {
  pair_of kernel, stride = {1, 1}, pads = {0, 0}, dilation = {1, 1};
};

/// The window of the rows of an image.
[[nodiscard]] window window_of(const geometry& g, std::uint32_t dimension) {
  window w;
  w.exists = true;
  w.dimension = dimension;
  w.stride = g.stride.rows;
  w.extent = g.dilation.rows * (g.kernel.rows - 1) + 1;
  w.before = w.after = g.pads.rows;
  w.left = w.right = g.pads.columns;
  return w;
}

/// What is added to each column: one number for each, or one for all of them.
[[nodiscard]] std::optional<tensor_view> bias_of(mapper& m, std::size_t letter,
                                                 std::int64_t columns) {
  if (!m.has(letter)) return std::nullopt;
  const tensor_view bias = m.operand(letter);
  if (bias.rank() > 1) m.refuse("what it adds isn't a vector");
  return expanded(bias, {columns});
}

[[nodiscard]] expr list_of(pair_of p) { return {p.rows, p.columns}; }

// ---- convolutions

/// x is NHWC, w is HWIO; the result is NHWC.
[[nodiscard]] tensor_view convolve(mapper& m, const tensor_view& x, const tensor_view& w,
                                   const tensor_view* bias, const geometry& g,
                                   std::int64_t groups) {
  const bool has_bias = bias != nullptr && m.has_bias("conv2d", *bias);
  if (!has_bias) m.need_product("conv2d");
  const auto size = [](std::int64_t in, std::int64_t k, std::int64_t s, std::int64_t p,
                       std::int64_t d) { return (in + 2 * p - d * (k - 1) - 1) / s + 1; };
  step s;
  s.dims = {
      x.shape[0], size(x.shape[1], g.kernel.rows, g.stride.rows, g.pads.rows, g.dilation.rows),
      size(x.shape[2], g.kernel.columns, g.stride.columns, g.pads.columns, g.dilation.columns),
      w.shape[3]};
  s.fixed = 2;
  s.can_split = groups == 1;
  s.reads = {{x, {0, 1, -1, -1}}, {w, {-1, -1, -1, 3}}};
  s.window = window_of(g, 1);
  tile_task t{opcode::conv2d, {of_read(0, 4, 4), of_read(1, 4, 4)}, of_register(0, 4, 4)};
  if (has_bias) {
    s.reads.push_back(vector_access(*bias, 3));
    t.in.push_back(of_read(2, 1));
  }
  t.attributes = {{attribute::strides, list_of(g.stride)},
                  {attribute::dilations, list_of(g.dilation)},
                  {attribute::groups, groups},
                  {attribute::accum_type, element::f32}};
  t.has_pads = true;
  s.tasks = {std::move(t)};
  s.registers = 1;
  s.result = of_register(0);
  if (bias != nullptr && !has_bias) {
    m.need("eltwise", "default");
    s.reads.push_back(vector_access(*bias, 3));
    s.tasks.push_back({opcode::add, {of_register(0), broadcast(2)}, of_register(1)});
    s.registers = 2;
    s.result = of_register(1);
  }
  const tensor_view y = write_new(m, s);
  m.add(std::move(s));
  return y;
}

/// NCHW to NHWC, and back.
[[nodiscard]] tensor_view channels_last(const tensor_view& v) { return permuted(v, {0, 2, 3, 1}); }
[[nodiscard]] tensor_view channels_first(const tensor_view& v) { return permuted(v, {0, 3, 1, 2}); }

[[nodiscard]] tensor_view with_batch(const tensor_view& v, std::size_t rank) {
  return of_rank(v, rank);
}

/// A convolution over `letters` 3 (stride), 4 (padding), 5 (dilation); one of a line has one row.
void convolution(mapper& m, const geometry& g, std::int64_t groups) {
  tensor_view x = m.operand(0), w = m.operand(1);
  const std::size_t rank = w.rank();  // 3: of lines, 4: of images
  if (rank != 3 && rank != 4) m.refuse("only lines and images are convolved");
  const bool has_batch = x.rank() == rank;
  x = with_batch(x, rank);
  if (rank == 3) {
    x = m.reshape(x, {x.shape[0], x.shape[1], 1, x.shape[2]});
    w = m.reshape(w, {w.shape[0], w.shape[1], 1, w.shape[2]});
  }
  const std::optional<tensor_view> bias = bias_of(m, 2, w.shape[0]);
  const tensor_view y = channels_first(
      convolve(m, channels_last(x), permuted(w, {2, 3, 1, 0}), bias ? &*bias : nullptr, g, groups));
  tensor_view out = rank == 3 ? without(y, 2) : y;
  m.give(has_batch ? out : without(out, 0));
}

[[nodiscard]] geometry geometry_of(mapper& m, std::size_t stride, std::size_t padding,
                                   std::size_t dilation) {
  const tensor_view w = m.operand(1);
  const bool is_line = w.rank() == 3;
  geometry g;
  g.kernel = {is_line ? 1 : w.shape[w.rank() - 2], w.shape[w.rank() - 1]};
  g.stride = pair_at(m, stride, 1);
  g.pads = pair_at(m, padding, 0);
  g.dilation = pair_at(m, dilation, 1);
  if (is_line) g.stride.rows = g.dilation.rows = 1, g.pads.rows = 0;
  return g;
}

// ---- pools

/// x is NHWC.
[[nodiscard]] tensor_view pool(mapper& m, opcode op, const tensor_view& x, const geometry& g,
                               std::int64_t rows, std::int64_t columns) {
  step s;
  s.dims = {x.shape[0], rows, columns, x.shape[3]};
  s.fixed = 2;
  s.can_split = true;
  s.reads = {{x, {0, 1, -1, 3}}};
  s.window = window_of(g, 1);
  tile_task t{op, {of_read(0, 4, 4)}, of_register(0, 4, 4)};
  t.attributes = {{attribute::kernel_shape, list_of(g.kernel)},
                  {attribute::strides, list_of(g.stride)}};
  t.has_pads = true;
  s.tasks = {std::move(t)};
  s.registers = 1;
  s.result = of_register(0);
  const tensor_view y = write_new(m, s);
  m.add(std::move(s));
  return y;
}

void pool_images(mapper& m, opcode op, const geometry& g) {
  const tensor_view x = m.operand(0);
  const dimensions shape = m.result_shape();
  if (x.rank() != 3 && x.rank() != 4) m.refuse("only images are pooled");
  const tensor_view y = channels_first(pool(m, op, channels_last(of_rank(x, 4)), g,
                                            shape[shape.size() - 2], shape[shape.size() - 1]));
  m.give(x.rank() == 4 ? y : without(y, 0));
}

/// Whether the windows of a pool that rounds up are those of one that rounds down.
void check_rounding(mapper& m, const geometry& g, bool rounds_up) {
  if (!rounds_up) return;
  const dimensions in = m.operand(0).shape, out = m.result_shape();
  const auto is_exact = [](std::int64_t n, std::int64_t o, std::int64_t k, std::int64_t s,
                           std::int64_t p) { return (n + 2 * p - k) / s + 1 == o; };
  const std::size_t r = in.size();
  if (!is_exact(in[r - 2], out[r - 2], g.kernel.rows, g.stride.rows, g.pads.rows) ||
      !is_exact(in[r - 1], out[r - 1], g.kernel.columns, g.stride.columns, g.pads.columns))
    m.refuse("a pool of NEM doesn't round its size up");
}

// ---- products

/// y[…, n] = x[…, k] w[k, n] + bias[n]
[[nodiscard]] tensor_view product_with(mapper& m, tensor_view x, const tensor_view& w,
                                       const tensor_view* bias) {
  const bool is_vector = x.rank() == 1;
  if (is_vector) x = of_rank(x, 2);
  const auto last = static_cast<std::int32_t>(x.rank() - 1);
  step s;
  s.dims = x.shape;
  s.dims.back() = w.shape[1];
  s.fixed = 1;
  s.can_split = true;
  s.reads = {{x, first_dimensions(x.rank())}, {w, {-1, last}}};
  s.reads[0].follows.back() = -1;
  // As a convolution of one pixel where that has a bias of the type, and products don't.
  const bool as_image =
      bias != nullptr && !m.has_bias("gemm", *bias) && m.has_bias("conv2d", *bias);
  const bool has_bias = bias != nullptr && (as_image || m.has_bias("gemm", *bias));
  if (!has_bias) m.need_product("gemm");
  const std::uint32_t padded = as_image ? 4 : 2;
  tile_task t{as_image ? opcode::conv2d : opcode::gemm,
              {of_read(0, 2, padded), of_read(1, 2, padded)},
              of_register(0, 2, padded)};
  t.attributes = {{attribute::accum_type, element::f32}};
  if (as_image)
    t.attributes.insert(t.attributes.begin(), {{attribute::pads, {0, 0, 0, 0}},
                                               {attribute::strides, {1, 1}},
                                               {attribute::dilations, {1, 1}}});
  if (bias != nullptr) s.reads.push_back(vector_access(*bias, static_cast<std::size_t>(last)));
  if (has_bias) t.in.push_back(of_read(2, 1));
  s.tasks = {std::move(t)};
  s.registers = 1;
  s.result = of_register(0);
  if (bias != nullptr && !has_bias) {
    m.need("eltwise", "default");
    s.tasks.push_back({opcode::add, {of_register(0), broadcast(2)}, of_register(1)});
    s.registers = 2;
    s.result = of_register(1);
  }
  const tensor_view y = write_new(m, s);
  m.add(std::move(s));
  return is_vector ? without(y, 0) : y;
}

}  // namespace

tensor_view batched_product(mapper& m, const tensor_view& a, const tensor_view& b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  step s;
  const tensor_view left = of_rank(a, rank), right = of_rank(b, rank);
  for (std::size_t k = 0; k + 2 < rank; ++k)
    s.dims.push_back(std::max(left.shape[k], right.shape[k]));
  dimensions left_shape = s.dims, right_shape = s.dims;
  left_shape.insert(left_shape.end(), left.shape.end() - 2, left.shape.end());
  right_shape.insert(right_shape.end(), right.shape.end() - 2, right.shape.end());
  s.dims.push_back(left.shape[rank - 2]);
  s.dims.push_back(right.shape[rank - 1]);
  s.fixed = 1;
  s.can_split = true;
  m.need_product("gemm");
  s.reads = {{expanded(left, left_shape), first_dimensions(rank)},
             {expanded(right, right_shape), first_dimensions(rank)}};
  s.reads[0].follows.back() = -1;
  s.reads[1].follows[rank - 2] = -1;
  tile_task t{opcode::gemm, {of_read(0, 3, 3), of_read(1, 3, 3)}, of_register(0, 3, 3)};
  t.attributes = {{attribute::accum_type, element::f32}};
  s.tasks = {std::move(t)};
  s.registers = 1;
  s.result = of_register(0);
  const tensor_view y = write_new(m, s);
  m.add(std::move(s));
  return y;
}

void map_linear(mapper& m, opcode) {
  const tensor_view w = m.operand(1);
  if (w.rank() != 2) m.refuse("its weight isn't a matrix");
  const std::optional<tensor_view> bias = bias_of(m, 2, w.shape[0]);
  m.give(product_with(m, m.operand(0), permuted(w, {1, 0}), bias ? &*bias : nullptr));
}

void map_addmm(mapper& m, opcode) {
  if ((m.has(3) && m.args().real(3) != 1) || (m.has(4) && m.args().real(4) != 1))
    m.refuse("beta and alpha other than 1");
  const tensor_view x = m.operand(1), w = m.operand(2);
  const std::optional<tensor_view> bias = bias_of(m, 0, w.shape[1]);
  m.give(product_with(m, x, w, &*bias));
}

void map_matmul(mapper& m, opcode) {
  const tensor_view a = m.operand(0), b = m.operand(1);
  if (b.rank() == 2) return m.give(product_with(m, a, b, nullptr));
  if (a.rank() < 2 || b.rank() < 2) m.refuse("one of its operands is a vector");
  m.give(batched_product(m, a, b));
}

void map_convolution_nd(mapper& m, opcode) {
  const std::int64_t groups = m.has(6) ? m.args().whole(6) : 1;
  convolution(m, geometry_of(m, 3, 4, 5), groups);
}

void map_convolution(mapper& m, opcode) {
  if (m.args().truth_or(6, false)) m.refuse("transposed convolutions have no opcode");
  convolution(m, geometry_of(m, 3, 4, 5), m.has(8) ? m.args().whole(8) : 1);
}

void map_max_pool(mapper& m, opcode op) {
  geometry g;
  g.kernel = pair_at(m, 1, 1);
  g.stride = {g.kernel.rows, g.kernel.columns};
  if (m.has(2) && !m.args().int_list(2).empty()) g.stride = pair_at(m, 2, 1);
  g.pads = pair_at(m, 3, 0);
  const pair_of dilation = pair_at(m, 4, 1);
  if (dilation.rows != 1 || dilation.columns != 1) m.refuse("pools of NEM have no dilation");
  check_rounding(m, g, m.args().truth_or(5, false));
  pool_images(m, op, g);
}

void map_average_pool(mapper& m, opcode op) {
  geometry g;
  g.kernel = pair_at(m, 1, 1);
  g.stride = {g.kernel.rows, g.kernel.columns};
  if (m.has(2) && !m.args().int_list(2).empty()) g.stride = pair_at(m, 2, 1);
  g.pads = pair_at(m, 3, 0);
  check_rounding(m, g, m.args().truth_or(4, false));
  if ((g.pads.rows != 0 || g.pads.columns != 0) && m.args().truth_or(5, true))
    m.refuse("a pool of NEM doesn't count padding");
  if (m.has(6)) m.refuse("a pool of NEM has no divisor of its own");
  pool_images(m, op, g);
}

void map_adaptive_pool(mapper& m, opcode op) {
  const dimensions in = m.operand(0).shape, out = m.result_shape();
  const std::size_t r = in.size();
  if (in[r - 2] % out[r - 2] != 0 || in[r - 1] % out[r - 1] != 0)
    m.refuse("its windows differ in size");
  geometry g;
  g.kernel = g.stride = {in[r - 2] / out[r - 2], in[r - 1] / out[r - 1]};
  pool_images(m, op, g);
}

void map_mean(mapper& m, opcode op) {
  tensor_view x = m.operand(0);
  const dimensions out = m.result_shape();
  std::vector<bool> is_folded(x.rank(), !m.has(1) || m.args().int_list(1).empty());
  if (m.has(1))
    for (const std::int64_t d : m.args().int_list(1))
      is_folded[static_cast<std::size_t>(d < 0 ? d + static_cast<std::int64_t>(x.rank()) : d)] =
          true;
  // [those before, folded, 1, those after]: what is folded is in a row.
  std::size_t first = 0;
  while (first < x.rank() && !is_folded[first]) ++first;
  std::size_t last = first;
  while (last < x.rank() && is_folded[last]) ++last;
  for (std::size_t k = last; k < x.rank(); ++k)
    if (is_folded[k] && x.shape[k] != 1) m.refuse("it folds dimensions that are apart");
  if (first == x.rank()) return m.give(m.reshape(x, out));
  const std::span<const std::int64_t> dims = x.shape;
  const std::int64_t before = product(dims.first(first));
  const std::int64_t folded = product(dims.subspan(first, last - first));
  const std::int64_t after = product(dims.subspan(last));
  const std::int64_t columns = last - first == 2 ? dims[last - 1] : 1;
  geometry g;
  g.kernel = g.stride = {folded / columns, columns};
  const tensor_view y =
      pool(m, op, m.reshape(x, {before, folded / columns, columns, after}), g, 1, 1);
  m.give(m.reshape(y, out));
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
