// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for ALIR programs. The ports are columns of matrices with a row per sample, and one
// more for the whole matrix.

#include <charconv>
#include <cmath>
#include <thread>
#include <utility>

#include "io/arrays.hpp"
#include "runnable.hpp"
#include "tessera/vm/alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace {

/// The range of each input, by the intervals of the operations that read it.
[[nodiscard]] std::vector<io::interval> input_intervals(const alir::program& p) {
  const alir::model& m = p.model();
  std::vector<io::interval> out(m.inp_shifts.size(), io::interval{-1, 1});
  std::vector<bool> seen(out.size());
  for (const alir::operation& o : m.ops) {
    if (o.code != alir::opcode::input) continue;
    const auto n = static_cast<std::size_t>(o.id0);
    const int exponent = -std::max(m.inp_shifts[n], -INT32_MAX);
    const double low = std::ldexp(o.qint.min, exponent);
    const double high = std::ldexp(o.qint.max, exponent);
    if (!std::isfinite(low) || !std::isfinite(high)) continue;
    out[n] = seen[n] ? io::interval{std::min(out[n].low, low), std::max(out[n].high, high)}
                     : io::interval{low, high};
    seen[n] = true;
  }
  return out;
}

/// A NAME as an index less than `count`.
[[nodiscard]] std::optional<port> index_of(const std::string& name, std::uint64_t count) {
  std::uint64_t v = 0;
  const char* const end = name.data() + name.size();
  const auto [at, code] = std::from_chars(name.data(), end, v);
  if (at != end || code != std::errc{} || v >= count) return std::nullopt;
  return v;
}

class alir_runnable final : public runnable {
 public:
  alir_runnable(const run_options& o, const source& file, const alir::program& p)
      : options_(o),
        to_{o.files[0], o.json},
        file_(file),
        program_(p),
        machine_(p, {.threads = threads(o)}) {}

  [[nodiscard]] exit_code bind_inputs() override {
    const exit_code code =
        bind_words("run", options_.inputs, names("input", machine_.inputs()), true, files_);
    return code == success ? check_stdin("run", options_, files_) : code;
  }
  [[nodiscard]] port_names outputs() override {
    port_names out = names("output", machine_.outputs());
    out.next = [this](const std::string&, std::string&) { return port{machine_.outputs()}; };
    return out;
  }
  [[nodiscard]] std::string default_output() const override { return "-"; }

  /// The whole matrix from a file or random, then files for single columns.
  [[nodiscard]] exit_code set() override {
    const std::uint64_t columns = machine_.inputs();
    std::vector<char> given(machine_.inputs(), 0);
    std::vector<std::pair<std::uint64_t, io::matrix>> single;
    std::optional<std::uint64_t> rows = options_.samples;
    std::string rows_from = "--samples";
    bool has_all = false;
    for (const bound_word& b : files_) {
      const bool is_all = b.of == columns;
      char& seen = is_all ? all_given_ : given[static_cast<std::size_t>(b.of)];
      if (std::exchange(seen, char{1}) != 0)
        return usage(is_all ? "two files for all inputs; for one input give INDEX=FILE"
                            : "two files for input " + std::to_string(b.of));
      io::expected<io::matrix> m =
          io::read_matrix(b.word, format_of(options_.input_format, b.word), is_all ? columns : 1);
      if (!m) return to_.fail(m.error());
      // --samples takes the first rows of a longer file; files must have the same number of rows.
      if (rows && (m->rows < *rows || (m->rows != *rows && rows_from != "--samples")))
        return to_.fail(io::failure{io::fault::content,
                                    "expected " + std::to_string(*rows) + " rows, as given by " +
                                        rows_from + ", found " + std::to_string(m->rows),
                                    0, b.word});
      if (!rows) {
        rows = m->rows;
        rows_from = shown_name(b.word);
      }
      m->rows = *rows;
      m->values.resize(static_cast<std::size_t>(m->rows * m->columns));
      has_all = has_all || is_all;
      if (is_all)
        inputs_ = std::move(*m);
      else
        single.emplace_back(b.of, std::move(*m));
    }
    if (!has_all) {
      if (const exit_code code = make_inputs(rows, given); code != success) return code;
    }
    for (const auto& [column, m] : single)
      for (std::size_t row = 0; row < m.rows; ++row)
        inputs_.values[row * columns + column] = m.values[row];
    if (inputs_.rows == 0) show_note("the inputs have 0 samples");
    if (has_all && options_.seed) show_note("--random has no effect: a file has all inputs");
    return success;
  }

  [[nodiscard]] exit_code run_once(bool) override {
    std::uint64_t all = 0;
    if (options_.max_steps && (!checked_mul(inputs_.rows, std::uint64_t{machine_.size()}, all) ||
                               all > *options_.max_steps)) {
      vm::alir::outcome refused;
      refused.code = errc::budget_steps;
      return report(refused, 0);
    }
    outputs_ = {inputs_.rows, machine_.outputs(), {}};
    if (const exit_code code = check_size("outputs", machine_.outputs()); code != success)
      return code;
    outputs_.values.resize(static_cast<std::size_t>(outputs_.rows * outputs_.columns));
    progress shown(inputs_.rows);
    // Large enough that reading the clock and starting threads cost little, small enough that the
    // progress is updated.
    const std::uint64_t chunk =
        128 * threads(options_) * std::max<std::uint64_t>(1, 1000000 / (machine_.size() + 1));
    for (std::uint64_t first = 0; first < inputs_.rows; first += chunk) {
      const std::uint64_t n = std::min(chunk, inputs_.rows - first);
      const vm::alir::outcome done =
          machine_.run(std::span(inputs_.values).subspan(first * machine_.inputs()),
                       std::span(outputs_.values).subspan(first * machine_.outputs()), n);
      steps_ += done.steps;
      if (!done) {
        shown.clear();
        return report(done, first);
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
    w.key("samples").integer(inputs_.rows);
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
  [[nodiscard]] exit_code usage(std::string_view message) const {
    return usage_error("run", message);
  }
  [[nodiscard]] static port_names names(std::string_view what, std::uint64_t count) {
    return {[=](const std::string& name, std::string& wrong) {
              const std::optional<port> p = index_of(name, count);
              if (!p) wrong = no_such(what, name, count);
              return p;
            },
            [=](const std::string&, std::string&) { return std::optional<port>(count); }};
  }

  /// Random values for all inputs, or zeros if files give every column.
  [[nodiscard]] exit_code make_inputs(std::optional<std::uint64_t> rows,
                                      const std::vector<char>& given) {
    const std::uint64_t columns = machine_.inputs();
    if (!options_.seed)
      for (std::size_t j = 0; j < given.size(); ++j)
        if (given[j] == 0)
          return usage("no values for input " + std::to_string(j) + "; give --input FILE with " +
                       std::to_string(columns) + " columns, --input " + std::to_string(j) +
                       "=FILE, or --random SEED");
    inputs_.rows = rows.value_or(options_.seed ? 16 : 1);
    inputs_.columns = columns;
    if (const exit_code code = check_size("inputs", columns); code != success) return code;
    if (const exit_code code = check_size("outputs", machine_.outputs()); code != success)
      return code;
    if (options_.seed)
      inputs_ = io::random_matrix(inputs_.rows, input_intervals(program_), *options_.seed);
    else
      inputs_.values.resize(static_cast<std::size_t>(inputs_.rows * columns));
    return success;
  }

  /// Refuses more samples or values than one run supports.
  [[nodiscard]] exit_code check_size(std::string_view what, std::uint64_t columns) const {
    std::uint64_t values = 0;
    if (checked_mul(inputs_.rows, columns, values) && values <= limits{}.max_items &&
        inputs_.rows <= limits{}.max_items)
      return success;
    return usage(std::to_string(inputs_.rows) + " samples have too many " + std::string(what) +
                 "; the maximum is " + std::to_string(limits{}.max_items) + " values per run");
  }

  [[nodiscard]] static std::string no_such(std::string_view what, const std::string& name,
                                           std::uint64_t count) {
    std::string out = "unknown " + std::string(what) + " '" + name + "': ";
    if (count == 0) return out + "the program has none";
    out += "ALIR " + std::string(what) + "s are numbered from 0";
    return count == 1 ? out : out + " to " + std::to_string(count - 1);
  }

  [[nodiscard]] exit_code report(const vm::alir::outcome& done, std::uint64_t first) const {
    const error e{done.code};
    text where;
    if (done.operation >= 0)
      where << "at operation " << done.operation << ", sample " << first + done.sample;
    diagnostic d = diagnose(file_.name, e.name(), std::string(e.message()));
    add_place(d, where);
    const exit_code code = to_.fail(d, bad_input, file_.what);
    note_limit(done.code, to_);
    return code;
  }

  const run_options& options_;
  reporting to_;
  const source& file_;
  const alir::program& program_;
  vm::alir::machine machine_;
  std::vector<bound_word> files_;
  char all_given_ = 0;
  io::matrix inputs_, outputs_;
  std::uint64_t steps_ = 0;
};

}  // namespace

exit_code run_alir(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  report found;
  const result<alir::program> p = verify_alir(file, &found);
  if (!p) return to.fail(found, p.error(), file);
  alir_runnable machine(o, file, *p);
  return run_program(machine, o, to, file.what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
