// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rules: tests/data/ark/rules.tsv, and what its small files can't say.

#include "ark/verbs.hpp"
#include "findings.hpp"
// Keeps the line above where it is.
#include <algorithm>
#include <functional>
#include <set>

using namespace findings;
using tessera::error;

namespace {

std::vector<std::string> files_of(const std::string& name, std::size_t count) {
  std::vector<std::string> files;
  for (std::size_t r = 0; r < count; ++r)
    files.push_back(content_of(data() / "rules" /
                               (name + (count == 1 ? "" : ".r" + std::to_string(r)) + ".json")));
  return files;
}
ark::verify_options options_of(const std::string& words) {
  ark::verify_options o;
  o.strict = words == "strict";
  o.fp8 = words == "fp8";
  return o;
}

/// The errors of a hand-filled graph.
std::string broken(const std::function<void(ark::model&)>& change, std::string_view text) {
  ark::model g = graph(text);
  change(g);
  tessera::report r;
  auto p = ark_test::verify(std::move(g), {.strict = true, .source = text}, &r);
  list all;
  append(all, r);
  if (!p && all.empty()) return std::string(p.error().name());
  return rules(all);
}

const std::string relu = single(op("Relu", {{0, 0, {4, 8}}}, {{1, 1, {4, 8}}}, {{2, 1, {4, 8}}}));

}  // namespace

TEST_CASE("ark/verify: a report is described with lines, or with elements", "[ark][verify]") {
  const std::string text = file({node(0, {9}, {}, op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}}))});
  tessera::report r;
  CHECK_FALSE(ark_test::verify(graph(text), {.source = text}, &r));
  const tessera::source_file source{"a.json", text};
  const tessera::text shown = describe(r, {&source, 1});
  const std::string all(shown.view());
  CHECK(all.substr(0, all.find("\n  :")) ==
        "a.json:1:61: error: producer 9 does not exist; expected the Id of a node in this file\n"
        "  [G03] at $.Nodes[0].ProducerNodeIds[0], offset 60");
  CHECK(r.rule_of(r.diagnostics[0]) == "G03");

  ark::model built = graph(text);
  built.nodes[0].offset = 0;
  r = {};
  CHECK(ark_test::verify(std::move(built), {}, &r).error().index == tessera::error_index::node);
  CHECK(describe(r, {}) ==
        "<input>: error: producer 9 does not exist; expected the Id of a node in this file\n  "
        "[G03] at $.Nodes[0].ProducerNodeIds[0]\n");
}

TEST_CASE("ark/verify: a file with three different mistakes shows three", "[ark][verify]") {
  // A producer that doesn't exist, strides below the shape, and an operation that reads its result.
  const std::string text =
      file({node(0, {9}, {}, op("Relu", {{0, 0, {4, 8}}}, {{1, 1, {4, 8}}}, {{2, 1, {4, 8}}})),
            node(1, {}, {}, op("Relu", {{3, 2, {4, 8}}}, {{4, 3, {4, 8}}}, {{3, 3, {4, 8}}}))});
  std::string wrong = text;
  const std::size_t at = wrong.find(R"("Strides":[4,8])");
  REQUIRE(at != wrong.npos);
  wrong.replace(at, 15, R"("Strides":[4,7])");
  tessera::report r;
  const auto p = ark_test::verify(graph(wrong), {.source = wrong}, &r);
  CHECK_FALSE(p);
  std::set<std::string_view> rules;
  for (const tessera::diagnostic& d : r.diagnostics)
    if (d.severity == tessera::severity::error) rules.insert(r.rule_of(d));
  CHECK(rules.count("G03") == 1);
  CHECK(rules.count("G12") == 1);
  CHECK(rules.count("T05") == 1);
  CHECK(r.errors >= 3);
}

TEST_CASE("ark/verify: each rule, a file that breaks it and one that doesn't", "[ark][verify]") {
  std::set<std::string> rules;
  for (const auto& row : table(data() / "rules.tsv")) {
    REQUIRE(row.size() == 9);
    const std::string &name = row[0], &rule = row[1], &path = row[7];
    const ark::verify_options options = options_of(row[3]);
    const auto bad = files_of(name + ".bad", std::stoul(row[4]));
    const auto ok = files_of(name + ".ok", std::stoul(row[5]));
    const auto file = static_cast<std::uint32_t>(std::stoul(row[6]));
    rules.insert(rule);
    const list found = of(bad, options, rule[0] == 'M');
    INFO(name << '\n' << summary(found));
    // The same rule may be broken at other places, too.
    CHECK(std::any_of(found.begin(), found.end(), [&](const finding& f) {
      return f.rule == rule && f.severity == row[2][0] && f.path == path && f.file == file &&
             f.offset == std::stoull(row[8]);
    }));
    for (const finding& f : found) CHECK_FALSE(f.text.empty());
    const list fine = of(ok, options, rule[0] == 'M');
    INFO("passing twin:\n" << summary(fine));
    CHECK(std::none_of(fine.begin(), fine.end(),
                       [&](const finding& f) { return f.rule == rule || f.severity == 'E'; }));
  }
  const std::pair<char, std::string> numbers[] = {
      {'S', "01 02 03 04 05 06 07 08 09 10 11 12 13"},
      {'G', "01 02 03 04 05 06 07 08 09 10 12 13 14"},
      {'T', "01 02 03 04 05 06 07 08"},
      {'B', "01 02 03 04 05"},
      {'O', "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15"},
      {'C', "01 02 03 04 05 06 07"},
      {'M', "01 02 03 04 05 06 07 08 09"}};
  std::set<std::string> expected;
  for (const auto& [letter, words] : numbers) {
    std::istringstream in(words);
    for (std::string n; in >> n;) expected.insert(letter + n);
  }
  CHECK(rules == expected);
}

TEST_CASE("ark/verify: the flawed samples yield their rules", "[ark][verify]") {
  const auto folder = shared() / "invalid";
  if (!std::filesystem::exists(folder / "INDEX.tsv")) {
    WARN("no samples at " << folder.string());
    return;
  }
  for (const auto& row : table(folder / "INDEX.tsv")) {
    std::vector<std::string> files;
    std::istringstream names(row[2]);
    for (std::string name; std::getline(names, name, ',');)
      files.push_back(content_of(folder / name));
    const char letter = row[0][0];
    const bool strict = row[0] == "O01";  // its severity is that of strict mode
    const bool one_of_many = letter != 'M';
    const list found = of(files, {.strict = strict}, !one_of_many);
    INFO(row[2] << '\n' << summary(found));
    CHECK(std::any_of(found.begin(), found.end(), [&](const finding& f) {
      return f.rule == row[0] && f.severity == row[1][0];
    }));
    for (const finding& f : found)
      if (f.severity == 'E') CHECK((f.rule == row[0] || row[4].find(f.rule) != std::string::npos));
  }
}

TEST_CASE("ark/verify: what the format's own serializer makes has no errors", "[ark][verify]") {
  std::error_code absent;
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(shared() / "upstream", absent)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.ends_with(".plan.json") || name.ends_with(".io.json"))
      continue;
    const std::string text = content_of(entry.path());
    tessera::report r;
    auto p = ark_test::verify(graph(text), {.source = text}, &r);
    INFO(name);
    CHECK(p);
    CHECK(r.errors == 0);
    CHECK_FALSE(r.is_bounded);
    for (const tessera::diagnostic& d :
         r.diagnostics)  // the defects that these files are known for
      CHECK(ark::rule(d.code).id() == "G14");
    ++count;
  }
  if (count == 0) WARN("no samples at " << shared().string());
}

TEST_CASE("ark/verify: sentences say what was found", "[ark][verify]") {
  const auto first = [](const std::string& text) { return of({text}).at(0).text; };
  CHECK(first(file({node(0, {}, {99}, op("Noop", {{0, 0}}, {}, {}))})) ==
        "consumer 99 does not exist; expected the Id of a node in this file");
  CHECK(first(single(op("Noop", {{0, 0, {4, 8}, {4, 8}, {1, 0}}}, {}, {}))) ==
        "Offsets [1,0] + PaddedShape [4,8] exceed Strides [4,8]");
  CHECK(first(file({node(0, {2}, {1}, op("Noop", {{0, 0}}, {}, {})),
                    node(1, {0}, {2}, op("Noop", {{0, 0}}, {}, {})),
                    node(2, {1}, {0}, op("Noop", {{0, 0}}, {}, {}))})) ==
        "dependency cycle: 0 -> 1 -> 2 -> 0");
  CHECK(first(single(op("Add", {{0, 0, {4, 4}}, {1, 1, {3}}}, {{2, 2, {4, 4}}},
                        {{3, 2, {4, 4}}}))) == "Shapes [4,4] and [3] do not broadcast");
  CHECK(first(single(op("ReduceSum", {{0, 0, {4, 8}}}, {{1, 1, {4, 1}}}, {{2, 1, {4, 1}}},
                        R"({"Axis":{"INT":1},"KeepDim":{"BOOL":false}})"))) ==
        "Shape [4,8] reduced along Axis 1 is [4], not [4,1]");
  CHECK(first(single(
            op("ScalarAdd", {{0, 0}}, {{1, 1}}, {{2, 1}}, R"({"Factor":{"FLOAT":null}})"))) ==
        "expected {TYPE: value} with one known TYPE and a value in its range, found "
        R"({"FLOAT":null})");
  CHECK(first(single(op(std::string(200, 'x'), {}, {}, {}))) ==
        "unknown Type \"" + std::string(60, 'x') + "...\"");
  CHECK(first(single(op(std::string(59, 'x') + "\u00e9", {}, {}, {}))) ==
        "unknown Type \"" + std::string(59, 'x') + "...\"");  // characters aren't cut
}

TEST_CASE("ark/verify: paths and offsets", "[ark][verify]") {
  SECTION("several operations in a node") {
    const std::string o = op("Noop", {{0, 0}}, {}, {});
    const std::string text = R"({"Rank":0,"WorldSize":1,"Nodes":[{"Id":0,"ProducerNodeIds":[],)"
                             R"("ConsumerNodeIds":[],"Ops":[)" +
                             o + "," + o + "," + op("Frobnicate", {}, {}, {}) + "]}]}";
    const list found = of({text});
    REQUIRE(rules(found) == "W O01");
    CHECK(found[0].path == "$.Nodes[0].Ops[2].Type");
    CHECK(found[0].offset == text.find("\"Frobnicate\""));
  }
  SECTION("keys with escapes, names that need quotes, white space, a byte order mark") {
    std::string text = "\xEF\xBB\xBF" + single(op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}},
                                                  R"({"a \"b\"" : {"INT":1}})"));
    const std::size_t at = text.find("\"Args\"");
    text.replace(at, 6, "\"\\u0041rgs\" \n");
    const list found = of({text});
    REQUIRE(rules(found) == "W O04");
    CHECK(found[0].path == R"($.Nodes[0].Op.Args["a \"b\""])");
    CHECK(found[0].offset == text.find("{\"INT\""));
  }
  SECTION("without the source, the node's") {
    tessera::report r;
    const std::string text = file({node(0, {}, {}, op("Noop", {{0, 0}}, {}, {})),
                                   node(1, {}, {}, op("Noop", {{1, 1, {4}, {4}, {1}}}, {}, {}))});
    const auto p = ark_test::verify(graph(text), {}, &r);
    REQUIRE(r.diagnostics.size() == 1);
    CHECK(r.diagnostics[0].where.offset == text.find("{\"Id\":1,\"Prod"));
    CHECK(p.error() == error{errc::ark_t05_strides, r.diagnostics[0].where.offset});
  }
  SECTION("with another source than that, the node's or the root's") {
    tessera::report r;
    CHECK_FALSE(ark_test::verify(graph(single(op("Relu", {}, {}, {}))), {.source = "{}"}, &r));
    CHECK_FALSE(ark_test::verify(graph(single(op("Relu", {}, {}, {}))),
                                 {.source = std::string(500, '[')}, &r));
    for (const tessera::diagnostic& d : r.diagnostics) CHECK(d.where.offset <= 500);
  }
}

TEST_CASE("ark/verify: reports keep as many as they are asked to, and count all", "[ark][verify]") {
  std::vector<std::string> nodes;
  for (int i = 0; i < 10; ++i) nodes.push_back(node(i + 1, {}, {}, op("Relu", {}, {}, {})));
  const std::string text = file(nodes);  // G02 ten times, then two times ten O03
  for (const std::size_t most : {0u, 9u, 10u, 11u, 40u, 41u, 1000u}) {
    tessera::report r;
    const auto p = ark_test::verify(graph(text), {.max_diagnostics = most, .source = text}, &r);
    CHECK(r.diagnostics.size() == std::min<std::size_t>(most, 40));
    CHECK((r.errors == 30 && r.warnings == 10 && r.notes == 0));
    CHECK(p.error() == error{errc::ark_o03_arity, text.find("[],\"WriteTensors\"")});
  }
  CHECK(ark_test::verify(graph(text)).error().code == errc::ark_o03_arity);
  CHECK(ark_test::verify(graph(text), {.source = text}, nullptr).error() ==
        error{errc::ark_o03_arity, text.find("[],\"WriteTensors\"")});
}

TEST_CASE("ark/verify: programs know their memory", "[ark][verify]") {
  const std::string text =
      single(op("Cast", {{7, 3, {4}, {8}, {2}, "FP16"}}, {{8, 5, {4}}}, {{9, 5, {4}}}));
  const auto p = ark_test::verify(graph(text));
  REQUIRE(p);
  REQUIRE(p->model().buffers.size() == 2);
  CHECK(p->storage(0) == 0);
  CHECK(p->storage(1) == 1);
  CHECK(p->bytes(0) == 16);
  CHECK(p->bytes(1) == 16);
}

TEST_CASE("ark/verify: graphs that were filled by hand", "[ark][verify]") {
  using g = ark::model;
  const std::string bad = "E ";  // its code belongs to no rule
  CHECK(broken([](g&) {}, relu).empty());
  SECTION("indices lead somewhere") {
    CHECK(broken([](g& x) { x.nodes[0].ops.first = 1; }, relu) == bad);
    CHECK(broken([](g& x) { x.nodes[0].ops.count = 0xffffffff; }, relu) == bad);
    CHECK(broken([](g& x) { x.nodes.push_back(x.nodes[0]); }, relu) == bad);
    CHECK(broken([](g& x) { x.nodes[0].producers = {5, 1}; }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].reads = 0xffffffff; }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].first_use = 1; }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].type = static_cast<ark::op_type>(200); }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].name = {0, 1000}; }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].members = 0; }, relu) == bad);
    CHECK(broken([](g& x) { x.ops[0].arguments = {0, 1}; }, relu) == bad);
    CHECK(broken([](g& x) { x.uses[1] = 3; }, relu) == bad);
    CHECK(broken([](g& x) { x.tensors[0].layout = 9; }, relu) == bad);
    CHECK(broken([](g& x) { x.tensors[0].buffer = 2; }, relu) == bad);
    CHECK(broken([](g& x) { x.tensors[0].type = static_cast<ark::data_type>(99); }, relu) == bad);
    CHECK(broken([](g& x) { x.layouts[0].pads = 0; }, relu) == bad);
    CHECK(broken([](g& x) { x.buffers[0].recv_tags = {0, 1}; }, relu) == bad);
    CHECK(broken([](g& x) { x.form = static_cast<ark::dialect>(7); }, relu) == bad);
    CHECK(broken([](g& x) { x.own_members = 0; }, relu) == bad);
    tessera::report r;
    ark::model x = graph(relu);
    x.uses[0] = 7;
    CHECK(ark_test::verify(std::move(x), {}, &r).error() == error{errc::ark_pool_index, 0});
  }
  SECTION("arguments") {
    const std::string text = single(op("ReduceSum", {{0, 0, {4, 8}}}, {{1, 1, {4}}}, {{2, 1, {4}}},
                                       R"({"Axis":{"INT":1},"KeepDim":{"BOOL":false}})"));
    CHECK(broken([](g&) {}, text).empty());
    CHECK(broken([](g& x) { x.arguments[0].name = static_cast<ark::argument_name>(77); }, text) ==
          bad);
    CHECK(broken([](g& x) { x.arguments[0].type = static_cast<ark::argument_type>(77); }, text) ==
          bad);
    CHECK(broken(
              [](g& x) {
                x.arguments[0].type = ark::argument_type::tensor, x.arguments[0].integer = 3;
              },
              text) == bad);
    CHECK(broken([](g& x) { x.arguments[0].integer = std::int64_t{1} << 40; }, text) == "E O05");
    CHECK(broken([](g& x) { x.arguments[1].integer = 2; }, text) == "E O05");
    CHECK(broken([](g& x) { x.arguments[1].name = ark::argument_name::axis; }, text) ==
          "E S11, E O04, E O04");
    CHECK(broken([](g& x) { x.arguments[0].integers = {0, 0}; }, text).empty());
    const std::string add =
        single(op("ScalarAdd", {{0, 0}}, {{1, 1}}, {{2, 1}}, R"({"Factor":{"FLOAT":1.5}})"));
    CHECK(broken([](g& x) { x.arguments[0].real = __builtin_inff(); }, add) == "E O05");
    CHECK(broken([](g& x) { x.arguments[0].real = __builtin_nanf(""); }, add) == "E O05");
  }
  SECTION("what reading refuses") {
    CHECK(broken([](g& x) { x.world_size = 0; }, relu) == "E S03, E S03");
    CHECK(broken([](g& x) { x.rank = -1; }, relu) == "E S03");
    CHECK(broken([](g& x) { x.nodes[0].ops.count = 0; }, relu) == "E S07");
    CHECK(broken([](g& x) { x.nodes[0].id = -4; }, relu) == "E S13, W G02");
    CHECK(broken([](g& x) { x.tensors[0].id = -4; }, relu) == "E S13");
    CHECK(broken([](g& x) { x.buffers[0].id = -4; }, relu) == "E S13");
    CHECK(broken([](g& x) { x.layouts[0].rank = 5; }, relu) == "E T01, E T01, E T01");
    CHECK(broken([](g& x) { x.layouts[0].shape[3] = 2; }, relu) == "E T01, E T01, E T01");
    CHECK(broken([](g& x) { x.layouts[0].offsets[0] = INT64_MAX; }, relu) == "E T05, E T05, E T05");
    CHECK(broken(
              [](g& x) {
                ark::op more = x.ops[0];
                x.ops.push_back(more);
                x.nodes[0].ops.count = 2;
              },
              relu) == "E S06, E G10");
  }
  SECTION("lists of members that don't end") {
    ark::model x = graph(R"({"Rank":0,"WorldSize":1,"Nodes":[],"a":1,"b":2})");
    x.members[1].next = 0;
    tessera::report r;
    CHECK(ark_test::verify(std::move(x), {.strict = true}, &r));
    CHECK(r.warnings == 2);
  }
}

TEST_CASE("ark/verify: arguments in older spellings", "[ark][verify]") {
  const auto matmul = [](std::string_view args) {
    return rules(of({single(op("Matmul", {{0, 0, {8, 4}}, {1, 1, {8, 6}}}, {{2, 2, {4, 6}}},
                               {{3, 2, {4, 6}}}, args))}));
  };
  CHECK(matmul(R"({"TransposeInput":{"BOOL":true},"TransposeOther":{"BOOL":false}})").empty());
  CHECK(matmul(R"({"IsInputColumnMajor":{"BOOL":true},"TransposeOther":{"BOOL":false}})") ==
        "W O04");
  CHECK(matmul(R"({"IsInputColumnMajor":{"BOOL":false},"TransposeOther":{"BOOL":false}})") ==
        "W O04, E O12");
  CHECK(matmul(R"({"TransposeInput":{"BOOL":true},"IsInputColumnMajor":{"BOOL":false},)"
               R"("TransposeOther":{"BOOL":false}})") == "W O04, E O04");
  CHECK(matmul(R"({"TransposeInput":{"BOOL":true},"IsInputColumnMajor":{"BOOL":true},)"
               R"("TransposeOther":{"BOOL":false}})") == "W O04");
  CHECK(rules(of({single(
            op("ScalarAssign", {}, {{0, 0}}, {{1, 0}}, R"({"Factor":{"FLOAT":1}})"))})) == "W O04");
}

TEST_CASE("ark/verify: operations newer than D3, as far as they are known", "[ark][verify]") {
  const auto check = [](const std::string& o) { return rules(of({single(o)})); };
  const std::string turned = R"({"TransposeInput":{"BOOL":false},"TransposeOther":{"BOOL":false}})";
  CHECK(check(op("Softmax", {{0, 0, {4, 8}}}, {{1, 1, {4, 8}}}, {{2, 1, {4, 8}}})).empty());
  CHECK(check(op("Softmax", {{0, 0, {8}}}, {{1, 1, {4, 8}}}, {{2, 1, {4, 8}}})) == "E O07");
  CHECK(check(op("LayerNorm", {{0, 0, {4, 8}}, {1, 1, {8}}, {2, 2, {8}}}, {{3, 3, {4, 8}}},
                 {{4, 3, {4, 8}}}))
            .empty());
  CHECK(check(op("LayerNorm", {{0, 0, {4, 8}}, {1, 1, {7}}, {2, 2, {8}}}, {{3, 3, {4, 8}}},
                 {{4, 3, {4, 8}}})) == "E O07");
  CHECK(check(op("MatmulGelu", {{0, 0, {4, 8}}, {1, 1, {8, 6}}}, {{2, 2, {4, 6}}}, {{3, 2, {4, 6}}},
                 turned))
            .empty());
  CHECK(check(op("MatmulScale", {{0, 0, {4, 8}}, {1, 1, {8, 6}}}, {{2, 2, {4, 6}}},
                 {{3, 2, {4, 6}}}, turned)) == "E O04");
  CHECK(check(op("MatmulAdd", {{0, 0, {4, 8}}, {1, 1, {8, 6}}, {4, 4, {6}}}, {{2, 2, {4, 6}}},
                 {{3, 2, {4, 6}}}, turned)) == "E O12");
  CHECK(check(op("Store", {{0, 0}}, {{1, 1}}, {{2, 1}})).empty());
  const auto slot = [&](std::vector<std::int64_t> cache, std::int64_t result_buffer) {
    return check(op("KvCacheSlot", {{0, 0, {8}}, {1, 1, {1}, {}, {}, "INT32"}},
                    {{2, 2, cache}, {1, 1, {1}, {}, {}, "INT32"}, {4, 4, {8}}},
                    {{5, result_buffer, {8}}}));
  };
  CHECK(slot({16, 8}, 4).empty());
  CHECK(slot({16, 2, 4}, 4).empty());
  CHECK(slot({16, 8}, 9) == "E O08");
  CHECK(slot({16, 9}, 4) == "E O07, E O07");
  CHECK(check(op("AllReducePacketFused", {}, {}, {})) == "W O01");
}

