// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "nem/verbs.hpp"
#include "nem/verified.hpp"

using nem_test::check;
using nem_test::verified;
namespace nem = tessera::nem;

namespace {

constexpr char regions[] =
    "buffer M : DDR (size=4096)\nbuffer N : DDR (size=4096)\n"
    "let X = region(M, 0, 8)\nlet Y = region(N, 0, 8)\n";

/// Records its calls.
struct recorder : nem::visitor {
  void loop(const nem::values&, std::uint32_t, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    log += "[" + std::to_string(first) + ".." + std::to_string(last) + "x" +
           std::to_string(in_flight) + " ";
  }
  void iteration(std::uint32_t, std::int64_t value) { log += std::to_string(value) + ": "; }
  void end_loop(std::uint32_t) { log += "] "; }
  void wait(std::uint32_t, tessera::view<std::uint32_t> tasks) {
    log += "wait";
    for (const std::uint32_t t : tasks) log += " " + std::to_string(t);
    log += "; ";
  }
  void task(const nem::values& v, const nem::task& t) {
    log += "#" + std::to_string(t.index) + " " + std::string(name(t.opcode)) + "." +
           std::string(name(t.mode));
    for (const nem::operand& o : v.inputs(t)) log += " " + place(v, o);
    log += " >";
    for (const nem::operand& o : v.outputs(t)) log += " " + place(v, o);
    for (const std::uint32_t d : v.tasks_before(t)) log += " after " + std::to_string(d);
    log += "; ";
    ++count;
  }
  static std::string place(const nem::values& v, const nem::operand& o) {
    const nem::region& r = v.regions[o.region];
    return std::to_string(v.buffers[r.buffer].name) + "@" + std::to_string(r.offset);
  }
  [[nodiscard]] bool stopped() const { return count >= most; }

