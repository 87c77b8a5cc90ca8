// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/matmul.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "../support/catch.hpp"
#include "products.hpp"
#include "support.hpp"

using namespace tessera::tensors;
using namespace tessera_tests::products;

namespace {

/// A matrix as the kernels take it, from dense rows.
class operand {
 public:
  operand(std::size_t capacity, bool at_start) : memory_(capacity, at_start) {}

  matrix place(const std::vector<float>& dense, std::size_t rows, std::size_t columns,
               bool transposed, std::size_t gap) {
    const std::size_t height = transposed ? columns : rows, width = transposed ? rows : columns;
    const std::size_t stride = width + gap;
    float* const to = memory_.at(height == 0 ? 0 : (height - 1) * stride + width);
    for (std::size_t i = 0; i < height; ++i) {
      for (std::size_t j = 0; j < width; ++j)
        to[i * stride + j] = transposed ? dense[j * columns + i] : dense[i * columns + j];
      // Nobody may look at what is between rows.
      if (i + 1 < height)
        std::fill_n(to + i * stride + width, gap, std::numeric_limits<float>::quiet_NaN());
    }
    return {to, stride, transposed};
  }

 private:
  tessera_tests::guarded<float> memory_;
};

/// One problem, its result by the definition, and how large its sums could have been.
struct problem {
  explicit problem(const shape& of) : x(of), a(of.m * of.k), b(of.k * of.n), c(of.m * of.n) {
    tessera_tests::random_numbers random;
    for (std::vector<float>* const values : {&a, &b, &c})
      for (float& v : *values) v = random.real();
    for (std::size_t i = 0; i < x.m; ++i)
      for (std::size_t j = 0; j < x.n; ++j) {
        double sum = 0, sum_from_c = double{c[i * x.n + j]}, size = 0;
        for (std::size_t p = 0; p < x.k; ++p) {
          const double term = double{a[i * x.k + p]} * double{b[p * x.n + j]};
          sum += term;
          sum_from_c += term;
          size += std::fabs(term);
        }
        fresh.push_back(sum);
        added.push_back(sum_from_c);
        sizes.push_back(size);
      }
  }

  shape x;
  std::vector<float> a, b, c;
  std::vector<double> fresh, added, sizes;
};

/// Places for matrices at both ends of guarded memory.
struct bench_space {
  explicit bench_space(std::size_t n)
      : a{{n, false}, {n, true}}, b{{n, false}, {n, true}}, c{{n, false}, {n, true}} {}
  operand a[2], b[2], c[2];
  matmul_workspace scratch;
};

/// The number of elements that are wrong, in both forms and at all levels.
unsigned wrong_elements(const problem& p, const layout& l, bench_space& space) {
  const shape& x = p.x;
  const unsigned end = l.at_start ? 1 : 0;
  const matrix a = space.a[end].place(p.a, x.m, x.k, l.a_transposed, l.gap);
  const matrix b = space.b[end].place(p.b, x.k, x.n, l.b_transposed, l.gap);
  const std::vector<double>& expected = l.accumulate ? p.added : p.fresh;
  unsigned wrong = 0;
  for (const level at : tessera_tests::levels())
    for (const bool reference : {false, true}) {
      const matrix c = space.c[end].place(p.c, x.m, x.n, false, l.gap);
      const product to{const_cast<float*>(c.data), c.stride, l.accumulate};
      (reference ? matmul_reference : matmul)(x.m, x.n, x.k, a, b, to, space.scratch, at);
      for (std::size_t i = 0; i < x.m; ++i) {
        for (std::size_t j = 0; j < x.n; ++j) {
          const std::size_t e = i * x.n + j;
          const float got = to.data[i * to.stride + j];
          const double bound =
              (static_cast<double>(x.k) + 2) * 0x1p-24 * (p.sizes[e] + std::fabs(expected[e]));
          if (reference ? std::bit_cast<std::uint32_t>(got) !=
                              std::bit_cast<std::uint32_t>(static_cast<float>(expected[e]))
                        : !(std::fabs(double{got} - expected[e]) <= bound))
            ++wrong;
        }
        if (i + 1 < x.m)
          for (std::size_t j = x.n; j < to.stride; ++j)
            if (!std::isnan(to.data[i * to.stride + j])) ++wrong;
      }
    }
  return wrong;
}

void check(const shape& x, bench_space& space, const std::vector<unsigned>& layouts) {
  const problem p(x);
  for (const unsigned which : layouts) {
    const layout l(which);
    CAPTURE(x.m, x.n, x.k, which);
    CHECK(wrong_elements(p, l, space) == 0);
  }
}

}  // namespace

TEST_CASE("tensor/matmul: every edge of a tile, every layout", "[tensor]") {
  bench_space space(4096);
  for (const std::size_t m : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 13u, 14u, 15u, 29u})
    for (const std::size_t n : {1u, 3u, 4u, 5u, 7u, 8u, 9u, 16u, 17u, 33u})
      for (const std::size_t k : {1u, 4u, 7u}) check({m, n, k}, space, all_layouts());
  for (const std::size_t k : {0u, 2u, 3u, 5u, 8u, 9u, 31u, 32u, 33u})
    for (const std::size_t m : {1u, 6u, 9u}) check({m, 17, k}, space, all_layouts());
}

TEST_CASE("tensor/matmul: matrices of more than one block", "[tensor]") {
  bench_space space(1 << 20);
  for (const shape& x :
       {shape{13, 40, 257}, shape{150, 20, 300}, shape{7, 1050, 30}, shape{150, 1050, 5},
        shape{340, 2060, 1}, shape{1, 4100, 9}, shape{3, 9, 4100}, shape{4100, 2, 5},
        shape{9, 1, 4100}, shape{20, 20, 1100}})
    check(x, space, some_layouts);
}

