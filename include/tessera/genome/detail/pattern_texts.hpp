// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A graph and the patterns that may occur in it as sequences of tokens: equal numbers for equal nodes.
//
//   const detail::pattern_index patterns(library, /*copies=*/true);   // once
//   pool<detail::block_range> blocks = detail::blocks_of(graph);
//   patterns.add_patterns(graph, blocks, tokens, matcher);            // for each graph
//   tokens[i];      // of the graph's node i; 0 where no node of a pattern is equal
//
// Nodes are equal where A, B, C and D are, with references as offsets and the lengths of blocks in
// flat nodes. An id in place of an offset equals nothing: expand() wouldn't give it back.
//
// Equality is found by sorting, so that no choice of nodes makes it slow. A pattern is written out
// only where it fits the graph in length and has nothing that the graph hasn't.
//
// Lifetime:   an index borrows its library.
// Errors:     none.
// Limits:     patterns of 16 × the nodes of graph and library, plus 65536, written out.
// Allocation: of an index 50 bytes for each node of all patterns and 4 for each input; for a graph 4
//             bytes for each of its nodes and of patterns written out, 1 for each node of patterns.

#ifndef TESSERA_GENOME_DETAIL_PATTERN_TEXTS_HPP
#define TESSERA_GENOME_DETAIL_PATTERN_TEXTS_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/sort.hpp"
#include "../format.hpp"
#include "../program.hpp"
#include "pattern_shapes.hpp"
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

/// D of a graph's node as a pattern would have it, references as offsets. False: no pattern has it,
/// for expand() wouldn't give it back.
[[nodiscard]] inline bool relative_inputs(const stream_view& g, const pool<block_range>& blocks,
                                          std::size_t i, pool<std::int32_t>& d) {
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
    d.push_back(
        static_cast<std::int32_t>(static_cast<std::int64_t>(from) - static_cast<std::int64_t>(i)));
  }
  return is_canonical;
}

/// The patterns of a library, their nodes numbered. Nothing of it changes: threads may share it.
class pattern_index {
 public:
  pattern_index(const library& l, bool copies) : library_(l), shapes_(l, copies) {
    add_library();
    number();
    order_by_size();
  }
  [[nodiscard]] error choose(view<pattern_result> results) { return shapes_.choose(results); }
  [[nodiscard]] const genome::library& library() const noexcept { return library_; }
  [[nodiscard]] const pattern_shapes& shapes() const noexcept { return shapes_; }

  /// A token for each node of a graph, and all patterns that may occur there.
  void add_patterns(const stream_view& graph, const pool<block_range>& blocks,
                    pool<std::uint32_t>& tokens, sequence_matcher& matcher) const {
    pool<unsigned char> occurs;  // by number
    occurs.resize(distinct_.size() + 1);
    add_graph(graph, blocks, tokens, occurs);
    std::size_t count = 0;  // of patterns that aren't longer than the graph
    while (count < by_size_.size() && library_.flat_size(by_size_[count].pattern) <= graph.size())
      ++count;
    const std::uint64_t nodes = graph.size() + (count == 0 ? 0 : by_size_[count - 1].nodes);
    write_out(possible(count, occurs), nodes, matcher);
  }

 private:
  /// A pattern as the library has it.
  struct text {
    std::uint32_t first = 0;  // of nodes_
    std::uint32_t name = 0;   // the first pattern that is the same; plus 1
  };
  struct sized {
    std::uint32_t pattern;
    std::uint64_t nodes;  // of this one and all before
  };
  struct keyed {
    std::uint64_t key;  // equal where nodes are; saves most comparisons of D
    std::uint32_t node;
  };

  /// Adds the nodes of all patterns but wrappers.
  void add_library() {
    const registry& r = library_.registry();
    texts_.resize(r.patterns.size());
    for (std::uint32_t p = 0; p < texts_.size(); ++p) {
      text& same = texts_[shapes_.of(p).same_as];
      if (same.name == 0) same.name = p + 1;
      if (shapes_.of(p).same_as != p) continue;
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
      const view<std::int32_t> d = pattern.inputs_of(i);
      nodes_.add(pattern.nodes[i], d);
      if (pattern.nodes[i].what() != command::control_flow) continue;
      std::int32_t* const lengths = nodes_.inputs.data() + nodes_.nodes.back().first;
      const std::size_t middle = i + 1 + static_cast<std::size_t>(d[0]);
      const std::size_t end = middle + static_cast<std::size_t>(d[1]);
      lengths[0] = static_cast<std::int32_t>(starts_[middle] - starts_[i + 1]);
      lengths[1] = static_cast<std::int32_t>(starts_[end] - starts_[middle]);
    }
  }

