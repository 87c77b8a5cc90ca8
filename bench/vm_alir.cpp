// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference machine against a conventional interpreter, by program and batch size; two threads
// against one; and what compiling costs. The counter is the time of one operation on one sample.
//
//   TESSERA_LEVEL=baseline bench_vm_alir        baseline, avx2 or avx512: at most these instructions
//   bench_vm_alir FILE...    programs of yours, compressed or not

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>

#include "baseline_interpreter.hpp"
#include "generate.hpp"
#include "io/compress.hpp"
#include "ratios.hpp"
#include "tessera/vm/alir.hpp"
#include "vm/alir/compile.hpp"

namespace {

using namespace tessera;

[[nodiscard]] vm::alir::machine_options options(unsigned threads) {
  vm::alir::machine_options how{.threads = threads};
  const char* const level = std::getenv("TESSERA_LEVEL");
  if (level == nullptr) return how;
  using vm::alir::level;
  const std::string name = level;
  bench::require(name == "baseline" || name == "avx2" || name == "avx512",
                 "TESSERA_LEVEL is baseline, avx2 or avx512, not " + name);
  how.instructions = name == "baseline" ? level::baseline
                     : name == "avx2"   ? level::avx2
                                        : level::avx512;
  return how;
}

/// A program, the contenders for it, and their inputs and outputs.
struct setting {
  setting(alir::program p, std::size_t most)
      : program(std::move(p)),
        machine(program, options(1)),
        two_threads(program, options(2)),
        baseline(program),
        inputs(bench::samples(program.model(), most)),
        outputs(most * static_cast<std::size_t>(program.model().n_outputs)) {}

  alir::program program;
  vm::alir::machine machine, two_threads;
  bench::baseline_interpreter baseline;
  std::vector<double> inputs, outputs;
};

void compare(setting& s, std::size_t n, const std::string& name) {
  std::vector<double> expected(s.outputs.size());
  bench::require(s.baseline.run(s.inputs, expected, n), name + ": the baseline left a table");
  for (vm::alir::machine* const ours : {&s.machine, &s.two_threads}) {
    std::fill(s.outputs.begin(), s.outputs.end(), -1.0);
    bench::require(static_cast<bool>(ours->run(s.inputs, s.outputs, n)), name + ": trapped");
    const std::size_t count = n * ours->outputs();
    bool same = true;
    for (std::size_t i = 0; i < count; ++i)
      same = same && std::bit_cast<std::uint64_t>(s.outputs[i]) ==
                         std::bit_cast<std::uint64_t>(expected[i]);
    bench::require(same, name + ": outputs differ");
  }
}

template <class Run>
benchmark::internal::Benchmark* add_case(const std::string& name, std::shared_ptr<setting> s,
                                         std::size_t n, Run run) {
  return benchmark::RegisterBenchmark(name.c_str(), [s, n, run](benchmark::State& state) {
    for (auto _ : state) {
      run(*s, n);
      benchmark::ClobberMemory();
    }
    using benchmark::Counter;
    state.counters["per_operation"] =
        Counter(static_cast<double>(s->program.size() * n),
                Counter::kIsIterationInvariantRate | Counter::kInvert);
  });
}

void add_program(const std::string& name, alir::model m, bool quick) {
  result<alir::program> p = alir::verify(std::move(m));
  bench::require(static_cast<bool>(p), name + ": doesn't verify");
  const auto s = std::make_shared<setting>(*std::move(p), quick ? 271 : 4096);
  compare(*s, 271, name);
  if (quick) return;
  add_case(name + "/compile", s, 1, [](setting& on, std::size_t) {
    benchmark::DoNotOptimize(vm::alir::compile(on.program));
  });
  const auto ours = [](setting& on, std::size_t n) {
    (void)on.machine.run(on.inputs, on.outputs, n);
  };
  for (const std::size_t n : {1u, 16u, 256u, 4096u}) {
    const std::string stem = name + "/batch_" + std::to_string(n);
    add_case(stem + "/tessera", s, n, ours);
    add_case(stem + "/baseline", s, n,
             [](setting& on, std::size_t count) { on.baseline.run(on.inputs, on.outputs, count); });
  }
  const std::string stem = name + "/two_threads_4096";
  add_case(stem + "/one_thread", s, 4096, ours)->UseRealTime();
  add_case(stem + "/tessera", s, 4096, [](setting& on, std::size_t n) {
    (void)on.two_threads.run(on.inputs, on.outputs, n);
  })->UseRealTime();
}

void add_file(const std::string& path) {
  const auto file = io::load(path);
  bench::require(static_cast<bool>(file), path + ": can't be read");
  result<alir::model> m = alir::read(file->view());
  bench::require(static_cast<bool>(m), path + ": isn't valid");
  add_program(bench::name_of(path), *std::move(m), false);
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const mix m : {mix::dense, mix::narrow, mix::mixed})
    for (const std::size_t operations : {1000u, 4000u, 10000u, 100000u}) {
      if (quick && operations > 1000) break;
      const recipe r{.mix = m, .operations = operations};
      add_program(name(r), generate(r), quick);
    }
}

int main(int count, char** arguments) { return bench::main(count, arguments, add_file); }
