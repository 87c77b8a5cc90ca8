// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "formats/real_from_chars.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "../support/catch.hpp"
#include "io/random.hpp"

namespace {

struct taken {
  double value;
  std::size_t length;
  std::errc code;
};
[[nodiscard]] taken take(std::string_view s) {
  taken out{7, 0, std::errc{}};
  const auto [end, code] =
      tessera::chars::plain_real_from_chars(s.data(), s.data() + s.size(), out.value);
  out.length = static_cast<std::size_t>(end - s.data());
  out.code = code;
  return out;
}

}  // namespace

TEST_CASE("core/real_from_chars: what is a number, and where it ends", "[core]") {
  const auto number = [](std::string_view s, double value, std::size_t length) {
    INFO(s);
    const taken got = take(s);
    CHECK(got.code == std::errc{});
    CHECK(got.value == value);
    CHECK(got.length == length);
  };
  number("0", 0, 1);
  number("-12.5", -12.5, 5);
  number("1.", 1, 2);
  number(".5x", 0.5, 2);
  number("1.2.3", 1.2, 3);
  number("1e3", 1000, 3);
  number("1E+3,", 1000, 4);
  number("25e-1", 2.5, 5);
  number("1e", 1, 1);
  number("1e+", 1, 1);
  number("1e-x", 1, 1);
  number("0e99999999999999999999", 0, 22);
  number("iNf", std::numeric_limits<double>::infinity(), 3);
  number("-infinity", -std::numeric_limits<double>::infinity(), 9);
  number("infinit", std::numeric_limits<double>::infinity(), 3);
  CHECK(std::signbit(take("-0").value));
  CHECK(std::isnan(take("NaN").value));
  for (const std::string_view s : {"", "-", "+1", ".", "-.", "e5", "x", " 1", "in"}) {
    INFO(s);
    const taken got = take(s);
    CHECK(got.code == std::errc::invalid_argument);
    CHECK(got.length == 0);
    CHECK(got.value == 7);
  }
  for (const std::string_view s : {"1e400", "-1e-400", "1e99999999999999999999"}) {
    INFO(s);
    const taken got = take(s);
    CHECK(got.code == std::errc::result_out_of_range);
    CHECK(got.length == s.size());
    CHECK(got.value == 7);
  }
}

#if defined(__cpp_lib_to_chars)

TEST_CASE("core/real_from_chars: as the standard library has it", "[core]") {
  std::uint64_t state = 1;
  constexpr std::string_view letters = "0123456789..--+eE";
  for (int round = 0; round < 20000; ++round) {
    std::string s;
    for (std::uint64_t n = tessera::io::next_bits(state) % 12; n != 0; --n)
      s += letters[tessera::io::next_bits(state) % letters.size()];
    double value = 7;
    const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), value);
    const taken got = take(s);
    INFO(s);
    REQUIRE(got.code == code);
    REQUIRE(got.length == static_cast<std::size_t>(end - s.data()));
    REQUIRE(got.value == value);
  }
}

#endif
