// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A graph and the patterns that may occur in it as sequences of tokens: equal numbers for equal nodes.
//
//   pool<detail::block_range> blocks = detail::blocks_of(graph);
//   detail::add_patterns(library, shapes, graph, blocks, tokens, matcher);
//   tokens[i];      // of the graph's node i; 0 where no node of a pattern can be equal
//
// Nodes are equal where A, B, C and D are, with references as offsets and the lengths of blocks in
// flat nodes. An id where an offset should stand equals nothing: expand() wouldn't give it back.
//
// Equality is found by sorting, so that no choice of nodes makes it slow. A pattern is written out
// only where it fits the graph in length and has nothing that the graph hasn't.
//
// Lifetime:   borrow during the call.
// Errors:     none.
// Limits:     patterns of 16 × the nodes of graph and library, plus 65536, written out.
// Allocation: 64 bytes for each node, 4 for each input, of the graph and of patterns no longer than
//             it; 4 for each node of patterns written out.

#ifndef TESSERA_GENOME_PATTERN_TEXTS_HPP
#define TESSERA_GENOME_PATTERN_TEXTS_HPP

#include <cstddef>
#include <cstdint>

#include "../core/sort.hpp"
#include "format.hpp"
#include "pattern_shapes.hpp"
#include "program.hpp"
#include "sequence_matcher.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

/// What an entry of D of node i refers to.
[[nodiscard]] constexpr std::size_t node_of(std::size_t i, std::int32_t d) noexcept {
  return d < 0 ? i - static_cast<std::size_t>(-std::int64_t{d}) : static_cast<std::size_t>(d);
}

/// The innermost block around a node; `first` is 0 for the graph itself and for nothing else.
struct block_range {
  std::uint32_t first = 0, end = 0;
};

/// The blocks around the nodes of a verified graph.
[[nodiscard]] inline pool<block_range> blocks_of(const stream_view& g) {
  pool<block_range> out, open = {{0, static_cast<std::uint32_t>(g.size())}};
  out.reserve(g.size());
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    while (open.size() > 1 && open.back().end <= i) open.pop_back();
    out.push_back(open.back());
    if (g.nodes[i].what() != command::control_flow) continue;
    const view<std::int32_t> d = g.inputs_of(i);
    const std::uint32_t middle = i + 1 + static_cast<std::uint32_t>(d[0]);
    open.push_back({middle, middle + static_cast<std::uint32_t>(d[1])});
    open.push_back({i + 1, middle});
  }
  return out;
}

class pattern_texts {
 public:
  pattern_texts(const library& l, pattern_shapes& shapes) : library_(l), shapes_(shapes) {}

  void run(const stream_view& graph, const pool<block_range>& blocks, pool<std::uint32_t>& tokens,
           sequence_matcher& matcher) {
    add_graph(graph, blocks);
    add_library();
    number();
    tokens.append(tokens_.data(), graph.size());
    find_possible();
    write_out(matcher);
  }

 private:
  /// A pattern as the library has it.
  struct text {
    std::uint32_t first = 0;    // of nodes_
    std::uint32_t name = 0;     // the first pattern that is the same; plus 1
    bool is_candidate = false;  // no longer than the graph, and no wrapper
    bool is_possible = false;   // and all of it occurs
  };

  void add_graph(const stream_view& g, const pool<block_range>& blocks) {
    graph_size_ = g.size();
    nodes_.nodes.reserve(g.size());
    pool<std::int32_t> d;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const view<std::int32_t> all = g.inputs_of(i);
      d.clear();
      bool is_canonical = true;
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (k < g.nodes[i].lengths()) {
          d.push_back(all[k]);
          continue;
        }
        const std::size_t from = node_of(i, all[k]);
        const bool inside = blocks[i].first != 0 && blocks[i].first == blocks[from].first;
        is_canonical = is_canonical && inside == (all[k] < 0);
        d.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(from) -
                                              static_cast<std::int64_t>(i)));
      }
      nodes_.add(g.nodes[i], d);
      if (is_canonical) to_number_.push_back({0, static_cast<std::uint32_t>(i)});
    }
  }

  /// Adds the nodes of the patterns that aren't longer than the graph.
  void add_library() {
    const registry& r = library_.registry();
    texts_.resize(r.patterns.size());
    for (std::uint32_t p = 0; p < texts_.size(); ++p) {
      if (library_.flat_size(p) > graph_size_) continue;
      text& same = texts_[shapes_.of(p).same_as];
      if (same.name == 0) same.name = p + 1;
      if (shapes_.of(p).same_as != p) continue;
      texts_[p].is_candidate = true;
      texts_[p].first = static_cast<std::uint32_t>(nodes_.size());
      add_pattern(r.nodes_of(r.patterns[p]));
    }
  }
  void add_pattern(const stream_view& pattern) {
    starts_.clear();
    std::uint32_t flat = 0;
    for (const node& n : pattern.nodes) {
      starts_.push_back(flat);
      flat += n.what() == command::pattern
                  ? library_.flat_size(library_.find_pattern(n.pattern_id()))
                  : 1;
    }
    starts_.push_back(flat);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      const command what = pattern.nodes[i].what();
      if (what != command::pattern)
        to_number_.push_back({0, static_cast<std::uint32_t>(nodes_.size())});
      const view<std::int32_t> d = pattern.inputs_of(i);
      nodes_.add(pattern.nodes[i], d);
      if (what != command::control_flow) continue;
      std::int32_t* const lengths = nodes_.inputs.data() + nodes_.nodes.back().first;
      const std::size_t middle = i + 1 + static_cast<std::size_t>(d[0]);
      const std::size_t end = middle + static_cast<std::size_t>(d[1]);
      lengths[0] = static_cast<std::int32_t>(starts_[middle] - starts_[i + 1]);
      lengths[1] = static_cast<std::int32_t>(starts_[end] - starts_[middle]);
    }
  }

  struct keyed {
    std::uint64_t key;  // equal where nodes are; saves most comparisons of D
    std::uint32_t node;
  };
  [[nodiscard]] std::uint64_t key_of(std::uint32_t i) const noexcept {
    const node& n = nodes_.nodes[i];
    std::uint64_t key = std::uint64_t{n.a} << 32 | std::uint64_t{n.b} << 24 |
                        std::uint64_t{static_cast<std::uint16_t>(n.c)} << 8 | (n.count & 0xffu);
    for (const std::int32_t d : stream_view(nodes_).inputs_of(i))
      key = (key ^ static_cast<std::uint32_t>(d)) * 0x9e3779b97f4a7c15u;
    return key;
  }
  /// Below 0, 0 or above, as node x is less than y, equal, or greater, in some order.
  [[nodiscard]] int compare(const keyed& x, const keyed& y) const noexcept {
    if (x.key != y.key) return x.key < y.key ? -1 : 1;
    const node &m = nodes_.nodes[x.node], &n = nodes_.nodes[y.node];
    if (m.a != n.a) return m.a < n.a ? -1 : 1;
    if (m.b != n.b) return m.b < n.b ? -1 : 1;
    if (m.c != n.c) return m.c < n.c ? -1 : 1;
    if (m.count != n.count) return m.count < n.count ? -1 : 1;
    const std::int32_t *p = nodes_.inputs.data() + m.first, *q = nodes_.inputs.data() + n.first;
    for (std::size_t k = 0; k < m.count; ++k)
      if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
  }
  /// Equal numbers for equal nodes; 0 for those that don't occur in the graph.
  void number() {
    for (keyed& k : to_number_) k.key = key_of(k.node);
    sort(to_number_.data(), to_number_.size(),
         [this](const keyed& x, const keyed& y) { return compare(x, y) < 0; });
    tokens_.resize(nodes_.size());
    std::uint32_t number = 0;
    bool occurs = false;
    for (std::size_t i = 0; i < to_number_.size(); ++i) {
      if (i == 0 || compare(to_number_[i - 1], to_number_[i]) != 0) {
        ++number;
        occurs = to_number_[i].node < graph_size_;  // the graph's stand first: sorting is stable
      }
      tokens_[to_number_[i].node] = occurs ? number : 0;
    }
    to_number_ = {};
  }

  [[nodiscard]] std::uint32_t inner(const node& n) {
    return shapes_.of(library_.find_pattern(n.pattern_id())).same_as;
  }
  /// Shorter patterns come first: one inside of another has been looked at before.
  void find_possible() {
    const registry& r = library_.registry();
    pool<std::uint32_t> order;
    for (std::uint32_t p = 0; p < texts_.size(); ++p)
      if (texts_[p].is_candidate) order.push_back(p);
    sort(order.data(), order.size(), [this](std::uint32_t x, std::uint32_t y) {
      return library_.flat_size(x) < library_.flat_size(y);
    });
    for (const std::uint32_t p : order) {
      bool possible = true;
      for (std::uint32_t i = 0; i < r.patterns[p].count && possible; ++i) {
        const node& n = nodes_.nodes[texts_[p].first + i];
        possible = n.what() == command::pattern ? texts_[inner(n)].is_possible
                                                : tokens_[texts_[p].first + i] != 0;
      }
      texts_[p].is_possible = possible;
    }
  }

  void write_out(sequence_matcher& matcher) {
    struct frame {
      std::uint32_t pattern, next;
    };
    const registry& r = library_.registry();
    pool<frame> frames;
    pool<std::uint32_t> sequence;
    std::uint64_t room = std::uint64_t{16} * nodes_.size() + 65536;
    if (room > 0xfffffff0u) room = 0xfffffff0u;
    for (std::uint32_t p = 0; p < texts_.size(); ++p) {
      const std::uint32_t same = shapes_.of(p).same_as;
      if (!texts_[same].is_possible || texts_[same].name != p + 1) continue;
      if (library_.flat_size(p) > room) continue;
      room -= library_.flat_size(p);
      sequence.clear();
      frames.push_back({same, 0});
      while (!frames.empty()) {
        frame& f = frames.back();
        if (f.next == r.patterns[f.pattern].count) {
          frames.pop_back();
          continue;
        }
        const std::uint32_t i = texts_[f.pattern].first + f.next++;
        if (nodes_.nodes[i].what() == command::pattern)
          frames.push_back({inner(nodes_.nodes[i]), 0});
        else
          sequence.push_back(tokens_[i]);
      }
      matcher.add(sequence, p);
    }
  }

  const library& library_;
  pattern_shapes& shapes_;
  std::size_t graph_size_ = 0;
  stream nodes_;  // of the graph, then of patterns
  pool<keyed> to_number_;
  pool<std::uint32_t> tokens_;  // by node
  pool<text> texts_;            // by pattern
  pool<std::uint32_t> starts_;  // by node of one pattern, in its expansion
};

inline void add_patterns(const library& l, pattern_shapes& shapes, const stream_view& graph,
                         const pool<block_range>& blocks, pool<std::uint32_t>& tokens,
                         sequence_matcher& matcher) {
  pattern_texts(l, shapes).run(graph, blocks, tokens, matcher);
}

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_PATTERN_TEXTS_HPP
