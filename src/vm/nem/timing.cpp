// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/vm/nem_timing.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

using model::unit;

namespace {

constexpr std::uint64_t max_time = (std::uint64_t{1} << 63) - 1;

[[nodiscard]] std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
  return a >= max_time || b >= max_time - a ? max_time : a + b;
}
[[nodiscard]] std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) noexcept {
  return a / b + (a % b != 0);
}

struct parameter {
  std::string_view name;
  std::uint64_t timing_profile::*value;
  bool may_be_0;
};
constexpr parameter parameters[] = {
    {"bandwidth", &timing_profile::bandwidth, false},
    {"transfer_latency", &timing_profile::transfer_latency, true},
    {"macs", &timing_profile::macs, false},
    {"product_latency", &timing_profile::product_latency, true},
    {"elements", &timing_profile::elements, false},
    {"element_latency", &timing_profile::element_latency, true},
};

/// The target's name for the macs a cycle of an NMU, by the type of the weights.
[[nodiscard]] std::string_view macs_key(element weights) noexcept {
  switch (weights) {
    case element::i4: return "int4_macs";
    case element::i8:
    case element::u8: return "int8_macs";
    case element::i16:
    case element::u16: return "int16_macs";
    case element::f16:
    case element::bf16: return "fp16_macs";
    case element::i32:
    case element::u32:
    case element::f32:
    case element::tf32:
    case element::f64:
    case element::bool_:
    case element::none: break;
  }
  return {};
}

/// The maximum that is alive at once, of intervals that begin and end; one that ends is gone when
/// others begin.
template <class Change>
[[nodiscard]] std::uint64_t sweep(std::vector<Change> begins, std::vector<Change> ends) {
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::uint64_t live = 0, peak = 0;
  auto end = ends.begin();
  for (const auto& [when, size] : begins) {
    for (; end != ends.end() && end->first <= when; ++end) live -= end->second;
    live += size;
    peak = std::max(peak, live);
  }
  return peak;
}

}  // namespace

std::uint64_t macs_per_cycle(const timing_profile& costs, const model::catalog& c,
                             const model::device* target, element weights) noexcept {
  if (!costs.is_of_target || target == nullptr) return costs.macs;
  const std::string_view key = macs_key(weights);
  if (key.empty()) return costs.macs;
  const std::int64_t n = c.characteristic(*target, unit::nmu, key, 0);
  return n > 0 ? static_cast<std::uint64_t>(n) : costs.macs;
}

bool timing_profile::set(std::string_view name, std::uint64_t value) noexcept {
  for (const parameter& p : parameters) {
    if (p.name != name) continue;
    if (value == 0 && !p.may_be_0) return false;
    this->*p.value = value;
    if (p.value == &timing_profile::macs) is_of_target = false;
    return true;
  }
  return false;
}
std::string_view timing_profile::names() noexcept {
  return "bandwidth, transfer_latency, macs, product_latency, elements, element_latency";
}

class timeline::state {
 public:
  state(const model::program& p, const timing_profile& costs, observer seen)
      : program_(p), costs_(costs), seen_(std::move(seen)) {
    for (std::uint64_t* const per_cycle : {&costs_.bandwidth, &costs_.macs, &costs_.elements})
      *per_cycle = std::max<std::uint64_t>(*per_cycle, 1);
    const model::device* const d = p.target();
    if (d != nullptr && d->has_topology) {
      topology_ = &d->topology;
      engines_ = std::max<std::int64_t>(d->topology.engines, 1);
    }
  }

  void declare(const touched_buffer& b) {
    buffer_of(b);
    if (b.level == model::level::l1) name_engine(b.engine);
  }

  placement place(const instance& t, const ready_task& ready) {
    name_engine(t.task.engine);
    const binding to = bind(t);
    unit_state& u = choose(to);
    placement p;
    p.unit = u.did.unit;
    p.engine = u.did.engine;
    p.index = u.did.index;
    p.issued = std::min(ready.issued, max_time);
    p.ready = std::min(ready.time, max_time);
    p.start = std::max(p.ready, u.free);
    p.end = plus(p.start, cost(t.what, p.unit));
    p.why = p.start > p.ready ? cause::unit : ready.why;
    p.held = ready.held;

    const auto waited = static_cast<std::size_t>(ready.why);
    std::uint64_t& idle = u.did.idle[waited];
    idle = plus(idle, p.start - u.free);
    u.did.busy = plus(u.did.busy, p.end - p.start);
    ++u.did.tasks;
    occupy(u, p.end);
    auto& stalls = total_.stalls;
    constexpr auto on_unit = static_cast<std::size_t>(cause::unit);
    stalls[waited] = plus(stalls[waited], p.ready - std::min(p.issued, p.ready));
    stalls[on_unit] = plus(stalls[on_unit], p.start - p.ready);
    constexpr auto on_tokens = static_cast<std::size_t>(cause::tokens);
    stalls[on_tokens] = plus(stalls[on_tokens], p.held);
    ++total_.tasks;
    total_.cycles = std::max(total_.cycles, p.end);
    if (p.issued < p.end) tokens_.emplace_back(p.issued, p.end);
    for (const touched_buffer& b : t.buffers) {
      buffer_state& held = buffer_of(b);
      held.first = std::min(held.first, p.start);
      held.last = std::max(held.last, p.end);
    }
    if (seen_) seen_(t, p);
    return p;
  }

  [[nodiscard]] timing_report report() const {
    timing_report r = total_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> begins, ends;
    begins.reserve(tokens_.size());
    ends.reserve(tokens_.size());
    for (const auto& [issued, end] : tokens_) {
      begins.emplace_back(issued, 1);
      ends.emplace_back(end, 1);
    }
    r.max_live_tokens = sweep(std::move(begins), std::move(ends));
    report_units(r);
    report_memories(r);
    return r;
  }

 private:
  static constexpr std::int64_t any = -1;
  static constexpr std::uint64_t max_listed = 1024;

  /// Units by engine, that of the device first, then by type and index.
  using unit_key = std::tuple<std::int64_t, unit, std::uint32_t>;
  /// A unit in the order in which units are chosen: when it is free, engine, index.
  using candidate = std::tuple<std::uint64_t, std::int64_t, std::uint32_t>;
  /// The units that may execute a task: an engine or any, an index or any.
  struct binding {
    unit type;
    std::int64_t engine, index;
    friend bool operator<(const binding& a, const binding& b) noexcept {
      return std::tie(a.type, a.engine, a.index) < std::tie(b.type, b.engine, b.index);
    }
  };
  /// The units of a binding: those that were chosen before, and the lowest that may not have been.
  struct unit_state;
  struct pool {
    std::map<candidate, unit_state*> used;
    std::int64_t next_engine = 0;
    std::uint32_t next_index = 0;
  };
  struct unit_state {
    unit_report did;
    std::uint64_t free = 0;
    std::array<pool*, 3> pools = {};
  };
  struct buffer_state {
    touched_buffer what;
    bool is_known = false;
    std::uint64_t first = max_time, last = 0;
  };

  void name_engine(std::int64_t engine) noexcept {
    if (engine >= engines_) engines_ = engine == INT64_MAX ? engine : engine + 1;
  }
  buffer_state& buffer_of(const touched_buffer& b) {
    if (b.index >= buffers_.size()) buffers_.resize(std::size_t{b.index} + 1);
    buffer_state& held = buffers_[b.index];
    if (!held.is_known) held = {b, true, max_time, 0};
    return held;
  }

  /// The number of units of a type of an engine or the device.
  [[nodiscard]] std::uint32_t count(unit u) const noexcept {
    if (topology_ == nullptr) return u == unit::seq || u == unit::wdm ? 0 : 1;
    const std::int64_t n = topology_->units[static_cast<std::size_t>(u)];
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(n, 0, UINT32_MAX));
  }

  [[nodiscard]] binding bind(const instance& t) const noexcept {
    const model::opcode op = t.task.opcode;
    const model::unit_set eligible = model::eligible_units(op);
    const auto may = [&](unit u) {
      return u != unit::none && (eligible & model::units(u)) != 0 && count(u) != 0;
    };
    if (may(t.task.unit))
      return {t.task.unit, t.task.engine,
              std::max<std::int64_t>(t.task.unit_index, 0) % count(t.task.unit)};
    const bool is_translated = t.task.unit != unit::none;
    if (is_translated && may(unit::vpu)) return {unit::vpu, t.task.engine, any};

    const bool touches_ddr =
        std::any_of(t.buffers.begin(), t.buffers.end(),
                    [](const touched_buffer& b) { return b.level == model::level::ddr; });
    unit own = model::default_unit(op);
    if (op == model::opcode::transfer && touches_ddr) {
      own = unit::sdma;
      if (count(own) != 0) return {own, any, any};
    }
    for (const unit u : {own, unit::vpu, unit::cstl, unit::dma, unit::nmu})
      if (may(u)) return {u, t.task.engine, any};
    if (own == unit::none) own = unit::vpu;
    return {own, own == unit::sdma ? any : t.task.engine, any};
  }

  unit_state& choose(const binding& b) {
    if (b.engine != any && b.index != any)
      return unit_of({b.engine, b.type, static_cast<std::uint32_t>(b.index)});
    pool& p = pools_[b];
    // An unused unit is free from the beginning.
    const bool is_of_device = !model::is_per_engine(b.type);
    const std::uint32_t end = std::max<std::uint32_t>(count(b.type), 1);
    const auto next = [&]() -> unit_key {
      return {is_of_device      ? -1
              : b.engine != any ? b.engine
                                : p.next_engine,
              b.type, b.index != any ? static_cast<std::uint32_t>(b.index) : p.next_index};
    };
    const auto is_there = [&] {
      return b.engine != any || is_of_device ? p.next_engine == 0 : p.next_engine < engines_;
    };
    while (is_there() && units_.count(next()) != 0) {
      if (b.index == any && ++p.next_index < end) continue;
      p.next_index = 0;
      ++p.next_engine;
    }
    if (is_there()) {
      const auto [engine, type, index] = next();
      if (p.used.empty() || candidate{0, engine, index} < p.used.begin()->first)
        return unit_of({engine, type, index});
    }
    return *p.used.begin()->second;
  }
  unit_state& unit_of(const unit_key& key) {
    const auto [at, is_new] = units_.try_emplace(key);
    unit_state& u = at->second;
    if (!is_new) return u;
    std::tie(u.did.engine, u.did.unit, u.did.index) = key;
    const std::int64_t index = u.did.index;
    u.pools = {&pools_[{u.did.unit, u.did.engine, any}], &pools_[{u.did.unit, any, index}],
               u.did.engine == any ? nullptr : &pools_[{u.did.unit, any, any}]};
    for (pool* const p : u.pools)
      if (p != nullptr) p->used.emplace(candidate{0, u.did.engine, u.did.index}, &u);
    return u;
  }
  void occupy(unit_state& u, std::uint64_t until) {
    for (pool* const p : u.pools) {
      if (p == nullptr) continue;
      auto node = p->used.extract({u.free, u.did.engine, u.did.index});
      std::get<0>(node.key()) = until;
      p->used.insert(std::move(node));
    }
    u.free = until;
  }

  [[nodiscard]] std::uint64_t macs_a_cycle(const call& c) const noexcept {
    if (c.inputs.size() < 2) return costs_.macs;
    return macs_per_cycle(costs_, program_.catalog(), program_.target(), c.inputs[1].element);
  }
  [[nodiscard]] std::uint64_t cost(const call& c, unit on) const noexcept {
    const work w = work_of(c);
    switch (model::row(c.opcode).category) {
      case model::opcode_category::data_movement:
        return plus(ceil_div(w.bytes, costs_.bandwidth), costs_.transfer_latency);
      case model::opcode_category::linear_algebra:
      case model::opcode_category::convolution:
        return plus(ceil_div(w.macs, on == unit::nmu ? macs_a_cycle(c) : costs_.elements),
                    costs_.product_latency);
      case model::opcode_category::elementwise_unary:
      case model::opcode_category::elementwise_binary:
      case model::opcode_category::elementwise_other:
      case model::opcode_category::pooling:
      case model::opcode_category::layout:
      case model::opcode_category::reduction:
      case model::opcode_category::normalization:
      case model::opcode_category::softmax:
      case model::opcode_category::type_conversion:
      case model::opcode_category::generic: break;
    }
    return plus(ceil_div(w.elements, costs_.elements), costs_.element_latency);
  }

  void report_units(timing_report& r) const {
    constexpr unit per_engine[] = {unit::nmu, unit::cstl, unit::dma, unit::vpu};
    std::uint64_t each = 0;
    for (const unit u : per_engine) each += count(u);
    const auto engines = static_cast<std::uint64_t>(engines_);
    const bool are_many = engines > max_listed || each > max_listed ||
                          count(unit::sdma) + each * engines > max_listed;
    std::set<unit_key> all;
    for (const auto& [key, u] : units_) all.insert(key);
    if (!are_many) {
      for (std::uint32_t i = 0; i < count(unit::sdma); ++i) all.insert({-1, unit::sdma, i});
      for (std::int64_t e = 0; e < engines_; ++e)
        for (const unit u : per_engine)
          for (std::uint32_t i = 0; i < count(u); ++i) all.insert({e, u, i});
    }
    for (const unit_key& key : all) {
      const auto known = units_.find(key);
      unit_report u;
      std::tie(u.engine, u.unit, u.index) = key;
      if (known != units_.end()) u = known->second.did;
      u.idle_at_end = r.cycles - (known == units_.end() ? 0 : known->second.free);
      r.units.push_back(u);
    }
  }

  void report_memories(timing_report& r) const {
    struct lives {
      memory_report report;
      std::vector<std::pair<std::uint64_t, std::uint64_t>> begins, ends;
    };
    std::map<std::pair<model::level, std::int64_t>, lives> memories;
    for (const buffer_state& b : buffers_) {
      if (!b.is_known) continue;
      const std::int64_t engine = b.what.level == model::level::l1 ? b.what.engine : -1;
      lives& m = memories[{b.what.level, engine}];
      m.report.level = b.what.level;
      m.report.engine = engine;
      m.report.declared = plus(m.report.declared, b.what.size);
      if (b.first >= b.last) continue;
      m.begins.emplace_back(b.first, b.what.size);
      m.ends.emplace_back(b.last, b.what.size);
    }
    for (auto& [where, m] : memories) {
      m.report.peak = sweep(std::move(m.begins), std::move(m.ends));
      const std::int64_t size = topology_ == nullptr || m.report.level == model::level::ddr ? 0
                                : m.report.level == model::level::l2 ? topology_->l2_size
                                                                     : topology_->l1_size;
      m.report.capacity = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
      r.memories.push_back(m.report);
    }
  }

  const model::program& program_;
  timing_profile costs_;
  observer seen_;
  const model::topology* topology_ = nullptr;
  std::int64_t engines_ = 1;
  std::map<unit_key, unit_state> units_;
  std::map<binding, pool> pools_;
  std::vector<buffer_state> buffers_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> tokens_;  ///< when issued, when complete
  timing_report total_;
};

timeline::timeline(const model::program& p, const timing_profile& costs, observer seen)
    : state_(std::make_unique<state>(p, costs, std::move(seen))) {}
timeline::~timeline() = default;
void timeline::declare(std::span<const touched_buffer> all) {
  for (const touched_buffer& b : all) state_->declare(b);
}
placement timeline::place(const instance& t, const ready_task& ready) {
  return state_->place(t, ready);
}
timing_report timeline::report() const { return state_->report(); }

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
