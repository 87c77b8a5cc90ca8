// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/convolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"

using namespace tessera::tensors;

namespace {

/// The size of the output that belongs to the others.
std::size_t size_of(std::size_t in, std::size_t kernel, std::size_t stride, std::size_t pad,
                    std::size_t dilation) {
  const std::size_t all = in + 2 * pad, reach = dilation * (kernel - 1) + 1;
  return all < reach ? 0 : (all - reach) / stride + 1;
}
convolution complete(convolution c) {
  c.out_h = size_of(c.in_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h);
  c.out_w = size_of(c.in_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w);
  return c;
}

/// One problem, its result without a bias by the definition, and how large its sums could have been.
struct problem {
  explicit problem(const convolution& of)
      : c(of),
        x(c.batch * c.in_channels * c.in_h * c.in_w),
        w(c.out_channels * (c.in_channels / c.groups) * c.kernel_h * c.kernel_w),
        bias(c.out_channels) {
    tessera_tests::random_numbers random;
    for (std::vector<float>* const values : {&x, &w, &bias})
      for (float& v : *values) v = random.real();
    for (std::size_t n = 0; n < c.batch; ++n)
      for (std::size_t o = 0; o < c.out_channels; ++o)
        for (std::size_t i = 0; i < c.out_h; ++i)
          for (std::size_t j = 0; j < c.out_w; ++j) sum_up(n, o, i, j);
  }

  void sum_up(std::size_t n, std::size_t o, std::size_t i, std::size_t j) {
    const std::size_t inputs = c.in_channels / c.groups;
    const std::size_t first = o / (c.out_channels / c.groups) * inputs;
    double sum = 0, size = 0;
    for (std::size_t p = 0; p < inputs; ++p)
      for (std::size_t ky = 0; ky < c.kernel_h; ++ky)
        for (std::size_t kx = 0; kx < c.kernel_w; ++kx) {
          const std::size_t row = i * c.stride_h + ky * c.dilation_h;
          const std::size_t column = j * c.stride_w + kx * c.dilation_w;
          if (row < c.pad_h || row - c.pad_h >= c.in_h || column < c.pad_w ||
              column - c.pad_w >= c.in_w)
            continue;
          const double product =
              double{x[((n * c.in_channels + first + p) * c.in_h + row - c.pad_h) * c.in_w +
                       column - c.pad_w]} *
              double{w[((o * inputs + p) * c.kernel_h + ky) * c.kernel_w + kx]};
          sum += product;
          size += std::fabs(product);
        }
    expected.push_back(sum);
    sizes.push_back(size);
  }

  convolution c;
  std::vector<float> x, w, bias;
  std::vector<double> expected, sizes;
};

/// Arrays where memory ends, or begins.
struct space {
  explicit space(std::size_t n)
      : x{tessera_tests::guarded<float>(n), tessera_tests::guarded<float>(n, true)},
        w{tessera_tests::guarded<float>(n), tessera_tests::guarded<float>(n, true)},
        bias{tessera_tests::guarded<float>(n), tessera_tests::guarded<float>(n, true)},
        y{tessera_tests::guarded<float>(n), tessera_tests::guarded<float>(n, true)} {}
  tessera_tests::guarded<float> x[2], w[2], bias[2], y[2];
  convolution_workspace scratch;
};

float* place(tessera_tests::guarded<float>& memory, const std::vector<float>& values) {
  return std::copy(values.begin(), values.end(), memory.at(values.size())) - values.size();
}

/// The number of elements that are wrong, at all levels and at both ends of memory.
unsigned wrong_elements(const problem& p, bool with_bias, space& in) {
  const std::size_t places = p.c.out_h * p.c.out_w;
  const double terms =
      static_cast<double>(p.c.in_channels / p.c.groups * p.c.kernel_h * p.c.kernel_w);
  const std::vector<float> before(p.expected.size(), std::numeric_limits<float>::quiet_NaN());
  unsigned wrong = 0;
  for (unsigned end = 0; end < 2; ++end) {
    const float* const x = place(in.x[end], p.x);
    const float* const w = place(in.w[end], p.w);
    const float* const bias = with_bias ? place(in.bias[end], p.bias) : nullptr;
    for (const level at : tessera_tests::levels()) {
      float* const y = place(in.y[end], before);
      convolve(p.c, x, w, bias, y, in.scratch, at);
      for (std::size_t i = 0; i < p.expected.size(); ++i) {
        const double more = with_bias ? double{p.bias[i / places % p.c.out_channels]} : 0;
        const double expected = p.expected[i] + more;
        const double bound =
            (terms + 2) * 0x1p-24 * (p.sizes[i] + std::fabs(more) + std::fabs(expected));
        if (!(std::fabs(double{y[i]} - expected) <= bound)) ++wrong;
      }
    }
  }
  return wrong;
}

void check(const convolution& sizes, space& in) {
  const convolution c = complete(sizes);
  CAPTURE(c.batch, c.in_channels, c.out_channels, c.groups, c.in_h, c.in_w, c.out_h, c.out_w);
  CAPTURE(c.kernel_h, c.kernel_w, c.stride_h, c.stride_w, c.pad_h, c.pad_w, c.dilation_h,
          c.dilation_w);
  const problem p(c);
  CHECK(wrong_elements(p, false, in) == 0);
  CHECK(wrong_elements(p, true, in) == 0);
}

}  // namespace

