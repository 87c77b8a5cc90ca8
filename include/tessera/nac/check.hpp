// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Whether a NAC container can hold what its parts say.
//
//   if (const error e = nac::check(parts); e.code != errc::ok) return fail(e);
//   // now nac::write has nothing left to refuse but a size beyond 64 bits
//
//   header         the version has a place for it: training, arrays, weights, sections
//   counts         65,535 instructions; 255 commands of a tick; 2^32 - 1 records of a list
//   texts          255 bytes of an operation's name or a signature, 65,535 of other names
//   instructions   C and D have the words that their kind and signature take; ids up to 32,767
//   constants      65,535 bytes or elements
//   tensors        255 dimensions; the fields that the quantization stores, and no others
//   payloads       2^32 - 1 bytes of a resource, a plan or a manifest
//
// What the numbers mean, verify tells: here, a reference may lead anywhere.
//
// Lifetime:   borrows the parts.
// Errors:     nac_too_many_instructions … nac_write_resource, the first one found: of the header,
//             texts, schedule, instructions, constants, tensors, payloads. The offset is the index
//             of the record in its pool, 0 for fields of the header.
// Limits:     those of the format.
// Allocation: none.

#ifndef TESSERA_NAC_CHECK_HPP
#define TESSERA_NAC_CHECK_HPP

#include "../core/error.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The first thing that a container can't hold.
[[nodiscard]] error check(const parts& p) noexcept;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/check.hpp"
#endif

#endif  // TESSERA_NAC_CHECK_HPP
