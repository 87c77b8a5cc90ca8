// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// A PT2 archive in memory: its members, and one exported program in flat pools.
//
//   const pt2::graph& g = m.graphs[0];
//   for (const pt2::node& n : nodes(m, g)) {
//     std::cout << text_of(m, n.target);                        // torch.ops.aten.relu.default
//     for (const pt2::argument& a : arguments(m, n.inputs))
//       std::cout << ' ' << text_of(m, a.name) << ':' << info(a.kind).variant;
//   }
//   for (const pt2::stored_tensor& w : stored(m, m.weights))
//     std::cout << text_of(m, w.name) << ' ' << payload(m, w).size() << '\n';
//
//   graph      inputs, nodes, outputs, and what is known of each value: graphs[0] is the program's,
//              others are the bodies of control flow, in the arguments that hold them
//   argument   of a node, in its inputs and outputs; an input or output of a graph; an element of a
//              list. `name` is the parameter's, `text` the name of a value
//   value      a name with its metadata; verify() binds arguments to values
//
// Weights stay where they are: payload() is a part of the bytes that were read, or of the model
// where the member is deflated. It is the whole storage, of which the metadata describe a view.
//
// Lifetime:   a model owns its pools and borrows the bytes that were read.
// Errors:     none. Indices of a model that was read are in range; verify() checks all others.
// Limits:     32-bit indices.
// Allocation: pools, which double.

#ifndef TESSERA_PT2_MODEL_HPP
#define TESSERA_PT2_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/pool.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "format.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

inline constexpr std::uint32_t none = 0xffffffff;  ///< no index

/// A range of model::characters.
struct string {
  std::uint32_t first = 0, size = 0;  ///< index of the first character, and how many
};
/// A range of one of the pools.
struct range {
  std::uint32_t first = 0, count = 0;  ///< index of the first element, and how many
};

/// How an archive keeps programs and tensors.
enum class container_kind : std::uint8_t {
  flat,     ///< of PyTorch 2.7 and earlier: one program, no root folder, pickled tensors
  pickled,  ///< of 2.8: tensors are in archives of their own, which pickles list
  raw,      ///< of 2.9 and later: storages are members, which JSON lists
};

/// A member of the archive, or a storage that is one of an archive in a member.
struct member {
  string name;                    ///< with the root folder; of a storage, in its own archive
  std::uint64_t offset = 0;       ///< of its local header
  std::uint64_t data_offset = 0;  ///< of its first byte
  std::uint64_t stored_size = 0;  ///< bytes in the archive
  std::uint64_t size = 0;         ///< bytes of its content
  std::uint64_t owned = no_data;  ///< where its content begins in model::contents, if there
  std::uint32_t crc = 0;          ///< CRC-32 of its content
  bool is_deflated = false;       ///< otherwise it is stored as it is

  /// The value of `owned` where the content isn't in model::contents.
  static constexpr std::uint64_t no_data = 0xffffffffffffffff;
};

/// The type of a number.
enum class scalar_kind : std::uint8_t { integer, real, boolean };
/// A number that may be symbolic: a size, a stride, or the value of a SymInt, SymFloat or SymBool.
struct scalar {
  scalar_kind kind = scalar_kind::integer;  ///< which of the two numbers counts
  bool is_symbolic = false;  ///< `expression` is what is known, the number at most a hint
  bool has_hint = false;     ///< the number is the one at export
  std::int64_t integer = 0;  ///< 0 or 1 for a boolean
  double real = 0;           ///< of a real; else 0
  string expression;         ///< "Mul(Integer(2), Symbol('s10', …))", see expression.hpp
  std::uint64_t offset = 0;  ///< of its JSON value in the archive
};

/// What is known of a tensor.
struct tensor_meta {
  element_type type = element_type::unknown;  ///< of the elements
  /// As the schema numbers layouts; others than strided_layout aren't executed.
  std::uint8_t layout = strided_layout;
  bool requires_grad = false;        ///< whether PyTorch computes a gradient of it
  bool has_device_index = false;     ///< whether the file gives an index
  string device;                     ///< "cpu"
  std::int64_t device_index = 0;     ///< 1 for "cuda:1"
  range sizes, strides;              ///< in model::scalars
  std::uint32_t storage_offset = 0;  ///< in model::scalars; in elements, as strides are
  std::uint64_t offset = 0;          ///< of its JSON object in the archive
};

/// What a value is; numbers may be symbolic.
enum class value_kind : std::uint8_t { tensor, sym_int, sym_bool, sym_float, custom_object };

