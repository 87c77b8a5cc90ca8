// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "patterns.hpp"
#include "support/catch.hpp"

using namespace test;
using std::int64_t;
using std::size_t;
using std::uint32_t;

namespace {

using real = long double;

constexpr opcode unary_opcodes[] = {
    opcode::relu, opcode::leaky_relu, opcode::sigmoid, opcode::tanh, opcode::exp,  opcode::log,
    opcode::sqrt, opcode::abs,        opcode::neg,     opcode::gelu, opcode::silu, opcode::clamp};
constexpr opcode binary_opcodes[] = {opcode::add, opcode::sub, opcode::mul, opcode::div,
                                     opcode::min, opcode::max, opcode::pow};
constexpr element element_types[] = {element::i4,   element::i8,  element::i16, element::i32,
                                     element::u8,   element::u16, element::u32, element::f16,
                                     element::bf16, element::f32};

/// leaky_relu and clamp have numbers that no float is.
nem::attributes some_attributes() {
  nem::attributes a;
  a.alpha = 0.1;
  a.min_val = -2.7;
  a.max_val = 5.3;
  return a;
}

bool is_less(double a, double b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
double minimum(double a, double b) {
  if (a != a || b != b) return std::nan("");
  return is_less(b, a) ? b : a;
}
double maximum(double a, double b) {
  if (a != a || b != b) return std::nan("");
  return is_less(a, b) ? b : a;
}

/// The definitions, of a number.
double function(opcode op, double x, const nem::attributes& a) {
  const real wide = static_cast<real>(x);
  const auto of = [](real y) { return static_cast<double>(y); };
  switch (op) {
    case opcode::relu: return x != x ? x : maximum(x, 0.0);
    case opcode::leaky_relu:
      return x >= 0 ? x : static_cast<double>(static_cast<float>(a.alpha)) * x;
    case opcode::sigmoid: return of(1 / (1 + std::exp(-wide)));
    case opcode::tanh: return of(std::tanh(wide));
    case opcode::exp: return of(std::exp(wide));
    case opcode::log: return of(std::log(wide));
    case opcode::sqrt: return of(std::sqrt(wide));
    case opcode::abs: return x < 0 || std::signbit(x) ? -x : x;
    case opcode::neg: return -x;
    case opcode::gelu: return of(wide / 2 * std::erfc(-wide / std::sqrt(real{2})));
    case opcode::silu: return of(wide / (1 + std::exp(-wide)));
    default: return minimum(maximum(x, a.min_val), a.max_val);
  }
}
/// As IEEE 754 has it, without a division by zero that a sanitizer would report.
double quotient(double a, double b) {
  if (b != 0) return a / b;
  if (a == 0 || a != a) return std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  return std::signbit(a) == std::signbit(b) ? infinite : -infinite;
}
double function(opcode op, double a, double b) {
  switch (op) {
    case opcode::add: return a + b;
    case opcode::sub: return a - b;
    case opcode::mul: return a * b;
    case opcode::div: return quotient(a, b);
    case opcode::min: return minimum(a, b);
    case opcode::max: return maximum(a, b);
    default: return std::pow(a, b);
  }
}

/// The definitions, of integers without a descriptor, as patterns.
uint32_t raw(opcode op, element e, uint32_t pattern, const nem::attributes& a) {
  const double x = number_of(e, pattern);
  const auto n = static_cast<int64_t>(x);
  switch (op) {
    case opcode::relu: return wrapped(e, n < 0 ? 0 : n);
    case opcode::abs: return wrapped(e, n < 0 ? -n : n);
    case opcode::neg: return wrapped(e, -n);
    case opcode::clamp: {
      const auto least = static_cast<int64_t>(std::ceil(a.min_val));
      const auto most = static_cast<int64_t>(std::floor(a.max_val));
      return wrapped(e, std::min(std::max({n, least, least_of(e)}), most));
    }
    default: return nearest_integer(e, function(op, x, a));
  }
}
/// Nothing where there is no value.
std::optional<uint32_t> raw(opcode op, element e, uint32_t left, uint32_t right) {
  const auto a = static_cast<int64_t>(number_of(e, left));
  const auto b = static_cast<int64_t>(number_of(e, right));
  switch (op) {
    case opcode::add: return wrapped(e, a + b);
    case opcode::sub: return wrapped(e, a - b);
    case opcode::mul:
      return wrapped(
          e, static_cast<int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)));
    case opcode::div:
      if (b == 0) return {};
      return wrapped(e, a / b);
    case opcode::min: return wrapped(e, std::min(a, b));
    case opcode::max: return wrapped(e, std::max(a, b));
    default: {
      if (b < 0 && a == 0) return {};
      if (b < 0) return wrapped(e, a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
      // From the exponent's highest bit down.
      uint32_t power = 1;
      for (int bit = 32; bit-- != 0;) {
        power *= power;
        if ((static_cast<std::uint64_t>(b) >> bit & 1) != 0) power *= static_cast<uint32_t>(a);
      }
      return wrapped(e, static_cast<int64_t>(power));
    }
  }
}

/// How many floats of a type lie between two patterns; NaNs have one pattern.
int64_t distance(element e, uint32_t a, uint32_t b) {
  const auto place = [&](uint32_t p) {
    const uint32_t sign = 1u << (form_of(e).bits - 1);
    return (p & sign) != 0 ? -int64_t{p & (sign - 1)} : int64_t{p};
  };
  if (a == b) return 0;
  if (number_of(e, a) != number_of(e, a) || number_of(e, b) != number_of(e, b)) return 1 << 30;
  if (place(a) == place(b)) return 1 << 30;  // zeros of different signs
  return std::abs(place(a) - place(b));
}
/// Functions that f32 has by way of others, within a unit in the last place.
bool is_approximate(opcode op, element e) {
  return e == element::f32 && (op == opcode::sigmoid || op == opcode::tanh || op == opcode::exp ||
                               op == opcode::gelu || op == opcode::silu);
}
size_t differing(opcode op, element e, const std::vector<uint32_t>& got,
                 const std::vector<uint32_t>& expected) {
  size_t n = got.size() != expected.size();
  for (size_t i = 0; i < got.size() && n < 10; ++i)
    n += distance(e, got[i], expected[i]) > (is_approximate(op, e) ? 1 : 0);
  return n;
}

/// A shape's strides, its dimensions in another order, `step` elements from one to the next.
std::vector<int64_t> turned(const std::vector<int64_t>& shape, int64_t step) {
  std::vector<int64_t> strides(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

}  // namespace

TEST_CASE("vm/nem/elementwise: functions of every type", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  for (const element e : element_types)
    for (const opcode op : unary_opcodes) {
      const bool all = form_of(e).bits <= 8;
      std::vector<uint32_t> patterns = some_patterns(e, 777);
      if (all) {
        patterns.clear();
        for (uint32_t i = 0; i < 1u << form_of(e).bits; ++i) patterns.push_back(i);
      }
      std::vector<uint32_t> expected;
      for (const uint32_t p : patterns)
        expected.push_back(form_of(e).is_floating
                               ? nearest_float(e, function(op, number_of(e, p), a))
                               : raw(op, e, p, a));
      held x = vector_of(e, patterns), y(e, x.shape);
      const auto found = run(op, {&x}, {&y}, a);
      CAPTURE(nem::name(op), nem::name(e));
      CHECK(found);
      CHECK(differing(op, e, y.bits(), expected) == 0);
      // In place.
      CHECK(run(op, {&x}, {&x}, a));
      CHECK(x.memory == y.memory);
    }
}

TEST_CASE("vm/nem/elementwise: every value of f16 and bf16", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  std::vector<uint32_t> patterns(65536);
  for (uint32_t i = 0; i < 65536; ++i) patterns[i] = i;
  for (const element e : {element::f16, element::bf16})
    for (const opcode op : {opcode::relu, opcode::leaky_relu, opcode::sqrt, opcode::abs,
                            opcode::neg, opcode::clamp}) {
      std::vector<uint32_t> expected;
      for (const uint32_t p : patterns)
        expected.push_back(nearest_float(e, function(op, number_of(e, p), a)));
      held x = vector_of(e, patterns), y(e, x.shape);
      CHECK(run(op, {&x}, {&y}, a));
      CAPTURE(nem::name(op), nem::name(e));
      CHECK(differing(op, e, y.bits(), expected) == 0);
    }
}

TEST_CASE("vm/nem/elementwise: functions of f16 and bf16 are rounded once", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  std::vector<uint32_t> patterns;
  for (uint32_t i = 0; i < 65536; i += 7) patterns.push_back(i);
  for (const element e : {element::f16, element::bf16})
    for (const opcode op :
         {opcode::sigmoid, opcode::tanh, opcode::exp, opcode::log, opcode::gelu, opcode::silu}) {
      std::vector<uint32_t> expected;
      for (const uint32_t p : patterns)
        expected.push_back(nearest_float(e, function(op, number_of(e, p), a)));
      held x = vector_of(e, patterns), y(e, x.shape);
      CHECK(run(op, {&x}, {&y}, a));
      CAPTURE(nem::name(op), nem::name(e));
      CHECK(differing(op, e, y.bits(), expected) == 0);
    }
}

TEST_CASE("vm/nem/elementwise: tables give what single elements do", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  for (const element e : {element::i8, element::u8})
    for (const opcode op : {opcode::gelu, opcode::leaky_relu, opcode::clamp, opcode::abs})
      for (const bool quantized : {false, true}) {
        // Many elements with gaps, then few of the same without.
        const size_t n = 1000;
        const std::vector<uint32_t> patterns = some_patterns(e, n);
        held x(e, {static_cast<int64_t>(n)}, {}, {2}), y(e, x.shape);
        set_bits(x, patterns);
        const std::vector<uint32_t> few(patterns.begin(), patterns.begin() + 200);
        held u = vector_of(e, few), v(e, u.shape);
        if (quantized)
          for (held* h : {&x, &y, &u, &v})
            h->quantize({h == &x || h == &u ? 0.05f : 0.04f}, {h == &y || h == &v ? -7 : 9});
        CHECK(run(op, {&x}, {&y}, a));
        CHECK(run(op, {&u}, {&v}, a));
        auto got = y.bits();
        got.resize(200);
        CAPTURE(nem::name(op), nem::name(e), quantized);
        CHECK(got == v.bits());
      }
}

TEST_CASE("vm/nem/elementwise: two operands of every type", "[vm_nem]") {
  for (const element e : element_types) {
    std::vector<uint32_t> left = some_patterns(e, 3000, 3), right = some_patterns(e, 3000, 4);
    const uint32_t count = 1u << std::min(form_of(e).bits, 31);
    const bool all = count <= 256;
    if (all) {
      left.clear(), right.clear();
      for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < count; ++k) left.push_back(i), right.push_back(k);
    } else {
      // Each of the special ones with each, and small numbers.
      const auto specials = some_patterns(e, 45);
      for (const uint32_t p : specials)
        for (const uint32_t q : specials) left.push_back(p), right.push_back(q);
      for (int p = -6; p <= 6; ++p)
        for (int q = -6; q <= 6; ++q) left.push_back(nearest(e, p)), right.push_back(nearest(e, q));
    }
    held a = vector_of(e, left), b = vector_of(e, right), y(e, a.shape);
    for (const opcode op : binary_opcodes) {
      std::vector<uint32_t> expected;
      int64_t first = -1;
      for (size_t i = 0; i < left.size(); ++i) {
        if (form_of(e).is_floating) {
          expected.push_back(
              nearest_float(e, function(op, number_of(e, left[i]), number_of(e, right[i]))));
          continue;
        }
        const auto value = raw(op, e, left[i], right[i]);
        expected.push_back(value.value_or(0));
        if (!value && first < 0) first = static_cast<int64_t>(i);
      }
      const auto found = run(op, {&a, &b}, {&y});
      CAPTURE(nem::name(op), nem::name(e));
      CHECK(found.code == (first < 0 ? errc::ok : errc::nem_rt_div0));
      CHECK((first < 0 || found.element == first));
      CHECK(differing(op, e, y.bits(), expected) == 0);
      // In place of either.
      held left_again = a, right_again = b;
      CHECK(run(op, {&left_again, &b}, {&left_again}).code == found.code);
      CHECK(left_again.memory == y.memory);
      CHECK(run(op, {&a, &right_again}, {&right_again}).code == found.code);
      CHECK(right_again.memory == y.memory);
    }
  }
}

TEST_CASE("vm/nem/elementwise: any strides", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  const std::vector<int64_t> shape{5, 1, 7, 9};
  for (const element e : element_types) {
    const auto left = some_patterns(e, 5 * 7 * 9, 5), right = some_patterns(e, 5 * 7 * 9, 6);
    held x(e, shape), b(e, shape), y(e, shape);
    set_bits(x, left), set_bits(b, right);
    held far_x(e, shape, {}, turned(shape, 2)), far_b(e, shape, {}, {70, 0, 10, 1}),
        far_y(e, shape, {}, turned(shape, 3));
    set_bits(far_x, left), set_bits(far_b, right);
    const held before = far_y;
    for (const opcode op : {opcode::tanh, opcode::relu, opcode::clamp, opcode::abs, opcode::neg}) {
      CHECK(run(op, {&x}, {&y}, a));
      CHECK(run(op, {&far_x}, {&far_y}, a));
      CHECK(far_y.bits() == y.bits());
    }
    for (const opcode op : binary_opcodes) {
      const auto near = run(op, {&x, &b}, {&y}), far = run(op, {&far_x, &far_b}, {&far_y});
      CHECK(far.code == near.code);
      CHECK(far.element == near.element);
      CHECK(far_y.bits() == y.bits());
    }
    // What lies between keeps its value.
    if (form_of(e).bits >= 8) {
      const auto bytes = static_cast<size_t>(form_of(e).bits / 8);
      size_t wrong = 0;
      for (size_t i = 0; i < far_y.memory.size(); ++i)
        wrong += i / bytes % 3 != 0 && far_y.memory[i] != before.memory[i];
      CHECK(wrong == 0);
    }
    // One element for all.
    held one(e, {4, 6}, {}, {0, 0}), many(e, {4, 6}), sums(e, {4, 6}), expected(e, {4, 6});
    set_bits(one, std::vector<uint32_t>(24, left[40]));
    set_bits(many, std::vector<uint32_t>(24, left[40]));
    held other(e, {4, 6});
    set_bits(other, {right.begin(), right.begin() + 24});
    CHECK(run(opcode::add, {&one, &other}, {&sums}));
    CHECK(run(opcode::add, {&many, &other}, {&expected}));
    CHECK(sums.memory == expected.memory);
  }
}

TEST_CASE("vm/nem/elementwise: quantized values", "[vm_nem]") {
  const nem::attributes a = some_attributes();
  const std::vector<int64_t> shape{4, 5, 6};
  const auto describe = [&](held& h, size_t form, float scale, int64_t zero) {
    // 0: one pair. 1 to 3: by channel. 4 to 6: by groups of 2.
    const size_t axis = (form - 1) % 3;
    const int64_t size = form == 0 ? 1 : form < 4 ? shape[axis] : (shape[axis] + 1) / 2;
    std::vector<float> scales;
    std::vector<int64_t> zeros;
    for (int64_t i = 0; i < size; ++i) {
      scales.push_back(scale * static_cast<float>(i + 1));
      zeros.push_back(zero - i);
    }
    if (form == 0) return h.quantize(scales, zeros), void();
    h.quantize(scales, zeros,
               form < 4 ? nem::quantization::per_channel : nem::quantization::per_group, axis, 2);
  };
  const auto pair_of = [&](size_t form, size_t i) -> size_t {
    const std::array<size_t, 3> at{i / 30, i / 6 % 5, i % 6};
    return form == 0 ? 0 : form < 4 ? at[form - 1] : at[form - 4] / 2;
  };
  const auto to_real = [&](const held& h, size_t form, uint32_t pattern, size_t i) {
    const size_t p = pair_of(form, i);
    return static_cast<double>(h.scales[p]) *
           (number_of(h.type, pattern) - static_cast<double>(h.zero_points[p]));
  };
  const auto to_pattern = [&](const held& h, size_t form, double value, size_t i) {
    const size_t p = pair_of(form, i);
    const auto zero = static_cast<double>(h.zero_points[p]);
    const double q = value / static_cast<double>(h.scales[p]);
    if (q != q) return nearest_integer(h.type, zero);
    return nearest_integer(h.type, std::nearbyint(q) + zero);
  };
  for (const element e : {element::i4, element::i8, element::u8, element::i16, element::i32})
    for (size_t form = 0; form < 7; ++form) {
      const size_t form_b = (form + 2) % 7, form_y = (form * 3 + 1) % 7;
      held x(e, shape), b(e, shape, {}, turned(shape, 1)), y(e, shape, {}, {60, 12, 2});
      auto left = some_patterns(e, 120, 7), right = some_patterns(e, 120, 8);
      if (form_of(e).bits > 8)
        for (size_t i = 60; i < 120; ++i) left[i] &= 255, right[i] &= 15;
      set_bits(x, left), set_bits(b, right);
      describe(x, form, 0.0625f, 2);
      describe(b, form_b, 0.1f, -1);
      describe(y, form_y, 0.07f, 3);
      for (const opcode op : unary_opcodes) {
        CHECK(run(op, {&x}, {&y}, a));
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < 120; ++i)
          expected.push_back(
              to_pattern(y, form_y, function(op, to_real(x, form, left[i], i), a), i));
        CAPTURE(nem::name(op), nem::name(e), form);
        CHECK(y.bits() == expected);
      }
      for (const opcode op : binary_opcodes) {
        CHECK(run(op, {&x, &b}, {&y}));
        std::vector<uint32_t> expected;
        for (size_t i = 0; i < 120; ++i)
          expected.push_back(to_pattern(
              y, form_y,
              function(op, to_real(x, form, left[i], i), to_real(b, form_b, right[i], i)), i));
        CAPTURE(nem::name(op), nem::name(e), form);
        CHECK(y.bits() == expected);
      }
    }
}

TEST_CASE("vm/nem/elementwise: descriptors of some operands, and of floats, say nothing",
          "[vm_nem]") {
  held a(element::i8, {3}, {127, -128, 5}), b(element::i8, {3}, {1, -1, 6}), y(element::i8, {3});
  a.quantize({0.5f}, {3});
  b.quantize({0.5f}, {3});
  CHECK(run(opcode::add, {&a, &b}, {&y}));
  CHECK(y.get() == std::vector<double>{-128, 127, 11});
  CHECK(run(opcode::relu, {&a}, {&y}));
  CHECK(y.get() == std::vector<double>{127, 0, 5});
  held f(element::f16, {2}, {-1.5, 2}), g(element::f16, {2});
  f.quantize({0.5f}, {3});
  g.quantize({0.25f}, {1});
  CHECK(run(opcode::neg, {&f}, {&g}));
  CHECK(g.get() == std::vector<double>{1.5, -2});
}

TEST_CASE("vm/nem/elementwise: the same descriptor makes relu the greater of value and zero point",
          "[vm_nem]") {
  held x(element::i8, {256});
  std::vector<double> values, expected;
  for (int i = -128; i < 128; ++i) values.push_back(i), expected.push_back(std::max(i, -9));
  x.set(values);
  x.quantize({0.3f}, {-9});
  CHECK(run(opcode::relu, {&x}, {&x}));
  CHECK(x.get() == expected);
}

TEST_CASE("vm/nem/elementwise: vectors", "[vm_nem]") {
  using values = std::vector<double>;
  const auto whole = [](opcode op, const values& a, const values& b) {
    held x(element::i8, {static_cast<int64_t>(a.size())}, a), y(element::i8, x.shape, b),
        z(element::i8, x.shape);
    CHECK(run(op, {&x, &y}, {&z}));
    return z.get();
  };
  CHECK(whole(opcode::add, {127, -128}, {1, -1}) == values{-128, 127});
  CHECK(whole(opcode::sub, {-128}, {1}) == values{127});
  CHECK(whole(opcode::mul, {64}, {4}) == values{0});
  CHECK(whole(opcode::div, {-7, 7, -128}, {2, -2, -1}) == values{-3, -3, -128});
  CHECK(whole(opcode::pow, {2, -1, 1, 5, 3}, {-1, -3, -9, -2, 5}) == values{0, -1, 1, 0, -13});
  held least(element::i8, {1}, {-128});
  CHECK(run(opcode::abs, {&least}, {&least}));
  CHECK(least.get() == values{-128});

  const auto halves = [](opcode op) {
    held x(element::f16, {4}, {-1, 0.5, 1, 3}), y(element::f16, {4});
    CHECK(run(op, {&x}, {&y}));
    return y.bits();
  };
  CHECK(halves(opcode::gelu) == std::vector<uint32_t>{0xb114, 0x3588, 0x3abb, 0x41fe});
  CHECK(halves(opcode::silu) == std::vector<uint32_t>{0xb44e, 0x34fb, 0x39d9, 0x41b7});
}

TEST_CASE("vm/nem/elementwise: division by zero names the first element", "[vm_nem]") {
  held a(element::i32, {2, 300}, std::vector<double>(600, 9)),
      b(element::i32, {2, 300}, {}, {1, 2}), y(element::i32, {2, 300});
  std::vector<double> divisors(600, 2);
  divisors[417] = divisors[599] = 0;
  b.set(divisors);
  const auto found = run(opcode::div, {&a, &b}, {&y});
  CHECK(found.code == errc::nem_rt_div0);
  CHECK(found.element == 417);
  auto expected = std::vector<double>(600, 4);
  expected[417] = expected[599] = 0;
  CHECK(y.get() == expected);
  held zero(element::i8, {2}, {1, 0}), minus(element::i8, {2}, {-2, -2}), power(element::i8, {2});
  CHECK(run(opcode::pow, {&zero, &minus}, {&power}).element == 1);
  // Quantized values divide as real ones do: infinities saturate, a NaN is the zero point.
  held p(element::i8, {3}, {5, -5, 1}), q(element::i8, {3}, {1, 1, 1}), r(element::i8, {3});
  for (held* h : {&p, &q, &r}) h->quantize({1.0f}, {1});
  CHECK(run(opcode::div, {&p, &q}, {&r}));
  CHECK(r.get() == std::vector<double>{127, -128, 1});
}

TEST_CASE("vm/nem/elementwise: bounds of clamp", "[vm_nem]") {
  nem::attributes a;
  const auto clamped = [&](element e, double least, double most, const std::vector<double>& x) {
    a.min_val = least, a.max_val = most;
    held h(e, {static_cast<int64_t>(x.size())}, x);
    CHECK(run(opcode::clamp, {&h}, {&h}, a));
    return h.get();
  };
  using values = std::vector<double>;
  CHECK(clamped(element::i8, -2.7, 5.3, {-3, -2, 5, 6}) == values{-2, -2, 5, 5});
  CHECK(clamped(element::i8, 200, 300, {-3, 127}) == values{127, 127});
  CHECK(clamped(element::i32, -1e300, 1e300, {-3, 127}) == values{-3, 127});
  CHECK(clamped(element::u8, -1e300, -5, {3, 0}) == values{0, 0});
  CHECK(clamped(element::f16, 0.1, 1e9, {0, 7}) == values{0.0999755859375, 7});
  CHECK(clamped(element::f32, -0.1, 0.1, {-1, 1}) ==
        values{static_cast<double>(-0.1f), static_cast<double>(0.1f)});
}
