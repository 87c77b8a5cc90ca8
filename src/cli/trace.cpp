// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace`: runs a program and writes when it did what, as Chrome trace JSON.

#include <CLI/CLI.hpp>
#include <memory>

#include "nac_values.hpp"
#include "run.hpp"
#include "tool.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] exit_code trace_file(const run_options& o) {
  const reporting to{o.files[0]};
  return with_file(to, "trace", {.nac = [&](const source& file) { return trace_nac(o, file); }});
}

}  // namespace

void add_trace(CLI::App& app, action& run) {
  const auto o = std::make_shared<run_options>();
  CLI::App* const verb =
      app.add_subcommand("trace", "Run a program and say when it did what, as Chrome trace JSON");
  o->files.resize(1);
  verb->add_option("FILE", o->files[0], "A NAC container; - is standard input")->required();
  verb->add_option("-i,--input", o->inputs, "An input's elements; see `tessera run --help`")
      ->type_name("[NAME=]FILE")
      ->allow_extra_args(false);
  o->outputs.assign(1, "-");
  verb->add_option("-o,--output", o->outputs[0], "The file to write; - is standard output")
      ->type_name("FILE");
  verb->add_option("--random", o->seed, "Random values, for inputs without a file")
      ->type_name("SEED");
  verb->add_option("--steps", o->steps, "Run so many times (1)")->type_name("COUNT");
  verb->add_option("--max-memory", o->max_memory, "Bytes that values may take (4 GiB)")
      ->type_name("BYTES");
  add_nac_options(*verb, o->nac);
  verb->footer(
      std::string(
          "The file opens in https://ui.perfetto.dev or chrome://tracing. One track has the\n"
          "instructions, one what the schedule's coprocessor frees, forwards and loads, and a "
          "counter\n"
          "shows the bytes of all values that are live.\n\n"
          "Examples:\n"
          "  tessera trace model.nac --shape 1x3x224x224 -o trace.json\n"
          "  tessera trace model.nac --shape 1x16:i64 --schedule none | gzip > trace.json.gz\n\n") +
      exit_codes_help);
  verb->callback([o, &run] { run = [o] { return trace_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