  std::string log;
  std::uint64_t count = 0, most = ~std::uint64_t{0};
};

nem::program program_of(const std::string& source, nem::verify_options options = {}) {
  tessera::report found;
  auto d = nem_test::read(source, {}, &found);
  for (const tessera::diagnostic& f : found.diagnostics) UNSCOPED_INFO(found.text_of(f.text));
  REQUIRE(d);
  auto p = nem_test::verify(std::move(*d), options, &found);
  for (const tessera::diagnostic& f : found.diagnostics) UNSCOPED_INFO(found.text_of(f.text));
  REQUIRE(p);
  return std::move(*p);
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("nem/walk: what visitors get, in order", "[nem]") {
  const nem::program p =
      program_of(std::string(regions) +
                 "a = transfer.async(dst=X, src=Y)\n"
                 "b = store.sync(dst=region(M, 8, 8), src=region(N, 16, 8), deps=[a])\n"
                 "wait(b, a)\n"
                 "loop i in [2..3] @max_in_flight(2):\n"
                 "  let R = region(M, 100 * i, 8)\n"
                 "  t = transfer.async(dst=R, src=Y, deps=[a, b])\n"
                 "  loop j in [i..3]:\n"
                 "    u = transfer.sync(dst=region(M, 100 * i, 8), src=region(N, j, 8), deps=[t])\n"
                 "  endloop\n"
                 "endloop\n"
                 "relu.sync in region(M, 0, 8) elem=i8, shape=[8], layout=C out region(M, 64, 8) "
                 "elem=i8, shape=[8], layout=C deps=[a]\n");
  recorder r;
  nem::for_each_task(p, r);
  CHECK(
      r.log ==
      "#0 transfer.async 1@0 > 0@0; #1 store.sync 1@16 > 0@8 after 0; wait 1 0; "
      "[2..3x2 2: #2 transfer.async 1@0 > 0@200 after 0 after 1; "
      "[2..3x1 2: #3 transfer.sync 1@2 > 0@200 after 2; 3: #4 transfer.sync 1@3 > 0@200 after 2; ] "
      "3: #5 transfer.async 1@0 > 0@300 after 0 after 1; "
      "[3..3x1 3: #6 transfer.sync 1@3 > 0@300 after 5; ] ] "
      "#7 relu.sync 0@0 > 0@64 after 0; ");
  CHECK(p.tasks() == 8);
  CHECK(p.iterations() == 5);
  CHECK_FALSE(p.is_partial());
  CHECK(p.target() == nullptr);
}

TEST_CASE("nem/walk: a visitor may stop", "[nem]") {
  nem::verify_options options;
  options.max_instances = 1000;
  options.proves = false;
  const nem::program p = program_of(std::string(regions) +
                                        "loop i in [0..999999999]: loop j in [0..999999999]: "
                                        "transfer.sync(dst=X, src=Y) endloop endloop",
                                    options);
  CHECK(p.is_partial());
  recorder r;
  r.most = 3;
  nem::for_each_task(p, r);
  CHECK(r.count == 3);
  CHECK(r.log ==
        "[0..999999999x1 0: [0..999999999x1 0: #0 transfer.sync 1@0 > 0@0; 1: #1 transfer.sync "
        "1@0 > 0@0; 2: #2 transfer.sync 1@0 > 0@0; ] ] ");
}

TEST_CASE("nem/walk: loops", "[nem]") {
  check({"LOP-001", "loop i in [3..^4 - 2]: endloop", "ends at 2, before its start at 3",
         "loop i in [3..4 - 1]: endloop"});
  check({"LOP-001", "loop i in [1..3]: loop j in [i..^2]: endloop endloop",
         "ends at 2, before its start at 3",
         "loop i in [1..2]: loop j in [i..2]: endloop endloop"});
  CHECK(verified("loop i in [0-9223372036854775807-1..0-9223372036854775807]: let a = i endloop")
            .iterations == 2);
  const auto o =
      verified("loop i in [9223372036854775806..9223372036854775807]: let a = i endloop");
  CHECK(o.is_valid);
  CHECK(o.iterations == 2);
  nem::verify_options few;
  few.max_instances = 1000;
  few.proves = false;
  const auto all =
      verified("loop i in [0-9223372036854775807-1..9223372036854775807]: let a = i endloop", few);
  CHECK(all.is_valid);
  CHECK(all.is_partial);
  CHECK(all.has("HAZ-005"));
}

TEST_CASE("nem/walk: beyond the budget, first and last iterations", "[nem]") {
  const std::string source = std::string(regions) +
                             "loop i in [0..999]: transfer.sync(dst=X, src=Y) endloop\n"
                             "loop i in [0..99] @max_in_flight(3): transfer.sync(dst=region(M, 8 * "
                             "i, 8), src=region(N, i, 8)) endloop\n";
  nem::verify_options options;
  options.max_instances = 2000;  // what the first loop takes
  options.proves = false;
  nem::program p = program_of(source, options);
  CHECK(p.is_partial());
  CHECK(p.tasks() == 1000 + 10 + 2);
  recorder r;
  nem::for_each_task(p, r, 2000);
  CHECK(r.log.find("] [0..99x3 0: ") != std::string::npos);
  CHECK(
      r.log.find(
          " 9: #1009 transfer.sync 1@9 > 0@72; 98: #1010 transfer.sync 1@98 > 0@784; 99: #1011") !=
      std::string::npos);
  options.max_instances = 3000;
  p = program_of(source, options);
  CHECK_FALSE(p.is_partial());
  CHECK(p.tasks() == 1100);
  recorder full;
  nem::for_each_task(p, full);
  CHECK(full.count == 1100);
  // errors of the last iterations are found, and HAZ-005 says that some weren't looked at
  const auto o = verified(
      "buffer B : L2 (size=100000000); loop i in [1..100000001]: let R = region(B, i - 1, 1) "
      "endloop",
      options);
  CHECK(o.report.errors == 1);
  CHECK(o.has("REG-003"));
  CHECK(o.has("HAZ-005"));
  CHECK(verified("loop i in [-9223372036854775807 - 1..9223372036854775807]: endloop", options)
            .lines.find("the loop has 2^64 iterations") != std::string::npos);
}

TEST_CASE("nem/walk: huge loops take bounded time", "[nem]") {
  const std::string nested = repeated("loop i in [0..1000000000] @max_in_flight(1000000):\n", 200) +
                             "transfer.sync(dst=X, src=Y)\n" + repeated("endloop\n", 200);
  nem::verify_options options;
  options.max_instances = 10000;
  options.hazard_steps = 10000;
  options.proves = false;
  const auto o = verified(std::string(regions) + nested, options);
  CHECK(o.is_valid);
  CHECK(o.is_partial);
  CHECK(o.iterations < 30000);
  const auto wide = verified("loop i in [0..1000000]:\n let a = i + 1\nendloop", options);
  CHECK(wide.iterations > 10000);
  std::string body;  // counts as its nodes do
  for (int i = 0; i < 20000; ++i) body += "let a" + std::to_string(i) + " = i\n";
  const auto large = verified("loop i in [0..1000000]:\n" + body + "endloop", options);
  CHECK(large.is_partial);
  CHECK(large.iterations < 100);
  // and many loops past the budget run once
  const auto many = verified(repeated("loop i in [0..1000000000]: endloop\n", 30000), options);
  CHECK(many.iterations < 60000);
}

TEST_CASE("nem/walk: lets of all kinds", "[nem]") {
  const auto o = verified(
      "buffer B : DDR (size=64)\n"
      "let i = 3\nlet f = 0.5\nlet s = \"text\"\nlet l = [1, i, [2, \"x\"], s]\nlet n = [1, i]\n"
      "let r = [f, 1]\nlet R = region(B, 0, i) @readonly\nlet Q = R\nlet t = s\nlet m = n\n"
      "let P = region(B, 8, 3) elem=i8, shape=[3], layout=C, quant=per_channel(axis=0, scales=[f, "
      "f * 2, 1], zero_points=[0, i, 1])\n"
      "store.sync(dst=region(B, 32, 3), src=Q)\n");
  CAPTURE(o.lines);
  CHECK(o.is_valid);
  CHECK(verified("buffer B : DDR (size=64)\nlet R = region(B, 0, 8) @readonly\nlet Q = R\n"
                 "transfer.sync(dst=Q, src=region(B, 32, 8))")
            .has("DEC-007"));
}

TEST_CASE("nem/walk: a buffer of a loop body is one buffer", "[nem]") {
  struct buffers : nem::visitor {
    void task(const nem::values& v, const nem::task& t) {
      log += std::to_string(v.regions[v.inputs(t)[0].region].buffer);
      most = v.buffers.size();
      regions = v.regions.size();
    }
    std::string log;
    std::size_t most = 0, regions = 0;
  } b;
  const nem::program p = program_of(std::string(regions) +
                                    "loop i in [0..2]:\n buffer P : L2 (size=8)\n buffer Q : L2 "
                                    "(size=8)\n let S = region(Q, 0, 8)\n"
                                    " transfer.sync(dst=X, src=S)\n endloop");
  nem::for_each_task(p, b);
  CHECK(b.log == "333");
  CHECK(b.most == 4);
  CHECK(b.regions == 3);  // X, Y and S of this iteration
}
