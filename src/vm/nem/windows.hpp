// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The positions of a convolution's window: three spatial dimensions; missing ones have size 1.
//
//   const windows w(c);
//   w.each_tap(position, [&](std::size_t tap, std::int64_t at) { … });   // without padding
//
// Lifetime:   borrows nothing.
// Errors:     none.
// Limits:     those of verification: positions and sizes fit 64 bits.
// Allocation: none.

#ifndef TESSERA_VM_NEM_WINDOWS_HPP
#define TESSERA_VM_NEM_WINDOWS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

using triple = std::array<std::int64_t, 3>;

/// A position of the output: image and place.
struct position {
  std::int64_t image = 0;
  triple at = {};
};

struct windows {
  std::size_t axes = 2;  ///< spatial dimensions that operands have
  std::int64_t images = 1, channels = 1, results = 1;
  std::int64_t groups = 1, taken = 1, made = 1;  ///< channels of a group: of X, of Y
  triple in = {1, 1, 1}, out = {1, 1, 1}, kernel = {1, 1, 1}, stride = {1, 1, 1},
         dilation = {1, 1, 1}, before = {0, 0, 0};

  explicit windows(const call& c) noexcept {
    const tensor &x = c.inputs[0], &w = c.inputs[1], &y = c.outputs[0];
    const model::attributes& a = c.attributes;
    axes = x.rank() - 2;
    images = x.shape[0];
    channels = x.shape[axes + 1];
    results = w.shape[axes + 1];
    groups = c.opcode == opcode::depthwise_conv2d ? channels : a.groups;
    taken = channels / groups;
    made = results / groups;
    for (std::size_t i = 0; i < axes; ++i) {
      const std::size_t d = dimension(i);
      in[d] = x.shape[i + 1];
      out[d] = y.shape[i + 1];
      kernel[d] = w.shape[i];
      stride[d] = a.strides[i];
      dilation[d] = a.dilations[i];
      before[d] = a.pads[i];
    }
  }
  /// The index, of the three, of the i-th spatial dimension of an operand.
  [[nodiscard]] std::size_t dimension(std::size_t i) const noexcept { return i + 3 - axes; }
  /// Strides of a tensor for the three; those of the first spatial dimension are at `first`.
  template <class Strides>
  [[nodiscard]] triple spatial(const Strides& strides, std::size_t first) const noexcept {
    triple s = {0, 0, 0};
    for (std::size_t i = 0; i < axes; ++i) s[dimension(i)] = strides[first + i];
    return s;
  }
  [[nodiscard]] std::int64_t taps() const noexcept { return kernel[0] * kernel[1] * kernel[2]; }
  /// Of all images; at most 2^63 - 1, as an output with strides of 0 may have more.
  [[nodiscard]] std::int64_t positions() const noexcept {
    std::int64_t n = images;
    for (const std::int64_t d : out)
      if (__builtin_mul_overflow(n, d, &n)) return INT64_MAX;
    return n;
  }
  /// Whether each output depends only on the inputs at its own position.
  [[nodiscard]] bool is_pointwise() const noexcept {
    for (std::size_t d = 0; d < 3; ++d)
      if (kernel[d] != 1 || stride[d] != 1 || before[d] != 0 || in[d] != out[d]) return false;
    return true;
  }
  /// Whether some tap of some window is padding.
  [[nodiscard]] bool has_padding() const noexcept {
    for (std::size_t d = 0; d < 3; ++d)
      if (before[d] != 0 ||
          (out[d] - 1) * stride[d] - before[d] + (kernel[d] - 1) * dilation[d] >= in[d])
        return true;
    return false;
  }

  /// Whether a window has no padding.
  [[nodiscard]] bool is_inside(const position& p) const noexcept {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t first = p.at[d] * stride[d] - before[d];
      if (first < 0 || first + (kernel[d] - 1) * dilation[d] >= in[d]) return false;
    }
    return true;
  }
  void advance(position& p) const noexcept {
    for (std::size_t d = 3; d-- != 0; p.at[d] = 0)
      if (++p.at[d] != out[d]) return;
    ++p.image;
  }

  /// Calls f(tap, place) for the taps inside the image, in ascending order.
  template <class F>
  void each_tap(const position& p, F&& f) const {
    triple from = {};
    for (std::size_t d = 0; d < 3; ++d) from[d] = p.at[d] * stride[d] - before[d];
    const auto is_inside = [&](std::size_t d, std::int64_t i) { return i >= 0 && i < in[d]; };
    std::size_t tap = 0;
    triple k = {}, at = {};
    for (k[0] = 0; k[0] < kernel[0]; ++k[0]) {
      at[0] = from[0] + k[0] * dilation[0];
      for (k[1] = 0; k[1] < kernel[1]; ++k[1]) {
        at[1] = from[1] + k[1] * dilation[1];
        const bool is_row = is_inside(0, at[0]) && is_inside(1, at[1]);
        for (k[2] = 0; k[2] < kernel[2]; ++k[2], ++tap) {
          at[2] = from[2] + k[2] * dilation[2];
          if (is_row && is_inside(2, at[2])) f(tap, static_cast<const triple&>(at));
        }
      }
    }
  }
};

[[nodiscard]] inline std::int64_t index_at(const triple& strides, const triple& at) noexcept {
  return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_WINDOWS_HPP
