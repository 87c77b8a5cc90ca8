// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The NAC v1.2 node stream: commands, nodes, and the stream that readers fill.
//
//   genome::stream s;
//   s.add({.a = 2, .b = 1}, {});              // 0  <DATA_INPUT>
//   s.add({.a = 5, .b = 1, .c = 212}, {});    // 1  <CONST_REF> of parameter 212
//   s.add({.a = 52, .b = 11}, {0, 1});        // 2  operation 52 of nodes 0 and 1
//   s.add({.a = 4, .b = 1}, {2});             // 3  <OUTPUT>
//
// A node is 5 bytes and 2 for each input, integers big-endian; a stream is nodes until its end:
//
//   u8 A | u8 B | i16 C | u8 n | n × i16 D
//
//   A         command          B              C                       D
//   1         <PAD>            1              0                       -
//   2         <DATA_INPUT>     1              0                       -
//   3         <PARAM_INPUT>    1              0                       -
//   4         <OUTPUT>         1              0                       what is returned
//   5         <CONST_REF>      1              parameter               -
//   6         <PATTERN>        id, low byte   id, high byte << 8      what the pattern takes
//   7         <COPY>           A of the node  how many of it          B and C of the node
//   8         <CONTROL_FLOW>   1 IF           0                       then, else, condition, externals
//                              2 WHILE        0                       condition, body, states
//   10 - 255  operation        variation      0, constant or group    tensor inputs
//
// C of an operation: above 0 a constant, below 0 group -(C + 1). An entry of D is the id of a node,
// which is its index, or below 0 an offset from the node itself: inside of a pattern and of the
// blocks after an IF or WHILE. `then`, `else`, `condition` and `body` of the blocks are numbers of
// nodes, in any order of nesting. 0 and 9 are reserved.
//
// What the specification leaves open is defined as follows, for IF and WHILE:
//
//   * A block's value is that of its last node; of an OUTPUT there, its input, or all of them as a
//     list. An IF's value is that of the block that ran.
//   * In the blocks of a WHILE, the id of an initial state means the loop variable, as it is in
//     this round. The body ends in an OUTPUT of the next values; where there is one variable, in any
//     node. The value of a WHILE is that of its variables at the end.
//   * The k-th DATA_INPUT of a block is its k-th external, or loop variable.
//   * An IF lists all that its blocks take from outside; a WHILE need not list what does not
//   change.
//
// Lifetime:   a stream owns itself; views borrow.
// Errors:     none here.
// Limits:     32-bit indices.
// Allocation: pools, which double: 12 bytes for each node and 4 for each input.

#ifndef TESSERA_GENOME_FORMAT_HPP
#define TESSERA_GENOME_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"

// X(enumerator, A, name in registries)
#define TESSERA_GENOME_COMMANDS(X)                                                                 \
  X(none, 0, "<NONE>")                                                                             \
  X(pad, 1, "<PAD>")                                                                               \
  X(data_input, 2, "<DATA_INPUT>")                                                                 \
  X(param_input, 3, "<PARAM_INPUT>")                                                               \
  X(output, 4, "<OUTPUT>")                                                                         \
  X(const_ref, 5, "<CONST_REF>")                                                                   \
  X(pattern, 6, "<PATTERN_PREFIX>")                                                                \
  X(copy, 7, "<COPY_PREFIX>")                                                                      \
  X(control_flow, 8, "<CONTROL_FLOW_PREFIX>")                                                      \
  X(reserved, 9, "<RESERVED>")

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// The function of a node, by its A (specification, 2); `operation` is all from 10 on.
enum class command : std::uint8_t {
#define TESSERA_X(name, value, text) name = value,
  TESSERA_GENOME_COMMANDS(TESSERA_X)
#undef TESSERA_X
      operation = 10
};

/// How many enumerators `command` has.
inline constexpr std::size_t command_count = static_cast<std::size_t>(command::operation) + 1;

/// The names of commands 0 to 9 in registries.
inline constexpr std::string_view command_names[] = {
#define TESSERA_X(name, value, text) text,
    TESSERA_GENOME_COMMANDS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_GENOME_COMMANDS

inline constexpr std::uint32_t first_id = 10;            ///< the original tools begin all there
inline constexpr std::uint32_t last_byte_id = 255;       ///< of operations and variations
inline constexpr std::uint32_t last_c_id = 32767;        ///< of constants, groups and parameters
inline constexpr std::uint32_t last_pattern_id = 65535;  ///< and of all that registries list
inline constexpr std::uint32_t max_node_inputs = 255;    ///< the count of D is a byte
inline constexpr std::int32_t max_absolute = 32767;      ///< the last node that D can name
/// the furthest node that a relative reference can name
inline constexpr std::int32_t min_relative = -32768;
inline constexpr std::uint8_t no_variation = 1;             ///< B where there are no tensor inputs
inline constexpr std::uint8_t if_else = 1, while_loop = 2;  ///< B of CONTROL_FLOW

/// A node; its inputs are in the stream from `first` on.
struct node {
  std::uint8_t a = 0;       ///< an operation's id, or a command
  std::uint8_t b = 0;       ///< a variation's id, or a command's own
  std::int16_t c = 0;       ///< a constant's id, a group's id as -(id + 1), or 0
  std::uint32_t count = 0;  ///< of inputs
  std::uint32_t first = 0;  ///< of its inputs, in those of the stream

  /// The command, `operation` for all ids from first_id on.
  [[nodiscard]] constexpr command what() const noexcept {
    return a >= first_id ? command::operation : static_cast<command>(a);
  }
  /// The pattern id of a PATTERN node.
  [[nodiscard]] constexpr std::uint16_t pattern_id() const noexcept {
    return static_cast<std::uint16_t>((static_cast<std::uint16_t>(c) & 0xff00u) | b);
  }
  /// Whether C of an operation names a group, and which.
  [[nodiscard]] constexpr bool has_group() const noexcept { return c < 0; }
  /// The id of the group, where has_group().
  [[nodiscard]] constexpr std::uint16_t group_id() const noexcept {
    return static_cast<std::uint16_t>(-(c + 1));
  }
  /// How many entries of D come before those that refer to nodes.
  [[nodiscard]] constexpr std::uint32_t lengths() const noexcept {
    return what() == command::control_flow ? (count < 2 ? count : 2)
           : what() == command::copy       ? count
                                           : 0;
  }
};

/// A sequence of nodes with their inputs. Lifetime: borrows.
struct stream_view {
  view<node> nodes;           ///< in their order
  view<std::int32_t> inputs;  ///< of all nodes; node::first counts from its first

  /// How many nodes there are.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return nodes.size(); }
  /// All of D.
  [[nodiscard]] constexpr view<std::int32_t> inputs_of(std::size_t i) const noexcept {
    return {inputs.data() + nodes[i].first, nodes[i].count};
  }
  /// The entries of D that refer to nodes: all except lengths of blocks and a COPY's template.
  [[nodiscard]] constexpr view<std::int32_t> references(std::size_t i) const noexcept {
    const std::uint32_t skipped = nodes[i].lengths();
    return {inputs.data() + nodes[i].first + skipped, nodes[i].count - skipped};
  }
};

/// An owning sequence of nodes. A graph without PATTERNs and COPYs is called flat; it may be
/// longer than what D can name in a file.
struct stream {
  pool<node> nodes;           ///< in their order
  pool<std::int32_t> inputs;  ///< in the order of the nodes

  /// Appends a node; `first` and `count` of `n` don't matter.
  void add(node n, view<std::int32_t> d);
  void add(const node& n, std::initializer_list<std::int32_t> d) {
    add(n, view<std::int32_t>(d.begin(), d.size()));
  }
  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const noexcept { return nodes.size(); }

  /// All nodes. Borrows from the stream.
  operator stream_view() const& noexcept { return {nodes, inputs}; }
  operator stream_view() const&& = delete;
};

/// The byte offset of a node of a stream; the end of the stream for the index after the last.
[[nodiscard]] constexpr std::uint64_t offset_of(const stream_view& s, std::size_t i) noexcept {
  const std::uint64_t inputs = i < s.size() ? s.nodes[i].first : s.inputs.size();
  return 5 * std::uint64_t{i} + 2 * inputs;
}

/// An error in the bytes of a stream, in the node that they are of: what describe() shows of a stream
/// that was built in code.
[[nodiscard]] constexpr error in_node(const error& e, const stream_view& s) noexcept {
  if (e.code == errc::ok || e.index != error_index::none || s.size() == 0) return e;
  std::size_t i = 0;
  while (i + 1 < s.size() && offset_of(s, i + 1) <= e.offset) ++i;
  return {e.code, i, error_index::node};
}

/// Equal in nodes and inputs.
[[nodiscard]] bool operator==(const stream_view& x, const stream_view& y) noexcept;
[[nodiscard]] inline bool operator==(const stream& x, const stream& y) noexcept {
  return stream_view(x) == stream_view(y);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#include "detail/format.hpp"
#endif

#endif  // TESSERA_GENOME_FORMAT_HPP
