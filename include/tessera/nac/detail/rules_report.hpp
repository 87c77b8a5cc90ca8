// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How NAC's rules word their findings: texts that several of them need.
//
// Lifetime:   for the time of a call.
// Errors:     none.
// Limits:     none.
// Allocation: the report's.

#ifndef TESSERA_NAC_DETAIL_RULES_REPORT_HPP
#define TESSERA_NAC_DETAIL_RULES_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../core/findings.hpp"
#include "../../core/text.hpp"
#include "../format.hpp"
#include "../model.hpp"
#include "../operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

using tessera::detail::findings;

/// "1 argument", "3 arguments".
template <class Out>
[[gnu::cold]] void put_count(Out& to, std::uint64_t n, std::string_view singular) {
  to << n << ' ' << singular;
  if (n != 1) to << 's';
}
/// "f32 [3, 4]".
template <class Out>
[[gnu::cold]] void put_type(Out& to, data_type type, const packed<std::uint32_t>& shape) {
  to << name(type) << " [";
  for (std::uint32_t i = 0; i < shape.size(); ++i) {
    if (i != 0) to << ", ";
    to << shape[i];
  }
  to << ']';
}
/// "parameter 7", and its name where it has one.
template <class Out>
[[gnu::cold]] void put_parameter(Out& to, std::uint16_t id, std::string_view name) {
  to << "parameter " << id;
  if (!name.empty()) to << " \"" << name << '"';
}

/// How many arguments a pattern takes.
struct argument_counts {
  std::size_t min = 0, max = 0;
  bool is_unbounded = false;
};
[[nodiscard]] inline argument_counts counts_of(std::string_view letters) noexcept {
  argument_counts n;
  bool optional = false;
  for (const char letter : letters) {
    if (letter == '?') optional = true;
    if (letter == '*' || letter == 'v') n.is_unbounded = true;
    if (letter == '?' || letter == '*') continue;
    ++n.max;
    if (!optional) ++n.min;
  }
  return n;
}

[[nodiscard]] constexpr std::string_view name_of(argument_form f) noexcept {
  switch (f) {
    case argument_form::result: return "a result";
    case argument_form::null: return "null";
    case argument_form::integer: return "an integer";
    case argument_form::number: return "a number";
    case argument_form::string: return "a string";
    case argument_form::int_list: return "a list of integers";
    case argument_form::number_list: return "a list of numbers";
  }
  return {};  // unreachable: all forms are above
}
/// Which arguments could be the k-th, with those before it: "a result or null".
template <class Out>
[[gnu::cold]] void put_expected_forms(Out& to, std::string_view letters, const argument_form* given,
                                      std::size_t k) {
  argument_form tried[256];
  for (std::size_t i = 0; i < k; ++i) tried[i] = given[i];
  bool fits[argument_form_count];
  for (std::size_t f = 0; f < argument_form_count; ++f) {
    tried[k] = static_cast<argument_form>(f);
    binding unused;
    const match m = bind(letters, {tried, k + 1}, unused);
    fits[f] = m.what == match::kind::fits || (m.what == match::kind::count && m.argument > k);
  }
  const auto drop = [&fits](argument_form wide, argument_form narrow) {
    if (fits[static_cast<std::size_t>(wide)]) fits[static_cast<std::size_t>(narrow)] = false;
  };
  drop(argument_form::number, argument_form::integer);
  drop(argument_form::number_list, argument_form::int_list);
  std::size_t left = 0, count = 0;
  for (const bool f : fits) left += f ? 1u : 0u;
  if (left == 0) to << "no argument";
  for (std::size_t f = 0; f < argument_form_count; ++f) {
    if (!fits[f]) continue;
    if (count != 0) to << (left == 1 ? " or " : ", ");
    to << name_of(static_cast<argument_form>(f));
    ++count;
    --left;
  }
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_REPORT_HPP
