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

/// What changes the value of a counter: when, and by how much. Unsigned sums wrap around, so that they
/// end at 0.
using changes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
constexpr std::uint64_t minus_one = ~std::uint64_t{0};

/// Passes a text on when there is much of it.
class pieces {
 public:
  pieces(text& out, const text_sink& sink) noexcept : out_(out), sink_(sink) {}
  /// Whether more is wanted.
  [[nodiscard]] bool more() const {
    constexpr std::size_t enough = std::size_t{1} << 16;
    return !sink_ || out_.size() < enough || sink_(out_);
  }

 private:
  text& out_;
  const text_sink& sink_;
};

}  // namespace

timeline_recorder::timeline_recorder(const nem::program& p, std::string_view source)
    : program_(p), statements_(p.model(), source) {}

// ---- records

/// In blocks, so that they aren't moved when there are more.
void timeline_recorder::put_byte(std::uint64_t byte) {
  constexpr std::size_t block = std::size_t{1} << 16;
  if (records_.empty() || records_.back().size() == block) records_.emplace_back().reserve(block);
  records_.back().push_back(static_cast<std::uint8_t>(byte));
}
void timeline_recorder::put(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) put_byte(n | 0x80);
  put_byte(n);
}
void timeline_recorder::put_near(std::uint64_t other, std::uint64_t n) {
  const std::uint64_t up = n - other, down = other - n - 1;
  put(up < down ? up << 1 : down << 1 | 1);
}

/// Reads the records one after another.
class timeline_recorder::reader {
 public:
  explicit reader(const timeline_recorder& of) : of_(of), left_(of.count_) {}

  [[nodiscard]] bool has_next() const noexcept { return left_ != 0; }
  /// Lasts until the next one.
  [[nodiscard]] const record& next() {
    --left_;
    record& r = last_;
    get_near(r.task, r.task);
    get_near(r.node, r.node);
    get_near(r.token, r.token);
    r.opcode = static_cast<nem::opcode>(get());
    get_near(r.at.start, r.at.start);
    get_near(r.at.end, r.at.start);
    get_near(r.at.ready, r.at.start);
    get_near(r.at.issued, r.at.ready);
    r.at.held = get();
    r.at.why = static_cast<tm::cause>(get());
    r.at.unit = static_cast<nem::unit>(get());
    get_near(r.at.engine, std::int64_t{-1});
    r.at.index = static_cast<std::uint32_t>(get());
    r.work.macs = get();
    r.work.elements = get();
    r.work.bytes = get();
    r.iteration.resize(static_cast<std::size_t>(get()));
    for (std::int64_t& value : r.iteration) get_near(value, std::int64_t{0});
    return r;
  }

 private:
  [[nodiscard]] std::uint64_t get() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == of_.records_[block_].size()) ++block_, at_ = 0;
      const std::uint8_t byte = of_.records_[block_][at_++];
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return n;
    }
  }
  template <class Int>
  void get_near(Int& to, Int other) {
    const std::uint64_t n = get(), from = static_cast<std::uint64_t>(other);
    to = static_cast<Int>((n & 1) == 0 ? from + (n >> 1) : from - (n >> 1) - 1);
  }

  const timeline_recorder& of_;
  std::size_t left_, block_ = 0, at_ = 0;
  record last_;
};

void timeline_recorder::operator()(const tm::instance& t, const tm::placement& at) {
  const auto bits = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  put_near(last_.task, t.task.index);
  put_near(last_.node, t.task.node);
  put_near(last_.token, t.task.token);
  put(static_cast<std::uint64_t>(t.task.opcode));
  put_near(last_.at.start, at.start);
  put_near(at.start, at.end);
  put_near(at.start, at.ready);
  put_near(at.ready, at.issued);
  put(at.held);
  put(static_cast<std::uint64_t>(at.why));
  put(static_cast<std::uint64_t>(at.unit));
  put_near(bits(-1), bits(at.engine));
  put(at.index);
  const tm::work w = work_of(t.what);
  put(w.macs);
  put(w.elements);
  put(w.bytes);
  put(t.iteration.size());
  for (const std::int64_t value : t.iteration) put_near(0, bits(value));
  last_.task = t.task.index;
  last_.node = t.task.node;
  last_.token = t.task.token;
  last_.at.start = at.start;
  ++count_;
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
  if (r.iteration.empty()) return;
  const task_statement* const at = statements_.find(r.node);
  if (at == nullptr) return;
  const std::vector<std::uint32_t> loops = statements_.loops(*at);
  for (std::size_t i = 0; i < loops.size() && i < r.iteration.size(); ++i)
    f(nem::name_of(program_.model(), loops[i]), r.iteration[i]);
}

// ---- the trace

/// The processes and threads of a trace, and its events. The device is process 1; engines follow in
/// their order, each with its units in theirs.
class timeline_recorder::trace_writer {
 public:
  trace_writer(const timeline_recorder& of, text& out, const tm::timing_report& r,
               const text_sink& sink)
      : of_(of), trace_(out), to_(out, sink), processes_{{-1, 1}} {
    for (const tm::unit_report& u : r.units) processes_.try_emplace(u.engine, 0);
    for (const tm::memory_report& m : r.memories)
      if (m.level == nem::level::l1) processes_.try_emplace(m.engine, 0);
    std::uint32_t last = 0;
    for (auto& [engine, process] : processes_) {
      process = ++last;
      trace_.name_process(process, engine < 0 ? "device" : "engine " + std::to_string(engine));
    }
    for (const tm::unit_report& u : r.units) {
      const auto thread = static_cast<std::uint32_t>(threads_.size() + 1);
      threads_.emplace(std::tuple(u.engine, u.unit, u.index), thread);
      trace_.name_thread(processes_[u.engine], thread, indexed(name(u.unit), u.index));
    }
  }

  void write() {
    for (reader all(of_); all.has_next();) {
      span(all.next());
      if (!to_.more()) return;
    }
    if (tokens() && memories()) trace_.finish({{"time", "1 us is 1 cycle"}});
  }

 private:
  void span(const record& t) {
    arguments_.clear();
    names_.clear();
    arguments_.push_back({"task", std::uint64_t{t.task}});
    if (const task_statement* const at = of_.statements_.find(t.node))
      arguments_.push_back({"line", std::uint64_t{at->line}});
    of_.each_loop(t, [&](std::string_view variable, std::int64_t value) {
      // A loop may have the name of one around it; keys of JSON differ.
      std::string key = "iteration." + std::string(variable);
      while (std::find(names_.begin(), names_.end(), key) != names_.end()) key += '\'';
      arguments_.push_back({names_.emplace_back(std::move(key)), value});
    });
    if (t.work.bytes != 0) arguments_.push_back({"bytes", t.work.bytes});
    if (t.work.macs != 0) arguments_.push_back({"macs", t.work.macs});
    if (counted_elements(t.work) != 0) arguments_.push_back({"elements", t.work.elements});
    arguments_.push_back({"issued", t.at.issued});
    arguments_.push_back({"ready", t.at.ready});
    arguments_.push_back({"waited for", name(t.at.why)});
    if (t.at.held != 0) arguments_.push_back({"held for a token", t.at.held});
    arguments_.push_back({"waited", t.at.start - std::min(t.at.issued, t.at.start)});
    std::string title(name(t.opcode));
    if (t.token != nem::no_name) title += ' ' + std::string(of_.program_.model().name(t.token));
    trace_.span_with(processes_[t.at.engine], threads_[{t.at.engine, t.at.unit, t.at.index}],
                     static_cast<double>(t.at.start), static_cast<double>(t.at.end - t.at.start),
                     {title, name(nem::row(t.opcode).category)}, arguments_);
  }

  // Whether all was wanted.
  [[nodiscard]] bool tokens() {
    changes live;
    live.reserve(2 * of_.count_);
    for (reader all(of_); all.has_next();) {
      const record& t = all.next();
      live.emplace_back(t.at.issued, 1);
      live.emplace_back(t.at.end, minus_one);
    }
    return counter(1, "live tokens", "tokens", live);
  }
  [[nodiscard]] bool memories() {
    std::map<std::pair<nem::level, std::int64_t>, changes> live;
    for (const life& l : of_.lives_) {
      if (l.first >= l.last) continue;
      changes& c = live[{l.what.level, l.what.level == nem::level::l1 ? l.what.engine : -1}];
      c.emplace_back(l.first, l.what.size);
      c.emplace_back(l.last, std::uint64_t{0} - l.what.size);
    }
    for (auto& [where, all] : live)
      if (!counter(processes_[where.second],
                   "live bytes of " + memory_name(where.first, where.second), "bytes", all))
        return false;
    return true;
  }
  [[nodiscard]] bool counter(std::uint32_t process, std::string_view name, std::string_view unit,
                             changes& all) {
    std::sort(all.begin(), all.end());
    std::uint64_t live = 0;
    for (std::size_t i = 0; i < all.size();) {
      const std::uint64_t when = all[i].first, before = live;
      for (; i < all.size() && all[i].first == when; ++i) live += all[i].second;
      if (live == before) continue;
      trace_.counter(process, static_cast<double>(when), name, unit, live);
      if (!to_.more()) return false;
    }
    return true;
  }

  const timeline_recorder& of_;
  chrome_trace trace_;
  pieces to_;
  std::map<std::int64_t, std::uint32_t> processes_;
  std::map<std::tuple<std::int64_t, nem::unit, std::uint32_t>, std::uint32_t> threads_;
  std::vector<chrome_trace::argument> arguments_;
  std::deque<std::string> names_;  ///< of loops
};

void timeline_recorder::append_trace(text& out, const tm::timing_report& r, text_sink sink) const {
  trace_writer(*this, out, r, sink).write();
}

void timeline_recorder::append_csv(text& out, text_sink sink) const {
  out << "task,opcode,token,line,iteration,unit,engine,issued,ready,start,end,waited_for,bytes,"
         "macs,"
         "elements\n";
  const pieces to(out, sink);
  for (reader all(*this); all.has_next() && to.more();) {
    const record& t = all.next();
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
