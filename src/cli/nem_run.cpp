// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// `tessera run` for NEM programs.

#include <algorithm>
#include <chrono>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json_write.hpp>
#include <utility>

#include "nem_values.hpp"
#include "tessera/inspect/nem/statistics.hpp"
#include "tessera/vm/nem_timing.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

namespace vn = vm::nem;

namespace {

/// A buffer or region, and the file that it is written to.
struct target {
  std::string name, path;
};

class nem_runner {
 public:
  nem_runner(const run_options& o, const source& file, const reporting& to, const nem::program& p,
             const vn::machine_options& how)
      : options_(o), file_(file), to_(to), how_(how), inputs_("run", o, to), machine_(p, how) {}

  [[nodiscard]] exit_code run() {
    exit_code code = bind_outputs();
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
    for (const std::string& argument : options_.outputs) {
      std::optional<nem_binding> b = parse_binding(argument);
      if (!b) return usage(needs_name(argument, "--output"));
      if (machine_.find(b->name) == nullptr && !machine_.watch(b->name))
        return usage(no_such_place(machine_, b->name, true));
      if (const exit_code code = paths.add(b->word); code != success) return code;
      targets_.push_back({std::move(b->name), std::move(b->word)});
    }
    return success;
  }

  // The run --------------------------------------------------------------------------------------

  [[nodiscard]] exit_code execute() {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    vn::outcome done;
    for (std::uint64_t i = 0; i < options_.steps.value_or(1) && !is_fatal(done.code); ++i) {
      tessera::report found;
      done = machine_.run(&found, nullptr, budget_of(options_));
      tasks_ += done.tasks;
      soften(found);
      if (!found.diagnostics.empty()) add(diagnose_nem(found, file_, nullptr));
    }
    seconds_ = std::chrono::duration<double>(clock::now() - start).count();
    const bool has_error = std::any_of(findings_.begin(), findings_.end(),
                                       [](const diagnostic& d) { return d.severity == "error"; });
    const bool ok = !has_error && !is_fatal(done.code);
    if (!ok && options_.json) return to_.fail(findings_, file_.what);
    if (!options_.json)
      for (const diagnostic& d : findings_) show(d);
    if (ok) return success;
    if (is_limited_memory(machine_, how_.max_memory)) show_note("--max-memory raises the limit");
    note_limit(done.code, to_);
    return bad_input;
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

  // Results ---------------------------------------------------------------------------------------

  [[nodiscard]] nem::element written_as(const vn::place& p) {
    return p.is_buffer ? inputs_.bytes(machine_).written(p.buffer).only_element(p.size)
                       : nem::element::none;
  }

  [[nodiscard]] exit_code write_outputs() {
    for (const target& t : targets_) {
      const vn::place* const p = machine_.find(t.name);
      if (p == nullptr)
        return usage("region '" + shown_name(t.name) + "' is in a loop that didn't execute");
      const io::array_format format = format_of(options_.output_format, t.path);
      const bool is_csv = format == io::array_format::csv;
      const nem::element as = is_csv ? written_as(*p) : nem::element::none;
      element_shape what = elements_of(*p, as);
      std::vector<std::byte> values = get_elements(machine_, *p, as);
      if (format == io::array_format::raw && what.type == element_type::i4) pack(values, what);
      const text encoded = encode_elements(values, format, what);
      if (const exit_code code = write_result(t.path, as_bytes(encoded), to_); code != success)
        return code;
    }
    return success;
  }
  /// Packs two i4 into a byte.
  static void pack(std::vector<std::byte>& values, element_shape& what) {
    std::vector<std::byte> out((values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
      out[i / 2] |= (values[i] & std::byte{15}) << (i % 2 == 0 ? 0 : 4);
    values = std::move(out);
    what = {element_type::u8, what.name, {values.size()}};
  }

  /// The places of a summary: those of --output, or the buffers written in DDR, or else in L2 or L1,
  /// with their named regions.
  [[nodiscard]] std::vector<const vn::place*> results() {
    std::vector<const vn::place*> out;
    for (const target& t : targets_)
      if (const vn::place* const p = machine_.find(t.name)) out.push_back(p);
    if (!targets_.empty()) return out;
    const nem_bytes& bytes = inputs_.bytes(machine_);
    for (const nem::level level : {nem::level::ddr, nem::level::l2, nem::level::l1}) {
      for (std::uint32_t i = 0; i < machine_.buffers().size(); ++i) {
        const vn::place& b = machine_.buffers()[i];
        if (b.level != level || bytes.written(i).empty()) continue;
        out.push_back(&b);
        for (const vn::place& r : machine_.regions())
          if (r.buffer == i && has_elements(r) && is_written(bytes.written(i), r))
            out.push_back(&r);
      }
      if (!out.empty()) break;
    }
    return out;
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

  [[nodiscard]] exit_code summarise() {
    text out;
    if (options_.json) {
      write_json_summary(out);
      return print_result(out);
    }
    for (const vn::place* const p : results()) {
      const summary s = summary_of(*p);
      out << p->name << ": ";
      if (p->is_buffer)
        out << p->size << (p->size == 1 ? " byte in " : " bytes in ")
            << inspect::memory_name(p->level, p->engine);
      else
        out << s.what.name << ' ' << text_of(s.what.shape) << " in "
            << machine_.buffers()[p->buffer].name;
      out << ", checksum " << digits_of(s.numbers.checksum);
      if (p->is_buffer && !s.is_typed) {
        out << '\n';
        continue;
      }
      if (p->is_buffer) out << ", " << s.what.name;
      s.numbers.show(out, s.values, s.what);
    }
    if (out.empty()) show_note("the program writes no buffer");
    return out.empty() ? success : print_result(out);
  }

  void write_json_summary(text& out) {
    json::writer w(out);
    w.begin_object().key("file").string(json_name(to_.path)).key("format").string("nem");
    w.key("ok").boolean(true).key("device");
    const nem::program& p = machine_.program();
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
    w.key("tasks").integer(tasks_).key("seconds").number(seconds_);
    w.key("findings").begin_array();
    for (const diagnostic& d : findings_) write_json(w, d);
    w.end().key("outputs").begin_array();
    for (const vn::place* const r : results()) {
      const summary s = summary_of(*r);
      w.begin_object().key("name").string(r->name);
      w.key("kind").string(r->is_buffer ? "buffer" : "region");
      w.key("buffer").string(machine_.buffers()[r->buffer].name);
      w.key("memory")
          .string(inspect::memory_name(r->level, r->engine))
          .key("bytes")
          .integer(r->size);
      w.key("data_type").string(s.what.name).key("shape").begin_array();
      for (const std::uint64_t d : s.what.shape) w.integer(d);
      w.end();
      s.numbers.write(w);
      w.end();
    }
    w.end().end();
    out << '\n';
  }

  const run_options& options_;
  const source& file_;
  const reporting& to_;
  vn::machine_options how_;
  nem_inputs inputs_;
  vn::machine machine_;
  std::vector<target> targets_;
  std::vector<diagnostic> findings_;
  std::uint64_t tasks_ = 0;
  double seconds_ = 0;
};

}  // namespace

exit_code run_nem(const run_options& o, const source& file) {
  const reporting to{o.files[0], o.json};
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
  vn::machine_options how;
  how.max_memory = budget_of(o).max_memory;
  how.schedule = order->order;
  how.seed = order->seed;
  // Without --allow-races, the first race ends the run.
  how.keep_going = o.nem.keep_going || o.nem.allow_races;
  if (o.nem.races || o.nem.allow_races) how.races = vn::race_search::always;
  return nem_runner(o, file, to, *found.program, how).run();
}

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI
