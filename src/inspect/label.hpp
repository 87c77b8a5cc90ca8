// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Text and numbers inside pictures and traces: Graphviz's HTML-like labels, SVG, JSON.
//
//   out << "[label=<<B>" << tessera::inspect::escaped(name) << "</B>>]";
//
// Lifetime:   values.
// Errors:     none: bytes that aren't UTF-8 and control characters become U+FFFD.
// Limits:     longest_label characters, then an ellipsis; put_fixed: 0 <= v < 10^12, up to 6 decimals.
// Allocation: the text.

#ifndef TESSERA_INSPECT_LABEL_HPP
#define TESSERA_INSPECT_LABEL_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/core/text.hpp"
#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

inline constexpr std::size_t longest_label = 48;  ///< characters of a name or of arguments

/// With U+FFFD for each byte that isn't UTF-8, as JSON needs it.
[[nodiscard]] std::string as_utf8(std::string_view s);
/// With the five characters of XML as entities.
[[nodiscard]] std::string escaped(std::string_view s);
/// 0.25 with 3 decimals: "0.250".
void put_fixed(text& out, double v, unsigned decimals);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_LABEL_HPP
