// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "indices.hpp"
#include "support/catch.hpp"

namespace {

using namespace test;
using nem::quantization;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct pool_case {
  numbers x, kernel, pads, strides;
  [[nodiscard]] numbers y() const {
    numbers y = x;
    for (std::size_t i = 0; i < 2; ++i)
      y[i + 1] = (x[i + 1] + pads[i] + pads[i + 2] - kernel[i]) / strides[i] + 1;
    return y;
  }
  [[nodiscard]] nem::attributes attributes() const {
    nem::attributes a;
    a.kernel_shape = {kernel.data(), 2};
    a.pads = {pads.data(), 4};
    a.strides = {strides.data(), 2};
    return a;
  }
  /// Calls f(index of y, those of x in its window).
  template <class F>
  void each(F&& f) const {
    const numbers shape = y();
    numbers at(4);
    do {
      std::vector<numbers> inside;
      for (std::int64_t i = 0; i < kernel[0]; ++i)
        for (std::int64_t k = 0; k < kernel[1]; ++k) {
          const std::int64_t h = at[1] * strides[0] + i - pads[0],
                             w = at[2] * strides[1] + k - pads[1];
          if (h >= 0 && h < x[1] && w >= 0 && w < x[2]) inside.push_back({at[0], h, w, at[3]});
        }
      f(at, inside);
    } while (advance(at, shape));
  }
};

const pool_case cases[] = {
    {{1, 4, 4, 3}, {2, 2}, {0, 0, 0, 0}, {2, 2}}, {{2, 5, 6, 2}, {3, 2}, {1, 1, 2, 0}, {1, 2}},
    {{1, 3, 7, 1}, {2, 5}, {1, 4, 0, 3}, {3, 1}}, {{1, 2, 2, 600}, {2, 2}, {1, 0, 1, 0}, {2, 1}},
    {{1, 1, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}}, {{1, 2, 9, 4}, {5, 3}, {4, 2, 4, 1}, {2, 4}},
};

/// The nearest integer to a / b, the even one of two.
std::int64_t nearest(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b, r = a % b;
  if (r < 0) r += b, --q;
  return q + (2 * r > b || (2 * r == b && q % 2 != 0) ? 1 : 0);
}

double average(const std::vector<std::int64_t>& v) {
  std::int64_t sum = 0;
  for (const std::int64_t x : v) sum += x;
  return static_cast<double>(nearest(sum, static_cast<std::int64_t>(v.size())));
}

}  // namespace

TEST_CASE("vm/nem/pooling: windows of all types", "[vm_nem]") {
  for (const element e : all_types)
    for (const pool_case& p : cases)
      for (int kind = 0; kind < 3; ++kind) {
        const std::vector<double> from = values_of(e, count_of(p.x));
        held x(e, p.x, from, strides_of(kind, p.x));
        held high(e, p.y(), {}, strides_of((kind + 1) % 3, p.y()));
        held mean(e, p.y(), {}, strides_of((kind + 2) % 3, p.y()));
        REQUIRE(run(opcode::maxpool, {&x}, {&high}, p.attributes()));
        REQUIRE(run(opcode::avgpool, {&x}, {&mean}, p.attributes()));
        std::vector<double> greatest, averages;
        const bool is_integer = x.tensor().is_integer();
        p.each([&](const numbers&, const std::vector<numbers>& inside) {
          double best = -1e300, sum = 0;
          std::vector<std::int64_t> all;
          for (const numbers& i : inside) {
            const double v = from[number_of(i, p.x)];
            best = std::max(best, v);
            sum += v;
            if (is_integer) all.push_back(static_cast<std::int64_t>(v));
          }
          greatest.push_back(best);
          averages.push_back(is_integer ? average(all) : sum / static_cast<double>(inside.size()));
        });
        CHECK(high.get() == greatest);
        CHECK(keeps_gaps(high));
        CHECK(mean.bits() == held(e, p.y(), averages).bits());
        CHECK(keeps_gaps(mean));
      }
}

TEST_CASE("vm/nem/pooling: averages of integers are rounded to even", "[vm_nem]") {
  struct row {
    std::vector<double> window;
    double expected;
  };
  const row table[] = {{{1, 2}, 2},    {{1, 0}, 0},       {{-1, 0}, 0},
                       {{-1, -2}, -2}, {{3, 4, 4, 4}, 4}, {{-128, -127}, -128}};
  for (const row& t : table) {
    const auto n = static_cast<std::int64_t>(t.window.size());
    const pool_case p{{1, 1, n, 1}, {1, n}, {0, 0, 0, 0}, {1, 1}};
    held x(element::i8, p.x, t.window), y(element::i8, p.y());
    REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
    CHECK(y.get()[0] == t.expected);
  }
}

TEST_CASE("vm/nem/pooling: NaN and infinity", "[vm_nem]") {
  const double inf = std::numeric_limits<double>::infinity();
  const pool_case p{{1, 1, 7, 1}, {1, 2}, {0, 1, 0, 1}, {1, 1}};
  for (const element e : {element::f16, element::bf16, element::f32}) {
    held x(e, p.x, {1, not_a_number, 2, inf, 3, -inf, -inf}), y(e, p.y());
    REQUIRE(run(opcode::maxpool, {&x}, {&y}, p.attributes()));
    CHECK(y.bits() ==
          held(e, p.y(), {1, not_a_number, not_a_number, inf, inf, 3, -inf, -inf}).bits());
    REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
    CHECK(y.bits() ==
          held(e, p.y(), {1, not_a_number, not_a_number, inf, inf, -inf, -inf, -inf}).bits());
  }
}

TEST_CASE("vm/nem/pooling: equal descriptors leave values in their scale", "[vm_nem]") {
  const pool_case p{{1, 1, 4, 2}, {1, 2}, {0, 0, 0, 0}, {1, 2}};
  held x(element::u8, p.x, {1, 1, 2, 2, 250, 7, 255, 8}), y(element::u8, p.y());
  SECTION("of the tensor") {
    x.quantize({0.3f}, {1});
    y.quantize({0.3f}, {1});
    REQUIRE(run(opcode::maxpool, {&x}, {&y}, p.attributes()));
    CHECK(y.get() == std::vector<double>{2, 2, 255, 8});
    REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
    // (0 + 1) / 2 is 0, and 1 with the zero point; (249 + 254) / 2 is 252
    CHECK(y.get() == std::vector<double>{1, 1, 253, 7});
  }
  SECTION("of channels") {
    x.quantize({0.3f, 0.7f}, {1, 0}, quantization::per_channel, 3);
    y.quantize({0.3f, 0.7f}, {1, 0}, quantization::per_channel, 3);
    REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
    CHECK(y.get() == std::vector<double>{1, 2, 253, 8});
    REQUIRE(run(opcode::maxpool, {&x}, {&y}, p.attributes()));
    CHECK(y.get() == std::vector<double>{2, 2, 255, 8});
  }
}

TEST_CASE("vm/nem/pooling: differing descriptors quantize again", "[vm_nem]") {
  const pool_case p = cases[1];
  for (const element e : {element::i4, element::i8, element::u8, element::i16, element::i32})
    for (std::size_t axis = 0; axis < 4; ++axis)
      for (int kind = 0; kind < 2; ++kind) {
        const numbers y_shape = p.y();
        std::vector<float> xs, ys;
        numbers xz, yz;
        for (std::int64_t i = 0; i < p.x[axis]; ++i) {
          xs.push_back(0.5f + 0.25f * static_cast<float>(i));
          xz.push_back(i % 3);
        }
        const std::int64_t groups = (y_shape[3] + 1) / 2;
        for (std::int64_t i = 0; i < groups; ++i) {
          ys.push_back(0.75f + static_cast<float>(i));
          yz.push_back(2 + i);
        }
        const std::vector<double> from = values_of(e, count_of(p.x), 7);
        held x(e, p.x, from, strides_of(kind, p.x)), high(e, y_shape), mean(e, y_shape);
        x.quantize(xs, xz, quantization::per_channel, axis);
        high.quantize(ys, yz, quantization::per_group, 3, 2);
        mean.quantize(ys, yz, quantization::per_group, 3, 2);
        REQUIRE(run(opcode::maxpool, {&x}, {&high}, p.attributes()));
        REQUIRE(run(opcode::avgpool, {&x}, {&mean}, p.attributes()));
        std::vector<double> greatest, averages;
        p.each([&](const numbers& at, const std::vector<numbers>& inside) {
          double best = -1e300, sum = 0;
          for (const numbers& i : inside) {
            const auto c = static_cast<std::size_t>(i[axis]);
            const double real =
                static_cast<double>(xs[c]) * (from[number_of(i, p.x)] - static_cast<double>(xz[c]));
            best = std::max(best, real);
            sum += real;
          }
          const auto g = static_cast<std::size_t>(at[3] / 2);
          const vm::nem::integer_range r = vm::nem::range_of(e);
          const auto quantized = [&](double real) {
            return std::clamp(
                std::rint(real / static_cast<double>(ys[g])) + static_cast<double>(yz[g]),
                static_cast<double>(r.least), static_cast<double>(r.greatest));
          };
          greatest.push_back(quantized(best));
          averages.push_back(quantized(sum / static_cast<double>(inside.size())));
        });
        CHECK(high.get() == greatest);
        CHECK(mean.get() == averages);
      }
}

TEST_CASE("vm/nem/pooling: a single descriptor means nothing", "[vm_nem]") {
  const pool_case p{{1, 1, 2, 1}, {1, 2}, {0, 0, 0, 0}, {1, 1}};
  held x(element::i8, p.x, {10, 21}), y(element::i8, p.y());
  x.quantize({100}, {5});
  REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
  CHECK(y.get()[0] == 16);
}

TEST_CASE("vm/nem/pooling: windows that are all padding but for a corner", "[vm_nem]") {
  const std::int64_t far = std::int64_t{1} << 60;
  const pool_case p{{1, 1, 2, 1}, {1, far}, {0, far - 1, 0, far - 1}, {1, far}};
  REQUIRE(p.y() == numbers{1, 1, 2, 1});
  held x(element::f32, p.x, {3, 5}), y(element::f32, p.y());
  REQUIRE(run(opcode::maxpool, {&x}, {&y}, p.attributes()));
  CHECK(y.get() == std::vector<double>{3, 5});
  REQUIRE(run(opcode::avgpool, {&x}, {&y}, p.attributes()));
  CHECK(y.get() == std::vector<double>{3, 5});
}

TEST_CASE("vm/nem/pooling: types without arithmetic are refused", "[vm_nem]") {
  const pool_case p{{1, 1, 1, 1}, {1, 1}, {0, 0, 0, 0}, {1, 1}};
  held x(element::f64, p.x), y(element::f64, p.y());
  CHECK(run(opcode::maxpool, {&x}, {&y}, p.attributes()).code == errc::nem_rt_unsupported);
}
