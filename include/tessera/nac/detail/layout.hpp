// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_LAYOUT_HPP
#define TESSERA_NAC_DETAIL_LAYOUT_HPP

#include <cstddef>
#include <cstdint>

#include "../format.hpp"
#include "../parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// The rule for the prefix of an instruction of the system; null where there is only one.
template <class Layout>
[[nodiscard]] constexpr auto rule_of(Layout& how, std::uint8_t a, std::uint8_t b) noexcept
    -> decltype(&how.inputs) {
  if (a == op_input && b != 0 && b < 4) return &how.inputs;
  if (a == op_output && b < 3) return &how.outputs;
  return a == op_control_flow ? &how.branches : nullptr;
}

inline void find_prefixes(const instructions& all, layout& out) noexcept {
  for (const instruction& i : all) {
    if (i.a >= first_regular_op) continue;
    self_count* const rule = rule_of(out, i.a, i.b);
    if (rule == nullptr || *rule != self_count::by_version) continue;
    const auto prefix = static_cast<std::uint16_t>(i.prefix);
    if (prefix == i.c.size())
      *rule = self_count::no;
    else if (prefix == i.c.size() + 1)
      *rule = self_count::yes;
  }
}

/// Leaves `out` empty where the sections have the order of the version.
inline void find_order(const model& f, pool<section>& out) {
  section order[section_count];
  std::size_t count = 0;
  bool usual = true;
  for (std::size_t place = 0; place < section_count; ++place) {
    const section s = section_in_order(f.header(), place);
    if (!f.has(s)) continue;
    std::size_t at = count++;
    for (; at != 0 && f.offset(order[at - 1]) > f.offset(s); --at) {
      order[at] = order[at - 1];
      usual = false;
    }
    order[at] = s;
  }
  if (!usual) out.append(order, count);
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE layout layout_of(const model& f) {
  layout out;
  detail::find_prefixes(f.instructions(), out);
  detail::find_prefixes(f.training(), out);
  if (out.inputs == self_count::by_version) out.inputs = out.outputs;
  if (out.outputs == self_count::by_version) out.outputs = out.inputs;
  detail::find_order(f, out.order);
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LAYOUT_HPP
