// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop convolves.

#include "convolution.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tensor/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace tensors {

namespace {

/// One group: its channels of all images, and its weights.
struct problem {
  const convolution& sizes;
  std::size_t m, n, k;  ///< of the product: outputs, places of an image, terms
  const float* x;       ///< of the first image
  const float* w;
  const float* bias;
  float* y;
};

struct convolve_functions {
  void (*group)(const problem&, void* scratch);
  bool (*channels)(const convolution&, const float* x, const float* w, const float* bias, float* y,
                   void* scratch);
};

#define TESSERA_LOOP "convolution_loop.hpp"
#include "tile_levels.hpp"

convolve_functions functions_of(level l) noexcept {
  l = std::min(l, best_level());
  if (l == level::avx512) return {avx512::convolve_group, avx512::convolve_channels};
  if (l == level::avx2) return {avx2::convolve_group, avx2::convolve_channels};
  return {baseline::convolve_group, baseline::convolve_channels};
}

/// Whether the matrix of the image is the image: there are no neighbours.
bool is_product(const convolution& c) noexcept {
  return c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_h == 0 &&
         c.pad_w == 0;
}

}  // namespace

void convolve(const convolution& c, const float* x, const float* w, const float* bias, float* y,
              convolution_workspace& scratch, level at_most) noexcept {
  if (c.batch == 0 || c.out_channels == 0 || c.out_h == 0 || c.out_w == 0) return;
  const std::size_t inputs = c.in_channels / c.groups, outputs = c.out_channels / c.groups;
  const std::size_t terms = inputs * c.kernel_h * c.kernel_w, places = c.out_h * c.out_w;
  if (terms == 0 || is_product(c)) {
    for (std::size_t image = 0; image < c.batch; ++image)
      for (std::size_t group = 0; group < c.groups; ++group) {
        const std::size_t from = image * c.in_channels + group * inputs;
        const std::size_t to = image * c.out_channels + group * outputs;
        if (bias != nullptr)
          for (std::size_t o = 0; o < outputs; ++o)
            std::fill_n(y + (to + o) * places, places, bias[group * outputs + o]);
        matmul(outputs, places, terms, {w + group * outputs * terms, terms},
               {x + from * places, places}, {y + to * places, places, bias != nullptr},
               scratch.products(), at_most);
      }
    return;
  }
  convolution sizes = c;
  // A stride that is never taken may have any value.
  if (c.out_h == 1) sizes.stride_h = 1;
  if (c.out_w == 1) sizes.stride_w = 1;
  const convolve_functions run = functions_of(at_most);
  if (run.channels(sizes, x, w, bias, y, scratch.data())) return;
  for (std::size_t group = 0; group < c.groups; ++group)
    run.group({.sizes = sizes,
               .m = outputs,
               .n = places,
               .k = terms,
               .x = x + group * inputs * c.in_h * c.in_w,
               .w = w + group * outputs * terms,
               .bias = bias == nullptr ? nullptr : bias + group * outputs,
               .y = y + group * outputs * places},
              scratch.data());
}

}  // namespace tensors
}  // namespace tessera::inline TESSERA_ABI
