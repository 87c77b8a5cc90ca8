// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The tables of ARK's model: dialects, data types, operations, arguments.
//
//   ark::info(ark::op_type::matmul).name;          // "Matmul"
//   ark::find_op_type("ReduceSum");                // op_type::reduce_sum
//   ark::info(ark::data_type::bf16).bytes;         // 2
//
// Each table is one X-macro, from which the enumeration, the names, the checks of arity and
// arguments, and the fuzz dictionary come. A file's dialect is found from its content:
//
//   dialect  node holds    tensor fields                                              levels
//   d1a      "Ops": […]    Id DataType Buffer Shape Strides Offsets Pads                 6
//   d1b      "Ops": […]    Id DataType Buffer Shape Strides Offsets PaddedShape          6
//   d1c      as d1b, but Matmul has two arguments instead of seven
//   d2       "Ops": […]    Id DataType Shape Strides Offsets PaddedShape Buffer          5
//   d2x      as d2, buffers end with "IsExternal"
//   d3       "Op": {…}     as d2                                                         4
//   d3x      as d3, buffers have "IsExternal" after "Rank"
//
// where `levels` is how many levels of containers the format's own serializer spreads over lines.
//
// Lifetime:   constants.
// Errors:     none; a name that isn't in a table is `unknown`.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_FORMAT_HPP
#define TESSERA_ARK_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../core/bytes.hpp"
#include "../core/text.hpp"
#include "../version.hpp"
#include "detail/operation_rows.hpp"

// X(enumerator, name, levels, nodes hold "Ops", "Buffer" comes third, "Pads", "IsExternal")
#define TESSERA_ARK_DIALECTS(X)                                                                    \
  X(d1a, "D1a", 6, true, true, true, false)                                                        \
  X(d1b, "D1b", 6, true, true, false, false)                                                       \
  X(d1c, "D1c", 6, true, true, false, false)                                                       \
  X(d2, "D2", 5, true, false, false, false)                                                        \
  X(d2x, "D2x", 5, true, false, false, true)                                                       \
  X(d3, "D3", 4, false, false, false, false)                                                       \
  X(d3x, "D3x", 4, false, false, false, true)

// X(enumerator, name, bytes of an element, kind)
#define TESSERA_ARK_DATA_TYPES(X)                                                                  \
  X(fp32, "FP32", 4, floating)                                                                     \
  X(fp16, "FP16", 2, floating)                                                                     \
  X(bf16, "BF16", 2, floating)                                                                     \
  X(int32, "INT32", 4, integer)                                                                    \
  X(uint32, "UINT32", 4, integer)                                                                  \
  X(int8, "INT8", 1, integer)                                                                      \
  X(uint8, "UINT8", 1, integer)                                                                    \
  X(byte, "BYTE", 1, integer)                                                                      \
  X(fp8_e4m3, "FP8_E4M3", 1, fp8)                                                                  \
  X(fp8_e5m2, "FP8_E5M2", 1, fp8)

// X(enumerator, TYPE)
#define TESSERA_ARK_ARGUMENT_TYPES(X)                                                              \
  X(int32, "INT")                                                                                  \
  X(int64, "INT64")                                                                                \
  X(uint64, "UINT64")                                                                              \
  X(uint32, "UINT32")                                                                              \
  X(boolean, "BOOL")                                                                               \
  X(float32, "FLOAT")                                                                              \
  X(dims, "DIMS")                                                                                  \
  X(tensor, "TENSOR")                                                                              \
  X(offset, "OFFSET")

