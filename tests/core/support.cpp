// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tests' own tools, which other tests lean on.

#include <new>
#include <string>
#include <tessera/core/suggest.hpp>

#include "../support/allocations.hpp"
#include "../support/catch.hpp"
#include "../support/child.hpp"
#include "../support/guard_page.hpp"

using namespace tessera_tests;

TEST_CASE("support/allocations: counts calls, bytes and the peak", "[core]") {
  const allocations used;
  void* block = ::operator new(1000);  // called as a function, which can't be optimised away
  ::operator delete(block);
  block = ::operator new(300);
  const auto count = used.count(), total = used.total(), peak = used.peak();
  const auto live = used.live();
  ::operator delete(block);
  CHECK(count == 2);
  CHECK(total == 1300);
  CHECK(peak == 1000);
  CHECK(live == 300);
}

#if TESSERA_TESTS_CHILD && TESSERA_TESTS_GUARD_PAGE
TEST_CASE("support/guard_page: the byte after the content can't be read", "[core]") {
  guard_page memory(5000);
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 5000u}) {
    const std::string_view placed = memory.place(std::string(size, 'x'));
    CHECK(placed == std::string(size, 'x'));
    const volatile char* const end = placed.data() + size;
    CHECK(traps([end] { (void)*end; }));
    if (size != 0) CHECK_FALSE(traps([end] { (void)end[-1]; }));
  }
}
#endif

TEST_CASE("support: a suggestion reads no more than its words", "[core]") {
  using tessera::suggestion;
  tessera_tests::guard_page memory(16), other(16);
  suggestion s(other.place("conv2d"));
  for (const char* const word : {"conv1d", "con", "conv2", "conv2dd", "onv2d"})
    s.offer(memory.place(word));
  CHECK(!s.word().empty());
  suggestion none(other.place("conv2d"));
  none.offer(memory.place("softmax"));
  CHECK(none.word().empty());
}
