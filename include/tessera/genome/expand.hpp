// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Patterns and copies written out: a verified stream becomes a flat graph, node by node.
//
//   auto flat = genome::expand(*program);                         // neither PATTERN nor COPY
//   auto counted = genome::expand(*program, {.copies = false});   // COPY stays one node
//   const genome::pattern_result second[] = {{18, 5}};            // pattern 18 gives its node 5
//   auto other = genome::expand(*program, {.results = {second, 1}});
//
// The numbering that references of patterns count in has each pattern written out, patterns inside
// of patterns too, and a COPY as one node. Copies are multiplied behind that, and all ids moved.
//
//   in the program                     in the flat graph
//   PATTERN                            its nodes; what it lists in D doesn't matter
//   d of the pattern's flat node j     the node at start + j + d, inside of the pattern or before it
//   id of a PATTERN                    its result: the last of its nodes that isn't in a block
//   COPY of n nodes, an id of it       n nodes, the first of them
//   IF, WHILE                          the same, the lengths of their blocks in flat nodes
//
// References of a pattern's nodes are offsets where they stay in a block, and ids where they leave
// it. Those of other nodes keep their form. Neither is limited to what a file can hold.
//
// Lifetime:   the graph owns itself.
// Errors:     at the byte offset of the stream's node: genome_expansion_size, before anything is
//             written out; genome_pattern_order where a pattern takes something from before the
//             graph, from a block that has ended, or of a node that has no value. At the index in
//             `results`: genome_pattern_result.
// Limits:     limits::max_items nodes, and as many inputs; 2^31 - 1. No recursion.
// Allocation: the graph; 8 bytes for each of its nodes, 4 for each of the stream's, 32 for each
//             pattern. Time is linear in the patterns that occur, the stream, and the graph.

#ifndef TESSERA_GENOME_EXPAND_HPP
#define TESSERA_GENOME_EXPAND_HPP

#include <cstddef>
#include <cstdint>

#include "pattern_shapes.hpp"
#include "program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

struct expand_options {
  bool copies = true;  ///< a COPY becomes as many nodes as it says; else it stays one
  view<pattern_result> results = {};
  limits limit = {};
};

namespace detail {

/// Writes a stream out, with a stack of the patterns and one of the blocks that it is in.
class expander {
 public:
  expander(const program& p, const expand_options& how)
      : stream_(p.stream()),
        registry_(p.library().registry()),
        library_(p.library()),
        shapes_(p.library(), how.copies),
        copies_(how.copies),
        most_(how.limit.max_items < max_nodes ? how.limit.max_items : max_nodes) {}

  [[nodiscard]] result<stream> run(view<pattern_result> results) {
    if (const error e = shapes_.choose(results); e.code != errc::ok) return e;
    if (const error e = measure(); e.code != errc::ok) return e;
    frames_.push_back({stream_, 0});
    open_.push_back(1);
    for (;;) {
      end_blocks();
      frame& f = frames_.back();
      if (f.next == f.nodes.size()) {
        if (frames_.size() == 1) return std::move(out_);
        frames_.pop_back();
      } else if (const error e = add_next(); e.code != errc::ok) {
        return e;
      }
    }
  }

 private:
  /// Indices fit D, and what nodes take fits the host.
  static constexpr std::uint64_t max_nodes =
      sizeof(std::size_t) > 4 ? std::uint64_t{0x7fffffff} : std::uint64_t{0x07ffffff};

  /// The stream, or a pattern, that is being written out.
  struct frame {
    stream_view nodes;
    std::size_t next;
  };
  /// A block that is being written out.
  struct block {
    std::uint32_t id;       // in open_
    std::uint32_t head;     // its IF or WHILE, in out_
    std::uint32_t part;     // which of its two
    std::uint32_t first;    // in out_
    std::size_t end;        // in the nodes of its frame
    std::size_t other_end;  // of the second block
    std::size_t depth;      // of frames
  };

  /// Finds out how much there will be, and makes room for it.
  [[nodiscard]] error measure() {
    std::uint64_t nodes = 0, inputs = 0, places = 0;
    for (std::size_t i = 0; i < stream_.size(); ++i) {
      const node& n = stream_.nodes[i];
      if (n.what() == command::pattern) {
        const std::uint32_t p = library_.find_pattern(n.pattern_id());
        const pattern_shape& shape = shapes_.of(p);
        nodes = add_capped(nodes, shape.nodes);
        inputs = add_capped(inputs, shape.inputs);
        places += library_.flat_size(p);
      } else if (n.what() == command::copy && copies_) {
        nodes += static_cast<std::uint16_t>(n.c);
        ++places;
      } else {
        ++nodes, ++places;
        inputs += n.count;
      }
      if (nodes > most_ || inputs > most_)
        return {errc::genome_expansion_size, offset_of(stream_, i)};
    }
    out_.nodes.reserve(static_cast<std::size_t>(nodes));
    out_.inputs.reserve(static_cast<std::size_t>(inputs));
    places_.reserve(static_cast<std::size_t>(places));
    starts_.reserve(stream_.size());
    return {};
  }

  [[nodiscard]] std::uint32_t current_block() const noexcept {
    return blocks_.empty() ? 0 : blocks_.back().id;
  }
  [[nodiscard]] std::uint32_t written() const noexcept {
    return static_cast<std::uint32_t>(out_.size());
  }

  [[nodiscard]] error add_next() {
    frame& f = frames_.back();
    const stream_view from = f.nodes;
    const std::size_t i = f.next++;
    const bool inside = frames_.size() > 1;  // of a pattern
    if (!inside) starts_.push_back(static_cast<std::uint32_t>(places_.size()));
    const node& n = from.nodes[i];
    if (n.what() == command::pattern) {
      const std::uint32_t p = shapes_.of(library_.find_pattern(n.pattern_id())).same_as;
      frames_.push_back({registry_.nodes_of(registry_.patterns[p]), 0});
      return {};
    }
    places_.push_back({written(), current_block()});
    const view<std::int32_t> d = from.inputs_of(i);
    if (n.what() == command::copy && copies_) {
      for (std::int32_t k = 0; k < n.c; ++k)
        out_.add(
            {.a = n.b, .b = static_cast<std::uint8_t>(d[0]), .c = static_cast<std::int16_t>(d[1])},
            {});
      return {};
    }
    node added = n;
    added.first = static_cast<std::uint32_t>(out_.inputs.size());
    out_.nodes.push_back(added);
    out_.inputs.append(d.data(), d.size());
    for (std::size_t k = n.lengths(); k < d.size(); ++k) {
      const error e = inside ? take_relative(d[k], out_.inputs[added.first + k])
                             : take(i, d[k], out_.inputs[added.first + k]);
      if (e.code != errc::ok) return e;
    }
    if (n.what() == command::control_flow) {
      const std::size_t end = f.next + static_cast<std::size_t>(d[0]);
      blocks_.push_back({start_block(), written() - 1, 0, written(), end,
                         end + static_cast<std::size_t>(d[1]), frames_.size()});
    }
    return {};
  }

  /// What the stream's node i means by an entry of its D.
  [[nodiscard]] error take(std::size_t i, std::int32_t d, std::int32_t& out) const noexcept {
    const std::size_t from =
        d < 0 ? i - static_cast<std::size_t>(-std::int64_t{d}) : static_cast<std::size_t>(d);
    std::size_t flat = starts_[from];
    const node& n = stream_.nodes[from];
    if (n.what() == command::pattern) {
      const std::uint32_t p = library_.find_pattern(n.pattern_id());
      flat += shapes_.result_of(p);
      if (!can_be_taken(flat)) return {errc::genome_pattern_result, shapes_.chosen_by(p)};
    }
    const std::uint32_t self = d < 0 ? written() - 1 : 0;
    out = static_cast<std::int32_t>(places_[flat].node) - static_cast<std::int32_t>(self);
    return {};
  }

  /// What the last flat node, of a pattern, means by an entry of its D.
  [[nodiscard]] error take_relative(std::int32_t d, std::int32_t& out) const noexcept {
    const std::int64_t flat = static_cast<std::int64_t>(places_.size()) - 1 + d;
    if (d >= 0 || flat < 0 || !can_be_taken(static_cast<std::size_t>(flat)))
      return {errc::genome_pattern_order, offset_of(stream_, starts_.size() - 1)};
    const place& p = places_[static_cast<std::size_t>(flat)];
    const std::uint32_t self = p.block == current_block() ? written() - 1 : 0;
    out = static_cast<std::int32_t>(p.node) - static_cast<std::int32_t>(self);
    return {};
  }

  [[nodiscard]] bool can_be_taken(std::size_t flat) const noexcept {
    const place& p = places_[flat];
    const command what = out_.nodes[p.node].what();
    return open_[p.block] != 0 && what != command::output && what != command::pad;
  }

  [[nodiscard]] std::uint32_t start_block() {
    open_.push_back(1);
    return static_cast<std::uint32_t>(open_.size() - 1);
  }
  /// Ends the blocks that end here, innermost first, and starts those that follow on one.
  void end_blocks() {
    while (!blocks_.empty()) {
      block& b = blocks_.back();
      if (b.depth != frames_.size() || b.end != frames_.back().next) return;
      open_[b.id] = 0;
      out_.inputs[out_.nodes[b.head].first + b.part] =
          static_cast<std::int32_t>(written() - b.first);
      if (b.part == 1) {
        blocks_.pop_back();
      } else {
        b.part = 1;
        b.end = b.other_end;
        b.first = written();
        b.id = start_block();
      }
    }
  }

  /// Where a flat node is, with COPY as one node: in the graph, and in which block.
  struct place {
    std::uint32_t node, block;
  };

  const stream_view stream_;
  const registry& registry_;
  const library& library_;
  pattern_shapes shapes_;
  const bool copies_;
  const std::uint64_t most_;

  stream out_;
  pool<place> places_;
  pool<std::uint32_t> starts_;  // of the stream's nodes, in places_
  pool<unsigned char> open_;    // of each block, whether it hasn't ended; the graph is the first
  pool<frame> frames_;
  pool<block> blocks_;
};

}  // namespace detail

/// A program as a flat graph.
[[nodiscard]] inline result<stream> expand(const program& p, const expand_options& how = {}) {
  return detail::expander(p, how).run(how.results);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_EXPAND_HPP