TEST_CASE("ark/verify: Pads of D1a", "[ark][verify]") {
  std::string text = relu;
  for (std::size_t at = 0; (at = text.find("\"PaddedShape\":[4,8]")) != std::string::npos;)
    text.replace(at, 19, "\"Pads\":[1,1]");
  text.replace(text.find("\"Op\":{"), 6, "\"Ops\":[{");
  text.insert(text.size() - 3, "]");
  CHECK(summary(of({text})).empty());
  text.replace(text.find("\"Pads\":[1,1]"), 12, "\"Pads\":[3,1]");
  CHECK(rules(of({text})) == "E T05");
  CHECK(of({text}).at(0).path == "$.Nodes[0].Ops[0].ReadTensors[0].Pads");
}

TEST_CASE("ark/verify: rules of whole graphs", "[ark][verify]") {
  SECTION("an operation may use what an earlier one of its node makes") {
    const std::string text =
        R"({"Rank":0,"WorldSize":1,"Nodes":[{"Id":0,"ProducerNodeIds":[],"ConsumerNodeIds":[],)"
        R"("Ops":[)" +
        op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}}) + "," + op("Exp", {{2, 1}}, {{3, 2}}, {{4, 2}}) +
        "]}]}";
    CHECK(summary(of({text})).empty());
    std::string swapped = text;
    swapped.replace(swapped.find("\"Id\":2"), 6, "\"Id\":9");
    swapped.replace(swapped.find("\"Id\":0,\"DataType"), 6, "\"Id\":4");
    CHECK(rules(of({swapped})).find("E G13") != std::string::npos);
  }
  SECTION("tensors that nothing in the file makes are inputs") {
    CHECK(summary(of({relu})).empty());
  }
  SECTION("two cycles are reported one by one") {
    CHECK(rules(of({file({node(0, {1}, {1}, op("Noop", {{0, 0}}, {}, {})),
                          node(1, {0}, {0}, op("Noop", {{0, 0}}, {}, {})),
                          node(2, {3}, {3}, op("Noop", {{0, 0}}, {}, {})),
                          node(3, {2}, {2}, op("Noop", {{0, 0}}, {}, {}))})})) ==
          "E G06, E G06, W G07, W G07");
  }
  SECTION("Ids far apart") {
    const std::int64_t far = INT64_MAX;
    CHECK(rules(of({file({node(far, {}, {0}, op("Relu", {{far, far}}, {{1, 1}}, {{far - 1, 1}})),
                          node(0, {far}, {}, op("Exp", {{far - 1, 1}}, {{2, 2}}, {{3, 2}}))})})) ==
          "W G02, W G02");
  }
}

TEST_CASE("ark/verify: arguments of 64 bits fit as they are read", "[ark][verify]") {
  for (const char* const value : {"INT64\":-5", "UINT64\":18446744073709551615"}) {
    const std::string args = "{\"x\":{\"" + std::string(value) + "}}";
    CHECK(rules(of({single(op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}}, args))})) == "W O04");
  }
}

