// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of ark/shapes.hpp.

#ifndef TESSERA_ARK_DETAIL_SHAPES_HPP
#define TESSERA_ARK_DETAIL_SHAPES_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../shapes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE text& operator<<(text& out, const dimensions& d) {
  out << '[';
  for (std::uint32_t i = 0; i < d.rank; ++i) out << (i == 0 ? "" : ",") << d.size[i];
  return out << ']';
}

TESSERA_INLINE const argument* argument_of(const model& g, const op& o,
                                           argument_name name) noexcept {
  if (const argument* const a = find_argument(g, o, name)) return a;
  const argument_name older = older_name(name, o.type);
  return older == argument_name::other ? nullptr : find_argument(g, o, older);
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_SHAPES_HPP
