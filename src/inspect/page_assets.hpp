// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The style sheet and the script of pages, which are strings of the library when it is built.
//
//   out << "<style>" << tessera::inspect::page_style() << "</style>";
//
// Lifetime:   literals.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_INSPECT_PAGE_ASSETS_HPP
#define TESSERA_INSPECT_PAGE_ASSETS_HPP

#include <string_view>

#include "tessera/version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

[[nodiscard]] std::string_view page_style() noexcept;   ///< page/page.css
[[nodiscard]] std::string_view page_script() noexcept;  ///< page/page.js

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PAGE_ASSETS_HPP
