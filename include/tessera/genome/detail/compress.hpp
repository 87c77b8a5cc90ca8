// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/compress.hpp.

#ifndef TESSERA_GENOME_DETAIL_COMPRESS_HPP
#define TESSERA_GENOME_DETAIL_COMPRESS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/sort.hpp"
#include "../compress.hpp"
#include "sequence_matcher.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Writes the nodes of a graph, some of them as one. `ids` has the new index of each node, and how
/// many there are; `merge(out, i)` adds the new node that starts at node i, or returns false where
/// that is node i itself.
template <class Merge>
[[nodiscard]] stream renumber(const stream_view& g, const pool<std::uint32_t>& ids, Merge merge) {
  stream out;
  out.nodes.reserve(ids.back());
  const auto id = [&ids](std::size_t i) { return static_cast<std::int32_t>(ids[i]); };
  for (std::size_t i = 0; i < g.size(); ++i) {
    if ((i != 0 && ids[i] == ids[i - 1]) || merge(out, i)) continue;
    const std::size_t first = out.inputs.size();
    const view<std::int32_t> d = g.inputs_of(i);
    out.add(g.nodes[i], d);
    for (std::size_t k = g.nodes[i].lengths(); k < d.size(); ++k)
      out.inputs[first + k] = id(node_of(i, d[k])) - (d[k] < 0 ? id(i) : 0);
    if (g.nodes[i].what() != command::control_flow) continue;
    const std::size_t middle = i + 1 + static_cast<std::size_t>(d[0]);
    const std::size_t end = middle + static_cast<std::size_t>(d[1]);
    out.inputs[first] = id(middle) - id(i + 1);
    out.inputs[first + 1] = id(end) - id(middle);
  }
  return out;
}

/// Of one graph.
class compression {
 public:
  explicit compression(const pattern_index& patterns)
      : patterns_(patterns), shapes_(patterns.shapes()) {}

  [[nodiscard]] stream run(stream graph, bool copies) {
    choose(std::move(graph), copies);
    return write();
  }
  [[nodiscard]] missing_patterns missing(stream graph, bool copies) {
    has_all_ = true;
    choose(std::move(graph), copies);
    return list_missing();
  }

 private:
  void choose(stream graph, bool copies) {
    graph_ = std::move(graph);
    blocks_ = blocks_of(graph_);
    if (copies) merge_runs();
    match();
    drop_matches();
  }

  struct match_of {
    std::uint32_t pattern;
    std::uint32_t first, size;  // nodes
  };

  /// Puts COPYs where nodes repeat.
  void merge_runs() {
    pool<unsigned char> used;
    used.resize(graph_.size() + 1);
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      for (const std::int32_t d : stream_view(graph_).references(i)) used[node_of(i, d)] = 1;
      if (blocks_[i].first != 0) used[blocks_[i].end - std::size_t{1}] = 1;  // the block's value
    }
    pool<std::uint32_t> ids;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < graph_.size(); ++next) {
      const std::size_t end = run_from(i, used);
      for (; i < end; ++i) ids.push_back(next);
    }
    ids.push_back(next);
    if (next == graph_.size()) return;
    graph_ = renumber(graph_, ids, [&](stream& out, std::size_t i) {
      std::int16_t count = 0;
      for (std::size_t k = i; ids[k] == ids[i]; ++k) ++count;
      const node& n = graph_.nodes[i];
      if (count > 1) out.add({.a = 7, .b = n.a, .c = count}, {n.b, n.c});
      return count > 1;
    });
    blocks_ = blocks_of(graph_);
  }
  /// The end of the run that starts at a node, where that is worth a COPY.
  [[nodiscard]] std::size_t run_from(std::size_t first, const pool<unsigned char>& used) const {
    const node& n = graph_.nodes[first];
    const command what = n.what();
    const bool can_repeat =
        n.count == 0 && what != command::pad && what != command::output && what != command::copy;
    std::size_t end = first + 1;
    if (!can_repeat) return end;
    const std::size_t most = first + INT16_MAX;  // what C of a COPY holds
    for (; end < blocks_[first].end && end < most && used[end] == 0; ++end) {
      const node& m = graph_.nodes[end];
      if (m.a != n.a || m.b != n.b || m.c != n.c || m.count != 0) break;
    }
    return end - first > 2 ? end : first + 1;
  }

  /// Takes the longest match of two nodes or more from left to right.
  void match() {
    pool<std::uint32_t> tokens;
    sequence_matcher matcher;
    patterns_.add_patterns(graph_, blocks_, tokens, matcher);
    matcher.build();
    pool<sequence_matcher::found> longest;
    longest.resize(graph_.size());
    singles_.resize(graph_.size());
    std::uint32_t state = 0;
    for (std::size_t i = graph_.size(); i-- != 0;) {
      state = matcher.step(state, tokens[i]);
      longest[i] = matcher.longest(state, blocks_[i].end - i);
      singles_[i] = matcher.longest(state, 1).name;
    }
    owners_.resize(graph_.size());
    for (std::uint32_t i = 0; i < graph_.size();) {
      const sequence_matcher::found f = longest[i];
      if (f.name == sequence_matcher::none || f.size == 1) {
        owners_[i++] = plain;
        continue;
      }
      for (std::uint32_t k = 0; k < f.size; ++k)
        owners_[i + k] = static_cast<std::uint32_t>(matches_.size());
      matches_.push_back({f.name, i, f.size});
      i += f.size;
    }
  }

  /// Drops the matches that can't be used. What was dropped is plain, and may take what it must not.
  void drop_matches() {
    pool<std::uint32_t> seen;
    seen.resize(graph_.size());
    for (std::uint32_t m = 0; m < matches_.size(); ++m)
      if (count_inputs(m, seen) > max_node_inputs || ends_block_without_result(m) ||
          takes_block_inputs(m))
        drop(m);
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (owners_[i] == plain) check_plain(i);
    for (std::size_t k = 0; k < dropped_.size(); ++k) {
      const match_of m = matches_[dropped_[k]];
      for (std::size_t i = m.first; i < m.first + m.size; ++i) check_plain(i);
    }
  }
  void drop(std::uint32_t m) {
    for (std::size_t i = matches_[m].first; i < matches_[m].first + matches_[m].size; ++i)
      owners_[i] = plain;
    dropped_.push_back(m);
  }
  void check_plain(std::size_t i) {
    if (singles_[i] != sequence_matcher::none || (has_all_ && can_be_single(i))) return;
    for (const std::int32_t d : stream_view(graph_).references(i))
      if (const std::uint32_t m = macro_inside(node_of(i, d)); m != plain) drop(m);
  }
  /// The match of which a node is an inner result.
  [[nodiscard]] std::uint32_t macro_inside(std::size_t from) const noexcept {
    const std::uint32_t m = owners_[from];
    return m != plain && from != result_of(m) ? m : plain;
  }
  [[nodiscard]] bool takes_inner_results(std::size_t i) const noexcept {
    for (const std::int32_t d : stream_view(graph_).references(i))
      if (macro_inside(node_of(i, d)) != plain) return true;
    return false;
  }
  /// Whether a pattern can be this node only.
  [[nodiscard]] bool can_be_single(std::size_t i) {
    if (graph_.nodes[i].what() != command::operation) return false;
    bool can = relative_inputs(graph_, blocks_, i, relative_);
    for (const std::int32_t d : relative_) can = can && d >= min_relative;
    return can;
  }
  [[nodiscard]] std::size_t result_of(std::uint32_t m) const noexcept {
    return std::size_t{matches_[m].first} + shapes_.result_of(matches_[m].pattern);
  }
  /// How many nodes outside of it a match takes. `seen` has a place for each node, and for each match
  /// other values.
  [[nodiscard]] std::size_t count_inputs(std::uint32_t m, pool<std::uint32_t>& seen) const {
    const match_of at = matches_[m];
    std::size_t count = 0;
    for (std::size_t i = at.first; i < at.first + std::size_t{at.size}; ++i)
      for (const std::int32_t d : stream_view(graph_).references(i)) {
        const std::size_t from = node_of(i, d);
        if (from >= at.first || seen[from] == m + 1) continue;
        seen[from] = m + 1;
        ++count;
      }
    return count;
  }
  [[nodiscard]] bool takes_block_inputs(std::uint32_t m) const noexcept {
    return blocks_[matches_[m].first].first != 0 &&
           patterns_.library().takes_inputs(matches_[m].pattern);
  }
  [[nodiscard]] bool ends_block_without_result(std::uint32_t m) const noexcept {
    const std::uint32_t pattern = matches_[m].pattern, first = matches_[m].first;
    return blocks_[first].first != 0 && blocks_[first].end == first + matches_[m].size &&
           result_of(m) != first + std::size_t{shapes_.of(pattern).result};
  }

  [[nodiscard]] missing_patterns list_missing() {
    missing_patterns out;
    pool<std::uint32_t> seen, counted;
    pool<std::uint64_t> saved;
    seen.resize(graph_.size());
    counted.resize(matches_.size());
    saved.resize(matches_.size());
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      if (owners_[i] != plain || singles_[i] != sequence_matcher::none) continue;
      std::uint64_t sum = 0;
      for (const std::int32_t d : stream_view(graph_).references(i)) {
        const std::uint32_t m = macro_inside(node_of(i, d));
        if (m == plain || counted[m] == i + 1) continue;
        counted[m] = i + 1;
        if (saved[m] == 0) saved[m] = bytes_saved(m, seen);
        sum += saved[m];
      }
      if (sum == 0) continue;
      (void)relative_inputs(graph_, blocks_, i, relative_);
      out.nodes.add(graph_.nodes[i], relative_);
      out.saved.push_back(sum);
    }
    return out;
  }
  /// What a match's nodes take in a file beyond a macro.
  [[nodiscard]] std::uint64_t bytes_saved(std::uint32_t m, pool<std::uint32_t>& seen) const {
    const auto bytes = [](std::size_t inputs) { return 5 + std::uint64_t{2} * inputs; };
    std::uint64_t all = 0;
    for (std::size_t i = matches_[m].first; i < matches_[m].first + std::size_t{matches_[m].size};
         ++i)
      all += bytes(graph_.nodes[i].count);
    return all - bytes(count_inputs(m, seen));  // of two nodes or more, so above 0
  }

  [[nodiscard]] stream write() const {
    pool<std::uint32_t> ids;
    ids.reserve(graph_.size() + 1);
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const std::uint32_t m = owners_[i];
      if (m == plain || matches_[m].first == i) ++count;
      ids.push_back(count - 1);
    }
    ids.push_back(count);
    return renumber(graph_, ids, [&](stream& out, std::size_t i) {
      if (owners_[i] != plain) {
        write_macro(matches_[owners_[i]], ids, out);
        return true;
      }
      if (singles_[i] == sequence_matcher::none || !takes_inner_results(i)) return false;
      write_macro({singles_[i], static_cast<std::uint32_t>(i), 1}, ids, out);
      return true;
    });
  }
  void write_macro(const match_of& m, const pool<std::uint32_t>& ids, stream& out) const {
    struct taken {
      std::uint32_t id;
      bool same_block;
    };
    pool<taken> all;
    for (std::size_t i = m.first; i < m.first + std::size_t{m.size}; ++i)
      for (const std::int32_t d : stream_view(graph_).references(i))
        if (const std::size_t from = node_of(i, d); from < m.first)
          all.push_back({ids[from], blocks_[m.first].first != 0 &&
                                        blocks_[from].first == blocks_[m.first].first});
    sort(all.data(), all.size(), [](const taken& x, const taken& y) { return x.id < y.id; });
    pool<std::int32_t> d;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (k == 0 || all[k].id != all[k - 1].id)
        d.push_back(static_cast<std::int32_t>(all[k].id) -
                    (all[k].same_block ? static_cast<std::int32_t>(ids[m.first]) : 0));
    const std::uint32_t id = patterns_.library().registry().patterns[m.pattern].id;
    out.add({.a = 6,
             .b = static_cast<std::uint8_t>(id),
             .c = static_cast<std::int16_t>(static_cast<std::uint16_t>(id & 0xff00u))},
            d);
  }

  static constexpr std::uint32_t plain = ~std::uint32_t{0};

  const pattern_index& patterns_;
  const pattern_shapes& shapes_;
  stream graph_;              // in which a COPY is one node
  pool<block_range> blocks_;  // by node
  pool<match_of> matches_;
  pool<std::uint32_t> owners_;   // by node: the match that it is part of, or plain
  pool<std::uint32_t> singles_;  // by node: the pattern of only this one, or none
  pool<std::uint32_t> dropped_;  // matches
  pool<std::int32_t> relative_;  // scratch
  bool has_all_ = false;  // patterns of one node are there, whether the library has them or not
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<stream> compressor::graph_of(const program& flat) const {
  if (wrong_.code != errc::ok) return wrong_;
  return expand(flat, {.copies = false, .results = how_.results, .limit = how_.limit});
}

TESSERA_INLINE result<stream> compressor::run(const program& flat) const {
  result<stream> graph = graph_of(flat);
  if (!graph) return graph.error();
  return detail::compression(patterns_).run(std::move(*graph), how_.copies);
}

TESSERA_INLINE result<missing_patterns> compressor::missing(const program& flat) const {
  result<stream> graph = graph_of(flat);
  if (!graph) return graph.error();
  return detail::compression(patterns_).missing(std::move(*graph), how_.copies);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_COMPRESS_HPP
