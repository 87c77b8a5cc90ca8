// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A step of tasks that work element by element, or along the last dimensions.
//
//   chain c(m, m.result_shape());
//   const value x = c.input(m.operand(0)), half = c.number(0.5);
//   c.finish(c.apply(nem::opcode::mul, {x, half}));            // the operation's result
//
// The tensor that it makes has its elements in the order of those of the first input that isn't
// broadcast, so that images stay as they are.
//
// Lifetime:   borrows the mapper.
// Errors:     those of the mapper.
// Limits:     none.
// Allocation: that of a step.

#ifndef TESSERA_TRANSFORM_LOWER_CHAIN_HPP
#define TESSERA_TRANSFORM_LOWER_CHAIN_HPP

#include <utility>
#include <vector>

#include "transform/lower/map.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

class chain {
 public:
  using value = task_operand;
  using attributes = std::vector<std::pair<nem::attribute, nem::expr>>;

  /// `fixed` dimensions at the end are whole in each tile, and stay at the end.
  chain(mapper& m, dimensions shape, std::uint32_t fixed = 0)
      : mapper_(m), shape_(std::move(shape)), fixed_(fixed) {}

  /// Broadcast to the shape.
  [[nodiscard]] value input(const tensor_view& v);
  [[nodiscard]] value number(double v) { return input(mapper_.number(v)); }
  /// A vector as it is, along the last dimension: a scale or a bias.
  [[nodiscard]] value vector(const tensor_view& v);
  [[nodiscard]] value apply(nem::opcode op, std::vector<value> in, attributes with = {});
  /// In another type, i32, or in the network's, `none`.
  [[nodiscard]] value convert(const value& v, nem::element to);
  [[nodiscard]] value add(const value& a, const value& b) {
    return apply(nem::opcode::add, {a, b});
  }
  [[nodiscard]] value mul(const value& a, const value& b) {
    return apply(nem::opcode::mul, {a, b});
  }
  [[nodiscard]] tensor_view result(const value& v);
  /// The same, into a part of a tensor.
  void store(const value& v, const tensor_view& to);
  void finish(const value& v) { mapper_.give(result(v)); }

 private:
  struct source {
    tensor_view of;
    bool is_vector = false;
  };
  [[nodiscard]] std::vector<std::size_t> order() const;
  /// A step of what there is, its dimensions in an order.
  [[nodiscard]] step step_of(const value& v, const std::vector<std::size_t>& by);

  mapper& mapper_;
  dimensions shape_;
  std::uint32_t fixed_;
  std::vector<source> inputs_;
  std::vector<tile_task> tasks_;
  std::uint32_t registers_ = 0;
  std::vector<number_form> forms_;
};

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_LOWER_CHAIN_HPP
