// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for NEM programs.

#include <algorithm>
#include <optional>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nem_step.hpp"
#include "nem_values.hpp"
#include "runnable.hpp"
#include "tessera/inspect/nem/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nem;

namespace {

/// Ports are places: buffers, and regions that `let` names.
class nem_runnable final : public runnable {
 public:
  nem_runnable(const run_options& o, const source& file, const reporting& to, const nem::program& p,
               const vn::machine_options& how)
      : options_(o), file_(file), to_(to), how_(how), inputs_("run", o, to), machine_(p, how) {
    if (o.nem.step || !o.nem.script.empty()) stepper_.emplace(machine_, file, step_commands());
  }

  [[nodiscard]] exit_code bind_inputs() override { return inputs_.bind(machine_); }
  [[nodiscard]] port_names outputs() override {
    return {[this](const std::string& name, std::string& wrong) -> std::optional<port> {
              if (machine_.find(name) != nullptr || machine_.watch(name)) return port_of(name);
              wrong = no_such_place(machine_, name, true);
              return std::nullopt;
            },
            [](const std::string& word, std::string& wrong) -> std::optional<port> {
              wrong = needs_name(word, "--output");
              return std::nullopt;
            }};
  }
  [[nodiscard]] exit_code set() override {
    const exit_code code = inputs_.set(machine_);
    return code == success && stepper_ ? stepper_->open(options_.nem.script) : code;
  }

  [[nodiscard]] exit_code run_once(bool is_last) override {
    tessera::report found;
    const budget limit = budget_of(options_);
    if (stepper_) {
      last_ = machine_.run(&found, nullptr, limit, *stepper_);
      stepper_->finish(last_, is_last);
    } else {
      last_ = machine_.run(&found, nullptr, limit);
    }
    tasks_ += last_.tasks;
    soften(found);
    if (!found.diagnostics.empty()) add(diagnose_nem(found, file_, nullptr));
    if (stepper_ && stepper_->code() != success) return stepper_->code();
    return is_fatal(last_.code) ? bad_input : success;
  }
  [[nodiscard]] bool was_ended() const override { return stepper_ && stepper_->has_quit(); }
  [[nodiscard]] exit_code finish(exit_code code) override {
    const bool ok = code == success && !has_errors(findings_);
    if (!ok && options_.json) return to_.fail(findings_, file_.what);
    if (!options_.json)
      for (const diagnostic& d : findings_) cli::show(d);
    if (ok) return success;
    if (is_limited_memory(machine_, how_.max_memory)) show_note("--max-memory raises the limit");
    note_limit(last_.code, to_);
    return bad_input;
  }

  /// The buffers written in DDR, or else in L2 or L1, with their named regions.
  [[nodiscard]] std::vector<port> results() override {
    std::vector<port> out;
    const nem_bytes& bytes = inputs_.bytes(machine_);
    for (const nem::level level : {nem::level::ddr, nem::level::l2, nem::level::l1}) {
      for (std::uint32_t i = 0; i < machine_.buffers().size(); ++i) {
        const vn::place& b = machine_.buffers()[i];
        if (b.level != level || bytes.written(i).empty()) continue;
        out.push_back(port_of(b.name));
        for (const vn::place& r : machine_.regions())
          if (r.buffer == i && has_elements(r) && is_written(bytes.written(i), r))
            out.push_back(port_of(r.name));
      }
      if (!out.empty()) break;
    }
    return out;
  }
  [[nodiscard]] std::optional<port_values> get(port p, io::array_format format) override {
    const vn::place* const at = place_of(p);
    if (at == nullptr) {
      (void)usage_error("run", "region '" + shown_name(names_[static_cast<std::size_t>(p)]) +
                                   "' is in a loop that didn't execute");
      return std::nullopt;
    }
    const nem::element as = format == io::array_format::raw ? nem::element::none : file_type(*at);
    element_shape what = elements_of(*at, as);
    std::vector<std::byte> values = get_elements(machine_, *at, as);
    if (format == io::array_format::raw && what.type == element_type::i4) pack(values, what);
    return port_values(std::move(what), std::move(values));
  }
  void show(text& out, port port) override {
    const vn::place& p = *place_of(port);
    const summary s = summary_of(p);
    out << p.name << ": ";
    if (p.is_buffer)
      out << p.size << (p.size == 1 ? " byte in " : " bytes in ")
          << inspect::memory_name(p.level, p.engine);
    else
      out << s.what.name << ' ' << text_of(s.what.shape) << " in "
          << machine_.buffers()[p.buffer].name;
    out << ", checksum " << digits_of(s.numbers.checksum);
    if (p.is_buffer && !s.is_typed) {
      out << '\n';
      return;
    }
    if (p.is_buffer) out << ", " << s.what.name;
    s.numbers.show(out, s.values, s.what);
  }
  void write(json::writer& w, port port) override {
    const vn::place& r = *place_of(port);
    const summary s = summary_of(r);
    w.key("name").string(r.name);
    w.key("kind").string(r.is_buffer ? "buffer" : "region");
    w.key("buffer").string(machine_.buffers()[r.buffer].name);
    w.key("memory").string(inspect::memory_name(r.level, r.engine)).key("bytes").integer(r.size);
    w.key("data_type").string(s.what.name).key("shape").begin_array();
    for (const std::uint64_t d : s.what.shape) w.integer(d);
    w.end();
    s.numbers.write(w);
  }
  void write_figures(json::writer& w, double seconds) const override {
    const nem::program& p = machine_.program();
    w.key("device");
    if (p.target() != nullptr)
      w.string(p.catalog().text_of(p.target()->name));
    else
      w.null();
    w.key("schedule")
        .string(how_.schedule == vn::schedule::in_order  ? "in-order"
                : how_.schedule == vn::schedule::reverse ? "reverse"
                                                         : "random");
    w.key("seed");
    if (how_.schedule == vn::schedule::random)
      w.integer(how_.seed);
    else
      w.null();
    w.key("tasks").integer(tasks_).key("seconds").number(seconds);
    w.key("findings").begin_array();
    for (const diagnostic& d : findings_) write_json(w, d);
    w.end();
  }
  [[nodiscard]] std::string_view no_results() const override {
    return "the program writes no buffer";
  }

