// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The numbers and names of PT2 archives: element types, kinds of arguments, of inputs and of
// outputs.
//
//   pt2::info(pt2::element_type::bfloat16).bytes;        // 2
//   pt2::info(pt2::argument_kind::sym_ints).variant;     // "as_sym_ints"
//
// Each table gives an enumeration, the names in files, how a value is written in JSON, and what
// readers, writers and printers dispatch on.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_PT2_FORMAT_HPP
#define TESSERA_PT2_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../version.hpp"

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

// X(enumerator, the schema's number, bytes of an element, short name)
#define TESSERA_PT2_ELEMENT_TYPES(X)                                                               \
  X(unknown, 0, 0, "?")                                                                            \
  X(uint8, 1, 1, "u8")                                                                             \
  X(int8, 2, 1, "i8")                                                                              \
  X(int16, 3, 2, "i16")                                                                            \
  X(int32, 4, 4, "i32")                                                                            \
  X(int64, 5, 8, "i64")                                                                            \
  X(float16, 6, 2, "f16")                                                                          \
  X(float32, 7, 4, "f32")                                                                          \
  X(float64, 8, 8, "f64")                                                                          \
  X(complex32, 9, 4, "c32")                                                                        \
  X(complex64, 10, 8, "c64")                                                                       \
  X(complex128, 11, 16, "c128")                                                                    \
  X(boolean, 12, 1, "bool")                                                                        \
  X(bfloat16, 13, 2, "bf16")                                                                       \
  X(uint16, 28, 2, "u16")                                                                          \
  X(float8_e4m3fn, 29, 1, "f8e4m3fn")                                                              \
  X(float8_e5m2, 30, 1, "f8e5m2")                                                                  \
  X(float8_e4m3fnuz, 31, 1, "f8e4m3fnuz")                                                          \
  X(float8_e5m2fnuz, 32, 1, "f8e5m2fnuz")                                                          \
  X(float8_e8m0fnu, 33, 1, "f8e8m0fnu")                                                            \
  X(uint32, 34, 4, "u32")                                                                          \
  X(uint64, 35, 8, "u64")

/// The type of a tensor's elements. The values are the schema's, which differ from those of C++
/// PyTorch.
enum class element_type : std::uint8_t {
#define TESSERA_X(name, code, bytes, text) name = code,
  TESSERA_PT2_ELEMENT_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of element types.
struct element_type_row {
  element_type type;      ///< its value is the number in files
  std::uint8_t bytes;     ///< of an element; 0 for unknown
  std::string_view name;  ///< "f32"
};
/// The rows of all types, by ascending number; the first is that of `unknown`.
inline constexpr element_type_row element_types[] = {
#define TESSERA_X(name, code, bytes, text) {element_type::name, bytes, text},
    TESSERA_PT2_ELEMENT_TYPES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_PT2_ELEMENT_TYPES
/// The row of a number in a file; that of `unknown` for numbers without one.
[[nodiscard]] constexpr const element_type_row& info_of_element(std::int64_t code) noexcept {
  for (const element_type_row& row : element_types)
    if (static_cast<std::int64_t>(row.type) == code) return row;
  return element_types[0];
}
/// The row of a type.
[[nodiscard]] constexpr const element_type_row& info(element_type t) noexcept {
  return info_of_element(static_cast<std::int64_t>(t));
}

inline constexpr std::uint8_t strided_layout = 7;  ///< the only layout that is executed

/// How the value of an argument is written in JSON.
enum class argument_form : std::uint8_t {
  none,      ///< true
  boolean,   ///< true
  integer,   ///< 3
  real,      ///< 0.5, or "Infinity", "-Infinity", "NaN"
  text,      ///< "tanh"
  value,     ///< {"name": "relu"}
  symbol,    ///< {"as_name": "add"}, or {"as_int": 3}, {"as_bool": …}, {"as_float": …}
  optional,  ///< {"as_tensor": {"name": "relu"}} or {"as_none": true}
  device,    ///< {"type": "cuda", "index": 0}
  graph,     ///< {"name": "true_graph_0", "graph": {…}}
  object,    ///< {"name": "obj", "class_fqn": "…"}
  complex,   ///< {"real": 0.0, "imag": 1.0}
  integers,  ///< [1, 2]
  reals,     ///< [0.5, 2.0]
  list,      ///< values of another kind
  named,     ///< {"key": ARGUMENT, …}
};

// X(enumerator, variant of the union, form, kind of the elements of a list)
#define TESSERA_PT2_ARGUMENT_KINDS(X)                                                              \
  X(none, "as_none", none, none)                                                                   \
  X(tensor, "as_tensor", value, none)                                                              \
  X(tensors, "as_tensors", list, tensor)                                                           \
  X(integer, "as_int", integer, none)                                                              \
  X(integers, "as_ints", integers, none)                                                           \
  X(real, "as_float", real, none)                                                                  \
  X(reals, "as_floats", reals, none)                                                               \
  X(string, "as_string", text, none)                                                               \
  X(strings, "as_strings", list, string)                                                           \
  X(sym_int, "as_sym_int", symbol, none)                                                           \
  X(sym_ints, "as_sym_ints", list, sym_int)                                                        \
  X(scalar_type, "as_scalar_type", integer, none)                                                  \
  X(memory_format, "as_memory_format", integer, none)                                              \
  X(layout, "as_layout", integer, none)                                                            \
  X(device, "as_device", device, none)                                                             \
  X(boolean, "as_bool", boolean, none)                                                             \
  X(booleans, "as_bools", list, boolean)                                                           \
  X(sym_bool, "as_sym_bool", symbol, none)                                                         \
  X(sym_bools, "as_sym_bools", list, sym_bool)                                                     \
  X(graph, "as_graph", graph, none)                                                                \
  X(optional_tensors, "as_optional_tensors", list, optional_tensor)                                \
  X(custom_object, "as_custom_obj", object, none)                                                  \
  X(operation, "as_operator", text, none)                                                          \
  X(sym_float, "as_sym_float", symbol, none)                                                       \
  X(sym_floats, "as_sym_floats", list, sym_float)                                                  \
  X(optional_tensor, "as_optional_tensor", optional, none)                                         \
  X(complex, "as_complex", complex, none)                                                          \
  X(nested_tensors, "as_nested_tensors", list, tensors)                                            \
  X(integer_lists, "as_int_lists", list, integers)                                                 \
  X(named_arguments, "as_string_to_argument", named, none)                                         \
  X(real_lists, "as_float_lists", list, reals)

/// The kinds of arguments: the variants of the schema's union.
enum class argument_kind : std::uint8_t {
#define TESSERA_X(name, variant, form, element) name,
  TESSERA_PT2_ARGUMENT_KINDS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of kinds.
struct argument_row {
  argument_kind kind;        ///< its enumerator
  std::string_view variant;  ///< "as_tensor"
  argument_form form;        ///< how its value is written
  argument_kind element;     ///< of lists
};
/// The rows of all kinds, by enumerator.
inline constexpr argument_row argument_kinds[] = {
#define TESSERA_X(name, variant, form, element)                                                    \
  {argument_kind::name, variant, argument_form::form, argument_kind::element},
    TESSERA_PT2_ARGUMENT_KINDS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_PT2_ARGUMENT_KINDS
/// The row of a kind.
[[nodiscard]] constexpr const argument_row& info(argument_kind k) noexcept {
  return argument_kinds[static_cast<std::size_t>(k)];
}

// X(enumerator, variant, member with the name of what it is bound to)
#define TESSERA_PT2_INPUT_KINDS(X)                                                                 \
  X(user_input, "user_input", "")                                                                  \
  X(parameter, "parameter", "parameter_name")                                                      \
  X(buffer, "buffer", "buffer_name")                                                               \
  X(tensor_constant, "tensor_constant", "tensor_constant_name")                                    \
  X(custom_object, "custom_obj", "custom_obj_name")                                                \
  X(token, "token", "")                                                                            \
  X(constant_input, "constant_input", "")

#define TESSERA_PT2_OUTPUT_KINDS(X)                                                                \
  X(user_output, "user_output", "")                                                                \
  X(loss_output, "loss_output", "")                                                                \
  X(buffer_mutation, "buffer_mutation", "buffer_name")                                             \
  X(gradient_to_parameter, "gradient_to_parameter", "parameter_name")                              \
  X(gradient_to_user_input, "gradient_to_user_input", "user_input_name")                           \
  X(user_input_mutation, "user_input_mutation", "user_input_name")                                 \
  X(token, "token", "")                                                                            \
  X(parameter_mutation, "parameter_mutation", "parameter_name")

#define TESSERA_X(name, variant, target) name,
/// What an input of the program is.
enum class input_kind : std::uint8_t { TESSERA_PT2_INPUT_KINDS(TESSERA_X) };
/// What is done with an output of the graph.
enum class output_kind : std::uint8_t { TESSERA_PT2_OUTPUT_KINDS(TESSERA_X) };
#undef TESSERA_X
/// A row of the tables of input and output kinds.
struct spec_row {
  std::string_view variant;  ///< "buffer_mutation"
  std::string_view target;   ///< "buffer_name"; empty where it names nothing
};
#define TESSERA_X(name, variant, target) {variant, target},
/// The names of inputs in files, by input_kind.
inline constexpr spec_row input_kinds[] = {TESSERA_PT2_INPUT_KINDS(TESSERA_X)};
/// The names of outputs in files, by output_kind.
inline constexpr spec_row output_kinds[] = {TESSERA_PT2_OUTPUT_KINDS(TESSERA_X)};
#undef TESSERA_X
#undef TESSERA_PT2_INPUT_KINDS
#undef TESSERA_PT2_OUTPUT_KINDS
/// The row of a kind.
[[nodiscard]] constexpr const spec_row& info(input_kind k) noexcept {
  return input_kinds[static_cast<std::size_t>(k)];
}
/// The row of a kind.
[[nodiscard]] constexpr const spec_row& info(output_kind k) noexcept {
  return output_kinds[static_cast<std::size_t>(k)];
}

inline constexpr std::int64_t schema_major = 8;        ///< the schema's version that is written
inline constexpr std::int64_t schema_minor = 20;       ///< the newest that is known
inline constexpr std::int64_t first_schema_major = 7;  ///< of PyTorch 2.5, in flat archives only

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_FORMAT_HPP
