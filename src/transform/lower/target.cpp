// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "transform/lower/target.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform::lowering {

bool target::has(std::string_view family, std::string_view variant) const noexcept {
  return has(family, {&type_, 1}, variant);
}

bool target::has(std::string_view family, view<nem::element> types,
                 std::string_view variant) const noexcept {
  const std::uint32_t f = nem::builtin_family(family);
  if (f == nem::builtin_families) return false;
  const nem::type_family& row = catalog_.families[f];
  for (std::uint32_t k = 0; k < row.variants; ++k) {
    const nem::variant& v = catalog_.variants[row.first_variant + k];
    if (catalog_.text_of(v.name) != variant) continue;
    // Conversions have no parameters, whatever the type.
    const view<nem::element> of = row.parameters == 0 ? view<nem::element>{} : types;
    const std::uint32_t i = catalog_.find_instance(v, of);
    return i != nem::no_index && catalog_.supports(device_, i);
  }
  return false;
}

std::string target::reference(std::string_view family, view<nem::element> types,
                              std::string_view variant) {
  std::string list;
  for (const nem::element t : types) list.append(list.empty() ? "" : ", ").append(nem::name(t));
  const bool has_types = family != "cast";
  return std::string(family) + (has_types ? '<' + list + '>' : std::string()) + '.' +
         std::string(variant);
}

nem::element target::float_type() const noexcept {
  constexpr nem::element single[] = {nem::element::f32, nem::element::i8, nem::element::f32};
  const bool has_f32 =
      has("quantize", {single, 2}, "default") && has("dequantize", {single + 1, 2}, "default") &&
      has("eltwise", {single, 1}, "default") && has("view", {single, 1}, "default");
  return has_f32 ? nem::element::f32 : nem::element::f16;
}

void target::write(nem::builder& to) const {
  const nem::baseline_row& base = nem::baseline_files[0];
  const nem::topology& t = device_.topology;
  to.include(base.file).begin_device(name(), base.device);
  to.num_engines(t.engines).l2_size_bytes(t.l2_size).l1_size_bytes(t.l1_size);
  for (std::size_t u = 0; u < nem::unit_count; ++u)
    if (t.units[u] != 0) to.units(static_cast<nem::unit>(u), t.units[u]);
  for (std::uint32_t k = 0; k < device_.characteristics; ++k) {
    const nem::unit_number& n = catalog_.characteristics[device_.first_characteristic + k];
    to.characteristic(n.unit, catalog_.text_of(n.key), n.value);
  }
  write_variants(to, device_.first_mandatory, device_.mandatory, false);
  write_variants(to, device_.first_extended, device_.extended, true);
  to.end_device();
}

void target::write_variants(nem::builder& to, std::uint32_t first, std::uint32_t count,
                            bool is_extended) const {
  for (std::uint32_t k = 0; k < count; ++k) {
    const nem::instance& i = catalog_.instances[catalog_.device_instances[first + k]];
    // What the baseline has is inherited; families of other files can't be meant by built-in opcodes.
    if (i.is_must || i.family >= nem::builtin_families) continue;
    const view<nem::element> types = catalog_.types_of(i);
    const std::string_view family = catalog_.text_of(catalog_.families[i.family].name);
    const std::string_view variant = catalog_.text_of(catalog_.variants[i.variant].name);
    if (is_extended)
      to.extended(family, types, variant);
    else
      to.mandatory(family, types, variant);
  }
}

}  // namespace transform::lowering
}  // namespace tessera::inline TESSERA_ABI
