// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What loading families and devices shares: names that are taken, and the file at hand.
//
//   if (s.devices.find(hash_of(name), [&](std::uint32_t i) { return …; }) != no_index) …
//   f.parameters.begin(f.d), f.parameters.put(name, 0);
//
//   hashed_names   by their text, of all files
//   local_names    by their index, of one declaration
//   loading        findings and catalog
//   declaring_file a model, its index in places, its names in the catalog
//
// Lifetime:   for one call of load().
// Errors:     none.
// Limits:     none.
// Allocation: 16 bytes for each family, variant and device; 8 for each name of a file with families.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../../core/keyed_hash.hpp"
#include "../../../core/pool.hpp"
#include "../../../core/suggest.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "../../families.hpp"
#include "../../model.hpp"
#include "../../rule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

[[nodiscard]] inline std::uint32_t hash_of(std::string_view s, std::uint32_t seed = 0) noexcept {
  return static_cast<std::uint32_t>(keyed_hash(s, seed));
}

/// Indices by the hashes of their names: open addressing.
class hashed_names {
 public:
  template <class Same>
  [[nodiscard, gnu::cold]] std::uint32_t find(std::uint32_t hash, Same same) const {
    if (slots_.empty()) return no_index;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i].index != no_index; i = (i + 1) & mask)
      if (slots_[i].hash == hash && same(slots_[i].index)) return slots_[i].index;
    return no_index;
  }
  [[gnu::cold]] void put(std::uint32_t hash, std::uint32_t index) {
    if (2 * (count_ + 1) > slots_.size()) {
      const pool<slot> old = std::exchange(slots_, {});
      slots_.resize(old.empty() ? 16 : old.size() * 2);
      for (const slot& s : old)
        if (s.index != no_index) place_of_hash(s.hash) = s;
    }
    place_of_hash(hash) = {hash, index};
    ++count_;
  }

 private:
  struct slot {
    std::uint32_t hash = 0, index = no_index;
  };
  [[nodiscard]] slot& place_of_hash(std::uint32_t hash) noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].index != no_index) i = (i + 1) & mask;
    return slots_[i];
  }
  pool<slot> slots_;
  std::size_t count_ = 0;
};

/// What the names of one declaration mean. Forgets all in constant time.
class local_names {
 public:
  /// Begins a declaration.
  void begin(const model& d) {
    if (entries_.size() < d.names.size()) entries_.resize(d.names.size());
    ++turn_;
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t name) const noexcept {
    return entries_[name].turn == turn_ ? entries_[name].value : no_index;
  }
  void put(std::uint32_t name, std::uint32_t value) noexcept { entries_[name] = {turn_, value}; }

 private:
  struct entry {
    std::uint32_t turn = 0, value = 0;
  };
  pool<entry> entries_;
  std::uint32_t turn_ = 0;
};

/// A device that extends itself, through others or not.
struct in_cycle {
  std::uint32_t node;
  std::uint32_t first;  ///< of the nodes of its cycle
};

/// The file whose declarations are being loaded.
struct declaring_file {
  const model& d;
  std::uint32_t file = 0;        ///< as places have it
  std::uint32_t characters = 0;  ///< where its names begin in catalog::characters
  local_names parameters = {};   ///< of a family: their nodes
  local_names variants = {};     ///< of a family: their nodes
  bool knows_devices = false;    ///< whether the next two are there
  local_names devices = {};      ///< the nodes of all its devices
  pool<in_cycle> cycles = {};    ///< by their nodes

  [[nodiscard]] const node& operator[](std::uint32_t i) const noexcept { return d.nodes[i]; }
  [[nodiscard]] place at(std::uint32_t node) const noexcept {
    return place_of(d.nodes[node], file);
  }
  [[nodiscard]] std::string_view name(std::uint32_t node) const noexcept {
    return d.name(d.nodes[node].value);
  }
  /// The name of a node, as the catalog has it.
  [[nodiscard]] string shared_name(std::uint32_t node) const noexcept {
    const string s = d.names[d.nodes[node].value];
    return {characters + s.first, s.size};
  }
};

class loading {
 public:
  loading(findings& f, catalog& c) noexcept : found(f), to(c) {}

  findings& found;
  catalog& to;
  hashed_names families = {}, variants = {}, devices = {};
  std::uint32_t unsound_builtins = 0;    ///< bit n: what replaces the built-in family n has errors
  std::uint32_t replaced = 0, used = 0;  ///< bit n: the built-in family n is, by a device
  pool<bool> unsound_families = {};      ///< those after the built-in ones
  pool<bool> unsound_devices = {};
  pool<place> entries = {};  ///< where catalog::device_instances come from
  bool lacks_files = false;  ///< whether an include failed, which may define what seems unknown
  bool has_baseline = false;
  place baseline = {};  ///< the include that made the built-in families visible

  [[nodiscard]] std::uint32_t find_family(std::string_view name) const {
    const std::uint32_t builtin = builtin_family(name);
    if (builtin < builtin_families) return builtin;
    return families.find(hash_of(name),
                         [&](std::uint32_t i) { return to.text_of(to.families[i].name) == name; });
  }
  [[nodiscard]] std::uint32_t find_device(std::string_view name) const {
    return devices.find(hash_of(name),
                        [&](std::uint32_t i) { return to.text_of(to.devices[i].name) == name; });
  }
  [[nodiscard, gnu::cold]] std::uint32_t find_variant(std::uint32_t family,
                                                      std::string_view name) const {
    const type_family& f = to.families[family];
    if (f.variants > few_variants)
      return variants.find(hash_of(name, family), [&](std::uint32_t i) {
        return i - f.first_variant < f.variants && to.text_of(to.variants[i].name) == name;
      });
    for (std::uint32_t i = f.first_variant; i < f.first_variant + f.variants; ++i)
      if (to.text_of(to.variants[i].name) == name) return i;
    return no_index;
  }
  /// A device whose name is near to one that isn't there, or no_index.
  [[nodiscard]] std::uint32_t nearest_device(std::string_view name) {
    const std::string_view near = nearest(name, to.devices);
    return near.empty() ? no_index : find_device(near);
  }
  [[nodiscard]] std::string_view nearest_family(std::string_view name) {
    return nearest(name, to.families);
  }

  static constexpr std::uint32_t few_variants = 8;  ///< for which a search in a row will do

  [[nodiscard]] bool is_unsound_family(std::uint32_t i) const noexcept {
    return i < builtin_families ? (unsound_builtins >> i & 1) != 0
                                : unsound_families[i - builtin_families];
  }
  void set_unsound_family(std::uint32_t i) {
    if (i < builtin_families)
      unsound_builtins |= std::uint32_t{1} << i;
    else
      unsound_families[i - builtin_families] = true;
  }

 private:
  /// The nearest name of the first entries. Only some names are worth it: a file can be full of
  /// those that aren't there.
  template <class Row>
  [[nodiscard, gnu::cold]] std::string_view nearest(std::string_view name, const pool<Row>& rows) {
    constexpr std::uint32_t max_suggestions = 64, max_candidates = 256;
    suggestion s(name);
    if (suggestions_++ >= max_suggestions) return {};
    for (std::uint32_t i = 0; i < rows.size() && i < max_candidates; ++i)
      s.offer(to.text_of(rows[i].name));
    return s.word();
  }
  std::uint32_t suggestions_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP
