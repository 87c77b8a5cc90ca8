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
//               the text by its argument "line" or "node", else by the first word of its name
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
  std::string name, type;                      ///< type and shape: "f32 [64, 128]"
  std::uint64_t elements = 0, not_finite = 0;  ///< how many in all, and how many aren't finite
  double least = 0, greatest = 0, mean = 0;    ///< of those that are finite; 0 without any
  /// Elements in as many ranges of equal width between the least and the greatest.
  std::vector<std::uint64_t> counts;
};

/// What a page shows. Nodes, graphs, members … refer to each other by index; all text is plain.
struct page {
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no line, no graph
  /// How many events and characters fit a page of 5 MB, with room for its graph.
  static constexpr std::size_t max_events = 10000, max_characters = std::size_t{1} << 20;

  /// A row of a table with two columns.
  struct row {
    std::string key, value;  ///< left and right
  };
  /// What a click on a node shows.
  struct node {
    std::vector<row> rows;               ///< facts about the node
    std::uint32_t line = none;           ///< of the text, from 0
    std::uint32_t inner = none;          ///< the graph that the node unfolds to
    std::vector<std::uint32_t> weights;  ///< in page::weights, those that it reads
    std::vector<std::uint32_t> genes;    ///< in page::genes, those that it is of
  };
  /// A graph with what its nodes show.
  struct graph {
    std::string name;         ///< by which a reader chooses it
    picture drawn;            ///< laid out by html()
    std::vector<node> nodes;  ///< one for each node of `drawn`
  };
  /// A finding in the text.
  struct mark {
    std::uint32_t line = 0, column = 0, length = 0;  ///< from 0, in bytes of the line
    severity level = severity::error;                ///< its colour
    std::string message;                             ///< shown with the line
  };

  /// A graph of a corpus.
  struct member {
    std::string name;            ///< of its file, in the tree and the tables
    std::vector<row> rows;       ///< facts about it
    std::uint32_t graph = none;  ///< in page::graphs; none: it is not drawn
  };
  /// A piece that members share.
  struct gene {
    /// A member that has the gene.
    struct holder {
      std::uint32_t member = 0;  ///< in page::members
      std::uint64_t count = 0;   ///< how often it has it
    };
    std::string name;             ///< its operations, in one line
    std::vector<row> rows;        ///< of numbers; all genes have the same keys
    std::uint32_t graph = none;   ///< in page::graphs; none: it is not drawn
    std::vector<holder> holders;  ///< each member once
  };
  /// A tree whose root is at the left: lengths go from 0 to 1, leaves are in rows from 0.
  struct tree {
    /// A part of a branch.
    struct line {
      double left = 0, top = 0, right = 0, bottom = 0;  ///< left, right: lengths; top, bottom: rows
    };
    /// An end of a branch.
    struct leaf {
      std::uint32_t member = 0;    ///< in page::members
      double length = 0, row = 0;  ///< where its name begins
    };
    std::vector<line> lines;   ///< all branches
    std::vector<leaf> leaves;  ///< one for each member of the tree
    double unit = 0;           ///< a length that is shown as scale; 0: none
    std::string unit_text;     ///< what it means, "0.05"
  };

  /// Adds graphs whose `inner` count from the first of them. Gives its index.
  std::uint32_t add(std::vector<graph> more);

  std::string title;                    ///< of the window; the file's name
  std::vector<row> facts;               ///< about the file, shown while nothing is selected
  std::vector<graph> graphs;            ///< those inside of nodes, too
  std::vector<std::uint32_t> roots;     ///< graphs to choose from; none: the first
  std::vector<member> members;          ///< of a corpus; else empty
  std::vector<gene> genes;              ///< of a corpus; else empty
  tree family;                          ///< of a corpus; without leaves: none
  text trace;                           ///< JSON in Chrome's form; empty where nothing ran
  std::string trace_note;               ///< shown with the timeline: what was left out of it
  std::string text_title, listing;      ///< the heading of the text, and the text
  std::vector<mark> marks;              ///< in `listing`
  std::vector<weight_summary> weights;  ///< that nodes refer to
};

/// Nodes that follow each other and fold to one.
struct block {
  std::string name;                    ///< the first line of the node that it becomes
  std::uint32_t first = 0, count = 0;  ///< nodes of the picture
};
/// Runs of nodes that are repeated, one after the other, by the first lines of the nodes, if they have at
/// least a third of all nodes. Else, where there are more than `most`, runs of `most / 10` nodes or of a
/// hundredth of all, whichever is more.
[[nodiscard]] std::vector<block> repeated_blocks(const picture& p, std::uint32_t most = 2000);
/// The graph with a node for each block, which has the block's graph inside. `blocks` are in order and
/// don't overlap.
[[nodiscard]] std::vector<page::graph> fold_blocks(page::graph all, std::span<const block> blocks);

/// The page as one HTML file.
[[nodiscard]] text html(const page& p);

}  // namespace inspect
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_INSPECT_PAGE_HPP
