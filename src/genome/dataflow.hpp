// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A graph as the search for subgraphs sees it: only operations, and their edges.
//
//   operation_labels labels(all);
//   dataflow g(all[0], dataflow_order(all[0], labels), labels, usable, max_gap);
//   for (dataflow::link l : g.links(v)) use(l.other, l.argument);
//
//   what                         how it is seen
//   DATA_INPUT, CONST_REF …      left out: A below 10, but for IF and WHILE
//   label                        rank of the operation's name among all names, by bytes
//   argument                     k where the variation's k-th entry names the input: of "in1,in0"
//                                input 1 is argument 0. 0 for all where it doesn't name all inputs
//                                once at least, names more than 64, or the operation commutes
//
// D is sorted by ids, so the position of an input in it means nothing; the variation counts. Nodes
// are numbered by dataflow_order(), so that two graphs that differ only in the order of their nodes
// are seen alike.
//
// Two nodes are a gap apart when the one doesn't take the other's result itself, and a way leads from
// the one to the other over 1 to `max_gap` others. Ways leave no node of more than max_fan takers,
// and enter none that takes from more than max_fan: through hubs everything is near everything.
//
// Lifetime:   values; labels borrow nothing.
// Errors:     std::bad_alloc. Inputs that aren't earlier nodes are left out.
// Limits:     a graph with gaps, and nodes in them, beyond 64 a node and 1024 has none: gaps_cut().
// Allocation: 8 bytes for a node, 16 for each argument and 8 for each gap.

#ifndef TESSERA_GENOME_DATAFLOW_HPP
#define TESSERA_GENOME_DATAFLOW_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "corpus.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// What the kinds of a corpus mean to the search.
class operation_labels {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t max_arguments = 64;

  explicit operation_labels(const vocabulary& names);

  /// The operation of a label, and how many there are.
  [[nodiscard]] std::uint32_t operation(std::uint32_t label) const { return by_rank_[label]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(by_rank_.size()); }
  /// Of the name, whatever else is in the corpus.
  [[nodiscard]] std::uint64_t name_hash(std::uint32_t label) const { return hashes_[label]; }
  /// `none` for what genes have no part in.
  [[nodiscard]] std::uint32_t of_kind(std::uint32_t kind) const { return labels_[kind]; }
  /// Which input each argument is; empty where that isn't known or doesn't matter.
  [[nodiscard]] std::span<const std::uint32_t> arguments(std::uint32_t kind) const {
    return arguments_[variations_[kind]];
  }

 private:
  std::vector<std::uint32_t> by_rank_, labels_, variations_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::vector<std::uint32_t>> arguments_;  // by variation; the first is of none
};

/// Whether the order of its arguments makes no difference: "aten.add.Tensor", "Mul", "maximum" …
[[nodiscard]] bool commutes(std::string_view target);

/// Between nodes of a graph that are operations, by those that take; some may come twice.
struct operation_edge {
  std::uint32_t from = 0, to = 0, argument = 0;
};
[[nodiscard]] std::vector<operation_edge> operation_edges(const corpus::graph& of,
                                                          const operation_labels& labels);

class dataflow {
 public:
  static constexpr std::uint32_t max_fan = 8;
  static constexpr std::uint32_t max_gaps_a_node = 64;

  struct link {
    std::uint32_t other = 0;     ///< before the node: gives to it; after it: takes from it
    std::uint32_t argument = 0;  ///< of the one that takes
    friend auto operator<=>(const link&, const link&) = default;
  };
  /// `order` is that of dataflow_order(), and numbers the nodes. Only nodes of labels that are
  /// `usable` have links; ways of gaps lead over all operations.
  dataflow(const corpus::graph& of, std::span<const std::uint32_t> order,
           const operation_labels& labels, const std::vector<bool>& usable, std::uint32_t max_gap);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(labels_.size()); }
  [[nodiscard]] std::uint32_t label(std::uint32_t v) const { return labels_[v]; }
  /// Ascending, by other and then argument.
  [[nodiscard]] std::span<const link> links(std::uint32_t v) const {
    return std::span(links_).subspan(first_link_[v], first_link_[v + 1] - first_link_[v]);
  }
  /// What is a gap away from a node, either way, ascending.
  [[nodiscard]] std::span<const std::uint32_t> gaps(std::uint32_t v) const {
    if (first_gap_.empty()) return {};
    return std::span(gaps_).subspan(first_gap_[v], first_gap_[v + 1] - first_gap_[v]);
  }
  /// Whether a way of a gap leads from `from` to `to` that keeps off `nodes`.
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to,
                             std::span<const std::uint32_t> nodes);
  /// Nodes that all calls of reaches() came by.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] bool gaps_cut() const { return gaps_cut_; }

 private:
  void find_gaps(const std::vector<bool>& usable);
  template <class Visit>
  std::size_t walk(std::uint32_t from, std::uint32_t last, std::span<const std::uint32_t> keeps_off,
                   Visit visit);

  std::vector<std::uint32_t> labels_, first_link_, first_gap_, gaps_;
  std::vector<std::uint32_t> first_taker_, takers_,
      fan_in_;  // where there are gaps: all operations
  std::vector<link> links_;
  std::vector<std::uint32_t> reached_, seen_;  // by walk()
  std::uint32_t max_gap_, now_ = 0;
  std::uint64_t steps_ = 0;
  bool gaps_cut_ = false;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DATAFLOW_HPP
