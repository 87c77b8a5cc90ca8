// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "vm/nac/calls.hpp"

using namespace vm_nac_tests;

namespace {
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

[[nodiscard]] std::vector<double> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> of(-4, 4);
  std::vector<double> out(n);
  for (double& v : out) v = double{of(random)};
  return out;
}
}  // namespace

TEST_CASE("vm/nac/reduce: sums and means along any axes", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3, 4});
  const auto sum = [&](const arguments& a) { return text(b.run("aten.sum.dim_IntList", a)); };
  CHECK(sum({x}) == "f32 [] 276");
  CHECK(sum({x, b.l({})}) == "f32 [] 276");
  CHECK(sum({x, b.none(), b.b(true)}) == "f32 [1, 1, 1] 276");
  CHECK(sum({x, b.l({0})}) == "f32 [3, 4] 12 14 16 18 20 22 24 26 28 30 32 34");
  CHECK(sum({x, b.l({-1})}) == "f32 [2, 3] 6 22 38 54 70 86");
  CHECK(sum({x, b.i(1), b.b(true)}) == "f32 [2, 1, 4] 12 15 18 21 48 51 54 57");
  CHECK(sum({x, b.l({2, 0})}) == "f32 [3] 60 92 124");
  CHECK(sum({x, b.l({0, 2}), b.b(true)}) == "f32 [1, 3, 1] 60 92 124");
  CHECK(sum({x, b.l({1, 2})}) == "f32 [2] 66 210");
  CHECK(sum({x, b.s("torch.int64")}) == "i64 [] 276");
  CHECK(sum({b.truths({3}, {1, 1, 0})}) == "i64 [] 2");
  CHECK(sum({b.make(data_type::int8, {2}, {127, 127})}) == "i64 [] 254");
  CHECK(sum({b.make(data_type::int8, {2}, {127, 127}), b.s("int8")}) == "i8 [] -2");
  CHECK(sum({b.f32({2}, {1.5, 1.5}), b.s("int32")}) == "i32 [] 2");
  CHECK(sum({b.f32({0, 2}, {}), b.l({0})}) == "f32 [2] 0 0");
  CHECK(sum({b.f32({}, {3}), b.l({0})}) == "f32 [] 3");
  CHECK(b.fault("aten.sum.dim_IntList", {x, b.l({0, -3})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.sum.dim_IntList", {x, b.l({3})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.sum.dim_IntList", {x, b.l({INT64_MIN})}) == errc::nac_run_axis);

  const auto mean = [&](const arguments& a) { return text(b.run("aten.mean.dim", a)); };
  CHECK(mean({x, b.l({-1}), b.b(true)}) == "f32 [2, 3, 1] 1.5 5.5 9.5 13.5 17.5 21.5");
  CHECK(mean({x}) == "f32 [] 11.5");
  CHECK(mean({b.f32({0, 2}, {}), b.l({0})}) == "f32 [2] nan nan");
  CHECK(mean({b.i64({2}, {1, 2}), b.l({0}), b.b(false), b.s("float64")}) == "f64 [] 1.5");
  CHECK(b.fault("aten.mean.dim", {b.i64({2}, {1, 2})}) == errc::nac_run_type);
  CHECK(b.fault("aten.mean.dim", {x, b.s("int64")}) == errc::nac_run_type);
}

TEST_CASE("vm/nac/reduce: long sums are rounded once", "[vm_nac]") {
  bench b;
  // 1 and many that vanish one by one beside it in FP32: 2^-24 each.
  std::vector<double> values(4097, std::ldexp(1.0, -24));
  values[0] = 1;
  CHECK(numbers(b.run("aten.sum.default", {b.f32({4097}, values)}).as_tensor())[0] ==
        1 + std::ldexp(1.0, -12));
  CHECK(
      numbers(b.run("aten.sum.dim_IntList", {b.f32({4097, 1}, values), b.l({0})}).as_tensor())[0] ==
      1 + std::ldexp(1.0, -12));
  // Halves: 4096 of them are 4096, which steps of 1 beyond 2048 wouldn't reach.
  CHECK(text(b.run("aten.sum.default", {b.make(data_type::float16, {4096},
                                               std::vector<double>(4096, 1.0))})) == "f16 [] 4096");
}

