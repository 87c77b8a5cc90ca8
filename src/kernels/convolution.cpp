// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Which loop convolves.

#include "convolution.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace kernels {

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

using convolve_function = void (*)(const problem&, void* scratch);

#define TESSERA_TARGET
#define TESSERA_VECTOR_BYTES 16
#define TESSERA_TILE_ROWS 6
namespace baseline {
#include "tile_loop.hpp"
//
#include "convolution_loop.hpp"
}  // namespace baseline
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

#if defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_TARGET [[gnu::target("avx2,fma")]]
#define TESSERA_VECTOR_BYTES 32
namespace avx2 {
#include "tile_loop.hpp"
//
#include "convolution_loop.hpp"
}  // namespace avx2
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES
#undef TESSERA_TILE_ROWS

#define TESSERA_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,fma")]]
#define TESSERA_VECTOR_BYTES 64
#define TESSERA_TILE_ROWS 14
namespace avx512 {
#include "tile_loop.hpp"
//
#include "convolution_loop.hpp"
}  // namespace avx512
#undef TESSERA_TARGET
#undef TESSERA_VECTOR_BYTES

convolve_function function_of(level l) noexcept {
  l = std::min(l, best_level());
  return l == level::avx512 ? avx512::convolve_group
         : l == level::avx2 ? avx2::convolve_group
                            : baseline::convolve_group;
}
#else
convolve_function function_of(level) noexcept { return baseline::convolve_group; }
#endif
#undef TESSERA_TILE_ROWS

}  // namespace

void convolve(const convolution& c, const float* x, const float* w, const float* bias, float* y,
              convolution_workspace& scratch, level at_most) noexcept {
  if (c.batch == 0 || c.out_channels == 0 || c.out_h == 0 || c.out_w == 0) return;
  convolution sizes = c;
  if (c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_h == 0 &&
      c.pad_w == 0) {
    // Rows don't matter here: an image is a single one.
    sizes.in_w = sizes.out_w = c.in_h * c.in_w;
    sizes.in_h = sizes.out_h = 1;
  }
  const std::size_t inputs = c.in_channels / c.groups, outputs = c.out_channels / c.groups;
  const std::size_t terms = inputs * c.kernel_h * c.kernel_w;
  const convolve_function run = function_of(at_most);
  for (std::size_t group = 0; group < c.groups; ++group)
    run({.sizes = sizes,
         .m = outputs,
         .n = c.out_h * c.out_w,
         .k = terms,
         .x = x + group * inputs * c.in_h * c.in_w,
         .w = w + group * outputs * terms,
         .bias = bias == nullptr ? nullptr : bias + group * outputs,
         .y = y + group * outputs * c.out_h * c.out_w},
        scratch.data());
}

}  // namespace kernels
}  // namespace tessera::inline TESSERA_ABI
