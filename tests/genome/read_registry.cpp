// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::read_registry: every member, every error with its offset, limits, memory.

#include <string>
#include <tessera/core/describe.hpp>
#include <tessera/genome.hpp>

#include "registry_samples.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/guard_page.hpp"

using namespace tessera;
using genome::registry;

namespace {

[[nodiscard]] error error_of(std::string_view json, const limits& limit = {}) {
  return genome::read_registry(json, {.limit = limit}).error();
}

struct broken {
  std::string_view json;  // with a mark
  errc code;
};
const broken broken_registries[] = {
    {"@[]", errc::json_expected_object},
    {"{\"x\":@1}", errc::genome_registry_member},
    {"{\"rules\":{\"rule\": @{}}}", errc::genome_registry_member},
    {"{\"constants\":{\"010\":@{}}}", errc::genome_registry_key},
    {"{\"constants\":{\"\":@{}}}", errc::genome_registry_key},
    {"{\"patterns\":{\"65536\":@\"\"}}", errc::genome_registry_key},
    {"{\"patterns\":{\"123456\":@\"\"}}", errc::genome_registry_key},
    {"{\"index_to_canonical\":{\"-1\":@\"a\"}}", errc::genome_registry_key},
    {"{\"index_to_constant\":{\"1a\":@\"a\"}}", errc::genome_registry_key},
    {"{\"canonical_to_index\":{\"a\":@65536}}", errc::genome_registry_id},
    {"{\"variation_to_index\":{\"in0\":@-1}}", errc::genome_registry_id},
    {"{\"param_name_to_index\":{\"p\":@1.0}}", errc::json_expected_integer},
    {"{\"param_name_to_index\":{\"p\":1,@\"p\":1}}", errc::json_duplicate_key},
    {"{\"index_to_param_name\":{\"10\":@1}}", errc::json_expected_string},
    {"{\"constants\":{\"10\":@{\"type\":\"int\"}}}", errc::genome_constant_member},
    {"{\"constants\":{\"10\":@{\"value\":1}}}", errc::genome_constant_member},
    {"{\"constants\":{\"10\":{\"type\":\"int\",\"value\":1,\"x\":@1}}}",
     errc::genome_constant_member},
    {"{\"constants\":{\"10\":{\"type\":@1,\"value\":1}}}", errc::json_expected_string},
    {"{\"constants\":{\"10\":{\"type\":\"list\",\"value\":[1,@]}}}", errc::json_expected_value},
    {"{\"constants\":{\"10\":{\"type\":\"float\",\"value\":NaN@s}}}",
     errc::json_expected_comma_or_brace},
    {"{\"constants\":{\"10\":{\"type\":\"float\",\"value\":-@Inf}}}", errc::json_expected_digit},
    {"{\"constants\":{\"10\":{\"type\":@NaN,\"value\":1}}}", errc::json_expected_string},
    {"{\"variation_to_index\":{\"in0\":@Infinity}}", errc::json_expected_integer},
    {"{\"rules\":{\"composition_rules\":{\"a\":@{}}}}", errc::genome_rule_member},
    {"{\"rules\":{\"structural_rules\":{\"a\":{\"count\":1,\"x\":@2}}}}", errc::genome_rule_member},
    {"{\"rules\":{\"structural_rules\":{\"a\":{\"count\":@-2}}}}", errc::json_integer_range},
    {"{\"rules\":{\"transition_rules\":{\"a\":@{\"count\":1,\"b64_repr\":\"\"}}}}",
     errc::genome_rule_member},
    {"{\"rules\":{\"transition_rules\":{\"a\":@{\"probability\":1,\"b64_repr\":\"\"}}}}",
     errc::genome_rule_member},
    {"{\"rules\":{\"transition_rules\":{\"a\":@{\"probability\":1,\"count\":1}}}}",
     errc::genome_rule_member},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"share\":@1}}}}", errc::genome_rule_member},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@\"1.5\"}}}}",
     errc::genome_rule_probability},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@-0.5}}}}",
     errc::genome_rule_probability},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@\"\"}}}}",
     errc::genome_rule_probability},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@\"0.9 \"}}}}",
     errc::genome_rule_probability},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@\"nan\"}}}}",
     errc::genome_rule_probability},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"probability\":@null}}}}",
     errc::json_expected_string},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"exceptions\":[\"b\",@1]}}}}",
     errc::json_expected_string},
    // In base64 the group of four characters, or the character that isn't one.
    {"{\"patterns\":{\"10\":\"AgEA@*AA=\"}}", errc::genome_base64_character},
    {"{\"patterns\":{\"10\":\"AgEA@AAA\"}}", errc::genome_base64_end},
    {"{\"patterns\":{\"10\": \"AgEA@AAB=\"}}", errc::genome_base64_end},
    {"{\"patterns\":{\"10\":\"FwoANwH/@/TcKADAB\"}}", errc::genome_node_truncated},
    {"{\"rules\":{\"transition_rules\":{\"a\":{\"b64_repr\":\"@AgE=\"}}}}",
     errc::genome_node_truncated},
    // With escapes the string.
    {"{\"patterns\":{\"10\":@\"AgE\\u0041*AA=\"}}", errc::genome_base64_character},
    {"{\"patterns\":{\"10\":@\"FwoANwH\\/\\/TcKADAB\"}}", errc::genome_node_truncated},
};

}  // namespace

TEST_CASE("genome/read_registry: every member", "[genome]") {
  const std::string json = genome_samples::load("registry.json");
  const result<registry> read = genome::read_registry(json);
  REQUIRE(read);
  const registry& r = *read;
  CHECK(r.operations.size() == 35);
  CHECK(r.operation_ids.size() == 35);
  CHECK(r.operations[8].id == 8);
  CHECK(r.name_of(r.operations[8]) == "<CONTROL_FLOW_PREFIX>");
  CHECK(r.operation_ids[20].id == 20);
  CHECK(r.name_of(r.operation_ids[20]) == "aten.gelu.default:node_args(1):kwargs('approximate',)");
  CHECK(json.substr(static_cast<std::size_t>(r.operations[8].offset), 3) == "8,\n");
  CHECK(json.substr(static_cast<std::size_t>(r.operation_ids[20].offset), 10) == "\"aten.gelu");
  REQUIRE(r.variations.size() == 4);
  CHECK(r.variations[3].id == 13);
  CHECK(r.name_of(r.variations[3]) == "in1,in0");
  REQUIRE(r.constants.size() == 20);
  CHECK(r.name_of(r.constants[3].type) == "float");
  CHECK(r.name_of(r.constants[3].value) == "0.5");
  CHECK(r.name_of(r.constants[11].type) == "slice");
  CHECK(r.name_of(r.constants[11].value) == "[0,null,1]");
  CHECK(r.name_of(r.constants[17].value) == "1e-05");
  CHECK(json.substr(static_cast<std::size_t>(r.constants[3].offset), 8) == "{\"type\":");
  REQUIRE(r.constant_texts.size() == 2);
  CHECK(r.constant_texts[0].id == 18);
  CHECK(r.name_of(r.constant_texts[0]) == "[2, 4]");
  CHECK(r.groups.size() == 8);
  CHECK(r.name_of(r.group_ids[2]) == "device=23;dtype=22");
  CHECK(r.parameters.size() == 7);
  CHECK(r.name_of(r.parameter_ids[6]) == "p_norm_bias");
  REQUIRE(r.patterns.size() == 3);
  CHECK(r.patterns[1].id == 11);
  const genome::stream expected = genome_samples::stream(
      {{5, 1, 11}, {5, 1, 12}, {6, 10, 0, {-3, -2, -1}}, {12, 11, 0, {-5, -1}}});
  CHECK(r.nodes_of(r.patterns[1]) == genome::stream_view(expected));
  REQUIRE(r.transitions.size() == 2);
  CHECK(r.name_of(r.transitions[0].probability) == "0.92");
  CHECK(r.transitions[0].count == 11);
  REQUIRE(r.transitions[0].exceptions == 1);
  CHECK(r.name_of(r.exceptions[r.transitions[0].first_exception]).substr(0, 20) ==
        "-> 'aten.gelu.defaul");
  CHECK(r.transitions[1].exceptions == 0);
  const genome::stream two = genome_samples::stream({{18, 10, 12}, {17, 13, 0, {0}}});
  CHECK(r.nodes_of(r.transitions[1]) == genome::stream_view(two));
  REQUIRE(r.compositions.size() == 1);
  CHECK(r.compositions[0].count == 88);
  REQUIRE(r.structures.size() == 1);
  CHECK(r.name_of(r.structures[0].text).substr(0, 22) == "Node 'aten.add.Tensor:");
}

TEST_CASE("genome/read_registry: forms that the original tools write", "[genome]") {
  const result<registry> read = genome::read_registry(
      R"j({"patterns": {"18": "FwoANwH//TcKADAB//8XCgA3Af/8NwoAMAH//xcKADcB//s3CgAwAf//EQoAFAH/+xEKABQB//wYCv/lAf//NQsAAAL//f//"},
          "canonical_to_index": {"<built-in function getitem>:node_args(1):kwargs()": 47},
          "index_to_constant": {"14": "[768]"},
          "constants": {"14": {"value": [768 , [ ] , {"a" : 1.50}, "\u00e9\u0001"], "type": "list"}},
          "constant_group_to_index": {"arg1=10;arg2=10;arg3=11": 10},
          "rules": {"transition_rules": {"t": {"probability": 0.920, "count": 11,
                    "b64_repr": "EAoAEwARCgAUAQAA", "exceptions": []}}}})j");
  REQUIRE(read);
  const registry& r = *read;
  const genome::stream_view p = r.nodes_of(r.patterns[0]);
  REQUIRE(p.size() == 10);
  CHECK(p.nodes[0].a == 23);
  CHECK(p.nodes[0].c == 55);
  CHECK(p.inputs_of(0)[0] == -3);
  CHECK(p.nodes[8].group_id() == 26);
  CHECK(p.inputs_of(9)[0] == -3);
  CHECK(p.inputs_of(9)[1] == -1);
  CHECK(r.name_of(r.constants[0].value) == "[768,[],{\"a\":1.50},\"\xc3\xa9\\u0001\"]");
  CHECK(r.name_of(r.transitions[0].probability) == "0.920");
  const genome::stream rule = genome_samples::stream({{16, 10, 19}, {17, 10, 20, {0}}});
  CHECK(r.nodes_of(r.transitions[0]) == genome::stream_view(rule));
}

TEST_CASE("genome/read_registry: floats that JSON has no number for", "[genome]") {
  const auto value_of = [](const std::string& json) {
    const result<registry> read =
        genome::read_registry("{\"constants\": {\"10\": {\"type\": \"float\", \"value\": " + json +
                              "}, \"11\": {\"type\": \"int\", \"value\": 1}}}");
    REQUIRE(read);
    REQUIRE(read->constants.size() == 2);
    return std::string(read->name_of(read->constants[0].value));
  };
  CHECK(value_of("NaN") == "\"nan\"");
  CHECK(value_of("Infinity ") == "\"inf\"");
  CHECK(value_of("-Infinity") == "\"-inf\"");
  CHECK(value_of("[-Infinity, [ NaN,-1], {\"a\": Infinity}]") ==
        "[\"-inf\",[\"nan\",-1],{\"a\":\"inf\"}]");
  CHECK(value_of("\"NaN\"") == "\"NaN\"");
}

TEST_CASE("genome/read_registry: members may be missing", "[genome]") {
  for (const char* const json : {"{}", " {\"rules\":{}} ", "\xEF\xBB\xBF{\"constants\":{}}"}) {
    const result<registry> r = genome::read_registry(json);
    REQUIRE(r);
    CHECK(*r == registry{});
  }
}

TEST_CASE("genome/read_registry: errors and where they are", "[genome]") {
  for (const broken& b : broken_registries) {
    INFO(b.json);
    const genome_samples::marked m(b.json);
    CHECK(error_of(m.text) == error{b.code, m.offset});
    CHECK_FALSE(describe(error_of(m.text), m.text).empty());
  }
}

TEST_CASE("genome/read_registry: no part of a registry is one", "[genome]") {
  const std::string json = genome_samples::load("registry.json");
  tessera_tests::guard_page memory(json.size());
  for (std::size_t n = 0; n < json.size(); n += n < 1000 || json.size() - n < 1000 ? 1u : 7u) {
    const error e = error_of(memory.place(std::string_view(json).substr(0, n)));
    if (e.code == errc::ok || e.offset > n) {
      INFO(n << " bytes");
      CHECK(e == error{errc::json_unexpected_end, n});
    }
  }
  CHECK(error_of(json) == error{});
}

TEST_CASE("genome/read_registry: any one byte changed", "[genome]") {
  const std::string json =
      R"j({"canonical_to_index":{"a:node_args(1):kwargs()":10},)j"
      R"j("constants":{"10":{"type":"int","value":1}},)j"
      R"j("constant_group_to_index":{"arg1=10":10},"patterns":{"10":"CgEAAAH//w=="},"rules":{}})j";
  std::string changed = json;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    for (const char c : {'"', '0', '\\', '\xff', '=', static_cast<char>(json[i] ^ 1)}) {
      changed[i] = c;
      result<registry> r = genome::read_registry(changed);
      if (!r) {
        CHECK(r.error().offset <= changed.size());
        continue;
      }
      ++accepted;
      const result<text> written = genome::write_registry(*r);
      REQUIRE(written);
      const result<registry> again = genome::read_registry(*written);
      REQUIRE(again);
      CHECK(*again == *r);
      CHECK(genome::verify(std::move(*r)).error().offset <= changed.size());
    }
    changed[i] = json[i];
  }
  CHECK(accepted > 0);
}

TEST_CASE("genome/read_registry: limits", "[genome]") {
  const struct {
    std::string_view two;
    std::string_view third;  // in which the error is
  } lists[] = {
      {R"({"canonical_to_index":{"a":1,"b":2)", R"(,"c":@3}})"},
      {R"({"index_to_canonical":{"1":"a","2":"b")", R"(,"3":@"c"}})"},
      {R"({"constants":{"1":{"type":"","value":0},"2":{"type":"","value":0})",
       R"(,"3":@{"type":"","value":0}}})"},
      {R"({"patterns":{"1":"","2":"")", R"(,"3":@""}})"},
      {R"({"patterns":{"1":"AgEAAAACAQAA)", R"(@AAIBAAAA"}})"},  // 3 nodes, the third from byte 10
      {R"({"rules":{"composition_rules":{"a":{"count":1},"b":{"count":1})",
       R"(,"c":@{"count":1}}}})"},
  };
  for (const auto& list : lists) {
    const std::string marked_json = std::string(list.two) + std::string(list.third);
    INFO(marked_json);
    const genome_samples::marked m(marked_json);
    CHECK(error_of(m.text, {.max_items = 3}) == error{});
    CHECK(error_of(m.text, {.max_items = 2}) == error{errc::too_many_items, m.offset});
  }
  const genome_samples::marked exceptions(
      R"({"rules":{"transition_rules":{"a":{"exceptions":["","",@""],"probability":1,"count":1,"b64_repr":""}}}})");
  CHECK(error_of(exceptions.text, {.max_items = 3}) == error{});
  CHECK(error_of(exceptions.text, {.max_items = 2}) ==
        error{errc::too_many_items, exceptions.offset});
  std::string other = exceptions.text;
  other.replace(other.rfind("\"\"]"), 2, "\"x\"");
  CHECK(*genome::read_registry(exceptions.text) == *genome::read_registry(exceptions.text));
  CHECK_FALSE(*genome::read_registry(exceptions.text) == *genome::read_registry(other));
  // Each list counts for itself: exceptions of two rules.
  CHECK(error_of(R"({"rules":{"transition_rules":{
            "a":{"exceptions":["",""],"probability":1,"count":1,"b64_repr":""},
            "b":{"exceptions":["",""],"probability":1,"count":1,"b64_repr":""}}}})",
                 {.max_items = 2}) == error{});

  const std::string json = genome_samples::load("registry.json");
  CHECK(error_of(json, {.max_bytes = json.size()}) == error{});
  CHECK(error_of(json, {.max_bytes = json.size() - 1}) ==
        error{errc::input_too_large, json.size() - 1});
  const genome_samples::marked deep(R"({"constants":{"10":{"type":"list","value":[@[]]}}})");
  CHECK(error_of(deep.text, {.max_depth = 5}) == error{});
  CHECK(error_of(deep.text, {.max_depth = 4}) == error{errc::json_depth, deep.offset});
}

TEST_CASE("genome/read_registry: memory is a multiple of the input", "[genome]") {
  constexpr double stated = 20, constant = 64 << 10;
  const auto list = [](std::string_view before, std::size_t n, auto member,
                       std::string_view after) {
    std::string json(before);
    for (std::size_t i = 0; i < n; ++i) {
      if (i != 0) json += ',';
      json += member(i);
    }
    return json += after;
  };
  const auto name = [](std::size_t i) {  // short, and another for each
    std::string s = "\"";
    for (; i != 0; i /= 90) s += static_cast<char>('#' + (i % 90 < 57 ? i % 90 : i % 90 + 1));
    return s + "\"";
  };
  // Pools double: what comes just after a doubling of 24 bytes each costs the most.
  for (const std::size_t n : {1366u, 21846u}) {
    const std::string worst[] = {
        list(R"({"canonical_to_index":{)", n, [&](std::size_t i) { return name(i) + ":0"; }, "}}"),
        list(R"({"canonical_to_index":{)", n, [&](std::size_t i) { return name(n - i) + ":0"; },
             "}}"),
        list(R"({"index_to_canonical":{)", n,
             [&](std::size_t i) { return '"' + std::to_string(i) + "\":\"\""; }, "}}"),
        list(R"({"constants":{)", n,
             [&](std::size_t i) { return '"' + std::to_string(i) + R"(":{"type":"","value":0})"; },
             "}}"),
        list(R"({"constants":{"10":{"type":"","value":[)", n,
             [](std::size_t) { return std::string("0"); }, "]}}}"),
        list(R"({"patterns":{)", n,
             [&](std::size_t i) { return '"' + std::to_string(i) + R"(":"AAAAAAA=")"; }, "}}"),
        R"({"patterns":{"10":")" + std::string(n / 8 * 40, 'A') + R"("}})",
        list(R"({"rules":{"transition_rules":{"a":{"exceptions":[)", n,
             [](std::size_t) { return std::string("\"\""); },
             R"(],"probability":1,"count":1,"b64_repr":""}}}})"),
        list(R"({"rules":{"composition_rules":{)", n,
             [&](std::size_t i) { return name(i) + R"(:{"count":0})"; }, "}}}"),
        list(R"({"rules":{"transition_rules":{)", n,
             [&](std::size_t i) {
               return name(i) + R"(:{"count":0,"probability":1,"b64_repr":""})";
             },
             "}}}"),
    };
    for (const std::string& json : worst) {
      double peak = 0;
      errc code = errc::ok;
      {
        const tessera_tests::allocations used;
        code = error_of(json).code;
        peak = static_cast<double>(used.peak());
      }
      INFO(json.substr(0, 60) << " of " << json.size()
                              << " bytes: " << peak / static_cast<double>(json.size()));
      CHECK(code == errc::ok);
      CHECK(peak <= stated * static_cast<double>(json.size()) + constant);
    }
  }
}
