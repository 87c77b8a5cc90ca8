// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "build.hpp"
// Keeps the line above where it is.
#include <new>
#include <optional>

#include "support/allocations.hpp"

using namespace vm_genome_tests;

namespace {

const std::string add = "aten.add.Tensor:node_args(2):kwargs()";
const std::string add_number = "aten.add.Tensor:node_args(1):kwargs()";
const std::string mul = "aten.mul.Tensor:node_args(1):kwargs()";
const std::string gt = "aten.gt.Scalar:node_args(1):kwargs()";
const std::string lt = "aten.lt.Tensor:node_args(2):kwargs()";

}  // namespace

TEST_CASE("vm/genome/machine: a linear layer", "[vm_genome]") {
  graph g;
  const auto weight = g.parameter("p_weight"), bias = g.parameter("p_bias");
  g.input();
  g.parameter_node(weight);
  g.parameter_node(bias);
  g.output({g.op("aten.linear.default:node_args(3):kwargs()", "in0,in1,in2", 0, {0, 1, 2})});
  running m = g.interpreter();
  CHECK(m->inputs() == 1);
  REQUIRE(m->parameters().size() == 2);
  CHECK(m.program().library().parameter(m->parameters()[1]) == "p_bias");
  CHECK(m.run() == "nac_run_input at 0 (0)");
  m->set_input(0, m.f32({1, 2}));
  CHECK(m.run() == "genome_run_parameter at 1 (5)");
  const nac::tensor w = m.f32({1, 0, 2, 1, 0, 3}).with_shape({3, 2});
  CHECK(m->set_parameter("p_weight", w));
  CHECK(m.run() == "genome_run_parameter at 2 (10)");
  CHECK(m->set_parameter(static_cast<std::uint32_t>(bias), m.f32({10, 20, 30})));
  CHECK_FALSE(m->set_parameter("p_other", w));
  CHECK_FALSE(m->set_parameter(9, w));
  CHECK(m.run() == "f32 [3] 11 24 36");
  CHECK(m.nodes == 5);
  m->set_input(0, m.f32({0, 1}));
  CHECK(m.run() == "f32 [3] 10 21 33");
  const std::uint64_t all = m.steps;
  CHECK(m.run(all) == "f32 [3] 10 21 33");
  CHECK(m.run(all - 1) == "budget_steps at 4 (26)");
  CHECK(m.nodes == 4);
}

TEST_CASE("vm/genome/machine: one that can't run", "[vm_genome]") {
  graph g;
  g.input();
  g.parameter_node(g.parameter("w"));
  g.op("aten.made_up.default:node_args(1):kwargs()", "in0", 0, {0});
  g.input();
  g.output({2});
  running m = g.interpreter();
  CHECK(m->set_input(0, m.f32({1})));
  CHECK_FALSE(m->set_input(2, m.f32({1})));
  CHECK(m->set_parameter("w", m.f32({1})));
  CHECK_FALSE(m->set_unnamed_parameter(0, m.f32({1})));
  CHECK(m.run() == "genome_run_operation at 2 (10)");
  CHECK(m->run().text == "aten.made_up.default");
  CHECK(m->outputs().empty());
}

TEST_CASE("vm/genome/machine: several inputs and outputs, and none", "[vm_genome]") {
  graph g;
  g.add({.a = 7, .b = 2, .c = 3}, {1, 0});  // three inputs, of which the first is taken
  g.input();
  g.output({0, 1});
  g.output({g.op(add, "in0,in1", 0, {0, 1})});
  running m = g.interpreter();
  REQUIRE(m->inputs() == 4);
  m->set_input(0, m.f32({1}));
  m->set_input(3, m.f32({2}));
  CHECK(m.run() == "f32 [1] 1; f32 [1] 2; f32 [1] 3");

  graph last;  // no OUTPUT: the last value
  last.op(add_number, "in0", last.constant("int", "1"), {last.input()});
  CHECK(last.run({{4}}) == "f32 [1] 5");
  CHECK(graph().run({}) == "");

  graph copies;  // of an operation: once
  copies.add({.a = copies.operation("aten.arange.default:node_args(0):kwargs()"),
              .b = 1,
              .c = copies.constant("int", "3")},
             {});
  copies.add({.a = 7, .b = 10, .c = 5}, {1, 10});
  copies.add({.a = 1, .b = 1}, {});
  copies.output({copies.op(add, "in0,in1", 0, {0, 1})});
  CHECK(copies.run({}) == "i64 [3] 0 2 4");
}

TEST_CASE("vm/genome/machine: parameters without names", "[vm_genome]") {
  graph g;
  g.add({.a = 3, .b = 1}, {});
  g.add({.a = 7, .b = 3, .c = 2}, {1, 0});
  g.add({.a = 3, .b = 1}, {});
  g.output({0, 1, 2});
  running m = g.interpreter();
  REQUIRE(m->unnamed_parameters() == 4);
  m->set_unnamed_parameter(0, m.f32({1}));
  m->set_unnamed_parameter(1, m.f32({2}));
  CHECK(m.run() == "genome_run_parameter at 2 (14)");
  m->set_unnamed_parameter(3, m.f32({4}));
  CHECK(m.run() == "f32 [1] 1; f32 [1] 2; f32 [1] 4");
}

TEST_CASE("vm/genome/machine: IF", "[vm_genome]") {
  graph g;
  const auto ten = g.constant("int", "10"), zero = g.constant("int", "0");
  g.input();                         // 0
  g.input();                         // 1
  g.op(gt, "in0", zero, {0});        // 2
  g.branch(2, 1, {2, 1, 0});         // 3
  g.op(mul, "in0", ten, {1});        // 4
  g.op(add, "in0,in1", 0, {-1, 0});  // 5
  g.input();                         // 6: what the IF lists first, which is 1
  g.output({g.op(add_number, "in0", ten, {3})});
  CHECK(g.run({{1}, {7}}) == "f32 [1] 81");
  CHECK(g.run({{-1}, {7}}) == "f32 [1] 17");
  CHECK(g.run({{1, 2}, {7}}) == "genome_run_condition at 3 (17)");
  CHECK(g.run({{}, {7}}) == "genome_run_condition at 3 (17)");
}

TEST_CASE("vm/genome/machine: IF with OUTPUT in its blocks", "[vm_genome]") {
  graph g;
  const auto one = g.constant("int", "1");
  g.input(), g.input();       // 0, 1
  g.branch(1, 1, {0, 0, 1});  // 2
  g.output({0, 1});           // 3
  g.output({1});              // 4
  g.op("<built-in function getitem>:node_args(1):kwargs()", "in0", one, {2});
  g.output({5});
  CHECK(g.run({{1}, {7}}) == "f32 [1] 7");    // of the list
  CHECK(g.run({{0}, {7, 8}}) == "f32 [] 8");  // of the tensor
}

TEST_CASE("vm/genome/machine: WHILE", "[vm_genome]") {
  // while (x < limit) x = x * 2
  graph g;
  const auto two = g.constant("int", "2");
  g.input(), g.input();
  g.loop(1, 1, {0});
  g.op(lt, "in0,in1", 0, {0, 1});
  g.op(mul, "in0", two, {0});
  g.output({2, 0});  // after the loop the state is what it was
  CHECK(g.run({{1}, {100}}) == "f32 [1] 128; f32 [1] 1");
  running m = g.interpreter();
  m->set_input(0, m.f32({50}));
  m->set_input(1, m.f32({100}));
  trail seen;
  CHECK(m->run({}, tessera::vm::observer_ref<vm::event>(seen)));
  CHECK(seen.text == "(0)(1)(2(3)(4)(3))(5)");
  CHECK(g.run({{200}, {100}}) == "f32 [1] 200; f32 [1] 200");
  CHECK(g.run({{0}, {100}}, 1000) == "budget_steps at 4 (30)");
  CHECK(g.run({{1, 2}, {100}}) == "genome_run_condition at 2 (10)");
}

TEST_CASE("vm/genome/machine: WHILE of two variables", "[vm_genome]") {
  // (a, b) = (b, a + b) while a < limit, with DATA_INPUT for a in the condition
  graph g;
  g.input(), g.input(), g.input();
  g.loop(2, 2, {0, 1});             // 3
  g.input();                        // 4
  g.op(lt, "in0,in1", 0, {-1, 2});  // 5
  g.op(add, "in0,in1", 0, {0, 1});  // 6
  g.output({1, 6});                 // 7
  const auto one = g.constant("int", "1");
  g.op("<built-in function getitem>:node_args(1):kwargs()", "in0", one, {3});
  g.output({3, 8});
  CHECK(g.run({{0}, {1}, {50}}) == "{f32 [1] 55; f32 [1] 89}; f32 [1] 89");
  CHECK(g.run({{60}, {1}, {50}}) == "{f32 [1] 60; f32 [1] 1}; f32 [1] 1");
}

TEST_CASE("vm/genome/machine: two variables that start as one node", "[vm_genome]") {
  // The id is the first variable; the second is a DATA_INPUT.
  graph g;
  const auto one = g.constant("int", "1"), two = g.constant("int", "2");
  g.input(), g.input();
  g.loop(1, 5, {0, 0});                     // 2
  g.op(lt, "in0,in1", 0, {0, 1});           // 3
  g.add({.a = 7, .b = 2, .c = 1}, {1, 0});  // 4: variable 0
  g.input();                                // 5: variable 1
  g.op(mul, "in0", two, {5});               // 6
  g.output({g.op(add_number, "in0", one, {0}), 6});
  g.output({2});
  CHECK(g.run({{1}, {4}}) == "{f32 [1] 4; f32 [1] 8}");
}

TEST_CASE("vm/genome/machine: loops and branches inside one another", "[vm_genome]") {
  // Steps of Collatz' sequence, and how high it got.
  graph g;
  const auto one = g.constant("int", "1"), two = g.constant("int", "2"),
             three = g.constant("int", "3"), zero = g.constant("int", "0");
  g.input();                                                             // 0: x
  g.op("aten.mul.Tensor:node_args(1):kwargs()", "in0", zero, {0});       // 1: steps
  g.loop(1, 7, {0, 1});                                                  // 2
  g.op(gt, "in0", one, {0});                                             // 3
  g.op("aten.remainder.Scalar:node_args(1):kwargs()", "in0", two, {0});  // 4
  g.branch(2, 1, {4, 0});                                                // 5
  g.op(mul, "in0", three, {0});                                          // 6
  g.op(add_number, "in0", one, {-1});                                    // 7
  g.op("aten.div.Tensor:node_args(1):kwargs()", "in0", two, {0});        // 8
  g.op(add_number, "in0", one, {1});                                     // 9
  g.output({5, 9});                                                      // 10
  g.output({2});
  CHECK(g.run({{27}}) == "{f32 [1] 1; f32 [1] 111}");
  CHECK(g.run({{1}}) == "{f32 [1] 1; f32 [1] 0}");

  // sum over i < n of sum over j < i of 1, with the inner loop's state taken from the outer one's
  graph h;
  const auto plus = h.constant("int", "1"), none = h.constant("int", "0");
  h.input();                                          // 0: n
  h.op(mul, "in0", none, {0});                        // 1: i, 0 at first
  h.op(mul, "in0", none, {0});                        // 2: sum
  h.loop(1, 9, {1, 2});                               // 3
  h.op(lt, "in0,in1", 0, {1, 0});                     // 4
  h.op(mul, "in0", none, {1});                        // 5: j
  h.loop(1, 3, {5, 2});                               // 6: on with the sum
  h.op(lt, "in0,in1", 0, {5, 1});                     // 7: i of the outer round
  h.op(add_number, "in0", plus, {2});                 // 8
  h.output({h.op(add_number, "in0", plus, {5}), 8});  // 9, 10
  h.op("<built-in function getitem>:node_args(1):kwargs()", "in0", plus, {6});  // 11
  h.output({h.op(add_number, "in0", plus, {1}), 11});                           // 12, 13
  h.output({3});
  CHECK(h.run({{5}}) == "{f32 [1] 5; f32 [1] 10}");
}

TEST_CASE("vm/genome/machine: a recurrent network", "[vm_genome]") {
  // while (i < 3) (i, h) = (i + 1, relu(W x[i] + b + U h)); neither x nor the weights are listed.
  graph g;
  const auto one = g.constant("int", "1"), steps = g.constant("int", "3");
  g.input();                                                          // 0: x, 3 x 2
  g.input();                                                          // 1: i
  g.input();                                                          // 2: h, 1 x 2
  g.parameter_node(g.parameter("w"));                                 // 3
  g.parameter_node(g.parameter("b"));                                 // 4
  g.parameter_node(g.parameter("u"));                                 // 5
  g.loop(1, 7, {1, 2});                                               // 6
  g.op("aten.lt.Scalar:node_args(1):kwargs()", "in0", steps, {1});    // 7
  g.op("aten.index.Tensor:node_args(2):kwargs()", "in0", 0, {0, 1});  // 8
  g.op("aten.linear.default:node_args(3):kwargs()", "in2,in0,in1", 0, {3, 4, -1});
  g.op("aten.linear.default:node_args(2):kwargs()", "in0,in1", 0, {2, 5});  // 10
  g.op(add, "in0,in1", 0, {-2, -1});                                        // 11
  g.op("aten.relu.default:node_args(1):kwargs()", "in0", 0, {-1});          // 12
  g.op(add_number, "in0", one, {1});                                        // 13
  g.output({-1, -2});                                                       // 14
  g.op("<built-in function getitem>:node_args(1):kwargs()", "in0", one, {6});
  g.output({15});
  running m = g.interpreter();
  m->set_input(0, m.f32({1, 0, 0, 1, 1, 1}).with_shape({3, 2}));
  m->set_input(2, m.f32({0, 0}).with_shape({1, 2}));
  m->set_parameter("w", m.f32({1, 2, 3, -1}).with_shape({2, 2}));
  m->set_parameter("b", m.f32({0, 1}));
  m->set_parameter("u", m.f32({1, 0, 1, -1}).with_shape({2, 2}));
  const auto start_at = [&](std::int64_t i) {
    nac::tensor t = nac::make_tensor(m->arena(), data_type::int64, {1});
    *t.as<std::int64_t>() = i;
    m->set_input(1, t);
  };
  // W x + b = (1, 4), (2, 0), (3, 3); U h = (0, 0), (1, -3), (3, 3): h = (1, 4), (3, 0), (6, 6)
  start_at(0);
  CHECK(m.run() == "f32 [1, 2] 6 6");
  CHECK(m.nodes == 6 + 1 + 4 + 3 * 7 + 2);
  start_at(2);  // one round, from zero
  CHECK(m.run() == "f32 [1, 2] 3 3");
  start_at(3);
  CHECK(m.run() == "f32 [1, 2] 0 0");
  start_at(-3);  // rows from the end: the same three before them: (7, 4), (9, 3), (12, 9)
  CHECK(m.run() == "f32 [1, 2] 12 9");
}

TEST_CASE("vm/genome/machine: one of two layers", "[vm_genome]") {
  // x + (mean(x) > 0 ? relu(W x + b) : 2 (x - mean(x)))
  graph g;
  const auto zero = g.constant("int", "0"), two = g.constant("int", "2");
  g.input();                                                       // 0: x
  g.parameter_node(g.parameter("w"));                              // 1
  g.parameter_node(g.parameter("b"));                              // 2
  g.op("aten.mean.default:node_args(1):kwargs()", "in0", 0, {0});  // 3
  g.op(gt, "in0", zero, {3});                                      // 4
  g.branch(2, 3, {4, 0, 1, 2, 3});                                 // 5
  g.op("aten.linear.default:node_args(3):kwargs()", "in0,in1,in2", 0, {0, 1, 2});
  g.op("aten.relu.default:node_args(1):kwargs()", "in0", 0, {-1});       // 7
  g.input();                                                             // 8: x, listed first
  g.op("aten.sub.Tensor:node_args(2):kwargs()", "in1,in0", 0, {3, -1});  // 9
  g.op(mul, "in0", two, {-1});                                           // 10
  g.output({g.op(add, "in1,in0", 0, {0, 5})});
  running m = g.interpreter();
  REQUIRE(m->inputs() == 1);
  m->set_parameter("w", m.f32({2, 0, 1, 1}).with_shape({2, 2}));
  m->set_parameter("b", m.f32({1, -10}));
  m->set_input(0, m.f32({1, 3}));
  CHECK(m.run() == "f32 [2] 4 3");  // relu of (3, -6)
  CHECK(m.nodes == 6 + 2 + 2);
  m->set_input(0, m.f32({-1, -3}));
  CHECK(m.run() == "f32 [2] 1 -5");  // twice (1, -1)
  CHECK(m.nodes == 6 + 3 + 2);
}

TEST_CASE("vm/genome/machine: branches far inside one another", "[vm_genome]") {
  graph g;
  const std::int32_t depth = 5000;
  const auto one = g.constant("int", "1");
  g.input();
  // Each IF's first block is the next IF with both of its blocks, and one node; the other a node.
  for (std::int32_t i = 0; i < depth; ++i) g.branch(3 * (depth - 1 - i) + 1, 1, {0, 0});
  g.op(add_number, "in0", one, {0});
  for (std::int32_t i = 1; i < depth; ++i) {
    g.op(mul, "in0", one, {0});         // the else of the inner one
    g.op(add_number, "in0", one, {0});  // ends the block around
  }
  g.op(mul, "in0", one, {0});
  g.output({1});
  CHECK(g.run({{3}}, 10000000) == "f32 [1] 4");
  CHECK(g.run({{0}}, 10000000) == "f32 [1] 0");
}

TEST_CASE("vm/genome/machine: memory", "[vm_genome]") {
  // A chain of 100 results of 4000 bytes, each dropped after its use.
  graph g;
  const auto one = g.constant("int", "1");
  g.input();
  for (std::int32_t i = 0; i < 100; ++i) g.op(add_number, "in0", one, {i});
  g.output({100});
  running m = g.interpreter({.max_memory = 50'000});
  const reals zeros(1000);
  m->set_input(0, m.f32(zeros));
  m->arena().reset_peak();
  CHECK(m.run().substr(0, 16) == "f32 [1000] 100 1");
  CHECK(m->arena().peak() < 17'000);
  CHECK(m->arena().peak() > 8'000);

  graph h;  // all of them at once don't fit
  h.registry = g.registry;
  h.input();
  std::vector<std::int32_t> all;
  for (std::int32_t i = 0; i < 100; ++i) all.push_back(h.add({.a = 10, .b = 10, .c = one}, {i}));
  h.output(all);
  running n = h.interpreter({.max_memory = 50'000});
  n->set_input(0, n.f32(zeros));
  CHECK(n.run().substr(0, 16) == "budget_memory at");

  // Without memory for the program there is a machine that says so.
  std::uint64_t at = 0, refused = 0;
  for (;; ++at) {
    REQUIRE(at < 100000);
    std::optional<vm::interpreter> made;
    try {
      const tessera_tests::failing_allocations none(at);
      made.emplace(m.program());
    } catch (const std::bad_alloc&) {
      continue;  // before there was anything to compile
    }
    const errc code = made->run().code;
    if (code == errc::nac_run_input) break;  // complete, but for its input
    REQUIRE(code == errc::budget_memory);
    ++refused;
  }
  CHECK(refused > 5);

  // More nodes than there may be.
  running few = g.interpreter({.max_nodes = 102});
  few->set_input(0, few.f32({1}));
  CHECK(few.run() == "f32 [1] 101");
  running fewer = g.interpreter({.max_nodes = 101});
  CHECK(fewer->run().code == errc::budget_memory);
  CHECK(fewer->run().node == vm::outcome::none);
}

TEST_CASE("vm/genome/machine: results last through loops", "[vm_genome]") {
  // What the body takes from outside is there in every round, and dropped after the loop.
  graph g;
  const auto one = g.constant("int", "1");
  g.input(), g.input();               // 0: x, 1: limit
  g.op(add_number, "in0", one, {0});  // 2: used only in the body
  g.op(add_number, "in0", one, {1});  // 3: used only in the condition
  g.loop(1, 1, {0});                  // 4
  g.op(lt, "in0,in1", 0, {0, 3});     // 5
  g.op(add, "in0,in1", 0, {0, 2});    // 6
  g.output({4});
  CHECK(g.run({{1}, {9}}) == "f32 [1] 11");
}
