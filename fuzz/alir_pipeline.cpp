// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR pipelines: for any text a pipeline or an error with an offset inside; no proper prefix is one. What
// was read can be written and read again. What verifies computes what its blocks do one after the other,
// sample by sample, and the same cycle by cycle.

#include <bit>
#include <span>
#include <tessera/alir.hpp>
#include <tessera/core/bytes.hpp>
#include <utility>
#include <vector>

#include "mutate_json.hpp"
#include "require.hpp"
#include "tessera/vm/alir_pipeline.hpp"
#include "tests/vm/alir/random_program.hpp"

using namespace tessera;

namespace {

constexpr budget limit{.max_steps = 1 << 18, .max_memory = 1 << 24};

[[nodiscard]] bool same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

/// Through the form's own tool nothing is lost but an empty list of tables and specs of tables, which the
/// writer makes up: so the second writing is the first.
void check_writing(const alir::pipeline& p) {
  const result<text> written = alir::write_pipeline(p);
  if (!written) return;
  const fuzz::exact source(written->view());
  const result<alir::pipeline> again = alir::read_pipeline(source.text());
  fuzz::require(static_cast<bool>(again), "what was written reads");
  fuzz::require(again->blocks.size() == p.blocks.size() && latency(*again) == latency(p),
                "blocks and registers stay");
  for (std::size_t i = 0; i < p.blocks.size(); ++i)
    fuzz::require(again->blocks[i].ops == p.blocks[i].ops, "operations stay");
  const result<text> rewritten = alir::write_pipeline(*again);
  fuzz::require(rewritten && rewritten->view() == written->view(), "written byte for byte");
  fuzz::require(alir::starts_pipeline(written->view()), "what was written is taken for a pipeline");
}

void check_cycles(vm::alir::pipeline_machine& machine, std::span<const double> in,
                  std::span<const double> out, std::size_t n) {
  if (machine.inputs() == 0) return;  // there is no cycle without a sample
  const std::size_t late = machine.latency() == 0 ? 0 : to_size(machine.latency()) - 1;
  if (late > 64) return;
  std::vector<double> seen(machine.outputs());
  for (std::size_t t = 0; t < n + late; ++t) {
    const auto sample =
        t < n ? in.subspan(t * machine.inputs(), machine.inputs()) : std::span<const double>();
    const vm::alir::cycle now = machine.step(sample, seen);
    fuzz::require(static_cast<bool>(now) && now.has_output == (t >= late), "each sample comes out");
    if (now.has_output)
      fuzz::require(same_bits(seen, out.subspan((t - late) * seen.size(), seen.size())),
                    "cycles give what samples give");
  }
}

void check_run(const alir::staged& p, std::string_view source) {
  constexpr std::size_t n = 3;
  std::uint64_t memory = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const vm::alir::machine block(p.block(i), {.max_memory = 0});
    memory += block.memory() + 8 * (block.inputs() + block.outputs());
  }
  if (memory > limit.max_memory / 8) return;
  vm::alir::pipeline_machine machine(p);
  const std::vector<double> in =
      random_program::inputs(p.block(0).model(), fuzz::below(source, 4096), n);
  std::vector<double> out(n * machine.outputs());
  const vm::alir::pipeline_outcome done = machine.run(in, out, n, limit);
  if (done.code == errc::budget_steps || done.code == errc::budget_memory) return;
  fuzz::require(done || done.code == errc::alir_lookup_range, "only lookups trap");
  std::vector<double> values = in;
  std::uint64_t whole = n;
  for (std::size_t i = 0; i < p.size(); ++i) {
    vm::alir::machine block(p.block(i));
    std::vector<double> next(n * block.outputs());
    const vm::alir::outcome o = block.run(values, next, whole, {.max_steps = UINT64_MAX});
    if (!o) whole = o.sample;
    values = std::move(next);
  }
  fuzz::require(done ? whole == n : whole == done.sample, "the first sample that traps");
  const std::size_t size = to_size(whole) * machine.outputs();
  fuzz::require(same_bits(std::span(out).first(size), std::span(values).first(size)),
                "the blocks one after the other");
  if (done) check_cycles(machine, in, out, n);
}

void check_prefix(std::string_view source) {
  const std::size_t kept = fuzz::below(source, source.size());
  if (source.find_first_not_of(" \t\r\n", kept) == std::string_view::npos) return;
  const fuzz::exact prefix(source.substr(0, kept));
  fuzz::require(!alir::read_pipeline(prefix.text()), "a proper prefix is an error");
}

}  // namespace

TESSERA_FUZZ_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  if (turn.one_in(16)) (void)alir::starts_pipeline(source);
  result<alir::pipeline> p = alir::read_pipeline(source);
  if (!p) {
    fuzz::require_error(p.error(), size);
    if (turn.one_in(16))
      fuzz::require(!describe(p.error(), source).empty(), "every error can be described");
    return 0;
  }
  if (turn.one_in(16)) check_prefix(source);
  if (turn.one_in(32)) (void)alir::print(*p);
  if (turn.one_in(16)) check_writing(*p);
  if (!turn.one_in(4)) return 0;
  report found;
  const result<alir::staged> s = alir::verify(std::move(*p), {}, &found);
  if (!s) {
    fuzz::require_error(s.error(), size);
    return 0;
  }
  check_run(*s, source);
  return 0;
}
