// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "indices.hpp"
#include "support/catch.hpp"

namespace {

using namespace test;
using nem::quantization;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
const numbers shape = {3, 4, 5};
const numbers every = {}, first = {0}, second = {1}, both = {0, 1};

/// The axes of a set, and the shape that is left.
numbers axes_of(unsigned set) {
  numbers axes;
  for (std::int64_t d = 0; d < 3; ++d)
    if ((set >> d & 1) != 0) axes.push_back(set % 2 == 0 ? d - 3 : d);
  std::reverse(axes.begin(), axes.end());
  return axes;
}
numbers left_of(unsigned set, bool keepdims) {
  numbers left;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool is_reduced = set == 0 || (set >> d & 1) != 0;
    if (!is_reduced || keepdims) left.push_back(is_reduced ? 1 : shape[d]);
  }
  return left.empty() ? numbers{1} : left;
}
/// The numbers of the elements that become each element of the output, in the order of the shape.
std::vector<std::vector<std::size_t>> groups_of(unsigned set) {
  const numbers wide = left_of(set, true);
  std::vector<std::vector<std::size_t>> groups(static_cast<std::size_t>(count_of(wide)));
  numbers at(3);
  do {
    numbers to = at;
    for (std::size_t d = 0; d < 3; ++d)
      if (wide[d] == 1) to[d] = 0;
    groups[number_of(to, wide)].push_back(number_of(at, shape));
  } while (advance(at, shape));
  return groups;
}
nem::attributes reducing(const numbers& axes, bool keepdims) {
  nem::attributes a;
  a.axes = {axes.data(), axes.size()};
  a.keepdims = keepdims;
  return a;
}
nem::attributes reducing(numbers&&, bool) = delete;  // it borrows the list
nem::attributes along(std::int64_t axis, bool keepdims = false) {
  nem::attributes a;
  a.axis = axis;
  a.keepdims = keepdims;
  return a;
}

/// The low bits of an integer, as a number of the type.
double wrapped(element e, std::int64_t x) {
  const vm::nem::integer_range r = vm::nem::range_of(e);
  const std::int64_t size = r.greatest - r.least + 1;
  const std::int64_t m = ((x - r.least) % size + size) % size;
  return static_cast<double>(r.least + m);
}

}  // namespace

TEST_CASE("vm/nem/reductions: sums and extremes of all types over all axes", "[vm_nem]") {
  for (const element e : all_types) {
    const std::vector<double> from = values_of(e, count_of(shape));
    for (unsigned set = 0; set < 8; ++set)
      for (int kind = 0; kind < 3; ++kind) {
        const bool keepdims = (set + static_cast<unsigned>(kind)) % 2 != 0;
        const numbers axes = axes_of(set), left = left_of(set, keepdims);
        held x(e, shape, from, strides_of(kind, shape));
        const bool is_integer = x.tensor().is_integer();
        std::vector<double> sums, greatest, least;
        for (const std::vector<std::size_t>& group : groups_of(set)) {
          double sum = 0, high = -1e300, low = 1e300;
          std::int64_t whole = 0;
          for (const std::size_t i : group) {
            sum += from[i];
            if (is_integer) whole += static_cast<std::int64_t>(from[i]);
            high = std::max(high, from[i]);
            low = std::min(low, from[i]);
          }
          sums.push_back(is_integer ? wrapped(e, whole) : sum);
          greatest.push_back(high);
          least.push_back(low);
        }
        INFO("type " << static_cast<int>(e) << ", axes " << set << ", strides " << kind);
        held y(e, left, {}, strides_of((kind + 1) % 3, left));
        REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(axes, keepdims)));
        CHECK(y.bits() == held(e, left, sums).bits());
        CHECK(keeps_gaps(y));
        REQUIRE(run(opcode::reduce_max, {&x}, {&y}, reducing(axes, keepdims)));
        CHECK(y.get() == greatest);
        REQUIRE(run(opcode::reduce_min, {&x}, {&y}, reducing(axes, keepdims)));
        CHECK(y.get() == least);
        CHECK(keeps_gaps(y));
      }
  }
}

TEST_CASE("vm/nem/reductions: rank 0", "[vm_nem]") {
  held x(element::i8, {2, 2}, {100, 100, 1, 2}), y(element::i8, {});
  REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(both, false)));
  CHECK(y.get()[0] == -53);
  held z(element::i8, {});
  REQUIRE(run(opcode::reduce_max, {&y}, {&z}, reducing(every, true)));
  CHECK(z.get()[0] == -53);
}

TEST_CASE("vm/nem/reductions: sums of floats are rounded once, in the order of the shape",
          "[vm_nem]") {
  SECTION("binary64 keeps what the type would lose") {
    std::vector<double> many(4097, 1.0 / 2048);
    many[0] = 1;
    held x(element::f16, {4097}, many), y(element::f16, {1});
    REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(first, false)));
    CHECK(y.get()[0] == 3);
  }
  SECTION("and has its own limits") {
    // 2^60 swallows what follows, but not what came before
    held x(element::f32, {2, 3},
           {1152921504606846976.0, 1, -1152921504606846976.0, 1152921504606846976.0,
            -1152921504606846976.0, 1}),
        y(element::f32, {2}), z(element::f32, {1});
    REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(second, false)));
    CHECK(y.get() == std::vector<double>{0, 1});
    REQUIRE(run(opcode::reduce_sum, {&x}, {&z}, reducing(every, false)));
    CHECK(z.get()[0] == 1);
  }
  SECTION("overflow") {
    held x(element::f16, {2}, {65504, 65504}), y(element::f16, {1});
    REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(first, true)));
    CHECK(y.bits()[0] == 0x7c00);
  }
}

TEST_CASE("vm/nem/reductions: NaN, infinities and zeros of both signs", "[vm_nem]") {
  for (const element e : {element::f16, element::bf16, element::f32})
    for (const bool is_turned : {false, true}) {
      // Five groups of three, by rows or by columns.
      const std::vector<double> groups[] = {{1, not_a_number, 2},
                                            {not_a_number, -inf, inf},
                                            {-inf, -inf, -inf},
                                            {-0.0, 0.0, -0.0},
                                            {inf, 3, 3}};
      std::vector<double> from(15);
      for (std::size_t g = 0; g < 5; ++g)
        for (std::size_t k = 0; k < 3; ++k) from[is_turned ? k * 5 + g : g * 3 + k] = groups[g][k];
      held x(e, is_turned ? numbers{3, 5} : numbers{5, 3}, from), y(e, {5});
      const numbers axes = {is_turned ? 0 : 1};
      const nem::attributes b = reducing(axes, false);
      REQUIRE(run(opcode::reduce_max, {&x}, {&y}, b));
      CHECK(y.bits() == held(e, {5}, {not_a_number, not_a_number, -inf, 0.0, inf}).bits());
      REQUIRE(run(opcode::reduce_min, {&x}, {&y}, b));
      CHECK(y.bits() == held(e, {5}, {not_a_number, not_a_number, -inf, -0.0, 3}).bits());
      REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, b));
      CHECK(y.bits() == held(e, {5}, {not_a_number, not_a_number, -inf, 0.0, inf}).bits());
      held i(element::u8, {5});
      REQUIRE(run(opcode::argmax, {&x}, {&i}, along(is_turned ? 0 : -1)));
      CHECK(i.get() == std::vector<double>{1, 0, 0, 0, 0});
      REQUIRE(run(opcode::argmin, {&x}, {&i}, along(is_turned ? -2 : 1)));
      CHECK(i.get() == std::vector<double>{1, 0, 0, 0, 1});
    }
}

TEST_CASE("vm/nem/reductions: quantized values, by what they stand for", "[vm_nem]") {
  for (const element e : {element::i4, element::i8, element::u8, element::i16, element::i32})
    for (unsigned set = 0; set < 8; ++set)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const numbers axes = axes_of(set), left = left_of(set, true);
        const std::vector<double> from = values_of(e, count_of(shape), 3);
        held x(e, shape, from, strides_of(static_cast<int>(set % 3), shape));
        std::vector<float> xs, ys;
        numbers xz, yz;
        for (std::int64_t i = 0; i < (shape[axis] + 1) / 2; ++i) {
          xs.push_back(0.5f + 0.75f * static_cast<float>(i));
          xz.push_back(i);
        }
        for (std::int64_t i = 0; i < left[axis]; ++i) {
          ys.push_back(1.5f - 0.25f * static_cast<float>(i));
          yz.push_back(3 - i);
        }
        x.quantize(xs, xz, quantization::per_group, axis, 2);
        const auto groups = groups_of(set);
        const vm::nem::integer_range r = vm::nem::range_of(e);
        for (const opcode op : {opcode::reduce_sum, opcode::reduce_max, opcode::reduce_min}) {
          held y(e, left);
          y.quantize(ys, yz, quantization::per_channel, axis);
          REQUIRE(run(op, {&x}, {&y}, reducing(axes, true)));
          std::vector<double> expected;
          numbers at(3);
          do {
            double result = 0;
            bool is_first = true;
            for (const std::size_t i : groups[number_of(at, left)]) {
              const std::size_t index[] = {i / 20, i / 5 % 4, i % 5};
              const std::size_t g = index[axis] / 2;
              const double real =
                  static_cast<double>(xs[g]) * (from[i] - static_cast<double>(xz[g]));
              if (op == opcode::reduce_sum)
                result += real;
              else if (is_first)
                result = real;
              else
                result = op == opcode::reduce_max ? std::max(result, real) : std::min(result, real);
              is_first = false;
            }
            const auto c = static_cast<std::size_t>(at[axis]);
            expected.push_back(std::clamp(
                std::rint(result / static_cast<double>(ys[c])) + static_cast<double>(yz[c]),
                static_cast<double>(r.least), static_cast<double>(r.greatest)));
          } while (advance(at, left));
          INFO("type " << static_cast<int>(e) << ", axes " << set << ", descriptor " << axis);
          CHECK(y.get() == expected);
        }
      }
  SECTION("a single descriptor means nothing") {
    held x(element::i8, {3}, {100, 100, 100}), y(element::i8, {1});
    x.quantize({0.5f}, {50});
    REQUIRE(run(opcode::reduce_sum, {&x}, {&y}, reducing(first, true)));
    CHECK(y.get()[0] == 44);
  }
  SECTION("the order of an extremum is that of the real values") {
    held x(element::i8, {4}, {10, 9, 11, 20}), y(element::i32, {1});
    x.quantize({1.0f, 4.0f, 1.0f, 2.0f}, {0, 0, 0, 5}, quantization::per_channel, 0);
    REQUIRE(run(opcode::argmax, {&x}, {&y}, along(0)));
    CHECK(y.get()[0] == 1);
    REQUIRE(run(opcode::argmin, {&x}, {&y}, along(0)));
    CHECK(y.get()[0] == 0);
  }
}

TEST_CASE("vm/nem/reductions: the first extremum of all types along all axes", "[vm_nem]") {
  for (const element e : all_types)
    for (const element index :
         {element::i8, element::u8, element::i16, element::u16, element::i32, element::u32})
      for (int kind = 0; kind < 3; ++kind)
        for (unsigned d = 0; d < 3; ++d) {
          std::vector<double> from = values_of(e, count_of(shape), d);
          for (std::size_t i = 0; i < from.size(); ++i)  // few values, so that some are equal
            from[i] = i % 3 == 0 ? from[0] : i % 7 == 0 ? from[1] : from[i];
          const bool keepdims = (d + static_cast<unsigned>(kind)) % 2 == 0;
          const numbers left = left_of(1u << d, keepdims);
          held x(e, shape, from, strides_of(kind, shape));
          held high(index, left, {}, strides_of((kind + 1) % 3, left)), low(index, left);
          const std::int64_t axis = kind == 0 ? d : static_cast<std::int64_t>(d) - 3;
          REQUIRE(run(opcode::argmax, {&x}, {&high}, along(axis, keepdims)));
          REQUIRE(run(opcode::argmin, {&x}, {&low}, along(axis, keepdims)));
          std::vector<double> greatest, least;
          for (const std::vector<std::size_t>& group : groups_of(1u << d)) {
            const auto less = [&](std::size_t a, std::size_t b) { return from[a] < from[b]; };
            greatest.push_back(static_cast<double>(
                std::max_element(group.begin(), group.end(), less) - group.begin()));
            least.push_back(static_cast<double>(std::min_element(group.begin(), group.end(), less) -
                                                group.begin()));
          }
          CHECK(high.get() == greatest);
          CHECK(low.get() == least);
          CHECK(keeps_gaps(high));
        }
}

