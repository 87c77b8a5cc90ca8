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
using patterns = std::vector<std::uint32_t>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr element floats[] = {element::f16, element::bf16, element::f32};
constexpr opcode all[] = {opcode::layernorm, opcode::rmsnorm, opcode::softmax, opcode::log_softmax};

nem::attributes along(std::int64_t axis, double epsilon = 1e-5) {
  nem::attributes a;
  a.axis = axis;
  a.epsilon = epsilon;
  return a;
}

/// The formulas in long double, as they stand in books: one number of a slice at a time.
long double expected(opcode op, const std::vector<double>& x, std::size_t at, double epsilon,
                     double scale, double bias) {
  const auto n = static_cast<long double>(x.size());
  long double sum = 0, squares = 0, powers = 0;
  for (const double v : x) {
    sum += v;
    squares += static_cast<long double>(v) * v;
    powers += std::exp(static_cast<long double>(v) - x[at]);
  }
  const long double mean = sum / n, variance = squares / n - mean * mean;
  switch (op) {
    case opcode::layernorm: return (x[at] - mean) / std::sqrt(variance + epsilon) * scale + bias;
    case opcode::rmsnorm: return x[at] / std::sqrt(squares / n + epsilon) * scale;
    case opcode::softmax: return 1 / powers;
    default: return -std::log(powers);
  }
}

/// The slice that an element is in.
std::vector<double> slice_of(const std::vector<double>& from, const numbers& shape, numbers at,
                             std::size_t axis) {
  std::vector<double> slice;
  for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis])
    slice.push_back(from[number_of(at, shape)]);
  return slice;
}

/// Whether two numbers are at most one unit of a type's precision apart.
bool is_near(element e, double a, long double b) {
  const long double unit = e == element::f16 ? 0x1p-10L : e == element::bf16 ? 0x1p-7L : 0x1p-23L;
  return std::abs(a - b) <= unit * std::abs(b) * 0.51L + 0x1p-25L;
}

}  // namespace

TEST_CASE("vm/nem/normalization: known patterns of f16", "[vm_nem]") {
  held three(element::f16, {3}, {1, 2, 3}), four(element::f16, {4}, {1, 2, 3, 4});
  held y3(element::f16, {3}), y4(element::f16, {4});
  REQUIRE(run(opcode::softmax, {&three}, {&y3}, along(0)));
  CHECK(y3.bits() == patterns{0x2dc3, 0x33d5, 0x3952});
  REQUIRE(run(opcode::log_softmax, {&three}, {&y3}, along(-1)));
  CHECK(y3.bits() == patterns{0xc0d1, 0xbda1, 0xb686});
  REQUIRE(run(opcode::layernorm, {&four}, {&y4}, along(0)));
  CHECK(y4.bits() == patterns{0xbd5e, 0xb728, 0x3728, 0x3d5e});
  REQUIRE(run(opcode::rmsnorm, {&four}, {&y4}, along(-1)));
  CHECK(y4.bits() == patterns{0x35d8, 0x39d8, 0x3c62, 0x3dd8});
}

TEST_CASE("vm/nem/normalization: each opcode, type, axis and order of memory", "[vm_nem]") {
  const numbers shape = {4, 3, 5};
  for (const element e : floats)
    for (const opcode op : all)
      for (std::size_t axis = 0; axis < 3; ++axis)
        for (int kind = 0; kind < 3; ++kind)
          for (std::size_t vectors = 0; vectors < 3; ++vectors) {
            if (vectors > (op == opcode::layernorm ? 2u : op == opcode::rmsnorm ? 1u : 0u))
              continue;
            const std::vector<double> from = values_of(e, count_of(shape), 5),
                                      scale = values_of(e, shape[axis], 6),
                                      bias = values_of(e, shape[axis], 7);
            held x(e, shape, from, strides_of(kind, shape));
            held y(e, shape, {}, strides_of((kind + 1) % 3, shape));
            held s(e, {shape[axis]}, scale, strides_of(kind, {shape[axis]})),
                b(e, {shape[axis]}, bias);
            std::vector<held*> inputs = {&x, &s, &b};
            inputs.resize(1 + vectors);
            const std::int64_t given = static_cast<std::int64_t>(axis) - (kind == 1 ? 3 : 0);
            REQUIRE(run(op, inputs, {&y}, along(given, 0.25)));
            const std::vector<double> made = y.get();
            numbers at(3);
            std::size_t wrong = 0;
            do {
              const auto k = static_cast<std::size_t>(at[axis]);
              const long double wanted =
                  expected(op, slice_of(from, shape, at, axis), k, 0.25, vectors > 0 ? scale[k] : 1,
                           vectors > 1 ? bias[k] : 0);
              wrong += !is_near(e, made[number_of(at, shape)], wanted);
            } while (advance(at, shape));
            INFO("opcode " << static_cast<int>(op) << ", type " << static_cast<int>(e) << ", axis "
                           << axis << ", strides " << kind << ", vectors " << vectors);
            CHECK(wrong == 0);
            CHECK(keeps_gaps(y));
            CHECK(x.get() == from);

            // In place: nothing changes but where it is written.
            const patterns before = y.bits();
            vm::nem::tensor in[] = {x.tensor(), s.tensor(), b.tensor()};
            vm::nem::workspace scratch;
            vm::nem::call c;
            c.opcode = op;
            c.inputs = {in, 1 + vectors};
            c.outputs = {in, 1};
            c.attributes = along(given, 0.25);
            REQUIRE(execute(c, scratch));
            CHECK(x.bits() == before);
          }
}

TEST_CASE("vm/nem/normalization: large and small numbers", "[vm_nem]") {
  SECTION("softmax doesn't overflow") {
    held x(element::f32, {3}, {1e30, 1e30, -1e30}), y(element::f32, {3});
    REQUIRE(run(opcode::softmax, {&x}, {&y}, along(0)));
    CHECK(y.get() == std::vector<double>{0.5, 0.5, 0});
    REQUIRE(run(opcode::log_softmax, {&x}, {&y}, along(0)));
    CHECK(y.get()[0] == static_cast<double>(static_cast<float>(-0.6931471805599453)));
    CHECK(y.get()[2] == static_cast<double>(-2e30f));
  }
  SECTION("squares of binary32 don't overflow") {
    held x(element::f32, {2}, {3e38, -3e38}), y(element::f32, {2});
    REQUIRE(run(opcode::rmsnorm, {&x}, {&y}, along(0)));
    CHECK(y.get() == std::vector<double>{1, -1});
    REQUIRE(run(opcode::layernorm, {&x}, {&y}, along(0)));
    CHECK(y.get() == std::vector<double>{1, -1});
  }
  SECTION("a variance of small differences") {
    held x(element::f32, {4}, {16777212, 16777213, 16777214, 16777215}), y(element::f16, {4});
    REQUIRE(run(opcode::layernorm, {&x}, {&y}, along(0)));
    CHECK(y.bits() == patterns{0xbd5e, 0xb728, 0x3728, 0x3d5e});
  }
  SECTION("epsilon is under the root") {
    held x(element::f32, {2}, {0, 0}), y(element::f32, {2});
    REQUIRE(run(opcode::rmsnorm, {&x}, {&y}, along(0, 4)));
    CHECK(y.get() == std::vector<double>{0, 0});
    x.set({3, 3});
    REQUIRE(run(opcode::rmsnorm, {&x}, {&y}, along(0, 16)));
    CHECK(y.get()[0] == static_cast<double>(static_cast<float>(3.0 / 5)));
  }
  SECTION("nothing to divide by") {
    held x(element::f16, {2}, {2, 2}), y(element::f16, {2});
    REQUIRE(run(opcode::layernorm, {&x}, {&y}, along(0, 0)));
    CHECK(y.bits() == patterns{0x7e00, 0x7e00});
  }
}