// X(enumerator, name)
#define TESSERA_ARK_ARGUMENT_NAMES(X)                                                              \
  X(axis, "Axis")                                                                                  \
  X(keep_dim, "KeepDim")                                                                           \
  X(factor, "Factor")                                                                              \
  X(value, "Value")                                                                                \
  X(permutation, "Permutation")                                                                    \
  X(transpose_input, "TransposeInput")                                                             \
  X(transpose_other, "TransposeOther")                                                             \
  X(is_input_column_major, "IsInputColumnMajor")                                                   \
  X(is_other_column_major, "IsOtherColumnMajor")                                                   \
  X(input_dim_nc, "InputDimNC")                                                                    \
  X(other_dim_nc, "OtherDimNC")                                                                    \
  X(padded_shape_mnk, "PaddedShapeMNK")                                                            \
  X(shape_mnk, "ShapeMNK")                                                                         \
  X(strides_acdb, "StridesACDB")                                                                   \
  X(scale, "Scale")                                                                                \
  X(flag, "Flag")                                                                                  \
  X(n_peers, "NPeers")                                                                             \
  X(rank, "Rank")                                                                                  \
  X(peer_num, "PeerNum")

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The forms that files have (see the table at the top).
enum class dialect : std::uint8_t {
#define TESSERA_X(name, text, levels, ops, third, pads, external) name,
  TESSERA_ARK_DIALECTS(TESSERA_X)
#undef TESSERA_X
};
/// One row of the table of dialects.
struct dialect_row {
  /// The dialect.
  dialect which;
  std::string_view name;  ///< for options and listings
  std::uint8_t levels;    ///< levels of containers that pretty text spreads over lines
  bool holds_ops;         ///< nodes hold an array "Ops" rather than one "Op"
  bool buffer_third;      ///< a tensor's "Buffer" follows "DataType" rather than being last
  bool pads;              ///< "Pads" in place of "PaddedShape"
  bool external;          ///< buffers have "IsExternal"
};
/// A row per dialect, in the order of the enumeration.
inline constexpr dialect_row dialect_table[] = {
#define TESSERA_X(name, text, levels, ops, third, pads, external)                                  \
  {dialect::name, text, levels, ops, third, pads, external},
    TESSERA_ARK_DIALECTS(TESSERA_X)
#undef TESSERA_X
};
/// The row of a dialect.
[[nodiscard]] constexpr const dialect_row& info(dialect d) noexcept {
  return dialect_table[static_cast<std::size_t>(d)];
}

/// Element types. Integers are two's complement; BYTE is eight bits without a meaning.
enum class data_type : std::uint8_t {
#define TESSERA_X(name, text, bytes, kind) name,
  TESSERA_ARK_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// What the bits of an element mean.
enum class data_kind : std::uint8_t { floating, integer, fp8 };
/// One row of the table of data types.
struct data_type_row {
  /// The type.
  data_type which;
  std::string_view name;  ///< in files: "FP32"
  std::uint8_t bytes;     ///< of an element
  data_kind kind;         ///< what its bits mean
};
/// A row per data type, in the order of the enumeration.
inline constexpr data_type_row data_type_table[] = {
#define TESSERA_X(name, text, bytes, kind) {data_type::name, text, bytes, data_kind::kind},
    TESSERA_ARK_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// The row of a data type.
[[nodiscard]] constexpr const data_type_row& info(data_type t) noexcept {
  return data_type_table[static_cast<std::size_t>(t)];
}

/// Types of operations; `unknown` is any whose name isn't in the table.
enum class op_type : std::uint8_t {
#define TESSERA_X(name, text, kind, reads, writes, results) name,
  TESSERA_ARK_OP_TYPES(TESSERA_X)
#undef TESSERA_X
      unknown
};
/// The shape rules of an operation.
enum class op_kind : std::uint8_t {
  none,    ///< no tensors are made
  view,    ///< the result is another view of the first tensor that is read
  fill,    ///< writes every element, reads nothing
  unary,   ///< element-wise on one tensor, which is broadcast
  binary,  ///< element-wise on two tensors, which are broadcast
  reduce,
  transpose,
  matmul,
  embedding,
  layer_norm,
  kv_cache_slot,
  communication,
  unknown
};
/// One row of the table of operations.
struct op_row {
  /// The type.
  op_type which;
  std::string_view name;               ///< in files: "ScalarAdd"
  op_kind kind;                        ///< its shape rules
  std::int8_t reads, writes, results;  ///< tensors in each list; -1: any number
};
/// A row per type of operation, in the order of the enumeration.
inline constexpr op_row op_table[] = {
#define TESSERA_X(name, text, kind, reads, writes, results)                                        \
  {op_type::name, text, op_kind::kind, reads, writes, results},
    TESSERA_ARK_OP_TYPES(TESSERA_X)
#undef TESSERA_X
        {op_type::unknown, "", op_kind::unknown, -1, -1, -1},
};
/// The row of a type of operation.
[[nodiscard]] constexpr const op_row& info(op_type t) noexcept {
  return op_table[static_cast<std::size_t>(t)];
}
/// Whether the operation only names another view of memory: "IsVirtual".
[[nodiscard]] constexpr bool is_virtual(op_type t) noexcept {
  return info(t).kind == op_kind::view;
}

/// The TYPE of an argument; `other` is a value in no known form, kept verbatim.
enum class argument_type : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ARK_ARGUMENT_TYPES(TESSERA_X)
#undef TESSERA_X
      other
};
/// The TYPEs in files, in the order of the enumeration.
inline constexpr std::string_view argument_type_names[] = {
#define TESSERA_X(name, text) text,
    TESSERA_ARK_ARGUMENT_TYPES(TESSERA_X)
#undef TESSERA_X
        ""};
/// Names of arguments; `other` is any that isn't in the table.
enum class argument_name : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ARK_ARGUMENT_NAMES(TESSERA_X)
#undef TESSERA_X
      other
};
/// The names in files, in the order of the enumeration.
inline constexpr std::string_view argument_names[] = {
#define TESSERA_X(name, text) text,
    TESSERA_ARK_ARGUMENT_NAMES(TESSERA_X)
#undef TESSERA_X
        ""};

