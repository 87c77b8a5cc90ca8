// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "inspect/alir/value_set.hpp"
#include "support/catch.hpp"
#include "tests/alir/build.hpp"
#include "tests/vm/alir/naive.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;
using alir::opcode;
using build::bits;
using build::unsigned_bits;
using inspect::alir_assumption;
using inspect::alir_range;
using inspect::alir_ranges;

namespace {

/// Of the last operation, if inputs keep to their intervals.
[[nodiscard]] alir_range last(const build::sketch& s) {
  const alir::program p = s.verified();
  const alir_ranges r(p, alir_assumption::intervals);
  return r[r.size() - 1];
}
void check(const build::sketch& s, std::int64_t low, std::int64_t high, bool is_reached) {
  const alir_range r = last(s);
  CHECK(r.low == low);
  CHECK(r.high == high);
  CHECK(r.is_reached == is_reached);
}

/// Every choice of inputs, each within the interval of the one operation that reads it.
template <class Visit>
void for_each_input(const alir::program& p, Visit visit) {
  const alir::model& m = p.model();
  std::vector<alir_range> ranges(static_cast<std::size_t>(m.n_inputs));
  std::vector<int> fraction(ranges.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    if (m.ops[i].code == opcode::input) {
      ranges[static_cast<std::size_t>(m.ops[i].id0)] = inspect::declared_range(p, i);
      fraction[static_cast<std::size_t>(m.ops[i].id0)] = p.type(i).f;
    }
  std::vector<std::int64_t> at;
  for (const alir_range& r : ranges) at.push_back(r.low);
  std::vector<double> in(at.size());
  for (std::size_t j = 0;;) {
    for (std::size_t k = 0; k < at.size(); ++k)
      in[k] = std::ldexp(static_cast<double>(at[k]), -fraction[k] - m.inp_shifts[k]);
    visit(in);
    for (j = 0; j < at.size() && at[j] == ranges[j].high; ++j) at[j] = ranges[j].low;
    if (j == at.size()) return;
    ++at[j];
  }
}

/// What exhaustive runs give for each operation.
[[nodiscard]] std::vector<alir_range> measured(const alir::program& p) {
  std::vector<alir_range> out(p.size(), {INT64_MAX, INT64_MIN, false, false});
  for_each_input(p, [&](const std::vector<double>& in) {
    const naive::evaluation e = naive::evaluate(p.model(), in);
    for (std::size_t i = 0; i < e.values.size(); ++i) {
      out[i].low = std::min(out[i].low, e.values[i]);
      out[i].high = std::max(out[i].high, e.values[i]);
    }
  });
  return out;
}

/// Random programs in which each value is used once, so that operands have nothing in common.
class tree {
 public:
  explicit tree(std::uint64_t seed) : draw_(seed) {}

  [[nodiscard]] build::sketch make() {
    s_.model.spec_version = 4;
    const int inputs = draw_.small(1, 3);
    for (int j = 0; j < inputs; ++j) unused_.push_back(s_.input(narrow(), draw_.small(-2, 2)));
    const int count = draw_.small(1, 6);
    for (int k = 0; k < count; ++k) add();
    s_.output(unused_.back());
    return std::move(s_);
  }

 private:
  [[nodiscard]] alir::interval narrow() {
    const double step = std::ldexp(1.0, draw_.small(-1, 2));
    const int low = draw_.small(-6, 3), high = low + draw_.small(0, 6);
    return {low * step, high * step, step};
  }
  [[nodiscard]] std::int32_t take() {
    const auto at = unused_.begin() + draw_.small(0, static_cast<int>(unused_.size()) - 1);
    const std::int32_t id = *at;
    unused_.erase(at);
    return id;
  }
  [[nodiscard]] std::int32_t operand() {
    if (!unused_.empty()) return take();
    return s_.constant(draw_.small(-5, 5), bits(10, draw_.small(0, 1)));
  }
  [[nodiscard]] int f_of(std::int32_t id) const {
    return alir::type_of(s_.model.ops[static_cast<std::size_t>(id)].qint).f;
  }

  void add() {
    const opcode code =
        draw_.one_of({opcode::negate, opcode::add, opcode::subtract, opcode::relu, opcode::quantize,
                      opcode::add_constant, opcode::mux, opcode::multiply, opcode::bit_unary,
                      opcode::bit_binary, opcode::sum, opcode::lookup});
    alir::operation o;
    o.code = code;
    int f = 0;
    if (code == opcode::sum) {
      const int n = draw_.small(2, 3);
      std::vector<alir::term> terms;
      for (int k = 0; k < n; ++k) {
        terms.push_back({operand(), draw_.small(-1, 1), draw_.chance(50)});
        f = std::max(f, f_of(terms.back().id) - terms.back().shift);
      }
      o.id0 = static_cast<std::int32_t>(s_.model.terms.size()), o.id1 = n;
      for (const alir::term& t : terms) s_.model.terms.push_back(t);
    } else {
      o.id0 = operand();
      f = f_of(o.id0);
    }
    switch (code) {
      case opcode::add:
      case opcode::subtract:
        o.id1 = operand(), o.data = draw_.small(-2, 2);
        f = std::max<int>(f, f_of(o.id1) - static_cast<int>(o.data));
        break;
      case opcode::add_constant: o.data = draw_.small(-9, 9), o.shift = draw_.small(-1, 2); break;
      case opcode::mux:
        o.id1 = operand(), o.data = operand();
        o.shift = f_of(o.id1) - f;  // so that only the result's scale counts
        break;
      case opcode::multiply: o.id1 = operand(), f += f_of(o.id1); break;
      case opcode::lookup: {
        // A table for all that the operand's type can be.
        const alir::fixed_type t =
            alir::type_of(s_.model.ops[static_cast<std::size_t>(o.id0)].qint);
        if (t.width() > 6) return give_back(o.id0);
        alir::interval& q = s_.model.ops[static_cast<std::size_t>(o.id0)].qint;
        if (t.width() != 0) q = t.k ? bits(t.width(), t.f) : unsigned_bits(t.width(), t.f);
        alir::lookup_table table;
        table.first = s_.model.table_data.size(), table.count = std::uint64_t{1} << t.width();
        for (std::uint64_t k = 0; k < table.count; ++k)
          s_.model.table_data.push_back(draw_.small(-20, 20));
        s_.model.tables.push_back(table);
        o.data = static_cast<std::int64_t>(s_.model.tables.size()) - 1;
        break;
      }
      case opcode::bit_unary:
        o.data = draw_.small(0, 2);
        if (o.data != 0) f = 0;
        break;
      case opcode::bit_binary:
        o.id1 = operand(), o.data = draw_.between(0, 2) << 24;
        o.shift = f_of(o.id1) - f;
        break;
      case opcode::relu:
      case opcode::quantize: f += draw_.small(-2, 1); break;
      case opcode::negate:
      case opcode::sum:
      case opcode::input:
      case opcode::constant: break;
    }
    const int width = code == opcode::relu || code == opcode::quantize || code == opcode::mux
                          ? draw_.small(2, 6)
                          : 40;
    o.qint = draw_.chance(70) ? bits(width, f) : unsigned_bits(width, f);
    unused_.push_back(s_.op(o));
  }
  void give_back(std::int32_t id) { unused_.push_back(id); }

  random_program::generator draw_;
  build::sketch s_;
  std::vector<std::int32_t> unused_;
};

}  // namespace

TEST_CASE("alir/ranges: each opcode, with both ends", "[inspect_alir]") {
  build::sketch s;
  const std::int32_t x = s.input({-3, 4, 1}), y = s.input({1, 5, 0.5});
  SECTION("input") { check(s, 2, 10, true); }
  SECTION("negate") {
    s.op({.id0 = x, .code = opcode::negate, .qint = bits(8)});
    check(s, -4, 3, true);
  }
  SECTION("add") {  // in halves: 2·[-3, 4] + [2, 10]·4
    s.op({.id0 = x, .id1 = y, .code = opcode::add, .data = 2, .qint = bits(8, 1)});
    check(s, 2, 48, true);
  }
  SECTION("add, dropping a bit") {
    s.op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = bits(8, 0)});
    check(s, -2, 9, true);
  }
  SECTION("subtract") {
    s.op({.id0 = x, .id1 = y, .code = opcode::subtract, .data = 0, .qint = bits(8, 1)});
    check(s, -16, 6, true);
  }
  SECTION("add_constant") {
    s.op({.id0 = x, .code = opcode::add_constant, .shift = 1, .data = 3, .qint = bits(8, 1)});
    check(s, -3, 11, true);
  }
  SECTION("constant") {
    s.constant(77, bits(8));
    check(s, 77, 77, true);
  }
  SECTION("relu") {
    s.op({.id0 = x, .code = opcode::relu, .qint = unsigned_bits(4)});
    check(s, 0, 4, true);
  }
  SECTION("relu into a type that wraps around") {
    s.op({.id0 = x, .code = opcode::relu, .qint = bits(3)});
    check(s, -4, 3, true);
  }
  SECTION("quantize") {
    s.op({.id0 = y, .code = opcode::quantize, .qint = unsigned_bits(3, 0)});
    check(s, 1, 5, true);
  }
  SECTION("quantize, around once") {
    s.op({.id0 = y, .code = opcode::quantize, .qint = unsigned_bits(2, 0)});
    check(s, 0, 3, true);
  }
  SECTION("quantize, to a part of the next turn") {
    const std::int32_t z = s.input({9, 11, 1});
    s.op({.id0 = z, .code = opcode::quantize, .qint = unsigned_bits(3, 0)});
    check(s, 1, 3, true);
  }
  SECTION("mux") {
    s.op({.id0 = y, .id1 = y, .code = opcode::mux, .shift = 1, .data = x, .qint = bits(7, 1)});
    check(s, 2, 20, true);
  }
  SECTION("mux whose condition has one value") {
    const std::int32_t c = s.constant(-1, bits(4));
    s.op({.id0 = y, .id1 = y, .code = opcode::mux, .shift = 1, .data = c, .qint = bits(7, 1)});
    check(s, 2, 10, true);
  }
  SECTION("mux whose condition has no bits") {
    const std::int32_t c = s.op({.id0 = x, .code = opcode::quantize, .qint = {0, 0, 1}});
    s.op({.id0 = y, .id1 = y, .code = opcode::mux, .shift = 1, .data = c, .qint = bits(7, 1)});
    check(s, 4, 20, true);
  }
  SECTION("multiply") {
    s.op({.id0 = x, .id1 = y, .code = opcode::multiply, .qint = bits(8, 1)});
    check(s, -30, 40, true);
  }
  SECTION("square") {
    s.op({.id0 = x, .id1 = x, .code = opcode::multiply, .qint = bits(8)});
    check(s, 0, 16, true);
  }
  SECTION("lookup") {
    const auto table = s.table({5, 1, 9, 2, 2, 2, 2, 3});
    s.lookup(x, table);
    check(s, 1, 9, true);
  }
  SECTION("lookup in a part of a table") {
    const std::int32_t q = s.op({.id0 = x, .code = opcode::relu, .qint = bits(4)});
    const auto table = s.table({99, 99, 99, 99, 99, 99, 99, 99, 5, 1, 3, 2, 4, 99});
    s.lookup(q, table);
    check(s, 1, 5, true);
  }
  SECTION("not") {
    s.op({.id0 = x, .code = opcode::bit_unary, .data = 0, .qint = bits(4)});
    check(s, -5, 2, true);
  }
  SECTION("not of an unsigned value") {
    s.op({.id0 = y, .code = opcode::bit_unary, .data = 0, .qint = unsigned_bits(4, 1)});
    check(s, 5, 13, true);
  }
  SECTION("any") {
    s.op({.id0 = x, .code = opcode::bit_unary, .data = 1, .qint = {0, 1, 1}});
    check(s, 0, 1, true);
  }
  SECTION("any of what is never 0") {
    s.op({.id0 = y, .code = opcode::bit_unary, .data = 1, .qint = {0, 1, 1}});
    check(s, 1, 1, true);
  }
  SECTION("all of what never has all bits") {
    s.op({.id0 = y, .code = opcode::bit_unary, .data = 2, .qint = {0, 1, 1}});
    check(s, 0, 0, true);
  }
  SECTION("and") {
    const std::int32_t c = s.constant(6, unsigned_bits(3));
    s.op({.id0 = x, .id1 = c, .code = opcode::bit_binary, .data = 0, .qint = unsigned_bits(3)});
    check(s, 0, 6, true);
  }
  SECTION("sum") {
    s.model.terms.push_back({x, 1, false}), s.model.terms.push_back({y, 0, true});
    s.op({.id0 = 0, .id1 = 2, .code = opcode::sum, .qint = bits(8, 1)});
    s.model.spec_version = 4;
    check(s, -22, 14, true);
  }
}

