// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../../core/error.hpp"
#include "../../core/pool.hpp"
#include "../registry.hpp"
#include "registry_order.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

TESSERA_INLINE characters_range registry::add_characters(std::string_view s) {
  const characters_range at{static_cast<std::uint32_t>(characters.size()),
                            static_cast<std::uint32_t>(s.size())};
  characters << s;
  return at;
}

TESSERA_INLINE void registry::add(pool<entry>& map, pool<entry>& reverse, std::uint32_t id,
                                  std::string_view name) {
  const entry e{id, add_characters(name), map.size()};
  map.push_back(e);
  reverse.push_back(e);
}

TESSERA_INLINE void registry::add_constant(std::uint32_t id, std::string_view type,
                                           std::string_view value) {
  const characters_range t = add_characters(type), v = add_characters(value);
  constants.push_back({id, t, v, constants.size()});
}

TESSERA_INLINE void registry::add_pattern(std::uint32_t id, const stream_view& nodes) {
  patterns.push_back({id, static_cast<std::uint32_t>(pattern_nodes.size()),
                      static_cast<std::uint32_t>(nodes.size()), patterns.size()});
  for (std::size_t i = 0; i < nodes.size(); ++i)
    pattern_nodes.add(nodes.nodes[i], nodes.inputs_of(i));
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_REGISTRY_HPP
