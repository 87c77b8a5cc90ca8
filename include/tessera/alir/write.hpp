// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR to version 2: the JSON that the format's own tool saves, byte for byte, and bytecode.
//
//   tessera::result<tessera::text> json = alir::write(model);
//   tessera::result<tessera::text> bytes = alir::write(model, {.encoding = alir::encoding::bytecode});
//   tessera::result<tessera::pool<std::int32_t>> words = alir::write_bytecode(model);
//
// Models that came from versions 3 and 4 are written as version 2 where it has a form for them. It
// has none for a sum (opcode 11), a quantize with a shift, and constants of add_constant beyond
// int32. A table without a spec (bytecode has none) gets one: out_qint from its entries, and the
// SHA-256 hash that the format's compiler would give it.
//
// What the bytecode drops: latency, cost, intervals beyond their types, carry_size, adder_size,
// and everything about tables but their entries.
//
// Lifetime:   results own themselves.
// Errors:     alir_not_version_2, alir_not_finite, alir_bytecode_range, and those of verify() for
//             what each writer relies on (write_bytecode: shape, ids, intervals and tables); the
//             offset is the operation's or table's place in the source. Nothing is written then.
// Limits:     those of the format.
// Allocation: the result, at most twice.

#ifndef TESSERA_ALIR_WRITE_HPP
#define TESSERA_ALIR_WRITE_HPP

#include <cstdint>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

struct write_options {
  alir::encoding encoding = alir::encoding::json;  ///< `automatic` is JSON
};

/// The model as a file of version 2: JSON, or bytecode as little-endian words.
[[nodiscard]] result<text> write(const model& m, const write_options& options = {});

/// The model as version 2 JSON: keys in canonical order, no white space, no newline at the end.
[[nodiscard]] result<text> write_json(const model& m);

/// The model as version 2 bytecode: words in the byte order of this host (specification, "External
/// Bytecode Representation").
[[nodiscard]] result<pool<std::int32_t>> write_bytecode(const model& m);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_ALIR_WRITE_HPP
