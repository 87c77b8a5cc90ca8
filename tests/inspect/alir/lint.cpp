// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/lint.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "tessera/inspect/alir/ranges.hpp"
#include "tests/alir/build.hpp"
#include "tests/vm/alir/naive.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;
using alir::opcode;
using build::bits;
using build::unsigned_bits;

namespace {

struct finding {
  std::string rule, text, note;
  bool is_warning;
  std::uint64_t operation;
};
[[nodiscard]] std::vector<finding> lint(const alir::program& p) {
  report found;
  inspect::lint(p, found);
  CHECK(found.errors == 0);
  CHECK(found.warnings + found.notes == found.diagnostics.size());
  std::vector<finding> out;
  for (const diagnostic& d : found.diagnostics)
    out.push_back({std::string(found.rule_of(d)), std::string(found.text_of(d.text)),
                   d.has_note ? std::string(found.text_of(d.note)) : std::string(),
                   d.severity == severity::warning, d.where.offset});
  return out;
}
/// Those of one rule.
[[nodiscard]] std::vector<finding> lint(const build::sketch& s, std::string_view rule) {
  std::vector<finding> out;
  for (finding& f : lint(s.verified()))
    if (f.rule == rule) out.push_back(std::move(f));
  return out;
}
void check_one(const build::sketch& s, std::string_view rule, std::int32_t operation,
               std::string_view words, std::string_view note = "") {
  const std::vector<finding> found = lint(s, rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].operation == static_cast<std::uint64_t>(operation));
  CHECK(found[0].text == words);
  if (!note.empty()) CHECK(found[0].note == note);
}
void check_none(const build::sketch& s, std::string_view rule) {
  for (const finding& f : lint(s, rule)) FAIL_CHECK(f.text);
}

}  // namespace

TEST_CASE("alir/lint: alir_overflow, with an example", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input({-8, 7, 1}), y = s.input({-4, 3.5, 0.5});
  const auto sum = [&](double low, double high) {
    s.output(s.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = {low, high, 0.5}}));
  };
  SECTION("all in") {
    sum(-12, 10.5);
    check_none(s, "alir_overflow");
  }
  SECTION("one step too few above") {
    sum(-12, 10);
    check_one(s, "alir_overflow", 2,
              "operation 2 (add) exceeds its declared interval [-12.0, 10.0]: its values reach "
              "[-12.0, 10.5]",
              "for example input 0 = 7.0, input 1 = 3.5 give 10.5");
  }
  SECTION("one step too few below") {
    sum(-11.5, 10.5);
    check_one(s, "alir_overflow", 2,
              "operation 2 (add) exceeds its declared interval [-11.5, 10.5]: its values reach "
              "[-12.0, 10.5]",
              "for example input 0 = -8.0, input 1 = -4.0 give -12.0");
  }
  SECTION("reported where it begins") {
    sum(-12, 10);
    s.output(s.op({.id0 = 2, .code = opcode::negate, .qint = {-10, 12, 0.5}}));
    CHECK(lint(s, "alir_overflow").size() == 1);
  }
}

TEST_CASE("alir/lint: alir_overflow of a type narrower than its interval", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input({0, 0x1p20, 1});
  const auto add = [&](double by) {
    const double high = 0x1p20 + by;
    s.output(s.op({.id0 = x,
                   .code = opcode::add_constant,
                   .shift = 0,
                   .data = static_cast<std::int64_t>(by),
                   .qint = {0, high, 1}}));
  };
  SECTION("2^24 - 1 has 24 bits") {
    add(0xf00000 - 1);
    check_none(s, "alir_overflow");
  }
  SECTION("2^24 would have 25, if float could count so far") {
    add(0xf00000);
    check_one(s, "alir_overflow", 1,
              "operation 1 (add_const) exceeds its type: 24 bits hold [0.0, 16777215.0] of its "
              "declared interval [0.0, 16777216.0]: its values reach [15728640.0, 16777216.0]",
              "for example input 0 = 1048576.0 gives 16777216.0");
  }
}