 private:
  /// What the commands of --step do with places.
  [[nodiscard]] step_values step_commands() {
    const auto find = [this](const std::string& name, std::string& wrong) -> std::optional<port> {
      const std::optional<port> p = outputs().find(name, wrong);
      if (p && place_of(*p) == nullptr)
        wrong = "region '" + shown_name(name) + "' is in a loop that hasn't come to it";
      return wrong.empty() ? p : std::nullopt;
    };
    return {[this, find](const std::string& name, text& to, std::string& wrong) {
              const std::optional<port> p = find(name, wrong);
              if (p) show(to, *p);
              return p.has_value();
            },
            [this, find](const std::string& name, const std::string& path, std::string& wrong) {
              const std::optional<port> p = find(name, wrong);
              if (!p) return false;
              const io::array_format as = format_of(options_.output_format, path);
              const std::optional<port_values> v = get(*p, as);
              const text encoded = v ? encode_elements(v->view, as, v->what) : text();
              if (!v || write_result(path, as_bytes(encoded), to_) != success)
                wrong = "nothing was written to '" + shown_name(path) + "'";
              return wrong.empty();
            }};
  }
  [[nodiscard]] port port_of(std::string_view name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return static_cast<port>(known - names_.begin());
    names_.emplace_back(name);
    return names_.size() - 1;
  }
  /// Null for a region of a loop that didn't execute.
  [[nodiscard]] const vn::place* place_of(port p) const {
    return machine_.find(names_[static_cast<std::size_t>(p)]);
  }
  /// Adds findings that no earlier step has at the same place.
  void add(std::vector<diagnostic> found) {
    for (diagnostic& d : found)
      if (std::none_of(findings_.begin(), findings_.end(), [&d](const diagnostic& known) {
            return known.rule == d.rule && known.offset == d.offset;
          }))
        findings_.push_back(std::move(d));
  }
  /// With --keep-going, findings that don't end the run are warnings.
  void soften(tessera::report& found) const {
    for (tessera::diagnostic& d : found.diagnostics)
      if (d.severity == tessera::severity::error && is_allowed(d.code))
        d.severity = tessera::severity::warning;
  }
  [[nodiscard]] bool is_allowed(errc code) const noexcept {
    if (code == errc::nem_rt_race) return options_.nem.allow_races;
    return options_.nem.keep_going && (code == errc::nem_rt_div0 || code == errc::nem_rt_index);
  }
  [[nodiscard]] bool is_fatal(errc code) const noexcept {
    return code != errc::ok && !is_allowed(code);
  }

  [[nodiscard]] nem::element written_as(const vn::place& p) {
    return p.is_buffer ? inputs_.bytes(machine_).written(p.buffer).only_element(p.size)
                       : nem::element::none;
  }

