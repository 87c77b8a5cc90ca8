// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "io/csv.hpp"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>

#include "../support/catch.hpp"
#include "../support/guard_page.hpp"
#include "support.hpp"

using namespace tessera;
using tessera_tests::message_of;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

void check_values(std::string_view source, std::uint64_t columns,
                  const std::vector<double>& values) {
  INFO(source);
  const auto m = io::read_csv(source, columns);
  REQUIRE(message_of(m) == "");
  CHECK(m->columns == columns);
  CHECK(m->rows == values.size() / columns);
  CHECK(m->values == values);
}

void check_error(std::string_view source, std::uint64_t columns, const std::string& expected) {
  INFO(source);
  const auto m = io::read_csv(source, columns);
  CHECK(message_of(m) == expected);
  if (!m) CHECK(m.error().kind == io::fault::content);
}

[[nodiscard]] double one(std::string_view source) {
  INFO(source);
  const auto m = io::read_csv(source, 1);
  REQUIRE(message_of(m) == "");
  REQUIRE(m->rows == 1);
  return m->values[0];
}

}  // namespace

TEST_CASE("csv: rows and columns", "[io]") {
  check_values("1,2\n3,4\n", 2, {1, 2, 3, 4});
  check_values("1,2\n3,4", 2, {1, 2, 3, 4});
  check_values("1,2\r\n3,4\r\n", 2, {1, 2, 3, 4});
  check_values("\n \n1,2\n\r\n\t\n3,4\n\n", 2, {1, 2, 3, 4});
  check_values(" 1 ,\t2\t\n  3,4  \r\n", 2, {1, 2, 3, 4});
  check_values("1\n2\n", 1, {1, 2});
  check_values("", 3, {});
  check_values("\n\n", 3, {});
}

TEST_CASE("csv: a heading is skipped, a mistake is not", "[io]") {
  check_values("x,y\n1,2\n", 2, {1, 2});
  check_values("\n\"a, b\",c\n1,2\n", 2, {1, 2});
  check_values("# any words\n1,2\n", 2, {1, 2});
  check_values(",first\n1,2\n", 2, {1, 2});
  check_values("x,y", 2, {});
  check_values("info,y\n1,2\n", 2, {1, 2});
  check_values("\xef\xbb\xbfx,y\r\n1,2\r\n", 2, {1, 2});
  check_values(
      "\xef\xbb\xbf"
      "1,2\n",
      2, {1, 2});
  check_error("1;2\n", 1, "line 1, column 1: expected a number, found \"1;2\"");
  check_error("-,2\n", 2, "line 1, column 1: expected a number, found \"-\"");
  check_error(".,2\n", 2, "line 1, column 1: expected a number, found \".\"");
  check_error("+a,2\n", 2, "line 1, column 1: expected a number, found \"+a\"");
  check_error("x,y\nu,v\n1,2\n", 2, "line 2, column 1: expected a number, found \"u\"");
  check_error("1,2\nx,y\n", 2, "line 2, column 1: expected a number, found \"x\"");
}

TEST_CASE("csv: the forms of a number", "[io]") {
  CHECK(one("0") == 0);
  CHECK(std::signbit(one("-0")));
  CHECK(!std::signbit(one("0.0")));
  CHECK(one("+1.5") == 1.5);
  CHECK(one(".5") == 0.5);
  CHECK(one("5.") == 5);
  CHECK(one("-12.25e+2") == -1225);
  CHECK(one("1E3") == 1000);
  CHECK(one("00012") == 12);
  CHECK(one("0.1") == 0.1);
  CHECK(one("1e-400") == 0);
  CHECK(one("1e-999999999999999999999999") == 0);
  CHECK(one("0e999999999999999999999999") == 0);
  CHECK(one("9007199254740993") == 9007199254740992);
  CHECK(one("9007199254740993.00000000000000000000000000000000001") == 9007199254740994);
  CHECK(one("1.7976931348623157e308") == std::numeric_limits<double>::max());
  CHECK(one("4.9e-324") == std::numeric_limits<double>::denorm_min());
  for (const char* s : {"inf", "INF", "+Inf", "infinity", "Infinity"}) CHECK(one(s) == inf);
  for (const char* s : {"-inf", "-INFINITY"}) CHECK(one(s) == -inf);
  for (const char* s : {"nan", "NaN", "NAN", "+nan"}) CHECK(std::isnan(one(s)));
  CHECK(std::signbit(one("-nan")));
}

