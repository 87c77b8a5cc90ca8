// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The reference machine of NEM: whatever verify() accepts runs within its budgets and ends, the same
// every time. Where neither verification nor the machine finds a race, every schedule and a timeline
// give the same bytes in all buffers; only HAZ-003, copies that repeat themselves, changes none.

#include <algorithm>
#include <cstdint>
#include <string>
#include <tessera/core/bytes.hpp>
#include <vector>

#include "mutate_nem.hpp"
#include "require.hpp"
#include "statistic.hpp"
#include "tessera/nem.hpp"
#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"

using namespace tessera;
using vm::nem::machine;
using vm::nem::machine_options;
using vm::nem::schedule;

namespace {

/// Of most inputs, and of one in 64.
constexpr budget usual{.max_steps = 1 << 15, .max_memory = 1 << 16},
    large{.max_steps = 1 << 20, .max_memory = 1 << 20};

/// How a run ended. Of findings only those that say that tasks are missing, or their order.
struct ending {
  errc code = errc::ok;
  std::uint64_t tasks = 0;
  std::string bytes;  ///< of all buffers
  bool is_complete = true, is_ordered = true;
  friend bool operator==(const ending&, const ending&) = default;
};

void fill(machine& vm, std::size_t seed) {
  for (const vm::nem::place& b : vm.buffers()) {
    if (b.level == nem::level::l1 && seed % 3 == 0) continue;  // zero, and missing
    // Small numbers, as of i4, i8 and i32, and halves of about 1.
    std::uint64_t state = seed + b.buffer;
    for (std::byte& x : vm.bytes(b)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto bits = static_cast<unsigned>(state >> 56);
      x = static_cast<std::byte>(seed % 2 == 0 ? bits : bits % 5 == 0 ? 0x3c : bits & 3u);
    }
    const fuzz::exact half(as_text(vm.bytes(b)).substr(0, vm.bytes(b).size() / 2));
    if (seed % 2 == 0) fuzz::require(vm.bind(b, half.bytes()), "a part of a buffer can be bound");
    vm.mark_bound(b);
  }
}

/// The names that a text gives to regions in loops.
void watch(machine& vm, const nem::model& d) {
  std::size_t left = 20;
  for (const nem::node& n : d.nodes)
    if (n.kind == nem::node_kind::let && left-- != 0) (void)vm.watch(d.name(n.value));
}
void read_places(const machine& vm, const nem::model& d) {
  unsigned sum = 0;
  const auto read = [&](const vm::nem::place& p) {
    const auto bytes = vm.bytes(p);
    fuzz::require(!vm.has_memory() || bytes.size() == p.size, "a place has its bytes");
    for (const std::byte x : bytes) sum += static_cast<unsigned>(x);
  };
  for (const vm::nem::place& p : vm.regions()) read(p);
  std::size_t left = 20;
  for (const nem::node& n : d.nodes)
    if (n.kind == nem::node_kind::let && left-- != 0)
      if (const vm::nem::place* p = vm.find(d.name(n.value))) read(*p);
  volatile unsigned sink = sum;
  (void)sink;
}

struct input {
  std::string_view source;
  std::size_t seed;
  const nem::program& program;
  budget limit;
};

[[nodiscard]] ending run(const input& in, machine_options how, vm::nem::timeline* when = nullptr) {
  how.max_memory = in.limit.max_memory;
  how.keep_going = in.seed % 5 < 2;
  machine vm(in.program, how);
  fill(vm, in.seed);
  watch(vm, in.program.model());
  tessera::report found;
  const vm::nem::outcome done = vm.run(&found, when, in.limit);
  fuzz::require(done.steps <= in.limit.max_steps, "steps are limited");
  read_places(vm, in.program.model());

  ending e;
  e.code = done.code;
  e.tasks = done.tasks;
  for (const vm::nem::place& b : vm.buffers()) e.bytes += as_text(vm.bytes(b));
  fuzz::require(e.bytes.size() <= in.limit.max_memory, "memory is limited");
  bool has_error = false;
  const bool is_fully_verified =
      !in.program.is_partial() && in.program.profile() != nem::profile::upstream;
  const tessera::source_file file{"input", in.source};
  const tessera::listing list(found, {&file, 1});
  for (const tessera::diagnostic& d : found.diagnostics) {
    fuzz::require(!list.describe(d).empty(), "a finding can be shown");
    has_error = has_error || d.severity == tessera::severity::error;
    switch (d.code) {
      case errc::nem_rt_unsupported:  // also what only the machine finds to be unsound: an end
        e.is_complete = e.is_complete && how.keep_going && is_fully_verified;
        break;
      case errc::nem_rt_div0:
      case errc::nem_rt_index: e.is_complete = e.is_complete && how.keep_going; break;
      case errc::nem_rt_race:
      case errc::nem_haz_005_partial: e.is_ordered = false; break;
      default: e.is_complete = e.is_complete && d.severity != tessera::severity::error;
    }
  }
  fuzz::require(bool(done) == !has_error, "a run that ends badly says why");
  return e;
}

[[nodiscard]] result<nem::program> program_of(std::string_view source, std::size_t seed) {
  result<nem::model> d = nem::read(source);
  if (!d) return d.error();
  nem::verify_options options;
  options.profile = static_cast<nem::profile>(seed % 3);
  options.max_instances = 500;
  options.hazard_steps = 20000;
  return nem::verify(std::move(*d), options);
}
[[nodiscard]] std::size_t seed_of(std::string_view source) { return fuzz::below(source, 1 << 20); }

}  // namespace

TESSERA_FUZZ_PROGRAM_MUTATOR(fuzz::mutate_nem)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  const std::size_t seed = seed_of(source);
  const result<nem::program> p = program_of(source, seed);
  if (!p) return fuzz::reject(), 0;
  fuzz::turns turn(source);
  const input in{source, seed, *p, turn.one_in(64) ? large : usual};

  const ending first = run(in, {});
  fuzz::count_run(first.code == errc::ok);
  machine_options how;
  how.lookahead = static_cast<std::uint32_t>(1 + seed % 40);
  how.seed = seed;
  std::vector<ending> others;
  input longer = in;  // schedules and timelines cost steps, too
  longer.limit.max_steps *= 16;
  if (turn.one_in(8)) fuzz::require(run(in, {}) == first, "a program always runs alike");
  for (const schedule by : {schedule::reverse, schedule::random, schedule::random}) {
    how.schedule = by;
    ++how.seed;
    if (turn.one_in(8)) others.push_back(run(longer, how));
  }
  const bool is_comparable = first.is_complete && first.is_ordered;
  if (turn.one_in(8)) {
    vm::nem::timeline when(*p);
    others.push_back(run(longer, how, &when));
    const std::uint64_t placed = when.report().tasks;  // with the one that ended the run
    fuzz::require(placed - others.back().tasks <= 1, "a timeline has all tasks");
    fuzz::require(!is_comparable || placed == first.tasks, "and no others");
  }
  if (!is_comparable) return 0;
  for (const ending& e : others) {
    fuzz::require(e.is_complete && e.is_ordered, "no schedule ends where another doesn't");
    fuzz::require(e.tasks == first.tasks, "all schedules have the same tasks");
    fuzz::require(e.bytes == first.bytes, "without races all schedules give the same bytes");
  }
  return 0;
}
