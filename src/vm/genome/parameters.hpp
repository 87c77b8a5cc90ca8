// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Arguments by what they are called: registries name keywords, patterns have letters.
//
//   letter_of(operation::softmax, "dtype");                  // 2: the d of "ti?d"
//   letter_of(operation::linear, "device");                  // none
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_VM_GENOME_PARAMETERS_HPP
#define TESSERA_VM_GENOME_PARAMETERS_HPP

#include <cstddef>
#include <string_view>

#include "tessera/nac/all.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::genome {

using tessera::nac::operation;

inline constexpr std::size_t no_letter = ~std::size_t{0};

/// Which letter of an operation's pattern a keyword is, the first being 0; or none.
[[nodiscard]] constexpr std::size_t letter_of(operation o, std::string_view keyword) noexcept {
  std::string_view rest = tessera::nac::operations[static_cast<std::size_t>(o)].parameters;
  for (std::size_t letter = 0; !rest.empty(); ++letter) {
    const std::size_t blank = rest.find(' ');
    if (rest.substr(0, blank) == keyword) return letter;
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  }
  return no_letter;
}

/// Letter number `letter`, or 0.
[[nodiscard]] constexpr char letter_at(std::string_view pattern, std::size_t letter) noexcept {
  for (const char c : pattern)
    if (c != '?' && c != '*' && letter-- == 0) return c;
  return 0;
}

}  // namespace vm::genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_GENOME_PARAMETERS_HPP
