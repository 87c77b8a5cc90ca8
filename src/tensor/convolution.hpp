// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions of float images, on one thread: y[n,o] = bias[o] + sum over i of x[n,i] * w[o,i].
//
//   convolution_workspace scratch;                                       // once
//   const convolution c{.in_channels = 64, .out_channels = 64, .in_h = 56, .in_w = 56,
//                       .out_h = 56, .out_w = 56, .kernel_h = 3, .kernel_w = 3,
//                       .pad_h = 1, .pad_w = 1};
//   convolve(c, x, w, bias, y, scratch);      // x and y are NCHW, w is OIHW; no bias: nullptr
//
// Kernels aren't mirrored, as is usual for networks. Sums are FP32, of at most 256 products each and
// then of those; the error of y is below (terms + 2) * 2^-24 * (|y| + sum |x w| + |bias|). Bits differ
// between levels. Zeros of the padding take part: times an infinite weight they make a NaN.
//
// Lifetime:   nothing is kept. y must not overlap the others.
// Errors:     none.
// Limits:     sizes agree: out = (in + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1 in both
//             directions, at least 0; groups divide both numbers of channels; strides, dilations and
//             groups are at least 1; products of sizes and 2 * (in + 2 * pad) fit in ptrdiff_t.
// Allocation: only the workspace, on construction. It serves one call at a time.

#ifndef TESSERA_TENSOR_CONVOLUTION_HPP
#define TESSERA_TENSOR_CONVOLUTION_HPP

#include <cstddef>

#include "tensor/level.hpp"
#include "tensor/matmul.hpp"
#include "tensor/workspace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

/// Sizes. With groups, outputs of a group are sums over the inputs of that group; w has
/// in_channels / groups for each output.
struct convolution {
  std::size_t batch = 1, in_channels = 1, out_channels = 1, groups = 1;
  std::size_t in_h = 1, in_w = 1, out_h = 1, out_w = 1, kernel_h = 1, kernel_w = 1;
  std::size_t stride_h = 1, stride_w = 1;
  std::size_t pad_h = 0, pad_w = 0;  ///< zeros before the first and after the last
  std::size_t dilation_h = 1, dilation_w = 1;
};

/// Room for the weights and the part of the image that are worked on, in the order in which they
/// are read.
class convolution_workspace : public workspace<(640 * 1024 + 257 * 2048 + 8192) * sizeof(float)> {
 public:
  [[nodiscard]] matmul_workspace& products() noexcept { return products_; }

 private:
  matmul_workspace products_;
};

void convolve(const convolution& c, const float* x, const float* w, const float* bias, float* y,
              convolution_workspace& scratch, level at_most = best_level()) noexcept;

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TENSOR_CONVOLUTION_HPP
