// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Pages: what folds, what is in their data, and that no name is more than text in any picture.

#include "tessera/inspect/page.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tessera/core/json.hpp>
#include <tessera/nac/all.hpp>
#include <utility>
#include <vector>

#include "../nac/containers.hpp"
#include "inspect/chrome_trace.hpp"
#include "support/catch.hpp"
#include "support/evil_names.hpp"
#include "tessera/inspect/page_of.hpp"

namespace {

using namespace tessera;
using namespace tessera::inspect;

/// A chain of nodes with these labels.
page::graph chain(const std::vector<std::string>& labels) {
  page::graph g;
  g.name = "chain";
  for (std::uint32_t i = 0; i < labels.size(); ++i) {
    picture::node n;
    n.id = "n" + std::to_string(i);
    n.lines = {{labels[i]}};
    g.drawn.nodes.push_back(std::move(n));
    g.nodes.emplace_back();
    g.nodes.back().line = i;
    if (i != 0) g.drawn.edges.push_back({i - 1, i});
  }
  return g;
}

std::vector<std::string> repeated(std::size_t times) {
  std::vector<std::string> labels{"input", "embed"};
  for (std::size_t i = 0; i < times; ++i)
    for (const char* word : {"norm", "product", "softmax", "product", "add"})
      labels.emplace_back(word);
  labels.emplace_back("output");
  return labels;
}

std::vector<std::string> ids(const page::graph& g) {
  std::vector<std::string> out;
  for (const picture::node& n : g.drawn.nodes) out.push_back(n.id);
  return out;
}

/// The data inside of a page.
std::string data_of(const text& page) {
  const std::string_view all = page.view(), begin = "id=\"data\">";
  const std::size_t first = all.find(begin) + begin.size();
  return std::string(all.substr(first, all.find("</script>", first) - first));
}

bool is_json(std::string_view s) {
  json::reader in(s);
  text out;
  json::writer w(out);
  json::copy(in, w);
  return in.finish().code == errc::ok;
}

std::size_t count(std::string_view in, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t i = in.find(what); i != in.npos; i = in.find(what, i + what.size())) ++n;
  return n;
}

}  // namespace

TEST_CASE("page: blocks are what repeats", "[inspect][page]") {
  const std::vector<block> found = repeated_blocks(chain(repeated(6)).drawn);
  REQUIRE(found.size() == 6);
  for (std::uint32_t i = 0; i < 6; ++i) {
    CHECK(found[i].first == 2 + 5 * i);
    CHECK(found[i].count == 5);
  }
  CHECK(found[1].name == "block 2 of 6");
  // Fewer than four nodes aren't a block, nor is what is less than a third of all.
  CHECK(repeated_blocks(chain({"a", "b", "c", "a", "b", "c", "a", "b", "c"}).drawn).empty());
  std::vector<std::string> mostly(40);
  for (std::size_t i = 0; i < mostly.size(); ++i) mostly[i] = std::to_string(i);
  for (std::size_t i = 0; i < 12; ++i) mostly[20 + i] = std::to_string(i % 4);
  CHECK(repeated_blocks(chain(mostly).drawn).empty());
  mostly[32] = "0", mostly[33] = "1";
  CHECK(repeated_blocks(chain(mostly).drawn).size() == 3);
}

TEST_CASE("page: many nodes without repetitions fold to runs", "[inspect][page]") {
  std::vector<std::string> labels(201);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = std::to_string(i);
  CHECK(repeated_blocks(chain(labels).drawn, 201).empty());
  const std::vector<block> found = repeated_blocks(chain(labels).drawn, 200);
  REQUIRE(found.size() == 11);
  CHECK(found[0].name == "n0 to n19");
  CHECK(found[10].first == 200);
  CHECK(found[10].count == 1);
}

