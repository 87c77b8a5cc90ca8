// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Elements of every type as doubles, which hold all of them exactly, and the plainest way to round
// a double to each type.
//
//   store("FP16", 0.1)              // two bytes
//   load("FP16", bytes, 0)          // 0.0999755859375
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: vectors.

#ifndef TESSERA_TESTS_ARK_NUMBERS_HPP
#define TESSERA_TESTS_ARK_NUMBERS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/core/bytes.hpp"

namespace numbers {

inline const std::vector<std::string> all_types = {"FP32",   "FP16", "BF16",  "INT32",
                                                   "UINT32", "INT8", "UINT8", "BYTE"};
[[nodiscard]] inline bool is_real(std::string_view type) {
  return type.find("F") == 0 || type == "BF16";
}
[[nodiscard]] inline std::size_t size(std::string_view type) {
  return type.find("32") != type.npos ? 4 : type.find("16") != type.npos ? 2 : 1;
}
[[nodiscard]] inline double lowest(std::string_view type) {
  return type == "INT32" ? -2147483648.0 : type == "INT8" ? -128.0 : 0.0;
}
[[nodiscard]] inline double highest(std::string_view type) {
  return type == "INT32"    ? 2147483647.0
         : type == "UINT32" ? 4294967295.0
         : type == "INT8"   ? 127.0
                            : 255.0;
}

/// A pattern of 16 bits by its definition: so many exponent bits, and the rest fraction.
[[nodiscard]] inline double decode(unsigned bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = static_cast<int>(bits) & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
}
/// All magnitudes, in order of their patterns; in place of infinity, the number that would be next.
[[nodiscard]] inline const std::vector<double>& magnitudes(int exponent_bits) {
  static const auto make = [](int bits) {
    const unsigned infinity = ((1u << bits) - 1) << (15 - bits);
    std::vector<double> all;
    for (unsigned i = 0; i < infinity; ++i) all.push_back(decode(i, bits));
    all.push_back(2 * all.back() - all[infinity - 2]);
    return all;
  };
  static const std::vector<double> half = make(5), bfloat = make(8);
  return exponent_bits == 5 ? half : bfloat;
}
/// The nearest pattern, ties to even, by looking at its neighbours.
[[nodiscard]] inline unsigned encode(double value, int exponent_bits) {
  const std::vector<double>& all = magnitudes(exponent_bits);
  const auto infinity = static_cast<unsigned>(all.size() - 1);
  const unsigned sign = std::signbit(value) ? 0x8000u : 0;
  if (std::isnan(value)) return infinity + 1;
  const double magnitude = std::fabs(value);
  if (magnitude >= all.back()) return sign | infinity;
  const auto high =
      static_cast<unsigned>(std::upper_bound(all.begin(), all.end(), magnitude) - all.begin());
  const double down = magnitude - all[high - 1], up = all[high] - magnitude;
  return sign | (down < up || (down == up && high % 2 == 1) ? high - 1 : high);
}

[[nodiscard]] inline double load(std::string_view type, const std::byte* bytes, std::size_t i) {
  const auto at = [bytes, i]<class T>(T) { return tessera::load_le<T>(bytes + i * sizeof(T)); };
  if (type == "FP32") return static_cast<double>(at(float{}));
  if (type == "FP16" || type == "BF16") {
    const unsigned bits = at(std::uint16_t{});
    const std::vector<double>& all = magnitudes(type == "FP16" ? 5 : 8);
    if ((bits & 0x7fffu) >= all.size() - 1) return decode(bits, type == "FP16" ? 5 : 8);
    return (bits & 0x8000u) != 0 ? -all[bits & 0x7fffu] : all[bits];
  }
  if (type == "INT32") return static_cast<double>(at(std::int32_t{}));
  if (type == "UINT32") return static_cast<double>(at(std::uint32_t{}));
  if (type == "INT8") return static_cast<double>(at(std::int8_t{}));
  return static_cast<double>(at(std::uint8_t{}));
}
/// Rounded; integers are cut off, and end where their range does.
inline void store(std::string_view type, double value, std::byte* to) {
  const auto put = [to](auto v) { tessera::store_le(to, v); };
  if (type == "FP32") return put(static_cast<float>(value));
  if (type == "FP16") return put(static_cast<std::uint16_t>(encode(value, 5)));
  if (type == "BF16") return put(static_cast<std::uint16_t>(encode(value, 8)));
  const double whole =
      std::isnan(value) ? 0 : std::clamp(std::trunc(value), lowest(type), highest(type));
  const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole));
  if (size(type) == 4) return put(static_cast<std::uint32_t>(bits));
  put(static_cast<std::uint8_t>(bits));
}
[[nodiscard]] inline double rounded(std::string_view type, double value) {
  std::byte bytes[4] = {};
  store(type, value, bytes);
  return load(type, bytes, 0);
}
/// A whole number modulo the type's range.
[[nodiscard]] inline double wrapped(std::string_view type, std::int64_t value) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value);
  if (type == "INT32") return static_cast<double>(static_cast<std::int32_t>(bits));
  if (type == "UINT32") return static_cast<double>(static_cast<std::uint32_t>(bits));
  if (type == "INT8") return static_cast<double>(static_cast<std::int8_t>(bits));
  return static_cast<double>(static_cast<std::uint8_t>(bits));
}

[[nodiscard]] inline std::vector<std::byte> bytes(std::string_view type,
                                                  const std::vector<double>& values) {
  std::vector<std::byte> out(values.size() * size(type));
  for (std::size_t i = 0; i < values.size(); ++i) store(type, values[i], &out[i * size(type)]);
  return out;
}
[[nodiscard]] inline std::vector<double> values(std::string_view type,
                                                const std::vector<std::byte>& bytes) {
  std::vector<double> out;
  for (std::size_t i = 0; i < bytes.size() / size(type); ++i)
    out.push_back(load(type, bytes.data(), i));
  return out;
}
[[nodiscard]] inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Some numbers of a type, with those at the ends of its range; always the same for one seed.
[[nodiscard]] inline std::vector<double> some(std::string_view type, std::size_t count,
                                              std::uint32_t seed, bool tame = false) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double unit = static_cast<double>(seed >> 8) / 16777216.0;
    double v = 0;
    if (is_real(type)) {
      v = (unit - 0.5) * 8;
      if (!tame && i % 7 == 3) v *= 20000;
      if (!tame && i % 11 == 5) v *= 1e-6;
      if (!tame && i % 31 == 8) v = std::numeric_limits<double>::infinity();
      if (!tame && i % 31 == 20) v = std::numeric_limits<double>::quiet_NaN();
    } else {
      v = lowest(type) + std::floor(unit * (highest(type) - lowest(type) + 1));
      if (i % 5 == 1) v = lowest(type);
      if (i % 5 == 2) v = highest(type);
      if (tame) v = std::floor(unit * 20) - (lowest(type) < 0 ? 10 : 0);
    }
    out.push_back(rounded(type, v));
  }
  return out;
}

}  // namespace numbers

#endif  // TESSERA_TESTS_ARK_NUMBERS_HPP
