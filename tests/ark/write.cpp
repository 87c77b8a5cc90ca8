// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Texts of graphs: every byte of them, in every dialect, and what is refused.

#include "samples.hpp"
// Keeps the line above where it is.
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

namespace {

namespace ark = tessera::ark;
using ark::dialect;
using tessera::errc;
using tessera::error;

constexpr std::string_view d3_pretty = R"({
  "Rank": 0,
  "WorldSize": 2,
  "Nodes": [
    {
      "Id": 0,
      "ProducerNodeIds": [],
      "ConsumerNodeIds": [2,1],
      "Op": {
        "Type": "ReduceSum",
        "Name": "a\"\\\b\f\n\r\t\u000b\u001f/é",
        "IsVirtual": false,
        "ReadTensors": [
          {"Id":3,"DataType":"FP16","Shape":[4,8],"Strides":[4,16],"Offsets":[0,8],"PaddedShape":[4,8],"Buffer":{"Id":1,"Rank":-1,"SendTags":[[1,-2147483648],[1,5]],"RecvTags":[]}}
        ],
        "WriteTensors": [
          {"Id":4,"DataType":"FP16","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],"Buffer":{"Id":2,"Rank":1,"SendTags":[],"RecvTags":[[-1,7]]}}
        ],
        "ResultTensors": [
          {"Id":5,"DataType":"FP16","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],"Buffer":{"Id":2,"Rank":1,"SendTags":[],"RecvTags":[[-1,7]]}}
        ],
        "Args": {
          "Axis": {"INT":1},
          "Factor": {"FLOAT":0.10000000149011612},
          "KeepDim": {"BOOL":false}
        }
      }
    },
    {
      "Id": 1,
      "ProducerNodeIds": [0],
      "ConsumerNodeIds": [],
      "Op": {
        "Type": "Frobnicate",
        "Name": "",
        "IsVirtual": true,
        "ReadTensors": [],
        "WriteTensors": [],
        "ResultTensors": [],
        "Args": {}
      }
    }
  ]
}
)";

constexpr std::string_view d2x_pretty = R"({
  "Rank": 0,
  "WorldSize": 1,
  "Nodes": [
    {
      "Id": 0,
      "ProducerNodeIds": [],
      "ConsumerNodeIds": [],
      "Ops": [
        {
          "Type": "Transpose",
          "Name": "t",
          "IsVirtual": false,
          "ReadTensors": [
            {"Id":3,"DataType":"INT8","Shape":[4,8],"Strides":[4,8],"Offsets":[0,0],"PaddedShape":[4,8],"Buffer":{"Id":1,"Rank":-1,"SendTags":[],"RecvTags":[],"IsExternal":true,"ExternalDataSize":32,"DeviceId":0}}
          ],
          "WriteTensors": [],
          "ResultTensors": [],
          "Args": {
            "Permutation": {"DIMS":[1,0]}
          }
        },
        {
          "Type": "Relu",
          "Name": "r",
          "IsVirtual": false,
          "ReadTensors": [],
          "WriteTensors": [],
          "ResultTensors": [
            {"Id":4,"DataType":"INT8","Shape":[4],"Strides":[4],"Offsets":[0],"PaddedShape":[4],"Buffer":{"Id":2,"Rank":-1,"SendTags":[],"RecvTags":[],"IsExternal":false}}
          ],
          "Args": {}
        }
      ]
    }
  ]
}
)";

constexpr std::string_view d1b_pretty = R"({
  "Rank": 0,
  "WorldSize": 1,
  "Nodes": [
    {
      "Id": 0,
      "ProducerNodeIds": [],
      "ConsumerNodeIds": [],
      "Ops": [
        {
          "Type": "Matmul",
          "Name": "m",
          "IsVirtual": false,
          "ReadTensors": [
            {
              "Id": 3,
              "DataType": "BF16",
              "Buffer": {"Id":1,"Rank":-1,"SendTags":[],"RecvTags":[]},
              "Shape": [4,8],
              "Strides": [4,8],
              "Offsets": [0,0],
              "PaddedShape": [4,8]
            },
            {
              "Id": 4,
              "DataType": "BF16",
              "Buffer": {"Id":2,"Rank":-1,"SendTags":[],"RecvTags":[]},
              "Shape": [],
              "Strides": [],
              "Offsets": [],
              "PaddedShape": []
            }
          ],
          "WriteTensors": [],
          "ResultTensors": [],
          "Args": {
            "ShapeMNK": {
              "DIMS": [4,4,8]
            },
            "TransposeInput": {
              "BOOL": true
            },
            "X": {
              "OFFSET": {"BufferId":1,"Value":4096}
            },
            "Y": {
              "TENSOR": {"Id":3,"DataType":"BF16","Buffer":{"Id":1,"Rank":-1,"SendTags":[],"RecvTags":[]},"Shape":[4,8],"Strides":[4,8],"Offsets":[0,0],"PaddedShape":[4,8]}
            }
          }
        }
      ]
    }
  ]
}
)";

/// A graph of one operation.
ark::model relu() { return samples::model(samples::file({samples::relu(0)})); }
error refused(const ark::model& g) { return ark::write(g).error(); }

}  // namespace

TEST_CASE("ark/write: the pretty text of a dialect", "[ark]") {
  for (const auto& [text, form] : {std::pair(d3_pretty, dialect::d3),
                                   {d2x_pretty, dialect::d2x},
                                   {d1b_pretty, dialect::d1b}}) {
    const ark::model g = samples::model(text);
    CHECK(g.form == form);
    CHECK(samples::json(g, true) == text);
    const std::string compact = samples::json(g);
    CHECK(compact.find_first_of(" \n") == std::string::npos);
    CHECK(samples::json(samples::model(compact), true) == text);
    CHECK(samples::json(samples::model(compact)) == compact);
  }
}

TEST_CASE("ark/write: Pads and IsExternal stand where their dialects have them", "[ark]") {
  const std::string d1a =
      samples::with(samples::with(samples::with(samples::json(samples::model(d1b_pretty)),
                                                R"("PaddedShape":[4,8])", R"("Pads":[2,1])"),
                                  R"("PaddedShape":[])", R"("Pads":[])"),
                    R"("PaddedShape":[4,8])", R"("Pads":[2,1])");
  const ark::model g = samples::model(d1a);
  CHECK(g.form == dialect::d1a);
  CHECK(samples::json(g) == d1a);
  const std::string d3x = samples::with(
      samples::file({samples::node(
          0, "[]", "[]", samples::op("Relu", "[" + samples::tensor(1, 1) + "]", "[]", "[]"))}),
      R"("Rank":-1,)", R"("Rank":-1,"IsExternal":true,)");
  const ark::model x = samples::model(d3x);
  CHECK(x.form == dialect::d3x);
  CHECK(samples::json(x) == d3x);
}

TEST_CASE("ark/write: the format's own text, byte for byte", "[ark]") {
  if (samples::upstream().empty()) WARN("no samples");
  for (const samples::upstream_file& f : samples::upstream()) {
    const ark::model g = samples::model(f.content);
    if (samples::json(g, f.pretty) != f.content) FAIL_CHECK(f.name);
    // And the other layout comes back.
    if (samples::json(samples::model(samples::json(g, !f.pretty)), f.pretty) != f.content)
      FAIL_CHECK(f.name << ", the other way");
  }
}

TEST_CASE("ark/write: empty models and Args", "[ark]") {
  const ark::model empty;
  CHECK(samples::json(empty, true) ==
        "{\n  \"Rank\": 0,\n  \"WorldSize\": 1,\n  \"Nodes\": []\n}\n");
  CHECK(samples::json(empty) == R"({"Rank":0,"WorldSize":1,"Nodes":[]})");
  for (const char* const args : {"{}", "null", "[]"}) {
    const std::string text = samples::with_args(args);
    CHECK(samples::json(samples::model(text)) == text);
  }
}

TEST_CASE("ark/write: arguments are sorted by name", "[ark]") {
  const ark::model g = samples::model(samples::with_args(
      R"({"b":{"INT":1},"KeepDim":{"BOOL":true},"a":{"UINT32":2},"Axis":{"INT64":-3},"":{"UINT64":18446744073709551615}})"));
  CHECK(
      samples::json(g) ==
      samples::with_args(
          R"({"":{"UINT64":18446744073709551615},"Axis":{"INT64":-3},"KeepDim":{"BOOL":true},"a":{"UINT32":2},"b":{"INT":1}})"));
}

TEST_CASE("ark/write: floats without a token", "[ark]") {
  ark::model g = samples::model(samples::with_args(R"({"Factor":{"FLOAT":0}})"));
  const auto written = [&g](float v) {
    g.arguments[0].real = v;
    g.arguments[0].token = {};
    return samples::json(g);
  };
  const std::pair<float, const char*> values[] = {
      {0.1f, "0.10000000149011612"},
      {3.0f, "3.0"},
      {-0.0f, "-0.0"},
      {1e-5f, "9.999999747378752e-06"},
      {1e-4f, "9.999999747378752e-05"},
      {1.00000005e-4f, "0.00010000000474974513"},
      {1e16f, "1.0000000272564224e+16"},
      {999999986991104.0f, "999999986991104.0"},
      {1.125899906842624e15f, "1.125899906842624e+15"},
      {3.4028235e38f, "3.4028234663852886e+38"},
      {1e-45f, "1.401298464324817e-45"},
      {std::bit_cast<float>(0x3727c5acu), "9.999999747378752e-06"},
  };
  for (const auto& [v, text] : values) {
    const std::string all = written(v);
    INFO(all);
    CHECK(all == samples::with_args(R"({"Factor":{"FLOAT":)" + std::string(text) + "}}"));
  }
  // What was read stays as it stood.
  for (const char* const token : {"1e0", "0.50", "891.3264770507813", "1E-7"}) {
    const std::string text =
        samples::with_args(R"({"Factor":{"FLOAT":)" + std::string(token) + "}}");
    CHECK(samples::json(samples::model(text)) == text);
  }
  for (const float v :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    g.arguments[0].real = v;
    CHECK(refused(g) == error{errc::ark_not_finite, g.nodes[0].offset});
  }
}

TEST_CASE("ark/write: unknown members and arguments come back, laid out as the others", "[ark]") {
  const std::string text = samples::file(
      {samples::node(
          0, "[]", "[]",
          samples::op("Frobnicate", "[" + samples::tensor(0, 0, "[4,8]", R"(,"t":[])") + "]", "[]",
                      "[]", R"({"a":{"NEW":[1,{"b":[]}]},"b":[[1],"x"],"c":{}})",
                      R"(,"o":{"k":[{},[2,3]]})"),
          R"(,"n":[1,{"x":1}])")},
      R"(,"r":{"a":["x",1],"b":[1,"x"]},"s":-1.50e+7)");
  const ark::model g = samples::model(text);
  CHECK(samples::json(g) == text);
  const std::string pretty = samples::json(g, true);
  for (const char* const part :
       {"\n          \"a\": {\"NEW\":[1,{\"b\":[]}]},\n          \"b\": [[1],\"x\"],\n          "
        "\"c\": {}\n",
        ",\n        \"o\": {\n          \"k\": [{},[2,3]]\n        }\n", ",\"t\":[]}",
        ",\n      \"n\": [1,{\"x\":1}]\n    }",
        ",\n  \"r\": {\n    \"a\": [\n      \"x\",\n      1\n    ],\n    \"b\": [1,\"x\"]\n  },\n"
        "  \"s\": -1.50e+7\n}\n"}) {
    INFO(pretty << "\nwants\n" << part);
    CHECK(pretty.find(part) != std::string::npos);
  }
  CHECK(samples::json(samples::model(pretty)) == text);
}

TEST_CASE("ark/write: refused before the first byte", "[ark]") {
  const ark::model good = relu();
  CHECK(refused(good) == error{});
  const auto after = [&good](auto change) {
    ark::model g = good;
    change(g);
    const error e = refused(g);
    CHECK(ark::check(g) == e);
    return e;
  };
  const error at_node{errc::ark_too_large, good.nodes[0].offset}, nowhere{errc::ark_too_large, 0};
  CHECK(good.nodes[0].offset != 0);
  CHECK(after([](ark::model& g) { g.uses[1] = 3; }) == at_node);
  CHECK(after([](ark::model& g) { g.ops[0].first_use = 1; }) == at_node);
  CHECK(after([](ark::model& g) { g.ops[0].reads = 0xffffffff; }) == at_node);
  CHECK(after([](ark::model& g) { g.ops[0].arguments = {0, 1}; }) == at_node);
  CHECK(after([](ark::model& g) { g.ops[0].members = 0; }) == at_node);
  CHECK(after([](ark::model& g) { g.ops[0].name = {0xffffffff, 0xffffffff}; }) == at_node);
  CHECK(after([](ark::model& g) { g.nodes[0].ops = {1, 1}; }) == at_node);
  CHECK(after([](ark::model& g) { g.nodes[0].producers = {0, 1}; }) == at_node);
  CHECK(after([](ark::model& g) { g.nodes[0].members = 0; }) == at_node);
  CHECK(after([](ark::model& g) { g.own_members = 0; }) == nowhere);
  CHECK(after([](ark::model& g) { g.tensors[0].layout = 1; }) == nowhere);
  CHECK(after([](ark::model& g) { g.tensors[0].buffer = 2; }) == nowhere);
  CHECK(after([](ark::model& g) { g.tensors[0].members = 0; }) == nowhere);
  CHECK(after([](ark::model& g) { g.buffers[0].send_tags = {0, 1}; }) == nowhere);
  CHECK(after([](ark::model& g) { g.buffers[0].recv_tags = {1, 0}; }) == nowhere);
  CHECK(after([](ark::model& g) { g.buffers[0].members = 0; }) == nowhere);
  CHECK(after([](ark::model& g) { g.layouts[0].pads = 0; }) == nowhere);
  CHECK(after([](ark::model& g) { g.layouts[0].rank = 5; }).code == errc::ark_t01_rank);
  CHECK(after([](ark::model& g) { g.tensors[0].type = static_cast<ark::data_type>(99); }).code ==
        errc::ark_t06_data_type);
  CHECK(after([](ark::model& g) { g.ops[0].type = static_cast<ark::op_type>(99); }).code ==
        errc::ark_o01_type);
  CHECK(after([](ark::model& g) { g.form = static_cast<dialect>(99); }).code == errc::ark_dialect);
  CHECK(after([](ark::model& g) { g.nodes[0].id = -1; }).code == errc::ark_s13_integer);
  CHECK(after([](ark::model& g) { g.tensors[0].id = -1; }).code == errc::ark_s13_integer);
  CHECK(after([](ark::model& g) { g.buffers[0].id = -1; }).code == errc::ark_s13_integer);
  CHECK(after([](ark::model& g) {
          g.integers.push_back(-1);
          g.nodes[0].consumers = {0, 1};
        }).code == errc::ark_s13_integer);
  CHECK(after([](ark::model& g) { g.rank = 1; }).code == errc::ark_s03_world);
  CHECK(after([](ark::model& g) { g.rank = -1; }).code == errc::ark_s03_world);
  CHECK(after([](ark::model& g) { g.nodes[0].ops.count = 0; }).code == errc::ark_s07_no_ops);
  CHECK(after([](ark::model& g) {
          g.ops[0].name = {static_cast<std::uint32_t>(g.characters.size()), 2};
          g.characters << "\xc0\x80";
        }).code == errc::json_bad_utf8);
  // The last code point of the name is cut, though the characters after it would complete it.
  CHECK(after([](ark::model& g) {
          g.ops[0].name = {static_cast<std::uint32_t>(g.characters.size()), 1};
          g.characters << "\xc3\xa9";
        }).code == errc::json_bad_utf8);
  CHECK(ark::write(good, {.to = static_cast<dialect>(99)}).error().code == errc::ark_dialect);
}

