// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"

using namespace tessera::tensors;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

struct tested {
  function f;
  double (*of)(double);
  double bound;  // in units of the last place
  double error;  // or that much, where it's more
};
constexpr tested functions[] = {
    {function::exp, [](double x) { return std::exp(x); }, 1, 0},
    {function::log, [](double x) { return std::log(x); }, 1, 0},
    {function::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 2.5, 0},
    {function::silu, [](double x) { return x / (1 + std::exp(-x)); }, 2.5, 0},
    {function::tanh, [](double x) { return std::tanh(x); }, 3, 0},
    {function::gelu,
     [](double x) {
       return x / (1 + std::exp(-2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x)));
     },
     2.5, 0x1p-24},
    {function::gelu_erf, [](double x) { return x / 2 * std::erfc(x * -0.70710678118654752440); }, 6,
     0x1p-123},
    {function::erf, [](double x) { return std::erf(x); }, 3, 0}};

/// Floats of every size, and more of them where functions bend.
std::vector<float> all_kinds() {
  std::vector<float> x = {0.0f, -0.0f, infinity, -infinity, no_number};
  for (std::uint32_t bits = 1; bits < 0x7f800000u; bits += 49999)
    for (const std::uint32_t sign : {0u, 0x80000000u})
      x.push_back(std::bit_cast<float>(bits | sign));
  x.push_back(std::numeric_limits<float>::max());
  x.push_back(std::numeric_limits<float>::lowest());
  for (float v = -20; v < 20; v += 0x1.01p-10f) x.push_back(v);
  for (float v = -120; v < 120; v += 0x1.01p-7f) x.push_back(v);
  return x;
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double last_place(double x) {
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  return std::ldexp(1, std::max(exponent - 24, -149));
}
bool within(float y, double expected, double bound, double error) {
  const auto rounded = static_cast<float>(expected);
  if (std::isnan(y) || std::isnan(rounded)) return std::isnan(y) && std::isnan(rounded);
  const double unit = last_place(expected);
  // Infinity is the one after the last.
  const double most = 0x1p128, wide = std::isinf(y) ? std::copysign(most, y) : double{y};
  if (std::isinf(expected) || std::fabs(expected) > most) return std::isinf(y) && same(y, rounded);
  return std::fabs(wide - expected) <= std::max(bound * unit, error);
}

std::vector<float> numbers(std::size_t n, float range) {
  tessera_tests::random_numbers random;
  std::vector<float> x(n);
  for (float& v : x) v = random.real() * range;
  return x;
}

constexpr std::size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 128, 129, 1000};

}  // namespace

TEST_CASE("tensor/rows: functions are as exact as they say", "[tensor]") {
  const std::vector<float> x = all_kinds();
  for (const tested& t : functions)
    for (const level l : tessera_tests::levels()) {
      std::vector<float> y(x.size());
      apply(t.f, x.data(), y.data(), x.size(), l);
      unsigned wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!within(y[i], t.of(double{x[i]}), t.bound, t.error)) {
          if (wrong++ == 0) UNSCOPED_INFO("of " << x[i] << ": " << y[i]);
        }
      CAPTURE(static_cast<int>(t.f), static_cast<int>(l));
      CHECK(wrong == 0);
    }
}

TEST_CASE("tensor/rows: the ends of the functions", "[tensor]") {
  for (const level l : tessera_tests::levels()) {
    const auto value = [l](function f, float x) {
      const std::vector<float> from(9, x);
      float y[9];
      apply(f, from.data(), y, 9, l);
      CHECK(same(y[0], y[8]));
      return y[8];
    };
    for (const tested& t : functions) CHECK(std::isnan(value(t.f, no_number)));
    CHECK(value(function::exp, 0) == 1);
    CHECK(value(function::exp, 88.8f) == infinity);
    CHECK(value(function::exp, infinity) == infinity);
    CHECK(value(function::exp, -infinity) == 0);
    CHECK(value(function::exp, -103.5f) == 0x1p-149f);
    CHECK(value(function::log, 1) == 0);
    CHECK(value(function::log, -0.0f) == -infinity);
    CHECK(value(function::log, infinity) == infinity);
    CHECK(std::isnan(value(function::log, -0x1p-149f)));
    CHECK(value(function::sigmoid, 0) == 0.5f);
    CHECK(value(function::sigmoid, infinity) == 1);
    CHECK(value(function::sigmoid, -infinity) == 0);
    CHECK(value(function::tanh, -infinity) == -1);
    CHECK(std::signbit(value(function::tanh, -0.0f)));
    CHECK(value(function::tanh, 0x1p-149f) == 0x1p-149f);
    CHECK(value(function::erf, infinity) == 1);
    CHECK(value(function::erf, -5) == -1);
    for (const function f : {function::silu, function::gelu, function::gelu_erf}) {
      CHECK(value(f, infinity) == infinity);
      CHECK(value(f, 1e30f) == 1e30f);
      CHECK(value(f, -1e30f) == 0);
      CHECK(value(f, std::numeric_limits<float>::lowest()) == 0);
      CHECK(std::isnan(value(f, -infinity)));
    }
  }
}

TEST_CASE("tensor/rows: any count, in place, and nothing around it", "[tensor]") {
  const std::vector<float> from = numbers(64, 3);
  std::vector<float> scale = numbers(40, 2);
  for (const bool at_start : {false, true}) {
    tessera_tests::guarded<float> memory(80, at_start);
    for (const level l : tessera_tests::levels())
      for (std::size_t n = 0; n <= 35; ++n) {
        float* const x = memory.at(n);
        const auto fill = [&] { std::copy(from.data(), from.data() + n, x); };
        unsigned wrong = 0;
        for (const tested& t : functions) {
          fill();
          apply(t.f, x, x, n, l);
          for (std::size_t i = 0; i < n; ++i)
            if (!within(x[i], t.of(double{from[i]}), t.bound, t.error)) ++wrong;
        }
        std::vector<float> apart(n);
        const auto compare = [&] {
          for (std::size_t i = 0; i < n; ++i) wrong += same(x[i], apart[i]) ? 0u : 1u;
        };
        fill();
        softmax(x, apart.data(), 1, n, l);
        softmax(x, x, 1, n, l);
        compare();
        fill();
        log_softmax(x, apart.data(), 1, n, l);
        log_softmax(x, x, 1, n, l);
        compare();
        fill();
        layer_norm(x, scale.data(), nullptr, apart.data(), 1, n, 1e-5, nullptr, nullptr, l);
        layer_norm(x, scale.data(), nullptr, x, 1, n, 1e-5, nullptr, nullptr, l);
        compare();
        fill();
        float most = -infinity, lowest = infinity;
        double all = 0;
        for (std::size_t i = 0; i < n; ++i) {
          most = std::max(most, x[i]);
          lowest = std::min(lowest, x[i]);
          all += double{x[i]};
        }
        CHECK(greatest(x, n, l) == most);
        CHECK(least(x, n, l) == lowest);
        CHECK(std::fabs(sum(x, n, l) - all) < 1e-13);
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("tensor/rows: softmax and its logarithm by their definition", "[tensor]") {
  for (const level l : tessera_tests::levels())
    for (const std::size_t n : lengths)
      for (const float range : {1.0f, 30.0f, 120.0f}) {
        constexpr std::size_t rows = 3;
        const std::vector<float> x = numbers(rows * n, range);
        std::vector<float> y(x.size()), logarithm(x.size());
        softmax(x.data(), y.data(), rows, n, l);
        log_softmax(x.data(), logarithm.data(), rows, n, l);
        unsigned wrong = 0, wrong_logarithm = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          const float* const row = x.data() + r * n;
          double most = -1e30, all = 0;
          for (std::size_t i = 0; i < n; ++i) most = std::max(most, double{row[i]});
          for (std::size_t i = 0; i < n; ++i) all += std::exp(double{row[i]} - most);
          for (std::size_t i = 0; i < n; ++i) {
            const double less = double{row[i]} - most;
            // The difference from the greatest is rounded, too.
            const double bound = 4 + std::fabs(less);
            if (!within(y[r * n + i], std::exp(less) / all, bound, 0)) ++wrong;
            if (!within(logarithm[r * n + i], less - std::log(all), 1, 2e-7)) ++wrong_logarithm;
          }
        }
        CAPTURE(n, range, static_cast<int>(l));
        CHECK(wrong == 0);
        CHECK(wrong_logarithm == 0);
      }
}

TEST_CASE("tensor/rows: rows with infinities and NaN", "[tensor]") {
  for (const level l : tessera_tests::levels())
    for (const std::size_t n : {1u, 4u, 7u, 8u, 9u, 70u}) {
      std::vector<float> y(n);
      const auto all_nan = [&](const std::vector<float>& x) {
        softmax(x.data(), y.data(), 1, n, l);
        bool all = true;
        for (const float v : y) all = all && std::isnan(v);
        log_softmax(x.data(), y.data(), 1, n, l);
        for (const float v : y) all = all && (std::isnan(v) || v == -infinity);
        return all;
      };
      CHECK(all_nan(std::vector<float>(n, -infinity)));
      for (std::size_t at = 0; at < n; ++at) {
        std::vector<float> x(n, 1.0f);
        x[at] = no_number;
        CHECK(all_nan(x));
        CHECK(std::isnan(greatest(x.data(), n, l)));
        CHECK(std::isnan(least(x.data(), n, l)));
        x[at] = -infinity;
        if (n == 1) continue;
        softmax(x.data(), y.data(), 1, n, l);
        CHECK(y[at] == 0);
        CHECK(std::fabs(y[(at + 1) % n] * static_cast<float>(n - 1) - 1) < 1e-6f);
        CHECK(least(x.data(), n, l) == -infinity);
        x[at] = infinity;
        softmax(x.data(), y.data(), 1, n, l);
        CHECK(std::isnan(y[at]));
        CHECK(greatest(x.data(), n, l) == infinity);
      }
    }
}

TEST_CASE("tensor/rows: exponentials of differences, and their sum", "[tensor]") {
  for (const level l : tessera_tests::levels())
    for (const std::size_t n : lengths) {
      const std::vector<float> x = numbers(n, 8);
      std::vector<float> y(n);
      const double all = exponentials(x.data(), 9, 0.5f, y.data(), n, l);
      double expected = 0;
      unsigned wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const float difference = (x[i] - 9) * 0.5f;
        expected += std::exp(double{difference});
        if (!within(y[i], std::exp(double{difference}), 1, 0)) ++wrong;
      }
      CHECK(wrong == 0);
      CHECK(std::fabs(all - expected) <= 3e-7 * expected);
    }
}

TEST_CASE("tensor/rows: layer_norm and moments by their definition", "[tensor]") {
  struct {
    float range, offset;
    double error;  // of results, in deviations
  } const kinds[] = {{1, 0, 1e-6},      {100, 0, 1e-6},   {1, 1000, 1e-6},
                     {1e-20f, 0, 1e-6}, {1e25f, 0, 1e-6}, {1e-3f, 1, 1e-6}};
  for (const level l : tessera_tests::levels())
    for (const std::size_t n : lengths)
      for (const auto& kind : kinds) {
        constexpr std::size_t rows = 2;
        std::vector<float> x = numbers(rows * n, kind.range);
        for (float& v : x) v += kind.offset;
        const std::vector<float> scale = numbers(n, 2), shift = numbers(n, 5);
        std::vector<float> plain(rows * n), scaled(rows * n), shifted(rows * n), full(rows * n);
        float means[rows], inverses[rows];
        const double epsilon = kind.range < 1e-10f ? 1e-45 : 1e-9;
        layer_norm(x.data(), nullptr, nullptr, plain.data(), rows, n, epsilon, means, inverses, l);
        layer_norm(x.data(), scale.data(), nullptr, scaled.data(), rows, n, epsilon, nullptr,
                   nullptr, l);
        layer_norm(x.data(), nullptr, shift.data(), shifted.data(), rows, n, epsilon, nullptr,
                   nullptr, l);
        layer_norm(x.data(), scale.data(), shift.data(), full.data(), rows, n, epsilon, nullptr,
                   nullptr, l);
        unsigned wrong = 0;
        for (std::size_t r = 0; r < rows; ++r) {
          const float* const row = x.data() + r * n;
          const moments m = moments_of(row, n, l);
          if (n == 0) {
            CHECK(std::isnan(means[r]));
            CHECK(std::isnan(m.variance));
            continue;
          }
          double mean = 0, variance = 0;
          for (std::size_t i = 0; i < n; ++i) mean += double{row[i]} / static_cast<double>(n);
          for (std::size_t i = 0; i < n; ++i)
            variance += (double{row[i]} - mean) * (double{row[i]} - mean) / static_cast<double>(n);
          const double inverse = 1 / std::sqrt(variance + epsilon);
          CHECK(std::fabs(m.mean - mean) <= 1e-7 * std::sqrt(variance) + 1e-15 * std::fabs(mean));
          CHECK(std::fabs(m.variance - variance) <= 1e-6 * variance);
          CHECK(std::fabs(double{inverses[r]} - inverse) <= 1e-6 * inverse);
          CHECK(means[r] == static_cast<float>(m.mean));
          for (std::size_t i = 0; i < n; ++i) {
            const double y = (double{row[i]} - mean) * inverse;
            const double a = double{scale[i]}, b = double{shift[i]};
            const double bound = kind.error * (1 + std::fabs(y));
            if (std::fabs(double{plain[r * n + i]} - y) > bound) ++wrong;
            if (std::fabs(double{scaled[r * n + i]} - y * a) > 2 * bound) ++wrong;
            if (std::fabs(double{shifted[r * n + i]} - (y + b)) > bound + 5e-7) ++wrong;
            if (std::fabs(double{full[r * n + i]} - (y * a + b)) > 2 * bound + 5e-7) ++wrong;
          }
        }
        CAPTURE(n, kind.range, kind.offset, static_cast<int>(l));
        CHECK(wrong == 0);
      }
}
