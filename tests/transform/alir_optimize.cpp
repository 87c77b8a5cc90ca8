// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Passes over ALIR: each on a program made for it, and all of them on random programs, which must give
// the same before and after.

#include "alir/build.hpp"
#include "support/catch.hpp"
#include "tessera/inspect/alir/duplicates.hpp"
#include "tessera/transform/optimize_alir.hpp"
#include "vm/alir/random_program.hpp"

namespace {

using build::bits;
using build::sketch;
using tessera::alir::opcode;
using tessera::transform::alir_optimized;
using tessera::transform::alir_pass;
namespace transform = tessera::transform;

alir_optimized optimized_alir(const sketch& p, std::uint32_t passes = 15) {
  const tessera::alir::program before = p.verified();
  auto made = transform::optimize(before, {.passes = passes});
  if (!made) FAIL(std::string(made.error().name()));
  auto after = tessera::alir::verify(made->model);
  if (!after) FAIL(std::string(after.error().name()));
  CHECK(transform::compare(before, *after).agrees);
  return std::move(*made);
}
std::uint64_t changes_of(const alir_optimized& made, alir_pass which) {
  return made.changes[static_cast<std::size_t>(which)];
}
std::int32_t sum_of(sketch& p, std::int32_t a, std::int32_t b, opcode code = opcode::add,
                    std::int64_t shift = 0) {
  return p.op({.id0 = a, .id1 = b, .code = code, .data = shift, .qint = bits(12)});
}

}  // namespace

TEST_CASE("transform/alir_optimize: what has one value is a constant", "[transform]") {
  sketch p;
  p.input(bits(4));
  const auto c = p.constant(3, bits(4)), d = p.constant(5, bits(4));
  p.output(sum_of(p, c, d, opcode::subtract, 1));
  const alir_optimized made = optimized_alir(p);
  REQUIRE(made.model.ops.size() == 1);
  CHECK(made.model.ops[0].code == opcode::constant);
  CHECK(made.model.ops[0].data == -7);
  CHECK(changes_of(made, alir_pass::folding) == 1);
  CHECK(changes_of(made, alir_pass::dead_code) == 3);
}

TEST_CASE("transform/alir_optimize: equal values are computed once", "[transform]") {
  sketch p;
  const auto x = p.input(bits(4)), y = p.input(bits(4));
  const auto a = sum_of(p, x, y), b = sum_of(p, x, y);
  p.output(p.op({.id0 = a, .id1 = b, .code = opcode::multiply, .qint = bits(20)}));
  CHECK(optimized_alir(p).model.ops.size() == 4);
  // Another interval makes no difference to a product, and another scale does.
  p.model.ops[static_cast<std::size_t>(b)].qint = bits(13);
  CHECK(optimized_alir(p).model.ops.size() == 4);
  p.model.ops[static_cast<std::size_t>(b)].qint = bits(13, 1);
  CHECK(optimized_alir(p).model.ops.size() == 5);
}

TEST_CASE("transform/alir_optimize: intervals that are read stay", "[transform]") {
  // The condition's type, that of a bit operation, where a table starts, and what an output is.
  for (int way = 0; way < 5; ++way) {
    INFO(way);
    for (const int width : {12, 13}) {
      sketch p;
      const auto x = p.input(bits(4)), y = p.input(bits(4));
      const auto a = sum_of(p, x, y), b = sum_of(p, y, x);
      p.model.ops[static_cast<std::size_t>(b)].qint = bits(width);
      p.output(a);
      if (way == 0)
        p.output(p.op({.id0 = x, .id1 = y, .code = opcode::mux, .data = b, .qint = bits(4)}));
      else if (way == 1)
        p.output(p.op({.id0 = b, .code = opcode::bit_unary, .data = 2, .qint = {0, 1, 1}}));
      else if (way == 2)
        p.output(p.lookup(b, p.table({1, 2})));
      else if (way == 3)
        p.output(b);
      else
        p.output(p.op({.id0 = b, .id1 = b, .code = opcode::mux, .data = a, .qint = bits(4)}));
      const bool merges = width == 12 || way == 4;
      CHECK(optimized_alir(p).model.ops.size() == (way == 3 ? 4u : 5u) - (merges ? 1u : 0u));
    }
  }
}

TEST_CASE("transform/alir_optimize: two additions become a sum", "[transform]") {
  for (const bool first : {true, false}) {
    sketch p;
    p.model.spec_version = 4;
    const auto x = p.input(bits(4)), y = p.input(bits(4, 1)), z = p.input(bits(4));
    const auto inner =
        p.op({.id0 = x, .id1 = y, .code = opcode::subtract, .data = 2, .qint = bits(12, 1)});
    p.output(first ? sum_of(p, inner, z, opcode::subtract, 3)
                   : sum_of(p, z, inner, opcode::subtract, 3));
    const alir_optimized made = optimized_alir(p);
    REQUIRE(made.model.ops.size() == 4);
    CHECK(made.model.ops[3].code == opcode::sum);
    const auto terms = tessera::alir::terms(made.model, made.model.ops[3]);
    REQUIRE(terms.size() == 3);
    using tessera::alir::term;
    CHECK(terms[0] == (first ? term{0, 0, false} : term{2, 0, false}));
    CHECK(terms[1] == (first ? term{1, 2, true} : term{0, 3, true}));
    CHECK(terms[2] == (first ? term{2, 3, true} : term{1, 5, false}));
    // Version 2 has no sums.
    p.model.spec_version = 2;
    CHECK(optimized_alir(p).model.ops.size() == 5);
    // The first has another reader.
    p.model.spec_version = 4;
    p.output(inner);
    CHECK(optimized_alir(p).model.ops.size() == 5);
  }
}

TEST_CASE("transform/alir_optimize: a sum's cost is spelled as both costs are", "[transform]") {
  constexpr std::uint8_t spelled = tessera::alir::spelling::cost;
  for (const bool inner : {true, false})
    for (const bool outer : {true, false}) {
      sketch p;
      p.model.spec_version = 4;
      const auto x = p.input(bits(4)), y = p.input(bits(4)), z = p.input(bits(4));
      const auto first = sum_of(p, x, y), second = sum_of(p, first, z);
      for (const auto& [at, is_spelled] : {std::pair(first, inner), {second, outer}}) {
        p.model.ops[static_cast<std::size_t>(at)].spelled = is_spelled ? spelled : std::uint8_t{0};
        p.model.ops[static_cast<std::size_t>(at)].cost = 2;
      }
      p.output(second);
      const alir_optimized made = optimized_alir(p);
      REQUIRE(made.model.ops.size() == 4);
      CHECK(made.model.ops[3].cost == 4);
      CHECK(((made.model.ops[3].spelled & spelled) != 0) == (inner && outer));
    }
}

TEST_CASE("transform/alir_optimize: an addition that drops bits stays", "[transform]") {
  sketch p;
  p.model.spec_version = 4;
  const auto x = p.input(bits(4, 1)), y = p.input(bits(4, 1));
  p.output(sum_of(p, sum_of(p, x, y), x));
  CHECK(changes_of(optimized_alir(p), alir_pass::fusion) == 0);
}

TEST_CASE("transform/alir_optimize: lookups that may trap stay", "[transform]") {
  sketch p;
  const auto x = p.input({1, 3, 1});
  const std::int64_t table = p.table({10, 20, 30});
  p.lookup(x, table);
  p.lookup(x, table);
  p.output(x);
  CHECK(optimized_alir(p).model.ops.size() == 2);
  // One for each number of the type can't.
  sketch q;
  const auto y = q.input(build::unsigned_bits(1));
  q.lookup(y, q.table({10, 20}));
  q.output(y);
  CHECK(optimized_alir(q).model.ops.size() == 1);
}

TEST_CASE("transform/alir_optimize: passes run alone", "[transform]") {
  sketch p;
  const auto x = p.input(bits(4));
  sum_of(p, x, x);
  p.output(sum_of(p, p.constant(1, bits(4)), p.constant(2, bits(4))));
  const auto only = [](alir_pass which) {
    return std::uint32_t{1} << static_cast<unsigned>(which);
  };
  CHECK(optimized_alir(p, only(alir_pass::folding)).model.ops.size() == 5);
  CHECK(optimized_alir(p, only(alir_pass::dead_code)).model.ops.size() == 3);
  CHECK(optimized_alir(p, 0).model.ops.size() == 5);
}

TEST_CASE("transform/alir_optimize: random programs give the same", "[transform]") {
  std::uint64_t changes[transform::alir_pass_count] = {};
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    auto before = tessera::alir::verify(random_program::make(
        {.seed = seed,
         .density = seed % 2 == 0 ? random_program::mix::dense : random_program::mix::mixed,
         .max_ops = seed % 50 == 0 ? 500 : 80,
         .may_trap = seed % 5 == 0}));
    REQUIRE(before);
    const auto made = transform::optimize(*before);
    REQUIRE(made);
    CHECK(made->model.ops.size() <= before->size());
    CHECK(made->rounds < 64);
    const auto after = tessera::alir::verify(made->model);
    REQUIRE(after);
    const tessera::inspect::alir_duplicates same(*after);
    for (std::size_t i = 0; i < after->size(); ++i) CHECK_FALSE(same.is_needless(i));
    CHECK(transform::compare(*before, *after, 60, seed).agrees);
    for (std::size_t p = 0; p < transform::alir_pass_count; ++p) changes[p] += made->changes[p];
  }
  for (const std::uint64_t count : changes) CHECK(count > 20);
}

TEST_CASE("transform/alir_optimize: programs that differ do not agree", "[transform]") {
  sketch p, q;
  p.output(p.input(bits(4)));
  q.output(q.input(bits(4)), 0, true);
  CHECK(!transform::compare(p.verified(), q.verified()).agrees);
  q.output(0);
  CHECK(!transform::compare(p.verified(), q.verified()).agrees);
}
