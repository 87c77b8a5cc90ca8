// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nem/families.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP
#define TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../../core/pool.hpp"
#include "../../families.hpp"
#include "../../format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// The types of an instance.
[[nodiscard]] constexpr view<element> types_of(const instance_row& i) noexcept {
  std::size_t count = 0;
  while (count < 2 && i.types[count] != element::none) ++count;
  return {i.types, count};
}

[[nodiscard]] inline string put_name(catalog& c, std::string_view name) {
  const string s = {static_cast<std::uint32_t>(c.characters.size()),
                    static_cast<std::uint32_t>(name.size())};
  c.characters << name;
  return s;
}

[[gnu::cold]] inline void put_operand(catalog& c, const operand_row& o) {
  c.operand_types.push_back({put_name(c, o.operand), o.form, o.element, o.parameter});
}

template <class Row>
[[nodiscard]] std::uint32_t index_in(const pool<Row>& p) noexcept {
  return static_cast<std::uint32_t>(p.size());
}

[[gnu::cold]] inline void put_variant(catalog& c, std::uint32_t family, std::uint32_t parameters,
                                      const variant_row& row) {
  const std::uint32_t index = index_in(c.variants);
  variant v;
  v.name = put_name(c, row.name);
  v.first_operand = index_in(c.operand_types);
  if (!row.operand.operand.empty()) put_operand(c, row.operand);
  v.operands = index_in(c.operand_types) - v.first_operand;
  v.first_instance = index_in(c.instances);
  for (const instance_row& r : row.instances) {
    if (r.conformance == instance_row::level::none) break;
    c.instances.push_back(
        {family, index, index_in(c.types), parameters, r.conformance == instance_row::level::must});
    c.types.append(r.types, parameters);
  }
  v.instances = index_in(c.instances) - v.first_instance;
  c.variants.push_back(v);
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE std::string_view base_name(std::string_view path) noexcept {
  for (std::size_t i = path.size(); i > 0; --i)
    if (path[i - 1] == '/' || path[i - 1] == '\\') return path.substr(i);
  return path;
}

TESSERA_INLINE std::uint32_t find_baseline(std::string_view path) noexcept {
  const std::string_view name = base_name(path);
  return name == baseline_files[0].file ? 0 : name == baseline_files[1].file ? 1 : 2;
}

TESSERA_INLINE std::uint32_t builtin_family(std::string_view name) noexcept {
  std::uint32_t i = 0;
  while (i < builtin_families && family_table[i].name != name) ++i;
  return i;
}

[[gnu::cold]] TESSERA_INLINE void add_builtin(catalog& c) {
  c.characters.reserve(512);
  c.families.reserve(16);
  c.parameters.reserve(16);
  c.operand_types.reserve(64);
  c.variants.reserve(24);
  c.instances.reserve(64);
  c.types.reserve(64);
  for (const family_row& row : family_table) {
    const std::uint32_t index = detail::index_in(c.families);
    type_family f;
    f.name = detail::put_name(c, row.name);
    f.accum = row.accum;
    f.quant = row.quant;
    if (!row.quant_operand.empty()) f.quant_operand = detail::put_name(c, row.quant_operand);
    f.first_parameter = detail::index_in(c.parameters);
    for (const parameter_row& p : row.parameters)
      if (!p.name.empty()) c.parameters.push_back({detail::put_name(c, p.name), p.domain});
    f.parameters = detail::index_in(c.parameters) - f.first_parameter;
    f.first_operand = detail::index_in(c.operand_types);
    for (const operand_row& o : row.operands)
      if (!o.operand.empty()) detail::put_operand(c, o);
    f.operands = detail::index_in(c.operand_types) - f.first_operand;
    f.first_variant = detail::index_in(c.variants);
    for (const variant_row& v : row.variants)
      if (!v.name.empty()) detail::put_variant(c, index, f.parameters, v);
    f.variants = detail::index_in(c.variants) - f.first_variant;
    c.families.push_back(f);
  }
}

[[gnu::cold]] TESSERA_INLINE void add_baseline_device(catalog& c, const baseline_row& names) {
  device d;
  d.name = detail::put_name(c, names.device);
  d.spec_version = detail::put_name(c, known_spec_version);
  d.first_mandatory = detail::index_in(c.device_instances);
  for (std::uint32_t i = 0; d.mandatory < must_count; ++i)
    if (c.instances[i].is_must) c.device_instances.push_back(i), ++d.mandatory;
  d.first_extended = detail::index_in(c.device_instances);
  d.first_characteristic = detail::index_in(c.characteristics);
  c.devices.push_back(d);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP
