// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Doubles to decimal text: the shortest that reads back as the same double, and the nearest of those.
//
//   tessera::text out;
//   tessera::append_double(out, 0.1, tessera::double_style::python);   // 0.1
//
// Three ways, each exact, the quickest that can prove its answer first:
//
//   up to 15 digits, 8 of them after the point      one multiplication, one division as a check
//   any but the smallest doubles                     v and its rounding interval in 128 bits
//   what is too close to a tie for that              big integers
//
// std::to_chars for doubles is missing from libc++ before version 14 and costs <charconv>.
//
// Lifetime:   values.
// Errors:     none; the caller passes finite doubles.
// Limits:     none.
// Allocation: none but the text that is appended to.

#ifndef TESSERA_CORE_SHORTEST_HPP
#define TESSERA_CORE_SHORTEST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "digits.hpp"
#include "number.hpp"
#include "text.hpp"

namespace tessera::inline TESSERA_ABI {

/// How a double is laid out. Both write the shortest digits that read back as the same double, a
/// fraction or an exponent always, and two exponent digits or more with a sign.
enum class double_style : std::uint8_t {
  python,  ///< repr(): plain for 1e-4 <= |v| < 1e16
  json15,  ///< plain for 1e-4 <= |v| < 1e15, as common C++ JSON libraries write
};

/// What put_double may write to. All of it may be overwritten, whatever the number's length.
inline constexpr std::size_t double_capacity = 40;

namespace detail {

inline constexpr std::uint64_t powers_of_five[] = {1u,
                                                   5u,
                                                   25u,
                                                   125u,
                                                   625u,
                                                   3125u,
                                                   15625u,
                                                   78125u,
                                                   390625u,
                                                   1953125u,
                                                   9765625u,
                                                   48828125u,
                                                   244140625u,
                                                   1220703125u,
                                                   6103515625u,
                                                   30517578125u,
                                                   152587890625u,
                                                   762939453125u,
                                                   3814697265625u,
                                                   19073486328125u,
                                                   95367431640625u,
                                                   476837158203125u,
                                                   2384185791015625u,
                                                   11920928955078125u,
                                                   59604644775390625u,
                                                   298023223876953125u,
                                                   1490116119384765625u,
                                                   7450580596923828125u};

struct word_pair {
  std::uint64_t high, low;
};

/// 5^(27 * i) for i from -11 to 12: the first 128 bits, cut.
inline constexpr word_pair powers_of_five_27[] = {
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e}, {0x873e4f75e2224e68, 0x5a7744a6e804a291},
    {0xda7f5bf590966848, 0xaf39a475506a899e}, {0xb080392cc4349dec, 0xbd8d794d96aacfb3},
    {0x8e938662882af53e, 0x547eb47b7282ee9c}, {0xe65829b3046b0afa, 0x0cb4a5a3112a5112},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413}, {0x964e858c91ba2655, 0x3a6a07f8d510f86f},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3}, {0xc428d05aa4751e4c, 0xaa97e14c3c26b886},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d}, {0x8000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000}, {0xa70c3c40a64e6c51, 0x999090b65f67d924},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3}, {0xda01ee641a708de9, 0xe80e6f4820cc9495},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f}, {0x8e41ade9fbebc27d, 0x14588f13be847307},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa}, {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e}, {0xf24a01a73cf2dccf, 0xbc633b39673c8cec},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8}, {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1}};

/// 0.ddddddddddddddddd * 10^point: a significand of exactly 17 digits.
struct decimal_17 {
  std::uint64_t significand;
  int point;
};

/// Shortest digits of a finite v > 0 and the power of ten of the last: Steele and White's free
/// format algorithm in the form of Dragon4. Returns the number of digits, at most 17.
[[gnu::cold]] inline unsigned shortest_digits_exact(double v, char* digits,
                                                    int& exponent) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = biased != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  const int binary = (biased != 0 ? biased : 1) - 1075;
  const bool closed = (significand & 1) == 0;       // ties to even read back as v
  const bool uneven = fraction == 0 && biased > 1;  // the gap below v is half the gap above
  const unsigned twice = uneven ? 2 : 1;
  // v = r / s; below and above: half the gaps to the neighbours, over s
  big_integer r(significand), s(1), below(1), above(1);
  r.shift_left(twice + static_cast<unsigned>(binary > 0 ? binary : 0));
  s.shift_left(twice + static_cast<unsigned>(binary < 0 ? -binary : 0));
  if (binary > 0) {
    below.shift_left(static_cast<unsigned>(binary));
    above.shift_left(static_cast<unsigned>(binary));
  }
  if (uneven) above.shift_left(1);
  // Scale by the power of ten k with 10^(k-1) <= v + above < 10^k: guess from the bit length, low.
  const int log2 = 63 - std::countl_zero(significand) + binary;
  int k = static_cast<int>((static_cast<long long>(log2) * 1233) >> 12);
  if (k >= 0) {
    s.multiply_power_of_ten(static_cast<unsigned>(k));
  } else {
    r.multiply_power_of_ten(static_cast<unsigned>(-k));
    below.multiply_power_of_ten(static_cast<unsigned>(-k));
    above.multiply_power_of_ten(static_cast<unsigned>(-k));
  }
  const auto reaches = [&](const big_integer& limit) {  // v + above >= limit, or > when open
    big_integer high = r;
    high.add(above);
    return high.compare(limit) >= (closed ? 0 : 1);
  };
  while (reaches(s)) {
    s.multiply_add(10, 0);
    ++k;
  }
  unsigned count = 0;
  for (;;) {
    r.multiply_add(10, 0);
    below.multiply_add(10, 0);
    above.multiply_add(10, 0);
    char digit = '0';
    while (r.compare(s) >= 0) {
      r.subtract(s);
      ++digit;
    }
    --k;
    const bool low = r.compare(below) < (closed ? 1 : 0);
    const bool high = reaches(s);
    if (!low && !high) {
      digits[count++] = digit;
      continue;
    }
    r.shift_left(1);
    const int half = r.compare(s);  // both ends fit: the nearer one, ties to the even digit
    const bool up = high && (!low || half > 0 || (half == 0 && ((digit - '0') & 1) != 0));
    digits[count++] = static_cast<char>(digit + (up ? 1 : 0));
    exponent = k;
    return count;
  }
}

/// a * b
[[nodiscard]] inline word_pair multiply(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ using wide = unsigned __int128;
  const wide p = wide{a} * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
  constexpr std::uint64_t half = 0xffffffffu;
  const std::uint64_t first = (a & half) * (b & half);
  const std::uint64_t second = (a >> 32) * (b & half) + (first >> 32);
  const std::uint64_t third = (a & half) * (b >> 32) + (second & half);
  return {(a >> 32) * (b >> 32) + (second >> 32) + (third >> 32), third << 32 | (first & half)};
#endif
}
/// a * b / 2^64, cut
[[nodiscard]] inline word_pair multiply_high(word_pair a, std::uint64_t b) noexcept {
  word_pair p = multiply(a.high, b);
  const std::uint64_t carried = multiply(a.low, b).high;
  p.low += carried;
  p.high += p.low < carried ? 1 : 0;
  return p;
}

/// (high * 2^64 + low) * 2^exponent
struct binary_128 {
  word_pair bits;
  int exponent;
};

/// 5^power for powers from -297 to 350, of 127 or 128 bits: exact from 0 to 27, else cut, with an
/// error below 3 in the last bit.
[[nodiscard]] inline binary_128 power_of_five(int power) noexcept {
  const auto from_table = [](int i) -> binary_128 {
    const int zeros = std::countl_zero(powers_of_five[i]);
    return {{powers_of_five[i] << zeros, 0}, -64 - zeros};
  };
  if (power >= 0 && power <= 27) return from_table(power);
  const int coarse = (power + 297) / 27 - 11;
  const binary_128 fine = from_table((power + 297) % 27);
  // 1217359 / 2^19 is just above log2(5).
  return {multiply_high(powers_of_five_27[coarse + 11], fine.bits.high),
          (27 * coarse * 1217359 >> 19) - 127 + fine.exponent + 128};
}

[[nodiscard]] inline decimal_17 shortest_by_big_integers(double v) noexcept {
  char digits[20];
  int exponent = 0;
  const unsigned count = shortest_digits_exact(v, digits, exponent);
  std::uint64_t significand = 0;
  for (unsigned i = 0; i < 17; ++i)
    significand = significand * 10 + static_cast<std::uint64_t>(i < count ? digits[i] - '0' : 0);
  return {significand, static_cast<int>(count) + exponent};
}

/// Shortest digits of a finite v > 0, the nearest to v of those.
[[nodiscard]] inline decimal_17 shortest(double v) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  if (biased < 2) return shortest_by_big_integers(v);  // fewer bits, and even gaps at 2^-1022
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  const int binary = biased - 1075;  // v = significand * 2^binary
  // The least scale by which v's rounding interval, times 10^scale, is as wide as 1, so that it
  // holds an integer; it is narrower than 10. The width is one ulp, or 3/4 at a power of two.
  // 315653 / 2^20 is just above log10(2), and -1 / 8 near enough to log10(3/4).
  const bool nearer = fraction == 0;  // the double below
  const int scale = -((binary * 315653 - (nearer ? 1 << 17 : 0)) >> 20);
  const binary_128 five = power_of_five(scale);
  const bool exact = five.bits.low == 0;
  // v * 10^scale with 64 bits after the point, and half an ulp in the same form, half of that
  // below a power of two. The significand is shifted by what five.exponent leaves: 1 to 5 bits.
  const int shift = 128 + binary + scale + five.exponent;
  word_pair value = multiply(five.bits.high, significand << shift);
  if (!exact) value = multiply_high(five.bits, significand << shift);
  const std::uint64_t above_high = (five.bits.high >> 1) >> (64 - shift);
  const std::uint64_t above_low =
      five.bits.high << (shift - 1) | (five.bits.low >> 1) >> (64 - shift);
  const std::uint64_t below_high = nearer ? above_high >> 1 : above_high;
  const std::uint64_t below_low = nearer ? above_high << 63 | above_low >> 1 : above_low;
  const std::uint64_t end = value.low + above_low, begin = value.low - below_low;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  if (!exact) {
    // These three are off by less than 3: too close to an integer or to a half, that could decide.
    const auto close = [](std::uint64_t low) { return low + 16 < 32; };
    if (close(begin) || close(end) || close(value.low - half)) return shortest_by_big_integers(v);
  }
  // The integers within. Ties to even: the ends read back as v when the significand is even.
  const std::uint64_t odd = significand & 1;
  const std::uint64_t high =
      value.high + above_high + (end < above_low ? 1 : 0) - (end < odd ? 1 : 0);
  const std::uint64_t low =
      value.high - below_high - (value.low < below_low ? 1 : 0) + ((begin | odd) != 0 ? 1 : 0);
  // A multiple of ten has a digit less. There is one at most, with any zeros that go with it.
  std::uint64_t nearest = high / 10 * 10;
  if (nearest < low) {
    nearest = value.high;
    if (value.low > half || (value.low == half && (nearest & 1) != 0)) ++nearest;
    nearest = nearest < low ? low : nearest > high ? high : nearest;
  }
  const bool has_16 = nearest < powers_of_ten[16];
  return {has_16 ? nearest * 10 : nearest, (has_16 ? 16 : 17) - scale};
}

/// How many of eight digits there are up to the last that isn't 0; there is one.
[[nodiscard]] inline unsigned up_to_last(std::uint64_t digits) noexcept {
  return (static_cast<unsigned>(std::countl_zero(digits) ^ 63) >> 3) + 1;
}

/// n < 10^16 in 16 characters. Returns how many there are without the zeros at the end.
inline unsigned put_sixteen(char* to, std::uint64_t n) noexcept {
  const std::uint64_t high = eight_digits(static_cast<std::uint32_t>(n / 100000000));
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(n % 100000000));
  store_le(to, high | eight_zeros);
  store_le(to + 8, low | eight_zeros);
  return low != 0 ? 8 + up_to_last(low) : high != 0 ? up_to_last(high) : 0;
}

/// Writes a finite v > 0 whatever its digits, and returns the end. Not inline, so that the common
/// way saves no registers for it.
[[gnu::noinline]] inline char* put_shortest(char* to, double v, double_style style) noexcept {
  const decimal_17 d = shortest(v);
  const std::uint64_t first = d.significand / powers_of_ten[16];
  const std::uint64_t others = d.significand % powers_of_ten[16];
  if (d.point < -3 || d.point > (style == double_style::python ? 16 : 15)) {
    *to++ = static_cast<char>('0' + first);
    const unsigned count = put_sixteen(to + 1, others);
    *to = '.';
    to += count == 0 ? 0 : count + 1;
    *to++ = 'e';
    *to++ = d.point < 1 ? '-' : '+';
    const auto power = static_cast<std::uint32_t>(d.point < 1 ? 1 - d.point : d.point - 1);
    if (power < 10) *to++ = '0';
    return put_up_to_eight(to, power);
  }
  if (d.point <= 0) {
    std::memcpy(to, "0.000", 5);
    to += 2 - d.point;
    *to++ = static_cast<char>('0' + first);
    return to + put_sixteen(to, others);
  }
  // The digits before the point are those of v cut to an integer: rounding never reaches the next
  // integer, as integers below 2^53 are doubles, and larger ones are written in full.
  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
  const auto point = static_cast<unsigned>(d.point);
  const std::uint64_t rest = d.significand - whole * powers_of_ten[17 - point];
  to = put_magnitude(to, whole);
  *to++ = '.';
  const unsigned count = put_sixteen(to, rest * powers_of_ten[point - 1]);
  return to + (count == 0 ? 1 : count);
}

}  // namespace detail

/// Writes a finite double and returns the end. `to` has `double_capacity` bytes.
inline char* put_double(char* to, double v, double_style style) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  *to = '-';
  to += bits >> 63;
  v = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  // At most 15 digits that read back as v are the shortest there are. Where doubles are computed
  // with more bits than they have, the quotient equals v in fewer cases, none of them wrong.
  const double scaled = v * 1e8;
  if (scaled < 1e15) {
    const auto n = static_cast<std::int64_t>(scaled + 0.5);
    // Not what is too small for this layout, 10^-8 to 10^-4, but zero.
    if (static_cast<double>(n) / 1e8 == v && static_cast<std::uint64_t>(n) - 1 >= 9999) {
      const auto whole = static_cast<std::uint32_t>(v);
      to = whole < 1000 ? detail::put_small(to, whole) : detail::put_up_to_eight(to, whole);
      *to++ = '.';
      const std::uint64_t digits =
          detail::eight_digits(static_cast<std::uint32_t>(n - std::int64_t{whole} * 100000000));
      store_le(to, digits | detail::eight_zeros);
      return to + detail::up_to_last(digits | 1);  // one digit at least
    }
  }
  return detail::put_shortest(to, v, style);
}

/// Appends a finite double.
inline void append_double(text& out, double v, double_style style) {
  char* const to = out.prepare(double_capacity);
  out.advance(static_cast<std::size_t>(put_double(to, v, style) - to));
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SHORTEST_HPP
