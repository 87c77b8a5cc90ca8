// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <algorithm>
#include <filesystem>

#include "genome/convert.hpp"
#include "genome/tools/show.hpp"

using namespace genome_tests;
using genomics::argument;
using tessera::errc;
namespace ark = tessera::ark;
namespace genome = tessera::genome;
using lines = std::vector<std::string>;

namespace {

/// "A B C [D]" for each node.
[[nodiscard]] lines nodes_of(const genome::stream& s) {
  const genome::stream_view v = s;
  lines out;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const genome::node& n = v.nodes[i];
    std::string line =
        std::to_string(n.a) + " " + std::to_string(n.b) + " " + std::to_string(n.c) + " [";
    for (const std::int32_t d : v.inputs_of(i)) line.append(std::to_string(d)).append(" ");
    if (line.back() == ' ') line.pop_back();
    out.push_back(line + "]");
  }
  return out;
}
[[nodiscard]] lines map_of(const genome::registry& r, const tessera::pool<genome::entry>& map) {
  lines out;
  for (const genome::entry& e : map)
    out.push_back(std::to_string(e.id) + " " + std::string(r.name_of(e)));
  return out;
}
[[nodiscard]] lines constants_of(const genome::registry& r) {
  lines out;
  for (const genome::constant& c : r.constants)
    out.push_back(std::to_string(c.id) + " " + std::string(r.name_of(c.type)) + " " +
                  std::string(r.name_of(c.value)));
  return out;
}

[[nodiscard]] std::string code_of(const tessera::error& e) {
  return std::string(e.name()) + " at " + std::to_string(e.offset);
}
[[nodiscard]] std::string signature_error(const genomics::corpus& c) {
  const auto s = signature_of(c, 0);
  return s ? "ok" : code_of(s.error());
}

/// The graph of a signature, into a corpus of its own.
[[nodiscard]] lines read_back(genomics::signature s, bool parameter_names = false) {
  auto library = genome::verify(std::move(s.registry));
  INFO((library ? std::string_view() : library.error().name()));
  REQUIRE(library);
  const auto program = genome::verify(std::move(s.stream), *library);
  INFO((program ? std::string() : code_of(program.error())));
  REQUIRE(program);
  genomics::corpus c;
  REQUIRE(add_graph(c, "back", *program, {.parameter_names = parameter_names}).code == errc::ok);
  return show(c, 0);
}

struct build {
  genomics::corpus c;
  build() { c.begin("g"); }
  void add(std::string_view operation, std::string_view variation,
           std::initializer_list<argument> constants,
           const std::vector<std::uint32_t>& inputs = {}) {
    c.add(c.names().kind(operation, variation, {constants.begin(), constants.size()}), inputs);
  }
};

const std::string relu = "relu:node_args(1):kwargs()";

}  // namespace

TEST_CASE("genome_tools/signature: which argument a single constant is", "[genome_tools]") {
  const auto key = [](std::string_view name, std::uint32_t tensors) {
    const genome::constant_key k = genome::single_constant_key(name, tensors);
    return k.keyword.empty() ? std::to_string(k.position) : std::string(k.keyword);
  };
  CHECK(key("a:node_args(1):kwargs()", 1) == "1");
  CHECK(key("a:node_args(1):kwargs()", 2) == "2");  // x + x
  CHECK(key("a:node_args(0):kwargs()", 0) == "0");
  CHECK(key("a:node_args(1):kwargs('dtype',)", 1) == "dtype");
  CHECK(key("a:node_args(1):kwargs('device', 'dtype')", 1) == "1");
  CHECK(key("a", 3) == "3");
  CHECK(genome::tensor_arguments("in0,in0", 1) == 2);
  CHECK(genome::tensor_arguments("", 3) == 1);  // a list
  CHECK(genome::tensor_arguments("", 0) == 0);
}

TEST_CASE("genome_tools/signature: ids in the order of first use, and what they mean",
          "[genome_tools]") {
  build b;
  b.add("<DATA_INPUT>", "", {});
  b.add("<CONST_REF>", "", {{"", "parameter", "w"}});
  b.add("sub:node_args(2):kwargs()", "in1,in0", {{"arg2", "int", "1"}}, {0, 1});
  b.add(relu, "in0", {{"arg1", "float", "1.0"}}, {2});
  b.add(relu, "in0", {{"arg1", "bool", "true"}}, {3});
  b.add(relu, "in0", {{"arg2", "int", "1"}}, {4});
  b.add("to:node_args(1):kwargs('dtype',)", "in0", {{"dtype", "torch.dtype", "\"f\""}}, {5});
  b.add("<CONST_REF>", "", {{"", "parameter", "v"}});
  b.add("sub:node_args(2):kwargs()", "in0,in1", {{"arg1", "int", "1"}, {"arg3", "bool", "true"}},
        {6, 7});
  b.add("cat:node_args(2):kwargs()", "", {{"arg1", "int", "1"}}, {7, 8});
  b.add("arange:node_args(0):kwargs()", "", {{"arg0", "int", "7"}});
  b.add("<OUTPUT>", "", {}, {10, 9});
  auto s = signature_of(b.c, 0);
  REQUIRE(s);
  CHECK(nodes_of(s->stream) == lines{"2 1 0 []", "5 1 10 []", "10 10 10 [0 1]", "11 11 11 [2]",
                                     "11 11 12 [3]", "11 11 -11 [4]", "12 11 13 [5]", "5 1 11 []",
                                     "10 12 -12 [6 7]", "13 1 10 [7 8]", "14 1 14 []",
                                     "4 1 0 [10 9]"});
  const lines operations = map_of(s->registry, s->registry.operations);
  REQUIRE(operations.size() == 15);
  CHECK(operations[0] == "0 <NONE>");
  CHECK(operations[9] == "9 <RESERVED>");
  CHECK(lines(operations.begin() + 10, operations.end()) ==
        lines{"10 sub:node_args(2):kwargs()", "11 " + relu, "12 to:node_args(1):kwargs('dtype',)",
              "13 cat:node_args(2):kwargs()", "14 arange:node_args(0):kwargs()"});
  CHECK(map_of(s->registry, s->registry.operation_ids) == operations);
  CHECK(map_of(s->registry, s->registry.variations) == lines{"10 in1,in0", "11 in0", "12 in0,in1"});
  CHECK(constants_of(s->registry) ==
        lines{"10 int 1", "11 float 1.0", "12 bool true", "13 torch.dtype \"f\"", "14 int 7"});
  CHECK(map_of(s->registry, s->registry.groups) == lines{"10 arg2=10", "11 arg1=10;arg3=12"});
  CHECK(map_of(s->registry, s->registry.parameters) == lines{"10 w", "11 v"});
  CHECK(read_back(*std::move(s), true) == show(b.c, 0));
}

TEST_CASE("genome_tools/signature: a stream of v1.2, its patterns and copies, and back",
          "[genome_tools]") {
  genome::registry r;
  for (std::uint32_t a = 0; a < 10; ++a) r.add_operation(a, genome::command_names[a]);
  r.add_operation(10, "linear:node_args(2):kwargs()");
  r.add_operation(11, "to:node_args(1):kwargs('dtype',)");
  r.add_variation(10, "in0");
  r.add_variation(11, "in0,in1");
  r.add_constant(10, "int", "3");
  r.add_constant(11, "torch.dtype", "\"torch.float32\"");
  r.add_group(10, "arg1=10;arg4=11");
  r.add_group(11, "arg2=10");
  r.add_parameter(10, "weight");
  genome::stream gene;  // linear of what is two and one before, and its conversion
  gene.add({.a = 10, .b = 11, .c = 10}, {-2, -1});
  gene.add({.a = 11, .b = 10, .c = 11}, {-1});
  r.add_pattern(10, gene);
  genome::stream s;
  s.add({.a = 7, .b = 2, .c = 3}, {1, 0});      // three DATA_INPUTs
  s.add({.a = 5, .b = 1, .c = 10}, {});         // flat 3
  s.add({.a = 10, .b = 11, .c = -11}, {0, 1});  // 4, of nodes 0 and 3
  s.add({.a = 5, .b = 1, .c = 10}, {});         // 5
  s.add({.a = 6, .b = 10}, {2, 3});             // 6 and 7
  s.add({.a = 10, .b = 11, .c = -12}, {3, 4});  // 8, of 5 and 7
  s.add({.a = 4, .b = 1}, {5, 4});              // 9

  auto library = genome::verify(std::move(r));
  REQUIRE(library);
  const auto program = genome::verify(std::move(s), *library);
  INFO((program ? std::string() : code_of(program.error())));
  REQUIRE(program);
  genomics::corpus c;
  REQUIRE(add_graph(c, "named", *program, {.parameter_names = true}).code == errc::ok);
  REQUIRE(add_graph(c, "plain", *program).code == errc::ok);
  const std::string linear = "linear:node_args(2):kwargs() in0,in1 ";
  lines expected{"<DATA_INPUT>",
                 "<DATA_INPUT>",
                 "<DATA_INPUT>",
                 "<CONST_REF> {parameter weight}",
                 linear + "{arg1 int 3; arg4 torch.dtype \"torch.float32\"} [0 3]",
                 "<CONST_REF> {parameter weight}",
                 linear + "{arg2 int 3} [4 5]",
                 "to:node_args(1):kwargs('dtype',) in0 {dtype torch.dtype \"torch.float32\"} [6]",
                 linear + "{arg2 int 3} [5 7]",
                 "<OUTPUT> [8 7]"};
  CHECK(show(c, 0) == expected);
  auto named = signature_of(c, 0), plain = signature_of(c, 1);
  REQUIRE(named);
  REQUIRE(plain);
  CHECK(read_back(*std::move(named), true) == expected);
  CHECK(map_of(plain->registry, plain->registry.parameters) == lines{"10 parameter"});
  CHECK(read_back(*std::move(plain)) == show(c, 1));
  expected[3] = expected[5] = "<CONST_REF>";
  CHECK(show(c, 1) == expected);
}

TEST_CASE("genome_tools/signature: references inside of a block are relative", "[genome_tools]") {
  build b;
  b.add("<DATA_INPUT>", "", {});
  b.add("<DATA_INPUT>", "", {});
  b.add("<CONTROL_FLOW_PREFIX>", "IF", {{"", "blocks", "5,1"}}, {0, 1});
  b.add(relu, "in0", {}, {1});
  b.add("<CONTROL_FLOW_PREFIX>", "WHILE", {{"", "blocks", "1,1"}}, {3});
  b.add(relu, "in0", {}, {3});
  b.add(relu, "in0", {}, {3});
  b.add(relu, "in0", {}, {4});
  b.add(relu, "in0", {}, {1});
  b.add(relu, "in0", {}, {2});
  b.add("<OUTPUT>", "", {}, {9});
  auto s = signature_of(b.c, 0);
  REQUIRE(s);
  CHECK(nodes_of(s->stream) == lines{"2 1 0 []", "2 1 0 []", "8 1 0 [5 1 0 1]", "10 10 0 [1]",
                                     "8 2 0 [1 1 -1]", "10 10 0 [3]", "10 10 0 [3]", "10 10 0 [-3]",
                                     "10 10 0 [1]", "10 10 0 [2]", "4 1 0 [9]"});
  CHECK(read_back(*std::move(s)) == show(b.c, 0));
}

TEST_CASE("genome_tools/signature: all graphs of a corpus over one registry", "[genome_tools]") {
  build b;
  b.add("<DATA_INPUT>", "", {});
  b.add(relu, "in0", {}, {0});
  b.c.begin("second");
  b.add("<DATA_INPUT>", "", {});
  b.add("neg:node_args(1):kwargs()", "in0", {}, {0});
  b.add(relu, "in0", {}, {1});
  b.c.begin("empty");
  const auto all = signatures_of(b.c);
  REQUIRE(all);
  REQUIRE(all->streams.size() == 3);
  CHECK(nodes_of(all->streams[0]) == lines{"2 1 0 []", "10 10 0 [0]"});
  CHECK(nodes_of(all->streams[1]) == lines{"2 1 0 []", "11 10 0 [0]", "10 10 0 [1]"});
  CHECK(all->streams[2].size() == 0);
  const auto second = signature_of(b.c, 1);  // separately, it has other ids
  REQUIRE(second);
  CHECK(nodes_of(second->stream) == lines{"2 1 0 []", "10 10 0 [0]", "11 10 0 [1]"});

  b.c.begin("wrong");
  b.add("<DATA_INPUT>", "", {});
  b.add("<PATTERN_PREFIX>", "", {});
  std::size_t failed = 0;
  const auto none = signatures_of(b.c, &failed);
  REQUIRE_FALSE(none);
  CHECK(code_of(none.error()) == "genome_command at 1");
  CHECK(failed == 3);
}

TEST_CASE("genome_tools/signature: limits of ids", "[genome_tools]") {
  // The error is the first node's that finds no id: those before it have theirs.
  {
    build b;
    for (int i = 0; i < 246; ++i) b.add("op" + std::to_string(i), "", {});
    b.add("op0", "", {});
    CHECK(signature_error(b.c) == "ok");
    b.add("one more", "", {});
    CHECK(signature_error(b.c) == "genome_operations_full at 247");
  }
  {
    build b;
    b.add("<DATA_INPUT>", "", {});
    for (int i = 0; i < 246; ++i) b.add("op", "in" + std::to_string(i), {}, {0});
    CHECK(signature_error(b.c) == "ok");
    b.add("op", "in246", {}, {0});
    CHECK(signature_error(b.c) == "genome_operations_full at 247");
  }
  constexpr int most = 32767 - 10 + 1;
  {
    build b;
    for (int i = 0; i <= most; ++i) {
      const std::string value = std::to_string(i);
      b.add("op", "", {{"arg0", "int", value}});
    }
    CHECK(signature_error(b.c) == "genome_ids_full at 32758");
  }
  {
    build b;
    for (int i = 0; i < most; ++i) {
      const std::string key = "k" + std::to_string(i);
      b.add("op", "", {{key, "int", "1"}});
    }
    const auto full = signature_of(b.c, 0);
    REQUIRE(full);
    CHECK(full->stream.nodes[most - 1].c == -32768);
    b.add("op", "", {{"k", "int", "1"}});
    CHECK(signature_error(b.c) == "genome_ids_full at 32758");
  }
  {
    build b;
    for (int i = 0; i <= most; ++i) {
      const std::string name = "p" + std::to_string(i);
      b.add("<CONST_REF>", "", {{"", "parameter", name}});
    }
    CHECK(signature_error(b.c) == "genome_ids_full at 32758");
  }
}

TEST_CASE("genome_tools/signature: limits of references and inputs", "[genome_tools]") {
  {
    build b;
    for (int i = 0; i < 32769; ++i) b.add("<DATA_INPUT>", "", {});
    b.add("<OUTPUT>", "", {}, {32767});
    CHECK(signature_error(b.c) == "ok");
    b.add("<OUTPUT>", "", {}, {32768});
    CHECK(signature_error(b.c) == "genome_reference_range at 32770");
  }
  for (const std::uint32_t size : {32767u, 32768u}) {  // of a block
    build b;
    b.add("<DATA_INPUT>", "", {});
    const std::string blocks = std::to_string(size) + ",1";
    b.add("<CONTROL_FLOW_PREFIX>", "IF", {{"", "blocks", blocks}}, {0});
    for (std::uint32_t i = 0; i < size; ++i) b.add("op", "", {});
    b.add(relu, "in0", {}, {0});
    CHECK(signature_error(b.c) == (size == 32767 ? "ok" : "genome_reference_range at 1"));
  }
  for (const std::uint32_t far : {32767u, 32768u}) {  // absolute, from inside of a block
    build b;
    for (int i = 0; i < 32769; ++i) b.add("<DATA_INPUT>", "", {});
    b.add("<CONTROL_FLOW_PREFIX>", "IF", {{"", "blocks", "1,2"}}, {0, 1});
    b.add(relu, "in0", {}, {far});
    b.add(relu, "in0", {}, {1});
    b.add(relu, "in0", {}, {32771});
    CHECK(signature_error(b.c) == (far == 32767 ? "ok" : "genome_reference_range at 32770"));
  }
  for (const std::uint32_t count : {255u, 256u}) {
    build b;
    b.add("<DATA_INPUT>", "", {});
    b.add("<OUTPUT>", "", {}, std::vector<std::uint32_t>(count, 0));
    CHECK(signature_error(b.c) == (count == 255 ? "ok" : "genome_node_inputs at 1"));
  }
  for (const std::uint32_t count : {253u, 254u}) {
    build b;
    b.add("<DATA_INPUT>", "", {});
    b.add("<CONTROL_FLOW_PREFIX>", "WHILE", {{"", "blocks", "1,1"}},
          std::vector<std::uint32_t>(count, 0));
    b.add(relu, "in0", {}, {0});
    b.add(relu, "in0", {}, {0});
    CHECK(signature_error(b.c) == (count == 253 ? "ok" : "genome_node_inputs at 1"));
  }
}

TEST_CASE("genome_tools/signature: corpora that no source gives", "[genome_tools]") {
  const auto control = [](std::string_view which, std::string_view sizes) {
    build b;
    b.add("<DATA_INPUT>", "", {});
    b.add("<CONTROL_FLOW_PREFIX>", which, {{"", "blocks", sizes}}, {0});
    b.add(relu, "in0", {}, {0});
    b.add(relu, "in0", {}, {0});
    return signature_error(b.c);
  };
  CHECK(control("IF", "1,1") == "ok");
  CHECK(control("WHEN", "1,1") == "genome_control_form at 1");
  for (const char* sizes : {"", "1", "1,", ",1", "1,1,1", "1;1", "1,x", "99999999999,1"})
    CHECK(control("IF", sizes) == "genome_control_form at 1");
  CHECK(control("IF", "0,2") == "genome_block_length at 1");
  CHECK(control("IF", "2,0") == "genome_block_length at 1");
  CHECK(control("IF", "1,2") == "genome_block_length at 1");
  CHECK(control("WHILE", "9999999999,9999999999") == "genome_block_length at 1");

  for (const std::string_view command :
       {"<NONE>", "<PATTERN_PREFIX>", "<COPY_PREFIX>", "<RESERVED>"}) {
    build b;
    b.add(command, "", {});
    CHECK(signature_error(b.c) == "genome_command at 0");
  }
  build b;
  b.add("<DATA_INPUT>", "", {});
  b.add(relu, "in0", {}, {1});
  CHECK(signature_error(b.c) == "genome_reference at 1");
}

TEST_CASE("genome_tools/signature: real files, there and back", "[genome_tools]") {
  const std::filesystem::path data(TESSERA_TESTS_DATA_DIR);
  genomics::corpus c;
  for (const char* name : {"mini_v16.nac", "mini_v17.nac", "mini_v18.nac", "two_outputs.nac"}) {
    const std::string content = content_of(data / "nac" / name);
    tessera::pool<std::byte> bytes;
    for (const char byte : content) bytes.push_back(static_cast<std::byte>(byte));
    const nac_program p = nac_of_bytes(std::move(bytes));
    INFO(name);
    REQUIRE(add_graph(c, name, *p.program, {.parameter_names = true}).code == errc::ok);
    CHECK(c[c.size() - 1].size() == p.program->size());
  }
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"ok", "rules"})
    for (const auto& f : std::filesystem::directory_iterator(data / "ark" / folder))
      files.push_back(f.path());
  std::sort(files.begin(), files.end());
  std::size_t graphs = 0;
  for (const std::filesystem::path& f : files) {
    const std::string content = content_of(f);
    const auto g = ark::read(content);
    if (!g) continue;  // some of the rules' files break the format itself
    ++graphs;
    REQUIRE(add_graph(c, f.filename().string(), *g).code == errc::ok);
  }
  CHECK(graphs > 50);
  for (std::size_t g = 0; g < c.size(); ++g) {
    INFO(c.name(g));
    auto s = signature_of(c, g);
    REQUIRE(s);
    CHECK(read_back(*std::move(s), true) == show(c, g));
  }

  auto all = signatures_of(c);
  REQUIRE(all);
  REQUIRE(all->streams.size() == c.size());
  auto library = genome::verify(std::move(all->registry));
  REQUIRE(library);
  genomics::corpus back;
  for (std::size_t g = 0; g < c.size(); ++g) {
    const auto program = genome::verify(std::move(all->streams[g]), *library);
    REQUIRE(program);
    REQUIRE(add_graph(back, "g", *program, {.parameter_names = true}).code == errc::ok);
    CHECK(show(back, g) == show(c, g));
  }
}

TEST_CASE("genome_tools/signature: values and names that registries have no plain form for",
          "[genome_tools]") {
  genomics::corpus c;
  const nac_program p = nac_of_text(R"(
    weights external
    code:
      x = input
      w = parameter "a=b;'\xff\"\n"
      a = nac.mul(x, nan)
      b = nac.mul(a, -inf)
      d = nac.mul(b, inf)
      e = nac.mul(d, -0.0)
      f = aten.gelu.default(e, "\x80;=\"")
      g = aten.upsample_nearest2d.vec(f, null, floats [1.0, 0.1])
      h = aten.layer_norm.default(g, ints [-2147483648])
      i = nac.mul(h, -9223372036854775808)
      output(i, w)
  )");
  REQUIRE(add_graph(c, "nac", *p.program, {.parameter_names = true}).code == errc::ok);
  const std::string json =
      R"({"Rank":0,"WorldSize":1,"Nodes":[{"Id":0,"ProducerNodeIds":[],"ConsumerNodeIds":[],"Op":)"
      R"({"Type":"O:node_args(9):kwargs()'","Name":"","IsVirtual":false,"ReadTensors":[],)"
      R"("WriteTensors":[],"ResultTensors":[],"Args":{"e'=;,":{"BOOL":true},"":{"UINT64":)"
      R"(18446744073709551615},"d":{"DIMS":[]},"arg1":{"NEW":[1, "x"]}}}}]})";
  const auto g = ark::read(json);
  INFO((g ? std::string_view() : g.error().name()));
  REQUIRE(g);
  REQUIRE(add_graph(c, "ark", *g).code == errc::ok);
  for (std::size_t i = 0; i < c.size(); ++i) {
    auto s = signature_of(c, i);
    REQUIRE(s);
    CHECK(read_back(*std::move(s), true) == show(c, i));
  }
  CHECK(show(c, 0)[9] == "<CONST_REF> {parameter a=b;'\xef\xbf\xbd\"\n}");
  CHECK(show(c, 0)[5] ==
        "aten.gelu.default:node_args(1):kwargs() in0 {arg1 str \"\xef\xbf\xbd;=\\\"\"} [4]");
}

TEST_CASE("genome_tools/signature: control flow of a .nac, there and back", "[genome_tools]") {
  const nac_program p = nac_of_text(R"(
    code:
      p = input
      x = input
      outer = control_flow(p, 5, 0)
      a = nac.neg(x)
      inner = control_flow(a, 2, 1)
      b = nac.add(a, x)
      subgraph_output(b)
      d = aten.cat.default(x, a, x, a, 0)
      e = nac.neg(outer)
      last = control_flow(e, 0, 0)
      output(last)
  )");
  genomics::corpus c;
  REQUIRE(add_graph(c, "g", *p.program).code == errc::ok);
  auto s = signature_of(c, 0);
  REQUIRE(s);
  CHECK(nodes_of(s->stream) == lines{"2 1 0 []", "2 1 0 []", "8 1 0 [5 1 0 1]", "10 10 0 [1]",
                                     "8 1 0 [2 1 -1 1 -1]", "11 11 0 [1 3]", "4 1 0 [-1]",
                                     "12 12 10 [1 3]", "4 1 0 []", "10 10 0 [2]", "8 1 0 [1 1 9]",
                                     "4 1 0 []", "4 1 0 []", "4 1 0 [10]"});
  CHECK(read_back(*std::move(s)) == show(c, 0));
}
