// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "vm/nac/build.hpp"
#include "vm/nac/calls.hpp"

using namespace vm_nac_tests;

namespace {

using position = std::vector<std::int64_t>;

/// Calls f with each position in a shape, in C order.
template <class F>
void each(const vm::shape& dims, F&& f) {
  position at(dims.rank());
  for (std::int64_t n = dims.elements(); n != 0; --n) {
    f(at);
    for (std::size_t k = at.size(); k-- != 0;) {
      if (++at[k] != dims[k]) break;
      at[k] = 0;
    }
  }
}
/// Elements of `y` that aren't those of `x` where `source` says.
[[nodiscard]] int wrong(const vm::value& y, const vm::value& x,
                        const std::function<position(const position&)>& source) {
  int count = 0;
  const std::vector<double> all = numbers(y.as_tensor());
  std::size_t i = 0;
  const std::vector<double> from = numbers(x.as_tensor());
  each(y.as_tensor().dims, [&](const position& at) {
    const position p = source(at);
    std::int64_t k = 0;
    for (std::size_t d = 0; d < p.size(); ++d) k = k * x.as_tensor().dim(d) + p[d];
    if (all[i++] != from[static_cast<std::size_t>(k)]) ++count;
  });
  return count;
}

constexpr std::int64_t huge = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("vm/nac/layout: views share elements, with one open dimension", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3, 4});
  const vm::value y = b.run("nac.view", {x, b.l({6, -1})});
  CHECK(y.as_tensor().dims == vm::shape{6, 4});
  CHECK(y.as_tensor().data == x.as_tensor().data);
  CHECK(b.run("aten.reshape.default", {x, b.i(4), b.i(6)}).as_tensor().dims == vm::shape{4, 6});
  CHECK(b.run("nac.view", {x, b.i64({}, {2}), b.i(-1)}).as_tensor().dims == vm::shape{2, 12});
  CHECK(b.run("nac.view", {x, b.i(-1)}).as_tensor().dims == vm::shape{24});
  CHECK(text(b.run("nac.view", {b.f32({1, 1}, {7}), b.l({})})) == "f32 [] 7");
  CHECK(text(b.run("nac.view", {b.f32({0, 2}, {}), b.l({-1, 2})})) == "f32 [0, 2]");

  for (const std::vector<std::int64_t>& dims :
       {position{5, -1}, position{-1, -1}, position{-2, -12}, position{7}, position{0, -1},
        position{huge, huge}, position{INT64_MIN}, position{INT64_MAX, INT64_MAX, 2}, position{}})
    CHECK(b.fault("nac.view", {x, b.l(dims)}) == errc::nac_run_shape);
  CHECK(b.fault("nac.view", {b.f32({0}, {}), b.l({-1, 0})}) == errc::nac_run_shape);
  CHECK(b.fault("nac.view", {x, b.l(position(17, 1))}) == errc::nac_run_rank);
}

TEST_CASE("vm/nac/layout: axes in another order, of elements of every size", "[vm_nac]") {
  bench b;
  for (const data_type type : {data_type::int8, data_type::float16, data_type::float32,
                               data_type::int64, data_type::boolean}) {
    for (const vm::shape& dims : {vm::shape{3, 5, 7}, vm::shape{1, 37, 41}, vm::shape{2, 4, 64},
                                  vm::shape{4, 1, 3}, vm::shape{2, 0, 3}}) {
      const vm::value x = b.counted(dims, type);
      position order = {0, 1, 2};
      do {
        const vm::value y = b.run("aten.permute.default", {x, b.l(order)});
        CHECK(y.as_tensor().type == type);
        CHECK(wrong(y, x, [&](const position& at) {
                position p(3);
                for (std::size_t k = 0; k < 3; ++k) p[static_cast<std::size_t>(order[k])] = at[k];
                return p;
              }) == 0);
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("nac.transpose", {x})) == "f32 [3, 2] 0 3 1 4 2 5");
  CHECK(text(b.run("nac.transpose", {x, b.i(-1), b.i(0)})) == "f32 [3, 2] 0 3 1 4 2 5");
  CHECK(text(b.run("nac.transpose", {b.f32({2}, {1, 2})})) == "f32 [2] 1 2");
  CHECK(text(b.run("nac.transpose", {b.f32({}, {1}), b.i(0), b.i(-1)})) == "f32 [] 1");
  CHECK(b.fault("nac.transpose", {b.counted({1, 2, 3})}) == errc::nac_run_rank);
  CHECK(b.fault("nac.transpose", {x, b.i(0), b.i(2)}) == errc::nac_run_axis);
  CHECK(b.fault("nac.transpose", {x, b.i(INT64_MIN), b.i(0)}) == errc::nac_run_axis);
  CHECK(b.fault("nac.transpose", {x, b.i(0)}) == errc::nac_run_argument);
  CHECK(b.fault("aten.permute.default", {x, b.l({0, 0})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.permute.default", {x, b.l({0})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.permute.default", {x, b.l({0, INT64_MAX})}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/layout: long permutations equal naive ones", "[vm_nac]") {
  bench b;
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    vm::shape dims;
    position order;
    for (std::int64_t k = 0; k < 5; ++k) {
      dims.push_back(1 + static_cast<std::int64_t>(random() % 5));
      order.push_back(k);
    }
    std::shuffle(order.begin(), order.end(), random);
    const vm::value x = b.counted(dims);
    const vm::value y = b.run("aten.permute.default", {x, b.l(order)});
    CHECK(wrong(y, x, [&](const position& at) {
            position p(5);
            for (std::size_t k = 0; k < 5; ++k) p[static_cast<std::size_t>(order[k])] = at[k];
            return p;
          }) == 0);
  }
}

TEST_CASE("vm/nac/layout: expand, repeat and tile", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({3, 1});
  CHECK(text(b.run("aten.expand.default", {x, b.l({2, -1, 2})})) ==
        "f32 [2, 3, 2] 0 0 1 1 2 2 0 0 1 1 2 2");
  CHECK(b.run("aten.expand.default", {x, b.i(1), b.i(3), b.i(1)}).as_tensor().data ==
        x.as_tensor().data);
  CHECK(text(b.run("aten.expand.default", {b.truths({}, {1}), b.l({2})})) == "bool [2] 1 1");
  CHECK(text(b.run("aten.expand.default", {x, b.l({3, 0})})) == "f32 [3, 0]");
  for (const position& dims : {position{3}, position{-1, 3, 1}, position{2, 1}, position{3, -2},
                               position{INT64_MIN, 3, 1}})
    CHECK(b.fault("aten.expand.default", {x, b.l(dims)}) == errc::nac_run_shape);
  CHECK(b.fault("aten.expand.default", {x, b.l({huge, 3, 1})}) == errc::budget_memory);
  CHECK(b.fault("aten.expand.default", {x, b.l({INT64_MAX, INT64_MAX, 3, 1})}) ==
        errc::budget_memory);
  CHECK(b.fault("aten.expand.default", {x, b.l(position(17, 1))}) == errc::nac_run_rank);

  const vm::value y = b.counted({2, 3});
  for (const position& r : {position{2, 3}, position{1, 2}, position{3, 1}, position{2, 2, 2}}) {
    const vm::value z = b.run("aten.repeat.default", {y, b.l(r)});
    const auto added = r.size() - 2;
    CHECK(z.as_tensor().dims[added] == 2 * r[added]);
    CHECK(z.as_tensor().dims[added + 1] == 3 * r[added + 1]);
    CHECK(wrong(z, y, [&](const position& at) {
            return position{at[added] % 2, at[added + 1] % 3};
          }) == 0);
  }
  CHECK(text(b.run("aten.repeat.default", {y, b.l({1, 0})})) == "f32 [2, 0]");
  CHECK(text(b.run("aten.repeat.default", {b.i64({}, {4}), b.l({2, 1})})) == "i64 [2, 1] 4 4");
  CHECK(b.fault("aten.repeat.default", {y, b.l({2})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.repeat.default", {y, b.l({1, -1})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.repeat.default", {y, b.l({1, INT64_MAX})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.repeat.default", {y, b.l({huge, 1})}) == errc::budget_memory);
  CHECK(b.fault("aten.repeat.default", {y, b.l(position(17, 1))}) == errc::nac_run_rank);
  CHECK(text(b.run("aten.tile.default", {y, b.l({2})})) == "f32 [2, 6] 0 1 2 0 1 2 3 4 5 3 4 5");
}

TEST_CASE("vm/nac/layout: flip and roll", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3, 4});
  for (const position& axes :
       {position{}, position{0}, position{-1}, position{1, 2}, position{0, 1, 2}}) {
    CHECK(wrong(b.run("aten.flip.default", {x, b.l(axes)}), x, [&](position at) {
            for (const std::int64_t a : axes) {
              auto& p = at[static_cast<std::size_t>(a < 0 ? a + 3 : a)];
              p = x.as_tensor().dim(static_cast<std::size_t>(a < 0 ? a + 3 : a)) - 1 - p;
            }
            return at;
          }) == 0);
  }
  CHECK(text(b.run("aten.flip.default", {b.f32({}, {3}), b.l({0})})) == "f32 [] 3");
  CHECK(b.fault("aten.flip.default", {x, b.l({0, -3})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.flip.default", {x, b.l({3})}) == errc::nac_run_axis);

  for (const std::int64_t shift : {0, 1, -1, 5, -7, 24})
    for (const std::int64_t other : {0, 2, -1})
      CHECK(wrong(b.run("aten.roll.default", {x, b.l({shift, other}), b.l({1, -1})}), x,
                  [&](const position& at) {
                    return position{at[0], ((at[1] - shift) % 3 + 3) % 3,
                                    ((at[2] - other) % 4 + 4) % 4};
                  }) == 0);
  CHECK(text(b.run("aten.roll.default", {b.counted({2, 3}), b.i(1)})) == "f32 [2, 3] 5 0 1 2 3 4");
  CHECK(text(b.run("aten.roll.default", {b.counted({3}), b.l({1, 1}), b.l({0, 0})})) ==
        "f32 [3] 1 2 0");
  CHECK(text(b.run("aten.roll.default", {b.counted({3}), b.i(INT64_MIN), b.i(0)})) ==
        "f32 [3] 2 0 1");  // -2^63 is 1 modulo 3
  CHECK(text(b.run("aten.roll.default", {b.f32({}, {3}), b.i(1)})) == "f32 [] 3");
  CHECK(b.fault("aten.roll.default", {x, b.l({1, 2})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.roll.default", {x, b.l({1}), b.l({0, 1})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.roll.default", {b.f32({}, {3}), b.i(1), b.i(0)}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/layout: dimensions of one element come and go", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({1, 3, 1});
  CHECK(b.run("aten.squeeze.default", {x}).as_tensor().dims == vm::shape{3});
  CHECK(b.run("aten.squeeze.dim", {x, b.i(-1)}).as_tensor().dims == vm::shape{1, 3});
  CHECK(b.run("aten.squeeze.dim", {x, b.i(1)}).as_tensor().dims == vm::shape{1, 3, 1});
  CHECK(b.run("aten.squeeze.dims", {x, b.l({0, 2})}).as_tensor().dims == vm::shape{3});
  CHECK(b.run("aten.squeeze.dims", {x, b.l({})}).as_tensor().dims == vm::shape{1, 3, 1});
  CHECK(b.run("aten.squeeze.dim", {b.f32({}, {1}), b.i(0)}).as_tensor().dims == vm::shape{});
  CHECK(b.fault("aten.squeeze.dims", {x, b.l({0, 0})}) == errc::nac_run_axis);
  CHECK(b.fault("aten.squeeze.dim", {x, b.i(3)}) == errc::nac_run_axis);
  CHECK(b.run("aten.unsqueeze.default", {x, b.i(-1)}).as_tensor().dims == vm::shape{1, 3, 1, 1});
  CHECK(b.run("aten.unsqueeze.default", {b.f32({}, {1}), b.i(0)}).as_tensor().dims == vm::shape{1});
  CHECK(b.fault("aten.unsqueeze.default", {x, b.i(4)}) == errc::nac_run_axis);
  CHECK(b.fault("aten.unsqueeze.default", {b.f32(vm::shape(position(16, 1)), {1}), b.i(0)}) ==
        errc::nac_run_rank);
}

TEST_CASE("vm/nac/layout: cat and stack", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 2}), y = b.i64({2, 1}, {7, 8});
  CHECK(text(b.run("aten.cat.default", {x, y, b.i(1)})) == "f32 [2, 3] 0 1 7 2 3 8");
  CHECK(text(b.run("aten.cat.default", {y, y, b.i(-2)})) == "i64 [4, 1] 7 8 7 8");
  CHECK(text(b.run("aten.cat.default", {y, y})) == "i64 [4, 1] 7 8 7 8");
  CHECK(text(b.run("aten.cat.default", {b.make(data_type::float64, {0}, {}), x, b.i(1)})) ==
        "f64 [2, 2] 0 1 2 3");
  CHECK(text(b.run("aten.cat.default", {b.f32({0}, {}), b.f32({0}, {})})) == "f32 [0]");
  CHECK(text(b.run("aten.cat.default", {b.f32({2, 0}, {}), x, b.i(1)})) == "f32 [2, 2] 0 1 2 3");
  CHECK(b.fault("aten.cat.default", {b.f32({0, 2}, {}), x, b.i(1)}) == errc::nac_run_shape);
  CHECK(b.fault("aten.cat.default", {x, y}) == errc::nac_run_shape);
  CHECK(b.fault("aten.cat.default", {b.f32({}, {1})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.cat.default", {x, x, b.i(2)}) == errc::nac_run_axis);
  const vm::value wide = b.f32({0, 200 * huge}, {});
  CHECK(b.fault("aten.cat.default", {wide, wide, b.i(1)}) == errc::budget_memory);

  const vm::value u = b.f32({2}, {1, 2}), v = b.make(data_type::float16, {2}, {3, 4});
  CHECK(text(b.run("aten.stack.default", {u, v})) == "f32 [2, 2] 1 2 3 4");
  CHECK(text(b.run("aten.stack.default", {v, v, b.i(-1)})) == "f16 [2, 2] 3 3 4 4");
  CHECK(text(b.run("aten.stack.default", {b.i64({}, {1}), b.f32({}, {2})})) == "f32 [2] 1 2");
  CHECK(b.fault("aten.stack.default", {u, x}) == errc::nac_run_shape);
  CHECK(b.fault("aten.stack.default", {u, u, b.i(2)}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/layout: parts along the first axis share elements", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({5, 2});
  const vm::value parts = b.run("aten.split.Tensor", {x, b.i(2)});
  CHECK(text(parts) == "{f32 [2, 2] 0 1 2 3; f32 [2, 2] 4 5 6 7; f32 [1, 2] 8 9}");
  CHECK(parts.as_list()[1].as_tensor().data == x.as_tensor().data + 16);
  CHECK(text(b.run("aten.split.Tensor", {b.counted({2, 3}), b.i(2), b.i(-1)})) ==
        "{f32 [2, 2] 0 1 3 4; f32 [2, 1] 2 5}");
  CHECK(b.run("aten.split.Tensor", {x, b.i(INT64_MAX)}).as_list().size() == 1);
  CHECK(text(b.run("aten.split.Tensor", {b.f32({0, 2}, {}), b.i(0)})) == "{f32 [0, 2]}");
  CHECK(b.fault("aten.split.Tensor", {x, b.i(0)}) == errc::nac_run_argument);
  CHECK(b.fault("aten.split.Tensor", {x, b.i(-1)}) == errc::nac_run_argument);
  CHECK(b.fault("aten.split.Tensor", {b.f32({}, {1}), b.i(1)}) == errc::nac_run_axis);

  CHECK(text(b.run("aten.split_with_sizes.default", {b.counted({4}), b.l({1, 0, 3})})) ==
        "{f32 [1] 0; f32 [0]; f32 [3] 1 2 3}");
  for (const position& sizes : {position{1, 2}, position{5}, position{-1, 5},
                                position{INT64_MAX, INT64_MAX, 6}, position{}})
    CHECK(b.fault("aten.split_with_sizes.default", {b.counted({4}), b.l(sizes)}) ==
          errc::nac_run_argument);

  CHECK(text(b.run("aten.chunk.default", {b.counted({5}), b.i(3)})) ==
        "{f32 [2] 0 1; f32 [2] 2 3; f32 [1] 4}");
  CHECK(b.run("aten.chunk.default", {b.counted({6}), b.i(4)}).as_list().size() == 3);
  CHECK(b.run("aten.chunk.default", {b.f32({0}, {}), b.i(3)}).as_list().size() == 3);
  CHECK(b.fault("aten.chunk.default", {x, b.i(0)}) == errc::nac_run_argument);

  CHECK(text(b.run("aten.unbind.int", {b.counted({2, 2}), b.i(1)})) ==
        "{f32 [2] 0 2; f32 [2] 1 3}");
  CHECK(b.fault("aten.unbind.int", {b.f32({}, {1})}) == errc::nac_run_axis);
}

TEST_CASE("vm/nac/layout: lists count as memory", "[vm_nac]") {
  bench b(1 << 20);
  // Empty parts take nothing but their places in the list.
  const vm::value x = b.f32({1 << 20, 0}, {});
  CHECK(b.fault("aten.unbind.int", {x}) == errc::budget_memory);
  CHECK(b.fault("aten.split.Tensor", {x, b.i(1)}) == errc::budget_memory);
  CHECK(b.fault("aten.chunk.default", {b.f32({0}, {}), b.i(INT64_MAX)}) == errc::budget_memory);
  for (const std::int64_t many : {std::int64_t{1} << 61, INT64_MAX})
    CHECK(b.fault("aten.tensor_split.sections", {b.f32({0}, {}), b.i(many)}) ==
          errc::budget_memory);
  const std::uint64_t before = b.arena.live();
  {
    const vm::value list = b.run("aten.unbind.int", {b.f32({100, 0}, {})});
    CHECK(b.arena.live() >= before + 100 * sizeof(vm::value));
  }
  CHECK(b.arena.live() == before);
}

TEST_CASE("vm/nac/layout: triangles", "[vm_nac]") {
  bench b;
  const vm::value x = b.f32({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(text(b.run("aten.triu.default", {x})) == "f32 [2, 3] 1 2 3 0 5 6");
  CHECK(text(b.run("aten.tril.default", {x})) == "f32 [2, 3] 1 0 0 4 5 0");
  CHECK(text(b.run("aten.triu.default", {x, b.i(1)})) == "f32 [2, 3] 0 2 3 0 0 6");
  CHECK(text(b.run("aten.tril.default", {x, b.i(-1)})) == "f32 [2, 3] 0 0 0 4 0 0");
  CHECK(text(b.run("aten.tril.default", {x, b.i(INT64_MAX)})) == "f32 [2, 3] 1 2 3 4 5 6");
  CHECK(text(b.run("aten.tril.default", {x, b.i(INT64_MIN)})) == "f32 [2, 3] 0 0 0 0 0 0");
  CHECK(text(b.run("aten.triu.default", {x, b.i(INT64_MIN)})) == "f32 [2, 3] 1 2 3 4 5 6");
  CHECK(text(b.run("aten.triu.default", {b.truths({1, 2, 2}, {1, 1, 1, 1})})) ==
        "bool [1, 2, 2] 1 1 0 1");
  CHECK(b.fault("aten.triu.default", {b.counted({3})}) == errc::nac_run_rank);
}

TEST_CASE("vm/nac/layout: padding", "[vm_nac]") {
  bench b;
  const vm::value x = b.counted({2, 3});
  CHECK(text(b.run("aten.pad.default", {x, b.l({1, 0})})) == "f32 [2, 4] 0 0 1 2 0 3 4 5");
  CHECK(text(b.run("aten.constant_pad_nd.default", {x, b.l({0, 1, 1, 0}), b.f(0.5)})) ==
        "f32 [3, 4] 0.5 0.5 0.5 0.5 0 1 2 0.5 3 4 5 0.5");
  CHECK(text(b.run("aten.pad.default", {x, b.l({-1, 1}), b.s("constant"), b.i(9)})) ==
        "f32 [2, 3] 1 2 9 4 5 9");
  CHECK(text(b.run("aten.pad.default", {x, b.l({-1, -2})})) == "f32 [2, 0]");
  CHECK(text(b.run("aten.pad.default", {x, b.l({1, 2}), b.s("reflect")})) ==
        "f32 [2, 6] 1 0 1 2 1 0 4 3 4 5 4 3");
  CHECK(text(b.run("aten.pad.default", {x, b.l({1, 2}), b.s("replicate")})) ==
        "f32 [2, 6] 0 0 1 2 2 2 3 3 4 5 5 5");
  CHECK(text(b.run("aten.pad.default", {x, b.l({3, 1}), b.s("circular"), b.none()})) ==
        "f32 [2, 7] 0 1 2 0 1 2 0 3 4 5 3 4 5 3");
  CHECK(text(b.run("aten.pad.default", {x, b.l({-1, 1}), b.s("reflect")})) ==
        "f32 [2, 3] 1 2 1 4 5 4");
  CHECK(
      text(b.run("aten.pad.default", {b.counted({1, 2, 2}), b.l({1, 0, 1, 1}), b.s("reflect")})) ==
      "f32 [1, 4, 3] 3 2 3 1 0 1 3 2 3 1 0 1");

  CHECK(b.fault("aten.pad.default", {x, b.l({1})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.pad.default", {x, b.l({0, 0, 0, 0, 1, 1})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.pad.default", {x, b.l({-2, -2})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.pad.default", {x, b.l({-4, 9})}) == errc::nac_run_shape);
  CHECK(b.fault("aten.pad.default", {x, b.l({INT64_MIN, INT64_MAX})}) == errc::nac_run_argument);
  CHECK(b.fault("aten.pad.default", {x, b.l({huge, 1})}) == errc::budget_memory);
  CHECK(b.fault("aten.pad.default", {x, b.l({1, 1}), b.s("mirror")}) == errc::nac_run_argument);
  CHECK(b.fault("aten.pad.default", {x, b.l({3, 1}), b.s("reflect")}) == errc::nac_run_shape);
  CHECK(b.fault("aten.pad.default", {x, b.l({4, 1}), b.s("circular")}) == errc::nac_run_shape);
  CHECK(b.fault("aten.pad.default", {x, b.l({1, 1}), b.s("reflect"), b.i(1)}) ==
        errc::nac_run_argument);
  CHECK(b.fault("aten.pad.default", {x, b.l({1, 1, 1, 1}), b.s("reflect")}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/layout: whatever the arguments, there is a result or a fault", "[vm_nac]") {
  bench b(1 << 16);
  std::mt19937_64 random(7);
  const auto whole = [&]() -> std::int64_t {
    constexpr std::int64_t odd[] = {INT64_MIN, INT64_MAX, huge, -huge, INT32_MIN, 1 << 20};
    return random() % 4 == 0 ? odd[random() % 6] : static_cast<std::int64_t>(random() % 9) - 4;
  };
  const auto tensor = [&] {
    vm::shape dims;
    constexpr std::int64_t sizes[] = {1, 2, 3, 0, 1, 4, 2, huge};
    bool large = false;
    for (std::size_t n = random() % 5; n != 0; --n) {
      dims.push_back(sizes[random() % (dims.elements() == 0 && !large ? 8 : 7)]);
      large = large || dims[dims.rank() - 1] == huge;
    }
    constexpr data_type types[] = {data_type::float32, data_type::int64, data_type::boolean,
                                   data_type::float16, data_type::uint8, data_type::int32,
                                   data_type::float64};
    vm::tensor t = vm::make_tensor(b.arena, types[random() % 7], dims);
    vm::visit(t.type, [&]<class T>(vm::of<T>) {
      for (T& v : t.template elements<T>())
        v = vm::convert<T>(static_cast<std::int64_t>(random() % 7) - 3);
    });
    return t;
  };
  int results = 0, faults = 0;
  using tessera::nac::operation;
  constexpr operation all[] = {
      operation::view,        operation::transpose,    operation::expand,
      operation::repeat,      operation::tile,         operation::permute,
      operation::flip,        operation::roll,         operation::squeeze,
      operation::unsqueeze,   operation::cat,          operation::stack,
      operation::split,       operation::chunk,        operation::split_with_sizes,
      operation::unbind,      operation::triu,         operation::tril,
      operation::pad,         operation::slice,        operation::select,
      operation::index,       operation::index_select, operation::slice_scatter,
      operation::gather,      operation::scatter,      operation::scatter_add,
      operation::embedding,   operation::sum,          operation::mean,
      operation::var,         operation::std_dev,      operation::var_mean,
      operation::all,         operation::any,          operation::max_all,
      operation::min_all,     operation::max_dim,      operation::min_dim,
      operation::amax,        operation::amin,         operation::argmax,
      operation::argmin,      operation::topk,         operation::sort,
      operation::argsort,     operation::cumsum,       operation::softmax,
      operation::log_softmax,
  };
  for (int round = 0; round < 10000; ++round) {
    const operation o = all[random() % std::size(all)];
    arguments given;
    for (const char letter : tessera::nac::pattern(o)) {
      if (letter == '?' && random() % 3 == 0) break;
      switch (letter) {
        case '?': break;
        case '*':
          for (std::size_t n = random() % 3; n != 0; --n) given.push_back(tensor());
          break;
        case 't':
        case 'T': given.push_back(tensor()); break;
        case 'x': given.push_back(random() % 2 == 0 ? vm::value(tensor()) : b.f(1.5)); break;
        case 's':
          given.push_back(b.s(std::vector<const char*>{"reflect", "replicate", "circular",
                                                       "constant"}[random() % 4]));
          break;
        case 'd': given.push_back(b.s(random() % 2 == 0 ? "torch.float16" : "int64")); break;
        case 'b': given.push_back(b.b(random() % 2 == 0)); break;
        case 'l':
        case 'L':
        case 'v': {
          position list(random() % 5);
          for (std::int64_t& v : list) v = whole();
          given.push_back(b.l(list));
          break;
        }
        default: given.push_back(b.i(whole())); break;
      }
    }
    try {
      const vm::value y = b.run(o, given);
      ++results;
      REQUIRE((y.is_tensor() || y.is_list()));
      REQUIRE(b.arena.live() <= b.arena.limit());
      if (y.is_tensor()) REQUIRE(y.as_tensor().dims.elements() >= 0);
    } catch (const vm::fault& f) {
      if (f.code == errc::nac_argument_type) continue;  // the pattern doesn't take these
      ++faults;
      REQUIRE(f.code != errc::nac_operation_unsupported);
    }
  }
  CHECK(results > 1000);
  CHECK(faults > 1000);
}

namespace {

/// How a program ends that asks for strides of what `make` gives; its input is f32[1,2,2,3].
template <class F>
[[nodiscard]] errc strides_of(const F& make) {
  builder b;
  const operand x = b.input();
  b.output({b.op("aten.as_strided.default",
                 {make(b, x), b.int_list({1, 2, 1, 1}), b.int_list({2, 1, 2, 2})})});
  const built made = b.build();
  vm::interpreter m(*made.program);
  m.set_input(0, vm::make_tensor(m.arena(), data_type::float32, vm::shape{1, 2, 2, 3}));
  return m.run().code;
}

}  // namespace

// What export leaves of a pooling to 1 x 1 of an image whose channels are last is the first of these.
TEST_CASE("vm/nac/layout: strides are asked only of what is row-major", "[vm_nac]") {
  const auto channels_first = [](builder& b, operand x) {
    return b.op("aten.permute.default", {x, b.int_list({0, 3, 1, 2})});
  };
  const auto mean = [](builder& b, operand x) {
    return b.op("aten.mean.dim", {x, b.int_list({-1, -2}), b.truth(true)});
  };
  CHECK(strides_of([&](builder& b, operand x) { return mean(b, channels_first(b, x)); }) ==
        errc::ok);
  CHECK(strides_of([](builder&, operand x) { return x; }) == errc::ok);
  CHECK(strides_of([](builder& b, operand x) { return b.op("aten.relu.default", {x}); }) ==
        errc::ok);
  CHECK(strides_of([&](builder& b, operand x) {
          return b.op("aten.contiguous.default", {channels_first(b, x)});
        }) == errc::ok);
  CHECK(strides_of(channels_first) == errc::nac_run_strides);
  CHECK(strides_of([&](builder& b, operand x) {
          return b.op("aten.relu.default", {channels_first(b, x)});
        }) == errc::nac_run_strides);
  CHECK(strides_of([&](builder& b, operand x) {
          return b.op("aten.add.Tensor", {mean(b, x), channels_first(b, x)});
        }) == errc::nac_run_strides);
}
