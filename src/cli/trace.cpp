// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace`: runs a program and writes a timeline, as Chrome trace JSON, or of ALIR each value.

#include <memory>

#include "alir.hpp"
#include "ark.hpp"
#include "nac_values.hpp"
#include "run.hpp"
#include "tessera/inspect/ark/plan_timeline.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct trace_options {
  run_options run;
  nem_trace_options nem;
};

[[nodiscard]] exit_code trace_plan(const run_options& o, const source& file, const reporting& to) {
  if (!o.inputs.empty() || o.seed)
    return usage_error("trace", "a plan isn't run: --input and --random don't apply to it");
  const plan_outcome in = verify_plan(file, to);
  if (!in.plan) return in.code;
  const ark::plan* const ranks[] = {&*in.plan};
  text out;
  inspect::append_trace(out, ranks);
  return write_report(o.outputs.empty() ? "-" : o.outputs[0], out);
}

[[nodiscard]] exit_code trace_file(trace_options o) {
  const reporting to{o.run.files[0], o.run.json};
  return with_file(
      to, "trace",
      {.alir = [&](const source& file) { return trace_alir(o.run, {o.nem.format}, file); },
       .ark_plan = [&](const source& file) { return trace_plan(o.run, file, to); },
       .nac =
           [&](const source& file) {
             if (o.run.outputs.empty()) o.run.outputs.emplace_back("-");
             return trace_nac(o.run, file);
           },
       .nem =
           [&](const source& file) {
             if (!o.nem.format.empty() && o.nem.format != "chrome" && o.nem.format != "csv")
               return usage_error("trace", "--format " + o.nem.format +
                                               " is for ALIR programs; expected "
                                               "chrome or csv");
             return trace_nem(o.run, o.nem, file);
           }});
}

}  // namespace

void add_trace(const command& app, action& run) {
  const auto all = std::make_shared<trace_options>();
  run_options* const o = &all->run;
  const command verb = app.verb("trace");
  o->files.resize(1);
  verb.bind("FILE", o->files[0]);
  verb.bind("--input", o->inputs);
  verb.bind("--output", o->outputs)->once();
  verb.bind("--random", o->seed);
  verb.bind("--samples", o->samples);
  verb.bind("--steps", o->steps);
  verb.bind("--max-memory", o->max_memory);
  add_nac_options(verb, o->nac);
  verb.bind("--max-steps", o->max_steps);
  add_nem_options(verb, o->nem.reading);
  verb.bind("--timing", all->nem.timing);
  verb.bind("--report", all->nem.report);
  verb.bind("--format", all->nem.format);
  verb.bind("--json", o->json);
  verb.callback([all, &run] { run = [all] { return trace_file(*all); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
