// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>

#include "opcodes.hpp"
#include "operations.hpp"
#include "reals.hpp"
#include "tensor/formulas.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

constexpr std::int64_t block = 512;  ///< channels at once

/// The elements of an axis that a window covers; padding isn't one of them.
struct window {
  std::int64_t first = 0, last = 0;
  [[nodiscard]] std::int64_t size() const noexcept { return last - first; }
};
[[nodiscard]] window window_at(const model::attributes& a, std::size_t axis, std::int64_t at,
                               std::int64_t size) noexcept {
  const std::int64_t begin = at * a.strides[axis] - a.pads[axis];
  return {std::max<std::int64_t>(begin, 0), std::min(begin + a.kernel_shape[axis], size)};
}

/// Whether a descriptor gives all elements of a window the same pair, and the output's the same too.
[[nodiscard]] bool are_alike(const tensor& x, const tensor& y) noexcept {
  const descriptor &a = *x.quant, &b = *y.quant;
  if (&a == &b && a.form == model::quantization::per_tensor) return true;
  if (a.form != model::quantization::per_tensor && (a.axis == 1 || a.axis == 2)) return false;
  return a.form == b.form && a.axis == b.axis && a.group_size == b.group_size &&
         std::ranges::equal(a.scales, b.scales) && std::ranges::equal(a.zero_points, b.zero_points);
}

/// The larger of both, or their sum.
void add_row(bool is_max, double* sums, const double* row, std::size_t n) noexcept {
  if (is_max)
    for (std::size_t i = 0; i < n; ++i)
      sums[i] = tensors::formulas::ordered_max::of(sums[i], row[i]);
  else
    for (std::size_t i = 0; i < n; ++i) sums[i] += row[i];
}

}  // namespace

verdict pool(const call& c, workspace&) {
  if (model::is_extension(c.inputs[0].element)) return {.code = errc::nem_rt_unsupported};
  const tensor &from = c.inputs[0], &to = c.outputs[0];
  const bool is_max = nem::as<pooling_opcode>(c.opcode) == pooling_opcode::max;
  // Values that stay in one scale need no scale: the largest is that of the stored values.
  integers as = integers::plain;
  if (from.is_integer() && is_quantized(c))
    as = !are_alike(from, to) ? integers::quantized : is_max ? integers::plain : integers::shifted;
  reals x(from, as), y(to, as);
  const shape_view xs = x.strides(), ys = y.strides(), xi = x.indices(), yi = y.indices();
  const auto dot = [](shape_view s, std::int64_t n, std::int64_t h, std::int64_t w,
                      std::int64_t channel) {
    return n * s[0] + h * s[1] + w * s[2] + channel * s[3];
  };
  std::array<double, block> row, sums;

  const auto one = [&](std::int64_t n, std::int64_t oh, std::int64_t ow, const window& high,
                       const window& wide) {
    for (std::int64_t channel = 0; channel < to.shape[3]; channel += block) {
      const std::int64_t count = std::min(block, to.shape[3] - channel);
      const auto channels = static_cast<std::size_t>(count);
      for (std::int64_t h = high.first; h < high.last; ++h)
        for (std::int64_t w = wide.first; w < wide.last; ++w) {
          const bool is_first = h == high.first && w == wide.first;
          x.load({dot(xs, n, h, w, channel), xs[3], dot(xi, n, h, w, channel), xi[3]},
                 is_first ? sums.data() : row.data(), channels);
          if (!is_first) add_row(is_max, sums.data(), row.data(), channels);
        }
      if (!is_max)
        for (std::size_t i = 0; i < channels; ++i)
          sums[i] /= static_cast<double>(high.size()) * static_cast<double>(wide.size());
      y.store({dot(ys, n, oh, ow, channel), ys[3], dot(yi, n, oh, ow, channel), yi[3]}, sums.data(),
              channels);
    }
  };
  for (std::int64_t n = 0; n < to.shape[0]; ++n)
    for (std::int64_t oh = 0; oh < to.shape[1]; ++oh) {
      const window high = window_at(c.attributes, 0, oh, from.shape[1]);
      for (std::int64_t ow = 0; ow < to.shape[2]; ++ow)
        one(n, oh, ow, high, window_at(c.attributes, 1, ow, from.shape[2]));
    }
  return {};
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
