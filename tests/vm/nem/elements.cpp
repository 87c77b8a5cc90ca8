// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "vm/nem/elements.hpp"

#include <array>

#include "patterns.hpp"
#include "support/catch.hpp"

using namespace test;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

/// The patterns of numbers that were stored one after another, or with gaps.
template <class Number>
std::vector<uint32_t> stored(element e, const std::vector<Number>& numbers, int64_t step = 1) {
  held h(e, {static_cast<int64_t>(numbers.size())}, {}, {step});
  store(h.tensor(), 0, step, numbers.data(), numbers.size());
  return h.bits();
}
template <class Number>
std::vector<Number> loaded(held& h, int64_t first, int64_t step, size_t n) {
  std::vector<Number> out(n);
  load(h.tensor(), first, step, out.data(), n);
  return out;
}
bool are_equal(double a, double b) {
  return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace

TEST_CASE("vm/nem/elements: every pattern of 16-bit floats keeps its value", "[vm_nem]") {
  for (const element e : {element::f16, element::bf16}) {
    std::vector<uint32_t> all(65536), expected(65536);
    for (uint32_t i = 0; i < 65536; ++i) {
      all[i] = i;
      const double x = number_of(e, i);
      expected[i] = x == x ? i : e == element::f16 ? 0x7e00 : 0x7fc0;
    }
    held h = vector_of(e, all);
    const auto doubles = loaded<double>(h, 0, 1, 65536);
    const auto floats = loaded<float>(h, 0, 1, 65536);
    size_t wrong = 0;
    for (uint32_t i = 0; i < 65536; ++i)
      wrong += !are_equal(doubles[i], number_of(e, i)) ||
               !are_equal(static_cast<double>(floats[i]), number_of(e, i));
    CHECK(wrong == 0);
    CHECK(stored(e, doubles) == expected);
    CHECK(stored(e, floats) == expected);
    CHECK(stored(e, doubles, 2) == expected);
    CHECK(stored(e, floats, 3) == expected);
    // Backwards.
    const auto turned = loaded<double>(h, 65535, -1, 65536);
    CHECK(are_equal(turned[0], doubles[65535]));
    CHECK(std::equal(turned.begin() + 2048, turned.begin() + 30000, doubles.rbegin() + 2048,
                     are_equal));
  }
}

TEST_CASE("vm/nem/elements: numbers are rounded once, to nearest, ties to even", "[vm_nem]") {
  const double least = 0x1p-24, above = std::nextafter(0x1p-25, 1.0);
  CHECK(stored<double>(element::f16, {65504, 65519.99, 65520, least, 0x1p-25, above, 1 + 0x1p-11,
                                      1 + 3 * 0x1p-11, 0.1, -0.0}) ==
        std::vector<uint32_t>{0x7bff, 0x7bff, 0x7c00, 0x0001, 0x0000, 0x0001, 0x3c00, 0x3c02,
                              0x2e66, 0x8000});
  const double nan = std::nan("");
  const std::vector<double> vectors{1 + 0x1p-8,
                                    1 + 3 * 0x1p-8,
                                    static_cast<double>(0.1f),
                                    static_cast<double>(FLT_MAX),
                                    static_cast<double>(3.3895314e38f),
                                    nan};
  const std::vector<uint32_t> bf16{0x3f80, 0x3f82, 0x3dcd, 0x7f80, 0x7f7f, 0x7fc0};
  CHECK(stored(element::bf16, vectors) == bf16);
  CHECK(stored(element::bf16, std::vector<float>(vectors.begin(), vectors.end())) == bf16);
  CHECK(stored<double>(element::f32, {nan, -nan, 1e39, -1e39, 1e-46, 1 + 0x1p-24, 1 + 3 * 0x1p-24,
                                      0x1p-149, 0x1p-150, -0x1.8p-149}) ==
        std::vector<uint32_t>{0x7fc00000, 0x7fc00000, 0x7f800000, 0xff800000, 0, 0x3f800000,
                              0x3f800002, 1, 0, 0x80000002});
}

TEST_CASE("vm/nem/elements: near ties", "[vm_nem]") {
  // A second rounding would be seen where a double is nearer to a tie than a float can be.
  for (const element e : {element::f16, element::bf16, element::f32}) {
    std::vector<double> numbers;
    const uint32_t infinity = nearest_float(e, HUGE_VAL);
    const uint32_t step = e == element::f32 ? 4999999 : 23;
    const auto around = [&](uint32_t pattern) {
      const double low = number_of(e, pattern);
      const double tie = pattern + 1 == infinity ? low + (low - number_of(e, pattern - 1)) / 2
                                                 : low + (number_of(e, pattern + 1) - low) / 2;
      for (const double x :
           {tie, std::nextafter(tie, 0.0), std::nextafter(tie, 2 * tie), tie * (1 + 0x1p-30),
            tie * (1 - 0x1p-30), tie * (1 + 0x1p-24), tie * (1 - 0x1p-25)}) {
        numbers.push_back(x);
        numbers.push_back(-x);
      }
    };
    for (uint32_t i = 0; i < 40; ++i) around(i);
    for (uint32_t i = 1; i < 40; ++i) around(infinity - i);
    for (uint32_t i = 40; i < infinity - 40; i += step) around(i);
    for (const double x : {1e-60, 1e-310, 5e-324, 1e300, 1e39, 0x1p-150, 0x1p-134, 0x1p-135})
      for (const double sign : {1.0, -1.0}) numbers.push_back(sign * x);
    std::vector<uint32_t> expected;
    for (const double x : numbers) expected.push_back(nearest_float(e, x));
    CHECK(stored(e, numbers) == expected);
    CHECK(stored(e, numbers, 2) == expected);
  }
}

TEST_CASE("vm/nem/elements: integers saturate and NaN is 0", "[vm_nem]") {
  std::vector<double> numbers{
      0.5,  1.5,    2.5,   -0.5,  -1.5,         -2.5,         0.49999999999999994,
      7.5,  -8.5,   127.4, 127.5, -128.5,       -128.6,       255.5,
      1e10, -1e10,  1e300, 65535, 65535.5,      32767.49,     -32768.5,
      2e9,  -2e9,   3e9,   4e9,   2147483646.5, 2147483647.5, 4294967295.5,
      0.0,  -1e300, 300,   -300,  HUGE_VAL,     -HUGE_VAL,    std::nan("")};
  for (int64_t i = 0; i < 600; ++i) numbers.push_back(static_cast<double>(i - 300) / 4);
  for (const element e : all_types) {
    if (form_of(e).is_floating) continue;
    std::vector<uint32_t> expected;
    for (const double x : numbers) expected.push_back(nearest_integer(e, x));
    CHECK(stored(e, numbers) == expected);
    CHECK(stored(e, numbers, 3) == expected);
    const std::vector<float> floats(numbers.begin() + 7, numbers.end());
    expected.clear();
    for (const float x : floats) expected.push_back(nearest_integer(e, static_cast<double>(x)));
    CHECK(stored(e, floats) == expected);

    const auto range = vm::nem::range_of(e);
    CHECK(range.least == least_of(e));
    CHECK(range.greatest == most_of(e));
    for (const double x : numbers) CHECK(wrapped(e, saturate(x, range)) == nearest_integer(e, x));
  }
}

TEST_CASE("vm/nem/elements: rounding a double to an integer", "[vm_nem]") {
  std::vector<double> numbers{0.5,          1.5,        0x1p51 + 0.5, 0x1p51 + 1.5,
                              0x1p52 - 0.5, 0x1p52 + 1, 0x1p53,       1e300,
                              HUGE_VAL,     0.0,        0x1p-1074,    0.49999999999999994};
  random_bits next;
  for (int i = 0; i < 1000; ++i)
    numbers.push_back(std::ldexp(static_cast<double>(next()), -static_cast<int>(next() % 40)));
  for (const double x : numbers) {
    CHECK(vm::nem::rounded(x) == std::nearbyint(x));
    CHECK(vm::nem::rounded(-x) == std::nearbyint(-x));
  }
  CHECK(std::isnan(vm::nem::rounded(std::nan(""))));
}

TEST_CASE("vm/nem/elements: numbers and patterns of every type, with any step", "[vm_nem]") {
  constexpr size_t n = 700;  // more than the code has on the stack at once
  for (const element e : all_types) {
    const std::vector<uint32_t> patterns = some_patterns(e, n);
    for (const int64_t step : {1, 2, 5}) {
      held h(e, {static_cast<int64_t>(n)}, {}, {step});
      const std::vector<std::byte> before = h.memory;
      set_bits(h, patterns);
      CHECK(h.bits() == patterns);
      // Little endian, and nothing between them is touched.
      const auto bits = static_cast<size_t>(form_of(e).bits);
      size_t wrong = 0;
      for (size_t i = 0; i < n; ++i)
        for (size_t b = 0; b < bits; ++b) {
          const size_t at = i * static_cast<size_t>(step) * bits + b;
          wrong +=
              (std::to_integer<uint32_t>(h.memory[at / 8]) >> at % 8 & 1) != (patterns[i] >> b & 1);
        }
      CHECK(wrong == 0);
      if (step > 1)
        for (size_t at = bits; at + 1 < static_cast<size_t>(step) * bits; ++at)
          wrong += (h.memory[at / 8] >> at % 8 & std::byte{1}) !=
                   (before[at / 8] >> at % 8 & std::byte{1});
      CHECK(wrong == 0);

      const auto doubles = loaded<double>(h, 0, step, n);
      for (size_t i = 0; i < n; ++i) wrong += !are_equal(doubles[i], number_of(e, patterns[i]));
      CHECK(wrong == 0);
      if (!form_of(e).is_floating) {
        const auto integers = loaded<int64_t>(h, 0, step, n);
        for (size_t i = 0; i < n; ++i)
          wrong += static_cast<double>(integers[i]) != number_of(e, patterns[i]);
        CHECK(wrong == 0);
        std::vector<int64_t> far(integers);
        for (int64_t& x : far) x += int64_t{1} << 40;
        held again(e, {static_cast<int64_t>(n)}, {}, {step});
        wrap(again.tensor(), 0, step, far.data(), n);
        CHECK(again.bits() == patterns);
      }
      if (form_of(e).bits < 32 || e == element::f32) {
        const auto floats = loaded<float>(h, 0, step, n);
        for (size_t i = 0; i < n; ++i)
          wrong += !are_equal(static_cast<double>(floats[i]), doubles[i]);
        CHECK(wrong == 0);
      }
      // One again and again, and backwards.
      CHECK(are_equal(loaded<double>(h, 2 * step, 0, 300)[299], doubles[2]));
      CHECK(are_equal(loaded<double>(h, step * int64_t{n - 1}, -step, n)[n - 3], doubles[2]));
    }
  }
}

TEST_CASE("vm/nem/elements: rows may start at any byte", "[vm_nem]") {
  std::vector<std::byte> memory(1 + 4 * 300);
  const std::vector<float> floats(300, 1.25f);
  for (const element e : {element::i16, element::i32, element::f16, element::f32}) {
    vm::nem::tensor t;
    t.data = memory.data() + 1;
    t.element = e;
    store(t, 0, 1, floats.data(), 300);
    std::vector<double> out(300);
    load(t, 0, 1, out.data(), 300);
    CHECK(out == std::vector<double>(300, form_of(e).is_floating ? 1.25 : 1.0));
  }
}

TEST_CASE("vm/nem/elements: nibbles", "[vm_nem]") {
  // An unused upper nibble of a dense tensor is 0.
  held three(element::i4, {3}, {-8, 7, 3});
  CHECK(three.memory == std::vector<std::byte>{std::byte{0x78}, std::byte{0x03}});
  held one(element::i4, {}, {-1});
  CHECK(one.memory == std::vector<std::byte>{std::byte{0x0f}});
  held rows(element::i4, {3, 3}, {1, 2, 3, 4, 5, 6, 7, -8, -7});
  CHECK(rows.memory == std::vector<std::byte>{std::byte{0x21}, std::byte{0x43}, std::byte{0x65},
                                              std::byte{0x87}, std::byte{0x09}});
  // A byte after them isn't touched.
  std::array<std::byte, 3> memory{std::byte{0xa5}, std::byte{0xa5}, std::byte{0xa5}};
  vm::nem::tensor even = held(element::i4, {4}).tensor();
  const std::array<int64_t, 1> shape{4}, strides{1};
  even.data = memory.data(), even.shape = shape, even.strides = strides;
  const std::array<double, 4> fours{4, 4, 4, 4};
  store(even, 0, 1, fours.data(), 4);
  CHECK(memory == std::array<std::byte, 3>{std::byte{0x44}, std::byte{0x44}, std::byte{0xa5}});
  // Otherwise neighbours keep their value.
  held gaps(element::i4, {2}, {1, 2}, {2});
  CHECK(gaps.memory == std::vector<std::byte>{std::byte{0xa1}, std::byte{0xa2}});
  const double x = -3;
  store(rows.tensor(), 4, 1, &x, 1);
  CHECK(rows.get() == std::vector<double>{1, 2, 3, 4, -3, 6, 7, -8, -7});
  const uint32_t pattern = 5;
  wrap(rows.tensor(), 3, 1, &pattern, 1);
  CHECK(rows.get() == std::vector<double>{1, 2, 3, 5, -3, 6, 7, -8, -7});
}
