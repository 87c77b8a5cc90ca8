// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "../support/catch.hpp"
#include "support.hpp"
#include "tensor/element_rows.hpp"
#include "tensor/element_type.hpp"
#include "tensor/strided.hpp"

using namespace tessera::tensors;

TEST_CASE("tensor/element_type: the rules differ as their table says", "[tensor]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  struct row {
    double from;
    int pytorch, cut, nearest;
  };
  for (const row& r : {row{2.5, 2, 2, 2}, row{3.5, 3, 3, 4}, row{-2.7, -2, -2, -3},
                       row{300.5, 44, 127, 127}, row{-300.5, -44, -128, -128}, row{nan, 0, 0, 0},
                       row{1e300, -1, 127, 127}, row{-1e300, 0, -128, -128}}) {
    CHECK(convert<std::int8_t>(r.from) == r.pytorch);
    CHECK(convert<std::int8_t, cut_and_saturate>(r.from) == r.cut);
    CHECK(convert<std::int8_t, round_and_saturate>(r.from) == r.nearest);
  }
  CHECK(convert<std::int64_t, round_and_saturate>(2.5) == 2);
  CHECK(convert<std::int64_t, round_and_saturate>(1e300) == INT64_MAX);
  CHECK(convert<std::int64_t, cut_and_saturate>(-1e300) == INT64_MIN);
  CHECK(convert<std::uint32_t, cut_and_saturate>(-1.0f) == 0);
  CHECK(convert<std::int8_t>(std::int32_t{300}) == 44);
  CHECK(convert<bool>(half(0.5f)));
  CHECK_FALSE(convert<bool>(half(-0.0f)));
}

TEST_CASE("tensor/element_type: doubles are rounded to 16 bits once, except as PyTorch does it",
          "[tensor]") {
  // Above the middle of 1 and the next half, by less than a float shows.
  const double above = 1 + 0x1p-11 + 0x1p-40;
  CHECK(convert<half>(above).bits == 0x3c00);
  CHECK(convert<half, cut_and_saturate>(above).bits == 0x3c01);
  CHECK(convert<half, round_and_saturate>(above).bits == 0x3c01);
  CHECK(convert<bfloat16, cut_and_saturate>(1 + 0x1p-8 + 0x1p-40).bits == 0x3f81);
  CHECK(convert<half, cut_and_saturate>(0x1p-25 + 0x1p-60).bits == 1);
  CHECK(convert<half, cut_and_saturate>(65519.99).bits == 0x7bff);
  CHECK(convert<half, cut_and_saturate>(65520.0).bits == 0x7c00);
  const float odd_nan = std::bit_cast<float>(0xffc12345u);
  CHECK(convert<half, cut_and_saturate>(odd_nan).bits == 0xfe09);
  CHECK(convert<half, round_and_saturate>(odd_nan).bits == 0x7e00);
  CHECK(std::bit_cast<std::uint32_t>(convert<float, round_and_saturate>(odd_nan)) == 0x7fc00000u);
}

TEST_CASE("tensor/element_rows: every type keeps small integers, at any step and length",
          "[tensor]") {
  for (int t = 0; t <= static_cast<int>(element_type::f64); ++t) {
    const auto type = static_cast<element_type>(t);
    if (type == element_type::boolean) continue;
    for (const std::int64_t step : {1, 3}) {
      for (const std::size_t n : {0u, 1u, 7u, 300u, 513u}) {
        std::vector<std::byte> memory(8 * (3 * n + 2), std::byte{0x55}), before = memory;
        std::vector<float> from(n), to(n);
        for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<float>(i % 8);
        store_row<round_and_saturate>(type, memory.data() + 1, 1, step, from.data(), n);
        load_row(type, memory.data() + 1, 1, step, to.data(), n);
        CHECK(from == to);
        CHECK(memory[0] == before[0]);
        std::vector<double> wide(n, 9);
        load_row(type, memory.data() + 1, 1, step, wide.data(), n);
        CHECK(wide == std::vector<double>(from.begin(), from.end()));
      }
    }
  }
  // One element for all of a row.
  const float two[] = {2};
  std::byte memory[4];
  store_row<cut_and_saturate>(element_type::f16, memory, 1, 1, two, 1);
  std::array<float, 5> many;
  load_row(element_type::f16, memory, 1, 0, many.data(), many.size());
  CHECK(many == std::array<float, 5>{2, 2, 2, 2, 2});
}

TEST_CASE("tensor/strided: a walk copies as loops do", "[tensor]") {
  tessera_tests::random_numbers random;
  for (int round = 0; round < 300; ++round) {
    // Dimensions in a random order on one side, dense on the other; one may be read repeatedly.
    std::array<std::int64_t, 4> sizes, from, to;
    for (std::int64_t& s : sizes) s = 1 + random() % (round % 2 != 0 ? 4 : 40);
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    for (std::size_t i = 3; i != 0; --i) std::swap(order[i], order[random() % (i + 1)]);
    std::int64_t n = 1, m = 1;
    for (std::size_t i = 4; i-- != 0; n *= sizes[i]) to[i] = n;
    for (const std::size_t i : order) {
      from[i] = m;
      m *= sizes[i];
    }
    if (random() % 4 == 0) from[order[3]] = 0;
    std::vector<std::uint16_t> source(static_cast<std::size_t>(m)), target(source.size()), expected;
    for (std::uint16_t& x : source) x = static_cast<std::uint16_t>(random());
    for (std::int64_t a = 0; a < sizes[0]; ++a)
      for (std::int64_t b = 0; b < sizes[1]; ++b)
        for (std::int64_t c = 0; c < sizes[2]; ++c)
          for (std::int64_t d = 0; d < sizes[3]; ++d)
            expected.push_back(source[static_cast<std::size_t>(a * from[0] + b * from[1] +
                                                               c * from[2] + d * from[3])]);
    walk w;
    for (std::size_t i = 0; i < 4; ++i) w.add(sizes[i], from[i], to[i]);
    w.copy(static_cast<std::byte*>(static_cast<void*>(target.data())),
           static_cast<const std::byte*>(static_cast<const void*>(source.data())), 2);
    REQUIRE(target == expected);
  }
}
