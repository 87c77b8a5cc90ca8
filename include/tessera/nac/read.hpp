// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// NAC containers from bytes: versions 1.6, 1.7 and 1.8, in one pass and without a copy.
//
//   auto model = tessera::nac::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   // model.nac: error: the section ends inside a record
//   //   [nac_truncated] at OPS, instruction 3 (aten.add.Tensor), offset 812 (0x32c)
//   model->section(nac::section::cnst);                   // its bytes
//   for (const nac::tensor t : model->tensors()) use(t);  // read touches no elements
//
// Read in this order; the first error ends reading: the header and the offsets of the
// sections, PERM, CMAP, CNST, MMAP, OPS, DATA, PROC, ORCH, TRNG, RSRC, ARRS.
//
// The version byte doesn't distinguish 1.7 from 1.8: the first section follows the header directly,
// so its offset is the header's size; where there is a gap, the slots that hold offsets of sections
// decide. Sections are what their tags say, whatever slot names them; unknown tags only bound their
// neighbours. Bytes after the last record of a section are skipped.
//
// Of records with the same id, the last counts. A boolean's and a null's length are ignored. A
// constant count below 0 means none.
//
// Lifetime:   the model borrows the bytes.
// Errors:     nac_magic … nac_block_size, too_many_items, input_too_large. The offset is that of
//             the field that is wrong, or of the first that the section is too short for.
// Limits:     max_items, for each list; 4 GiB of CMAP and of PERM. max_bytes is not limited by
//             default, for nothing grows with it.
// Allocation: none.

#ifndef TESSERA_NAC_READ_HPP
#define TESSERA_NAC_READ_HPP

#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/limits.hpp"
#include "../core/result.hpp"
#include "model.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// How containers, and files of weights, are read.
struct read_options {
  /// Here max_items is that of each list; max_bytes isn't limited by default.
  limits limit = {.max_bytes = ~std::uint64_t{0}};
};

/// The model of the container in `in`, all of whose sections and records are complete.
[[nodiscard]] result<model> read(bytes in, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view in, const read_options& options = {}) {
  return read(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the model is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<model> read(Owner&& in, const read_options& = {})
= delete;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/read.hpp"
#endif

#endif  // TESSERA_NAC_READ_HPP
