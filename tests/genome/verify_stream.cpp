// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// genome::verify of streams: every error with its offset, and blocks at any nesting.
//
// Offsets are written as nodes × 5 + inputs before × 2, and + 5 + 2 × k for entry k of D.

#include <string>
#include <tessera/core/bytes.hpp>
#include <tessera/core/report.hpp>
#include <tessera/genome.hpp>
#include <utility>

#include "registry_samples.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

using namespace tessera;
using genome_samples::node;

namespace {

[[nodiscard]] const genome::library& library() {
  static const genome::library l = genome_samples::library();
  return l;
}
[[nodiscard]] error error_of(std::initializer_list<node> nodes) {
  return genome::verify(genome_samples::stream(nodes), library()).error();
}
[[nodiscard]] bool accepts(std::initializer_list<node> nodes) { return error_of(nodes) == error{}; }

// Operations of the registry.
constexpr int linear = 10, relu = 11, add = 12, arange = 22, full = 29, gt = 34;
constexpr int in0 = 10, in01 = 11, in012 = 12;
constexpr node input{2}, pad{1};

}  // namespace

TEST_CASE("genome/verify stream: the samples", "[genome]") {
  for (const char* const name : {"flat", "compressed", "copy", "if", "while", "nested"}) {
    INFO(name);
    result<genome::stream> s =
        genome::read_base64(genome_samples::load(name + std::string(".b64")));
    REQUIRE(s);
    const genome::stream copy = *s;
    result<genome::program> p = genome::verify(std::move(*s), library());
    CHECK(p.error() == error{});
    REQUIRE(p);
    CHECK(p->stream() == copy);
    CHECK(&p->library() == &library());
    const genome::stream out = std::move(*p).stream();
    CHECK(out == copy);
  }
  CHECK(accepts({}));
}

TEST_CASE("genome/verify stream: nodes that have more inputs than there are", "[genome]") {
  const genome::stream s =
      genome_samples::stream({input, {relu, in0, 0, {0}}, {relu, in0, 0, {1}}});
  CHECK(genome::verify(s, library()));
  for (const std::uint16_t more : {std::uint16_t{2}, std::uint16_t{3}, std::uint16_t{4}}) {
    genome::stream longer = s;
    longer.nodes[2].count = more;
    CHECK(genome::verify(longer, library()).error() == error{errc::genome_node_truncated, 12});
  }
  genome::stream moved = s;
  moved.nodes[2].first = 0;
  CHECK(genome::verify(moved, library()).error() == error{errc::genome_node_truncated, 12});
}

TEST_CASE("genome/signature: the keywords of an operation's name", "[genome]") {
  const auto keywords = [](std::string_view name) {
    genome::operation_name of(name);
    std::string all;
    for (std::string_view k; of.next_keyword(k);) all += std::string(k) + ' ';
    return all;
  };
  CHECK(keywords("aten.x.default:node_args(1):kwargs()").empty());
  CHECK(keywords("aten.x.default:node_args(1):kwargs('dtype',)") == "dtype ");
  CHECK(keywords("aten.x.default:node_args(1):kwargs('dim', 'dtype')") == "dim dtype ");
  CHECK(keywords("aten.x.default:node_args(1):kwargs('dim','dtype','out')") == "dim dtype out ");
}

TEST_CASE("genome/verify stream: A, B and C", "[genome]") {
  CHECK(error_of({input, {0}}) == error{errc::genome_command, 5});
  CHECK(error_of({input, {9}}) == error{errc::genome_command, 5});
  CHECK(error_of({input, {35, 1}}) == error{errc::genome_operation_unknown, 5});
  CHECK(error_of({input, {255, 1}}) == error{errc::genome_operation_unknown, 5});
  CHECK(error_of({input, {relu, 14, 0, {0}}}) == error{errc::genome_variation_unknown, 5});
  CHECK(error_of({input, {relu, 0, 0, {0}}}) == error{errc::genome_variation_unknown, 5});
  CHECK(error_of({input, {relu, 9, 0, {0}}}) == error{errc::genome_variation_unknown, 5});
  CHECK(accepts({input, {relu, 1, 0, {0}}}));  // tensors in a list, say
  CHECK(accepts({input, {relu, in0, 29, {0}}}));
  CHECK(error_of({input, {relu, in0, 30, {0}}}) == error{errc::genome_constant_unknown, 5});
  CHECK(error_of({input, {relu, in0, 9, {0}}}) == error{errc::genome_constant_unknown, 5});
  CHECK(error_of({input, {relu, in0, 32767, {0}}}) == error{errc::genome_constant_unknown, 5});
  CHECK(accepts({input, {relu, in0, -18, {0}}}));
  CHECK(error_of({input, {relu, in0, -19, {0}}}) == error{errc::genome_group_unknown, 5});
  CHECK(error_of({input, {relu, in0, -10, {0}}}) == error{errc::genome_group_unknown, 5});
  CHECK(error_of({input, {relu, in0, -32768, {0}}}) == error{errc::genome_group_unknown, 5});
  CHECK(accepts({{5, 1, 16}}));
  CHECK(error_of({{5, 1, 17}}) == error{errc::genome_parameter_unknown, 0});
  CHECK(error_of({{5, 1, 0}}) == error{errc::genome_parameter_unknown, 0});
  CHECK(error_of({{5, 1, -11}}) == error{errc::genome_parameter_unknown, 0});

  for (const int a : {1, 2, 3, 4}) {
    INFO("A " << a);
    CHECK(accepts({{a, 1, 0}}));
    CHECK(error_of({{a, 0, 0}}) == error{errc::genome_special_form, 0});
    CHECK(error_of({{a, 2, 0}}) == error{errc::genome_special_form, 0});
    CHECK(error_of({{a, 1, 1}}) == error{errc::genome_special_form, 0});
    CHECK(error_of({{a, 1, -1}}) == error{errc::genome_special_form, 0});
    CHECK(accepts({input, {a, 1, 0, {0}}}) == (a == 4));
    if (a != 4) CHECK(error_of({input, {a, 1, 0, {0}}}) == error{errc::genome_special_form, 5});
  }
  CHECK(error_of({{5, 2, 10}}) == error{errc::genome_special_form, 0});
  CHECK(error_of({input, {5, 1, 10, {0}}}) == error{errc::genome_special_form, 5});
}

TEST_CASE("genome/verify stream: inputs of operations", "[genome]") {
  CHECK(accepts({input, input, input, {linear, in012, 0, {0, 1, 2}}}));
  // What took several nodes of a pattern has one of them, in the expansion too.
  CHECK(accepts({input, input, {linear, in012, 0, {0, 1}}}));
  const result<genome::program> merged = genome::verify(
      genome_samples::stream({input, {6, 12, 0, {0}}, {add, in01, 0, {1}}}), library());
  REQUIRE(merged);
  result<genome::stream> flat = genome::expand(*merged);
  REQUIRE(flat);
  CHECK(genome::verify(std::move(*flat), library()));
  CHECK(error_of({input, {relu, in0, 0}}) == error{errc::genome_variation_inputs, 5});
  CHECK(error_of({input, input, {relu, in0, 0, {0, 1}}}) == error{errc::genome_input_count, 10});
  CHECK(accepts({input, {add, in0, 0, {0}}}));  // x + x has one entry
  // One entry of D means many where it names a COPY or a PATTERN.
  CHECK(accepts({{7, 2, 2, {1, 0}}, {add, in01, 0, {0}}}));
  CHECK(accepts({input, {6, 12, 0, {0}}, {add, in01, 0, {1}}}));
}

TEST_CASE("genome/verify stream: patterns and copies", "[genome]") {
  CHECK(error_of({input, {6, 13, 0, {0}}}) == error{errc::genome_pattern_unknown, 5});
  CHECK(error_of({input, {6, 12, 256, {0}}}) == error{errc::genome_pattern_unknown, 5});
  CHECK(error_of({input, {6, 12, 1, {0}}}) == error{errc::genome_special_form, 5});
  // Pattern 10 reaches 3 nodes back, 11 and 12 one.
  CHECK(error_of({{6, 12}}) == error{errc::genome_pattern_order, 0});
  CHECK(error_of({input, input, {6, 10, 0, {0, 1}}}) == error{errc::genome_pattern_order, 10});
  CHECK(accepts({input, input, input, {6, 10, 0, {0, 1, 2}}}));
  // A COPY is one node there, a pattern as many as it expands to.
  CHECK(error_of({{7, 2, 3, {1, 0}}, {6, 10}}) == error{errc::genome_pattern_order, 9});
  CHECK(accepts({input, {6, 12, 0, {0}}, {6, 10, 0, {1}}}));
  CHECK(accepts({input, {6, 12, 0, {0}}, {relu, in0, 0, {1}}}));
  CHECK(error_of({input, {6, 12, 0, {1}}}) == error{errc::genome_reference, 5 + 5});

  CHECK(accepts({{7, 2, 32767, {1, 0}}, {7, 3, 1, {1, 0}}, {7, 5, 4, {1, 10}}}));
  CHECK(accepts({{7, arange, 2, {1, -18}}}));
  CHECK(error_of({input, {7, 2, 0, {1, 0}}}) == error{errc::genome_copy_form, 5});
  CHECK(error_of({input, {7, 2, -1, {1, 0}}}) == error{errc::genome_copy_form, 5});
  CHECK(error_of({input, {7, 2, 1, {1}}}) == error{errc::genome_copy_form, 5});
  CHECK(error_of({input, {7, 2, 1, {1, 0, 0}}}) == error{errc::genome_copy_form, 5});
  for (const int a : {0, 1, 4, 6, 7, 8, 9})
    CHECK(error_of({input, {7, a, 1, {1, 0}}}) == error{errc::genome_copy_form, 5});
  CHECK(error_of({input, {7, 2, 1, {256, 0}}}) == error{errc::genome_copy_form, 5 + 5});
  CHECK(error_of({input, {7, 2, 1, {-1, 0}}}) == error{errc::genome_copy_form, 5 + 5});
  CHECK(error_of({input, {7, 2, 1, {1, 32768}}}) == error{errc::genome_copy_form, 5 + 5 + 2});
  CHECK(error_of({input, {7, 2, 1, {2, 0}}}) == error{errc::genome_special_form, 5 + 5});
  CHECK(error_of({input, {7, 2, 1, {1, 7}}}) == error{errc::genome_special_form, 5 + 5 + 2});
  CHECK(error_of({input, {7, 5, 1, {1, 9}}}) == error{errc::genome_parameter_unknown, 5 + 5 + 2});
  CHECK(error_of({input, {7, 99, 1, {1, 0}}}) == error{errc::genome_operation_unknown, 5});
  CHECK(error_of({input, {7, full, 1, {9, 0}}}) == error{errc::genome_variation_unknown, 5 + 5});
  CHECK(error_of({input, {7, full, 1, {1, 99}}}) ==
        error{errc::genome_constant_unknown, 5 + 5 + 2});
  CHECK(error_of({input, {7, full, 1, {1, -99}}}) == error{errc::genome_group_unknown, 5 + 5 + 2});
  CHECK(error_of({input, {7, relu, 1, {in0, 0}}}) == error{errc::genome_variation_inputs, 5 + 5});
}

