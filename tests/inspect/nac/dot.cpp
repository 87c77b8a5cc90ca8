// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "tessera/inspect/nac/dot.hpp"

#include <string>

#include "containers.hpp"

namespace {

using namespace nac_tools_tests;

std::string drawn(const lookup& at, tessera::inspect::program_draw_options options = {}) {
  const tessera::text out = tessera::inspect::dot(tessera::inspect::draw(at, options));
  return std::string(out.view());
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("nac/dot: a node for each instruction, an arrow for each result taken", "[inspect_nac]") {
  const container c(layers);
  const std::string all = drawn(c);
  CHECK(count(all, "tooltip=") == 9);
  CHECK(count(all, " -> ") == 2 * 4 + 1 + 1);
  CHECK(count(all, "  v6 -> v7;\n") == 1);
  CHECK(count(all, "  v1 -> v5 [headlabel=\"2\"") == 1);
  CHECK(count(all, ">[1, -1]<") == 1);
  CHECK(count(all, "label=<w<BR/>") == 1);
  CHECK(count(all, "#f7caca") == 0);
  CHECK(count(all, "dashed") == 0);
  CHECK(drawn(c) == all);

  const std::string bare = drawn(c, {.parameters = false});
  CHECK(count(bare, "tooltip=") == 7);
  CHECK(count(bare, " -> ") == 6);

  const std::string scheduled = drawn(c, {.schedule = true});
  CHECK(count(scheduled, ">forward v4<") == 1);
  CHECK(count(scheduled, ">free v4<") == 1);
  CHECK(count(scheduled, "dashed") == 1);
  CHECK(count(scheduled,
              "  v2 -> v4 [headlabel=\"1\", labelfontsize=\"8\", "
              "labelfontcolor=\"#8a8a8a\", style=\"dashed\"];\n") == 1);
}

TEST_CASE("nac/dot: folded, a box for each chain; shapes", "[inspect_nac]") {
  const container c(R"(nac 1.8
parameters:
  1 = "w"
tensors:
  1 = f32 [2] hex { 0000803f 00000040 }
code:
  x = input
  w = parameter 1
  a = nac.mul(x, w)
  b = nac.add(a, 1)
  c = nac.neg(b)
  d = nac.add(c, c)
  e = nac.add(d, b)
  output(e)
)");
  const std::string folded = drawn(c, {.fold = true});
  // a, b are one box; b is read twice, so c begins another, which d joins.
  CHECK(count(folded, "tooltip=") == 5);
  CHECK(count(folded, ">w<") == 1);
  CHECK(count(folded, "  v2 -> v4") == 1);
  CHECK(count(folded, "  v2 -> v6") == 1);
  CHECK(count(folded, "  v4 -> v6") == 1);
  CHECK(count(folded, " -> ") == 5);
  CHECK(drawn(c, {.parameters = false, .fold = true}).find(">w<") == std::string::npos);

  const std::string shapes[] = {"f32 [1]", "", "f32 [2]", "f32 [3]"};
  const std::string shaped = drawn(c, {.fold = true, .shapes = shapes});
  CHECK(count(shaped, ">f32 [1]<") == 1);
  CHECK(count(shaped, ">f32 [2]<") == 0);  // inside a box
  CHECK(count(shaped, ">f32 [3]<") == 1);
  CHECK(count(drawn(c, {.shapes = shapes}), ">f32 [2]<") == 2);
  const std::string of_parameter[] = {"", "f32 [9]"};  // says it already
  CHECK(count(drawn(c, {.shapes = of_parameter}), "f32 [9]") == 0);
}

TEST_CASE("nac/dot: names are escaped, broken references red, training framed", "[inspect_nac]") {
  const container c(R"(nac 1.8
operations:
  40 = "a<b>&\"c\""
input_names:
  0 = "x<y"
code:
  v0 = input
  v1 = op 40()
  v2 = raw 11 1 d [0, -100]
  v3 = output(v0)
signatures:
  1 = "TT"
training:
  v0 = lifted 1
  v1 = end_training(v0)
)");
  const std::string all = drawn(c);
  CHECK(count(all, "a&lt;b&gt;&amp;&quot;c&quot;") == 1);
  CHECK(count(all, "x&lt;y") == 1);
  CHECK(count(all, "#f7caca") == 1);
  CHECK(count(all, "subgraph cluster_training {") == 1);
  CHECK(count(all, "  t0 -> t1;\n") == 1);
}