TEST_CASE("ark/verify: codes of JSON have rules", "[ark][verify]") {
  CHECK(ark::rule(tessera::errc::json_duplicate_key).id() == "S11");
  CHECK(ark::rule(tessera::errc::json_expected_integer).id() == "S13");
  CHECK(ark::rule(tessera::errc::json_integer_range).id() == "S13");
  CHECK(ark::rule(tessera::errc::json_lone_surrogate).id().empty());
  CHECK(ark::rule(tessera::errc::ark_t05_strides).id() == "T05");
}

TEST_CASE("ark/verify: tensors in arguments are tensors", "[ark][verify]") {
  const std::string text = single(op("Relu", {{0, 0}}, {{1, 1}}, {{2, 1}},
                                     R"({"T":{"TENSOR":)" + tensor({5, 5, {4}, {4}, {1}}) + "}}"));
  const list found = of({text});
  REQUIRE(rules(found) == "E T05, W O04");
  CHECK(found[0].path == "$.Nodes[0].Op.Args.T.TENSOR.Strides");
  CHECK(text.substr(found[0].offset, 3) == "[4]");
}

TEST_CASE("ark/shapes: what operations make of shapes", "[ark][shapes]") {
  using d = ark::dimensions;
  const auto dims = [](std::vector<std::int64_t> v) {
    d out;
    out.rank = static_cast<std::uint32_t>(v.size());
    std::copy(v.begin(), v.end(), out.size);
    return out;
  };
  ark::layout l;  // without dimensions
  CHECK(ark::shape_of(l) == dims({1}));
  CHECK(ark::padded_shape_of(l) == dims({1}));
  l.rank = 1;
  l.shape[0] = 3;
  l.padded_shape[0] = 4;
  CHECK(ark::shape_of(l) == dims({3}));
  CHECK(ark::padded_shape_of(l) == dims({4}));
  d out;
  CHECK((ark::broadcast(dims({4, 1}), dims({8}), out) && out == dims({4, 8})));
  CHECK((ark::broadcast(dims({1}), dims({2, 3, 4, 5}), out) && out == dims({2, 3, 4, 5})));
  CHECK_FALSE(ark::broadcast(dims({4, 2}), dims({3}), out));
  CHECK(ark::broadcasts_to(dims({4}), dims({2, 4})));
  CHECK_FALSE(ark::broadcasts_to(dims({2, 4}), dims({4})));
  CHECK_FALSE(ark::broadcasts_to(dims({1, 4}), dims({4})));
  CHECK((ark::reduced(dims({4, 8}), 0, false, out) && out == dims({8})));
  CHECK((ark::reduced(dims({4, 8}), -1, true, out) && out == dims({4, 1})));
  CHECK((ark::reduced(dims({4}), 0, false, out) && out == dims({1})));
  CHECK_FALSE(ark::reduced(dims({4}), 1, false, out));
  CHECK_FALSE(ark::reduced(dims({4}), -2, false, out));
  const std::int64_t turn[] = {1, 2, 0}, twice[] = {0, 0, 1}, outside[] = {0, 1, 3};
  CHECK((ark::permuted(dims({2, 3, 4}), {turn, 3}, out) && out == dims({3, 4, 2})));
  CHECK_FALSE(ark::permuted(dims({2, 3, 4}), {twice, 3}, out));
  CHECK_FALSE(ark::permuted(dims({2, 3, 4}), {outside, 3}, out));
  CHECK_FALSE(ark::permuted(dims({2, 3}), {turn, 3}, out));
  ark::matmul_shape m;
  CHECK((ark::multiply(dims({4, 8}), dims({8, 6}), false, false, m) && m.out == dims({4, 6})));
  CHECK((ark::multiply(dims({8, 4}), dims({6, 8}), true, true, m) && m.out == dims({4, 6})));
  CHECK((ark::multiply(dims({8}), dims({8, 6}), false, false, m) && m.out == dims({1, 6})));
  CHECK((ark::multiply(dims({4, 8}), dims({8}), false, false, m) && m.out == dims({4, 1})));
  CHECK(
      (ark::multiply(dims({3, 4, 8}), dims({8, 6}), false, false, m) && m.out == dims({3, 4, 6})));
  CHECK((ark::multiply(dims({1, 4, 8}), dims({2, 3, 8, 6}), false, false, m) &&
         m.out == dims({2, 3, 4, 6}) && m.rows == 4 && m.columns == 6 && m.inner == 8));
  CHECK_FALSE(ark::multiply(dims({2, 4, 8}), dims({3, 8, 6}), false, false, m));
  CHECK_FALSE(ark::multiply(dims({4, 8}), dims({7, 6}), false, false, m));
  CHECK((ark::looked_up(dims({2, 3}), dims({10, 8}), out) && out == dims({1, 2, 3, 8})));
  CHECK(ark::is_looked_up(dims({2, 3}), dims({10, 8}), dims({2, 3, 8})));
  CHECK_FALSE(ark::is_looked_up(dims({2, 3}), dims({10, 8}), dims({3, 2, 8})));
  CHECK_FALSE(ark::looked_up(dims({1, 1, 2, 3}), dims({10, 8}), out));
}

TEST_CASE("ark/verify: hostile files cost what their size says", "[ark][verify]") {
  SECTION("many edges on one node, each of them flawed") {
    std::vector<std::int64_t> edges(20000);
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = static_cast<std::int64_t>(i * 7919);
    const std::string text = file({node(0, edges, edges, op("Noop", {{0, 0}}, {}, {}))});
    tessera::report r;
    CHECK_FALSE(ark_test::verify(graph(text), {.max_diagnostics = 20000, .source = text}, &r));
    CHECK(r.errors == 40000);
    CHECK(r.diagnostics.size() == 20000);
    CHECK(text.substr(r.diagnostics[19999].where.offset, 5) ==
          std::to_string(19999 * 7919).substr(0, 5));
  }
  SECTION("sizes whose product overflows, and offsets beyond all") {
    const std::int64_t big = std::int64_t{1} << 62;
    CHECK(rules(of({single(op("Noop", {{0, 0, {big, big, big, big}}}, {}, {}))})) == "E T07");
    CHECK(
        rules(of({single(op("Noop", {{0, 0, {INT64_MAX}, {INT64_MAX}, {INT64_MAX}}}, {}, {}))})) ==
        "E T05, E T07");
    CHECK(rules(of({single(op("Copy", {{0, 0, {big, big}}}, {{1, 1, {big, big}}},
                              {{2, 1, {big, big}}}))})) == "E T07, E T07, E T07");
  }
  SECTION("a circle of many nodes, and a chain in the wrong order") {
    ark::model g = graph(file({}));
    constexpr std::uint32_t count = 20000;
    for (std::uint32_t i = 0; i < count; ++i) {
      ark::node n;
      n.id = i;
      n.producers = {static_cast<std::uint32_t>(g.integers.size()), 1};
      g.integers.push_back((i + 1) % count);
      n.consumers = {static_cast<std::uint32_t>(g.integers.size()), 1};
      g.integers.push_back((i + count - 1) % count);
      n.ops = {i, 1};
      ark::op o;
      o.type = ark::op_type::noop;
      o.first_use = i;
      o.reads = 1;
      g.ops.push_back(o);
      g.uses.push_back(0);
      g.nodes.push_back(n);
    }
    g.layouts.push_back({});
    g.layouts.back().rank = 1;
    g.buffers.push_back({});
    g.tensors.push_back({});
    ark::model chain = g;
    tessera::report r;
    CHECK(ark_test::verify(std::move(g), {}, &r).error().code == errc::ark_g06_cycle);
    CHECK((r.errors == 1 && r.warnings == count - 1));
    chain.integers[2 * (count - 1)] = count;  // the last has no producer,
    chain.integers[1] = count;                // the first no consumer
    r = {};
    CHECK(ark_test::verify(std::move(chain), {}, &r).error().code == errc::ark_g03_edge_target);
    CHECK((r.errors == 2 && r.warnings == count - 1));
  }
  SECTION("one tensor Id with many descriptions, one buffer Id with many sets of tags") {
    std::string list = "[";
    for (int i = 0; i < 3000; ++i)
      (list += i == 0 ? "" : ",") +=
          tensor({0,
                  0,
                  {4},
                  {5 + i},
                  {},
                  "FP32",
                  R"("Rank":-1,"SendTags":[[1,)" + std::to_string(i) + R"(]],"RecvTags":[])"});
    const std::string text =
        R"({"Rank":0,"WorldSize":2,"Nodes":[{"Id":0,"ProducerNodeIds":[],"ConsumerNodeIds":[],)"
        R"("Op":{"Type":"Tensor","Name":"","IsVirtual":true,"ReadTensors":)" +
        list + R"(],"WriteTensors":[],"ResultTensors":)" + tensors({{1, 0, {4}}}) +
        R"(,"Args":{}}}]})";
    tessera::report r;
    CHECK_FALSE(ark_test::verify(graph(text), {.source = text}, &r));
    CHECK(r.errors == 2999 + 3000);
  }
}
