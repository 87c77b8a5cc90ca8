// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// registry.json as it is read: the meaning of the ids in node streams.
//
//   genome::registry r;
//   r.add(r.operations, r.operation_ids, 10, "aten.relu.default:node_args(1):kwargs()");
//   r.add_constant(10, "int", "1");
//   r.name_of(r.operations[0]);
//
//   member of the file           here                    key -> value
//   canonical_to_index           operations              name -> A
//   index_to_canonical           operation_ids           A -> name
//   variation_to_index           variations              "in0,in1" -> B
//   constants                    constants               C -> {"type", "value"}
//   index_to_constant            constant_texts          C -> human-readable text
//   constant_group_to_index      groups                  "arg1=10;dim=11" -> group
//   index_to_constant_group      group_ids               group -> text
//   param_name_to_index          parameters              name -> C of a CONST_REF
//   index_to_param_name          parameter_ids           C -> name
//   patterns                     patterns                id -> stream, in base64
//   rules.transition_rules       transitions             text -> probability, count, stream, exceptions
//   rules.composition_rules      compositions            text -> count
//   rules.structural_rules       structures              text -> count
//
// index_to_constant is what real registries hold beyond the specification. A name of an operation is
// its target, how many tensors it takes, and its keywords as Python shows a tuple of them:
//
//   aten.slice.Tensor:node_args(1):kwargs()
//   aten._to_copy.default:node_args(1):kwargs('dtype',)
//
// Lifetime:   owns everything; names are ranges of `characters`.
// Errors:     none here: ranges and ids are what they are until verify() has checked those of patterns
//             and maps; a rule that is built in code has to have its nodes and exceptions.
// Limits:     32-bit indices.
// Allocation: pools, which double.

#ifndef TESSERA_GENOME_REGISTRY_HPP
#define TESSERA_GENOME_REGISTRY_HPP

#include <cstdint>
#include <string_view>

#include "../core/error.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// A range of registry::characters.
struct characters_range {
  /// The first character and how many there are.
  std::uint32_t first = 0, size = 0;
};

/// A name and its id.
struct entry {
  std::uint32_t id = 0;      ///< unique in its map
  characters_range name;     ///< or text, in registry::characters
  std::uint64_t offset = 0;  ///< in the file: of the member's value; else its index
};

/// A value that operations take beside tensors.
struct constant {
  std::uint32_t id = 0;      ///< C of operations
  characters_range type;     ///< "int", "float", "list", "torch.dtype" …
  characters_range value;    ///< JSON without white space, numbers verbatim
  std::uint64_t offset = 0;  ///< in the file: of the member's value; else its index
};

/// A gene: a stream whose references are relative, in the numbering of its expansion.
struct pattern {
  std::uint32_t id = 0;  ///< see node::pattern_id
  /// Its first node, and how many there are, of registry::pattern_nodes.
  std::uint32_t first = 0, count = 0;  ///< of registry::pattern_nodes
  std::uint64_t offset = 0;            ///< in the file: of the member's value; else its index
};

/// "After 'x' -> 'y' with connection 'in0=SOURCE'".
struct transition_rule {
  characters_range text;         ///< the whole rule
  characters_range probability;  ///< verbatim: "0.92"
  std::uint64_t count = 0;       ///< how often it was found
  /// Its two nodes, of registry::pattern_nodes: the first and how many.
  std::uint32_t first = 0, nodes = 0;  ///< of registry::pattern_nodes: the two nodes
  /// Its exceptions, of registry::exceptions: the first and how many.
  std::uint32_t first_exception = 0, exceptions = 0;  ///< of registry::exceptions
  std::uint64_t offset = 0;  ///< in the file: of the member's value; else its index
};

/// A composition or a structure, and how often it occurs.
struct counted_rule {
  characters_range text;     ///< the whole rule
  std::uint64_t count = 0;   ///< how often it was found
  std::uint64_t offset = 0;  ///< in the file: of the member's value; else its index
};

/// What a registry.json says, not yet verified.
struct registry {
  /// The map of names to A, and its reverse.
  pool<entry> operations, operation_ids;
  pool<entry> variations;      ///< by B
  pool<constant> constants;    ///< by C
  pool<entry> constant_texts;  ///< constants as texts, with their ids
  /// The map of constant groups to ids, and its reverse.
  pool<entry> groups, group_ids;
  /// The map of parameters to ids, and its reverse.
  pool<entry> parameters, parameter_ids;
  pool<pattern> patterns;             ///< genes
  pool<transition_rule> transitions;  ///< which node follows which
  /// Rules about what networks are made of.
  pool<counted_rule> compositions, structures;

  text characters;                    ///< of all names
  stream pattern_nodes;               ///< of all patterns and transition rules
  pool<characters_range> exceptions;  ///< of transition rules

  /// The characters of a range. Borrows from the registry.
  [[nodiscard]] std::string_view name_of(characters_range r) const& noexcept {
    return characters.view().substr(r.first, r.size);
  }
  /// The name of an entry. Borrows from the registry.
  [[nodiscard]] std::string_view name_of(const entry& e) const& noexcept { return name_of(e.name); }
  std::string_view name_of(characters_range) const&& = delete;
  std::string_view name_of(const entry&) const&& = delete;

  /// The nodes of a pattern.
  [[nodiscard]] stream_view nodes_of(const pattern& p) const& noexcept {
    return {{pattern_nodes.nodes.data() + p.first, p.count}, pattern_nodes.inputs};
  }
  /// The two nodes of a transition rule.
  [[nodiscard]] stream_view nodes_of(const transition_rule& r) const& noexcept {
    return {{pattern_nodes.nodes.data() + r.first, r.nodes}, pattern_nodes.inputs};
  }

  // ---- building one

  /// Appends to `characters`.
  characters_range add_characters(std::string_view s);
  /// To a map and to its reverse.
  void add(pool<entry>& map, pool<entry>& reverse, std::uint32_t id, std::string_view name);
  /// To operations and operation_ids.
  void add_operation(std::uint32_t id, std::string_view name) {
    add(operations, operation_ids, id, name);
  }
  /// To variations.
  void add_variation(std::uint32_t id, std::string_view name) {
    variations.push_back({id, add_characters(name), variations.size()});
  }
  /// To groups and group_ids.
  void add_group(std::uint32_t id, std::string_view name) { add(groups, group_ids, id, name); }
  /// To parameters and parameter_ids.
  void add_parameter(std::uint32_t id, std::string_view name) {
    add(parameters, parameter_ids, id, name);
  }
  /// `value` is JSON.
  void add_constant(std::uint32_t id, std::string_view type, std::string_view value);
  /// `nodes` aren't this registry's own.
  void add_pattern(std::uint32_t id, const stream_view& nodes);
};
/// An error in a row of a registry: at its place in the file, or, of one that was built in code, in
/// the element of its index. The offset of a row that was read exceeds its index.
template <class T>
[[nodiscard]] error error_in(const registry& r, const pool<T>& rows, const T& row, errc code) {
  const auto index = static_cast<std::uint64_t>(&row - rows.data());
  if (row.offset > index) return {code, row.offset};
  error_index kind = error_index::rule;
  if constexpr (std::is_same_v<T, entry>)
    kind = &rows == &r.operations || &rows == &r.operation_ids ? error_index::operation
           : &rows == &r.variations                            ? error_index::variation
           : &rows == &r.constant_texts                        ? error_index::constant
           : &rows == &r.groups || &rows == &r.group_ids       ? error_index::group
                                                               : error_index::parameter;
  else if constexpr (std::is_same_v<T, constant>)
    kind = error_index::constant;
  else if constexpr (std::is_same_v<T, pattern>)
    kind = error_index::pattern;
  return {code, index, kind};
}

/// Whether two registries are equal: maps in any order, rules in order; offsets are ignored.
[[nodiscard]] bool operator==(const registry& x, const registry& y);

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/registry.hpp"
#endif

#endif  // TESSERA_GENOME_REGISTRY_HPP
