// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pools of more than there can be: no memory, never a smaller pool.

#include <cstdint>
#include <new>
#include <tessera/core/pool.hpp>
#include <tessera/core/text.hpp>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

struct wide {
  std::uint32_t numbers[16];
};

}  // namespace

TEST_CASE("pool: a sum of bytes that overflows is no memory", "[core]") {
  pool<char> bytes;
  bytes.push_back('a');
  const volatile std::size_t all = SIZE_MAX;  // volatile: compilers warn of it
  CHECK_THROWS_AS(bytes.prepare(all), std::bad_alloc);
  CHECK_THROWS_AS(bytes.append("", all), std::bad_alloc);
  CHECK(bytes.size() == 1);
  CHECK(bytes[0] == 'a');
  text characters;
  characters << "ab";
  CHECK_THROWS_AS(characters.prepare(all - 1), std::bad_alloc);
  CHECK(characters.view() == "ab");
}

TEST_CASE("pool: so is a product, on hosts of 32 bits", "[core]") {
  if constexpr (sizeof(std::size_t) < 8) {
    pool<wide> elements;
    elements.push_back({{7}});
    // One element, if it wrapped.
    const volatile std::size_t count = SIZE_MAX / sizeof(wide) + 2;
    CHECK_THROWS_AS(elements.prepare(count), std::bad_alloc);
    CHECK_THROWS_AS(elements.reserve(count), std::bad_alloc);
    CHECK_THROWS_AS(elements.resize(count), std::bad_alloc);
    CHECK_THROWS_AS(elements.append(elements.data(), count), std::bad_alloc);
    CHECK(elements.size() == 1);
    CHECK(elements[0].numbers[0] == 7);
  } else {
    WARN("not tested: no size_t of 32 bits");
  }
}
