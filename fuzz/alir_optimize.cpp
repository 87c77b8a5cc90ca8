// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The optimizer of ALIR programs, and pipelines cut from them: whatever verify() accepts becomes a program
// or a pipeline that verifies and computes the same, trap for trap. A pipeline meets its cutoff, counts its
// register bits, and has no more of them than without retiming.
//
// What doesn't verify is the seed of a random program.

#include <string_view>
#include <tessera/alir.hpp>
#include <tessera/inspect/alir/duplicates.hpp>
#include <tessera/transform/pipeline_alir.hpp>
#include <utility>

#include "alir_random.hpp"
#include "mutate_json.hpp"
#include "require.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t samples = 16;

void check_optimized(const alir::program& p, std::size_t seed, fuzz::turns& turn) {
  const std::uint32_t all = transform::alir_optimize_options{}.passes;
  const std::uint32_t passes = seed % 3 == 0 ? static_cast<std::uint32_t>(seed >> 4) & all : all;
  const auto made = transform::optimize(p, {.passes = passes});
  fuzz::require(static_cast<bool>(made), "what is optimized is valid");
  fuzz::require(made->model.ops.size() <= p.size(), "nothing is added");
  fuzz::require(made->rounds < transform::alir_optimize_options{}.max_rounds,
                "passes reach an end");
  const auto after = alir::verify(alir::model(made->model));
  fuzz::require(static_cast<bool>(after), "what is optimized verifies");
  if (turn.one_in(2))
    fuzz::require(transform::compare(p, *after, samples, seed).agrees,
                  "what is optimized computes the same");
  if (!turn.one_in(4)) return;
  const inspect::alir_duplicates same(*after);
  for (std::size_t i = 0; i < after->size() && passes == all; ++i)
    fuzz::require(!same.is_needless(i), "what `check` calls duplicates is gone");
  const auto again = transform::optimize(*after, {.passes = passes});
  fuzz::require(again && again->model == made->model, "optimizing again changes nothing");
}

void check_same(const alir::program& p, const transform::alir_pipelined& made, std::size_t seed) {
  const auto s = alir::verify(alir::pipeline(made.pipeline));
  fuzz::require(static_cast<bool>(s), "a pipeline verifies");
  fuzz::require(transform::compare(p, *s, samples, seed).agrees, "a pipeline computes the same");
  const auto joined = transform::to_program(*s);
  fuzz::require(joined && transform::compare(p, *joined, samples, seed).agrees,
                "its blocks, joined, compute the same");
  for (std::size_t i = 0; i < s->size(); ++i)
    fuzz::require(transform::latency_of(s->block(i)) <=
                      made.latency * (1 + 0x1p-28) + transform::latency_of(p) * 0x1p-36,
                  "no block is slower than the slowest stage");
}

void check_pipeline(const alir::program& p, std::size_t seed) {
  transform::alir_pipeline_options how;
  how.max_stages = 40;
  how.max_work = 1 << 22;
  if (p.model().spec_version > 2)
    how.input_register = seed % 3 != 0, how.output_register = seed % 5 != 0;
  if (seed % 4 != 0) how.latency_cutoff = 0.375 + static_cast<double>(seed % 11) / 8;
  if (seed % 4 != 1) how.stages = 1 + static_cast<std::uint32_t>(seed % 7);
  const transform::alir_pipelined made = transform::to_pipeline(p, how);
  if (!made.refusal.empty()) return;
  fuzz::require(how.stages == 0 || made.pipeline.blocks.size() == how.stages,
                "a pipeline has the stages that are asked for");
  if (how.latency_cutoff > 0)
    fuzz::require(
        made.latency <= how.latency_cutoff * (1 + 0x1p-28) + transform::latency_of(p) * 0x1p-36,
        "a pipeline meets its cutoff");
  fuzz::require(made.register_bits == alir::register_bits(made.pipeline),
                "register bits are counted");
  check_same(p, made, seed);
  how.retiming = false;
  const transform::alir_pipelined plain = transform::to_pipeline(p, how);
  if (plain.refusal.empty())
    fuzz::require(plain.register_bits >= made.register_bits, "retiming adds no register bits");

  const auto written = alir::write_pipeline(made.pipeline);
  if (!written) return;  // other versions can't have all operations
  const auto read = alir::read_pipeline(*written);
  fuzz::require(static_cast<bool>(read), "a pipeline that was written is read");
  const auto again = alir::write_pipeline(*read);
  fuzz::require(again && again->view() == written->view(), "and written as the same text");
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_json)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const std::size_t seed = fuzz::below(source, std::size_t{1} << 30);
  fuzz::turns turn(source);
  std::optional<alir::program> p = fuzz::program_of(source, turn, [&] {
    alir::model m = fuzz::random_model(seed, 80);
    random_program::set_latencies(m, seed);
    return m;
  });
  if (!p) return 0;
  if (seed % 2 == 0) {
    alir::model timed = std::move(*p).release();
    random_program::set_latencies(timed, seed);
    result<alir::program> again = alir::verify(std::move(timed));
    fuzz::require(static_cast<bool>(again), "latencies are free");
    p = std::move(*again);
  }
  if (p->size() > 2000 || p->model().n_inputs > 2000 || p->model().n_outputs > 2000) return 0;
  if (turn.one_in(2)) check_optimized(*p, seed, turn);
  if (turn.one_in(4)) check_pipeline(*p, seed);
  return 0;
}
