// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR models from any of their encodings.
//
//   tessera::result<alir::model> m = alir::read(source);
//   if (!m) return fail(describe(m.error(), source));
//
//   first bytes                          encoding    read by
//   "ALIR"                               bytecode    alir/read_bytecode.hpp: bytes, versions 3 and 4
//   four bytes with a zero among them    bytecode    the same: int32 words, version 2
//   anything else                        JSON        alir/read_json.hpp
//
// JSON text holds no zero byte, and an int32 version below 2^24 always does.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     those of the encoding's reader.
// Limits:     read_options::limit.
// Allocation: that of the encoding's reader.

#ifndef TESSERA_ALIR_READ_HPP
#define TESSERA_ALIR_READ_HPP

#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// How to read, and how much.
struct read_options {
  alir::encoding encoding = alir::encoding::automatic;  ///< `automatic` detects it
  limits limit = {};                                    ///< of bytes, items and depth
};

/// The encoding that the first bytes show: json or bytecode.
[[nodiscard]] encoding detect(bytes source) noexcept;
[[nodiscard]] inline encoding detect(std::string_view source) noexcept {
  return detect(as_bytes(source));
}

/// Reads a model.
[[nodiscard]] result<model> read(bytes source, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view source, const read_options& options = {}) {
  return read(as_bytes(source), options);
}

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_ALIR_READ_HPP
