// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Draws the operations of an ALIR program and what flows between them.
//
//   tessera::inspect::picture p = tessera::inspect::draw(program, {.fold = true});
//   tessera::text for_browsers = tessera::inspect::svg(p);  // or dot(p), for Graphviz
//
//   frame          a stage: the operations whose latencies begin with the same integer; where the
//                  file has no latencies, those of one depth
//   box            an operation: opcode and type; bold: on the critical path. Folded: all
//                  operations of a stage that are needed by the same output only, or by several
//   ellipse        an input, an output
//   arrow          a value; dashed: to the condition of a mux. Folded: with how many there are
//
// The same program gives the same picture.
//
// Lifetime:   values.
// Errors:     none: any program.
// Limits:     max_operations and as many ports; of more a box says how many they are.
// Allocation: linear in the operations.

#ifndef TESSERA_INSPECT_ALIR_DOT_HPP
#define TESSERA_INSPECT_ALIR_DOT_HPP

#include <cstdint>

#include "../../alir.hpp"
#include "../picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How a program is drawn.
struct alir_draw_options {
  bool fold = false;                    ///< operations of a stage as few boxes
  std::uint32_t max_operations = 2000;  ///< boxes; one more says how many operations are left out
};
/// Draws a program.
[[nodiscard]] picture draw(const alir::program& p, const alir_draw_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ALIR_DOT_HPP
