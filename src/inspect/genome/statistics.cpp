// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/genome/statistics.hpp"

#include <algorithm>

namespace tessera::inline TESSERA_ABI {
namespace inspect {

stream_statistics::stream_statistics(const genome::program& p) {
  const genome::stream_view s = p.stream();
  const genome::library& l = p.library();
  std::array<std::uint64_t, 256> by_id = {};
  nodes = s.size();
  bytes = offset_of(s, s.size());
  for (const genome::node& n : s.nodes) {
    ++commands[static_cast<std::size_t>(n.what())];
    ++by_id[n.a];
    expanded += n.what() == genome::command::pattern ? l.flat_size(l.find_pattern(n.pattern_id()))
                : n.what() == genome::command::copy  ? static_cast<std::uint64_t>(n.c)
                                                     : 1;
  }
  for (std::size_t a = genome::first_id; a < by_id.size(); ++a)
    if (by_id[a] != 0) operations.push_back({l.operation(static_cast<std::uint32_t>(a)), by_id[a]});
  std::sort(operations.begin(), operations.end(), [](const count& x, const count& y) {
    return x.value != y.value ? x.value > y.value : x.name < y.name;
  });
}

registry_statistics::registry_statistics(const genome::library& of) {
  const genome::registry& r = of.registry();
  operations = static_cast<std::uint64_t>(
      std::count_if(r.operations.begin(), r.operations.end(),
                    [](const genome::entry& e) { return e.id >= genome::first_id; }));
  variations = r.variations.size();
  constants = r.constants.size();
  groups = r.groups.size();
  parameters = r.parameters.size();
  patterns = r.patterns.size();
  transitions = r.transitions.size();
  compositions = r.compositions.size();
  structures = r.structures.size();
  for (std::uint32_t i = 0; i < r.patterns.size(); ++i)
    longest_pattern = std::max<std::uint64_t>(longest_pattern, of.flat_size(i));
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
