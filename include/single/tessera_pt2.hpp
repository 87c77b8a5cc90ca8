// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.9.0: tessera/pt2.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/pt2.hpp
//
// PT2: the archives of torch.export.save, exported PyTorch programs with their weights.
//
//   auto model = tessera::pt2::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   tessera::report found;
//   auto program = tessera::pt2::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"model.pt2", tessera::as_text(mapped), true};
//   if (!program) return fail(describe(found, {&file, 1}));
//   std::cout << tessera::pt2::print(program->model());
//
//   read             an archive, and one of its programs; weights stay in place   pt2/read.hpp
//   verify           references, payloads, signature: a report and a program      pt2/verify.hpp
//   print            a listing with types and shapes                              pt2/print.hpp
//   write            an archive that torch.export.load accepts                    pt2/write.hpp
//   read_expression  sizes as expressions of symbols; read_tree: nested arguments pt2/expression.hpp
//   find_operator    parameters, defaults and results of operators                pt2/operators.hpp
//   describe         an error with its member, path, offset and bytes             core/describe.hpp
//
// Lifetime:   models and programs borrow the bytes that were read; a temporary owner of bytes is
//             refused by the compiler.
// Errors:     values; codes and messages are listed in core/error_table_pt2.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: nothing for weights; about 3 × the JSON of the program.


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

#ifndef TESSERA_PT2_HPP
#define TESSERA_PT2_HPP


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

// ---- tessera/pt2/expression.hpp
//
// Two notations inside the strings of a program: shape expressions and trees of arguments.
//
//   auto e = pt2::read_expression("Mul(Integer(2), Symbol('s10', positive=True, integer=True))");
//   e->nodes[0].text;     // "Mul", with 2 children; e->nodes[1].integer == 2; e->nodes[2].text == "s10"
//   pt2::print(*e);       // 2*s10
//
//   expression   NAME(EXPRESSION, …) | Integer(4) | Symbol('s77', positive=True) | Rational(1, 2)
//                | Float('0.5', precision=53) | true | false
//
// PyTorch 2.5 has infix notation in files, too: read_expression("2*s10", pt2::notation::infix).
//
//   auto t = pt2::read_tree(R"([1, {"type": null, "context": null, "children_spec": []}])");
//   t->leaves;            // 1: values in the order of the signature
//
// Nodes are in prefix order: the first child of node i is i + 1, the next sibling of i is i + size.
// Expressions are text of Python; they are parsed here and never evaluated as code.
//
// Lifetime:   an expression borrows its text; a tree owns its names.
// Errors:     pt2_expression, pt2_tree or json_*, with the offset in the text.
// Limits:     64 KiB and 128 levels of an expression; max_depth of a tree.
// Allocation: 40 bytes for each node.

#ifndef TESSERA_PT2_EXPRESSION_HPP
#define TESSERA_PT2_EXPRESSION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


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

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// A shape expression: its nodes in prefix order, the root first.
struct expression {
  /// What a node is. A `call` is an operator or a function of its children.
  enum class kinds : std::uint8_t { integer, real, symbol, boolean, call };
  /// A number, a symbol, a boolean or a call.
  struct node {
    kinds kind = kinds::integer;  ///< which of the following it has
    /// How many children a call has; how many nodes this one is, with all below it.
    std::uint32_t children = 0, size = 1;
    std::int64_t integer = 0;  ///< also 0 or 1 of a boolean
    std::string_view text;     ///< a symbol's or call's name, the digits of a real
  };
  pool<node> nodes;  ///< in prefix order; one or more
};

/// How files write expressions.
enum class notation : std::uint8_t {
  calls,  ///< "Mul(Integer(2), Symbol('s10', positive=True, integer=True))"
  infix,  ///< "2*s10"; of PyTorch 2.5
};
/// That of a major version of the schema.
[[nodiscard]] constexpr notation notation_of(std::int64_t version) noexcept {
  return version < 8 ? notation::infix : notation::calls;
}
/// Reads an expression. Errors: pt2_expression, with the offset in the text.
[[nodiscard]] result<expression> read_expression(std::string_view source,
                                                 notation how = notation::calls);
/// Infix, as people write it: "2*s10 + 1". Calls without a usual sign keep their names.
[[nodiscard]] text print(const expression& e);
/// In the notation of calls, whatever it was read from.
[[nodiscard]] text write_expression(const expression& e);

/// How nested arguments or results are flattened.
struct tree {
  /// A container of values, or a leaf: one value.
  struct node {
    /// In `characters`: `type_size` bytes from `first` on, then the context.
    std::uint32_t first = 0, type_size = 0, context_size = 0;
    /// How many children it has; how many nodes it is, with all below it.
    std::uint32_t children = 0, size = 1;
    bool is_leaf = false;  ///< one value; it has no type and no children
  };
  pool<node> nodes;          ///< in prefix order; one or more
  text characters;           ///< types and contexts of all nodes
  std::uint32_t leaves = 0;  ///< how many nodes are leaves

  /// "builtins.tuple", "builtins.dict" …; empty for a leaf.
  [[nodiscard]] std::string_view type(const node& n) const noexcept {
    return characters.view().substr(n.first, n.type_size);
  }
  /// JSON: for a dict, its keys in the order of the children.
  [[nodiscard]] std::string_view context(const node& n) const noexcept {
    return characters.view().substr(n.first + n.type_size, n.context_size);
  }
};
/// Reads the JSON of a tree, such as module_call::in_spec. Errors: pt2_tree or json_*.
[[nodiscard]] result<tree> read_tree(std::string_view source, const limits& limit = {});

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_EXPRESSION_HPP

// ---- tessera/pt2/format.hpp
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

// ---- tessera/pt2/model.hpp
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


#endif  // TESSERA_PT2_MODEL_HPP

// ---- tessera/pt2/operators.hpp
//
// What is known of PyTorch's operators: their parameters with defaults, and their results.
//
//   const pt2::operator_row* add = pt2::find_operator("aten.add.Tensor");
//   add->signature;                            // T self, T other, S alpha=1 -> T
//   pt2::signature s(*add);
//   for (pt2::parameter p; s.next(p);)
//     use(p.name, p.type, p.has_default, p.default_value);
//   for (pt2::parameter r; s.next_result(r);) use(r.type);
//
//   T tensor   i integer   f float   b bool   s string   S any number   dtype layout device format
//   T?         may be None                    T[]   a list       T?[]  of which some may be None
//   T!         is written to (in place)       T&    the result is a view of it, or it itself
//
// Arguments that equal the default are not in files. The rows are those of core ATen, of what 217
// architectures use as exported and decomposed, of operators with several optional keywords, and of
// their forms in place.
//
// Lifetime:   constants; parameters borrow from them.
// Errors:     none: an unknown operator has no row.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_PT2_OPERATORS_HPP
#define TESSERA_PT2_OPERATORS_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// A row of the table of operators.
struct operator_row {
  std::string_view name;       ///< "aten.add.Tensor"
  std::string_view signature;  ///< "T self, T other, S alpha=1 -> T"
};

/// The types of parameters, by their words in signatures.
enum class parameter_type : std::uint8_t {
  tensor,         ///< T
  integer,        ///< i
  real,           ///< f
  boolean,        ///< b
  string,         ///< s
  number,         ///< S
  scalar_type,    ///< dtype
  layout,         ///< layout
  device,         ///< device
  memory_format,  ///< format
  other,          ///< any other word
};

/// A parameter or, without a name, a result.
struct parameter {
  parameter_type type = parameter_type::other;  ///< of a list, that of its elements
  bool is_list = false, is_optional = false;    ///< T[]; T? or T[]?
  bool has_optional_elements = false;           ///< T?[]: elements may be None
  bool is_written = false, is_aliased = false;  ///< T!; T& and T!
  bool has_default = false;                     ///< `default_value`, which isn't in files
  std::string_view name, default_value;  ///< the default: "None", "True", "1", "[0,1]", "none"
};

/// The parts of a signature, one by one.
class signature {
 public:
  /// Begins with the first parameter and the first result.
  explicit signature(const operator_row& of) noexcept;
  /// The next parameter; false after the last one.
  [[nodiscard]] bool next(parameter& out) noexcept;
  /// The next result; false after the last one.
  [[nodiscard]] bool next_result(parameter& out) noexcept;

 private:
  std::string_view parameters_, results_;
};

/// All rows, by name.
[[nodiscard]] view<operator_row> operators() noexcept;
/// The row of "aten.add.Tensor"; null for an unknown operator.
[[nodiscard]] const operator_row* find_operator(std::string_view name) noexcept;

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_OPERATORS_HPP

// ---- tessera/pt2/pickle.hpp
//
// What of the pickle language is interpreted, in the archives of PyTorch 2.8 and earlier: the
// opcodes and globals that a dictionary of tensors needs. All others are refused by their names.
//
//   pt2::pickle_opcodes[0].name;                         // "MARK"
//   pt2::pickle_globals[0].name;                         // "OrderedDict"
//
// read.hpp says where in an archive pickles are.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_PT2_PICKLE_HPP
#define TESSERA_PT2_PICKLE_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

// X(enumerator, byte, name)
#define TESSERA_PT2_PICKLE_OPCODES(X)                                                              \
  X(mark, '(', "MARK")                                                                             \
  X(empty_tuple, ')', "EMPTY_TUPLE")                                                               \
  X(stop, '.', "STOP")                                                                             \
  X(binint, 'J', "BININT")                                                                         \
  X(binint1, 'K', "BININT1")                                                                       \
  X(binint2, 'M', "BININT2")                                                                       \
  X(binpersid, 'Q', "BINPERSID")                                                                   \
  X(reduce, 'R', "REDUCE")                                                                         \
  X(binunicode, 'X', "BINUNICODE")                                                                 \
  X(build, 'b', "BUILD")                                                                           \
  X(global, 'c', "GLOBAL")                                                                         \
  X(binget, 'h', "BINGET")                                                                         \
  X(long_binget, 'j', "LONG_BINGET")                                                               \
  X(binput, 'q', "BINPUT")                                                                         \
  X(long_binput, 'r', "LONG_BINPUT")                                                               \
  X(setitem, 's', "SETITEM")                                                                       \
  X(tuple, 't', "TUPLE")                                                                           \
  X(setitems, 'u', "SETITEMS")                                                                     \
  X(empty_dict, '}', "EMPTY_DICT")                                                                 \
  X(proto, 0x80, "PROTO")                                                                          \
  X(tuple1, 0x85, "TUPLE1")                                                                        \
  X(tuple2, 0x86, "TUPLE2")                                                                        \
  X(tuple3, 0x87, "TUPLE3")                                                                        \
  X(newtrue, 0x88, "NEWTRUE")                                                                      \
  X(newfalse, 0x89, "NEWFALSE")                                                                    \
  X(long1, 0x8a, "LONG1")

/// An opcode that is interpreted.
enum class pickle_opcode : std::uint8_t {
#define TESSERA_X(name, byte, text) name = byte,
  TESSERA_PT2_PICKLE_OPCODES(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of opcodes.
struct pickle_opcode_row {
  std::uint8_t byte;      ///< in pickles
  std::string_view name;  ///< as Python's pickletools has it
};
/// Those that are interpreted, then those that are refused.
inline constexpr pickle_opcode_row pickle_opcodes[] = {
#define TESSERA_X(name, byte, text) {byte, text},
    TESSERA_PT2_PICKLE_OPCODES(TESSERA_X)
#undef TESSERA_X
        {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"},
    {'F', "FLOAT"},
    {'G', "BINFLOAT"},
    {'I', "INT"},
    {'L', "LONG"},
    {'N', "NONE"},
    {'P', "PERSID"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {']', "EMPTY_LIST"},
    {'a', "APPEND"},
    {'d', "DICT"},
    {'e', "APPENDS"},
    {'g', "GET"},
    {'i', "INST"},
    {'l', "LIST"},
    {'o', "OBJ"},
    {'p', "PUT"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x8b, "LONG4"},
    {0x8c, "SHORT_BINUNICODE"},
    {0x8d, "BINUNICODE8"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"},
    {0x94, "MEMOIZE"},
    {0x95, "FRAME"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
};
#undef TESSERA_PT2_PICKLE_OPCODES

/// What is made of a global, or of calling it.
enum class global_kind : std::uint8_t {
  dictionary,            ///< an empty dictionary
  tensor,                ///< a view of a storage
  parameter,             ///< a tensor as a parameter
  parameter_with_state,  ///< likewise, with attributes, which are dropped
  storage                ///< the type of a storage's elements
};
/// A row of the table of globals.
struct pickle_global_row {
  std::string_view module, name;              ///< as pickles have them
  global_kind kind;                           ///< what is made of it
  element_type type = element_type::unknown;  ///< of storages
};
/// The globals that are interpreted; all others are refused.
inline constexpr pickle_global_row pickle_globals[] = {
    {"collections", "OrderedDict", global_kind::dictionary},
    {"torch._utils", "_rebuild_tensor_v2", global_kind::tensor},
    {"torch._utils", "_rebuild_parameter", global_kind::parameter},
    {"torch._utils", "_rebuild_parameter_with_state", global_kind::parameter_with_state},
    {"torch", "FloatStorage", global_kind::storage, element_type::float32},
    {"torch", "DoubleStorage", global_kind::storage, element_type::float64},
    {"torch", "HalfStorage", global_kind::storage, element_type::float16},
    {"torch", "BFloat16Storage", global_kind::storage, element_type::bfloat16},
    {"torch", "LongStorage", global_kind::storage, element_type::int64},
    {"torch", "IntStorage", global_kind::storage, element_type::int32},
    {"torch", "ShortStorage", global_kind::storage, element_type::int16},
    {"torch", "CharStorage", global_kind::storage, element_type::int8},
    {"torch", "ByteStorage", global_kind::storage, element_type::uint8},
    {"torch", "BoolStorage", global_kind::storage, element_type::boolean},
    {"torch", "ComplexFloatStorage", global_kind::storage, element_type::complex64},
    {"torch", "ComplexDoubleStorage", global_kind::storage, element_type::complex128},
};

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_PICKLE_HPP

// ---- tessera/pt2/print.hpp
//
// A listing of a program: one line per input, node and output, with types and shapes.
//
//   tessera::text listing = pt2::print(*model);
//
//   pt2 8.20: "model" of PyTorch 2.13.0+cpu, 2 nodes, 1 weight, 0 constants
//   s77 = 2..
//   p_w: f32[3] = parameter "w" (weight_0, 12 bytes)
//   x: f32[s77,3] = input
//   add: f32[s77,3] = aten.add.Tensor(x, p_w, alpha=2)
//   relu: f32[s77,3] = aten.relu.default(add)
//   return relu
//
//   NAME: TYPE[SIZES]  strides and offset follow where the tensor isn't contiguous; int, bool and
//                      float are symbolic numbers, with their expressions
//   s77 = 2..          what a symbol may be
//   (a, name=b)        positional and keyword arguments; bodies of control flow are below, indented
//
// Lifetime:   the text owns itself.
// Errors:     none. For a model that check() refuses: the first line, with the error's name.
// Limits:     none.
// Allocation: the text, and 12 bytes for each value of a graph.

#ifndef TESSERA_PT2_PRINT_HPP
#define TESSERA_PT2_PRINT_HPP


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// What a listing has besides types and shapes.
struct print_options {
  bool modules = false;       ///< the path of each node's module, as a comment
  bool stack_traces = false;  ///< its lines of Python, which name files of the exporting machine
};

/// The listing of a model's program.
[[nodiscard]] text print(const model& m, const print_options& options = {});

/// The type and sizes of a tensor: "f32[2,s77]".
void print(text& out, const model& m, const tensor_meta& t);
/// The value of an argument, as print writes it.
void print(text& out, const model& m, const argument& a);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_PRINT_HPP

// ---- tessera/pt2/read.hpp
//
// Reads the archives that torch.export.save writes (.pt2), of PyTorch 2.5 and later.
//
//   auto model = tessera::pt2::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   model->torch_version;  model->graphs[0].nodes.count;
//
//   ROOT/archive_format                             pt2
//   ROOT/archive_version                            0
//   ROOT/byteorder                                  little
//   ROOT/models/NAME.json                           the program: graph, signature, metadata
//   ROOT/data/weights/NAME_weights_config.json      parameters and buffers: which payload, and its view
//   ROOT/data/weights/weight_0                      a storage, little-endian
//   ROOT/data/constants/NAME_constants_config.json, tensor_0 …       likewise constants
//   ROOT/data/sample_inputs/NAME.pt                 a pickle, which is never opened
//
// Earlier versions keep tensors in zip archives of their own, which a pickle lists:
//
//   PyTorch 2.8      ROOT/data/weights/NAME.pt, ROOT/data/constants/NAME.pt, else the same
//   2.5 to 2.7       serialized_exported_program.json, serialized_state_dict.pt,
//                    serialized_constants.pt, and version: that of the schema
//     archive/data.pkl                              a dictionary: names and views of storages
//     archive/data/0                                a storage, little-endian
//
// Of pickles, the few opcodes and globals are interpreted that describe tensors; nothing is called,
// and all others are refused by name. 2.5 has schema 7, whose expressions are infix.
//
// The archive is a zip, read strictly: each member once, under one root, within the file and apart
// from all others, its local header equal to its entry in the directory. Members are stored, or
// deflated where the options say how to inflate. Other members are kept. In the JSON, unknown
// members of objects are ignored; unknown variants of unions are errors. Inner archives are read as
// strictly, and have stored members only.
//
// Lifetime:   the model borrows the bytes.
// Errors:     pt2_*, json_*, too_many_items, input_too_large. The offset is that of the field of
//             the archive or of the JSON value that is wrong; in a deflated member, of the member.
// Limits:     max_bytes of JSON, of a pickle and of inflated content, each in all; max_items for
//             each list; max_depth, at most 1024. An archive may be larger: weights take no memory.
// Allocation: at most 100 × the JSON of the program (3 × for real ones) and the pickles, and
//             inflated content; nothing for stored weights, which aren't touched.

#ifndef TESSERA_PT2_READ_HPP
#define TESSERA_PT2_READ_HPP

#include <cstddef>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// Decompresses raw deflate data. `run` writes exactly `size` bytes to `to`; it returns false where
/// `from` isn't the deflated form of that many bytes.
struct inflater {
  /// The function; null where there is none.
  bool (*run)(void* context, bytes from, std::byte* to, std::size_t size) = nullptr;
  void* context = nullptr;  ///< passed to `run`
};

/// Which program is read, and within which limits.
struct read_options {
  limits limit = {};              ///< max_bytes, max_items and max_depth, as above
  std::string_view program = {};  ///< its name; empty: "model", else the only one
  inflater inflate = {};          ///< without one, deflated members are refused
  bool checksums = false;         ///< check those of weights too, which reads all of them
};

/// The archive in `in` and its program.
[[nodiscard]] result<model> read(bytes in, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view in, const read_options& options = {}) {
  return read(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the model is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<model> read(Owner&& in, const read_options& = {})
= delete;

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_READ_HPP

// ---- tessera/pt2/verify.hpp
//
// The proof that a program and its archive hold together.
//
//   tessera::report found;
//   auto program = pt2::verify(std::move(*model), {}, &found);
//   if (!program) return fail(describe(found, {&file, 1}));
//   const pt2::model& m = program->model();
//   for (const pt2::argument& a : arguments(m, n.inputs))
//     if (const std::uint32_t v = program->value_of(a); v != pt2::none)
//       use(m.values[v], program->definition_of(v));       // the node that computes it, or an input
//
//   names       a value is defined once in its graph, before its uses, and has metadata of the kind
//               that its uses ask for
//   operators   arguments by name, of the right types, none missing, and results, for those that
//               operators.hpp has; others are left to their executor
//   tensors     known types, strided, sizes and strides of one number, none negative; expressions
//               that parse
//   signature   inputs and outputs in the order of the graph; what they are bound to exists
//   payloads    as long as the view needs, in type and sizes as the graph's input has them; what is
//               used isn't pickled
//   calls       trees with as many leaves as there are user inputs and outputs
//   bodies      control flow gives each body as many arguments as it has inputs
//
// Elements of weights aren't looked at. Not checked either: whether what is recorded about results
// follows from the operators.
//
// Lifetime:   a program owns its model, which borrows the bytes that were read.
// Errors:     that of the first diagnostic that is an error, at the JSON value in the archive;
//             pt2_index for a model built in code with an index out of range.
// Limits:     max_diagnostics of a report.
// Allocation: 32 bytes for each value and 4 for each argument.

#ifndef TESSERA_PT2_VERIFY_HPP
#define TESSERA_PT2_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

class program;

/// How a model is verified.
struct verify_options {
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Checks one program. `found` receives all diagnostics.
[[nodiscard]] result<program> verify(model m, const verify_options& options = {},
                                     report* found = nullptr);

/// Where a value comes from.
struct definition {
  std::uint32_t graph = none;    ///< in model::graphs; none where nothing defines it
  std::uint32_t node = none;     ///< in model::nodes; none for an input of the graph
  std::uint32_t position = 0;    ///< among the graph's inputs, or the node's outputs
  std::uint32_t element = none;  ///< of an output that is a list
  std::uint32_t uses = 0;        ///< how many arguments and outputs name it
};

/// A verified model. Only verify() makes one.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const pt2::model& model() const& noexcept { return model_; }
  const pt2::model& model() const&& = delete;
  /// Moves the model out.
  [[nodiscard]] pt2::model release() && noexcept { return std::move(model_); }

  /// The value that an argument names, in model::values; none for constants and lists.
  [[nodiscard]] std::uint32_t value_of(const argument& a) const noexcept {
    return values_[static_cast<std::size_t>(&a - model_.arguments.data())];
  }
  /// By the argument's index.
  [[nodiscard]] std::uint32_t value_of(std::uint32_t argument) const noexcept {
    return values_[argument];
  }
  /// Where a value comes from, by its index in model::values. Borrows from the program.
  [[nodiscard]] const definition& definition_of(std::uint32_t value) const noexcept {
    return definitions_[value];
  }
  /// The weight or constant of an input of the program, in model::stored; none for user inputs.
  [[nodiscard]] std::uint32_t stored_of(std::uint32_t input) const noexcept {
    return stored_[input];
  }

 private:
  friend result<program> verify(pt2::model m, const verify_options& options, report* found);
  program() = default;

  pt2::model model_;
  pool<std::uint32_t> values_;    // of each argument
  pool<definition> definitions_;  // of each value
  pool<std::uint32_t> stored_;    // of each input
};

/// Whether all indices of a model are in range, and its lists and graphs are trees; else pt2_index.
/// Those of a model that was read are.
[[nodiscard]] error check(const model& m);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_VERIFY_HPP

// ---- tessera/pt2/write.hpp
//
// Writes an archive that torch.export.load accepts: the members that were read, with the JSON of
// the program, of its weights and of its constants made anew from the model.
//
//   auto archive = pt2::write(*model);                    // a pool of bytes, or to a sink
//   if (!archive) return fail(describe(archive.error(), mapped));
//
// The layout is PyTorch's own: members in their order, stored, each content at a multiple of 64,
// data descriptors, zip64 records, no times. Deflated members that were never opened stay deflated.
// An archive of PyTorch 2.13 survives read() and write() byte for byte, but for unknown members of
// JSON objects, which are dropped, and the order of members of the known ones.
//
// What was read from an archive of PyTorch 2.5 to 2.8 is written in the container of 2.9, without
// pickles but for the sample inputs. Its schema becomes 8.20 if it was 7: expressions change their
// notation, the list of results of control flow becomes single ones, and what version 8 adds has
// its defaults. So an archive of 2.5 can be loaded by PyTorch 2.13.
//
// Lifetime:   nothing is kept; contents go to a sink without a copy.
// Errors:     before the first byte: pt2_index; pt2_checksum at a member; pt2_write_programs for
//             several programs with pickled weights; pt2_expression for one of schema 7 that isn't
//             an expression; json_* never. Later pt2_write_stopped, with the offset 0, when `put`
//             returned false.
// Limits:     none.
// Allocation: the JSON, at most twice, and 64 bytes for each member; without a sink the archive,
//             once.

#ifndef TESSERA_PT2_WRITE_HPP
#define TESSERA_PT2_WRITE_HPP


namespace tessera::inline TESSERA_ABI {
namespace pt2 {

/// Takes an archive piece by piece.
struct sink {
  void* context = nullptr;                            ///< passed to `put`
  bool (*put)(void* context, bytes piece) = nullptr;  ///< false stops the writer
};

/// How an archive is written.
struct write_options {
  bool checksums = true;  ///< check those of all contents before the first byte
};

/// Writes an archive into a pool, or piece by piece to a sink.
[[nodiscard]] result<pool<std::byte>> write(const model& m, const write_options& options = {});
[[nodiscard]] error write(const model& m, const sink& to, const write_options& options = {});

/// The JSON of the program, as PyTorch lays it out.
[[nodiscard]] text write_program(const model& m);

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_PT2_WRITE_HPP

#endif  // TESSERA_PT2_HPP

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

// ---- tessera/pt2/detail/expression.hpp
//
// The bodies of pt2/expression.hpp.

#ifndef TESSERA_PT2_DETAIL_EXPRESSION_HPP
#define TESSERA_PT2_DETAIL_EXPRESSION_HPP


// ---- tessera/pt2/detail/infix.hpp
//
// Shape expressions as PyTorch 2.5 writes them, and how later versions write the same.
//
//   2*s0 + 1     Add(Mul(Integer(2), Symbol('s0', …)), Integer(1))
//   s0 - s1      Add(s0, Mul(-1, s1))          s0/2     Mul(s0, Pow(2, -1))
//   Eq(s0, 1)    Equality(s0, 1)               s0//2    FloorDiv(s0, 2)

#ifndef TESSERA_PT2_DETAIL_INFIX_HPP
#define TESSERA_PT2_DETAIL_INFIX_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

inline constexpr std::size_t max_expression_size = 65536;
inline constexpr unsigned max_expression_depth = 128;

/// Whether a text is a number of both notations: one of JSON, in the range of a double.
[[nodiscard]] inline bool is_real(std::string_view s) {
  json::reader in(s);
  (void)in.number();
  return in.finish().code == errc::ok;
}

class infix_parser {
 public:
  explicit infix_parser(std::string_view source) noexcept : source_(source) {}

  result<expression> read() {
    if (source_.size() > max_expression_size)
      return error{errc::pt2_expression, max_expression_size};
    if (binary(0, 0) == 0 || !is_at_end()) return error{errc::pt2_expression, at_};
    return std::move(out_);
  }

 private:
  enum class forms : std::uint8_t { plain, repeatable, negated, inverted };
  /// An operator: how strongly it binds, and the call that it is.
  struct sign_row {
    unsigned level;
    std::string_view sign, name;
    forms form;
  };
  static constexpr unsigned relations = 2, levels = 5;
  static constexpr sign_row signs[] = {
      {0, "|", "Or", forms::repeatable},
      {1, "&", "And", forms::repeatable},
      {relations, "==", "Equality", forms::plain},
      {relations, "!=", "Unequality", forms::plain},
      {relations, "<=", "LessThan", forms::plain},
      {relations, ">=", "GreaterThan", forms::plain},
      {relations, "<", "StrictLessThan", forms::plain},
      {relations, ">", "StrictGreaterThan", forms::plain},
      {3, "+", "Add", forms::repeatable},
      {3, "-", "Add", forms::negated},
      {4, "//", "FloorDiv", forms::plain},
      {4, "*", "Mul", forms::repeatable},
      {4, "/", "Mul", forms::inverted},
      {4, "%", "Mod", forms::plain},
  };

  [[nodiscard]] bool is_at_end() noexcept {
    while (at_ < source_.size() && source_[at_] == ' ') ++at_;
    return at_ == source_.size();
  }
  [[nodiscard]] bool accept(std::string_view token) noexcept {
    if (is_at_end() || source_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] const sign_row* accept_sign(unsigned level) noexcept {
    for (const sign_row& row : signs)
      if (row.level == level && accept(row.sign)) return &row;
    return nullptr;
  }
  [[nodiscard]] static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
  [[nodiscard]] static constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  [[nodiscard]] static expression::node call(std::string_view name) noexcept {
    expression::node n;
    n.kind = expression::kinds::call;
    n.text = name;
    return n;
  }
  [[nodiscard]] static expression::node integer(std::int64_t value) noexcept {
    expression::node n;
    n.integer = value;
    return n;
  }
  /// Makes what begins at `index` the first child of a call.
  void wrap(std::size_t index, std::string_view name) {
    out_.nodes.push_back({});
    for (std::size_t i = out_.nodes.size() - 1; i > index; --i) out_.nodes[i] = out_.nodes[i - 1];
    out_.nodes[index] = call(name);
    end_child(index);
  }
  /// What was appended last is another child of the call.
  void end_child(std::size_t call) noexcept {
    ++out_.nodes[call].children;
    out_.nodes[call].size = static_cast<std::uint32_t>(out_.nodes.size() - call);
  }

  // Each returns how many levels it has appended; 0 where the text isn't an expression.

  unsigned binary(unsigned level, unsigned depth) {
    if (level == levels) return unary(depth);
    const std::size_t first = out_.nodes.size();
    unsigned height = binary(level + 1, depth);
    std::string_view chain;  // the call at `first`, if more operands may be added to it
    while (height != 0) {
      const sign_row* const sign = accept_sign(level);
      if (sign == nullptr) break;
      if (level == relations && !chain.empty()) return 0;
      if (chain != sign->name || sign->form == forms::plain) {
        wrap(first, sign->name);
        ++height;
      }
      chain = sign->name;
      const std::size_t operand = out_.nodes.size();
      unsigned of_operand = binary(level + 1, depth);
      if (of_operand == 0) return 0;
      if (sign->form == forms::negated) of_operand = negate(operand, of_operand);
      if (sign->form == forms::inverted) of_operand = invert(operand, of_operand);
      end_child(first);
      if (of_operand + 1 > height) height = of_operand + 1;
      if (height > max_expression_depth) return 0;
    }
    return height;
  }
  unsigned negate(std::size_t operand, unsigned height) {
    expression::node& n = out_.nodes[operand];
    if (n.kind == expression::kinds::integer && n.size == 1) return n.integer = -n.integer, height;
    wrap(operand, "Mul");
    out_.nodes.push_back(integer(-1));
    end_child(operand);
    return height + 1;
  }
  unsigned invert(std::size_t operand, unsigned height) {
    wrap(operand, "Pow");
    out_.nodes.push_back(integer(-1));
    end_child(operand);
    return height + 1;
  }
  unsigned unary(unsigned depth) {
    if (depth >= max_expression_depth) return 0;
    const std::size_t first = out_.nodes.size();
    const bool is_negative = accept("-");
    unsigned height = is_negative ? unary(depth + 1) : atom(depth);
    if (height != 0 && is_negative) return negate(first, height);
    if (height == 0 || !accept("**")) return height;
    wrap(first, "Pow");
    const unsigned exponent = unary(depth + 1);
    end_child(first);
    if (exponent == 0) return 0;
    return (exponent > height ? exponent : height) + 1;
  }
  unsigned atom(unsigned depth) {
    if (accept("(")) {
      const unsigned height = binary(0, depth + 1);
      return height != 0 && accept(")") ? height : 0;
    }
    if (is_at_end()) return 0;
    if (is_digit(source_[at_])) return number();
    const std::size_t start = at_;
    if (is_letter(source_[at_]))
      while (at_ < source_.size() && (is_letter(source_[at_]) || is_digit(source_[at_]))) ++at_;
    const std::string_view name = source_.substr(start, at_ - start);
    if (name.empty()) return 0;
    if (at_ < source_.size() && source_[at_] == '(') return arguments(name, depth);
    expression::node n;
    n.kind = expression::kinds::symbol;
    n.text = name;
    if (name == "True" || name == "False") {
      n.kind = expression::kinds::boolean;
      n.integer = name == "True" ? 1 : 0;
    }
    return out_.nodes.push_back(n), 1;
  }
  unsigned arguments(std::string_view name, unsigned depth) {
    // In the other notation these are no calls.
    for (const std::string_view leaf : {"Integer", "Symbol", "Float", "true", "false"})
      if (name == leaf) return 0;
    const std::size_t first = out_.nodes.size();
    out_.nodes.push_back(call(name == "Eq" ? "Equality" : name == "Ne" ? "Unequality" : name));
    unsigned height = 1;
    if (!accept("(")) return 0;
    if (accept(")")) return height;
    do {
      const unsigned of_child = binary(0, depth + 1);
      if (of_child == 0) return 0;
      end_child(first);
      if (of_child + 1 > height) height = of_child + 1;
    } while (accept(","));
    return accept(")") && height <= max_expression_depth ? height : 0;
  }
  /// "12", "0.5" or "1.0e-5".
  unsigned number() {
    const std::size_t start = at_;
    const auto skip_digits = [this] {
      while (at_ < source_.size() && is_digit(source_[at_])) ++at_;
    };
    skip_digits();
    const std::size_t end_of_integer = at_;
    if (at_ < source_.size() && source_[at_] == '.') ++at_, skip_digits();
    if (at_ + 1 < source_.size() && source_[at_] == 'e') {
      ++at_;
      if (source_[at_] == '-' || source_[at_] == '+') ++at_;
      if (at_ == source_.size() || !is_digit(source_[at_])) return 0;
      skip_digits();
    }
    expression::node n;
    if (at_ != end_of_integer) {
      n.kind = expression::kinds::real;
      n.text = source_.substr(start, at_ - start);
      if (!is_real(n.text)) return 0;
      return out_.nodes.push_back(n), 1;
    }
    for (const char c : source_.substr(start, at_ - start))
      if (!checked_mul<std::int64_t>(n.integer, 10, n.integer) ||
          !checked_add<std::int64_t>(n.integer, c - '0', n.integer))
        return 0;
    return out_.nodes.push_back(n), 1;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  expression out_;
};

/// Sizes of inputs are positive, which data that is computed need not be.
inline void write_term(text& out, const expression& e, std::size_t index) {
  const expression::node& n = e.nodes[index];
  switch (n.kind) {
    case expression::kinds::integer: out << "Integer(" << n.integer << ')'; return;
    case expression::kinds::boolean: out << (n.integer != 0 ? "true" : "false"); return;
    case expression::kinds::real: out << "Float('" << n.text << "', precision=53)"; return;
    case expression::kinds::symbol:
      out << "Symbol('" << n.text << (n.text[0] == 's' ? "', positive=True" : "'")
          << ", integer=True)";
      return;
    case expression::kinds::call: break;
  }
  out << n.text << '(';
  std::size_t child = index + 1;
  for (std::uint32_t i = 0; i < n.children; ++i, child += e.nodes[child].size) {
    if (i != 0) out << ", ";
    write_term(out, e, child);
  }
  out << ')';
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_INFIX_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class expression_parser {
 public:
  explicit expression_parser(std::string_view source) noexcept : source_(source) {}

  result<expression> read() {
    if (source_.size() > max_expression_size)
      return error{errc::pt2_expression, max_expression_size};
    if (!term(0) || at_ != source_.size()) return error{errc::pt2_expression, at_};
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool accept(std::string_view token) noexcept {
    if (source_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  [[nodiscard]] std::string_view name() noexcept {
    const std::size_t first = at_;
    const auto is_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    while (at_ < source_.size() &&
           (is_letter(source_[at_]) || (at_ != first && is_digit(source_[at_]))))
      ++at_;
    return source_.substr(first, at_ - first);
  }
  /// An integer of 64 bits.
  [[nodiscard]] bool integer(std::int64_t& out) noexcept {
    const bool negative = accept("-");
    const std::size_t first = at_;
    out = 0;
    for (; at_ < source_.size() && source_[at_] >= '0' && source_[at_] <= '9'; ++at_) {
      const int digit = source_[at_] - '0';
      if (!checked_mul<std::int64_t>(out, 10, out) ||
          !checked_add<std::int64_t>(out, negative ? -digit : digit, out))
        return false;
    }
    return at_ != first;
  }
  /// A name or a number in single quotes, then ", key=word" any number of times, and ')'.
  [[nodiscard]] bool quoted(std::string_view& out) noexcept {
    if (!accept("'")) return false;
    const std::size_t first = at_;
    while (at_ < source_.size() && source_[at_] != '\'' && source_[at_] != '\\') ++at_;
    out = source_.substr(first, at_ - first);
    if (out.empty() || !accept("'")) return false;
    while (accept(", ")) {
      std::int64_t ignored = 0;
      if (name().empty() || !accept("=")) return false;
      if (name().empty() && !integer(ignored)) return false;
    }
    return accept(")");
  }
  [[nodiscard]] bool term(unsigned depth) {
    if (depth >= max_expression_depth) return false;
    const std::size_t index = out_.nodes.size();
    expression::node n;
    if (at_ < source_.size() &&
        (source_[at_] == '-' || (source_[at_] >= '0' && source_[at_] <= '9'))) {
      if (!integer(n.integer)) return false;  // the parts of a Rational
      return out_.nodes.push_back(n), true;
    }
    n.text = name();
    if (n.text == "true" || n.text == "false") {
      n.kind = expression::kinds::boolean;
      n.integer = n.text == "true" ? 1 : 0;
      return out_.nodes.push_back(n), true;
    }
    if (n.text.empty() || !accept("(")) return false;
    if (n.text == "Integer") {
      n.text = {};
      if (!integer(n.integer) || !accept(")")) return false;
    } else if (n.text == "Symbol") {
      n.kind = expression::kinds::symbol;
      if (!quoted(n.text)) return false;
    } else if (n.text == "Float") {
      n.kind = expression::kinds::real;
      if (!quoted(n.text) || !is_real(n.text)) return false;
    } else {
      n.kind = expression::kinds::call;
      out_.nodes.push_back(n);
      if (!accept(")")) {
        do {
          if (!term(depth + 1)) return false;
          ++out_.nodes[index].children;
        } while (accept(", "));
        if (!accept(")")) return false;
      }
      out_.nodes[index].size = static_cast<std::uint32_t>(out_.nodes.size() - index);
      return true;
    }
    return out_.nodes.push_back(n), true;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  expression out_;
};

/// Signs that calls are written with, and how strongly they bind.
struct infix_row {
  std::string_view name, sign;
  int binds;
};
inline constexpr infix_row infix_rows[] = {
    {"Or", " | ", 1},           {"And", " & ", 2},
    {"Equality", " == ", 3},    {"Unequality", " != ", 3},
    {"LessThan", " <= ", 3},    {"StrictLessThan", " < ", 3},
    {"GreaterThan", " >= ", 3}, {"StrictGreaterThan", " > ", 3},
    {"Add", " + ", 4},          {"Mul", "*", 5},
    {"Rational", "/", 5},       {"FloorDiv", "//", 5},
    {"CleanDiv", "//", 5},      {"IntTrueDiv", "/", 5},
    {"FloatTrueDiv", "/", 5},   {"Mod", " % ", 5},
    {"PythonMod", " % ", 5},    {"Pow", "**", 6},
    {"PowByNatural", "**", 6},  {"FloatPow", "**", 6},
};

inline void print_term(text& out, const expression& e, std::size_t index, int outer) {
  const expression::node& n = e.nodes[index];
  switch (n.kind) {
    case expression::kinds::integer: out << n.integer; return;
    case expression::kinds::boolean: out << (n.integer != 0 ? "true" : "false"); return;
    case expression::kinds::real:
    case expression::kinds::symbol: append_shown(out, n.text); return;
    case expression::kinds::call: break;
  }
  const infix_row* sign = nullptr;
  for (const infix_row& row : infix_rows)
    if (row.name == n.text && n.children >= 2) sign = &row;
  const bool in_brackets = sign == nullptr || sign->binds <= outer;
  if (sign == nullptr) out << n.text;
  if (in_brackets) out << '(';
  std::size_t child = index + 1;
  for (std::uint32_t i = 0; i < n.children; ++i, child += e.nodes[child].size) {
    if (i != 0) out << (sign == nullptr ? ", " : sign->sign);
    print_term(out, e, child, sign == nullptr ? 0 : i == 0 ? sign->binds - 1 : sign->binds);
  }
  if (in_brackets) out << ')';
}

/// Reads the nodes of a tree; recursion is limited by the depth of the JSON.
class tree_reader {
 public:
  tree_reader(std::string_view source, const limits& limit) : in_(source, limit) {}

  result<tree> read() {
    in_.array();
    in_.require_element();
    const std::uint64_t version_at = in_.offset();
    if (in_.int64() != 1) in_.fail(errc::pt2_tree, version_at);
    in_.require_element();
    node();
    in_.end_array();
    if (const error e = in_.finish(); e.code != errc::ok) return e;
    return std::move(out_);
  }

 private:
  void node() {
    const std::uint64_t at = in_.offset();
    const std::size_t index = out_.nodes.size();
    out_.nodes.push_back({});
    text type, context;
    bool has_type = false, has_children = false, is_null = false;
    std::string_view key;
    for (in_.object(); in_.key(key);) {
      if (key == "type") {
        has_type = true;
        is_null = in_.peek() == json::kind::null;
        if (is_null)
          in_.null();
        else
          type << in_.string();
      } else if (key == "context") {
        if (in_.peek() == json::kind::null)
          in_.null();
        else
          context << in_.string();
      } else if (key == "children_spec") {
        has_children = true;
        for (in_.array(); in_.element();) {
          ++out_.nodes[index].children;
          node();
        }
      } else {
        in_.skip();
      }
    }
    tree::node& n = out_.nodes[index];
    if (!has_type || !has_children || (is_null && n.children != 0))
      return in_.fail(errc::pt2_tree, at);
    n.is_leaf = is_null;
    out_.leaves += is_null ? 1 : 0;
    n.size = static_cast<std::uint32_t>(out_.nodes.size() - index);
    n.first = static_cast<std::uint32_t>(out_.characters.size());
    n.type_size = static_cast<std::uint32_t>(type.size());
    n.context_size = static_cast<std::uint32_t>(context.size());
    out_.characters << type.view() << context.view();
  }

  json::reader in_;
  tree out_;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<expression> read_expression(std::string_view source, notation how) {
  return how == notation::calls ? detail::expression_parser(source).read()
                                : detail::infix_parser(source).read();
}

TESSERA_INLINE text print(const expression& e) {
  text out;
  if (!e.nodes.empty()) detail::print_term(out, e, 0, 0);
  return out;
}

TESSERA_INLINE text write_expression(const expression& e) {
  text out;
  if (!e.nodes.empty()) detail::write_term(out, e, 0);
  return out;
}

TESSERA_INLINE result<tree> read_tree(std::string_view source, const limits& limit) {
  limits low = limit;
  if (low.max_depth > 1024) low.max_depth = 1024;
  return detail::tree_reader(source, low).read();
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_EXPRESSION_HPP

// ---- tessera/pt2/detail/model.hpp
//
// The bodies of pt2/model.hpp.

#ifndef TESSERA_PT2_DETAIL_MODEL_HPP
#define TESSERA_PT2_DETAIL_MODEL_HPP


// ---- tessera/pt2/detail/checksum.hpp
//
// The checksum of members of archives: CRC-32 with the reversed polynomial 0xedb88320.

#ifndef TESSERA_PT2_DETAIL_CHECKSUM_HPP
#define TESSERA_PT2_DETAIL_CHECKSUM_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Row k: what a byte adds when k bytes follow it in a step of eight.
struct crc_table {
  std::uint32_t rows[8][256];
};
[[nodiscard]] consteval crc_table make_crc_table() noexcept {
  crc_table t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
    t.rows[0][i] = c;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = t.rows[k - 1][i];
      t.rows[k][i] = t.rows[0][before & 0xff] ^ before >> 8;
    }
  return t;
}
inline constexpr crc_table crc_rows = make_crc_table();

[[nodiscard]] inline std::uint32_t crc32(bytes of) noexcept {
  std::uint32_t c = 0xffffffffu;
  const std::byte* at = of.data();
  std::size_t left = of.size();
  const auto& t = crc_rows.rows;
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t a = load_le<std::uint32_t>(at) ^ c, b = load_le<std::uint32_t>(at + 4);
    c = t[7][a & 0xff] ^ t[6][a >> 8 & 0xff] ^ t[5][a >> 16 & 0xff] ^ t[4][a >> 24] ^
        t[3][b & 0xff] ^ t[2][b >> 8 & 0xff] ^ t[1][b >> 16 & 0xff] ^ t[0][b >> 24];
  }
  for (; left != 0; --left, ++at)
    c = t[0][(c ^ std::to_integer<std::uint32_t>(*at)) & 0xff] ^ c >> 8;
  return ~c;
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_CHECKSUM_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2 {

TESSERA_INLINE std::string_view metadata(const model& m, const node& n,
                                         std::string_view key) noexcept {
  for (const text_entry& e : rows(m.metadata, n.metadata))
    if (text_of(m, e.key) == key) return text_of(m, e.value);
  return {};
}

TESSERA_INLINE std::string_view short_target(const model& m, const node& n) noexcept {
  const std::string_view target = text_of(m, n.target);
  constexpr std::string_view prefix = "torch.ops.";
  return target.substr(0, prefix.size()) == prefix ? target.substr(prefix.size()) : target;
}

TESSERA_INLINE std::uint32_t find_member(const model& m, std::string_view path) noexcept {
  const std::string_view root = text_of(m, m.root);
  const auto order = [&](std::uint32_t i) {
    const std::string_view name = text_of(m, m.members[i].name);
    const int of_root = name.substr(0, root.size()).compare(root);
    return of_root != 0 ? of_root : name.substr(root.size()).compare(path);
  };
  const std::size_t count = m.members_by_name.size();
  const std::size_t at = first_not_below(m.members_by_name.data(), count,
                                         [&](std::uint32_t i) { return order(i) < 0; });
  return at < count && order(m.members_by_name[at]) == 0 ? m.members_by_name[at] : none;
}

TESSERA_INLINE bytes content(const model& m, const member& of) noexcept {
  if (of.owned != member::no_data) return {m.contents.data() + of.owned, to_size(of.size)};
  if (of.is_deflated) return {};
  return m.source.subspan(to_size(of.data_offset), to_size(of.size));
}

TESSERA_INLINE void set_content(model& m, std::uint32_t member, bytes content) {
  pt2::member& of = m.members[member];
  of.owned = m.contents.size();
  of.size = content.size();
  of.crc = detail::crc32(content);
  m.contents.append(content.data(), content.size());
}

TESSERA_INLINE bool has_valid_checksum(const model& m, const member& of) noexcept {
  return detail::crc32(content(m, of)) == of.crc;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_MODEL_HPP

// ---- tessera/pt2/detail/operators.hpp
//
// The bodies of pt2/operators.hpp.

#ifndef TESSERA_PT2_DETAIL_OPERATORS_HPP
#define TESSERA_PT2_DETAIL_OPERATORS_HPP


// ---- tessera/pt2/detail/operator_rows.hpp
//
// The operators of pt2/operators.hpp. Written by tests/data/pt2/operators.py, sorted by name.

#ifndef TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP
#define TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

// clang-format off
inline constexpr operator_row operator_rows[] = {
    {"aten.__and__.Tensor", "T self, T other -> T"},
    {"aten.__or__.Tensor", "T self, T other -> T"},
    {"aten._adaptive_avg_pool2d.default", "T self, i[] output_size -> T"},
    {"aten._adaptive_avg_pool2d_backward.default", "T grad_output, T self -> T"},
    {"aten._adaptive_avg_pool3d.default", "T self, i[] output_size -> T"},
    {"aten._addmm_activation.default", "T self, T mat1, T mat2, S beta=1, S alpha=1, b use_gelu=False -> T"},
    {"aten._assert_scalar.default", "S self, s assert_msg ->"},
    {"aten._assert_tensor_metadata.default", "T a, i[]? size=None, i[]? stride=None, dtype? dtype=None, device? device=None, layout? layout=None ->"},
    {"aten._cdist_forward.default", "T x1, T x2, f p, i? compute_mode -> T"},
    {"aten._embedding_bag.default", "T weight, T indices, T offsets, b scale_grad_by_freq=False, i mode=0, b sparse=False, T? per_sample_weights=None, b include_last_offset=False, i padding_idx=-1 -> T, T, T, T"},
    {"aten._fft_c2c.default", "T self, i[] dim, i normalization, b forward -> T"},
    {"aten._fft_c2r.default", "T self, i[] dim, i normalization, i last_dim_size -> T"},
    {"aten._fft_r2c.default", "T self, i[] dim, i normalization, b onesided -> T"},
    {"aten._grouped_mm.default", "T self, T mat2, T? offs=None, T? bias=None, dtype? out_dtype=None -> T"},
    {"aten._linalg_solve_ex.default", "T A, T B, b left=True, b check_errors=False -> T, T, T, T"},
    {"aten._local_scalar_dense.default", "T self -> S"},
    {"aten._log_softmax.default", "T self, i dim, b half_to_float -> T"},
    {"aten._native_batch_norm_legit.default", "T input, T? weight, T? bias, T! running_mean, T! running_var, b training, f momentum, f eps -> T, T, T"},
    {"aten._native_batch_norm_legit.no_stats", "T input, T? weight, T? bias, b training, f momentum, f eps -> T, T, T"},
    {"aten._native_batch_norm_legit_functional.default", "T input, T? weight, T? bias, T running_mean, T running_var, b training, f momentum, f eps -> T, T, T, T, T"},
    {"aten._native_batch_norm_legit_no_training.default", "T input, T? weight, T? bias, T running_mean, T running_var, f momentum, f eps -> T, T, T"},
    {"aten._pdist_forward.default", "T self, f p=2.0 -> T"},
    {"aten._scaled_dot_product_attention_math.default", "T query, T key, T value, T? attn_mask=None, f dropout_p=0.0, b is_causal=False, T? dropout_mask=None, f? scale=None, b enable_gqa=False -> T, T"},
    {"aten._softmax.default", "T self, i dim, b half_to_float -> T"},
    {"aten._to_copy.default", "T self, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, b non_blocking=False, format? memory_format=None -> T"},
    {"aten._unique2.default", "T self, b sorted=True, b return_inverse=False, b return_counts=False -> T, T, T"},
    {"aten._weight_norm.default", "T v, T g, i dim=0 -> T"},
    {"aten.abs.default", "T self -> T"},
    {"aten.abs_.default", "T! self -> T!"},
    {"aten.acos.default", "T self -> T"},
    {"aten.acos_.default", "T! self -> T!"},
    {"aten.acosh.default", "T self -> T"},
    {"aten.acosh_.default", "T! self -> T!"},
    {"aten.adaptive_avg_pool1d.default", "T self, i[] output_size -> T"},
    {"aten.adaptive_avg_pool2d.default", "T self, i[] output_size -> T"},
    {"aten.adaptive_avg_pool3d.default", "T self, i[] output_size -> T"},
    {"aten.adaptive_max_pool2d.default", "T self, i[] output_size -> T, T"},
    {"aten.add.Scalar", "T self, S other, S alpha=1 -> T"},
    {"aten.add.Tensor", "T self, T other, S alpha=1 -> T"},
    {"aten.add_.Scalar", "T! self, S other, S alpha=1 -> T!"},
    {"aten.add_.Tensor", "T! self, T other, S alpha=1 -> T!"},
    {"aten.addbmm.default", "T self, T batch1, T batch2, S beta=1, S alpha=1 -> T"},
    {"aten.addbmm_.default", "T! self, T batch1, T batch2, S beta=1, S alpha=1 -> T!"},
    {"aten.addcmul.default", "T self, T tensor1, T tensor2, S value=1 -> T"},
    {"aten.addcmul_.default", "T! self, T tensor1, T tensor2, S value=1 -> T!"},
    {"aten.addmm.default", "T self, T mat1, T mat2, S beta=1, S alpha=1 -> T"},
    {"aten.addmm_.default", "T! self, T mat1, T mat2, S beta=1, S alpha=1 -> T!"},
    {"aten.addmv.default", "T self, T mat, T vec, S beta=1, S alpha=1 -> T"},
    {"aten.addmv_.default", "T! self, T mat, T vec, S beta=1, S alpha=1 -> T!"},
    {"aten.addr.default", "T self, T vec1, T vec2, S beta=1, S alpha=1 -> T"},
    {"aten.addr_.default", "T! self, T vec1, T vec2, S beta=1, S alpha=1 -> T!"},
    {"aten.affine_grid_generator.default", "T theta, i[] size, b align_corners -> T"},
    {"aten.alias.default", "T& self -> T&"},
    {"aten.all.default", "T self -> T"},
    {"aten.amax.default", "T self, i[] dim=[], b keepdim=False -> T"},
    {"aten.amin.default", "T self, i[] dim=[], b keepdim=False -> T"},
    {"aten.aminmax.default", "T self, i? dim=None, b keepdim=False -> T, T"},
    {"aten.angle.default", "T self -> T"},
    {"aten.any.default", "T self -> T"},
    {"aten.any.dim", "T self, i dim, b keepdim=False -> T"},
    {"aten.any.dims", "T self, i[]? dim=None, b keepdim=False -> T"},
    {"aten.arange.default", "S end, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.arange.start", "S start, S end, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.arange.start_step", "S start, S end, S step=1, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.argmax.default", "T self, i? dim=None, b keepdim=False -> T"},
    {"aten.argmin.default", "T self, i? dim=None, b keepdim=False -> T"},
    {"aten.argsort.stable", "T self, b stable, i dim=-1, b descending=False -> T"},
    {"aten.as_strided.default", "T& self, i[] size, i[] stride, i? storage_offset=None -> T&"},
    {"aten.as_strided_.default", "T! self, i[] size, i[] stride, i? storage_offset=None -> T!"},
    {"aten.asin.default", "T self -> T"},
    {"aten.asin_.default", "T! self -> T!"},
    {"aten.asinh.default", "T self -> T"},
    {"aten.asinh_.default", "T! self -> T!"},
    {"aten.atan.default", "T self -> T"},
    {"aten.atan2.default", "T self, T other -> T"},
    {"aten.atan2.out", "T self, T other, T! out -> T!"},
    {"aten.atan2_.default", "T! self, T other -> T!"},
    {"aten.atan_.default", "T! self -> T!"},
    {"aten.atanh.default", "T self -> T"},
    {"aten.atanh_.default", "T! self -> T!"},
    {"aten.avg_pool1d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0], b ceil_mode=False, b count_include_pad=True -> T"},
    {"aten.avg_pool2d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0], b ceil_mode=False, b count_include_pad=True, i? divisor_override=None -> T"},
    {"aten.avg_pool2d_backward.default", "T grad_output, T self, i[] kernel_size, i[] stride, i[] padding, b ceil_mode, b count_include_pad, i? divisor_override -> T"},
    {"aten.avg_pool3d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0,0], b ceil_mode=False, b count_include_pad=True, i? divisor_override=None -> T"},
    {"aten.baddbmm.default", "T self, T batch1, T batch2, S beta=1, S alpha=1 -> T"},
    {"aten.baddbmm_.default", "T! self, T batch1, T batch2, S beta=1, S alpha=1 -> T!"},
    {"aten.batch_norm.default", "T input, T? weight, T? bias, T? running_mean, T? running_var, b training, f momentum, f eps, b cudnn_enabled -> T"},
    {"aten.bilinear.default", "T input1, T input2, T weight, T? bias=None -> T"},
    {"aten.bincount.default", "T self, T? weights=None, i minlength=0 -> T"},
    {"aten.bitwise_and.Scalar", "T self, S other -> T"},
    {"aten.bitwise_and.Tensor", "T self, T other -> T"},
    {"aten.bitwise_and_.Scalar", "T! self, S other -> T!"},
    {"aten.bitwise_and_.Tensor", "T! self, T other -> T!"},
    {"aten.bitwise_not.default", "T self -> T"},
    {"aten.bitwise_not_.default", "T! self -> T!"},
    {"aten.bitwise_or.Scalar", "T self, S other -> T"},
    {"aten.bitwise_or.Tensor", "T self, T other -> T"},
    {"aten.bitwise_or_.Scalar", "T! self, S other -> T!"},
    {"aten.bitwise_or_.Tensor", "T! self, T other -> T!"},
    {"aten.bitwise_xor.Scalar", "T self, S other -> T"},
    {"aten.bitwise_xor.Tensor", "T self, T other -> T"},
    {"aten.bitwise_xor_.Scalar", "T! self, S other -> T!"},
    {"aten.bitwise_xor_.Tensor", "T! self, T other -> T!"},
    {"aten.bmm.default", "T self, T mat2 -> T"},
    {"aten.broadcast_to.default", "T& self, i[] size -> T&"},
    {"aten.bucketize.Scalar", "S self, T boundaries, b out_int32=False, b right=False -> T"},
    {"aten.bucketize.Tensor", "T self, T boundaries, b out_int32=False, b right=False -> T"},
    {"aten.cat.default", "T[] tensors, i dim=0 -> T"},
    {"aten.cdist.default", "T x1, T x2, f p=2.0, i? compute_mode=None -> T"},
    {"aten.ceil.default", "T self -> T"},
    {"aten.ceil_.default", "T! self -> T!"},
    {"aten.celu.default", "T self, S alpha=1.0 -> T"},
    {"aten.celu_.default", "T! self, S alpha=1.0 -> T!"},
    {"aten.chunk.default", "T& self, i chunks, i dim=0 -> T[]&"},
    {"aten.clamp.Tensor", "T self, T? min=None, T? max=None -> T"},
    {"aten.clamp.default", "T self, S? min=None, S? max=None -> T"},
    {"aten.clamp_.Tensor", "T! self, T? min=None, T? max=None -> T!"},
    {"aten.clamp_.default", "T! self, S? min=None, S? max=None -> T!"},
    {"aten.clamp_min.default", "T self, S min -> T"},
    {"aten.clamp_min_.default", "T! self, S min -> T!"},
    {"aten.clone.default", "T self, format? memory_format=None -> T"},
    {"aten.col2im.default", "T self, i[] output_size, i[] kernel_size, i[] dilation, i[] padding, i[] stride -> T"},
    {"aten.constant_pad_nd.default", "T self, i[] pad, S value=0 -> T"},
    {"aten.contiguous.default", "T& self, format memory_format=0 -> T&"},
    {"aten.conv1d.default", "T input, T weight, T? bias=None, i[] stride=[1], i[] padding=[0], i[] dilation=[1], i groups=1 -> T"},
    {"aten.conv2d.default", "T input, T weight, T? bias=None, i[] stride=[1,1], i[] padding=[0,0], i[] dilation=[1,1], i groups=1 -> T"},
    {"aten.conv2d.padding", "T input, T weight, T? bias=None, i[] stride=[1,1], s padding=valid, i[] dilation=[1,1], i groups=1 -> T"},
    {"aten.conv3d.default", "T input, T weight, T? bias=None, i[] stride=[1,1,1], i[] padding=[0,0,0], i[] dilation=[1,1,1], i groups=1 -> T"},
    {"aten.conv_transpose1d.default", "T input, T weight, T? bias=None, i[] stride=[1], i[] padding=[0], i[] output_padding=[0], i groups=1, i[] dilation=[1] -> T"},
    {"aten.conv_transpose2d.input", "T input, T weight, T? bias=None, i[] stride=[1,1], i[] padding=[0,0], i[] output_padding=[0,0], i groups=1, i[] dilation=[1,1] -> T"},
    {"aten.conv_transpose3d.input", "T input, T weight, T? bias=None, i[] stride=[1,1,1], i[] padding=[0,0,0], i[] output_padding=[0,0,0], i groups=1, i[] dilation=[1,1,1] -> T"},
    {"aten.convolution.default", "T input, T weight, T? bias, i[] stride, i[] padding, i[] dilation, b transposed, i[] output_padding, i groups -> T"},
    {"aten.convolution_backward.default", "T grad_output, T input, T weight, i[]? bias_sizes, i[] stride, i[] padding, i[] dilation, b transposed, i[] output_padding, i groups, b[] output_mask -> T, T, T"},
    {"aten.copy.default", "T self, T src, b non_blocking=False -> T"},
    {"aten.copy_.default", "T! self, T src, b non_blocking=False -> T!"},
    {"aten.cos.default", "T self -> T"},
    {"aten.cos_.default", "T! self -> T!"},
    {"aten.cosh.default", "T self -> T"},
    {"aten.cosh_.default", "T! self -> T!"},
    {"aten.cosine_similarity.default", "T x1, T x2, i dim=1, f eps=1e-08 -> T"},
    {"aten.cov.default", "T self, i correction=1, T? fweights=None, T? aweights=None -> T"},
    {"aten.cumprod.default", "T self, i dim, dtype? dtype=None -> T"},
    {"aten.cumprod_.default", "T! self, i dim, dtype? dtype=None -> T!"},
    {"aten.cumsum.default", "T self, i dim, dtype? dtype=None -> T"},
    {"aten.cumsum_.default", "T! self, i dim, dtype? dtype=None -> T!"},
    {"aten.cumulative_trapezoid.dx", "T y, S dx=1, i dim=-1 -> T"},
    {"aten.detach.default", "T& self -> T&"},
    {"aten.detach_.default", "T! self -> T!"},
    {"aten.diagonal.default", "T& self, i offset=0, i dim1=0, i dim2=1 -> T&"},
    {"aten.diff.default", "T self, i n=1, i dim=-1, T? prepend=None, T? append=None -> T"},
    {"aten.div.Scalar", "T self, S other -> T"},
    {"aten.div.Scalar_mode", "T self, S other, s? rounding_mode -> T"},
    {"aten.div.Tensor", "T self, T other -> T"},
    {"aten.div.Tensor_mode", "T self, T other, s? rounding_mode -> T"},
    {"aten.div_.Scalar", "T! self, S other -> T!"},
    {"aten.div_.Scalar_mode", "T! self, S other, s? rounding_mode -> T!"},
    {"aten.div_.Tensor", "T! self, T other -> T!"},
    {"aten.div_.Tensor_mode", "T! self, T other, s? rounding_mode -> T!"},
    {"aten.dot.default", "T self, T tensor -> T"},
    {"aten.dropout.default", "T input, f p, b train -> T"},
    {"aten.dropout_.default", "T! self, f p, b train -> T!"},
    {"aten.einsum.default", "s equation, T[] tensors, i[]? path=None -> T"},
    {"aten.elu.default", "T self, S alpha=1, S scale=1, S input_scale=1 -> T"},
    {"aten.elu_.default", "T! self, S alpha=1, S scale=1, S input_scale=1 -> T!"},
    {"aten.embedding.default", "T weight, T indices, i padding_idx=-1, b scale_grad_by_freq=False, b sparse=False -> T"},
    {"aten.embedding_bag.padding_idx", "T weight, T indices, T offsets, b scale_grad_by_freq, i mode, b sparse, T? per_sample_weights, b include_last_offset, i? padding_idx -> T, T, T, T"},
    {"aten.embedding_dense_backward.default", "T grad_output, T indices, i num_weights, i padding_idx, b scale_grad_by_freq -> T"},
    {"aten.empty.memory_format", "i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, format? memory_format=None -> T"},
    {"aten.empty_like.default", "T self, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, format? memory_format=None -> T"},
    {"aten.empty_permuted.default", "i[] size, i[] physical_layout, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.empty_strided.default", "i[] size, i[] stride, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.eq.Scalar", "T self, S other -> T"},
    {"aten.eq.Tensor", "T self, T other -> T"},
    {"aten.eq_.Scalar", "T! self, S other -> T!"},
    {"aten.eq_.Tensor", "T! self, T other -> T!"},
    {"aten.erf.default", "T self -> T"},
    {"aten.erf_.default", "T! self -> T!"},
    {"aten.exp.default", "T self -> T"},
    {"aten.exp_.default", "T! self -> T!"},
    {"aten.expand.default", "T& self, i[] size, b implicit=False -> T&"},
    {"aten.expand_as.default", "T& self, T other -> T&"},
    {"aten.expm1.default", "T self -> T"},
    {"aten.expm1_.default", "T! self -> T!"},
    {"aten.eye.default", "i n, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.eye.m", "i n, i m, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.feature_dropout.default", "T input, f p, b train -> T"},
    {"aten.feature_dropout_.default", "T! self, f p, b train -> T!"},
    {"aten.fft_fftn.default", "T self, i[]? s=None, i[]? dim=None, s? norm=None -> T"},
    {"aten.fft_irfft.default", "T self, i? n=None, i dim=-1, s? norm=None -> T"},
    {"aten.fft_rfft.default", "T self, i? n=None, i dim=-1, s? norm=None -> T"},
    {"aten.fill.Scalar", "T self, S value -> T"},
    {"aten.fill_.Scalar", "T! self, S value -> T!"},
    {"aten.fill_.Tensor", "T! self, T value -> T!"},
    {"aten.flatten.using_ints", "T& self, i start_dim=0, i end_dim=-1 -> T&"},
    {"aten.flip.default", "T self, i[] dims -> T"},
    {"aten.floor.default", "T self -> T"},
    {"aten.floor_.default", "T! self -> T!"},
    {"aten.floor_divide.default", "T self, T other -> T"},
    {"aten.fmod.Scalar", "T self, S other -> T"},
    {"aten.fmod.Tensor", "T self, T other -> T"},
    {"aten.fmod_.Scalar", "T! self, S other -> T!"},
    {"aten.fmod_.Tensor", "T! self, T other -> T!"},
    {"aten.full.default", "i[] size, S fill_value, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.full_like.default", "T self, S fill_value, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, format? memory_format=None -> T"},
    {"aten.gather.default", "T self, i dim, T index, b sparse_grad=False -> T"},
    {"aten.ge.Scalar", "T self, S other -> T"},
    {"aten.ge.Tensor", "T self, T other -> T"},
    {"aten.ge_.Scalar", "T! self, S other -> T!"},
    {"aten.ge_.Tensor", "T! self, T other -> T!"},
    {"aten.gelu.default", "T self, s approximate=none -> T"},
    {"aten.gelu_.default", "T! self, s approximate=none -> T!"},
    {"aten.glu.default", "T self, i dim=-1 -> T"},
    {"aten.grid_sampler.default", "T input, T grid, i interpolation_mode, i padding_mode, b align_corners -> T"},
    {"aten.grid_sampler_2d.default", "T input, T grid, i interpolation_mode, i padding_mode, b align_corners -> T"},
    {"aten.group_norm.default", "T input, i num_groups, T? weight=None, T? bias=None, f eps=1e-05, b cudnn_enabled=True -> T"},
    {"aten.gru.input", "T input, T hx, T[] params, b has_biases, i num_layers, f dropout, b train, b bidirectional, b batch_first -> T, T"},
    {"aten.gru_cell.default", "T input, T hx, T w_ih, T w_hh, T? b_ih=None, T? b_hh=None -> T"},
    {"aten.gt.Scalar", "T self, S other -> T"},
    {"aten.gt.Tensor", "T self, T other -> T"},
    {"aten.gt_.Scalar", "T! self, S other -> T!"},
    {"aten.gt_.Tensor", "T! self, T other -> T!"},
    {"aten.hann_window.default", "i window_length, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.hardshrink.default", "T self, S lambd=0.5 -> T"},
    {"aten.hardsigmoid.default", "T self -> T"},
    {"aten.hardsigmoid_.default", "T! self -> T!"},
    {"aten.hardswish.default", "T self -> T"},
    {"aten.hardswish_.default", "T! self -> T!"},
    {"aten.hardtanh.default", "T self, S min_val=-1, S max_val=1 -> T"},
    {"aten.hardtanh_.default", "T! self, S min_val=-1, S max_val=1 -> T!"},
    {"aten.histc.default", "T self, i bins=100, S min=0, S max=0 -> T"},
    {"aten.im2col.default", "T self, i[] kernel_size, i[] dilation, i[] padding, i[] stride -> T"},
    {"aten.index.Tensor", "T self, T?[] indices -> T"},
    {"aten.index_add.default", "T self, i dim, T index, T source, S alpha=1 -> T"},
    {"aten.index_add_.default", "T! self, i dim, T index, T source, S alpha=1 -> T!"},
    {"aten.index_copy_.default", "T! self, i dim, T index, T source -> T!"},
    {"aten.index_put.default", "T self, T?[] indices, T values, b accumulate=False -> T"},
    {"aten.index_put_.default", "T! self, T?[] indices, T values, b accumulate=False -> T!"},
    {"aten.index_select.default", "T self, i dim, T index -> T"},
    {"aten.instance_norm.default", "T input, T? weight, T? bias, T? running_mean, T? running_var, b use_input_stats, f momentum, f eps, b cudnn_enabled -> T"},
    {"aten.isin.Scalar_Tensor", "S element, T test_elements, b assume_unique=False, b invert=False -> T"},
    {"aten.isin.Tensor_Scalar", "T elements, S test_element, b assume_unique=False, b invert=False -> T"},
    {"aten.isin.Tensor_Tensor", "T elements, T test_elements, b assume_unique=False, b invert=False -> T"},
    {"aten.isinf.default", "T self -> T"},
    {"aten.isnan.default", "T self -> T"},
    {"aten.item.default", "T self -> S"},
    {"aten.kron.default", "T self, T other -> T"},
    {"aten.kthvalue.default", "T self, i k, i dim=-1, b keepdim=False -> T, T"},
    {"aten.layer_norm.default", "T input, i[] normalized_shape, T? weight=None, T? bias=None, f eps=1e-05, b cudnn_enable=True -> T"},
    {"aten.le.Scalar", "T self, S other -> T"},
    {"aten.le.Tensor", "T self, T other -> T"},
    {"aten.le_.Scalar", "T! self, S other -> T!"},
    {"aten.le_.Tensor", "T! self, T other -> T!"},
    {"aten.leaky_relu.default", "T self, S negative_slope=0.01 -> T"},
    {"aten.leaky_relu_.default", "T! self, S negative_slope=0.01 -> T!"},
    {"aten.lerp.Scalar", "T self, T end, S weight -> T"},
    {"aten.lerp_.Scalar", "T! self, T end, S weight -> T!"},
    {"aten.lift_fresh_copy.default", "T self -> T"},
    {"aten.linalg_cholesky_ex.default", "T self, b upper=False, b check_errors=False -> T, T"},
    {"aten.linalg_det.default", "T A -> T"},
    {"aten.linalg_diagonal.default", "T& A, i offset=0, i dim1=-2, i dim2=-1 -> T&"},
    {"aten.linalg_inv.default", "T A -> T"},
    {"aten.linalg_matrix_rank.atol_rtol_float", "T self, f? atol=None, f? rtol=None, b hermitian=False -> T"},
    {"aten.linalg_matrix_rank.atol_rtol_tensor", "T input, T? atol=None, T? rtol=None, b hermitian=False -> T"},
    {"aten.linalg_pinv.atol_rtol_float", "T self, f? atol=None, f? rtol=None, b hermitian=False -> T"},
    {"aten.linalg_pinv.atol_rtol_tensor", "T self, T? atol=None, T? rtol=None, b hermitian=False -> T"},
    {"aten.linalg_solve.default", "T A, T B, b left=True -> T"},
    {"aten.linalg_solve_triangular.default", "T self, T B, b upper, b left=True, b unitriangular=False -> T"},
    {"aten.linalg_vector_norm.default", "T self, S ord=2, i[]? dim=None, b keepdim=False, dtype? dtype=None -> T"},
    {"aten.linear.default", "T input, T weight, T? bias=None -> T"},
    {"aten.linspace.default", "S start, S end, i steps, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.log.default", "T self -> T"},
    {"aten.log10.default", "T self -> T"},
    {"aten.log10_.default", "T! self -> T!"},
    {"aten.log1p.default", "T self -> T"},
    {"aten.log1p_.default", "T! self -> T!"},
    {"aten.log2.default", "T self -> T"},
    {"aten.log2_.default", "T! self -> T!"},
    {"aten.log_.default", "T! self -> T!"},
    {"aten.log_sigmoid.default", "T self -> T"},
    {"aten.log_softmax.int", "T self, i dim, dtype? dtype=None -> T"},
    {"aten.logical_and.default", "T self, T other -> T"},
    {"aten.logical_and_.default", "T! self, T other -> T!"},
    {"aten.logical_not.default", "T self -> T"},
    {"aten.logical_not_.default", "T! self -> T!"},
    {"aten.logical_or.default", "T self, T other -> T"},
    {"aten.logical_or_.default", "T! self, T other -> T!"},
    {"aten.logical_xor.default", "T self, T other -> T"},
    {"aten.logical_xor_.default", "T! self, T other -> T!"},
    {"aten.logsumexp.default", "T self, i[] dim, b keepdim=False -> T"},
    {"aten.lstm.input", "T input, T[] hx, T[] params, b has_biases, i num_layers, f dropout, b train, b bidirectional, b batch_first -> T, T, T"},
    {"aten.lstm_cell.default", "T input, T[] hx, T w_ih, T w_hh, T? b_ih=None, T? b_hh=None -> T, T"},
    {"aten.lt.Scalar", "T self, S other -> T"},
    {"aten.lt.Tensor", "T self, T other -> T"},
    {"aten.lt_.Scalar", "T! self, S other -> T!"},
    {"aten.lt_.Tensor", "T! self, T other -> T!"},
    {"aten.masked_fill.Scalar", "T self, T mask, S value -> T"},
    {"aten.masked_fill_.Scalar", "T! self, T mask, S value -> T!"},
    {"aten.masked_scatter.default", "T self, T mask, T source -> T"},
    {"aten.masked_scatter_.default", "T! self, T mask, T source -> T!"},
    {"aten.matmul.default", "T self, T other -> T"},
    {"aten.max.default", "T self -> T"},
    {"aten.max.dim", "T self, i dim, b keepdim=False -> T, T"},
    {"aten.max_pool1d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0], i[] dilation=[1], b ceil_mode=False -> T"},
    {"aten.max_pool2d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0], i[] dilation=[1,1], b ceil_mode=False -> T"},
    {"aten.max_pool2d_with_indices.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0], i[] dilation=[1,1], b ceil_mode=False -> T, T"},
    {"aten.max_pool2d_with_indices_backward.default", "T grad_output, T self, i[] kernel_size, i[] stride, i[] padding, i[] dilation, b ceil_mode, T indices -> T"},
    {"aten.max_pool3d.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0,0], i[] dilation=[1,1,1], b ceil_mode=False -> T"},
    {"aten.max_pool3d_with_indices.default", "T self, i[] kernel_size, i[] stride=[], i[] padding=[0,0,0], i[] dilation=[1,1,1], b ceil_mode=False -> T, T"},
    {"aten.maximum.default", "T self, T other -> T"},
    {"aten.mean.default", "T self, dtype? dtype=None -> T"},
    {"aten.mean.dim", "T self, i[]? dim, b keepdim=False, dtype? dtype=None -> T"},
    {"aten.median.dim", "T self, i dim, b keepdim=False -> T, T"},
    {"aten.meshgrid.indexing", "T[] tensors, s indexing -> T[]"},
    {"aten.min.dim", "T self, i dim, b keepdim=False -> T, T"},
    {"aten.min.other", "T self, T other -> T"},
    {"aten.minimum.default", "T self, T other -> T"},
    {"aten.mish.default", "T self -> T"},
    {"aten.mish_.default", "T! self -> T!"},
    {"aten.mm.default", "T self, T mat2 -> T"},
    {"aten.movedim.int", "T& self, i source, i destination -> T&"},
    {"aten.mul.Scalar", "T self, S other -> T"},
    {"aten.mul.Tensor", "T self, T other -> T"},
    {"aten.mul_.Scalar", "T! self, S other -> T!"},
    {"aten.mul_.Tensor", "T! self, T other -> T!"},
    {"aten.mv.default", "T self, T vec -> T"},
    {"aten.nan_to_num.default", "T self, f? nan=None, f? posinf=None, f? neginf=None -> T"},
    {"aten.nan_to_num_.default", "T! self, f? nan=None, f? posinf=None, f? neginf=None -> T!"},
    {"aten.narrow.default", "T& self, i dim, i start, i length -> T&"},
    {"aten.native_dropout.default", "T input, f p, b? train -> T, T"},
    {"aten.native_group_norm.default", "T input, T? weight, T? bias, i N, i C, i HxW, i group, f eps -> T, T, T"},
    {"aten.native_group_norm_backward.default", "T grad_out, T input, T mean, T rstd, T? weight, i N, i C, i HxW, i group, b[] output_mask -> T, T, T"},
    {"aten.native_layer_norm.default", "T input, i[] normalized_shape, T? weight, T? bias, f eps -> T, T, T"},
    {"aten.native_layer_norm_backward.default", "T grad_out, T input, i[] normalized_shape, T mean, T rstd, T? weight, T? bias, b[] output_mask -> T, T, T"},
    {"aten.ne.Scalar", "T self, S other -> T"},
    {"aten.ne.Tensor", "T self, T other -> T"},
    {"aten.ne_.Scalar", "T! self, S other -> T!"},
    {"aten.ne_.Tensor", "T! self, T other -> T!"},
    {"aten.neg.default", "T self -> T"},
    {"aten.neg_.default", "T! self -> T!"},
    {"aten.new_ones.default", "T self, i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.new_zeros.default", "T self, i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.nonzero.default", "T self -> T"},
    {"aten.numpy_T.default", "T& self -> T&"},
    {"aten.ones.default", "i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.ones_like.default", "T self, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, format? memory_format=None -> T"},
    {"aten.outer.default", "T self, T vec2 -> T"},
    {"aten.pad.default", "T self, i[] pad, s mode=constant, f? value=None -> T"},
    {"aten.permute.default", "T& self, i[] dims -> T&"},
    {"aten.pixel_shuffle.default", "T self, i upscale_factor -> T"},
    {"aten.pow.Scalar", "S self, T exponent -> T"},
    {"aten.pow.Tensor_Scalar", "T self, S exponent -> T"},
    {"aten.pow.Tensor_Tensor", "T self, T exponent -> T"},
    {"aten.pow_.Scalar", "T! self, S exponent -> T!"},
    {"aten.prelu.default", "T self, T weight -> T"},
    {"aten.prod.default", "T self, dtype? dtype=None -> T"},
    {"aten.prod.dim_int", "T self, i dim, b keepdim=False, dtype? dtype=None -> T"},
    {"aten.rand.default", "i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.randn.default", "i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.randperm.default", "i n, dtype? dtype=4, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.real.default", "T& self -> T&"},
    {"aten.reciprocal.default", "T self -> T"},
    {"aten.reciprocal_.default", "T! self -> T!"},
    {"aten.reflection_pad1d.default", "T self, i[] padding -> T"},
    {"aten.reflection_pad2d.default", "T self, i[] padding -> T"},
    {"aten.reflection_pad3d.default", "T self, i[] padding -> T"},
    {"aten.relu.default", "T self -> T"},
    {"aten.relu_.default", "T! self -> T!"},
    {"aten.remainder.Scalar", "T self, S other -> T"},
    {"aten.remainder.Tensor", "T self, T other -> T"},
    {"aten.remainder_.Scalar", "T! self, S other -> T!"},
    {"aten.remainder_.Tensor", "T! self, T other -> T!"},
    {"aten.repeat.default", "T self, i[] repeats -> T"},
    {"aten.repeat_interleave.self_int", "T self, i repeats, i? dim=None, i? output_size=None -> T"},
    {"aten.replication_pad2d.default", "T self, i[] padding -> T"},
    {"aten.replication_pad3d.default", "T self, i[] padding -> T"},
    {"aten.reshape.default", "T& self, i[] shape -> T&"},
    {"aten.reshape_as.default", "T& self, T other -> T&"},
    {"aten.resize_.default", "T! self, i[] size, format? memory_format=None -> T!"},
    {"aten.rms_norm.default", "T input, i[] normalized_shape, T? weight=None, f? eps=None -> T"},
    {"aten.rnn_relu_cell.default", "T input, T hx, T w_ih, T w_hh, T? b_ih=None, T? b_hh=None -> T"},
    {"aten.rnn_tanh.input", "T input, T hx, T[] params, b has_biases, i num_layers, f dropout, b train, b bidirectional, b batch_first -> T, T"},
    {"aten.rnn_tanh_cell.default", "T input, T hx, T w_ih, T w_hh, T? b_ih=None, T? b_hh=None -> T"},
    {"aten.roll.default", "T self, i[] shifts, i[] dims=[] -> T"},
    {"aten.round.default", "T self -> T"},
    {"aten.round_.default", "T! self -> T!"},
    {"aten.rsqrt.default", "T self -> T"},
    {"aten.rsqrt_.default", "T! self -> T!"},
    {"aten.rsub.Scalar", "T self, S other, S alpha=1 -> T"},
    {"aten.scalar_tensor.default", "S s, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.scaled_dot_product_attention.default", "T query, T key, T value, T? attn_mask=None, f dropout_p=0.0, b is_causal=False, f? scale=None, b enable_gqa=False -> T"},
    {"aten.scatter.src", "T self, i dim, T index, T src -> T"},
    {"aten.scatter.value", "T self, i dim, T index, S value -> T"},
    {"aten.scatter_.src", "T! self, i dim, T index, T src -> T!"},
    {"aten.scatter_.value", "T! self, i dim, T index, S value -> T!"},
    {"aten.scatter_add.default", "T self, i dim, T index, T src -> T"},
    {"aten.scatter_add_.default", "T! self, i dim, T index, T src -> T!"},
    {"aten.scatter_reduce.two", "T self, i dim, T index, T src, s reduce, b include_self=True -> T"},
    {"aten.scatter_reduce_.two", "T! self, i dim, T index, T src, s reduce, b include_self=True -> T!"},
    {"aten.searchsorted.Scalar", "T sorted_sequence, S self, b out_int32=False, b right=False, s? side=None, T? sorter=None -> T"},
    {"aten.searchsorted.Tensor", "T sorted_sequence, T self, b out_int32=False, b right=False, s? side=None, T? sorter=None -> T"},
    {"aten.select.int", "T& self, i dim, i index -> T&"},
    {"aten.select_scatter.default", "T self, T src, i dim, i index -> T"},
    {"aten.selu.default", "T self -> T"},
    {"aten.selu_.default", "T! self -> T!"},
    {"aten.sigmoid.default", "T self -> T"},
    {"aten.sigmoid_.default", "T! self -> T!"},
    {"aten.sign.default", "T self -> T"},
    {"aten.sign_.default", "T! self -> T!"},
    {"aten.silu.default", "T self -> T"},
    {"aten.silu_.default", "T! self -> T!"},
    {"aten.sin.default", "T self -> T"},
    {"aten.sin_.default", "T! self -> T!"},
    {"aten.sinh.default", "T self -> T"},
    {"aten.sinh_.default", "T! self -> T!"},
    {"aten.slice.Tensor", "T& self, i dim=0, i? start=None, i? end=None, i step=1 -> T&"},
    {"aten.slice_scatter.default", "T self, T src, i dim=0, i? start=None, i? end=None, i step=1 -> T"},
    {"aten.softmax.int", "T self, i dim, dtype? dtype=None -> T"},
    {"aten.softplus.default", "T self, S beta=1, S threshold=20 -> T"},
    {"aten.softshrink.default", "T self, S lambd=0.5 -> T"},
    {"aten.sort.default", "T self, i dim=-1, b descending=False -> T, T"},
    {"aten.sort.stable", "T self, b? stable, i dim=-1, b descending=False -> T, T"},
    {"aten.special_expit.default", "T self -> T"},
    {"aten.split.Tensor", "T& self, i split_size, i dim=0 -> T[]&"},
    {"aten.split_with_sizes.default", "T& self, i[] split_sizes, i dim=0 -> T[]&"},
    {"aten.sqrt.default", "T self -> T"},
    {"aten.sqrt_.default", "T! self -> T!"},
    {"aten.square.default", "T self -> T"},
    {"aten.square_.default", "T! self -> T!"},
    {"aten.squeeze.dim", "T& self, i dim -> T&"},
    {"aten.squeeze.dims", "T& self, i[] dim -> T&"},
    {"aten.squeeze_.dim", "T! self, i dim -> T!"},
    {"aten.squeeze_.dims", "T! self, i[] dim -> T!"},
    {"aten.stack.default", "T[] tensors, i dim=0 -> T"},
    {"aten.std.correction", "T self, i[]? dim=None, S? correction=None, b keepdim=False -> T"},
    {"aten.std_mean.correction", "T self, i[]? dim=None, S? correction=None, b keepdim=False -> T, T"},
    {"aten.std_mean.dim", "T self, i[]? dim, b unbiased=True, b keepdim=False -> T, T"},
    {"aten.stft.default", "T self, i n_fft, i? hop_length=None, i? win_length=None, T? window=None, b normalized=False, b? onesided=None, b? return_complex=None, b? align_to_window=None -> T"},
    {"aten.sub.Scalar", "T self, S other, S alpha=1 -> T"},
    {"aten.sub.Tensor", "T self, T other, S alpha=1 -> T"},
    {"aten.sub_.Scalar", "T! self, S other, S alpha=1 -> T!"},
    {"aten.sub_.Tensor", "T! self, T other, S alpha=1 -> T!"},
    {"aten.sum.default", "T self, dtype? dtype=None -> T"},
    {"aten.sum.dim_IntList", "T self, i[]? dim, b keepdim=False, dtype? dtype=None -> T"},
    {"aten.swapaxes.default", "T& self, i axis0, i axis1 -> T&"},
    {"aten.swapaxes_.default", "T! self, i axis0, i axis1 -> T!"},
    {"aten.sym_constrain_range.default", "S size, i? min=None, i? max=None ->"},
    {"aten.sym_constrain_range_for_size.default", "S size, i? min=None, i? max=None ->"},
    {"aten.sym_is_contiguous.default", "T self, format memory_format=0 -> b"},
    {"aten.sym_numel.default", "T self -> i"},
    {"aten.sym_size.int", "T self, i dim -> i"},
    {"aten.sym_storage_offset.default", "T self -> i"},
    {"aten.sym_stride.int", "T self, i dim -> i"},
    {"aten.t.default", "T& self -> T&"},
    {"aten.t_.default", "T! self -> T!"},
    {"aten.take.default", "T self, T index -> T"},
    {"aten.tan.default", "T self -> T"},
    {"aten.tan_.default", "T! self -> T!"},
    {"aten.tanh.default", "T self -> T"},
    {"aten.tanh_.default", "T! self -> T!"},
    {"aten.tensor_split.sections", "T& self, i sections, i dim=0 -> T[]&"},
    {"aten.tensordot.default", "T self, T other, i[] dims_self, i[] dims_other -> T"},
    {"aten.threshold.default", "T self, S threshold, S value -> T"},
    {"aten.threshold_.default", "T! self, S threshold, S value -> T!"},
    {"aten.to.device", "T& self, device device, dtype dtype, b non_blocking=False, b copy=False, format? memory_format=None -> T&"},
    {"aten.to.dtype", "T& self, dtype dtype, b non_blocking=False, b copy=False, format? memory_format=None -> T&"},
    {"aten.to.dtype_layout", "T& self, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, b non_blocking=False, b copy=False, format? memory_format=None -> T&"},
    {"aten.topk.default", "T self, i k, i dim=-1, b largest=True, b sorted=True -> T, T"},
    {"aten.trace.default", "T self -> T"},
    {"aten.transpose.int", "T& self, i dim0, i dim1 -> T&"},
    {"aten.trapezoid.dx", "T y, S dx=1, i dim=-1 -> T"},
    {"aten.trapz.dx", "T y, f dx=1.0, i dim=-1 -> T"},
    {"aten.tril.default", "T self, i diagonal=0 -> T"},
    {"aten.tril_.default", "T! self, i diagonal=0 -> T!"},
    {"aten.trunc.default", "T self -> T"},
    {"aten.trunc_.default", "T! self -> T!"},
    {"aten.type_as.default", "T self, T other -> T"},
    {"aten.unbind.int", "T& self, i dim=0 -> T[]&"},
    {"aten.unflatten.int", "T& self, i dim, i[] sizes -> T&"},
    {"aten.unfold.default", "T& self, i dimension, i size, i step -> T&"},
    {"aten.unsqueeze.default", "T& self, i dim -> T&"},
    {"aten.unsqueeze_.default", "T! self, i dim -> T!"},
    {"aten.upsample_bicubic2d.vec", "T input, i[]? output_size, b align_corners, f[]? scale_factors -> T"},
    {"aten.upsample_bilinear2d.vec", "T input, i[]? output_size, b align_corners, f[]? scale_factors -> T"},
    {"aten.upsample_nearest2d.vec", "T input, i[]? output_size, f[]? scale_factors -> T"},
    {"aten.var.correction", "T self, i[]? dim=None, S? correction=None, b keepdim=False -> T"},
    {"aten.var.dim", "T self, i[]? dim, b unbiased=True, b keepdim=False -> T"},
    {"aten.var_mean.correction", "T self, i[]? dim=None, S? correction=None, b keepdim=False -> T, T"},
    {"aten.vdot.default", "T self, T other -> T"},
    {"aten.view.default", "T& self, i[] size -> T&"},
    {"aten.view_as_real.default", "T& self -> T&"},
    {"aten.where.ScalarOther", "T condition, T self, S other -> T"},
    {"aten.where.self", "T condition, T self, T other -> T"},
    {"aten.zero_.default", "T! self -> T!"},
    {"aten.zeros.default", "i[] size, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None -> T"},
    {"aten.zeros_like.default", "T self, dtype? dtype=None, layout? layout=None, device? device=None, b? pin_memory=None, format? memory_format=None -> T"},
};
// clang-format on

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_OPERATOR_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2 {
namespace detail {

struct parameter_word {
  std::string_view word;
  parameter_type type;
};
inline constexpr parameter_word parameter_words[] = {
    {"T", parameter_type::tensor},
    {"i", parameter_type::integer},
    {"f", parameter_type::real},
    {"b", parameter_type::boolean},
    {"s", parameter_type::string},
    {"S", parameter_type::number},
    {"dtype", parameter_type::scalar_type},
    {"layout", parameter_type::layout},
    {"device", parameter_type::device},
    {"format", parameter_type::memory_format},
};

/// Takes what precedes ", " off the front.
[[nodiscard]] inline bool take_parameter(std::string_view& from, parameter& out) noexcept {
  if (from.empty()) return false;
  const std::size_t end = from.find(", ");
  std::string_view part = from.substr(0, end);
  from.remove_prefix(end == from.npos ? from.size() : end + 2);
  const std::size_t space = part.find(' ');
  std::string_view type = part.substr(0, space);
  part.remove_prefix(space == part.npos ? part.size() : space + 1);
  out = {};
  const std::size_t equals = part.find('=');
  out.name = part.substr(0, equals);
  out.has_default = equals != part.npos;
  if (out.has_default) out.default_value = part.substr(equals + 1);
  const auto drop = [&type](std::string_view ending) {
    const bool has =
        type.size() > ending.size() && type.substr(type.size() - ending.size()) == ending;
    if (has) type.remove_suffix(ending.size());
    return has;
  };
  out.is_written = drop("!");
  out.is_aliased = drop("&") || out.is_written;
  out.is_optional = drop("?");
  out.is_list = drop("[]");
  out.has_optional_elements = out.is_list && drop("?");
  for (const parameter_word& w : parameter_words)
    if (w.word == type) out.type = w.type;
  return true;
}

}  // namespace detail

TESSERA_INLINE signature::signature(const operator_row& of) noexcept {
  constexpr std::string_view arrow = "-> ";
  const std::size_t at = of.signature.find(arrow);
  if (at == of.signature.npos) {  // "T self ->": no results
    parameters_ = of.signature.substr(0, of.signature.find(" ->"));
    return;
  }
  parameters_ = of.signature.substr(0, at == 0 ? 0 : at - 1);
  results_ = of.signature.substr(at + arrow.size());
}
TESSERA_INLINE bool signature::next(parameter& out) noexcept {
  return detail::take_parameter(parameters_, out);
}
TESSERA_INLINE bool signature::next_result(parameter& out) noexcept {
  return detail::take_parameter(results_, out);
}

TESSERA_INLINE view<operator_row> operators() noexcept {
  return {detail::operator_rows, sizeof detail::operator_rows / sizeof detail::operator_rows[0]};
}
TESSERA_INLINE const operator_row* find_operator(std::string_view name) noexcept {
  const view<operator_row> all = operators();
  const std::size_t i =
      first_not_below(all.data(), all.size(), [&](const operator_row& r) { return r.name < name; });
  return i < all.size() && all[i].name == name ? &all[i] : nullptr;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_OPERATORS_HPP

// ---- tessera/pt2/detail/print.hpp
//
// The bodies of pt2/print.hpp.

#ifndef TESSERA_PT2_DETAIL_PRINT_HPP
#define TESSERA_PT2_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/pt2/detail/verify.hpp
//
// The bodies of pt2/verify.hpp.

#ifndef TESSERA_PT2_DETAIL_VERIFY_HPP
#define TESSERA_PT2_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
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

// ---- tessera/pt2/detail/check.hpp
//
// Whether the indices of a model are in range, and its lists and graphs are trees.

#ifndef TESSERA_PT2_DETAIL_CHECK_HPP
#define TESSERA_PT2_DETAIL_CHECK_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class index_checker {
 public:
  explicit index_checker(const model& m) noexcept : m_(m) {}

  [[nodiscard]] bool run() {
    archive();
    if (ok_) argument_rows();
    if (ok_) graph_rows();
    if (ok_) signature_rows();
    return ok_;
  }

 private:
  template <class T>
  void in(range r, const pool<T>& of) noexcept {
    ok_ = ok_ && r.first <= of.size() && r.count <= of.size() - r.first;
  }
  template <class T>
  void in(std::uint32_t index, const pool<T>& of) noexcept {
    ok_ = ok_ && index < of.size();
  }
  void in(string s) noexcept {
    ok_ = ok_ && s.first <= m_.characters.size() && s.size <= m_.characters.size() - s.first;
  }

  void archive() {
    for (const string s :
         {m_.root, m_.name, m_.torch_version, m_.opset_json, m_.metadata_json, m_.namedtuples_json})
      in(s);
    for (const member& of : m_.members) {
      in(of.name);
      const bool is_owned = of.owned != member::no_data;
      const std::uint64_t first = is_owned ? of.owned : of.data_offset;
      const std::uint64_t all = is_owned ? m_.contents.size() : m_.source.size();
      const std::uint64_t size = is_owned ? of.size : of.stored_size;
      ok_ = ok_ && first <= all && size <= all - first;
    }
    for (const stored_tensor& t : m_.stored) {
      in(t.name);
      in(t.path);
      in(t.member, m_.members);
      if (t.meta != none) in(t.meta, m_.tensors);
    }
    in(m_.weights, m_.stored);
    in(m_.constants, m_.stored);
    ok_ = ok_ && m_.members_by_name.size() <= m_.members.size();
    for (const std::uint32_t i : m_.members_by_name) in(i, m_.members);
  }

  /// Elements of a list come before it, and belong to no other list.
  void argument_rows() {
    pool<bool> owned;
    owned.resize(m_.arguments.size());
    for (std::uint32_t i = 0; i < m_.arguments.size() && ok_; ++i) {
      const argument& a = m_.arguments[i];
      in(a.name);
      in(a.text);
      in(a.class_name);
      const argument_form form = info(a.kind).form;
      if (form == argument_form::integers) in(a.items, m_.integers);
      if (form == argument_form::reals || form == argument_form::complex) in(a.items, m_.reals);
      if (form == argument_form::complex) ok_ = ok_ && a.items.count == 2;
      if (form != argument_form::list && form != argument_form::named) continue;
      in(a.items, m_.arguments);
      ok_ = ok_ && a.items.first + a.items.count <= i;
      for (std::uint32_t k = 0; k < a.items.count && ok_; ++k) {
        bool& taken = owned[a.items.first + k];
        ok_ = !taken && (form == argument_form::named ||
                         m_.arguments[a.items.first + k].kind == info(a.kind).element);
        taken = true;
      }
    }
  }

  /// A body's graph follows the one whose node has it, and belongs to one argument.
  void graph_rows() {
    pool<bool> owned;
    owned.resize(m_.graphs.size());
    ok_ = ok_ && !m_.graphs.empty();
    for (std::uint32_t i = 0; i < m_.graphs.size() && ok_; ++i) {
      const graph& g = m_.graphs[i];
      in(g.inputs, m_.arguments);
      in(g.outputs, m_.arguments);
      in(g.nodes, m_.nodes);
      for (const range r : {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects})
        in(r, m_.values);
      for (std::uint32_t k = 0; k < g.nodes.count && ok_; ++k)
        node_row(m_.nodes[g.nodes.first + k], i, owned);
    }
    for (const node& n : m_.nodes) in_node(n);
    for (const value& v : m_.values) {
      in(v.name);
      in(v.class_name);
      if (v.kind == value_kind::tensor)
        in(v.meta, m_.tensors);
      else if (v.kind != value_kind::custom_object)
        in(v.meta, m_.scalars);
    }
    for (const tensor_meta& t : m_.tensors) {
      in(t.device);
      in(t.sizes, m_.scalars);
      in(t.strides, m_.scalars);
      in(t.storage_offset, m_.scalars);
    }
    for (const scalar& s : m_.scalars) in(s.expression);
    for (const text_entry& e : m_.metadata) in(e.key), in(e.value);
  }
  void in_node(const node& n) {
    in(n.target);
    in(n.name);
    in(n.inputs, m_.arguments);
    in(n.outputs, m_.arguments);
    in(n.metadata, m_.metadata);
  }
  void node_row(const node& n, std::uint32_t graph, pool<bool>& owned) {
    in(n.inputs, m_.arguments);
    if (!ok_) return;
    for (const argument& a : arguments(m_, n.inputs)) {
      if (a.kind != argument_kind::graph) continue;
      ok_ = ok_ && a.integer > std::int64_t{graph} &&
            a.integer < static_cast<std::int64_t>(m_.graphs.size()) &&
            !owned[static_cast<std::size_t>(a.integer)];
      if (ok_) owned[static_cast<std::size_t>(a.integer)] = true;
    }
  }

  void signature_rows() {
    for (const input_spec& s : m_.inputs) in(s.argument, m_.arguments), in(s.target);
    for (const output_spec& s : m_.outputs) in(s.argument, m_.arguments), in(s.target);
    for (const module_call& c : m_.calls) {
      in(c.path);
      in(c.in_spec);
      in(c.out_spec);
      in(c.inputs, m_.arguments);
      in(c.outputs, m_.arguments);
      in(c.argument_names, m_.strings);
    }
    for (const range_constraint& c : m_.constraints) in(c.symbol);
    for (const string s : m_.strings) in(s);
    in(m_.verifiers, m_.strings);
    in(m_.guards, m_.strings);
  }

  const model& m_;
  bool ok_ = true;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE error check(const model& m) {
  return detail::index_checker(m).run() ? error() : error(errc::pt2_index, 0, error_index::whole);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_CHECK_HPP

// ---- tessera/pt2/detail/errors.hpp
//
// The names and messages of PT2's codes, made known to core, and the place of an offset.

#ifndef TESSERA_PT2_DETAIL_ERRORS_HPP
#define TESSERA_PT2_DETAIL_ERRORS_HPP


// ---- tessera/pt2/detail/archive.hpp
//
// The zip of an archive: from its end record by way of the directory to the members.
//
//   end record        22 + comment   50 4b 05 06, counts, size and offset of the directory
//   zip64 locator     20             50 4b 06 07, before it, and the record that it leads to
//   directory entry   46 + …         50 4b 01 02, with CRC, sizes, name and offset of the local header
//   local header      30 + …         50 4b 03 04, the same once more; then the content
//   descriptor        12 to 24       [50 4b 07 08] CRC and sizes, after the content where bit 3 is set

#ifndef TESSERA_PT2_DETAIL_ARCHIVE_HPP
#define TESSERA_PT2_DETAIL_ARCHIVE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

inline constexpr std::uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50,
                               locator_signature = 0x07064b50, entry_signature = 0x02014b50,
                               local_signature = 0x04034b50, descriptor_signature = 0x08074b50;
inline constexpr std::uint64_t end_size = 22, end64_size = 56, locator_size = 20, entry_size = 46,
                               local_size = 30;
inline constexpr std::uint32_t saturated = 0xffffffff;
inline constexpr unsigned flag_descriptor = 1u << 3;
/// Encryption, patches, hidden headers.
inline constexpr unsigned refused_flags = 1u << 0 | 1u << 5 | 1u << 6 | 1u << 13;
inline constexpr std::uint16_t method_stored = 0, method_deflated = 8;

/// Whether a name may be used as a path below a folder.
[[nodiscard]] inline bool is_safe_name(std::string_view name) noexcept {
  if (name.empty() || name[0] == '/' || !is_utf8(name)) return false;
  for (std::size_t first = 0; first <= name.size();) {
    std::size_t end = first;
    for (; end < name.size() && name[end] != '/'; ++end)
      if (name[end] == '\\' || name[end] == '\0') return false;
    const std::string_view part = name.substr(first, end - first);
    if (part == "." || part == ".." || (part.empty() && end != name.size())) return false;
    first = end + 1;
  }
  return true;
}

class archive_reader {
 public:
  archive_reader(bytes in, const limits& limit, model& out) noexcept
      : in_(in), limit_(limit), out_(out) {}

  [[nodiscard]] error read() {
    error e = find_directory();
    if (e.code == errc::ok) e = read_entries();
    if (e.code == errc::ok) e = read_local_headers();
    if (e.code == errc::ok) e = sort_names();
    return e;
  }

 private:
  template <class T>
  [[nodiscard]] T at(std::uint64_t offset) const noexcept {
    return load_le<T>(in_.data() + offset);
  }

  [[nodiscard]] error find_directory() {
    const std::uint64_t size = in_.size();
    if (size < end_size) return {errc::pt2_end, size};
    const std::uint64_t lowest = size > end_size + 0xffff ? size - end_size - 0xffff : 0;
    std::uint64_t end = size - end_size;
    while (at<std::uint32_t>(end) != end_signature ||
           at<std::uint16_t>(end + 20) != size - end - end_size) {
      if (end == lowest) return {errc::pt2_end, size};
      --end;
    }
    if (at<std::uint16_t>(end + 4) != 0 || at<std::uint16_t>(end + 6) != 0 ||
        at<std::uint16_t>(end + 8) != at<std::uint16_t>(end + 10))
      return {errc::pt2_split, end + 4};
    count_ = at<std::uint16_t>(end + 10);
    directory_size_ = at<std::uint32_t>(end + 12);
    directory_ = at<std::uint32_t>(end + 16);
    if (end >= locator_size && at<std::uint32_t>(end - locator_size) == locator_signature) {
      const std::uint64_t locator = end - locator_size;
      if (const error e = read_end64(locator); e.code != errc::ok) return e;
      end = at<std::uint64_t>(locator + 8);
    }
    std::uint64_t directory_end = 0;
    if (!checked_add(directory_, directory_size_, directory_end) || directory_end != end)
      return {errc::pt2_directory, end};
    if (count_ > directory_size_ / entry_size) return {errc::pt2_entry_count, end};
    if (count_ > limit_.max_items || count_ >= none) return {errc::too_many_items, end};
    out_.directory_offset = directory_;
    return {};
  }

  /// The zip64 end record, which repeats the numbers of the end record with 64 bits.
  [[nodiscard]] error read_end64(std::uint64_t locator) {
    const auto record = at<std::uint64_t>(locator + 8);
    if (at<std::uint32_t>(locator + 4) != 0 || at<std::uint32_t>(locator + 16) > 1)
      return {errc::pt2_split, locator + 4};
    if (record > locator || locator - record < end64_size ||
        at<std::uint32_t>(record) != end64_signature ||
        at<std::uint64_t>(record + 4) != locator - record - 12)
      return {errc::pt2_zip64, locator + 8};
    if (at<std::uint32_t>(record + 16) != 0 || at<std::uint32_t>(record + 20) != 0 ||
        at<std::uint64_t>(record + 24) != at<std::uint64_t>(record + 32))
      return {errc::pt2_split, record + 16};
    const auto count = at<std::uint64_t>(record + 32), size = at<std::uint64_t>(record + 40),
               offset = at<std::uint64_t>(record + 48);
    if (count_ != count && count_ != 0xffff) return {errc::pt2_zip64, record + 32};
    if (directory_size_ != size && directory_size_ != saturated)
      return {errc::pt2_zip64, record + 40};
    if (directory_ != offset && directory_ != saturated) return {errc::pt2_zip64, record + 48};
    count_ = count;
    directory_size_ = size;
    directory_ = offset;
    return {};
  }

  [[nodiscard]] error read_entries() {
    const std::uint64_t end = directory_ + directory_size_;
    std::uint64_t p = directory_;
    out_.members.reserve(to_size(count_));
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (end - p < entry_size || at<std::uint32_t>(p) != entry_signature)
        return {errc::pt2_entry, p};
      const std::uint64_t name = at<std::uint16_t>(p + 28), extra = at<std::uint16_t>(p + 30),
                          comment = at<std::uint16_t>(p + 32);
      if (end - p - entry_size < name + extra + comment) return {errc::pt2_entry, p};
      if (const error e = read_entry(p, name, extra); e.code != errc::ok) return e;
      p += entry_size + name + extra + comment;
    }
    return p == end ? error() : error(errc::pt2_entry_count, p);
  }

  [[nodiscard]] error read_entry(std::uint64_t p, std::uint64_t name_size,
                                 std::uint64_t extra_size) {
    const unsigned flags = at<std::uint16_t>(p + 8), method = at<std::uint16_t>(p + 10);
    if ((flags & refused_flags) != 0) return {errc::pt2_encrypted, p + 8};
    if (method != method_stored && method != method_deflated) return {errc::pt2_method, p + 10};
    if (at<std::uint16_t>(p + 34) != 0) return {errc::pt2_split, p + 34};
    const std::string_view name = as_text(in_.subspan(to_size(p + entry_size), to_size(name_size)));
    if (!is_safe_name(name)) return {errc::pt2_name, p + entry_size};
    if (out_.characters.size() + name.size() >= saturated) return {errc::too_many_items, p};
    member m;
    m.name = {static_cast<std::uint32_t>(out_.characters.size()),
              static_cast<std::uint32_t>(name.size())};
    out_.characters << name;
    m.crc = at<std::uint32_t>(p + 16);
    m.stored_size = at<std::uint32_t>(p + 20);
    m.size = at<std::uint32_t>(p + 24);
    m.offset = at<std::uint32_t>(p + 42);
    m.is_deflated = method == method_deflated;
    std::uint64_t* const wide[] = {&m.size, &m.stored_size, &m.offset};
    const error e = read_extra(p + entry_size + name_size, extra_size, wide);
    if (e.code != errc::ok) return e;
    if (!m.is_deflated && m.size != m.stored_size) return {errc::pt2_sizes, p + 20};
    // One byte of deflate data makes at most 1032.
    if (m.is_deflated && m.size / 1032 > m.stored_size) return {errc::pt2_sizes, p + 24};
    out_.members.push_back(m);
    return {};
  }

  /// The fields of an entry that don't fit into 32 bits, from its zip64 field (id 1).
  [[nodiscard]] error read_extra(std::uint64_t p, std::uint64_t size,
                                 std::uint64_t* const (&wide)[3]) const {
    const std::uint64_t end = p + size, start = p;
    std::uint64_t field = 0, field_end = 0;
    while (end - p >= 4) {
      const std::uint64_t length = at<std::uint16_t>(p + 2);
      if (end - p - 4 < length) return {errc::pt2_extra, p};
      if (at<std::uint16_t>(p) == 1) {
        if (field != 0) return {errc::pt2_extra, p};
        field = p + 4;
        field_end = field + length;
      }
      p += 4 + length;
    }
    if (p != end) return {errc::pt2_extra, p};
    for (std::uint64_t* const value : wide) {
      if (*value != saturated) continue;
      if (field == 0 || field_end - field < 8) return {errc::pt2_zip64, start};
      *value = at<std::uint64_t>(field);
      field += 8;
    }
    return {};
  }

  [[nodiscard]] error read_local_headers() {
    pool<std::uint32_t> order;
    order.reserve(out_.members.size());
    for (std::uint32_t i = 0; i < out_.members.size(); ++i) order.push_back(i);
    const member* const m = out_.members.data();
    sort(order.data(), order.size(),
         [m](std::uint32_t a, std::uint32_t b) { return m[a].offset < m[b].offset; });
    std::uint64_t previous_end = 0;
    for (const std::uint32_t i : order) {
      member& of = out_.members[i];
      if (of.offset < previous_end) return {errc::pt2_overlap, of.offset};
      if (previous_end == 0) out_.prefix_size = of.offset;
      if (const error e = read_local_header(of, previous_end); e.code != errc::ok) return e;
    }
    return {};
  }

  [[nodiscard]] error read_local_header(member& m, std::uint64_t& end) const {
    const std::uint64_t p = m.offset;
    if (p > directory_ || directory_ - p < local_size || at<std::uint32_t>(p) != local_signature)
      return {errc::pt2_local_header, p < in_.size() ? p : in_.size()};
    const std::uint64_t name = at<std::uint16_t>(p + 26), extra = at<std::uint16_t>(p + 28);
    m.data_offset = p + local_size + name + extra;
    if (m.data_offset > directory_) return {errc::pt2_local_header, p + 26};
    const unsigned flags = at<std::uint16_t>(p + 6);
    if ((flags & refused_flags) != 0) return {errc::pt2_encrypted, p + 6};
    if (at<std::uint16_t>(p + 8) != (m.is_deflated ? method_deflated : method_stored))
      return {errc::pt2_local_differs, p + 8};
    if (as_text(in_.subspan(to_size(p + local_size), to_size(name))) != text_of(out_, m.name))
      return {errc::pt2_local_differs, p + local_size};
    std::uint64_t stored_size = at<std::uint32_t>(p + 18), size = at<std::uint32_t>(p + 22);
    const auto crc = at<std::uint32_t>(p + 14);
    const bool has_descriptor = (flags & flag_descriptor) != 0;
    if (!has_descriptor || crc != 0 || stored_size != 0 || size != 0) {
      if (crc != m.crc) return {errc::pt2_local_differs, p + 14};
      std::uint64_t offset = 0;
      std::uint64_t* const wide[] = {&size, &stored_size, &offset};
      const error e = read_extra(p + local_size + name, extra, wide);
      if (e.code != errc::ok) return e;
      if (size != m.size || stored_size != m.stored_size) return {errc::pt2_local_differs, p + 18};
    }
    if (m.stored_size > directory_ - m.data_offset) return {errc::pt2_bounds, m.data_offset};
    end = m.data_offset + m.stored_size;
    return has_descriptor ? read_descriptor(m, end) : error();
  }

  /// Moves `end` past the descriptor. Other writers leave it out where the local header has all.
  [[nodiscard]] error read_descriptor(const member& m, std::uint64_t& end) const {
    const auto matches = [&](std::uint64_t p, bool is_wide) {
      if (directory_ - end < p - end + (is_wide ? 20 : 12)) return false;
      const std::uint64_t stored = is_wide ? at<std::uint64_t>(p + 4) : at<std::uint32_t>(p + 4);
      const std::uint64_t size = is_wide ? at<std::uint64_t>(p + 12) : at<std::uint32_t>(p + 8);
      return at<std::uint32_t>(p) == m.crc && stored == m.stored_size && size == m.size;
    };
    const bool is_signed = directory_ - end >= 4 && at<std::uint32_t>(end) == descriptor_signature;
    const std::uint64_t p = end + (is_signed ? 4 : 0);
    if (matches(p, true))
      end = p + 20;
    else if (matches(p, false))
      end = p + 12;
    else if (is_signed)
      return {errc::pt2_descriptor, end};
    return {};
  }

  [[nodiscard]] error sort_names() {
    pool<std::uint32_t>& order = out_.members_by_name;
    order.reserve(out_.members.size());
    for (std::uint32_t i = 0; i < out_.members.size(); ++i) order.push_back(i);
    const auto name = [this](std::uint32_t i) { return text_of(out_, out_.members[i].name); };
    sort(order.data(), order.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    for (std::size_t i = 1; i < order.size(); ++i)
      if (name(order[i]) == name(order[i - 1]))
        return {errc::pt2_duplicate_member, out_.members[order[i]].offset};
    return {};
  }

  bytes in_;
  limits limit_;
  model& out_;
  std::uint64_t count_ = 0, directory_ = 0, directory_size_ = 0;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_ARCHIVE_HPP

// ---- tessera/pt2/detail/pickle.hpp
//
// Interprets the pickles of PyTorch 2.8 and earlier: a dictionary of tensors, whose storages are
// members of the same inner archive (archive/data.pkl, archive/data/0 …). Nothing is ever called: a
// global is a row of a table, and REDUCE with one of them describes a tensor.
//
//   { }                            a dictionary; BUILD's attributes of it are dropped
//   ("storage", torch FloatStorage, "0", "cpu", 12) BINPERSID      a storage: type, key, device, elements
//   _rebuild_tensor_v2(storage, offset, sizes, strides, requires_grad, hooks)      a view of it
//   _rebuild_parameter(tensor, requires_grad, hooks)                               a parameter
//   _rebuild_parameter_with_state(…, attributes)             one that the exporter has left a mark on

#ifndef TESSERA_PT2_DETAIL_PICKLE_HPP
#define TESSERA_PT2_DETAIL_PICKLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/pt2/detail/name_table.hpp
//
// A table of names and what each is the name of.

#ifndef TESSERA_PT2_DETAIL_NAME_TABLE_HPP
#define TESSERA_PT2_DETAIL_NAME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/keyed_hash.hpp
//
// Hashes of values from files, keyed with a number per process that no file can predict.
//
//   std::size_t slot = keyed_hash(name) & mask;
//   std::size_t other = keyed_hash(x, y) & mask;     // of two numbers
//   hash_key key;                                    // keep one when hashing often
//
// Names that collide in one process don't in the next, so no file can make a table slow. Nothing
// that is read or written may depend on a hash: tables are for lookup, not for iteration, and a
// hash is never stored where another library could use it.
//
// The key combines a cycle counter, where the processor has one, and addresses, which systems
// randomize for each process. That hides it from files; it isn't cryptography.
//
// Lifetime:   values.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_KEYED_HASH_HPP
#define TESSERA_CORE_KEYED_HASH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace detail {

/// A product of 128 bits.
struct wide_product {
  std::uint64_t low, high;
  [[nodiscard]] std::uint64_t folded() const noexcept { return low ^ high; }
};
[[nodiscard, gnu::always_inline]] inline wide_product multiplied(std::uint64_t x,
                                                                 std::uint64_t y) noexcept {
#if defined(__SIZEOF_INT128__)
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(x) * y;
  return {static_cast<std::uint64_t>(product), static_cast<std::uint64_t>(product >> 64)};
#else
  const std::uint64_t low_half = 0xffffffff;
  const std::uint64_t low = (x & low_half) * (y & low_half), a = (x >> 32) * (y & low_half),
                      b = (x & low_half) * (y >> 32), high = (x >> 32) * (y >> 32);
  const std::uint64_t middle = (low >> 32) + (a & low_half) + (b & low_half);
  return {middle << 32 | (low & low_half), high + (a >> 32) + (b >> 32) + (middle >> 32)};
#endif
}

/// What the key of a process is made of.
struct hash_entropy {
  std::uint64_t a = 0, b = 0;

  hash_entropy() noexcept {
    static const char place = 0;
    a = mixed(cycles() ^ std::bit_cast<std::uintptr_t>(&place));
    const volatile char on_the_stack = 0;
    b = mixed(a ^ std::bit_cast<std::uintptr_t>(&on_the_stack));
  }
  [[nodiscard]] static std::uint64_t cycles() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    std::uint64_t count = 0;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 30) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
};
[[nodiscard, gnu::noinline]] inline const hash_entropy& process_entropy() noexcept {
  static const hash_entropy once;
  return once;
}

}  // namespace detail

/// The key of this process.
class hash_key {
 public:
  hash_key() noexcept : hash_key(detail::process_entropy()) {}

  /// All bits are equally good. Multiplied twice: with an unlucky key, the products of values in an
  /// arithmetic progression collide.
  [[nodiscard, gnu::always_inline]] std::uint64_t operator()(std::uint64_t x,
                                                             std::uint64_t y) const noexcept {
    const detail::wide_product p = detail::multiplied(x ^ a_, y ^ b_);
    return detail::multiplied(p.low ^ a_, p.high ^ b_).folded();
  }
  /// The hash of characters; other seeds give other hashes.
  [[nodiscard]] std::uint64_t operator()(std::string_view s,
                                         std::uint64_t seed = 0) const noexcept {
    std::uint64_t h = (*this)(s.size(), seed);
    for (; s.size() > 16; s.remove_prefix(16))
      h = detail::multiplied(load_le<std::uint64_t>(s.data()) ^ a_,
                             load_le<std::uint64_t>(s.data() + 8) ^ h)
              .folded();
    char last[16] = {};
    if (!s.empty()) std::memcpy(last, s.data(), s.size());
    return (*this)(load_le<std::uint64_t>(last) ^ h, load_le<std::uint64_t>(last + 8));
  }

 private:
  explicit hash_key(const detail::hash_entropy& from) noexcept : a_(from.a), b_(from.b) {}

  std::uint64_t a_, b_;
};

/// The hash of two numbers, with the key of this process.
[[nodiscard]] inline std::uint64_t keyed_hash(std::uint64_t x, std::uint64_t y = 0) noexcept {
  return hash_key()(x, y);
}
/// `seed` separates names of one kind from those of another.
[[nodiscard]] inline std::uint64_t keyed_hash(std::string_view s, std::uint64_t seed = 0) noexcept {
  return hash_key()(s, seed);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_KEYED_HASH_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class name_table {
 public:
  /// For up to `count` names of a model.
  name_table(const model& m, std::size_t count) : m_(m) {
    std::size_t size = 8;
    while (size < count * 2) size *= 2;
    slots_.resize(size);
  }

  /// False if the name is there already.
  bool insert(string name, std::uint32_t index) {
    slot& s = slots_[place_of(text_of(m_, name))];
    if (s.index != none) return false;
    s = {name, index};
    return true;
  }
  /// `none` where there is no such name.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_[place_of(name)].index;
  }

 private:
  struct slot {
    string name;
    std::uint32_t index = none;
  };
  [[nodiscard]] std::size_t place_of(std::string_view name) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = to_size(key_(name)) & mask;
    while (slots_[i].index != none && text_of(m_, slots_[i].name) != name) i = (i + 1) & mask;
    return i;
  }

  const model& m_;
  hash_key key_;
  pool<slot> slots_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_NAME_TABLE_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// An archive that is a member of another one.
struct inner_archive {
  model zip;  ///< its members; offsets are in its own bytes
  /// Where its bytes begin in the whole archive; of one that was deflated, those of its deflated form.
  std::uint64_t data_offset = 0;
  std::uint64_t owned = member::no_data;  ///< where they begin in model::contents, if there

  /// The same place in the whole archive; in one that was deflated, its beginning.
  [[nodiscard]] std::uint64_t place(std::uint64_t offset) const noexcept {
    return owned == member::no_data ? data_offset + offset : data_offset;
  }
};

class pickle_reader {
 public:
  /// `pickle`: the member of the inner archive that has it.
  pickle_reader(const inner_archive& from, const member& pickle, const limits& limit, model& out)
      : from_(from),
        base_(pickle.data_offset),
        limit_(limit),
        in_(content(from.zip, pickle)),
        m_(out) {
    storage_of_.resize(from.zip.members.size());
  }

  /// Appends to model::stored.
  [[nodiscard]] error read(range& out) {
    out = {static_cast<std::uint32_t>(m_.stored.size()), 0};
    if (in_.size() < 2 || in_[0] != std::byte{0x80} || in_[1] != std::byte{2})
      fail(errc::pt2_pickle_protocol);
    for (at_ = 2; error_.code == errc::ok && !stopped_;) step();
    if (error_.code == errc::ok) take_tensors();
    out.count = static_cast<std::uint32_t>(m_.stored.size()) - out.first;
    return error_;
  }

 private:
  enum class kinds : std::uint8_t {
    mark,
    boolean,
    integer,
    text,
    tuple,
    dictionary,
    global,
    storage,
    tensor
  };
  struct item {
    kinds kind = kinds::mark;
    std::uint32_t index = 0;   ///< of a tuple, dictionary, global, storage, tensor; text: its first
    std::int64_t integer = 0;  ///< of numbers; text: its size

    [[nodiscard]] string text() const noexcept {
      return {index, static_cast<std::uint32_t>(integer)};
    }
  };
  struct tuple_row {
    std::uint32_t first = 0, count = 0;  ///< in items_
    std::uint32_t scalars = none;        ///< in model::scalars, where it was used as sizes
  };
  struct storage_row {
    std::uint32_t member = none;
    element_type type = element_type::unknown;
    std::int64_t elements = 0;
    string key, device;
  };
  struct tensor_row {
    std::uint32_t meta = none, storage = 0;
    bool is_parameter = false;
  };
  struct entry {
    std::uint32_t dictionary = 0, tensor = none;
    bool has_name = false;
    string name;
    std::uint64_t at = 0;
  };

  // ---- the pickle's bytes

  void fail(errc code) { fail(code, start_); }
  void fail(errc code, std::uint64_t at) {
    if (error_.code == errc::ok) error_ = {code, from_.place(base_ + at)};
  }
  [[nodiscard]] bool has(std::uint64_t count) {
    if (count <= in_.size() - at_) return true;
    fail(errc::pt2_pickle_end);
    return false;
  }
  template <class Int>
  [[nodiscard]] Int operand() {
    if (!has(sizeof(Int))) return 0;
    at_ += sizeof(Int);
    return load_le<Int>(in_.data() + at_ - sizeof(Int));
  }
  template <class T>
  bool append(pool<T>& to, const T& row) {
    if (to.size() >= limit_.max_items || to.size() >= none - 1)
      return fail(errc::too_many_items), false;
    to.push_back(row);
    return true;
  }
  [[nodiscard]] string add(std::string_view s) {
    const std::size_t first = m_.characters.size();
    if (s.size() >= none - first) return fail(errc::too_many_items), string();
    m_.characters << s;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(s.size())};
  }

  // ---- the stack

  void push(const item& of) { (void)append(stack_, of); }
  void push(kinds kind, std::size_t index) { push({kind, static_cast<std::uint32_t>(index)}); }
  void push_integer(std::int64_t value) { push({kinds::integer, 0, value}); }
  /// The item so far below the top; a mark where there is none.
  [[nodiscard]] item peek(std::size_t below) const noexcept {
    return below < stack_.size() ? stack_[stack_.size() - 1 - below] : item{};
  }
  void drop(std::size_t count) noexcept { stack_.shrink(stack_.size() - count); }
  /// How many items are above the last mark, which must be there.
  [[nodiscard]] bool count_above_mark(std::size_t& count) {
    for (count = 0; count < stack_.size(); ++count)
      if (peek(count).kind == kinds::mark) return true;
    fail(errc::pt2_pickle_operand);
    return false;
  }
  [[nodiscard]] view<item> items_of(const item& tuple) const noexcept {
    const tuple_row& row = tuples_[tuple.index];
    return {items_.data() + row.first, row.count};
  }
  /// Whether an item is a tuple of items of these kinds.
  template <std::size_t Count>
  [[nodiscard]] bool is_tuple(const item& of, const kinds (&expected)[Count]) const noexcept {
    if (of.kind != kinds::tuple || tuples_[of.index].count != Count) return false;
    for (std::size_t i = 0; i < Count; ++i)
      if (items_of(of)[i].kind != expected[i]) return false;
    return true;
  }

  // ---- opcodes

  void step() {
    start_ = at_;
    if (!has(1)) return;
    switch (pickle_opcode{std::to_integer<std::uint8_t>(in_[at_++])}) {
      case pickle_opcode::mark: return push({});
      case pickle_opcode::empty_tuple: return make_tuple(0);
      case pickle_opcode::stop: return stop();
      case pickle_opcode::binint: return push_integer(operand<std::int32_t>());
      case pickle_opcode::binint1: return push_integer(operand<std::uint8_t>());
      case pickle_opcode::binint2: return push_integer(operand<std::uint16_t>());
      case pickle_opcode::binpersid: return refer_to_storage();
      case pickle_opcode::reduce: return reduce();
      case pickle_opcode::binunicode: return push_text();
      case pickle_opcode::build: return build();
      case pickle_opcode::global: return push_global();
      case pickle_opcode::binget: return get(operand<std::uint8_t>());
      case pickle_opcode::long_binget: return get(operand<std::uint32_t>());
      case pickle_opcode::binput: return put(operand<std::uint8_t>());
      case pickle_opcode::long_binput: return put(operand<std::uint32_t>());
      case pickle_opcode::setitem: return set_items(2);
      case pickle_opcode::tuple: return tuple_above_mark();
      case pickle_opcode::setitems: return set_items_above_mark();
      case pickle_opcode::empty_dict: return push(kinds::dictionary, dictionaries_++);
      case pickle_opcode::proto: break;  // comes first, and only there
      case pickle_opcode::tuple1: return make_tuple(1);
      case pickle_opcode::tuple2: return make_tuple(2);
      case pickle_opcode::tuple3: return make_tuple(3);
      case pickle_opcode::newtrue: return push({kinds::boolean, 0, 1});
      case pickle_opcode::newfalse: return push({kinds::boolean, 0, 0});
      case pickle_opcode::long1: return push_long();
    }
    fail(errc::pt2_pickle_opcode);
  }

  void push_text() {
    const auto size = operand<std::uint32_t>();
    if (error_.code != errc::ok || !has(size)) return;
    const std::string_view s = as_text(in_.subspan(at_, size));
    at_ += size;
    if (!is_utf8(s)) return fail(errc::pt2_pickle_text);
    const string added = add(s);
    push({kinds::text, added.first, added.size});
  }
  /// An integer of up to 8 bytes; longer ones only repeat the sign.
  void push_long() {
    const std::size_t size = operand<std::uint8_t>();
    if (error_.code != errc::ok || !has(size)) return;
    if (size > 8) return fail(errc::pt2_pickle_integer);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::to_integer<std::uint64_t>(in_[at_ + i]) << 8 * i;
    const unsigned unused = 8 * static_cast<unsigned>(8 - size);
    at_ += size;
    push_integer(size == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused);
  }
  void push_global() {
    std::string_view names[2];
    for (std::string_view& name : names) {
      const std::string_view rest = as_text(in_.subspan(at_));
      const std::size_t size = rest.find('\n');
      if (size == rest.npos) return fail(errc::pt2_pickle_end);
      name = rest.substr(0, size);
      at_ += size + 1;
    }
    constexpr std::size_t count = sizeof pickle_globals / sizeof pickle_globals[0];
    for (std::size_t i = 0; i < count; ++i)
      if (pickle_globals[i].module == names[0] && pickle_globals[i].name == names[1])
        return push(kinds::global, i);
    fail(errc::pt2_pickle_global);
  }
  void put(std::uint32_t number) {
    if (error_.code != errc::ok) return;
    const item top = peek(0);
    if (top.kind == kinds::mark) return fail(errc::pt2_pickle_operand);
    if (number > memo_.size()) return fail(errc::pt2_pickle_memo);
    if (number < memo_.size())
      memo_[number] = top;
    else
      (void)append(memo_, top);
  }
  void get(std::uint32_t number) {
    if (error_.code != errc::ok) return;
    if (number >= memo_.size()) return fail(errc::pt2_pickle_memo);
    push(memo_[number]);
  }
  void tuple_above_mark() {
    std::size_t count = 0;
    if (!count_above_mark(count)) return;
    make_tuple(count);
    if (error_.code != errc::ok) return;
    const item made = peek(0);
    drop(2);
    push(made);
  }
  void make_tuple(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (peek(i).kind == kinds::mark) return fail(errc::pt2_pickle_operand);
    if (items_.size() + count >= none) return fail(errc::too_many_items);
    const auto first = static_cast<std::uint32_t>(items_.size());
    items_.append(stack_.data() + stack_.size() - count, count);
    if (!append(tuples_, {first, static_cast<std::uint32_t>(count)})) return;
    drop(count);
    push(kinds::tuple, tuples_.size() - 1);
  }
  void set_items_above_mark() {
    std::size_t count = 0;
    if (!count_above_mark(count)) return;
    if (count % 2 != 0) return fail(errc::pt2_pickle_operand);
    // The mark goes, so that the dictionary is below the items.
    const std::size_t mark = stack_.size() - count - 1;
    for (std::size_t i = mark; i + 1 < stack_.size(); ++i) stack_[i] = stack_[i + 1];
    drop(1);
    set_items(count);
  }
  /// Takes keys and values, which are above their dictionary.
  void set_items(std::size_t count) {
    const item to = peek(count);
    if (to.kind != kinds::dictionary) return fail(errc::pt2_pickle_operand);
    for (std::size_t i = count; i != 0; i -= 2) {
      const item key = peek(i - 1), value = peek(i - 2);
      if (key.kind == kinds::mark || value.kind == kinds::mark)
        return fail(errc::pt2_pickle_operand);
      const std::uint32_t tensor = value.kind == kinds::tensor ? value.index : none;
      (void)append(entries_, {to.index, tensor, key.kind == kinds::text, key.text(), start_});
    }
    drop(count);
  }
  void build() {
    if (peek(0).kind != kinds::dictionary || peek(1).kind != kinds::dictionary)
      return fail(errc::pt2_pickle_operand);
    drop(1);
  }
  void stop() {
    if (at_ != in_.size()) return fail(errc::pt2_pickle_end, at_);
    if (stack_.size() != 1 || peek(0).kind != kinds::dictionary) return fail(errc::pt2_pickle_root);
    stopped_ = true;
  }

  // ---- storages and tensors

  void refer_to_storage() {
    const item top = peek(0);
    if (!is_tuple(top, {kinds::text, kinds::global, kinds::text, kinds::text, kinds::integer}))
      return fail(errc::pt2_pickle_storage);
    const view<item> of = items_of(top);
    const pickle_global_row& type = pickle_globals[of[1].index];
    const std::string_view key = text_of(m_, of[2].text());
    constexpr std::size_t max_key = 20;  // the digits of a number
    if (text_of(m_, of[0].text()) != "storage" || type.kind != global_kind::storage ||
        key.size() > max_key)
      return fail(errc::pt2_pickle_storage);
    tessera::text path;
    path << "data/" << key;
    const std::uint32_t inner = find_member(from_.zip, path);
    if (inner == none) return fail(errc::pt2_no_payload);
    std::uint32_t& number = storage_of_[inner];
    if (number == 0) {
      if (!append_storage(from_.zip.members[inner], of)) return;
      number = static_cast<std::uint32_t>(storages_.size());
    }
    const storage_row& known = storages_[number - 1];
    if (known.type != type.type || known.elements != of[4].integer)
      return fail(errc::pt2_pickle_storage);
    drop(1);
    push(kinds::storage, number - 1);
  }
  /// `of`: the reference to it.
  bool append_storage(const member& inner, view<item> of) {
    storage_row row;
    row.type = pickle_globals[of[1].index].type;
    row.key = of[2].text();
    row.device = of[3].text();
    row.elements = of[4].integer;
    std::int64_t size = 0;
    if (!checked_mul(row.elements, std::int64_t{info(row.type).bytes}, size) || size < 0 ||
        static_cast<std::uint64_t>(size) != inner.size)
      return fail(errc::pt2_storage_size), false;
    if (inner.is_deflated)
      return error_ = {errc::pt2_inner_deflated, from_.place(inner.data_offset)}, false;
    member placed = inner;
    placed.name = add(text_of(from_.zip, inner.name));
    placed.offset = from_.place(inner.offset);
    placed.data_offset = from_.place(inner.data_offset);
    if (from_.owned != member::no_data) placed.owned = from_.owned + inner.data_offset;
    row.member = static_cast<std::uint32_t>(m_.members.size());
    return append(m_.members, placed) && append(storages_, row);
  }

  void reduce() {
    const item arguments = peek(0), callee = peek(1);
    if (arguments.kind != kinds::tuple || callee.kind != kinds::global)
      return fail(errc::pt2_pickle_operand);
    item made;
    switch (pickle_globals[callee.index].kind) {
      case global_kind::dictionary:
        if (tuples_[arguments.index].count != 0) return fail(errc::pt2_pickle_operand);
        made = {kinds::dictionary, dictionaries_++};
        break;
      case global_kind::tensor:
        if (!make_tensor(arguments, made)) return;
        break;
      case global_kind::parameter:
        if (!is_tuple(arguments, {kinds::tensor, kinds::boolean, kinds::dictionary}))
          return fail(errc::pt2_pickle_tensor);
        if (!make_parameter(arguments, made)) return;
        break;
      case global_kind::parameter_with_state:
        if (!is_tuple(arguments,
                      {kinds::tensor, kinds::boolean, kinds::dictionary, kinds::dictionary}))
          return fail(errc::pt2_pickle_tensor);
        if (!make_parameter(arguments, made)) return;
        break;
      case global_kind::storage: return fail(errc::pt2_pickle_operand);
    }
    drop(2);
    push(made);
  }
  bool make_tensor(const item& arguments, item& made) {
    if (!is_tuple(arguments, {kinds::storage, kinds::integer, kinds::tuple, kinds::tuple,
                              kinds::boolean, kinds::dictionary}))
      return fail(errc::pt2_pickle_tensor), false;
    const view<item> of = items_of(arguments);
    const storage_row& storage = storages_[of[0].index];
    tensor_meta t;
    t.type = storage.type;
    t.requires_grad = of[4].integer != 0;
    t.offset = from_.place(base_ + start_);
    if (!device_of(storage.device, t) || !dimensions(of[2], t.sizes) ||
        !dimensions(of[3], t.strides))
      return fail(errc::pt2_pickle_tensor), false;
    t.storage_offset = static_cast<std::uint32_t>(m_.scalars.size());
    return append_scalar(of[1].integer) && append_tensor(t, of[0].index, false, made);
  }
  bool make_parameter(const item& arguments, item& made) {
    const view<item> of = items_of(arguments);
    const tensor_row from = tensors_[of[0].index];
    tensor_meta t = m_.tensors[from.meta];
    t.requires_grad = of[1].integer != 0;
    return append_tensor(t, from.storage, true, made);
  }
  bool append_tensor(const tensor_meta& t, std::uint32_t storage, bool is_parameter, item& made) {
    const tensor_row row{static_cast<std::uint32_t>(m_.tensors.size()), storage, is_parameter};
    made = {kinds::tensor, static_cast<std::uint32_t>(tensors_.size())};
    return append(m_.tensors, t) && append(tensors_, row);
  }
  bool append_scalar(std::int64_t value) {
    scalar s;
    s.integer = value;
    s.offset = from_.place(base_ + start_);
    return append(m_.scalars, s);
  }
  /// A tuple of integers as sizes or strides. Tuples are shared by tensors, and so is what is made of
  /// them; PyTorch's operators have the same maximum.
  [[nodiscard]] bool dimensions(const item& of, range& out) {
    constexpr std::uint32_t max_rank = 64;
    tuple_row& row = tuples_[of.index];
    if (row.count > max_rank) return false;
    for (const item& i : items_of(of))
      if (i.kind != kinds::integer) return false;
    if (row.scalars == none) {
      row.scalars = static_cast<std::uint32_t>(m_.scalars.size());
      for (const item& i : items_of(of))
        if (!append_scalar(i.integer)) return false;
    }
    out = {row.scalars, row.count};
    return true;
  }
  /// "cpu", or "cuda:0".
  [[nodiscard]] bool device_of(string name, tensor_meta& t) const noexcept {
    const std::string_view s = text_of(m_, name);
    const std::size_t colon = s.find(':');
    t.device = name;
    if (colon == s.npos) return true;
    t.device.size = static_cast<std::uint32_t>(colon);
    t.has_device_index = true;
    std::uint32_t index = 0;
    for (const char c : s.substr(colon + 1)) {
      if (c < '0' || c > '9' || index > 9999) return false;
      index = index * 10 + static_cast<std::uint32_t>(c - '0');
    }
    t.device_index = index;
    return colon + 1 < s.size();
  }

  /// The entries of the dictionary that is left when the pickle stops.
  void take_tensors() {
    const std::uint32_t root = stack_[0].index;
    name_table names(m_, entries_.size());
    for (const entry& e : entries_) {
      if (e.dictionary != root) continue;
      if (!e.has_name || e.tensor == none) return fail(errc::pt2_pickle_root, e.at);
      if (!names.insert(e.name, e.tensor)) return fail(errc::pt2_pickle_key, e.at);
      const tensor_row& of = tensors_[e.tensor];
      const storage_row& storage = storages_[of.storage];
      stored_tensor t;
      t.name = e.name;
      t.path = storage.key;
      t.member = storage.member;
      t.meta = of.meta;
      t.is_parameter = of.is_parameter;
      t.offset = m_.tensors[of.meta].offset;
      if (!append(m_.stored, t)) return;
    }
  }

  const inner_archive& from_;
  std::uint64_t base_;
  limits limit_;
  bytes in_;
  model& m_;
  error error_;
  std::size_t at_ = 0, start_ = 0;  // of the next opcode, and of the one that is interpreted
  bool stopped_ = false;
  std::uint32_t dictionaries_ = 0;
  pool<item> stack_, memo_, items_;  // items_: of tuples
  pool<tuple_row> tuples_;
  pool<storage_row> storages_;
  pool<std::uint32_t> storage_of_;  // of the inner archive's members; 1 is the first storage
  pool<tensor_row> tensors_;
  pool<entry> entries_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_PICKLE_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Appends " (with inputs, nodes)": what the object has that lacks something.
[[gnu::cold]] inline void append_members(text& to, std::string_view object) {
  constexpr int max_shown = 12;
  json::reader in(object, {.max_depth = 1024});
  std::string_view key, between = " (with ";
  int shown = 0;
  for (in.object(); shown < max_shown && in.key(key); in.skip(), ++shown) {
    append_shown(to << between, key.substr(0, 40));
    between = ", ";
  }
  if (shown != 0) to << (shown == max_shown ? ", ...)" : ")");
}

/// Appends " (STACK_GLOBAL)", or " (os system)": what a pickle has that is refused.
[[gnu::cold]] inline void append_refused(text& to, errc code, std::string_view pickle) {
  if (pickle.empty()) return;
  if (code == errc::pt2_pickle_opcode)
    for (const pickle_opcode_row& row : pickle_opcodes)
      if (row.byte == static_cast<std::uint8_t>(pickle[0])) to << " (" << row.name << ')';
  if (code != errc::pt2_pickle_global) return;
  constexpr std::size_t max_shown = 100;
  const std::size_t end = pickle.find('\n');
  const std::string_view module = pickle.substr(1, end - 1), name = pickle.substr(end + 1);
  append_shown(to << " (", module.substr(0, max_shown));
  append_shown(to << ' ', name.substr(0, name.find('\n')).substr(0, max_shown));
  to << ')';
}

/// Appends "member m/models/model.json, $.graph_module.graph": the member that an offset is in and,
/// in JSON, the path; in an archive within the archive, its member. Nothing where the archive has no
/// directory.
[[gnu::cold]] inline void append_member_place(text& to, errc code, bytes source,
                                              std::uint64_t offset, bool is_inner = false) {
  model m;
  m.source = source;
  // Whatever is wrong with one member, the others are found.
  (void)archive_reader(source, limits(), m).read();
  for (const member& of : m.members) {
    if (of.data_offset == 0 || offset < of.offset || offset > of.data_offset + of.stored_size ||
        (offset == of.data_offset + of.stored_size && of.size != 0))
      continue;
    const std::string_view name = text_of(m, of.name);
    append_shown(to << (is_inner ? ", " : "member "), name);
    if (of.is_deflated || offset < of.data_offset) return;
    const auto ends_with = [name](std::string_view ending) {
      return name.size() >= ending.size() && name.substr(name.size() - ending.size()) == ending;
    };
    const bytes data = content(m, of);
    const std::uint64_t in_data = offset - of.data_offset;
    if (is_inner) return append_refused(to, code, as_text(data.subspan(to_size(in_data))));
    if (ends_with(".pt")) return append_member_place(to, code, data, in_data, true);
    if (!ends_with(".json")) return;
    const std::string_view json = as_text(data);
    const text path = json::path(json, in_data, {.max_depth = 1024});
    append_shown(to << ", ", path);
    if (code == errc::pt2_missing) append_members(to, json.substr(to_size(in_data)));
    return;
  }
}
[[gnu::cold]] inline void append_place(text& to, const error& e, const std::byte* source,
                                       std::size_t size) {
  append_member_place(to, e.code, {source, size}, e.offset);
}

[[nodiscard]] inline bool is_archive(const std::byte* source, std::size_t size) noexcept {
  return size >= 4 && load_le<std::uint32_t>(source) == local_signature;
}

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_PT2_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(6) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], append_place, nullptr, is_archive};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_ERRORS_HPP

// ---- tessera/pt2/detail/verify_operators.hpp
//
// Whether the arguments and results of a node fit its operator's signature.

#ifndef TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP
#define TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// Whether an argument of this kind may be given for an element of this type. A number is taken
/// as a tensor.
[[nodiscard]] constexpr bool fits(argument_kind k, parameter_type t) noexcept {
  switch (t) {
    case parameter_type::tensor:
      return k == argument_kind::tensor || fits(k, parameter_type::number);
    case parameter_type::integer: return k == argument_kind::integer || k == argument_kind::sym_int;
    case parameter_type::real:
      return k == argument_kind::real || k == argument_kind::sym_float ||
             fits(k, parameter_type::integer);
    case parameter_type::boolean:
      return k == argument_kind::boolean || k == argument_kind::sym_bool;
    case parameter_type::string: return k == argument_kind::string;
    case parameter_type::number:
      return k == argument_kind::complex || fits(k, parameter_type::real) ||
             fits(k, parameter_type::boolean);
    case parameter_type::scalar_type: return k == argument_kind::scalar_type;
    case parameter_type::layout: return k == argument_kind::layout;
    case parameter_type::device: return k == argument_kind::device;
    case parameter_type::memory_format: return k == argument_kind::memory_format;
    case parameter_type::other: break;  // unreachable: no row has another word
  }
  return true;  // unreachable: all types are above
}

/// The same for a list; one without elements may be of any type.
[[nodiscard]] constexpr bool list_fits(const argument& a, parameter_type t,
                                       bool optional_elements) noexcept {
  if (a.items.count == 0 && a.kind == argument_kind::tensors) return true;
  const argument_row& row = info(a.kind);
  if (row.form == argument_form::integers) return fits(argument_kind::integer, t);
  if (row.form == argument_form::reals) return fits(argument_kind::real, t);
  if (row.element == argument_kind::optional_tensor)
    return t == parameter_type::tensor && optional_elements;
  return fits(row.form == argument_form::list ? row.element : a.kind, t);
}

[[nodiscard]] constexpr bool fits(const argument& a, const parameter& p) noexcept {
  if (a.kind == argument_kind::none) return p.is_optional || p.type == parameter_type::other;
  if (a.kind == argument_kind::optional_tensor) return p.type == parameter_type::tensor;
  return p.is_list ? list_fits(a, p.type, p.has_optional_elements) : fits(a.kind, p.type);
}

/// A number that an operator gives is symbolic.
[[nodiscard]] constexpr bool result_fits(const argument& a, const parameter& p) noexcept {
  if (a.kind == argument_kind::none) return true;
  if (p.is_list) return a.kind == argument_kind::tensors;
  if (p.type == parameter_type::tensor) return a.kind == argument_kind::tensor;
  return fits(a.kind, p.type);
}

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_VERIFY_OPERATORS_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

using tessera::detail::findings;

/// The kind of the values that an argument names, if it names one.
[[nodiscard]] constexpr value_kind kind_of_value(argument_kind k) noexcept {
  return k == argument_kind::sym_int         ? value_kind::sym_int
         : k == argument_kind::sym_bool      ? value_kind::sym_bool
         : k == argument_kind::sym_float     ? value_kind::sym_float
         : k == argument_kind::custom_object ? value_kind::custom_object
                                             : value_kind::tensor;
}

/// The bytes that a view needs of its storage, for integer sizes that are not negative; false where
/// that doesn't fit into 64 bits.
[[nodiscard]] inline bool view_bytes(const model& m, const tensor_meta& t, std::uint64_t& out) {
  std::int64_t last = m.scalars[t.storage_offset].integer;
  for (std::uint32_t d = 0; d < t.sizes.count; ++d) {
    const std::int64_t size = m.scalars[t.sizes.first + d].integer;
    if (size == 0) return out = 0, true;
    std::int64_t step = 0;
    if (!checked_mul(size - 1, m.scalars[t.strides.first + d].integer, step) ||
        !checked_add(last, step, last))
      return false;
  }
  const auto elements = static_cast<std::uint64_t>(last) + 1;
  return checked_mul(elements, std::uint64_t{info(t.type).bytes}, out);
}

class verifier {
 public:
  verifier(const model& m, findings& found, pool<std::uint32_t>& values,
           pool<definition>& definitions, pool<std::uint32_t>& stored)
      : m_(m), found_(found), values_(values), definitions_(definitions), stored_(stored) {}

  void run() {
    values_.reserve(m_.arguments.size());
    for (std::size_t i = 0; i < m_.arguments.size(); ++i) values_.push_back(none);
    definitions_.resize(m_.values.size());
    about_archive();
    for (const value& v : m_.values) check_value(v);
    for (std::uint32_t i = 0; i < m_.graphs.size(); ++i) check_graph(i);
    check_signature();
    check_stored();
    check_calls();
    check_constraints();
  }

 private:
  [[nodiscard]] std::string_view text(string s) const noexcept { return text_of(m_, s); }
  findings::writer error(errc code, std::uint64_t offset) {
    return found_.error(code, {.offset = offset});
  }

  void about_archive() {
    if (m_.schema_minor > pt2::schema_minor)
      found_.note(errc::pt2_note_minor, {.offset = m_.schema_offset});
    if (m_.source.empty()) return;
    if (m_.prefix_size != 0) found_.warning(errc::pt2_note_prefix, {.offset = 0});
    if (m_.root.size == 0 && m_.container != container_kind::flat)
      found_.warning(errc::pt2_note_root, {.offset = m_.directory_offset});
    if (!m_.has_byte_order) found_.note(errc::pt2_note_byte_order, {.offset = m_.directory_offset});
  }

  // ---- tensors

  void check_value(const value& v) {
    if (v.kind == value_kind::tensor)
      check_tensor(m_.tensors[v.meta], v.name);
    else if (v.kind != value_kind::custom_object)
      check_scalar(m_.scalars[v.meta], v.name);
  }
  bool check_tensor(const tensor_meta& t, string name) {
    const auto is_wrong = [&](errc code, std::uint64_t offset) {
      error(code, offset).path() << "tensor " << text(name);
      return false;
    };
    if (t.type == element_type::unknown) return is_wrong(errc::pt2_element_type, t.offset);
    if (t.layout != strided_layout) return is_wrong(errc::pt2_layout, t.offset);
    if (t.sizes.count != t.strides.count) return is_wrong(errc::pt2_rank, t.offset);
    bool ok = true;
    for (const range r : {t.sizes, t.strides, range{t.storage_offset, 1}})
      for (const scalar& s : scalars(m_, r)) {
        ok = check_scalar(s, name) && ok;
        if (!s.is_symbolic && s.integer < 0) return is_wrong(errc::pt2_extent, s.offset);
      }
    return ok;
  }
  bool check_scalar(const scalar& s, string name) {
    if (!s.is_symbolic || read_expression(text(s.expression), notation_of(m_.schema_major)))
      return true;
    error(errc::pt2_expression, s.offset).path() << "value " << text(name);
    return false;
  }

  // ---- graphs

  void check_graph(std::uint32_t index) {
    const graph& g = m_.graphs[index];
    const range kinds[] = {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects};
    std::size_t count = 0;
    for (const range r : kinds) count += r.count;
    name_table names(m_, count);
    for (const range r : kinds)
      for (std::uint32_t i = r.first; i < r.first + r.count; ++i)
        if (!names.insert(m_.values[i].name, i)) repeated(m_.values[i].name, m_.values[i].offset);
    names_ = &names;
    graph_ = index;
    node_ = none;
    for (std::uint32_t i = 0; i < g.inputs.count; ++i) define(g.inputs.first + i, i, none);
    for (std::uint32_t i = 0; i < g.nodes.count; ++i) {
      node_ = g.nodes.first + i;
      check_node(m_.nodes[node_]);
    }
    node_ = none;
    for (std::uint32_t i = 0; i < g.outputs.count; ++i) use(g.outputs.first + i);
  }
  void repeated(string name, std::uint64_t offset) {
    place_of_node(error(errc::pt2_value_repeated, offset)
                  << "the value " << text(name) << " is defined twice");
  }

  void check_node(const node& n) {
    if (n.target.size == 0) place_of_node(error(errc::pt2_target, n.offset));
    for (std::uint32_t i = 0; i < n.inputs.count; ++i) use(n.inputs.first + i);
    for (std::uint32_t i = 0; i < n.outputs.count; ++i) {
      const argument& a = m_.arguments[n.outputs.first + i];
      switch (a.kind) {
        case argument_kind::none: break;
        case argument_kind::tensor:
        case argument_kind::sym_int:
        case argument_kind::sym_bool:
        case argument_kind::sym_float:
        case argument_kind::custom_object: define(n.outputs.first + i, i, none); break;
        case argument_kind::tensors:
          for (std::uint32_t k = 0; k < a.items.count; ++k) define(a.items.first + k, i, k);
          break;
        case argument_kind::integer:
        case argument_kind::integers:
        case argument_kind::real:
        case argument_kind::reals:
        case argument_kind::string:
        case argument_kind::strings:
        case argument_kind::sym_ints:
        case argument_kind::scalar_type:
        case argument_kind::memory_format:
        case argument_kind::layout:
        case argument_kind::device:
        case argument_kind::boolean:
        case argument_kind::booleans:
        case argument_kind::sym_bools:
        case argument_kind::graph:
        case argument_kind::optional_tensors:
        case argument_kind::operation:
        case argument_kind::sym_floats:
        case argument_kind::optional_tensor:
        case argument_kind::complex:
        case argument_kind::nested_tensors:
        case argument_kind::integer_lists:
        case argument_kind::named_arguments:
        case argument_kind::real_lists:
          place_of_node(error(errc::pt2_result_kind, a.offset));
          break;
      }
    }
    check_bodies(n);
    if (const operator_row* row = find_operator(short_target(m_, n)); row != nullptr)
      check_operator(n, *row);
  }

  /// Arguments are bound by name; those that equal the default aren't in files.
  void check_operator(const node& n, const operator_row& row) {
    std::uint32_t known = 0;
    signature s(row);
    for (parameter p; s.next(p);) {
      const argument* found = nullptr;
      for (const argument& a : arguments(m_, n.inputs)) {
        if (text(a.name) != p.name) continue;
        ++known;
        if (found != nullptr)
          place_of_argument(error(errc::pt2_argument_repeated, a.offset)
                                << "the argument " << p.name << " is given twice",
                            a);
        else if (!fits(a, p))
          place_of_argument(error(errc::pt2_argument_kind, a.offset)
                                << info(a.kind).variant << " can't be the argument " << p.name
                                << " of " << row.name << '(' << row.signature << ')',
                            a);
        found = &a;
      }
      if (found == nullptr && !p.has_default)
        place_of_node(error(errc::pt2_argument_missing, n.offset)
                      << "the argument " << p.name << " of " << row.name << " is missing");
    }
    if (known != n.inputs.count) unknown_arguments(n, row);
    check_results(n, row, s);
  }
  void unknown_arguments(const node& n, const operator_row& row) {
    for (const argument& a : arguments(m_, n.inputs)) {
      bool is_known = false;
      signature s(row);
      for (parameter p; s.next(p);) is_known = is_known || p.name == text(a.name);
      if (!is_known)
        place_of_argument(error(errc::pt2_argument_unknown, a.offset)
                              << row.name << " has no argument " << text(a.name),
                          a);
    }
  }
  void check_results(const node& n, const operator_row& row, signature& s) {
    std::uint32_t count = 0;
    bool ok = true;
    for (parameter p; s.next_result(p); ++count)
      ok = ok && count < n.outputs.count && result_fits(m_.arguments[n.outputs.first + count], p);
    if (!ok || count != n.outputs.count)
      place_of_node(error(errc::pt2_result, n.offset)
                    << "the results aren't those of " << row.name << '(' << row.signature << ')');
  }

  /// A result or an input of the graph.
  void define(std::uint32_t index, std::uint32_t position, std::uint32_t element) {
    const argument& a = m_.arguments[index];
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text(a.text));
    if (v == none) {
      place_of_node(error(errc::pt2_value_no_meta, a.offset)
                    << "the value " << text(a.text) << " has no metadata in this graph");
      return;
    }
    if (m_.values[v].kind != kind_of_value(a.kind)) wrong_kind(a);
    if (definitions_[v].graph != none) return repeated(a.text, a.offset);
    definitions_[v] = {graph_, node_, position, element, 0};
    values_[index] = v;
  }
  void wrong_kind(const argument& a) {
    place_of_node(error(errc::pt2_value_kind, a.offset)
                  << "the value " << text(a.text) << " isn't of the kind " << info(a.kind).variant);
  }
  /// An argument, or an output of the graph.
  void use(std::uint32_t index) {
    const argument& a = m_.arguments[index];
    const argument_form form = info(a.kind).form;
    if (form == argument_form::list || form == argument_form::named)
      for (std::uint32_t i = 0; i < a.items.count; ++i) use(a.items.first + i);
    if (a.kind == argument_kind::scalar_type &&
        info_of_element(a.integer).type == element_type::unknown)
      place_of_argument(error(errc::pt2_code, a.offset), a);
    if ((a.kind == argument_kind::layout && (a.integer < 0 || a.integer > strided_layout)) ||
        (a.kind == argument_kind::memory_format && (a.integer < 0 || a.integer > 4)))
      place_of_argument(error(errc::pt2_code, a.offset), a);
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text(a.text));
    if (v == none || definitions_[v].graph != graph_) {
      const errc code = v == none ? errc::pt2_value_unknown : errc::pt2_value_late;
      place_of_argument(error(code, a.offset)
                            << "the value " << text(a.text)
                            << (v == none ? " doesn't exist in this graph"
                                          : " is used before the node that defines it: a cycle, or "
                                            "a wrong order"),
                        a);
      return;
    }
    if (m_.values[v].kind != kind_of_value(a.kind)) wrong_kind(a);
    ++definitions_[v].uses;
    values_[index] = v;
  }

  /// Control flow whose arguments are bound to the inputs of its bodies, one by one.
  void check_bodies(const node& n) {
    constexpr std::string_view family = "higher_order.";
    constexpr std::string_view known[] = {"cond",
                                          "while_loop",
                                          "map_impl",
                                          "scan",
                                          "wrap_with_set_grad_enabled",
                                          "wrap_with_autocast"};
    std::string_view target = short_target(m_, n);
    if (target.substr(0, family.size()) != family) return;
    target.remove_prefix(family.size());
    bool is_known = false;
    for (const std::string_view name : known) is_known = is_known || name == target;
    if (!is_known) return;
    std::uint64_t operands = 0;
    for (const argument& a : arguments(m_, n.inputs))
      operands = a.kind == argument_kind::graph     ? 0
                 : a.kind == argument_kind::tensors ? operands + a.items.count
                                                    : operands + 1;
    for (const argument& a : arguments(m_, n.inputs)) {
      if (a.kind != argument_kind::graph) continue;
      const std::uint32_t inputs = m_.graphs[static_cast<std::size_t>(a.integer)].inputs.count;
      if (inputs == operands) continue;
      place_of_node(error(errc::pt2_body, a.offset)
                    << "the body " << text(a.text) << " has " << inputs << " inputs; got "
                    << operands << " arguments");
    }
  }

  /// The path of a finding: "node 12 (relu: aten.relu.default)".
  void place_of_node(findings::writer w) const { (void)node_path(w); }
  void place_of_argument(findings::writer w, const argument& a) const {
    node_path(w);
    if (a.name.size != 0 && node_ != none) w << ", argument " << text(a.name);
  }
  findings::writer node_path(findings::writer w) const {
    w.path();
    if (graph_ != 0) w << "graph " << graph_ << ", ";
    if (node_ == none) return w << "inputs and outputs";
    const node& n = m_.nodes[node_];
    return w << "node " << node_ - m_.graphs[graph_].nodes.first << " (" << text(n.name) << ": "
             << short_target(m_, n) << ')';
  }

  // ---- the signature

  void check_signature() {
    const graph& g = m_.graphs[0];
    stored_.reserve(m_.inputs.size());
    for (std::size_t i = 0; i < m_.inputs.size(); ++i) stored_.push_back(none);
    if (g.inputs.count != m_.inputs.size())
      error(errc::pt2_spec_count, g.offset)
          << "the signature has " << m_.inputs.size() << " inputs, the graph " << g.inputs.count;
    if (g.outputs.count != m_.outputs.size())
      error(errc::pt2_spec_count, g.offset)
          << "the signature has " << m_.outputs.size() << " outputs, the graph " << g.outputs.count;
    for (std::uint32_t i = 0; i < m_.inputs.size() && i < g.inputs.count; ++i) {
      const input_spec& s = m_.inputs[i];
      if (s.kind == input_kind::constant_input) continue;
      bind(s.argument, g.inputs.first + i, s.offset, "input", i);
    }
    for (std::uint32_t i = 0; i < m_.outputs.size() && i < g.outputs.count; ++i)
      bind(m_.outputs[i].argument, g.outputs.first + i, m_.outputs[i].offset, "output", i);
    check_targets();
  }
  /// The argument of a specification is that of the graph.
  void bind(std::uint32_t of_spec, std::uint32_t of_graph, std::uint64_t offset,
            std::string_view what, std::uint32_t i) {
    const argument &a = m_.arguments[of_spec], &b = m_.arguments[of_graph];
    values_[of_spec] = values_[of_graph];
    if (a.is_named == b.is_named && text(a.text) == text(b.text)) return;
    error(errc::pt2_spec_name, offset)
        << what << ' ' << i << " is " << text(a.text) << " in the signature and " << text(b.text)
        << " in the graph";
  }

  /// What inputs are bound to, and what outputs change.
  void check_targets() {
    name_table weights(m_, m_.weights.count), constants(m_, m_.constants.count);
    for (std::uint32_t i = m_.weights.first; i < m_.weights.first + m_.weights.count; ++i)
      weights.insert(m_.stored[i].name, i);
    for (std::uint32_t i = m_.constants.first; i < m_.constants.first + m_.constants.count; ++i)
      constants.insert(m_.stored[i].name, i);
    is_bound_.resize(m_.stored.size());
    name_table parameters(m_, m_.inputs.size()), buffers(m_, m_.inputs.size()),
        users(m_, m_.inputs.size());
    for (std::uint32_t i = 0; i < m_.inputs.size(); ++i) {
      const input_spec& s = m_.inputs[i];
      const name_table* from = &constants;
      bool is_new = true;
      switch (s.kind) {
        case input_kind::user_input: users.insert(m_.arguments[s.argument].text, i); continue;
        case input_kind::token:
        case input_kind::constant_input: continue;
        case input_kind::parameter:
          from = &weights;
          is_new = parameters.insert(s.target, i);
          break;
        case input_kind::buffer:
          if (s.is_persistent) from = &weights;
          is_new = buffers.insert(s.target, i);
          break;
        case input_kind::tensor_constant:
        case input_kind::custom_object: break;
      }
      if (!is_new)
        error(errc::pt2_spec_repeated, s.offset) << "two inputs are bound to " << text(s.target);
      bind_stored(i, from->find(text(s.target)));
    }
    for (const output_spec& s : m_.outputs) {
      const name_table* among = nullptr;
      switch (s.kind) {
        case output_kind::user_output:
        case output_kind::loss_output:
        case output_kind::token: continue;
        case output_kind::buffer_mutation: among = &buffers; break;
        case output_kind::gradient_to_parameter:
        case output_kind::parameter_mutation: among = &parameters; break;
        case output_kind::gradient_to_user_input:
        case output_kind::user_input_mutation: among = &users; break;
      }
      if (among->find(text(s.target)) == none)
        error(errc::pt2_spec_target, s.offset)
            << "no " << info(s.kind).target << " is " << text(s.target);
    }
  }
  void bind_stored(std::uint32_t input, std::uint32_t stored) {
    const input_spec& s = m_.inputs[input];
    stored_[input] = stored;
    if (stored == none) {
      error(errc::pt2_weight_unknown, s.offset)
          << "the archive has no weight or constant " << text(s.target);
      return;
    }
    is_bound_[stored] = true;
    const stored_tensor& t = m_.stored[stored];
    const std::uint32_t v = values_[s.argument];
    if (t.is_pickled || t.meta == none) {
      const bool is_used = v == none || definitions_[v].uses != 0;
      (is_used ? error(errc::pt2_pickled, t.offset)
               : found_.warning(errc::pt2_pickled, {.offset = t.offset}))
          << text(t.name)
          << (is_used ? " is pickled, which is never opened; the program uses it"
                      : " is pickled; nothing uses it");
      return;
    }
    if (v == none || m_.values[v].kind != value_kind::tensor) return;
    const tensor_meta &a = m_.tensors[t.meta], &b = m_.tensors[m_.values[v].meta];
    if (a.type != b.type || !same(a.sizes, b.sizes))
      error(errc::pt2_weight_differs, t.offset)
          << text(t.name) << " differs in type or size from the input " << text(m_.values[v].name);
    else if (!same(a.strides, b.strides))
      found_.warning(errc::pt2_weight_strides, {.offset = t.offset})
          << text(t.name) << " differs in strides from the input " << text(m_.values[v].name);
  }
  [[nodiscard]] bool same(range a, range b) const noexcept {
    if (a.count != b.count) return false;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const scalar &x = m_.scalars[a.first + i], &y = m_.scalars[b.first + i];
      if (x.is_symbolic || y.is_symbolic || x.integer != y.integer) return false;
    }
    return true;
  }

  // ---- weights and constants

  void check_stored() {
    for (std::size_t i = 0; i < m_.stored.size(); ++i) {
      const stored_tensor& t = m_.stored[i];
      if (!is_bound_[i])
        found_.note(errc::pt2_weight_unused, {.offset = t.offset})
            << "no input uses " << text(t.name);
      if (!t.is_pickled && t.meta != none) check_payload(t, m_.tensors[t.meta]);
    }
  }
  void check_payload(const stored_tensor& t, const tensor_meta& meta) {
    for (const range r : {meta.sizes, meta.strides, range{meta.storage_offset, 1}})
      for (const scalar& s : scalars(m_, r))
        if (s.is_symbolic) {
          error(errc::pt2_config_symbolic, s.offset).path() << "tensor " << text(t.name);
          return;
        }
    if (!check_tensor(meta, t.name)) return;
    std::uint64_t needed = 0;
    if (!view_bytes(m_, meta, needed)) {
      error(errc::pt2_extent, meta.offset).path() << "tensor " << text(t.name);
      return;
    }
    const std::uint64_t size = m_.members[t.member].size;
    if (size == 0 && needed != 0)
      error(errc::pt2_payload_empty, t.offset)
          << "the payload of " << text(t.name)
          << " is empty: weights were not saved (fake tensors)";
    else if (size < needed)
      error(errc::pt2_payload_short, t.offset)
          << text(t.name) << " needs " << needed << " bytes; its payload has " << size;
    else if (size % info(meta.type).bytes != 0)
      error(errc::pt2_payload_units, t.offset)
          << "the payload of " << text(t.name) << " has " << size
          << " bytes; expected a multiple of " << unsigned{info(meta.type).bytes};
  }

  // ---- calls and ranges

  void check_calls() {
    if (m_.calls.empty() || m_.calls[0].path.size != 0 || !m_.calls[0].has_signature) {
      error(errc::pt2_no_call, m_.calls.empty() ? m_.graphs[0].offset : m_.calls[0].offset);
      return;
    }
    std::uint64_t inputs = 0, outputs = 0;
    for (const input_spec& s : m_.inputs)
      inputs += s.kind == input_kind::user_input || s.kind == input_kind::constant_input ? 1 : 0;
    for (const output_spec& s : m_.outputs)
      outputs += s.kind == output_kind::user_output || s.kind == output_kind::loss_output ? 1 : 0;
    for (const module_call& c : m_.calls) {
      if (!c.has_signature) continue;
      const bool is_program = &c == m_.calls.data();
      check_tree(c, c.in_spec, is_program, inputs, "inputs");
      check_tree(c, c.out_spec, is_program, outputs, "outputs");
    }
  }
  void check_tree(const module_call& c, string spec, bool is_program, std::uint64_t leaves,
                  std::string_view what) {
    const result<tree> t = read_tree(text(spec));
    if (!t)
      error(errc::pt2_tree, c.offset)
          << "malformed tree of " << what << ", at byte " << t.error().offset;
    else if (is_program && t->leaves != leaves)
      error(errc::pt2_tree_leaves, c.offset)
          << "the tree of " << what << " has " << t->leaves << " leaves, the signature " << leaves;
  }
  void check_constraints() {
    for (const range_constraint& c : m_.constraints)
      if (c.has_min && c.has_max && c.min > c.max)
        error(errc::pt2_range, c.offset)
            << "the range of " << text(c.symbol) << " is empty: " << c.min << " to " << c.max;
  }

  const model& m_;
  findings& found_;
  pool<std::uint32_t>& values_;
  pool<definition>& definitions_;
  pool<std::uint32_t>& stored_;
  pool<bool> is_bound_;                // of model::stored
  const name_table* names_ = nullptr;  // of the graph that is checked
  std::uint32_t graph_ = 0, node_ = none;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<program> verify(model m, const verify_options& options, report* found) {
  detail::findings findings(found, options.max_diagnostics);
  program p;
  p.model_ = std::move(m);
  if (const error e = check(p.model_); e.code != errc::ok) {
    findings.error(e);
    return e;
  }
  detail::verifier(p.model_, findings, p.values_, p.definitions_, p.stored_).run();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_VERIFY_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// What needs no more than the model.
class value_printer {
 public:
  value_printer(text& out, const model& m) : out_(out), m_(m) {}

  void tensor(const tensor_meta& t) {
    out_ << info(t.type).name;
    sizes(t.sizes);
    const scalar& offset = m_.scalars[t.storage_offset];
    if (is_contiguous(t) && !offset.is_symbolic && offset.integer == 0) return;
    sizes(t.strides, " strides [");
    number(offset, " offset ");
  }
  void value_of_argument(const argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: out_ << "None"; break;
      case argument_form::boolean: boolean(a.boolean); break;
      case argument_form::integer:
        if (a.kind == argument_kind::scalar_type)
          out_ << info_of_element(a.integer).name;
        else if (a.kind == argument_kind::integer)
          out_ << a.integer;
        else
          out_ << name_of_code(a);
        break;
      case argument_form::real: real(a.real); break;
      case argument_form::text: quoted(a.text); break;
      case argument_form::value:
      case argument_form::object: shown(a.text); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional:
        if (a.boolean)
          shown(a.text);
        else
          out_ << "None";
        break;
      case argument_form::device:
        shown(a.text);
        if (a.boolean) out_ << ':' << a.integer;
        break;
      case argument_form::graph: out_ << '{', shown(a.text), out_ << '}'; break;
      case argument_form::complex:
        out_ << "complex(", real(m_.reals[a.items.first]), out_ << ", ";
        real(m_.reals[a.items.first + 1]), out_ << ')';
        break;
      case argument_form::integers:
        list(a.items.count, [&](std::uint32_t i) { out_ << m_.integers[a.items.first + i]; });
        break;
      case argument_form::reals:
        list(a.items.count, [&](std::uint32_t i) { real(m_.reals[a.items.first + i]); });
        break;
      case argument_form::list:
      case argument_form::named:
        list(a.items.count, [&](std::uint32_t i) {
          const argument& e = m_.arguments[a.items.first + i];
          if (a.kind == argument_kind::named_arguments) shown(e.name), out_ << '=';
          value_of_argument(e);
        });
        break;
    }
  }

 protected:
  // ---- words and numbers

  void shown(string s) { append_shown(out_, text_of(m_, s)); }
  void quoted(string s) {
    text json;
    json::append_quoted(json, text_of(m_, s));
    append_shown(out_, json);
  }
  void boolean(bool v) { out_ << (v ? "True" : "False"); }
  void real(double v) {
    if (v != v)
      out_ << "nan";
    else if (v - v != 0)
      out_ << (v < 0 ? "-inf" : "inf");
    else
      append_double(out_, v, double_style::python);
  }
  template <class Element>
  void list(std::uint32_t count, Element element) {
    out_ << '[';
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i != 0) out_ << ", ";
      element(i);
    }
    out_ << ']';
  }
  void symbol(const argument& a) {
    if (a.is_named)
      shown(a.text);
    else if (a.kind == argument_kind::sym_int)
      out_ << a.integer;
    else if (a.kind == argument_kind::sym_bool)
      boolean(a.boolean);
    else
      real(a.real);
  }
  [[nodiscard]] static std::string_view name_of_code(const argument& a) noexcept {
    constexpr std::string_view layouts[] = {"unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
                                            "sparse_bsr", "sparse_bsc", "mkldnn",     "strided"};
    constexpr std::string_view formats[] = {"unknown", "contiguous_format", "channels_last",
                                            "channels_last_3d", "preserve_format"};
    const bool is_layout = a.kind == argument_kind::layout;
    if (a.integer < 0 || a.integer >= (is_layout ? 8 : 5)) return "?";
    return is_layout ? layouts[a.integer] : formats[a.integer];
  }
  void number(const scalar& s, std::string_view before = {}) {
    out_ << before;
    if (s.is_symbolic) {
      const result<expression> e =
          read_expression(text_of(m_, s.expression), notation_of(m_.schema_major));
      if (e) print_term(out_, *e, 0, 0);
      if (!e) quoted(s.expression);
    } else if (s.kind == scalar_kind::integer) {
      out_ << s.integer;
    } else if (s.kind == scalar_kind::boolean) {
      boolean(s.integer != 0);
    } else {
      real(s.real);
    }
  }
  void sizes(range r, std::string_view open = "[") {
    out_ << open;
    for (std::uint32_t i = 0; i < r.count; ++i) number(m_.scalars[r.first + i], i == 0 ? "" : ",");
    out_ << ']';
  }
  /// As far as the numbers are known; a dimension of 1 may have any stride.
  [[nodiscard]] bool is_contiguous(const tensor_meta& t) const {
    if (t.sizes.count != t.strides.count) return false;
    std::int64_t expected = 1;
    for (std::uint32_t d = t.sizes.count; d-- > 0;) {
      const scalar &size = m_.scalars[t.sizes.first + d], &stride = m_.scalars[t.strides.first + d];
      if (size.is_symbolic || stride.is_symbolic) return true;
      if (size.integer != 1 && stride.integer != expected) return size.integer == 0;
      if (!checked_mul(expected, size.integer, expected)) return true;
    }
    return true;
  }

  text& out_;
  const model& m_;
};

class program_printer : value_printer {
 public:
  program_printer(text& out, const model& m, const print_options& options)
      : value_printer(out, m),
        options_(options),
        weights_(m, m.weights.count),
        constants_(m, m.constants.count) {
    for (std::uint32_t i = 0; i < m.weights.count; ++i)
      weights_.insert(m.stored[m.weights.first + i].name, m.weights.first + i);
    for (std::uint32_t i = 0; i < m.constants.count; ++i)
      constants_.insert(m.stored[m.constants.first + i].name, m.constants.first + i);
  }

  void print() {
    header();
    for (const range_constraint& c : m_.constraints) constraint(c);
    graph(0, 0);
    for (const output_spec& s : m_.outputs) {
      if (info(s.kind).target.empty()) continue;
      out_ << info(s.kind).variant << ' ';
      quoted(s.target);
      out_ << " = ";
      value_of_argument(m_.arguments[s.argument]);
      out_ << '\n';
    }
  }

 private:
  void counted(std::uint64_t count, std::string_view noun) {
    out_ << ", " << count << ' ' << noun << (count == 1 ? "" : "s");
  }

  // ---- lines

  void header() {
    out_ << "pt2 " << m_.schema_major << '.' << m_.schema_minor << ": ";
    quoted(m_.name);
    if (m_.torch_version.size != 0) out_ << " of PyTorch ", shown(m_.torch_version);
    counted(m_.graphs[0].nodes.count, "node");
    counted(m_.weights.count, "weight");
    counted(m_.constants.count, "constant");
    if (m_.programs > 1) counted(m_.programs, "program");
    out_ << '\n';
  }
  void constraint(const range_constraint& c) {
    shown(c.symbol);
    out_ << " = ";
    if (c.has_min) out_ << c.min;
    out_ << "..";
    if (c.has_max) out_ << c.max;
    out_ << '\n';
  }
  void indent(std::uint32_t depth) {
    for (std::uint32_t i = 0; i < depth && i < 32; ++i) out_ << "  ";
  }

  void graph(std::uint32_t index, std::uint32_t depth) {
    const pt2::graph& g = m_.graphs[index];
    const range kinds[] = {g.tensors, g.sym_ints, g.sym_bools, g.sym_floats, g.objects};
    std::size_t count = 0;
    for (const range r : kinds) count += r.count;
    name_table names(m_, count);
    for (const range r : kinds)
      for (std::uint32_t i = r.first; i < r.first + r.count; ++i)
        names.insert(m_.values[i].name, i);
    names_ = &names;
    for (std::uint32_t i = 0; i < g.inputs.count; ++i) {
      indent(depth);
      defined(m_.arguments[g.inputs.first + i]);
      out_ << " = ";
      if (index == 0 && i < m_.inputs.size())
        input(m_.inputs[i]);
      else
        out_ << "input";
      out_ << '\n';
    }
    for (const pt2::node& n : nodes(m_, g)) {
      node(n, depth);
      for (const argument& a : arguments(m_, n.inputs)) {
        if (a.kind != argument_kind::graph) continue;
        indent(depth + 1);
        shown(a.text);
        out_ << ":\n";
        graph(static_cast<std::uint32_t>(a.integer), depth + 2);
        names_ = &names;
      }
    }
    indent(depth);
    out_ << "return ";
    values(g.outputs, false);
    out_ << '\n';
  }
  /// A name with its type, or its value.
  void defined(const argument& a) {
    value_of_argument(a);
    if (!a.is_named) return;
    const std::uint32_t v = names_->find(text_of(m_, a.text));
    if (v == none) return;
    const value& of = m_.values[v];
    switch (of.kind) {
      case value_kind::tensor: out_ << ": ", tensor(m_.tensors[of.meta]); break;
      case value_kind::sym_int: number(m_.scalars[of.meta], ": int "); break;
      case value_kind::sym_bool: number(m_.scalars[of.meta], ": bool "); break;
      case value_kind::sym_float: number(m_.scalars[of.meta], ": float "); break;
      case value_kind::custom_object: out_ << ": ", shown(of.class_name); break;
    }
  }
  void values(range r, bool with_types) {
    for (std::uint32_t i = 0; i < r.count; ++i) {
      const argument& a = m_.arguments[r.first + i];
      if (i != 0) out_ << ", ";
      if (a.kind == argument_kind::tensors && with_types)
        out_ << '[', values(a.items, true), out_ << ']';
      else if (with_types)
        defined(a);
      else
        value_of_argument(a);
    }
  }
  void input(const input_spec& s) {
    switch (s.kind) {
      case input_kind::user_input: out_ << "input"; return;
      case input_kind::constant_input: out_ << "constant input ", shown(s.target); return;
      case input_kind::token: out_ << "token"; return;
      case input_kind::parameter: out_ << "parameter "; break;
      case input_kind::buffer:
        out_ << (s.is_persistent ? "buffer " : "non-persistent buffer ");
        break;
      case input_kind::tensor_constant: out_ << "constant "; break;
      case input_kind::custom_object: out_ << "object "; break;
    }
    quoted(s.target);
    const bool is_weight =
        s.kind == input_kind::parameter || (s.kind == input_kind::buffer && s.is_persistent);
    const std::uint32_t i = (is_weight ? weights_ : constants_).find(text_of(m_, s.target));
    if (i == none) return;
    const stored_tensor& t = m_.stored[i];
    out_ << " (", shown(t.path);
    out_ << ", " << m_.members[t.member].size << " bytes" << (t.is_pickled ? ", pickled)" : ")");
  }

  void node(const pt2::node& n, std::uint32_t depth) {
    indent(depth);
    if (n.outputs.count != 0) values(n.outputs, true), out_ << " = ";
    append_shown(out_, short_target(m_, n));
    out_ << '(';
    std::string_view between;
    for (const argument& a : arguments(m_, n.inputs)) {
      out_ << between;
      between = ", ";
      if (a.how == passing::keyword) shown(a.name), out_ << '=';
      value_of_argument(a);
    }
    out_ << ')';
    if (options_.modules) comment(module_path(metadata(m_, n, "nn_module_stack")));
    out_ << '\n';
    if (!options_.stack_traces) return;
    std::string_view trace = metadata(m_, n, "stack_trace");
    while (!trace.empty()) {
      const std::size_t end = trace.find('\n');
      indent(depth + 1);
      append_shown(out_ << "# ", trace.substr(0, end));
      out_ << '\n';
      trace.remove_prefix(end == trace.npos ? trace.size() : end + 1);
    }
  }
  void comment(std::string_view s) {
    if (!s.empty()) append_shown(out_ << "  # ", s);
  }
  /// The path of the innermost module: the second field of the last "key,path,type;…".
  [[nodiscard]] static std::string_view module_path(std::string_view stack) noexcept {
    const std::size_t last = stack.rfind(';');
    if (last != stack.npos) stack.remove_prefix(last + 1);
    const std::size_t first = stack.find(',');
    if (first == stack.npos) return {};
    stack.remove_prefix(first + 1);
    return stack.substr(0, stack.find(','));
  }

  print_options options_;
  name_table weights_, constants_;
  const name_table* names_ = nullptr;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE text print(const model& m, const print_options& options) {
  text out;
  if (const error e = check(m); e.code != errc::ok)
    out << "pt2: " << e.name() << '\n';
  else
    detail::program_printer(out, m, options).print();
  return out;
}
TESSERA_INLINE void print(text& out, const model& m, const tensor_meta& t) {
  detail::value_printer(out, m).tensor(t);
}
TESSERA_INLINE void print(text& out, const model& m, const argument& a) {
  detail::value_printer(out, m).value_of_argument(a);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_PRINT_HPP

// ---- tessera/pt2/detail/read.hpp
//
// The bodies of pt2/read.hpp: which members an archive must have, and reading those of one program.

#ifndef TESSERA_PT2_DETAIL_READ_HPP
#define TESSERA_PT2_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/pt2/detail/read_program.hpp
//
// Reads the JSON of a program, and that of the weights and constants. Each function reads as the
// schema does: the members of one structure, which are required, and what the others default to.

#ifndef TESSERA_PT2_DETAIL_READ_PROGRAM_HPP
#define TESSERA_PT2_DETAIL_READ_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// The member of the union for a constant symbol of this kind.
[[nodiscard]] constexpr std::string_view constant_variant(argument_kind k) noexcept {
  return k == argument_kind::sym_int    ? "as_int"
         : k == argument_kind::sym_bool ? "as_bool"
                                        : "as_float";
}

class program_reader {
 public:
  /// `base` is the offset of the JSON in the archive; `is_inflated`: all offsets are the base.
  program_reader(std::string_view json, const limits& limit, std::uint64_t base, bool is_inflated,
                 model& out)
      : limit_(limit),
        base_(base),
        is_inflated_(is_inflated),
        expected_major_(out.schema_major),
        has_bare_reals_(out.schema_major < schema_major || out.schema_minor <= 2),
        in_(json, limit),
        m_(out) {
    if (json.substr(0, 1) == "\xEF") fail(errc::json_expected_object, 0);  // a byte order mark
  }

  [[nodiscard]] error read() {
    program();
    return finish();
  }

  /// Appends to model::stored.
  [[nodiscard]] error read_config(range& out) {
    out.first = count(m_.stored);
    config();
    out.count = count(m_.stored) - out.first;
    return finish();
  }

 private:
  /// Which of an object's required members were there.
  struct required {
    required(program_reader& r, unsigned mask) : reader(r), at(r.offset()), wanted(mask) {}
    ~required() {
      if ((seen & wanted) != wanted) reader.fail(errc::pt2_missing, at);
    }
    required(const required&) = delete;
    required& operator=(const required&) = delete;
    program_reader& reader;
    std::uint64_t at;
    unsigned wanted, seen = 0;
  };

  // What is called at many places, and would take long to compile at each.
  [[gnu::noinline]] void object() { in_.object(); }
  [[gnu::noinline]] void array() { in_.array(); }
  [[nodiscard, gnu::noinline]] bool next(std::string_view& key) { return in_.key(key); }
  [[nodiscard, gnu::noinline]] bool element() { return in_.element(); }
  [[nodiscard, gnu::noinline]] json::kind peek() { return in_.peek(); }
  [[nodiscard, gnu::noinline]] std::uint64_t offset() { return in_.offset(); }
  [[nodiscard, gnu::noinline]] std::int64_t integer() { return in_.int64(); }
  [[nodiscard, gnu::noinline]] bool boolean() { return in_.boolean(); }
  [[nodiscard, gnu::noinline]] string text() { return add(in_.string()); }
  [[gnu::noinline]] std::string_view skip() { return in_.skip(); }
  [[gnu::cold, gnu::noinline]] void fail(errc code, std::uint64_t at) { in_.fail(code, at); }

  [[nodiscard]] error finish() {
    error e = in_.finish();
    if (e.code != errc::ok) e.offset = is_inflated_ ? base_ : base_ + e.offset;
    return e;
  }
  [[nodiscard]] std::uint64_t here() { return is_inflated_ ? base_ : base_ + offset(); }
  template <class T>
  [[nodiscard]] static std::uint32_t count(const pool<T>& of) noexcept {
    return static_cast<std::uint32_t>(of.size());
  }
  /// A new entry of a pool, of a list that begins at `first`.
  template <class T>
  void append(pool<T>& to, const T& row, std::size_t first) {
    if (to.size() - first >= limit_.max_items || to.size() >= none - 1)
      fail(errc::too_many_items, offset());
    else
      to.push_back(row);
  }
  /// A new entry that isn't of a list.
  template <class T>
  [[nodiscard]] std::uint32_t append(pool<T>& to, const T& row) {
    append(to, row, to.size());
    return count(to) - 1;
  }
  [[nodiscard]] string add(std::string_view s) {
    const std::size_t first = m_.characters.size();
    if (s.size() >= none - first) return fail(errc::too_many_items, offset()), string();
    m_.characters << s;
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(s.size())};
  }
  [[nodiscard]] bool accept_null() {
    if (peek() != json::kind::null) return false;
    in_.null();
    return true;
  }
  /// The text of an object, which nothing here looks into.
  [[nodiscard]] string verbatim_object() {
    if (peek() != json::kind::object) fail(errc::json_expected_object, offset());
    return add(skip());
  }
  [[nodiscard]] range strings() {
    range r{count(m_.strings), 0};
    for (array(); element();) append(m_.strings, text(), r.first);
    r.count = count(m_.strings) - r.first;
    return r;
  }
  [[nodiscard]] double real() {
    constexpr double infinity = tessera::detail::infinity;
    struct named_real {
      std::string_view name;
      double value;
    };
    const named_real reals[] = {
        {"Infinity", infinity}, {"-Infinity", -infinity}, {"NaN", infinity - infinity}};
    if (peek() == json::kind::string) {
      const std::uint64_t at = offset();
      const std::string_view s = in_.string();
      for (const named_real& r : reals)
        if (s == r.name) return r.value;
      fail(errc::pt2_real, at);
    } else if (has_bare_reals_) {
      const std::string_view rest = in_.rest();
      for (const named_real& r : reals)
        if (rest.substr(0, r.name.size()) == r.name)
          return in_.resume(rest.data() + r.name.size()), r.value;
    }
    return in_.number().value;
  }
  /// The value of as_none.
  void no_value() {
    const std::uint64_t at = offset();
    if (expected_major_ == schema_major && !boolean()) fail(errc::pt2_none, at);
    if (expected_major_ == schema_major) return;
    array();
    if (element()) fail(errc::pt2_none, at);
  }
  /// Enters a union. True: its variant is in `key`, and the value is to be read; then leave().
  [[nodiscard]] bool enter(std::string_view& key) {
    const std::uint64_t at = offset();
    object();
    if (next(key)) return true;
    fail(errc::pt2_union, at);
    return false;
  }
  void leave(std::uint64_t at) {
    std::string_view key;
    if (next(key)) fail(errc::pt2_union, at);
  }

  // ---- values

  /// A SymInt, SymFloat or SymBool.
  [[nodiscard]] scalar symbolic(scalar_kind kind) {
    scalar s;
    s.kind = kind;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    if (key == "as_expr") {
      s.is_symbolic = true;
      symbolic_expression(s);
    } else {
      number(s, key, at);
    }
    leave(at);
    return s;
  }
  void symbolic_expression(scalar& s) {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "expr_str") {
        all.seen |= 1;
        s.expression = text();
      } else if (key == "hint") {
        if (accept_null()) continue;
        const std::uint64_t at = offset();
        if (!enter(key)) return;
        s.has_hint = true;
        number(s, key, at);
        leave(at);
      } else {
        skip();
      }
    }
  }
  /// The value of as_int, as_float or as_bool.
  void number(scalar& s, std::string_view variant, std::uint64_t at) {
    if (s.kind == scalar_kind::integer && variant == "as_int")
      s.integer = integer();
    else if (s.kind == scalar_kind::real && variant == "as_float")
      s.real = real();
    else if (s.kind == scalar_kind::boolean && variant == "as_bool")
      s.integer = boolean() ? 1 : 0;
    else
      fail(errc::pt2_variant, at);
  }
  [[nodiscard]] range dimensions() {
    range r{count(m_.scalars), 0};
    for (array(); element();) append(m_.scalars, symbolic(scalar_kind::integer), r.first);
    r.count = count(m_.scalars) - r.first;
    return r;
  }
  void device(string& type, bool& has_index, std::int64_t& index) {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "type") {
        all.seen |= 1;
        type = text();
      } else if (key == "index") {
        has_index = !accept_null();
        if (has_index) index = integer();
      } else {
        skip();
      }
    }
  }
  [[nodiscard]] std::uint32_t tensor() {
    tensor_meta t;
    t.offset = here();
    required all(*this, 127);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "dtype") {
        all.seen |= 1;
        const std::uint64_t at = offset();
        t.type = info_of_element(integer()).type;
        if (t.type == element_type::unknown) fail(errc::pt2_element_type, at);
      } else if (key == "sizes") {
        all.seen |= 2;
        t.sizes = dimensions();
      } else if (key == "requires_grad") {
        all.seen |= 4;
        t.requires_grad = boolean();
      } else if (key == "device") {
        all.seen |= 8;
        device(t.device, t.has_device_index, t.device_index);
      } else if (key == "strides") {
        all.seen |= 16;
        t.strides = dimensions();
      } else if (key == "storage_offset") {
        all.seen |= 32;
        t.storage_offset = append(m_.scalars, symbolic(scalar_kind::integer));
      } else if (key == "layout") {
        all.seen |= 64;
        t.layout = in_.integer<std::uint8_t>(0, 255);
      } else {
        skip();
      }
    }
    return append(m_.tensors, t);
  }

  // ---- arguments

  /// A union of one of the kinds.
  [[nodiscard]] argument read_argument() {
    argument a;
    a.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return a;
    const argument_row* row = nullptr;
    for (const argument_row& r : argument_kinds)
      if (r.variant == key) row = &r;
    if (row == nullptr) return fail(errc::pt2_variant, at), a;
    a.kind = row->kind;
    argument_value(a);
    leave(at);
    return a;
  }
  /// What is written for an argument of a known kind.
  void argument_value(argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: no_value(); break;
      case argument_form::boolean: a.boolean = boolean(); break;
      case argument_form::integer: a.integer = integer(); break;
      case argument_form::real: a.real = real(); break;
      case argument_form::text: a.text = text(); break;
      case argument_form::value:
      case argument_form::object: value_name(a); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional: optional(a); break;
      case argument_form::device: device(a.text, a.boolean, a.integer); break;
      case argument_form::graph: body(a); break;
      case argument_form::complex: complex(a); break;
      case argument_form::integers:
        a.items.first = count(m_.integers);
        for (array(); element();) append(m_.integers, integer(), a.items.first);
        a.items.count = count(m_.integers) - a.items.first;
        break;
      case argument_form::reals:
        a.items.first = count(m_.reals);
        for (array(); element();) append(m_.reals, real(), a.items.first);
        a.items.count = count(m_.reals) - a.items.first;
        break;
      case argument_form::list: elements(a); break;
      case argument_form::named: named(a); break;
    }
  }
  /// {"name": …}, and "class_fqn" of objects.
  void value_name(argument& a) {
    const bool is_object = a.kind == argument_kind::custom_object;
    a.is_named = true;
    required all(*this, is_object ? 3 : 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name")
        all.seen |= 1, a.text = text();
      else if (key == "class_fqn" && is_object)
        all.seen |= 2, a.class_name = text();
      else
        skip();
    }
  }
  void symbol(argument& a) {
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return;
    if (key == "as_name") {
      a.is_named = true;
      a.text = text();
    } else if (key != constant_variant(a.kind)) {
      return fail(errc::pt2_variant, at);
    } else if (a.kind == argument_kind::sym_int) {
      a.integer = integer();
    } else if (a.kind == argument_kind::sym_bool) {
      a.boolean = boolean();
    } else {
      a.real = real();
    }
    leave(at);
  }
  void optional(argument& a) {
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return;
    if (key == "as_tensor") {
      a.boolean = true;
      value_name(a);
    } else if (key == "as_none") {
      no_value();
    } else {
      return fail(errc::pt2_variant, at);
    }
    leave(at);
  }
  void complex(argument& a) {
    double parts[2] = {};
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "real")
        all.seen |= 1, parts[0] = real();
      else if (key == "imag")
        all.seen |= 2, parts[1] = real();
      else
        skip();
    }
    a.items = {count(m_.reals), 2};
    for (const double part : parts) append(m_.reals, part, a.items.first);
  }
  /// A list of values of one kind. Where these have parts of their own, they wait until all are read.
  void elements(argument& a) {
    argument e;
    e.kind = info(a.kind).element;
    const std::size_t waiting = waiting_.size();
    for (array(); element();) {
      argument one = e;
      one.offset = here();
      argument_value(one);
      append(waiting_, one, waiting);
    }
    a.items = settle(waiting);
  }
  void named(argument& a) {
    const std::size_t waiting = waiting_.size();
    std::string_view key;
    for (object(); next(key);) {
      const string name = add(key);
      argument one = read_argument();
      one.name = name;
      append(waiting_, one, waiting);
    }
    a.items = settle(waiting);
  }
  /// Moves the arguments that wait to the model, where they are a range.
  [[nodiscard]] range settle(std::size_t first) {
    const range r{count(m_.arguments), static_cast<std::uint32_t>(waiting_.size() - first)};
    if (m_.arguments.size() >= none - r.count) return fail(errc::too_many_items, offset()), range();
    m_.arguments.append(waiting_.data() + first, r.count);
    waiting_.shrink(first);
    return r;
  }
  [[nodiscard]] range argument_list() {
    const std::size_t waiting = waiting_.size();
    for (array(); element();) append(waiting_, read_argument(), waiting);
    return settle(waiting);
  }
  /// The body of a higher-order operator.
  void body(argument& a) {
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name")
        all.seen |= 1, a.text = text();
      else if (key == "graph")
        all.seen |= 2, a.integer = graph();
      else
        skip();
    }
  }

  // ---- graphs

  [[nodiscard]] std::uint32_t graph() {
    const std::uint32_t index = append(m_.graphs, pt2::graph());
    pt2::graph g;
    g.offset = here();
    required all(*this, 63);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "inputs")
        all.seen |= 1, g.inputs = argument_list();
      else if (key == "outputs")
        all.seen |= 2, g.outputs = argument_list();
      else if (key == "nodes")
        all.seen |= 4, g.nodes = node_list();
      else if (key == "tensor_values")
        all.seen |= 8, g.tensors = values(value_kind::tensor);
      else if (key == "sym_int_values")
        all.seen |= 16, g.sym_ints = values(value_kind::sym_int);
      else if (key == "sym_bool_values")
        all.seen |= 32, g.sym_bools = values(value_kind::sym_bool);
      else if (key == "sym_float_values")
        g.sym_floats = values(value_kind::sym_float);
      else if (key == "custom_obj_values")
        g.objects = values(value_kind::custom_object);
      else if (key == "is_single_tensor_return")
        g.is_single_tensor_return = boolean();
      else
        skip();
    }
    if (!in_.failed()) m_.graphs[index] = g;
    return index;
  }
  [[nodiscard]] range values(value_kind kind) {
    range r{count(m_.values), 0};
    std::string_view key;
    for (object(); next(key);) {
      value v;
      v.name = add(key);
      v.kind = kind;
      v.offset = here();
      switch (kind) {
        case value_kind::tensor: v.meta = tensor(); break;
        case value_kind::sym_int: v.meta = one_scalar(scalar_kind::integer); break;
        case value_kind::sym_bool: v.meta = one_scalar(scalar_kind::boolean); break;
        case value_kind::sym_float: v.meta = one_scalar(scalar_kind::real); break;
        case value_kind::custom_object: {
          argument a;
          a.kind = argument_kind::custom_object;
          value_name(a);
          v.class_name = a.class_name;
          break;
        }
      }
      append(m_.values, v, r.first);
    }
    r.count = count(m_.values) - r.first;
    return r;
  }
  [[nodiscard]] std::uint32_t one_scalar(scalar_kind kind) {
    return append(m_.scalars, symbolic(kind));
  }
  [[nodiscard]] range node_list() {
    const std::size_t waiting = waiting_nodes_.size();
    for (array(); element();) append(waiting_nodes_, read_node(), waiting);
    const range r{count(m_.nodes), static_cast<std::uint32_t>(waiting_nodes_.size() - waiting)};
    m_.nodes.append(waiting_nodes_.data() + waiting, r.count);
    waiting_nodes_.shrink(waiting);
    return r;
  }
  [[nodiscard]] node read_node() {
    node n;
    n.offset = here();
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "target") {
        all.seen |= 1;
        n.target = text();
      } else if (key == "inputs") {
        all.seen |= 2;
        const std::size_t waiting = waiting_.size();
        for (array(); element();) append(waiting_, node_input(), waiting);
        n.inputs = settle(waiting);
      } else if (key == "outputs") {
        all.seen |= 4;
        n.outputs = argument_list();
      } else if (key == "metadata") {
        all.seen |= 8;
        n.metadata.first = count(m_.metadata);
        for (object(); next(key);) {
          const string name = add(key);
          append(m_.metadata, {name, text()}, n.metadata.first);
        }
        n.metadata.count = count(m_.metadata) - n.metadata.first;
      } else if (key == "is_hop_single_tensor_return") {
        if (!accept_null()) n.is_single_tensor_return = boolean() ? 1 : 0;
      } else if (key == "name") {
        n.has_name = !accept_null();
        if (n.has_name) n.name = text();
      } else {
        skip();
      }
    }
    return n;
  }
  [[nodiscard]] argument node_input() {
    argument a;
    string name;
    passing how = passing::absent;
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "name") {
        all.seen |= 1;
        name = text();
      } else if (key == "arg") {
        all.seen |= 2;
        a = read_argument();
      } else if (key == "kind") {
        if (accept_null()) continue;
        const std::int64_t code = integer();
        how = code == 1 ? passing::positional : code == 2 ? passing::keyword : passing::unknown;
      } else {
        skip();
      }
    }
    a.name = name;
    a.how = how;
    return a;
  }

  // ---- the program

  void program() {
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "graph_module")
        all.seen |= 1, graph_module();
      else if (key == "opset_version")
        all.seen |= 2, m_.opset_json = verbatim_object();
      else if (key == "range_constraints")
        all.seen |= 4, range_constraints();
      else if (key == "schema_version")
        all.seen |= 8, schema_version();
      else if (key == "verifiers")
        m_.verifiers = strings();
      else if (key == "torch_version")
        m_.torch_version = text();
      else if (key == "guards_code")
        m_.guards = strings();
      else
        skip();
    }
  }
  void config() {
    required all(*this, 1);
    std::string_view key;
    for (object(); next(key);) {
      if (key != "config") {
        skip();
        continue;
      }
      all.seen |= 1;
      for (object(); next(key);) stored(key);
    }
  }
  void graph_module() {
    required all(*this, 7);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "graph") {
        all.seen |= 1;
        (void)graph();
      } else if (key == "signature") {
        all.seen |= 2;
        signature();
      } else if (key == "module_call_graph") {
        all.seen |= 4;
        for (array(); element();) module_call();
      } else if (key == "metadata") {
        m_.metadata_json = verbatim_object();
      } else if (key == "treespec_namedtuple_fields") {
        m_.namedtuples_json = verbatim_object();
      } else {
        skip();
      }
    }
  }
  void signature() {
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "input_specs") {
        all.seen |= 1;
        for (array(); element();) append(m_.inputs, read_input_spec(), 0);
      } else if (key == "output_specs") {
        all.seen |= 2;
        for (array(); element();) append(m_.outputs, read_output_spec(), 0);
      } else {
        skip();
      }
    }
  }
  /// The row of a variant; the number of rows where there is none.
  template <std::size_t Size>
  [[nodiscard]] static std::size_t row_of(const spec_row (&rows)[Size],
                                          std::string_view variant) noexcept {
    std::size_t i = 0;
    while (i < Size && rows[i].variant != variant) ++i;
    return i;
  }
  [[nodiscard]] input_spec read_input_spec() {
    input_spec s;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    const std::size_t row = row_of(input_kinds, key);
    if (row == sizeof input_kinds / sizeof input_kinds[0]) return fail(errc::pt2_variant, at), s;
    s.kind = static_cast<input_kind>(row);
    argument a;
    if (s.kind == input_kind::constant_input) {
      required all(*this, 3);
      for (object(); next(key);) {
        if (key == "name")
          all.seen |= 1, s.target = text();
        else if (key == "value")
          all.seen |= 2, a = read_argument();
        else
          skip();
      }
    } else {
      a = bound(info(s.kind), s.kind == input_kind::user_input, s.kind == input_kind::custom_object,
                s.target, s.kind == input_kind::buffer ? &s.is_persistent : nullptr);
    }
    s.argument = append(m_.arguments, a);
    leave(at);
    return s;
  }
  [[nodiscard]] output_spec read_output_spec() {
    output_spec s;
    s.offset = here();
    const std::uint64_t at = offset();
    std::string_view key;
    if (!enter(key)) return s;
    const std::size_t row = row_of(output_kinds, key);
    if (row == sizeof output_kinds / sizeof output_kinds[0]) return fail(errc::pt2_variant, at), s;
    s.kind = static_cast<output_kind>(row);
    s.argument = append(m_.arguments, bound(info(s.kind), s.kind == output_kind::user_output, false,
                                            s.target, nullptr));
    leave(at);
    return s;
  }
  /// {"arg": …, TARGET: …, "persistent": …}; the argument is any, or the name of a tensor or object.
  [[nodiscard]] argument bound(const spec_row& row, bool any, bool is_object, string& target,
                               bool* persistent) {
    argument a;
    required all(*this, 1u | (row.target.empty() ? 0u : 2u) | (persistent == nullptr ? 0u : 4u));
    std::string_view key;
    for (object(); next(key);) {
      if (key == "arg") {
        all.seen |= 1;
        if (any) {
          a = read_argument();
        } else {
          a.kind = is_object ? argument_kind::custom_object : argument_kind::tensor;
          a.offset = here();
          value_name(a);
        }
      } else if (!row.target.empty() && key == row.target) {
        all.seen |= 2;
        target = text();
      } else if (persistent != nullptr && key == "persistent") {
        all.seen |= 4;
        *persistent = boolean();
      } else {
        skip();
      }
    }
    return a;
  }
  void module_call() {
    pt2::module_call c;
    c.offset = here();
    {
      required all(*this, 1);
      std::string_view key;
      for (object(); next(key);) {
        if (key == "fqn")
          all.seen |= 1, c.path = text();
        else if (key == "signature" && !accept_null())
          call_signature(c);
        else if (key != "signature")
          skip();
      }
    }
    append(m_.calls, c, 0);
  }
  void call_signature(pt2::module_call& c) {
    c.has_signature = true;
    required all(*this, 15);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "inputs") {
        all.seen |= 1;
        c.inputs = argument_list();
      } else if (key == "outputs") {
        all.seen |= 2;
        c.outputs = argument_list();
      } else if (key == "in_spec") {
        all.seen |= 4;
        c.in_spec = text();
      } else if (key == "out_spec") {
        all.seen |= 8;
        c.out_spec = text();
      } else if (key == "forward_arg_names") {
        c.has_argument_names = !accept_null();
        if (c.has_argument_names) c.argument_names = strings();
      } else {
        skip();
      }
    }
  }
  void range_constraints() {
    std::string_view key;
    for (object(); next(key);) {
      range_constraint c;
      c.symbol = add(key);
      c.offset = here();
      {
        required all(*this, 3);
        for (object(); next(key);) {
          if (key == "min_val")
            all.seen |= 1, bound_of_range(c.has_min, c.min);
          else if (key == "max_val")
            all.seen |= 2, bound_of_range(c.has_max, c.max);
          else
            skip();
        }
      }
      append(m_.constraints, c, 0);
    }
  }
  void bound_of_range(bool& has, std::int64_t& value) {
    has = !accept_null();
    if (has) value = integer();
  }
  void schema_version() {
    m_.schema_offset = here();
    required all(*this, 3);
    std::string_view key;
    for (object(); next(key);) {
      if (key == "major") {
        all.seen |= 1;
        const std::uint64_t at = offset();
        m_.schema_major = integer();
        if (m_.schema_major != expected_major_) fail(errc::pt2_schema_major, at);
      } else if (key == "minor") {
        all.seen |= 2;
        m_.schema_minor = integer();
      } else {
        skip();
      }
    }
  }

  void stored(std::string_view name) {
    stored_tensor t;
    t.name = add(name);
    t.offset = here();
    {
      required all(*this, 15);
      std::string_view key;
      for (object(); next(key);) {
        if (key == "path_name") {
          all.seen |= 1;
          t.path = text();
        } else if (key == "is_param") {
          all.seen |= 2;
          t.is_parameter = boolean();
        } else if (key == "use_pickle") {
          all.seen |= 4;
          t.is_pickled = boolean();
        } else if (key == "tensor_meta") {
          all.seen |= 8;
          if (!accept_null()) t.meta = tensor();
        } else {
          skip();
        }
      }
    }
    append(m_.stored, t, 0);
  }

  limits limit_;
  std::uint64_t base_;
  bool is_inflated_;
  std::int64_t expected_major_;
  bool has_bare_reals_;  ///< infinities and NaN without quotes
  json::reader in_;
  model& m_;
  pool<argument> waiting_;    // of lists that are open
  pool<node> waiting_nodes_;  // of graphs that are open
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_READ_PROGRAM_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class model_reader {
 public:
  model_reader(bytes in, const read_options& options) : options_(options) {
    m_.source = in;
    if (options_.limit.max_bytes >= none) options_.limit.max_bytes = none - 1;
    if (options_.limit.max_depth > 1024) options_.limit.max_depth = 1024;
  }

  result<model> read() {
    error e = archive_reader(m_.source, options_.limit, m_).read();
    if (e.code == errc::ok) e = find_root();
    const bool is_flat = m_.container == container_kind::flat;
    if (e.code == errc::ok) e = is_flat ? check_version() : check_format();
    if (e.code == errc::ok) e = is_flat ? take_program() : choose_program();
    std::uint32_t weights = none, constants = none;
    if (e.code == errc::ok) e = find_tensors("weights", weights);
    if (e.code == errc::ok) e = find_tensors("constants", constants);
    if (e.code == errc::ok) e = read_program();
    if (e.code == errc::ok) e = read_tensors("weights", weights, m_.weights);
    if (e.code == errc::ok) e = read_tensors("constants", constants, m_.constants);
    if (e.code == errc::ok && options_.checksums) e = check_all();
    if (e.code != errc::ok) return e;
    return std::move(m_);
  }

 private:
  static constexpr std::string_view format_name = "archive_format";
  static constexpr std::string_view flat_program = "serialized_exported_program.json";

  [[nodiscard]] std::string_view name_of(std::uint32_t i) const noexcept {
    return text_of(m_, m_.members[i].name);
  }
  [[nodiscard]] error at_directory(errc code) const noexcept { return {code, m_.directory_offset}; }
  [[nodiscard]] std::uint32_t find(std::string_view a, std::string_view b = {},
                                   std::string_view c = {}, std::string_view d = {}) {
    path_.clear();
    path_ << a << b << c << d;
    return find_member(m_, path_);
  }

  /// A member of a model that is in no folder, or in one at the top, which becomes the root.
  [[nodiscard]] static std::uint32_t find_in_root(model& m, std::string_view file) {
    for (std::uint32_t i = 0; i < m.members.size(); ++i) {
      const std::string_view name = text_of(m, m.members[i].name);
      const std::size_t slash = name.find('/');
      const std::size_t first = slash == name.npos ? 0 : slash + 1;
      if (name.substr(first) != file) continue;
      m.root = {m.members[i].name.first, static_cast<std::uint32_t>(first)};
      return i;
    }
    return none;
  }
  /// The folder of the member archive_format, which holds all others.
  [[nodiscard]] error find_root() {
    if (find_in_root(m_, format_name) == none) {
      m_.container = container_kind::flat;
      return find(flat_program) == none ? at_directory(errc::pt2_no_format) : error();
    }
    const std::string_view root = text_of(m_, m_.root);
    for (std::uint32_t i = 0; i < m_.members.size(); ++i)
      if (name_of(i).substr(0, root.size()) != root) return {errc::pt2_root, m_.members[i].offset};
    return {};
  }

  /// The member "version" of a flat archive: "7.3", the version of the schema.
  [[nodiscard]] error check_version() {
    if (find("serialized_state_dict.json") != none) return at_directory(errc::pt2_torch_2_4);
    const std::uint32_t i = find("version");
    if (i == none) return at_directory(errc::pt2_flat_version);
    if (const error e = load(i); e.code != errc::ok) return e;
    const std::string_view all = as_text(content(m_, m_.members[i]));
    const std::size_t point = all.find('.');
    const std::uint64_t at = m_.members[i].data_offset;
    if (!number_of(all.substr(0, point), m_.schema_major) ||
        (point != all.npos && !number_of(all.substr(point + 1), m_.schema_minor)))
      return {errc::pt2_flat_version, at};
    if (m_.schema_major < first_schema_major) return {errc::pt2_torch_2_4, at};
    if (m_.schema_major > schema_major) return {errc::pt2_schema_major, at};
    m_.has_byte_order = true;  // it is that of the storages
    return {};
  }
  /// Up to 9 digits.
  [[nodiscard]] static bool number_of(std::string_view digits, std::int64_t& out) noexcept {
    out = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return false;
      out = out * 10 + (c - '0');
    }
    return !digits.empty() && digits.size() < 10;
  }
  [[nodiscard]] error check_format() {
    struct fixed_member {
      std::string_view name, content;
      errc code;
      bool is_required;
    };
    constexpr fixed_member members[] = {
        {format_name, "pt2", errc::pt2_format, true},
        {"archive_version", "0", errc::pt2_version, true},
        {"byteorder", "little", errc::pt2_byte_order, false},
    };
    for (const fixed_member& f : members) {
      const std::uint32_t i = find(f.name);
      if (i == none && f.is_required) return at_directory(f.code);
      if (i == none) continue;
      if (m_.members[i].size != f.content.size()) return {f.code, m_.members[i].data_offset};
      if (const error e = load(i); e.code != errc::ok) return e;
      if (as_text(content(m_, m_.members[i])) != f.content)
        return {f.code, m_.members[i].data_offset};
      m_.has_byte_order = !f.is_required;
    }
    return {};
  }

  /// That of a flat archive, which has no name.
  [[nodiscard]] error take_program() {
    constexpr std::string_view usual = "model";
    if (!options_.program.empty() && options_.program != usual)
      return at_directory(errc::pt2_no_program);
    m_.name = {static_cast<std::uint32_t>(m_.characters.size()),
               static_cast<std::uint32_t>(usual.size())};
    m_.characters << usual;
    m_.programs = 1;
    return {};
  }
  [[nodiscard]] error choose_program() {
    constexpr std::string_view folder = "models/", ending = ".json", usual = "model";
    const std::string_view wanted = options_.program.empty() ? usual : options_.program;
    const std::size_t before = m_.root.size + folder.size();
    bool is_compiled = false;
    string only;
    for (const member& of : m_.members) {
      const std::string_view all = text_of(m_, of.name), path = all.substr(m_.root.size);
      is_compiled = is_compiled || path.substr(0, 17) == "data/aotinductor/";
      if (path.size() <= folder.size() + ending.size() || path.substr(0, folder.size()) != folder ||
          path.substr(path.size() - ending.size()) != ending)
        continue;
      const string name{of.name.first + static_cast<std::uint32_t>(before),
                        static_cast<std::uint32_t>(path.size() - folder.size() - ending.size())};
      only = name;
      if (text_of(m_, name) == wanted) m_.name = name;
      ++m_.programs;
    }
    if (m_.programs == 0)
      return at_directory(is_compiled ? errc::pt2_compiled : errc::pt2_no_program);
    if (m_.name.size != 0) return {};
    if (!options_.program.empty()) return at_directory(errc::pt2_no_program);
    if (m_.programs != 1) return at_directory(errc::pt2_choose_program);
    m_.name = only;
    return {};
  }

  [[nodiscard]] error read_program() {
    std::uint32_t i = m_.container == container_kind::flat
                          ? find(flat_program)
                          : find("models/", text_of(m_, m_.name), ".json");
    std::string_view json;
    error e = load_json(i, json);
    if (e.code != errc::ok) return e;
    const member of = m_.members[i];
    const std::int64_t expected = m_.schema_major;
    e = program_reader(json, options_.limit, of.data_offset, of.is_deflated, m_).read();
    // Where another version of the schema is the reason, this is the better message.
    if (e.code == errc::pt2_variant || e.code == errc::pt2_missing ||
        e.code == errc::pt2_element_type) {
      const std::uint64_t at = json::find(json, "$.schema_version.major", options_.limit);
      if (at == json::no_offset) return e;
      const std::string_view major = json.substr(to_size(at), 2);
      if (major[0] != '0' + expected || (major.back() != ',' && major.back() != '}'))
        e = {errc::pt2_schema_major, of.data_offset + (of.is_deflated ? 0 : at)};
    }
    return e;
  }

  /// kind: "weights" or "constants". What lists them: JSON or, in earlier containers, an archive with
  /// a pickle.
  [[nodiscard]] error find_tensors(std::string_view kind, std::uint32_t& list) {
    if (m_.container == container_kind::flat) {
      list = find(kind == "weights" ? "serialized_state_dict.pt" : "serialized_constants.pt");
      return list != none ? error() : at_directory(errc::pt2_no_config);
    }
    text folder, file;
    folder << "data/" << kind << '/';
    file << '_' << kind << "_config.json";
    const std::string_view name = text_of(m_, m_.name);
    const bool is_first = kind == "weights";
    if (is_first || m_.container == container_kind::raw) list = find(folder, name, file);
    if (list != none || (!is_first && m_.container == container_kind::raw))
      return list != none ? error() : at_directory(errc::pt2_no_config);
    m_.container = container_kind::pickled;
    list = find(folder, name, ".pt");
    return list != none ? error() : at_directory(errc::pt2_no_config);
  }
  [[nodiscard]] error read_tensors(std::string_view kind, std::uint32_t list, range& out) {
    error e =
        m_.container == container_kind::raw ? read_config(kind, list, out) : read_pickle(list, out);
    for (std::uint32_t k = 0; k < out.count && e.code == errc::ok; ++k) {
      const stored_tensor& t = m_.stored[out.first + k];
      e = t.is_pickled ? error() : inflate(t.member);
    }
    return e;
  }
  [[nodiscard]] error read_config(std::string_view kind, std::uint32_t i, range& out) {
    text folder;
    folder << "data/" << kind << '/';
    std::string_view json;
    error e = load_json(i, json);
    if (e.code != errc::ok) return e;
    e = program_reader(json, options_.limit, m_.members[i].data_offset, m_.members[i].is_deflated,
                       m_)
            .read_config(out);
    for (std::uint32_t k = 0; k < out.count && e.code == errc::ok; ++k) {
      stored_tensor& t = m_.stored[out.first + k];
      t.member = find(folder, text_of(m_, t.path));
      if (t.member == none) e = {errc::pt2_no_payload, t.offset};
    }
    return e;
  }
  /// The tensors of an archive in a member.
  [[nodiscard]] error read_pickle(std::uint32_t i, range& out) {
    if (const error e = inflate(i); e.code != errc::ok) return e;
    inner_archive inner;
    inner.data_offset = m_.members[i].data_offset;
    inner.owned = m_.members[i].owned;
    inner.zip.source = content(m_, m_.members[i]);
    const auto placed = [&inner](error e) { return error(e.code, inner.place(e.offset)); };
    const error e = archive_reader(inner.zip.source, options_.limit, inner.zip).read();
    if (e.code != errc::ok) return placed(e);
    const std::uint32_t pickle = find_in_root(inner.zip, "data.pkl");
    if (pickle == none) return placed({errc::pt2_pickle_missing, inner.zip.directory_offset});
    const std::uint32_t order = find_member(inner.zip, "byteorder");
    if (order != none && as_text(content(inner.zip, inner.zip.members[order])) != "little")
      return placed({errc::pt2_byte_order, inner.zip.members[order].data_offset});
    const member& of = inner.zip.members[pickle];
    if (of.is_deflated) return placed({errc::pt2_inner_deflated, of.data_offset});
    if (of.size > options_.limit.max_bytes) return placed({errc::input_too_large, of.data_offset});
    if (!has_valid_checksum(inner.zip, of)) return placed({errc::pt2_checksum, of.data_offset});
    if (order == none) m_.has_byte_order = false;
    return pickle_reader(inner, of, options_.limit, m_).read(out);
  }

  /// JSON that is needed: in memory, and with the right checksum.
  [[nodiscard]] error load_json(std::uint32_t i, std::string_view& json) {
    if (m_.members[i].size > options_.limit.max_bytes)
      return {errc::input_too_large, m_.members[i].data_offset};
    if (const error e = load(i); e.code != errc::ok) return e;
    json = as_text(content(m_, m_.members[i]));
    if (m_.members[i].is_deflated) {  // the pool moves when another member is inflated
      json_.clear();
      json_ << json;
      json = json_;
    }
    return {};
  }
  [[nodiscard]] error load(std::uint32_t i) {
    if (const error e = inflate(i); e.code != errc::ok) return e;
    const member& of = m_.members[i];
    return has_valid_checksum(m_, of) ? error() : error(errc::pt2_checksum, of.data_offset);
  }
  /// Makes the content of a deflated member available.
  [[nodiscard]] error inflate(std::uint32_t i) {
    member& of = m_.members[i];
    if (!of.is_deflated || of.owned != member::no_data) return {};
    if (options_.inflate.run == nullptr) return {errc::pt2_deflated, of.data_offset};
    if (of.size > options_.limit.max_bytes - m_.contents.size())
      return {errc::input_too_large, of.data_offset};
    const std::size_t size = to_size(of.size);
    std::byte* const to = m_.contents.prepare(size);
    const bytes from = m_.source.subspan(to_size(of.data_offset), to_size(of.stored_size));
    if (!options_.inflate.run(options_.inflate.context, from, to, size))
      return {errc::pt2_deflate_data, of.data_offset};
    of.owned = m_.contents.size();
    m_.contents.advance(size);
    return {};
  }
  /// The checksums of all weights and constants.
  [[nodiscard]] error check_all() {
    for (const stored_tensor& t : m_.stored)
      if (!t.is_pickled && !has_valid_checksum(m_, m_.members[t.member]))
        return {errc::pt2_checksum, m_.members[t.member].data_offset};
    return {};
  }

  read_options options_;
  model m_;
  text path_, json_;
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE result<model> read(bytes in, const read_options& options) {
  return detail::model_reader(in, options).read();
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_READ_HPP

// ---- tessera/pt2/detail/write.hpp
//
// The bodies of pt2/write.hpp: the archive as PyTorch's own writer lays it out.

#ifndef TESSERA_PT2_DETAIL_WRITE_HPP
#define TESSERA_PT2_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/pt2/detail/write_program.hpp
//
// The JSON of a program and of its stored tensors, as PyTorch writes it: every member of every
// structure, in the order of the schema. Programs of schema 7 become ones of schema 8.

#ifndef TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP
#define TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

/// JSON with the escapes of Python's writer, which leaves nothing but printable ASCII.
[[nodiscard]] inline text in_ascii(std::string_view json) {
  text out;
  out.reserve(json.size());
  const auto escape = [&out](std::uint32_t unit) {
    out << "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out << "0123456789abcdef"[unit >> shift & 15];
  };
  std::size_t plain = 0;
  for (std::size_t i = 0; i < json.size();) {
    const auto lead = static_cast<unsigned char>(json[i]);
    if (lead < 0x7f) {
      ++i;
      continue;
    }
    out << json.substr(plain, i - plain);
    const auto tail = [&](std::size_t k) {
      return static_cast<unsigned char>(json[i + k]) & 0x3fu;
    };
    const unsigned length = utf8_length(json.data() + i, json.data() + json.size());
    std::uint32_t c = lead;
    if (length == 2) c = (lead & 0x1fu) << 6 | tail(1);
    if (length == 3) c = (lead & 0xfu) << 12 | tail(1) << 6 | tail(2);
    if (length == 4) c = (lead & 0x7u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
    if (c >= 0x10000) {
      escape(0xd800 + ((c - 0x10000) >> 10));
      c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    escape(c);
    plain = i += length == 0 ? 1 : length;
  }
  out << json.substr(plain);
  return out;
}

class program_writer {
 public:
  program_writer(text& out, const model& m) : w_(out, json::spaced), m_(m) {}

  void program() {
    w_.begin_object().key("graph_module");
    graph_module();
    verbatim("opset_version", m_.opset_json);
    w_.key("range_constraints").begin_object();
    for (const range_constraint& c : m_.constraints) {
      key(c.symbol).begin_object();
      integer_or_null("min_val", c.has_min, c.min);
      integer_or_null("max_val", c.has_max, c.max);
      w_.end();
    }
    w_.end().key("schema_version").begin_object();
    const bool is_known = m_.schema_major == schema_major;
    w_.key("major").integer(schema_major);
    w_.key("minor").integer(is_known ? m_.schema_minor : schema_minor).end();
    strings("verifiers", m_.verifiers);
    text_member("torch_version", m_.torch_version);
    strings("guards_code", m_.guards);
    w_.end();
  }
  /// `numbers`: of the members with the payloads, whose names are the prefix and that; without them,
  /// names are those that were read.
  void config(range of, std::string_view prefix, view<std::uint32_t> numbers) {
    w_.begin_object().key("config").begin_object();
    for (const stored_tensor& t : stored(m_, of)) {
      key(t.name).begin_object();
      text path;
      if (numbers.empty())
        path << text_of(m_, t.path);
      else
        path << prefix << numbers[t.member];
      w_.key("path_name").string(path);
      w_.key("is_param").boolean(t.is_parameter).key("use_pickle").boolean(t.is_pickled);
      w_.key("tensor_meta");
      if (t.meta == none)
        w_.null();
      else
        tensor(m_.tensors[t.meta]);
      w_.end();
    }
    w_.end().end();
  }

 private:
  // ---- words and numbers

  json::writer& key(string s) { return w_.key(text_of(m_, s)); }
  void text_member(std::string_view name, string s) { w_.key(name).string(text_of(m_, s)); }
  void verbatim(std::string_view name, string json) {
    w_.key(name).raw(json.size == 0 ? std::string_view("{}") : text_of(m_, json));
  }
  void integer_or_null(std::string_view name, bool has, std::int64_t value) {
    w_.key(name);
    if (has)
      w_.integer(value);
    else
      w_.null();
  }
  void strings(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const string s : rows(m_.strings, of)) w_.string(text_of(m_, s));
    w_.end();
  }
  void real(double v) {
    if (v - v == 0)
      w_.number(v);
    else
      w_.string(v != v ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
  }
  void number(const scalar& s) {
    w_.begin_object();
    switch (s.kind) {
      case scalar_kind::integer: w_.key("as_int").integer(s.integer); break;
      case scalar_kind::boolean: w_.key("as_bool").boolean(s.integer != 0); break;
      case scalar_kind::real: w_.key("as_float"), real(s.real); break;
    }
    w_.end();
  }
  void symbolic(const scalar& s) {
    if (!s.is_symbolic) return number(s);
    w_.begin_object().key("as_expr").begin_object();
    tessera::text expression;
    if (m_.schema_major != schema_major)
      if (const auto infix =
              read_expression(text_of(m_, s.expression), notation_of(m_.schema_major)))
        expression = write_expression(*infix);
    if (expression.size() == 0) expression << text_of(m_, s.expression);
    w_.key("expr_str").string(expression);
    if (s.kind != scalar_kind::boolean || s.has_hint) {
      w_.key("hint");
      if (s.has_hint)
        number(s);
      else
        w_.null();
    }
    w_.end().end();
  }
  void device(string type, bool has_index, std::int64_t index) {
    w_.begin_object();
    text_member("type", type);
    integer_or_null("index", has_index, index);
    w_.end();
  }
  void dimensions(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const scalar& s : scalars(m_, of)) symbolic(s);
    w_.end();
  }
  void tensor(const tensor_meta& t) {
    w_.begin_object().key("dtype").integer(static_cast<unsigned>(t.type));
    dimensions("sizes", t.sizes);
    w_.key("requires_grad").boolean(t.requires_grad).key("device");
    device(t.device, t.has_device_index, t.device_index);
    dimensions("strides", t.strides);
    w_.key("storage_offset");
    symbolic(m_.scalars[t.storage_offset]);
    w_.key("layout").integer(t.layout).end();
  }

  // ---- arguments

  void argument_union(const argument& a) {
    w_.begin_object().key(info(a.kind).variant);
    argument_value(a);
    w_.end();
  }
  void argument_value(const argument& a) {
    switch (info(a.kind).form) {
      case argument_form::none: w_.boolean(true); break;
      case argument_form::boolean: w_.boolean(a.boolean); break;
      case argument_form::integer: w_.integer(a.integer); break;
      case argument_form::real: real(a.real); break;
      case argument_form::text: w_.string(text_of(m_, a.text)); break;
      case argument_form::value:
      case argument_form::object: value_name(a); break;
      case argument_form::symbol: symbol(a); break;
      case argument_form::optional:
        w_.begin_object().key(a.boolean ? "as_tensor" : "as_none");
        if (a.boolean)
          value_name(a);
        else
          w_.boolean(true);
        w_.end();
        break;
      case argument_form::device: device(a.text, a.boolean, a.integer); break;
      case argument_form::graph:
        w_.begin_object();
        text_member("name", a.text);
        w_.key("graph");
        graph(m_.graphs[static_cast<std::size_t>(a.integer)]);
        w_.end();
        break;
      case argument_form::complex:
        w_.begin_object().key("real"), real(m_.reals[a.items.first]);
        w_.key("imag"), real(m_.reals[a.items.first + 1]);
        w_.end();
        break;
      case argument_form::integers:
        w_.begin_array();
        for (const std::int64_t v : rows(m_.integers, a.items)) w_.integer(v);
        w_.end();
        break;
      case argument_form::reals:
        w_.begin_array();
        for (const double v : rows(m_.reals, a.items)) real(v);
        w_.end();
        break;
      case argument_form::list:
        w_.begin_array();
        for (const argument& e : arguments(m_, a.items)) argument_value(e);
        w_.end();
        break;
      case argument_form::named:
        w_.begin_object();
        for (const argument& e : arguments(m_, a.items)) key(e.name), argument_union(e);
        w_.end();
        break;
    }
  }
  void value_name(const argument& a) {
    w_.begin_object();
    text_member("name", a.text);
    if (a.kind == argument_kind::custom_object) text_member("class_fqn", a.class_name);
    w_.end();
  }
  void symbol(const argument& a) {
    w_.begin_object();
    if (a.is_named) {
      text_member("as_name", a.text);
    } else {
      w_.key(constant_variant(a.kind));
      if (a.kind == argument_kind::sym_int)
        w_.integer(a.integer);
      else if (a.kind == argument_kind::sym_bool)
        w_.boolean(a.boolean);
      else
        real(a.real);
    }
    w_.end();
  }
  void argument_list(std::string_view name, range of) {
    w_.key(name).begin_array();
    for (const argument& a : arguments(m_, of)) argument_union(a);
    w_.end();
  }

  // ---- graphs

  void graph(const pt2::graph& g) {
    w_.begin_object();
    argument_list("inputs", g.inputs);
    argument_list("outputs", g.outputs);
    w_.key("nodes").begin_array();
    for (const pt2::node& n : nodes(m_, g)) node(n);
    w_.end();
    values("tensor_values", g.tensors);
    values("sym_int_values", g.sym_ints);
    values("sym_bool_values", g.sym_bools);
    w_.key("is_single_tensor_return").boolean(g.is_single_tensor_return);
    values("custom_obj_values", g.objects);
    values("sym_float_values", g.sym_floats);
    w_.end();
  }
  void values(std::string_view name, range of) {
    w_.key(name).begin_object();
    for (const value& v : rows(m_.values, of)) {
      key(v.name);
      if (v.kind == value_kind::tensor) {
        tensor(m_.tensors[v.meta]);
      } else if (v.kind != value_kind::custom_object) {
        symbolic(m_.scalars[v.meta]);
      } else {
        w_.begin_object();
        text_member("name", v.name);
        text_member("class_fqn", v.class_name);
        w_.end();
      }
    }
    w_.end();
  }
  /// Control flow of PyTorch 2.6 and earlier: the results are one list, and nothing says whether there
  /// is one.
  [[nodiscard]] bool is_earlier_control_flow(const pt2::node& n) const noexcept {
    constexpr std::string_view family = "torch.ops.higher_order.";
    return m_.container == container_kind::flat && n.is_single_tensor_return < 0 &&
           text_of(m_, n.target).substr(0, family.size()) == family;
  }
  void node(const pt2::node& n) {
    w_.begin_object();
    text_member("target", n.target);
    w_.key("inputs").begin_array();
    for (const argument& a : arguments(m_, n.inputs)) {
      w_.begin_object();
      text_member("name", a.name);
      w_.key("arg");
      argument_union(a);
      integer_or_null("kind", a.how != passing::absent, static_cast<std::int64_t>(a.how));
      w_.end();
    }
    w_.end();
    const bool is_earlier = is_earlier_control_flow(n);
    const bool is_list =
        n.outputs.count == 1 && m_.arguments[n.outputs.first].kind == argument_kind::tensors;
    argument_list("outputs",
                  is_earlier && is_list ? m_.arguments[n.outputs.first].items : n.outputs);
    w_.key("metadata").begin_object();
    for (const text_entry& e : rows(m_.metadata, n.metadata))
      key(e.key).string(text_of(m_, e.value));
    w_.end().key("is_hop_single_tensor_return");
    if (n.is_single_tensor_return >= 0 || is_earlier)
      w_.boolean(is_earlier ? !is_list : n.is_single_tensor_return != 0);
    else
      w_.null();
    w_.key("name");
    if (n.has_name)
      w_.string(text_of(m_, n.name));
    else
      w_.null();
    w_.end();
  }

  // ---- the program

  void graph_module() {
    w_.begin_object().key("graph");
    graph(m_.graphs[0]);
    w_.key("signature").begin_object().key("input_specs").begin_array();
    for (const input_spec& s : m_.inputs) input(s);
    w_.end().key("output_specs").begin_array();
    for (const output_spec& s : m_.outputs) {
      w_.begin_object().key(info(s.kind).variant).begin_object();
      bound(m_.arguments[s.argument], s.kind == output_kind::user_output, info(s.kind), s.target);
      w_.end().end();
    }
    w_.end().end().key("module_call_graph").begin_array();
    for (const module_call& c : m_.calls) call(c);
    w_.end();
    verbatim("metadata", m_.metadata_json);
    verbatim("treespec_namedtuple_fields", m_.namedtuples_json);
    w_.end();
  }
  void input(const input_spec& s) {
    const argument& a = m_.arguments[s.argument];
    w_.begin_object().key(info(s.kind).variant).begin_object();
    if (s.kind == input_kind::constant_input) {
      text_member("name", s.target);
      w_.key("value");
      argument_union(a);
    } else {
      bound(a, s.kind == input_kind::user_input, info(s.kind), s.target);
      if (s.kind == input_kind::buffer) w_.key("persistent").boolean(s.is_persistent);
    }
    w_.end().end();
  }
  void bound(const argument& a, bool any, const spec_row& row, string target) {
    w_.key("arg");
    if (any)
      argument_union(a);
    else
      value_name(a);
    if (!row.target.empty()) text_member(row.target, target);
  }
  void call(const module_call& c) {
    w_.begin_object();
    text_member("fqn", c.path);
    w_.key("signature");
    if (c.has_signature) {
      w_.begin_object();
      argument_list("inputs", c.inputs);
      argument_list("outputs", c.outputs);
      text_member("in_spec", c.in_spec);
      text_member("out_spec", c.out_spec);
      if (c.has_argument_names)
        strings("forward_arg_names", c.argument_names);
      else
        w_.key("forward_arg_names").null();
      w_.end();
    } else {
      w_.null();
    }
    w_.end();
  }

  json::writer w_;
  const model& m_;
};

}  // namespace pt2::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_WRITE_PROGRAM_HPP

namespace tessera::inline TESSERA_ABI {
namespace pt2::detail {

class archive_writer {
 public:
  archive_writer(const model& m, const sink& to) : m_(m), to_(to) {}

  [[nodiscard]] error write(const write_options& options) {
    if (const error e = check(m_); e.code != errc::ok) return e;
    if (const error e = check_schema(); e.code != errc::ok) return e;
    list_parts();
    if (options.checksums)
      for (const part& p : parts_)
        if (p.member != none && !is_closed(m_.members[p.member]) &&
            !has_valid_checksum(m_, m_.members[p.member]))
          return {errc::pt2_checksum, m_.members[p.member].data_offset};
    for (std::size_t i = 0; i < parts_.size() && !stopped_; ++i) write_part(parts_[i]);
    const std::uint64_t directory = offset_;
    put({directory_.data(), directory_.size()});
    write_end(directory);
    return stopped_ ? error(errc::pt2_write_stopped, 0) : error();
  }

 private:
  /// A member that is written: one that was read, or made here.
  struct part {
    std::size_t name = 0, name_size = 0;  ///< in names_
    std::uint32_t member = none;
    bytes made;
  };

  /// What schema 8 and container C can't hold.
  [[nodiscard]] error check_schema() const {
    if (m_.container == container_kind::pickled && m_.programs > 1)
      return {errc::pt2_write_programs, m_.directory_offset};
    if (m_.schema_major == schema_major) return {};
    for (const scalar& s : m_.scalars)
      if (s.is_symbolic &&
          !read_expression(text_of(m_, s.expression), notation_of(m_.schema_major)))
        return {errc::pt2_expression, s.offset};
    return {};
  }

  void list_parts() {
    program_writer(json_, m_).program();
    program_json_ = in_ascii(json_);
    if (m_.container == container_kind::raw)
      list_members();
    else
      list_converted();
  }
  void add(std::string_view a, std::string_view b, std::uint32_t member, bytes made = {}) {
    parts_.push_back({names_.size(), a.size() + b.size(), member, made});
    names_ << a << b;
  }
  [[nodiscard]] std::string_view name_of(const part& p) const noexcept {
    return names_.view().substr(p.name, p.name_size);
  }
  /// The JSON of weights or constants; see program_writer::config.
  [[nodiscard]] bytes make_config(text& to, range of, std::string_view prefix,
                                  view<std::uint32_t> numbers) {
    json_.clear();
    program_writer(json_, m_).config(of, prefix, numbers);
    to = in_ascii(json_);
    return as_bytes(to);
  }

  /// The members that were read, three of them made anew.
  void list_members() {
    const std::string_view name = text_of(m_, m_.name);
    const auto find = [&](std::string_view a, std::string_view b) {
      text path;
      path << a << name << b;
      return find_member(m_, path);
    };
    const std::uint32_t program = find("models/", ".json");
    const std::uint32_t weights = find("data/weights/", "_weights_config.json");
    const std::uint32_t constants = find("data/constants/", "_constants_config.json");
    for (std::uint32_t i = 0; i < m_.members.size(); ++i) {
      const std::string_view member = text_of(m_, m_.members[i].name);
      if (i == program)
        add(member, "", none, as_bytes(program_json_));
      else if (i == weights)
        add(member, "", none, make_config(weights_json_, m_.weights, "", {}));
      else if (i == constants)
        add(member, "", none, make_config(constants_json_, m_.constants, "", {}));
      else
        add(member, "", i);
    }
  }

  /// The members of a container of PyTorch 2.9, from those of an earlier one.
  void list_converted() {
    const bool is_flat = m_.container == container_kind::flat;
    const std::string_view name = text_of(m_, m_.name);
    root_ << (is_flat ? std::string_view("archive/") : text_of(m_, m_.root));
    text path;
    const auto named = [&](std::string_view a, std::string_view b) {
      path.clear();
      path << a << name << b;
      return path.view();
    };
    list_storages("data/weights/", "weight_", m_.weights);
    add(root_, named("data/weights/", "_weights_config.json"), none,
        make_config(weights_json_, m_.weights, "weight_", numbers_));
    list_storages("data/constants/", "tensor_", m_.constants);
    add(root_, named("data/constants/", "_constants_config.json"), none,
        make_config(constants_json_, m_.constants, "tensor_", numbers_));
    add(root_, named("models/", ".json"), none, as_bytes(program_json_));
    if (is_flat) {
      if (const std::uint32_t i = find_member(m_, "serialized_example_inputs.pt"); i != none)
        add(root_, named("data/sample_inputs/", ".pt"), i);
      list_flat_rest();
      return;
    }
    const std::uint32_t replaced[] = {find_member(m_, named("models/", ".json")),
                                      find_member(m_, named("data/weights/", ".pt")),
                                      find_member(m_, named("data/constants/", ".pt"))};
    for (std::uint32_t i = 0; i < m_.members_by_name.size(); ++i)
      if (i != replaced[0] && i != replaced[1] && i != replaced[2])
        add(text_of(m_, m_.members[i].name), "", i);
  }
  /// Each storage once, under its number.
  void list_storages(std::string_view folder, std::string_view prefix, range of) {
    numbers_.clear();
    for (std::size_t i = 0; i < m_.members.size(); ++i) numbers_.push_back(none);
    std::uint32_t count = 0;
    for (const stored_tensor& t : stored(m_, of)) {
      if (numbers_[t.member] != none) continue;
      numbers_[t.member] = count;
      text path;
      path << folder << prefix << count++;
      add(root_, path, t.member);
    }
  }
  /// What a flat archive doesn't have, and the files that users add to one.
  void list_flat_rest() {
    constexpr std::string_view before = "extra_files/", after = "extra/";
    for (std::uint32_t i = 0; i < m_.members_by_name.size(); ++i) {
      const std::string_view member = text_of(m_, m_.members[i].name);
      if (member.substr(0, before.size()) != before || member.size() == before.size()) continue;
      text path;
      path << after << member.substr(before.size());
      add(root_, path, i);
    }
    add(root_, "archive_format", none, as_bytes(std::string_view("pt2")));
    add(root_, "archive_version", none, as_bytes(std::string_view("0")));
    add(root_, ".data/version", none, as_bytes(std::string_view("6\n")));
    add(root_, "byteorder", none, as_bytes(std::string_view("little")));
  }

  void put(bytes piece) {
    if (!stopped_ && !piece.empty()) stopped_ = !to_.put(to_.context, piece);
    offset_ += piece.size();
  }
  void put(pool<std::byte>& piece) {
    put(bytes(piece.data(), piece.size()));
    piece.clear();
  }
  static void append(pool<std::byte>& to, std::string_view s) {
    to.append(as_bytes(s).data(), s.size());
  }

  /// Whether a member is deflated and was never opened.
  [[nodiscard]] static bool is_closed(const member& of) noexcept {
    return of.is_deflated && of.owned == member::no_data;
  }
  void write_part(const part& p) {
    if (p.member == none)
      return write_member(name_of(p), p.made, p.made.size(), crc32(p.made), false);
    const member& of = m_.members[p.member];
    bytes data = content(m_, of);
    if (is_closed(of)) data = m_.source.subspan(to_size(of.data_offset), to_size(of.stored_size));
    write_member(name_of(p), data, of.size, of.crc, is_closed(of));
  }

  /// Header, padding, content and descriptor; and the entry of the directory.
  void write_member(std::string_view name, bytes data, std::uint64_t size, std::uint32_t crc,
                    bool is_deflated) {
    constexpr std::uint16_t utf8_flag = 0x0800, descriptor_flag = 0x0008;
    const std::uint64_t header = offset_;
    const std::uint64_t stored = data.size();
    const bool is_wide = size >= saturated || stored >= saturated;
    const std::uint16_t flags = data.empty() ? utf8_flag : utf8_flag | descriptor_flag;
    const std::uint16_t method = is_deflated ? method_deflated : method_stored;
    const std::uint64_t extra_at = header + local_size + name.size() + (is_wide ? 20 : 0);
    const std::uint64_t padding = (64 - (extra_at + 4) % 64) % 64;
    append_le(piece_, local_signature);
    append_le(piece_, std::uint16_t{0});
    append_le(piece_, flags);
    append_le(piece_, method);
    for (int k = 0; k < 4; ++k) append_le(piece_, std::uint32_t{0});  // time, CRC and sizes
    append_le(piece_, static_cast<std::uint16_t>(name.size()));
    append_le(piece_, static_cast<std::uint16_t>(4 + padding + (is_wide ? 20 : 0)));
    append(piece_, name);
    if (is_wide) {
      append_le(piece_, std::uint16_t{1});
      append_le(piece_, std::uint16_t{16});
      append_le(piece_, size);
      append_le(piece_, std::uint64_t{0});
    }
    append(piece_, "FB");
    append_le(piece_, static_cast<std::uint16_t>(padding));
    for (std::uint64_t k = 0; k < padding; ++k) append(piece_, "Z");
    put(piece_);
    put(data);
    if (!data.empty()) {
      append_le(piece_, descriptor_signature);
      append_le(piece_, crc);
      append_size(piece_, stored, is_wide);
      append_size(piece_, size, is_wide);
      put(piece_);
    }
    write_entry(name, header, stored, size, crc, flags, method);
    ++count_;
  }
  static void append_size(pool<std::byte>& to, std::uint64_t size, bool is_wide) {
    if (is_wide)
      append_le(to, size);
    else
      append_le(to, static_cast<std::uint32_t>(size));
  }

  void write_entry(std::string_view name, std::uint64_t header, std::uint64_t stored,
                   std::uint64_t size, std::uint32_t crc, std::uint16_t flags,
                   std::uint16_t method) {
    const bool is_wide = size >= saturated || stored >= saturated, is_far = header >= saturated;
    const auto extra = static_cast<std::uint16_t>((is_wide ? 16 : 0) + (is_far ? 8 : 0));
    append_le(directory_, entry_signature);
    append_le(directory_, std::uint32_t{0});  // versions
    append_le(directory_, flags);
    append_le(directory_, method);
    append_le(directory_, std::uint32_t{0});  // time and date
    append_le(directory_, crc);
    append_le(directory_, is_wide ? saturated : static_cast<std::uint32_t>(stored));
    append_le(directory_, is_wide ? saturated : static_cast<std::uint32_t>(size));
    append_le(directory_, static_cast<std::uint16_t>(name.size()));
    append_le(directory_, static_cast<std::uint16_t>(extra == 0 ? 0 : extra + 4));
    for (int k = 0; k < 2; ++k) append_le(directory_, std::uint16_t{0});  // comment, disk
    append_le(directory_, std::uint16_t{0});                              // attributes
    append_le(directory_, std::uint32_t{0});
    append_le(directory_, is_far ? saturated : static_cast<std::uint32_t>(header));
    append(directory_, name);
    if (extra == 0) return;
    append_le(directory_, std::uint16_t{1});
    append_le(directory_, extra);
    if (is_wide) append_le(directory_, size);
    if (is_wide) append_le(directory_, stored);
    if (is_far) append_le(directory_, header);
  }

  /// The zip64 end record, its locator, and the end record.
  void write_end(std::uint64_t directory) {
    const std::uint64_t record = offset_, size = record - directory;
    append_le(piece_, end64_signature);
    append_le(piece_, end64_size - 12);
    append_le(piece_, std::uint16_t{0x031e});
    append_le(piece_, std::uint16_t{45});
    append_le(piece_, std::uint64_t{0});  // this disk, and that of the directory
    append_le(piece_, count_);
    append_le(piece_, count_);
    append_le(piece_, size);
    append_le(piece_, directory);
    append_le(piece_, locator_signature);
    append_le(piece_, std::uint32_t{0});
    append_le(piece_, record);
    append_le(piece_, std::uint32_t{1});
    const auto count = static_cast<std::uint16_t>(count_ < 0xffff ? count_ : 0xffff);
    append_le(piece_, end_signature);
    append_le(piece_, std::uint32_t{0});
    append_le(piece_, count);
    append_le(piece_, count);
    append_le(piece_, static_cast<std::uint32_t>(size < saturated ? size : saturated));
    append_le(piece_, static_cast<std::uint32_t>(directory < saturated ? directory : saturated));
    append_le(piece_, std::uint16_t{0});
    put(piece_);
  }

  const model& m_;
  sink to_;
  std::uint64_t offset_ = 0, count_ = 0;
  bool stopped_ = false;
  pool<std::byte> piece_, directory_;
  text names_, root_, json_;
  text program_json_, weights_json_, constants_json_;
  pool<part> parts_;
  pool<std::uint32_t> numbers_;  // of members with storages
};

}  // namespace pt2::detail
namespace pt2 {

TESSERA_INLINE error write(const model& m, const sink& to, const write_options& options) {
  return detail::archive_writer(m, to).write(options);
}

TESSERA_INLINE result<pool<std::byte>> write(const model& m, const write_options& options) {
  pool<std::byte> out;
  const sink to{&out, [](void* pool_of, bytes piece) {
                  static_cast<pool<std::byte>*>(pool_of)->append(piece.data(), piece.size());
                  return true;
                }};
  if (const error e = write(m, to, options); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE text write_program(const model& m) {
  text json;
  if (check(m).code == errc::ok) detail::program_writer(json, m).program();
  return detail::in_ascii(json);
}

}  // namespace pt2
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_PT2_DETAIL_WRITE_HPP

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
