// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Products of matrices by NEM's rules, against loops over elements.

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "support/catch.hpp"
#include "vm/nem/product_cases.hpp"

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

TEST_CASE("vm/nem/products: appendix vectors", "[vm_nem]") {
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

TEST_CASE("vm/nem/products: integers of all forms", "[vm_nem]") {
  random_bits r(1);
  const element bytes[] = {element::i8, element::i4}, results[] = {element::i8, element::i16};
  for (int i = 0; i < 500; ++i) {
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

TEST_CASE("vm/nem/products: bytes by wider integers", "[vm_nem]") {
  random_bits r(4);
  for (int i = 0; i < 40; ++i) {
    const bool wide_a = i % 2 == 0;
    operands o =
        random_operands(r, wide_a ? element::i16 : element::i8, wide_a ? element::i8 : element::i16,
                        element::i32, element::i16, 9);
    o.a.set(numbers(r, o.a.shape, wide_a ? -30000 : -128, wide_a ? 30000 : 127));
    o.b.set(numbers(r, o.b.shape, wide_a ? -128 : -30000, wide_a ? 127 : 30000));
    o.c.set(numbers(r, o.c.shape, -20000, 20000));
    o.y.quantize({4096}, {0});
    bool has_wrapped = false;
    const std::vector<double> expected = expected_integers(o, has_wrapped);
    INFO(i);
    REQUIRE(multiply(o));
    REQUIRE(o.y.get() == expected);
  }
}

TEST_CASE("vm/nem/products: floats", "[vm_nem]") {
  random_bits r(2);
  const element floats[] = {element::f16, element::bf16, element::f32};
  for (int i = 0; i < 250; ++i) {
    const element type = floats[i % 3];
    operands o = random_operands(r, type, type, type, type, i % 50 == 1 ? 40 : 9);
    // Multiples of 1/8 so small that all sums are exact: what is left is one rounding.
    o.a.set(numbers(r, o.a.shape, -30, 30, 0.125));
    o.b.set(numbers(r, o.b.shape, -30, 30, 0.125));
    o.c.set(numbers(r, o.c.shape, -60, 60, 0.125));
    const std::vector<double> a = o.a.get(), b = o.b.get(), c = o.c.get();
    std::vector<double> sums;
    each_index(o.y.shape, [&](const sizes& index) {
      double sum = 0;
      for (std::int64_t k = 0; k < inner(o); ++k)
        sum +=
            at(a, o.a.shape, index_of_a(o, index, k)) * at(b, o.b.shape, index_of_b(o, index, k));
      sums.push_back(sum + (o.has_c ? at(c, o.c.shape, index_of_c(o, index)) : 0));
    });
    held expected(type, o.y.shape, sums);
    INFO(i);
    REQUIRE(multiply(o, pick(r, 0, 1) == 0));
    REQUIRE(o.y.bits() == expected.bits());
  }
}

TEST_CASE("vm/nem/products: @deterministic sums in ascending order", "[vm_nem]") {
  // Each product is rounded, then each sum. volatile keeps it so.
  random_bits r(3);
  constexpr std::int64_t m = 5, n = 11, k = 37;
  for (const bool is_turned : {false, true}) {
    held a(element::f32, {m, k}), b(element::f32, is_turned ? sizes{n, k} : sizes{k, n}),
        y(element::f32, {m, n});
    b.is_transposed = is_turned;
    std::vector<double> x = numbers(r, a.shape, -1000000, 1000000, 0.001),
                        w = numbers(r, b.shape, -1000000, 1000000, 0.001);
    a.set(x), b.set(w);
    x = a.get(), w = b.get();
    std::vector<double> expected;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        volatile float sum = 0;
        for (std::int64_t l = 0; l < k; ++l) {
          const std::int64_t of_w = is_turned ? j * k + l : l * n + j;
          volatile float product = static_cast<float>(x[static_cast<std::size_t>(i * k + l)]) *
                                   static_cast<float>(w[static_cast<std::size_t>(of_w)]);
          sum = sum + product;
        }
        expected.push_back(sum);
      }
    CHECK(test::run(opcode::matmul, {&a, &b}, {&y}, {}, true));
    CHECK(y.get() == expected);
    // In another order the error is bounded.
    CHECK(test::run(opcode::matmul, {&a, &b}, {&y}));
    const std::vector<double> found = y.get();
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::fabs(found[i] - expected[i]) < 16.0);
  }
}

TEST_CASE("vm/nem/products: sums that leave 32 bits wrap", "[vm_nem]") {
  // 128 * 128 * 131071 fits, one more doesn't.
  for (const std::int64_t k : {std::int64_t{131071}, std::int64_t{131072}, std::int64_t{300000}}) {
    held a(element::i8, {1, k}, std::vector<double>(static_cast<std::size_t>(k), -128)),
        b(element::i8, {k, 1}, std::vector<double>(static_cast<std::size_t>(k), -128)),
        y(element::i16, {1, 1});
    y.quantize({65536 * 256.0f}, {0});
    const std::int64_t sum = 16384 * k;
    const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
    const vm::nem::verdict v = test::run(opcode::matmul, {&a, &b}, {&y});
    CHECK(v);
    CHECK(v.has_wrapped == (sum > INT32_MAX));
    CHECK(y.get()[0] == std::nearbyint(low / (65536 * 256.0)));
  }
  // Zero points make bytes greater: 255 * 255 * 40000. Terms of both signs don't add up to much.
  const std::int64_t k = 80000;
  held a(element::i8, {2, k}), b(element::i8, {k, 1}), y(element::i16, {2, 1});
  std::vector<double> left(static_cast<std::size_t>(2 * k), 127);
  for (std::int64_t i = 0; i < k; ++i)
    left[static_cast<std::size_t>(k + i)] = i % 2 == 0 ? 127 : -127;
  a.set(left);
  b.set(std::vector<double>(static_cast<std::size_t>(k), -128));
  a.quantize({1}, {0});
  b.quantize({1}, {127});
  y.quantize({1 << 20}, {0});
  const std::int64_t sum = -255 * 127 * k;
  const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
  CHECK(test::run(opcode::matmul, {&a, &b}, {&y}).has_wrapped);
  CHECK(y.get() == std::vector<double>{std::nearbyint(low / 1048576.0), 0});
  // A bias by itself can overflow, and can undo an overflow.
  held one(element::i8, {1, 1}, {1}), c(element::i32, {1}, {2147483647.0}),
      out(element::i8, {1, 1});
  CHECK(test::run(opcode::gemm, {&one, &one, &c}, {&out}).has_wrapped);
  CHECK(out.get()[0] == -128);
  held minus(element::i8, {1, 1}, {-1});
  CHECK(!test::run(opcode::gemm, {&one, &minus, &c}, {&out}).has_wrapped);
  CHECK(out.get()[0] == 127);
  held back(element::i32, {1}, {-2147483647.0 - 1});
  held all(element::i8, {1, 131072}, std::vector<double>(131072, -128)),
      turned(element::i8, {131072, 1}, std::vector<double>(131072, -128));
  CHECK(!test::run(opcode::gemm, {&all, &turned, &back}, {&out}).has_wrapped);
  CHECK(out.get()[0] == 0);
}

TEST_CASE("vm/nem/products: what has no place for more", "[vm_nem]") {
  // The output shares bytes with inputs: they are read before.
  held x(element::f32, {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(test::run(opcode::gemm, {&x, &x, &x}, {&x}));
  CHECK(x.get() == std::vector<double>{31, 38, 45, 70, 86, 102, 109, 134, 159});
  held q(element::i8, {2, 2}, {1, 2, 3, 4});
  CHECK(test::run(opcode::matmul, {&q, &q}, {&q}));
  CHECK(q.get() == std::vector<double>{7, 10, 15, 22});
  // Steps of 0 make many elements of one byte. Where these aren't to be kept, that is said.
  const std::int64_t many = std::int64_t{1} << 40;
  held wide(element::i8, {1, many}, {}, {0, 0}), tall(element::i8, {many, 1}, {}, {0, 0}),
      y(element::i8, {1, 1});
  CHECK(test::run(opcode::matmul, {&wide, &tall}, {&y}).code == errc::nem_rt_mem);
  // A NaN has one pattern; scales that leave binary32 make no trouble.
  held inf(element::f32, {1, 2}, {INFINITY, -INFINITY}), ones(element::f32, {2, 1}, {1, 1}),
      nan(element::f32, {1, 1});
  CHECK(test::run(opcode::matmul, {&inf, &ones}, {&nan}));
  CHECK(nan.bits() == std::vector<std::uint32_t>{0x7fc00000});
  held a(element::i8, {1, 2}, {1, 2}), b(element::i8, {2, 1}, {3, 4}), z(element::i8, {1, 1});
  a.quantize({INFINITY}, {0});
  z.quantize({1}, {5});
  CHECK(test::run(opcode::matmul, {&a, &b}, {&z}));
  CHECK(z.get()[0] == 127);
  b.quantize({0}, {0});
  CHECK(test::run(opcode::matmul, {&a, &b}, {&z}));  // infinity times 0
  CHECK(z.get()[0] == 5);
}
