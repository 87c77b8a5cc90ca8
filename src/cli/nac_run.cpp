// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for NAC containers: the program on inputs, or the execution plan; and the memory of
// a run.

#include <chrono>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nac_values.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

/// An output or state, and the file that it is written to.
struct target {
  std::optional<std::size_t> output;
  std::optional<std::uint16_t> state;
  std::string path;
};

/// Shows the progress of a run, on a terminal.
struct shown_progress : vn::no_observer {
  progress* shown = nullptr;
  void begin(const vn::event& at) noexcept {
    if ((at.instruction & 15) == 0) shown->advance(at.instruction);
  }
};

class program_runner {
 public:
  program_runner(const run_options& o, const source& file, const nac::program& p)
      : options_(o),
        to_{o.files[0], o.json},
        file_(file),
        inputs_("run", o, to_),
        machine_(p, machine_options(o)) {}

  [[nodiscard]] exit_code run() {
    if (!machine_.made()) return fail_run(machine_.made(), machine_.program(), file_, to_);
    exit_code code = inputs_.bind(machine_.program());
    if (code == success) code = bind_outputs();
    if (code == success) code = inputs_.set(machine_);
    if (code == success) code = execute();
    if (code == success) code = write_outputs();
    if (code == success && (options_.json || targets_.empty())) code = summarise();
    return code;
  }

 private:
  [[nodiscard]] exit_code usage(const std::string& message) const {
    return usage_error("run", message);
  }

  [[nodiscard]] exit_code bind_outputs() {
    output_paths paths(options_);
    std::size_t next = 0;
    for (const std::string& argument : options_.outputs) {
      target t;
      t.path = argument;
      const std::size_t equals = argument.find('=');
      const std::string name = equals == argument.npos ? "" : argument.substr(0, equals);
      if (!name.empty() && name.find_first_of("/.") == name.npos) {
        t.path = argument.substr(equals + 1);
        const bool is_state = name.starts_with("state:");
        const std::string digits = is_state ? name.substr(6) : name;
        if (digits.empty() || digits.size() > 5 ||
            digits.find_first_not_of("0123456789") != digits.npos)
          return usage("unknown output '" + shown_name(name) + "'; expected an index, or state:ID");
        const std::size_t number = std::stoul(digits);
        if (!is_state) {
          t.output = number;
        } else {
          t.state = static_cast<std::uint16_t>(number);
          if (number > 0xffff || machine_.state(*t.state) == nullptr)
            return usage("the program has no state " + digits);
        }
      } else {
        t.output = next;
      }
      if (t.output) next = *t.output + 1;
      if (const exit_code code = paths.add(t.path); code != success) return code;
      targets_.push_back(std::move(t));
    }
    return success;
  }

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    for (std::uint64_t i = 0; i < options_.steps.value_or(1); ++i) {
      progress bar(machine_.program().size());
      shown_progress see;
      see.shown = &bar;
      vn::outcome done = machine_.run(budget_of(options_), see);
      bar.clear();
      steps_ += done.steps;
      if (done) check_outputs(done);
      if (!done) return fail_run(done, machine_.program(), file_, to_);
    }
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    return success;
  }

  /// Fails if an output isn't a tensor: skipping it would shift those that follow.
  void check_outputs(vn::outcome& done) const {
    const std::span<const vn::value> all = machine_.outputs();
    for (std::size_t i = 0; i < all.size() && done; ++i) {
      if (all[i].is_tensor()) continue;
      done.code = errc::nac_run_kind;
      done.text = "output " + std::to_string(i) + " isn't a tensor; expected tensors only";
    }
  }

  [[nodiscard]] exit_code write_outputs() const {
    const std::vector<vn::tensor> all = tensors_of(machine_.outputs());
    for (const target& t : targets_) {
      const vn::value* const state = t.state ? machine_.state(*t.state) : nullptr;
      if (state == nullptr && *t.output >= all.size())
        return usage("unknown output " + std::to_string(*t.output) + "; the program has " +
                     plural(all.size(), "output"));
      const vn::tensor& of = state != nullptr ? state->as_tensor() : all[*t.output];
      const exit_code code = write_tensor(of, t.path, options_.output_format, to_);
      if (code != success) return code;
    }
    return success;
  }

  [[nodiscard]] exit_code summarise() const {
    const std::vector<vn::tensor> all = tensors_of(machine_.outputs());
    const vn::statistics& figures = machine_.figures();
    text out;
    if (!options_.json) {
      show_outputs(out, all);
      if (all.empty()) show_note("the program has no outputs");
      return out.empty() ? success : print_result(out);
    }
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("nac");
    w.key("ok").boolean(true).key("steps").integer(steps_).key("seconds").number(seconds_);
    write_memory(w, figures);
    cli::write_outputs(w, all);
    w.end();
    out << '\n';
    return print_result(out);
  }

  const run_options& options_;
  reporting to_;
  const source& file_;
  nac_inputs inputs_;
  vn::interpreter machine_;
  std::vector<target> targets_;
  std::uint64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace

vn::interpreter_options machine_options(const run_options& o) {
  vn::interpreter_options how;
  how.max_memory = budget_of(o).max_memory;
  how.seed = o.seed_of_operations;
  if (o.nac.schedule == "planned") how.frees = vn::freeing::computed;
  if (o.nac.schedule == "none") how.frees = vn::freeing::never;
  how.preload = o.nac.schedule != "none";
  how.keep_parameters = o.steps.value_or(1) > 1 || o.nac.schedule == "none";
  return how;
}

void write_memory(json::writer& w, const vn::statistics& of) {
  w.key("peak_bytes").integer(of.peak).key("peak_bytes_without_schedule").integer(of.peak_unfreed);
  w.key("parameter_bytes").integer(of.parameters);
  w.key("preloads").begin_object().key("ready").integer(of.preloads_ready);
  w.key("late").integer(of.preloads_late).end();
}

exit_code measure_nac(const run_options& o, const source& file, const reporting& to,
                      vn::statistics& out) {
  const nac_model model = verify_nac(file, to, o.nac.weights);
  if (!model.program) return model.code;
  vn::interpreter machine(*model.program, machine_options(o));
  if (!machine.made()) return fail_run(machine.made(), *model.program, file, to);
  nac_inputs inputs("info", o, to);
  if (const exit_code code = inputs.bind(*model.program); code != success) return code;
  if (const exit_code code = inputs.set(machine); code != success) return code;
  const vn::outcome done = machine.run(budget_of(o));
  out = machine.figures();
  return done ? success : fail_run(done, *model.program, file, to);
}

exit_code run_nac(const run_options& o, const source& file) {
  if (const std::string& s = o.nac.schedule;
      !s.empty() && s != "file" && s != "planned" && s != "none")
    return usage_error("run", "unknown --schedule '" + shown_name(s) +
                                  "' of a NAC container; expected file, planned or none");
  const reporting to{o.files[0], o.json};
  const nac_model model = verify_nac(file, to, o.nac.weights);
  if (!model.program) return model.code;
  const bool gives_inputs =
      !o.inputs.empty() || !o.outputs.empty() || !o.nac.shapes.empty() || !o.nac.texts.empty();
  if (!model.program->model().execution_plan().empty() && !gives_inputs && !o.nac.no_plan)
    return run_plan(o, file, *model.program);
  return program_runner(o, file, *model.program).run();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
