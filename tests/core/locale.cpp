// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Numbers look the same under a locale that writes them with a comma.

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <string>
#include <tessera/core/json.hpp>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

struct comma final : std::numpunct<char> {
  [[nodiscard]] char do_decimal_point() const override { return ','; }
  [[nodiscard]] char do_thousands_sep() const override { return '.'; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

/// Puts both locales back.
class saved_locales {
 public:
  saved_locales() : c_(std::setlocale(LC_ALL, nullptr)) {}
  saved_locales(const saved_locales&) = delete;
  saved_locales& operator=(const saved_locales&) = delete;
  ~saved_locales() {
    std::locale::global(cpp_);
    std::setlocale(LC_ALL, c_.c_str());
  }

 private:
  std::string c_;
  std::locale cpp_;
};

void check_numbers() {
  json::reader in("[1234567.5, 0.1, 1e22, 123456789012345678901234567890.5]");
  double sum = 0;
  std::string written;
  for (in.array(); in.element();) {
    const double v = in.number().value;
    sum += v;
    text out;
    json::writer(out).number(v);
    written += std::string(out.view()) + ' ';
  }
  CHECK(in.finish() == error{});
  CHECK(sum == 1234567.5 + 0.1 + 1e22 + 123456789012345678901234567890.5);
  CHECK(written == "1234567.5 0.1 1e+22 1.2345678901234568e+29 ");
  text integers;
  integers << 1234567;
  CHECK(integers == "1234567");
  CHECK(json::reader("1,5").number().value == 1.0);
}

}  // namespace

TEST_CASE("locale: a decimal comma in the C++ locale changes nothing", "[core]") {
  const saved_locales saved;
  std::locale::global(std::locale(std::locale::classic(), new comma));
  std::ostringstream control;
  control << 1234.5;
  REQUIRE(control.str() == "1.234,5");
  check_numbers();
}

TEST_CASE("locale: a decimal comma in the C locale changes nothing", "[core]") {
  const saved_locales saved;
  for (const char* const name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "German"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  char control[8];
  std::snprintf(control, sizeof control, "%.1f", 0.5);
  if (std::string_view(control) != "0,5") {
    // ctest names a folder of locales when it could make one, and then there is no excuse.
    REQUIRE(std::getenv("LOCPATH") == nullptr);
    WARN("no locale with a decimal comma is installed");
    return;
  }
  check_numbers();
}
