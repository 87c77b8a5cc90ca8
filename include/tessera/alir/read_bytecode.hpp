// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// ALIR from bytecode: the int32 words of version 2 and the byte form of versions 3 and 4.
//
//   tessera::result<alir::model> m = alir::read_bytecode(file);     // bytes of a file
//   tessera::result<alir::model> n = alir::read_bytecode(words);    // words of this host
//
//   version 2: int32 words, little-endian in files
//     2 firmware n_in n_out n_ops n_tables
//     inp_shifts[n_in] out_idxs[n_out] out_shifts[n_out] out_negs[n_out]
//     ops[n_ops][8]: opcode id0 id1 data_low data_high signed integers fractionals
//     table_sizes[n_tables], then the entries of all tables
//
//   versions 3 and 4: little-endian bytes
//     "ALIR", u32 version n_in n_out n_ops n_tables
//     i32 inp_shifts[n_in] out_idxs[n_out] out_shifts[n_out], u8 out_negs[n_out]
//     operations: i8 opcode, u8 signed, i8 integers fractionals, u16 n_addr n_data,
//                 u32 addr[n_addr], i64 data[n_data] (a lookup's pad is its second data value)
//     tables: u32 size, i32 entries[size]
//
// The firmware version is ignored. Bytecode holds types where JSON holds intervals, latency and
// cost: the model gets the widest interval of each type, and 0.0 twice. The interval of a lookup's
// operand starts where the lookup's pad says.
//
// Lifetime:   the model owns itself; the source may go.
// Errors:     alir_bytecode_*, alir_version_*, and those of versions 3 and 4 for operations;
//             offsets are bytes, also for words.
// Limits:     max_bytes, max_items for each list.
// Allocation: at most 24 × input + 64 KiB.

#ifndef TESSERA_ALIR_READ_BYTECODE_HPP
#define TESSERA_ALIR_READ_BYTECODE_HPP

#include <cstdint>
#include <span>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "read_json.hpp"

namespace tessera::inline TESSERA_ABI {
namespace alir {

/// Reads a model from the bytes of a bytecode file, in either form.
[[nodiscard]] result<model> read_bytecode(bytes source, const limits& limit = {});
[[nodiscard]] inline result<model> read_bytecode(std::string_view source,
                                                 const limits& limit = {}) {
  return read_bytecode(as_bytes(source), limit);
}
/// Reads a model from version 2 words in the byte order of this host, as interpreters pass them in
/// memory. Offsets of errors are 4 times the index of the word.
[[nodiscard]] result<model> read_bytecode(std::span<const std::int32_t> words,
                                          const limits& limit = {});

}  // namespace alir
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read_bytecode.hpp"
#endif

#endif  // TESSERA_ALIR_READ_BYTECODE_HPP
