// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Patterns that hold the one before twice: what they mean doubles with each, and what is made
// of them stays in proportion to what was read.

#include "genome/expansion.hpp"

#include "genome/convert.hpp"
#include "genome/graphs.hpp"
#include "genome/tools/show.hpp"
#include "support/allocations.hpp"

using tessera::errc;
using tessera::error;
namespace genome = tessera::genome;
namespace genomics = tessera::genomics;

namespace {

constexpr int max_patterns = 27;  // of the last, 2^27 nodes are as many as limits::max_items

/// Pattern 10 + k expands to 2^(k + 1) nodes.
[[nodiscard]] genome::library doubling(int patterns) {
  genome::registry r = graphs::names();
  const graphs::row relu{20, 10, 0, {-1}};
  graphs::add_pattern(r, 10, {relu, relu});
  for (int id = 11; id < 10 + patterns; ++id)
    graphs::add_pattern(r, static_cast<std::uint32_t>(id),
                        {{6, id - 1, 0, {}}, {6, id - 1, 0, {}}});
  return *genome::verify(std::move(r));
}
[[nodiscard]] genome::program call_of(const genome::library& l, int pattern) {
  return *genome::verify(graphs::stream_of({{2, 1, 0, {}}, {6, pattern, 0, {0}}}), l);
}
[[nodiscard]] std::size_t memory_of(int patterns) {
  const genome::library l = doubling(patterns);
  const genome::program p = call_of(l, 9 + patterns);
  const tessera_tests::allocations used;
  genomics::corpus c;
  (void)add_graph(c, "g", p);
  return used.peak();
}

}  // namespace

TEST_CASE("genome_tools/expansion: doubling patterns are refused before they are written out",
          "[genome_tools]") {
  const genome::library l = doubling(max_patterns);
  genomics::corpus c;
  CHECK(add_graph(c, "small", call_of(l, 25)).code == errc::ok);
  CHECK(c.nodes() == 1 + (1 << 16));
  const std::uint64_t nodes = c.nodes();
  const tessera_tests::allocations used;
  for (int id = 28; id < 10 + max_patterns; ++id)
    CHECK(add_graph(c, "large", call_of(l, id)) == error{errc::genome_expansion_size, 5});
  CHECK(used.peak() < 64 * 1024);
  CHECK(c.nodes() == nodes);
  CHECK(c.size() == 1);
}

TEST_CASE("genome_tools/expansion: memory is in proportion to what was read", "[genome_tools]") {
  using budget = genomics::expansion_budget;
  for (int patterns = 1; patterns <= max_patterns; ++patterns) {
    INFO(patterns);
    const std::uint64_t read = 2 * static_cast<std::uint64_t>(patterns) + 5;
    CHECK(memory_of(patterns) <= 64 * (budget::free_nodes + budget::growth * read));
  }
}

TEST_CASE("genome_tools/expansion: all streams share what their files allow", "[genome_tools]") {
  const genome::library l = doubling(max_patterns);
  const genome::program p = call_of(l, 21);  // 3 nodes and inputs for 2^12
  genomics::corpus c;
  while (add_graph(c, "g", p).code == errc::ok) REQUIRE(c.size() < 1000);
  const std::uint64_t read = 2 * max_patterns + 2 + 3 * (std::uint64_t{c.size()} + 1);
  CHECK(c.nodes() <=
        genomics::expansion_budget::free_nodes + genomics::expansion_budget::growth * read);
  CHECK(c.nodes() > genomics::expansion_budget::free_nodes);
}

TEST_CASE("genome_tools/expansion: streams of many short patterns have no end", "[genome_tools]") {
  const genome::library l = doubling(max_patterns);
  const genome::program p = call_of(l, 15);  // 2^6
  genomics::corpus c;
  for (int i = 0; i < 5000; ++i) REQUIRE(add_graph(c, "g", p).code == errc::ok);
  CHECK(c.nodes() > 2 * genomics::expansion_budget::free_nodes);
}
