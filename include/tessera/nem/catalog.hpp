// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Type families and devices, as declarations of any file define them.
//
//   const nem::catalog& c = program.catalog();        // has the built-in families
//   const nem::type_family& f = c.families[i];
//   for (const nem::instance& x : c.instances_of(c.variants[f.first_variant])) …
//
//   type_family     parameters, operand types, accum, quant      "Type Family Grammar"
//   variant         what it adds: bias or none                   "Variant Reference IDs"
//   instance        a variant at concrete types: MUST or MAY     "Classification"
//   device          topology, characteristics, variants          "Device Configuration"
//
// An instance is what a device lists: gemm.float<f16>.no_bias is one row of `instances`. Those of a
// variant are in the order of their types.
//
// Lifetime:   a catalog owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: linear in the declarations.

#ifndef TESSERA_NEM_CATALOG_HPP
#define TESSERA_NEM_CATALOG_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/pool.hpp"
#include "../core/sort.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"
#include "model.hpp"
#include "rule.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// What a family demands of quantization descriptors.
enum class quant_condition : std::uint8_t {
  any,         ///< nothing
  absent,      ///< no operand has one
  required,    ///< all required inputs have one; where an operand is i4, only that
  required_on  ///< the operand type_family::quant_operand has one
};

/// The type of an operand in a family.
enum class type_form : std::uint8_t {
  element,       ///< operand_type::element
  parameter,     ///< what an instance has for the parameter
  absent,        ///< none: there is no such operand
  any_supported  ///< any element type but extensions
};
/// What a family, or a variant, says of one operand.
struct operand_type {
  string operand;                             ///< its name: "A", "input", "src"
  type_form form = type_form::element;        ///< how its type is given
  nem::element element = nem::element::none;  ///< the type, where the form is `element`
  std::uint32_t parameter = 0;                ///< index among the family's
};
/// A parameter of a family, such as T of gemm.float, and the types that it may be bound to.
struct type_parameter {
  string name;               ///< such as "T"
  std::uint16_t domain = 0;  ///< bit n is element n
};
/// A variant at concrete types.
struct instance {
  std::uint32_t family = 0, variant = 0;    ///< in catalog::families; in catalog::variants
  std::uint32_t first_type = 0, types = 0;  ///< in catalog::types
  bool is_must = false;                     ///< MUST: every device has it; else MAY
};
/// What an opcode may have or lack besides its types, such as a bias.
struct variant {
  string name;                                      ///< such as "no_bias"
  std::uint32_t first_operand = 0, operands = 0;    ///< in catalog::operand_types
  std::uint32_t first_instance = 0, instances = 0;  ///< in catalog::instances, by their types
};
/// The types that an opcode's operands may have together.
struct type_family {
  string name;                                        ///< such as "gemm.float"
  std::uint32_t first_parameter = 0, parameters = 0;  ///< in catalog::parameters
  std::uint32_t first_operand = 0, operands = 0;      ///< in catalog::operand_types
  std::uint32_t first_variant = 0, variants = 0;      ///< in catalog::variants
  element accum = element::none;  ///< the accum_type that it demands; none where it demands none
  quant_condition quant = quant_condition::any;  ///< what it demands of quantization descriptors
  string quant_operand;                          ///< of required_on
  place where;                                   ///< length 0 for built-in ones
};

/// A characteristic of a unit: one number, such as SEQ's max_active_tokens.
struct unit_number {
  nem::unit unit = nem::unit::none;  ///< its type of units
  string key;                        ///< of a characteristic
  std::int64_t value = 0;            ///< of the characteristic
};
/// What a device consists of ("Device Configuration").
struct topology {
  std::int64_t engines = 0, l1_size = 0, l2_size = 0;  ///< bytes; L1 is that of one engine
  std::int64_t units[unit_count] = {};  ///< per engine, or of the device; 0 where it has none
};
/// A device. Its topology and spec_version may be inherited. Its lists are its own, until it is
/// resolved, as a target is: then they hold what it inherits too, instances in ascending order.
struct device {
  /// `parent` is empty where it extends none; it inherits the parent's spec_version.
  string name, parent, spec_version;
  std::uint32_t base = no_index;  ///< the parent in catalog::devices, which precedes it
  /// Whether it has one, its own or inherited; whether its lists hold what it inherits.
  bool has_topology = false, is_resolved = false;
  nem::topology topology;                                       ///< valid where has_topology
  std::uint32_t first_characteristic = 0, characteristics = 0;  ///< in catalog::characteristics
  std::uint32_t first_mandatory = 0, mandatory = 0;             ///< in catalog::device_instances
  std::uint32_t first_extended = 0, extended = 0;  ///< likewise; resolved: none of mandatory
  place where;                                     ///< its declaration; length 0 for the baseline
};

namespace detail {

/// Appends the types of an instance: "<f16, i8>", nothing where there are none.
template <class Out>
void append_types(Out& out, view<element> types) {
  for (std::size_t k = 0; k < types.size(); ++k) out << (k == 0 ? "<" : ", ") << name(types[k]);
  if (!types.empty()) out << '>';
}
/// Appends the types of a set: "f16, f32".
template <class Out>
void append_domain(Out& out, std::uint16_t domain) {
  std::string_view comma;
  for (std::size_t e = 0; e < element_count; ++e) {
    if ((domain >> e & 1) == 0) continue;
    out << comma << name(static_cast<element>(e));
    comma = ", ";
  }
}

}  // namespace detail

/// Type families with their variants, and devices: those that are built in and those of all files.
struct catalog {
  text characters;                       ///< of all names, which text_of() gives
  pool<type_family> families;            ///< built-in ones first, in the order of family_table
  pool<type_parameter> parameters;       ///< of all families
  pool<operand_type> operand_types;      ///< of all families and variants
  pool<variant> variants;                ///< of all families
  pool<instance> instances;              ///< of all variants
  pool<element> types;                   ///< of all instances
  pool<device> devices;                  ///< each after its parent
  pool<unit_number> characteristics;     ///< of all devices
  pool<std::uint32_t> device_instances;  ///< indices of `instances`

  /// The characters of a name. Borrows.
  [[nodiscard]] std::string_view text_of(string s) const& noexcept {
    return {characters.data() + s.first, s.size};
  }
  std::string_view text_of(string) const&& = delete;
  /// The instances of a variant, in the order of their types. Borrows.
  [[nodiscard]] view<instance> instances_of(const variant& v) const& noexcept {
    return {instances.data() + v.first_instance, v.instances};
  }
  view<instance> instances_of(const variant&) const&& = delete;
  /// The characteristic of a unit, such as SEQ's max_active_tokens, or `otherwise`.
  [[nodiscard]] std::int64_t characteristic(const device& d, unit u, std::string_view key,
                                            std::int64_t otherwise) const noexcept {
    for (std::uint32_t i = 0; i < d.characteristics; ++i) {
      const unit_number& n = characteristics[d.first_characteristic + i];
      if (n.unit == u && text_of(n.key) == key) return n.value;
    }
    return otherwise;
  }
  /// Whether a resolved device lists the instance as mandatory or extended.
  [[nodiscard]] bool supports(const device& d, std::uint32_t i) const noexcept {
    return holds(d.first_mandatory, d.mandatory, i) || holds(d.first_extended, d.extended, i);
  }
  /// The instance of a variant at some types, or no_index.
  [[nodiscard]] std::uint32_t find_instance(const variant& v, view<element> of) const noexcept {
    const instance* const first = instances.data() + v.first_instance;
    const std::size_t at = first_not_below(
        first, v.instances, [&](const instance& x) { return order(types_of(x), of) < 0; });
    if (at == v.instances || order(types_of(first[at]), of) != 0) return no_index;
    return v.first_instance + static_cast<std::uint32_t>(at);
  }
  /// The types of an instance, one for each parameter of its family. Borrows.
  [[nodiscard]] view<element> types_of(const instance& x) const& noexcept {
    return {types.data() + x.first_type, x.types};
  }
  view<element> types_of(const instance&) const&& = delete;
  /// Appends an instance's reference: "gemm.float<f16>.no_bias".
  void append_reference(text& out, const instance& i) const {
    out << text_of(families[i.family].name);
    detail::append_types(out, types_of(i));
    out << '.' << text_of(variants[i.variant].name);
  }
  /// The order of a variant's instances: negative, 0 or positive.
  [[nodiscard]] static int order(view<element> a, view<element> b) noexcept {
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
  }

 private:
  [[nodiscard]] bool holds(std::uint32_t first, std::uint32_t count,
                           std::uint32_t i) const noexcept {
    const std::uint32_t* const list = device_instances.data() + first;
    const std::size_t at = first_not_below(list, count, [i](std::uint32_t x) { return x < i; });
    return at != count && list[at] == i;
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_CATALOG_HPP
