// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The verifier on models that were built in code; conformance.tsv has those that come from files.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "build.hpp"

namespace {

using samples::alir::fixed_type;
using samples::alir::interval;
using samples::alir::model;
using samples::alir::opcode;
using samples::alir::operation;
using samples::alir::program;
using tessera::errc;
using tessera::error;

static_assert(!std::is_default_constructible_v<program>);
static_assert(!std::is_constructible_v<program, model> && !std::is_convertible_v<model, program>);
static_assert(std::is_nothrow_move_constructible_v<program>);

const interval plain{-8, 7, 1};

/// An input x, then `op` as operation 2, after a constant.
model around(const operation& op) {
  build::sketch p;
  p.output(p.input(plain));
  p.constant(1, plain);
  p.op(op);
  p.table({1, 2, 3, 4});
  return p.model;
}
error verdict(const operation& op) { return samples::alir::verify(around(op)).error(); }
error verdict(const interval& q) { return verdict({.id0 = 0, .code = opcode::input, .qint = q}); }
const error good{};

/// The verdict on a + b·2^shift with fraction bits f_a and f_b into f.
error aligned(opcode code, int f_a, int f_b, std::int64_t shift, int f) {
  build::sketch p;
  const auto a = p.input(build::bits(2, f_a)), b = p.input(build::bits(2, f_b));
  operation o{.id0 = a, .id1 = b, .code = code, .qint = build::bits(2, f)};
  if (code == opcode::add || code == opcode::subtract)
    o.data = shift;
  else
    o.shift = static_cast<std::int32_t>(shift);
  if (code == opcode::bit_binary || code == opcode::add_constant || code == opcode::mux) o.data = 0;
  if (code == opcode::relu || code == opcode::quantize || code == opcode::add_constant) o.id1 = -1;
  p.op(o);
  return samples::alir::verify(p.model).error();
}
const error shift_refused{errc::alir_shift, 2};

}  // namespace

TEST_CASE("alir/type_of: worked out by hand", "[alir]") {
  using samples::alir::type_of;
  const auto p = [](int exponent) { return std::ldexp(1.0, exponent); };
  const struct {
    interval q;
    fixed_type t;
  } table[] = {
      {{0, 0, 1}, {false, 0, 0}},
      {{-0.0, 0, 0.3}, {false, 0, 0}},
      {{-8, 7.5, 0.5}, {true, 3, 1}},
      {{0, 3, 1}, {false, 2, 0}},
      {{-7.5, 8, 0.5}, {true, 4, 1}},  // 17 codes above zero
      {{-14, 7.5, 0.5}, {true, 4, 1}},
      {{0, 3.5, 0.5}, {false, 2, 1}},
      {{-2, 1, 1}, {true, 1, 0}},
      {{-2.75, 0.25, 0.25}, {true, 2, 2}},
      {{1.25, 1.25, 0.25}, {false, 1, 2}},
      {{-1.5, 0.5, 0.5}, {true, 1, 1}},
      {{-3, 3, 1}, {true, 2, 0}},
      {{-4, 3, 1}, {true, 2, 0}},
      {{-3, 4, 1}, {true, 3, 0}},
      {{-1, -1, 1}, {true, 0, 0}},
      {{-8, -8, 8}, {true, 3, -3}},
      {{0, 12, 4}, {false, 4, -2}},
      {{0.25, 0.25, 0.25}, {false, -1, 2}},
      {{0, 0.25, 1}, {false, 0, 0}},  // below half a step: width 0
      {{0, 0.0625, 0.25}, {false, -2, 2}},
      {{0, 0.5, 1}, {false, 1, 0}},  // halves away from zero
      {{-0.5, 0, 1}, {true, 0, 0}},
      {{-1.5, 0, 1}, {true, 1, 0}},
      // The count of codes is rounded to a float.
      {{0, p(24) - 1, 1}, {false, 24, 0}},
      {{0, p(24), 1}, {false, 24, 0}},  // 2^24 + 1
      {{0, p(24) + 1, 1}, {false, 25, 0}},
      {{-p(24) - 1, 0, 1}, {true, 24, 0}},
      {{-p(24) - 2, 0, 1}, {true, 25, 0}},
      {{0, p(37), 1}, {false, 37, 0}},
      {{0, p(38) - 1, 1}, {false, 38, 0}},
      {{0, p(63) - 1024, 1}, {false, 63, 0}},
      {{-p(63), p(63) - 1024, 1}, {true, 63, 0}},
      {{0, p(-126), p(-126)}, {false, -125, 126}},
      {{0, p(127), p(127)}, {false, 128, -127}},
  };
  for (const auto& [q, t] : table) {
    INFO("[" << q.min << ", " << q.max << "] step " << q.step);
    const fixed_type got = type_of(q);
    CHECK(got.k == t.k);
    CHECK(got.i == t.i);
    CHECK(got.f == t.f);
    const auto proven = samples::alir::verify(around({.id0 = 0, .code = opcode::input, .qint = q}));
    REQUIRE(proven.error() == good);
    CHECK(proven->type(2) == t);
  }
}

TEST_CASE("alir/verify: intervals", "[alir]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const error bounds{errc::alir_interval, 2}, step{errc::alir_step, 2}, width{errc::alir_width, 2};
  CHECK(verdict({-infinity, 0, 1}) == bounds);
  CHECK(verdict({0, infinity, 1}) == bounds);
  CHECK(verdict({nan, 0, 1}) == bounds);
  CHECK(verdict({0, nan, 1}) == bounds);
  CHECK(verdict({1, 0, 1}) == bounds);
  CHECK(verdict({1, 1, 1}) == good);
  CHECK(verdict({0, 0, nan}) == good);
  for (const double bad : {0.0, -0.0, -1.0, 3.0, 0.75, infinity, nan, 1 + 0x1p-52, 0x1p-127,
                           0x1p128, 5e-324, 0x1p-1022})
    CHECK(verdict({0, 1, bad}) == step);
  CHECK(verdict({0, 0x1p-126, 0x1p-126}) == good);
  CHECK(verdict({0, 0x1p127, 0x1p127}) == good);
  CHECK(verdict({0, 0x1p63 - 1024, 1}) == good);
  CHECK(verdict({0, 0x1p63, 1}) == width);
  CHECK(verdict({0, 0x1p63, 2}) == good);
  CHECK(verdict({-1, 0x1p63 - 1024, 1}) == good);
  CHECK(verdict({-0x1p63, 0, 1}) == good);
  CHECK(verdict({-0x1p63 * (1 + 0x1p-23), 0, 1}) == width);  // the next float
  CHECK(verdict({-0x1p64, 0, 1}) == width);
  CHECK(verdict({-0x1p64, 0, 2}) == good);
  CHECK(verdict({-1e300, 1e300, 1}) == width);
  CHECK(verdict({0, 1.7e308, 1}) == width);
}

TEST_CASE("alir/verify: operands are earlier operations", "[alir]") {
  const auto id0 = [](opcode c, std::int32_t x) {
    return verdict({.id0 = x, .code = c, .qint = plain});
  };
  for (const opcode c : {opcode::negate, opcode::relu, opcode::quantize, opcode::add_constant,
                         opcode::lookup, opcode::bit_unary}) {
    INFO(samples::alir::info(c).name);
    CHECK(id0(c, 0) == good);
    CHECK(id0(c, 1) == good);
    for (const std::int32_t x : {-2, -1, 2, 3, INT32_MIN, INT32_MAX})
      CHECK(id0(c, x) == error{errc::alir_id0, 2});
    for (const std::int32_t y : {-2, 0, 1, 2})
      CHECK(verdict({.id0 = 0, .id1 = y, .code = c, .qint = plain}) ==
            error{errc::alir_unused_id1, 2});
  }
  for (const opcode c :
       {opcode::add, opcode::subtract, opcode::multiply, opcode::bit_binary, opcode::mux}) {
    INFO(samples::alir::info(c).name);
    CHECK(verdict({.id0 = 1, .id1 = 1, .code = c, .qint = plain}) == good);
    for (const std::int32_t bad : {-2, -1, 2, 3, INT32_MIN, INT32_MAX}) {
      CHECK(verdict({.id0 = bad, .id1 = 1, .code = c, .qint = plain}) == error{errc::alir_id0, 2});
      CHECK(verdict({.id0 = 1, .id1 = bad, .code = c, .qint = plain}) == error{errc::alir_id1, 2});
    }
  }
  for (const std::int64_t condition : {INT64_C(0), INT64_C(1)})
    CHECK(verdict({.id0 = 1, .id1 = 1, .code = opcode::mux, .data = condition, .qint = plain}) ==
          good);
  for (const std::int64_t bad : {INT64_C(-1), INT64_C(2), INT64_MIN, INT64_MAX, INT64_C(1) << 32})
    CHECK(verdict({.id0 = 1, .id1 = 1, .code = opcode::mux, .data = bad, .qint = plain}) ==
          error{errc::alir_condition, 2});
  for (const std::int32_t x : {-1, 1, INT32_MAX})
    CHECK(id0(opcode::input, x) == error{errc::alir_input_index, 2});
  CHECK(verdict({.id0 = 0, .id1 = 0, .code = opcode::input, .qint = plain}) ==
        error{errc::alir_unused_id1, 2});
  CHECK(id0(opcode::constant, -1) == good);
  CHECK(id0(opcode::constant, 0) == error{errc::alir_unused_id0, 2});
  for (const int code : {-128, -3, 12, 127})
    CHECK(id0(static_cast<opcode>(code), 0) == error{errc::alir_opcode, 2});
}

TEST_CASE("alir/verify: terms of a sum", "[alir]") {
  using samples::alir::term;
  const auto sum = [](tessera::pool<term> terms, std::int32_t first, std::int32_t count) {
    model m = around({.id0 = first, .id1 = count, .code = opcode::sum, .qint = plain});
    m.terms = std::move(terms);
    return samples::alir::verify(std::move(m)).error();
  };
  const error bad{errc::alir_sum_terms, 2};
  const tessera::pool<term> two = {{0, 0, false}, {1, 0, true}};
  CHECK(sum(two, 0, 2) == good);
  CHECK(sum(two, 0, 1) == bad);
  CHECK(sum(two, 1, 1) == bad);
  CHECK(sum(two, 0, 0) == bad);
  CHECK(sum(two, 0, 3) == bad);
  CHECK(sum(two, 1, 2) == bad);
  CHECK(sum(two, -1, 2) == bad);
  CHECK(sum(two, 0, -1) == bad);
  CHECK(sum(two, 2, 2) == bad);
  CHECK(sum(two, INT32_MAX, INT32_MAX) == bad);
  CHECK(sum({{0, 0, false}, {2, 0, false}}, 0, 2) == bad);
  CHECK(sum({{-1, 0, false}, {0, 0, false}}, 0, 2) == bad);
  CHECK(sum({{0, 0, false}, {0, 63, false}}, 0, 2) == good);
  CHECK(sum({{0, 0, false}, {0, 64, false}}, 0, 2) == shift_refused);
  CHECK(sum({{0, -63, false}, {0, -63, false}}, 0, 2) == good);
  CHECK(sum({{0, -64, false}, {0, -64, false}}, 0, 2) == shift_refused);
  CHECK(sum({{0, INT32_MIN, false}, {0, INT32_MAX, false}}, 0, 2) == shift_refused);
}

TEST_CASE("alir/verify: shifts of 63 and of 64", "[alir]") {
  for (const opcode c : {opcode::add, opcode::subtract, opcode::bit_binary}) {
    INFO(samples::alir::info(c).name);
    const bool drops = c != opcode::bit_binary;  // whose result is not shifted
    CHECK(aligned(c, 0, 0, 63, 0) == good);
    CHECK(aligned(c, 0, 0, 64, 0) == shift_refused);
    CHECK(aligned(c, 0, 0, -63, 0) == good);
    CHECK(aligned(c, 0, 0, -64, 0) == shift_refused);
    CHECK(aligned(c, 40, 0, 23, 40) == good);
    CHECK(aligned(c, 40, 0, 24, 40) == shift_refused);
    CHECK(aligned(c, 0, 40, -23, 63) == good);
    CHECK(aligned(c, 0, 40, -24, 63) == shift_refused);
    CHECK(aligned(c, 0, 0, 0, 64) == (drops ? shift_refused : good));
    CHECK(aligned(c, 0, 0, INT32_MAX, 0) == shift_refused);
    CHECK(aligned(c, 0, 0, INT32_MIN, 0) == shift_refused);
  }
  for (const std::int64_t far : {INT64_C(1) << 31, (-INT64_C(1) << 31) - 1, INT64_MAX, INT64_MIN})
    CHECK(aligned(opcode::add, 0, 0, far, 0) == shift_refused);
  for (const opcode c : {opcode::relu, opcode::quantize, opcode::add, opcode::add_constant}) {
    INFO(samples::alir::info(c).name);
    CHECK(aligned(c, 0, 0, 0, 63) == good);
    CHECK(aligned(c, 0, 0, 0, 64) == shift_refused);
    CHECK(aligned(c, 63, 63, 0, 0) == good);
    CHECK(aligned(c, 64, 64, 0, 0) == shift_refused);
  }
  CHECK(aligned(opcode::quantize, 0, 0, 63, 0) == good);
  CHECK(aligned(opcode::quantize, 0, 0, 64, 0) == shift_refused);
  CHECK(aligned(opcode::quantize, 10, 0, -53, 0) == good);
  CHECK(aligned(opcode::quantize, 10, 0, -54, 0) == shift_refused);
  CHECK(aligned(opcode::quantize, 0, 0, INT32_MIN, 0) == shift_refused);
  CHECK(aligned(opcode::add_constant, 0, 0, 63, 0) == good);
  CHECK(aligned(opcode::add_constant, 0, 0, 64, 0) == shift_refused);
  CHECK(aligned(opcode::add_constant, 0, 0, -63, 0) == good);
  CHECK(aligned(opcode::add_constant, 0, 0, -64, 0) == shift_refused);
  // At most one operand of a mux is shifted.
  CHECK(aligned(opcode::mux, 0, 0, 63, 0) == good);
  CHECK(aligned(opcode::mux, 0, 0, 64, 0) == shift_refused);
  CHECK(aligned(opcode::mux, 0, 63, 0, 63) == good);
  CHECK(aligned(opcode::mux, 0, 64, 0, 64) == shift_refused);
  CHECK(aligned(opcode::mux, 1, 0, 2, 2) == error{errc::alir_mux_alignment, 2});
  CHECK(aligned(opcode::mux, 1, 0, -2, 2) == good);
}

TEST_CASE("alir/verify: tables and sub-operations", "[alir]") {
  const auto with_data = [](opcode c, std::int64_t data) {
    const std::int32_t id1 = c == opcode::bit_binary ? 1 : -1;
    return verdict({.id0 = 1, .id1 = id1, .code = c, .data = data, .qint = plain});
  };
  CHECK(with_data(opcode::lookup, 0) == good);
  for (const std::int64_t bad : {INT64_C(-1), INT64_C(1), INT64_MIN, INT64_MAX})
    CHECK(with_data(opcode::lookup, bad) == error{errc::alir_table_index, 2});
  CHECK(with_data(opcode::bit_unary, 2) == good);
  for (const std::int64_t bad : {INT64_C(-1), INT64_C(3), INT64_MIN, INT64_MAX})
    CHECK(with_data(opcode::bit_unary, bad) == error{errc::alir_sub_operation, 2});
  CHECK(with_data(opcode::bit_binary, (INT64_C(3) << 24) - 1) == good);
  for (const std::int64_t bad : {INT64_C(-1), INT64_C(3) << 24, INT64_MIN, INT64_MAX})
    CHECK(with_data(opcode::bit_binary, bad) == error{errc::alir_sub_operation, 2});

  model m = around({.code = opcode::constant, .qint = plain});
  const auto with_table = [&m](std::uint64_t first, std::uint64_t count) {
    model copy = m;
    copy.tables[0].count = 1;  // of 4 entries; the second table may have the others
    copy.tables.push_back(copy.tables[0]);
    copy.tables[1].first = first, copy.tables[1].count = count;
    return samples::alir::verify(std::move(copy)).error();
  };
  CHECK(with_table(1, 3) == good);
  CHECK(with_table(3, 1) == good);
  for (const auto& [first, count] : {std::pair<std::uint64_t, std::uint64_t>{1, 0},
                                     {0, 4},
                                     {1, 4},
                                     {4, 1},
                                     {5, UINT64_MAX},
                                     {UINT64_MAX, 1},
                                     {1, UINT64_MAX}})
    CHECK(with_table(first, count) == error{errc::alir_table_empty, 1});

  // Where a table starts, in codes of the operand.
  const auto base = [](double low, bool is_signed) {
    build::sketch p;
    p.table({1});
    p.lookup(p.input({low, is_signed ? 0 : low + 1, 1}), 0);
    return samples::alir::verify(p.model).error();
  };
  CHECK(base(0x1p31 - 1, false) == good);
  CHECK(base(0x1p31, false) == error{errc::alir_table_base, 1});
  CHECK(base(-0x1p31 - 1, true) == good);  // 2^31 - 1 after the lowest code of its type, -2^32
  const auto proven = [] {
    build::sketch p;
    p.table({1});
    p.lookup(p.input({-3, 9, 1}), 0);
    return p.verified();
  }();
  CHECK(proven.base(1) == -3);
}

TEST_CASE("alir/verify: lengths and outputs", "[alir]") {
  const auto refused = [](auto change) {
    model m = around({.id0 = 0, .code = opcode::negate, .qint = plain});
    change(m);
    return samples::alir::verify(std::move(m)).error();
  };
  CHECK(refused([](model&) {}) == good);
  for (const std::int64_t n : {INT64_C(-1), INT64_C(1) << 31, INT64_MIN, INT64_MAX}) {
    CHECK(refused([n](model& m) { m.n_inputs = n; }) == error{errc::alir_shape, 0});
    CHECK(refused([n](model& m) { m.n_outputs = n; }) == error{errc::alir_shape, 0});
  }
  for (const std::size_t n : {std::size_t{0}, std::size_t{2}}) {
    CHECK(refused([n](model& m) { m.inp_shifts.resize(n); }) ==
          error{errc::alir_inp_shifts_count, 0});
    CHECK(refused([n](model& m) { m.out_idxs.resize(n); }) == error{errc::alir_out_idxs_count, 0});
    CHECK(refused([n](model& m) { m.out_shifts.resize(n); }) ==
          error{errc::alir_out_shifts_count, 0});
    CHECK(refused([n](model& m) { m.out_negs.resize(n); }) == error{errc::alir_out_negs_count, 0});
  }
  CHECK(refused([](model& m) { m.out_idxs[0] = 2; }) == good);
  CHECK(refused([](model& m) { m.out_idxs[0] = 3; }) == error{errc::alir_output_index, 0});
  CHECK(refused([](model& m) { m.out_idxs[0] = INT32_MIN; }) == good);
  // Any shift of an input or an output is one of doubles.
  CHECK(refused([](model& m) { m.inp_shifts[0] = INT32_MIN; }) == good);
  CHECK(refused([](model& m) { m.out_shifts[0] = INT32_MAX; }) == good);
}

TEST_CASE("alir/verify: a program keeps its model and gives it back", "[alir]") {
  const model m = samples::model(samples::good("all_ops", "v2.json"));
  auto proven = samples::alir::verify(m);
  REQUIRE(proven.error() == good);
  CHECK(proven->model() == m);
  CHECK(proven->size() == 18);
  CHECK(proven->op(7) == m.ops[7]);
  CHECK(proven->shifts(3).b == 0);  // x + y/2: y has one fraction bit less
  CHECK(proven->base(11) == -2);
  const model back = std::move(*proven).release();
  CHECK(back == m);
  CHECK(back.source.ops.empty());  // offsets wouldn't hold after a change
}

TEST_CASE("alir/verify: only opcodes with a shift have one", "[alir]") {
  for (const opcode code : {opcode::add, opcode::subtract, opcode::multiply}) {
    operation o{.id0 = 0, .id1 = 1, .code = code, .qint = {-8, 7, 1}};
    CHECK(verdict(o) == good);
    o.shift = 1;
    CHECK(verdict(o).code == errc::alir_unused_shift);
  }
}

TEST_CASE("alir/verify: sums and tables share nothing, so that work stays linear", "[alir]") {
  model m = around({.id0 = 0, .id1 = 2, .code = opcode::sum, .qint = {-64, 63, 1}});
  m.terms = {{0, 0, false}, {1, 0, true}, {0, 1, false}};
  REQUIRE(samples::alir::verify(m).error() == good);
  m.ops.push_back({.id0 = 1, .id1 = 2, .code = opcode::sum, .qint = {-64, 63, 1}});
  CHECK(samples::alir::verify(m).error() == error{errc::alir_sum_terms, m.ops.size() - 1});
  m.ops.back().id0 = 2;
  m.terms.push_back({1, 0, false});
  CHECK(samples::alir::verify(m).error() == good);

  m.table_data = {1, 2, 3};
  m.tables = {{.first = 0, .count = 2}, {.first = 1, .count = 2}};
  CHECK(samples::alir::verify(m).error() == error{errc::alir_table_empty, 1});
  CHECK(samples::alir::write_json(m).error() == error{errc::alir_table_empty, 1});
  m.tables[1] = {.first = 2, .count = 1};
  CHECK(samples::alir::verify(m).error() == good);
}

TEST_CASE("alir/verify: errors name the element of a model that has no source", "[alir]") {
  const auto shown = [](const error& e) {
    const tessera::text t = tessera::describe(e, "", "m");
    return std::string(t.view().substr(t.view().find('[')));
  };
  CHECK(shown(verdict({.id0 = 2, .code = opcode::negate, .qint = plain})) ==
        "[alir_id0] at operation 2\n");
  CHECK(shown(verdict(interval{1, 0, 1})) == "[alir_interval] at operation 2\n");
  model m = around({.id0 = 0, .code = opcode::negate, .qint = plain});
  m.out_idxs[0] = 7;
  CHECK(shown(samples::alir::verify(m).error()) == "[alir_output_index] at output 0\n");
  m.out_idxs.push_back(0);
  CHECK(shown(samples::alir::verify(m).error()) == "[alir_out_idxs_count]\n");
  m = around({.id0 = 0, .code = opcode::negate, .qint = plain});
  m.tables[0].count = 0;
  CHECK(shown(samples::alir::verify(m).error()) == "[alir_table_empty] at table 0\n");
  m.tables[0].count = 4;
  m.tables[0].out_qint.min = std::numeric_limits<double>::infinity();
  CHECK(shown(samples::alir::write_json(m).error()) == "[alir_not_finite] at table 0\n");
  m.ops[1].cost = std::numeric_limits<float>::quiet_NaN();
  CHECK(shown(samples::alir::write_json(m).error()) == "[alir_not_finite] at operation 1\n");
  // One that was read has places in its source.
  model read = samples::model(samples::good("all_ops", "v2.json"));
  read.ops[1].id0 = 99;
  CHECK(samples::alir::verify(std::move(read)).error().index == tessera::error_index::none);
}
