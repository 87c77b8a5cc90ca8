// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for NAC containers: the program on inputs, or the execution plan; and the memory of
// a run.

#include <numeric>
#include <optional>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nac_values.hpp"
#include "runnable.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nac;

namespace {

/// Shows the progress of a run, on a terminal.
struct shown_progress : vn::no_observer {
  progress* shown = nullptr;
  std::uint32_t last = 0;
  void begin(const vn::event& at) noexcept {
    if (at.instruction < last + 16) return;
    shown->advance(at.instruction - last);
    last = at.instruction;
  }
};

/// Outputs by index, then states by their ids.
class nac_runnable final : public runnable {
 public:
  nac_runnable(const run_options& o, const source& file, const nac::program& p)
      : options_(o),
        to_{o.files[0], o.json},
        file_(file),
        inputs_("run", o, to_),
        machine_(p, machine_options(o)) {}

  [[nodiscard]] exit_code bind_inputs() override {
    if (!machine_.made()) return fail_run(machine_.made(), machine_.program(), file_, to_);
    return inputs_.bind(machine_.program());
  }
  [[nodiscard]] port_names outputs() override {
    return {[this](const std::string& name, std::string& wrong) { return find(name, wrong); },
            [this](const std::string&, std::string&) { return std::optional<port>(next_++); }};
  }
  [[nodiscard]] exit_code set() override { return inputs_.set(machine_); }

  [[nodiscard]] exit_code run_once(bool) override {
    progress bar(machine_.program().size());
    shown_progress see;
    see.shown = &bar;
    vn::outcome done = machine_.run(budget_of(options_), see);
    bar.clear();
    steps_ += done.steps;
    if (done) check_outputs(done);
    return done ? success : fail_run(done, machine_.program(), file_, to_);
  }

  [[nodiscard]] std::vector<port> results() override {
    std::vector<port> out(machine_.outputs().size());
    std::iota(out.begin(), out.end(), port{0});
    return out;
  }
  [[nodiscard]] std::optional<port_values> get(port p, io::array_format) override {
    const vn::tensor* const t = tensor_of(p);
    if (t == nullptr) {
      (void)usage_error("run", "unknown output " + std::to_string(p) + "; the program has " +
                                   plural(machine_.outputs().size(), "output"));
      return std::nullopt;
    }
    return values_of(*t);
  }
  void show(text& out, port p) override {
    out << "output " << p << ' ';
    show_values(out, values_of(*tensor_of(p)));
  }
  void write(json::writer& w, port p) override { write_values(w, values_of(*tensor_of(p))); }
  void write_figures(json::writer& w, double seconds) const override {
    w.key("steps").integer(steps_).key("seconds").number(seconds);
    write_memory(w, machine_.figures());
  }
  [[nodiscard]] bool summarises_all() const override { return true; }
  [[nodiscard]] std::string_view no_results() const override {
    return "the program has no outputs";
  }

 private:
  static constexpr port first_state = port{1} << 32;

  [[nodiscard]] std::optional<port> find(const std::string& name, std::string& wrong) {
    const bool is_state = name.starts_with("state:");
    const std::string digits = is_state ? name.substr(6) : name;
    if (digits.empty() || digits.size() > 5 ||
        digits.find_first_not_of("0123456789") != digits.npos) {
      wrong = "unknown output '" + shown_name(name) + "'; expected an index, or state:ID";
      return std::nullopt;
    }
    const port number = std::stoul(digits);
    if (!is_state) {
      next_ = number + 1;
      return number;
    }
    if (number > 0xffff || machine_.state(static_cast<std::uint16_t>(number)) == nullptr) {
      wrong = "the program has no state " + digits;
      return std::nullopt;
    }
    return first_state + number;
  }
  /// Null for an output that there is none of.
  [[nodiscard]] const vn::tensor* tensor_of(port p) const {
    if (p >= first_state)
      return &machine_.state(static_cast<std::uint16_t>(p - first_state))->as_tensor();
    return p < machine_.outputs().size()
               ? &machine_.outputs()[static_cast<std::size_t>(p)].as_tensor()
               : nullptr;
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

  const run_options& options_;
  reporting to_;
  const source& file_;
  nac_inputs inputs_;
  vn::interpreter machine_;
  port next_ = 0;
  std::uint64_t steps_ = 0;
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

exit_code measure_shapes(const run_options& o, const source& file, const reporting& to,
                         std::vector<std::string>& out) {
  const nac_model model = verify_nac(file, to, o.nac.weights);
  if (!model.program) return model.code;
  vn::interpreter_options how = machine_options(o);
  how.frees = vn::freeing::never;
  vn::interpreter machine(*model.program, how);
  if (!machine.made()) return fail_run(machine.made(), *model.program, file, to);
  nac_inputs inputs("graph", o, to);
  if (const exit_code code = inputs.bind(*model.program); code != success) return code;
  if (const exit_code code = inputs.set(machine); code != success) return code;
  struct recorder : vn::no_observer {
    const vn::interpreter* machine = nullptr;
    std::vector<std::string>* shapes = nullptr;
    void end(const vn::event& at) {
      const vn::value& v = machine->result(at.instruction);
      if (!v.is_tensor()) return;
      const element_shape what = elements_of(v.as_tensor());
      (*shapes)[at.instruction] = std::string(what.name) + ' ' + text_of(what.shape);
    }
  } see;
  out.assign(model.program->size(), "");
  see.machine = &machine;
  see.shapes = &out;
  const vn::outcome done = machine.run(budget_of(o), see);
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
  nac_runnable machine(o, file, *model.program);
  return run_program(machine, o, to, file.what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
