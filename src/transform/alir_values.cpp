// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/alir_values.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using vm::alir::instruction;
using vm::alir::range;

/// The values of the type that an instruction wraps to.
[[nodiscard]] range type_bounds(int width, bool is_signed) noexcept {
  if (width >= 64) return vm::alir::anything;
  return is_signed ? vm::alir::signed_bits(width) : range{0, vm::alir::signed_bits(width + 1).high};
}
[[nodiscard]] range wrapped(const range& r, const instruction& to) noexcept {
  const range type = type_bounds(to.width, to.is_signed);
  return r.within(type) ? r : type;
}

}  // namespace

alir_values::alir_values(vm::alir::compiled_program&& from) : code(std::move(from)) {
  for (const vm::alir::table& t : code.tables) {
    const auto first = code.table_data.begin() + static_cast<std::ptrdiff_t>(t.first);
    const auto [low, high] =
        std::minmax_element(first, first + static_cast<std::ptrdiff_t>(t.count));
    table_bounds.push_back({*low, *high});
  }
  current_.assign(static_cast<std::size_t>(code.rows), none);
  list.reserve(code.inputs.size() + code.code.size());
  for (const vm::alir::input& in : code.inputs) {
    value v;
    v.how.what = instruction::kind::input;
    v.input = static_cast<std::uint32_t>(list.size());
    const int width = std::popcount(in.mask);
    v.how.width = static_cast<std::uint8_t>(width);
    v.how.is_signed = in.sign != 0;
    v.bounds = type_bounds(width, v.how.is_signed);
    current_[in.row] = v.input;
    list.push_back(v);
  }
  for (std::uint32_t i = 0; i < code.code.size(); ++i) add_instruction(code.code[i], i);
  for (const vm::alir::output& out : code.outputs) {
    outputs.push_back(out.zero ? none : current_[out.row]);
    if (!out.zero) list[outputs.back()].is_output = true;
  }
  // Backwards, so that all readers of a value come before it.
  for (auto x = static_cast<std::uint32_t>(list.size()); x-- > 0;)
    if (is_needed(x))
      for (const operand& o : operands_of(list[x]))
        if (list[o.value].last_reader == none) list[o.value].last_reader = x;
}

void alir_values::add_operand(std::uint32_t row, std::uint32_t left, bool negative) {
  operands.push_back({current_[row], static_cast<std::uint8_t>(left), negative});
}

void alir_values::add_instruction(const instruction& i, std::uint32_t index) {
  using kind = instruction::kind;
  value v;
  v.how = i;
  v.operation = index;
  v.first = static_cast<std::uint32_t>(operands.size());
  switch (i.what) {
    case kind::sum:
    case kind::quantize:
    case kind::relu:
      for (std::uint32_t k = 0; k < i.a + i.b; ++k) {
        const vm::alir::term t = code.terms[next_term_++];
        add_operand(t.row, t.left, k >= i.a);
      }
      break;
    case kind::mux:
      add_operand(i.a);
      add_operand(i.b);
      add_operand(i.c);
      break;
    case kind::multiply:
    case kind::conjunction:
    case kind::disjunction:
    case kind::exclusive:
      add_operand(i.a);
      add_operand(i.b);
      break;
    case kind::lookup:
    case kind::safe_lookup:
    case kind::invert:
    case kind::any:
    case kind::all: add_operand(i.a); break;
    case kind::input: list[current_[i.to]].operation = index; return;
    case kind::end: return;
  }
  v.count = static_cast<std::uint32_t>(operands.size()) - v.first;
  v.bounds = bounds_of(v);
  current_[i.to] = static_cast<std::uint32_t>(list.size());
  list.push_back(v);
}

range alir_values::sum_bounds(const value& v) const noexcept {
  range total{v.how.constant, v.how.constant};
  for (const operand& o : operands_of(v)) {
    const range x = vm::alir::shifted(list[o.value].bounds, o.left);
    total = o.negative ? vm::alir::subtract(total, x) : vm::alir::add(total, x);
  }
  return total;
}

range alir_values::bounds_of(const value& v) const noexcept {
  using kind = instruction::kind;
  const instruction& i = v.how;
  const auto x = [&](std::size_t k) { return list[operands[v.first + k].value].bounds; };
  switch (i.what) {
    case kind::sum: return sum_bounds(v);
    case kind::quantize: return wrapped(vm::alir::shifted(sum_bounds(v), -i.right), i);
    case kind::relu: {
      const range r = sum_bounds(v);
      const range positive{std::max<std::int64_t>(r.low, 0), std::max<std::int64_t>(r.high, 0)};
      return wrapped(vm::alir::shifted(vm::alir::shifted(positive, -i.right), i.left), i);
    }
    case kind::mux:
      return wrapped(
          vm::alir::either(x(0), vm::alir::shifted(vm::alir::shifted(x(1), -i.right), i.left)), i);
    case kind::multiply: return vm::alir::multiply(x(0), x(1));
    case kind::lookup:
    case kind::safe_lookup: return table_bounds[i.b];
    case kind::invert:
      return i.width >= 64 ? range{~x(0).high, ~x(0).low} : type_bounds(i.width, false);
    case kind::any:
    case kind::all: return {0, 1};
    case kind::conjunction:
    case kind::disjunction:
    case kind::exclusive: return vm::alir::bitwise(x(0), vm::alir::shifted(x(1), i.left));
    case kind::input:
    case kind::end: break;
  }
  return vm::alir::anything;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
