// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vm/nac/nearly.hpp"

using namespace vm_nac_tests;

namespace {

using sizes = std::array<std::int64_t, 3>;  // depth, height, width

struct geometry {
  std::int64_t batch, in_channels, out_channels, groups = 1;
  sizes in, kernel;
  sizes stride = {1, 1, 1}, padding = {0, 0, 0}, dilation = {1, 1, 1};
  sizes output_padding = {0, 0, 0};
  bool transposed = false;
  [[nodiscard]] std::int64_t out(std::size_t i) const {
    const std::int64_t under = dilation[i] * (kernel[i] - 1) + 1;
    return transposed ? (in[i] - 1) * stride[i] - 2 * padding[i] + under + output_padding[i]
                      : (in[i] + 2 * padding[i] - under) / stride[i] + 1;
  }
};

/// By the definition: every element of the input under every element of the kernel.
[[nodiscard]] reals convolve(const geometry& g, const reals& x, const reals& w, const reals& bias) {
  const std::int64_t od = g.out(0), oh = g.out(1), ow = g.out(2);
  const std::int64_t in_group = g.in_channels / g.groups, out_group = g.out_channels / g.groups;
  reals y(static_cast<std::size_t>(g.batch * g.out_channels * od * oh * ow), 0.0);
  const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t n = 0; n < g.batch; ++n)
    for (std::int64_t o = 0; o < g.out_channels; ++o) {
      const std::int64_t group = o / out_group;
      for (std::int64_t i = 0; i < od * oh * ow && !bias.empty(); ++i)
        y[at((n * g.out_channels + o) * od * oh * ow + i)] = bias[at(o)];
      for (std::int64_t c = 0; c < in_group; ++c)
        for (std::int64_t kd = 0; kd < g.kernel[0]; ++kd)
          for (std::int64_t kh = 0; kh < g.kernel[1]; ++kh)
            for (std::int64_t kw = 0; kw < g.kernel[2]; ++kw) {
              const std::int64_t channel = group * in_group + c;
              const std::int64_t row =
                  g.transposed ? channel * out_group + o % out_group : o * in_group + c;
              const double by =
                  w[at(((row * g.kernel[0] + kd) * g.kernel[1] + kh) * g.kernel[2] + kw)];
              // The small image's elements, and where they meet the large one's.
              const bool t = g.transposed;
              for (std::int64_t d = 0; d < (t ? g.in[0] : od); ++d)
                for (std::int64_t h = 0; h < (t ? g.in[1] : oh); ++h)
                  for (std::int64_t v = 0; v < (t ? g.in[2] : ow); ++v) {
                    const std::int64_t ld = d * g.stride[0] + kd * g.dilation[0] - g.padding[0];
                    const std::int64_t lh = h * g.stride[1] + kh * g.dilation[1] - g.padding[1];
                    const std::int64_t lv = v * g.stride[2] + kw * g.dilation[2] - g.padding[2];
                    const sizes large = t ? sizes{od, oh, ow} : g.in;
                    if (ld < 0 || lh < 0 || lv < 0 || ld >= large[0] || lh >= large[1] ||
                        lv >= large[2])
                      continue;
                    const std::int64_t in_image = n * g.in_channels + channel;
                    const std::int64_t out_image = n * g.out_channels + o;
                    const std::int64_t from =
                        t ? ((in_image * g.in[0] + d) * g.in[1] + h) * g.in[2] + v
                          : ((in_image * g.in[0] + ld) * g.in[1] + lh) * g.in[2] + lv;
                    const std::int64_t to = t ? ((out_image * od + ld) * oh + lh) * ow + lv
                                              : ((out_image * od + d) * oh + h) * ow + v;
                    y[at(to)] += x[at(from)] * by;
                  }
            }
    }
  return y;
}

