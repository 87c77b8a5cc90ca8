// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for NAC containers with an execution plan.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nac_values.hpp"
#include "vm/execution_plan/format.hpp"
#include "vm/execution_plan/machine.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

/// Prints text of an execution plan; unless `raw`, control characters are escaped, except line ends
/// and tabs.
[[nodiscard]] bool put(std::FILE* to, std::string_view s, bool raw) {
  text safe;
  if (!raw) {
    append_shown(safe, s, "\n\t");
    s = safe;
  }
  return std::fwrite(s.data(), 1, s.size(), to) == s.size() && std::fflush(to) == 0;
}

/// The next line of standard input. The prompt goes to standard error, because output may be piped.
[[nodiscard]] std::optional<std::string> ask(std::string_view prompt, bool raw) {
  if (!put(stderr, prompt, raw)) return std::nullopt;
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

[[nodiscard]] exit_code fail_plan(const vn::plan_outcome& done, const nac::program& p,
                                  const source& from, const reporting& to, bool has_folder) {
  std::string message = message_of(done.code, done.text);
  const bool is_stream = done.text.starts_with("standard ");
  if (done.code == errc::nac_plan_path || (done.code == errc::nac_plan_file && !is_stream) ||
      (done.code == errc::nac_plan_write && !has_folder))
    message += "; give the folder of the execution plan's files with --folder";
  std::string what;
  nac::plan_instruction i;
  for (nac::plan_reader in(p.model().execution_plan()); in.next(i);)
    if (i.offset == done.offset) what = std::string(name(i.op())) + ' ';
  diagnostic d = diagnose(from.name, error{done.code}.name(), std::move(message));
  d.offset = p.model().offset(nac::section::orch) + 12 + done.offset;
  add_place(d, "at " + what + "of the execution plan, offset " + std::to_string(*d.offset));
  const bool is_system = done.code == errc::nac_plan_file;
  const exit_code code = to.fail(d, is_system ? io_error : bad_input, from.what);
  note_limit(done.code, to);
  return code;
}

/// A value as Python's repr, cut after a megabyte.
[[nodiscard]] std::string text_of(const vn::plan_value& v) {
  vn::limited_text out(std::uint64_t{1} << 20);
  try {
    append_repr(out, v);
  } catch (const vn::fault&) {
    return std::string(out.view()) + "...";
  }
  return std::string(out.view());
}

}  // namespace

exit_code run_plan(const run_options& o, const source& file, const nac::program& p) {
  const reporting to{o.files[0], o.json};
  busy_line::stop();  // an execution plan may prompt
  vn::plan_options how;
  if (o.nac.any_path) how.files = vn::file_access::anywhere;
  how.folder = o.nac.folder;
  how.path = o.files[0];
  how.mode = o.nac.mode.empty() ? "infer" : o.nac.mode;
  how.answers = o.nac.answers;
  if (o.files[0] != "-") how.ask = [&o](std::string_view prompt) { return ask(prompt, o.nac.raw); };
  // With --json, standard output is for the summary.
  how.out = [&o](std::string_view s) { return put(o.json ? stderr : stdout, s, o.nac.raw); };
  how.err = [&o](std::string_view s) { return put(stderr, s, o.nac.raw); };
  how.seed = o.seed.value_or(0);
  const budget limit = budget_of(o);
  how.max_memory = limit.max_memory;
  how.max_steps = limit.max_steps;

  vn::plan_machine machine(p, std::move(how));
  std::uint64_t steps = 0;
  const auto start = std::chrono::steady_clock::now();
  vn::plan_outcome done;
  for (std::uint64_t i = 0; i < o.steps.value_or(1); ++i) {
    done = machine.run();
    steps += done.steps;
    if (!done) return fail_plan(done, p, file, to, !o.nac.folder.empty());
  }
  text out;
  if (!o.json) {
    for (const vn::plan_value& v : done.returned)
      out << "returned " << shown_text(text_of(v)) << '\n';
    return out.empty() ? success : print_result(out);
  }
  json::writer w(out);
  w.begin_object().key("file").string(json_name(to.path)).key("format").string("nac");
  w.key("ok").boolean(true).key("steps").integer(steps).key("seconds");
  w.number(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  w.key("peak_bytes").integer(machine.arena().peak()).key("returned").begin_array();
  for (const vn::plan_value& v : done.returned) w.string(json_name(text_of(v)));
  w.end().end();
  out << '\n';
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
