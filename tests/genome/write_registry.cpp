// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::write_registry: one form, and what it refuses.

#include <string>
#include <tessera/core/describe.hpp>
#include <tessera/genome.hpp>

#include "registry_samples.hpp"
#include "support/catch.hpp"

using namespace tessera;
using genome::registry;

namespace {

[[nodiscard]] registry small() {
  registry r;
  r.add_operation(11, "b \"quoted\"\n");
  r.add_operation(10, "a");
  r.add_variation(10, "in0");
  r.add_constant(12, "list", "[1,null]");
  r.add_constant(10, "str", "\"\xc3\xa9/\"");
  r.add_group(10, "arg1=10");
  r.add_parameter(10, "p");
  const genome::stream one = genome_samples::stream({{10, 10, 0, {-1}}});
  r.add_pattern(65535, one);
  return r;
}
constexpr std::string_view small_json = R"j({
  "canonical_to_index": {
    "a": 10,
    "b \"quoted\"\n": 11
  },
  "index_to_canonical": {
    "10": "a",
    "11": "b \"quoted\"\n"
  },
  "variation_to_index": {
    "in0": 10
  },
  "constants": {
    "10": {"type":"str","value":"é/"},
    "12": {"type":"list","value":[1,null]}
  },
  "constant_group_to_index": {
    "arg1=10": 10
  },
  "index_to_constant_group": {
    "10": "arg1=10"
  },
  "param_name_to_index": {
    "p": 10
  },
  "index_to_param_name": {
    "10": "p"
  },
  "patterns": {
    "65535": "CgoAAAH//w=="
  },
  "rules": {
    "transition_rules": {},
    "composition_rules": {},
    "structural_rules": {}
  }
})j";

[[nodiscard]] error error_of(const registry& r, const limits& limit = {}) {
  return genome::write_registry(r, {.limit = limit}).error();
}
/// Adds a rule with the nodes of pattern 0.
void add_rule(registry& r, std::string_view text, std::string_view probability) {
  genome::transition_rule t;
  t.text = r.add_characters(text);
  t.probability = r.add_characters(probability);
  t.count = 7;
  t.nodes = 1;
  t.offset = r.transitions.size();
  r.transitions.push_back(t);
}

}  // namespace

TEST_CASE("genome/write_registry: what is written", "[genome]") {
  const result<text> json = genome::write_registry(small());
  REQUIRE(json);
  CHECK(json->view() == small_json);
  const result<registry> again = genome::read_registry(*json);
  REQUIRE(again);
  CHECK(*again == small());

  const result<text> empty = genome::write_registry({});
  REQUIRE(empty);
  CHECK(empty->view() == R"({
  "canonical_to_index": {},
  "index_to_canonical": {},
  "variation_to_index": {},
  "constants": {},
  "constant_group_to_index": {},
  "index_to_constant_group": {},
  "param_name_to_index": {},
  "index_to_param_name": {},
  "patterns": {},
  "rules": {
    "transition_rules": {},
    "composition_rules": {},
    "structural_rules": {}
  }
})");
}

TEST_CASE("genome/write_registry: a canonical file survives byte for byte", "[genome]") {
  const std::string json = genome_samples::load("registry.json");
  const result<registry> r = genome::read_registry(json);
  REQUIRE(r);
  const result<text> written = genome::write_registry(*r);
  REQUIRE(written);
  CHECK(written->view() == json);
  // And so does what verify() gives back, as nothing was missing.
  CHECK(genome_samples::library().registry() == *r);
}

TEST_CASE("genome/write_registry: any form of a file becomes canonical", "[genome]") {
  const result<registry> r = genome::read_registry(
      R"({"rules":{"composition_rules":{"z":{"count":18446744073709551615},"a":{"count":0}},
          "transition_rules":{"t":{"b64_repr":"","count":1,"probability":1.0,"exceptions":["e"]}}},
          "index_to_constant":{"9":"x","8":"y"}, "constants":{"10":{"value":[ 1e0 , "\/" ],"type":"list"}}})");
  REQUIRE(r);
  const result<text> json = genome::write_registry(*r);
  REQUIRE(json);
  CHECK(json->view() == R"({
  "canonical_to_index": {},
  "index_to_canonical": {},
  "variation_to_index": {},
  "constants": {
    "10": {"type":"list","value":[1e0,"/"]}
  },
  "index_to_constant": {
    "8": "y",
    "9": "x"
  },
  "constant_group_to_index": {},
  "index_to_constant_group": {},
  "param_name_to_index": {},
  "index_to_param_name": {},
  "patterns": {},
  "rules": {
    "transition_rules": {
      "t": {
        "probability": "1.0",
        "count": 1,
        "b64_repr": "",
        "exceptions": [
          "e"
        ]
      }
    },
    "composition_rules": {
      "z": {
        "count": 18446744073709551615
      },
      "a": {
        "count": 0
      }
    },
    "structural_rules": {}
  }
})");
  const result<registry> again = genome::read_registry(*json);
  REQUIRE(again);
  CHECK(*again == *r);
}

TEST_CASE("genome/write_registry: registries compare by what they say", "[genome]") {
  const auto changed = [](auto change) {
    registry r = small();
    add_rule(r, "t", "0.5");
    change(r);
    return r;
  };
  const auto nothing = [](registry&) {};
  CHECK(changed(nothing) == changed(nothing));
  CHECK(changed([](registry& r) { r.operations[0].offset = 77; }) == changed(nothing));
  CHECK(changed([](registry& r) { std::swap(r.operations[0], r.operations[1]); }) ==
        changed(nothing));
  const registry same = changed(nothing);
  CHECK_FALSE(changed([](registry& r) { r.operations[0].id = 12; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.operation_ids.pop_back(); }) == same);
  CHECK_FALSE(changed([](registry& r) { r.variations[0].name = {}; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.constants[0].type = {}; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.constants[0].value = {}; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.constant_texts.push_back({}); }) == same);
  CHECK_FALSE(changed([](registry& r) { r.groups.pop_back(); }) == same);
  CHECK_FALSE(changed([](registry& r) { r.group_ids[0].id = 11; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.parameters[0].id = 11; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.parameter_ids[0].id = 11; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.pattern_nodes.inputs[0] = -2; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.transitions[0].count = 8; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.transitions[0].nodes = 0; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.transitions[0].probability = {}; }) == same);
  CHECK_FALSE(changed([](registry& r) { r.compositions.push_back({}); }) == same);
  CHECK_FALSE(changed([](registry& r) { r.structures.push_back({}); }) == same);
}

TEST_CASE("genome/write_registry: what no file can say is refused", "[genome]") {
  const auto refused = [](auto change) {
    registry r = small();
    change(r);
    return error_of(r);
  };
  CHECK(refused([](registry& r) { r.add_parameter(11, "\xff"); }) == error{errc::json_bad_utf8, 1});
  CHECK(refused([](registry& r) { r.add_constant(13, "\xc3", "1"); }) ==
        error{errc::json_bad_utf8, 2});
  CHECK(refused([](registry& r) { r.add_variation(11, "in0"); }) ==
        error{errc::genome_name_repeated, 1});
  CHECK(refused([](registry& r) { r.add_constant(12, "int", "1"); }) ==
        error{errc::genome_id_repeated, 2});
  CHECK(refused([](registry& r) { r.add_group(10, "x"); }) == error{errc::genome_id_repeated, 1});
  CHECK(refused([](registry& r) { r.add_operation(65536, "c"); }) ==
        error{errc::genome_registry_id, 2});
  CHECK(refused([](registry& r) { r.patterns[0].id = 65536; }) ==
        error{errc::genome_registry_id, 0});
  for (const char* const value : {"", "1 2", "[1", "nan", "{\"a\":1,\"a\":2}", "\"\xff\""}) {
    INFO(value);
    CHECK(refused([value](registry& r) { r.add_constant(13, "int", value); }) ==
          error{errc::genome_constant_value, 2});
  }
  for (const char* const probability : {"", "2", "x", " 1"}) {
    INFO(probability);
    CHECK(refused([probability](registry& r) { add_rule(r, "a", probability); }) ==
          error{errc::genome_rule_probability, 0});
  }
  CHECK(refused([](registry& r) { add_rule(r, "a", "1"), add_rule(r, "a", "1"); }) ==
        error{errc::genome_name_repeated, 1});
  CHECK(refused([](registry& r) { r.pattern_nodes.inputs[0] = -32769; }) ==
        error{errc::genome_reference_range, 0});
  CHECK(refused([](registry& r) {
          genome::stream s;
          genome::node n;
          n.a = 10;
          pool<std::int32_t> d;
          d.resize(256);
          s.add(n, d);
          r.add_pattern(10, s);
        }) == error{errc::genome_node_inputs, 1});
}

TEST_CASE("genome/write_registry: constants as deep as a reader goes", "[genome]") {
  registry r;
  r.add_constant(10, "list", "[[]]");
  CHECK(error_of(r, {.max_depth = 5}) == error{});
  CHECK(error_of(r, {.max_depth = 4}) == error{errc::genome_constant_value, 0});
  CHECK(error_of(r, {.max_depth = 2}) == error{errc::genome_constant_value, 0});
  const result<text> json = genome::write_registry(r);
  REQUIRE(json);
  CHECK(genome::read_registry(*json, {.limit = {.max_depth = 5}}));
  CHECK_FALSE(genome::read_registry(*json, {.limit = {.max_depth = 4}}));
}

TEST_CASE("genome/write_registry: errors name the element of what has no source", "[genome]") {
  const auto shown = [](const error& e) {
    const text t = describe(e, "", "m");
    return std::string(t.view().substr(t.view().find('[')));
  };
  registry r = small();
  r.add_parameter(11, "\xff");
  CHECK(shown(error_of(r)) == "[json_bad_utf8] at parameter 1\n");
  r = small();
  r.add_constant(12, "int", "1");
  CHECK(shown(error_of(r)) == "[genome_id_repeated] at constant 2\n");
  CHECK(shown(genome::verify(r).error()) == "[genome_id_repeated] at constant 2\n");
  r = small();
  r.add_operation(10, "c");
  CHECK(shown(genome::verify(r).error()) == "[genome_id_repeated] at operation 2\n");
  r = small();
  r.patterns[0].id = 65536;
  CHECK(shown(error_of(r)) == "[genome_registry_id] at pattern 0\n");
  genome::stream s = genome_samples::stream({{2}, {2}, {10, 10, 0, {-40000}}});
  CHECK(shown(genome::write(s).error()) == "[genome_reference_range] at node 2\n");
  // Of a stream the place in its bytes, which identifies the node.
  const error e{errc::genome_reference, 5 + 5 + 5 + 2};
  CHECK(in_node(e, s) == error{errc::genome_reference, 2});
  CHECK(shown(in_node({errc::genome_command, 5}, s)) == "[genome_command] at node 1\n");
}
