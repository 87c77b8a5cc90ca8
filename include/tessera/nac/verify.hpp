// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The proof that a NAC container is valid, and the only maker of nac::program.
//
//   nac::report found;
//   auto program = nac::verify(*file, {}, &found);
//   if (!program) …                     // `found` says why; program.error() is the first error
//
// Proven of a program, checked in this order:
//
//   tables      ids stand once in each (warning: the last record counts)
//   OPS         there is one; references lead backwards, constants exist (nac/resolve.hpp);
//               operations are named, and those that are known (nac/operations.hpp; of others it
//               warns, and machines refuse them) have arguments that they take;
//               INPUT and OUTPUT are of OPS; branches end inside the one around them
//   DATA        sizes, types and scales of tensors agree with their metadata; names are of inputs,
//               of which there are as many as the header counts; each parameter that is asked for
//               has a name and a tensor; external ones are found by their names
//   MMAP        which commands change no result; of the others it warns (nac/rules_schedule.hpp)
//   RSRC, ARRS  each name once; arrays have the size of their shape
//   ORCH, PROC  the plan and the manifest decode (nac/execution_plan_verify.hpp, nac/tokenizer.hpp)
//   TRNG        the structure alone: nothing says what its operations mean
//   header      reserved bytes are 0, sections end where their records do (warnings)
//
// Left to who runs it: shapes, data types and values, which results decide; a result of a branch
// that is taken from outside when the branch wasn't run (warning); plans and their slots.
//
// No element of a tensor is read.
//
// Lifetime:   the program borrows the bytes of the file and the external weights. The file itself
//             is a view, of which the program holds a copy: a temporary is fine.
// Errors:     the first finding that is an error: nac_no_instructions to nac_training_version,
//             nac_mep_*, nac_tisa_*, too_many_items, input_too_large. Offsets count in the container,
//             those of external tensors too: they are where the parameter is named.
// Limits:     verify_options::limit, of which max_items holds for each list of instructions.
// Allocation: the program's (nac/program.hpp), 17 bytes for an instruction, 16 more for an INPUT,
//             and 64 for the name of a resource or array.

#ifndef TESSERA_NAC_VERIFY_HPP
#define TESSERA_NAC_VERIFY_HPP

#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../version.hpp"
#include "model.hpp"
#include "program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A program, if `f` has no errors; `found` gets all findings, after those that it holds.
[[nodiscard]] result<program> verify(const model& f, const verify_options& options = {},
                                     report* found = nullptr);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/verify.hpp"
#endif

#endif  // TESSERA_NAC_VERIFY_HPP
