// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pictures of graphs: what `draw` makes of a model, a container or a program, and how it is written.
//
//   const tessera::inspect::picture p = tessera::inspect::draw(program);
//   const tessera::text for_graphviz = tessera::inspect::dot(p);
//   const tessera::text for_browsers = tessera::inspect::svg(p);
//
// SVG is laid out here, in layers: each node is placed below everything it depends on, frames and nodes
// don't overlap, and a cycle's last arrow leads up. The same picture gives the same bytes, whatever
// its nodes are called.
//
// Lifetime:   values; colours and titles are literals, or live as long as the picture.
// Errors:     none; what names hold is shown as text (see label.hpp).
// Limits:     `svg` orders layers for up to 2^22 crossings of arrows and layers; beyond that arrows
//             still lead down, with more crossings.
// Allocation: linear in nodes, and in arrows times the layers that they cross.

#ifndef TESSERA_INSPECT_PICTURE_HPP
#define TESSERA_INSPECT_PICTURE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../core/text.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// The form of a node: a box with round corners, an ellipse, or only its words.
enum class shape : std::uint8_t { box, ellipse, words };
/// How a line is drawn.
enum class stroke : std::uint8_t { solid, dashed, dotted };

/// A graph and what it looks like. Nodes and frames are referred to by index; colours are those of SVG.
struct picture {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no frame

  /// A line of a node's words.
  struct line {
    std::string text;                     ///< any; longer ones are shortened to 48 characters
    std::string_view colour = "#1a1a1a";  ///< of the letters
    bool is_bold = false;                 ///< in bold letters
  };
  /// A node: lines of words, and what is around them.
  struct node {
    std::string id;           ///< unique among the nodes: letters, digits and underscores
    std::vector<line> lines;  ///< the first is the largest
    std::string_view fill = "#f4f4f4", border = "#8a8a8a";  ///< colours; of `words` neither is seen
    std::string tooltip = {};        ///< shown when the pointer is on the node; empty: none
    std::uint32_t frame = none;      ///< the innermost frame around it
    shape form = shape::box;         ///< of its border
    stroke outline = stroke::solid;  ///< of its border
    bool is_small = false;           ///< with little space around its lines
    bool is_thick = false;           ///< with a thick border
  };
  /// An arrow from a node to another one.
  struct edge {
    std::uint32_t from = 0, to = 0;       ///< nodes
    std::string_view colour = "#404040";  ///< of the line and the head
    stroke style = stroke::solid;         ///< of the line
    bool is_thin = false;                 ///< a thin line with a small head
    bool orders = true;                   ///< whether `to` is placed below `from`
    std::string label = {};               ///< at its head
    std::string tooltip = {};             ///< shown when the pointer is on it; empty: none
    std::uint32_t from_frame = none;      ///< the frame with `from` that it starts at instead
  };
  /// A box around nodes and other frames.
  struct frame {
    std::string id, label;                ///< unique among the frames; and its title, at its top
    std::string_view colour = "#808080";  ///< of its border
    std::uint32_t parent = none;          ///< an earlier frame
  };

  std::string_view title = "graph";  ///< a word
  std::vector<node> nodes;           ///< edges refer to them by index
  std::vector<edge> edges;           ///< two nodes may have several
  std::vector<frame> frames;         ///< each after the one around it
};

/// The picture in Graphviz's language.
[[nodiscard]] text dot(const picture& p);
/// The picture as SVG.
[[nodiscard]] text svg(const picture& p);

/// A rectangle of a layout.
struct box {
  double left = 0, top = 0, width = 0, height = 0;  ///< in points
};
/// A place in a layout.
struct point {
  double x = 0, y = 0;  ///< in points, from the left and from the top
};
/// Where `svg` puts things, in points.
struct layout {
  std::vector<box> nodes, frames;         ///< by index
  std::vector<std::vector<point>> edges;  ///< from the tail to the head; straight or smooth between
  double width = 0, height = 0;           ///< of the whole picture
};
/// Lays a picture out in layers, as `svg` draws it.
[[nodiscard]] layout lay_out(const picture& p);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PICTURE_HPP
