// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A corpus as one text of tokens, as contiguous patterns are looked for in it.
//
//   token_text t(all);
//   t.symbols[p];             // a token's number, or at least t.tokens.size(): a break
//   t.tokens[t.symbols[p]];   // a node that says the same
//   t.starts[g];              // where graph g starts
//
//   node                                                   in the text
//   an operation                                           a token
//   a run that becomes a COPY, whatever its nodes are      a token
//   DATA_INPUT, PARAM_INPUT, CONST_REF, OUTPUT, NONE, PAD  left out, as if it weren't there
//   IF, WHILE, anything else                               a break
//
// A token is a node's kind and its inputs relative to its index, which counts what is left out too,
// and a run that becomes a COPY as one node: so do patterns. That is what compress() makes of more
// than 2 equal nodes without inputs of which only the first is used. Its token is the kind of its
// nodes, and how many they are.
// No pattern goes over a break: there is one at the end of each graph and of each block of an IF or
// WHILE as well, none twice in a row, and each has a number of its own.
//
// Lifetime:   borrows the corpus where it is made, and nothing afterwards.
// Errors:     std::bad_alloc; std::length_error beyond its limit.
// Limits:     2^31 - 1 tokens and breaks.
// Allocation: 4 bytes for each node; 20 for each token and 4 for each of its inputs, and at most 16
//             while it is made; 5 for each node of the longest graph.

#ifndef TESSERA_GENOME_TOKENS_HPP
#define TESSERA_GENOME_TOKENS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct token_text {
  /// A node of the corpus.
  struct place {
    std::uint32_t graph = 0, node = 0;
  };

  std::vector<std::uint32_t> symbols;
  std::vector<std::uint32_t> starts;       ///< of the graphs
  std::vector<place> tokens;               ///< in the order in which they came
  std::vector<std::uint32_t> repeats;      ///< by token: the nodes of a COPY; else 0
  std::vector<std::uint32_t> first_input;  ///< by token, and the end of all
  std::vector<std::uint32_t> inputs;       ///< of tokens: how far each is before the node
  std::uint32_t breaks = 0;

  /// `nodes`, if any, are filled with the node at each place of `symbols`: of a run the first.
  explicit token_text(const corpus& of, std::vector<std::uint32_t>* nodes = nullptr);
  [[nodiscard]] bool is_break(std::size_t p) const noexcept { return symbols[p] >= tokens.size(); }
  [[nodiscard]] std::span<const std::uint32_t> inputs_of(std::uint32_t token) const noexcept {
    return {inputs.data() + first_input[token], first_input[token + 1] - first_input[token]};
  }
  [[nodiscard]] std::uint32_t graph_at(std::uint32_t p) const noexcept;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_TOKENS_HPP
