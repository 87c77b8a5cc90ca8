// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace`: runs a program and writes a timeline, as Chrome trace JSON.

#include <memory>

#include "nac_values.hpp"
#include "run.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct trace_options {
  run_options run;
  nem_trace_options nem;
};

[[nodiscard]] exit_code trace_file(trace_options o) {
  const option_use uses[] = {
      {!o.nem.timing.empty(), "--timing", in_nem},
      {!o.nem.report.empty(), "--report", in_nem},
      {o.run.json, "--json", in_nem},
      {o.run.nem.reading.profile != "default", "--profile", in_nem},
      {!o.run.nem.reading.device.empty(), "--device", in_nem},
      {!o.run.nem.reading.include_folders.empty(), "--include", in_nem},
      {!o.run.nac.shapes.empty(), "--shape", in_nac},
      {!o.run.nac.texts.empty(), "--text", in_nac},
      {!o.run.nac.weights.empty(), "--weights", in_nac},
      {!o.run.nac.schedule.empty(), "--schedule", in_nac},
      {o.run.steps.has_value(), "--steps", in_nac},
  };
  return with_file(
      {o.run.files[0], o.run.json}, "trace",
      {.check = [&uses](const source& file) { return check_options("trace", uses, file); },
       .nac =
           [&](const source& file) {
             if (o.run.outputs.empty()) o.run.outputs.emplace_back("-");
             return trace_nac(o.run, file);
           },
       .nem = [&](const source& file) { return trace_nem(o.run, o.nem, file); }});
}

}  // namespace

void add_trace(const command& app, action& run) {
  const auto all = std::make_shared<trace_options>();
  run_options* const o = &all->run;
  const command verb =
      app.add_subcommand("trace", "Run a program and write its timeline as Chrome trace JSON");
  o->files.resize(1);
  verb.add_option("FILE", o->files[0], "A NAC container or a NEM program; - is standard input")
      ->required();
  verb.add_option("-i,--input", o->inputs, "The elements of an input; see `tessera run --help`")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option("-o,--output", o->outputs, "The file to write (standard output)")
      ->type_name("FILE")
      ->once();
  verb.add_option("--random", o->seed, "The seed of random values for inputs without a file")
      ->type_name("SEED");
  verb.add_option("--steps", o->steps, "NAC: the number of runs (1)")->type_name("COUNT");
  verb.add_option("--max-memory", o->max_memory, "The maximum memory of values, in bytes (4 GiB)")
      ->type_name("BYTES");
  add_nac_options(verb, o->nac);
  add_max_steps(verb, o->max_steps);
  add_nem_options(verb, o->nem.reading);
  verb.add_option("--timing", all->nem.timing,
                  "NEM: a parameter of the cost model: bandwidth (bytes per cycle, 32),\n"
                  "transfer_latency (cycles, 4), macs (per cycle; those of the target's NMU,\n"
                  "or 4096), product_latency (2), elements (per cycle, 256),\n"
                  "element_latency (1)")
      ->type_name("NAME=VALUE")
      ->one_value();
  verb.add_option("--report", all->nem.report, "NEM: the file for the report (standard error)")
      ->type_name("FILE");
  verb.add_flag("--json", o->json,
                "NEM: print the report as a JSON object on standard output, and write\n"
                "the trace only to --output");
  verb.footer({R"(
The output opens in https://ui.perfetto.dev or chrome://tracing.

NAC: one track has the instructions, another what the memory coprocessor frees, forwards
and loads; a counter shows the bytes of all live values.

NEM: time is abstract; a cycle is shown as a microsecond. Engines are processes and their units
threads; counters show the live bytes of each memory and the live tokens. Buffers are zero unless
inputs are given, because the time of a task depends only on its shapes. A report of units, stalls
and memories goes to standard error.

Examples:
  tessera trace model.nac --shape 1x3x224x224 -o trace.json
  tessera trace model.nac --shape 1x16:i64 --schedule none | gzip > trace.json.gz
  tessera trace gemm.nem -o trace.json --report -
  tessera trace gemm.nem --device small --timing bandwidth=64 --json

)",
               exit_codes_help});
  verb.callback([all, &run] { run = [all] { return trace_file(*all); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
