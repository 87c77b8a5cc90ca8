// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions, pools, pads and resized images.
//
// Images are NHWC, lines images of one row. A volume's depth is a batch where windows go through rows
// and columns; its kernel's slices are channels of a convolution. A transposed convolution is one over an
// image with zeros between its elements. Without conv2d of the type, what a window sees is a row of a
// matrix.

#include <algorithm>
#include <limits>
#include <optional>

#include "transform/lower/map_chains.hpp"
#include "vm/nac/operations.hpp"
#include "vm/nac/types.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

namespace {

namespace vn = vm::nac;
using nem::attribute;
using nem::element;
using nem::expr;
using nem::opcode;
using o = nac::operation;

[[nodiscard]] expr list_of(pair_of p) { return {p.rows, p.columns}; }

/// The window of the rows of an image.
[[nodiscard]] window window_of(const window_geometry& g) {
  window w;
  w.exists = true;
  w.dimension = 1;
  w.stride = g.stride.rows;
  w.extent = g.dilation.rows * (g.kernel.rows - 1) + 1;
  w.before = g.before.rows;
  w.after = g.after.rows;
  w.left = g.before.columns;
  w.right = g.after.columns;
  return w;
}

// ---- numbers of each dimension

/// One number for each of `count` dimensions: the list's, or its only one for all.
[[nodiscard]] dimensions numbers_at(mapper& m, std::size_t letter, std::size_t count,
                                    std::int64_t otherwise) {
  if (!m.has(letter)) return dimensions(count, otherwise);
  const std::span<const std::int64_t> list = m.args().int_list(letter);
  if (list.empty()) return dimensions(count, otherwise);
  if (list.size() == 1) return dimensions(count, list[0]);
  return {list.begin(), list.end()};
}

/// The windows of lines, images or volumes: by dimension.
struct windows {
  dimensions kernel, stride, dilation, before, after;

  [[nodiscard]] std::size_t count() const noexcept { return kernel.size(); }
  /// Of rows and columns, the last two dimensions.
  [[nodiscard]] window_geometry of_image() const {
    const std::size_t n = count();
    const auto pair = [n](const dimensions& d, std::int64_t otherwise) {
      return pair_of{n > 1 ? d[n - 2] : otherwise, d[n - 1]};
    };
    return {pair(kernel, 1), pair(stride, 1), pair(dilation, 1), pair(before, 0), pair(after, 0)};
  }
  /// Of the first dimension of three, as rows.
  [[nodiscard]] window_geometry of_depth() const {
    return {{kernel[0], 1}, {stride[0], 1}, {dilation[0], 1}, {before[0], 0}, {after[0], 0}};
  }
};

/// [N, C, D, H, W] with as many of D and H as there are, as [N, D, H, W, C]; 1 for what isn't there.
[[nodiscard]] tensor_view channels_last(const tensor_view& v, std::size_t count) {
  tensor_view out{v.home, v.offset, {v.shape[0]}, {v.strides[0]}};
  for (std::size_t k = count; k < 3; ++k) {
    out.shape.push_back(1);
    out.strides.push_back(0);
  }
  for (std::size_t k = 2; k < v.rank(); ++k) {
    out.shape.push_back(v.shape[k]);
    out.strides.push_back(v.strides[k]);
  }
  out.shape.push_back(v.shape[1]);
  out.strides.push_back(v.strides[1]);
  return out;
}
/// And back.
[[nodiscard]] tensor_view channels_first(const tensor_view& v, std::size_t count) {
  tensor_view out{v.home, v.offset, {v.shape[0], v.shape[4]}, {v.strides[0], v.strides[4]}};
  for (std::size_t k = 4 - count; k < 4; ++k) {
    out.shape.push_back(v.shape[k]);
    out.strides.push_back(v.strides[k]);
  }
  return out;
}
/// [N, D, H, W, C] as images of all depths, and back.
[[nodiscard]] tensor_view flat_depth(mapper& m, const tensor_view& v) {
  return m.reshape(v, {v.shape[0] * v.shape[1], v.shape[2], v.shape[3], v.shape[4]});
}
[[nodiscard]] tensor_view with_depth(mapper& m, const tensor_view& v, std::int64_t batch) {
  return m.reshape(v, {batch, v.shape[0] / batch, v.shape[1], v.shape[2], v.shape[3]});
}

// ---- convolutions

struct filter {
  tensor_view w;  ///< [Kd, Kh, Kw, Cin / groups, Cout]
  std::optional<tensor_view> bias;
  std::int64_t groups = 1;
};

/// x is NHWC, w is HWIO; the result is NHWC.
[[nodiscard]] tensor_view convolve(mapper& m, const tensor_view& x, const tensor_view& w,
                                   const std::optional<tensor_view>& bias, const window_geometry& g,
                                   std::int64_t groups) {
  const bool has_bias = bias && m.has_bias("conv2d", *bias);
  if (!has_bias) m.need_product("conv2d");
  step s;
  s.dims = {x.shape[0], g.rows(x.shape[1]), g.columns(x.shape[2]), w.shape[3]};
  s.fixed = 2;
  s.can_split = groups == 1;
  s.reads = {{x, {0, 1, -1, -1}}, {w, {-1, -1, -1, 3}}};
  s.window = window_of(g);
  tile_task t{opcode::conv2d, {of_read(0, 4, 4), of_read(1, 4, 4)}, of_register(0, 4, 4)};
  if (bias) s.reads.push_back(vector_access(*bias, 3));
  if (has_bias) t.in.push_back(of_read(2, 1));
  t.attributes = {{attribute::strides, list_of(g.stride)},
                  {attribute::dilations, list_of(g.dilation)},
                  {attribute::groups, groups},
                  {attribute::accum_type, element::f32}};
  t.has_pads = true;
  s.tasks = {std::move(t)};
  s.registers = 1;
  s.result = of_register(0);
  if (bias && !has_bias) {
    m.need("eltwise", "default");
    s.tasks.push_back({opcode::add, {of_register(0), broadcast(2)}, of_register(1)});
    s.registers = 2;
    s.result = of_register(1);
  }
  const tensor_view y = write_new(m, s);
  m.add(std::move(s));
  return y;
}

/// Elements of a padded dimension that one element of the kernel is multiplied with.
[[nodiscard]] tensor_view tap(const tensor_view& x, std::size_t dimension, std::int64_t first,
                              std::int64_t stride, std::int64_t count) {
  tensor_view out = narrowed(x, dimension, first, count);
  out.strides[dimension] *= stride;
  return out;
}

/// What each window sees in a row, by groups of channels: [N, H, W, groups, taps, C / groups].
[[nodiscard]] tensor_view seen(mapper& m, const tensor_view& x, const window_geometry& g,
                               std::int64_t groups) {
  const tensor_view wide = padded(m, x, {0, g.before.rows, g.before.columns, 0},
                                  {0, g.after.rows, g.after.columns, 0}, 0);
  const std::int64_t rows = g.rows(x.shape[1]), columns = g.columns(x.shape[2]);
  const std::int64_t each = x.shape[3] / groups;
  m.need("view", "default");
  const tensor_view to =
      m.make({x.shape[0], rows, columns, groups, g.kernel.rows * g.kernel.columns, each});
  for (std::int64_t i = 0; i < g.kernel.rows; ++i)
    for (std::int64_t j = 0; j < g.kernel.columns; ++j) {
      const tensor_view line = tap(wide, 1, i * g.dilation.rows, g.stride.rows, rows);
      const tensor_view part = tap(line, 2, j * g.dilation.columns, g.stride.columns, columns);
      m.copy(*reshaped(part, {x.shape[0], rows, columns, groups, each}),
             without(narrowed(to, 4, i * g.kernel.columns + j, 1), 4));
    }
  return to;
}

/// The same by products of matrices.
[[nodiscard]] tensor_view convolve_by_products(mapper& m, const tensor_view& x,
                                               const tensor_view& w,
                                               const std::optional<tensor_view>& bias,
                                               const window_geometry& g, std::int64_t groups) {
  const tensor_view rows = seen(m, x, g, groups);
  const std::int64_t depth = rows.shape[4] * rows.shape[5], out = w.shape[3];
  const dimensions image = {rows.shape[0], rows.shape[1], rows.shape[2], out};
  if (groups == 1)
    return m.reshape(product_with(m, m.reshape(rows, {image[0] * image[1] * image[2], depth}),
                                  m.reshape(w, {depth, out}), bias ? &*bias : nullptr),
                     image);
  // By groups: [groups, pixels, depth] [groups, depth, out / groups].
  const tensor_view left =
      permuted(m.reshape(rows, {image[0] * image[1] * image[2], groups, depth}), {1, 0, 2});
  const tensor_view right = permuted(m.reshape(w, {depth, groups, out / groups}), {1, 0, 2});
  const tensor_view y = permuted(batched_product(m, left, right), {1, 0, 2});
  if (!bias) return m.reshape(y, image);
  chain c(m, image);
  return c.result(c.add(c.input(m.reshape(y, image)), c.input(*bias)));
}

[[nodiscard]] tensor_view convolve_images(mapper& m, const tensor_view& x, const tensor_view& w,
                                          const std::optional<tensor_view>& bias,
                                          const window_geometry& g, std::int64_t groups) {
  if (m.device().is_quantized() || m.device_has("conv2d.float", "no_bias") ||
      !m.device_has("gemm.float", "no_bias"))
    return convolve(m, x, w, bias, g, groups);
  return convolve_by_products(m, x, w, bias, g, groups);
}

/// x is [N, D, H, W, C], and so is the result.
[[nodiscard]] tensor_view convolve_volume(mapper& m, const tensor_view& x, const filter& f,
                                          const windows& g) {
  const std::int64_t batch = x.shape[0];
  const tensor_view& w = f.w;
  if (w.shape[0] == 1 && x.shape[1] == 1)
    return with_depth(
        m, convolve_images(m, flat_depth(m, x), without(w, 0), f.bias, g.of_image(), f.groups),
        batch);
  // Slices of the kernel side by side, as channels: [N, D, H, W, groups, Kd, C / groups].
  const window_geometry along = g.of_depth();
  const tensor_view deep =
      padded(m, x, {0, along.before.rows, 0, 0, 0}, {0, along.after.rows, 0, 0, 0}, 0);
  const std::int64_t depth = along.rows(x.shape[1]), taps = along.kernel.rows;
  const std::int64_t each = x.shape[4] / f.groups;
  const tensor_view all = m.make({batch, depth, x.shape[2], x.shape[3], f.groups, taps, each});
  m.need("view", "default");
  for (std::int64_t k = 0; k < taps; ++k) {
    const tensor_view part = tap(deep, 1, k * along.dilation.rows, along.stride.rows, depth);
    m.copy(*reshaped(part, {batch, depth, x.shape[2], x.shape[3], f.groups, each}),
           without(narrowed(all, 5, k, 1), 5));
  }
  const tensor_view images =
      m.reshape(all, {batch * depth, x.shape[2], x.shape[3], x.shape[4] * taps});
  const tensor_view flat =
      m.reshape(permuted(w, {1, 2, 0, 3, 4}), {w.shape[1], w.shape[2], taps * each, w.shape[4]});
  return with_depth(m, convolve_images(m, images, flat, f.bias, g.of_image(), f.groups), batch);
}

/// [Cout, Cin / groups, D, H, W], with as many of them as there are, as [D, H, W, Cin / groups, Cout].
[[nodiscard]] tensor_view kernel_of(const tensor_view& w, std::size_t count) {
  tensor_view out{w.home, w.offset, {}, {}};
  for (std::size_t k = count; k < 3; ++k) {
    out.shape.push_back(1);
    out.strides.push_back(0);
  }
  for (std::size_t k = 2; k < w.rank(); ++k) {
    out.shape.push_back(w.shape[k]);
    out.strides.push_back(w.strides[k]);
  }
  for (const std::size_t k : {std::size_t{1}, std::size_t{0}}) {
    out.shape.push_back(w.shape[k]);
    out.strides.push_back(w.strides[k]);
  }
  return out;
}

/// Which letters a convolution has its numbers at; `no_letter`: it has none.
struct convolution_letters {
  std::size_t stride, padding, dilation, groups, output_padding;
};
constexpr std::size_t no_letter = ~std::size_t{0};

/// Convolves operand 0, [N, C, …] or without N.
[[nodiscard]] tensor_view convolved(mapper& m, const tensor_view& given, const filter& f,
                                    const windows& g) {
  const bool has_batch = given.rank() == g.count() + 2;
  const tensor_view x = channels_last(of_rank(given, g.count() + 2), g.count());
  const tensor_view y = channels_first(convolve_volume(m, x, f, g), g.count());
  return has_batch ? y : without(y, 0);
}

[[nodiscard]] windows windows_of(mapper& m, const convolution_letters& at) {
  const tensor_view w = m.operand(1);
  if (w.rank() < 3 || w.rank() > 5) m.refuse("only lines, images and volumes are convolved");
  const std::size_t n = w.rank() - 2;
  windows g;
  g.kernel.assign(w.shape.begin() + 2, w.shape.end());
  g.stride = numbers_at(m, at.stride, n, 1);
  g.dilation = numbers_at(m, at.dilation, n, 1);
  g.before = g.after = at.padding == no_letter ? dimensions(n, 0) : numbers_at(m, at.padding, n, 0);
  return g;
}
void convolve_by(mapper& m, const convolution_letters& at) {
  const windows g = windows_of(m, at);
  const tensor_view w = kernel_of(m.operand(1), g.count());
  const filter f{w, bias_of(m, 2, w.shape.back()),
                 m.has(at.groups) ? m.args().whole(at.groups) : 1};
  m.give(convolved(m, m.operand(0), f, g));
}

/// [Cin, Cout / groups, …] turned round in all directions, as a convolution has them:
/// [D, H, W, Cin / groups, Cout].
[[nodiscard]] tensor_view turned_kernel(mapper& m, std::size_t count, std::int64_t groups) {
  if (!m.is_constant(1)) m.refuse("its weights depend on inputs");
  const std::vector<float> from = m.elements(1);
  const dimensions shape = m.operand(1).shape;
  const std::int64_t in = shape[0], out = shape[1];
  const std::int64_t taps = product(std::span(shape).subspan(2));
  std::vector<float> to(from.size());
  for (std::int64_t t = 0; t < taps; ++t)
    for (std::int64_t i = 0; i < in; ++i)
      for (std::int64_t k = 0; k < out; ++k) {
        const std::int64_t group = i / (in / groups), row = i % (in / groups);
        to[static_cast<std::size_t>(((taps - 1 - t) * (in / groups) + row) * (out * groups) +
                                    group * out + k)] =
            from[static_cast<std::size_t>((i * out + k) * taps + t)];
      }
  dimensions of(3 - count, 1);
  of.insert(of.end(), shape.begin() + 2, shape.end());
  of.push_back(in / groups);
  of.push_back(out * groups);
  return m.constant(std::move(to), of);
}

/// x[N, C, …] with stride - 1 zeros between its elements.
[[nodiscard]] tensor_view stuffed(mapper& m, const tensor_view& x, const windows& g) {
  dimensions shape = {x.shape[0]};
  std::vector<std::size_t> order = {0};
  bool is_apart = false;
  for (std::size_t k = 0; k < g.count(); ++k) {
    shape.push_back((x.shape[k + 2] - 1) * g.stride[k] + 1);
    order.push_back(k + 2);
    is_apart = is_apart || g.stride[k] != 1;
  }
  if (!is_apart) return x;
  shape.push_back(x.shape[1]);
  order.push_back(1);
  const tensor_view y = filled(m, shape, 0);
  tensor_view to = y;
  for (std::size_t k = 0; k < g.count(); ++k) {
    to.shape[k + 1] = x.shape[k + 2];
    to.strides[k + 1] *= g.stride[k];
  }
  m.copy(permuted(x, order), to);
  return permuted(y, inverse_of(order));
}

void transpose_by(mapper& m, const convolution_letters& at) {
  windows g = windows_of(m, at);
  const std::size_t n = g.count();
  const std::int64_t groups = m.has(at.groups) ? m.args().whole(at.groups) : 1;
  const dimensions extra = numbers_at(m, at.output_padding, n, 0);
  const tensor_view given = m.operand(0);
  tensor_view x = stuffed(m, of_rank(given, n + 2), g);
  dimensions before(n + 2), after(n + 2);  // what is taken off
  for (std::size_t k = 0; k < n; ++k) {
    const std::int64_t reach = g.dilation[k] * (g.kernel[k] - 1);
    const std::int64_t low = reach - g.before[k], high = reach - g.after[k] + extra[k];
    g.before[k] = std::max<std::int64_t>(low, 0);
    g.after[k] = std::max<std::int64_t>(high, 0);
    before[k + 2] = std::min<std::int64_t>(low, 0);
    after[k + 2] = std::min<std::int64_t>(high, 0);
    g.stride[k] = 1;
  }
  x = padded(m, x, before, after, 0);
  const tensor_view w = turned_kernel(m, n, groups);
  const filter f{w, bias_of(m, 2, w.shape.back()), groups};
  const tensor_view y = convolved(m, x, f, g);
  m.give(given.rank() == n + 2 ? y : without(y, 0));
}

void convolution_nd(mapper& m, opcode) { convolve_by(m, {3, 4, 5, 6, no_letter}); }
void transposed_convolution(mapper& m, opcode) { transpose_by(m, {3, 4, 7, 6, 5}); }
void convolution(mapper& m, opcode) {
  if (m.args().truth_or(6, false)) return transpose_by(m, {3, 4, 5, 8, 7});
  convolve_by(m, {3, 4, 5, 8, no_letter});
}
/// "same" or "valid".
void padded_convolution(mapper& m, opcode) {
  windows g = windows_of(m, {3, no_letter, 5, 6, no_letter});
  if (m.args().string_or(4, "valid") == "same")
    for (std::size_t k = 0; k < g.count(); ++k) {
      const std::int64_t all = g.dilation[k] * (g.kernel[k] - 1);
      g.before[k] = all / 2;
      g.after[k] = all - all / 2;
    }
  const tensor_view w = kernel_of(m.operand(1), g.count());
  const filter f{w, bias_of(m, 2, w.shape.back()), m.has(6) ? m.args().whole(6) : 1};
  m.give(convolved(m, m.operand(0), f, g));
}

// ---- pools

/// Of a dimension: rows of a matrix by which windows are averaged.
[[nodiscard]] std::vector<float> average_matrix(std::int64_t in, std::int64_t out,
                                                const std::vector<pair_of>& of,
                                                const std::vector<std::int64_t>& divisors) {
  std::vector<float> matrix(static_cast<std::size_t>(in * out));
  for (std::int64_t k = 0; k < out; ++k) {
    const auto [first, end] = of[static_cast<std::size_t>(k)];
    for (std::int64_t i = first; i < end; ++i)
      matrix[static_cast<std::size_t>(i * out + k)] =
          1 / static_cast<float>(divisors[static_cast<std::size_t>(k)]);
  }
  return matrix;
}

/// A pool's arguments, and what its result has.
struct pool_call {
  tensor_view x;  ///< [N, C, …]
  windows g;
  dimensions out;  ///< of windows
  bool has_batch = true;
};
[[nodiscard]] pool_call pool_of(mapper& m, std::size_t n, std::size_t dilation) {
  pool_call p;
  const tensor_view given = m.operand(0);
  if (given.rank() != n + 1 && given.rank() != n + 2) m.refuse("only images are pooled");
  p.has_batch = given.rank() == n + 2;
  p.x = of_rank(given, n + 2);
  p.g.kernel = numbers_at(m, 1, n, 1);
  p.g.stride = p.g.kernel;
  if (m.has(2) && !m.args().int_list(2).empty()) p.g.stride = numbers_at(m, 2, n, 1);
  p.g.before = p.g.after = numbers_at(m, 3, n, 0);
  p.g.dilation = dilation == no_letter ? dimensions(n, 1) : numbers_at(m, dilation, n, 1);
  const dimensions shape = m.result_shape();
  p.out.assign(shape.end() - static_cast<std::ptrdiff_t>(n), shape.end());
  return p;
}

/// Pools rows and columns, then depths. Padding is what the windows see beyond the image.
[[nodiscard]] tensor_view pool_volume(mapper& m, opcode op, const tensor_view& given,
                                      const windows& g) {
  const std::size_t n = g.count();
  const tensor_view x = channels_last(given, n);
  const std::int64_t batch = x.shape[0];
  tensor_view y = with_depth(m, pooled(m, op, flat_depth(m, x), g.of_image()), batch);
  if (n == 3 && (g.kernel[0] != 1 || g.stride[0] != 1)) {
    const dimensions s = y.shape;
    y = pooled(m, op, m.reshape(y, {s[0], s[1], s[2] * s[3], s[4]}), g.of_depth());
    y = m.reshape(y, {s[0], y.shape[1], s[2], s[3], s[4]});
  }
  return channels_first(y, n);
}

/// The greatest of elements that are `dilation` apart, one dimension after the other.
[[nodiscard]] tensor_view greatest_of_taps(mapper& m, const pool_call& p) {
  tensor_view y = p.x;
  for (std::size_t k = 0; k < p.g.count(); ++k) {
    dimensions before(y.rank()), after(y.rank());
    before[k + 2] = p.g.before[k];
    after[k + 2] = (p.out[k] - 1) * p.g.stride[k] + p.g.dilation[k] * (p.g.kernel[k] - 1) + 1 -
                   p.g.before[k] - y.shape[k + 2];
    y = padded(m, y, before, after, -std::numeric_limits<double>::infinity());
    dimensions shape = y.shape;
    shape[k + 2] = p.out[k];
    chain c(m, shape);
    chain::value most = c.input(tap(y, k + 2, 0, p.g.stride[k], p.out[k]));
    for (std::int64_t i = 1; i < p.g.kernel[k]; ++i)
      most = c.apply(opcode::max,
                     {most, c.input(tap(y, k + 2, i * p.g.dilation[k], p.g.stride[k], p.out[k]))});
    y = c.result(most);
  }
  return y;
}

template <std::size_t N>
void max_pool(mapper& m, opcode op) {
  pool_call p = pool_of(m, N, 4);
  bool is_dilated = false;
  for (std::size_t k = 0; k < N; ++k) {
    is_dilated = is_dilated || p.g.dilation[k] != 1;
    // Windows beyond the end where it rounds up, pixels that none sees where it rounds down.
    const std::int64_t end = (p.out[k] - 1) * p.g.stride[k] + p.g.kernel[k];
    p.g.after[k] = end - p.g.before[k] - p.x.shape[k + 2];
  }
  if (is_dilated) {
    const tensor_view y = greatest_of_taps(m, p);
    return m.give(p.has_batch ? y : without(y, 0));
  }
  dimensions before(N + 2), after(N + 2);
  for (std::size_t k = 0; k < N; ++k) {
    after[k + 2] = std::min<std::int64_t>(p.g.after[k], 0);
    p.g.after[k] = std::max<std::int64_t>(p.g.after[k], 0);
  }
  const tensor_view y = pool_volume(m, op, padded(m, p.x, before, after, 0), p.g);
  m.give(p.has_batch ? y : without(y, 0));
}

/// Where what is averaged isn't as NEM's pools have it: by matrices, one for each dimension.
[[nodiscard]] tensor_view average_by_matrices(mapper& m, const pool_call& p, bool counts_padding,
                                              double divisor) {
  tensor_view y = p.x;
  for (std::size_t k = 0; k < p.g.count(); ++k) {
    const std::int64_t in = y.shape[k + 2], pad = p.g.before[k];
    std::vector<pair_of> of;
    std::vector<std::int64_t> divisors;
    for (std::int64_t i = 0; i < p.out[k]; ++i) {
      const std::int64_t first = i * p.g.stride[k] - pad;
      const std::int64_t end = std::min(first + p.g.kernel[k], in + pad);
      of.push_back({std::max<std::int64_t>(first, 0), std::min(end, in)});
      divisors.push_back(divisor != 0     ? 1
                         : counts_padding ? end - first
                                          : of.back().columns - of.back().rows);
    }
    y = by_matrix(m, y, k + 2, average_matrix(in, p.out[k], of, divisors));
  }
  if (divisor == 0) return y;
  chain c(m, y.shape);
  return c.result(c.mul(c.input(y), c.number(1 / divisor)));
}

template <std::size_t N>
void average_pool(mapper& m, opcode op) {
  pool_call p = pool_of(m, N, no_letter);
  const bool counts_padding = m.args().truth_or(5, true);
  const double divisor = N > 1 && m.has(6) ? m.args().real(6) : 0;
  bool has_pads = false, is_exact = true;
  for (std::size_t k = 0; k < N; ++k) {
    has_pads = has_pads || p.g.before[k] != 0;
    is_exact =
        is_exact &&
        (p.x.shape[k + 2] + 2 * p.g.before[k] - p.g.kernel[k]) / p.g.stride[k] + 1 == p.out[k];
  }
  const bool is_native = is_exact && divisor == 0 && (!has_pads || !counts_padding);
  const tensor_view y =
      is_native ? pool_volume(m, op, p.x, p.g) : average_by_matrices(m, p, counts_padding, divisor);
  m.give(p.has_batch ? y : without(y, 0));
}

/// The windows of an adaptive pool.
[[nodiscard]] std::vector<pair_of> adaptive_windows(std::int64_t in, std::int64_t out) {
  std::vector<pair_of> of;
  for (std::int64_t k = 0; k < out; ++k)
    of.push_back({k * in / out, ((k + 1) * in + out - 1) / out});
  return of;
}

template <std::size_t N, bool IsMax>
void adaptive_pool(mapper& m, opcode op) {
  const tensor_view given = m.operand(0);
  const dimensions shape = m.result_shape();
  const bool has_batch = given.rank() == N + 2;
  tensor_view y = of_rank(given, N + 2);
  windows g{dimensions(N, 1), dimensions(N, 1), dimensions(N, 1), dimensions(N, 0),
            dimensions(N, 0)};
  for (std::size_t k = 0; k < N; ++k) {
    const std::int64_t in = y.shape[k + 2], out = shape[shape.size() - N + k];
    if (in % out == 0) {
      g.kernel[k] = g.stride[k] = in / out;
      continue;
    }
    const std::vector<pair_of> of = adaptive_windows(in, out);
    std::vector<std::int64_t> sizes;
    for (const auto& [first, end] : of) sizes.push_back(end - first);
    if (!IsMax) {
      y = by_matrix(m, y, k + 2, average_matrix(in, out, of, sizes));
      continue;
    }
    // All windows of one size: the last elements of smaller ones again.
    g.kernel[k] = g.stride[k] = *std::max_element(sizes.begin(), sizes.end());
    std::vector<float> indices;
    for (const auto& [first, end] : of)
      for (std::int64_t i = 0; i < g.kernel[k]; ++i)
        indices.push_back(static_cast<float>(std::min(first + i, end - 1)));
    const auto count = static_cast<std::int64_t>(indices.size());
    y = m.pick(y, k + 2, m.index_constant(std::move(indices), {count}));
  }
  y = pool_volume(m, op, y, g);
  m.give(has_batch ? y : without(y, 0));
}

// ---- pads and resizing

/// A mode other than `constant` moves elements.
void pad(mapper& m, opcode) {
  if (m.args().string_or(2, "constant") != "constant") return m.move_elements();
  const tensor_view x = m.operand(0);
  const std::span<const std::int64_t> list = m.args().int_list(1);
  dimensions before(x.rank()), after(x.rank());
  for (std::size_t k = 0; 2 * k + 1 < list.size(); ++k) {
    before[x.rank() - 1 - k] = list[2 * k];
    after[x.rank() - 1 - k] = list[2 * k + 1];
  }
  double with = m.has(3) ? m.args().real(3) : 0;
  if (m.gives_truth()) with = with != 0 ? 1 : 0;
  m.give(padded(m, x, before, after, with));
}

/// Along a dimension, what the operation makes of each element: its rows are those of a matrix. Weights
/// of other dimensions add up to 1.
[[nodiscard]] std::vector<float> matrix_of(mapper& m, std::size_t axis) {
  const vn::tensor& x = m.args().tensor_at(0);
  const std::int64_t in = x.dim(axis);
  vn::shape dims = {1, in};
  for (std::size_t k = 2; k < x.rank(); ++k) dims.push_back(x.dim(k));
  vn::tensor basis = vn::make_tensor(m.net().arena(), nac::data_type::float32, dims);
  const std::int64_t after = dims.product(axis + 1, dims.rank());
  const std::int64_t each = dims.product(2, dims.rank());
  for (std::int64_t i = 0; i < in * each; ++i)
    basis.as<float>()[i] = i / each == i % each / after % in ? 1.0f : 0.0f;
  const vn::value by(std::move(basis));
  vn::call again = m.net().call_of(m.at(), m.args().binding().first[0], &by);
  const vn::value done = vn::run(again);
  const vn::tensor& y = done.as_tensor();
  const std::int64_t out = y.dim(axis), stride = y.dims.product(axis + 1, y.rank());
  const std::int64_t of_row = y.dims.product(2, y.rank());
  std::vector<float> matrix;
  for (std::int64_t i = 0; i < in; ++i)
    for (std::int64_t k = 0; k < out; ++k) matrix.push_back(y.as<float>()[i * of_row + k * stride]);
  return matrix;
}

/// Linear and cubic interpolation.
void interpolate(mapper& m, opcode) {
  tensor_view y = m.operand(0);
  const dimensions shape = m.result_shape();
  for (std::size_t k = 2; k < y.rank(); ++k)
    if (shape[k] != y.shape[k]) y = by_matrix(m, y, k, matrix_of(m, k));
  m.give(y);
}

// ---- sampling by places

/// Places of a regular grid, by a matrix for each of the batch: [N, 2, 3] or [N, 3, 4].
void affine_grid(mapper& m, opcode) {
  const tensor_view theta = m.operand(0);
  const dimensions out = m.result_shape();  // [N, …, rank]
  const std::size_t rank = out.size() - 2;
  const bool aligned_corners = m.args().truth_or(2, false);
  const std::span<const std::int64_t> sizes = std::span(out).subspan(1, rank);
  std::vector<float> base;
  for (std::int64_t p = 0; p < product(sizes); ++p) {
    std::int64_t rest = p;
    for (std::size_t k = rank; k-- != 0; rest /= sizes[k]) {
      const auto n = static_cast<double>(sizes[k]), at = static_cast<double>(rest % sizes[k]);
      const double place = !aligned_corners ? (2 * at + 1) / n - 1
                           : n > 1          ? at * 2 / (n - 1) - 1
                                            : 0;
      base.push_back(static_cast<float>(place));
    }
    base.push_back(1);
  }
  const auto columns = static_cast<std::int64_t>(rank + 1);
  const tensor_view places = m.constant(std::move(base), {1, product(sizes), columns});
  m.give(m.reshape(batched_product(m, places, permuted(theta, {0, 2, 1})), out));
}

/// Of one axis: the pixel before each place, and how far the place is from it.
struct sampled_axis {
  tensor_view before, part;
  std::int64_t size = 0;
};
[[nodiscard]] sampled_axis axis_places(mapper& m, const tensor_view& grid, std::int64_t size,
                                       bool aligned_corners, bool is_border, bool is_nearest) {
  const auto n = static_cast<double>(size);
  chain c(m, grid.shape);
  const chain::value g = c.add(c.input(grid), c.number(1));
  chain::value at = aligned_corners
                        ? c.mul(g, c.number((n - 1) / 2))
                        : c.apply(opcode::sub, {c.mul(g, c.number(n / 2)), c.number(0.5)});
  if (is_border) at = clamped(c, at, 0, n - 1);
  const tensor_view place = c.result(at);
  chain d(m, grid.shape);
  const chain::value p = d.input(place);
  const tensor_view before =
      d.result(is_nearest ? rounded_to_even(m, d, p) : rounded_down(m, d, p));
  chain e(m, grid.shape);
  return {before, e.result(e.apply(opcode::sub, {e.input(place), e.input(before)})), size};
}

/// 1 where a pixel is in the image, by 1 - min(|x - clamped x|, 1).
[[nodiscard]] chain::value is_inside(chain& c, const chain::value& x, const chain::value& within) {
  const chain::value off = c.apply(opcode::abs, {c.apply(opcode::sub, {x, within})});
  return inverted(c, c.apply(opcode::min, {off, c.number(1)}));
}

/// One of the pixels around each place, times its weight: [N, H, W, C].
[[nodiscard]] tensor_view corner(mapper& m, const tensor_view& pixels, const sampled_axis& y,
                                 const sampled_axis& x, int down, int right, bool is_nearest) {
  const dimensions shape = y.before.shape;
  const std::int64_t batch = shape[0];
  std::vector<float> first;
  for (std::int64_t n = 0; n < batch; ++n) first.push_back(static_cast<float>(n * y.size * x.size));
  const tensor_view start = m.constant(std::move(first), {batch, 1, 1});
  const auto pixel = [&](chain& c, const sampled_axis& a, int off) {
    return off == 0 ? c.input(a.before) : c.add(c.input(a.before), c.number(off));
  };
  const auto within = [](chain& c, const chain::value& v, const sampled_axis& a) {
    return clamped(c, v, 0, static_cast<double>(a.size - 1));
  };
  chain c(m, shape);
  const chain::value row = within(c, pixel(c, y, down), y),
                     column = within(c, pixel(c, x, right), x);
  const chain::value line = c.mul(row, c.number(static_cast<double>(x.size)));
  const tensor_view index = c.result(c.add(c.add(line, column), c.input(start)));
  chain w(m, shape);
  const chain::value v = pixel(w, y, down), h = pixel(w, x, right);
  chain::value weight = w.mul(is_inside(w, v, within(w, v, y)), is_inside(w, h, within(w, h, x)));
  const auto share = [&](const sampled_axis& a, int off) {
    return off == 0 ? inverted(w, w.input(a.part)) : w.input(a.part);
  };
  if (!is_nearest) weight = w.mul(weight, w.mul(share(y, down), share(x, right)));
  tensor_view weights = w.result(weight);
  weights.shape.push_back(1);
  weights.strides.push_back(0);
  const tensor_view taken = m.pick(pixels, 0, m.as_indices(index));
  chain d(m, taken.shape);
  return d.result(d.mul(d.input(taken), d.input(weights)));
}

void grid_sample(mapper& m, opcode op) {
  const tensor_view image = m.operand(0), grid = m.operand(1);
  const std::int64_t mode = m.args().whole(2), padding = m.args().whole(3);
  if (image.rank() != 4 || mode == 2 || padding == 2)
    m.refuse("only images are sampled, by one or four pixels, and not by reflection");
  const dimensions& s = image.shape;
  if (s[0] * s[2] * s[3] > m.device().exact_integers())
    m.refuse("indices of all pixels aren't exact in " + std::string(nem::name(m.device().type())));
  const tensor_view pixels =
      m.reshape(m.dense(permuted(image, {0, 2, 3, 1})), {s[0] * s[2] * s[3], s[1]});
  const bool corners = m.args().truth_or(4, false), is_border = padding == 1,
             is_nearest = mode == 1;
  const auto axis = [&](std::int64_t k, std::int64_t size) {
    return axis_places(m, without(narrowed(grid, 3, k, 1), 3), size, corners, is_border,
                       is_nearest);
  };
  const sampled_axis y = axis(1, s[2]), x = axis(0, s[3]);
  tensor_view sum = corner(m, pixels, y, x, 0, 0, is_nearest);
  for (int k = 1; k < 4 && !is_nearest; ++k) {
    const tensor_view next = corner(m, pixels, y, x, k / 2, k % 2, false);
    chain c(m, sum.shape);
    sum = c.result(c.apply(op, {c.input(sum), c.input(next)}));
  }
  m.give(permuted(sum, {0, 3, 1, 2}));
}

constexpr mapping window_rows[] = {
    {o::conv1d, convolution_nd, opcode::conv2d},
    {o::conv2d, convolution_nd, opcode::conv2d},
    {o::conv3d, convolution_nd, opcode::conv2d},
    {o::conv_padded, padded_convolution, opcode::conv2d},
    {o::conv_transpose, transposed_convolution, opcode::conv2d},
    {o::convolution, convolution, opcode::conv2d},
    {o::max_pool1d, max_pool<1>, opcode::maxpool},
    {o::max_pool2d, max_pool<2>, opcode::maxpool},
    {o::max_pool3d, max_pool<3>, opcode::maxpool},
    {o::max_pool1d_with_indices, max_pool<1>, opcode::maxpool},
    {o::max_pool2d_with_indices, max_pool<2>, opcode::maxpool},
    {o::max_pool3d_with_indices, max_pool<3>, opcode::maxpool},
    {o::avg_pool1d, average_pool<1>, opcode::avgpool},
    {o::avg_pool2d, average_pool<2>, opcode::avgpool},
    {o::avg_pool3d, average_pool<3>, opcode::avgpool},
    {o::adaptive_avg_pool1d, adaptive_pool<1, false>, opcode::avgpool},
    {o::adaptive_avg_pool2d, adaptive_pool<2, false>, opcode::avgpool},
    {o::adaptive_avg_pool3d, adaptive_pool<3, false>, opcode::avgpool},
    {o::adaptive_max_pool1d, adaptive_pool<1, true>, opcode::maxpool},
    {o::adaptive_max_pool2d, adaptive_pool<2, true>, opcode::maxpool},
    {o::adaptive_max_pool3d, adaptive_pool<3, true>, opcode::maxpool},
    {o::pad, pad, opcode::concat},
    {o::affine_grid_generator, affine_grid, opcode::gemm},
    {o::grid_sampler, grid_sample, opcode::add},
    {o::upsample_linear, interpolate, opcode::gemm},
    {o::upsample_linear_to, interpolate, opcode::gemm},
    {o::upsample_cubic, interpolate, opcode::gemm},
    {o::upsample_cubic_to, interpolate, opcode::gemm},
    {o::upsample_linear_antialiased, interpolate, opcode::gemm},
    {o::upsample_linear_antialiased_to, interpolate, opcode::gemm},
    {o::upsample_cubic_antialiased, interpolate, opcode::gemm},
    {o::upsample_cubic_antialiased_to, interpolate, opcode::gemm},
};

}  // namespace

tensor_view pooled(mapper& m, opcode op, const tensor_view& x, const window_geometry& g) {
  step s;
  s.dims = {x.shape[0], g.rows(x.shape[1]), g.columns(x.shape[2]), x.shape[3]};
  s.fixed = 2;
  s.can_split = true;
  s.reads = {{x, {0, 1, -1, 3}}};
  s.window = window_of(g);
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

tensor_view filled(mapper& m, const dimensions& shape, double value) {
  chain c(m, shape);
  const chain::value v = c.number(value);
  return c.result(c.apply(opcode::max, {v, v}));
}

tensor_view padded(mapper& m, const tensor_view& x, const dimensions& before,
                   const dimensions& after, double value) {
  tensor_view inner = x;
  dimensions shape;
  bool grows = false;
  for (std::size_t k = 0; k < x.rank(); ++k) {
    const std::int64_t low = std::min<std::int64_t>(before[k], 0);
    const std::int64_t high = std::min<std::int64_t>(after[k], 0);
    inner = narrowed(inner, k, -low, x.shape[k] + low + high);
    shape.push_back(x.shape[k] + before[k] + after[k]);
    grows = grows || before[k] > 0 || after[k] > 0;
  }
  if (!grows) return inner;
  // The elements stay in the order that they have.
  const std::vector<std::size_t> order = order_of(inner);
  dimensions turned;
  for (const std::size_t k : order) turned.push_back(shape[k]);
  const tensor_view y = permuted(filled(m, turned, value), inverse_of(order));
  tensor_view to = y;
  for (std::size_t k = 0; k < x.rank(); ++k)
    to = narrowed(to, k, std::max<std::int64_t>(before[k], 0), inner.shape[k]);
  m.copy(permuted(inner, order), permuted(to, order));
  return y;
}

std::span<const mapping> window_mappings() noexcept { return window_rows; }

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
