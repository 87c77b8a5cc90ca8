// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nac/interpreter.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "tessera/transform/optimize.hpp"
#include "vm/nac/build.hpp"
#include "vm/nac/types.hpp"

using namespace vm_nac_tests;
using nac::action;
using nac::data_type;
using tessera::errc;

namespace {

[[nodiscard]] vm::tensor floats(vm::interpreter& m, const vm::shape& dims,
                                const std::vector<float>& values) {
  vm::tensor t = vm::make_tensor(m.arena(), data_type::float32, dims);
  REQUIRE(t.size() == values.size());
  for (std::size_t i = 0; i < values.size(); ++i) t.as<float>()[i] = values[i];
  return t;
}
[[nodiscard]] vm::tensor truth(vm::interpreter& m, bool v) {
  vm::tensor t = vm::make_tensor(m.arena(), data_type::boolean, {1});
  *t.as<bool>() = v;
  return t;
}
[[nodiscard]] std::vector<double> elements(const vm::value& v) {
  REQUIRE(v.is_tensor());
  const vm::tensor& t = v.as_tensor();
  std::vector<double> out(t.size());
  vm::cast(t.type, t.data, data_type::float64,
           static_cast<std::byte*>(static_cast<void*>(out.data())), out.size());
  return out;
}
using list = std::vector<double>;

/// "code" or "code of instruction".
[[nodiscard]] std::string summary(const vm::outcome& o) {
  std::string out(tessera::error{o.code, 0}.name());
  if (o.instruction != vm::outcome::none) out += " at " + std::to_string(o.instruction);
  return out;
}

/// Commands for a tick, in the order of calls.
void at(builder& b, std::uint32_t tick, const std::vector<nac::command_part>& commands) {
  nac::tick_part t;
  t.instruction = static_cast<std::uint16_t>(tick);
  t.commands = {static_cast<std::uint32_t>(b.parts.commands.size()),
                static_cast<std::uint32_t>(commands.size())};
  for (const nac::command_part& c : commands) b.parts.commands.push_back(c);
  b.parts.schedule.push_back(t);
}
[[nodiscard]] nac::command_part command(action what, operand of) {
  return {what, static_cast<std::uint16_t>(of.index)};
}

operand control_flow(builder& b, operand predicate, std::uint16_t yes, std::uint16_t no) {
  const auto here = static_cast<std::uint32_t>(b.parts.instructions.size());
  return b.instruction(nac::op_control_flow, 0, {yes, no},
                       {static_cast<std::uint16_t>(predicate.index - here)});
}
/// `words`: the end, how many branches, where they begin.
operand convergence(builder& b, operand input, std::uint8_t threshold,
                    const std::vector<std::uint16_t>& words) {
  const auto here = static_cast<std::uint32_t>(b.parts.instructions.size());
  return b.instruction(nac::op_convergence, threshold,
                       {static_cast<std::uint16_t>(input.index - here)}, words);
}

}  // namespace

TEST_CASE("vm/nac/machine: a missing input is reported with its instruction", "[vm_nac]") {
  builder b;
  const operand x = b.input(), y = b.input();
  b.output({x, y});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, vm::make_tensor(machine.arena(), nac::data_type::float32, {2}));
  const vm::outcome done = machine.run();
  CHECK(done.code == tessera::errc::nac_run_input);
  CHECK(done.instruction == 1);
  CHECK(done.text == "input 1 (\"x1\") isn't set");
}

TEST_CASE("vm/nac/machine: inputs, parameters, constants and outputs in their order", "[vm_nac]") {
  builder b;
  const operand c = b.real(0.5);
  const operand lost = b.instruction(nac::op_input, 0, {}, {});  // without a name
  const operand x = b.input();
  const operand p = b.parameter({2}, {10, 20});
  const operand lifted = b.instruction(nac::op_input, 3, {static_cast<std::uint16_t>(c.index)}, {});
  const operand sum = b.op("nac.add", {x, p});
  b.output({sum, lost, b.op("nac.mul", {lifted, sum}), sum});
  const built made = b.build();
  REQUIRE(made.program->inputs().size() == 2);
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {1}, {7}));
  machine.set_input(1, floats(machine, {2}, {1, 2}));
  for (int run = 0; run < 2; ++run) {
    const vm::outcome done = machine.run();
    REQUIRE(summary(done) == "ok");
    CHECK(done.instructions == 7);
    REQUIRE(machine.outputs().size() == 4);
    CHECK(elements(machine.outputs()[0]) == list{11, 22});
    CHECK(elements(machine.outputs()[1]) == list{7});
    CHECK(elements(machine.outputs()[2]) == list{5.5, 11});
    CHECK(elements(machine.outputs()[3]) == list{11, 22});
  }
}

TEST_CASE("vm/nac/machine: without an OUTPUT the last result is returned", "[vm_nac]") {
  builder b;
  b.parts.outputs = 1;
  const operand x = b.input();
  b.op("nac.add", {x, x});
  for (const bool freed : {false, true}) {
    if (freed) at(b, 1, {{action::free, 1}, {action::free, 0}});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {2}, {1, 2}));
    REQUIRE(summary(machine.run()) == "ok");
    REQUIRE(machine.outputs().size() == 1);
    CHECK(elements(machine.outputs()[0]) == list{2, 4});
  }
}

TEST_CASE("vm/nac/machine: an output is real, with an OUTPUT and without", "[vm_nac]") {
  for (const bool returned : {false, true}) {
    builder b;
    b.parts.outputs = 1;
    const operand spectrum = b.op("aten.fft_fft.default", {b.input()});
    if (returned) b.output({spectrum});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {2}, {1, 2}));
    const vm::outcome done = machine.run();
    CHECK(summary(done) == (returned ? "nac_run_kind at 2" : "nac_run_kind at 1"));
    CHECK(done.text == "output 0 is complex; expected a real one");
  }
}

TEST_CASE("vm/nac/machine: a run has as many outputs as the header", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  b.op("nac.add", {x, x});  // which no OUTPUT returns
  for (const int wanted : {0, 1, 2}) {
    b.parts.outputs = static_cast<std::uint16_t>(wanted);
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {1}, {1}));
    const vm::outcome done = machine.run();
    CHECK(summary(done) == (wanted == 1 ? "ok" : "nac_run_outputs"));
    CHECK(machine.outputs().size() == (wanted == 1 ? 1u : 0u));
    if (wanted == 2) CHECK(done.text == "found 1; expected 2");
  }
}

TEST_CASE("vm/nac/machine: a program with an operation that is unknown runs nothing", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand y = b.op("nac.add", {x, x});
  b.output({b.op("my.op", {b.op("its.op", {b.op("my.op", {y})})})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  CHECK(summary(machine.made()) == "nac_operation_unsupported at 2");
  machine.set_input(0, floats(machine, {1}, {1}));
  const vm::outcome done = machine.run();
  CHECK(summary(done) == "nac_operation_unsupported at 2");
  CHECK(done.text == "its.op, my.op");
  CHECK(done.steps == 0);
}

TEST_CASE("vm/nac/machine: of several results all but getitem takes the first", "[vm_nac]") {
  const auto result_of = [](const auto& make) {
    builder b;
    const operand x = b.input();
    const operand both = b.op("aten.max.dim", {x, b.whole(1)});  // values, indices
    make(b, x, both);
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {2, 3}, {1, 5, 2, 4, 3, 0}));
    const vm::outcome done = machine.run();
    INFO(done.text);
    REQUIRE(summary(done) == "ok");
    list all;
    for (const vm::value& v : machine.outputs())
      for (const double d : elements(v)) all.push_back(d);
    return all;
  };
  CHECK(result_of([](builder& b, operand x, operand both) {
          b.output({x, both});
        }) == list{1, 5, 2, 4, 3, 0, 5, 4});
  CHECK(result_of([](builder& b, operand, operand both) {
          const operand at = b.op("getitem", {both, b.whole(1)});
          b.output({both, at, both});
        }) == list{5, 4, 1, 0, 5, 4});
  CHECK(result_of([](builder& b, operand x, operand both) {
          b.output({b.op("nac.add", {both, both}), b.op("nac.pass", {both}),
                    b.op("aten.sum.default", {x})});
        }) == list{10, 8, 5, 4, 15});
  CHECK(result_of([](builder& b, operand x, operand) {
          const operand most =
              b.op("aten.max.dim", {b.op("nac.view", {x, b.int_list({6})}), b.whole(0)});
          b.output({b.op("nac.mul", {x, most}), b.op("nac.full", {b.int_list({1}), most})});
        }) == list{5, 25, 10, 20, 15, 0, 5});
  CHECK(result_of([](builder& b, operand, operand both) {  // as the value of the program
          b.parts.outputs = 1;
          b.op("aten.max.dim", {b.op("getitem", {both, b.whole(0)}), b.whole(0)});
        }) == list{5});
  CHECK(result_of([](builder& b, operand x, operand both) {  // as a predicate
          const operand one = b.op("aten.min.dim", {both, b.whole(0)});
          const operand c = control_flow(b, one, 1, 1);
          b.op("nac.add", {x, x});
          b.op("nac.neg", {x});
          b.output({c});
        }) == list{2, 10, 4, 8, 6, 0});
  {
    builder b;
    const operand x = b.input();
    b.output({x}, 1);
    b.output({x});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, vm::value({vm::value({floats(machine, {1}, {3}), vm::value()})}));
    REQUIRE(summary(machine.run()) == "ok");
    CHECK(elements(machine.intermediate()[0]) == list{3});
    CHECK(elements(machine.outputs()[0]) == list{3});
  }
}

TEST_CASE("vm/nac/machine: nac.view is squeeze too, aten.view never", "[vm_nac]") {
  const auto shape_of = [](const std::string& name, const auto& arguments) {
    builder b;
    const operand x = b.input();
    std::vector<operand> given = {x};
    for (const operand o : arguments(b)) given.push_back(o);
    b.output({b.op(name, given)});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}));
    const vm::outcome done = machine.run();
    return done ? machine.outputs()[0].as_tensor().dims.text() : summary(done);
  };
  using some = std::vector<operand>;
  CHECK(shape_of("nac.view", [](builder&) { return some{}; }) == "[2, 3]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.whole(0)}; }) == "[2, 1, 3]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.whole(-2)}; }) == "[1, 2, 3]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.whole(1)}; }) == "[1, 2, 1, 3]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.real(2)}; }) == "[1, 2, 3]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.whole(4)}; }) == "nac_run_axis at 1");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.int_list({6})}; }) == "[6]");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.int_list({0})}; }) ==
        "nac_run_shape at 1");
  CHECK(shape_of("nac.view", [](builder& b) { return some{b.whole(3), b.whole(-1)}; }) == "[3, 2]");
  CHECK(shape_of("aten.view.default", [](builder& b) { return some{b.whole(-1)}; }) == "[6]");
  CHECK(shape_of("aten._unsafe_view.default", [](builder& b) { return some{b.whole(6)}; }) ==
        "[6]");
  // A computed number is a shape.
  CHECK(shape_of("nac.view", [](builder& b) {
          const operand six = b.op("aten.sym_size.int", {{false, 0}, b.whole(1)});
          const operand n = b.op("nac.mul", {six, b.whole(3)});
          return some{n};
        }) == "[6]");
}

TEST_CASE("vm/nac/machine: OUTPUT 1 outside of branches gives intermediate results", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand y = b.op("nac.add", {x, x});
  b.output({y}, 1);
  const operand z = b.op("nac.add", {y, y});
  b.output({z}, 1);
  b.output({b.op("nac.add", {z, x})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {1}, {1}));
  for (int run = 0; run < 2; ++run) {
    REQUIRE(summary(machine.run()) == "ok");
    REQUIRE(machine.intermediate().size() == 2);
    CHECK(elements(machine.intermediate()[0]) == list{2});
    CHECK(elements(machine.intermediate()[1]) == list{4});
    REQUIRE(machine.outputs().size() == 1);
    CHECK(elements(machine.outputs()[0]) == list{5});
  }
}

TEST_CASE("vm/nac/machine: budgets of steps and memory hold at n and fail at n - 1", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand y = b.op("nac.add", {x, x});
  b.output({b.op("nac.add", {y, y})});
  const built made = b.build();
  {
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {1}, {1}));
    // Four instructions and their arguments; two additions that read two elements and write one.
    const std::uint64_t all = 4 + 4 * 64 + 5 * 16 + 2 * (2 + 2);
    CHECK(machine.run().steps == all);
    CHECK(summary(machine.run({.max_steps = all})) == "ok");
    const vm::outcome short_of_one = machine.run({.max_steps = all - 1});
    CHECK(summary(short_of_one) == "budget_steps at 3");
    CHECK(short_of_one.instructions == 3);
    CHECK(short_of_one.text == "80 steps, with 79 of 347 left");
    CHECK(machine.outputs().empty());
    CHECK(summary(machine.run({.max_steps = 3})) == "budget_steps");
    CHECK(summary(machine.run({.max_steps = all})) == "ok");
  }
  const auto needed = [&](std::uint64_t most) {  // x, y and the output live at once
    vm::interpreter machine(*made.program, {.max_memory = most});
    machine.set_input(0, floats(machine, {256}, std::vector<float>(256, 1)));
    const std::string first = summary(machine.run());
    CHECK(summary(machine.run()) == first);
    return first;
  };
  CHECK(needed(3 * 1024) == "ok");
  CHECK(needed(3 * 1024 - 1) == "budget_memory at 2");

  builder constants;
  const operand c = constants.real(1);
  constants.output({constants.op("nac.add", {constants.input(), c})});
  const built with_constant = constants.build();
  vm::interpreter none(*with_constant.program, {.max_memory = 7});
  CHECK(summary(none.run()) == "budget_memory");
  CHECK(none.outputs().empty());
}

TEST_CASE("vm/nac/machine: what is more than the budget holds isn't begun", "[vm_nac]") {
  // Two tensors, and what is computed from them: little to write, much to do.
  const struct {
    std::vector<std::int32_t> first, second;
    std::function<operand(builder&, operand, operand)> work;
  } rows[] = {
      {{1, 1, 1 << 16},
       {1, 1, 1 << 15},
       [](builder& b, operand x, operand y) {
         return b.op("aten.conv1d.default", {x, y});
       }},
      {{1, 1, 1 << 14},
       {1, 1, 1 << 14},
       [](builder& b, operand x, operand y) {
         return b.op("aten.conv_transpose1d.default", {x, y});
       }},
      {{1 << 9, 1 << 9},
       {1 << 9, 1 << 9},
       [](builder& b, operand x, operand y) {
         return b.op("nac.matmul", {x, y});
       }},
      {{1 << 9, 1, 1 << 9},
       {1 << 9, 1, 1 << 9},
       [](builder& b, operand x, operand y) {
         return b.op("aten.einsum.default", {b.string("aib,cjb->ac"), x, y});
       }},
      {{1 << 11, 2},
       {1 << 11, 2},
       [](builder& b, operand x, operand y) {
         return b.op("aten.scaled_dot_product_attention.default", {x, y, y});
       }},
      {{1, 1, 200, 200},
       {1},
       [](builder& b, operand x, operand) {
         return b.op("aten.max_pool2d.default", {x, b.int_list({99, 99}), b.int_list({1, 1})});
       }},
      {{1, 1, 200, 200},
       {1},
       [](builder& b, operand x, operand) {
         return b.op("aten.adaptive_avg_pool2d.default", {x, b.int_list({799, 799})});
       }},
      {{1 << 16},
       {1},
       [](builder& b, operand x, operand) { return b.op("aten.sort.default", {x}); }},
      // Rows without elements are rows.
      {{1}, {1}, [](builder& b, operand, operand) {
         return b.op("nac.full", {b.int_list({1 << 20, 1 << 20, 0}), b.real(1)});
       }}};
  for (const auto& row : rows) {
    builder b;
    const operand one = b.real(1);
    const operand x = b.op("nac.full", {b.int_list(row.first), one});
    const operand y = b.op("nac.full", {b.int_list(row.second), one});
    const operand z = row.work(b, x, y);
    b.output({z});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    const vm::outcome done = machine.run({.max_steps = 1 << 21});
    CAPTURE(row.first, done.steps, done.text);
    CHECK(summary(done) == "budget_steps at " + std::to_string(z.index));
    CHECK(done.steps < 1 << 21);
    CHECK(machine.outputs().empty());
  }
}

TEST_CASE("vm/nac/machine: all operations take steps of what they write", "[vm_nac]") {
  for (std::size_t i = 1; i < nac::operation_count; ++i)
    CHECK(int{vm::steps_of(static_cast<nac::operation>(i)).written} >= 2);
}

TEST_CASE("vm/nac/machine: steps are the same with and without a schedule", "[vm_nac]") {
  builder b;
  const operand p = b.parameter({4096}, std::vector<float>(4096, 1));
  const operand x = b.input();
  const operand y = b.op("nac.add", {x, p});
  b.output({b.op("aten.exp.default", {y})});
  at(b, 0, {command(action::preload, p)});
  const built made = b.build();
  std::set<std::uint64_t> counts;
  for (const auto frees : {vm::freeing::as_filed, vm::freeing::computed, vm::freeing::never})
    for (const bool preload : {false, true}) {
      vm::interpreter machine(*made.program, {.frees = frees, .preload = preload});
      machine.set_input(0, floats(machine, {1}, {1}));
      counts.insert(machine.run().steps);
    }
  CHECK(counts.size() == 1);
}

TEST_CASE("vm/nac/machine: a fault is reported, and the machine can be run again", "[vm_nac]") {
  builder b;
  const operand x = b.input(), y = b.input();
  const operand z = b.op("nac.add", {x, y});
  b.output({b.op("nac.mul", {z, z})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {2}, {1, 2}));
  machine.set_input(1, floats(machine, {3}, {1, 2, 3}));
  const std::uint64_t live = machine.arena().live();
  const vm::outcome done = machine.run();
  CHECK(summary(done) == "nac_run_shape at 2");
  CHECK(done.instructions == 3);
  CHECK_FALSE(done.text.empty());
  CHECK(machine.arena().live() == live);
  machine.set_input(1, floats(machine, {1}, {1}));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[0]) == list{4, 9});
}

TEST_CASE("vm/nac/machine: each error of an operation is reported with its instruction",
          "[vm_nac]") {
  const struct {
    errc code;
    const char* name;
    std::vector<std::int32_t> list;  // as the second argument; none: a number
    std::int64_t number;
  } rows[] = {{errc::nac_run_rank, "aten.repeat.default", std::vector<std::int32_t>(17, 1), 0},
              {errc::nac_run_shape, "aten.view.default", {5}, 0},
              {errc::nac_run_axis, "aten.unsqueeze.default", {}, 2},
              {errc::nac_run_index, "getitem", {}, 2},
              {errc::nac_run_argument, "aten.chunk.default", {}, 0},
              {errc::nac_run_kind, "aten.relu.default", {}, -1},
              {errc::nac_run_type, "aten.bitwise_not.default", {}, -1},
              {errc::nac_run_division, "aten.remainder.Scalar", {}, 0},
              {errc::budget_memory, "aten.repeat.default", {0x7fffffff}, 0}};
  for (const auto& row : rows) {
    INFO(row.name);
    builder b;
    const operand x = b.input();
    const operand y = b.op("nac.pass", {x});
    std::vector<operand> given = {y};
    if (!row.list.empty())
      given.push_back(b.int_list(row.list));
    else if (row.number >= 0)
      given.push_back(b.whole(row.number));
    b.output({b.op(row.name, given)});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(
        0, row.code == errc::nac_run_kind ? vm::value::string("x")
           : row.code == errc::nac_run_division
               ? vm::value(vm::cast(machine.arena(), floats(machine, {1}, {4}), data_type::int32))
               : vm::value(floats(machine, {1}, {4})));
    const vm::outcome done = machine.run();
    CHECK(summary(done) == std::string(tessera::error{row.code, 0}.name()) + " at 2");
    CHECK(done.instructions == 3);
  }
}

