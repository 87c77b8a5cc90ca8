// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/meter.hpp"

#include <cstdint>

#include "support/catch.hpp"

using tessera::vm::meter;
using tessera::vm::product_of_steps;
using tessera::vm::product_steps;
using tessera::vm::sum_of_steps;

TEST_CASE("vm/meter: the last step is taken, and one more is refused", "[vm]") {
  meter m(10);
  CHECK(m.charge(4));
  CHECK_FALSE(m.charge(7));
  CHECK(m.refusal() == "7 steps, with 6 of 10 left");
  CHECK(m.used() == 4);  // what is refused isn't charged
  CHECK(m.charge(6));
  CHECK(m.charge(0));
  CHECK_FALSE(m.charge(1));
  CHECK(m.used() == 10);
  CHECK_FALSE(m.charge(UINT64_MAX));
  CHECK(m.refusal() == "more than 2^64 steps, with 0 of 10 left");
}

TEST_CASE("vm/meter: sums and products that are too large stay the largest", "[vm]") {
  CHECK(sum_of_steps(UINT64_MAX - 1, 1) == UINT64_MAX);
  CHECK(sum_of_steps(UINT64_MAX, 1) == UINT64_MAX);
  CHECK(product_of_steps(std::uint64_t{1} << 32, (std::uint64_t{1} << 32) - 1) ==
        0xffffffff00000000u);
  CHECK(product_of_steps(std::uint64_t{1} << 32, std::uint64_t{1} << 32) == UINT64_MAX);
  CHECK(product_of_steps(UINT64_MAX, 0) == 0);
  CHECK(product_steps(std::uint64_t{1} << 40, std::uint64_t{1} << 40, 1) == UINT64_MAX);
  CHECK(product_steps(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

TEST_CASE("vm/meter: a product reads its factors, writes its result, and multiplies", "[vm]") {
  CHECK(product_steps(4, 2, 8, 2) == 16 + 4 * 2 + (4 + 2) * 8 + 4 * 2 * 8 / 2);
  CHECK(product_steps(0, 0, 0) == 16);
  // A thin one costs more than its part of the multiplications.
  CHECK(product_steps(1, 1 << 20, 1 << 10) > std::uint64_t{1} << 30);
}

TEST_CASE("vm/meter: a part has what is left, or less", "[vm]") {
  meter whole(100);
  REQUIRE(whole.charge(30));
  CHECK(whole.part(50).left() == 50);
  CHECK(whole.part(80).left() == 70);
  CHECK(whole.part(80).max() == 100);
  CHECK(meter().part(80).max() == 80);
  CHECK(meter().part(UINT64_MAX).left() == UINT64_MAX);
}
