// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference machine against a conventional interpreter, by program and batch size. The
// counter is the time of one operation on one sample.

#include <bit>
#include <memory>
#include <span>
#include <tessera/alir.hpp>

#include "baseline_interpreter.hpp"
#include "generate.hpp"
#include "ratios.hpp"
#include "vm/alir/vm.hpp"

namespace {

using namespace tessera;

/// A program, the contenders for it, and their inputs and outputs.
struct setting {
  setting(alir::program p, std::size_t most)
      : program(std::move(p)),
        machine(program),
        baseline(program),
        inputs(bench::samples(program.model(), most)),
        outputs(most * static_cast<std::size_t>(program.model().n_outputs)) {}

  alir::program program;
  vm::alir::machine machine;
  bench::baseline_interpreter baseline;
  std::vector<double> inputs, outputs;
};

void compare(setting& s, std::size_t n, const std::string& name) {
  std::vector<double> expected(s.outputs.size());
  bench::require(s.baseline.run(s.inputs, expected, n), name + ": the baseline left a table");
  bench::require(static_cast<bool>(s.machine.run(s.inputs, s.outputs, n)), name + ": trapped");
  const std::size_t count = n * s.machine.outputs();
  bool same = true;
  for (std::size_t i = 0; i < count; ++i)
    same = same &&
           std::bit_cast<std::uint64_t>(s.outputs[i]) == std::bit_cast<std::uint64_t>(expected[i]);
  bench::require(same, name + ": outputs differ");
}

void count_operations(benchmark::State& state, const setting& s, std::size_t n) {
  using benchmark::Counter;
  const auto work = static_cast<double>(s.program.size() * n);
  state.counters["per_operation"] =
      Counter(work, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::mixed})
    for (const std::size_t operations : {1000u, 10000u, 100000u}) {
      if (quick && operations > 1000) break;
      const recipe r{.mix = m, .operations = operations};
      const std::size_t most = operations > 10000 ? 256 : 4096;
      result<alir::program> p = alir::verify(generate(r));
      require(static_cast<bool>(p), name(r) + ": doesn't verify");
      const auto s = std::make_shared<setting>(*std::move(p), most);
      compare(*s, std::min<std::size_t>(most, 271), name(r));
      for (const std::size_t n : {1u, 16u, 256u, 4096u}) {
        if (quick || n > most) break;
        const std::string stem = name(r) + "/batch_" + std::to_string(n);
        benchmark::RegisterBenchmark((stem + "/tessera").c_str(), [s, n](benchmark::State& state) {
          for (auto _ : state) {
            (void)s->machine.run(s->inputs, s->outputs, n);
            benchmark::ClobberMemory();
          }
          count_operations(state, *s, n);
        });
        benchmark::RegisterBenchmark((stem + "/baseline").c_str(), [s, n](benchmark::State& state) {
          for (auto _ : state) {
            s->baseline.run(s->inputs, s->outputs, n);
            benchmark::ClobberMemory();
          }
          count_operations(state, *s, n);
        });
      }
    }
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
