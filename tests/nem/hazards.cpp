// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/nem/detail/order/hazards.hpp"
#include "nem/verbs.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "tessera/nem/detail/device/load.hpp"
#include "tessera/nem/read.hpp"
#include "tessera/nem/visitor.hpp"

namespace nem = tessera::nem;

namespace {

/// What is found in a program, as "HAZ-001@2": the rule and the line. `after` has the notes and
/// fixes, `fixed` the source with the first fix.
struct outcome {
  std::set<std::string> found;
  std::string text, notes, fixed;
  std::uint64_t steps = 0, live = 0;
  std::uint32_t tasks = 0;
  friend bool operator==(const outcome& o, const std::set<std::string>& s) { return o.found == s; }
};

std::size_t line_of(std::string_view source, std::size_t offset) {
  return static_cast<std::size_t>(tessera::locate(source, offset).line);
}

/// Passes a walk on to the hazards and to an observer.
template <class Observer>
struct both : nem::visitor {
  nem::detail::hazards& h;
  Observer& o;
  both(nem::detail::hazards& hazards, Observer& observer) : h(hazards), o(observer) {}
  void loop(const nem::values& v, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    h.loop(v, node, first, last, in_flight);
    o.loop(v, node, first, last, in_flight);
  }
  void iteration(std::uint32_t node, std::int64_t value) {
    h.iteration(node, value);
    o.iteration(node, value);
  }
  void end_loop(std::uint32_t node) {
    h.end_loop(node);
    o.end_loop(node);
  }
  void wait(std::uint32_t node, tessera::view<std::uint32_t> tasks) {
    h.wait(node, tasks);
    o.wait(node, tasks);
  }
  void task(const nem::values& v, const nem::task& t) {
    h.task(v, t);
    o.task(v, t);
  }
};

template <class Observer>
outcome analyse(const std::string& source, Observer& observer, nem::verify_options options = {}) {
  tessera::report found;
  auto d = nem_test::read(source, {}, &found);
  for (const tessera::diagnostic& f : found.diagnostics) UNSCOPED_INFO(found.text_of(f.text));
  UNSCOPED_INFO(source.substr(0, 4000));
  REQUIRE(d);
  nem::detail::findings findings(&found, options.profile, options.max_diagnostics);
  nem::catalog types;
  std::uint32_t target = nem::no_index;
  nem::detail::load(*d, options, findings, types, target);
  nem::detail::context c{*d, options, findings, types,
                         target == nem::no_index ? nullptr : &types.devices[target]};
  nem::detail::hazards h(c);
  both<Observer> visitor(h, observer);
  (void)nem::detail::walker<both<Observer>, true>(c, visitor, options.max_instances).run();
  h.finish();
  findings.close();
  outcome o;
  o.fixed = source;
  bool is_fixed = false;
  for (const tessera::diagnostic& f : found.diagnostics) {
    const std::string rule(nem::rule(f.code).id());
    if (rule.substr(0, 3) != "HAZ" && rule != "CAP-003") continue;
    o.found.insert(rule + "@" + std::to_string(line_of(source, f.where.offset)));
    o.text += rule + " " + std::string(found.text_of(f.text)) + "\n";
    if (f.has_note) {
      const std::string line =
          f.related.length == 0 ? "" : std::to_string(line_of(source, f.related.offset)) + ": ";
      o.notes += line + std::string(found.text_of(f.note)) + "\n";
    }
    if (f.has_fix && !is_fixed) {
      is_fixed = true;
      o.fixed = source.substr(0, f.fix.offset) + std::string(found.text_of(f.replacement)) +
                source.substr(f.fix.offset + f.fix.length);
    }
  }
  o.steps = h.order().spent();
  o.live = h.order().max_live();
  o.tasks = h.order().size();
  return o;
}
outcome analyse(const std::string& source, nem::verify_options options = {}) {
  nem::visitor nobody;
  return analyse(source, nobody, options);
}

using rules = std::set<std::string>;

/// Line 1 has buffers; L1 is written, so that reading it is no HAZ-006. The program begins in line 2.
const std::string memory =
    "buffer A : L2 (size=256) buffer C : L2 (size=256) buffer B : L1 (size=256)\n";

std::string copy(const std::string& to, const std::string& from, const std::string& more = "") {
  return "transfer.async(dst=region(" + to + "), src=region(" + from + ")" + more + ")";
}

}  // namespace

