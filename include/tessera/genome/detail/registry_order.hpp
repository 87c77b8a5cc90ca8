// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The maps of a registry in order: by id, as they are written, and by name, to find duplicates.
//
//   bool same = *genome::read_registry(json) == registry;      // whatever the order in the file
//
// Lifetime:   orders are indices into the map that they were made of.
// Errors:     none.
// Limits:     32-bit indices.
// Allocation: 4 bytes for each member of a map, and again while it is sorted.

#ifndef TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP
#define TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/sort.hpp"
#include "../registry.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

using map_order = pool<std::uint32_t>;

/// The indices of a map as `less` of two members orders them; equal ones keep their order.
template <class T, class Less>
[[nodiscard]] map_order ordered(const pool<T>& map, Less less) {
  map_order order;
  order.reserve(map.size());
  for (std::size_t i = 0; i < map.size(); ++i) order.push_back(static_cast<std::uint32_t>(i));
  sort(order.data(), order.size(),
       [&](std::uint32_t a, std::uint32_t b) { return less(map[a], map[b]); });
  return order;
}
template <class T>
[[nodiscard]] map_order by_id(const pool<T>& map) {
  return ordered(map, [](const T& a, const T& b) { return a.id < b.id; });
}

[[nodiscard]] constexpr characters_range key_of(const entry& e) noexcept { return e.name; }
[[nodiscard]] constexpr characters_range key_of(const transition_rule& t) noexcept {
  return t.text;
}
[[nodiscard]] constexpr characters_range key_of(const counted_rule& c) noexcept { return c.text; }

/// The indices of members whose name an earlier one has, ascending. Sorting costs n log n in
/// characters, however alike the names are.
template <class T>
[[nodiscard]] map_order repeated_names(const registry& r, const pool<T>& map) {
  const auto name = [&r](const T& row) { return r.name_of(key_of(row)); };
  const map_order order =
      ordered(map, [&name](const T& a, const T& b) { return name(a) < name(b); });
  map_order repeated;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (name(map[order[i]]) == name(map[order[i - 1]])) repeated.push_back(order[i]);
  sort(repeated.data(), repeated.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
  return repeated;
}
/// The first member whose id an earlier one has; map.size() where there is none.
template <class T>
[[nodiscard]] std::size_t first_repeated_id(const pool<T>& map) {
  const map_order order = by_id(map);
  std::size_t first = map.size();
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i] < first && map[order[i]].id == map[order[i - 1]].id) first = order[i];
  return first;
}

/// Two registries next to one another, member by member, offsets aside.
struct registry_comparison {
  const registry &x, &y;

  [[nodiscard]] bool same(characters_range a, characters_range b) const {
    return x.name_of(a) == y.name_of(b);
  }
  [[nodiscard]] bool same(const entry& a, const entry& b) const {
    return a.id == b.id && same(a.name, b.name);
  }
  [[nodiscard]] bool same(const constant& a, const constant& b) const {
    return a.id == b.id && same(a.type, b.type) && same(a.value, b.value);
  }
  [[nodiscard]] bool same(const pattern& a, const pattern& b) const {
    return a.id == b.id && x.nodes_of(a) == y.nodes_of(b);
  }
  [[nodiscard]] bool same(const counted_rule& a, const counted_rule& b) const {
    return a.count == b.count && same(a.text, b.text);
  }
  [[nodiscard]] bool same(const transition_rule& a, const transition_rule& b) const {
    if (a.count != b.count || a.exceptions != b.exceptions || !same(a.text, b.text) ||
        !same(a.probability, b.probability) || !(x.nodes_of(a) == y.nodes_of(b)))
      return false;
    for (std::uint32_t i = 0; i < a.exceptions; ++i)
      if (!same(x.exceptions[a.first_exception + i], y.exceptions[b.first_exception + i]))
        return false;
    return true;
  }
  template <class T>
  [[nodiscard]] bool same_ids(const pool<T>& a, const pool<T>& b) const {
    if (a.size() != b.size()) return false;
    const map_order i = by_id(a), j = by_id(b);
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!same(a[i[k]], b[j[k]])) return false;
    return true;
  }
  template <class T>
  [[nodiscard]] bool same_rows(const pool<T>& a, const pool<T>& b) const {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!same(a[k], b[k])) return false;
    return true;
  }
};

}  // namespace detail

/// Whether two registries are equal: maps in any order, rules in order; offsets are ignored.
TESSERA_INLINE bool operator==(const registry& x, const registry& y) {
  const detail::registry_comparison c{x, y};
  return c.same_ids(x.operations, y.operations) && c.same_ids(x.operation_ids, y.operation_ids) &&
         c.same_ids(x.variations, y.variations) && c.same_ids(x.constants, y.constants) &&
         c.same_ids(x.constant_texts, y.constant_texts) && c.same_ids(x.groups, y.groups) &&
         c.same_ids(x.group_ids, y.group_ids) && c.same_ids(x.parameters, y.parameters) &&
         c.same_ids(x.parameter_ids, y.parameter_ids) && c.same_ids(x.patterns, y.patterns) &&
         c.same_rows(x.transitions, y.transitions) && c.same_rows(x.compositions, y.compositions) &&
         c.same_rows(x.structures, y.structures);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP
