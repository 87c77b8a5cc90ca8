// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lanes of 16 and 32 bits: how wide they are at the edges, that nothing a program claims about its
// values matters, and that instruction sets, batch sizes and threads make no difference.

#include "alir/alir.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "alir/build.hpp"
#include "naive.hpp"
#include "random_program.hpp"
#include "support/catch.hpp"
#include "tessera/vm/alir.hpp"
#include "vm/alir/compile.hpp"

namespace {

using build::bits;
using build::sketch;
using build::unsigned_bits;
using tessera::alir::interval;
using tessera::alir::opcode;
using tessera::vm::alir::level;
using tessera::vm::alir::machine;
using tessera::vm::alir::machine_options;

const double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr interval lie{0, 1, 1};  // of what isn't one bit

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

int lanes_of(const sketch& p) { return machine(p.verified()).lane_bits(); }

/// Every instruction set of this processor, with lanes as they come and wider ones.
std::vector<machine_options> ways() {
  std::vector<machine_options> all;
  for (int l = 0; l <= static_cast<int>(tessera::vm::alir::best_level()); ++l)
    for (const int least : {16, 32, 64})
      all.push_back({.instructions = static_cast<level>(l), .min_lane_bits = least});
  return all;
}

/// Runs a program in every way and in batches of these sizes against the plain evaluation. Empty
/// when all agree.
std::string disagreement(const tessera::alir::model& m, std::span<const double> in,
                         std::span<const std::size_t> batches) {
  const auto inputs = static_cast<std::size_t>(m.n_inputs);
  const auto outputs = static_cast<std::size_t>(m.n_outputs);
  const std::size_t samples = *std::max_element(batches.begin(), batches.end());
  std::vector<double> expected;
  std::vector<std::int64_t> traps;
  for (std::size_t s = 0; s < samples; ++s) {
    const naive::evaluation e = naive::evaluate(m, in.subspan(s * inputs, inputs));
    traps.push_back(e.trap);
    expected.insert(expected.end(), e.outputs.begin(), e.outputs.end());
    expected.resize((s + 1) * outputs, not_a_number);
  }
  auto p = tessera::alir::verify(m);
  if (!p) return "not verified";
  for (const machine_options& way : ways()) {
    machine vm(*p, way);
    for (const std::size_t batch : batches) {
      const auto trap =
          std::find_if(traps.begin(), traps.begin() + static_cast<std::ptrdiff_t>(batch),
                       [](std::int64_t t) { return t >= 0; });
      const auto whole = static_cast<std::size_t>(trap - traps.begin());
      std::vector<double> out(batch * outputs, not_a_number), meant = expected;
      meant.resize(whole * outputs);
      meant.resize(batch * outputs, not_a_number);
      const auto done = vm.run(in, out, batch);
      const bool same = whole == batch ? static_cast<bool>(done)
                                       : done.operation == *trap && done.sample == whole;
      if (!same || !same_bits(out, meant))
        return std::to_string(batch) + " samples, level " +
               std::to_string(static_cast<int>(way.instructions)) + ", lanes of " +
               std::to_string(vm.lane_bits());
    }
  }
  return {};
}

/// Samples whose values lie at the ends of types, and others.
std::vector<double> edges(const tessera::alir::model& m, std::uint64_t seed, std::size_t samples) {
  random_program::generator draw(seed);
  std::vector<interval> of(static_cast<std::size_t>(m.n_inputs));
  for (const tessera::alir::operation& o : m.ops)
    if (o.code == opcode::input) of[static_cast<std::size_t>(o.id0)] = o.qint;
  std::vector<double> in;
  for (std::size_t s = 0; s < samples; ++s)
    for (const interval& q : of) {
      const double some[] = {
          q.min,
          q.max,
          0,
          -q.step,
          q.min + q.step,
          q.max + q.step,
          1e300,
          std::ldexp(static_cast<double>(draw.between(-1000, 1000)), -6),
          q.min + (q.max - q.min) * static_cast<double>(draw.between(0, 100)) / 100};
      in.push_back(some[static_cast<std::size_t>(draw.between(0, 8))]);
    }
  return in;
}

constexpr std::size_t few_batches[] = {1, 2, 18, 130};

}  // namespace

TEST_CASE("vm/alir: a batch of any size runs like its samples", "[vm_alir]") {
  std::vector<std::size_t> batches;
  for (std::size_t n = 1; n <= 70; ++n) batches.push_back(n);
  for (const std::size_t n : {95u, 96u, 97u, 127u, 128u, 129u, 160u, 161u, 255u, 256u, 257u, 300u})
    batches.push_back(n);
  for (const int width : {8, 20, 40}) {
    sketch p;
    const auto x = p.input(bits(width)), y = p.input(unsigned_bits(3, 1));
    const auto s = p.op({.id0 = x, .id1 = y, .code = opcode::subtract, .qint = bits(width)});
    const auto r = p.op({.id0 = s, .code = opcode::relu, .qint = unsigned_bits(width - 2)});
    p.output(r, 0, true);
    p.output(-1);
    p.output(p.op({.id0 = r, .id1 = y, .code = opcode::multiply, .qint = bits(width)}), 3);
    INFO(width);
    const std::vector<double> in = edges(p.model, 5, 300);
    CHECK(disagreement(p.model, in, batches) == "");
  }
}

TEST_CASE("vm/alir: any number of inputs and outputs, in any order", "[vm_alir]") {
  constexpr std::size_t batches[] = {1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257};
  // Eight at a time are turned around where they are side by side in a sample.
  for (const int count : {1, 7, 8, 9, 16, 19})
    for (const int stride : {1, -1, 3, 0}) {  // 0: each is read twice, the second as another type
      const int width = count % 3 == 0 ? 8 : count % 3 == 1 ? 20 : 40;
      sketch p;
      std::vector<std::int32_t> values;
      for (int i = 0; i < count; ++i) values.push_back(p.input(bits(width, i % 3), i % 2));
      for (int i = 0; i < count; ++i) {
        auto& index =
            p.model.ops[static_cast<std::size_t>(values[static_cast<std::size_t>(i)])].id0;
        if (stride == 0)
          index = i / 2;
        else if (stride < 0)
          index = count - 1 - i;
        else if (count % 3 != 0)
          index = i * stride % count;
      }
      for (std::size_t i = values.size(); i-- > 0;)
        p.output(values[i], static_cast<int>(i % 4) - 2, i % 5 == 0);
      CAPTURE(count, stride);
      const std::vector<double> in = edges(p.model, 7, 257);
      CHECK(disagreement(p.model, in, batches) == "");
    }
}

TEST_CASE("vm/alir: lanes are as wide as values that are looked at", "[vm_alir]") {
  const auto input_output = [](const interval& q, bool negative = false) {
    sketch p;
    p.output(p.input(q), 0, negative);
    return lanes_of(p);
  };
  CHECK(input_output(bits(16)) == 16);
  CHECK(input_output(bits(17)) == 32);
  CHECK(input_output(unsigned_bits(15)) == 16);
  CHECK(input_output(unsigned_bits(16)) == 32);
  CHECK(input_output(bits(32)) == 32);
  CHECK(input_output(bits(33)) == 64);
  CHECK(input_output(unsigned_bits(31)) == 32);
  CHECK(input_output(unsigned_bits(32)) == 64);
  CHECK(input_output(bits(64)) == 64);
  CHECK(input_output(unsigned_bits(63)) == 64);
  // What is written negated is looked at negated.
  CHECK(input_output(unsigned_bits(15), true) == 16);
  CHECK(input_output(bits(16), true) == 32);
  CHECK(input_output(bits(32), true) == 64);

  // x + y + c, at the last value that fits and at the first that doesn't.
  const auto sum = [](int width, std::int64_t c, bool subtracted) {
    sketch p;
    const auto x = p.input(bits(width)), y = p.input(bits(width));
    const auto s = p.op(
        {.id0 = x, .id1 = y, .code = subtracted ? opcode::subtract : opcode::add, .qint = lie});
    p.output(p.op({.id0 = s, .code = opcode::add_constant, .data = c, .qint = lie}));
    return lanes_of(p);
  };
  CHECK(sum(15, 0, false) == 16);
  CHECK(sum(15, 1, false) == 16);
  CHECK(sum(15, 2, false) == 32);
  CHECK(sum(15, -1, false) == 32);
  CHECK(sum(15, 0, true) == 16);
  CHECK(sum(15, 1, true) == 32);
  CHECK(sum(31, 1, false) == 32);
  CHECK(sum(31, 2, false) == 64);
  CHECK(sum(31, -1, false) == 64);
  CHECK(sum(63, 2, false) == 64);

  // (x·256 + y) / 256: what the shift drops it sees first.
  const auto shifted = [](double most) {
    sketch p;
    const auto x = p.input(bits(8)), y = p.input({0, most / 256, 1.0 / 256});
    p.output(p.op({.id0 = x, .id1 = y, .code = opcode::add, .qint = bits(9)}));
    return lanes_of(p);
  };
  CHECK(shifted(255) == 16);
  CHECK(shifted(256) == 32);

  // What is only added, multiplied and wrapped may overflow.
  const auto wrapped = [](int shift) {
    sketch p;
    const auto x = p.input(bits(8));
    const auto y = p.op({.id0 = x, .id1 = x, .code = opcode::add, .data = shift, .qint = bits(30)});
    p.output(p.op({.id0 = y, .code = opcode::quantize, .qint = bits(10)}));
    return lanes_of(p);
  };
  CHECK(wrapped(15) == 16);
  CHECK(wrapped(16) == 32);  // no shift by as many bits as a lane has
  CHECK(wrapped(31) == 32);
  CHECK(wrapped(32) == 64);

  // A table says itself what comes out of it, and how far its index goes.
  const auto table = [](std::int32_t entry, const interval& q) {
    sketch p;
    p.output(p.lookup(p.input(q), p.table({0, entry, 1, 2})));
    return lanes_of(p);
  };
  CHECK(table(32767, unsigned_bits(2)) == 16);
  CHECK(table(32768, unsigned_bits(2)) == 32);
  CHECK(table(-32768, unsigned_bits(2)) == 16);
  CHECK(table(-32769, unsigned_bits(2)) == 32);
  CHECK(table(0, bits(16)) == 32);  // index up to 65535
  CHECK(table(0, bits(15)) == 16);
}

TEST_CASE("vm/alir: intervals that lie change nothing", "[vm_alir]") {
  for (const int width : {1, 15, 16, 17, 32, 33, 64})
    for (const bool is_signed : {true, false}) {
      if (!is_signed && width == 64) continue;
      sketch p;
      const interval q = is_signed ? bits(width) : unsigned_bits(width);
      const auto x = p.input(q), y = p.input(q);
      const auto of = [&](opcode code, std::int32_t a, std::int32_t b, std::int64_t data,
                          const interval& own) {
        return p.op({.id0 = a, .id1 = b, .code = code, .data = data, .qint = own});
      };
      std::vector<std::int32_t> sums = {
          x, of(opcode::add, x, y, 0, lie), of(opcode::subtract, x, y, 1, {-1, 0, 1}),
          of(opcode::negate, x, -1, 0, lie), of(opcode::multiply, x, y, 0, lie)};
      for (const std::int64_t c : {std::int64_t{32767}, std::int64_t{-1} << 31, INT64_MAX})
        sums.push_back(of(opcode::add, sums[1], p.constant(c, lie), 0, bits(2)));
      for (const std::int32_t s : sums) {
        std::vector<std::int32_t> uses = {
            s,
            of(opcode::relu, s, -1, 0, unsigned_bits(std::min(width, 63))),
            of(opcode::relu, s, -1, 0, bits(3, -2)),
            of(opcode::relu, s, -1, 0, bits(9, 3)),
            of(opcode::quantize, s, -1, 0, bits(5, -2)),
            of(opcode::quantize, s, -1, 0, bits(17)),
            of(opcode::bit_unary, s, -1, 0, lie),
            of(opcode::bit_unary, s, -1, 0, {-1, 0, 1}),
            of(opcode::bit_unary, s, -1, 1, lie),
            of(opcode::bit_unary, s, -1, 2, lie),
            of(opcode::mux, x, y, s, bits(4)),
            of(opcode::mux, s, y, x, q),
            of(opcode::bit_binary, s, x, 0, lie),
            of(opcode::bit_binary, y, s, 2 << 24, lie),
        };
        for (const std::int32_t u : uses) {
          sketch one;  // the program of only this use, so that it chooses the lanes
          one.model = p.model;
          one.output(u, -1);
          one.output(u, 0, true);
          // A sum that continues: joined or not, by how many read it.
          const auto more =
              one.op({.id0 = u, .id1 = x, .code = opcode::subtract, .data = 1, .qint = lie});
          one.output(one.op({.id0 = more, .code = opcode::quantize, .qint = bits(6)}));
          INFO("width " << width << ", operation " << u);
          REQUIRE(disagreement(one.model, edges(one.model, 17u + static_cast<unsigned>(u), 18),
                               std::vector<std::size_t>{1, 18}) == "");
        }
      }
    }
}

TEST_CASE("vm/alir: small programs with lies agree with the naive evaluator", "[vm_alir]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    random_program::generator draw(seed * 77 + 1);
    sketch p;
    const auto pick = [&] {
      return static_cast<std::int32_t>(
          draw.between(0, static_cast<std::int64_t>(p.model.ops.size()) - 1));
    };
    const auto some = [&]() -> interval {
      const int width = static_cast<int>(draw.between(1, draw.chance(80) ? 9 : 17));
      return draw.chance(50) ? bits(width) : unsigned_bits(width);
    };
    const std::int64_t table = p.table({5, -700, 32767, 3, 90, -32768, 1, 2});
    for (int i = 0; i < 4; ++i) p.input(some());
    for (int i = 0; i < 25; ++i) {
      const std::int32_t a = pick(), b = pick();
      switch (draw.between(0, 11)) {
        case 0:
        case 1:
        case 2:
          p.op({.id0 = a,
                .id1 = b,
                .code = opcode::add,
                .data = draw.between(0, 3),
                .qint = some()});
          break;
        case 3:
        case 4:
          p.op({.id0 = a,
                .id1 = b,
                .code = opcode::subtract,
                .data = draw.between(0, 2),
                .qint = some()});
          break;
        case 5: p.op({.id0 = a, .code = opcode::negate, .qint = some()}); break;
        case 6: p.op({.id0 = a, .code = opcode::relu, .qint = some()}); break;
        case 7:
          p.op({.id0 = a,
                .code = opcode::quantize,
                .shift = static_cast<std::int32_t>(draw.between(-3, 1)),
                .qint = some()});
          break;
        case 8:
          p.op({.id0 = a, .id1 = b, .code = opcode::mux, .data = pick(), .qint = some()});
          break;
        case 9:
          p.op({.id0 = a,
                .code = opcode::add_constant,
                .shift = 0,
                .data = draw.between(-300, 300),
                .qint = some()});
          break;
        case 10:
          p.op({.id0 = a,
                .id1 = b,
                .code = opcode::bit_binary,
                .data = draw.between(0, 2) << 24,
                .qint = some()});
          break;
        default:
          if (draw.chance(30)) {
            p.lookup(p.op({.id0 = a, .code = opcode::quantize, .qint = unsigned_bits(3)}), table);
          } else if (draw.chance(20)) {
            p.lookup(a, table);
          } else {
            p.op({.id0 = p.op({.id0 = a, .code = opcode::quantize, .qint = bits(5)}),
                  .id1 = p.op({.id0 = b, .code = opcode::quantize, .qint = bits(4)}),
                  .code = opcode::multiply,
                  .qint = some()});
          }
      }
    }
    for (int i = 0; i < 3; ++i)
      p.output(pick(), static_cast<std::int32_t>(draw.between(-3, 3)), draw.chance(50));
    p.output(static_cast<std::int32_t>(p.model.ops.size()) - 1);
    INFO("seed " << seed);
    REQUIRE(disagreement(p.model, edges(p.model, seed, 130), few_batches) == "");
  }
}

TEST_CASE("vm/alir: long sums are cut, not piled up", "[vm_alir]") {
  // x·1 + x·2 + ... of values that are made as they are added: a row for each would be needed if
  // all became one sum.
  sketch p;
  const std::int64_t table = p.table({3, 1, -4, 1, 5, -9, 2, 6});
  const auto x = p.input(unsigned_bits(3));
  std::int32_t total = p.lookup(x, table);
  for (int i = 0; i < 1000; ++i) {
    const auto y =
        p.op({.id0 = p.lookup(x, table), .code = opcode::relu, .qint = unsigned_bits(3)});
    total = p.op({.id0 = total,
                  .id1 = y,
                  .code = i % 3 == 0 ? opcode::subtract : opcode::add,
                  .data = i % 2,
                  .qint = lie});
  }
  p.output(total);
  const tessera::vm::alir::compiled_program compiled = tessera::vm::alir::compile(p.verified());
  CHECK(compiled.rows < 100);
  CHECK(disagreement(p.model, edges(p.model, 3, 130), few_batches) == "");
}

TEST_CASE("vm/alir: threads give what one gives, traps as well", "[vm_alir]") {
  sketch p;
  const std::int64_t table = p.table({10, 20, 30});
  const auto x = p.input(bits(4)), y = p.input(bits(4));
  std::int32_t a = p.lookup(x, table), b = p.lookup(y, table);
  p.model.ops[0].qint.min = p.model.ops[1].qint.min = -1;  // tables start there
  for (int i = 0; i < 60; ++i)
    a = p.op({.id0 = a, .id1 = b, .code = opcode::bit_binary, .data = 2 << 24, .qint = bits(16)});
  p.output(a);
  p.output(b);
  const tessera::alir::program program = p.verified();
  constexpr std::size_t count = 40000;
  std::vector<double> good;
  random_program::generator draw(9);
  for (std::size_t i = 0; i < count * 2; ++i)
    good.push_back(static_cast<double>(draw.between(-1, 1)));
  machine one(program);
  for (const unsigned threads : {2u, 3u, 5u}) {
    machine several(program, {.threads = threads});
    CHECK(several.memory() > one.memory());
    const std::vector<std::vector<std::size_t>> traps = {
        {}, {0}, {19999}, {20000, 39999}, {39999}, {20095, 20096}, {13440, 26000}, {100, 30000}};
    for (const std::vector<std::size_t>& at : traps) {
      std::vector<double> in = good, expected(count * 2, -7), out(count * 2, -7);
      for (const std::size_t s : at) in[s * 2 + s % 2] = 5;
      const auto meant = one.run(in, expected, count);
      const auto done = several.run(in, out, count);
      INFO(threads << " threads, " << (at.empty() ? 0 : at[0]));
      CHECK(meant.sample == (at.empty() ? 0 : at[0]));
      CHECK(done.code == meant.code);
      CHECK(done.operation == meant.operation);
      CHECK(done.sample == meant.sample);
      CHECK(done.steps == meant.steps);
      CHECK(same_bits(out, expected));
    }
  }
}
