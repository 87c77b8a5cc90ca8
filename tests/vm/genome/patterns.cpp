// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <random>

#include "build.hpp"

using namespace vm_genome_tests;

namespace {

const std::string add = "aten.add.Tensor:node_args(2):kwargs()";
const std::string sub = "aten.sub.Tensor:node_args(2):kwargs()";
const std::string mul = "aten.mul.Tensor:node_args(1):kwargs()";
const std::string gt = "aten.gt.Scalar:node_args(1):kwargs()";
const std::string lt = "aten.lt.Tensor:node_args(2):kwargs()";

/// What a program gives, and what its expansion does.
void check_expansion(const graph& g, const std::vector<reals>& given, const std::string& expected,
                     tessera::view<genome::pattern_result> results = {}) {
  running m = g.interpreter({.results = results});
  for (std::size_t i = 0; i < given.size(); ++i) m->set_input(i, m.f32(given[i]));
  CHECK(m.run() == expected);
  for (const bool copies : {false, true}) {
    const auto flat = genome::expand(m.program(), {.copies = copies, .results = results});
    REQUIRE(flat);
    running n(g.registry, *flat);
    for (std::size_t i = 0; i < given.size(); ++i) n->set_input(i, n.f32(given[i]));
    CHECK(n.run() == expected);
  }
}

}  // namespace

TEST_CASE("vm/genome/patterns: calls", "[vm_genome]") {
  graph g;
  const auto three = g.constant("int", "3");
  graph p;  // 10 = (x * 3) - x, of what is right before it
  p.add({.a = g.operation(mul), .b = g.variation("in0"), .c = three}, {-1});
  p.add({.a = g.operation(sub), .b = g.variation("in1,in0")}, {-2, -1});
  g.registry.add_pattern(10, p.stream);
  g.input();
  g.call(10, {0});
  g.call(10, {1});
  g.output({1, 2});
  check_expansion(g, {{1, 2}}, "f32 [2] 2 4; f32 [2] 4 8");
  running watched = g.interpreter();
  watched->set_input(0, watched.f32({1, 2}));
  trail seen;
  CHECK(watched->run({}, tessera::vm::observer_ref<vm::event>(seen)));
  CHECK(seen.text == "(0)(1(1:10.0)(1:10.1))(2(2:10.0)(2:10.1))(3)");
  // The value may be another node's.
  const genome::pattern_result first[] = {{10, 1}, {10, 0}};
  check_expansion(g, {{1, 2}}, "f32 [2] 3 6; f32 [2] 6 12", {first, 2});

  running m = g.interpreter();
  m->set_input(0, m.f32({1}));
  (void)m.run();
  // Without the output, the node before it, and one step.
  CHECK(m.run(m.steps - (64 + 2 * 16) - (64 + 2 * 16 + 2 + 2) - 1) ==
        "budget_steps at 2 (12) in 10.0");
  const genome::pattern_result beyond[] = {{10, 2}};
  CHECK(g.interpreter({.results = {beyond, 1}})->run().code == errc::genome_pattern_result);
  CHECK(g.interpreter({.results = {beyond, 1}})->run().text ==
        "pattern 10 has no node 2; expected 0 to 1");
  const genome::pattern_result unknown[] = {{11, 0}};
  CHECK(g.interpreter({.results = {unknown, 1}})->run().code == errc::genome_pattern_result);
}

TEST_CASE("vm/genome/patterns: into the middle of another", "[vm_genome]") {
  graph g;
  const auto two = g.constant("int", "2"), three = g.constant("int", "3");
  const std::uint8_t times = g.operation(mul), plus = g.operation(add), in0 = g.variation("in0");
  const std::uint8_t both = g.variation("in0,in1");
  graph inner, outer, taker;
  inner.add({.a = times, .b = in0, .c = two}, {-1});    // 2x
  inner.add({.a = times, .b = in0, .c = three}, {-1});  // 6x
  outer.add({.a = 6, .b = 10}, {-1});                   // flat 0, 1
  outer.add({.a = plus, .b = both}, {-2, -1});          // flat 2: the inner one's two nodes: 8x
  outer.add({.a = 6, .b = 10}, {-1});                   // flat 3, 4: 16x, 48x
  taker.add({.a = plus, .b = both}, {-5, -2});          // flat 0 and 3 of an outer one before it
  g.registry.add_pattern(10, inner.stream);
  g.registry.add_pattern(11, outer.stream);
  g.registry.add_pattern(12, taker.stream);
  graph wrapper;
  wrapper.add({.a = 6, .b = 12}, {-1});  // nothing but a call
  g.registry.add_pattern(13, wrapper.stream);
  g.input();
  g.call(11, {0});
  g.call(13, {1});
  g.output({1, 2});
  check_expansion(g, {{1}}, "f32 [1] 48; f32 [1] 18");
}

