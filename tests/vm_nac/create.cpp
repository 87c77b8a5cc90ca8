// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cmath>
#include <cstdint>
#include <limits>

#include "vm_nac/direct.hpp"

using namespace vm_nac_tests;
using nac::data_type;
using tessera::errc;

namespace {
using list = std::vector<double>;
constexpr double inf = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("vm_nac/create: ranges in the forms that files have", "[vm_nac]") {
  direct d;
  const vm::value cpu = direct::string("cpu"), off = d.truth(false);
  const auto range = [&](std::vector<vm::value> arguments) {
    return d.elements("nac.arange", std::move(arguments));
  };
  CHECK(range({d.whole(3)}) == list{0, 1, 2});
  CHECK(range({d.whole(3), cpu, off}) == list{0, 1, 2});
  CHECK(range({d.whole(3), {}, off}) == list{0, 1, 2});
  CHECK(range({d.whole(3), off}) == list{0, 1, 2});  // pin_memory, and no end
  CHECK(range({d.whole(1), d.whole(4), cpu, off}) == list{1, 2, 3});
  CHECK(range({d.whole(1), d.whole(4), off}) == list{1, 2, 3});
  CHECK(range({d.whole(-2), off}) == list{-2, -1});  // an end of 0 that is stored so
  CHECK(range({d.whole(1), d.whole(7), d.whole(3), cpu, off}) == list{1, 4});
  CHECK(range({d.whole(7), d.whole(0), d.whole(-3)}) == list{7, 4, 1});
  CHECK(range({d.whole(4), d.whole(4)}).empty());
  CHECK(d.tensor("nac.arange", {d.whole(2)}).type == data_type::int64);
  CHECK(d.tensor("nac.arange", {d.real(2)}).type == data_type::float32);
  CHECK(range({d.whole(0), d.whole(1), d.real(0.25)}) == list{0, 0.25, 0.5, 0.75});
  const vm::tensor halves = d.tensor("nac.arange", {d.whole(3), direct::string("torch.float16")});
  CHECK(halves.type == data_type::float16);
  CHECK(direct::elements(halves) == list{0, 1, 2});
  CHECK(d.error("nac.arange", {d.whole(0), d.whole(5), d.whole(0)}) == errc::nac_run_argument);
  CHECK(d.error("nac.arange", {d.whole(5), d.whole(0)}) == errc::nac_run_argument);
  CHECK(d.error("nac.arange", {d.real(inf)}) == errc::nac_run_argument);
}

TEST_CASE("vm_nac/create: what memory can't hold is refused before it is made", "[vm_nac]") {
  direct d(1 << 20);
  const std::int64_t much = std::int64_t{1} << 40;
  CHECK(d.error("nac.arange", {d.real(1e18)}) == errc::budget_memory);
  CHECK(d.error("nac.arange", {d.whole(INT64_MIN), d.whole(INT64_MAX)}) == errc::budget_memory);
  CHECK(d.error("nac.arange", {d.whole(0), d.real(1), d.real(1e-300)}) == errc::budget_memory);
  CHECK(d.error("nac.zeros", {direct::list({much, much})}) == errc::budget_memory);
  CHECK(d.error("nac.zeros", {direct::list({0, much, much})}) == errc::budget_memory);
  CHECK(d.error("nac.full", {direct::list({1 << 20}), d.whole(1)}) == errc::budget_memory);
  CHECK(d.error("aten.linspace.default", {d.whole(0), d.whole(1), d.whole(INT64_MAX)}) ==
        errc::budget_memory);
  CHECK(d.error("nac.ones", {direct::list({-1})}) == errc::nac_run_shape);
  CHECK(d.error("nac.ones", {direct::list(std::vector<std::int64_t>(17, 1))}) ==
        errc::nac_run_rank);
  CHECK(d.room.live() < 4096);
  CHECK(d.elements("nac.arange", {d.whole(INT64_MAX), d.whole(INT64_MIN), d.whole(INT64_MIN)})
            .size() == 2);
}

TEST_CASE("vm_nac/create: types are given, inferred, or those of what is alike", "[vm_nac]") {
  direct d;
  const vm::value x = d.of<std::int16_t>({2}, {5, 6});
  const auto type = [&](const char* name, std::vector<vm::value> arguments) {
    return d.tensor(name, std::move(arguments)).type;
  };
  const vm::value two = direct::list({2}), f64 = direct::string("float64");
  CHECK(type("nac.zeros", {two}) == data_type::float32);
  CHECK(type("nac.zeros", {two, f64, direct::string("cpu")}) == data_type::float64);
  CHECK(type("nac.zeros", {two, direct::string("cpu"), f64}) == data_type::float64);
  CHECK(type("nac.full", {two, d.truth(true)}) == data_type::boolean);
  CHECK(type("nac.full", {two, d.whole(1)}) == data_type::int64);
  CHECK(type("nac.full", {two, d.real(1.5)}) == data_type::float32);
  CHECK(type("nac.full", {d.whole(2), d.whole(2), d.real(1.5)}) == data_type::float32);
  CHECK(type("nac.ones_like", {x}) == data_type::int16);
  CHECK(type("nac.new_ones", {x, two}) == data_type::int16);
  CHECK(type("nac.full_like", {x, d.whole(3), f64}) == data_type::float64);
  CHECK(type("aten.scalar_tensor.default", {d.whole(3)}) == data_type::float32);
  CHECK(type("aten._to_copy.default", {x, f64}) == data_type::float64);
  CHECK(type("aten._to_copy.default", {x, direct::string("cpu")}) == data_type::int16);
  CHECK(d.elements("nac.full_like", {x, d.real(2.75)}) == list{2, 2});
  CHECK(d.error("nac.full_like", {x, d.whole(1 << 15)}) == errc::nac_run_argument);
  CHECK(d.error("nac.full_like", {x, d.real(-inf)}) == errc::nac_run_argument);
  CHECK(d.elements("aten.linspace.default", {d.whole(0), d.whole(1), d.whole(5)}) ==
        list{0, 0.25, 0.5, 0.75, 1});
  CHECK(d.elements("aten.linspace.default", {d.whole(3), d.whole(9), d.whole(1)}) == list{3});
}

TEST_CASE("vm_nac/create: copy takes the shape and type of what it replaces", "[vm_nac]") {
  direct d;
  const vm::value to = d.of<std::int32_t>({2, 3}, {0, 0, 0, 0, 0, 0});
  const vm::tensor y = d.tensor("aten.copy.default", {to, d.of<float>({2, 1}, {1.75, -2.5})});
  CHECK(y.type == data_type::int32);
  CHECK(y.dims == vm::shape{2, 3});
  CHECK(direct::elements(y) == list{1, 1, 1, -2, -2, -2});
  CHECK(d.elements("aten.copy.default", {to, d.whole(4)}) == list{4, 4, 4, 4, 4, 4});
  CHECK(d.error("aten.copy.default", {d.of<float>({1}, {0}), to}) == errc::nac_run_shape);
}

TEST_CASE("vm_nac/create: getitem takes from lists, and slices of tensors", "[vm_nac]") {
  direct d;
  const vm::value x = d.of<float>({2, 2}, {1, 2, 3, 4}), scalar = d.of<float>({}, {1});
  const vm::value both(std::vector<vm::value>{x, scalar});
  CHECK(d.elements("getitem", {both, d.whole(0)}) == list{1, 2, 3, 4});
  CHECK(d.elements("getitem", {both, d.whole(-1)}) == list{1});
  CHECK(d.elements("getitem", {x, d.whole(1)}) == list{3, 4});
  CHECK(d.tensor("getitem", {x, d.whole(-2)}).owner.identity() == x.as_tensor().owner.identity());
  CHECK(d.tensor("getitem", {x, d.whole(-2)}).dims == vm::shape{2});
  for (const std::int64_t outside : {std::int64_t{2}, std::int64_t{-3}, INT64_MIN, INT64_MAX})
    for (const vm::value& from : {x, both})
      CHECK(d.error("getitem", {from, d.whole(outside)}) == errc::nac_run_index);
  CHECK(d.error("getitem", {scalar, d.whole(0)}) == errc::nac_run_index);
  const vm::tensor rows = d.tensor("aten.sym_size.int", {x, d.whole(-1)});
  CHECK(rows.is_number);
  CHECK(*rows.as<std::int64_t>() == 2);
  CHECK(d.error("aten.sym_size.int", {x, d.whole(2)}) == errc::nac_run_axis);
  CHECK(d.error("aten.sym_size.int", {scalar, d.whole(0)}) == errc::nac_run_axis);
}
