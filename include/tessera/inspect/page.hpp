// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// One page for a browser that shows a file: its graph, timeline, text and weights.
//
//   tessera::inspect::page p;
//   p.title = "model.nac";
//   p.graphs = tessera::inspect::fold_blocks({"model", tessera::inspect::draw(program), {}}, {});
//   const tessera::text file = tessera::inspect::html(p);
//
// The page needs nothing else: its script, its style sheet and its data are inside. It works without a
// network, and its policy forbids one. What a file says is data of the script, which shows it as text.
//
//   graphs      the first one, where it is folded with the others inside of its nodes
//   timeline    a trace in Chrome's form, as trace writes it; each event is found in the graph and in
//               the text by the first word of its name, or its argument "line"
//   text        a listing or a source, with findings where they are
//   weights     range, mean and histogram
//   members     of a corpus, each with its graph; the genes that they share, and the tree of how far they
//               are from each other
//
// Lifetime:   owns all, except for the literals of pictures.
// Errors:     none; bytes that aren't UTF-8 become U+FFFD. Controls for the direction of text are
//             shown as \u{202e}.
// Limits:     none: who fills a page keeps it small (see max_events, max_characters).
// Allocation: the text; that of `lay_out`.

#ifndef TESSERA_INSPECT_PAGE_HPP
#define TESSERA_INSPECT_PAGE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/report.hpp"
#include "../core/text.hpp"
#include "picture.hpp"

namespace tessera::inline TESSERA_ABI {
namespace inspect {

/// What there is to say about a weight. Values that aren't finite aren't in the histogram.
struct weight_summary {
  std::string name, type;
  std::uint64_t elements = 0, not_finite = 0;
  double least = 0, greatest = 0, mean = 0;
  std::vector<std::uint64_t> counts;  ///< of as many ranges between the least and the greatest
};

struct page {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// How many events and characters fit a page of 5 MB, with room for its graph.
  static constexpr std::size_t max_events = 10000, max_characters = std::size_t{1} << 20;

  struct row {
    std::string key, value;
  };
  /// What a click on a node shows.
  struct node {
    std::vector<row> rows;
    std::uint32_t line = none;   ///< of the text, from 0
    std::uint32_t inner = none;  ///< the graph that the node unfolds to
    std::vector<std::uint32_t> weights;
    std::vector<std::uint32_t> genes;  ///< that the node is of
  };
  struct graph {
    std::string name;
    picture drawn;
    std::vector<node> nodes;  ///< one for each node of `drawn`
  };
  struct mark {
    std::uint32_t line = 0, column = 0, length = 0;  ///< from 0, in bytes of the line
    severity level = severity::error;
    std::string message;
  };

  /// A graph of a corpus.
  struct member {
    std::string name;
    std::vector<row> rows;
    std::uint32_t graph = none;
  };
  /// A piece that members share.
  struct gene {
    struct holder {
      std::uint32_t member = 0;
      std::uint64_t count = 0;
    };
    std::string name;
    std::vector<row> rows;  ///< of numbers; all genes have the same keys
    std::uint32_t graph = none;
    std::vector<holder> holders;
  };
  /// A tree whose root is at the left: lengths go from 0 to 1, leaves are in rows from 0.
  struct tree {
    struct line {
      double left = 0, top = 0, right = 0, bottom = 0;
    };
    struct leaf {
      std::uint32_t member = 0;
      double length = 0, row = 0;
    };
    std::vector<line> lines;
    std::vector<leaf> leaves;
    double unit = 0;  ///< a length that is shown as scale
    std::string unit_text;
  };

  /// Adds graphs whose `inner` count from the first of them. Gives its index.
  std::uint32_t add(std::vector<graph> more);

  std::string title;
  std::vector<row> facts;
  std::vector<graph> graphs;
  std::vector<std::uint32_t> roots;  ///< graphs to choose from; none: the first
  std::vector<member> members;
  std::vector<gene> genes;
  tree family;  ///< without leaves: none
  text trace;   ///< of chrome_trace; empty where nothing ran
  std::string trace_note;
  std::string text_title, listing;
  std::vector<mark> marks;
  std::vector<weight_summary> weights;
};

/// Nodes that follow each other and fold to one.
struct block {
  std::string name;
  std::uint32_t first = 0, count = 0;
};
/// Runs of nodes that are repeated, one after the other, by the first lines of the nodes; where there
/// are none and `most` nodes are exceeded, runs of `most / 10` or a hundredth of all.
[[nodiscard]] std::vector<block> repeated_blocks(const picture& p, std::uint32_t most = 2000);
/// The graph with a node for each block, which has the block's graph inside. `blocks` are in order and
/// don't overlap.
[[nodiscard]] std::vector<page::graph> fold_blocks(page::graph all, std::span<const block> blocks);

/// The page.
[[nodiscard]] text html(const page& p);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PAGE_HPP
