// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR as C++ (`tessera convert FILE -o FILE.hpp`) against the conventional interpreter, and the machine
// against both. All of it is compiled with -march=native; the machine chooses by itself. The counter is
// the time of one operation on one sample.

#include <algorithm>
#include <bit>
#include <memory>
#include <tessera/alir.hpp>

#include "alir_cpp_programs.hpp"
#include "baseline_interpreter.hpp"
#include "generate.hpp"
#include "ratios.hpp"
#include "tessera/vm/alir.hpp"

namespace {

using namespace tessera;
using emitted_run = decltype(bench::emitted_program::run);

struct setting {
  setting(alir::program p, emitted_run run, std::size_t most)
      : program(std::move(p)),
        machine(program),
        baseline(program),
        emitted(run),
        inputs(bench::samples(program.model(), most)),
        outputs(most * static_cast<std::size_t>(program.model().n_outputs)) {}

  alir::program program;
  vm::alir::machine machine;
  bench::baseline_interpreter baseline;
  emitted_run emitted;
  std::vector<double> inputs, outputs;
};

void compare(setting& s, std::size_t n, const std::string& name) {
  std::vector<double> expected(n * s.machine.outputs());
  bench::require(static_cast<bool>(s.machine.run(s.inputs, expected, n)), name + ": trapped");
  std::fill(s.outputs.begin(), s.outputs.end(), -1.0);
  bench::require(s.emitted(s.inputs.data(), s.outputs.data(), n) == n, name + ": left a table");
  bool same = true;
  for (std::size_t i = 0; i < expected.size(); ++i)
    same = same &&
           std::bit_cast<std::uint64_t>(s.outputs[i]) == std::bit_cast<std::uint64_t>(expected[i]);
  bench::require(same, name + ": outputs differ");
}

void add_program(const bench::recipe& r, emitted_run run, bool quick) {
  result<alir::program> p = alir::verify(bench::generate(r));
  const std::string name = bench::name(r);
  bench::require(static_cast<bool>(p), name + ": doesn't verify");
  const auto s = std::make_shared<setting>(*std::move(p), run, quick ? 271 : 4096);
  compare(*s, 271, name);
  if (quick) return;
  for (const std::size_t n : {1u, 16u, 256u, 4096u}) {
    const std::string stem = name + "/batch_" + std::to_string(n);
    const auto amount = static_cast<double>(s->program.size() * n);
    bench::add_contender(stem + "/tessera", s, "operations", amount, [n](setting& on) {
      benchmark::DoNotOptimize(on.emitted(on.inputs.data(), on.outputs.data(), n));
    });
    bench::add_contender(stem + "/machine", s, "operations", amount,
                         [n](setting& on) { (void)on.machine.run(on.inputs, on.outputs, n); });
    bench::add_contender(stem + "/baseline", s, "operations", amount,
                         [n](setting& on) { on.baseline.run(on.inputs, on.outputs, n); });
  }
}

}  // namespace

void bench::add_cases(bool quick) {
  for (const emitted_program& p : emitted_programs) add_program(p.how, p.run, quick);
}

int main(int count, char** arguments) { return bench::main(count, arguments); }
