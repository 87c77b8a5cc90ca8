// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What the reader makes of texts: values, everything that it keeps, and each of its errors at its
// place.

#include "samples.hpp"
// Keeps the line above where it is.
#include <cstdint>
#include <map>
#include <sstream>
#include <string>

namespace {

namespace ark = tessera::ark;
using ark::dialect;
using tessera::errc;
using tessera::error;

/// Reads a text in which '@' marks where the error is expected.
bool refused(std::string text, errc code, const tessera::limits& limit = {}) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) FAIL("no mark in " << text);
  text.erase(at, 1);
  const error e = ark::read(text, {.limit = limit}).error();
  if (e == error{code, at}) return true;
  UNSCOPED_INFO(text << "\n"
                     << std::string(e.name()) << " at " << e.offset << ", not "
                     << std::string(error{code, 0}.name()) << " at " << at);
  return false;
}

/// One node around an operation, an operation around a tensor, a tensor around a buffer.
std::string with_node(const std::string& n) { return samples::file({n}); }
std::string with_op(const std::string& o) { return with_node(samples::node(0, "[]", "[]", o)); }
std::string with_tensor(const std::string& t) {
  return with_op(samples::op("Relu", "[" + t + "]", "[]", "[]"));
}
std::string with_buffer(const std::string& b) {
  return with_tensor(
      R"({"Id":0,"DataType":"FP32","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],"Buffer":)" +
      b + "}");
}
const std::string good_op = samples::op("Relu", "[]", "[]", "[]");
const std::string good_tensor = samples::tensor(0, 0);
const std::string good_buffer = samples::buffer(0);

/// `all` with its first `from` replaced, in each of some ways.
std::string changed(const std::string& all, const char* from, const char* to) {
  return samples::with(all, from, to);
}

}  // namespace

TEST_CASE("ark/read: a model", "[ark]") {
  const std::string text = R"( {
    "WorldSize" : 4, "Nodes" : [ {
      "Op" : { "Args": {"Axis":{"INT":-1}}, "ResultTensors": [ {
          "Buffer": {"RecvTags":[[2,-2147483648],[3,2147483647]],"Id":9,"SendTags":[],"Rank":2},
          "PaddedShape":[1,2,3,4], "Offsets":[0,1,2,3], "Id": 9223372036854775807,
          "Strides":[5,6,7,8], "Shape":[1,2,2,4], "DataType":"BF16" } ],
        "WriteTensors": [], "ReadTensors": [], "IsVirtual": true, "Name": "\u00e9\n", "Type": "ReduceSum" },
      "ConsumerNodeIds": [7, 8], "ProducerNodeIds": [], "Id": 7 } ],
    "Rank" : 3 } )";
  const ark::model g = samples::model(text);
  CHECK(g.rank == 3);
  CHECK(g.world_size == 4);
  CHECK(g.form == dialect::d3);
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].id == 7);
  CHECK(g.nodes[0].offset == text.find("{\n      \"Op\""));
  CHECK(ark::integers(g, g.nodes[0].producers).size() == 0);
  REQUIRE(ark::integers(g, g.nodes[0].consumers).size() == 2);
  CHECK(ark::integers(g, g.nodes[0].consumers)[1] == 8);
  const ark::op& o = g.ops[0];
  CHECK(o.type == ark::op_type::reduce_sum);
  CHECK(o.is_virtual);
  CHECK(ark::name(g, o) == "\u00e9\n");
  REQUIRE(ark::results(g, o).size() == 1);
  const ark::tensor& t = g.tensors[ark::results(g, o)[0]];
  CHECK(t.id == INT64_MAX);
  CHECK(t.type == ark::data_type::bf16);
  const ark::layout& l = ark::layout_of(g, 0);
  CHECK(l.rank == 4);
  for (int d = 0; d < 4; ++d) {
    CHECK(l.shape[d] == (d == 2 ? 2 : d + 1));
    CHECK(l.strides[d] == d + 5);
    CHECK(l.offsets[d] == d);
    CHECK(l.padded_shape[d] == d + 1);
  }
  const ark::buffer& b = ark::buffer_of(g, 0);
  CHECK(b.id == 9);
  CHECK(b.rank == 2);
  CHECK(b.external == ark::external::absent);
  REQUIRE(ark::tags(g, b.recv_tags).size() == 2);
  CHECK(ark::tags(g, b.recv_tags)[0] == ark::tag{2, INT32_MIN});
  CHECK(ark::tags(g, b.recv_tags)[1] == ark::tag{3, INT32_MAX});
  CHECK(ark::find_argument(g, o, ark::argument_name::axis)->integer == -1);
}

