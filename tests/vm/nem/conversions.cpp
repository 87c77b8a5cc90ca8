// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <cmath>

#include "patterns.hpp"
#include "support/catch.hpp"

using namespace test;
using std::int64_t;
using std::size_t;
using std::uint32_t;
using numbers = std::vector<double>;

namespace {

numbers converted(opcode op, element from, const numbers& x, element to) {
  held a(from, {static_cast<int64_t>(x.size())}, x), y(to, a.shape);
  CHECK(run(op, {&a}, {&y}));
  return y.get();
}
/// What a float is as the pattern of another type: truncated, saturated.
uint32_t truncated(element e, double x) { return x != x ? 0 : nearest_integer(e, std::trunc(x)); }

/// Pairs of a descriptor: by tensor, by channel of an axis, or by groups of 2 along it.
void describe(held& h, size_t form) {
  const size_t axis = (form + 2) % 3;
  const int64_t size = form == 0 ? 1 : form < 4 ? h.shape[axis] : (h.shape[axis] + 1) / 2;
  std::vector<float> scales;
  std::vector<int64_t> zeros;
  for (int64_t i = 0; i < size; ++i) {
    scales.push_back(0.3f / static_cast<float>(i + 1));
    zeros.push_back(7 - 3 * i);
  }
  h.quantize(scales, zeros,
             form == 0  ? nem::quantization::per_tensor
             : form < 4 ? nem::quantization::per_channel
                        : nem::quantization::per_group,
             form == 0 ? 0 : axis, 2);
}
size_t pair_of(size_t form, const std::array<size_t, 3>& at) {
  const size_t axis = (form + 2) % 3;
  return form == 0 ? 0 : form < 4 ? at[axis] : at[axis] / 2;
}
constexpr size_t forms = 7;

}  // namespace

TEST_CASE("vm/nem/conversions: cast between any two types", "[vm_nem]") {
  for (const element from : all_types) {
    const std::vector<uint32_t> patterns = some_patterns(from, 700);
    for (const element to : all_types) {
      std::vector<uint32_t> expected;
      for (const uint32_t p : patterns) {
        const double x = number_of(from, p);
        expected.push_back(form_of(to).is_floating     ? nearest_float(to, x)
                           : form_of(from).is_floating ? truncated(to, x)
                                                       : wrapped(to, static_cast<int64_t>(x)));
      }
      held x = vector_of(from, patterns), y(to, x.shape);
      // Stored values are converted, whatever descriptors say.
      if (to == element::i8) x.quantize({0.5f}, {3}), y.quantize({0.25f}, {1});
      CHECK(run(opcode::cast, {&x}, {&y}));
      CAPTURE(nem::name(from), nem::name(to));
      CHECK(y.bits() == expected);
      held far_x(from, {7, 10, 10}, {}, {1, 70, 7}), far_y(to, {7, 10, 10}, {}, {300, 2, 30});
      set_bits(far_x, patterns);
      CHECK(run(opcode::cast, {&far_x}, {&far_y}));
      CHECK(far_y.bits() == expected);
    }
  }
}

TEST_CASE("vm/nem/conversions: vectors of cast", "[vm_nem]") {
  CHECK(converted(opcode::cast, element::f32, {200.7, -3.9, std::nan(""), -1e30, HUGE_VAL},
                  element::i8) == numbers{127, -3, 0, -128, 127});
  CHECK(converted(opcode::cast, element::i32, {300}, element::i8) == numbers{44});
  CHECK(converted(opcode::cast, element::i32, {16777217, -16777219}, element::f32) ==
        numbers{16777216, -16777220});
  CHECK(converted(opcode::cast, element::u32, {4294967295}, element::bf16) == numbers{4294967296});
  CHECK(converted(opcode::cast, element::i32, {65519, 65520}, element::f16) ==
        numbers{65504, HUGE_VAL});
  CHECK(converted(opcode::cast, element::f32, {-0.5, 1e10, 4294967040}, element::u32) ==
        numbers{0, 4294967295, 4294967040});
  held x(element::f32, {3}, {-8, 7, 3}), y(element::i4, {3});
  CHECK(run(opcode::cast, {&x}, {&y}));
  CHECK(y.memory == std::vector<std::byte>{std::byte{0x78}, std::byte{0x03}});
}

TEST_CASE("vm/nem/conversions: vectors of quantize", "[vm_nem]") {
  for (const element from : {element::f16, element::f32}) {
    held x(from, {9}, {0.25, 0.75, 1.25, -0.25, -0.75, 63.75, 64, -64.25, -100}),
        y(element::i8, {9});
    y.quantize({0.5f}, {0});
    CHECK(run(opcode::quantize, {&x}, {&y}));
    CHECK(y.get() == numbers{0, 2, 2, 0, -2, 127, 127, -128, -128});
    // A NaN is the zero point, infinities saturate.
    held odd(from, {4}, {std::nan(""), HUGE_VAL, -HUGE_VAL, 0.0}), z(element::i8, {4});
    z.quantize({0.5f}, {-5});
    CHECK(run(opcode::quantize, {&odd}, {&z}));
    CHECK(z.get() == numbers{-5, 127, -128, -5});
  }
  // The quotient is rounded to binary32 before it is to an integer: 0.35 / 0.1 is 3.4999999 in
  // binary64 and 3.5 in binary32.
  held x(element::f32, {1}, {0.35}), y(element::i8, {1});
  y.quantize({0.1f}, {0});
  CHECK(run(opcode::quantize, {&x}, {&y}));
  CHECK(y.get() == numbers{4});
  // Without a descriptor: scale 1, zero point 0.
  CHECK(converted(opcode::quantize, element::f32, {2.5, 3.5, -200}, element::i8) ==
        numbers{2, 4, -128});
  // Zero points beyond the type, and scales that binary32 doesn't hold.
  held w(element::f32, {3}, {1, 0, -1}), far(element::i8, {3});
  far.quantize({1.0f}, {INT64_MIN});
  CHECK(run(opcode::quantize, {&w}, {&far}));
  CHECK(far.get() == numbers{-128, -128, -128});
  far.quantize({0.0f}, {4});
  CHECK(run(opcode::quantize, {&w}, {&far}));
  CHECK(far.get() == numbers{127, 4, -128});
}

TEST_CASE("vm/nem/conversions: quantize by tensor, channel and group", "[vm_nem]") {
  const std::vector<int64_t> shape{3, 5, 6};
  const auto patterns = some_patterns(element::f16, 90, 2);
  for (const element from : {element::f16, element::bf16, element::f32})
    for (const element to : {element::i8, element::i4, element::u8, element::i16})
      for (size_t form = 0; form < forms; ++form) {
        held x(from, shape, {}, {2, 6, 40}), y(to, shape);
        std::vector<uint32_t> in;
        for (size_t i = 0; i < 90; ++i)
          in.push_back(i < 40 ? nearest_float(from, number_of(element::f16, patterns[i]))
                              : nearest_float(from, (static_cast<double>(i) - 65) / 8));
        set_bits(x, in);
        describe(y, form);
        CHECK(run(opcode::quantize, {&x}, {&y}));
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < 90; ++i) {
          const size_t pair = pair_of(form, {i / 30, i / 6 % 5, i % 6});
          const auto zero = static_cast<double>(y.zero_points[pair]);
          // A quotient of floats is rounded to them as one of doubles is that is rounded again.
          const double exact = number_of(from, in[i]) / static_cast<double>(y.scales[pair]);
          const double q = number_of(element::f32, nearest_float(element::f32, exact));
          expected.push_back(nearest_integer(to, (q != q ? 0 : std::nearbyint(q)) + zero));
        }
        CAPTURE(nem::name(from), nem::name(to), form);
        CHECK(y.bits() == expected);
      }
}

TEST_CASE("vm/nem/conversions: dequantize by tensor, channel and group", "[vm_nem]") {
  const std::vector<int64_t> shape{4, 8, 8};
  for (const element from : {element::i8, element::i4, element::u8, element::i16})
    for (const element to : {element::f16, element::bf16, element::f32})
      for (size_t form = 0; form < forms; ++form) {
        held x(from, shape), y(to, shape, {}, {1, 4, 33});
        std::vector<uint32_t> in;
        for (uint32_t i = 0; i < 256; ++i)
          in.push_back(i * (form_of(from).bits == 16 ? 257 : 1) & ((1u << form_of(from).bits) - 1));
        set_bits(x, in);
        describe(x, form);
        CHECK(run(opcode::dequantize, {&x}, {&y}));
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < 256; ++i) {
          const size_t pair = pair_of(form, {i / 64, i / 8 % 8, i % 8});
          const double exact = (number_of(from, in[i]) - static_cast<double>(x.zero_points[pair])) *
                               static_cast<double>(x.scales[pair]);
          // Twice rounded: to binary32 first.
          expected.push_back(
              nearest_float(to, number_of(element::f32, nearest_float(element::f32, exact))));
        }
        CAPTURE(nem::name(from), nem::name(to), form);
        CHECK(y.bits() == expected);
      }
  // Without a descriptor: scale 1, zero point 0.
  CHECK(converted(opcode::dequantize, element::i8, {-128, 5}, element::f16) == numbers{-128, 5});
}

TEST_CASE("vm/nem/conversions: channels of a long row", "[vm_nem]") {
  constexpr int64_t n = 700;
  held x(element::i8, {3, n}, numbers(3 * n, 2)), y(element::f32, {3, n});
  std::vector<float> scales;
  std::vector<int64_t> zeros;
  for (int64_t i = 0; i < n; ++i) {
    scales.push_back(static_cast<float>(i));
    zeros.push_back(i % 5);
  }
  x.quantize(scales, zeros, nem::quantization::per_channel, 1);
  CHECK(run(opcode::dequantize, {&x}, {&y}));
  numbers expected;
  for (int64_t i = 0; i < 3 * n; ++i)
    expected.push_back(static_cast<double>((2 - i % n % 5) * (i % n)));
  CHECK(y.get() == expected);
}

TEST_CASE("vm/nem/conversions: what was dequantized is quantized again", "[vm_nem]") {
  held q(element::i8, {256}), real(element::f32, {256}), again(element::i8, {256});
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < 256; ++i) all.push_back(i);
  set_bits(q, all);
  for (const float scale : {0.5f, 0.1f, 3.7f, 1e-20f}) {
    q.quantize({scale}, {-3});
    again.quantize({scale}, {-3});
    CHECK(run(opcode::dequantize, {&q}, {&real}));
    CHECK(run(opcode::quantize, {&real}, {&again}));
    CHECK(again.memory == q.memory);
  }
}
