// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What rows of a few elements don't show: long runs, blocks, all ways to broadcast, mixed types.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "vm/nac/calls.hpp"

using namespace vm_nac_tests;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Small whole numbers, which every type has; the same in every run.
[[nodiscard]] vm::tensor some(vm::memory& arena, data_type type, const vm::shape& dims,
                              std::uint32_t seed, std::uint32_t below = 7) {
  vm::tensor t = vm::make_tensor(arena, type, dims);
  vm::visit(type, [&]<class T>(vm::of<T>) {
    for (T& e : t.elements<T>()) {
      seed = seed * 1664525 + 1013904223;
      e = vm::convert<T>(static_cast<std::int64_t>(1 + (seed >> 16) % below));
    }
  });
  return t;
}

/// The element of `x` for element `at` of a result of these dimensions.
[[nodiscard]] std::size_t place(const vm::tensor& x, const vm::shape& dims, std::size_t at) {
  std::size_t index = 0, stride = 1;
  for (std::size_t i = 0; i < dims.rank(); ++i) {
    const auto d = static_cast<std::size_t>(dims[dims.rank() - 1 - i]);
    const std::size_t here = at % d;
    at /= d;
    if (i >= x.rank()) continue;
    const auto own = static_cast<std::size_t>(x.dim(x.rank() - 1 - i));
    if (own != 1) index += here * stride;
    stride *= own;
  }
  return index;
}

}  // namespace

TEST_CASE("vm/nac/elementwise: broadcasting is that of a loop over indices", "[vm_nac]") {
  bench d;
  const struct {
    vm::shape a, b, both;
  } rows[] = {{{1300}, {1300}, {1300}},
              {{1300}, {}, {1300}},
              {{}, {}, {}},
              {{1, 1}, {1}, {1, 1}},
              {{3, 600}, {600}, {3, 600}},
              {{3, 1}, {3, 600}, {3, 600}},
              {{3, 1}, {1, 600}, {3, 600}},
              {{2, 3, 4, 5}, {3, 1, 1}, {2, 3, 4, 5}},
              {{2, 1, 4, 1}, {3, 1, 5}, {2, 3, 4, 5}},
              {{1, 2, 1, 3, 1, 2}, {2, 1, 2, 1, 2, 1}, {2, 2, 2, 3, 2, 2}},
              {{2, 1, 3, 1, 2}, {2, 4, 1, 5, 2}, {2, 4, 3, 5, 2}},
              // 64 elements, and more: one element, the last dimensions, and others
              {{4, 16}, {16}, {4, 16}},
              {{4, 16}, {1, 1, 16}, {1, 4, 16}},
              {{1}, {64}, {64}},
              {{5, 13}, {13}, {5, 13}},
              {{1, 13}, {5, 13}, {5, 13}},
              {{5, 13}, {1, 1}, {5, 13}},
              {{5, 13}, {5, 1}, {5, 13}},
              {{1}, {65}, {65}},
              {{3, 4, 10}, {4, 10}, {3, 4, 10}},
              {{3, 4, 10}, {4, 1}, {3, 4, 10}},
              {{4, 4, 4, 4}, {4, 1, 4}, {4, 4, 4, 4}},
              {{0, 3}, {1}, {0, 3}},
              {{1, 3}, {0, 1}, {0, 3}}};
  const data_type types[] = {data_type::float32, data_type::float16, data_type::int64,
                             data_type::uint8, data_type::boolean};
  for (const auto& row : rows)
    for (const data_type first : types)
      for (const data_type second : types) {
        const vm::tensor a = some(d.arena, first, row.a, 1), b = some(d.arena, second, row.b, 2);
        const std::vector<double> x = numbers(a), y = numbers(b);
        const vm::tensor less = d.tensor("aten.lt.Tensor", {a, b});
        REQUIRE(less.type == data_type::boolean);
        REQUIRE(less.dims == row.both);
        const vm::tensor product = d.tensor("aten.mul.Tensor", {a, b});
        REQUIRE(product.dims == row.both);
        const std::vector<double> truths = numbers(less);
        const std::vector<double> products = numbers(product);
        bool same = true;
        for (std::size_t i = 0; i < truths.size(); ++i) {
          const double left = x[place(a, row.both, i)], right = y[place(b, row.both, i)];
          same = same && truths[i] == (left < right ? 1.0 : 0.0) && products[i] == left * right;
        }
        CHECK(same);
      }
}

TEST_CASE("vm/nac/elementwise: three operands, each broadcast in its own way", "[vm_nac]") {
  bench d;
  const vm::shape both = {3, 4, 10};
  const vm::shape shapes[] = {both, {4, 10}, {10}, {1}, {3, 1, 1}, {4, 1}, {1, 4, 10}};
  for (const vm::shape& of_mask : shapes)
    for (const vm::shape& of_yes : shapes)
      for (const vm::shape& of_no : shapes) {
        const vm::tensor numbered = some(d.arena, data_type::int64, of_mask, 3, 2);
        const vm::tensor mask = d.tensor("aten.eq.Scalar", {numbered, d.i(1)});
        const vm::tensor yes = some(d.arena, data_type::int16, of_yes, 4);
        const vm::tensor no = some(d.arena, data_type::float32, of_no, 5);
        const vm::tensor y = d.tensor("aten.where.self", {mask, yes, no});
        const std::vector<double> which = numbers(mask), a = numbers(yes), b = numbers(no),
                                  got = numbers(y);
        bool same = true;
        for (std::size_t i = 0; i < got.size(); ++i)
          same = same && got[i] == (which[place(mask, y.dims, i)] != 0 ? a[place(yes, y.dims, i)]
                                                                       : b[place(no, y.dims, i)]);
        CHECK(same);
      }
}

TEST_CASE("vm/nac/elementwise: where chooses for every element of long rows", "[vm_nac]") {
  bench d;
  const vm::tensor mask = some(d.arena, data_type::int64, {700, 1}, 3, 2);
  const vm::tensor set = d.tensor("aten.eq.Scalar", {mask, d.i(1)});
  const vm::tensor yes = some(d.arena, data_type::int16, {600}, 4);
  const vm::tensor no = some(d.arena, data_type::bfloat16, {700, 600}, 5);
  const vm::tensor y = d.tensor("aten.where.self", {set, yes, no});
  REQUIRE(y.type == data_type::bfloat16);
  REQUIRE(y.dims == vm::shape{700, 600});
  const std::vector<double> which = numbers(set), a = numbers(yes), b = numbers(no),
                            got = numbers(y);
  bool same = true;
  for (std::size_t i = 0; i < got.size(); ++i)
    same = same && got[i] == (which[i / 600] != 0 ? a[i % 600] : b[i]);
  CHECK(same);
}

TEST_CASE("vm/nac/elementwise: long arrays have the precision of float", "[vm_nac]") {
  bench d;
  constexpr std::int64_t n = 4001;
  vm::tensor x = vm::make_tensor(d.arena, data_type::float32, {n});
  for (std::size_t i = 0; i < n; ++i)
    x.as<float>()[i] = (static_cast<float>(i) - 2000) / 160;  // -12.5 … 12.5
  // Errors in units of the last place; `least`: absolute, where terms cancel each other.
  const struct {
    const char* name;
    double (*of)(double);
    double units, least;
  } rows[] = {{"aten.exp.default", [](double v) { return std::exp(v); }, 1, 0},
              {"aten.sigmoid.default", [](double v) { return 1 / (1 + std::exp(-v)); }, 2, 0},
              {"aten.silu.default", [](double v) { return v / (1 + std::exp(-v)); }, 2, 0},
              {"aten.tanh.default", [](double v) { return std::tanh(v); }, 2, 0},
              {"aten.erf.default", [](double v) { return std::erf(v); }, 2, 0},
              {"aten.gelu.default",
               [](double v) { return v / 2 * (1 + std::erf(v * std::sqrt(0.5))); }, 2, 1e-6},
              {"aten.sin.default", [](double v) { return std::sin(v); }, 2, 0},
              {"aten.cos.default", [](double v) { return std::cos(v); }, 2, 0},
              {"aten.abs.default", [](double v) { return std::fabs(v); }, 0, 0},
              {"aten.square.default", [](double v) { return v * v; }, 1, 0},
              {"aten.hardswish.default",
               [](double v) { return v * std::fmin(std::fmax(v + 3, 0), 6) / 6; }, 4, 0}};
  for (const auto& row : rows) {
    const vm::tensor y = d.tensor(row.name, {x});
    REQUIRE(y.type == data_type::float32);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double want = row.of(double{x.as<float>()[i]});
      const double error = std::fabs(double{y.as<float>()[i]} - want);
      const double unit = std::ldexp(1, std::max(std::ilogb(want), -126) - 23);
      if (error > row.least) worst = std::max(worst, error / unit);
    }
    INFO(row.name << ": " << worst);
    CHECK(worst <= row.units);
  }
}

TEST_CASE("vm/nac/elementwise: integers become floats, and these lanes of doubles", "[vm_nac]") {
  bench d;
  for (const std::int64_t n : {64, 65, 256, 257, 512, 513, 1300}) {
    const vm::tensor x = some(d.arena, data_type::int64, {n}, 6);
    const vm::tensor y = d.tensor("aten.lgamma.default", {x});
    REQUIRE(y.type == data_type::float32);
    const std::vector<double> of = numbers(x), got = numbers(y);
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(got[i] - std::lgamma(of[i])));
    INFO(n << ": " << worst);
    CHECK(worst <= 1e-6);
  }
}

