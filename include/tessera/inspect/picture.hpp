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

enum class shape : std::uint8_t { box, ellipse, words };
enum class stroke : std::uint8_t { solid, dashed, dotted };

struct picture {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct line {
    std::string text;
    std::string_view colour = "#1a1a1a";
    bool is_bold = false;
  };
  struct node {
    std::string id;
    std::vector<line> lines;  ///< the first is the largest
    std::string_view fill = "#f4f4f4", border = "#8a8a8a";
    std::string tooltip = {};
    std::uint32_t frame = none;
    shape form = shape::box;
    stroke outline = stroke::solid;
    bool is_small = false;  ///< with little space around its lines
    bool is_thick = false;  ///< with a thick border
  };
  struct edge {
    std::uint32_t from = 0, to = 0;  ///< nodes
    std::string_view colour = "#404040";
    stroke style = stroke::solid;
    bool is_thin = false;
    bool orders = true;      ///< whether `to` is placed below `from`
    std::string label = {};  ///< at its head
    std::string tooltip = {};
    std::uint32_t from_frame = none;  ///< the frame with `from` that it starts at instead
  };
  struct frame {
    std::string id, label;
    std::string_view colour = "#808080";
    std::uint32_t parent = none;  ///< an earlier frame
  };

  std::string_view title = "graph";  ///< a word
  std::vector<node> nodes;
  std::vector<edge> edges;
  std::vector<frame> frames;
};

/// The picture in Graphviz's language.
[[nodiscard]] text dot(const picture& p);
/// The picture as SVG.
[[nodiscard]] text svg(const picture& p);

struct box {
  double left = 0, top = 0, width = 0, height = 0;
};
struct point {
  double x = 0, y = 0;
};
/// Where `svg` puts things, in points.
struct layout {
  std::vector<box> nodes, frames;
  std::vector<std::vector<point>> edges;  ///< from the tail to the head; straight or smooth between
  double width = 0, height = 0;
};
[[nodiscard]] layout lay_out(const picture& p);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PICTURE_HPP
