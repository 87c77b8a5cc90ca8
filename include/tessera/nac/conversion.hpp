// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Brings the parts of a NAC container into another version of the format.
//
//   auto older = nac::convert(nac::parts_of(*file), nac::header::v1_6);
//   if (!older) return fail(older.error());
//   auto bytes = nac::write(*older);
//
//   operation in use            its id
//   the version predefines it   that one, and no row in CMAP
//   another one                 its own where that is 32 or more, else the least free one from 32 on
//
// An operation is its name, so two ids of one name become one. CMAP holds what is in use, by
// ascending id: it depends on nothing but the instructions and their names, and converting once
// more changes nothing. What stays: everything else.
//
//   to v1_6   refused: TRNG, the training flag, arrays, INPUT 4 and 5, OUTPUT 3 and 4
//   to v1_7   refused: arrays
//
// Lifetime:   as of the parts that were given: borrowed payloads stay borrowed.
// Errors:     nac_convert_*; the offset is the index of an instruction, or 0. nac_write_range,
//             nac_write_form.
// Limits:     224 operations that the version doesn't predefine.
// Allocation: none but the names of predefined operations that need a row now.

#ifndef TESSERA_NAC_CONVERSION_HPP
#define TESSERA_NAC_CONVERSION_HPP

#include "../core/result.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The parts of a container of another version that computes the same.
/// Move the parts in to save a copy of them.
[[nodiscard]] result<parts> convert(parts p, header to);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/conversion.hpp"
#endif

#endif  // TESSERA_NAC_CONVERSION_HPP
