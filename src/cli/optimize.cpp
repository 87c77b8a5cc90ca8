// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera optimize`: a NAC container or an ALIR program that computes the same with fewer instructions.

#include "tessera/transform/optimize.hpp"

#include <unistd.h>

#include <memory>
#include <tessera/core/json_write.hpp>
#include <tessera/core/report.hpp>

#include "alir.hpp"
#include "nac_values.hpp"
#include "tessera/transform/optimize_alir.hpp"
#include "transform/agreement.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

struct optimize_verb_options {
  std::string output, passes;
  bool explain = false, check = false;
  std::optional<std::uint64_t> max_growth;
  alir_optimize_verb_options alir;
  run_options run;
};

/// The bits of passes by their names; commas between them.
template <std::size_t Count, class Row>
[[nodiscard]] std::optional<std::uint32_t> passes_of(const Row (&rows)[Count],
                                                     std::string_view list, std::string& wrong) {
  std::uint32_t out = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    std::size_t p = 0;
    while (p < Count && rows[p].name != name) ++p;
    if (p == Count) {
      wrong = std::string(name);
      return std::nullopt;
    }
    out |= std::uint32_t{1} << p;
  }
  return out;
}
template <std::size_t Count, class Row>
[[nodiscard]] exit_code unknown_pass(const Row (&rows)[Count], const std::string& name) {
  std::string known;
  for (const Row& p : rows) known.append(known.empty() ? "" : ", ").append(p.name);
  return usage_error("optimize", "unknown pass '" + shown_name(name) + "'; expected " + known);
}

/// One container: its sizes, and what a run of it took.
struct container_figures {
  std::uint64_t instructions = 0, parameters = 0, bytes = 0;
  std::optional<vn::statistics> memory = {};

  explicit container_figures(const nac::parts& p)
      : instructions(p.instructions.size()),
        parameters(p.parameters.size()),
        bytes(nac::written_size(p) ? *nac::written_size(p) : 0) {}
};

/// Optimizes a file, and compares it with what it was.
class optimization {
 public:
  optimization(const source& file, const reporting& to, const optimize_verb_options& o)
      : file_(file), to_(to), options_(o) {}

  [[nodiscard]] exit_code run() {
    const nac_outcome in = read_nac(file_, to_);
    if (!in.file) return in.code;
    if (const exit_code code = verify(*in.file); code != success) return code;
    transform::optimize_options how;
    std::string wrong;
    if (!options_.passes.empty()) {
      const std::optional<std::uint32_t> passes =
          passes_of(transform::optimizer_passes, options_.passes, wrong);
      if (!passes) return unknown_pass(transform::optimizer_passes, wrong);
      how.passes = *passes;
    }
    how.max_growth = options_.max_growth.value_or(how.max_growth);
    result<transform::optimized> made = transform::optimize(*program_, how);
    if (!made) return to_.fail(made.error(), file_);
    if (!made->why_unchanged.empty())
      show_note(file_.name + ": left as it is: " + std::string(made->why_unchanged));
    container_figures before(nac::parts_of(program_->model())), after(made->parts);
    if (options_.check || options_.run.nac.any() || !options_.run.inputs.empty())
      if (const exit_code code = compare(made->parts, before, after); code != success) return code;
    const exit_code code = write_parts(made->parts, {}, options_.output, {&file_}, to_);
    if (code != success || options_.output == "-") return code;
    const text report =
        options_.run.json ? as_json(*made, before, after) : as_text(*made, before, after);
    return print_result(report);
  }

 private:
  [[nodiscard]] exit_code verify(const nac::model& m) {
    nac::verify_options how{.weights_elsewhere = !options_.check};
    const std::string& given = options_.run.nac.weights;
    if (!m.has_internal_weights() && !m.parameters().empty()) {
      const std::string path = given.empty() ? default_weights(to_.path) : given;
      if (!path.empty()) {
        weights_ = load_weights({path, to_.as_json});
        if (!weights_.weights) return weights_.code;
        how.weights = &*weights_.weights;
      }
    } else if (!given.empty()) {
      return usage_error(
          "optimize", "'" + file_.name + "' has internal weights; --weights is for external ones");
    }
    tessera::report report;
    result<nac::program> program = nac::verify(m, how, &report);
    if (!program) return fail_findings(report, file_, to_);
    program_.emplace(std::move(*program));
    return success;
  }

