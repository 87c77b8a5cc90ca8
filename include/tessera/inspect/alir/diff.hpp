// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two ALIR programs, whatever the numbers of their operations, their version
// and their encoding.
//
//   const auto d = tessera::inspect::diff(before, after);
//   for (const auto& o : d.outputs) std::cout << o.what << ": " << o.before << " -> " << o.after;
//
// Operations are paired where they compute the same from the same, down to the inputs. What is left
// is paired in the order of the programs: with what does the same with paired operands, with what
// has the same opcode and operands, with what has the same operands, with what has the same opcode
// and one of them. The rest was added or removed. So one changed operation doesn't make all that
// depend on it different.
//
//   model       inputs and outputs, inp_shifts; carry_size, adder_size; the whole's latency, cost
//   outputs     the operation that they show, by pairs; sign and shift
//   operations  opcode, operands by pairs, data, shift, interval, entries of the table
//
// Of bytecode, which has no intervals, types are compared, and neither latency nor cost. Latencies
// and costs of single operations aren't compared.
//
// Lifetime:   texts own themselves; indices are those of the programs.
// Errors:     none: any programs.
// Limits:     none.
// Allocation: 300 bytes for each operation.

#ifndef TESSERA_INSPECT_ALIR_DIFF_HPP
#define TESSERA_INSPECT_ALIR_DIFF_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Something in which the two differ; empty where a program lacks it.
struct alir_property_difference {
  std::string what;           ///< "output 3", "interval"
  std::string before, after;  ///< its values: "%12", "[-8.0, 7.5] step 0.5"
};

/// An operation of one program only, or a pair that isn't equal.
struct alir_operation_difference {
  static constexpr std::int32_t none = -1;      ///< no operation
  std::int32_t before = none, after = none;     ///< their indices
  std::vector<alir_property_difference> parts;  ///< of a pair
};

/// What differs between two programs.
struct alir_difference {
  std::vector<alir_property_difference> model, outputs;  ///< of the whole, and of each output
  /// What was removed or changed, in the order of the first program; then what was added.
  std::vector<alir_operation_difference> operations;
  std::uint64_t added = 0, removed = 0, changed = 0, unchanged = 0;  ///< operations

  /// Whether nothing that is compared differs.
  [[nodiscard]] bool same() const noexcept {
    return model.empty() && outputs.empty() && operations.empty();
  }
};
/// Compares two programs.
[[nodiscard]] alir_difference diff(const alir::program& before, const alir::program& after);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_DIFF_HPP