TEST_CASE("tensor/convolution: every kernel, stride, padding and dilation", "[tensor]") {
  space in(1 << 14);
  for (const std::size_t kernel : {1u, 2u, 3u, 5u})
    for (const std::size_t stride : {1u, 2u, 3u})
      for (const std::size_t pad : {0u, 1u, 4u})
        for (const std::size_t dilation : {1u, 2u, 5u}) {
          check({.in_channels = 2,
                 .out_channels = 7,
                 .in_h = 6,
                 .in_w = 11,
                 .kernel_h = kernel,
                 .kernel_w = kernel,
                 .stride_h = stride,
                 .stride_w = stride,
                 .pad_h = pad,
                 .pad_w = pad,
                 .dilation_h = dilation,
                 .dilation_w = dilation},
                in);
          check({.in_channels = 3,
                 .out_channels = 2,
                 .in_h = 9,
                 .in_w = 5,
                 .kernel_h = kernel,
                 .kernel_w = 3,
                 .stride_h = 1,
                 .stride_w = stride,
                 .pad_h = 2,
                 .pad_w = pad,
                 .dilation_h = 1,
                 .dilation_w = dilation},
                in);
        }
}

TEST_CASE("tensor/convolution: every edge of a panel and of a tile", "[tensor]") {
  space in(1 << 14);
  for (const std::size_t width : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u, 33u, 65u})
    for (const std::size_t height : {1u, 2u, 3u})
      for (const std::size_t outputs : {1u, 3u, 6u, 14u, 15u})
        check({.in_channels = 2,
               .out_channels = outputs,
               .in_h = height,
               .in_w = width,
               .kernel_h = 3,
               .kernel_w = 3,
               .pad_h = 1,
               .pad_w = 1},
              in);
}

TEST_CASE("tensor/convolution: more than one block", "[tensor]") {
  space in(1 << 20);
  const auto square = [](std::size_t kernel, std::size_t inputs, std::size_t outputs,
                         std::size_t size) {
    return convolution{.in_channels = inputs,
                       .out_channels = outputs,
                       .in_h = size,
                       .in_w = size,
                       .kernel_h = kernel,
                       .kernel_w = kernel,
                       .pad_h = 1,
                       .pad_w = 1};
  };
  // Of terms, outputs, places of the output, and two of them at once.
  check(square(3, 70, 8, 5), in);
  check(square(2, 3, 345, 5), in);
  check(square(2, 1, 7, 49), in);
  check(square(3, 33, 150, 5), in);
  check(square(3, 33, 7, 34), in);
  check(square(2, 1, 150, 34), in);
  // Of terms, with columns beside whole panels and outputs beside whole tiles.
  for (const std::size_t size : {7u, 10u}) check(square(3, 40, 17, size), in);
  // Weights that are used once, for more places than stay in the second cache.
  CHECK(wrong_elements(problem(complete(square(2, 65, 145, 16))), true, in) == 0);
  // Too many weights to pack at once.
  check(
      {.in_channels = 600, .out_channels = 150, .in_h = 3, .in_w = 3, .kernel_h = 3, .kernel_w = 3},
      in);
  // Kernels that end in the middle of a block.
  check({.in_channels = 11,
         .out_channels = 7,
         .in_h = 9,
         .in_w = 8,
         .kernel_h = 5,
         .kernel_w = 7,
         .pad_h = 2,
         .pad_w = 3},
        in);
}

TEST_CASE("tensor/convolution: groups and batches", "[tensor]") {
  space in(1 << 14);
  for (const std::size_t batch : {1u, 2u, 5u})
    for (const std::size_t stride : {1u, 2u}) {
      const convolution c{.batch = batch,
                          .in_channels = 6,
                          .out_channels = 6,
                          .in_h = 7,
                          .in_w = 9,
                          .kernel_h = 3,
                          .kernel_w = 3,
                          .stride_h = stride,
                          .stride_w = stride,
                          .pad_h = 1,
                          .pad_w = 1};
      for (const std::size_t groups : {1u, 2u, 3u, 6u}) {
        convolution grouped = c;
        grouped.groups = groups;
        check(grouped, in);
        grouped.out_channels = 12;
        check(grouped, in);
        grouped.kernel_h = grouped.kernel_w = 1;
        grouped.pad_h = grouped.pad_w = 0;
        check(grouped, in);
      }
    }
}

TEST_CASE("tensor/convolution: places that are far apart", "[tensor]") {
  space in(1 << 15);
  // More padding than image, so that some places see nothing but zeros.
  for (const std::size_t outputs : {2u, 7u}) {
    check({.out_channels = outputs,
           .in_h = 2,
           .in_w = 1,
           .kernel_h = 3,
           .kernel_w = 3,
           .pad_h = 9,
           .pad_w = 20},
          in);
    check({.out_channels = outputs,
           .in_h = 1,
           .in_w = 9000,
           .kernel_w = 3,
           .stride_w = 3000,
           .pad_w = 4,
           .dilation_w = 2500},
          in);
    check({.out_channels = outputs, .in_h = 2, .in_w = 4000, .kernel_w = 2, .dilation_w = 3900},
          in);
    check({.out_channels = outputs, .in_h = 50, .in_w = 100, .kernel_h = 50, .kernel_w = 70}, in);
  }
}

TEST_CASE("tensor/convolution: strides and dilations that lead nowhere", "[tensor]") {
  space in(1 << 12);
  const std::size_t large = ~std::size_t{0} / 2;
  for (const std::size_t outputs : {2u, 7u}) {
    check({.out_channels = outputs,
           .in_h = 3,
           .in_w = 4,
           .kernel_h = 2,
           .kernel_w = 3,
           .stride_h = large,
           .stride_w = large},
          in);
    check({.out_channels = outputs, .in_h = 3, .in_w = 4, .dilation_h = large, .dilation_w = large},
          in);
    check({.out_channels = outputs,
           .in_h = 0,
           .in_w = 0,
           .kernel_h = 2,
           .kernel_w = 2,
           .pad_h = 1,
           .pad_w = 2},
          in);
  }
}

TEST_CASE("tensor/convolution: few outputs of a wide image", "[tensor]") {
  space in(1 << 13);
  for (const std::size_t groups : {1u, 3u})
    for (const std::size_t stride : {1u, 2u})
      for (const std::size_t stride_h : {1u, 2u, 4u})
        check({.in_channels = 3,
               .out_channels = 3,
               .groups = groups,
               .in_h = 5,
               .in_w = 530,
               .kernel_h = 3,
               .kernel_w = 5,
               .stride_h = stride_h,
               .stride_w = stride,
               .pad_h = 1,
               .pad_w = 2},
              in);
}

TEST_CASE("tensor/convolution: nothing to sum, and nowhere to put it", "[tensor]") {
  convolution_workspace scratch;
  const float bias[2] = {3, 4};
  for (const level l : tessera_tests::levels()) {
    float y[4] = {9, 9, 9, 9};
    convolve({.batch = 0}, nullptr, nullptr, nullptr, y, scratch, l);
    convolve({.out_channels = 0}, nullptr, nullptr, nullptr, y, scratch, l);
    convolve({.in_h = 0, .out_h = 0}, nullptr, nullptr, nullptr, y, scratch, l);
    convolve({.in_w = 2, .out_w = 0, .kernel_w = 3}, nullptr, nullptr, nullptr, y, scratch, l);
    CHECK(std::vector<float>(y, y + 4) == std::vector<float>{9, 9, 9, 9});
    const convolution none{.in_channels = 0, .out_channels = 2, .in_w = 2, .out_w = 2};
    convolve(none, nullptr, nullptr, bias, y, scratch, l);
    CHECK(std::vector<float>(y, y + 4) == std::vector<float>{3, 3, 4, 4});
    convolve(none, nullptr, nullptr, nullptr, y, scratch, l);
    CHECK(std::vector<float>(y, y + 4) == std::vector<float>{0, 0, 0, 0});
  }
}

TEST_CASE("tensor/convolution: what isn't finite stays where it is read", "[tensor]") {
  convolution_workspace scratch;
  const float infinity = std::numeric_limits<float>::infinity();
  const convolution c = complete({.in_channels = 2,
                                  .out_channels = 7,
                                  .in_h = 5,
                                  .in_w = 20,
                                  .kernel_h = 3,
                                  .kernel_w = 3,
                                  .pad_h = 1,
                                  .pad_w = 1});
  std::vector<float> x(200, 1.0f), y(700);
  const std::vector<float> w(126, 1.0f);
  x[2 * 20 + 6] = infinity;
  for (const level l : tessera_tests::levels()) {
    convolve(c, x.data(), w.data(), nullptr, y.data(), scratch, l);
    unsigned wrong = 0;
    for (std::size_t o = 0; o < 7; ++o)
      for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 20; ++j) {
          const bool reads = i >= 1 && i <= 3 && j >= 5 && j <= 7;
          const std::size_t rows = i == 0 || i == 4 ? 2 : 3, columns = j == 0 || j == 19 ? 2 : 3;
          const float expected = reads ? infinity : static_cast<float>(2 * rows * columns);
          if (y[(o * 5 + i) * 20 + j] != expected) ++wrong;
        }
    CHECK(wrong == 0);
  }
}

TEST_CASE("tensor/convolution: each channel by itself", "[tensor]") {
  space in(1 << 16);
  tessera_tests::random_numbers random;
  const auto up_to = [&random](std::size_t n) {
    return 1 + static_cast<std::size_t>((random.real() + 1) / 2 * 0x1p20f) % n;
  };
  for (unsigned i = 0; i < 400; ++i) {
    const std::size_t channels = up_to(3);
    const convolution c{.batch = up_to(2),
                        .in_channels = channels,
                        .out_channels = channels,
                        .groups = channels,
                        .in_h = up_to(12),
                        .in_w = up_to(75),
                        .kernel_h = up_to(7),
                        .kernel_w = 1 + 2 * up_to(3),
                        .stride_h = up_to(3),
                        .stride_w = up_to(2),
                        .pad_h = up_to(5) - 1,
                        .pad_w = up_to(9) - 1,
                        .dilation_w = up_to(3)};
    if (complete(c).out_h != 0 && complete(c).out_w != 0) check(c, in);
  }
}

TEST_CASE("tensor/convolution: each channel by itself, around whole vectors and rows", "[tensor]") {
  space in(1 << 15);
  // Outputs are one narrower and one wider than one vector or two, at every level.
  for (const std::size_t width : {3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u})
    for (const std::size_t height : {1u, 4u, 5u, 8u, 9u, 13u})
      for (const std::size_t stride : {1u, 2u}) {
        const std::size_t kernel = 3 + 2 * ((width + height) % 3), pad = (width + height) % 2;
        // Odd and even sizes of the image have the same output.
        for (const std::size_t more : {std::size_t{0}, stride - 1})
          check({.batch = 2,
                 .in_channels = 2,
                 .out_channels = 2,
                 .groups = 2,
                 .in_h = (height - 1) * stride + kernel - 2 * pad + more,
                 .in_w = (width - 1) * stride + kernel - 2 * pad + more,
                 .kernel_h = kernel,
                 .kernel_w = kernel,
                 .stride_h = stride,
                 .stride_w = stride,
                 .pad_h = pad,
                 .pad_w = pad},
                in);
      }
}

TEST_CASE("tensor/convolution: each channel by itself, among others and padding", "[tensor]") {
  space in(1 << 16);
  for (const std::size_t kernel : {3u, 5u, 7u})
    for (const std::size_t stride : {1u, 2u})
      for (const std::size_t pad : {0u, 2u, 9u, 40u})
        for (const std::size_t height : {7u, 16u})
          for (const std::size_t width : {7u, 24u, 60u})
            check({.batch = 2,
                   .in_channels = 3,
                   .out_channels = 3,
                   .groups = 3,
                   .in_h = height,
                   .in_w = width,
                   .kernel_h = kernel,
                   .kernel_w = kernel,
                   .stride_h = stride,
                   .stride_w = stride,
                   .pad_h = pad / 2,
                   .pad_w = pad},
                  in);
}

