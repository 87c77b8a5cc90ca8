// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/model.hpp.

#ifndef TESSERA_NEM_DETAIL_MODEL_HPP
#define TESSERA_NEM_DETAIL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../format.hpp"
#include "../model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE std::string_view model::name(std::uint32_t index) const& noexcept {
  const string s = names[index];
  return {characters.data() + s.first, s.size};
}

TESSERA_INLINE std::string_view name_of(const model& d, std::uint32_t i) noexcept {
  const node& n = d.nodes[i];
  return has_name(n.kind) && n.value != no_name ? d.name(n.value) : std::string_view();
}

TESSERA_INLINE std::uint32_t child(const model& d, std::uint32_t parent, node_kind k) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k) return c;
  return no_node;
}

TESSERA_INLINE std::uint32_t child(const model& d, std::uint32_t parent, node_kind k,
                                   std::uint8_t detail) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k && d.nodes[c].detail == detail) return c;
  return no_node;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_MODEL_HPP
