// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Regular expressions that stay on one side of certain characters.
//
//   const auto e = guarded_expression(R"( ?\p{L}+|\s+)", "[\ue000-\ue003]");
//
// Every part of the result that matches a character refuses those of the guard, so that the
// expression sees an end of the text there. \s, \w and \d are those of Unicode, as Hugging Face's
// engines have them, and not those of the engine that runs a manifest.
//
// Lifetime:   values.
// Errors:     no result for what isn't translated: anchors, groups that capture by name,
//             lookbehind, back references, intersections of sets.
// Limits:     none.
// Allocation: strings.

#ifndef TESSERA_IMPORT_EXPRESSIONS_HPP
#define TESSERA_IMPORT_EXPRESSIONS_HPP

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

// What is between the brackets of a set.
inline constexpr std::string_view white_space =
    "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000";
/// Alphabetic (the symbols are circled and squared letters), marks, decimal digits, connectors, joiners.
inline constexpr std::string_view word_characters =
    "\\p{L}\\p{Nl}\\p{M}\\p{Nd}\\p{Pc}\u200c\u200d\u24b6-\u24e9\U0001f130-\U0001f149"
    "\U0001f150-\U0001f169\U0001f170-\U0001f189";
inline constexpr std::string_view digits = "\\p{Nd}";
inline constexpr std::string_view numeric = "\\p{N}";
inline constexpr std::string_view punctuation = "!-/:-@\\[-`{-~\\p{P}";
inline constexpr std::string_view ideographs =
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f";

/// A set of code points, as ranges.
[[nodiscard]] std::string set_of(const std::set<std::uint32_t>& characters);
/// A text that an expression matches as it is.
[[nodiscard]] std::string literal(std::string_view text);
/// `guard`: an expression of one character; empty for none.
[[nodiscard]] std::optional<std::string> guarded_expression(std::string_view expression,
                                                            std::string_view guard);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_IMPORT_EXPRESSIONS_HPP
