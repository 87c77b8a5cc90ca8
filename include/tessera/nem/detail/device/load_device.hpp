// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads a declared device into the catalog, by the rules DEV that need nothing but its parent.
//
//   detail::device_loader(s, f).load(node);   // node_kind::device of the file f
//
//   DEV-001, 002, 020 spec_version      DEV-009 unknown variant        DEV-015 duplicate
//   DEV-004, 005, 006, 018 topology     DEV-013, 014 parent            DEV-019 nothing mandatory
//
// An expression in a topology may only contain numbers: EXP-001 to EXP-004 report what is wrong.
// A device with an error is unsound, and so are those that extend it: nothing that follows from the
// error is reported.
//
// Lifetime:   for one call of load().
// Errors:     findings.
// Limits:     none.
// Allocation: linear in the declaration.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "../rules/arithmetic.hpp"
#include "load_state.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Notes what a device that isn't there could be.
template <class Writer>
[[gnu::cold]] void note_visible(loading& s, Writer& text, std::string_view name) {
  for (const baseline_row& b : baseline_files)
    if (b.device == name) {
      text.note() << "include \"" << b.file << "\" defines it";
      return;
    }
  const std::uint32_t near = s.nearest_device(name);
  if (near == no_index) return;
  const device& d = s.to.devices[near];
  text.note(d.where.length != 0 ? d.where : s.baseline)
      << "did you mean " << s.to.text_of(d.name) << '?';
}

class device_loader {
 public:
  device_loader(loading& s, declaring_file& f) noexcept : s_(s), f_(f), to_(s.to) {}

  [[gnu::cold]] void load(std::uint32_t node) {
    const std::string_view device_name = f_.name(node);
    const std::uint32_t before = s_.find_device(device_name);
    if (before != no_index) {
      auto text = s_.found.add(errc::nem_dev_015_duplicate, f_.at(node));
      text << "device " << device_name << " is already defined";
      const place first = to_.devices[before].where;
      text.note(first.length != 0 ? first : s_.baseline)
          << device_name << (first.length != 0 ? " is first defined here" : " is included here");
      return;
    }
    device_ = {};
    device_.name = f_.shared_name(node);
    device_.where = f_.at(node);
    is_sound_ = true;
    const std::uint32_t extends = child(f_.d, node, node_kind::extends);
    const std::uint32_t mandatory = child(f_.d, node, node_kind::mandatory);
    if (extends == no_node)
      begin_base(node, mandatory);
    else
      begin_derived(node, extends);
    const std::uint32_t topology = child(f_.d, node, node_kind::topology);
    if (topology != no_node) load_topology(topology);
    load_characteristics(child(f_.d, node, node_kind::unit_characteristics));
    device_.first_mandatory = index_in(to_.device_instances);
    load_list(mandatory);
    device_.first_extended = index_in(to_.device_instances);
    device_.mandatory = device_.first_extended - device_.first_mandatory;
    load_list(child(f_.d, node, node_kind::extended));
    device_.extended = index_in(to_.device_instances) - device_.first_extended;

    s_.devices.put(hash_of(device_name), index_in(to_.devices));
    to_.devices.push_back(device_);
    s_.unsound_devices.push_back(!is_sound_);
  }

 private:
  auto fail(errc code, place where) {
    is_sound_ = false;
    return s_.found.add(code, where);
  }

  [[gnu::cold]] void begin_base(std::uint32_t node, std::uint32_t mandatory) {
    const std::uint32_t version = child(f_.d, node, node_kind::spec_version);
    if (version == no_node) {
      fail(errc::nem_dev_001_spec_version, f_.at(node))
          << "device " << f_.name(node) << " extends none, so it needs a spec_version";
    } else {
      device_.spec_version = f_.shared_name(version);
      if (f_.name(version) != known_spec_version)
        s_.found.add(errc::nem_dev_020_version, f_.at(version))
            << "unknown spec_version \"" << f_.name(version) << "\": expected \""
            << known_spec_version << '"';
    }
    if (mandatory == no_node || f_[mandatory].next == mandatory + 1)
      fail(errc::nem_dev_019_no_mandatory, f_.at(mandatory == no_node ? node : mandatory))
          << "device " << f_.name(node)
          << " extends none, so it needs variants in opcode.mandatory";
  }

  [[gnu::cold]] void begin_derived(std::uint32_t node, std::uint32_t extends) {
    device_.parent = f_.shared_name(extends);
    const std::uint32_t version = child(f_.d, node, node_kind::spec_version);
    const std::uint32_t parent = s_.find_device(f_.name(extends));
    if (parent == no_index) {
      report_parent(node, extends);
    } else {
      const device& p = to_.devices[parent];
      device_.base = parent;
      device_.spec_version = p.spec_version;
      device_.has_topology = p.has_topology;
      device_.topology = p.topology;
      if (s_.unsound_devices[parent]) is_sound_ = false;
    }
    if (version == no_node) return;
    auto text = fail(errc::nem_dev_002_inherited, f_.at(version));
    text << "device " << f_.name(node) << " extends " << f_.name(extends)
         << ", whose spec_version it inherits";
    if (parent != no_index)
      text.note(to_.devices[parent].where)
          << f_.name(extends) << " has \"" << to_.text_of(to_.devices[parent].spec_version) << '"';
    text.fix(f_.at(version)) << "";
  }

  /// Says why a parent isn't there: it comes later, it doesn't exist, or devices go round in circles.
  [[gnu::cold]] void report_parent(std::uint32_t node, std::uint32_t extends) {
    find_cycles();
    const std::size_t at = first_not_below(f_.cycles.data(), f_.cycles.size(),
                                           [&](const in_cycle& c) { return c.node < node; });
    const std::string_view parent = f_.name(extends);
    if (at < f_.cycles.size() && f_.cycles[at].node == node) {
      is_sound_ = false;
      if (f_.cycles[at].first != node) return;  // reported there
      auto text = fail(errc::nem_dev_014_cycle, f_.at(extends));
      text << "device " << f_.name(node) << " extends itself";
      if (f_[node].value != f_[extends].value)
        text.note(f_.at(f_.devices.find(f_[extends].value))) << "through " << parent;
      return;
    }
    const std::uint32_t later = f_.devices.find(f_[extends].value);
    if (later == no_index && s_.lacks_files) {
      is_sound_ = false;
      return;
    }
    auto text = fail(errc::nem_dev_013_parent, f_.at(extends));
    text << "device " << f_.name(node) << " extends " << parent
         << ", which isn't defined before it";
    if (later != no_index) {
      text.note(f_.at(later)) << parent << " is defined here, after it";
      return;
    }
    note_visible(s_, text, parent);
  }

  /// Notes the devices of this file and those that extend themselves, through others or not.
  [[gnu::cold]] void find_cycles() {
    if (f_.knows_devices) return;
    f_.knows_devices = true;
    const model& d = f_.d;
    f_.devices.begin(d);
    pool<std::uint32_t> all;
    for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
      if (is_statement(d.nodes[i].kind)) break;
      if (d.nodes[i].kind != node_kind::device) continue;
      if (f_.devices.find(d.nodes[i].value) != no_index) continue;
      f_.devices.put(d.nodes[i].value, i);
      all.push_back(i);
    }
    local_names walk;  // which walk came by
    walk.begin(d);
    for (std::uint32_t w = 0; w < all.size(); ++w) {
      std::uint32_t i = all[w];
      while (i != no_index && walk.find(d.nodes[i].value) == no_index) {
        walk.put(d.nodes[i].value, w);
        i = next(i);
      }
      if (i == no_index || walk.find(d.nodes[i].value) != w) continue;
      const std::uint32_t met = i;  // where this walk met itself
      const std::size_t begin = f_.cycles.size();
      std::uint32_t first = i;
      do {
        f_.cycles.push_back({i, i});
        first = i < first ? i : first;
        i = next(i);
      } while (i != met);
      for (std::size_t k = begin; k < f_.cycles.size(); ++k) f_.cycles[k].first = first;
    }
    sort(f_.cycles.data(), f_.cycles.size(),
         [](const in_cycle& a, const in_cycle& b) { return a.node < b.node; });
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t device) const {
    const std::uint32_t extends = child(f_.d, device, node_kind::extends);
    return extends == no_node ? no_index : f_.devices.find(f_[extends].value);
  }

  [[gnu::cold]] void load_topology(std::uint32_t node) {
    device_.has_topology = true;
    device_.topology = {};
    topology& t = device_.topology;
    const std::uint32_t engines = child(f_.d, node, node_kind::num_engines);
    const std::uint32_t l2 = child(f_.d, node, node_kind::l2_size);
    const std::uint32_t engine = child(f_.d, node, node_kind::per_engine);
    if (engines == no_node || l2 == no_node || engine == no_node) {
      auto text = fail(errc::nem_dev_006_memory, f_.at(node));
      text << "counts and memory sizes must be > 0: the topology lacks ";
      std::string_view between;
      const auto lack = [&](std::uint32_t what, std::string_view name) {
        if (what != no_node) return;
        text << between << name;
        between = " and ";
      };
      lack(engines, "num_engines");
      lack(l2, "l2_size_bytes");
      lack(engine, "per_engine");
    }
    if (engines != no_node) {
      t.engines = f_.d.integer(f_[engines + 1]);
      if (t.engines < 1)
        fail(errc::nem_dev_004_engines, f_.at(engines + 1))
            << "num_engines is " << t.engines << ": expected at least 1";
    }
    if (l2 != no_node) t.l2_size = memory_size(l2, "l2_size_bytes");
    const std::uint32_t shared = child(f_.d, node, node_kind::device_units);
    if (shared != no_node) load_units(shared, t, 0);
    if (engine == no_node) return;
    load_units(engine, t, 1);
    const std::uint32_t l1 = child(f_.d, engine, node_kind::l1_size);
    if (l1 != no_node)
      t.l1_size = memory_size(l1, "l1_size_bytes");
    else
      fail(errc::nem_dev_006_memory, f_.at(engine))
          << "memory sizes must be > 0: per_engine lacks l1_size_bytes";
  }

  [[gnu::cold]] void load_units(std::uint32_t block, topology& t, std::int64_t least) {
    unit_set given = 0;
    for (const std::uint32_t c : children(f_.d, block)) {
      const unit u = static_cast<unit>(f_[c].detail);
      if (f_[c].kind != node_kind::unit || u == unit::none) continue;
      given = static_cast<unit_set>(given | units(u));
      const std::int64_t count = f_.d.integer(f_[c + 1]);
      t.units[static_cast<std::size_t>(u)] = count;
      if (count < least)
        fail(errc::nem_dev_005_units, f_.at(c + 1))
            << "per_engine has " << count << ' ' << name(u) << "; expected at least " << least;
    }
    constexpr unit_set all = (1u << (static_cast<unsigned>(unit::seq) + 1)) - 1;
    if (least == 0 || (given & all) == all) return;
    auto text = s_.found.add(errc::nem_dev_018_omitted, f_.at(block));
    text << "per_engine omits ";
    std::string_view between;
    for (std::size_t u = 0; u <= static_cast<std::size_t>(unit::seq); ++u) {
      if ((given >> u & 1) != 0) continue;
      text << between << unit_names[u];
      between = ", ";
    }
    text << ": its engines have none";
  }

  [[nodiscard, gnu::cold]] std::int64_t memory_size(std::uint32_t node, std::string_view field) {
    std::int64_t value = 0;
    if (!evaluate(node + 1, value)) return 0;
    if (value <= 0)
      fail(errc::nem_dev_006_memory, f_.at(node + 1))
          << "memory sizes must be > 0: " << field << " is " << value;
    return value;
  }

  /// The value of an expression of numbers.
  [[nodiscard, gnu::cold]] bool evaluate(std::uint32_t node, std::int64_t& to) {
    if (f_[node].kind != node_kind::expression) return literal(node, to);
    stack_.clear();
    for (const std::uint32_t c : children(f_.d, node)) {
      if (!is_operator(f_[c].kind)) {
        if (!literal(c, to)) return false;
        stack_.push_back(to);
        continue;
      }
      std::int64_t right = 0;
      if (!is_unary(f_[c].kind)) {
        right = stack_.back();
        stack_.pop_back();
      }
      switch (apply(f_[c].kind, stack_.back(), right, stack_.back())) {
        case arithmetic_error::none: break;
        case arithmetic_error::division:
          fail(errc::nem_exp_003_division, f_.at(c)) << "division by zero in a memory size";
          return false;
        case arithmetic_error::overflow:
          fail(errc::nem_exp_004_overflow, f_.at(c))
              << "the memory size leaves the range of 64 bits";
          return false;
      }
    }
    to = stack_.back();
    return true;
  }
  [[nodiscard, gnu::cold]] bool literal(std::uint32_t node, std::int64_t& to) {
    switch (f_[node].kind) {
      case node_kind::integer:
      case node_kind::wide_integer: to = f_.d.integer(f_[node]); return true;
      case node_kind::name:
        fail(errc::nem_exp_002_name, f_.at(node))
            << f_.name(node) << " can't be used here: a memory size may only contain numbers";
        return false;
      default:
        fail(errc::nem_exp_001_float, f_.at(node)) << "memory sizes must be integers";
        return false;
    }
  }

  [[gnu::cold]] void load_characteristics(std::uint32_t node) {
    device_.first_characteristic = index_in(to_.characteristics);
    if (node == no_node) return;
    for (const std::uint32_t g : children(f_.d, node))
      for (const std::uint32_t c : children(f_.d, g))
        to_.characteristics.push_back(
            {static_cast<unit>(f_[g].detail), f_.shared_name(c), f_.d.integer(f_[c + 1])});
    device_.characteristics = index_in(to_.characteristics) - device_.first_characteristic;
  }

  [[gnu::cold]] void load_list(std::uint32_t node) {
    if (node == no_node) return;
    for (const std::uint32_t c : children(f_.d, node)) {
      const std::uint32_t i = find(c);
      if (i == no_index) continue;
      to_.device_instances.push_back(i);
      s_.entries.push_back(f_.at(c));
    }
  }

  /// The instance that an entry refers to; no_index after saying what is wrong.
  [[nodiscard, gnu::cold]] std::uint32_t find(std::uint32_t node) {
    const std::string_view family = f_.name(node);
    const std::uint32_t f = s_.find_family(family);
    if (f == no_index && s_.lacks_files) {
      is_sound_ = false;
      return no_index;
    }
    if (f == no_index) {
      const std::string_view near = s_.nearest_family(family);
      auto text = fail(errc::nem_dev_009_variant, f_.at(node));
      text << "there is no type family " << family;
      if (!near.empty()) text.note() << "did you mean " << near << '?';
      return no_index;
    }
    types_.clear();
    std::uint32_t last = node;
    for (const std::uint32_t c : children(f_.d, node)) {
      if (f_[c].kind == node_kind::element_type)
        types_.push_back(static_cast<element>(f_[c].detail));
      else
        last = c;
    }
    const std::uint32_t v = s_.find_variant(f, f_.name(last));
    const std::uint32_t i = v == no_index ? no_index : to_.find_instance(to_.variants[v], types_);
    if (f < builtin_families) s_.used |= std::uint32_t{1} << f;
    if (i != no_index) {
      if (s_.is_unsound_family(f)) is_sound_ = false;
      return i;
    }
    is_sound_ = false;
    if (s_.is_unsound_family(f)) return no_index;
    report_instance(node, last, f, v);
    return no_index;
  }

  [[gnu::cold]] void report_instance(std::uint32_t node, std::uint32_t last, std::uint32_t f,
                                     std::uint32_t v) {
    const std::string_view family = f_.name(node);
    const type_family& row = to_.families[f];
    if (v == no_index) {
      auto text = s_.found.add(errc::nem_dev_009_variant, f_.at(last));
      text << "type family " << family << " has no variant " << f_.name(last);
      text.note(row.where) << "its variants are ";
      put_some(text, row.variants, [&](std::uint32_t k) {
        text << to_.text_of(to_.variants[row.first_variant + k].name);
      });
      return;
    }
    auto text = s_.found.add(errc::nem_dev_009_variant, f_.at(node));
    text << family;
    append_types(text, types_);
    text << '.' << f_.name(last);
    if (types_.size() != row.parameters)
      text << " has " << types_.size() << (types_.size() == 1 ? " type" : " types") << ", but "
           << family << " has " << row.parameters
           << (row.parameters == 1 ? " parameter" : " parameters");
    else
      text << " is classified neither as MUST nor as MAY";
    const variant& variant = to_.variants[v];
    if (variant.instances == 0) return;
    text.note(row.where) << "there is ";
    put_some(text, variant.instances, [&](std::uint32_t k) {
      text << family;
      append_types(text, to_.types_of(to_.instances[variant.first_instance + k]));
      text << '.' << f_.name(last);
    });
  }
  template <class Writer, class Put>
  [[gnu::cold]] static void put_some(Writer& out, std::uint32_t count, Put put) {
    constexpr std::uint32_t most = 6;
    for (std::uint32_t k = 0; k < count && k < most; ++k) {
      if (k != 0) out << ", ";
      put(k);
    }
    if (count > most) out << " and " << count - most << " more";
  }

  loading& s_;
  declaring_file& f_;
  catalog& to_;
  device device_;
  bool is_sound_ = true;
  pool<std::int64_t> stack_;
  pool<element> types_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP
