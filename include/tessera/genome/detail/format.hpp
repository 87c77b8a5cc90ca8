// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/format.hpp.

#ifndef TESSERA_GENOME_DETAIL_FORMAT_HPP
#define TESSERA_GENOME_DETAIL_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

TESSERA_INLINE void stream::add(node n, view<std::int32_t> d) {
  n.first = static_cast<std::uint32_t>(inputs.size());
  n.count = static_cast<std::uint32_t>(d.size());
  nodes.push_back(n);
  inputs.append(d.data(), d.size());
}

TESSERA_INLINE bool operator==(const stream_view& x, const stream_view& y) noexcept {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const node &a = x.nodes[i], &b = y.nodes[i];
    if (a.a != b.a || a.b != b.b || a.c != b.c || a.count != b.count) return false;
    for (std::size_t k = 0; k < a.count; ++k)
      if (x.inputs_of(i)[k] != y.inputs_of(i)[k]) return false;
  }
  return true;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_FORMAT_HPP