TEST_CASE("alir/lint: alir_overflow that isn't proven may be one", "[inspect_alir]") {
  build::sketch s;  // x·x + x is never -1, but intervals can't say so
  const auto x = s.input({-8, 7, 1});
  const auto square = s.op({.id0 = x, .id1 = x, .code = opcode::multiply, .qint = {0, 64, 1}});
  const auto sum = [&](double low) {
    s.output(s.op({.id0 = square, .id1 = x, .code = opcode::add, .qint = {low, 71, 1}}));
  };
  SECTION("loose") {
    sum(-8);
    check_none(s, "alir_overflow");
  }
  SECTION("tight") {
    sum(-7);
    check_one(s, "alir_overflow", 2,
              "operation 2 (add) may exceed its declared interval [-7.0, 71.0]: its values lie in "
              "[-8.0, 71.0]");
    CHECK(lint(s, "alir_overflow")[0].note.empty());
  }
  SECTION("64 bits") {
    const auto wide = s.input(bits(63));
    s.output(s.op({.id0 = wide, .id1 = wide, .code = opcode::multiply, .qint = bits(64)}));
    const std::vector<finding> found = lint(s, "alir_overflow");
    REQUIRE(found.size() == 1);
    CHECK(found[0].text.find("may need more than 64 bits, and wrap around") != std::string::npos);
  }
}

TEST_CASE("alir/lint: alir_table_short", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input({-3, 4, 1});
  SECTION("8 entries for 8 values") {
    s.output(s.lookup(x, s.table({1, 2, 3, 4, 5, 6, 7, 8})));
    check_none(s, "alir_table_short");
  }
  SECTION("7 entries") {
    s.output(s.lookup(x, s.table({1, 2, 3, 4, 5, 6, 7})));
    check_one(s, "alir_table_short", 1,
              "operation 1 (lookup) exceeds table 0: the entries are for [-3.0, 3.0], and "
              "operation 0 (input) reaches [-3.0, 4.0]",
              "for example input 0 = 4.0 gives 4.0");
  }
  SECTION("the operand's interval is larger than what it reaches") {
    const auto r = s.op({.id0 = x, .code = opcode::relu, .qint = {0, 7, 1}});
    s.output(s.lookup(r, s.table({1, 2, 3, 4, 5})));
    check_none(s, "alir_table_short");
  }
  SECTION("an example, where a sample before it left another table") {
    s.output(s.lookup(x, s.table({1, 2, 3, 4, 5, 6, 7})));
    const auto y = s.input({0, 3, 1});
    s.output(s.lookup(y, s.table({1, 2, 3})));
    const std::vector<finding> found = lint(s, "alir_table_short");
    REQUIRE(found.size() == 2);
    CHECK(found[1].note == "for example input 1 = 3.0 gives 3.0");
  }
}

TEST_CASE("alir/lint: entries that no input reaches may be 0 whatever the interval says",
          "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input({0, 3, 1});
  SECTION("3·x is 0, 3, 6 or 9") {
    const auto three =
        s.op({.id0 = x, .id1 = x, .code = opcode::add, .data = 1, .qint = {0, 9, 1}});
    const auto y = s.lookup(three, s.table({5, 0, 0, 6, 0, 0, 7, 0, 0, 8}));
    s.model.ops[static_cast<std::size_t>(y)].qint = {5, 8, 1};
    s.output(y);
    check_none(s, "alir_overflow");
    s.model.table_data[3] = 0;  // of 3
    check_one(s, "alir_overflow", 2,
              "operation 2 (lookup) exceeds its declared interval [5.0, 8.0]: its values lie in "
              "[0.0, 8.0]",
              "for example input 0 = 1.0 gives 0.0");
    s.model.table_data[3] = 6, s.model.table_data[4] = 9;  // no mask is 9
    CHECK(lint(s, "alir_overflow").size() == 1);
  }
  SECTION("all of them are reached") {
    const auto y = s.lookup(x, s.table({5, 6, 0, 7}));
    s.model.ops[static_cast<std::size_t>(y)].qint = {5, 7, 1};
    s.output(y);
    CHECK(lint(s, "alir_overflow").size() == 1);
  }
}

TEST_CASE("alir/lint: alir_dead_operation", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(bits(4));
  s.input(bits(4));  // an unused input is the caller's business
  const auto n = s.op({.id0 = x, .code = opcode::negate, .qint = bits(5)});
  const auto m = s.op({.id0 = n, .code = opcode::negate, .qint = bits(5)});
  SECTION("needed by an output") {
    s.output(m);
    check_none(s, "alir_dead_operation");
  }
  SECTION("needed by a condition") {
    s.output(
        s.op({.id0 = x, .id1 = x, .code = opcode::mux, .shift = 1, .data = m, .qint = bits(6)}));
    check_none(s, "alir_dead_operation");
  }
  SECTION("not needed") {
    s.output(n);
    check_one(s, "alir_dead_operation", m, "no output needs operation 3 (neg)");
  }
}

TEST_CASE("alir/lint: alir_duplicate_operation", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(bits(4)), y = s.input(bits(4));
  const auto op = [&](const alir::operation& o) { s.output(s.op(o)); };
  op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = bits(5)});
  constexpr std::string_view rule = "alir_duplicate_operation";
  SECTION("operands the other way round") {
    op({.id0 = y, .id1 = x, .code = opcode::add, .data = 0, .qint = bits(5)});
    check_one(s, rule, 3, "operation 3 (add) computes the same as operation 2",
              "computed here first");
  }
  SECTION("an output keeps its interval") {
    op({.id0 = y, .id1 = x, .code = opcode::add, .data = 0, .qint = bits(6)});
    check_none(s, rule);
  }
  SECTION("other readers take values") {
    const auto sum = s.op({.id0 = y, .id1 = x, .code = opcode::add, .data = 0, .qint = bits(6)});
    op({.id0 = sum, .code = opcode::negate, .qint = bits(6)});
    check_one(s, rule, 3, "operation 3 (add) computes the same as operation 2");
  }
  SECTION("of duplicates") {
    op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = bits(5)});
    op({.id0 = 2, .code = opcode::negate, .qint = bits(6)});
    op({.id0 = 3, .code = opcode::negate, .qint = bits(6)});
    CHECK(lint(s, rule).size() == 2);
  }
  SECTION("a shift: not the other way round") {
    op({.id0 = x, .id1 = y, .code = opcode::add, .data = 1, .qint = bits(6)});
    op({.id0 = y, .id1 = x, .code = opcode::add, .data = 1, .qint = bits(6)});
    check_none(s, rule);
  }
  SECTION("another scale") {
    op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = bits(5, -1)});
    check_none(s, rule);
  }
  SECTION("types matter where values are wrapped") {
    op({.id0 = x, .code = opcode::quantize, .qint = bits(3)});
    op({.id0 = x, .code = opcode::quantize, .qint = bits(2)});
    check_none(s, rule);
    const auto two = s.op({.id0 = x, .code = opcode::quantize, .qint = {-1, 1, 1}});  // bits, too
    op({.id0 = two, .code = opcode::negate, .qint = bits(3)});
    check_one(s, rule, 5, "operation 5 (quantize) computes the same as operation 4");
  }
  SECTION("types matter where bits are looked at") {
    s.model.ops[0].qint = s.model.ops[1].qint = unsigned_bits(3);
    s.model.ops[2].qint = unsigned_bits(4);
    op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = unsigned_bits(5)});
    for (const std::int32_t id : {2, 3})
      op({.id0 = id, .code = opcode::bit_unary, .data = 2, .qint = {0, 1, 1}});
    for (const std::int32_t id : {2, 3})
      op({.id0 = x, .id1 = y, .code = opcode::mux, .shift = 0, .data = id, .qint = bits(4)});
    check_none(s, rule);
  }
  SECTION("the same entries in two tables") {
    op({.id0 = x, .code = opcode::relu, .qint = unsigned_bits(1)});
    s.output(s.lookup(3, s.table({1, 2})));
    s.output(s.lookup(3, s.table({1, 3})));
    check_none(s, rule);
    s.output(s.lookup(3, s.table({1, 2})));
    check_one(s, rule, 6, "operation 6 (lookup) computes the same as operation 4");
  }
  SECTION("sums") {
    s.model.spec_version = 4;
    for (const alir::term& t : {alir::term{x, 0, false}, {y, 1, true}, {y, 1, true}, {x, 0, false}})
      s.model.terms.push_back(t);
    op({.id0 = 0, .id1 = 2, .code = opcode::sum, .qint = bits(6)});
    op({.id0 = 2, .id1 = 2, .code = opcode::sum, .qint = bits(6)});
    check_one(s, rule, 4, "operation 4 (sum) computes the same as operation 3");
    s.model.terms[3].negative = true;
    check_none(s, rule);
  }
}

TEST_CASE("alir/lint: alir_constant_output", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input({-8, 0, 1});
  const auto rectified = [&](const alir::interval& q) {
    return s.op({.id0 = x, .code = opcode::relu, .qint = q});
  };
  SECTION("relu of what is never positive") {
    s.output(rectified(unsigned_bits(3)), 2, true);
    check_one(s, "alir_constant_output", 0, "output 0 is 0.0 for all inputs");
    CHECK(lint(s, "alir_constant_output")[0].is_warning);
  }
  SECTION("of what may be 1") {
    s.model.ops[0].qint.max = 1;
    s.output(rectified(unsigned_bits(3)));
    check_none(s, "alir_constant_output");
  }
  SECTION("a constant, scaled and negated") {
    s.output(x);
    s.output(s.constant(5, bits(6, 1)), 2, true);
    check_one(s, "alir_constant_output", 1, "output 1 is -10.0 for all inputs");
    CHECK_FALSE(lint(s, "alir_constant_output")[0].is_warning);
  }
  SECTION("no operation") {
    s.output(-1);
    check_one(s, "alir_constant_output", 0, "output 0 is 0.0 for all inputs");
    CHECK_FALSE(lint(s, "alir_constant_output")[0].is_warning);
  }
}

TEST_CASE("alir/lint: alir_shifted_out", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(bits(4)), y = s.input(unsigned_bits(3));
  constexpr std::string_view rule = "alir_shifted_out";
  const auto quantize = [&](std::int32_t shift, const alir::interval& q) {
    s.model.spec_version = 4;
    s.output(s.op({.id0 = x, .code = opcode::quantize, .shift = shift, .qint = q}));
  };
  SECTION("3 of 4 bits to the right") {
    quantize(-3, bits(4));
    check_none(s, rule);
  }
  SECTION("4 of 4") {
    quantize(-4, bits(4));
    check_one(
        s, rule, 2,
        "operation 2 (quantize) shifts by 4 to the right, by all bits of operation 0 (input)");
  }
  SECTION("4 to the left, into 5 bits") {
    quantize(4, bits(5));
    check_none(s, rule);
  }
  SECTION("5 to the left, into 5 bits") {
    quantize(5, bits(5));
    check_one(s, rule, 2,
              "operation 2 (quantize) shifts by 5 to the left, by all bits of operation 0 (input)");
  }
  SECTION("an operand of a sum, below its last bit") {
    s.output(s.op({.id0 = x, .id1 = y, .code = opcode::add, .data = -2, .qint = bits(6)}));
    check_none(s, rule);
    s.model.ops[2].data = -3;
    check_one(s, rule, 2,
              "operation 2 (add) shifts by 3 to the right, by all bits of operation 1 (input)");
  }
  SECTION("a constant below the last bit") {
    s.output(
        s.op({.id0 = x, .code = opcode::add_constant, .shift = 2, .data = 4, .qint = bits(6)}));
    check_none(s, rule);
    s.model.ops[2].data = 3;
    check_one(s, rule, 2,
              "operation 2 (add_const) shifts by 2 to the right, by all bits of the constant 3");
  }
  SECTION("a branch of a mux") {
    s.output(
        s.op({.id0 = x, .id1 = y, .code = opcode::mux, .shift = -3, .data = x, .qint = bits(4)}));
    check_one(s, rule, 2,
              "operation 2 (mux) shifts by 3 to the right, by all bits of operation 1 (input)");
  }
}

TEST_CASE("alir/lint: latency and cost", "[inspect_alir]") {
  build::sketch s;
  const auto x = s.input(bits(4));
  s.model.ops[0].latency = 2;
  s.output(s.op({.id0 = x, .code = opcode::negate, .qint = bits(5), .latency = 2, .cost = 0}));
  check_none(s, "alir_latency_order");
  check_none(s, "alir_negative_cost");
  SECTION("earlier than its operand") {
    s.model.ops[1].latency = 1.5;
    check_one(s, "alir_latency_order", 1,
              "operation 1 (neg) has latency 1.5; expected at least 2.0, that of operation 0 "
              "(input)");
  }
  SECTION("negative cost") {
    s.model.ops[1].cost = -1;
    check_one(s, "alir_negative_cost", 1, "operation 1 (neg) has cost -1.0; expected at least 0");
  }
  SECTION("negative latency") {
    s.model.ops[0].latency = -1;
    check_one(s, "alir_negative_cost", 0,
              "operation 0 (input) has latency -1.0; expected at least 0");
  }
  SECTION("bytecode has neither") {
    s.model.ops[1].latency = 1.5;
    s.model.source.is_bytecode = true;
    check_none(s, "alir_latency_order");
  }
}

TEST_CASE("alir/lint: an example keeps to all intervals of an input", "[inspect_alir]") {
  build::sketch s;
  s.input({0, 3, 1});  // which takes 3.5 for 3, and 4 for more
  s.op({.id0 = 0, .code = opcode::input, .qint = {0, 7.5, 0.5}});
  const alir::program p = s.verified();
  const inspect::alir_search wanted[] = {{1, 0, 6}, {1, 0, 7}};
  const auto found = inspect::find_examples(p, wanted);
  REQUIRE(found[0].found);
  CHECK(found[0].value == 7);
  CHECK(found[0].inputs == std::vector<double>{3.5});
  CHECK_FALSE(found[1].found);
}

TEST_CASE("alir/lint: every example is one", "[inspect_alir]") {
  std::size_t wanted_count = 0, found_count = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    random_program::options how{.seed = seed, .max_ops = 60, .may_trap = true};
    const result<alir::program> p = alir::verify(random_program::make(how));
    REQUIRE(p);
    const inspect::alir_ranges r(*p, inspect::alir_assumption::intervals);
    std::vector<inspect::alir_search> wanted;
    for (std::size_t i = 0; i < p->size(); ++i)
      if (const auto d = r.declared(i); !r[i].within(d)) wanted.push_back({i, d.low, d.high});
    const auto examples = inspect::find_examples(*p, wanted, seed);
    REQUIRE(examples.size() == wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      ++wanted_count;
      if (!examples[k].found) continue;
      ++found_count;
      INFO("seed " << seed << ", operation " << wanted[k].operation);
      const naive::evaluation e = naive::evaluate(p->model(), examples[k].inputs);
      REQUIRE(e.values.size() > wanted[k].operation);
      const std::int64_t v = e.values[wanted[k].operation];
      CHECK(v == examples[k].value);
      CHECK((v < wanted[k].low || v > wanted[k].high));
      // Two intervals for one input may have nothing in common.
      std::map<std::int32_t, int> readers;
      for (const alir::operation& o : p->model().ops)
        if (o.code == opcode::input) ++readers[o.id0];
      for (std::size_t i = 0; i <= wanted[k].operation; ++i)
        if (p->op(i).code == opcode::input && r[i].is_reached && readers[p->op(i).id0] == 1) {
          INFO("input operation " << i << ": " << e.values[i]);
          CHECK(r.declared(i).contains(e.values[i]));
        }
    }
  }
  INFO(found_count << " of " << wanted_count);
  CHECK(found_count * 10 > wanted_count * 6);
}
