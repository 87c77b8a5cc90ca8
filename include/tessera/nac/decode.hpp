// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC programs as records of one size: where each instruction stands and how many arguments it has.
//
//   auto steps = nac::decode(*file, file->instructions());
//   (*steps)[41].offset;        // of instruction 41, from the first one
//
// An instruction's length depends on its operation, on its signature and mostly on a word that it
// holds, so none can be found before the one in front of it was looked at. What takes the time is
// this chain of loads; so a table has for each kind of instruction what the length is made of, and
// the loop has no branch that depends on what it finds. Besides, `read` remembers an instruction in
// the middle, so that two chains go on at the same time.
//
//   length = fixed + 2 × (count & mask)          count: the word behind A and B
//
// Kinds that this doesn't hold for have a length that no instruction reaches. They, negative counts
// and the last instructions are left to the function that `read` checks instructions with.
//
// Lifetime:   owns.
// Errors:     too_many_items, input_too_large.
// Limits:     max_items instructions, at most 2^31 - 1; 4 GiB of them.
// Allocation: 16 bytes for each instruction.

#ifndef TESSERA_NAC_DECODE_HPP
#define TESSERA_NAC_DECODE_HPP

#include <cstddef>
#include <cstdint>

#include "../core/limits.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// An instruction: where it stands, what it is, and which of the program's arguments are its. What
/// an argument is stands in resolve.hpp.
struct step {
  std::uint32_t offset = 0;  ///< bytes from the first instruction of the list
  std::uint8_t a = 0, b = 0;
  std::uint16_t arguments = 0;  ///< how many
  std::uint32_t first = 0;      ///< index of the first one
  std::uint16_t operation = 0;  ///< filled by `verify`
  std::uint16_t reserved = 0;
};
static_assert(sizeof(step) == 16);

inline constexpr std::uint32_t max_index = 0x7fff'ffff;  ///< of an instruction, read

/// The instructions of `list`, which is f.instructions() or f.training().
[[nodiscard]] result<pool<step>> decode(const model& f, const instructions& list,
                                        const limits& limit = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/decode.hpp"
#endif

#endif  // TESSERA_NAC_DECODE_HPP
