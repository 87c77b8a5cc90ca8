// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Programs that are free of races by their construction give the same bytes under every schedule;
// each dependence that is taken away is a race exactly where it was needed.

#include "random_programs.hpp"
#include "nem/verbs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/nem.hpp"
#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"

using namespace tessera;
using test::race;
using test::random_program;
using vm::nem::machine;
using vm::nem::machine_options;
using vm::nem::schedule;

namespace {

constexpr std::uint64_t programs = 20;

std::string list(const tessera::report& found) {
  std::string out;
  for (const tessera::diagnostic& d : found.diagnostics)
    out += std::string(nem::rule(d.code).id()) + ' ' + std::string(found.text_of(d.text)) + '\n';
  return out;
}
bool is_hazard(const tessera::diagnostic& d) {
  return d.code == errc::nem_haz_001_unordered || d.code == errc::nem_haz_002_iterations;
}

result<nem::program> verified(const std::string& text, tessera::report& found,
                              bool has_hazards = true) {
  auto d = nem_test::read(text, {}, &found);
  REQUIRE(d);
  nem::verify_options how;
  if (!has_hazards) how.hazard_steps = 0;
  return nem_test::verify(std::move(*d), how, &found);
}

/// The bytes of all buffers after a run, one after the other.
std::string run(const nem::program& p, const machine_options& how,
                vm::nem::timeline* when = nullptr) {
  machine vm(p, how);
  std::uint64_t state = 7;
  for (const vm::nem::place& b : vm.buffers()) {
    for (std::byte& x : vm.bytes(b)) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      x = static_cast<std::byte>(state >> 56);
    }
    vm.mark_bound(b);
  }
  tessera::report found;
  const vm::nem::outcome done = vm.run(&found, when);
  INFO(list(found));
  REQUIRE(done);
  std::string out;
  for (const vm::nem::place& b : vm.buffers()) out += as_text(vm.bytes(b));
  return out;
}
std::string run(const nem::program& p, schedule by, std::uint64_t seed = 0) {
  machine_options how;
  how.schedule = by;
  how.seed = seed;
  how.races = vm::nem::race_search::never;
  return run(p, how);
}

void check_schedules(std::uint64_t seed) {
  const std::string text = test::make_random_program(seed).text();
  CAPTURE(seed, text);
  tessera::report found;
  const auto p = verified(text, found);
  CAPTURE(list(found));
  REQUIRE(p);
  for (const tessera::diagnostic& d : found.diagnostics) {
    REQUIRE_FALSE(is_hazard(d));
    REQUIRE(d.code != errc::nem_haz_003_rewritten);
  }
  const std::string expected = run(*p, schedule::in_order);
  CHECK(run(*p, schedule::reverse) == expected);
  for (std::uint64_t s = 0; s < 100; ++s) {
    CAPTURE(s);
    REQUIRE(run(*p, schedule::random, s) == expected);
  }
  vm::nem::timeline when(*p);
  CHECK(run(*p, {}, &when) == expected);
  CHECK(when.report().cycles != 0);
}

/// "t4 writes bytes [8, 16) of b1 t2 reads": what findings say of a race.
std::string words_of(const race& r) {
  const std::string bytes = r.first == r.last ? "byte " + std::to_string(r.first)
                                              : "bytes [" + std::to_string(r.first) + ", " +
                                                    std::to_string(r.last + 1) + ')';
  return "t" + std::to_string(r.later) + (r.later_writes ? " writes " : " reads ") + bytes +
         " of b" + std::to_string(r.buffer) + " t" + std::to_string(r.earlier) +
         (r.earlier_writes ? " writes" : " reads");
}
std::string words_of(const tessera::report& found, const tessera::diagnostic& d) {
  const std::string_view text = found.text_of(d.text), note = found.text_of(d.note);
  const std::size_t buffer = text.find(" of b") + 4;
  return std::string(text.substr(0, text.find_first_of(" ,", buffer))) + ' ' +
         std::string(note.substr(0, note.find(' ', note.find(' ') + 1)));
}

struct totals {
  std::size_t racy = 0, harmless = 0, between_iterations = 0, seen = 0;
};

/// Checks what is said of a program against its races.
void check_races(const random_program& q, totals& count) {
  const std::string text = q.text();
  std::set<std::string> expected;
  for (const race& r : test::races_of(q))
    expected.insert((r.is_same_path ? "HAZ-001 " : "HAZ-002 ") + words_of(r));
  INFO(text);
  ++(expected.empty() ? count.harmless : count.racy);

  tessera::report found;
  const bool is_accepted = bool(verified(text, found));
  CAPTURE(list(found));
  REQUIRE(is_accepted == expected.empty());
  bool is_found = false;
  for (const tessera::diagnostic& d : found.diagnostics) {
    if (!is_hazard(d)) continue;
    is_found = true;
    count.between_iterations += d.code == errc::nem_haz_002_iterations;
    REQUIRE(expected.count(std::string(nem::rule(d.code).id()) + " " + words_of(found, d)) == 1);
  }
  REQUIRE(is_found == !expected.empty());

  tessera::report unsearched;
  const auto p = verified(text, unsearched, false);
  REQUIRE(p);
  REQUIRE_FALSE(p->has_all_hazards());
  machine_options how;
  how.races = vm::nem::race_search::always;
  machine vm(*p, how);
  for (const vm::nem::place& b : vm.buffers()) vm.mark_bound(b);
  tessera::report said;
  const vm::nem::outcome done = vm.run(&said);
  CAPTURE(list(said));
  REQUIRE(bool(done) == expected.empty());
  bool is_reported = false;
  for (const tessera::diagnostic& d : said.diagnostics) {
    if (d.code != errc::nem_rt_race) continue;
    is_reported = true;
    REQUIRE(expected.count("HAZ-001 " + words_of(said, d)) +
                expected.count("HAZ-002 " + words_of(said, d)) !=
            0);
  }
  REQUIRE(is_reported == !expected.empty());
  if (!expected.empty()) CHECK(done.code == errc::nem_rt_race);
}

/// Whether some of 100 seeds gives other bytes than the order of the text.
bool shows(const random_program& q) {
  tessera::report found;
  const auto p = verified(q.text(), found, false);
  REQUIRE(p);
  const std::string first = run(*p, schedule::in_order);
  for (std::uint64_t s = 0; s < 100; ++s)
    if (run(*p, schedule::random, s) != first) return true;
  return false;
}

void check_weakened(std::uint64_t seed, totals& count) {
  const random_program p = test::make_random_program(seed);
  CAPTURE(seed);
  REQUIRE(test::races_of(p).empty());
  for (const random_program& q : test::weakened(p)) check_races(q, count);
}

}  // namespace

TEST_CASE("vm/nem/random programs: every schedule gives the same bytes", "[vm_nem]") {
  for (std::uint64_t seed = 0; seed < programs; ++seed) check_schedules(seed);
}

TEST_CASE("vm/nem/random programs: dependences are needed exactly where races say so", "[vm_nem]") {
  totals count;
  for (std::uint64_t seed = 0; seed < programs; ++seed) check_weakened(seed, count);
  CAPTURE(count.racy, count.harmless, count.between_iterations);
  CHECK(count.racy > 100);
  CHECK(count.harmless > 50);
  CHECK(count.between_iterations > 10);
}

TEST_CASE("vm/nem/random programs: races change bytes under some schedule", "[vm_nem]") {
  std::size_t racy = 0, shown = 0;
  for (std::uint64_t seed = 0; seed < programs / 2; ++seed)
    for (const random_program& q : test::weakened(test::make_random_program(seed))) {
      if (test::races_of(q).empty()) continue;
      ++racy;
      shown += shows(q);
      break;
    }
  CAPTURE(racy, shown);
  CHECK(racy > programs / 4);
  CHECK(shown > racy / 4);
}

TEST_CASE("vm/nem/random programs: many more of them", "[vm_nem][.long]") {
  totals count;
  for (std::uint64_t seed = 1000; seed < 1200; ++seed) {
    check_schedules(seed);
    check_weakened(seed, count);
  }
  CHECK(count.racy > 1000);
}
