// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Convolutions by NEM's rules, against loops over elements.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "support/catch.hpp"
#include "vm/nem/product_cases.hpp"

namespace {

using namespace test;

/// A convolution: X, W, B, Y, and its attributes by spatial axis.
struct convolution {
  opcode op = opcode::conv2d;
  held x, w, b, y;
  bool has_bias = false;
  sizes pads = {}, strides = {}, dilations = {};
  std::int64_t groups = 1;

  vm::nem::verdict run(bool is_deterministic = false) {
    nem::attributes a;
    a.pads = {pads.data(), pads.size()};
    a.strides = {strides.data(), strides.size()};
    a.dilations = {dilations.data(), dilations.size()};
    a.groups = groups;
    std::vector<held*> in{&x, &w};
    if (has_bias) in.push_back(&b);
    return test::run(op, in, {&y}, a, is_deterministic);
  }
  [[nodiscard]] std::int64_t input_groups() const {
    return op == opcode::depthwise_conv2d ? x.shape.back() : groups;
  }
  /// The channel of X that a weight is for.
  [[nodiscard]] std::int64_t channel(const sizes& of_y, const sizes& of_w) const {
    const std::int64_t made = w.shape.back() / input_groups();
    return of_y.back() / made * w.shape[w.shape.size() - 2] + of_w[of_w.size() - 2];
  }
  /// Calls f(index of W, index of X or null where it is padding) for each term of an element of Y.
  template <class F>
  void each_term(const sizes& of_y, F f) const {
    const std::size_t axes = x.shape.size() - 2;
    sizes taps(w.shape.begin(), w.shape.end() - 1);
    each_index(taps, [&](const sizes& tap) {
      sizes of_w = tap, of_x = {of_y[0]};
      of_w.push_back(of_y.back());
      bool is_inside = true;
      for (std::size_t i = 0; i < axes; ++i) {
        of_x.push_back(of_y[i + 1] * strides[i] + tap[i] * dilations[i] - pads[i]);
        is_inside = is_inside && of_x.back() >= 0 && of_x.back() < x.shape[i + 1];
      }
      of_x.push_back(channel(of_y, of_w));
      f(of_w, is_inside ? &of_x : nullptr);
    });
  }
};

convolution random_convolution(random_bits& r, element of_x, element of_w, element of_b,
                               element of_y) {
  static constexpr opcode ops[] = {opcode::conv1d, opcode::conv2d, opcode::conv3d,
                                   opcode::depthwise_conv2d, opcode::conv2d};
  const opcode op = ops[pick(r, 0, 4)];
  const std::size_t axes = op == opcode::conv1d ? 1 : op == opcode::conv3d ? 3 : 2;
  const bool is_depthwise = op == opcode::depthwise_conv2d;
  const std::int64_t groups = pick(r, 0, 1) == 0 ? 1 : pick(r, 1, 3);
  const std::int64_t taken = is_depthwise ? 1 : pick(r, 1, 4);
  const std::int64_t all_groups = is_depthwise ? pick(r, 1, 5) : groups;
  const std::int64_t channels = all_groups * taken, results = all_groups * pick(r, 1, 4);
  sizes x = {pick(r, 1, 3)}, w, y = {x[0]}, pads(2 * axes), strides, dilations;
  const bool is_pointwise = pick(r, 0, 4) == 0;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t kernel = is_pointwise ? 1 : pick(r, 1, 3);
    dilations.push_back(pick(r, 0, 1) == 0 ? 1 : pick(r, 1, 2));
    strides.push_back(is_pointwise || pick(r, 0, 1) == 0 ? 1 : pick(r, 1, 3));
    const bool has_pads = !is_pointwise && pick(r, 0, 1) == 0;
    const std::int64_t before = has_pads ? pick(r, 0, 3) : 0, after = has_pads ? pick(r, 0, 3) : 0;
    const std::int64_t span = dilations[i] * (kernel - 1) + 1;
    const std::int64_t in = std::max<std::int64_t>(pick(r, 1, 5), span - before - after);
    pads[i] = before;
    pads[axes + i] = after;
    x.push_back(in);
    w.push_back(kernel);
    y.push_back((in + before + after - span) / strides[i] + 1);
  }
  x.push_back(channels);
  w.push_back(taken);
  w.push_back(results);
  y.push_back(results);
  const auto is_dense = [&] { return pick(r, 0, 1) == 0; };
  convolution c{op,
                held(of_x, x, {}, strides_of(r, x, is_dense())),
                held(of_w, w, {}, strides_of(r, w, is_dense())),
                held(of_b, {results}, {}, strides_of(r, {results}, is_dense())),
                held(of_y, y, {}, strides_of(r, y, is_dense())),
                pick(r, 0, 1) == 0,
                pads,
                strides,
                dilations,
                is_depthwise ? 1 : groups};
  return c;
}

