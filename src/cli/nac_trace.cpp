// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace` for NAC containers.

#include <chrono>
#include <vector>

#include "inspect/chrome_trace.hpp"
#include "nac_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

using clock = vn::no_observer::clock;

/// Records events; they are written after the run, so that writing doesn't disturb it.
struct recorder {
  struct span {
    std::uint32_t instruction;
    clock::time_point from, to;
    std::uint64_t live;
  };
  struct moment {
    nac::action what;
    std::uint32_t target;
    clock::time_point at;
  };
  std::vector<span> instructions, loads;
  std::vector<std::size_t> open;
  std::vector<moment> commands;

  void begin(const vn::event& at) {
    open.push_back(instructions.size());
    instructions.push_back({at.instruction, clock::now(), {}, 0});
  }
  void end(const vn::event& at) {
    span& s = instructions[open.back()];
    open.pop_back();
    s.to = clock::now();
    s.live = at.live;
  }
  void command(nac::action what, std::uint32_t target) {
    commands.push_back({what, target, clock::now()});
  }
  void preloaded(std::uint32_t target, clock::time_point from, clock::time_point to) {
    loads.push_back({target, from, to, 0});
  }
};

}  // namespace

exit_code trace_nac(const run_options& o, const source& file) {
  const reporting to{o.files[0]};
  const nac_model model = verify_nac(file, to, o.nac.weights);
  if (!model.program) return model.code;
  const nac::program& program = *model.program;
  vn::interpreter machine(program, machine_options(o));
  if (!machine.made()) return fail_run(machine.made(), program, file, to);
  nac_inputs inputs("trace", o, to);
  if (const exit_code code = inputs.bind(program); code != success) return code;
  if (const exit_code code = inputs.set(machine); code != success) return code;

  recorder seen;
  const clock::time_point start = clock::now();
  for (std::uint64_t i = 0; i < o.steps.value_or(1); ++i) {
    seen.open.clear();
    const vn::outcome done = machine.run(budget_of(o), seen);
    if (!done) return fail_run(done, program, file, to);
  }

  const inspect::lookup at(program.model());
  const auto name_of = [&](std::uint32_t i) {
    return json_name('v' + std::to_string(i) + ' ' + at.operation(at.instructions()[i]));
  };
  const auto microseconds = [&](clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - start).count();
  };
  constexpr std::uint32_t process = 1, core = 1, coprocessor = 2, loader = 3;
  text out;
  inspect::chrome_trace trace(out);
  trace.name_process(process, json_name(file.name));
  trace.name_thread(process, core, "instructions");
  trace.name_thread(process, coprocessor, "memory coprocessor");
  trace.name_thread(process, loader, "loading parameters");
  for (const recorder::span& s : seen.instructions) {
    const double from = microseconds(s.from), until = microseconds(s.to);
    std::string arguments;
    for (const inspect::nac_argument& a : at.arguments(at.instructions()[s.instruction]))
      arguments += (arguments.empty() ? "" : ", ") + at.text_of(a);
    trace.span(process, core, from, until - from, name_of(s.instruction),
               {{"arguments", json_name(arguments)}});
    trace.counter(process, until, "live memory", "bytes", s.live);
  }
  for (const recorder::moment& c : seen.commands)
    trace.instant(process, coprocessor, microseconds(c.at),
                  std::string(nac::name(c.what)) + ' ' + name_of(c.target));
  for (const recorder::span& s : seen.loads)
    trace.span(process, loader, microseconds(s.from), microseconds(s.to) - microseconds(s.from),
               name_of(s.instruction));
  trace.finish();
  return write_report(o.outputs[0], out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
