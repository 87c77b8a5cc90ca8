// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace` for NEM programs.

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "nem_values.hpp"
#include "tessera/inspect/nem/timeline_trace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nem;

namespace {

/// Applies the options --timing; reports invalid ones.
[[nodiscard]] exit_code set_timing(const std::vector<std::string>& options,
                                   vn::timing_profile& to) {
  for (const std::string& option : options) {
    const std::size_t equals = option.find('=');
    const char* const end = option.data() + option.size();
    std::uint64_t value = 0;
    bool is_right = equals != std::string::npos;
    if (is_right) {
      const auto [last, error] = std::from_chars(option.data() + equals + 1, end, value);
      is_right = error == std::errc() && last == end && to.set(option.substr(0, equals), value);
    }
    if (!is_right)
      return usage_error("trace", "invalid --timing '" + shown_name(option) +
                                      "'; expected NAME=VALUE, where NAME is " +
                                      std::string(vn::timing_profile::names()) +
                                      " and only latencies may be 0");
  }
  return success;
}

/// Whether a run continues after a finding: a trace needs times, not values.
[[nodiscard]] bool is_of_values(errc code) noexcept {
  return code == errc::nem_rt_div0 || code == errc::nem_rt_index ||
         code == errc::nem_rt_unsupported || code == errc::nem_rt_acc ||
         code == errc::nem_rt_uninit;
}

/// Executes the program and reports its findings.
[[nodiscard]] exit_code execute(vn::machine& machine, vn::timeline& when, bool has_values,
                                const budget& limit, const reporting& to, const source& file) {
  tessera::report found;
  const vn::outcome done = machine.run(&found, &when, limit);
  const bool is_over =
      done.code != errc::ok && done.code != errc::nem_rt_race && !is_of_values(done.code);
  auto& list = found.diagnostics;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is_of_values(list[i].code) && !has_values) continue;
    if (!is_over && list[i].severity == tessera::severity::error)
      list[i].severity = tessera::severity::warning;
    list[kept++] = list[i];
  }
  list.resize(kept);
  const std::vector<diagnostic> findings = diagnose_nem(found, file, nullptr);
  if (is_over && !findings.empty()) {
    const exit_code code = to.fail(findings, file.what);
    if (is_limited_memory(machine, limit.max_memory)) show_note("--max-memory raises the limit");
    note_limit(done.code, to);
    return code;
  }
  if (is_over) return to.fail(error{done.code}, file);
  for (const diagnostic& d : findings) show(d);
  return success;
}

/// Runs the program with the inputs of the options. What the machine has is gone afterwards.
[[nodiscard]] exit_code run_timed(const run_options& o, const nem::program& p, vn::timeline& when,
                                  const reporting& to, const source& file) {
  vn::machine_options how;
  const budget limit = budget_of(o);
  how.max_memory = limit.max_memory;
  how.keep_going = true;
  vn::machine machine(p, how);
  nem_inputs inputs("trace", o, to);
  if (const exit_code code = inputs.bind(machine); code != success) return code;
  if (const exit_code code = inputs.set(machine); code != success) return code;
  const bool has_values = !o.inputs.empty() || o.seed;
  if (!has_values)
    for (const vn::place& b : machine.buffers()) machine.mark_bound(b);
  return execute(machine, when, has_values, limit, to, file);
}

[[nodiscard]] exit_code write_trace(const inspect::timeline_recorder& seen,
                                    const vn::timing_report& report, const std::string& path,
                                    bool is_csv) {
  report_writer to(path);
  text trace;
  const auto put = [&to](text& piece) { return to.put(piece); };
  if (is_csv)
    seen.append_csv(trace, put);
  else
    seen.append_trace(trace, report, put);
  (void)to.put(trace);  // finish says whether all was written
  return to.finish();
}

}  // namespace

exit_code trace_nem(const run_options& o, const nem_trace_options& more, const source& file) {
  const reporting to{o.files[0], o.json};
  const bool has_file = !o.outputs.empty();
  const bool trace_to_stdout = has_file ? o.outputs[0] == "-" : !o.json && more.report != "-";
  if (int{trace_to_stdout} + int{o.json} + int{more.report == "-"} > 1)
    return usage_error("trace",
                       "only one of the trace, --json and --report can go to standard output");
  vn::timing_profile costs;
  if (const exit_code code = set_timing(more.timing, costs); code != success) return code;
  const nem_outcome found = verify_nem(file, to, o.nem.reading);
  if (!found.program) return report_nem(found, file, to, o.nem.reading);
  if (!found.note.empty() && !o.json) show_note(found.note);

  inspect::timeline_recorder seen(*found.program, file.characters());
  file.content.forget(file.data());  // its lines were counted
  vn::timeline when(*found.program, costs, seen);
  if (const exit_code code = run_timed(o, *found.program, when, to, file); code != success)
    return code;
  const vn::timing_report report = when.report();
  if (has_file || trace_to_stdout) {
    const std::string path = has_file ? o.outputs[0] : "-";
    const bool is_csv = more.format.empty() ? path.ends_with(".csv") : more.format == "csv";
    if (const exit_code code = write_trace(seen, report, path, is_csv); code != success)
      return code;
  }
  text table;
  inspect::append_report(table, report);
  if (!more.report.empty()) {
    const exit_code code = write_report(more.report, table);
    if (code != success) return code;
  } else if (!o.json) {
    std::fwrite(table.data(), 1, table.size(), stderr);
  }
  if (!o.json) return success;
  text out;
  inspect::append_json(out, report);
  out << '\n';
  return print_result(out);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
