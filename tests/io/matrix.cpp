// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/matrix.hpp"

#include <algorithm>
#include <limits>

#include "../support/catch.hpp"

using namespace tessera;

TEST_CASE("matrix: random numbers are the same everywhere", "[io]") {
  // SplitMix64 from seed 1234567 begins 6457827717110365317, 3203168211198807973,
  // 9817491932198370423, 4593380528125082431; the upper 53 bits of each over 2^53.
  const io::interval unit[] = {{0, 1}, {0, 1}};
  const io::matrix m = io::random_matrix(2, unit, 1234567);
  CHECK(m.rows == 2);
  CHECK(m.columns == 2);
  CHECK(m.values == std::vector<double>{0x1.667b405fec23ep-2, 0x1.639f8422c2a04p-3,
                                        0x1.107d79cb47e4fp-1, 0x1.fdf7ba0748bbcp-3});
}

TEST_CASE("matrix: each column keeps to its interval and fills it", "[io]") {
  const double huge = std::numeric_limits<double>::max();
  const io::interval ranges[] = {{-8, 7.5},     {3, 3},  {0, 0x1p-1070},
                                 {-huge, huge}, {-1, 0}, {1e300, 2e300}};
  const io::matrix m = io::random_matrix(2000, ranges, 7);
  REQUIRE(m.values.size() == 2000 * 6);
  for (std::size_t column = 0; column < 6; ++column) {
    INFO(column);
    const auto [from, to] = ranges[column];
    const double width = to / 2 - from / 2, middle = from + width;
    double low = huge, high = -huge;
    int above = 0;
    for (std::size_t row = 0; row < 2000; ++row) {
      const double v = m.values[row * 6 + column];
      low = std::min(low, v);
      high = std::max(high, v);
      above += v > middle ? 1 : 0;
    }
    CHECK(low >= from);
    CHECK(high <= to);
    CHECK(low - from <= width / 50);
    CHECK(to - high <= width / 50);
    if (from != to) CHECK((above > 850 && above < 1150));
  }
}

TEST_CASE("matrix: the first rows don't depend on how many follow", "[io]") {
  const io::interval ranges[] = {{-1, 1}, {0, 100}, {5, 6}};
  const io::matrix few = io::random_matrix(10, ranges, 3);
  const io::matrix many = io::random_matrix(1000, ranges, 3);
  CHECK(std::equal(few.values.begin(), few.values.end(), many.values.begin()));
  CHECK(few.values != io::random_matrix(10, ranges, 4).values);
}

TEST_CASE("matrix: no rows or no columns are no values", "[io]") {
  const io::interval ranges[] = {{0, 1}};
  CHECK(io::random_matrix(0, ranges, 1).values.empty());
  CHECK(io::random_matrix(0, ranges, 1).columns == 1);
  CHECK(io::random_matrix(5, {}, 1).values.empty());
  CHECK(io::random_matrix(5, {}, 1).rows == 5);
}
