// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nem/statements.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

task_statements::task_statements(const nem::model& d, std::string_view source) {
  std::uint32_t line = 1;
  std::size_t seen = 0;                  // bytes of the source whose lines are counted
  std::uint32_t inside = nem::no_index;  // in loops_
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    while (inside != nem::no_index && d.nodes[loops_[inside].first].next <= i)
      inside = loops_[inside].second;
    const nem::node& n = d.nodes[i];
    if (n.kind == nem::node_kind::loop) {
      loops_.emplace_back(i, inside);
      inside = static_cast<std::uint32_t>(loops_.size() - 1);
    }
    if (n.kind != nem::node_kind::transfer && n.kind != nem::node_kind::store &&
        n.kind != nem::node_kind::compute)
      continue;
    const std::size_t at = std::min<std::size_t>(n.offset, source.size());
    if (at > seen) {
      const std::string_view passed = source.substr(seen, at - seen);
      line += static_cast<std::uint32_t>(std::count(passed.begin(), passed.end(), '\n'));
      seen = at;
    }
    statements_.push_back({i, line, inside});
  }
}

std::vector<std::uint32_t> task_statements::loops(const task_statement& s) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t l = s.loop; l != nem::no_index; l = loops_[l].second)
    out.push_back(loops_[l].first);
  std::reverse(out.begin(), out.end());
  return out;
}

const task_statement* task_statements::find(std::uint32_t node) const noexcept {
  const auto at =
      std::lower_bound(statements_.begin(), statements_.end(), node,
                       [](const task_statement& s, std::uint32_t which) { return s.node < which; });
  return at != statements_.end() && at->node == node ? &*at : nullptr;
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
