// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nac/schedule.hpp"

#include <random>

#include "vm/nac/build.hpp"

using namespace vm_nac_tests;
using nac::data_type;

namespace {

operand control_flow(builder& b, operand predicate, std::uint16_t yes, std::uint16_t no) {
  const auto here = static_cast<std::uint32_t>(b.parts.instructions.size());
  return b.instruction(nac::op_control_flow, 0, {yes, no},
                       {static_cast<std::uint16_t>(predicate.index - here)});
}

/// "3: free 1, save_result 3; 4: …"
[[nodiscard]] std::string text(const std::vector<vm::scheduled>& plan) {
  std::string out;
  for (std::size_t k = 0; k < plan.size(); ++k) {
    const vm::scheduled& s = plan[k];
    const bool same = k != 0 && plan[k - 1].tick == s.tick;
    out += same ? ", " : (k == 0 ? "" : "; ") + std::to_string(s.tick) + ": ";
    out += std::string(nac::name(s.what)) + " " + std::to_string(s.target);
  }
  return out;
}
[[nodiscard]] std::string plan_of(const builder& b) {
  return text(vm::make_schedule(*b.build().program));
}

/// The file that `parts` make, verified; REQUIREs that it is.
struct verified {
  tessera::pool<std::byte> bytes;
  std::unique_ptr<nac::program> program;
  explicit verified(const nac::parts& parts) {
    auto written = nac::write(parts);
    REQUIRE(written);
    bytes = *std::move(written);
    const auto file = nac::read(tessera::bytes(bytes.data(), bytes.size()));
    REQUIRE(file);
    auto p = nac::verify(*file);
    INFO((p ? std::string_view() : p.error().message()));
    REQUIRE(p);
    program = std::make_unique<nac::program>(*std::move(p));
  }
};

/// What a program gives, or how it ended.
[[nodiscard]] std::string outcome_of(const nac::program& p, vm::freeing frees, bool truth,
                                     vm::statistics& figures) {
  vm::interpreter machine(p, {.frees = frees});
  for (std::size_t k = 0; k < p.inputs().size(); ++k) {
    vm::tensor t = vm::make_tensor(machine.arena(), data_type::float32, {1});
    *t.as<float>() = k % 2 == 0 ? (truth ? 1.0f : 0.0f) : static_cast<float>(k);
    machine.set_input(k, t);
  }
  const vm::outcome done = machine.run();
  figures = machine.figures();
  std::string out = std::to_string(static_cast<int>(done.code)) + " " +
                    std::to_string(done.instruction) + " " + std::to_string(done.instructions);
  for (const vm::value& v : machine.outputs())
    out += v.is_tensor() ? " " + std::to_string(*v.as_tensor().as<float>()) : " -";
  return out;
}

}  // namespace

TEST_CASE("vm/nac/schedule: chains are forwarded, others saved and freed after", "[vm_nac]") {
  builder b;
  const operand x = b.input();                // 0
  const operand y = b.op("nac.add", {x, x});  // 1
  const operand z = b.op("nac.mul", {y, y});  // 2
  const operand w = b.op("nac.add", {z, x});  // 3
  b.op("nac.neg", {w});                       // 4, which nobody takes
  const operand v = b.op("nac.add", {w, z});  // 5
  b.output({v});                              // 6
  CHECK(plan_of(b) ==
        "1: forward 2; 2: save_result 2; 3: save_result 3; 4: free 0; 5: free 4; "
        "6: free 2, free 3");
}

TEST_CASE("vm/nac/schedule: parameters are preloaded up to two operations before", "[vm_nac]") {
  builder b;
  const operand x = b.input();                // 0
  const operand p = b.parameter({1}, {1});    // 1, before which nothing computes
  const operand y = b.op("nac.add", {x, p});  // 2
  const operand q = b.parameter({1}, {2});    // 3
  const operand z = b.op("nac.add", {y, q});  // 4
  const operand w = b.op("nac.add", {z, z});  // 5
  const operand r = b.parameter({1}, {2});    // 6
  const operand s = b.parameter({1}, {2});    // 7
  b.output({b.op("nac.add", {w, r}), s});     // 8, 9
  CHECK(plan_of(b) ==
        "2: save_result 2, preload 3; 3: free 0, free 1; 4: forward 5, preload 6, preload 7; "
        "5: free 2, free 3, save_result 5; 9: free 5, free 6");
}

TEST_CASE("vm/nac/schedule: branches free nothing that is of outside", "[vm_nac]") {
  builder b;
  const operand p = b.input(), x = b.input();  // 0, 1
  const operand y = b.op("nac.add", {x, x});   // 2, used in both branches
  const operand c = control_flow(b, p, 3, 2);  // 3
  const operand u = b.op("nac.add", {y, y});   // 4
  const operand v = b.op("nac.add", {u, u});   // 5
  b.op("nac.add", {v, u});                     // 6, the branch's value
  b.op("nac.add", {y, x});                     // 7
  b.op("nac.neg", {y});                        // 8
  const operand d = b.op("nac.add", {c, c});   // 9
  b.output({d});                               // 10
  // u's last use ends the branch, so it is freed after both.
  CHECK(plan_of(b) ==
        "2: save_result 2; 3: save_result 3; 4: save_result 4; 5: forward 6; 8: free 7; "
        "9: free 0, free 1, free 2, free 4, free 6, free 8; 10: free 3");
}

TEST_CASE("vm/nac/schedule: nothing is planned for what a model returns", "[vm_nac]") {
  builder b;
  const operand x = b.input();
  const operand y = b.op("nac.add", {x, x});
  b.output({y}, 1);
  const operand z = b.op("nac.neg", {y});
  b.output({z});
  CHECK(plan_of(b) == "2: free 0");
}