TEST_CASE("tensor/convolution: each channel by itself, kernels that aren't square", "[tensor]") {
  space in(1 << 15);
  for (const std::size_t kernel_h : {1u, 2u, 5u, 8u})
    for (const std::size_t stride_h : {1u, 2u, 3u})
      for (const std::size_t dilation : {1u, 2u})
        for (const std::size_t pad : {0u, 3u, 18u})
          check({.in_channels = 2,
                 .out_channels = 2,
                 .groups = 2,
                 .in_h = 17,
                 .in_w = 20,
                 .kernel_h = kernel_h,
                 .kernel_w = 3,
                 .stride_h = stride_h,
                 .stride_w = 1 + pad % 2,
                 .pad_h = pad % 4,
                 .pad_w = pad,
                 .dilation_h = pad == 3 ? 2u : 1u,
                 .dilation_w = dilation},
                in);
}

TEST_CASE("tensor/convolution: few channels to few, around whole vectors and tiles", "[tensor]") {
  space in(1 << 15);
  // A tile has 4, 6, 8 or 14 outputs.
  for (const std::size_t outputs : {3u, 4u, 5u, 8u, 9u, 14u, 16u, 29u, 57u})
    for (const std::size_t width : {4u, 7u, 8u, 9u, 14u, 15u, 16u, 17u, 28u, 31u, 33u})
      check({.batch = 1 + width % 2,
             .in_channels = 4,
             .out_channels = 2 * outputs,
             .groups = 2,
             .in_h = 2 + width % 3,
             .in_w = width,
             .kernel_h = 3,
             .kernel_w = 3,
             .pad_h = 1,
             .pad_w = 1},
            in);
}

TEST_CASE("tensor/convolution: few channels to few, strides, dilations and padding", "[tensor]") {
  space in(1 << 15);
  for (const std::size_t stride_h : {1u, 2u, 3u})
    for (const std::size_t stride_w : {1u, 2u, 3u})
      for (const std::size_t dilation : {1u, 2u, 3u})
        for (const std::size_t pad : {0u, 1u, 5u})
          check({.in_channels = 3,
                 .out_channels = 8,
                 .in_h = 11,
                 .in_w = 33,
                 .kernel_h = 2,
                 .kernel_w = 3,
                 .stride_h = stride_h,
                 .stride_w = stride_w,
                 .pad_h = pad,
                 .pad_w = pad + 1,
                 .dilation_h = dilation,
                 .dilation_w = dilation},
                in);
  // As many terms as one sum has, and one channel more.
  for (const std::size_t inputs : {64u, 65u})
    check({.in_channels = inputs,
           .out_channels = 8,
           .in_h = 5,
           .in_w = 17,
           .kernel_h = 2,
           .kernel_w = 2},
          in);
  // Channels that can be brought out whole, and such that are too large at every level.
  space large(1 << 20);
  for (const std::size_t height : {1600u, 2100u})
    CHECK(wrong_elements(
              problem(complete(
                  {.out_channels = 5, .in_h = height, .in_w = 62, .kernel_h = 3, .kernel_w = 3})),
              true, large) == 0);
}

TEST_CASE("tensor/convolution: what isn't finite stays in its row and its group", "[tensor]") {
  convolution_workspace scratch;
  const float infinity = std::numeric_limits<float>::infinity();
  // Of one channel each, and of two that become five.
  for (const std::size_t inputs : {1u, 2u}) {
    const std::size_t outputs = inputs == 1 ? 1 : 5;
    const convolution c = complete({.in_channels = 2 * inputs,
                                    .out_channels = 2 * outputs,
                                    .groups = 2,
                                    .in_h = 9,
                                    .in_w = 15,
                                    .kernel_h = 3,
                                    .kernel_w = 3,
                                    .pad_h = 1,
                                    .pad_w = 1});
    std::vector<float> x(2 * inputs * 135, 1.0f), y(2 * outputs * 135);
    const std::vector<float> w(2 * outputs * inputs * 9, 1.0f);
    x[4 * 15 + 14] = infinity;
    for (const level l : tessera_tests::levels()) {
      convolve(c, x.data(), w.data(), nullptr, y.data(), scratch, l);
      unsigned wrong = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t o = i / 135, row = i / 15 % 9, column = i % 15;
        const bool reads = o < outputs && row >= 3 && row <= 5 && column >= 13;
        const std::size_t rows = row == 0 || row == 8 ? 2 : 3;
        const std::size_t columns = column == 0 || column == 14 ? 2 : 3;
        if (y[i] != (reads ? infinity : static_cast<float>(inputs * rows * columns))) ++wrong;
      }
      CHECK(wrong == 0);
    }
  }
}
