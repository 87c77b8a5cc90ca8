// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tensor/convert.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <tessera/core/float16.hpp>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"

using namespace tessera;
using namespace tessera::tensors;

namespace {

/// Bits of all floats where a 16-bit float or the middle of two is near, and of random ones.
std::vector<float> hard_floats() {
  std::vector<float> floats;
  const auto add = [&floats](std::uint32_t bits) { floats.push_back(std::bit_cast<float>(bits)); };
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = std::bit_cast<std::uint32_t>(float_from_half(static_cast<std::uint16_t>(h)));
    for (const std::uint32_t off : {0x0u, 0x1u, 0xfffu, 0x1000u, 0x1001u}) {
      add(half + off);
      add(half - off);
    }
    for (const std::uint32_t low : {0x0u, 0x1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      add(h << 16 | low);
  }
  tessera_tests::random_numbers random;
  for (int i = 0; i < 200000; ++i) {
    add(random());
    // Those that are subnormal as halves, where the place of rounding moves.
    add((random() & 0x807fffffu) | (100 + random() % 16) << 23);
  }
  return floats;
}

/// The same bits. Where functions return floats in x87 registers, those quiet what the scalar gives.
bool same(std::uint16_t a, std::uint16_t b) { return a == b; }
bool same(float got, float expected) {
  const auto a = std::bit_cast<std::uint32_t>(got), b = std::bit_cast<std::uint32_t>(expected);
  const bool x87 = sizeof(void*) == 4;
  return a == b || (x87 && std::isnan(expected) && (a | 0x400000u) == b);
}

template <class Source, class Target, class Kernel, class Scalar>
unsigned wrong_values(const std::vector<Source>& from, Kernel kernel, Scalar scalar, level l) {
  std::vector<Target> to(from.size());
  kernel(from.data(), to.data(), from.size(), l);
  unsigned wrong = 0;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (!same(to[i], scalar(from[i]))) ++wrong;
  return wrong;
}

/// Every count near the width of a vector, with nothing around the arrays.
template <class Source, class Target, class Kernel>
unsigned wrong_counts(Kernel kernel, level l) {
  unsigned wrong = 0;
  for (const bool at_start : {false, true}) {
    tessera_tests::guarded<Source> sources(200, at_start);
    tessera_tests::guarded<Target> targets(200, at_start);
    for (std::size_t n = 0; n <= 70; ++n) {
      Source* const from = sources.at(n);
      Target* const to = targets.at(n);
      const Source one = sizeof(Source) == 2 ? Source(0x3f80) : Source(1);
      for (std::size_t i = 0; i < n; ++i) from[i] = one;
      kernel(from, to, n, l);
      for (std::size_t i = 0; i < n; ++i)
        if (to[i] != to[0] || to[i] == Target{}) ++wrong;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("tensor/convert: every 16-bit pattern", "[tensor]") {
  std::vector<std::uint16_t> all(0x10000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for (const level l : tessera_tests::levels()) {
    CAPTURE(static_cast<int>(l));
    CHECK(wrong_values<std::uint16_t, float>(all, floats_from_halves, float_from_half, l) == 0);
    CHECK(wrong_values<std::uint16_t, float>(all, floats_from_bfloat16s, float_from_bfloat16, l) ==
          0);
  }
}

TEST_CASE("tensor/convert: a NaN at every place", "[tensor]") {
  for (const level l : tessera_tests::levels())
    for (std::size_t at = 0; at < 70; ++at) {
      std::vector<std::uint16_t> halves(70, 0xbc00);
      halves[at] = 0x7c01;
      CHECK(wrong_values<std::uint16_t, float>(halves, floats_from_halves, float_from_half, l) ==
            0);
    }
}

TEST_CASE("tensor/convert: floats that are hard to round", "[tensor]") {
  const std::vector<float> hard = hard_floats();
  for (const level l : tessera_tests::levels()) {
    CAPTURE(static_cast<int>(l));
    CHECK(wrong_values<float, std::uint16_t>(hard, halves_from_floats, half_from_float, l) == 0);
    CHECK(wrong_values<float, std::uint16_t>(hard, bfloat16s_from_floats, bfloat16_from_float, l) ==
          0);
  }
}

TEST_CASE("tensor/convert: every float", "[tensor][.]") {
  std::vector<float> some(1 << 20);
  for (const level l : tessera_tests::levels())
    for (std::uint32_t high = 0; high < 1 << 12; ++high) {
      for (std::uint32_t low = 0; low < 1 << 20; ++low)
        some[low] = std::bit_cast<float>(high << 20 | low);
      REQUIRE(wrong_values<float, std::uint16_t>(some, halves_from_floats, half_from_float, l) ==
              0);
      REQUIRE(wrong_values<float, std::uint16_t>(some, bfloat16s_from_floats, bfloat16_from_float,
                                                 l) == 0);
    }
}

TEST_CASE("tensor/convert: nothing but the array is touched", "[tensor]") {
  for (const level l : tessera_tests::levels()) {
    CHECK(wrong_counts<std::uint16_t, float>(floats_from_halves, l) == 0);
    CHECK(wrong_counts<std::uint16_t, float>(floats_from_bfloat16s, l) == 0);
    CHECK(wrong_counts<float, std::uint16_t>(halves_from_floats, l) == 0);
    CHECK(wrong_counts<float, std::uint16_t>(bfloat16s_from_floats, l) == 0);
  }
}
