// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Bodies of torch.autocast: their nodes have other operands than the graph says, namely some that are
// cast. The types that the archive records of results say which.

#include <algorithm>

#include "import/importer.hpp"
#include "tessera/nac/operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

namespace {

using pt2::argument_kind;
using pt2::element_type;

/// Products, which autocast computes in its type whatever their operands are.
constexpr std::string_view products_of_autocast[] = {"aten.linear.",
                                                     "aten.matmul.",
                                                     "aten.mm.",
                                                     "aten.bmm.",
                                                     "aten.addmm.",
                                                     "aten.baddbmm.",
                                                     "aten.addbmm.",
                                                     "aten.conv1d.",
                                                     "aten.conv2d.",
                                                     "aten.conv3d.",
                                                     "aten.conv_transpose1d.",
                                                     "aten.conv_transpose2d.",
                                                     "aten.conv_transpose3d.",
                                                     "aten.scaled_dot_product_attention.",
                                                     "aten.linalg_vecdot.",
                                                     "aten._addmm_activation."};
/// Conversions, which it leaves as they are.
constexpr std::string_view conversions[] = {"aten.to.", "aten.type_as.", "aten._to_copy.",
                                            "aten.copy.", "aten.view."};

template <std::size_t Count>
[[nodiscard]] bool is_one_of(std::string_view target, const std::string_view (&names)[Count]) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return target.starts_with(name); });
}

}  // namespace

// Arguments: device, type, enabled, whether casts are cached, the body, operands.
void importer::autocast(const pt2::node& n) {
  const view<pt2::argument> in = arguments(m_, n.inputs);
  const bool is_on = in.size() > 4 && in[0].kind == argument_kind::string &&
                     text_of(m_, in[0].text) == "cpu" && in[2].kind == argument_kind::boolean &&
                     in[2].boolean;
  const element_type type = in.size() > 4 && in[1].kind == argument_kind::scalar_type
                                ? pt2::info_of_element(in[1].integer).type
                                : element_type::bfloat16;
  const element_type outside = std::exchange(autocast_, is_on ? type : element_type::unknown);
  inlined(n);
  autocast_ = outside;
}

element_type importer::cast_of(const pt2::node& n) const {
  const std::string_view target = short_target(m_, n);
  const view<pt2::argument> out = arguments(m_, n.outputs);
  const std::uint32_t made = out.empty() ? none : p_.value_of(out[0]);
  if (autocast_ == element_type::unknown || made == none || nac::is_in_place(target) ||
      is_one_of(target, conversions))
    return element_type::unknown;
  bool has_cast = false, has_others = false;  // operands in the autocast's type, and in 32 bits
  const auto look_at = [&](const pt2::argument& a) {
    const std::uint32_t v = p_.value_of(a);
    const element_type t = v == none ? element_type::unknown : type_of_value(v);
    has_cast = has_cast || t == autocast_;
    has_others = has_others || t == element_type::float32;
  };
  for (const pt2::argument& a : arguments(m_, n.inputs)) {
    if (a.kind == argument_kind::scalar_type) return element_type::unknown;
    look_at(a);
    if (info(a.kind).form == pt2::argument_form::list)
      for (const pt2::argument& item : arguments(m_, a.items)) look_at(item);
  }
  const element_type type = type_of_value(made);
  // Operations that have a product inside give the autocast's type for operands that have another.
  if (type == autocast_ && (is_one_of(target, products_of_autocast) || !has_cast)) return type;
  // Losses, norms and the like are computed in 32 bits.
  if (type == element_type::float32 && has_cast && !has_others) return type;
  return element_type::unknown;
}

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI
