// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/alir/statistics.hpp"

#include <algorithm>
#include <array>

#include "operands.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

[[nodiscard]] std::vector<std::uint32_t> find_critical_path(
    const alir::program& p, const std::vector<std::uint32_t>& depths) {
  std::vector<std::uint32_t> out;
  if (p.size() == 0) return out;
  const auto is_later = [&](std::size_t a, std::size_t b) {
    return p.op(a).latency != p.op(b).latency ? p.op(a).latency > p.op(b).latency
                                              : depths[a] > depths[b];
  };
  std::size_t at = 0;
  for (std::size_t i = 1; i < p.size(); ++i)
    if (is_later(i, at)) at = i;
  for (;;) {
    out.push_back(static_cast<std::uint32_t>(at));
    std::size_t next = at;
    each_operand(p, at, [&](std::size_t x) {
      if (next == at || is_later(x, next)) next = x;
    });
    if (next == at) break;
    at = next;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace

std::vector<std::uint32_t> alir_depths(const alir::program& p) {
  std::vector<std::uint32_t> out(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    each_operand(p, i, [&](std::size_t x) { out[i] = std::max(out[i], out[x] + 1); });
  return out;
}

alir_statistics::alir_statistics(const alir::program& p) {
  for (const alir::opcode_row& row : alir::opcode_table) {
    count c{row.name, 0, 0};
    for (const alir::operation& o : p.model().ops)
      if (o.code == row.code) ++c.value, c.cost += o.cost;
    if (c.value != 0) opcodes.push_back(c);
  }
  std::array<std::uint64_t, 65> by_width{};
  for (std::size_t i = 0; i < p.size(); ++i) {
    ++by_width[static_cast<std::size_t>(p.type(i).width())];
    latency = std::max(latency, p.op(i).latency);
    cost += p.op(i).cost;
  }
  for (std::size_t bits = 0; bits < by_width.size(); ++bits)
    if (by_width[bits] != 0) widths.push_back({static_cast<int>(bits), by_width[bits]});
  if (!widths.empty()) widest = widths.back().bits;
  const std::vector<std::uint32_t> depths = alir_depths(p);
  if (!depths.empty()) depth = *std::max_element(depths.begin(), depths.end());
  critical_path = find_critical_path(p, depths);
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