/// What the specification says of integers.
std::vector<double> expected_integers(convolution& c, bool& has_wrapped) {
  const std::vector<double> x = c.x.get(), w = c.w.get(), b = c.b.get();
  std::vector<double> out;
  each_index(c.y.shape, [&](const sizes& i) {
    run_sums sums;
    // Padding has the scale of what comes before it, or of the first that is none; where all is, of
    // the first place.
    sizes first(c.x.shape.size(), 0);
    first[0] = i[0];
    pair px = pair_of(c.x, first);
    bool is_known = false;
    c.each_term(i, [&](const sizes&, const sizes* of_x) {
      if (of_x == nullptr || is_known) return;
      px = pair_of(c.x, *of_x);
      is_known = true;
    });
    c.each_term(i, [&](const sizes& of_w, const sizes* of_x) {
      const pair pw = pair_of(c.w, of_w);
      if (c.x.is_quantized && c.x.quant.form != quantization::per_tensor &&
          c.x.quant.axis == c.x.shape.size() - 1) {
        sizes channel(c.x.shape.size(), 0);
        channel.back() = c.channel(i, of_w);
        px = pair_of(c.x, channel);
      } else if (of_x != nullptr) {
        px = pair_of(c.x, *of_x);
      }
      const std::int64_t term =
          of_x == nullptr ? 0
                          : (static_cast<std::int64_t>(at(x, c.x.shape, *of_x)) - px.zero) *
                                (static_cast<std::int64_t>(at(w, c.w.shape, of_w)) - pw.zero);
      sums.add(px.scale * pw.scale, term);
    });
    const sizes of_b = {i.back()};
    out.push_back(sums.result(pair_of(c.y, i), c.y.type, c.has_bias,
                              static_cast<std::int64_t>(b[static_cast<std::size_t>(i.back())]),
                              pair_of(c.b, of_b), has_wrapped));
  });
  return out;
}

}  // namespace

TEST_CASE("vm/nem/convolutions: appendix vectors", "[vm_nem]") {
  const auto check = [](const sizes& pads, std::int64_t stride, std::int64_t dilation,
                        const sizes& shape, const std::vector<double>& expected) {
    convolution c{.op = opcode::conv2d,
                  .x = held(element::f32, {1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                  .w = held(element::f32, {2, 2, 1, 1}, {1, 0, 0, -1}),
                  .b = held(element::f32, {1}),
                  .y = held(element::f32, shape),
                  .has_bias = false,
                  .pads = pads,
                  .strides = {stride, stride},
                  .dilations = {dilation, dilation},
                  .groups = 1};
    CHECK(c.run());
    CHECK(c.y.get() == expected);
  };
  check({0, 0, 0, 0}, 1, 1, {1, 2, 2, 1}, {-4, -4, -4, -4});
  check({1, 0, 0, 0}, 1, 1, {1, 3, 2, 1}, {-2, -3, -4, -4, -4, -4});
  check({0, 1, 0, 0}, 1, 1, {1, 2, 3, 1}, {-4, -4, -4, -7, -4, -4});
  check({0, 0, 1, 1}, 2, 1, {1, 2, 2, 1}, {-4, 3, 7, 9});
  check({0, 0, 0, 0}, 1, 2, {1, 1, 1, 1}, {-8});
}

TEST_CASE("vm/nem/convolutions: integers of all forms", "[vm_nem]") {
  random_bits r(2);
  const element bytes[] = {element::i8, element::i4}, results[] = {element::i8, element::i16};
  for (int i = 0; i < 400; ++i) {
    const bool is_wide = i % 10 == 0;  // other types than kernels have
    convolution c = random_convolution(r, is_wide ? element::u16 : element::i8,
                                       is_wide ? element::i16 : bytes[pick(r, 0, 1)], element::i32,
                                       results[pick(r, 0, 1)]);
    const bool is_i4 = c.w.type == element::i4;
    c.x.set(numbers(r, c.x.shape, is_wide ? 0 : -128, is_wide ? 60000 : 127));
    c.w.set(numbers(r, c.w.shape, is_i4 ? -8 : is_wide ? -30000 : -128, is_i4 ? 7 : 127));
    c.b.set(numbers(r, c.b.shape, -20000, 20000));
    quantize(r, c.x, -128, 127, random_axis(r, c.x));
    quantize(r, c.w, is_i4 ? -8 : -128, is_i4 ? 7 : 127, random_axis(r, c.w));
    quantize(r, c.b, -100, 100, random_axis(r, c.b));
    if (pick(r, 0, 3) != 0) quantize(r, c.y, -20, 20, random_axis(r, c.y));
    bool has_wrapped = false;
    const std::vector<double> expected = expected_integers(c, has_wrapped);
    const vm::nem::verdict v = c.run();
    INFO(i);
    REQUIRE(v);
    REQUIRE(c.y.get() == expected);
    REQUIRE(v.has_wrapped == has_wrapped);
  }
}

TEST_CASE("vm/nem/convolutions: floats", "[vm_nem]") {
  random_bits r(3);
  const element floats[] = {element::f16, element::bf16, element::f32};
  for (int i = 0; i < 250; ++i) {
    const element type = floats[i % 3];
    const bool is_deterministic = pick(r, 0, 2) == 0;
    convolution c = random_convolution(r, type, type, type, type);
    // Multiples of 1/8 so small that all sums are exact: what is left is one rounding.
    c.x.set(numbers(r, c.x.shape, -30, 30, 0.125));
    c.w.set(numbers(r, c.w.shape, -30, 30, 0.125));
    c.b.set(numbers(r, c.b.shape, -60, 60, 0.125));
    // Where padding would meet it, an infinity must not make a NaN of 0.
    const bool has_infinity = pick(r, 0, 5) == 0;
    if (has_infinity) {
      std::vector<double> w = c.w.get();
      w[static_cast<std::size_t>(pick(r, 0, static_cast<std::int64_t>(w.size()) - 1))] = INFINITY;
      c.w.set(w);
      std::vector<double> x = c.x.get();
      for (double& v : x) v = v == 0 ? 1 : v;
      c.x.set(x);
    }
    const std::vector<double> x = c.x.get(), w = c.w.get(), b = c.b.get();
    std::vector<double> sums;
    each_index(c.y.shape, [&](const sizes& index) {
      double sum = 0;
      c.each_term(index, [&](const sizes& of_w, const sizes* of_x) {
        if (of_x != nullptr) sum += at(x, c.x.shape, *of_x) * at(w, c.w.shape, of_w);
      });
      sums.push_back(sum + (c.has_bias ? b[static_cast<std::size_t>(index.back())] : 0));
    });
    held expected(type, c.y.shape, sums);
    INFO(i);
    REQUIRE(c.run(is_deterministic));
    REQUIRE(c.y.bits() == expected.bits());
  }
}
