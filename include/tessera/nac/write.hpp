// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes a NAC container from its parts: one form for what they hold, whoever built them.
//
//   auto bytes = nac::write(parts);
//   if (!bytes) return fail(bytes.error());                          // nothing was written
//
//   header   88, 92 or 100 bytes, as parts.form says; the first section stands directly behind it
//   always   MMAP OPS CMAP CNST PERM DATA ORCH, and ARRS where the header has a slot for it
//   else     PROC, TRNG and RSRC, where the parts have them
//   order    of sections, and what prefixes count: as parts.layout says (nac/layout.hpp)
//   records  in the order of the parts; no padding between or behind them
//
// What was written so is read as the same parts; and what a file in this form holds is written as
// that file, byte for byte.
//
// Lifetime:   borrows the parts while it writes; payloads go to a sink without a copy.
// Errors:     what check() refuses, and nac_write_size, before the first byte; nac_write_stopped.
//             The offset is the index of the record in its pool, 0 for the header's fields.
// Limits:     those of the format.
// Allocation: the container, once, at its size; nothing with a sink.

#ifndef TESSERA_NAC_WRITE_HPP
#define TESSERA_NAC_WRITE_HPP

#include <cstddef>
#include <cstdint>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "sink.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The bytes that `write` makes of the parts, after all of its checks.
[[nodiscard]] result<std::uint64_t> written_size(const parts& p);

/// Hands a container to `to`, in pieces of up to 4 KiB and payloads as they are. nac_write_stopped,
/// with the offset 0, when `put` said false; every other error comes before the first call.
[[nodiscard]] error write(const parts& p, const sink& to);

/// A container of these parts.
[[nodiscard]] result<pool<std::byte>> write(const parts& p);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_NAC_WRITE_HPP
