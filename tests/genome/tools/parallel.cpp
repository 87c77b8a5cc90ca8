// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "genome/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;

TEST_CASE("genome/parallel: each part is done once", "[genome_tools]") {
  for (const unsigned threads : {1u, 2u, 5u, 64u}) {
    std::vector<std::atomic<unsigned>> done(37);
    genomics::parallel(threads, done.size(), [&](unsigned thread, std::size_t part) {
      if (thread < threads) ++done[part];
    });
    for (const std::atomic<unsigned>& d : done) CHECK(d == 1);
  }
}

TEST_CASE("genome/parallel: the first exception ends it", "[genome_tools]") {
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<std::size_t> begun{0};
    CHECK_THROWS_AS(genomics::parallel(threads, 100000,
                                       [&](unsigned, std::size_t part) {
                                         ++begun;
                                         if (part == 20) throw std::length_error("part 20");
                                       }),
                    std::length_error);
    // How far the others get meanwhile is their luck.
    if (threads == 1) CHECK(begun == 21);
  }
}

TEST_CASE("genome/parallel: without memory for threads fewer do all of it", "[genome_tools]") {
  for (std::uint64_t at = 0; at < 8; ++at) {
    INFO("allocation " << at);
    std::vector<std::atomic<unsigned>> done(37);
    const auto work = [&](unsigned, std::size_t part) { ++done[part]; };
    {
      const tessera_tests::failing_allocations none(at, true);
      genomics::parallel(4, done.size(), work);
    }
    for (const std::atomic<unsigned>& d : done) CHECK(d == 1);
  }
}
