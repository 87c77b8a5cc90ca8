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
#include "model.hpp"
#include "words.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

class text_map {
 public:
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  text_map() noexcept;

  void set(assembly::key k, std::uint64_t offset) noexcept {
    keys_[static_cast<std::size_t>(k)] = offset;
  }
  void set(assembly::text_section s, std::uint64_t offset) noexcept {
    sections_[static_cast<std::size_t>(s)] = offset;
  }
  /// A statement that makes record `first` of its list, or the bytes of a body from `first` on.
  /// Statements of a section come in order.
  void add(assembly::text_section s, std::uint64_t first, std::uint64_t offset);

  /// Of a header's line; 0 where there is none.
  [[nodiscard]] std::uint64_t of(assembly::key k) const noexcept {
    return known(keys_[static_cast<std::size_t>(k)]);
  }
  /// Of a section's word, else of that of the code, else 0.
  [[nodiscard]] std::uint64_t of(assembly::text_section s) const noexcept;
  /// Of what made a record, or a byte of a body.
  [[nodiscard]] std::uint64_t of(assembly::text_section s, std::uint64_t part) const noexcept;

  /// Of what stands at a byte of the container: `f` was assembled with this map.
  [[nodiscard]] std::uint64_t offset_of(const model& f, std::uint64_t offset) const;

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

  [[nodiscard]] std::uint64_t in_section(const model& f, section s, std::uint64_t offset) const;

  pool<row> rows_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t sections_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t keys_[sizeof assembly::key_words / sizeof *assembly::key_words];
};

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/text_map.hpp"
#endif

#endif  // TESSERA_NAC_TEXT_MAP_HPP
