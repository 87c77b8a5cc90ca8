// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an ALIR program consists of: operations by opcode and by width, latency and cost.
//
//   const tessera::inspect::alir_statistics s(program);
//   std::cout << s.cost << " LUTs at latency " << s.latency << '\n';
//
// Lifetime:   names live as long as the program.
// Errors:     none.
// Limits:     none.
// Allocation: a row for each opcode and each width, and 4 bytes for each operation.

#ifndef TESSERA_INSPECT_ALIR_STATISTICS_HPP
#define TESSERA_INSPECT_ALIR_STATISTICS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// Counts of a program's operations, its latency and its cost.
struct alir_statistics {
  /// Counts the operations of a program.
  explicit alir_statistics(const alir::program& p);

  /// The operations of one opcode.
  struct count {
    std::string_view name;  ///< opcode_row::name
    std::uint64_t value;    ///< how many
    double cost;            ///< the sum of the operations' costs
  };
  /// The operations whose types have as many bits.
  struct width {
    int bits;                  ///< with the sign
    std::uint64_t operations;  ///< how many
  };
  std::vector<count> opcodes;    ///< in the order of opcode_table, without zeros
  std::vector<width> widths;     ///< ascending, without zeros
  int widest = 0;                ///< bits of the widest type
  double latency = 0, cost = 0;  ///< the latest operation's, the sum; bytecode has neither
  std::uint32_t depth = 0;       ///< operations of the longest path, without inputs and constants
  /// The path to the latest operation, from an input or a constant on: at each step the operand
  /// that is ready last, and of those the deepest. Where no operation has a latency, the longest
  /// path.
  std::vector<std::uint32_t> critical_path;
};

/// How many operations, without inputs and constants, the longest path to each operation has,
/// itself among them.
[[nodiscard]] std::vector<std::uint32_t> alir_depths(const alir::program& p);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_STATISTICS_HPP
