// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the rules of verification share: the model, the catalog, the target and the findings.
//
//   c.report(errc::nem_xfr_001_small, t.node) << "destination has " << n << " bytes";
//
// Lifetime:   borrows all that it names; owned by verify().
// Errors:     none.
// Limits:     none.
// Allocation: that of `values`.

#ifndef TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP
#define TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/text.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "../../model.hpp"
#include "../../rule.hpp"
#include "../../verify_options.hpp"
#include "../../visitor.hpp"
#include "attributes.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class scope;  // scope.hpp

struct context {
  const model& d;
  const verify_options& options;
  findings& found;
  const catalog& types;
  const device* target = nullptr;  ///< null: the program is agnostic
  values v = {};
  scope* names = nullptr;  ///< null: expressions have only literals

  [[nodiscard]] place at(std::uint32_t node) const noexcept { return place_of(d.nodes[node]); }
  [[nodiscard]] const node& operator[](std::uint32_t i) const noexcept { return d.nodes[i]; }
  /// Adds a finding at a node.
  [[gnu::cold, gnu::noinline]] findings::writer report(errc code, std::uint32_t node) const {
    return found.add(code, at(node));
  }
  /// The text of a node's name.
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d.name(d.nodes[i].value);
  }
  /// Whether a region has a layout that ends in two letters, as [N, K] matrices have "NK".
  [[nodiscard]] bool layout_ends_in(const region& r, std::string_view two) const noexcept {
    if (r.layout == no_name) return false;
    const std::string_view layout = d.name(r.layout);
    return layout.size() >= 2 && layout.substr(layout.size() - 2) == two;
  }
};

/// Numbers as texts show them: [2, 4]; of lists that are longer than any shape, the beginning.
struct number_list {
  view<std::int64_t> of;
};
inline text& operator<<(text& out, const number_list& n) {
  out << '[';
  for (std::size_t i = 0; i < n.of.size() && i < max_rank; ++i)
    out << (i == 0 ? "" : ", ") << n.of[i];
  return out << (n.of.size() > max_rank ? ", ...]" : "]");
}

template <class T>
[[nodiscard]] bool are_equal(view<T> a, view<T> b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP
