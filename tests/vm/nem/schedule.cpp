// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The order in which the machine executes tasks: what each waits for, and which it takes.

#include <algorithm>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runs.hpp"
#include "support/catch.hpp"
#include "tessera/vm/nem.hpp"
#include "tessera/vm/nem_timing.hpp"

using namespace tessera;
using test::running;
using vm::nem::machine_options;
using vm::nem::schedule;

namespace {

/// An executed task: its op, and the iteration, by where its input is.
struct event {
  std::string op;
  std::int64_t i = 0;
  bool operator==(const event&) const = default;
};
std::string shown(const std::vector<event>& all) {
  std::string out;
  for (const event& e : all) out += (out.empty() ? "" : " ") + e.op + std::to_string(e.i);
  return out;
}

/// Runs a program whose tasks are compute("op"), each with an input at 4 times its iteration.
std::vector<event> order_of(std::string_view body, machine_options how) {
  std::vector<event> seen;
  const std::byte* base = nullptr;
  const auto host = [&](const vm::nem::call& c, vm::nem::verdict&) {
    seen.push_back({std::string(c.op), (c.inputs[0].data - base) / 4});
    return true;
  };
  how.host = host;
  running r("buffer n : DDR (size=400)\nbuffer m : DDR (size=4000)\n" + std::string(body), how);
  r.machine.mark_bound(r.at("n"));
  base = r.machine.bytes(r.at("n")).data();
  const vm::nem::outcome done = r.run();
  if (!done) throw std::runtime_error(r.messages);
  return seen;
}
/// A task of such programs; `at` is an expression, `where` the element of m that it writes.
std::string task(const std::string& op, const std::string& at, const std::string& where,
                 const std::string& rest = "", const std::string& mode = "async") {
  return op + " = compute." + mode + "\n in region(n, (" + at +
         ") * 4, 4) elem=i32, shape=[1], layout=N\n out region(m, (" + where +
         ") * 4, 4) elem=i32, shape=[1], layout=N\n " + rest + " op=\"" + op + "\"\n";
}

/// All schedules that are tried; the last ones keep few tasks.
std::vector<machine_options> all_schedules() {
  std::vector<machine_options> all = {{.schedule = schedule::in_order},
                                      {.schedule = schedule::reverse}};
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    all.push_back({.schedule = schedule::random, .seed = seed});
  for (std::uint32_t few = 0; few < 4; ++few) {
    all.push_back({.schedule = schedule::random, .seed = few, .lookahead = few});
    all.push_back({.schedule = schedule::reverse, .lookahead = few});
  }
  return all;
}

using rule = std::function<bool(const event& p, const event& q)>;
/// Whether no task came before one that must be before it.
bool is_legal(const std::vector<event>& seen, const rule& is_before) {
  for (std::size_t b = 0; b < seen.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (is_before(seen[b], seen[a])) return false;
  return true;
}
/// Runs a program under all schedules, and returns how many different orders there were.
std::size_t check(std::string_view body, std::size_t tasks, const rule& is_before) {
  std::set<std::string> orders;
  for (const machine_options& how : all_schedules()) {
    const std::vector<event> seen = order_of(body, how);
    INFO(shown(seen));
    CHECK(seen.size() == tasks);
    CHECK(is_legal(seen, is_before));
    orders.insert(shown(seen));
  }
  return orders.size();
}

}  // namespace

TEST_CASE("vm/nem/schedule: the order of the text, and the reverse", "[vm_nem]") {
  const std::string body = "loop i in [0..5] @max_in_flight(3):\n" + task("a", "i", "i") +
                           task("b", "i", "20 + i") + "endloop\n" + task("c", "6", "40");
  CHECK(shown(order_of(body, {})) == "a0 b0 a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 c6");
  // Iterations 3 to 5 start after 0 to 2; those are complete with a0, their last.
  CHECK(shown(order_of(body, {.schedule = schedule::reverse})) ==
        "b2 b1 b0 a2 a1 a0 b5 b4 b3 a5 a4 a3 c6");
}

TEST_CASE("vm/nem/schedule: windows retire in order", "[vm_nem]") {
  for (const std::int64_t n : {1, 2, 3, 7, 100}) {
    const std::string body = "loop i in [0..8] @max_in_flight(" + std::to_string(n) + "):\n" +
                             task("a", "i", "i") + task("b", "i", "20 + i") + "endloop\n";
    const std::size_t orders =
        check(body, 18, [n](const event& p, const event& q) { return p.i <= q.i - n; });
    CHECK(orders > 5);
  }
  // Without a window that is larger, only tasks of one iteration change places: 2 of them.
  std::set<std::string> firsts;
  for (const machine_options& how : all_schedules())
    firsts.insert(shown({order_of(
        "loop i in [3..4]:\n" + task("a", "i", "i") + task("b", "i", "20 + i") + "endloop\n",
        how)[0]}));
  CHECK(firsts == std::set<std::string>{"a3", "b3"});
}

TEST_CASE("vm/nem/schedule: as many iterations as a window has overlap", "[vm_nem]") {
  // Of 4 iterations in flight, any may be the first; of others none is.
  std::set<std::string> firsts;
  const std::string body =
      "loop i in [0..9] @max_in_flight(4):\n" + task("a", "i", "i") + "endloop\n";
  for (const machine_options& how : all_schedules()) firsts.insert(shown({order_of(body, how)[0]}));
  CHECK(firsts == std::set<std::string>{"a0", "a1", "a2", "a3"});
}

TEST_CASE("vm/nem/schedule: deps order tasks", "[vm_nem]") {
  const std::string body = task("a", "0", "0") + task("b", "0", "1") +
                           task("c", "0", "2", "deps=[a]") + task("d", "0", "3", "deps=[c, b]") +
                           task("e", "0", "4");
  const std::size_t orders = check(body, 5, [](const event& p, const event& q) {
    return (p.op == "a" && (q.op == "c" || q.op == "d")) || (p.op == "b" && q.op == "d") ||
           (p.op == "c" && q.op == "d");
  });
  CHECK(orders > 10);  // of 25
}

TEST_CASE("vm/nem/schedule: wait and .sync hold back what follows in their iteration", "[vm_nem]") {
  const std::string body = "loop i in [0..3] @max_in_flight(2):\n" + task("a", "i", "i") +
                           task("b", "i", "10 + i") + "wait(a)\n" + task("c", "i", "20 + i") +
                           task("s", "i", "30 + i", "", "sync") + task("d", "i", "40 + i") +
                           "endloop\n";
  const std::size_t orders = check(body, 20, [](const event& p, const event& q) {
    if (p.i != q.i) return p.i <= q.i - 2;
    if (p.op == "a") return q.op == "c" || q.op == "s" || q.op == "d";
    return p.op == "s" && q.op == "d";
  });
  CHECK(orders > 20);
  // Nothing else is held back: b may be after all of its iteration, d of the one before it.
  bool has_late_b = false, has_early_iteration = false;
  for (const machine_options& how : all_schedules()) {
    const std::vector<event> seen = order_of(body, how);
    const auto at = [&](const char* op, std::int64_t i) {
      return std::ranges::find(seen, event{op, i}) - seen.begin();
    };
    has_late_b = has_late_b || at("b", 0) > at("d", 0);
    has_early_iteration = has_early_iteration || at("d", 1) < at("a", 0);
  }
  CHECK(has_late_b);
  CHECK(has_early_iteration);
}

TEST_CASE("vm/nem/schedule: what follows a loop is after it, what is before it isn't before it",
          "[vm_nem]") {
  const std::string body = task("a", "0", "0") + "loop i in [0..2] @max_in_flight(3):\n" +
                           task("b", "i", "10 + i") + "loop k in [0..1] @max_in_flight(2):\n" +
                           task("c", "i * 10 + k", "20 + i * 2 + k") + "endloop\n" +
                           task("d", "i", "30 + i") + "endloop\n" + task("e", "0", "40");
  bool has_late_a = false;
  for (const machine_options& how : all_schedules()) {
    const std::vector<event> seen = order_of(body, how);
    INFO(shown(seen));
    CHECK(seen.size() == 14);
    CHECK(is_legal(seen, [](const event& p, const event& q) {
      if (q.op == "e") return p.op != "a" && p.op != "e";
      return p.op == "c" && q.op == "d" && p.i / 10 == q.i;
    }));
    has_late_a = has_late_a || seen[0].op != "a";
  }
  CHECK(has_late_a);
}

TEST_CASE("vm/nem/schedule: seeds repeat, and differ", "[vm_nem]") {
  const std::string body =
      "loop i in [0..19] @max_in_flight(20):\n" + task("a", "i", "i") + "endloop\n";
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const machine_options how = {.schedule = schedule::random, .seed = seed};
    const std::string order = shown(order_of(body, how));
    CHECK(order == shown(order_of(body, how)));
    orders.insert(order);
  }
  CHECK(orders.size() == 10);
}

// ---- whole programs

namespace {

/// The programs of the tests' data, with the devices that they name.
struct folder {
  std::string directory = TESSERA_TESTS_DATA_DIR "/nem/programs/";
  std::deque<std::string> texts, ids;

  static bool open(void* self, std::string_view from, std::string_view path,
                   nem::resolver::file& to) {
    folder& f = *static_cast<folder*>(self);
    const std::size_t slash = from.rfind('/');
    std::string id = std::string(from.substr(0, slash + 1)) + std::string(path);
    std::string text;
    if (!f.read(id, text)) return false;
    to.id = f.ids.emplace_back(std::move(id));
    to.text = f.texts.emplace_back(std::move(text));
    return true;
  }
  [[nodiscard]] bool read(const std::string& path, std::string& to) const {
    std::ifstream in(path, std::ios::binary);
    to.assign(std::istreambuf_iterator<char>(in), {});
    return in.good() || in.eof();
  }
};

/// Runs a program on inputs that depend on nothing but the place, and returns all of its bytes.
std::vector<std::byte> bytes_of(const nem::program& p, machine_options how, vm::nem::timeline* when,
                                errc& code) {
  how.keep_going = true;
  how.races = vm::nem::race_search::always;
  vm::nem::machine vm(p, how);
  for (const vm::nem::place& b : vm.buffers()) {
    std::uint32_t x = 1 + b.buffer;
    for (std::byte& to : vm.bytes(b)) {
      x = x * 1664525 + 1013904223;
      to = std::byte{static_cast<unsigned char>(x >> 30)};
    }
    vm.mark_bound(b);
  }
  tessera::report found;
  const vm::nem::outcome done = vm.run(&found, when);
  code = done.code;
  std::vector<std::byte> out;
  for (const vm::nem::place& b : vm.buffers()) {
    const std::span<const std::byte> bytes = vm.bytes(b);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

}  // namespace

TEST_CASE("vm/nem/schedule: programs give the same bytes under every schedule", "[vm_nem]") {
  folder files;
  std::size_t programs = 0, changed = 0;
  for (const std::string name :
       {"attention", "convolution_ping_pong", "future", "gemm_blocked", "gemm_f16", "gemm_int4",
        "gemm_int8", "layernorm_block", "layouts", "quantized_chain", "strided", "two_engines"}) {
    INFO(name);
    std::string text;
    const std::string path = files.directory + name + ".nem";
    REQUIRE(files.read(path, text));
    nem::verify_options options;
    options.resolver = {folder::open, &files};
    options.id = path;
    const nem::program p = test::verified(text, options);
    errc code = errc::ok, other = errc::ok;
    const std::vector<std::byte> expected = bytes_of(p, {}, nullptr, code);
    CHECK((code == errc::ok || code == errc::nem_rt_index));
    for (machine_options how : all_schedules()) {
      CHECK(bytes_of(p, how, nullptr, other) == expected);
      CHECK(other == code);
    }
    vm::nem::timeline when(p);
    CHECK(bytes_of(p, {.schedule = schedule::reverse}, &when, other) == expected);
    CHECK(when.report().tasks == [&] {
      vm::nem::machine vm(p, {.keep_going = true});
      return vm.run().tasks;
    }());
    ++programs;
    changed += std::ranges::any_of(expected, [](std::byte b) { return b > std::byte{3}; });
  }
  CHECK(programs == 12);
  CHECK(changed > 8);  // they did compute something
}
