// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>

#include "vm/nac/build.hpp"
#include "vm/nac/types.hpp"

using namespace vm_nac_tests;
using nac::data_type;
using list = std::vector<double>;

namespace {

/// What one operation gives of its arguments, and the type.
struct drawn {
  list values;
  data_type type = data_type::float32;
  vm::shape dims;
};
[[nodiscard]] drawn draw(builder& b, operand of, std::uint64_t seed = 0) {
  b.output({of});
  const built made = b.build();
  vm::interpreter m(*made.program, {.seed = seed});
  drawn first;
  for (int run = 0; run < 2; ++run) {
    const vm::outcome done = m.run();
    INFO(done.text);
    REQUIRE(done);
    const vm::tensor& t = m.outputs()[0].as_tensor();
    drawn out{list(t.size()), t.type, t.dims};
    vm::cast(t.type, t.data, data_type::float64,
             static_cast<std::byte*>(static_cast<void*>(out.values.data())), t.size());
    if (run == 0)
      first = out;
    else
      CHECK(first.values == out.values);  // each run begins with the seed
  }
  return first;
}
struct moments {
  double mean = 0, deviation = 0, low = 0, high = 0;
  explicit moments(const list& x) {
    low = *std::min_element(x.begin(), x.end());
    high = *std::max_element(x.begin(), x.end());
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) deviation += (v - mean) * (v - mean) / static_cast<double>(x.size());
    deviation = std::sqrt(deviation);
  }
};
constexpr std::int32_t many = 20000;
/// Five standard errors of a mean of many.
[[nodiscard]] bool near(double a, double b, double deviation) {
  return std::fabs(a - b) < 5 * deviation / std::sqrt(static_cast<double>(many));
}

}  // namespace

TEST_CASE("vm/nac/random: uniform numbers", "[vm_nac]") {
  for (const char* const type : {"float32", "float64", "float16", "bfloat16"}) {
    builder b;
    const drawn x = draw(b, b.op("aten.rand.default", {b.int_list({2, many}), b.string(type)}));
    CHECK(x.dims == vm::shape{2, many});
    CHECK(nac::name(x.type) == nac::name(*vm::type_named(type)));
    const moments m(x.values);
    CHECK(near(m.mean, 0.5, 0.2887));
    CHECK(std::fabs(m.deviation - 0.2887) < 0.005);
    CHECK(m.low >= 0);
    CHECK(m.high < 1);
  }
  builder b;
  const operand x = b.op("aten.zeros.default", {b.int_list({many})});
  const moments m(draw(b, b.op("aten.uniform_.default", {x, b.real(-3), b.real(5)})).values);
  CHECK(near(m.mean, 1, 2.31));
  CHECK(m.low >= -3);
  CHECK(m.high < 5);
}

TEST_CASE("vm/nac/random: normal numbers", "[vm_nac]") {
  for (const char* const name : {"aten.randn.default", "aten.normal.float_float"}) {
    builder b;
    const bool moved = name == std::string_view("aten.normal.float_float");
    const operand size = b.int_list({many});
    const operand x = moved ? b.op(name, {b.real(3), b.real(0.5), size}) : b.op(name, {size});
    const drawn got = draw(b, x);
    const moments m(got.values);
    CHECK(near(m.mean, moved ? 3 : 0, moved ? 0.5 : 1));
    CHECK(std::fabs(m.deviation / (moved ? 0.5 : 1) - 1) < 0.03);
    const double inside = moved ? 0.5 : 1;  // of one deviation: 68.27 %
    const auto count = std::count_if(got.values.begin(), got.values.end(), [&](double v) {
      return std::fabs(v - (moved ? 3 : 0)) < inside;
    });
    CHECK(std::fabs(static_cast<double>(count) / many - 0.6827) < 0.015);
  }
}

TEST_CASE("vm/nac/random: integers and permutations", "[vm_nac]") {
  builder b;
  const drawn x = draw(b, b.op("aten.randint.low", {b.whole(-2), b.whole(5), b.int_list({many})}));
  CHECK(x.type == data_type::int64);
  list counts(7);
  for (const double v : x.values) {
    REQUIRE((v >= -2 && v < 5));
    ++counts[static_cast<std::size_t>(v + 2)];
  }
  for (const double n : counts) CHECK(near(n / many, 1.0 / 7, 0.35));
  builder c;
  drawn order = draw(c, c.op("aten.randperm.default", {c.whole(1000)}));
  CHECK(order.type == data_type::int64);
  CHECK_FALSE(std::is_sorted(order.values.begin(), order.values.end()));
  std::sort(order.values.begin(), order.values.end());
  for (std::size_t i = 0; i < 1000; ++i) CHECK(order.values[i] == static_cast<double>(i));
}

TEST_CASE("vm/nac/random: coins and samples", "[vm_nac]") {
  builder b;
  const operand ones = b.op("aten.ones.default", {b.int_list({many})});
  const moments coins(draw(b, b.op("aten.bernoulli.p", {ones, b.real(0.25)})).values);
  CHECK(near(coins.mean, 0.25, 0.433));
  builder c;
  const operand x = c.op("aten.ones.default", {c.int_list({many})});
  const drawn kept = draw(c, c.op("aten.dropout.default", {x, c.real(0.75), c.truth(true)}));
  CHECK(near(moments(kept.values).mean, 1, 1.74));
  for (const double v : kept.values) CHECK((v == 0 || v == 4));
  builder f;
  const operand whole = f.op("aten.ones.default", {f.int_list({100, 20, 2, 5})});
  const drawn channels =
      draw(f, f.op("aten.feature_dropout.default", {whole, f.real(0.5), f.truth(true)}));
  for (std::size_t i = 0; i < channels.values.size(); ++i)
    CHECK(channels.values[i] == channels.values[i / 10 * 10]);
  for (const bool again : {true, false}) {
    // Weights 1, 0, 3 in each of many rows: the first sample is 2 in three of four.
    builder d;
    const operand weights =
        d.op("aten.expand.default",
             {d.op("aten.mul.Tensor", {d.parameter({1, 3}, {1, 0, 3}), d.real(2)}),
              d.int_list({many, 3})});
    const drawn samples =
        draw(d, d.op("aten.multinomial.default", {weights, d.whole(2), d.truth(again)}));
    CHECK(samples.type == data_type::int64);
    REQUIRE(samples.dims == vm::shape{many, 2});
    double first = 0, same = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(many); ++r) {
      first += samples.values[2 * r] / 2 / many;
      same += samples.values[2 * r] == samples.values[2 * r + 1] ? 1.0 / many : 0;
      CHECK(samples.values[2 * r] != 1);
    }
    CHECK(near(first, 0.75, 0.433));
    CHECK(near(same, again ? 0.625 : 0, 0.485));
  }
}

TEST_CASE("vm/nac/random: numbers follow from the seed, and differ within a run", "[vm_nac]") {
  const auto numbers = [](std::uint64_t seed) {
    builder b;
    const operand size = b.int_list({8});
    const operand x = b.op("aten.rand.default", {size}), y = b.op("aten.rand.default", {size});
    return draw(b, b.op("aten.cat.default", {x, y}), seed).values;
  };
  const list a = numbers(1);
  CHECK(a == numbers(1));
  CHECK(a != numbers(2));
  CHECK_FALSE(std::equal(a.begin(), a.begin() + 8, a.begin() + 8));
}

TEST_CASE("vm/nac/random: other distributions", "[vm_nac]") {
  const auto drawn_by = [](const char* name, std::initializer_list<double> parameters,
                           double of = 1) {
    builder b;
    const operand x =
        b.op("aten.full.default", {b.int_list({many}), b.real(of), b.string("float64")});
    std::vector<operand> all = {x};
    for (const double p : parameters) all.push_back(b.real(p));
    return draw(b, b.op(name, all)).values;
  };
  CHECK(near(moments(drawn_by("aten.exponential_.default", {4})).mean, 0.25, 0.25));
  CHECK(near(moments(drawn_by("aten.geometric_.default", {0.25})).mean, 4, 3.47));
  CHECK(near(moments(drawn_by("aten.poisson.default", {}, 3)).mean, 3, 1.74));
  CHECK(near(moments(drawn_by("aten.poisson.default", {}, 900)).mean, 900, 30));
  const auto below = [](const list& all, double limit) {
    return static_cast<double>(
               std::count_if(all.begin(), all.end(), [&](double v) { return v < limit; })) /
           many;
  };
  const list cauchy = drawn_by("aten.cauchy_.default", {2, 3});
  CHECK(near(below(cauchy, 2), 0.5, 0.5));
  CHECK(near(below(cauchy, 5), 0.75, 0.433));
  CHECK(near(below(drawn_by("aten.log_normal_.default", {1, 0.5}), std::exp(1)), 0.5, 0.5));
  const moments within(drawn_by("aten.random_.from", {-2, 5}));
  CHECK(within.low == -2);
  CHECK(within.high == 4);
  CHECK(near(within.mean, 1, 2));
  const moments up_to(drawn_by("aten.random_.to", {7}));
  CHECK(up_to.low == 0);
  CHECK(up_to.high == 6);

  builder b;
  const operand x = b.op("aten.randn.default", {b.int_list({many})});
  const moments kept(
      draw(b, b.op("aten.alpha_dropout.default", {x, b.real(0.25), b.truth(true)})).values);
  CHECK(near(kept.mean, 0, 1));
  CHECK(std::fabs(kept.deviation - 1) < 0.05);
  builder d;
  const operand minus = d.op("aten.full.default", {d.int_list({many}), d.real(-1)});
  const moments slopes(
      draw(d, d.op("aten.rrelu.default", {minus, d.real(0.25), d.real(0.75), d.truth(true)}))
          .values);
  CHECK(near(slopes.mean, -0.5, 0.1443));
  CHECK(slopes.low >= -0.75);
  CHECK(slopes.high <= -0.25);
}
