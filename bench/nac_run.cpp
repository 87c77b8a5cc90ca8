// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the NAC machine takes for an instruction beside the kernel: chains of 2000 operations on one
// element. The counter is in instructions per second.
//
//   constant   INPUT of a constant: the loop, and a value of rank 0 that is shared
//   pass       the loop and a call that gives its operand
//   planned    results are dropped after their last use
//   never      results stay to the end

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "ratios.hpp"
#include "tessera/nac/all.hpp"
#include "vm/nac/interpreter.hpp"

namespace {

namespace nac = tessera::nac;
namespace vm = tessera::vm::nac;

constexpr std::uint32_t length = 2000;

/// A chain of an instruction that takes the result before it; verified.
struct chain {
  tessera::pool<std::byte> bytes;
  std::unique_ptr<nac::program> program;

  explicit chain(const nac::instruction_part& repeated, nac::parts p) {
    p.form = nac::header::v1_8;
    p.inputs = p.outputs = 1;
    p.add_name(p.input_names, 0, "x");
    p.instructions.push_back({nac::op_input, 0, {}, {}});
    for (std::uint32_t i = 0; i < length; ++i) p.instructions.push_back(repeated);
    const std::uint16_t before[] = {0xffff}, reserved[] = {0};
    const nac::range c = p.add_words({reserved, 1});
    p.instructions.push_back({nac::op_output, 0, c, p.add_words({before, 1})});
    auto written = nac::write(p);
    bench::require(static_cast<bool>(written), "the chain can't be written");
    bytes = *std::move(written);
    const auto file = nac::read(tessera::bytes(bytes.data(), bytes.size()));
    bench::require(static_cast<bool>(file), "the chain can't be read");
    auto verified = nac::verify(*file);
    bench::require(static_cast<bool>(verified), "the chain can't be verified");
    program = std::make_unique<nac::program>(*std::move(verified));
  }
};

[[nodiscard]] chain pass() {
  nac::parts p;
  p.add_name(p.signatures, 1, "T");
  const std::uint16_t before[] = {0xffff};
  const nac::range d = p.add_words({before, 1});
  return chain({10, 1, {}, d}, std::move(p));
}
[[nodiscard]] chain constant() {
  nac::parts p;
  p.constants.push_back({1, nac::constant_type::int64, 1, {}});
  const std::uint16_t id[] = {1};
  const nac::range c = p.add_words({id, 1});
  return chain({nac::op_input, static_cast<std::uint8_t>(nac::input::lifted_constant), c, {}},
               std::move(p));
}

struct setting {
  chain of;
  vm::interpreter machine;
  setting(chain made, vm::freeing frees)
      : of(std::move(made)), machine(*of.program, {.frees = frees}) {
    vm::tensor x = vm::make_tensor(machine.arena(), nac::data_type::float32, {1});
    *x.as<float>() = 1;
    machine.set_input(0, x);
  }
};

void add_case(const std::string& name, chain made, vm::freeing frees, bool quick) {
  const auto s = std::make_shared<setting>(std::move(made), frees);
  const vm::outcome done = s->machine.run();
  bench::require(done && done.instructions == length + 2, name + " doesn't run");
  if (quick) return;
  benchmark::RegisterBenchmark((name + "/tessera").c_str(), [s](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(s->machine.run().steps);
    state.counters["instructions"] =
        benchmark::Counter(length, benchmark::Counter::kIsIterationInvariantRate);
  });
}

}  // namespace

void bench::add_cases(bool quick) {
  add_case("constant_planned", constant(), vm::freeing::computed, quick);
  add_case("constant_never", constant(), vm::freeing::never, quick);
  add_case("pass_planned", pass(), vm::freeing::computed, quick);
  add_case("pass_never", pass(), vm::freeing::never, quick);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
