// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions of float images against OpenBLAS's product of matrices of the sizes that they come
// down to, which has its matrix of the image already; both on one thread. The counter is in
// floating-point operations per second.
//
//   TESSERA_LEVEL=baseline bench_convolution       baseline, avx2 or avx512: at most these instructions

#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "level.hpp"
#include "openblas.hpp"
#include "ratios.hpp"
#include "tensor/convolution.hpp"

namespace {

using namespace tessera;
using tensors::convolution;

struct setting {
  explicit setting(const convolution& of)
      : c(of),
        k(c.in_channels / c.groups * c.kernel_h * c.kernel_w),
        x(c.batch * c.in_channels * c.in_h * c.in_w),
        w(c.out_channels * k),
        bias(c.out_channels),
        y(c.batch * c.out_channels * c.out_h * c.out_w),
        columns(k * c.out_h * c.out_w),
        product(y.size()) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> values(-1, 1);
    for (std::vector<float>* const all : {&x, &w, &bias})
      for (float& v : *all) v = values(random);
  }
  void ours() { tensors::convolve(c, x.data(), w.data(), bias.data(), y.data(), scratch, chosen); }
  /// The matrix of one group of one image: a row for each term, a column for each place.
  void fill_columns(std::size_t image, std::size_t group) {
    const std::size_t inputs = c.in_channels / c.groups;
    float* to = columns.data();
    for (std::size_t i = 0; i < inputs; ++i)
      for (std::size_t ky = 0; ky < c.kernel_h; ++ky)
        for (std::size_t kx = 0; kx < c.kernel_w; ++kx)
          for (std::size_t row = 0; row < c.out_h; ++row)
            for (std::size_t column = 0; column < c.out_w; ++column) {
              const std::size_t at_y = row * c.stride_h + ky * c.dilation_h - c.pad_h;
              const std::size_t at_x = column * c.stride_w + kx * c.dilation_w - c.pad_w;
              const float* const from =
                  x.data() + (image * c.in_channels + group * inputs + i) * c.in_h * c.in_w;
              *to++ = at_y < c.in_h && at_x < c.in_w ? from[at_y * c.in_w + at_x] : 0.0f;
            }
  }
  void multiply(std::size_t image, std::size_t group) {
    const std::size_t m = c.out_channels / c.groups, n = c.out_h * c.out_w;
    const auto i = [](std::size_t size) { return static_cast<blasint>(size); };
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, i(m), i(n), i(k), 1.0f,
                w.data() + group * m * k, i(k), columns.data(), i(n), 0.0f,
                product.data() + (image * c.out_channels + group * m) * n, i(n));
  }
  /// As many products as there are, all with the same matrix of the image.
  void openblas() {
    for (std::size_t image = 0; image < c.batch; ++image)
      for (std::size_t group = 0; group < c.groups; ++group) multiply(image, group);
  }

  convolution c;
  std::size_t k;
  tensors::level chosen = bench::chosen_level();
  tensors::convolution_workspace scratch;
  std::vector<float> x, w, bias, y, columns, product;
};

/// Both sums are off by less than (k + 2) * 2^-24 * k, as values are below 1.
void compare(setting& s, const std::string& name) {
  s.ours();
  for (std::size_t image = 0; image < s.c.batch; ++image)
    for (std::size_t group = 0; group < s.c.groups; ++group) {
      s.fill_columns(image, group);
      s.multiply(image, group);
    }
  const auto k = static_cast<float>(s.k);
  const float bound = (k + 2) * (k + 1) * 0x1p-23f;
  const std::size_t places = s.c.out_h * s.c.out_w;
  bool same = true;
  for (std::size_t i = 0; i < s.y.size(); ++i) {
    const float expected = s.product[i] + s.bias[i / places % s.c.out_channels];
    same = same && std::fabs(s.y[i] - expected) <= bound;
  }
  bench::require(same, name + ": results differ");
}

void add(const std::string& name, convolution c, bool quick) {
  c.out_h = (c.in_h + 2 * c.pad_h - c.dilation_h * (c.kernel_h - 1) - 1) / c.stride_h + 1;
  c.out_w = (c.in_w + 2 * c.pad_w - c.dilation_w * (c.kernel_w - 1) - 1) / c.stride_w + 1;
  const auto s = std::make_shared<setting>(c);
  compare(*s, name);
  if (quick) return;
  const double flops = 2 * static_cast<double>(s->y.size() * s->k);
  const auto contender = [&](const char* who, auto run) {
    bench::add_contender(name + who, s, "flops", flops, run);
  };
  contender("/tessera", [](setting& on) { on.ours(); });
  contender("/openblas", [](setting& on) { on.openblas(); });
}

/// A square kernel over a square image, padded to keep its size where the stride is 1.
convolution square(std::size_t kernel, std::size_t inputs, std::size_t outputs, std::size_t size,
                   std::size_t stride, std::size_t groups = 1, std::size_t batch = 1) {
  return {.batch = batch,
          .in_channels = inputs,
          .out_channels = outputs,
          .groups = groups,
          .in_h = size,
          .in_w = size,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .pad_h = kernel / 2,
          .pad_w = kernel / 2};
}

}  // namespace

void bench::add_cases(bool quick) {
  if (quick) {
    add("3x3", square(3, 5, 7, 19, 1), true);
    add("3x3_stride2_batch2_groups2", square(3, 4, 6, 18, 2, 2, 2), true);
    add("1x1", square(1, 9, 20, 11, 1), true);
    return;
  }
  std::printf("OpenBLAS runs its %s kernels\n", openblas_get_corename());
  add("3x3_64_64_56", square(3, 64, 64, 56, 1), false);
  add("3x3_128_128_28", square(3, 128, 128, 28, 1), false);
  add("3x3_256_256_14", square(3, 256, 256, 14, 1), false);
  add("3x3_512_512_7", square(3, 512, 512, 7, 1), false);
  add("3x3_512_512_7_batch8", square(3, 512, 512, 7, 1, 1, 8), false);
  add("3x3_64_128_56_stride2", square(3, 64, 128, 56, 2), false);
  add("7x7_3_64_224_stride2", square(7, 3, 64, 224, 2), false);
  add("1x1_64_256_56", square(1, 64, 256, 56, 1), false);
  add("1x1_256_64_56", square(1, 256, 64, 56, 1), false);
  add("1x1_256_512_56_stride2", square(1, 256, 512, 56, 2), false);
  add("3x3_64_64_56_batch4", square(3, 64, 64, 56, 1, 1, 4), false);
  add("3x3_3_16_64", square(3, 3, 16, 64, 1), false);
  add("3x3_64_3_64", square(3, 64, 3, 64, 1), false);
  add("3x3_128_128_28_groups8", square(3, 128, 128, 28, 1, 8), false);
  add("3x3_64_64_56_depthwise", square(3, 64, 64, 56, 1, 64), false);
  add("3x3_64_64_56_depthwise_stride2", square(3, 64, 64, 56, 2, 64), false);
  add("5x5_64_64_56_depthwise_stride2", square(5, 64, 64, 56, 2, 64), false);
  add("5x5_256_256_14_depthwise", square(5, 256, 256, 14, 1, 256), false);
  convolution patches = square(16, 3, 768, 224, 16);
  patches.pad_h = patches.pad_w = 0;
  add("16x16_3_768_224_stride16", patches, false);
}

int main(int count, char** arguments) {
  bench::start_again_with_openblas_set(arguments);
  return bench::main(count, arguments);
}