TEST_CASE("csv: what is no number is an error with line and column", "[io]") {
  check_error("1,x\n", 2, "line 1, column 3: expected a number, found \"x\"");
  check_error("1,2\n3,  4x\n", 2, "line 2, column 5: expected a number, found \"4x\"");
  check_error("1,\n", 2, "line 1, column 3: expected a number, found nothing");
  check_error("1,  \n", 2, "line 1, column 5: expected a number, found nothing");
  check_error("1,2\n,4\n", 2, "line 2, column 1: expected a number, found nothing");
  check_error(
      "\xef\xbb\xbf"
      "1,x\n",
      2, "line 1, column 6: expected a number, found \"x\"");
  check_error("1\n\n\n1 2\n", 1, "line 4, column 1: expected a number, found \"1 2\"");
  check_error("1\r2\n", 1, "line 1, column 1: expected a number, found \"1?2\"");
  check_error("1\n012345678901234567890123456789x\n", 1,
              "line 2, column 1: expected a number, found \"012345678901234567890123...\"");
  for (const char* s : {"1e", "1e+", "1.2.3", "--1", "+-1", "0x10", "1_000", "1f", "1,5", "inff",
                        "in", "nan(1)", "\"1\"", "e5", "1 e5"}) {
    INFO(s);
    CHECK(!io::read_csv("0\n" + std::string(s), 1));
  }
  check_error(std::string_view("1\n2\0\n", 5), 1,
              "line 2, column 1: expected a number, found \"2?\"");
}

TEST_CASE("csv: a number beyond the doubles is an error", "[io]") {
  check_error("1e308,1e309\n", 2, "line 1, column 7: the number is outside the range of a double");
  check_error("1\n-1.7976931348623159e308\n", 1,
              "line 2, column 1: the number is outside the range of a double");
  check_error("1\n1e999999999999999999999\n", 1,
              "line 2, column 1: the number is outside the range of a double");
  check_error("1\n" + std::string(400, '9') + ".\n", 1,
              "line 2, column 1: the number is outside the range of a double");
}

TEST_CASE("csv: every row has the caller's columns", "[io]") {
  check_error("1,2\n1,2,3\n", 2, "line 2, column 1: expected 2 values, found 3");
  check_error("1,2\n1\n", 2, "line 2, column 1: expected 2 values, found 1");
  check_error("1,2,\n", 2, "line 1, column 1: expected 2 values, found 3");
  check_error("1\n", 0, "line 1, column 1: expected 0 values, found 1");
}

TEST_CASE("csv: a limit of n values takes n and refuses n + 1", "[io]") {
  CHECK(io::read_csv("1,2\n3,4\n", 2, {.max_items = 4}));
  CHECK(message_of(io::read_csv("1,2\n3,4\n", 2, {.max_items = 3})) ==
        "line 2, column 3: more than the limit of 3 values");
}

TEST_CASE("csv: every prefix is read or refused", "[io]") {
  const std::string_view source = "\xef\xbb\xbfx,y\r\n1.5e3, -inf\n\n  nan,.25\n";
  tessera_tests::guard_page memory(source.size());
  for (std::size_t size = 0; size <= source.size(); ++size) {
    const auto m = io::read_csv(memory.place(source.substr(0, size)), 2);
    if (m) CHECK(m->values.size() == m->rows * 2);
  }
}

TEST_CASE("csv: numbers are written so that they read back", "[io]") {
  const io::matrix m{2, 3, {0, -0.0, 0.1, inf, -inf, -std::nan("")}};
  CHECK(io::write_csv(m) == "0.0,-0.0,0.1\ninf,-inf,nan\n");
  CHECK(io::write_csv({1, 2, {1e16, 5e-324}}) == "1e+16,5e-324\n");
  CHECK(io::write_csv({0, 2, {}}) == "");
  CHECK(io::write_csv({2, 0, {}}) == "\n\n");

  io::matrix any{1024, 2};
  std::uint64_t state = 1;
  while (any.values.size() < 2048) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto v = std::bit_cast<double>(state ^ state >> 29);
    if (!std::isnan(v)) any.values.push_back(v);
  }
  const text out = io::write_csv(any);
  const auto again = io::read_csv(out, 2);
  REQUIRE(message_of(again) == "");
  REQUIRE(again->values.size() == 2048);
  for (std::size_t i = 0; i < 2048; ++i)
    CHECK(std::bit_cast<std::uint64_t>(again->values[i]) ==
          std::bit_cast<std::uint64_t>(any.values[i]));
}

TEST_CASE("csv: the locale doesn't matter", "[io]") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  check_values("1.5,2.25\n", 2, {1.5, 2.25});
  CHECK(io::write_csv({1, 2, {1.5, 2.25}}) == "1.5,2.25\n");
  std::setlocale(LC_ALL, before.c_str());
}
