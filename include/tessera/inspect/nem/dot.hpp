// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Draws the tasks of a NEM program and their order.
//
//   tessera::inspect::picture p = tessera::inspect::draw(program, {.expand = true});
//   tessera::text for_browsers = tessera::inspect::svg(p);  // or dot(p), for Graphviz
//
//   box             a task: its opcode, operands and token; coloured by the unit that executes it;
//                   with a bold line when it is .sync, so that all tasks after it wait
//   solid arrow     a dependency (deps)
//   dashed arrow    an order that a wait, a .sync task or the end of a loop makes
//   red             what `findings` are about
//   frame           a loop, with its bounds and how many iterations may be in flight; when they are
//                   expanded, frames of its iterations inside
//
// The same program gives the same picture.
//
// Lifetime:   values.
// Errors:     none, for any verified program.
// Limits:     max_tasks; a note in the graph if there are more.
// Allocation: linear in the tasks drawn.

#ifndef TESSERA_INSPECT_NEM_DOT_HPP
#define TESSERA_INSPECT_NEM_DOT_HPP

#include <cstdint>

#include "../../nem.hpp"
#include "../picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How a program is drawn.
struct task_draw_options {
  bool expand = false;             ///< every iteration, not just the first of each loop
  std::uint64_t max_tasks = 2000;  ///< and frames
  /// Of the program's file: tasks that errors and warnings are about are red, and a red arrow, with
  /// the rule's id, joins the two of a race.
  const report* findings = nullptr;
};
/// Draws a program.
[[nodiscard]] picture draw(const nem::program& p, const task_draw_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_NEM_DOT_HPP
