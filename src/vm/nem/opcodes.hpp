// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The opcodes of one category as an enumeration of their own: a switch over it is complete. A new row
// of the format's table doesn't compile without an enumerator here, nor that without a case.
//
//   switch (as<binary_opcode>(c.opcode)) { case binary_opcode::add: … }
//
// Lifetime:   constants.
// Errors:     none; the opcode is one of that category.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_NEM_OPCODES_HPP
#define TESSERA_VM_NEM_OPCODES_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

/// How many opcodes of its category come before each in the table.
inline constexpr auto places_in_categories = [] {
  std::array<std::uint8_t, model::opcode_count> places = {};
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (model::opcode_table[k].category == model::opcode_table[i].category) ++places[i];
  return places;
}();
/// How many a category has.
[[nodiscard]] constexpr std::size_t opcodes_in(model::opcode_category category) noexcept {
  std::size_t n = 0;
  for (const model::opcode_row& r : model::opcode_table) n += r.category == category ? 1u : 0u;
  return n;
}

enum class unary_opcode : std::uint8_t {
  relu,
  leaky_relu,
  sigmoid,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  neg,
  gelu,
  silu
};
enum class binary_opcode : std::uint8_t { add, sub, mul, div, min, max, pow };
enum class layout_opcode : std::uint8_t { transpose, reshape, slice, concat, split, pad, gather };
enum class reduction_opcode : std::uint8_t { sum, max, min, argmax, argmin };
enum class conversion_opcode : std::uint8_t { cast, quantize, dequantize };
enum class pooling_opcode : std::uint8_t { max, average };
enum class normalization_opcode : std::uint8_t { layer, root_mean_square };
enum class softmax_opcode : std::uint8_t { plain, logarithm };

/// An opcode of a category by its place there.
template <class Kind>
[[nodiscard]] constexpr Kind as(opcode op) noexcept {
  return static_cast<Kind>(places_in_categories[static_cast<std::size_t>(op)]);
}

// A row more, or in another place, is one here too.
static_assert(opcodes_in(model::opcode_category::elementwise_unary) == 11 &&
              as<unary_opcode>(opcode::relu) == unary_opcode::relu &&
              as<unary_opcode>(opcode::exp) == unary_opcode::exp &&
              as<unary_opcode>(opcode::neg) == unary_opcode::neg &&
              as<unary_opcode>(opcode::silu) == unary_opcode::silu);
static_assert(opcodes_in(model::opcode_category::elementwise_binary) == 7 &&
              as<binary_opcode>(opcode::mul) == binary_opcode::mul &&
              as<binary_opcode>(opcode::pow) == binary_opcode::pow);
static_assert(opcodes_in(model::opcode_category::layout) == 7 &&
              as<layout_opcode>(opcode::concat) == layout_opcode::concat &&
              as<layout_opcode>(opcode::gather) == layout_opcode::gather);
static_assert(opcodes_in(model::opcode_category::reduction) == 5 &&
              as<reduction_opcode>(opcode::reduce_min) == reduction_opcode::min &&
              as<reduction_opcode>(opcode::argmin) == reduction_opcode::argmin);
static_assert(opcodes_in(model::opcode_category::type_conversion) == 3 &&
              as<conversion_opcode>(opcode::dequantize) == conversion_opcode::dequantize);
static_assert(opcodes_in(model::opcode_category::pooling) == 2 &&
              as<pooling_opcode>(opcode::avgpool) == pooling_opcode::average);
static_assert(opcodes_in(model::opcode_category::normalization) == 2 &&
              as<normalization_opcode>(opcode::rmsnorm) == normalization_opcode::root_mean_square);
static_assert(opcodes_in(model::opcode_category::softmax) == 2 &&
              as<softmax_opcode>(opcode::log_softmax) == softmax_opcode::logarithm);

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_OPCODES_HPP
