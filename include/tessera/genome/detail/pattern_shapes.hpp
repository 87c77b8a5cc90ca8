// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// How large patterns are when they are written out, found without writing them out.
//
//   detail::pattern_shapes shapes(library, /*copies=*/true);
//   const error e = shapes.choose(results);
//   shapes.of(p).nodes;        // of the expansion of registry().patterns[p]
//   shapes.result_of(p);       // which of its flat nodes is the pattern's result
//
//   nodes, inputs    of the expansion, copies multiplied if so wanted, up to 2^62
//   result           the last flat node outside of blocks, COPY as one node
//   same_as          where a pattern is nothing but another pattern: that one, or what it is
//
// Wrappers around wrappers are skipped through same_as: without it, a chain of patterns of one node
// each would cost its length wherever it is used, and give one node.
//
// Lifetime:   borrows the library.
// Errors:     genome_pattern_result, at the index of what was chosen.
// Limits:     none; no recursion.
// Allocation: 32 bytes for each pattern of the library, and for each level of nesting.

#ifndef TESSERA_GENOME_DETAIL_PATTERN_SHAPES_HPP
#define TESSERA_GENOME_DETAIL_PATTERN_SHAPES_HPP

#include <cstddef>
#include <cstdint>

#include "../program.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Which node of a pattern's expansion its consumers take, COPY counted as one node; without one,
/// the last that isn't in a block. Of several for one pattern the last counts.
struct pattern_result {
  std::uint32_t pattern_id = 0;
  std::uint32_t node = 0;
};

namespace detail {

/// The sum of two numbers up to 2^62, or 2^62.
[[nodiscard]] constexpr std::uint64_t add_capped(std::uint64_t x, std::uint64_t y) noexcept {
  constexpr std::uint64_t max_sum = std::uint64_t{1} << 62;
  return x + y < max_sum ? x + y : max_sum;
}

struct pattern_shape {
  std::uint64_t nodes = 0;  // none has 0: not measured
  std::uint64_t inputs = 0;
  std::uint32_t result = 0;
  std::uint32_t same_as = 0;
};

class pattern_shapes {
 public:
  pattern_shapes(const library& l, bool copies) : library_(l), copies_(copies) {
    shapes_.resize(l.registry().patterns.size());
    for (std::size_t p = 0; p < shapes_.size(); ++p)
      shapes_[p].same_as = static_cast<std::uint32_t>(p);
  }

  [[nodiscard]] error choose(view<pattern_result> results) {
    if (!results.empty()) chosen_.resize(shapes_.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::uint32_t p = library_.find_pattern(results[i].pattern_id);
      if (p == library::none || results[i].node >= library_.flat_size(p))
        return {errc::genome_pattern_result, i};
      chosen_[p] = static_cast<std::uint32_t>(i + 1);
    }
    results_ = results;
    return {};
  }

  [[nodiscard]] const pattern_shape& of(std::uint32_t pattern) {
    if (shapes_[pattern].nodes == 0) measure(pattern);
    return shapes_[pattern];
  }
  /// Of a pattern that has been measured.
  [[nodiscard]] const pattern_shape& of(std::uint32_t pattern) const noexcept {
    return shapes_[pattern];
  }
  [[nodiscard]] std::uint32_t result_of(std::uint32_t pattern) const noexcept {
    return is_chosen(pattern) ? results_[chosen_by(pattern)].node : shapes_[pattern].result;
  }
  [[nodiscard]] bool is_chosen(std::uint32_t pattern) const noexcept {
    return !chosen_.empty() && chosen_[pattern] != 0;
  }
  [[nodiscard]] std::uint32_t chosen_by(std::uint32_t pattern) const noexcept {
    return is_chosen(pattern) ? chosen_[pattern] - 1 : 0;
  }

 private:
  struct frame {
    std::uint32_t pattern;
    std::uint32_t next;   // node
    std::uint32_t flat;   // index of that
    std::size_t top = 0;  // the next node that isn't in a block
  };

  void measure(std::uint32_t pattern) {
    const registry& r = library_.registry();
    frames_.push_back({pattern, 0, 0});
    while (!frames_.empty()) {
      frame& f = frames_.back();
      const stream_view nodes = r.nodes_of(r.patterns[f.pattern]);
      if (f.next == nodes.size()) {
        frames_.pop_back();
        continue;
      }
      const node& n = nodes.nodes[f.next];
      pattern_shape& shape = shapes_[f.pattern];
      pattern_shape added{.nodes = 1, .inputs = n.count};
      std::uint32_t flat = 1;
      if (n.what() == command::pattern) {
        const std::uint32_t inner = library_.find_pattern(n.pattern_id());
        if (shapes_[inner].nodes == 0) {
          frames_.push_back({inner, 0, 0});
          continue;
        }
        added = shapes_[inner];
        flat = library_.flat_size(inner);
        if (nodes.size() == 1) shape.same_as = added.same_as;
      } else if (n.what() == command::copy && copies_) {
        added = {.nodes = static_cast<std::uint16_t>(n.c)};
      }
      shape.nodes = add_capped(shape.nodes, added.nodes);
      shape.inputs = add_capped(shape.inputs, added.inputs);
      if (f.next >= f.top) {
        shape.result = f.flat + added.result;
        f.top = f.next + std::size_t{1};
        if (n.what() == command::control_flow)
          for (const std::int32_t length : {nodes.inputs_of(f.next)[0], nodes.inputs_of(f.next)[1]})
            f.top += static_cast<std::size_t>(length);
      }
      f.flat += flat;
      ++f.next;
    }
  }

  const library& library_;
  const bool copies_;
  pool<pattern_shape> shapes_;
  pool<frame> frames_;
  view<pattern_result> results_;
  pool<std::uint32_t> chosen_;  // by pattern: the index in results_, plus 1
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PATTERN_SHAPES_HPP
