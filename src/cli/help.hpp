// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What is generated from the tables of commands.hpp: help, completions of shells, the manual page.
//
//   tessera run --help          options for all formats, those of single formats by name
//   tessera run --help nac      all options for NAC; likewise `tessera help run nac`
//
// Lifetime:   texts own their characters.
// Errors:     none.

#ifndef TESSERA_CLI_HELP_HPP
#define TESSERA_CLI_HELP_HPP

#include <string_view>
#include <tessera/core/text.hpp>

#include "commands.hpp"

namespace tessera::inline TESSERA_ABI {
namespace cli {

/// `families`: everywhere, or the format whose options are described.
[[nodiscard]] text help_of(const verb_row& verb, unsigned families);
/// For bash, zsh or fish.
[[nodiscard]] text completion_of(std::string_view shell);
/// In roff, for `man`.
[[nodiscard]] text manual_page();

}  // namespace cli
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CLI_HELP_HPP
