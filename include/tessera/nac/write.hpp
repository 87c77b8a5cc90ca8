// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes a NAC container from its parts: one form for what they hold, however they were built.
//
//   auto bytes = nac::write(parts);
//   if (!bytes) return fail(bytes.error());                          // nothing was written
//
//   header   88, 92 or 100 bytes, as parts.form says; the first section follows it directly
//   always   MMAP OPS CMAP CNST PERM DATA ORCH, and ARRS where the header has a slot for it
//   else     PROC, TRNG and RSRC, where the parts have them
//   order    of sections, and what prefixes count: as parts.layout says (nac/parts.hpp)
//   records  in the order of the parts; no padding between or after them
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

#include "../core/bytes.hpp"
#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "parts.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- A destination that takes a file piece by piece: writing needs no memory of its size.
//
//   nac::sink to{&file, [](void* context, bytes piece) {
//     return std::fwrite(piece.data(), 1, piece.size(), *static_cast<FILE**>(context)) ==
//            piece.size();
//   }};
//   if (error e = nac::write(parts, to); e.code != errc::ok) return fail(e);
//
// Lifetime:   borrows its context.
// Errors:     `put` returns false.
// Limits:     none.
// Allocation: none.

/// Takes a file piece by piece, in order. Pieces are valid during the call.
struct sink {
  void* context = nullptr;  ///< passed to `put`
  /// False: stop; no call follows.
  bool (*put)(void* context, bytes piece) = nullptr;
};

// ---- Whether a NAC container can hold what its parts say.
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
// What the numbers mean is checked by verify: here, a reference may lead anywhere.
//
// Lifetime:   borrows the parts.
// Errors:     nac_too_many_instructions … nac_write_resource, the first one found: of the header,
//             texts, schedule, instructions, constants, tensors, payloads. The offset is the index
//             of the record in its pool, 0 for fields of the header.
// Limits:     those of the format.
// Allocation: none.

/// The first thing that a container can't hold.
[[nodiscard]] error check(const parts& p) noexcept;

/// How many bytes `write` makes of the parts, after all of its checks.
[[nodiscard]] result<std::uint64_t> written_size(const parts& p);

/// Hands a container to `to`, in pieces of up to 4 KiB and payloads as they are. nac_write_stopped,
/// with the offset 0, when `put` returned false; every other error comes before the first call.
[[nodiscard]] error write(const parts& p, const sink& to);

/// A container of these parts.
[[nodiscard]] result<pool<std::byte>> write(const parts& p);

/// How a model that was read is written.
struct write_options {
  /// Sections in the order that they were read in, and prefixes by the rule that they follow; else
  /// as the version has them.
  bool keep_layout = true;
};

/// A container of what was read: write(parts_of(f)). Kept are all records in their order, unused
/// ones too, and the layout. Not kept: bytes after the last record of a section, reserved bytes,
/// sections with unknown tags, and prefixes that follow no rule (see parts_of). A file without
/// those comes out byte for byte. Refused is only what a container can't number, such as 65,536
/// instructions.
[[nodiscard]] result<pool<std::byte>> write(const model& f, const write_options& options = {});
[[nodiscard]] error write(const model& f, const sink& to, const write_options& options = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/check.hpp"
#include "detail/sink.hpp"
#include "detail/write.hpp"
#endif

#endif  // TESSERA_NAC_WRITE_HPP