TEST_CASE("vm/nem/reductions: an index that its type doesn't hold is RT-INDEX, and 0", "[vm_nem]") {
  for (const bool is_turned : {false, true}) {
    std::vector<double> from(3 * 300);
    const std::size_t at[] = {127, 255, 299};
    for (std::size_t g = 0; g < 3; ++g) from[is_turned ? at[g] * 3 + g : g * 300 + at[g]] = 1;
    held x(element::f16, is_turned ? numbers{300, 3} : numbers{3, 300}, from);
    const nem::attributes a = along(is_turned ? 0 : 1);
    held bytes(element::i8, {3}), larger(element::u8, {3}), wide(element::i16, {3});
    vm::nem::verdict v = run(opcode::argmax, {&x}, {&bytes}, a);
    CHECK(v.code == errc::nem_rt_index);
    CHECK(v.element == 1);
    CHECK(v.index == 255);
    CHECK(v.size == 127);
    CHECK(bytes.get() == std::vector<double>{127, 0, 0});
    v = run(opcode::argmax, {&x}, {&larger}, a);
    CHECK(nem::rule(v.code).id() == std::string_view("RT-INDEX"));
    CHECK(v.element == 2);
    CHECK(v.index == 299);
    CHECK(v.size == 255);
    CHECK(larger.get() == std::vector<double>{127, 255, 0});
    CHECK(run(opcode::argmax, {&x}, {&wide}, a));
    CHECK(wide.get() == std::vector<double>{127, 255, 299});
  }
}

TEST_CASE("vm/nem/reductions: more elements than are looked at together", "[vm_nem]") {
  const std::int64_t n = 1300;
  std::vector<double> from = values_of(element::i16, 2 * n), sums[2] = {{0, 0}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    sums[0][0] += from[i];
    sums[0][1] += from[i + static_cast<std::size_t>(n)];
    sums[1].push_back(from[i] + from[i + static_cast<std::size_t>(n)]);
  }
  held x(element::i32, {2, n}, from), rows(element::i32, {2}), columns(element::i32, {n});
  REQUIRE(run(opcode::reduce_sum, {&x}, {&rows}, reducing(second, false)));
  CHECK(rows.get() == sums[0]);
  REQUIRE(run(opcode::reduce_sum, {&x}, {&columns}, reducing(first, false)));
  CHECK(columns.get() == sums[1]);
}

TEST_CASE("vm/nem/reductions: the output may lie on the input", "[vm_nem]") {
  std::vector<std::byte> memory(16);
  for (std::size_t i = 0; i < 16; ++i) memory[i] = std::byte(i);
  const numbers wide = {4, 4}, strides = {4, 1}, left = {4}, one = {1}, axes = {0};
  vm::nem::tensor x{memory.data(), 16, element::u8, wide, strides},
      y{memory.data() + 2, 4, element::u8, left, one};
  vm::nem::workspace scratch;
  vm::nem::call c;
  c.opcode = opcode::reduce_sum;
  c.inputs = {&x, 1};
  c.outputs = {&y, 1};
  c.attributes = reducing(axes, false);
  REQUIRE(execute(c, scratch));
  const int expected[] = {0, 1, 24, 28, 32, 36, 6, 7};
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::to_integer<int>(memory[i]) == expected[i]);
}

TEST_CASE("vm/nem/reductions: types without arithmetic are refused", "[vm_nem]") {
  held x(element::f64, {2}), y(element::f64, {1}), i(element::i8, {1});
  CHECK(run(opcode::reduce_sum, {&x}, {&y}, reducing(every, true)).code ==
        errc::nem_rt_unsupported);
  CHECK(run(opcode::argmax, {&x}, {&i}, along(0, true)).code == errc::nem_rt_unsupported);
}
