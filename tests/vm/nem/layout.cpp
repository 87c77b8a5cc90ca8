// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <cstdint>
#include <vector>

#include "indices.hpp"
#include "support/catch.hpp"

namespace {

using namespace test;
using nem::pad_mode;

/// Patterns that differ, in all bits of a type; among floats are NaNs with payloads.
std::vector<std::uint32_t> patterns(element e, std::int64_t n) {
  std::vector<std::uint32_t> out;
  const unsigned bits = nem::bitwidth(e);
  for (std::int64_t i = 0; i < n; ++i)
    out.push_back((static_cast<std::uint32_t>(i) * 0x9e3779b1u + 0x7fa12345u) >> (32 - bits));
  return out;
}
held filled(element e, const numbers& shape, int kind = 0) {
  held h(e, shape, {}, strides_of(kind, shape));
  const std::vector<std::uint32_t> bits = patterns(e, count_of(shape));
  const vm::nem::tensor t = h.tensor();
  numbers at(shape.size());
  std::size_t i = 0;
  do {
    std::int64_t to = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) to += at[d] * h.strides[d];
    wrap(t, to, 1, &bits[i++], 1);
  } while (advance(at, shape));
  return h;
}
/// Whether a type is tried with the k-th of nine pairs of strides: i4 with all, each other with three.
bool is_tried(element e, int k) { return e == element::i4 || (static_cast<int>(e) + k) % 3 == 0; }

/// Runs an operation of one input and one output, for all types and strides, against where each
/// element of the output comes from.
template <class Source>
void check(opcode op, const numbers& x_shape, const numbers& y_shape, const nem::attributes& a,
           Source&& source) {
  for (const element e : all_types)
    for (int kinds = 0; kinds < 9; ++kinds) {
      if (!is_tried(e, kinds)) continue;
      held x = filled(e, x_shape, kinds / 3), y(e, y_shape, {}, strides_of(kinds % 3, y_shape));
      REQUIRE(run(op, {&x}, {&y}, a));
      const std::vector<std::uint32_t> from = patterns(e, count_of(x_shape)), made = y.bits();
      numbers at(y_shape.size());
      std::size_t wrong = 0;
      do {
        const numbers s = source(at);
        wrong += made[number_of(at, y_shape)] != from[number_of(s, x_shape)];
      } while (advance(at, y_shape));
      INFO("type " << static_cast<int>(e) << ", strides " << kinds);
      CHECK(wrong == 0);
      CHECK(keeps_gaps(y));
      CHECK(x.bits() == from);
    }
}

nem::attributes with_axis(std::int64_t axis) {
  nem::attributes a;
  a.axis = axis;
  return a;
}

}  // namespace

TEST_CASE("vm/nem/layout: transpose takes each axis from where perm says", "[vm_nem]") {
  for (const numbers& perm :
       {numbers{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    const numbers x = {3, 5, 4};
    numbers y;
    for (const std::int64_t p : perm) y.push_back(x[static_cast<std::size_t>(p)]);
    nem::attributes a;
    a.perm = {perm.data(), perm.size()};
    check(opcode::transpose, x, y, a, [&](const numbers& at) {
      numbers from(3);
      for (std::size_t d = 0; d < 3; ++d) from[static_cast<std::size_t>(perm[d])] = at[d];
      return from;
    });
  }
}

TEST_CASE("vm/nem/layout: a large transpose", "[vm_nem]") {
  const numbers perm = {1, 0};
  nem::attributes a;
  a.perm = {perm.data(), 2};
  for (const element e : {element::i4, element::u8, element::i16, element::f32}) {
    held x = filled(e, {131, 67}), y(e, {67, 131});
    REQUIRE(run(opcode::transpose, {&x}, {&y}, a));
    const std::vector<std::uint32_t> from = patterns(e, 131 * 67), made = y.bits();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 131; ++i)
      for (std::size_t k = 0; k < 67; ++k) wrong += made[k * 131 + i] != from[i * 67 + k];
    CHECK(wrong == 0);
  }
}

TEST_CASE("vm/nem/layout: reshape keeps the order of elements", "[vm_nem]") {
  const numbers x = {3, 4, 5};
  for (const numbers& y : {numbers{60}, {5, 12}, {12, 5}, {2, 3, 2, 5}, {1, 60, 1}, {3, 4, 5}}) {
    nem::attributes a;
    a.target_shape = {y.data(), y.size()};
    check(opcode::reshape, x, y, a, [&](const numbers& at) {
      const auto n = static_cast<std::int64_t>(number_of(at, y));
      return numbers{n / 20, n / 5 % 4, n % 5};
    });
  }
  held x0 = filled(element::f16, {}), y1(element::f16, {1, 1});
  REQUIRE(run(opcode::reshape, {&x0}, {&y1}));
  CHECK(y1.bits() == patterns(element::f16, 1));
}

TEST_CASE("vm/nem/layout: slice begins and steps as ONNX's does", "[vm_nem]") {
  struct row {
    std::int64_t start, end, step;
    numbers kept;
  };
  constexpr std::int64_t most = INT64_MAX, least = INT64_MIN;
  const row table[] = {{8, 2, -2, {8, 6, 4}},    {0, 10, 3, {0, 3, 6, 9}},
                       {-3, most, 1, {7, 8, 9}}, {most, least, -4, {9, 5, 1}},
                       {-100, 4, 2, {0, 2}},     {2, -1, 4, {2, 6}},
                       {-1, -4, -1, {9, 8, 7}},  {5, 6, most, {5}},
                       {5, least, least, {5}},   {0, 10, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  for (const row& t : table)
    for (const std::int64_t axis : {0, 1, -2, -1}) {
      numbers x = {3, 3}, y = {3, 3};
      const std::size_t d =
          axis < 0 ? static_cast<std::size_t>(axis + 2) : static_cast<std::size_t>(axis);
      x[d] = 10;
      y[d] = static_cast<std::int64_t>(t.kept.size());
      nem::attributes a;
      a.starts = {&t.start, 1};
      a.ends = {&t.end, 1};
      a.steps = {&t.step, 1};
      a.axes = {&axis, 1};
      check(opcode::slice, x, y, a, [&](numbers at) {
        at[d] = t.kept[static_cast<std::size_t>(at[d])];
        return at;
      });
    }
  SECTION("several axes at once") {
    const numbers starts = {-1, 1}, ends = {-100, 5}, steps = {-1, 3}, axes = {-1, 0};
    nem::attributes a;
    a.starts = {starts.data(), 2};
    a.ends = {ends.data(), 2};
    a.steps = {steps.data(), 2};
    a.axes = {axes.data(), 2};
    check(opcode::slice, {6, 2, 5}, {2, 2, 5}, a, [](const numbers& at) {
      return numbers{1 + 3 * at[0], at[1], 4 - at[2]};
    });
  }
  SECTION("no axis") {
    check(opcode::slice, {3, 4}, {3, 4}, {}, [](const numbers& at) { return at; });
  }
}

TEST_CASE("vm/nem/layout: concat and split along each axis", "[vm_nem]") {
  for (const element e : all_types)
    for (const std::int64_t axis : {0, 1, 2, -1, -3})
      for (int kind = 0; kind < 3; ++kind) {
        const std::size_t d = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
        numbers whole = {3, 5, 3}, sizes = {1, 3, 2};
        whole[d] = 6;
        std::vector<held> parts;
        std::vector<held*> at_parts;
        for (const std::int64_t s : sizes) {
          numbers part = whole;
          part[d] = s;
          parts.push_back(held(e, part, {}, strides_of((kind + static_cast<int>(s)) % 3, part)));
        }
        for (held& p : parts) at_parts.push_back(&p);
        held x = filled(e, whole, kind), y(e, whole, {}, strides_of((kind + 1) % 3, whole));
        const std::vector<std::uint32_t> from = patterns(e, count_of(whole));

        nem::attributes a = with_axis(axis);
        a.split_sizes = {sizes.data(), 3};
        REQUIRE(run(opcode::split, {&x}, at_parts, a));
        std::size_t wrong = 0;
        std::int64_t before = 0;
        for (held& p : parts) {
          const std::vector<std::uint32_t> made = p.bits();
          numbers at(3);
          do {
            numbers s = at;
            s[d] += before;
            wrong += made[number_of(at, p.shape)] != from[number_of(s, whole)];
          } while (advance(at, p.shape));
          before += p.shape[d];
          wrong += !keeps_gaps(p);
        }
        CHECK(wrong == 0);

        REQUIRE(run(opcode::concat, at_parts, {&y}, with_axis(axis)));
        CHECK(y.bits() == from);
        CHECK(keeps_gaps(y));
      }
}

TEST_CASE("vm/nem/layout: pad reflects, repeats and wraps", "[vm_nem]") {
  struct row {
    pad_mode mode;
    std::int64_t size, before, after;
    numbers from;
  };
  const row table[] = {{pad_mode::reflect, 4, 2, 3, {2, 1, 0, 1, 2, 3, 2, 1, 0}},
                       {pad_mode::edge, 4, 2, 3, {0, 0, 0, 1, 2, 3, 3, 3, 3}},
                       {pad_mode::wrap, 4, 2, 3, {2, 3, 0, 1, 2, 3, 0, 1, 2}},
                       {pad_mode::reflect, 3, 6, 5, {2, 1, 0, 1, 2, 1, 0, 1, 2, 1, 0, 1, 2, 1}},
                       {pad_mode::reflect, 1, 2, 1, {0, 0, 0, 0}},
                       {pad_mode::wrap, 2, 5, 4, {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
                       {pad_mode::edge, 3, 0, 0, {0, 1, 2}}};
  for (const row& t : table)
    for (std::size_t d = 0; d < 2; ++d) {
      numbers x = {3, 3}, y = {5, 5}, pads = {1, 1, 1, 1};
      x[d] = t.size;
      y[d] = t.size + t.before + t.after;
      pads[d] = t.before;
      pads[d + 2] = t.after;
      const numbers other = t.mode == pad_mode::reflect ? numbers{1, 0, 1, 2, 1}
                            : t.mode == pad_mode::edge  ? numbers{0, 0, 1, 2, 2}
                                                        : numbers{2, 0, 1, 2, 0};
      nem::attributes a;
      a.mode = t.mode;
      a.pads = {pads.data(), 4};
      check(opcode::pad, x, y, a, [&](numbers at) {
        at[d] = t.from[static_cast<std::size_t>(at[d])];
        at[1 - d] = other[static_cast<std::size_t>(at[1 - d])];
        return at;
      });
    }
}

TEST_CASE("vm/nem/layout: pad with a constant, which is cast", "[vm_nem]") {
  struct row {
    element e;
    double value;
    std::uint32_t bits;
  };
  const row table[] = {{element::i4, -3.9, 13},
                       {element::i4, 100, 7},
                       {element::i8, 200.7, 127},
                       {element::i8, -3.9, 0xfd},
                       {element::u8, -1, 0},
                       {element::u8, 255.99, 255},
                       {element::i16, -40000, 0x8000},
                       {element::u16, 65535.5, 0xffff},
                       {element::i32, 1e300, 0x7fffffff},
                       {element::u32, 4294967295.0, 0xffffffff},
                       {element::f16, 65520, 0x7c00},
                       {element::f16, 0.1, 0x2e66},
                       {element::bf16, 1 + 3.0 / 256, 0x3f82},
                       {element::f32, -1.5, 0xbfc00000},
                       {element::f32, 0, 0}};
  const numbers x_shape = {2, 3}, y_shape = {5, 4}, pads = {1, 0, 2, 1};
  for (const row& t : table)
    for (int kinds = 0; kinds < 9; ++kinds) {
      if (!is_tried(t.e, kinds)) continue;
      held x = filled(t.e, x_shape, kinds / 3), y(t.e, y_shape, {}, strides_of(kinds % 3, y_shape));
      nem::attributes a;
      a.mode = pad_mode::constant;
      a.constant_value = t.value;
      a.pads = {pads.data(), 4};
      REQUIRE(run(opcode::pad, {&x}, {&y}, a));
      const std::vector<std::uint32_t> from = patterns(t.e, 6), made = y.bits();
      std::vector<std::uint32_t> wanted(20, t.bits);
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 3; ++k) wanted[(i + 1) * 4 + k] = from[i * 3 + k];
      CHECK(made == wanted);
      CHECK(keeps_gaps(y));
    }
}

TEST_CASE("vm/nem/layout: gather by indices of any type", "[vm_nem]") {
  const numbers x_shape = {3, 5, 2}, indices_shape = {2, 3};
  const std::vector<double> chosen = {4, 0, 2, 2, 1, 3}, from_end = {-1, 0, -3, 2, -4, 3};
  for (const element e : all_types)
    for (const element index : {element::i4, element::i8, element::u8, element::i16, element::u16,
                                element::i32, element::u32})
      for (int kind = 0; kind < 3; ++kind) {
        const bool is_signed =
            index != element::u8 && index != element::u16 && index != element::u32;
        const numbers y_shape = {3, 2, 3, 2};
        held x = filled(e, x_shape, kind), y(e, y_shape, {}, strides_of((kind + 2) % 3, y_shape));
        held i(index, indices_shape, is_signed ? from_end : chosen,
               strides_of((kind + 1) % 3, indices_shape));
        REQUIRE(run(opcode::gather, {&x, &i}, {&y}, with_axis(kind == 1 ? -2 : 1)));
        const std::vector<std::uint32_t> from = patterns(e, 30), made = y.bits();
        std::size_t wrong = 0;
        numbers at(4);
        do {
          const auto c =
              static_cast<std::int64_t>(chosen[static_cast<std::size_t>(at[1] * 3 + at[2])]);
          wrong += made[number_of(at, y_shape)] != from[number_of({at[0], c, at[3]}, x_shape)];
        } while (advance(at, y_shape));
        CHECK(wrong == 0);
        CHECK(keeps_gaps(y));
      }
  SECTION("one index without a dimension takes the axis away") {
    held x = filled(element::i16, {3, 4}), i(element::i8, {}, {-2}), y(element::i16, {3});
    REQUIRE(run(opcode::gather, {&x, &i}, {&y}, with_axis(1)));
    const std::vector<std::uint32_t> from = patterns(element::i16, 12);
    CHECK(y.bits() == std::vector<std::uint32_t>{from[2], from[6], from[10]});
  }
  SECTION("more indices than are looked at together") {
    std::vector<double> many;
    for (int i = 0; i < 700; ++i) many.push_back(i * 37 % 100);
    held x = filled(element::u8, {100}), i(element::i16, {700}, many), y(element::u8, {700});
    REQUIRE(run(opcode::gather, {&x, &i}, {&y}, with_axis(0)));
    const std::vector<std::uint32_t> from = patterns(element::u8, 100), made = y.bits();
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 700; ++k)
      wrong += made[k] != from[static_cast<std::size_t>(many[k])];
    CHECK(wrong == 0);
  }
}

TEST_CASE("vm/nem/layout: indices out of range are RT-INDEX, and 0", "[vm_nem]") {
  struct row {
    element type;
    double index;
    std::int64_t axis, first;
  };
  // x is [2, 3, 5]; the indices are [0, 1, BAD, BAD - or + 1]
  const row table[] = {{element::i8, 3, 1, 10},
                       {element::i8, -4, 1, 10},
                       {element::i32, -2147483648.0, 0, 30},
                       {element::u32, 4294967295.0, 2, 2},
                       {element::i4, 7, 0, 30},
                       {element::i16, 5, -1, 2}};
  for (const row& t : table) {
    numbers y_shape = {2, 3, 5};
    const std::size_t d = static_cast<std::size_t>(t.axis < 0 ? t.axis + 3 : t.axis);
    const std::int64_t size = y_shape[d];
    y_shape[d] = 4;
    held x = filled(element::f32, {2, 3, 5}), y(element::f32, y_shape),
         i(t.type, {4}, {0, 1, t.index, t.index});
    const vm::nem::verdict v = run(opcode::gather, {&x, &i}, {&y}, with_axis(t.axis));
    CHECK(v.code == errc::nem_rt_index);
    CHECK(nem::rule(v.code).id() == "RT-INDEX");
    CHECK(v.index == static_cast<std::int64_t>(t.index));
    CHECK(v.size == size);
    CHECK(v.element == t.first);
    const std::vector<std::uint32_t> from = patterns(element::f32, 30), made = y.bits();
    numbers at(3);
    do {
      CHECK(made[number_of(at, y_shape)] == (at[d] < 2 ? from[number_of(at, {2, 3, 5})] : 0));
    } while (advance(at, y_shape));
  }
}

TEST_CASE("vm/nem/layout: an output may lie where an input is", "[vm_nem]") {
  SECTION("reshape without gaps changes nothing") {
    held x = filled(element::i4, {3, 5});
    const std::vector<std::byte> before = x.memory;
    vm::nem::tensor in = x.tensor(), out = in;
    const numbers shape = {5, 3}, strides = {3, 1};
    out.shape = shape;
    out.strides = strides;
    vm::nem::workspace scratch;
    vm::nem::call c;
    c.opcode = opcode::reshape;
    c.inputs = {&in, 1};
    c.outputs = {&out, 1};
    REQUIRE(execute(c, scratch));
    CHECK(x.memory == before);
  }
  SECTION("reading comes before writing") {
    const numbers perm = {1, 0}, shape = {4, 4};
    held x = filled(element::i16, shape);
    const std::vector<std::uint32_t> from = patterns(element::i16, 16);
    vm::nem::tensor in = x.tensor(), out = in;
    vm::nem::workspace scratch;
    vm::nem::call c;
    c.opcode = opcode::transpose;
    c.attributes.perm = {perm.data(), 2};
    c.inputs = {&in, 1};
    c.outputs = {&out, 1};
    REQUIRE(execute(c, scratch));
    const std::vector<std::uint32_t> made = x.bits();
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 4; ++k) CHECK(made[i * 4 + k] == from[k * 4 + i]);
  }
  SECTION("also where they overlap by a part") {
    std::vector<std::byte> memory(12);
    for (std::size_t i = 0; i < 12; ++i) memory[i] = std::byte(i);
    const numbers shape = {8}, strides = {1};
    vm::nem::tensor in{memory.data(), 8, element::u8, shape, strides}, out = in;
    out.data += 3;
    const std::int64_t start = -1, end = -100, axis = 0, step = -1;
    vm::nem::workspace scratch;
    vm::nem::call c;
    c.opcode = opcode::slice;
    c.attributes.starts = {&start, 1};
    c.attributes.ends = {&end, 1};
    c.attributes.axes = {&axis, 1};
    c.attributes.steps = {&step, 1};
    c.inputs = {&in, 1};
    c.outputs = {&out, 1};
    REQUIRE(execute(c, scratch));
    const int expected[] = {0, 1, 2, 7, 6, 5, 4, 3, 2, 1, 0, 11};
    for (std::size_t i = 0; i < 12; ++i) CHECK(std::to_integer<int>(memory[i]) == expected[i]);
  }
}

TEST_CASE("vm/nem/layout: of many operands, some may share bytes", "[vm_nem]") {
  std::vector<std::byte> memory(16);
  for (std::size_t i = 0; i < 16; ++i) memory[i] = std::byte(i);
  const numbers three = {3}, six = {6}, one = {1};
  const auto at = [&](std::int64_t first, const numbers& shape) {
    return vm::nem::tensor{memory.data() + first, shape[0], element::u8, shape, one};
  };
  const auto is = [&](const std::vector<int>& wanted) {
    for (std::size_t i = 0; i < 16; ++i)
      if (std::to_integer<int>(memory[i]) != wanted[i]) return false;
    return true;
  };
  vm::nem::workspace scratch;
  vm::nem::call c;
  SECTION("concat") {
    const vm::nem::tensor in[] = {at(5, three), at(2, three)}, out = at(4, six);
    c.opcode = opcode::concat;
    c.inputs = in;
    c.outputs = {&out, 1};
    REQUIRE(execute(c, scratch));
    CHECK(is({0, 1, 2, 3, 5, 6, 7, 2, 3, 4, 10, 11, 12, 13, 14, 15}));
  }
  SECTION("split") {
    const numbers sizes = {3, 3};
    const vm::nem::tensor in = at(4, six), out[] = {at(6, three), at(1, three)};
    c.opcode = opcode::split;
    c.attributes.split_sizes = {sizes.data(), 2};
    c.inputs = {&in, 1};
    c.outputs = out;
    REQUIRE(execute(c, scratch));
    CHECK(is({0, 7, 8, 9, 4, 5, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15}));
  }
  SECTION("gather writes where its indices are") {
    const vm::nem::tensor in[] = {at(4, six), at(0, three)}, out = at(1, three);
    c.opcode = opcode::gather;
    c.inputs = in;
    c.outputs = {&out, 1};
    REQUIRE(execute(c, scratch));
    CHECK(is({0, 4, 5, 6, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  }
}

TEST_CASE("vm/nem/layout: inputs may repeat elements", "[vm_nem]") {
  held x(element::f32, {3, 4}, {}, {1, 0}), y(element::f32, {4, 3}), flat(element::f32, {12});
  const numbers perm = {1, 0};
  nem::attributes a;
  a.perm = {perm.data(), 2};
  x.set({7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9});
  REQUIRE(run(opcode::transpose, {&x}, {&y}, a));
  CHECK(y.get() == std::vector<double>{7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9});
  REQUIRE(run(opcode::reshape, {&x}, {&flat}));
  CHECK(flat.get() == std::vector<double>{7, 7, 7, 7, 8, 8, 8, 8, 9, 9, 9, 9});
}

TEST_CASE("vm/nem/layout: shapes of more elements than 64 bits count", "[vm_nem]") {
  const std::int64_t many = std::int64_t{1} << 40;
  held x(element::i4, {many, many}, {}, {0, 0}), y(element::i4, {many, 2, many / 2}, {}, {0, 0, 0});
  CHECK(x.tensor().count() == INT64_MAX);
  CHECK_FALSE(x.tensor().is_dense());
  CHECK(run(opcode::reshape, {&x}, {&y}).code == errc::nem_rt_mem);
  // The unused half of the byte stays: the elements don't follow one another.
  const double value = -3;
  store(x.tensor(), 0, 0, &value, 1);
  CHECK(std::to_integer<int>(x.memory[0]) == 0xad);
}

TEST_CASE("vm/nem/layout: nothing is copied between types", "[vm_nem]") {
  held x = filled(element::i8, {4}), y(element::f32, {4});
  CHECK(run(opcode::reshape, {&x}, {&y}).code == errc::nem_rt_unsupported);
  CHECK(run(opcode::concat, {&x}, {&y}).code == errc::nem_rt_unsupported);
}
