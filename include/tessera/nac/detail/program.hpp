// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/verify.hpp.

#ifndef TESSERA_NAC_DETAIL_PROGRAM_HPP
#define TESSERA_NAC_DETAIL_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/pool.hpp"
#include "../../core/result.hpp"
#include "../model.hpp"
#include "../verify.hpp"
#include "ids.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct verifier;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE binding program::binding_of(const step& s) const noexcept {
  argument_form forms[256];
  binding b;
  if (s.a >= first_regular_op) (void)bind(pattern(operation_of(s)), forms_of(s, forms), b);
  return b;
}

TESSERA_INLINE bool program::has_constant(std::uint16_t id) const noexcept {
  return constant_of_[id] != detail::no_index;
}

TESSERA_INLINE bool program::has_parameter(std::uint16_t id) const noexcept {
  return parameter_of_[id] != detail::no_index;
}

TESSERA_INLINE view<argument_form> program::forms_of(const step& s,
                                                     argument_form* out) const noexcept {
  const view<argument> arguments = code_.arguments_of(s);
  for (std::size_t k = 0; k < arguments.size(); ++k) out[k] = form(arguments[k]);
  return {out, arguments.size()};
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PROGRAM_HPP
