// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Numbers against the standard library: the input's first 8 bytes are a double to write and read
// again, and all of it is a number to read.

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/json.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/shortest.hpp>

#include "require.hpp"

using namespace tessera;

namespace {

[[nodiscard]] bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// The digits of a number without sign, point, exponent and zeros at both ends.
[[nodiscard]] std::string significant(std::string_view number) {
  std::string digits;
  for (const char c : number.substr(0, number.find('e')))
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits;
}

void check_write(double v, fuzz::turns& turn) {
  if (!std::isfinite(v)) return;
  char shortest[64];
  const auto end =
      std::to_chars(shortest, shortest + sizeof shortest, v, std::chars_format::scientific);
  const std::string_view expected(shortest, static_cast<std::size_t>(end.ptr - shortest));
  for (const double_style style : {double_style::python, double_style::json15}) {
    if (!turn.one_in(4)) continue;
    text out;
    append_double(out, v, style);
    const fuzz::exact written(out.view());
    const std::string_view digits = written.text();
    fuzz::require(digits.find_first_of(".e") != std::string_view::npos,
                  "a double is written with a fraction or an exponent");
    fuzz::require(significant(digits) == significant(expected), "the shortest digits, the nearest");
    double parsed = 0;
    const auto got = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    fuzz::require(
        got.ec == std::errc() && got.ptr == digits.data() + digits.size() && same_bits(parsed, v),
        "the standard library reads what was written");
    json::reader in(digits);
    const json::number n = in.number();
    fuzz::require(in.finish().code == errc::ok && same_bits(n.value, v) && !n.integral,
                  "the reader reads what was written");
  }
}

/// A number that the reader accepts, by std::strtod, which rounds correctly in the C locale.
void check_read(std::string_view source) {
  json::reader in(source);
  const std::string_view token = in.skip();
  const error e = in.finish();
  if (token.empty() || token.find_first_not_of("0123456789+-.eE") != std::string_view::npos) {
    json::reader number(source);
    (void)number.number();
    if (const error wrong = number.finish(); wrong.code == errc::json_number_range)
      fuzz::require(e == wrong, "a number is checked on every way past it");
    return;
  }
  if (e.code != errc::ok) return;
  const std::string terminated(token);
  json::reader again(source);
  const json::number n = again.number();
  fuzz::require(again.error().code == errc::ok, "what was skipped as a number is one");
  fuzz::require(same_bits(n.value, std::strtod(terminated.c_str(), nullptr)),
                "decimals are rounded correctly");

  json::reader as_integer(source);
  bool above = false;
  const std::int64_t pattern = as_integer.int64_pattern(above);
  fuzz::require((as_integer.error().code != errc::json_expected_integer) == n.integral,
                "integers are those without fraction and exponent");
  if (!n.integral) return;
  const char* const first = terminated.data();
  const char* const last = first + terminated.size();
  std::int64_t narrow = 0;
  std::uint64_t wide = 0;
  if (std::from_chars(first, last, narrow).ec == std::errc()) {
    fuzz::require(!as_integer.failed() && !above && pattern == narrow, "int64 is exact");
  } else if (*first != '-' && std::from_chars(first, last, wide).ec == std::errc()) {
    fuzz::require(!as_integer.failed() && above && static_cast<std::uint64_t>(pattern) == wide,
                  "uint64 is exact");
  } else {
    fuzz::require(as_integer.error().code == errc::json_integer_range,
                  "larger integers are refused");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source = fuzz::as_text(data, size);
  fuzz::turns turn(source);
  if (size >= 8) check_write(load_le<double>(data), turn);
  check_read(source);
  return 0;
}