TEST_CASE("vm/nem/normalization: slices with NaN or of only -inf", "[vm_nem]") {
  const numbers shape = {4, 3};
  for (const element e : floats) {
    held x(e, shape, {not_a_number, 1, 2, -inf, -inf, -inf, 1, inf, 2, -inf, 0, 0}), y(e, shape);
    REQUIRE(run(opcode::softmax, {&x}, {&y}, along(1)));
    const double n = not_a_number;
    CHECK(y.bits() == held(e, shape, {n, n, n, n, n, n, n, n, n, 0, 0.5, 0.5}).bits());
    REQUIRE(run(opcode::log_softmax, {&x}, {&y}, along(1)));
    const double half = -0.69314718055994530942;
    CHECK(y.bits() == held(e, shape, {n, n, n, n, n, n, n, n, n, -inf, half, half}).bits());
    REQUIRE(run(opcode::layernorm, {&x}, {&y}, along(1)));
    CHECK(y.bits() == held(e, shape, std::vector<double>(12, n)).bits());
  }
}

TEST_CASE("vm/nem/normalization: integers, which families may allow", "[vm_nem]") {
  const numbers shape = {2, 4};
  SECTION("plain") {
    held x(element::i8, shape, {1, 2, 3, 4, -100, 100, -100, 100}), y(element::i8, shape);
    REQUIRE(run(opcode::layernorm, {&x}, {&y}, along(1)));
    CHECK(y.get() == std::vector<double>{-1, 0, 0, 1, -1, 1, -1, 1});
    REQUIRE(run(opcode::softmax, {&x}, {&y}, along(1)));
    CHECK(y.get() == std::vector<double>{0, 0, 0, 1, 0, 0, 0, 0});
  }
  SECTION("quantized") {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::vector<double> from = {1, 2, 3, 4, 0, 7, -8, -1};
      held x(element::i4, shape, from), y(element::i8, shape);
      const std::vector<float> scales = {0.5f, 0.25f, 2, 1};
      const numbers zero_points = {1, 0, -3, 2};
      const auto n = static_cast<std::ptrdiff_t>(shape[axis]);
      x.quantize({scales.begin(), scales.begin() + n},
                 {zero_points.begin(), zero_points.begin() + n}, quantization::per_channel, axis);
      y.quantize({0.0078125f}, {-10});
      REQUIRE(run(opcode::softmax, {&x}, {&y}, along(1)));
      std::vector<double> real, wanted;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t c = axis == 0 ? i / 4 : i % 4;
        real.push_back(static_cast<double>(scales[c]) *
                       (from[i] - static_cast<double>(zero_points[c])));
      }
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t k = 0; k < 4; ++k)
          wanted.push_back(std::min(
              127.0, std::rint(static_cast<double>(expected(opcode::softmax,
                                                            slice_of(real, shape, {i, k}, 1),
                                                            static_cast<std::size_t>(k), 0, 1, 0)) *
                               128) -
                         10));
      CHECK(y.get() == wanted);
    }
  }
}

TEST_CASE("vm/nem/normalization: an output that overlaps the input by a part", "[vm_nem]") {
  std::vector<std::byte> memory(32);
  const numbers shape = {2, 4}, wide = {4, 1}, turned = {1, 2};
  const vm::nem::tensor x{memory.data(), 32, element::f32, shape, wide};
  vm::nem::tensor y = x;
  y.strides = turned;
  const float from[] = {1, 1, 1, 1, 5, -200, -200, -200};
  for (std::int64_t i = 0; i < 8; ++i) store(x, i, 1, from + i, 1);
  vm::nem::workspace scratch;
  vm::nem::call c;
  c.opcode = opcode::softmax;
  c.inputs = {&x, 1};
  c.outputs = {&y, 1};
  c.attributes = along(1);
  REQUIRE(execute(c, scratch));
  std::vector<double> made(8);
  load(x, 0, 1, made.data(), 8);
  CHECK(made == std::vector<double>{0.25, 1, 0.25, 0, 0.25, 0, 0.25, 0});
}
