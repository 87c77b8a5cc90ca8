// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <string_view>
#include "support/catch.hpp"

#include "tessera/inspect/picture.hpp"

namespace {

using namespace tessera::inspect;

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Two boxes of which one has a name that would be markup, in a frame with one too.
picture evil(const std::string& name) {
  picture p;
  p.frames = {{"0", name}};
  p.nodes.resize(2);
  p.nodes[0].id = "a";
  p.nodes[0].lines = {{name}, {name, "#606060"}};
  p.nodes[0].tooltip = name;
  p.nodes[0].frame = 0;
  p.nodes[1].id = "b";
  p.nodes[1].form = shape::ellipse;
  p.edges = {{0, 1}};
  p.edges[0].label = p.edges[0].tooltip = name;
  return p;
}

}  // namespace

TEST_CASE("svg: what names hold is text", "[inspect_picture]") {
  for (const std::string name :
       {"<script>alert(1)</script>", "</text></svg>", "a\"b'c", "--> ]]>", "&amp;", "\x1b[31m",
        "\xE2\x80\xAE"
        "abc",
        "\xff\xfe"}) {
    const picture p = evil(name);
    const tessera::text drawn = svg(p), graph = dot(p);
    for (const std::string_view out : {drawn.view(), graph.view()}) {
      INFO(out);
      CHECK(count(out, "<script") == 0);
      CHECK(count(out, "\x1b") == 0);
      CHECK(count(out, "\xE2\x80\xAE") == 0);
      CHECK(count(out, "\xff") == 0);
    }
    CHECK(count(drawn.view(), "</svg>") == 1);
    CHECK(count(drawn.view(), "<text") == count(drawn.view(), "</text>"));
    CHECK(count(drawn.view(), "<g>") == 3);
  }
}

TEST_CASE("svg: shapes, outlines and arrows", "[inspect_picture]") {
  picture p = evil("name");
  p.nodes[0].is_thick = true;
  p.nodes[0].outline = stroke::dashed;
  p.edges[0].style = stroke::dotted;
  p.edges[0].colour = "#b03030";
  const tessera::text out = svg(p);
  const std::string_view drawn = out.view();
  CHECK(count(drawn, "<ellipse") == 1);
  CHECK(count(drawn, "stroke-width=\"2\" stroke-dasharray=\"5 3\"/>") == 1);
  CHECK(count(drawn, "stroke-dasharray=\"1.5 3\"") == 1);
  CHECK(count(drawn, "style=\"stroke: #b03030\"") == 1);
  CHECK(count(drawn, "style=\"fill: #b03030\"") == 1);
  CHECK(count(drawn, "class=\"head\"") == 1);
  CHECK(count(drawn, ">name</text>") == 4);
  const tessera::text again = svg(p);
  CHECK(again.view() == drawn);
}

TEST_CASE("dot: frames, outlines and attributes", "[inspect_picture]") {
  picture p = evil("x<y");
  p.edges[0].from_frame = 0;
  p.edges[0].orders = false;
  const tessera::text out = dot(p);
  CHECK(count(out.view(), "graph [compound=true, ordering=in, ") == 1);
  CHECK(count(out.view(), "  subgraph cluster_0 {\n    label=<x&lt;y>; labeljust=l;") == 1);
  CHECK(count(out.view(), "constraint=\"false\"") == 1);
  CHECK(count(out.view(), "ltail=\"cluster_0\"") == 1);
  CHECK(count(out.view(), "  b [shape=ellipse, label=<") == 1);
}
