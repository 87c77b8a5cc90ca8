// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::verify of registries: every error with its row, and what a library then knows.

#include <algorithm>
#include <string>
#include <tessera/core/report.hpp>
#include <tessera/genome.hpp>
#include <utility>
#include <vector>

#include "registry_samples.hpp"
#include "support/catch.hpp"

using namespace tessera;
using genome::registry;
using genome_samples::base64;

namespace {

[[nodiscard]] result<genome::library> library_of(std::string_view json, const limits& limit = {}) {
  result<registry> r = genome::read_registry(json);
  if (!r) return r.error();
  return genome::verify(std::move(*r), {.limit = limit});
}

struct broken {
  std::string_view json;  // with a mark
  errc code;
};
const broken broken_maps[] = {
    {R"({"canonical_to_index":{"a":@256}})", errc::genome_id_range},
    {R"({"index_to_canonical":{"256":@"a"}})", errc::genome_id_range},
    {R"({"variation_to_index":{"in0":@0}})", errc::genome_id_range},
    {R"({"variation_to_index":{"in0":@256}})", errc::genome_id_range},
    {R"({"constants":{"0":@{"type":"int","value":1}}})", errc::genome_id_range},
    {R"({"constants":{"32768":@{"type":"int","value":1}}})", errc::genome_id_range},
    {R"({"index_to_constant_group":{"32768":@"arg1=10"}})", errc::genome_id_range},
    {R"({"param_name_to_index":{"p":@32768}})", errc::genome_id_range},
    {R"({"index_to_param_name":{"32768":@"p"}})", errc::genome_id_range},
    {R"({"canonical_to_index":{"a":11,"b":@11}})", errc::genome_id_repeated},
    {R"({"canonical_to_index":{"a":10,"b":@10}})", errc::genome_id_repeated},
    {R"({"variation_to_index":{"in0":10,"in1":@10}})", errc::genome_id_repeated},
    {R"({"param_name_to_index":{"a":10,"b":11,"c":@10}})", errc::genome_id_repeated},
    {R"({"index_to_canonical":{"10":"a","11":"b","12":@"a"}})", errc::genome_name_repeated},
    {R"({"index_to_param_name":{"10":"a","11":@"a"}})", errc::genome_name_repeated},
    {R"({"canonical_to_index":{"a":@10},"index_to_canonical":{"10":"b"}})",
     errc::genome_maps_differ},
    {R"({"canonical_to_index":{"a":10,"b":@11},"index_to_canonical":{"10":"a"}})",
     errc::genome_maps_differ},
    {R"({"canonical_to_index":{"a":10},"index_to_canonical":{"10":"a","11":@"b"}})",
     errc::genome_maps_differ},
    {R"({"param_name_to_index":{"a":@10},"index_to_param_name":{"11":"a"}})",
     errc::genome_maps_differ},
    {R"({"canonical_to_index":{"<PAD>":@2}})", errc::genome_special_name},
    {R"({"canonical_to_index":{"a":@9}})", errc::genome_special_name},
    {R"({"canonical_to_index":{"<OUTPUT>":@12}})", errc::genome_special_name},
    {R"({"index_to_canonical":{"11":@"<RESERVED>"}})", errc::genome_special_name},
    {R"({"variation_to_index":{"":@10}})", errc::genome_variation_form},
    {R"({"variation_to_index":{"in0,":@10}})", errc::genome_variation_form},
    {R"({"variation_to_index":{"in0, in1":@10}})", errc::genome_variation_form},
    {R"({"variation_to_index":{"in00":@10}})", errc::genome_variation_form},
    {R"({"variation_to_index":{"in123456":@10}})", errc::genome_variation_form},
    {R"({"constants":{"10":@{"type":"integer","value":1}}})", errc::genome_constant_type},
    {R"({"constants":{"10":@{"type":"","value":1}}})", errc::genome_constant_type},
    {R"({"constants":{"10":@{"type":"int","value":1.0}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"int","value":true}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"float","value":"infinity"}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"str","value":null}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"bool","value":1}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"NoneType","value":"None"}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"tuple","value":{}}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"slice","value":[0,1]}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"slice","value":[0,1,2,3]}}})", errc::genome_constant_value},
    {R"({"constants":{"10":@{"type":"torch.dtype","value":6}}})", errc::genome_constant_value},
    {R"({"constant_group_to_index":{"":@10}})", errc::genome_group_form},
    {R"({"constant_group_to_index":{"arg1":@10}})", errc::genome_group_form},
    {R"({"constant_group_to_index":{"arg1=":@10}})", errc::genome_group_form},
    {R"({"constant_group_to_index":{"arg1=010":@10}})", errc::genome_group_form},
    {R"({"constants":{"10":{"type":"int","value":1}},"constant_group_to_index":{"b=10;a=10":@10}})",
     errc::genome_group_form},
    {R"({"constants":{"10":{"type":"int","value":1}},"constant_group_to_index":{"a=10;a=10":@10}})",
     errc::genome_group_form},
    {R"({"constants":{"10":{"type":"int","value":1}},"constant_group_to_index":{"a=10;b=11":@10}})",
     errc::genome_group_constant},
    {R"({"patterns":{"10":@""}})", errc::genome_pattern_empty},
};

/// A registry of operations 10 and 11, variation 10, constant 10, parameter 10, and patterns from
/// id 10 on.
[[nodiscard]] std::string with_patterns(const std::vector<std::string>& patterns,
                                        std::size_t marked = ~std::size_t{0}) {
  std::string json =
      R"j({"canonical_to_index":{"f:node_args(1):kwargs()":10,"g:node_args(2):kwargs()":11},)j"
      R"j("variation_to_index":{"in0":10,"in0,in1":11},"param_name_to_index":{"p":10},)j"
      R"j("constants":{"10":{"type":"int","value":1}},"patterns":{)j";
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (i != 0) json += ',';
    json += '"' + std::to_string(10 + i) + "\":" + (i == marked ? "@" : "");
    json += '"' + patterns[i] + '"';
  }
  return json + "}}";
}
/// The error of a registry, which must be at the marked pattern.
void check_pattern(errc code, std::size_t marked, const std::vector<std::string>& patterns,
                   const limits& limit = {}) {
  const genome_samples::marked m(with_patterns(patterns, marked));
  INFO(m.text);
  CHECK(library_of(m.text, limit).error() == error{code, m.offset});
}

}  // namespace

TEST_CASE("genome/verify registry: maps", "[genome]") {
  for (const broken& b : broken_maps) {
    INFO(b.json);
    const genome_samples::marked m(b.json);
    CHECK(library_of(m.text).error() == error{b.code, m.offset});
  }
}

TEST_CASE("genome/verify registry: constants of all types", "[genome]") {
  for (const char* const c :
       {R"("int","value":-99999999999999999999)", R"("float","value":1)",
        R"("float","value":-1e-5)", R"("float","value":"inf")", R"("float","value":"-inf")",
        R"("float","value":"nan")", R"("str","value":"")", R"("bool","value":false)",
        R"("NoneType","value":null)", R"("list","value":[])", R"("tuple","value":[[1],{"a":2}])",
        R"("immutable_list","value":[1])", R"("slice","value":[null,null,1])",
        R"("torch.dtype","value":"torch.int64")", R"("torch.device","value":"cuda:0")",
        R"("torch.layout","value":"torch.strided")",
        R"("torch.memory_format","value":"torch.preserve_format")"}) {
    INFO(c);
    CHECK(library_of(std::string(R"({"constants":{"32767":{"type":)") + c + "}}}").error() ==
          error{});
  }
}

TEST_CASE("genome/verify registry: parts of groups ascend by key, or as whole parts", "[genome]") {
  const auto code_of = [](const std::string& group) {
    return library_of(R"({"constants":{"10":{"type":"int","value":1}},
        "constant_group_to_index":{")" +
                      group + R"(":10}})")
        .error()
        .code;
  };
  CHECK(code_of("arg1=10;arg10=10;arg2=10;dim=10") == errc::ok);
  CHECK(code_of("arg10=10;arg1=10;arg2=10;dim=10") == errc::ok);
  CHECK(code_of("arg1=10;arg10=10;dim=10;arg2=10") == errc::genome_group_form);
  CHECK(code_of("arg10=10;arg2=10;arg1=10") == errc::genome_group_form);
  CHECK(code_of("arg1=10;arg1=10") == errc::genome_group_form);
}

TEST_CASE("genome/verify registry: a map without its reverse is completed", "[genome]") {
  const result<genome::library> forward = library_of(
      R"({"canonical_to_index":{"<PAD>":1,"a":10,"<RESERVED>":8,"b":12},"param_name_to_index":{"p":10},
          "constants":{"10":{"type":"int","value":1}},"constant_group_to_index":{"x=10":10}})");
  REQUIRE(forward);
  CHECK(forward->operation(1) == "<PAD>");
  CHECK(forward->operation(10) == "a");
  CHECK(forward->operation(11).empty());
  CHECK(forward->operation(12) == "b");
  CHECK(forward->operation(300).empty());
  CHECK(forward->parameter(10) == "p");
  CHECK(forward->group(10) == "x=10");
  CHECK(forward->registry().operation_ids.size() == 4);

  const result<genome::library> reverse =
      library_of(R"({"index_to_canonical":{"12":"b","10":"a"},"index_to_param_name":{"10":"p"}})");
  REQUIRE(reverse);
  CHECK(reverse->operation(10) == "a");
  CHECK(reverse->operation(12) == "b");
  CHECK(reverse->registry().operations.size() == 2);
  const result<text> json = genome::write_registry(reverse->registry());
  REQUIRE(json);
  CHECK(library_of(*json));

  // Registries of v1.1: the reverse map knows one of the names of id 10.
  const result<genome::library> two =
      library_of(R"({"canonical_to_index":{"b":10,"a":10},"index_to_canonical":{"10":"a"}})");
  REQUIRE(two);
  CHECK(two->operation(10) == "a");
  CHECK(library_of(R"({"canonical_to_index":{"b":10,"a":10}})").error().code ==
        errc::genome_id_repeated);
  CHECK(library_of(R"({"canonical_to_index":{"b":11,"a":11},"index_to_canonical":{"11":"a"}})")
            .error()
            .code == errc::genome_id_repeated);
  CHECK(library_of(
      R"({"canonical_to_index":{"<RESERVED>":10},"index_to_canonical":{"10":"<RESERVED>"}})"));
}

TEST_CASE("genome/verify registry: what a library knows", "[genome]") {
  const genome::library l = genome_samples::library();
  CHECK(l.operation(10) == "aten.linear.default:node_args(3):kwargs()");
  CHECK(l.operation(35).empty());
  CHECK(l.target(10) == "aten.linear.default");
  CHECK(l.target(31) == "<built-in function getitem>");
  CHECK(l.target(5) == "<CONST_REF>");
  CHECK(l.target(35).empty());
  CHECK(l.tensors(10) == 3);
  CHECK(l.tensors(22) == 0);
  CHECK(l.tensors(2) == genome::library::none);
  CHECK(l.tensors(35) == genome::library::none);
  CHECK(l.variation(12) == "in0,in1,in2");
  CHECK(l.inputs_named(12) == 3);
  CHECK(l.inputs_named(13) == 2);
  CHECK(l.inputs_named(1) == 0);
  REQUIRE(l.constant(29) != nullptr);
  CHECK(l.constant(30) == nullptr);
  CHECK(l.find_pattern(13) == genome::library::none);
  // Linear and relu; two parameters around that, and an addition; four operations.
  CHECK(l.flat_size(l.find_pattern(10)) == 2);
  CHECK(l.flat_size(l.find_pattern(11)) == 5);
  CHECK(l.flat_size(l.find_pattern(12)) == 4);
  // Linear takes three nodes before it; in pattern 11 two of them are inside.
  CHECK(l.reach(l.find_pattern(10)) == 3);
  CHECK(l.reach(l.find_pattern(11)) == 1);
  CHECK(l.reach(l.find_pattern(12)) == 1);
}

TEST_CASE("genome/verify registry: patterns", "[genome]") {
  const std::string f = base64({{10, 10, 0, {-1}}});
  CHECK(library_of(with_patterns({f})));
  check_pattern(errc::genome_command, 1, {f, base64({{9}})});
  check_pattern(errc::genome_pattern_absolute, 1, {f, base64({{10, 10, 0, {0}}})});
  check_pattern(errc::genome_pattern_command, 0, {base64({{2}})});
  check_pattern(errc::genome_pattern_command, 0, {base64({{1}})});
  check_pattern(errc::genome_pattern_command, 0, {base64({{3}})});
  check_pattern(errc::genome_pattern_command, 0, {base64({{4, 1, 0, {-1}}})});
  check_pattern(errc::genome_pattern_unknown, 0, {base64({{6, 11}})});
  check_pattern(errc::genome_operation_unknown, 0, {base64({{12}})});
  check_pattern(errc::genome_variation_inputs, 0, {base64({{10, 10, 0, {-1}}, {11, 11, 0}})});
  // Before the pattern there may be a COPY, which D names once.
  CHECK(library_of(with_patterns({base64({{11, 11, 0, {-1}}})})));
  // Blocks: their references may lead out, where the IF lists it.
  CHECK(library_of(
      with_patterns({base64({{8, 1, 0, {1, 1, -1, -2}}, {10, 10, 0, {-3}}, {10, 10, 0, {-4}}})})));
  check_pattern(errc::genome_reference_external, 0,
                {base64({{8, 1, 0, {1, 1, -1, -2}}, {10, 10, 0, {-4}}, {10, 10, 0, {-4}}})});
  check_pattern(errc::genome_reference_scope, 0,
                {base64({{8, 1, 0, {1, 1, -1, -2}}, {10, 10, 0, {-3}}, {10, 10, 0, {-1}}})});
  check_pattern(errc::genome_reference, 0,
                {base64({{8, 1, 0, {1, 1, -1, -2}}, {10, 10, 0, {-1}}, {10, 10, 0, {-4}}})});
  check_pattern(errc::genome_block_length, 0, {base64({{8, 1, 0, {1, 1, -1}}, {5, 1, 10}})});
}

TEST_CASE("genome/verify registry: recursion", "[genome]") {
  const std::string f = base64({{10, 10, 0, {-1}}});
  check_pattern(errc::genome_pattern_recursion, 0, {base64({{6, 10}})});
  check_pattern(errc::genome_pattern_recursion, 0, {base64({{6, 11}}), base64({{6, 10}})});
  // The cycle is 11, 12, 13, into which 10 leads.
  check_pattern(errc::genome_pattern_recursion, 1,
                {base64({{6, 11}}), base64({{6, 12}}), base64({{6, 13}}), base64({{6, 11}})});
  // Twice the same is none.
  CHECK(library_of(with_patterns({base64({{6, 11}, {6, 12}}), base64({{6, 12}, {6, 12}}), f})));
}

TEST_CASE("genome/verify registry: a chain of patterns", "[genome]") {
  // Pattern k is pattern k + 1 and one more node; each node takes the one before it.
  constexpr int count = 2000;
  registry r;
  r.add_operation(10, "f:node_args(1):kwargs()");
  for (int k = 0; k < count; ++k) {
    const int id = 10 + k + 1;
    const genome::stream s =
        k + 1 == count ? genome_samples::stream({{10, 1, 0, {-7}}})
                       : genome_samples::stream({{6, id & 255, id & 0xff00}, {10, 1, 0, {-1}}});
    r.add_pattern(static_cast<std::uint32_t>(10 + k), s);
  }
  const result<genome::library> l = genome::verify(std::move(r));
  REQUIRE(l);
  CHECK(l->flat_size(0) == count);
  CHECK(l->flat_size(count - 1) == 1);
  CHECK(l->reach(0) == 7);
}

TEST_CASE("genome/verify registry: an expansion bomb is counted, not expanded", "[genome]") {
  // Pattern k is four times pattern k + 1; the last is one node.
  std::vector<std::string> patterns;
  for (int k = 1; k < 40; ++k)
    patterns.push_back(base64({{6, 10 + k}, {6, 10 + k}, {6, 10 + k}, {6, 10 + k}}));
  patterns.push_back(base64({{5, 1, 10}}));
  // 4^13 = 2^26 fits 2^27, 4^14 doesn't: pattern 39 - 14 counted from 0.
  check_pattern(errc::genome_pattern_size, 39 - 14, patterns);
  check_pattern(errc::genome_pattern_size, 39 - 2, patterns, {.max_items = 15});
  check_pattern(errc::genome_pattern_size, 39 - 3, patterns, {.max_items = 16});
  // Sizes are of 32 bits, whatever the limit.
  check_pattern(errc::genome_pattern_size, 39 - 16, patterns, {.max_items = ~std::uint64_t{0}});
}

TEST_CASE("genome/verify registry: how far patterns reach", "[genome]") {
  // Of pattern 12, which reaches 5 nodes back: called as node 0 and after 1, 2 and so on nodes.
  const std::string five = base64({{5, 1, 10}, {10, 10, 0, {-6}}});
  const result<genome::library> l =
      library_of(with_patterns({base64({{6, 12}}), base64({{6, 12}, {6, 12}}), five,
                                base64({{5, 1, 10}, {7, 5, 9, {1, 10}}, {6, 12}}),
                                base64({{5, 1, 10}, {10, 10, 0, {-1}}})}));
  REQUIRE(l);
  CHECK(l->reach(0) == 5);
  CHECK(l->reach(1) == 5);
  CHECK(l->reach(2) == 5);
  CHECK(l->reach(3) == 3);
  CHECK(l->reach(4) == 0);
  CHECK(l->flat_size(1) == 4);
  CHECK(l->flat_size(3) == 4);
}

TEST_CASE("genome/verify registry: a registry built in code", "[genome]") {
  registry r;
  r.add_parameter(10, "p");
  const genome::stream s = genome_samples::stream({{5, 1, 10}, {7, 5, 2, {1, 10}}});
  r.add_pattern(10, s);
  registry moved = r;
  moved.pattern_nodes.nodes[1].first = 1;
  CHECK(genome::verify(moved).error() == error{errc::genome_node_truncated, 1});
  registry longer = r;
  longer.pattern_nodes.nodes[1].count = 3;
  CHECK(genome::verify(longer).error() == error{errc::genome_node_truncated, 1});
  registry beyond = r;
  beyond.patterns[0].count = 3;
  CHECK(genome::verify(beyond).error() == error{errc::genome_node_truncated, 0});
  CHECK(genome::verify(r));
  r.add_constant(10, "int", "1 ]");
  CHECK(genome::verify(r).error() == error{errc::genome_constant_value, 0});
}

TEST_CASE("genome/verify registry: a report has every error", "[genome]") {
  constexpr std::string_view json =
      R"({"canonical_to_index":{"aten.a":10,"aten.b":10,"aten.c":300},)"
      R"("variation_to_index":{"in0":10,"x":11},)"
      R"("constants":{"10":{"type":"int","value":"1"},"11":{"type":"strange","value":1}},)"
      R"("index_to_constant_group":{"10":"arg1=10","11":"arg1=77"}})";
  result<registry> r = genome::read_registry(json);
  REQUIRE(r);
  report found;
  const result<genome::library> l = genome::verify(std::move(*r), {}, &found);
  REQUIRE_FALSE(l);
  const source_file file{"r.json", json};
  const listing list(found, {&file, 1});
  const struct {
    errc code;
    std::string_view message, path;
  } expected[] = {
      {errc::genome_id_repeated, "duplicate id 10", R"($.canonical_to_index["aten.b"])"},
      {errc::genome_id_range, "id 300; expected 0 to 255", R"($.canonical_to_index["aten.c"])"},
      {errc::genome_variation_form, R"(variation "x"; expected a form such as "in0,in1")",
       "$.variation_to_index.x"},
      {errc::genome_constant_value, R"(the value "1" is not of type int)", R"($.constants.10)"},
      {errc::genome_constant_type,
       R"(unknown type "strange"; expected int, float, str, bool, NoneType, list, tuple, )"
       R"(immutable_list, slice, torch.dtype, torch.device, torch.layout or torch.memory_format)",
       R"($.constants.11)"},
      {errc::genome_group_constant, R"(group "arg1=77": constant 77 does not exist)",
       R"($.index_to_constant_group.11)"},
  };
  std::vector<errc> codes;
  for (const diagnostic& d : found.diagnostics) codes.push_back(d.code);
  for (const auto& e : expected) {
    const auto at = std::find(codes.begin(), codes.end(), e.code);
    REQUIRE(at != codes.end());
    const diagnostic& d = found.diagnostics[static_cast<std::size_t>(at - codes.begin())];
    CHECK(found.text_of(d.text) == e.message);
    CHECK(list.path_of(d) == e.path);
  }
  CHECK(l.error().code == codes[0]);
  CHECK(found.errors == codes.size());
}
