// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The windows of a convolution's operands.
//
//   const windows w(c);
//   w.each_tap(position.at, [&](std::size_t tap, const triple& at) { … });   // without padding
//
// Lifetime:   borrows nothing.
// Errors:     none.
// Limits:     those of verification: positions and sizes fit 64 bits.
// Allocation: none.

#ifndef TESSERA_VM_NEM_WINDOWS_HPP
#define TESSERA_VM_NEM_WINDOWS_HPP

#include <cstddef>
#include <cstdint>

#include "tensor.hpp"
#include "tensor/windows.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

using tensors::index_at;
using tensors::triple;

/// A position of the output: image and place.
struct position {
  std::int64_t image = 0;
  triple at = {};
};

struct windows : tensors::windows {
  std::size_t axes = 2;  ///< spatial dimensions that operands have
  std::int64_t images = 1, channels = 1, results = 1;
  std::int64_t groups = 1, taken = 1, made = 1;  ///< channels of a group: of X, of Y

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
      padding[d] = a.pads[i];
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
  [[nodiscard]] std::int64_t taps() const noexcept { return tensors::volume(kernel); }
  /// Of all images; at most 2^63 - 1, as an output with strides of 0 may have more.
  [[nodiscard]] std::int64_t positions() const noexcept {
    std::int64_t n = images;
    for (const std::int64_t d : out)
      if (__builtin_mul_overflow(n, d, &n)) return INT64_MAX;
    return n;
  }
  void advance(position& p) const noexcept {
    for (std::size_t d = 3; d-- != 0; p.at[d] = 0)
      if (++p.at[d] != out[d]) return;
    ++p.image;
  }
};

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_WINDOWS_HPP
