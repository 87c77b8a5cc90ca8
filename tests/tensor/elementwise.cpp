// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/elementwise.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"

using namespace tessera::tensors;

namespace {

constexpr unary unaries[] = {unary::relu,    unary::sqrt, unary::rsqrt,    unary::exp,
                             unary::sigmoid, unary::gelu, unary::gelu_erf, unary::erf,
                             unary::tanh,    unary::silu};
constexpr binary binaries[] = {binary::add, binary::sub, binary::mul, binary::div};

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// Floats of every kind and size.
std::vector<float> all_kinds() {
  std::vector<float> x;
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float v :
       {0.0f, 0x1p-149f, 0x1p-126f, 0x1p-20f, 0.5f, 1.0f, 87.3f, 88.7f, 88.8f, 103.9f, 104.0f,
        708.0f, 711.0f, 1e30f, std::numeric_limits<float>::max(), infinity})
    for (const float s : {v, -v}) x.push_back(s);
  x.push_back(std::numeric_limits<float>::quiet_NaN());
  tessera_tests::random_numbers random;
  for (int i = 0; i < 10000; ++i) x.push_back(std::bit_cast<float>(random()));
  for (const float range : {1.0f, 10.0f, 110.0f})
    for (int i = 0; i < 10000; ++i) x.push_back(random.real() * range);
  return x;
}

/// How far apart two floats are, in floats between them.
std::uint32_t distance(float a, float b) {
  if (same(a, b)) return 0;
  if (std::isnan(a) || std::isnan(b)) return UINT32_MAX;
  const auto place = [](float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::int64_t{bits & 0x7fffffffu} * (bits >> 31 != 0 ? -1 : 1);
  };
  return static_cast<std::uint32_t>(std::abs(place(a) - place(b)));
}

}  // namespace

TEST_CASE("tensor/elementwise: one operand, as by the definition", "[tensor]") {
  const std::vector<float> x = all_kinds();
  for (const unary op : unaries) {
    const std::uint32_t bound = op < unary::exp ? 0 : 1;  // units of the last place
    std::vector<float> first;
    for (const level l : tessera_tests::levels()) {
      std::vector<float> y(x.size());
      apply(op, x.data(), y.data(), x.size(), l);
      if (first.empty()) first = y;
      unsigned wrong = 0, other_bits = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (distance(y[i], apply(op, x[i])) > bound) ++wrong;
        if (!same(y[i], first[i])) ++other_bits;
      }
      CAPTURE(static_cast<int>(op), static_cast<int>(l));
      CHECK(wrong == 0);
      CHECK(other_bits == 0);
    }
  }
}

TEST_CASE("tensor/elementwise: the bounds of the functions, and their ends", "[tensor]") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const level l : tessera_tests::levels()) {
    const auto value = [l](unary op, float x) {
      float y[8];
      const float from[8] = {x, x, x, x, x, x, x, x};
      apply(op, from, y, 8, l);
      CHECK(same(y[0], y[7]));
      return y[7];
    };
    CHECK(value(unary::relu, -1) == 0);
    CHECK(value(unary::relu, 2) == 2);
    CHECK(std::isnan(value(unary::relu, std::numeric_limits<float>::quiet_NaN())));
    CHECK(std::isnan(value(unary::sqrt, -1)));
    CHECK(value(unary::rsqrt, 0) == infinity);
    CHECK(value(unary::exp, 0) == 1);
    CHECK(value(unary::exp, infinity) == infinity);
    CHECK(value(unary::exp, 89) == infinity);
    CHECK(value(unary::exp, -infinity) == 0);
    CHECK(value(unary::exp, -103.5f) == 0x1p-149f);
    CHECK(value(unary::sigmoid, 0) == 0.5f);
    CHECK(value(unary::sigmoid, 1000) == 1);
    CHECK(value(unary::sigmoid, -infinity) == 0);
    CHECK(value(unary::gelu, 0) == 0);
    CHECK(value(unary::gelu, infinity) == infinity);
    CHECK(value(unary::gelu, -1e30f) == 0);
    CHECK(value(unary::gelu_erf, infinity) == infinity);
    CHECK(std::isnan(value(unary::gelu_erf, -infinity)));
    CHECK(value(unary::gelu_erf, 1) == 0.84134475f);
    CHECK(value(unary::erf, infinity) == 1);
    CHECK(value(unary::erf, -infinity) == -1);
    CHECK(value(unary::tanh, infinity) == 1);
    CHECK(value(unary::tanh, -20) == -1);
    CHECK(value(unary::silu, -1e30f) == 0);
    float worst = 0;  // against the definition with tanh
    for (double x = -10; x < 10; x += 1.0 / 128) {
      const double y = 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
      worst = std::max(
          worst, std::fabs(value(unary::gelu, static_cast<float>(x)) - static_cast<float>(y)));
    }
    CHECK(worst <= 0x1p-21f);
  }
}

TEST_CASE("tensor/elementwise: two operands, one of them perhaps a number", "[tensor]") {
  const std::vector<float> a = all_kinds();
  const std::vector<float> b(a.rbegin(), a.rend());
  for (const binary op : binaries)
    for (const level l : tessera_tests::levels()) {
      std::vector<float> arrays(a.size()), after(a.size()), before(a.size());
      apply(op, a.data(), b.data(), arrays.data(), a.size(), l);
      apply(op, a.data(), 0.7f, after.data(), a.size(), l);
      apply(op, 0.7f, a.data(), before.data(), a.size(), l);
      unsigned wrong = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        if (!same(arrays[i], apply(op, a[i], b[i])) || !same(after[i], apply(op, a[i], 0.7f)) ||
            !same(before[i], apply(op, 0.7f, a[i])))
          ++wrong;
      CAPTURE(static_cast<int>(op), static_cast<int>(l));
      CHECK(wrong == 0);
    }
}

TEST_CASE("tensor/elementwise: any count, in place, and nothing around it", "[tensor]") {
  for (const bool at_start : {false, true}) {
    tessera_tests::guarded<float> first(100, at_start), second(100, at_start);
    for (const level l : tessera_tests::levels())
      for (std::size_t n = 0; n <= 35; ++n) {
        float* const a = first.at(n);
        float* const b = second.at(n);
        unsigned wrong = 0;
        const auto fill = [&] {
          for (std::size_t i = 0; i < n; ++i) a[i] = b[i] = static_cast<float>(i) + 1;
        };
        for (const unary op : unaries) {
          fill();
          apply(op, a, a, n, l);
          for (std::size_t i = 0; i < n; ++i)
            if (distance(a[i], apply(op, b[i])) > 1) ++wrong;
        }
        for (const binary op : binaries) {
          fill();
          apply(op, a, b, a, n, l);
          apply(op, a, 3.0f, a, n, l);
          apply(op, 5.0f, a, a, n, l);
          for (std::size_t i = 0; i < n; ++i)
            if (!same(a[i], apply(op, 5.0f, apply(op, apply(op, b[i], b[i]), 3.0f)))) ++wrong;
        }
        CHECK(wrong == 0);
      }
  }
}
