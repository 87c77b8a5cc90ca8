// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether the arguments and results of a node fit its operator's signature.

#ifndef TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP
#define TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP

#include <cstdint>

#include "../model.hpp"
#include "../operators.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Whether an argument of this kind may be given for an element of this type. A number is taken
/// as a tensor.
[[nodiscard]] constexpr bool fits(argument_kind k, parameter_type t) noexcept {
  switch (t) {
    case parameter_type::tensor:
      return k == argument_kind::tensor || fits(k, parameter_type::number);
    case parameter_type::integer: return k == argument_kind::integer || k == argument_kind::sym_int;
    case parameter_type::real:
      return k == argument_kind::real || k == argument_kind::sym_float ||
             fits(k, parameter_type::integer);
    case parameter_type::boolean:
      return k == argument_kind::boolean || k == argument_kind::sym_bool;
    case parameter_type::string: return k == argument_kind::string;
    case parameter_type::number:
      return k == argument_kind::complex || fits(k, parameter_type::real) ||
             fits(k, parameter_type::boolean);
    case parameter_type::scalar_type: return k == argument_kind::scalar_type;
    case parameter_type::layout: return k == argument_kind::layout;
    case parameter_type::device: return k == argument_kind::device;
    case parameter_type::memory_format: return k == argument_kind::memory_format;
    case parameter_type::other: break;  // unreachable: no row has another word
  }
  return true;  // unreachable: all types are above
}

/// The same for a list; one without elements may be of any type.
[[nodiscard]] constexpr bool list_fits(const argument& a, parameter_type t,
                                       bool optional_elements) noexcept {
  if (a.items.count == 0 && a.kind == argument_kind::tensors) return true;
  const argument_row& row = info(a.kind);
  if (row.form == argument_form::integers) return fits(argument_kind::integer, t);
  if (row.form == argument_form::reals) return fits(argument_kind::real, t);
  if (row.element == argument_kind::optional_tensor)
    return t == parameter_type::tensor && optional_elements;
  return fits(row.form == argument_form::list ? row.element : a.kind, t);
}

[[nodiscard]] constexpr bool fits(const argument& a, const parameter& p) noexcept {
  if (a.kind == argument_kind::none) return p.is_optional || p.type == parameter_type::other;
  if (a.kind == argument_kind::optional_tensor) return p.type == parameter_type::tensor;
  return p.is_list ? list_fits(a, p.type, p.has_optional_elements) : fits(a.kind, p.type);
}

/// A number that an operator gives is symbolic.
[[nodiscard]] constexpr bool result_fits(const argument& a, const parameter& p) noexcept {
  if (a.kind == argument_kind::none) return true;
  if (p.is_list) return a.kind == argument_kind::tensors;
  if (p.type == parameter_type::tensor) return a.kind == argument_kind::tensor;
  return fits(a.kind, p.type);
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP
