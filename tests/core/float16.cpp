// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <tessera/core/float16.hpp>
#include <vector>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

/// The definition of a 16-bit float with `fraction_bits`, in plain arithmetic. Infinity for all
/// that isn't finite, by magnitude.
double magnitude_of(unsigned pattern, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(pattern & 0x7fffu) >> fraction_bits;
  const double fraction = pattern & ((1u << fraction_bits) - 1);
  if (exponent == (1 << exponent_bits) - 1) return std::numeric_limits<double>::infinity();
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits);
  return std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/// Rounds by looking for the two neighbours in the table of all magnitudes.
class rounding_oracle {
 public:
  explicit rounding_oracle(int fraction_bits) {
    for (unsigned p = 0; p < 0x8000; ++p) {
      const double v = magnitude_of(p, fraction_bits);
      if (std::isinf(v)) {  // rounding treats infinity as the next power of two
        values_.push_back(2 * std::ldexp(1.0, std::ilogb(values_.back())));
        break;
      }
      values_.push_back(v);
    }
  }
  [[nodiscard]] std::uint16_t operator()(float value) const {
    const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
    const double v = std::fabs(static_cast<double>(value));
    if (v >= values_.back()) return static_cast<std::uint16_t>(sign | (values_.size() - 1));
    std::size_t low = 0, high = values_.size() - 1;  // values_[low] <= v < values_[high]
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (values_[middle] <= v ? low : high) = middle;
    }
    const double below = v - values_[low], above = values_[high] - v;  // exact
    const bool up = above < below || (above == below && low % 2 == 1);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
  }

 private:
  std::vector<double> values_;
};

/// Floats where rounding is most likely to be wrong, and random ones.
std::vector<float> hard_floats(int fraction_bits) {
  std::vector<float> floats;
  const auto around = [&](float f) {
    floats.push_back(f);
    floats.push_back(std::nextafterf(f, 0));
    floats.push_back(std::nextafterf(f, std::numeric_limits<float>::infinity()));
  };
  for (unsigned p = 0; p < 0x8000; p += 1) {
    const double v = magnitude_of(p, fraction_bits), w = magnitude_of(p + 1, fraction_bits);
    if (std::isinf(v)) break;
    around(static_cast<float>(v));
    if (!std::isinf(w)) around(static_cast<float>((v + w) / 2));
  }
  for (const float f : {65504.0f, 65519.0f, 65520.0f, 65536.0f, 1e38f}) around(f);
  floats.push_back(std::bit_cast<float>(0x7f7f7fffu));  // the last bfloat16 below its tie
  floats.push_back(std::bit_cast<float>(0x7f7f8000u));
  floats.push_back(std::numeric_limits<float>::max());
  floats.push_back(std::numeric_limits<float>::infinity());
  std::mt19937 random(1);
  while (floats.size() < 300000) {
    const auto f = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(f)) floats.push_back(f);
  }
  return floats;
}

template <class From>
void check_rounding(int fraction_bits, From from_float) {
  const rounding_oracle oracle(fraction_bits);
  unsigned wrong = 0;
  float first_wrong = 0;
  for (const float f : hard_floats(fraction_bits))
    for (const float v : {f, -f})
      if (from_float(v) != oracle(v) && wrong++ == 0) first_wrong = v;
  CAPTURE(first_wrong);
  CHECK(wrong == 0);
}

template <class To, class From>
void check_exact(int fraction_bits, To to_float, From from_float) {
  const unsigned infinity = 0x7fffu >> fraction_bits << fraction_bits;
  unsigned wrong_value = 0, wrong_pattern = 0;
  for (unsigned p = 0; p < 0x10000; ++p) {
    const auto pattern = static_cast<std::uint16_t>(p);
    const float f = to_float(pattern);
    if ((p & 0x7fffu) > infinity) {  // NaN: stays one, with its sign; quiet, fraction kept
      const auto bits = std::bit_cast<std::uint32_t>(f);
      const unsigned quiet = p | 1u << (fraction_bits - 1);
      if (!std::isnan(f) || bits >> 31 != p >> 15) ++wrong_value;
      if (from_float(f) != quiet) ++wrong_pattern;
      continue;
    }
    const double magnitude = magnitude_of(p, fraction_bits);
    if (static_cast<double>(f) != (p >> 15 != 0 ? -magnitude : magnitude) ||
        std::signbit(f) != (p >> 15 != 0))
      ++wrong_value;
    if (from_float(f) != pattern) ++wrong_pattern;
  }
  CHECK(wrong_value == 0);
  CHECK(wrong_pattern == 0);
}

}  // namespace

TEST_CASE("float16: every binary16 has its value and comes back", "[core]") {
  check_exact(10, float_from_half, half_from_float);
}
TEST_CASE("float16: every bfloat16 has its value and comes back", "[core]") {
  check_exact(7, float_from_bfloat16, bfloat16_from_float);
}
TEST_CASE("float16: binary16 rounds to nearest, ties to even", "[core]") {
  check_rounding(10, half_from_float);
}
TEST_CASE("float16: bfloat16 rounds to nearest, ties to even", "[core]") {
  check_rounding(7, bfloat16_from_float);
}

TEST_CASE("float16: known patterns", "[core]") {
  static_assert(float_from_half(0x3c00) == 1.0f);
  static_assert(float_from_half(0x0001) == 5.9604644775390625e-8f);
  static_assert(float_from_half(0x7bff) == 65504.0f);
  static_assert(half_from_float(65519.996f) == 0x7bff);
  static_assert(half_from_float(65520.0f) == 0x7c00);
  static_assert(half_from_float(-0.0f) == 0x8000);
  static_assert(half_from_float(2.98023223876953125e-8f) == 0x0000);  // a tie with zero
  static_assert(half_from_float(2.9802326e-8f) == 0x0001);
  static_assert(half_from_float(8.940696716308594e-8f) == 0x0002);  // a tie that goes up
  static_assert(bfloat16_from_float(1.0f) == 0x3f80);
  static_assert(bfloat16_from_float(3.4e38f) == 0x7f80);
}

TEST_CASE("float16: a NaN whose payload is only in the low bits stays a NaN", "[core]") {
  for (const std::uint32_t bits :
       {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffc00000u, 0x7f802000u}) {
    const auto f = std::bit_cast<float>(bits);
    const unsigned half = half_from_float(f), brain = bfloat16_from_float(f);
    CHECK((half & 0x7fffu) > 0x7c00);
    CHECK((brain & 0x7fffu) > 0x7f80);
    CHECK(half >> 15 == bits >> 31);
    CHECK(brain >> 15 == bits >> 31);
    CHECK((half & 0x1ffu) == (bits >> 13 & 0x1ffu));
    CHECK((brain & 0x3fu) == (bits >> 16 & 0x3fu));
  }
}
