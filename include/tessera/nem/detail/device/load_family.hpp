// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Loads a declared type family into the catalog, by the rules FDL.
//
//   detail::family_loader(s, f).load(node);   // node_kind::type_family of the file f
//
//   FDL-001 defined already         FDL-004 variant again      FDL-006 parameter again
//   FDL-002 not a type              FDL-005 no variant         FDL-007 classified again
//   FDL-003 wrong instantiation
//
// A family with the id of a built-in one takes its place, if no file includes the baseline and no
// device loaded before lists a variant of it. Conditions other than accum and quant have no effect.
//
// Lifetime:   for one call of load().
// Errors:     findings.
// Limits:     none.
// Allocation: linear in the declaration, plus load_state's.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../../core/sort.hpp"
#include "../../../version.hpp"
#include "load_state.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class family_loader {
 public:
  family_loader(loading& s, declaring_file& f) noexcept : s_(s), f_(f), to_(s.to) {}

  [[gnu::cold]] void load(std::uint32_t node) {
    index_ = slot_for(node);
    if (index_ == no_index) return;
    family_ = {};
    family_.name = f_.shared_name(node);
    family_.where = f_.at(node);
    is_sound_ = true;
    load_parameters(node);
    has_sound_parameters_ = is_sound_;
    load_operands(node);
    load_variants(node);
    to_.families[index_] = family_;
    if (!is_sound_) s_.set_unsound_family(index_);
  }

 private:
  /// Where the family goes, or no_index where its id is taken.
  [[nodiscard, gnu::cold]] std::uint32_t slot_for(std::uint32_t node) {
    const std::string_view name = f_.name(node);
    const std::uint32_t i = s_.find_family(name);
    if (i == no_index) {
      const std::uint32_t added = index_in(to_.families);
      to_.families.push_back({});
      s_.unsound_families.push_back(false);
      s_.families.put(hash_of(name), added);
      return added;
    }
    const std::uint32_t bit = i < builtin_families ? std::uint32_t{1} << i : 0;
    if (bit != 0 && !s_.has_baseline && ((s_.replaced | s_.used) & bit) == 0) {
      s_.replaced |= bit;
      return i;
    }
    auto text = s_.found.add(errc::nem_fdl_001_duplicate, f_.at(node));
    text << "type family " << name << " is already defined";
    if (bit == 0 || (s_.replaced & bit) != 0)
      text.note(to_.families[i].where) << name << " is first defined here";
    else if (s_.has_baseline)
      text.note(s_.baseline) << "the built-in " << name << " is included here";
    else
      text.note() << "devices loaded before list variants of the built-in " << name;
    return no_index;
  }

  [[gnu::cold]] void load_parameters(std::uint32_t family) {
    f_.parameters.begin(f_.d);
    parameters_.clear();
    family_.first_parameter = index_in(to_.parameters);
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind != node_kind::type_parameter) continue;
      const std::uint32_t before = f_.parameters.find(f_[c].value);
      if (before != no_index) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_006_parameter, f_.at(c));
        text << "type parameter " << f_.name(c) << " is already declared";
        text.note(f_.at(parameters_[before])) << f_.name(c) << " is first declared here";
        continue;
      }
      parameters_.push_back(c);
      f_.parameters.put(f_[c].value, family_.parameters++);
      type_parameter p{f_.shared_name(c), 0};
      for (const std::uint32_t e : children(f_.d, c))
        p.domain = static_cast<std::uint16_t>(p.domain | 1u << f_[e].detail);
      to_.parameters.push_back(p);
    }
  }

  [[gnu::cold]] void load_operands(std::uint32_t family) {
    family_.first_operand = index_in(to_.operand_types);
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind == node_kind::binding) load_binding(c);
      if (f_[c].kind == node_kind::condition) load_condition(c);
    }
    family_.operands = index_in(to_.operand_types) - family_.first_operand;
  }

  [[gnu::cold]] void load_binding(std::uint32_t node) {
    operand_type o;
    o.operand = f_.shared_name(node);
    const std::uint32_t type = node + 1;
    if (f_[type].kind == node_kind::element_type) {
      o.element = static_cast<element>(f_[type].detail);
    } else if ((o.parameter = f_.parameters.find(f_[type].value)) != no_index) {
      o.form = type_form::parameter;
    } else if (f_.name(type) == "absent") {
      o.form = type_form::absent;
      o.parameter = 0;
    } else if (f_.name(type) == "any_supported") {
      o.form = type_form::any_supported;
      o.parameter = 0;
    } else {
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_002_type, f_.at(type))
          << f_.name(type) << ", the type of " << f_.name(node)
          << ", is neither an element type nor a parameter of " << to_.text_of(family_.name)
          << ", absent or any_supported";
      return;
    }
    to_.operand_types.push_back(o);
  }

  [[gnu::cold]] void load_condition(std::uint32_t node) {
    const std::string_view what = f_.name(node);
    const std::uint32_t value = node + 1;
    const bool is_type = f_[value].kind == node_kind::element_type;
    const std::string_view word = is_type ? std::string_view() : f_.name(value);
    if (what == "accum") {
      if (is_type) {
        family_.accum = static_cast<element>(f_[value].detail);
        return;
      }
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_002_type, f_.at(value))
          << "expected an element type for accum, found " << word;
    }
    if (what == "quant") {
      const std::uint32_t on = child(f_.d, node, node_kind::on);
      if (word == "absent") {
        family_.quant = quant_condition::absent;
      } else if (word == "required" && on == no_node) {
        family_.quant = quant_condition::required;
      } else if (word == "required") {
        family_.quant = quant_condition::required_on;
        family_.quant_operand = f_.shared_name(on);
      } else {
        is_sound_ = false;
        s_.found.add(errc::nem_fdl_002_type, f_.at(value))
            << "expected absent or required for quant, found "
            << (is_type ? name(static_cast<element>(f_[value].detail)) : word);
      }
    }
  }

  [[gnu::cold]] void load_variants(std::uint32_t family) {
    f_.variants.begin(f_.d);
    family_.first_variant = index_in(to_.variants);
    std::uint32_t count = 0;
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind != node_kind::variant) continue;
      ++count;
      const std::uint32_t before = f_.variants.find(f_[c].value);
      if (before != no_index) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_004_variant, f_.at(c));
        text << "variant " << f_.name(c) << " of " << f_.name(family) << " is already defined";
        text.note(f_.at(before)) << f_.name(c) << " is first defined here";
        continue;
      }
      f_.variants.put(f_[c].value, c);
      load_variant(c);
    }
    family_.variants = index_in(to_.variants) - family_.first_variant;
    if (count == 0) {
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_005_no_variants, f_.at(family))
          << "type family " << to_.text_of(family_.name) << " has no variant";
    }
    if (family_.variants <= loading::few_variants) return;
    for (std::uint32_t i = 0; i < family_.variants; ++i) {
      const std::uint32_t v = family_.first_variant + i;
      s_.variants.put(hash_of(to_.text_of(to_.variants[v].name), index_), v);
    }
  }

  /// An instance and its node.
  struct classified {
    instance what;
    std::uint32_t node;
  };

  [[gnu::cold]] void load_variant(std::uint32_t node) {
    variant v;
    v.name = f_.shared_name(node);
    v.first_operand = index_in(to_.operand_types);
    classified_.clear();
    for (const std::uint32_t c : children(f_.d, node)) {
      if (f_[c].kind == node_kind::binding) load_binding(c);
      if (f_[c].kind == node_kind::conformance) load_instance(node, c);
    }
    v.operands = index_in(to_.operand_types) - v.first_operand;

    sort(classified_.data(), classified_.size(), [this](const classified& a, const classified& b) {
      return catalog::order(to_.types_of(a.what), to_.types_of(b.what)) < 0;
    });
    v.first_instance = index_in(to_.instances);
    std::uint32_t first = no_node;
    for (const classified& c : classified_) {
      if (index_in(to_.instances) != v.first_instance &&
          catalog::order(to_.types_of(to_.instances.back()), to_.types_of(c.what)) == 0) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_007_twice, f_.at(c.node));
        text << reference(c.what, node) << " is already classified";
        text.note(f_.at(first)) << "first as " << (to_.instances.back().is_must ? "MUST" : "MAY");
        continue;
      }
      to_.instances.push_back(c.what);
      first = c.node;
    }
    v.instances = index_in(to_.instances) - v.first_instance;
    to_.variants.push_back(v);
  }

  [[gnu::cold]] void load_instance(std::uint32_t variant, std::uint32_t node) {
    instance i;
    i.family = index_;
    i.variant = index_in(to_.variants);
    i.first_type = index_in(to_.types);
    i.is_must = f_[node].detail == 1;
    bool fits = true;
    for (const std::uint32_t c : children(f_.d, node)) {
      const element e = static_cast<element>(f_[c].detail);
      if (i.types < family_.parameters) {
        const type_parameter& p = to_.parameters[family_.first_parameter + i.types];
        if ((p.domain >> f_[c].detail & 1) == 0) {
          fits = false;
          auto text = s_.found.add(errc::nem_fdl_003_instance, f_.at(c));
          text << name(e) << " isn't a type of parameter " << to_.text_of(p.name) << ": {";
          append_domain(text, p.domain);
          text << "}";
        }
        to_.types.push_back(e);
      }
      ++i.types;
    }
    if (i.types != family_.parameters && has_sound_parameters_) {
      fits = false;
      s_.found.add(errc::nem_fdl_003_instance, f_.at(node))
          << "variant " << f_.name(variant) << " is classified for " << i.types
          << (i.types == 1 ? " type, but " : " types, but ") << to_.text_of(family_.name) << " has "
          << family_.parameters << (family_.parameters == 1 ? " parameter" : " parameters");
    }
    if (fits && i.types == family_.parameters)
      classified_.push_back({i, node});
    else
      is_sound_ = false;
  }

  /// "f<i8>.v" of a variant that isn't in the catalog yet.
  [[nodiscard, gnu::cold]] text reference(const instance& i, std::uint32_t variant) const {
    text out;
    out << to_.text_of(family_.name);
    append_types(out, to_.types_of(i));
    out << '.' << f_.name(variant);
    return out;
  }

  loading& s_;
  declaring_file& f_;
  catalog& to_;
  std::uint32_t index_ = 0;
  type_family family_;
  bool is_sound_ = true, has_sound_parameters_ = true;
  pool<std::uint32_t> parameters_;  ///< their nodes
  pool<classified> classified_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP
