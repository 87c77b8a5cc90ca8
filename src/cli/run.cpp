// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run`: runs a program on inputs from files or random ones, and writes its outputs.

#include "run.hpp"

#include <algorithm>
#include <memory>

#include "genome.hpp"
#include "nac.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

void note_limit(errc code, const reporting& to) {
  if (code == errc::budget_steps && !to.as_json) show_note("--max-steps raises the limit");
}

void add_nac_options(const command& verb, nac_run_options& o) {
  verb.bind("--shape", o.shapes);
  verb.bind("--text", o.texts);
  verb.bind("--weights", o.weights);
  verb.bind("--schedule", o.schedule);
}

namespace {

[[nodiscard]] exit_code run_files(const run_options& o) {
  if (std::count(o.files.begin(), o.files.end(), "-") > 1)
    return usage_error("run", "standard input can be read only once");
  const reporting to{o.files[0], o.json};
  loaded in = load_source(to, streams_of(o.genome.registry));
  if (!in) return in.code;
  if (o.files.size() > 1 && in.file->what != format::ark_model && in.file->what != format::ark_plan)
    return usage_error("run", "several files must be the ranks of an ARK model; '" + in.file->name +
                                  "' is " + std::string(info(in.file->what).article) +
                                  std::string(info(in.file->what).description));
  const auto ark = [&](const source&) { return run_ark(o, std::move(*in.file)); };
  const auto genome = [&](const source& file) { return run_genome(o, file); };
  return with_source(
      *in.file, to, "run",
      {.alir = [&](const source& file) { return run_alir(o, file); },
       .alir_pipeline = [&](const source& file) { return run_alir_pipeline(o, file); },
       .ark_model = ark,
       .ark_plan = ark,
       .nac = [&](const source& file) { return run_nac(o, file); },
       .nem = [&](const source& file) { return run_nem(o, file); },
       .genome_stream = genome,
       .genome_signatures = genome});
}

}  // namespace

void add_run(const command& app, action& run) {
  const auto o = std::make_shared<run_options>();
  const command verb = app.verb("run");
  verb.bind("FILE", o->files);
  verb.bind("--input", o->inputs);
  verb.bind("--output", o->outputs);
  verb.bind("--random", o->seed);
  verb.bind("--seed", o->seed_of_operations);
  verb.bind("--samples", o->samples);
  verb.bind("--input-format", o->input_format);
  verb.bind("--output-format", o->output_format);
  verb.bind("--threads", o->threads);
  verb.bind("--fast", o->fast);
  verb.bind("--model", o->model);
  verb.bind("--steps", o->steps);
  verb.bind("--max-memory", o->max_memory);
#ifdef TESSERA_HAS_MPI
  verb.bind("--mpi", o->mpi);
#endif
  add_nac_options(verb, o->nac);
  verb.bind("--answer", o->nac.answers);
  verb.bind("--folder", o->nac.folder);
  verb.bind("--any-path", o->nac.any_path);
  verb.bind("--raw", o->nac.raw);
  verb.bind("--mode", o->nac.mode);
  verb.bind("--max-steps", o->max_steps);
  verb.bind("--no-plan", o->nac.no_plan);
  add_nem_options(verb, o->nem.reading);
  add_genome_options(verb, o->genome.registry);
  verb.bind("--stream", o->genome.stream);
  verb.bind("--keep-going", o->nem.keep_going);
  verb.bind("--races", o->nem.races);
  verb.bind("--allow-races", o->nem.allow_races);
  verb.bind("--step", o->nem.step);
  verb.bind("--script", o->nem.script);
  verb.bind("--json", o->json);
  verb.callback([o, &run] { run = [o] { return run_files(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