TEST_CASE("ark/read: tensors and buffers stand once", "[ark]") {
  const ark::model g =
      samples::model(samples::file({samples::relu(0, 0, "[]", "[1]"), samples::relu(1, 2, "[0]")}));
  CHECK(g.uses.size() == 6);
  CHECK(g.tensors.size() == 5);
  CHECK(g.buffers.size() == 3);
  CHECK(g.layouts.size() == 1);
  // With another description they are others.
  const auto tensors = [](const std::string& second) {
    const ark::model two = samples::model(with_op(samples::op(
        "Add", "[" + good_tensor + "," + second + "," + good_tensor + "]", "[]", "[]")));
    return std::pair(two.tensors.size(), two.buffers.size());
  };
  CHECK(tensors(good_tensor) == std::pair<std::size_t, std::size_t>(1, 1));
  CHECK(tensors(changed(good_tensor, "FP32", "INT32")).first > 1);
  CHECK(tensors(changed(good_tensor, R"("Shape":[4,8])", R"("Shape":[4,7])")).first > 1);
  CHECK(tensors(changed(good_tensor, R"("Rank":-1)", R"("Rank":0)")).second > 1);
  CHECK(tensors(changed(good_tensor, R"("SendTags":[])", R"("SendTags":[[0,1]])")).second > 1);
  CHECK(tensors(changed(good_tensor, R"("RecvTags":[])", R"("RecvTags":[],"x":1)")).second > 1);
}

TEST_CASE("ark/read: dialects", "[ark]") {
  const auto form = [](const std::string& text) { return samples::model(text).form; };
  const std::string d3 = with_tensor(good_tensor);
  const auto many = [](std::string text) {
    text = samples::with(text, R"("Op":{)", R"("Ops":[{)");
    return samples::with(text, "\"Args\":{}}", "\"Args\":{}}]");
  };
  const std::string third =
      changed(changed(good_tensor, R"("DataType":"FP32",)",
                      (R"("DataType":"FP32","Buffer":)" + good_buffer + ",").c_str()),
              (R"(,"Buffer":)" + good_buffer + "}").c_str(), "}");
  CHECK(form(d3) == dialect::d3);
  CHECK(form(changed(d3, R"("RecvTags":[])", R"("RecvTags":[],"IsExternal":false)")) ==
        dialect::d3x);
  CHECK(form(many(d3)) == dialect::d2);
  CHECK(form(many(changed(d3, R"("RecvTags":[])", R"("RecvTags":[],"IsExternal":true)"))) ==
        dialect::d2x);
  CHECK(form(many(with_tensor(third))) == dialect::d1b);
  CHECK(form(many(with_tensor(changed(third, "PaddedShape", "Pads")))) == dialect::d1a);
  std::string matmul = many(with_tensor(third));
  matmul = changed(matmul, "Relu", "Matmul");
  CHECK(form(matmul) == dialect::d1c);
  CHECK(form(changed(matmul, R"("Args":{})", R"("Args":{"ShapeMNK":{"DIMS":[1]}})")) ==
        dialect::d1b);
  CHECK(form(samples::file({})) == dialect::d3);
}

TEST_CASE("ark/read: every type of argument", "[ark]") {
  const auto argument = [](const std::string& value) {
    static ark::model g;
    g = samples::model(samples::with_args(R"({"x":)" + value + "}"));
    return g.arguments[0];
  };
  using type = ark::argument_type;
  const auto integer = [&](const char* value, type expected) {
    const ark::argument a = argument(value);
    CHECK(a.type == expected);
    return a.integer;
  };
  CHECK(integer(R"({"INT":-2147483648})", type::int32) == INT32_MIN);
  CHECK(integer(R"({"INT":2147483647})", type::int32) == INT32_MAX);
  CHECK(integer(R"({"INT64":-9223372036854775808})", type::int64) == INT64_MIN);
  CHECK(integer(R"({"UINT64":18446744073709551615})", type::uint64) == -1);
  CHECK(integer(R"({"UINT32":4294967295})", type::uint32) == 4294967295);
  CHECK(integer(R"({"BOOL":true})", type::boolean) == 1);
  CHECK(integer(R"({"BOOL":false})", type::boolean) == 0);
  CHECK(argument(R"({"FLOAT":0.1})").real == 0.1f);
  CHECK(argument(R"({"FLOAT":3})").real == 3.0f);
  CHECK(argument(R"({"FLOAT":1e-46})").real == 0.0f);
  CHECK(argument(R"({"DIMS":[]})").integers.count == 0);
  CHECK(argument(R"({"DIMS":[1,-2,3,4]})").integers.count == 4);
  CHECK(argument(R"({"OFFSET":{"BufferId":3,"Value":4096}})").integers.count == 2);
  CHECK(argument(R"({"OFFSET":{"Value":4096,"BufferId":3}})").type == type::offset);
  CHECK(argument(R"({"OFFSET":8192})").integers.count == 1);
  CHECK(argument(R"({"TENSOR":)" + good_tensor + "}").type == type::tensor);
  // What is none of these is kept as it stood.
  for (const char* const value : {"{}",
                                  "1",
                                  "null",
                                  "[]",
                                  R"("s")",
                                  R"({"INT":1,"INT64":1})",
                                  R"({"INT":2147483648})",
                                  R"({"INT":1.0})",
                                  R"({"INT":"1"})",
                                  R"({"INT":true})",
                                  R"({"UINT32":-1})",
                                  R"({"UINT32":4294967296})",
                                  R"({"UINT64":-1})",
                                  R"({"UINT64":18446744073709551616})",
                                  R"({"BOOL":1})",
                                  R"({"BOOL":null})",
                                  R"({"FLOAT":null})",
                                  R"({"FLOAT":"1"})",
                                  R"({"FLOAT":1e39})",
                                  R"({"DIMS":[1,2,3,4,5]})",
                                  R"({"DIMS":[1.5]})",
                                  R"({"DIMS":3})",
                                  R"({"OFFSET":{"BufferId":3}})",
                                  R"({"OFFSET":{"BufferId":3,"Value":1,"x":1}})",
                                  R"({"OFFSET":{"BufferId":-3,"Value":1}})",
                                  R"({"OFFSET":-1})",
                                  R"({"OFFSET":[]})",
                                  R"({"TENSOR":{}})",
                                  R"({"TENSOR":1})",
                                  R"({"STRING":"x"})",
                                  R"({"int":1})"}) {
    const std::string text = samples::with_args(R"({"x":)" + std::string(value) + "}");
    const ark::model g = samples::model(text);
    INFO(value);
    CHECK(g.arguments[0].type == type::other);
    CHECK(ark::text_of(g, g.arguments[0].token) == value);
    CHECK(samples::json(g) == text);
  }
}

TEST_CASE("ark/read: what the format doesn't know survives", "[ark]") {
  const std::string b = changed(good_buffer, "}", R"(,"ExternalDataSize":8,"b":[{}]})");
  const std::string t =
      changed(samples::tensor(0, 0, "[4,8]", R"(,"t":null)"), good_buffer.c_str(), b.c_str());
  const std::string o = samples::op("Some\\u0041thing", "[" + t + "]", "[]", "[]",
                                    R"({"y":{"INT":1}})", R"(,"o":"\u00e9")");
  const std::string text = samples::file({samples::node(0, "[]", "[]", o, R"(,"n":[ 1 , 2.50 ])")},
                                         R"(,"r":{ "a" : { } },"Op":1)");
  const ark::model g = samples::model(text);
  CHECK(ark::type_name(g, g.ops[0]) == "SomeAthing");
  CHECK(g.ops[0].type == ark::op_type::unknown);
  CHECK(ark::name(g, g.arguments[0]) == "y");
  std::string compact = samples::with(text, "[ 1 , 2.50 ]", "[1,2.50]");
  compact = samples::with(compact, R"({ "a" : { } })", R"({"a":{}})");
  compact = samples::with(compact, "\\u0041", "A");
  compact = samples::with(compact, "\\u00e9", "\u00e9");
  CHECK(samples::json(g) == compact);
}

