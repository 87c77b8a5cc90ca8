// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Draws model graphs.
//
//   const tessera::ark::model* ranks[] = {&model};
//   tessera::inspect::picture p = tessera::inspect::draw(ranks, {.fold = true});
//   tessera::text for_browsers = tessera::inspect::svg(p);  // or dot(p), for Graphviz
//
//   box              an operation: Type, name, arguments, what it makes; coloured by its kind
//   dashed box       a view
//   ellipse          an input or an output of the model (see flow.hpp)
//   frame            a node of several operations; a rank, when there are several
//   solid arrow      an edge of the file
//   thin arrow       from an input, to an output
//   dotted arrow     an order that only shared memory imposes, and no path of edges
//   dashed arrow     from a send to its receive, on another rank
//
// The same graphs give the same picture.
//
// Lifetime:   values.
// Errors:     none: any model that was read is accepted.
// Limits:     `max_steps` of looking for paths; from there on dotted arrows are left out.
// Allocation: linear in the graphs.

#ifndef TESSERA_INSPECT_ARK_DOT_HPP
#define TESSERA_INSPECT_ARK_DOT_HPP

#include <cstdint>
#include <span>

#include "../../ark.hpp"
#include "../picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How a model graph is drawn.
struct draw_options {
  bool fold = false;  ///< compositions as one box each (see fold.hpp)
  std::uint64_t max_steps = std::uint64_t{1} << 24;  ///< of looking for paths of edges
};
/// Draws all ranks of a model, or one.
[[nodiscard]] picture draw(std::span<const ark::model* const> ranks,
                           const draw_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_ARK_DOT_HPP