/// A name of a graph.
struct value {
  string name;                           ///< by which arguments refer to it
  value_kind kind = value_kind::tensor;  ///< decides what `meta` is an index of
  std::uint32_t meta = none;             ///< in model::tensors or, for numbers, in model::scalars
  string class_name;                     ///< of custom objects
  std::uint64_t offset = 0;              ///< of its JSON value in the archive
};

/// How a node's input is passed: 0, 1 or 2 in files; `absent` where they don't say, as before
/// PyTorch 2.7.
enum class passing : std::uint8_t { unknown, positional, keyword, absent };

/// An input or output of a node or graph, or an element of a list.
struct argument {
  argument_kind kind = argument_kind::none;  ///< decides which of the following count
  passing how = passing::absent;             ///< of inputs of nodes
  /// boolean, sym_bool without name; device: has an index; optional_tensor: there is one
  bool boolean = false;
  bool is_named = false;  ///< `text` is the name of a value
  string name;            ///< of the parameter, or the key among named arguments
  string text;  ///< the value's name, a string, an operator, the device's type, the graph's name
  string class_name;  ///< custom_object
  range items;  ///< lists: in model::arguments, integers or reals; complex: both parts in reals
  /// integer, codes, sym_int without name, index of the device; graph: in model::graphs
  std::int64_t integer = 0;
  double real = 0;           ///< real, sym_float without name
  std::uint64_t offset = 0;  ///< of its JSON value in the archive
};

/// A call of an operator, or of control flow with its bodies.
struct node {
  string target;                             ///< "torch.ops.aten.relu.default"
  string name;                               ///< of the exporter's node
  bool has_name = false;                     ///< whether the file gives a name; since PyTorch 2.11
  std::int8_t is_single_tensor_return = -1;  ///< of control flow; -1: not said
  range inputs, outputs;                     ///< in model::arguments
  range metadata;                            ///< in model::metadata
  std::uint64_t offset = 0;                  ///< of its JSON object in the archive
};
/// An entry of a map of strings: "stack_trace", "nn_module_stack" …
struct text_entry {
  string key, value;  ///< both in model::characters
};

/// The program's graph, or the body of control flow.
struct graph {
  range inputs, outputs;                                    ///< in model::arguments
  range nodes;                                              ///< in model::nodes
  range tensors, sym_ints, sym_bools, sym_floats, objects;  ///< in model::values
  bool is_single_tensor_return = false;  ///< whether its result is a tensor, not a tuple of one
  std::uint64_t offset = 0;              ///< of its JSON object in the archive
};

/// What an input of the program is bound to: there is one for each input of graphs[0].
struct input_spec {
  input_kind kind = input_kind::user_input;  ///< decides what `target` is the name of
  bool is_persistent = true;                 ///< of buffers; others are in model::constants
  std::uint32_t argument = 0;                ///< in model::arguments; constant_input: its value
  string target;  ///< the parameter's, buffer's or constant's name; constant_input: its own
  std::uint64_t offset = 0;  ///< of its JSON object in the archive
};
/// What is done with an output of the program: there is one for each output of graphs[0].
struct output_spec {
  output_kind kind = output_kind::user_output;  ///< decides what `target` is the name of
  std::uint32_t argument = 0;                   ///< in model::arguments
  string target;                                ///< what is changed
  std::uint64_t offset = 0;                     ///< of its JSON object in the archive
};

/// How a module is called: the program itself first, then those whose signature was kept.
struct module_call {
  string path;  ///< such as "encoder.layer"; empty for the program
  /// Whether the file has one; whether it names the arguments.
  bool has_signature = false, has_argument_names = false;
  range inputs, outputs;     ///< in model::arguments
  string in_spec, out_spec;  ///< trees as JSON: see read_tree
  range argument_names;      ///< in model::strings
  std::uint64_t offset = 0;  ///< of its JSON object in the archive
};

/// The values that a symbol, or an expression of one, may have.
struct range_constraint {
  string symbol;                          ///< a symbol, or an expression in infix notation: "4*s77"
  bool has_min = false, has_max = false;  ///< otherwise it is unlimited
  std::int64_t min = 0, max = 0;          ///< the least and the greatest value
  std::uint64_t offset = 0;               ///< of its JSON object in the archive
};

/// A weight or constant.
struct stored_tensor {
  string name;                  ///< "encoder.weight"
  string path;                  ///< "weight_0"; of a pickle, the key of the storage: "0"
  std::uint32_t member = none;  ///< in model::members
  std::uint32_t meta = none;    ///< in model::tensors; none for objects
  /// Whether it is a torch.nn.Parameter; whether its payload is a pickle instead of a storage.
  bool is_parameter = false, is_pickled = false;
  std::uint64_t offset = 0;  ///< of its JSON object in the archive, or of its part of a pickle
};

/// An archive and one of its programs.
struct model {
  bytes source;  ///< of the archive

  // ---- the archive
  string root;           ///< its folder, with the '/'; empty where there is none
  string name;           ///< of the program: "model"
  pool<member> members;  ///< in the order of the directory; then the storages of pickles
  pool<std::uint32_t> members_by_name;  ///< without these storages
  pool<std::byte> contents;             ///< of members that were deflated, or changed since
  std::uint64_t directory_offset = 0;   ///< where the directory begins
  std::uint64_t prefix_size = 0;        ///< bytes before the first member
  std::uint32_t programs = 0;           ///< how many there are in the archive
  bool has_byte_order = false;          ///< whether a member states it; storages are little-endian
  container_kind container = container_kind::raw;  ///< the layout of the archive that was read

  // ---- the program
  /// The version of the program's schema.
  std::int64_t schema_major = pt2::schema_major, schema_minor = pt2::schema_minor;
  std::uint64_t schema_offset = 0;     ///< of its JSON object in the archive
  string torch_version;                ///< the one that exported the program: "2.13.0+cpu"
  pool<graph> graphs;                  ///< the program's own first; then bodies
  pool<node> nodes;                    ///< of all graphs
  pool<argument> arguments;            ///< of nodes, graphs, lists, signatures and calls
  pool<value> values;                  ///< of all graphs
  pool<tensor_meta> tensors;           ///< of values and stored tensors
  pool<scalar> scalars;                ///< of tensors and values
  pool<std::int64_t> integers;         ///< of all arguments
  pool<double> reals;                  ///< of all arguments
  pool<text_entry> metadata;           ///< of all nodes
  pool<input_spec> inputs;             ///< in the order of the program's inputs
  pool<output_spec> outputs;           ///< in the order of the program's outputs
  pool<module_call> calls;             ///< the program's first
  pool<range_constraint> constraints;  ///< in the order of the file
  pool<string> strings;                ///< names of arguments, verifiers and guards
  range verifiers, guards;             ///< in `strings`
  string opset_json, metadata_json, namedtuples_json;  ///< members of the program, as JSON

  // ---- its tensors
  pool<stored_tensor> stored;  ///< weights and constants
  range weights, constants;    ///< in `stored`

  text characters;  ///< of all strings
};

/// The characters of a string. Borrows from the model.
[[nodiscard]] inline std::string_view text_of(const model& m, string s) noexcept {
  return m.characters.view().substr(s.first, s.size);
}
/// The elements of a pool in a range, which must be inside of it. Borrows from the pool.
template <class Row>
[[nodiscard]] view<Row> rows(const pool<Row>& of, range r) noexcept {
  return {of.data() + r.first, r.count};
}
/// The arguments in a range of model::arguments. Borrows from the model.
[[nodiscard]] inline view<argument> arguments(const model& m, range r) noexcept {
  return rows(m.arguments, r);
}
/// The nodes of a graph, in the order in which they are executed. Borrows from the model.
[[nodiscard]] inline view<node> nodes(const model& m, const graph& g) noexcept {
  return rows(m.nodes, g.nodes);
}
/// The numbers in a range of model::scalars. Borrows from the model.
[[nodiscard]] inline view<scalar> scalars(const model& m, range r) noexcept {
  return rows(m.scalars, r);
}
/// The tensors in a range of model::stored. Borrows from the model.
[[nodiscard]] inline view<stored_tensor> stored(const model& m, range r) noexcept {
  return rows(m.stored, r);
}
/// An entry of a node's metadata, such as "nn_module_stack"; empty if there is none.
[[nodiscard]] std::string_view metadata(const model& m, const node& n,
                                        std::string_view key) noexcept;
/// The target of a node without "torch.ops.": "aten.relu.default".
[[nodiscard]] std::string_view short_target(const model& m, const node& n) noexcept;
/// The index in model::members of a name below the root folder; `none` where there is no such
/// member.
[[nodiscard]] std::uint32_t find_member(const model& m, std::string_view path) noexcept;
/// The content of a member; empty for a deflated one that wasn't needed.
[[nodiscard]] bytes content(const model& m, const member& of) noexcept;
/// The storage of a weight or constant, of which `meta` describes a view.
[[nodiscard]] inline bytes payload(const model& m, const stored_tensor& t) noexcept {
  return t.member == none ? bytes() : content(m, m.members[t.member]);
}
/// Replaces the content of a member; the bytes are copied.
void set_content(model& m, std::uint32_t member, bytes content);
/// Whether a member's content has the checksum that the archive states.
[[nodiscard]] bool has_valid_checksum(const model& m, const member& of) noexcept;

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/model.hpp"
#endif

#endif  // TESSERA_PT2_MODEL_HPP
