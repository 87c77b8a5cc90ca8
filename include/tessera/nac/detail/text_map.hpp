// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of nac/assembly.hpp.

#ifndef TESSERA_NAC_DETAIL_TEXT_MAP_HPP
#define TESSERA_NAC_DETAIL_TEXT_MAP_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/pool.hpp"
#include "../assembly.hpp"
#include "../format.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE text_map::text_map() noexcept {
  for (std::uint64_t& k : keys_) k = none;
  for (std::uint64_t& s : sections_) s = none;
}

TESSERA_INLINE void text_map::add(assembly::text_section s, std::uint64_t first,
                                  std::uint64_t offset) {
  rows_[static_cast<std::size_t>(s)].push_back(
      {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(offset)});
}

TESSERA_INLINE std::uint64_t text_map::of(assembly::text_section s) const noexcept {
  const std::uint64_t offset = sections_[static_cast<std::size_t>(s)];
  return known(offset != none ? offset
                              : sections_[static_cast<std::size_t>(assembly::text_section::code)]);
}

TESSERA_INLINE std::uint64_t text_map::of(assembly::text_section s,
                                          std::uint64_t part) const noexcept {
  const pool<row>& rows = rows_[static_cast<std::size_t>(s)];
  const std::size_t count =
      first_not_below(rows.data(), rows.size(), [part](const row& r) { return r.first <= part; });
  const bool is_body = s == assembly::text_section::plan || s == assembly::text_section::tokenizer;
  if (count == 0 || (!is_body && rows[count - 1].first != part)) return of(s);
  return rows[count - 1].offset;
}

TESSERA_INLINE std::uint64_t text_map::offset_of(const model& f, std::uint64_t offset) const {
  for (std::size_t i = 0; i < section_count; ++i) {
    const auto s = static_cast<section>(i);
    if (f.has(s) && offset >= f.offset(s) && offset - f.offset(s) < f.section(s).size())
      return in_section(f, s, offset);
  }
  if (offset == 4) return of(assembly::key::training_flag);
  if (offset >= 5 && offset < 7) return of(assembly::key::inputs);
  return of(offset >= 7 && offset < 9 ? assembly::key::outputs : assembly::key::nac);
}

TESSERA_INLINE std::uint64_t text_map::in_section(const model& f, section s,
                                                  std::uint64_t offset) const {
  using assembly::text_section;
  switch (s) {
    case section::mmap: return in_list(text_section::schedule, f.schedule(), offset);
    case section::ops: return in_list(text_section::code, f.instructions(), offset);
    case section::cmap: return in_list(text_section::operations, f.operations(), offset);
    case section::cnst: return in_list(text_section::constants, f.constants(), offset);
    case section::perm: return in_list(text_section::signatures, f.signatures(), offset);
    case section::data:
      if (!f.tensors().empty() && offset >= f.tensors().offset())
        return in_list(text_section::tensors, f.tensors(), offset);
      if (!f.input_names().empty() && offset >= f.input_names().offset())
        return in_list(text_section::input_names, f.input_names(), offset);
      return in_list(text_section::parameters, f.parameters(), offset);
    case section::proc: {
      const std::uint64_t first = f.offset(s) + 8;  // the tag, and the size
      return offset < first ? of(text_section::tokenizer)
                            : of(text_section::tokenizer, offset - first);
    }
    case section::orch: {
      const std::uint64_t first = f.offset(s) + 12;  // the tag, and both sizes
      if (offset < first) return of(text_section::plan);
      if (offset - first <= f.execution_plan().size())
        return of(text_section::plan, offset - first);
      return in_list(text_section::plan_constants, f.plan_constants(), offset);
    }
    case section::trng: return in_list(text_section::training, f.training(), offset);
    case section::rsrc: return in_list(text_section::resources, f.resources(), offset);
    case section::arrs: return in_list(text_section::arrays, f.arrays(), offset);
  }
  return 0;  // unreachable: all sections are above
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TEXT_MAP_HPP