TEST_CASE("vm/genome/patterns: parameters, copies and blocks", "[vm_genome]") {
  graph g;
  const auto two = g.constant("int", "2"), zero = g.constant("int", "0");
  const auto w = g.parameter("w");
  const std::uint8_t times = g.operation(mul), plus = g.operation(add), in0 = g.variation("in0"),
                     both = g.variation("in0,in1"), less = g.operation(lt), more = g.operation(gt);
  graph p;
  p.add({.a = 7, .b = 5, .c = 3}, {1, w});        // 0: w, three times
  p.add({.a = more, .b = in0, .c = zero}, {-2});  // 1: x > 0
  p.add({.a = 8, .b = 1}, {2, 1, -1, -2, -3});    // 2: IF, of w and x
  p.add({.a = 2, .b = 1}, {});                    // 3: w
  p.add({.a = plus, .b = both}, {-5, -1});        // 4: x + w
  p.add({.a = times, .b = in0, .c = two}, {-6});  // 5: 2x
  p.add({.a = 8, .b = 2}, {1, 1, -4});            // 6: WHILE, of the IF's value
  p.add({.a = less, .b = both}, {-5, -7});        // 7: it < w
  p.add({.a = times, .b = in0, .c = two}, {-6});  // 8: twice it
  g.registry.add_pattern(10, p.stream);
  g.input();
  g.call(10, {0});
  g.output({1});
  const auto run = [&](const genome::stream& s, double x) {
    running m(g.registry, s);
    m->set_input(0, m.f32({x}));
    REQUIRE(m->set_parameter("w", m.f32({100})));
    return m.run();
  };
  running m = g.interpreter();
  for (const bool copies : {false, true}) {
    const auto flat = genome::expand(m.program(), {.copies = copies});
    REQUIRE(flat);
    CHECK(run(*flat, 3) == "f32 [1] 103");
    CHECK(run(*flat, -3).substr(0, 12) == "budget_steps");
  }
  CHECK(run(g.stream, 3) == "f32 [1] 103");
  CHECK(run(g.stream, 0) == run(g.stream, -1));  // 0 and negative ones don't grow
}

TEST_CASE("vm/genome/patterns: copies that end something", "[vm_genome]") {
  // As a value a COPY of inputs is its last one, as its expansion has it; as an id the first.
  graph h;
  h.input(), h.input(), h.input();
  h.branch(1, 1, {0, 1, 2});
  h.add({.a = 7, .b = 2, .c = 2}, {1, 0});
  h.add({.a = 7, .b = 2, .c = 1}, {1, 0});
  h.output({3});
  check_expansion(h, {{1}, {5}, {7}}, "f32 [1] 7");
  check_expansion(h, {{0}, {5}, {7}}, "f32 [1] 5");
  graph last;
  last.add({.a = 7, .b = 2, .c = 3}, {1, 0});
  check_expansion(last, {{1}, {5}, {7}}, "f32 [1] 7");
  graph state;  // a loop that ends before its first round
  state.input(), state.input();
  state.loop(1, 1, {1});
  state.op(lt, "in0,in1", 0, {1, 0});
  state.add({.a = 7, .b = 2, .c = 1}, {1, 0});
  state.output({2});
  check_expansion(state, {{1}, {5}}, "f32 [1] 5");
  for (const bool copies : {false, true}) {
    graph p;
    p.add({.a = 7, .b = 3, .c = 3}, {1, 0});
    running m = p.interpreter();
    const auto flat = genome::expand(m.program(), {.copies = copies});
    REQUIRE(flat);
    running n(p.registry, *flat);
    REQUIRE(n->unnamed_parameters() == 3);
    CHECK(n->set_unnamed_parameter(2, n.f32({4})));
    CHECK(n->set_unnamed_parameter(1, n.f32({3})));
    CHECK(n->set_unnamed_parameter(0, n.f32({2})));
    CHECK(n.run() == "f32 [1] 4");
  }
}

TEST_CASE("vm/genome/patterns: copies of inputs are the next inputs of the graph", "[vm_genome]") {
  graph g;
  graph p;  // what comes before it, and the first of two inputs
  const std::uint8_t plus = g.operation(add), both = g.variation("in0,in1");
  p.add({.a = 7, .b = 2, .c = 2}, {1, 0});
  p.add({.a = plus, .b = both}, {-2, -1});
  g.registry.add_pattern(10, p.stream);
  graph outer;
  outer.call(10, {-1});
  outer.call(10, {-1});
  g.registry.add_pattern(11, outer.stream);
  g.input();        // 0
  g.call(10, {0});  // 1, 2
  g.input();        // 3
  g.call(11, {2});  // 4, 5 and 6, 7
  g.input();        // 8
  g.op(add, "in0,in1", 0, {0, 4});
  g.output({1, 3, 2, 4});
  const std::vector<reals> given = {{1}, {2}, {4}, {8}, {16}, {32}, {64}, {128}, {256}};
  // 1 + 2; 8 + 16 + 64; 8; 256
  check_expansion(g, given, "f32 [1] 3; f32 [1] 88; f32 [1] 8; f32 [1] 256");
  CHECK(g.interpreter()->inputs() == 9);

  graph last;  // without OUTPUT: the value is the last node's, in patterns too
  graph only;
  only.add({.a = 7, .b = 2, .c = 3}, {1, 0});
  last.registry.add_pattern(10, only.stream);
  last.call(10, {});
  check_expansion(last, {{1}, {5}, {7}}, "f32 [1] 7");
  CHECK(last.interpreter({.max_nodes = 3})->inputs() == 3);
  CHECK(last.interpreter({.max_nodes = 2})->run().code == errc::budget_memory);
  graph state;  // and of blocks
  graph unnamed;
  unnamed.add({.a = 7, .b = 3, .c = 2}, {1, 0});
  state.registry.add_pattern(10, unnamed.stream);
  state.input();
  state.branch(1, 1, {0});
  state.call(10, {});
  state.add({.a = 3, .b = 1}, {});
  state.output({1});
  running m = state.interpreter();
  const auto flat = genome::expand(m.program());
  REQUIRE(flat);
  running n(state.registry, *flat);
  for (running* const each : {&m, &n}) {
    (*each)->set_input(0, each->f32({1}));
    for (std::size_t i = 0; i < 3; ++i)
      CHECK((*each)->set_unnamed_parameter(i, each->f32({static_cast<double>(i)})));
    CHECK(each->run() == "f32 [1] 1");
  }
}

TEST_CASE("vm/genome/patterns: calls in loops", "[vm_genome]") {
  // The pattern takes the loop's variable, by the number of the node that it starts from.
  graph g;
  const auto two = g.constant("int", "2");
  graph p;
  p.add({.a = g.operation(mul), .b = g.variation("in0"), .c = two}, {-4});
  p.add({.a = g.operation(mul), .b = g.variation("in0"), .c = two}, {-1});
  g.registry.add_pattern(10, p.stream);
  g.input(), g.input();            // 0: limit, 1: x
  g.loop(1, 1, {1});               // 2
  g.op(lt, "in1,in0", 0, {0, 1});  // 3
  g.call(10, {1});                 // 4, flat 4 and 5: of node 0?
  g.output({2});
  // From flat 4, -4 is node 0, the limit: the loop ends after one round.
  check_expansion(g, {{100}, {1}}, "f32 [1] 400");

  graph h;
  const auto factor = h.constant("int", "2");
  graph q;
  q.add({.a = h.operation(mul), .b = h.variation("in0"), .c = factor}, {-3});
  h.registry.add_pattern(10, q.stream);
  h.input(), h.input();
  h.loop(1, 1, {1});
  h.op(lt, "in1,in0", 0, {0, 1});
  h.call(10, {1});
  h.output({2, 1});
  check_expansion(h, {{100}, {1}}, "f32 [1] 128; f32 [1] 1");
}

TEST_CASE("vm/genome/patterns: what they take has to have a value", "[vm_genome]") {
  graph g;
  graph p;
  p.add({.a = g.operation(mul), .b = g.variation("in0"), .c = g.constant("int", "2")}, {-2});
  g.registry.add_pattern(10, p.stream);
  g.input();
  g.branch(1, 1, {0, 0});
  g.input();
  g.input();
  g.op(mul, "in0", g.constant("int", "3"), {0});
  g.call(10);  // takes node 3, which is in a block
  g.output({5});
  CHECK(g.run({{1}}) == "genome_pattern_order at 5 (35)");
  graph pad;
  pad.registry = g.registry;
  pad.add({.a = 1, .b = 1}, {});
  pad.add({.a = 2, .b = 1}, {});
  pad.call(10);
  CHECK(pad.run({{1}}) == "genome_pattern_order at 2 (10)");
}

TEST_CASE("vm/genome/patterns: in an IF they take what it lists", "[vm_genome]") {
  graph g;
  graph p;
  p.add({.a = g.operation(mul), .b = g.variation("in0"), .c = g.constant("int", "2")}, {-3});
  g.registry.add_pattern(10, p.stream);
  g.input(), g.input();    // 0, 1
  g.branch(1, 1, {1, 1});  // 2: lists only 1
  g.call(10);              // 3: takes 0
  g.call(10);              // 4: takes 1
  g.output({2});
  const auto same = [](const graph& of, const std::string& expected) {
    running m = of.interpreter();
    for (std::size_t i = 0; i < m->inputs(); ++i) m->set_input(i, m.f32({1}));
    CHECK(m.run() == expected);
    const auto flat = genome::expand(m.program());
    CHECK(bool(flat) == (expected[0] == 'f'));
    if (!flat) CHECK(flat.error().code == errc::genome_reference_external);
  };
  same(g, "genome_reference_external at 3 (23)");
  graph both = g;
  both.stream = {};
  both.input(), both.input();
  both.branch(1, 1, {1, 0, 1});
  both.call(10);
  both.call(10);
  both.output({2});
  same(both, "f32 [1] 2");
  // A WHILE in the block of an IF takes no more than the IF does; outside of one it takes anything.
  graph loop;
  const auto zero = loop.constant("int", "0");
  graph q;
  q.add({.a = loop.operation(mul), .b = loop.variation("in0"), .c = zero}, {-5});
  loop.registry.add_pattern(10, q.stream);
  loop.input(), loop.input();      // 0, 1
  loop.loop(1, 1, {1});            // 2
  loop.op(gt, "in0", zero, {1});   // 3
  loop.op(mul, "in0", zero, {1});  // 4
  loop.call(10);                   // 5: takes 0
  loop.output({5});
  same(loop, "f32 [1] 0");
  graph inside = loop;
  inside.stream = {};
  inside.input(), inside.input();           // 0, 1
  inside.branch(3, 1, {1, 1});              // 2
  inside.add({.a = 8, .b = 2}, {1, 1, 1});  // 3: WHILE
  inside.op(gt, "in0", zero, {1});          // 4
  inside.call(10);                          // 5: takes 0
  inside.add({.a = 2, .b = 1}, {});         // 6
  inside.output({2});
  same(inside, "genome_reference_external at 5 (41)");
}

TEST_CASE("vm/genome/patterns: deep and many", "[vm_genome]") {
  // Patterns that are twice the one before, up to 2^27 nodes; and a chain of calls of calls.
  graph g;
  const auto one = g.constant("int", "1");
  graph leaf;
  leaf.add({.a = g.operation(add), .b = g.variation("in0"), .c = one}, {-1});
  g.registry = genome::registry();
  g.registry.add_operation(10, "aten.add.Tensor:node_args(1):kwargs()");
  g.registry.add_variation(10, "in0");
  g.registry.add_constant(10, "int", "1");
  g.registry.add_pattern(10, leaf.stream);
  const auto twice = [](std::uint32_t of) {
    graph p;
    p.call(static_cast<std::uint8_t>(of), {-1});
    p.call(static_cast<std::uint8_t>(of), {-1});
    return p;
  };
  for (std::uint32_t k = 1; k <= 27; ++k) {
    const graph p = twice(9 + k);
    g.registry.add_pattern(10 + k, p.stream);
  }
  for (std::uint32_t k = 0; k < 200; ++k) {
    graph p;
    p.call(static_cast<std::uint8_t>(k == 0 ? 10 : 49 + k), {-1});
    g.registry.add_pattern(50 + k, p.stream);
  }
  graph small = g;
  small.input();
  small.call(22, {0});
  small.call(249, {1});
  small.output({2});
  CHECK(small.run({{0}}, 2000000) == "f32 [1] 4097");
  graph bomb = g;
  bomb.input();
  bomb.call(36, {0});
  running m = bomb.interpreter();
  CHECK(m.run() == "budget_memory at 4294967295 (0)");
}

TEST_CASE("vm/genome/patterns: any program gives what its expansion does", "[vm_genome]") {
  std::mt19937 random(20);
  const auto below = [&](std::size_t n) {
    return static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
  };
  for (int round = 0; round < 150; ++round) {
    graph g;
    const std::uint8_t operations[] = {g.operation(add), g.operation(sub),
                                       g.operation("aten.maximum.default:node_args(2):kwargs()")};
    const std::uint8_t orders[] = {g.variation("in0,in1"), g.variation("in1,in0"),
                                   g.variation("in0,in0")};
    const std::int32_t first = 6;  // inputs, before any pattern: references lead back as far
    const auto add_operation = [&](graph& to, std::int32_t a, std::int32_t b) {
      if (a > b) std::swap(a, b);
      const std::uint8_t order = orders[a == b ? 2 : below(2)];
      to.add({.a = operations[below(3)], .b = order}, a == b ? inputs{a} : inputs{a, b});
    };
    // Patterns of operations and of earlier patterns.
    std::vector<std::int32_t> sizes;
    for (std::uint32_t id = 10; id < 15; ++id) {
      graph p;
      std::int32_t flat = 0;
      for (std::int32_t k = 1 + below(4); k >= 0; --k) {
        if (!sizes.empty() && below(3) == 0) {
          const std::int32_t inner = below(sizes.size());
          p.call(static_cast<std::uint8_t>(10 + inner), {-1});
          flat += sizes[static_cast<std::size_t>(inner)];
        } else {
          const std::int32_t reach = flat + first;
          add_operation(p, -1 - below(static_cast<std::size_t>(reach)),
                        -1 - below(static_cast<std::size_t>(reach)));
          ++flat;
        }
      }
      g.registry.add_pattern(id, p.stream);
      sizes.push_back(flat);
    }
    std::vector<reals> given;
    for (std::int32_t i = 0; i < first; ++i) {
      g.input();
      given.push_back({static_cast<double>(below(9)), static_cast<double>(below(9))});
    }
    std::vector<std::int32_t> ids;
    for (std::int32_t i = 0; i < first; ++i) ids.push_back(i);
    for (int k = 0; k < 12; ++k) {
      const auto n = static_cast<std::int32_t>(g.stream.size());
      if (below(2) == 0)
        ids.push_back(g.call(static_cast<std::uint8_t>(10 + below(5)), {0}));
      else
        add_operation(g, below(static_cast<std::size_t>(n)), below(static_cast<std::size_t>(n)));
    }
    const auto n = static_cast<std::int32_t>(g.stream.size());
    g.output({n - 1, n - 2, n - 5});
    std::vector<genome::pattern_result> results;
    for (std::uint32_t id = 10; id < 15; ++id)
      if (below(2) == 0)
        results.push_back(
            {id, static_cast<std::uint32_t>(below(static_cast<std::size_t>(sizes[id - 10])))});

    running m = g.interpreter({.results = {results.data(), results.size()}});
    for (std::size_t i = 0; i < given.size(); ++i) m->set_input(i, m.f32(given[i]));
    const auto flat = genome::expand(m.program(), {.results = {results.data(), results.size()}});
    REQUIRE(flat);
    running expanded(g.registry, *flat);
    for (std::size_t i = 0; i < given.size(); ++i) expanded->set_input(i, expanded.f32(given[i]));
    const std::string expected = expanded.run();
    CHECK(expected.substr(0, 7) == "f32 [2]");
    CHECK(m.run() == expected);
    CHECK(m.run() == expected);  // nothing is left over from the first
  }
}
