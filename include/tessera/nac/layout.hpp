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
#include "model.hpp"

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

/// How a file is laid out.
[[nodiscard]] layout layout_of(const model& f);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/layout.hpp"
#endif

#endif  // TESSERA_NAC_LAYOUT_HPP