TEST_CASE("page: a folded graph has each node once, and its arrows", "[inspect][page]") {
  page::graph all = chain(repeated(3));
  all.drawn.edges.push_back({1, 9});   // into the second block
  all.drawn.edges.push_back({1, 10});  // the same two ends: one arrow outside, two inside
  all.drawn.edges.push_back({3, 6});   // within the first
  const std::vector<block> blocks{{"first", 2, 5}, {"second", 7, 5}};
  const std::vector<page::graph> made = fold_blocks(std::move(all), blocks);
  REQUIRE(made.size() == 3);
  CHECK(ids(made[0]) == std::vector<std::string>{"n0", "n1", "block0", "block1", "n12", "n13",
                                                 "n14", "n15", "n16", "n17"});
  CHECK(made[0].nodes[2].inner == 1);
  CHECK(made[0].nodes[3].inner == 2);
  CHECK(made[0].nodes[4].line == 12);
  std::set<std::pair<std::uint32_t, std::uint32_t>> outer;
  for (const picture::edge& e : made[0].drawn.edges) CHECK(outer.emplace(e.from, e.to).second);
  CHECK(outer ==
        std::set<std::pair<std::uint32_t, std::uint32_t>>{
            {0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {7, 8}, {8, 9}});
  CHECK(ids(made[1]) ==
        std::vector<std::string>{"n2", "n3", "n4", "n5", "n6", "from_n1", "to_block1"});
  CHECK(ids(made[2]) == std::vector<std::string>{"n7", "n8", "n9", "n10", "n11", "from_block0",
                                                 "to_n12", "from_n1"});
  std::size_t from_n1 = 0;
  for (const picture::edge& e : made[2].drawn.edges) from_n1 += e.from == 7;
  CHECK(from_n1 == 2);
}

TEST_CASE("page: frames go where their nodes go", "[inspect][page]") {
  page::graph all = chain(repeated(1));
  all.drawn.frames = {{"0", "outer"}, {"1", "inner", "#808080", 0}, {"2", "other"}};
  all.drawn.nodes[3].frame = 1;
  all.drawn.nodes[0].frame = 2;
  const std::vector<block> blocks{{"block", 2, 3}};
  const std::vector<page::graph> made = fold_blocks(std::move(all), blocks);
  REQUIRE(made[1].drawn.frames.size() == 2);
  CHECK(made[1].drawn.frames[0].label == "outer");
  CHECK(made[1].drawn.frames[1].parent == 0);
  CHECK(made[1].drawn.nodes[1].frame == 1);
  REQUIRE(made[0].drawn.frames.size() == 1);
  CHECK(made[0].drawn.frames[0].label == "other");
}

TEST_CASE("page: data is JSON, whatever names are", "[inspect][page]") {
  page p;
  p.graphs.push_back(chain({}));
  for (const std::string_view name : tests::evil_names) {
    picture::node n;
    n.id = n.tooltip = std::string(name);
    n.lines = {{std::string(name)}};
    p.graphs[0].drawn.nodes.push_back(std::move(n));
    page::node more;
    more.rows = {{std::string(name), std::string(name)}};
    p.graphs[0].nodes.push_back(std::move(more));
    p.listing += std::string(name) + '\n';
    p.marks.push_back({0, 0, 1, severity::error, std::string(name)});
    p.weights.emplace_back().name = name;
    p.facts.push_back({std::string(name), std::string(name)});
    p.title = name;
    const text made = html(p);
    // As many elements as the page itself has.
    CHECK(count(made.view(), "<script") == 2);
    CHECK(count(made.view(), "</script>") == 2);
    CHECK(count(made.view(), "</title>") == 1);
    const std::string data = data_of(made);
    CHECK(data.find_first_of("<>&") == data.npos);
    const char* const end = made.data() + made.size();
    for (const char* at = made.data(); at != end; at += utf8_length(at, end))
      if (*at != '\n' && unsafe_length(at, end) != 0) FAIL("at " << at - made.data());
    CHECK(is_json(data));
  }
}

TEST_CASE("pictures, traces: names are text", "[inspect][page]") {
  for (const std::string_view name : tests::evil_names) {
    CAPTURE(name);
    picture p;
    picture::node n;
    n.id = "n0";
    n.tooltip = name;
    n.lines = {{std::string(name)}};
    p.nodes = {n, n};
    p.nodes[1].id = "n1";
    p.frames.push_back({"0", std::string(name)});
    picture::edge e{0, 1};
    e.label = e.tooltip = name;
    p.edges.push_back(e);
    const text drawn = svg(p), graph = dot(p);
    for (const std::string_view word : {"<script", "<img", "<b>evil", "<svg onload", "<!--", "\x1B",
                                        "\xE2\x80\xAE", "\xE2\x81\xA6", "\xFF", "\x07"}) {
      CHECK(drawn.view().find(word) == std::string_view::npos);
      CHECK(graph.view().find(word) == std::string_view::npos);
    }
    CHECK(count(drawn.view(), "<svg") == 1);
    // Inside of quotes and of <…> nothing ends them.
    CHECK(count(graph.view(), "\n") == 11);
    text out;
    chrome_trace trace(out);
    trace.name_thread(1, 1, name);
    trace.span(1, 1, 0, 1, {name, name}, {{"name", name}});
    trace.finish();
    CHECK(is_json(out.view()));
    CHECK(count(out.view(), "\n") == 4);
  }
}

TEST_CASE("page: findings are where they are in the text", "[inspect][page]") {
  const std::string_view source = "program p:\nbuffer A : L2 (size=64)\nbuffer B : L9 (size=64)\n";
  report found;
  REQUIRE_FALSE(nem::read(source, {}, &found));
  const page p = page_of(static_cast<const nem::program*>(nullptr), source, &found);
  REQUIRE(p.marks.size() == 1);
  CHECK(p.marks[0].line == 2);
  CHECK(p.marks[0].column == 11);
  CHECK(p.marks[0].length == 2);
  CHECK(p.marks[0].message == "expected DDR, L2 or L1, got 'L9' [SYN-001]");
  CHECK(p.graphs.empty());
}

namespace {

/// Eight layers of three operations, with a scale each; `name` has the parameters' names but the number.
std::string layers_of(const std::string& before, const std::string& after) {
  std::string parameters, tensors, loads, code = "  v8 = input\n";
  std::string last = "v8";
  int next = 9;
  for (int layer = 0; layer < 8; ++layer) {
    const std::string id = std::to_string(layer + 1), load = "v" + std::to_string(layer);
    parameters += "  " + id + " = \"" + before + std::to_string(layer) + after + "\"\n";
    tensors += "  " + id + " = f32 [2] hex { 0000803f 000000c0 }\n";
    loads += "  " + load + " = parameter " + id + "\n";
    for (const std::string& step : {", " + load, std::string(", 1.5"), std::string(", 2.5")}) {
      const std::string made = "v" + std::to_string(next++);
      code += "  " + made + " = nac.mul(" + last + step + ")\n";
      last = made;
    }
  }
  return "nac 1.8\ninputs 1\noutputs 1\nparameters:\n" + parameters + "tensors:\n" + tensors +
         "code:\n" + loads + code + "  v" + std::to_string(next) + " = output(" + last + ")\n";
}

}  // namespace

TEST_CASE("page: of two containers what differs is marked", "[inspect][page]") {
  const std::string text = layers_of("layers.", ".scale");
  const nac_tools_tests::container before(text);
  std::string changed = text;
  changed.replace(changed.find("nac.mul(v15, 1.5)"), 17, "nac.mul(v15, 4.5)");
  changed.replace(changed.find("nac.mul(v16, 2.5)"), 17, "nac.mul(v16, 3.5)");
  const nac_tools_tests::container after(changed);
  const page p = page_of_difference(before, after);
  const auto rows_of = [](const page::node& n) { return n.rows.back(); };
  // v17 is in layers.2, the third block.
  CHECK(p.graphs[3].drawn.nodes[2].id == "v17");
  CHECK(p.graphs[3].drawn.nodes[2].border == "#b03030");
  CHECK(rows_of(p.graphs[3].nodes[2]).key == "difference");
  CHECK(rows_of(p.graphs[3].nodes[2]).value == "changed: argument 2 2.5 \xE2\x86\x92 3.5");
  CHECK(rows_of(p.graphs[0].nodes[3]).value == "2 inside");
  CHECK(p.graphs[0].drawn.nodes[2].border != "#b03030");
  REQUIRE(p.marks.size() == 2);
  CHECK(p.marks[1].message == "changed: argument 2 2.5 \xE2\x86\x92 3.5");
  CHECK(p.marks[1].level == severity::note);
  CHECK(page_of_difference(before, before).marks.empty());
}

TEST_CASE("page: of two programs the later one has marks", "[inspect][page]") {
  const std::string before =
      "program p:\n"
      "const old = 1\n"
      "const n = 64\n"
      "buffer a : DDR (size=n)\n"
      "buffer b : L2 (size=n)\n"
      "first = transfer.async(dst=region(b, 0, n), src=region(a, 0, n))\n"
      "store.async(dst=region(a, 0, n), src=region(b, 0, n), deps=[first])\n";
  // The layout of `first` and comments are no difference.
  const std::string after =
      "# later\n"
      "program p:\n"
      "const n = 96 # more\n"
      "buffer a : DDR (size=n)\n"
      "buffer b : L2 (size=n)\n"
      "first = transfer.async( dst = region(b, 0, n), src=region(a, 0, n))\n"
      "store.async(dst=region(a, 0, n), src=region(b, 0, n), deps=[first]) @debug(\"a # in it\")\n"
      "buffer c : L2 (size=n)  # one more\n";
  const result<nem::model> one = nem::read(before), two = nem::read(after);
  REQUIRE(one);
  REQUIRE(two);
  const text formatted = nem::reformat(*two, after);
  result<nem::model> again = nem::read(formatted);
  REQUIRE(again);
  const result<nem::program> later = nem::verify(*std::move(again));
  REQUIRE(later);
  const page p = page_of_difference(*one, *later, formatted, nullptr);
  REQUIRE(p.marks.size() == 3);
  CHECK((p.marks[0].line == 2 && p.marks[0].column == 0 && p.marks[0].length == 12));
  CHECK(p.marks[0].message == "changed: was const n = 64");
  CHECK(p.marks[1].line == 6);
  CHECK(p.marks[1].message ==
        "changed: was store.async(dst=region(a, 0, n), src=region(b, 0, n), deps=[first])");
  CHECK(p.marks[2].line == 8);  // @debug is on a line of its own
  CHECK(p.marks[2].message == "added");
  REQUIRE(p.facts.size() == 2);
  CHECK((p.facts[0].key == "removed" && p.facts[0].value == "const old = 1"));
  CHECK(p.facts[1].value == "2 changed, 1 added, 1 removed, 4 unchanged");
  const page::graph& g = p.graphs[0];
  REQUIRE(g.nodes.size() == 2);
  CHECK(g.drawn.nodes[0].border != "#b03030");
  CHECK(g.drawn.nodes[1].border == "#b03030");
  CHECK(g.nodes[1].rows.back().value == p.marks[1].message);
}

TEST_CASE("page: of two models the later one has marks", "[inspect][page]") {
  const auto model = [](const char* type) {
    const std::string tensor =
        R"(,"DataType":"FP32","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],"Buffer":{"Id":)";
    const std::string rest = R"(,"Rank":-1,"SendTags":[],"RecvTags":[]}})";
    const auto op = [&](const char* what, int in, int out) {
      return std::string(R"({"Type":")") + what +
             R"(","Name":"x","IsVirtual":false,"ReadTensors":[{"Id":)" + std::to_string(in) +
             tensor + std::to_string(in) + rest + R"(],"WriteTensors":[{"Id":)" +
             std::to_string(out) + tensor + std::to_string(out) + rest +
             R"(],"ResultTensors":[{"Id":)" + std::to_string(out + 1) + tensor +
             std::to_string(out) + rest + R"(],"Args":{}})";
    };
    const result<ark::model> made = ark::read(
        R"({"Rank":0,"WorldSize":1,"Nodes":[{"Id":0,"ProducerNodeIds":[],"ConsumerNodeIds":[1],"Ops":[)" +
        op("Relu", 0, 2) + R"(]},{"Id":1,"ProducerNodeIds":[0],"ConsumerNodeIds":[],"Ops":[)" +
        op(type, 3, 4) + "]}]}");
    REQUIRE(made);
    return *made;
  };
  const page p = page_of_difference(model("Exp"), model("Sqrt"));
  REQUIRE(p.marks.size() == 1);
  CHECK(p.marks[0].message == "added");
  CHECK(p.marks[0].line == 2);
  CHECK(p.marks[0].length > 1);
  CHECK(p.facts[0].value == "Exp \"x\"");
  CHECK(p.facts[1].value == "0 changed, 1 added, 1 removed, 1 unchanged");
  CHECK(page_of_difference(model("Exp"), model("Exp")).marks.empty());
}

TEST_CASE("page: NAC folds by module, and weights are summarised", "[inspect][page]") {
  const nac_tools_tests::container made(layers_of("encoder.layers.", ".scale"));
  const page p = page_of(made);
  REQUIRE(p.graphs.size() == 9);
  CHECK(p.graphs[0].drawn.nodes.size() == 10);
  CHECK(p.graphs[0].drawn.nodes[3].lines[0].text == "encoder.layers.2");
  CHECK(p.graphs[3].nodes.size() == 5);  // and what is before and after
  REQUIRE(p.weights.size() == 8);
  CHECK(p.weights[2].name == "encoder.layers.2.scale");
  CHECK(p.weights[2].type == "f32 [2]");
  CHECK(p.weights[2].least == -2);
  CHECK(p.weights[2].greatest == 1);
  CHECK(p.weights[2].mean == -0.5);
  CHECK(p.weights[2].counts.size() == 32);
  CHECK(p.weights[2].counts.front() == 1);
  CHECK(p.weights[2].counts.back() == 1);
  const page::node& product = p.graphs[3].nodes[0];
  CHECK(product.weights == std::vector<std::uint32_t>{2});
  REQUIRE(product.line < 60);
  // The line says what the node is.
  std::string_view listing = p.listing;
  for (std::uint32_t i = 0; i < product.line; ++i) listing.remove_prefix(listing.find('\n') + 1);
  CHECK(listing.substr(0, listing.find('\n')) == "  v15 = nac.mul(v14, v2)");
  CHECK(page_of(made, {.weights = false}).weights.empty());
  // No payload of more than 64 bytes is in the text.
  std::string large = layers_of("layers.", ".scale");
  const std::string_view small = "f32 [2] hex { 0000803f 000000c0 }";
  std::string values;
  for (int i = 0; i < 17; ++i) values += " 0000803f";
  large.replace(large.find(small), small.size(), "f32 [17] hex {" + values + " }");
  CHECK(page_of(nac_tools_tests::container(large)).listing.find(values) == std::string::npos);
  // Without modules, what repeats folds.
  const nac_tools_tests::container plain(layers_of("scale", "x"));
  REQUIRE(page_of(plain).graphs.size() == 7);
  CHECK(page_of(plain).graphs[0].drawn.nodes[1].lines[0].text == "block 1 of 6");
}
