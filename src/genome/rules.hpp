// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The grammar of models: which node follows which, how operations are called, what nodes are made of.
//
//   rule_miner miner(library);
//   for (…) miner.add(program);             // one at a time, compressed or flat; nothing is kept of it
//   genome::registry to = library.registry();
//   miner.finish(to);
//
//   rule          text in the registry
//   transition    After 'X' -> 'Y' with connection 'in0=rel_-3,in1=SOURCE'
//   exception     -> 'Z' with conn 'in0=SOURCE' (2 times)
//   composition   Composition: Op='X', Var=10, Const='g[12]'        c[12]: a constant; None
//   structure     Node 'Y' is formed by inputs from ['X' (at rel -2), 'Z' (at rel -1)]
//
// An edge is an entry of a node's D that refers to another node; SOURCE is the node that it comes
// from, rel_D another input as its distance, the source's index minus the node's. Inputs are numbered
// from 0 in the order of D, lengths of blocks left out; a node that appears in D twice gives two
// edges, in which the other one is shown by its distance. Edges are one kind when both names and
// the connection are equal. A transition is kept when its share of all edges from X is above
// min_probability and these are more than min_transitions. `probability` is the share, as a double,
// to two digits; where there are other edges from X, they are the exceptions, the most frequent
// first. Its stream is X without inputs and Y with the input 0, both as they were met first.
//
// A composition is an operation's A, B and C. A structure is a node's name with the names and
// distances of its inputs, each once, sorted by name and then by distance; only of nodes that have
// more than one.
//
// Names are those of operations and commands in the registry. A PATTERN is '<PATTERN ID=n>', and what
// is inside of it makes no rules. A COPY is taken for the node that it repeats, in names, in streams
// and, as often as it says, in compositions. An IF or WHILE takes its condition, externals and states;
// the nodes of its blocks count like all others.
//
// Rules are sorted by count, the highest first, then by text.
//
// Lifetime:   borrows the library, which all programs are of.
// Errors:     std::bad_alloc.
// Limits:     max_exceptions of a rule; max_text characters in all: what follows isn't written.
//             max_kinds: of later nodes only compositions count. finish() reports it.
// Allocation: 16 to 40 bytes for each start and end of a list of inputs, and 40 to 80 for each edge,
//             each once, whatever the number of programs that have it.

#ifndef TESSERA_GENOME_RULES_HPP
#define TESSERA_GENOME_RULES_HPP

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numbered.hpp"
#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

struct rule_options {
  double min_probability = 0.8;         ///< transitions: more than that
  std::uint64_t min_transitions = 5;    ///< edges from the source: more than that
  std::uint64_t min_compositions = 20;  ///< more than that
  std::uint64_t min_structures = 10;    ///< more than that
  std::uint32_t max_exceptions = 1000;  ///< of a rule; 0: none are asked for
  std::uint64_t max_text = std::uint64_t{1} << 28;
  std::uint32_t max_kinds = std::uint32_t{1} << 24;  ///< of edges, and of starts and ends of lists
};

class rule_miner {
 public:
  explicit rule_miner(const genome::library& of, const rule_options& how = {});

  void add(const genome::program& p);
  /// Puts the rules in the place of those of `to`, which has the library's maps. Whether all of them
  /// are there. More programs may be added afterwards.
  bool finish(genome::registry& to) const;

 private:
  using words_of_key = std::pair<std::uint64_t, std::uint64_t>;
  /// A, B and C of a node.
  struct head {
    std::uint8_t a = 0, b = 0;
    std::int16_t c = 0;
    friend auto operator<=>(const head&, const head&) = default;
    [[nodiscard]] words_of_key words() const noexcept {
      return {std::uint64_t{a} << 8 | b, static_cast<std::uint16_t>(c)};
    }
  };
  /// Lists, each once: an entry and the list before it; list 0 is empty.
  struct link {
    std::uint32_t before = 0;
    std::uint32_t name = 0;  // of a structure's parent
    std::int32_t distance = 0;
    friend bool operator==(const link&, const link&) = default;
    [[nodiscard]] words_of_key words() const noexcept {
      return {std::uint64_t{before} << 32 | name, static_cast<std::uint32_t>(distance)};
    }
  };
  struct transition {
    std::uint32_t from = 0, to = 0;  // names
    std::uint32_t before = 0,
                  after = 0;  // inputs beside the source; `after` has the last one first
    friend auto operator<=>(const transition&, const transition&) = default;
    [[nodiscard]] words_of_key words() const noexcept {
      return {std::uint64_t{from} << 32 | to, std::uint64_t{before} << 32 | after};
    }
  };
  struct transition_count {
    std::uint64_t count = 0;
    head from, to;  // as they were met first
  };
  struct structure {
    std::uint32_t name = 0, parents = 0;
    friend bool operator==(const structure&, const structure&) = default;
    [[nodiscard]] words_of_key words() const noexcept { return {name, parents}; }
  };
  struct writer;

  [[nodiscard]] static head head_of(const genome::stream_view& s, std::size_t i) noexcept;
  [[nodiscard]] std::uint32_t name_of(head h) const noexcept;
  [[nodiscard]] transition_count& count_of(const transition& t);

  const genome::library* library_;
  rule_options options_;
  std::vector<std::string> names_;       // sorted, each once
  std::vector<std::uint32_t> heads_;     // by A: its name
  std::vector<std::uint32_t> patterns_;  // by index: its name
  numbered<link> lists_;
  numbered<transition> transitions_;
  numbered<head> compositions_;
  numbered<structure> structures_;
  std::vector<transition_count> transition_counts_;
  std::vector<std::uint64_t> composition_counts_, structure_counts_;
  bool complete_ = true;  // all edges were counted
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_RULES_HPP
