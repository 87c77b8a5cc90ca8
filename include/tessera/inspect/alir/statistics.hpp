// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What an ALIR program consists of: operations by opcode, widths, latency and cost.
//
//   const tessera::inspect::alir_statistics s(program);
//   std::cout << s.cost << " LUTs at latency " << s.latency << '\n';
//
// Lifetime:   names live as long as the program.
// Errors:     none.
// Limits:     none.
// Allocation: a row for each opcode.

#ifndef TESSERA_INSPECT_ALIR_STATISTICS_HPP
#define TESSERA_INSPECT_ALIR_STATISTICS_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "../../alir.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

struct alir_statistics {
  explicit alir_statistics(const alir::program& p);

  struct count {
    std::string_view name;
    std::uint64_t value;
  };
  std::vector<count> opcodes;    ///< in the order of opcode_table, without zeros
  int widest = 0;                ///< bits of the widest type
  double latency = 0, cost = 0;  ///< the latest operation's, the sum; bytecode has neither
};

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_STATISTICS_HPP
