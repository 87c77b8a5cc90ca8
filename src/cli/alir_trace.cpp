// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera trace` for ALIR programs: each operation's value for each sample.

#include "alir.hpp"
#include "tessera/inspect/alir/trace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// A form of a trace, and how a file of that form is called.
struct trace_form {
  std::string_view name, ending;
  void (inspect::alir_recorder::*append)(text&, inspect::alir_recorder::sink) const;
};
constexpr trace_form trace_forms[] = {
    {"table", "", &inspect::alir_recorder::append_table},
    {"csv", ".csv", &inspect::alir_recorder::append_csv},
    {"json", ".json", &inspect::alir_recorder::append_json},
    {"vcd", ".vcd", &inspect::alir_recorder::append_vcd},
};

[[nodiscard]] const trace_form* find_form(std::string_view name, std::string_view path) {
  const std::string_view base = io::without_codec(path);
  for (const trace_form& f : trace_forms)
    if (name.empty() ? !f.ending.empty() && base.ends_with(f.ending) : f.name == name) return &f;
  return name.empty() ? &trace_forms[0] : nullptr;
}

}  // namespace

exit_code trace_alir(const run_options& o, const alir_trace_options& more, const source& file) {
  const reporting to{o.files[0]};
  const std::string path = o.outputs.empty() ? "-" : o.outputs[0];
  const trace_form* const form = find_form(more.form, path);
  if (form == nullptr)
    return usage_error("trace", "--format " + more.form +
                                    " is for NEM programs; expected table, csv, json or vcd");
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  alir_samples samples("trace", o, to, *p);
  if (const exit_code code = samples.bind(); code != success) return code;
  if (const exit_code code = samples.set(); code != success) return code;
  for (const std::size_t count : {p->size(), p->model().out_idxs.size()})
    if (const exit_code code = samples.check_size("values", count); code != success) return code;

  inspect::alir_recorder seen(*p, samples.values().values, samples.values().rows);
  const vm::alir::outcome done =
      seen.run({.max_steps = o.max_steps.value_or(UINT64_MAX),
                .max_memory = o.max_memory.value_or(budget{}.max_memory)});
  if (!done && done.operation < 0) return fail_run(done, 0, file, to);
  // Of a run that trapped, what was computed until then.
  report_writer out(path);
  text piece;
  const auto put = [&out](text& t) { return out.put(t); };
  (seen.*form->append)(piece, put);
  (void)out.put(piece);  // finish says whether all was written
  const exit_code wrote = out.finish();
  return !done ? std::max(wrote, fail_run(done, 0, file, to)) : wrote;
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