  [[nodiscard]] static std::uint64_t key_of(const node& n, const std::int32_t* d) noexcept {
    std::uint64_t key = std::uint64_t{n.a} << 32 | std::uint64_t{n.b} << 24 |
                        std::uint64_t{static_cast<std::uint16_t>(n.c)} << 8 | (n.count & 0xffu);
    for (std::size_t k = 0; k < n.count; ++k)
      key = (key ^ static_cast<std::uint32_t>(d[k])) * 0x9e3779b97f4a7c15u;
    return key;
  }
  /// Below 0, 0 or above, as node m is less than n, equal, or greater, in some order.
  [[nodiscard]] static int compare(const node& m, const std::int32_t* p, const node& n,
                                   const std::int32_t* q) noexcept {
    if (m.a != n.a) return m.a < n.a ? -1 : 1;
    if (m.b != n.b) return m.b < n.b ? -1 : 1;
    if (m.c != n.c) return m.c < n.c ? -1 : 1;
    if (m.count != n.count) return m.count < n.count ? -1 : 1;
    for (std::size_t k = 0; k < m.count; ++k)
      if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
  }
  /// The same of a node with its key and one of nodes_.
  [[nodiscard]] int compare(std::uint64_t key, const node& m, const std::int32_t* p,
                            const keyed& y) const noexcept {
    if (key != y.key) return key < y.key ? -1 : 1;
    const node& n = nodes_.nodes[y.node];
    return compare(m, p, n, nodes_.inputs.data() + n.first);
  }
  [[nodiscard]] int compare(const keyed& x, const keyed& y) const noexcept {
    const node& m = nodes_.nodes[x.node];
    return compare(x.key, m, nodes_.inputs.data() + m.first, y);
  }
  /// Equal numbers for equal nodes, from 1 on.
  void number() {
    pool<keyed> all;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const node& n = nodes_.nodes[i];
      if (n.what() != command::pattern)
        all.push_back({key_of(n, nodes_.inputs.data() + n.first), i});
    }
    sort(all.data(), all.size(),
         [this](const keyed& x, const keyed& y) { return compare(x, y) < 0; });
    numbers_.resize(nodes_.size());
    for (const keyed& k : all) {
      if (distinct_.empty() || compare(distinct_.back(), k) != 0) distinct_.push_back(k);
      numbers_[k.node] = static_cast<std::uint32_t>(distinct_.size());
    }
  }
  /// The number of a node with its relative references; 0: no pattern has it.
  [[nodiscard]] std::uint32_t number_of(const node& n, const std::int32_t* d) const noexcept {
    const std::uint64_t key = key_of(n, d);
    std::size_t low = 0, high = distinct_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      const int order = compare(key, n, d, distinct_[middle]);
      if (order == 0) return static_cast<std::uint32_t>(middle + 1);
      (order < 0 ? high : low) = middle + (order < 0 ? 0 : 1);
    }
    return 0;
  }

  /// Shorter patterns come first: one inside of another has been looked at before.
  void order_by_size() {
    for (std::uint32_t p = 0; p < texts_.size(); ++p)
      if (shapes_.of(p).same_as == p) by_size_.push_back({p, 0});
    sort(by_size_.data(), by_size_.size(), [this](const sized& x, const sized& y) {
      return library_.flat_size(x.pattern) < library_.flat_size(y.pattern);
    });
    std::uint64_t nodes = 0;
    for (sized& s : by_size_) s.nodes = nodes += library_.registry().patterns[s.pattern].count;
  }

  void add_graph(const stream_view& g, const pool<block_range>& blocks, pool<std::uint32_t>& tokens,
                 pool<unsigned char>& occurs) const {
    tokens.reserve(g.size());
    pool<std::int32_t> d;
    for (std::size_t i = 0; i < g.size(); ++i) {
      const bool is_canonical = relative_inputs(g, blocks, i, d);
      tokens.push_back(is_canonical ? number_of(g.nodes[i], d.data()) : 0);
      occurs[tokens.back()] = 1;
    }
    occurs[0] = 0;
  }

  [[nodiscard]] std::uint32_t inner(const node& n) const {
    return shapes_.of(library_.find_pattern(n.pattern_id())).same_as;
  }
  /// By pattern: whether the graph has all of its nodes; of the `count` shortest.
  [[nodiscard]] pool<unsigned char> possible(std::size_t count,
                                             const pool<unsigned char>& occurs) const {
    pool<unsigned char> out;
    out.resize(texts_.size());
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t p = by_size_[k].pattern;
      bool found = true;
      for (std::uint32_t i = 0; i < library_.registry().patterns[p].count && found; ++i) {
        const node& n = nodes_.nodes[texts_[p].first + i];
        found = n.what() == command::pattern ? out[inner(n)] != 0
                                             : occurs[numbers_[texts_[p].first + i]] != 0;
      }
      out[p] = found;
    }
    return out;
  }

  void write_out(const pool<unsigned char>& possible, std::uint64_t nodes,
                 sequence_matcher& matcher) const {
    struct frame {
      std::uint32_t pattern, next;
    };
    const registry& r = library_.registry();
    pool<frame> frames;
    pool<std::uint32_t> sequence;
    std::uint64_t room = std::uint64_t{16} * nodes + 65536;
    if (room > 0xfffffff0u) room = 0xfffffff0u;
    for (std::uint32_t p = 0; p < texts_.size(); ++p) {
      const std::uint32_t same = shapes_.of(p).same_as;
      if (possible[same] == 0 || texts_[same].name != p + 1) continue;
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
          sequence.push_back(numbers_[i]);
      }
      matcher.add(sequence, p);
    }
  }

  const genome::library& library_;
  pattern_shapes shapes_;        // all of them measured
  stream nodes_;                 // of all patterns
  pool<std::uint32_t> numbers_;  // by node
  pool<keyed> distinct_;         // nodes by number, less 1
  pool<text> texts_;             // by pattern
  pool<sized> by_size_;          // patterns that are no wrappers
  pool<std::uint32_t> starts_;   // by node of one pattern, in its expansion
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PATTERN_TEXTS_HPP
