// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference machine: whatever verify() accepts runs within its budget, each sample as if it
// were alone, each value as the plain evaluation of the tests says, and the same through every
// version of JSON and bytecode.

#include <algorithm>
#include <bit>
#include <span>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "alir_any.hpp"
#include "mutate_json.hpp"
#include "require.hpp"
#include "statistic.hpp"
#include "tessera/vm/alir.hpp"
#include "tests/vm/alir/naive.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;

namespace {

constexpr budget limit{.max_steps = 1 << 18, .max_memory = 1 << 24};
constexpr double untouched = -1234.5;

/// One run of a program over samples[n][n_inputs].
struct run {
  vm::alir::outcome done;
  std::vector<double> outputs;
  std::vector<std::int64_t> values;  // [operations][n], when observed
};

[[nodiscard]] bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

[[nodiscard]] run execute(vm::alir::machine& machine, std::span<const double> inputs,
                          std::size_t n) {
  run r;
  r.outputs.assign(n * machine.outputs(), untouched);
  r.done = machine.run(inputs, r.outputs, n, limit);
  return r;
}

/// Values of the samples before a trap are those of the program; of later ones they mean nothing.
[[nodiscard]] run observe(const alir::program& p, std::span<const double> inputs, std::size_t n) {
  vm::alir::observed_machine machine(p);
  run r;
  r.outputs.assign(n * machine.outputs(), untouched);
  r.values.assign(n * p.size(), 0);
  const auto keep = [&](const vm::alir::event& at) {
    fuzz::require(at.first + at.values.size() <= n, "lanes are samples");
    std::copy(at.values.begin(), at.values.end(),
              r.values.begin() + static_cast<std::ptrdiff_t>(at.operation * n + at.first));
  };
  r.done = machine.run(inputs, r.outputs, n, limit, keep);
  return r;
}

void check_twin(const run& r, result<alir::model> twin, std::span<const double> inputs,
                std::size_t n) {
  fuzz::require(static_cast<bool>(twin), "what was written reads");
  const result<alir::program> p = alir::verify(std::move(*twin));
  fuzz::require(static_cast<bool>(p), "what was written verifies");
  vm::alir::machine machine(*p);
  const run t = execute(machine, inputs, n);
  // Rewriting for an older version makes more operations.
  if (t.done.code == errc::budget_steps || t.done.code == errc::budget_memory) return;
  fuzz::require(t.done.code == r.done.code && t.done.sample == r.done.sample,
                "both forms end alike");
  fuzz::require(same_bits(t.outputs, r.outputs), "both forms give the same outputs");
}

/// False where the other machine has no room.
[[nodiscard]] bool check_unobserved(vm::alir::machine& vm, const run& r,
                                    std::span<const double> inputs, std::size_t n) {
  const run plain = execute(vm, inputs, n);
  if (plain.done.code == errc::budget_memory) return false;
  fuzz::require(plain.done.code == r.done.code && plain.done.operation == r.done.operation &&
                    plain.done.sample == r.done.sample && plain.done.steps == r.done.steps,
                "observing doesn't change the end");
  fuzz::require(same_bits(plain.outputs, r.outputs), "observing changes nothing");
  return true;
}

/// Each sample, up to a trap, on its own and by the plain evaluation.
void check_samples(const alir::program& p, const run& r, std::span<const double> inputs,
                   std::size_t n) {
  vm::alir::machine machine(p);
  const std::size_t n_in = machine.inputs(), n_out = machine.outputs();
  const std::size_t whole = r.done ? n : static_cast<std::size_t>(r.done.sample);
  for (std::size_t s = 0; s < n; ++s) {
    const std::span<const double> in = inputs.subspan(s * n_in, n_in);
    const std::span<const double> out = std::span(r.outputs).subspan(s * n_out, n_out);
    if (s > whole) {
      for (const double v : out)
        fuzz::require(v == untouched, "outputs after a trap stay unchanged");
      continue;
    }
    const run alone = execute(machine, in, 1);
    const naive::evaluation meant = naive::evaluate(p.model(), in);
    fuzz::require(alone.done.operation == meant.trap, "the plain evaluation traps there too");
    if (s == whole) {
      fuzz::require(alone.done.operation == r.done.operation, "a sample traps as if it were alone");
      break;
    }
    fuzz::require(same_bits(alone.outputs, out), "a sample runs as if it were alone");
    fuzz::require(same_bits(meant.outputs, out), "the plain evaluation gives these outputs");
    for (std::size_t i = 0; i < p.size(); ++i)
      fuzz::require(meant.values[i] == r.values[i * n + s],
                    "the plain evaluation gives this value");
  }
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  result<alir::model> m = fuzz::read_any(source);
  if (!m) return fuzz::reject(), 0;
  const result<alir::program> p = alir::verify(std::move(*m));
  if (!p) return fuzz::reject(), 0;
  const alir::model& model = p->model();

  // Mostly a few samples; sometimes more than the machine has lanes.
  const std::size_t seed = fuzz::below(source, 4096);
  const std::size_t n = seed % 16 == 0 ? 130 : seed % 16 == 1 ? 20 : 3;
  const std::vector<double> inputs = random_program::inputs(model, seed, n);
  const run r = observe(*p, inputs, n);
  fuzz::count_run(static_cast<bool>(r.done));
  if (r.done.code == errc::budget_steps || r.done.code == errc::budget_memory) {
    fuzz::require(r.done.steps == 0, "a run that its budget can't hold doesn't start");
    return 0;
  }
  const std::size_t whole = r.done ? n : static_cast<std::size_t>(r.done.sample);
  fuzz::require(r.done || r.done.code == errc::alir_lookup_range, "only lookups trap");
  fuzz::require(whole <= n && r.done.steps == whole * p->size(), "steps are counted");

  // As it comes, or with other instructions and lanes.
  fuzz::turns turn(source);
  if (turn.one_in(4)) {
    vm::alir::machine machine(*p);
    if (!check_unobserved(machine, r, inputs, n)) return 0;
  }
  if (turn.one_in(4)) {
    vm::alir::machine other(
        *p, {.instructions = vm::alir::level(seed % 3), .min_lane_bits = seed % 2 == 0 ? 32 : 64});
    if (!check_unobserved(other, r, inputs, n)) return 0;
  }
  if (turn.one_in(4)) check_samples(*p, r, inputs, n);
  for (const std::int32_t version : {2, 3, 4})
    for (const alir::encoding encoding : {alir::encoding::json, alir::encoding::bytecode})
      if (turn.one_in(48))
        if (const auto written = alir::write(model, {.encoding = encoding, .version = version}))
          check_twin(r, alir::read(written->view()), inputs, n);
  return 0;
}
