// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "vm/nac/nearly.hpp"

using namespace vm_nac_tests;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct windows {
  std::int64_t kernel[2], stride[2], padding[2], dilation[2] = {1, 1};
  bool ceil_mode = false;
  /// Windows start at multiples of the stride as long as they fit; with ceil_mode one more may hang
  /// out after, if it starts before the padding after.
  [[nodiscard]] std::int64_t count(std::int64_t in, std::size_t a) const {
    const std::int64_t under = dilation[a] * (kernel[a] - 1) + 1;
    std::int64_t n = 0;
    while (n * stride[a] + under <= in + 2 * padding[a]) ++n;
    if (ceil_mode && (n - 1) * stride[a] + under < in + 2 * padding[a] &&
        n * stride[a] < in + padding[a])
      ++n;
    return n;
  }
};

/// What there is in the image under a window, in order; `counted`: elements with their padding.
[[nodiscard]] reals under(const windows& w, const double* image, std::int64_t h, std::int64_t wide,
                          std::int64_t y, std::int64_t x, std::int64_t& counted) {
  reals out;
  counted = 0;
  for (std::int64_t i = 0; i < w.kernel[0]; ++i)
    for (std::int64_t j = 0; j < w.kernel[1]; ++j) {
      const std::int64_t r = y * w.stride[0] - w.padding[0] + i * w.dilation[0];
      const std::int64_t c = x * w.stride[1] - w.padding[1] + j * w.dilation[1];
      if (r < h + w.padding[0] && c < wide + w.padding[1]) ++counted;
      if (r >= 0 && r < h && c >= 0 && c < wide) out.push_back(image[r * wide + c]);
    }
  return out;
}

}  // namespace

TEST_CASE("vm/nac/pooling: windows of any size", "[vm_nac]") {
  random_tensors some(1);
  for (int round = 0; round < 200; ++round) {
    bench b;
    windows w{};
    std::int64_t in[2];
    for (std::size_t a = 0; a < 2; ++a) {
      w.kernel[a] = 1 + some.below(round % 8 == 0 ? 20 : 4);
      w.stride[a] = 1 + some.below(3);
      w.padding[a] = some.below(w.kernel[a] / 2 + 1);
      w.dilation[a] = round % 2 == 0 ? 1 : 1 + some.below(2);
      in[a] = w.dilation[a] * (w.kernel[a] - 1) + 1 + some.below(6);
    }
    w.ceil_mode = some.below(2) != 0;
    const data_type types[] = {data_type::float32, data_type::float16, data_type::float64,
                               data_type::int64};
    const data_type type = types[static_cast<std::size_t>(round) % 4];
    const vm::value x = some.make(b, type, {2, 2, in[0], in[1]});
    const std::int64_t out[2] = {w.count(in[0], 0), w.count(in[1], 1)};
    const bool count_padding = some.below(2) != 0;
    reals largest, mean;
    for (std::size_t image = 0; image < 4; ++image) {
      const reals all = numbers(x.as_tensor());
      for (std::int64_t y = 0; y < out[0]; ++y)
        for (std::int64_t k = 0; k < out[1]; ++k) {
          std::int64_t counted = 0;
          const reals in_window = under(w, &all[image * static_cast<std::size_t>(in[0] * in[1])],
                                        in[0], in[1], y, k, counted);
          double most = type == data_type::int64 ? -9223372036854775808.0 : -infinity, sum = 0;
          for (const double v : in_window) {
            most = std::max(most, v);
            sum += v;
          }
          largest.push_back(most);
          const double by =
              count_padding ? static_cast<double>(counted) : static_cast<double>(in_window.size());
          mean.push_back(in_window.empty()          ? 0
                         : type == data_type::int64 ? std::trunc(sum / by)
                                                    : sum / by);
        }
    }
    const auto pair = [&](const std::int64_t(&p)[2]) { return b.l({p[0], p[1]}); };
    INFO("round " << round);
    check_nearly(
        b.run("aten.max_pool2d.default", {x, pair(w.kernel), pair(w.stride), pair(w.padding),
                                          pair(w.dilation), b.b(w.ceil_mode)}),
        {2, 2, out[0], out[1]}, largest, 0);
    if (w.dilation[0] == 1 && w.dilation[1] == 1)
      check_nearly(
          b.run("aten.avg_pool2d.default", {x, pair(w.kernel), pair(w.stride), pair(w.padding),
                                            b.b(w.ceil_mode), b.b(count_padding)}),
          {2, 2, out[0], out[1]}, mean);
  }
}

TEST_CASE("vm/nac/pooling: the largest", "[vm_nac]") {
  bench b;
  const auto run = [&](const arguments& a) { return text(b.run("aten.max_pool2d.default", a)); };
  const vm::value x = b.counted({1, 3, 4});
  CHECK(run({x, b.i(2)}) == "f32 [1, 1, 2] 5 7");
  CHECK(run({x, b.l({2}), b.l({1})}) == "f32 [1, 2, 3] 5 6 7 9 10 11");
  CHECK(run({x, b.l({2, 3}), b.l({})}) == "f32 [1, 1, 1] 6");
  CHECK(run({x, b.i(2), b.i(2), b.i(0), b.i(1), b.b(true)}) == "f32 [1, 2, 2] 5 7 9 11");
  // Padding is less than everything, and a NaN more.
  CHECK(run({b.f32({1, 2, 2}, {-1, -2, -3, -4}), b.i(2), b.i(2), b.i(1)}) ==
        "f32 [1, 2, 2] -1 -2 -3 -4");
  CHECK(run({b.f32({1, 1, 4}, {1, not_a_number, 2, 3}), b.l({1, 2}), b.l({1, 1})}) ==
        "f32 [1, 1, 3] nan nan 3");
  CHECK(run({b.make(data_type::uint8, {1, 1, 2}, {200, 100}), b.l({1, 2})}) == "u8 [1, 1, 1] 200");
  CHECK(run({b.f32({0, 2, 4, 4}, {}), b.i(2)}) == "f32 [0, 2, 2, 2]");
}

TEST_CASE("vm/nac/pooling: means", "[vm_nac]") {
  bench b;
  const auto run = [&](const arguments& a) { return text(b.run("aten.avg_pool2d.default", a)); };
  const vm::value x = b.counted({1, 2, 4}), n = b.none();
  CHECK(run({x, b.i(2)}) == "f32 [1, 1, 2] 2.5 4.5");
  CHECK(run({x, b.i(2), b.i(2), b.i(0), b.b(false), b.b(true), b.i(2)}) == "f32 [1, 1, 2] 5 9");
  CHECK(run({x, b.i(2), b.i(2), b.i(0), b.b(false), b.b(true), b.i(-1)}) ==
        "f32 [1, 1, 2] -10 -18");
  CHECK(run({b.i64({1, 1, 2}, {-9223372036854775807.0 - 1, 0}), b.l({1, 2}), b.l({}), b.i(0),
             b.b(false), b.b(true), b.i(-1)}) == "i64 [1, 1, 1] -9.22337e+18");
  CHECK(run({b.i64({1, 1, 2}, {-3, 0}), b.l({1, 2})}) == "i64 [1, 1, 1] -1");
  CHECK(run({b.f32({0, 2, 4, 4}, {}), b.i(2)}) == "f32 [0, 2, 2, 2]");

  // [floor(i H / o), ceil((i + 1) H / o)), by hand for 5 in 3 parts: 0-1, 1-3, 3-4.
  const auto adaptive = [&](const arguments& a) {
    return text(b.run("aten.adaptive_avg_pool2d.default", a));
  };
  CHECK(adaptive({b.f32({1, 1, 5}, {1, 3, 5, 7, 11}), b.l({1, 3})}) == "f32 [1, 1, 3] 2 5 9");
  CHECK(adaptive({b.f32({1, 1, 2}, {1, 3}), b.l({1, 3})}) == "f32 [1, 1, 3] 1 2 3");
  CHECK(adaptive({b.counted({1, 1, 2, 4}), b.l({1, 1})}) == "f32 [1, 1, 1, 1] 3.5");
  CHECK(adaptive({b.counted({1, 2, 4}, data_type::float16), b.l({2, 2})}) ==
        "f16 [1, 2, 2] 0.5 2.5 4.5 6.5");
  CHECK(adaptive({b.f32({0, 1, 2, 2}, {}), b.l({3, 3})}) == "f32 [0, 1, 3, 3]");
  CHECK(adaptive({b.counted({1, 2, 2}), b.l({0, 2})}) == "f32 [1, 0, 2]");
}

TEST_CASE("vm/nac/pooling: the nearest pixel", "[vm_nac]") {
  bench b;
  const auto near = [&](const arguments& a) {
    return text(b.run("aten.upsample_nearest2d.vec", a));
  };
  const auto near_to = [&](const arguments& a) {
    return text(b.run("aten.upsample_nearest2d.default", a));
  };
  const vm::value x = b.counted({1, 1, 2, 2}), row = b.counted({1, 1, 1, 5}), n = b.none();
  CHECK(near({x, b.l({3, 5})}) == "f32 [1, 1, 3, 5] 0 0 0 1 1 0 0 0 1 1 2 2 2 3 3");
  CHECK(near({x, b.l({3, 5}), n}) == "f32 [1, 1, 3, 5] 0 0 0 1 1 0 0 0 1 1 2 2 2 3 3");
  CHECK(near({x, n, vm::value::numbers({1, 2})}) == "f32 [1, 1, 2, 4] 0 0 1 1 2 2 3 3");
  CHECK(near({x, n, b.f(2)}) == "f32 [1, 1, 4, 4] 0 0 1 1 0 0 1 1 2 2 3 3 2 2 3 3");
  CHECK(near({row, n, vm::value::numbers({1, 0.5})}) == "f32 [1, 1, 1, 2] 0 2");
  CHECK(near_to({row, b.l({1, 7})}) == "f32 [1, 1, 1, 7] 0 0 1 2 2 3 4");
  CHECK(near_to({row, b.l({1, 7}), b.f(1), b.f(1.5)}) == "f32 [1, 1, 1, 7] 0 0 1 2 2 3 4");
  CHECK(near_to({row, b.l({1, 7}), n, b.f(3)}) == "f32 [1, 1, 1, 7] 0 0 0 1 1 1 2");
  CHECK(near_to({row, b.l({1, 7}), n, b.f(0.1)}) == "f32 [1, 1, 1, 7] 0 4 4 4 4 4 4");
  CHECK(near_to({row, b.l({1, 7}), n, b.f(1e-300)}) == "f32 [1, 1, 1, 7] 0 4 4 4 4 4 4");
  // Equal and double sizes are exact, whatever the scale.
  CHECK(near_to({row, b.l({1, 5}), n, b.f(2)}) == "f32 [1, 1, 1, 5] 0 1 2 3 4");
  CHECK(near_to({row, b.l({1, 10}), n, b.f(3)}) == "f32 [1, 1, 1, 10] 0 0 1 1 2 2 3 3 4 4");
  CHECK(near_to({b.make(data_type::uint8, {1, 1, 1, 2}, {7, 200}), b.l({1, 3})}) ==
        "u8 [1, 1, 1, 3] 7 7 200");
  CHECK(near_to({b.f32({0, 1, 1, 1}, {}), b.l({2, 2})}) == "f32 [0, 1, 2, 2]");
}

TEST_CASE("vm/nac/pooling: what PyTorch refuses is refused", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({1, 2, 5, 5}), n = b.none(), zero = b.i(0), one = b.i(1),
                  two = b.i(2);
  for (const char* const name : {"aten.max_pool2d.default", "aten.avg_pool2d.default"}) {
    INFO(name);
    const auto fault = [&](const arguments& a) { return b.fault(name, a); };
    CHECK(fault({x, zero}) == errc::nac_run_argument);
    CHECK(fault({x, b.l({})}) == errc::nac_run_argument);
    CHECK(fault({x, b.l({2, 2, 2})}) == errc::nac_run_argument);
    CHECK(fault({x, two, zero}) == errc::nac_run_argument);
    CHECK(fault({x, two, b.i(-1)}) == errc::nac_run_argument);
    CHECK(fault({x, two, two, two}) == errc::nac_run_argument);
    CHECK(fault({x, two, two, b.i(-1)}) == errc::nac_run_argument);
    CHECK(fault({x, b.i(6)}) == errc::nac_run_shape);
    CHECK(fault({x, b.i(std::int64_t{1} << 40)}) == errc::nac_run_argument);
    CHECK(fault({x, two, b.i(INT64_MAX)}) == errc::nac_run_argument);
    CHECK(fault({x, b.i(INT64_MIN)}) == errc::nac_run_argument);
    CHECK(fault({b.counted({5, 5}), two}) == errc::nac_run_shape);
    CHECK(fault({b.counted({1, 1, 1, 5, 5}), two}) == errc::nac_run_shape);
    CHECK(fault({b.f32({1, 0, 5, 5}, {}), two}) == errc::nac_run_shape);
    CHECK(fault({b.f32({1, 2, 0, 5}, {}), two}) == errc::nac_run_shape);
    CHECK(fault({b.truths({1, 1, 1}, {1}), one}) == errc::nac_run_type);
  }
  CHECK(b.fault("aten.max_pool2d.default", {x, two, two, zero, zero}) == errc::nac_run_argument);
  CHECK(b.fault("aten.max_pool2d.default", {x, two, two, zero, b.i(1 << 30)}) ==
        errc::nac_run_shape);
  // A window that is nearly all padding costs what the image has.
  const vm::value wide = b.i(1 << 30), half = b.i(1 << 29);
  CHECK(text(b.run("aten.max_pool2d.default", {b.counted({1, 2, 2}), wide, wide, half})) ==
        "f32 [1, 1, 1] 3");
  CHECK(text(b.run("aten.avg_pool2d.default", {b.counted({1, 2, 2}), wide, wide, half, b.b(true),
                                               b.b(false)})) == "f32 [1, 1, 1] 1.5");
  CHECK(b.fault("aten.avg_pool2d.default", {b.counted({1, 4, 4}, data_type::int32), two}) ==
        errc::nac_run_type);
  CHECK(b.fault("aten.avg_pool2d.default", {x, two, two, zero, b.b(false), b.b(true), zero}) ==
        errc::nac_run_argument);

  const auto adaptive = [&](const arguments& a) {
    return b.fault("aten.adaptive_avg_pool2d.default", a);
  };
  CHECK(adaptive({x, b.l({2})}) == errc::nac_run_argument);
  CHECK(adaptive({x, b.l({-1, 2})}) == errc::nac_run_argument);
  CHECK(adaptive({b.counted({5, 5}), b.l({2, 2})}) == errc::nac_run_shape);
  CHECK(adaptive({b.f32({1, 2, 0, 5}, {}), b.l({2, 2})}) == errc::nac_run_shape);
  CHECK(adaptive({b.counted({1, 2, 2}, data_type::int64), b.l({1, 1})}) == errc::nac_run_type);
  CHECK(adaptive({x, b.l({1 << 30, 1 << 30})}) == errc::budget_memory);

  const auto near = [&](const arguments& a) { return b.fault("aten.upsample_nearest2d.vec", a); };
  CHECK(near({x}) == errc::nac_run_argument);
  CHECK(near({x, n, n}) == errc::nac_run_argument);
  CHECK(near({x, b.l({2, 2}), b.f(2)}) == errc::nac_run_argument);
  CHECK(near({x, b.l({2})}) == errc::nac_run_argument);
  CHECK(near({x, n, vm::value::numbers({1, 2, 2})}) == errc::nac_run_argument);
  for (const double scale : {0.0, -1.0, 0.1, not_a_number, -infinity})
    CHECK(near({x, n, b.f(scale)}) == errc::nac_run_argument);
  for (const double scale : {1e9, 1e300, infinity})
    CHECK(near({x, n, b.f(scale)}) == errc::budget_memory);
  CHECK(near({b.counted({2, 5, 5}), b.l({2, 2})}) == errc::nac_run_shape);
  CHECK(near({b.counted({2, 5, 5}), n, b.f(2)}) == errc::nac_run_shape);
  CHECK(near({b.f32({1, 1, 0, 5}, {}), b.l({2, 2})}) == errc::nac_run_shape);
  CHECK(near({b.counted({1, 1, 2, 2}, data_type::int32), b.l({2, 2})}) == errc::nac_run_type);
  CHECK(b.fault("aten.upsample_nearest2d.default", {x, b.l({0, 2})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.upsample_nearest2d.default", {x, b.l({INT64_MAX, INT64_MAX})}) ==
        errc::budget_memory);
}
