// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <limits>

#include "vm/nac/calls.hpp"

using namespace vm_nac_tests;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("vm/nac/create: ranges in the forms that files have", "[vm_nac]") {
  bench d;
  const vm::value cpu = bench::s("cpu"), off = d.b(false);
  const auto range = [&](std::vector<vm::value> arguments) {
    return d.numbers("nac.arange", std::move(arguments));
  };
  CHECK(range({d.i(3)}) == reals{0, 1, 2});
  CHECK(range({d.i(3), cpu, off}) == reals{0, 1, 2});
  CHECK(range({d.i(3), {}, off}) == reals{0, 1, 2});
  CHECK(range({d.i(3), off}) == reals{0, 1, 2});  // pin_memory, and no end
  CHECK(range({d.i(1), d.i(4), cpu, off}) == reals{1, 2, 3});
  CHECK(range({d.i(1), d.i(4), off}) == reals{1, 2, 3});
  CHECK(range({d.i(-2), off}) == reals{-2, -1});  // an end of 0 that is stored so
  CHECK(range({d.i(1), d.i(7), d.i(3), cpu, off}) == reals{1, 4});
  CHECK(range({d.i(7), d.i(0), d.i(-3)}) == reals{7, 4, 1});
  CHECK(range({d.i(4), d.i(4)}).empty());
  CHECK(d.tensor("nac.arange", {d.i(2)}).type == data_type::int64);
  CHECK(d.tensor("nac.arange", {d.f(2)}).type == data_type::float32);
  CHECK(range({d.i(0), d.i(1), d.f(0.25)}) == reals{0, 0.25, 0.5, 0.75});
  const vm::tensor halves = d.tensor("nac.arange", {d.i(3), bench::s("torch.float16")});
  CHECK(halves.type == data_type::float16);
  CHECK(numbers(halves) == reals{0, 1, 2});
  CHECK(d.fault("nac.arange", {d.i(0), d.i(5), d.i(0)}) == errc::nac_run_argument);
  CHECK(d.fault("nac.arange", {d.i(5), d.i(0)}) == errc::nac_run_argument);
  CHECK(d.fault("nac.arange", {d.f(inf)}) == errc::nac_run_argument);
}

TEST_CASE("vm/nac/create: what memory can't hold is refused before it is made", "[vm_nac]") {
  bench d(1 << 20);
  const std::int64_t much = std::int64_t{1} << 40;
  CHECK(d.fault("nac.arange", {d.f(1e18)}) == errc::budget_memory);
  CHECK(d.fault("nac.arange", {d.i(INT64_MIN), d.i(INT64_MAX)}) == errc::budget_memory);
  CHECK(d.fault("nac.arange", {d.i(0), d.f(1), d.f(1e-300)}) == errc::budget_memory);
  CHECK(d.fault("nac.zeros", {bench::l({much, much})}) == errc::budget_memory);
  CHECK(d.fault("nac.zeros", {bench::l({0, much, much})}) == errc::budget_memory);
  CHECK(d.fault("nac.full", {bench::l({1 << 20}), d.i(1)}) == errc::budget_memory);
  CHECK(d.fault("aten.linspace.default", {d.i(0), d.i(1), d.i(INT64_MAX)}) == errc::budget_memory);
  CHECK(d.fault("nac.ones", {bench::l({-1})}) == errc::nac_run_shape);
  CHECK(d.fault("nac.ones", {bench::l(std::vector<std::int64_t>(17, 1))}) == errc::nac_run_rank);
  CHECK(d.arena.live() < 4096);
  CHECK(d.numbers("nac.arange", {d.i(INT64_MAX), d.i(INT64_MIN), d.i(INT64_MIN)}).size() == 2);
}

TEST_CASE("vm/nac/create: types are given, inferred, or those of what is alike", "[vm_nac]") {
  bench d;
  const vm::value x = d.of<std::int16_t>({2}, {5, 6});
  const auto type = [&](const char* name, std::vector<vm::value> arguments) {
    return d.tensor(name, std::move(arguments)).type;
  };
  const vm::value two = bench::l({2}), f64 = bench::s("float64");
  CHECK(type("nac.zeros", {two}) == data_type::float32);
  CHECK(type("nac.zeros", {two, f64, bench::s("cpu")}) == data_type::float64);
  CHECK(type("nac.zeros", {two, bench::s("cpu"), f64}) == data_type::float64);
  CHECK(type("nac.full", {two, d.b(true)}) == data_type::boolean);
  CHECK(type("nac.full", {two, d.i(1)}) == data_type::int64);
  CHECK(type("nac.full", {two, d.f(1.5)}) == data_type::float32);
  CHECK(type("nac.full", {d.i(2), d.i(2), d.f(1.5)}) == data_type::float32);
  CHECK(type("nac.ones_like", {x}) == data_type::int16);
  CHECK(type("nac.new_ones", {x, two}) == data_type::int16);
  CHECK(type("nac.full_like", {x, d.i(3), f64}) == data_type::float64);
  CHECK(type("aten.scalar_tensor.default", {d.i(3)}) == data_type::float32);
  CHECK(type("aten._to_copy.default", {x, f64}) == data_type::float64);
  CHECK(type("aten._to_copy.default", {x, bench::s("cpu")}) == data_type::int16);
  CHECK(d.numbers("nac.full_like", {x, d.f(2.75)}) == reals{2, 2});
  CHECK(d.fault("nac.full_like", {x, d.i(1 << 15)}) == errc::nac_run_argument);
  CHECK(d.fault("nac.full_like", {x, d.f(-inf)}) == errc::nac_run_argument);
  CHECK(d.numbers("aten.linspace.default", {d.i(0), d.i(1), d.i(5)}) ==
        reals{0, 0.25, 0.5, 0.75, 1});
  CHECK(d.numbers("aten.linspace.default", {d.i(3), d.i(9), d.i(1)}) == reals{3});
}

TEST_CASE("vm/nac/create: copy takes the shape and type of what it replaces", "[vm_nac]") {
  bench d;
  const vm::value to = d.of<std::int32_t>({2, 3}, {0, 0, 0, 0, 0, 0});
  const vm::tensor y = d.tensor("aten.copy.default", {to, d.of<float>({2, 1}, {1.75, -2.5})});
  CHECK(y.type == data_type::int32);
  CHECK(y.dims == vm::shape{2, 3});
  CHECK(numbers(y) == reals{1, 1, 1, -2, -2, -2});
  CHECK(d.numbers("aten.copy.default", {to, d.i(4)}) == reals{4, 4, 4, 4, 4, 4});
  CHECK(d.fault("aten.copy.default", {d.of<float>({1}, {0}), to}) == errc::nac_run_shape);
}

TEST_CASE("vm/nac/create: getitem takes from lists, and slices of tensors", "[vm_nac]") {
  bench d;
  const vm::value x = d.of<float>({2, 2}, {1, 2, 3, 4}), scalar = d.of<float>({}, {1});
  const vm::value both(std::vector<vm::value>{x, scalar});
  CHECK(d.numbers("getitem", {both, d.i(0)}) == reals{1, 2, 3, 4});
  CHECK(d.numbers("getitem", {both, d.i(-1)}) == reals{1});
  CHECK(d.numbers("getitem", {x, d.i(1)}) == reals{3, 4});
  CHECK(d.tensor("getitem", {x, d.i(-2)}).owner.identity() == x.as_tensor().owner.identity());
  CHECK(d.tensor("getitem", {x, d.i(-2)}).dims == vm::shape{2});
  for (const std::int64_t outside : {std::int64_t{2}, std::int64_t{-3}, INT64_MIN, INT64_MAX})
    for (const vm::value& from : {x, both})
      CHECK(d.fault("getitem", {from, d.i(outside)}) == errc::nac_run_index);
  CHECK(d.fault("getitem", {scalar, d.i(0)}) == errc::nac_run_index);
  const vm::tensor rows = d.tensor("aten.sym_size.int", {x, d.i(-1)});
  CHECK(rows.is_number);
  CHECK(*rows.as<std::int64_t>() == 2);
  CHECK(d.fault("aten.sym_size.int", {x, d.i(2)}) == errc::nac_run_axis);
  CHECK(d.fault("aten.sym_size.int", {scalar, d.i(0)}) == errc::nac_run_axis);
}
