// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What makes ids of a tokenizer's fragments.
//
//   encode_bpe(text, fragments, "</w>", v, m, ids, use);
//
//   encoder     protected fragment                     others
//   BPE         its token, else that of it without     characters, the last with the suffix; all
//               spaces at its ends, else unk           pairs of the lowest rank merge, from the left,
//                                                      then those of the next lowest
//   WordPiece   its token, else unk                    the longest token again and again, the marker
//                                                      in front of all but the first; unk for a
//                                                      character where there is none
//   Unigram     its token, else unk                    tokens with the largest sum of scores, of at
//                                                      most 49 characters each; of equal ones that
//                                                      with the longer last token. Where none reach
//                                                      the end, its characters, one by one
//
//   unk         BPE: <unk>, [UNK], 0   WordPiece: [UNK], 100   Unigram: <unk>, 2
//
// A score of 0 is none. BPE of a fragment takes n log n.
//
// Lifetime:   borrows its arguments.
// Errors:     throws a trouble: budget_memory, budget_steps.
// Limits:     none.
// Allocation: ids; of BPE at most 64 and of Unigram 16 bytes for each byte of the longest fragment.

#ifndef TESSERA_VM_TOKENIZER_ENCODERS_HPP
#define TESSERA_VM_TOKENIZER_ENCODERS_HPP

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meter.hpp"
#include "partition.hpp"
#include "vocabulary.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// Appends the ids of the fragments, which are places in the text.
void encode_bpe(std::string_view text, std::span<const fragment> fragments, std::string_view suffix,
                const vocabulary& v, const merges& m, std::vector<std::int32_t>& ids, meter& use);
void encode_wordpiece(std::string_view text, std::span<const fragment> fragments,
                      std::string_view marker, const vocabulary& v, std::vector<std::int32_t>& ids,
                      meter& use);
void encode_unigram(std::string_view text, std::span<const fragment> fragments, const vocabulary& v,
                    std::vector<std::int32_t>& ids, meter& use);

/// GPT-2's printable character of a byte, as a code point, and back; -1 for other characters.
[[nodiscard]] std::uint32_t printable_of_byte(unsigned char byte) noexcept;
[[nodiscard]] int byte_of_printable(std::uint32_t code_point) noexcept;

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_TOKENIZER_ENCODERS_HPP
