// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "vm/nac/calls.hpp"

using namespace vm_nac_tests;

TEST_CASE("vm/nac/indexing: slices are clamped, and share what lies side by side", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({4, 3});
  const vm::value y = b.run("aten.slice.Tensor", {x, b.i(0), b.i(1), b.i(INT64_MAX)});
  CHECK(text(y) == "f32 [3, 3] 3 4 5 6 7 8 9 10 11");
  CHECK(y.as_tensor().data == x.as_tensor().data + 12);
  CHECK(b.run("aten.slice.Tensor", {x}).as_tensor().data == x.as_tensor().data);
  CHECK(text(b.run("aten.slice.Tensor", {x, b.i(1), b.i(0), b.i(-1)})) ==
        "f32 [4, 2] 0 1 3 4 6 7 9 10");
  CHECK(text(b.run("aten.slice.Tensor", {x, b.i(-1), b.none(), b.none(), b.i(2)})) ==
        "f32 [4, 2] 0 2 3 5 6 8 9 11");
  CHECK(text(b.run("aten.slice.Tensor", {x, b.i(0), b.i(-3), b.i(9), b.i(2)})) ==
        "f32 [2, 3] 3 4 5 9 10 11");
  CHECK(text(b.run("aten.slice.Tensor", {x, b.i(0), b.i(3), b.i(1)})) == "f32 [0, 3]");
  CHECK(text(b.run("aten.slice.Tensor", {x, b.i(0), b.i(INT64_MIN), b.i(1), b.i(INT64_MAX)})) ==
        "f32 [1, 3] 0 1 2");
  CHECK(b.fault("aten.slice.Tensor", {x, b.i(2)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.slice.Tensor", {b.f32({}, {1}), b.i(0)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.slice.Tensor", {x, b.i(0), b.i(0), b.i(3), b.i(0)}) ==
        errc::nac_run_argument);
  CHECK(b.fault("aten.slice.Tensor", {x, b.i(0), b.i(0), b.i(3), b.i(-1)}) ==
        errc::nac_run_argument);
}

TEST_CASE("vm/nac/indexing: every slice of a row is Python's", "[vm_nac]") {
  bench b;
  for (std::int64_t n = 0; n < 5; ++n)
    for (std::int64_t start = -6; start <= 6; ++start)
      for (std::int64_t end = -6; end <= 6; ++end)
        for (std::int64_t step = 1; step < 4; ++step) {
          std::vector<double> expected;
          const std::int64_t first = std::max(start < 0 ? start + n : start, std::int64_t{0});
          const std::int64_t last = std::min(end < 0 ? end + n : end, n);
          for (std::int64_t i = first; i < last; i += step)
            expected.push_back(static_cast<double>(i));
          const vm::value y =
              b.run("aten.slice.Tensor", {b.counted({n}), b.i(0), b.i(start), b.i(end), b.i(step)});
          REQUIRE(numbers(y.as_tensor()) == expected);
        }
}

TEST_CASE("vm/nac/indexing: select drops an axis", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.select.int", {x, b.i(0), b.i(-1)})) == "f32 [3] 3 4 5");
  CHECK(text(b.run("aten.select.int", {x, b.i(1), b.i(2)})) == "f32 [2] 2 5");
  CHECK(text(b.run("aten.select.int", {b.counted({2}), b.i(0), b.i(1)})) == "f32 [] 1");
  CHECK(b.fault("aten.select.int", {x, b.i(1), b.i(3)}) == errc::nac_run_index);
  CHECK(b.fault("aten.select.int", {x, b.i(1), b.i(INT64_MIN)}) == errc::nac_run_index);
  CHECK(b.fault("aten.select.int", {x, b.i(2), b.i(0)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.select.int", {b.f32({}, {1}), b.i(0), b.i(0)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.select.int", {x, b.f32({}, {0.5}), b.i(0)}) == errc::nac_run_argument);
}

TEST_CASE("vm/nac/indexing: slices are replaced in a copy", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 4});
  CHECK(text(b.run("aten.slice_scatter.default",
                   {x, b.i64({2, 2}, {10, 11, 12, 13}), b.i(1), b.i(0), b.i(4), b.i(2)})) ==
        "f32 [2, 4] 10 1 11 3 12 5 13 7");
  CHECK(text(b.run("aten.slice_scatter.default",
                   {x, b.f32({1, 4}, {9, 9, 9, 9}), b.i(0), b.i(1), b.i(INT64_MAX)})) ==
        "f32 [2, 4] 0 1 2 3 9 9 9 9");
  CHECK(text(x) == "f32 [2, 4] 0 1 2 3 4 5 6 7");
  CHECK(text(b.run("aten.slice_scatter.default", {x, b.f32({0, 4}, {}), b.i(0), b.i(2)})) ==
        text(x));
  CHECK(b.fault("aten.slice_scatter.default", {x, b.f32({4}, {9, 9, 9, 9}), b.i(0), b.i(1)}) ==
        errc::nac_run_shape);
}

TEST_CASE("vm/nac/indexing: indices of several axes broadcast", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3, 4});
  const auto run = [&](const arguments& a) { return text(b.run("aten.index.Tensor", a)); };
  CHECK(run({x, b.i64({2}, {1, -2})}) ==
        "f32 [2, 3, 4] 12 13 14 15 16 17 18 19 20 21 22 23 0 1 2 3 4 5 6 7 8 9 10 11");
  // Side by side: in their place. x[:, [0, 2], [1, 3]]
  CHECK(run({x, b.none(), b.i64({2}, {0, 2}), b.i64({2}, {1, 3})}) == "f32 [2, 2] 1 11 13 23");
  // Apart: in front. x[[0, 1], :, [1, 3]]
  CHECK(run({x, b.i64({2}, {0, 1}), b.none(), b.i64({2}, {1, 3})}) == "f32 [2, 3] 1 5 9 15 19 23");
  // x[[[0], [1]], [0, 2]]
  CHECK(run({x, b.i64({2, 1}, {0, 1}), b.make(data_type::int32, {2}, {0, 2})}) ==
        "f32 [2, 2, 4] 0 1 2 3 8 9 10 11 12 13 14 15 20 21 22 23");
  CHECK(run({x, b.i64({}, {1}), b.i64({}, {0}), b.i64({}, {2})}) == "f32 [] 14");
  CHECK(run({b.counted({3}), b.truths({3}, {1, 0, 1})}) == "f32 [2] 0 2");
  CHECK(run({b.counted({2, 2}), b.truths({2, 2}, {0, 1, 1, 0})}) == "f32 [2] 1 2");
  CHECK(run({x, b.none(), b.truths({3}, {0, 0, 1}), b.i64({1}, {0})}) == "f32 [2, 1] 8 20");
  CHECK(run({b.counted({2, 2}), b.make(data_type::uint8, {2}, {0, 1})}) == "f32 [1, 2] 2 3");
  CHECK(run({b.counted({3}), b.truths({3}, {0, 0, 0})}) == "f32 [0]");
  CHECK(run({b.counted({2}), b.none()}) == "f32 [2] 0 1");
  CHECK(run({b.f32({0, 3}, {}), b.i64({0}, {})}) == "f32 [0, 3]");

  const auto fault = [&](const arguments& a) { return b.fault("aten.index.Tensor", a); };
  CHECK(fault({x, b.i64({1}, {2})}) == errc::nac_run_index);
  CHECK(fault({x, b.i64({1}, {-3})}) == errc::nac_run_index);
  CHECK(fault({b.f32({0, 3}, {}), b.i64({1}, {0})}) == errc::nac_run_index);
  CHECK(fault({b.counted({2}), b.i64({1}, {0}), b.i64({1}, {0})}) == errc::nac_run_index);
  CHECK(fault({x, b.truths({3}, {1, 1, 1})}) == errc::nac_run_index);
  CHECK(fault({x, b.f32({1}, {0})}) == errc::nac_run_type);
  CHECK(fault({x, b.i64({2}, {0, 0}), b.i64({3}, {0, 0, 0})}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/indexing: rows by their indices", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.index_select.default", {x, b.i(1), b.i64({3}, {2, 0, 2})})) ==
        "f32 [2, 3] 2 0 2 5 3 5");
  CHECK(text(b.run("aten.index_select.default", {x, b.i(0), b.i64({}, {1})})) ==
        "f32 [1, 3] 3 4 5");
  CHECK(text(b.run("aten.index_select.default", {b.f32({}, {5}), b.i(0), b.i64({1}, {0})})) ==
        "f32 [] 5");
  CHECK(b.fault("aten.index_select.default", {x, b.i(1), b.i64({1}, {-1})}) == errc::nac_run_index);
  CHECK(b.fault("aten.index_select.default", {x, b.i(1), b.i64({1}, {3})}) == errc::nac_run_index);
  CHECK(b.fault("aten.index_select.default", {x, b.i(1), b.i64({1, 1}, {0})}) ==
        errc::nac_run_shape);
  CHECK(b.fault("aten.index_select.default", {x, b.i(1), b.f32({1}, {0})}) == errc::nac_run_type);

  CHECK(text(b.run("aten.embedding.default", {x, b.i64({1, 2}, {1, -2})})) ==
        "f32 [1, 2, 3] 3 4 5 0 1 2");
  CHECK(text(b.run("aten.embedding.default",
                   {b.make(data_type::float16, {2, 1}, {0.5, 2}), b.make(data_type::int32, {}, {1}),
                    b.i(0), b.b(false), b.b(false)})) == "f16 [1] 2");
  CHECK(b.fault("aten.embedding.default", {x, b.i64({1}, {2})}) == errc::nac_run_index);
  CHECK(b.fault("aten.embedding.default", {x, b.i64({1}, {-3})}) == errc::nac_run_index);
  CHECK(b.fault("aten.embedding.default", {x, b.f32({1}, {0})}) == errc::nac_run_type);
  CHECK(b.fault("aten.embedding.default", {b.counted({3}), b.i64({1}, {0})}) ==
        errc::nac_run_shape);
}