TEST_CASE("ark/read: S01 to S04, the root", "[ark]") {
  CHECK(refused("@[]", errc::ark_s01_root));
  CHECK(refused(" @7", errc::ark_s01_root));
  CHECK(refused("@null", errc::ark_s01_root));
  CHECK(refused("@{}", errc::ark_s02_root_member));
  CHECK(refused(R"(@{"Rank":0,"WorldSize":1})", errc::ark_s02_root_member));
  CHECK(refused(R"(@{"Rank":0,"Nodes":[]})", errc::ark_s02_root_member));
  CHECK(refused(R"( @{"WorldSize":1,"Nodes":[]})", errc::ark_s02_root_member));
  const auto root = [](const char* rank, const char* world, const char* nodes = "[]") {
    return std::string(R"({"Rank":)") + rank + R"(,"WorldSize":)" + world + R"(,"Nodes":)" + nodes +
           "}";
  };
  CHECK(refused(root("@1", "1"), errc::ark_s03_world));
  CHECK(refused(root("@-1", "1"), errc::ark_s03_world));
  CHECK(refused(root("@0", "0"), errc::ark_s03_world));
  CHECK(refused(root("0", "@-1"), errc::ark_s03_world));
  CHECK(refused(root("@0.0", "1"), errc::ark_s03_world));
  CHECK(refused(root("0", "@1e0"), errc::ark_s03_world));
  CHECK(refused(root("@\"0\"", "1"), errc::ark_s03_world));
  CHECK(refused(root("0", "@2147483648"), errc::ark_s03_world));
  CHECK(refused(root("@99999999999999999999", "1"), errc::ark_s03_world));
  CHECK(samples::model(root("2147483646", "2147483647")).rank == 2147483646);
  CHECK(refused(root("0", "1", "@{}"), errc::ark_s04_nodes));
  CHECK(refused(root("0", "1", "@null"), errc::ark_s04_nodes));
  CHECK(refused(root("0", "1", "[@1]"), errc::ark_s04_nodes));
  CHECK(refused(root("0", "1", "[@[]]"), errc::ark_s04_nodes));
}

TEST_CASE("ark/read: S05 to S07, nodes", "[ark]") {
  const std::string n = samples::node(0, "[]", "[]", good_op);
  const auto node = [&](const char* from, const char* to) {
    return with_node(changed(n, from, to));
  };
  const auto lacks = [&](const char* member) { return with_node("@" + changed(n, member, "")); };
  CHECK(refused(lacks(R"("Id":0,)"), errc::ark_s05_node_member));
  CHECK(refused(lacks(R"("ProducerNodeIds":[],)"), errc::ark_s05_node_member));
  CHECK(refused(lacks(R"("ConsumerNodeIds":[],)"), errc::ark_s05_node_member));
  CHECK(refused(node(R"("Id":0)", R"("Id":@"0")"), errc::ark_s05_node_member));
  CHECK(refused(node(R"("Id":0)", R"("Id":@null)"), errc::ark_s05_node_member));
  CHECK(refused(node(R"("ConsumerNodeIds":[])", R"("ConsumerNodeIds":@{})"),
                errc::ark_s05_node_member));
  CHECK(refused(node(R"("ProducerNodeIds":[])", R"("ProducerNodeIds":[1,@"2"])"),
                errc::ark_s05_node_member));
  CHECK(refused(node(R"("Id":0)", R"("Id":@-1)"), errc::ark_s13_integer));
  CHECK(refused(node(R"("Id":0)", R"("Id":@0.5)"), errc::ark_s13_integer));
  CHECK(refused(node(R"("Id":0)", R"("Id":@9223372036854775808)"), errc::ark_s13_integer));
  CHECK(refused(node(R"("ProducerNodeIds":[])", R"("ProducerNodeIds":[1,@1e2])"),
                errc::ark_s13_integer));
  CHECK(refused(with_node("@" + changed(n, (R"(,"Op":)" + good_op).c_str(), "")),
                errc::ark_s06_op_or_ops));
  CHECK(refused(node(R"("Op":{)", R"("Op":@[{)"), errc::ark_s06_op_or_ops));
  CHECK(
      refused(with_node("@" + samples::node(0, "[]", "[]", good_op, ",\"Ops\":[" + good_op + "]")),
              errc::ark_s06_op_or_ops));
  CHECK(refused(samples::file({n, "@" + samples::node_of(1, "[]", "[]", "[" + good_op + "]")}),
                errc::ark_s06_op_or_ops));
  CHECK(refused(samples::file({samples::node_of(1, "[]", "[]", "[" + good_op + "]"), "@" + n}),
                errc::ark_s06_op_or_ops));
  CHECK(
      refused(with_node(samples::node_of(0, "[]", "[]", "@" + good_op)), errc::ark_s06_op_or_ops));
  CHECK(refused(with_node(samples::node_of(0, "[]", "[]", "@[]")), errc::ark_s07_no_ops));
  CHECK(refused(with_node(samples::node_of(0, "[]", "[]", "[@1]")), errc::ark_s08_op_member));
}

