// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/timeline_trace.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "inspect/chrome_trace.hpp"
#include "tessera/core/json_write.hpp"
#include "tessera/inspect/nem/statistics.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace tm = vm::nem;

namespace {

[[nodiscard]] std::string indexed(std::string_view what, std::int64_t index) {
  return std::string(what) + '[' + std::to_string(index) + ']';
}

[[nodiscard]] std::string_view name(tm::cause c) noexcept {
  return tm::cause_names[static_cast<std::size_t>(c)];
}
/// The elements that cost time: a product's are counted as MACs.
[[nodiscard]] std::uint64_t counted_elements(const tm::work& w) noexcept {
  return w.macs == 0 ? w.elements : 0;
}

/// The changes of a counter, by time. Unsigned sums wrap around, so that they end at 0.
using changes = std::map<std::uint64_t, std::uint64_t>;
void append_counter(inspect::chrome_trace& trace, std::uint32_t process, std::string_view name,
                    std::string_view unit, const changes& by_time) {
  std::uint64_t live = 0;
  for (const auto& [when, change] : by_time) {
    if (change == 0) continue;
    live += change;
    trace.counter(process, static_cast<double>(when), name, unit, live);
  }
}

}  // namespace

timeline_recorder::timeline_recorder(const nem::program& p, std::string_view source)
    : program_(p), statements_(p.model(), source) {}

void timeline_recorder::operator()(const tm::instance& t, const tm::placement& at) {
  records_.push_back({at, work_of(t.what), t.task.opcode, t.task.index, t.task.node, t.task.token,
                      static_cast<std::uint32_t>(iterations_.size()),
                      static_cast<std::uint32_t>(t.iteration.size())});
  iterations_.insert(iterations_.end(), t.iteration.begin(), t.iteration.end());
  for (const tm::touched_buffer& b : t.buffers) {
    if (b.index >= lives_.size()) lives_.resize(std::size_t{b.index} + 1);
    life& l = lives_[b.index];
    l.what = b;
    l.first = std::min(l.first, at.start);
    l.last = std::max(l.last, at.end);
  }
}

template <class F>
void timeline_recorder::each_loop(const record& r, F&& f) const {
  const task_statement* const at = statements_.find(r.node);
  if (at == nullptr || r.iterations == 0) return;
  const std::vector<std::uint32_t> loops = statements_.loops(*at);
  for (std::size_t i = 0; i < loops.size() && i < r.iterations; ++i)
    f(nem::name_of(program_.model(), loops[i]), iterations_[r.first_iteration + i]);
}

