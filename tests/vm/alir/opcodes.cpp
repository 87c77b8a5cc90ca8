// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What every opcode computes, against values worked out by hand.

#include "alir/alir.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "alir/build.hpp"
#include "support/catch.hpp"
#include "tessera/vm/alir.hpp"

namespace {

using build::bits;
using build::unsigned_bits;
using tessera::alir::interval;
using tessera::alir::opcode;
using tessera::alir::operation;

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double tiny = std::numeric_limits<double>::denorm_min();

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// The value that the last operation of a program writes, in each of three samples; empty when it
/// traps or when the samples differ.
std::optional<std::int64_t> last_value(const build::sketch& p, const std::vector<double>& sample) {
  tessera::vm::alir::observed_machine vm(p.verified());
  std::vector<double> in;
  for (int copy = 0; copy < 3; ++copy) in.insert(in.end(), sample.begin(), sample.end());
  std::vector<double> out(static_cast<std::size_t>(p.model.n_outputs) * 3);
  std::vector<std::int64_t> seen;
  const auto done = vm.run(in, out, 3, {}, [&](const tessera::vm::alir::event& at) {
    if (at.operation + 1 == p.model.ops.size())
      seen.insert(seen.end(), at.values.begin(), at.values.end());
  });
  if (!done || seen.size() != 3 || seen[0] != seen[1] || seen[0] != seen[2]) return std::nullopt;
  return seen[0];
}

/// An operand: a value and the type that it is said to have.
struct operand {
  std::int64_t value;
  interval q;
};

/// Whether an input can produce the operand: its type holds it, and so does a double.
bool fits_input(const operand& x) {
  const double real = static_cast<double>(x.value) * x.q.step;
  return x.value > -(std::int64_t{1} << 53) && x.value < std::int64_t{1} << 53 && real >= x.q.min &&
         real <= x.q.max && !(x.q.min == 0 && x.q.max == 0) && x.q.max >= x.q.step;
}

/// One row of a table below: operation(operands) gives `expected` at the type of `own`.
struct row {
  operation op;  ///< ids are filled in
  std::vector<operand> operands;
  interval own;
  std::int64_t expected;
  std::vector<tessera::alir::term> terms;  ///< of a sum; term i takes operand `id`
};

/// Runs a row with constants as operands, and with inputs.
void check(const std::vector<row>& rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const row& now = rows[r];
    for (const bool from_inputs : {false, true}) {
      build::sketch p;
      std::vector<double> sample;
      for (const operand& x : now.operands) {
        if (from_inputs && fits_input(x)) {
          p.input(x.q);
          sample.push_back(static_cast<double>(x.value) * x.q.step);
        } else {
          p.constant(x.value, x.q);
        }
      }
      operation op = now.op;
      op.id0 = 0;
      if (op.code == opcode::mux) op.data = 2;
      if (op.code == opcode::sum) {
        op.id1 = static_cast<std::int32_t>(now.terms.size());
        p.model.terms.append(now.terms.data(), now.terms.size());
      } else if (now.operands.size() > 1) {
        op.id1 = 1;
      }
      op.qint = now.own;
      p.op(op);
      INFO("row " << r << (from_inputs ? ", from inputs" : ", from constants"));
      CHECK(last_value(p, sample) == std::optional(now.expected));
    }
  }
}

operation op(opcode code, std::int64_t data = 0, std::int32_t shift = 0) {
  return {.code = code, .shift = shift, .data = data, .qint = {}};
}

}  // namespace

