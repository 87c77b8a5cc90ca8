// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/diff.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "tests/alir/build.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;
using alir::opcode;
using build::bits;
using build::unsigned_bits;
using inspect::alir_difference;

namespace {

/// "operation 2 -> 3: interval [..] -> [..]; …", one line for each difference.
[[nodiscard]] std::vector<std::string> lines(const alir_difference& d) {
  std::vector<std::string> out;
  for (const auto* const list : {&d.model, &d.outputs})
    for (const auto& p : *list) out.push_back(p.what + ": " + p.before + " -> " + p.after);
  for (const auto& o : d.operations) {
    std::string line = std::to_string(o.before) + " -> " + std::to_string(o.after);
    for (const auto& p : o.parts) line += "; " + p.what + ": " + p.before + " -> " + p.after;
    out.push_back(std::move(line));
  }
  return out;
}
[[nodiscard]] std::vector<std::string> lines(const build::sketch& a, const build::sketch& b) {
  const alir::program x = a.verified(), y = b.verified();
  return lines(inspect::diff(x, y));
}
using expected = std::vector<std::string>;

/// (x + y)·x, rectified, quantized.
[[nodiscard]] build::sketch first() {
  build::sketch s;
  const auto x = s.input(bits(4)), y = s.input(bits(4));
  const auto sum = s.op({.id0 = x, .id1 = y, .code = opcode::add, .data = 0, .qint = bits(5)});
  const auto product = s.op({.id0 = sum, .id1 = x, .code = opcode::multiply, .qint = bits(9)});
  const auto r = s.op({.id0 = product, .code = opcode::relu, .qint = unsigned_bits(8)});
  s.output(s.op({.id0 = r, .code = opcode::quantize, .qint = unsigned_bits(4)}));
  s.output(sum, -2, true);
  return s;
}

/// The same operations in a random order that keeps operands before their readers.
[[nodiscard]] alir::model renumbered(const alir::model& m, std::uint64_t seed) {
  random_program::generator draw(seed);
  const std::size_t n = m.ops.size();
  std::vector<std::int32_t> new_id(n, -1);
  std::vector<std::size_t> order;
  const auto is_ready = [&](std::size_t i) {
    const alir::operation& o = m.ops[i];
    const auto placed = [&](std::int64_t id) { return new_id[static_cast<std::size_t>(id)] >= 0; };
    if (o.code == opcode::input) return true;
    if (o.code == opcode::sum) {
      for (const alir::term& t : terms(m, o))
        if (!placed(t.id)) return false;
      return true;
    }
    return (o.id0 < 0 || placed(o.id0)) && (o.id1 < 0 || placed(o.id1)) &&
           (o.code != opcode::mux || placed(o.data));
  };
  while (order.size() < n) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < n; ++i)
      if (new_id[i] < 0 && is_ready(i)) ready.push_back(i);
    const std::size_t i = ready[static_cast<std::size_t>(
        draw.between(0, static_cast<std::int64_t>(ready.size()) - 1))];
    new_id[i] = static_cast<std::int32_t>(order.size());
    order.push_back(i);
  }
  alir::model out = m;
  const auto moved = [&](std::int32_t id) {
    return id < 0 ? id : new_id[static_cast<std::size_t>(id)];
  };
  out.terms.clear();
  for (std::size_t k = 0; k < n; ++k) {
    alir::operation o = m.ops[order[k]];
    if (o.code == opcode::sum) {
      const auto list = terms(m, o);
      o.id0 = static_cast<std::int32_t>(out.terms.size());
      for (alir::term t : list) t.id = moved(t.id), out.terms.push_back(t);
    } else if (o.code != opcode::input) {
      o.id0 = moved(o.id0), o.id1 = moved(o.id1);
      if (o.code == opcode::mux) o.data = moved(static_cast<std::int32_t>(o.data));
    }
    out.ops[k] = o;
  }
  for (std::int32_t& x : out.out_idxs) x = moved(x);
  return out;
}

}  // namespace

TEST_CASE("alir/diff: renumbered programs are the same", "[inspect_alir]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const alir::model m = random_program::make({.seed = seed, .max_ops = 60});
    const result<alir::program> a = alir::verify(alir::model(m));
    const result<alir::program> b = alir::verify(renumbered(m, seed));
    REQUIRE(a);
    REQUIRE(b);
    INFO("seed " << seed);
    const alir_difference d = inspect::diff(*a, *b);
    CHECK(lines(d) == expected{});
    CHECK(d.same());
    CHECK(d.unchanged == a->size());
  }
}

TEST_CASE("alir/diff: one change is one difference", "[inspect_alir]") {
  const build::sketch a = first();
  build::sketch b = first();
  SECTION("none") { CHECK(lines(a, b).empty()); }
  SECTION("an interval; what depends on it is paired all the same") {
    b.model.ops[2].qint.max = 14;
    CHECK(lines(a, b) == expected{"2 -> 2; interval: [-16.0, 15.0] step 1.0 -> [-16.0, 14.0] "
                                  "step 1.0"});
  }
  SECTION("a shift") {
    b.model.ops[2].data = 1, b.model.ops[2].qint = a.model.ops[2].qint;
    CHECK(lines(a, b) == expected{"2 -> 2; shift: 0 -> 1"});
  }
  SECTION("the opcode") {
    b.model.ops[2].code = opcode::subtract;
    CHECK(lines(a, b) == expected{"2 -> 2; opcode: add -> sub"});
  }
  SECTION("an operand") {
    b.model.ops[3].id1 = 1;
    CHECK(lines(a, b) == expected{"3 -> 3; operand 1: %0 -> %1"});
  }
  SECTION("the type of an input") {
    b.model.ops[1].qint = bits(3);
    CHECK(lines(a, b) == expected{"1 -> 1; interval: [-8.0, 7.0] step 1.0 -> [-4.0, 3.0] step "
                                  "1.0"});
  }
  SECTION("an output's shift and sign") {
    b.model.out_shifts[1] = 0, b.model.out_negs[1] = 0;
    CHECK(lines(a, b) == expected{"output 1: -%2 << -2 -> %2"});
  }
  SECTION("an output's operation") {
    b.model.out_idxs[1] = 3;
    CHECK(lines(a, b) == expected{"output 1: -%2 << -2 -> -%3 << -2"});
  }
  SECTION("an output is 0") {
    b.model.out_idxs[1] = -1;
    CHECK(lines(a, b) == expected{"output 1: -%2 << -2 -> 0"});
  }
  SECTION("one more output, and an operation for it") {
    b.output(b.op({.id0 = 2, .code = opcode::negate, .qint = bits(6)}));
    CHECK(lines(a, b) == expected{"outputs: 2 -> 3", "output 2:  -> %6", "-1 -> 6"});
    const alir::program x = a.verified(), y = b.verified();
    CHECK(inspect::diff(x, y).added == 1);
    CHECK(inspect::diff(y, x).removed == 1);
  }
  SECTION("a copy of an operation") {
    b.op(b.model.ops[2]);
    CHECK(lines(a, b) == expected{"-1 -> 6"});
  }
  SECTION("figures of the file") {
    b.model.inp_shifts[1] = 3, b.model.carry_size = 8, b.model.adder_size = 4;
    b.model.ops[4].latency = 2, b.model.ops[4].cost = 3;
    CHECK(lines(a, b) == expected{"shift of input 1: 0 -> 3", "carry_size: -1 -> 8",
                                  "adder_size: -1 -> 4", "latency: 0.0 -> 2.0",
                                  "cost: 0.0 -> 3.0"});
  }
  SECTION("bytecode has types, not intervals") {
    b.model.ops[2].qint.max = 14;
    b.model.ops[4].cost = 3;
    b.model.source.is_bytecode = true;
    CHECK(lines(a, b).empty());
    b.model.ops[2].qint.max = 16;
    CHECK(lines(a, b) == expected{"2 -> 2; type: fixed<1,4,0> -> fixed<1,5,0>"});
  }
}

TEST_CASE("alir/diff: tables are compared by their entries, sums by their terms",
          "[inspect_alir]") {
  build::sketch a, b;
  for (build::sketch* const s : {&a, &b}) {
    s->model.spec_version = 4;
    const auto x = s->input(unsigned_bits(1)), y = s->input(bits(4));
    if (s == &b) (void)s->table({9});  // of no lookup
    s->output(s->lookup(x, s->table({1, 2})));
    for (const alir::term& t : {alir::term{x, 0, false}, {y, 1, true}}) s->model.terms.push_back(t);
    s->output(s->op({.id0 = 0, .id1 = 2, .code = opcode::sum, .qint = bits(6)}));
  }
  CHECK(lines(a, b).empty());
  SECTION("entries") {
    b.model.table_data[2] = 3;
    CHECK(lines(a, b) == expected{"2 -> 2; table: 2 entries [1, 2] -> 2 entries [1, 3]"});
  }
  SECTION("terms") {
    b.model.terms[1].negative = false, b.model.terms[1].shift = 0;
    CHECK(lines(a, b) == expected{"3 -> 3; sign of operand 1: - -> +; shift of operand 1: 1 -> 0"});
  }
}
