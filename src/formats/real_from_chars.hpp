// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// std::from_chars for doubles, which libc++ has from version 20 on.
//
//   double v = 0;
//   const auto [end, failed] = real_from_chars(s.data(), s.data() + s.size(), v);
//
// Lifetime:   nothing is kept.
// Errors:     those of std::from_chars, with which the value stays as it was.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_FORMATS_REAL_FROM_CHARS_HPP
#define TESSERA_FORMATS_REAL_FROM_CHARS_HPP

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

#include "tessera/core/number.hpp"
#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace chars {

[[nodiscard]] inline bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A word at the beginning, in letters of any case; null: it isn't there.
[[nodiscard]] inline const char* after_word(const char* at, const char* last,
                                            std::string_view word) noexcept {
  for (const char c : word)
    if (at == last || (*at++ | 0x20) != c) return nullptr;
  return at;
}

/// Takes an exponent, and leaves what isn't one.
[[nodiscard]] inline const char* exponent_from_chars(const char* at, const char* last,
                                                     std::int64_t& to) noexcept {
  if (at == last || (*at | 0x20) != 'e') return at;
  const char* p = at + 1;
  const bool is_negative = p != last && *p == '-';
  if (p != last && (*p == '-' || *p == '+')) ++p;
  if (p == last || !is_digit(*p)) return at;
  constexpr std::int64_t most = std::int64_t{1} << 40;  // as good as any that is larger
  std::int64_t e = 0;
  for (; p != last && is_digit(*p); ++p)
    if (e < most) e = e * 10 + (*p - '0');
  to += is_negative ? -e : e;
  return p;
}

/// What libraries without it get.
[[nodiscard]] inline std::from_chars_result plain_real_from_chars(const char* first,
                                                                  const char* last,
                                                                  double& value) noexcept {
  const char* at = first;
  const bool is_negative = at != last && *at == '-';
  if (is_negative) ++at;
  for (const std::string_view word : {"infinity", "inf", "nan"})
    if (const char* const end = after_word(at, last, word); end != nullptr) {
      value = word == "nan" ? std::numeric_limits<double>::quiet_NaN()
                            : std::numeric_limits<double>::infinity();
      if (is_negative) value = -value;
      return {end, std::errc{}};
    }
  const char* const digits = at;
  std::size_t count = 0;
  std::int64_t exponent = 0;
  bool has_point = false, is_zero = true;
  for (; at != last && (is_digit(*at) || (*at == '.' && !has_point)); ++at) {
    if (*at == '.') {
      has_point = true;
      continue;
    }
    ++count;
    exponent -= has_point ? 1 : 0;
    is_zero = is_zero && *at == '0';
  }
  if (count == 0) return {first, std::errc::invalid_argument};
  const std::string_view all(digits, static_cast<std::size_t>(at - digits));
  at = exponent_from_chars(at, last, exponent);
  const double magnitude = decimal_to_double({all, exponent});
  if (std::isinf(magnitude) || (magnitude == 0 && !is_zero))
    return {at, std::errc::result_out_of_range};
  value = is_negative ? -magnitude : magnitude;
  return {at, std::errc{}};
}

[[nodiscard]] inline std::from_chars_result real_from_chars(const char* first, const char* last,
                                                            double& value) noexcept {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(first, last, value);
#else
  return plain_real_from_chars(first, last, value);
#endif
}

}  // namespace chars
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_FORMATS_REAL_FROM_CHARS_HPP
