// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include <string>
#include <tessera/genome.hpp>
#include <utility>

#include "genome/registry_samples.hpp"
#include "support/catch.hpp"

namespace {

namespace genome = tessera::genome;

[[nodiscard]] genome::registry names() {
  genome::registry r;
  r.add_operation(10, "aten.linear.default:node_args(2):kwargs()");
  r.add_operation(11, "aten.slice.Tensor:node_args(1):kwargs()");
  r.add_operation(12, "aten._to_copy.default:node_args(1):kwargs('dtype',)");
  r.add_operation(13, "aten.cat.default:node_args(2):kwargs()");
  r.add_variation(10, "in1,in0");
  r.add_variation(11, "in0");
  r.add_constant(10, "int", "0");
  r.add_constant(11, "int", "3");
  r.add_constant(12, "torch.dtype", "\"torch.float16\"");
  r.add_constant(13, "str", "\"a;b\"");
  r.add_group(10, "arg1=10;arg2=11");
  r.add_parameter(10, "p_embeddings_weight");
  const genome::stream outer =
      genome_samples::stream({{11, 11, -11, {-1}}, {6, 19, 0, {-1}}, {12, 11, 12, {-1}}});
  const genome::stream inner = genome_samples::stream({{12, 11, 12, {-2}}, {10, 10, 0, {-1, -2}}});
  r.add_pattern(18, outer);
  r.add_pattern(19, inner);
  return r;
}
[[nodiscard]] genome::library verified(genome::registry r) {
  tessera::result<genome::library> l = genome::verify(std::move(r));
  REQUIRE(l);
  return std::move(*l);
}
[[nodiscard]] std::string listing(const genome::stream& s, const genome::library& l) {
  const tessera::result<genome::program> p = genome::verify(s, l);
  REQUIRE(p);
  const tessera::text out = genome::print(*p);
  return std::string(out.view());
}

}  // namespace

TEST_CASE("genome/print: a node is a line", "[genome]") {
  const genome::library l = verified(names());
  const genome::stream s = genome_samples::stream({
      {2, 1, 0, {}},            // 0
      {5, 1, 10, {}},           // 1
      {10, 10, 0, {0, 1}},      // 2  tensors in the order of the variation
      {11, 11, -11, {2}},       // 3  a group
      {12, 11, 12, {3}},        // 4  a data type alone
      {13, 1, 13, {2, 3}},      // 5  a list
      {6, 18, 0, {4, 5}},       // 6  a pattern: four nodes
      {7, 5, 3, {1, 10}},       // 7
      {7, 12, 2, {1, 12}},      // 8
      {8, 1, 0, {2, 1, 6, 5}},  // 9
      {12, 11, 12, {5}},        // 10
      {12, 11, 12, {-1}},       // 11
      {4, 1, 0, {5}},           // 12
      {1, 1, 0, {}},            // 13
      {3, 1, 0, {}},            // 14
      {4, 1, 0, {9, 14}},       // 15
  });
  CHECK(listing(s, l) ==
        "; 16 nodes, 21 inputs\n"
        "%0 = input\n"
        "%1 = parameter \"p_embeddings_weight\"\n"
        "%2 = aten.linear.default(%1, %0)\n"
        "%3 = aten.slice.Tensor(%2; arg1 = 0, arg2 = 3)\n"
        "%4 = aten._to_copy.default(%3; torch.float16)\n"
        "%5 = aten.cat.default(%2, %3; \"a;b\")\n"
        "%6 = pattern 18(%4, %5)  ; 4 nodes\n"
        "%7 = 3 x parameter \"p_embeddings_weight\"\n"
        "%8 = 2 x aten._to_copy.default(torch.float16)\n"
        "%9 = if(%6, %5) then 2 else 1\n"
        "  %10 = aten._to_copy.default(%5; torch.float16)\n"
        "  %11 = aten._to_copy.default(%10; torch.float16)\n"
        "  output(%5)\n"
        "pad\n"
        "%14 = parameter\n"
        "output(%9, %14)\n");
  CHECK(listing({}, l) == "; 0 nodes, 0 inputs\n");
}

TEST_CASE("genome/print: nodes of patterns count as in the expansion", "[genome]") {
  genome::registry r = names();
  const auto characters = [&r](std::string_view s) { return r.add_characters(s); };
  r.compositions.push_back({characters("Composition: Op='x'"), 21, 0});
  r.structures.push_back({characters("Node 'x'"), 1, 0});
  genome::transition_rule t;
  t.text = characters("After 'x' -> 'y'");
  t.probability = characters("0.92");
  t.count = 12;
  t.exceptions = 1;
  r.exceptions.push_back(characters("-> 'z'"));
  r.transitions.push_back(t);
  const tessera::text out = genome::print(verified(std::move(r)));
  CHECK(out.view() ==
        "; 4 operations, 2 variations, 4 constants, 1 constant group, 1 parameter, 2 patterns\n"
        "\npattern 18  ; 4 nodes\n"
        "  %0 = aten.slice.Tensor(%-1; arg1 = 0, arg2 = 3)\n"
        "  %1 = pattern 19(%0)  ; 2 nodes\n"
        "  %3 = aten._to_copy.default(%2; torch.float16)\n"
        "\npattern 19  ; 2 nodes\n"
        "  %0 = aten._to_copy.default(%-2; torch.float16)\n"
        "  %1 = aten.linear.default(%-1, %0)\n"
        "\ntransition rules\n"
        "  After 'x' -> 'y'  ; probability 0.92, 12 times\n"
        "    but -> 'z'\n"
        "\ncomposition rules\n"
        "  Composition: Op='x'  ; 21 times\n"
        "\nstructural rules\n"
        "  Node 'x'  ; 1 times\n");
}

TEST_CASE("genome/print: long and odd texts are cut or quoted", "[genome]") {
  genome::registry r;
  std::string group;
  for (int i = 10; i < 30; ++i) {
    r.add_constant(static_cast<std::uint32_t>(i), "int", std::to_string(i));
    group += (group.empty() ? "k" : ";k") + std::to_string(i) + '=' + std::to_string(i);
  }
  r.add_operation(10, std::string(95, 'x') + "\xc3\xa9y:node_args(1):kwargs()");
  r.add_operation(11, "a\nb");
  r.add_group(10, group);
  r.add_parameter(10, std::string(97, 'p'));
  r.add_parameter(11, std::string(96, 'p'));
  const genome::library l = verified(std::move(r));
  std::string parts;
  for (int i = 10; i < 26; ++i) parts += 'k' + std::to_string(i) + " = " + std::to_string(i) + ", ";
  CHECK(listing(genome_samples::stream(
                    {{5, 1, 10, {}}, {5, 1, 11, {}}, {10, 1, -11, {}}, {11, 1, 0, {}}}),
                l) ==
        "; 4 nodes, 0 inputs\n"
        "%0 = parameter \"" +
            std::string(96, 'p') +
            "\"...\n"
            "%1 = parameter \"" +
            std::string(96, 'p') +
            "\"\n"
            "%2 = " +
            std::string(95, 'x') + "...(" + parts +
            "...)\n"
            "%3 = \"a\\nb\"()\n");
}
