// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The front end of section 1.2 of NAC's specification: exported programs of PyTorch become NAC
// containers.
//
//   auto made = tessera::transform::import(program, {}, &found);      // of pt2::verify
//   if (!made) return fail(describe(found, {&file, 1}));
//   auto container = nac::write(made->parts);
//
//   node              an instruction of the same name, such as aten.conv2d.default; nac.add and the
//                     like where the container's version predefines that operation
//   arguments         by position: those that the archive leaves out before others have their
//                     defaults. Lists with results among their numbers are stacked, if a row of
//                     arguments doesn't say the same
//   in-place forms    keep their names: the machine knows what views they change. reshape and the like
//                     of what is written are a view or a copy, as the archive's strides say
//   several results   a list, of which getitem takes those that are used
//   sizes             results of aten.sym_size.int and _operator.*
//   parameters        those that are used, by their names; tied ones once. So are buffers and lifted
//                     constants. Views of larger storages are gathered while the container is written
//   changed buffers   keep their value for later runs: a state (INPUT 2) of shape [1, 1, n, 1] holds it.
//                     NAC's states begin empty in dimension 2, so that a CONTROL_FLOW chooses between
//                     the archive's value and the state's. Without `states`: for the rest of a run
//   complex numbers   pairs of real ones in a last dimension of two, wherever a container stores them:
//                     in parameters, states, inputs and outputs
//   cond              CONTROL_FLOW
//   map, scan         their bodies, as often as the first dimension of what they run over is long
//   while_loop        likewise, if its condition only depends on constants and counters
//   autocast          the body, with casts of operands where the recorded types show them; bodies that
//                     only say whether there are gradients are inlined, too
//   assertions        are left out; nothing checks them at run time
//   outputs           tensors and numbers; None is left out
//
// Lifetime:   borrows the program and the archive's bytes, until the container is written.
// Errors:     pt2_import_*, at the node in the archive, with its module and its line of Python: loops
//             of an unknown number of steps, lists of lists as arguments, element types that NAC
//             lacks, more than 65,535 instructions, 224 operations beyond the predefined ones, 256
//             signatures or 32,767 constants.
// Limits:     those of the format.
// Allocation: linear in the nodes; no weight is copied.

#ifndef TESSERA_TRANSFORM_IMPORT_HPP
#define TESSERA_TRANSFORM_IMPORT_HPP

#include <cstdint>
#include <memory>

#include "../core/report.hpp"
#include "../core/result.hpp"
#include "../nac/parts.hpp"
#include "../pt2.hpp"

namespace tessera::inline TESSERA_ABI {
namespace transform {

/// How import() makes a container, and how much it reports.
struct import_options {
  nac::header form = nac::header::v1_8;  ///< the version of the container
  bool states = true;  ///< what the program changes in its buffers is kept for later runs
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
};

/// Views of storages whose elements aren't in row-major order there.
class gathered_views;

/// A container that is ready to be written.
struct imported {
  nac::parts parts;  ///< for nac::write; its payloads borrow the archive's bytes, or `views`
  std::shared_ptr<const gathered_views> views;  ///< what payloads with a source read
};

/// Makes a container of an exported program. `found` receives everything that can't be expressed, not
/// only the first.
[[nodiscard]] result<imported> import(const pt2::program& p, const import_options& options = {},
                                      report* found = nullptr);

}  // namespace transform
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_TRANSFORM_IMPORT_HPP
