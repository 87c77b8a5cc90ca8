// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How often each operation is called, in one model and in all: what a chip would have to provide.
//
//   operation_profile p = profile(all);
//   std::cout << profile_table(all, p, false);      // every operation of the registry
//   std::cout << demand_table(all, p);              // by target, whatever the keywords
//
//      count   share     sum  models    most  operation
//        512   51.2%   51.2%       3     300  aten.linear.default:node_args(3):kwargs()
//
//   column    what
//   count     calls in all graphs, each node that isn't a command
//   share     of all calls
//   sum       the shares down to this row
//   models    graphs that call it at all
//   most      calls in the graph that has most of them: units that would make one pass of it
//
// Commands (<DATA_INPUT>, <CONST_REF>, <OUTPUT>, control flow) call nothing: they are listed apart,
// and shares leave them out. Nodes in blocks of IF and WHILE count once. In demand_table operations
// of one target are one row: aten.add.Tensor with one and with two tensors is one unit.
//
//   profile_json   {"graphs", "nodes", "calls", "operations": [{"name", "count", "share", "models",
//                  "most"}], "commands": [the same without share], "demand": [as operations],
//                  "models": [{"name", "nodes", "calls", "operations": [{"name", "count"}],
//                  "commands": likewise}]}
//
// Rows are sorted by count, the highest first, then by name; so are those of a model.
//
// Lifetime:   a profile has numbers of the corpus's vocabulary; the corpus stays what it was.
// Errors:     std::bad_alloc.
// Limits:     none.
// Allocation: 16 bytes for each operation of each graph.

#ifndef TESSERA_GENOME_PROFILE_HPP
#define TESSERA_GENOME_PROFILE_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct operation_profile {
  struct row {
    std::uint32_t operation = 0;  ///< in the vocabulary
    std::uint64_t count = 0;      ///< in all graphs
    std::uint32_t models = 0;     ///< graphs that have it
    std::uint64_t most = 0;       ///< in one graph
  };
  std::vector<row> rows;      ///< the most frequent first, then by name
  std::vector<row> commands;  ///< likewise
  std::uint64_t calls = 0;    ///< of all operations
  /// Operation and count, of each graph, commands too; the most frequent first, then by name.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> by_model;
};
[[nodiscard]] operation_profile profile(const corpus& of);

/// The same by target: `operation` is the first one of that target in the vocabulary, by_model is
/// empty, and so are the commands.
[[nodiscard]] operation_profile demand(const corpus& of, const operation_profile& p);

/// Of the corpus, or with `by_model` of each graph.
[[nodiscard]] text profile_table(const corpus& of, const operation_profile& p, bool by_model);
[[nodiscard]] text demand_table(const corpus& of, const operation_profile& p);
[[nodiscard]] text profile_json(const corpus& of, const operation_profile& p);

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PROFILE_HPP