TEST_CASE("genome/verify stream: patterns that take inputs", "[genome]") {
  const auto with = [](std::initializer_list<node> nodes) {
    genome::registry r = genome_samples::library().registry();
    const auto put = [&r](std::uint32_t id, std::initializer_list<node> pattern) {
      const genome::stream s = genome_samples::stream(pattern);
      r.add_pattern(id, s);
    };
    put(20, {{7, 2, 3, {1, 0}}, {relu, in0, 0, {-1}}});
    put(21, {{6, 20}});
    put(22, {{8, 1, 0, {1, 1, -1, -1}}, {7, 2, 1, {1, 0}}, {5, 1, 10}});
    if (nodes.size() != 0) put(23, nodes);
    return genome::verify(std::move(r));
  };
  const result<genome::library> l = with({});
  REQUIRE(l);
  CHECK(l->takes_inputs(l->find_pattern(20)));
  CHECK(l->takes_inputs(l->find_pattern(21)));
  CHECK_FALSE(l->takes_inputs(l->find_pattern(22)));  // those are its block's
  CHECK(genome::verify(genome_samples::stream({{6, 21}, {6, 20}}), *l));
  const node p{5, 1, 10};
  for (const int pattern : {20, 21})
    CHECK(genome::verify(genome_samples::stream({input, {8, 1, 0, {1, 1, 0}}, p, {6, pattern}}), *l)
              .error() == error{errc::genome_block_input, 15 + 6});
  CHECK(genome::verify(genome_samples::stream({input, {8, 1, 0, {1, 2, 0}}, p, p, {6, 22}}), *l));
  CHECK(with({{8, 1, 0, {1, 1, -1}}, {6, 21}, p}).error().code == errc::genome_block_input);
  CHECK(with({{8, 1, 0, {1, 1, -1}}, p, p, {6, 21}}));
}

TEST_CASE("genome/verify stream: references of a graph", "[genome]") {
  CHECK(error_of({input, input, {add, in01, 0, {0, 2}}}) ==
        error{errc::genome_reference, 10 + 5 + 2});
  CHECK(error_of({input, {relu, in0, 0, {32767}}}) == error{errc::genome_reference, 5 + 5});
  CHECK(error_of({input, input, {add, in01, 0, {-1, 0}}}) == error{errc::genome_relative, 10 + 5});
  CHECK(error_of({input, {relu, in0, 0, {-32768}}}) == error{errc::genome_relative, 5 + 5});
  CHECK(error_of({pad, {relu, in0, 0, {0}}}) == error{errc::genome_reference_nothing, 5 + 5});
  CHECK(error_of({input, {4, 1, 0, {0}}, {relu, in0, 0, {1}}}) ==
        error{errc::genome_reference_nothing, 10 + 2 + 5});
  CHECK(accepts({{3}, {relu, in0, 0, {0}}, {4, 1, 0, {1, 1, 0}}}));
}

TEST_CASE("genome/verify stream: the form of IF and WHILE", "[genome]") {
  CHECK(accepts({input, {8, 1, 0, {1, 1, 0}}, {5, 1, 10}, {5, 1, 11}}));
  CHECK(accepts({input, {8, 2, 0, {1, 1, 0}}, {gt, in0, 11, {0}}, {relu, in0, 0, {0}}}));
  const error form{errc::genome_control_form, 5};
  CHECK(error_of({input, {8, 0, 0, {1, 1, 0}}, {5, 1, 10}, {5, 1, 11}}) == form);
  CHECK(error_of({input, {8, 3, 0, {1, 1, 0}}, {5, 1, 10}, {5, 1, 11}}) == form);
  CHECK(error_of({input, {8, 1, 1, {1, 1, 0}}, {5, 1, 10}, {5, 1, 11}}) == form);
  CHECK(error_of({input, {8, 1, 0, {1, 1}}, {5, 1, 10}, {5, 1, 11}}) == form);
  CHECK(error_of({input, {8, 2, 0, {1, 1}}, {5, 1, 10}, {5, 1, 11}}) == form);
  CHECK(error_of({input, {8, 1, 0}}) == form);

  const error first{errc::genome_block_length, 5 + 5}, second{errc::genome_block_length, 5 + 5 + 2};
  CHECK(error_of({input, {8, 1, 0, {0, 2, 0}}, {5, 1, 10}, {5, 1, 11}}) == first);
  CHECK(error_of({input, {8, 1, 0, {-1, 2, 0}}, {5, 1, 10}, {5, 1, 11}}) == first);
  CHECK(error_of({input, {8, 1, 0, {3, 1, 0}}, {5, 1, 10}, {5, 1, 11}}) == first);
  CHECK(error_of({input, {8, 1, 0, {2, 0, 0}}, {5, 1, 10}, {5, 1, 11}}) == second);
  CHECK(error_of({input, {8, 1, 0, {1, 2, 0}}, {5, 1, 10}, {5, 1, 11}}) == second);
  CHECK(error_of({input, {8, 1, 0, {32767, 32767, 0}}}) == first);
  // The block around is the end, not the stream.
  CHECK(error_of({input,
                  {8, 1, 0, {2, 2, 0, 0}},
                  {8, 1, 0, {1, 1, 0}},
                  {5, 1, 10},
                  {5, 1, 10},
                  {5, 1, 10}}) == error{errc::genome_block_length, 10 + 8 + 5 + 2});
  // The vector: then 2 nodes, else 1, condition 5, external 3.
  const std::string bytes("\x08\x01\x00\x00\x04\x00\x02\x00\x01\x00\x05\x00\x03", 13);
  result<genome::stream> s = genome::read(as_bytes(bytes));
  REQUIRE(s);
  CHECK(genome::verify(std::move(*s), library()).error() == error{errc::genome_block_length, 5});
  // Its references are as any others.
  CHECK(error_of({pad, {8, 1, 0, {1, 1, 0}}, {5, 1, 10}, {5, 1, 11}}) ==
        error{errc::genome_reference_nothing, 5 + 5 + 4});
  CHECK(error_of({input, {8, 2, 0, {1, 1, 0, 1}}, {5, 1, 10}, {5, 1, 11}}) ==
        error{errc::genome_reference, 5 + 5 + 6});
}

TEST_CASE("genome/verify stream: what blocks see", "[genome]") {
  const node choice{8, 1, 0, {2, 2, 1, 0}}, loop{8, 2, 0, {2, 2, 0}};
  const node p{5, 1, 10};
  // Nodes 0 and 1 in front, an IF at 2, its blocks at 3 and 5; references from node 4 and 6.
  const auto in_then = [&](const node& n) {
    return error_of({input, input, choice, p, n, p, p, input});
  };
  const auto in_else = [&](const node& n) {
    return error_of({input, input, choice, p, p, p, n, input});
  };
  CHECK(in_then({relu, in0, 0, {0}}) == error{});
  CHECK(in_then({relu, in0, 0, {1}}) == error{});  // D names the condition, too
  CHECK(in_then({relu, in0, 0, {3}}) == error{});
  CHECK(in_then({relu, in0, 0, {-1}}) == error{});
  CHECK(in_then({relu, in0, 0, {2}}) == error{errc::genome_reference, 20 + 8 + 5});
  CHECK(in_then({relu, in0, 0, {-2}}) == error{errc::genome_relative, 20 + 8 + 5});
  CHECK(in_else({relu, in0, 0, {5}}) == error{});
  CHECK(in_else({relu, in0, 0, {0}}) == error{});
  CHECK(in_else({relu, in0, 0, {3}}) == error{errc::genome_reference_scope, 30 + 8 + 5});
  CHECK(in_else({relu, in0, 0, {2}}) == error{errc::genome_reference, 30 + 8 + 5});
  CHECK(in_else({relu, in0, 0, {-2}}) == error{errc::genome_relative, 30 + 8 + 5});
  // What D doesn't list.
  CHECK(error_of({input, input, input, {8, 1, 0, {1, 1, 1, 0}}, {relu, in0, 0, {2}}, p}) ==
        error{errc::genome_reference_external, 20 + 8 + 5});
  CHECK(error_of({input, input, input, {8, 1, 0, {1, 1, 1, 0}}, p, {relu, in0, 0, {2}}}) ==
        error{errc::genome_reference_external, 25 + 8 + 5});
  // A WHILE sees what is around it; its body nothing of its condition.
  CHECK(accepts({input, input, loop, p, {gt, in0, 11, {1}}, p, {relu, in0, 0, {1}}}));
  CHECK(error_of({input, input, loop, p, p, p, {relu, in0, 0, {4}}}) ==
        error{errc::genome_reference_scope, 30 + 6 + 5});
  CHECK(error_of({input, input, loop, p, p, p, {relu, in0, 0, {2}}}) ==
        error{errc::genome_reference, 30 + 6 + 5});
  // After the blocks.
  CHECK(accepts({input, input, choice, p, p, p, p, {relu, in0, 0, {2}}}));
  CHECK(error_of({input, input, choice, p, p, p, p, {relu, in0, 0, {6}}}) ==
        error{errc::genome_reference_scope, 35 + 8 + 5});
  CHECK(error_of({input, input, choice, p, p, p, p, {relu, in0, 0, {-1}}}) ==
        error{errc::genome_relative, 35 + 8 + 5});
  // Nodes without a result.
  CHECK(error_of({input, input, choice, pad, {relu, in0, 0, {-1}}, p, p}) ==
        error{errc::genome_reference_nothing, 20 + 8 + 5});
  CHECK(error_of({input, input, choice, p, pad, p, p}) ==
        error{errc::genome_reference_nothing, 20 + 8});
  CHECK(error_of({input, input, choice, p, p, p, pad}) ==
        error{errc::genome_reference_nothing, 30 + 8});
  CHECK(error_of({input, input, loop, p, pad, p, p}) ==
        error{errc::genome_reference_nothing, 20 + 6});
}

TEST_CASE("genome/verify stream: blocks inside of blocks", "[genome]") {
  const node p{5, 1, 10};
  // An IF in the `then` of an IF: both list what the inner block takes.
  const auto nested = [&](const node& outer, const node& inner, const node& taker) {
    return error_of({input, input, input, outer, inner, taker, p, p});
  };
  CHECK(nested({8, 1, 0, {3, 1, 0, 1}}, {8, 1, 0, {1, 1, 0, 1}}, {relu, in0, 0, {1}}) == error{});
  CHECK(nested({8, 1, 0, {3, 1, 0, 1}}, {8, 1, 0, {1, 1, 0}}, {relu, in0, 0, {1}}) ==
        error{errc::genome_reference_external, 25 + 8 + 6 + 5});
  CHECK(nested({8, 1, 0, {3, 1, 0}}, {8, 1, 0, {1, 1, 0, 1}}, {relu, in0, 0, {0}}) ==
        error{errc::genome_reference_external, 20 + 6 + 5 + 6});
  // Through a WHILE, which lists nothing, the IF around it counts.
  CHECK(nested({8, 1, 0, {3, 1, 0, 1}}, {8, 2, 0, {1, 1, 0}}, {gt, in0, 11, {1}}) == error{});
  CHECK(nested({8, 1, 0, {3, 1, 0, 1}}, {8, 2, 0, {1, 1, 0}}, {gt, in0, 11, {2}}) ==
        error{errc::genome_reference_external, 25 + 8 + 6 + 5});
  // A block may end in another's blocks, and its value is that of the IF.
  CHECK(accepts({input,
                 {8, 2, 0, {1, 3, 0}},
                 {gt, in0, 11, {0}},
                 {8, 1, 0, {1, 1, 0}},
                 p,
                 p,
                 {relu, in0, 0, {1}}}));
  // Blocks of an ended block stay out of sight.
  CHECK(
      error_of({input, {8, 1, 0, {4, 1, 0}}, {8, 1, 0, {1, 1, 0}}, p, p, {relu, in0, 0, {3}}, p}) ==
      error{errc::genome_reference_scope, 25 + 12 + 5});

  // 5000 IFs in one another's `then`, each with an `else` of one node.
  constexpr std::int32_t depth = 5000;
  genome::stream s;
  genome::node n;
  n.b = 1;
  n.a = 2, s.add(n, {});
  for (std::int32_t k = 0; k < depth; ++k) n.a = 8, s.add(n, {2 * (depth - k) - 1, 1, 0});
  n.a = 3;
  for (std::int32_t k = 0; k <= depth; ++k) s.add(n, {});
  genome::stream wrong = s;
  CHECK(genome::verify(std::move(s), library()).error() == error{});
  wrong.inputs[3 * (depth - 1)] = 2;  // the innermost `then` runs into an `else` around it
  CHECK(genome::verify(std::move(wrong), library()).error() ==
        error{errc::genome_block_length, 5 * depth + 6 * (depth - 1) + 5 + 2});
}

TEST_CASE("genome/verify stream: inputs of blocks and loop variables", "[genome]") {
  const node p{5, 1, 10};
  const node choice{8, 1, 0, {2, 2, 0, 1}};
  CHECK(accepts({input, input, choice, input, p, p, input}));
  CHECK(error_of({input, input, choice, input, input, p, p}) ==
        error{errc::genome_block_input, 20 + 8});
  CHECK(error_of({input, input, choice, {7, 2, 2, {1, 0}}, p, p, p}) ==
        error{errc::genome_block_input, 15 + 8});
  CHECK(error_of({input, input, {8, 1, 0, {1, 1, 0}}, input, p}) ==
        error{errc::genome_block_input, 15 + 6});
  const node two{8, 2, 0, {2, 2, 0, 1}};
  CHECK(accepts(
      {input, input, two, input, {gt, in0, 11, {-1}}, {7, 2, 2, {1, 0}}, {4, 1, 0, {0, 1}}}));
  CHECK(
      error_of({input, input, two, p, {gt, in0, 11, {0}}, {7, 2, 3, {1, 0}}, {4, 1, 0, {0, 1}}}) ==
      error{errc::genome_block_input, 25 + 8 + 2});
  CHECK(error_of({input, input, two, p, {gt, in0, 11, {0}}, p, {4, 1, 0, {0}}}) ==
        error{errc::genome_loop_state, 30 + 8 + 2});
  CHECK(error_of({input, input, two, p, {gt, in0, 11, {0}}, p, {4, 1, 0, {0, 1, 1}}}) ==
        error{errc::genome_loop_state, 30 + 8 + 2});
  CHECK(error_of({input, input, two, p, {gt, in0, 11, {0}}, p, {relu, in0, 0, {0}}}) ==
        error{errc::genome_loop_state, 30 + 8 + 2});
  const node one{8, 2, 0, {1, 1, 0}};
  CHECK(accepts({input, one, {gt, in0, 11, {0}}, {4, 1, 0, {0}}}));
  CHECK(error_of({input, one, {gt, in0, 11, {0}}, {4, 1, 0, {0, 0}}}) ==
        error{errc::genome_loop_state, 15 + 6 + 2});
  CHECK(error_of({input, one, {gt, in0, 11, {0}}, pad}) ==
        error{errc::genome_loop_state, 15 + 6 + 2});
}

TEST_CASE("genome/verify stream: whole nodes of a flat graph are a graph", "[genome]") {
  const result<genome::stream> s = genome::read_base64(genome_samples::load("flat.b64"));
  REQUIRE(s);
  for (std::size_t n = 0; n <= s->size(); ++n) {
    genome::stream part;
    for (std::size_t i = 0; i < n; ++i) part.add(s->nodes[i], genome::stream_view(*s).inputs_of(i));
    CHECK(genome::verify(std::move(part), library()).error() == error{});
  }
}

TEST_CASE("genome/verify stream: any one byte changed", "[genome]") {
  for (const char* const name :
       {"compressed.b64", "copy.b64", "if.b64", "while.b64", "nested.b64"}) {
    const result<genome::stream> s = genome::read_base64(genome_samples::load(name));
    REQUIRE(s);
    const result<pool<std::byte>> bytes = genome::write(*s);
    REQUIRE(bytes);
    pool<std::byte> changed = *bytes;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      for (unsigned v = 0; v < 256; v += 5) {
        changed[i] = static_cast<std::byte>(v);
        result<genome::stream> t = genome::read({changed.data(), changed.size()});
        if (!t) continue;
        const error e = genome::verify(std::move(*t), library()).error();
        if (e.offset > changed.size()) CHECK(e == error{});
      }
      changed[i] = (*bytes)[i];
    }
  }
  SUCCEED();
}

TEST_CASE("genome/verify stream: limits and streams built in code", "[genome]") {
  const genome::stream s = genome_samples::stream({input, input, {add, in01, 0, {0, 1}}});
  CHECK(genome::verify(s, library(), {.limit = {.max_items = 3}}));
  CHECK(genome::verify(s, library(), {.limit = {.max_items = 2}}).error() ==
        error{errc::too_many_items, 0});
  genome::stream moved = s;
  moved.nodes[2].first = 1;
  CHECK(genome::verify(std::move(moved), library()).error() ==
        error{errc::genome_node_truncated, 10});
  genome::stream longer = s;
  longer.nodes[2].count = 3;
  CHECK(genome::verify(std::move(longer), library()).error() ==
        error{errc::genome_node_truncated, 10});
  // Flat graphs may be longer than what a file can name.
  genome::stream long_graph;
  genome::node n;
  n.a = 2, n.b = 1;
  long_graph.add(n, {});
  n.a = relu, n.b = in0;
  for (std::int32_t k = 0; k < 40000; ++k) long_graph.add(n, {k});
  CHECK(genome::verify(std::move(long_graph), library()));
}

TEST_CASE("genome/verify stream: memory is a multiple of the nodes", "[genome]") {
  // IFs one after another, each of 3 nodes: the most blocks that there can be.
  genome::stream s;
  genome::node n;
  n.b = 1;
  n.a = 2, s.add(n, {});
  for (std::int32_t k = 0; k < 10000; ++k) {
    n.a = 8, s.add(n, {1, 1, 0});
    n.a = 3, s.add(n, {}), s.add(n, {});
  }
  const std::size_t nodes = s.size();
  const tessera_tests::allocations used;
  CHECK(genome::verify(std::move(s), library()));
  // 4 bytes a node, 160 at most an IF, 8 each of its inputs, while pools double.
  CHECK(used.peak() <= 3 * (4 * nodes + 168 * 10000) + 4096);
}

TEST_CASE("genome/verify stream: a report has every error", "[genome]") {
  genome::stream s = genome_samples::stream(
      {input, {0}, {35, 1}, {add, in01, 0, {0, 9}}, {relu, in0, 30, {0}}, {8, 7}, {0}});
  report found;
  const result<genome::program> p = genome::verify(std::move(s), library(), {}, &found);
  REQUIRE_FALSE(p);
  CHECK(p.error() == error{errc::genome_command, 5});
  const struct {
    errc code;
    std::uint64_t offset;
    std::string_view message, path;
  } expected[] = {
      {errc::genome_command, 5, "A is 0, which is reserved", "node 1 (<NONE>)"},
      {errc::genome_operation_unknown, 10, "operation 35 is not in the registry", "node 2"},
      {errc::genome_reference, 15 + 5 + 2, "9: ", "D[1]"},
      {errc::genome_constant_unknown, 24, "constant 30 is not in the registry", "node 4 ("},
      {errc::genome_control_form, 31, error{errc::genome_control_form}.message(),
       "node 5 (<CONTROL_FLOW_PREFIX>)"},
  };
  for (const diagnostic& d : found.diagnostics)
    UNSCOPED_INFO(found.text_of(d.path) << ": " << found.text_of(d.text));
  REQUIRE(found.diagnostics.size() == std::size(expected));  // none after the broken IF
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const diagnostic& d = found.diagnostics[i];
    CAPTURE(std::string(found.text_of(d.text)), std::string(found.text_of(d.path)));
    CHECK(d.code == expected[i].code);
    CHECK(d.where.offset == expected[i].offset);
    CHECK(found.text_of(d.text).find(expected[i].message) != std::string_view::npos);
    CHECK(found.text_of(d.path).find(expected[i].path) != std::string_view::npos);
  }
}
