// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/vm/nem.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "run.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

class machine::state {
 public:
  state(const model::program& p, const machine_options& how);

  // Of a verified program, after one visit to all of its statements.
  void find_buffers(const model::values& v);
  void find_regions(const model::values& v);
  void allocate();
  /// Few runs ask for regions, which take more memory than all else where a program has many.
  [[nodiscard]] const std::vector<place>& named_regions();
  [[nodiscard]] const place* find(std::string_view name);
  /// A buffer, or a region outside of loops.
  [[nodiscard]] const place* find_outside(std::string_view name);
  [[nodiscard]] bool watch(std::string_view name);

  const model::program& program;
  machine_options options;
  std::vector<std::uint32_t> nodes;  ///< of the buffers
  std::vector<place> buffers, regions;
  bool has_regions = false;     ///< whether they were looked for
  std::deque<held_place> held;  ///< what the shapes of regions are borrowed from
  std::map<std::string_view, const place*> by_name;
  std::deque<watched_region> watched;

  std::vector<storage> memory;    ///< empty where it doesn't fit
  std::vector<std::byte*> bases;  ///< of memory
  std::size_t too_large = 0;      ///< the buffer that doesn't fit
  std::uint64_t bytes = 0;        ///< of all buffers, or of those up to that one
  workspace scratch;
  bool is_stopped = false;  ///< by an observer of the run
  const run_visitor* running = nullptr;
};

namespace {

template <class F>
struct end_visitor : model::visitor {
  explicit end_visitor(F f) : at_end(f) {}
  void end(const model::values& v) { at_end(v); }
  F at_end;
};

}  // namespace

machine::state::state(const model::program& p, const machine_options& how)
    : program(p), options(how) {
  end_visitor scan([this](const model::values& v) { find_buffers(v); });
  model::for_each_task(p, scan, 1);
  allocate();
}

void machine::state::find_buffers(const model::values& v) {
  const model::model& d = program.model();
  for (std::uint32_t i = 0; i < v.buffers.size(); ++i) {
    const model::buffer& b = v.buffers[i];
    place to;
    to.name = d.name(b.name);
    to.is_buffer = true;
    to.level = b.level;
    to.engine = b.level == model::level::l1 ? b.engine : -1;
    to.size = b.is_known && b.size > 0 ? static_cast<std::uint64_t>(b.size) : 0;
    to.buffer = i;
    to.flags = b.flags;
    buffers.push_back(to);
    nodes.push_back(b.node);
  }
  for (const place& b : buffers) by_name.emplace(b.name, &b);
}

const std::vector<place>& machine::state::named_regions() {
  if (!std::exchange(has_regions, true)) {
    end_visitor scan([this](const model::values& v) { find_regions(v); });
    model::for_each_task(program, scan, 1);
  }
  return regions;
}

void machine::state::find_regions(const model::values& v) {
  const model::model& d = program.model();
  // Names of regions that are aliases are regions too.
  std::map<std::string_view, std::size_t> known;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
    const model::node& n = d.nodes[i];
    if (n.kind != model::node_kind::let) continue;
    const model::node& value = d.nodes[i + 1];
    std::size_t from = v.regions.size();
    if (value.kind == model::node_kind::region) {
      while (next < v.regions.size() && v.regions[next].declaration != i) ++next;
      from = next;
    } else if (value.kind == model::node_kind::name) {
      const auto at = known.find(d.name(value.value));
      if (at != known.end()) from = at->second;
    }
    if (from >= v.regions.size() || !v.regions[from].is_sound) continue;
    held_place& h = held.emplace_back();
    h.set(v, v.regions[from]);
    h.where.name = d.name(n.value);
    known.emplace(h.where.name, from);
    regions.push_back(h.where);
  }
  for (const place& r : regions) by_name.emplace(r.name, &r);
}

void machine::state::allocate() {
  constexpr auto addressable =
      static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  for (; too_large < buffers.size(); ++too_large) {
    if (__builtin_add_overflow(bytes, buffers[too_large].size, &bytes)) bytes = ~std::uint64_t{0};
    if (bytes > std::min(options.max_memory, addressable)) return;
  }
  memory.reserve(buffers.size());
  for (too_large = 0; too_large < buffers.size(); ++too_large) {
    const std::uint64_t size = buffers[too_large].size;
    memory.push_back({zero_pages(size), marked_bytes(size)});
    if (memory.back().pages.data() == nullptr) {
      memory.clear();
      return;
    }
  }
  for (const storage& s : memory) bases.push_back(s.pages.data());
}

const place* machine::state::find_outside(std::string_view name) {
  auto at = by_name.find(name);
  if (at == by_name.end() && !has_regions) {
    (void)named_regions();
    at = by_name.find(name);
  }
  return at == by_name.end() ? nullptr : at->second;
}

const place* machine::state::find(std::string_view name) {
  if (const place* const p = find_outside(name); p != nullptr) return p;
  for (const watched_region& w : watched) {
    if (w.name != name) continue;
    if (w.was_seen) return &w.last.where;
    for (const std::uint32_t other : w.names)
      if (const place* const p = find_outside(program.model().name(other)); p != nullptr) return p;
  }
  return nullptr;
}

bool machine::state::watch(std::string_view name) {
  if (find_outside(name) != nullptr) return true;
  for (const watched_region& w : watched)
    if (w.name == name) return true;
  const model::model& d = program.model();
  watched_region w;
  w.name = name;
  constexpr std::size_t max_names = 16;  // of aliases of one region
  bool is_region = false;
  for (std::size_t k = 0; k == 0 || k < w.names.size(); ++k)
    for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
      const model::node& n = d.nodes[i];
      if (n.kind != model::node_kind::let) continue;
      if (k == 0 ? d.name(n.value) != name : n.value != w.names[k]) continue;
      if (k == 0 && w.names.empty()) w.names.push_back(n.value);
      const model::node& value = d.nodes[i + 1];
      is_region = is_region || value.kind == model::node_kind::region;
      if (value.kind == model::node_kind::name && w.names.size() < max_names &&
          std::ranges::find(w.names, value.value) == w.names.end())
        w.names.push_back(value.value);
    }
  if (!is_region) return false;
  watched.push_back(std::move(w));
  return true;
}

machine::machine(const model::program& p, const machine_options& how)
    : state_(std::make_unique<state>(p, how)) {}
machine::~machine() = default;

const model::program& machine::program() const noexcept { return state_->program; }
std::span<const place> machine::buffers() const noexcept { return state_->buffers; }
std::span<const place> machine::regions() const { return state_->named_regions(); }
const place* machine::find(std::string_view name) const { return state_->find(name); }
bool machine::watch(std::string_view name) { return state_->watch(name); }

bool machine::has_memory() const noexcept {
  return state_->memory.size() == state_->buffers.size();
}
std::span<std::byte> machine::bytes(const place& of) noexcept {
  if (!has_memory() || of.buffer >= state_->bases.size()) return {};
  return {state_->bases[of.buffer] + of.offset, static_cast<std::size_t>(of.size)};
}
std::span<const std::byte> machine::bytes(const place& of) const noexcept {
  if (!has_memory() || of.buffer >= state_->bases.size()) return {};
  return {state_->bases[of.buffer] + of.offset, static_cast<std::size_t>(of.size)};
}
bool machine::bind(const place& to, std::span<const std::byte> data) {
  const std::span<std::byte> memory = bytes(to);
  if (data.size() > memory.size()) return false;
  if (data.empty()) return true;
  std::memcpy(memory.data(), data.data(), data.size());
  state_->memory[to.buffer].written.mark(to.offset, to.offset + data.size());
  return true;
}
void machine::mark_bound(const place& to) {
  if (has_memory() && to.buffer < state_->memory.size())
    state_->memory[to.buffer].written.mark(to.offset, to.offset + to.size);
}

void machine::stop() noexcept { state_->is_stopped = true; }

std::vector<waiting_task> machine::waiting() const {
  return state_->running == nullptr ? std::vector<waiting_task>() : state_->running->waiting();
}

outcome machine::run_observed(tessera::report* found, timeline* when, const budget& limit,
                              const observer_ref<event>& see) {
  state& s = *state_;
  run_findings findings(s.program, found);
  outcome done;
  const std::uint64_t max_memory = memory_of_run(limit, s.options.max_memory);
  if (!has_memory() || s.bytes > max_memory) {
    const std::size_t at = std::min(s.too_large, s.buffers.size() - 1);
    findings.too_large(s.nodes[at], s.buffers[at].name, s.bytes, max_memory);
    done.code = findings.code();
    return done;
  }
  for (watched_region& w : s.watched) w.was_seen = false;
  if (when != nullptr) {
    std::vector<touched_buffer> all;
    for (std::uint32_t i = 0; i < s.buffers.size(); ++i)
      all.push_back({i, s.buffers[i].level, s.buffers[i].engine, s.buffers[i].size});
    when->declare(all);
  }
  binder to(s.program, s.bases);
  executor with(s.program, s.options, s.memory, s.buffers, s.scratch, findings);
  s.is_stopped = false;
  run_visitor one(s.program, s.options, to, with, findings, when, s.watched, limit.max_steps, see,
                  s.is_stopped);
  s.running = &one;
  one.run();
  s.running = nullptr;
  done.code = findings.code();
  done.tasks = with.tasks();
  done.steps = one.steps();
  done.was_stopped = s.is_stopped;
  return done;
}

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI
