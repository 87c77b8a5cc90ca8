// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera lower`: a NEM program for a device from a NAC container.

#include "tessera/transform/lower.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <tessera/core/json_write.hpp>
#include <tessera/core/report.hpp>
#include <tessera/nem/write.hpp>

#include "calibration.hpp"
#include "io/compress.hpp"
#include "nac_values.hpp"
#include "nem_includes.hpp"
#include "nem_values.hpp"
#include "tessera/transform/optimize.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

struct lower_verb_options {
  std::string output, type = "f32";
  std::vector<std::string> calibration;
  std::uint32_t effort = 1;
  bool check = false, report = false, no_optimize = false;
  nem_options device;
  run_options run;
};

class lowering_run {
 public:
  lowering_run(const source& file, const reporting& to, const lower_verb_options& o)
      : file_(file), to_(to), options_(o) {}

  [[nodiscard]] exit_code run() {
    const nac_model in = verify_nac(file_, to_, options_.run.nac.weights);
    if (!in.program) return in.code;
    device_ = verify_device(options_.device, to_);
    if (!device_.program) return device_.failure;
    if (const exit_code code = take_shapes(*in.program); code != success) return code;
    if (options_.no_optimize) return lower(*in.program, *in.program);
    const result<transform::optimized> better = transform::optimize(*in.program);
    if (!better) return to_.fail(better.error(), file_);
    const result<pool<std::byte>> written = nac::write(better->parts);
    if (!written) return to_.fail(written.error(), file_);
    const result<nac::model> model = nac::read(bytes(written->data(), written->size()));
    if (!model) return to_.fail(model.error(), file_);
    const result<nac::program> program =
        nac::verify(*model, {.weights = in.weights.weights ? &*in.weights.weights : nullptr});
    if (!program) return to_.fail(program.error(), file_);
    return lower(*program, *in.program);
  }

 private:
  [[nodiscard]] exit_code take_shapes(const nac::program& p) {
    if (options_.run.nac.shapes.size() < p.inputs().size()) {
      std::string names;
      for (const nac::model_input& in : p.inputs())
        names.append(names.empty() ? "" : ", ").append(in.name.empty() ? "a lifted one" : in.name);
      return to_.fail(diagnose(file_.name, "nac_lower_shape",
                               "lowering needs the shapes of all inputs: " + shown_text(names) +
                                   "; give each a --shape, such as 1x3x224x224"),
                      bad_input, file_.what);
    }
    nac_inputs inputs("lower", options_.run, to_);
    if (const exit_code code = inputs.bind(p); code != success) return code;
    for (std::size_t k = 0; k < p.inputs().size(); ++k) {
      const tensor_form* const form = inputs.form_of(k);
      if (form == nullptr) break;  // lower() says which one is missing
      how_.types.push_back(form->type);
      how_.shapes.emplace_back(form->dims.begin(), form->dims.end());
    }
    how_.type = nem::find_element(options_.type);
    how_.seed = options_.run.seed.value_or(0);
    how_.effort = options_.effort;
    how_.limit = budget_of(options_.run);
    return calibrate(p);
  }
  [[nodiscard]] exit_code calibrate(const nac::program& p) {
    if (options_.calibration.empty() || how_.shapes.size() < p.inputs().size()) return success;
    if (how_.type != nem::element::i8) return usage_error("lower", "--calibrate is for --dtype i8");
    const nem::program& d = *device_.program;
    const calibration_files files{p, how_.shapes, d.catalog().text_of(d.target()->name)};
    return files.read(options_.calibration, "lower", to_, how_.calibration);
  }

  /// `whole` is what the result is compared with.
  [[nodiscard]] exit_code lower(const nac::program& p, const nac::program& whole) {
    report found;
    const nem::program& d = *device_.program;
    const result<transform::lowered> made =
        transform::lower(p, d.catalog(), *d.target(), how_, &found);
    if (!made)
      return found.errors != 0 ? fail_findings(found, file_, to_) : to_.fail(made.error(), file_);
    const result<text> written = nem::write(made->model);
    if (!written) return to_.fail(written.error(), file_);
    if (options_.check || options_.report) {
      const exit_code code = verified(*made, [&](const nem::program& program) {
        return options_.check ? check(program, *made, p, whole) : success;
      });
      if (code != success) return code;
    }
    if (!made->weights.empty() && options_.output != "-")
      return write_results(
          {{options_.output, as_bytes(written->view())},
           {weights_path(options_.output), bytes(made->weights.data(), made->weights.size())}});
    if (!made->weights.empty())
      show_note("the weights, " + std::to_string(made->weights.size()) +
                " bytes, are left out; with -o FILE they are written beside it");
    return write_result(options_.output, as_bytes(written->view()));
  }

  /// Verifies what was made; then `act` on it, and the report.
  template <class F>
  [[nodiscard]] exit_code verified(const transform::lowered& made, F&& act) {
    nem::model copy = made.model;
    report found;
    const result<nem::program> p = nem::verify(std::move(copy), {}, &found);
    if (!p)
      return fail_check("the lowered program isn't valid: " +
                        std::string(found.diagnostics.empty()
                                        ? p.error().name()
                                        : found.text_of(found.diagnostics[0].text)));
    if (!p->has_all_hazards())
      show_note(file_.name + ": too many tasks to search all of them for races");
    if (const exit_code code = act(*p); code != success) return code;
    return options_.report ? show_report(*p) : success;
  }

