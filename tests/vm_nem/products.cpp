// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices by NEM's rules, against loops over elements.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "vm_nem/tensors.hpp"

namespace {

using namespace tessera;
using nem::quantization;
using test::element;
using test::held;
using test::opcode;

using sizes = std::vector<std::int64_t>;
using random_bits = std::mt19937;

std::int64_t pick(random_bits& r, std::int64_t least, std::int64_t greatest) {
  return std::uniform_int_distribution<std::int64_t>(least, greatest)(r);
}

/// Strides that leave gaps, in another order of dimensions at times.
sizes strides_of(random_bits& r, const sizes& shape, bool is_dense) {
  sizes order(shape.size()), strides(shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (!is_dense && pick(r, 0, 1) == 1) std::shuffle(order.begin(), order.end(), r);
  std::int64_t n = 1;
  for (std::size_t i = shape.size(); i-- != 0;) {
    const auto d = static_cast<std::size_t>(order[i]);
    if (!is_dense && pick(r, 0, 2) == 0) n += pick(r, 0, 3) + (n == 1 ? 1 : 0);
    strides[d] = n;
    n *= shape[d];
  }
  return strides;
}
std::vector<double> numbers(random_bits& r, const sizes& shape, std::int64_t least,
                            std::int64_t greatest, double unit = 1) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) v = static_cast<double>(pick(r, least, greatest)) * unit;
  return x;
}

/// Which dimension a descriptor is about: none, or one of the shape.
void quantize(random_bits& r, held& x, std::int64_t zero_least, std::int64_t zero_greatest,
              int axis) {
  static constexpr float some[] = {0.5f, 0.25f, 0.1f, 0.75f};
  const auto scale = [&] { return some[pick(r, 0, 3)]; };
  std::int64_t count = 1, group = 1;
  quantization form = quantization::per_tensor;
  if (axis >= 0) {
    const std::int64_t size = x.shape[static_cast<std::size_t>(axis)];
    form = pick(r, 0, 1) == 0 ? quantization::per_channel : quantization::per_group;
    group = form == quantization::per_group ? pick(r, 1, size) : 1;
    count = (size + group - 1) / group;
  }
  std::vector<float> scales;
  std::vector<std::int64_t> zeros;
  for (std::int64_t i = 0; i < count; ++i) {
    scales.push_back(scale());
    zeros.push_back(pick(r, zero_least, zero_greatest));
  }
  x.quantize(scales, zeros, form, axis < 0 ? 0 : static_cast<std::size_t>(axis), group);
}
struct pair {
  double scale = 1;
  std::int64_t zero = 0;
};
/// What the element at an index has.
pair pair_of(const held& x, const sizes& index) {
  if (!x.is_quantized) return {};
  if (x.quant.form == quantization::per_tensor) return {double{x.scales[0]}, x.zero_points[0]};
  std::size_t at = 0;
  const auto i = static_cast<std::size_t>(index[x.quant.axis]);
  if (x.quant.form == quantization::per_channel) at = i;
  if (x.quant.form == quantization::per_group)
    at = i / static_cast<std::size_t>(x.quant.group_size);
  return {double{x.scales[at]}, x.zero_points[at]};
}
/// The element of dense values at an index.
double at(const std::vector<double>& values, const sizes& shape, const sizes& index) {
  std::int64_t i = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) i = i * shape[d] + index[d];
  return values[static_cast<std::size_t>(i)];
}

struct operands {
  held a, b, c, y;
  bool has_c;
};

/// The index of A, B or C that takes part in element (batch, row, column) of Y and in the sum at k.
sizes index_of_a(const operands& o, const sizes& y, std::int64_t k) {
  sizes i = y;
  i.back() = k;
  if (o.a.is_transposed) std::swap(i[i.size() - 1], i[i.size() - 2]);
  return i;
}
sizes index_of_b(const operands& o, const sizes& y, std::int64_t k) {
  sizes i = y;
  i[i.size() - 2] = k;
  if (o.b.is_transposed) std::swap(i[i.size() - 1], i[i.size() - 2]);
  return sizes(i.end() - static_cast<std::ptrdiff_t>(o.b.shape.size()), i.end());
}
sizes index_of_c(const operands& o, const sizes& y) {
  sizes i(y.end() - static_cast<std::ptrdiff_t>(o.c.shape.size()), y.end());
  for (std::size_t d = 0; d < i.size(); ++d)
    if (o.c.shape[d] == 1) i[d] = 0;
  return i;
}
std::int64_t inner(const operands& o) {
  return o.a.shape[o.a.shape.size() - (o.a.is_transposed ? 2 : 1)];
}
template <class F>
void each_index(const sizes& shape, F f) {
  sizes i(shape.size(), 0);
  for (;;) {
    f(i);
    std::size_t d = shape.size();
    while (d != 0 && ++i[d - 1] == shape[d - 1]) i[--d] = 0;
    if (d == 0) return;
  }
}

/// What the specification says of integers; sums wrap, and `has_wrapped` says so.
std::vector<double> expected_integers(operands& o, bool& has_wrapped) {
  const std::vector<double> a = o.a.get(), b = o.b.get(),
                            c = o.has_c ? o.c.get() : std::vector<double>();
  std::vector<double> out;
  const auto range = vm::nem::range_of(o.y.type);
  const auto in_32 = [&](std::int64_t x) {
    if (x < INT32_MIN || x > INT32_MAX) has_wrapped = true;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
  };
  each_index(o.y.shape, [&](const sizes& i) {
    std::vector<std::pair<double, std::int64_t>> runs;  // scale, sum
    for (std::int64_t k = 0; k < inner(o); ++k) {
      const sizes ia = index_of_a(o, i, k), ib = index_of_b(o, i, k);
      const pair pa = pair_of(o.a, ia), pb = pair_of(o.b, ib);
      const double s = pa.scale * pb.scale;
      if (runs.empty() || runs.back().first != s) runs.push_back({s, 0});
      runs.back().second += (static_cast<std::int64_t>(at(a, o.a.shape, ia)) - pa.zero) *
                            (static_cast<std::int64_t>(at(b, o.b.shape, ib)) - pb.zero);
    }
    // Runs are of all rows: where some element of Y has more than one.
    const pair py = pair_of(o.y, i);
    double x = 0;
    if (runs.size() == 1) {
      const std::int64_t bias =
          o.has_c ? static_cast<std::int64_t>(at(c, o.c.shape, index_of_c(o, i))) : 0;
      x = in_32(runs[0].second + bias) * (runs[0].first / py.scale);
    } else {
      for (const auto& [s, sum] : runs) x += in_32(sum) * s;
      if (o.has_c) {
        const sizes ic = index_of_c(o, i);
        const pair pc = pair_of(o.c, ic);
        x += pc.scale * (at(c, o.c.shape, ic) - static_cast<double>(pc.zero));
      }
      x /= py.scale;
    }
    const double q = std::nearbyint(x) + static_cast<double>(py.zero);
    out.push_back(
        std::clamp(q, static_cast<double>(range.least), static_cast<double>(range.greatest)));
  });
  return out;
}

/// Random shapes: batches, B shared or not, layouts, C repeated along some dimensions.
operands random_operands(random_bits& r, element of_a, element of_b, element of_c, element of_y,
                         std::int64_t most) {
  sizes batch;
  for (std::int64_t i = pick(r, 0, 2); i > 0; --i) batch.push_back(pick(r, 1, 3));
  const std::int64_t m = pick(r, 1, most), n = pick(r, 1, most), k = pick(r, 1, most);
  const bool a_turned = pick(r, 0, 2) == 0, b_turned = pick(r, 0, 2) == 0;
  const auto with = [](sizes s, std::int64_t x, std::int64_t y) {
    s.push_back(x), s.push_back(y);
    return s;
  };
  const sizes a = a_turned ? with(batch, k, m) : with(batch, m, k);
  const sizes before_b = pick(r, 0, 1) == 0 ? batch : sizes();
  const sizes b = b_turned ? with(before_b, n, k) : with(before_b, k, n);
  const sizes y = with(batch, m, n);
  sizes c(y.end() - static_cast<std::ptrdiff_t>(pick(r, 0, static_cast<std::int64_t>(y.size()))),
          y.end());
  for (std::int64_t& d : c)
    if (pick(r, 0, 2) == 0) d = 1;
  const auto is_dense = [&] { return pick(r, 0, 1) == 0; };
  operands o{held(of_a, a, {}, strides_of(r, a, is_dense())),
             held(of_b, b, {}, strides_of(r, b, is_dense())),
             held(of_c, c, {}, c.empty() ? sizes() : strides_of(r, c, is_dense())),
             held(of_y, y, {}, strides_of(r, y, is_dense())), pick(r, 0, 1) == 0};
  o.a.is_transposed = a_turned;
  o.b.is_transposed = b_turned;
  return o;
}
vm::nem::verdict multiply(operands& o, bool is_deterministic = false) {
  std::vector<held*> in{&o.a, &o.b};
  if (o.has_c) in.push_back(&o.c);
  return test::run(o.has_c ? opcode::gemm : opcode::matmul, in, {&o.y}, {}, is_deterministic);
}
int random_axis(random_bits& r, const held& x) {
  return static_cast<int>(pick(r, -1, static_cast<std::int64_t>(x.shape.size()) - 1));
}

}  // namespace

TEST_CASE("vm_nem/products: appendix vectors", "[vm_nem]") {
  held a(element::i8, {2, 2}, {10, -3, 127, -128}), b(element::i8, {2, 2}, {5, -7, 2, 100}),
      c(element::i32, {2}, {1000, -1000}), y(element::i8, {2, 2});
  a.quantize({0.5f}, {3});
  b.quantize({0.25f}, {0});
  y.quantize({2}, {-1});
  CHECK(!test::run(opcode::gemm, {&a, &b, &c}, {&y}).has_wrapped);
  CHECK(y.get() == std::vector<double>{63, -104, 84, -128});

  held row(element::i8, {1, 4}, {1, 2, 3, 4}), nibbles(element::i4, {1, 4}, {7, -8, 3, 1}),
      one(element::i8, {1, 1});
  nibbles.is_transposed = true;
  nibbles.quantize({0.5f, 0.25f}, {0, 0}, quantization::per_group, 1, 2);
  one.quantize({0.5f}, {0});
  CHECK(test::run(opcode::matmul, {&row, &nibbles}, {&one}));
  CHECK(one.get() == std::vector<double>{-2});
}

TEST_CASE("vm_nem/products: integers of all forms", "[vm_nem]") {
  random_bits r(1);
  const element bytes[] = {element::i8, element::i4}, results[] = {element::i8, element::i16};
  for (int i = 0; i < 1500; ++i) {
    const bool is_wide = i % 10 == 0;  // other types than kernels have
    operands o = random_operands(r, is_wide ? element::u16 : element::i8,
                                 is_wide ? element::i16 : bytes[pick(r, 0, 1)], element::i32,
                                 results[pick(r, 0, 1)], i % 50 == 1 ? 40 : 9);
    const bool is_i4 = o.b.type == element::i4;
    o.a.set(numbers(r, o.a.shape, is_wide ? 0 : -128, is_wide ? 60000 : 127));
    o.b.set(numbers(r, o.b.shape, is_i4 ? -8 : is_wide ? -30000 : -128, is_i4 ? 7 : 127));
    o.c.set(numbers(r, o.c.shape, -20000, 20000));
    quantize(r, o.a, -128, 127, random_axis(r, o.a));
    quantize(r, o.b, is_i4 ? -8 : -128, is_i4 ? 7 : 127, random_axis(r, o.b));
    if (pick(r, 0, 3) != 0) quantize(r, o.y, -20, 20, random_axis(r, o.y));
    if (pick(r, 0, 2) == 0) o.a.is_quantized = false;
    if (o.c.shape.empty())
      o.c.quantize({0.5f}, {3});
    else
      quantize(r, o.c, -100, 100, random_axis(r, o.c));
    bool has_wrapped = false;
    const std::vector<double> expected = expected_integers(o, has_wrapped);
    const vm::nem::verdict v = multiply(o);
    INFO(i);
    REQUIRE(v);
    REQUIRE(o.y.get() == expected);
    REQUIRE(v.has_wrapped == has_wrapped);
  }
}
