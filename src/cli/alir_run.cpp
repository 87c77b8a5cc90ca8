// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for ALIR programs. The ports are columns of matrices with a row per sample, and one
// more for the whole matrix.

#include <thread>
#include <utility>

#include "alir.hpp"
#include "tessera/vm/alir_pipeline.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

[[nodiscard]] std::string block_of(const vm::alir::outcome&) { return {}; }
[[nodiscard]] std::string block_of(const vm::alir::pipeline_outcome& done) {
  return "block " + std::to_string(done.block) + ", ";
}

/// Of a program or of a pipeline, whose first block has the inputs.
template <class Machine, class Program>
class alir_runnable final : public runnable {
 public:
  alir_runnable(const run_options& o, const source& file, const Program& p,
                const alir::program& first)
      : options_(o),
        to_{o.files[0], o.json},
        file_(file),
        machine_(p, {.threads = threads(o)}),
        samples_("run", o, to_, first) {}

  [[nodiscard]] exit_code bind_inputs() override { return samples_.bind(); }
  [[nodiscard]] port_names outputs() override {
    port_names out = alir_samples::names("output", machine_.outputs());
    out.next = [this](const std::string&, std::string&) { return port{machine_.outputs()}; };
    return out;
  }
  [[nodiscard]] std::string default_output() const override { return "-"; }

  [[nodiscard]] exit_code set() override { return samples_.set(); }

  [[nodiscard]] exit_code run_once(bool) override {
    const io::matrix& inputs = samples_.values();
    std::uint64_t all = 0;
    if (options_.max_steps && (!checked_mul(inputs.rows, std::uint64_t{machine_.size()}, all) ||
                               all > *options_.max_steps)) {
      vm::alir::outcome refused;
      refused.code = errc::budget_steps;
      return fail_run(refused, 0, file_, to_);
    }
    outputs_ = {inputs.rows, machine_.outputs(), {}};
    if (const exit_code code = samples_.check_size("outputs", machine_.outputs()); code != success)
      return code;
    outputs_.values.resize(static_cast<std::size_t>(outputs_.rows * outputs_.columns));
    progress shown(inputs.rows);
    // Large enough that reading the clock and starting threads cost little, small enough that the
    // progress is updated.
    const std::uint64_t chunk =
        128 * threads(options_) * std::max<std::uint64_t>(1, 1000000 / (machine_.size() + 1));
    for (std::uint64_t first = 0; first < inputs.rows; first += chunk) {
      const std::uint64_t n = std::min(chunk, inputs.rows - first);
      const auto done =
          machine_.run(std::span(inputs.values).subspan(first * machine_.inputs()),
                       std::span(outputs_.values).subspan(first * machine_.outputs()), n);
      steps_ += done.steps;
      if (!done) {
        shown.clear();
        return fail_run(done, first, file_, to_, block_of(done));
      }
      shown.advance(n);
    }
    return success;
  }

  [[nodiscard]] std::vector<port> results() override { return {}; }
  [[nodiscard]] std::optional<port_values> get(port p, io::array_format) override {
    const bool is_all = p == outputs_.columns;
    std::vector<double> column;
    for (std::uint64_t row = 0; row < outputs_.rows && !is_all; ++row)
      column.push_back(outputs_.values[row * outputs_.columns + p]);
    const std::vector<double>& values = is_all ? outputs_.values : column;
    std::vector<std::byte> bytes(values.size() * sizeof(double));
    for (std::size_t i = 0; i < values.size(); ++i)
      store_le(bytes.data() + i * sizeof(double), values[i]);
    return port_values({element_type::f64, "f64", {outputs_.rows, is_all ? outputs_.columns : 1}},
                       std::move(bytes));
  }
  void show(text&, port) override {}
  void write(json::writer&, port) override {}
  [[nodiscard]] bool lists_outputs() const override { return false; }
  void write_figures(json::writer& w, double seconds) const override {
    w.key("samples").integer(samples_.values().rows);
    w.key("inputs").integer(machine_.inputs()).key("outputs").integer(machine_.outputs());
    w.key("operations").integer(machine_.size()).key("steps").integer(steps_);
    w.key("vm_bytes").integer(machine_.memory()).key("seconds").number(seconds);
  }
  [[nodiscard]] std::string_view no_results() const override { return {}; }

 private:
  [[nodiscard]] static unsigned threads(const run_options& o) noexcept {
    const unsigned threads = o.threads.value_or(1);
    return threads == 0 ? std::max(std::thread::hardware_concurrency(), 1u) : threads;
  }
  const run_options& options_;
  reporting to_;
  const source& file_;
  Machine machine_;
  alir_samples samples_;
  io::matrix outputs_;
  std::uint64_t steps_ = 0;
};

}  // namespace

exit_code run_alir(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  alir_runnable<vm::alir::machine, alir::program> machine(o, file, *p, *p);
  return run_program(machine, o, to, file.what);
}

exit_code run_alir_pipeline(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  report found;
  const result<alir::staged> p = verify_pipeline(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  alir_runnable<vm::alir::pipeline_machine, alir::staged> machine(o, file, *p, p->block(0));
  return run_program(machine, o, to, file.what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
