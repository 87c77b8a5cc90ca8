// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/map_products.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "transform/lower/map_chains.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

using nem::attribute;
using nem::element;
using nem::opcode;
using o = nac::operation;

}  // namespace

std::vector<std::int32_t> first_dimensions(std::size_t count) {
  std::vector<std::int32_t> out(count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

access vector_access(const tensor_view& v, std::size_t dimension) {
  return {v, {static_cast<std::int32_t>(dimension)}};
}

tensor_view write_new(mapper& m, step& s) {
  const tensor_view y = m.make(s.dims);
  s.write = {y, first_dimensions(s.dims.size())};
  return y;
}

std::optional<tensor_view> bias_of(mapper& m, std::size_t letter, std::int64_t columns) {
  if (!m.has(letter)) return std::nullopt;
  const tensor_view bias = m.operand(letter);
  if (bias.rank() > 1) m.refuse("what it adds isn't a vector");
  return expanded(bias, {columns});
}

tensor_view product_with(mapper& m, tensor_view x, const tensor_view& w, const tensor_view* bias) {
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

tensor_view by_matrix(mapper& m, const tensor_view& x, std::size_t axis,
                      std::vector<float> matrix) {
  const std::int64_t rows = x.shape[axis];
  const auto columns = static_cast<std::int64_t>(matrix.size()) / rows;
  const std::vector<std::size_t> order = with_last(axis, x.rank());
  const tensor_view w = m.constant(std::move(matrix), {rows, columns});
  return permuted(product_with(m, permuted(x, order), w, nullptr), inverse_of(order));
}

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

namespace {

void linear(mapper& m, opcode) {
  const tensor_view w = m.operand(1);
  if (w.rank() != 2) m.refuse("its weight isn't a matrix");
  const std::optional<tensor_view> bias = bias_of(m, 2, w.shape[0]);
  m.give(product_with(m, m.operand(0), permuted(w, {1, 0}), bias ? &*bias : nullptr));
}

/// a b of any ranks: a vector is a row on the left, a column on the right.
[[nodiscard]] tensor_view product_of(mapper& m, const tensor_view& a, const tensor_view& b) {
  if (b.rank() == 1) {
    tensor_view column = b;
    column.shape.push_back(1);
    column.strides.push_back(0);
    const tensor_view y = product_of(m, a, column);
    return without(y, y.rank() - 1);
  }
  if (a.rank() == 1) {
    const tensor_view y = product_of(m, of_rank(a, 2), b);
    return without(y, y.rank() - 2);
  }
  return b.rank() == 2 ? product_with(m, a, b, nullptr) : batched_product(m, a, b);
}

void matmul(mapper& m, opcode) { m.give(product_of(m, m.operand(0), m.operand(1))); }

void outer(mapper& m, opcode op) {
  tensor_view column = m.operand(0);
  column.shape.push_back(1);
  column.strides.push_back(0);
  chain c(m, m.result_shape());
  const chain::value a = c.input(column), b = c.input(m.operand(1));
  c.finish(c.apply(op, {a, b}));
}

/// beta c + alpha a b
void add_matrix_product(mapper& m, opcode op) {
  const double beta = m.args().real_or(3, 1), alpha = m.args().real_or(4, 1);
  const tensor_view bias = m.operand(0), x = m.operand(1), w = m.operand(2);
  if (bias.rank() <= 1 && w.rank() == 2 && beta == 1 && alpha == 1) {
    const tensor_view wide = expanded(bias, {w.shape[1]});
    return m.give(product_with(m, x, w, &wide));
  }
  const tensor_view y = product_of(m, x, w);
  chain c(m, m.result_shape());
  chain::value p = c.input(y), b = c.input(bias);
  if (alpha != 1) p = c.mul(p, c.number(alpha));
  if (beta != 1) b = c.mul(b, c.number(beta));
  c.finish(c.apply(op, {p, b}));
}

// ---- sums of products by letters

/// Which letters a product has: in both operands and the result, in both only, in one.
struct letters {
  std::string left, right, out;
  std::string batch = {}, rows = {}, columns = {}, inner = {};
};
[[nodiscard]] std::optional<letters> letters_of(std::string_view equation) {
  std::string text;
  for (const char ch : equation)
    if (ch != ' ') text += ch;
  const std::size_t comma = text.find(','), arrow = text.find("->");
  if (comma == text.npos || arrow == text.npos || text.find(',', comma + 1) != text.npos ||
      text.find('.') != text.npos)
    return std::nullopt;
  letters l{text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1),
            text.substr(arrow + 2)};
  const auto has = [](const std::string& in, char ch) { return in.find(ch) != in.npos; };
  for (std::size_t k = 0; k < l.left.size(); ++k) {
    const char ch = l.left[k];
    const bool in_right = has(l.right, ch), in_out = has(l.out, ch);
    if (l.left.find(ch) != k || (!in_right && !in_out)) return std::nullopt;
    (in_right ? in_out ? l.batch : l.inner : l.rows) += ch;
  }
  for (std::size_t k = 0; k < l.right.size(); ++k) {
    const char ch = l.right[k];
    if (l.right.find(ch) != k || (!has(l.left, ch) && !has(l.out, ch))) return std::nullopt;
    if (!has(l.left, ch)) l.columns += ch;
  }
  return l;
}
/// The dimensions of a view in the order of some of its letters.
[[nodiscard]] tensor_view ordered(const tensor_view& v, const std::string& of,
                                  const std::string& order) {
  std::vector<std::size_t> by;
  for (const char ch : order) by.push_back(of.find(ch));
  return permuted(v, by);
}

void einsum(mapper& m, opcode) {
  const std::optional<letters> l = letters_of(m.args().string_or(0, ""));
  if (!l || m.args().count(1) != 2)
    m.refuse("only sums of products of two operands, without dots or repeated letters");
  const tensor_view a = ordered(m.operand(1, 0), l->left, l->batch + l->rows + l->inner);
  const tensor_view b = ordered(m.operand(1, 1), l->right, l->batch + l->inner + l->columns);
  const std::span<const std::int64_t> of_a = a.shape, of_b = b.shape;
  const std::size_t n = l->batch.size();
  const std::int64_t batch = product(of_a.first(n));
  const std::int64_t rows = product(of_a.subspan(n, l->rows.size()));
  const std::int64_t inner = product(of_b.subspan(n, l->inner.size()));
  const std::int64_t columns = product(of_b.subspan(n + l->inner.size()));
  const tensor_view y =
      batched_product(m, m.reshape(a, {batch, rows, inner}), m.reshape(b, {batch, inner, columns}));
  dimensions shape(of_a.begin(), of_a.begin() + static_cast<std::ptrdiff_t>(n + l->rows.size()));
  shape.insert(shape.end(), of_b.begin() + static_cast<std::ptrdiff_t>(n + l->inner.size()),
               of_b.end());
  m.give(ordered(m.reshape(y, shape), l->batch + l->rows + l->columns, l->out));
}

constexpr mapping product_rows[] = {
    {o::linear, linear, opcode::gemm},
    {o::addmm, add_matrix_product, opcode::add},
    {o::addmv, add_matrix_product, opcode::add},
    {o::baddbmm, add_matrix_product, opcode::add},
    {o::matmul, matmul, opcode::gemm},
    {o::mv, matmul, opcode::gemm},
    {o::dot, matmul, opcode::gemm},
    {o::outer, outer, opcode::mul},
    {o::einsum, einsum, opcode::gemm},
};

}  // namespace

std::span<const mapping> product_mappings() noexcept { return product_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