TEST_CASE("nem/hazards: HAZ-001, two tasks of one path", "[nem]") {
  const std::string first = memory + "t = " + copy("C, 0, 8", "A, 0, 8") + "\n";
  SECTION("read after write") {
    const outcome o = analyse(first + "u = " + copy("A, 64, 8", "C, 4, 8") + "\n");
    CHECK(o == rules{"HAZ-001@3"});
    CHECK(o.text == "HAZ-001 u reads bytes [4, 8) of C, which t writes; nothing orders the two\n");
    CHECK(o.notes == "2: t writes bytes [0, 8) of C; deps=[t] or wait(t) orders the two\n");
    CHECK(o.fixed == first + "u = " + copy("A, 64, 8", "C, 4, 8", ", deps=[t]") + "\n");
    CHECK(analyse(o.fixed) == rules{});
  }
  SECTION("write after read, of one byte") {
    const outcome o = analyse(first + copy("A, 7, 9", "C, 64, 9"));
    CHECK(o == rules{"HAZ-001@3"});
    CHECK(o.text ==
          "HAZ-001 the transfer writes byte 7 of A, which t reads; nothing orders the two\n");
    CHECK(analyse(o.fixed) == rules{});
  }
  SECTION("write after write") {
    CHECK(analyse(first + copy("C, 0, 8", "A, 64, 8")) == rules{"HAZ-001@3"});
    CHECK(analyse(first + copy("C, 0, 8", "A, 0, 8")) == rules{"HAZ-001@3"});
  }
  SECTION("what orders them") {
    const std::string second = copy("A, 64, 8", "C, 0, 8");
    CHECK(analyse(first + "wait(t)\n" + second) == rules{});
    CHECK(analyse(first + "m = " + copy("C, 128, 8", "A, 128, 8", ", deps=[t]") + "\n" +
                  copy("A, 64, 8", "C, 0, 8", ", deps=[m]")) == rules{});
    CHECK(analyse(memory + "transfer.sync(dst=region(C, 0, 8), src=region(A, 0, 8))\n" + second) ==
          rules{});
    CHECK(analyse(first + "m = " + copy("C, 128, 8", "A, 128, 8", ", deps=[t]") + "\nwait(m)\n" +
                  second) == rules{});
    CHECK(analyse(first + "m = " + copy("C, 128, 8", "A, 128, 8") + "\nwait(m)\n" + second) ==
          rules{"HAZ-001@5"});
  }
  SECTION("of more than 4 GiB") {
    const outcome o =
        analyse("buffer A : DDR (size=8589934592) buffer C : DDR (size=8589934592)\nt = " +
                copy("C, 8, 8589934584", "A, 8, 8589934584") +
                "\nu = " + copy("A, 0, 8", "C, 8589934584, 8") + "\n" + copy("A, 0, 8", "C, 0, 8"));
    CHECK(o.text ==
          "HAZ-001 u reads bytes [8589934584, 8589934592) of C, which t writes; nothing orders the "
          "two\nHAZ-001 the transfer writes bytes [0, 8) of A, which u writes; nothing orders the "
          "two\n");
  }
  SECTION("what needs no order") {
    CHECK(analyse(first + copy("C, 8, 8", "A, 0, 8")) == rules{});
    CHECK(analyse(first + copy("B, 0, 8", "A, 4, 8")) == rules{});
  }
  SECTION("fixes") {
    const std::string middle = "m = " + copy("B, 0, 8", "A, 128, 8") + "\n";
    outcome o = analyse(first + middle + copy("A, 64, 8", "C, 0, 8", ", deps=[m]"));
    CHECK(o.fixed == first + middle + copy("A, 64, 8", "C, 0, 8", ", deps=[m, t]"));
    o = analyse(first + copy("A, 64, 8", "C, 0, 8", ", deps=[ ]"));
    CHECK(o.fixed == first + copy("A, 64, 8", "C, 0, 8", ", deps=[ t]"));
    o = analyse(first + "store.async(deps=[], src=region(C, 0, 8), dst=region(A, 64, 8))");
    CHECK(analyse(o.fixed) == rules{});
    o = analyse(first + "store.async(src=region(C, 0, 8), dst=region(A, 64, 8) @writeonly)");
    CHECK(o.fixed ==
          first + "store.async(src=region(C, 0, 8), dst=region(A, 64, 8) @writeonly, deps=[t])");
    const std::string x = "region(C, 0, 8) elem=f16, shape=[4], layout=C";
    const std::string y = "region(A, 64, 8) elem=f16, shape=[4], layout=C";
    o = analyse(first + "relu.async in " + x + " out " + y + "\nlet N = 1\n");
    CHECK(o.fixed == first + "relu.async in " + x + " out " + y + " deps=[t]\nlet N = 1\n");
    CHECK(analyse(o.fixed) == rules{});
    o = analyse(first + "softmax.async in " + x + " out " + y +
                " @materialized axis=0 @debug(\"a\")");
    CHECK(analyse(o.fixed) == rules{});
    const std::string none = first + "relu.async in " + x + " out " + y + " @resource(VPU[0])";
    o = analyse(none);
    CHECK(o == rules{"HAZ-001@3"});
    CHECK(o.fixed == none);
    const std::string inner =
        first + "loop i in [0..1]:\n" + copy("A, 64, 8", "C, 0, 8") + " endloop";
    o = analyse(inner);
    CHECK(o == rules{"HAZ-001@4"});
    CHECK(o.fixed == inner);
  }
  SECTION("an error of a token is not that of an order") {
    CHECK(analyse(first + copy("A, 64, 8", "C, 0, 8", ", deps=[typo]")) == rules{});
    CHECK(analyse(first + "wait(typo)\n" + copy("A, 64, 8", "C, 0, 8")) == rules{});
    CHECK(analyse(first + "m = " + copy("B, 0, 8", "A, 128, 8") + "\n" +
                  copy("A, 64, 8", "C, 0, 8", ", deps=[m, m]")) == rules{"HAZ-001@4"});
  }
}

TEST_CASE("nem/hazards: HAZ-001 names all tasks and the fewest deps", "[nem]") {
  const auto token = [](const std::string& t, const std::string& rest) { return t + " = " + rest; };
  const std::string use = copy("A, 64, 32", "C, 0, 32") + "\n";
  const std::string t = token("t", copy("C, 0, 8", "A, 0, 8") + "\n");
  const std::string v = token("v", copy("C, 8, 8", "A, 0, 8") + "\n");
  SECTION("the last of a chain is enough") {
    const std::string w = token("w", copy("C, 16, 8", "A, 0, 8", ", deps=[v]") + "\n");
    const outcome o = analyse(memory + t + v + w + token("u", use));
    CHECK(o == rules{"HAZ-001@5"});
    CHECK(o.text ==
          "HAZ-001 u reads bytes [0, 8) of C, which t writes; nothing orders the two; u also "
          "conflicts with v, w\n");
    CHECK(o.notes == "2: t writes bytes [0, 8) of C; deps=[t, w] orders u after all of them\n");
    CHECK(o.fixed ==
          memory + t + v + w + token("u", copy("A, 64, 32", "C, 0, 32", ", deps=[t, w]")) + "\n");
    CHECK(analyse(o.fixed) == rules{});
  }
  SECTION("one of two is enough: the first pair is named, another task is the dep") {
    const std::string w = token("w", copy("C, 16, 8", "A, 0, 8", ", deps=[t]") + "\n");
    const outcome o = analyse(memory + t + w + token("u", use));
    CHECK(o.notes == "2: t writes bytes [0, 8) of C; deps=[w] orders u after all of them\n");
    CHECK(analyse(o.fixed) == rules{});
  }
  SECTION("tasks without a token") {
    const std::string w = copy("C, 16, 8", "A, 0, 8") + "\n",
                      x = copy("C, 24, 8", "A, 0, 8") + "\n";
    outcome o = analyse(memory + t + w + use);
    CHECK(o.text ==
          "HAZ-001 the transfer reads bytes [0, 8) of C, which t writes; nothing orders the two; "
          "the transfer also conflicts with 1 task without a token\n");
    CHECK(o.notes ==
          "2: t writes bytes [0, 8) of C; deps=[t], and a token for each of the others, order the "
          "transfer after all of them\n");
    CHECK(o.fixed == memory + t + w + use);
    o = analyse(memory + w + x + use);
    CHECK(
        o.notes ==
        "2: the transfer writes bytes [16, 24) of C; give each of them a token and wait for it\n");
    o = analyse(memory + copy("C, 0, 4", "A, 0, 4") + "\n" + v + x + use);
    CHECK(o.text.ends_with("conflicts with v and 1 task without a token\n"));
  }
  SECTION("no more than eight are listed, and no more than 64 are deps") {
    const auto writers = [&](int n) {
      std::string s = memory;
      for (int i = 0; i < n; ++i)
        s += token("t" + std::to_string(i), copy("C, " + std::to_string(i) + ", 1", "A, 0, 1")) +
             "\n";
      return s + copy("A, 128, 128", "C, 0, 128");
    };
    outcome o = analyse(writers(9));
    CHECK(o.text.ends_with("conflicts with t1, t2, t3, t4, t5, t6, t7, t8\n"));
    CHECK(
        o.notes.ends_with("deps=[t0, t1, t2, t3, t4, t5, t6, t7, ...] orders the transfer after "
                          "all of them\n"));
    CHECK(analyse(o.fixed) == rules{});
    o = analyse(writers(10));
    CHECK(o.text.ends_with("t7, t8 and 1 more task\n"));
    o = analyse(writers(64));
    CHECK(o.text.ends_with("t7, t8 and 55 more tasks\n"));
    CHECK(analyse(o.fixed) == rules{});
    o = analyse(writers(65));
    CHECK(o.fixed == writers(65));
  }
}

TEST_CASE("nem/hazards: the deps that HAZ-001 suggests are enough, and none is too many", "[nem]") {
  std::uint64_t state = 7;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  std::size_t fixes = 0;
  for (int round = 0; round < 40; ++round) {
    std::string source = memory;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const std::string deps =
          i != 0 && random(3) == 0 ? ", deps=[t" + std::to_string(random(i)) + "]" : "";
      const std::string to = (random(2) == 0 ? "A, " : "C, ") + std::to_string(8 * random(8));
      const std::string from = "A, " + std::to_string(128 + 8 * random(8));
      source += "t" + std::to_string(i) + " = " + copy(to + ", 32", from + ", 32", deps) + "\n";
    }
    // Findings are fixed from the first task on, so that those before it have their order.
    for (outcome o = analyse(source); o.fixed != source; o = analyse(source)) {
      const std::string before = *o.found.begin();
      source = o.fixed;
      CHECK(analyse(source).found.count(before) == 0);
      ++fixes;
    }
    CHECK(analyse(source) == rules{});
  }
  CHECK(fixes > 100);
}

TEST_CASE("nem/hazards: loops join, and order nothing that came before them", "[nem]") {
  const std::string first = memory + "t = " + copy("C, 0, 8", "A, 0, 8") + "\n";
  const std::string use = copy("A, 64, 8", "C, 0, 8");
  CHECK(analyse(first + "loop i in [0..1]:\n" + use + " endloop") == rules{"HAZ-001@4"});
  CHECK(analyse(first + "wait(t)\nloop i in [0..1]:\n" + use + " endloop") == rules{});
  CHECK(analyse(memory + "loop i in [0..3] @max_in_flight(4):\n" + copy("C, 8*i, 8", "A, 0, 8") +
                " endloop\n" + copy("A, 64, 8", "C, 8, 8")) == rules{});
  // A wait of an iteration holds for the rest of it, and after the loop if a task came after it.
  CHECK(analyse(first + "loop i in [0..1]:\nwait(t)\n" + use + " endloop\n" + use) == rules{});
  CHECK(analyse(first + "loop i in [0..1]:\nwait(t) endloop\n" + use) == rules{"HAZ-001@5"});
  CHECK(analyse(first + "loop i in [0..1]:\n" + copy("B, 0, 8", "A, 0, 8", ", deps=[t]") +
                " endloop\n" + use) == rules{});
  CHECK(analyse(first + "loop i in [0..1]:\n" + copy("B, 0, 8", "A, 0, 8") + "\nwait(t) endloop\n" +
                use) == rules{"HAZ-001@6"});
}

TEST_CASE("nem/hazards: HAZ-002, iterations in flight together", "[nem]") {
  const auto ring = [](int slots, int in_flight) {
    const std::string slot = "(i mod " + std::to_string(slots) + ")*8";
    return memory + "loop i in [0..7] @max_in_flight(" + std::to_string(in_flight) +
           "):\nt = " + copy("B, " + slot + ", 8", "A, i*8, 8") +
           "\nu = store.async(dst=region(C, i*8, 8), " + "src=region(B, " + slot +
           ", 8), deps=[t])\nendloop\n";
  };
  for (int slots = 1; slots <= 4; ++slots)
    for (int n = 1; n <= 4; ++n) {
      CAPTURE(slots, n);
      if (n <= slots)
        CHECK(analyse(ring(slots, n)) == rules{});
      else
        CHECK(analyse(ring(slots, n)) == rules{"HAZ-002@3", "HAZ-002@4"});
    }
  const outcome o = analyse(ring(2, 3));
  CHECK(o.text ==
        "HAZ-002 t writes bytes [0, 8) of B where i is 2, and t writes the same where i is 0; "
        "@max_in_flight(3) lets these iterations overlap\n"
        "HAZ-002 u reads bytes [0, 8) of B where i is 2, and t writes the same where i is 0; "
        "@max_in_flight(3) lets these iterations overlap\n");
  CHECK(o.notes.substr(0, o.notes.find('\n')) ==
        "3: t writes bytes [0, 8) of B; use @max_in_flight(2), or 3 regions "
        "chosen by i mod 3");
}

TEST_CASE("nem/hazards: HAZ-003, copies of the same bytes", "[nem]") {
  const auto loop = [](const std::string& body, int n = 2) {
    return "loop i in [0..3] @max_in_flight(" + std::to_string(n) + "):\n" + body + "\nendloop\n";
  };
  const std::string load = "t = " + copy("B, 0, 8", "A, 0, 8");
  const std::string use = "\nstore.async(dst=region(C, i*8, 8), src=region(B, 0, 8), deps=[t])";
  outcome o = analyse(memory + loop(load + use));
  CHECK(o == rules{"HAZ-003@3"});
  CHECK(o.text ==
        "HAZ-003 t writes the same data to bytes [0, 8) of B in iterations that overlap\n");
  CHECK(o.notes == "2: the data doesn't change in the loop over i; copy it once before the loop\n");
  CHECK(analyse(memory + loop(load + use, 1)) == rules{});
  // A reader that isn't after a copy may read what was there before.
  CHECK(
      analyse(memory + loop(load + "\nstore.async(dst=region(C, i*8, 8), src=region(B, 0, 8))")) ==
      rules{"HAZ-001@4", "HAZ-002@3", "HAZ-002@4", "HAZ-003@3"});
  // The source differs.
  CHECK(analyse(memory + loop("t = " + copy("B, 0, 8", "A, i*8, 8") + use)) ==
        rules{"HAZ-002@3", "HAZ-002@4"});
  // The source is written in each iteration.
  CHECK(analyse(memory + loop(load + "\n" + copy("A, 0, 8", "C, 128, 8", ", deps=[t]"))) ==
        rules{"HAZ-002@3", "HAZ-003@4"});
  // Another statement writes there, too.
  CHECK(analyse(memory + loop(load + "\n" + copy("B, 0, 8", "A, 8, 8", ", deps=[t]"))) ==
        rules{"HAZ-002@3", "HAZ-003@4"});
  // A part of the bytes is a copy's, the rest isn't: only the copy's are rewritten.
  CHECK(analyse(memory + copy("B, 8, 8", "C, 0, 8") + "\n" +
                loop(load + "\nstore.async(dst=region(C, 64 + i*16, 16), src=region(B, 0, 16), "
                            "deps=[t])")) == rules{"HAZ-001@5", "HAZ-003@4"});
}

TEST_CASE("nem/hazards: HAZ-004, outputs over inputs", "[nem]") {
  const auto at = [](const std::string& where) {
    return "region(C, " + where + ") elem=f16, shape=[4], layout=C";
  };
  for (const std::string in_place : {"relu", "clamp", "softmax", "rmsnorm", "reshape"}) {
    CAPTURE(in_place);
    CHECK(analyse(memory + in_place + ".async in " + at("0, 8") + " out " + at("0, 8")) == rules{});
    CHECK(analyse(memory + in_place + ".async in " + at("0, 8") + " out " + at("4, 8")) ==
          rules{"HAZ-004@2"});
    CHECK(analyse(memory + in_place + ".async in " + at("0, 8") + " out " + at("8, 8")) == rules{});
  }
  for (const std::string moving : {"gather", "gemm", "transpose", "cast", "maxpool", "argmax"}) {
    CAPTURE(moving);
    CHECK(analyse(memory + moving + ".async in " + at("64, 8") + ", " + at("0, 8") + " out " +
                  at("0, 8")) == rules{"HAZ-004@2"});
  }
  const outcome o =
      analyse(memory + "add.async in " + at("0, 8") + ", " + at("4, 8") + " out " + at("0, 8"));
  CHECK(o.text ==
        "HAZ-004 the output overlaps an input of its task: bytes [4, 8) of C; add may only "
        "write all of it in place\n");
  CHECK(o.notes == "2: the input is bytes [4, 12) of C\n");
}

TEST_CASE("nem/hazards: HAZ-006, bytes of an L1 that nothing wrote", "[nem]") {
  const auto use = [](const std::string& bytes) {
    return "store.async(dst=region(A, 64, 8), src=region(B, " + bytes + "))\n";
  };
  const std::string load = memory + "transfer.sync(dst=region(B, 8, 8), src=region(A, 0, 8))\n";
  CHECK(analyse(load + use("8, 8")) == rules{});
  CHECK(analyse(load + use("12, 4")) == rules{});
  outcome o = analyse(load + use("8, 9"));
  CHECK(o == rules{"HAZ-006@3"});
  CHECK(o.text ==
        "HAZ-006 the store reads bytes [8, 17) of B, and no earlier task writes byte 16\n");
  CHECK(analyse(load + use("7, 4")) == rules{"HAZ-006@3"});
  CHECK(analyse(memory + use("0, 8")) == rules{"HAZ-006@2"});
  CHECK(analyse(memory + copy("A, 0, 8", "C, 0, 8")) == rules{});  // L2 may be the host's
  // What a race is reported for isn't unwritten.
  CHECK(analyse(memory + copy("B, 0, 8", "A, 0, 8") + "\n" + use("0, 8")) == rules{"HAZ-001@3"});
  // Nor is what iterations that were left out may have written.
  nem::verify_options few;
  few.max_instances = 20;
  const std::string all =
      "buffer A : L2 (size=8000) buffer B : L1 (size=8000)\n"
      "loop i in [0..999]:\ntransfer.sync(dst=region(B, i*8, 8), "
      "src=region(A, i*8, 8)) endloop\n"
      "store.async(dst=region(A, 0, 8000), src=region(B, 0, 8000))";
  CHECK(analyse(all) == rules{});
  CHECK(analyse(all, few) == rules{"HAZ-005@2"});
}

TEST_CASE("nem/hazards: CAP-003, tokens that may be live at once", "[nem]") {
  const std::string device =
      "include \"npm_baseline_1.0.nem\" device small extends npm_baseline_1_0 { topology { "
      "num_engines = 1 l2_size_bytes = 65536 device_units { sDMA = 1 } per_engine { NMU = 1 CSTL = "
      "1 "
      "DMA = 1 VPU = 1 SEQ = 1 l1_size_bytes = 32768 } } unit_characteristics { SEQ { "
      "max_active_tokens = 4 } } } program p: ";
  const auto tasks = [](int first, int count) {
    std::string all;
    for (int i = first; i < first + count; ++i)
      all += "t" + std::to_string(i) + " = " +
             copy("C, " + std::to_string(4 * i) + ", 4", "A, " + std::to_string(4 * i) + ", 4") +
             "\n";
    return all;
  };
  CHECK(analyse(device + memory + tasks(0, 4)) == rules{});
  const outcome o = analyse(device + memory + tasks(0, 6));
  CHECK(o == rules{"CAP-003@6"});
  CHECK(o.text ==
        "CAP-003 up to 6 tokens can be live at once, small has SEQ.max_active_tokens = 4\n");
  CHECK(analyse(memory + tasks(0, 6)) == rules{});  // no target
  CHECK(analyse(device + memory + tasks(0, 4) + "wait(t1)\n" + tasks(4, 1)) == rules{});
  CHECK(analyse(memory + tasks(0, 6)).live == 6);
  // Iterations in flight count together, those that retired don't.
  const auto loop = [&](int n, const std::string& body) {
    return memory + "loop i in [0..5] @max_in_flight(" + std::to_string(n) + "):\n" + body +
           "endloop\n";
  };
  CHECK(analyse(loop(1, tasks(0, 2))).live == 2);
  CHECK(analyse(loop(2, tasks(0, 2))).live == 4);
  CHECK(analyse(loop(3, tasks(0, 2) + "wait(t0, t1)\n" + tasks(2, 1))).live == 6);
  CHECK(analyse(loop(100, tasks(0, 2))).live == 12);
  CHECK(analyse(loop(2, tasks(0, 1)) + tasks(1, 1)).live == 2);
  CHECK(analyse(loop(1, tasks(0, 1) + "loop k in [0..4] @max_in_flight(3):\n" + tasks(1, 1) +
                            "endloop\n"))
            .live == 4);
  CHECK(analyse(loop(2, tasks(0, 1) + "loop k in [0..4] @max_in_flight(3):\n" + tasks(1, 1) +
                            "endloop\n"))
            .live == 8);
  // An outer token that iterations wait for isn't live after that wait.
  CHECK(analyse(memory + tasks(0, 1) + "loop i in [0..4]:\nwait(t0)\n" + tasks(1, 2) + "endloop\n")
            .live == 2);
}

namespace {

/// Remembers all of a program, to find its races by the definition.
struct recorder : nem::visitor {
  struct iteration_instance {
    int loop_run, parent;
    std::int64_t value;
  };
  struct run {
    int iteration;  // in which it runs
    std::int64_t in_flight;
    std::size_t end = ~std::size_t{0};  // how many tasks were issued at its end
  };
  struct event {
    int iteration;
    std::size_t at;  // tasks that were issued before
    std::vector<std::uint32_t> tasks;
  };
  struct range {
    std::uint32_t buffer;
    std::int64_t first, last;
    bool is_write, is_l1;
  };
  struct instance {
    int iteration;
    std::uint32_t node;
    std::vector<std::uint32_t> deps;
    std::vector<range> ranges;
    bool is_copy;
  };
  std::vector<iteration_instance> iterations{{-1, -1, 0}};
  std::vector<run> runs;
  std::vector<int> running;
  std::vector<event> events;
  std::vector<instance> tasks;
  int here = 0;

  void loop(const nem::values&, std::uint32_t, std::int64_t, std::int64_t, std::int64_t n) {
    running.push_back(static_cast<int>(runs.size()));
    runs.push_back({here, n});
  }
  void iteration(std::uint32_t, std::int64_t value) {
    const int r = running.back();
    here = static_cast<int>(iterations.size());
    iterations.push_back({r, runs[static_cast<std::size_t>(r)].iteration, value});
  }
  void end_loop(std::uint32_t) {
    run& r = runs[static_cast<std::size_t>(running.back())];
    r.end = tasks.size();
    here = r.iteration;
    running.pop_back();
  }
  void wait(std::uint32_t, tessera::view<std::uint32_t> t) {
    events.push_back({here, tasks.size(), {t.begin(), t.end()}});
  }
  void task(const nem::values& v, const nem::task& t) {
    instance i{
        here, t.node, {}, {}, t.opcode == nem::opcode::transfer || t.opcode == nem::opcode::store};
    for (const std::uint32_t d : v.tasks_before(t)) i.deps.push_back(d);
    const auto add = [&](const nem::operand& o, bool is_write) {
      const nem::region& r = v.regions[o.region];
      const nem::buffer& b = v.buffers[r.buffer];
      i.ranges.push_back(
          {b.node, r.offset, r.offset + r.extent, is_write, b.level == nem::level::l1});
    };
    for (const nem::operand& o : v.inputs(t)) add(o, false);
    for (const nem::operand& o : v.outputs(t)) add(o, true);
    tasks.push_back(i);
    if (t.mode == nem::mode::sync)
      events.push_back({here, tasks.size(), {static_cast<std::uint32_t>(tasks.size() - 1)}});
  }

  // The definition ---------------------------------------------------------------------------------

  using index = std::size_t;
  std::vector<std::vector<bool>> before;  // before[q][p]

  /// Whether an iteration is `outer`, or inside of it.
  [[nodiscard]] bool is_in(int inner, int outer) const {
    for (; inner != outer; inner = iterations[static_cast<index>(inner)].parent)
      if (inner < 0) return false;
    return true;
  }
  [[nodiscard]] std::vector<int> path(int i) const {
    std::vector<int> all;
    for (; i >= 0; i = iterations[static_cast<index>(i)].parent) all.insert(all.begin(), i);
    return all;
  }
  [[nodiscard]] bool is_direct(index p, index q, bool by_deps = true) const {
    for (const std::uint32_t d : tasks[q].deps)
      if (by_deps && d == p) return true;
    for (const event& e : events)
      if (e.at <= q && is_in(tasks[q].iteration, e.iteration))
        for (const std::uint32_t t : e.tasks)
          if (t == p) return true;
    const std::vector<int> a = path(tasks[p].iteration), b = path(tasks[q].iteration);
    for (index d = 1; d < a.size(); ++d) {
      const iteration_instance& x = iterations[static_cast<index>(a[d])];
      const run& r = runs[static_cast<index>(x.loop_run)];
      if (q >= r.end && is_in(tasks[q].iteration, r.iteration)) return true;
      if (d >= b.size()) break;
      const iteration_instance& y = iterations[static_cast<index>(b[d])];
      if (x.loop_run != y.loop_run) break;
      if (x.value <= y.value - r.in_flight) return true;
    }
    return false;
  }
  void close() {
    before.assign(tasks.size(), std::vector<bool>(tasks.size()));
    for (index q = 0; q < tasks.size(); ++q)
      for (index p = q; p-- != 0;)
        if (before[q][p] || is_direct(p, q)) {
          before[q][p] = true;
          for (index k = 0; k < p; ++k)
            if (before[p][k]) before[q][k] = true;
        }
  }
  [[nodiscard]] bool touches(index t, std::uint32_t buffer, std::int64_t byte,
                             bool is_write) const {
    for (const range& r : tasks[t].ranges)
      if (r.buffer == buffer && r.first <= byte && byte < r.last && r.is_write == is_write)
        return true;
    return false;
  }
  /// The last write to a task's source before it, + 1.
  [[nodiscard]] index version(index t) const {
    const range& s = tasks[t].ranges[0];
    for (index w = t; w-- != 0;)
      for (const range& r : tasks[w].ranges)
        if (r.is_write && r.buffer == s.buffer && r.first < s.last && s.first < r.last)
          return w + 1;
    return 0;
  }
  [[nodiscard]] bool is_same_copy(index p, index q) const {
    if (!tasks[p].is_copy || !tasks[q].is_copy || tasks[p].node != tasks[q].node) return false;
    for (index i = 0; i < 2; ++i) {
      const range &a = tasks[p].ranges[i], &b = tasks[q].ranges[i];
      if (a.buffer != b.buffer || a.first != b.first || a.last != b.last) return false;
    }
    return version(p) == version(q);
  }
  /// Writes of a byte before `q` in the file that no later write supersedes.
  [[nodiscard]] std::vector<index> writes(std::uint32_t buffer, std::int64_t byte, index q) const {
    std::vector<index> all;
    for (index w = 0; w < q; ++w) {
      if (!touches(w, buffer, byte, true)) continue;
      bool is_last = true;
      for (index k = w + 1; k < q; ++k)
        if (before[k][w] && touches(k, buffer, byte, true)) is_last = false;
      if (is_last) all.push_back(w);
    }
    return all;
  }
  /// The copy that a reader sees, or its own index.
  [[nodiscard]] index feeder(std::uint32_t buffer, std::int64_t byte, index q) const {
    const std::vector<index> all = writes(buffer, byte, q);
    bool has_ordered = false;
    for (const index w : all) {
      if (!is_same_copy(all[0], w)) return q;
      has_ordered = has_ordered || before[q][w];
    }
    return has_ordered ? all[0] : q;
  }

  /// The most tasks that were issued and may not be complete when another one is issued, where
  /// iterations follow one another.
  [[nodiscard]] std::size_t max_live() const {
    std::size_t most = 0;
    for (index q = 0; q < tasks.size(); ++q) {
      std::vector<bool> is_complete(q);
      for (index p = 0; p < q; ++p) {
        if (!is_direct(p, q, false)) continue;
        is_complete[p] = true;
        for (index k = 0; k < p; ++k) is_complete[k] = is_complete[k] || before[p][k];
      }
      std::size_t live = 1;
      for (index p = 0; p < q; ++p) live += is_complete[p] ? 0u : 1u;
      most = live > most ? live : most;
    }
    return most;
  }

  struct verdict {
    std::set<std::string> all;     // rule and line
    std::set<std::string> errors;  // lines
    bool has_raw_error = false;    // counting pairs after a write, too
  };
  [[nodiscard]] verdict judge(const std::string& source, const nem::model& d) {
    close();
    verdict v;
    const auto add = [&](const std::string& rule, index q) {
      const std::string line = std::to_string(line_of(source, d.nodes[tasks[q].node].offset));
      v.all.insert(rule + "@" + line);
      if (rule == "HAZ-001" || rule == "HAZ-002") v.errors.insert(line);
    };
    for (index q = 0; q < tasks.size(); ++q)
      for (const range& r : tasks[q].ranges)
        for (std::int64_t byte = r.first; byte < r.last; byte += 4) {
          const std::uint32_t b = r.buffer;
          bool is_written = false;
          for (index p = 0; p < q; ++p) {
            const bool wrote = touches(p, b, byte, true);
            is_written = is_written || wrote;
            const bool reads = r.is_write && touches(p, b, byte, false);
            if (before[q][p] || (!wrote && !reads)) continue;
            bool is_behind = false;
            for (index k = p + 1; k < q; ++k)
              is_behind = is_behind || (before[k][p] && touches(k, b, byte, true));
            const bool is_same_path = is_in(tasks[q].iteration, tasks[p].iteration);
            std::string rule = is_same_path ? "HAZ-001" : "HAZ-002";
            if (!is_same_path) {
              if (!r.is_write) {
                if (feeder(b, byte, q) != q) rule = "";
              } else if (wrote ? is_same_copy(p, q)
                               : feeder(b, byte, p) != p && is_same_copy(feeder(b, byte, p), q)) {
                rule = "HAZ-003";
              }
            }
            if (rule.empty()) continue;
            if (rule != "HAZ-003") v.has_raw_error = true;
            if (!is_behind) add(rule, q);
          }
          if (!r.is_write && r.is_l1 && !is_written) add("HAZ-006", q);
        }
    return v;
  }
};

/// Small numbers that are the same everywhere.
struct numbers {
  std::uint32_t state;
  std::uint32_t below(std::uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % n;
  }
};

/// A small program: a task in each line, in loops that lie up to three deep.
struct writer {
  numbers n;
  std::string out;
  std::vector<std::string> tokens;
  std::vector<std::string> variables;
  int count = 0, loops = 0, budget = 0;
  std::uint32_t spread = 3;  // of offsets: how rarely tasks meet
  std::uint32_t most_in_flight = 3;

  // One number is taken in each statement, for operands are evaluated in any order.
  std::string region(std::uint32_t extent) {
    std::string s = "region(";
    s += "ABC"[n.below(3)];
    s += ", " + std::to_string(4 * n.below(spread));
    if (!variables.empty() && n.below(2) == 0) {
      s += " + (" + variables[n.below(static_cast<std::uint32_t>(variables.size()))];
      s += " mod " + std::to_string(1 + n.below(3));
      s += ")*" + std::to_string(4 * (1 + n.below(2)));
    }
    return s + ", " + std::to_string(extent) + ")";
  }
  std::string some_tokens() {
    std::string list;
    for (const std::string& t : tokens)
      if (n.below(3) == 0) list += (list.empty() ? "" : ", ") + t;
    return list;
  }
  void task() {
    const std::string token = "t" + std::to_string(count++);
    const std::string mode = n.below(6) == 0 ? ".sync" : ".async";
    const std::string deps = n.below(2) == 0 ? "deps=[" + some_tokens() + "]" : "";
    const bool has_token = n.below(4) != 0;
    if (has_token) out += token + " = ";
    const std::uint32_t extent = 4 * (1 + n.below(3));
    if (n.below(4) == 0) {
      const std::string type = " elem=f16, shape=[" + std::to_string(extent / 2) + "], layout=C";
      const std::string x = region(extent);
      const std::string y = n.below(2) == 0 ? x : region(extent);
      out += "relu" + mode + " in " + x + type + " out " + y + type + " " + deps + "\n";
    } else {
      out += n.below(3) == 0 ? "store" : "transfer";
      out += mode + "(dst=" + region(extent);
      out += ", src=" + region(extent);
      out += (deps.empty() ? "" : ", ") + deps + ")\n";
    }
    if (has_token) tokens.push_back(token);
  }
  void block(int depth) {
    const std::uint32_t statements = 1 + n.below(4);
    for (std::uint32_t i = 0; i < statements; ++i) {
      const std::uint32_t kind = n.below(8);
      if (kind == 0 && !some_tokens().empty()) {
        if (const std::string list = some_tokens(); !list.empty()) out += "wait(" + list + ")\n";
      } else if (kind <= 2 && depth < 3 && budget > 0) {
        --budget;
        const std::string v = "i" + std::to_string(loops++);
        out += "loop " + v + " in [0.." + std::to_string(n.below(6));
        out += "] @max_in_flight(" + std::to_string(1 + n.below(most_in_flight)) + "):\n";
        const std::size_t outer = tokens.size();
        variables.push_back(v);
        block(depth + 1);
        variables.pop_back();
        tokens.resize(outer);
        out += "endloop\n";
      } else {
        task();
      }
    }
  }
};

std::string lines(const std::set<std::string>& s) {
  std::string all;
  for (const std::string& x : s) all += x + " ";
  return all;
}

/// Checks that what was found is what the definition gives.
recorder::verdict compare(const std::string& source, const outcome& o, recorder& r) {
  auto d = nem_test::read(source);
  REQUIRE(d);
  recorder::verdict v = r.judge(source, *d);
  CAPTURE(source, lines(o.found), lines(v.all), o.text);
  std::set<std::string> errors;
  bool is_subset = true;
  for (const std::string& f : o.found) {
    is_subset = is_subset && (v.all.count(f) != 0 || f.substr(0, 7) == "HAZ-004");
    if (f.substr(0, 7) == "HAZ-001" || f.substr(0, 7) == "HAZ-002") errors.insert(f.substr(8));
  }
  CHECK(is_subset);
  CHECK(lines(errors) == lines(v.errors));
  for (const std::string& f : v.all)
    if (f[6] != '1' && f[6] != '2') CHECK(o.found.count(f) == 1);
  CHECK(errors.empty() != v.has_raw_error);
  return v;
}

/// A long program, nearly all tasks of which are complete `lag` tasks later.
std::string long_program(std::uint32_t seed, int tasks) {
  numbers n{seed * 7919};
  std::string out = "buffer A : L2 (size=256) buffer B : L1 (size=256) buffer C : L2 (size=256)\n";
  const auto region = [&n](std::uint32_t extent) {
    const std::string buffer(1, "ABC"[n.below(3)]);
    return "region(" + buffer + ", " + std::to_string(4 * n.below(56)) + ", " +
           std::to_string(extent) + ")";
  };
  const int lag = 3 + static_cast<int>(n.below(8));
  for (int i = 0; i < tasks; ++i) {
    const std::uint32_t extent = 4 * (1 + n.below(8));
    const std::string to = region(extent), from = region(extent);
    out += "t" + std::to_string(i) + " = transfer.async(dst=" + to + ", src=" + from;
    std::string deps;
    for (int k = i - 1; k >= 0 && k >= i - 2 * lag; --k)
      if (n.below(4) == 0) deps += (deps.empty() ? "t" : ", t") + std::to_string(k);
    out += (deps.empty() ? "" : ", deps=[" + deps + "]") + ") @memmove\n";
    if (i >= lag) out += "wait(t" + std::to_string(i - lag) + ")\n";
    // Each program has a loop, and every other one a task that isn't waited for.
    if (i == tasks / 2)
      out +=
          "loop k in [0..9] @max_in_flight(3):\nu = transfer.async(dst=region(C, (k mod 4) * 16, "
          "16), src=region(A, 0, 16))\nendloop\n";
    if (i == tasks * 2 / 3 && seed % 2 == 0)
      out += "x = transfer.async(dst=region(C, 240, 4), src=region(A, 0, 4))\n";
  }
  return out;
}

}  // namespace

TEST_CASE("nem/hazards: what the definition gives, on small programs", "[nem]") {
  int with_loops = 0, clean = 0, rewritten = 0, checked = 0;
  for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
    writer w{{seed * 7919},
             "buffer A : L2 (size=128) buffer B : L1 (size=128) buffer C : L2 (size=128)\n",
             {},
             {},
             0,
             0,
             3,
             seed % 3 == 0 ? 20u : 3u,
             seed % 4 == 0 ? 1u : 3u};
    w.block(0);
    w.block(0);
    recorder r;
    const outcome o = analyse(w.out, r);
    if (r.tasks.size() > 90) continue;
    ++checked;
    const recorder::verdict v = compare(w.out, o, r);
    if (w.most_in_flight == 1) CHECK(o.live == r.max_live());
    with_loops += r.runs.empty() ? 0 : 1;
    clean += v.errors.empty() ? 1 : 0;
    rewritten += lines(v.all).find("HAZ-003") != std::string::npos ? 1 : 0;
  }
  CHECK(checked > 1200);
  CHECK(with_loops > 400);
  CHECK(clean > 50);
  CHECK(rewritten > 20);
}

TEST_CASE("nem/hazards: what is complete is forgotten", "[nem]") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    const std::string source = long_program(seed, 330);
    recorder r;
    const outcome o = analyse(source, r);
    const recorder::verdict v = compare(source, o, r);
    CHECK(v.has_raw_error);
  }
}

namespace {

/// A program whose 3 * `tiles` tasks load, change and store tiles in a ring of L1 regions.
std::string tiled(int tiles, bool waits) {
  std::string s = "buffer A : L2 (size=" + std::to_string(64 * tiles) +
                  ") buffer C : L2 (size=" + std::to_string(64 * tiles) +
                  ") buffer B : L1 (size=65536)\n";
  for (int i = 0; i < tiles; ++i) {
    const std::string n = std::to_string(i), at = std::to_string(64 * i) + ", 64";
    const std::string slot = std::to_string(64 * (i % 1024)) + ", 64";
    const std::string type = " elem=f16, shape=[32], layout=C";
    const std::string x = "region(B, " + slot + ")" + type;
    s += "t" + n + " = " +
         copy("B, " + slot, "A, " + at,
              i < 1024 || waits ? "" : ", deps=[s" + std::to_string(i - 1024) + "]");
    s += "\nr" + n + " = relu.async in " + x + " out " + x + " deps=[t" + n + "]\ns" + n +
         " = store.async(dst=region(C, " + at + "), src=region(B, " + slot + "), deps=[r" + n +
         "])\n";
    if (waits && i >= 512) s += "wait(s" + std::to_string(i - 512) + ")\n";
  }
  return s;
}

}  // namespace

TEST_CASE("nem/hazards: steps are few, and bounded", "[nem]") {
  for (const bool waits : {true, false}) {
    CAPTURE(waits);
    const outcome small = analyse(tiled(2000, waits)), large = analyse(tiled(34000, waits));
    CHECK(large == rules{});
    CHECK(large.tasks == 102000);
    CHECK(large.steps < 25 * 102000);
    CHECK(large.steps / 17 <= small.steps * 13 / 10);
  }
  // All tasks of a program race with one another: 64 of them are remembered.
  std::string racing = memory;
  for (int i = 0; i < 20000; ++i) racing += copy("C, 0, 8", "A, 0, 8") + "\n";
  outcome o = analyse(racing);
  CHECK(o.steps < 100 * 20000);
  CHECK(o.found.size() == 1000);  // that is what the report keeps
  // Segments that are written together are one again.
  std::string parts = "buffer A : L2 (size=4000) buffer C : L2 (size=4000)\n";
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 1000; ++i)
      parts += "transfer.sync(dst=region(C, " + std::to_string(4 * ((i * 7) % 1000)) +
               ", 4), src=region(A, 0, 4))\n";
    for (int i = 0; i < 50; ++i)
      parts += "transfer.sync(dst=region(C, 0, 4000), src=region(A, 0, 4000))\n";
  }
  o = analyse(parts);
  CHECK(o == rules{});
  CHECK(o.steps < 20 * 21000);
}

TEST_CASE("nem/hazards: HAZ-005, no more steps", "[nem]") {
  nem::verify_options options;
  const std::string racing = memory + copy("C, 0, 8", "A, 0, 8") + "\n" +
                             copy("C, 16, 8", "A, 0, 8") + "\n" + copy("C, 32, 8", "A, 0, 8") +
                             "\n" + copy("C, 48, 8", "A, 0, 8") + "\n" + copy("C, 0, 8", "A, 0, 8");
  CHECK(analyse(racing) == rules{"HAZ-001@6"});
  const std::uint64_t all = analyse(racing).steps;
  options.hazard_steps = all + 1;
  CHECK(analyse(racing, options) == rules{"HAZ-001@6"});
  for (std::uint64_t steps = 1; steps <= all; ++steps) {
    CAPTURE(steps);
    options.hazard_steps = steps;
    const outcome o = analyse(racing, options);
    CHECK(lines(o.found).find("HAZ-005") != std::string::npos);
    CHECK(o.found.size() <= 2);
    CHECK(o.steps <= steps);
  }
  // Loops go on being walked when nothing more is searched for.
  options.hazard_steps = 3;
  CHECK(analyse(memory + "loop i in [0..3]:\nloop k in [0..3] @max_in_flight(2):\n" +
                    copy("C, 0, 8", "A, 0, 8") + "\nendloop\nendloop\n",
                options) == rules{"HAZ-005@4"});
}