[[nodiscard]] vm::shape dims_of(std::int64_t first, std::int64_t second, const sizes& s,
                                std::size_t spatial) {
  vm::shape dims = {first, second};
  for (std::size_t i = 3 - spatial; i < 3; ++i) dims.push_back(s[i]);
  return dims;
}
[[nodiscard]] std::vector<std::int64_t> list_of(const sizes& s, std::size_t spatial) {
  return {s.end() - static_cast<std::ptrdiff_t>(spatial), s.end()};
}

/// Through aten.convolution, and the operation for the dimensions.
void check(bench& b, random_tensors& some, const geometry& g, std::size_t spatial, data_type type) {
  INFO(spatial << " dimensions of " << tessera::nac::name(type));
  const vm::value x = some.make(b, type, dims_of(g.batch, g.in_channels, g.in, spatial));
  const vm::value w = some.make(
      b, type,
      g.transposed ? dims_of(g.in_channels, g.out_channels / g.groups, g.kernel, spatial)
                   : dims_of(g.out_channels, g.in_channels / g.groups, g.kernel, spatial));
  const vm::value bias = some.make(b, type, {g.out_channels});
  const auto list = [&](const sizes& s) { return b.l(list_of(s, spatial)); };
  const vm::shape dims = dims_of(g.batch, g.out_channels, {g.out(0), g.out(1), g.out(2)}, spatial);
  const auto values = [](const vm::value& v) { return numbers(v.as_tensor()); };
  const reals expected = convolve(g, values(x), values(w), values(bias));
  check_nearly(b.run("aten.convolution.default",
                     {x, w, bias, list(g.stride), list(g.padding), list(g.dilation),
                      b.b(g.transposed), list(g.output_padding), b.i(g.groups)}),
               dims, expected);
  const reals without = convolve(g, values(x), values(w), {});
  const std::string number = std::to_string(spatial) + "d";
  if (g.transposed) {
    const std::string name =
        "aten.conv_transpose" + number + (spatial == 1 ? ".default" : ".input");
    check_nearly(b.run(name, {x, w, b.none(), list(g.stride), list(g.padding),
                              list(g.output_padding), b.i(g.groups), list(g.dilation)}),
                 dims, without);
  } else {
    check_nearly(
        b.run("aten.conv" + number + ".default",
              {x, w, b.none(), list(g.stride), list(g.padding), list(g.dilation), b.i(g.groups)}),
        dims, without);
  }
  // Without a batch.
  if (g.batch != 1) return;
  vm::shape one = x.as_tensor().dims, out = dims;
  one.erase(0);
  out.erase(0);
  const vm::value single = x.as_tensor().with_shape(one);
  const arguments a =
      g.transposed
          ? arguments{single,          w,
                      b.none(),        list(g.stride),
                      list(g.padding), list(g.output_padding),
                      b.i(g.groups),   list(g.dilation)}
          : arguments{single,       w, b.none(), list(g.stride), list(g.padding), list(g.dilation),
                      b.i(g.groups)};
  const std::string name =
      g.transposed ? "aten.conv_transpose" + number + (spatial == 1 ? ".default" : ".input")
                   : "aten.conv" + number + ".default";
  check_nearly(b.run(name, a), out, without);
}

}  // namespace

TEST_CASE("vm/nac/convolution: of one to three dimensions, of every type", "[vm_nac]") {
  bench b;
  random_tensors some(1);
  for (const data_type type : with_products) {
    check(b, some, {2, 3, 4, 1, {1, 1, 9}, {1, 1, 3}, {1, 1, 2}, {0, 0, 1}}, 1, type);
    check(b, some, {1, 4, 6, 2, {1, 6, 7}, {1, 3, 2}, {1, 2, 1}, {0, 1, 2}, {1, 1, 2}}, 2, type);
    check(b, some, {1, 2, 2, 1, {3, 4, 5}, {2, 3, 2}, {1, 2, 1}, {1, 0, 1}, {1, 1, 2}}, 3, type);
  }
  for (const data_type type : {data_type::float32, data_type::float64, data_type::float16,
                               data_type::bfloat16, data_type::int64}) {
    geometry g{2, 4, 6, 2, {1, 1, 5}, {1, 1, 3}, {1, 1, 3}, {0, 0, 1}};
    g.transposed = true;
    g.output_padding = {0, 0, 2};
    check(b, some, g, 1, type);
    g = {1, 3, 2, 1, {1, 4, 3}, {1, 2, 3}, {1, 2, 1}, {0, 0, 2}, {1, 3, 2}};
    g.transposed = true;
    g.output_padding = {0, 1, 0};
    check(b, some, g, 2, type);
    g = {1, 2, 2, 1, {2, 3, 2}, {2, 2, 2}, {2, 1, 2}, {0, 1, 0}};
    g.transposed = true;
    check(b, some, g, 3, type);
  }
}

TEST_CASE("vm/nac/convolution: any sizes", "[vm_nac]") {
  bench b;
  random_tensors some(2);
  for (int round = 0; round < 100; ++round) {
    const auto spatial = static_cast<std::size_t>(1 + some.below(3));
    geometry g{};
    g.batch = 1 + some.below(2);
    g.groups = 1 + some.below(3);
    g.in_channels = g.groups * (1 + some.below(3));
    g.out_channels = g.groups * (1 + some.below(3));
    g.transposed = some.below(2) != 0;
    g.in = g.kernel = g.stride = g.dilation = {1, 1, 1};
    for (std::size_t i = 3 - spatial; i < 3; ++i) {
      g.kernel[i] = 1 + some.below(3);
      g.dilation[i] = 1 + some.below(3);
      g.stride[i] = 1 + some.below(3);
      g.in[i] = g.dilation[i] * (g.kernel[i] - 1) + 1 + some.below(6);
      g.padding[i] =
          g.transposed ? some.below(g.dilation[i] * (g.kernel[i] - 1) / 2 + 1) : some.below(4);
      if (g.transposed) g.output_padding[i] = some.below(std::max(g.stride[i], g.dilation[i]));
    }
    check(b, some, g, spatial, round % 2 == 0 ? data_type::float32 : data_type::float64);
  }
  // 72 windows, and what 40 of them see is worked on at a time.
  check(b, some, {1, 40, 2, 1, {1, 6, 20}, {1, 9, 9}, {1, 1, 1}, {0, 4, 0}}, 2, data_type::float64);
  geometry g{1, 2, 40, 1, {1, 6, 12}, {1, 9, 9}, {1, 1, 1}, {0, 4, 0}};
  g.transposed = true;
  check(b, some, g, 2, data_type::float64);
}

TEST_CASE("vm/nac/convolution: padding by name", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({1, 1, 4}), two = b.f32({1, 1, 2}, {1, 10});
  const auto run = [&](const arguments& a) { return text(b.run("aten.conv1d.padding", a)); };
  CHECK(run({x, two}) == "f32 [1, 1, 3] 10 21 32");
  CHECK(run({x, two, b.none(), b.i(1), b.s("valid")}) == "f32 [1, 1, 3] 10 21 32");
  // An even kernel: the extra zero comes after.
  CHECK(run({x, two, b.none(), b.i(1), b.s("same")}) == "f32 [1, 1, 4] 10 21 32 3");
  CHECK(run({x, two, b.none(), b.i(1), b.s("same"), b.i(3)}) == "f32 [1, 1, 4] 20 30 1 2");
  const vm::value three = b.f32({1, 1, 3}, {1, 10, 100}), bias = b.f32({1}, {0.5});
  CHECK(run({x, three, bias, b.i(1), b.s("same")}) == "f32 [1, 1, 4] 100.5 210.5 321.5 32.5");
  CHECK(text(b.run("aten.conv2d.padding",
                   {b.counted({1, 2, 2}), b.f32({1, 1, 2, 2}, {1, 10, 100, 1000}), b.none(),
                    b.l({1, 1}), b.s("same")})) == "f32 [1, 2, 2] 3210 301 32 3");
  CHECK(b.fault("aten.conv1d.padding", {x, two, b.none(), b.i(2), b.s("same")}) ==
        errc::nac_run_argument);
  CHECK(b.fault("aten.conv1d.padding", {x, two, b.none(), b.i(1), b.s("full")}) ==
        errc::nac_run_argument);
  CHECK(b.fault("aten.conv1d.padding", {x, b.f32({2}, {1, 2})}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/convolution: with sizes computed beforehand", "[vm_nac]") {
  bench b;
  random_tensors some(3);
  const geometry g{2, 3, 4, 1, {1, 5, 6}, {1, 2, 3}, {1, 2, 1}, {0, 1, 0}};
  const vm::value x = some.make(b, data_type::float32, {2, 3, 5, 6});
  const vm::value w = some.make(b, data_type::float32, {4, 18});
  const vm::value bias = some.make(b, data_type::float32, {4});
  const reals expected =
      convolve(g, numbers(x.as_tensor()), numbers(w.as_tensor()), numbers(bias.as_tensor()));
  const char* const name = "nac.conv2d_precomputed";
  check_nearly(b.run(name, {x, w, bias, b.l({4, 3, 4, 2, 3, 2, 1, 1, 0, 1})}), {2, 4, 3, 4},
               expected);
  CHECK(b.fault(name, {x, w, bias, b.l({4, 3, 5, 2, 3, 2, 1, 1, 0, 1})}) == errc::nac_run_argument);
  CHECK(b.fault(name, {x, w, bias, b.l({4, 3, 4, 2, 3, 2, 1, 1, 0})}) == errc::nac_run_argument);
  CHECK(b.fault(name, {x, w, bias, b.l({4, 3, 4, 2, 3, 0, 1, 1, 0, 1})}) == errc::nac_run_argument);
  CHECK(b.fault(name, {x, w, bias, b.l({4, 3, 4, 0, 3, 2, 1, 1, 0, 1})}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, w, bias, b.l({5, 3, 4, 2, 3, 2, 1, 1, 0, 1})}) == errc::nac_run_shape);
  CHECK(b.fault(name, {x, w, bias, b.l({4, 3, 4, 4, 3, 2, 1, 1, 0, 1})}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/convolution: empty batches, and what PyTorch refuses", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({1, 2, 5, 5}), w = b.counted({4, 2, 3, 3});
  const char* const name = "aten.conv2d.default";
  CHECK(text(b.run(name, {b.f32({0, 2, 5, 5}, {}), w})) == "f32 [0, 4, 3, 3]");
  CHECK(b.run(name, {x, w, b.none(), b.i(2), b.i(1)}).as_tensor().dims.text() == "[1, 4, 3, 3]");
  const auto fault = [&](const vm::value& image, const vm::value& by, arguments more = {}) {
    more.insert(more.begin(), {image, by});
    return b.fault(name, more);
  };
  const vm::value n = b.none(), one = b.i(1), zero = b.i(0);
  CHECK(fault(x, w, {n, zero}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, b.i(-1)}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, b.l({1, 1, 1})}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, b.l({})}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, one, b.i(-1)}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, one, zero, zero}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, one, zero, one, zero}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, one, zero, one, b.i(-1)}) == errc::nac_run_argument);
  CHECK(fault(x, w, {n, one, zero, one, b.i(2)}) == errc::nac_run_shape);
  CHECK(fault(x, w, {n, one, zero, one, b.i(INT64_MIN)}) == errc::nac_run_argument);
  CHECK(fault(x, w, {b.counted({3})}) == errc::nac_run_shape);
  CHECK(fault(x, w, {b.counted({4, 1})}) == errc::nac_run_shape);
  CHECK(fault(x, w, {b.counted({4}, data_type::float64)}) == errc::nac_run_type);
  CHECK(fault(x, b.counted({4, 2, 3, 3}, data_type::float64)) == errc::nac_run_type);
  CHECK(fault(x, b.counted({4, 2, 6, 3})) == errc::nac_run_shape);
  CHECK(fault(x, b.counted({4, 3, 3, 3})) == errc::nac_run_shape);
  CHECK(fault(x, b.counted({4, 2, 3})) == errc::nac_run_shape);
  CHECK(fault(x, b.f32({4, 2, 0, 3}, {})) == errc::nac_run_shape);
  CHECK(fault(x, b.f32({0, 2, 3, 3}, {})) == errc::nac_run_shape);
  CHECK(fault(b.f32({1, 2, 0, 5}, {}), w, {n, one, b.i(2)}) == errc::nac_run_shape);
  CHECK(fault(b.counted({1, 1, 2, 5, 5}), w) == errc::nac_run_shape);
  CHECK(fault(b.truths({1, 1, 1, 1}, {1}), b.truths({1, 1, 1, 1}, {1})) == errc::nac_run_type);
  // Sizes that would overflow, or not fit.
  const vm::value large = b.i(std::int64_t{1} << 40), most = b.i(INT64_MAX);
  for (const vm::value& v : {large, most}) {
    CHECK(fault(x, w, {n, v}) == errc::nac_run_argument);
    CHECK(fault(x, w, {n, one, v}) == errc::nac_run_argument);
    CHECK(fault(x, w, {n, one, zero, v}) == errc::nac_run_argument);
    CHECK(fault(x, w, {n, one, zero, one, v}) != errc::ok);
  }
  CHECK(fault(x, w, {n, one, b.i(1 << 30)}) == errc::budget_memory);
  CHECK(fault(x, w, {n, one, zero, b.i(1 << 30)}) == errc::nac_run_shape);
  // Far apart, and most of it zeros.
  CHECK(b.run(name, {x, w, n, b.i(1 << 30), b.i(1 << 30)}).as_tensor().dims.text() ==
        "[1, 4, 3, 3]");
  CHECK(text(b.run(name, {b.counted({1, 1, 2, 2}), b.f32({1, 1, 2, 2}, {1, 1, 1, 1}), n,
                          b.i(1 << 30), b.i(1 << 29), b.i(1 << 30)})) == "f32 [1, 1, 1, 1] 0");

  const char* const turned = "aten.conv_transpose2d.input";
  const auto refused = [&](const vm::value& image, const vm::value& by, arguments more = {}) {
    more.insert(more.begin(), {image, by});
    return b.fault(turned, more);
  };
  const vm::value v = b.counted({2, 4, 3, 3});
  CHECK(text(b.run(turned, {b.f32({0, 2, 5, 5}, {}), v})) == "f32 [0, 4, 7, 7]");
  CHECK(refused(x, v, {n, b.i(2), one, b.i(2)}) == errc::nac_run_argument);
  CHECK(refused(x, v, {n, b.i(2), one, b.i(-1)}) == errc::nac_run_argument);
  CHECK(refused(x, v, {n, one, b.i(4)}) == errc::nac_run_shape);
  CHECK(refused(x, b.counted({3, 4, 3, 3})) == errc::nac_run_shape);
  CHECK(refused(x, v, {b.counted({2})}) == errc::nac_run_shape);
  CHECK(refused(x, v, {n, b.i(1 << 30)}) == errc::budget_memory);
  CHECK(refused(b.counted({1, 2, 1, 1}, data_type::int32),
                b.counted({2, 1, 1, 1}, data_type::int32)) == errc::nac_run_type);
  CHECK(b.fault("aten.convolution.default", {b.counted({2, 5, 5}), w, n, one, zero, one, b.b(false),
                                             zero, one}) == errc::nac_run_shape);
}
