// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Draws a container's program.
//
//   tessera::inspect::picture p = tessera::inspect::draw(tessera::inspect::lookup(file));
//   tessera::text for_browsers = tessera::inspect::svg(p);  // or dot(p), for Graphviz
//
//   box              an instruction: its index, operation, constants; coloured by its kind
//   small ellipse    a parameter: name, type, shape
//   ellipse          an input or the output of the model
//   arrow            a result that is an argument; its head says which one where there are several
//   red box          an instruction that refers to something that isn't there
//   frame            the training section
//   grey text        with `schedule`: the memory commands of the instruction
//   dashed arrow     with `schedule`: a result that is forwarded rather than kept
//   blue text        with `shapes`: the type and shape of the result
//   long box         with `fold`: instructions of which each has the result of the one before as its
//                    only input, and is the only one to read it; parameters are named in their box
//
// The same file gives the same picture.
//
// Lifetime:   values.
// Errors:     none: any container that was read is accepted.
// Limits:     none.
// Allocation: linear in the instructions.

#ifndef TESSERA_INSPECT_NAC_DOT_HPP
#define TESSERA_INSPECT_NAC_DOT_HPP

#include <span>
#include <string>

#include "../picture.hpp"
#include "lookup.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How a program is drawn; see the top of this file.
struct program_draw_options {
  bool schedule = false;                     ///< shows the memory schedule
  bool parameters = true;                    ///< else parameters are left out
  bool fold = false;                         ///< chains of instructions as one box each
  std::span<const std::string> shapes = {};  ///< by instruction: "f32 [1, 64]"; or none
};
/// Draws the instructions of a container.
[[nodiscard]] picture draw(const lookup& program, const program_draw_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NAC_DOT_HPP