TEST_CASE("ark/read: S08, operations", "[ark]") {
  for (const char* const member :
       {R"("Type":"Relu",)", R"("Name":"x",)", R"("IsVirtual":false,)", R"("ReadTensors":[],)",
        R"("WriteTensors":[],)", R"("ResultTensors":[],)", R"(,"Args":{})"}) {
    INFO(member);
    CHECK(refused(with_op("@" + changed(good_op, member, "")), errc::ark_s08_op_member));
  }
  const std::pair<const char*, const char*> wrong[] = {
      {R"("Type":"Relu")", R"("Type":@1)"},
      {R"("Name":"x")", R"("Name":@null)"},
      {R"("IsVirtual":false)", R"("IsVirtual":@0)"},
      {R"("ReadTensors":[])", R"("ReadTensors":@{})"},
      {R"("WriteTensors":[])", R"("WriteTensors":@null)"},
      {R"("ResultTensors":[])", R"("ResultTensors":@"")"},
      {R"("Args":{})", R"("Args":@1)"},
      {R"("Args":{})", R"("Args":@"")"},
      {R"("Args":{})", R"("Args":@[1])"},
  };
  for (const auto& [from, to] : wrong) {
    INFO(to);
    CHECK(refused(with_op(changed(good_op, from, to)), errc::ark_s08_op_member));
  }
  CHECK(samples::model(with_op(changed(good_op, R"("Args":{})", R"("Args":null)"))).ops[0].args ==
        ark::args_form::null);
  CHECK(samples::model(with_op(changed(good_op, R"("Args":{})", R"("Args":[ ])"))).ops[0].args ==
        ark::args_form::array);
}

TEST_CASE("ark/read: S09, T01 and T06, tensors", "[ark]") {
  for (const char* const member :
       {R"("Id":0,)", R"("DataType":"FP32",)", R"("Shape":[4,8],)", R"("Strides":[4,8],)",
        R"("Offsets":[0,0],)", R"("PaddedShape":[4,8],)"}) {
    INFO(member);
    CHECK(
        refused(with_tensor("@" + changed(good_tensor, member, "")), errc::ark_s09_tensor_member));
  }
  const std::string no_buffer = changed(good_tensor, (R"(,"Buffer":)" + good_buffer).c_str(), "");
  CHECK(refused(with_tensor("@" + no_buffer), errc::ark_s09_tensor_member));
  CHECK(refused(with_tensor("@" + changed(good_tensor, R"("Id":0,)", R"("Id":0,"Pads":[1,1],)")),
                errc::ark_s09_tensor_member));
  const std::tuple<const char*, const char*, errc> wrong[] = {
      {R"("Id":0)", R"("Id":@"0")", errc::ark_s09_tensor_member},
      {R"("Id":0)", R"("Id":@-1)", errc::ark_s13_integer},
      {R"("DataType":"FP32")", R"("DataType":@1)", errc::ark_s09_tensor_member},
      {R"("DataType":"FP32")", R"("DataType":@"FP64")", errc::ark_t06_data_type},
      {R"("DataType":"FP32")", R"("DataType":@"fp32")", errc::ark_t06_data_type},
      {R"("DataType":"FP32")", R"("DataType":@"NONE")", errc::ark_t06_data_type},
      {R"("DataType":"FP32")", R"("DataType":@"")", errc::ark_t06_data_type},
      {R"("Shape":[4,8])", R"("Shape":@4)", errc::ark_s09_tensor_member},
      {R"("Shape":[4,8])", R"("Shape":[4,@4.5])", errc::ark_s13_integer},
      {R"("Shape":[4,8])", R"("Shape":[4,@null])", errc::ark_s13_integer},
      {R"("Strides":[4,8])", R"("Strides":@[4,8,1])", errc::ark_t01_rank},
      {R"("Offsets":[0,0])", R"("Offsets":@[0])", errc::ark_t01_rank},
      {R"("PaddedShape":[4,8])", R"("PaddedShape":@[])", errc::ark_t01_rank},
      {R"("Shape":[4,8])", R"("Shape":@[1,2,3,4,5])", errc::ark_t01_rank},
      {R"("Offsets":[0,0])", R"("Offsets":@[1,2,3,4,5])", errc::ark_t01_rank},
  };
  for (const auto& [from, to, code] : wrong) {
    INFO(to);
    CHECK(refused(with_tensor(changed(good_tensor, from, to)), code));
  }
  CHECK(refused(with_op(samples::op("Relu", "[@1]", "[]", "[]")), errc::ark_s09_tensor_member));
  CHECK(refused(with_tensor(changed(good_tensor, good_buffer.c_str(), "@[]")),
                errc::ark_s09_tensor_member));
  // Whether dimensions make sense is no matter of reading.
  CHECK(samples::model(with_tensor(changed(good_tensor, R"("Shape":[4,8])", R"("Shape":[-4,0])")))
            .layouts[0]
            .shape[0] == -4);
  for (const char* const type : {"FP8_E4M3", "FP8_E5M2", "BYTE", "UINT32"})
    CHECK(ark::info(samples::model(with_tensor(changed(good_tensor, "FP32", type))).tensors[0].type)
              .name == type);
}

TEST_CASE("ark/read: S10 and B03, buffers", "[ark]") {
  for (const char* const member :
       {R"("Id":0,)", R"("Rank":-1,)", R"("SendTags":[],)", R"(,"RecvTags":[])"}) {
    INFO(member);
    CHECK(
        refused(with_buffer("@" + changed(good_buffer, member, "")), errc::ark_s10_buffer_member));
  }
  const std::tuple<const char*, const char*, errc> wrong[] = {
      {R"("Id":0)", R"("Id":@[])", errc::ark_s10_buffer_member},
      {R"("Id":0)", R"("Id":@-1)", errc::ark_s13_integer},
      {R"("Rank":-1)", R"("Rank":@"x")", errc::ark_s10_buffer_member},
      {R"("Rank":-1)", R"("Rank":@-2147483649)", errc::ark_s13_integer},
      {R"("Rank":-1)", R"("Rank":@2147483648)", errc::ark_s13_integer},
      {R"("SendTags":[])", R"("SendTags":@{})", errc::ark_s10_buffer_member},
      {R"("SendTags":[])", R"("SendTags":[@1,2])", errc::ark_b03_tags},
      {R"("RecvTags":[])", R"("RecvTags":[@[1]])", errc::ark_b03_tags},
      {R"("RecvTags":[])", R"("RecvTags":[[1,2],@[1,2,3]])", errc::ark_b03_tags},
      {R"("RecvTags":[])", R"("RecvTags":[[1,@2147483648]])", errc::ark_b03_tags},
      {R"("RecvTags":[])", R"("RecvTags":[[@"1",2]])", errc::ark_b03_tags},
      {R"("RecvTags":[])", R"("RecvTags":[],"IsExternal":@1)", errc::ark_s10_buffer_member},
  };
  for (const auto& [from, to, code] : wrong) {
    INFO(to);
    CHECK(refused(with_buffer(changed(good_buffer, from, to)), code));
  }
}

TEST_CASE("ark/read: text that is no JSON", "[ark]") {
  CHECK(refused("@", errc::json_unexpected_end));
  CHECK(refused(" \n@", errc::json_unexpected_end));
  CHECK(refused(R"({"Rank":0 @"WorldSize":1})", errc::json_expected_comma_or_brace));
  CHECK(refused(samples::file({}) + " @x", errc::json_trailing_bytes));
  CHECK(refused(R"({"Rank":0,@"Rank":0,"WorldSize":1,"Nodes":[]})", errc::json_duplicate_key));
  CHECK(refused(samples::file({}, R"(,"x":{"a":1,@"a":2})"), errc::json_duplicate_key));
  CHECK(refused(samples::with_args(R"({"a":{"INT":1},@"a":{"INT":1}})"), errc::json_duplicate_key));
  CHECK(refused(samples::with_args("{\"a\":@nan}"), errc::json_bad_literal));
  CHECK(samples::model("\xef\xbb\xbf" + samples::file({})).nodes.empty());
}

