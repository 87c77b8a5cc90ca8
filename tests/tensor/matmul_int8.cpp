// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/matmul_int8.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "products.hpp"
#include "support.hpp"

using namespace tessera::tensors;
using namespace tessera_tests::products;

namespace {

/// A matrix as the kernels take it, from dense rows.
template <class Byte>
matrix_of<Byte> place(tessera_tests::guarded<Byte>& memory, const std::vector<Byte>& dense,
                      std::size_t rows, std::size_t columns, bool transposed, std::size_t gap) {
  const std::size_t height = transposed ? columns : rows, width = transposed ? rows : columns;
  const std::size_t stride = width + gap;
  Byte* const to = memory.at(height == 0 ? 0 : (height - 1) * stride + width);
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j)
      to[i * stride + j] = transposed ? dense[j * columns + i] : dense[i * columns + j];
  return {to, stride, transposed};
}

/// One problem and its result by the definition, modulo 2^32. Some values are the extreme ones.
template <class Byte>
struct problem {
  explicit problem(const shape& of) : x(of), a(of.m * of.k), b(of.k * of.n), c(of.m * of.n) {
    constexpr Byte extreme =
        Byte(-1) < Byte(0) ? std::numeric_limits<Byte>::min() : std::numeric_limits<Byte>::max();
    tessera_tests::random_numbers random;
    for (Byte& v : a) {
      const std::uint32_t bits = random();
      v = bits % 4 == 0 ? extreme : static_cast<Byte>(bits >> 8);
    }
    for (std::int8_t& v : b) {
      const std::uint32_t bits = random();
      v = static_cast<std::int8_t>(bits % 4 == 0 ? -128 : static_cast<int>(bits >> 8));
    }
    for (std::int32_t& v : c) v = static_cast<std::int32_t>(random());
    for (std::size_t i = 0; i < x.m; ++i)
      for (std::size_t j = 0; j < x.n; ++j) {
        std::int64_t sum = 0;
        for (std::size_t p = 0; p < x.k; ++p)
          sum += std::int64_t{a[i * x.k + p]} * std::int64_t{b[p * x.n + j]};
        fresh.push_back(static_cast<std::int32_t>(sum));
        added.push_back(static_cast<std::int32_t>(sum + c[i * x.n + j]));
      }
  }

  shape x;
  std::vector<Byte> a;
  std::vector<std::int8_t> b;
  std::vector<std::int32_t> c, fresh, added;
};

/// Places for matrices at both ends of guarded memory.
template <class Byte>
struct bench_space {
  explicit bench_space(std::size_t n)
      : a{tessera_tests::guarded<Byte>(n), tessera_tests::guarded<Byte>(n, true)},
        b{tessera_tests::guarded<std::int8_t>(n), tessera_tests::guarded<std::int8_t>(n, true)},
        c{tessera_tests::guarded<std::int32_t>(n), tessera_tests::guarded<std::int32_t>(n, true)} {}
  tessera_tests::guarded<Byte> a[2];
  tessera_tests::guarded<std::int8_t> b[2];
  tessera_tests::guarded<std::int32_t> c[2];
  matmul_int8_workspace scratch;
};

/// The number of elements that are wrong, with every method and at all levels.
template <class Byte>
unsigned wrong_elements(const problem<Byte>& p, const layout& l, bench_space<Byte>& space) {
  const shape& x = p.x;
  const unsigned end = l.at_start ? 1 : 0;
  const auto a = place(space.a[end], p.a, x.m, x.k, l.a_transposed, l.gap);
  const auto b = place(space.b[end], p.b, x.k, x.n, l.b_transposed, l.gap);
  const std::vector<std::int32_t>& expected = l.accumulate ? p.added : p.fresh;
  const std::size_t stride = x.n + l.gap, size = (x.m - 1) * stride + x.n;
  unsigned wrong = 0;
  for (const level at : tessera_tests::levels())
    for (const int8_method method : {int8_method::best, int8_method::pairs, int8_method::quads}) {
      std::int32_t* const c = space.c[end].at(size);
      std::fill_n(c, size, 77);
      for (std::size_t i = 0; i < x.m; ++i) std::copy_n(&p.c[i * x.n], x.n, c + i * stride);
      matmul_int8(x.m, x.n, x.k, a, b, {c, stride, l.accumulate}, space.scratch, at, method);
      for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = i / stride, column = i % stride;
        if (c[i] != (column < x.n ? expected[row * x.n + column] : 77)) ++wrong;
      }
    }
  return wrong;
}

template <class Byte>
void check(const shape& x, bench_space<Byte>& space, const std::vector<unsigned>& layouts) {
  const problem<Byte> p(x);
  for (const unsigned which : layouts) {
    const layout l(which);
    CAPTURE(x.m, x.n, x.k, which, Byte(-1) < Byte(0));
    CHECK(wrong_elements(p, l, space) == 0);
  }
}

struct both_spaces {
  explicit both_spaces(std::size_t n) : of_signed(n), of_unsigned(n) {}
  bench_space<std::int8_t> of_signed;
  bench_space<std::uint8_t> of_unsigned;
};
void check(const shape& x, both_spaces& spaces, const std::vector<unsigned>& layouts) {
  check(x, spaces.of_signed, layouts);
  check(x, spaces.of_unsigned, layouts);
}

}  // namespace

TEST_CASE("tensor/matmul_int8: every edge of a tile, every layout", "[tensor]") {
  both_spaces spaces(4096);
  for (const std::size_t m : {1u, 2u, 3u, 4u, 6u, 7u, 12u, 13u})
    for (const std::size_t n : {1u, 7u, 8u, 9u, 16u, 17u, 33u})
      for (const std::size_t k : {1u, 2u, 5u}) check({m, n, k}, spaces, all_layouts());
  for (const std::size_t k : {3u, 4u, 15u, 16u, 17u, 18u, 31u, 32u, 35u})
    for (const std::size_t m : {1u, 4u, 6u, 13u}) check({m, 33, k}, spaces, all_layouts());
}

TEST_CASE("tensor/matmul_int8: matrices of more than one block", "[tensor]") {
  both_spaces spaces(1 << 17);
  for (const shape& x :
       {shape{7, 20, 1030}, shape{150, 17, 9}, shape{3, 1050, 35}, shape{150, 520, 5},
        shape{1, 2060, 3}, shape{2, 2060, 9}, shape{3, 7, 4100}})
    check(x, spaces, some_layouts);
}

TEST_CASE("tensor/matmul_int8: sums wrap", "[tensor]") {
  // 255 * 127 * 140000 is above 2^32, and so is 128 * 128 * 140000 above 2^31.
  const std::size_t k = 140000;
  const std::vector<std::uint8_t> high(k, 255);
  const std::vector<std::int8_t> low(k, -128), most(k, 127);
  matmul_int8_workspace scratch;
  for (const level l : tessera_tests::levels())
    for (const int8_method method : {int8_method::pairs, int8_method::quads}) {
      std::int32_t c = 0;
      matmul_int8(1, 1, k, {high.data(), k}, {most.data(), 1}, {&c, 1}, scratch, l, method);
      CHECK(c == static_cast<std::int32_t>(4533900000u - 4294967296u));
      matmul_int8(1, 1, k, {low.data(), k}, {low.data(), 1}, {&c, 1}, scratch, l, method);
      CHECK(c == static_cast<std::int32_t>(2293760000u));
    }
}

TEST_CASE("tensor/matmul_int8: sums of nothing, and nothing to sum", "[tensor]") {
  matmul_int8_workspace scratch;
  const matrix_of<std::int8_t> none{nullptr, 3};
  for (const level l : tessera_tests::levels()) {
    std::int32_t c[6] = {1, 2, 3, 4, 5, 6};
    matmul_int8(2, 2, 0, none, none, {c, 3, true}, scratch, l);
    matmul_int8(0, 2, 3, none, none, {c, 3}, scratch, l);
    matmul_int8(2, 0, 3, none, none, {c, 3}, scratch, l);
    CHECK(std::vector<std::int32_t>(c, c + 6) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    matmul_int8(2, 2, 0, none, none, {c, 3}, scratch, l);
    CHECK(std::vector<std::int32_t>(c, c + 6) == std::vector<std::int32_t>{0, 0, 3, 0, 0, 6});
  }
}