TEST_CASE("vm/nac/elementwise: numbers are Python's", "[vm_nac]") {
  bench d;
  const auto whole = [&](const char* name, std::int64_t a, std::int64_t b) {
    const vm::tensor y = d.tensor(name, {d.i(a), d.i(b)});
    CHECK(y.is_number);
    CHECK(y.type == data_type::int64);
    return *y.as<std::int64_t>();
  };
  CHECK(whole("nac.add", 3, 4) == 7);
  CHECK(whole("floordiv", -7, 2) == -4);
  CHECK(whole("mod", -7, 2) == 1);
  CHECK(whole("mod", 7, -2) == -1);
  CHECK(whole("mod", INT64_MIN, -1) == 0);
  CHECK(whole("pow", -2, 63) == INT64_MIN);
  const vm::tensor half = d.tensor("truediv", {d.i(1), d.i(2)});
  CHECK(half.is_number);
  CHECK(half.type == data_type::float64);
  CHECK(*half.as<double>() == 0.5);
  CHECK(*d.tensor("pow", {d.i(2), d.i(-2)}).as<double>() == 0.25);
  CHECK(*d.tensor("floordiv", {d.f(7.5), d.i(2)}).as<double>() == 3);
  CHECK(d.tensor("nac.gt", {d.i(INT64_MAX), d.i(INT64_MAX - 1)}).is_number);
  CHECK(*d.tensor("nac.gt", {d.i(INT64_MAX), d.i(INT64_MAX - 1)}).as<bool>());
  for (const char* name : {"floordiv", "mod", "truediv"})
    CHECK(d.fault(name, {d.i(1), d.i(0)}) == errc::nac_run_division);
  CHECK(d.fault("pow", {d.i(0), d.i(-1)}) == errc::nac_run_division);
  CHECK(d.fault("pow", {d.i(2), d.i(63)}) == errc::nac_run_argument);
  CHECK(d.fault("pow", {d.i(3), d.i(INT64_MAX)}) == errc::nac_run_argument);
  CHECK(d.fault("mul", {d.i(INT64_MAX), d.i(2)}) == errc::nac_run_argument);
  CHECK(d.fault("floordiv", {d.i(INT64_MIN), d.i(-1)}) == errc::nac_run_argument);
  CHECK(d.fault("pow", {d.f(-8), d.f(0.5)}) == errc::nac_run_argument);
}

TEST_CASE("vm/nac/elementwise: integers wrap and divide downwards, to their ends", "[vm_nac]") {
  bench d;
  const auto least = d.of<std::int8_t>({3}, {-128, 127, -7});
  CHECK(d.numbers("nac.neg", {least}) == reals{-128, -127, 7});
  CHECK(d.numbers("aten.abs.default", {least}) == reals{-128, 127, 7});
  CHECK(d.numbers("aten.floor_divide.default", {least, d.i(-1)}) == reals{-128, -127, 7});
  CHECK(d.numbers("aten.floor_divide.default", {least, d.i(2)}) == reals{-64, 63, -4});
  CHECK(d.numbers("aten.remainder.Scalar", {least, d.i(-1)}) == reals{0, 0, 0});
  CHECK(d.numbers("aten.remainder.Scalar", {least, d.i(-3)}) == reals{-2, -2, -1});
  CHECK(d.numbers("nac.add", {least, least}) == reals{0, -2, -14});
  CHECK(d.numbers("nac.add", {least, least, d.i(3)}) == reals{0, -4, -28});
  const vm::value longest = d.of<std::int64_t>({}, {-0x1p63});
  CHECK(d.numbers("aten.floor_divide.default", {longest, d.of<std::int64_t>({1}, {-1})}) ==
        reals{-0x1p63});
  const vm::value none = d.of<std::int32_t>({2}, {1, 0});
  for (const char* name : {"aten.floor_divide.default", "aten.remainder.Tensor"})
    CHECK(d.fault(name, {none, none}) == errc::nac_run_division);
}