/// The arguments of operations, one row each.
/// Whether an operation needs an argument, or has it for older files, or can do without it.
enum class argument_use : std::uint8_t { required, alias, redundant };
/// An argument of an operation.
struct argument_row {
  op_type op;          ///< the operation
  argument_name name;  ///< the argument's name
  argument_type type;  ///< of its value
  argument_use use;    ///< whether it has to be there
};
/// A row per operation and argument.
inline constexpr argument_row argument_table[] = {
#define TESSERA_X(op, name, type, use)                                                             \
  {op_type::op, argument_name::name, argument_type::type, argument_use::use},
    TESSERA_ARK_ARGUMENTS(TESSERA_X)
#undef TESSERA_X
};

namespace detail {
template <class Rows>
[[nodiscard]] constexpr std::size_t find_name(const Rows& rows, std::string_view name) noexcept {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].name == name) return i;
  return std::size(rows);
}
template <std::size_t Size>
[[nodiscard]] constexpr std::size_t find_text(const std::string_view (&names)[Size],
                                              std::string_view name) noexcept {
  for (std::size_t i = 0; i + 1 < Size; ++i)
    if (names[i] == name) return i;
  return Size - 1;
}
}  // namespace detail

/// By its name in files; `unknown` when there is none.
[[nodiscard]] constexpr op_type find_op_type(std::string_view name) noexcept {
  const std::size_t i = detail::find_name(op_table, name);
  return i < std::size(op_table) && !name.empty() ? static_cast<op_type>(i) : op_type::unknown;
}
/// By its name in files; false when there is none.
[[nodiscard]] constexpr bool find_data_type(std::string_view name, data_type& out) noexcept {
  const std::size_t i = detail::find_name(data_type_table, name);
  if (i == std::size(data_type_table)) return false;
  return out = static_cast<data_type>(i), true;
}
/// By its name in files; `other` when there is none.
[[nodiscard]] constexpr argument_type find_argument_type(std::string_view name) noexcept {
  return static_cast<argument_type>(detail::find_text(argument_type_names, name));
}
/// By its name in files; `other` when there is none.
[[nodiscard]] constexpr argument_name find_argument_name(std::string_view name) noexcept {
  return static_cast<argument_name>(detail::find_text(argument_names, name));
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ARK_DIALECTS
#undef TESSERA_ARK_DATA_TYPES
#undef TESSERA_ARK_OP_TYPES
#undef TESSERA_ARK_ARGUMENT_TYPES
#undef TESSERA_ARK_ARGUMENT_NAMES
#undef TESSERA_ARK_ARGUMENTS

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)
#include "detail/errors.hpp"
#endif

#endif  // TESSERA_ARK_FORMAT_HPP