void timeline_recorder::append_trace(text& out, const tm::timing_report& r) const {
  // The device is process 1; engines follow in their order, each with its units in theirs.
  std::map<std::int64_t, std::uint32_t> processes = {{-1, 1}};
  for (const tm::unit_report& u : r.units) processes.try_emplace(u.engine, 0);
  for (const tm::memory_report& m : r.memories)
    if (m.level == nem::level::l1) processes.try_emplace(m.engine, 0);
  inspect::chrome_trace trace(out);
  std::uint32_t last = 0;
  for (auto& [engine, process] : processes) {
    process = ++last;
    trace.name_process(process, engine < 0 ? "device" : "engine " + std::to_string(engine));
  }
  std::map<std::tuple<std::int64_t, nem::unit, std::uint32_t>, std::uint32_t> threads;
  for (const tm::unit_report& u : r.units) {
    const auto thread = static_cast<std::uint32_t>(threads.size() + 1);
    threads.emplace(std::tuple(u.engine, u.unit, u.index), thread);
    trace.name_thread(processes[u.engine], thread, indexed(name(u.unit), u.index));
  }

  std::vector<inspect::chrome_trace::argument> arguments;
  std::deque<std::string> names;  // of loops
  changes tokens;
  for (const record& t : records_) {
    arguments.clear();
    names.clear();
    arguments.push_back({"task", std::uint64_t{t.task}});
    if (const task_statement* const at = statements_.find(t.node))
      arguments.push_back({"line", std::uint64_t{at->line}});
    each_loop(t, [&](std::string_view variable, std::int64_t value) {
      arguments.push_back({names.emplace_back("iteration." + std::string(variable)), value});
    });
    if (t.work.bytes != 0) arguments.push_back({"bytes", t.work.bytes});
    if (t.work.macs != 0) arguments.push_back({"macs", t.work.macs});
    if (counted_elements(t.work) != 0) arguments.push_back({"elements", t.work.elements});
    arguments.push_back({"issued", t.at.issued});
    arguments.push_back({"ready", t.at.ready});
    arguments.push_back({"waited for", name(t.at.why)});
    if (t.at.held != 0) arguments.push_back({"held for a token", t.at.held});
    arguments.push_back({"waited", t.at.start - std::min(t.at.issued, t.at.start)});
    std::string title(name(t.opcode));
    if (t.token != nem::no_name) title += ' ' + std::string(program_.model().name(t.token));
    trace.span_with(processes[t.at.engine], threads[{t.at.engine, t.at.unit, t.at.index}],
                    static_cast<double>(t.at.start), static_cast<double>(t.at.end - t.at.start),
                    {title, name(nem::row(t.opcode).category)}, arguments);
    ++tokens[t.at.issued];
    --tokens[t.at.end];
  }
  append_counter(trace, 1, "live tokens", "tokens", tokens);
  std::map<std::pair<nem::level, std::int64_t>, changes> memories;
  for (const life& l : lives_) {
    if (l.first >= l.last) continue;
    changes& c = memories[{l.what.level, l.what.level == nem::level::l1 ? l.what.engine : -1}];
    c[l.first] += l.what.size;
    c[l.last] -= l.what.size;
  }
  for (const auto& [where, by_time] : memories)
    append_counter(trace, processes[where.second],
                   "live bytes of " + memory_name(where.first, where.second), "bytes", by_time);
  trace.finish({{"time", "1 us is 1 cycle"}});
}

void timeline_recorder::append_csv(text& out) const {
  out << "task,opcode,token,line,iteration,unit,engine,issued,ready,start,end,waited_for,bytes,"
         "macs,"
         "elements\n";
  for (const record& t : records_) {
    out << t.task << ',' << name(t.opcode) << ',';
    if (t.token != nem::no_name) out << program_.model().name(t.token);
    out << ',';
    if (const task_statement* const at = statements_.find(t.node)) out << at->line;
    out << ',';
    std::string_view between = "";
    each_loop(t, [&](std::string_view variable, std::int64_t value) {
      out << std::exchange(between, " ") << variable << '=' << value;
    });
    out << ',' << indexed(name(t.at.unit), t.at.index) << ',';
    if (t.at.engine >= 0) out << t.at.engine;
    out << ',' << t.at.issued << ',' << t.at.ready << ',' << t.at.start << ',' << t.at.end << ','
        << name(t.at.why) << ',' << t.work.bytes << ',' << t.work.macs << ','
        << counted_elements(t.work) << '\n';
  }
}

namespace {

using table_row = std::vector<std::string>;

/// Appends aligned columns: the first to the left, numbers to the right.
void append_table(text& out, const std::vector<table_row>& rows) {
  std::vector<std::size_t> widths(rows[0].size());
  for (const table_row& r : rows)
    for (std::size_t i = 0; i < r.size(); ++i) widths[i] = std::max(widths[i], r[i].size());
  for (const table_row& r : rows) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      const std::string blanks(widths[i] - r[i].size(), ' ');
      out << "  ";
      if (i == 0)
        out << r[i] << blanks;
      else
        out << blanks << r[i];
    }
    out << '\n';
  }
}
/// A percentage with one decimal.
[[nodiscard]] std::string share(std::uint64_t part, std::uint64_t of) {
  const double thousandths =
      of == 0 ? 0.0 : static_cast<double>(part) * 1000.0 / static_cast<double>(of);
  const auto n = static_cast<std::uint64_t>(thousandths + 0.5);
  return std::to_string(n / 10) + '.' + std::to_string(n % 10);
}

void append_units(text& out, const tm::timing_report& r) {
  std::array<bool, tm::cause_count> has = {};
  for (const tm::unit_report& u : r.units)
    for (std::size_t c = 0; c < tm::cause_count; ++c) has[c] = has[c] || u.idle[c] != 0;
  std::vector<table_row> rows = {{"unit", "tasks", "busy", "%"}};
  for (std::size_t c = 0; c < tm::cause_count; ++c)
    if (has[c]) rows[0].push_back("idle: " + std::string(tm::cause_names[c]));
  rows[0].emplace_back("at end");
  for (const tm::unit_report& u : r.units) {
    const std::string of = u.engine < 0 ? "" : "engine " + std::to_string(u.engine) + ' ';
    rows.push_back({of + indexed(name(u.unit), u.index), std::to_string(u.tasks),
                    std::to_string(u.busy), share(u.busy, r.cycles)});
    for (std::size_t c = 0; c < tm::cause_count; ++c)
      if (has[c]) rows.back().push_back(std::to_string(u.idle[c]));
    rows.back().push_back(std::to_string(u.idle_at_end));
  }
  append_table(out, rows);
}

void write_causes(json::writer& w, const std::array<std::uint64_t, tm::cause_count>& cycles) {
  w.begin_object();
  for (std::size_t c = 0; c < tm::cause_count; ++c)
    if (cycles[c] != 0) w.key(tm::cause_names[c]).integer(cycles[c]);
  w.end();
}

}  // namespace

void append_report(text& out, const tm::timing_report& r) {
  out << "  cycles  " << r.cycles << "\n  tasks   " << r.tasks << "\n  tokens  "
      << "peak " << r.max_live_tokens << " live\n  stalls  ";
  std::string_view between = "";
  for (std::size_t c = 0; c < tm::cause_count; ++c)
    if (r.stalls[c] != 0)
      out << std::exchange(between, ", ") << r.stalls[c] << ' ' << tm::cause_names[c];
  out << (between.empty() ? "none\n\n" : "\n\n");
  append_units(out, r);
  out << '\n';
  std::vector<table_row> rows = {{"memory", "peak", "declared", "capacity"}};
  for (const tm::memory_report& m : r.memories)
    rows.push_back({memory_name(m.level, m.engine), std::to_string(m.peak),
                    std::to_string(m.declared),
                    m.capacity == 0 ? "-" : std::to_string(m.capacity)});
  append_table(out, rows);
}

void append_json(text& out, const tm::timing_report& r) {
  json::writer w(out);
  w.begin_object().key("cycles").integer(r.cycles).key("tasks").integer(r.tasks);
  w.key("tokens_live").integer(r.max_live_tokens).key("stalls");
  write_causes(w, r.stalls);
  w.key("units").begin_array();
  for (const tm::unit_report& u : r.units) {
    w.begin_object().key("unit").string(name(u.unit)).key("engine");
    if (u.engine < 0)
      w.null();
    else
      w.integer(u.engine);
    w.key("index").integer(u.index).key("tasks").integer(u.tasks).key("busy").integer(u.busy);
    w.key("idle");
    write_causes(w, u.idle);
    w.key("idle_at_end").integer(u.idle_at_end).end();
  }
  w.end().key("memories").begin_array();
  for (const tm::memory_report& m : r.memories) {
    w.begin_object().key("memory").string(memory_name(m.level, m.engine));
    w.key("peak").integer(m.peak).key("declared").integer(m.declared).key("capacity");
    if (m.capacity == 0)
      w.null();
    else
      w.integer(m.capacity);
    w.end();
  }
  w.end().end();
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
