// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// What mine_subgraphs() does with one graph at a time: visits its node sets and counts their genes.
//
//   subgraph_search s(labels, frequent, how);      // one for each thread
//   s.start({.gapped = false, .size = 4});         // a pass
//   s.begin_part();
//   s.look_at(graph, order, usable, budget);                      // …
//   s.candidates();                                // of the part: words and counts
//
// A connected set is visited once: from its first node on, by what neighbours it more, in an order
// that its sets share (Wernicke's ESU). A set is left, with all that it would grow into, when a part
// of it that is connected by direct edges isn't a gene that was found frequent, or isn't needed; so
// is one whose gaps make a gene that wasn't found, when the pass prunes.
//
// Sets that were visited alike, node by node and edge by edge, have one state: what a set means is
// found out once for each. States come from the state before and from what is added to it.
//
//   words of a gene      labels, then edges: 1 << 31 | from << 24 | to << 16 | argument << 1 | gap
//
// Lifetime:   borrows labels and frequent genes.
// Errors:     std::bad_alloc, std::length_error.
// Limits:     max_candidates in a part; what is beyond isn't counted, and examined() says so.
// Allocation: 60 bytes for each of 2^20 states; 200 for each of 2^18 candidates, and of the part's.

#ifndef TESSERA_GENOME_SUBGRAPH_SEARCH_HPP
#define TESSERA_GENOME_SUBGRAPH_SEARCH_HPP

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "canonical.hpp"
#include "dataflow.hpp"
#include "disjoint_counter.hpp"
#include "gene.hpp"
#include "key_table.hpp"
#include "numbered.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genomics {

/// The words of a gene and back.
[[nodiscard]] std::vector<std::uint32_t> words_of(const canonical_form& f);
[[nodiscard]] canonical_form form_of(key_table::key words);
inline constexpr std::uint32_t edge_mark = std::uint32_t{1} << 31;
[[nodiscard]] constexpr bool is_edge_word(std::uint32_t w) noexcept { return (w & edge_mark) != 0; }

/// What hangs together by direct edges, without its gaps.
[[nodiscard]] std::vector<canonical_form> connected_parts(std::span<const std::uint32_t> labels,
                                                          std::span<const gene_edge> edges);

class subgraph_search {
 public:
  struct pass {
    bool gapped = false;
    std::uint32_t size = 0;  ///< nodes of the sets that count; 0: all that are `wanted`
    std::uint32_t max_gap = 0, max_nodes = 0, max_candidates = 0;
    bool prunes = false;  ///< gapped sets, too, grow only from frequent genes
    bool keeps_sets = false;
    const std::vector<std::uint32_t>* wanted = nullptr;  ///< by frequent gene: its number, or none
    const std::vector<bool>* needed = nullptr;  ///< the same: whether sets of it grow; null: yes
  };
  struct candidate {
    std::uint32_t gene = 0, models = 0;
    std::uint64_t occurrences = 0, firsts = 0;
  };

  subgraph_search(const operation_labels& labels, const key_table& frequent)
      : labels_(labels), frequent_(frequent) {}

  void start(const pass& p);
  void begin_part();
  /// Returns how much was looked at: at most `budget`.
  std::uint64_t look_at(const corpus::graph& g, std::span<const std::uint32_t> order,
                        const std::vector<bool>& usable, std::uint64_t budget);

  /// Genes of the part, in the order in which they came; words() are theirs.
  [[nodiscard]] const std::vector<candidate>& candidates() const { return candidates_; }
  [[nodiscard]] key_table::key words(const candidate& c) const { return codes_[c.gene]; }
  /// Of the graph that was looked at last.
  [[nodiscard]] std::span<const disjoint_counter::count> counts() const { return counts_; }
  /// Likewise the sets that were counted, where the pass keeps them: nodes by their place in `order`.
  [[nodiscard]] std::span<const disjoint_counter::occurrence_set> sets() const {
    return counter_.sets();
  }
  /// Whether a limit kept anything of the graph that was looked at last from being counted, and
  /// whether its gaps were too many.
  [[nodiscard]] bool cut() const { return cut_; }
  [[nodiscard]] bool gaps_cut() const { return gaps_cut_; }
  /// Of the part, but for models.
  [[nodiscard]] const search_coverage& examined() const { return examined_; }

 private:
  /// A set as it was visited: the one that it grew from, and what was added.
  struct step {
    std::uint32_t from = 0, addition = 0;
    [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> words() const { return {from, addition}; }
    friend bool operator==(const step&, const step&) = default;
  };
  struct meaning {
    std::uint32_t known = 0;               // the frequent gene, or one of those below
    std::uint32_t counted = 0, table = 0;  // of codes_, or the frequent gene; as of tables_
  };
  /// The edges between a node of the set and those before it, a bit for each.
  struct relations {
    std::uint32_t links = 0, gaps = 0;
  };

  [[nodiscard]] bool spend(std::uint64_t work);
  void look_from(std::uint32_t first);
  void extend(std::size_t begin);
  void take(std::uint32_t v);
  void leave();
  void mark_neighbours(std::uint32_t v);
  [[nodiscard]] bool visit();
  [[nodiscard]] std::uint32_t next_state(std::uint32_t from, std::span<const std::uint32_t> words);
  void forget_states();
  [[nodiscard]] std::vector<std::uint32_t> words_of_state(std::uint32_t state) const;
  [[nodiscard]] std::uint32_t known_parts(std::uint32_t state);
  [[nodiscard]] std::uint32_t frequent_parts(std::uint32_t state) const;
  [[nodiscard]] bool add_gaps();
  [[nodiscard]] bool known_gaps(std::uint32_t state);
  [[nodiscard]] std::uint32_t counted_gene(std::uint32_t state);
  [[nodiscard]] std::uint32_t leave_uncounted();
  void count(std::uint32_t gene);

  const operation_labels& labels_;
  const key_table& frequent_;
  pass pass_;
  std::uint32_t deepest_ = 0;  // nodes of the largest sets of the pass
  dataflow* graph_ = nullptr;

  key_table additions_;
  numbered<step> steps_;           // states are their numbers and 1; 0 is the empty set
  std::vector<meaning> meanings_;  // of states
  std::uint32_t tables_ = 1;       // codes_ that there have been
  key_table codes_;
  std::vector<std::uint32_t> place_;    // of codes_: where in candidates_ …
  std::vector<std::uint64_t> part_of_;  // … of which part
  std::vector<candidate> candidates_;
  std::uint64_t part_ = 0;

  std::vector<std::uint32_t> set_, states_;  // of the set and of all that it grew from
  std::vector<relations> relations_;
  std::vector<std::uint32_t> words_, ends_, gap_words_, extensions_;
  std::vector<std::uint8_t> place_in_set_;  // of nodes: 1 more, or 0
  std::vector<bool> near_;                  // in the set or a neighbour of it, after its first node
  disjoint_counter counter_{max_canonical_nodes};
  std::span<const disjoint_counter::count> counts_;
  std::uint64_t allowance_ = 0;
  bool stopped_ = false, cut_ = false, gaps_cut_ = false;
  search_coverage examined_;
};

}  // namespace genomics
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SUBGRAPH_SEARCH_HPP
