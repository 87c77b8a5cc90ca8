// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Draws a stream of NAC v1.2.
//
//   tessera::inspect::picture p = tessera::inspect::draw(program.stream(), program.library());
//   tessera::text for_browsers = tessera::inspect::svg(p);  // or dot(p), for Graphviz
//
//   box              an operation with its constants, coloured by its kind
//   purple box       a PATTERN: its id, how many nodes it is, and which operations. A stream that
//                    genome::expand made has none, and shows each of their nodes
//   small ellipse    a parameter
//   ellipse          an input, or the output of the network; "4 x", a COPY of inputs or parameters
//   arrow            a result that a node takes, by D
//   frame            a block of an IF or WHILE
//
// The same stream gives the same picture.
//
// Lifetime:   values.
// Errors:     none: a verified stream, or what expand() makes of one.
// Limits:     12 operations of a pattern are named, 8 constants of a group shown.
// Allocation: linear in the nodes.

#ifndef TESSERA_INSPECT_GENOME_DOT_HPP
#define TESSERA_INSPECT_GENOME_DOT_HPP

#include "../../genome.hpp"
#include "../picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// How a stream is drawn.
struct stream_draw_options {
  bool parameters = true;  ///< else CONST_REFs are left out
};
/// Draws a stream; `library` has the names of its operations, constants and patterns.
[[nodiscard]] picture draw(const genome::stream_view& stream, const genome::library& library,
                           const stream_draw_options& options = {});

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_GENOME_DOT_HPP
