// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The same ALIR program in another version of the format.
//
//   tessera::result<alir::model> old = alir::to_version(model, 2);
//   if (!old) return fail(describe(old.error(), source));   // at the operation without a counterpart
//
//   version 3 lacks   a quantize with a shift
//   version 2 lacks   that, sums, and constants of add_constant beyond int32
//
// Each of these becomes operations that compute the same integer for every input, also where an
// interval promises too much:
//
//   quantize(x·2^s)    multiply x by a constant 2^s (an integer 1 with -s fraction bits: it only moves
//                      the point), then quantize
//   sum of ±x·2^s      add and subtract one term after the other; where no term is positive and
//                      unshifted, the first is negated or multiplied by a constant ±2^s
//   x + c·2^-s         add a constant
//
// New operations have the latency of what they replace, and no cost. One is refused when its type or
// step would be none that verify() accepts. What means nothing to an opcode has no place in versions 3
// and 4: the reserved bits of a bit_binary, data of opcodes without data, and whether data was
// spelled as an unsigned pattern.
//
// Lifetime:   the result owns itself.
// Errors:     alir_not_version_2, alir_not_version_3, and those of verify() for what versions 3 and 4
//             have no place for (unused ids) or what the rewriting relies on (ids, intervals); the
//             offset is the operation's place in the source.
// Limits:     ids are int32.
// Allocation: the result.

#ifndef TESSERA_ALIR_VERSIONS_HPP
#define TESSERA_ALIR_VERSIONS_HPP

#include <cstdint>

#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// The model as version 2, 3 or 4, without places in the source. Operations keep their order, and
/// also their indices where nothing is rewritten.
[[nodiscard]] result<model> to_version(const model& m, std::int32_t version);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/versions.hpp"
#endif

#endif  // TESSERA_ALIR_VERSIONS_HPP