  /// Runs both programs on the same inputs.
  [[nodiscard]] exit_code compare(const nac::parts& parts, container_figures& before,
                                  container_figures& after) const {
    const result<pool<std::byte>> written = nac::write(parts);
    if (!written) return to_.fail(written.error(), file_);
    const result<nac::model> model = nac::read(bytes(written->data(), written->size()));
    if (!model) return to_.fail(model.error(), file_);
    const result<nac::program> optimized =
        nac::verify(*model, {.weights = weights_.weights ? &*weights_.weights : nullptr});
    if (!optimized) return to_.fail(optimized.error(), file_);
    vn::memory arena(budget_of(options_.run).max_memory);
    vn::interpreter_options how = machine_options(options_.run);
    how.arena = &arena;
    vn::interpreter old_one(*program_, how), new_one(*optimized, how);
    if (!old_one.made()) return fail_run(old_one.made(), *program_, file_, to_);
    nac_inputs inputs("optimize", options_.run, to_);
    if (const exit_code code = inputs.bind(*program_); code != success) return code;
    if (const exit_code code = inputs.set(old_one, &new_one); code != success) return code;
    const vn::outcome first = old_one.run(budget_of(options_.run));
    if (!first) return fail_run(first, *program_, file_, to_);
    before.memory = old_one.figures();
    const std::vector<vn::value> wanted(old_one.outputs().begin(), old_one.outputs().end());
    const vn::outcome second = new_one.run(budget_of(options_.run));
    if (!second) return fail_run(second, *optimized, file_, to_);
    after.memory = new_one.figures();
    const std::string why = transform::difference(wanted, new_one.outputs());
    if (why.empty() || !options_.check) return success;
    return to_.fail(diagnose(file_.name, "nac_optimize_check", "optimized, " + why), bad_input,
                    file_.what);
  }

  [[nodiscard]] text as_json(const transform::optimized& made, const container_figures& before,
                             const container_figures& after) const {
    text out;
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("nac");
    const auto sizes = [&w](std::string_view name, const container_figures& f) {
      w.key(name).begin_object().key("instructions").integer(f.instructions);
      w.key("parameters").integer(f.parameters).key("bytes").integer(f.bytes);
      if (f.memory) write_memory(w, *f.memory);
      w.end();
    };
    sizes("before", before);
    sizes("after", after);
    w.key("passes").begin_array();
    for (std::size_t p = 0; p < transform::optimizer_pass_count; ++p) {
      const transform::pass_effect& e = made.effects[p];
      w.begin_object().key("name").string(transform::optimizer_passes[p].name);
      w.key("rewrites").integer(e.rewrites).key("instructions").integer(e.instructions);
      w.key("parameters").integer(e.parameters).key("weight_bytes").integer(e.weight_bytes).end();
    }
    w.end();
    if (options_.explain) {
      w.key("rewrites").begin_array();
      for (const transform::rewrite& r : made.rewrites) {
        w.begin_object().key("pass").string(name_of(r)).key("instruction").integer(r.instruction);
        w.key("change").string(json_name(r.text)).end();
      }
      w.end();
    }
    w.end();
    out << '\n';
    return out;
  }
  [[nodiscard]] static std::string_view name_of(const transform::rewrite& r) noexcept {
    return transform::optimizer_passes[static_cast<std::size_t>(r.by)].name;
  }

  static void show_figures(text& out, std::string_view label, const container_figures& f) {
    out << "  " << label << plural(f.instructions, "instruction") << ", "
        << plural(f.parameters, "parameter") << ", " << plural(f.bytes, "byte");
    if (f.memory) out << "; peak memory " << plural(f.memory->peak, "byte");
    out << '\n';
  }
  [[nodiscard]] text as_text(const transform::optimized& made, const container_figures& before,
                             const container_figures& after) const {
    text out;
    if (options_.explain)
      for (const transform::rewrite& r : made.rewrites)
        out << 'v' << r.instruction << ": " << shown_name(r.text) << " [" << name_of(r) << "]\n";
    out << file_.name << '\n';
    show_figures(out, "before  ", before);
    show_figures(out, "after   ", after);
    std::vector<std::vector<std::string>> rows;
    rows.push_back({"pass", "changes", "instructions", "parameters", "bytes of weights"});
    for (std::size_t p = 0; p < transform::optimizer_pass_count; ++p) {
      const transform::pass_effect& e = made.effects[p];
      if (e.rewrites == 0) continue;
      rows.push_back({std::string(transform::optimizer_passes[p].name), std::to_string(e.rewrites),
                      std::to_string(e.instructions), std::to_string(e.parameters),
                      std::to_string(e.weight_bytes)});
    }
    if (rows.size() > 1) append_table(out, rows, 0b11110);
    return out;
  }
  const source& file_;
  const reporting& to_;
  const optimize_verb_options& options_;
  weights_outcome weights_;
  std::optional<nac::program> program_;
};

[[nodiscard]] exit_code optimize_alir_file(const source& file, const reporting& to,
                                           const optimize_verb_options& o) {
  alir_optimize_verb_options how = o.alir;
  how.output = o.output;
  if (!o.passes.empty()) {
    std::string wrong;
    how.passes = passes_of(transform::alir_passes, o.passes, wrong);
    if (!how.passes) return unknown_pass(transform::alir_passes, wrong);
  }
  return optimize_alir(file, to, how);
}
[[nodiscard]] exit_code optimize_container(const source& file, const reporting& to,
                                           const optimize_verb_options& o) {
  if (o.output == "-" && isatty(STDOUT_FILENO) == 1)
    return usage_error("optimize",
                       "a container can't be written to a terminal; give a file or use a pipe");
  if (o.output == "-" && o.run.json)
    return usage_error("optimize", "--json and the container can't both be standard output");
  return optimization(file, to, o).run();
}

[[nodiscard]] exit_code optimize_file(const optimize_verb_options& o) {
  const reporting to{o.run.files[0], o.run.json};
  const loaded in = load_source(to);
  if (!in) return in.code;
  return with_source(*in.file, to, "optimize",
                     {.alir = [&](const source& file) { return optimize_alir_file(file, to, o); },
                      .nac = [&](const source& file) { return optimize_container(file, to, o); }});
}

}  // namespace

void add_optimize(const command& app, action& run) {
  const auto o = std::make_shared<optimize_verb_options>();
  const command verb = app.verb("optimize");
  o->run.files.resize(1);
  verb.bind("FILE", o->run.files[0]);
  verb.bind("--output", o->output);
  verb.bind("--passes", o->passes);
  verb.bind("--explain", o->explain);
  verb.bind("--check", o->check);
  verb.bind("--json", o->run.json);
  verb.bind("--max-growth", o->max_growth);
  verb.bind("--latency-cutoff", o->alir.latency_cutoff);
  verb.bind("--stages", o->alir.pipeline.stages);
  verb.bind("--no-retiming", o->alir.no_retiming);
  verb.bind("--no-input-register", o->alir.no_input_register);
  verb.bind("--no-output-register", o->alir.no_output_register);
  verb.bind("--trust-intervals", o->alir.pipeline.trust_intervals);
  verb.bind("--input", o->run.inputs);
  verb.bind("--random", o->run.seed);
  verb.bind("--seed", o->run.seed_of_operations);
  verb.bind("--max-steps", o->run.max_steps);
  verb.bind("--max-memory", o->run.max_memory);
  verb.bind("--shape", o->run.nac.shapes);
  verb.bind("--text", o->run.nac.texts);
  verb.bind("--weights", o->run.nac.weights);
  verb.callback([o, &run] { run = [o] { return optimize_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
