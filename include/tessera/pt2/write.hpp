// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Writes an archive that torch.export.load accepts: the members that were read, with the JSON of
// the program, of its weights and of its constants made anew from the model.
//
//   auto archive = pt2::write(*model);                    // a pool of bytes, or to a sink
//   if (!archive) return fail(describe(archive.error(), mapped));
//
// The layout is PyTorch's own: members in their order, stored, each content at a multiple of 64,
// data descriptors, zip64 records, no times. Deflated members that were never opened stay deflated.
// An archive of PyTorch 2.13 survives read() and write() byte for byte, but for unknown members of
// JSON objects, which are dropped, and the order of members of the known ones.
//
// What was read from an archive of PyTorch 2.5 to 2.8 is written in the container of 2.9, without
// pickles but for the sample inputs. Its schema becomes 8.20 if it was 7: expressions change their
// notation, the list of results of control flow becomes single ones, and what version 8 adds has
// its defaults. So an archive of 2.5 can be loaded by PyTorch 2.13.
//
// Lifetime:   nothing is kept; contents go to a sink without a copy.
// Errors:     before the first byte: pt2_index; pt2_checksum at a member; pt2_write_programs for
//             several programs with pickled weights; pt2_expression for one of schema 7 that isn't
//             an expression; json_* never. Later pt2_write_stopped, with the offset 0, when `put`
//             returned false.
// Limits:     none.
// Allocation: the JSON, at most twice, and 64 bytes for each member; without a sink the archive,
//             once.

#ifndef TESSERA_PT2_WRITE_HPP
#define TESSERA_PT2_WRITE_HPP

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// Takes an archive piece by piece.
struct sink {
  void* context = nullptr;                            ///< passed to `put`
  bool (*put)(void* context, bytes piece) = nullptr;  ///< false stops the writer
};

/// How an archive is written.
struct write_options {
  bool checksums = true;  ///< check those of all contents before the first byte
};

/// Writes an archive into a pool, or piece by piece to a sink.
[[nodiscard]] result<pool<std::byte>> write(const model& m, const write_options& options = {});
[[nodiscard]] error write(const model& m, const sink& to, const write_options& options = {});

/// The JSON of the program, as PyTorch lays it out.
[[nodiscard]] text write_program(const model& m);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/write.hpp"
#endif

#endif  // TESSERA_PT2_WRITE_HPP
