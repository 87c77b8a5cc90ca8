// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A compiled program of ALIR's machine with a name for each value: rows, which are used again and
// again, become values that are written once. What writes code starts from here.
//
//   const alir_values v(vm::alir::compile(program));
//   v.list[v.outputs[0]].bounds;   // all that the first output can be, before its sign and scale
//
// Lifetime:   owns everything.
// Errors:     none.
// Limits:     those of a compiled program.
// Allocation: some 100 bytes for each instruction.

#ifndef TESSERA_TRANSFORM_ALIR_VALUES_HPP
#define TESSERA_TRANSFORM_ALIR_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tessera/core/text.hpp"
#include "vm/alir/compile.hpp"
#include "vm/alir/range.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

struct alir_values {
  using instruction = vm::alir::instruction;
  static constexpr std::uint32_t none = UINT32_MAX;

  /// ± value << left.
  struct operand {
    std::uint32_t value = 0;
    std::uint8_t left = 0;
    bool negative = false;
  };
  struct value {
    instruction how;                 ///< of an input, kind::input
    std::uint32_t input = none;      ///< index into compiled_program::inputs
    std::uint32_t operation = none;  ///< its instruction's index: the operation's, if one to one
    std::uint32_t first = 0, count = 0;  ///< of its operands: terms; or a, b and c, in this order
    std::uint32_t last_reader = none;    ///< the last needed value that reads it
    bool is_output = false;
    vm::alir::range bounds;
  };

  explicit alir_values(vm::alir::compiled_program&& from);

  [[nodiscard]] std::span<const operand> operands_of(const value& v) const noexcept {
    return {operands.data() + v.first, v.count};
  }
  [[nodiscard]] const value& operator[](std::uint32_t id) const noexcept { return list[id]; }
  [[nodiscard]] bool is_constant(std::uint32_t id) const noexcept {
    return list[id].how.what == instruction::kind::sum && list[id].count == 0;
  }
  [[nodiscard]] bool is_read(std::uint32_t id) const noexcept {
    return list[id].last_reader != none || list[id].is_output;
  }
  /// Whether it is read, or may trap.
  [[nodiscard]] bool is_needed(std::uint32_t id) const noexcept {
    return is_read(id) || list[id].how.what == instruction::kind::lookup;
  }
  /// What a sum is before it is shifted to the right, tested or wrapped.
  [[nodiscard]] vm::alir::range sum_bounds(const value& v) const noexcept;

  vm::alir::compiled_program code;
  std::vector<value> list;  ///< inputs, then one for each instruction
  std::vector<operand> operands;
  std::vector<std::uint32_t> outputs;  ///< none: the output is 0
  std::vector<vm::alir::range> table_bounds;

 private:
  void add_instruction(const instruction& i, std::uint32_t index);
  void add_operand(std::uint32_t row, std::uint32_t left = 0, bool negative = false);
  [[nodiscard]] vm::alir::range bounds_of(const value& v) const noexcept;

  std::vector<std::uint32_t> current_;  ///< the value in each row
  std::size_t next_term_ = 0;
};

/// Pieces of text and integers as one string.
template <class... Parts>
[[nodiscard]] std::string joined(const Parts&... parts) {
  text out;
  (out << ... << parts);
  return std::string(out.view());
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_ALIR_VALUES_HPP
