// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"

using tessera::vm::workers;

namespace {

/// Who worked in one run, and how often.
std::vector<unsigned> turns(workers& crew, unsigned most) {
  std::vector<std::atomic<unsigned>> counts(most + 1);
  auto work = [&counts](unsigned t) { ++counts[t]; };
  crew.run(work);
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST_CASE("vm/workers: all take part once, run after run, awake or asleep", "[vm]") {
  for (const unsigned count : {0u, 1u, 3u}) {
    workers crew(count);
    for (int round = 0; round < 200; ++round) {
      if (round % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      CHECK(turns(crew, count) == std::vector<unsigned>(count + 1, 1));
    }
  }
}

TEST_CASE("vm/workers: all that was done is seen after run()", "[vm]") {
  workers crew(2);
  std::vector<int> sums(3);  // not atomic: each thread has its own
  auto work = [&sums](unsigned t) { sums[t] += static_cast<int>(t) + 1; };
  for (int round = 1; round <= 300; ++round) {
    crew.run(work);
    REQUIRE(sums == std::vector<int>{round, 2 * round, 3 * round});
  }
}

TEST_CASE("vm/workers: copies have threads of their own", "[vm]") {
  workers crew(2);
  CHECK(turns(crew, 2) == std::vector<unsigned>{1, 1, 1});
  workers copy(crew), other(0);
  other = crew;
  std::thread elsewhere([&copy] {
    for (int round = 0; round < 50; ++round) (void)turns(copy, 2);
  });
  for (int round = 0; round < 50; ++round) CHECK(turns(crew, 2) == std::vector<unsigned>{1, 1, 1});
  elsewhere.join();
  CHECK(turns(other, 2) == std::vector<unsigned>{1, 1, 1});
  other = workers(0);
  CHECK(turns(other, 0) == std::vector<unsigned>{1});
}

TEST_CASE("vm/workers: without memory for threads the caller works", "[vm]") {
  unsigned fewest = 4;
  for (std::uint64_t at = 0; at < 8; ++at) {
    INFO("allocation " << at);
    std::vector<std::atomic<unsigned>> counts(4);
    auto work = [&counts](unsigned t) { ++counts[t]; };
    workers crew(3);
    {
      const tessera_tests::failing_allocations none(at, true);
      crew.run(work);
    }
    unsigned took = 0;
    for (const std::atomic<unsigned>& c : counts) {
      CHECK(c <= 1);
      took += c;
    }
    CHECK(counts[0] == 1);
    fewest = std::min(fewest, took);
    crew.run(work);
    CHECK(counts[0] == 2);
  }
  CHECK(fewest == 1);
}
