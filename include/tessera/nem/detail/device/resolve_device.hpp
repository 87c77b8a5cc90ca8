// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What devices inherit: resolves one, and checks all.
//
//   nem::resolve_device(c, i);                 // c.devices[i] now lists all that it inherits
//   detail::inheritance_check(s, t).run();     // DEV-007, DEV-008, DEV-010
//
//   topology          the device's own replaces that of its parent
//   characteristics   the device's own override those of its parents, key by key
//   mandatory         the union; so extended, without what is mandatory
//
// Lifetime:   nothing is kept.
// Errors:     findings.
// Limits:     none; a chain of a million devices is checked in linear time.
// Allocation: 16 bytes an instance and a device; resolving adds what one device inherits.

#ifndef TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../../catalog.hpp"
#include "load_state.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Sorts, and drops what is there twice or in `others`, which is sorted.
[[gnu::cold]] inline void make_set(pool<std::uint32_t>& list,
                                   const pool<std::uint32_t>& others = {}) {
  sort(list.data(), list.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
  std::size_t kept = 0, other = 0;
  for (const std::uint32_t i : list) {
    while (other < others.size() && others[other] < i) ++other;
    if ((other < others.size() && others[other] == i) || (kept != 0 && list[kept - 1] == i))
      continue;
    list[kept++] = i;
  }
  list.resize(kept);
}

/// A characteristic among those of a device and its parents.
struct inherited_number {
  unit_number number;
  std::uint32_t order = 0;  ///< ascending from the root to the device
};

}  // namespace detail

/// Makes the lists of a device hold what it inherits. Costs as much as there is in it and its
/// parents, so that it is for one device, or for some.
[[gnu::cold]] inline void resolve_device(catalog& c, std::uint32_t index) {
  if (c.devices[index].is_resolved) return;
  pool<std::uint32_t> chain, mandatory, extended;
  for (std::uint32_t i = index; i != no_index; i = c.devices[i].base) {
    chain.push_back(i);
    if (c.devices[i].is_resolved) break;
  }
  pool<detail::inherited_number> numbers;
  for (std::size_t k = chain.size(); k-- > 0;) {
    const device& d = c.devices[chain[k]];
    mandatory.append(c.device_instances.data() + d.first_mandatory, d.mandatory);
    extended.append(c.device_instances.data() + d.first_extended, d.extended);
    for (std::uint32_t i = 0; i < d.characteristics; ++i)
      numbers.push_back({c.characteristics[d.first_characteristic + i],
                         static_cast<std::uint32_t>(numbers.size())});
  }
  detail::make_set(mandatory);
  detail::make_set(extended, mandatory);
  const auto same = [&c](const unit_number& a, const unit_number& b) {
    return a.unit == b.unit && c.text_of(a.key) == c.text_of(b.key);
  };
  sort(numbers.data(), numbers.size(),
       [&c](const detail::inherited_number& a, const detail::inherited_number& b) {
         if (a.number.unit != b.number.unit) return a.number.unit < b.number.unit;
         return c.text_of(a.number.key) < c.text_of(b.number.key);
       });
  std::size_t kept = 0;
  for (const detail::inherited_number& n : numbers) {
    if (kept != 0 && same(numbers[kept - 1].number, n.number))
      numbers[kept - 1].number.value = n.number.value;  // its place is that of the first
    else
      numbers[kept++] = n;
  }
  numbers.resize(kept);
  sort(numbers.data(), numbers.size(),
       [](const detail::inherited_number& a, const detail::inherited_number& b) {
         return a.order < b.order;
       });

  device& d = c.devices[index];
  d.first_mandatory = detail::index_in(c.device_instances);
  d.mandatory = detail::index_in(mandatory);
  c.device_instances.append(mandatory.data(), mandatory.size());
  d.first_extended = detail::index_in(c.device_instances);
  d.extended = detail::index_in(extended);
  c.device_instances.append(extended.data(), extended.size());
  d.first_characteristic = detail::index_in(c.characteristics);
  d.characteristics = detail::index_in(numbers);
  for (const detail::inherited_number& n : numbers) c.characteristics.push_back(n.number);
  d.is_resolved = true;
}

namespace detail {

/// Goes through the forest of devices with the set of what is inherited so far, and takes back what
/// a device added when it leaves it.
class inheritance_check {
 public:
  inheritance_check(loading& s, std::uint32_t target) : s_(s), to_(s.to), target_(target) {
    entries_.resize(to_.instances.size());
    mark_must();
  }

  [[gnu::cold]] void run() {
    const std::uint32_t count = index_in(to_.devices);
    pool<std::uint32_t> first_child, sibling;
    first_child.resize(count + 1);  // the last one is the parent of those that extend none
    sibling.resize(count);
    for (std::uint32_t& c : first_child) c = no_index;
    for (std::uint32_t i = count; i-- > 0;) {
      const std::uint32_t base = to_.devices[i].base == no_index ? count : to_.devices[i].base;
      sibling[i] = first_child[base];
      first_child[base] = i;
    }
    pool<std::uint32_t> before;  // of each device on the path, how much there is to take back
    for (std::uint32_t i = first_child[count]; i != no_index;) {
      before.push_back(index_in(changes_));
      enter(i);
      if (first_child[i] != no_index) {
        i = first_child[i];
        continue;
      }
      for (;;) {
        leave(before.back());
        before.pop_back();
        if (sibling[i] != no_index) {
          i = sibling[i];
          break;
        }
        i = to_.devices[i].base;
        if (i == no_index) return;
      }
    }
  }

 private:
  enum class list : std::uint8_t { none, mandatory, extended };
  /// What is known of an instance on the path.
  struct entry {
    list in = list::none;
    bool is_must = false;
    std::uint32_t device = no_index;  ///< which one lists it
    std::uint32_t at = 0;             ///< in device_instances
  };
  struct change {
    std::uint32_t instance;
    entry before;
  };

  /// An instance that every device must have.
  struct must {
    std::uint32_t builtin;  ///< in the built-in family
    std::uint32_t index;    ///< in the family that replaces it, if one does; no_index for none
  };

  /// Marks the instances that every device must have: the built-in ones, or those that replace them.
  [[gnu::cold]] void mark_must() {
    for (std::uint32_t f = 0, i = 0; f < builtin_families; ++f)
      for (const variant_row& v : family_table[f].variants)
        for (const instance_row& row : v.instances) {
          if (row.conformance == instance_row::level::none) break;
          const std::uint32_t builtin = i++;
          if (row.conformance != instance_row::level::must) continue;
          const bool replaced = (s_.replaced >> f & 1) != 0;
          must_.push_back({builtin, replaced ? replacement(f, v, row) : builtin});
          if (must_.back().index != no_index) entries_[must_.back().index].is_must = true;
        }
  }
  [[nodiscard]] std::uint32_t replacement(std::uint32_t f, const variant_row& v,
                                          const instance_row& row) const {
    const std::uint32_t i = s_.find_variant(f, v.name);
    return i == no_index ? no_index : to_.find_instance(to_.variants[i], types_of(row));
  }

  [[gnu::cold]] void set(std::uint32_t device, std::uint32_t at, list in) {
    const std::uint32_t i = to_.device_instances[at];
    changes_.push_back({i, entries_[i]});
    if (entries_[i].is_must && in == list::mandatory) ++must_found_;
    entries_[i].in = in;
    entries_[i].device = device;
    entries_[i].at = at;
  }
  [[gnu::cold]] void leave(std::uint32_t before) {
    while (changes_.size() > before) {
      const change& c = changes_.back();
      if (c.before.is_must && entries_[c.instance].in == list::mandatory) --must_found_;
      entries_[c.instance] = c.before;
      changes_.pop_back();
    }
  }

  [[gnu::cold]] void enter(std::uint32_t index) {
    const device& d = to_.devices[index];
    for (std::uint32_t k = 0; k < d.mandatory; ++k) {
      const std::uint32_t at = d.first_mandatory + k;
      const entry known = entries_[to_.device_instances[at]];
      if (known.in == list::mandatory) {
        redundant(index, at, known);
        continue;
      }
      if (known.in == list::extended) both(at, at, known);
      set(index, at, list::mandatory);
    }
    for (std::uint32_t k = 0; k < d.extended; ++k) {
      const std::uint32_t at = d.first_extended + k;
      const entry known = entries_[to_.device_instances[at]];
      if (known.in == list::mandatory)
        both(at, known.at, known);
      else if (known.in == list::extended)
        redundant(index, at, known);
      else
        set(index, at, list::extended);
    }
    const bool inherits = d.base != no_index && to_.devices[d.base].has_topology;
    if ((d.has_topology && !inherits) || (index == target_ && !d.has_topology)) check_must(index);
  }

  [[gnu::cold]] void redundant(std::uint32_t index, std::uint32_t at, const entry& known) {
    auto text = s_.found.add(errc::nem_dev_010_redundant, s_.entries[at]);
    put_reference(text, to_.device_instances[at]);
    if (known.device == index) {
      text << " is listed twice";
      text.note(s_.entries[known.at]) << "first listed here";
    } else {
      text << " is already inherited from " << to_.text_of(to_.devices[known.device].name);
      note_listed(text, known);
    }
    text.fix(s_.entries[at]) << "";
  }
  /// An instance is mandatory, by the entry at `mandatory`, and extended; `known` came first.
  [[gnu::cold]] void both(std::uint32_t at, std::uint32_t mandatory, const entry& known) {
    auto text = s_.found.add(errc::nem_dev_008_extended, s_.entries[at]);
    put_reference(text, to_.device_instances[at]);
    text << (at == mandatory
                 ? " becomes mandatory: its inherited entry in opcode.extended is ignored"
                 : " is already mandatory: its entry in opcode.extended is ignored");
    note_listed(text, known);
    if (at != mandatory) text.fix(s_.entries[at]) << "";
  }
  template <class Writer>
  void note_listed(Writer& text, const entry& known) {
    text.note(s_.entries[known.at])
        << to_.text_of(to_.devices[known.device].name) << " lists it in opcode."
        << (known.in == list::mandatory ? "mandatory" : "extended");
  }
  template <class Writer>
  void put_reference(Writer& text, std::uint32_t instance) {
    tessera::text name;
    to_.append_reference(name, to_.instances[instance]);
    text << name;
  }

  [[gnu::cold]] void check_must(std::uint32_t index) {
    if (must_found_ == must_.size() || s_.unsound_devices[index]) return;
    s_.unsound_devices[index] = true;
    auto text = s_.found.add(errc::nem_dev_007_mandatory, to_.devices[index].where);
    text << "opcode.mandatory of device " << to_.text_of(to_.devices[index].name) << " lacks ";
    constexpr std::size_t most = 4;
    const std::size_t lacking = must_.size() - must_found_;
    std::size_t shown = 0;
    for (std::size_t k = 0; shown < lacking && shown < most; ++k) {
      if (must_[k].index != no_index && entries_[must_[k].index].in == list::mandatory) continue;
      if (shown++ != 0) text << ", ";
      put_reference(text, must_[k].builtin);
    }
    if (lacking > most) text << " and " << lacking - most << " more";
  }

  loading& s_;
  catalog& to_;
  std::uint32_t target_;
  pool<entry> entries_;  ///< by instance
  pool<must> must_;
  std::size_t must_found_ = 0;
  pool<change> changes_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP
