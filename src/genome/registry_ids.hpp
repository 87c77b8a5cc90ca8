// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Ids of a registry that is being filled, by their meaning.
//
//   registry_ids ids(registry);                   // knows what the registry has
//   ids.operation("aten.relu.default:node_args(1):kwargs()");       // its A; a new one is added
//   ids.constant("int", "1");                     // its C
//
//   kind of id             the same when                    up to
//   operation, variation   names are                        255
//   constant               types and values are, as texts   32767
//   group, parameter       names are                        32767
//
// New ids continue after the highest existing one, from 10 on. Nothing where that is above the last.
//
// Lifetime:   borrows the registry, which must not change meanwhile.
// Errors:     std::bad_alloc; std::nullopt where there is no id left.
// Limits:     those of the format.
// Allocation: each name once more. Time is n log n, whatever names are.

#ifndef TESSERA_GENOME_REGISTRY_IDS_HPP
#define TESSERA_GENOME_REGISTRY_IDS_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

using optional_id = std::optional<std::uint32_t>;

class registry_ids {
 public:
  explicit registry_ids(genome::registry& to) : to_(to) {
    const auto fill = [&to](map& m, const pool<genome::entry>& entries) {
      for (const genome::entry& e : entries) m.insert(to.name_of(e), e.id);
    };
    fill(operations_, to.operations);
    fill(variations_, to.variations);
    fill(groups_, to.groups);
    fill(parameters_, to.parameters);
    for (const genome::constant& c : to.constants)
      constants_.insert(key_of(to.name_of(c.type), to.name_of(c.value)), c.id);
  }

  [[nodiscard]] optional_id operation(std::string_view name) {
    return operations_.find(name, genome::last_byte_id,
                            [&](std::uint32_t id) { to_.add_operation(id, name); });
  }
  [[nodiscard]] optional_id variation(std::string_view name) {
    return variations_.find(name, genome::last_byte_id,
                            [&](std::uint32_t id) { to_.add_variation(id, name); });
  }
  [[nodiscard]] optional_id constant(std::string_view type, std::string_view value) {
    return constants_.find(key_of(type, value), genome::last_c_id,
                           [&](std::uint32_t id) { to_.add_constant(id, type, value); });
  }
  [[nodiscard]] optional_id group(std::string_view name) {
    return groups_.find(name, genome::last_c_id,
                        [&](std::uint32_t id) { to_.add_group(id, name); });
  }
  [[nodiscard]] optional_id parameter(std::string_view name) {
    return parameters_.find(name, genome::last_c_id,
                            [&](std::uint32_t id) { to_.add_parameter(id, name); });
  }

 private:
  struct map {
    std::map<std::string, std::uint32_t, std::less<>> ids = {};
    std::uint32_t next = genome::first_id;

    void insert(std::string_view name, std::uint32_t id) {
      ids.emplace(name, id);
      next = std::max(next, id + 1);
    }
    template <class Add>
    [[nodiscard]] optional_id find(std::string_view name, std::uint32_t last, Add add) {
      const auto at = ids.lower_bound(name);
      if (at != ids.end() && at->first == name) return at->second;
      if (next > last) return std::nullopt;
      ids.emplace_hint(at, name, next);
      add(next);
      return next++;
    }
  };
  [[nodiscard]] static std::string key_of(std::string_view type, std::string_view value) {
    return std::string(type).append(1, '\0').append(value);
  }

  genome::registry& to_;
  map operations_, variations_, constants_, groups_, parameters_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_REGISTRY_IDS_HPP