TEST_CASE("vm/nac/indexing: gather equals its definition", "[vm_nac]") {
  bench b;
  std::mt19937 random(3);
  const vm::shape dims{3, 4, 5}, part{2, 3, 4};
  for (const data_type type :
       {data_type::float32, data_type::int8, data_type::float16, data_type::float64}) {
    const vm::value x = b.counted(dims, type);
    const std::vector<double> from = numbers(x.as_tensor());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double> index, expected;
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t j = 0; j < 3; ++j)
          for (std::int64_t k = 0; k < 4; ++k) {
            const auto r = static_cast<std::int64_t>(random() % 3);
            index.push_back(static_cast<double>(r));
            const std::int64_t at = axis == 0   ? (r * 4 + j) * 5 + k
                                    : axis == 1 ? (i * 4 + r) * 5 + k
                                                : (i * 4 + j) * 5 + r;
            expected.push_back(from[static_cast<std::size_t>(at)]);
          }
      const vm::value y = b.run("aten.gather.default",
                                {x, b.i(static_cast<std::int64_t>(axis)), b.i64(part, index)});
      CHECK(y.as_tensor().dims == part);
      CHECK(numbers(y.as_tensor()) == expected);
    }
  }
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.gather.default", {b.f32({}, {5}), b.i(0), b.i64({2}, {0, 0})})) ==
        "f32 [2] 5 5");
  CHECK(text(b.run("aten.gather.default", {x, b.i(1), b.i64({0}, {})})) == "f32 [0]");
  CHECK(b.fault("aten.gather.default", {x, b.i(1), b.i64({1, 1}, {-1})}) == errc::nac_run_index);
  CHECK(b.fault("aten.gather.default", {x, b.i(0), b.i64({1, 1}, {2})}) == errc::nac_run_index);
  CHECK(b.fault("aten.gather.default", {x, b.i(1), b.i64({3, 1}, {0, 0, 0})}) ==
        errc::nac_run_shape);
  CHECK(b.fault("aten.gather.default", {x, b.i(1), b.i64({1}, {0})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.gather.default", {x, b.i(2), b.i64({1, 1}, {0})}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/indexing: scatter and scatter_add", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.scatter.value", {x, b.i(1), b.i64({2, 1}, {2, 0}), b.f(0.5)})) ==
        "f32 [2, 3] 0 1 0.5 0.5 4 5");
  CHECK(text(b.run("aten.scatter.src",
                   {x, b.i(0), b.i64({1, 2}, {1, 0}), b.f32({2, 3}, {10, 11, 12, 13, 14, 15})})) ==
        "f32 [2, 3] 0 11 2 10 4 5");
  CHECK(text(b.run("aten.scatter.value",
                   {b.i64({2}, {0, 0}), b.i(0), b.i64({1}, {0}), b.f(1.5)})) == "i64 [2] 1 0");
  CHECK(text(b.run("aten.scatter_add.default",
                   {b.i64({3}, {1, 1, 1}), b.i(0), b.i64({4}, {0, 0, 2, 0}),
                    b.i64({4}, {1, 2, 3, 4})})) == "i64 [3] 8 1 4");
  CHECK(text(b.run("aten.scatter_add.default",
                   {b.make(data_type::int8, {1}, {127}), b.i(0), b.i64({1}, {0}),
                    b.make(data_type::int8, {1}, {1})})) == "i8 [1] -128");
  // 2048 and three halves, rounded once: 2049.5 is nearest to 2050 among halves.
  CHECK(text(b.run("aten.scatter_add.default",
                   {b.make(data_type::float16, {1}, {2048}), b.i(0), b.i64({3}, {0, 0, 0}),
                    b.make(data_type::float16, {3}, {0.5, 0.5, 0.5})})) == "f16 [1] 2050");
  CHECK(text(b.run("aten.scatter_add.default", {b.truths({2}, {0, 0}), b.i(0), b.i64({2}, {1, 1}),
                                                b.truths({2}, {1, 1})})) == "bool [2] 0 1");
  CHECK(text(b.run("aten.scatter_add.default", {x, b.i(0), b.i64({0}, {}), x})) == text(x));
  CHECK(text(x) == "f32 [2, 3] 0 1 2 3 4 5");

  CHECK(b.fault("aten.scatter.value", {x, b.i(1), b.i64({1, 1}, {3}), b.f(1)}) ==
        errc::nac_run_index);
  CHECK(b.fault("aten.scatter.value", {x, b.i(1), b.i64({1, 1}, {-1}), b.f(1)}) ==
        errc::nac_run_index);
  CHECK(b.fault("aten.scatter.src", {x, b.i(1), b.i64({1, 1}, {0}), b.i64({1, 1}, {0})}) ==
        errc::nac_run_type);
  CHECK(b.fault("aten.scatter.src", {x, b.i(1), b.i64({1, 2}, {0, 1}), b.f32({1, 1}, {0})}) ==
        errc::nac_run_shape);
  CHECK(b.fault("aten.scatter_add.default", {x, b.i(1), b.i64({3, 1}, {0, 0, 0}),
                                             b.f32({3, 1}, {0, 0, 0})}) == errc::nac_run_shape);
}
