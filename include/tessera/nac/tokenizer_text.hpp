// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tokenizer's manifest as text for people, and read back to the same bytes.
//
//     version 1
//     unicode_norm "NFD"
//     filter_category "Mn", "Cf"
//     replace " ", "▁"
//     partition_rules
//       rule "</s>" protected trim "▁"
//       rule "\\s+" remove
//     bpe_encode "</w>"
//     compose "<s>", ids, 2
//
//   rule        of the partition_rules above it; remove and isolate are behaviours 1 and 2, others
//               stand as `behaviour 7`
//   compose     tokens in quotes, ids by number, and where the text's own ids go
//   op 7 0x00…  an instruction by its number and payload, which isn't in the table or not complete
//   bytes 0x…   what is no manifest, or no instruction: from there to the end
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_tisa_* and nac_text_*, at the token.
// Limits:     what the fields can hold.
// Allocation: to parse, at most 8 × the text.

#ifndef TESSERA_NAC_TOKENIZER_TEXT_HPP
#define TESSERA_NAC_TOKENIZER_TEXT_HPP

#include "../core/bytes.hpp"
#include "../core/text.hpp"
#include "parts.hpp"
#include "text_map.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Prints a manifest, each line behind two spaces.
void print_manifest(text& out, bytes manifest);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/tokenizer_text.hpp"
#endif

#endif  // TESSERA_NAC_TOKENIZER_TEXT_HPP
