// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What differs between two NEM files, whatever their comments and layout.
//
//   const auto d = tessera::inspect::diff(before, after);
//   for (const auto& s : d.statements) std::cout << s.before << " -> " << s.after << '\n';
//
// Statements are compared as their canonical text, in order: those that are unique in both files are
// matched first, then what surrounds them. Of the rest, two that declare the same name between the same
// neighbours are one changed statement. Names count: a renamed buffer is another one.
//
// Lifetime:   texts own themselves.
// Errors:     none: any models that were read are accepted.
// Limits:     none.
// Allocation: linear in the texts.

#ifndef TESSERA_INSPECT_NEM_DIFF_HPP
#define TESSERA_INSPECT_NEM_DIFF_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "../../nem.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// A statement of one file only, or a pair that isn't equal.
struct statement_difference {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no line
  std::string before, after;  ///< canonical text, several lines; empty: only the other file has it
  std::uint32_t line = none;  ///< the first of `after` in print() of the later file, from 0
};

/// What differs between two files.
struct program_difference {
  std::vector<statement_difference> statements;                      ///< in the order of the files
  std::uint64_t added = 0, removed = 0, changed = 0, unchanged = 0;  ///< statements

  /// Whether both have the same statements.
  [[nodiscard]] bool same() const noexcept { return statements.empty(); }
};
/// Compares two files.
[[nodiscard]] program_difference diff(const nem::model& before, const nem::model& after);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_DIFF_HPP
