// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace` for NAC containers.

#include "nac_values.hpp"
#include "tessera/inspect/nac/trace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

exit_code record_nac(const run_options& o, const source& file, text& out) {
  const reporting to{o.files[0]};
  const nac_model model = verify_nac(file, to, o.nac.weights);
  if (!model.program) return model.code;
  const nac::program& program = *model.program;
  vm::nac::interpreter machine(program, machine_options(o));
  if (!machine.made()) return fail_run(machine.made(), program, file, to);
  nac_inputs inputs("trace", o, to);
  if (const exit_code code = inputs.bind(program); code != success) return code;
  if (const exit_code code = inputs.set(machine); code != success) return code;

  inspect::run_recorder seen(program);
  for (std::uint64_t i = 0; i < o.steps.value_or(1); ++i) {
    const vm::nac::outcome done = machine.run(budget_of(o), seen);
    if (!done) return fail_run(done, program, file, to);
  }
  seen.append_trace(out, file.name);
  return success;
}

exit_code trace_nac(const run_options& o, const source& file) {
  text out;
  const exit_code code = record_nac(o, file, out);
  return code != success ? code : write_report(o.outputs[0], out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
