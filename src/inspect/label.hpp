// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Text inside Graphviz's HTML-like labels.
//
//   out << "[label=<<B>" << tessera::inspect::escaped(name) << "</B>>]";
//
// Lifetime:   values.
// Errors:     none: bytes that aren't UTF-8 and control characters become U+FFFD.
// Limits:     longest_label characters, then an ellipsis.
// Allocation: the text.

#ifndef TESSERA_INSPECT_LABEL_HPP
#define TESSERA_INSPECT_LABEL_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

inline constexpr std::size_t longest_label = 48;  ///< characters of a name or of arguments

/// With the five characters of XML as entities.
[[nodiscard]] std::string escaped(std::string_view s);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_LABEL_HPP