  [[nodiscard]] exit_code check(const nem::program& p, const transform::lowered& made,
                                const nac::program& source, const nac::program& whole) {
    const transform::agreement a = transform::compare(whole, p, made, how_, &source);
    if (!a.failure.empty()) return fail_check(a.failure);
    for (std::size_t k = 0; k < a.distances.size(); ++k) {
      char shown[32];
      std::snprintf(shown, sizeof shown, "%.2g", a.distances[k]);
      if (how_.type == nem::element::i8)
        show_note("output " + std::to_string(k) + " differs by " + shown +
                  " of its largest magnitude from the network's floats");
      if (a.distances[k] <= a.tolerances[k]) continue;
      return fail_check("output " + std::to_string(k) + " differs by " + shown +
                        " of its largest magnitude");
    }
    return success;
  }

  [[nodiscard]] exit_code show_report(const nem::program& p) const {
    const result<transform::lower_report> r = transform::report_of(p, how_.limit);
    if (!r) return to_.fail(r.error(), file_);
    if (to_.as_json) {
      const text report = as_json(*r);
      return print_result(report);
    }
    std::vector<std::vector<std::string>> rows;
    rows.push_back({"tile", "tiles", "cycles", "bound", "%", "NMU %", "CSTL %", "DMA %", "sDMA %",
                    "bytes", "macs", "step"});
    for (const transform::step_report& s : r->steps) rows.push_back(row_of(s, *r));
    rows.push_back(row_of(r->all, *r));
    text out;
    append_table(out, rows, 0b011111111110);
    return print_result(out);
  }
  [[nodiscard]] static std::vector<std::string> row_of(const transform::step_report& s,
                                                       const transform::lower_report& of) {
    std::vector<std::string> row = {s.tile.empty() ? "-" : s.tile, std::to_string(s.tiles),
                                    std::to_string(s.cycles), std::to_string(s.roofline),
                                    percent(s.roofline, s.cycles)};
    for (const nem::unit u : {nem::unit::nmu, nem::unit::cstl, nem::unit::dma, nem::unit::sdma}) {
      const auto k = static_cast<std::size_t>(u);
      row.push_back(percent(s.busy[k], s.cycles * static_cast<std::uint64_t>(of.units[k])));
    }
    row.push_back(std::to_string(s.bytes));
    row.push_back(std::to_string(s.macs));
    row.push_back(shown_text(s.name));
    return row;
  }
  [[nodiscard]] text as_json(const transform::lower_report& r) const {
    text out;
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path));
    w.key("type").string(options_.type).key("units").begin_object();
    for (std::size_t u = 0; u < nem::unit_count; ++u)
      if (r.units[u] != 0) w.key(nem::unit_names[u]).integer(r.units[u]);
    w.end().key("steps").begin_array();
    for (const transform::step_report& s : r.steps) write(w, s, r);
    w.end().key("all");
    write(w, r.all, r);
    w.end();
    out << '\n';
    return out;
  }
  static void write(json::writer& w, const transform::step_report& s,
                    const transform::lower_report& of) {
    const auto number = [&](std::string_view key, std::uint64_t n) {
      w.key(key).integer(static_cast<std::int64_t>(n));
    };
    w.begin_object().key("name").string(s.name).key("tile").string(s.tile);
    number("tiles", s.tiles);
    number("cycles", s.cycles);
    number("bound", s.roofline);
    number("macs", s.macs);
    number("bytes", s.bytes);
    w.key("busy").begin_object();
    for (std::size_t u = 0; u < nem::unit_count; ++u)
      if (of.units[u] != 0) number(nem::unit_names[u], s.busy[u]);
    w.end().end();
  }
  [[nodiscard]] static std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    char shown[32];
    std::snprintf(shown, sizeof shown, "%.1f",
                  100 * static_cast<double>(part) / static_cast<double>(whole));
    return shown;
  }
  [[nodiscard]] exit_code fail_check(const std::string& why) const {
    return to_.fail(diagnose(file_.name, "nac_lower_check", why), bad_input, file_.what);
  }

  const source& file_;
  const reporting& to_;
  const lower_verb_options& options_;
  nem_outcome device_;
  transform::lower_options how_;
};

[[nodiscard]] exit_code lower_file(const lower_verb_options& o) {
  const reporting to{o.run.files[0], o.run.json};
  if (o.run.json && !o.report) return usage_error("lower", "--json is for --report");
  if (o.output == "-" && o.report)
    return usage_error("lower", "--report and the program can't both be standard output");
  if (o.run.files[0] == "-" && o.device.device == "-")
    return usage_error("lower", "FILE and --device can't both be standard input");
  for (const std::string& from : {o.run.files[0], o.run.nac.weights, o.device.device})
    for (const std::string& written : {o.output, weights_path(o.output)})
      if (written != "-" && written == from)
        return usage_error(
            "lower", "'" + shown_text(from) + "' would be overwritten; expected another OUTPUT");
  const loaded in = load_source(to);
  if (!in) return in.code;
  return with_source(*in.file, to, "lower",
                     {.nac = [&](const source& file) { return lowering_run(file, to, o).run(); }});
}

}  // namespace

void add_lower(const command& app, action& run) {
  const auto o = std::make_shared<lower_verb_options>();
  const command verb = app.verb("lower");
  o->run.files.resize(1);
  verb.bind("FILE", o->run.files[0]);
  verb.bind("--output", o->output);
  verb.bind("--device", o->device.device);
  verb.bind("--dtype", o->type);
  verb.bind("--calibrate", o->calibration);
  verb.bind("--check", o->check);
  verb.bind("--report", o->report);
  verb.bind("--json", o->run.json);
  verb.bind("--effort", o->effort);
  verb.bind("--no-optimize", o->no_optimize);
  verb.bind("--shape", o->run.nac.shapes);
  verb.bind("--weights", o->run.nac.weights);
  verb.bind("--random", o->run.seed);
  verb.bind("--max-steps", o->run.max_steps);
  verb.bind("--max-memory", o->run.max_memory);
  verb.callback([o, &run] { run = [o] { return lower_file(*o); }; });
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
