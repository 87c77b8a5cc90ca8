// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices by NEM's rules, against loops over elements.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "vm_nem/product_cases.hpp"

namespace {

using namespace test;

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
/// What the specification says of integers; sums wrap, and `has_wrapped` says so.
std::vector<double> expected_integers(operands& o, bool& has_wrapped) {
  const std::vector<double> a = o.a.get(), b = o.b.get(),
                            c = o.has_c ? o.c.get() : std::vector<double>();
  std::vector<double> out;
  each_index(o.y.shape, [&](const sizes& i) {
    run_sums sums;
    for (std::int64_t k = 0; k < inner(o); ++k) {
      const sizes ia = index_of_a(o, i, k), ib = index_of_b(o, i, k);
      const pair pa = pair_of(o.a, ia), pb = pair_of(o.b, ib);
      sums.add(pa.scale * pb.scale,
               (static_cast<std::int64_t>(at(a, o.a.shape, ia)) - pa.zero) *
                   (static_cast<std::int64_t>(at(b, o.b.shape, ib)) - pb.zero));
    }
    const sizes ic = o.has_c ? index_of_c(o, i) : sizes();
    out.push_back(sums.result(pair_of(o.y, i), o.y.type, o.has_c,
                              o.has_c ? static_cast<std::int64_t>(at(c, o.c.shape, ic)) : 0,
                              o.has_c ? pair_of(o.c, ic) : pair(), has_wrapped));
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