TEST_CASE("ark/write: refused arguments", "[ark]") {
  const ark::model good = samples::model(samples::with_args(R"({"a":{"INT":1},"b":{"INT":2}})"));
  const auto code = [&good](auto change) {
    ark::model g = good;
    change(g, g.arguments[1]);
    const error e = refused(g);
    CHECK(e.offset == (e.code == errc::json_duplicate_key ? 0 : g.nodes[0].offset));
    return e.code;
  };
  using a = ark::argument;
  using type = ark::argument_type;
  CHECK(code([](ark::model&, a& x) { x.integer = std::int64_t{1} << 31; }) ==
        errc::ark_o05_argument_form);
  CHECK(code([](ark::model&, a& x) { x.type = type::uint32, x.integer = -1; }) ==
        errc::ark_o05_argument_form);
  CHECK(code([](ark::model&, a& x) { x.type = type::tensor; }) == errc::ark_too_large);
  CHECK(code([](ark::model&, a& x) {
          x.type = type::dims, x.integers = {0, 5};
        }) == errc::ark_too_large);
  CHECK(code([](ark::model& g, a& x) {
          g.integers = {1, 2, 3, 4, 5};
          x.type = type::dims, x.integers = {0, 5};
        }) == errc::ark_o05_argument_form);
  CHECK(code([](ark::model& g, a& x) {
          g.integers = {1, -2};
          x.type = type::offset, x.integers = {0, 2};
        }) == errc::ark_o05_argument_form);
  CHECK(code([](ark::model&, a& x) { x.type = type::offset; }) == errc::ark_o05_argument_form);
  CHECK(code([](ark::model&, a& x) { x.type = static_cast<type>(99); }) ==
        errc::ark_o05_argument_form);
  CHECK(code([](ark::model&, a& x) { x.name = static_cast<ark::argument_name>(99); }) ==
        errc::ark_o04_argument);
  CHECK(code([](ark::model&, a& x) { x.other_name = {0, 99}; }) == errc::ark_too_large);
  CHECK(code([](ark::model& g, a& x) { x.other_name = g.arguments[0].other_name; }) ==
        errc::json_duplicate_key);
  const auto token = [](ark::model& g, std::string_view s) {
    const auto first = static_cast<std::uint32_t>(g.characters.size());
    g.characters << s;
    return ark::string{first, static_cast<std::uint32_t>(s.size())};
  };
  CHECK(code([&](ark::model& g, a& x) { x.type = type::float32, x.token = token(g, "1.5,"); }) ==
        errc::json_trailing_bytes);
  CHECK(code([&](ark::model& g, a& x) { x.type = type::float32, x.token = token(g, "1e99"); }) !=
        errc::ok);
}

TEST_CASE("ark/write: a kept value that is no JSON is refused", "[ark]") {
  const auto code = [](std::string_view value, std::string_view key = "k") {
    ark::model g = relu();
    ark::member m;
    m.key = {static_cast<std::uint32_t>(g.characters.size()),
             static_cast<std::uint32_t>(key.size())};
    g.characters << key;
    m.value = {static_cast<std::uint32_t>(g.characters.size()),
               static_cast<std::uint32_t>(value.size())};
    g.characters << value;
    g.nodes[0].members = 0;
    g.members.push_back(m);
    return refused(g).code;
  };
  CHECK(code(" [1, {\"a\" : \"\\u0041\"}] ") == errc::ok);
  CHECK(code("") != errc::ok);
  CHECK(code("[1") != errc::ok);
  CHECK(code("1 2") == errc::json_trailing_bytes);
  CHECK(code("{\"a\":1,\"a\":2}") == errc::json_duplicate_key);
  CHECK(code("1", "Id") == errc::json_duplicate_key);
  // A list of members that leads back to itself.
  ark::model g = relu();
  g.characters << "11";
  g.members.push_back({{0, 1}, {0, 1}, 0});
  g.nodes[0].members = 0;
  CHECK(refused(g).code == errc::ark_too_large);
}
