// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR to any of its versions: the JSON that the format's own tools save, byte for byte, and bytecode.
//
//   tessera::result<tessera::text> json = alir::write(model);
//   tessera::result<tessera::text> two = alir::write(model, {.version = 2});
//   tessera::result<tessera::text> bytes = alir::write(model, {.encoding = alir::encoding::bytecode});
//   tessera::result<tessera::pool<std::int32_t>> words = alir::write_bytecode(model);
//
// A model is written in its own version unless another is given. Operations that this one lacks are
// rewritten as versions.hpp says. A table without a spec (bytecode has none) gets one: out_qint from
// its entries, and the SHA-256 hash that the format's compiler would give it.
//
// What the bytecode drops: latency, cost, intervals beyond their types, carry_size, adder_size,
// and everything about tables but their entries.
//
// Lifetime:   results own themselves.
// Errors:     those of to_version(), alir_not_finite, alir_bytecode_range, and those of verify() for
//             what each writer relies on (bytecode: shape, ids, intervals and tables); the
//             offset is the operation's or table's place in the source. Nothing is written then.
// Limits:     those of the format; in bytes, types of int8 bits and sums of 32767 terms.
// Allocation: the result, at most twice, and a copy of the model where operations are rewritten.

#ifndef TESSERA_ALIR_WRITE_HPP
#define TESSERA_ALIR_WRITE_HPP

#include <cstdint>

#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "../core/text.hpp"
#include "verify.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// What file to make.
struct write_options {
  alir::encoding encoding = alir::encoding::json;  ///< `automatic` is JSON
  std::int32_t version = 0;                        ///< 2, 3 or 4; 0 is model::spec_version
};

/// The model as a file: JSON, or bytecode (version 2: little-endian words, 3 and 4: bytes).
[[nodiscard]] result<text> write(const model& m, const write_options& options = {});

/// The model as JSON: keys in canonical order, no white space, no newline at the end. `version` is
/// write_options::version.
[[nodiscard]] result<text> write_json(const model& m, std::int32_t version = 0);

/// The model as version 2 bytecode: words in the byte order of this host (specification, "External
/// Bytecode Representation").
[[nodiscard]] result<pool<std::int32_t>> write_bytecode(const model& m);

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_ALIR_WRITE_HPP
