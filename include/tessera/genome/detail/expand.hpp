// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The bodies of genome/expand.hpp.

#ifndef TESSERA_GENOME_DETAIL_EXPAND_HPP
#define TESSERA_GENOME_DETAIL_EXPAND_HPP

#include <cstddef>
#include <cstdint>

#include "../../core/sort.hpp"
#include "../expand.hpp"
#include "../program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

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
  /// A block that is being written out, of an IF or WHILE.
  struct block {
    std::uint32_t id = 0;     // in open_
    std::uint32_t head = 0;   // its IF or WHILE, in out_
    std::uint32_t flat = 0;   // and in places_
    std::uint32_t part = 0;   // which of its two blocks
    std::uint32_t first = 0;  // node of that, in out_
    std::uint32_t guard = 0;  // the innermost block of an IF around, or itself: its index, plus 1
    std::size_t first_listed = 0, listed = 0;  // what an IF's blocks may take
    std::size_t end = 0;                       // in the nodes of its frame
    std::size_t other_end = 0;                 // of the second block
    std::size_t depth = 0;                     // of frames
  };
  static constexpr std::int32_t unknown = -1;  // the second length, until both blocks have ended

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
    out_.nodes.reserve(to_size(nodes));
    out_.inputs.reserve(to_size(inputs));
    places_.reserve(to_size(places));
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
    const std::size_t first_listed = listed_.size();
    for (std::size_t k = n.lengths(); k < d.size(); ++k) {
      std::size_t flat = 0;
      if (const error e = inside ? find_relative(d[k], flat) : find(i, d[k], flat);
          e.code != errc::ok)
        return e;
      const place& p = places_[flat];
      const bool is_offset = inside ? p.block != 0 && p.block == current_block() : d[k] < 0;
      out_.inputs[added.first + k] = static_cast<std::int32_t>(p.node) -
                                     static_cast<std::int32_t>(is_offset ? written() - 1 : 0);
      if (n.what() == command::control_flow && n.b == if_else)
        listed_.push_back(static_cast<std::uint32_t>(flat));
    }
    if (n.what() == command::control_flow) start_blocks(n, d, first_listed);
    return {};
  }

  /// What the stream's node i means by an entry of its D.
  [[nodiscard]] error find(std::size_t i, std::int32_t d, std::size_t& flat) const noexcept {
    const std::size_t from =
        d < 0 ? i - static_cast<std::size_t>(-std::int64_t{d}) : static_cast<std::size_t>(d);
    flat = starts_[from];
    const node& n = stream_.nodes[from];
    if (n.what() != command::pattern) return {};
    const std::uint32_t p = library_.find_pattern(n.pattern_id());
    flat += shapes_.result_of(p);
    if (!can_be_taken(flat)) return {errc::genome_pattern_result, shapes_.chosen_by(p)};
    return {};
  }

  /// What the last flat node, of a pattern, means by an entry of its D.
  [[nodiscard]] error find_relative(std::int32_t d, std::size_t& flat) const noexcept {
    const std::int64_t at = static_cast<std::int64_t>(places_.size()) - 1 + d;
    flat = static_cast<std::size_t>(at);
    const std::uint64_t offset = offset_of(stream_, starts_.size() - 1);
    if (d >= 0 || at < 0 || !can_be_taken(flat)) return {errc::genome_pattern_order, offset};
    if (!is_listed(flat)) return {errc::genome_reference_external, offset};
    return {};
  }

  [[nodiscard]] bool can_be_taken(std::size_t flat) const noexcept {
    const place& p = places_[flat];
    const node& n = out_.nodes[p.node];
    if (n.what() == command::output || n.what() == command::pad || open_[p.block] == 0)
      return false;
    return n.what() != command::control_flow || out_.inputs[n.first + 1] != unknown;
  }
  /// Whether the innermost IF around the last flat node lets its blocks take this one.
  [[nodiscard]] bool is_listed(std::size_t flat) const noexcept {
    if (blocks_.empty() || blocks_.back().guard == 0) return true;
    const block& guard = blocks_[blocks_.back().guard - 1];
    if (flat > guard.flat) return true;
    const std::uint32_t* const list = listed_.data() + guard.first_listed;
    const std::size_t i =
        first_not_below(list, guard.listed, [flat](std::uint32_t listed) { return listed < flat; });
    return i < guard.listed && list[i] == flat;
  }

  void start_blocks(const node& n, view<std::int32_t> d, std::size_t first_listed) {
    block b;
    b.id = start_block();
    b.head = written() - 1;
    b.first = written();
    b.flat = static_cast<std::uint32_t>(places_.size() - 1);
    b.end = frames_.back().next + static_cast<std::size_t>(d[0]);
    b.other_end = b.end + static_cast<std::size_t>(d[1]);
    b.depth = frames_.size();
    b.guard = n.b == if_else    ? static_cast<std::uint32_t>(blocks_.size() + 1)
              : blocks_.empty() ? 0
                                : blocks_.back().guard;
    b.first_listed = first_listed;
    b.listed = listed_.size() - first_listed;
    sort(listed_.data() + first_listed, b.listed,
         [](std::uint32_t x, std::uint32_t y) { return x < y; });
    blocks_.push_back(b);
    out_.inputs[out_.nodes.back().first + 1] = unknown;
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
        listed_.shrink(b.first_listed);
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
  pool<std::uint32_t> listed_;  // in places_; ascending for each IF
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<stream> expand(const program& p, const expand_options& how) {
  return detail::expander(p, how).run(how.results);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_EXPAND_HPP