TEST_CASE("ark/read: limits", "[ark]") {
  const std::string text = samples::file({samples::node(
      0, "[1,2]", "[1,2]",
      samples::op("Add",
                  "[" + samples::tensor(0, 0, "[4]") + "," + samples::tensor(1, 1, "[4]") + "]",
                  "[]", "[]", R"({"a":{"INT":1},"b":{"INT":1}})"))});
  const auto code = [&](const std::string& source, std::uint64_t items) {
    return ark::read(source, {.limit = {.max_items = items}}).error().code;
  };
  CHECK(code(text, 2) == errc::ok);
  for (const auto& [from, to] :
       {std::pair(R"("ProducerNodeIds":[1,2])", R"("ProducerNodeIds":[1,2,3])"),
        {R"("ConsumerNodeIds":[1,2])", R"("ConsumerNodeIds":[1,2,3])"},
        {R"("SendTags":[])", R"("SendTags":[[1,1],[1,2],[1,3]])"},
        {R"("b":{)", R"("c":1,"b":{)"}})
    CHECK(code(changed(text, from, to), 2) == errc::too_many_items);
  CHECK(code(text, 1) == errc::too_many_items);
  CHECK(ark::read(text, {.limit = {.max_bytes = text.size()}}).error() == error{});
  CHECK(ark::read(text, {.limit = {.max_bytes = text.size() - 1}}).error() ==
        error{errc::input_too_large, text.size() - 1});
  const auto nested = [](std::size_t depth) {
    return samples::file({}, ",\"x\":" + std::string(depth, '[') + std::string(depth, ']'));
  };
  CHECK(ark::read(nested(63)).error() == error{});
  CHECK(ark::read(nested(64)).error().code == errc::json_depth);
  CHECK(ark::read(nested(100000)).error().code == errc::json_depth);
}

TEST_CASE("ark/read: a message names the member that is missing or has another kind", "[ark]") {
  const auto message = [](const std::string& text) {
    const error e = ark::read(text).error();
    const tessera::text shown = describe(e, text, "a");
    const tessera::text out = message_of(e, text);
    CHECK(shown.view().find(": error: " + std::string(out.view()) + "\n  [") != shown.view().npos);
    return std::string(out.view());
  };
  CHECK(message("{}") == "missing members of the root: Rank, WorldSize, Nodes");
  CHECK(message(R"({"Rank":0,"WorldSize":1})") == "missing member of the root: Nodes");

  const std::string n = samples::node(0, "[]", "[]", good_op);
  const auto node = [&](const char* from, const char* to) {
    return message(with_node(changed(n, from, to)));
  };
  CHECK(node(R"("Id":0,)", "") == "missing member of a node: Id");
  CHECK(node(R"("Id":0)", R"("Id":"0")") == "Id: expected an integer, found a string");
  CHECK(node(R"("Id":0)", R"("Id":null)") == "Id: expected an integer, found null");
  CHECK(node(R"("ConsumerNodeIds":[])", R"("ConsumerNodeIds":{})") ==
        "ConsumerNodeIds: expected an array of integers, found an object");
  CHECK(node(R"("ProducerNodeIds":[])", R"("ProducerNodeIds":[1,"2"])") ==
        "ProducerNodeIds[1]: expected an integer, found a string");

  const auto op = [&](const char* from, const char* to) {
    return message(with_op(changed(good_op, from, to)));
  };
  CHECK(op(R"("IsVirtual":false,)", "") == "missing member of an operation: IsVirtual");
  CHECK(op(R"("IsVirtual":false)", R"("IsVirtual":0)") ==
        "IsVirtual: expected true or false, found a number");
  CHECK(op(R"("Args":{})", R"("Args":[1])") ==
        "Args: expected an object, null or an empty array, found an array with elements");
  CHECK(message(with_node(samples::node_of(0, "[]", "[]", "[1]"))) ==
        "Ops[0]: expected an object, found a number");

  const auto tensor = [&](const char* from, const char* to) {
    return message(with_tensor(changed(good_tensor, from, to)));
  };
  CHECK(tensor(R"("Shape":[4,8])", R"("Shape":4)") ==
        "Shape: expected an array of integers, found a number");
  CHECK(tensor(R"("PaddedShape")", R"("Padded")") ==
        "missing member of a tensor: PaddedShape (or Pads)");
  CHECK(tensor(R"("PaddedShape")", R"("Pads":[1,1],"PaddedShape")") ==
        "a tensor has both PaddedShape and Pads; expected one of them");
  CHECK(message(with_tensor("1")) == "ReadTensors[0]: expected an object, found a number");
  CHECK(message(with_buffer("7")) == "Buffer: expected an object, found a number");

  const auto buffer = [&](const char* from, const char* to) {
    return message(with_buffer(changed(good_buffer, from, to)));
  };
  CHECK(buffer(R"("Id":0,)", "") == "missing member of a buffer: Id");
  CHECK(buffer(R"("SendTags":[])", R"("SendTags":true)") ==
        "SendTags: expected an array of pairs [rank, tag], found true or false");

  const auto plan = [](const std::string& text) {
    const tessera::text out = message_of(ark::read_plan(text).error(), text);
    return std::string(out.view());
  };
  CHECK(
      plan(
          R"({"Rank":0,"WorldSize":1,"NumProcessors":1,"NumWarpsPerProcessor":1,"TaskInfos":[]})") ==
      "missing member of a plan: ProcessorGroups");
  CHECK(plan(R"({"TaskInfos":[{"Id":0,"NumWarps":true}]})") ==
        "NumWarps: expected an integer, found true or false");
  CHECK(plan(R"({"TaskInfos":[7]})") == "TaskInfos[0]: expected an object, found a number");
  CHECK(plan(R"({"TaskInfos":7})") ==
        "TaskInfos: expected an array of tasks, or null, found a number");

  // Without its source, or with another text, the code's own message.
  const error e{errc::ark_s05_node_member, 0};
  CHECK(message_of(e, "") == e.message());
  CHECK(message_of(e, "[]") == e.message());
  const std::string cut = R"({"Nodes":[{"Id":]})";
  CHECK(tessera::message_of({errc::ark_s05_node_member, cut.find("]}")}, cut) ==
        "Id: expected an integer, found no value");
  CHECK(tessera::message_of({errc::ark_s05_node_member, 3, tessera::error_index::node}, n) ==
        e.message());
}