TEST_CASE("alir/ranges: operands that depend on the same input", "[inspect_alir]") {
  build::sketch s;
  const std::int32_t x = s.input(bits(4)), y = s.input(bits(4));
  SECTION("x - x/8") {
    s.op({.id0 = x, .id1 = x, .code = opcode::subtract, .data = -3, .qint = bits(8, 3)});
    check(s, -56, 49, true);
  }
  SECTION("(x + y) - x, of which only y's interval is declared") {
    const auto sum = s.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = bits(5)});
    s.op({.id0 = sum, .id1 = x, .code = opcode::subtract, .qint = bits(4)});
    check(s, -8, 7, true);
  }
  SECTION("likewise, in a type that leaves room: no reason to look closer") {
    const auto sum = s.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = bits(5)});
    s.op({.id0 = sum, .id1 = x, .code = opcode::subtract, .qint = bits(8)});
    check(s, -23, 22, false);
  }
  SECTION("|x|") {
    const auto n = s.op({.id0 = x, .code = opcode::negate, .qint = {-7, 8, 1}});
    s.op({.id0 = n, .id1 = x, .code = opcode::mux, .data = x, .qint = {0, 8, 1}});
    check(s, 0, 8, false);
  }
  SECTION("the greater one of x and y + 1") {
    const auto z =
        s.op({.id0 = y, .code = opcode::add_constant, .shift = 0, .data = 1, .qint = {-7, 8, 1}});
    const auto d = s.op({.id0 = x, .id1 = z, .code = opcode::subtract, .qint = bits(6)});
    s.op({.id0 = z, .id1 = x, .code = opcode::mux, .data = d, .qint = {-7, 8, 1}});
    check(s, -7, 8, false);
  }
  SECTION("min(x, 3)") {
    const auto three = s.constant(3, {3, 3, 1});
    const auto d =
        s.op({.id0 = x, .code = opcode::add_constant, .shift = 0, .data = -3, .qint = {-11, 4, 1}});
    s.op({.id0 = x, .id1 = three, .code = opcode::mux, .data = d, .qint = {-8, 3, 1}});
    check(s, -8, 3, false);
  }
  SECTION("a sum that drops bits which are always 0") {  // ((4x + y) - y) / 4 - x
    const auto a = s.op({.id0 = y, .id1 = x, .code = opcode::add, .data = 2, .qint = bits(7)});
    const auto b = s.op({.id0 = a, .id1 = y, .code = opcode::subtract, .qint = {-32, 28, 4}});
    s.op({.id0 = b, .id1 = x, .code = opcode::subtract, .data = 2, .qint = {0, 0, 1}});
    check(s, 0, 0, true);
  }
}

TEST_CASE("alir/ranges: what isn't known to be reached isn't said to be", "[inspect_alir]") {
  build::sketch s;
  SECTION("gaps between the values of a sum") {  // 0, 1, 2 and 4, 5, 6 modulo 4
    const auto last_of = GENERATE(2, 3);
    const auto x = s.input({0, double(last_of), 1}), y = s.input({0, 1, 1});
    const auto sum = s.op({.id0 = x, .id1 = y, .code = opcode::add, .data = 2, .qint = bits(5)});
    s.op({.id0 = sum, .code = opcode::quantize, .qint = unsigned_bits(2)});
    check(s, 0, 3, last_of == 3);
  }
  SECTION("ends that were cut off") {  // 3·x is never 8
    const auto x = s.input({-3, 3, 1});
    const auto three =
        s.op({.id0 = x, .id1 = x, .code = opcode::add, .data = 1, .qint = {-8, 8, 1}});
    s.op({.id0 = three, .code = opcode::negate, .qint = bits(6)});
    check(s, -8, 8, false);
  }
  SECTION("inputs beyond what a double holds") {
    const auto width = GENERATE(54, 55);
    s.input(bits(width));
    check(s, INT64_MIN >> (64 - width), INT64_MAX >> (64 - width), width == 54);
  }
  SECTION("a condition that may never change") {  // x·x + x is never negative
    const auto x = s.input({-8, 7, 1}), y = s.input({-4, 3, 1}), z = s.input({9, 9, 1});
    const auto square = s.op({.id0 = x, .id1 = x, .code = opcode::multiply, .qint = {0, 64, 1}});
    const auto c = s.op({.id0 = square, .id1 = x, .code = opcode::add, .qint = {-8, 71, 1}});
    s.op({.id0 = z, .id1 = y, .code = opcode::mux, .data = c, .qint = bits(6)});
    check(s, -4, 9, false);
  }
}

TEST_CASE("alir/ranges: a condition's bit begins at -1", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(bits(4));
  const auto n = s.op({.id0 = x, .code = opcode::bit_unary, .data = 0, .qint = bits(4)});
  s.op({.id0 = n, .id1 = x, .code = opcode::mux, .data = x, .qint = {0, 8, 1}});
  check(s, 0, 7, false);
}

TEST_CASE("alir/ranges: bits that are dropped and aren't always 0 count", "[inspect_alir]") {
  build::sketch s;  // floor((4x - y) / 4) - x is floor(-y / 4)
  const std::int32_t x = s.input(bits(4)), y = s.input(bits(4));
  const auto a = s.op({.id0 = x, .code = opcode::quantize, .shift = 2, .qint = bits(6)});
  const auto b = s.op({.id0 = a, .id1 = y, .code = opcode::subtract, .qint = bits(5, -2)});
  s.op({.id0 = b, .id1 = x, .code = opcode::subtract, .data = 2, .qint = {0, 0, 1}});
  s.model.spec_version = 4;
  const alir::program p = s.verified();
  const std::vector<alir_range> found = measured(p);
  const alir_ranges r(p, alir_assumption::intervals);
  CHECK(found[4].within(r[4]));
  CHECK((found[4].low == -2 * 4 && found[4].high == 2 * 4));
}

