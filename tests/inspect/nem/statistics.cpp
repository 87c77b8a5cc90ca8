// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nem/random_loops.hpp"
#include "nem/verbs.hpp"
#include "support/catch.hpp"

namespace {

using namespace tessera;
using inspect::nem_statistics;

/// Counts by executing all iterations, and looks at each moment for the bytes that are live.
struct plain_count : nem::visitor {
  struct life {
    nem::buffer what;
    std::uint64_t first = UINT64_MAX, last = 0;
  };
  nem_statistics s;
  std::map<std::uint32_t, life> lives;

  void iteration(std::uint32_t, std::int64_t) { ++s.iterations; }
  void wait(std::uint32_t, view<std::uint32_t>) { ++s.waits; }
  void task(const nem::values& v, const nem::task& t) {
    for (const auto& operands : {v.inputs(t), v.outputs(t)})
      for (const nem::operand& o : operands) {
        const nem::buffer& b = v.buffers[v.regions[o.region].buffer];
        life& l = lives[b.node];
        l.what = b;
        l.first = std::min(l.first, s.tasks);
        l.last = s.tasks;
      }
    if (t.opcode == nem::opcode::transfer) {
      const nem::region &from = v.regions[v.inputs(t)[0].region],
                        &to = v.regions[v.outputs(t)[0].region];
      s.moved[static_cast<std::size_t>(v.buffers[from.buffer].level)]
             [static_cast<std::size_t>(v.buffers[to.buffer].level)] +=
          static_cast<std::uint64_t>(from.extent);
    }
    ++s.tasks;
    ++s.opcodes[static_cast<std::size_t>(t.opcode)];
  }
  [[nodiscard]] std::uint64_t peak(nem::level of, std::int64_t engine) const {
    std::uint64_t most = 0;
    for (std::uint64_t now = 0; now < s.tasks; ++now) {
      std::uint64_t live = 0;
      for (const auto& [node, l] : lives)
        if (l.what.level == of && l.what.engine == engine && l.first <= now && now <= l.last)
          live += static_cast<std::uint64_t>(l.what.size);
      most = std::max(most, live);
    }
    return most;
  }
};

[[nodiscard]] result<nem::program> program_of(const std::string& source) {
  auto d = nem_test::read(source);
  if (!d) return d.error();
  return nem_test::verify(*std::move(d));
}

/// Checks the statistics of a program against those of its expansion.
void check(const std::string& source, const nem::program& p) {
  CAPTURE(source);
  plain_count expected;
  nem::for_each_task(p, expected);
  const nem_statistics s = inspect::summarise(p);
  CHECK_FALSE(s.is_partial);
  CHECK(s.tasks == expected.s.tasks);
  CHECK(s.waits == expected.s.waits);
  CHECK(s.iterations == expected.s.iterations);
  CHECK(s.opcodes == expected.s.opcodes);
  CHECK(s.moved == expected.s.moved);
  for (const inspect::nem_memory& m : s.memories) CHECK(m.peak == expected.peak(m.level, m.engine));
}

}  // namespace

TEST_CASE("inspect/nem/statistics: what the expansion counts", "[inspect_nem]") {
  int valid = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const nem_test::random_loops random(seed);
    const result<nem::program> p = program_of(random.text());
    if (!p) continue;
    ++valid;
    check(random.text(), *p);
  }
  CHECK(valid > 15);
}

TEST_CASE("inspect/nem/statistics: iterations that differ in what they count", "[inspect_nem]") {
  const std::string buffers =
      "buffer A : DDR (size=10000)\nbuffer B : L2 (size=10000)\nbuffer C : L2 (size=77)\n";
  for (const char* const loop :
       {"loop i in [1..9]: transfer.sync(dst=region(B, 0, i), src=region(A, 0, i)) endloop",
        "loop i in [1..9]: let n = i * 2  let R = region(B, 0, n) "
        "transfer.sync(dst=R, src=region(A, 0, n)) endloop",
        "loop i in [1..9]: let n = i  relu.sync in region(A, 0, i) elem=i8, shape=[n], layout=C "
        "out region(B, 0, i) elem=i8, shape=[n], layout=C endloop",
        "loop i in [0..5]: loop j in [i..7]: transfer.sync(dst=region(B, 0, 8), src=region(A, 0, "
        "8)) endloop endloop",
        "loop i in [0..5]: loop j in [0..i]: transfer.sync(dst=region(B, 0, 8), src=region(A, 0, "
        "8)) endloop endloop",
        // The same, but for offsets; the lives of B and C overlap from the second iteration on.
        "loop i in [0..1]: transfer.sync(dst=region(B, i, 8), src=region(A, i, 8)) "
        "loop j in [0..2]: t = transfer.async(dst=region(C, j, 8), src=region(A, i + j, 8)) "
        "wait(t) endloop endloop",
        "loop i in [0..0]: transfer.sync(dst=region(B, 0, 8), src=region(A, 0, 8)) "
        "transfer.sync(dst=region(C, 0, 8), src=region(A, 0, 8)) endloop"}) {
    const std::string source = buffers + loop;
    const result<nem::program> p = program_of(source);
    CAPTURE(loop);
    REQUIRE(p);
    check(source, *p);
  }
}

TEST_CASE("inspect/nem/statistics: loops of any size", "[inspect_nem]") {
  const result<nem::program> p = program_of(
      "buffer A : DDR (size=64000000000)\nbuffer B : L2 (size=64)\n"
      "loop i in [0..999999999]: transfer.sync(dst=region(B, 0, 64), src=region(A, i * 64, 64)) "
      "loop j in [0..999]: t = transfer.async(dst=region(A, i * 64, 32), src=region(B, 0, 32)) "
      "wait(t) endloop endloop");
  REQUIRE(p);
  const nem_statistics s = inspect::summarise(*p);
  CHECK_FALSE(s.is_partial);
  CHECK(s.tasks == 1001000000000);
  CHECK(s.waits == 1000000000000);
  CHECK(s.iterations == 1001000000000);
  CHECK(s.moved[static_cast<std::size_t>(nem::level::ddr)]
               [static_cast<std::size_t>(nem::level::l2)] == 64000000000);
  CHECK(s.moved[static_cast<std::size_t>(nem::level::l2)]
               [static_cast<std::size_t>(nem::level::ddr)] == 32000000000000);
  // More than 64 bits count.
  const result<nem::program> endless = program_of(
      "buffer A : DDR (size=64)\nbuffer B : L2 (size=64)\nloop i in [0..9223372036854775806]: "
      "loop j in [0..9]: transfer.sync(dst=region(B, 0, 64), src=region(A, 0, 64)) endloop "
      "endloop");
  REQUIRE(endless);
  CHECK(inspect::summarise(*endless).tasks == UINT64_MAX);
}
