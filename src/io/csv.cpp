// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "tessera/core/number.hpp"
#include "tessera/core/shortest.hpp"

namespace tessera::inline TESSERA_ABI {
namespace io {
namespace {

[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

void trim(std::string_view& s) noexcept {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
}

/// `lower` is in lower case.
[[nodiscard]] bool is_word(std::string_view s, std::string_view lower) noexcept {
  return std::equal(s.begin(), s.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

/// The number that all of `s` is; infinite for digits beyond the largest double, too.
[[nodiscard]] std::optional<double> parse_number(std::string_view s) noexcept {
  const bool is_negative = s.starts_with('-');
  if (is_negative || s.starts_with('+')) s.remove_prefix(1);
  const double sign = is_negative ? -1 : 1;
  if (is_word(s, "nan")) return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (is_word(s, "inf") || is_word(s, "infinity"))
    return sign * std::numeric_limits<double>::infinity();
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t start = i;
    while (i < s.size() && is_digit(s[i])) ++i;
    return i - start;
  };
  const std::size_t whole = skip_digits();
  std::size_t fraction = 0;
  if (i < s.size() && s[i] == '.') {
    ++i;
    fraction = skip_digits();
  }
  if (whole + fraction == 0) return std::nullopt;
  decimal number{s.substr(0, i), -static_cast<std::int64_t>(fraction)};
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    const bool is_small = i < s.size() && s[i] == '-';
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    const std::size_t start = i;
    if (skip_digits() == 0) return std::nullopt;
    std::int64_t exponent = 0;
    for (const char c : s.substr(start, i - start))
      exponent = std::min(exponent * 10 + (c - '0'), std::int64_t{1} << 59);
    number.exponent += is_small ? -exponent : exponent;
  }
  if (i != s.size()) return std::nullopt;
  return sign * decimal_to_double(number);
}

/// The field as a message shows it.
[[nodiscard]] std::string quoted(std::string_view field) {
  if (field.empty()) return "nothing";
  constexpr std::size_t max_shown = 24;
  std::string out = "\"";
  for (const char c : field.substr(0, max_shown)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (field.size() > max_shown ? "...\"" : "\"");
}

[[nodiscard]] failure wrong(std::uint64_t line, std::size_t column, const std::string& what) {
  return {fault::content,
          "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + what};
}

/// Whether the first field of a first line says that the line names the columns. One that begins
/// like a number but isn't one is a mistake, and not to be skipped in silence.
[[nodiscard]] bool is_heading(std::string_view line) noexcept {
  std::string_view field = line.substr(0, line.find(','));
  trim(field);
  if (parse_number(field)) return false;
  return field.empty() ||
         !(is_digit(field[0]) || field[0] == '+' || field[0] == '-' || field[0] == '.');
}

}  // namespace

expected<matrix> read_csv(std::string_view source, std::uint64_t columns, const limits& limit) {
  matrix out{0, columns};
  std::size_t next = source.starts_with("\xef\xbb\xbf") ? 3 : 0;  // a byte order mark
  bool is_first = true;
  for (std::uint64_t number = 1; next < source.size(); ++number) {
    std::string_view line = source.substr(next);
    const std::size_t first_column = number == 1 ? next + 1 : 1;
    line = line.substr(0, line.find('\n'));
    next += line.size() + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (std::all_of(line.begin(), line.end(), is_blank)) continue;
    if (std::exchange(is_first, false) && is_heading(line)) continue;

    const auto found = static_cast<std::uint64_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (found != columns)
      return wrong(number, first_column,
                   "expected " + std::to_string(columns) + (columns == 1 ? " value" : " values") +
                       ", found " + std::to_string(found));
    for (std::size_t at = 0; at <= line.size();) {
      std::string_view field = line.substr(at);
      field = field.substr(0, field.find(','));
      const std::size_t end = at + field.size();
      while (at < end && is_blank(line[at])) ++at;
      trim(field);
      const std::optional<double> value = parse_number(field);
      if (!value)
        return wrong(number, first_column + at, "expected a number, found " + quoted(field));
      if (std::isinf(*value) && (is_digit(field.back()) || field.back() == '.'))
        return wrong(number, first_column + at, "the number is outside the range of a double");
      if (out.values.size() >= limit.max_items)
        return wrong(number, first_column + at,
                     "more than the limit of " + std::to_string(limit.max_items) + " values");
      out.values.push_back(*value);
      at = end + 1;
    }
    ++out.rows;
  }
  return out;
}

text write_csv(const matrix& m) {
  text out;
  const double* value = m.values.data();
  for (std::uint64_t row = 0; row < m.rows; ++row) {
    for (std::uint64_t column = 0; column < m.columns; ++column, ++value) {
      if (column != 0) out << ',';
      if (std::isfinite(*value))
        append_double(out, *value, double_style::python);
      else
        out << (std::isnan(*value) ? "nan" : *value < 0 ? "-inf" : "inf");
    }
    out << '\n';
  }
  return out;
}

}  // namespace io
}  // namespace tessera::inline TESSERA_ABI
