// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How a NAC container lays out what it holds, where writers differ: the order of its sections, and
// whether prefixes count themselves.
//
//   nac::layout how = nac::layout_of(*file);
//   nac::counts_itself(how.inputs, nac::op_input, file->header());     // INPUT 1-3 begin with 2
//
//   prefix of           1.6, the specification's   1.7 and 1.8, the compiler's
//   INPUT 1-3           2                          1
//   OUTPUT 0-2          outputs + 1                outputs
//   OUTPUT 3            1                          1
//   CONTROL_FLOW        3                          3
//   all others          how many words follow      how many words follow
//
// So new containers are written; a file's own layout stays with its parts, whatever wrote it. Of an
// operation's prefixes the first one that is right either way tells; where there is none, INPUT and
// OUTPUT follow each other.
//
//   order               MMAP OPS CMAP CNST PERM DATA PROC ORCH TRNG RSRC ARRS
//   order of 1.6        … PROC RSRC ORCH
//
// Lifetime:   owns its list.
// Errors:     none.
// Limits:     none.
// Allocation: the order, where it isn't the version's.

#ifndef TESSERA_NAC_LAYOUT_HPP
#define TESSERA_NAC_LAYOUT_HPP

#include <cstddef>
#include <cstdint>

#include "../core/pool.hpp"
#include "file.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Whether the prefixes of an operation count themselves, too.
enum class self_count : std::uint8_t { by_version, no, yes };

/// What the same parts can be written differently by.
struct layout {
  self_count inputs = self_count::by_version;    ///< INPUT 1-3
  self_count outputs = self_count::by_version;   ///< OUTPUT 0-2
  self_count branches = self_count::by_version;  ///< CONTROL_FLOW
  /// Sections as they follow one another; those that it leaves out stand behind them, in the order
  /// of the version.
  pool<section> order;
};

/// What a rule comes to for an operation: `a` is op_input, op_output or op_control_flow.
[[nodiscard]] constexpr bool counts_itself(self_count rule, std::uint8_t a, header form) noexcept {
  if (rule != self_count::by_version) return rule == self_count::yes;
  return a == op_control_flow || form == header::v1_6;
}

/// The sections of a version in the order that its compiler writes them in: 0 to section_count - 1.
[[nodiscard]] constexpr section section_in_order(header form, std::size_t place) noexcept {
  constexpr section last_of_1_6[] = {section::rsrc, section::orch, section::trng};
  constexpr auto first = static_cast<std::size_t>(section::orch);
  if (form == header::v1_6 && place >= first && place < first + 3)
    return last_of_1_6[place - first];
  return static_cast<section>(place);
}

namespace detail {

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

/// Leaves `out` empty where the sections stand in the order of the version.
inline void find_order(const file& f, pool<section>& out) {
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

}  // namespace detail

/// How a file is laid out.
[[nodiscard]] inline layout layout_of(const file& f) {
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

#endif  // TESSERA_NAC_LAYOUT_HPP