TEST_CASE("vm/nac/schedule: a file's schedule is verified, and has 255 commands a tick",
          "[vm_nac]") {
  builder b;
  std::vector<operand> inputs;
  for (int k = 0; k < 600; ++k) inputs.push_back(b.input());
  const operand all = b.op("aten.stack.default", {inputs.begin(), inputs.begin() + 200});
  operand last = all;
  // 600 inputs are needed by one instruction, and 255 of them are freed at a time.
  std::vector<operand> many(inputs.begin(), inputs.begin() + 255);
  last = b.op("aten.stack.default", many);
  for (int k = 0; k < 2; ++k) last = b.op("nac.neg", {last});
  (void)all;
  b.output({last});
  const built made = b.build();
  nac::parts parts = nac::parts_of(made.program->model());
  REQUIRE(vm::schedule(*made.program, parts).code == tessera::errc::ok);
  const verified v(parts);
  std::size_t frees = 0, most = 0;
  for (const nac::tick& t : v.program->model().schedule()) {
    most = std::max<std::size_t>(most, t.commands.size());
    for (const nac::command& c : t.commands) frees += c.what == nac::action::free ? 1 : 0;
  }
  // All inputs, of which those that nobody takes go as they come; the first stack.
  CHECK(frees == 601);
  CHECK(most == 255);

  nac::parts other = parts;
  other.instructions.push_back({nac::op_input, 0, {}, {}});
  CHECK(vm::schedule(*made.program, other).code == tessera::errc::nac_no_instructions);
}

TEST_CASE("vm/nac/schedule: programs give the same with a schedule and without, even a wrong one",
          "[vm_nac]") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::size_t better = 0, returned = 0, skipped = 0;
  for (int round = 0; round < 200; ++round) {
    builder b;
    b.input();
    b.input();
    b.parameter({1}, {3});
    const std::uint32_t size = 8 + below(40);
    std::vector<std::uint32_t> ends = {size};  // of branches, the innermost last
    for (std::uint32_t i = 3; i < size; ++i) {
      while (ends.back() <= i) ends.pop_back();
      const std::uint32_t left = ends.back() - i - 1;
      // Mostly something near, so that branches take what is of their own.
      const auto some = [&] {
        const std::uint32_t back = below(4) == 0 ? i : std::min<std::uint32_t>(i, 5);
        return operand{false, i - 1 - below(back)};
      };
      const std::uint32_t what = below(12);
      if (what == 0 && left > 1) {
        const std::uint32_t yes = below(left), no = below(left - yes);
        control_flow(b, {false, below(2) == 0 ? 0u : below(i)}, static_cast<std::uint16_t>(yes),
                     static_cast<std::uint16_t>(no));
        ends.push_back(i + 1 + yes + no);
        ends.push_back(i + 1 + yes);
      } else if (what == 1 && left > 3) {
        const std::uint32_t second = 2 + below(left - 2);
        const auto end = static_cast<std::uint16_t>(second + 1 + below(left - second));
        b.instruction(nac::op_convergence, 40, {static_cast<std::uint16_t>(some().index - i)},
                      {end, 2, 1, static_cast<std::uint16_t>(second)});
        ends.push_back(i + end);
        ends.push_back(i + second);
      } else if (what == 2) {
        b.parts.outputs = 1;
        b.output({some()}, below(6) == 0 ? 0 : 1);
      } else if (what == 3) {
        b.instruction(nac::op_input, 1, {0}, {});
      } else {
        b.op(what < 8 ? "nac.add" : "nac.mul", {some(), some()});
      }
    }
    b.output({{false, size - 1 - below(3)}});
    const built made = b.build();
    nac::parts parts = nac::parts_of(made.program->model());
    REQUIRE(vm::schedule(*made.program, parts).code == tessera::errc::ok);
    const verified filed(parts);
    // And commands of all kinds, at any tick and of anything.
    for (std::uint32_t k = 0; k < 3 * size; ++k) {
      nac::tick_part tick;
      tick.instruction = static_cast<std::uint16_t>(below(size + 2));
      tick.commands = {static_cast<std::uint32_t>(parts.commands.size()), 1};
      parts.schedule.push_back(tick);
      const nac::action actions[] = {nac::action::free, nac::action::forward,
                                     nac::action::save_result, nac::action::preload,
                                     static_cast<nac::action>(11)};
      const std::uint32_t near = tick.instruction + 2 - std::min(below(5), tick.instruction + 2u);
      parts.commands.push_back(
          {actions[below(5)], static_cast<std::uint16_t>(below(2) == 0 ? near : below(size + 2))});
    }
    const verified wrong(parts);
    skipped += parts.commands.size() - wrong.program->schedule().size();
    for (const bool truth : {false, true}) {
      vm::statistics never, planned, as_filed;
      const std::string expected = outcome_of(*made.program, vm::freeing::never, truth, never);
      CHECK(outcome_of(*made.program, vm::freeing::computed, truth, planned) == expected);
      CHECK(outcome_of(*filed.program, vm::freeing::as_filed, truth, as_filed) == expected);
      vm::statistics any;
      CHECK(outcome_of(*wrong.program, vm::freeing::as_filed, truth, any) == expected);
      CHECK(planned.peak == as_filed.peak);
      CHECK(planned.peak <= never.peak);
      if (expected[0] == '0') {
        CHECK(planned.peak_unfreed == never.peak);
        ++returned;
        better += planned.peak < never.peak ? 1 : 0;
      }
    }
  }
  CHECK(returned > 50);  // the others take what is absent, or nothing
  CHECK(better > 25);
  CHECK(skipped > 1000);
}
