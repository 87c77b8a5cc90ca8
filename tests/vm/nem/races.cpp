// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Races that the machine finds where verification didn't look.

#include <string>
#include <vector>

#include "runs.hpp"
#include "support/catch.hpp"
#include "tessera/vm/nem.hpp"

using namespace tessera;
using test::running;
using vm::nem::machine_options;
using vm::nem::race_search;
using vm::nem::schedule;

namespace {

/// A run of a program whose hazards weren't searched, with all of its inputs bound.
struct raced {
  vm::nem::outcome done;
  std::string messages;
};
raced race(const std::string& body, machine_options how = {},
           const nem::verify_options& options = test::without_hazards()) {
  running r("buffer x : DDR (size=256)\nbuffer y : L2 (size=256)\n" + body, how, options);
  r.machine.mark_bound(r.at("x"));
  r.machine.mark_bound(r.at("y"));
  raced out;
  out.done = r.run();
  out.messages = r.messages;
  return out;
}
std::string transfer(const std::string& to, const std::string& from, const std::string& rest = "") {
  return "transfer.async(dst=" + to + ", src=" + from + rest + ")\n";
}
std::string x(const std::string& at, int n) {
  return "region(x, " + at + ", " + std::to_string(n) + ")";
}
std::string y(const std::string& at, int n) {
  return "region(y, " + at + ", " + std::to_string(n) + ")";
}

}  // namespace

TEST_CASE("vm/nem/races: a task reads what another one writes", "[vm_nem]") {
  const raced r =
      race("a = " + transfer(y("0", 32), x("0", 32)) + "b = " + transfer(x("64", 16), y("24", 16)));
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.done.tasks == 1);  // the other one isn't executed
  CHECK(r.messages ==
        "RT-RACE at 'b': b reads bytes [24, 32) of y, which a writes; nothing orders the two"
        " | a writes bytes [0, 32) of y; deps=[a] or wait(a) orders the two | fix, deps=[a]\n");
}

TEST_CASE("vm/nem/races: a task writes what another one reads", "[vm_nem]") {
  const raced r =
      race("a = " + transfer(y("0", 32), x("0", 32)) + "b = " + transfer(x("31", 16), y("64", 16)));
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.messages ==
        "RT-RACE at 'b': b writes byte 31 of x, which a reads; nothing orders the two"
        " | a reads bytes [0, 32) of x; deps=[a] or wait(a) orders the two | fix, deps=[a]\n");
}

TEST_CASE("vm/nem/races: two tasks write the same bytes", "[vm_nem]") {
  const std::string a = "a = " + transfer(y("0", 32), x("0", 32));
  const raced r = race(a + transfer(y("8", 8), x("64", 8)));
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.messages ==
        "RT-RACE at 'transfer.async': the transfer writes bytes [8, 16) of y, which a writes; "
        "nothing "
        "orders the two | a writes bytes [0, 32) of y; deps=[a] or wait(a) orders the two | fix, "
        "deps=[a]\n");
  // Each way to order them.
  CHECK(race(a + transfer(y("8", 8), x("64", 8), ", deps=[a]")).messages.empty());
  CHECK(race(a + "wait(a)\n" + transfer(y("8", 8), x("64", 8))).messages.empty());
  CHECK(race(a + transfer(y("32", 8), x("64", 8))).messages.empty());  // or to part them
  CHECK(race("loop i in [0..0]:\n" + a + "endloop\n" + transfer(y("8", 8), x("64", 8)))
            .messages.empty());
}

TEST_CASE("vm/nem/races: iterations in flight together touch the same bytes", "[vm_nem]") {
  const auto ring = [](int in_flight, int slots) {
    return "loop i in [0..7] @max_in_flight(" + std::to_string(in_flight) + "):\n  t = " +
           transfer(y("(i mod " + std::to_string(slots) + ") * 16", 16), x("i * 16", 16)) +
           "endloop\n";
  };
  const raced r = race(ring(3, 2));
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.done.tasks == 2);
  CHECK(r.messages ==
        "RT-RACE at 't': t writes bytes [0, 16) of y where i is 2, and t writes the same where i "
        "is 0; "
        "@max_in_flight(3) lets these iterations overlap | t writes bytes [0, 16) of y; "
        "use @max_in_flight(2), or 3 regions chosen by i mod 3\n");
  CHECK(race(ring(2, 2)).messages.empty());
  CHECK(race(ring(3, 3)).done.tasks == 8);
}

TEST_CASE("vm/nem/races: texts name the iteration", "[vm_nem]") {
  const raced r =
      race("loop i in [0..3]:\n loop k in [0..1]:\n  a = " + transfer(y("16 * i", 16), x("0", 16)) +
           "  b = " + transfer(y("48 + k", 8), x("64", 8)) + " endloop\nendloop\n");
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.done.tasks == 13);
  CHECK(
      r.messages ==
      "RT-RACE at 'b': b writes bytes [48, 56) of y, which a writes; nothing orders the two where "
      "i is 3 and k is 0 | a writes bytes [48, 64) of y; deps=[a] or wait(a) orders the two | fix, "
      "deps=[a]\n");
}

TEST_CASE("vm/nem/races: the same race is found under every schedule", "[vm_nem]") {
  const std::string body =
      "loop i in [0..5] @max_in_flight(2):\n  a = " + transfer(y("i * 16", 17), x("i * 16", 17)) +
      "endloop\n";
  const std::string expected = race(body).messages;
  CHECK(expected.starts_with("RT-RACE at 'a': a writes byte 16 of y where i is 1, and a"));
  for (const auto order : {schedule::reverse, schedule::random}) {
    const raced r = race(body, {.schedule = order});
    CHECK(r.done.code == errc::nem_rt_race);
    CHECK(r.messages == expected);
  }
}

TEST_CASE("vm/nem/races: runs may go on", "[vm_nem]") {
  const std::string body = "a = " + transfer(y("0", 32), x("0", 32)) +
                           "b = " + transfer(y("8", 8), x("64", 8)) +
                           "c = " + transfer(y("16", 8), x("64", 8));
  const raced r = race(body, {.keep_going = true});
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.done.tasks == 3);
  CHECK(r.messages.find("RT-RACE at 'b'") != std::string::npos);
  CHECK(r.messages.find("RT-RACE at 'c'") != std::string::npos);
}

TEST_CASE("vm/nem/races: when they are searched for", "[vm_nem]") {
  const std::string racy =
      "a = " + transfer(y("0", 32), x("0", 32)) + "b = " + transfer(y("8", 8), x("64", 8));
  CHECK(race(racy, {.races = race_search::never}).done.code == errc::ok);
  CHECK(race(racy, {.races = race_search::always}).done.code == errc::nem_rt_race);

  // Iterations that verification left out.
  nem::verify_options few;
  few.max_instances = 20;
  const std::string late = "loop i in [0..63] @max_in_flight(2):\n  a = " +
                           transfer(y("(i - (i / 51) * (1 - i / 52)) * 4", 4), x("i * 4", 4)) +
                           "endloop\n";  // i * 4, but for i = 51
  const raced r = race(late, {}, few);
  CHECK(r.done.code == errc::nem_rt_race);
  CHECK(r.done.tasks == 51);
  CHECK(r.messages.find(
            "a writes bytes [200, 204) of y where i is 51, and a writes the same where i is "
            "50") != std::string::npos);
  CHECK(race(late, {.races = race_search::never}, few).done.tasks == 64);

  // A rewrite of the same bytes is a warning.
  const raced same =
      race("loop i in [0..3] @max_in_flight(2):\n  a = " + transfer(y("0", 16), x("0", 16)) +
           "endloop\n");
  CHECK(same.done.code == errc::ok);
  CHECK(
      same.messages.starts_with("HAZ-003 at 'a': a writes the same data to bytes [0, 16) of y in "
                                "iterations that overlap | "));
}

TEST_CASE("vm/nem/races: programs say whether all hazards were searched for", "[vm_nem]") {
  const std::string body =
      "buffer x : DDR (size=64)\nbuffer y : L2 (size=64)\n"
      "loop i in [0..3]:\n" +
      transfer(y("0", 16), x("0", 16)) + "endloop\n";
  CHECK(test::verified(body).has_all_hazards());
  CHECK(!test::verified(body, test::without_hazards()).has_all_hazards());
  nem::verify_options few;
  few.max_instances = 1;
  CHECK(!test::verified(body, few).has_all_hazards());
}
