// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one to three dimensions, and their transposes.

#include <tuple>
#include <utility>

#include "multiply.hpp"
#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac::operations {

namespace {

using sizes = tensors::triple;

/// By a letter, if it is there.
[[nodiscard]] sizes sizes_or(call& c, std::size_t letter, std::size_t spatial,
                             const sizes& otherwise, std::int64_t least, const char* what) {
  return c.has(letter) ? sizes_of(c.int_list(letter), spatial, otherwise, least, what) : otherwise;
}

/// What a convolution is called with; the windows of a transposed one are over its results.
struct geometry : tensors::windows {
  std::size_t spatial = 2;
  std::int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  bool transposed = false, is_batch = true;
};

/// From the shapes, without the sizes of the result.
[[nodiscard]] geometry geometry_of(const tensor& x, const tensor& w, const tensor* bias,
                                   std::size_t spatial, std::int64_t groups, bool transposed) {
  expect_type(w, x.type);
  if (bias != nullptr) expect_type(*bias, x.type);
  if (x.type == data_type::boolean) refuse_type(x.type, "any type but bool");
  if (transposed && !is_floating(x.type) && x.type != data_type::int64)
    refuse_type(x.type, "a floating-point type or i64");
  const auto refuse = [&] {
    fail(errc::nac_run_shape, "input ", x.dims, " and weights ", w.dims, " with groups = ", groups,
         "; expected weights [", transposed ? "in, out / groups" : "out, in / groups",
         ", kernel...] without empty dimensions");
  };
  if (groups <= 0) fail(errc::nac_run_argument, "groups is ", groups, "; expected at least 1");
  if (w.rank() != spatial + 2 || (x.rank() != w.rank() && x.rank() + 1 != w.rank())) refuse();
  geometry g;
  g.spatial = spatial;
  g.groups = groups;
  g.transposed = transposed;
  g.is_batch = x.rank() == w.rank();
  const std::size_t at = g.is_batch ? 1 : 0;
  g.batch = g.is_batch ? x.dim(0) : 1;
  g.in_channels = x.dim(at);
  if (w.dim(0) == 0 || w.dim(1) == 0 || w.dim(0) % groups != 0) refuse();
  if (w.dim(1) > max_size || w.dim(0) > max_size || groups > max_size || g.in_channels > max_size)
    refuse();
  if ((transposed ? w.dim(0) : w.dim(1) * groups) != g.in_channels) refuse();
  g.out_channels = transposed ? w.dim(1) * groups : w.dim(0);
  if (bias != nullptr && !(bias->dims == shape{g.out_channels}))
    fail(errc::nac_run_shape, "bias has shape ", bias->dims, "; expected [", g.out_channels,
         "], one per output channel");
  for (std::size_t i = 0; i < spatial; ++i) {
    g.in[3 - spatial + i] = x.dim(at + 1 + i);
    g.kernel[3 - spatial + i] = w.dim(2 + i);
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (g.in[i] == 0 || g.kernel[i] == 0 || g.in[i] > max_size || g.kernel[i] > max_size) refuse();
  return g;
}

[[nodiscard]] shape result_shape(const geometry& g) {
  shape s;
  if (g.is_batch) s.push_back(g.batch);
  s.push_back(g.out_channels);
  for (std::size_t i = 3 - g.spatial; i < 3; ++i) s.push_back(g.out[i]);
  return s;
}

using tensors::volume;

/// How many windows' columns are made at a time: as many as stay in the cache.
[[nodiscard]] std::int64_t windows_at_once(std::int64_t rows, std::int64_t windows) noexcept {
  constexpr std::int64_t elements = std::int64_t{1} << 17;
  return std::min(std::max<std::int64_t>(elements / rows, 4), windows);
}

template <class T>
void fill_bias(const geometry& g, const T* bias, T* y) {
  const auto n = count_of(volume(g.out));
  for (std::int64_t i = 0; i < g.batch * g.out_channels; ++i, y += n)
    std::fill_n(y, n, bias != nullptr ? bias[i % g.out_channels] : T{});
}

/// Weights times the columns of a part of the image; or transposed weights times a part of the image,
/// which are columns that are added up where they belong.
template <class T>
void convolve(call& c, const geometry& g, const T* x, const T* w, const T* bias, T* y) {
  const std::int64_t in_group = g.in_channels / g.groups, out_group = g.out_channels / g.groups;
  tensors::windows over = g;
  if (g.transposed) std::swap(over.in, over.out);
  const std::int64_t channels = g.transposed ? out_group : in_group;
  const std::int64_t rows = channels * volume(g.kernel), windows = volume(over.out);
  const std::int64_t once = windows_at_once(rows, windows);
  const storage held = c.arena.take(count_of(rows * once) * sizeof(T));
  T* const columns = static_cast<T*>(static_cast<void*>(held.data()));
  fill_bias(g, bias, y);
  for (std::int64_t i = 0; i < g.batch * g.groups; ++i) {
    const T* const image = x + i * in_group * volume(g.in);
    const factor<T> weights{w + i % g.groups * in_group * out_group * volume(g.kernel),
                            count_of(rows), g.transposed};
    T* const result = y + i * out_group * volume(g.out);
    for (std::int64_t first = 0; first < windows; first += once) {
      const std::int64_t now = std::min(once, windows - first);
      const std::size_t n = count_of(now), all = count_of(windows);
      if (g.transposed) {  // the rows of a part of the image are that of all windows apart
        multiply<T>(count_of(rows), n, count_of(in_group), weights, {image + first, all}, columns,
                    n, false, c.work);
        tensors::add_columns<T>(over, result, channels, first, now, columns);
      } else {
        tensors::gather_columns<T>(over, image, channels, first, now, columns);
        multiply<T>(count_of(out_group), n, count_of(rows), weights, {columns, n}, result + first,
                    all, true, c.work);
      }
    }
  }
}

/// Each group of each image is a product of its weights with what is under the kernel, which is
/// gathered line by line.
void charge_work(memory& arena, const geometry& g, data_type type) {
  const std::uint64_t products = count_of(g.batch * g.groups);
  const std::uint64_t in_group = count_of(g.in_channels / g.groups);
  const std::uint64_t out_group = count_of(g.out_channels / g.groups);
  const sizes& windows = g.transposed ? g.in : g.out;
  const std::uint64_t kernel = count_of(volume(g.kernel));
  charge_products(arena, type, products, out_group, count_of(volume(windows)),
                  product_of_steps(in_group, kernel));
  const std::uint64_t gathered = product_of_steps(g.transposed ? out_group : in_group, kernel);
  const std::uint64_t lines = product_of_steps(gathered, count_of(windows[0] * windows[1]));
  arena.charge(product_of_steps(product_of_steps(products, operand_steps), lines));
}

/// Whether the kernel for images does it: it pads alike on both sides, not as an even "same".
[[nodiscard]] bool is_planar(const geometry& g) noexcept {
  bool agrees = !g.transposed && g.kernel[0] == 1 && g.in[0] == 1 && g.padding[0] == 0;
  for (std::size_t i = 1; i < 3; ++i)
    agrees &=
        (g.in[i] + 2 * g.padding[i] - g.dilation[i] * (g.kernel[i] - 1) - 1) / g.stride[i] + 1 ==
        g.out[i];
  return agrees;
}
[[nodiscard]] tensors::convolution planar(const geometry& g) noexcept {
  const auto pair = [](const sizes& s) { return std::pair(count_of(s[1]), count_of(s[2])); };
  tensors::convolution k{count_of(g.batch), count_of(g.in_channels), count_of(g.out_channels),
                         count_of(g.groups)};
  std::tie(k.in_h, k.in_w) = pair(g.in);
  std::tie(k.out_h, k.out_w) = pair(g.out);
  std::tie(k.kernel_h, k.kernel_w) = pair(g.kernel);
  std::tie(k.stride_h, k.stride_w) = pair(g.stride);
  std::tie(k.pad_h, k.pad_w) = pair(g.padding);
  std::tie(k.dilation_h, k.dilation_w) = pair(g.dilation);
  return k;
}

[[nodiscard]] tensor run(call& c, const geometry& g, const tensor& x, const tensor& w,
                         const tensor* bias) {
  const data_type type = widened(x.type);
  const tensor out = make_tensor(c.arena, type, result_shape(g));
  if (out.size() == 0) return cast(c.arena, out, x.type);
  charge_work(c.arena, g, type);
  // Counts of a group are those of tensors, and a row of columns is not longer than the weights.
  const tensor wide_x = cast(c.arena, x, type), wide_w = cast(c.arena, w, type);
  const tensor wide_bias = bias != nullptr ? cast(c.arena, *bias, type) : tensor{};
  visit_product(type, [&]<class T>(of<T>) {
    const T* const b = bias != nullptr ? wide_bias.as<T>() : nullptr;
    if constexpr (std::is_same_v<T, float>) {
      if (is_planar(g))
        return tensors::convolve(planar(g), wide_x.as<T>(), wide_w.as<T>(), b, out.as<T>(),
                                 c.work.convolutions());
    }
    convolve<T>(c, g, wide_x.as<T>(), wide_w.as<T>(), b, out.as<T>());
  });
  return cast(c.arena, out, x.type);
}

/// Sets the sizes of the result; `more` is the padding at the end beyond the symmetric padding.
void count_windows(geometry& g, const sizes& more) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t under = g.dilation[i] * (g.kernel[i] - 1);
    const std::int64_t span = g.in[i] + 2 * g.padding[i] + more[i] - under - 1;
    if (span < 0)
      fail(errc::nac_run_shape, "the kernel spans ", under + 1, " elements; expected at most ",
           g.in[i] + 2 * g.padding[i] + more[i], ", the padded size of the axis");
    g.out[i] = span / g.stride[i] + 1;
  }
}

void count_transposed(geometry& g, const sizes& output_padding) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (output_padding[i] != 0 && output_padding[i] >= std::max(g.stride[i], g.dilation[i]))
      fail(errc::nac_run_argument, "output_padding is ", output_padding[i],
           "; expected less than the stride, ", g.stride[i], ", or the dilation, ", g.dilation[i]);
    // At most 2^30 times 2^30 each.
    g.out[i] = (g.in[i] - 1) * g.stride[i] - 2 * g.padding[i] + g.dilation[i] * (g.kernel[i] - 1) +
               output_padding[i] + 1;
    if (g.out[i] <= 0)
      fail(errc::nac_run_shape, "an axis of ", g.in[i], " elements would become one of ", g.out[i],
           "; expected at least 1");
    if (g.out[i] > max_size)
      fail(errc::budget_memory, "an axis of ", g.out[i], " elements; expected at most ", max_size);
  }
}

/// Refuses images without a batch.
void expect_batch(const geometry& g, const tensor& x, const tensor& w) {
  if (!g.is_batch)
    fail(errc::nac_run_shape, "input has shape ", x.dims, "; expected ", w.rank(),
         " dimensions, as the weights ", w.dims, " have");
}

/// Dimensions of the images that weights are for.
[[nodiscard]] std::size_t spatial_of(const tensor& w) {
  if (w.rank() < 3 || w.rank() > 5)
    fail(errc::nac_run_shape, "weights have shape ", w.dims, "; expected 3 to 5 dimensions");
  return w.rank() - 2;
}

/// The letters of what not all convolutions have alike; x, w, bias, stride and padding are the first.
struct letters {
  std::size_t dilation = 5, output_padding = model::max_letters;
};
[[nodiscard]] tensor convolved(call& c, std::size_t spatial, std::int64_t groups, bool transposed,
                               const letters& at = {}, bool needs_batch = false) {
  const tensor &x = c.tensor_at(0), &w = c.tensor_at(1);
  const tensor* const bias = c.optional(2);
  geometry g = geometry_of(x, w, bias, spatial, groups, transposed);
  if (needs_batch) expect_batch(g, x, w);
  g.stride = sizes_or(c, 3, spatial, g.stride, 1, "a stride");
  g.padding = sizes_or(c, 4, spatial, g.padding, 0, "padding");
  g.dilation = sizes_or(c, at.dilation, spatial, g.dilation, 1, "a dilation");
  const sizes output_padding =
      at.output_padding == model::max_letters
          ? sizes{}
          : sizes_or(c, at.output_padding, spatial, {}, 0, "output padding");
  if (g.transposed)
    count_transposed(g, output_padding);
  else
    count_windows(g, {});
  return run(c, g, x, w, bias);
}

}  // namespace

value conv1d(call& c) { return convolved(c, 1, c.whole_or(6, 1), false); }
value conv2d(call& c) { return convolved(c, 2, c.whole_or(6, 1), false); }
value conv3d(call& c) { return convolved(c, 3, c.whole_or(6, 1), false); }
value convolution(call& c) {
  const bool transposed = c.truth_or(6, false);
  return convolved(c, spatial_of(c.tensor_at(1)), c.whole(8), transposed, {5, 7}, true);
}
value conv_transpose(call& c) {
  return convolved(c, spatial_of(c.tensor_at(1)), c.whole_or(6, 1), true, {7, 5});
}

value conv_padded(call& c) {
  const tensor &x = c.tensor_at(0), &w = c.tensor_at(1);
  const tensor* const bias = c.optional(2);
  const std::size_t spatial = spatial_of(w);
  geometry g = geometry_of(x, w, bias, spatial, c.whole_or(6, 1), false);
  g.stride = sizes_or(c, 3, spatial, g.stride, 1, "a stride");
  g.dilation = sizes_or(c, 5, spatial, g.dilation, 1, "a dilation");
  const std::string_view padding = c.string_or(4, "valid");
  sizes more = {};
  if (padding == "same") {
    // The same padding on both sides; if the total is odd, one more at the end.
    for (std::size_t i = 0; i < 3; ++i) {
      if (g.stride[i] != 1)
        fail(errc::nac_run_argument, "stride is ", g.stride[i],
             "; expected 1 with padding \"same\"");
      const std::int64_t zeros = g.dilation[i] * (g.kernel[i] - 1);
      g.padding[i] = zeros / 2;
      more[i] = zeros % 2;
    }
  } else if (padding != "valid") {
    fail(errc::nac_run_argument, "padding is \"", padding.substr(0, 40),
         "\"; expected same or valid");
  }
  count_windows(g, more);
  return run(c, g, x, w, bias);
}

// The numbers: channels, height and width of the result; then the kernel's size, stride and padding
// by height and width; groups. Weights are matrices of a row for each channel of the result.
value conv2d_precomputed(call& c) {
  const tensor &x = c.tensor_at(0), &matrix = c.tensor_at(1);
  const tensor* const bias = c.optional(2);
  const std::span<const std::int64_t> n = c.int_list(3);
  if (n.size() != 10) fail(errc::nac_run_argument, n.size(), " sizes; expected 10");
  for (const std::int64_t v : n)
    if (v < 0 || v > max_size)
      fail(errc::nac_run_argument, "size ", v, "; expected 0 to ", max_size);
  const std::int64_t window = n[3] * n[4];
  if (matrix.rank() != 2 || matrix.dim(0) != n[0] || window == 0 || matrix.dim(1) % window != 0)
    fail(errc::nac_run_shape, "weights have shape ", matrix.dims, "; expected ", n[0],
         " rows, and columns divisible by ", n[3], " x ", n[4], ", the kernel's size");
  const tensor w = matrix.with_shape({n[0], matrix.dim(1) / window, n[3], n[4]});
  geometry g = geometry_of(x, w, bias, 2, n[9], false);
  expect_batch(g, x, w);
  g.stride = sizes_of(n.subspan(5, 2), 2, g.stride, 1, "a stride");
  g.padding = sizes_of(n.subspan(7, 2), 2, g.padding, 0, "padding");
  count_windows(g, {});
  if (g.out[1] != n[1] || g.out[2] != n[2])
    fail(errc::nac_run_argument, "the output is ", g.out[1], " by ", g.out[2], "; expected ", n[1],
         " by ", n[2], " as declared");
  return run(c, g, x, w, bias);
}

}  // namespace vm::nac::operations
}  // namespace tessera::inline TESSERA_ABI