  /// The element type of a buffer in files; where the program writes several, a note says so.
  [[nodiscard]] nem::element file_type(const vn::place& p) {
    if (has_elements(p) || !inputs_.bytes(machine_).is_whole()) return nem::element::none;
    const element_types types = types_of(p, inputs_.bytes(machine_).written(p.buffer));
    if (types.only() != nem::element::none || types.known.empty()) return types.only();
    std::string message = std::string(p.name) + " is written as bytes: the program writes " +
                          text_of(types) +
                          (types.is_aligned ? " to it" : " elements at unaligned bytes");
    for (const vn::place& r : machine_.regions())
      if (r.buffer == p.buffer && has_elements(r)) {
        message += "; a region has a type, as in --output " + std::string(r.name) + "=FILE";
        break;
      }
    show_note(message);
    return nem::element::none;
  }

  /// Packs two i4 into a byte.
  static void pack(std::vector<std::byte>& values, element_shape& what) {
    std::vector<std::byte> out((values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
      out[i / 2] |= (values[i] & std::byte{15}) << (i % 2 == 0 ? 0 : 4);
    values = std::move(out);
    what = {element_type::u8, what.name, {values.size()}};
  }

  [[nodiscard]] static bool is_written(const byte_ranges& written, const vn::place& p) {
    bool any = false;
    const auto first = static_cast<std::int64_t>(p.offset);
    written.each([&any](std::int64_t, std::int64_t, const byte_use&) { any = true; }, first,
                 first + static_cast<std::int64_t>(p.size));
    return any;
  }

  struct summary {
    element_shape what;
    std::vector<std::byte> values;
    element_summary numbers;
    bool is_typed;  ///< false: bytes
  };
  [[nodiscard]] summary summary_of(const vn::place& p) {
    const nem::element as = written_as(p);
    element_shape what = elements_of(p, as);
    std::vector<std::byte> values = get_elements(machine_, p, as);
    element_summary numbers(values, what.type);
    if (p.is_buffer)
      numbers.checksum = element_summary(machine_.bytes(p), element_type::u8).checksum;
    return {std::move(what), std::move(values), numbers,
            has_elements(p) || as != nem::element::none};
  }
  [[nodiscard]] static std::string digits_of(std::uint64_t checksum) {
    std::string out(16, '0');
    for (std::size_t i = 16; i-- != 0; checksum >>= 4) out[i] = "0123456789abcdef"[checksum & 15];
    return out;
  }

  const run_options& options_;
  const source& file_;
  const reporting& to_;
  vn::machine_options how_;
  nem_inputs inputs_;
  vn::machine machine_;
  std::optional<nem_stepper> stepper_;
  vn::outcome last_;
  std::vector<std::string> names_;
  std::vector<diagnostic> findings_;
  std::uint64_t tasks_ = 0;
};

/// Whether --step and --script can be obeyed.
[[nodiscard]] exit_code check_step(const run_options& o) {
  if (!o.nem.step && o.nem.script.empty()) return success;
  if (o.json) return usage_error("run", "--step prints text; it can't be combined with --json");
  const auto is_stdin = [](const std::string& word) { return word == "-" || word.ends_with("=-"); };
  if ((o.nem.script.empty() || o.nem.script == "-") &&
      (o.files[0] == "-" || std::ranges::any_of(o.inputs, is_stdin)))
    return usage_error("run", "standard input can be read only once; --script reads a file");
  return success;
}

}  // namespace

exit_code run_nem(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
  if (const exit_code code = check_step(o); code != success) return code;
  const std::optional<nem_schedule> order = parse_schedule(o.nac.schedule);
  if (!order)
    return usage_error("run",
                       "unknown --schedule '" + shown_name(o.nac.schedule) +
                           "' of a NEM program; expected in-order, reverse, random or random:SEED");
  nem_options reading = o.nem.reading;
  reading.hazards = !o.nem.allow_races;
  const nem_outcome found = verify_nem(file, to, reading);
  if (!found.program) return report_nem(found, file, to, reading);
  if (const std::uint64_t n = found.report.warnings; n != 0 && !o.json)
    show_note(std::to_string(n) + (n == 1 ? " warning" : " warnings") +
              " of verification; `tessera check` shows them");
  if (!found.note.empty() && !o.json) show_note(found.note);
  vn::machine_options how;
  how.max_memory = budget_of(o).max_memory;
  how.schedule = order->order;
  how.seed = order->seed;
  // Without --allow-races, the first race ends the run.
  how.keep_going = o.nem.keep_going || o.nem.allow_races;
  if (o.nem.races || o.nem.allow_races) how.races = vn::race_search::always;
  nem_runnable machine(o, file, to, *found.program, how);
  return run_program(machine, o, to, file.what);
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
