// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/label.hpp"
#include "inspect/measure.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

namespace {

constexpr std::string_view plain_arrow = "#404040";
constexpr std::string_view outlines[] = {"", "dashed", "dotted"};

[[nodiscard]] std::string_view name_of(stroke s) noexcept {
  return outlines[static_cast<std::size_t>(s)];
}

// ---- Graphviz

class dot_writer {
 public:
  explicit dot_writer(const picture& p) : p_(p), inside_(p.frames.size() + 1) {
    for (std::uint32_t f = 0; f < p.frames.size(); ++f)
      inside_[p.frames[f].parent + 1].push_back(f);
    nodes_.resize(p.frames.size() + 1);
    for (std::uint32_t n = 0; n < p.nodes.size(); ++n) nodes_[p.nodes[n].frame + 1].push_back(n);
  }

  [[nodiscard]] text run() {
    const bool has_loops =
        std::any_of(p_.edges.begin(), p_.edges.end(),
                    [](const picture::edge& e) { return e.from_frame != picture::none; });
    out_ << "digraph " << p_.title << " {\n  graph ["
         << (has_loops ? "compound=true, ordering=in, " : "")
         << "fontname=\"Helvetica\", fontsize=11, nodesep=0.3, ranksep=0.4];\n"
            "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, "
            "margin=\"0.12,0.06\"];\n"
            "  edge [color=\"#404040\", arrowsize=0.7];\n";
    content(0, 1);
    for (const picture::edge& e : p_.edges) edge(e);
    out_ << "}\n";
    return std::move(out_);
  }

 private:
  void content(std::uint32_t level, std::size_t depth) {
    for (const std::uint32_t n : nodes_[level]) {
      indent(depth);
      node(p_.nodes[n]);
    }
    // Graphviz lays frames inside others out from right to left.
    const std::vector<std::uint32_t>& inner = inside_[level];
    for (std::size_t i = 0; i < inner.size(); ++i) {
      const std::uint32_t f = inner[level == 0 ? i : inner.size() - 1 - i];
      indent(depth);
      out_ << "subgraph cluster_" << p_.frames[f].id << " {\n";
      indent(depth + 1);
      out_ << "label=<" << escaped(p_.frames[f].label) << ">; labeljust=l; color=\""
           << p_.frames[f].colour << "\";\n";
      content(f + 1, depth + 1);
      indent(depth);
      out_ << "}\n";
    }
  }

  void node(const picture::node& n) {
    out_ << n.id << " [";
    if (n.form == shape::ellipse) out_ << "shape=ellipse, ";
    if (n.form == shape::words) out_ << "shape=plaintext, style=\"\", ";
    if (n.is_small) out_ << "margin=\"0.04,0.02\", fontsize=9, ";
    out_ << "label=<";
    for (std::size_t i = 0; i < n.lines.size(); ++i) {
      const picture::line& l = n.lines[i];
      if (i != 0) out_ << "<BR/><FONT POINT-SIZE=\"9\" COLOR=\"" << l.colour << "\">";
      if (l.is_bold) out_ << "<B>";
      out_ << escaped(l.text.empty() ? " " : l.text);
      if (l.is_bold) out_ << "</B>";
      if (i != 0) out_ << "</FONT>";
    }
    out_ << '>';
    if (!n.tooltip.empty()) out_ << ", tooltip=\"" << escaped(n.tooltip) << '"';
    if (n.form != shape::words)
      out_ << ", fillcolor=\"" << n.fill << "\", color=\"" << n.border << '"';
    if (n.outline != stroke::solid)
      out_ << ", style=\"filled,rounded," << name_of(n.outline) << '"';
    if (n.is_thick) out_ << ", penwidth=2";
    out_ << "];\n";
  }

  void edge(const picture::edge& e) {
    out_ << "  " << p_.nodes[e.from].id << " -> " << p_.nodes[e.to].id;
    std::string_view between = " [";
    const auto attribute = [&](std::string_view name, std::string_view value) {
      out_ << between << name << "=\"" << value << '"';
      between = ", ";
    };
    if (!e.label.empty()) {
      attribute("headlabel", escaped(e.label));
      attribute("labelfontsize", "8");
      attribute("labelfontcolor", "#8a8a8a");
    }
    if (e.style != stroke::solid) attribute("style", name_of(e.style));
    if (e.colour != plain_arrow) attribute("color", e.colour);
    if (e.is_thin) attribute("penwidth", "0.7");
    if (e.is_thin) attribute("arrowsize", "0.6");
    if (!e.orders) attribute("constraint", "false");
    if (!e.tooltip.empty()) attribute("tooltip", escaped(e.tooltip));
    if (e.from_frame != picture::none) attribute("ltail", "cluster_" + p_.frames[e.from_frame].id);
    out_ << (between == ", " ? "];\n" : ";\n");
  }

  void indent(std::size_t depth) {
    for (std::size_t i = 0; i < depth; ++i) out_ << "  ";
  }

  const picture& p_;
  text out_;
  std::vector<std::vector<std::uint32_t>> inside_, nodes_;  // of the page, then of each frame
};

// ---- SVG

class svg_writer {
 public:
  explicit svg_writer(const picture& p) : p_(p), at_(lay_out(p)) {}

  [[nodiscard]] text run() {
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", at_.width);
    put("\" height=\"", at_.height);
    put("\" viewBox=\"0 0 ", at_.width);
    put(" ", at_.height);
    out_
        << "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"9\" "
           "text-anchor=\"middle\">\n"
           "<style>.page { fill: #ffffff } .arrow { fill: none; stroke: #404040 } .head { fill: "
           "#404040 } .note { fill: #606060; paint-order: stroke; stroke: #ffffff; stroke-width: 3 "
           "}\n@media (prefers-color-scheme: dark) { .page { fill: #16191d } .arrow { stroke: "
           "#a8b0b8 } .head { fill: #a8b0b8 } .note { fill: #a8b0b8; stroke: #16191d } }</style>\n"
           "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
    for (std::uint32_t f = 0; f < p_.frames.size(); ++f) frame(p_.frames[f], at_.frames[f]);
    for (std::uint32_t e = 0; e < p_.edges.size(); ++e) edge(p_.edges[e], at_.edges[e]);
    for (std::uint32_t f = 0; f < p_.frames.size(); ++f) title(p_.frames[f], at_.frames[f]);
    for (std::uint32_t n = 0; n < p_.nodes.size(); ++n) node(p_.nodes[n], at_.nodes[n]);
    for (std::uint32_t e = 0; e < p_.edges.size(); ++e) free_label(p_.edges[e], at_.edges[e]);
    out_ << "</svg>\n";
    return std::move(out_);
  }

 private:
  void put(std::string_view before, double v) {
    out_ << before;
    put_fixed(out_, v, 1);
  }

  void frame(const picture::frame& f, const box& b) {
    put("<rect x=\"", b.left);
    put("\" y=\"", b.top);
    put("\" width=\"", b.width);
    put("\" height=\"", b.height);
    out_ << "\" rx=\"4\" fill=\"none\" stroke=\"" << f.colour << "\"/>\n";
  }
  void title(const picture::frame& f, const box& b) {
    put("<text class=\"note\" font-size=\"11\" text-anchor=\"start\" x=\"", b.left + 10);
    put("\" y=\"", b.top + 16);
    out_ << "\">" << escaped(f.label) << "</text>\n";
  }

  void node(const picture::node& n, const box& b) {
    out_ << "<g>";
    if (!n.tooltip.empty()) out_ << "<title>" << escaped(n.tooltip) << "</title>";
    if (n.form == shape::box) {
      put("<rect x=\"", b.left);
      put("\" y=\"", b.top);
      put("\" width=\"", b.width);
      put("\" height=\"", b.height);
      out_ << "\" rx=\"5\"";
      paint(n);
    } else if (n.form == shape::ellipse) {
      put("<ellipse cx=\"", b.left + b.width / 2);
      put("\" cy=\"", b.top + b.height / 2);
      put("\" rx=\"", b.width / 2);
      put("\" ry=\"", b.height / 2);
      out_ << '"';
      paint(n);
    }
    double high = 0;
    for (std::size_t i = 0; i < n.lines.size(); ++i) high += line_height(font_of(n, i));
    double y = b.top + (b.height - high) / 2;
    for (std::size_t i = 0; i < n.lines.size(); ++i) {
      const unsigned size = font_of(n, i);
      put("<text x=\"", b.left + b.width / 2);
      put("\" y=\"", y + size);
      out_ << '"';
      if (size != 9) out_ << " font-size=\"" << size << '"';
      if (n.lines[i].is_bold) out_ << " font-weight=\"bold\"";
      if (n.form == shape::words)
        out_ << " class=\"note\"";
      else
        out_ << " fill=\"" << n.lines[i].colour << '"';
      out_ << '>' << escaped(n.lines[i].text) << "</text>";
      y += line_height(size);
    }
    out_ << "</g>\n";
  }
  void paint(const picture::node& n) {
    out_ << " fill=\"" << n.fill << "\" stroke=\"" << n.border << '"';
    if (n.is_thick) out_ << " stroke-width=\"2\"";
    dashes(n.outline);
    out_ << "/>";
  }
  void dashes(stroke s) {
    if (s != stroke::solid)
      out_ << " stroke-dasharray=\"" << (s == stroke::dashed ? "5 3" : "1.5 3") << '"';
  }

  void edge(const picture::edge& e, const std::vector<point>& way) {
    if (way.size() < 2) return;
    // The line ends where the head begins.
    const double size = e.is_thin ? 5 : 6;
    const point end = way.back(), before = way[way.size() - 2];
    const double dx = e.orders ? 0 : end.x - before.x;
    const double dy = e.orders ? (end.y < before.y ? -1 : 1) : end.y - before.y;
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    const point to{dx / length, dy / length};
    const point neck{end.x - to.x * size, end.y - to.y * size};

    const bool is_plain = e.colour == plain_arrow;
    out_ << "<g>";
    if (!e.tooltip.empty()) out_ << "<title>" << escaped(e.tooltip) << "</title>";
    put("<path class=\"arrow\" d=\"M", way[0].x);
    put(" ", way[0].y);
    for (std::size_t i = 1; i < way.size(); ++i) {
      const point a = way[i - 1], b = i + 1 == way.size() ? neck : way[i];
      if (a.x == b.x || !e.orders) {
        put("L", b.x);
        put(" ", b.y);
        continue;
      }
      const double middle = (a.y + b.y) / 2;
      put("C", a.x);
      put(" ", middle);
      put(" ", b.x);
      put(" ", middle);
      put(" ", b.x);
      put(" ", b.y);
    }
    out_ << '"';
    if (!is_plain) out_ << " style=\"stroke: " << e.colour << '"';
    if (e.is_thin) out_ << " stroke-width=\"0.7\"";
    dashes(e.style);
    const double half = size * 0.4;
    put("/><path class=\"head\" d=\"M", end.x);
    put(" ", end.y);
    put("L", neck.x - to.y * half);
    put(" ", neck.y + to.x * half);
    put("L", neck.x + to.y * half);
    put(" ", neck.y - to.x * half);
    out_ << "Z\"";
    if (!is_plain) out_ << " style=\"fill: " << e.colour << '"';
    out_ << "/>";
    if (!e.label.empty() && e.orders) label(e, {end.x + 3, end.y - 2}, "start");
    out_ << "</g>\n";
  }

  void label(const picture::edge& e, point at, std::string_view anchor) {
    out_ << "<text class=\"note\" font-size=\"7\" text-anchor=\"" << anchor;
    put("\" x=\"", at.x);
    put("\" y=\"", at.y);
    out_ << "\">" << escaped(e.label) << "</text>";
  }
  /// The label of an arrow that may lie anywhere is beside its middle, above all else.
  void free_label(const picture::edge& e, const std::vector<point>& way) {
    if (e.orders || e.label.empty() || way.size() < 2) return;
    label(e, {(way.front().x + way.back().x) / 2, (way.front().y + way.back().y) / 2 - 4},
          "middle");
    out_ << '\n';
  }

  const picture& p_;
  const layout at_;
  text out_;
};

}  // namespace

text dot(const picture& p) { return dot_writer(p).run(); }
text svg(const picture& p) { return svg_writer(p).run(); }

double width_of(std::string_view s, unsigned size, bool is_bold) noexcept {
  double ems = 0;
  std::size_t letters = 0;
  for (const char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0u) == 0x80u) continue;
    if (++letters > longest_label) {
      ems += 1;  // the ellipsis
      break;
    }
    if (std::string_view("ijlI.,:;'|!()[]ft /").find(c) != std::string_view::npos)
      ems += 0.32;
    else if (std::string_view("mwMW@%").find(c) != std::string_view::npos)
      ems += 0.9;
    else if (c >= 'A' && c <= 'Z')
      ems += 0.7;
    else
      ems += byte < 0x80 ? 0.57 : byte < 0xe0 ? 0.65 : 1;
  }
  return ems * size * (is_bold ? 1.12 : 1);
}

unsigned font_of(const picture::node& n, std::size_t line) noexcept {
  return line == 0 && !n.is_small ? 11 : 9;
}

double line_height(unsigned size) noexcept { return 1.25 * size; }

extent measure(const picture::node& n) noexcept {
  extent e{0, 0};
  for (std::size_t i = 0; i < n.lines.size(); ++i) {
    const picture::line& l = n.lines[i];
    e.width = std::max(e.width, width_of(l.text, font_of(n, i), l.is_bold));
    e.height += line_height(font_of(n, i));
  }
  const double across = n.is_small ? 8 : 18, along = n.is_small ? 4 : 9;
  // An ellipse around a rectangle of text is wider by the square root of two, nearly.
  const double round = n.form == shape::ellipse ? 1.25 : 1;
  return {e.width * round + across, e.height * round + along};
}

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI
