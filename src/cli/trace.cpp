// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace`: runs a program and writes when it did what, as Chrome trace JSON.

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

[[nodiscard]] exit_code trace_container(trace_options o, const source& file) {
  if (o.nem.any() || o.run.nem.any() || o.run.json)
    return usage_error("trace",
                       "--timing, --report, --json and other options of NEM aren't for NAC");
  if (o.run.outputs.empty()) o.run.outputs.emplace_back("-");
  return trace_nac(o.run, file);
}
[[nodiscard]] exit_code trace_program(const trace_options& o, const source& file) {
  if (o.run.nac.any_of_nac() || !o.run.nac.schedule.empty() || o.run.steps)
    return usage_error("trace", "--schedule, --steps and NAC's options aren't for NEM");
  return trace_nem(o.run, o.nem, file);
}
[[nodiscard]] exit_code trace_file(const trace_options& o) {
  const reporting to{o.run.files[0], o.run.json};
  return with_file(to, "trace",
                   {.nac = [&](const source& f) { return trace_container(o, f); },
                    .nem = [&](const source& f) { return trace_program(o, f); }});
}

}  // namespace

void add_trace(const command& app, action& run) {
  const auto all = std::make_shared<trace_options>();
  run_options* const o = &all->run;
  const command verb =
      app.add_subcommand("trace", "Run a program and say when it did what, as Chrome trace JSON");
  o->files.resize(1);
  verb.add_option("FILE", o->files[0], "A NAC container or a NEM program; - is standard input")
      ->required();
  verb.add_option("-i,--input", o->inputs, "An input's elements; see `tessera run --help`")
      ->type_name("[NAME=]FILE")
      ->one_value();
  verb.add_option("-o,--output", o->outputs, "The file to write; - is standard output")
      ->type_name("FILE")
      ->once();
  verb.add_option("--random", o->seed, "Random values, for inputs without a file")
      ->type_name("SEED");
  verb.add_option("--steps", o->steps, "NAC: run so many times (1)")->type_name("COUNT");
  verb.add_option("--max-memory", o->max_memory, "Bytes that values may take (4 GiB)")
      ->type_name("BYTES");
  add_nac_options(verb, o->nac);
  add_max_steps(verb, o->max_steps);
  add_nem_options(verb, o->nem.reading);
  verb.add_option("--timing", all->nem.timing,
                  "NEM: a parameter of the cost model: bandwidth (bytes a cycle, 32),\n"
                  "transfer_latency (cycles, 4), macs (a cycle, 4096, or what the\n"
                  "target's NMU has), product_latency (2), elements (a cycle, 256),\n"
                  "element_latency (1)")
      ->type_name("NAME=VALUE")
      ->one_value();
  verb.add_option("--report", all->nem.report,
                  "NEM: the file for the report, rather than standard error")
      ->type_name("FILE");
  verb.add_flag("--json", o->json,
                "NEM: the report as a JSON object on standard output; the trace\n"
                "only where --output says");
  verb.footer(
      std::string(
          "The file opens in https://ui.perfetto.dev or chrome://tracing.\n\n"
          "NAC: one track has the instructions, one what the schedule's coprocessor frees, "
          "forwards\n"
          "and loads, and a counter shows the bytes of all values that are live.\n\n"
          "NEM: time is abstract, and a cycle is shown as a microsecond. Engines are processes, "
          "their\n"
          "units threads; counters show the live bytes of each memory and the live tokens. "
          "Buffers are\n"
          "zero unless inputs are given: the time that a task takes depends on its shapes alone. "
          "A\n"
          "report of units, stalls and memories goes to standard error.\n\n"
          "Examples:\n"
          "  tessera trace model.nac --shape 1x3x224x224 -o trace.json\n"
          "  tessera trace model.nac --shape 1x16:i64 --schedule none | gzip > trace.json.gz\n"
          "  tessera trace gemm.nem -o trace.json --report -\n"
          "  tessera trace gemm.nem --device small --timing bandwidth=64 --json\n\n") +
      exit_codes_help);
  verb.callback([all, &run] { run = [all] { return trace_file(*all); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
