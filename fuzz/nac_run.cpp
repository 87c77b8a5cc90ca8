// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference machines of NAC: whatever verify() accepts runs within its budget and ends, a
// program and its execution plan, the same every time; what a schedule frees changes no result. No file is
// ever opened.

#include <cstring>
#include <optional>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/describe.hpp>
#include <tessera/core/json.hpp>
#include <tessera/inspect/nac/trace.hpp>
#include <vector>

#include "mutate_nac.hpp"
#include "nac_input.hpp"
#include "require.hpp"
#include "statistic.hpp"
#include "vm/execution_plan/format.hpp"
#include "vm/execution_plan/machine.hpp"
#include "vm/nac/interpreter.hpp"

using namespace tessera;
using vm::nac::plan_value;
using vm::nac::tensor;
using vm::nac::value;

namespace {

// Products of what fits here take a moment each.
constexpr std::uint64_t max_memory = 1 << 22;
constexpr std::uint64_t max_steps = 1 << 20;

// ---- results as bytes, which compare

void describe(std::string& out, const tensor& t) {
  out += t.dims.text();
  out += static_cast<char>(t.type);
  if (t.bytes() != 0) out += as_text({t.data, t.bytes()});
}
void describe(std::string& out, const value& v) {
  out += static_cast<char>(v.what());
  switch (v.what()) {
    case value::form::none: break;
    case value::form::tensor:
    case value::form::complex: describe(out, v.as_tensor()); break;
    case value::form::string: out += v.as_string(); break;
    case value::form::list:
      for (const value& each : v.as_list()) describe(out, each);
      break;
    case value::form::int_list:
      for (const std::int64_t each : v.as_int_list()) out += std::to_string(each) + ' ';
      break;
    case value::form::numbers:
      for (const double each : v.as_numbers())
        out.append(as_text({static_cast<const std::byte*>(static_cast<const void*>(&each)), 8}));
      break;
  }
}
void describe(std::string& out, const plan_value& v) {
  out += static_cast<char>(v.what());
  if (v.is_tensor() || v.is_list())
    describe(out, v.elements());
  else if (v.is_text())
    out += v.as_text();
  else if (v.is_number())
    out += std::to_string(v.as_whole()) + ' ' + std::to_string(v.as_real());
}

[[nodiscard]] std::size_t seed_of(std::string_view source) { return fuzz::below(source, 1000); }

/// How a run ended.
struct ending {
  errc code = errc::ok;
  std::uint64_t place = 0, steps = 0;
  std::string text, results;
  friend bool operator==(const ending&, const ending&) = default;
};

// ---- programs

[[nodiscard]] ending run(const nac::program& p, std::size_t seed, vm::nac::freeing frees,
                         inspect::run_recorder* seen = nullptr) {
  vm::nac::interpreter_options how;
  how.max_memory = max_memory;
  how.frees = frees;
  vm::nac::interpreter machine(p, how);
  if (machine.arena().live() < max_memory / 2)  // else without them
    for (std::size_t i = 0; i < p.inputs().size() && i < 100; ++i)
      machine.set_input(i, fuzz::nac_input(machine.arena(), seed + i * 3));
  const budget limit{.max_steps = max_steps};
  const vm::nac::outcome done = seen == nullptr ? machine.run(limit) : machine.run(limit, *seen);
  fuzz::require(done.steps <= max_steps, "steps are limited");
  fuzz::require(machine.arena().peak() <= max_memory, "memory is limited");
  fuzz::require(done.code == errc::ok || done.instruction == vm::nac::outcome::none ||
                    done.instruction < p.size(),
                "a fault is an instruction's");
  ending e{done.code, done.instruction, done.steps, done.text, {}};
  if (done)
    for (const value& v : machine.outputs()) describe(e.results, v);
  return e;
}

// ---- execution plans

[[nodiscard]] ending run_plan(const nac::program& p, std::size_t seed) {
  std::string written;
  vm::nac::plan_options how;
  how.files = vm::nac::file_access::none;
  how.answers = {"3", "a picture.png", "1.5"};
  how.ask = [left = 3](std::string_view) mutable {
    return left-- > 0 ? std::optional<std::string>("7") : std::nullopt;
  };
  how.out = how.err = [&](std::string_view s) { return written += s, true; };
  how.load = [&](std::string_view path) { return path.size() % 2 == 0 ? &p : nullptr; };
  how.mode = seed % 2 == 0 ? "infer" : "infer_train";
  how.seed = seed;
  how.max_steps = max_steps;
  how.max_memory = max_memory;
  how.max_written = 1 << 16;
  vm::nac::plan_machine machine(p, how);
  const vm::nac::plan_outcome done = machine.run();
  fuzz::require(done.steps <= max_steps, "steps of an execution plan are limited");
  fuzz::require(machine.arena().peak() <= max_memory, "memory of an execution plan is limited");
  fuzz::require(written.size() <= how.max_written, "what an execution plan writes is limited");
  fuzz::require(done.offset <= p.model().execution_plan().size(),
                "an execution plan ends at one of its instructions");
  ending e{done.code, done.offset, done.steps, done.text, written};
  for (const plan_value& v : done.returned) describe(e.results, v);
  for (unsigned i = 0; i < 256; ++i)
    describe(e.results, machine.slot(static_cast<std::uint8_t>(i)));
  return e;
}

void check_traced(const nac::program& p, const ending& first, std::string_view source) {
  inspect::run_recorder seen(p);
  fuzz::require(run(p, seed_of(source), vm::nac::freeing::as_filed, &seen) == first,
                "a program runs alike when it is watched");
  fuzz::depends_on_time = true;  // how many digits times have
  text trace;
  seen.append_trace(trace, source.substr(source.size() - source.size() % 8));
  json::reader in(trace);
  in.skip();
  fuzz::require(in.finish().code == errc::ok, "a trace is JSON");
}

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_nac)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const result<nac::model> file = nac::read(as_bytes(source));
  if (!file) return fuzz::reject(), 0;
  const result<nac::program> p = nac::verify(*file);
  if (!p) return fuzz::reject(), 0;
  const std::size_t seed = seed_of(source);
  fuzz::depends_on_time = !file->schedule().empty();  // when parameters are preloaded

  const ending first = run(*p, seed, vm::nac::freeing::as_filed);
  fuzz::count_run(first.code == errc::ok);
  fuzz::turns turn(source);
  if (turn.one_in(8)) check_traced(*p, first, source);
  if (turn.one_in(8))
    fuzz::require(run(*p, seed, vm::nac::freeing::as_filed) == first,
                  "a program always runs alike");
  if (turn.one_in(8)) {
    const ending unfreed = run(*p, seed, vm::nac::freeing::never);
    fuzz::require(unfreed == first || unfreed.code == errc::budget_memory ||
                      first.code == errc::budget_memory,
                  "what is freed changes nothing");
  }
  if (file->execution_plan().empty()) return 0;
  if (!turn.one_in(2))
    (void)run_plan(*p, seed);
  else
    fuzz::require(run_plan(*p, seed) == run_plan(*p, seed), "an execution plan always runs alike");
  return 0;
}
