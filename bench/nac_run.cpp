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
//   mul_*_N    products of N elements: with a tensor as large, with a number, with one element and with
//              a row of N / 4, which are broadcast

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
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

  chain(const nac::instruction_part& repeated, nac::parts p)
      : chain([&](nac::parts&, std::uint32_t) { return repeated; }, std::move(p)) {}
  /// The first instruction is input x, and the next ones are the program's.
  template <class Make>
  chain(Make make, nac::parts p) {
    p.form = nac::header::v1_8;
    p.outputs = 1;
    p.add_name(p.input_names, 0, "x");
    p.inputs = static_cast<std::uint16_t>(p.input_names.size());
    if (p.instructions.empty()) p.instructions.push_back({nac::op_input, 0, {}, {}});
    for (std::uint32_t i = 0; i < length; ++i) p.instructions.push_back(make(p, i));
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

/// Products of the result before and a number, or another input.
[[nodiscard]] chain products(bool number) {
  nac::parts p;
  p.add_name(p.operations, 40, "aten.mul.Tensor");
  p.add_name(p.signatures, 1, number ? "Tf" : "TT");
  if (number) {
    p.constants.push_back({1, nac::constant_type::float64, std::bit_cast<std::uint64_t>(1.0), {}});
    const std::uint16_t id[] = {1}, operands[] = {0xffff, 0};
    const nac::range c = p.add_words({id, 1}), d = p.add_words({operands, 2});
    return chain({40, 1, c, d}, std::move(p));
  }
  p.add_name(p.input_names, 1, "y");
  p.instructions.push_back({nac::op_input, 0, {}, {}});
  p.instructions.push_back({nac::op_input, 0, {}, {}});
  return chain(
      [](nac::parts& to, std::uint32_t i) {  // x, y, x * y, x * y * y …
        const auto back = static_cast<std::uint16_t>(0x10000 - (i == 0 ? 2 : 1));
        const std::uint16_t operands[] = {back, static_cast<std::uint16_t>(0xffff - i)};
        return nac::instruction_part{40, 1, {}, to.add_words({operands, 2})};
      },
      std::move(p));
}

struct setting {
  chain of;
  vm::interpreter machine;
  setting(chain made, vm::freeing frees, std::initializer_list<vm::shape> inputs = {{1}})
      : of(std::move(made)), machine(*of.program, {.frees = frees}) {
    std::size_t at = 0;
    for (const vm::shape& dims : inputs) {
      vm::tensor x = vm::make_tensor(machine.arena(), nac::data_type::float32, dims);
      std::fill_n(x.as<float>(), x.size(), 1.0f);
      machine.set_input(at++, x);
    }
  }
};

void add_case(const std::string& name, chain made, vm::freeing frees, bool quick,
              std::initializer_list<vm::shape> inputs = {{1}}) {
  const auto s = std::make_shared<setting>(std::move(made), frees, inputs);
  const vm::outcome done = s->machine.run();
  bench::require(done && done.instructions == length + 1 + inputs.size(), name + " doesn't run");
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
  for (const std::int64_t n : {4, 64, 256, 1024}) {
    const auto add = [&](const char* with, std::initializer_list<vm::shape> inputs) {
      add_case("mul_" + (with + ('_' + std::to_string(n))), products(inputs.size() == 1),
               vm::freeing::computed, quick, inputs);
    };
    add("same", {{4, n / 4}, {4, n / 4}});
    add("number", {{4, n / 4}});
    add("one", {{4, n / 4}, {1}});
    add("row", {{4, n / 4}, {n / 4}});
  }
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
