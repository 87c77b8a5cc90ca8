// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "vm/nac/nearly.hpp"

using namespace vm_nac_tests;

namespace {

[[nodiscard]] reals of(const vm::value& v) { return numbers(v.as_tensor()); }

struct moments {
  double mean = 0, variance = 0;
};
[[nodiscard]] moments moments_of(const reals& x) {
  moments m;
  for (const double v : x) m.mean += v / static_cast<double>(x.size());
  for (const double v : x)
    m.variance += (v - m.mean) * (v - m.mean) / static_cast<double>(x.size());
  return m;
}
/// Every element with what its group's moments are, by the element's index.
template <class Group>
[[nodiscard]] reals normalise(const reals& x, std::size_t groups, double epsilon, Group&& group) {
  std::vector<reals> members(groups);
  for (std::size_t i = 0; i < x.size(); ++i) members[group(i)].push_back(x[i]);
  reals out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const moments m = moments_of(members[group(i)]);
    out[i] = (x[i] - m.mean) / std::sqrt(m.variance + epsilon);
  }
  return out;
}
/// Variances are positive.
[[nodiscard]] vm::value positive(bench& b, random_tensors& some, data_type type, std::int64_t n) {
  reals v = some.numbers(static_cast<std::size_t>(n), type);
  for (double& d : v) d = std::abs(d) + 0.5;
  return b.make(type, {n}, v);
}

}  // namespace

TEST_CASE("vm/nac/normalise: by channel", "[vm_nac]") {
  bench b;
  random_tensors some(1);
  for (const data_type type : floats)
    for (const data_type of_parameters : {type, data_type::float32}) {
      if (type == data_type::float64 && of_parameters != type) continue;
      INFO(tessera::nac::name(type));
      const vm::value w = some.make(b, of_parameters, {3}), bias = some.make(b, of_parameters, {3});
      const vm::value mean = some.make(b, of_parameters, {3});
      const vm::value variance = positive(b, some, of_parameters, 3);
      for (const vm::shape& dims : {vm::shape{2, 3}, vm::shape{2, 3, 5}, vm::shape{2, 3, 2, 9}}) {
        const vm::value x = some.make(b, type, dims);
        const auto inner = static_cast<std::size_t>(dims.product(2, dims.rank()));
        const auto channel = [&](std::size_t i) { return i / inner % 3; };
        reals given = of(x), trained = normalise(of(x), 3, 1e-3, channel);
        for (std::size_t i = 0; i < given.size(); ++i) {
          const std::size_t k = channel(i);
          given[i] = (given[i] - of(mean)[k]) / std::sqrt(of(variance)[k] + 1e-3);
          given[i] = given[i] * of(w)[k] + of(bias)[k];
          trained[i] = trained[i] * of(w)[k] + of(bias)[k];
        }
        const vm::value all = b.run("aten._native_batch_norm_legit_no_training.default",
                                    {x, w, bias, mean, variance, b.f(0.1), b.f(1e-3)});
        REQUIRE(all.is_list());
        REQUIRE(all.as_list().size() == 3);
        check_nearly(all.as_list()[0], dims, given);
        const std::string none = std::string(tessera::nac::name(of_parameters)) + " [0]";
        CHECK(text(all.as_list()[1]) == none);
        CHECK(text(all.as_list()[2]) == none);
        const auto by_mode = [&](bool training) {
          return b.run("aten.batch_norm.default", {x, w, bias, mean, variance, b.b(training),
                                                   b.f(0.1), b.f(1e-3), b.b(false)});
        };
        check_nearly(by_mode(false), dims, given);
        check_nearly(by_mode(true), dims, trained);
        check_nearly(b.run("aten.batch_norm.default", {x, b.none(), b.none(), b.none(), b.none(),
                                                       b.b(true), b.f(0.1), b.f(1e-3), b.b(false)}),
                     dims, normalise(of(x), 3, 1e-3, channel));
      }
    }
}

TEST_CASE("vm/nac/normalise: by row", "[vm_nac]") {
  bench b;
  random_tensors some(2);
  for (const data_type type : floats)
    for (const data_type of_parameters : {type, data_type::float32}) {
      if (type == data_type::float64 && of_parameters != type) continue;
      INFO(tessera::nac::name(type));
      const vm::value x = some.make(b, type, {3, 4, 5});
      const vm::value w = some.make(b, of_parameters, {4, 5});
      const vm::value bias = some.make(b, of_parameters, {4, 5});
      reals plain = normalise(of(x), 3, 1e-5, [](std::size_t i) { return i / 20; });
      reals weighted = plain, both = plain, mean, inverse;
      for (std::size_t i = 0; i < plain.size(); ++i) {
        weighted[i] = plain[i] * of(w)[i % 20];
        both[i] = weighted[i] + of(bias)[i % 20];
      }
      for (std::size_t r = 0; r < 3; ++r) {
        const reals all = of(x);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(r * 20);
        const moments m = moments_of(reals(first, first + 20));
        mean.push_back(m.mean);
        inverse.push_back(1 / std::sqrt(m.variance + 1e-5));
      }
      const vm::value shape = b.l({4, 5});
      const char* const name = "aten.layer_norm.default";
      check_nearly(b.run(name, {x, shape}), {3, 4, 5}, plain);
      check_nearly(b.run(name, {x, shape, w}), {3, 4, 5}, weighted);
      check_nearly(b.run(name, {x, shape, w, bias}), {3, 4, 5}, both);
      check_nearly(b.run(name, {x, shape, w, bias, b.f(1e-5), b.b(false)}), {3, 4, 5}, both);
      const vm::value all = b.run("aten.native_layer_norm.default", {x, shape, w, bias, b.f(1e-5)});
      REQUIRE(all.as_list().size() == 3);
      check_nearly(all.as_list()[0], {3, 4, 5}, both);
      check_nearly(all.as_list()[1], {3, 1, 1}, mean);
      check_nearly(all.as_list()[2], {3, 1, 1}, inverse);
      CHECK(all.as_list()[1].as_tensor().type == of_parameters);
    }
}

TEST_CASE("vm/nac/normalise: by groups of channels", "[vm_nac]") {
  bench b;
  random_tensors some(3);
  for (const data_type type : floats) {
    INFO(tessera::nac::name(type));
    const vm::value x = some.make(b, type, {2, 6, 3, 2}), w = some.make(b, type, {6});
    const vm::value bias = some.make(b, type, {6});
    reals plain = normalise(of(x), 6, 1e-5, [](std::size_t i) { return i / 12; });
    reals both = normalise(of(x), 6, 0.5, [](std::size_t i) { return i / 12; });
    for (std::size_t i = 0; i < both.size(); ++i)
      both[i] = both[i] * of(w)[i / 6 % 6] + of(bias)[i / 6 % 6];
    check_nearly(b.run("aten.group_norm.default", {x, b.i(3)}), {2, 6, 3, 2}, plain);
    check_nearly(b.run("aten.group_norm.default", {x, b.i(3), w, bias, b.f(0.5)}), {2, 6, 3, 2},
                 both);
  }
}

TEST_CASE("vm/nac/normalise: large means leave small differences", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({1, 4}, {10000, 10001, 10002, 10003});
  const double d = 1 / std::sqrt(1.25);
  check_nearly(b.run("aten.layer_norm.default", {x, b.l({4}), b.none(), b.none(), b.f(0)}), {1, 4},
               {-1.5 * d, -0.5 * d, 0.5 * d, 1.5 * d});
  check_nearly(b.run("aten.group_norm.default", {x, b.i(1), b.none(), b.none(), b.f(0)}), {1, 4},
               {-1.5 * d, -0.5 * d, 0.5 * d, 1.5 * d});
  check_nearly(b.run("aten._native_batch_norm_legit_no_training.default",
                     {x, b.none(), b.none(), b.f32({4}, {10000, 10000, 10000, 10000}),
                      b.f32({4}, {1, 1, 1, 1}), b.f(0), b.f(0)})
                   .as_list()[0],
               {1, 4}, {0, 1, 2, 3});
}

