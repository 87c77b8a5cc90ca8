// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <set>
#include <string>
#include <tessera/tessera.hpp>
#include <type_traits>

#include "../support/catch.hpp"

using namespace tessera;

static_assert(std::is_trivially_copyable_v<error> && sizeof(error) <= 16);
static_assert(!std::is_convertible_v<error, bool> && !std::is_constructible_v<bool, error>);
static_assert(error{}.code == errc::ok && error{}.offset == 0);
static_assert(error{errc::json_depth, 1} == error{errc::json_depth, 1});
static_assert(error{errc::json_depth, 1} != error{errc::json_depth, 2});
static_assert(error{errc::json_depth, 1} != error{errc::json_bad_utf8, 1});

TEST_CASE("error: codes are unique, ascending and in the range of their owner", "[core]") {
  CHECK(static_cast<int>(errc::ok) == 0);
  int previous = -1;
  for_each_errc([&](const errc_row& row) {
    INFO(row.name);
    const int value = static_cast<int>(row.code);
    CHECK(value > previous);
    previous = value;
    if (row.name.starts_with("json_"))
      CHECK((value >= 100 && value <= 199));
    else if (row.name.starts_with("alir_"))
      CHECK((value >= 1000 && value <= 1999));
    else if (row.name.starts_with("ark_"))
      CHECK((value >= 2000 && value <= 2999));
    else if (row.name.starts_with("nac_"))
      CHECK((value >= 3000 && value <= 3999));
    else if (row.name.starts_with("nem_"))
      CHECK((value >= 4000 && value <= 4999));
    else if (row.name.starts_with("genome_"))
      CHECK((value >= 5000 && value <= 5999));
    else if (row.name.starts_with("pt2_"))
      CHECK((value >= 6000 && value <= 6999));
    else
      CHECK((value >= 0 && value <= 99));
  });
}

TEST_CASE("error: each code has a name and a message of its own", "[core]") {
  std::set<std::string_view> names, messages;
  for_each_errc([&](const errc_row& row) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(messages.insert(row.message).second);
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") ==
          std::string_view::npos);
    REQUIRE_FALSE(row.message.empty());
    CHECK(row.message.back() != '.');
    CHECK(row.message.front() != ' ');
    for (const char c : row.message) CHECK((c >= ' ' && c <= '~'));
    const error e{row.code, 7};
    CHECK(e.name() == row.name);
    CHECK(e.message() == row.message);
  });
  CHECK(names.size() > 600);  // those of every format
}

TEST_CASE("error: names are those of the enumerators", "[core]") {
  CHECK(error{errc::json_depth, 0}.name() == "json_depth");
  CHECK(error{errc::input_too_large, 0}.name() == "input_too_large");
  CHECK(error{errc::json_depth, 64}.message() ==
        "containers are nested deeper than limits::max_depth");
  CHECK(error{}.message() == "no error");
}

TEST_CASE("error: a code outside the table says so", "[core]") {
  const error e{static_cast<errc>(65535), 7};
  CHECK(e.name() == "unknown");
  CHECK(e.message() == "unknown error");
}
