// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/trace.hpp"

#include <string>

#include "inspect/chrome_trace.hpp"
#include "tessera/inspect/nac/lookup.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

void run_recorder::begin(const vm::nac::event& at) {
  // An instruction that failed in a run before never ended.
  while (!open_.empty() && instructions_[open_.back()].instruction >= at.instruction)
    open_.pop_back();
  open_.push_back(instructions_.size());
  const clock::time_point now = clock::now();
  instructions_.push_back({at.instruction, now, now, at.live});
}

void run_recorder::end(const vm::nac::event& at) {
  span& s = instructions_[open_.back()];
  open_.pop_back();
  s.to = clock::now();
  s.live = at.live;
}

void run_recorder::command(nac::action what, std::uint32_t target) {
  commands_.push_back({what, target, clock::now()});
}

void run_recorder::preloaded(std::uint32_t target, clock::time_point from, clock::time_point to) {
  loads_.push_back({target, from, to, 0});
}

void run_recorder::append_trace(text& out, std::string_view name) const {
  const lookup of(program_.model());
  const auto name_of = [&](std::uint32_t i) {
    return 'v' + std::to_string(i) + ' ' + of.operation(of.instructions()[i]);
  };
  const auto microseconds = [&](clock::time_point t) {
    return std::chrono::duration<double, std::micro>(t - start_).count();
  };
  constexpr std::uint32_t process = 1, core = 1, coprocessor = 2, loader = 3;
  chrome_trace trace(out);
  trace.name_process(process, name);
  trace.name_thread(process, core, "instructions");
  trace.name_thread(process, coprocessor, "memory coprocessor");
  trace.name_thread(process, loader, "loading parameters");
  for (const span& s : instructions_) {
    const double from = microseconds(s.from), until = microseconds(s.to);
    std::string arguments;
    for (const nac_argument& a : of.arguments(of.instructions()[s.instruction]))
      arguments += (arguments.empty() ? "" : ", ") + of.text_of(a);
    trace.span(process, core, from, until - from, {name_of(s.instruction), "instruction"},
               {{"arguments", arguments}});
    trace.counter(process, until, "live memory", "bytes", s.live);
  }
  for (const moment& c : commands_)
    trace.instant(process, coprocessor, microseconds(c.at),
                  {std::string(nac::name(c.what)) + ' ' + name_of(c.target), "memory"});
  for (const span& s : loads_)
    trace.span(process, loader, microseconds(s.from), microseconds(s.to) - microseconds(s.from),
               {name_of(s.instruction), "load"});
  trace.finish();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