TEST_CASE("vm/nac/machine: weights that stand elsewhere are missed by the first INPUT",
          "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand p = b.parameter({1}, {2});
  b.output({b.op("nac.add", {x, p})});
  const auto out = nac::externalise(b.parts);
  REQUIRE(out);
  const auto written = nac::write(out->model);
  REQUIRE(written);
  const auto file = nac::read(tessera::bytes(written->data(), written->size()));
  REQUIRE(file);
  nac::verify_options elsewhere;
  elsewhere.weights_elsewhere = true;
  const auto without = nac::verify(*file, elsewhere);
  REQUIRE(without);
  vm::interpreter machine(*without);
  machine.set_input(0, floats(machine, {1}, {1}));
  CHECK(summary(machine.run()) == "nac_run_weights at 1");

  const auto weights = nac::write_safetensors(out->weights);
  REQUIRE(weights);
  const auto read = nac::read_safetensors(tessera::bytes(weights->data(), weights->size()));
  REQUIRE(read);
  nac::verify_options given;
  given.weights = &*read;
  const auto with = nac::verify(*file, given);
  REQUIRE(with);
  vm::interpreter whole(*with);
  whole.set_input(0, floats(whole, {1}, {1}));
  REQUIRE(summary(whole.run()) == "ok");
  CHECK(elements(whole.outputs()[0]) == list{3});
}

TEST_CASE("vm/nac/machine: parameters that were narrowed are float32 again", "[vm_nac]") {
  builder b;
  const operand p = b.parameter({2}, {1.5f, -2});
  b.output({b.op("nac.pass", {p})});
  const auto narrow = nac::quantize(b.parts, nac::quantization::fp16);
  REQUIRE(narrow);
  for (const auto header : {nac::quantization::fp16, nac::quantization::none}) {
    nac::parts parts = narrow->model;
    parts.quantization = header;
    const auto written = nac::write(parts);
    REQUIRE(written);
    const auto file = nac::read(tessera::bytes(written->data(), written->size()));
    REQUIRE(file);
    const auto program = nac::verify(*file);
    REQUIRE(program);
    vm::interpreter machine(*program);
    REQUIRE(summary(machine.run()) == "ok");
    CHECK(machine.outputs()[0].as_tensor().type ==
          (header == nac::quantization::fp16 ? data_type::float32 : data_type::float16));
    CHECK(elements(machine.outputs()[0]) == list{1.5, -2});
  }
}

// ---- memory

TEST_CASE("vm/nac/machine: the peak, with a schedule and without", "[vm_nac]") {
  // Five vectors of 1024 bytes, two of which are needed at a time.
  builder b;
  const operand x = b.input();
  const operand p = b.op("nac.add", {x, x});
  const operand q = b.op("nac.add", {p, p});
  const operand r = b.op("nac.add", {q, q});
  const operand s = b.op("nac.add", {r, r});
  b.output({s});
  struct row {
    const char* what;
    std::vector<std::pair<std::uint32_t, nac::command_part>> commands;
    std::uint64_t vectors;
  };
  const row rows[] = {
      {"planned", {}, 3},  // the input, and two of the others
      {"after the last use", {{3, command(action::free, p)}, {4, command(action::free, q)}}, 3},
      {"at the last use", {{2, command(action::free, p)}, {3, command(action::free, q)}}, 3},
      {"forward", {{1, command(action::forward, q)}, {2, command(action::forward, r)}}, 3},
      {"forward, but saved",
       {{1, command(action::forward, q)}, {1, command(action::save_result, p)}},
       5},
      {"only one", {{4, command(action::free, q)}}, 4},
      {"too late", {{5, command(action::free, p)}, {5, command(action::free, q)}}, 5},
      {"the input, which the caller holds", {{2, command(action::free, x)}}, 5},
  };
  for (const row& which : rows) {
    INFO(which.what);
    builder with = b;
    for (const auto& [tick, c] : which.commands) at(with, tick, {c});
    const built made = with.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {256}, std::vector<float>(256, 1)));
    for (int run = 0; run < 2; ++run) {
      REQUIRE(summary(machine.run()) == "ok");
      CHECK(elements(machine.outputs()[0])[255] == 16);
      CHECK(machine.figures().peak == which.vectors * 1024);
      CHECK(machine.figures().peak_unfreed == 5 * 1024);
      CHECK(machine.figures().parameters == 0);
    }
    vm::interpreter never(*made.program, {.frees = vm::freeing::never});
    never.set_input(0, floats(never, {256}, std::vector<float>(256, 1)));
    REQUIRE(summary(never.run()) == "ok");
    CHECK(never.figures().peak == 5 * 1024);
    CHECK(never.figures().peak_unfreed == 5 * 1024);
    vm::interpreter planned(*made.program, {.frees = vm::freeing::computed});
    planned.set_input(0, floats(planned, {256}, std::vector<float>(256, 1)));
    REQUIRE(summary(planned.run()) == "ok");
    CHECK(planned.figures().peak == 3 * 1024);
  }
}

TEST_CASE("vm/nac/machine: parameters stay loaded, or go with their results", "[vm_nac]") {
  // Two parameters of 1024 bytes, the first of which is asked for twice.
  builder b;
  const operand x = b.input();
  const operand p = b.parameter({256}, std::vector<float>(256, 2));
  const operand y = b.op("nac.mul", {x, p});
  const operand q = b.parameter({256}, std::vector<float>(256, 3));
  const operand z = b.op("nac.mul", {y, q});
  const operand again = b.instruction(nac::op_input, 1, {0}, {});
  b.output({b.op("nac.mul", {z, again})});
  const built made = b.build();
  struct row {
    vm::freeing frees;
    bool keep;
    std::uint64_t peak, live;  // in vectors; live: after a run, the output among them
  };
  // Without a schedule there are x, p, y, q, z and the output: 6.
  const row rows[] = {
      {vm::freeing::computed, true, 5, 4},   // x, p, q, z and the output
      {vm::freeing::computed, false, 4, 2},  // x, y, q, z or x, z, again, output
      {vm::freeing::never, true, 6, 4},
      {vm::freeing::never, false, 6, 2},
  };
  for (const row& which : rows) {
    INFO(static_cast<int>(which.frees) << which.keep);
    vm::interpreter machine(
        *made.program, {.frees = which.frees, .keep_parameters = which.keep, .preload = false});
    machine.set_input(0, floats(machine, {256}, std::vector<float>(256, 1)));
    for (int run = 0; run < 2; ++run) {
      REQUIRE(summary(machine.run()) == "ok");
      CHECK(elements(machine.outputs()[0])[0] == 12);
      // In the second run, parameters that stayed are there from its beginning.
      CHECK(machine.figures().peak == which.peak * 1024);
      CHECK(machine.figures().peak_unfreed == 6 * 1024);
      CHECK(machine.figures().parameters == 2 * 1024);
      CHECK(machine.arena().live() == which.live * 1024);
    }
  }
}

namespace {

/// Notes what the machine does.
struct notes {
  using clock = vm::no_observer::clock;
  std::vector<std::string> all;
  std::vector<std::uint64_t> live;
  void begin(const vm::event& at) { all.push_back("(" + std::to_string(at.instruction)); }
  void end(const vm::event& at) {
    all.push_back(std::to_string(at.instruction) + ")");
    live.push_back(at.live);
  }
  void command(action what, std::uint32_t target) {
    all.push_back(std::string(nac::name(what)) + " " + std::to_string(target));
  }
  void preloaded(std::uint32_t i, clock::time_point from, clock::time_point to) {
    CHECK(from <= to);
    all.push_back("loaded " + std::to_string(i));
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const std::string& s : all) out += (out.empty() ? "" : " ") + s;
    return out;
  }
};

/// A program with a PRELOAD: 16 KiB; x + x, then the parameter, then their product.
struct preloading {
  builder b;
  operand x, y, p, z;
  explicit preloading(bool fails) {
    x = b.input();
    y = b.op("nac.add", {x, x});
    const operand wrong = b.op("getitem", {y, b.whole(fails ? 9 : 0)});
    std::vector<float> values(4096);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    p = b.parameter({4096}, values);
    z = b.op("nac.mul", {wrong, p});
    at(b, 1, {command(action::preload, p)});
    b.output({z});
  }
};

}  // namespace

TEST_CASE("vm/nac/machine: a parameter is preloaded while instructions run", "[vm_nac]") {
  const preloading source(false);
  const built made = source.b.build();
  for (const bool keep : {true, false}) {
    vm::interpreter machine(*made.program, {.keep_parameters = keep});
    machine.set_input(0, floats(machine, {1}, {2}));
    for (int run = 0; run < 20; ++run) {
      REQUIRE(summary(machine.run()) == "ok");
      const list out = elements(machine.outputs()[0]);
      CHECK(out[1] == 4);
      CHECK(out[4095] == 4 * 4095);
      const vm::statistics& f = machine.figures();
      CHECK(f.preloads_ready + f.preloads_late == (run == 0 || !keep ? 1u : 0u));
      CHECK(f.parameters == 4096 * 4);
    }
  }
  vm::interpreter without(*made.program, {.preload = false});
  without.set_input(0, floats(without, {1}, {2}));
  REQUIRE(summary(without.run()) == "ok");
  CHECK(elements(without.outputs()[0])[4095] == 4 * 4095);
  CHECK(without.figures().preloads_ready + without.figures().preloads_late == 0);
}

TEST_CASE("vm/nac/machine: a preload that nobody waits for does no harm", "[vm_nac]") {
  const preloading source(true);
  const built made = source.b.build();
  for (int k = 0; k < 20; ++k) {
    vm::interpreter machine(*made.program, {.keep_parameters = k % 2 == 0});
    machine.set_input(0, floats(machine, {1}, {2}));
    for (int run = 0; run < k % 3 + 1; ++run) CHECK(summary(machine.run()) == "nac_run_index at 2");
  }
  vm::interpreter whole(*made.program);
  whole.set_input(0, floats(whole, {1}, {2}));
  const std::uint64_t all = whole.run().steps;
  vm::interpreter stopped(*made.program);  // by a budget, and gone before it is loaded
  stopped.set_input(0, floats(stopped, {1}, {2}));
  CHECK(summary(stopped.run({.max_steps = all - 1})) == "budget_steps at 2");
}

TEST_CASE("vm/nac/machine: a preload that finds no memory is left to its INPUT", "[vm_nac]") {
  const preloading source(false);
  const built made = source.b.build();
  // An input, its sum, an index; then the parameter has no arena.
  vm::interpreter machine(*made.program, {.max_memory = 4096 * 4});
  machine.set_input(0, floats(machine, {1}, {2}));
  CHECK(summary(machine.run()) == "budget_memory at 3");
  CHECK(summary(machine.run()) == "budget_memory at 3");
}

TEST_CASE("vm/nac/machine: an observer sees instructions and the schedule", "[vm_nac]") {
  preloading source(false);
  at(source.b, 4, {command(action::free, source.p), command(action::free, source.y)});
  const built made = source.b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {1}, {2}));
  notes seen;
  REQUIRE(summary(machine.run({.max_steps = 100000}, seen)) == "ok");
  std::string text = seen.text();
  const std::string loaded = " loaded 3";  // unless the thread wasn't fast enough
  if (const std::size_t at = text.find(loaded); at != std::string::npos)
    text.erase(at, loaded.size());
  CHECK(text == "(0 0) (1 preload 3 1) (2 2) (3 free 1 3) (4 free 3 4) (5 5)");
  CHECK(seen.live.size() == 6);

  // The public machine takes any observer, or a function.
  vm::machine other(*made.program);
  const std::int64_t shape[] = {1};
  const float two = 2;
  REQUIRE(other.set_input(0, {shape, std::span(&two, 1)}));
  struct {
    std::string text;
    void begin(const vm::event& at) { text += "(" + std::to_string(at.instruction); }
    void end(const vm::event&) { text += ")"; }
  } both;
  REQUIRE(other.run({}, both));
  CHECK(both.text == "(0)(1)(2)(3)(4)(5)");
  std::vector<std::uint64_t> live;
  REQUIRE(other.run({}, [&](const vm::event& at) { live.push_back(at.live); }));
  CHECK(live.size() == 6);
  CHECK(other.run({.max_memory = 16}).code == errc::budget_memory);
  CHECK(other.run());
}

// ---- states

TEST_CASE("vm/nac/machine: complex tensors are no outputs, and most operations refuse them",
          "[vm_nac]") {
  for (const std::string name : {"", "aten.relu.default", "aten.view_as_real.default"}) {
    builder b;
    const operand x = b.input();
    operand y = b.op("aten.view_as_complex.default", {x});
    if (!name.empty()) y = b.op(name, {y});
    b.output({y});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {1, 2}, {3, 4}));
    const std::string said = summary(machine.run());
    CHECK(said == (name.empty()                  ? "nac_run_kind at 2"
                   : name == "aten.relu.default" ? "nac_run_kind at 2"
                                                 : "ok"));
  }
}

TEST_CASE("vm/nac/machine: states begin empty, stay between runs, and grow", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand s = b.state(7), other = b.state(3);
  b.op("aten.copy.default", {s, x});
  b.output({s, other});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  REQUIRE(machine.states().size() == 2);
  CHECK(machine.state(8) == nullptr);
  CHECK(machine.set_state(8, floats(machine, {1}, {1})) == errc::nac_run_state);
  CHECK(machine.set_state(7, vm::value::string("x")) == errc::nac_run_kind);
  REQUIRE(machine.state(7) != nullptr);
  CHECK(machine.state(7)->as_tensor().dims == vm::shape{1, 12, 0, 64});

  machine.set_input(0, floats(machine, {1, 1, 2, 1}, {5, 6}));
  REQUIRE(summary(machine.run()) == "ok");  // sees what was there at its beginning
  CHECK(machine.outputs()[0].as_tensor().dims == vm::shape{1, 12, 0, 64});
  CHECK(elements(*machine.state(7)) == list{5, 6});
  CHECK(elements(*machine.state(3)).empty());

  machine.set_input(0, floats(machine, {1}, {9}));  // of another rank: broadcast
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[0]) == list{5, 6});
  CHECK(elements(*machine.state(7)) == list{9, 9});
  CHECK(machine.state(7)->as_tensor().dims == vm::shape{1, 1, 2, 1});

  CHECK(machine.set_state(3, floats(machine, {2}, {1, 2})) == errc::ok);
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[1]) == list{1, 2});

  machine.reset_states();
  CHECK(machine.state(7)->as_tensor().dims == vm::shape{1, 12, 0, 64});
  CHECK(machine.state(3)->as_tensor().dims == vm::shape{1, 12, 0, 64});
}

TEST_CASE("vm/nac/machine: a run that faults changes no state", "[vm_nac]") {
  builder b;
  const operand x = b.input(), y = b.input();
  const operand s = b.state(0);
  b.op("aten.copy.default", {s, x});
  b.output({b.op("nac.add", {x, y})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  CHECK(machine.set_state(0, floats(machine, {2}, {1, 2})) == errc::ok);
  machine.set_input(0, floats(machine, {2}, {3, 4}));
  machine.set_input(1, floats(machine, {3}, {0, 0, 0}));
  CHECK(summary(machine.run()) == "nac_run_shape at 4");
  CHECK(elements(*machine.state(0)) == list{1, 2});
  machine.set_input(1, floats(machine, {1}, {0}));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(*machine.state(0)) == list{3, 4});
}

// ---- branches

TEST_CASE("vm/nac/machine: CONTROL_FLOW runs one branch, whose value it is", "[vm_nac]") {
  builder b;
  const operand p = b.input(), x = b.input();
  const operand c = control_flow(b, p, 2, 1);
  const operand doubled = b.op("nac.add", {x, x});
  b.op("nac.mul", {doubled, doubled});
  b.op("nac.sub", {x, x});
  b.output({b.op("nac.add", {c, x})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(1, floats(machine, {2}, {1, 3}));
  for (const bool which : {true, false, true}) {
    machine.set_input(0, truth(machine, which));
    const vm::outcome done = machine.run();
    REQUIRE(summary(done) == "ok");
    CHECK(done.instructions == (which ? 7u : 6u));
    CHECK(elements(machine.outputs()[0]) == (which ? list{5, 39} : list{1, 3}));
  }
  notes seen;
  REQUIRE(summary(machine.run({.max_steps = 100000}, seen)) == "ok");
  CHECK(seen.text() ==
        "(0 0) (1 1) (2 (3 3) (4 forward 3 4) free 0 free 4 free 5 2) (6 free 1 free 2 6) (7 7)");
  machine.set_input(0, floats(machine, {1}, {std::numeric_limits<float>::quiet_NaN()}));
  REQUIRE(summary(machine.run()) == "ok");  // what isn't 0 is true
  CHECK(elements(machine.outputs()[0]) == list{5, 39});
  machine.set_input(0, floats(machine, {2}, {1, 1}));
  CHECK(summary(machine.run()) == "nac_run_argument at 2");
  machine.set_input(0, vm::value::string("yes"));
  CHECK(summary(machine.run()) == "nac_run_kind at 2");
}

TEST_CASE("vm/nac/machine: OUTPUT 1 ends a branch, OUTPUT 0 the run", "[vm_nac]") {
  builder b;
  const operand p = b.input(), x = b.input();
  const operand c = control_flow(b, p, 3, 2);
  const operand y = b.op("nac.add", {x, x});
  b.output({y}, 1);
  b.op("nac.sub", {x, x});
  const operand z = b.op("nac.mul", {x, x});
  b.output({z});
  b.output({b.op("nac.add", {c, x})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(1, floats(machine, {1}, {5}));
  machine.set_input(0, truth(machine, true));
  const vm::outcome yes = machine.run();
  REQUIRE(summary(yes) == "ok");
  CHECK(yes.instructions == 7);
  CHECK(elements(machine.outputs()[0]) == list{15});
  CHECK(machine.intermediate().empty());
  machine.set_input(0, truth(machine, false));
  const vm::outcome no = machine.run();
  REQUIRE(summary(no) == "ok");
  CHECK(no.instructions == 5);
  CHECK(elements(machine.outputs()[0]) == list{25});
}

TEST_CASE("vm/nac/machine: branches nest, empty ones too", "[vm_nac]") {
  builder b;
  const operand p = b.input(), q = b.input(), x = b.input();
  const operand outer = control_flow(b, p, 4, 1);  // 3
  const operand inner = control_flow(b, q, 1, 0);  // 4
  b.op("nac.add", {x, x});                         // 5
  const operand empty = control_flow(b, q, 0, 1);  // 6, the value of the branch
  b.op("nac.mul", {x, x});                         // 7
  b.op("nac.sub", {x, x});                         // 8
  b.output({b.op("nac.pass", {outer})});           // 9
  (void)inner;
  (void)empty;
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(2, floats(machine, {1}, {3}));
  const auto run = [&](bool first, bool second) {
    machine.set_input(0, truth(machine, first));
    machine.set_input(1, truth(machine, second));
    REQUIRE(summary(machine.run()) == "ok");
    return machine.outputs()[0];
  };
  CHECK(elements(run(true, false)) == list{9});
  CHECK(elements(run(false, false)) == list{0});
  CHECK(run(true, true).is_none());  // an empty branch has no value
}

TEST_CASE("vm/nac/machine: results of branches that weren't run are absent", "[vm_nac]") {
  builder b;
  const operand p = b.input(), x = b.input();
  control_flow(b, p, 1, 1);                   // 2
  const operand y = b.op("nac.add", {x, x});  // 3
  const operand z = b.op("nac.pass", {y});    // 4, of the other branch
  b.output({b.op("nac.pass", {y})});
  (void)z;
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(1, floats(machine, {1}, {3}));
  machine.set_input(0, truth(machine, true));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[0]) == list{6});
  machine.set_input(0, truth(machine, false));
  CHECK(summary(machine.run()) == "nac_run_absent at 4");
  machine.set_input(0, truth(machine, true));
  CHECK(summary(machine.run()) == "ok");

  builder own;  // the value of a CONTROL_FLOW that is being run
  const operand q = own.input();
  const operand c = control_flow(own, q, 1, 0);
  own.op("nac.pass", {c});
  own.output({q});
  const built inside = own.build();
  vm::interpreter early(*inside.program);
  early.set_input(0, truth(early, true));
  CHECK(summary(early.run()) == "nac_run_absent at 2");
}

TEST_CASE("vm/nac/machine: a schedule that verification lets through changes no result",
          "[vm_nac]") {
  // The last results of branches, the predicate and the CONTROL_FLOW itself, freed at once.
  for (const bool which : {true, false}) {
    builder b;
    const operand p = b.input(), x = b.input();
    const operand c = control_flow(b, p, 2, 2);  // 2
    const operand y = b.op("nac.add", {x, x});   // 3
    const operand z = b.op("nac.mul", {y, y});   // 4
    const operand v = b.op("nac.sub", {x, x});   // 5
    const operand w = b.op("nac.add", {v, x});   // 6
    b.output({b.op("nac.add", {c, x})});         // 7
    at(b, 2, {command(action::free, p)});
    at(b, 4, {command(action::free, y), command(action::free, z), {action::save_result, 4}});
    at(b, 5, {command(action::forward, w)});
    at(b, 6, {command(action::free, w), command(action::free, v)});
    at(b, 7, {command(action::free, c), command(action::free, x), {action::save_for_grad, 7}});
    at(b, 8, {{action::free, 7}, {action::free_after_trng, 3}});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, truth(machine, which));
    machine.set_input(1, floats(machine, {1}, {3}));
    for (int run = 0; run < 2; ++run) {
      REQUIRE(summary(machine.run()) == "ok");
      CHECK(elements(machine.outputs()[0]) == (which ? list{39} : list{6}));
    }
  }
}

TEST_CASE("vm/nac/machine: what a skipped branch frees is freed", "[vm_nac]") {
  builder b;
  const operand p = b.input(), x = b.input();
  const operand y = b.op("nac.add", {x, x});   // 2, used only in the first branch
  const operand c = control_flow(b, p, 1, 1);  // 3
  b.op("nac.mul", {y, y});                     // 4
  b.op("nac.sub", {x, x});                     // 5
  const operand z = b.op("nac.add", {c, c});   // 6
  const operand u = b.op("nac.add", {z, z});   // 7
  b.output({u});
  at(b, 4, {command(action::free, y)});
  at(b, 5, {{action::free, 5}});  // the value of the branch, which is that of instruction 3 too
  at(b, 7, {command(action::free, c)});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, truth(machine, false));
  machine.set_input(1, floats(machine, {256}, std::vector<float>(256, 1)));
  REQUIRE(summary(machine.run()) == "ok");
  // The input and the predicate's byte, then c, z and u, of which c goes before u is made.
  CHECK(machine.figures().peak == 3 * 1024 + 1);
  CHECK(machine.figures().peak_unfreed == 5 * 1024 + 1);
}

TEST_CASE("vm/nac/machine: a skipped branch frees no value that the branch around it takes",
          "[vm_nac]") {
  builder b;
  const operand p = b.input(), q = b.input(), x = b.input();
  const operand outer = control_flow(b, p, 4, 0);  // 3
  const operand inner = control_flow(b, q, 1, 2);  // 4, the value of the branch
  b.op("nac.add", {x, x});                         // 5
  b.op("nac.mul", {x, x});                         // 6
  b.op("nac.sub", {x, x});                         // 7
  b.output({outer});                               // 8
  at(b, 7, {command(action::free, inner)});        // no instruction takes it
  const built made = b.build();
  REQUIRE(made.program->schedule().size() == 1);
  vm::interpreter machine(*made.program);
  machine.set_input(0, truth(machine, true));
  machine.set_input(2, floats(machine, {1}, {3}));
  for (const bool which : {true, false}) {
    machine.set_input(1, truth(machine, which));
    REQUIRE(summary(machine.run()) == "ok");
    CHECK(elements(machine.outputs()[0]) == (which ? list{6} : list{0}));
  }
}

// ---- CONVERGENCE

namespace {

/// Scores and merges rows x columns matrices in plain loops, all of the same shape.
[[nodiscard]] list merged(const std::vector<list>& branches, double rows, double threshold) {
  const auto n = static_cast<double>(branches.size());
  const std::size_t size = branches[0].size();
  std::vector<const list*> coherent;
  const list* nearest = nullptr;
  double least = 0;
  for (const list& one : branches) {
    double score = 0, distance = 0;
    for (std::size_t i = 0; i < size; ++i) {
      double others = 0, all = 0;
      for (const list& other : branches) {
        all += other[i] / n;
        if (&other != &one) others += other[i] / (n - 1);
      }
      score += one[i] * others / rows;
      distance += (one[i] - all) * (one[i] - all);
    }
    if (score >= threshold) coherent.push_back(&one);
    if (nearest == nullptr || distance < least) {
      nearest = &one;
      least = distance;
    }
  }
  if (coherent.empty()) return *nearest;
  list out(size);
  for (std::size_t i = 0; i < size; ++i)
    for (const list* one : coherent) out[i] += (*one)[i] / static_cast<double>(coherent.size());
  return out;
}

/// x[i] scaled by each of the factors, in a branch for each.
struct experts {
  built made;
  explicit experts(const std::vector<double>& factors, std::uint8_t threshold) {
    builder b;
    const operand x = b.input();
    std::vector<operand> constants;
    for (const double f : factors) constants.push_back(b.real(f));
    std::vector<std::uint16_t> words = {static_cast<std::uint16_t>(1 + 2 * factors.size()),
                                        static_cast<std::uint16_t>(factors.size())};
    for (std::size_t k = 0; k < factors.size(); ++k)
      words.push_back(static_cast<std::uint16_t>(1 + 2 * k));
    const operand merge = convergence(b, x, threshold, words);
    for (const operand c : constants) {
      const operand y = b.op("nac.add", {x, x});
      b.op("nac.mul", {y, c});
    }
    b.output({merge});
    made = b.build();
  }
};

}  // namespace

TEST_CASE("vm/nac/machine: CONVERGENCE means what agrees", "[vm_nac]") {
  struct row {
    std::vector<double> factors;
    std::uint8_t threshold;
  };
  const row rows[] = {
      {{0.5, 0.25, -0.5}, 0},  // 0.5: the last one disagrees
      {{0.5, 0.25, -0.5}, 100}, {{0.5, 0.25, 0.5, 1}, 1},
      {{0.125, -0.125, 0}, 50},  // none agrees: the nearest to the mean
      {{-1, 0.25, 1, 0.5}, 30}, {{1, -1}, 1},
  };
  for (const row& which : rows) {
    const experts e(which.factors, which.threshold);
    vm::interpreter machine(*e.made.program);
    const std::vector<float> x = {1, -0.5, 0.25, 2, 0.75, -1};
    machine.set_input(0, floats(machine, {2, 3}, x));
    const vm::outcome done = machine.run();
    REQUIRE(summary(done) == "ok");
    CHECK(done.instructions == 3 + 2 * which.factors.size());
    std::vector<list> branches;
    for (const double f : which.factors) {
      list one;
      for (const float v : x) one.push_back(2 * static_cast<double>(v) * f);
      branches.push_back(one);
    }
    const list expected = merged(branches, 2, which.threshold == 0 ? 0.5 : which.threshold / 100.0);
    const list out = elements(machine.outputs()[0]);
    REQUIRE(out.size() == expected.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      CHECK(std::abs(out[i] - expected[i]) <= 1e-6 * std::abs(expected[i]));
  }
}

TEST_CASE("vm/nac/machine: CONVERGENCE fills axis 1 up with zeros", "[vm_nac]") {
  builder b;
  const operand x = b.input(), y = b.input();
  const operand merge = convergence(b, x, 1, {4, 2, 1, 2});  // the last branch runs two
  b.op("nac.pass", {x});
  const operand z = b.op("nac.add", {y, y});
  b.output({z}, 1);
  b.output({merge});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {2, 1, 2}, {1, 2, 3, 4}));
  machine.set_input(1, floats(machine, {2, 2, 2}, {1, 1, 2, 2, 3, 3, 4, 4}));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(machine.outputs()[0].as_tensor().dims == vm::shape{2, 2, 2});
  CHECK(elements(machine.outputs()[0]) == list{1.5, 2, 2, 2, 4.5, 5, 4, 4});
  machine.set_input(1, floats(machine, {1, 2, 2}, {1, 1, 2, 2}));  // another batch
  CHECK(summary(machine.run()) == "nac_run_shape at 2");
  machine.set_input(1, floats(machine, {4}, {1, 1, 2, 2}));  // another rank
  CHECK(summary(machine.run()) == "nac_run_shape at 2");
  machine.set_input(1, floats(machine, {2, 0, 2}, {}));  // all of it zeros: 0 isn't 0.01
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[0]) == list{1, 2, 3, 4});
}

TEST_CASE("vm/nac/machine: CONVERGENCE of nothing, of one, of tuples, of numbers", "[vm_nac]") {
  {
    builder b;  // without branches
    const operand x = b.input();
    b.output({convergence(b, x, 0, {0})});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, floats(machine, {1}, {3}));
    REQUIRE(summary(machine.run()) == "ok");
    CHECK(elements(machine.outputs()[0]) == list{3});
  }
  {
    builder b;  // a branch without a value, and one with; what comes before the first isn't run
    const operand p = b.input(), x = b.input();
    const operand merge = convergence(b, x, 0, {5, 2, 2, 3});  // 2
    b.op("getitem", {x, b.whole(99)});                         // 3
    control_flow(b, p, 0, 0);                                  // 4
    const operand y = b.op("nac.add", {x, x});                 // 5
    b.op("nac.mul", {y, y});                                   // 6
    b.output({merge});
    const built made = b.build();
    vm::interpreter machine(*made.program);
    machine.set_input(0, truth(machine, true));
    machine.set_input(1, floats(machine, {1}, {3}));
    REQUIRE(summary(machine.run()) == "ok");
    CHECK(elements(machine.outputs()[0]) == list{36});
    const auto kept = tessera::transform::optimize(*made.program);
    REQUIRE(kept);
    CHECK(kept->why_unchanged == "a CONVERGENCE skips instructions before its first branch");
  }
  builder b;  // two values for each branch
  const operand x = b.input(), y = b.input();
  const operand merge = convergence(b, x, 1, {5, 2, 1, 3});  // 2
  const operand u = b.op("nac.pass", {x});                   // 3
  b.output({u, y}, 1);                                       // 4
  const operand v = b.op("nac.add", {x, x});                 // 5
  b.output({v, x}, 1);                                       // 6
  b.output({b.op("getitem", {merge, b.whole(0)}), b.op("getitem", {merge, b.whole(1)})});
  CHECK(b.parts.outputs == 2);
  // Operands of OUTPUT come after what was built inside of its call: the two getitem.
  const built made = b.build();
  const auto optimized = tessera::transform::optimize(*made.program);
  REQUIRE(optimized);
  CHECK(optimized->why_unchanged.empty());
  vm::interpreter machine(*made.program);
  vm::tensor whole = vm::make_tensor(machine.arena(), data_type::int64, {2});
  whole.as<std::int64_t>()[0] = 1;
  whole.as<std::int64_t>()[1] = 4;
  machine.set_input(0, whole);
  machine.set_input(1, floats(machine, {2}, {0.5, 0}));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(machine.outputs()[0].as_tensor().type == data_type::float32);
  CHECK(elements(machine.outputs()[0]) == list{1.5, 6});
  CHECK(elements(machine.outputs()[1]) == list{0.75, 2});
  machine.set_input(1, vm::value::string("a"));
  CHECK(summary(machine.run()) == "nac_run_kind at 2");
}

TEST_CASE("vm/nac/machine: branches nest as deep as a program is long", "[vm_nac]") {
  builder b;
  const operand p = b.input();
  constexpr std::uint16_t depth = 20000;
  for (std::uint16_t k = 0; k < depth; ++k)
    control_flow(b, p, static_cast<std::uint16_t>(depth - k), 0);
  b.op("nac.add", {p, p});
  b.output({b.op("nac.pass", {{false, 1}})});
  const built made = b.build();
  vm::interpreter machine(*made.program);
  machine.set_input(0, floats(machine, {1}, {4}));
  REQUIRE(summary(machine.run()) == "ok");
  CHECK(elements(machine.outputs()[0]) == list{8});
}

TEST_CASE("vm/nac/machine: torch.cond is a CONTROL_FLOW with several results", "[vm_nac]") {
  // cond(x.sum() > 0, lambda x, y: (x + y, cond(y.sum() > 0, x * y, -x)), lambda x, y: (x - y, y))
  for (const double first : {1.0, -1.0})
    for (const double second : {2.0, -2.0}) {
      builder b;
      const operand x = b.input(), y = b.input();
      const auto is_positive = [&](operand of) {
        return b.op("aten.gt.Scalar", {b.op("aten.sum.default", {of}), b.whole(0)});
      };
      const operand both = control_flow(b, is_positive(x), 7, 2);
      const operand sum = b.op("nac.add", {x, y});
      const operand product = control_flow(b, is_positive(y), 1, 1);
      b.op("nac.mul", {x, y});
      b.op("nac.neg", {x});
      b.output({sum, product}, 1);
      const operand difference = b.op("nac.sub", {x, y});
      b.output({difference, y}, 1);
      b.output({b.op("operator.getitem", {both, b.whole(0)}),
                b.op("operator.getitem", {both, b.whole(1)})});
      b.parts.outputs = 2;
      const built made = b.build();
      vm::interpreter machine(*made.program);
      machine.set_input(0, floats(machine, {1}, {static_cast<float>(first)}));
      machine.set_input(1, floats(machine, {1}, {static_cast<float>(second)}));
      const vm::outcome done = machine.run();
      INFO(done.text);
      REQUIRE(summary(done) == "ok");
      const bool yes = first > 0;
      CHECK(elements(machine.outputs()[0]) == list{yes ? first + second : first - second});
      CHECK(elements(machine.outputs()[1]) == list{!yes         ? second
                                                   : second > 0 ? first * second
                                                                : -first});
    }
}

TEST_CASE("vm/nac/machine: memory that no address reaches is refused", "[vm_nac]") {
  vm::memory arena(UINT64_MAX);
  const auto refused = [&](std::uint64_t bytes) {
    try {
      return arena.take(bytes, 0).size() == bytes ? errc::ok : errc::budget_steps;
    } catch (const vm::fault& found) {
      return found.code;
    }
  };
  CHECK(refused(64) == errc::ok);
  CHECK(refused(UINT64_MAX) == errc::budget_memory);  // rounded up, 0
  CHECK(refused(UINT64_MAX / 2 - 200) == errc::budget_memory);
  CHECK(refused(std::uint64_t{1} << 63) == errc::budget_memory);
  if (sizeof(void*) == 4) CHECK(refused(0xfffffff0) == errc::budget_memory);  // rounded up, 2^32
  CHECK(arena.live() == 0);
}