TEST_CASE("vm/nac/elementwise: halves are rounded once", "[vm_nac]") {
  bench d;
  // 2048 + 1.5 lies between 2048 and 2050 and rounds up; 0.1 isn't rounded before it multiplies.
  CHECK(d.numbers("nac.add", {d.of<vm::half>({1}, {2048}), d.f(1.5)})[0] == 2050);
  CHECK(d.numbers("nac.mul", {d.of<vm::half>({1}, {3}), d.f(0.1)})[0] == 0.300048828125);
  // An int64 of more digits than a half is rounded to one.
  CHECK(d.numbers("nac.sub", {d.of<vm::half>({1}, {2048}), d.of<std::int64_t>({1}, {2049})})[0] ==
        0);
  const vm::tensor many = vm::make_tensor(d.arena, data_type::bfloat16, {2, 1025});
  for (vm::bfloat& e : many.elements<vm::bfloat>()) e = vm::bfloat(1.5f);
  const std::vector<double> y = d.numbers("aten.exp.default", {many});
  CHECK(y.size() == 2050);
  CHECK(std::count(y.begin(), y.end(), 4.46875) == 2050);  // e^1.5 = 4.4817; a step is 0.03125
}

TEST_CASE("vm/nac/elementwise: what PyTorch refuses is refused", "[vm_nac]") {
  bench d;
  const vm::value f = d.of<float>({2}, {1, 2}), i = d.of<std::int32_t>({2}, {1, 2});
  const vm::value b = d.of<bool>({2}, {1, 0}), three = d.of<float>({3}, {1, 2, 3});
  CHECK(d.fault("nac.add", {f, three}) == errc::nac_run_shape);
  CHECK(d.fault("nac.sub", {b, b}) == errc::nac_run_type);
  CHECK(d.fault("nac.neg", {b}) == errc::nac_run_type);
  CHECK(d.fault("aten.relu.default", {b}) == errc::nac_run_type);
  CHECK(d.fault("aten.gelu.default", {i}) == errc::nac_run_type);
  CHECK(d.fault("aten.elu.default", {i}) == errc::nac_run_type);
  CHECK(d.fault("aten.bitwise_and.Tensor", {f, i}) == errc::nac_run_type);
  CHECK(d.fault("aten.bitwise_not.default", {f}) == errc::nac_run_type);
  CHECK(d.fault("aten.gelu.default", {f, bench::s("sigmoid")}) == errc::nac_run_argument);
  CHECK(d.fault("aten.clamp.default", {f}) == errc::nac_run_argument);
  CHECK(d.fault("aten.pow.Tensor_Scalar", {i, d.i(-1)}) == errc::nac_run_argument);
  CHECK(d.fault("nac.add", {i, i, d.f(0.5)}) == errc::nac_run_argument);
  CHECK(d.fault("nac.where", {f, f, f}) == errc::nac_run_type);
  CHECK(d.fault("aten.masked_fill.Scalar", {i, b, d.f(inf)}) == errc::nac_run_argument);
  CHECK(d.fault("aten.masked_fill.Tensor", {f, b, f}) == errc::nac_run_shape);
  CHECK(d.fault("aten.prelu.default", {f, three}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/elementwise: any operands at all give a result or a fault", "[vm_nac]") {
  bench d(1 << 20);
  const std::vector<vm::value> operands = {d.of<float>({2, 2}, {1, -1, inf, std::nan("")}),
                                           d.of<double>({0, 3}, {}),
                                           d.of<vm::half>({}, {-inf}),
                                           d.of<vm::bfloat>({1}, {3e38}),
                                           d.of<std::int64_t>({2, 1}, {-0x1p63, -1}),
                                           d.of<std::int32_t>({2}, {0, -2147483648.0}),
                                           d.of<std::int16_t>({1, 1, 1}, {-32768}),
                                           d.of<std::int8_t>({3, 1}, {-128, -1, 0}),
                                           d.of<std::uint8_t>({}, {255}),
                                           d.of<bool>({2}, {1, 0}),
                                           d.b(true),
                                           d.i(INT64_MIN),
                                           d.i(-1),
                                           d.f(std::nan("")),
                                           d.f(-1e300),
                                           {},
                                           bench::s("tanh"),
                                           vm::value(std::vector<vm::value>{})};
  std::size_t done = 0, faults = 0;
  for (std::size_t i = 1; i < nac::operation_count; ++i) {
    const auto o = static_cast<nac::operation>(i);
    const std::string_view letters = nac::pattern(o);
    // This file has those that take only tensors and numbers, no lists.
    const bool elementwise = o >= nac::operation::relu && o <= nac::operation::isinf;
    if (!elementwise && letters != "xx" && letters != "xx?n" && letters != "txx" &&
        letters != "ttx")
      continue;
    const auto call = [&](const arguments& given) {
      const errc code = d.fault(o, given);
      if (code == errc::nac_argument_type) return;  // the pattern doesn't take these
      ++(code == errc::ok ? done : faults);
    };
    for (const vm::value& a : operands) {
      call({a});
      if (letters.size() == 1) continue;
      for (const vm::value& b : operands) {
        call({a, b});
        if (letters.size() > 2) call({a, b, operands[(i + done) % operands.size()]});
      }
    }
  }
  CHECK(done > 3000);
  CHECK(faults > 1000);
}
