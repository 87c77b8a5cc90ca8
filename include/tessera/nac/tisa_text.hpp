// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
#ifndef TESSERA_NAC_TISA_TEXT_HPP
#define TESSERA_NAC_TISA_TEXT_HPP

#include "../core/text.hpp"
#include "lexer.hpp"
#include "parts.hpp"
#include "tisa.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Prints a manifest, each line behind two spaces.
void print_manifest(text& out, bytes manifest);
/// Reads lines of a manifest up to the word `end`, which it leaves, into p.manifest.
bool parse_manifest(detail::lexer& in, parts& p);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_TISA_TEXT_HPP
