// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Small ALIR programs, built by hand in tests.
//
//   build::sketch p;
//   auto x = p.input(build::bits(4, 1));                           // op 0: 4 bits, 1 fraction bit
//   auto y = p.op({.id0 = x, .code = opcode::negate, .qint = build::bits(5, 1)});
//   p.output(y);
//   tessera::alir::program program = p.verified();                 // fails the test if it isn't
//
// Lifetime:   values.
// Errors:     verified() fails the test.
// Limits:     none.
// Allocation: vectors.

#ifndef TESSERA_TESTS_ALIR_BUILD_HPP
#define TESSERA_TESTS_ALIR_BUILD_HPP

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tessera/alir/format.hpp>
#include <tessera/alir/verify.hpp>
#include <utility>

#include "../support/catch.hpp"

namespace build {

/// The interval of all codes of a signed type with `width` bits, `fraction` of them after the
/// point. One of 64 bits ends where a double can.
[[nodiscard]] inline tessera::alir::interval bits(int width, int fraction = 0) {
  const double step = std::ldexp(1.0, -fraction), half = std::ldexp(1.0, width - 1);
  return {-half * step, (half - 1) * step, step};
}
/// The same for an unsigned type; a width of 0 keeps its fraction bits.
[[nodiscard]] inline tessera::alir::interval unsigned_bits(int width, int fraction = 0) {
  const double step = std::ldexp(1.0, -fraction), end = std::ldexp(1.0, width);
  if (width == 0) return {0.0, step / 4, step};
  return {0.0, width <= 53 ? (end - 1) * step : std::nextafter(end, 0.0) * step, step};
}

/// A model in the making. Its parts may be changed at will before it is verified.
struct sketch {
  tessera::alir::model model;

  std::int32_t op(const tessera::alir::operation& operation) {
    model.ops.push_back(operation);
    return static_cast<std::int32_t>(model.ops.size()) - 1;
  }
  std::int32_t input(const tessera::alir::interval& q, std::int32_t shift = 0) {
    model.inp_shifts.push_back(shift);
    const auto index = static_cast<std::int32_t>(model.n_inputs++);
    return op({.id0 = index, .code = tessera::alir::opcode::input, .qint = q});
  }
  /// Any value, whether the interval holds it or not.
  std::int32_t constant(std::int64_t value, const tessera::alir::interval& q) {
    return op({.code = tessera::alir::opcode::constant, .data = value, .qint = q});
  }
  std::int32_t lookup(std::int32_t operand, std::int64_t table) {
    return op(
        {.id0 = operand, .code = tessera::alir::opcode::lookup, .data = table, .qint = bits(32)});
  }
  std::int64_t table(std::initializer_list<std::int32_t> entries) {
    tessera::alir::lookup_table t;
    t.first = model.table_data.size(), t.count = entries.size();
    for (const std::int32_t entry : entries) model.table_data.push_back(entry);
    model.tables.push_back(std::move(t));
    return static_cast<std::int64_t>(model.tables.size()) - 1;
  }
  void output(std::int32_t index, std::int32_t shift = 0, bool negative = false) {
    ++model.n_outputs;
    model.out_idxs.push_back(index);
    model.out_shifts.push_back(shift);
    model.out_negs.push_back(negative ? 1 : 0);
  }

  [[nodiscard]] tessera::alir::program verified() const {
    tessera::result<tessera::alir::program> p = tessera::alir::verify(model);
    if (!p) FAIL("not verified: " << std::string(p.error().name()) << " at " << p.error().offset);
    return std::move(*p);
  }
};

}  // namespace build

#endif  // TESSERA_TESTS_ALIR_BUILD_HPP
