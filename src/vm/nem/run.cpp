// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "run.hpp"

#include <algorithm>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

namespace {

constexpr std::uint32_t all_findings = 0xffffffff;
/// Of the events that a graph counts, and of the tasks that a program may have.
constexpr std::uint64_t max_events = 0xfffffff0;
/// Of an iteration, and of a task: the cost including a search for races and a graph of
/// dependencies, so that steps are the same under every schedule.
constexpr std::uint64_t event_steps = 256;
/// Of evaluating a node of the text in each iteration.
constexpr std::uint64_t node_steps = 32;
/// Of a task that a timeline remembers, which takes a few hundred bytes.
constexpr std::uint64_t placement_steps = 2048;

[[nodiscard]] bool has_deterministic(const model::model& d, std::uint32_t node) noexcept {
  return model::find_decorator(d, node, model::decorator::deterministic) != model::no_node;
}
/// The tokens that the target's sequencer has; 0 where that isn't known.
[[nodiscard]] std::uint64_t max_tokens(const model::program& p) noexcept {
  if (p.target() == nullptr) return 0;
  const std::int64_t n =
      p.catalog().characteristic(*p.target(), model::unit::seq, "max_active_tokens", 0);
  return n > 0 ? static_cast<std::uint64_t>(n) : 0;
}
[[nodiscard]] ready_tasks::order order_of(const machine_options& how,
                                          const timeline* when) noexcept {
  if (when != nullptr) return ready_tasks::order::earliest;
  return how.schedule == schedule::random ? ready_tasks::order::random
                                          : ready_tasks::order::last_of_text;
}

}  // namespace

void held_place::set(const model::values& v, const model::region& r) {
  const model::buffer& b = v.buffers[r.buffer];
  where.is_buffer = false;
  where.level = b.level;
  where.engine = b.level == model::level::l1 ? b.engine : -1;
  where.offset = static_cast<std::uint64_t>(r.offset);
  where.size = static_cast<std::uint64_t>(r.extent);
  where.buffer = r.buffer;
  where.flags = r.flags;
  where.element = model::element::none;
  shape.clear();
  strides.clear();
  if (r.element != model::element::none && r.has_shape) {
    where.element = r.element;
    shape.assign(v.shape(r).begin(), v.shape(r).end());
    strides.assign(v.strides(r).begin(), v.strides(r).end());
    if (!r.has_strides) {
      strides.resize(shape.size());
      make_strides(shape, strides.data());
    }
  }
  where.shape = shape;
  where.strides = strides;
}

run_visitor::race_finder::race_finder(run_visitor& r, const model::program& p)
    : found(&report, p.profile(), all_findings),
      context{p.model(), options, found, p.catalog(), p.target()},
      hazards(context) {
  found.end_with({write_iteration, &r});
}

run_visitor::run_visitor(const model::program& p, const machine_options& how, binder& to,
                         executor& with, run_findings& found, timeline* when,
                         std::deque<watched_region>& watched, std::uint64_t max_steps,
                         const observer_ref<event>& see, const bool& is_stopped)
    : program_(p),
      how_(how),
      binder_(to),
      executor_(with),
      found_(found),
      when_(when),
      watched_(watched),
      see_(see),
      is_stopped_(is_stopped),
      // A run trusts no proof: its own checks keep it inside of its memory.
      is_checking_(p.is_partial() || p.proven_iterations() != 0 ||
                   p.profile() == model::profile::upstream),
      late_(&late_report_, model::profile::standard, all_findings),
      context_{p.model(), options_, late_, p.catalog(), p.target()},
      steps_(max_steps),
      has_graph_(when != nullptr || how.schedule != schedule::in_order),
      max_tokens_(when != nullptr ? max_tokens(p) : 0),
      graph_(max_tokens_),
      ready_(order_of(how, when), how.seed) {
  late_.end_with({write_iteration, this});
  if (how.races == race_search::always ||
      (how.races == race_search::unverified && !p.has_all_hazards()))
    races_ = std::make_unique<race_finder>(*this, p);
}

void run_visitor::run() {
  (void)model::walker<run_visitor>(context_, *this, ~std::uint64_t{0}).run();
}

void run_visitor::write_iteration(const void* self, const tessera::diagnostic& d, text& to) {
  if (d.code == errc::nem_haz_002_iterations || d.code == errc::nem_haz_003_rewritten ||
      d.code == errc::nem_haz_005_partial)
    return;
  const auto& r = *static_cast<const run_visitor*>(self);
  run_findings::write(r.program_.model(), {r.loops_, r.values_}, to);
}

// ---- events of the program

void run_visitor::loop(const model::values& v, std::uint32_t node, std::int64_t first,
                       std::int64_t last, std::int64_t in_flight) {
  if (loops_.empty()) outer_regions_ = v.regions.size();
  const bool is_inside = !loops_are_deterministic_.empty() && loops_are_deterministic_.back() != 0;
  loops_are_deterministic_.push_back(is_inside || has_deterministic(program_.model(), node));
  loops_.push_back(node);
  values_.push_back(first);
  if (races_ != nullptr) races_->hazards.loop(v, node, first, last, in_flight);
  ++events_;
  if (has_graph_) graph_.loop(in_flight);
}
void run_visitor::iteration(std::uint32_t node, std::int64_t value) {
  values_.back() = value;
  const std::uint64_t body = program_.model().nodes[node].next - node;
  if (!spend(node, event_steps + body * node_steps)) return;
  if (races_ != nullptr) races_->hazards.iteration(node, value);
  events_ += 2;
  if (has_graph_) graph_.iteration(when_ready());
}
void run_visitor::end_loop(std::uint32_t node) {
  if (races_ != nullptr) races_->hazards.end_loop(node);
  if (has_graph_) graph_.end_loop(when_ready());
  loops_.pop_back();
  values_.pop_back();
  loops_are_deterministic_.pop_back();
}
void run_visitor::wait(std::uint32_t node, view<std::uint32_t> tasks) {
  if (races_ != nullptr) races_->hazards.wait(node, tasks);
  ++events_;
  if (has_graph_) graph_.wait(tasks, when_ready());
}
void run_visitor::task(const model::values& v, const model::task& t) {
  const std::uint64_t own = when_ != nullptr ? placement_steps : event_steps;
  if (!spend(t.node, own + (t.inputs + t.outputs) * operand_steps)) return;
  if (is_checking_ && !is_sound(v, t)) return;
  if (!watched_.empty()) watch(v);
  if (races_ != nullptr) {
    search(v, t);
    if (is_over_) return;
  }
  bound_task& b = binder_.bind(v, t);
  b.loops = loops_;
  b.iteration = values_;
  b.what.is_deterministic = is_deterministic(t.node);
  if (!how_.is_dry && !spend(t.node, steps_of(b.what))) return;
  if (has_graph_)
    keep(v, t, b);
  else
    execute(b);
}
void run_visitor::end(const model::values&) {
  if (!is_over_ && is_checking_) is_over_ = has_late_error();
  if (has_graph_) drain(0);
}

/// Charges steps to the budget before the work is done.
bool run_visitor::spend(std::uint32_t node, std::uint64_t steps) {
  if (is_over_) return false;
  const bool is_counted = ++events_ < max_events;
  if (is_counted && steps_.charge(steps)) return true;
  found_.set({loops_, values_});  // the last executed task may be another
  found_.over_budget(node, is_counted ? steps_.refusal() : "more than 2^32 - 1 tasks");
  is_over_ = true;
  return false;
}

bool run_visitor::is_deterministic(std::uint32_t node) {
  if (loops_.empty()) return has_deterministic(program_.model(), node);
  if (loops_are_deterministic_.back() != 0) return true;
  if (tasks_are_deterministic_.empty())
    tasks_are_deterministic_.resize(program_.model().nodes.size());
  std::uint8_t& known = tasks_are_deterministic_[node];
  if (known == 0) known = has_deterministic(program_.model(), node) ? 2 : 1;
  return known == 2;
}

// ---- iterations that verification skipped

bool run_visitor::is_sound(const model::values& v, const model::task& t) {
  if (t.opcode == opcode::transfer || t.opcode == opcode::store)
    model::check_transfer(context_, t);
  else
    rules_.check(context_, t);
  is_over_ = has_late_error();
  if (is_over_) return false;
  for (std::uint32_t i = 0; i < t.inputs + t.outputs; ++i) {
    const std::uint32_t r = v.operands[t.first_operand + i].region;
    if (r != model::no_index && v.regions[r].is_sound) continue;
    bound_task unknown;
    unknown.task = t;
    found_.set({loops_, values_});
    found_.failed(unknown, {.code = errc::nem_rt_unsupported});
    is_over_ = true;
    return false;
  }
  return true;
}
/// Whether an iteration that wasn't verified has broken a rule. FAM-004 requires descriptors, which
/// operations can do without.
bool run_visitor::has_late_error() {
  late_.close();
  for (; late_seen_ < late_report_.diagnostics.size(); ++late_seen_) {
    const tessera::diagnostic& d = late_report_.diagnostics[late_seen_];
    if (d.severity != tessera::severity::error || d.code == errc::nem_fam_004_quant) continue;
    found_.unsound(late_report_, d);
    return true;
  }
  return false;
}

void run_visitor::search(const model::values& v, const model::task& t) {
  races_->hazards.task(v, t);
  races_->found.close();
  const std::size_t found = races_->report.diagnostics.size();
  if (found == races_->reported) return;
  const bool is_race = found_.races(races_->report, std::exchange(races_->reported, found));
  is_over_ = is_race && !how_.keep_going;
}

void run_visitor::watch(const model::values& v) {
  const model::model& d = program_.model();
  if (loops_.empty()) return;
  for (std::size_t i = outer_regions_; i < v.regions.size(); ++i) {
    const model::region& r = v.regions[i];
    if (r.declaration == model::no_node || !r.is_sound) continue;
    const std::uint32_t name = d.nodes[r.declaration].value;
    for (watched_region& w : watched_) {
      if (std::ranges::find(w.names, name) == w.names.end()) continue;
      w.was_seen = true;
      w.last.set(v, r);
      w.last.where.name = w.name;
    }
  }
}

void run_visitor::execute(bound_task& t) {
  const event at{t.task.index, t.task.node, t.task.token, t.iteration, &t.what};
  see_.begin(at);
  is_over_ = is_stopped_ || !executor_.execute(t);
  if (is_over_) return;
  see_.end(at);
  is_over_ = is_stopped_;
}

// ---- other schedules than in_order

void run_visitor::keep(const model::values& v, const model::task& t, const bound_task& b) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(kept_.size()));
    kept_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  kept_[slot].keep(b, kept_memory_);
  if (max_tokens_ != 0) ++events_;
  (void)graph_.issue(v.tasks_before(t), t.mode == model::mode::sync, when_ready(), slot);
  if (kept() > how_.lookahead) drain(how_.lookahead / 2);
}
/// Executes tasks that may start until `left` are kept.
void run_visitor::drain(std::size_t left) {
  constexpr std::uint64_t never = ~std::uint64_t{0};
  while (!is_over_ && kept() > left) {
    while (graph_.grant(ready_.empty() ? never : ready_.first_time(), when_ready())) {}
    if (ready_.empty()) return;
    const task_graph::ready_task r = ready_.pop();
    bound_task& t = kept_[r.slot].restore(restored_);
    begun_ = r.slot;
    execute(t);
    const std::uint64_t done = when_ != nullptr ? when_->place(t, r).end : 0;
    free_slots_.push_back(r.slot);
    graph_.complete(r.task, done, when_ready());
  }
}

std::vector<waiting_task> run_visitor::waiting() const {
  enum class slot : std::uint8_t { waiting, ready, other };
  std::vector<slot> slots(kept_.size(), slot::waiting);
  for (const std::uint32_t s : free_slots_) slots[s] = slot::other;
  ready_.each([&](const task_graph::ready_task& t) { slots[t.slot] = slot::ready; });
  if (!slots.empty()) slots[begun_] = slot::other;
  std::vector<waiting_task> out;
  restored_task place;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (slots[s] == slot::other) continue;
    const bound_task& t = kept_[s].restore(place);
    out.push_back({t.task.index,
                   t.task.node,
                   {t.iteration.begin(), t.iteration.end()},
                   slots[s] == slot::ready});
  }
  std::ranges::sort(out, {}, &waiting_task::task);
  return out;
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