TEST_CASE("vm/nac/reduce: variances", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({2, 3}, {1, 2, 3, 5, 5, 8});
  CHECK(text(b.run("aten.var.dim", {x, b.l({1})})) == "f32 [2] 1 3");
  CHECK(text(b.run("aten.var.dim", {x, b.l({1}), b.b(false), b.b(true)})) ==
        "f32 [2, 1] 0.666667 2");
  CHECK(text(b.run("aten.var.correction", {x, b.l({0}), b.i(0)})) == "f32 [3] 4 2.25 6.25");
  CHECK(text(b.run("aten.std.correction", {x, b.l({0}), b.f(0)})) == "f32 [3] 2 1.5 2.5");
  CHECK(text(b.run("aten.var.correction", {x, b.none(), b.i(0)})) == "f32 [] 5.33333");
  CHECK(text(b.run("aten.var.default", {x, b.b(false)})) == "f32 [] 5.33333");
  // Without axes: the correction, and whether axes stay.
  CHECK(text(b.run("aten.var.correction", {x, b.f(0), b.b(true)})) == "f32 [1, 1] 5.33333");
  CHECK(text(b.run("aten.var.correction", {x, b.i(1), b.i(0)})) == "f32 [] 6.4");
  CHECK(text(b.run("aten.var.correction", {x, b.f(0.5)})) == "f32 [] 5.81818");
  CHECK(text(b.run("aten.var.dim", {x, b.i(1), b.i(1), b.b(false)})) == "f32 [2] 1 3");
  CHECK(b.fault("aten.var.correction", {x, b.i(1), b.i(2)}) == errc::nac_run_argument);
  CHECK(text(b.run("aten.var_mean.correction", {x, b.l({1}), b.i(1), b.b(false)})) ==
        "{f32 [2] 1 3; f32 [2] 2 6}");
  CHECK(text(b.run("aten.var.default", {b.f32({1}, {3})})) == "f32 [] nan");
  CHECK(text(b.run("aten.var.correction", {x, b.l({0}), b.i(5)})) == "f32 [3] inf inf inf");
  CHECK(text(b.run("aten.var.dim", {b.f32({0, 1}, {}), b.l({0})})) == "f32 [1] nan");
  CHECK(b.fault("aten.var.default", {b.i64({2}, {1, 2})}) == errc::nac_run_type);
  // Far from 0, where the difference of squares has no digits left.
  CHECK(text(b.run("aten.var.default", {b.f32({3}, {16777210, 16777212, 16777214})})) ==
        "f32 [] 4");
}

TEST_CASE("vm/nac/reduce: all and any", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({2, 2}, {0, 1, 2, not_a_number});
  CHECK(text(b.run("aten.all.default", {x})) == "bool [] 0");
  CHECK(text(b.run("aten.any.default", {x})) == "bool [] 1");
  CHECK(text(b.run("aten.all.dim", {x, b.i(1)})) == "bool [2] 0 1");
  CHECK(text(b.run("aten.any.dim", {x, b.i(-1), b.b(true)})) == "bool [2, 1] 1 1");
  CHECK(text(b.run("aten.any.dims", {x, b.l({})})) == "bool [2, 2] 0 1 1 1");
  CHECK(text(b.run("aten.all.default", {b.make(data_type::uint8, {2}, {2, 3})})) == "u8 [] 1");
  CHECK(text(b.run("aten.all.default", {b.f32({0}, {})})) == "bool [] 1");
  CHECK(text(b.run("aten.any.default", {b.f32({0}, {})})) == "bool [] 0");
  CHECK(text(b.run("aten.any.dim", {b.f32({0, 3}, {}), b.i(0)})) == "bool [3] 0 0 0");
}

TEST_CASE("vm/nac/reduce: the greatest and the least", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({2, 4}, {1, 7, 7, -2, 3, not_a_number, 9, not_a_number});
  CHECK(text(b.run("aten.max.dim", {x, b.i(1)})) == "{f32 [2] 7 nan; i64 [2] 1 1}");
  CHECK(text(b.run("aten.min.dim", {x, b.i(1)})) == "{f32 [2] -2 nan; i64 [2] 3 1}");
  CHECK(text(b.run("aten.max.dim", {x, b.i(0), b.b(true)})) ==
        "{f32 [1, 4] 3 nan 9 nan; i64 [1, 4] 1 1 1 1}");
  CHECK(text(b.run("aten.amax.default", {x, b.l({-1}), b.b(true)})) == "f32 [2, 1] 7 nan");
  CHECK(text(b.run("aten.amin.default", {x, b.l({0})})) == "f32 [4] 1 nan 7 nan");
  CHECK(text(b.run("aten.amax.default", {b.f32({3}, {1, 5, 2})})) == "f32 [] 5");
  CHECK(text(b.run("aten.max.default", {b.i64({3}, {-1, -5, -2})})) == "i64 [] -1");
  CHECK(text(b.run("aten.min.default", {b.make(data_type::float16, {2}, {0.5, -0.5})})) ==
        "f16 [] -0.5");
  CHECK(text(b.run("aten.max.default", {b.f32({2}, {-infinity, -infinity})})) == "f32 [] -inf");
  CHECK(text(b.run("aten.max.default", {b.truths({2}, {0, 1})})) == "bool [] 1");
  CHECK(text(b.run("aten.argmax.default", {x})) == "i64 [] 5");
  CHECK(text(b.run("aten.argmin.default", {x, b.i(1), b.b(true)})) == "i64 [2, 1] 3 1");
  CHECK(text(b.run("aten.argmax.default", {x, b.none(), b.b(true)})) == "i64 [1, 1] 5");
  CHECK(text(b.run("aten.argmax.default", {b.i64({4}, {3, 3, 1, 3}), b.i(0)})) == "i64 [] 0");
  CHECK(text(b.run("aten.max.dim", {b.f32({}, {4}), b.i(-1)})) == "{f32 [] 4; i64 [] 0}");
  CHECK(text(b.run("aten.amax.default", {b.f32({0, 3}, {}), b.l({1})})) == "f32 [0]");
  CHECK(b.fault("aten.amax.default", {b.f32({0, 3}, {}), b.l({0})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.amax.default", {b.f32({0, 3}, {})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.max.default", {b.f32({0}, {})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.max.dim", {b.f32({3, 0}, {}), b.i(1)}) == errc::nac_run_shape);
  CHECK(b.fault("aten.argmax.default", {b.f32({0}, {})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.argmax.default", {b.truths({1}, {1})}) == errc::nac_run_type);
  CHECK(b.fault("aten.max.dim", {x, b.i(2)}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/reduce: sorting is stable, NaNs are the greatest", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({5}, {2, not_a_number, 1, 2, -infinity});
  CHECK(text(b.run("aten.sort.default", {x})) == "{f32 [5] -inf 1 2 2 nan; i64 [5] 4 2 0 3 1}");
  CHECK(text(b.run("aten.sort.default", {x, b.i(-1), b.b(true)})) ==
        "{f32 [5] nan 2 2 1 -inf; i64 [5] 1 0 3 2 4}");
  CHECK(text(b.run("aten.argsort.default", {b.i64({2, 3}, {3, 1, 2, 0, 5, 1}), b.i(0)})) ==
        "i64 [2, 3] 1 0 1 0 1 0");
  CHECK(text(b.run("aten.sort.default", {b.truths({3}, {1, 0, 1})})) ==
        "{bool [3] 0 1 1; i64 [3] 1 0 2}");
  CHECK(text(b.run("aten.sort.default", {b.f32({}, {1})})) == "{f32 [] 1; i64 [] 0}");
#ifdef __GLIBCXX__  // which of two equals is taken
  CHECK(text(b.run("aten.topk.default", {x, b.i(2)})) == "{f32 [2] nan 2; i64 [2] 1 3}");
#else
  CHECK(text(b.run("aten.topk.default", {x, b.i(2)})).starts_with("{f32 [2] nan 2; i64 [2] 1 "));
#endif
  CHECK(text(b.run("aten.topk.default", {x, b.i(2), b.i(0), b.b(false), b.b(true)})) ==
        "{f32 [2] -inf 1; i64 [2] 4 2}");
  CHECK(text(b.run("aten.topk.default", {b.counted({2, 3}), b.i(1), b.i(0)})) ==
        "{f32 [1, 3] 3 4 5; i64 [1, 3] 1 1 1}");
  CHECK(text(b.run("aten.topk.default", {b.counted({2, 3}), b.i(0)})) ==
        "{f32 [2, 0]; i64 [2, 0]}");
  CHECK(b.fault("aten.topk.default", {x, b.i(6)}) == errc::nac_run_argument);
  CHECK(b.fault("aten.topk.default", {x, b.i(-1)}) == errc::nac_run_argument);
  CHECK(b.fault("aten.topk.default", {b.truths({1}, {1}), b.i(1)}) == errc::nac_run_type);
  CHECK(b.fault("aten.sort.default", {x, b.i(1)}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/reduce: running sums", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.cumsum.default", {x, b.i(1)})) == "f32 [2, 3] 0 1 3 3 7 12");
  CHECK(text(b.run("aten.cumsum.default", {x, b.i(0)})) == "f32 [2, 3] 0 1 2 3 5 7");
  CHECK(text(b.run("aten.cumsum.default", {b.truths({3}, {1, 1, 1}), b.i(-1)})) == "i64 [3] 1 2 3");
  CHECK(text(b.run("aten.cumsum.default", {b.i64({2}, {1, 2}), b.i(0), b.s("float16")})) ==
        "f16 [2] 1 3");
  CHECK(text(b.run("aten.cumsum.default", {b.make(data_type::int8, {2}, {127, 1}), b.i(0),
                                           b.s("torch.int8")})) == "i8 [2] 127 -128");
  CHECK(text(b.run("aten.cumsum.default", {b.f32({}, {2}), b.i(0)})) == "f32 [] 2");
  CHECK(text(b.run("aten.cumsum.default", {b.f32({0, 2}, {}), b.i(0)})) == "f32 [0, 2]");
  CHECK(b.fault("aten.cumsum.default", {x, b.i(2)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.cumsum.default", {x, b.i(0), b.s("bool")}) == errc::nac_run_type);
}

TEST_CASE("vm/nac/reduce: softmax equals its definition along every axis", "[vm_nac]") {
  bench b;
  unsigned seed = 0;
  for (const vm::shape& dims :
       {vm::shape{3, 5, 7}, vm::shape{2, 1, 600}, vm::shape{2, 300, 3}, vm::shape{40, 33},
        vm::shape{1, 5000}, vm::shape{300, 2, 2}, vm::shape{2, 3, 300}}) {
    const vm::value x =
        b.f32(dims, random_numbers(static_cast<std::size_t>(dims.elements()), ++seed));
    const std::vector<double> from = numbers(x.as_tensor());
    for (std::size_t axis = 0; axis < dims.rank(); ++axis) {
      const auto n = static_cast<std::size_t>(dims[axis]);
      const auto inner = static_cast<std::size_t>(dims.product(axis + 1, dims.rank()));
      const arguments given = {x, b.i(static_cast<std::int64_t>(axis))};
      const std::vector<double> y = numbers(b.run("aten.softmax.int", given).as_tensor());
      const std::vector<double> logs = numbers(b.run("aten.log_softmax.int", given).as_tensor());
      double error = 0, log_error = 0;
      const auto group = [&](std::size_t i) { return i / (n * inner) * inner + i % inner; };
      std::vector<double> sums(from.size() / n);
      for (std::size_t i = 0; i < from.size(); ++i) sums[group(i)] += std::exp(from[i]);
      for (std::size_t i = 0; i < from.size(); ++i) {
        const double expected = std::exp(from[i]) / sums[group(i)];
        error = std::max(error, std::abs(y[i] - expected) / expected);
        log_error = std::max(log_error, std::abs(logs[i] - std::log(expected)) /
                                            std::max(1.0, std::abs(std::log(expected))));
      }
      // The difference to the greatest, at most 8, is off by 2.4e-7; then three more roundings.
      CHECK(error < 4.2e-7);
      CHECK(log_error < 1e-7);
    }
  }
}

TEST_CASE("vm/nac/reduce: softmax down to the least of floats", "[vm_nac]") {
  bench b;
  // Beside 0, whose part is 1 in the precision of floats.
  std::vector<double> values = {0};
  for (int i = 0; i < 500; ++i) values.push_back(-20 - 0.25 * i);
  const std::vector<double> y =
      numbers(b.run("aten.softmax.int", {b.f32({501}, values), b.i(0)}).as_tensor());
  int wrong = 0;
  for (std::size_t i = 1; i < y.size(); ++i) {
    const double expected = std::exp(values[i]);
    const double unit = std::max(std::ldexp(expected, -23), std::ldexp(1.0, -149));
    if (std::abs(y[i] - expected) > 1.1 * unit) ++wrong;
  }
  CHECK(wrong == 0);
  CHECK(y[1 + 4 * 70] > 0);    // e^-90
  CHECK(y[1 + 4 * 100] == 0);  // e^-120
}

TEST_CASE("vm/nac/reduce: softmax of extremes and of other types", "[vm_nac]") {
  bench b;
  const auto run = [&](const arguments& a) { return text(b.run("aten.softmax.int", a)); };
  CHECK(run({b.f32({2}, {1000, 1000}), b.i(0)}) == "f32 [2] 0.5 0.5");
  CHECK(run({b.f32({2}, {-infinity, 0}), b.i(0)}) == "f32 [2] 0 1");
  CHECK(run({b.f32({2}, {-infinity, -infinity}), b.i(0)}) == "f32 [2] nan nan");
  CHECK(run({b.f32({2}, {not_a_number, 0}), b.i(0)}) == "f32 [2] nan nan");
  CHECK(run({b.f32({2, 1}, {infinity, 0}), b.i(0)}) == "f32 [2, 1] nan nan");
  CHECK(run({b.make(data_type::float16, {2}, {3, 3}), b.i(0)}) == "f16 [2] 0.5 0.5");
  CHECK(run({b.make(data_type::bfloat16, {2}, {3, 3}), b.i(0)}) == "bf16 [2] 0.5 0.5");
  CHECK(run({b.make(data_type::float64, {2, 2}, {3, 3, 3, 3}), b.i(0)}) ==
        "f64 [2, 2] 0.5 0.5 0.5 0.5");
  CHECK(run({b.i64({2}, {1, 1}), b.i(0), b.s("float32")}) == "f32 [2] 0.5 0.5");
  CHECK(run({b.f32({}, {4}), b.i(-1)}) == "f32 [] 1");
  CHECK(run({b.f32({2, 0}, {}), b.i(1)}) == "f32 [2, 0]");
  CHECK(text(b.run("aten._softmax.default", {b.f32({1}, {4}), b.i(0), b.b(false)})) == "f32 [1] 1");
  CHECK(text(b.run("aten.log_softmax.int", {b.make(data_type::float64, {1}, {4}), b.i(0)})) ==
        "f64 [1] 0");
  CHECK(b.fault("aten.softmax.int", {b.i64({2}, {1, 1}), b.i(0)}) == errc::nac_run_type);
  CHECK(b.fault("aten.softmax.int", {b.f32({2}, {1, 1}), b.i(1)}) == errc::nac_run_axis);
}