TEST_CASE("alir/ranges: what exceeds its interval begins once", "[inspect_alir]") {
  build::sketch s;
  const std::int32_t x = s.input(bits(4));
  const auto two = s.op({.id0 = x, .id1 = x, .code = opcode::add, .qint = bits(4)});
  const auto four = s.op({.id0 = two, .id1 = two, .code = opcode::add, .qint = bits(5)});
  s.output(four);
  const alir::program p = s.verified();
  const alir_ranges kept(p, alir_assumption::intervals);
  CHECK((kept[1].low == -16 && kept[1].high == 14));
  CHECK((kept[2].low == -16 && kept[2].high == 12));  // of [-8, 7], on the grid of 2: up to 6
  const alir_ranges free(p);
  CHECK((free[2].low == -32 && free[2].high == 28));
}

TEST_CASE("alir/ranges: 64 bits that aren't enough", "[inspect_alir]") {
  build::sketch s;
  const std::int32_t x = s.input(bits(63));
  SECTION("just enough") {
    s.op({.id0 = x, .id1 = x, .code = opcode::add, .qint = bits(64)});
    const alir_range r = last(s);
    CHECK(r.low == INT64_MIN);
    CHECK(!r.may_wrap);
  }
  SECTION("one bit too few") {
    s.op({.id0 = x, .id1 = x, .code = opcode::add, .data = 1, .qint = bits(64)});
    const alir_range r = last(s);
    CHECK((r.low == INT64_MIN && r.high == INT64_MAX && r.may_wrap));
  }
}

TEST_CASE("alir/ranges: declared bounds are rounded to the grid and cut to the type",
          "[inspect_alir]") {
  build::sketch s;
  s.input({-1.3, 1.2, 0.5});
  s.input({0, 0x1p24, 1});  // 2^24 + 1 values: the format's rule finds 24 bits
  const alir::program p = s.verified();
  CHECK((inspect::declared_range(p, 0).low == -3 && inspect::declared_range(p, 0).high == 2));
  CHECK(inspect::declared_range(p, 1).high == (1 << 24) - 1);
}

TEST_CASE("alir/ranges: bit operations are exact on all small ranges", "[inspect_alir]") {
  using alir::binary_bits;
  const auto set = [](std::int64_t low, std::int64_t high, std::uint64_t input) {
    inspect::value_set x = inspect::somewhere({low, high}, input);
    x.ends = x.full = true;
    return x;
  };
  for (std::int64_t al = -5; al <= 5; ++al)
    for (std::int64_t ah = al; ah <= 5; ++ah)
      for (std::int64_t bl = -5; bl <= 5; ++bl)
        for (std::int64_t bh = bl; bh <= 5; ++bh)
          for (const auto what :
               {binary_bits::conjunction, binary_bits::disjunction, binary_bits::exclusive}) {
            std::int64_t low = INT64_MAX, high = INT64_MIN;
            for (std::int64_t a = al; a <= ah; ++a)
              for (std::int64_t b = bl; b <= bh; ++b) {
                const std::int64_t v = what == binary_bits::conjunction   ? a & b
                                       : what == binary_bits::disjunction ? a | b
                                                                          : a ^ b;
                low = std::min(low, v), high = std::max(high, v);
              }
            const inspect::value_set x = inspect::bitwise(what, set(al, ah, 1), set(bl, bh, 2));
            if (x.r.low != low || x.r.high != high || !x.ends)
              FAIL(int(what) << " of [" << al << ", " << ah << "] and [" << bl << ", " << bh
                             << ']');
          }
}

TEST_CASE("alir/ranges: without common inputs both ends are values", "[inspect_alir]") {
  std::map<opcode, int> exact, all;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const alir::program p = tree(seed).make().verified();
    const alir_ranges r(p, alir_assumption::nothing), kept(p, alir_assumption::intervals);
    const std::vector<alir_range> found = measured(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      INFO("seed " << seed << ", operation " << i);
      if (found[i].low > found[i].high) continue;
      REQUIRE(found[i].within(r[i]));
      ++all[p.op(i).code];
      bool promised = true;  // by all operations before
      for (std::size_t k = 0; k < i; ++k) promised = promised && found[k].within(kept.declared(k));
      if (!promised) continue;
      REQUIRE(found[i].within(kept[i]));
      if (!kept[i].is_reached) continue;
      ++exact[p.op(i).code];
      REQUIRE(kept[i].low == found[i].low);
      REQUIRE(kept[i].high == found[i].high);
    }
  }
  for (const alir::opcode_row& row : alir::opcode_table) {
    INFO(std::string(row.name) << ": " << exact[row.code] << " of " << all[row.code]);
    CHECK(exact[row.code] * 10 >= all[row.code] * 6);
    CHECK(all[row.code] > 300);
  }
}

TEST_CASE("alir/ranges: every value of every run lies in its range", "[inspect_alir]") {
  std::size_t checked = 0, promises = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    random_program::options how{.seed = seed, .max_ops = 60, .may_trap = true};
    if (seed % 3 == 0) how.density = random_program::mix::dense;
    result<alir::program> p = alir::verify(random_program::make(how));
    REQUIRE(p);
    const alir_ranges any(*p), kept(*p, alir_assumption::intervals);
    const auto n = static_cast<std::size_t>(p->model().n_inputs);
    const std::vector<double> in = random_program::inputs(p->model(), seed, 12);
    for (std::size_t s = 0; s < 12; ++s) {
      const naive::evaluation e = naive::evaluate(p->model(), std::span(in).subspan(s * n, n));
      bool promised = true;
      for (std::size_t i = 0; i < e.values.size(); ++i) {
        INFO("seed " << seed << ", operation " << i);
        REQUIRE(any[i].contains(e.values[i]));
        if (promised && p->op(i).code != opcode::input) {
          REQUIRE(kept[i].contains(e.values[i]));
          ++promises;
        }
        promised = promised && kept.declared(i).contains(e.values[i]);
        ++checked;
      }
    }
  }
  CHECK(checked > 20000);
  CHECK(promises > 3000);
}