TEST_CASE("tensor/matmul: small products, and the next ones that are packed", "[tensor]") {
  bench_space space(1 << 17);
  // Tiles of 4 and 8 rows, the last of which begins in the one before; of one vector and of two.
  for (const std::size_t m : {9u, 12u, 13u, 16u, 17u})
    for (const std::size_t n : {9u, 15u, 16u, 23u, 31u, 32u, 39u, 49u})
      check({m, n, 6}, space, all_layouts());
  for (const shape& x : {shape{10, 20, 256}, shape{10, 20, 257}, shape{256, 16, 256},
                         shape{257, 16, 256}, shape{10, 128, 96}, shape{10, 129, 96}})
    check(x, space, some_layouts);
}

TEST_CASE("tensor/matmul: small products have the bits of large ones", "[tensor]") {
  matmul_workspace scratch;
  tessera_tests::random_numbers random;
  for (const shape& x : {shape{9, 9, 31}, shape{13, 16, 256}, shape{16, 16, 64}, shape{17, 23, 99},
                         shape{20, 39, 128}, shape{24, 128, 96}}) {
    const std::size_t many = 65536 / x.k + 1;  // rows, too many for a small product
    std::vector<float> a(many * x.k), b(x.k * x.n), c(many * x.n);
    for (std::vector<float>* const values : {&a, &b, &c})
      for (float& v : *values) v = random.real();
    for (const level l : tessera_tests::levels())
      for (const unsigned which : {0u, 2u, 4u, 6u}) {
        CAPTURE(x.m, x.n, x.k, which, static_cast<int>(l));
        const layout how(which);
        const matrix left{a.data(), x.k};
        const matrix right{b.data(), how.b_transposed ? x.k : x.n, how.b_transposed};
        std::vector<float> small = c, large = c;
        matmul(x.m, x.n, x.k, left, right, {small.data(), x.n, how.accumulate}, scratch, l);
        matmul(many, x.n, x.k, left, right, {large.data(), x.n, how.accumulate}, scratch, l);
        CHECK(std::memcmp(small.data(), large.data(), x.m * x.n * sizeof(float)) == 0);
      }
  }
}

TEST_CASE("tensor/matmul: sums of nothing, and nothing to sum", "[tensor]") {
  matmul_workspace scratch;
  for (const level l : tessera_tests::levels())
    for (const auto multiply : {matmul, matmul_reference}) {
      float c[6] = {1, 2, 3, 4, 5, 6};
      multiply(2, 2, 0, {nullptr, 0}, {nullptr, 2}, {c, 3, true}, scratch, l);
      CHECK(std::vector<float>(c, c + 6) == std::vector<float>{1, 2, 3, 4, 5, 6});
      multiply(0, 2, 3, {nullptr, 3}, {nullptr, 2}, {c, 3}, scratch, l);
      multiply(2, 0, 3, {nullptr, 3}, {nullptr, 0}, {c, 3}, scratch, l);
      CHECK(std::vector<float>(c, c + 6) == std::vector<float>{1, 2, 3, 4, 5, 6});
      multiply(2, 2, 0, {nullptr, 0}, {nullptr, 2}, {c, 3}, scratch, l);
      CHECK(std::vector<float>(c, c + 6) == std::vector<float>{0, 0, 3, 0, 0, 6});
    }
}

TEST_CASE("tensor/matmul: the reference keeps what FP32 loses", "[tensor]") {
  matmul_workspace scratch;
  // 2^24 + 1 - 2^24, products that are subnormal as floats, and a sum that ends just above a tie.
  const float a[3][3] = {
      {0x1p24f, 1, -0x1p24f}, {0x1p-100f, 0x1p-100f, 0}, {1, 0x1p-24f, 0x1p-50f}};
  const float b[3][2] = {{1, 0x1p-49f}, {1, 0x1p-49f}, {1, 0}};
  for (const level l : tessera_tests::levels()) {
    float c[3][2];
    matmul_reference(3, 2, 3, {a[0], 3}, {b[0], 2}, {c[0], 2}, scratch, l);
    CHECK(c[0][0] == 1);
    CHECK(c[1][0] == 0x1p-99f);
    CHECK(c[1][1] == 0x1p-148f);
    CHECK(c[2][0] == 1 + 0x1p-23f);
  }
}

TEST_CASE("tensor/matmul: what isn't finite stays in its row and column", "[tensor]") {
  bench_space space(4096);
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::size_t m : {3u, 7u}) {
    const std::size_t n = 18, k = 5;
    std::vector<float> a(m * k, 1.0f), b(k * n, 1.0f), c(m * n);
    a[1 * k + 2] = infinity;
    b[3 * n + 17] = std::numeric_limits<float>::quiet_NaN();
    for (const level l : tessera_tests::levels())
      for (const auto multiply : {matmul, matmul_reference}) {
        multiply(m, n, k, {a.data(), k}, {b.data(), n}, {c.data(), n}, space.scratch, l);
        unsigned wrong = 0;
        for (std::size_t i = 0; i < m; ++i)
          for (std::size_t j = 0; j < n; ++j) {
            const float got = c[i * n + j];
            if (j == 17 ? !std::isnan(got) : got != (i == 1 ? infinity : 5.0f)) ++wrong;
          }
        CHECK(wrong == 0);
      }
  }
}
