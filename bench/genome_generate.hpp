// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Corpora as architectures make them: families of graphs, each a choice of blocks from one stock,
// stacked many times, with a node changed here and there and its own nodes between the blocks.
//
//   const tessera::genomics::corpus all = bench::genome_corpus(1000);  // of 2,000 nodes each
//
// A graph starts with its input and its parameters, as exported ones do. An operation that takes a
// parameter does so at another distance each time, so that it parts the runs that recur.

#ifndef TESSERA_BENCH_GENOME_GENERATE_HPP
#define TESSERA_BENCH_GENOME_GENERATE_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "genome/corpus.hpp"
#include "io/random.hpp"

namespace bench {

/// The same for the same sizes everywhere; graph i is the same in corpora of all sizes.
[[nodiscard]] inline tessera::genomics::corpus genome_corpus(std::uint32_t graphs,
                                                             std::uint32_t nodes = 2000) {
  using namespace tessera::genomics;
  struct node {
    std::uint32_t kind;
    std::vector<std::uint32_t> back;  // how far the inputs are
    bool has_parameter;
  };
  constexpr std::uint32_t kinds = 160, blocks = 300, families = 40, blocks_of_family = 8;
  std::uint64_t state = 42;
  const auto below = [&state](std::uint32_t n) {
    return static_cast<std::uint32_t>(tessera::io::next_bits(state) % n);
  };

  corpus all;
  const std::uint32_t input = all.names().kind("<DATA_INPUT>", "", {});
  const std::uint32_t parameter = all.names().kind("<CONST_REF>", "", {});
  const std::uint32_t output = all.names().kind("<OUTPUT>", "", {});
  std::vector<std::uint32_t> operations;
  for (std::uint32_t k = 0; k < kinds; ++k)
    operations.push_back(
        all.names().kind("aten.op" + std::to_string(k / 2) + ".default:node_args(1):kwargs()",
                         k % 2 == 0 ? "in0" : "in0,in1", {}));
  // Half of all nodes are of a sixteenth of the kinds, as in real graphs.
  const auto any_node = [&] {
    node n{operations[below(below(2) == 0 ? kinds / 16 : kinds)], {1 + below(2)}, below(25) == 0};
    if (below(4) == 0) n.back.push_back(n.back[0] + 1 + below(5));
    return n;
  };
  std::vector<std::vector<node>> stock(blocks);
  for (std::vector<node>& block : stock)
    for (std::uint32_t i = 12 + below(40); i != 0; --i) block.push_back(any_node());

  for (std::uint32_t g = 0; g < graphs; ++g) {
    const std::uint32_t family = g % families, parameters = nodes / 20;
    state = 1000 + g;
    all.begin("graph" + std::to_string(g));
    all.add(input, {});
    for (std::uint32_t i = 0; i < parameters; ++i) all.add(parameter, {});
    std::uint32_t size = parameters + 1, next_parameter = 1;
    std::vector<std::uint32_t> inputs;
    const auto add = [&](const node& n) {
      if (size + 1 >= nodes) return;
      inputs.clear();
      if (n.has_parameter) {
        inputs.push_back(next_parameter);
        if (next_parameter < parameters) ++next_parameter;
      }
      for (std::size_t k = n.back.size(); k-- != 0;) inputs.push_back(size - n.back[k]);
      all.add(n.kind, inputs);
      ++size;
    };
    while (size + 1 < nodes) {
      // A block of the family, a few times over; one in ten from anywhere.
      const std::uint32_t chosen =
          below(10) == 0 ? below(blocks) : (family * 7 + below(blocks_of_family)) % blocks;
      for (std::uint32_t times = 1 + below(4); times != 0; --times)
        for (const node& n : stock[chosen]) add(below(100) == 0 ? any_node() : n);
      for (std::uint32_t i = below(4); i != 0; --i) add(any_node());
    }
    all.add(output, {size - 1});
  }
  return all;
}

}  // namespace bench

#endif  // TESSERA_BENCH_GENOME_GENERATE_HPP