TEST_CASE("vm/alir: input floors, then wraps into its type", "[vm_alir]") {
  struct input_row {
    double x;
    std::int32_t shift;
    interval own;
    std::int64_t expected;
  };
  const double two_24 = 16777216.0;
  const std::int32_t far = std::numeric_limits<std::int32_t>::max();
  const input_row rows[] = {
      {0.49, 0, bits(4, 1), 0},
      {-0.1, 0, bits(4, 1), -1},
      {3.5, 0, bits(4, 1), 7},
      {4.0, 0, bits(4, 1), -8},
      {-4.5, 0, bits(4, 1), 7},
      {100.25, 0, bits(4, 1), -8},
      {7.999, 0, unsigned_bits(3), 7},
      {8.0, 0, unsigned_bits(3), 0},
      {-1.0, 0, unsigned_bits(3), 7},
      {-0.0, 0, unsigned_bits(3), 0},
      {13.0, 0, bits(4, -2), 3},
      {-13.0, 0, bits(4, -2), -4},
      {0.3, 0, unsigned_bits(2, 4), 0},  // 4.8, two bits of it
      {0.13, 0, unsigned_bits(2, 4), 2},
      {3.0, 2, unsigned_bits(4), 12},
      {3.0, -1, unsigned_bits(4), 1},
      {5.0, 0, {0, 0, 1}, 0},
      {5.0, 0, {-0.0, 0, 1}, 0},
      {5.0, 0, unsigned_bits(0, 3), 0},
      // The width comes from a float: 2^24 + 1 codes have 24 bits, 2^24 + 2 have 25.
      {two_24, 0, {0, two_24, 1}, 0},
      {two_24, 0, {0, two_24 + 1, 1}, 16777216},
      // What no int64 holds is its lowest value, of which a narrower type keeps zeros.
      {not_a_number, 0, bits(8), 0},
      {infinity, 0, bits(8), 0},
      {-infinity, 0, bits(8), 0},
      {1e300, 0, bits(8), 0},
      {0x1p63, 0, unsigned_bits(63), 0},
      {not_a_number, 0, bits(64), lowest},
      {infinity, 0, bits(64), lowest},
      {-infinity, 0, bits(64), lowest},
      {-1e300, 0, bits(64), lowest},
      {0x1p63, 0, bits(64), lowest},
      {-0x1p63, 0, bits(64), lowest},
      {0x1.fffffffffffffp62, 0, bits(64), 0x7ffffffffffffc00},
      {-0x1p62, 0, bits(63), -0x4000000000000000},
      {0x1p62, 0, bits(63), -0x4000000000000000},
      {tiny, 0, bits(8), 0},
      {-tiny, 0, bits(8), -1},
      {-tiny, 0, unsigned_bits(3), 7},
      {-tiny, -1, bits(8), 0},  // half of it rounds to -0.0 before it is floored
      {tiny, 1080, bits(8), 64},
      {0x1p1000, -1000, bits(8), 1},
      {0x1p1023, -1080, bits(8), 0},
      {-0x1p1023, -1080, bits(8), -1},
      {0.0, far, bits(64), 0},
      {1.0, far, bits(64), lowest},
      {1.0, -far - 1, bits(64), 0},
      {-1.0, -far - 1, bits(64), 0},
  };
  for (std::size_t r = 0; r < std::size(rows); ++r) {
    build::sketch p;
    p.input(rows[r].own, rows[r].shift);
    INFO("row " << r);
    CHECK(last_value(p, {rows[r].x}) == std::optional(rows[r].expected));
  }
}

TEST_CASE("vm/alir: negate", "[vm_alir]") {
  check({
      {op(opcode::negate), {{5, bits(4)}}, bits(5), -5, {}},
      {op(opcode::negate), {{-8, bits(4)}}, bits(4), 8, {}},  // its own type isn't enforced
      {op(opcode::negate), {{0, bits(4)}}, bits(4), 0, {}},
      {op(opcode::negate), {{3, unsigned_bits(2, 5)}}, bits(3, -2), -3, {}},
      {op(opcode::negate), {{lowest, bits(64)}}, bits(64), lowest, {}},
  });
}

TEST_CASE("vm/alir: add and subtract align, combine, and drop bits downward", "[vm_alir]") {
  const interval q = bits(8), half = bits(8, 1), quarter = bits(8, 2), four = bits(8, -2);
  check({
      {op(opcode::add), {{5, half}, {3, half}}, half, 8, {}},
      {op(opcode::subtract), {{5, half}, {3, half}}, half, 2, {}},
      {op(opcode::add, 2), {{5, q}, {3, q}}, q, 17, {}},
      {op(opcode::subtract, 2), {{5, q}, {3, q}}, q, -7, {}},
      {op(opcode::add, -1), {{5, q}, {3, q}}, half, 13, {}},
      {op(opcode::subtract, -1), {{5, q}, {3, q}}, half, 7, {}},
      {op(opcode::add, -1), {{5, q}, {3, q}}, q, 6, {}},
      {op(opcode::add, -1), {{-5, q}, {3, q}}, q, -4, {}},  // -7 / 2
      {op(opcode::subtract, -1), {{-5, q}, {3, q}}, q, -7, {}},
      {op(opcode::add, -1), {{5, q}, {3, q}}, bits(8, 3), 52, {}},  // finer than exact
      {op(opcode::subtract, -1), {{-5, q}, {3, q}}, bits(8, 3), -52, {}},
      {op(opcode::add), {{6, quarter}, {1, q}}, quarter, 10, {}},
      {op(opcode::add), {{1, q}, {6, quarter}}, quarter, 10, {}},
      {op(opcode::add), {{1, q}, {3, four}}, q, 13, {}},
      {op(opcode::subtract), {{3, four}, {1, q}}, q, 11, {}},
      {op(opcode::add), {{3, four}, {1, four}}, q, 16, {}},
      {op(opcode::add), {{7, {0, 0, 1}}, {3, q}}, q, 10, {}},
      {op(opcode::add), {{100, q}, {100, q}}, q, 200, {}},  // not wrapped
      {op(opcode::add), {{highest, bits(64)}, {1, q}}, bits(64), lowest, {}},
      {op(opcode::subtract), {{lowest, bits(64)}, {1, q}}, bits(64), highest, {}},
      {op(opcode::add, 63), {{1, q}, {1, q}}, q, lowest + 1, {}},
      {op(opcode::add, 63), {{1, q}, {2, q}}, q, 1, {}},
      {op(opcode::subtract, 63), {{1, q}, {1, q}}, q, lowest + 1, {}},
      {op(opcode::add, -63), {{1, q}, {7, q}}, bits(8, 63), lowest + 7, {}},
      {op(opcode::add, -63), {{1, q}, {7, q}}, q, -1, {}},
      {op(opcode::subtract, -63), {{2, q}, {7, q}}, bits(8, 63), -7, {}},
      {op(opcode::add), {{1, q}, {1, q}}, bits(8, 62), lowest, {}},
  });
}

TEST_CASE("vm/alir: relu, then its type", "[vm_alir]") {
  check({
      {op(opcode::relu), {{7, bits(8)}}, bits(4), 7, {}},
      {op(opcode::relu), {{9, bits(8)}}, bits(4), -7, {}},
      {op(opcode::relu), {{-3, bits(8)}}, bits(4), 0, {}},
      {op(opcode::relu), {{13, bits(8, 2)}}, unsigned_bits(4), 3, {}},
      {op(opcode::relu), {{-13, bits(8, 2)}}, unsigned_bits(4), 0, {}},
      {op(opcode::relu), {{3, bits(8)}}, unsigned_bits(6, 2), 12, {}},
      {op(opcode::relu), {{9, bits(8)}}, {0, 0, 1}, 0, {}},
      {op(opcode::relu), {{lowest, bits(64)}}, bits(64), 0, {}},
      {op(opcode::relu), {{highest, bits(64)}}, bits(64), highest, {}},
      {op(opcode::relu), {{highest, bits(64, 63)}}, bits(64), 0, {}},
      {op(opcode::relu), {{1, bits(4)}}, bits(64, 63), lowest, {}},
  });
}

TEST_CASE("vm/alir: quantize shifts, floors and wraps", "[vm_alir]") {
  check({
      {op(opcode::quantize), {{-13, bits(8, 2)}}, bits(8), -4, {}},
      {op(opcode::quantize), {{5, bits(8)}}, bits(3), -3, {}},
      {op(opcode::quantize), {{-1, bits(8)}}, unsigned_bits(3), 7, {}},
      {op(opcode::quantize), {{-5, bits(8)}}, bits(3), 3, {}},
      {op(opcode::quantize), {{3, bits(8)}}, bits(8, 2), 12, {}},
      {op(opcode::quantize), {{3, bits(8)}}, {0, 0, 1}, 0, {}},
      {op(opcode::quantize), {{3, bits(8)}}, bits(1), -1, {}},
      {op(opcode::quantize, 0, 1), {{5, bits(8)}}, bits(8), 10, {}},
      {op(opcode::quantize, 0, -1), {{5, bits(8)}}, bits(8), 2, {}},
      {op(opcode::quantize, 0, -1), {{-5, bits(8)}}, bits(8), -3, {}},
      {op(opcode::quantize, 0, 2), {{5, bits(8, 2)}}, bits(8), 5, {}},
      {op(opcode::quantize, 0, 63), {{1, bits(8)}}, bits(64), lowest, {}},
      {op(opcode::quantize, 0, -63), {{lowest, bits(64)}}, bits(64), -1, {}},
      {op(opcode::quantize), {{-1, bits(64)}}, unsigned_bits(63), highest, {}},
      {op(opcode::quantize), {{lowest, bits(64)}}, unsigned_bits(63), 0, {}},
      {op(opcode::quantize), {{lowest, bits(64)}}, bits(64), lowest, {}},
      // An interval that doesn't reach its type's ends still lets them through.
      {op(opcode::quantize), {{-4, bits(8)}}, {-3, 3, 1}, -4, {}},
      {op(opcode::quantize), {{1, bits(8)}}, {3, 5, 1}, 1, {}},
  });
}

TEST_CASE("vm/alir: add_constant", "[vm_alir]") {
  const std::int64_t big = std::int64_t{1} << 40;
  check({
      {op(opcode::add_constant, -3, 2), {{6, bits(8, 1)}}, bits(8, 2), 9, {}},  // 3 - 0.75
      {op(opcode::add_constant, -3, 2), {{6, bits(8, 1)}}, bits(8, 1), 4, {}},
      {op(opcode::add_constant, -3, 2), {{-6, bits(8, 1)}}, bits(8, 1), -8, {}},
      {op(opcode::add_constant, -3, 2), {{6, bits(8, 1)}}, bits(8, 4), 36, {}},
      {op(opcode::add_constant, 3, -2), {{1, bits(8)}}, bits(8), 13, {}},
      {op(opcode::add_constant, big, 0), {{1, bits(8)}}, bits(64), big + 1, {}},
      {op(opcode::add_constant, highest, 0), {{1, bits(8)}}, bits(64), lowest, {}},
      {op(opcode::add_constant, 1, -63), {{5, bits(8)}}, bits(8), lowest + 5, {}},
      {op(opcode::add_constant, 5, 63), {{1, bits(8)}}, bits(8, 63), lowest + 5, {}},
      {op(opcode::add_constant, 0, 0), {{-7, bits(8, 3)}}, bits(8, 3), -7, {}},
  });
}

TEST_CASE("vm/alir: constant", "[vm_alir]") {
  for (const std::int64_t v : {std::int64_t{0}, std::int64_t{-5}, lowest, highest}) {
    build::sketch p;
    p.constant(v, unsigned_bits(1));
    CHECK(last_value(p, {}) == std::optional(v));
  }
}

TEST_CASE("vm/alir: mux looks at the top bit of the condition's type", "[vm_alir]") {
  const operand a{3, bits(8)}, b{5, bits(8)};
  check({
      {op(opcode::mux), {a, b, {-1, bits(4)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {0, bits(4)}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {7, bits(4)}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {4, unsigned_bits(3)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {3, unsigned_bits(3)}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {1, unsigned_bits(1)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {-1, bits(1)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {0, {0, 0, 1}}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {-1, {0, 0, 1}}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {lowest, bits(64)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {highest, bits(64)}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {highest, unsigned_bits(63)}}, bits(8), 3, {}},
      // A value that lies about its type: the bit counts, not the sign.
      {op(opcode::mux), {a, b, {8, unsigned_bits(3)}}, bits(8), 5, {}},
      {op(opcode::mux), {a, b, {4, bits(3)}}, bits(8), 3, {}},
      {op(opcode::mux), {a, b, {-5, bits(3)}}, bits(8), 5, {}},
      // Alignment and the result's type.
      {op(opcode::mux, 0, 2), {a, b, {0, bits(4)}}, bits(8), 20, {}},
      {op(opcode::mux, 0, 2), {a, b, {-1, bits(4)}}, bits(8), 3, {}},
      {op(opcode::mux, 0, -1), {a, b, {0, bits(4)}}, bits(8), 2, {}},
      {op(opcode::mux, 0, -1), {a, {-5, bits(8)}, {0, bits(4)}}, bits(8), -3, {}},
      {op(opcode::mux), {a, {5, bits(8, 2)}, {-1, bits(4)}}, bits(8, 2), 12, {}},
      {op(opcode::mux), {{7, bits(8, 2)}, b, {-1, bits(4)}}, bits(8), 1, {}},
      {op(opcode::mux), {{9, bits(8)}, b, {-1, bits(4)}}, bits(4), -7, {}},
      {op(opcode::mux), {{-1, bits(8)}, b, {-1, bits(4)}}, unsigned_bits(4), 15, {}},
      {op(opcode::mux), {a, b, {-1, bits(4)}}, {0, 0, 1}, 0, {}},
      {op(opcode::mux, 0, 63), {a, b, {0, bits(4)}}, bits(64), lowest, {}},
      {op(opcode::mux, 0, -63), {a, {-5, bits(8)}, {0, bits(4)}}, bits(64), -1, {}},
  });
}

TEST_CASE("vm/alir: multiply keeps the low 64 bits", "[vm_alir]") {
  const std::int64_t two_40 = std::int64_t{1} << 40, root = 3037000500;
  check({
      {op(opcode::multiply), {{3, bits(8, 2)}, {-4, bits(8, 1)}}, bits(16, 3), -12, {}},
      {op(opcode::multiply), {{3, bits(8, 2)}, {-4, bits(8, 1)}}, bits(2, -3), -12, {}},
      {op(opcode::multiply), {{two_40, bits(42)}, {two_40, bits(42)}}, bits(64), 0, {}},
      {op(opcode::multiply),
       {{root, bits(33)}, {root, bits(33)}},
       bits(64),
       -9223372036709301616,
       {}},
      {op(opcode::multiply), {{lowest, bits(64)}, {-1, bits(2)}}, bits(64), lowest, {}},
      {op(opcode::multiply), {{lowest, bits(64)}, {3, bits(3)}}, bits(64), lowest, {}},
  });
}

TEST_CASE("vm/alir: lookup starts at the least code of its operand's interval", "[vm_alir]") {
  struct lookup_row {
    operand x;
    std::optional<std::int64_t> expected;
  };
  const lookup_row rows[] = {
      {{-2, bits(2)}, 10},
      {{1, bits(2)}, 40},
      {{0, bits(2)}, -30},
      {{-3, bits(2)}, std::nullopt},
      {{2, bits(2)}, std::nullopt},
      {{0, unsigned_bits(2)}, 10},
      {{3, unsigned_bits(2)}, 40},
      {{-1, unsigned_bits(2)}, std::nullopt},
      {{4, unsigned_bits(2)}, std::nullopt},
      {{3, {3, 6, 1}}, 10},
      {{6, {3, 6, 1}}, 40},
      {{2, {3, 6, 1}}, std::nullopt},
      {{0, {3, 6, 1}}, std::nullopt},
      {{-2, {-8, 4, 4}}, 10},
      {{1, {-8, 4, 4}}, 40},
      {{-4, {-1, -0.25, 0.25}}, 10},
      {{-1, {-1, -0.25, 0.25}}, 40},
      {{0, {0, 0, 1}}, 10},
      {{3, {0, 0, 1}}, 40},
      {{lowest, bits(2)}, std::nullopt},
      {{highest, unsigned_bits(2)}, std::nullopt},
      // -2.5 codes below zero: 1.5 above the type's least code, -4, rounds to 2.
      {{-2, {-2.5, 1, 1}}, 10},
      {{1, {-2.5, 1, 1}}, 40},
      // 2^24 + 1 codes count as 2^24, so the interval starts one below its type.
      {{-16777217, {-16777217, -16777214, 1}}, 10},
      {{-16777214, {-16777217, -16777214, 1}}, 40},
      {{-16777213, {-16777217, -16777214, 1}}, std::nullopt},
  };
  for (std::size_t r = 0; r < std::size(rows); ++r) {
    build::sketch p;
    p.table({99, 98});
    const std::int64_t table = p.table({10, 20, -30, 40});
    p.table({97});
    p.lookup(p.constant(rows[r].x.value, rows[r].x.q), table);
    INFO("row " << r);
    CHECK(last_value(p, {}) == rows[r].expected);
  }
}

TEST_CASE("vm/alir: bit_unary", "[vm_alir]") {
  const interval flag = {0, 1, 1};
  check({
      {op(opcode::bit_unary, 0), {{5, bits(4)}}, bits(4), -6, {}},
      {op(opcode::bit_unary, 0), {{5, unsigned_bits(4)}}, unsigned_bits(4), 10, {}},
      {op(opcode::bit_unary, 0), {{5, unsigned_bits(4)}}, bits(4), -6, {}},
      {op(opcode::bit_unary, 0), {{-3, bits(4)}}, unsigned_bits(4), 2, {}},
      {op(opcode::bit_unary, 0), {{21, unsigned_bits(4)}}, unsigned_bits(4), 10, {}},
      {op(opcode::bit_unary, 0), {{5, {0, 0, 1}}}, unsigned_bits(4), 0, {}},
      {op(opcode::bit_unary, 0), {{5, bits(64)}}, unsigned_bits(4), -6, {}},
      {op(opcode::bit_unary, 0), {{lowest, bits(64)}}, bits(64), highest, {}},
      {op(opcode::bit_unary, 1), {{0, bits(4)}}, flag, 0, {}},
      {op(opcode::bit_unary, 1), {{-7, bits(4)}}, flag, 1, {}},
      {op(opcode::bit_unary, 1), {{lowest, bits(64)}}, flag, 1, {}},
      {op(opcode::bit_unary, 1), {{16, bits(4)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{7, unsigned_bits(3)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{6, unsigned_bits(3)}}, flag, 0, {}},
      {op(opcode::bit_unary, 2), {{15, unsigned_bits(3)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{7, unsigned_bits(3, 2)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{-1, bits(3)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{3, bits(3)}}, flag, 0, {}},
      {op(opcode::bit_unary, 2), {{0, {0, 0, 1}}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{-1, bits(64)}}, flag, 1, {}},
      {op(opcode::bit_unary, 2), {{highest, bits(64)}}, flag, 0, {}},
      {op(opcode::bit_unary, 2), {{highest, unsigned_bits(63)}}, flag, 1, {}},
  });
}

TEST_CASE("vm/alir: bit_binary aligns and combines all 64 bits", "[vm_alir]") {
  const interval q = bits(8);
  const std::int64_t conjunction = 0, disjunction = 1 << 24, exclusive = 2 << 24;
  check({
      {op(opcode::bit_binary, conjunction), {{12, q}, {10, q}}, q, 8, {}},
      {op(opcode::bit_binary, disjunction), {{12, q}, {10, q}}, q, 14, {}},
      {op(opcode::bit_binary, exclusive), {{12, q}, {10, q}}, q, 6, {}},
      {op(opcode::bit_binary, conjunction), {{-8, q}, {12, q}}, unsigned_bits(1), 8, {}},
      {op(opcode::bit_binary, exclusive), {{-1, q}, {0, q}}, unsigned_bits(2), -1, {}},
      {op(opcode::bit_binary, disjunction, 2), {{1, q}, {1, q}}, q, 5, {}},
      {op(opcode::bit_binary, exclusive, -1), {{3, q}, {1, q}}, q, 7, {}},
      {op(opcode::bit_binary, exclusive), {{3, bits(8, 2)}, {1, q}}, bits(8, 2), 7, {}},
      {op(opcode::bit_binary, exclusive), {{1, q}, {3, bits(8, 2)}}, bits(8, 2), 7, {}},
      {op(opcode::bit_binary, disjunction, 63), {{1, q}, {3, q}}, q, lowest + 1, {}},
      {op(opcode::bit_binary, disjunction, -63), {{3, q}, {1, q}}, q, lowest + 1, {}},
  });
}

TEST_CASE("vm/alir: sum meets at its finest term", "[vm_alir]") {
  const interval q = bits(8), quarter = bits(8, 2);
  check({
      {op(opcode::sum), {{5, q}, {3, q}}, q, -1, {{0, 0, false}, {1, 1, true}}},
      {op(opcode::sum), {{5, q}, {3, q}}, q, -8, {{0, 0, true}, {1, 0, true}}},
      {op(opcode::sum), {{6, quarter}, {1, q}}, quarter, 10, {{0, 0, false}, {1, 0, false}}},
      {op(opcode::sum), {{6, quarter}, {1, q}}, q, 2, {{0, 0, false}, {1, 0, false}}},
      {op(opcode::sum), {{6, quarter}, {1, q}}, bits(8, 4), 40, {{0, 0, false}, {1, 0, false}}},
      {op(opcode::sum), {{-6, quarter}, {-1, q}}, q, -3, {{0, 0, false}, {1, 0, false}}},
      {op(opcode::sum), {{3, q}, {1, q}}, bits(8, 1), 5, {{0, -1, false}, {1, 0, false}}},
      {op(opcode::sum),
       {{3, q}, {1, q}},
       q,
       12,
       {{0, 1, false}, {0, 1, false}, {0, 0, true}, {0, 0, false}}},
      {op(opcode::sum),
       {{3, q}, {1, q}},
       bits(8, -1),
       8,
       {{0, 1, false}, {1, 1, false}, {0, 2, false}, {1, 1, true}, {0, 0, true}, {1, 0, false}}},
      {op(opcode::sum), {{1, q}, {1, q}}, q, lowest + 1, {{0, 63, false}, {1, 0, false}}},
      {op(opcode::sum), {{1, q}, {1, q}}, q, lowest + 1, {{0, 63, true}, {1, 0, false}}},
      {op(opcode::sum),
       {{highest, bits(64)}, {highest, bits(64)}},
       bits(64),
       -2,
       {{0, 0, false}, {1, 0, false}}},
      {op(opcode::sum),
       {{lowest, bits(64)}, {0, q}},
       bits(64),
       lowest,
       {{0, 0, true}, {1, 0, false}}},
  });
}

TEST_CASE("vm/alir: outputs are scaled doubles", "[vm_alir]") {
  struct output_row {
    std::int64_t value;
    int fraction;
    std::int32_t shift;
    bool negative;
    double expected;
  };
  const std::int64_t two_53 = std::int64_t{1} << 53;
  const std::int32_t far = std::numeric_limits<std::int32_t>::max();
  const output_row rows[] = {
      {7, 1, 0, false, 3.5},
      {7, 1, 0, true, -3.5},
      {7, 1, 3, false, 28.0},
      {7, -2, -1, true, -14.0},
      {0, 3, 0, true, 0.0},  // never -0.0
      {0, 3, far, false, 0.0},
      {0, 3, far, true, 0.0},
      {0, 3, -far - 1, true, 0.0},
      {two_53 + 1, 0, 0, false, 0x1p53},  // to the nearest double, ties to even
      {two_53 + 3, 0, 0, false, 0x1p53 + 4},
      {-two_53 - 3, 0, 0, true, 0x1p53 + 4},
      {highest, 0, 0, false, 0x1p63},
      {lowest, 0, 0, true, -0x1p63},  // wraps
      {1, 0, 2000, false, infinity},
      {1, 0, 2000, true, -infinity},
      {1, 0, far, true, -infinity},
      {1, 0, -2000, false, 0.0},
      {1, 0, -2000, true, -0.0},  // a negative number underflows
      {1, 0, -far - 1, true, -0.0},
      {3, 0, -1075, false, 2 * tiny},
      {1, 100, -974, false, tiny},
      {std::int64_t{1} << 60, 0, -1100, false, 0x1p-1040},
      {1, 120, 1140, false, 0x1p1020},
  };
  for (std::size_t r = 0; r < std::size(rows); ++r) {
    build::sketch p;
    p.output(p.constant(rows[r].value, bits(8, rows[r].fraction)), rows[r].shift, rows[r].negative);
    tessera::vm::alir::machine vm(p.verified());
    double out = not_a_number;
    INFO("row " << r);
    CHECK(vm.run({}, {&out, 1}, 1));
    CHECK(same_bits(out, rows[r].expected));
  }
}

TEST_CASE("vm/alir: a negative output index is zero", "[vm_alir]") {
  for (const std::int32_t index : {-1, -5, std::numeric_limits<std::int32_t>::min()}) {
    build::sketch p;
    p.input(bits(8));
    p.output(index, 5, true);
    tessera::vm::alir::machine vm(p.verified());
    const double in[] = {3, 4};
    double out[] = {not_a_number, not_a_number};
    CHECK(vm.run(in, out, 2));
    CHECK(same_bits(out[0], 0.0));
    CHECK(same_bits(out[1], 0.0));
  }
}
