// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Thousands of flat graphs in compact form, over one vocabulary, whatever format they came from.
//
//   corpus all;
//   all.begin("resnet18");
//   all.add(all.names().kind("aten.relu.default:node_args(1):kwargs()", "in0", {}), {0});
//   corpus::graph g = all[0];
//   for (std::uint32_t i = 0; i < g.size(); ++i) use(g.kinds[i], g.inputs(i));
//
// A kind is all that a node says apart from its inputs: operation, variation and constants, by what
// they mean and not by ids of some registry, so that graphs of different registries compare. Inputs
// are indices of earlier nodes of the same graph, in the order of D. COPYs and PATTERNs are expanded.
// An IF or WHILE is of operation "<CONTROL_FLOW_PREFIX>", variation "IF" or "WHILE", and has the two
// lengths of its blocks, "2,1", as its only constant, of type "blocks".
//
// Lifetime:   a corpus owns everything; graphs and names borrow from it until the next add.
// Errors:     std::bad_alloc, and std::length_error beyond 2^32 kinds or inputs of one graph.
// Limits:     2^32 - 1 nodes and inputs a graph.
// Allocation: 8 bytes for each node and 4 for each input; names once.

#ifndef TESSERA_GENOME_CORPUS_HPP
#define TESSERA_GENOME_CORPUS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expansion.hpp"
#include "numbered.hpp"
#include "tessera/genome.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// Names and their numbers, from 0 on in the order in which they came.
class name_table {
 public:
  [[nodiscard]] std::uint32_t add(std::string_view name);
  [[nodiscard]] std::string_view operator[](std::uint32_t i) const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(firsts_.size() - 1);
  }
  /// The number of a name that is there; else size().
  [[nodiscard]] std::uint32_t find(std::string_view name) const;
  /// Bytes that it holds, within a few per cent.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  std::vector<char> characters_;
  std::vector<std::uint64_t> firsts_{0};
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash_;  // keyed_hash
};

/// A constant argument: where, what type, and the value as JSON. `key` is "argN", a keyword, or
/// empty where there is only one and nothing says which (v1.2 streams).
struct argument {
  std::string_view key, type, value;
};

/// What all graphs of a corpus share.
class vocabulary {
 public:
  struct kind_row {
    std::uint32_t operation = 0;  ///< in operations()
    std::uint32_t variation = 0;  ///< in variations()
    std::uint32_t constants = 0;  ///< in constants(); 0: none
    friend bool operator==(const kind_row&, const kind_row&) = default;
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> words() const noexcept {
      return {std::uint64_t{operation} << 32 | variation, constants};
    }
  };
  vocabulary();

  /// The kind of a node; for a CONST_REF the name of its parameter is the only constant, of type
  /// "parameter", or it has none where names of parameters don't matter.
  [[nodiscard]] std::uint32_t kind(std::string_view operation, std::string_view variation,
                                   std::span<const argument> constants);
  [[nodiscard]] const kind_row& operator[](std::uint32_t kind) const noexcept {
    return kinds_[kind];
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return kinds_.size(); }
  /// "aten.relu.default:node_args(1):kwargs()", "<CONST_REF>" …; the first ten are the commands, so
  /// that an operation below 10 is one.
  [[nodiscard]] const name_table& operations() const noexcept { return operations_; }
  [[nodiscard]] const name_table& variations() const noexcept { return variations_; }
  /// The arguments of constants(), taken apart again.
  [[nodiscard]] std::vector<argument> arguments(std::uint32_t constants) const;
  [[nodiscard]] std::uint32_t constants_size() const noexcept { return constants_.size(); }
  /// The operation's name without node_args and kwargs: "aten.relu.default".
  [[nodiscard]] std::string_view target(std::uint32_t operation) const noexcept;
  /// Bytes that it holds, within a few per cent.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  name_table operations_, variations_, constants_;  // constants: see kind()
  numbered<kind_row> kinds_;
};

class corpus {
 public:
  /// Lifetime: borrows.
  struct graph {
    std::span<const std::uint32_t> kinds;
    std::span<const std::uint32_t> firsts;  ///< one more than nodes
    std::span<const std::uint32_t> all_inputs;

    [[nodiscard]] std::uint32_t size() const noexcept {
      return static_cast<std::uint32_t>(kinds.size());
    }
    [[nodiscard]] std::span<const std::uint32_t> inputs(std::size_t i) const noexcept {
      return all_inputs.subspan(firsts[i], firsts[i + 1] - firsts[i]);
    }
  };

  [[nodiscard]] vocabulary& names() noexcept { return names_; }
  [[nodiscard]] const vocabulary& names() const noexcept { return names_; }

  /// A new graph, the one that add() adds to.
  void begin(std::string_view name);
  void add(std::uint32_t kind, std::span<const std::uint32_t> inputs);
  void add(std::uint32_t kind, std::initializer_list<std::uint32_t> inputs) {
    add(kind, std::span<const std::uint32_t>(inputs.begin(), inputs.size()));
  }
  /// Takes the graph that was begun last away again, when its source turned out to be wrong.
  void drop_last();

  [[nodiscard]] std::size_t size() const noexcept { return graphs_.size(); }
  [[nodiscard]] graph operator[](std::size_t i) const noexcept;
  [[nodiscard]] std::string_view name(std::size_t i) const noexcept { return graphs_[i].name; }
  /// What streams that are added may still expand to.
  [[nodiscard]] expansion_budget& expansions() noexcept { return expansions_; }
  /// Nodes of all graphs.
  [[nodiscard]] std::uint64_t nodes() const noexcept { return nodes_; }
  /// Bytes that it holds, names among them, within a few per cent.
  [[nodiscard]] std::uint64_t memory() const noexcept;

 private:
  struct stored {
    std::string name;
    std::vector<std::uint32_t> kinds, firsts{0}, inputs;
  };
  vocabulary names_;
  expansion_budget expansions_;
  std::vector<stored> graphs_;
  std::uint64_t nodes_ = 0;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_CORPUS_HPP
