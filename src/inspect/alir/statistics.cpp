// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/statistics.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

alir_statistics::alir_statistics(const alir::program& p) {
  for (const alir::opcode_row& row : alir::opcode_table) {
    const auto n = std::count_if(p.model().ops.begin(), p.model().ops.end(),
                                 [&row](const alir::operation& o) { return o.code == row.code; });
    if (n != 0) opcodes.push_back({row.name, static_cast<std::uint64_t>(n)});
  }
  for (std::size_t i = 0; i < p.size(); ++i) {
    widest = std::max(widest, p.type(i).width());
    latency = std::max(latency, p.op(i).latency);
    cost += p.op(i).cost;
  }
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