TEST_CASE("ark/read: the samples of bad text", "[ark]") {
  std::istringstream index(std::filesystem::exists(samples::shared() / "badjson/INDEX.tsv")
                               ? samples::load(samples::shared() / "badjson/INDEX.tsv")
                               : std::string());
  std::string line;
  if (!std::getline(index, line)) WARN("no samples");
  while (std::getline(index, line)) {
    const std::size_t tab = line.find('\t');
    const std::string name = line.substr(0, tab);
    const bool accept = line.substr(tab + 1).starts_with("accept");
    const std::string content = samples::load(samples::shared() / "badjson" / name);
    const error e = ark::read(content).error();
    INFO(line << ": " << std::string(e.name()));
    CHECK((e.code == errc::ok) == accept);
    CHECK(e.offset <= content.size());
  }
}

TEST_CASE("ark/read: the samples of broken rules", "[ark]") {
  // Those that reading finds; all others are for verify().
  const std::map<std::string, errc> found = {
      {"S01_root_array.json", errc::ark_s01_root},
      {"S03_rank_ge_worldsize.json", errc::ark_s03_world},
      {"S05_no_consumers.json", errc::ark_s05_node_member},
      {"S06_mixed_file.json", errc::ark_s06_op_or_ops},
      {"S08_isvirtual_int.json", errc::ark_s08_op_member},
      {"S09_no_offsets.json", errc::ark_s09_tensor_member},
      {"S13_shape_fraction.json", errc::ark_s13_integer},
      {"T01_rank5.json", errc::ark_t01_rank},
      {"T06_dtype.json", errc::ark_t06_data_type},
  };
  std::error_code absent;
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(samples::shared() / "invalid", absent)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json")) continue;
    ++files;
    const auto g = ark::read(samples::load(entry.path()));
    const auto expected = found.find(name);
    INFO(name << ": " << std::string(g.error().name()));
    CHECK(g.error().code == (expected == found.end() ? errc::ok : expected->second));
    if (g) CHECK_FALSE(ark::print(*g).empty());
    if (g) CHECK(samples::json(samples::model(samples::json(*g))) == samples::json(*g));
  }
  if (files == 0) WARN("no samples");
}
