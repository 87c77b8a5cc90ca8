// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the rules of verification share: the document, the catalog, the target and the findings.
//
//   c.found.add(errc::nem_xfr_001_small, c.at(t.node)) << "destination has " << n << " bytes";
//
// Lifetime:   borrows all that it names; owned by verify().
// Errors:     none.
// Limits:     none.
// Allocation: that of `values`.

#ifndef TESSERA_NEM_CONTEXT_HPP
#define TESSERA_NEM_CONTEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"
#include "catalog.hpp"
#include "diagnostic.hpp"
#include "model.hpp"
#include "syntax.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class scope;  // scope.hpp

struct context {
  const document& d;
  const verify_options& options;
  findings& found;
  const catalog& types;
  const device* target = nullptr;  ///< null: the program is agnostic
  values v = {};
  scope* names = nullptr;  ///< null: expressions have literals alone

  [[nodiscard]] place at(std::uint32_t node) const noexcept { return place_of(d.nodes[node]); }
  [[nodiscard]] const node& operator[](std::uint32_t i) const noexcept { return d.nodes[i]; }
  /// The text of a node's name.
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d.name(d.nodes[i].value);
  }
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_CONTEXT_HPP
