// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Where in its text the parts of an assembled container stand, for who finds something wrong later.
//
//   nac::text_map map;
//   auto parts = nac::assemble(source, {}, {}, &map);
//   … write it, read what was written, verify it: `found` is a diagnostic of that
//   map.offset_of(*file, found.offset);           // of the statement that it is about
//
// A statement is a row of a table, an instruction, or a line of the plan or of the tokenizer; what
// the assembler added by itself has none: then it is the section's word, else that of the code.
//
// Lifetime:   owns its lists.
// Errors:     none.
// Limits:     texts of 4 GiB.
// Allocation: 8 bytes for each statement, at most twice that.

#ifndef TESSERA_NAC_TEXT_MAP_HPP
#define TESSERA_NAC_TEXT_MAP_HPP

#include <cstddef>
#include <cstdint>

#include "../core/pool.hpp"
#include "../core/sort.hpp"
#include "file.hpp"
#include "format.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

class text_map {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  text_map() noexcept {
    for (std::uint64_t& k : keys_) k = none;
    for (std::uint64_t& s : sections_) s = none;
  }

  void set(assembly::key k, std::uint64_t offset) noexcept {
    keys_[static_cast<std::size_t>(k)] = offset;
  }
  void set(assembly::text_section s, std::uint64_t offset) noexcept {
    sections_[static_cast<std::size_t>(s)] = offset;
  }
  /// A statement that makes record `first` of its list, or the bytes of a body from `first` on.
  /// Statements of a section come in order.
  void add(assembly::text_section s, std::uint64_t first, std::uint64_t offset) {
    rows_[static_cast<std::size_t>(s)].push_back(
        {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(offset)});
  }

  /// Of a header's line; 0 where there is none.
  [[nodiscard]] std::uint64_t of(assembly::key k) const noexcept {
    return known(keys_[static_cast<std::size_t>(k)]);
  }
  /// Of a section's word, else of that of the code, else 0.
  [[nodiscard]] std::uint64_t of(assembly::text_section s) const noexcept {
    const std::uint64_t offset = sections_[static_cast<std::size_t>(s)];
    return known(offset != none
                     ? offset
                     : sections_[static_cast<std::size_t>(assembly::text_section::code)]);
  }
  /// Of what made a record, or a byte of a body.
  [[nodiscard]] std::uint64_t of(assembly::text_section s, std::uint64_t part) const noexcept {
    const pool<row>& rows = rows_[static_cast<std::size_t>(s)];
    const std::size_t behind =
        first_not_below(rows.data(), rows.size(), [part](const row& r) { return r.first <= part; });
    const bool is_body =
        s == assembly::text_section::plan || s == assembly::text_section::tokenizer;
    if (behind == 0 || (!is_body && rows[behind - 1].first != part)) return of(s);
    return rows[behind - 1].offset;
  }

  /// Of what stands at a byte of the container: `f` was assembled with this map.
  [[nodiscard]] std::uint64_t offset_of(const file& f, std::uint64_t offset) const {
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      if (f.has(s) && offset >= f.offset(s) && offset - f.offset(s) < f.section(s).size())
        return in_section(f, s, offset);
    }
    if (offset == 4) return of(assembly::key::training_flag);
    if (offset >= 5 && offset < 7) return of(assembly::key::inputs);
    return of(offset >= 7 && offset < 9 ? assembly::key::outputs : assembly::key::nac);
  }

 private:
  struct row {
    std::uint32_t first, offset;
  };
  [[nodiscard]] static constexpr std::uint64_t known(std::uint64_t offset) noexcept {
    return offset != none ? offset : 0;
  }

  /// The last record of a list that doesn't begin behind a byte.
  template <class List>
  [[nodiscard]] std::uint64_t in_list(assembly::text_section s, const List& list,
                                      std::uint64_t offset) const {
    std::uint64_t before = 0;
    for (const auto& r : list) {
      if (r.offset > offset) break;
      ++before;
    }
    return before == 0 ? of(s) : of(s, before - 1);
  }

  [[nodiscard]] std::uint64_t in_section(const file& f, section s, std::uint64_t offset) const {
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
        if (offset - first <= f.plan().size()) return of(text_section::plan, offset - first);
        return in_list(text_section::plan_constants, f.plan_constants(), offset);
      }
      case section::trng: return in_list(text_section::training, f.training(), offset);
      case section::rsrc: return in_list(text_section::resources, f.resources(), offset);
      case section::arrs: return in_list(text_section::arrays, f.arrays(), offset);
    }
    return 0;
  }

  pool<row> rows_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t sections_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t keys_[sizeof assembly::key_words / sizeof *assembly::key_words];
};

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_TEXT_MAP_HPP
