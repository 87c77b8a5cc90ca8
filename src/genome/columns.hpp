// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Names and numbers in columns: what the tables of corpora share.
//
//   put_right(out, "12", 5);                // "   12"
//   put_left(out, "resnet18", 12);          // "resnet18    "
//   put_fixed(out, 0.25, 3);                // "0.250"
//
// Lifetime:   values.
// Errors:     none: what isn't UTF-8, and control characters, become U+FFFD.
// Limits:     put_fixed: 0 <= v < 10^12, up to 6 decimals.
// Allocation: the text.

#ifndef TESSERA_GENOME_COLUMNS_HPP
#define TESSERA_GENOME_COLUMNS_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "inspect/label.hpp"
#include "tessera/core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// A name as valid UTF-8 without control characters.
[[nodiscard]] std::string printable(std::string_view name);
/// How many characters a valid text has.
[[nodiscard]] std::size_t width(std::string_view s) noexcept;
/// At least `columns` characters, spaces after.
void put_left(text& out, std::string_view s, std::size_t columns);
/// At least `columns` characters, spaces before.
void put_right(text& out, std::string_view s, std::size_t columns);
/// With that many decimals, rounded half up.
using inspect::put_fixed;
[[nodiscard]] std::string fixed(double v, unsigned decimals);
/// v rounded to six decimals: what is written where a float's own digits would be noise.
[[nodiscard]] double rounded(double v) noexcept;

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_COLUMNS_HPP
