// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.9.0: tessera/genome.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/genome.hpp
//
// NAC v1.2: networks as streams of nodes, the registry that gives their ids a meaning, and the
// patterns (genes) that compress them.
//
//   auto registry = tessera::genome::read_registry(json);          // registry.json
//   if (!registry) return fail(describe(registry.error(), json));
//   auto library = tessera::genome::verify(std::move(*registry));  // what patterns expand to
//   auto stream = tessera::genome::read_base64(text);              // or read, of bytes
//   auto program = tessera::genome::verify(std::move(*stream), *library);
//   auto flat = tessera::genome::expand(*program);                 // without patterns and copies
//   std::cout << tessera::genome::print(*program);
//
//   read, read_base64      node streams                            genome/read.hpp
//   read_registry          registry.json                           genome/read_registry.hpp
//   verify                 a registry, then streams over it        genome/verify.hpp
//   expand, compress       to a flat graph and back                genome/expand.hpp, compress.hpp
//   write, write_base64, write_registry                            genome/write.hpp, write_registry.hpp
//   print                  a human-readable listing                genome/print.hpp
//   describe               an error with its place                 core/describe.hpp
//
// Lifetime:   streams and registries own themselves; a program borrows its library.
// Errors:     values; codes, with their offsets and messages, are in core/error_table_genome.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: stated in each header.


// ---- tessera/version.hpp
//
// The version of Tessera, once (CMake reads it from here), and the two modes.
//
//   header-only  the default: every definition is inline
//   compiled     TESSERA_COMPILED is defined for every file of the program: headers declare, and
//                definitions are compiled once. Link the CMake target tessera::compiled, or define
//                TESSERA_IMPLEMENTATION too in one source file that includes what the others use.
//
// Everything lives in `tessera::inline TESSERA_ABI`, which differs by version and mode: two of them
// linked into one program keep apart. In one translation unit they cannot, so that is an error; the
// checks are outside the guard because a guard would skip them exactly when they matter.

#if defined(TESSERA_VERSION) && TESSERA_VERSION != 900
#error "two versions of Tessera are included in one translation unit"
#endif
#if defined(TESSERA_VERSION_HPP) && defined(TESSERA_COMPILED) != TESSERA_IS_COMPILED
#error "TESSERA_COMPILED must be defined before the first header of Tessera"
#endif
#if defined(TESSERA_IMPLEMENTATION) && !defined(TESSERA_COMPILED)
#error "TESSERA_IMPLEMENTATION without TESSERA_COMPILED: define the latter for the whole program"
#endif

#ifndef TESSERA_VERSION_HPP
#define TESSERA_VERSION_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Tessera needs C++20 (-std=c++20)"
#elif !defined(__GNUC__)
#error "Tessera needs GCC 12, Clang 14, or a compiler that has their builtins"
#elif defined(__clang__) && __clang_major__ < 14
#error "Tessera needs Clang 14 or later"
#elif !defined(__clang__) && __GNUC__ < 12
#error "Tessera needs GCC 12 or later"
#endif

#define TESSERA_VERSION 900  // major * 10000 + minor * 100 + patch
#define TESSERA_VERSION_STRING "0.9.0"

// TESSERA_ABI: the namespace of every entity. TESSERA_INLINE: before a definition that an interface
// declares.
#ifdef TESSERA_COMPILED
#define TESSERA_IS_COMPILED 1
#define TESSERA_ABI v0_9_0_compiled
#define TESSERA_INLINE
#else
#define TESSERA_IS_COMPILED 0
#define TESSERA_ABI v0_9_0
#define TESSERA_INLINE inline
#endif

#endif  // TESSERA_VERSION_HPP

#ifndef TESSERA_GENOME_HPP
#define TESSERA_GENOME_HPP


// ---- tessera/core/describe.hpp
//
// Errors as text, with their place in the source.
//
//   model.json:1:48: error: unknown opcode: expected -2 to 10, or 11 in versions 3 and 4
//     [alir_opcode] at $.model[5][3][2], offset 47
//     [[0,-1,-1,0,[-8.0,7.5,0.5],0.0,0.0],[0,1,12,-1,[-8.0,9.0,0.5],1.0,6.0]]
//                                              ^
//
//   program.bc: error: the bytecode ends before its last field
//     [alir_bytecode_truncated] at offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// A model built in code has no source to show; the element is named instead:
//
//   describe(alir::verify(std::move(model)).error(), "")
//   // <input>: error: id0 must refer to an earlier operation
//   //   [alir_id0] at operation 2
//
// Lifetime:   the returned text owns its characters.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 columns of a line are shown.
// Allocation: the text, and what json::reader needs to find a path.

#ifndef TESSERA_CORE_DESCRIBE_HPP
#define TESSERA_CORE_DESCRIBE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/bytes.hpp
//
// Bytes of files: borrowed views, and the same memory viewed as text.
//
//   tessera::bytes in = tessera::as_bytes(source);
//   auto n = tessera::load_le<std::uint32_t>(in.data() + 8);        // core/load_store.hpp
//
// Nothing in Tessera lays a struct over a file: values are copied out with memcpy, so alignment
// and the byte order of the host don't matter.
//
// Lifetime:   `bytes` borrows.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_BYTES_HPP
#define TESSERA_CORE_BYTES_HPP

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>


// ---- tessera/core/load_store.hpp
//
// Numbers in memory: little-endian loads and stores of any alignment, and checked arithmetic.
//
//   auto length = tessera::load_le<std::uint32_t>(data.data() + 4);
//   tessera::store_le(out, std::int64_t{-1});
//   if (!checked_add(offset, size, end)) return too_large;
//
// Lifetime:   values.
// Errors:     none: the caller ensures that there are enough bytes.
// Limits:     none.
// Allocation: none, except for the growth of a pool.

#ifndef TESSERA_CORE_LOAD_STORE_HPP
#define TESSERA_CORE_LOAD_STORE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {
namespace detail {

template <std::size_t Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};

template <class T>
[[nodiscard]] constexpr T byte_swapped(T v) noexcept {
  T out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out = static_cast<T>(static_cast<std::uint64_t>(out) << 8 | (v & 0xffu));
    v = static_cast<T>(static_cast<std::uint64_t>(v) >> 8);
  }
  return out;
}

}  // namespace detail

/// A little-endian integer or float at `from`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
[[nodiscard]] inline T load_le(const void* from) noexcept {
  typename detail::unsigned_of_size<sizeof(T)>::type raw;
  std::memcpy(&raw, from, sizeof raw);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  return std::bit_cast<T>(raw);
}

/// Writes `value` little-endian to `to`, which needs no alignment. `sizeof(T)` bytes.
template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
inline void store_le(void* to, T value) noexcept {
  auto raw = std::bit_cast<typename detail::unsigned_of_size<sizeof(T)>::type>(value);
  if constexpr (std::endian::native == std::endian::big) raw = detail::byte_swapped(raw);
  std::memcpy(to, &raw, sizeof raw);
}

/// Appends `value` little-endian to a pool of bytes.
template <class Pool, class T>
inline void append_le(Pool& to, T value) {
  std::byte raw[sizeof(T)];
  store_le(raw, value);
  to.append(raw, sizeof raw);
}

/// A number as std::size_t; a larger one loses its upper bits.
[[nodiscard]] constexpr std::size_t to_size(std::uint64_t n) noexcept { return n & SIZE_MAX; }

/// `out = a + b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_add(T a, T b, T& out) noexcept {
  return !__builtin_add_overflow(a, b, &out);
}

/// `out = a * b`; false, and `out` unspecified, when that doesn't fit.
template <class T>
[[nodiscard]] constexpr bool checked_mul(T a, T b, T& out) noexcept {
  return !__builtin_mul_overflow(a, b, &out);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LOAD_STORE_HPP

namespace tessera::inline TESSERA_ABI {

/// Borrowed bytes.
using bytes = std::span<const std::byte>;

/// A temporary owner of bytes: a view of it would dangle.
template <class Owner>
concept temporary_bytes =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, bytes> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, bytes> &&
    !std::ranges::enable_borrowed_range<std::remove_cvref_t<Owner>>;

/// The same for text: a temporary std::string, but not a view or a literal.
template <class Owner>
concept temporary_text =
    !std::is_lvalue_reference_v<Owner> && std::is_convertible_v<const Owner&, std::string_view> &&
    !std::is_same_v<std::remove_cvref_t<Owner>, std::string_view> &&
    !std::is_pointer_v<std::remove_cvref_t<Owner>>;

/// The same memory viewed as bytes or as text.
[[nodiscard]] inline bytes as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
/// The same bytes as characters. Borrows.
[[nodiscard]] inline std::string_view as_text(bytes b) noexcept {
  return {reinterpret_cast<const char*>(b.data()), b.size()};
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_BYTES_HPP

// ---- tessera/core/error.hpp
//
// The error value that every reader, verifier and writer returns, and its tables of messages.
//
//   tessera::error e{tessera::errc::json_depth, 64};
//   e.message();  // "containers are nested deeper than limits::max_depth"
//   e.name();     // "json_depth"
//
// One code per check: programs switch on the code, tests pin code and offset, and the same input
// gives the same pair on every platform. A message states what was expected; `describe` (see
// describe.hpp) adds values, line, column, path and a caret from the source.
//
//   range         owner
//      1 -   99   bytes, limits, files
//    100 -  199   JSON text
//   1000 - 1999   ALIR
//   2000 - 2999   ARK; most are its rules: ark_g06_cycle is rule G06
//   3000 - 3999   NAC
//   4000 - 4999   NEM; its rules: nem_con_001_duplicate is rule CON-001
//   5000 - 5999   NAC v1.2: genome
//   6000 - 6999   PT2
//
// The codes of all formats are here. Names and messages come with the format: a program that
// neither includes nor links nac.hpp doesn't contain NAC's, and reports its codes as "unknown".
//
// Lifetime:   messages and names are constants.

#ifndef TESSERA_CORE_ERROR_HPP
#define TESSERA_CORE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/error_table.hpp
//
// All codes of errors with their values and messages, which core/error.hpp makes an enumeration of.
//
//   #define X(name, value, message) …
//   TESSERA_ERRORS(X)
//
// Undefine TESSERA_ERRORS after use.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_HPP
#define TESSERA_CORE_ERROR_TABLE_HPP


// ---- tessera/core/error_table_alir.hpp
//
// The errors of ALIR. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_ALIR_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_ALIR_HPP
#define TESSERA_CORE_ERROR_TABLE_ALIR_HPP

// X(enumerator, value, what was expected)
#define TESSERA_ALIR_ERRORS(X)                                                                     \
  X(alir_version_1, 1000, "ALIR versions 0 and 1 (DAIS) are not supported: expected 2, 3 or 4")    \
  X(alir_version_unknown, 1001, "unknown ALIR spec_version: expected 2, 3 or 4")                   \
  X(alir_meta, 1002, "expected meta to be \"ALIRModel\" or \"DAISModel\"")                         \
  X(alir_missing_meta, 1003, "expected a member \"meta\"")                                         \
  X(alir_missing_version, 1004, "expected a member \"spec_version\"")                              \
  X(alir_missing_model, 1005, "expected a member \"model\"")                                       \
  X(alir_model_fields, 1006, "expected a model array of 8 or 9 elements")                          \
  X(alir_operation_fields, 1007,                                                                   \
    "expected 7 fields in an operation (spec_version 2) or 6 (3 and 4)")                           \
  X(alir_operation_form, 1008,                                                                     \
    "the operation's fields don't match spec_version: 7 fields in version 2, 6 in 3 and 4")        \
  X(alir_opcode, 1009, "unknown opcode: expected -2 to 10, or 11 in versions 3 and 4")             \
  X(alir_addresses, 1010,                                                                          \
    "wrong number of addresses: expected 0 for input and constant, 3 for mux, 2 for add, "         \
    "subtract, multiply and bit_binary, any for a sum, 1 for other opcodes")                       \
  X(alir_data, 1011,                                                                               \
    "wrong number of data values: expected 0 for negate, relu, multiply and a quantize of "        \
    "version 3, 2 for add_constant, bit_binary and a lookup in bytecode, 2 per term for a sum, 1 " \
    "for other opcodes")                                                                           \
  X(alir_sum_sign, 1012, "expected a sign of 0 (minus) or 1 (plus)")                               \
  X(alir_number_precision, 1013, "expected an integer below 2^53, which a double holds exactly")   \
  X(alir_table_values, 1014, "expected a lookup table with a member \"table\"")                    \
  X(alir_table_spec, 1015, "expected a table spec with hash, out_qint and inp_width")              \
  X(alir_table_interval, 1016, "expected an interval with min, max and step")                      \
                                                                                                   \
  X(alir_bytecode_alignment, 1030,                                                                 \
    "the length is not a multiple of 4 bytes: expected 32-bit words")                              \
  X(alir_bytecode_truncated, 1031, "the bytecode ends before its last field")                      \
  X(alir_bytecode_trailing, 1032, "bytes after the last field; expected the end of the bytecode")  \
  X(alir_bytecode_count, 1033,                                                                     \
    "the count is negative or exceeds what the remaining bytes can hold")                          \
  X(alir_bytecode_flag, 1034, "expected a flag of 0 or 1")                                         \
  X(alir_bytecode_type, 1035,                                                                      \
    "invalid type; expected integer and fraction bits from -1000 to 1000, in all 0 to 64 bits, "   \
    "with bounds that a double can hold")                                                          \
  X(alir_bytecode_pad, 1036, "the table pad is out of range for the operand's type")               \
  X(alir_bytecode_pad_conflict, 1037, "all lookups of one operand must have the same table pad")   \
                                                                                                   \
  X(alir_shape, 1050, "expected two counts, each 0 to 2^31 - 1")                                   \
  X(alir_inp_shifts_count, 1051, "expected as many inp_shifts as inputs")                          \
  X(alir_out_idxs_count, 1052, "expected as many out_idxs as outputs")                             \
  X(alir_out_shifts_count, 1053, "expected as many out_shifts as outputs")                         \
  X(alir_out_negs_count, 1054, "expected as many out_negs as outputs")                             \
  X(alir_output_index, 1055, "an output must be -1 or the index of an operation")                  \
  X(alir_input_index, 1056, "no such input; expected an index from 0 to the number of inputs - 1") \
  X(alir_id0, 1057, "id0 must refer to an earlier operation")                                      \
  X(alir_id1, 1058, "id1 must refer to an earlier operation")                                      \
  X(alir_condition, 1059, "the condition must refer to an earlier operation")                      \
  X(alir_unused_id0, 1060, "id0 is not used by this opcode and must be -1")                        \
  X(alir_unused_id1, 1061, "id1 is not used by this opcode and must be -1")                        \
  X(alir_interval, 1062, "expected finite bounds with min <= max")                                 \
  X(alir_step, 1063, "the step must be a power of two from 2^-126 to 2^127")                       \
  X(alir_width, 1064, "the type is wider than 63 bits unsigned or 64 bits signed")                 \
  X(alir_shift, 1065, "the operation would shift by more than 63 bits")                            \
  X(alir_mux_alignment, 1066, "only one operand of a mux may need a shift, but both do")           \
  X(alir_table_index, 1067,                                                                        \
    "no such lookup table; expected an index from 0 to the number of tables - 1")                  \
  X(alir_table_empty, 1068,                                                                        \
    "expected a lookup table of at least one entry, none of them shared with another table")       \
  X(alir_sub_operation, 1069, "expected a sub-operation of 0, 1 or 2")                             \
  X(alir_sum_terms, 1070,                                                                          \
    "expected a sum of at least two terms, not shared with another sum, each an earlier "          \
    "operation")                                                                                   \
  X(alir_table_base, 1071, "the operand's interval starts at an index outside the range of int32") \
  X(alir_unused_shift, 1072, "shift is not used by this opcode and must be 0")                     \
                                                                                                   \
  X(alir_not_version_2, 1080, "spec_version 2 can't express this operation")                       \
  X(alir_not_finite, 1081, "JSON can't express a number that is not finite")                       \
  X(alir_bytecode_range, 1082, "the value does not fit its field of the bytecode")                 \
  X(alir_not_version_3, 1083, "spec_version 3 can't express this operation")                       \
                                                                                                   \
  X(alir_lookup_range, 1090, "the value is outside the range of the lookup table")                 \
                                                                                                   \
  X(alir_overflow, 1100, "values lie outside the declared interval")                               \
  X(alir_table_short, 1101, "the lookup table has no entries for some values of its operand")      \
  X(alir_dead_operation, 1102, "no output needs the operation")                                    \
  X(alir_duplicate_operation, 1103, "an earlier operation computes the same")                      \
  X(alir_constant_output, 1104, "the output is the same for all inputs")                           \
  X(alir_shifted_out, 1105, "all bits of an operand are shifted out")                              \
  X(alir_latency_order, 1106, "the latency is less than that of an operand")                       \
  X(alir_negative_cost, 1107, "the latency or the cost is negative")                               \
                                                                                                   \
  X(alir_pipeline_form, 1120,                                                                      \
    "expected a pipeline: an object with meta \"ALIRFSM\", or an array of blocks")                 \
  X(alir_fsm_version, 1121, "expected spec_version 4, the only one of ALIRFSM files")              \
  X(alir_fsm_member, 1122,                                                                         \
    "expected the members \"logic\", \"conns\" and \"signal_order\" of \"fsm\"")                   \
  X(alir_fsm_signal, 1123,                                                                         \
    "expected a signal of 11 fields: name, exposed, types, rst_if, rst_to, reg, schedule, mode, "  \
    "attributes, view and index")                                                                  \
  X(alir_fsm_connection, 1124, "expected a connection with the members \"src\" and \"dst\"")       \
  X(alir_fsm_not_pipeline, 1125,                                                                   \
    "a state machine that is no pipeline: resets, enables, alternative sources, attributes and "   \
    "views of part of a signal are not supported")                                                 \
  X(alir_fsm_chain, 1126,                                                                          \
    "the connections must be one chain: input, blocks with a register between them, output")       \
  X(alir_fsm_type, 1127, "the signal's types must be those of the block's inputs or outputs")      \
  X(alir_fsm_schedule, 1128,                                                                       \
    "expected a schedule of one sample per cycle, delayed by the registers before the signal")     \
  X(alir_pipeline_stages, 1129, "expected a pipeline of at least one block")                       \
  X(alir_stage_inputs, 1130,                                                                       \
    "a block must have as many inputs as the block before it has outputs")                         \
  X(alir_fsm_order, 1131, "expected signal_order to name each signal of the connections once")

#endif  // TESSERA_CORE_ERROR_TABLE_ALIR_HPP

// ---- tessera/core/error_table_ark.hpp
//
// The errors of ARK. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_ARK_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_ARK_HPP
#define TESSERA_CORE_ERROR_TABLE_ARK_HPP

// X(enumerator, value, message)
#define TESSERA_ARK_ERRORS(X)                                                                      \
  X(ark_s01_root, 2001, "the root of a model is not an object")                                    \
  X(ark_s02_root_member, 2002, "missing member of the root; expected Rank, WorldSize and Nodes")   \
  X(ark_s03_world, 2003, "expected integers with WorldSize >= 1 and 0 <= Rank < WorldSize")        \
  X(ark_s04_nodes, 2004, "expected Nodes as an array of objects")                                  \
  X(ark_s05_node_member, 2005,                                                                     \
    "expected a node with Id (an integer), ProducerNodeIds and ConsumerNodeIds (arrays of "        \
    "integers)")                                                                                   \
  X(ark_s06_op_or_ops, 2006,                                                                       \
    "a node has neither Op nor Ops, both, or another one than the nodes before; expected Op (an "  \
    "object) in every node, or Ops (an array) in every node")                                      \
  X(ark_s07_no_ops, 2007, "expected at least one operation")                                       \
  X(ark_s08_op_member, 2008,                                                                       \
    "expected an operation with Type and Name (strings), IsVirtual (a boolean), ReadTensors, "     \
    "WriteTensors and ResultTensors (arrays) and Args (an object)")                                \
  X(ark_s09_tensor_member, 2009,                                                                   \
    "expected a tensor with Id (an integer), DataType (a string), Shape, Strides, Offsets, "       \
    "PaddedShape or Pads (arrays of integers) and Buffer (an object)")                             \
  X(ark_s10_buffer_member, 2010,                                                                   \
    "expected a buffer with Id and Rank (integers), SendTags and RecvTags (arrays) and, "          \
    "optionally, IsExternal (a boolean)")                                                          \
  X(ark_s12_unknown_member, 2012, "unknown member")                                                \
  X(ark_s13_integer, 2013, "expected an integer; Ids are at least 0")                              \
  X(ark_g01_node_id, 2021, "duplicate node Id")                                                    \
  X(ark_g02_node_index, 2022, "a node's Id differs from its index in Nodes")                       \
  X(ark_g03_edge_target, 2023, "expected the Id of a node in this file")                           \
  X(ark_g04_edge_mirror, 2024, "only one of its two nodes lists the edge")                         \
  X(ark_g05_self_edge, 2025, "a node lists itself as producer or consumer")                        \
  X(ark_g06_cycle, 2026, "dependency cycle")                                                       \
  X(ark_g07_order, 2027, "node precedes one of its producers")                                     \
  X(ark_g08_repeated_edge, 2028, "the edge is listed twice")                                       \
  X(ark_g09_missing_edge, 2029, "a node uses a result and does not list its producer")             \
  X(ark_g10_second_producer, 2030, "a tensor is the result of more than one operation")            \
  X(ark_g12_own_result, 2032, "an operation reads or writes its own result")                       \
  X(ark_g13_use_before_result, 2033, "the tensor is used before the operation that makes it")      \
  X(ark_g14_unordered_access, 2034, "no dependency orders conflicting accesses to the same bytes") \
  X(ark_t01_rank, 2041,                                                                            \
    "wrong number of dimensions; expected 1 to 4, the same number in Shape, Strides, Offsets and " \
    "PaddedShape")                                                                                 \
  X(ark_t02_dimension, 2042, "expected dimensions of at least 1")                                  \
  X(ark_t03_offset, 2043, "expected offsets of at least 0")                                        \
  X(ark_t04_padding, 2044, "PaddedShape is smaller than Shape")                                    \
  X(ark_t05_strides, 2045, "Strides are smaller than Offsets + PaddedShape")                       \
  X(ark_t06_data_type, 2046,                                                                       \
    "unknown DataType; expected FP32, FP16, BF16, INT32, UINT32, INT8, UINT8, BYTE, FP8_E4M3 or "  \
    "FP8_E5M2")                                                                                    \
  X(ark_t07_size, 2047, "expected a tensor of fewer than 2^63 bytes")                              \
  X(ark_t08_tensor_differs, 2048, "two descriptions of one tensor Id differ")                      \
  X(ark_b01_buffer_differs, 2051,                                                                  \
    "two descriptions of one buffer Id differ in Rank, tags or IsExternal")                        \
  X(ark_b02_buffer_rank, 2052, "expected -1 or a rank below WorldSize as a buffer's Rank")         \
  X(ark_b03_tags, 2053,                                                                            \
    "malformed tags; expected pairs [RemoteRank, Tag] of 32-bit integers, ascending and unique")   \
  X(ark_b04_tag_rank, 2054,                                                                        \
    "expected another rank in a local buffer's tags, and -1 or this file's rank in a remote "      \
    "one's")                                                                                       \
  X(ark_b05_tag_reused, 2055, "two buffers have the same tag for one rank")                        \
  X(ark_o01_type, 2061, "unknown operation Type")                                                  \
  X(ark_o02_virtual, 2062,                                                                         \
    "expected IsVirtual to be true for Tensor, Placeholder and Reshape only")                      \
  X(ark_o03_arity, 2063, "wrong number of tensors for the operation")                              \
  X(ark_o04_argument, 2064,                                                                        \
    "the arguments don't match the operation's Type: one is missing, unknown or of another TYPE")  \
  X(ark_o05_argument_form, 2065,                                                                   \
    "malformed argument; expected {TYPE: value} with a TYPE of INT, INT64, UINT64, UINT32, BOOL, " \
    "FLOAT, DIMS, TENSOR or OFFSET and a value in its range")                                      \
  X(ark_o06_data_types, 2066, "the operation does not take these DataTypes")                       \
  X(ark_o07_shape, 2067, "the shapes do not broadcast to that of the output")                      \
  X(ark_o08_result_view, 2068, "the result is a different view than the output tensor")            \
  X(ark_o09_view_buffer, 2069, "a view is in a different buffer than its tensor")                  \
  X(ark_o10_reduction, 2070,                                                                       \
    "expected an Axis of the tensor, and a result that is reduced along it")                       \
  X(ark_o11_permutation, 2071,                                                                     \
    "expected a permutation of the axes, and a result with Shape[i] = input "                      \
    "Shape[Permutation[i]]")                                                                       \
  X(ark_o12_matmul, 2072, "the shapes do not fit a matrix multiplication")                         \
  X(ark_o13_embedding, 2073,                                                                       \
    "expected indices of up to 3 dimensions, a table of 2, and rows of the table as result")       \
  X(ark_o14_overlap, 2074, "an input overlaps the output")                                         \
  X(ark_o15_rope, 2075, "expected an even last dimension that is not broadcast")                   \
  X(ark_c01_send, 2081, "expected a send from a local buffer to a remote one with a common tag")   \
  X(ark_c02_recv, 2082,                                                                            \
    "expected a receive from a remote buffer into a local one with a common tag")                  \
  X(ark_c03_packet, 2083,                                                                          \
    "expected packet buffers of UINT8 of twice the payload, and as many elements sent as "         \
    "received")                                                                                    \
  X(ark_c04_peers, 2084, "NPeers, Rank, the scratch buffer and the order of peers disagree")       \
  X(ark_c05_sync, 2085, "expected the file's Rank, and WorldSize - 1 as PeerNum")                  \
  X(ark_c06_single, 2086, "a model of a single rank has a communication operation")                \
  X(ark_c07_remote, 2087, "compute operations require local buffers")                              \
  X(ark_m01_ranks, 2091, "expected one file for each rank, all with the same WorldSize")           \
  X(ark_m02_owner, 2092,                                                                           \
    "a remote buffer's RecvTags do not match exactly one buffer of its owner")                     \
  X(ark_m03_label, 2093, "a remote buffer's SendTags do not match one buffer of its owner")        \
  X(ark_m04_partner, 2094, "no buffer of the other rank has the tag")                              \
  X(ark_m05_size, 2095, "a remote buffer is larger than its owner's buffer")                       \
  X(ark_m06_transfer, 2096, "a send and its receive differ in DataType or number of elements")     \
  X(ark_m07_count, 2097, "expected as many sends as receives of each tag")                         \
  X(ark_m08_deadlock, 2098, "deadlock: the ranks wait for each other")                             \
  X(ark_m09_syncs, 2099, "expected the same number of DeviceSyncs on every rank")                  \
  X(ark_dialect, 2110,                                                                             \
    "the dialect can't express the model: D3 has one operation per node, D1a has no padding, and " \
    "only D2x and D3x have IsExternal")                                                            \
  X(ark_not_finite, 2111, "expected a finite FLOAT; JSON has no infinities and NaNs")              \
  X(ark_too_large, 2112,                                                                           \
    "the model has more elements than 32-bit indices can number, or an index outside its list")    \
  X(ark_unsupported, 2113, "the machine does not support this operation or DataType")              \
  X(ark_division, 2114, "the operation divides an integer by zero")                                \
  X(ark_index, 2115, "index outside the rows of the table")                                        \
  X(ark_pool_index, 2116,                                                                          \
    "invalid model: an index is outside its pool, or an enumerator is unknown")                    \
  X(ark_plan_member, 2121,                                                                         \
    "a member of the plan is missing or not of its type, or a number in it is out of range")       \
  X(ark_plan_architecture, 2122, "expected ANY, CUDA or ROCM with a known version")                \
  X(ark_plan_range, 2123,                                                                          \
    "expected a range [begin, end] or [begin, end, step] with 0 <= begin <= end")                  \
  X(ark_plan_parent, 2124, "a range exceeds that of its parent")                                   \
  X(ark_plan_task, 2125, "duplicate or unknown task Id")                                           \
  X(ark_plan_tiles, 2126, "the task groups do not cover each tile of the task exactly once")       \
  X(ark_plan_resources, 2127, "a task needs more warps or memory than its resource group has")     \
  X(ark_plan_config, 2128,                                                                         \
    "malformed Config; expected an object with NumWarps, SramBytes and NumTasks, integers of at "  \
    "least 0, for each operation")                                                                 \
  X(ark_plan_model, 2129, "the operations of the plan and its model differ")                       \
  X(ark_to_nac_operation, 2140, "NAC has no form for this operation")                              \
  X(ark_to_nac_type, 2141, "NAC has no code for this data type")                                   \
  X(ark_to_nac_memory, 2142, "NAC has no form for this use of memory")                             \
  X(ark_to_nac_limit, 2143, "more instructions or names than a NAC container can number")

#endif  // TESSERA_CORE_ERROR_TABLE_ARK_HPP

// ---- tessera/core/error_table_genome.hpp
//
// The codes of NAC v1.2, a part of the table in error_table.hpp.
//
//   TESSERA_GENOME_ERRORS(X)
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_GENOME_HPP
#define TESSERA_CORE_ERROR_TABLE_GENOME_HPP

// X(enumerator, value, what was expected)
#define TESSERA_GENOME_ERRORS(X)                                                                   \
  X(genome_node_truncated, 5000,                                                                   \
    "the stream ends inside a node: expected 5 bytes and 2 for each input")                        \
  X(genome_base64_character, 5001, "expected a base64 character: A-Z, a-z, 0-9, + or /")           \
  X(genome_base64_end, 5002, "expected base64 in groups of 4, padded with = and zero bits")        \
                                                                                                   \
  X(genome_registry_member, 5010,                                                                  \
    "unknown member of the registry; expected one of its eleven maps, such as "                    \
    "canonical_to_index, patterns or rules")                                                       \
  X(genome_registry_key, 5011, "expected an id as the key: a decimal number from 0 to 65535")      \
  X(genome_registry_id, 5012, "expected an id from 0 to 65535")                                    \
  X(genome_constant_member, 5013, "expected a constant with a type and a value")                   \
  X(genome_rule_member, 5014,                                                                      \
    "malformed rule; expected probability, count, b64_repr and, optionally, exceptions in a "      \
    "transition, or count elsewhere")                                                              \
  X(genome_rule_probability, 5015, "expected a probability from 0 to 1, as a string or a number")  \
                                                                                                   \
  X(genome_id_range, 5020, "the id is outside the range of the node field that holds it")          \
  X(genome_id_repeated, 5021, "duplicate id in this map")                                          \
  X(genome_name_repeated, 5022, "duplicate name in this map")                                      \
  X(genome_maps_differ, 5023, "forward and reverse maps disagree")                                 \
  X(genome_special_name, 5024, "ids 0 to 9 are reserved for the commands, under their own names")  \
  X(genome_variation_form, 5025, "expected a variation such as \"in0,in1\"")                       \
  X(genome_group_form, 5026, "expected a group such as \"arg1=10;dim=11\", its keys ascending")    \
  X(genome_group_constant, 5027, "the group refers to a constant that is not in the registry")     \
  X(genome_constant_type, 5028, "unknown type of constant")                                        \
  X(genome_constant_value, 5029, "the value does not match the constant's type")                   \
  X(genome_pattern_empty, 5030, "a pattern must have at least one node")                           \
  X(genome_pattern_absolute, 5031, "references inside a pattern must be relative: below 0")        \
  X(genome_pattern_recursion, 5032, "the pattern contains itself")                                 \
  X(genome_pattern_size, 5033, "the pattern expands to more than limits::max_items nodes")         \
  X(genome_pattern_command, 5034, "a pattern can't contain an INPUT, OUTPUT or PAD of a graph")    \
  X(genome_pattern_order, 5035,                                                                    \
    "the pattern refers to a node before the start of the graph, or to one without a result")      \
                                                                                                   \
  X(genome_command, 5040,                                                                          \
    "A is reserved; expected 1 to 8 (a command) or 10 to 255 (an operation)")                      \
  X(genome_operation_unknown, 5041, "the registry has no operation with the node's id")            \
  X(genome_variation_unknown, 5042, "the registry has no variation with the node's id")            \
  X(genome_constant_unknown, 5043, "the registry has no constant with the node's id")              \
  X(genome_group_unknown, 5044, "the registry has no constant group with the node's id")           \
  X(genome_parameter_unknown, 5045, "the registry has no parameter with the node's id")            \
  X(genome_pattern_unknown, 5046, "the registry has no pattern with the node's id")                \
  X(genome_special_form, 5047,                                                                     \
    "malformed command; expected B = 1 and C = 0 (in a PATTERN, the low byte of C), and inputs "   \
    "only in an OUTPUT")                                                                           \
  X(genome_copy_form, 5048,                                                                        \
    "malformed COPY; expected a count C of at least 1, and nodes without inputs: their A in B, "   \
    "their B and C as the two entries of D")                                                       \
  X(genome_control_form, 5049,                                                                     \
    "malformed CONTROL_FLOW; expected B = 1 (IF) or 2 (WHILE), C = 0, and in D first the lengths " \
    "of two blocks")                                                                               \
  X(genome_block_length, 5050,                                                                     \
    "expected blocks of at least 1 node that end inside the block around them")                    \
  X(genome_reference, 5051, "expected the id of an earlier node")                                  \
  X(genome_reference_scope, 5052, "the node is in a block that has ended")                         \
  X(genome_relative, 5053, "expected an absolute id: relative references stay inside a block")     \
  X(genome_reference_external, 5054,                                                               \
    "a block may only use outside nodes that its IF or WHILE lists in D")                          \
  X(genome_variation_inputs, 5055, "the variation refers to an input that the node does not have") \
  X(genome_input_count, 5056, "the node has more inputs than its operation's node_args")           \
  X(genome_block_input, 5057, "the block has more DATA_INPUTs than its IF or WHILE lists")         \
  X(genome_loop_state, 5058, "expected a loop body to end in an OUTPUT of each loop variable")     \
  X(genome_reference_nothing, 5059, "PAD and OUTPUT have no result to refer to")                   \
                                                                                                   \
  X(genome_expansion_size, 5060, "the expansion exceeds limits::max_items nodes or inputs")        \
  X(genome_reference_range, 5061,                                                                  \
    "a reference must be an id up to 32767 or an offset down to -32768")                           \
  X(genome_node_inputs, 5062, "a node can have at most 255 inputs")                                \
  X(genome_operations_full, 5063, "a registry can have at most 246 operations or variations")      \
  X(genome_ids_full, 5064, "a registry can have at most 32758 constants, groups or parameters")    \
  X(genome_pattern_result, 5066, "expected the index of a node of the pattern")                    \
                                                                                                   \
  X(genome_counterpart, 5070,                                                                      \
    "v1.2 has no equivalent: CONVERGENCE, or an input, exit or result that crosses a branch")      \
                                                                                                   \
  X(genome_run_operation, 5080, "the machine does not implement this operation")                   \
  X(genome_run_arguments, 5081, "the node's arguments don't match the operation's signature")      \
  X(genome_run_parameter, 5082, "the graph needs a parameter that was not given")                  \
  X(genome_run_constant, 5083, "the machine does not support constants of this type")              \
  X(genome_run_condition, 5084, "expected a condition with one element")

#endif  // TESSERA_CORE_ERROR_TABLE_GENOME_HPP

// ---- tessera/core/error_table_nac.hpp
//
// The errors of NAC. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_NAC_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_NAC_HPP
#define TESSERA_CORE_ERROR_TABLE_NAC_HPP

// X(enumerator, value, what was expected)
#define TESSERA_NAC_ERRORS(X)                                                                      \
  X(nac_magic, 3000, "expected the bytes \"NAC\" at the start")                                    \
  X(nac_version, 3001, "expected container version 1 or 2")                                        \
  X(nac_header_truncated, 3002, "the file ends inside its header")                                 \
  X(nac_header_90, 3003,                                                                           \
    "headers of 90 bytes (version 1.5, before January 2026) aren't supported; expected 88, 92 "    \
    "or 100 bytes")                                                                                \
  X(nac_quantization, 3004,                                                                        \
    "unknown quantization method; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 (int8_channel) " \
    "or 4 (block_fp8)")                                                                            \
  X(nac_section_offset, 3005,                                                                      \
    "the section's offset is inside the header or past the end of the file")                       \
  X(nac_section_repeated, 3006, "duplicate section: another slot has a section with the same tag") \
  X(nac_count, 3007, "the section is too short for its number of records")                         \
  X(nac_truncated, 3008, "the section ends inside a record")                                       \
  X(nac_signature_unknown, 3009, "no signature in PERM has the instruction's id")                  \
  X(nac_input_variant, 3010, "expected an INPUT of variant 0 to 3, or 4 and 5 in version 2")       \
  X(nac_output_variant, 3011, "expected an OUTPUT of variant 0 to 2, or 3 and 4 in version 2")     \
  X(nac_constant_type, 3012, "unknown type of constant; expected 0 (null) to 6 (list[float32])")   \
  X(nac_constant_length, 3013, "expected a length of 8 for an int64 or float64 constant")          \
  X(nac_data_type, 3014, "unknown data type; expected 0 (f32) to 9 (bool)")                        \
  X(nac_tensor_quantization, 3015,                                                                 \
    "unknown quantization of a tensor; expected 0 (none), 1 (fp16), 2 (int8_tensor), 3 "           \
    "(int8_channel) or 4 (block_fp8)")                                                             \
  X(nac_tensor_metadata, 3016, "the tensor's metadata are longer or shorter than their fields")    \
  X(nac_block_size, 3017, "expected a block of at least 1 element")                                \
                                                                                                   \
  X(nac_no_instructions, 3100, "expected an OPS section with at least one instruction")            \
  X(nac_operation_reserved, 3101, "operations 0, 1, 4, 5, 8 and 9 are reserved and can't run")     \
  X(nac_operation_unknown, 3102,                                                                   \
    "the operation has no name in CMAP, and this version predefines none")                         \
  X(nac_operation_unsupported, 3103, "unsupported operation: the program can't run")               \
  X(nac_argument_count, 3104, "wrong number of arguments for the operation")                       \
  X(nac_argument_type, 3105, "wrong kind of argument for the operation")                           \
  X(nac_input_place, 3106, "INPUT variants 4 and 5 belong in TRNG")                                \
  X(nac_output_place, 3107, "OUTPUT variant 2 is reserved, and 3 and 4 belong in TRNG")            \
  X(nac_convergence_threshold, 3108, "expected a threshold of 0 to 100")                           \
  X(nac_saved_result, 3109, "INPUT of variant 4: expected the index of an instruction of OPS")     \
  X(nac_reference, 3110, "expected the offset of an earlier instruction: 0 <= index + D < index")  \
  X(nac_reference_zero, 3111,                                                                      \
    "expected the offset of a result: this argument can't be a constant")                          \
  X(nac_constant_count, 3112, "expected as many constants as D has zeros")                         \
  X(nac_constant_id, 3113, "no constant in CNST has the instruction's id")                         \
  X(nac_branch_length, 3114, "expected branches that end inside the program")                      \
  X(nac_convergence_input, 3115,                                                                   \
    "expected a CONVERGENCE with one word in C: the offset of its input")                          \
  X(nac_convergence_end, 3116,                                                                     \
    "expected an end of 0, or one after the CONVERGENCE and inside the program")                   \
  X(nac_convergence_count, 3117,                                                                   \
    "expected a CONVERGENCE of at least 1 branch where its end isn't 0")                           \
  X(nac_convergence_branch, 3118,                                                                  \
    "expected branches in ascending order, before the CONVERGENCE's end")                          \
  X(nac_source_read, 3120, "the bytes of the container could not be read")                         \
                                                                                                   \
  X(nac_branch_nesting, 3130, "the branches end after the end of the branch around them")          \
  X(nac_branch_result, 3131,                                                                       \
    "a branch's result is used outside the branch: it is absent if the branch doesn't run")        \
  X(nac_prefix, 3132,                                                                              \
    "unusual prefix; expected the number of words that follow, counting itself or not")            \
  X(nac_output_missing, 3133, "no OUTPUT of variant 0: the last result is the model's output")     \
  X(nac_id_repeated, 3134, "duplicate id; the last record is used")                                \
  X(nac_input_count, 3135,                                                                         \
    "expected at least as many INPUTs of variant 0 as the header has inputs")                      \
  X(nac_input_name, 3136, "expected the index of an INPUT of variant 0 or 3")                      \
  X(nac_parameter_unnamed, 3137, "no parameter in DATA has the instruction's id")                  \
  X(nac_parameter_tensor, 3138, "DATA holds no tensor for the parameter")                          \
  X(nac_weights_elsewhere, 3139, "the weights are in another file, which was not given")           \
  X(nac_external_missing, 3140, "the external weights have no tensor with the parameter's name")   \
  X(nac_external_type, 3141, "the external tensor's dtype or shape isn't one that NAC supports")   \
  X(nac_tensor_repeated, 3142, "duplicate tensor for this parameter")                              \
  X(nac_tensor_unnamed, 3143, "no parameter in DATA has the tensor's id")                          \
  X(nac_tensor_size, 3144, "the tensor has more or fewer bytes than its shape and type need")      \
  X(nac_tensor_type, 3145, "expected i8 elements for an int8 code, f16 elements for code 1")       \
  X(nac_tensor_axis, 3146, "expected an axis below the tensor's rank")                             \
  X(nac_tensor_scales, 3147, "expected one scale for each index of the axis, or for each block")   \
  X(nac_tensor_padding, 3148,                                                                      \
    "expected one dimension: the original elements, padded to whole blocks")                       \
  X(nac_array_size, 3149, "the array has more or fewer bytes than its shape and type need")        \
  X(nac_name_repeated, 3150, "duplicate name of a resource or array")                              \
  X(nac_tick, 3160, "expected the index of an instruction of OPS as a tick")                       \
  X(nac_tick_repeated, 3161, "duplicate record for this tick")                                     \
  X(nac_action, 3162,                                                                              \
    "unknown action; expected 10 (save_result), 15 (save_for_grad), 20 (free), 25 "                \
    "(free_after_trng), 30 (forward) or 40 (preload)")                                             \
  X(nac_target, 3163, "expected the index of an instruction of OPS as a target")                   \
  X(nac_save_target, 3164, "save_result: expected the tick's own instruction")                     \
  X(nac_forward_target, 3165, "forward: expected the only instruction that uses the result")       \
  X(nac_preload_target, 3166, "preload: expected an INPUT of variant 1")                           \
  X(nac_preload_late, 3167, "preload: the INPUT has already run")                                  \
  X(nac_free_early, 3168, "free: the result doesn't exist yet")                                    \
  X(nac_free_needed, 3169, "free: a later instruction uses the result")                            \
  X(nac_free_twice, 3170, "free: the result is already freed")                                     \
  X(nac_training_version, 3180, "containers of version 1 have no TRNG section")                    \
  X(nac_training_flag, 3181, "bit 6 of byte 4 disagrees with the presence of a TRNG section")      \
  X(nac_reserved_bytes, 3182, "expected 0 in the header's reserved bytes")                         \
  X(nac_slack, 3183, "unused bytes after the last record of the section")                          \
                                                                                                   \
  X(nac_too_many_instructions, 3200,                                                               \
    "expected at most 65,535 instructions, as many as references can number")                      \
  X(nac_write_form, 3201, "expected a header of 88, 92 or 100 bytes to write")                     \
  X(nac_write_quantization, 3202, "the header's quantization method isn't one of the format's")    \
  X(nac_write_training, 3203,                                                                      \
    "a container of version 1 has no training section and no flag for it")                         \
  X(nac_write_arrays, 3204, "only a header of 100 bytes has a slot for arrays")                    \
  X(nac_write_weights, 3205, "there are tensors, but internal_weights is false")                   \
  X(nac_write_absent, 3206,                                                                        \
    "there are training instructions or a manifest, but has_training or has_manifest is false")    \
  X(nac_write_count, 3207, "a list holds at most 4,294,967,295 records")                           \
  X(nac_write_range, 3208, "a range or payload of the record is outside its pool")                 \
  X(nac_write_operation_name, 3209, "the name of an operation has at most 255 bytes")              \
  X(nac_write_operation_id, 3210, "expected an operation id of at most 255")                       \
  X(nac_write_signature, 3211, "a signature has at most 255 letters")                              \
  X(nac_write_signature_id, 3212, "expected a signature id of at most 255")                        \
  X(nac_write_name, 3213,                                                                          \
    "the name of a parameter, input, resource or array has at most 65,535 bytes")                  \
  X(nac_write_commands, 3214, "a tick has at most 255 commands")                                   \
  X(nac_write_signature_unknown, 3215, "no signature of the parts has the instruction's id")       \
  X(nac_write_arguments, 3216, "expected as many words in D as the signature has letters")         \
  X(nac_write_constants, 3217, "the signature has no letter for constants, but C has words")       \
  X(nac_write_long_c, 3218, "C is longer than its 16-bit prefix can count")                        \
  X(nac_write_id, 3219, "expected an id of at most 32,767 for a constant or parameter in C")       \
  X(nac_write_input, 3220, "the container's version has no INPUT of this variant")                 \
  X(nac_write_output, 3221, "the container's version has no OUTPUT of this variant")               \
  X(nac_write_words, 3222,                                                                         \
    "C or D of a system instruction has more or fewer words than its kind needs")                  \
  X(nac_write_constant_type, 3223, "the constant's type isn't one of the format's")                \
  X(nac_write_string, 3224, "a string constant has at most 65,535 bytes")                          \
  X(nac_write_list, 3225, "a list constant has at most 65,535 elements")                           \
  X(nac_write_data_type, 3226, "the data type isn't one of the format's")                          \
  X(nac_write_tensor_quantization, 3227, "the tensor's quantization isn't one of the format's")    \
  X(nac_write_rank, 3228, "a shape has at most 255 dimensions")                                    \
  X(nac_write_block_size, 3229, "a tensor of block_fp8 has blocks of at least 1 element")          \
  X(nac_write_tensor_fields, 3230,                                                                 \
    "the tensor has scales, an axis, a block or an original shape that its quantization "          \
    "doesn't store")                                                                               \
  X(nac_write_metadata, 3231, "the tensor's metadata exceeds 4,294,967,295 bytes")                 \
  X(nac_write_bytecode, 3232, "a manifest or an execution plan has at most 4,294,967,295 bytes")   \
  X(nac_write_resource, 3233, "a resource has at most 4,294,967,295 bytes")                        \
  X(nac_write_size, 3234, "the container exceeds what memory or 64-bit offsets can address")       \
  X(nac_write_stopped, 3235, "the sink stopped writing")                                           \
  X(nac_convert_training, 3250, "version 1 can't hold training: remove it before the conversion")  \
  X(nac_convert_arrays, 3251,                                                                      \
    "only version 1.8 can hold arrays: remove them before the conversion")                         \
  X(nac_convert_input, 3252, "version 1 has no INPUT of variant 4 or 5 (saved result, target)")    \
  X(nac_convert_output, 3253, "version 1 has no OUTPUT of variant 3 or 4")                         \
  X(nac_convert_operation, 3254,                                                                   \
    "an operation without a name can't be converted: ids mean other operations in another "        \
    "version")                                                                                     \
  X(nac_convert_operations, 3255,                                                                  \
    "expected at most 224 operations that the version doesn't predefine")                          \
                                                                                                   \
  X(nac_mep_opcode, 3300, "unknown opcode in the execution plan")                                  \
  X(nac_mep_reserved, 3301, "reserved opcode in the execution plan: it can't run")                 \
  X(nac_mep_truncated, 3302, "the execution plan ends inside an instruction")                      \
  X(nac_mep_operation, 3303, "unknown operation number in the execution plan's instruction")       \
  X(nac_mep_prompt_type, 3304, "expected an answer of type 0 (string), 1 (int) or 2 (float)")      \
  X(nac_mep_file_type, 3305,                                                                       \
    "expected a file of type 2 (npy), or 3 (image) with a path from a slot")                       \
  X(nac_mep_extern_kind, 3306,                                                                     \
    "expected an external object of kind 0 (tokenizer) or 1 (constant)")                           \
  X(nac_mep_unload_kind, 3307, "expected 0 (a model) or 1 (a slot) to unload")                     \
  X(nac_mep_data_type, 3308,                                                                       \
    "unknown data type in the execution plan; expected 0 (f32) to 9 (bool)")                       \
  X(nac_mep_create_kind, 3309,                                                                     \
    "expected a tensor made of 0 (a value), 1 (a range), 2 (ones) or 3 (zeros)")                   \
  X(nac_mep_loss, 3310, "expected a loss of 0 (cross-entropy), 1 (mse) or 255 (none)")             \
  X(nac_mep_format, 3311, "expected an object as 0 (text), 1 (JSON) or 2 (PNG)")                   \
  X(nac_mep_destination, 3312, "expected a destination of 0 (stdout), 1 (stderr) or 2 (a file)")   \
  X(nac_mep_write_mode, 3313, "unknown write mode; expected 0 (line), 1 (append) or 2 (bare)")     \
  X(nac_mep_constant, 3314, "no constant of the execution plan has this id")                       \
  X(nac_mep_constant_string, 3315, "expected a string constant of the execution plan")             \
  X(nac_mep_constant_model, 3316,                                                                  \
    "expected a constant of the execution plan that is a model's number, 0 to 255")                \
  X(nac_mep_jump, 3317,                                                                            \
    "expected a jump to the start of an instruction or to the end of the execution plan")          \
  X(nac_mep_jump_into_loop, 3318, "the jump leads into a loop from outside")                       \
  X(nac_mep_loop_end, 3319, "flow_loop_end without a flow_loop_start")                             \
  X(nac_mep_loop_open, 3320, "flow_loop_start without a flow_loop_end")                            \
  X(nac_mep_loop_back, 3321, "expected flow_loop_end to jump back into its loop")                  \
  X(nac_mep_break, 3322, "flow_break_loop_if outside a loop")                                      \
  X(nac_mep_break_target, 3323, "expected flow_break_loop_if to jump past the end of its loop")    \
  X(nac_mep_mnemonic, 3330, "expected an instruction of the execution plan, a label, or bytes")    \
  X(nac_mep_label_unknown, 3331, "undefined label in the execution plan")                          \
  X(nac_mep_label_repeated, 3332, "duplicate label in the execution plan")                         \
  X(nac_mep_jump_range, 3333, "the jump is longer than 32 KiB")                                    \
  X(nac_mep_operand_range, 3334,                                                                   \
    "the operand doesn't fit its field of the execution plan's instruction")                       \
  X(nac_mep_operand_count, 3335,                                                                   \
    "expected as many operands as the execution plan's instruction has")                           \
  X(nac_mep_choice, 3336, "expected one of this operand's names, or a number")                     \
  X(nac_mep_constants, 3337, "an execution plan has at most 65,536 constants")                     \
  X(nac_mep_list, 3338, "a list has at most 255 slots")                                            \
  X(nac_hex, 3339, "expected hex digits after 0x, two for each byte")                              \
                                                                                                   \
  X(nac_tisa_magic, 3350, "expected the bytes \"TISA\" and a version")                             \
  X(nac_tisa_truncated, 3351, "the manifest ends inside an instruction")                           \
  X(nac_tisa_opcode, 3352, "unknown instruction of the tokenizer")                                 \
  X(nac_tisa_payload_short, 3353, "the tokenizer's instruction ends inside one of its fields")     \
  X(nac_tisa_payload_long, 3354,                                                                   \
    "there are bytes after the last field of the tokenizer's instruction")                         \
  X(nac_tisa_json, 3355,                                                                           \
    "obsolete form: the payload is JSON, as old tokenizers wrote it; export the model again")      \
  X(nac_tisa_normal_form, 3356, "expected one of NFC NFD NFKC NFKD")                               \
  X(nac_tisa_category, 3357, "expected a general category of Unicode, such as Mn")                 \
  X(nac_tisa_utf8, 3358, "expected UTF-8 in the tokenizer's instruction")                          \
  X(nac_tisa_rule_flags, 3359, "expected only flags 1, 2 and 4 for a partition rule")              \
  X(nac_tisa_item_kind, 3360, "expected a kind of 0 or 1 for an item of compose")                  \
  X(nac_tisa_partition, 3361,                                                                      \
    "the encoder has no text to encode: expected partition_rules before it")                       \
  X(nac_tisa_string, 3362, "the string is too long for its field in the tokenizer's instruction")  \
  X(nac_tisa_list, 3363, "the list is too long for its field in the tokenizer's instruction")      \
  X(nac_tisa_name, 3370, "expected an instruction of the tokenizer, op, or bytes")                 \
  X(nac_tisa_rule, 3371, "expected protected, remove, isolate, behaviour or trim")                 \
  X(nac_tisa_item, 3372, "expected a token in quotes, its id, or ids")                             \
                                                                                                   \
  X(nac_text_syntax, 3400, "expected a section, a key or a statement of the assembly")             \
  X(nac_text_mark, 3401,                                                                           \
    "unexpected character; expected a mark such as ( ) [ ] { } = : or a comma")                    \
  X(nac_text_line_end, 3402, "expected the end of the line")                                       \
  X(nac_text_word, 3403, "expected a name")                                                        \
  X(nac_text_integer, 3404, "expected an integer: decimal digits, or hex digits after 0x")         \
  X(nac_text_range, 3405, "the integer is outside the range of its field")                         \
  X(nac_text_string, 3406, "expected a string in quotes")                                          \
  X(nac_text_string_end, 3407, "the string has no closing quote on its line")                      \
  X(nac_text_escape, 3408, "expected one of \\\" \\\\ \\n \\r \\t \\xHH in assembly")              \
  X(nac_text_section, 3410, "unknown section")                                                     \
  X(nac_text_section_repeated, 3411, "duplicate section")                                          \
  X(nac_text_key, 3412, "unknown key in the header")                                               \
  X(nac_text_key_repeated, 3413, "duplicate key in the header")                                    \
  X(nac_text_version, 3414, "expected 1.6, 1.7 or 1.8")                                            \
  X(nac_text_quantization, 3415, "expected none, fp16, int8_tensor, int8_channel or block_fp8")    \
  X(nac_text_weights, 3416, "expected internal or external")                                       \
  X(nac_text_boolean, 3417, "expected a boolean: true or false")                                   \
  X(nac_text_length, 3418, "the string is longer than its length field can count")                 \
  X(nac_text_end, 3419, "expected 'end' after the section's body")                                 \
  X(nac_text_instruction, 3420, "expected an operation's name or the word of an instruction")      \
  X(nac_text_value_reserved, 3421, "this word is a constant, so it can't name a result")           \
  X(nac_text_value_repeated, 3422, "duplicate name of a result")                                   \
  X(nac_text_value_undefined, 3423, "undefined result")                                            \
  X(nac_text_value_own, 3424, "an instruction can't use its own result")                           \
  X(nac_text_distance, 3425, "the result is more than 32,767 instructions away")                   \
  X(nac_text_result, 3426, "expected a result: its name, or @ and an offset")                      \
  X(nac_text_arguments, 3427, "an instruction has at most 255 arguments")                          \
  X(nac_text_signature, 3428, "expected a signature's id, or its codes as a string")               \
  X(nac_text_signature_arguments, 3429, "the signature doesn't match the instruction's arguments") \
  X(nac_text_outputs, 3430, "expected as many results as the container has outputs")               \
  X(nac_text_input_name, 3431,                                                                     \
    "conflicting name for this input, or a name for an INPUT that can't have one")                 \
  X(nac_text_parameter, 3432, "no parameter has this name")                                        \
  X(nac_text_operations, 3433, "all 256 ids of operations are in use")                             \
  X(nac_text_signatures, 3434, "all 256 ids of signatures are in use")                             \
  X(nac_text_constants, 3435, "all ids of constants are in use")                                   \
  X(nac_text_parameters, 3436, "all ids of parameters are in use")                                 \
  X(nac_text_constant, 3440,                                                                       \
    "expected a constant: null, true, false, a number, a string or a list")                        \
  X(nac_text_float, 3441, "expected a decimal number, inf, -inf or nan")                           \
  X(nac_text_float_range, 3442, "the number is too large for its type")                            \
  X(nac_text_nan, 3443, "expected the bits of a NaN after 0x")                                     \
  X(nac_text_list, 3444, "the list is longer than its length field can count")                     \
  X(nac_text_data_type, 3445, "expected f32, f64, f16, bf16, i32, i64, i16, i8, u8 or bool")       \
  X(nac_text_rank, 3446, "expected a shape of at most 255 dimensions")                             \
  X(nac_text_quantization_field, 3447,                                                             \
    "expected the next field of the quantization, such as scale or axis")                          \
  X(nac_text_payload, 3450,                                                                        \
    "expected hex { digits }, values [ numbers ], or file and a place in it")                      \
  X(nac_text_hex, 3451, "expected pairs of hexadecimal digits")                                    \
  X(nac_text_hex_size, 3452, "more or fewer hex digits than the shape or size needs")              \
  X(nac_text_payload_unresolved, 3453, "the referenced bytes can't be found")                      \
  X(nac_text_payload_size, 3454, "the reference finds more or fewer bytes than expected")          \
  X(nac_text_values, 3455, "expected as many values as the shape has elements")                    \
  X(nac_text_action, 3460, "expected an action, such as save_result, free, forward or preload")    \
  X(nac_text_commands, 3461, "an instruction has at most 255 commands")                            \
  X(nac_text_self_counting, 3462, "expected none, or some of input, output and control_flow")      \
                                                                                                   \
  X(nac_safetensors_header, 3500, "expected the length of a JSON header that fits the file")       \
  X(nac_safetensors_large_header, 3501,                                                            \
    "the header of a safetensors file has at most 100,000,000 bytes")                              \
  X(nac_safetensors_brace, 3502, "expected '{' as the first byte of the header")                   \
  X(nac_safetensors_type, 3503, "expected a type of safetensors files, such as F32")               \
  X(nac_safetensors_member, 3504, "expected dtype, shape and data_offsets of the tensor")          \
  X(nac_safetensors_offsets, 3505, "expected two ascending data_offsets inside the file")          \
  X(nac_safetensors_size, 3506, "data_offsets span more or fewer bytes than shape and dtype need") \
  X(nac_safetensors_overlap, 3507, "the tensor overlaps the one before it")                        \
  X(nac_safetensors_hole, 3508, "there are unused bytes before the tensor")                        \
  X(nac_safetensors_trailing, 3509, "there are unused bytes after the last tensor")                \
  X(nac_safetensors_method, 3510,                                                                  \
    "expected a quant_code of 0 to 4, or a quant_type that names a method")                        \
  X(nac_safetensors_scales, 3511,                                                                  \
    "expected one scale for int8_tensor; block_size and orig_shape for block_fp8")                 \
  X(nac_external_text, 3512, "expected UTF-8 in names of tensors and strings of metadata")         \
  X(nac_external_repeated, 3513, "duplicate name of a tensor or key of the metadata")              \
  X(nac_external_reserved, 3514, "\"__metadata__\" is reserved: a tensor can't have this name")    \
  X(nac_external_size, 3515,                                                                       \
    "the payload has more or fewer bytes than the tensor's shape and type need")                   \
  X(nac_external_large, 3516,                                                                      \
    "the safetensors file is larger than its header or memory can address")                        \
                                                                                                   \
  X(nac_tensor_range, 3535, "the range extends past the tensor's last value")                      \
  X(nac_tensor_shapes, 3536, "the tensors have different numbers of values")                       \
  X(nac_quantize_method, 3540,                                                                     \
    "expected a method of quantization other than none, and a shape of rank 1 or more")            \
  X(nac_quantize_block, 3541, "expected blocks of at least 1 element to quantize")                 \
  X(nac_quantize_shape, 3542, "expected a value for each element of the shape")                    \
  X(nac_quantize_float16, 3543, "the value is too large for float16")                              \
  X(nac_quantize_finite, 3544, "infinities and NaN can't be quantized")                            \
                                                                                                   \
  X(nac_weights_inside, 3550, "the weights are already inside the container")                      \
  X(nac_weights_outside, 3551, "the weights are already outside the container")                    \
  X(nac_weights_unnamed, 3552, "no parameter of DATA has the tensor's id")                         \
  X(nac_weights_absent, 3553, "the container has no tensor for the parameter")                     \
  X(nac_weights_tied, 3554, "parameters with the same name have different tensors")                \
  X(nac_weights_scale, 3555, "a scale is infinite or NaN, which JSON can't express")               \
  X(nac_weights_missing, 3556, "the safetensors file has no tensor with the parameter's name")     \
  X(nac_weights_form, 3557, "a container can't hold the external tensor's type or shape")          \
  X(nac_weights_made, 3558,                                                                        \
    "the elements are computed while they are written: convert the original parts instead")        \
  X(nac_weights_blocks, 3559, "the padded elements or the scales exceed 32 bits")                  \
                                                                                                   \
  X(nac_run_weights, 3600, "the program's weights are in another file, which was not given")       \
  X(nac_run_input, 3601, "an input of the program was not given")                                  \
  X(nac_run_rank, 3602, "expected tensors of at most 16 dimensions")                               \
  X(nac_run_shape, 3603, "the operation isn't defined for operands of these shapes")               \
  X(nac_run_type, 3604, "the operation isn't defined for operands of these data types")            \
  X(nac_run_axis, 3605, "expected an axis that the tensor has, from -rank to rank - 1")            \
  X(nac_run_index, 3606, "expected an index inside the tensor")                                    \
  X(nac_run_argument, 3607, "invalid argument value")                                              \
  X(nac_run_kind, 3608, "wrong kind of value for the operation")                                   \
  X(nac_run_division, 3609, "integer division by zero")                                            \
  X(nac_run_absent, 3610, "the result comes from a branch that didn't run")                        \
  X(nac_run_state, 3611, "the program has no state with this id")                                  \
  X(nac_run_outputs, 3612, "expected as many outputs as the header counts")                        \
  X(nac_run_in_place, 3613, "the in-place change can't be tracked")                                \
  X(nac_run_strides, 3614, "the operation depends on strides, which NAC doesn't store")            \
                                                                                                   \
  X(nac_plan_slot, 3620,                                                                           \
    "the slot holds the wrong kind of value for the execution plan's instruction")                 \
  X(nac_plan_training, 3621,                                                                       \
    "training isn't supported: model_train_step and model_save_weights are refused")               \
  X(nac_plan_prompt, 3622, "the execution plan prompts for an answer, and none is left")           \
  X(nac_plan_answer, 3623, "expected an answer of the prompt's type")                              \
  X(nac_plan_model, 3624, "the execution plan uses a model that it hasn't loaded")                 \
  X(nac_plan_path, 3625, "the path is outside the folder that the execution plan may use")         \
  X(nac_plan_file, 3626, "the execution plan's file can't be read or written")                     \
  X(nac_plan_array, 3627, "the container has no array with this name")                             \
  X(nac_plan_format, 3628, "the format string doesn't match its values")                           \
  X(nac_plan_outputs, 3629, "the model has fewer outputs than the execution plan uses")            \
  X(nac_plan_image, 3630, "the file isn't an image of a supported format")                         \
  X(nac_plan_unavailable, 3631,                                                                    \
    "this build doesn't support what the execution plan's instruction needs")                      \
  X(nac_plan_inputs, 3632, "the model has fewer inputs than the execution plan gives")             \
  X(nac_plan_write, 3633, "the execution plan has no permission to write this file")               \
                                                                                                   \
  X(nac_tokenizer_missing, 3640, "the container has no tokenizer manifest")                        \
  X(nac_tokenizer_resource, 3641, "the tokenizer's vocabulary or merges are missing or malformed") \
  X(nac_tokenizer_expression, 3642, "the tokenizer's regular expression can't be compiled")        \
  X(nac_tokenizer_match, 3643, "the tokenizer's regular expression takes too long to match")       \
  X(nac_tokenizer_utf8, 3644, "expected text in UTF-8")                                            \
  X(nac_tokenizer_unavailable, 3645, "the tokenizer needs a library that this build doesn't have") \
  X(nac_tokenizer_import, 3646, "a tokenizer's manifest has no form for this")                     \
  X(nac_tokenizer_json, 3647, "malformed tokenizer file: a value is missing or of another type")   \
                                                                                                   \
  X(nac_to_ark_operation, 3650, "ARK has no operation for this")                                   \
  X(nac_to_ark_argument, 3651, "ARK has no form for this argument")                                \
  X(nac_to_ark_type, 3652, "ARK has no data type for these elements")                              \
  X(nac_to_ark_shape, 3653, "expected 1 to 4 dimensions, none of them 0, as ARK has them")         \
  X(nac_to_ark_input, 3654, "expected the shape of each input")                                    \
  X(nac_to_ark_limit, 3655, "the conversion needs more work or memory than its options allow")     \
                                                                                                   \
  X(nac_lower_operation, 3660, "the operation can't be lowered to the device")                     \
  X(nac_lower_shape, 3661, "lowering needs the shapes of all inputs")                              \
  X(nac_lower_device, 3662, "the device lacks what the network needs")                             \
  X(nac_lower_memory, 3663, "the device's memory is too small")

#endif  // TESSERA_CORE_ERROR_TABLE_NAC_HPP

// ---- tessera/core/error_table_nem.hpp
//
// The rules of NEM, each with its error code: nem_con_001_duplicate is rule CON-001.
//
//   #define X(name, value, message, phase, severity) …
//   TESSERA_NEM_RULES(X)
//
// A row states the rule's phase (which of reading or verifying finds it) and its severity in the
// default profile; `nem::rule` (nem/rule.hpp) knows what other profiles change. Part of the
// table of all codes: core/error_table.hpp. Rules RT are those of runs; verification never finds them.
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_NEM_HPP
#define TESSERA_CORE_ERROR_TABLE_NEM_HPP

// X(enumerator, value, what was expected, phase, severity)
#define TESSERA_NEM_RULES(X)                                                                       \
  X(nem_lex_001_character, 4001, "unexpected character", lex, error)                               \
  X(nem_lex_002_string, 4002, "the string isn't closed before the end of its line", lex, error)    \
  X(nem_lex_003_escape, 4003,                                                                      \
    "unknown escape: expected one of \\n \\t \\\\ \\\" (it is kept as it is)", lex, warning)       \
  X(nem_lex_004_number, 4004,                                                                      \
    "malformed number: expected digits, or digits '.' digits and an exponent", lex, error)         \
  X(nem_lex_005_integer, 4005, "the integer exceeds 2^63 - 1", lex, error)                         \
                                                                                                   \
  X(nem_syn_001_token, 4006, "unexpected token", parse, error)                                     \
  X(nem_syn_002_loop, 4007, "expected endloop: the loop isn't closed", parse, error)               \
  X(nem_syn_003_endloop, 4008, "endloop without a loop", parse, error)                             \
  X(nem_syn_004_include, 4009, "expected include before everything else", parse, error)            \
  X(nem_syn_005_directive, 4010,                                                                   \
    "expected one device directive, before the program header and all statements", parse, error)   \
  X(nem_syn_006_header, 4011, "expected one program header, before all statements", parse, error)  \
  X(nem_syn_007_mixed, 4012, "a file holds either configuration or a program", parse, error)       \
  X(nem_syn_008_statement, 4013, "expected a declaration, a task or a loop", parse, error)         \
  X(nem_syn_009_comma, 4014, "expected ',' between type attributes", parse, error)                 \
  X(nem_syn_010_type_attribute, 4015, "duplicate type attribute, or both layout and strides",      \
    parse, error)                                                                                  \
  X(nem_syn_011_argument, 4016, "duplicate argument", parse, error)                                \
  X(nem_syn_012_missing, 4017, "missing required argument", parse, error)                          \
  X(nem_syn_013_reserved, 4018, "a reserved word can't be a name", parse, error)                   \
  X(nem_syn_014_depth, 4019, "nested deeper than 256", parse, error)                               \
  X(nem_syn_017_line_operator, 4020,                                                               \
    "the expression continues on a new line, where other readers end it", parse, warning)          \
  X(nem_syn_018_upstream_reserved, 4021, "the name is reserved by other readers", parse, warning)  \
  X(nem_syn_019_trailing_comma, 4022, "a trailing comma or an empty list is an extension", parse,  \
    warning)                                                                                       \
  X(nem_syn_020_inner_type, 4023, "type attributes belong after the parentheses of region", parse, \
    warning)                                                                                       \
                                                                                                   \
  X(nem_con_001_duplicate, 4024, "duplicate constant declaration", const_, error)                  \
  X(nem_con_002_forward, 4025,                                                                     \
    "the constant expression uses a name that isn't declared before it", const_, error)            \
  X(nem_con_003_not_constant, 4026, "the constant expression uses a name that isn't a constant",   \
    const_, error)                                                                                 \
  X(nem_con_004_division, 4027, "division by zero in a constant expression", const_, error)        \
  X(nem_con_005_in_loop, 4028, "const declaration not permitted inside loop body", const_, error)  \
  X(nem_con_006_conflict, 4029, "the constant's name is used for something else", const_, error)   \
  X(nem_con_007_float, 4030, "const declarations must be integer", const_, error)                  \
  X(nem_con_008_overflow, 4031, "the constant expression exceeds the range of 64 bits", const_,    \
    error)                                                                                         \
                                                                                                   \
  X(nem_exp_001_float, 4032, "expected an integer", eval, error)                                   \
  X(nem_exp_002_name, 4033, "the name isn't declared", eval, error)                                \
  X(nem_exp_003_division, 4034, "division by zero", eval, error)                                   \
  X(nem_exp_004_overflow, 4035, "the expression exceeds the range of 64 bits", eval, error)        \
  X(nem_exp_005_kind, 4036, "expected a number, found the name of something else", eval, error)    \
  X(nem_exp_006_negative, 4037, "'/' and mod of negative operands differ between implementations", \
    eval, warning)                                                                                 \
                                                                                                   \
  X(nem_nam_001_duplicate, 4038, "the name is already declared in this scope", names, error)       \
  X(nem_nam_002_shadow, 4039, "the declaration hides one of an outer scope", names, warning)       \
  X(nem_nam_003_buffer, 4040, "region of a buffer that isn't declared", names, error)              \
  X(nem_nam_004_not_buffer, 4041, "expected a buffer in region(...)", names, error)                \
  X(nem_nam_005_operand, 4042, "the operand isn't declared before its use", names, error)          \
  X(nem_nam_006_not_region, 4043, "expected a region as operand", names, error)                    \
                                                                                                   \
  X(nem_buf_001_size, 4044, "expected size= in the buffer's properties", buffer, error)            \
  X(nem_buf_002_positive, 4045, "expected a buffer size of at least 1 byte", buffer, error)        \
  X(nem_buf_003_align, 4046, "expected an alignment that is a power of two", buffer, error)        \
  X(nem_buf_004_engine, 4047, "the device has no such engine", buffer, error)                      \
  X(nem_buf_005_loop_variable, 4048, "a buffer's properties can't depend on a loop variable",      \
    buffer, error)                                                                                 \
  X(nem_buf_006_unindexed, 4049, "L1 without an index means L1[0] on a device of several engines", \
    buffer, warning)                                                                               \
  X(nem_buf_007_in_loop, 4050,                                                                     \
    "a buffer in a loop body is allocated once, not for each iteration", buffer, warning)          \
                                                                                                   \
  X(nem_cap_001_l1, 4051, "the buffers of an L1 exceed l1_size_bytes", device, error)              \
  X(nem_cap_002_l2, 4052, "the buffers of L2 exceed l2_size_bytes", device, error)                 \
  X(nem_cap_003_tokens, 4053, "more tokens can be live than SEQ.max_active_tokens", device,        \
    warning)                                                                                       \
                                                                                                   \
  X(nem_reg_001_offset, 4054, "expected a region offset of at least 0", region, error)             \
  X(nem_reg_002_extent, 4055, "expected a region extent of at least 1 byte", region, error)        \
  X(nem_reg_003_bounds, 4056, "the region extends past the end of its buffer", region, error)      \
  X(nem_reg_004_too_small, 4057, "the extent is smaller than the elements of the shape", region,   \
    error)                                                                                         \
  X(nem_reg_005_strides, 4058, "the strides reach past the extent", region, error)                 \
  X(nem_reg_006_stride_count, 4059, "expected as many strides as dimensions", region, error)       \
  X(nem_reg_007_layout, 4060,                                                                      \
    "the layout has more or fewer letters than the shape has dimensions", region, warning)         \
  X(nem_reg_008_dimension, 4061, "expected shape dimensions of at least 1", region, error)         \
  X(nem_reg_009_negative_stride, 4062, "expected strides of at least 0", region, error)            \
  X(nem_reg_010_overlapping_elements, 4063,                                                        \
    "a task writes a region whose elements overlap one another", region, error)                    \
  X(nem_reg_011_unaligned, 4064, "the offset isn't a multiple of the element's size", region,      \
    warning)                                                                                       \
                                                                                                   \
  X(nem_typ_001_element, 4065, "expected an element type: i4 i8 i16 i32 u8 u16 u32 f16 bf16 f32",  \
    parse, error)                                                                                  \
  X(nem_typ_002_extension, 4066, "the element type is an extension that no type family knows",     \
    region, warning)                                                                               \
  X(nem_typ_003_untyped, 4067,                                                                     \
    "expected elem, shape and layout or strides on an operand of a compute task", type, error)     \
                                                                                                   \
  X(nem_qnt_001_channels, 4068, "expected a scale and a zero point for each element of the axis",  \
    region, error)                                                                                 \
  X(nem_qnt_002_groups, 4069, "expected a scale and a zero point for each group of the axis",      \
    region, error)                                                                                 \
  X(nem_qnt_003_group_size, 4070, "group_size must be positive", region, error)                    \
  X(nem_qnt_004_axis, 4071, "expected a quantization axis from 0 to rank - 1", region, error)      \
  X(nem_qnt_005_scale, 4072, "expected a scale that is positive and finite", region, error)        \
  X(nem_qnt_006_zero_point, 4073, "expected an integer as zero point", region, error)              \
  X(nem_qnt_007_zero_range, 4074, "the zero point is out of range for the element type", region,   \
    warning)                                                                                       \
  X(nem_qnt_008_float, 4075, "a floating-point region carries a quantization descriptor", region,  \
    warning)                                                                                       \
  X(nem_qnt_009_mixed, 4076,                                                                       \
    "some operands carry a quantization descriptor and others don't: raw integers are used", type, \
    warning)                                                                                       \
  X(nem_qnt_010_bias, 4077,                                                                        \
    "an i32 bias needs a descriptor where the weight's scale varies along a reduced axis", type,   \
    error)                                                                                         \
  X(nem_qnt_011_output, 4078,                                                                      \
    "an integer output without a descriptor gets scale 1 and zero point 0", type, warning)         \
  X(nem_qnt_012_copied, 4079, "values are copied between regions of different descriptors", type,  \
    warning)                                                                                       \
  X(nem_qnt_013_cast, 4080, "cast ignores quantization descriptors", type, warning)                \
  X(nem_qnt_014_function, 4081, "a transcendental function of integers without a descriptor",      \
    type, warning)                                                                                 \
                                                                                                   \
  X(nem_opc_001_opcode, 4082, "unknown opcode", opcode, error)                                     \
  X(nem_opc_002_few_inputs, 4083, "too few inputs for the opcode", opcode, error)                  \
  X(nem_opc_003_many_inputs, 4084, "too many inputs for the opcode", opcode, error)                \
  X(nem_opc_004_outputs, 4085, "wrong number of outputs for the opcode", opcode, error)            \
  X(nem_opc_005_missing, 4086, "missing required attribute", opcode, error)                        \
  X(nem_opc_006_unknown, 4087, "the opcode has no such attribute", opcode, error)                  \
  X(nem_opc_007_repeated, 4088, "duplicate attribute", parse, error)                               \
  X(nem_opc_008_kind, 4089, "wrong kind of value for the attribute", opcode, error)                \
  X(nem_opc_009_range, 4090, "the attribute's value is out of range", opcode, error)               \
  X(nem_opc_010_future, 4091, "no hardware executes the opcode yet", opcode, warning)              \
  X(nem_opc_011_generic, 4092, "binders may reject the generic compute opcode", opcode, warning)   \
                                                                                                   \
  X(nem_shp_001_rank, 4093, "wrong rank of an operand", shape, error)                              \
  X(nem_shp_002_identical, 4094, "shapes must be identical", shape, error)                         \
  X(nem_shp_003_inner, 4095, "the inner dimensions, batch dimensions or channels differ", shape,   \
    error)                                                                                         \
  X(nem_shp_004_output, 4096, "the output's shape differs from the one that the inputs give",      \
    shape, error)                                                                                  \
  X(nem_shp_005_bias, 4097, "wrong shape of the bias or scale", shape, error)                      \
  X(nem_shp_006_layout, 4098, "wrong layout of an operand", shape, error)                          \
  X(nem_shp_007_count, 4099, "reshape must preserve the number of elements", shape, error)         \
  X(nem_shp_008_parts, 4100, "the parts of concat or split don't add up", shape, error)            \
  X(nem_shp_009_groups, 4101, "groups must divide the channels of input and output", shape, error) \
  X(nem_shp_010_padding, 4102, "the padding of a pool must be smaller than its kernel", shape,     \
    error)                                                                                         \
                                                                                                   \
  X(nem_fam_001_variant, 4103, "no variant of a type family takes operands of these types", type,  \
    error)                                                                                         \
  X(nem_fam_002_device, 4104, "the target device doesn't support the variant", device, error)      \
  X(nem_fam_003_accum, 4105, "accum_type differs from that of the type family", type, error)       \
  X(nem_fam_004_quant, 4106,                                                                       \
    "the type family's condition on quantization descriptors is violated", type, error)            \
  X(nem_fam_005_elements, 4107, "element types must match", type, error)                           \
  X(nem_fam_006_ungoverned, 4108, "no type family governs the opcode", type, note)                 \
                                                                                                   \
  X(nem_fdl_001_duplicate, 4109, "the type family is already defined", config, error)              \
  X(nem_fdl_002_type, 4110, "expected an element type, a parameter, absent or any_supported",      \
    config, error)                                                                                 \
  X(nem_fdl_003_instance, 4111, "the instantiation doesn't fit the family's parameters", config,   \
    error)                                                                                         \
  X(nem_fdl_004_variant, 4112, "the variant is already defined", config, error)                    \
  X(nem_fdl_005_no_variants, 4113, "expected at least one variant", config, error)                 \
  X(nem_fdl_006_parameter, 4114, "the type parameter is already declared", config, error)          \
  X(nem_fdl_007_twice, 4115, "the instantiation is already classified", config, error)             \
                                                                                                   \
  X(nem_dev_001_spec_version, 4116, "expected spec_version in a device that extends none", device, \
    error)                                                                                         \
  X(nem_dev_002_inherited, 4117, "spec_version is inherited: a derived device can't set it",       \
    device, error)                                                                                 \
  X(nem_dev_003_topology, 4118, "the target device has no topology", device, error)                \
  X(nem_dev_004_engines, 4119, "expected num_engines of at least 1", device, error)                \
  X(nem_dev_005_units, 4120, "expected at least 1 unit of each type in an engine", device, error)  \
  X(nem_dev_006_memory, 4121, "memory sizes must be > 0, and num_engines and per_engine given",    \
    device, error)                                                                                 \
  X(nem_dev_007_mandatory, 4122, "opcode.mandatory lacks a variant that every device must have",   \
    device, error)                                                                                 \
  X(nem_dev_008_extended, 4123,                                                                    \
    "the variant is already mandatory: its entry in opcode.extended is ignored", device, warning)  \
  X(nem_dev_009_variant, 4124, "unknown variant of a type family", device, error)                  \
  X(nem_dev_010_redundant, 4125, "duplicate variant: already listed or inherited", device,         \
    warning)                                                                                       \
  X(nem_dev_011_unit_block, 4126, "the unit type doesn't belong in this block", parse, error)      \
  X(nem_dev_012_repeated, 4127, "duplicate block or field", parse, error)                          \
  X(nem_dev_013_parent, 4128, "the parent device isn't defined before this device", device, error) \
  X(nem_dev_014_cycle, 4129, "the device extends itself", device, error)                           \
  X(nem_dev_015_duplicate, 4130, "the device is already defined", device, error)                   \
  X(nem_dev_016_unknown, 4131, "unknown device: neither defined here nor in an included file",     \
    device, error)                                                                                 \
  X(nem_dev_017_file, 4132, "expected one device in the file, or one with the name of the file",   \
    device, error)                                                                                 \
  X(nem_dev_018_omitted, 4133, "per_engine omits a unit type", device, warning)                    \
  X(nem_dev_019_no_mandatory, 4134, "expected opcode.mandatory in a device that extends none",     \
    device, error)                                                                                 \
  X(nem_dev_020_version, 4135, "unknown spec_version: expected \"NEM-1.0\"", device, warning)      \
                                                                                                   \
  X(nem_inc_001_missing, 4136, "the file can't be found", include, error)                          \
  X(nem_inc_002_circular, 4137, "the file includes itself", include, error)                        \
  X(nem_inc_003_invalid, 4138, "the included file isn't a valid document", include, error)         \
  X(nem_inc_004_program, 4139, "the program in the included file is ignored", include, warning)    \
                                                                                                   \
  X(nem_dec_001_unknown, 4140, "unknown decorator", decorator, error)                              \
  X(nem_dec_002_target, 4141, "the decorator doesn't apply here", decorator, error)                \
  X(nem_dec_003_arguments, 4142, "wrong arguments for the decorator", decorator, error)            \
  X(nem_dec_004_repeated, 4143, "duplicate decorator", decorator, warning)                         \
  X(nem_dec_005_access, 4144, "readonly and writeonly exclude each other", decorator, error)       \
  X(nem_dec_006_in_flight, 4145, "expected at least 1 iteration in flight", decorator, error)      \
  X(nem_dec_007_readonly, 4146, "the task writes what is marked readonly", decorator, error)       \
  X(nem_dec_008_writeonly, 4147, "the task reads what is marked writeonly", decorator, error)      \
                                                                                                   \
  X(nem_res_001_invalid, 4148, "the unit type isn't a valid @resource target", decorator, error)   \
  X(nem_res_002_unknown, 4149, "unknown unit type: expected NMU, CSTL, DMA or VPU", decorator,     \
    error)                                                                                         \
  X(nem_res_003_negative, 4150, "expected a unit index of at least 0", decorator, error)           \
  X(nem_res_004_eligible, 4151, "the unit type can't execute the operation", decorator, error)     \
  X(nem_res_005_remapped, 4152, "the device has fewer units: another unit of this type is used",   \
    decorator, note)                                                                               \
  X(nem_res_006_translated, 4153, "the device has no unit of the type: another type is used",      \
    decorator, warning)                                                                            \
  X(nem_res_007_system_dma, 4154, "an engine's DMA is bound to a transfer that touches DDR",       \
    decorator, warning)                                                                            \
  X(nem_res_008_no_system_dma, 4155, "the task moves DDR data, and the device declares no sDMA",   \
    place, warning)                                                                                \
                                                                                                   \
  X(nem_tok_001_unknown, 4156, "no task assigns the token", token, error)                          \
  X(nem_tok_002_early, 4157, "the token isn't produced before this use, or isn't visible here",    \
    token, error)                                                                                  \
  X(nem_tok_004_kind, 4158, "expected a token", token, error)                                      \
  X(nem_tok_005_wait, 4159, "wait produces no token", token, error)                                \
  X(nem_tok_007_repeated, 4160, "duplicate token", token, warning)                                 \
                                                                                                   \
  X(nem_xfr_001_small, 4161, "the destination is smaller than the source", transfer, error)        \
  X(nem_xfr_002_large, 4162, "the destination is larger than the source: its tail isn't written",  \
    transfer, warning)                                                                             \
  X(nem_xfr_003_element, 4163, "source and destination have different element types", transfer,    \
    error)                                                                                         \
  X(nem_xfr_004_shape, 4164, "source and destination have different shapes", transfer, warning)    \
  X(nem_xfr_005_layout, 4165,                                                                      \
    "bytes are copied in order between different layouts, without rearranging elements", transfer, \
    warning)                                                                                       \
  X(nem_xfr_006_overlap, 4166, "source and destination overlap without @memmove", transfer, error) \
  X(nem_xfr_007_quant, 4167, "source and destination have different quantization descriptors",     \
    transfer, warning)                                                                             \
  X(nem_xfr_008_nearer, 4168, "store moves data to a nearer memory level", transfer, warning)      \
                                                                                                   \
  X(nem_plc_001_engines, 4169, "the task references L1 memories of several engines", place, error) \
  X(nem_plc_002_pinned, 4170,                                                                      \
    "the task is pinned to a different engine than the one its L1 memory belongs to", place,       \
    error)                                                                                         \
  X(nem_plc_003_no_engine, 4171, "the device has no engine with this index", place, error)         \
                                                                                                   \
  X(nem_haz_001_unordered, 4172, "the tasks touch the same bytes, and nothing orders them",        \
    hazard, error)                                                                                 \
  X(nem_haz_002_iterations, 4173, "iterations in flight together touch the same bytes", hazard,    \
    error)                                                                                         \
  X(nem_haz_003_rewritten, 4174,                                                                   \
    "iterations in flight together write the same data to the same bytes", hazard, warning)        \
  X(nem_haz_004_in_place, 4175, "the output overlaps an input of its task", hazard, error)         \
  X(nem_haz_006_unwritten, 4176, "the task reads bytes of L1 that no earlier task wrote", hazard,  \
    warning)                                                                                       \
                                                                                                   \
  X(nem_lop_001_empty, 4177, "the loop ends before it begins: expected last >= first", loop,       \
    error)                                                                                         \
                                                                                                   \
  X(nem_haz_005_partial, 4178,                                                                     \
    "the loops are too long to be expanded: only part of them is searched for hazards", hazard,    \
    note)                                                                                          \
                                                                                                   \
  X(nem_rt_div0, 4179, "an integer element is divided by zero", run, error)                        \
  X(nem_rt_index, 4180, "expected an index inside the operand", run, error)                        \
  X(nem_rt_acc, 4181, "a sum exceeds the 32 bits of its accumulator and wraps around", run,        \
    warning)                                                                                       \
  X(nem_rt_uninit, 4182, "the task reads bytes that nothing wrote or bound", run, warning)         \
  X(nem_rt_race, 4183, "the tasks of the run touch the same bytes, unordered", run, error)         \
  X(nem_rt_unsupported, 4184, "the machine doesn't implement this operation", run, error)          \
  X(nem_rt_mem, 4185, "the buffers exceed the memory limit of the run", run, error)

#endif  // TESSERA_CORE_ERROR_TABLE_NEM_HPP

// ---- tessera/core/error_table_pt2.hpp
//
// The codes of PT2 archives, a part of the table in error_table.hpp.
//
//   TESSERA_PT2_ERRORS(X)
//
// Lifetime:   none.
// Errors:     these.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_ERROR_TABLE_PT2_HPP
#define TESSERA_CORE_ERROR_TABLE_PT2_HPP

// X(enumerator, value, what was expected)
#define TESSERA_PT2_ERRORS(X)                                                                      \
  X(pt2_end, 6000, "no end record of a zip archive: the file is truncated, or no PT2 archive")     \
  X(pt2_split, 6001, "the archive is split into several files; expected one")                      \
  X(pt2_zip64, 6002, "malformed zip64 record, or it contradicts the 32-bit fields")                \
  X(pt2_directory, 6003, "expected the directory right before its end record")                     \
  X(pt2_entry_count, 6004, "the directory's size and its number of entries disagree")              \
  X(pt2_entry, 6005, "expected a complete directory entry")                                        \
  X(pt2_extra, 6006, "malformed extra field")                                                      \
  X(pt2_encrypted, 6007, "encrypted or patched members are not supported")                         \
  X(pt2_method, 6008, "unknown compression method; expected 0 (stored) or 8 (deflated)")           \
  X(pt2_name, 6009,                                                                                \
    "unsafe member name; expected UTF-8 without '..', '\\\\', a leading '/' or zero bytes")        \
  X(pt2_sizes, 6010, "the sizes of the member can't be right for its compression method")          \
  X(pt2_local_header, 6011, "expected a local header, before the directory")                       \
  X(pt2_local_differs, 6012, "the local header differs from the directory entry")                  \
  X(pt2_descriptor, 6013, "the data descriptor differs from the directory entry")                  \
  X(pt2_bounds, 6014, "the member extends past the start of the directory")                        \
  X(pt2_overlap, 6015, "the member overlaps another one")                                          \
  X(pt2_duplicate_member, 6016, "duplicate member name")                                           \
  X(pt2_checksum, 6017, "wrong checksum (CRC-32) of the member")                                   \
  X(pt2_deflated, 6018,                                                                            \
    "the member is deflated; expected stored members, or an inflater in the read options")         \
  X(pt2_deflate_data, 6019, "invalid deflate data, or of another size")                            \
                                                                                                   \
  X(pt2_root, 6030, "a member outside the archive's root folder")                                  \
  X(pt2_no_format, 6031, "no member archive_format: not a PT2 archive")                            \
  X(pt2_format, 6032, "unknown archive_format; expected pt2")                                      \
  X(pt2_version, 6033, "unknown or missing archive_version; expected 0")                           \
  X(pt2_byte_order, 6034, "unsupported byteorder; expected little")                                \
  X(pt2_torch_2_4, 6035, "an archive of PyTorch 2.4 or earlier; save it again with 2.5 or later")  \
  X(pt2_compiled, 6037, "the archive holds compiled code only (AOTInductor) and no graph")         \
  X(pt2_no_program, 6038, "no such program in the archive (models/NAME.json)")                     \
  X(pt2_choose_program, 6039, "several programs and none is called model; name one of them")       \
  X(pt2_no_config, 6040, "the program's weights or constants configuration is missing")            \
  X(pt2_no_payload, 6041, "the payload of this weight or constant is missing")                     \
                                                                                                   \
  X(pt2_missing, 6050, "the object lacks a required member")                                       \
  X(pt2_union, 6051, "expected an object with exactly one member")                                 \
  X(pt2_variant, 6052, "unknown variant of this union")                                            \
  X(pt2_schema_major, 6053,                                                                        \
    "unsupported major version of the schema; expected 8 (7 in archives of 2.5)")                  \
  X(pt2_real, 6054, "expected a number, \"Infinity\", \"-Infinity\" or \"NaN\"")                   \
  X(pt2_none, 6055, "expected true as the value of as_none ([] in schema 7)")                      \
  X(pt2_config_symbolic, 6056, "a stored tensor can't have symbolic sizes")                        \
  X(pt2_expression, 6057, "malformed shape expression")                                            \
  X(pt2_tree, 6058, "malformed tree of arguments")                                                 \
                                                                                                   \
  X(pt2_pickle_missing, 6060, "the inner archive has no data.pkl, which lists its tensors")        \
  X(pt2_inner_deflated, 6061, "a member of an inner archive is deflated; expected stored members") \
  X(pt2_pickle_protocol, 6062, "expected a pickle of protocol 2")                                  \
  X(pt2_pickle_end, 6063, "expected complete opcodes up to STOP at the end of the pickle")         \
  X(pt2_pickle_opcode, 6064, "tensors don't need this opcode; pickles are never executed")         \
  X(pt2_pickle_global, 6065, "tensors don't need this global; pickles are never executed")         \
  X(pt2_pickle_text, 6066, "invalid UTF-8 in a string of the pickle")                              \
  X(pt2_pickle_integer, 6067, "an integer of the pickle has more than 64 bits")                    \
  X(pt2_pickle_operand, 6068, "the opcode's operands are missing or of another kind")              \
  X(pt2_pickle_memo, 6069, "no such number in the pickle's memo")                                  \
  X(pt2_pickle_storage, 6070,                                                                      \
    "malformed reference to a storage, or it contradicts an earlier one")                          \
  X(pt2_storage_size, 6071, "the storage's size isn't that of its elements")                       \
  X(pt2_pickle_tensor, 6072, "malformed description of a tensor")                                  \
  X(pt2_pickle_root, 6073, "expected a dictionary from names to tensors")                          \
  X(pt2_pickle_key, 6074, "duplicate name of a tensor")                                            \
  X(pt2_flat_version, 6075, "malformed or missing version; expected that of the schema, as 8.7")   \
                                                                                                   \
  X(pt2_value_unknown, 6100, "no value of that name in this graph")                                \
  X(pt2_value_late, 6101,                                                                          \
    "the value is used before the node that defines it: a cycle, or a wrong order")                \
  X(pt2_value_repeated, 6102, "the value is defined twice")                                        \
  X(pt2_value_no_meta, 6103, "the value has no metadata in this graph")                            \
  X(pt2_value_kind, 6104, "the value is of another kind than the argument")                        \
  X(pt2_result_kind, 6105, "an argument of this kind can't be a result")                           \
  X(pt2_spec_count, 6106, "the signature and the graph differ in the number of inputs or outputs") \
  X(pt2_spec_name, 6107, "the signature and the graph differ in the name of an input or output")   \
  X(pt2_spec_target, 6108, "no such parameter, buffer or input to change")                         \
  X(pt2_spec_repeated, 6109, "two inputs are bound to the same name")                              \
  X(pt2_weight_unknown, 6110, "no such weight or constant in the archive")                         \
  X(pt2_weight_differs, 6111, "the stored tensor and the graph's input differ in type or size")    \
  X(pt2_weight_strides, 6112, "the stored tensor and the graph's input differ in strides")         \
  X(pt2_weight_unused, 6113, "no input uses this weight or constant")                              \
  X(pt2_pickled, 6114,                                                                             \
    "the program uses a pickled weight or constant, which is never opened; expected raw data")     \
  X(pt2_payload_short, 6115, "the payload is too short for the tensor")                            \
  X(pt2_payload_units, 6116, "the payload's size is no multiple of the size of an element")        \
  X(pt2_payload_empty, 6117, "empty payload: weights were not saved (fake tensors)")               \
  X(pt2_element_type, 6118, "unknown element type")                                                \
  X(pt2_layout, 6119, "unsupported layout; expected 7 (strided)")                                  \
  X(pt2_extent, 6120, "negative or overflowing sizes, strides or offset")                          \
  X(pt2_rank, 6121, "sizes and strides differ in number")                                          \
  X(pt2_range, 6122, "empty range: the minimum is above the maximum")                              \
  X(pt2_tree_leaves, 6123,                                                                         \
    "the tree of arguments and the signature differ in the number of user inputs or outputs")      \
  X(pt2_no_call, 6124, "the module call graph doesn't begin with the program and its signature")   \
  X(pt2_code, 6125, "unknown code of a layout, memory format or element type")                     \
  X(pt2_target, 6126, "malformed target of a node")                                                \
  X(pt2_body, 6127, "arguments of control flow that don't fit the body's inputs")                  \
  X(pt2_argument_unknown, 6130, "the operator has no argument of that name")                       \
  X(pt2_argument_repeated, 6131, "the argument is given twice")                                    \
  X(pt2_argument_missing, 6132, "a required argument of the operator is missing")                  \
  X(pt2_argument_kind, 6133, "the operator's argument is of another type")                         \
  X(pt2_result, 6134, "the operator's results are of another number or type")                      \
  X(pt2_index, 6140, "an index of the model is out of range")                                      \
                                                                                                   \
  X(pt2_note_minor, 6150,                                                                          \
    "the schema is newer than any that is known; unknown members are ignored")                     \
  X(pt2_note_prefix, 6151, "the archive has bytes before its first member")                        \
  X(pt2_note_root, 6152, "the archive has no root folder; PyTorch doesn't load it")                \
  X(pt2_note_byte_order, 6153,                                                                     \
    "the archive doesn't state its byte order; little-endian is assumed")                          \
                                                                                                   \
  X(pt2_write_stopped, 6160, "the sink refused to take more bytes")                                \
  X(pt2_write_programs, 6161, "one of several programs with pickled weights can't be written")     \
                                                                                                   \
  X(pt2_import_control, 6170, "NAC has no form for this control flow")                             \
  X(pt2_import_argument, 6171, "NAC has no form for this argument")                                \
  X(pt2_import_type, 6172, "NAC has no code for this element type")                                \
  X(pt2_import_limit, 6173, "more than a NAC container can number")                                \
  X(pt2_import_output, 6174, "NAC has no form for this output")

#endif  // TESSERA_CORE_ERROR_TABLE_PT2_HPP

// X(enumerator, value, what was expected, and for NEM's rules also the phase and the severity)
#define TESSERA_CORE_ERRORS(X)                                                                     \
  X(ok, 0, "no error")                                                                             \
  X(input_too_large, 1, "the input is longer than limits::max_bytes")                              \
  X(too_many_items, 2, "a list holds more than limits::max_items entries")                         \
  X(budget_steps, 3, "the program needs more steps than the budget allows")                        \
  X(budget_memory, 4, "the program needs more memory than the budget allows")                      \
                                                                                                   \
  X(json_unexpected_end, 100, "the text ends inside a JSON value")                                 \
  X(json_expected_value, 101, "expected a JSON value")                                             \
  X(json_expected_object, 102, "expected an object")                                               \
  X(json_expected_array, 103, "expected an array")                                                 \
  X(json_expected_string, 104, "expected a string")                                                \
  X(json_expected_integer, 105, "expected an integer without fraction or exponent")                \
  X(json_expected_number, 106, "expected a number")                                                \
  X(json_expected_boolean, 107, "expected true or false")                                          \
  X(json_expected_null, 108, "expected null")                                                      \
  X(json_expected_key, 109, "expected a key in quotes")                                            \
  X(json_expected_colon, 110, "expected ':' after the key")                                        \
  X(json_expected_comma_or_bracket, 111, "expected ',' or ']'")                                    \
  X(json_expected_comma_or_brace, 112, "expected ',' or '}'")                                      \
  X(json_bad_literal, 113, "unknown literal; expected true, false, null or another JSON value")    \
  X(json_leading_zero, 114, "superfluous leading zero; expected a number such as 0, 0.5 or 7")     \
  X(json_expected_digit, 115, "expected a digit")                                                  \
  X(json_number_range, 116, "the number is outside the range of a double")                         \
  X(json_integer_range, 117, "the integer is out of range for this field")                         \
  X(json_bad_escape, 118,                                                                          \
    "unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")                   \
  X(json_lone_surrogate, 119,                                                                      \
    "unpaired surrogate; expected \\uD800 to \\uDBFF followed by \\uDC00 to \\uDFFF")              \
  X(json_bad_utf8, 120, "the string is not valid UTF-8")                                           \
  X(json_control_character, 121,                                                                   \
    "unescaped control character in a string; expected an escape such as \\u001f")                 \
  X(json_depth, 122, "containers are nested deeper than limits::max_depth")                        \
  X(json_duplicate_key, 123, "duplicate key in this object")                                       \
  X(json_trailing_bytes, 124, "text after the JSON value; expected only white space")              \
  X(json_unexpected_element, 125, "too many elements; expected ']'")                               \
  X(json_missing_element, 126, "too few elements; expected another one before ']'")

// And of all owners.
#define TESSERA_ERRORS(X)                                                                          \
  TESSERA_CORE_ERRORS(X)                                                                           \
  TESSERA_ALIR_ERRORS(X)                                                                           \
  TESSERA_ARK_ERRORS(X)                                                                            \
  TESSERA_NAC_ERRORS(X)                                                                            \
  TESSERA_NEM_RULES(X)                                                                             \
  TESSERA_GENOME_ERRORS(X)                                                                         \
  TESSERA_PT2_ERRORS(X)

#endif  // TESSERA_CORE_ERROR_TABLE_HPP

namespace tessera::inline TESSERA_ABI {

/// The kind of error: one enumerator per check, stable within a version.
enum class errc : std::uint16_t {
#define TESSERA_X(name, value, ...) name = value,
  TESSERA_ERRORS(TESSERA_X)
#undef TESSERA_X
};

/// One row of a table of codes.
struct errc_row {
  errc code;                 ///< its value is 1000 · owner + a number
  std::string_view name;     ///< the enumerator's name
  std::string_view message;  ///< one sentence without the values
};
struct error;
class text;
/// The codes of one owner, in ascending order.
struct errc_table {
  const errc_row* rows = nullptr;  ///< `size` of them
  std::size_t size = 0;            ///< how many rows there are
  /// For binary formats: appends the place of an error's offset, such as "instruction 12,
  /// argument 2"; nothing if it is unknown.
  void (*append_place)(text& to, const error& e, const std::byte* source,
                       std::size_t size) = nullptr;
  /// For texts in JSON: appends the message of an error that the source decides, such as which
  /// member is missing; nothing where the code's own message says all. `path` leads to its place.
  void (*append_message)(text& to, const error& e, std::string_view source,
                         std::string_view path) = nullptr;
  /// Whether a binary source is of this format, which then appends the places of core's errors too.
  bool (*is_mine)(const std::byte* source, std::size_t size) = nullptr;

  /// The rows, in ascending order of codes.
  ///@{
  [[nodiscard]] const errc_row* begin() const noexcept { return rows; }
  [[nodiscard]] const errc_row* end() const noexcept { return rows + size; }
  ///@}
};

namespace detail {
/// Owners: core, then the formats.
inline constexpr std::size_t owners = 7;
/// The table of the codes from 1000 · owner on, which its format sets when the program starts.
[[nodiscard]] errc_table& table_of(std::size_t owner) noexcept;
}  // namespace detail

/// Calls `visitor(const errc_row&)` for each code that this program knows by name, in ascending order.
template <class Visitor>
void for_each_errc(Visitor&& visitor) {
  for (std::size_t i = 0; i < detail::owners; ++i)
    for (const errc_row& row : detail::table_of(i)) visitor(row);
}

// X(enumerator, its name in messages)
#define TESSERA_ERROR_INDICES(X)                                                                   \
  X(none, "offset")                                                                                \
  X(whole, "the whole")                                                                            \
  X(operation, "operation")                                                                        \
  X(output, "output")                                                                              \
  X(table, "table")                                                                                \
  X(node, "node")                                                                                  \
  X(task, "task")                                                                                  \
  X(processor_group, "processor group")                                                            \
  X(instruction, "instruction")                                                                    \
  X(training_instruction, "training instruction")                                                  \
  X(tick, "tick")                                                                                  \
  X(signature, "signature")                                                                        \
  X(variation, "variation")                                                                        \
  X(parameter, "parameter")                                                                        \
  X(input_name, "input name")                                                                      \
  X(constant, "constant")                                                                          \
  X(plan_constant, "plan constant")                                                                \
  X(group, "group")                                                                                \
  X(tensor, "tensor")                                                                              \
  X(record, "record")                                                                              \
  X(metadata, "metadata entry")                                                                    \
  X(resource, "resource")                                                                          \
  X(array, "array")                                                                                \
  X(pattern, "pattern")                                                                            \
  X(rule, "rule")                                                                                  \
  X(block, "block")

/// The meaning of error::offset: bytes of a source or, without a source, the model as a whole or
/// the index of an element.
enum class error_index : std::uint8_t {
#define TESSERA_X(name, text) name,
  TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
};
/// The name of an element in messages: "operation".
[[nodiscard]] constexpr std::string_view name(error_index i) noexcept {
  constexpr std::string_view names[] = {
#define TESSERA_X(name, text) text,
      TESSERA_ERROR_INDICES(TESSERA_X)
#undef TESSERA_X
  };
  return names[static_cast<std::size_t>(i)];
}
#undef TESSERA_ERROR_INDICES

/// An error: what and where. Not convertible to bool, so that it can't be read inverted.
struct error {
  errc code = errc::ok;                   ///< `ok`: no error
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
  /// Byte offset into the source that was read, at most its length. For a model built in code,
  /// which has no source: the index of the wrong element, of the kind given by `index`.
  std::uint64_t offset = 0;

  /// No error.
  constexpr error() noexcept = default;
  /// At offset 0.
  constexpr explicit error(errc c) noexcept : code(c) {}
  /// At an offset, or at an element if `of` isn't `none`.
  constexpr error(errc c, std::uint64_t at, error_index of = error_index::none) noexcept
      : code(c), index(of), offset(at) {}

  /// This error located in an element of the given kind; unchanged if it is ok.
  [[nodiscard]] constexpr error in(error_index kind) const noexcept {
    return code == errc::ok ? *this : error(code, offset, kind);
  }

  /// The message of the code, as text.
  [[nodiscard]] std::string_view message() const noexcept;
  /// The enumerator's name.
  [[nodiscard]] std::string_view name() const noexcept;

  /// The same code at the same offset; comparable for one model.
  friend constexpr bool operator==(const error& a, const error& b) noexcept {
    return a.code == b.code && a.offset == b.offset;
  }
};

}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_ERRORS


#endif  // TESSERA_CORE_ERROR_HPP

// ---- tessera/core/json_path.hpp
//
// JSON paths, both ways: the path of the value at an offset, and the offset of the value at a path.
//
//   json::path(R"({"a":[1,{"b":2}]})", 14);            // $.a[1].b
//   json::find(R"({"a":[1,{"b":2}]})", "$.a[1].b");    // 14
//
// Lifetime:   texts that are returned own themselves.
// Errors:     none: in broken text, what comes before the place where it breaks.
// Limits:     those of json::reader.
// Allocation: the text, and what json::reader needs.

#ifndef TESSERA_CORE_JSON_PATH_HPP
#define TESSERA_CORE_JSON_PATH_HPP

#include <cstdint>
#include <string_view>


// ---- tessera/core/limits.hpp
//
// The limits of readers and runs, in one place and on by default.
//
//   alir::read_json(text, {.max_bytes = 1 << 20});   // refuse files over 1 MiB
//
// Each is far above the needs of real files and far below what hurts: an untrusted file costs at
// most a multiple of its own size (each format's header gives the multiple).
//
// Lifetime:   a value.
// Errors:     input_too_large, too_many_items, json_depth, budget_steps, budget_memory.
// Limits:     these.
// Allocation: none.

#ifndef TESSERA_CORE_LIMITS_HPP
#define TESSERA_CORE_LIMITS_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {

/// The limits of a reader. A value equal to the limit is accepted, one more is refused.
struct limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 32;  ///< length of the input
  std::uint64_t max_items = std::uint64_t{1} << 27;  ///< entries of any one list
  std::uint32_t max_depth = 64;                      ///< nesting of containers
};

/// The limits of a run. A step is an element that is read or written, or about a nanosecond of
/// other work, charged before it is done: by default a run ends within seconds, whatever its input.
struct budget {
  std::uint64_t max_steps = std::uint64_t{1} << 32;   ///< elements touched
  std::uint64_t max_memory = std::uint64_t{1} << 32;  ///< bytes of working memory
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_LIMITS_HPP

// ---- tessera/core/pool.hpp
//
// Growing arrays of plain values, which models consist of.
//
//   tessera::pool<std::int32_t> p = {1, 2};
//   p.push_back(3);
//   std::span<const std::int32_t> s = p;   // or tessera::view, which is cheaper to include
//
// The part of std::vector's interface that models need, for trivially copyable elements only.
// Those can be grown by copying bytes, so one function that isn't a template serves every type;
// with std::vector, instantiating its members would cost more than all the rest of including a
// format.
//
// Lifetime:   owns; iterators, spans and references last until it grows.
// Errors:     std::bad_alloc where the host has exceptions. Indices are not checked.
// Limits:     none.
// Allocation: at most twice the elements held.

#ifndef TESSERA_CORE_POOL_HPP
#define TESSERA_CORE_POOL_HPP

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace detail {

/// Growing bytes: shared by pools and texts, compiled once.
class block {
 public:
  block() noexcept = default;
  block(const block& other) { append(other.data_, other.size_); }
  block(block&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  block& operator=(const block& other) { return *this = block(other); }
  block& operator=(block&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~block() { ::operator delete(data_); }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void set_size(std::size_t size) noexcept { size_ = size; }
  [[nodiscard]] std::size_t available() const noexcept { return capacity_ - size_; }
  /// The end, with capacity for `count` more bytes. Capacity doubles, so that appending is linear
  /// overall.
  [[nodiscard]] void* prepare(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return static_cast<char*>(data_) + size_;
  }
  void append(const void* from, std::size_t count) {
    if (count == 0) return;
    if (capacity_ - size_ < count) return append_growing(from, count);
    if (data_ == nullptr) __builtin_unreachable();  // where there is room, there is memory
    std::memcpy(static_cast<char*>(data_) + size_, from, count);
    size_ += count;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) take(::operator new(capacity), capacity);
  }
  /// False, without a change, where there is no memory.
  [[nodiscard]] bool try_reserve(std::size_t capacity) noexcept {
    if (capacity <= capacity_) return true;
    void* const data = ::operator new(capacity, std::nothrow);
    if (data != nullptr) take(data, capacity);
    return data != nullptr;
  }

 private:
  /// Goes on in other memory.
  void take(void* data, std::size_t capacity) noexcept {
    if (size_ != 0) std::memcpy(data, data_, size_);
    ::operator delete(data_);
    data_ = data;
    capacity_ = capacity;
  }
  /// The capacity that makes room for `count` more bytes. Of more than there are, no memory: a sum
  /// that overflows on a host of 32 bits would be a small one.
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    const std::size_t doubled = capacity_ * 2, needed = size_ + count;
    if (needed < count) return ~std::size_t{0};
    return doubled > needed ? doubled : needed < 64 ? 64 : needed;
  }
  [[gnu::cold]] [[gnu::noinline]] void grow(std::size_t count) { reserve(grown(count)); }

 protected:
  [[gnu::cold]] [[gnu::noinline]] void append_growing(const void* from, std::size_t count) {
    block to;
    to.reserve(grown(count));  // if it throws: no change
    to.append(data_, size_);
    to.append(from, count);  // which may be in this block
    *this = std::move(to);
  }

  void* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace detail

/// Elements of a pool or of any other contiguous range: a std::span<const T> without its
/// concepts, which converts to one. Lifetime: borrows.
template <class T>
class view {
 public:
  constexpr view() noexcept = default;
  /// The `size` elements from `data` on.
  constexpr view(const T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// The first element; may be null where there are none.
  [[nodiscard]] constexpr const T* data() const noexcept { return data_; }
  /// How many elements there are.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  /// Element i, which must exist.
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  /// The elements in their order.
  ///@{
  [[nodiscard]] constexpr const T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr const T* end() const noexcept { return data_ + size_; }
  ///@}

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A growing array of elements that can be copied as bytes, by few instructions of the compiler.
template <class T>
class pool : private detail::block {
  // Members of the block are used directly: each call that is inlined costs the compiler.
  static_assert(__is_trivially_copyable(T) && alignof(T) <= alignof(std::max_align_t));

 public:
  /// The type of the elements.
  using value_type = T;

  pool() noexcept = default;
  /// Copies the values.
  pool(std::initializer_list<T> values) { append(values.begin(), values.size()); }

  /// All elements. Borrows from the pool.
  operator view<T>() const& noexcept { return {data(), size()}; }
  operator view<T>() const&& = delete;

  /// How many elements there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_ / sizeof(T); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// The first element; may be null where there are none.
  ///@{
  [[nodiscard]] T* data() noexcept { return static_cast<T*>(data_); }
  [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(data_); }
  ///@}
  /// Element i, which must exist.
  ///@{
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return static_cast<T*>(data_)[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return static_cast<const T*>(data_)[i];
  }
  ///@}
  /// The last element, which must exist.
  ///@{
  [[nodiscard]] T& back() noexcept { return static_cast<T*>(data_)[size_ / sizeof(T) - 1]; }
  [[nodiscard]] const T& back() const noexcept {
    return static_cast<const T*>(data_)[size_ / sizeof(T) - 1];
  }
  ///@}
  /// The elements in their order; invalid as soon as the pool grows.
  ///@{
  [[nodiscard]] T* begin() noexcept { return static_cast<T*>(data_); }
  [[nodiscard]] T* end() noexcept { return static_cast<T*>(data_) + size_ / sizeof(T); }
  [[nodiscard]] const T* begin() const noexcept { return static_cast<const T*>(data_); }
  [[nodiscard]] const T* end() const noexcept {
    return static_cast<const T*>(data_) + size_ / sizeof(T);
  }
  ///@}

  /// Appends a copy.
  void push_back(const T& value) {
    if (capacity_ - size_ < sizeof(T)) return append_growing(&value, sizeof(T));
    ::new (static_cast<void*>(data() + size())) T(value);
    advance(1);
  }
  /// Appends copies of `count` elements from `values` on.
  void append(const T* values, std::size_t count) { block::append(values, bytes_of(count)); }
  /// Removes the last element, which must exist.
  void pop_back() noexcept { size_ -= sizeof(T); }
  /// Removes all elements; the memory stays.
  void clear() noexcept { size_ = 0; }
  /// Room for `count` more elements; write them there, then say how many with advance().
  [[nodiscard]] T* prepare(std::size_t count) {
    return static_cast<T*>(block::prepare(bytes_of(count)));
  }
  /// Counts elements that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { size_ += count * sizeof(T); }
  /// How many more elements fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return (capacity_ - size_) / sizeof(T); }
  /// Allocates for `count` elements in all.
  void reserve(std::size_t count) { block::reserve(bytes_of(count)); }
  /// New elements are value-initialized.
  void resize(std::size_t count) {
    if (count > size()) (void)block::prepare(bytes_of(count - size()));
    for (std::size_t i = size(); i < count; ++i) ::new (static_cast<void*>(data() + i)) T();
    size_ = count * sizeof(T);
  }

  /// Keeps the first `count` elements; there must be at least as many.
  void shrink(std::size_t count) noexcept { size_ = count * sizeof(T); }

  /// Equal in size and in each element.
  friend bool operator==(const pool& a, const pool& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  /// Hosts of 64 bits have no memory for so many elements that this overflows; those of 32 bits may.
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t count) noexcept {
    if constexpr (sizeof count < 8) {  // unreachable: there is no such host among those of coverage
      if (count > ~std::size_t{0} / sizeof(T)) return ~std::size_t{0};
    }
    return count * sizeof(T);
  }
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_POOL_HPP

// ---- tessera/core/text.hpp
//
// Text that grows, UTF-8, and places in a text.
//
//   tessera::text out;
//   out << "line " << 7;
//   std::string_view v = out;
//   std::cout << out;                                            // or any stream with write()
//   tessera::line_column at = tessera::locate(source, offset);   // 1-based
//
// `text` is what writers and printers return: characters in one block that isn't cleared before it
// is written, so that a writer can reserve a record's bound once and then store through a pointer.
// It replaces std::string, which would cost more to include than the rest of the library.
//
// Lifetime:   text owns; view() and the conversion borrow from it.
// Errors:     none; std::bad_alloc where the host has exceptions.
// Limits:     none.
// Allocation: at most twice the characters held.

#ifndef TESSERA_CORE_TEXT_HPP
#define TESSERA_CORE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>


// ---- tessera/core/digits.hpp
//
// Integers as decimal digits, stored through a pointer.
//
//   char line[tessera::integer_capacity];
//   char* end = tessera::put_integer(line, -1234);   // "-1234"
//
// Small numbers come from a table of 4 KB. Of others eight digits are made at a time, side by side in
// one word, by multiplications: no loop and no branch depends on the number of digits, which
// is unpredictable in real files.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_DIGITS_HPP
#define TESSERA_CORE_DIGITS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {

/// The size that put_integer needs: a sign and 20 digits. All of it may be overwritten, whatever
/// the number's length.
inline constexpr std::size_t integer_capacity = 21;

namespace detail {

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // the characters

/// The characters of each number below 1000, the first in the lowest byte, and their count in the
/// highest: most numbers in real files are small.
struct small_numbers {
  std::uint32_t at[1000] = {};
  consteval small_numbers() noexcept {
    for (std::uint32_t n = 0; n < 1000; ++n) {
      const std::uint32_t padded = (n / 100 | n / 10 % 10 << 8 | n % 10 << 16) + 0x303030;
      at[n] = n < 10    ? padded >> 16 | 1u << 24
              : n < 100 ? padded >> 8 | 2u << 24
                        : padded | 3u << 24;
    }
  }
};
inline constexpr small_numbers below_1000;

/// The digits of n < 10^8 as eight numbers, the first in the lowest byte.
[[nodiscard]] constexpr std::uint64_t eight_digits(std::uint32_t n) noexcept {
  // Every lane is cut in two, the quotient in its low half and the remainder in its high half:
  // (lane << half) - quotient * ((divisor << half) - 1). The quotients come from multiplications
  // by rounded reciprocals that are exact below 10^4 and 10^2.
  const std::uint64_t high = n / 10000;
  const std::uint64_t fours = (std::uint64_t{n} << 32) - high * ((std::uint64_t{10000} << 32) - 1);
  const std::uint64_t hundreds = fours * 10486 >> 20 & 0x0000007f0000007f;
  const std::uint64_t twos = (fours << 16) - hundreds * ((100u << 16) - 1);
  const std::uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;
  return (twos << 8) - tens * ((10u << 8) - 1);
}

/// n < 10^8 in eight characters.
inline void put_eight(char* to, std::uint32_t n) noexcept {
  store_le(to, eight_digits(n) | eight_zeros);
}

/// n < 1000; four characters are overwritten.
inline char* put_small(char* to, std::uint32_t n) noexcept {
  const std::uint32_t entry = below_1000.at[n];
  store_le(to, entry);
  return to + (entry >> 24);
}

/// n < 10^8 without leading zeros; eight characters are overwritten.
inline char* put_up_to_eight(char* to, std::uint32_t n) noexcept {
  const std::uint64_t digits = eight_digits(n);
  // Bits before the first nonzero digit, in whole bytes; the last digit always counts.
  const auto leading =
      static_cast<unsigned>(std::countr_zero(digits | std::uint64_t{1} << 56)) & 56;
  store_le(to, (digits | eight_zeros) >> leading);
  return to + (8 - leading / 8);
}

inline char* put_magnitude(char* to, std::uint64_t n) noexcept {
  constexpr std::uint64_t unit = 100000000;
  if (n < 1000) return put_small(to, static_cast<std::uint32_t>(n));
  if (n < unit) return put_up_to_eight(to, static_cast<std::uint32_t>(n));
  const std::uint64_t high = n / unit;
  if (high < unit) {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high));
  } else {
    to = put_up_to_eight(to, static_cast<std::uint32_t>(high / unit));
    put_eight(to, static_cast<std::uint32_t>(high % unit));
    to += 8;
  }
  put_eight(to, static_cast<std::uint32_t>(n % unit));
  return to + 8;
}

}  // namespace detail

/// Writes any integer in decimal and returns the end. `to` has `integer_capacity` bytes.
template <class Int>
  requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
inline char* put_integer(char* to, Int value) noexcept {
  auto magnitude = static_cast<std::uint64_t>(value);
  if constexpr (std::is_signed_v<Int>) {
    const bool negative = value < 0;
    *to = '-';  // overwritten by a digit when there is no sign, as that is unpredictable too
    to += negative ? 1 : 0;
    magnitude = negative ? 0 - magnitude : magnitude;
  }
  return detail::put_magnitude(to, magnitude);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DIGITS_HPP

namespace tessera::inline TESSERA_ABI {

/// Growing characters. Movable and copyable; not terminated by a zero.
class text {
 public:
  text() noexcept = default;
  /// Copies the characters.
  explicit text(std::string_view from) { *this << from; }

  /// The first character; may be null where there are none.
  [[nodiscard]] const char* data() const noexcept {
    return static_cast<const char*>(block_.data());
  }
  /// How many characters there are.
  [[nodiscard]] std::size_t size() const noexcept { return block_.size(); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return block_.size() == 0; }
  /// All characters. Borrows from the text.
  [[nodiscard]] std::string_view view() const& noexcept { return {data(), size()}; }
  std::string_view view() const&& = delete;
  /// All characters. Borrows from the text.
  operator std::string_view() const& noexcept { return view(); }
  operator std::string_view() const&& = delete;

  /// Removes all characters; the memory stays.
  void clear() noexcept { block_.set_size(0); }
  /// Keeps the first `size` characters.
  void truncate(std::size_t size) noexcept {
    if (size < block_.size()) block_.set_size(size);
  }

  /// Room for `count` more characters; write them there, then say how many with advance().
  [[nodiscard]] char* prepare(std::size_t count) {
    return static_cast<char*>(block_.prepare(count));
  }
  /// Counts characters that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { block_.set_size(block_.size() + count); }
  /// How many more characters fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return block_.available(); }
  /// Allocates for `size` characters in all.
  void reserve(std::size_t size) { block_.reserve(size); }
  /// False, without a change, where there is no memory.
  [[nodiscard]] bool try_reserve(std::size_t size) noexcept { return block_.try_reserve(size); }

  /// Appends the characters.
  text& operator<<(std::string_view s) { return block_.append(s.data(), s.size()), *this; }
  /// Appends one character.
  text& operator<<(char c) {
    *prepare(1) = c;
    return advance(1), *this;
  }
  /// Any integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  text& operator<<(Int value) {
    char* const to = prepare(integer_capacity);
    return advance(static_cast<std::size_t>(put_integer(to, value) - to)), *this;
  }
  /// Not implicitly converted to char; see append_double.
  template <class Value>
    requires(std::is_same_v<Value, bool> || std::is_floating_point_v<Value>)
  text& operator<<(Value) = delete;
  /// Appends the characters up to the terminating zero.
  text& operator<<(const char* s) { return *this << std::string_view(s); }

  /// Writes to a std::ostream, or to anything else with `write(data, size)`.
  template <class Stream>
    requires requires(Stream& out, const char* data) { out.write(data, 1); }
  friend Stream& operator<<(Stream& out, const text& t) {
    out.write(t.data(), static_cast<std::ptrdiff_t>(t.size()));
    return out;
  }

 private:
  detail::block block_;
};

/// Whether the characters are the same.
[[nodiscard]] inline bool operator==(const text& a, std::string_view b) noexcept {
  return a.view() == b;
}
[[nodiscard]] inline bool operator==(const text& a, const text& b) noexcept {
  return a.view() == b.view();
}

/// Decodes the UTF-8 sequence at `at`, which holds at least one byte before `end`. Returns its
/// length, 1 to 4, or 0 when it is truncated, overlong, a surrogate, or above U+10FFFF.
[[nodiscard]] constexpr unsigned utf8_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) { return static_cast<unsigned char>(at[i]); };
  const auto tail = [&byte](std::ptrdiff_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const std::ptrdiff_t left = end - at;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation byte, or an overlong two-byte form
  if (lead < 0xe0) return left >= 2 && tail(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (left < 3 || !tail(1) || !tail(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
    if (lead == 0xed && byte(1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (lead > 0xf4 || left < 4 || !tail(1) || !tail(2) || !tail(3)) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;  // above U+10FFFF
  return 4;
}

/// Whether all of a text is UTF-8.
[[nodiscard]] constexpr bool is_utf8(std::string_view s) noexcept {
  const char* const end = s.data() + s.size();
  for (const char* at = s.data(); at != end;) {
    const unsigned length = utf8_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Writes the UTF-8 form of a code point up to U+10FFFF to `to`, which has room for 4 bytes, and
/// returns its length.
constexpr unsigned utf8_encode(std::uint32_t code_point, char* to) noexcept {
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code_point < 0x80) return put(code_point), 1;
  if (code_point < 0x800) {
    put(0xc0 | code_point >> 6);
    return put(0x80 | (code_point & 0x3f)), 2;
  }
  if (code_point < 0x10000) {
    put(0xe0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3f));
    return put(0x80 | (code_point & 0x3f)), 3;
  }
  put(0xf0 | code_point >> 18);
  put(0x80 | (code_point >> 12 & 0x3f));
  put(0x80 | (code_point >> 6 & 0x3f));
  return put(0x80 | (code_point & 0x3f)), 4;
}

/// The number of bytes at `at`, at least one before `end`, that must not reach a terminal
/// unescaped: a control of C0, C1 or DEL, a byte that isn't UTF-8, or a character that turns text
/// around, has no width or ends a line (U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to
/// U+206F, U+FEFF). 0 for all others.
[[nodiscard]] constexpr unsigned unsafe_length(const char* at, const char* end) noexcept {
  const auto byte = [at](std::ptrdiff_t i) -> std::uint32_t {
    return static_cast<unsigned char>(at[i]);
  };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 1 : 0;
  const unsigned length = utf8_length(at, end);
  if (length == 0) return 1;
  if (length == 2) {
    const std::uint32_t c = (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    return c < 0xa0 || c == 0x61c ? 2 : 0;
  }
  if (length == 4) return 0;
  const std::uint32_t c = (byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
  const bool unsafe = (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
                      (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
  return unsafe ? 3 : 0;
}

/// Appends `s` for display: what unsafe_length finds becomes `\n`, `\t`, `\r`, `\x1b` (of a byte)
/// or `\u{202e}` (of a character), except for the ASCII characters in `kept`.
void append_shown(text& out, std::string_view s, std::string_view kept = {});

/// A place in a text, both from 1; the column counts bytes, as compilers do.
struct line_column {
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< from 1, in bytes
  friend constexpr bool operator==(const line_column&, const line_column&) = default;
};

/// The line and column of a byte offset; an offset past the end counts as the end.
[[nodiscard]] constexpr line_column locate(std::string_view source, std::uint64_t offset) noexcept {
  line_column at;
  const std::size_t end = offset < source.size() ? to_size(offset) : source.size();
  for (std::size_t i = 0; i < end; ++i) {
    ++at.column;
    if (source[i] == '\n') at = {at.line + 1, 1};
  }
  return at;
}

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_TEXT_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// Appends the component of a path for a member: `.key`, or `["any key"]` when it isn't plain.
[[gnu::cold]] void append_key(text& out, std::string_view key);

/// The JSON path (`$.model[5][3]`) of the innermost value that starts at `offset` or contains it;
/// in broken text, of the last value before the place where reading stops.
[[nodiscard, gnu::cold]] text path(std::string_view source, std::uint64_t offset,
                                   const limits& limit = {});

inline constexpr std::uint64_t no_offset = 0xffffffffffffffff;  ///< not found

/// The offsets of the values at paths, the inverse of path(): one walk for all of them. Paths start
/// with '$', spelled as path() spells them, and refer to the first value of `source`, whatever
/// follows it; what isn't there gets no_offset.
[[gnu::cold]] void find(std::string_view source, tessera::view<std::string_view> paths,
                        std::uint64_t* offsets, const limits& limit = {});
/// The offset of the value at one path, or no_offset.
[[nodiscard, gnu::cold]] std::uint64_t find(std::string_view source, std::string_view path,
                                            const limits& limit = {});

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_JSON_PATH_HPP

namespace tessera::inline TESSERA_ABI {

/// An error in a text source, with line, column, caret and, when the text is JSON, the path.
/// `name` is the file's name for display. A source with zero bytes is shown as a binary if the error
/// is one of a binary format's reader.
[[nodiscard]] text describe(error e, std::string_view source, std::string_view name = "<input>",
                            const limits& limit = {});

/// The message of an error in a text source: that of its code or, where the source decides it, which
/// member is missing or which kind of value was found. Empty `path`: it is looked up.
[[nodiscard]] text message_of(error e, std::string_view source, std::string_view path = {},
                              const limits& limit = {});

/// An error in a binary source, with the 16 bytes around it and a caret.
[[nodiscard]] text describe(error e, bytes source, std::string_view name = "<input>");

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_DESCRIBE_HPP

// ---- tessera/genome/compress.hpp
//
// The inverse of expand(): a flat graph in the patterns of its library, and in copies.
//
//   auto short_form = genome::compress(*program);
//   auto again = genome::verify(std::move(*short_form), library);
//   auto flat = genome::expand(*again);              // the graph as it was, node by node
//
//   const genome::compressor many(library);          // prepares the patterns once
//   for (const genome::program& p : programs) use(many.run(p));
//
// First, what repeats becomes a COPY: runs of more than 2 equal nodes without inputs, up to 32767,
// of which only the first is used. Then patterns are looked for from left to right; the longest that
// matches is taken, of equal ones the first in the registry, and the search continues after it. A
// match is the same A, B and C, and the same D with all references relative, in the numbering in
// which a COPY is one node; patterns inside of patterns count as what they expand to.
//
//   a match is used where             because
//   it lies in one block              a macro is a node of one block; it may hold whole blocks
//   it takes 255 nodes or fewer       D has no room for more; counted before patterns are put in
//   plain nodes take its result only  that is what an id of a macro means: the last node outside of
//                                     blocks, or the one of expand_options::results; nodes of other
//                                     macros take any of its nodes
//   it ends no block, or with its     the last node of a block gives the block's value
//   result
//   it takes inputs outside of        in blocks they are those of the IF or WHILE
//   blocks only
//
// What isn't used stays as plain nodes, which may be a reason not to use other matches. B and C of a
// macro name the pattern, D the nodes that it takes: ascending, each once.
//
// A pattern of one node saves nothing, and is used only for a node that takes an inner result of a
// macro, one that isn't the macro's own: as a plain node it couldn't. Where the library lacks such a
// pattern, a longer match is lost; which patterns would save it is known:
//
//   auto missing = many.missing(p);                  // for node k: missing->nodes and missing->saved
//
// A program that has patterns already is expanded first. COPYs that are there stay as they are.
// Of a library whose patterns are huge when they are written out, patterns count in the order of the
// registry, each that keeps all of them within 16 × the nodes of graph and library, plus 65536. Those
// that are longer than the graph, or hold a node that the graph doesn't, never count.
//
// Lifetime:   the stream owns itself.
// Errors:     those of expand().
// Limits:     limits::max_items nodes, and as many inputs; 2^31 - 1. No recursion.
// Allocation: 50 bytes for each node of all patterns, once; typically 160 for one of the graph
//             and of patterns that may occur in it, and 12 for each input; at most 1500, and 5 MB,
//             where patterns are made for it. Time is linear in these up to a logarithmic factor,
//             of the nodes of patterns and of their number.

#ifndef TESSERA_GENOME_COMPRESS_HPP
#define TESSERA_GENOME_COMPRESS_HPP

#include <cstdint>


// ---- tessera/core/result.hpp
//
// A value or an error, without exceptions: `std::expected` for C++20, with one kind of
// error.
//
//   tessera::result<alir::model> m = alir::read_json(text);
//   if (!m) return report(m.error());
//   use(*m);
//
// True means success. Accessing the value of an error traps: that is a bug of the caller, and
// continuing with an invalid value is how such bugs become vulnerabilities.
//
// Lifetime:   owns its value; `*r` of a temporary moves it out.
// Errors:     error() is {ok, 0} on success.
// Limits:     none.
// Allocation: none except the value's own.

#ifndef TESSERA_CORE_RESULT_HPP
#define TESSERA_CORE_RESULT_HPP

#include <new>
#include <type_traits>
#include <utility>


namespace tessera::inline TESSERA_ABI {

/// A value or an error, with the interface of std::expected. Reading the value of an error traps.
template <class T>
class [[nodiscard]] result {
  static_assert(!std::is_same_v<T, bool>, "a result<bool> would be read as its own truth value");
  static_assert(!std::is_same_v<T, tessera::error> && !std::is_reference_v<T>);

 public:
  /// A value.
  result(T value) noexcept : value_(std::move(value)), has_value_(true) {}
  /// An error, whose code shouldn't be `ok`.
  result(tessera::error e) noexcept : error_(e), has_value_(false) {}

  /// Takes the value or the error.
  result(result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    else
      error_ = other.error_;
  }
  result(const result&) = delete;
  result& operator=(const result&) = delete;
  /// Takes the value or the error.
  result& operator=(result&& other) noexcept {
    if (this != &other) {
      this->~result();
      ::new (static_cast<void*>(this)) result(std::move(other));
    }
    return *this;
  }
  ~result() {
    if (has_value_) value_.~T();
  }

  /// Whether there is a value.
  [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }
  /// Whether there is a value.
  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& value() & noexcept { return **this; }
  [[nodiscard]] const T& value() const& noexcept { return **this; }
  [[nodiscard]] T&& value() && noexcept { return *std::move(*this); }
  ///@}
  /// The value, or `other` if there is none.
  template <class U>
  [[nodiscard]] T value_or(U&& other) const& {
    return has_value_ ? value_ : static_cast<T>(std::forward<U>(other));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& other) && {
    return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(other));
  }
  /// The value, which must exist.
  ///@{
  [[nodiscard]] T& operator*() & noexcept { return checked(), value_; }
  [[nodiscard]] const T& operator*() const& noexcept { return checked(), value_; }
  [[nodiscard]] T&& operator*() && noexcept { return checked(), std::move(value_); }
  ///@}
  /// A member of the value, which must exist.
  ///@{
  [[nodiscard]] T* operator->() & noexcept { return checked(), &value_; }
  [[nodiscard]] const T* operator->() const& noexcept { return checked(), &value_; }
  ///@}
  T* operator->() && = delete;  // it would dangle at the end of the statement
  /// The error; its code is `ok` if there is a value.
  [[nodiscard]] tessera::error error() const noexcept {
    return has_value_ ? tessera::error{} : error_;
  }

 private:
  void checked() const noexcept {
    if (!has_value_) __builtin_trap();
  }

  union {
    T value_;
    tessera::error error_;
  };
  bool has_value_;
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_RESULT_HPP

// ---- tessera/genome/detail/pattern_texts.hpp
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


// ---- tessera/core/sort.hpp
//
// Sorting, stable, and searching, for plain values in a row.
//
//   tessera::sort(edges.data(), edges.size(), [](const edge& a, const edge& b) {
//     return a.from < b.from;
//   });
//
//   std::size_t i = tessera::first_not_below(edges.data(), edges.size(),
//                                            [&](const edge& e) { return e.from < wanted; });
//
// Sorting merges existing runs, so that values in order cost one pass. Both replace
// the standard algorithms, which cost more to include than all the rest.
//
// Lifetime:   nothing is kept.
// Errors:     std::bad_alloc where the host has exceptions.
// Limits:     none; no recursion, and never more than n log n comparisons to sort, log n to find.
// Allocation: to sort, the size of the values once more, unless they are in order.

#ifndef TESSERA_CORE_SORT_HPP
#define TESSERA_CORE_SORT_HPP

#include <cstddef>
#include <cstring>


namespace tessera::inline TESSERA_ABI {

namespace detail {

/// Sorts `count` elements of `size` bytes. One function for all types: each of its own costs the
/// compiler more than it gains.
[[gnu::noinline]] inline void sort_bytes(void* values, std::size_t count, std::size_t size,
                                         bool (*less)(const void* context, const void* a,
                                                      const void* b),
                                         const void* context) {
  block other;
  other.append(values, count * size);
  char *from = static_cast<char*>(values), *to = static_cast<char*>(other.data());
  const std::size_t end = count * size;
  for (std::size_t width = size; width < end; width *= 2) {
    for (std::size_t first = 0; first < end; first += 2 * width) {
      const std::size_t middle = end - first > width ? first + width : end;
      const std::size_t last = end - first > 2 * width ? first + 2 * width : end;
      std::size_t a = first, b = middle;
      for (std::size_t i = first; i < last; i += size) {
        const bool is_a = a < middle && (b == last || !less(context, from + b, from + a));
        std::memcpy(to + i, from + (is_a ? a : b), size);
        (is_a ? a : b) += size;
      }
    }
    char* const swapped = from;
    from = to;
    to = swapped;
  }
  if (from != values) std::memcpy(values, from, end);
}

}  // namespace detail

/// Puts `count` values in ascending order; equal ones keep their order.
template <class T, class Less>
void sort(T* values, std::size_t count, Less less) {
  std::size_t ordered = 1;
  while (ordered < count && !less(values[ordered], values[ordered - 1])) ++ordered;
  if (ordered >= count) return;

  detail::sort_bytes(
      values, count, sizeof(T),
      [](const void* context, const void* a, const void* b) {
        return static_cast<bool>((*static_cast<const Less*>(context))(*static_cast<const T*>(a),
                                                                      *static_cast<const T*>(b)));
      },
      &less);
}

/// The index of the first value that isn't below the one sought; `count` if all are. `below` is
/// true for a prefix of the values and false for the rest.
template <class T, class Below>
[[nodiscard]] constexpr std::size_t first_not_below(const T* values, std::size_t count,
                                                    Below below) {
  std::size_t first = 0;
  while (count != 0) {
    const std::size_t half = count / 2;
    if (below(values[first + half])) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SORT_HPP

// ---- tessera/genome/format.hpp
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


#endif  // TESSERA_GENOME_FORMAT_HPP

// ---- tessera/genome/program.hpp
//
// What verification proves: a library is a registry whose ids, names and patterns hold together, and
// a program is a stream all of whose references mean something in a library.
//
//   auto library = genome::verify(std::move(*registry));           // genome/verify.hpp
//   auto program = genome::verify(std::move(*stream), *library);
//   library->operation(52);                    // "aten.linear.default:node_args(2):kwargs()"
//   library->flat_size(library->find_pattern(18));                 // nodes of its expansion
//
// A map whose reverse is missing is completed: a library's registry has both, or neither.
//
// Lifetime:   a library owns its registry; a program owns its stream and borrows its library.
// Errors:     none here.
// Limits:     none.
// Allocation: 4 bytes for each id from 0 to the highest of a map.

#ifndef TESSERA_GENOME_PROGRAM_HPP
#define TESSERA_GENOME_PROGRAM_HPP

#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/core/report.hpp
//
// What reading or verifying found: a list of diagnostics, of one type for all formats.
//
//   tessera::report found;
//   auto program = nem::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"tiles.nem", source};
//   std::cerr << describe(found, {&file, 1});
//
//   tiles.nem:4:32: error: expected ',' between type attributes [SYN-009]
//     let R = region(B, 0, 8) elem=i8 shape=[8], layout=C
//                                     ^~~~~
//                                    ,
//   tiles.nem:7:7: error: duplicate constant declaration N [CON-001]
//     const N = 8
//           ^
//   tiles.nem:2:7: note: declared here first
//     const N = 4
//           ^
//
//   rank0.json:1:812: error: consumer 99 does not exist; expected the Id of a node in this file
//     [G03] at $.Nodes[3].ConsumerNodeIds[0], offset 811
//     …
//
//   net.nac: error: v12 = aten.linear.default: 4 arguments; expected 2 or 3
//     [nac_argument_count] at instruction 12, offset 780 (0x30c)
//     00000300: 00 00 00 00 04 00 00 00 01 00 00 00
//                                                   ^
//
// Below the caret is the text that a fix would insert, or replace the underlined text with. A model
// that was built in code has no source: "<input>: error: … [CON-001] at node 5".
//
// Lifetime:   a report owns its texts; a listing borrows the report and the sources.
// Errors:     none: any place can be shown.
// Limits:     a report keeps the first `max_diagnostics` of the options, and counts all; at most 78
//             columns of a line are shown.
// Allocation: 128 bytes and the texts for each diagnostic that is kept.

#ifndef TESSERA_CORE_REPORT_HPP
#define TESSERA_CORE_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {

/// How bad a finding is; only errors make a file invalid.
enum class severity : std::uint8_t { error, warning, note };
/// How many severities there are.
inline constexpr std::size_t severity_count = static_cast<std::size_t>(severity::note) + 1;
/// Of a severity, in messages: "error".
[[nodiscard]] constexpr std::string_view name(severity s) noexcept {
  return s == severity::error ? "error" : s == severity::warning ? "warning" : "note";
}

/// A range of a source: of file 0, which was read or verified, or of another one.
struct place {
  std::uint32_t file = 0;    ///< 0, or 1 + the index in report::files
  std::uint64_t offset = 0;  ///< in bytes, or the number of an element where `index` isn't `none`
  std::uint32_t length = 0;  ///< in bytes
  error_index index = error_index::none;  ///< `none`: the offset counts bytes
};

/// A range of report::characters.
struct text_range {
  std::uint32_t first = 0, size = 0;  ///< in bytes
  friend bool operator==(const text_range&, const text_range&) = default;
};

/// One finding.
struct diagnostic {
  errc code = errc::ok;                                   ///< the check that found it
  tessera::severity severity = tessera::severity::error;  ///< how bad it is
  bool has_note = false, has_fix = false;                 ///< whether `note` or `fix` is meant
  place where;                                            ///< what is wrong
  text_range rule;  ///< "CON-001", "G06"; empty where the code's name is the rule
  text_range path;  ///< "$.Nodes[3].Op", or in a binary "instruction 12, argument 2"; where it and
                    ///< `rule` are empty, descriptions look for it in JSON sources
  text_range text;  ///< one sentence
  place related;    ///< what the note is about; length 0 for a note about no place
  text_range note;  ///< a second sentence, about `related`
  place fix;        ///< the part that `replacement` replaces, empty where it is inserted
  text_range replacement;  ///< the text to put there
};

/// What was found, in the order in which it was found.
struct report {
  pool<diagnostic> diagnostics;  ///< in the order in which they were found
  text characters;               ///< all texts of the diagnostics
  pool<text_range> files;        ///< the names of the files after file 0, where the format has them
  std::uint64_t errors = 0, warnings = 0, notes = 0;  ///< also those that were not kept
  bool is_bounded = false;  ///< a search stopped at the limit that the options set

  /// The characters of a range. Borrows from the report.
  [[nodiscard]] std::string_view text_of(text_range r) const& noexcept {
    return {characters.data() + r.first, r.size};
  }
  std::string_view text_of(text_range) const&& = delete;
  /// The rule of a finding, or the name of its code. Borrows from the report.
  [[nodiscard]] std::string_view rule_of(const diagnostic& d) const& noexcept {
    return d.rule.size != 0 ? text_of(d.rule) : tessera::error{d.code}.name();
  }
  std::string_view rule_of(const diagnostic&) const&& = delete;
};

/// A file that diagnostics are about, with its name as it is to be shown.
struct source_file {
  std::string_view name;   ///< as it is to be shown
  std::string_view text;   ///< all of its bytes
  bool is_binary = false;  ///< shown by path, not by line
};

/// Shows the diagnostics of a report, one by one.
class listing {
 public:
  /// `sources` are file 0 and those that it includes, in the order of report::files; files that are
  /// missing there are named without their lines.
  listing(const report& found, view<source_file> sources);
  listing(const report&&, view<source_file>) = delete;

  /// The line and column where a place begins; 1, 1 in files without a source.
  [[nodiscard]] line_column locate(const place& p) const noexcept;
  /// The name of the file that a place is in.
  [[nodiscard]] std::string_view file_name(const place& p) const noexcept;
  /// The path of a diagnostic of the report, looked up in JSON sources; empty where there is none.
  [[nodiscard]] std::string_view path_of(const diagnostic& d) const noexcept;
  /// A diagnostic of the report with its line, its note and its fix.
  [[nodiscard]] text describe(const diagnostic& d) const;

 private:
  [[nodiscard]] bool has_source(const place& p) const noexcept {
    return p.index == error_index::none && p.file < sources_.size();
  }

  void find_paths();

  const report& found_;
  view<source_file> sources_;
  pool<std::uint64_t> lines_;      // where each line of each file begins
  pool<std::size_t> first_lines_;  // of each file, in lines_
  text characters_;                // paths that the report lacks
  pool<text_range> paths_;         // of each diagnostic, in characters_
};

/// All diagnostics of a report.
[[nodiscard]] text describe(const report& found, view<source_file> sources);

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_CORE_REPORT_HPP

// ---- tessera/genome/registry.hpp
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


#endif  // TESSERA_GENOME_REGISTRY_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How much is accepted, and how much is reported.
struct verify_options {
  limits limit = {};  ///< max_items: nodes of a stream, or of a pattern's expansion
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps; all are counted
};

namespace detail {
class library_maker;
}

/// A verified registry.
class library {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no pattern

  /// The registry that was verified: borrowed from the library, or moved out of it.
  ///@{
  [[nodiscard]] const genome::registry& registry() const& noexcept { return registry_; }
  [[nodiscard]] genome::registry registry() && noexcept { return std::move(registry_); }
  ///@}

  /// The name of an operation or command by its A; empty where the registry has none.
  [[nodiscard]] std::string_view operation(std::uint32_t a) const& noexcept {
    return name(operations_, registry_.operation_ids, a);
  }
  /// The target in an operation's name, without looking through all of it.
  [[nodiscard]] std::string_view target(std::uint32_t a) const& noexcept {
    return operation(a).substr(0, a < target_sizes_.size() ? target_sizes_[a] : 0);
  }
  /// The text of a variation by its B; empty where the registry has none.
  [[nodiscard]] std::string_view variation(std::uint32_t b) const& noexcept {
    return name(variations_, registry_.variations, b);
  }
  /// The text of a constant group by its id; empty where the registry has none.
  [[nodiscard]] std::string_view group(std::uint32_t id) const& noexcept {
    return name(groups_, registry_.group_ids, id);
  }
  /// The name of a parameter by its id; empty where the registry has none.
  [[nodiscard]] std::string_view parameter(std::uint32_t id) const& noexcept {
    return name(parameters_, registry_.parameter_ids, id);
  }
  /// Null where the registry has none.
  [[nodiscard]] const genome::constant* constant(std::uint32_t id) const& noexcept;
  // What a temporary returns would dangle at the end of the statement.
  std::string_view operation(std::uint32_t) const&& = delete;
  std::string_view target(std::uint32_t) const&& = delete;
  std::string_view variation(std::uint32_t) const&& = delete;
  std::string_view group(std::uint32_t) const&& = delete;
  std::string_view parameter(std::uint32_t) const&& = delete;
  const genome::constant* constant(std::uint32_t) const&& = delete;
  /// The index of a pattern in registry().patterns, by its id; or none.
  [[nodiscard]] std::uint32_t find_pattern(std::uint32_t id) const noexcept {
    return at(patterns_, id);
  }
  /// How many nodes a pattern is, patterns inside of it expanded; a COPY counts as one.
  [[nodiscard]] std::uint32_t flat_size(std::uint32_t pattern_index) const noexcept {
    return flat_sizes_[pattern_index];
  }
  /// How many nodes before its own first one a pattern's references lead at most, in the numbering of
  /// its expansion: as many as must precede it where it is called.
  [[nodiscard]] std::uint64_t reach(std::uint32_t pattern_index) const noexcept {
    return reaches_[pattern_index];
  }
  /// Whether a pattern takes inputs of the graph, by a COPY of DATA_INPUTs outside of its blocks, or
  /// one inside of it does.
  [[nodiscard]] bool takes_inputs(std::uint32_t pattern_index) const noexcept {
    return takes_inputs_[pattern_index] != 0;
  }
  /// How many tensors an operation takes by its name; none where the name doesn't say.
  [[nodiscard]] std::uint32_t tensors(std::uint32_t a) const noexcept {
    return a < tensors_.size() ? tensors_[a] : none;
  }
  /// How many inputs a node has at least for a variation to name them.
  [[nodiscard]] std::uint32_t inputs_named(std::uint32_t b) const noexcept {
    return b < inputs_named_.size() ? inputs_named_[b] : 0;
  }

 private:
  friend class detail::library_maker;
  using places = pool<std::uint32_t>;  // by id: the index in the map, plus 1

  library() noexcept = default;
  [[nodiscard]] static std::uint32_t at(const places& p, std::uint32_t id) noexcept {
    return id < p.size() ? p[id] - 1 : none;  // 0 - 1 is none
  }
  [[nodiscard]] std::string_view name(const places& p, const pool<entry>& map,
                                      std::uint32_t id) const noexcept;

  genome::registry registry_;
  places operations_, variations_, groups_, parameters_, constants_, patterns_;
  pool<std::uint32_t> flat_sizes_;                             // by index of the pattern
  pool<std::uint64_t> reaches_;                                // the same
  pool<unsigned char> takes_inputs_;                           // the same
  pool<std::uint32_t> tensors_, target_sizes_, inputs_named_;  // by id
};

/// A verified stream.
class program {
 public:
  /// The stream that was verified: borrowed from the program, or moved out of it.
  ///@{
  [[nodiscard]] const genome::stream& stream() const& noexcept { return stream_; }
  [[nodiscard]] genome::stream stream() && noexcept { return std::move(stream_); }
  ///@}
  /// The library that it was verified with. Borrowed by the program.
  [[nodiscard]] const genome::library& library() const noexcept { return *library_; }

 private:
  friend result<program> verify(genome::stream, const genome::library&, const verify_options&,
                                report*);
  program(genome::stream s, const genome::library& l) noexcept
      : stream_(std::move(s)), library_(&l) {}

  genome::stream stream_;
  const genome::library* library_;
};

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_PROGRAM_HPP

// ---- tessera/genome/detail/pattern_shapes.hpp
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

// ---- tessera/genome/detail/sequence_matcher.hpp
//
// The longest of many sequences that starts at each place of a text, in one pass over the text.
//
//   detail::sequence_matcher m;
//   m.add({tokens, 3}, 7);                   // tokens are numbers from 1 on
//   m.build();
//   std::uint32_t state = 0;
//   for (std::size_t i = text.size(); i-- != 0;) {
//     state = m.step(state, text[i]);
//     auto found = m.longest(state, room);   // that starts at i and has at most `room` tokens
//   }
//
// An automaton of Aho and Corasick over the sequences from back to front, which therefore reads the
// text from back to front. Its states are the nodes of a trie in the order of their depth, so that
// the children of one are consecutive, tokens ascending, and are found by bisection. Shorter
// sequences that start at the same place are found through links that skip more and more of them.
//
// Lifetime:   owns copies of the tokens.
// Errors:     none.
// Limits:     2^32 - 2 tokens in all.
// Allocation: 80 bytes for each token at most. Time is linear in the tokens and in the
//             text, but for a logarithm of the number of sequences.

#ifndef TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP
#define TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

class sequence_matcher {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Which sequence was found; none where none was.
  struct found {
    std::uint32_t name = none;
    std::uint32_t size = 0;
  };

  /// Of equal sequences the first that was added is found. `tokens` has at least one.
  void add(view<std::uint32_t> tokens, std::uint32_t name) {
    sequences_.push_back({static_cast<std::uint32_t>(tokens_.size()),
                          static_cast<std::uint32_t>(tokens.size()), name});
    tokens_.append(tokens.data(), tokens.size());
  }

  void build() {
    sort(sequences_.data(), sequences_.size(),
         [this](const sequence& x, const sequence& y) { return is_below(x, y); });
    make_states();
    tokens_ = {};
    link();
  }

  /// The state after one more token, to the left of those before.
  [[nodiscard]] std::uint32_t step(std::uint32_t from, std::uint32_t token) const noexcept {
    for (;;) {
      const std::uint32_t next = child(from, token);
      if (next != 0 || from == 0) return next;
      from = states_[from].shorter;
    }
  }

  [[nodiscard]] found longest(std::uint32_t from, std::size_t room) const noexcept {
    std::uint32_t at = states_[from].longest;
    while (states_[at].depth > room) {
      const link_of& l = links_[states_[at].link];
      at = states_[l.far].depth > room ? l.far : l.near;
    }
    return at == 0 ? found{} : found{links_[states_[at].link].name, states_[at].depth};
  }

 private:
  struct sequence {
    std::uint32_t first, size, name;
  };
  struct state {
    std::uint32_t token = 0, parent = 0, depth = 0;
    std::uint32_t shorter = 0;  ///< the longest state that this one's sequence starts with
    std::uint32_t longest = 0;  ///< the state of the longest whole sequence that it starts with
    std::uint32_t link = 0;     ///< where a sequence ends: its row in links_
  };
  /// A sequence and shorter ones that it starts with: the next, and one farther away.
  struct link_of {
    std::uint32_t near = 0, far = 0, rank = 0, name = none;
  };

  /// The token of a sequence that comes `depth` before its last.
  [[nodiscard]] std::uint32_t token(const sequence& s, std::size_t depth) const noexcept {
    return tokens_[s.first + (s.size - 1 - depth)];
  }
  [[nodiscard]] bool is_below(const sequence& x, const sequence& y) const noexcept {
    const std::size_t depth = shared(x, y);
    if (depth == x.size || depth == y.size) return x.size < y.size;
    return token(x, depth) < token(y, depth);
  }
  [[nodiscard]] std::size_t shared(const sequence& x, const sequence& y) const noexcept {
    std::size_t depth = 0;
    while (depth < x.size && depth < y.size && token(x, depth) == token(y, depth)) ++depth;
    return depth;
  }

  /// The trie. Sequences come sorted, so each adds states to the path of the one before; sorting
  /// those by depth, stable, puts the children of each in a row.
  void make_states() {
    pool<state> made;
    made.reserve(tokens_.size() + 1);
    made.push_back({});
    pool<std::uint32_t> path = {0}, ends, counts, places;
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      const sequence& s = sequences_[i];
      const std::size_t kept = i == 0 ? 0 : shared(sequences_[i - 1], s);
      path.shrink(kept + 1);
      for (std::size_t d = kept; d < s.size; ++d) {
        made.push_back({token(s, d), path.back(), static_cast<std::uint32_t>(d + 1)});
        path.push_back(static_cast<std::uint32_t>(made.size() - 1));
      }
      ends.push_back(path.back());
    }
    for (const state& s : made) {
      if (counts.size() <= s.depth + std::size_t{1}) counts.resize(s.depth + std::size_t{2});
      ++counts[s.depth + std::size_t{1}];
    }
    for (std::size_t d = 1; d < counts.size(); ++d) counts[d] += counts[d - 1];
    places.resize(made.size());
    states_.resize(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      places[i] = counts[made[i].depth]++;
      states_[places[i]] = made[i];
      states_[places[i]].parent = places[made[i].parent];
    }
    links_ = {{}};
    for (std::size_t i = 0; i < ends.size(); ++i) {
      state& s = states_[places[ends[i]]];
      if (s.link != 0) continue;
      s.link = static_cast<std::uint32_t>(links_.size());
      links_.push_back({0, 0, 0, sequences_[i].name});
    }
    firsts_.resize(states_.size() + 1);
    for (std::size_t i = 1; i < states_.size(); ++i) ++firsts_[states_[i].parent + std::size_t{1}];
    std::uint32_t first = 1;  // after the root
    for (std::uint32_t& f : firsts_) f = first += f;
  }

  void link() {
    for (std::uint32_t i = 1; i < states_.size(); ++i) {
      state& s = states_[i];
      if (s.parent != 0) s.shorter = step(states_[s.parent].shorter, s.token);
      const std::uint32_t near = states_[s.shorter].longest;
      s.longest = s.link == 0 ? near : i;
      if (s.link == 0) continue;
      const link_of& before = links_[states_[near].link];
      const link_of& far = links_[states_[before.far].link];
      link_of& l = links_[s.link];
      l.near = near;
      l.rank = before.rank + 1;
      const bool doubled = before.rank - far.rank == far.rank - links_[states_[far.far].link].rank;
      l.far = doubled ? far.far : near;
    }
  }

  [[nodiscard]] std::uint32_t child(std::uint32_t of, std::uint32_t token) const noexcept {
    const std::uint32_t first = firsts_[of], count = firsts_[of + std::size_t{1}] - first;
    const std::size_t at = first_not_below(states_.data() + first, count,
                                           [token](const state& s) { return s.token < token; });
    return at < count && states_[first + at].token == token ? first + static_cast<std::uint32_t>(at)
                                                            : 0;
  }

  pool<std::uint32_t> tokens_;
  pool<sequence> sequences_;
  pool<state> states_;          // the first is the start
  pool<std::uint32_t> firsts_;  // children of each state, and the end
  pool<link_of> links_;         // the first is that of none
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_SEQUENCE_MATCHER_HPP

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

// ---- tessera/genome/expand.hpp
//
// Patterns and copies written out: a verified stream becomes a flat graph, node by node.
//
//   auto flat = genome::expand(*program);                         // neither PATTERN nor COPY
//   auto counted = genome::expand(*program, {.copies = false});   // COPY stays one node
//   const genome::pattern_result second[] = {{18, 5}};            // pattern 18 gives its node 5
//   auto other = genome::expand(*program, {.results = {second, 1}});
//
// The numbering that references of patterns count in has each pattern written out, patterns inside
// of patterns too, and a COPY as one node. Copies are multiplied after that, and all ids moved.
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
//             graph, from a block that has ended, or of a node that has no value;
//             genome_reference_external where it takes what the IF around it doesn't list. At the
//             index in `results`: genome_pattern_result.
// Limits:     limits::max_items nodes, and as many inputs; 2^31 - 1. No recursion.
// Allocation: the graph; 8 bytes for each of its nodes, 4 for each of the stream's, 32 for each
//             pattern of the library, and 160 for each pattern or block inside of another. Time is
//             linear in the patterns that occur, the stream, and the graph.

#ifndef TESSERA_GENOME_EXPAND_HPP
#define TESSERA_GENOME_EXPAND_HPP


namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How far to expand, and how much.
struct expand_options {
  bool copies = true;  ///< a COPY becomes as many nodes as it says; else it stays one
  view<pattern_result> results = {};  ///< what patterns result in; empty: their last nodes
  limits limit = {};                  ///< of nodes
};

/// A program as a flat graph.
[[nodiscard]] result<stream> expand(const program& p, const expand_options& how = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_EXPAND_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Patterns of one node each that a library lacks: nodes of a graph that take inner results.
struct missing_patterns {
  stream nodes;               ///< references relative, as in a pattern; may be equal
  pool<std::uint64_t> saved;  ///< by node: bytes that the matches which it takes from would save
};

/// compress() of many graphs over one library, whose patterns are prepared once. Threads may share
/// it. Lifetime: borrows the library, and expand_options::results.
class compressor {
 public:
  /// Prepares the patterns of `l`, whose matches are chosen by `how`.
  explicit compressor(const library& l, const expand_options& how = {})
      : how_(how), patterns_(l, how.copies), wrong_(patterns_.choose(how.results)) {}

  /// `flat` is of the same library.
  [[nodiscard]] result<stream> run(const program& flat) const;
  /// What run() would use if the library had it, where one match or more depends on it. Operations
  /// only, whose inputs are up to 32768 nodes before them.
  [[nodiscard]] result<missing_patterns> missing(const program& flat) const;

 private:
  /// In which a COPY is one node.
  [[nodiscard]] result<stream> graph_of(const program& flat) const;

  const expand_options how_;
  detail::pattern_index patterns_;
  const error wrong_;
};

/// A flat graph in the patterns of its library. expand() gives the same graph back, node by node.
[[nodiscard]] inline result<stream> compress(const program& flat, const expand_options& how = {}) {
  return compressor(flat.library(), how).run(flat);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_COMPRESS_HPP

// ---- tessera/genome/print.hpp
//
// A human-readable listing of NAC v1.2: one line per node, ids replaced by what the registry says.
//
//   tessera::text listing = genome::print(*program);
//
//     ; 6 nodes, 5 inputs
//     %0 = input
//     %1 = parameter "p_embeddings_weight"
//     %2 = aten.linear.default(%0, %1)
//     %3 = aten.slice.Tensor(%2; arg1 = 0, arg2 = 3)
//     %4 = pattern 18(%2, %3)                              ; 10 nodes
//     output(%4)
//
//   tessera::text genes = genome::print(*library);         // counts, patterns and rules
//
// Tensors come in the order of the variation, then constants: by name where a group gives one.
// %n is the node of index n, also for references that are relative in the stream. The blocks of an
// IF or WHILE are indented, with `else` or `do` between them. In a pattern nodes count as its
// expansion has them, so that a pattern inside of it takes as many numbers as it has nodes, and what
// comes from outside is %-1, the node before its first, and so on.
//
// Lifetime:   borrows while it runs; the text owns itself.
// Errors:     none.
// Limits:     blocks are indented by 32 levels at most; names and values show 96 bytes, groups 16 parts.
// Allocation: the text, and 24 bytes for each open block.

#ifndef TESSERA_GENOME_PRINT_HPP
#define TESSERA_GENOME_PRINT_HPP


namespace tessera::inline TESSERA_ABI {
namespace genome {

struct print_options {};  // none yet

/// The nodes of a stream.
[[nodiscard]] text print(const program& p, const print_options& options = {});

/// What a registry holds: how much of everything, its patterns and its rules.
[[nodiscard]] text print(const library& l, const print_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_PRINT_HPP

// ---- tessera/genome/read.hpp
//
// Node streams from their bytes, and from the base64 that signatures are kept in.
//
//   tessera::result<genome::stream> s = genome::read(source);
//   tessera::result<genome::stream> t = genome::read_base64("AgEAAAFAQDUADQLAAACAAAAAQQBAAABAAI=");
//
//   all bytes                                                    encoding
//   characters of base64, and white space only around them       base64
//   anything else, and what has no character of base64           bytes
//
// The bytes of a stream are all such characters only where, apart from white space at its ends, its
// nodes are operations with 43 inputs or more: force the encoding where that can happen.
//
//   byte    0   1   2 3   4   5 …
//   node    A   B   C     n   n × D        big-endian; C and D are signed
//
// A stream has neither header nor count: nodes follow one another to the end. So a prefix of one
// that ends after a node is a stream too, and an empty stream has no nodes.
//
// Lifetime:   the stream owns itself; the source may go.
// Errors:     genome_node_truncated, at the node that isn't whole; genome_base64_*; too_many_items,
//             at the node.
// Limits:     max_bytes, and max_items nodes and inputs, of each 2^32 - 1 at most.
// Allocation: 12 bytes for each node and 4 for each input, at most 2.4 × input; from base64 also the
//             bytes: at most 2.6 × input in all.

#ifndef TESSERA_GENOME_READ_HPP
#define TESSERA_GENOME_READ_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How the nodes of a stream are stored.
enum class encoding : std::uint8_t { automatic, bytes, base64 };

/// `automatic`: what detect() says; of a registry the encoding doesn't matter.
struct read_options {
  genome::encoding encoding = genome::encoding::automatic;  ///< of the nodes
  limits limit = {};                                        ///< of bytes and nodes
};

/// The encoding that a source shows by the table above: bytes or base64.
[[nodiscard]] encoding detect(bytes source) noexcept;
[[nodiscard]] inline encoding detect(std::string_view source) noexcept {
  return detect(as_bytes(source));
}

/// Reads a stream. The error's offset is into the source; in base64, see read_base64.
[[nodiscard]] result<stream> read(bytes source, const read_options& options = {});
[[nodiscard]] inline result<stream> read(std::string_view source,
                                         const read_options& options = {}) {
  return read(as_bytes(source), options);
}

/// Reads a stream from base64, ignoring surrounding white space. The error's offset is into the text: for a
/// node, that of the group of 4 characters that it begins in.
[[nodiscard]] result<stream> read_base64(std::string_view source, const read_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_READ_HPP

// ---- tessera/genome/read_registry.hpp
//
// registry.json into a registry, patterns decoded.
//
//   tessera::result<genome::registry> r = genome::read_registry(json);
//   if (!r) std::cerr << describe(r.error(), json, "registry.json");
//
//   {"canonical_to_index": {NAME: ID, …},      "index_to_canonical": {"ID": NAME, …},
//    "variation_to_index": {NAME: ID, …},
//    "constants": {"ID": {"type": TEXT, "value": any}, …},
//    "index_to_constant": {"ID": TEXT, …},
//    "constant_group_to_index": {NAME: ID, …}, "index_to_constant_group": {"ID": NAME, …},
//    "param_name_to_index": {NAME: ID, …},     "index_to_param_name": {"ID": NAME, …},
//    "patterns": {"ID": BASE64, …},
//    "rules": {"transition_rules": {TEXT: {"probability": P, "count": N, "b64_repr": BASE64,
//                                          "exceptions": [TEXT, …]}, …},
//              "composition_rules": {TEXT: {"count": N}, …},
//              "structural_rules": {TEXT: {"count": N}, …}}}
//
// Members come in any order and each may be missing, of a rule only "exceptions". P is a string or
// a number and kept verbatim. verify() checks what ids refer to.
//
// The original tools write floats that JSON has no number for as NaN, Infinity and -Infinity. In the
// values of constants, and only there, they are read as the strings "nan", "inf" and "-inf".
//
// Lifetime:   the registry owns itself; the source may go.
// Errors:     json_*, genome_registry_*, genome_constant_member, genome_rule_*, too_many_items, at the
//             value; genome_base64_* and genome_node_truncated at the group of four characters, or
//             the start of the string where it holds escapes.
// Limits:     max_bytes and 2^32 - 1, max_items for each map, list and stream, max_depth.
// Allocation: at most 20 × input + 64 KiB.

#ifndef TESSERA_GENOME_READ_REGISTRY_HPP
#define TESSERA_GENOME_READ_REGISTRY_HPP

#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {

/// Reads the text of a registry.json.
[[nodiscard]] result<registry> read_registry(std::string_view source,
                                             const read_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_READ_REGISTRY_HPP

// ---- tessera/genome/signature.hpp
//
// The texts of a registry taken apart: names of operations, variations, constant groups.
//
//   genome::operation_name n("aten._to_copy.default:node_args(1):kwargs('dtype',)");
//   n.target;   // "aten._to_copy.default"
//   n.tensors;  // 1
//   std::string_view keyword;
//   while (n.next_keyword(keyword)) …                       // "dtype"
//
//   genome::variation_inputs order("in1,in0");
//   for (std::uint32_t i; order.next(i);) …                 // 1, 0
//
//   genome::group_parts parts("arg1=10;dim=11");
//   genome::group_part p;
//   while (parts.next(p)) …                                 // {"arg1", 10}, {"dim", 11}
//
//   genome::single_constant_key("aten.relu.default:node_args(1):kwargs()", 1);   // position 1
//
// Lifetime:   all borrow their text.
// Errors:     values: `well_formed` and `failed`; what was returned before remains valid.
// Limits:     positions and ids of 5 digits.
// Allocation: none.

#ifndef TESSERA_GENOME_SIGNATURE_HPP
#define TESSERA_GENOME_SIGNATURE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

/// A decimal number at the start of `text`, without superfluous zeros; takes it off there.
[[nodiscard]] constexpr bool take_number(std::string_view& text, std::uint32_t& out) noexcept {
  std::size_t digits = 0;
  out = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    if (digits == 5) return false;
    out = out * 10 + static_cast<std::uint32_t>(text[digits] - '0');
  }
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return true;
}
[[nodiscard]] constexpr bool take(std::string_view& text, std::string_view prefix) noexcept {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace detail

/// TARGET:node_args(N):kwargs('k1', 'k2'). Where a name isn't of this form, all of it is its target
/// and nothing else is known.
struct operation_name {
  std::string_view target;    ///< ATen's name, such as "aten.add.Tensor"
  std::uint32_t tensors = 0;  ///< distinct tensor inputs
  bool well_formed = false;   ///< the name has this form

  /// Takes the name apart. Borrows it.
  explicit constexpr operation_name(std::string_view name) noexcept : target(name) {
    constexpr std::string_view mark = ":node_args(";
    const std::size_t at = name.rfind(mark);
    if (at == std::string_view::npos) return;
    std::string_view rest = name.substr(at + mark.size());
    std::uint32_t n = 0;
    if (!detail::take_number(rest, n) || !detail::take(rest, "):kwargs(") || !rest.ends_with(')'))
      return;
    rest.remove_suffix(1);
    target = name.substr(0, at);
    tensors = n;
    keywords_ = rest;
    well_formed = true;
  }
  /// The next keyword, in their order: sorted.
  [[nodiscard]] constexpr bool next_keyword(std::string_view& out) noexcept {
    if (!detail::take(keywords_, "'")) return false;
    const std::size_t end = keywords_.find('\'');
    if (end == std::string_view::npos) return false;
    out = keywords_.substr(0, end);
    keywords_.remove_prefix(end + 1);
    (void)(detail::take(keywords_, ", ") || detail::take(keywords_, ","));
    return true;
  }

 private:
  std::string_view keywords_;
};

/// Which input each tensor argument is, arguments in the order of their names as text.
class variation_inputs {
 public:
  /// Of a variation's text. Borrows it.
  explicit constexpr variation_inputs(std::string_view text) noexcept : rest_(text) {}
  /// The next input's number; false at the end, or where the text is wrong.
  [[nodiscard]] constexpr bool next(std::uint32_t& input) noexcept {
    if (rest_.empty()) return false;
    if (!first_ && !detail::take(rest_, ",")) return fail();
    first_ = false;
    return detail::take(rest_, "in") && detail::take_number(rest_, input) ? true : fail();
  }
  /// Whether the text was wrong.
  [[nodiscard]] constexpr bool failed() const noexcept { return failed_; }

 private:
  constexpr bool fail() noexcept {
    rest_ = {};
    failed_ = true;
    return false;
  }
  std::string_view rest_;
  bool first_ = true, failed_ = false;
};

/// A part of a constant group: which argument, and the id of its constant.
struct group_part {
  std::string_view key;        ///< "arg1", or a keyword
  std::uint32_t constant = 0;  ///< its id
};

/// The parts of a constant group.
class group_parts {
 public:
  /// Of a constant group's text. Borrows it.
  explicit constexpr group_parts(std::string_view text) noexcept : rest_(text) {}
  /// The next part; false at the end, or where the text is wrong.
  [[nodiscard]] constexpr bool next(group_part& out) noexcept {
    if (rest_.empty()) return false;
    if (!first_ && !detail::take(rest_, ";")) return fail();
    first_ = false;
    const std::size_t equals = rest_.find('=');
    if (equals == std::string_view::npos || equals == 0) return fail();
    out.key = rest_.substr(0, equals);
    rest_.remove_prefix(equals + 1);
    return detail::take_number(rest_, out.constant) ? true : fail();
  }
  /// Whether the text was wrong.
  [[nodiscard]] constexpr bool failed() const noexcept { return failed_; }

 private:
  constexpr bool fail() noexcept {
    rest_ = {};
    failed_ = true;
    return false;
  }
  std::string_view rest_;
  bool first_ = true, failed_ = false;
};

/// Which argument a constant is: a keyword, or where that is empty a position ("arg1").
struct constant_key {
  std::string_view keyword;    ///< of the operation
  std::uint32_t position = 0;  ///< among its arguments, from 0
};

/// How many arguments of a node are tensors: those of its variation; where it has inputs that no
/// variation names, they are one list.
[[nodiscard]] constexpr std::uint32_t tensor_arguments(std::string_view variation,
                                                       std::size_t inputs) noexcept {
  variation_inputs order(variation);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; order.next(i);) ++count;
  return count == 0 && inputs != 0 ? 1 : count;
}

/// Which argument the constant of a node with C > 0 is, as C names no key: the operation's keyword,
/// where it has just one; else the first position after its `tensors` tensor arguments. A constant
/// in any other place has a group of its own.
[[nodiscard]] constexpr constant_key single_constant_key(std::string_view operation,
                                                         std::uint32_t tensors) noexcept {
  operation_name name(operation);
  std::string_view keyword, second;
  if (name.next_keyword(keyword) && !name.next_keyword(second)) return {keyword, 0};
  return {{}, tensors};
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_SIGNATURE_HPP

// ---- tessera/genome/verify.hpp
//
// The proof that a registry and streams over it hold together.
//
//   tessera::report found;
//   tessera::result<genome::library> library = genome::verify(std::move(*registry), {}, &found);
//   tessera::result<genome::program> program = genome::verify(std::move(*stream), *library, {}, &found);
//
//   registry   ids, names and their reverse maps, constants, groups   detail/check_registry.hpp
//   patterns   none contains itself, sizes of their expansions, their nodes
//   stream     ids, references, blocks of IF and WHILE                detail/check_stream.hpp
//
// Sizes are counted, nothing is expanded: a registry of a few hundred bytes whose patterns expand to
// more nodes than there is memory is an error before any is spent.
//
// Lifetime:   a library owns its registry; a program owns its stream and borrows its library.
// Errors:     the first one, in the order of the table; patterns in their order, and those inside
//             of one before it. The offset is that of the row of a registry, or of the node or the
//             entry of D in a stream, in bytes. genome_pattern_unknown, _recursion and _size, at
//             the pattern; too_many_items at 0, genome_node_truncated for a stream built in
//             code; else those of the checks.
//             A registry that was built in code has indices of rows; in_node() names the node of a
//             stream.
// Limits:     max_items nodes for a pattern's expansion, in which a COPY is one; and 2^32 - 1.
// Allocation: library's and the checkers', and 8 bytes for each node of the longest pattern.

#ifndef TESSERA_GENOME_VERIFY_HPP
#define TESSERA_GENOME_VERIFY_HPP


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {
class library_maker;

}  // namespace detail

/// Checks a registry and all of its patterns. `found` receives every finding.
[[nodiscard]] result<library> verify(registry r, const verify_options& options = {},
                                     report* found = nullptr);

/// Checks a stream against a library, which has to outlive the program. `found` receives every
/// finding, up to an IF or WHILE whose blocks can't be known.
[[nodiscard]] result<program> verify(stream s, const library& l, const verify_options& options = {},
                                     report* found = nullptr);
result<program> verify(stream s, library&& l, const verify_options& options = {},
                       report* found = nullptr) = delete;

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_VERIFY_HPP

// ---- tessera/genome/write.hpp
//
// Node streams to their bytes and to base64.
//
//   tessera::result<tessera::pool<std::byte>> file = genome::write(stream);
//   tessera::result<tessera::text> line = genome::write_base64(stream);
//
// The format has one form for a stream: a stream that is read and written again is the same, byte
// for byte, and base64 too, except for surrounding white space.
//
// Lifetime:   what is returned owns itself.
// Errors:     genome_reference_range, genome_node_inputs: before the first byte, with the index of
//             the node.
// Limits:     those of the format: 255 inputs of 16 bits.
// Allocation: the bytes; for base64 those and the text.

#ifndef TESSERA_GENOME_WRITE_HPP
#define TESSERA_GENOME_WRITE_HPP

#include <cstddef>


namespace tessera::inline TESSERA_ABI {
namespace genome {

/// How to write, and how much.
struct write_options {
  genome::encoding encoding = genome::encoding::bytes;  ///< of a stream; automatic: bytes
  limits limit = {};                                    ///< max_depth: of a registry's constants
};

/// The bytes of a stream, or with that encoding the characters of its base64. The error's offset is
/// the node's index.
[[nodiscard]] result<pool<std::byte>> write(const stream_view& s,
                                            const write_options& options = {});

/// The base64 of a stream as text, without a line end.
[[nodiscard]] result<text> write_base64(const stream_view& s);

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_WRITE_HPP

// ---- tessera/genome/write_registry.hpp
//
// A registry to registry.json, in one form.
//
//   tessera::result<tessera::text> json = genome::write_registry(registry);
//
//   {
//     "canonical_to_index": {
//       "<NONE>": 0,
//       "aten.relu.default:node_args(1):kwargs()": 10
//     },
//     …
//     "constants": {
//       "10": {"type":"int","value":1}
//     },
//
// All members of the specification in its order, empty ones too; index_to_constant after constants
// if there is one; ids ascending, rules in their order; "exceptions" if there are any. Two spaces
// per level, a constant on one line, no line end after the last brace.
//
// Lifetime:   the text owns itself.
// Errors:     what no registry.json can say: json_bad_utf8 in names, genome_name_repeated and
//             genome_id_repeated for keys, genome_registry_id above 65535, genome_constant_value
//             that isn't JSON, genome_rule_probability, genome_node_inputs and
//             genome_reference_range in streams; the offset is the row's. Nothing is written then.
// Limits:     max_depth for constants, in the containers around them.
// Allocation: the text, at most twice; 8 bytes for each member of a map.

#ifndef TESSERA_GENOME_WRITE_REGISTRY_HPP
#define TESSERA_GENOME_WRITE_REGISTRY_HPP


namespace tessera::inline TESSERA_ABI {
namespace genome {

/// The text of a registry.json.
[[nodiscard]] result<text> write_registry(const registry& r, const write_options& options = {});

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_GENOME_WRITE_REGISTRY_HPP

#endif  // TESSERA_GENOME_HPP

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)

// ---- tessera/core/detail/error.hpp
//
// The bodies of core/error.hpp, and core's own messages.

#ifndef TESSERA_CORE_DETAIL_ERROR_HPP
#define TESSERA_CORE_DETAIL_ERROR_HPP


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr errc_row core_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_CORE_ERRORS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr errc_row unknown_code{errc::ok, "unknown", "unknown error"};

TESSERA_INLINE errc_table& table_of(std::size_t owner) noexcept {
  static errc_table tables[owners] = {{core_rows, sizeof core_rows / sizeof core_rows[0]}};
  return tables[owner];
}

[[nodiscard]] inline const errc_row& row_of(errc code) noexcept {
  const std::size_t owner = static_cast<std::size_t>(code) / 1000;
  if (owner < owners)
    for (const errc_row& row : table_of(owner))
      if (row.code == code) return row;
  return unknown_code;
}

}  // namespace detail

TESSERA_INLINE std::string_view error::message() const noexcept {
  return detail::row_of(code).message;
}
TESSERA_INLINE std::string_view error::name() const noexcept { return detail::row_of(code).name; }

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_ERROR_HPP

// ---- tessera/core/detail/text.hpp
//
// The bodies of core/text.hpp.

#ifndef TESSERA_CORE_DETAIL_TEXT_HPP
#define TESSERA_CORE_DETAIL_TEXT_HPP


namespace tessera::inline TESSERA_ABI {

[[gnu::cold]] TESSERA_INLINE void append_shown(text& out, std::string_view s,
                                               std::string_view kept) {
  const auto hex = [&out](unsigned v) { out << "0123456789abcdef"[v & 15]; };
  const char* plain = s.data();
  const char* const end = plain + s.size();
  const auto flush = [&](const char* at) {
    out << std::string_view(plain, static_cast<std::size_t>(at - plain));
  };
  for (const char* at = plain; at != end;) {
    const auto lead = static_cast<unsigned char>(*at);
    if (lead >= 0x20 && lead < 0x7f) {
      ++at;
      continue;
    }
    const unsigned length = unsafe_length(at, end);
    if (length == 0 || (lead < 0x80 && kept.find(*at) != kept.npos)) {
      at += length == 0 ? utf8_length(at, end) : 1;
      continue;
    }
    flush(at);
    if (lead == '\n' || lead == '\t' || lead == '\r') {
      out << '\\' << (lead == '\n' ? 'n' : lead == '\t' ? 't' : 'r');
    } else if (length == 1) {
      out << "\\x";
      hex(lead >> 4);
      hex(lead);
    } else {
      const auto tail = [at](int i) { return static_cast<unsigned char>(at[i]) & 0x3fu; };
      const unsigned c = length == 2 ? (lead & 0x1fu) << 6 | tail(1)
                                     : (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
      out << "\\u{";
      for (int shift = c > 0xfff ? 12 : c > 0xff ? 8 : 4; shift >= 0; shift -= 4) hex(c >> shift);
      out << '}';
    }
    plain = at += length;
  }
  flush(end);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_TEXT_HPP

// ---- tessera/core/detail/json_path.hpp
//
// The bodies of core/json_path.hpp.

#ifndef TESSERA_CORE_DETAIL_JSON_PATH_HPP
#define TESSERA_CORE_DETAIL_JSON_PATH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/json.hpp
//
// JSON, both ways: json::reader, json::writer, and copying from one to the other.
//
//   json::copy(in, out);   // a member that the schema doesn't know survives in the new layout
//
// Lifetime:   see reader and writer.
// Errors:     those of the reader; what was written until then stays.
// Limits:     those of the reader.
// Allocation: a byte for each open container.

#ifndef TESSERA_CORE_JSON_HPP
#define TESSERA_CORE_JSON_HPP

#include <string_view>


// ---- tessera/core/json_read.hpp
//
// A strict pull reader for JSON (RFC 8259), directed by the caller's schema.
//
//   json::reader in(source);
//   std::string_view key;
//   for (in.object(); in.key(key);) {
//     if (key == "values")
//       for (in.array(); in.element();) values.push_back(in.int64());
//     else
//       in.skip();
//   }
//   if (error e = in.finish(); e.code != errc::ok) return e;
//
// The first error sticks: from then on every loop ends, every value is 0, and finish() reports it.
// So a schema reads like the format's documentation, with one check at the end.
//
//   accepted    RFC 8259, and a UTF-8 byte order mark before the value
//   rejected    anything else, duplicate keys of one object (compared after unescaping), numbers
//               beyond a double, invalid UTF-8, unpaired surrogates, bytes after the value
//   integers    exact: int64, uint64, or a 64-bit pattern; never by way of a double
//   doubles     correctly rounded, whatever the locale
//
// Lifetime:   borrows the source; strings it returns borrow from the source or, when they hold
//             escapes, from the reader until its next string or key.
// Errors:     json_* and input_too_large, at the first wrong byte. A duplicate key is
//             reported when its object closes, at the second of the two.
// Limits:     max_bytes, max_depth. Nothing here recurses.
// Allocation: 24 bytes for each key of the objects that are open, and the longest escaped string;
//             each at most twice (see pool).

#ifndef TESSERA_CORE_JSON_READ_HPP
#define TESSERA_CORE_JSON_READ_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>


// ---- tessera/core/number.hpp
//
// Decimal text to doubles: correctly rounded, independent of the locale.
//
//   double v = tessera::decimal_to_double({.digits = "25", .exponent = -1});   // 2.5
//
// std::from_chars for doubles is missing from libc++ before version 20, so nothing here uses
// <charconv>. Common numbers take one multiplication or division whose result is exact; the
// rest uses plain big-integer arithmetic that reads like the definition. The inverse is in
// shortest.hpp.
//
// Lifetime:   values.
// Errors:     none; a magnitude beyond the largest double gives infinity, for the caller to reject.
// Limits:     none: any number of digits is rounded correctly.
// Allocation: none.

#ifndef TESSERA_CORE_NUMBER_HPP
#define TESSERA_CORE_NUMBER_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {

/// A decimal number: its digits, read as one integer, times 10^exponent.
struct decimal {
  std::string_view digits = {};  ///< '0' to '9', and at most one '.', which is skipped
  std::int64_t exponent = 0;     ///< power of ten of the last digit; |exponent| <= 2^60
};

namespace detail {

inline constexpr double infinity = std::bit_cast<double>(std::uint64_t{0x7ff} << 52);

inline constexpr double exact_powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline constexpr std::uint64_t powers_of_ten[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
};

/// An unsigned integer of up to 8192 bits: enough for 800 digits times 10^1200.
class big_integer {
 public:
  explicit big_integer(std::uint64_t v = 0) noexcept {
    for (; v != 0; v >>= 32) limbs_[size_++] = static_cast<std::uint32_t>(v);
  }

  /// this = this * factor + addend
  void multiply_add(std::uint32_t factor, std::uint32_t addend) noexcept {
    std::uint64_t carry = addend;
    for (unsigned i = 0; i < size_; ++i) {
      carry += std::uint64_t{limbs_[i]} * factor;
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) limbs_[size_++] = static_cast<std::uint32_t>(carry);
  }
  void multiply_power_of_ten(unsigned exponent) noexcept {
    for (; exponent >= 9; exponent -= 9) multiply_add(1000000000u, 0);
    for (; exponent > 0; --exponent) multiply_add(10, 0);
  }
  void shift_left(unsigned count) noexcept {
    if (size_ == 0) return;
    const unsigned words = count / 32;
    if (words != 0) {
      std::memmove(limbs_ + words, limbs_, size_ * sizeof *limbs_);
      std::memset(limbs_, 0, words * sizeof *limbs_);
      size_ += words;
    }
    if (count % 32 != 0) multiply_add(1u << count % 32, 0);
  }
  /// this -= other, which must not be larger
  void subtract(const big_integer& other) noexcept {
    std::uint64_t borrow = 0;
    for (unsigned i = 0; i < size_; ++i) {
      const std::uint64_t take = borrow + (i < other.size_ ? other.limbs_[i] : 0u);
      borrow = limbs_[i] < take ? 1 : 0;
      limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - take);
    }
    while (size_ != 0 && limbs_[size_ - 1] == 0) --size_;
  }
  void add(const big_integer& other) noexcept {
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < other.size_ || carry != 0; ++i) {
      if (i >= size_) limbs_[size_++] = 0;
      carry += std::uint64_t{limbs_[i]} + (i < other.size_ ? other.limbs_[i] : 0u);
      limbs_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  [[nodiscard]] int compare(const big_integer& other) const noexcept {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    for (unsigned i = size_; i-- > 0;)
      if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
    return 0;
  }
  [[nodiscard]] bool is_zero() const noexcept { return size_ == 0; }
  [[nodiscard]] int bit_length() const noexcept {
    return size_ == 0 ? 0 : static_cast<int>(32 * size_) - std::countl_zero(limbs_[size_ - 1]);
  }

 private:
  unsigned size_ = 0;
  std::uint32_t limbs_[256];
};

/// (significand + a bit of rest) × 2^exponent rounded to nearest even; the significand has 64 bits.
[[nodiscard]] inline double round_to_double(std::uint64_t significand, bool rest,
                                            int exponent) noexcept {
  // 11 bits go for a normal number, more for a subnormal one, all or more for zero.
  int dropped = 11;
  if (exponent + dropped < -1074) dropped = -1074 - exponent;
  if (dropped > 64) return 0.0;
  std::uint64_t kept = dropped == 64 ? 0 : significand >> dropped;
  const std::uint64_t tie = std::uint64_t{1} << (dropped - 1);
  const std::uint64_t lost = dropped == 64 ? significand : significand & ((tie << 1) - 1);
  if (lost > tie || (lost == tie && (rest || (kept & 1) != 0))) ++kept;
  const int unit = exponent + dropped;  // the power of two of the last kept bit
  if (unit > 971 || (unit == 971 && kept >> 53 != 0)) return infinity;
  // The carry of rounding up runs into the exponent field, where it belongs.
  const std::uint64_t biased = kept >> 52 != 0 ? static_cast<std::uint64_t>(unit + 1074) : 0;
  return std::bit_cast<double>((biased << 52) + kept);
}

/// The double nearest to m / 10^k, ties to even, for m > 0 and k <= 18, from a quotient that is at
/// most one step and a half off: what dividing the rounded m by the exact power gives. The
/// remainder decides; it is small, so that arithmetic modulo 2^64 finds it.
[[nodiscard]] inline double nearest_quotient(std::uint64_t m, double quotient,
                                             unsigned k) noexcept {
  auto bits = std::bit_cast<std::uint64_t>(quotient);
  const std::uint64_t significand = (bits & 0xfffffffffffffu) | std::uint64_t{1} << 52;
  const int exponent = static_cast<int>(bits >> 52) - 1075;  // quotient = significand * 2^exponent
  // In units of 2^exponent, or of 1 where that is above 1.
  const int up = exponent > 0 ? exponent : 0, down = exponent < 0 ? -exponent : 0;
  const std::uint64_t step = powers_of_ten[k] << up;
  std::uint64_t rest = (down < 64 ? m << down : 0) - significand * step;
  const bool above = rest >> 63 == 0;
  if (!above) rest = 0 - rest;
  if (!above && significand == std::uint64_t{1} << 52) rest *= 2;  // steps below it are half
  while (2 * rest > step || (2 * rest == step && (bits & 1) != 0)) {
    bits = above ? bits + 1 : bits - 1;
    if (rest < step) break;
    rest -= step;
  }
  return std::bit_cast<double>(bits);
}

/// m / 10^k, correctly rounded, for m < 2^63 and k <= 18.
[[nodiscard, gnu::always_inline]] inline double quotient_by_power_of_ten(std::uint64_t m,
                                                                         unsigned k) noexcept {
  const double quotient =
      static_cast<double>(static_cast<std::int64_t>(m)) / exact_powers_of_ten[k];
  // Two exact operands, one operation: rounded by IEEE 754, where the host computes in doubles.
  const bool rounded = m == 0 || (FLT_EVAL_METHOD == 0 && m >> 53 == 0);
  return rounded ? quotient : nearest_quotient(m, quotient, k);
}

/// The definition: numerator / denominator as big integers, 64 bits of quotient, one rounding.
[[nodiscard, gnu::cold]] inline double decimal_to_double_exact(const decimal& d) noexcept {
  // Beyond 800 digits the rest only means "a little more": the halfway points between doubles
  // have at most 767 significant digits.
  constexpr unsigned max_digits = 800;
  big_integer numerator;
  std::int64_t exponent = d.exponent;
  unsigned taken = 0;
  bool more = false;
  for (const char c : d.digits) {
    if (c == '.' || (taken == 0 && c == '0')) continue;
    if (taken < max_digits) {
      numerator.multiply_add(10, static_cast<std::uint32_t>(c - '0'));
      ++taken;
    } else {
      more = more || c != '0';
      ++exponent;
    }
  }
  if (numerator.is_zero()) return 0.0;
  if (more) {
    numerator.multiply_add(10, 1);
    --exponent;
  }
  if (exponent + taken > 310) return infinity;
  if (exponent + taken < -330) return 0.0;
  big_integer denominator(1);
  if (exponent >= 0)
    numerator.multiply_power_of_ten(static_cast<unsigned>(exponent));
  else
    denominator.multiply_power_of_ten(static_cast<unsigned>(-exponent));
  // Scale so that the quotient lies in [2^63, 2^65), then divide bit by bit.
  int scale = 64 - (numerator.bit_length() - denominator.bit_length());
  if (scale >= 0)
    numerator.shift_left(static_cast<unsigned>(scale));
  else
    denominator.shift_left(static_cast<unsigned>(-scale));
  denominator.shift_left(64);
  std::uint64_t quotient = 0;
  bool top = false;
  for (int bit = 64; bit >= 0; --bit) {
    const bool one = numerator.compare(denominator) >= 0;
    if (one) numerator.subtract(denominator);
    if (bit == 64)
      top = one;
    else
      quotient |= std::uint64_t{one ? 1u : 0u} << bit;
    numerator.shift_left(1);
  }
  bool rest = !numerator.is_zero();
  if (top) {  // 65 bits: the last joins the rest
    rest = rest || (quotient & 1) != 0;
    quotient = quotient >> 1 | std::uint64_t{1} << 63;
    --scale;
  }
  return round_to_double(quotient, rest, -scale);
}

}  // namespace detail

/// The double nearest to d, ties to even; infinity beyond the largest, 0 below the smallest. The
/// value of the digits is known, and below 2^64.
[[nodiscard]] inline double decimal_to_double(const decimal& d,
                                              std::uint64_t significand) noexcept {
  if (significand == 0) return 0.0;
  const std::int64_t e = d.exponent;
  // Two exact operands and one operation: correctly rounded by IEEE 754, where doubles are doubles.
  if (FLT_EVAL_METHOD == 0 && significand >> 53 == 0 && e >= -22 && e <= 22) {
    const auto v = static_cast<double>(significand);
    return e < 0 ? v / detail::exact_powers_of_ten[-e] : v * detail::exact_powers_of_ten[e];
  }
  if (e < 0 && e >= -18) {
    const volatile double quotient =  // a double also where the host computes wider
        static_cast<double>(significand) / detail::exact_powers_of_ten[-e];
    return detail::nearest_quotient(significand, quotient, static_cast<unsigned>(-e));
  }
  return detail::decimal_to_double_exact(d);
}

/// The same for any digits.
[[nodiscard]] inline double decimal_to_double(const decimal& d) noexcept {
  std::uint64_t significand = 0;
  unsigned taken = 0;
  for (const char c : d.digits) {
    if (c == '.') continue;
    if (significand != 0 || c != '0') ++taken;
    if (taken > 19) return detail::decimal_to_double_exact(d);
    significand = significand * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return decimal_to_double(d, significand);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_NUMBER_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The kind of the next value, by its first character.
enum class kind : std::uint8_t { none, object, array, string, number, boolean, null };

/// A number as it is in the text.
struct number {
  double value = 0;             ///< rounded to the nearest double
  bool integral = false;        ///< the token has neither fraction nor exponent
  std::string_view token = {};  ///< verbatim, for writing it back unchanged
};

/// Reads one document from its start to its end. The first error stops it, and finish() returns that.
class reader {
 public:
  /// Starts at the first value, after a byte order mark if there is one. Borrows `source`.
  explicit reader(std::string_view source, const limits& limit = {})
      : begin_(source.data()), at_(begin_), end_(begin_ + source.size()), limit_(limit) {
    if (source.size() > limit.max_bytes)
      fail(errc::input_too_large, limit.max_bytes);
    else if (source.substr(0, 3) == "\xEF\xBB\xBF")
      at_ += 3;
  }
  /// A temporary string would be destroyed before the first value is read.
  template <class Owner>
    requires(!std::is_lvalue_reference_v<Owner> && !std::is_trivially_copyable_v<Owner>)
  explicit reader(Owner&& source, const limits& limit = {}) = delete;

  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// Enters an array. Then call element() before each value, until it returns false.
  void array() { open('[', errc::json_expected_array); }
  /// True when another element follows, which must then be read; false after the ']'.
  [[nodiscard]] bool element() { return next(']', errc::json_expected_comma_or_bracket); }
  /// The same for arrays of fixed length: an element must follow.
  void require_element(errc code = errc::json_missing_element) {
    const char* const at = token();
    if (!element()) fail_at(code, at);
  }
  /// Leaves an array, which must end here.
  void end_array(errc code = errc::json_unexpected_element) {
    const char* const at = token();
    if (element()) fail_at(code, at);
  }

  /// Enters an object. Then call key() before each member, until it returns false.
  void object() {
    open('{', errc::json_expected_object);
    if (!failed()) object_keys_.push_back(keys_.size());
  }
  /// True when another member follows: its key, unescaped, is in `out` and its value is to be read.
  [[nodiscard]] bool key(std::string_view& out) {
    if (object_keys_.empty() && !failed()) __builtin_trap();  // without object()
    if (!next('}', errc::json_expected_comma_or_brace)) {
      close_object();
      return false;
    }
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != '"') return fail_at(errc::json_expected_key, at_), false;
    const char* const start = at_;
    bool escaped = false;
    out = quoted(escaped);
    if (failed()) return false;
    keys_.push_back({hash(out), start, std::uint64_t{out.size()} << 1 | (escaped ? 1u : 0u)});
    skip_space();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ != ':') return fail_at(errc::json_expected_colon, at_), false;
    ++at_;
    return true;
  }

  /// The kind of the value that comes next; `none` at the end of the text and for other bytes.
  [[nodiscard]] kind peek() {
    skip_space();
    if (at_ == end_) return kind::none;
    switch (*at_) {
      case '{': return kind::object;
      case '[': return kind::array;
      case '"': return kind::string;
      case 't':
      case 'f': return kind::boolean;
      case 'n': return kind::null;
      default: return *at_ == '-' || is_digit(*at_) ? kind::number : kind::none;
    }
  }

  /// An integer in [-2^63, 2^63).
  [[nodiscard]] std::int64_t int64() {
    bool above = false;
    const char* const start = token();
    const std::int64_t v = int64_pattern(above);
    if (above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : v;
  }
  /// An integer in [low, high].
  template <class Int>
  [[nodiscard]] Int integer(Int low, Int high) {
    const char* const start = token();
    const std::int64_t v = int64();
    if (!failed() && (v < std::int64_t{low} || v > std::int64_t{high}))
      fail_at(errc::json_integer_range, start);
    return failed() ? Int{} : static_cast<Int>(v);
  }
  /// An integer in [-2^31, 2^31).
  [[nodiscard]] std::int32_t int32() { return integer<std::int32_t>(INT32_MIN, INT32_MAX); }
  /// An integer in [0, 2^64).
  [[nodiscard]] std::uint64_t uint64() {
    const char* const start = token();
    bool above = false;
    const std::int64_t v = int64_pattern(above);
    if (v < 0 && !above) fail_at(errc::json_integer_range, start);
    return failed() ? 0 : static_cast<std::uint64_t>(v);
  }
  /// An integer in [-2^63, 2^64) modulo 2^64; `above_int64` is set from 2^63 on.
  [[nodiscard]] std::int64_t int64_pattern(bool& above_int64) {
    above_int64 = false;
    const scan s = scan_number(errc::json_expected_integer);
    if (failed()) return 0;
    if (!s.integral) return fail_at(errc::json_expected_integer, s.first), 0;
    const std::uint64_t magnitude = s.significand;
    // A 20-digit number that starts with 1 and is 2^64 or more has wrapped to less than 2 * 10^18.
    if (s.digits.size() > 20 ||
        (s.digits.size() == 20 && (s.digits[0] != '1' || magnitude < 10000000000000000000u)))
      return fail_at(errc::json_integer_range, s.first), 0;
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    if (s.negative && magnitude > half) return fail_at(errc::json_integer_range, s.first), 0;
    above_int64 = !s.negative && magnitude >= half;
    return static_cast<std::int64_t>(s.negative ? 0 - magnitude : magnitude);
  }
  /// Any number, correctly rounded.
  [[nodiscard]] json::number number() {
    const scan s = scan_number(errc::json_expected_number);
    if (failed()) return {};
    const decimal d{s.digits, s.exponent};
    const double magnitude =
        s.digits.size() <= 19 ? decimal_to_double(d, s.significand) : decimal_to_double(d);
    if (magnitude > DBL_MAX) return fail_at(errc::json_number_range, s.first), json::number{};
    return {s.negative ? -magnitude : magnitude,
            s.integral,
            {s.first, static_cast<std::size_t>(at_ - s.first)}};
  }
  /// A number that a float can hold, rounded to a double and then to a float, as readers do that
  /// read JSON by way of doubles.
  [[nodiscard]] float float32() {
    const char* const start = token();
    const double v = number().value;
    constexpr double largest = 0x1.fffffep127;
    if (v > largest || v < -largest) fail_at(errc::json_number_range, start);
    return failed() ? 0.0f : static_cast<float>(v);
  }
  /// True or false.
  [[nodiscard]] bool boolean() {
    token();
    if (accept("true")) return true;
    if (!accept("false")) fail_literal(errc::json_expected_boolean);
    return false;
  }
  /// Reads a null.
  void null() {
    token();
    if (!accept("null")) fail_literal(errc::json_expected_null);
  }
  /// A string, unescaped. Valid until the next string or key.
  [[nodiscard]] std::string_view string() {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), std::string_view{};
    if (*at_ != '"') return fail_at(errc::json_expected_string, at_), std::string_view{};
    bool escaped = false;
    return quoted(escaped);
  }

  /// Reads over one value of any kind, checking all of it, and returns its text.
  std::string_view skip() {
    const char* const start = token();
    pool<bool> objects;  // the containers that this value has opened
    std::string_view ignored;
    do {
      switch (peek()) {
        case kind::object: object(), objects.push_back(true); break;
        case kind::array: array(), objects.push_back(false); break;
        case kind::string: (void)string(); break;
        case kind::number: skip_number(); break;
        case kind::boolean:
        case kind::null: literal(); break;
        case kind::none: fail_value(); break;
      }
      while (!objects.empty() && !(objects.back() ? key(ignored) : element())) objects.pop_back();
    } while (!objects.empty());
    return failed() ? std::string_view{}
                    : std::string_view(start, static_cast<std::size_t>(at_ - start));
  }

  /// The text from the value that comes next, for reading parts of it by other means.
  [[nodiscard]] std::string_view rest() {
    const char* const at = token();
    return {at, static_cast<std::size_t>(end_ - at)};
  }
  /// Continues at `at`, after the value or the elements of the open array that were read from
  /// rest().
  void resume(const char* at) noexcept { at_ = at; }
  /// Where the last value ended.
  [[nodiscard]] const char* place() const noexcept { return at_; }
  /// How many containers inside one another may still be opened.
  [[nodiscard]] std::uint32_t depth_left() const noexcept { return limit_.max_depth - depth_; }

  /// Byte offset of the value or bracket that comes next.
  [[nodiscard]] std::uint64_t offset() {
    skip_space();
    return offset_of(at_);
  }

  /// Reports an error of the schema; the first error of any kind wins.
  void fail(errc code, std::uint64_t offset) {
    if (error_.code == errc::ok) error_ = {code, offset};
    end_ = at_;  // every later step finds the end of the text, and the first error stays
  }
  /// Whether there was an error; all values after it are zero or empty.
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  /// The first error, `errc::ok` if there is none.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Checks that nothing but white space follows, and returns the first error.
  [[nodiscard]] tessera::error finish() {
    skip_space();
    if (at_ != end_) fail_at(errc::json_trailing_bytes, at_);
    return error_;
  }

 private:
  struct scan {
    const char* first = nullptr;
    std::string_view digits;        // may hold a '.'
    std::uint64_t significand = 0;  // their value modulo 2^64
    std::int64_t exponent = 0;
    bool negative = false;
    bool integral = true;
  };
  struct seen_key {
    std::uint64_t hash;
    const char* start;     // the opening quote
    std::uint64_t packed;  // its length when unescaped, times 2, and 1 when it holds escapes

    [[nodiscard]] bool escaped() const noexcept { return (packed & 1) != 0; }
    [[nodiscard]] std::uint64_t length() const noexcept { return packed >> 1; }
  };

  [[nodiscard]] static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const noexcept {
    return error_.code != errc::ok ? error_.offset : static_cast<std::uint64_t>(at - begin_);
  }

  void skip_space() noexcept {
    while (at_ != end_ && *at_ <= ' ' &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
  }
  const char* token() noexcept {
    skip_space();
    return at_;
  }

  void fail_at(errc code, const char* at) { fail(code, static_cast<std::uint64_t>(at - begin_)); }

  bool accept(std::string_view literal) noexcept {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    if (rest.substr(0, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
  }
  void literal() {
    if (!accept("true") && !accept("false") && !accept("null"))
      fail_literal(errc::json_bad_literal);
  }
  /// None of the expected literals: fails, unless the text ends inside one.
  void fail_literal(errc code) {
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    for (const std::string_view whole : {"true", "false", "null"})
      if (rest.size() < whole.size() && whole.substr(0, rest.size()) == rest)
        return fail_at(errc::json_unexpected_end, end_);
    fail_at(code, at_);
  }
  void fail_value() {
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    const bool letter = (*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z');
    fail_at(letter ? errc::json_bad_literal : errc::json_expected_value, at_);
  }

  void open(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_);
    if (*at_ != bracket) return fail_at(code, at_);
    if (depth_ >= limit_.max_depth) return fail_at(errc::json_depth, at_);
    ++depth_;
    ++at_;
    fresh_ = true;
  }
  bool next(char bracket, errc code) {
    token();
    if (at_ == end_) return fail_at(errc::json_unexpected_end, at_), false;
    if (*at_ == bracket) {
      ++at_;
      --depth_;
      fresh_ = false;
      return false;
    }
    if (fresh_) return fresh_ = false, true;
    if (*at_ != ',') return fail_at(code, at_), false;
    ++at_;
    return true;
  }

  scan scan_number(errc code) {
    scan s;
    const char* p = s.first = token();
    if (p == end_) return fail_at(errc::json_unexpected_end, p), s;
    if (*p == '-') {
      s.negative = true;
      ++p;
    } else if (!is_digit(*p)) {
      return fail_at(code, p), s;
    }
    const char* const digits = p;
    if (!scan_digits(p, s.significand)) return s;
    if (*digits == '0' && p - digits > 1) return fail_at(errc::json_leading_zero, digits), s;
    if (p != end_ && *p == '.') {
      s.integral = false;
      const char* const point = ++p;
      if (!scan_digits(p, s.significand)) return s;
      s.exponent = -(p - point);
    }
    s.digits = {digits, static_cast<std::size_t>(p - digits)};
    if (p != end_ && (*p == 'e' || *p == 'E')) {
      s.integral = false;
      ++p;
      bool negative = false;
      if (p != end_ && (*p == '+' || *p == '-')) negative = *p++ == '-';
      const char* const power = p;
      std::uint64_t any = 0;
      if (!scan_digits(p, any)) return s;
      std::int64_t value = 0;
      for (const char* q = power; q != p; ++q)  // beyond 2^50 it no longer matters how much
        if (value < std::int64_t{1} << 50) value = value * 10 + (*q - '0');
      s.exponent += negative ? -value : value;
    }
    at_ = p;
    return s;
  }
  /// Reads over a number. Below 10^308 it is in range whatever its digits are, so only what may not
  /// be is converted.
  void skip_number() {
    const scan s = scan_number(errc::json_expected_number);
    if (s.exponent + static_cast<std::int64_t>(s.digits.size()) <= 308 || failed()) return;
    if (decimal_to_double({s.digits, s.exponent}) > DBL_MAX)
      fail_at(errc::json_number_range, s.first);
  }
  /// Appends digits to `value`, modulo 2^64.
  bool scan_digits(const char*& p, std::uint64_t& value) {
    if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
    if (!is_digit(*p)) return fail_at(errc::json_expected_digit, p), false;
    for (; p != end_ && is_digit(*p); ++p)
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    return true;
  }

  /// The string at at_, which is a quote.
  std::string_view quoted(bool& escaped) {
    const char* const start = ++at_;
    const char* const close = scan_string(start, escaped);
    if (close == nullptr) return {};
    at_ = close + 1;
    if (!escaped) return {start, static_cast<std::size_t>(close - start)};
    unescape(start, close, unescaped_);
    return unescaped_;
  }
  /// The closing quote of the string whose first character is at p, all of it checked.
  const char* scan_string(const char* p, bool& escaped) {
    while (p != end_) {
      const auto c = static_cast<unsigned char>(*p);
      if (c == '"') return p;
      if (c == '\\') {
        escaped = true;
        if (!scan_escape(p)) return nullptr;
      } else if (c < 0x20) {
        return fail_at(errc::json_control_character, p), nullptr;
      } else if (c < 0x80) {
        ++p;
      } else {
        const unsigned length = utf8_length(p, end_);
        if (length == 0) return fail_at(errc::json_bad_utf8, p), nullptr;
        p += length;
      }
    }
    return fail_at(errc::json_unexpected_end, p), nullptr;
  }
  bool scan_escape(const char*& p) {
    if (end_ - p < 2) return fail_at(errc::json_unexpected_end, end_), false;
    if (p[1] != 'u') {
      constexpr std::string_view letters = "\"\\/bfnrt";
      if (letters.find(p[1]) == std::string_view::npos)
        return fail_at(errc::json_bad_escape, p), false;
      return p += 2, true;
    }
    const char* const start = p;
    std::uint32_t unit = 0;
    if (!scan_unit(p, unit)) return false;
    if (unit < 0xd800 || unit > 0xdfff) return true;
    std::uint32_t low = 0;
    if (unit > 0xdbff) return fail_at(errc::json_lone_surrogate, start), false;
    if (p == end_ || (*p == '\\' && end_ - p < 2))
      return fail_at(errc::json_unexpected_end, end_), false;
    if (*p != '\\' || p[1] != 'u') return fail_at(errc::json_lone_surrogate, start), false;
    if (!scan_unit(p, low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return fail_at(errc::json_lone_surrogate, start), false;
    return true;
  }
  /// \uXXXX at p, after a backslash and a u.
  bool scan_unit(const char*& p, std::uint32_t& unit) {
    const char* const start = p;
    p += 2;
    for (int i = 0; i < 4; ++i, ++p) {
      if (p == end_) return fail_at(errc::json_unexpected_end, p), false;
      const int digit = hex(*p);
      if (digit < 0) return fail_at(errc::json_bad_escape, start), false;
      unit = unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }
  [[nodiscard]] static constexpr int hex(char c) noexcept {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  }
  /// A string that scan_string accepted.
  static void unescape(const char* p, const char* close, text& out) {
    out.clear();
    const auto unit = [](const char* digits) {
      std::uint32_t v = 0;
      for (int i = 0; i < 4; ++i) v = v << 4 | static_cast<std::uint32_t>(hex(digits[i]));
      return v;
    };
    while (p != close) {
      const char* const plain = p;
      while (p != close && *p != '\\') ++p;
      out << std::string_view(plain, static_cast<std::size_t>(p - plain));
      if (p == close) return;
      constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
      if (p[1] != 'u') {
        out << meant[letters.find(p[1])];
        p += 2;
        continue;
      }
      std::uint32_t code_point = unit(p + 2);
      p += 6;
      if (code_point >= 0xd800 && code_point <= 0xdbff) {
        code_point = 0x10000 + ((code_point - 0xd800) << 10) + (unit(p + 2) - 0xdc00);
        p += 6;
      }
      out.advance(utf8_encode(code_point, out.prepare(4)));
    }
  }

  [[nodiscard]] static std::uint64_t hash(std::string_view s) noexcept {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a; collisions only cost time in sorting
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
  }
  /// Order by hash, then by length, then by unescaped key. Only keys of one length are compared
  /// again, so a long key costs no more than its own length however many short ones there are.
  [[nodiscard]] static int compare_keys(const seen_key& a, const seen_key& b) {
    if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
    if (a.length() != b.length()) return a.length() < b.length() ? -1 : 1;
    text left, right;
    return key_text(a, left).compare(key_text(b, right));
  }
  static std::string_view key_text(const seen_key& k, text& storage) {
    const char* const first = k.start + 1;
    if (!k.escaped()) return {first, to_size(k.length())};
    const char* close = first;
    for (; *close != '"'; ++close)
      if (*close == '\\') ++close;
    unescape(first, close, storage);
    return storage;
  }
  [[nodiscard]] static bool before(const seen_key& a, const seen_key& b) {
    const int order = compare_keys(a, b);
    return order != 0 ? order < 0 : a.start < b.start;
  }

  /// After the '}': looks for duplicate keys. Sorting keeps hostile keys from costing more than
  /// n log n.
  void close_object() {
    if (failed()) return;
    const std::size_t base = object_keys_.back();
    seen_key* const k = keys_.data() + base;
    const std::size_t count = keys_.size() - base;
    object_keys_.pop_back();
    sort(k, count, [](const seen_key& a, const seen_key& b) { return before(a, b); });
    const char* duplicate = nullptr;
    for (std::size_t i = 1; i < count; ++i)
      if (k[i].hash == k[i - 1].hash && compare_keys(k[i], k[i - 1]) == 0 &&
          (duplicate == nullptr || k[i].start < duplicate))
        duplicate = k[i].start;
    keys_.resize(base);
    if (duplicate != nullptr) fail_at(errc::json_duplicate_key, duplicate);
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  limits limit_;
  tessera::error error_;
  std::uint32_t depth_ = 0;
  bool fresh_ = false;             // just after an opening bracket
  pool<std::size_t> object_keys_;  // where the keys of each open object start
  pool<seen_key> keys_;
  text unescaped_;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_READ_HPP

// ---- tessera/core/json_write.hpp
//
// A JSON writer: commas, indentation, escapes, and numbers that read back as the same value.
//
//   tessera::text out;
//   json::writer w(out, json::compact);
//   w.begin_object().key("step").number(0.5).key("ids").begin_array().integer(7).end().end();
//   // {"step":0.5,"ids":[7]}
//
//   json::compact    {"a":[1,2]}          no white space
//   json::spaced     {"a": [1, 2]}        one line, as Python's json.dumps writes by default
//   json::indented   two spaces per level, one member or element per line, "key": value
//
// Within `indented`, a container begun with `one_line` is written compact, with its contents;
// that is how the ARK serializer lays out tensors, arguments and lists of numbers.
//
// A record of numbers, whose text has a bound, is faster through a pointer; compact in any layout:
//
//   w.record(json::number_capacity + 2, [](json::cursor to) {
//     return to.literal("[").number(0.5).literal("]");
//   });
//
// Lifetime:   borrows the text it appends to.
// Errors:     none: the caller pairs begin and end, writes finite doubles and valid UTF-8.
// Limits:     none.
// Allocation: the growth of the text.

#ifndef TESSERA_CORE_JSON_WRITE_HPP
#define TESSERA_CORE_JSON_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>


// ---- tessera/core/shortest.hpp
//
// Doubles to decimal text: the shortest that reads back as the same double, and the nearest of those.
//
//   tessera::text out;
//   tessera::append_double(out, 0.1, tessera::double_style::python);   // 0.1
//
// Three ways, each exact, the quickest that can prove its answer first:
//
//   up to 15 digits, 8 of them after the point      one multiplication, one division as a check
//   any but the smallest doubles                     v and its rounding interval in 128 bits
//   what is too close to a tie for that              big integers
//
// std::to_chars for doubles is missing from libc++ before version 14 and costs <charconv>.
//
// Lifetime:   values.
// Errors:     none; the caller passes finite doubles.
// Limits:     none.
// Allocation: none but the text that is appended to.

#ifndef TESSERA_CORE_SHORTEST_HPP
#define TESSERA_CORE_SHORTEST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>


namespace tessera::inline TESSERA_ABI {

/// How a double is laid out. Both write the shortest digits that read back as the same double, a
/// fraction or an exponent always, and two exponent digits or more with a sign.
enum class double_style : std::uint8_t {
  python,  ///< repr(): plain for 1e-4 <= |v| < 1e16
  json15,  ///< plain for 1e-4 <= |v| < 1e15, as common C++ JSON libraries write
};

/// What put_double may write to. All of it may be overwritten, whatever the number's length.
inline constexpr std::size_t double_capacity = 40;

namespace detail {

inline constexpr std::uint64_t powers_of_five[] = {1u,
                                                   5u,
                                                   25u,
                                                   125u,
                                                   625u,
                                                   3125u,
                                                   15625u,
                                                   78125u,
                                                   390625u,
                                                   1953125u,
                                                   9765625u,
                                                   48828125u,
                                                   244140625u,
                                                   1220703125u,
                                                   6103515625u,
                                                   30517578125u,
                                                   152587890625u,
                                                   762939453125u,
                                                   3814697265625u,
                                                   19073486328125u,
                                                   95367431640625u,
                                                   476837158203125u,
                                                   2384185791015625u,
                                                   11920928955078125u,
                                                   59604644775390625u,
                                                   298023223876953125u,
                                                   1490116119384765625u,
                                                   7450580596923828125u};

struct word_pair {
  std::uint64_t high, low;
};

/// 5^(27 * i) for i from -11 to 12: the first 128 bits, cut.
inline constexpr word_pair powers_of_five_27[] = {
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e}, {0x873e4f75e2224e68, 0x5a7744a6e804a291},
    {0xda7f5bf590966848, 0xaf39a475506a899e}, {0xb080392cc4349dec, 0xbd8d794d96aacfb3},
    {0x8e938662882af53e, 0x547eb47b7282ee9c}, {0xe65829b3046b0afa, 0x0cb4a5a3112a5112},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413}, {0x964e858c91ba2655, 0x3a6a07f8d510f86f},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3}, {0xc428d05aa4751e4c, 0xaa97e14c3c26b886},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d}, {0x8000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000}, {0xa70c3c40a64e6c51, 0x999090b65f67d924},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3}, {0xda01ee641a708de9, 0xe80e6f4820cc9495},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f}, {0x8e41ade9fbebc27d, 0x14588f13be847307},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa}, {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e}, {0xf24a01a73cf2dccf, 0xbc633b39673c8cec},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8}, {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1}};

/// 0.ddddddddddddddddd * 10^point: a significand of exactly 17 digits.
struct decimal_17 {
  std::uint64_t significand;
  int point;
};

/// Shortest digits of a finite v > 0 and the power of ten of the last: Steele and White's free
/// format algorithm in the form of Dragon4. Returns the number of digits, at most 17.
[[gnu::cold]] inline unsigned shortest_digits_exact(double v, char* digits,
                                                    int& exponent) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = biased != 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  const int binary = (biased != 0 ? biased : 1) - 1075;
  const bool closed = (significand & 1) == 0;       // ties to even read back as v
  const bool uneven = fraction == 0 && biased > 1;  // the gap below v is half the gap above
  const unsigned twice = uneven ? 2 : 1;
  // v = r / s; below and above: half the gaps to the neighbours, over s
  big_integer r(significand), s(1), below(1), above(1);
  r.shift_left(twice + static_cast<unsigned>(binary > 0 ? binary : 0));
  s.shift_left(twice + static_cast<unsigned>(binary < 0 ? -binary : 0));
  if (binary > 0) {
    below.shift_left(static_cast<unsigned>(binary));
    above.shift_left(static_cast<unsigned>(binary));
  }
  if (uneven) above.shift_left(1);
  // Scale by the power of ten k with 10^(k-1) <= v + above < 10^k: guess from the bit length, low.
  const int log2 = 63 - std::countl_zero(significand) + binary;
  int k = static_cast<int>((static_cast<long long>(log2) * 1233) >> 12);
  if (k >= 0) {
    s.multiply_power_of_ten(static_cast<unsigned>(k));
  } else {
    r.multiply_power_of_ten(static_cast<unsigned>(-k));
    below.multiply_power_of_ten(static_cast<unsigned>(-k));
    above.multiply_power_of_ten(static_cast<unsigned>(-k));
  }
  const auto reaches = [&](const big_integer& limit) {  // v + above >= limit, or > when open
    big_integer high = r;
    high.add(above);
    return high.compare(limit) >= (closed ? 0 : 1);
  };
  while (reaches(s)) {
    s.multiply_add(10, 0);
    ++k;
  }
  unsigned count = 0;
  for (;;) {
    r.multiply_add(10, 0);
    below.multiply_add(10, 0);
    above.multiply_add(10, 0);
    char digit = '0';
    while (r.compare(s) >= 0) {
      r.subtract(s);
      ++digit;
    }
    --k;
    const bool low = r.compare(below) < (closed ? 1 : 0);
    const bool high = reaches(s);
    if (!low && !high) {
      digits[count++] = digit;
      continue;
    }
    r.shift_left(1);
    const int half = r.compare(s);  // both ends fit: the nearer one, ties to the even digit
    const bool up = high && (!low || half > 0 || (half == 0 && ((digit - '0') & 1) != 0));
    digits[count++] = static_cast<char>(digit + (up ? 1 : 0));
    exponent = k;
    return count;
  }
}

/// a * b
[[nodiscard]] inline word_pair multiply(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
  __extension__ using wide = unsigned __int128;
  const wide p = wide{a} * b;
  return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
  constexpr std::uint64_t half = 0xffffffffu;
  const std::uint64_t first = (a & half) * (b & half);
  const std::uint64_t second = (a >> 32) * (b & half) + (first >> 32);
  const std::uint64_t third = (a & half) * (b >> 32) + (second & half);
  return {(a >> 32) * (b >> 32) + (second >> 32) + (third >> 32), third << 32 | (first & half)};
#endif
}
/// a * b / 2^64, cut
[[nodiscard]] inline word_pair multiply_high(word_pair a, std::uint64_t b) noexcept {
  word_pair p = multiply(a.high, b);
  const std::uint64_t carried = multiply(a.low, b).high;
  p.low += carried;
  p.high += p.low < carried ? 1 : 0;
  return p;
}

/// (high * 2^64 + low) * 2^exponent
struct binary_128 {
  word_pair bits;
  int exponent;
};

/// 5^power for powers from -297 to 350, of 127 or 128 bits: exact from 0 to 27, else cut, with an
/// error below 3 in the last bit.
[[nodiscard]] inline binary_128 power_of_five(int power) noexcept {
  const auto from_table = [](int i) -> binary_128 {
    const int zeros = std::countl_zero(powers_of_five[i]);
    return {{powers_of_five[i] << zeros, 0}, -64 - zeros};
  };
  if (power >= 0 && power <= 27) return from_table(power);
  const int coarse = (power + 297) / 27 - 11;
  const binary_128 fine = from_table((power + 297) % 27);
  // 1217359 / 2^19 is just above log2(5).
  return {multiply_high(powers_of_five_27[coarse + 11], fine.bits.high),
          (27 * coarse * 1217359 >> 19) - 127 + fine.exponent + 128};
}

[[nodiscard]] inline decimal_17 shortest_by_big_integers(double v) noexcept {
  char digits[20];
  int exponent = 0;
  const unsigned count = shortest_digits_exact(v, digits, exponent);
  std::uint64_t significand = 0;
  for (unsigned i = 0; i < 17; ++i)
    significand = significand * 10 + static_cast<std::uint64_t>(i < count ? digits[i] - '0' : 0);
  return {significand, static_cast<int>(count) + exponent};
}

/// Shortest digits of a finite v > 0, the nearest to v of those.
[[nodiscard]] inline decimal_17 shortest(double v) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int biased = static_cast<int>(bits >> 52);
  if (biased < 2) return shortest_by_big_integers(v);  // fewer bits, and even gaps at 2^-1022
  const std::uint64_t fraction = bits & 0xfffffffffffffu;
  const std::uint64_t significand = fraction | std::uint64_t{1} << 52;
  const int binary = biased - 1075;  // v = significand * 2^binary
  // The least scale by which v's rounding interval, times 10^scale, is as wide as 1, so that it
  // holds an integer; it is narrower than 10. The width is one ulp, or 3/4 at a power of two.
  // 315653 / 2^20 is just above log10(2), and -1 / 8 near enough to log10(3/4).
  const bool nearer = fraction == 0;  // the double below
  const int scale = -((binary * 315653 - (nearer ? 1 << 17 : 0)) >> 20);
  const binary_128 five = power_of_five(scale);
  const bool exact = five.bits.low == 0;
  // v * 10^scale with 64 bits after the point, and half an ulp in the same form, half of that
  // below a power of two. The significand is shifted by what five.exponent leaves: 1 to 5 bits.
  const int shift = 128 + binary + scale + five.exponent;
  word_pair value = multiply(five.bits.high, significand << shift);
  if (!exact) value = multiply_high(five.bits, significand << shift);
  const std::uint64_t above_high = (five.bits.high >> 1) >> (64 - shift);
  const std::uint64_t above_low =
      five.bits.high << (shift - 1) | (five.bits.low >> 1) >> (64 - shift);
  const std::uint64_t below_high = nearer ? above_high >> 1 : above_high;
  const std::uint64_t below_low = nearer ? above_high << 63 | above_low >> 1 : above_low;
  const std::uint64_t end = value.low + above_low, begin = value.low - below_low;
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  if (!exact) {
    // These three are off by less than 3: too close to an integer or to a half, that could decide.
    const auto close = [](std::uint64_t low) { return low + 16 < 32; };
    if (close(begin) || close(end) || close(value.low - half)) return shortest_by_big_integers(v);
  }
  // The integers within. Ties to even: the ends read back as v when the significand is even.
  const std::uint64_t odd = significand & 1;
  const std::uint64_t high =
      value.high + above_high + (end < above_low ? 1 : 0) - (end < odd ? 1 : 0);
  const std::uint64_t low =
      value.high - below_high - (value.low < below_low ? 1 : 0) + ((begin | odd) != 0 ? 1 : 0);
  // A multiple of ten has a digit less. There is one at most, with any zeros that go with it.
  std::uint64_t nearest = high / 10 * 10;
  if (nearest < low) {
    nearest = value.high;
    if (value.low > half || (value.low == half && (nearest & 1) != 0)) ++nearest;
    nearest = nearest < low ? low : nearest > high ? high : nearest;
  }
  const bool has_16 = nearest < powers_of_ten[16];
  return {has_16 ? nearest * 10 : nearest, (has_16 ? 16 : 17) - scale};
}

/// How many of eight digits there are up to the last that isn't 0; there is one.
[[nodiscard]] inline unsigned up_to_last(std::uint64_t digits) noexcept {
  return (static_cast<unsigned>(std::countl_zero(digits) ^ 63) >> 3) + 1;
}

/// n < 10^16 in 16 characters. Returns how many there are without the zeros at the end.
inline unsigned put_sixteen(char* to, std::uint64_t n) noexcept {
  const std::uint64_t high = eight_digits(static_cast<std::uint32_t>(n / 100000000));
  const std::uint64_t low = eight_digits(static_cast<std::uint32_t>(n % 100000000));
  store_le(to, high | eight_zeros);
  store_le(to + 8, low | eight_zeros);
  return low != 0 ? 8 + up_to_last(low) : high != 0 ? up_to_last(high) : 0;
}

/// Writes a finite v > 0 whatever its digits, and returns the end. Not inline, so that the common
/// way saves no registers for it.
[[gnu::noinline]] inline char* put_shortest(char* to, double v, double_style style) noexcept {
  const decimal_17 d = shortest(v);
  const std::uint64_t first = d.significand / powers_of_ten[16];
  const std::uint64_t others = d.significand % powers_of_ten[16];
  if (d.point < -3 || d.point > (style == double_style::python ? 16 : 15)) {
    *to++ = static_cast<char>('0' + first);
    const unsigned count = put_sixteen(to + 1, others);
    *to = '.';
    to += count == 0 ? 0 : count + 1;
    *to++ = 'e';
    *to++ = d.point < 1 ? '-' : '+';
    const auto power = static_cast<std::uint32_t>(d.point < 1 ? 1 - d.point : d.point - 1);
    if (power < 10) *to++ = '0';
    return put_up_to_eight(to, power);
  }
  if (d.point <= 0) {
    std::memcpy(to, "0.000", 5);
    to += 2 - d.point;
    *to++ = static_cast<char>('0' + first);
    return to + put_sixteen(to, others);
  }
  // The digits before the point are those of v cut to an integer: rounding never reaches the next
  // integer, as integers below 2^53 are doubles, and larger ones are written in full.
  const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
  const auto point = static_cast<unsigned>(d.point);
  const std::uint64_t rest = d.significand - whole * powers_of_ten[17 - point];
  to = put_magnitude(to, whole);
  *to++ = '.';
  const unsigned count = put_sixteen(to, rest * powers_of_ten[point - 1]);
  return to + (count == 0 ? 1 : count);
}

}  // namespace detail

/// Writes a finite double and returns the end. `to` has `double_capacity` bytes.
inline char* put_double(char* to, double v, double_style style) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  *to = '-';
  to += bits >> 63;
  v = std::bit_cast<double>(bits & ~(std::uint64_t{1} << 63));
  // At most 15 digits that read back as v are the shortest there are. Where doubles are computed
  // with more bits than they have, the quotient equals v in fewer cases, none of them wrong.
  const double scaled = v * 1e8;
  if (scaled < 1e15) {
    const auto n = static_cast<std::int64_t>(scaled + 0.5);
    // Not what is too small for this layout, 10^-8 to 10^-4, but zero.
    if (static_cast<double>(n) / 1e8 == v && static_cast<std::uint64_t>(n) - 1 >= 9999) {
      const auto whole = static_cast<std::uint32_t>(v);
      to = whole < 1000 ? detail::put_small(to, whole) : detail::put_up_to_eight(to, whole);
      *to++ = '.';
      const std::uint64_t digits =
          detail::eight_digits(static_cast<std::uint32_t>(n - std::int64_t{whole} * 100000000));
      store_le(to, digits | detail::eight_zeros);
      return to + detail::up_to_last(digits | 1);  // one digit at least
    }
  }
  return detail::put_shortest(to, v, style);
}

/// Appends a finite double.
inline void append_double(text& out, double v, double_style style) {
  char* const to = out.prepare(double_capacity);
  out.advance(static_cast<std::size_t>(put_double(to, v, style) - to));
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SHORTEST_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// The white space of a document.
struct layout {
  unsigned indent;                ///< spaces a level; 0 writes one line
  std::string_view comma, colon;  ///< what separates members, and a key from its value
  double_style doubles = double_style::python;  ///< how doubles are spelled
};
/// One line without a space.
inline constexpr layout compact{0, ",", ":"};
/// One line, as Python's json.dumps writes it.
inline constexpr layout spaced{0, ", ", ": "};
/// A line for each value, two spaces a level.
inline constexpr layout indented{2, ",", ": "};

/// Appends `s` in quotes. Escapes only what JSON requires; other controls as `\u00xx`.
inline void append_quoted(text& out, std::string_view s) {
  out << '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    out << s.substr(plain, i - plain) << '\\';
    plain = i + 1;
    switch (c) {
      case '\b': out << 'b'; break;
      case '\f': out << 'f'; break;
      case '\n': out << 'n'; break;
      case '\r': out << 'r'; break;
      case '\t': out << 't'; break;
      case '"':
      case '\\': out << s[i]; break;
      default:
        out << "u00"
            << "0123456789abcdef"[c >> 4] << "0123456789abcdef"[c & 15];
    }
  }
  out << s.substr(plain) << '"';
}

/// Most characters of one cursor::integer or cursor::number.
inline constexpr std::size_t number_capacity =
    double_capacity;  ///< of one cursor::integer or number

/// Where the next character of a record goes. Each call stores and returns the next position: by
/// value, so that it stays in registers. Nothing checks the capacity there.
class cursor {
 public:
  /// Stores at `to`, where there must be space for all that follows.
  cursor(char* to, double_style doubles) noexcept : to_(to), doubles_(doubles) {}

  /// In decimal.
  template <class Int>
  [[nodiscard]] cursor integer(Int v) const noexcept {
    return {put_integer(to_, v), doubles_};
  }
  /// The shortest decimal number that reads as this double.
  [[nodiscard]] cursor number(double v) const noexcept {
    return {put_double(to_, v, doubles_), doubles_};
  }
  /// Verbatim JSON: brackets, commas, keys.
  template <std::size_t Size>
  [[nodiscard]] cursor literal(const char (&json)[Size]) const noexcept {
    std::memcpy(to_, json, Size - 1);
    return {to_ + Size - 1, doubles_};
  }
  /// Where the next character goes.
  [[nodiscard]] char* place() const noexcept { return to_; }

 private:
  char* to_;
  double_style doubles_;
};

/// Writes one document in the order of the calls, with the white space that its layout asks for.
class writer {
 public:
  /// Appends to `out`, which must outlive the writer.
  explicit writer(text& out, const layout& how = compact) noexcept : out_(out), layout_(how) {}

  /// Opens a container; `one_line` keeps all of it on one line, whatever the layout.
  ///@{
  writer& begin_object(bool one_line = false) { return begin('{', '}', one_line); }
  writer& begin_array(bool one_line = false) { return begin('[', ']', one_line); }
  ///@}
  /// Closes the innermost container.
  writer& end() {
    const bool is_object = (kinds_.view().back() == '}');
    kinds_.truncate(kinds_.size() - 1);
    if (!fresh_ && one_line_ == 0) new_line();
    if (one_line_ != 0) --one_line_;
    out_ << (is_object ? '}' : ']');
    fresh_ = false;
    return *this;
  }
  /// The key of the next member.
  writer& key(std::string_view name) {
    separate();
    append_quoted(out_, name);
    out_ << (one_line_ > 0 && layout_.indent != 0 ? std::string_view(":") : layout_.colon);
    after_key_ = true;
    return *this;
  }

  /// An integer, in decimal.
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  writer& integer(Int v) { return separate(), out_ << v, *this; }
  /// A double in the layout's style; it must be finite.
  writer& number(double v) { return separate(), append_double(out_, v, layout_.doubles), *this; }
  /// A string, quoted and escaped.
  writer& string(std::string_view v) { return separate(), append_quoted(out_, v), *this; }
  /// True or false.
  writer& boolean(bool v) { return raw(v ? "true" : "false"); }
  /// A null.
  writer& null() { return raw("null"); }
  /// A value that is already JSON text, such as a number's token.
  writer& raw(std::string_view json) { return separate(), out_ << json, *this; }
  /// A value of at most `max_size` bytes that `write(cursor)` stores; it returns the end of the
  /// value.
  template <class Write>
  writer& record(std::size_t max_size, Write write) {
    separate();
    char* const begin = out_.prepare(max_size);
    const cursor end = write(cursor(begin, layout_.doubles));
    return out_.advance(static_cast<std::size_t>(end.place() - begin)), *this;
  }

 private:
  writer& begin(char bracket, char close, bool one_line) {
    separate();
    out_ << bracket;
    kinds_ << close;
    if (one_line || one_line_ != 0 || layout_.indent == 0) ++one_line_;
    fresh_ = true;
    return *this;
  }
  void separate() {
    if (after_key_) {
      after_key_ = false;
    } else if (kinds_.size() != 0) {
      if (!fresh_) {
        if (layout_.comma.size() == 1 || (one_line_ != 0 && layout_.indent != 0))
          out_ << ',';
        else
          out_ << layout_.comma;
      }
      if (one_line_ == 0) new_line();
    }
    fresh_ = false;
  }
  void new_line() {
    const std::size_t spaces = kinds_.size() * layout_.indent;
    char* const to = out_.prepare(1 + spaces);
    *to = '\n';
    std::memset(to + 1, ' ', spaces);
    out_.advance(1 + spaces);
  }

  text& out_;
  layout layout_;
  text kinds_;                // the closing brackets that are due
  std::size_t one_line_ = 0;  // the number of innermost containers on one line
  bool fresh_ = false, after_key_ = false;
};

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_WRITE_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {

/// Copies one value of any kind: order of members and tokens of numbers as they were, white space
/// and escapes as the writer lays them out.
inline void copy(reader& in, writer& out) {
  pool<bool> objects;  // the containers that this value has opened
  std::string_view name;
  do {
    switch (in.peek()) {
      case kind::object:
        in.object(), out.begin_object();
        objects.push_back(true);
        break;
      case kind::array:
        in.array(), out.begin_array();
        objects.push_back(false);
        break;
      case kind::string: out.string(in.string()); break;
      default: out.raw(in.skip());
    }
    while (!objects.empty() && !(objects.back() ? in.key(name) : in.element())) {
      out.end();
      objects.pop_back();
    }
    if (!objects.empty() && objects.back()) out.key(name);
  } while (!objects.empty());
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_JSON_HPP

namespace tessera::inline TESSERA_ABI {
namespace json {
namespace detail {

/// Where the component of a path that starts at `at` ends.
[[nodiscard]] constexpr std::size_t component_end(std::string_view path, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (path.substr(at, 2) == "[\"") {
    for (++i; i < path.size() && path[i] != '"'; ++i)
      if (path[i] == '\\') ++i;
    ++i;
  }
  if (path.substr(at, 1) == "[") {
    while (i < path.size() && path[i] != ']') ++i;
    ++i;
  } else {
    while (i < path.size() && path[i] != '.' && path[i] != '[') ++i;
  }
  return i < path.size() ? i : path.size();
}
/// Some order of components, in which indices ascend.
[[nodiscard, gnu::cold]] constexpr int compare_components(std::string_view a,
                                                          std::string_view b) noexcept {
  const auto is_index = [](std::string_view c) {
    return c.size() > 1 && c[0] == '[' && c[1] >= '0' && c[1] <= '9';
  };
  if (is_index(a) && is_index(b) && a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}
/// Some order of paths, in which those to one container are neighbours and it is before them.
[[nodiscard, gnu::cold]] constexpr int compare_paths(std::string_view a,
                                                     std::string_view b) noexcept {
  std::size_t at = 0;
  while (at < a.size() && at < b.size()) {
    const std::size_t end_a = component_end(a, at), end_b = component_end(b, at);
    const int order = compare_components(a.substr(at, end_a - at), b.substr(at, end_b - at));
    if (order != 0) return order;
    at = end_a;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

}  // namespace detail

TESSERA_INLINE void append_key(text& out, std::string_view key) {
  bool plain = !key.empty();
  for (const char c : key)
    plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                      (c >= '0' && c <= '9'));
  if (plain) {
    out << '.' << key;
  } else {
    out << '[';
    append_quoted(out, key);
    out << ']';
  }
}

namespace detail {

/// Finds the paths of values, at ascending offsets, in one walk.
class path_finder {
 public:
  path_finder(std::string_view source, const limits& limit) : in_(source, limit) {}

  /// Appends the path of the innermost value that starts at `offset` or contains it.
  void append(text& out, std::uint64_t offset) {
    advance(offset);
    out << '$';
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const step& s = steps_[i];
      if (s.count == 0) break;  // after the opening bracket, before the first value
      if (!s.is_object) {
        out << '[' << s.count - 1 << ']';
        continue;
      }
      const std::size_t end = i + 1 < steps_.size() ? steps_[i + 1].key_first : keys_.size();
      append_key(out, keys_.view().substr(s.key_first, end - s.key_first));
    }
  }

 private:
  struct step {
    bool is_object;
    std::uint64_t count;    // members or elements that were entered; the last is the current one
    std::size_t key_first;  // in `keys_`, up to the next step's
  };

  void advance(std::uint64_t offset) {
    bool found = has_ended_ || (is_at_value_ ? in_.offset() >= offset : in_.offset() > offset);
    while (!found) {
      if (is_at_value_) {
        is_at_value_ = false;
        switch (in_.peek()) {
          case kind::object: in_.object(), steps_.push_back({true, 0, keys_.size()}); break;
          case kind::array: in_.array(), steps_.push_back({false, 0, keys_.size()}); break;
          default: in_.skip(), found = in_.offset() > offset;
        }
      }
      // On to the next value; containers that end on the way are left.
      while (!found && !is_at_value_ && !steps_.empty()) {
        std::string_view name;
        is_at_value_ = steps_.back().is_object ? in_.key(name) : in_.element();
        if (in_.failed()) {
          found = has_ended_ = true;
        } else if (is_at_value_) {
          ++steps_.back().count;
          keys_.truncate(steps_.back().key_first);
          keys_ << name;
          found = in_.offset() >= offset;
        } else {
          found = in_.offset() > offset;
          keys_.truncate(steps_.back().key_first);
          steps_.pop_back();
        }
      }
      if (steps_.empty()) found = has_ended_ = true;
    }
  }

  reader in_;
  pool<step> steps_;
  text keys_;
  bool is_at_value_ = true, has_ended_ = false;
};

/// Whether a text may be JSON, for which paths mean something.
[[nodiscard]] inline bool is_json(std::string_view source) noexcept {
  const std::size_t start = source.find_first_not_of(" \n\r\t\xEF\xBB\xBF");
  return start != source.npos && (source[start] == '{' || source[start] == '[');
}

}  // namespace detail

TESSERA_INLINE text path(std::string_view source, std::uint64_t offset, const limits& limit) {
  text out;
  detail::path_finder(source, limit).append(out, offset);
  return out;
}

TESSERA_INLINE void find(std::string_view source, tessera::view<std::string_view> paths,
                         std::uint64_t* offsets, const limits& limit) {
  // Sorted, the paths that a container holds are neighbours, by the members or elements they go to.
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    offsets[i] = no_offset;
    order.push_back(static_cast<std::uint32_t>(i));
  }
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    return detail::compare_paths(paths[a], paths[b]) < 0;
  });

  struct level {
    bool is_object;
    std::uint64_t count;      // elements that were entered
    std::size_t first, last;  // the paths into this container
    std::size_t prefix;       // how much of these paths leads here
  };
  pool<level> levels;
  text component;
  reader in(source, limit);
  std::size_t found = 0;
  const auto value = [&](std::size_t first, std::size_t last, std::size_t prefix) {
    const std::uint64_t at = in.offset();
    for (; first < last && paths[order[first]].size() == prefix; ++first, ++found)
      offsets[order[first]] = at;
    const kind k = in.peek();
    if (first == last || (k != kind::object && k != kind::array)) {
      in.skip();
      return;
    }
    if (k == kind::object)
      in.object();
    else
      in.array();
    levels.push_back({k == kind::object, 0, first, last, prefix});
  };
  const auto leads = [&](std::size_t i) {  // others than those that start with '$' lead nowhere
    const std::string_view path = paths[order[i]];
    return path.substr(0, 1) == "$" && detail::component_end(path, 0) == 1;
  };
  std::size_t first_path = 0, last_path = order.size();
  while (first_path < last_path && !leads(first_path)) ++first_path;
  while (first_path < last_path && !leads(last_path - 1)) --last_path;
  value(first_path, last_path, 1);

  std::string_view name;
  while (!levels.empty() && !in.failed() && found < order.size()) {
    level& l = levels.back();
    if (l.is_object ? !in.key(name) : !in.element()) {
      levels.pop_back();
      continue;
    }
    component.clear();
    if (l.is_object)
      append_key(component, name);
    else
      component << '[' << l.count++ << ']';
    const auto order_of = [&](std::size_t i) {
      const std::string_view path = paths[order[i]];
      const std::size_t end = detail::component_end(path, l.prefix);
      return detail::compare_components(path.substr(l.prefix, end - l.prefix), component);
    };
    std::size_t first = l.first, last = l.last;
    while (first < last) {  // to the first that is not before the component
      const std::size_t middle = first + (last - first) / 2;
      if (order_of(middle) < 0)
        first = middle + 1;
      else
        last = middle;
    }
    while (last < l.last && order_of(last) == 0) ++last;
    value(first, last, l.prefix + component.size());
  }
}
TESSERA_INLINE std::uint64_t find(std::string_view source, std::string_view path,
                                  const limits& limit) {
  std::uint64_t offset = no_offset;
  find(source, {&path, 1}, &offset, limit);
  return offset;
}

}  // namespace json
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_JSON_PATH_HPP

// ---- tessera/core/detail/describe.hpp
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP


// ---- tessera/core/detail/caret.hpp
//
// A line of a source with a caret below, at the end of descriptions of errors.
//
//   detail::append_caret(out, "let R = rgion(B, 0, 8)", 8, 5, "region", 8);
//   //   let R = rgion(B, 0, 8)
//   //           ^~~~~
//   //           region
//
// Lifetime:   none.
// Errors:     none: any offset can be shown.
// Limits:     at most 78 bytes of a line are shown.
// Allocation: the text.

#ifndef TESSERA_CORE_DETAIL_CARET_HPP
#define TESSERA_CORE_DETAIL_CARET_HPP

#include <cstddef>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline constexpr std::size_t shown_columns = 78;

/// The line that holds `offset`, cut around it to the width, and below it a caret under the first
/// of `length` characters and tildes under the others, with the text to be `inserted` on a third
/// line. Characters unsafe for a terminal become escapes (see append_shown); tabs and carriage
/// returns are spaces.
inline void append_caret(text& out, std::string_view source, std::size_t offset,
                         std::size_t length = 1, std::string_view inserted = {},
                         std::size_t inserted_at = 0) {
  std::size_t first = offset, last = offset;
  while (first > 0 && source[first - 1] != '\n' && offset - first <= shown_columns) --first;
  while (last < source.size() && source[last] != '\n' &&
         last - first < offset - first + shown_columns)
    ++last;
  const auto tail = [&](std::size_t i) {
    return (static_cast<unsigned char>(source[i]) & 0xc0u) == 0x80u;
  };
  if (last - first > shown_columns) {
    const std::size_t before = shown_columns / 2;
    if (offset - first > before) first = offset - before;
    while (first < offset && tail(first)) ++first;
    if (last - first > shown_columns) last = first + shown_columns;
  }
  while (last > offset && last < source.size() && tail(last)) --last;
  text part;
  // Whole characters: one that `to` cuts is part of it.
  const auto shown = [&](std::size_t from, std::size_t to) {
    part.clear();
    while (from < to) {
      const unsigned valid = utf8_length(source.data() + from, source.data() + source.size());
      const std::size_t size = valid != 0 ? valid : 1;
      if (source[from] == '\t' || source[from] == '\r')
        part << ' ';
      else
        append_shown(part, source.substr(from, size));
      from += size;
    }
    return part.view();
  };
  const auto repeat = [&](char c, std::size_t from, std::size_t to) {
    for (const char of : shown(from, to))
      if ((static_cast<unsigned char>(of) & 0xc0u) != 0x80u) out << c;
  };
  const auto indent = [&](std::size_t to) {
    out << "\n  ";
    repeat(' ', first, to);
  };
  out << "  " << shown(first, last);
  indent(offset);
  out << '^';
  std::size_t second = offset + 1;
  while (second < last && tail(second)) ++second;
  repeat('~', second, last - offset < length ? last : offset + length);
  if (!inserted.empty() && inserted_at >= first && inserted_at <= last) {
    indent(inserted_at);
    out << inserted;
  }
  out << '\n';
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_CARET_HPP

// ---- tessera/core/detail/hex.hpp
//
// A place in a binary source, at the end of descriptions of errors.

#ifndef TESSERA_CORE_DETAIL_HEX_HPP
#define TESSERA_CORE_DETAIL_HEX_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace detail {

inline void append_hex(text& out, std::uint64_t v, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) out << "0123456789abcdef"[v >> 4 * i & 15];
}

/// " (0x30c)"
inline void append_offset_in_hex(text& out, std::uint64_t offset) {
  out << " (0x";
  unsigned digits = 1;
  while (digits < 16 && offset >> 4 * digits != 0) ++digits;
  append_hex(out, offset, digits);
  out << ')';
}

/// The 16 bytes around an offset, and a caret below the byte at the offset.
inline void append_hex_line(text& out, bytes source, std::size_t offset) {
  out << "  ";
  const std::size_t first =
      offset == source.size() && offset != 0 ? (offset - 1) / 16 * 16 : offset / 16 * 16;
  append_hex(out, first, 8);
  out << ':';
  for (std::size_t i = first; i < source.size() && i < first + 16; ++i) {
    out << ' ';
    append_hex(out, static_cast<std::uint64_t>(source[i]), 2);
  }
  out << "\n  ";
  for (std::size_t i = 0; i < 10 + 3 * (offset - first); ++i) out << ' ';
  out << "^\n";
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_HEX_HPP

namespace tessera::inline TESSERA_ABI {

namespace detail {

/// The table of the format that an error is of.
[[nodiscard]] inline errc_table table_of(error e) noexcept {
  const std::size_t owner = static_cast<std::size_t>(e.code) / 1000;
  return owner < owners ? table_of(owner) : errc_table();
}
/// Likewise for a binary source, where core's errors have their places from the source's format.
[[nodiscard]] inline errc_table table_of(error e, bytes source) noexcept {
  errc_table table = table_of(e);
  for (std::size_t i = 1; i < owners && table.append_place == nullptr; ++i)
    if (const errc_table& other = table_of(i);
        other.is_mine != nullptr && other.is_mine(source.data(), source.size()))
      table = other;
  return table;
}
inline void append_message(text& out, error e, std::string_view message) {
  out << ": error: " << message << "\n  [" << e.name() << ']';
}
/// Whether JSON was expected where a comment begins.
[[nodiscard]] inline bool is_comment(error e, std::string_view source) noexcept {
  if (e.code < errc::json_unexpected_end || e.code > errc::json_missing_element ||
      e.offset >= source.size())
    return false;
  const std::string_view at = source.substr(to_size(e.offset));
  return at.starts_with("//") || at.starts_with("/*") || at.starts_with('#');
}
/// An error of a model built in code.
[[nodiscard]] inline text describe_element(error e, std::string_view name) {
  text out(name);
  append_message(out, e, e.message());
  if (e.index == error_index::whole)
    out << '\n';
  else
    out << " at " << tessera::name(e.index) << ' ' << e.offset << '\n';
  return out;
}

}  // namespace detail

TESSERA_INLINE text message_of(error e, std::string_view source, std::string_view path,
                               const limits& limit) {
  text out;
  const auto append = detail::table_of(e).append_message;
  if (append != nullptr && e.index == error_index::none && json::detail::is_json(source)) {
    text looked_up;
    if (path.empty()) {
      looked_up = json::path(source, e.offset, limit);
      path = looked_up;
    }
    append(out, e, source, path);
  }
  if (out.size() == 0) out << e.message();
  if (detail::is_comment(e, source)) out << "; JSON has no comments";
  return out;
}

TESSERA_INLINE text describe(error e, std::string_view source, std::string_view name,
                             const limits& limit) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  // Binaries may come as characters, too; no text of a format has a zero byte.
  if (detail::table_of(e).append_place != nullptr && source.find('\0') != source.npos)
    return describe(e, as_bytes(source), name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  const line_column at = locate(source, offset);
  text out(name);
  out << ':' << at.line << ':' << at.column;
  const bool is_json = json::detail::is_json(source);
  text path;
  if (is_json) path = json::path(source, offset, limit);
  const text message = message_of(e, source, path, limit);
  detail::append_message(out, e, message);
  if (is_json) {
    append_shown(out << " at ", path);
    out << ", offset ";
  } else {
    out << " at offset ";
  }
  out << offset << '\n';
  detail::append_caret(out, source, offset);
  return out;
}

TESSERA_INLINE text describe(error e, bytes source, std::string_view name) {
  if (e.index != error_index::none) return detail::describe_element(e, name);
  const std::size_t offset = e.offset < source.size() ? to_size(e.offset) : source.size();
  text out(name);
  detail::append_message(out, e, e.message());
  out << " at ";
  if (const auto append_place = detail::table_of(e, source).append_place; append_place != nullptr) {
    const std::size_t before = out.size();
    append_place(out, e, source.data(), source.size());
    if (out.size() != before) out << ", ";
  }
  out << "offset " << offset;
  detail::append_offset_in_hex(out, offset);
  out << '\n';
  detail::append_hex_line(out, source, offset);
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_DESCRIBE_HPP

// ---- tessera/genome/detail/errors.hpp
//
// The names and messages of NAC v1.2's codes, made known to core.

#ifndef TESSERA_GENOME_DETAIL_ERRORS_HPP
#define TESSERA_GENOME_DETAIL_ERRORS_HPP


// ---- tessera/genome/detail/stream_place.hpp
//
// The place of an offset into the bytes of a node stream, for describe().

#ifndef TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP
#define TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/genome/detail/base64.hpp
//
// Base64 (RFC 4648, section 4), strictly: signatures and the patterns of registries are kept in it.
//
//   tessera::pool<std::byte> bytes;
//   tessera::error e = genome::detail::decode_base64("AgEAAAA=", bytes);   // 02 01 00 00 00
//   tessera::text line;
//   genome::detail::encode_base64(bytes, line);                            // appends AgEAAAA=
//
//   characters   A to Z, a to z, 0 to 9, + and /; nothing else between them
//   groups       of 4; the last may end in = or ==, and bits that no byte has are 0
//
// So every sequence of bytes has one text.
//
// Lifetime:   none is kept.
// Errors:     genome_base64_character at the character, genome_base64_end at the group of 4; what was
//             decoded until then stays.
// Limits:     none.
// Allocation: what the output grows by: 3 bytes for each 4 characters.

#ifndef TESSERA_GENOME_DETAIL_BASE64_HPP
#define TESSERA_GENOME_DETAIL_BASE64_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

inline constexpr std::string_view base64_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The values of characters; 64 for `=`, 255 for those that base64 doesn't have.
struct base64_values {
  std::uint8_t of[256];
  consteval base64_values() noexcept : of{} {
    for (std::uint8_t& v : of) v = 255;
    for (std::uint8_t v = 0; v < 64; ++v) of[static_cast<unsigned char>(base64_characters[v])] = v;
    of[static_cast<unsigned char>('=')] = 64;
  }
};
inline constexpr base64_values base64_value;

/// A text without the white space around it.
[[nodiscard]] constexpr std::string_view without_space(std::string_view s) noexcept {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// Whether a source consists of characters of base64, white space around them aside.
[[nodiscard]] constexpr bool is_base64(std::string_view source) noexcept {
  const std::string_view inner = without_space(source);
  for (const char c : inner)
    if (base64_value.of[static_cast<unsigned char>(c)] == 255) return false;
  return !inner.empty();
}

/// Where decoded byte `at` is in the text: the start of its group.
[[nodiscard]] constexpr std::uint64_t base64_group(std::uint64_t at) noexcept { return at / 3 * 4; }

/// Appends the bytes of `source`. The error's offset is into it.
[[nodiscard]] inline error decode_base64(std::string_view source, pool<std::byte>& out) {
  for (std::size_t at = 0; at < source.size(); at += 4) {
    const std::string_view group = source.substr(at, 4);
    std::uint32_t bits = 0, characters = 0;  // how many come before the first =
    bool padded = false, mixed = false;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::uint8_t v = base64_value.of[static_cast<unsigned char>(group[i])];
      if (v == 255) return {errc::genome_base64_character, at + i};
      bits = bits << 6 | (v & 63u);
      if (v == 64) {
        padded = true;
      } else {
        mixed = mixed || padded;
        ++characters;
      }
    }
    const bool last = source.size() - at <= 4;
    const std::uint32_t unused = characters == 2 ? 0xffff : characters == 3 ? 0xff : 0;
    if (group.size() != 4 || mixed || characters < 2 || (padded && !last) || (bits & unused) != 0)
      return {errc::genome_base64_end, at};
    std::byte* const to = out.prepare(3);
    to[0] = static_cast<std::byte>(bits >> 16);
    to[1] = static_cast<std::byte>(bits >> 8 & 0xff);
    to[2] = static_cast<std::byte>(bits & 0xff);
    out.advance(characters - 1);
  }
  return {};
}

/// Appends the text of `source`.
inline void encode_base64(bytes source, text& out) {
  for (std::size_t at = 0; at < source.size(); at += 3) {
    const std::size_t left = source.size() - at;
    const auto byte = [&](std::size_t i) {
      return i < left ? std::to_integer<std::uint32_t>(source[at + i]) : 0;
    };
    const std::uint32_t bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    char* const to = out.prepare(4);
    to[0] = base64_characters[bits >> 18];
    to[1] = base64_characters[bits >> 12 & 63];
    to[2] = left > 1 ? base64_characters[bits >> 6 & 63] : '=';
    to[3] = left > 2 ? base64_characters[bits & 63] : '=';
    out.advance(4);
  }
}

}  // namespace genome::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_BASE64_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Appends "node 3" or, in the inputs of a node, "node 3, input 1". Nothing for base64 and for the
/// JSON of a registry, which have no nodes at these offsets.
inline void append_stream_place(text& to, const error& e, const std::byte* source,
                                std::size_t size) {
  const std::string_view characters = as_text({source, size});
  if (e.offset >= size || characters[0] == '{' || is_base64(characters)) return;
  constexpr std::size_t head = 5;
  std::size_t at = 0;
  for (std::uint64_t i = 0; at < size; ++i) {
    const std::size_t left = size - at;
    const std::size_t inputs = left < head ? 0 : std::to_integer<std::size_t>(source[at + 4]);
    const std::size_t length = head + 2 * inputs;
    if (e.offset < at + length) {
      to << "node " << i;
      if (e.offset >= at + head) to << ", input " << (e.offset - at - head) / 2;
      return;
    }
    if (length > left) return;
    at += length;
  }
}

}  // namespace genome::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_STREAM_PLACE_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_GENOME_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(5) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], append_stream_place};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace genome::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_ERRORS_HPP

// ---- tessera/genome/detail/format.hpp
//
// The bodies of genome/format.hpp.

#ifndef TESSERA_GENOME_DETAIL_FORMAT_HPP
#define TESSERA_GENOME_DETAIL_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {

TESSERA_INLINE void stream::add(node n, view<std::int32_t> d) {
  n.first = static_cast<std::uint32_t>(inputs.size());
  n.count = static_cast<std::uint32_t>(d.size());
  nodes.push_back(n);
  inputs.append(d.data(), d.size());
}

TESSERA_INLINE bool operator==(const stream_view& x, const stream_view& y) noexcept {
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const node &a = x.nodes[i], &b = y.nodes[i];
    if (a.a != b.a || a.b != b.b || a.c != b.c || a.count != b.count) return false;
    for (std::size_t k = 0; k < a.count; ++k)
      if (x.inputs_of(i)[k] != y.inputs_of(i)[k]) return false;
  }
  return true;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_FORMAT_HPP

// ---- tessera/core/detail/report.hpp
//
// The bodies of core/report.hpp.

#ifndef TESSERA_CORE_DETAIL_REPORT_HPP
#define TESSERA_CORE_DETAIL_REPORT_HPP


namespace tessera::inline TESSERA_ABI {

TESSERA_INLINE listing::listing(const report& found, view<source_file> sources)
    : found_(found), sources_(sources) {
  for (const source_file& s : sources) {
    first_lines_.push_back(lines_.size());
    lines_.push_back(0);
    if (s.is_binary) continue;
    for (std::size_t i = s.text.find('\n'); i != s.text.npos; i = s.text.find('\n', i + 1))
      lines_.push_back(i + 1);
  }
  first_lines_.push_back(lines_.size());
  find_paths();
}

TESSERA_INLINE void listing::find_paths() {
  pool<std::uint32_t> order;
  for (std::size_t i = 0; i < found_.diagnostics.size(); ++i) {
    const diagnostic& d = found_.diagnostics[i];
    paths_.push_back(d.path);
    if (d.path.size == 0 && d.rule.size == 0 && has_source(d.where))
      order.push_back(static_cast<std::uint32_t>(i));
  }
  const auto where = [&](std::uint32_t i) -> const place& { return found_.diagnostics[i].where; };
  sort(order.data(), order.size(), [&](std::uint32_t a, std::uint32_t b) {
    const place &p = where(a), &q = where(b);
    return p.file != q.file ? p.file < q.file : p.offset < q.offset;
  });
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    const std::uint32_t file = where(order[first]).file;
    while (last < order.size() && where(order[last]).file == file) ++last;
    const source_file& s = sources_[file];
    if (s.is_binary || !json::detail::is_json(s.text)) continue;
    json::detail::path_finder finder(s.text, {});
    for (std::size_t i = first; i < last; ++i) {
      text_range& path = paths_[order[i]];
      path.first = static_cast<std::uint32_t>(characters_.size());
      finder.append(characters_, where(order[i]).offset);
      path.size = static_cast<std::uint32_t>(characters_.size()) - path.first;
    }
  }
}

TESSERA_INLINE std::string_view listing::path_of(const diagnostic& d) const noexcept {
  if (d.path.size != 0) return found_.text_of(d.path);
  const auto i = static_cast<std::size_t>(&d - found_.diagnostics.data());
  return {characters_.data() + paths_[i].first, paths_[i].size};
}

TESSERA_INLINE line_column listing::locate(const place& p) const noexcept {
  if (!has_source(p)) return {};
  std::size_t first = first_lines_[p.file], last = first_lines_[p.file + 1];
  const std::size_t begin = first;
  while (last - first > 1) {  // the last line that begins at or before the place
    const std::size_t middle = first + (last - first) / 2;
    if (lines_[middle] <= p.offset)
      first = middle;
    else
      last = middle;
  }
  return {first - begin + 1, p.offset - lines_[first] + 1};
}

TESSERA_INLINE std::string_view listing::file_name(const place& p) const noexcept {
  if (p.file < sources_.size()) return sources_[p.file].name;
  if (p.file == 0 || p.file > found_.files.size()) return "<input>";
  return found_.text_of(found_.files[p.file - 1]);
}

TESSERA_INLINE text listing::describe(const diagnostic& d) const {
  text out;
  const auto begin = [&](const place& p, std::string_view severity, std::string_view message) {
    out << file_name(p);
    if (has_source(p) && !sources_[p.file].is_binary) {
      const line_column at = locate(p);
      out << ':' << at.line << ':' << at.column;
    }
    out << ": " << severity << ": " << message;
  };
  const auto end = [&out](const place& p) {
    if (p.index != error_index::none && p.index != error_index::whole)
      out << " at " << tessera::name(p.index) << ' ' << p.offset;
  };
  const auto excerpt = [&](const place& p, std::string_view inserted, std::uint64_t inserted_at) {
    if (!has_source(p)) return;
    const source_file& s = sources_[p.file];
    const std::size_t offset = p.offset < s.text.size() ? to_size(p.offset) : s.text.size();
    if (s.is_binary)
      detail::append_hex_line(out, as_bytes(s.text), offset);
    else
      detail::append_caret(out, s.text, offset, p.length, inserted, to_size(inserted_at));
  };

  begin(d.where, tessera::name(d.severity), found_.text_of(d.text));
  const bool is_element = d.where.index != error_index::none;
  const bool is_binary = has_source(d.where) && sources_[d.where.file].is_binary;
  const std::string_view path = path_of(d);
  if (path.empty() && !is_binary) {
    out << " [" << found_.rule_of(d) << ']';
    end(d.where);
    out << '\n';
  } else {
    out << "\n  [" << found_.rule_of(d) << "] at ";
    append_shown(out, path);
    if (!is_element) {
      out << (!path.empty() ? ", offset " : "offset ") << d.where.offset;
      if (is_binary) detail::append_offset_in_hex(out, d.where.offset);
    }
    out << '\n';
  }
  const std::string_view replacement = found_.text_of(d.replacement);
  const bool is_shown = d.has_fix && d.fix.file == d.where.file && !replacement.empty() &&
                        replacement.find('\n') == replacement.npos;
  excerpt(d.where, is_shown ? replacement : std::string_view(), d.fix.offset);
  if (d.has_note) {
    if (d.related.length == 0) {
      out << "  note: " << found_.text_of(d.note) << '\n';
    } else {
      begin(d.related, "note", found_.text_of(d.note));
      end(d.related);
      out << '\n';
      excerpt(d.related, {}, 0);
    }
  }
  return out;
}

TESSERA_INLINE text describe(const report& found, view<source_file> sources) {
  const listing list(found, sources);
  text out;
  for (const diagnostic& d : found.diagnostics) {
    const text one = list.describe(d);
    out << one.view();
  }
  return out;
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_REPORT_HPP

// ---- tessera/genome/detail/registry.hpp
//
// The bodies of genome/registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>


// ---- tessera/genome/detail/registry_order.hpp
//
// The maps of a registry in order: by id, as they are written, and by name, to find duplicates.
//
//   bool same = *genome::read_registry(json) == registry;      // whatever the order in the file
//
// Lifetime:   orders are indices into the map that they were made of.
// Errors:     none.
// Limits:     32-bit indices.
// Allocation: 4 bytes for each member of a map, and again while it is sorted.

#ifndef TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP
#define TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

using map_order = pool<std::uint32_t>;

/// The indices of a map as `less` of two members orders them; equal ones keep their order.
template <class T, class Less>
[[nodiscard]] map_order ordered(const pool<T>& map, Less less) {
  map_order order;
  order.reserve(map.size());
  for (std::size_t i = 0; i < map.size(); ++i) order.push_back(static_cast<std::uint32_t>(i));
  sort(order.data(), order.size(),
       [&](std::uint32_t a, std::uint32_t b) { return less(map[a], map[b]); });
  return order;
}
template <class T>
[[nodiscard]] map_order by_id(const pool<T>& map) {
  return ordered(map, [](const T& a, const T& b) { return a.id < b.id; });
}

[[nodiscard]] constexpr characters_range key_of(const entry& e) noexcept { return e.name; }
[[nodiscard]] constexpr characters_range key_of(const transition_rule& t) noexcept {
  return t.text;
}
[[nodiscard]] constexpr characters_range key_of(const counted_rule& c) noexcept { return c.text; }

/// The indices of members whose name an earlier one has, ascending. Sorting costs n log n in
/// characters, however alike the names are.
template <class T>
[[nodiscard]] map_order repeated_names(const registry& r, const pool<T>& map) {
  const auto name = [&r](const T& row) { return r.name_of(key_of(row)); };
  const map_order order =
      ordered(map, [&name](const T& a, const T& b) { return name(a) < name(b); });
  map_order repeated;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (name(map[order[i]]) == name(map[order[i - 1]])) repeated.push_back(order[i]);
  sort(repeated.data(), repeated.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
  return repeated;
}
/// The first member whose id an earlier one has; map.size() where there is none.
template <class T>
[[nodiscard]] std::size_t first_repeated_id(const pool<T>& map) {
  const map_order order = by_id(map);
  std::size_t first = map.size();
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i] < first && map[order[i]].id == map[order[i - 1]].id) first = order[i];
  return first;
}

/// Two registries next to one another, member by member, offsets aside.
struct registry_comparison {
  const registry &x, &y;

  [[nodiscard]] bool same(characters_range a, characters_range b) const {
    return x.name_of(a) == y.name_of(b);
  }
  [[nodiscard]] bool same(const entry& a, const entry& b) const {
    return a.id == b.id && same(a.name, b.name);
  }
  [[nodiscard]] bool same(const constant& a, const constant& b) const {
    return a.id == b.id && same(a.type, b.type) && same(a.value, b.value);
  }
  [[nodiscard]] bool same(const pattern& a, const pattern& b) const {
    return a.id == b.id && x.nodes_of(a) == y.nodes_of(b);
  }
  [[nodiscard]] bool same(const counted_rule& a, const counted_rule& b) const {
    return a.count == b.count && same(a.text, b.text);
  }
  [[nodiscard]] bool same(const transition_rule& a, const transition_rule& b) const {
    if (a.count != b.count || a.exceptions != b.exceptions || !same(a.text, b.text) ||
        !same(a.probability, b.probability) || !(x.nodes_of(a) == y.nodes_of(b)))
      return false;
    for (std::uint32_t i = 0; i < a.exceptions; ++i)
      if (!same(x.exceptions[a.first_exception + i], y.exceptions[b.first_exception + i]))
        return false;
    return true;
  }
  template <class T>
  [[nodiscard]] bool same_ids(const pool<T>& a, const pool<T>& b) const {
    if (a.size() != b.size()) return false;
    const map_order i = by_id(a), j = by_id(b);
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!same(a[i[k]], b[j[k]])) return false;
    return true;
  }
  template <class T>
  [[nodiscard]] bool same_rows(const pool<T>& a, const pool<T>& b) const {
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k)
      if (!same(a[k], b[k])) return false;
    return true;
  }
};

}  // namespace detail

/// Whether two registries are equal: maps in any order, rules in order; offsets are ignored.
TESSERA_INLINE bool operator==(const registry& x, const registry& y) {
  const detail::registry_comparison c{x, y};
  return c.same_ids(x.operations, y.operations) && c.same_ids(x.operation_ids, y.operation_ids) &&
         c.same_ids(x.variations, y.variations) && c.same_ids(x.constants, y.constants) &&
         c.same_ids(x.constant_texts, y.constant_texts) && c.same_ids(x.groups, y.groups) &&
         c.same_ids(x.group_ids, y.group_ids) && c.same_ids(x.parameters, y.parameters) &&
         c.same_ids(x.parameter_ids, y.parameter_ids) && c.same_ids(x.patterns, y.patterns) &&
         c.same_rows(x.transitions, y.transitions) && c.same_rows(x.compositions, y.compositions) &&
         c.same_rows(x.structures, y.structures);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_REGISTRY_ORDER_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome {

TESSERA_INLINE characters_range registry::add_characters(std::string_view s) {
  const characters_range at{static_cast<std::uint32_t>(characters.size()),
                            static_cast<std::uint32_t>(s.size())};
  characters << s;
  return at;
}

TESSERA_INLINE void registry::add(pool<entry>& map, pool<entry>& reverse, std::uint32_t id,
                                  std::string_view name) {
  const entry e{id, add_characters(name), map.size()};
  map.push_back(e);
  reverse.push_back(e);
}

TESSERA_INLINE void registry::add_constant(std::uint32_t id, std::string_view type,
                                           std::string_view value) {
  const characters_range t = add_characters(type), v = add_characters(value);
  constants.push_back({id, t, v, constants.size()});
}

TESSERA_INLINE void registry::add_pattern(std::uint32_t id, const stream_view& nodes) {
  patterns.push_back({id, static_cast<std::uint32_t>(pattern_nodes.size()),
                      static_cast<std::uint32_t>(nodes.size()), patterns.size()});
  for (std::size_t i = 0; i < nodes.size(); ++i)
    pattern_nodes.add(nodes.nodes[i], nodes.inputs_of(i));
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_REGISTRY_HPP

// ---- tessera/genome/detail/program.hpp
//
// The bodies of genome/program.hpp.

#ifndef TESSERA_GENOME_DETAIL_PROGRAM_HPP
#define TESSERA_GENOME_DETAIL_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class library_maker;

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE const genome::constant* library::constant(std::uint32_t id) const& noexcept {
  const std::uint32_t i = at(constants_, id);
  return i == none ? nullptr : &registry_.constants[i];
}

TESSERA_INLINE std::string_view library::name(const places& p, const pool<entry>& map,
                                              std::uint32_t id) const noexcept {
  const std::uint32_t i = at(p, id);
  return i == none ? std::string_view{} : registry_.name_of(map[i]);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PROGRAM_HPP

// ---- tessera/genome/detail/expand.hpp
//
// The bodies of genome/expand.hpp.

#ifndef TESSERA_GENOME_DETAIL_EXPAND_HPP
#define TESSERA_GENOME_DETAIL_EXPAND_HPP

#include <cstddef>
#include <cstdint>


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

// ---- tessera/genome/detail/compress.hpp
//
// The bodies of genome/compress.hpp.

#ifndef TESSERA_GENOME_DETAIL_COMPRESS_HPP
#define TESSERA_GENOME_DETAIL_COMPRESS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


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

// ---- tessera/genome/detail/print.hpp
//
// The bodies of genome/print.hpp.

#ifndef TESSERA_GENOME_DETAIL_PRINT_HPP
#define TESSERA_GENOME_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class printer {
 public:
  printer(text& out, const library& l) noexcept : out_(out), library_(l) {}

  /// Nodes that are indented by `margin` spaces. In a pattern, ids count nodes of its expansion.
  void nodes(const stream_view& s, std::size_t margin, bool is_pattern) {
    pool<block> blocks;   // that are open, the innermost last
    std::int64_t id = 0;  // of the node
    const auto indent = [&](std::size_t depth) {
      for (std::size_t k = 0; k < margin + 2 * (depth < 32 ? depth : 32); ++k) out_ << ' ';
    };
    for (std::size_t i = 0; i < s.size(); ++i) {
      while (!blocks.empty() && blocks.back().end == i) blocks.pop_back();
      if (!blocks.empty() && blocks.back().second == i) {
        indent(blocks.size() - 1);
        out_ << (blocks.back().is_if ? "else\n" : "do\n");
      }
      indent(blocks.size());
      node_line(s, i, id);
      const node& n = s.nodes[i];
      if (n.what() == command::control_flow) {
        const view<std::int32_t> d = s.inputs_of(i);
        const std::size_t second = i + 1 + static_cast<std::size_t>(d[0]);
        blocks.push_back({second, second + static_cast<std::size_t>(d[1]), n.b == if_else});
      }
      id += is_pattern && n.what() == command::pattern ? flat_size(n.pattern_id()) : 1;
    }
  }

  void constants_and_names() {
    const registry& r = library_.registry();
    out_ << "; ";
    count(r.operation_ids.size(), "operation");
    out_ << ", ";
    count(r.variations.size(), "variation");
    out_ << ", ";
    count(r.constants.size(), "constant");
    out_ << ", ";
    count(r.group_ids.size(), "constant group");
    out_ << ", ";
    count(r.parameter_ids.size(), "parameter");
    out_ << ", ";
    count(r.patterns.size(), "pattern");
    out_ << '\n';
  }
  void patterns() {
    const registry& r = library_.registry();
    for (std::size_t i = 0; i < r.patterns.size(); ++i) {
      out_ << "\npattern " << r.patterns[i].id << "  ; ";
      count(library_.flat_size(static_cast<std::uint32_t>(i)), "node");
      out_ << '\n';
      nodes(r.nodes_of(r.patterns[i]), 2, true);
    }
  }
  void rules() {
    const registry& r = library_.registry();
    if (!r.transitions.empty()) out_ << "\ntransition rules\n";
    for (const transition_rule& t : r.transitions) {
      out_ << "  ";
      whole(r.name_of(t.text));
      out_ << "  ; probability ";
      whole(r.name_of(t.probability));
      out_ << ", " << t.count << " times\n";
      for (std::uint32_t k = 0; k < t.exceptions; ++k) {
        out_ << "    but ";
        whole(r.name_of(r.exceptions[t.first_exception + k]));
        out_ << '\n';
      }
    }
    counted("composition rules", r.compositions);
    counted("structural rules", r.structures);
  }

  void count(std::uint64_t n, std::string_view noun) {
    out_ << n << ' ' << noun << (n == 1 ? "" : "s");
  }

 private:
  /// The two blocks of an IF or WHILE: where the second begins, and where it ends.
  struct block {
    std::size_t second, end;
    bool is_if;
  };

  void counted(std::string_view title, const pool<counted_rule>& rules) {
    if (!rules.empty()) out_ << '\n' << title << '\n';
    for (const counted_rule& c : rules) {
      out_ << "  ";
      whole(library_.registry().name_of(c.text));
      out_ << "  ; " << c.count << " times\n";
    }
  }
  [[nodiscard]] std::int64_t flat_size(std::uint32_t pattern_id) const noexcept {
    return library_.flat_size(library_.find_pattern(pattern_id));
  }

  /// What a line shows of a text that many lines may show: its first 96 bytes.
  [[nodiscard]] static std::string_view shown(std::string_view s) noexcept {
    if (s.size() <= 96) return s;
    std::size_t size = 96;
    while ((static_cast<unsigned char>(s[size]) & 0xc0u) == 0x80u && size > 92) --size;
    return s.substr(0, size);
  }
  /// A name as it is, or in quotes where it holds what would move a terminal's cursor.
  void whole(std::string_view name) {
    bool plain = true;
    for (const char c : name) plain = plain && static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    if (plain)
      out_ << name;
    else
      json::append_quoted(out_, name);
  }
  void words(std::string_view name) {
    whole(shown(name));
    if (shown(name).size() < name.size()) out_ << "...";
  }
  void quoted(std::string_view name) {
    const std::string_view some = shown(name);
    json::append_quoted(out_, some);
    if (some.size() < name.size()) out_ << "...";
  }

  void node_line(const stream_view& s, std::size_t i, std::int64_t id) {
    const node& n = s.nodes[i];
    if (n.what() != command::output && n.what() != command::pad) out_ << '%' << id << " = ";
    switch (n.what()) {
      case command::none:             // unreachable: verified streams have none
      case command::reserved: break;  // unreachable: nor of these
      case command::pad: out_ << "pad"; break;
      case command::data_input: out_ << "input"; break;
      case command::param_input: out_ << "parameter"; break;
      case command::output:
        out_ << "output(";
        references(s, i, id);
        out_ << ')';
        break;
      case command::const_ref:
        out_ << "parameter ";
        quoted(library_.parameter(static_cast<std::uint16_t>(n.c)));
        break;
      case command::pattern:
        out_ << "pattern " << n.pattern_id() << '(';
        references(s, i, id);
        out_ << ")  ; ";
        count(static_cast<std::uint64_t>(flat_size(n.pattern_id())), "node");
        break;
      case command::copy: {
        const view<std::int32_t> d = s.inputs_of(i);
        const node copied{
            .a = n.b, .b = static_cast<std::uint8_t>(d[0]), .c = static_cast<std::int16_t>(d[1])};
        out_ << n.c << " x ";
        template_of(copied);
        break;
      }
      case command::control_flow: {
        out_ << (n.b == if_else ? "if(" : "while(");
        references(s, i, id);
        out_ << ')';
        break;
      }
      case command::operation: operation(s, i, id); break;
    }
    out_ << '\n';
  }
  void template_of(const node& n) {
    switch (n.what()) {
      case command::data_input: out_ << "input"; break;
      case command::param_input: out_ << "parameter"; break;
      case command::const_ref:
        out_ << "parameter ";
        quoted(library_.parameter(static_cast<std::uint16_t>(n.c)));
        break;
      default:
        words(library_.target(n.a));
        out_ << '(';
        constants(n, true);
        out_ << ')';
    }
  }

  void reference(std::int32_t d, std::int64_t id) {
    out_ << '%' << (d < 0 ? id + d : std::int64_t{d});
  }
  void references(const stream_view& s, std::size_t i, std::int64_t id) {
    bool first = true;
    for (const std::int32_t d : s.references(i)) {
      if (!first) out_ << ", ";
      first = false;
      reference(d, id);
    }
  }
  /// The tensors in the order of the variation, where that names inputs that are there.
  void operation(const stream_view& s, std::size_t i, std::int64_t id) {
    const node& n = s.nodes[i];
    const view<std::int32_t> d = s.inputs_of(i);
    words(library_.target(n.a));
    out_ << '(';
    std::uint8_t in_order[max_node_inputs] = {};
    std::size_t size = 0;
    bool ordered = true;
    std::uint32_t input = 0;
    variation_inputs order(library_.variation(n.b));
    while (ordered && order.next(input)) {
      ordered = input < d.size() && size < max_node_inputs;
      if (ordered) in_order[size++] = static_cast<std::uint8_t>(input);
    }
    if (ordered && size != 0) {
      for (std::size_t k = 0; k < size; ++k) {
        if (k != 0) out_ << ", ";
        reference(d[in_order[k]], id);
      }
    } else {
      references(s, i, id);
    }
    constants(n, d.empty());
    out_ << ')';
  }
  void constants(const node& n, bool first) {
    if (n.c == 0) return;
    if (!first) out_ << "; ";
    if (!n.has_group()) return constant_value(static_cast<std::uint32_t>(n.c));
    group_part part;
    std::size_t shown_parts = 0;
    std::string_view group = library_.group(n.group_id());
    const bool cut = group.size() > 4096;  // many nodes may name a long one
    if (cut) {
      const std::size_t end = group.substr(0, 4096).rfind(';');
      group = group.substr(0, end == std::string_view::npos ? 0 : end);
    }
    for (group_parts parts(group); parts.next(part); ++shown_parts) {
      if (shown_parts != 0) out_ << ", ";
      if (shown_parts == 16) {
        out_ << "...";
        return;
      }
      words(part.key);
      out_ << " = ";
      constant_value(part.constant);
    }
    if (cut) out_ << (shown_parts != 0 ? ", ..." : "...");
  }
  /// The value in JSON; data types, devices and the like without quotes.
  void constant_value(std::uint32_t id) {
    const constant* const c = library_.constant(id);
    if (c == nullptr) return;  // verified libraries have all that is named
    const std::string_view type = library_.registry().name_of(c->type);
    const std::string_view value = library_.registry().name_of(c->value);
    const bool plain = type.substr(0, 6) == "torch." && value.size() > 2 && value.size() < 98 &&
                       value[0] == '"' && value.find('\\') == std::string_view::npos;
    words(plain ? value.substr(1, value.size() - 2) : value);
  }

  text& out_;
  const library& library_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE text print(const program& p, const print_options& /*options*/) {
  text out;
  detail::printer to(out, p.library());
  out << "; ";
  to.count(p.stream().size(), "node");
  out << ", ";
  to.count(p.stream().inputs.size(), "input");
  out << '\n';
  to.nodes(p.stream(), 0, false);
  return out;
}

TESSERA_INLINE text print(const library& l, const print_options& /*options*/) {
  text out;
  detail::printer to(out, l);
  to.constants_and_names();
  to.patterns();
  to.rules();
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_PRINT_HPP

// ---- tessera/genome/detail/read.hpp
//
// The bodies of genome/read.hpp.

#ifndef TESSERA_GENOME_DETAIL_READ_HPP
#define TESSERA_GENOME_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

[[nodiscard]] inline std::uint8_t byte_at(bytes source, std::size_t at) noexcept {
  return std::to_integer<std::uint8_t>(source[at]);
}

[[nodiscard]] inline std::int16_t int16_at(bytes source, std::size_t at) noexcept {
  return static_cast<std::int16_t>(
      static_cast<std::uint16_t>(byte_at(source, at) << 8 | byte_at(source, at + 1)));
}

/// Appends the nodes of `source`.
[[nodiscard]] inline error read_nodes(bytes source, const limits& limit, stream& out) {
  if (source.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
  const std::uint64_t most = limit.max_items < UINT32_MAX ? limit.max_items : UINT32_MAX;
  std::size_t nodes = 0, inputs = 0;
  for (std::size_t at = 0; at < source.size(); ++nodes) {
    const std::size_t left = source.size() - at;
    const std::size_t count = left < 5 ? 0 : byte_at(source, at + 4);
    if (left < 5 + 2 * count) return {errc::genome_node_truncated, at};
    inputs += count;
    if (nodes >= most || inputs > most) return {errc::too_many_items, at};
    at += 5 + 2 * count;
  }
  (void)out.nodes.prepare(nodes);  // which doubles: registries append stream after stream
  (void)out.inputs.prepare(inputs);
  for (std::size_t at = 0; at < source.size();) {
    node n{.a = byte_at(source, at),
           .b = byte_at(source, at + 1),
           .c = int16_at(source, at + 2),
           .count = byte_at(source, at + 4),
           .first = static_cast<std::uint32_t>(out.inputs.size())};
    out.nodes.push_back(n);
    at += 5;
    for (std::uint32_t k = 0; k < n.count; ++k, at += 2) out.inputs.push_back(int16_at(source, at));
  }
  return {};
}

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE encoding detect(bytes source) noexcept {
  return detail::is_base64(as_text(source)) ? encoding::base64 : encoding::bytes;
}

TESSERA_INLINE result<stream> read(bytes source, const read_options& options) {
  const encoding stored =
      options.encoding == encoding::automatic ? detect(source) : options.encoding;
  if (stored == encoding::base64) return read_base64(as_text(source), options);
  stream out;
  if (const error e = detail::read_nodes(source, options.limit, out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<stream> read_base64(std::string_view source, const read_options& options) {
  const limits& limit = options.limit;
  if (source.size() > limit.max_bytes) return error{errc::input_too_large, limit.max_bytes};
  const std::string_view inner = detail::without_space(source);
  const auto first = static_cast<std::size_t>(inner.data() - source.data());
  pool<std::byte> raw;
  raw.reserve(inner.size() / 4 * 3 + 3);
  error e = detail::decode_base64(inner, raw);
  if (e.code != errc::ok) return error{e.code, first + e.offset};
  stream out;
  e = detail::read_nodes({raw.data(), raw.size()}, limit, out);
  if (e.code != errc::ok) return error{e.code, first + detail::base64_group(e.offset)};
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_READ_HPP

// ---- tessera/genome/detail/read_registry.hpp
//
// The bodies of genome/read_registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Whether `token` is a number from 0 to 1 and nothing else.
[[nodiscard]] inline bool is_probability(std::string_view token) {
  json::reader in(token);
  const json::number n = in.number();
  return in.finish().code == errc::ok && n.token.size() == token.size() && n.value >= 0 &&
         n.value <= 1;
}

/// What Python writes for floats that JSON has no number for, and how it is kept.
struct special_float {
  std::string_view token, kept;
};

inline constexpr special_float special_floats[] = {
    {"NaN", "nan"}, {"Infinity", "inf"}, {"-Infinity", "-inf"}};

/// Copies one value as json::copy() does, special floats too.
inline void copy_constant(json::reader& in, json::writer& out) {
  pool<bool> objects;  // the containers that this value has opened
  std::string_view name;
  do {
    const std::string_view rest = in.rest();
    const special_float* special = nullptr;
    for (const special_float& f : special_floats)
      if (rest.substr(0, f.token.size()) == f.token) special = &f;
    const json::kind kind = in.peek();
    if (special != nullptr) {
      in.resume(rest.data() + special->token.size());
      out.string(special->kept);
    } else if (kind == json::kind::object) {
      in.object(), out.begin_object();
      objects.push_back(true);
    } else if (kind == json::kind::array) {
      in.array(), out.begin_array();
      objects.push_back(false);
    } else {
      json::copy(in, out);
    }
    while (!objects.empty() && !(objects.back() ? in.key(name) : in.element())) {
      out.end();
      objects.pop_back();
    }
    if (!objects.empty() && objects.back()) out.key(name);
  } while (!objects.empty());
}

class registry_reader {
 public:
  registry_reader(std::string_view source, const limits& limit)
      : source_(source), limit_(limit), in_(source, limit) {}

  result<registry> read() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "canonical_to_index")
        names(r_.operations);
      else if (key == "index_to_canonical")
        ids(r_.operation_ids);
      else if (key == "variation_to_index")
        names(r_.variations);
      else if (key == "constants")
        constants();
      else if (key == "index_to_constant")
        ids(r_.constant_texts);
      else if (key == "constant_group_to_index")
        names(r_.groups);
      else if (key == "index_to_constant_group")
        ids(r_.group_ids);
      else if (key == "param_name_to_index")
        names(r_.parameters);
      else if (key == "index_to_param_name")
        ids(r_.parameter_ids);
      else if (key == "patterns")
        patterns();
      else if (key == "rules")
        rules();
      else
        in_.fail(errc::genome_registry_member, in_.offset());
    }
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    return std::move(r_);
  }

 private:
  template <class T>
  void append(pool<T>& list, const T& value, std::uint64_t at, std::size_t first = 0) {
    if (list.size() - first >= limit_.max_items)
      in_.fail(errc::too_many_items, at);
    else
      list.push_back(value);
  }

  /// Name to id.
  void names(pool<entry>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const characters_range name = r_.add_characters(key);
      const std::uint64_t at = in_.offset();
      const std::int64_t id = in_.int64();
      if (id < 0 || id > last_pattern_id) in_.fail(errc::genome_registry_id, at);
      append(map, {static_cast<std::uint32_t>(id), name, at}, at);
    }
  }
  /// Id to name.
  void ids(pool<entry>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      const std::uint32_t id = id_of(key);
      const std::uint64_t at = in_.offset();
      append(map, {id, r_.add_characters(in_.string()), at}, at);
    }
  }
  [[nodiscard]] std::uint32_t id_of(std::string_view key) {
    std::uint32_t id = 0;
    if (!take_number(key, id) || !key.empty() || id > last_pattern_id)
      in_.fail(errc::genome_registry_key, in_.offset());
    return id;
  }

  void constants() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      constant c{.id = id_of(key), .type = {}, .value = {}, .offset = in_.offset()};
      bool has_type = false, has_value = false;
      for (in_.object(); in_.key(key);) {
        if (key == "type") {
          c.type = r_.add_characters(in_.string());
          has_type = true;
        } else if (key == "value") {
          const std::size_t first = r_.characters.size();
          json::writer out(r_.characters);
          copy_constant(in_, out);
          c.value = {static_cast<std::uint32_t>(first),
                     static_cast<std::uint32_t>(r_.characters.size() - first)};
          has_value = true;
        } else {
          in_.fail(errc::genome_constant_member, in_.offset());
        }
      }
      if (!has_type || !has_value) in_.fail(errc::genome_constant_member, c.offset);
      append(r_.constants, c, c.offset);
    }
  }

  void patterns() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      pattern p{.id = id_of(key), .first = 0, .count = 0, .offset = in_.offset()};
      nodes(p.first, p.count);
      append(r_.patterns, p, p.offset);
    }
  }
  /// A stream in base64.
  void nodes(std::uint32_t& first, std::uint32_t& count) {
    const std::uint64_t at = in_.offset();
    const std::string_view base64 = in_.string();
    const bool plain = base64.data() == source_.data() + at + 1;  // no escapes: it is in the source
    first = static_cast<std::uint32_t>(r_.pattern_nodes.size());
    bytes_.clear();
    if (const error e = decode_base64(base64, bytes_); e.code != errc::ok)
      return in_.fail(e.code, plain ? at + 1 + e.offset : at);
    const bytes source(bytes_.data(), bytes_.size());
    if (const error e = read_nodes(source, limit_, r_.pattern_nodes); e.code != errc::ok)
      return in_.fail(e.code, plain ? at + 1 + base64_group(e.offset) : at);
    count = static_cast<std::uint32_t>(r_.pattern_nodes.size()) - first;
  }

  void rules() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "transition_rules")
        transitions();
      else if (key == "composition_rules")
        counted(r_.compositions);
      else if (key == "structural_rules")
        counted(r_.structures);
      else
        in_.fail(errc::genome_registry_member, in_.offset());
    }
  }
  void transitions() {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      transition_rule t;
      t.text = r_.add_characters(key);
      t.offset = in_.offset();
      t.first_exception = static_cast<std::uint32_t>(r_.exceptions.size());
      bool has_probability = false, has_count = false, has_nodes = false;
      for (in_.object(); in_.key(key);) {
        if (key == "probability") {
          t.probability = probability();
          has_probability = true;
        } else if (key == "count") {
          t.count = in_.uint64();
          has_count = true;
        } else if (key == "b64_repr") {
          nodes(t.first, t.nodes);
          has_nodes = true;
        } else if (key == "exceptions") {
          for (in_.array(); in_.element();) {
            const std::uint64_t at = in_.offset();
            append(r_.exceptions, r_.add_characters(in_.string()), at, t.first_exception);
          }
          t.exceptions = static_cast<std::uint32_t>(r_.exceptions.size()) - t.first_exception;
        } else {
          in_.fail(errc::genome_rule_member, in_.offset());
        }
      }
      if (!has_probability || !has_count || !has_nodes)
        in_.fail(errc::genome_rule_member, t.offset);
      append(r_.transitions, t, t.offset);
    }
  }
  [[nodiscard]] characters_range probability() {
    const std::uint64_t at = in_.offset();
    const std::string_view token =
        in_.peek() == json::kind::number ? in_.number().token : in_.string();
    if (!in_.failed() && !is_probability(token)) in_.fail(errc::genome_rule_probability, at);
    return r_.add_characters(token);
  }
  void counted(pool<counted_rule>& map) {
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      counted_rule c{.text = r_.add_characters(key), .count = 0, .offset = in_.offset()};
      bool has_count = false;
      for (in_.object(); in_.key(key);) {
        if (key == "count") {
          c.count = in_.uint64();
          has_count = true;
        } else {
          in_.fail(errc::genome_rule_member, in_.offset());
        }
      }
      if (!has_count) in_.fail(errc::genome_rule_member, c.offset);
      append(map, c, c.offset);
    }
  }

  std::string_view source_;
  limits limit_;
  json::reader in_;
  registry r_;
  pool<std::byte> bytes_;  // of one stream
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<registry> read_registry(std::string_view source,
                                              const read_options& options) {
  limits low = options.limit;  // names are ranges of 32 bits
  if (low.max_bytes > UINT32_MAX) low.max_bytes = UINT32_MAX;
  return detail::registry_reader(source, low).read();
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_READ_REGISTRY_HPP

// ---- tessera/genome/detail/verify.hpp
//
// The bodies of genome/verify.hpp.

#ifndef TESSERA_GENOME_DETAIL_VERIFY_HPP
#define TESSERA_GENOME_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/core/findings.hpp
//
// How verifiers fill a report, and keep the first error even without one.
//
//   detail::findings found(report, options.max_diagnostics);
//   found.error(errc::nac_argument_count, {.offset = at})
//       << name << ": " << count << " arguments; expected " << least << " or " << most;
//   found.warning(errc::nac_id_repeated, {.offset = at}).path() << "instruction " << i;
//   if (found.failed()) return found.first_error();
//
// Without a message of its own, a finding has the general message of its code.
//
// Lifetime:   borrows the report.
// Errors:     none.
// Limits:     a report keeps `max_diagnostics` and a gibibyte of text, and counts all findings; a
//             text written into a message is cut to 200 bytes.
// Allocation: the report's.

#ifndef TESSERA_CORE_FINDINGS_HPP
#define TESSERA_CORE_FINDINGS_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {
namespace detail {

class findings {
 public:
  /// Appends to every message: which iteration of a loop it is about.
  struct ending {
    void (*append)(const void* context, const diagnostic& d, text& to) = nullptr;
    const void* context = nullptr;
  };

  findings(report* to, std::uint64_t max_diagnostics) noexcept : to_(to), max_(max_diagnostics) {}
  /// Ends the texts of the latest diagnostic, which lose their end where there is no memory.
  ~findings() { close_or_cut(); }
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// Writes the texts of the latest diagnostic: the message first, then, each at most once and in any
  /// order, a path, a note and a fix. One pointer, null without a report or where the diagnostic isn't
  /// kept; whoever adds the next finding ends its texts, so a call costs its caller the least.
  class writer {
   public:
    explicit writer(findings* to = nullptr) noexcept : to_(to) {}

    [[gnu::cold]] friend writer operator<<(writer w, std::string_view part) { return w.put(part); }
    [[gnu::cold]] friend writer operator<<(writer w, const char* part) {
      return w << std::string_view(part);
    }
    [[gnu::cold]] friend writer operator<<(writer w, const text& part) { return w << part.view(); }
    [[gnu::cold]] friend writer operator<<(writer w, char part) {
      return w << std::string_view(&part, 1);
    }
    template <class Int>
      requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
    friend writer operator<<(writer w, Int part) {
      if constexpr (std::is_signed_v<Int>)
        return w.put_signed(part);
      else
        return w.put_unsigned(part);
    }
    /// Whatever else can be written into a text, as it is.
    template <class Part>
      requires(std::is_class_v<Part> && !std::is_convertible_v<const Part&, std::string_view> &&
               !std::is_same_v<Part, text>)
    friend writer operator<<(writer w, const Part& part) {
      if (w.to_ != nullptr) w.characters() << part;
      return w;
    }
    /// What follows is the path, written as it is.
    const writer& path() const { return start_path(), *this; }
    /// What follows is the note, about `related`.
    const writer& note(place related = {}) const { return start_note(related), *this; }
    /// What follows replaces `range`, as it is.
    const writer& fix(place range) const { return start_fix(range), *this; }

   private:
    [[nodiscard]] text& characters() const noexcept { return to_->to_->characters; }
    [[gnu::cold]] writer put(std::string_view part) const;
    [[gnu::cold]] void start_path() const;
    [[gnu::cold]] void start_note(const place& related) const;
    [[gnu::cold]] void start_fix(const place& range) const;
    [[gnu::cold]] writer put_signed(std::int64_t part) const;
    [[gnu::cold]] writer put_unsigned(std::uint64_t part) const;

    findings* to_;
  };

  /// Adds a finding, whose texts are written into the result. `rule` is the id of the rule where that
  /// isn't the code's name; a path that is known already can be given here.
  [[gnu::cold]] writer add(errc code, severity s, place where, std::string_view rule = {},
                           std::string_view path = {});
  writer error(errc code, place where) { return add(code, severity::error, where); }
  writer warning(errc code, place where) { return add(code, severity::warning, where); }
  writer note(errc code, place where) { return add(code, severity::note, where); }
  /// Adds an error with its general message.
  [[gnu::cold]] void error(const tessera::error& e) { error(e.code, {0, e.offset, 0, e.index}); }

  [[nodiscard]] bool failed() const noexcept { return first_.code != errc::ok; }
  [[nodiscard]] const tessera::error& first_error() const noexcept { return first_; }
  /// The number of errors.
  [[nodiscard]] std::uint64_t errors() const noexcept { return errors_; }
  /// Ends the texts of the latest diagnostic. Needed only to look at them while this lives.
  [[gnu::cold]] void close();

 protected:
  report* to_;
  std::uint64_t max_;
  std::uint64_t errors_ = 0;
  tessera::error first_;
  ending ending_;

 private:
  [[nodiscard]] diagnostic& last() const noexcept { return to_->diagnostics.back(); }
  void open(text_range& range) noexcept;
  [[gnu::cold]] void close_or_cut() noexcept;

  text_range* range_ = nullptr;  // the one that is written now, of the latest diagnostic
  bool is_verbatim_ = false;
  text end_, path_;  // of its message; its path, written after that
};

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)

// ---- tessera/core/detail/findings.hpp
//
// The bodies of core/findings.hpp.

#ifndef TESSERA_CORE_DETAIL_FINDINGS_HPP
#define TESSERA_CORE_DETAIL_FINDINGS_HPP


namespace tessera::inline TESSERA_ABI {
namespace detail {

TESSERA_INLINE auto findings::add(errc code, severity s, place where, std::string_view rule,
                                  std::string_view path) -> writer {
  if (s == severity::error) {
    ++errors_;
    if (first_.code == errc::ok) first_ = {code, where.offset, where.index};
  }
  if (to_ == nullptr) return writer();
  close();
  ++(s == severity::error ? to_->errors : s == severity::warning ? to_->warnings : to_->notes);
  constexpr std::size_t max_characters = std::size_t{1} << 30;
  if (to_->diagnostics.size() >= max_ || to_->characters.size() > max_characters) return writer();
  to_->diagnostics.push_back({});
  diagnostic& d = last();
  d.code = code;
  d.severity = s;
  d.where = where;
  d.rule = {static_cast<std::uint32_t>(to_->characters.size()),
            static_cast<std::uint32_t>(rule.size())};
  to_->characters << rule;
  if (ending_.append != nullptr) ending_.append(ending_.context, d, end_);
  path_ << path;
  open(d.text);
  return writer(this);
}

TESSERA_INLINE void findings::writer::start_path() const {
  if (to_ == nullptr) return;
  to_->close();
  to_->open(to_->last().path);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE void findings::writer::start_note(const place& related) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_note = true;
  d.related = related;
  to_->open(d.note);
}

TESSERA_INLINE void findings::writer::start_fix(const place& range) const {
  if (to_ == nullptr) return;
  to_->close();
  diagnostic& d = to_->last();
  d.has_fix = true;
  d.fix = range;
  to_->open(d.replacement);
  to_->is_verbatim_ = true;
}

TESSERA_INLINE auto findings::writer::put_signed(std::int64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put_unsigned(std::uint64_t part) const -> writer {
  if (to_ != nullptr) characters() << part;
  return *this;
}

TESSERA_INLINE auto findings::writer::put(std::string_view part) const -> writer {
  if (to_ == nullptr) return *this;
  constexpr std::size_t max_shown = 200;
  text& out = characters();
  if (to_->is_verbatim_) {
    out << part;
    return *this;
  }
  std::size_t size = part.size();
  if (size > max_shown)  // cut between characters of UTF-8
    for (size = max_shown; size > 0 && (static_cast<unsigned char>(part[size]) & 0xc0u) == 0x80u;)
      --size;
  append_shown(out, part.substr(0, size));
  if (size < part.size()) out << "...";
  return *this;
}

TESSERA_INLINE void findings::open(text_range& range) noexcept {
  range_ = &range;
  range_->first = static_cast<std::uint32_t>(to_->characters.size());
  is_verbatim_ = false;
}

TESSERA_INLINE void findings::close() {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  if (range_ == &last().text) {
    if (out.size() == range_->first) out << tessera::error{last().code}.message();
    out << end_;
    end_.clear();
  }
  const auto end = static_cast<std::uint32_t>(out.size());
  range_->size = end - range_->first;
  range_ = nullptr;
  if (path_.empty()) return;
  out << path_;
  last().path = {end, static_cast<std::uint32_t>(path_.size())};
  path_.clear();
}

TESSERA_INLINE void findings::close_or_cut() noexcept {
  if (range_ == nullptr) return;
  text& out = to_->characters;
  const std::size_t message = tessera::error{last().code}.message().size();
  if (!out.try_reserve(out.size() + message + end_.size() + path_.size())) {
    end_.clear();
    path_.clear();
    if (out.size() == range_->first) range_ = nullptr;  // not even a message
  }
  close();
}

}  // namespace detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_DETAIL_FINDINGS_HPP
#endif

#endif  // TESSERA_CORE_FINDINGS_HPP

// ---- tessera/genome/detail/check_registry.hpp
//
// What verify() checks about the maps of a registry; their patterns are streams (check_stream.hpp).
//
//   detail::registry_checker maps(registry, limit, found);
//   maps.check();                                               // fills maps.operations and so on
//
//   map          ids           a member is
//   operations   0 - 255       below 10 the command of that id, and no other has such a name
//   variations   1 - 255       "in1,in0"
//   constants    1 - 32767     of a type of the table below, with a value to match
//   groups       0 - 32767     "arg1=10;dim=11": keys or whole parts ascending, constants that exist
//   parameters   0 - 32767     any text
//   patterns     0 - 65535     one node or more
//
// These are the ids that their fields in nodes can hold; the original tools begin all at 10. In a map
// ids and names are unique. Registries of v1.1 may give id 10 to two operations, of which the one
// that index_to_canonical names counts, and have "<RESERVED>" at 8 or 10. A map without its reverse,
// or a reverse without its map, is completed; where both are present they agree. Texts of
// index_to_constant and rules are for people, and nothing is asked of them.
//
// Lifetime:   borrows the registry.
// Errors:     genome_id_range to genome_constant_value, genome_pattern_empty; the offset is the row's.
//             genome_node_truncated, with the index of a node, where a stream that was built in code
//             names inputs that aren't there.
//             All rows are checked; nothing is said about ids that were refused before.
// Limits:     max_depth for constants.
// Allocation: 4 bytes for each id up to the highest of a map; for a moment 8 for each member of one.

#ifndef TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

/// How the value of a constant is written in JSON.
enum class value_form : std::uint8_t { integer, number, string, boolean, null, array, slice };

/// The types of constants. A float that JSON has no number for is "inf", "-inf" or "nan".
struct constant_type {
  std::string_view name;
  value_form form;
};
inline constexpr constant_type constant_types[] = {
    {"int", value_form::integer},         {"float", value_form::number},
    {"str", value_form::string},          {"bool", value_form::boolean},
    {"NoneType", value_form::null},       {"list", value_form::array},
    {"tuple", value_form::array},         {"immutable_list", value_form::array},
    {"slice", value_form::slice},  // [start, stop, step]
    {"torch.dtype", value_form::string},  {"torch.device", value_form::string},
    {"torch.layout", value_form::string}, {"torch.memory_format", value_form::string},
};

/// Whether `value` is JSON of a form.
[[nodiscard]] inline bool has_form(std::string_view value, value_form form, const limits& limit) {
  json::reader in(value, limit);
  bool right = false;
  const json::kind kind = in.peek();
  switch (form) {
    case value_form::integer: right = in.number().integral; break;
    case value_form::number:
      if (kind == json::kind::string) {
        const std::string_view s = in.string();
        right = s == "inf" || s == "-inf" || s == "nan";
      } else {
        (void)in.number();
        right = true;
      }
      break;
    case value_form::string: right = kind == json::kind::string, in.skip(); break;
    case value_form::boolean: right = kind == json::kind::boolean, in.skip(); break;
    case value_form::null: right = kind == json::kind::null, in.skip(); break;
    case value_form::array: right = kind == json::kind::array, in.skip(); break;
    case value_form::slice: {
      std::size_t count = 0;
      for (in.array(); in.element(); ++count) in.skip();
      right = count == 3;
      break;
    }
  }
  return in.finish().code == errc::ok && right;
}

class registry_checker {
 public:
  /// By id: the index in the map, plus 1; of a map and its reverse that in the reverse.
  using places = pool<std::uint32_t>;
  places operations, variations, constants, groups, parameters, patterns;
  pool<std::uint32_t> tensors, target_sizes;  // of operations, by id
  pool<std::uint32_t> inputs_named;           // of variations

  registry_checker(registry& r, const limits& limit, tessera::detail::findings& found)
      : r_(r), limit_(limit), found_(found) {}

  void check() {
    const entry* tenth = nullptr;
    for (const entry& e : r_.operation_ids)
      if (e.id == first_id) tenth = &e;
    for (const entry& e : r_.operations)
      if (tenth != nullptr && r_.name_of(e) == r_.name_of(*tenth)) tenth_ = r_.name_of(e);
    check_both(r_.operations, r_.operation_ids, 0, last_byte_id, operations);
    check_operations();
    check_map(r_.variations, 1, last_byte_id, variations);
    check_variations();
    check_ids(r_.constants, 1, last_c_id, constants);
    check_constants();
    check_both(r_.groups, r_.group_ids, 0, last_c_id, groups);
    check_groups();
    check_both(r_.parameters, r_.parameter_ids, 0, last_c_id, parameters);
    check_ids(r_.patterns, 0, last_pattern_id, patterns);
    check_streams();
  }
  /// Whether the nodes of patterns, and their inputs, are there.
  [[nodiscard]] bool has_streams() const noexcept { return has_streams_; }

 private:
  template <class T>
  tessera::detail::findings::writer fail(errc code, const pool<T>& rows, const T& row) {
    const error e = error_in(r_, rows, row, code);
    return found_.error(code, {0, e.offset, 0, e.index});
  }

  /// The name of id 10, in a registry of v1.1, that its reverse doesn't know.
  template <class T>
  [[nodiscard]] bool is_ignored(const pool<T>& map, const T& row) const noexcept {
    if constexpr (requires { row.name; })
      return &map == &r_.operations && row.id == first_id && !tenth_.empty() &&
             r_.name_of(row) != tenth_;
    else
      return false;
  }

  /// Ids in their range and each once; their places go to `out`.
  template <class T>
  void check_ids(const pool<T>& map, std::uint32_t low, std::uint32_t high, places& out) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      const std::uint32_t id = map[i].id;
      if (id < low || id > high) {
        fail(errc::genome_id_range, map, map[i])
            << "id " << id << "; expected " << low << " to " << high;
        continue;
      }
      if (is_ignored(map, map[i])) continue;
      if (id >= out.size()) out.resize(id + 1);
      if (out[id] != 0)
        fail(errc::genome_id_repeated, map, map[i]) << "duplicate id " << id;
      else
        out[id] = static_cast<std::uint32_t>(i + 1);
    }
  }
  void check_map(const pool<entry>& map, std::uint32_t low, std::uint32_t high, places& out) {
    check_ids(map, low, high, out);
    for (const std::uint32_t i : repeated_names(r_, map))
      fail(errc::genome_name_repeated, map, map[i])
          << "duplicate name \"" << r_.name_of(map[i]) << "\", of id " << map[i].id;
  }
  [[nodiscard]] static std::uint32_t at(const places& p, std::uint32_t id) noexcept {
    return id < p.size() ? p[id] : 0;
  }
  /// A map and its reverse. Where one of them has errors they aren't compared.
  void check_both(pool<entry>& map, pool<entry>& reverse, std::uint32_t low, std::uint32_t high,
                  places& out) {
    if (map.empty()) map = reverse;
    if (reverse.empty())
      for (const entry& e : map)
        if (!is_ignored(map, e)) reverse.push_back(e);
    const std::uint64_t before = found_.errors();
    places forward;
    check_map(map, low, high, forward);
    check_map(reverse, low, high, out);
    if (found_.errors() != before) return;
    for (const entry& e : map) {
      if (is_ignored(map, e)) continue;
      const std::uint32_t i = at(out, e.id);
      if (i == 0 || r_.name_of(reverse[i - 1]) != r_.name_of(e))
        differ(map, e, i == 0 ? std::string_view() : r_.name_of(reverse[i - 1]));
    }
    for (const entry& e : reverse)
      if (at(forward, e.id) == 0) differ(reverse, e, {});
  }
  /// `other` is the name of the id in the other map, or null.
  void differ(const pool<entry>& map, const entry& e, std::string_view other) {
    auto out = fail(errc::genome_maps_differ, map, e);
    out << "forward and reverse maps disagree: id " << e.id << " is \"" << r_.name_of(e)
        << "\" here and ";
    if (other.data() == nullptr)
      out << "missing in the other map";
    else
      out << '"' << other << "\" in the other map";
  }

  void check_operations() {
    tensors.resize(operations.size());
    target_sizes.resize(operations.size());
    for (std::uint32_t& n : tensors) n = ~std::uint32_t{0};
    for (const entry& e : r_.operation_ids) {
      if (e.id >= operations.size()) continue;
      const std::string_view name = r_.name_of(e);
      std::uint32_t command = first_id;  // that has this name
      for (std::uint32_t a = 0; a < first_id; ++a)
        if (command_names[a] == name) command = a;
      if (e.id >= 8 && e.id <= first_id && name == command_names[9]) continue;
      if (command != (e.id < first_id ? e.id : first_id)) {
        auto out = fail(errc::genome_special_name, r_.operation_ids, e);
        out << "id " << e.id << " is \"" << name << "\"; expected ";
        if (e.id < first_id)
          out << '"' << command_names[e.id] << '"';
        else
          out << "the name of an operation: that of a command belongs to id " << command;
        continue;
      }
      const operation_name parts(name);
      target_sizes[e.id] = static_cast<std::uint32_t>(parts.target.size());
      if (parts.well_formed) tensors[e.id] = parts.tensors;
    }
  }
  void check_variations() {
    inputs_named.resize(variations.size());
    for (const entry& e : r_.variations) {
      if (e.id >= variations.size()) continue;
      variation_inputs inputs(r_.name_of(e));
      std::uint32_t named = 0;
      for (std::uint32_t i = 0; inputs.next(i);)
        if (i >= named) named = i + 1;
      if (inputs.failed() || named == 0)
        fail(errc::genome_variation_form, r_.variations, e)
            << "variation \"" << r_.name_of(e) << "\"; expected a form such as \"in0,in1\"";
      else
        inputs_named[e.id] = named;
    }
  }
  void check_constants() {
    for (const constant& c : r_.constants) {
      const constant_type* type = nullptr;
      for (const constant_type& t : constant_types)
        if (t.name == r_.name_of(c.type)) type = &t;
      if (type == nullptr) {
        auto out = fail(errc::genome_constant_type, r_.constants, c);
        out << "unknown type \"" << r_.name_of(c.type) << "\"; expected ";
        for (const constant_type& t : constant_types)
          out << (&t == constant_types                 ? ""
                  : &t == std::end(constant_types) - 1 ? " or "
                                                       : ", ")
              << t.name;
      } else if (!has_form(r_.name_of(c.value), type->form, limit_)) {
        fail(errc::genome_constant_value, r_.constants, c)
            << "the value " << r_.name_of(c.value) << " is not of type " << type->name;
      }
    }
  }
  /// Whether "a=" is below "b=", as where whole parts are sorted: arg10=1 precedes arg1=2 then.
  [[nodiscard]] static bool is_text_below(std::string_view a, std::string_view b) noexcept {
    const std::size_t same = a.size() < b.size() ? a.size() : b.size();
    const int order = a.substr(0, same).compare(b.substr(0, same));
    if (order != 0 || a.size() == b.size()) return order < 0;
    return a.size() < b.size() ? '=' < b[same] || a.empty() : a[same] < '=';
  }
  void check_groups() {
    for (const entry& e : r_.group_ids) {
      group_parts parts(r_.name_of(e));
      group_part part;
      std::string_view last;
      bool by_key = true, by_text = true, has_unknown = false;
      std::uint32_t unknown = 0;  // the first constant that doesn't exist
      while (parts.next(part)) {
        by_key = by_key && last < part.key;
        by_text = by_text && is_text_below(last, part.key);
        if (at(constants, part.constant) == 0 && !has_unknown)
          unknown = part.constant, has_unknown = true;
        last = part.key;
      }
      if (parts.failed() || !(by_key || by_text) || last.empty())
        fail(errc::genome_group_form, r_.group_ids, e)
            << "group \"" << r_.name_of(e)
            << "\"; expected a form such as \"arg1=10;dim=11\", with ascending keys";
      else if (has_unknown)
        fail(errc::genome_group_constant, r_.group_ids, e)
            << "group \"" << r_.name_of(e) << "\": constant " << unknown << " does not exist";
    }
  }

  /// That patterns have nodes, and nodes their inputs; streams that were read always do.
  void check_streams() {
    const stream& all = r_.pattern_nodes;
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const node& n = all.nodes[i];
      if (n.first != inputs || n.count > all.inputs.size() - inputs) {
        has_streams_ = false;
        found_.error(error(errc::genome_node_truncated, i, error_index::node));
        break;
      }
      inputs += n.count;
    }
    for (const pattern& p : r_.patterns) {
      if (p.count == 0) {
        fail(errc::genome_pattern_empty, r_.patterns, p);
      } else if (p.first > all.size() || p.count > all.size() - p.first) {
        fail(errc::genome_node_truncated, r_.patterns, p);
        has_streams_ = false;
      }
    }
  }

  registry& r_;
  limits limit_;
  tessera::detail::findings& found_;
  std::string_view tenth_;  // the operation of id 10 by index_to_canonical
  bool has_streams_ = true;
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_CHECK_REGISTRY_HPP

// ---- tessera/genome/detail/check_stream.hpp
//
// What verify() checks about the nodes of a stream, or of a pattern, against a library.
//
//   detail::stream_checker(stream, library, found).check();
//
//   what a reference may name         in a stream                      in a pattern
//   at the top                        id of an earlier node            offset below 0, which may lead
//   in a block                        the same, or an offset below 0   before the pattern
//                                     to a node of this very block
//   from the blocks of an IF          of what is outside, what D lists from the condition on
//   never                             nodes of blocks that have ended, the IF or WHILE around, PADs
//                                     and OUTPUTs
//
// A pattern's references count nodes of its expansion, so one into a pattern inside of it names one
// node there; whether that has a result and is in scope only expand() sees, as it does where the
// references of a pattern that is called lead. The own D of a PATTERN says nothing that its nodes
// don't, but has to be made of valid references all the same.
//
// A pattern may begin with a COPY of DATA_INPUTs, as the original miner leaves them: these are the
// next inputs of the graph, in the order of its expansion. Such a pattern isn't called in a block,
// where inputs are those of the IF or WHILE.
//
// Variation 1 means no tensor inputs as arguments, and is in no registry. The number of inputs is
// compared with node_args where each is one node of the graph that the stream was compressed from: not
// after a PATTERN or COPY, of which D names one for many. A variation may name more inputs than
// there are, but not where there are none: what took several nodes of a pattern has one of them in
// D, in the expansion too.
//
// Lifetime:   borrows the stream and the library.
// Errors:     genome_command to genome_reference_nothing, genome_pattern_absolute, _command and
//             _order. In a stream the offset is that of the node, or of the entry of D that is
//             wrong, 5 + 2 × k later; in a pattern its row's.
// Limits:     those of the library.
// Allocation: 4 bytes for each node; for each IF or WHILE 144, and 8 for each of its inputs.

#ifndef TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP
#define TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace genome {
namespace detail {

class stream_checker {
 public:
  stream_checker(const stream_view& s, const library& l, tessera::detail::findings& found)
      : s_(s), library_(l), found_(found) {}
  /// A pattern whose nodes start at `starts` in its expansion; errors are at its row.
  stream_checker(const stream_view& s, const library& l, tessera::detail::findings& found,
                 view<std::uint64_t> starts, const error& row, std::uint32_t id)
      : s_(s), library_(l), found_(found), starts_(starts), row_(row), id_(id), in_pattern_(true) {}

  /// Checks all nodes, up to an IF or WHILE whose blocks can't be known.
  void check() {
    blocks_.push_back({.end = s_.size()});
    scopes_.resize(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) {
      close_blocks(i);
      scopes_[i] = current_;
      blocks_[current_].last = i;
      const std::uint64_t before = flat_;
      if (!check_node(i)) {
        if (lost_blocks_) return;
        if (flat_ == before) flat_ += flat_size(i);
      }
    }
    close_blocks(s_.size());
  }
  /// How far before the pattern references lead.
  [[nodiscard]] std::uint64_t reach() const noexcept { return reach_; }
  /// Whether nodes outside of blocks are inputs of the graph.
  [[nodiscard]] bool takes_inputs() const noexcept { return takes_inputs_; }

 private:
  /// Nodes that run together: the whole stream, which is block 0, or one block of an IF or WHILE.
  struct block {
    std::size_t begin = 0, end = 0;
    std::size_t control = 0;        // the IF or WHILE
    std::size_t last = 0;           // node so far, blocks inside of it aside
    std::uint32_t next = 0;         // the block that `end` is in, or begins
    std::uint32_t guard = 0;        // the innermost block of an IF that this is in, or is; or 0
    std::uint32_t data_inputs = 0;  // so far, and
    std::uint32_t max_data_inputs = 0;
    std::size_t first_listed = 0;  // of an IF: what its D lists, in listed_
    std::uint32_t listed = 0;
    bool loop_body = false;
  };

  static constexpr std::size_t no_entry = ~std::size_t{0};

  bool fail(errc code, std::size_t i) { return fail_entry(code, i, no_entry); }
  /// About entry `k` of D.
  [[gnu::cold]] [[gnu::noinline]] bool fail_entry(errc code, std::size_t i, std::size_t k) {
    const node& n = s_.nodes[i];
    const std::uint64_t distance = k == no_entry ? 0 : 5 + 2 * std::uint64_t{k};
    auto out = in_pattern_ ? found_.error(code, {0, row_.offset, 0, row_.index})
                           : found_.error(code, {0, offset_of(s_, i) + distance, 0});
    if (in_pattern_) out << "pattern " << id_ << ", node " << i << ": ";
    const auto c = static_cast<std::uint32_t>(n.c);
    const auto missing = [&](std::string_view what, std::uint32_t id) {
      out << what << ' ' << id << " is not in the registry";
    };
    const bool is_copy = n.what() == command::copy;
    switch (is_copy ? errc::ok : code) {
      case errc::genome_operation_unknown: missing("operation", n.a); break;
      case errc::genome_variation_unknown: missing("variation", n.b); break;
      case errc::genome_constant_unknown: missing("constant", c); break;
      case errc::genome_group_unknown: missing("constant group", n.group_id()); break;
      case errc::genome_parameter_unknown: missing("parameter", c); break;
      case errc::genome_pattern_unknown: missing("pattern", n.pattern_id()); break;
      case errc::genome_input_count:
        out << "the node has " << n.count << (n.count == 1 ? " input; " : " inputs; ")
            << library_.operation(n.a) << " takes at most " << library_.tensors(n.a);
        break;
      case errc::genome_command:
        out << "A is " << int{n.a}
            << ", which is reserved; expected 1 to 8 (a command) or 10 to 255 "
            << "(an operation)";
        break;
      case errc::genome_special_form:
      case errc::genome_control_form:
        out << error{code}.message() << "; found B = " << int{n.b} << ", C = " << int{n.c}
            << " and " << n.count << (n.count == 1 ? " input" : " inputs");
        break;
      case errc::genome_block_length:
        out << "a block of " << s_.inputs_of(i)[k] << " nodes; " << error{code}.message();
        break;
      case errc::genome_reference:
      case errc::genome_relative:
      case errc::genome_reference_scope:
      case errc::genome_reference_external:
        if (k != no_entry) out << "input " << s_.inputs_of(i)[k] << ": ";
        out << error{code}.message();
        break;
      default: out << error{code}.message();
    }
    if (in_pattern_) return false;
    out.path() << "node " << i;
    if (const std::string_view name = library_.operation(n.a); !name.empty())
      out << " (" << name << ')';
    else if (n.a < first_id)
      out << " (" << command_names[n.a] << ')';
    if (k != no_entry) out << ", D[" << k << ']';
    return false;
  }
  /// The number of nodes that a node expands to; where that is unknown, a number so large that
  /// no reference seems to precede the stream.
  [[nodiscard]] std::uint64_t flat_size(std::size_t i) const noexcept {
    const node& n = s_.nodes[i];
    if (n.what() != command::pattern) return 1;
    const std::uint32_t p = library_.find_pattern(n.pattern_id());
    return p == library::none ? std::uint64_t{1} << 40 : library_.flat_size(p);
  }

  /// The position of a node in the numbering that offsets count in.
  [[nodiscard]] std::int64_t position(std::size_t i) const noexcept {
    return in_pattern_ ? static_cast<std::int64_t>(starts_[i]) : static_cast<std::int64_t>(i);
  }
  /// The node before `i` at that position.
  [[nodiscard]] std::size_t find(std::int64_t at, std::size_t i) const noexcept {
    if (!in_pattern_) return static_cast<std::size_t>(at);
    const auto starts_by = [at](std::uint64_t start) {
      return start <= static_cast<std::uint64_t>(at);
    };
    return first_not_below(starts_.data(), i, starts_by) - 1;
  }

  // ---- nodes

  bool check_node(std::size_t i) {
    const node& n = s_.nodes[i];
    const command what = n.what();
    const bool at_top = current_ == 0;
    switch (what) {
      case command::none:
      case command::reserved: return fail(errc::genome_command, i);
      case command::pad:
      case command::data_input:
      case command::param_input:
      case command::output:
        if (in_pattern_ && at_top) return fail(errc::genome_pattern_command, i);
        break;
      case command::pattern: return check_pattern(i);
      case command::copy: return check_copy(i);
      case command::control_flow: return check_control(i);
      case command::const_ref:
      case command::operation: break;
    }
    field wrong = field::a;
    if (const errc e = check_kind(n, wrong); e != errc::ok) return fail(e, i);
    if (what == command::operation) return check_operation(i);
    if (n.count != 0 && what != command::output) return fail(errc::genome_special_form, i);
    if (what == command::data_input && !count_data_inputs(1))
      return fail(errc::genome_block_input, i);
    return check_references(i) && step(1);
  }
  bool step(std::uint64_t flat_nodes) noexcept {
    flat_ += flat_nodes;
    return true;
  }

  enum class field : std::uint8_t { a, b, c };

  /// A, B and C of a node that is neither PATTERN, COPY nor CONTROL_FLOW.
  [[nodiscard]] errc check_kind(const node& n, field& wrong) const {
    wrong = field::b;
    if (n.what() != command::operation && n.b != no_variation) return errc::genome_special_form;
    wrong = field::c;
    const auto c = static_cast<std::uint32_t>(n.c);
    if (n.what() == command::const_ref)
      return library_.parameter(c).empty() ? errc::genome_parameter_unknown : errc::ok;
    if (n.what() != command::operation) return n.c != 0 ? errc::genome_special_form : errc::ok;
    wrong = field::a;
    if (library_.operation(n.a).empty()) return errc::genome_operation_unknown;
    wrong = field::b;
    if (n.b != no_variation && library_.variation(n.b).empty())
      return errc::genome_variation_unknown;
    wrong = field::c;
    if (n.has_group() && library_.group(n.group_id()).empty()) return errc::genome_group_unknown;
    if (n.c > 0 && library_.constant(c) == nullptr) return errc::genome_constant_unknown;
    return errc::ok;
  }
  bool check_operation(std::size_t i) {
    merged_ = false;
    if (!check_references(i)) return false;
    const node& n = s_.nodes[i];
    if (!merged_ && n.count == 0 && library_.inputs_named(n.b) != 0)
      return fail(errc::genome_variation_inputs, i);
    if (!merged_ && n.count > library_.tensors(n.a)) return fail(errc::genome_input_count, i);
    return step(1);
  }
  bool check_pattern(std::size_t i) {
    const node& n = s_.nodes[i];
    if ((static_cast<std::uint16_t>(n.c) & 0xffu) != 0) return fail(errc::genome_special_form, i);
    const std::uint32_t p = library_.find_pattern(n.pattern_id());
    if (p == library::none) return fail(errc::genome_pattern_unknown, i);
    if (library_.takes_inputs(p)) {
      if (current_ != 0) return fail(errc::genome_block_input, i);
      takes_inputs_ = true;
    }
    if (!check_references(i)) return false;
    const std::uint64_t before = in_pattern_ ? starts_[i] : flat_, reach = library_.reach(p);
    if (reach > before) {
      if (!in_pattern_) return fail(errc::genome_pattern_order, i);
      if (reach - before > reach_) reach_ = reach - before;
    }
    return step(library_.flat_size(p));
  }
  bool check_copy(std::size_t i) {
    const node& n = s_.nodes[i];
    if (n.count != 2 || n.c < 1) return fail(errc::genome_copy_form, i);
    const std::int32_t b = s_.inputs_of(i)[0], c = s_.inputs_of(i)[1];
    if (b < 0 || b > 255) return fail_entry(errc::genome_copy_form, i, 0);
    if (c < INT16_MIN || c > INT16_MAX) return fail_entry(errc::genome_copy_form, i, 1);
    node copied;
    copied.a = n.b;
    copied.b = static_cast<std::uint8_t>(b);
    copied.c = static_cast<std::int16_t>(c);
    const command what = copied.what();
    if (what != command::data_input && what != command::param_input && what != command::const_ref &&
        what != command::operation)
      return fail(errc::genome_copy_form, i);
    field wrong = field::a;
    if (const errc e = check_kind(copied, wrong); e != errc::ok)
      return wrong == field::a ? fail(e, i) : fail_entry(e, i, wrong == field::b ? 0 : 1);
    if (what == command::operation && library_.inputs_named(copied.b) != 0)
      return fail_entry(errc::genome_variation_inputs, i, 0);
    if (what == command::data_input && !count_data_inputs(static_cast<std::uint32_t>(n.c)))
      return fail(errc::genome_block_input, i);
    return step(1);
  }
  /// Whether the block can have as many more.
  bool count_data_inputs(std::uint32_t count) noexcept {
    if (current_ == 0) return takes_inputs_ = true;
    block& b = blocks_[current_];
    if (count > b.max_data_inputs - b.data_inputs) return false;
    b.data_inputs += count;
    return true;
  }

  // ---- references

  bool check_references(std::size_t i) {
    bool all = true;
    for (std::size_t k = s_.nodes[i].lengths(); k < s_.nodes[i].count; ++k)
      all = check_reference(i, k) && all;
    return all;
  }
  /// What an entry of D names, in the numbering of positions.
  [[nodiscard]] std::int64_t target(std::size_t i, std::size_t k) const noexcept {
    const std::int64_t d = s_.inputs_of(i)[k];
    return d < 0 ? position(i) + d : d;
  }
  bool check_reference(std::size_t i, std::size_t k) {
    const std::int64_t at = target(i, k);
    const block& here = blocks_[current_];
    if (s_.inputs_of(i)[k] >= 0) {
      if (in_pattern_) return fail(errc::genome_pattern_absolute, i);
      if (at >= static_cast<std::int64_t>(i)) return fail_entry(errc::genome_reference, i, k);
    } else if (!in_pattern_ && (current_ == 0 || at < static_cast<std::int64_t>(here.begin))) {
      return fail_entry(errc::genome_relative, i, k);
    }
    if (at < 0) {
      merged_ = true;
      if (static_cast<std::uint64_t>(-at) > reach_) reach_ = static_cast<std::uint64_t>(-at);
    } else if (!check_target(i, k, find(at, i))) {
      return false;
    }
    const block& guard = blocks_[here.guard];
    if (here.guard != 0 && at < position(guard.begin) && !lists(guard, at))
      return fail_entry(errc::genome_reference_external, i, k);
    return true;
  }
  /// Whether node `from` has a result that node `i` can take.
  bool check_target(std::size_t i, std::size_t k, std::size_t from) {
    const node& n = s_.nodes[from];
    const command what = n.what();
    if (what == command::control_flow) {
      const std::int64_t blocks = std::int64_t{s_.inputs_of(from)[0]} + s_.inputs_of(from)[1];
      if (static_cast<std::int64_t>(i - from) <= blocks)
        return fail_entry(errc::genome_reference, i, k);
    }
    if (blocks_[scopes_[from]].end <= i) return fail_entry(errc::genome_reference_scope, i, k);
    if (what == command::pad || what == command::output)
      return fail_entry(errc::genome_reference_nothing, i, k);
    if (what == command::pattern || what == command::copy) merged_ = true;
    return true;
  }
  [[nodiscard]] bool lists(const block& b, std::int64_t at) const noexcept {
    const std::int64_t* const list = listed_.data() + b.first_listed;
    const std::size_t i =
        first_not_below(list, b.listed, [at](std::int64_t listed) { return listed < at; });
    return i < b.listed && list[i] == at;
  }

  // ---- blocks

  bool check_control(std::size_t i) {
    const node& n = s_.nodes[i];
    const bool is_if = n.b == if_else;
    if ((!is_if && n.b != while_loop) || n.c != 0 || n.count < 3) {
      lost_blocks_ = true;
      return fail(errc::genome_control_form, i);
    }
    const view<std::int32_t> d = s_.inputs_of(i);
    std::size_t left = blocks_[current_].end - i - 1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (d[k] < 1 || static_cast<std::uint32_t>(d[k]) > left) {
        lost_blocks_ = true;
        return fail_entry(errc::genome_block_length, i, k);
      }
      left -= static_cast<std::uint32_t>(d[k]);
    }
    const bool all = check_references(i);

    const auto first = static_cast<std::uint32_t>(blocks_.size());
    block b;
    b.control = i;
    b.guard = is_if ? first : blocks_[current_].guard;
    b.max_data_inputs = n.count - (is_if ? 3 : 2);
    b.begin = i + 1;
    b.end = b.begin + static_cast<std::uint32_t>(d[0]);
    b.next = first + 1;
    if (is_if) {
      b.first_listed = listed_.size();
      b.listed = n.count - 2;
      for (std::size_t k = 2; k < n.count; ++k) listed_.push_back(target(i, k));
      sort(listed_.data() + b.first_listed, b.listed,
           [](std::int64_t x, std::int64_t y) { return x < y; });
    }
    blocks_.push_back(b);
    b.begin = b.end;
    b.end += static_cast<std::uint32_t>(d[1]);
    b.next = current_;
    if (is_if) b.guard = first + 1;
    b.loop_body = !is_if;
    blocks_.push_back(b);
    current_ = first;
    return step(1) && all;
  }
  /// Leaves the blocks that end before node `i`.
  void close_blocks(std::size_t i) {
    while (current_ != 0 && blocks_[current_].end == i) {
      const block& b = blocks_[current_];
      const node& last = s_.nodes[b.last];
      const command what = last.what();
      if (b.loop_body) {
        const std::uint32_t states = s_.nodes[b.control].count - 2;
        if (what == command::output ? last.count != states : states != 1 || what == command::pad)
          (void)fail(errc::genome_loop_state, b.last);
      } else if (what == command::pad) {
        (void)fail(errc::genome_reference_nothing, b.last);
      }
      current_ = b.next;
    }
  }

  stream_view s_;
  const library& library_;
  tessera::detail::findings& found_;
  view<std::uint64_t> starts_;
  error row_;
  std::uint32_t id_ = 0;
  bool in_pattern_ = false, lost_blocks_ = false;

  pool<block> blocks_;          // block 0 is the whole stream
  pool<std::uint32_t> scopes_;  // the block of each node
  pool<std::int64_t> listed_;   // ascending for each IF
  std::uint32_t current_ = 0;
  bool merged_ = false;  // an input may mean several nodes
  bool takes_inputs_ = false;
  std::uint64_t flat_ = 0, reach_ = 0;
};

}  // namespace detail
}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_CHECK_STREAM_HPP

namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class library_maker {
 public:
  library_maker(registry r, const verify_options& options, report* found)
      : limit_(options.limit), found_(found, options.max_diagnostics) {
    library_.registry_ = std::move(r);
    most_ = limit_.max_items < UINT32_MAX ? limit_.max_items : UINT32_MAX;
  }

  result<library> make() {
    registry_checker maps(library_.registry_, limit_, found_);
    maps.check();
    library_.operations_ = std::move(maps.operations);
    library_.variations_ = std::move(maps.variations);
    library_.constants_ = std::move(maps.constants);
    library_.groups_ = std::move(maps.groups);
    library_.parameters_ = std::move(maps.parameters);
    library_.patterns_ = std::move(maps.patterns);
    library_.tensors_ = std::move(maps.tensors);
    library_.target_sizes_ = std::move(maps.target_sizes);
    library_.inputs_named_ = std::move(maps.inputs_named);
    library_.flat_sizes_.resize(patterns().size());
    library_.reaches_.resize(patterns().size());
    library_.takes_inputs_.resize(patterns().size());
    states_.resize(patterns().size());
    if (maps.has_streams())
      for (std::size_t i = 0; i < patterns().size(); ++i) check_from(static_cast<std::uint32_t>(i));
    if (found_.failed()) return found_.first_error();
    return std::move(library_);
  }

 private:
  /// `wrong`: has errors, or contains a pattern that has; then what depends on it is not checked.
  enum class state : std::uint8_t { unseen, open, checked, wrong };
  struct open_pattern {
    std::uint32_t index, next_node;
    bool is_wrong;
  };

  [[nodiscard]] const pool<pattern>& patterns() const noexcept {
    return library_.registry_.patterns;
  }
  tessera::detail::findings::writer fail(errc code, const pattern& p) {
    const error e = error_in(library_.registry_, patterns(), p, code);
    return found_.error(code, {0, e.offset, 0, e.index});
  }

  /// Checks a pattern, before it those inside of it, and so on; each once.
  void check_from(std::uint32_t root) {
    if (states_[root] != state::unseen) return;
    open(root);
    while (!open_.empty()) {
      open_pattern& top = open_.back();
      const pattern& p = patterns()[top.index];
      const stream_view nodes = library_.registry_.nodes_of(p);
      std::uint32_t inside = library::none;
      while (inside == library::none && top.next_node < p.count) {
        const node& n = nodes.nodes[top.next_node++];
        if (n.what() != command::pattern) continue;
        const std::uint32_t q = library_.find_pattern(n.pattern_id());
        if (q == library::none) {
          fail(errc::genome_pattern_unknown, p)
              << "node " << top.next_node - 1 << " of pattern " << p.id << " is pattern "
              << n.pattern_id() << ", which does not exist";
        } else if (states_[q] == state::open) {
          fail(errc::genome_pattern_recursion, patterns()[q])
              << "pattern " << patterns()[q].id << " contains itself";
        } else if (states_[q] == state::unseen) {
          inside = q;
          continue;
        } else if (states_[q] == state::checked) {
          continue;
        }
        top.is_wrong = true;
      }
      if (inside != library::none) {
        open(inside);
        continue;
      }
      const bool is_sound = !top.is_wrong && check_pattern(top.index, nodes);
      states_[top.index] = is_sound ? state::checked : state::wrong;
      open_.pop_back();
      if (!is_sound && !open_.empty()) open_.back().is_wrong = true;
    }
  }
  void open(std::uint32_t index) {
    states_[index] = state::open;
    open_.push_back({index, 0, false});
  }
  /// A pattern, those inside of which are checked.
  bool check_pattern(std::uint32_t index, const stream_view& nodes) {
    const pattern& p = patterns()[index];
    std::uint64_t size = 0;
    starts_.clear();
    for (const node& n : nodes.nodes) {
      starts_.push_back(size);
      size += n.what() == command::pattern
                  ? library_.flat_size(library_.find_pattern(n.pattern_id()))
                  : 1;
      if (size > most_) {
        fail(errc::genome_pattern_size, p) << "pattern " << p.id << " expands to more than "
                                           << most_ << " nodes, which is limits::max_items";
        return false;
      }
    }
    const std::uint64_t before = found_.errors();
    const error row = error_in(library_.registry_, patterns(), p, errc::ok);
    stream_checker checker(nodes, library_, found_, starts_, row, p.id);
    checker.check();
    library_.flat_sizes_[index] = static_cast<std::uint32_t>(size);
    library_.reaches_[index] = checker.reach();
    library_.takes_inputs_[index] = checker.takes_inputs() ? 1 : 0;
    return found_.errors() == before;
  }

  library library_;
  limits limit_;
  std::uint64_t most_ = 0;
  pool<state> states_;
  pool<open_pattern> open_;
  pool<std::uint64_t> starts_;  // of a pattern's nodes in its expansion
  tessera::detail::findings found_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<library> verify(registry r, const verify_options& options, report* found) {
  return detail::library_maker(std::move(r), options, found).make();
}

TESSERA_INLINE result<program> verify(stream s, const library& l, const verify_options& options,
                                      report* found) {
  tessera::detail::findings findings(found, options.max_diagnostics);
  if (s.size() > options.limit.max_items) {
    findings.error(error(errc::too_many_items, 0));
    return findings.first_error();
  }
  std::size_t inputs = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const node& n = s.nodes[i];
    if (n.first != inputs || n.count > s.inputs.size() - inputs) {
      findings.error(
          error(errc::genome_node_truncated, 5 * std::uint64_t{i} + 2 * std::uint64_t{inputs}));
      return findings.first_error();
    }
    inputs += n.count;
  }
  detail::stream_checker(s, l, findings).check();
  if (findings.failed()) return findings.first_error();
  return program(std::move(s), l);
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_VERIFY_HPP

// ---- tessera/genome/detail/write.hpp
//
// The bodies of genome/write.hpp.

#ifndef TESSERA_GENOME_DETAIL_WRITE_HPP
#define TESSERA_GENOME_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

/// Whether the format holds a stream: the first node that it doesn't.
[[nodiscard]] inline error check_writable(const stream_view& s) noexcept {
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.nodes[i].count > max_node_inputs) return {errc::genome_node_inputs, i, error_index::node};
    for (const std::int32_t d : s.inputs_of(i))
      if (d > max_absolute || d < min_relative)
        return {errc::genome_reference_range, i, error_index::node};
  }
  return {};
}

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<pool<std::byte>> write(const stream_view& s, const write_options& options) {
  if (options.encoding == encoding::base64) {
    const result<text> base64 = write_base64(s);
    if (!base64) return base64.error();
    const bytes characters = as_bytes(base64->view());
    pool<std::byte> out;
    out.append(characters.data(), characters.size());
    return out;
  }
  if (const error e = detail::check_writable(s); e.code != errc::ok) return e;
  std::size_t size = 0;
  for (const node& n : s.nodes) size += 5 + 2 * std::size_t{n.count};
  pool<std::byte> out;
  out.reserve(size);
  const auto put = [&out](std::uint32_t byte) { out.push_back(static_cast<std::byte>(byte)); };
  const auto put_int16 = [&put](std::int32_t v) {
    const auto raw = static_cast<std::uint16_t>(v);
    put(raw >> 8);
    put(raw & 0xffu);
  };
  for (std::size_t i = 0; i < s.size(); ++i) {
    const node& n = s.nodes[i];
    put(n.a);
    put(n.b);
    put_int16(n.c);
    put(n.count);
    for (const std::int32_t d : s.inputs_of(i)) put_int16(d);
  }
  return out;
}

TESSERA_INLINE result<text> write_base64(const stream_view& s) {
  const result<pool<std::byte>> raw = write(s);
  if (!raw) return raw.error();
  text out;
  out.reserve((raw->size() + 2) / 3 * 4);
  detail::encode_base64({raw->data(), raw->size()}, out);
  return out;
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_WRITE_HPP

// ---- tessera/genome/detail/write_registry.hpp
//
// The bodies of genome/write_registry.hpp.

#ifndef TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP
#define TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace genome::detail {

class registry_writer {
 public:
  registry_writer(const registry& r, const limits& limit)
      : r_(r), limit_(limit), out_(text_, json::indented) {
    limit_.max_depth = limit.max_depth > 3 ? limit.max_depth - 3 : 0;  // {"constants":{"10":{
  }

  result<text> write() {
    out_.begin_object();
    names("canonical_to_index", r_.operations);
    ids("index_to_canonical", r_.operation_ids);
    names("variation_to_index", r_.variations);
    constants();
    if (!r_.constant_texts.empty()) ids("index_to_constant", r_.constant_texts);
    names("constant_group_to_index", r_.groups);
    ids("index_to_constant_group", r_.group_ids);
    names("param_name_to_index", r_.parameters);
    ids("index_to_param_name", r_.parameter_ids);
    patterns();
    out_.key("rules").begin_object();
    transitions();
    counted("composition_rules", r_.compositions);
    counted("structural_rules", r_.structures);
    out_.end().end();
    if (error_.code != errc::ok) return error_;
    return std::move(text_);
  }

 private:
  void fail(errc code, const error& at) {
    if (error_.code == errc::ok) error_ = {code, at.offset, at.index};
  }
  /// Where a row is.
  template <class T>
  [[nodiscard]] error at(const pool<T>& rows, const T& row) const {
    return error_in(r_, rows, row, errc::ok);
  }
  /// A text that is to be written, of the row there.
  [[nodiscard]] std::string_view checked(characters_range name, const error& at) {
    const std::string_view s = r_.name_of(name);
    if (!is_utf8(s)) fail(errc::json_bad_utf8, at);
    return s;
  }
  template <class T>
  void check_names(const pool<T>& map) {
    const map_order repeated = repeated_names(r_, map);
    if (!repeated.empty()) fail(errc::genome_name_repeated, at(map, map[repeated[0]]));
  }
  template <class T>
  void check_ids(const pool<T>& map) {
    const std::size_t i = first_repeated_id(map);
    if (i != map.size()) fail(errc::genome_id_repeated, at(map, map[i]));
  }
  void check_id(std::uint32_t id, const error& at) {
    if (id > last_pattern_id) fail(errc::genome_registry_id, at);
  }
  void id_key(std::uint32_t id, const error& at) {
    check_id(id, at);
    id_.clear();
    id_ << id;
    out_.key(id_);
  }

  void names(std::string_view member, const pool<entry>& map) {
    check_names(map);
    out_.key(member).begin_object();
    for (const std::uint32_t i : by_id(map)) {
      check_id(map[i].id, at(map, map[i]));
      out_.key(checked(map[i].name, at(map, map[i]))).integer(map[i].id);
    }
    out_.end();
  }
  void ids(std::string_view member, const pool<entry>& map) {
    check_ids(map);
    out_.key(member).begin_object();
    for (const std::uint32_t i : by_id(map)) {
      id_key(map[i].id, at(map, map[i]));
      out_.string(checked(map[i].name, at(map, map[i])));
    }
    out_.end();
  }
  void constants() {
    check_ids(r_.constants);
    out_.key("constants").begin_object();
    for (const std::uint32_t i : by_id(r_.constants)) {
      const constant& c = r_.constants[i];
      id_key(c.id, at(r_.constants, c));
      out_.begin_object(true).key("type").string(checked(c.type, at(r_.constants, c))).key("value");
      json::reader value(r_.name_of(c.value), limit_);
      json::copy(value, out_);
      if (value.finish().code != errc::ok)
        return fail(errc::genome_constant_value, at(r_.constants, c));
      out_.end();
    }
    out_.end();
  }
  void patterns() {
    check_ids(r_.patterns);
    out_.key("patterns").begin_object();
    for (const std::uint32_t i : by_id(r_.patterns)) {
      const pattern& p = r_.patterns[i];
      id_key(p.id, at(r_.patterns, p));
      nodes(r_.nodes_of(p), at(r_.patterns, p));
    }
    out_.end();
  }
  void nodes(const stream_view& s, const error& at) {
    const result<text> base64 = write_base64(s);
    if (!base64) fail(base64.error().code, at);
    out_.string(base64 ? base64->view() : std::string_view{});
  }
  void transitions() {
    check_names(r_.transitions);
    out_.key("transition_rules").begin_object();
    for (const transition_rule& t : r_.transitions) {
      out_.key(checked(t.text, at(r_.transitions, t))).begin_object();
      const std::string_view probability = r_.name_of(t.probability);
      if (!is_probability(probability)) fail(errc::genome_rule_probability, at(r_.transitions, t));
      out_.key("probability").string(probability).key("count").integer(t.count).key("b64_repr");
      nodes(r_.nodes_of(t), at(r_.transitions, t));
      if (t.exceptions != 0) {
        out_.key("exceptions").begin_array();
        for (std::uint32_t i = 0; i < t.exceptions; ++i)
          out_.string(checked(r_.exceptions[t.first_exception + i], at(r_.transitions, t)));
        out_.end();
      }
      out_.end();
    }
    out_.end();
  }
  void counted(std::string_view member, const pool<counted_rule>& map) {
    check_names(map);
    out_.key(member).begin_object();
    for (const counted_rule& c : map)
      out_.key(checked(c.text, at(map, c))).begin_object().key("count").integer(c.count).end();
    out_.end();
  }

  const registry& r_;
  limits limit_;
  text text_;
  json::writer out_;
  text id_;
  error error_;
};

}  // namespace genome::detail
namespace genome {

TESSERA_INLINE result<text> write_registry(const registry& r, const write_options& options) {
  return detail::registry_writer(r, options.limit).write();
}

}  // namespace genome
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_GENOME_DETAIL_WRITE_REGISTRY_HPP

#endif  // the bodies

// ---- LICENSE
//
// MIT License
//
// Copyright (c) 2026 The Tessera authors
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
