// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tokenizers of Hugging Face (tokenizer.json) as the manifest and resources of a NAC container.
//
//   auto made = tessera::transform::import(program);
//   if (const error e = tessera::transform::import_tokenizer(json, made->parts, &found);
//       e.code != errc::ok)
//     return fail(describe(found, {&file, 1}));
//   auto container = nac::write(made->parts);                 // PROC and RSRC
//
//   normalizer      Sequence, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, BertNormalizer, and
//                   Replace of a string
//   pre_tokenizer   Sequence, BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Digits,
//                   CharDelimiterSplit, Split, ByteLevel, Metaspace
//   model           WordPiece, BPE, Unigram
//   post_processor  TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence
//   added_tokens    found in the text as there, with lstrip and rstrip
//
// Ids are those of Hugging Face's library, with special tokens. What it does for each part of a text
// between added tokens, the manifest does for the whole text: so added tokens become characters of a
// private use area (from U+10E000 on) before anything else changes the text, regular expressions are
// kept from crossing them, and the vocabulary has both forms. These characters mean the tokens when a
// text has them itself. Words that WordPiece doesn't know, and characters that Unigram doesn't, are
// found by expressions that list the alphabet.
//
// Decoding isn't described by manifests: `decoder` is ignored. So is what says only how tokens are
// shown (trim_offsets, type ids).
//
// Lifetime:   nothing is kept; the parts own what is made.
// Errors:     nac_tokenizer_import at the JSON value that a manifest has no form for, with its path;
//             nac_tokenizer_json where something is missing or of another type; json_*.
// Limits:     max_depth; 4,096 added tokens; 65,535 bytes of an expression.
// Allocation: at most 200 × the file; 20 × where most of it is a vocabulary.

#ifndef TESSERA_TRANSFORM_TOKENIZER_HPP
#define TESSERA_TRANSFORM_TOKENIZER_HPP

#include <string_view>

#include "../core/error.hpp"
#include "../core/report.hpp"
#include "../nac/parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// Puts the tokenizer of a file in the place of the one that `to` has. `found` receives everything
/// that can't be expressed, not only the first; then `to` is as it was.
[[nodiscard]] error import_tokenizer(std::string_view json, nac::parts& to,
                                     report* found = nullptr);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_TOKENIZER_HPP
