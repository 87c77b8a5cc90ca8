// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/nem/detail/rules/wide_integer.hpp"

#include <cstdint>
#include <random>

#include "support/catch.hpp"
#include "tessera/nem/detail/rules/affine.hpp"

using tessera::nem::detail::wide_integer;

TEST_CASE("nem/wide_integer: small numbers", "[nem]") {
  const wide_integer seven = 7, minus = -3;
  CHECK((seven + minus == 4 && seven - minus == 10 && seven * minus == -21));
  CHECK((seven / minus == -2 && minus / seven == 0 && -seven / minus == 2 && seven / 0 == 0));
  CHECK((minus < seven && seven > minus && seven >= 7 && seven <= 7 && seven != minus));
  CHECK(static_cast<std::int64_t>(minus) == -3);
  CHECK(wide_integer(~std::uint64_t{0}) > wide_integer(INT64_MAX));
  wide_integer x = 0;
  CHECK(--x == -1);
  CHECK((x += 2) == 1);
}

#if defined(__SIZEOF_INT128__)

namespace {

using tessera::nem::detail::int128;
__extension__ using unsigned_int128 = unsigned __int128;

/// The same number, from its halves.
wide_integer wide(int128 x) {
  const auto low = static_cast<std::uint64_t>(x);
  wide_integer high = static_cast<std::int64_t>(x >> 64);
  for (int i = 0; i < 4; ++i) high = high * 65536;
  return high + low;
}

}  // namespace

TEST_CASE("nem/wide_integer: as the compiler's own", "[nem]") {
  std::mt19937_64 random(7);
  const auto number = [&] {
    const auto high = static_cast<std::int64_t>(random()),
               low = static_cast<std::int64_t>(random());
    const int128 x = int128{high} * (std::int64_t{1} << 62) + low;
    return x >> (random() % 126);
  };
  for (int i = 0; i < 20'000; ++i) {
    const int128 a = number(), b = i % 16 == 0 ? a : number();
    REQUIRE(wide(a) + wide(b) == wide(a + b));
    REQUIRE(wide(a) - wide(b) == wide(a - b));
    REQUIRE(-wide(a) == wide(-a));
    REQUIRE((wide(a) < wide(b)) == (a < b));
    REQUIRE((wide(a) >= wide(b)) == (a >= b));
    REQUIRE(wide(a) * wide(b >> 64) ==
            wide(static_cast<int128>(static_cast<unsigned_int128>(a) *
                                     static_cast<unsigned_int128>(b >> 64))));
    if (b != 0) REQUIRE(wide(a) / wide(b) == wide(a / b));
  }
}

#endif
