// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <bit>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <tessera/core/digits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/shortest.hpp>
#include <vector>

#include "../support/catch.hpp"

using namespace tessera;

namespace {

/// A decimal number as in JSON, without a sign.
double parsed(std::string_view s) {
  std::int64_t exponent = 0;
  const std::size_t e = s.find('e');
  if (e != std::string_view::npos) exponent = std::stoll(std::string(s.substr(e + 1)));
  const std::string_view digits = s.substr(0, e);
  const std::size_t point = digits.find('.');
  if (point != std::string_view::npos)
    exponent -= static_cast<std::int64_t>(digits.size() - point - 1);
  return decimal_to_double({.digits = digits, .exponent = exponent});
}

std::string written(double v, double_style style = double_style::python) {
  text t;
  append_double(t, v, style);
  return std::string(t.view());
}

std::uint64_t bits(double v) { return std::bit_cast<std::uint64_t>(v); }

struct recorded {
  std::uint64_t bits;
  const char* repr;
};

// Python 3.11: repr(v)
constexpr recorded python_repr[] = {
    {0x0000000000000000u, "0.0"},
    {0x8000000000000000u, "-0.0"},
    {0x3ff0000000000000u, "1.0"},
    {0xbff0000000000000u, "-1.0"},
    {0x3fb999999999999au, "0.1"},
    {0x3fe0000000000000u, "0.5"},
    {0x3fd3333333333333u, "0.3"},
    {0x3fd5555555555555u, "0.3333333333333333"},
    {0x3fe5555555555555u, "0.6666666666666666"},
    {0xc004000000000000u, "-2.5"},
    {0x3f1a36e2eb1c432du, "0.0001"},
    {0x3f1a36e2eb1c432cu, "9.999999999999999e-05"},
    {0x3f1a36e2eb1c432eu, "0.00010000000000000002"},
    {0x3ee4f8b588e368f1u, "1e-05"},
    {0x40fe240c9fbe76c9u, "123456.789"},
    {0x42d6bcc41e900000u, "100000000000000.0"},
    {0x430c6bf52633fff8u, "999999999999999.0"},
    {0x430c6bf526340000u, "1000000000000000.0"},
    {0x430c6bf52633ffffu, "999999999999999.9"},
    {0x430c6bf526340001u, "1000000000000000.1"},
    {0x4340000000000000u, "9007199254740992.0"},
    {0x4340000000000000u, "9007199254740992.0"},
    {0x4341c37937e07fffu, "9999999999999998.0"},
    {0x4341c37937e08000u, "1e+16"},
    {0x4376345785d8a000u, "1e+17"},
    {0x441ac4da03bc47e4u, "1.2345e+20"},
    {0x444b1ae4d6e2ef50u, "1e+21"},
    {0x4480f0cf064dd592u, "1e+22"},
    {0x44b52d02c7e14af6u, "1e+23"},
    {0x3e7ad7f29abcaf48u, "1e-07"},
    {0x0000000000000001u, "5e-324"},
    {0x0000000000000002u, "1e-323"},
    {0x0010000000000000u, "2.2250738585072014e-308"},
    {0x000fffffffffffffu, "2.225073858507201e-308"},
    {0x7fefffffffffffffu, "1.7976931348623157e+308"},
    {0x7feffffffffffffeu, "1.7976931348623155e+308"},
    {0x4011666666666666u, "4.35"},
    {0x3f201f31f46ed246u, "0.000123"},
    {0x447c7e83209e90b2u, "8.41e+21"},
    {0x0000000000000003u, "1.5e-323"},
    {0x3eb0000000000000u, "9.5367431640625e-07"},
    {0x3810000000000000u, "1.1754943508222875e-38"},
    {0x47e0000000000000u, "1.7014118346046923e+38"},
    {0x4340000000000000u, "9007199254740992.0"},
    {0x43b0000000000000u, "1.152921504606847e+18"},
    {0x43e0000000000000u, "9.223372036854776e+18"},
    {0x43f0000000000000u, "1.8446744073709552e+19"},
    {0x4012000000000000u, "4.5"},
    {0x54b249ad2594c37du, "1e+100"},
    {0x2b2ecbe6c835d281u, "1.1e-100"},
    {0x00005c0ab9347ed7u, "5e-310"},
    {0x3e080d43de9cc603u, "7e-10"},
    {0x3fb99999a0000000u, "0.10000000149011612"},
    {0x400921fa00000000u, "3.141590118408203"},
    {0x408bda9ca0000000u, "891.3264770507812"},
    {0x3ff5900000000000u, "1.34765625"},
    {0x4026a4dd2f1a9fbfu, "11.322000000000001"},
    {0xc01bc80000000000u, "-6.9453125"},
    {0x3f80000000000000u, "0.0078125"},
    {0x3f1a36e2e0000000u, "9.999999747378752e-05"},
    {0x4341c37940000000u, "1.0000000272564224e+16"},
    {0x4340000000000000u, "9007199254740992.0"},
    {0x41678c29c0000000u, "12345678.0"},
    {0x3fefffffffffffffu, "0.9999999999999999"},
    {0x41b1de784a000000u, "299792458.0"},
    {0x390b860bde023111u, "6.62607015e-34"},
    {0xf2a74de452e6b438u, "-1.989032661366619e+244"},
    {0x6513270e269e0d37u, "7.761117632285041e+178"},
    {0x0c5c7fd0a6a3a450u, "3.980498358697587e-249"},
    {0xd23f0824128b2f33u, "-1.5432835417340557e+88"},
    {0x1818e811892f902bu, "1.3647584518757569e-192"},
    {0x9531985d5d9dc9f8u, "-1.3701135617873088e-206"},
    {0xe8e25d940ed90475u, "-1.7160537630466207e+197"},
    {0x36f675cc81e74ef5u, "6.294675241195386e-44"},
    {0x1600a35a099950d8u, "1.0613447212142254e-202"},
    {0x6b0d549b6f03675au, "4.708325160387546e+207"},
    {0x3d9c172411e20b8fu, "6.387016158513563e-12"},
    {0x8d116ece1738f7d9u, "-9.973130378568733e-246"},
};

}  // namespace

TEST_CASE("number: the layout is Python's repr", "[core]") {
  for (const recorded& r : python_repr) {
    CAPTURE(r.repr);
    CHECK(written(std::bit_cast<double>(r.bits)) == r.repr);
    const std::string_view magnitude(r.repr + (r.repr[0] == '-' ? 1 : 0));
    CHECK(bits(parsed(magnitude)) == (r.bits & ~(std::uint64_t{1} << 63)));
  }
}

TEST_CASE("number: the JSON layout turns to exponents from 1e15 on", "[core]") {
  const auto json = [](double v) { return written(v, double_style::json15); };
  CHECK(json(0.0) == "0.0");
  CHECK(json(-0.0) == "-0.0");
  CHECK(json(3.0) == "3.0");
  CHECK(json(static_cast<double>(0.1f)) == "0.10000000149011612");
  CHECK(json(static_cast<double>(1e-4f)) == "9.999999747378752e-05");
  CHECK(json(1e-4) == "0.0001");
  CHECK(json(999999999999999.0) == "999999999999999.0");
  CHECK(json(999999999999999.9) == "999999999999999.9");
  CHECK(json(1e15) == "1e+15");
  CHECK(json(-1234567890123456.0) == "-1.234567890123456e+15");
  CHECK(json(1e16) == "1e+16");
  CHECK(json(static_cast<double>(1e16f)) == "1.0000000272564224e+16");
  for (const recorded& r : python_repr) {  // elsewhere the two are one
    const auto v = std::bit_cast<double>(r.bits);
    if (std::fabs(v) < 1e15 || std::fabs(v) >= 1e16) CHECK(json(v) == r.repr);
  }
}

TEST_CASE("number: integers of every length", "[core]") {
  unsigned wrong = 0;
  const auto check = [&wrong](auto v) {
    char to[integer_capacity];
    const char* const end = put_integer(to, v);
    if (std::string_view(to, static_cast<std::size_t>(end - to)) != std::to_string(v)) ++wrong;
  };
  for (std::int32_t v = -20000; v <= 20000; ++v) check(v);
  for (std::uint64_t power = 1;; power *= 10) {
    for (std::uint64_t v = power - 1; v <= power + 1; ++v) {
      check(v);
      check(v * 9);
      check(static_cast<std::int64_t>(v));
      check(-static_cast<std::int64_t>(v));
      check(static_cast<std::uint32_t>(v));
      check(static_cast<std::int32_t>(v));
    }
    if (power == 10000000000000000000u) break;
  }
  std::mt19937_64 random(23);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t v = random() >> random() % 64;
    check(v);
    check(static_cast<std::int64_t>(random()) >> random() % 64);
    check(static_cast<std::int16_t>(v));
    check(static_cast<std::uint8_t>(v));
  }
  check(std::numeric_limits<std::uint64_t>::max());
  check(std::numeric_limits<std::int64_t>::min());
  check(std::numeric_limits<std::int32_t>::min());
  check(std::numeric_limits<signed char>::min());
  CHECK(wrong == 0);
}

TEST_CASE("number: each way to the digits, at its ends", "[core]") {
  // 15 digits, 8 of them after the point, and just beyond
  CHECK(written(0.00000001) == "1e-08");
  CHECK(written(0.00009999) == "9.999e-05");
  CHECK(written(0.00010001) == "0.00010001");
  CHECK(written(0.29) == "0.29");  // times 1e8 falls short of 29000000
  CHECK(written(0.99999999) == "0.99999999");
  CHECK(written(0.999999999) == "0.999999999");
  CHECK(written(999.5) == "999.5");
  CHECK(written(1000.5) == "1000.5");
  CHECK(written(9999999.99999999) == "9999999.99999999");
  CHECK(written(10000000.0) == "10000000.0");
  CHECK(written(10000000.00000001) == "10000000.00000001");
  // 17 digits are needed, 16, and fewer; 128 bits give zeros at the end
  CHECK(written(0.1 + 0.2) == "0.30000000000000004");
  CHECK(written(1.149999976158142) == "1.149999976158142");
  CHECK(written(-123456789.25) == "-123456789.25");
  CHECK(written(123456789012.0) == "123456789012.0");
  CHECK(written(0.001953125) == "0.001953125");
  CHECK(written(7.62939453125e-06) == "7.62939453125e-06");
  CHECK(written(1e-12) == "1e-12");
  // 5^scale is exact to here, and cut from there
  CHECK(written(7.275957614183428e-12) == "7.275957614183428e-12");
  CHECK(written(7.275957614183426e-12) == "7.275957614183426e-12");
  CHECK(written(72057594037927936.0) == "7.205759403792794e+16");
  CHECK(written(72057594037927928.0) == "7.205759403792793e+16");
  CHECK(written(3.4028234663852886e+38) == "3.4028234663852886e+38");
  // the interval ends at an integer, or v is halfway between two, and 5^scale is cut
  CHECK(written(1.0389725060807169e+20) == "1.0389725060807169e+20");
  CHECK(written(7.71949189931776e+19) == "7.71949189931776e+19");
  CHECK(written(9.007199254740994e+37) == "9.007199254740994e+37");
  // the last normal number with even gaps, and what lies around it
  CHECK(written(4.450147717014403e-308) == "4.450147717014403e-308");
  CHECK(written(4.4501477170144023e-308) == "4.4501477170144023e-308");
  CHECK(written(2.225073858507202e-308) == "2.225073858507202e-308");
}

TEST_CASE("number: digits may hold a point anywhere, and zeros at both ends", "[core]") {
  CHECK(parsed("2.5") == 2.5);
  CHECK(parsed("25e-1") == 2.5);
  CHECK(parsed("0") == 0.0);
  CHECK(parsed("0.000") == 0.0);
  CHECK(parsed("0e999999") == 0.0);
  CHECK(parsed("0.0000000000000000000000000000000025e33") == 2.5);
  CHECK(parsed("2.50000000000000000000000000000000000") == 2.5);
  CHECK(parsed("0." + std::string(100000, '0') + "1e100001") == 1.0);
  CHECK(parsed("1" + std::string(100000, '0') + "e-100000") == 1.0);
}

TEST_CASE("number: beyond the largest is infinite, below the smallest zero", "[core]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(parsed("1.7976931348623157e308") == DBL_MAX);
  CHECK(parsed("1.7976931348623158e308") == DBL_MAX);
  CHECK(parsed("1.7976931348623159e308") == infinity);
  CHECK(parsed("1e309") == infinity);
  CHECK(parsed("1e310") == infinity);
  CHECK(parsed("1e1000000000000000000") == infinity);
  CHECK(parsed(std::string(400, '9')) == infinity);
  CHECK(parsed("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(parsed("2.4703282292062328e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(parsed("2.4703282292062327e-324") == 0.0);
  CHECK(parsed("1e-331") == 0.0);
  CHECK(parsed("1e-1000000000000000000") == 0.0);
}

namespace {

/// m / 10^k by every method, each of them checked against the definition.
class quotients {
 public:
  void operator()(std::uint64_t m, unsigned k) {
    if (m == 0 || k == 0) return;
    const std::string digits = std::to_string(m);
    const decimal d{digits, -static_cast<std::int64_t>(k)};
    const double exact = detail::decimal_to_double_exact(d);
    bool same = bits(decimal_to_double(d)) == bits(exact);
    if (m >> 63 == 0) same = same && bits(detail::quotient_by_power_of_ten(m, k)) == bits(exact);
    // From a step away, too; but the step below a power of two is a small one.
    const double below = (bits(exact) << 12) == 0 ? exact : std::nextafter(exact, 0.0);
    for (const double start : {exact, below, std::nextafter(exact, DBL_MAX)})
      same = same && bits(detail::nearest_quotient(m, start, k)) == bits(exact);
    if (!same && wrong++ == 0) first = digits + "e-" + std::to_string(k);
    ++count;
  }
  /// And m's neighbours.
  void around(std::uint64_t m, unsigned k) {
    for (std::uint64_t n = m - 3; n != m + 4; ++n) (*this)(n, k);
  }
  unsigned count = 0, wrong = 0;
  std::string first;
};

}  // namespace

TEST_CASE("number: quotients by powers of ten", "[core]") {
  quotients check;
  std::mt19937_64 random(25);
  std::uint64_t power = 1;
  for (unsigned k = 1; k <= 18; ++k) {
    power *= 10;
    check.around(UINT64_MAX - 3, k);
    check.around(std::uint64_t{1} << 63, k);
    check.around(std::uint64_t{1} << 53, k);
    check.around(9999999999999999999u, k);
    for (int i = 0; i < 400; ++i) check(random() >> random() % 64, k);
    for (int i = 0; i < 100; ++i) check(UINT64_MAX - random() % 100000, k);
    for (int e = -70; e < 64; ++e) {  // quotients around powers of two
      const double m = std::ldexp(static_cast<double>(power), e);
      if (m >= 4 && m < 0x1p63) check.around(static_cast<std::uint64_t>(m), k);
    }
    // Ties: an odd number of 54 bits, times 5^k, which with 10^k leaves a power of two.
    const std::uint64_t fives = power >> k;
    for (int i = 0; i < 100 && k <= 4; ++i) {
      const std::uint64_t odd = std::uint64_t{1} << 53 | random() >> 11 | 1;
      if (odd <= UINT64_MAX / fives - 1) check.around(odd * fives, k);
    }
  }
  CAPTURE(check.first);
  CHECK(check.wrong == 0);
  CHECK(check.count > 15000);
}

#if defined(__cpp_lib_to_chars)

namespace {

double oracle(std::string_view s) {
  double v = 0;
  const auto r = std::from_chars(s.data(), s.data() + s.size(), v);
  if (r.ec == std::errc::result_out_of_range) {  // v is unchanged: distinguish the ends here
    const std::size_t e = s.find('e');
    const bool small = e == std::string_view::npos ? s[0] == '0' : s[e + 1] == '-';
    return small ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return v;
}

/// The shortest digits, laid out with an exponent.
std::string shortest(double v) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::scientific);
  return std::string(buffer, r.ptr);
}

/// The shortest digits, laid out as double_style says: plain below 10^plain_digits.
std::string laid_out(double v, int plain_digits) {
  if (v == 0) return std::signbit(v) ? "-0.0" : "0.0";
  const std::string scientific = shortest(v);
  const std::size_t e = scientific.find('e');
  const int point = std::stoi(scientific.substr(e + 1)) + 1;
  if (point < -3 || point > plain_digits) return scientific;
  std::string digits = scientific.substr(0, e);
  const std::string sign(digits[0] == '-' ? 1 : 0, '-');
  digits.erase(0, sign.size());
  if (digits.size() > 1) digits.erase(1, 1);
  const auto count = static_cast<int>(digits.size());
  if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (count <= point)
    return sign + digits + std::string(static_cast<std::size_t>(point - count), '0') + ".0";
  return sign + digits.insert(static_cast<std::size_t>(point), ".");
}

/// Only the significant digits and the exponent of the first, so that layouts compare equal.
std::string significant(std::string_view s) {
  std::string digits;
  int exponent = 0, point = 0;
  bool after = false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == 'e') {
      exponent = std::stoi(std::string(s.substr(i + 1)));
      break;
    }
    if (s[i] == '.') after = true;
    if (s[i] < '0' || s[i] > '9') continue;
    if (digits.empty() && s[i] == '0') {
      if (after) --point;
      continue;
    }
    digits += s[i];
    if (!after) ++point;
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return digits + 'e' + std::to_string(exponent + point - 1);
}

/// Writes v and reads it back, against libstdc++.
class round_trip {
 public:
  void operator()(double v) {
    if (!std::isfinite(v)) return;
    v = std::fabs(v);
    const std::string ours = written(v), theirs = shortest(v);
    const bool same = v == 0 ? ours == "0.0" : significant(ours) == significant(theirs);
    if (!same || bits(parsed(ours)) != bits(v) || bits(parsed(theirs)) != bits(v))
      if (wrong++ == 0) first = ours + " for " + theirs;
    ++count;
  }
  void with_neighbours(double v) {
    (*this)(v);
    (*this)(std::nextafter(v, 0.0));
    (*this)(std::nextafter(v, DBL_MAX));
  }
  unsigned count = 0, wrong = 0;
  std::string first;
};

/// Reads text, against libstdc++.
class reading {
 public:
  void operator()(const std::string& s) {
    if (bits(parsed(s)) != bits(oracle(s)) && wrong++ == 0) first = s;
    ++count;
  }
  unsigned count = 0, wrong = 0;
  std::string first;
};

/// All digits of v, which is below 2^64; doubles have at most 1074 after the point.
std::string all_digits(double v) {
  std::string s(1200, ' ');
  const auto r = std::to_chars(s.data(), s.data() + s.size(), v, std::chars_format::fixed, 1074);
  s.resize(static_cast<std::size_t>(r.ptr - s.data()));
  return s;
}

/// (a + b) / 2 in decimal, exact, for two numbers laid out alike.
std::string middle(std::string a, std::string b) {
  if (a.size() < b.size()) a.insert(0, b.size() - a.size(), '0');
  int carry = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] == '.') continue;
    const int sum = a[i] - '0' + b[i] - '0' + carry;
    a[i] = static_cast<char>('0' + sum % 10);
    carry = sum / 10;
  }
  std::string half;
  for (const char c : a) {
    if (c == '.') {
      half += c;
      continue;
    }
    const int digit = 10 * carry + c - '0';
    half += static_cast<char>('0' + digit / 2);
    carry = digit % 2;
  }
  return half + (carry != 0 ? '5' : '0');
}

}  // namespace

TEST_CASE("number: shortest digits and their reading agree with libstdc++", "[core]") {
  round_trip check;
  std::mt19937_64 random(20);
  for (int i = 0; i < 10000; ++i) check(std::bit_cast<double>(random()));
  for (int i = 0; i < 20000; ++i)
    check(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(random()))));
  for (int i = 0; i < 20000; ++i)  // fixed point, as real files hold
    check(std::ldexp(static_cast<double>(random() % 1000000), -static_cast<int>(random() % 24)));
  for (int i = 0; i < 20000; ++i)  // few decimals, as people write
    check(static_cast<double>(random() % 100000000) / std::pow(10, random() % 9));
  for (int power = -1074; power < 1024; ++power) check.with_neighbours(std::ldexp(1.0, power));
  for (int power = -323; power < 309; ++power)
    check.with_neighbours(oracle("1e" + std::to_string(power)));
  for (int i = 0; i < 5000; ++i)  // subnormal
    check(std::bit_cast<double>(random() >> (12 + random() % 52)));
  CAPTURE(check.first);
  CHECK(check.wrong == 0);
  CHECK(check.count > 70000);
}

TEST_CASE("number: every character of both layouts agrees with libstdc++", "[core]") {
  unsigned wrong = 0, count = 0;
  std::string first;
  const auto check = [&](double v) {
    if (!std::isfinite(v)) return;
    if (written(v) != laid_out(v, 16) || written(v, double_style::json15) != laid_out(v, 15))
      if (wrong++ == 0) first = laid_out(v, 16);
    ++count;
  };
  const auto around = [&check](double v) {
    for (const double w : {v, std::nextafter(v, 0.0), std::nextafter(v, DBL_MAX)}) {
      check(w);
      check(-w);
    }
  };
  std::mt19937_64 random(24);
  around(0.0);
  around(DBL_MAX);
  for (int power = -1074; power < 1024; power += 7) around(std::ldexp(1.0, power));
  for (int power = -70; power < 70; ++power) around(std::ldexp(1.0, power));
  for (int power = -30; power < 40; ++power) around(oracle("1e" + std::to_string(power)));
  for (int i = 0; i < 10000; ++i) {
    check(i);
    check(i * 1e-8);
    check(1e15 + i * 0.125);
    check(1e16 - 2 * i);
    check(std::ldexp(static_cast<double>(random() >> (11 + random() % 50)),
                     -static_cast<int>(random() % 60)));
    check(static_cast<double>(random() % 1000000000000000) / std::pow(10, random() % 20));
    check(static_cast<double>(static_cast<float>(random() % 1000) * 1.15f));
    check(static_cast<double>(random() % 100000000) * 5e15);  // ties
    check(std::bit_cast<double>(random()));
    check(std::bit_cast<double>((random() & 0x800fffffffffffff) | (973 + random() % 100) << 52));
  }
  CAPTURE(first);
  CHECK(wrong == 0);
  CHECK(count > 90000);
}

TEST_CASE("number: any digits are read as libstdc++ reads them", "[core]") {
  reading check;
  std::mt19937_64 random(21);
  const auto digits = [&](std::size_t count) {
    std::string s(1, static_cast<char>('1' + random() % 9));
    while (s.size() < count) s += static_cast<char>('0' + random() % 10);
    return s;
  };
  for (int i = 0; i < 20000;
       ++i) {  // up to 20 digits, with exponents on both sides of the fast path
    const int exponent = static_cast<int>(random() % 60) - 35;
    check(digits(1 + random() % 20) + "e" + std::to_string(exponent));
  }
  for (int i = 0; i < 3000; ++i)
    check(digits(1 + random() % 30) + "e" + std::to_string(static_cast<int>(random() % 700) - 350));
  for (int i = 0; i < 300; ++i) {
    const std::string s = digits(1 + random() % 900);
    check(s + "e-" + std::to_string(s.size() + random() % 300));
    check("0." + s);
  }
  CAPTURE(check.first);
  CHECK(check.wrong == 0);
}

TEST_CASE("number: halfway cases, exact and off by the last of a thousand digits", "[core]") {
  reading check;
  std::mt19937_64 random(22);
  unsigned uneven = 0;
  const auto around_middle = [&](double v) {
    const double next = std::nextafter(v, DBL_MAX);
    const std::string s = middle(all_digits(v), all_digits(next));
    check(s);
    check(s + "1");
    check(s + std::string(900, '0') + "1");
    const std::size_t last = s.find_last_not_of('0');
    std::string less = s.substr(0, last + 1);
    --less.back();
    check(less + "9");
    check(less + std::string(900, '9'));
    const double even = (bits(v) & 1) == 0 ? v : next;
    if (bits(parsed(s)) != bits(even) || parsed(s + "1") != next || parsed(less + "9") != v)
      ++uneven;
  };
  for (int i = 0; i < 60; ++i) {
    around_middle(std::bit_cast<double>((random() >> 12) | (963 + random() % 100) << 52));
    around_middle(std::bit_cast<double>((random() >> 12) | (random() % 900) << 52));
  }
  for (std::uint64_t b = 0; b < 4; ++b) around_middle(std::bit_cast<double>(b));
  around_middle(std::bit_cast<double>(std::uint64_t{0xfffffffffffff}));  // into the normal ones
  CAPTURE(check.first);
  CHECK(check.wrong == 0);
  CHECK(uneven == 0);
}

#endif