TEST_CASE("vm/nac/normalise: nothing to normalise, and what PyTorch refuses", "[vm_nac]") {
  bench b;
  const vm::value n = b.none(), x = b.counted({2, 4, 3}), four = b.counted({4});
  const auto layer = [&](const arguments& a) { return b.fault("aten.layer_norm.default", a); };
  CHECK(text(b.run("aten.layer_norm.default", {b.f32({0, 3}, {}), b.l({3})})) == "f32 [0, 3]");
  CHECK(text(b.run("aten.native_layer_norm.default",
                   {b.f32({2, 0}, {}), b.l({0}), n, n, b.f(1e-5)})) ==
        "{f32 [2, 0]; f32 [2, 1] nan nan; f32 [2, 1] nan nan}");
  CHECK(layer({x, b.l({4})}) == errc::nac_run_shape);
  CHECK(layer({x, b.l({})}) == errc::nac_run_shape);
  CHECK(layer({x, b.l({1, 2, 4, 3})}) == errc::nac_run_shape);
  CHECK(layer({x, b.l({-3})}) == errc::nac_run_shape);
  CHECK(layer({x, b.l({3}), four}) == errc::nac_run_shape);
  CHECK(layer({x, b.l({3}), b.counted({3}, data_type::float16)}) == errc::nac_run_type);
  CHECK(layer({x, b.l({3}), b.counted({3}), b.counted({3}, data_type::float64)}) ==
        errc::nac_run_type);
  CHECK(layer({b.counted({2, 3}, data_type::int64), b.l({3})}) == errc::nac_run_type);
  CHECK(layer({b.f32({}, {1}), b.l({1})}) == errc::nac_run_shape);
  const auto group = [&](const arguments& a) { return b.fault("aten.group_norm.default", a); };
  CHECK(text(b.run("aten.group_norm.default", {b.f32({2, 4, 0}, {}), b.i(2)})) == "f32 [2, 4, 0]");
  CHECK(text(b.run("aten.group_norm.default", {b.f32({2, 0, 3}, {}), b.i(2)})) == "f32 [2, 0, 3]");
  CHECK(group({x, b.i(3)}) == errc::nac_run_shape);
  CHECK(group({x, b.i(0)}) == errc::nac_run_argument);
  CHECK(group({x, b.i(-1)}) == errc::nac_run_argument);
  CHECK(group({x, b.i(INT64_MIN)}) == errc::nac_run_argument);
  CHECK(group({x, b.i(INT64_MAX)}) == errc::nac_run_shape);
  CHECK(group({four, b.i(2)}) == errc::nac_run_shape);
  CHECK(group({x, b.i(2), b.counted({3})}) == errc::nac_run_shape);
  CHECK(group({b.counted({1, 2}, data_type::int32), b.i(1)}) == errc::nac_run_type);
  const auto batch = [&](const arguments& a) { return b.fault("aten.batch_norm.default", a); };
  const vm::value f = b.f(1e-5), yes = b.b(true), no = b.b(false);
  CHECK(text(b.run("aten.batch_norm.default", {b.f32({0, 3}, {}), n, n, n, n, yes, f, f, no})) ==
        "f32 [0, 3]");
  CHECK(batch({x, n, n, n, n, no, f, f, no}) == errc::nac_run_argument);
  CHECK(batch({x, n, n, four, n, yes, f, f, no}) == errc::nac_run_argument);
  CHECK(batch({x, n, n, b.counted({3}), b.counted({3}), yes, f, f, no}) == errc::nac_run_shape);
  CHECK(batch({x, n, n, b.counted({3}), four, no, f, f, no}) == errc::nac_run_shape);
  CHECK(batch({x, b.counted({5}), n, four, four, no, f, f, no}) == errc::nac_run_shape);
  CHECK(batch({four, n, n, four, four, no, f, f, no}) == errc::nac_run_shape);
  CHECK(batch({x, b.counted({4}, data_type::float64), n, four, four, no, f, f, no}) ==
        errc::nac_run_type);
}
