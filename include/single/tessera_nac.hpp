// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.9.0: tessera/nac/all.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/nac/all.hpp
//
// NAC with everything: the four verbs of nac.hpp, and assembly, conversion, quantization, weights
// outside, execution plans and tokenizers. The single header is made from this one.


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

#ifndef TESSERA_NAC_ALL_HPP
#define TESSERA_NAC_ALL_HPP


// ---- tessera/nac.hpp
//
// NAC: the .nac container and its instruction set, versions 1.6, 1.7 and 1.8.
//
//   auto file = tessera::nac::read(mapped);
//   if (!file) return fail(describe(file.error(), mapped));
//   tessera::report found;
//   auto program = tessera::nac::verify(*file, {}, &found);
//   std::cout << tessera::nac::print(*file);
//   auto bytes = tessera::nac::write(*file);
//
//   read        a view of a container                              nac/read.hpp
//   verify      the proof that it can run: a report and a program  nac/verify.hpp
//   print       everything that it holds, as text                  nac/print.hpp
//   write       a container, from a model or from parts            nac/write.hpp
//   parts_of    everything that it holds, to be changed            nac/parts.hpp
//   convert     parts in another version of the format             nac/parts.hpp
//   describe    an error with its place, offset and bytes          core/describe.hpp
//
// What is not part of the four verbs has headers of its own; nac/all.hpp has them all:
//
//   assemble           parts from the text that print writes         nac/assembly.hpp
//   read_safetensors   external weights; write_safetensors           nac/safetensors.hpp
//   externalise        moves weights out of a container, and in      nac/weights.hpp
//   index_tensors      the tensors of a file, read in small pieces   nac/weights.hpp
//   dequantize         a tensor's values; quantize: the way back     nac/quantization.hpp
//   plan_reader        execution plans: read, write, print, verify   nac/execution_plan.hpp
//   manifest_reader    the tokenizer's manifest: the same            nac/tokenizer.hpp
//
// Lifetime:   files and programs borrow the bytes that were read, parts their payloads; a temporary
//             owner of bytes is refused by the compiler.
// Errors:     values; every code and message is in core/error_table_nac.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: none to read; what everything else needs is in its header.


#ifndef TESSERA_NAC_HPP
#define TESSERA_NAC_HPP


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

// ---- tessera/nac/format.hpp
//
// NAC containers: what the format's numbers mean, a table for each.
//
//   nac::name(nac::data_type::bfloat16);          // "bf16"
//   nac::size_of(nac::data_type::int64);          // 8
//   nac::predefined_operation(11, 1);             // "nac.add"
//
//   offset  size  header (version 1: 88 bytes; version 2: 92 or 100)
//   0       3     "NAC"
//   3       1     version: 1 or 2
//   4       1     bit 7: weights inside; version 2, bit 6: TRNG present; the rest: quantization
//   5       2     number of named inputs
//   7       2     number of outputs
//   9       1     0
//   10      2     d_model
//   12      8·N   section offsets, 0 where absent; N = 9, 10 or 11
//   84      4     0; only version 1
//
//   slot    88 bytes   92 and 100 bytes
//   0-7     MMAP OPS CMAP CNST PERM DATA PROC ORCH
//   8       RSRC       TRNG
//   9                  RSRC
//   10                 ARRS; only 100 bytes
//
// A section is its tag of four bytes and a body; what bounds it is the next section's offset or the
// end of the file. Integers are little-endian.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_FORMAT_HPP
#define TESSERA_NAC_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The three headers that are read and written, by the version of the format that has them.
enum class header : std::uint8_t { v1_6, v1_7, v1_8 };
/// How many headers there are.
inline constexpr std::size_t header_count = static_cast<std::size_t>(header::v1_8) + 1;
/// The versions' names, by header.
inline constexpr std::string_view header_names[header_count] = {"1.6", "1.7", "1.8"};
inline constexpr std::uint32_t header_sizes[header_count] = {88, 92, 100};  ///< bytes, by header
/// How many section offsets a header has, by header.
inline constexpr std::uint32_t header_slots[header_count] = {9, 10, 11};
/// The version that a header belongs to: "1.6".
[[nodiscard]] constexpr std::string_view name(header h) noexcept {
  return header_names[static_cast<std::size_t>(h)];
}
inline constexpr std::uint32_t first_slot = 12;  ///< byte offset of the section offsets
/// The version byte of a header: 1 for version 1.6, 2 for 1.7 and 1.8.
[[nodiscard]] constexpr std::uint8_t container_version(header h) noexcept {
  return h == header::v1_6 ? 1 : 2;
}

// X(enumerator, tag), in the order of writing; 1.6 has another one (nac/parts.hpp)
#define TESSERA_NAC_SECTIONS(X)                                                                    \
  X(mmap, "MMAP")                                                                                  \
  X(ops, "OPS ")                                                                                   \
  X(cmap, "CMAP")                                                                                  \
  X(cnst, "CNST")                                                                                  \
  X(perm, "PERM")                                                                                  \
  X(data, "DATA")                                                                                  \
  X(proc, "PROC")                                                                                  \
  X(orch, "ORCH")                                                                                  \
  X(trng, "TRNG")                                                                                  \
  X(rsrc, "RSRC")                                                                                  \
  X(arrs, "ARRS")

/// The sections of a container.
enum class section : std::uint8_t {
#define TESSERA_X(name, tag) name,
  TESSERA_NAC_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
/// The four bytes that a section begins with, by section.
inline constexpr std::string_view section_tags[] = {
#define TESSERA_X(name, tag) tag,
    TESSERA_NAC_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_SECTIONS
/// How many kinds of sections there are.
inline constexpr std::size_t section_count = sizeof section_tags / sizeof section_tags[0];
/// The four bytes that a section begins with; "OPS " has a space.
[[nodiscard]] constexpr std::string_view tag(section s) noexcept {
  return section_tags[static_cast<std::size_t>(s)];
}
/// The section that a slot of a header is for; the tag at the offset decides what it is.
[[nodiscard]] constexpr section section_of_slot(header h, std::uint32_t slot) noexcept {
  if (h == header::v1_6 && slot == 8) return section::rsrc;
  return static_cast<section>(slot);
}

// X(enumerator, code, name in text)
#define TESSERA_NAC_QUANTIZATIONS(X)                                                               \
  X(none, 0, "none")                                                                               \
  X(fp16, 1, "fp16")                                                                               \
  X(int8_tensor, 2, "int8_tensor")                                                                 \
  X(int8_channel, 3, "int8_channel")                                                               \
  X(block_fp8, 4, "block_fp8")

/// How weights are stored. `block_fp8` is int8 with a scale for each block: no FP8 format is in it.
enum class quantization : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_QUANTIZATIONS(TESSERA_X)
#undef TESSERA_X
};
/// The words in text, by code.
inline constexpr std::string_view quantization_names[] = {
#define TESSERA_X(name, code, text) text,
    TESSERA_NAC_QUANTIZATIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_QUANTIZATIONS
/// How many methods there are; codes from here on are unknown.
inline constexpr std::size_t quantization_count =
    sizeof quantization_names / sizeof quantization_names[0];
/// The word in text.
[[nodiscard]] constexpr std::string_view name(quantization q) noexcept {
  return quantization_names[static_cast<std::size_t>(q)];
}

// X(enumerator, code, bytes, name in text, name in constants and safetensors files)
#define TESSERA_NAC_DATA_TYPES(X)                                                                  \
  X(float32, 0, 4, "f32", "F32")                                                                   \
  X(float64, 1, 8, "f64", "F64")                                                                   \
  X(float16, 2, 2, "f16", "F16")                                                                   \
  X(bfloat16, 3, 2, "bf16", "BF16")                                                                \
  X(int32, 4, 4, "i32", "I32")                                                                     \
  X(int64, 5, 8, "i64", "I64")                                                                     \
  X(int16, 6, 2, "i16", "I16")                                                                     \
  X(int8, 7, 1, "i8", "I8")                                                                        \
  X(uint8, 8, 1, "u8", "U8")                                                                       \
  X(boolean, 9, 1, "bool", "BOOL")

/// The types of tensor elements.
enum class data_type : std::uint8_t {
#define TESSERA_X(name, code, size, text, safetensors) name = code,
  TESSERA_NAC_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of data types.
struct data_type_row {
  std::string_view name;         ///< in text: "f32"
  std::string_view safetensors;  ///< in safetensors files: "F32"
  std::uint8_t size;             ///< bytes of an element
};
/// All types, by code.
inline constexpr data_type_row data_types[] = {
#define TESSERA_X(name, code, size, text, safetensors) {text, safetensors, size},
    TESSERA_NAC_DATA_TYPES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_DATA_TYPES
/// How many types there are; codes from here on are unknown.
inline constexpr std::size_t data_type_count = sizeof data_types / sizeof data_types[0];
/// The name in text: "f32".
[[nodiscard]] constexpr std::string_view name(data_type t) noexcept {
  return data_types[static_cast<std::size_t>(t)].name;
}
/// Bytes of one element.
[[nodiscard]] constexpr std::uint32_t size_of(data_type t) noexcept {
  return data_types[static_cast<std::size_t>(t)].size;
}
/// Whether a type is float32, float64, float16 or bfloat16.
[[nodiscard]] constexpr bool is_floating(data_type t) noexcept { return t <= data_type::bfloat16; }

// X(enumerator, code, name in text)
#define TESSERA_NAC_CONSTANT_TYPES(X)                                                              \
  X(null, 0, "null")                                                                               \
  X(boolean, 1, "bool")                                                                            \
  X(int64, 2, "int64")                                                                             \
  X(float64, 3, "float64")                                                                         \
  X(string, 4, "string")                                                                           \
  X(int32_list, 5, "list[int32]")                                                                  \
  X(float32_list, 6, "list[float32]")

/// The types of constants (section 5.3.2).
enum class constant_type : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_CONSTANT_TYPES(TESSERA_X)
#undef TESSERA_X
};
/// The names in text, by code.
inline constexpr std::string_view constant_type_names[] = {
#define TESSERA_X(name, code, text) text,
    TESSERA_NAC_CONSTANT_TYPES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_CONSTANT_TYPES
/// How many types there are; codes from here on are unknown.
inline constexpr std::size_t constant_type_count =
    sizeof constant_type_names / sizeof constant_type_names[0];
/// The name in text: "list[int32]".
[[nodiscard]] constexpr std::string_view name(constant_type t) noexcept {
  return constant_type_names[static_cast<std::size_t>(t)];
}

// X(enumerator, code, name in text)
#define TESSERA_NAC_ACTIONS(X)                                                                     \
  X(save_result, 10, "save_result")                                                                \
  X(save_for_grad, 15, "save_for_grad")                                                            \
  X(free, 20, "free")                                                                              \
  X(free_after_trng, 25, "free_after_trng")                                                        \
  X(forward, 30, "forward")                                                                        \
  X(preload, 40, "preload")

/// What the memory coprocessor does at a tick (section 4.5). 15 and 25 came with version 1.7.
enum class action : std::uint8_t {
#define TESSERA_X(name, code, text) name = code,
  TESSERA_NAC_ACTIONS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of actions.
struct action_row {
  action what;            ///< the action; its value is the code
  std::string_view name;  ///< the word in text
};
/// All actions, by ascending code.
inline constexpr action_row actions[] = {
#define TESSERA_X(name, code, text) {action::name, text},
    TESSERA_NAC_ACTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_ACTIONS
/// Empty for a code that isn't one.
[[nodiscard]] constexpr std::string_view name(action a) noexcept {
  for (const action_row& row : actions)
    if (row.what == a) return row.name;
  return {};
}

/// System operations: A below 10 (section 7).
inline constexpr std::uint8_t op_none = 0, op_input = 2, op_output = 3, op_control_flow = 6,
                              op_convergence = 7, first_regular_op = 10;

/// What an INPUT is (B; section 7.1).
enum class input : std::uint8_t {
  user,             ///< what the caller gives
  parameter,        ///< the parameter that C names
  state,            ///< a state of the runtime, which C numbers
  lifted_constant,  ///< the constant that C names
  saved_result,     ///< of TRNG: the result of the instruction of OPS that C numbers; version 2
  target            ///< of TRNG: what the loss is measured against, which C numbers; version 2
};
/// What an OUTPUT is (B).
enum class output : std::uint8_t {
  model,     ///< the model's results
  subgraph,  ///< the results of a branch
  reserved,  ///< without a meaning; it has the words of the others
  step,      ///< the fused gradient step, of one parameter; version 2
  end        ///< the end of TRNG; version 2
};

/// Whether a container of a version has an operation below 10 with this B.
[[nodiscard, gnu::always_inline]] constexpr bool has_variant(std::uint8_t a, std::uint8_t b,
                                                             std::uint32_t version) noexcept {
  if (a == op_input) return b < (version == 1 ? 4 : 6);
  return a != op_output || b < (version == 1 ? 3 : 5);
}
/// What follows A and B of an operation below 10: a prefix, words of C and words of D. How many a
/// CONVERGENCE has, the words themselves say: `d` at least. Asked for each instruction that is
/// read, hence inlined.
struct system_words {
  bool has_prefix = false;     ///< whether a 16-bit prefix comes first
  std::uint32_t c = 0, d = 0;  ///< 16-bit words of C and of D, after the prefix
};
/// The words of the operation `a` with variant `b`, where the header counts `outputs` outputs.
[[nodiscard, gnu::always_inline]] constexpr system_words system_words_of(
    std::uint8_t a, std::uint8_t b, std::uint16_t outputs) noexcept {
  if (a == op_input && b != 0) return {true, 1, 0};
  if (a == op_output && b < 3) return {true, outputs, outputs};
  if (a == op_output) return b == 3 ? system_words{true, 1, 2} : system_words{false, 0, 1};
  if (a == op_control_flow) return {true, 2, 1};
  if (a == op_convergence) return {true, 0, 1};
  return {};
}

/// The operations with fixed ids, from 10 upwards; version 1 knows the first ten.
inline constexpr std::string_view predefined_operations[] = {
    "nac.pass",      "nac.add",       "nac.sub",   "nac.gt",         "nac.neg",       "nac.where",
    "nac.clone",     "nac.view",      "nac.le",    "nac.arange",     "nac.mul",       "nac.div",
    "nac.matmul",    "nac.transpose", "nac.zeros", "nac.zeros_like", "nac.new_zeros", "nac.ones",
    "nac.ones_like", "nac.new_ones",  "nac.full",  "nac.full_like",
};
/// Operations that aren't predefined get ids from here on: free in both versions.
inline constexpr std::uint32_t first_custom_op = 32;
/// Empty where a container of this version has no operation with that id.
[[nodiscard]] constexpr std::string_view predefined_operation(std::uint32_t id,
                                                              std::uint32_t version) noexcept {
  const std::uint32_t end = version == 1 ? 20 : 32;
  return id < first_regular_op || id >= end ? std::string_view()
                                            : predefined_operations[id - first_regular_op];
}

/// Whether a signature's code takes a constant where D is 0 (section 5.2.3). Other letters, unknown
/// ones too, are results.
[[nodiscard]] constexpr bool is_constant_code(char code) noexcept {
  return code == 'S' || code == 'A' || code == 'f' || code == 'i' || code == 'b' || code == 's' ||
         code == 'c';
}
/// Whether the instructions of a signature have a list of constants.
[[nodiscard]] constexpr bool takes_constants(std::string_view signature) noexcept {
  for (const char code : signature)
    if (is_constant_code(code)) return true;
  return false;
}

inline constexpr std::uint32_t max_instructions = 65535;  ///< that 16-bit references can number
inline constexpr std::uint32_t max_id = 32767;            ///< of constants and parameters, written

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_FORMAT_HPP

// ---- tessera/nac/model.hpp
//
// A NAC container that was read: a view of its header, its sections and their records.
//
//   for (const nac::instruction i : file.instructions())
//     std::cout << i.index << ' ' << file.operation_name(i.a) << '\n';
//
//   A ≥ 10             u8 A, u8 B, [i16 n, n × i16 constant], len(PERM[B]) × i16
//                      the constants only where PERM[B] holds one of S A f i b s c;
//                      without a signature: only A and B
//   2 INPUT     0      nothing               3 OUTPUT  0 1 2  outputs + 1 words, outputs words
//               1-5    prefix, id                      3      prefix, parameter, 2 × i16 (version 2)
//                      4 and 5: version 2              4      i16 (version 2)
//   6 CONTROL_FLOW     prefix, lengths of both branches, i16
//   7 CONVERGENCE      i16 n, n × i16, end, and where end isn't 0: i16 n, n × i16
//   0 1 4 5 8 9        nothing
//
// The first word of a system operation is a prefix: a count of the following words, which by the
// specification includes the prefix, and in files of the original compiler doesn't. Sizes don't
// depend on it, except for CONVERGENCE. No compiler writes that one; runtimes read one word after
// its constants, where the specification has branches; an end of 0 means that there are none.
//
// Lifetime:   borrows the bytes that were read; ranges of instructions borrow the model.
// Errors:     none: `read` has checked every record.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_MODEL_HPP
#define TESSERA_NAC_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/record_list.hpp
//
// How the records of a section are found in its bytes; the lists of nac/model.hpp are made of it.

#ifndef TESSERA_NAC_DETAIL_RECORD_LIST_HPP
#define TESSERA_NAC_DETAIL_RECORD_LIST_HPP

#include <cstddef>
#include <cstdint>


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
namespace nac {

template <class T>
class packed;
struct named;
struct constant;
struct tensor;
struct resource;
struct array;
struct command;
struct tick;

}  // namespace nac
namespace nac::detail {

/// The number of elements of a shape: 1 of none, 0 as soon as one dimension is 0. False when it
/// doesn't fit.
template <class Shape>
[[nodiscard]] inline bool count_elements(const Shape& shape, std::uint64_t& count) noexcept {
  bool fits = true, none = false;
  count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    none = none || shape[i] == 0;
    fits = fits && checked_mul(count, std::uint64_t{shape[i]}, count);
  }
  if (none) count = 0;
  return fits || none;
}

/// Walks over a part of a file; what it takes was asked for by `has` before.
class cursor {
 public:
  cursor() noexcept = default;
  cursor(const std::byte* model, std::uint64_t at, std::uint64_t end) noexcept
      : model_(model), at_(at), end_(end) {}
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return end_ - at_; }
  [[nodiscard]] bool has(std::uint64_t count) const noexcept { return left() >= count; }
  [[nodiscard]] const std::byte* data() const noexcept { return model_ + at_; }
  template <class T>
  [[nodiscard]] T take() noexcept {
    const T value = load_le<T>(data());
    at_ += sizeof(T);
    return value;
  }
  [[nodiscard]] bytes take_bytes(std::uint64_t count) noexcept;
  template <class T>
  [[nodiscard]] packed<T> take_packed(std::uint32_t count) noexcept {
    const packed<T> values(data(), count);
    at_ += std::uint64_t{count} * sizeof(T);
    return values;
  }
  [[nodiscard]] error fail(errc code) const noexcept { return {code, at_}; }

 private:
  const std::byte* model_ = nullptr;
  std::uint64_t at_ = 0, end_ = 0;
};

// One function for each record: how many bytes it has at least, and how it is read.

struct short_named {
  using record = named;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept;
};

struct long_named {
  using record = named;
  static constexpr std::uint64_t least = 4;
  [[nodiscard]] static error parse(cursor& in, named& out) noexcept;
};

struct constant_form {
  using record = constant;
  static constexpr std::uint64_t least = 5;
  [[nodiscard]] static error parse(cursor& in, constant& out) noexcept;
};

struct tensor_form {
  using record = tensor;
  static constexpr std::uint64_t least = 14;
  [[nodiscard]] static error parse(cursor& in, tensor& out) noexcept;
};

struct resource_form {
  using record = resource;
  static constexpr std::uint64_t least = 6;
  [[nodiscard]] static error parse(cursor& in, resource& out) noexcept;
};

struct array_form {
  using record = array;
  static constexpr std::uint64_t least = 12;
  [[nodiscard]] static error parse(cursor& in, array& out) noexcept;
};

struct command_form {
  using record = command;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, command& out) noexcept;
};

struct tick_form {
  using record = tick;
  static constexpr std::uint64_t least = 3;
  [[nodiscard]] static error parse(cursor& in, tick& out) noexcept;
};

/// An instruction that `read` came by: a further place to decode from.
struct waypoint {
  std::uint64_t offset = 0;                ///< from the first instruction
  std::uint32_t index = 0, arguments = 0;  ///< of the instruction; in front of it
};
/// Those of a list, about an eighth of it apart; none of a short list.
struct waypoints {
  static constexpr std::uint32_t max_count = 7;
  waypoint all[max_count];
  std::uint32_t count = 0;
};

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RECORD_LIST_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- Records of all sections but OPS and TRNG, and lists of them over the bytes.
//
//   for (const nac::tensor t : file.tensors())
//     std::cout << t.id << ' ' << name(t.type) << ' ' << t.data.size() << '\n';
//
//   CMAP PERM        u32 n { u16 id, u8 length, text }
//   CNST             u32 n { u16 id, u8 type, u16 length, payload }, ORCH's pool too
//   MMAP             u32 n { u16 tick, u8 n { u8 action, u16 target } }
//   DATA block 1, 2  u32 n { u16 id, u16 length, text }
//   DATA block 3     u32 n { u16 id, u32 metadata, u64 data, metadata, data }
//     metadata       u8 type, u8 rank, rank × u32, u8 quantization, and then by its code
//       2 int8_tensor   f32 scale
//       3 int8_channel  u8 axis, u32 n, n × f32
//       4 block_fp8     u16 block, u8 rank, rank × u32, u32 n, n × f32
//   RSRC             u32 n { u16 length, name, u32 length, data }
//   ARRS             u32 n { u16 length, name, u8 type, u8 rank, rank × u32, u64 length, data }
//
// A list decodes its records while it is iterated, by the functions that `read` checks them with.
//
// Lifetime:   records and lists borrow the bytes that were read.
// Errors:     of the parse functions, values; iterating a list that `read` made has none.
// Limits:     none of their own.
// Allocation: none.

/// Consecutive little-endian values, unaligned.
template <class T>
class packed {
 public:
  packed() noexcept = default;
  /// The `size` values of `sizeof(T)` bytes each that begin at `data`.
  packed(const std::byte* data, std::uint32_t size) noexcept : data_(data), size_(size) {}
  /// How many values there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Value i, which must exist.
  [[nodiscard]] T operator[](std::size_t i) const noexcept {
    return load_le<T>(data_ + i * sizeof(T));
  }
  /// The first byte of the first value; null for a default one.
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }

 private:
  const std::byte* data_ = nullptr;
  std::uint32_t size_ = 0;
};

/// An id and its text: an operation of CMAP, a signature of PERM, a parameter or an input of DATA
/// (whose id is the index of its INPUT instruction).
struct named {
  std::uint64_t offset = 0;  ///< of the record
  std::uint16_t id = 0;      ///< its key; of records with one id the last counts
  std::string_view text;     ///< the bytes of the file, whose encoding isn't checked
};

/// A constant of CNST or of the orchestrator's pool.
struct constant {
  std::uint64_t offset = 0;                  ///< of the record
  std::uint16_t id = 0;                      ///< its key; of records with one id the last counts
  constant_type type = constant_type::null;  ///< decides which of the functions below may be called
  std::uint16_t length = 0;                  ///< as in the file: bytes, elements, or ignored
  const std::byte* payload = nullptr;        ///< its first byte in the file

  /// The value of a boolean: any byte but 0 is true.
  [[nodiscard]] bool boolean() const noexcept { return payload[0] != std::byte{0}; }
  /// The value of an int64.
  [[nodiscard]] std::int64_t int64() const noexcept { return load_le<std::int64_t>(payload); }
  /// The value of a float64.
  [[nodiscard]] double float64() const noexcept { return load_le<double>(payload); }
  /// The bytes of a string.
  [[nodiscard]] std::string_view string() const noexcept { return as_text(bytes(payload, length)); }
  /// The elements of a list[int32].
  [[nodiscard]] packed<std::int32_t> int32_list() const noexcept { return {payload, length}; }
  /// The elements of a list[float32].
  [[nodiscard]] packed<float> float32_list() const noexcept { return {payload, length}; }
};

/// A tensor of DATA: what its metadata say, and its elements (section 6.1.1).
struct tensor {
  std::uint64_t offset = 0;             ///< of the record
  std::uint64_t data_offset = 0;        ///< of the elements
  std::uint16_t id = 0;                 ///< of its parameter
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// The tensor's own method, whatever the header says.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;                 ///< int8_channel: the axis that scales run along
  std::uint16_t block = 0;               ///< block_fp8: elements of one scale
  packed<std::uint32_t> shape;           ///< as it is stored: block_fp8 stores the padded count
  packed<std::uint32_t> original_shape;  ///< block_fp8: the shape that it is read as
  packed<float> scales;  ///< none, one of int8_tensor, else one for each channel or block
  bytes metadata, data;  ///< as they are in the file; the elements

  /// The shape of the values: `original_shape` for block_fp8, else `shape`.
  [[nodiscard]] packed<std::uint32_t> value_shape() const noexcept {
    return quantization == nac::quantization::block_fp8 ? original_shape : shape;
  }
};

/// A file of RSRC.
struct resource {
  std::uint64_t offset = 0, data_offset = 0;  ///< of the record; of `data`
  std::string_view name;                      ///< bytes of the file; verify finds names that repeat
  bytes data;                                 ///< its content, which NAC doesn't interpret
};

/// An array of ARRS.
struct array {
  std::uint64_t offset = 0, data_offset = 0;  ///< of the record; of `data`
  std::string_view name;                      ///< bytes of the file; verify finds names that repeat
  data_type type = data_type::float32;        ///< of the elements
  packed<std::uint32_t> shape;  ///< sizes of the dimensions; none for a single element
  bytes data;                   ///< the elements, row-major and little-endian
};

/// A command of MMAP; `what` may be an unknown code.
struct command {
  std::uint64_t offset = 0;           ///< of the record
  action what = action::save_result;  ///< what is to be done
  std::uint16_t target = 0;           ///< the index of an instruction of OPS
};

/// A number of records of one form, decoded while they are iterated.
template <class Form>
class list {
 public:
  using value_type = typename Form::record;  ///< what iteration gives

  /// Decodes a record at a time.
  class iterator {
   public:
    /// At the end of any list.
    iterator() noexcept = default;
    /// At the first of `left` records that begin at `at`.
    iterator(detail::cursor at, std::uint32_t left) noexcept : next_(at), left_(left) { read(); }
    /// The current record, which lasts until the iterator moves.
    [[nodiscard]] const value_type& operator*() const noexcept { return record_; }
    /// The same.
    [[nodiscard]] const value_type* operator->() const noexcept { return &record_; }
    /// Moves to the next record.
    iterator& operator++() noexcept {
      --left_;
      read();
      return *this;
    }
    /// Whether as many records are left, for iterators of one list.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.left_ == b.left_;
    }

   private:
    void read() noexcept {
      if (left_ != 0) (void)Form::parse(next_, record_);  // which `read` has found to be right
    }
    detail::cursor next_;
    std::uint32_t left_ = 0;
    value_type record_;
  };

  /// No records.
  list() noexcept = default;
  /// The `count` records that begin at `first`, all of which Form::parse accepts.
  list(detail::cursor first, std::uint32_t count) noexcept : first_(first), count_(count) {}
  /// How many records there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The first record, decoded.
  [[nodiscard]] iterator begin() const noexcept { return {first_, count_}; }
  /// After the last record.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first record.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }

 private:
  detail::cursor first_;
  std::uint32_t count_ = 0;
};

using short_names = list<detail::short_named>;  ///< of CMAP and PERM
using long_names = list<detail::long_named>;    ///< of DATA
using constants = list<detail::constant_form>;  ///< of CNST or of the orchestrator's pool
using tensors = list<detail::tensor_form>;      ///< of DATA
using resources = list<detail::resource_form>;  ///< of RSRC
using arrays = list<detail::array_form>;        ///< of ARRS
using commands = list<detail::command_form>;    ///< of a tick

/// The commands of one instruction of OPS.
struct tick {
  std::uint64_t offset = 0;       ///< of the record
  std::uint16_t instruction = 0;  ///< its index in OPS
  nac::commands commands;         ///< in the order of the file
};

using schedule = list<detail::tick_form>;  ///< the ticks of MMAP

/// An instruction of OPS or TRNG.
struct instruction {
  std::uint64_t offset = 0;  ///< of its first byte
  std::uint32_t index = 0;   ///< in its list, from 0
  /// A, the operation, which CMAP names from 10 on; B, the id of its signature in PERM, or the
  /// variant of a system operation.
  std::uint8_t a = 0, b = 0;
  bool has_prefix = false;  ///< whether a 16-bit prefix precedes C
  std::int16_t prefix = 0;  ///< as in the file, where there is one
  packed<std::uint16_t> c;  ///< what follows the prefix: ids, or lengths of branches
  packed<std::int16_t> d;   ///< offsets to instructions; 0: a constant

  /// The offset of a word of C or D.
  [[nodiscard]] std::uint64_t c_offset(std::size_t k) const noexcept {
    return offset + (has_prefix ? 4 : 2) + 2 * std::uint64_t{k};
  }
  /// The offset of word `k` of D.
  [[nodiscard]] std::uint64_t d_offset(std::size_t k) const noexcept {
    return c_offset(c.size() + k);
  }
};

class model;

namespace detail {
[[nodiscard]] error parse_instruction(const model& f, cursor& in, instruction& out) noexcept;
struct maker;
struct place_finder;
}  // namespace detail

/// The instructions of OPS or TRNG.
class instructions {
 public:
  /// Decodes an instruction at a time.
  class iterator {
   public:
    /// At the end of any list.
    iterator() noexcept = default;
    /// At the first of `left` instructions of `f` that begin at `at`.
    iterator(const model* f, detail::cursor at, std::uint32_t left) noexcept;
    /// The current instruction, which lasts until the iterator moves.
    [[nodiscard]] const instruction& operator*() const noexcept { return now_; }
    /// The same.
    [[nodiscard]] const instruction* operator->() const noexcept { return &now_; }
    /// Moves to the next instruction.
    iterator& operator++() noexcept;
    /// Whether as many instructions are left, for iterators of one list.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.left_ == b.left_;
    }

   private:
    void read() noexcept;
    const model* model_ = nullptr;
    detail::cursor next_;
    std::uint32_t left_ = 0;
    instruction now_;
  };

  /// No instructions.
  instructions() noexcept = default;
  /// The `count` instructions of `f` that begin at `first`; model::instructions and model::training
  /// make them.
  instructions(const model* f, detail::cursor first, std::uint32_t count,
               const detail::waypoints& noted = {}) noexcept
      : model_(f), first_(first), count_(count), waypoints_(noted) {}
  /// How many instructions there are.
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The first instruction, decoded.
  [[nodiscard]] iterator begin() const noexcept { return {model_, first_, count_}; }
  /// After the last instruction.
  [[nodiscard]] iterator end() const noexcept { return {}; }
  /// Byte offset of the first instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return first_.offset(); }
  /// At the first instruction, and ending at the section's bound.
  [[nodiscard]] detail::cursor cursor() const noexcept { return first_; }
  /// Instructions that `read` came by, about an eighth of the list apart: decode and resolve begin
  /// at these too. None of a short list.
  [[nodiscard]] const detail::waypoints& waypoints() const noexcept { return waypoints_; }

 private:
  const model* model_ = nullptr;
  detail::cursor first_;
  std::uint32_t count_ = 0;
  detail::waypoints waypoints_;
};

/// A container. Only `read` makes one that isn't empty.
class model {
 public:
  /// All bytes that were read.
  [[nodiscard]] bytes source() const noexcept { return source_; }
  /// The form of the header, hence the version.
  [[nodiscard]] nac::header header() const noexcept { return header_; }
  /// The container's version byte: 1 or 2.
  [[nodiscard]] std::uint8_t version() const noexcept { return container_version(header_); }
  /// The method that the header names; what counts is each tensor's own.
  [[nodiscard]] nac::quantization quantization() const noexcept { return quantization_; }
  /// Bit 7 of byte 4: the header says that the weights are in the file.
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// Bit 6 of byte 4: a header of version 2 says that it has a training section.
  [[nodiscard]] bool has_training_flag() const noexcept { return training_flag_; }
  /// The number of named inputs that the header states.
  [[nodiscard]] std::uint16_t inputs() const noexcept { return inputs_; }
  /// The number of outputs that the header states: as many results as each OUTPUT has.
  [[nodiscard]] std::uint16_t outputs() const noexcept { return outputs_; }
  /// The size of embeddings or of hidden states (section 2.2.4); 0 where it isn't defined.
  [[nodiscard]] std::uint16_t d_model() const noexcept { return d_model_; }

  /// Whether a section is in the file.
  [[nodiscard]] bool has(nac::section s) const noexcept { return part(s).offset != 0; }
  /// A section with its tag, up to the next section or the end of the file; empty when absent.
  [[nodiscard]] bytes section(nac::section s) const noexcept;
  /// Byte offset of a section; 0 when absent.
  [[nodiscard]] std::uint64_t offset(nac::section s) const noexcept { return part(s).offset; }
  /// Bytes between the last record of a section and its bound.
  [[nodiscard]] std::uint64_t slack(nac::section s) const noexcept {
    return part(s).end - part(s).used;
  }

  /// The ticks of MMAP in the order of the file.
  [[nodiscard]] nac::schedule schedule() const noexcept {
    return {at(nac::section::mmap), part(nac::section::mmap).count};
  }
  /// The instructions of OPS.
  [[nodiscard]] nac::instructions instructions() const& noexcept {
    return {this, at(nac::section::ops), part(nac::section::ops).count, waypoints_[0]};
  }
  nac::instructions instructions() const&& = delete;
  /// Those of TRNG.
  [[nodiscard]] nac::instructions training() const& noexcept {
    return {this, at(nac::section::trng), part(nac::section::trng).count, waypoints_[1]};
  }
  nac::instructions training() const&& = delete;
  /// Those that CMAP names.
  [[nodiscard]] short_names operations() const noexcept {
    return {at(nac::section::cmap), part(nac::section::cmap).count};
  }
  /// The records of CNST.
  [[nodiscard]] nac::constants constants() const noexcept {
    return {at(nac::section::cnst), part(nac::section::cnst).count};
  }
  /// The records of PERM.
  [[nodiscard]] short_names signatures() const noexcept {
    return {at(nac::section::perm), part(nac::section::perm).count};
  }
  /// The names of parameters: block 1 of DATA.
  [[nodiscard]] long_names parameters() const noexcept {
    return {at(nac::section::data), part(nac::section::data).count};
  }
  /// The named inputs: the index of an INPUT instruction and its name.
  [[nodiscard]] long_names input_names() const noexcept { return input_names_; }
  /// The tensors of parameters: block 3 of DATA; none where the weights are outside.
  [[nodiscard]] nac::tensors tensors() const noexcept { return tensors_; }
  /// PROC: the tokenizer's manifest.
  [[nodiscard]] bytes manifest() const noexcept { return manifest_; }
  /// ORCH: the bytecode, and its own constants.
  [[nodiscard]] bytes execution_plan() const noexcept { return plan_; }
  /// The orchestrator's constants, which are not those of CNST.
  [[nodiscard]] nac::constants plan_constants() const noexcept { return plan_constants_; }
  /// The files of RSRC.
  [[nodiscard]] nac::resources resources() const noexcept {
    return {at(nac::section::rsrc), part(nac::section::rsrc).count};
  }
  /// The arrays of ARRS.
  [[nodiscard]] nac::arrays arrays() const noexcept {
    return {at(nac::section::arrs), part(nac::section::arrs).count};
  }

  /// The name of an operation: CMAP's, else the one this version predefines, else empty.
  [[nodiscard]] std::string_view operation_name(std::uint8_t a) const noexcept;
  /// A signature; empty where there is none.
  [[nodiscard]] std::string_view signature(std::uint8_t b) const noexcept {
    return characters(nac::section::perm, signatures_, b);
  }
  /// Whether PERM has a signature with this id.
  [[nodiscard]] bool has_signature(std::uint8_t b) const noexcept {
    return signatures_.offset[b] != 0;
  }
  /// Whether a signature's instructions have constants.
  [[nodiscard]] bool has_constants(std::uint8_t b) const noexcept {
    return signatures_.has_constants[b];
  }
  /// How many arguments a signature has, one for each letter; 0 where there is none.
  [[nodiscard]] std::uint8_t arguments(std::uint8_t b) const noexcept {
    return signatures_.size[b];
  }

 private:
  friend struct detail::maker;
  friend struct detail::place_finder;
  struct extent {
    std::uint64_t offset = 0, end = 0;  // of the section, with its tag
    std::uint64_t first = 0, used = 0;  // of its first record, and after its last
    std::uint32_t count = 0;
  };
  /// The texts of CMAP or PERM by id: plain arrays, which are cleared in one go.
  struct short_texts {
    std::uint32_t offset[256];  // from the section's tag, so never 0 for a text
    std::uint8_t size[256];
    bool has_constants[256];  // of a signature
  };

  [[nodiscard]] const extent& part(nac::section s) const noexcept {
    return parts_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] detail::cursor at(nac::section s) const noexcept {
    return {source_.data(), part(s).first, part(s).end};
  }
  [[nodiscard]] std::string_view characters(nac::section s, const short_texts& of,
                                            std::uint8_t id) const noexcept;

  bytes source_;
  nac::header header_ = nac::header::v1_6;
  nac::quantization quantization_ = nac::quantization::none;
  bool internal_weights_ = false, training_flag_ = false;
  std::uint16_t inputs_ = 0, outputs_ = 0, d_model_ = 0;
  extent parts_[section_count];
  long_names input_names_;
  nac::tensors tensors_;
  bytes manifest_, plan_;
  nac::constants plan_constants_;
  short_texts operations_ = {}, signatures_ = {};
  detail::waypoints waypoints_[2] = {};  // of OPS, TRNG
};

inline instructions::iterator::iterator(const model* f, detail::cursor at,
                                        std::uint32_t left) noexcept
    : model_(f), next_(at), left_(left) {
  read();
}

inline void instructions::iterator::read() noexcept {
  if (left_ != 0) (void)detail::parse_instruction(*model_, next_, now_);
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_MODEL_HPP

// ---- tessera/nac/operations.hpp
//
// NAC operations: one table of all that run, with their names and the arguments that they take; its
// rows are in nac/detail/operation_rows.hpp.
//
//   nac::operation o = nac::find_operation("aten.lt.Scalar");   // operation::lt
//   nac::pattern(o);                                            // "xx"
//
// A file gives arguments by position, without names and without trailing defaults. A pattern has a
// letter for each argument; every letter but s also accepts a result, because any argument may be
// computed at run time:
//
//   t  a result                              l  a list of integers, or one integer
//   x  a tensor: a result or a number        v  such a list, or consecutive integers and results
//   n  a number                              r  a list of numbers, or one number
//   i  an integer                            s  a string
//   b  a boolean: a number                   d  anything: a data type, a device, a layout …
//
//   A capital also accepts null. After '?' all letters are optional: an argument that one of them
//   doesn't accept is tried with the next. '*' repeats the letter before it.
//
// Constants are interchangeable as far as their values allow: 1, 1.0 and true are one constant in
// files of the original compiler, so an integer may be given as a float64. "v" leaves
// enough arguments for the mandatory letters after it: "vn" gives the last number to n.
//
// The form in place of an operation has no row: aten.add_.Tensor is aten.add.Tensor, whose first
// operand has the result from then on. is_in_place() distinguishes them. Only where the overloads
// differ, its name is one of the row's: aten.transpose_.default, aten.transpose.int.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     patterns of at most 10 letters.
// Allocation: none.

#ifndef TESSERA_NAC_OPERATIONS_HPP
#define TESSERA_NAC_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/operation_rows.hpp
//
// The rows of nac/operations.hpp, which explains the letters of the arguments.

#ifndef TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP
#define TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP

// One row each, X(enumerator, work, order, arguments, what PyTorch calls them, names), for whatever
// has something for every operation: a machine's functions, say. Blanks separate words. New rows come
// last, for the numbers of genes are made of their places.
// clang-format off
#define TESSERA_NAC_OPERATIONS(X)                                                                  \
  X(pass, part, kept, "x?d*", "self p", "nac.pass aten.detach.default aten.alias.default "         \
    "aten.lift.default aten.lift_fresh.default aten.resolve_conj.default "                         \
    "aten.resolve_neg.default")                                                                    \
  X(dropout, draw, kept, "t?nb", "input p train", "aten.dropout.default")                          \
  X(feature_dropout, draw, kept, "t?nb", "input p train", "aten.feature_dropout.default")          \
  X(native_dropout, draw, kept, "tn?B", "input p train", "aten.native_dropout.default")            \
  X(rand, uniform, row_major, "v?d*", "size dtype", "aten.rand.default aten.rand.generator")       \
  X(rand_like, uniform, kept, "t?d*", "self dtype", "aten.rand_like.default "                      \
    "aten.rand_like.generator")                                                                    \
  X(randn, normal, row_major, "v?d*", "size dtype", "aten.randn.default aten.randn.generator")     \
  X(randn_like, normal, kept, "t?d*", "self dtype", "aten.randn_like.default "                     \
    "aten.randn_like.generator")                                                                   \
  X(randint, uniform, row_major, "n?nld*", "high low size dtype", "aten.randint.default "          \
    "aten.randint.low aten.randint.generator aten.randint.low_generator")                          \
  X(randint_like, uniform, kept, "tn?nd*", "self high low dtype", "aten.randint_like.default "     \
    "aten.randint_like.low_dtype aten.randint_like.Tensor aten.randint_like.generator "            \
    "aten.randint_like.low_generator_dtype aten.randint_like.Tensor_generator")                    \
  X(randperm, uniform, row_major, "i?d*", "n dtype", "aten.randperm.default "                      \
    "aten.randperm.generator")                                                                     \
  X(uniform, uniform, kept, "t?nn", "self from to", "aten.uniform.default")                        \
  X(normal, normal, kept, "x?xld*", "mean std size dtype", "aten.normal.Tensor_Tensor "            \
    "aten.normal.Tensor_float aten.normal.float_Tensor aten.normal.float_float")                   \
  X(normal_like, normal, kept, "t?nn", "self mean std", "aten.normal_functional.default "          \
    "aten.normal_.default")                                                                        \
  X(bernoulli, draw, kept, "t", "self", "aten.bernoulli.default")                                  \
  X(bernoulli_by, draw, kept, "t?x", "self p", "aten.bernoulli.p aten.bernoulli.Tensor "           \
    "aten.bernoulli_.float")                                                                       \
  X(multinomial, compare, kept, "ti?b", "self num_samples replacement",                            \
    "aten.multinomial.default")                                                                    \
  X(add, each, kept, "xx?n", "self other alpha", "nac.add aten.add.Tensor aten.add.Scalar add "    \
    "_operator.add")                                                                               \
  X(sub, each, kept, "xx?n", "self other alpha", "nac.sub aten.sub.Tensor aten.sub.Scalar sub "    \
    "_operator.sub aten.subtract.Tensor aten.subtract.Scalar")                                     \
  X(rsub, each, kept, "xx?n", "self other alpha", "aten.rsub.Tensor aten.rsub.Scalar")             \
  X(gt, each, kept, "xx", "self other", "nac.gt aten.gt.Tensor aten.gt.Scalar gt _operator.gt "    \
    "aten.greater.Tensor aten.greater.Scalar")                                                     \
  X(neg, each, kept, "x", "self", "nac.neg aten.neg.default neg _operator.neg "                    \
    "aten.negative.default")                                                                       \
  X(positive, part, kept, "t", "self", "aten.positive.default")                                    \
  X(where, move, kept, "txx", "condition self other", "nac.where aten.where.self "                 \
    "aten.where.ScalarOther aten.where.ScalarSelf aten.where.Scalar")                              \
  X(where_true, each, unknown, "t", "self", "aten.where.default aten.nonzero_numpy.default")       \
  X(masked_fill, move, kept, "ttx", "self mask value", "aten.masked_fill.Scalar "                  \
    "aten.masked_fill.Tensor")                                                                     \
  X(clone, each, kept, "x?d", "self memory_format", "nac.clone aten.clone.default "                \
    "aten.lift_fresh_copy.default aten.contiguous.default aten.alias_copy.default "                \
    "aten.detach_copy.default")                                                                    \
  X(view, part, kept, "tv", "self size", "nac.view aten.view.default aten.reshape.default "        \
    "aten._unsafe_view.default aten.view_copy.default aten._reshape_copy.default")                 \
  X(view_bits, part, kept, "td", "self dtype", "aten.view.dtype aten.view_copy.dtype")             \
  X(le, each, kept, "xx", "self other", "nac.le aten.le.Tensor aten.le.Scalar le _operator.le "    \
    "aten.less_equal.Tensor aten.less_equal.Scalar")                                               \
  X(arange, pick, row_major, "n?nnd*", "start end step dtype", "nac.arange aten.arange.default "   \
    "aten.arange.start aten.arange.start_step")                                                    \
  X(linspace, pick, row_major, "nnn?d*", "start end steps dtype", "aten.linspace.default "         \
    "aten.linspace.Tensor_Tensor aten.linspace.Tensor_Scalar aten.linspace.Scalar_Tensor")         \
  X(logspace, each, row_major, "nnn?nd*", "start end steps base dtype", "aten.logspace.default "   \
    "aten.logspace.Tensor_Tensor aten.logspace.Tensor_Scalar aten.logspace.Scalar_Tensor")         \
  X(mul, each, kept, "xx", "self other", "nac.mul aten.mul.Tensor aten.mul.Scalar mul "            \
    "_operator.mul aten.multiply.Tensor aten.multiply.Scalar")                                     \
  X(div, function, kept, "xx", "self other", "nac.div aten.div.Tensor aten.div.Scalar truediv "    \
    "_operator.truediv aten.divide.Tensor aten.true_divide.Tensor aten.divide.Scalar "             \
    "aten.true_divide.Scalar")                                                                     \
  X(matmul, each, row_major, "tt", "self other", "nac.matmul aten.matmul.default "                 \
    "aten.mm.default aten.bmm.default aten.linalg_matmul.default")                                 \
  X(transpose, move, unknown, "t?ii", "self dim0 dim1", "nac.transpose aten.transpose.int "        \
    "aten.t.default aten.swapaxes.default aten.swapdims.default aten.transpose_.default "          \
    "aten.transpose_copy.int aten.t_copy.default")                                                 \
  X(zeros, part, row_major, "v?d*", "size dtype", "nac.zeros aten.zeros.default "                  \
    "aten.empty.memory_format")                                                                    \
  X(zeros_like, part, kept, "t?d*", "self dtype", "nac.zeros_like aten.zeros_like.default "        \
    "aten.empty_like.default aten.zero.default")                                                   \
  X(new_zeros, part, row_major, "tv?d*", "self size dtype", "nac.new_zeros "                       \
    "aten.new_zeros.default aten.new_empty.default")                                               \
  X(ones, part, row_major, "v?d*", "size dtype", "nac.ones aten.ones.default")                     \
  X(ones_like, part, kept, "t?d*", "self dtype", "nac.ones_like aten.ones_like.default")           \
  X(new_ones, part, row_major, "tv?d*", "self size dtype", "nac.new_ones aten.new_ones.default")   \
  X(new_full, part, row_major, "tvn?d*", "self size fill_value dtype", "aten.new_full.default")    \
  X(full, part, row_major, "vn?d*", "size fill_value dtype", "nac.full aten.full.default")         \
  X(full_like, part, kept, "tn?d*", "self fill_value dtype", "nac.full_like "                      \
    "aten.full_like.default")                                                                      \
  X(getitem, part, kept, "ti", "self index", "getitem operator.getitem")                           \
  X(sym_size, part, kept, "ti", "self dim", "aten.sym_size.int aten.size.int")                     \
  X(sym_stride, part, kept, "ti", "self other", "aten.sym_stride.int aten.stride.int")             \
  X(sym_storage_offset, part, kept, "t", "self", "aten.sym_storage_offset.default "                \
    "aten.storage_offset.default")                                                                 \
  X(sym_is_contiguous, part, kept, "t?d*", "self memory_format",                                   \
    "aten.sym_is_contiguous.default aten.is_contiguous.default aten.is_contiguous.memory_format")  \
  X(as_strided, move, unknown, "tll?I", "self size stride storage_offset",                         \
    "aten.as_strided.default aten.as_strided_copy.default")                                        \
  X(resize, part, kept, "tv?d*", "self size memory_format", "aten.resize.default")                 \
  X(relu, each, kept, "t", "self", "aten.relu.default")                                            \
  X(exp, function, kept, "t", "self", "aten.exp.default")                                          \
  X(cos, function, kept, "t", "self", "aten.cos.default")                                          \
  X(sin, function, kept, "t", "self", "aten.sin.default")                                          \
  X(tanh, function, kept, "t", "self", "aten.tanh.default")                                        \
  X(abs, each, kept, "t", "self", "aten.abs.default aten.absolute.default")                        \
  X(log, function, kept, "t", "self", "aten.log.default")                                          \
  X(sqrt, root, kept, "t", "self", "aten.sqrt.default")                                            \
  X(rsqrt, root, kept, "t", "self", "aten.rsqrt.default")                                          \
  X(reciprocal, root, kept, "t", "self", "aten.reciprocal.default")                                \
  X(square, each, kept, "t", "self", "aten.square.default")                                        \
  X(floor, each, kept, "t", "self", "aten.floor.default")                                          \
  X(ceil, each, kept, "t", "self", "aten.ceil.default")                                            \
  X(round, root, kept, "t", "self", "aten.round.default")                                          \
  X(round_decimals, each, kept, "t?i", "self decimals", "aten.round.decimals "                     \
    "aten.special_round.default")                                                                  \
  X(erf, function, kept, "t", "self", "aten.erf.default aten.special_erf.default")                 \
  X(sigmoid, function, kept, "t", "self", "aten.sigmoid.default aten.special_expit.default")       \
  X(hardsigmoid, root, kept, "t", "self", "aten.hardsigmoid.default")                              \
  X(hardswish, root, kept, "t", "self", "aten.hardswish.default")                                  \
  X(silu, function, kept, "t", "self", "aten.silu.default")                                        \
  X(gelu, function, kept, "t?s", "self approximate", "aten.gelu.default")                          \
  X(leaky_relu, each, kept, "t?n", "self negative_slope", "aten.leaky_relu.default")               \
  X(elu, function, kept, "t?nnn", "self alpha scale input_scale", "aten.elu.default")              \
  X(softplus, function, kept, "t?nn", "self beta threshold", "aten.softplus.default")              \
  X(prelu, root, kept, "tt", "self weight", "aten.prelu.default aten._prelu_kernel.default")       \
  X(clamp, each, kept, "t?NN", "self min max", "aten.clamp.default aten.clamp_min.default "        \
    "aten.clip.default")                                                                           \
  X(clamp_max, each, kept, "tn", "self max", "aten.clamp_max.default")                             \
  X(pow, function, kept, "xx", "self exponent", "aten.pow.Tensor_Scalar aten.pow.Tensor_Tensor "   \
    "aten.pow.Scalar pow _operator.pow aten.pow_.Tensor")                                          \
  X(float_power, each, kept, "xx", "self exponent", "aten.float_power.Tensor_Tensor "              \
    "aten.float_power.Tensor_Scalar aten.float_power.Scalar aten.float_power_.Tensor")             \
  X(ldexp, each, kept, "tx", "self other", "aten.ldexp.Tensor aten.ldexp_.default")                \
  X(minimum, each, kept, "xx", "self other", "aten.min.other aten.minimum.default "                \
    "aten.clamp_max.Tensor torch.sym_min")                                                         \
  X(maximum, each, kept, "xx", "self other", "aten.max.other aten.maximum.default torch.sym_max")  \
  X(floor_divide, function, kept, "xx", "self other", "aten.floor_divide.default floordiv "        \
    "_operator.floordiv aten.floor_divide.Scalar aten.floor_divide_.Tensor")                       \
  X(remainder, function, kept, "xx", "self other", "aten.remainder.Tensor aten.remainder.Scalar "  \
    "mod _operator.mod aten.remainder.Scalar_Tensor")                                              \
  X(fmod, function, kept, "tx", "self other", "aten.fmod.Tensor aten.fmod.Scalar")                 \
  X(div_mode, function, kept, "xx?S", "self other rounding_mode", "aten.div.Tensor_mode "          \
    "aten.div.Scalar_mode aten.divide.Tensor_mode aten.divide.Scalar_mode")                        \
  X(left_shift, each, kept, "xx", "self other", "aten.__lshift__.Tensor aten.__lshift__.Scalar "   \
    "aten.bitwise_left_shift.Tensor aten.bitwise_left_shift.Tensor_Scalar "                        \
    "aten.bitwise_left_shift.Scalar_Tensor _operator.lshift")                                      \
  X(right_shift, each, kept, "xx", "self other", "aten.__rshift__.Tensor aten.__rshift__.Scalar "  \
    "aten.bitwise_right_shift.Tensor aten.bitwise_right_shift.Tensor_Scalar "                      \
    "aten.bitwise_right_shift.Scalar_Tensor _operator.rshift")                                     \
  X(atan2, function, kept, "tt?t", "self other out", "aten.atan2.default aten.atan2.out "          \
    "aten.arctan2.default")                                                                        \
  X(hypot, function, kept, "tt", "self other", "aten.hypot.default")                               \
  X(addcmul, each, kept, "ttt?n", "self tensor1 tensor2 value", "aten.addcmul.default")            \
  X(addcdiv, function, kept, "ttt?n", "self tensor1 tensor2 value", "aten.addcdiv.default")        \
  X(lerp, each, kept, "ttx", "self end weight", "aten.lerp.Scalar aten.lerp.Tensor")               \
  X(lt, each, kept, "xx", "self other", "aten.lt.Tensor aten.lt.Scalar aten.lt.default lt "        \
    "_operator.lt aten.less.Tensor aten.less.Scalar")                                              \
  X(ge, each, kept, "xx", "self other", "aten.ge.Tensor aten.ge.Scalar ge _operator.ge "           \
    "aten.greater_equal.Tensor aten.greater_equal.Scalar")                                         \
  X(eq, each, kept, "xx", "self other", "aten.eq.Tensor aten.eq.Scalar eq _operator.eq")           \
  X(ne, each, kept, "xx", "self other", "aten.ne.Tensor aten.ne.Scalar ne _operator.ne "           \
    "aten.not_equal.Tensor aten.not_equal.Scalar")                                                 \
  X(isclose, each, kept, "tt?nnb", "self other rtol atol equal_nan", "aten.isclose.default")       \
  X(allclose, each, kept, "tt?nnb", "self other rtol atol equal_nan", "aten.allclose.default")     \
  X(equal, each, kept, "tt", "self other", "aten.equal.default")                                   \
  X(bitwise_and, each, kept, "xx", "self other", "aten.__and__.Tensor aten.bitwise_and.Tensor "    \
    "aten.bitwise_and.Scalar aten.__and__.Scalar aten.bitwise_and.Scalar_Tensor _operator.and_")   \
  X(bitwise_or, each, kept, "xx", "self other", "aten.__or__.Tensor aten.bitwise_or.Tensor "       \
    "aten.bitwise_or.Scalar aten.__or__.Scalar aten.bitwise_or.Scalar_Tensor _operator.or_")       \
  X(bitwise_xor, each, kept, "xx", "self other", "aten.__xor__.Tensor aten.bitwise_xor.Tensor "    \
    "aten.bitwise_xor.Scalar aten.__xor__.Scalar aten.bitwise_xor.Scalar_Tensor")                  \
  X(bitwise_not, each, kept, "t", "self", "aten.__not__.Tensor aten.bitwise_not.default")          \
  X(logical_and, each, kept, "tt", "self other", "aten.logical_and.default")                       \
  X(logical_or, each, kept, "tt", "self other", "aten.logical_or.default")                         \
  X(logical_xor, each, kept, "tt", "self other", "aten.logical_xor.default")                       \
  X(logical_not, each, kept, "t", "self", "aten.logical_not.default")                              \
  X(tan, function, kept, "t", "self", "aten.tan.default")                                          \
  X(sinh, function, kept, "t", "self", "aten.sinh.default")                                        \
  X(cosh, function, kept, "t", "self", "aten.cosh.default")                                        \
  X(asin, function, kept, "t", "self", "aten.asin.default aten.arcsin.default")                    \
  X(acos, function, kept, "t", "self", "aten.acos.default aten.arccos.default")                    \
  X(atan, function, kept, "t", "self", "aten.atan.default aten.arctan.default")                    \
  X(asinh, function, kept, "t", "self", "aten.asinh.default aten.arcsinh.default")                 \
  X(acosh, function, kept, "t", "self", "aten.acosh.default aten.arccosh.default")                 \
  X(atanh, function, kept, "t", "self", "aten.atanh.default aten.arctanh.default")                 \
  X(exp2, function, kept, "t", "self", "aten.exp2.default aten.special_exp2.default")              \
  X(expm1, function, kept, "t", "self", "aten.expm1.default aten.special_expm1.default")           \
  X(log2, function, kept, "t", "self", "aten.log2.default")                                        \
  X(log10, function, kept, "t", "self", "aten.log10.default")                                      \
  X(log1p, function, kept, "t", "self", "aten.log1p.default aten.special_log1p.default")           \
  X(erfc, function, kept, "t", "self", "aten.erfc.default aten.special_erfc.default")              \
  X(deg2rad, each, kept, "t", "self", "aten.deg2rad.default")                                      \
  X(rad2deg, each, kept, "t", "self", "aten.rad2deg.default")                                      \
  X(trunc, root, kept, "t", "self", "aten.trunc.default aten.fix.default")                         \
  X(frac, root, kept, "t", "self", "aten.frac.default")                                            \
  X(sign, each, kept, "t", "self", "aten.sign.default aten.sgn.default")                           \
  X(mish, function, kept, "t", "self", "aten.mish.default")                                        \
  X(log_sigmoid, function, kept, "t", "self", "aten.log_sigmoid.default")                          \
  X(relu6, each, kept, "t", "self", "aten.relu6.default")                                          \
  X(hardtanh, each, kept, "t?nn", "self min_val max_val", "aten.hardtanh.default")                 \
  X(selu, function, kept, "t", "self", "aten.selu.default")                                        \
  X(celu, function, kept, "t?n", "self alpha", "aten.celu.default")                                \
  X(softshrink, root, kept, "t?n", "self lambd", "aten.softshrink.default")                        \
  X(hardshrink, root, kept, "t?n", "self lambd", "aten.hardshrink.default")                        \
  X(threshold, each, kept, "tnn", "self threshold value", "aten.threshold.default")                \
  X(logit, function, kept, "t?N", "self eps", "aten.logit.default aten.special_logit.default")     \
  X(nan_to_num, root, kept, "t?NNN", "self nan posinf neginf", "aten.nan_to_num.default")          \
  X(isfinite, each, kept, "t", "self", "aten.isfinite.default")                                    \
  X(signbit, each, kept, "t", "self", "aten.signbit.default")                                      \
  X(isnan, each, kept, "t", "self", "aten.isnan.default")                                          \
  X(isinf, each, kept, "t", "self", "aten.isinf.default")                                          \
  X(sinc, function, kept, "t", "self", "aten.sinc.default aten.special_sinc.default")              \
  X(angle, each, kept, "t", "self", "aten.angle.default")                                          \
  X(isposinf, each, kept, "t", "self", "aten.isposinf.default")                                    \
  X(isneginf, each, kept, "t", "self", "aten.isneginf.default")                                    \
  X(fmin, each, kept, "tx", "self other", "aten.fmin.default")                                     \
  X(fmax, each, kept, "tx", "self other", "aten.fmax.default")                                     \
  X(gcd, compare, kept, "tx", "self other", "aten.gcd.default")                                    \
  X(lcm, compare, kept, "tx", "self other", "aten.lcm.default")                                    \
  X(logaddexp, function, kept, "tx", "self other", "aten.logaddexp.default")                       \
  X(logaddexp2, function, kept, "tx", "self other", "aten.logaddexp2.default")                     \
  X(xlogy, function, kept, "xx", "self other", "aten.xlogy.Tensor aten.xlogy.Scalar_Self "         \
    "aten.xlogy.Scalar_Other aten.special_xlogy.default aten.special_xlogy.self_scalar "           \
    "aten.special_xlogy.other_scalar")                                                             \
  X(xlog1py, function, kept, "xx", "self other", "aten.special_xlog1py.default "                   \
    "aten.special_xlog1py.self_scalar aten.special_xlog1py.other_scalar")                          \
  X(copysign, each, kept, "tx", "self other", "aten.copysign.Tensor aten.copysign.Scalar")         \
  X(heaviside, each, kept, "tt", "self values", "aten.heaviside.default")                          \
  X(clamp_tensor, each, kept, "t?TT", "self min max", "aten.clamp.Tensor aten.clamp_min.Tensor "   \
    "aten.clip.Tensor")                                                                            \
  X(glu, function, kept, "t?i", "self dim", "aten.glu.default")                                    \
  X(linear, each, row_major, "tt?T", "input weight bias", "aten.linear.default")                   \
  X(addmm, each, row_major, "ttt?nn", "self mat1 mat2 beta alpha", "aten.addmm.default")           \
  X(baddbmm, each, row_major, "ttt?nn", "self batch1 batch2 beta alpha", "aten.baddbmm.default")   \
  X(outer, each, kept, "tt", "self vec2", "aten.outer.default aten.ger.default")                   \
  X(dot, each, kept, "tt", "self tensor", "aten.dot.default aten.vdot.default")                    \
  X(mv, each, kept, "tt", "self vec", "aten.mv.default")                                           \
  X(vecdot, each, kept, "tt?i", "x y dim", "aten.linalg_vecdot.default")                           \
  X(inner, each, kept, "tt", "self other", "aten.inner.default")                                   \
  X(addmv, each, kept, "ttt?nn", "self mat vec beta alpha", "aten.addmv.default")                  \
  X(addr, each, kept, "ttt?nn", "self vec1 vec2 beta alpha", "aten.addr.default")                  \
  X(addbmm, each, kept, "ttt?nn", "self batch1 batch2 beta alpha", "aten.addbmm.default")          \
  X(kron, each, kept, "tt", "self other", "aten.kron.default")                                     \
  X(tensordot, each, kept, "ttll", "self other dims_self dims_other", "aten.tensordot.default")    \
  X(multi_dot, each, kept, "t*", "self", "aten.linalg_multi_dot.default "                          \
    "aten.chain_matmul.default")                                                                   \
  X(bilinear, each, kept, "ttt?T", "input1 input2 weight bias", "aten.bilinear.default")           \
  X(cdist, fold, kept, "tt?nI", "x1 x2 p compute_mode", "aten.cdist.default "                      \
    "aten._cdist_forward.default")                                                                 \
  X(pdist, fold, kept, "t?n", "self p", "aten.pdist.default aten._pdist_forward.default")          \
  X(cross, each, kept, "tt?I", "self other dim", "aten.cross.default")                             \
  X(linalg_cross, each, kept, "tt?i", "self other dim", "aten.linalg_cross.default")               \
  X(det, each, kept, "t", "self", "aten.linalg_det.default aten.det.default")                      \
  X(linalg_det, each, kept, "t", "A", "aten._linalg_det.default")                                  \
  X(logdet, each, row_major, "t", "self", "aten.logdet.default")                                   \
  X(inverse, each, unknown, "t", "self", "aten.linalg_inv.default aten.inverse.default")           \
  X(inverse_ex, each, unknown, "t?b", "A check_errors", "aten.linalg_inv_ex.default")              \
  X(solve, each, unknown, "tt?b", "A B left", "aten.linalg_solve.default")                         \
  X(solve_ex, each, unknown, "tt?bb", "A B left check_errors", "aten._linalg_solve_ex.default")    \
  X(solve_triangular, each, unknown, "ttb?bb", "self B upper left unitriangular",                  \
    "aten.linalg_solve_triangular.default")                                                        \
  X(cholesky, each, unknown, "t?b", "self upper", "aten.linalg_cholesky.default "                  \
    "aten.cholesky.default")                                                                       \
  X(cholesky_ex, each, unknown, "t?bb", "self upper check_errors",                                 \
    "aten.linalg_cholesky_ex.default")                                                             \
  X(einsum, product, kept, "st*", "equation tensors", "aten.einsum.default")                       \
  X(conv1d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv1d.default")                                                                         \
  X(conv2d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv2d.default")                                                                         \
  X(conv3d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv3d.default")                                                                         \
  X(conv_padded, each, kept, "tt?Tlsli", "input weight bias stride padding dilation groups",       \
    "aten.conv1d.padding aten.conv2d.padding aten.conv3d.padding aten._convolution_mode.default")  \
  X(convolution, each, kept, "ttTlllbli?d*",                                                       \
    "input weight bias stride padding dilation transposed output_padding groups flags",            \
    "aten.convolution.default aten._convolution.default aten.convolution_overrideable.default")    \
  X(conv_transpose, each, kept, "tt?Tlllil",                                                       \
    "input weight bias stride padding output_padding groups dilation",                             \
    "aten.conv_transpose1d.default aten.conv_transpose2d.input aten.conv_transpose3d.input")       \
  X(conv2d_precomputed, each, kept, "ttTl", "input weight bias sizes", "nac.conv2d_precomputed")   \
  X(batch_norm, fold, kept, "tTTttnn", "input weight bias running_mean running_var momentum eps",  \
    "aten._native_batch_norm_legit_no_training.default")                                           \
  X(batch_norm_by_mode, fold, kept, "tTTTTbnnb",                                                   \
    "input weight bias running_mean running_var training momentum eps cudnn_enabled",              \
    "aten.batch_norm.default")                                                                     \
  X(native_batch_norm, fold, kept, "tTTTTbnn",                                                     \
    "input weight bias running_mean running_var training momentum eps",                            \
    "aten.native_batch_norm.default aten._native_batch_norm_legit.default")                        \
  X(batch_norm_of_batch, fold, kept, "tTTbnn", "input weight bias training momentum eps",          \
    "aten._native_batch_norm_legit.no_stats")                                                      \
  X(batch_norm_functional, fold, kept, "tTTttbnn",                                                 \
    "input weight bias running_mean running_var training momentum eps",                            \
    "aten._native_batch_norm_legit_functional.default")                                            \
  X(instance_norm, passes, kept, "tTTTTbnnb",                                                      \
    "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled",       \
    "aten.instance_norm.default")                                                                  \
  X(layer_norm, passes, kept, "tl?TTnb", "input normalized_shape weight bias eps cudnn_enable",    \
    "aten.layer_norm.default")                                                                     \
  X(native_layer_norm, passes, kept, "tlTTn", "input normalized_shape weight bias eps",            \
    "aten.native_layer_norm.default")                                                              \
  X(group_norm, passes, kept, "ti?TTnb", "input num_groups weight bias eps cudnn_enabled",         \
    "aten.group_norm.default")                                                                     \
  X(native_group_norm, passes, kept, "tTTiiiin", "input weight bias N C HxW group eps",            \
    "aten.native_group_norm.default")                                                              \
  X(rms_norm, passes, kept, "tl?TN", "input normalized_shape weight eps", "aten.rms_norm.default") \
  X(fused_rms_norm, passes, kept, "tlTN", "input normalized_shape weight eps",                     \
    "aten._fused_rms_norm.default")                                                                \
  X(weight_norm, passes, kept, "tt?i", "v g dim", "aten._weight_norm.default")                     \
  X(weight_norm_interface, passes, kept, "tt?i", "v g dim", "aten._weight_norm_interface.default") \
  X(softmax, passes, kept, "ti?d", "self dim dtype", "aten.softmax.int aten._softmax.default "     \
    "aten.special_softmax.default")                                                                \
  X(log_softmax, passes, kept, "ti?d", "self dim dtype", "aten.log_softmax.int "                   \
    "aten._log_softmax.default aten.special_log_softmax.default")                                  \
  X(safe_softmax, passes, kept, "ti?d", "self dim dtype", "aten._safe_softmax.default")            \
  X(attention, each, unknown, "ttt?TnbNb",                                                         \
    "query key value attn_mask dropout_p is_causal scale enable_gqa",                              \
    "aten.scaled_dot_product_attention.default")                                                   \
  X(attention_for_cpu, each, unknown, "ttt?nbTN",                                                  \
    "query key value dropout_p is_causal attn_mask scale",                                         \
    "aten._scaled_dot_product_flash_attention_for_cpu.default")                                    \
  X(attention_flash, each, unknown, "ttt?nbbN",                                                    \
    "query key value dropout_p is_causal return_debug_mask scale",                                 \
    "aten._scaled_dot_product_flash_attention.default")                                            \
  X(attention_efficient, each, unknown, "tttTb?nbN",                                               \
    "query key value attn_bias compute_log_sumexp dropout_p is_causal scale",                      \
    "aten._scaled_dot_product_efficient_attention.default")                                        \
  X(attention_math, each, unknown, "ttt?TnbTNb",                                                   \
    "query key value attn_mask dropout_p is_causal dropout_mask scale enable_gqa",                 \
    "aten._scaled_dot_product_attention_math.default")                                             \
  X(attention_cudnn, each, unknown, "tttTb?nbbN",                                                  \
    "query key value attn_bias compute_log_sumexp dropout_p is_causal return_debug_mask scale",    \
    "aten._scaled_dot_product_cudnn_attention.default")                                            \
  X(attention_overrideable, each, unknown, "ttt?TnbbN",                                            \
    "query key value attn_bias dropout_p is_causal return_debug_mask scale",                       \
    "aten._scaled_dot_product_fused_attention_overrideable.default")                               \
  X(embedding, pick, row_major, "tt?ibb", "weight indices padding_idx scale_grad_by_freq sparse",  \
    "aten.embedding.default")                                                                      \
  X(embedding_bag, fold, kept, "ttt?bibTbI",                                                       \
    "weight indices offsets scale_grad_by_freq "                                                   \
    "mode sparse per_sample_weights include_last_offset padding_idx",                              \
    "aten.embedding_bag.default aten.embedding_bag.padding_idx")                                   \
  X(embedding_bag_forward, fold, kept, "ttt?bibTbi",                                               \
    "weight indices offsets scale_grad_by_freq "                                                   \
    "mode sparse per_sample_weights include_last_offset padding_idx",                              \
    "aten._embedding_bag.default aten._embedding_bag_forward_only.default")                        \
  X(slice, part, unknown, "t?iIIi", "self dim start end step", "aten.slice.Tensor "                \
    "aten.slice_copy.Tensor")                                                                      \
  X(select, part, unknown, "tii", "self dim index", "aten.select.int aten.select_copy.int")        \
  X(slice_scatter, move, kept, "tt?iIIi", "self src dim start end step",                           \
    "aten.slice_scatter.default")                                                                  \
  X(index, move, unknown, "tT*", "self indices", "aten.index.Tensor aten._unsafe_index.Tensor")    \
  X(index_select, pick, row_major, "tit", "self dim index", "aten.index_select.default")           \
  X(gather, move, kept, "tit?b", "self dim index sparse_grad", "aten.gather.default")              \
  X(scatter, move, kept, "titx", "self dim index src", "aten.scatter.src aten.scatter.value")      \
  X(scatter_add, move, kept, "titt", "self dim index src", "aten.scatter_add.default")             \
  X(scatter_by_word, move, kept, "titxs", "self dim index src reduce", "aten.scatter.reduce "      \
    "aten.scatter.value_reduce")                                                                   \
  X(scatter_reduce, move, kept, "titts?b", "self dim index src reduce include_self",               \
    "aten.scatter_reduce.two")                                                                     \
  X(index_add, move, kept, "titt?n", "self dim index source alpha", "aten.index_add.default")      \
  X(index_reduce, move, kept, "titts?b", "self dim index source reduce include_self",              \
    "aten.index_reduce.default")                                                                   \
  X(index_copy, move, kept, "titt", "self dim index source", "aten.index_copy.default")            \
  X(index_fill, move, kept, "titx", "self dim index value", "aten.index_fill.int_Scalar "          \
    "aten.index_fill.int_Tensor")                                                                  \
  X(take_along_dim, move, kept, "tt?I", "self indices dim", "aten.take_along_dim.default")         \
  X(take, move, kept, "tt", "self index", "aten.take.default")                                     \
  X(put, move, kept, "ttt?b", "self index source accumulate", "aten.put.default")                  \
  X(index_put, move, kept, "tT*?bb", "self indices accumulate unsafe", "aten.index_put.default "   \
    "aten._unsafe_index_put.default aten._index_put_impl.default")                                 \
  X(masked_select, move, kept, "tt", "self mask", "aten.masked_select.default")                    \
  X(masked_scatter, move, kept, "ttt", "self mask source", "aten.masked_scatter.default")          \
  X(nonzero, move, unknown, "t", "self", "aten.nonzero.default aten.argwhere.default")             \
  X(one_hot, each, row_major, "t?i", "self num_classes", "aten.one_hot.default")                   \
  X(expand, part, unknown, "tv", "self size", "aten.expand.default aten.broadcast_to.default "     \
    "aten.expand_copy.default")                                                                    \
  X(repeat, move, kept, "tv", "self repeats", "aten.repeat.default")                               \
  X(tile, move, kept, "tv", "self dims", "aten.tile.default")                                      \
  X(permute, move, unknown, "tv", "self dims", "aten.permute.default aten.permute_copy.default")   \
  X(flip, move, kept, "tl", "self dims", "aten.flip.default")                                      \
  X(flip_columns, move, kept, "t", "self", "aten.fliplr.default")                                  \
  X(flip_rows, move, kept, "t", "self", "aten.flipud.default")                                     \
  X(rot90, move, kept, "t?il", "self k dims", "aten.rot90.default")                                \
  X(roll, move, kept, "tl?l", "self shifts dims", "aten.roll.default")                             \
  X(squeeze, part, kept, "t?l", "self dim", "aten.squeeze.default aten.squeeze.dim "               \
    "aten.squeeze.dims aten.squeeze_copy.default aten.squeeze_copy.dim aten.squeeze_copy.dims")    \
  X(unsqueeze, part, kept, "ti", "self dim", "aten.unsqueeze.default aten.unsqueeze_copy.default") \
  X(atleast_1d, part, kept, "t", "self", "aten.atleast_1d.default")                                \
  X(atleast_2d, part, kept, "t", "self", "aten.atleast_2d.default")                                \
  X(atleast_3d, part, kept, "t", "self", "aten.atleast_3d.default")                                \
  X(cat, move, kept, "t*?i", "tensors dim", "aten.cat.default aten.concat.default "                \
    "aten.concatenate.default")                                                                    \
  X(stack, move, kept, "t*?i", "tensors dim", "aten.stack.default aten._stack.default")            \
  X(hstack, move, kept, "t*", "tensors", "aten.hstack.default")                                    \
  X(vstack, move, kept, "t*", "tensors", "aten.vstack.default aten.row_stack.default")             \
  X(dstack, move, kept, "t*", "tensors", "aten.dstack.default")                                    \
  X(column_stack, move, kept, "t*", "tensors", "aten.column_stack.default")                        \
  X(split, parts, unknown, "ti?i", "self split_size dim", "aten.split.Tensor "                     \
    "aten.unsafe_split.Tensor aten.split_copy.Tensor")                                             \
  X(split_with_sizes, parts, unknown, "tl?i", "self split_sizes dim",                              \
    "aten.split_with_sizes.default aten.split.sizes aten.unsafe_split_with_sizes.default "         \
    "aten.split_with_sizes_copy.default")                                                          \
  X(chunk, parts, unknown, "ti?i", "self chunks dim", "aten.chunk.default "                        \
    "aten.unsafe_chunk.default")                                                                   \
  X(unbind, parts, unknown, "t?i", "self dim", "aten.unbind.int aten.unbind_copy.int")             \
  X(mean, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.mean.dim aten.mean.default")   \
  X(sum, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.sum.dim_IntList "               \
    "aten.sum.default")                                                                            \
  X(var, passes, row_major, "t?LNb", "self dim correction keepdim", "aten.var.correction "         \
    "aten.var.dim aten.var.default")                                                               \
  X(std_dev, passes, row_major, "t?LNb", "self dim correction keepdim", "aten.std.correction "     \
    "aten.std.dim aten.std.default")                                                               \
  X(var_mean, passes, kept, "t?LNb", "self dim correction keepdim", "aten.var_mean.correction "    \
    "aten.var_mean.dim aten.var_mean.default")                                                     \
  X(all, fold, row_major, "t?Lb", "self dim keepdim", "aten.all.default aten.all.dim "             \
    "aten.all.dims aten._is_all_true.default")                                                     \
  X(any, fold, row_major, "t?Lb", "self dim keepdim", "aten.any.default aten.any.dim "             \
    "aten.any.dims aten._is_any_true.default")                                                     \
  X(max_all, fold, row_major, "t", "self", "aten.max.default")                                     \
  X(min_all, fold, row_major, "t", "self", "aten.min.default")                                     \
  X(max_dim, fold, row_major, "ti?b", "self dim keepdim", "aten.max.dim")                          \
  X(min_dim, fold, row_major, "ti?b", "self dim keepdim", "aten.min.dim")                          \
  X(amax, fold, row_major, "t?lb", "self dim keepdim", "aten.amax.default")                        \
  X(amin, fold, row_major, "t?lb", "self dim keepdim", "aten.amin.default")                        \
  X(argmax, fold, row_major, "t?Ib", "self dim keepdim", "aten.argmax.default")                    \
  X(argmin, fold, row_major, "t?Ib", "self dim keepdim", "aten.argmin.default")                    \
  X(prod, fold, row_major, "t?Ibd", "self dim keepdim dtype", "aten.prod.default "                 \
    "aten.prod.dim_int")                                                                           \
  X(nansum, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.nansum.default")             \
  X(nanmean, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.nanmean.default")           \
  X(count_nonzero, fold, kept, "t?L", "self dim", "aten.count_nonzero.default "                    \
    "aten.count_nonzero.dim_IntList")                                                              \
  X(logsumexp, passes, row_major, "tl?b", "self dim keepdim", "aten.logsumexp.default "            \
    "aten.special_logsumexp.default")                                                              \
  X(std_mean, passes, kept, "t?LNb", "self dim correction keepdim", "aten.std_mean.correction "    \
    "aten.std_mean.dim aten.std_mean.default")                                                     \
  X(aminmax, fold, kept, "t?Ib", "self dim keepdim", "aten.aminmax.default "                       \
    "aten._aminmax.default aten._aminmax.dim")                                                     \
  X(norm, passes, row_major, "t?NLbd", "self ord dim keepdim dtype",                               \
    "aten.linalg_vector_norm.default aten.norm.Scalar aten.norm.ScalarOpt_dim "                    \
    "aten.norm.ScalarOpt_dtype aten.norm.ScalarOpt_dim_dtype")                                     \
  X(frobenius_norm, each, kept, "tl?b", "self dim keepdim", "aten.frobenius_norm.dim")             \
  X(dist, passes, kept, "tt?n", "self other p", "aten.dist.default")                               \
  X(cosine_similarity, passes, kept, "tt?in", "x1 x2 dim eps", "aten.cosine_similarity.default")   \
  X(pairwise_distance, each, kept, "tt?nnb", "x1 x2 p eps keepdim",                                \
    "aten.pairwise_distance.default")                                                              \
  X(mse_loss, each, kept, "tt?i", "self target reduction", "aten.mse_loss.default")                \
  X(l1_loss, each, kept, "tt?i", "self target reduction", "aten.l1_loss.default")                  \
  X(smooth_l1_loss, each, kept, "tt?in", "self target reduction beta",                             \
    "aten.smooth_l1_loss.default")                                                                 \
  X(huber_loss, each, kept, "tt?in", "self target reduction delta", "aten.huber_loss.default")     \
  X(soft_margin_loss, each, kept, "tt?i", "self target reduction",                                 \
    "aten.soft_margin_loss.default")                                                               \
  X(binary_cross_entropy, each, kept, "tt?Ti", "self target weight reduction",                     \
    "aten.binary_cross_entropy.default")                                                           \
  X(binary_cross_entropy_with_logits, each, kept, "tt?TTi",                                        \
    "self target weight pos_weight reduction", "aten.binary_cross_entropy_with_logits.default")    \
  X(kl_div, each, kept, "tt?ib", "self target reduction log_target", "aten.kl_div.default")        \
  X(hinge_embedding_loss, each, kept, "tt?ni", "self target margin reduction",                     \
    "aten.hinge_embedding_loss.default")                                                           \
  X(margin_ranking_loss, each, kept, "ttt?ni", "input1 input2 target margin reduction",            \
    "aten.margin_ranking_loss.default")                                                            \
  X(cosine_embedding_loss, each, kept, "ttt?ni", "input1 input2 target margin reduction",          \
    "aten.cosine_embedding_loss.default")                                                          \
  X(triplet_margin_loss, each, kept, "ttt?nnnbi",                                                  \
    "anchor positive negative margin p eps swap reduction", "aten.triplet_margin_loss.default")    \
  X(median, passes, kept, "t", "self", "aten.median.default")                                      \
  X(nanmedian, passes, kept, "t", "self", "aten.nanmedian.default")                                \
  X(median_dim, passes, kept, "ti?b", "self dim keepdim", "aten.median.dim")                       \
  X(nanmedian_dim, passes, kept, "ti?b", "self dim keepdim", "aten.nanmedian.dim")                 \
  X(mode, compare, kept, "t?ib", "self dim keepdim", "aten.mode.default")                          \
  X(kthvalue, passes, kept, "ti?ib", "self k dim keepdim", "aten.kthvalue.default")                \
  X(histc, fold, kept, "t?inn", "self bins min max", "aten.histc.default")                         \
  X(bincount, fold, kept, "t?Ti", "self weights minlength", "aten.bincount.default")               \
  X(trace, each, kept, "t", "self", "aten.trace.default")                                          \
  X(diff, each, kept, "t?iiTT", "self n dim prepend append", "aten.diff.default")                  \
  X(topk, compare, kept, "ti?ibb", "self k dim largest sorted", "aten.topk.default")               \
  X(sort, compare, kept, "t?ib", "self dim descending", "aten.sort.default")                       \
  X(argsort, compare, kept, "t?ib", "self dim descending", "aten.argsort.default")                 \
  X(argsort_stable, compare, kept, "tB?ib", "self stable dim descending", "aten.argsort.stable")   \
  X(sort_stable, compare, kept, "tB?ib", "self stable dim descending", "aten.sort.stable")         \
  X(msort, compare, kept, "t", "self", "aten.msort.default")                                       \
  X(searchsorted, compare, kept, "tx?bbST", "sorted_sequence self out_int32 right side sorter",    \
    "aten.searchsorted.Tensor aten.searchsorted.Scalar")                                           \
  X(bucketize, compare, kept, "xt?bb", "self boundaries out_int32 right",                          \
    "aten.bucketize.Tensor aten.bucketize.Scalar")                                                 \
  X(isin, compare, kept, "xx?bb", "elements test_elements assume_unique invert",                   \
    "aten.isin.Tensor_Tensor aten.isin.Tensor_Scalar aten.isin.Scalar_Tensor")                     \
  X(unique, compare, kept, "t?bbb", "self sorted return_inverse return_counts",                    \
    "aten._unique2.default")                                                                       \
  X(cumsum, fold, kept, "ti?d", "self dim dtype", "aten.cumsum.default")                           \
  X(cumprod, fold, kept, "ti?d", "self dim dtype", "aten.cumprod.default")                         \
  X(cummax, fold, kept, "ti", "self dim", "aten.cummax.default")                                   \
  X(cummin, fold, kept, "ti", "self dim", "aten.cummin.default")                                   \
  X(logcumsumexp, passes, kept, "ti", "self dim", "aten.logcumsumexp.default")                     \
  X(triu, each, kept, "t?i", "self diagonal", "aten.triu.default")                                 \
  X(tril, each, kept, "t?i", "self diagonal", "aten.tril.default")                                 \
  X(pad, move, kept, "tl?sN", "self pad mode value", "aten.pad.default "                           \
    "aten.constant_pad_nd.default")                                                                \
  X(max_pool2d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool2d.default")                                                                     \
  X(avg_pool2d, each, kept, "tl?llbbI",                                                            \
    "self kernel_size stride padding ceil_mode count_include_pad divisor_override",                \
    "aten.avg_pool2d.default")                                                                     \
  X(adaptive_avg_pool2d, each, kept, "tl", "self output_size",                                     \
    "aten.adaptive_avg_pool2d.default aten._adaptive_avg_pool2d.default")                          \
  X(max_pool1d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool1d.default")                                                                     \
  X(max_pool3d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool3d.default")                                                                     \
  X(max_pool1d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool1d_with_indices.default")  \
  X(max_pool2d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool2d_with_indices.default")  \
  X(max_pool3d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool3d_with_indices.default")  \
  X(avg_pool1d, each, kept, "tl?llbb",                                                             \
    "self kernel_size stride padding ceil_mode count_include_pad", "aten.avg_pool1d.default")      \
  X(avg_pool3d, each, kept, "tl?llbbI",                                                            \
    "self kernel_size stride padding ceil_mode count_include_pad divisor_override",                \
    "aten.avg_pool3d.default")                                                                     \
  X(adaptive_avg_pool1d, each, kept, "tl", "self output_size", "aten.adaptive_avg_pool1d.default") \
  X(adaptive_avg_pool3d, each, kept, "tl", "self output_size",                                     \
    "aten.adaptive_avg_pool3d.default aten._adaptive_avg_pool3d.default")                          \
  X(adaptive_max_pool1d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool1d.default") \
  X(adaptive_max_pool2d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool2d.default") \
  X(adaptive_max_pool3d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool3d.default") \
  X(upsample_linear, each, kept, "t?VbR", "input output_size align_corners scale_factors",         \
    "aten.upsample_linear1d.vec aten.upsample_bilinear2d.vec aten.upsample_trilinear3d.vec")       \
  X(upsample_linear_to, each, kept, "tlb?NNN",                                                     \
    "self output_size align_corners scales_d scales_h scales_w",                                   \
    "aten.upsample_linear1d.default aten.upsample_bilinear2d.default "                             \
    "aten.upsample_trilinear3d.default")                                                           \
  X(upsample_cubic, each, kept, "t?VbR", "input output_size align_corners scale_factors",          \
    "aten.upsample_bicubic2d.vec")                                                                 \
  X(upsample_cubic_to, each, kept, "tlb?NN", "self output_size align_corners scales_h scales_w",   \
    "aten.upsample_bicubic2d.default")                                                             \
  X(upsample_linear_antialiased, each, kept, "t?VbR",                                              \
    "input output_size align_corners scale_factors", "aten._upsample_bilinear2d_aa.vec")           \
  X(upsample_linear_antialiased_to, each, kept, "tlb?NN",                                          \
    "self output_size align_corners scales_h scales_w", "aten._upsample_bilinear2d_aa.default")    \
  X(upsample_cubic_antialiased, each, kept, "t?VbR",                                               \
    "input output_size align_corners scale_factors", "aten._upsample_bicubic2d_aa.vec")            \
  X(upsample_cubic_antialiased_to, each, kept, "tlb?NN",                                           \
    "self output_size align_corners scales_h scales_w", "aten._upsample_bicubic2d_aa.default")     \
  X(upsample_nearest_nd, each, kept, "t?VR", "input output_size scale_factors",                    \
    "aten.upsample_nearest1d.vec aten.upsample_nearest3d.vec")                                     \
  X(upsample_nearest_nd_to, each, kept, "tl?NNN", "self output_size scales_d scales_h scales_w",   \
    "aten.upsample_nearest1d.default aten.upsample_nearest3d.default")                             \
  X(upsample_nearest_exact, each, kept, "t?VR", "input output_size scale_factors",                 \
    "aten._upsample_nearest_exact1d.vec aten._upsample_nearest_exact2d.vec "                       \
    "aten._upsample_nearest_exact3d.vec")                                                          \
  X(upsample_nearest_exact_to, each, kept, "tl?NNN",                                               \
    "self output_size scales_d scales_h scales_w", "aten._upsample_nearest_exact1d.default "       \
    "aten._upsample_nearest_exact2d.default aten._upsample_nearest_exact3d.default")               \
  X(grid_sampler, each, kept, "ttiib", "input grid interpolation_mode padding_mode align_corners", \
    "aten.grid_sampler.default aten.grid_sampler_2d.default aten.grid_sampler_3d.default")         \
  X(affine_grid_generator, each, kept, "tlb", "theta size align_corners",                          \
    "aten.affine_grid_generator.default")                                                          \
  X(im2col, each, kept, "tllll", "self kernel_size dilation padding stride",                       \
    "aten.im2col.default")                                                                         \
  X(col2im, each, kept, "tlllll", "self output_size kernel_size dilation padding stride",          \
    "aten.col2im.default")                                                                         \
  X(unfold, move, unknown, "tiii", "self dimension size step", "aten.unfold.default "              \
    "aten.unfold_copy.default")                                                                    \
  X(pixel_shuffle, move, kept, "ti", "self upscale_factor", "aten.pixel_shuffle.default")          \
  X(pixel_unshuffle, move, kept, "ti", "self downscale_factor", "aten.pixel_unshuffle.default")    \
  X(channel_shuffle, move, kept, "ti", "self groups", "aten.channel_shuffle.default "              \
    "aten.native_channel_shuffle.default")                                                         \
  X(reflection_pad, move, kept, "tl", "self padding", "aten.reflection_pad1d.default "             \
    "aten.reflection_pad2d.default aten.reflection_pad3d.default")                                 \
  X(replication_pad, move, kept, "tl", "self padding", "aten.replication_pad1d.default "           \
    "aten.replication_pad2d.default aten.replication_pad3d.default")                               \
  X(upsample_nearest, move, kept, "t?VR", "input output_size scale_factors",                       \
    "aten.upsample_nearest2d.vec")                                                                 \
  X(upsample_nearest_to, move, kept, "tl?NN", "self output_size scales_h scales_w",                \
    "aten.upsample_nearest2d.default")                                                             \
  X(to_copy, move, kept, "x?d*", "self dtype", "aten._to_copy.default aten.to.dtype "              \
    "aten.to.device aten.to.dtype_layout quantized_decomposed.convert_element_type.no_fuse")       \
  X(type_as, move, kept, "tt?d*", "self other dtype", "aten.type_as.default aten.to.other")        \
  X(copy, each, kept, "tx?b", "self src non_blocking", "aten.copy.default")                        \
  X(fill, part, kept, "tn", "self value", "aten.fill.Scalar aten.fill.Tensor")                     \
  X(scalar_tensor, part, row_major, "n?d*", "s dtype", "aten.scalar_tensor.default")               \
  X(empty_strided, part, unknown, "ll?d*", "size stride dtype", "aten.empty_strided.default "      \
    "aten.empty_permuted.default")                                                                 \
  X(new_empty_strided, part, unknown, "tll?d*", "self size stride dtype",                          \
    "aten.new_empty_strided.default")                                                              \
  X(flatten, each, kept, "t?ii", "self start_dim end_dim", "aten.flatten.using_ints "              \
    "aten.ravel.default")                                                                          \
  X(unflatten, each, kept, "til", "self dim sizes", "aten.unflatten.int")                          \
  X(expand_as, each, unknown, "tt", "self other", "aten.expand_as.default")                        \
  X(broadcast_tensors, move, unknown, "t*", "tensors", "aten.broadcast_tensors.default")           \
  X(reshape_as, each, kept, "tt", "self other", "aten.reshape_as.default aten.view_as.default")    \
  X(movedim, move, unknown, "tll", "self source destination", "aten.movedim.int "                  \
    "aten.movedim.intlist aten.moveaxis.int aten.moveaxis.intlist")                                \
  X(reverse_axes, move, unknown, "t", "self", "aten.numpy_T.default")                              \
  X(transpose_matrices, each, unknown, "t", "self", "aten.mT.default")                             \
  X(adjoint, each, unknown, "t", "self", "aten.mH.default aten.adjoint.default "                   \
    "aten.matrix_H.default")                                                                       \
  X(narrow, each, unknown, "tiii", "self dim start length", "aten.narrow.default "                 \
    "aten.narrow_copy.default aten.narrow.Tensor")                                                 \
  X(diagonal, move, unknown, "t?iii", "self offset dim1 dim2", "aten.diagonal.default "            \
    "aten.diagonal_copy.default")                                                                  \
  X(linalg_diagonal, each, unknown, "t?iii", "A offset dim1 dim2", "aten.linalg_diagonal.default") \
  X(diag, move, unknown, "t?i", "self diagonal", "aten.diag.default")                              \
  X(diag_embed, move, unknown, "t?iii", "self offset dim1 dim2", "aten.diag_embed.default")        \
  X(diagflat, move, kept, "t?i", "self offset", "aten.diagflat.default")                           \
  X(diagonal_scatter, move, kept, "tt?iii", "self src offset dim1 dim2",                           \
    "aten.diagonal_scatter.default")                                                               \
  X(select_scatter, move, kept, "ttii", "self src dim index", "aten.select_scatter.default")       \
  X(tensor_split, each, unknown, "ti?i", "self sections dim", "aten.tensor_split.sections")        \
  X(tensor_split_at, each, unknown, "tl?i", "self indices dim", "aten.tensor_split.indices")       \
  X(meshgrid, move, unknown, "t*?s", "tensors indexing", "aten.meshgrid.default "                  \
    "aten.meshgrid.indexing")                                                                      \
  X(repeat_interleave, move, kept, "tx?II", "self repeats dim output_size",                        \
    "aten.repeat_interleave.self_int aten.repeat_interleave.self_Tensor")                          \
  X(repeat_indices, each, kept, "t?I", "repeats output_size", "aten.repeat_interleave.Tensor")     \
  X(eye, each, row_major, "n?nd*", "n m dtype", "aten.eye.default aten.eye.m")                     \
  X(tril_indices, each, row_major, "ii?id*", "row col offset dtype", "aten.tril_indices.default")  \
  X(triu_indices, each, row_major, "ii?id*", "row col offset dtype", "aten.triu_indices.default")  \
  X(sym_numel, each, kept, "t", "self", "aten.sym_numel.default aten.numel.default")               \
  X(item, each, kept, "t", "self", "aten.item.default aten._local_scalar_dense.default")           \
  X(assert_metadata, each, kept, "t?LLd*", "a size stride dtype",                                  \
    "aten._assert_tensor_metadata.default")                                                        \
  X(assert_true, each, kept, "x?s", "self assert_msg", "aten._assert_scalar.default "              \
    "aten._assert_async.default aten._assert_async.msg")                                           \
  X(constrain_range, part, kept, "n?NN", "size min max", "aten.sym_constrain_range.default "       \
    "aten.sym_constrain_range_for_size.default")                                                   \
  X(lstm_cell, function, kept, "ttttt?TT", "input hx cx w_ih w_hh b_ih b_hh",                      \
    "aten.lstm_cell.default")                                                                      \
  X(gru_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh", "aten.gru_cell.default")  \
  X(rnn_tanh_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh",                      \
    "aten.rnn_tanh_cell.default")                                                                  \
  X(rnn_relu_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh",                      \
    "aten.rnn_relu_cell.default")                                                                  \
  X(lstm, function, unknown, "t*binbbb",                                                           \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.lstm.input")      \
  X(gru, function, unknown, "t*binbbb",                                                            \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.gru.input")       \
  X(rnn_tanh, function, unknown, "t*binbbb",                                                       \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.rnn_tanh.input")  \
  X(rnn_relu, function, unknown, "t*binbbb",                                                       \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.rnn_relu.input")  \
  X(view_as_real, each, unknown, "t", "self", "aten.view_as_real.default "                         \
    "aten.view_as_real_copy.default")                                                              \
  X(view_as_complex, each, unknown, "t", "self", "aten.view_as_complex.default "                   \
    "aten.view_as_complex_copy.default")                                                           \
  X(real, each, unknown, "t", "self", "aten.real.default")                                         \
  X(imag, each, unknown, "t", "self", "aten.imag.default")                                         \
  X(complex, each, kept, "tt", "real imag", "aten.complex.default")                                \
  X(polar, each, kept, "tt", "abs angle", "aten.polar.default")                                    \
  X(conj, each, kept, "t", "self", "aten.conj.default aten._conj.default "                         \
    "aten.conj_physical.default aten._conj_physical.default aten._conj_copy.default")              \
  X(fft, each, kept, "t?IiS", "self n dim norm", "aten.fft_fft.default")                           \
  X(ifft, each, kept, "t?IiS", "self n dim norm", "aten.fft_ifft.default")                         \
  X(rfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_rfft.default")                         \
  X(irfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_irfft.default")                       \
  X(fft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_fft2.default")                         \
  X(ifft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_ifft2.default")                       \
  X(rfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_rfft2.default")                       \
  X(irfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_irfft2.default")                     \
  X(fftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_fftn.default")                         \
  X(ifftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_ifftn.default")                       \
  X(rfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_rfftn.default")                       \
  X(irfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_irfftn.default")                     \
  X(hfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_hfft.default")                         \
  X(ihfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_ihfft.default")                       \
  X(hfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_hfft2.default")                       \
  X(ihfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_ihfft2.default")                     \
  X(hfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_hfftn.default")                       \
  X(ihfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_ihfftn.default")                     \
  X(fft_r2c, each, kept, "tlib", "self dim normalization onesided", "aten._fft_r2c.default")       \
  X(fft_c2r, each, kept, "tlii", "self dim normalization last_dim_size", "aten._fft_c2r.default")  \
  X(fft_c2c, each, kept, "tlib", "self dim normalization forward", "aten._fft_c2c.default")        \
  X(fftshift, each, kept, "t?L", "self dim", "aten.fft_fftshift.default")                          \
  X(ifftshift, each, kept, "t?L", "self dim", "aten.fft_ifftshift.default")                        \
  X(fftfreq, each, kept, "i?nd*", "n d dtype", "aten.fft_fftfreq.default")                         \
  X(rfftfreq, each, kept, "i?nd*", "n d dtype", "aten.fft_rfftfreq.default")                       \
  X(hann_window, function, kept, "i?d*", "window_length dtype", "aten.hann_window.default")        \
  X(hann_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",                  \
    "aten.hann_window.periodic")                                                                   \
  X(hamming_window, function, kept, "i?d*", "window_length dtype", "aten.hamming_window.default")  \
  X(hamming_window_by_mode, function, kept, "ib?nnd*", "window_length periodic alpha beta dtype",  \
    "aten.hamming_window.periodic aten.hamming_window.periodic_alpha "                             \
    "aten.hamming_window.periodic_alpha_beta")                                                     \
  X(blackman_window, function, kept, "i?d*", "window_length dtype",                                \
    "aten.blackman_window.default")                                                                \
  X(blackman_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",              \
    "aten.blackman_window.periodic")                                                               \
  X(bartlett_window, function, kept, "i?d*", "window_length dtype",                                \
    "aten.bartlett_window.default")                                                                \
  X(bartlett_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",              \
    "aten.bartlett_window.periodic")                                                               \
  X(stft, each, unknown, "ti?IITbBBB",                                                             \
    "self n_fft hop_length win_length window normalized onesided return_complex align_to_window",  \
    "aten.stft.default")                                                                           \
  X(istft, each, unknown, "ti?IITbbBIb",                                                           \
    "self n_fft hop_length win_length window center normalized onesided length return_complex",    \
    "aten.istft.default")                                                                          \
  X(reshape_alias, each, unknown, "tll", "self size stride", "aten._reshape_alias.default "        \
    "aten._reshape_alias_copy.default")                                                            \
  X(pad_circular, each, kept, "tl", "self pad", "aten._pad_circular.default")                      \
  X(log_sigmoid_forward, each, kept, "t", "self", "aten.log_sigmoid_forward.default")              \
  X(add_relu, each, kept, "tx?n", "self other alpha", "aten._add_relu.Tensor "                     \
    "aten._add_relu.Scalar")                                                                       \
  X(addmm_activation, each, kept, "ttt?nnb", "self mat1 mat2 beta alpha use_gelu",                 \
    "aten._addmm_activation.default")                                                              \
  X(int_mm, each, kept, "tt", "self mat2", "aten._int_mm.default")                                 \
  X(weight_int8pack_mm, each, kept, "ttt", "self mat2 scales", "aten._weight_int8pack_mm.default") \
  X(isreal, each, kept, "t", "self", "aten.isreal.default")                                        \
  X(trapezoid, each, kept, "t?ni", "y dx dim", "aten.trapezoid.dx aten.trapz.dx")                  \
  X(cumulative_trapezoid, each, kept, "t?ni", "y dx dim", "aten.cumulative_trapezoid.dx")          \
  X(vander, each, kept, "t?Ib", "x N increasing", "aten.vander.default")                           \
  X(linalg_vander, each, kept, "t?I", "x N", "aten.linalg_vander.default")                         \
  X(poisson_nll_loss, each, kept, "ttbbni", "input target log_input full eps reduction",           \
    "aten.poisson_nll_loss.default")                                                               \
  X(quantize_per_tensor, each, kept, "tnnnnd", "input scale zero_point quant_min quant_max dtype", \
    "quantized_decomposed.quantize_per_tensor.default "                                            \
    "quantized_decomposed.quantize_per_tensor.tensor "                                             \
    "quantized_decomposed.quantize_per_tensor.tensor2")                                            \
  X(dequantize_per_tensor, each, kept, "tnnnnd?d",                                                 \
    "input scale zero_point quant_min quant_max dtype out_dtype",                                  \
    "quantized_decomposed.dequantize_per_tensor.default "                                          \
    "quantized_decomposed.dequantize_per_tensor.tensor "                                           \
    "quantized_decomposed.dequantize_per_tensor.tensor2")                                          \
  X(quantize_per_channel, each, kept, "ttTinnd",                                                   \
    "input scales zero_points axis quant_min quant_max dtype",                                     \
    "quantized_decomposed.quantize_per_channel.default")                                           \
  X(dequantize_per_channel, each, kept, "ttTinnd?d",                                               \
    "input scales zero_points axis quant_min quant_max dtype out_dtype",                           \
    "quantized_decomposed.dequantize_per_channel.default")                                         \
  X(quantize_per_token, each, kept, "tttnnd",                                                      \
    "input scales zero_points quant_min quant_max dtype",                                          \
    "quantized_decomposed.quantize_per_token.default")                                             \
  X(dequantize_per_token, each, kept, "tttnndd",                                                   \
    "input scales zero_points quant_min quant_max dtype output_dtype",                             \
    "quantized_decomposed.dequantize_per_token.default")                                           \
  X(choose_qparams, each, kept, "tnnnd", "input quant_min quant_max eps dtype",                    \
    "quantized_decomposed.choose_qparams.tensor")                                                  \
  X(fake_quantize, each, kept, "tnnnn", "self scale zero_point quant_min quant_max",               \
    "aten.fake_quantize_per_tensor_affine.default "                                                \
    "aten.fake_quantize_per_tensor_affine.tensor_qparams")                                         \
  X(fake_quantize_with_mask, each, kept, "tnnnn", "self scale zero_point quant_min quant_max",     \
    "aten.fake_quantize_per_tensor_affine_cachemask.default")                                      \
  X(fake_quantize_by_tensors, each, kept, "tttnnn",                                                \
    "self scale zero_point fake_quant_enabled quant_min quant_max",                                \
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default")                      \
  X(fake_quantize_channels, each, kept, "tttinn",                                                  \
    "self scale zero_point axis quant_min quant_max",                                              \
    "aten.fake_quantize_per_channel_affine.default "                                               \
    "quantized_decomposed.fake_quant_per_channel.default")                                         \
  X(fake_quantize_channels_with_mask, each, kept, "tttinn",                                        \
    "self scale zero_point axis quant_min quant_max",                                              \
    "aten.fake_quantize_per_channel_affine_cachemask.default")                                     \
  X(sym_float, each, kept, "n", "a", "torch.sym_float")                                            \
  X(sym_int, each, kept, "n", "a", "torch.sym_int math.trunc")                                     \
  X(sym_not, each, kept, "n", "a", "torch.sym_not")                                                \
  X(sym_ite, each, kept, "nxx", "b t f", "torch.sym_ite")                                          \
  X(sym_sqrt, each, kept, "n", "a", "torch._sym_sqrt math.sqrt")                                   \
  X(lgamma, each, kept, "t", "self", "aten.lgamma.default aten.special_gammaln.default")           \
  X(digamma, each, kept, "t", "self", "aten.digamma.default aten.special_digamma.default "         \
    "aten.special_psi.default")                                                                    \
  X(erfinv, each, kept, "t", "self", "aten.erfinv.default aten.special_erfinv.default")            \
  X(erfcx, each, kept, "t", "self", "aten.special_erfcx.default")                                  \
  X(ndtr, each, kept, "t", "self", "aten.special_ndtr.default")                                    \
  X(log_ndtr, each, kept, "t", "self", "aten.special_log_ndtr.default")                            \
  X(ndtri, each, kept, "t", "self", "aten.special_ndtri.default")                                  \
  X(entr, each, kept, "t", "self", "aten.special_entr.default")                                    \
  X(i0, each, kept, "t", "self", "aten.i0.default aten.special_i0.default "                        \
    "aten.special_modified_bessel_i0.default")                                                     \
  X(i0e, each, kept, "t", "self", "aten.special_i0e.default")                                      \
  X(i1, each, kept, "t", "self", "aten.special_i1.default "                                        \
    "aten.special_modified_bessel_i1.default")                                                     \
  X(i1e, each, kept, "t", "self", "aten.special_i1e.default")                                      \
  X(bessel_j0, each, kept, "t", "self", "aten.special_bessel_j0.default")                          \
  X(bessel_j1, each, kept, "t", "self", "aten.special_bessel_j1.default")                          \
  X(bessel_y0, each, kept, "t", "self", "aten.special_bessel_y0.default")                          \
  X(bessel_y1, each, kept, "t", "self", "aten.special_bessel_y1.default")                          \
  X(modified_bessel_k0, each, kept, "t", "self", "aten.special_modified_bessel_k0.default")        \
  X(modified_bessel_k1, each, kept, "t", "self", "aten.special_modified_bessel_k1.default")        \
  X(scaled_modified_bessel_k0, each, kept, "t", "x",                                               \
    "aten.special_scaled_modified_bessel_k0.default")                                              \
  X(scaled_modified_bessel_k1, each, kept, "t", "x",                                               \
    "aten.special_scaled_modified_bessel_k1.default")                                              \
  X(spherical_bessel_j0, each, kept, "t", "x", "aten.special_spherical_bessel_j0.default")         \
  X(airy_ai, each, kept, "t", "x", "aten.special_airy_ai.default")                                 \
  X(zeta, each, kept, "xx", "self other", "aten.special_zeta.default "                             \
    "aten.special_zeta.self_scalar aten.special_zeta.other_scalar")                                \
  X(igamma, each, kept, "tt", "self other", "aten.igamma.default aten.special_gammainc.default")   \
  X(igammac, each, kept, "tt", "self other", "aten.igammac.default "                               \
    "aten.special_gammaincc.default")                                                              \
  X(polygamma, each, kept, "it", "n self", "aten.polygamma.default "                               \
    "aten.special_polygamma.default")                                                              \
  X(polygamma_of, each, kept, "ti", "self n", "aten.polygamma_.default")                           \
  X(multigammaln, each, kept, "ti", "self p", "aten.mvlgamma.default "                             \
    "aten.special_multigammaln.default")                                                           \
  X(chebyshev_t, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_t.default "           \
    "aten.special_chebyshev_polynomial_t.n_scalar aten.special_chebyshev_polynomial_t.x_scalar")   \
  X(chebyshev_u, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_u.default "           \
    "aten.special_chebyshev_polynomial_u.n_scalar aten.special_chebyshev_polynomial_u.x_scalar")   \
  X(chebyshev_v, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_v.default "           \
    "aten.special_chebyshev_polynomial_v.n_scalar aten.special_chebyshev_polynomial_v.x_scalar")   \
  X(chebyshev_w, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_w.default "           \
    "aten.special_chebyshev_polynomial_w.n_scalar aten.special_chebyshev_polynomial_w.x_scalar")   \
  X(shifted_chebyshev_t, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_t.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_t.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_t.x_scalar")                                        \
  X(shifted_chebyshev_u, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_u.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_u.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_u.x_scalar")                                        \
  X(shifted_chebyshev_v, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_v.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_v.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_v.x_scalar")                                        \
  X(shifted_chebyshev_w, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_w.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_w.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_w.x_scalar")                                        \
  X(hermite_h, each, kept, "xx", "x n", "aten.special_hermite_polynomial_h.default "               \
    "aten.special_hermite_polynomial_h.n_scalar aten.special_hermite_polynomial_h.x_scalar")       \
  X(hermite_he, each, kept, "xx", "x n", "aten.special_hermite_polynomial_he.default "             \
    "aten.special_hermite_polynomial_he.n_scalar aten.special_hermite_polynomial_he.x_scalar")     \
  X(laguerre_l, each, kept, "xx", "x n", "aten.special_laguerre_polynomial_l.default "             \
    "aten.special_laguerre_polynomial_l.n_scalar aten.special_laguerre_polynomial_l.x_scalar")     \
  X(legendre_p, each, kept, "xx", "x n", "aten.special_legendre_polynomial_p.default "             \
    "aten.special_legendre_polynomial_p.n_scalar aten.special_legendre_polynomial_p.x_scalar")     \
  X(nextafter, each, kept, "tt", "self other", "aten.nextafter.default")                           \
  X(frexp, each, kept, "t", "self", "aten.frexp.Tensor")                                           \
  X(nll_loss, each, kept, "tt?Tii", "self target weight reduction ignore_index",                   \
    "aten.nll_loss.default aten.nll_loss_nd.default aten.nll_loss2d.default")                      \
  X(nll_loss_forward, each, kept, "ttTii", "self target weight reduction ignore_index",            \
    "aten.nll_loss_forward.default aten.nll_loss2d_forward.default")                               \
  X(cross_entropy_loss, each, kept, "tt?Tiin",                                                     \
    "self target weight reduction ignore_index label_smoothing",                                   \
    "aten.cross_entropy_loss.default")                                                             \
  X(multi_margin_loss, each, kept, "tt?nnTi", "self target p margin weight reduction",             \
    "aten.multi_margin_loss.default")                                                              \
  X(multilabel_margin_loss, each, kept, "tt?i", "self target reduction",                           \
    "aten.multilabel_margin_loss.default")                                                         \
  X(multilabel_margin_loss_forward, each, kept, "tti", "self target reduction",                    \
    "aten.multilabel_margin_loss_forward.default")                                                 \
  X(ctc_loss, each, kept, "ttll?iib",                                                              \
    "log_probs targets input_lengths target_lengths blank reduction zero_infinity",                \
    "aten.ctc_loss.IntList aten.ctc_loss.Tensor")                                                  \
  X(lstm_packed, each, unknown, "t*binbb",                                                         \
    "data has_biases num_layers dropout train bidirectional", "aten.lstm.data")                    \
  X(gru_packed, each, unknown, "t*binbb",                                                          \
    "data has_biases num_layers dropout train bidirectional", "aten.gru.data")                     \
  X(rnn_tanh_packed, each, unknown, "t*binbb",                                                     \
    "data has_biases num_layers dropout train bidirectional", "aten.rnn_tanh.data")                \
  X(rnn_relu_packed, each, unknown, "t*binbb",                                                     \
    "data has_biases num_layers dropout train bidirectional", "aten.rnn_relu.data")                \
  X(pack_padded_sequence, each, kept, "ttb", "input lengths batch_first",                          \
    "aten._pack_padded_sequence.default")                                                          \
  X(pad_packed_sequence, each, unknown, "ttbni",                                                   \
    "data batch_sizes batch_first padding_value total_length",                                     \
    "aten._pad_packed_sequence.default")                                                           \
  X(pad_sequence, each, kept, "t*?bns", "sequences batch_first padding_value padding_side",        \
    "aten.pad_sequence.default")                                                                   \
  X(max_unpool2d, each, kept, "ttl", "self indices output_size", "aten.max_unpool2d.default")      \
  X(max_unpool3d, each, kept, "ttlll", "self indices output_size stride padding",                  \
    "aten.max_unpool3d.default")                                                                   \
  X(fractional_max_pool2d, each, kept, "tllt", "self kernel_size output_size random_samples",      \
    "aten.fractional_max_pool2d.default")                                                          \
  X(fractional_max_pool3d, each, kept, "tllt", "self kernel_size output_size random_samples",      \
    "aten.fractional_max_pool3d.default")                                                          \
  X(upsample_lanczos_antialiased, each, kept, "t?VbR",                                             \
    "input output_size align_corners scale_factors", "aten._upsample_lanczos2d_aa.vec")            \
  X(upsample_lanczos_antialiased_to, each, kept, "tlb?NN",                                         \
    "self output_size align_corners scales_h scales_w", "aten._upsample_lanczos2d_aa.default")     \
  X(kaiser_window, each, kept, "i?d*", "window_length dtype", "aten.kaiser_window.default")        \
  X(kaiser_window_by_mode, each, kept, "ib?nd*", "window_length periodic beta dtype",              \
    "aten.kaiser_window.periodic aten.kaiser_window.beta")                                         \
  X(attention_flash_quantized, each, unknown, "tttTTT?nbbN",                                       \
    "query key value q_descale k_descale v_descale dropout_p is_causal return_debug_mask scale",   \
    "aten._scaled_dot_product_flash_attention.quantized")                                          \
  X(hsplit, each, unknown, "tl", "self sections", "aten.hsplit.int aten.hsplit.array")             \
  X(vsplit, each, unknown, "tl", "self sections", "aten.vsplit.int aten.vsplit.array")             \
  X(dsplit, each, unknown, "tl", "self sections", "aten.dsplit.int aten.dsplit.array")             \
  X(tensor_split_by, each, unknown, "tt?i", "self tensor_indices_or_sections dim",                 \
    "aten.tensor_split.tensor_indices_or_sections")                                                \
  X(atleast_1d_each, each, kept, "t*", "tensors", "aten.atleast_1d.Sequence")                      \
  X(atleast_2d_each, each, kept, "t*", "tensors", "aten.atleast_2d.Sequence")                      \
  X(atleast_3d_each, each, kept, "t*", "tensors", "aten.atleast_3d.Sequence")                      \
  X(to_cpu, part, kept, "t*", "tensors", "aten._to_cpu.default")                                   \
  X(block_diag, each, kept, "t*", "tensors", "aten.block_diag.default")                            \
  X(cartesian_prod, each, kept, "t*", "tensors", "aten.cartesian_prod.default")                    \
  X(combinations, each, kept, "t?ib", "self r with_replacement", "aten.combinations.default")      \
  X(fill_diagonal, each, kept, "tn?b", "self fill_value wrap", "aten.fill_diagonal_.default")      \
  X(nonzero_static, each, kept, "ti?i", "self size fill_value", "aten.nonzero_static.default")     \
  X(sum_to_size, each, kept, "tl", "self size", "aten.sum_to_size.default")                        \
  X(trapezoid_over, each, kept, "tt?i", "y x dim", "aten.trapezoid.x aten.trapz.x")                \
  X(cumulative_trapezoid_over, each, kept, "tt?i", "y x dim", "aten.cumulative_trapezoid.x")       \
  X(renorm, each, kept, "tnin", "self p dim maxnorm", "aten.renorm.default")                       \
  X(cov, each, kept, "t?iTT", "self correction fweights aweights", "aten.cov.default")             \
  X(corrcoef, each, kept, "t", "self", "aten.corrcoef.default")                                    \
  X(unsafe_masked_index, each, kept, "ttT*n", "self mask indices fill",                            \
    "aten._unsafe_masked_index.default")                                                           \
  X(as_strided_scatter, each, kept, "ttll?I", "self src size stride storage_offset",               \
    "aten.as_strided_scatter.default")                                                             \
  X(range_inclusive, each, kept, "nn?nd*", "start end step dtype", "aten.range.default "           \
    "aten.range.step")                                                                             \
  X(is_nonzero, each, kept, "t", "self", "aten.is_nonzero.default")                                \
  X(dim, each, kept, "t", "self", "aten.dim.default")                                              \
  X(is_floating_point, each, kept, "t", "self", "aten.is_floating_point.default")                  \
  X(is_complex, each, kept, "t", "self", "aten.is_complex.default")                                \
  X(is_signed, each, kept, "t", "self", "aten.is_signed.default")                                  \
  X(is_same_size, each, kept, "tt", "self other", "aten.is_same_size.default")                     \
  X(shape_as_tensor, each, kept, "t", "self", "aten._shape_as_tensor.default")                     \
  X(quantile, each, kept, "tx?Ibs", "self q dim keepdim interpolation", "aten.quantile.default "   \
    "aten.quantile.scalar")                                                                        \
  X(nanquantile, each, kept, "tx?Ibs", "self q dim keepdim interpolation",                         \
    "aten.nanquantile.default aten.nanquantile.scalar")                                            \
  X(unique_consecutive, each, kept, "t?bbI", "self return_inverse return_counts dim",              \
    "aten.unique_consecutive.default")                                                             \
  X(unique_dim_consecutive, each, kept, "ti?bb", "self dim return_inverse return_counts",          \
    "aten.unique_dim_consecutive.default")                                                         \
  X(unique_dim, each, unknown, "ti?bbb", "self dim sorted return_inverse return_counts",           \
    "aten.unique_dim.default")                                                                     \
  X(alpha_dropout, draw, kept, "t?nb", "input p train", "aten.alpha_dropout.default")              \
  X(feature_alpha_dropout, draw, kept, "t?nb", "input p train",                                    \
    "aten.feature_alpha_dropout.default")                                                          \
  X(rrelu, draw, kept, "t?nnbd", "self lower upper training generator", "aten.rrelu.default")      \
  X(rrelu_with_noise, draw, kept, "tt?nnbd", "self noise lower upper training generator",          \
    "aten.rrelu_with_noise.default")                                                               \
  X(exponential, draw, kept, "t?nd", "self lambd generator", "aten.exponential.default")           \
  X(cauchy, draw, kept, "t?nnd", "self median sigma generator", "aten.cauchy.default")             \
  X(log_normal, draw, kept, "t?nnd", "self mean std generator", "aten.log_normal.default")         \
  X(geometric, draw, kept, "tn?d", "self p generator", "aten.geometric.default")                   \
  X(random_integers, draw, kept, "t?INd", "self from to generator", "aten.random.default "         \
    "aten.random.to aten.random.from")                                                             \
  X(poisson, draw, kept, "t?d", "self generator", "aten.poisson.default")                          \
  X(slogdet, each, kept, "t", "A", "aten.linalg_slogdet.default aten.slogdet.default "             \
    "aten._linalg_slogdet.default")                                                                \
  X(qr, each, unknown, "t?s", "A mode", "aten.linalg_qr.default")                                  \
  X(svd, each, unknown, "t?bS", "A full_matrices driver", "aten.linalg_svd.default")               \
  X(reduced_svd, each, unknown, "t?bbS", "A full_matrices compute_uv driver",                      \
    "aten._linalg_svd.default")                                                                    \
  X(svdvals, each, kept, "t?S", "A driver", "aten.linalg_svdvals.default")                         \
  X(eigh, each, unknown, "t?sb", "A UPLO compute_v", "aten.linalg_eigh.default "                   \
    "aten._linalg_eigh.default")                                                                   \
  X(eigvalsh, each, kept, "t?s", "A UPLO", "aten.linalg_eigvalsh.default")                         \
  X(matrix_norm, each, kept, "t?nslbd", "self ord word dim keepdim dtype",                         \
    "aten.linalg_matrix_norm.default aten.linalg_matrix_norm.str_ord")                             \
  X(linalg_norm, each, kept, "t?NsLbd", "self ord word dim keepdim dtype",                         \
    "aten.linalg_norm.default aten.linalg_norm.ord_str")                                           \
  X(nuclear_norm, each, kept, "t", "self", "aten.nuclear_norm.default")                            \
  X(pinverse, each, unknown, "t?nb", "self rcond hermitian", "aten.pinverse.default "              \
    "aten.linalg_pinv.default")                                                                    \
  X(linalg_pinv, each, unknown, "t?NNb", "self atol rtol hermitian",                               \
    "aten.linalg_pinv.atol_rtol_float aten.linalg_pinv.atol_rtol_tensor")                          \
  X(matrix_rank, each, kept, "t?NNb", "self atol rtol hermitian",                                  \
    "aten.linalg_matrix_rank.atol_rtol_float aten.linalg_matrix_rank.atol_rtol_tensor")            \
  X(matrix_power, each, unknown, "ti", "self n", "aten.matrix_power.default "                      \
    "aten.linalg_matrix_power.default")                                                            \
  X(matrix_exp, each, unknown, "t", "self", "aten.matrix_exp.default "                             \
    "aten.linalg_matrix_exp.default")                                                              \
  X(cholesky_solve, each, unknown, "tt?b", "self input2 upper", "aten.cholesky_solve.default")     \
  X(cholesky_inverse, each, unknown, "t?b", "self upper", "aten.cholesky_inverse.default")         \
  X(grouped_mm, each, row_major, "tt?TTd", "self mat2 offs bias out_dtype",                        \
    "aten._grouped_mm.default transformers.grouped_mm_fallback.default")
// clang-format on

#endif  // TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The operations that run, whatever their ids are in a file.
enum class operation : std::uint16_t {
  unknown,
#define TESSERA_X(name, ...) name,
  TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};
/// What an operation does for each element, as far as its cost depends on it.
enum class work : std::uint8_t {
  part,      ///< nothing: a shape, or a part of what is there; or one value for all
  parts,     ///< the same for a list of parts
  pick,      ///< takes rows of a table, or counts
  each,      ///< little: sums, products, comparisons
  move,      ///< copies it to or from any place
  root,      ///< a square root, a division, some comparisons
  function,  ///< an exponential function and the like
  fold,      ///< takes it into a sum, a mean, a maximum
  product,   ///< multiplies it with many
  passes,    ///< reads it several times
  compare,   ///< as many comparisons, or divisions, as a count has bits
  uniform,   ///< a random number
  normal,    ///< a random number of a distribution that takes longer
  draw,      ///< reads it and takes a random number
};
/// The order of a result's elements in PyTorch's memory.
enum class order : std::uint8_t {
  kept,       ///< row-major where the operands are
  row_major,  ///< always row-major
  unknown,    ///< it depends on more: views, and what is made by libraries
};
/// A row of the table of operations.
struct operation_row {
  nac::work work = {};          ///< what it does for each element
  nac::order order = {};        ///< how its result's elements are ordered
  std::string_view pattern;     ///< which arguments it takes; the letters are explained above
  std::string_view parameters;  ///< what PyTorch calls the pattern's letters
  std::string_view names;       ///< blanks between them
};
/// By operation; row 0 is that of `unknown`.
inline constexpr operation_row operations[] = {{},
#define TESSERA_X(name, does, lies, ...) {work::does, order::lies, __VA_ARGS__},
                                               TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};
/// How many rows the table has, with that of `unknown`.
inline constexpr std::size_t operation_count = sizeof operations / sizeof operations[0];

/// What arguments an operation takes; the letters are explained above.
[[nodiscard]] constexpr std::string_view pattern(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].pattern;
}
/// What it does for each element.
[[nodiscard]] constexpr work work_of(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].work;
}
/// Whether equal operands may give other results.
[[nodiscard]] constexpr bool is_random(operation o) noexcept {
  const work does = work_of(o);
  return does == work::uniform || does == work::normal || does == work::draw ||
         o == operation::multinomial;
}
/// How its result's elements are ordered in PyTorch's memory.
[[nodiscard]] constexpr order order_of(operation o) noexcept {
  return operations[static_cast<std::size_t>(o)].order;
}
/// The first of an operation's names.
[[nodiscard]] constexpr std::string_view name(operation o) noexcept {
  const std::string_view names = operations[static_cast<std::size_t>(o)].names;
  return names.substr(0, names.find(' '));
}
/// The operation that a file means by a name; linear in the table, so call it once for each id. Of
/// a form in place, the operation that gives its result.
[[nodiscard]] operation find_operation(std::string_view wanted) noexcept;
/// Whether a name is that of a form in place: "aten.relu_.default", "aten.__iand__.Tensor".
[[nodiscard]] bool is_in_place(std::string_view name) noexcept;

/// The kinds of arguments that patterns distinguish. `integer`: a number without a fraction, of any
/// type; `int_list`: a list of such numbers.
enum class argument_form : std::uint8_t {
  result,
  null,
  integer,
  number,
  string,
  int_list,
  number_list
};
/// How many forms there are.
inline constexpr std::size_t argument_form_count =
    static_cast<std::size_t>(argument_form::number_list) + 1;

/// What `view` is under one of its names, with arguments of these forms: compilers write squeeze
/// and squeeze.dim as nac.view too. aten.view never has their arguments, no shape or only one
/// number.
[[nodiscard]] operation view_or_squeeze(std::string_view name, view<argument_form> given) noexcept;

/// The form of a constant; linear in its elements, so call it once for each.
[[nodiscard]] argument_form form_of(const constant& c) noexcept;

/// Whether a pattern's letter takes one argument of that form.
[[nodiscard]] bool takes(char letter, argument_form form) noexcept;

/// How many letters a pattern has at most; '?' and '*' don't count.
inline constexpr std::size_t max_letters = 10;

/// Which arguments each letter of a pattern has received.
struct binding {
  std::uint8_t first[max_letters] = {};  ///< index of the letter's first argument, where it has one
  std::uint8_t count[max_letters] = {};  ///< 0: the letter's argument is missing
};

/// How arguments match a pattern.
struct match {
  /// `fits`: each argument has a letter. `count`: there are too few or too many. `form`: no letter
  /// takes one of them.
  enum class kind : std::uint8_t { fits, count, form };
  kind what = kind::fits;    ///< whether they match, or why not
  std::size_t argument = 0;  ///< for `form`: which one no letter takes
};

/// Gives the letters of a pattern their arguments, from left to right; at most 255 of them. Linear
/// but for patterns with a 'v' that others must follow, of which there are few.
[[nodiscard]] match bind(std::string_view letters, view<argument_form> arguments,
                         binding& out) noexcept;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_OPERATIONS_HPP

// ---- tessera/nac/parts.hpp
//
// NAC containers in parts: everything that a file holds, to be changed and written.
//
//   nac::parts p = nac::parts_of(*file);
//   p.form = nac::header::v1_8;
//   p.resources.push_back({p.add_string("merges.b"), nac::parts::borrow(merges)});
//   auto bytes = nac::write(p);                                   // nac/write.hpp
//
// Flat pools; lists inside records are ranges of `words`, `numbers` and `characters`. The order of
// the sections and what prefixes count are one rule for all (nac/parts.hpp), no part of records.
//
// Lifetime:   owns all but payloads that were given as bytes (elements, resources, bytecode) or
//             with a source, which it borrows; parts_of borrows them from the file's bytes.
// Errors:     none: parts may hold what no container can; `write` refuses that.
// Limits:     2^32 characters, words and numbers.
// Allocation: of parts_of, at most 12 × what isn't payload.

#ifndef TESSERA_NAC_PARTS_HPP
#define TESSERA_NAC_PARTS_HPP

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
namespace nac {

// ---- Layout, in which writers of the same parts differ: the order of the sections, and whether
// prefixes count themselves.
//
//   nac::layout how = nac::layout_of(*file);
//   nac::counts_itself(how.inputs, nac::op_input, file->header());     // INPUT 1-3 begin with 2
//
//   prefix of           1.6, the specification's   1.7 and 1.8, the compiler's
//   INPUT 1-3           2                          1
//   OUTPUT 0-2          outputs + 1                outputs
//   OUTPUT 3            1                          1
//   CONTROL_FLOW        3                          3
//   all others          how many words follow      how many words follow
//
// New containers are written so; parts of a container that was read keep its layout. The first
// prefix of an operation that is right by either rule decides; where there is none, INPUT follows
// OUTPUT's rule and the reverse.
//
//   order               MMAP OPS CMAP CNST PERM DATA PROC ORCH TRNG RSRC ARRS
//   order of 1.6        … PROC RSRC ORCH
//
// Lifetime:   owns its list.
// Errors:     none.
// Limits:     none.
// Allocation: the order, where it isn't the version's.

/// Whether the prefixes of an operation count themselves, too.
enum class self_count : std::uint8_t { by_version, no, yes };

/// The ways in which the same parts can be laid out.
struct layout {
  self_count inputs = self_count::by_version;    ///< INPUT 1-3
  self_count outputs = self_count::by_version;   ///< OUTPUT 0-2
  self_count branches = self_count::by_version;  ///< CONTROL_FLOW
  /// Sections in the order in which they appear; those that it leaves out follow them, in the order
  /// of the version.
  pool<section> order;
};

/// The effect of a rule on an operation: `a` is op_input, op_output or op_control_flow.
[[nodiscard]] constexpr bool counts_itself(self_count rule, std::uint8_t a, header form) noexcept {
  if (rule != self_count::by_version) return rule == self_count::yes;
  return a == op_control_flow || form == header::v1_6;
}

/// The sections of a version in the order that its compiler writes them in: 0 to section_count - 1.
[[nodiscard]] constexpr section section_in_order(header form, std::size_t place) noexcept {
  constexpr section last_of_1_6[] = {section::rsrc, section::orch, section::trng};
  constexpr auto first = static_cast<std::size_t>(section::orch);
  if (form == header::v1_6 && place >= first && place < first + 3)
    return last_of_1_6[place - first];
  return static_cast<section>(place);
}

/// How a file is laid out.
[[nodiscard]] layout layout_of(const model& f);

/// A part of one of the pools of `parts`.
struct range {
  std::uint32_t first = 0, size = 0;  ///< index of the first element, and how many

  /// Whether a pool has all elements of the range.
  template <class Pool>
  [[nodiscard]] bool is_inside(const Pool& of) const noexcept {
    return first <= of.size() && size <= of.size() - first;
  }
};

/// Makes the bytes of payloads while they are written, so that they need no memory.
struct payload_source {
  const void* context = nullptr;  ///< passed to `read`
  /// Writes bytes `first` to `first + count` - 1 of the payload `key` to `to`; `first` is a
  /// multiple of 8, and so is `count` unless the payload ends there. False: it can't.
  bool (*read)(const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
               std::size_t count) = nullptr;
};

/// Bytes that a file carries and that nothing interprets: borrowed, in parts::own_bytes from
/// `first`, or those that `source` makes for the key `first`.
struct payload {
  /// Where the bytes are that the parts don't own; else null.
  const std::byte* borrowed = nullptr;
  std::uint64_t first = 0, size = 0;  ///< where the bytes begin, or their key; how many there are
  const payload_source* source = nullptr;  ///< null for bytes in memory
};

/// A row of CMAP, PERM, or of DATA's blocks 1 and 2.
struct named_part {
  std::uint16_t id = 0;  ///< its key
  range text;            ///< in parts::characters
};

/// A row of CNST or of the orchestrator's pool.
struct constant_part {
  std::uint16_t id = 0;                      ///< its key, by which instructions name it
  constant_type type = constant_type::null;  ///< decides which of the following has the value
  std::uint64_t bits = 0;                    ///< of a boolean, an int64 or a float64
  range values;  ///< a string in parts::characters; elements in parts::numbers

  /// The value of an int64.
  [[nodiscard]] std::int64_t int64() const noexcept { return std::bit_cast<std::int64_t>(bits); }
  /// The value of a float64.
  [[nodiscard]] double float64() const noexcept { return std::bit_cast<double>(bits); }
};

/// An instruction of OPS or TRNG.
struct instruction_part {
  /// A and B, as in `instruction`: the operation, and its signature or variant.
  std::uint8_t a = 0, b = 0;
  range c, d;  ///< in parts::words; C without its prefix
};

/// A command of a tick.
struct command_part {
  action what = action::save_result;  ///< what is to be done
  std::uint16_t target = 0;           ///< the index of an instruction
};

/// A tick of MMAP.
struct tick_part {
  std::uint16_t instruction = 0;  ///< its index in parts::instructions
  range commands;                 ///< in parts::commands
};

/// A tensor of DATA.
struct tensor_part {
  std::uint16_t id = 0;                 ///< of its parameter
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// Decides which fields of the metadata are stored.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;        ///< int8_channel: the axis that scales run along
  std::uint16_t block = 0;      ///< block_fp8: elements of one scale, 1 or more
  range shape, original_shape;  ///< in parts::numbers
  range scales;                 ///< in parts::numbers, as bits of float32
  payload data;                 ///< the elements
};

/// A file of RSRC.
struct resource_part {
  range name;    ///< in parts::characters
  payload data;  ///< its content
};

/// An array of ARRS.
struct array_part {
  range name;                           ///< in parts::characters
  data_type type = data_type::float32;  ///< of the elements
  range shape;                          ///< in parts::numbers
  payload data;                         ///< the elements
};

/// A container in parts.
struct parts {
  nac::header form = nac::header::v1_6;  ///< of the header, hence the version that is written
  /// The method that the header names; each tensor has its own.
  nac::quantization quantization = nac::quantization::none;
  bool internal_weights = true;  ///< bit 7 of byte 4: the weights are in the file
  bool training_flag = false;    ///< bit 6 of byte 4; version 2
  std::uint16_t inputs = 0, outputs = 0, d_model = 0;  ///< as the header states them
  nac::layout layout;  ///< of a file that was read; else the version's

  pool<tick_part> schedule;                       ///< of MMAP
  pool<command_part> commands;                    ///< of all ticks
  pool<instruction_part> instructions, training;  ///< of OPS; of TRNG
  /// Rows of CMAP, of PERM, and of DATA's blocks 1 and 2.
  pool<named_part> operations, signatures, parameters, input_names;
  pool<constant_part> constants, plan_constants;  ///< of CNST; of the orchestrator's pool
  pool<tensor_part> tensors;                      ///< of DATA's block 3
  payload manifest, plan;                         ///< the content of PROC; the bytecode of ORCH
  pool<resource_part> resources;                  ///< of RSRC
  pool<array_part> arrays;                        ///< of ARRS
  /// Whether PROC, TRNG and RSRC are written even without records. A manifest and training
  /// instructions can't do without theirs.
  bool has_manifest = false, has_training = false, has_resources = false;

  text characters;              ///< of all strings and names
  pool<std::uint16_t> words;    ///< C and D of all instructions; offsets as their bits
  pool<std::uint32_t> numbers;  ///< dimensions; elements of lists, and scales, as their bits
  pool<std::byte> own_bytes;    ///< the payloads that `keep` copied

  /// The text of a range of `characters`. Borrows.
  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  /// The elements of a range of `words`. Borrows.
  [[nodiscard]] view<std::uint16_t> words_of(range r) const noexcept {
    return {words.data() + r.first, r.size};
  }
  /// The elements of a range of `numbers`. Borrows.
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  /// None for a payload with a source.
  [[nodiscard]] bytes data_of(const payload& p) const noexcept;

  // ---- building: everything is appended

  /// Appends to `characters`, up to 2^32 of them.
  [[nodiscard]] range add_string(std::string_view s);
  /// Appends to `numbers`, up to 2^32 of them.
  [[nodiscard]] range add_numbers(view<std::uint32_t> values);
  /// Appends to `words`, up to 2^32 of them.
  [[nodiscard]] range add_words(view<std::uint16_t> values);
  /// Borrows `b`.
  [[nodiscard]] static payload borrow(bytes b) noexcept { return {b.data(), 0, b.size(), nullptr}; }
  [[nodiscard]] static payload borrow(std::string_view s) noexcept { return borrow(as_bytes(s)); }
  /// Copies `b`.
  [[nodiscard]] payload keep(bytes b);
  [[nodiscard]] payload keep(std::string_view s) { return keep(as_bytes(s)); }
  /// Appends a row to one of the tables of names.
  void add_name(pool<named_part>& to, std::uint16_t id, std::string_view name) {
    to.push_back({id, add_string(name)});
  }
};

/// What a file holds, in parts. Not kept: slack, reserved bytes, unknown sections, and prefixes
/// that follow no rule.
[[nodiscard]] parts parts_of(const model& f);

// ---- Brings the parts of a NAC container into another version of the format.
//
//   auto older = nac::convert(nac::parts_of(*file), nac::header::v1_6);
//   if (!older) return fail(older.error());
//   auto bytes = nac::write(*older);
//
//   operation in use            its id
//   the version predefines it   that one, and no row in CMAP
//   another one                 its own where that is 32 or more, else the least free one from 32 on
//
// An operation is its name, so two ids of one name become one. CMAP holds what is in use, by
// ascending id: it depends on nothing but the instructions and their names, and converting once
// more changes nothing. What stays: everything else.
//
//   to v1_6   refused: TRNG, the training flag, arrays, INPUT 4 and 5, OUTPUT 3 and 4
//   to v1_7   refused: arrays
//
// Lifetime:   as of the parts that were given: borrowed payloads stay borrowed.
// Errors:     nac_convert_*; the offset is the index of an instruction, or 0. nac_write_range,
//             nac_write_form.
// Limits:     224 operations that the version doesn't predefine.
// Allocation: none but the names of predefined operations that need a row now.

/// The parts of a container of another version that computes the same.
/// Move the parts in to save a copy of them.
[[nodiscard]] result<parts> convert(parts p, header to);

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_PARTS_HPP

// ---- tessera/nac/print.hpp
//
// NAC containers as text: everything that a file holds, in a form that assemble reads back.
//
//   tessera::text listing = nac::print(*file, {.source_name = "model.nac"});
//
//     nac 1.6
//     quantization none
//     weights internal
//     inputs 1
//     outputs 1
//     d_model 3
//     operations:
//       20 = "aten.linear.default"
//     constants:
//       2 = 1.5
//     tensors:
//       1 = f32 [2] hex { 0000003f 000000bf }
//     code:
//       v0 = input  ; "x"
//       v1 = nac.add(v0, 1.5)
//       v2 = output(v1)
//
// The grammar is in assembly.hpp. Information that can be derived is omitted only where assemble
// would find exactly the same, so only slack, reserved bytes, unknown sections and
// prefixes that follow no rule are lost. Comments name inputs, parameters and constants where those
// are short.
//
// Lifetime:   borrows the file while it runs.
// Errors:     none: any file that was read has a text.
// Limits:     none.
// Allocation: the text, and tables of ids; payloads by reference are never looked at.

#ifndef TESSERA_NAC_PRINT_HPP
#define TESSERA_NAC_PRINT_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A string in quotes, as the lexer reads it; what may not reach a terminal is escaped byte by
/// byte.
void print_string(text& out, std::string_view s);

/// The assembly's word for a system instruction; empty where it has none of its own.
[[nodiscard]] std::string_view system_word(std::uint8_t a, std::uint8_t b) noexcept;

/// How a container is printed.
struct print_options {
  /// How payloads are printed.
  enum payloads : std::uint8_t {
    automatic,     ///< up to 64 bytes inline, more by reference if there is a source name
    inline_hex,    ///< all inline
    by_reference,  ///< none inline, unless there is no source name
  };
  std::string_view source_name = {};  ///< of the file, for references into it; none: all inline
  payloads payload = automatic;  ///< how the bytes of tensors, arrays and resources are printed
  bool schedule_beside = false;  ///< the schedule's commands as comments beside the code, too
};

/// The text of a container.
[[nodiscard]] text print(const model& f, const print_options& options = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_PRINT_HPP

// ---- tessera/nac/read.hpp
//
// NAC containers from bytes: versions 1.6, 1.7 and 1.8, in one pass and without a copy.
//
//   auto model = tessera::nac::read(mapped);
//   if (!model) return fail(describe(model.error(), mapped));
//   // model.nac: error: the section ends inside a record
//   //   [nac_truncated] at OPS, instruction 3 (aten.add.Tensor), offset 812 (0x32c)
//   model->section(nac::section::cnst);                   // its bytes
//   for (const nac::tensor t : model->tensors()) use(t);  // read touches no elements
//
// Read in this order; the first error ends reading: the header and the offsets of the
// sections, PERM, CMAP, CNST, MMAP, OPS, DATA, PROC, ORCH, TRNG, RSRC, ARRS.
//
// The version byte doesn't distinguish 1.7 from 1.8: the first section follows the header directly,
// so its offset is the header's size; where there is a gap, the slots that hold offsets of sections
// decide. Sections are what their tags say, whatever slot names them; unknown tags only bound their
// neighbours. Bytes after the last record of a section are skipped.
//
// Of records with the same id, the last counts. A boolean's and a null's length are ignored. A
// constant count below 0 means none.
//
// Lifetime:   the model borrows the bytes.
// Errors:     nac_magic … nac_block_size, too_many_items, input_too_large. The offset is that of
//             the field that is wrong, or of the first that the section is too short for.
// Limits:     max_items, for each list; 4 GiB of CMAP and of PERM. max_bytes is not limited by
//             default, for nothing grows with it.
// Allocation: none.

#ifndef TESSERA_NAC_READ_HPP
#define TESSERA_NAC_READ_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// How containers, and files of weights, are read.
struct read_options {
  /// Here max_items is that of each list; max_bytes isn't limited by default.
  limits limit = {.max_bytes = ~std::uint64_t{0}};
};

/// The model of the container in `in`, all of whose sections and records are complete.
[[nodiscard]] result<model> read(bytes in, const read_options& options = {});
[[nodiscard]] inline result<model> read(std::string_view in, const read_options& options = {}) {
  return read(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the model is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<model> read(Owner&& in, const read_options& = {})
= delete;

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_READ_HPP

// ---- tessera/nac/verify.hpp
//
// The proof that a NAC container is valid, and the only maker of nac::program.
//
//   tessera::report found;
//   auto program = nac::verify(*file, {}, &found);
//   const tessera::source_file source{"model.nac", as_text(mapped), true};
//   std::cerr << describe(found, {&source, 1});
//   // model.nac: error: v12 = aten.linear.default: 4 arguments; expected 2 or 3
//   //   [nac_argument_count] at instruction 12 (aten.linear.default), signature, offset 780 (0x30c)
//   if (!program) …                                    // program.error() is the first error
//
// Proven of a program, checked in this order:
//
//   tables      ids are unique in each (warning: the last record counts)
//   OPS         there is one; references lead to earlier instructions, constants exist (see
//               resolve); operations have names, and the arguments of the supported ones fit
//               (nac/operations.hpp; others get a warning, and machines refuse them); INPUT and
//               OUTPUT belong in OPS; branches end inside the one around them
//   DATA        sizes, types and scales of tensors agree with their metadata; input names belong to
//               inputs, of which there are as many as the header counts; each parameter that is
//               used has a name and a tensor; external ones are found by their names
//   MMAP        commands change no result (warnings; the program leaves the others out)
//   RSRC, ARRS  each name once; arrays have the size of their shape
//   ORCH, PROC  the execution plan and the tokenizer's manifest (nac/execution_plan.hpp,
//               nac/tokenizer.hpp)
//   TRNG        only the structure: its operations have no defined meaning
//   header      reserved bytes are 0, sections end where their records do (warnings)
//
// Not checked: shapes, data types and values, which depend on results; results of branches that
// don't run (warning); the slots of plans. No element of a tensor is read.
//
// Each finding has its code, a message with values and the place, {offset}, whose path names the
// element: "instruction 12 (aten.linear.default), argument 2", "parameter 7 \"fc1.weight\"",
// "tensor 3, data size", "tick 4 (instruction 9), command 2", "constant 5 (id 9)". All numbers
// count from 0; those of records are indices in their list. An instruction whose arguments can't be
// resolved is reported once, and all others are checked.
//
// A program has its instructions as records of one size, with their arguments resolved:
//
//   for (const nac::step& s : program->code().steps) {
//     const nac::operation o = program->operation_of(s);       // unknown: a system operation
//     const nac::binding b = program->binding_of(s);           // which arguments are which
//     for (const nac::argument a : program->code().arguments_of(s))
//       if (a.is_constant()) use(program->constant(a.id())); else use(results[a.index()]);
//   }
//
// Lifetime:   the program borrows the container's bytes and the external weights, and holds a copy
//             of the model, which may be a temporary.
// Errors:     the first finding that is an error: nac_no_instructions to nac_training_version,
//             nac_mep_*, nac_tisa_*, too_many_items, input_too_large. Offsets count in the
//             container, those of external tensors too: they are where the parameter is named.
// Limits:     verify_options::limit, of which max_items holds for each list of instructions.
// Allocation: the program: 20 bytes for an instruction, 4 for an argument, 24 for an input, 25 for
//             a constant, 136 for a parameter, 6 for a command of the schedule, 4 for each id up to
//             the largest, at most twice that of each; while it is made 18 bytes for an
//             instruction, 16 more for an INPUT, and 64 for the name of a resource or array.

#ifndef TESSERA_NAC_VERIFY_HPP
#define TESSERA_NAC_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


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

// ---- tessera/nac/detail/ids.hpp
//
// Sets and tables of 16-bit ids: of constants, parameters and instructions.
//
//   detail::id_set seen;
//   if (seen.has(c.id)) …
//   const detail::id_table rows(file.parameters());       // the last record of an id counts
//   if (rows[7] != detail::no_index) …                        // its index in the list
//
// Lifetime:   owns; refers to records by their indices.
// Errors:     none.
// Limits:     ids up to 65,535.
// Allocation: of a set none, it has 8 KiB; of a table 4 to 8 bytes for each id up to the largest.

#ifndef TESSERA_NAC_DETAIL_IDS_HPP
#define TESSERA_NAC_DETAIL_IDS_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Consecutive ids, at least one.
class id_range {
 public:
  id_range(std::uint16_t first, std::uint16_t last) noexcept
      : first_(first), last_after_first_(static_cast<std::uint16_t>(last - first)) {}
  [[nodiscard]] std::uint16_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint16_t last_after_first() const noexcept { return last_after_first_; }
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return ((std::uint32_t{id} - first_) & 0xffff) > last_after_first_ ? 1 : 0;
  }

 private:
  std::uint16_t first_, last_after_first_;
};

/// A set of ids.
class id_set {
 public:
  void insert(std::uint16_t id) noexcept {
    count_ += lacks(id);
    words_[id >> 6] |= std::uint64_t{1} << (id & 63);
    first_ = id < first_ ? id : first_;
    last_ = id > last_ ? id : last_;
  }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept {
    return (words_[id >> 6] >> (id & 63) & 1) != 0;
  }
  /// 1 or 0.
  [[nodiscard]] std::uint32_t lacks(std::uint16_t id) const noexcept {
    return static_cast<std::uint32_t>(~words_[id >> 6] >> (id & 63) & 1);
  }
  /// Whether range() is the same.
  [[nodiscard]] bool is_range() const noexcept {
    return count_ != 0 && count_ == last_ - std::uint32_t{first_} + 1;
  }
  [[nodiscard]] id_range range() const noexcept { return {first_, last_}; }
  [[nodiscard]] std::uint16_t first() const noexcept { return first_; }

 private:
  std::uint64_t words_[1024] = {};
  std::uint32_t count_ = 0;
  std::uint16_t first_ = 0xffff, last_ = 0;
};

inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// From ids to indices, as far as the largest id reaches.
class id_table {
 public:
  id_table() noexcept = default;
  /// Of records with ids.
  template <class List>
  explicit id_table(const List& records) {
    std::uint32_t index = 0;
    for (const auto& r : records) set(r.id, index++);
  }
  /// The index of an id's record; none where there is none.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t id) const noexcept {
    return id < next_.size() ? next_[id] - 1 : no_index;
  }
  void set(std::uint16_t id, std::uint32_t index) {
    if (next_.size() <= id) next_.resize(std::size_t{id} + 1);
    next_[id] = index + 1;
  }
  /// One more than the largest id.
  [[nodiscard]] std::uint32_t end() const noexcept {
    return static_cast<std::uint32_t>(next_.size());
  }

 private:
  pool<std::uint32_t> next_;  // indices plus 1, so that 0 is no_index
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_IDS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

class safetensors;

/// How a container is verified, and within which limits.
struct verify_options {
  const safetensors* weights = nullptr;  ///< of containers with external weights
  /// External weights may be missing: then program::has_weights() is false.
  bool weights_elsewhere = false;
  /// Prefixes that no convention knows are errors rather than warnings.
  bool strict_prefixes = false;
  limits limit = {};                     ///< max_items: instructions of a list
  std::uint64_t max_diagnostics = 1000;  ///< that a report keeps; it counts all
};

/// An instruction: where it is, what it is, and which of the program's arguments are its own (see
/// `argument`).
struct step {
  std::uint32_t offset = 0;     ///< bytes from the first instruction of the list
  std::uint8_t a = 0, b = 0;    ///< as in the file
  std::uint16_t arguments = 0;  ///< how many
  std::uint32_t first = 0;      ///< index of the first one
  std::uint16_t operation = 0;  ///< filled by `verify`
  std::uint16_t reserved = 0;   ///< always 0
};
static_assert(sizeof(step) == 16);

inline constexpr std::uint32_t max_index = 0x7fff'ffff;  ///< of an instruction, read

/// How much is decoded.
struct decode_options {
  limits limit = {};  ///< max_items: instructions
};

/// The instructions of `list`, which is f.instructions() or f.training(), without their arguments.
/// Errors: too_many_items, input_too_large. Allocates 16 bytes for each instruction.
[[nodiscard]] result<pool<step>> decode(const model& f, const instructions& list,
                                        const decode_options& options = {});

/// The index of an instruction, or an id.
struct argument {
  /// The bit that distinguishes ids and lengths from indices.
  static constexpr std::uint32_t constant_bit = std::uint32_t{1} << 31;
  std::uint32_t bits = 0;  ///< an index, or constant_bit and an id or length

  /// Whether it is an id (or a branch's length) rather than an instruction.
  [[nodiscard]] constexpr bool is_constant() const noexcept { return (bits & constant_bit) != 0; }
  /// The index of the instruction that makes the result; of others, the id or the length.
  [[nodiscard]] constexpr std::uint32_t index() const noexcept { return bits & ~constant_bit; }
  /// The id of a constant or parameter.
  [[nodiscard]] constexpr std::uint16_t id() const noexcept {
    return static_cast<std::uint16_t>(bits);
  }
  friend constexpr bool operator==(argument, argument) noexcept = default;  ///< equal in all bits
};

/// A list of instructions with their arguments.
struct code {
  pool<step> steps;          ///< in the order of the file
  pool<argument> arguments;  ///< of all steps, one after another

  /// The arguments of one of the steps, in their order. Borrows.
  [[nodiscard]] view<argument> arguments_of(const step& s) const noexcept {
    return {arguments.data() + s.first, s.arguments};
  }
};

/// How arguments are resolved: one after another, four at a time, or with what this processor has;
/// `automatic` is the last where there are enough of them. It changes nothing but time.
enum class resolve_path : std::uint8_t { automatic, plain, portable, best };

/// How arguments are resolved, and how many instructions may have some.
struct resolve_options {
  limits limit = {};                            ///< max_items: instructions
  resolve_path path = resolve_path::automatic;  ///< which loop resolves them
};

/// The instructions of `list`, which is f.instructions() or f.training(), with their arguments:
///
///   instruction            arguments
///   A ≥ 10                 one for each letter of its signature: a constant of CNST, or a result
///   INPUT 0                none
///   INPUT 1-5              its id; of a constant (3) it must be in CNST
///   OUTPUT 0-2             the results
///   OUTPUT 3               a parameter's id, the gradient's and the rate's results
///   OUTPUT 4               one result; none where D is 0
///   CONTROL_FLOW           the predicate's result, and the lengths of both branches, marked as ids
///   CONVERGENCE            the input's result, the index of the instruction after its branches,
///                          and of the first one of each branch
///   others                 none
///
/// Results come from earlier instructions; as many constants are given as are taken, and all are in
/// CNST; the true and the false branch of a CONTROL_FLOW, which follow it, end inside the program;
/// so do the branches of a CONVERGENCE, which ascend and hold one instruction or more. A
/// CONVERGENCE without branches, whose end is 0, ends at the next instruction.
///
/// Errors: nac_reference … nac_convergence_branch: the first broken instruction's, with the offset
/// of the word that is wrong; too_many_items, input_too_large. Allocates 28 bytes for an
/// instruction, and where there are more than three arguments for each, 4 to 8 for each of them;
/// some hundred KB more.
[[nodiscard]] result<code> resolve(const model& f, const instructions& list,
                                   const resolve_options& options = {});

/// A parameter: a weight with its name.
struct parameter {
  std::uint16_t id = 0;                      ///< by which INPUT 1 asks for it
  bool has_name = false, has_value = false;  ///< in DATA; in DATA or in the external weights
  std::string_view name;                     ///< empty where it has none
  tensor value;              ///< internal or external; of the latter, offsets count in its own file
  std::uint64_t offset = 0;  ///< of its record with the name
};

/// An INPUT of variant 0. Those without a name are constants that the compiler lifted and lost.
struct model_input {
  std::uint32_t instruction = 0;  ///< its index in OPS
  std::string_view name;          ///< empty where it has none
};

/// A command of the schedule that changes no result.
struct scheduled_command {
  std::uint16_t tick = 0, target = 0;  ///< instructions
  action what = action::free;          ///< what is done at that tick
};

namespace detail {
struct verifier;
}  // namespace detail

/// A container that was proven. Only verify() makes one.
class program {
 public:
  /// The container that was verified. Borrows from the program.
  [[nodiscard]] const nac::model& model() const& noexcept { return model_; }
  const nac::model& model() const&& = delete;
  /// OPS; the operation of a step is an enumerator of nac::operation.
  [[nodiscard]] const nac::code& code() const& noexcept { return code_; }
  const nac::code& code() const&& = delete;
  /// TRNG, of which only the structure is proven; its operations may be unknown.
  [[nodiscard]] const nac::code& training() const& noexcept { return training_; }
  const nac::code& training() const&& = delete;
  /// How many instructions OPS has.
  [[nodiscard]] std::size_t size() const noexcept { return code_.steps.size(); }

  /// The operation of a step; `unknown` for system operations.
  [[nodiscard]] static operation operation_of(const step& s) noexcept {
    return static_cast<operation>(s.operation);
  }
  /// Whether a regular step changes its first operand.
  [[nodiscard]] bool is_in_place(const step& s) const noexcept {
    return nac::is_in_place(model_.operation_name(s.a));
  }
  /// Which arguments of a regular step each letter of its operation's pattern has; none of others.
  [[nodiscard]] binding binding_of(const step& s) const noexcept;
  /// The form of an argument of a regular step: that of its constant, or `result`.
  [[nodiscard]] argument_form form(argument a) const noexcept {
    return a.is_constant() ? forms_[constant_of_[a.id()]] : argument_form::result;
  }

  /// Whether CNST has a constant with this id.
  [[nodiscard]] bool has_constant(std::uint16_t id) const noexcept;
  /// The constant with an id, which must exist.
  [[nodiscard]] const nac::constant& constant(std::uint16_t id) const noexcept {
    return constants_[constant_of_[id]];
  }
  /// Whether DATA names or holds a parameter with this id.
  [[nodiscard]] bool has_parameter(std::uint16_t id) const noexcept;
  /// The parameter with an id, which must exist.
  [[nodiscard]] const nac::parameter& parameter(std::uint16_t id) const noexcept {
    return parameters_[parameter_of_[id]];
  }
  /// All that DATA names or holds; those of internal weights that no INPUT asks for, too.
  [[nodiscard]] view<nac::parameter> parameters() const& noexcept { return parameters_; }
  view<nac::parameter> parameters() const&& = delete;
  /// Whether every parameter that is asked for has its value; see weights_elsewhere.
  [[nodiscard]] bool has_weights() const noexcept { return has_weights_; }

  /// The inputs that a caller must provide, in this order.
  [[nodiscard]] view<model_input> inputs() const& noexcept { return inputs_; }
  view<model_input> inputs() const&& = delete;
  /// The commands of MMAP, in its order, without the commands that verification warned of.
  [[nodiscard]] view<scheduled_command> schedule() const& noexcept { return schedule_; }
  view<scheduled_command> schedule() const&& = delete;
  /// The last instruction that takes the result of instruction `i`; `i` itself where none does.
  [[nodiscard]] std::uint32_t last_use(std::size_t i) const noexcept { return last_use_[i]; }
  /// The largest number of results that are needed at once, with parameters.
  [[nodiscard]] std::uint32_t peak_results() const noexcept { return peak_results_; }

 private:
  friend struct detail::verifier;
  friend result<program> verify(const nac::model& f, const verify_options& options, report* found);
  explicit program(const nac::model& f) noexcept : model_(f) {}

  [[nodiscard]] view<argument_form> forms_of(const step& s, argument_form* out) const noexcept;

  nac::model model_;
  nac::code code_, training_;
  pool<nac::constant> constants_;
  pool<argument_form> forms_;  // of the constants
  detail::id_table constant_of_, parameter_of_;
  pool<nac::parameter> parameters_;
  pool<model_input> inputs_;
  pool<scheduled_command> schedule_;
  pool<std::uint32_t> last_use_;
  std::uint32_t peak_results_ = 0;
  bool has_weights_ = true;
};

/// A program, if `f` has no errors. All findings are appended to `found`.
[[nodiscard]] result<program> verify(const model& f, const verify_options& options = {},
                                     report* found = nullptr);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_VERIFY_HPP

// ---- tessera/nac/write.hpp
//
// Writes a NAC container from its parts: one form for what they hold, however they were built.
//
//   auto bytes = nac::write(parts);
//   if (!bytes) return fail(bytes.error());                          // nothing was written
//
//   header   88, 92 or 100 bytes, as parts.form says; the first section follows it directly
//   always   MMAP OPS CMAP CNST PERM DATA ORCH, and ARRS where the header has a slot for it
//   else     PROC, TRNG and RSRC, where the parts have them
//   order    of sections, and what prefixes count: as parts.layout says (nac/parts.hpp)
//   records  in the order of the parts; no padding between or after them
//
// What was written so is read as the same parts; and what a file in this form holds is written as
// that file, byte for byte.
//
// Lifetime:   borrows the parts while it writes; payloads go to a sink without a copy.
// Errors:     what check() refuses, and nac_write_size, before the first byte; nac_write_stopped.
//             The offset is the index of the record in its pool, 0 for the header's fields.
// Limits:     those of the format.
// Allocation: the container, once, at its size; nothing with a sink.

#ifndef TESSERA_NAC_WRITE_HPP
#define TESSERA_NAC_WRITE_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- A destination that takes a file piece by piece: writing needs no memory of its size.
//
//   nac::sink to{&file, [](void* context, bytes piece) {
//     return std::fwrite(piece.data(), 1, piece.size(), *static_cast<FILE**>(context)) ==
//            piece.size();
//   }};
//   if (error e = nac::write(parts, to); e.code != errc::ok) return fail(e);
//
// Lifetime:   borrows its context.
// Errors:     `put` returns false.
// Limits:     none.
// Allocation: none.

/// Takes a file piece by piece, in order. Pieces are valid during the call.
struct sink {
  void* context = nullptr;  ///< passed to `put`
  /// False: stop; no call follows.
  bool (*put)(void* context, bytes piece) = nullptr;
};

// ---- Whether a NAC container can hold what its parts say.
//
//   if (const error e = nac::check(parts); e.code != errc::ok) return fail(e);
//   // now nac::write has nothing left to refuse but a size beyond 64 bits
//
//   header         the version has a place for it: training, arrays, weights, sections
//   counts         65,535 instructions; 255 commands of a tick; 2^32 - 1 records of a list
//   texts          255 bytes of an operation's name or a signature, 65,535 of other names
//   instructions   C and D have the words that their kind and signature take; ids up to 32,767
//   constants      65,535 bytes or elements
//   tensors        255 dimensions; the fields that the quantization stores, and no others
//   payloads       2^32 - 1 bytes of a resource, a plan or a manifest
//
// What the numbers mean is checked by verify: here, a reference may lead anywhere.
//
// Lifetime:   borrows the parts.
// Errors:     nac_too_many_instructions … nac_write_resource, the first one found: of the header,
//             texts, schedule, instructions, constants, tensors, payloads. The offset is the index
//             of the record in its pool, 0 for fields of the header.
// Limits:     those of the format.
// Allocation: none.

/// The first thing that a container can't hold.
[[nodiscard]] error check(const parts& p) noexcept;

/// How many bytes `write` makes of the parts, after all of its checks.
[[nodiscard]] result<std::uint64_t> written_size(const parts& p);

/// Hands a container to `to`, in pieces of up to 4 KiB and payloads as they are. nac_write_stopped,
/// with the offset 0, when `put` returned false; every other error comes before the first call.
[[nodiscard]] error write(const parts& p, const sink& to);

/// A container of these parts.
[[nodiscard]] result<pool<std::byte>> write(const parts& p);

/// How a model that was read is written.
struct write_options {
  /// Sections in the order that they were read in, and prefixes by the rule that they follow; else
  /// as the version has them.
  bool keep_layout = true;
};

/// A container of what was read: write(parts_of(f)). Kept are all records in their order, unused
/// ones too, and the layout. Not kept: bytes after the last record of a section, reserved bytes,
/// sections with unknown tags, and prefixes that follow no rule (see parts_of). A file without
/// those comes out byte for byte. Refused is only what a container can't number, such as 65,536
/// instructions.
[[nodiscard]] result<pool<std::byte>> write(const model& f, const write_options& options = {});
[[nodiscard]] error write(const model& f, const sink& to, const write_options& options = {});

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_WRITE_HPP

#endif  // TESSERA_NAC_HPP

// ---- tessera/nac/assembly.hpp
//
// NAC containers from text: what print writes, and what people write by hand.
//
//   auto parts = nac::assemble(R"(
//     code:
//       x = input
//       y = nac.add(x, 1.5)
//       output(y)
//   )");
//   if (!parts) return fail(describe(parts.error(), source));
//   auto bytes = nac::write(*parts);                                // nac/write.hpp
//
//   text        header lines, then sections in any order, each once; comments from ; to line ends
//   header      nac 1.6|1.7|1.8               1.6 where it isn't given
//               quantization NAME             none fp16 int8_tensor int8_channel block_fp8; none
//               weights internal|external     internal where there are tensors or no parameters
//               inputs N  outputs N           as many as the code has; 1 without an OUTPUT
//               d_model N                     0
//               training_flag true|false      true in 1.7 and 1.8 where there is `training:`
//               self_counting none|WORD …     input, output, control_flow: those whose prefixes
//                                             count themselves; else as the version has it
//               order TAG …                   MMAP OPS …, as the sections follow one another in the
//                                             file; else as the version has them (parts.hpp)
//   operations: signatures: parameters: input_names:
//               ID = STRING                   an input's ID is the index of its instruction
//   constants: plan_constants:
//               ID = constant
//   tensors:    ID|STRING = TYPE SHAPE [quantization] payload
//               TYPE f32 f64 f16 bf16 i32 i64 i16 i8 u8 bool, SHAPE [2, 3], quantization one of
//               fp16 | int8_tensor scale FLOAT | int8_channel axis N scales [FLOAT, …]
//               | block_fp8 block N shape SHAPE scales [FLOAT, …]
//   code: training:
//               instructions
//   schedule:   INDEX|RESULT : [ACTION INDEX|RESULT, …]    save_result save_for_grad free
//               free_after_trng forward preload, or action N
//   arrays:     STRING = TYPE SHAPE payload
//   resources:  STRING = payload
//   plan:       instructions (execution_plan.hpp), up to the word `end`
//   tokenizer:  instructions (tokenizer.hpp), up to the word `end`
//
// Tables may be left out, and what the code needs is added to them: operations from id 32 on,
// signatures and parameters from 1, constants from 2, with null as 1. Only a table of parameters
// has to be complete where there is one. Without input_names, inputs get the names of their
// results.
//
// Lifetime:   borrows what the resolver gives; nothing of the text.
// Errors:     nac_text_*, nac_mep_*, nac_tisa_* and nac_hex, with the offset of the token that is
//             wrong; input_too_large. Names are looked up after the last token, so that their
//             errors come after all others.
// Limits:     max_bytes, and 4 GiB - 1.
// Allocation: at most 60 × the text, and 300 KB; besides those the map.

#ifndef TESSERA_NAC_ASSEMBLY_HPP
#define TESSERA_NAC_ASSEMBLY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


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

// ---- tessera/nac/detail/words.hpp
//
// NAC assembly: its words, a table for each kind, which print, assemble and dictionaries share.
//
//   nac::assembly::word_of(nac::assembly::section_words, "code");    // its index, or not_a_word
//
//   keys          of the header: nac 1.6, quantization none, weights internal, inputs 1 …
//   sections      operations: signatures: constants: parameters: input_names: tensors: code: …
//   instructions  those of the system: input, parameter, output …; raw and op for any other
//   fields        of tensors and payloads: scale, scales, axis, block, shape; hex, values, file
//
// Names of data types, quantization methods and actions are those of format.hpp.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NAC_DETAIL_WORDS_HPP
#define TESSERA_NAC_DETAIL_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The words of NAC assembly.
namespace assembly {

// X(word)
#define TESSERA_NAC_KEYS(X)                                                                        \
  X(nac)                                                                                           \
  X(quantization)                                                                                  \
  X(weights)                                                                                       \
  X(inputs)                                                                                        \
  X(outputs)                                                                                       \
  X(d_model)                                                                                       \
  X(training_flag)                                                                                 \
  X(self_counting)                                                                                 \
  X(order)

/// The header's keys, one line each.
enum class key : std::uint8_t {
#define TESSERA_X(word) word,
  TESSERA_NAC_KEYS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view key_words[] = {
#define TESSERA_X(word) #word,
    TESSERA_NAC_KEYS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_KEYS

// X(word), in the order of printing
#define TESSERA_NAC_TEXT_SECTIONS(X)                                                               \
  X(operations)                                                                                    \
  X(signatures)                                                                                    \
  X(constants)                                                                                     \
  X(parameters)                                                                                    \
  X(input_names)                                                                                   \
  X(tensors)                                                                                       \
  X(code)                                                                                          \
  X(schedule)                                                                                      \
  X(training)                                                                                      \
  X(arrays)                                                                                        \
  X(resources)                                                                                     \
  X(plan_constants)                                                                                \
  X(plan)                                                                                          \
  X(tokenizer)

/// The sections of the text; plan and tokenizer close with the word `end`.
enum class text_section : std::uint8_t {
#define TESSERA_X(word) word,
  TESSERA_NAC_TEXT_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view section_words[] = {
#define TESSERA_X(word) #word,
    TESSERA_NAC_TEXT_SECTIONS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_TEXT_SECTIONS

/// The operands of an instruction's word.
enum class operands : std::uint8_t {
  name,       ///< nothing, or the name of an input
  parameter,  ///< an id, or a parameter's name
  number,
  constant,     ///< # and an id, or the constant itself
  saved,        ///< an index into OPS, or its value
  values,       ///< (values), and `filler [words]` where C isn't zeros
  step,         ///< a parameter, and (gradient, learning rate)
  end,          ///< (), or (value)
  branch,       ///< (predicate, length if true, length if false)
  convergence,  ///< (input), or (input, end, branches …)
  raw,          ///< A B, c [words] and d [words]
  operation     ///< an operation's id, and its arguments
};

// X(word, A, B, operands)
#define TESSERA_NAC_INSTRUCTION_WORDS(X)                                                           \
  X("input", 2, 0, name)                                                                           \
  X("parameter", 2, 1, parameter)                                                                  \
  X("state", 2, 2, number)                                                                         \
  X("lifted", 2, 3, constant)                                                                      \
  X("saved", 2, 4, saved)                                                                          \
  X("target", 2, 5, number)                                                                        \
  X("output", 3, 0, values)                                                                        \
  X("subgraph_output", 3, 1, values)                                                               \
  X("reserved_output", 3, 2, values)                                                               \
  X("step", 3, 3, step)                                                                            \
  X("end_training", 3, 4, end)                                                                     \
  X("control_flow", 6, 0, branch)                                                                  \
  X("convergence", 7, 0, convergence)                                                              \
  X("raw", 0, 0, raw)                                                                              \
  X("op", 0, 0, operation)

struct instruction_word {
  std::string_view word;
  std::uint8_t a, b;
  operands what;
};
inline constexpr instruction_word instruction_words[] = {
#define TESSERA_X(word, a, b, what) {word, a, b, operands::what},
    TESSERA_NAC_INSTRUCTION_WORDS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_INSTRUCTION_WORDS

[[nodiscard]] constexpr const instruction_word* instruction_word_of(
    std::string_view word) noexcept {
  for (const instruction_word& w : instruction_words)
    if (w.word == word) return &w;
  return nullptr;
}
/// Of a system instruction; null where it has no word of its own.
[[nodiscard]] constexpr const instruction_word* instruction_word_of(std::uint8_t a,
                                                                    std::uint8_t b) noexcept {
  for (const instruction_word& w : instruction_words)
    if (w.a != 0 && w.a == a && (w.b == b || a == op_control_flow || a == op_convergence))
      return &w;
  return nullptr;
}

inline constexpr std::string_view weights_words[] = {"external", "internal"};
inline constexpr std::string_view boolean_words[] = {"false", "true"};
/// Operations whose prefixes may count themselves.
inline constexpr std::string_view counting_words[] = {"input", "output", "control_flow"};

inline constexpr std::string_view word_hex = "hex", word_values = "values", word_file = "file",
                                  word_end = "end", word_c = "c", word_d = "d",
                                  word_filler = "filler", word_action = "action",
                                  word_scale = "scale", word_scales = "scales", word_axis = "axis",
                                  word_block = "block", word_shape = "shape", word_ints = "ints",
                                  word_floats = "floats", word_null = "null", word_nan = "nan",
                                  word_none = "none", word_infinity = "inf",
                                  word_minus_infinity = "-inf";

/// Words that arguments may be, and so no value's name.
inline constexpr std::string_view reserved_words[] = {
    word_null,     boolean_words[0], boolean_words[1], word_nan,
    word_infinity, word_ints,        word_floats,      word_end};

/// A section's tag without the space at the end of one of them.
[[nodiscard]] constexpr std::string_view tag_word(section s) noexcept {
  const std::string_view t = tag(s);
  return t.substr(0, t.back() == ' ' ? 3 : 4);
}

inline constexpr std::size_t not_a_word = ~std::size_t{0};
template <std::size_t N>
[[nodiscard]] constexpr std::size_t word_of(const std::string_view (&words)[N],
                                            std::string_view word) noexcept {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return i;
  return not_a_word;
}

}  // namespace assembly
namespace detail {
using namespace assembly;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WORDS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

// ---- Where the parts of an assembled container are in its text, for errors that are found later.
//
//   nac::text_map map;
//   auto parts = nac::assemble(source, {}, &map);
//   … write it, read what was written, verify it: `found` is a diagnostic of that
//   map.offset_of(*file, found.offset);           // of the statement that it is about
//
// A statement is a row of a table, an instruction, or a line of the plan or of the tokenizer; what
// the assembler added by itself has none: then it is the section's word, else that of the code.
//
// Lifetime:   owns its lists.
// Errors:     none.
// Limits:     texts of 4 GiB.
// Allocation: 8 bytes for each statement, at most twice that.

/// The byte offsets in a text of the statements that made a container's parts.
class text_map {
 public:
  /// Marks a place that isn't set. No function returns it.
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// A map without places.
  text_map() noexcept;

  /// Sets the byte offset of a header line.
  void set(assembly::key k, std::uint64_t offset) noexcept {
    keys_[static_cast<std::size_t>(k)] = offset;
  }
  /// Sets the byte offset of a section's word.
  void set(assembly::text_section s, std::uint64_t offset) noexcept {
    sections_[static_cast<std::size_t>(s)] = offset;
  }
  /// A statement that makes record `first` of its list, or the bytes of a body from `first` on.
  /// Statements of a section come in order.
  void add(assembly::text_section s, std::uint64_t first, std::uint64_t offset);

  /// The offset of a header line; 0 if absent.
  [[nodiscard]] std::uint64_t of(assembly::key k) const noexcept {
    return known(keys_[static_cast<std::size_t>(k)]);
  }
  /// The offset of a section's word, else of that of the code, else 0.
  [[nodiscard]] std::uint64_t of(assembly::text_section s) const noexcept;
  /// The offset of the statement that made a record, or a byte of a body.
  [[nodiscard]] std::uint64_t of(assembly::text_section s, std::uint64_t part) const noexcept;

  /// Of the element that a byte of the container belongs to: `f` was assembled with this map.
  [[nodiscard]] std::uint64_t offset_of(const model& f, std::uint64_t offset) const;

 private:
  struct row {
    std::uint32_t first, offset;
  };
  [[nodiscard]] static constexpr std::uint64_t known(std::uint64_t offset) noexcept {
    return offset != none ? offset : 0;
  }

  /// The last record of a list that begins at a byte or before it.
  template <class List>
  [[nodiscard]] std::uint64_t in_list(assembly::text_section s, const List& list,
                                      std::uint64_t offset) const {
    std::uint64_t before = 0;
    for (const auto& r : list) {
      if (r.offset > offset) break;
      ++before;
    }
    return before == 0 ? of(s) : of(s, before - 1);
  }

  [[nodiscard]] std::uint64_t in_section(const model& f, section s, std::uint64_t offset) const;

  pool<row> rows_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t sections_[sizeof assembly::section_words / sizeof *assembly::section_words];
  std::uint64_t keys_[sizeof assembly::key_words / sizeof *assembly::key_words];
};

/// A payload that a text refers to instead of containing.
struct payload_reference {
  std::string_view name;               ///< of the file, as the text has it
  std::uint64_t offset = 0, size = 0;  ///< the bytes in that file
};

/// Resolves the references of a text.
struct resolver {
  void* context = nullptr;  ///< passed to `resolve`
  /// False where there are no such bytes. What `out` is set to outlives the parts.
  bool (*resolve)(void* context, const payload_reference& which, bytes& out) = nullptr;
};

/// Where payloads come from, and how long a text may be.
struct assemble_options {
  /// Finds the bytes of `file` payloads; without one they are nac_text_payload_unresolved.
  nac::resolver resolver = {};
  limits limit = {};  ///< max_bytes of the text; others aren't used
};

/// The parts of a container; `map` receives the places of its statements.
[[nodiscard]] result<parts> assemble(std::string_view source, const assemble_options& options = {},
                                     text_map* map = nullptr);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_ASSEMBLY_HPP

// ---- tessera/nac/execution_plan.hpp
//
// The orchestrator's bytecode (MEP): the table of its instructions, an iterator, a writer.
//
//   nac::plan_reader in(file.execution_plan());
//   for (nac::plan_instruction i; in.next(i);)
//     for (const nac::plan_operand& o : i.operands())
//       std::cout << i.row->name << ' ' << o.value << '\n';
//   if (in.error().code != tessera::errc::ok) return in.error();
//
//   ORCH         u32 bytes of code, u32 number of constants, code, constants
//   instruction  u8 opcode, operands by the row's layout; one letter each:
//     i o        u8 slot that is read, that is written;  z: written, 0 for none
//     v x        u8 n, then n of i, n of o
//     m b        u8 number of a model; u8 without a meaning of its own
//     c s n w    u16 id of a constant; which is a string; a model's number; a string, 0 for none
//     j          i16 distance from the end of this operand
//     A to Z     u8 with names: `plan_choices`; some decide which operands follow the layout
//
// Lifetime:   borrows the bytecode.
// Errors:     nac_mep_*; offsets into the bytecode; of a writer, the index of the instruction.
// Limits:     none.
// Allocation: none to read; of the writer: what it writes, and 16 bytes for each label and jump.

#ifndef TESSERA_NAC_EXECUTION_PLAN_HPP
#define TESSERA_NAC_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/execution_plan_rows.hpp
//
// The rows of nac/execution_plan.hpp, which explains the letters of the operands.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP

// X(mnemonic, opcode, the 1.x that it came with or 0 where no version runs it, layout)
// clang-format off
#define TESSERA_NAC_PLAN_OPS(X)               \
  X(src_cmd_arg,           0x01, 0, "ob")     \
  X(src_user_prompt,       0x02, 6, "oPs")    \
  X(src_file_content,      0x03, 0, "bbb")    \
  X(src_constant,          0x04, 6, "oc")     \
  X(src_exec_mode,         0x05, 7, "o")      \
  X(res_load_model,        0x10, 6, "ms")     \
  X(res_load_datafile,     0x11, 6, "oFs")    \
  X(res_load_extern,       0x12, 6, "oR")     \
  X(res_load_dynamic,      0x13, 6, "oiG")    \
  X(res_load_array,        0x14, 8, "os")     \
  X(reserved_18,           0x18, 0, "bbb")    \
  X(res_unload,            0x1f, 6, "U")      \
  X(preproc_encode,        0x20, 6, "iio")    \
  X(preproc_decode,        0x21, 6, "iio")    \
  X(preproc_get_id,        0x22, 6, "iso")    \
  X(string_format,         0x2a, 6, "osv")    \
  X(tensor_create,         0x30, 6, "oTKi")   \
  X(reserved_31,           0x31, 0, "bbbbb")  \
  X(tensor_manipulate,     0x38, 6, "Moi")    \
  X(tensor_combine,        0x39, 6, "Cov")    \
  X(tensor_info,           0x3a, 6, "Noi")    \
  X(tensor_extract,        0x3b, 6, "oii")    \
  X(reserved_50,           0x50, 0, "bbvx")   \
  X(reserved_51,           0x51, 0, "bbbvx")  \
  X(sys_copy,              0x59, 6, "oi")     \
  X(sys_debug_print,       0x5f, 6, "is")     \
  X(math_unary,            0x60, 6, "Qoi")    \
  X(math_binary,           0x61, 6, "Boii")   \
  X(math_aggregate,        0x62, 6, "Aoi")    \
  X(logic_compare,         0x68, 6, "Loii")   \
  X(analysis_top_k,        0x70, 6, "iioo")   \
  X(analysis_sample,       0x71, 6, "iiio")   \
  X(model_run_static,      0x80, 6, "mvx")    \
  X(model_run_dynamic,     0x81, 0, "bvb")    \
  X(model_train_step,      0x82, 7, "mEvvoizww") \
  X(model_zero_grad,       0x83, 7, "m")      \
  X(model_save_weights,    0x85, 7, "mib")    \
  X(flow_loop_start,       0xa0, 6, "i")      \
  X(flow_loop_end,         0xa1, 6, "j")      \
  X(flow_branch_if,        0xa8, 6, "ij")     \
  X(flow_break_loop_if,    0xa9, 6, "ij")     \
  X(reserved_af,           0xaf, 0, "")       \
  X(serialize_object,      0xe0, 6, "oiS")    \
  X(reserved_e1,           0xe1, 0, "bbb")    \
  X(io_write,              0xf0, 6, "iDiW")   \
  X(exec_return,           0xfe, 6, "v")      \
  X(exec_halt,             0xff, 6, "")

// X(the letter of the operand, value, the 1.x that it came with, name, operands that follow the layout)
#define TESSERA_NAC_PLAN_CHOICES(X) \
  X('P', 0, 6, "string", "") X('P', 1, 6, "int", "") X('P', 2, 6, "float", "") \
  X('F', 2, 6, "npy", "") \
  X('G', 2, 6, "npy", "") X('G', 3, 6, "image", "") \
  X('R', 0, 6, "tokenizer", "n") X('R', 1, 6, "constant", "c") \
  X('U', 0, 6, "model", "m") X('U', 1, 6, "slot", "o") \
  X('T', 0, 6, "f32", "") X('T', 1, 6, "f64", "") X('T', 2, 6, "f16", "") X('T', 3, 6, "bf16", "") \
  X('T', 4, 6, "i32", "") X('T', 5, 6, "i64", "") X('T', 6, 6, "i16", "") X('T', 7, 6, "i8", "") \
  X('T', 8, 6, "u8", "") X('T', 9, 6, "bool", "") \
  X('K', 0, 6, "value", "") X('K', 1, 6, "range", "") X('K', 2, 6, "ones", "") \
  X('K', 3, 6, "zeros", "") \
  X('M', 1, 6, "pad_left", "ii") X('M', 2, 8, "unsqueeze", "i") X('M', 3, 8, "squeeze", "i") \
  X('C', 0, 6, "concat", "i") \
  X('N', 0, 6, "shape", "") X('N', 1, 6, "dimension", "i") X('N', 2, 6, "scalar", "") \
  X('Q', 0, 6, "softmax", "") X('Q', 1, 6, "sqrt", "") X('Q', 2, 6, "abs", "") \
  X('Q', 3, 6, "neg", "") X('Q', 4, 6, "exp", "") X('Q', 5, 8, "reciprocal", "") \
  X('B', 0, 6, "add", "") X('B', 1, 6, "sub", "") X('B', 2, 6, "mul", "") X('B', 3, 8, "div", "") \
  X('B', 4, 8, "pow", "") X('B', 5, 8, "max", "") X('B', 6, 8, "min", "") \
  X('A', 0, 6, "argmax", "") \
  X('L', 0, 6, "eq", "") X('L', 1, 6, "ne", "") X('L', 2, 6, "gt", "") X('L', 3, 6, "lt", "") \
  X('E', 0, 7, "cross_entropy", "") X('E', 1, 7, "mse", "") X('E', 255, 7, "none", "") \
  X('S', 0, 6, "text", "") X('S', 1, 6, "json", "") X('S', 2, 6, "png", "") \
  X('D', 0, 6, "stdout", "") X('D', 1, 6, "stderr", "") X('D', 2, 6, "file", "") \
  X('W', 0, 6, "line", "") X('W', 1, 6, "append", "") X('W', 2, 6, "bare", "")
// clang-format on

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The orchestrator's instructions.
enum class plan_op : std::uint8_t {
#define TESSERA_X(name, code, since, layout) name = code,
  TESSERA_NAC_PLAN_OPS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of the orchestrator's instructions.
struct plan_op_row {
  plan_op op;          ///< the instruction; its value is the opcode
  std::uint8_t since;  ///< 6, 7 or 8 for versions 1.6 to 1.8; 0: reserved, its size is all there is
  std::string_view name;    ///< the mnemonic in text, such as "flow_loop_end"
  std::string_view layout;  ///< a letter for each operand, explained above; a choice may add some
};
/// All instructions, by ascending opcode.
inline constexpr plan_op_row plan_ops[] = {
#define TESSERA_X(name, code, since, layout) {plan_op::name, since, #name, layout},
    TESSERA_NAC_PLAN_OPS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_PLAN_OPS

/// A value of an operand that has names, and the operands that follow the layout with it.
struct plan_choice {
  char set;               ///< the letter of the operand
  std::uint8_t value;     ///< the byte in the bytecode
  std::uint8_t since;     ///< 6, 7 or 8, for versions 1.6 to 1.8
  std::string_view name;  ///< the word in text
  /// The letters of the operands that follow the row's own; may be empty.
  std::string_view more = {};
};
/// All named values; those of one letter are next to each other.
inline constexpr plan_choice plan_choices[] = {
#define TESSERA_X(set, value, since, name, more) {set, value, since, name, more},
    TESSERA_NAC_PLAN_CHOICES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_PLAN_CHOICES

namespace detail {

/// The row of each opcode in plan_ops, and of each set in plan_choices.
struct plan_tables {
  std::uint8_t row[256], first[26], size[26];
  bool decides[26];  ///< whether the choice says which operands follow
};
inline constexpr std::uint8_t no_row = 255;
inline constexpr plan_tables plan_table = [] {
  plan_tables t{};
  for (std::uint8_t& row : t.row) row = no_row;
  std::uint8_t n = 0;
  for (const plan_op_row& r : plan_ops) t.row[static_cast<std::size_t>(r.op)] = n++;
  n = 0;
  for (const plan_choice& c : plan_choices) {
    const auto set = static_cast<std::size_t>(c.set - 'A');
    if (t.size[set]++ == 0) t.first[set] = n;
    t.decides[set] = t.decides[set] || !c.more.empty();
    ++n;
  }
  return t;
}();

}  // namespace detail

/// An opcode's row; null for an unknown one.
[[nodiscard]] constexpr const plan_op_row* plan_row(std::uint8_t opcode) noexcept {
  const std::uint8_t row = detail::plan_table.row[opcode];
  return row == detail::no_row ? nullptr : &plan_ops[row];
}
/// The mnemonic of an instruction; empty for an unknown opcode.
[[nodiscard]] constexpr std::string_view name(plan_op op) noexcept {
  const plan_op_row* const row = plan_row(static_cast<std::uint8_t>(op));
  return row != nullptr ? row->name : std::string_view();
}
/// A choice by its operand's letter and value; null where there is none.
[[nodiscard]] constexpr const plan_choice* find_choice(char set, std::int64_t value) noexcept {
  const auto s = static_cast<std::size_t>(set - 'A');
  const std::size_t first = detail::plan_table.first[s];
  for (std::size_t i = 0; i < detail::plan_table.size[s]; ++i)
    if (plan_choices[first + i].value == value) return &plan_choices[first + i];
  return nullptr;
}

/// Whether an operand's letter is one of A to Z, whose values have names in plan_choices.
[[nodiscard]] constexpr bool is_choice_operand(char kind) noexcept {
  return kind >= 'A' && kind <= 'Z';
}
/// Whether an operand is a list of slots: v, which are read, or x, which are written.
[[nodiscard]] constexpr bool is_list_operand(char kind) noexcept {
  return kind == 'v' || kind == 'x';
}
/// Whether an operand is the id of a constant of the plan: c, s, n or w.
[[nodiscard]] constexpr bool is_constant_operand(char kind) noexcept {
  return kind == 'c' || kind == 's' || kind == 'n' || kind == 'w';
}
/// Whether an operand is a single slot: i, o or z.
[[nodiscard]] constexpr bool is_slot_operand(char kind) noexcept {
  return kind == 'i' || kind == 'o' || kind == 'z';
}
/// Bytes of an operand; of a list, only of its count.
[[nodiscard]] constexpr std::uint32_t operand_size(char kind) noexcept {
  return is_constant_operand(kind) || kind == 'j' ? 2 : 1;
}

/// Walks along an instruction's operands: a list's count, then each of its slots.
class plan_layout {
 public:
  constexpr plan_layout() noexcept = default;
  /// Begins at the first operand of an instruction.
  explicit constexpr plan_layout(const plan_op_row& row) noexcept : left_(row.layout) {}
  /// The letter of the next operand; 0 after the last.
  [[nodiscard]] constexpr char kind() const noexcept {
    return slots_ != 0 ? slot_ : left_.empty() ? '\0' : left_[0];
  }
  /// Slots of the list that are still to come.
  [[nodiscard]] constexpr std::uint32_t slots() const noexcept { return slots_; }
  /// Skips the operand, whose value decides what follows. False, without skipping it, where it
  /// decides by a choice that doesn't exist.
  constexpr bool pass(std::int64_t value) noexcept {
    if (slots_ != 0) return --slots_, true;
    const char k = left_[0];
    if (is_list_operand(k)) {
      slots_ = static_cast<std::uint32_t>(value);
      slot_ = k == 'v' ? 'i' : 'o';
    } else if (is_choice_operand(k) && detail::plan_table.decides[k - 'A']) {
      const plan_choice* const c = find_choice(k, value);
      if (c == nullptr) return false;
      more_ = c->more;
    }
    left_.remove_prefix(1);
    if (left_.empty()) {
      left_ = more_;
      more_ = {};
    }
    return true;
  }

 private:
  std::string_view left_, more_;
  std::uint32_t slots_ = 0;
  char slot_ = 'i';
};

/// An operand of an instruction.
struct plan_operand {
  char kind = '\0';  ///< the letter of the layout
  /// The byte or word in the bytecode; of a jump with a sign, the distance from the operand's end.
  std::int32_t value = 0;
  std::uint64_t offset = 0;  ///< into the bytecode

  /// Where a jump goes, an offset into the bytecode.
  [[nodiscard]] std::int64_t target() const noexcept {
    return static_cast<std::int64_t>(offset) + 2 + value;
  }
};

/// The operands of an instruction, each slot of a list on its own after the list's count.
class plan_operands {
 public:
  /// Decodes an operand at a time.
  class iterator {
   public:
    /// At the end of any instruction's operands.
    iterator() noexcept = default;
    /// At the operand of `l` that begins at `at`, byte `offset` of the bytecode.
    iterator(plan_layout l, const std::byte* at, std::uint64_t offset) noexcept;
    /// The current operand, which lasts until the iterator moves.
    [[nodiscard]] const plan_operand& operator*() const noexcept { return now_; }
    /// The same.
    [[nodiscard]] const plan_operand* operator->() const noexcept { return &now_; }
    /// Moves to the next operand.
    iterator& operator++() noexcept;
    /// Whether both are at the same operand, or at the end.
    [[nodiscard]] friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.now_.kind == b.now_.kind && a.at_ == b.at_;
    }

   private:
    void read() noexcept;
    plan_layout layout_;
    const std::byte* at_ = nullptr;
    plan_operand now_;
  };

  /// The operands of a row that begin at `at`, byte `offset` of the bytecode.
  /// plan_instruction::operands makes them from what was checked.
  plan_operands(const plan_op_row& row, const std::byte* at, std::uint64_t offset) noexcept
      : layout_(row), at_(at), offset_(offset) {}
  /// The first operand.
  [[nodiscard]] iterator begin() const noexcept { return {layout_, at_, offset_}; }
  /// After the last operand.
  [[nodiscard]] iterator end() const noexcept { return {}; }

 private:
  plan_layout layout_;
  const std::byte* at_;
  std::uint64_t offset_;
};

/// An instruction, all of whose operands are there.
struct plan_instruction {
  std::uint64_t offset = 0;          ///< into the bytecode
  std::uint32_t size = 0;            ///< its bytes, with the opcode
  const plan_op_row* row = nullptr;  ///< never null
  const std::byte* data = nullptr;   ///< its opcode, which its operands follow

  /// The instruction.
  [[nodiscard]] plan_op op() const noexcept { return row->op; }
  /// Whether no version runs it: only its size is known.
  [[nodiscard]] bool reserved() const noexcept { return row->since == 0; }
  /// Its operands in the order of their bytes.
  [[nodiscard]] plan_operands operands() const noexcept { return {*row, data + 1, offset + 1}; }
};

/// Walks over any bytes as instructions, and stops at the first that can't be one.
class plan_reader {
 public:
  /// At the first instruction of `code`, which it borrows.
  explicit plan_reader(bytes code) noexcept : code_(code) {}
  explicit plan_reader(std::string_view code) noexcept : code_(as_bytes(code)) {}
  /// The next instruction. False at the end, and where the bytes are none: see error().
  [[nodiscard]] bool next(plan_instruction& out) noexcept;
  /// What is wrong with the bytes that ended it, and their offset; errc::ok at a proper end.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The end of the last instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }

 private:
  bool fail(errc code, std::uint64_t offset) noexcept;
  bytes code_;
  std::size_t at_ = 0;
  tessera::error error_;
};

/// Writes a plan and its constants into parts.
///
///   nac::plan_writer w(p);
///   const auto again = w.new_label();
///   w.emit(nac::plan_op::src_constant, {0, w.int64(3)});
///   w.emit(nac::plan_op::flow_loop_start, {0});
///   w.place(again);
///   w.emit(nac::plan_op::string_format, {1, w.string("{}"), 1, 0});    // a list: its count, slots
///   w.emit(nac::plan_op::io_write, {1, 0, 0, 0});
///   w.emit(nac::plan_op::flow_loop_end, {again});                      // a jump: its label
///   if (const error e = w.finish(); e.code != errc::ok) return e;      // now p.plan holds it
class plan_writer {
 public:
  /// Constants are appended to those that `to` has, with ids above theirs.
  explicit plan_writer(parts& to);

  // ---- constants: each returns the id of a new one

  /// Adds a null.
  std::uint16_t null() { return add(constant_type::null, 0, {}); }
  /// Adds a boolean.
  std::uint16_t boolean(bool v) { return add(constant_type::boolean, v ? 1 : 0, {}); }
  /// Adds an integer of 64 bits.
  std::uint16_t int64(std::int64_t v) {
    return add(constant_type::int64, static_cast<std::uint64_t>(v), {});
  }
  /// Adds a float of 64 bits.
  std::uint16_t float64(double v) {
    return add(constant_type::float64, std::bit_cast<std::uint64_t>(v), {});
  }
  /// Adds a string; containers hold 65,535 bytes of it.
  std::uint16_t string(std::string_view v) {
    return add(constant_type::string, 0, to_.add_string(v));
  }
  /// Adds a list of integers; containers hold 65,535 of them.
  std::uint16_t int32_list(view<std::int32_t> v) { return add_list(constant_type::int32_list, v); }
  /// Adds a list of floats; containers hold 65,535 of them.
  std::uint16_t float32_list(view<float> v) { return add_list(constant_type::float32_list, v); }

  // ---- code

  /// A place to jump to, which `place` sets before or after its jumps.
  [[nodiscard]] std::uint32_t new_label();
  /// Puts a label at the end of the code so far. Where it is put twice, the second place counts.
  void place(std::uint32_t label) noexcept {
    if (label < labels_.size()) labels_[label] = code_.size();
  }
  /// Appends an instruction: its operands in the order of the layout. After an error: nothing.
  void emit(plan_op op, view<std::int64_t> operands);
  void emit(plan_op op, std::initializer_list<std::int64_t> operands = {}) {
    emit(op, view<std::int64_t>(operands.begin(), operands.size()));
  }

  /// Bytes of code so far.
  [[nodiscard]] std::uint64_t size() const noexcept { return code_.size(); }
  /// The first error so far: nac_mep_*, with the index of the instruction.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// Sets the jumps and puts the code where the plan of the parts was. The writer is empty then.
  [[nodiscard]] tessera::error finish();

 private:
  static constexpr std::uint64_t unplaced = ~std::uint64_t{0};
  struct jump {
    std::uint64_t offset;
    std::uint32_t label;
    std::uint32_t instruction;
  };

  void fail(errc code) noexcept { error_ = {code, count_}; }
  std::uint16_t add(constant_type type, std::uint64_t bits, range values);
  template <class T>
  std::uint16_t add_list(constant_type type, view<T> values) {
    const range r{static_cast<std::uint32_t>(to_.numbers.size()),
                  static_cast<std::uint32_t>(values.size())};
    for (const T v : values) to_.numbers.push_back(std::bit_cast<std::uint32_t>(v));
    return add(type, 0, r);
  }

  parts& to_;
  pool<std::byte> code_;
  pool<std::uint64_t> labels_;
  pool<jump> jumps_;
  std::uint32_t count_ = 0, next_id_ = 0;
  tessera::error error_;
};

// ---- Verification: what machines rely on and don't check while the plan runs.
//
//   if (const auto e = nac::verify_execution_plan(file); e.code != tessera::errc::ok) return e;
//
//   every instruction  known and not reserved, complete, its named values among those in the table
//   constants          in the pool; strings where a path, a prompt, a format or a name is wanted
//   jumps              onto an instruction or exactly to the end, and not into a loop from outside
//   loops              every start has its end, which jumps back into the loop; a break is in a
//                      loop and jumps past its end
//
// Not checked: what slots hold when they are read, files, and what a branch out of a loop does to
// the loop's count. Of constants with the same id, the last counts.
//
// Lifetime:   nothing is kept.
// Errors:     nac_mep_*; offsets into the file. The first one is returned, all go into the report.
// Limits:     a report keeps the first 1000; time n log n of the bytecode.
// Allocation: at most 32 × the bytecode, where it consists of starts of loops only, and 200 KiB.

/// Checks the plan of a container; without one there is nothing to check. Offsets into the file.
[[nodiscard]] error verify_execution_plan(const model& f, report* found = nullptr);

// ---- The plan as text, which assemble reads back to the same bytes.
//
//       src_constant $0, #0 ; 3
//       flow_loop_start $0
//     L1:
//       string_format $1, #1, [$0] ; "n={}"
//       io_write $1, stdout, $0, line
//       flow_loop_end L1
//       exec_halt
//
//   $n          a slot                       #n      a constant of the plan by its id
//   [$1, $2]    a list of slots              none    no slot or no constant, where that can be
//   word        what the table calls a value, or the label that a jump goes to; any word but `end`
//   n           a model, a value without a name, or a jump's distance from the end of its operand
//   bytes 0x…   what is no instruction: from the first bytes that can't be one to the end
//
// Operands have the order of their bytes. Every byte is printed, so that a broken plan is read back
// unchanged, too; values of constants are in comments.
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_mep_* and nac_text_*, at the token.
// Limits:     a jump reaches 32 KiB; labels and jumps are in the first 4 GiB of the text.
// Allocation: to print, 6 × the bytecode and 100 bytes for each constant, beside the text;
//             to parse, at most 20 × the text, where it consists of labels only.

/// Prints bytecode: labels are indented by two spaces, instructions by four.
void print_execution_plan(text& out, bytes code, const constants& pool_of);
inline void print_execution_plan(text& out, std::string_view code, const constants& pool_of) {
  print_execution_plan(out, as_bytes(code), pool_of);
}

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_EXECUTION_PLAN_HPP

// ---- tessera/nac/quantization.hpp
//
// The values of tensors as floats, and how floats are stored as smaller ones.
//
//   auto values = nac::dequantize(tensor);                      // all, or some: tensor_values
//   auto small = nac::quantize(*values, shape, nac::quantization::int8_tensor);
//   auto lost = nac::requantization_error(tensor, nac::quantization::block_fp8);
//   std::cout << lost->rms() << ' ' << lost->snr_db() << '\n';
//
//   method        stored   scale                                       range        applies to
//   fp16          f16      none                                        all of f16   rank >= 1
//   int8_tensor   i8       max|x| / 127 of all; 1e-9 where that is 0   -127 … 127   rank >= 1
//   int8_channel  i8       the same for each index of axis 0           -127 … 127   rank >= 2 (*)
//   block_fp8     i8       max|x| / 127 of each block; 1 where it's 0  -128 … 127   rank >= 1
//     (*) int8_tensor for rank 1, and for shapes without elements
//
// A value is x / scale, rounded to nearest with ties to even; it's read back as the product with
// the scale. All of it in float32: float64 is narrowed before. Blocks are of 64 consecutive
// elements, and the last is padded with zeros. Tensors of rank 0 and those that hold integers stay
// as they are.
//
// Lifetime:   tensor_values borrow the tensor's bytes.
// Errors:     nac_tensor_*: the offset is that of the tensor's record. nac_quantize_*: the offset
//             is the index of the value.
// Limits:     none of their own.
// Allocation: what is returned; tensor_values and the error figures: none but 4 bytes per scale.

#ifndef TESSERA_NAC_QUANTIZATION_HPP
#define TESSERA_NAC_QUANTIZATION_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/core/float16.hpp
//
// The 16-bit floats of tensor files: IEEE binary16 and bfloat16, to and from float.
//
//   float x = tessera::float_from_half(0x3c00);      // 1.0f
//   std::uint16_t h = tessera::half_from_float(x);   // rounded to nearest, ties to even
//
//   binary16   1 sign, 5 exponent (bias 15), 10 fraction bits
//   bfloat16   1 sign, 8 exponent (bias 127), 7 fraction bits: the upper half of a float
//
// NaNs stay NaNs and keep their sign and upper fraction bits (hosts that compute on x87 may quiet a
// signaling one); too large becomes infinity.
//
// Lifetime:   values.
// Errors:     none: every bit pattern converts.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_CORE_FLOAT16_HPP
#define TESSERA_CORE_FLOAT16_HPP

#include <bit>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {

/// The float with the value of a binary16 pattern; exact.
[[nodiscard]] constexpr float float_from_half(std::uint16_t half) noexcept {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t exponent = half >> 10 & 0x1fu;
  std::uint32_t fraction = half & 0x3ffu;
  if (exponent == 0x1f)  // infinity and NaN
    return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  if (fraction == 0) return std::bit_cast<float>(sign);
  const auto shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;  // subnormal
  fraction = fraction << shift & 0x3ffu;
  return std::bit_cast<float>(sign | (113 - shift) << 23 | fraction << 13);
}

/// The binary16 pattern nearest to `value`, ties to even.
[[nodiscard]] constexpr std::uint16_t half_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)  // NaN: quiet, so that a payload of low bits only survives
    return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // >= 2^16
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return static_cast<std::uint16_t>(sign);  // below half the least subnormal
  // Significand and the number of its bits that are dropped; rounding may carry into the exponent,
  // which is what makes 65520 infinite and the largest subnormal normal.
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t dropped = exponent >= 113 ? 13 : 126 - exponent;
  std::uint32_t half = exponent >= 113 ? (exponent - 113) << 10 : 0;
  half += significand >> dropped;
  const std::uint32_t rest = significand & ((1u << dropped) - 1);
  const std::uint32_t tie = 1u << (dropped - 1);
  half += (rest > tie || (rest == tie && (half & 1u) != 0)) ? 1u : 0u;
  return static_cast<std::uint16_t>(sign | half);
}

/// The float with the value of a bfloat16 pattern; exact.
[[nodiscard]] constexpr float float_from_bfloat16(std::uint16_t value) noexcept {
  return std::bit_cast<float>(std::uint32_t{value} << 16);
}

/// The bfloat16 pattern nearest to `value`, ties to even.
[[nodiscard]] constexpr std::uint16_t bfloat16_from_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_FLOAT16_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

inline constexpr std::uint16_t default_block = 64;  ///< elements of one scale of block_fp8

/// The values of a tensor as float32: products of elements and scales, wider floats rounded, other
/// types converted; a boolean is 0 or 1. Only `of` makes one that isn't empty.
class tensor_values {
 public:
  /// Checks that elements, shape and scales agree.
  [[nodiscard]] static result<tensor_values> of(const tensor& t) noexcept;

  /// How many values there are.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Values `first` to `first + count` - 1, which must exist.
  void read(std::uint64_t first, float* to, std::size_t count) const noexcept;

 private:
  void scaled(std::uint64_t first, const std::byte* from, float* to,
              std::size_t count) const noexcept;

  tensor tensor_;
  std::uint64_t size_ = 0;
  std::uint64_t run_ = 1;  // consecutive elements of one scale
};

/// All values of a tensor: 4 bytes for each.
[[nodiscard]] result<pool<float>> dequantize(const tensor& t);
/// Values `first` to `first + count` - 1 of a tensor, into `to`: for tensors that are too large for
/// memory. nac_tensor_range where it doesn't have all of them.
[[nodiscard]] error dequantize(const tensor& t, std::uint64_t first, float* to, std::size_t count);

/// Floats in memory, read like tensor_values. Lifetime: borrows them.
class float_values {
 public:
  /// Reads from `values`.
  explicit float_values(view<float> values) noexcept : values_(values) {}
  /// How many values there are.
  [[nodiscard]] std::uint64_t size() const noexcept { return values_.size(); }
  /// Copies values `first` to `first + count` - 1, which must exist, to `to`.
  void read(std::uint64_t first, float* to, std::size_t count) const noexcept {
    for (std::size_t i = 0; i < count; ++i) to[i] = values_[to_size(first) + i];
  }

 private:
  view<float> values_;
};

/// How values are stored by a method: all but the elements.
struct quantized_form {
  data_type type = data_type::int8;  ///< of the elements: int8, or float16 for fp16
  nac::quantization quantization = nac::quantization::int8_tensor;  ///< none for fp16
  std::uint16_t block = 0;     ///< elements of one scale of block_fp8, else 0
  std::uint64_t values = 0;    ///< that are stored
  std::uint64_t elements = 0;  ///< more than the values where blocks are padded
  std::uint64_t run = 1;       ///< consecutive elements of one scale
};

/// The first pass: finds the form that `values` of a shape of rank 1 or more take, and appends
/// their scales to `scales`. Errors: nac_quantize_method for `none` and rank 0, nac_quantize_block
/// for a block of 0, nac_quantize_shape for another number of values; at the index of a value,
/// nac_quantize_finite for one that isn't finite, nac_quantize_float16 for one that f16 would make
/// infinite.
template <class Values>
[[nodiscard]] error measure(const Values& values, view<std::uint32_t> shape, quantization method,
                            std::uint16_t block, quantized_form& form, pool<float>& scales);

/// The second pass: elements `first` to `first + count` - 1 of a form that `measure` found, with
/// the scales that it appended.
template <class Values>
void quantize_elements(const Values& values, const quantized_form& form, const float* scales,
                       std::uint64_t first, std::byte* to, std::size_t count) noexcept;

/// Values and how they are stored.
struct quantized_values {
  quantized_form form;   ///< all but the elements and the scales
  pool<float> scales;    ///< one for each run of `form.run` elements; none for fp16
  pool<std::byte> data;  ///< the elements, little-endian
};

/// Stores float values of a shape by a method.
[[nodiscard]] result<quantized_values> quantize(view<float> values, view<std::uint32_t> shape,
                                                quantization method,
                                                std::uint16_t block = default_block);

/// How far values are from others, in sums that figures are made of.
struct quantization_error {
  std::uint64_t values = 0;  ///< how many pairs were added
  double largest = 0;        ///< of |x - y|
  double signal = 0;         ///< sum of x²
  double noise = 0;          ///< sum of (x - y)²

  /// Adds a pair: the value x, and the value y that it became.
  void add(float x, float y) noexcept;
  /// Adds the sums of other pairs.
  void add(const quantization_error& other) noexcept;
  /// The root of the mean square of x - y; 0 for no values.
  [[nodiscard]] double rms() const noexcept {
    return values == 0 ? 0 : __builtin_sqrt(noise / static_cast<double>(values));
  }
  /// The ratio of signal and noise in decibels; infinite without noise.
  [[nodiscard]] double snr_db() const noexcept;
};

/// How far the values of `stored` are from those of `original`. nac_tensor_shapes, at `stored`, for
/// another number of values.
[[nodiscard]] result<quantization_error> error_between(const tensor& original,
                                                       const tensor& stored);

/// How far a tensor's values would be from themselves when stored by a method. What `measure`
/// refuses, at the tensor's record.
[[nodiscard]] result<quantization_error> requantization_error(const tensor& t, quantization method,
                                                              std::uint16_t block = default_block);

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


// ---- tessera/nac/detail/quantize_values.hpp
//
// Both passes over values that are quantized, for any owner of values.

#ifndef TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP
#define TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// A float as memory holds it: hosts that compute with more precision round it there.
[[nodiscard]] float stored(float value) noexcept;

template <class T>
inline void convert(const std::byte* from, float* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = stored(static_cast<float>(load_le<T>(from + i * sizeof(T))));
}

inline constexpr std::size_t chunk = 512;  // values that are looked at together, on the stack

/// Calls `each(value, index)` for all values, until it returns false.
template <class Values, class Each>
inline bool each_value(const Values& values, Each each) {
  float some[chunk];
  for (std::uint64_t first = 0; first < values.size(); first += chunk) {
    const std::uint64_t left = values.size() - first;
    const std::size_t n = left < chunk ? static_cast<std::size_t>(left) : chunk;
    values.read(first, some, n);
    for (std::size_t i = 0; i < n; ++i)
      if (!each(some[i], first + i)) return false;
  }
  return true;
}

[[nodiscard]] float scale_of(float largest, quantization method) noexcept;

/// x / scale to the nearest integer, ties to even, not beyond `low` and 127.
[[nodiscard]] std::int8_t quantized(float x, float scale, float low) noexcept;
[[nodiscard]] constexpr float lowest(quantization method) noexcept {
  return method == quantization::block_fp8 ? -128.0f : -127.0f;
}

constexpr std::uint32_t not_finite = 0x7f800000;  // and above, without the sign
/// The largest magnitude, as bits; those of numbers are in their order.
[[nodiscard]] std::uint32_t largest_of(const float* values, std::size_t count) noexcept;

}  // namespace detail

template <class Values>
error measure(const Values& values, view<std::uint32_t> shape, quantization method,
              std::uint16_t block, quantized_form& form, pool<float>& scales) {
  std::uint64_t count = 0;
  if (method == quantization::none || shape.empty()) return {errc::nac_quantize_method, 0};
  if (block == 0) return {errc::nac_quantize_block, 0};
  if (!detail::count_elements(shape, count) || count != values.size())
    return {errc::nac_quantize_shape, 0};
  form = {data_type::int8, method, 0, count, count, count};
  std::uint64_t wrong = 0;
  if (method == quantization::fp16) {
    form.type = data_type::float16;
    form.quantization = quantization::none;
    if (!detail::each_value(values, [&](float x, std::uint64_t i) {
          wrong = i;
          return !((x >= 65520.0f || x <= -65520.0f) && x - x == 0);  // 65520 would round to 2^16
        }))
      return {errc::nac_quantize_float16, wrong};
    return {};
  }
  std::uint64_t runs = 1;
  if (method == quantization::int8_channel && (shape.size() == 1 || count == 0)) {
    form.quantization = method = quantization::int8_tensor;
  } else if (method == quantization::int8_channel) {
    runs = shape[0];
    form.run = count / runs;
  } else if (method == quantization::block_fp8) {
    runs = count / block + (count % block != 0 ? 1 : 0);
    if (!checked_mul(runs, std::uint64_t{block}, form.elements))
      return {errc::nac_quantize_shape, 0};
    form.run = form.block = block;
  }
  std::uint32_t largest = 0;
  std::uint64_t left = form.run;  // of the run
  const auto end_run = [&] {
    scales.push_back(detail::scale_of(std::bit_cast<float>(largest), method));
    largest = 0;
    left = form.run;
    --runs;
  };
  float some[detail::chunk];
  for (std::uint64_t first = 0; first < count;) {
    std::uint64_t n = count - first < detail::chunk ? count - first : detail::chunk;
    n = n < left ? n : left;
    values.read(first, some, to_size(n));
    const std::uint32_t here = detail::largest_of(some, to_size(n));
    if (here >= detail::not_finite) {
      std::size_t i = 0;
      while (detail::largest_of(some + i, 1) < detail::not_finite) ++i;
      return {errc::nac_quantize_finite, first + i};
    }
    largest = here > largest ? here : largest;
    first += n;
    left -= n;
    if (left == 0) end_run();
  }
  while (runs != 0) end_run();  // the block that isn't full, or the run without values
  return {};
}

template <class Values>
void quantize_elements(const Values& values, const quantized_form& form, const float* scales,
                       std::uint64_t first, std::byte* to, std::size_t count) noexcept {
  float some[detail::chunk];
  const float low = detail::lowest(form.quantization);
  while (count != 0) {
    const std::size_t n = count < detail::chunk ? count : detail::chunk;
    const std::uint64_t left = first < form.values ? form.values - first : 0;
    const std::size_t here = left < n ? static_cast<std::size_t>(left) : n;
    values.read(first, some, here);
    for (std::size_t i = here; i < n; ++i) some[i] = 0;
    if (form.type == data_type::float16) {
      for (std::size_t i = 0; i < n; ++i) store_le(to + i * 2, half_from_float(some[i]));
      to += n * 2;
    } else {
      std::size_t done = 0;
      while (done != n) {  // run by run
        const std::uint64_t at = first + done, rest = form.run - at % form.run;
        const std::size_t end = rest < n - done ? done + static_cast<std::size_t>(rest) : n;
        const float scale = scales[to_size(at / form.run)];
        for (; done != end; ++done) store_le(to + done, detail::quantized(some[done], scale, low));
      }
      to += n;
    }
    first += n;
    count -= n;
  }
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_QUANTIZE_VALUES_HPP


#endif  // TESSERA_NAC_QUANTIZATION_HPP

// ---- tessera/nac/safetensors.hpp
//
// Safetensors files, in which NAC containers keep their weights outside.
//
//   auto weights = nac::read_safetensors(mapped);
//   if (!weights) return fail(describe(weights.error(), mapped));
//   if (const std::size_t i = weights->find("encoder.weight"); i != weights->size())
//     use((*weights)[i].as);                    // a nac::tensor, with its quantization
//
//   0      u64    bytes of the header, n
//   8      n      JSON, from '{' on, then white space:
//                 {"__metadata__":{KEY:STRING},NAME:{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}
//   8+n           elements, little-endian; the offsets count from here
//
// All that the format promises is checked: each name once, a type of the format, offsets that
// ascend inside the file and span what shape and type need, and that each byte belongs to one
// tensor. Tensors of types that NAC doesn't have are there, but have no `as`. Members of a tensor
// that the format doesn't know are skipped.
//
// How a tensor is quantized is in the metadata, where three conventions use different places;
// where a tensor is in several, the first counts:
//   1. "nac_quant_meta":  JSON, {NAME: {"quant_code": 3, "axis": 0, "scales": [1, 0.5]}}
//   2. NAME:              JSON, {"quant_type": "INT8_CHANNEL", "axis": 0, "scales": [1, 0.5]}
//   3. "metadata":        JSON, {NAME: the JSON of 2. in a string}
// Members: quant_code or quant_type; scale, scales or block_scales; axis; block_size; orig_shape or
// original_shape. Texts that don't begin with '{' are ignored.
//
// Lifetime:   borrows the bytes; what it gives borrows from them and from it.
// Errors:     json_*, nac_safetensors_*, too_many_items, input_too_large. The offset is that of the
//             JSON value that is wrong; for JSON inside a string, of the string.
// Limits:     a header of 100,000,000 bytes, as in the reference; max_items tensors; max_depth.
// Allocation: at most 20 × the header, which metadata of short strings come near; nothing grows
//             with the elements.

#ifndef TESSERA_NAC_SAFETENSORS_HPP
#define TESSERA_NAC_SAFETENSORS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A type of safetensors files.
struct safetensors_type {
  std::string_view name;  ///< as files have it: "BF16"
  std::uint8_t bits;      ///< of an element
};
/// All types, in the order of the reference implementation: tensors are written from the last type
/// to the first, so that elements are aligned.
inline constexpr safetensors_type safetensors_types[] = {
    {"BOOL", 8}, {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
    {"U16", 16}, {"F16", 16},    {"BF16", 16},   {"I32", 32},    {"U32", 32},
    {"F32", 32}, {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
};
inline constexpr std::size_t safetensors_type_count = 20;  ///< rows of safetensors_types
/// The row of a type's name; safetensors_type_count where there is none.
[[nodiscard]] constexpr std::size_t safetensors_row(std::string_view name) noexcept {
  std::size_t i = 0;
  while (i < safetensors_type_count && safetensors_types[i].name != name) ++i;
  return i;
}

inline constexpr std::uint64_t max_safetensors_header = 100'000'000;  ///< bytes
/// The key of the header whose value is the metadata; no tensor can have this name.
inline constexpr std::string_view safetensors_metadata = "__metadata__";
/// The key of the metadata whose value has how each tensor is quantized.
inline constexpr std::string_view nac_quantization_key = "nac_quant_meta";

/// A tensor of a safetensors file.
struct external_tensor {
  std::uint64_t offset = 0;    ///< of its JSON object
  std::string_view name;       ///< unique in the file; escapes are resolved
  std::string_view type;       ///< "F32", …
  bool representable = false;  ///< NAC has its type, and its shape fits: `as` has type and shape
  tensor as;                   ///< `data` and `data_offset` always; `id` and `metadata` never
};

/// A string of the metadata.
struct external_metadata {
  std::uint64_t offset = 0;     ///< of the value's string
  std::string_view key, value;  ///< with their escapes resolved
};

namespace detail {
struct safetensors_maker;
}

/// A safetensors file. Only `read_safetensors` makes one that isn't empty.
class safetensors {
 public:
  /// All bytes that were read.
  [[nodiscard]] bytes source() const noexcept { return source_; }
  /// How many tensors there are.
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return records_.empty(); }
  /// The tensors in the order of their elements.
  [[nodiscard]] external_tensor operator[](std::size_t i) const noexcept;
  /// The index of a tensor; size() where there is none. Logarithmic.
  [[nodiscard]] std::size_t find(std::string_view name) const noexcept;
  /// How many strings `__metadata__` has.
  [[nodiscard]] std::size_t metadata_size() const noexcept { return metadata_.size(); }
  /// String i of `__metadata__`, in the order of the file.
  [[nodiscard]] external_metadata metadata(std::size_t i) const noexcept {
    return {metadata_[i].offset, string(metadata_[i].key), string(metadata_[i].value)};
  }

 private:
  friend struct detail::safetensors_maker;
  struct part {
    std::uint32_t first = 0, size = 0;
  };
  struct record {
    std::uint64_t offset = 0, offsets_offset = 0, first = 0, end = 0;
    part name, shape, original_shape, scales;
    std::uint16_t block = 0;
    std::uint8_t row = 0, axis = 0;
    data_type type = data_type::float32;
    nac::quantization quantization = nac::quantization::none;
    bool representable = true;
  };
  struct metadata_record {
    std::uint64_t offset = 0;
    part key, value;
  };

  [[nodiscard]] std::string_view string(part p) const noexcept {
    return characters_.view().substr(p.first, p.size);
  }
  template <class T>
  [[nodiscard]] packed<T> numbers(part p) const noexcept {
    return {numbers_.data() + std::size_t{p.first} * 4, p.size};
  }

  bytes source_;
  std::uint64_t data_ = 0;  // offset of the first element
  pool<record> records_;    // by the offset of their elements
  pool<std::uint32_t> by_name_;
  pool<metadata_record> metadata_;
  pool<std::byte> numbers_;  // of 4 bytes each, little-endian
  text characters_;
};

namespace detail {
struct safetensors_maker;

}  // namespace detail

/// A safetensors file over `in`, all of whose header was checked; no element is looked at.
[[nodiscard]] result<safetensors> read_safetensors(bytes in, const read_options& options = {});
[[nodiscard]] inline result<safetensors> read_safetensors(std::string_view in,
                                                          const read_options& options = {}) {
  return read_safetensors(as_bytes(in), options);
}
/// A temporary owner would be destroyed before the file is used.
template <class Owner>
  requires(temporary_bytes<Owner> || temporary_text<Owner>)
result<safetensors> read_safetensors(Owner&& in, const read_options& = {})
= delete;

// ---- Writes safetensors files: one form for what they hold.
//
//   nac::external_parts weights;
//   weights.add("bias", nac::data_type::float32, shape, nac::parts::borrow(data));
//   weights.add_metadata("format", "pt");
//   auto bytes = nac::write_safetensors(weights);       // or to a sink, without a copy
//
//   0      u64    bytes of the header, a multiple of 8
//   8      text   compact JSON, "__metadata__" first where there is some, then spaces
//   8+n           elements, without gaps
//
// Tensors have the order of the reference implementation: by type, from the last row of
// safetensors_types to the first, so that all are aligned, and then by name in the order of bytes.
// Metadata have the order given.
//
// Lifetime:   borrows the parts while it writes; payloads go to a sink without a copy.
// Errors:     nac_external_*, nac_write_data_type, nac_write_range: all before the first byte. The
//             offset is the index of the tensor, or of the metadata; nac_write_stopped, offset 0.
// Limits:     a header of 100,000,000 bytes.
// Allocation: at most 8 × the header, and 24 bytes per tensor; without a sink the file, once.

/// A tensor of a file that is written.
struct external_part {
  range name;                           ///< in external_parts::characters
  data_type type = data_type::float32;  ///< of the elements, as they are written
  range shape;                          ///< in external_parts::numbers
  payload data;                         ///< borrowed or with a source
};

/// A string of the metadata of a file that is written.
struct external_metadata_part {
  range key, value;  ///< in external_parts::characters
};

/// A safetensors file in parts.
struct external_parts {
  pool<external_part> tensors;            ///< in any order: writing sorts them
  pool<external_metadata_part> metadata;  ///< in the order of writing
  text characters;                        ///< of names, keys and values
  pool<std::uint32_t> numbers;            ///< of shapes

  /// The text of a range of `characters`. Borrows.
  [[nodiscard]] std::string_view string(range r) const noexcept {
    return characters.view().substr(r.first, r.size);
  }
  /// The elements of a range of `numbers`. Borrows.
  [[nodiscard]] view<std::uint32_t> numbers_of(range r) const noexcept {
    return {numbers.data() + r.first, r.size};
  }
  /// Appends a tensor; copies its name and shape, and the payload as it is given.
  void add(std::string_view name, data_type type, view<std::uint32_t> shape, const payload& data);
  /// Appends a copy of a string of the metadata.
  void add_metadata(std::string_view key, std::string_view value);

 private:
  [[nodiscard]] range keep(std::string_view s);
};

/// Hands a safetensors file to `to`, piece by piece; every check comes before the first.
[[nodiscard]] error write_safetensors(const external_parts& p, const sink& to);

/// A safetensors file of these parts.
[[nodiscard]] result<pool<std::byte>> write_safetensors(const external_parts& p);

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_SAFETENSORS_HPP

// ---- tessera/nac/tokenizer.hpp
//
// The tokenizer's manifest (TISA): the table of its instructions, an iterator, a writer, checks.
//
//   nac::manifest_reader in(file.manifest());
//   for (nac::tokenizer_instruction i; in.next(i);)
//     if (i.op() == nac::tokenizer_op::replace) use(i.first_string(), i.second_string());
//   if (in.error().code != tessera::errc::ok) return in.error();
//
//   manifest     "TISA", u8 version, instructions to the end
//   instruction  u8 opcode, u32 size of the payload, payload by the row's form:
//     none       nothing
//     short_text s8; of bpe_encode: s8, or nothing, as version 1.6 has it
//     long_text  s16;  long_texts: s16, s16
//     categories u8 n, n × s8
//     rules      u16 n, n × { u8 flags, s16 expression, [u8 behaviour], [s8 trim] }
//     items      u8 n, n × { u8 0 } or { u8 1, u8 0, s8 } or { u8 1, u8 1, i32 }
//   s8, s16      u8 or u16 bytes, and those in UTF-8
//
// Lifetime:   borrows the manifest.
// Errors:     nac_tisa_*; offsets into the manifest; of a writer, the index of the instruction.
// Limits:     none.
// Allocation: none to read; of the writer, what it writes.

#ifndef TESSERA_NAC_TOKENIZER_HPP
#define TESSERA_NAC_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/payload_reader.hpp
//
// How the fields and lists of a tokenizer's instruction are read from its payload.

#ifndef TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP
#define TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

struct partition_rule;
struct compose_item;

}  // namespace nac
namespace nac::detail {

/// The fields of a payload. The first that isn't complete stops it.
class payload_reader {
 public:
  payload_reader(bytes b, std::uint64_t offset) noexcept : in_(b), offset_(offset) {}
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == in_.size(); }
  /// Of the next field, in the manifest; after a failure of the field that isn't complete.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + at_; }
  template <class T>
  [[nodiscard]] T number() noexcept {
    if (failed_ || in_.size() - at_ < sizeof(T)) return failed_ = true, T{};
    const T value = load_le<T>(in_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  template <class Length>
  [[nodiscard]] std::string_view string() noexcept {
    const std::size_t first = at_;
    const Length size = number<Length>();
    if (failed_ || in_.size() - at_ < size) {
      failed_ = true;
      at_ = first;
      return {};
    }
    at_ += size;
    return as_text(in_.subspan(at_ - size, size));
  }

 private:
  bytes in_;
  std::size_t at_ = 0;
  std::uint64_t offset_;
  bool failed_ = false;
};

/// The list in a payload. `Form::read` takes an element; false where it can't be one.
template <class Count, class Element, bool (*Read)(payload_reader&, Element&, errc&)>
class payload_list {
 public:
  template <class Instruction>
  explicit payload_list(const Instruction& i) noexcept : in_(i.fields()) {
    left_ = size_ = in_.number<Count>();
    if (in_.failed()) code_ = errc::nac_tisa_payload_short;
  }
  /// The count that the payload begins with.
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] bool next(Element& out) noexcept {
    if (left_ == 0 || code_ != errc::ok) return false;
    --left_;
    offset_ = in_.offset();
    if (!Read(in_, out, code_)) {
      if (code_ == errc::ok) code_ = errc::nac_tisa_payload_short;
      return false;
    }
    return true;
  }
  [[nodiscard]] tessera::error error() const noexcept {
    return code_ == errc::ok                       ? tessera::error{}
           : code_ == errc::nac_tisa_payload_short ? tessera::error{code_, in_.offset()}
                                                   : tessera::error{code_, offset_};
  }
  /// Of the element that was read last.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  /// Whether the payload ends with the list.
  [[nodiscard]] bool at_end() const noexcept { return in_.at_end(); }
  [[nodiscard]] std::uint64_t end_offset() const noexcept { return in_.offset(); }

 private:
  payload_reader in_;
  std::uint64_t offset_ = 0;
  std::uint32_t size_ = 0, left_ = 0;
  errc code_ = errc::ok;
};

[[nodiscard]] bool read_category(payload_reader& in, std::string_view& out, errc&) noexcept;
[[nodiscard]] bool read_rule(payload_reader& in, partition_rule& out, errc& code) noexcept;
[[nodiscard]] bool read_item(payload_reader& in, compose_item& out, errc& code) noexcept;

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PAYLOAD_READER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

/// The form of an instruction's payload, as it is laid out above.
enum class tokenizer_form : std::uint8_t {
  none,
  short_text,
  long_text,
  long_texts,
  categories,
  rules,
  items
};

// X(name, opcode, form of the payload, whether it encodes)
// clang-format off
#define TESSERA_NAC_TOKENIZER_OPS(X)                \
  X(lowercase,        0x01, none,       false)      \
  X(unicode_norm,     0x02, short_text, false)      \
  X(replace,          0x03, long_texts, false)      \
  X(filter_category,  0x04, categories, false)      \
  X(prepend,          0x07, long_text,  false)      \
  X(partition_rules,  0x10, rules,      false)      \
  X(byte_encode,      0x15, none,       false)      \
  X(bpe_encode,       0x20, short_text, true)       \
  X(wordpiece_encode, 0x21, short_text, true)       \
  X(unigram_encode,   0x22, none,       true)       \
  X(compose,          0x30, items,      false)
// clang-format on

/// The tokenizer's instructions.
enum class tokenizer_op : std::uint8_t {
#define TESSERA_X(name, code, form, encodes) name = code,
  TESSERA_NAC_TOKENIZER_OPS(TESSERA_X)
#undef TESSERA_X
};
/// A row of the table of the tokenizer's instructions.
struct tokenizer_op_row {
  tokenizer_op op;        ///< the instruction; its value is the opcode
  tokenizer_form form;    ///< of the payload
  bool encodes;           ///< whether it makes ids of fragments
  std::string_view name;  ///< in text: "bpe_encode"
};
/// All instructions, by ascending opcode.
inline constexpr tokenizer_op_row tokenizer_ops[] = {
#define TESSERA_X(name, code, form, encodes)                                                       \
  {tokenizer_op::name, tokenizer_form::form, encodes, #name},
    TESSERA_NAC_TOKENIZER_OPS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NAC_TOKENIZER_OPS
/// An opcode's row; null for an unknown one.
[[nodiscard]] constexpr const tokenizer_op_row* tokenizer_row(std::uint8_t opcode) noexcept {
  for (const tokenizer_op_row& row : tokenizer_ops)
    if (static_cast<std::uint8_t>(row.op) == opcode) return &row;
  return nullptr;
}

/// The normal forms of Unicode that unicode_norm can name.
inline constexpr std::string_view normal_forms[] = {"NFC", "NFD", "NFKC", "NFKD"};
/// The general categories of Unicode.
inline constexpr std::string_view general_categories[] = {
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"};

/// A rule of partition_rules. A match is a fragment, unless it is removed.
struct partition_rule {
  /// Flags: encoders look up a match as a whole; `behaviour` counts; `trim` counts. Others are
  /// errors.
  static constexpr std::uint8_t protects = 1, has_behaviour = 2, has_trim = 4;
  static constexpr std::uint8_t remove = 1, isolate = 2;  ///< behaviours; others mean nothing
  std::uint8_t flags = 0;                                 ///< a sum of the flags above
  std::uint8_t behaviour = 0;                             ///< with its flag
  std::string_view expression;  ///< regular, in the syntax of Python's `regex`
  std::string_view trim = {};   ///< with its flag: taken off the end of the text before a match
};

/// A part of what compose puts together.
struct compose_item {
  /// What an item adds to the ids.
  enum kind_type : std::uint8_t { ids, token, id };
  kind_type kind = ids;         ///< the text's ids, the id of a token, or an id
  std::string_view token_text;  ///< of a token
  std::int32_t number = 0;      ///< of an id
};

/// An instruction with its payload, which may be anything: what is missing in it reads as empty.
struct tokenizer_instruction {
  std::uint64_t offset = 0;               ///< into the manifest
  std::uint8_t opcode = 0;                ///< as in the manifest
  const tokenizer_op_row* row = nullptr;  ///< null for an unknown opcode
  bytes payload;                          ///< without the opcode and the size

  /// The instruction; of an unknown opcode its number, which is no enumerator.
  [[nodiscard]] tokenizer_op op() const noexcept { return static_cast<tokenizer_op>(opcode); }
  /// Where the payload begins in the manifest: after the opcode and the size.
  [[nodiscard]] std::uint64_t payload_offset() const noexcept { return offset + 5; }
  /// A reader of the payload's fields.
  [[nodiscard]] detail::payload_reader fields() const noexcept {
    return {payload, payload_offset()};
  }
  /// The normal form, what is prepended, WordPiece's marker, BPE's suffix; a replacement's pattern.
  [[nodiscard]] std::string_view first_string() const noexcept;
  /// What a replacement puts there.
  [[nodiscard]] std::string_view second_string() const noexcept;
};

/// The categories of filter_category, one after another.
using category_reader = detail::payload_list<std::uint8_t, std::string_view, detail::read_category>;
/// The rules of partition_rules, one after another.
using rule_reader = detail::payload_list<std::uint16_t, partition_rule, detail::read_rule>;
/// The items of compose, one after another.
using item_reader = detail::payload_list<std::uint8_t, compose_item, detail::read_item>;

/// Walks over a manifest's instructions, unknown ones too, whose sizes are known.
class manifest_reader {
 public:
  /// At the first instruction of `manifest`, which it borrows; nac_tisa_magic where that doesn't
  /// begin with "TISA" and a version.
  explicit manifest_reader(bytes manifest) noexcept;
  explicit manifest_reader(std::string_view manifest) noexcept
      : manifest_reader(as_bytes(manifest)) {}
  /// The byte after "TISA", which nothing depends on.
  [[nodiscard]] std::uint8_t version() const noexcept {
    return at_ < 5 ? std::uint8_t{0} : load_le<std::uint8_t>(in_.data() + 4);
  }
  /// The next instruction. False at the end, and where there is none: see error().
  [[nodiscard]] bool next(tokenizer_instruction& out) noexcept;
  /// What is wrong with the bytes that ended it, and their offset; errc::ok at a proper end.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The end of the last instruction.
  [[nodiscard]] std::uint64_t offset() const noexcept { return at_; }

 private:
  bool fail(std::size_t offset) noexcept;
  bytes in_;
  std::size_t at_ = 0;
  tessera::error error_;
};

/// Checks all that a tokenizer relies on: known instructions, complete payloads of strings that can
/// be used, and rules that make fragments before an encoder wants some. Regular expressions aren't
/// compiled. `offset` is added to the offsets of errors. Returns the first error; all go into the
/// report, which keeps the first 1000.
[[nodiscard]] error verify_manifest(bytes manifest, std::uint64_t offset, report* found = nullptr);
[[nodiscard]] inline error verify_manifest(std::string_view manifest, std::uint64_t offset,
                                           report* found = nullptr) {
  return verify_manifest(as_bytes(manifest), offset, found);
}

/// Writes a manifest.
///
///   nac::manifest_writer w;
///   w.replace(" ", "\u2581");
///   const nac::partition_rule rules[] = {{nac::partition_rule::protects, 0, "</s>"}};
///   w.partition_rules({rules, 1});
///   w.unigram_encode();
///   if (w.error().code == tessera::errc::ok) p.manifest = p.keep(w.view());
class manifest_writer {
 public:
  /// A manifest without instructions: "TISA" and its version.
  explicit manifest_writer(std::uint8_t version = 1);

  /// Appends an instruction that makes all letters lower case.
  void lowercase() { end(begin(tokenizer_op::lowercase)); }
  /// Appends an instruction that normalizes the text; `form` is one of normal_forms.
  void unicode_norm(std::string_view form) { one<std::uint8_t>(tokenizer_op::unicode_norm, form); }
  /// Appends an instruction that replaces each occurrence of `pattern`, which is no expression, by
  /// `value`; both have up to 65,535 bytes.
  void replace(std::string_view pattern, std::string_view value);
  /// Appends an instruction that drops the characters of some of the general_categories.
  void filter_category(view<std::string_view> categories);
  /// Appends an instruction that puts a string of up to 65,535 bytes in front of the text.
  void prepend(std::string_view s) { one<std::uint16_t>(tokenizer_op::prepend, s); }
  /// Appends an instruction that splits the text into fragments; up to 65,535 rules.
  void partition_rules(view<partition_rule> rules);
  /// Appends an instruction that replaces bytes by GPT-2's printable characters, in fragments that
  /// aren't protected.
  void byte_encode() { end(begin(tokenizer_op::byte_encode)); }
  /// Appends a BPE encoder with an empty payload, as version 1.6 writes it.
  void bpe_encode() { end(begin(tokenizer_op::bpe_encode)); }
  /// Appends a BPE encoder with a suffix of words, as later versions write it; an empty one is
  /// none.
  void bpe_encode(std::string_view suffix) { one<std::uint8_t>(tokenizer_op::bpe_encode, suffix); }
  /// Appends a WordPiece encoder; its marker, such as "##", precedes all pieces of a word but the
  /// first.
  void wordpiece_encode(std::string_view marker) {
    one<std::uint8_t>(tokenizer_op::wordpiece_encode, marker);
  }
  /// Appends a Unigram encoder.
  void unigram_encode() { end(begin(tokenizer_op::unigram_encode)); }
  /// Appends an instruction that makes the final list of ids; up to 255 items.
  void compose(view<compose_item> items);
  /// Any instruction at all.
  void raw(std::uint8_t opcode, bytes payload);
  void raw(std::uint8_t opcode, std::string_view payload) { raw(opcode, as_bytes(payload)); }

  /// The manifest so far. Borrows from the writer.
  [[nodiscard]] bytes view() const& noexcept { return {out_.data(), out_.size()}; }
  bytes view() const&& = delete;
  /// The first string or list that didn't fit.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

 private:
  void fail(errc code) noexcept {
    if (error_.code == errc::ok) error_ = {code, count_};
  }
  template <class T>
  void number(T value) {
    append_le(out_, value);
  }
  template <class Count>
  void count(std::size_t n) {
    if (n > static_cast<Count>(~Count{0})) fail(errc::nac_tisa_list);
    number(static_cast<Count>(n));
  }
  template <class Length>
  void string(std::string_view s) {
    if (s.size() > static_cast<Length>(~Length{0})) fail(errc::nac_tisa_string);
    number(static_cast<Length>(s.size()));
    out_.append(as_bytes(s).data(), s.size());
  }
  template <class Length>
  void one(tokenizer_op op, std::string_view s) {
    const std::size_t at = begin(op);
    string<Length>(s);
    end(at);
  }
  [[nodiscard]] std::size_t begin(tokenizer_op op);
  void end(std::size_t payload);

  pool<std::byte> out_;
  std::uint64_t count_ = 0;
  tessera::error error_;
};

// ---- The tokenizer's manifest as human-readable text, and read back to the same bytes.
//
//     version 1
//     unicode_norm "NFD"
//     filter_category "Mn", "Cf"
//     replace " ", "▁"
//     partition_rules
//       rule "</s>" protected trim "▁"
//       rule "\\s+" remove
//     bpe_encode "</w>"
//     compose "<s>", ids, 2
//
//   rule        of the partition_rules above it; remove and isolate are behaviours 1 and 2, others
//               are printed as `behaviour 7`
//   compose     tokens in quotes, ids by number, and where the text's own ids go
//   op 7 0x00…  an instruction by its number and payload, which isn't in the table or not complete
//   bytes 0x…   what is no manifest, or no instruction: from there to the end
//
// Lifetime:   nothing is kept but the bytes that parts own.
// Errors:     of parsing: nac_tisa_* and nac_text_*, at the token.
// Limits:     what the fields can hold.
// Allocation: to parse, at most 8 × the text.

/// Prints a manifest, each line indented by two spaces.
void print_manifest(text& out, bytes manifest);
inline void print_manifest(text& out, std::string_view manifest) {
  print_manifest(out, as_bytes(manifest));
}

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_TOKENIZER_HPP

// ---- tessera/nac/weights.hpp
//
// Weights of whole containers: moved out and in, quantized and back, in bounded memory.
//
//   auto out = nac::externalise(nac::parts_of(*file));       // write both: out->model, out->weights
//   auto in = nac::internalise(parts, *nac::read_safetensors(mapped));
//   auto small = nac::quantize(parts, nac::quantization::int8_tensor);
//   auto error = nac::write(small->model, sink);             // elements are made here
//
//   externalise  each parameter's tensor under its name; one where parameters of one name have
//                equal tensors. How they are quantized goes into the metadata, under each tensor's
//                name and, for all, under "nac_quant_meta" (see safetensors.hpp)
//   internalise  each parameter's tensor by its name, in the order of ids
//   quantize     tensors of floats and of rank 1 or more; those that are stored by the method are
//                kept, those of another are read as floats first (see quantization.hpp)
//   dequantize   quantized tensors, float16 and bfloat16 to float32; float64 on request
//
// Moving out and in again gives the same container where tensors have the order of their ids,
// one for each. Of records with the same id, the last counts.
//
// Lifetime:   what is returned borrows the payloads that the parts borrow, and nothing else of
//             them. External weights borrow from the model beside them. A conversion has to be
//             there while its model, or a copy of it, is written; the model's own_bytes must not
//             grow.
// Errors:     nac_weights_*, nac_tensor_*, nac_quantize_*, those of check(). The offset is the
//             index of the tensor, or of the row of parameters that has none.
// Limits:     a safetensors header holds about two million scales.
// Allocation: the parts again; scales and metadata; 4 to 8 bytes for each id up to the largest.

#ifndef TESSERA_NAC_WEIGHTS_HPP
#define TESSERA_NAC_WEIGHTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// A container without its weights, and the file that they go to.
struct external_weights {
  parts model;             ///< its header says that weights are outside
  external_parts weights;  ///< the safetensors file, whose payloads are borrowed
};

namespace detail {
struct conversion_maker;

}  // namespace detail

/// A container whose tensors are stored in another form. The elements are made while it is written.
class conversion {
 public:
  parts model;  ///< to be written while the conversion lasts

  conversion() = default;
  /// The payloads of `model` stay valid when the conversion moves.
  conversion(conversion&&) noexcept = default;
  /// The payloads of `model` stay valid when the conversion moves.
  conversion& operator=(conversion&&) noexcept = default;
  conversion(const conversion&) = delete;
  conversion& operator=(const conversion&) = delete;
  ~conversion() = default;

 private:
  friend struct detail::conversion_maker;
  struct item {
    tensor_values values;
    quantized_form form;
    std::uint64_t first_scale = 0;
  };
  struct state {
    const item* items = nullptr;
    const float* scales = nullptr;
  };

  static bool read(const void* context, std::uint64_t key, std::uint64_t first, std::byte* to,
                   std::size_t count);

  // What payloads point to is in pools of one, which stay in place when this is moved.
  pool<std::byte> numbers_;
  pool<item> items_;
  pool<float> scales_;
  pool<state> state_;
  pool<payload_source> source_;
};

namespace detail {
struct conversion_maker;

}  // namespace detail

/// Moves the weights out.
[[nodiscard]] result<external_weights> externalise(const parts& from);

/// Moves the weights in; they stay borrowed from the bytes of `weights`.
[[nodiscard]] result<parts> internalise(const parts& from, const safetensors& weights);

/// Stores the tensors by a method. All values are looked at once here, and once more when the parts
/// are written. nac_quantize_method for `none`.
[[nodiscard]] result<conversion> quantize(const parts& from, quantization method,
                                          std::uint16_t block = default_block);

/// Stores quantized tensors, float16 and bfloat16 as float32, and float64 too where that's wanted.
[[nodiscard]] result<conversion> dequantize(const parts& from, bool narrow_float64 = false);

// ---- The tensors of a NAC container, without its weights: for files that are large, or far away.
//
//   const auto pread_at = [](void* file, std::uint64_t offset, std::byte* to, std::size_t count) {
//     return pread(*static_cast<int*>(file), to, count, off_t(offset)) == ssize_t(count);
//   };
//   auto index = nac::index_tensors({&descriptor, pread_at, size});
//   const nac::indexed_tensor* t = index->find("model.norm.weight");
//   pread(descriptor, to, t->data_size, t->data_offset);
//
// It reads the header, the tags of the sections, DATA's names in pieces, and 64 bytes of each
// tensor's record; more where its metadata are longer. What follows the names or the metadata
// in such a piece is not looked at. A piece of names is 4 KB, or 16 bytes for each name that is
// left.
//
// Lifetime:   owns; what it returns lasts as long as it does.
// Errors:     nac_source_read with the offset of what could not be read; else those of `read` for
//             the header and DATA, with the same offsets. Other sections are not looked at.
// Limits:     max_items names and tensors; max_bytes is not limited by default.
// Allocation: at most 24 × the names and records that were read.

/// Bytes that are read on demand. `read_at` fills `to` or returns false; it is asked only for bytes
/// below `size`.
struct source {
  void* context;  ///< passed to `read_at`
  /// Copies `count` bytes from byte `offset` on to `to`; false where that fails.
  bool (*read_at)(void* context, std::uint64_t offset, std::byte* to, std::size_t count);
  std::uint64_t size;  ///< bytes of the container
};

/// What the metadata of a tensor say, and where its elements are.
struct indexed_tensor {
  std::uint64_t offset = 0;  ///< of the record
  /// Where its elements begin in the container; how many bytes they are.
  std::uint64_t data_offset = 0, data_size = 0;
  std::uint64_t scales_offset = 0;      ///< of `scales` float32 values
  std::uint32_t scales = 0;             ///< how many; 0 where the method has none
  std::uint32_t dimensions = 0;         ///< of the first one of the shape in the index's dimensions
  std::uint16_t id = 0;                 ///< of its parameter
  std::uint16_t block = 0;              ///< block_fp8: elements of one scale
  data_type type = data_type::float32;  ///< of the elements as they are stored
  /// The tensor's own method, whatever the header says.
  nac::quantization quantization = nac::quantization::none;
  std::uint8_t axis = 0;  ///< int8_channel: the axis that scales run along
  /// How many dimensions the shape has, and block_fp8's original one.
  std::uint8_t rank = 0, original_rank = 0;
};

namespace detail {
struct index_maker;
}

/// The parameters of a container, and those of them that have tensors in it.
class tensor_index {
 public:
  /// A row of DATA's block 1.
  struct parameter {
    std::uint16_t id = 0, size = 0;  ///< of its name
    std::uint32_t first = 0;         ///< of its name's characters
  };

  /// The form of the header, hence the version.
  [[nodiscard]] nac::header header() const noexcept { return header_; }
  /// Bit 7 of byte 4: the header says that the weights are in the file.
  [[nodiscard]] bool has_internal_weights() const noexcept { return internal_weights_; }
  /// In the order of the file.
  [[nodiscard]] view<indexed_tensor> tensors() const& noexcept { return tensors_; }
  view<indexed_tensor> tensors() const&& = delete;
  /// The names of parameters, in the order of the file.
  [[nodiscard]] view<parameter> parameters() const& noexcept { return parameters_; }
  view<parameter> parameters() const&& = delete;

  /// The name of a parameter. Borrows.
  [[nodiscard]] std::string_view name(const parameter& p) const noexcept {
    return names_.view().substr(p.first, p.size);
  }
  /// Empty where its id names no parameter.
  [[nodiscard]] std::string_view name(const indexed_tensor& t) const noexcept;
  /// As it is stored: block_fp8 stores the padded count.
  [[nodiscard]] view<std::uint32_t> shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions, t.rank};
  }
  /// block_fp8: the shape that it is read as.
  [[nodiscard]] view<std::uint32_t> original_shape(const indexed_tensor& t) const noexcept {
    return {dimensions_.data() + t.dimensions + t.rank, t.original_rank};
  }
  /// The tensor of a parameter, the last one where there are more; null: it has none.
  [[nodiscard]] const indexed_tensor* find(std::uint16_t id) const& noexcept;
  const indexed_tensor* find(std::uint16_t id) const&& = delete;
  /// That of the first parameter with this name that has one.
  [[nodiscard]] const indexed_tensor* find(std::string_view name) const& noexcept;
  const indexed_tensor* find(std::string_view name) const&& = delete;

 private:
  friend struct detail::index_maker;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// The last record with an id; `order` has their indices by id.
  template <class T>
  [[nodiscard]] static std::uint32_t last_of(const pool<T>& records,
                                             const pool<std::uint32_t>& order,
                                             std::uint16_t id) noexcept {
    const std::size_t count = first_not_below(order.data(), order.size(),
                                              [&](std::uint32_t i) { return records[i].id <= id; });
    if (count == 0 || records[order[count - 1]].id != id) return none;
    return order[count - 1];
  }
  template <class T>
  static void order_by_id(const pool<T>& records, pool<std::uint32_t>& order) {
    order.reserve(records.size());
    for (std::uint32_t i = 0; i < records.size(); ++i) order.push_back(i);
    sort(order.data(), order.size(),
         [&records](std::uint32_t a, std::uint32_t b) { return records[a].id < records[b].id; });
  }

  nac::header header_ = nac::header::v1_6;
  bool internal_weights_ = false;
  pool<indexed_tensor> tensors_;
  pool<parameter> parameters_;
  text names_;
  pool<std::uint32_t> dimensions_;
  pool<std::uint32_t> tensors_by_id_, parameters_by_id_;
  pool<std::uint32_t> by_name_;  // parameters, equal names in their order
};

namespace detail {
struct index_maker;

}  // namespace detail

/// The tensors of a container.
[[nodiscard]] result<tensor_index> index_tensors(const source& from,
                                                 const read_options& options = {});

}  // namespace nac

}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NAC_WEIGHTS_HPP

#endif  // TESSERA_NAC_ALL_HPP

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

// ---- tessera/nac/detail/errors.hpp
//
// The names and messages of NAC's codes, made known to core.

#ifndef TESSERA_NAC_DETAIL_ERRORS_HPP
#define TESSERA_NAC_DETAIL_ERRORS_HPP


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_NAC_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors =
    tessera::detail::table_of(3) = {error_rows, sizeof error_rows / sizeof error_rows[0]};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ERRORS_HPP

// ---- tessera/nac/detail/model.hpp
//
// The bodies of nac/model.hpp.

#ifndef TESSERA_NAC_DETAIL_MODEL_HPP
#define TESSERA_NAC_DETAIL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bytes model::section(nac::section s) const noexcept {
  const extent& e = part(s);
  return source_.subspan(static_cast<std::size_t>(e.offset), to_size(e.end - e.offset));
}

TESSERA_INLINE std::string_view model::operation_name(std::uint8_t a) const noexcept {
  return operations_.offset[a] != 0 ? characters(nac::section::cmap, operations_, a)
                                    : predefined_operation(a, version());
}

TESSERA_INLINE std::string_view model::characters(nac::section s, const short_texts& of,
                                                  std::uint8_t id) const noexcept {
  const std::uint64_t first = part(s).offset + of.offset[id];
  return as_text(source_.subspan(static_cast<std::size_t>(first), of.size[id]));
}

}  // namespace nac
namespace nac::detail {

/// How many arguments an instruction has.
[[nodiscard]] inline std::uint32_t argument_count(const instruction& i) noexcept {
  if (i.a >= first_regular_op) return i.d.size();
  switch (i.a) {
    case op_input: return i.c.size();
    case op_output:
      if (i.b == static_cast<std::uint8_t>(output::end)) return i.d[0] == 0 ? 0 : 1;
      return i.b == static_cast<std::uint8_t>(output::step) ? 3 : i.d.size();
    case op_control_flow: return 3;
    case op_convergence: return i.d.size() == 1 ? 2 : i.d.size();
    default: return 0;
  }
}

TESSERA_INLINE error parse_instruction(const model& f, cursor& in, instruction& out) noexcept {
  out.offset = in.offset();
  out.has_prefix = false;
  out.prefix = 0;
  out.c = {};
  out.d = {};
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  const std::uint8_t a = out.a = load_le<std::uint8_t>(in.data());
  const std::uint8_t b = out.b = load_le<std::uint8_t>(in.data() + 1);
  // The number of words in C, without its prefix, and in D; `counted`: the prefix gives that of C.
  std::uint32_t c = 0, d = 0;
  bool has_prefix = false, counted = false;
  if (a >= first_regular_op) {
    if (b != 0 && !f.has_signature(b)) return {errc::nac_signature_unknown, in.offset() + 1};
    d = f.arguments(b);
    has_prefix = counted = f.has_constants(b);
  } else {
    if (!has_variant(a, b, f.version()))
      return {a == op_input ? errc::nac_input_variant : errc::nac_output_variant, in.offset() + 1};
    const system_words words = system_words_of(a, b, f.outputs());
    has_prefix = words.has_prefix;
    counted = a == op_convergence;
    c = words.c;
    d = words.d;
  }
  (void)in.take<std::uint16_t>();
  if (has_prefix) {
    if (!in.has(2)) return in.fail(errc::nac_truncated);
    out.has_prefix = true;
    out.prefix = load_le<std::int16_t>(in.data());
    if (counted) c = out.prefix > 0 ? static_cast<std::uint32_t>(out.prefix) : 0;
    if (!in.has(2 + 2 * std::uint64_t{c})) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint16_t>();
    out.c = in.take_packed<std::uint16_t>(c);
  }
  if (!in.has(2 * std::uint64_t{d})) return in.fail(errc::nac_truncated);
  if (a == op_convergence && load_le<std::int16_t>(in.data()) != 0) {
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    const auto branches = load_le<std::int16_t>(in.data() + 2);
    d = 2 + (branches > 0 ? static_cast<std::uint32_t>(branches) : 0);
    if (!in.has(2 * std::uint64_t{d})) return in.fail(errc::nac_truncated);
  }
  out.d = in.take_packed<std::int16_t>(d);
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE instructions::iterator& instructions::iterator::operator++() noexcept {
  --left_;
  ++now_.index;
  read();
  return *this;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_MODEL_HPP

// ---- tessera/nac/detail/records.hpp
//
// The bodies of nac/model.hpp.

#ifndef TESSERA_NAC_DETAIL_RECORDS_HPP
#define TESSERA_NAC_DETAIL_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Bytes that elements of a type and shape take; all ones when that doesn't fit.
template <class Shape>
[[nodiscard]] inline std::uint64_t shape_bytes(data_type type, const Shape& shape) noexcept {
  std::uint64_t size = 0;
  return count_elements(shape, size) && checked_mul(size, std::uint64_t{size_of(type)}, size)
             ? size
             : ~std::uint64_t{0};
}

TESSERA_INLINE bytes cursor::take_bytes(std::uint64_t count) noexcept {
  const bytes b(data(), to_size(count));
  at_ += count;
  return b;
}

template <class Length>
[[nodiscard]] inline error parse_named(cursor& in, named& out) noexcept {
  if (!in.has(2 + sizeof(Length))) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const Length length = in.take<Length>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.text = as_text(in.take_bytes(length));
  return {};
}

TESSERA_INLINE error short_named::parse(cursor& in, named& out) noexcept {
  return parse_named<std::uint8_t>(in, out);
}

TESSERA_INLINE error long_named::parse(cursor& in, named& out) noexcept {
  return parse_named<std::uint16_t>(in, out);
}

/// u8 type, u8 rank, rank × u32.
template <class Record>
[[nodiscard]] inline error parse_shape(cursor& in, Record& out, errc truncated) noexcept {
  if (!in.has(2)) return in.fail(truncated);
  const auto type = load_le<std::uint8_t>(in.data());
  if (type >= data_type_count) return in.fail(errc::nac_data_type);
  out.type = static_cast<data_type>(in.take<std::uint8_t>());
  const auto rank = load_le<std::uint8_t>(in.data());
  if (!in.has(1 + 4 * std::uint64_t{rank})) return in.fail(truncated);
  (void)in.take<std::uint8_t>();
  out.shape = in.take_packed<std::uint32_t>(rank);
  return {};
}

[[nodiscard]] inline error parse_scales(cursor& in, tensor& out) noexcept {
  if (!in.has(4)) return in.fail(errc::nac_tensor_metadata);
  const auto count = load_le<std::uint32_t>(in.data());
  if (!in.has(4 + 4 * std::uint64_t{count})) return in.fail(errc::nac_tensor_metadata);
  (void)in.take<std::uint32_t>();
  out.scales = in.take_packed<float>(count);
  return {};
}

/// A tensor's metadata, which fill `in` exactly.
[[nodiscard]] inline error parse_metadata(cursor in, tensor& out) noexcept {
  if (const error e = parse_shape(in, out, errc::nac_tensor_metadata); e.code != errc::ok) return e;
  if (!in.has(1)) return in.fail(errc::nac_tensor_metadata);
  if (load_le<std::uint8_t>(in.data()) >= quantization_count)
    return in.fail(errc::nac_tensor_quantization);
  out.quantization = static_cast<quantization>(in.take<std::uint8_t>());
  error e;
  switch (out.quantization) {
    case quantization::none:
    case quantization::fp16: break;
    case quantization::int8_tensor:
      if (!in.has(4)) return in.fail(errc::nac_tensor_metadata);
      out.scales = in.take_packed<float>(1);
      break;
    case quantization::int8_channel:
      if (!in.has(1)) return in.fail(errc::nac_tensor_metadata);
      out.axis = in.take<std::uint8_t>();
      e = parse_scales(in, out);
      break;
    case quantization::block_fp8: {
      if (!in.has(3)) return in.fail(errc::nac_tensor_metadata);
      if (load_le<std::uint16_t>(in.data()) == 0) return in.fail(errc::nac_block_size);
      out.block = in.take<std::uint16_t>();
      const auto rank = load_le<std::uint8_t>(in.data());
      if (!in.has(1 + 4 * std::uint64_t{rank})) return in.fail(errc::nac_tensor_metadata);
      (void)in.take<std::uint8_t>();
      out.original_shape = in.take_packed<std::uint32_t>(rank);
      e = parse_scales(in, out);
      break;
    }
  }
  if (e.code == errc::ok && in.left() != 0) return in.fail(errc::nac_tensor_metadata);
  return e;
}

TESSERA_INLINE error constant_form::parse(cursor& in, constant& out) noexcept {
  if (!in.has(5)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const auto type = load_le<std::uint8_t>(in.data());
  if (type >= constant_type_count) return in.fail(errc::nac_constant_type);
  out.type = static_cast<constant_type>(in.take<std::uint8_t>());
  out.length = load_le<std::uint16_t>(in.data());
  std::uint64_t size = 0;
  switch (out.type) {
    case constant_type::null: break;
    case constant_type::boolean: size = 1; break;
    case constant_type::int64:
    case constant_type::float64:
      if (out.length != 8) return in.fail(errc::nac_constant_length);
      size = 8;
      break;
    case constant_type::string: size = out.length; break;
    case constant_type::int32_list:
    case constant_type::float32_list: size = std::uint64_t{4} * out.length; break;
  }
  (void)in.take<std::uint16_t>();
  if (!in.has(size)) return in.fail(errc::nac_truncated);
  out.payload = in.take_bytes(size).data();
  return {};
}

TESSERA_INLINE error tensor_form::parse(cursor& in, tensor& out) noexcept {
  out = {};
  if (!in.has(14)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.id = in.take<std::uint16_t>();
  const auto metadata = load_le<std::uint32_t>(in.data());
  if (in.left() - 12 < metadata) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint32_t>();
  const auto data = load_le<std::uint64_t>(in.data());
  if (in.left() - 8 - metadata < data) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint64_t>();
  out.metadata = bytes(in.data(), metadata);
  const cursor part(in.data() - in.offset(), in.offset(), in.offset() + metadata);
  if (const error e = parse_metadata(part, out); e.code != errc::ok) return e;
  (void)in.take_bytes(metadata);
  out.data_offset = in.offset();
  out.data = in.take_bytes(data);
  return {};
}

TESSERA_INLINE error resource_form::parse(cursor& in, resource& out) noexcept {
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  const auto length = in.take<std::uint16_t>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.name = as_text(in.take_bytes(length));
  if (!in.has(4)) return in.fail(errc::nac_truncated);
  const auto size = load_le<std::uint32_t>(in.data());
  if (in.left() - 4 < size) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint32_t>();
  out.data_offset = in.offset();
  out.data = in.take_bytes(size);
  return {};
}

TESSERA_INLINE error array_form::parse(cursor& in, array& out) noexcept {
  if (!in.has(2)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  const auto length = in.take<std::uint16_t>();
  if (!in.has(length)) return in.fail(errc::nac_truncated);
  out.name = as_text(in.take_bytes(length));
  if (const error e = parse_shape(in, out, errc::nac_truncated); e.code != errc::ok) return e;
  if (!in.has(8)) return in.fail(errc::nac_truncated);
  const auto size = load_le<std::uint64_t>(in.data());
  if (in.left() - 8 < size) return in.fail(errc::nac_truncated);
  (void)in.take<std::uint64_t>();
  out.data_offset = in.offset();
  out.data = in.take_bytes(size);
  return {};
}

TESSERA_INLINE error command_form::parse(cursor& in, command& out) noexcept {
  if (!in.has(3)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.what = static_cast<action>(in.take<std::uint8_t>());
  out.target = in.take<std::uint16_t>();
  return {};
}

TESSERA_INLINE error tick_form::parse(cursor& in, tick& out) noexcept {
  if (!in.has(3)) return in.fail(errc::nac_truncated);
  out.offset = in.offset();
  out.instruction = in.take<std::uint16_t>();
  const auto count = in.take<std::uint8_t>();
  if (!in.has(3 * std::uint64_t{count})) return in.fail(errc::nac_truncated);
  out.commands = {in, count};
  (void)in.take_bytes(3 * std::uint64_t{count});
  return {};
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RECORDS_HPP

// ---- tessera/nac/detail/operations.hpp
//
// The bodies of nac/operations.hpp.

#ifndef TESSERA_NAC_DETAIL_OPERATIONS_HPP
#define TESSERA_NAC_DETAIL_OPERATIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {}  // namespace nac
namespace nac::detail {

[[nodiscard]] inline operation operation_named(std::string_view wanted) noexcept {
  for (std::size_t i = 1; i < operation_count; ++i) {
    std::string_view rest = operations[i].names;
    while (!rest.empty()) {
      const std::size_t blank = rest.find(' ');
      const std::string_view name = rest.substr(0, blank);
      if (name == wanted) return static_cast<operation>(i);
      rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    }
  }
  return operation::unknown;
}

/// A name without its overload: "aten.add_".
[[nodiscard]] inline std::string_view without_overload(std::string_view name) noexcept {
  const std::size_t dot = name.rfind('.');
  return name.substr(0, dot == std::string_view::npos ? 0 : dot);
}
/// "aten.__iand__": in place of "aten.__and__".
[[nodiscard]] inline bool is_python_in_place(std::string_view base) noexcept {
  const std::size_t dot = base.rfind('.');
  if (dot == std::string_view::npos || base.substr(dot + 1, 3) != "__i") return false;
  for (const std::string_view rest : {"and__", "or__", "xor__", "lshift__", "rshift__"})
    if (base.substr(dot + 4) == rest) return true;
  return false;
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bool is_in_place(std::string_view name) noexcept {
  const std::string_view base = detail::without_overload(name);
  if (base.size() < 2 || base.back() != '_' || base[base.size() - 2] == '.') return false;
  return base.substr(base.size() - 2) != "__" || detail::is_python_in_place(base);
}

TESSERA_INLINE operation find_operation(std::string_view wanted) noexcept {
  if (wanted.empty()) return operation::unknown;
  const operation found = detail::operation_named(wanted);
  char name[256];
  if (found != operation::unknown || wanted.size() > sizeof name || !is_in_place(wanted))
    return found;
  const std::string_view base = detail::without_overload(wanted);
  const std::size_t dropped =
      detail::is_python_in_place(base) ? base.rfind('.') + 3 : base.size() - 1;
  std::size_t size = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (i != dropped) name[size++] = wanted[i];
  return detail::operation_named({name, size});
}

TESSERA_INLINE bool takes(char letter, argument_form form) noexcept {
  const bool capital = letter >= 'A' && letter <= 'Z';
  if (form == argument_form::null) return capital || letter == 'd';
  const bool result = form == argument_form::result, integer = form == argument_form::integer;
  const bool number = integer || form == argument_form::number;
  const bool int_list = form == argument_form::int_list;
  switch (capital ? static_cast<char>(letter - 'A' + 'a') : letter) {
    case 't': return result;
    case 'x':
    case 'n':
    case 'b': return result || number;
    case 'i': return result || integer;
    case 'l':
    case 'v': return result || integer || int_list;
    case 'r': return result || number || int_list || form == argument_form::number_list;
    case 's': return form == argument_form::string;
    case 'd': return true;
    default: return false;  // unreachable: no other letters
  }
}

TESSERA_INLINE operation view_or_squeeze(std::string_view name,
                                         view<argument_form> given) noexcept {
  const bool squeezes =
      given.size() == 1 || (given.size() == 2 && given[1] == argument_form::integer);
  return squeezes && name == "nac.view" ? operation::squeeze : operation::view;
}

}  // namespace nac
namespace nac::detail {

[[nodiscard]] inline bool is_whole(double v) noexcept {
  return v >= -9223372036854775808.0 && v < 9223372036854775808.0 &&
         v == static_cast<double>(static_cast<std::int64_t>(v));
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE argument_form form_of(const constant& c) noexcept {
  switch (c.type) {
    case constant_type::null: return argument_form::null;
    case constant_type::boolean:
    case constant_type::int64: return argument_form::integer;
    case constant_type::float64:
      return detail::is_whole(c.float64()) ? argument_form::integer : argument_form::number;
    case constant_type::string: return argument_form::string;
    case constant_type::int32_list: return argument_form::int_list;
    case constant_type::float32_list: break;
  }
  const packed<float> values = c.float32_list();
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (!detail::is_whole(static_cast<double>(values[i]))) return argument_form::number_list;
  return argument_form::int_list;
}

TESSERA_INLINE match bind(std::string_view letters, view<argument_form> arguments,
                          binding& out) noexcept {
  const auto in_a_row = [](argument_form f) {
    return f == argument_form::result || f == argument_form::integer;
  };
  out = {};
  std::size_t at = 0, slot = 0;
  bool optional = false, passed_over = false;
  for (std::size_t p = 0; p < letters.size(); ++p) {
    const char letter = letters[p];
    if (letter == '?') {
      optional = true;
      continue;
    }
    const bool repeats = p + 1 < letters.size() && letters[p + 1] == '*';
    const std::size_t now = slot++;
    if (repeats) ++p;
    if (at == arguments.size()) {
      if (!optional) return {match::kind::count, at};
      continue;
    }
    if (!takes(letter, arguments[at])) {
      if (!optional) return {match::kind::form, at};
      passed_over = true;
      continue;
    }
    std::size_t end = at + 1;
    if (repeats) {
      while (end < arguments.size() && takes(letter, arguments[end])) ++end;
    } else if ((letter == 'v' || letter == 'V') && in_a_row(arguments[at])) {
      while (end < arguments.size() && in_a_row(arguments[end])) ++end;
      // What must follow gets the last ones.
      const auto rest_fits = [&] {
        for (std::size_t q = p + 1, k = end; q < letters.size() && letters[q] != '?'; ++q, ++k)
          if (k >= arguments.size() || !takes(letters[q], arguments[k])) return false;
        return true;
      };
      if (!optional)
        while (end > at + 1 && !rest_fits()) --end;
    }
    out.first[now] = static_cast<std::uint8_t>(at);
    out.count[now] = static_cast<std::uint8_t>(end - at);
    at = end;
  }
  if (at == arguments.size()) return {};
  return {passed_over ? match::kind::form : match::kind::count, at};
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_OPERATIONS_HPP

// ---- tessera/nac/detail/conversion.hpp
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_CONVERSION_HPP
#define TESSERA_NAC_DETAIL_CONVERSION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Gives the operations of a container the ids of another version.
class operation_mover {
 public:
  operation_mover(parts& p, header to) noexcept : p_(p), to_(container_version(to)) {}

  [[nodiscard]] error move() {
    if (const error e = find_names(); e.code != errc::ok) return e;
    for (const pool<instruction_part>* list : {&p_.instructions, &p_.training})
      for (std::size_t i = 0; i < list->size(); ++i)
        if (const std::uint8_t a = (*list)[i].a; a >= first_regular_op && !operation_[a].used) {
          if (operation_[a].name.empty()) return {errc::nac_convert_operation, i};
          operation_[a].used = true;
          operation_[a].first_use = i;
        }
    if (const error e = choose_ids(); e.code != errc::ok) return e;
    for (pool<instruction_part>* list : {&p_.instructions, &p_.training})
      for (instruction_part& i : *list)
        if (i.a >= first_regular_op) i.a = operation_[i.a].id;
    rewrite_rows();
    return {};
  }

 private:
  struct operation {
    std::string_view name;  // in parts::characters, or a predefined one
    range text;             // of its row; an empty one where there is none
    std::size_t first_use = 0;
    std::uint8_t id = 0;  // the new one
    bool used = false;
  };

  [[nodiscard]] error find_names() noexcept {
    for (std::uint32_t id = 0; id < 256; ++id)
      operation_[id].name = predefined_operation(id, container_version(p_.form));
    for (std::size_t i = 0; i < p_.operations.size(); ++i) {
      const named_part& row = p_.operations[i];
      if (!row.text.is_inside(p_.characters)) return {errc::nac_write_range, i};
      if (row.id > 255) continue;  // which no instruction can name
      operation_[row.id].name = p_.string(row.text);
      operation_[row.id].text = row.text;
    }
    return {};
  }

  /// The new id that another operation of this name has already; 0 if none has.
  [[nodiscard]] std::uint8_t chosen(std::string_view name) const noexcept {
    for (const operation& o : operation_)
      if (o.id != 0 && o.name == name) return o.id;
    return 0;
  }
  [[nodiscard]] std::uint8_t predefined(std::string_view name) const noexcept {
    for (std::uint32_t id = first_regular_op; id < first_custom_op; ++id)
      if (predefined_operation(id, to_) == name) return static_cast<std::uint8_t>(id);
    return 0;
  }

  [[nodiscard]] error choose_ids() noexcept {
    bool taken[256] = {};
    for (std::uint32_t id = first_regular_op; id < 256; ++id) {
      operation& o = operation_[id];
      if (!o.used) continue;
      if (std::uint8_t found = predefined(o.name); found != 0)
        o.id = found;
      else if (found = chosen(o.name); found != 0)
        o.id = found;
      else if (id >= first_custom_op)
        taken[o.id = static_cast<std::uint8_t>(id)] = true;
    }
    std::uint32_t free = first_custom_op;
    for (std::uint32_t id = first_regular_op; id < first_custom_op; ++id) {
      operation& o = operation_[id];
      if (!o.used || o.id != 0) continue;
      if (const std::uint8_t found = chosen(o.name); found != 0) {
        o.id = found;
        continue;
      }
      while (free < 256 && taken[free]) ++free;
      if (free == 256) return {errc::nac_convert_operations, o.first_use};
      taken[o.id = static_cast<std::uint8_t>(free)] = true;
    }
    return {};
  }

  void rewrite_rows() {
    range rows[256];
    for (operation& o : operation_) {
      if (!o.used || o.id < first_custom_op || rows[o.id].size != 0) continue;
      rows[o.id] = o.text.size != 0 ? o.text : p_.add_string(o.name);
    }
    p_.operations.clear();
    for (std::uint32_t id = first_custom_op; id < 256; ++id)
      if (rows[id].size != 0) p_.operations.push_back({static_cast<std::uint16_t>(id), rows[id]});
  }

  parts& p_;
  std::uint32_t to_;
  operation operation_[256];
};

[[nodiscard]] inline error has_form(const parts& p, header to) noexcept {
  if (to > header::v1_8 || p.form > header::v1_8) return {errc::nac_write_form, 0};
  if (to != header::v1_8 && !p.arrays.empty()) return {errc::nac_convert_arrays, 0};
  if (to != header::v1_6) return {};
  if (p.has_training || !p.training.empty() || p.training_flag)
    return {errc::nac_convert_training, 0};
  for (std::size_t i = 0; i < p.instructions.size(); ++i) {
    const std::uint8_t a = p.instructions[i].a, b = p.instructions[i].b;
    if (!has_variant(a, b, 1))
      return {a == op_input ? errc::nac_convert_input : errc::nac_convert_output, i};
  }
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<parts> convert(parts p, header to) {
  if (const error e = detail::has_form(p, to); e.code != errc::ok) return e;
  if (const error e = detail::operation_mover(p, to).move(); e.code != errc::ok) return e;
  p.form = to;
  return result<parts>(std::move(p));
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_CONVERSION_HPP

// ---- tessera/nac/detail/layout.hpp
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_LAYOUT_HPP
#define TESSERA_NAC_DETAIL_LAYOUT_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// The rule for the prefix of an instruction of the system; null where there is only one.
template <class Layout>
[[nodiscard]] constexpr auto rule_of(Layout& how, std::uint8_t a, std::uint8_t b) noexcept
    -> decltype(&how.inputs) {
  if (a == op_input && b != 0 && b < 4) return &how.inputs;
  if (a == op_output && b < 3) return &how.outputs;
  return a == op_control_flow ? &how.branches : nullptr;
}

inline void find_prefixes(const instructions& all, layout& out) noexcept {
  for (const instruction& i : all) {
    if (i.a >= first_regular_op) continue;
    self_count* const rule = rule_of(out, i.a, i.b);
    if (rule == nullptr || *rule != self_count::by_version) continue;
    const auto prefix = static_cast<std::uint16_t>(i.prefix);
    if (prefix == i.c.size())
      *rule = self_count::no;
    else if (prefix == i.c.size() + 1)
      *rule = self_count::yes;
  }
}

/// Leaves `out` empty where the sections have the order of the version.
inline void find_order(const model& f, pool<section>& out) {
  section order[section_count];
  std::size_t count = 0;
  bool usual = true;
  for (std::size_t place = 0; place < section_count; ++place) {
    const section s = section_in_order(f.header(), place);
    if (!f.has(s)) continue;
    std::size_t at = count++;
    for (; at != 0 && f.offset(order[at - 1]) > f.offset(s); --at) {
      order[at] = order[at - 1];
      usual = false;
    }
    order[at] = s;
  }
  if (!usual) out.append(order, count);
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE layout layout_of(const model& f) {
  layout out;
  detail::find_prefixes(f.instructions(), out);
  detail::find_prefixes(f.training(), out);
  if (out.inputs == self_count::by_version) out.inputs = out.outputs;
  if (out.outputs == self_count::by_version) out.outputs = out.inputs;
  detail::find_order(f, out.order);
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LAYOUT_HPP

// ---- tessera/nac/detail/parts.hpp
//
// The bodies of nac/parts.hpp.

#ifndef TESSERA_NAC_DETAIL_PARTS_HPP
#define TESSERA_NAC_DETAIL_PARTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE bytes parts::data_of(const payload& p) const noexcept {
  if (p.size == 0 || p.source != nullptr) return {};
  return {p.borrowed != nullptr ? p.borrowed : own_bytes.data() + p.first,
          static_cast<std::size_t>(p.size)};
}

TESSERA_INLINE range parts::add_string(std::string_view s) {
  const range r{static_cast<std::uint32_t>(characters.size()),
                static_cast<std::uint32_t>(s.size())};
  characters << s;
  return r;
}

TESSERA_INLINE range parts::add_numbers(view<std::uint32_t> values) {
  const range r{static_cast<std::uint32_t>(numbers.size()),
                static_cast<std::uint32_t>(values.size())};
  numbers.append(values.data(), values.size());
  return r;
}

TESSERA_INLINE range parts::add_words(view<std::uint16_t> values) {
  const range r{static_cast<std::uint32_t>(words.size()),
                static_cast<std::uint32_t>(values.size())};
  words.append(values.data(), values.size());
  return r;
}

TESSERA_INLINE payload parts::keep(bytes b) {
  const payload p{nullptr, own_bytes.size(), b.size(), nullptr};
  own_bytes.append(b.data(), b.size());
  return p;
}

}  // namespace nac
namespace nac::detail {

struct part_maker {
  parts& out;

  template <class T>
  [[nodiscard]] range numbers(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.numbers.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.numbers.push_back(load_le<std::uint32_t>(values.data() + std::size_t{i} * 4));
    return r;
  }
  template <class T>
  [[nodiscard]] range words(packed<T> values) const {
    const range r{static_cast<std::uint32_t>(out.words.size()), values.size()};
    for (std::uint32_t i = 0; i < values.size(); ++i)
      out.words.push_back(load_le<std::uint16_t>(values.data() + std::size_t{i} * 2));
    return r;
  }
  void code(const nac::instructions& from, pool<instruction_part>& to) const {
    to.reserve(from.size());
    for (const instruction& i : from) {
      const range c = words(i.c);
      to.push_back({i.a, i.b, c, words(i.d)});
    }
  }
  void constants(const nac::constants& from, pool<constant_part>& to) const {
    to.reserve(from.size());
    for (const constant& c : from) {
      constant_part p{c.id, c.type, 0, {}};
      switch (c.type) {
        case constant_type::null: break;
        case constant_type::boolean: p.bits = c.boolean() ? 1 : 0; break;
        case constant_type::int64:
        case constant_type::float64: p.bits = load_le<std::uint64_t>(c.payload); break;
        case constant_type::string: p.values = out.add_string(c.string()); break;
        case constant_type::int32_list: p.values = numbers(c.int32_list()); break;
        case constant_type::float32_list: p.values = numbers(c.float32_list()); break;
      }
      to.push_back(p);
    }
  }
  template <class Names>
  void names(const Names& from, pool<named_part>& to) const {
    to.reserve(from.size());
    for (const named& n : from) out.add_name(to, n.id, n.text);
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE parts parts_of(const model& f) {
  parts p;
  const detail::part_maker make{p};
  p.form = f.header();
  p.quantization = f.quantization();
  p.internal_weights = f.has_internal_weights();
  p.training_flag = f.has_training_flag();
  p.inputs = f.inputs();
  p.outputs = f.outputs();
  p.d_model = f.d_model();
  p.layout = layout_of(f);
  p.schedule.reserve(f.schedule().size());
  for (const tick& t : f.schedule()) {
    p.schedule.push_back(
        {t.instruction, {static_cast<std::uint32_t>(p.commands.size()), t.commands.size()}});
    for (const command& c : t.commands) p.commands.push_back({c.what, c.target});
  }
  make.code(f.instructions(), p.instructions);
  make.code(f.training(), p.training);
  make.names(f.operations(), p.operations);
  make.names(f.signatures(), p.signatures);
  make.names(f.parameters(), p.parameters);
  make.names(f.input_names(), p.input_names);
  make.constants(f.constants(), p.constants);
  make.constants(f.plan_constants(), p.plan_constants);
  p.tensors.reserve(f.tensors().size());
  for (const tensor& t : f.tensors()) {
    const range shape = make.numbers(t.shape), original = make.numbers(t.original_shape);
    p.tensors.push_back({t.id, t.type, t.quantization, t.axis, t.block, shape, original,
                         make.numbers(t.scales), parts::borrow(t.data)});
  }
  p.has_manifest = f.has(section::proc);
  p.manifest = parts::borrow(f.manifest());
  p.plan = parts::borrow(f.execution_plan());
  p.has_training = f.has(section::trng);
  p.has_resources = f.has(section::rsrc);
  p.resources.reserve(f.resources().size());
  for (const resource& r : f.resources())
    p.resources.push_back({p.add_string(r.name), parts::borrow(r.data)});
  p.arrays.reserve(f.arrays().size());
  for (const array& a : f.arrays()) {
    const range name = p.add_string(a.name);
    p.arrays.push_back({name, a.type, make.numbers(a.shape), parts::borrow(a.data)});
  }
  return p;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PARTS_HPP

// ---- tessera/nac/detail/print.hpp
//
// The bodies of nac/print.hpp.

#ifndef TESSERA_NAC_DETAIL_PRINT_HPP
#define TESSERA_NAC_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/execution_plan.hpp
//
// The bodies of nac/execution_plan.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// What is wrong with a value that a set of choices doesn't have.
[[nodiscard]] constexpr errc choice_error(char set) noexcept {
  switch (set) {
    case 'P': return errc::nac_mep_prompt_type;
    case 'F':
    case 'G': return errc::nac_mep_file_type;
    case 'R': return errc::nac_mep_extern_kind;
    case 'U': return errc::nac_mep_unload_kind;
    case 'T': return errc::nac_mep_data_type;
    case 'K': return errc::nac_mep_create_kind;
    case 'E': return errc::nac_mep_loss;
    case 'S': return errc::nac_mep_format;
    case 'D': return errc::nac_mep_destination;
    case 'W': return errc::nac_mep_write_mode;
    default: return errc::nac_mep_operation;
  }
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE plan_operands::iterator::iterator(plan_layout l, const std::byte* at,
                                                 std::uint64_t offset) noexcept
    : layout_(l), at_(at) {
  now_.offset = offset;
  read();
}

TESSERA_INLINE auto plan_operands::iterator::operator++() noexcept -> iterator& {
  const std::uint32_t size = operand_size(now_.kind);
  (void)layout_.pass(now_.value);  // which the reader has found to be possible
  at_ += size;
  now_.offset += size;
  read();
  return *this;
}

TESSERA_INLINE void plan_operands::iterator::read() noexcept {
  now_.kind = layout_.kind();
  if (now_.kind == '\0') {
    at_ = nullptr;
  } else {
    now_.value = now_.kind == 'j'               ? load_le<std::int16_t>(at_)
                 : operand_size(now_.kind) == 2 ? load_le<std::uint16_t>(at_)
                                                : load_le<std::uint8_t>(at_);
  }
}

TESSERA_INLINE bool plan_reader::next(plan_instruction& out) noexcept {
  if (at_ == code_.size() || error_.code != errc::ok) return false;
  const plan_op_row* const row = plan_row(load_le<std::uint8_t>(code_.data() + at_));
  if (row == nullptr) return fail(errc::nac_mep_opcode, at_);
  std::size_t at = at_ + 1;
  for (plan_layout layout(*row); layout.kind() != '\0';) {
    const std::uint32_t size = operand_size(layout.kind());
    if (code_.size() - at < size) return fail(errc::nac_mep_truncated, at);
    const auto value = load_le<std::uint8_t>(code_.data() + at);  // of a word: decides nothing
    if (!layout.pass(value)) return fail(detail::choice_error(layout.kind()), at);
    at += size;
  }
  out = {at_, static_cast<std::uint32_t>(at - at_), row, code_.data() + at_};
  at_ = at;
  return true;
}

TESSERA_INLINE bool plan_reader::fail(errc code, std::uint64_t offset) noexcept {
  error_ = {code, offset};
  return false;
}

TESSERA_INLINE plan_writer::plan_writer(parts& to) : to_(to) {
  for (const constant_part& c : to.plan_constants)
    if (c.id >= next_id_) next_id_ = std::uint32_t{c.id} + 1;
}

TESSERA_INLINE std::uint32_t plan_writer::new_label() {
  labels_.push_back(unplaced);
  return static_cast<std::uint32_t>(labels_.size() - 1);
}

TESSERA_INLINE void plan_writer::emit(plan_op op, view<std::int64_t> operands) {
  if (error_.code != errc::ok) return;
  const plan_op_row* const row = plan_row(static_cast<std::uint8_t>(op));
  if (row == nullptr) return fail(errc::nac_mep_opcode);
  if (row->since == 0) return fail(errc::nac_mep_reserved);
  code_.push_back(static_cast<std::byte>(op));
  plan_layout layout(*row);
  for (const std::int64_t value : operands) {
    const char kind = layout.kind();
    if (kind == '\0') return fail(errc::nac_mep_operand_count);
    if (is_choice_operand(kind) && find_choice(kind, value) == nullptr)
      return fail(detail::choice_error(kind));
    if (value < 0 || value > (operand_size(kind) == 2 && kind != 'j' ? 0xffff
                              : kind == 'j'                          ? 0xffffffff
                                                                     : 0xff))
      return fail(errc::nac_mep_operand_range);
    if (kind == 'j') jumps_.push_back({code_.size(), static_cast<std::uint32_t>(value), count_});
    std::byte word[2] = {};
    if (operand_size(kind) == 1)
      word[0] = static_cast<std::byte>(value);
    else if (kind != 'j')
      store_le(word, static_cast<std::uint16_t>(value));
    code_.append(word, operand_size(kind));
    (void)layout.pass(value);
  }
  if (layout.kind() != '\0') return fail(errc::nac_mep_operand_count);
  ++count_;
}

TESSERA_INLINE tessera::error plan_writer::finish() {
  for (const jump& j : jumps_) {
    if (error_.code != errc::ok) break;
    if (j.label >= labels_.size() || labels_[j.label] == unplaced) {
      error_ = {errc::nac_mep_label_unknown, j.instruction};
      break;
    }
    const std::int64_t distance =
        static_cast<std::int64_t>(labels_[j.label]) - static_cast<std::int64_t>(j.offset) - 2;
    if (distance < -0x8000 || distance > 0x7fff)
      error_ = {errc::nac_mep_jump_range, j.instruction};
    else
      store_le(code_.data() + j.offset, static_cast<std::int16_t>(distance));
  }
  const tessera::error e = error_;
  if (e.code == errc::ok) to_.plan = to_.keep(bytes(code_.data(), code_.size()));
  code_.clear();
  labels_.clear();
  jumps_.clear();
  count_ = 0;
  error_ = {};
  return e;
}

TESSERA_INLINE std::uint16_t plan_writer::add(constant_type type, std::uint64_t bits,
                                              range values) {
  if (next_id_ > 0xffff) {
    if (error_.code == errc::ok) fail(errc::nac_mep_constants);
    return 0;
  }
  const auto id = static_cast<std::uint16_t>(next_id_++);
  to_.plan_constants.push_back({id, type, bits, values});
  return id;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_HPP

// ---- tessera/nac/detail/execution_plan_text.hpp
//
// The bodies of nac/execution_plan.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/hex.hpp
//
// Bytes in the assembly that have no other form: hex digits after 0x, two for each byte.
//
//   nac::detail::print_bytes(out, b);     // 0x54495341
//   nac::detail::parse_bytes(in, to);
//
// Lifetime:   nothing is kept.
// Errors:     nac_hex, at the number.
// Limits:     none.
// Allocation: what is read.

#ifndef TESSERA_NAC_DETAIL_HEX_HPP
#define TESSERA_NAC_DETAIL_HEX_HPP

#include <cstddef>
#include <string_view>


// ---- tessera/nac/detail/lexer.hpp
//
// NAC assembly as tokens: what assemble and its parts read from.
//
//   nac::detail::lexer in(source);
//   if (in.accept("schedule")) in.expect(':');
//   const std::int64_t tick = in.integer(0, 65535);
//   in.end_line();
//   if (in.failed()) return in.error();
//
//   word      a letter, '_' or '<', then letters, digits and _ . < >      nac.add  <INPUT>
//   number    a digit or '-', then letters, digits and + - . _            -1  1e-5  0x1f  -inf
//   string    "…" with \" \\ \n \r \t \xHH                                "fc.weight"
//   mark      any other character by itself                               ( ) [ ] { } = : , #
//   line end  ends a statement, but for those inside of brackets
//   comment   from ';' to the end of the line
//
// The first error stays, and everything after it is refused without effect.
//
// Lifetime:   borrows the source.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     none.
// Allocation: what is asked for: decoded strings.

#ifndef TESSERA_NAC_DETAIL_LEXER_HPP
#define TESSERA_NAC_DETAIL_LEXER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

enum class token_kind : std::uint8_t { word, number, string, mark, line_end, end };

struct token {
  token_kind kind = token_kind::end;
  std::uint64_t offset = 0;
  std::string_view text;  ///< as written; a string with its quotes
};

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] constexpr bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

/// 0 to 15, or 16.
[[nodiscard]] constexpr unsigned hex_digit(char c) noexcept {
  return is_decimal(c)            ? static_cast<unsigned>(c - '0')
         : (c >= 'a' && c <= 'f') ? static_cast<unsigned>(c - 'a') + 10
         : (c >= 'A' && c <= 'F') ? static_cast<unsigned>(c - 'A') + 10
                                  : 16;
}

[[nodiscard]] constexpr bool starts_word(char c) noexcept {
  return is_letter(c) || c == '_' || c == '<';
}

[[nodiscard]] constexpr bool is_in_word(char c) noexcept {
  return is_letter(c) || is_decimal(c) || c == '_' || c == '.' || c == '<' || c == '>';
}

class lexer {
 public:
  lexer() noexcept = default;
  explicit lexer(std::string_view source) noexcept : source_(source) { read(); }

  [[nodiscard]] const token& peek() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return now_.offset; }
  [[nodiscard]] std::string_view source() const noexcept { return source_; }
  [[nodiscard]] bool failed() const noexcept { return error_.code != errc::ok; }
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// Keeps the first error, and ends the tokens.
  void fail(errc code, std::uint64_t offset) noexcept {
    if (failed()) return;
    error_ = {code, offset};
    now_ = {token_kind::end, offset, {}};
  }
  void fail(errc code) noexcept { fail(code, now_.offset); }

  token next() noexcept {
    const token t = now_;
    if (!failed()) read();
    return t;
  }
  /// Takes the token if it is this mark, or this word.
  bool accept(char mark) noexcept {
    if (now_.kind != token_kind::mark || now_.text[0] != mark) return false;
    next();
    return true;
  }
  bool accept(std::string_view word) noexcept {
    if (now_.kind != token_kind::word || now_.text != word) return false;
    next();
    return true;
  }
  bool expect(char mark) noexcept {
    if (accept(mark)) return true;
    fail(errc::nac_text_mark);
    return false;
  }
  [[nodiscard]] bool at_line_end() const noexcept {
    return now_.kind == token_kind::line_end || now_.kind == token_kind::end;
  }
  /// The end of a statement, and the empty lines after it.
  void end_line() noexcept {
    if (!at_line_end()) return fail(errc::nac_text_line_end);
    skip_lines();
  }
  void skip_lines() noexcept {
    while (now_.kind == token_kind::line_end) next();
  }
  /// A decimal integer, or hex digits after 0x; `min` after an error.
  [[nodiscard]] std::int64_t integer(std::int64_t min, std::int64_t max) noexcept {
    if (now_.kind != token_kind::number) return fail(errc::nac_text_integer), min;
    std::string_view digits = now_.text;
    const bool negative = digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    const bool hex = digits.substr(0, 2) == "0x";
    if (hex) digits.remove_prefix(2);
    std::uint64_t magnitude = 0;
    bool fits = true;
    if (digits.empty()) return fail(errc::nac_text_integer), min;
    for (const char c : digits) {
      const unsigned d = hex_digit(c);
      if (d >= (hex ? 16u : 10u)) return fail(errc::nac_text_integer), min;
      fits = fits && !__builtin_mul_overflow(magnitude, std::uint64_t{hex ? 16u : 10u}, &magnitude);
      fits = fits && !__builtin_add_overflow(magnitude, std::uint64_t{d}, &magnitude);
    }
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    fits = fits && magnitude <= (negative ? half : half - 1);
    const auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    if (!fits || value < min || value > max) return fail(errc::nac_text_range), min;
    next();
    return value;
  }
  /// A string, decoded and appended to `to`.
  void string(text& to) {
    if (now_.kind != token_kind::string) return fail(errc::nac_text_string);
    const token t = next();
    const std::string_view s = t.text.substr(1, t.text.size() - 2);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i] != '\\') {
        to << s[i];
        continue;
      }
      const char c = ++i < s.size() ? s[i] : '\0';
      if (c == 'x' && i + 2 < s.size() && hex_digit(s[i + 1]) < 16 && hex_digit(s[i + 2]) < 16) {
        to << static_cast<char>(hex_digit(s[i + 1]) << 4 | hex_digit(s[i + 2]));
        i += 2;
      } else if (c == '"' || c == '\\') {
        to << c;
      } else if (c == 'n' || c == 'r' || c == 't') {
        to << (c == 'n' ? '\n' : c == 'r' ? '\r' : '\t');
      } else {
        return fail(errc::nac_text_escape, t.offset + 1 + i);
      }
    }
  }

 private:
  [[nodiscard]] char at(std::size_t i) const noexcept {
    return i < source_.size() ? source_[i] : '\0';
  }
  void read() noexcept {
    while (at_ < source_.size()) {
      const char c = source_[at_];
      if (c == ';') {
        while (at_ < source_.size() && source_[at_] != '\n') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && depth_ != 0)) {
        ++at_;
      } else {
        break;
      }
    }
    const std::size_t first = at_;
    const auto take = [&](token_kind kind) {
      now_ = {kind, first, source_.substr(first, at_ - first)};
    };
    if (at_ >= source_.size()) return take(token_kind::end);
    const char c = source_[at_++];
    if (c == '\n') return take(token_kind::line_end);
    if (c == '"') {
      while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n')
        at_ += source_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
      if (at_ >= source_.size() || source_[at_] != '"')
        return fail(errc::nac_text_string_end, first);
      ++at_;
      return take(token_kind::string);
    }
    if (starts_word(c)) {
      while (is_in_word(at(at_))) ++at_;
      return take(token_kind::word);
    }
    if (is_decimal(c) || (c == '-' && (is_decimal(at(at_)) || is_letter(at(at_))))) {
      while (is_in_word(at(at_)) || at(at_) == '+' || at(at_) == '-') ++at_;
      return take(token_kind::number);
    }
    if (c == '(' || c == '[' || c == '{') ++depth_;
    if ((c == ')' || c == ']' || c == '}') && depth_ != 0) --depth_;
    take(token_kind::mark);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  token now_;
  tessera::error error_;
};

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LEXER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

inline constexpr std::size_t bytes_of_line = 32;  ///< that are printed in one number

inline void print_bytes(text& out, bytes b) {
  out << "0x";
  for (const std::byte v : b) {
    const auto n = static_cast<unsigned>(v);
    out << "0123456789abcdef"[n >> 4] << "0123456789abcdef"[n & 15];
  }
}

/// Lines of `bytes 0x…`.
inline void print_byte_lines(text& out, bytes b, std::string_view margin) {
  for (; !b.empty(); b = b.subspan(b.size() < bytes_of_line ? b.size() : bytes_of_line)) {
    out << margin << "bytes ";
    print_bytes(out, b.size() < bytes_of_line ? b : b.first(bytes_of_line));
    out << '\n';
  }
}

inline void parse_bytes(lexer& in, pool<std::byte>& to) {
  const token t = in.peek();
  std::string_view digits = t.text;
  if (t.kind != token_kind::number || digits.substr(0, 2) != "0x" || digits.size() % 2 != 0)
    return in.fail(errc::nac_hex);
  for (std::size_t i = 2; i < digits.size(); i += 2) {
    const unsigned high = hex_digit(digits[i]), low = hex_digit(digits[i + 1]);
    if (high > 15 || low > 15) return in.fail(errc::nac_hex);
    to.push_back(static_cast<std::byte>(high << 4 | low));
  }
  in.next();
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_HEX_HPP

// ---- tessera/nac/detail/print_values.hpp
//
// NAC assembly: how constants, numbers, shapes and payloads are printed.
//
//   nac::detail::print_float(out, 0.1f);          // 0.1
//   nac::detail::print_constant(out, constant);   // null true -7 1.5 "cpu" [1, -1] [0.5, 2.0]
//
//   float64   always with one of . e inf nan: 1.0  1e-05  -inf  nan
//   float32   the same, with as few digits as read back as the same float32
//   nan       with its bits, unless they are those of the default: nan 0x7ff8000000000001
//   list      [1, -1] of int32, [0.5, 2.0] of float32; floats [] where it is empty
//   payload   hex { 003c0040 … }, with its size after `hex` where the shape doesn't give it;
//             or file "NAME" OFFSET SIZE
//
// Lifetime:   nothing is kept.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_NAC_DETAIL_PRINT_VALUES_HPP
#define TESSERA_NAC_DETAIL_PRINT_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

namespace detail {

inline void print_hex(text& out, std::uint64_t value, unsigned digits) {
  out << "0x";
  while (digits-- != 0) out << "0123456789abcdef"[value >> (4 * digits) & 15];
}

/// To nearest, as a cast does where the result is a float32; infinity beyond.
[[nodiscard]] inline float float_from_double(double value) noexcept {
  constexpr double largest = 0x1.fffffep127, tie = 0x1.ffffffp127;
  const double magnitude = value < 0 ? -value : value;
  if (magnitude <= largest) return static_cast<float>(value);
  const auto bound =
      magnitude < tie ? 0x1.fffffep127f : static_cast<float>(tessera::detail::infinity);
  return value < 0 ? -bound : bound;
}

/// The double nearest to a float32's shortest decimal, as the assembler reads that.
[[nodiscard]] inline double shortest_float(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto exact = static_cast<double>(value);
  if ((bits & 0x7fffffff) == 0 || (bits >> 23 & 255) == 255) return exact;
  const auto magnitude = static_cast<double>(std::bit_cast<float>(bits & 0x7fffffff));
  const tessera::detail::decimal_17 d = tessera::detail::shortest(magnitude);
  // Any 6 digits survive in a float32 with all its bits; 9 are always enough.
  for (unsigned digits = (bits >> 23 & 255) == 0 ? 1 : 6; digits <= 9; ++digits) {
    const std::uint64_t unit = tessera::detail::powers_of_ten[17 - digits];
    const std::uint64_t significand = (d.significand + unit / 2) / unit;
    char decimals[integer_capacity];
    const char* const end = put_integer(decimals, significand);
    const double near =
        decimal_to_double({std::string_view(decimals, static_cast<std::size_t>(end - decimals)),
                           d.point - static_cast<int>(digits)},
                          significand);
    if (static_cast<double>(float_from_double(near)) == magnitude) return exact < 0 ? -near : near;
  }
  return exact;  // unreachable: 9 digits are always enough
}

inline void print_double(text& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if ((bits & 0x7fffffffffffffff) == 0x7ff0000000000000) {
    out << (bits >> 63 != 0 ? word_minus_infinity : word_infinity);
  } else if ((bits & 0x7ff0000000000000) == 0x7ff0000000000000) {
    out << word_nan;
    if (bits != 0x7ff8000000000000) out << ' ', print_hex(out, bits, 16);
  } else {
    append_double(out, value, double_style::python);
  }
}

inline void print_float(text& out, std::uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) {  // which a conversion to double might change
    out << word_nan;
    if (bits != 0x7fc00000) out << ' ', print_hex(out, bits, 8);
    return;
  }
  print_double(out, shortest_float(std::bit_cast<float>(bits)));
}

/// A list of `count` elements, of which `each(index)` prints those before `max`.
template <class Each>
inline void print_list(text& out, std::uint32_t count, std::uint32_t max, Each each) {
  out << '[';
  for (std::uint32_t i = 0; i < count && i < max; ++i) {
    if (i != 0) out << ", ";
    each(i);
  }
  out << (count > max ? ", ...]" : "]");
}
template <class T>
inline void print_integers(text& out, const packed<T>& values, std::uint32_t max = UINT32_MAX) {
  print_list(out, values.size(), max, [&](std::uint32_t i) { out << values[i]; });
}
inline void print_floats(text& out, const packed<float>& values, std::uint32_t max = UINT32_MAX) {
  print_list(out, values.size(), max, [&](std::uint32_t i) {
    print_float(out, load_le<std::uint32_t>(values.data() + std::size_t{i} * 4));
  });
}

inline void print_constant(text& out, const constant& c) {
  switch (c.type) {
    case constant_type::null: out << word_null; break;
    case constant_type::boolean: out << boolean_words[c.boolean() ? 1 : 0]; break;
    case constant_type::int64: out << c.int64(); break;
    case constant_type::float64: print_double(out, c.float64()); break;
    case constant_type::string: print_string(out, c.string()); break;
    case constant_type::int32_list: print_integers(out, c.int32_list()); break;
    case constant_type::float32_list:
      if (c.length == 0) out << word_floats << ' ';
      print_floats(out, c.float32_list());
      break;
  }
}

/// The letter of a constant in a signature that is derived from arguments.
[[nodiscard]] constexpr char code_of(constant_type type) noexcept {
  return "cbifsSS"[static_cast<unsigned>(type)];
}

inline constexpr std::size_t short_text = 32, short_list = 8;  ///< what may be repeated

/// Whether a constant takes little room wherever it is named.
[[nodiscard]] inline bool is_short(const constant& c) noexcept {
  if (c.type == constant_type::string) return c.length <= short_text;
  return c.type < constant_type::int32_list || c.length <= short_list;
}

/// The type, shape and quantization of a tensor, which precede its payload.
inline void print_tensor_type(text& out, const tensor& t) {
  out << name(t.type) << ' ';
  print_integers(out, t.shape);
  if (t.quantization == nac::quantization::none) return;
  out << ' ' << name(t.quantization);
  if (t.quantization == nac::quantization::fp16) return;
  if (t.quantization == nac::quantization::int8_tensor) {
    out << ' ' << word_scale << ' ';
    print_float(out, load_le<std::uint32_t>(t.scales.data()));
    return;
  }
  if (t.quantization == nac::quantization::int8_channel) {
    out << ' ' << word_axis << ' ' << t.axis;
  } else {
    out << ' ' << word_block << ' ' << t.block << ' ' << word_shape << ' ';
    print_integers(out, t.original_shape);
  }
  out << ' ' << word_scales << ' ';
  print_floats(out, t.scales);
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_VALUES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// A constant's value as a comment shows it: long ones are cut, so that a plan's text stays in
/// proportion to its bytes.
struct short_value {
  static constexpr std::uint32_t characters = 40, elements = 6;

  static void print(text& out, const constant& c) {
    if (c.type == constant_type::string && c.length > characters) {
      const std::string_view s = c.string();
      std::size_t end = characters;
      while (end != 0 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) --end;
      print_string(out, s.substr(0, end));
      out << "...";
    } else if (c.type == constant_type::int32_list) {
      print_integers(out, c.int32_list(), elements);
    } else if (c.type == constant_type::float32_list) {
      print_floats(out, c.float32_list(), elements);
    } else {
      print_constant(out, c);
    }
  }
};

class plan_printer {
 public:
  plan_printer(text& out, bytes code, const constants& pool_of) : out_(out), code_(code) {
    for (const constant& c : pool_of) constants_.push_back(c);
    sort(constants_.data(), constants_.size(),
         [](const constant& a, const constant& b) { return a.id < b.id; });
    find_labels();
  }

  void print() {
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      label(i.offset);
      instruction(i);
    }
    if (in.offset() != code_.size()) {
      label(in.offset());
      print_byte_lines(out_, code_.subspan(to_size(in.offset())), "    ");
    }
    label(code_.size());
  }

 private:
  /// Where jumps go, of those that go to an instruction, to what is none, or to the end.
  void find_labels() {
    pool<std::uint8_t> starts;
    starts.resize(code_.size() / 8 + 1);
    const auto mark = [&starts](std::uint64_t at) {
      starts[to_size(at / 8)] |= static_cast<std::uint8_t>(1u << at % 8);
    };
    plan_reader all(code_);
    for (plan_instruction i; all.next(i);) mark(i.offset);
    mark(all.offset());
    mark(code_.size());
    plan_reader in(code_);
    for (plan_instruction i; in.next(i);) {
      for (const plan_operand& o : i.operands()) {
        if (o.kind != 'j' || o.target() < 0) continue;
        const auto to = static_cast<std::uint64_t>(o.target());
        if (to <= code_.size() && (starts[to_size(to / 8)] >> to % 8 & 1) != 0)
          labels_.push_back(static_cast<std::uint32_t>(to));
      }
    }
    sort(labels_.data(), labels_.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t n = 0;
    for (const std::uint32_t to : labels_)
      if (n == 0 || labels_[n - 1] != to) labels_[n++] = to;
    labels_.resize(n);
  }
  /// The number of a label, or 0 where there is none.
  [[nodiscard]] std::size_t label_at(std::int64_t offset) const noexcept {
    const std::size_t i = first_not_below(labels_.data(), labels_.size(),
                                          [offset](std::uint32_t l) { return l < offset; });
    return i != labels_.size() && labels_[i] == offset ? i + 1 : 0;
  }
  void label(std::uint64_t offset) {
    if (next_label_ == labels_.size() || labels_[next_label_] != offset) return;
    out_ << "  L" << ++next_label_ << ":\n";
  }

  [[nodiscard]] const constant* find(std::int32_t id) const noexcept {
    const std::size_t count = first_not_below(constants_.data(), constants_.size(),
                                              [id](const constant& c) { return c.id <= id; });
    return count != 0 && constants_[count - 1].id == id ? &constants_[count - 1] : nullptr;
  }

  void operand(const plan_operand& o) {
    const bool none = (o.kind == 'z' || o.kind == 'w') && o.value == 0;
    const plan_choice* const choice =
        is_choice_operand(o.kind) ? find_choice(o.kind, o.value) : nullptr;
    const std::size_t to = o.kind == 'j' ? label_at(o.target()) : 0;
    if (none)
      out_ << "none";
    else if (choice != nullptr)
      out_ << choice->name;
    else if (to != 0)
      out_ << 'L' << to;
    else
      out_ << (is_slot_operand(o.kind) ? "$" : is_constant_operand(o.kind) ? "#" : "") << o.value;
  }

  void instruction(const plan_instruction& i) {
    out_ << "    " << i.row->name;
    bool first = true, in_list = false, first_slot = false;
    plan_layout layout(*i.row);
    for (const plan_operand& o : i.operands()) {
      const bool slot_of_list = layout.slots() != 0;
      if (in_list && !slot_of_list) {
        out_ << ']';
        in_list = false;
      }
      (void)layout.pass(o.value);
      out_ << (first ? " " : in_list && first_slot ? "" : ", ");
      first = first_slot = false;
      if (is_list_operand(o.kind)) {
        out_ << '[';
        in_list = first_slot = true;
      } else {
        operand(o);
      }
    }
    if (in_list) out_ << ']';
    bool commented = false;
    for (const plan_operand& o : i.operands()) {
      if (!is_constant_operand(o.kind) || (o.kind == 'w' && o.value == 0)) continue;
      const constant* const c = find(o.value);
      if (c == nullptr) continue;
      out_ << (commented ? ", " : " ; ");
      commented = true;
      short_value::print(out_, *c);
    }
    out_ << '\n';
  }

  text& out_;
  bytes code_;
  pool<constant> constants_;    // by id; of the same ids the last counts
  pool<std::uint32_t> labels_;  // in order
  std::size_t next_label_ = 0;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE void print_execution_plan(text& out, bytes code, const constants& pool_of) {
  detail::plan_printer(out, code, pool_of).print();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_TEXT_HPP

// ---- tessera/nac/detail/execution_plan_verify.hpp
//
// The bodies of nac/execution_plan.hpp.

#ifndef TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP
#define TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/nac/detail/rules_execution_plan.hpp
//
// NAC verification of ORCH: execution plans.
//
// Jumps are looked at where all instructions can be read; where a start or an end of a loop has no
// counterpart, which loop a jump is in is unknown, and only the instruction that it leads to is checked.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_mep_*.
// Limits:     none; time n log n of the bytecode.
// Allocation: at most 32 × the bytecode, where it consists of starts of loops only, and 200 KiB.

#ifndef TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/rules_report.hpp
//
// How NAC's rules word their findings: texts that several of them need.
//
// Lifetime:   for the time of a call.
// Errors:     none.
// Limits:     none.
// Allocation: the report's.

#ifndef TESSERA_NAC_DETAIL_RULES_REPORT_HPP
#define TESSERA_NAC_DETAIL_RULES_REPORT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


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

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

using tessera::detail::findings;

/// "1 argument", "3 arguments".
template <class Out>
[[gnu::cold]] void put_count(Out& to, std::uint64_t n, std::string_view singular) {
  to << n << ' ' << singular;
  if (n != 1) to << 's';
}
/// "f32 [3, 4]".
template <class Out>
[[gnu::cold]] void put_type(Out& to, data_type type, const packed<std::uint32_t>& shape) {
  to << name(type) << " [";
  for (std::uint32_t i = 0; i < shape.size(); ++i) {
    if (i != 0) to << ", ";
    to << shape[i];
  }
  to << ']';
}
/// "parameter 7", and its name where it has one.
template <class Out>
[[gnu::cold]] void put_parameter(Out& to, std::uint16_t id, std::string_view name) {
  to << "parameter " << id;
  if (!name.empty()) to << " \"" << name << '"';
}

/// How many arguments a pattern takes.
struct argument_counts {
  std::size_t min = 0, max = 0;
  bool is_unbounded = false;
};
[[nodiscard]] inline argument_counts counts_of(std::string_view letters) noexcept {
  argument_counts n;
  bool optional = false;
  for (const char letter : letters) {
    if (letter == '?') optional = true;
    if (letter == '*' || letter == 'v') n.is_unbounded = true;
    if (letter == '?' || letter == '*') continue;
    ++n.max;
    if (!optional) ++n.min;
  }
  return n;
}

[[nodiscard]] constexpr std::string_view name_of(argument_form f) noexcept {
  switch (f) {
    case argument_form::result: return "a result";
    case argument_form::null: return "null";
    case argument_form::integer: return "an integer";
    case argument_form::number: return "a number";
    case argument_form::string: return "a string";
    case argument_form::int_list: return "a list of integers";
    case argument_form::number_list: return "a list of numbers";
  }
  return {};  // unreachable: all forms are above
}
/// Which arguments could be the k-th, with those before it: "a result or null".
template <class Out>
[[gnu::cold]] void put_expected_forms(Out& to, std::string_view letters, const argument_form* given,
                                      std::size_t k) {
  argument_form tried[256];
  for (std::size_t i = 0; i < k; ++i) tried[i] = given[i];
  bool fits[argument_form_count];
  for (std::size_t f = 0; f < argument_form_count; ++f) {
    tried[k] = static_cast<argument_form>(f);
    binding unused;
    const match m = bind(letters, {tried, k + 1}, unused);
    fits[f] = m.what == match::kind::fits || (m.what == match::kind::count && m.argument > k);
  }
  const auto drop = [&fits](argument_form wide, argument_form narrow) {
    if (fits[static_cast<std::size_t>(wide)]) fits[static_cast<std::size_t>(narrow)] = false;
  };
  drop(argument_form::number, argument_form::integer);
  drop(argument_form::number_list, argument_form::int_list);
  std::size_t left = 0, count = 0;
  for (const bool f : fits) left += f ? 1u : 0u;
  if (left == 0) to << "no argument";
  for (std::size_t f = 0; f < argument_form_count; ++f) {
    if (!fits[f]) continue;
    if (count != 0) to << (left == 1 ? " or " : ", ");
    to << name_of(static_cast<argument_form>(f));
    ++count;
    --left;
  }
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_REPORT_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

template <class Out>
[[gnu::cold]] void put_plan_instruction(Out& to, std::uint32_t index, const plan_instruction& i,
                                        std::uint64_t offset_in_code) {
  to << "plan instruction " << index << " (" << i.row->name << ')';
  std::uint32_t k = 0;
  for (const plan_operand& o : i.operands()) {
    if (o.offset == offset_in_code) to << ", operand " << k;
    ++k;
  }
}

/// Finds all that is wrong with bytecode as a container holds it: below 4 GiB.
class plan_checker {
 public:
  /// `offset` is where the bytecode is in the container.
  plan_checker(bytes code, const constants& pool_of, findings& found, std::uint64_t offset)
      : code_(code), found_(found), offset_(offset) {
    for (const constant& c : pool_of) {
      if (c.id >= constant_.size()) constant_.resize(std::size_t{c.id} + 1);
      constant_[c.id] = static_cast<std::uint8_t>(
          known | (c.type == constant_type::string ? text : 0) | (is_model(c) ? model : 0));
    }
  }

  void check() {
    if (instructions()) jumps();
  }

 private:
  static constexpr std::uint32_t outside = 0xffffffff;
  static constexpr std::uint8_t known = 1, text = 2, model = 4;
  struct loop {
    std::uint32_t first;   // the instruction after its start
    std::uint32_t last;    // its end
    std::uint32_t around;  // the loop that it is in
    std::uint32_t number;  // the index of its start among the instructions
  };
  /// From here on the innermost loop is another.
  struct change {
    std::uint32_t offset;
    std::uint32_t inner;
  };

  [[nodiscard]] static bool is_model(const constant& c) noexcept {
    switch (c.type) {
      case constant_type::boolean: return true;
      case constant_type::int64: return c.int64() >= 0 && c.int64() <= 255;
      case constant_type::float64: {
        const double v = c.float64();
        return v >= 0 && v <= 255 && v == static_cast<double>(static_cast<int>(v));
      }
      default: return false;
    }
  }

  [[nodiscard, gnu::cold]] findings::writer error(errc code, std::uint64_t offset) {
    return found_.error(code, {.offset = offset_ + offset});
  }
  [[gnu::cold]] void put_path(findings::writer to, const plan_instruction& i,
                              std::uint64_t offset) const {
    put_plan_instruction(to.path(), count_, i, offset);
  }
  /// A value outside the choices of its operand: "FILE 5; expected 0 or 1".
  [[gnu::cold]] void choice(const plan_instruction& i, const plan_operand& o) {
    auto to = error(choice_error(o.kind), o.offset);
    to << i.row->name << ": " << o.value << " isn't one of ";
    bool first = true;
    for (const plan_choice& c : plan_choices) {
      if (c.set != o.kind) continue;
      if (!first) to << ", ";
      to << unsigned{c.value} << " (" << c.name << ')';
      first = false;
    }
    put_path(to, i, o.offset);
  }
  void operand(const plan_instruction& i, const plan_operand& o) {
    if (is_choice_operand(o.kind) && find_choice(o.kind, o.value) == nullptr) return choice(i, o);
    if (!is_constant_operand(o.kind) || (o.kind == 'w' && o.value == 0)) return;
    const auto id = static_cast<std::size_t>(o.value);
    const std::uint8_t is = id < constant_.size() ? constant_[id] : std::uint8_t{0};
    const auto wrong = [&](errc code, std::string_view what) {
      auto to = error(code, o.offset);
      to << i.row->name << ": constant " << id << what;
      put_path(to, i, o.offset);
    };
    if (is == 0) return wrong(errc::nac_mep_constant, " doesn't exist in the execution plan");
    if ((o.kind == 's' || o.kind == 'w') && (is & text) == 0)
      return wrong(errc::nac_mep_constant_string,
                   " of the execution plan isn't a string; expected one");
    if (o.kind == 'n' && (is & model) == 0)
      return wrong(errc::nac_mep_constant_model,
                   " of the execution plan isn't a model's number; expected 0 to 255");
  }

  /// Each by itself, and which loops there are. False: jumps can't be looked at.
  [[nodiscard]] bool instructions() {
    starts_.resize(code_.size() / 8 + 1);
    std::uint32_t inner = outside;
    plan_reader in(code_);
    count_ = 0;
    for (plan_instruction i; in.next(i); ++count_) {
      starts_[to_size(i.offset / 8)] |= static_cast<std::uint8_t>(1u << i.offset % 8);
      const auto wrong = [&](errc code, std::string_view what) {
        auto to = error(code, i.offset);
        to << i.row->name << what;
        put_path(to, i, i.offset);
      };
      if (i.reserved()) {
        wrong(errc::nac_mep_reserved, " is a reserved opcode and can't run");
        continue;
      }
      for (const plan_operand& o : i.operands()) operand(i, o);
      const auto at = static_cast<std::uint32_t>(i.offset);
      const std::uint32_t after = at + i.size;
      if (i.op() == plan_op::flow_loop_start) {
        loops_.push_back({after, 0, inner, count_});
        inner = static_cast<std::uint32_t>(loops_.size() - 1);
        changes_.push_back({after, inner});
      } else if (i.op() == plan_op::flow_loop_end) {
        if (inner == outside) {
          wrong(errc::nac_mep_loop_end, " without a matching flow_loop_start");
          is_nested_ = false;
          continue;
        }
        loops_[inner].last = at;
        inner = loops_[inner].around;
        changes_.push_back({after, inner});
      } else if (i.op() == plan_op::flow_break_loop_if && inner == outside) {
        wrong(errc::nac_mep_break, " outside a loop");
      }
    }
    if (const tessera::error e = in.error(); e.code != errc::ok) {
      unreadable(e);
      return false;
    }
    for (; inner != outside; inner = loops_[inner].around) {
      is_nested_ = false;
      const loop& l = loops_[inner];
      auto to = error(errc::nac_mep_loop_open, l.first - 2);
      to << "flow_loop_start at offset " << l.first - 2
         << " of the execution plan has no flow_loop_end";
      to.path() << "plan instruction " << l.number << " (" << name(plan_op::flow_loop_start) << ')';
    }
    starts_[code_.size() / 8] |= static_cast<std::uint8_t>(1u << code_.size() % 8);
    return true;
  }
  [[gnu::cold]] void unreadable(const tessera::error& e) {
    auto to = error(e.code, e.offset);
    if (e.code == errc::nac_mep_opcode && e.offset < code_.size())
      to << "unknown opcode " << load_le<std::uint8_t>(code_.data() + e.offset);
    to.path() << "plan instruction " << count_;
  }

  [[nodiscard]] std::uint32_t innermost(std::uint64_t offset) const noexcept {
    const std::size_t count = first_not_below(
        changes_.data(), changes_.size(), [offset](const change& c) { return c.offset <= offset; });
    return count == 0 ? outside : changes_[count - 1].inner;
  }
  [[nodiscard]] bool is_in(const loop& l, std::uint64_t offset) const noexcept {
    return offset >= l.first && offset <= l.last;
  }

  void jumps() {
    plan_reader in(code_);
    count_ = 0;
    for (plan_instruction i; in.next(i); ++count_) {
      if (i.op() != plan_op::flow_loop_end && i.op() != plan_op::flow_branch_if &&
          i.op() != plan_op::flow_break_loop_if)
        continue;
      for (const plan_operand& o : i.operands())
        if (o.kind == 'j') jump(i, o);
    }
  }
  void jump(const plan_instruction& i, const plan_operand& o) {
    const std::int64_t target = o.target();
    const auto wrong = [&](errc code, std::string_view expected, std::uint64_t value) {
      auto to = error(code, o.offset);
      to << i.row->name << " jumps to offset " << target << " of the execution plan; expected "
         << expected << value;
      put_path(to, i, o.offset);
    };
    constexpr std::string_view on_instruction =
        "the start of an instruction, or the end of the execution plan at ";
    if (target < 0 || target > static_cast<std::int64_t>(code_.size()))
      return wrong(errc::nac_mep_jump, on_instruction, code_.size());
    const auto to = static_cast<std::uint64_t>(target);
    if ((starts_[to_size(to / 8)] >> to % 8 & 1) == 0)
      return wrong(errc::nac_mep_jump, on_instruction, code_.size());
    if (!is_nested_) return;
    const std::uint32_t here = innermost(i.offset), there = innermost(to);
    if (i.op() == plan_op::flow_loop_end && !is_in(loops_[here], to))
      return wrong(errc::nac_mep_loop_back, "a target in its loop, which begins at ",
                   loops_[here].first);
    if (i.op() == plan_op::flow_break_loop_if && here != outside && to <= loops_[here].last)
      return wrong(errc::nac_mep_break_target, "a target after the end of its loop at ",
                   loops_[here].last);
    if (there != outside && !is_in(loops_[there], i.offset))
      return wrong(errc::nac_mep_jump_into_loop, "a target outside the loop that begins at ",
                   loops_[there].first);
  }

  bytes code_;
  findings& found_;
  std::uint64_t offset_;
  std::uint32_t count_ = 0;      // the index of the instruction that is looked at
  pool<std::uint8_t> constant_;  // by id: what it can be used as
  pool<std::uint8_t> starts_;    // a bit for each byte of code, and for its end
  pool<loop> loops_;
  pool<change> changes_;
  bool is_nested_ = true;  // every start of a loop has its end
};

/// Where a container's plan begins.
[[nodiscard]] inline std::uint64_t plan_offset(const model& f) noexcept {
  return f.offset(section::orch) + 12;  // the tag, and both sizes
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_EXECUTION_PLAN_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE error verify_execution_plan(const model& f, report* found) {
  detail::findings all(found, 1000);
  if (!f.execution_plan().empty())
    detail::plan_checker(f.execution_plan(), f.plan_constants(), all, detail::plan_offset(f))
        .check();
  return all.first_error();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_EXECUTION_PLAN_VERIFY_HPP

// ---- tessera/nac/detail/tokenizer.hpp
//
// The bodies of nac/tokenizer.hpp.

#ifndef TESSERA_NAC_DETAIL_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/rules_tokenizer.hpp
//
// NAC verification of PROC: the tokenizer's manifest.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_tisa_*.
// Limits:     none.
// Allocation: the report's.

#ifndef TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

using tessera::detail::findings;

template <class Out>
[[gnu::cold]] void put_tokenizer_instruction(Out& to, std::uint32_t index,
                                             const tokenizer_instruction& i) {
  to << "tokenizer instruction " << index;
  if (i.row != nullptr) to << " (" << i.row->name << ')';
}

template <class List, class Element>
[[nodiscard]] inline error check_list(const tokenizer_instruction& i) noexcept {
  List in(i);
  for (Element e; in.next(e);) {}
  if (in.error().code != errc::ok) return in.error();
  return in.at_end() ? error{} : error{errc::nac_tisa_payload_long, in.end_offset()};
}

/// Whether a payload has all fields of its form and nothing else.
[[nodiscard]] inline error check_form(const tokenizer_instruction& i) noexcept {
  payload_reader in = i.fields();
  switch (i.row->form) {
    case tokenizer_form::none: break;
    case tokenizer_form::short_text:
      if (i.op() != tokenizer_op::bpe_encode || !i.payload.empty()) (void)in.string<std::uint8_t>();
      break;
    case tokenizer_form::long_texts: (void)in.string<std::uint16_t>(); [[fallthrough]];
    case tokenizer_form::long_text: (void)in.string<std::uint16_t>(); break;
    case tokenizer_form::categories: return check_list<category_reader, std::string_view>(i);
    case tokenizer_form::rules: return check_list<rule_reader, partition_rule>(i);
    case tokenizer_form::items: return check_list<item_reader, compose_item>(i);
  }
  return in.failed()   ? error{errc::nac_tisa_payload_short, in.offset()}
         : in.at_end() ? error{}
                       : error{errc::nac_tisa_payload_long, in.offset()};
}

template <std::size_t Size>
[[nodiscard]] constexpr bool is_one_of(std::string_view s,
                                       const std::string_view (&names)[Size]) noexcept {
  for (const std::string_view name : names)
    if (s == name) return true;
  return false;
}

/// Checks the strings of a payload that has its form. Their pointers give their offsets.
[[nodiscard]] inline error check_strings(const tokenizer_instruction& i) noexcept {
  const auto place = [&i](std::string_view s, errc code) {
    return error{code, i.payload_offset() +
                           static_cast<std::uint64_t>(s.data() - as_text(i.payload).data())};
  };
  tessera::error e;
  const auto utf8 = [&](std::string_view s) {
    for (std::size_t at = 0; at < s.size() && e.code == errc::ok;) {
      const unsigned length = utf8_length(s.data() + at, s.data() + s.size());
      if (length == 0) e = place(s.substr(at), errc::nac_tisa_utf8);
      at += length;
    }
    return e.code == errc::ok;
  };
  switch (i.row->form) {
    case tokenizer_form::none: break;
    case tokenizer_form::short_text:
      if (i.op() == tokenizer_op::unicode_norm) {
        const std::string_view form = i.first_string();
        if (!is_one_of(form, normal_forms)) return place(form, errc::nac_tisa_normal_form);
      }
      [[fallthrough]];
    case tokenizer_form::long_text: (void)utf8(i.first_string()); break;
    case tokenizer_form::long_texts:
      if (utf8(i.first_string())) (void)utf8(i.second_string());
      break;
    case tokenizer_form::categories: {
      category_reader in(i);
      for (std::string_view c; in.next(c);)
        if (!is_one_of(c, general_categories)) return place(c, errc::nac_tisa_category);
      break;
    }
    case tokenizer_form::rules: {
      rule_reader in(i);
      for (partition_rule r; in.next(r);)
        if (!utf8(r.expression) || !utf8(r.trim)) break;
      break;
    }
    case tokenizer_form::items: {
      item_reader in(i);
      for (compose_item c; in.next(c);)
        if (!utf8(c.token_text)) break;
      break;
    }
  }
  return e;
}

/// Finds all that is wrong with a manifest; `offset` is where it is in its container.
inline void check_manifest(bytes manifest, std::uint64_t offset, findings& found) {
  manifest_reader in(manifest);
  bool partitioned = false;
  std::uint32_t index = 0;
  for (tokenizer_instruction i; in.next(i); ++index) {
    const auto wrong = [&](const error& e) {
      auto to = found.error(e.code, {.offset = e.offset + offset});
      if (e.code == errc::nac_tisa_opcode)
        to << "unknown instruction " << unsigned{i.opcode} << " of the tokenizer";
      else
        to << i.row->name << ": " << error{e.code}.message();
      put_tokenizer_instruction(to.path(), index, i);
    };
    if (i.row == nullptr) {
      wrong({errc::nac_tisa_opcode, i.offset});
      continue;
    }
    if (const error e = check_form(i); e.code != errc::ok) {
      const char first = i.payload.empty() ? '\0' : static_cast<char>(i.payload[0]);
      const bool json = first == '{' || first == '"' || first == '[';
      wrong(json ? error{errc::nac_tisa_json, i.payload_offset()} : e);
    } else if (const error s = check_strings(i); s.code != errc::ok) {
      wrong(s);
    } else if (i.row->encodes && !partitioned) {
      wrong({errc::nac_tisa_partition, i.offset});
    }
    partitioned = partitioned || i.op() == tokenizer_op::partition_rules;
  }
  const error e = in.error();
  if (e.code == errc::ok) return;
  auto to = found.error(e.code, {.offset = e.offset + offset});
  if (e.code == errc::nac_tisa_magic)
    to.path() << "start of the manifest";
  else
    to.path() << "tokenizer instruction " << index;
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_TOKENIZER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE std::string_view tokenizer_instruction::first_string() const noexcept {
  detail::payload_reader in = fields();
  return row != nullptr && row->form == tokenizer_form::short_text ? in.string<std::uint8_t>()
                                                                   : in.string<std::uint16_t>();
}

TESSERA_INLINE std::string_view tokenizer_instruction::second_string() const noexcept {
  detail::payload_reader in = fields();
  (void)in.string<std::uint16_t>();
  return in.string<std::uint16_t>();
}

}  // namespace nac
namespace nac::detail {

TESSERA_INLINE bool read_category(payload_reader& in, std::string_view& out, errc&) noexcept {
  out = in.string<std::uint8_t>();
  return !in.failed();
}

TESSERA_INLINE bool read_rule(payload_reader& in, partition_rule& out, errc& code) noexcept {
  out = {};
  out.flags = in.number<std::uint8_t>();
  if (out.flags > 7) return code = errc::nac_tisa_rule_flags, false;
  out.expression = in.string<std::uint16_t>();
  if ((out.flags & partition_rule::has_behaviour) != 0) out.behaviour = in.number<std::uint8_t>();
  if ((out.flags & partition_rule::has_trim) != 0) out.trim = in.string<std::uint8_t>();
  return !in.failed();
}

TESSERA_INLINE bool read_item(payload_reader& in, compose_item& out, errc& code) noexcept {
  out = {};
  const auto fixed = in.number<std::uint8_t>();
  const std::uint8_t number = fixed == 1 ? in.number<std::uint8_t>() : std::uint8_t{0};
  if (fixed > 1 || number > 1) return code = errc::nac_tisa_item_kind, false;
  if (fixed == 1 && number == 1) {
    out.kind = compose_item::id;
    out.number = in.number<std::int32_t>();
  } else if (fixed == 1) {
    out.kind = compose_item::token;
    out.token_text = in.string<std::uint8_t>();
  }
  return !in.failed();
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE manifest_reader::manifest_reader(bytes manifest) noexcept : in_(manifest) {
  if (in_.size() < 5 || as_text(in_.subspan(0, 4)) != "TISA")
    error_ = {errc::nac_tisa_magic, 0};
  else
    at_ = 5;
}

TESSERA_INLINE bool manifest_reader::next(tokenizer_instruction& out) noexcept {
  if (error_.code != errc::ok || at_ == in_.size()) return false;
  if (in_.size() - at_ < 5) return fail(at_ + 1);
  const auto size = load_le<std::uint32_t>(in_.data() + at_ + 1);
  if (in_.size() - at_ - 5 < size) return fail(at_ + 1);
  const auto opcode = load_le<std::uint8_t>(in_.data() + at_);
  out = {at_, opcode, tokenizer_row(opcode), in_.subspan(at_ + 5, size)};
  at_ += 5 + std::size_t{size};
  return true;
}

TESSERA_INLINE bool manifest_reader::fail(std::size_t offset) noexcept {
  error_ = {errc::nac_tisa_truncated, offset};
  return false;
}

TESSERA_INLINE error verify_manifest(bytes manifest, std::uint64_t offset, report* found) {
  detail::findings all(found, 1000);
  detail::check_manifest(manifest, offset, all);
  return all.first_error();
}

TESSERA_INLINE manifest_writer::manifest_writer(std::uint8_t version) {
  out_.append(as_bytes("TISA").data(), 4);
  number(version);
}

TESSERA_INLINE void manifest_writer::replace(std::string_view pattern, std::string_view value) {
  const std::size_t at = begin(tokenizer_op::replace);
  string<std::uint16_t>(pattern);
  string<std::uint16_t>(value);
  end(at);
}

TESSERA_INLINE void manifest_writer::filter_category(tessera::view<std::string_view> categories) {
  const std::size_t at = begin(tokenizer_op::filter_category);
  count<std::uint8_t>(categories.size());
  for (const std::string_view c : categories) string<std::uint8_t>(c);
  end(at);
}

TESSERA_INLINE void manifest_writer::partition_rules(tessera::view<partition_rule> rules) {
  const std::size_t at = begin(tokenizer_op::partition_rules);
  count<std::uint16_t>(rules.size());
  for (const partition_rule& r : rules) {
    if (r.flags > 7) fail(errc::nac_tisa_rule_flags);
    number(r.flags);
    string<std::uint16_t>(r.expression);
    if ((r.flags & partition_rule::has_behaviour) != 0) number(r.behaviour);
    if ((r.flags & partition_rule::has_trim) != 0) string<std::uint8_t>(r.trim);
  }
  end(at);
}

TESSERA_INLINE void manifest_writer::compose(tessera::view<compose_item> items) {
  const std::size_t at = begin(tokenizer_op::compose);
  count<std::uint8_t>(items.size());
  for (const compose_item& c : items) {
    number(static_cast<std::uint8_t>(c.kind == compose_item::ids ? 0 : 1));
    if (c.kind == compose_item::ids) continue;
    number(static_cast<std::uint8_t>(c.kind == compose_item::id ? 1 : 0));
    if (c.kind == compose_item::id)
      number(c.number);
    else
      string<std::uint8_t>(c.token_text);
  }
  end(at);
}

TESSERA_INLINE void manifest_writer::raw(std::uint8_t opcode, bytes payload) {
  const std::size_t at = begin(static_cast<tokenizer_op>(opcode));
  out_.append(payload.data(), payload.size());
  end(at);
}

TESSERA_INLINE std::size_t manifest_writer::begin(tokenizer_op op) {
  number(static_cast<std::uint8_t>(op));
  number(std::uint32_t{0});
  return out_.size();
}

TESSERA_INLINE void manifest_writer::end(std::size_t payload) {
  const std::uint64_t size = out_.size() - payload;
  if (size > 0xffffffff) fail(errc::nac_tisa_string);
  store_le(out_.data() + payload - 4, static_cast<std::uint32_t>(size));
  ++count_;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TOKENIZER_HPP

// ---- tessera/nac/detail/tokenizer_text.hpp
//
// The bodies of nac/tokenizer.hpp.

#ifndef TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP
#define TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct manifest_printer {
  text& out;

  void string(std::string_view separator, std::string_view s) const {
    out << separator;
    print_string(out, s);
  }
  void rules(const tokenizer_instruction& i) const {
    rule_reader in(i);
    for (partition_rule r; in.next(r);) {
      string("\n    rule ", r.expression);
      if ((r.flags & partition_rule::protects) != 0) out << " protected";
      if ((r.flags & partition_rule::has_behaviour) != 0) {
        if (r.behaviour == partition_rule::remove)
          out << " remove";
        else if (r.behaviour == partition_rule::isolate)
          out << " isolate";
        else
          out << " behaviour " << r.behaviour;
      }
      if ((r.flags & partition_rule::has_trim) != 0) string(" trim ", r.trim);
    }
  }
  void items(const tokenizer_instruction& i) const {
    item_reader in(i);
    std::string_view separator = " ";
    for (compose_item c; in.next(c); separator = ", ") {
      if (c.kind == compose_item::token)
        string(separator, c.token_text);
      else if (c.kind == compose_item::id)
        out << separator << c.number;
      else
        out << separator << "ids";
    }
  }
  void instruction(const tokenizer_instruction& i) const {
    out << "  ";
    if (i.row == nullptr || check_form(i).code != errc::ok) {
      out << "op " << i.opcode;
      if (!i.payload.empty()) print_bytes(out << ' ', i.payload);
      out << '\n';
      return;
    }
    out << i.row->name;
    switch (i.row->form) {
      case tokenizer_form::none: break;
      case tokenizer_form::short_text:
        if (!i.payload.empty()) string(" ", i.first_string());
        break;
      case tokenizer_form::long_text: string(" ", i.first_string()); break;
      case tokenizer_form::long_texts:
        string(" ", i.first_string());
        string(", ", i.second_string());
        break;
      case tokenizer_form::categories: {
        category_reader in(i);
        std::string_view separator = " ";
        for (std::string_view c; in.next(c); separator = ", ") string(separator, c);
        break;
      }
      case tokenizer_form::rules: rules(i); break;
      case tokenizer_form::items: items(i); break;
    }
    out << '\n';
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE void print_manifest(text& out, bytes manifest) {
  manifest_reader in(manifest);
  if (in.offset() != 0) out << "  version " << in.version() << '\n';
  for (tokenizer_instruction i; in.next(i);) detail::manifest_printer{out}.instruction(i);
  detail::print_byte_lines(out, manifest.subspan(to_size(in.offset())), "  ");
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TOKENIZER_TEXT_HPP

// ---- tessera/nac/detail/print_code.hpp
//
// NAC assembly: how instructions are printed.
//
//   v0 = input  ; "x"
//   v1 = parameter 1  ; "fc.weight" f16 [2, 3]
//   v2 = nac.add(v0, 1.5)
//   v3 = nac.view(v2, #7)  ; [1, 6]
//   v4 = output(v3)
//
//   vN           the result of instruction N; @-3: an offset that leads to no instruction
//   1.5 "cpu"    the constant of the least id with this value; any other, and a long one: #ID
//   nac.add      the operation of the least id with this name; any other: op ID
//   nac.add:3    the signature's id, where the arguments' own codes aren't those of the signature
//                of the least id: T for a result, c b i f s S for constants by their types
//   raw          A B c [words] d [words]: what has no other form
//
// Lifetime:   borrows the file.
// Errors:     none.
// Limits:     none.
// Allocation: tables of ids, at most 16 × the sections that name them; the schedule's beside the
//             code, at most 20 × that.

#ifndef TESSERA_NAC_DETAIL_PRINT_CODE_HPP
#define TESSERA_NAC_DETAIL_PRINT_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


// ---- tessera/nac/detail/short_index.hpp
//
// Texts of CMAP and PERM by their ids, and ids by their texts.

#ifndef TESSERA_NAC_DETAIL_SHORT_INDEX_HPP
#define TESSERA_NAC_DETAIL_SHORT_INDEX_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Texts of CMAP or PERM by their ids, and the least id of a text.
class short_index {
 public:
  short_index() noexcept = default;
  /// The last record of an id counts; ids above 255 name nothing.
  void set(std::uint16_t id, std::string_view text) noexcept;
  [[nodiscard]] bool has(std::uint32_t id) const noexcept { return id < 256 && present_[id]; }
  [[nodiscard]] std::string_view operator[](std::uint8_t id) const noexcept { return texts_[id]; }
  /// The least id whose text this is; 256 when there is none.
  [[nodiscard]] std::uint32_t find(std::string_view text) noexcept;

 private:
  static constexpr std::uint32_t slot_count = 1024;  // a quarter full at most
  static constexpr std::uint16_t empty = 0xffff;
  [[nodiscard]] static std::uint32_t hash(std::string_view text) noexcept;
  void rebuild() noexcept;
  std::string_view texts_[256];
  std::uint16_t slots_[slot_count] = {};
  bool present_[256] = {};
  bool stale_ = true;
};

inline void short_index::set(std::uint16_t id, std::string_view text) noexcept {
  if (id > 255) return;
  texts_[id] = text;
  present_[id] = true;
  stale_ = true;
}

inline std::uint32_t short_index::find(std::string_view text) noexcept {
  if (stale_) rebuild();
  for (std::uint32_t slot = hash(text);; slot = (slot + 1) % slot_count) {
    const std::uint16_t id = slots_[slot];
    if (id == empty) return 256;
    if (texts_[id] == text) return id;
  }
}

inline std::uint32_t short_index::hash(std::string_view text) noexcept {
  std::uint32_t h = 2166136261u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return (h ^ h >> 16) % slot_count;
}

inline void short_index::rebuild() noexcept {
  stale_ = false;
  for (std::uint16_t& slot : slots_) slot = empty;
  for (std::uint32_t id = 0; id < 256; ++id) {
    if (!present_[id]) continue;
    std::uint32_t slot = hash(texts_[id]);
    while (slots_[slot] != empty && texts_[slots_[slot]] != texts_[id])
      slot = (slot + 1) % slot_count;
    if (slots_[slot] == empty) slots_[slot] = static_cast<std::uint16_t>(id);
  }
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SHORT_INDEX_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// What two constants of equal values have in common.
struct constant_value {
  constant_type type = constant_type::null;
  bytes value;
};
[[nodiscard]] inline bool less(const constant_value& a, const constant_value& b) noexcept {
  if (a.type != b.type) return a.type < b.type;
  if (a.value.size() != b.value.size()) return a.value.size() < b.value.size();
  return !a.value.empty() && std::memcmp(a.value.data(), b.value.data(), a.value.size()) < 0;
}
[[nodiscard]] inline constant_value value_of(const constant& c) noexcept {
  static constexpr std::byte booleans[] = {std::byte{0}, std::byte{1}};
  switch (c.type) {
    case constant_type::null: break;
    case constant_type::boolean: return {c.type, bytes(booleans + (c.boolean() ? 1 : 0), 1)};
    case constant_type::int64:
    case constant_type::float64: return {c.type, bytes(c.payload, 8)};
    case constant_type::string: return {c.type, bytes(c.payload, c.length)};
    case constant_type::int32_list:
    case constant_type::float32_list: return {c.type, bytes(c.payload, std::size_t{4} * c.length)};
  }
  return {};
}

/// Records by their ids; the last of an id counts.
template <class Record>
class record_table {
 public:
  template <class List>
  explicit record_table(const List& records) {
    records_.reserve(records.size());
    for (const Record& r : records) {
      rows_.set(r.id, static_cast<std::uint32_t>(records_.size()));
      records_.push_back(r);
    }
  }
  [[nodiscard]] const Record* find(std::uint32_t id) const noexcept {
    return rows_[id] != no_index ? &records_[rows_[id]] : nullptr;
  }
  [[nodiscard]] std::uint32_t end() const noexcept { return rows_.end(); }

 private:
  id_table rows_;
  pool<Record> records_;
};

/// Whether a text is one word to the lexer.
[[nodiscard]] constexpr bool is_word(std::string_view s) noexcept {
  if (s.empty() || !starts_word(s[0])) return false;
  for (const char c : s)
    if (!is_in_word(c)) return false;
  return true;
}

inline void print_commands(text& out, const commands& all) {
  bool first = true;
  for (const command& c : all) {
    if (!first) out << ", ";
    first = false;
    if (name(c.what).empty())
      out << word_action << ' ' << static_cast<unsigned>(c.what);
    else
      out << name(c.what);
    out << ' ' << c.target;
  }
}

class code_printer {
 public:
  code_printer(text& out, const model& f, const print_options& options)
      : out_(out),
        model_(f),
        constants_(f.constants()),
        parameters_(f.parameters()),
        tensors_(f.tensors()),
        input_names_(f.input_names()) {
    for (std::uint32_t id = first_regular_op; id < 256; ++id) {
      const std::string_view n = f.operation_name(static_cast<std::uint8_t>(id));
      if (!n.empty()) operations_.set(static_cast<std::uint16_t>(id), n);
    }
    signatures_.set(0, {});
    for (const named& n : f.signatures()) signatures_.set(n.id, n.text);
    find_inline();
    if (options.schedule_beside) find_ticks();
  }

  void print(const instructions& all, bool is_training) {
    count_ = all.size();
    for (const instruction& i : all) {
      comment_.clear();
      out_ << "  v" << i.index << " = ";
      if (i.a >= first_regular_op)
        regular(i);
      else
        system(i, is_training);
      if (!is_training && i.index < ticks_.size()) {
        for (std::uint32_t t = ticks_[i.index]; t != 0; t = next_[t - 1]) {
          remark();
          print_commands(comment_, of_tick_[t - 1]);
        }
      }
      if (!comment_.empty()) out_ << "  ; " << comment_.view();
      out_ << '\n';
    }
  }

 private:
  /// Marks the constants that are printed by value instead of id: short ones, each with the least id of its value.
  void find_inline() {
    struct row {
      constant_value value;
      std::uint32_t id;
    };
    pool<row> rows;
    rows.reserve(constants_.end());
    for (std::uint32_t id = 0; id < constants_.end(); ++id)
      if (const constant* const c = constants_.find(id); c != nullptr && is_short(*c))
        rows.push_back({value_of(*c), id});
    tessera::sort(rows.data(), rows.size(),
                  [](const row& a, const row& b) { return less(a.value, b.value); });
    inline_.resize(constants_.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      inline_[rows[i].id] = i == 0 || less(rows[i - 1].value, rows[i].value);
  }
  void find_ticks() {
    for (const tick& t : model_.schedule()) of_tick_.push_back(t.commands);
    next_.resize(of_tick_.size());
    if (!of_tick_.empty()) ticks_.resize(65536);
    pool<std::uint32_t> last;
    last.resize(ticks_.size());
    std::uint32_t number = 0;
    for (const tick& t : model_.schedule()) {
      ++number;
      std::uint32_t& before = last[t.instruction];
      (before == 0 ? ticks_[t.instruction] : next_[before - 1]) = number;
      before = number;
    }
  }

  void remark() {
    if (!comment_.empty()) comment_ << "; ";
  }
  void index(std::uint32_t at, std::int16_t offset) {
    const std::int64_t target = std::int64_t{at} + offset;
    if (offset != 0 && target >= 0 && target < count_)
      out_ << 'v' << target;
    else
      out_ << '@' << offset;
  }
  void constant_argument(std::uint16_t id) {
    if (id < inline_.size() && inline_[id]) return print_constant(out_, *constants_.find(id));
    out_ << '#' << id;
    const constant* const c = constants_.find(id);
    if (c == nullptr || !is_short(*c)) return;
    remark();
    print_constant(comment_, *c);
  }
  void variant(std::uint8_t b) { out_ << ':' << b; }

  void regular(const instruction& i) {
    char derived[256];
    std::uint32_t constant = 0;
    const std::uint32_t size = i.d.size();  // at most 255
    for (std::uint32_t k = 0; k < size; ++k) {
      derived[k] = 'T';
      if (i.d[k] != 0) continue;
      const nac::constant* const c =
          constant < i.c.size() ? constants_.find(i.c[constant]) : nullptr;
      derived[k] = code_of(c == nullptr ? constant_type::null : c->type);
      ++constant;
    }
    if (constant != i.c.size()) return raw(i);
    operation(i.a);
    const std::string_view codes(derived, size);
    if (signatures_[i.b] != codes || signatures_.find(codes) != i.b) variant(i.b);
    out_ << '(';
    constant = 0;
    for (std::uint32_t k = 0; k < size; ++k) {
      if (k != 0) out_ << ", ";
      if (i.d[k] != 0)
        index(i.index, i.d[k]);
      else
        constant_argument(i.c[constant++]);
    }
    out_ << ')';
  }
  void operation(std::uint8_t a) {
    const std::string_view n = model_.operation_name(a);
    if (n.empty() || operations_.find(n) != a)
      out_ << "op " << a;
    else if (is_word(n) && instruction_word_of(n) == nullptr)
      out_ << n;
    else
      print_string(out_, n);
  }

  void system(const instruction& i, bool is_training) {
    const instruction_word* const w = instruction_word_of(i.a, i.b);
    if (w == nullptr || (i.a == op_convergence && !is_plain_convergence(i))) return raw(i);
    out_ << w->word;
    switch (w->what) {
      case operands::name:
        if (const named* const n = input_names_.find(i.index); !is_training && n != nullptr)
          named_comment(n->text);
        break;
      case operands::parameter:
        out_ << ' ' << i.c[0];
        parameter_comment(i.c[0]);
        break;
      case operands::number: out_ << ' ' << i.c[0]; break;
      case operands::constant: out_ << ' ', constant_argument(i.c[0]); break;
      case operands::saved:
        out_ << ' ';
        if (i.c[0] < model_.instructions().size()) out_ << 'v';
        out_ << i.c[0];
        break;
      case operands::values: {
        indices(i);
        bool plain = true;
        for (std::uint32_t k = 0; k < i.c.size(); ++k) plain = plain && i.c[k] == 0;
        if (plain) break;
        out_ << ' ' << word_filler << ' ';
        print_integers(out_, i.c);
        break;
      }
      case operands::step:
        out_ << ' ' << i.c[0];
        indices(i);
        parameter_comment(i.c[0]);
        break;
      case operands::end:
        out_ << '(';
        if (i.d[0] != 0) index(i.index, i.d[0]);
        out_ << ')';
        break;
      case operands::branch:
        if (i.b != 0) variant(i.b);
        out_ << '(';
        index(i.index, i.d[0]);
        out_ << ", " << i.c[0] << ", " << i.c[1] << ')';
        break;
      case operands::convergence:
        if (i.b != 0) variant(i.b);
        out_ << '(';
        index(i.index, static_cast<std::int16_t>(i.c[0]));
        for (std::uint32_t k = 0; k < i.d.size() && i.d.size() > 1; ++k) {
          if (k == 1) continue;  // their number
          out_ << ", ";
          index(i.index, i.d[k]);
        }
        out_ << ')';
        break;
      case operands::raw:               // unreachable: no instruction's own
      case operands::operation: break;  // unreachable: nor this
    }
  }
  [[nodiscard]] static bool is_plain_convergence(const instruction& i) noexcept {
    return i.c.size() == 1 &&
           (i.d.size() == 1 ||
            static_cast<std::uint32_t>(static_cast<std::uint16_t>(i.d[1])) == i.d.size() - 2);
  }
  void indices(const instruction& i) {
    out_ << '(';
    for (std::uint32_t k = 0; k < i.d.size(); ++k) {
      if (k != 0) out_ << ", ";
      index(i.index, i.d[k]);
    }
    out_ << ')';
  }
  void raw(const instruction& i) {
    out_ << "raw " << i.a << ' ' << i.b;
    if (!i.c.empty()) {
      out_ << ' ' << word_c << ' ';
      print_integers(out_, i.c);
    }
    if (!i.d.empty()) {
      out_ << ' ' << word_d << ' ';
      print_integers(out_, i.d);
    }
  }

  void named_comment(std::string_view n) {
    if (n.size() > 2 * short_text) return;
    remark();
    print_string(comment_, n);
  }
  void parameter_comment(std::uint16_t id) {
    if (const named* const n = parameters_.find(id); n != nullptr) named_comment(n->text);
    const tensor* const t = tensors_.find(id);
    if (t == nullptr || t->value_shape().size() > short_list) return;
    comment_ << (comment_.empty() ? "" : " ") << name(t->type) << ' ';
    print_integers(comment_, t->value_shape());
  }

  text& out_;
  const model& model_;
  text comment_;
  std::uint32_t count_ = 0;
  short_index operations_, signatures_;
  record_table<constant> constants_;
  record_table<named> parameters_;
  record_table<tensor> tensors_;
  record_table<named> input_names_;
  pool<bool> inline_;
  pool<std::uint32_t> ticks_, next_;  // from 1: the first of an instruction, and the next of one
  pool<commands> of_tick_;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_CODE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE void print_string(text& out, std::string_view s) {
  out << '"';
  for (std::size_t i = 0; i < s.size();) {
    std::size_t plain = i;
    while (plain < s.size() && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' &&
           s[plain] != '\\')
      ++plain;
    if (plain != i) {
      out << s.substr(i, plain - i);
      i = plain;
      continue;
    }
    const auto byte = static_cast<unsigned char>(s[i]);
    const unsigned unsafe = unsafe_length(s.data() + i, s.data() + s.size());
    if (byte == '"' || byte == '\\') {
      out << '\\' << s[i++];
    } else if (byte == '\n') {
      out << "\\n", ++i;
    } else if (byte == '\t') {
      out << "\\t", ++i;
    } else if (byte == '\r') {
      out << "\\r", ++i;
    } else if (unsafe != 0) {
      for (unsigned k = 0; k < unsafe; ++k, ++i) {
        const auto b = static_cast<unsigned char>(s[i]);
        out << "\\x"
            << "0123456789abcdef"[b >> 4] << "0123456789abcdef"[b & 15];
      }
    } else {
      const unsigned length = utf8_length(s.data() + i, s.data() + s.size());
      out << s.substr(i, length);
      i += length;
    }
  }
  out << '"';
}

TESSERA_INLINE std::string_view system_word(std::uint8_t a, std::uint8_t b) noexcept {
  const assembly::instruction_word* const w = assembly::instruction_word_of(a, b);
  return w == nullptr ? std::string_view() : w->word;
}

}  // namespace nac
namespace nac::detail {

/// `offset` is that of the bytes in the file, `expected` the size that the text implies.
inline void print_payload(text& out, bytes data, std::uint64_t offset, std::uint64_t expected,
                          const print_options& options) {
  const bool by_reference = !options.source_name.empty() &&
                            (options.payload == print_options::by_reference ||
                             (options.payload == print_options::automatic && data.size() > 64));
  if (by_reference) {
    out << word_file << ' ';
    print_string(out, options.source_name);
    unsigned digits = 1;
    while (digits < 16 && offset >> (4 * digits) != 0) ++digits;
    out << ' ';
    print_hex(out, offset, digits);
    out << ' ' << data.size();
    return;
  }
  out << word_hex << ' ';
  if (data.size() != expected) out << data.size() << ' ';
  out << '{';
  const std::size_t a_line = 32;
  for (std::size_t i = 0; i < data.size(); i += 4) {
    if (data.size() > a_line && i % a_line == 0)
      out << "\n    ";
    else
      out << ' ';
    char* to = out.prepare(8);
    std::size_t count = 0;
    for (std::size_t k = i; k < data.size() && k < i + 4; ++k, count += 2) {
      const auto b = static_cast<unsigned char>(data[k]);
      *to++ = "0123456789abcdef"[b >> 4];
      *to++ = "0123456789abcdef"[b & 15];
    }
    out.advance(count);
  }
  out << (data.size() > a_line ? "\n  }" : data.empty() ? "}" : " }");
}

class printer {
 public:
  printer(text& out, const model& f, const print_options& options) noexcept
      : out_(out), model_(f), options_(options) {}

  void print() {
    header();
    names(text_section::operations, model_.operations(), false);
    names(text_section::signatures, model_.signatures(), false);
    section(text_section::constants);
    constants(model_.constants());
    names(text_section::parameters, model_.parameters(), true);
    names(text_section::input_names, model_.input_names(), true);
    tensors();
    {
      code_printer code(out_, model_, options_);
      section(text_section::code);
      code.print(model_.instructions(), false);
      if (!model_.schedule().empty()) schedule();
      if (model_.has(nac::section::trng)) {
        section(text_section::training);
        code.print(model_.training(), true);
      }
    }
    arrays();
    resources();
    if (!model_.plan_constants().empty()) {
      section(text_section::plan_constants);
      constants(model_.plan_constants());
    }
    if (!model_.execution_plan().empty()) {
      section(text_section::plan);
      print_execution_plan(out_, model_.execution_plan(), model_.plan_constants());
      out_ << word_end << '\n';
    }
    if (model_.has(nac::section::proc)) {
      section(text_section::tokenizer);
      print_manifest(out_, model_.manifest());
      out_ << word_end << '\n';
    }
  }

 private:
  void section(text_section s) { out_ << section_words[static_cast<std::size_t>(s)] << ":\n"; }
  text& line(key k) { return out_ << key_words[static_cast<std::size_t>(k)] << ' '; }

  void header() {
    line(key::nac) << name(model_.header()) << '\n';
    line(key::quantization) << name(model_.quantization()) << '\n';
    line(key::weights) << weights_words[model_.has_internal_weights() ? 1 : 0] << '\n';
    line(key::inputs) << model_.inputs() << '\n';
    line(key::outputs) << model_.outputs() << '\n';
    line(key::d_model) << model_.d_model() << '\n';
    if (model_.has_training_flag() != (model_.version() == 2 && model_.has(nac::section::trng)))
      line(key::training_flag) << boolean_words[model_.has_training_flag() ? 1 : 0] << '\n';
    layout();
  }
  /// Where it isn't what a new container of the version has.
  void layout() {
    const nac::layout how = layout_of(model_);
    const self_count rules[] = {how.inputs, how.outputs, how.branches};
    constexpr std::uint8_t operations[] = {op_input, op_output, op_control_flow};
    bool usual = true, none = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const bool itself = counts_itself(rules[i], operations[i], model_.header());
      none = none && !itself;
      usual = usual && itself == counts_itself({}, operations[i], model_.header());
    }
    if (!usual) {
      out_ << key_words[static_cast<std::size_t>(key::self_counting)];
      if (none) out_ << ' ' << word_none;
      for (std::size_t i = 0; i < 3; ++i)
        if (counts_itself(rules[i], operations[i], model_.header()))
          out_ << ' ' << counting_words[i];
      out_ << '\n';
    }
    if (how.order.empty()) return;
    out_ << key_words[static_cast<std::size_t>(key::order)];
    for (const nac::section s : how.order) out_ << ' ' << tag_word(s);
    out_ << '\n';
  }

  template <class Names>
  void names(text_section s, const Names& all, bool always) {
    if (all.empty() && !always) return;
    section(s);
    for (const named& n : all) {
      out_ << "  " << n.id << " = ";
      print_string(out_, n.text);
      out_ << '\n';
    }
  }
  void constants(const nac::constants& all) {
    for (const constant& c : all) {
      out_ << "  " << c.id << " = ";
      print_constant(out_, c);
      out_ << '\n';
    }
  }
  void tensors() {
    if (model_.tensors().empty()) return;
    section(text_section::tensors);
    for (const tensor& t : model_.tensors()) {
      out_ << "  " << t.id << " = ";
      print_tensor_type(out_, t);
      out_ << ' ';
      print_payload(out_, t.data, t.data_offset, shape_bytes(t.type, t.shape), options_);
      out_ << '\n';
    }
  }
  void schedule() {
    section(text_section::schedule);
    for (const tick& t : model_.schedule()) {
      out_ << "  " << t.instruction << (t.commands.empty() ? ":" : ": ");
      print_commands(out_, t.commands);
      out_ << '\n';
    }
  }
  void arrays() {
    if (model_.arrays().empty()) return;
    section(text_section::arrays);
    for (const array& a : model_.arrays()) {
      out_ << "  ";
      print_string(out_, a.name);
      out_ << " = " << name(a.type) << ' ';
      print_integers(out_, a.shape);
      out_ << ' ';
      print_payload(out_, a.data, a.data_offset, shape_bytes(a.type, a.shape), options_);
      out_ << '\n';
    }
  }
  void resources() {
    if (!model_.has(nac::section::rsrc)) return;
    section(text_section::resources);
    for (const resource& r : model_.resources()) {
      out_ << "  ";
      print_string(out_, r.name);
      out_ << " = ";
      print_payload(out_, r.data, r.data_offset, r.data.size(), options_);
      out_ << '\n';
    }
  }
  text& out_;
  const model& model_;
  const print_options& options_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE text print(const model& f, const print_options& options) {
  text out;
  detail::printer(out, f, options).print();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PRINT_HPP

// ---- tessera/nac/detail/read.hpp
//
// The bodies of nac/read.hpp.

#ifndef TESSERA_NAC_DETAIL_READ_HPP
#define TESSERA_NAC_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/lengths.hpp
//
// How long instructions are, and a walk over many of them.
//
// An instruction's length depends on its operation, its signature and often on a word inside it, so
// instructions can only be found one after another, and this chain of loads takes most of the time.
// Therefore a table has the parts of the length for each kind of instruction, loops have no
// data-dependent branch, and several chains run at once.
//
//   length = fixed + 2 × (count & mask)          count: the word after A and B
//
// Kinds with another length have an impossible one in the table. They, negative counts and the last
// instructions are left to parse_instruction: by their lengths they end after all that is readable.
//
// Where the other chains of a walk begin is guessed: from any word on, what is decoded falls into step
// with the instructions soon, as most words of D can't begin one. A chain counts when the one before
// it has come to its beginning; else its part is walked over again.

#ifndef TESSERA_NAC_DETAIL_LENGTHS_HPP
#define TESSERA_NAC_DETAIL_LENGTHS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nac {

/// Where a walk is: the bytes from the first instruction on, plus 2^32 for each argument of them, so
/// that one addition goes on to the next instruction.
using position = std::uint64_t;
[[nodiscard]] constexpr position position_of(std::uint64_t offset,
                                             std::uint32_t arguments) noexcept {
  return offset | position{arguments} << 32;
}
[[nodiscard]] constexpr std::uint32_t offset_of(position at) noexcept {
  return static_cast<std::uint32_t>(at);
}
[[nodiscard]] constexpr std::uint32_t arguments_before(position at) noexcept {
  return static_cast<std::uint32_t>(at >> 32);
}

/// What the length of each kind of instruction is made of.
class length_table {
 public:
  struct row {
    position fixed = unusual;     ///< of an instruction without constants
    std::uint32_t mask = 0;       ///< count_mask where the word after A and B counts constants
    std::uint32_t arguments = 0;  ///< times 2^16
  };
  /// Of a count with its sign: a negative one makes the length impossible.
  static constexpr std::uint32_t count_mask = 0x3fff'ffff;
  /// What can be looked at at once. Impossible lengths, and those by a negative count, are more.
  static constexpr std::uint32_t max_bytes = 0x7ffe'0000, unusual = 0x8000'0000;
  /// Bytes that must be readable after an instruction.
  static constexpr std::uint32_t slack = 32;

  explicit length_table(const model& f) noexcept {
    for (std::size_t a = 0; a < 256; ++a)
      by_operation_[a] = a < first_regular_op ? rows_[0] : rows_[3];
    by_operation_[op_input] = rows_[1];
    by_operation_[op_output] = rows_[2];
    by_operation_[op_control_flow] = by_operation_[op_convergence] = rows_[4];
    for (std::uint32_t b = 0; b < 256; ++b) {
      const auto id = static_cast<std::uint8_t>(b);
      set(rows_[0][b], 2, 0);
      if (b != 0 && !f.has_signature(id)) continue;
      set(rows_[3][b], (f.has_constants(id) ? 4u : 2u) + 2u * f.arguments(id), f.arguments(id));
      rows_[3][b].mask = f.has_constants(id) ? count_mask : 0;
    }
    set(rows_[1][0], 2, 0);
    for (std::uint32_t b = 1; b < (f.version() == 1 ? 4u : 6u); ++b) set(rows_[1][b], 6, 1);
    for (std::uint32_t b = 0; b < 3; ++b) set(rows_[2][b], 4u + 4u * f.outputs(), f.outputs());
    if (f.version() != 1) set(rows_[2][static_cast<std::size_t>(output::step)], 10, 3);
  }
  length_table(const length_table&) = delete;
  length_table& operator=(const length_table&) = delete;

  /// The row of the instruction at `at`.
  [[nodiscard]] const row& operator[](const std::byte* at) const noexcept {
    return by_operation_[load_le<std::uint8_t>(at)][load_le<std::uint8_t>(at + 1)];
  }

 private:
  static void set(row& r, std::uint32_t bytes, std::uint32_t arguments) noexcept {
    r = {position_of(bytes, arguments), 0, arguments << 16};
  }
  const row* by_operation_[256];
  row rows_[5][256];  // of operations with nothing, INPUT, OUTPUT, from 10 on, and unusual ones
};

/// How many constants the instruction at `at` gives.
[[nodiscard, gnu::always_inline]] inline std::uint32_t constants_of(const length_table::row& row,
                                                                    const std::byte* at) noexcept {
  const std::int32_t count = load_le<std::int16_t>(at + 2);
  return static_cast<std::uint32_t>(count) & row.mask;
}
/// The position after the instruction at `at`; its offset is not below readable_end where the
/// instruction is unusual or has no slack after it.
[[nodiscard, gnu::always_inline]] inline position next_position(const length_table::row& row,
                                                                const std::byte* at,
                                                                position now) noexcept {
  return now + (row.fixed + 2 * position{constants_of(row, at)});
}
[[nodiscard, gnu::always_inline]] inline position next_position(const length_table& table,
                                                                const std::byte* start,
                                                                position now) noexcept {
  const std::byte* const at = start + offset_of(now);
  return next_position(table[at], at, now);
}
/// The offsets of instructions that can be looked at by a table are below this.
[[nodiscard]] inline std::uint32_t readable_end(const detail::cursor& first) noexcept {
  const std::uint64_t left = first.left();
  const std::uint32_t bytes =
      left < length_table::max_bytes ? static_cast<std::uint32_t>(left) : length_table::max_bytes;
  return bytes < length_table::slack ? 0 : bytes - length_table::slack + 1;
}

namespace detail {

/// Instructions from which on making a length_table takes less time than it saves.
inline constexpr std::uint32_t worth_a_table = 160;

/// How far a list was gone through: `index` is the number of instructions before `at`.
struct walked {
  position at;
  std::uint32_t index;
};

/// Goes through the instructions of a list by their lengths.
class walker {
 public:
  /// `count` instructions of `f` from `first` on. Notes where some of them are.
  walker(const model& f, const cursor& first, std::uint32_t count, waypoints& noted) noexcept
      : table_(f), start_(first.data()), end_(readable_end(first)), count_(count), noted_(noted) {}

  /// Goes on to the end of the list, or to an instruction that the table doesn't have.
  void run(walked& now) noexcept {
    // After such an instruction one chain: others would be in vain where they are often.
    if (now.index != 0) {
      const std::uint32_t last = count_ - now.index < few ? count_ : now.index + few;
      run_alone(end_, last, now);
      if (now.index != last) return;
    }
    for (std::uint32_t part; now.index != count_ && (part = part_of(offset_of(now.at))) != 0;)
      if (!run_together(part, now)) return;
    run_alone(end_, count_, now);
  }

 private:
  static constexpr std::uint32_t few = 64;
  static constexpr std::size_t chains = 8;
  // How many instructions a chain is decoded from a guess on, and the length that they may have.
  static constexpr std::uint32_t guesses = 8, guess_length = 64;
  // Bytes of each chain. Multiples of 4096 would all be in the same few lines of a cache.
  static constexpr std::uint32_t least_part = 600, max_part = 16'000;
  // So guesses are in the order of their parts, and in the last one, which is shorter.
  static_assert((guesses + 1) * guess_length + 2 * chains < least_part);

  /// Bytes for each chain, an even number as of each instruction; 0: there is too little left. The
  /// last one's are less at the end of the list.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t offset) const noexcept {
    const std::uint32_t left = offset < end_ ? end_ - offset : 0;
    if (left < chains * least_part) return 0;
    const std::uint32_t most = chains * max_part, parts = chains * ((left - 1) / most + 1);
    return (left + 2 * parts - 1) / (2 * parts) * 2;
  }

  /// The offset from which on the next place is noted; `end_` when all are.
  [[nodiscard]] std::uint32_t next_noted() const noexcept {
    return static_cast<std::uint32_t>(std::uint64_t{end_} * (noted_.count + 1) /
                                      (waypoints::max_count + 1));
  }
  void note(const walked& now) noexcept {
    if (now.index == count_) return;  // none begins there
    while (noted_.count < waypoints::max_count && offset_of(now.at) >= next_noted())
      noted_.all[noted_.count++] = {offset_of(now.at), now.index, arguments_before(now.at)};
  }

  /// Goes on to `stop` or beyond, at most to index `last`.
  void run_alone(std::uint32_t stop, std::uint32_t last, walked& now) noexcept {
    for (;;) {
      note(now);
      const std::uint32_t next = next_noted() < stop ? next_noted() : stop;
      while (now.index != last && offset_of(now.at) < next) {
        const position at = next_position(table_, start_, now.at);
        if (offset_of(at) >= end_) return;
        now = {at, now.index + 1};
      }
      if (now.index == last || offset_of(now.at) >= stop) return;
    }
  }

  /// Sets where instructions probably begin, each at the end of one of the parts or after it.
  void guess(std::uint32_t part, std::uint32_t (&starts)[chains + 1]) const noexcept {
    for (std::uint32_t k = 1; k <= chains; ++k) starts[k] = starts[0] + k * part;
    if (starts[chains] > end_ - guess_length) starts[chains] = end_ - guess_length;
    for (std::uint32_t n = 0; n < guesses; ++n)
      for (std::size_t k = 1; k < chains; ++k) {
        const std::uint32_t next = offset_of(next_position(table_, start_, starts[k]));
        starts[k] = next <= starts[k] + guess_length ? next : starts[k] + 2;
      }
  }

  /// Goes on with all chains until one has come to the beginning of the next. Returns by how many
  /// instructions.
  template <std::size_t... K>
  [[nodiscard]] std::uint32_t run_chains(position (&at)[chains],
                                         const std::uint32_t (&starts)[chains + 1],
                                         std::index_sequence<K...>) const noexcept {
    position now[chains] = {at[K]...};
    std::uint32_t count = 0;
    do {
      ((now[K] = next_position(table_, start_, now[K])), ...);
      ++count;
    } while (((offset_of(now[K]) < starts[K + 1]) && ...));
    ((at[K] = now[K]), ...);
    return count;
  }

  /// Goes on by a part for each chain, or as far as chains meet. False: to an instruction that the
  /// table doesn't have, or to the end of the list.
  [[nodiscard]] bool run_together(std::uint32_t part, walked& now) noexcept {
    std::uint32_t starts[chains + 1] = {offset_of(now.at)};
    guess(part, starts);
    position at[chains];
    for (std::size_t k = 0; k < chains; ++k) at[k] = starts[k];
    const std::uint32_t count = run_chains(at, starts, std::make_index_sequence<chains>());
    for (std::size_t k = 0; k < chains; ++k) {
      // Else again, one at a time: it may have come to an impossible length, or to more instructions
      // than the list has.
      if (offset_of(at[k]) < starts[k + 1] + guess_length && count <= count_ - now.index)
        now = {now.at + (at[k] - starts[k]), now.index + count};
      run_alone(starts[k + 1], count_, now);
      if (offset_of(now.at) < starts[k + 1]) return false;
      note(now);
      if (offset_of(now.at) != starts[k + 1]) return true;
    }
    return true;
  }

  const length_table table_;
  const std::byte* start_;
  std::uint32_t end_, count_;
  waypoints& noted_;
};

/// Takes `count` instructions from `in`, which are as parse_instruction wants them, or the first one
/// that isn't. Notes places in lists that are worth it.
[[nodiscard]] inline error skip_instructions(const model& f, cursor& in, std::uint32_t count,
                                             waypoints& noted) noexcept {
  instruction i;
  std::uint32_t index = 0;
  if (count >= worth_a_table) {
    const cursor first = in;
    walker walk(f, first, count, noted);
    for (walked now{0, 0};;) {
      walk.run(now);
      in = first;
      (void)in.take_bytes(offset_of(now.at));
      index = now.index;
      if (index == count || offset_of(now.at) >= readable_end(first)) break;
      if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
      const std::uint64_t offset = in.offset() - first.offset();
      if (++index == count || offset >= readable_end(first)) break;
      now = {position_of(offset, arguments_before(now.at) + argument_count(i)), index};
    }
  }
  for (; index != count; ++index)
    if (const error e = parse_instruction(f, in, i); e.code != errc::ok) return e;
  return {};
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_LENGTHS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Reads into a file, section by section. The header needs no more than the first bytes, the size of
/// all, and the tags where sections start.
struct maker {
  using tag_reader = bool (*)(const void* context, std::uint64_t offset, std::byte* tag);

  model& out;
  const limits& limit;
  bytes head;  ///< the first 100 bytes, or all
  std::uint64_t file_size;
  const void* context = nullptr;
  tag_reader read_tag = nullptr;  ///< four bytes, which are inside; null: they are in the file

  [[nodiscard]] model::extent& part(section s) const noexcept {
    return out.parts_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] std::uint64_t slot(std::uint32_t i) const noexcept {
    return load_le<std::uint64_t>(head.data() + first_slot + 8 * i);
  }

  /// The section whose tag is at an offset, most likely `guess`; section_count for another tag.
  [[nodiscard]] std::size_t tag_at(std::uint64_t offset, section guess) const noexcept {
    std::byte read[4];
    if (read_tag != nullptr && !read_tag(context, offset, read)) return section_count;
    const auto tag =
        load_le<std::uint32_t>(read_tag == nullptr ? out.source_.data() + offset : read);
    const auto is = [tag](std::size_t i) {
      return load_le<std::uint32_t>(section_tags[i].data()) == tag;
    };
    if (is(static_cast<std::size_t>(guess))) return static_cast<std::size_t>(guess);
    std::size_t i = 0;
    while (i < section_count && !is(i)) ++i;
    return i;
  }
  [[nodiscard]] bool fits(std::uint64_t offset) const noexcept {
    return offset <= file_size && file_size - offset >= 4;
  }

  [[nodiscard]] error header() noexcept {
    for (std::size_t i = 0; i < 3; ++i)
      if (i >= file_size || head[i] != static_cast<std::byte>("NAC"[i]))
        return {file_size > i ? errc::nac_magic : errc::nac_header_truncated, i};
    if (file_size < 4) return {errc::nac_header_truncated, file_size};
    const auto version = load_le<std::uint8_t>(head.data() + 3);
    if (version != 1 && version != 2) return {errc::nac_version, 3};
    if (file_size < header_sizes[0]) return {errc::nac_header_truncated, file_size};

    std::uint64_t first = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < header_slots[0]; ++i)
      if (slot(i) != 0 && slot(i) < first) first = slot(i);
    if (version == 1) {
      if (first == 90) return {errc::nac_header_90, first_slot};
      out.header_ = nac::header::v1_6;
    } else {
      out.header_ = is_v1_7(first) ? nac::header::v1_7 : nac::header::v1_8;
    }
    const auto form = static_cast<std::size_t>(out.header_);
    if (file_size < header_sizes[form]) return {errc::nac_header_truncated, file_size};

    const auto flags = load_le<std::uint8_t>(head.data() + 4);
    out.internal_weights_ = (flags & 0x80u) != 0;
    out.training_flag_ = version == 2 && (flags & 0x40u) != 0;
    const auto method = static_cast<std::uint8_t>(flags & (version == 1 ? 0x7fu : 0x3fu));
    if (method >= quantization_count) return {errc::nac_quantization, 4};
    out.quantization_ = static_cast<nac::quantization>(method);
    out.inputs_ = load_le<std::uint16_t>(head.data() + 5);
    out.outputs_ = load_le<std::uint16_t>(head.data() + 7);
    out.d_model_ = load_le<std::uint16_t>(head.data() + 10);
    return sections(header_sizes[form], header_slots[form]);
  }

  /// Whether a header of version 2 has 10 slots: `first` is the least of slots 0 to 8.
  [[nodiscard]] bool is_v1_7(std::uint64_t first) const noexcept {
    const std::uint64_t ninth = file_size >= 92 ? slot(9) : 0;
    if (ninth != 0 && ninth < first) first = ninth;
    if (first < header_sizes[2]) return first >= header_sizes[1];
    if (first == header_sizes[2] || file_size < header_sizes[2]) return false;
    // A gap after the header: the last slot of the larger one holds a section's offset, or none.
    const std::uint64_t last = slot(10);
    return last != 0 &&
           !(last >= header_sizes[2] && fits(last) && tag_at(last, section::arrs) < section_count);
  }

  [[nodiscard]] error sections(std::uint32_t header_size, std::uint32_t count) noexcept {
    struct place {
      std::uint64_t offset;
      std::size_t section;
    } places[11];  // by offset, which is the order that files mostly have
    std::size_t n = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t offset = slot(i);
      if (offset == 0) continue;
      const std::uint64_t where = first_slot + 8 * i;
      if (offset < header_size || !fits(offset)) return {errc::nac_section_offset, where};
      const std::size_t s = tag_at(offset, section_of_slot(out.header_, i));
      if (s != section_count) {
        if (out.parts_[s].offset != 0) return {errc::nac_section_repeated, where};
        out.parts_[s].offset = offset;
      }
      std::size_t at = n++;
      for (; at != 0 && places[at - 1].offset > offset; --at) places[at] = places[at - 1];
      places[at] = {offset, s};
    }
    std::uint64_t end = file_size;
    while (n-- != 0) {
      const std::uint64_t offset = places[n].offset;
      if (places[n].section != section_count) {
        if (end - offset < 4) return {errc::nac_section_offset, offset};
        model::extent& e = out.parts_[places[n].section];
        e.end = end;
        e.first = e.used = offset + 4;
      }
      end = offset;
    }
    return {};
  }

  /// A u32 that counts records of `least` bytes or more.
  [[nodiscard]] error count(cursor& in, std::uint64_t least, std::uint32_t& n) const noexcept {
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    n = load_le<std::uint32_t>(in.data());
    if (n > limit.max_items) return in.fail(errc::too_many_items);
    if (n * least > in.left() - 4) return in.fail(errc::nac_count);
    (void)in.take<std::uint32_t>();
    return {};
  }

  template <class Form, class Each>
  [[nodiscard]] error records(cursor& in, std::uint32_t n, list<Form>& found, Each&& each) {
    found = {in, n};
    for (typename Form::record r; n != 0; --n) {
      if (const error e = Form::parse(in, r); e.code != errc::ok) return e;
      each(r);
    }
    return {};
  }
  template <class Form, class Each>
  [[nodiscard]] error counted(cursor& in, list<Form>& found, Each&& each) {
    std::uint32_t n = 0;
    if (const error e = count(in, Form::least, n); e.code != errc::ok) return e;
    return records(in, n, found, each);
  }
  template <class Form>
  [[nodiscard]] error counted(cursor& in, list<Form>& found) {
    return counted(in, found, [](const auto&) {});
  }
  /// A section that is one list.
  template <class Form, class Each>
  [[nodiscard]] error one_list(section s, Each&& each) {
    if (!out.has(s)) return {};
    cursor in = out.at(s);
    list<Form> found;
    const error e = counted(in, found, each);
    part(s).first = found.offset();
    part(s).count = found.size();
    part(s).used = in.offset();
    return e;
  }
  template <class Form>
  [[nodiscard]] error one_list(section s) {
    return one_list<Form>(s, [](const auto&) {});
  }

  [[nodiscard]] error names(section s, model::short_texts& texts) {
    const error e = one_list<short_named>(s, [&](const named& n) {
      if (n.id > 255) return;  // which no instruction can name
      texts.offset[n.id] = static_cast<std::uint32_t>(n.offset + 3 - part(s).offset);
      texts.size[n.id] = static_cast<std::uint8_t>(n.text.size());
      texts.has_constants[n.id] = takes_constants(n.text);
    });
    if (e.code != errc::ok || part(s).used - part(s).offset <= UINT32_MAX) return e;
    // The offsets above have 32 bits.
    return {errc::too_many_items, part(s).offset + 4};  // unreachable: below 4 GiB of names
  }

  [[nodiscard]] error code(section s) noexcept {
    if (!out.has(s)) return {};
    cursor in = out.at(s);
    std::uint32_t n = 0;
    if (const error e = count(in, 2, n); e.code != errc::ok) return e;
    part(s).first = in.offset();
    part(s).count = n;
    waypoints& noted = out.waypoints_[s == section::ops ? 0 : 1];
    if (const error e = skip_instructions(out, in, n, noted); e.code != errc::ok) return e;
    part(s).used = in.offset();
    return {};
  }

  [[nodiscard]] error data() {
    if (!out.has(section::data)) return {};
    cursor in = out.at(section::data);
    long_names parameters;
    error e = counted(in, parameters);
    if (e.code == errc::ok) e = counted(in, out.input_names_);
    if (e.code == errc::ok && out.internal_weights_) e = counted(in, out.tensors_);
    part(section::data).first = parameters.offset();
    part(section::data).count = parameters.size();
    part(section::data).used = in.offset();
    return e;
  }

  [[nodiscard]] error tokenizer() noexcept {
    if (!out.has(section::proc)) return {};
    cursor in = out.at(section::proc);
    if (!in.has(4)) return in.fail(errc::nac_truncated);
    const auto size = load_le<std::uint32_t>(in.data());
    if (size > in.left() - 4) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint32_t>();
    out.manifest_ = in.take_bytes(size);
    part(section::proc).used = in.offset();
    return {};
  }

  [[nodiscard]] error orchestrator() {
    if (!out.has(section::orch)) return {};
    cursor in = out.at(section::orch);
    if (!in.has(8)) return in.fail(errc::nac_truncated);
    const auto size = load_le<std::uint32_t>(in.data());
    const auto n = load_le<std::uint32_t>(in.data() + 4);
    if (size > in.left() - 8) return in.fail(errc::nac_truncated);
    (void)in.take<std::uint32_t>();
    if (n > limit.max_items) return in.fail(errc::too_many_items);
    if (n * constant_form::least > in.left() - 4 - size) return in.fail(errc::nac_count);
    (void)in.take<std::uint32_t>();
    out.plan_ = in.take_bytes(size);
    const error e = records(in, n, out.plan_constants_, [](const auto&) {});
    part(section::orch).used = in.offset();
    return e;
  }

  [[nodiscard]] error all() {
    error e = header();
    if (e.code == errc::ok) e = names(section::perm, out.signatures_);
    if (e.code == errc::ok) e = names(section::cmap, out.operations_);
    if (e.code == errc::ok) e = one_list<constant_form>(section::cnst);
    if (e.code == errc::ok) e = one_list<tick_form>(section::mmap);
    if (e.code == errc::ok) e = code(section::ops);
    if (e.code == errc::ok) e = data();
    if (e.code == errc::ok) e = tokenizer();
    if (e.code == errc::ok) e = orchestrator();
    if (e.code == errc::ok) e = code(section::trng);
    if (e.code == errc::ok) e = one_list<resource_form>(section::rsrc);
    if (e.code == errc::ok) e = one_list<array_form>(section::arrs);
    return e;
  }

  static error make(bytes in, const limits& limit, model& out) {
    out.source_ = in;
    if (in.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    return maker{out, limit, in.first(in.size() < 100 ? in.size() : 100), in.size()}.all();
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<model> read(bytes in, const read_options& options) {
  result<model> out{model()};
  if (const error e = detail::maker::make(in, options.limit, *out); e.code != errc::ok) out = e;
  return out;  // the one object: a file isn't copied here
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI


// ---- tessera/nac/detail/place_finder.hpp
//
// What an offset of a NAC container is in, for describe(error, bytes): the container is read again, up to
// there. The words are those of the findings of verify (places.hpp).
//
// Lifetime:   for the time of a call.
// Errors:     none: nothing is said of what can't be decoded.
// Limits:     those of places.hpp.
// Allocation: the text's.

#ifndef TESSERA_NAC_DETAIL_PLACE_FINDER_HPP
#define TESSERA_NAC_DETAIL_PLACE_FINDER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/places.hpp
//
// What the elements of a NAC container are called, in reports and by describe(error, bytes).
//
//   instruction 12 (aten.linear.default), argument 2      training instruction 0 (INPUT), id
//   parameter 7 "fc1.weight"       constant 5 (id 9)      tick 4 (instruction 9), command 2
//   tensor 3, data size            array 0 "mean", size   plan instruction 3 (flow_branch_if)
//   header, offset of OPS          OPS, instruction 3     CNST, number of constants
//
// All numbers count from 0. The section is named where reading stops in it.
//
// Lifetime:   for the time of a call.
// Errors:     none.
// Limits:     64 bytes of a name are shown.
// Allocation: the text's.

#ifndef TESSERA_NAC_DETAIL_PLACES_HPP
#define TESSERA_NAC_DETAIL_PLACES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

// `Out` is a text, or the writer of a finding.

[[nodiscard]] constexpr std::string_view system_operation_name(std::uint8_t a) noexcept {
  return a == op_input          ? "INPUT"
         : a == op_output       ? "OUTPUT"
         : a == op_control_flow ? "CONTROL_FLOW"
         : a == op_convergence  ? "CONVERGENCE"
                                : "";
}

/// "aten.add.Tensor", "INPUT", or "operation 77" where it has no name.
template <class Out>
[[gnu::cold]] void put_operation(Out& to, const model& f, std::uint8_t a) {
  const std::string_view name =
      a < first_regular_op ? system_operation_name(a) : f.operation_name(a);
  if (name.empty())
    to << "operation " << unsigned{a};
  else
    to << name;
}
template <class Out>
[[gnu::cold]] void put_instruction(Out& to, const model& f, std::uint32_t index, std::uint8_t a,
                                   bool training) {
  to << (training ? "training instruction " : "instruction ") << index << " (";
  put_operation(to, f, a);
  to << ')';
}

/// Which argument the k-th constant of a regular instruction is.
[[nodiscard]] inline std::size_t argument_of_constant(const instruction& i,
                                                      std::size_t k) noexcept {
  for (std::size_t at = 0; at < i.d.size(); ++at)
    if (i.d[at] == 0 && k-- == 0) return at;
  return i.d.size();
}
/// The part of an instruction that an offset is in.
template <class Out>
[[gnu::cold]] void put_instruction_part(Out& to, const instruction& i, std::uint64_t offset) {
  const bool regular = i.a >= first_regular_op;
  if (offset <= i.offset) return;
  if (offset == i.offset + 1) {
    to << (regular ? ", signature" : i.a == op_convergence ? ", threshold" : ", variant");
  } else if (offset < i.c_offset(0)) {
    to << ", prefix";
  } else if (offset < i.d_offset(0)) {
    const std::uint64_t k = (offset - i.c_offset(0)) / 2;
    if (regular) {
      const std::size_t argument = argument_of_constant(i, to_size(k));
      if (argument < i.d.size()) to << ", argument " << argument;
    } else if (i.a == op_control_flow) {
      to << (k == 0 ? ", length of the true branch" : ", length of the false branch");
    } else if (i.a == op_convergence) {
      to << ", input";
    } else if (i.a == op_input || i.b == static_cast<std::uint8_t>(output::step)) {
      to << ", id";
    }
  } else {
    const std::uint64_t k = (offset - i.d_offset(0)) / 2;
    if (i.a == op_control_flow)
      to << ", predicate";
    else if (i.a != op_convergence)
      to << (i.a == op_output ? ", output " : ", argument ") << k;
    else if (k < 2)
      to << (k == 0 ? ", end" : ", number of branches");
    else
      to << ", branch " << k - 2;
  }
}
template <class Out>
[[gnu::cold]] void put_instruction(Out& to, const model& f, const instruction& i,
                                   std::uint64_t offset, bool training) {
  put_instruction(to, f, i.index, i.a, training);
  put_instruction_part(to, i, offset);
}

/// "parameter 7 \"fc1.weight\"".
template <class Out>
[[gnu::cold]] void put_named(Out& to, std::string_view kind, std::uint32_t index,
                             std::string_view name) {
  constexpr std::size_t max_shown = 64;
  to << kind << ' ' << index;
  if (name.empty()) return;
  to << " \"" << name.substr(0, max_shown) << (name.size() > max_shown ? "...\"" : "\"");
}
template <class Out>
[[gnu::cold]] void put_constant(Out& to, std::string_view kind, std::uint32_t index,
                                const constant& c) {
  to << kind << ' ' << index << " (id " << c.id << ')';
}
template <class Out>
[[gnu::cold]] void put_tick(Out& to, std::uint32_t index, const tick& t, std::uint64_t offset) {
  to << "tick " << index << " (instruction " << t.instruction << ')';
  if (offset >= t.offset + 3) to << ", command " << (offset - t.offset - 3) / 3;
}
template <class Out>
[[gnu::cold]] void put_tensor(Out& to, std::uint32_t index, const tensor& t, std::uint64_t offset) {
  to << "tensor " << index;
  const std::uint64_t at = offset - t.offset, quantization = 16 + 4 * std::uint64_t{t.shape.size()};
  if (at < 2) return;
  to << (at < 6                        ? ", metadata size"
         : at < 14                     ? ", data size"
         : at == 14                    ? ", data type"
         : at < quantization           ? ", shape"
         : at < 14 + t.metadata.size() ? ", quantization"
                                       : ", data");
}
template <class Out>
[[gnu::cold]] void put_array(Out& to, std::uint32_t index, const array& a, std::uint64_t offset) {
  put_named(to, "array", index, a.name);
  if (offset == a.data_offset - 8) to << ", size";
}
/// "OPS", without the blank that fills the tag.
[[nodiscard]] constexpr std::string_view section_name(section s) noexcept {
  const std::string_view all = tag(s);
  return all.substr(0, all.find(' '));
}
template <class Out>
[[gnu::cold]] void put_slack(Out& to, section s) {
  to << section_name(s) << ", after the last record";
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PLACES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Reads a container again, as far as an offset in it.
struct place_finder {
  text& to;
  const model& f;  ///< as far as it could be read
  std::uint64_t offset;

  [[nodiscard]] cursor records_of(section s) const noexcept {
    const model::extent& e = f.part(s);
    return {f.source_.data(), e.offset + 4, e.end};
  }

  /// Takes how many records follow; false: the offset is in that number, or there is none.
  [[nodiscard, gnu::cold]] bool count(cursor& in, std::string_view plural, std::uint32_t& n) {
    if (!in.has(4) || offset < in.offset() + 4) {
      to << "number of " << plural;
      return false;
    }
    n = in.take<std::uint32_t>();
    return true;
  }
  /// Looks through `n` records; `put(index, record)` gets that of the offset, and null for one that
  /// can't be read. Whether it was there.
  template <class Form, class Put>
  [[nodiscard, gnu::cold]] bool find(cursor& in, std::uint32_t n, Put&& put) {
    for (std::uint32_t index = 0; index != n; ++index) {
      typename Form::record r{};
      if (Form::parse(in, r).code != errc::ok) return put(index, nullptr), true;
      if (offset < in.offset()) return put(index, &r), true;
    }
    return false;
  }
  template <class Form, class Put>
  [[nodiscard, gnu::cold]] bool find(cursor& in, std::string_view plural, Put&& put) {
    std::uint32_t n = 0;
    return !count(in, plural, n) || find<Form>(in, n, put);
  }
  /// Records with names.
  template <class Form>
  [[nodiscard, gnu::cold]] bool find_named(cursor& in, std::string_view kind,
                                           std::string_view plural) {
    return find<Form>(in, plural, [&](std::uint32_t index, const named* r) {
      put_named(to, kind, index, r != nullptr ? r->text : std::string_view());
    });
  }
  [[nodiscard, gnu::cold]] bool find_constant(cursor& in, std::uint32_t n, std::string_view kind) {
    return find<constant_form>(in, n, [&](std::uint32_t index, const constant* c) {
      if (c != nullptr)
        put_constant(to, kind, index, *c);
      else
        to << kind << ' ' << index;
    });
  }

  [[nodiscard, gnu::cold]] bool in_code(section s) {
    cursor in = records_of(s);
    std::uint32_t n = 0;
    if (!count(in, "instructions", n)) return true;
    const bool training = s == section::trng;
    for (instruction i; i.index != n; ++i.index) {
      const std::uint64_t start = in.offset();
      const bool has_name = in.has(2);
      if (parse_instruction(f, in, i).code == errc::ok) {
        if (offset >= in.offset()) continue;
        put_instruction(to, f, i, offset, training);
      } else if (has_name) {
        put_instruction(to, f, i.index, i.a, training);
        if (offset == start + 1) put_instruction_part(to, i, offset);
      } else {
        to << (training ? "training instruction " : "instruction ") << i.index;
      }
      return true;
    }
    return false;
  }
  [[nodiscard, gnu::cold]] bool in_data() {
    cursor in = records_of(section::data);
    return find_named<long_named>(in, "parameter", "parameters") ||
           find_named<long_named>(in, "input name", "input names") ||
           (f.has_internal_weights() &&
            find<tensor_form>(in, "tensors", [&](std::uint32_t index, const tensor* t) {
              if (t != nullptr)
                put_tensor(to, index, *t, offset);
              else
                to << "tensor " << index;
            }));
  }
  [[nodiscard, gnu::cold]] bool in_manifest() {
    cursor in = records_of(section::proc);
    const auto size = in.has(4) ? in.take<std::uint32_t>() : std::uint32_t{0};
    if (!in.has(size) || offset < in.offset()) {
      to << "size of the manifest";
      return true;
    }
    const std::uint64_t at = offset - in.offset();
    manifest_reader manifest(in.take_bytes(size));
    if (at > size) return false;
    std::uint32_t index = 0;
    tokenizer_instruction i;
    for (; manifest.next(i); ++index)
      if (at < manifest.offset() || (at == size && at == manifest.offset())) {
        put_tokenizer_instruction(to, index, i);
        return true;
      }
    if (manifest.error().code == errc::nac_tisa_magic)
      to << "start of the manifest";
    else
      to << "tokenizer instruction " << index;
    return true;
  }
  [[nodiscard, gnu::cold]] bool in_plan() {
    cursor in = records_of(section::orch);
    if (!in.has(8) || offset < in.offset() + 8) {
      to << (offset < in.offset() + 4 ? "size of the execution plan" : "number of its constants");
      return true;
    }
    const auto size = in.take<std::uint32_t>(), constants = in.take<std::uint32_t>();
    if (!in.has(size)) return false;
    const std::uint64_t at = offset - in.offset();
    plan_reader code(in.take_bytes(size));
    if (at > size || (at == size && size == 0))
      return find_constant(in, constants, "plan constant");
    std::uint32_t index = 0;
    plan_instruction i;
    for (; code.next(i); ++index)
      if (at < code.offset()) {
        put_plan_instruction(to, index, i, at);
        return true;
      }
    if (code.error().code == errc::ok) return find_constant(in, constants, "plan constant");
    to << "plan instruction " << index;
    return true;
  }

  [[nodiscard, gnu::cold]] bool in_section(section s) {
    cursor in = records_of(s);
    switch (s) {
      case section::mmap:
        return find<tick_form>(in, "ticks", [&](std::uint32_t index, const tick* t) {
          if (t != nullptr)
            put_tick(to, index, *t, offset);
          else
            to << "tick " << index;
        });
      case section::ops:
      case section::trng: return in_code(s);
      case section::cmap: return find_named<short_named>(in, "operation", "operations");
      case section::perm: return find_named<short_named>(in, "signature", "signatures");
      case section::cnst: {
        std::uint32_t n = 0;
        return !count(in, "constants", n) || find_constant(in, n, "constant");
      }
      case section::data: return in_data();
      case section::proc: return in_manifest();
      case section::orch: return in_plan();
      case section::rsrc:
        return find<resource_form>(in, "resources", [&](std::uint32_t index, const resource* r) {
          put_named(to, "resource", index, r != nullptr ? r->name : std::string_view());
        });
      case section::arrs:
        return find<array_form>(in, "arrays", [&](std::uint32_t index, const array* a) {
          if (a != nullptr)
            put_array(to, index, *a, offset);
          else
            to << "array " << index;
        });
    }
    return false;  // unreachable: all sections are above
  }

  [[gnu::cold]] void in_header() {
    const std::uint64_t slot = offset < first_slot ? 0 : (offset - first_slot) / 8;
    to << "header, ";
    if (offset < 3)
      to << "magic";
    else if (offset < 4)
      to << "version";
    else if (offset < 5)
      to << "flags";
    else if (offset < 7)
      to << "number of inputs";
    else if (offset < 9)
      to << "number of outputs";
    else if (offset == 9)
      to << "reserved byte";
    else if (offset < first_slot)
      to << "d_model";
    else if (slot < header_slots[static_cast<std::size_t>(f.header())])
      to << "offset of "
         << section_name(section_of_slot(f.header(), static_cast<std::uint32_t>(slot)));
    else
      to << "reserved bytes";
  }

  /// `why` is the error at the offset, `read` what reading ends with.
  [[gnu::cold]] void append(errc why, const error& read) {
    if (why == errc::nac_no_instructions && offset == 0) return;  // no section
    if (offset < header_sizes[static_cast<std::size_t>(f.header())]) return in_header();
    const bool is_tag = why == errc::nac_no_instructions || why == errc::nac_output_missing ||
                        why == errc::nac_training_version || why == errc::nac_section_offset;
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      const model::extent& e = f.part(s);
      if (e.offset == 0) continue;
      if (is_tag ? offset != e.offset : offset <= e.offset || offset > e.end) continue;
      if (is_tag || offset < e.offset + 4) {
        to << section_name(s);
      } else {
        if (read.code != errc::ok) to << section_name(s) << ", ";
        if (why == errc::nac_slack || !in_section(s)) put_slack(to, s);
      }
      return;
    }
  }
};

/// Appends what an offset of a container is in; nothing where that isn't known.
[[gnu::cold]] inline void append_place(text& to, const error& e, const std::byte* source,
                                       std::size_t size) {
  const auto code = static_cast<unsigned>(e.code);
  const bool is_of_container = code < 3400;  // rather than of assembly, weights or a run
  if (!is_of_container || e.offset > size || size < 3 || as_text(bytes(source, 3)) != "NAC") return;
  model f;
  limits any;
  any.max_bytes = ~std::uint64_t{0};
  any.max_items = ~std::uint64_t{0};
  const error read = maker::make(bytes(source, size), any, f);
  text found;
  place_finder{found, f, e.offset}.append(e.code, read);
  append_shown(to, found);
}

// The second store into NAC's table, always after that of errors.hpp, which is before it in every
// file that has both.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const auto& known_places = tessera::detail::table_of(3).append_place =
    append_place;
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PLACE_FINDER_HPP

#endif  // TESSERA_NAC_DETAIL_READ_HPP

// ---- tessera/nac/detail/decode.hpp
//
// Finds where each instruction is.
//
// `read` notes an instruction in each eighth, so that several chains run at once (lengths.hpp).

#ifndef TESSERA_NAC_DETAIL_DECODE_HPP
#define TESSERA_NAC_DETAIL_DECODE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nac {

[[gnu::always_inline]] inline void write_step(step* to, position at, std::uint32_t ab,
                                              const length_table::row& row) noexcept {
  if constexpr (std::endian::native == std::endian::little) {  // in two stores or one
    const std::uint64_t halves[2] = {offset_of(at) | std::uint64_t{ab | row.arguments} << 32,
                                     arguments_before(at)};
    std::memcpy(static_cast<void*>(to), halves, sizeof halves);
  } else {  // unreachable: on little-endian hosts
    *to = {offset_of(at),
           static_cast<std::uint8_t>(ab),
           static_cast<std::uint8_t>(ab >> 8),
           static_cast<std::uint16_t>(row.arguments >> 16),
           arguments_before(at),
           0,
           0};
  }
}

namespace detail {

/// Writes the step of the instruction at a position; `start` is the first instruction. Returns the
/// position after it, which is not below readable_end when the table doesn't have the instruction.
[[nodiscard, gnu::always_inline]] inline position decode_next(const length_table& table,
                                                              const std::byte* start, position now,
                                                              step* to) noexcept {
  const std::byte* const at = start + offset_of(now);
  const length_table::row& row = table[at];
  write_step(to, now, load_le<std::uint16_t>(at), row);
  return next_position(row, at, now);
}

/// Decodes from several places on at once, so that each chain waits while others don't: `count`
/// instructions of each, or less. Then the last step of a chain is of an instruction that the table
/// doesn't have, and its position is not below `end`. Returns how many steps of each were written.
template <std::size_t... K>
[[nodiscard]] std::uint32_t decode_together(const length_table& table, const std::byte* start,
                                            std::uint32_t end, step* const (&to)[sizeof...(K)],
                                            std::uint32_t count, position (&at)[sizeof...(K)],
                                            std::index_sequence<K...>) noexcept {
  position now[] = {at[K]...};
  std::uint32_t n = 0;
  do {
    ((now[K] = decode_next(table, start, now[K], to[K] + n)), ...);
    ++n;
  } while (n != count && ((offset_of(now[K]) < end) && ...));
  ((at[K] = now[K]), ...);
  return n;
}

/// A part of a list: from a place that `read` noted up to the next one.
struct decode_part {
  walked now = {0, 0};
  std::uint32_t stop = 0;
  bool again = true;  ///< another chain has decoded it: the same steps are written again

  [[nodiscard]] std::uint32_t left() const noexcept { return stop - now.index; }
};

/// All parts of a list, which chains take one after another.
class decode_parts {
 public:
  decode_parts(const instructions& list, std::uint32_t end) noexcept {
    const waypoints& noted = list.waypoints();
    walked from{0, 0};
    for (std::uint32_t k = 0; k < noted.count && noted.all[k].offset < end; ++k) {
      const waypoint& to = noted.all[k];
      add({from, to.index, false});
      from = {position_of(to.offset, to.arguments), to.index};
    }
    add({from, list.size(), false});
  }
  /// The next part; of none, the longest one again.
  [[nodiscard]] decode_part take() noexcept { return taken_ != count_ ? all_[taken_++] : longest_; }

 private:
  void add(const decode_part& p) noexcept {
    if (p.left() == 0) return;
    all_[count_++] = p;
    if (p.left() <= longest_.left()) return;
    longest_ = p;
    longest_.again = true;
  }
  decode_part all_[waypoints::max_count + 1], longest_;
  std::size_t count_ = 0, taken_ = 0;
};

/// Decodes a list.
class list_decoder {
 public:
  /// `to` has room for all steps.
  list_decoder(const model& f, const instructions& list, step* to) noexcept
      : model_(f),
        list_(list),
        start_(list.cursor().data()),
        end_(readable_end(list.cursor())),
        to_(to),
        table_(f) {}

  [[nodiscard]] error run() noexcept {
    decode_parts parts(list_, end_);
    decode_part now[chains];
    for (std::size_t k = 0; k < chains; ++k) now[k] = parts.take();
    const auto left = [&now] {
      std::size_t count = 0;
      for (const decode_part& p : now) count += p.again ? 0u : 1u;
      return count;
    };
    while (left() > 1) {
      if (const error e = together(now); e.code != errc::ok) return e;
      for (decode_part& p : now)
        if (p.left() == 0) p = parts.take();
    }
    for (decode_part& p : now)
      while (!p.again && p.left() != 0)
        if (const error e = alone(p); e.code != errc::ok) return e;
    return {};
  }

 private:
#ifdef __clang__
  static constexpr std::size_t chains = 4;  // of eight, it keeps most in memory
#else
  static constexpr std::size_t chains = 8;
#endif

  /// Decodes one instruction of any kind.
  [[nodiscard]] error any(walked& now) const noexcept {
    cursor at = list_.cursor();
    (void)at.take_bytes(offset_of(now.at));
    instruction i;
    if (const error e = parse_instruction(model_, at, i); e.code != errc::ok) return e;
    const std::uint32_t first = arguments_before(now.at), count = argument_count(i);
    to_[now.index++] = {
        offset_of(now.at), i.a, i.b, static_cast<std::uint16_t>(count), first, 0, 0};
    const std::uint64_t next = at.offset() - list_.offset();
    if (next > 0xffff'ffff && now.index != list_.size())
      return {errc::input_too_large, at.offset()};  // unreachable: below 4 GiB of instructions
    now.at = position_of(next & 0xffff'ffff, first + count);
    return {};
  }

  /// Goes on with all chains until one is at its end or past an instruction that isn't in the table.
  [[nodiscard]] error together(decode_part (&now)[chains]) const noexcept {
    position at[chains];
    step* to[chains];
    std::uint32_t count = list_.size();
    for (std::size_t k = 0; k < chains; ++k) {
      at[k] = now[k].now.at;
      to[k] = to_ + now[k].now.index;
      count = now[k].left() < count ? now[k].left() : count;
    }
    count =
        decode_together(table_, start_, end_, to, count, at, std::make_index_sequence<chains>());
    for (std::size_t k = 0; k < chains; ++k) {
      walked& p = now[k].now;
      p = {at[k], p.index + count};
      if (offset_of(p.at) < end_) continue;
      const step& last = to_[--p.index];
      p.at = position_of(last.offset, last.first);
      do {
        if (const error e = any(p); e.code != errc::ok) return e;
      } while (now[k].left() != 0 && offset_of(p.at) >= end_);
    }
    return {};
  }

  /// Goes on with one part to its end, or past an instruction that isn't in the table.
  [[nodiscard]] error alone(decode_part& p) const noexcept {
    while (p.left() != 0 && offset_of(p.now.at) < end_) {
      const position next = decode_next(table_, start_, p.now.at, to_ + p.now.index);
      if (offset_of(next) >= end_) break;
      p.now = {next, p.now.index + 1};
    }
    return p.left() == 0 ? error{} : any(p.now);
  }

  const model& model_;
  const instructions& list_;
  const std::byte* start_;
  std::uint32_t end_;
  step* to_;
  const length_table table_;
};

/// Whether indices and offsets of a list fit into steps.
[[nodiscard]] inline error fits_steps(const instructions& list, const limits& limit) noexcept {
  const bool fits = list.size() <= limit.max_items && list.size() <= max_index;
  return fits ? error{} : error{errc::too_many_items, list.offset()};
}

}  // namespace detail

TESSERA_INLINE result<pool<step>> decode(const model& f, const instructions& list,
                                         const decode_options& options) {
  if (const error e = detail::fits_steps(list, options.limit); e.code != errc::ok) return e;
  pool<step> steps;
  detail::list_decoder decoder(f, list, steps.prepare(list.size()));
  if (const error e = decoder.run(); e.code != errc::ok) return e;
  steps.advance(list.size());
  return steps;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_DECODE_HPP

// ---- tessera/nac/detail/program.hpp
//
// The bodies of nac/verify.hpp.

#ifndef TESSERA_NAC_DETAIL_PROGRAM_HPP
#define TESSERA_NAC_DETAIL_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct verifier;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE binding program::binding_of(const step& s) const noexcept {
  argument_form forms[256];
  binding b;
  if (s.a >= first_regular_op) (void)bind(pattern(operation_of(s)), forms_of(s, forms), b);
  return b;
}

TESSERA_INLINE bool program::has_constant(std::uint16_t id) const noexcept {
  return constant_of_[id] != detail::no_index;
}

TESSERA_INLINE bool program::has_parameter(std::uint16_t id) const noexcept {
  return parameter_of_[id] != detail::no_index;
}

TESSERA_INLINE view<argument_form> program::forms_of(const step& s,
                                                     argument_form* out) const noexcept {
  const view<argument> arguments = code_.arguments_of(s);
  for (std::size_t k = 0; k < arguments.size(); ++k) out[k] = form(arguments[k]);
  return {out, arguments.size()};
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_PROGRAM_HPP

// ---- tessera/nac/detail/resolve.hpp
//
// The bodies of nac/verify.hpp: one plain path, and two that look at several arguments at a time, after
// all instructions were decoded: so none waits for the length of the one before.

#ifndef TESSERA_NAC_DETAIL_RESOLVE_HPP
#define TESSERA_NAC_DETAIL_RESOLVE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>


#if defined(__x86_64__) && defined(__clang__)
#if __clang_major__ < 20 || __has_builtin(__builtin_ia32_pshufb128)  // 19 says no without -mssse3
#define TESSERA_HAS_NAC_AVX2_PATH 1
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define TESSERA_HAS_NAC_AVX2_PATH 1
#endif
#ifdef TESSERA_HAS_NAC_AVX2_PATH
#define TESSERA_NAC_AVX2 [[gnu::target("avx2,bmi,bmi2,popcnt")]]
#define TESSERA_NAC_AVX2_INLINE [[gnu::always_inline, gnu::target("avx2,bmi,bmi2,popcnt")]] inline
#endif

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

[[nodiscard]] inline id_set constant_ids(const model& f) noexcept {
  id_set ids;
  for (const constant& c : f.constants()) ids.insert(c.id);
  return ids;
}

/// Resolves one instruction after another.
class argument_resolver {
 public:
  argument_resolver(const id_set& constants, std::uint64_t start, std::uint32_t count,
                    code& out) noexcept
      : constants_(constants), start_(start), count_(count), out_(out) {}

  [[nodiscard]] error take(const instruction& i) {
    if (i.offset - start_ > ~std::uint32_t{0}) return {errc::input_too_large, i.offset};
    step s;
    s.offset = static_cast<std::uint32_t>(i.offset - start_);
    s.a = i.a;
    s.b = i.b;
    s.first = static_cast<std::uint32_t>(out_.arguments.size());
    const error e = arguments(i);
    s.arguments = static_cast<std::uint16_t>(out_.arguments.size() - s.first);
    out_.steps.push_back(s);
    return e;
  }

 private:
  [[nodiscard]] static std::uint64_t prefix_offset(const instruction& i) noexcept {
    return i.offset + 2;
  }

  void push(std::uint32_t bits) { out_.arguments.push_back({bits}); }
  void push_id(std::uint32_t id) { push(argument::constant_bit | id); }

  /// The result of the instruction `d` further on; `d` is below 0.
  [[nodiscard]] error push_result(const instruction& i, std::int32_t d, std::uint64_t where) {
    if (d == 0) return {errc::nac_reference_zero, where};
    const std::int64_t index = std::int64_t{i.index} + d;
    if (index < 0 || d > 0) return {errc::nac_reference, where};
    push(static_cast<std::uint32_t>(index));
    return {};
  }
  [[nodiscard]] error push_d(const instruction& i, std::size_t k) {
    return push_result(i, i.d[k], i.d_offset(k));
  }
  [[nodiscard]] error push_all_d(const instruction& i) {
    error e;
    for (std::size_t k = 0; k < i.d.size() && e.code == errc::ok; ++k) e = push_d(i, k);
    return e;
  }

  [[nodiscard]] error arguments(const instruction& i) {
    if (i.a >= first_regular_op) return regular(i);
    switch (i.a) {
      case op_input:
        if (i.b == 0) return {};
        if (i.b == static_cast<std::uint8_t>(input::lifted_constant) && !constants_.has(i.c[0]))
          return {errc::nac_constant_id, i.c_offset(0)};
        push_id(i.c[0]);
        return {};
      case op_output:
        if (i.b == static_cast<std::uint8_t>(output::step)) push_id(i.c[0]);
        if (i.b == static_cast<std::uint8_t>(output::end) && i.d[0] == 0) return {};
        return push_all_d(i);
      case op_control_flow: return control_flow(i);
      case op_convergence: return convergence(i);
      default: return {};
    }
  }

  [[nodiscard]] error regular(const instruction& i) {
    if (!i.has_prefix) return push_all_d(i);
    std::size_t zeros = 0;
    for (std::size_t k = 0; k < i.d.size(); ++k) zeros += i.d[k] == 0 ? 1u : 0u;
    if (zeros != i.c.size()) return {errc::nac_constant_count, prefix_offset(i)};
    std::size_t taken = 0;
    for (std::size_t k = 0; k < i.d.size(); ++k) {
      if (i.d[k] != 0) {
        if (const error e = push_d(i, k); e.code != errc::ok) return e;
        continue;
      }
      if (!constants_.has(i.c[taken])) return {errc::nac_constant_id, i.c_offset(taken)};
      push_id(i.c[taken++]);
    }
    return {};
  }

  [[nodiscard]] error control_flow(const instruction& i) {
    if (const error e = push_d(i, 0); e.code != errc::ok) return e;
    std::uint32_t left = count_ - i.index - 1;
    for (std::size_t k = 0; k < 2; ++k) {
      if (i.c[k] > 0x7fff || i.c[k] > left) return {errc::nac_branch_length, i.c_offset(k)};
      left -= i.c[k];
      push_id(i.c[k]);
    }
    return {};
  }

  [[nodiscard]] error convergence(const instruction& i) {
    if (i.prefix != 1) return {errc::nac_convergence_input, prefix_offset(i)};
    const auto from = static_cast<std::int16_t>(i.c[0]);
    if (const error e = push_result(i, from, i.c_offset(0)); e.code != errc::ok) return e;
    const std::int32_t end = i.d[0];
    if (end < 0 || static_cast<std::uint32_t>(end) > count_ - i.index)
      return {errc::nac_convergence_end, i.d_offset(0)};
    push(i.index + (end == 0 ? 1 : static_cast<std::uint32_t>(end)));
    if (end == 0) return {};
    if (i.d[1] < 1) return {errc::nac_convergence_count, i.d_offset(1)};
    std::int32_t before = 0;
    for (std::size_t k = 2; k < i.d.size(); ++k) {
      const std::int32_t first = i.d[k];
      if (first <= before || first >= end) return {errc::nac_convergence_branch, i.d_offset(k)};
      push(i.index + static_cast<std::uint32_t>(first));
      before = first;
    }
    return {};
  }

  const id_set& constants_;
  std::uint64_t start_;
  std::uint32_t count_;
  code& out_;
};

// Four words of D as one integer, the first one below: 0x8000 is the sign of each.
inline constexpr std::uint64_t signs = 0x8000'8000'8000'8000;
inline constexpr std::uint64_t signs_of[] = {0, 0x8000, 0x8000'8000, 0x8000'8000'8000, signs};

/// The indices of the zeros among four words, by their four bits. After the last one come places
/// that the next arguments are written to.
struct zeros {
  std::uint8_t place[4];
  std::uint8_t count;
};
inline constexpr zeros zeros_of[16] = {
    {{4, 4, 4, 4}, 0}, {{0, 4, 4, 4}, 1}, {{1, 4, 4, 4}, 1}, {{0, 1, 4, 4}, 2},
    {{2, 4, 4, 4}, 1}, {{0, 2, 4, 4}, 2}, {{1, 2, 4, 4}, 2}, {{0, 1, 2, 4}, 3},
    {{3, 4, 4, 4}, 1}, {{0, 3, 4, 4}, 2}, {{1, 3, 4, 4}, 2}, {{0, 1, 3, 4}, 3},
    {{2, 3, 4, 4}, 2}, {{0, 2, 3, 4}, 3}, {{1, 2, 3, 4}, 3}, {{0, 1, 2, 3}, 4},
};

/// Four arguments with one branch, which is rare. `d` and `c` are their words in D and C, `of` the
/// signs of those that are references, 0 for an id. Nonzero: something is wrong.
template <class Ids>
[[nodiscard, gnu::always_inline]] inline std::uint64_t resolve_four(
    std::uint64_t of, std::uint32_t id, const Ids& ids, std::uint32_t index, const std::byte* d,
    const std::byte* c, argument* to, std::uint32_t& taken) noexcept {
  const auto four = load_le<std::uint64_t>(d);
  const std::uint64_t rest = four & ~signs;
  const std::uint64_t nonzero = four | (rest + ~signs);
  // 0x8000 + D of a negative D, plus the index: the sign is set where that isn't before 0.
  const std::uint64_t reaches =
      std::uint64_t{index < 0x8000 ? index : 0x8000} * 0x0001'0001'0001'0001 + rest;
  std::uint64_t wrong = nonzero & ~(four & reaches) & of;
  to[0].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d));
  to[1].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 2));
  to[2].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 4));
  to[3].bits = index + static_cast<std::uint32_t>(load_le<std::int16_t>(d + 6));

  const std::uint64_t zero = ((~nonzero & of) >> 15) | id;
  const zeros& z = zeros_of[zero * 0x0001'0002'0004'0008 >> 48 & 15];
  const std::uint32_t count = z.count;
  const auto first = load_le<std::uint16_t>(c), second = load_le<std::uint16_t>(c + 2);
  to[z.place[0]].bits = argument::constant_bit | first;
  to[z.place[1]].bits = argument::constant_bit | second;
  wrong |= (ids.lacks(first) | ids.lacks(second) << 1) & ((1u << count) - 1) & (id - 1);
  if (count > 2) [[unlikely]]
    for (std::uint32_t k = 2; k < count; ++k) {
      const auto next = load_le<std::uint16_t>(c + 2 * k);
      to[z.place[k]].bits = argument::constant_bit | next;
      wrong |= ids.lacks(next);
    }
  taken += count;
  return wrong;
}

/// What arguments are resolved from, and to. Ids: const id_set&, or id_range where the constants' ids
/// are one.
template <class Ids>
struct resolve_parts {
  Ids ids;
  const std::byte* start;  ///< the first instruction
  const step* steps;       ///< of all instructions
  argument* arguments;     ///< with room for eight more
};

/// Whether each argument of an instruction, if any, is a reference or a constant, or all are ids of
/// anything but constants.
[[nodiscard, gnu::always_inline]] inline bool is_regular(const step& s) noexcept {
  constexpr std::uint32_t others = first_regular_op - op_output;
  return (s.a - std::uint32_t{op_output} >= others || s.arguments == 0) &&
         (s.a | s.b << 8) != (op_input | static_cast<int>(input::lifted_constant) << 8);
}
/// 1: its argument is the id of anything but a constant.
[[nodiscard, gnu::always_inline]] inline std::uint32_t id_of(const step& s) noexcept {
  return s.arguments & ((std::uint32_t{s.a} ^ op_input) - 1) >> 31;  // without a branch
}
/// How many words C has: they are from offset `c`, which is after a prefix, up to `d`. None where that
/// is before it, as there is no prefix. Without a branch.
[[nodiscard, gnu::always_inline]] inline std::uint32_t words_between(std::uint32_t c,
                                                                     std::uint32_t d) noexcept {
  const auto words = static_cast<std::int32_t>(d - c) >> 1;
  return static_cast<std::uint32_t>(words & ~(words >> 31));
}

/// Resolves the arguments of instructions up to index `stop`, or up to one that isn't regular; false:
/// one of them is wrong. 32 bytes are readable after each.
template <class Ids>
[[nodiscard]] bool resolve_run(const resolve_parts<Ids>& of, std::uint32_t stop,
                               std::uint32_t& now) noexcept {
  const auto [ids, start, steps, arguments] = of;
  std::uint64_t wrong = 0;
  const step *s = steps + now, *const end = steps + stop;
  for (std::uint32_t index = now; s != end && is_regular(*s); ++s, ++index) {
    const std::uint32_t n = s->arguments, id = id_of(*s);
    const std::uint32_t c_offset = s->offset + 4, d_offset = s[1].offset - 2 * n;
    const std::byte *const c = start + c_offset, *const d = start + d_offset;
    argument* const to = arguments + s->first;
    std::uint32_t taken = 0;
    wrong |= resolve_four(signs_of[n < 4 ? n : 4] & (std::uint64_t{id} - 1), id, ids, index, d, c,
                          to, taken);
    for (std::uint32_t k = 4; k < n; k += 4)
      wrong |= resolve_four(signs_of[n - k < 4 ? n - k : 4], 0, ids, index, d + 2 * k,
                            c + 2 * taken, to + k, taken);
    wrong |= taken ^ (words_between(c_offset, d_offset) + id);
  }
  now = static_cast<std::uint32_t>(s - steps);
  return wrong == 0;
}

#ifdef TESSERA_HAS_NAC_AVX2_PATH

typedef std::int16_t eight_words __attribute__((vector_size(16)));
typedef std::uint16_t eight_ids __attribute__((vector_size(16)));
typedef char sixteen_chars __attribute__((vector_size(16)));
typedef std::int32_t eight_arguments __attribute__((vector_size(32)));

/// By eight bits, of arguments that are constants: for each argument, which two bytes of C it is.
struct constant_places {
  alignas(16) std::int8_t bytes[256][16];
  consteval constant_places() noexcept : bytes() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::int8_t next = 0;
      for (unsigned k = 0; k < 8; ++k) {
        const bool is_constant = (bits >> k & 1) != 0;
        bytes[bits][2 * k] = is_constant ? next : std::int8_t{-1};
        bytes[bits][2 * k + 1] = is_constant ? static_cast<std::int8_t>(next + 1) : std::int8_t{-1};
        next = static_cast<std::int8_t>(next + (is_constant ? 2 : 0));
      }
    }
  }
};
inline constexpr constant_places places_of;
/// Read from 8 - n on: n words of ones, and then zeros.
inline constexpr std::int16_t first_words[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_arguments widened(eight_words v) noexcept {
#ifdef __clang__
  return __builtin_convertvector(v, eight_arguments);
#else
  return __builtin_ia32_pmovsxwd256(v);
#endif
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_arguments widened(eight_ids v) noexcept {
#ifdef __clang__
  return __builtin_convertvector(v, eight_arguments);
#else
  return __builtin_ia32_pmovzxwd256(std::bit_cast<eight_words>(v));
#endif
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE eight_words eight_at(const void* from) noexcept {
  eight_words v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
[[nodiscard]] TESSERA_NAC_AVX2_INLINE std::uint32_t sign_bits(eight_words v) noexcept {
  return static_cast<std::uint32_t>(
      __builtin_ia32_pmovmskb128(__builtin_ia32_packsswb128(v, eight_words{})));
}

/// Nonzero: the set lacks one of `count` ids from `c` on. With one branch, which is rare.
[[nodiscard, gnu::always_inline]] inline std::uint32_t lacks_any(const id_set& ids,
                                                                 const std::byte* c,
                                                                 std::uint32_t count) noexcept {
  const auto first = load_le<std::uint16_t>(c), second = load_le<std::uint16_t>(c + 2);
  std::uint32_t lacks = (ids.lacks(first) | ids.lacks(second) << 1) & ((1u << count) - 1);
  if (count > 2) [[unlikely]]
    for (std::uint32_t k = 2; k < count; ++k) lacks |= ids.lacks(load_le<std::uint16_t>(c + 2 * k));
  return lacks;
}

/// resolve_run for instructions of at most eight arguments, all at a time. `now` and `stop` are on
/// one side of 0x8000.
template <class Ids>
[[nodiscard]] TESSERA_NAC_AVX2 bool resolve_run_avx2(const resolve_parts<Ids>& of,
                                                     std::uint32_t stop,
                                                     std::uint32_t& now) noexcept {
  constexpr bool one_range = std::is_same_v<Ids, id_range>;
  const auto [ids, start, steps, arguments] = of;
  // The least D: it leads to the first instruction, or as far back as any.
  const auto first_least =
      static_cast<std::int16_t>(now < 0x8000 ? -static_cast<std::int32_t>(now) : -0x8000);
  const std::int16_t one = now < 0x8000 ? 1 : 0;
  const eight_words least_step = eight_words{} + one;
  const eight_ids first_ids = eight_ids{} + ids.first();
  eight_words least = eight_words{} + first_least, largest = {}, wrong_words = {};
  eight_ids most_after = {};
  eight_arguments indices = eight_arguments{} + static_cast<std::int32_t>(now);
  std::uint32_t wrong = 0;
  const step *s = steps + now, *const end = steps + stop;
  for (; s != end; ++s) {
    const std::uint32_t n = s->arguments, id = id_of(*s);
    if (n > 8 || !is_regular(*s)) [[unlikely]]
      break;
    const std::uint32_t c = s->offset + 4, d = s[1].offset - 2 * n;
    const eight_words lanes = eight_at(first_words + 8 - n);
    const eight_words references = eight_at(first_words + 8 - n + id);  // ids look like a 0
    const eight_words words = eight_at(start + d) & references;
    const eight_words constant = (words == 0) & lanes;
    largest = words > largest ? words : largest;
    wrong_words |= least > words;
    const std::uint32_t bits = sign_bits(constant);
    const auto given = std::bit_cast<eight_ids>(
        __builtin_ia32_pshufb128(std::bit_cast<sixteen_chars>(eight_at(start + c)),
                                 std::bit_cast<sixteen_chars>(eight_at(places_of.bytes[bits]))));
    const eight_arguments results = widened(words) + indices;
    const eight_arguments are_constants = widened(constant);
    const eight_arguments all = are_constants < 0 ? widened(given) | are_constants << 31 : results;
    std::memcpy(static_cast<void*>(arguments + s->first), &all, sizeof all);
    indices += 1;
    least -= least_step;
    const auto zeros = static_cast<std::uint32_t>(__builtin_popcount(bits));
    wrong |= words_between(c, d) + id - zeros;
    if constexpr (one_range) {
      const eight_ids after = (given - first_ids) & std::bit_cast<eight_ids>(constant & references);
      most_after = after > most_after ? after : most_after;
    } else {
      wrong |= lacks_any(ids, start + c, zeros & (id - 1));
    }
  }
  now = static_cast<std::uint32_t>(s - steps);
  wrong_words |= largest > 0;
  if constexpr (one_range)
    wrong_words |= std::bit_cast<eight_words>(most_after > ids.last_after_first());
  return wrong == 0 && sign_bits(wrong_words) == 0;
}

[[nodiscard]] inline bool has_avx2() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

#endif

/// resolve_fast with the ids of constants as they are best looked at, too.
template <class Ids>
[[nodiscard]] bool resolve_steps(const model& f, const instructions& list, const id_set& all_ids,
                                 Ids ids, [[maybe_unused]] resolve_path path, code& out) {
  const step* const steps = out.steps.data();
  const std::uint32_t count = list.size();
  const std::size_t total = std::size_t{steps[count - 1].first} + steps[count - 1].arguments;
  const resolve_parts<Ids> parts{ids, list.cursor().data(), steps,
                                 out.arguments.prepare(total + 8)};
  out.arguments.advance(total);
  auto* run = resolve_run<Ids>;
#ifdef TESSERA_HAS_NAC_AVX2_PATH
  if (path != resolve_path::portable && has_avx2()) run = resolve_run_avx2<Ids>;
#endif
  // How many have readable bytes after them, and the next one's step.
  std::uint32_t fast = count - 1;
  while (fast != 0 && steps[fast].offset >= readable_end(list.cursor())) --fast;
  code one;  // instruction of another kind
  argument_resolver each(all_ids, list.offset(), count, one);
  for (std::uint32_t now = 0; now != count;) {
    if (now < fast) {
      const std::uint32_t stop = now < 0x8000 && fast > 0x8000 ? 0x8000 : fast;
      if (!run(parts, stop, now)) return false;
      if (now == stop) continue;
    }
    cursor at = list.cursor();
    (void)at.take_bytes(steps[now].offset);
    instruction i;
    i.index = now;
    one.steps.clear();
    one.arguments.clear();
    if (parse_instruction(f, at, i).code != errc::ok || each.take(i).code != errc::ok) return false;
    argument* to = parts.arguments + steps[now++].first;
    for (const argument a : one.arguments) *to++ = a;
  }
  return true;
}

/// The same as an argument_resolver for each instruction, several times as fast; false: something
/// is wrong.
[[nodiscard]] inline bool resolve_fast(const model& f, const instructions& list, const id_set& ids,
                                       resolve_path path, code& out) {
  if (list.empty()) return true;
  if (list_decoder(f, list, out.steps.prepare(list.size())).run().code != errc::ok) return false;
  out.steps.advance(list.size());
  return ids.is_range() ? resolve_steps<id_range>(f, list, ids, ids.range(), path, out)
                        : resolve_steps<const id_set&>(f, list, ids, ids, path, out);
}

}  // namespace detail

TESSERA_INLINE result<code> resolve(const model& f, const instructions& list,
                                    const resolve_options& options) {
  if (const error e = detail::fits_steps(list, options.limit); e.code != errc::ok) return e;
  const detail::id_set ids = detail::constant_ids(f);
  code out;
  resolve_path path = options.path;
  out.steps.reserve(list.size());
  if (path == resolve_path::automatic && list.size() < detail::worth_a_table)
    path = resolve_path::plain;
  if (path != resolve_path::plain) {
    if (detail::resolve_fast(f, list, ids, path, out)) return out;
    out.steps.clear();  // something is wrong: what and where, the plain path finds
    out.arguments.clear();
  }
  detail::argument_resolver each(ids, list.offset(), list.size(), out);
  for (const instruction& i : list)
    if (const error e = each.take(i); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#undef TESSERA_HAS_NAC_AVX2_PATH
#undef TESSERA_NAC_AVX2
#undef TESSERA_NAC_AVX2_INLINE

#endif  // TESSERA_NAC_DETAIL_RESOLVE_HPP

// ---- tessera/nac/detail/verify.hpp
//
// The bodies of nac/verify.hpp.

#ifndef TESSERA_NAC_DETAIL_VERIFY_HPP
#define TESSERA_NAC_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/nac/detail/safetensors.hpp
//
// The bodies of nac/safetensors.hpp.

#ifndef TESSERA_NAC_DETAIL_SAFETENSORS_HPP
#define TESSERA_NAC_DETAIL_SAFETENSORS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct safetensors_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE external_tensor safetensors::operator[](std::size_t i) const noexcept {
  const record& r = records_[i];
  external_tensor t;
  t.offset = r.offset;
  t.name = string(r.name);
  t.type = safetensors_types[r.row].name;
  t.representable = r.representable;
  t.as.offset = r.offset;
  t.as.data_offset = data_ + r.first;
  t.as.data = source_.subspan(to_size(t.as.data_offset), to_size(r.end - r.first));
  if (!r.representable) return t;
  t.as.type = r.type;
  t.as.quantization = r.quantization;
  t.as.axis = r.axis;
  t.as.block = r.block;
  t.as.shape = numbers<std::uint32_t>(r.shape);
  t.as.original_shape = numbers<std::uint32_t>(r.original_shape);
  t.as.scales = numbers<float>(r.scales);
  return t;
}

TESSERA_INLINE std::size_t safetensors::find(std::string_view name) const noexcept {
  const std::size_t i = first_not_below(by_name_.data(), by_name_.size(), [&](std::uint32_t row) {
    return string(records_[row].name) < name;
  });
  return i < by_name_.size() && string(records_[by_name_[i]].name) == name ? by_name_[i] : size();
}

}  // namespace nac
namespace nac::detail {

/// Reads into a safetensors.
struct safetensors_maker {
  using part = safetensors::part;
  using record = safetensors::record;
  safetensors& out;
  const limits& limit;

  [[nodiscard]] part keep(std::string_view s) const {
    const part p{static_cast<std::uint32_t>(out.characters_.size()),
                 static_cast<std::uint32_t>(s.size())};
    out.characters_ << s;
    return p;
  }
  void number(part& p, std::uint32_t value) const {
    append_le(out.numbers_, value);
    ++p.size;
  }
  [[nodiscard]] part numbers() const noexcept {
    return {static_cast<std::uint32_t>(out.numbers_.size() / 4), 0};
  }

  // ---- the header

  void metadata(json::reader& in) const {
    std::string_view key;
    for (in.object(); in.key(key);) {
      const part name = keep(key);
      const std::uint64_t offset = in.offset() + 8;
      out.metadata_.push_back({offset, name, keep(in.string())});
    }
  }

  /// The number of elements, multiplied from the first dimension on.
  [[nodiscard]] bool shape(json::reader& in, record& r, std::uint64_t& elements) const {
    bool fits = true;
    elements = 1;
    r.shape = numbers();
    for (in.array(); in.element();) {
      const std::uint64_t size = in.uint64();
      fits = fits && checked_mul(elements, size, elements);
      if (size > UINT32_MAX || r.shape.size == 255) r.representable = false;
      if (r.representable) number(r.shape, static_cast<std::uint32_t>(size));
    }
    return fits;
  }

  void one_tensor(json::reader& in, std::string_view name) const {
    record r;
    r.name = keep(name);
    r.offset = in.offset() + 8;
    bool has_type = false, has_shape = false, has_offsets = false, fits = true;
    std::uint64_t elements = 0, type_offset = 0;
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "dtype") {
        type_offset = in.offset();
        const std::size_t row = safetensors_row(in.string());
        if (row == safetensors_type_count) in.fail(errc::nac_safetensors_type, type_offset);
        r.row = static_cast<std::uint8_t>(row);
        has_type = true;
      } else if (key == "shape") {
        fits = shape(in, r, elements);
        has_shape = true;
      } else if (key == "data_offsets") {
        r.offsets_offset = in.offset() + 8;
        in.array();
        in.require_element(errc::nac_safetensors_offsets);
        r.first = in.uint64();
        in.require_element(errc::nac_safetensors_offsets);
        r.end = in.uint64();
        in.end_array(errc::nac_safetensors_offsets);
        has_offsets = true;
      } else {
        in.skip();
      }
    }
    if (in.failed()) return;
    if (!has_type || !has_shape || !has_offsets)
      return in.fail(errc::nac_safetensors_member, r.offset - 8);
    if (r.first > r.end || r.end > out.source_.size() - out.data_)
      return in.fail(errc::nac_safetensors_offsets, r.offsets_offset - 8);
    std::uint64_t bits = 0;
    fits = fits && checked_mul(elements, std::uint64_t{safetensors_types[r.row].bits}, bits);
    if (!fits || bits % 8 != 0 || bits / 8 != r.end - r.first)
      return in.fail(errc::nac_safetensors_size, r.offsets_offset - 8);
    std::size_t type = 0;
    while (type < data_type_count && data_types[type].safetensors != safetensors_types[r.row].name)
      ++type;
    if (type == data_type_count) r.representable = false;
    r.type = static_cast<data_type>(type);
    if (out.records_.size() >= limit.max_items) return in.fail(errc::too_many_items, r.offset - 8);
    out.records_.push_back(r);
  }

  [[nodiscard]] error header(std::string_view source) const {
    limits inner = limit;
    inner.max_bytes = max_safetensors_header;
    json::reader in(source, inner);
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == safetensors_metadata)
        metadata(in);
      else
        one_tensor(in, key);
    }
    return in.finish();
  }

  /// Every byte belongs to one tensor.
  [[nodiscard]] error extents() const {
    sort(out.records_.data(), out.records_.size(), [](const record& a, const record& b) {
      return a.first != b.first ? a.first < b.first : a.end < b.end;
    });
    std::uint64_t end = 0;
    for (const record& r : out.records_) {
      if (r.first != end)
        return {r.first < end ? errc::nac_safetensors_overlap : errc::nac_safetensors_hole,
                r.offsets_offset};
      end = r.end;
    }
    if (end != out.source_.size() - out.data_)
      return {errc::nac_safetensors_trailing, out.data_ + end};
    return {};
  }

  void index() const {
    for (std::size_t i = 0; i < out.records_.size(); ++i)
      out.by_name_.push_back(static_cast<std::uint32_t>(i));
    sort(out.by_name_.data(), out.by_name_.size(), [this](std::uint32_t a, std::uint32_t b) {
      return out.string(out.records_[a].name) < out.string(out.records_[b].name);
    });
  }

  // ---- how tensors are quantized

  /// Numbers of a list, or a single number; none for a null.
  template <class Each>
  static void list(json::reader& in, Each each) {
    if (in.peek() == json::kind::null) return in.null();
    if (in.peek() != json::kind::array) return each();
    for (in.array(); in.element();) each();
  }

  /// A method by name, whatever its case.
  [[nodiscard]] static std::size_t method_of(std::string_view name) noexcept {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    for (std::size_t i = 0; i < quantization_count; ++i) {
      bool same = name.size() == quantization_names[i].size();
      for (std::size_t k = 0; same && k < name.size(); ++k)
        same = lower(name[k]) == quantization_names[i][k];
      if (same) return i;
    }
    return quantization_count;
  }

  void one_quantization(json::reader& in, record& r) const {
    const std::uint64_t offset = in.offset();
    std::size_t code = quantization_count, named = quantization_count;
    bool has_shape = false;
    part one, all, blocks, original;  // `scale`, `scales`, `block_scales`
    std::uint8_t axis = 0;
    std::uint16_t block = 0;
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (in.peek() == json::kind::null) {
        in.null();
      } else if (key == "quant_code") {
        code = in.integer<std::uint8_t>(0, quantization_count - 1);
      } else if (key == "quant_type") {
        const std::uint64_t at = in.offset();
        named = method_of(in.string());
        if (named == quantization_count) in.fail(errc::nac_safetensors_method, at);
      } else if (key == "scale" || key == "scales" || key == "block_scales") {
        part& scales = key == "scale" ? one : key == "scales" ? all : blocks;
        scales = numbers();
        list(in, [&] { number(scales, std::bit_cast<std::uint32_t>(in.float32())); });
      } else if (key == "axis") {
        axis = in.integer<std::uint8_t>(0, 255);
      } else if (key == "block_size") {
        block = in.integer<std::uint16_t>(0, 65535);
      } else if (key == "orig_shape" || key == "original_shape") {
        original = numbers();
        list(in, [&] { number(original, in.integer<std::uint32_t>(0, UINT32_MAX)); });
        has_shape = true;
      } else {
        in.skip();
      }
    }
    if (in.failed()) return;
    const std::size_t method = code < quantization_count ? code : named;
    if (method == quantization_count) return in.fail(errc::nac_safetensors_method, offset);
    const auto q = static_cast<quantization>(method);
    const bool scaled = q >= quantization::int8_tensor;
    part scales = q == quantization::int8_tensor ? one
                  : q == quantization::block_fp8 ? blocks
                                                 : all;
    for (const part& other : {all, blocks, one})
      if (scales.size == 0) scales = other;
    const bool complete = q == quantization::block_fp8     ? block != 0 && has_shape
                          : q == quantization::int8_tensor ? scales.size == 1
                                                           : true;
    if (!complete || original.size > 255) return in.fail(errc::nac_safetensors_scales, offset);
    r.scales = scaled ? scales : part();
    r.quantization = q;
    r.axis = q == quantization::int8_channel ? axis : std::uint8_t{0};
    if (q == quantization::block_fp8) {
      r.block = block;
      r.original_shape = original;
    }
  }

  /// An object of NAME: object, or of NAME: the object's text.
  [[nodiscard]] error quantizations(std::string_view source, const limits& inner) const {
    json::reader in(source, inner);
    std::string_view name;
    for (in.object(); in.key(name);) {
      const std::size_t i = out.find(name);
      if (i == out.size()) {
        in.skip();
      } else if (in.peek() == json::kind::string) {
        const std::uint64_t offset = in.offset();
        json::reader nested(in.string(), inner);
        one_quantization(nested, out.records_[i]);
        if (const error e = nested.finish(); e.code != errc::ok) in.fail(e.code, offset);
      } else {
        one_quantization(in, out.records_[i]);
      }
    }
    return in.finish();
  }

  [[nodiscard]] error quantizations() const {
    limits inner = limit;
    inner.max_bytes = max_safetensors_header;
    const auto objects = [&](std::string_view key) -> error {
      for (const auto& m : out.metadata_) {
        if (out.string(m.key) != key || out.string(m.value).substr(0, 1) != "{") continue;
        if (const error e = quantizations(out.string(m.value), inner); e.code != errc::ok)
          return {e.code, m.offset};
      }
      return {};
    };
    if (const error e = objects("metadata"); e.code != errc::ok) return e;
    for (const auto& m : out.metadata_) {
      const std::size_t i = out.find(out.string(m.key));
      if (i == out.size() || out.string(m.value).substr(0, 1) != "{" ||
          out.string(m.key) == nac_quantization_key)
        continue;
      json::reader in(out.string(m.value), inner);
      one_quantization(in, out.records_[i]);
      if (const error e = in.finish(); e.code != errc::ok) return {e.code, m.offset};
    }
    return objects(nac_quantization_key);
  }

  [[nodiscard]] error all() const {
    const bytes in = out.source_;
    if (in.size() > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    if (in.size() < 8) return {errc::nac_safetensors_header, in.size()};
    const auto size = load_le<std::uint64_t>(in.data());
    if (size > max_safetensors_header) return {errc::nac_safetensors_large_header, 0};
    if (size > in.size() - 8) return {errc::nac_safetensors_header, 0};
    if (size == 0 || in[8] != std::byte{'{'}) return {errc::nac_safetensors_brace, 8};
    out.data_ = 8 + size;
    error e = header(as_text(in.subspan(8, static_cast<std::size_t>(size))));
    if (e.code != errc::ok) return {e.code, e.offset + 8};
    e = extents();
    if (e.code != errc::ok) return e;
    index();
    return quantizations();
  }

  static error make(bytes in, const limits& limit, safetensors& out) {
    out.source_ = in;
    return safetensors_maker{out, limit}.all();
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<safetensors> read_safetensors(bytes in, const read_options& options) {
  result<safetensors> out{safetensors()};
  if (const error e = detail::safetensors_maker::make(in, options.limit, *out); e.code != errc::ok)
    return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SAFETENSORS_HPP

// ---- tessera/nac/detail/safetensors_write.hpp
//
// The bodies of nac/safetensors.hpp.

#ifndef TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP
#define TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/sink.hpp
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_SINK_HPP
#define TESSERA_NAC_DETAIL_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Gathers small fields and hands them to a sink; payloads go past the buffer.
class part_stream {
 public:
  explicit part_stream(const sink& to) noexcept : to_(to) {}
  template <class T>
  void put(T value) {
    if (sizeof buffer_ - used_ < sizeof(T)) flush();
    store_le(buffer_ + used_, value);
    used_ += sizeof(T);
  }
  void put_text(std::string_view s) { put_bytes(as_bytes(s)); }
  /// A payload: `b`, or what its source makes.
  void put_payload(bytes b, const payload& p) {
    if (p.source == nullptr) return put_bytes(b);
    flush();
    for (std::uint64_t first = 0; first < p.size && !stopped_; first += used_) {
      const std::uint64_t left = p.size - first;
      used_ = left < sizeof buffer_ ? static_cast<std::size_t>(left) : sizeof buffer_;
      stopped_ = !p.source->read(p.source->context, p.first, first, buffer_, used_);
      hand_over({buffer_, used_});
    }
    used_ = 0;
  }
  void put_bytes(bytes b) {
    if (b.size() > sizeof buffer_ - used_) {
      flush();
      if (b.size() > sizeof buffer_) return hand_over(b);
    }
    if (!b.empty()) std::memcpy(buffer_ + used_, b.data(), b.size());
    used_ += b.size();
  }
  void flush() {
    hand_over({buffer_, used_});
    used_ = 0;
  }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  void hand_over(bytes b) {
    if (!stopped_ && !b.empty()) stopped_ = !to_.put(to_.context, b);
  }
  sink to_;
  bool stopped_ = false;
  std::size_t used_ = 0;
  std::byte buffer_[4096];
};

/// Appends what it takes.
[[nodiscard]] inline sink sink_into(pool<std::byte>& to) noexcept {
  return {&to, [](void* pool_of, bytes piece) {
            static_cast<pool<std::byte>*>(pool_of)->append(piece.data(), piece.size());
            return true;
          }};
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SINK_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE void external_parts::add(std::string_view name, data_type type,
                                        view<std::uint32_t> shape, const payload& data) {
  const range dimensions{static_cast<std::uint32_t>(numbers.size()),
                         static_cast<std::uint32_t>(shape.size())};
  numbers.append(shape.data(), shape.size());
  tensors.push_back({keep(name), type, dimensions, data});
}

TESSERA_INLINE void external_parts::add_metadata(std::string_view key, std::string_view value) {
  const range name = keep(key);
  metadata.push_back({name, keep(value)});
}

TESSERA_INLINE range external_parts::keep(std::string_view s) {
  const range r{static_cast<std::uint32_t>(characters.size()),
                static_cast<std::uint32_t>(s.size())};
  characters << s;
  return r;
}

}  // namespace nac
namespace nac::detail {

/// Checks, orders and writes one file.
class safetensors_writer {
 public:
  explicit safetensors_writer(const external_parts& p) : p_(p) {}

  [[nodiscard]] error prepare() {
    error e = metadata().in(error_index::metadata);
    if (e.code == errc::ok) e = tensors().in(error_index::tensor);
    if (e.code == errc::ok) e = header();
    return e;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return 8 + header_.size() + data_; }

  [[nodiscard]] error write(const sink& to) const {
    part_stream out(to);
    out.put(std::uint64_t{header_.size()});
    out.put_text(header_);
    for (std::size_t i = 0; i < order_.size() && !out.stopped(); ++i) {
      const payload& d = p_.tensors[order_[i].index].data;
      out.put_payload(
          d.source != nullptr ? bytes() : bytes(d.borrowed, static_cast<std::size_t>(d.size)), d);
    }
    out.flush();
    return {out.stopped() ? errc::nac_write_stopped : errc::ok, 0};
  }

 private:
  struct row {
    std::uint32_t index;
    std::uint8_t type;  // of safetensors_types
  };

  /// `index` holds records by name; the later of two that are equal.
  template <class Name>
  [[nodiscard]] static error each_once(pool<std::uint32_t>& index, Name name) {
    sort(index.data(), index.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(a) < name(b); });
    error e;
    for (std::size_t i = 1; i < index.size(); ++i)
      if (name(index[i]) == name(index[i - 1]) && (e.code == errc::ok || index[i] < e.offset))
        e = {errc::nac_external_repeated, index[i]};
    return e;
  }

  [[nodiscard]] error metadata() {
    pool<std::uint32_t> index;
    for (std::size_t i = 0; i < p_.metadata.size(); ++i) {
      const external_metadata_part& m = p_.metadata[i];
      if (!m.key.is_inside(p_.characters) || !m.value.is_inside(p_.characters))
        return {errc::nac_write_range, i};
      if (!is_utf8(p_.string(m.key)) || !is_utf8(p_.string(m.value)))
        return {errc::nac_external_text, i};
      index.push_back(static_cast<std::uint32_t>(i));
    }
    return each_once(index, [this](std::uint32_t i) { return p_.string(p_.metadata[i].key); });
  }

  [[nodiscard]] error tensors() {
    pool<std::uint32_t> index;
    for (std::size_t i = 0; i < p_.tensors.size(); ++i) {
      const external_part& t = p_.tensors[i];
      if (!t.name.is_inside(p_.characters) || !t.shape.is_inside(p_.numbers) ||
          (t.data.size != 0 && t.data.borrowed == nullptr && t.data.source == nullptr))
        return {errc::nac_write_range, i};
      if (static_cast<std::size_t>(t.type) >= data_type_count)
        return {errc::nac_write_data_type, i};
      if (!is_utf8(p_.string(t.name))) return {errc::nac_external_text, i};
      if (p_.string(t.name) == safetensors_metadata) return {errc::nac_external_reserved, i};
      std::uint64_t size = size_of(t.type);
      bool fits = true;
      for (const std::uint32_t n : p_.numbers_of(t.shape))
        fits = fits && checked_mul(size, std::uint64_t{n}, size);
      if (!fits || size != t.data.size) return {errc::nac_external_size, i};
      if (!checked_add(data_, size, data_) || data_ > UINT64_MAX - max_safetensors_header - 8)
        return {errc::nac_external_large, i};
      index.push_back(static_cast<std::uint32_t>(i));
    }
    if (const error e =
            each_once(index, [this](std::uint32_t i) { return p_.string(p_.tensors[i].name); });
        e.code != errc::ok)
      return e;
    for (const std::uint32_t i : index) {
      const auto type = static_cast<std::size_t>(p_.tensors[i].type);
      order_.push_back(
          {i, static_cast<std::uint8_t>(safetensors_row(data_types[type].safetensors))});
    }
    sort(order_.data(), order_.size(), [](const row& a, const row& b) { return a.type > b.type; });
    return {};
  }

  [[nodiscard]] error header() {
    json::writer out(header_);
    out.begin_object();
    if (!p_.metadata.empty()) {
      out.key(safetensors_metadata).begin_object();
      for (const external_metadata_part& m : p_.metadata)
        out.key(p_.string(m.key)).string(p_.string(m.value));
      out.end();
    }
    std::uint64_t at = 0;
    for (const row& r : order_) {
      const external_part& t = p_.tensors[r.index];
      out.key(p_.string(t.name)).begin_object();
      out.key("dtype").string(safetensors_types[r.type].name).key("shape").begin_array();
      for (const std::uint32_t n : p_.numbers_of(t.shape)) out.integer(n);
      out.end().key("data_offsets").begin_array().integer(at);
      at += t.data.size;
      out.integer(at).end().end();
      if (header_.size() > max_safetensors_header)
        return {errc::nac_external_large, r.index, error_index::tensor};
    }
    out.end();
    while (header_.size() % 8 != 0) header_ << ' ';
    if (header_.size() > max_safetensors_header)
      return {errc::nac_external_large, 0, error_index::whole};
    return {};
  }

  const external_parts& p_;
  pool<row> order_;
  std::uint64_t data_ = 0;
  text header_;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error write_safetensors(const external_parts& p, const sink& to) {
  detail::safetensors_writer out(p);
  const error e = out.prepare();
  return e.code == errc::ok ? out.write(to) : e;
}

TESSERA_INLINE result<pool<std::byte>> write_safetensors(const external_parts& p) {
  detail::safetensors_writer writer(p);
  error e = writer.prepare();
  if (e.code != errc::ok) return e;
  if (writer.size() > SIZE_MAX) return error{errc::nac_external_large, 0};
  pool<std::byte> out;
  out.reserve(to_size(writer.size()));
  e = writer.write(detail::sink_into(out));
  if (e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_SAFETENSORS_WRITE_HPP

// ---- tessera/nac/detail/rules_code.hpp
//
// NAC verification of OPS and TRNG: operations and their arguments, prefixes, branches, uses.
//
//   detail::code_rules rules{file, options, found, constants, forms, constant_of};
//   const bool resolved = rules.resolve_and_check(file.instructions(), code, used, true);
//
// One pass over the instructions, and one more where an argument can't be resolved; each operation
// is looked up once.
//
// Lifetime:   for the time of a call.
// Errors:     findings of nac_operation_reserved … nac_saved_result, nac_branch_nesting, nac_branch_result
//             and nac_prefix, and those of `resolve`.
// Limits:     none of its own.
// Allocation: 13 bytes for an instruction, 16 more for an INPUT.

#ifndef TESSERA_NAC_DETAIL_RULES_CODE_HPP
#define TESSERA_NAC_DETAIL_RULES_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Who uses the results of instructions.
struct uses {
  pool<std::uint32_t> first;  ///< the first one that takes the result, or none
  pool<std::uint32_t> last;   ///< the last one; the instruction itself where there is none
};

/// An INPUT, or an OUTPUT of variant 3, which uses a parameter too.
struct incoming {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
  std::uint16_t id = 0;
  std::uint8_t a = 0, b = 0;

  [[nodiscard]] bool is(input i) const noexcept {
    return a == op_input && b == static_cast<std::uint8_t>(i);
  }
  [[nodiscard]] bool uses_parameter() const noexcept {
    return a == op_output || is(input::parameter);
  }
  /// Where the id is.
  [[nodiscard]] std::uint64_t id_offset() const noexcept { return offset + 4; }
};

/// The branches that an instruction is in: a stack of their ends.
class branches {
 public:
  explicit branches(std::uint32_t size) : size_(size) {}
  /// Goes on to instruction `i`.
  void enter(std::uint32_t i) {
    while (!ends_.empty() && ends_.back() <= i) ends_.pop_back();
  }
  /// Where the innermost branch ends.
  [[nodiscard]] std::uint32_t end() const noexcept { return ends_.empty() ? size_ : ends_.back(); }
  void open(std::uint32_t end) { ends_.push_back(end); }

 private:
  pool<std::uint32_t> ends_;
  std::uint32_t size_;
};

struct code_rules {
  const model& f;
  const verify_options& options;
  findings& found;
  const pool<constant>& constants;
  const pool<argument_form>& forms;
  const id_table& constant_of;

  operation operations[256] = {};
  bool operation_known[256] = {};
  pool<incoming> sources = {};     // of the list that was checked last
  bool has_output = false;         // and whether it has an OUTPUT of variant 0
  bool training = false;           // whether it is that of TRNG
  pool<std::uint8_t> broken = {};  // by instruction: its arguments can't be resolved

  [[gnu::cold]] void put_path(findings::writer to, const instruction& i,
                              std::uint64_t offset) const {
    put_instruction(to.path(), f, i, offset, training);
  }

  [[nodiscard]] operation operation_of(std::uint8_t a) {
    if (!operation_known[a]) operations[a] = find_operation(f.operation_name(a));
    operation_known[a] = true;
    return operations[a];
  }

  /// The word that gives argument `k`.
  [[nodiscard]] static std::uint64_t word(const instruction& i, std::size_t k) noexcept {
    if (i.a == op_convergence) return i.c_offset(0);
    if (i.a < first_regular_op || i.d[k] != 0) return i.d_offset(k);
    std::size_t constants_before = 0;
    for (std::size_t before = 0; before < k; ++before)
      constants_before += i.d[before] == 0 ? 1u : 0u;
    return i.c_offset(constants_before);
  }

  // ---- one instruction

  void prefix(const instruction& i) {
    if (!i.has_prefix || i.a == op_convergence) return;
    bool usual = i.prefix >= 0;
    if (i.a < first_regular_op) {
      const auto given = static_cast<std::uint16_t>(i.prefix);
      usual = given == i.c.size() || given == static_cast<std::uint16_t>(i.c.size() + 1);
    }
    if (usual) return;
    const std::uint64_t at = i.offset + 2;
    auto to = options.strict_prefixes ? found.error(errc::nac_prefix, {.offset = at})
                                      : found.warning(errc::nac_prefix, {.offset = at});
    to << "prefix " << i.prefix << "; expected ";
    if (i.a < first_regular_op)
      to << i.c.size() << ", or " << i.c.size() + 1 << " where it counts itself";
    else
      to << "the number of constants, 0 or more";
    put_path(to, i, at);
  }

  /// What an operation is with these arguments, which it has to take.
  [[nodiscard]] operation arguments(const instruction& i, view<argument> given, operation o) {
    argument_form kinds[256];
    for (std::size_t k = 0; k < given.size(); ++k)
      kinds[k] = given[k].is_constant() ? forms[constant_of[given[k].id()]] : argument_form::result;
    if (o == operation::view) o = view_or_squeeze(f.operation_name(i.a), {kinds, given.size()});
    binding unused;
    const match m = bind(pattern(o), {kinds, given.size()}, unused);
    if (m.what == match::kind::count) {
      auto to = found.error(errc::nac_argument_count, {.offset = i.offset + 1});
      to << 'v' << i.index << " = " << f.operation_name(i.a) << ": ";
      put_count(to, given.size(), "argument");
      const argument_counts n = counts_of(pattern(o));
      if (given.size() >= n.min && (n.is_unbounded || given.size() <= n.max))
        to << "; argument " << m.argument << " is unexpected";
      else if (n.is_unbounded)
        to << "; expected at least " << n.min;
      else if (n.min == n.max)
        to << "; expected " << n.min;
      else
        to << "; expected " << n.min << (n.max == n.min + 1 ? " or " : " to ") << n.max;
      put_path(to, i, i.offset + 1);
    }
    if (m.what == match::kind::form) {
      const std::uint64_t at = word(i, m.argument);
      auto to = found.error(errc::nac_argument_type, {.offset = at});
      to << 'v' << i.index << " = " << f.operation_name(i.a) << ": argument " << m.argument
         << " is " << name_of(kinds[m.argument]) << "; expected ";
      put_expected_forms(to, pattern(o), kinds, m.argument);
      put_path(to, i, at);
    }
    return o;
  }

  /// What an instruction is; `model`: of OPS.
  void what(const instruction& i, bool model) {
    if (i.a >= first_regular_op) {
      if (f.operation_name(i.a).empty()) {
        auto to = found.error(errc::nac_operation_unknown, {.offset = i.offset});
        to << "operation " << unsigned{i.a} << " has no name: CMAP doesn't have it, and version "
           << unsigned{f.version()} << " predefines none";
        put_path(to, i, i.offset);
      } else if (model && operation_of(i.a) == operation::unknown) {  // valid, but doesn't run
        auto to = found.warning(errc::nac_operation_unsupported, {.offset = i.offset});
        to << "unsupported operation \"" << f.operation_name(i.a) << "\": the program can't run";
        put_path(to, i, i.offset);
      }
    } else if (i.a == op_input) {
      if (model && i.b > static_cast<std::uint8_t>(input::lifted_constant)) {
        auto to = found.error(errc::nac_input_place, {.offset = i.offset + 1});
        to << "INPUT of variant " << unsigned{i.b} << " in OPS; variants 4 and 5 belong in TRNG";
        put_path(to, i, i.offset + 1);
      }
      if (!model && i.b == static_cast<std::uint8_t>(input::saved_result) &&
          i.c[0] >= f.instructions().size()) {
        auto to = found.error(errc::nac_saved_result, {.offset = i.c_offset(0)});
        to << "INPUT of variant 4 names instruction " << i.c[0] << "; OPS has ";
        put_count(to, f.instructions().size(), "instruction");
        put_path(to, i, i.c_offset(0));
      }
    } else if (i.a == op_output) {
      if (i.b == static_cast<std::uint8_t>(output::reserved) ||
          (model && i.b > static_cast<std::uint8_t>(output::reserved))) {
        auto to = found.error(errc::nac_output_place, {.offset = i.offset + 1});
        to << "OUTPUT of variant " << unsigned{i.b} << " in " << (model ? "OPS" : "TRNG")
           << "; variant 2 is reserved, and 3 and 4 belong in TRNG";
        put_path(to, i, i.offset + 1);
      }
    } else if (i.a == op_convergence) {
      if (i.b > 100) {
        auto to = found.error(errc::nac_convergence_threshold, {.offset = i.offset + 1});
        to << "threshold " << unsigned{i.b} << "; expected 0 to 100";
        put_path(to, i, i.offset + 1);
      }
    } else if (i.a != op_control_flow) {
      auto to = found.error(errc::nac_operation_reserved, {.offset = i.offset});
      to << "operation " << unsigned{i.a} << " is reserved and can't run";
      put_path(to, i, i.offset);
    }
    prefix(i);
  }

  [[gnu::cold]] void nesting(const instruction& i, std::uint64_t at, std::uint32_t end,
                             std::uint32_t around) {
    auto to = found.error(errc::nac_branch_nesting, {.offset = at});
    to << "the branches end before instruction " << end << ", the branch around them before "
       << around;
    put_path(to, i, at);
  }
  /// The branches that follow an instruction have to end inside the one around it.
  void open(const instruction& i, view<argument> given, branches& around) {
    if (i.a == op_control_flow) {
      const std::uint32_t middle = i.index + 1 + given[1].index(), end = middle + given[2].index();
      if (end > around.end()) return nesting(i, i.c_offset(1), end, around.end());
      around.open(end);
      around.open(middle);
    } else if (i.a == op_convergence && given.size() > 2) {
      if (given[1].index() > around.end())
        return nesting(i, i.d_offset(0), given[1].index(), around.end());
      around.open(given[1].index());
      for (std::size_t k = given.size() - 1; k > 2; --k) around.open(given[k].index());
    }
  }

  /// How many of an instruction's arguments may be results.
  [[nodiscard]] static std::size_t operands(const instruction& i, view<argument> given) noexcept {
    if (i.a == op_convergence || i.a == op_control_flow) return 1;
    return i.a == op_output && i.b == static_cast<std::uint8_t>(output::end) ? 0 : given.size();
  }

  /// All instructions of a list; without `resolved`, what needs no arguments.
  void check(const instructions& list, code* resolved, uses& used, bool model) {
    const std::uint32_t n = resolved != nullptr ? list.size() : 0;
    branches around(n);
    pool<std::uint32_t> branch_end;
    used.first.resize(n);
    used.last.resize(n);
    branch_end.resize(n);
    sources.clear();
    has_output = false;
    for (const instruction& i : list) {
      what(i, model);
      has_output = has_output || (i.a == op_output && i.b == 0);
      if (i.a == op_input || (i.a == op_output && i.b == static_cast<std::uint8_t>(output::step)))
        sources.push_back({i.offset, i.index, i.c.empty() ? std::uint16_t{0} : i.c[0], i.a, i.b});
      if (resolved == nullptr) continue;
      step& s = resolved->steps[i.index];
      const view<argument> given = resolved->arguments_of(s);
      const bool is_whole = broken.empty() || broken[i.index] == 0;
      if (is_whole && i.a >= first_regular_op) {
        operation o = operation_of(i.a);
        if (model && o != operation::unknown) o = arguments(i, given, o);
        s.operation = static_cast<std::uint16_t>(o);
      }
      around.enter(i.index);
      branch_end[i.index] = around.end();
      used.first[i.index] = no_index;
      used.last[i.index] = i.index;
      if (!is_whole) continue;
      for (std::size_t k = 0; k < operands(i, given); ++k) {
        if (given[k].is_constant()) continue;
        const std::uint32_t from = given[k].index();
        if (used.first[from] == no_index) used.first[from] = i.index;
        used.last[from] = i.index;
        if (branch_end[from] <= i.index) {
          auto to = found.warning(errc::nac_branch_result, {.offset = word(i, k)});
          to << "the result of instruction " << from
             << " is used outside its branch: it is absent if that branch doesn't run";
          put_path(to, i, word(i, k));
        }
      }
      open(i, given, around);
    }
  }

  /// An instruction whose arguments can't be resolved.
  [[gnu::cold]] void unresolved(const instruction& i, const error& e, std::uint32_t count) {
    auto to = found.error(e.code, {.offset = e.offset});
    const auto number = [&] { return load_le<std::int16_t>(f.source().data() + e.offset); };
    const std::uint32_t left = count - i.index;  // with this one
    switch (e.code) {
      case errc::nac_reference:
        to << "offset " << number() << " leads to instruction " << std::int64_t{i.index} + number()
           << "; expected an earlier one, from 0 on";
        break;
      case errc::nac_reference_zero:
        to << "offset 0 leads to the instruction itself; expected an earlier one";
        break;
      case errc::nac_constant_count: {
        std::uint32_t zeros = 0;
        for (std::uint32_t k = 0; k < i.d.size(); ++k) zeros += i.d[k] == 0 ? 1u : 0u;
        put_count(to, i.c.size(), "constant");
        to << "; expected " << zeros << ", as many as D has zeros";
        break;
      }
      case errc::nac_constant_id:
        to << "no constant in CNST has the id "
           << load_le<std::uint16_t>(f.source().data() + e.offset);
        break;
      case errc::nac_branch_length: {
        const bool first = e.offset == i.c_offset(0);
        to << (first ? "the true branch has " : "the false branch has ");
        put_count(to, i.c[first ? 0 : 1], "instruction");
        to << "; only " << left - 1 - (first ? 0u : i.c[0]) << " follow";
        break;
      }
      case errc::nac_convergence_input:
        put_count(to, i.c.size(), "word");
        to << " in C; expected 1, the offset of the input";
        break;
      case errc::nac_convergence_end: to << "end " << number() << "; expected 0 to " << left; break;
      case errc::nac_convergence_count:
        to << number() << " branches; expected at least 1 where the end isn't 0";
        break;
      case errc::nac_convergence_branch:
        to << "a branch begins at offset " << number()
           << "; expected ascending offsets of at least 1 that are less than the end, " << i.d[0];
        break;
      default: break;  // unreachable: no other faults
    }
    put_path(to, i, e.offset);
  }

  /// Resolves a list and checks it. Where an argument can't be resolved, so is every other
  /// instruction.
  [[nodiscard]] bool resolve_and_check(const instructions& list, code& out, uses& used,
                                       bool model) {
    training = !model;
    broken.clear();
    result<code> resolved = resolve(f, list, {.limit = options.limit});
    if (resolved) {
      out = *std::move(resolved);
      check(list, &out, used, model);
      return true;
    }
    if (const error e = resolved.error();
        e.code == errc::too_many_items || e.code == errc::input_too_large) {
      found.error(e);
      check(list, nullptr, used, model);
      return false;
    }
    const id_set ids = constant_ids(f);
    argument_resolver each(ids, list.offset(), list.size(), out);
    broken.resize(list.size());
    for (const instruction& i : list)
      if (const error e = each.take(i); e.code != errc::ok) {
        broken[i.index] = 1;
        unresolved(i, e, list.size());
        if (e.code == errc::input_too_large) break;
      }
    const bool is_whole = out.steps.size() == list.size();
    check(list, is_whole ? &out : nullptr, used, model);
    return false;
  }
};

/// The largest number of results that are needed at once.
[[nodiscard]] inline std::uint32_t peak_of(const pool<std::uint32_t>& last_use) {
  pool<std::uint32_t> ending;
  ending.resize(last_use.size());
  for (const std::uint32_t last : last_use) ++ending[last];
  std::uint32_t now = 0, peak = 0;
  for (const std::uint32_t count : ending) {
    if (++now > peak) peak = now;
    now -= count;
  }
  return peak;
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_CODE_HPP

// ---- tessera/nac/detail/rules_data.hpp
//
// NAC verification of DATA and ARRS: that tensors hold what their metadata say.
//
//   errc  of                a tensor that
//   nac_tensor_size         elements × size of one isn't the number of its bytes
//   nac_tensor_type         int8 codes hold int8, code 1 holds float16
//   nac_tensor_axis         the axis of its scales isn't one of its dimensions
//   nac_tensor_scales       it hasn't one scale for each index of the axis, or for each block
//   nac_tensor_padding      block_fp8: not one dimension, the original elements and less than a
//                           block more
//
// Lifetime:   for the time of a call.
// Errors:     values; of internal tensors, the offset is that of the field that is wrong.
// Limits:     none of its own: all arithmetic is checked.
// Allocation: none.

#ifndef TESSERA_NAC_DETAIL_RULES_DATA_HPP
#define TESSERA_NAC_DETAIL_RULES_DATA_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// "; f32 [3, 4] needs 48", after a number of bytes.
template <class Out, class Shape>
[[gnu::cold]] void put_expected_size(Out& to, data_type type, const Shape& shape) {
  const std::uint64_t size = shape_bytes(type, shape);
  to << "; ";
  put_type(to, type, shape);
  if (size == ~std::uint64_t{0})
    to << " needs more than 2^64 - 1";
  else
    to << " needs " << size;
}

/// What is wrong with a tensor; the offset counts from its record in block 3.
[[nodiscard]] inline error tensor_fault(const tensor& t) noexcept {
  constexpr std::uint64_t size_field = 6, type_field = 14, shape_field = 16;
  const std::uint64_t payload = shape_field + 4 * std::uint64_t{t.shape.size()} + 1;
  switch (t.quantization) {
    case quantization::none: break;
    case quantization::fp16:
      if (t.type != data_type::float16) return {errc::nac_tensor_type, type_field};
      break;
    case quantization::int8_tensor:
    case quantization::int8_channel:
    case quantization::block_fp8:
      if (t.type != data_type::int8) return {errc::nac_tensor_type, type_field};
      break;
  }
  if (shape_bytes(t.type, t.shape) != t.data.size()) return {errc::nac_tensor_size, size_field};
  if (t.quantization == quantization::int8_tensor) {
    if (t.scales.size() != 1) return {errc::nac_tensor_scales, payload};
  } else if (t.quantization == quantization::int8_channel) {
    if (t.axis >= t.shape.size()) return {errc::nac_tensor_axis, payload};
    if (t.scales.size() != t.shape[t.axis]) return {errc::nac_tensor_scales, payload + 1};
  } else if (t.quantization == quantization::block_fp8) {
    if (t.shape.size() != 1) return {errc::nac_tensor_padding, type_field + 1};
    const std::uint64_t padded = t.shape[0];
    std::uint64_t wanted = 0;
    if (!count_elements(t.original_shape, wanted) || wanted > padded || padded - wanted >= t.block)
      return {errc::nac_tensor_padding, payload + 2};
    if (padded != std::uint64_t{t.scales.size()} * t.block)
      return {errc::nac_tensor_scales, payload + 3 + 4 * std::uint64_t{t.original_shape.size()}};
  }
  return {};
}

/// Says what is wrong with a tensor of which tensor_fault found the code.
template <class Out>
[[gnu::cold]] void put_tensor_fault(Out& to, errc code, const tensor& t) {
  switch (code) {
    case errc::nac_tensor_size:
      to << t.data.size() << " bytes of elements";
      put_expected_size(to, t.type, t.shape);
      break;
    case errc::nac_tensor_type:
      to << name(t.type) << " elements with quantization " << name(t.quantization) << "; expected "
         << (t.quantization == quantization::fp16 ? "f16" : "i8");
      break;
    case errc::nac_tensor_axis:
      to << "axis " << unsigned{t.axis} << " of a tensor of rank " << t.shape.size()
         << "; expected an axis below the rank";
      break;
    case errc::nac_tensor_scales:
      put_count(to, t.scales.size(), "scale");
      if (t.quantization == quantization::int8_channel)
        to << "; expected " << t.shape[t.axis] << ", one for each index of axis "
           << unsigned{t.axis};
      else if (t.quantization == quantization::block_fp8)
        to << " for " << t.shape[0] << " elements in blocks of " << t.block
           << "; expected one for each block";
      break;  // whole tensors have one wherever they are read
    case errc::nac_tensor_padding:
      to << "stored as ";
      put_type(to, t.type, t.shape);
      to << "; expected one dimension: the elements of ";
      put_type(to, t.type, t.original_shape);
      to << ", padded to whole blocks of " << t.block;
      break;
    default: break;  // unreachable: no other faults
  }
}

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_DATA_HPP

// ---- tessera/nac/detail/rules_schedule.hpp
//
// NAC verification of MMAP: which commands of the schedule change no result.
//
// A schedule is advice: compilers preload what is no parameter, and free early. No command makes a
// program invalid; one that isn't like those below gets a warning, and program::schedule() leaves it
// out. Only bytes of MMAP that can't be read are an error, of `read`: nobody knows what they advise,
// and writing the container again would lose them.
//
//   tick t, an instruction of OPS; its commands:
//   save_result  of t itself
//   forward      to the one instruction that takes the result of t
//   free         of t or an earlier instruction, once, when no instruction after t uses its result
//   preload      of an INPUT of variant 1, at that INPUT or before it
//   save_for_grad, free_after_trng   of any instruction
//
// The specification frees at the tick after the last use, compilers at that of the last use: both
// are right.
//
// Lifetime:   for the time of a call.
// Errors:     warnings of nac_tick … nac_free_twice; the offset is that of the tick, of the action
//             or of its target.
// Limits:     none of its own.
// Allocation: 1 byte for each instruction, and the program's commands.

#ifndef TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP
#define TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

struct schedule_rules {
  const model& f;
  findings& found;
  const code& program;  // as many steps as OPS has instructions
  const uses& used;
  pool<scheduled_command>& usable;

  pool<std::uint8_t> seen = {};  // by instruction: bit 0 it was a tick, bit 1 it was freed

  [[nodiscard]] bool is_parameter(std::uint32_t i) const noexcept {
    const step& s = program.steps[i];
    return s.a == op_input && s.b == static_cast<std::uint8_t>(input::parameter);
  }

  /// What is wrong with a command of an instruction's tick, if anything.
  [[nodiscard]] errc fault_of(const command& c, std::uint32_t tick) const noexcept {
    if (name(c.what).empty()) return errc::nac_action;
    if (c.target >= program.steps.size()) return errc::nac_target;
    switch (c.what) {
      case action::save_result:
        if (c.target != tick) return errc::nac_save_target;
        break;
      case action::forward:
        if (used.first[tick] != c.target || used.last[tick] != c.target)
          return errc::nac_forward_target;
        break;
      case action::preload:
        if (!is_parameter(c.target)) return errc::nac_preload_target;
        if (c.target < tick) return errc::nac_preload_late;
        break;
      case action::free:
        if (c.target > tick) return errc::nac_free_early;
        if (used.last[c.target] > tick) return errc::nac_free_needed;
        if ((seen[c.target] & 2u) != 0) return errc::nac_free_twice;
        break;
      case action::save_for_grad:
      case action::free_after_trng: break;
    }
    return errc::ok;
  }

  [[gnu::cold]] void fault(errc code, const command& c, const tick& t, std::uint32_t index) {
    const std::uint64_t at = code == errc::nac_action ? c.offset : c.offset + 1;
    auto to = found.warning(code, {.offset = at});
    const std::string_view action_name = name(c.what);
    if (!action_name.empty())
      to << action_name << " of instruction " << c.target << " at tick " << t.instruction << ": ";
    switch (code) {
      case errc::nac_action:
        to << "action " << static_cast<unsigned>(c.what) << "; expected 10, 15, 20, 25, 30 or 40";
        break;
      case errc::nac_target:
        to << "OPS has ";
        put_count(to, program.steps.size(), "instruction");
        break;
      case errc::nac_save_target: to << "expected the tick's own instruction"; break;
      case errc::nac_forward_target:
        if (used.first[t.instruction] == no_index)
          to << "no instruction uses the result";
        else if (used.first[t.instruction] != used.last[t.instruction])
          to << "several instructions use the result";
        else
          to << "expected instruction " << used.last[t.instruction] << ", which uses the result";
        break;
      case errc::nac_preload_target: to << "expected an INPUT of variant 1"; break;
      case errc::nac_preload_late:
        to << "the INPUT has already run; expected a later target";
        break;
      case errc::nac_free_early: to << "the result doesn't exist yet"; break;
      case errc::nac_free_needed:
        to << "instruction " << used.last[c.target] << " still needs the result";
        break;
      case errc::nac_free_twice: to << "the result is already freed"; break;
      default: break;  // unreachable: no other findings
    }
    put_tick(to.path(), index, t, at);
  }

  void check(const command& c, const tick& t, std::uint32_t index) {
    if (const errc code = fault_of(c, t.instruction); code != errc::ok)
      return fault(code, c, t, index);
    if (c.what == action::free) seen[c.target] |= 2;
    usable.push_back({t.instruction, c.target, c.what});
  }

  void check() {
    seen.resize(program.steps.size());
    std::uint32_t index = 0;
    for (const tick& t : f.schedule()) {
      const std::uint32_t number = index++;
      if (t.instruction >= program.steps.size()) {
        auto to = found.warning(errc::nac_tick, {.offset = t.offset});
        to << "tick for instruction " << t.instruction << "; OPS has ";
        put_count(to, program.steps.size(), "instruction");
        put_tick(to.path(), number, t, t.offset);
        continue;
      }
      if ((seen[t.instruction] & 1u) != 0) {
        auto to = found.warning(errc::nac_tick_repeated, {.offset = t.offset});
        to << "duplicate record for tick " << t.instruction;
        put_tick(to.path(), number, t, t.offset);
      }
      seen[t.instruction] |= 1;
      for (const command& c : t.commands) check(c, t, number);
    }
  }
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_RULES_SCHEDULE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct verifier {
  const model& f;
  const verify_options& options;
  findings& found;
  program& out;
  pool<std::uint32_t> record_of = {};  // by a parameter's id: which record names it

  // ---- tables of ids

  /// `put(to, index, record)` writes the path.
  template <class List, class Put>
  void ids_once(const List& list, Put&& put) {
    id_set seen;
    std::uint32_t index = 0;
    for (const auto& r : list) {
      if (seen.has(r.id)) {
        auto to = found.warning(errc::nac_id_repeated, {.offset = r.offset});
        to << "duplicate id " << r.id << "; the last record is used";
        put(to.path(), index, r);
      }
      seen.insert(r.id);
      ++index;
    }
  }
  template <class List>
  void named_ids_once(const List& list, std::string_view kind) {
    ids_once(list, [kind](findings::writer to, std::uint32_t index, const named& r) {
      put_named(to, kind, index, r.text);
    });
  }

  void tables() {
    for (const constant& c : f.constants()) {
      std::uint32_t at = out.constant_of_[c.id];
      if (at == no_index) {
        at = static_cast<std::uint32_t>(out.constants_.size());
        out.constant_of_.set(c.id, at);
        out.constants_.push_back(c);
        out.forms_.push_back({});
      }
      out.constants_[at] = c;
    }
    for (std::size_t i = 0; i < out.constants_.size(); ++i)
      out.forms_[i] = form_of(out.constants_[i]);
    named_ids_once(f.operations(), "operation");
    named_ids_once(f.signatures(), "signature");
    ids_once(f.constants(), [](findings::writer to, std::uint32_t index, const constant& c) {
      put_constant(to, "constant", index, c);
    });
    named_ids_once(f.parameters(), "parameter");
    named_ids_once(f.input_names(), "input name");
  }

  // ---- DATA

  [[nodiscard]] parameter& parameter_of(std::uint16_t id) {
    if (out.parameter_of_[id] == no_index) {
      out.parameter_of_.set(id, static_cast<std::uint32_t>(out.parameters_.size()));
      parameter p;
      p.id = id;
      out.parameters_.push_back(p);
    }
    return out.parameters_[out.parameter_of_[id]];
  }

  void parameters() {
    std::uint32_t index = 0;
    for (const named& n : f.parameters()) {
      parameter& p = parameter_of(n.id);
      p.has_name = true;
      p.name = n.text;
      p.offset = n.offset;
      if (record_of.size() <= n.id) record_of.resize(std::size_t{n.id} + 1);
      record_of[n.id] = index++;
    }
    index = 0;
    for (const tensor& t : f.tensors()) {
      parameter& p = parameter_of(t.id);
      if (p.has_value) {
        auto to = found.error(errc::nac_tensor_repeated, {.offset = t.offset});
        to << "duplicate tensor for ";
        put_parameter(to, t.id, p.name);
        put_tensor(to.path(), index, t, t.offset);
      }
      if (!p.has_name) {
        auto to = found.warning(errc::nac_tensor_unnamed, {.offset = t.offset});
        to << "no parameter in DATA has the tensor's id, " << t.id;
        put_tensor(to.path(), index, t, t.offset);
      }
      if (const error e = tensor_fault(t); e.code != errc::ok) {
        auto to = found.error(e.code, {.offset = t.offset + e.offset});
        if (p.has_name) {
          put_parameter(to, t.id, p.name);
          to << ": ";
        }
        put_tensor_fault(to, e.code, t);
        put_tensor(to.path(), index, t, t.offset + e.offset);
      }
      p.has_value = true;
      p.value = t;
      ++index;
    }
  }

  /// Finds an external weight by its name.
  [[gnu::cold]] void external(parameter& p) {
    const auto wrong = [&](errc code, auto&& put) {
      auto to = found.error(code, {.offset = p.offset});
      put(to);
      put_named(to.path(), "parameter", record_of[p.id], p.name);
    };
    const std::size_t i = options.weights->find(p.name);
    if (i == options.weights->size())
      return wrong(errc::nac_external_missing, [&](findings::writer to) {
        to << "the external weights have no tensor \"" << p.name << '"';
      });
    const external_tensor t = (*options.weights)[i];
    if (!t.representable)
      return wrong(errc::nac_external_type, [&](findings::writer to) {
        to << "the external tensor \"" << p.name << "\" has a type or shape that NAC doesn't have";
      });
    if (const error e = tensor_fault(t.as); e.code != errc::ok)
      return wrong(e.code, [&](findings::writer to) {
        to << "external tensor \"" << p.name << "\": ";
        put_tensor_fault(to, e.code, t.as);
      });
    p.has_value = true;
    p.value = t.as;
    p.value.id = p.id;
  }

  /// The parameters that instructions use. `used`: ids that were looked at.
  void used_parameters(const pool<incoming>& sources, id_set& used, bool training) {
    for (const incoming& i : sources) {
      if (!i.uses_parameter() || used.has(i.id)) continue;
      const std::uint16_t id = i.id;
      used.insert(id);
      const auto wrong = [&](errc code, std::string_view before, std::string_view name,
                             std::string_view after) {
        auto to = found.error(code, {.offset = i.id_offset()});
        to << before;
        put_parameter(to, id, name);
        to << after;
        put_instruction(to.path(), f, i.index, i.a, training);
        to << ", id";
      };
      const std::uint32_t at = out.parameter_of_[id];
      if (at == no_index || !out.parameters_[at].has_name) {
        wrong(errc::nac_parameter_unnamed, "DATA has no ", {}, {});
        continue;
      }
      parameter& p = out.parameters_[at];
      if (f.has_internal_weights()) {
        if (!p.has_value) wrong(errc::nac_parameter_tensor, "DATA has no tensor for ", p.name, {});
      } else if (options.weights != nullptr) {
        external(p);
      } else {
        if (!options.weights_elsewhere && out.has_weights_)
          wrong(errc::nac_weights_elsewhere, {}, p.name,
                " and all others are in another file, which was not given");
        out.has_weights_ = false;
      }
    }
  }

  /// The inputs of OPS and their names.
  void inputs(const pool<incoming>& sources) {
    pool<std::uint32_t> input_of;  // by instruction, plus 1
    pool<std::uint8_t> nameable;
    if (!f.input_names().empty()) {
      input_of.resize(f.instructions().size());
      nameable.resize(f.instructions().size());
    }
    for (const incoming& i : sources) {
      const bool user = i.is(input::user);
      if (user) out.inputs_.push_back({i.index, {}});
      if (nameable.empty()) continue;
      nameable[i.index] = user || i.is(input::lifted_constant);
      input_of[i.index] = user ? static_cast<std::uint32_t>(out.inputs_.size()) : 0;
    }
    std::uint32_t index = 0;
    for (const named& n : f.input_names()) {
      if (n.id >= nameable.size() || nameable[n.id] == 0)
        input_name(n, index);
      else if (input_of[n.id] != 0)
        out.inputs_[input_of[n.id] - 1].name = n.text;
      ++index;
    }
    if (out.inputs_.size() >= f.inputs()) return;
    auto to = found.error(errc::nac_input_count, {.offset = 5});
    put_count(to, out.inputs_.size(), "INPUT");
    to << " of variant 0 in OPS; the header counts " << f.inputs();
    to.path() << "header, number of inputs";
  }
  [[gnu::cold]] void input_name(const named& n, std::uint32_t index) {
    auto to = found.error(errc::nac_input_name, {.offset = n.offset});
    to << "input name for instruction " << n.id;
    if (n.id >= f.instructions().size()) {
      to << "; OPS has ";
      put_count(to, f.instructions().size(), "instruction");
    } else {
      to << ", which isn't an INPUT of variant 0 or 3";
    }
    put_named(to.path(), "input name", index, n.text);
  }

  // ---- RSRC and ARRS

  struct name_place {
    std::string_view name;
    std::uint64_t offset = 0;
    std::uint32_t index = 0;
  };
  template <class List>
  void names_once(const List& list, std::string_view kind) {
    pool<name_place> names;
    std::uint32_t index = 0;
    for (const auto& r : list) names.push_back({r.name, r.offset, index++});
    sort(names.data(), names.size(),
         [](const name_place& a, const name_place& b) { return a.name < b.name; });
    for (std::size_t i = 1; i < names.size(); ++i)
      if (names[i].name == names[i - 1].name) {
        auto to = found.error(errc::nac_name_repeated, {.offset = names[i].offset});
        to << "duplicate " << kind << " \"" << names[i].name << '"';
        put_named(to.path(), kind, names[i].index, names[i].name);
      }
  }
  void arrays() {
    std::uint32_t index = 0;
    for (const array& a : f.arrays()) {
      if (shape_bytes(a.type, a.shape) != a.data.size()) {
        const std::uint64_t at = a.data_offset - 8;
        auto to = found.error(errc::nac_array_size, {.offset = at});
        to << a.data.size() << " bytes of elements";
        put_expected_size(to, a.type, a.shape);
        put_array(to.path(), index, a, at);
      }
      ++index;
    }
  }

  // ---- the header and the sections

  [[gnu::cold]] void reserved_byte(std::uint64_t at) {
    auto to = found.warning(errc::nac_reserved_bytes, {.offset = at});
    to << "reserved byte " << at << " is " << load_le<std::uint8_t>(f.source().data() + at)
       << "; expected 0";
    to.path() << (at == 9 ? "header, reserved byte" : "header, reserved bytes");
  }
  void reserved_bytes() {
    const bytes source = f.source();
    if (source.size() > 9 && source[9] != std::byte{0}) reserved_byte(9);
    if (f.header() != header::v1_6) return;
    for (std::uint64_t at = 84; at < 88 && at < source.size(); ++at)
      if (source[to_size(at)] != std::byte{0}) return reserved_byte(at);
  }
  [[gnu::cold]] void slack() {
    for (std::size_t i = 0; i < section_count; ++i) {
      const auto s = static_cast<section>(i);
      if (f.slack(s) == 0) continue;
      auto to = found.warning(errc::nac_slack,
                              {.offset = f.offset(s) + f.section(s).size() - f.slack(s)});
      put_count(to, f.slack(s), "byte");
      to << " after the last record of " << section_name(s);
      put_slack(to.path(), s);
    }
  }
  [[gnu::cold]] void training_section() {
    if (f.has(section::trng) && f.version() == 1) {
      found.error(errc::nac_training_version, {.offset = f.offset(section::trng)}).path() << "TRNG";
    } else if (f.version() != 1 && f.has(section::trng) != f.has_training_flag()) {
      auto to = found.warning(errc::nac_training_flag, {.offset = 4});
      to << (f.has_training_flag() ? "bit 6 of byte 4 is set, but there is no TRNG section"
                                   : "bit 6 of byte 4 is clear, but there is a TRNG section");
      to.path() << "header, flags";
    }
  }

  void all() {
    tables();
    code_rules rules{f, options, found, out.constants_, out.forms_, out.constant_of_};
    uses used;
    bool resolved = false;
    if (f.instructions().empty()) {
      auto to = found.error(errc::nac_no_instructions, {.offset = f.offset(section::ops)});
      to << (f.has(section::ops) ? "OPS has no instructions" : "there is no OPS section")
         << "; expected at least one instruction";
      if (f.has(section::ops)) to.path() << "OPS";
    } else {
      resolved = rules.resolve_and_check(f.instructions(), out.code_, used, true);
      if (!rules.has_output)
        found.warning(errc::nac_output_missing, {.offset = f.offset(section::ops)}).path() << "OPS";
    }
    parameters();
    inputs(rules.sources);
    id_set used_ids;
    used_parameters(rules.sources, used_ids, false);
    if (resolved) schedule_rules{f, found, out.code_, used, out.schedule_}.check();
    names_once(f.resources(), "resource");
    names_once(f.arrays(), "array");
    arrays();
    if (!f.execution_plan().empty())
      plan_checker(f.execution_plan(), f.plan_constants(), found, plan_offset(f)).check();
    if (f.has(section::proc)) check_manifest(f.manifest(), f.offset(section::proc) + 8, found);
    training_section();
    if (f.has(section::trng)) {
      uses unused;
      (void)rules.resolve_and_check(f.training(), out.training_, unused, false);
      used_parameters(rules.sources, used_ids, true);
    }
    reserved_bytes();
    slack();
    if (!resolved) return;
    out.peak_results_ = peak_of(used.last);
    out.last_use_ = std::move(used.last);
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<program> verify(const model& f, const verify_options& options,
                                      report* found) {
  detail::findings all(found, options.max_diagnostics);
  program out(f);
  detail::verifier{f, options, all, out}.all();
  if (all.failed()) return all.first_error();
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_VERIFY_HPP

// ---- tessera/nac/detail/check.hpp
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_CHECK_HPP
#define TESSERA_NAC_DETAIL_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// What PERM says of a signature's instructions.
struct signature_shape {
  bool known = false, has_constants = false;
  std::uint32_t arguments = 0;
};

/// Finds what a container can't hold.
class part_checker {
 public:
  explicit part_checker(const parts& p) noexcept : p_(p) {}

  [[nodiscard]] error all() noexcept {
    using enum error_index;
    error e = header().in(whole);
    if (e.code == errc::ok) e = texts();
    if (e.code == errc::ok) e = schedule().in(tick);
    if (e.code == errc::ok) e = code(p_.instructions).in(instruction);
    if (e.code == errc::ok) e = code(p_.training).in(training_instruction);
    if (e.code == errc::ok) e = constants(p_.constants).in(constant);
    if (e.code == errc::ok) e = constants(p_.plan_constants).in(plan_constant);
    if (e.code == errc::ok) e = tensors().in(tensor);
    if (e.code == errc::ok) e = files();
    return e;
  }
  [[nodiscard]] const signature_shape& signature(std::uint8_t b) const noexcept {
    return signatures_[b];
  }

 private:
  [[nodiscard]] bool inside(const payload& d) const noexcept {
    return d.size == 0 || d.borrowed != nullptr || d.source != nullptr ||
           (d.first <= p_.own_bytes.size() && d.size <= p_.own_bytes.size() - d.first);
  }
  [[nodiscard]] static constexpr bool fits_u32(std::uint64_t n) noexcept { return n <= UINT32_MAX; }

  [[nodiscard]] error header() const noexcept {
    if (p_.form > nac::header::v1_8) return {errc::nac_write_form, 0};
    if (static_cast<std::size_t>(p_.quantization) >= quantization_count)
      return {errc::nac_write_quantization, 0};
    if (container_version(p_.form) == 1 && (p_.training_flag || p_.has_training))
      return {errc::nac_write_training, 0};
    if (p_.form != nac::header::v1_8 && !p_.arrays.empty()) return {errc::nac_write_arrays, 0};
    if (!p_.internal_weights && !p_.tensors.empty()) return {errc::nac_write_weights, 0};
    if ((!p_.has_training && !p_.training.empty()) || (!p_.has_manifest && p_.manifest.size != 0))
      return {errc::nac_write_absent, 0};
    if (p_.instructions.size() > max_instructions || p_.training.size() > max_instructions)
      return {errc::nac_too_many_instructions, max_instructions};
    for (const std::size_t n :
         {p_.schedule.size(), p_.operations.size(), p_.signatures.size(), p_.parameters.size(),
          p_.input_names.size(), p_.constants.size(), p_.plan_constants.size(), p_.tensors.size(),
          p_.resources.size(), p_.arrays.size()})
      if (!fits_u32(n)) return {errc::nac_write_count, UINT32_MAX};
    return {};
  }

  /// Names with ids: `longest` bytes each, ids up to `last`.
  [[nodiscard]] error names(const pool<named_part>& rows, std::size_t longest, errc too_long,
                            std::uint16_t last, errc too_large) const noexcept {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!rows[i].text.is_inside(p_.characters)) return {errc::nac_write_range, i};
      if (rows[i].text.size > longest) return {too_long, i};
      if (rows[i].id > last) return {too_large, i};
    }
    return {};
  }

  [[nodiscard]] error texts() noexcept {
    error e =
        names(p_.operations, 255, errc::nac_write_operation_name, 255, errc::nac_write_operation_id)
            .in(error_index::operation);
    if (e.code == errc::ok)
      e = names(p_.signatures, 255, errc::nac_write_signature, 255, errc::nac_write_signature_id)
              .in(error_index::signature);
    for (const pool<named_part>* rows : {&p_.parameters, &p_.input_names})
      if (e.code == errc::ok)
        e = names(*rows, 65535, errc::nac_write_name, 65535, errc::ok)
                .in(rows == &p_.parameters ? error_index::parameter : error_index::input_name);
    if (e.code != errc::ok) return e;
    for (const named_part& row : p_.signatures) {
      signature_shape& s = signatures_[row.id];  // of several, the last counts
      s = {true, takes_constants(p_.string(row.text)), row.text.size};
    }
    return {};
  }

  [[nodiscard]] error schedule() const noexcept {
    for (std::size_t i = 0; i < p_.schedule.size(); ++i) {
      if (!p_.schedule[i].commands.is_inside(p_.commands)) return {errc::nac_write_range, i};
      if (p_.schedule[i].commands.size > 255) return {errc::nac_write_commands, i};
    }
    return {};
  }

  [[nodiscard]] error code(const pool<instruction_part>& list) const noexcept {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].c.is_inside(p_.words) || !list[i].d.is_inside(p_.words))
        return {errc::nac_write_range, i};
      const errc e =
          list[i].a < first_regular_op ? system_instruction(list[i]) : regular_instruction(list[i]);
      if (e != errc::ok) return {e, i};
    }
    return {};
  }

  [[nodiscard]] errc regular_instruction(const instruction_part& i) const noexcept {
    const signature_shape& s = signatures_[i.b];
    if (i.b != 0 && !s.known) return errc::nac_write_signature_unknown;
    if (i.d.size != s.arguments) return errc::nac_write_arguments;
    if (i.c.size != 0 && !s.has_constants) return errc::nac_write_constants;
    if (i.c.size > 32767) return errc::nac_write_long_c;
    for (const std::uint16_t id : p_.words_of(i.c))
      if (id > max_id) return errc::nac_write_id;
    return errc::ok;
  }

  [[nodiscard]] errc system_instruction(const instruction_part& i) const noexcept {
    if (!has_variant(i.a, i.b, container_version(p_.form)))
      return i.a == op_input ? errc::nac_write_input : errc::nac_write_output;
    system_words words = system_words_of(i.a, i.b, p_.outputs);
    if (i.a == op_output && words.c > 32766)
      return errc::nac_write_long_c;  // for its prefix counts itself
    if (i.a == op_convergence) {
      if (i.c.size > 32767) return errc::nac_write_long_c;
      words.c = i.c.size;
      words.d = convergence_offsets(p_.words_of(i.d));
    }
    if (i.c.size != words.c || i.d.size != words.d) return errc::nac_write_words;
    const bool is_id = (i.a == op_input && i.b < 4) || (i.a == op_output && i.b == 3);
    if (is_id && words.c == 1 && p_.words[i.c.first] > max_id) return errc::nac_write_id;
    return errc::ok;
  }

  /// How many words a reader takes for D of a CONVERGENCE that begins like this.
  [[nodiscard]] static std::uint32_t convergence_offsets(view<std::uint16_t> d) noexcept {
    if (d.empty() || d[0] == 0) return 1;
    if (d.size() < 2) return 2;
    return 2 + (d[1] < 0x8000 ? std::uint32_t{d[1]} : 0);
  }

  [[nodiscard]] error constants(const pool<constant_part>& list) const noexcept {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const constant_part& c = list[i];
      if (static_cast<std::size_t>(c.type) >= constant_type_count)
        return {errc::nac_write_constant_type, i};
      if (c.type == constant_type::string) {
        if (!c.values.is_inside(p_.characters)) return {errc::nac_write_range, i};
        if (c.values.size > 65535) return {errc::nac_write_string, i};
      } else if (c.type > constant_type::string) {
        if (!c.values.is_inside(p_.numbers)) return {errc::nac_write_range, i};
        if (c.values.size > 65535) return {errc::nac_write_list, i};
      }
    }
    return {};
  }

  [[nodiscard]] error tensors() const noexcept {
    for (std::size_t i = 0; i < p_.tensors.size(); ++i)
      if (const errc e = tensor(p_.tensors[i]); e != errc::ok) return {e, i};
    return {};
  }
  [[nodiscard]] errc tensor(const tensor_part& t) const noexcept {
    if (!t.shape.is_inside(p_.numbers) || !t.original_shape.is_inside(p_.numbers) ||
        !t.scales.is_inside(p_.numbers) || !inside(t.data))
      return errc::nac_write_range;
    if (static_cast<std::size_t>(t.type) >= data_type_count) return errc::nac_write_data_type;
    if (static_cast<std::size_t>(t.quantization) >= quantization_count)
      return errc::nac_write_tensor_quantization;
    if (t.shape.size > 255 || t.original_shape.size > 255) return errc::nac_write_rank;
    const bool whole = t.quantization == quantization::int8_tensor,
               channel = t.quantization == quantization::int8_channel,
               block = t.quantization == quantization::block_fp8;
    if (block && t.block == 0) return errc::nac_write_block_size;
    if ((!channel && t.axis != 0) || (!block && (t.block != 0 || t.original_shape.size != 0)) ||
        (!channel && !block && t.scales.size != (whole ? 1 : 0)))
      return errc::nac_write_tensor_fields;
    if (!fits_u32(metadata_size(t))) return errc::nac_write_metadata;
    return errc::ok;
  }

 public:
  [[nodiscard]] static std::uint64_t metadata_size(const tensor_part& t) noexcept {
    const std::uint64_t shape = 3 + 4 * std::uint64_t{t.shape.size},
                        scales = 4 * std::uint64_t{t.scales.size};
    switch (t.quantization) {
      case quantization::none:
      case quantization::fp16: break;
      case quantization::int8_tensor: return shape + scales;
      case quantization::int8_channel: return shape + 5 + scales;
      case quantization::block_fp8:
        return shape + 7 + 4 * std::uint64_t{t.original_shape.size} + scales;
    }
    return shape;
  }

 private:
  [[nodiscard]] error files() const noexcept {
    for (const payload* b : {&p_.manifest, &p_.plan}) {
      if (!inside(*b)) return {errc::nac_write_range, 0, error_index::whole};
      if (!fits_u32(b->size)) return {errc::nac_write_bytecode, 0, error_index::whole};
    }
    for (std::size_t i = 0; i < p_.resources.size(); ++i) {
      const resource_part& r = p_.resources[i];
      if (!r.name.is_inside(p_.characters) || !inside(r.data))
        return {errc::nac_write_range, i, error_index::resource};
      if (r.name.size > 65535) return {errc::nac_write_name, i, error_index::resource};
      if (!fits_u32(r.data.size)) return {errc::nac_write_resource, i, error_index::resource};
    }
    for (std::size_t i = 0; i < p_.arrays.size(); ++i) {
      const array_part& a = p_.arrays[i];
      if (!a.name.is_inside(p_.characters) || !a.shape.is_inside(p_.numbers) || !inside(a.data))
        return {errc::nac_write_range, i, error_index::array};
      if (a.name.size > 65535) return {errc::nac_write_name, i, error_index::array};
      if (static_cast<std::size_t>(a.type) >= data_type_count)
        return {errc::nac_write_data_type, i, error_index::array};
      if (a.shape.size > 255) return {errc::nac_write_rank, i, error_index::array};
    }
    return {};
  }

  const parts& p_;
  signature_shape signatures_[256];
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE error check(const parts& p) noexcept { return detail::part_checker(p).all(); }

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_CHECK_HPP

// ---- tessera/nac/detail/write.hpp
//
// The bodies of nac/write.hpp.

#ifndef TESSERA_NAC_DETAIL_WRITE_HPP
#define TESSERA_NAC_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Counts what would be written.
class part_counter {
 public:
  template <class T>
  void put(T) noexcept {
    add(sizeof(T));
  }
  void put_text(std::string_view s) noexcept { add(s.size()); }
  void put_payload(bytes, const payload& p) noexcept { add(p.size); }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool overflowed() const noexcept { return overflowed_; }

 private:
  void add(std::uint64_t n) noexcept {
    if (!checked_add(size_, n, size_)) overflowed_ = true;
  }
  std::uint64_t size_ = 0;
  bool overflowed_ = false;
};

/// Puts checked parts out, section by section: once to count, once to write.
class part_writer {
 public:
  explicit part_writer(const parts& p) noexcept : p_(p), checked_(p) {}

  /// All checks, and the offsets of the sections.
  [[nodiscard]] error prepare() noexcept {
    if (const error e = checked_.all(); e.code != errc::ok) return e;
    size_ = header_sizes[static_cast<std::size_t>(p_.form)];
    order();
    for (const section s : order_) {
      if (!present(s)) continue;
      part_counter count;
      put_section(count, s);
      offsets_[static_cast<std::size_t>(s)] = size_;
      if (count.overflowed() || !checked_add(size_, count.size(), size_))
        return {errc::nac_write_size, 0, error_index::whole};
    }
    return {};
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  [[nodiscard]] error write(const sink& to) const {
    part_stream out(to);
    put_header(out);
    for (const section s : order_)
      if (offsets_[static_cast<std::size_t>(s)] != 0 && !out.stopped()) put_section(out, s);
    out.flush();
    return {out.stopped() ? errc::nac_write_stopped : errc::ok, 0};
  }

 private:
  void order() noexcept {
    bool placed[section_count] = {};
    std::size_t count = 0;
    const auto place = [&](section s) {
      if (static_cast<std::size_t>(s) >= section_count || placed[static_cast<std::size_t>(s)])
        return;
      placed[static_cast<std::size_t>(s)] = true;
      order_[count++] = s;
    };
    for (const section s : p_.layout.order) place(s);
    for (std::size_t i = 0; i < section_count; ++i) place(section_in_order(p_.form, i));
  }

  [[nodiscard]] bool present(section s) const noexcept {
    switch (s) {
      case section::proc: return p_.has_manifest;
      case section::trng: return p_.has_training;
      case section::rsrc: return p_.has_resources || !p_.resources.empty();
      case section::arrs: return p_.form == header::v1_8;
      default: return true;
    }
  }

  template <class Out>
  void put_header(Out& out) const {
    out.put_text("NAC");
    out.put(container_version(p_.form));
    out.put(static_cast<std::uint8_t>((p_.internal_weights ? 0x80u : 0u) |
                                      (p_.training_flag ? 0x40u : 0u) |
                                      static_cast<unsigned>(p_.quantization)));
    out.put(p_.inputs);
    out.put(p_.outputs);
    out.put(std::uint8_t{0});
    out.put(p_.d_model);
    for (std::uint32_t i = 0; i < header_slots[static_cast<std::size_t>(p_.form)]; ++i)
      out.put(offsets_[static_cast<std::size_t>(section_of_slot(p_.form, i))]);
    if (p_.form == header::v1_6) out.put(std::uint32_t{0});
  }

  template <class Out>
  void put_section(Out& out, section s) const {
    out.put_text(tag(s));
    switch (s) {
      case section::mmap: return put_schedule(out);
      case section::ops: return put_code(out, p_.instructions);
      case section::cmap: return put_names<std::uint8_t>(out, p_.operations);
      case section::cnst: put_count(out, p_.constants); return put_constants(out, p_.constants);
      case section::perm: return put_names<std::uint8_t>(out, p_.signatures);
      case section::data: return put_data(out);
      case section::proc:
        out.put(static_cast<std::uint32_t>(p_.manifest.size));
        return out.put_payload(p_.data_of(p_.manifest), p_.manifest);
      case section::orch:
        out.put(static_cast<std::uint32_t>(p_.plan.size));
        put_count(out, p_.plan_constants);
        out.put_payload(p_.data_of(p_.plan), p_.plan);
        return put_constants(out, p_.plan_constants);
      case section::trng: return put_code(out, p_.training);
      case section::rsrc: return put_resources(out);
      case section::arrs: return put_arrays(out);
    }
  }

  template <class Out, class Pool>
  void put_count(Out& out, const Pool& of) const {
    out.put(static_cast<std::uint32_t>(of.size()));
  }
  template <class Out>
  void put_numbers(Out& out, range r) const {
    for (const std::uint32_t n : p_.numbers_of(r)) out.put(n);
  }

  template <class Out>
  void put_schedule(Out& out) const {
    put_count(out, p_.schedule);
    for (const tick_part& t : p_.schedule) {
      out.put(t.instruction);
      out.put(static_cast<std::uint8_t>(t.commands.size));
      for (std::uint32_t i = 0; i < t.commands.size; ++i) {
        const command_part& c = p_.commands[t.commands.first + i];
        out.put(static_cast<std::uint8_t>(c.what));
        out.put(c.target);
      }
    }
  }

  template <class Out>
  void put_code(Out& out, const pool<instruction_part>& list) const {
    put_count(out, list);
    for (const instruction_part& i : list) {
      out.put(i.a);
      out.put(i.b);
      if (has_prefix(i)) out.put(prefix(i));
      for (const std::uint16_t word : p_.words_of(i.c)) out.put(word);
      for (const std::uint16_t word : p_.words_of(i.d)) out.put(word);
    }
  }
  [[nodiscard]] bool has_prefix(const instruction_part& i) const noexcept {
    if (i.a >= first_regular_op) return checked_.signature(i.b).has_constants;
    return system_words_of(i.a, i.b, p_.outputs).has_prefix;
  }
  [[nodiscard]] std::uint16_t prefix(const instruction_part& i) const noexcept {
    const self_count* const rule = i.a < first_regular_op ? rule_of(p_.layout, i.a, i.b) : nullptr;
    const bool itself = rule != nullptr && counts_itself(*rule, i.a, p_.form);
    return static_cast<std::uint16_t>(i.c.size + (itself ? 1 : 0));
  }

  template <class Length, class Out>
  void put_names(Out& out, const pool<named_part>& rows) const {
    put_count(out, rows);
    for (const named_part& row : rows) {
      out.put(row.id);
      out.put(static_cast<Length>(row.text.size));
      out.put_text(p_.string(row.text));
    }
  }

  template <class Out>
  void put_constants(Out& out, const pool<constant_part>& list) const {
    for (const constant_part& c : list) {
      out.put(c.id);
      out.put(static_cast<std::uint8_t>(c.type));
      switch (c.type) {
        case constant_type::null: out.put(std::uint16_t{0}); break;
        case constant_type::boolean:
          out.put(std::uint16_t{1});
          out.put(static_cast<std::uint8_t>(c.bits != 0));
          break;
        case constant_type::int64:
        case constant_type::float64:
          out.put(std::uint16_t{8});
          out.put(c.bits);
          break;
        case constant_type::string:
          out.put(static_cast<std::uint16_t>(c.values.size));
          out.put_text(p_.string(c.values));
          break;
        case constant_type::int32_list:
        case constant_type::float32_list:
          out.put(static_cast<std::uint16_t>(c.values.size));
          put_numbers(out, c.values);
          break;
      }
    }
  }

  template <class Out>
  void put_data(Out& out) const {
    put_names<std::uint16_t>(out, p_.parameters);
    put_names<std::uint16_t>(out, p_.input_names);
    if (!p_.internal_weights) return;
    put_count(out, p_.tensors);
    for (const tensor_part& t : p_.tensors) {
      out.put(t.id);
      out.put(static_cast<std::uint32_t>(part_checker::metadata_size(t)));
      out.put(t.data.size);
      put_shape(out, t.type, t.shape);
      out.put(static_cast<std::uint8_t>(t.quantization));
      if (t.quantization == quantization::int8_channel) out.put(t.axis);
      if (t.quantization == quantization::block_fp8) {
        out.put(t.block);
        out.put(static_cast<std::uint8_t>(t.original_shape.size));
        put_numbers(out, t.original_shape);
      }
      if (t.quantization >= quantization::int8_channel) out.put(t.scales.size);
      put_numbers(out, t.scales);
      out.put_payload(p_.data_of(t.data), t.data);
    }
  }
  template <class Out>
  void put_shape(Out& out, data_type type, range shape) const {
    out.put(static_cast<std::uint8_t>(type));
    out.put(static_cast<std::uint8_t>(shape.size));
    put_numbers(out, shape);
  }

  template <class Out>
  void put_resources(Out& out) const {
    put_count(out, p_.resources);
    for (const resource_part& r : p_.resources) {
      out.put(static_cast<std::uint16_t>(r.name.size));
      out.put_text(p_.string(r.name));
      out.put(static_cast<std::uint32_t>(r.data.size));
      out.put_payload(p_.data_of(r.data), r.data);
    }
  }

  template <class Out>
  void put_arrays(Out& out) const {
    put_count(out, p_.arrays);
    for (const array_part& a : p_.arrays) {
      out.put(static_cast<std::uint16_t>(a.name.size));
      out.put_text(p_.string(a.name));
      put_shape(out, a.type, a.shape);
      out.put(a.data.size);
      out.put_payload(p_.data_of(a.data), a.data);
    }
  }

  const parts& p_;
  part_checker checked_;
  section order_[section_count] = {};
  std::uint64_t offsets_[section_count] = {};
  std::uint64_t size_ = 0;
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<std::uint64_t> written_size(const parts& p) {
  detail::part_writer out(p);
  if (const error e = out.prepare(); e.code != errc::ok) return e;
  return out.size();
}

TESSERA_INLINE error write(const parts& p, const sink& to) {
  detail::part_writer out(p);
  const error e = out.prepare();
  return e.code == errc::ok ? out.write(to) : e;
}

TESSERA_INLINE result<pool<std::byte>> write(const parts& p) {
  detail::part_writer writer(p);
  error e = writer.prepare();
  if (e.code != errc::ok) return e;
  if (writer.size() > SIZE_MAX) return error{errc::nac_write_size, 0};
  pool<std::byte> out;
  out.reserve(to_size(writer.size()));
  e = writer.write(detail::sink_into(out));
  if (e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<pool<std::byte>> write(const model& f, const write_options& options) {
  parts p = parts_of(f);
  if (!options.keep_layout) p.layout = {};
  return write(p);
}

TESSERA_INLINE error write(const model& f, const sink& to, const write_options& options) {
  parts p = parts_of(f);
  if (!options.keep_layout) p.layout = {};
  return write(p, to);
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WRITE_HPP

// ---- tessera/nac/detail/assembly.hpp
//
// The bodies of nac/assembly.hpp.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLY_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/nac/detail/assemble_code.hpp
//
// NAC assembly: how instructions are read.
//
//   statement   [NAME =] instruction
//   instruction OPERATION [:SIGNATURE] (argument, …)      OPERATION: a word, a string, or op ID
//               input [STRING]                            the name of the input
//               parameter ID | parameter STRING
//               state ID | lifted constant | saved RESULT | saved INDEX | target ID
//               output (result, …) [filler [WORD, …]]     subgraph_output, reserved_output too
//               step ID|STRING (result, result)           a gradient and a learning rate
//               end_training ( [result] )
//               control_flow [:B] (result, INTEGER, INTEGER)
//               convergence [:B] (result [, end, branch …])
//               raw A B [c [WORD, …]] [d [OFFSET, …]]
//   argument    result | constant | #ID
//   result      NAME | @OFFSET, from this instruction
//   SIGNATURE   an id, or its codes as a string; without it: T for each result, and c b i f s S for
//               null, booleans, integers, floats, strings and lists
//
// Results may be named before they are defined. Lines end statements, but not inside of brackets.
//
// Lifetime:   borrows the text.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     255 arguments; results within 32,767 instructions.
// Allocation: at most 64 bytes for each name and value.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nac/detail/assemble_names.hpp
//
// NAC assembly: what names and values mean: results, operations, signatures, constants,
// parameters.
//
//   scope      names of results, and their instructions
//   short_ids  operations or signatures, by name; new ones get the least free id
//   constants  by value, where several have the same: the least id; new ones get the least free id
//   parameters by name, where several have the same: the first row
//   inputs     their names, as rows of the table
//
// Names are sorted, not hashed, so that no text takes more than n log n steps.
//
// Lifetime:   names of results borrow the text.
// Errors:     nac_text_*, at the name or value.
// Limits:     256 operations, 256 signatures; constants and parameters up to id 32,767.
// Allocation: at most 64 bytes for each name and value.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Shorter names first, which is the usual order of numbered names.
[[nodiscard]] inline bool name_less(std::string_view a, std::string_view b) noexcept {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// The results of OPS or of TRNG.
class scope {
 public:
  void define(std::string_view name, std::uint32_t index, std::uint64_t offset) {
    rows_.push_back({name, index, offset});
  }
  /// After the last definition.
  void close(lexer& in) {
    tessera::sort(rows_.data(), rows_.size(),
                  [](const row& a, const row& b) { return name_less(a.name, b.name); });
    for (std::size_t i = 1; i < rows_.size(); ++i)
      if (rows_[i].name == rows_[i - 1].name)
        return in.fail(errc::nac_text_value_repeated, rows_[i].offset);
  }
  [[nodiscard]] std::uint32_t find(lexer& in, std::string_view name, std::uint64_t offset) const {
    const std::size_t i = first_not_below(rows_.data(), rows_.size(),
                                          [name](const row& r) { return name_less(r.name, name); });
    if (i < rows_.size() && rows_[i].name == name) return rows_[i].index;
    in.fail(errc::nac_text_value_undefined, offset);
    return 0;
  }

 private:
  struct row {
    std::string_view name;
    std::uint32_t index;
    std::uint64_t offset;
  };
  pool<row> rows_;
};

/// Operations or signatures, of one byte's ids.
class short_ids {
 public:
  /// Those of a table, from id `first` on.
  void fill(const parts& p, const pool<named_part>& rows, std::uint32_t first) {
    const id_table last(rows);
    for (std::uint32_t id = first; id < 256; ++id)
      if (last[id] != no_index) set(static_cast<std::uint8_t>(id), p.string(rows[last[id]].text));
  }
  /// What has no row of its own, too.
  void set(std::uint8_t id, std::string_view name) {
    if (names_.size() == 0) names_.reserve(std::size_t{512} * 255);  // two of each: it never grows
    const std::size_t first = names_.size();
    names_ << name;
    index_.set(id, names_.view().substr(first));
  }
  /// An id that the text names by itself.
  void reserve(std::uint32_t id) noexcept {
    if (id < 256) reserved_[id] = true;
  }
  [[nodiscard]] bool has(std::uint32_t id) const noexcept { return index_.has(id); }
  [[nodiscard]] std::string_view operator[](std::uint8_t id) const noexcept { return index_[id]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) noexcept { return index_.find(name); }
  /// A new one's id, from `first` on; 256 when all are taken.
  [[nodiscard]] std::uint32_t free(std::uint32_t first) const noexcept {
    while (first < 256 && (index_.has(first) || reserved_[first])) ++first;
    return first;
  }

 private:
  text names_;
  short_index index_;
  bool reserved_[256] = {};
};

/// Ids that are taken.
class taken_ids {
 public:
  void add(std::uint16_t id) noexcept { taken_.insert(id); }
  [[nodiscard]] bool has(std::uint16_t id) const noexcept { return taken_.has(id); }
  /// The least free id that isn't below any it returned before; 0 above what can be written.
  [[nodiscard]] std::uint16_t next() noexcept {
    while (next_ <= max_id && has(next_)) ++next_;
    if (next_ > max_id) return 0;
    add(next_);
    return next_;
  }
  void start_at(std::uint16_t id) noexcept { next_ = id; }

 private:
  id_set taken_;
  std::uint16_t next_ = 1;
};

[[nodiscard]] inline constant_value value_of(const parts& p, const constant_part& c) noexcept {
  switch (c.type) {
    case constant_type::null: break;
    case constant_type::boolean:
    case constant_type::int64:
    case constant_type::float64: return {c.type, std::as_bytes(std::span(&c.bits, 1))};
    case constant_type::string: return {c.type, as_bytes(p.string(c.values))};
    case constant_type::int32_list:
    case constant_type::float32_list:
      return {c.type, std::as_bytes(std::span(p.numbers.data() + c.values.first, c.values.size))};
  }
  return {};
}

/// Constants that the code gives by value. Their ids are set when all are known.
class constant_values {
 public:
  taken_ids ids;

  /// What CNST holds.
  void fill(const parts& p) {
    for (const constant_part& c : p.constants) ids.add(c.id);
    rows_ = id_table(p.constants);
  }
  /// null where there is none.
  [[nodiscard]] constant_type type_of(const parts& p, std::uint16_t id) const noexcept {
    return rows_[id] != no_index ? p.constants[rows_[id]].type : constant_type::null;
  }
  void add(const constant_part& c, std::uint32_t word, std::uint64_t offset) {
    uses_.push_back({c, word, offset});
  }
  /// Sets the words, and appends to CNST what isn't there.
  void close(lexer& in, parts& p) {
    struct row {
      constant_value value;
      std::uint32_t number;  // an id, or after all ids a use
    };
    const std::uint32_t id_count = rows_.end();
    pool<row> order;
    order.reserve(p.constants.size() + uses_.size());
    for (std::uint32_t id = 0; id < id_count; ++id)
      if (rows_[id] != no_index) order.push_back({value_of(p, p.constants[rows_[id]]), id});
    for (std::size_t i = 0; i < uses_.size(); ++i)
      order.push_back({value_of(p, uses_[i].constant), id_count + static_cast<std::uint32_t>(i)});
    tessera::sort(order.data(), order.size(),
                  [](const row& a, const row& b) { return less(a.value, b.value); });
    pool<std::uint32_t> first_of;  // for each use: the first row with its value
    first_of.resize(uses_.size());
    for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
      if (less(order[first].value, order[i].value)) first = i;
      if (order[i].number >= id_count) first_of[order[i].number - id_count] = order[first].number;
    }
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const std::uint32_t first = first_of[i];
      if (first < id_count) {
        p.words[uses_[i].word] = static_cast<std::uint16_t>(first);
      } else if (first - id_count < i) {
        p.words[uses_[i].word] = p.words[uses_[first - id_count].word];
      } else {
        constant_part c = uses_[i].constant;
        const bool is_first = c.type == constant_type::null && !ids.has(1);
        if (is_first) ids.add(1);
        c.id = is_first ? std::uint16_t{1} : ids.next();
        if (c.id == 0) return in.fail(errc::nac_text_constants, uses_[i].offset);
        p.words[uses_[i].word] = c.id;
        p.constants.push_back(c);
      }
    }
  }

 private:
  struct use {
    constant_part constant;
    std::uint32_t word;
    std::uint64_t offset;
  };
  id_table rows_;
  pool<use> uses_;
};

/// Parameters that are named by their names. Ids are set when all are known.
class parameter_names {
 public:
  taken_ids ids;

  /// For a word of C, or for the id of a tensor.
  void add(std::string_view name, std::uint32_t target, bool is_tensor, std::uint64_t offset) {
    const auto first = static_cast<std::uint32_t>(names_.size());
    names_ << name;
    uses_.push_back({{first, static_cast<std::uint32_t>(name.size())}, target, is_tensor, offset});
  }
  /// Where the text has a table, that has all; else rows are appended.
  void close(lexer& in, parts& p, bool has_table) {
    struct row {
      std::string_view name;
      std::uint32_t number;  // a row of the table, or after all rows a use
    };
    const auto row_count = static_cast<std::uint32_t>(p.parameters.size());
    pool<row> order;
    order.reserve(row_count + uses_.size());
    for (std::uint32_t i = 0; i < row_count && !uses_.empty(); ++i)
      order.push_back({p.string(p.parameters[i].text), i});
    for (std::size_t i = 0; i < uses_.size(); ++i)
      order.push_back({names_.view().substr(uses_[i].name.first, uses_[i].name.size),
                       row_count + static_cast<std::uint32_t>(i)});
    tessera::sort(order.data(), order.size(),
                  [](const row& a, const row& b) { return name_less(a.name, b.name); });
    pool<std::uint32_t> first_of;
    first_of.resize(uses_.size());
    for (std::size_t i = 0, first = 0; i < order.size(); ++i) {
      if (order[first].name != order[i].name) first = i;
      if (order[i].number >= row_count) first_of[order[i].number - row_count] = order[first].number;
    }
    pool<std::uint16_t> id_of;
    id_of.resize(uses_.size());
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      const std::uint32_t first = first_of[i];
      if (first < row_count) {
        id_of[i] = p.parameters[first].id;
      } else if (first - row_count < i) {
        id_of[i] = id_of[first - row_count];
      } else {
        if (has_table) return in.fail(errc::nac_text_parameter, uses_[i].offset);
        id_of[i] = ids.next();
        if (id_of[i] == 0) return in.fail(errc::nac_text_parameters, uses_[i].offset);
        p.add_name(p.parameters, id_of[i],
                   names_.view().substr(uses_[i].name.first, uses_[i].name.size));
      }
      (uses_[i].is_tensor ? p.tensors[uses_[i].target].id : p.words[uses_[i].target]) = id_of[i];
    }
  }

 private:
  struct use {
    range name;  // in names_
    std::uint32_t target;
    bool is_tensor;
    std::uint64_t offset;
  };
  text names_;
  pool<use> uses_;
};

/// Names that the inputs themselves have.
class input_names {
 public:
  void add(range name, std::uint32_t index, std::uint64_t offset) {
    uses_.push_back({name, index, offset});
  }
  /// Appends rows for instructions that have none; the others say the same.
  void close(lexer& in, parts& p) const {
    const id_table rows(p.input_names);
    for (const use& u : uses_) {
      if (rows[u.index] == no_index)
        p.input_names.push_back({static_cast<std::uint16_t>(u.index), u.name});
      else if (p.string(p.input_names[rows[u.index]].text) != p.string(u.name))
        return in.fail(errc::nac_text_input_name, u.offset);
    }
  }

 private:
  struct use {
    range name;  // in parts::characters
    std::uint32_t index;
    std::uint64_t offset;
  };
  pool<use> uses_;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_NAMES_HPP

// ---- tessera/nac/detail/assemble_values.hpp
//
// NAC assembly: how constants, numbers, shapes and payloads are read.
//
//   nac::detail::value_reader read{in, out, resolver};
//   const nac::constant_part c = read.constant();     // null true -7 1.5 "cpu" [1, -1] [0.5, 2.0]
//
//   constant  null | true | false | INTEGER | FLOAT | STRING | [ints | floats] LIST
//   FLOAT     a number with one of . e, or inf, -inf, nan, nan 0xBITS
//   LIST      [1, -1], of int32; of float32 where one element is a FLOAT
//   payload   hex [SIZE] { DIGITS … }        DIGITS in pairs, in groups of any length
//             values [NUMBER, …]             of the type before it; true and false are 1 and 0
//             file STRING OFFSET SIZE        which the resolver finds
//
// Lifetime:   borrows what the resolver gives.
// Errors:     nac_text_*, at the token that is wrong.
// Limits:     those of the fields.
// Allocation: what is read.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac {

namespace detail {

/// A decimal number of the text. False where it isn't one; infinity beyond doubles.
[[nodiscard]] inline bool parse_double(std::string_view s, double& out) noexcept {
  const bool negative = !s.empty() && s[0] == '-';
  if (negative) s.remove_prefix(1);
  std::size_t end = 0, digits = 0, fraction = 0;
  bool point = false;
  for (; end < s.size() && (is_decimal(s[end]) || (s[end] == '.' && !point)); ++end) {
    if (s[end] == '.') {
      point = true;
    } else {
      ++digits;
      fraction += point ? 1 : 0;
    }
  }
  if (digits == 0 || s[0] == '.') return false;
  std::int64_t exponent = 0;
  if (end < s.size()) {
    if (s[end] != 'e' && s[end] != 'E') return false;
    std::size_t i = end + 1;
    const bool below = i < s.size() && s[i] == '-';
    if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
    if (i == s.size()) return false;
    constexpr std::int64_t enough = std::int64_t{1} << 50;  // beyond it nothing changes
    for (; i < s.size(); ++i) {
      if (!is_decimal(s[i])) return false;
      if (exponent < enough) exponent = exponent * 10 + (s[i] - '0');
    }
    if (below) exponent = -exponent;
  }
  const double magnitude =
      decimal_to_double({s.substr(0, end), exponent - static_cast<std::int64_t>(fraction)});
  out = negative ? -magnitude : magnitude;
  return true;
}

/// Whether a token begins a FLOAT.
[[nodiscard]] inline bool is_float(const token& t) noexcept {
  if (t.kind == token_kind::word) return t.text == word_nan || t.text == word_infinity;
  if (t.kind != token_kind::number) return false;
  if (t.text == word_minus_infinity) return true;
  const std::string_view magnitude = t.text.substr(t.text[0] == '-' ? 1 : 0);
  return magnitude.substr(0, 2) != "0x" && magnitude.find_first_of(".eE") != std::string_view::npos;
}

/// Reads values into parts.
struct value_reader {
  lexer& in;
  parts& out;
  const nac::resolver& resolver;

  /// A string of at most `max` bytes.
  [[nodiscard]] range string(std::size_t max) const {
    const std::uint64_t offset = in.offset();
    const std::size_t first = out.characters.size();
    in.string(out.characters);
    const std::size_t size = out.characters.size() - first;
    if (size > max) in.fail(errc::nac_text_length, offset);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size)};
  }

  /// Elements in brackets, which `each` reads; at most `max`.
  template <class Each>
  void list(std::size_t max, errc too_many, Each&& each) const {
    if (!in.expect('[')) return;
    if (in.accept(']')) return;
    for (std::size_t count = 1; !in.failed(); ++count) {
      if (count > max) return in.fail(too_many);
      each();
      if (in.accept(']')) return;
      in.expect(',');
    }
  }
  [[nodiscard]] range integers(std::int64_t min, std::int64_t greatest, std::size_t max,
                               errc too_many) const {
    const std::size_t first = out.numbers.size();
    list(max, too_many,
         [&] { out.numbers.push_back(static_cast<std::uint32_t>(in.integer(min, greatest))); });
    return {static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(out.numbers.size() - first)};
  }
  [[nodiscard]] range shape() const { return integers(0, 0xffffffff, 255, errc::nac_text_rank); }
  [[nodiscard]] range floats(std::size_t max, errc too_many) const {
    const std::size_t first = out.numbers.size();
    list(max, too_many, [&] { out.numbers.push_back(float32()); });
    return {static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(out.numbers.size() - first)};
  }

  /// The bits after `nan`; `standard` where there are none. `magnitude` is all but the sign, and above
  /// `infinity` in a NaN.
  [[nodiscard]] std::uint64_t nan_bits(std::uint64_t standard, std::uint64_t infinity,
                                       std::uint64_t magnitude) const noexcept {
    const token t = in.peek();
    if (t.kind != token_kind::number || t.text.substr(0, 2) != "0x") return standard;
    std::uint64_t bits = 0;
    for (const char c : t.text.substr(2)) {
      if (hex_digit(c) > 15 || bits >> 60 != 0) return in.fail(errc::nac_text_nan), standard;
      bits = bits << 4 | hex_digit(c);
    }
    if ((bits & magnitude) <= infinity || bits > (magnitude << 1 | 1))
      return in.fail(errc::nac_text_nan), standard;
    in.next();
    return bits;
  }
  /// A FLOAT or an integer, as a double that isn't a NaN. False: a NaN, whose bits follow.
  [[nodiscard]] bool number(double& value) const noexcept {
    value = 0;
    if (in.accept(word_nan)) return false;
    const token t = in.peek();
    if (in.accept(word_infinity)) return value = tessera::detail::infinity, true;
    if (t.kind != token_kind::number) return in.fail(errc::nac_text_float), true;
    if (t.text == word_minus_infinity) return in.next(), value = -tessera::detail::infinity, true;
    if (!parse_double(t.text, value)) return in.fail(errc::nac_text_float), true;
    if (value == tessera::detail::infinity || value == -tessera::detail::infinity)
      return in.fail(errc::nac_text_float_range), true;
    in.next();
    return true;
  }
  [[nodiscard]] std::uint64_t float64() const noexcept {
    double value = 0;
    if (!number(value)) return nan_bits(0x7ff8000000000000, 0x7ff0000000000000, 0x7fffffffffffffff);
    return std::bit_cast<std::uint64_t>(value);
  }
  [[nodiscard]] std::uint32_t float32() const noexcept {
    const token t = in.peek();
    double value = 0;
    if (!number(value))
      return static_cast<std::uint32_t>(nan_bits(0x7fc00000, 0x7f800000, 0x7fffffff));
    const float nearest = float_from_double(value);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    if ((bits & 0x7fffffff) == 0x7f800000 && t.text != word_infinity &&
        t.text != word_minus_infinity)
      in.fail(errc::nac_text_float_range, t.offset);
    return bits;
  }

  /// Whether a list in brackets holds a FLOAT.
  [[nodiscard]] bool holds_float() const noexcept {
    for (lexer ahead = in; !ahead.failed() && ahead.peek().kind != token_kind::end; ahead.next()) {
      if (is_float(ahead.peek())) return true;
      if (ahead.peek().kind == token_kind::mark && ahead.peek().text == "]") return false;
    }
    return false;
  }
  [[nodiscard]] constant_part constant() const {
    constant_part c;
    const token t = in.peek();
    if (t.kind == token_kind::string) {
      c.type = constant_type::string;
      c.values = string(0xffff);
    } else if (is_float(t)) {
      c.type = constant_type::float64;
      c.bits = float64();
    } else if (t.kind == token_kind::number) {
      c.type = constant_type::int64;
      constexpr std::int64_t max = 0x7fffffffffffffff;
      c.bits = static_cast<std::uint64_t>(in.integer(-max - 1, max));
    } else if (in.accept(word_null)) {
      c.type = constant_type::null;
    } else if (in.accept(boolean_words[0]) || in.accept(boolean_words[1])) {
      c.type = constant_type::boolean;
      c.bits = t.text == boolean_words[1] ? 1 : 0;
    } else if (in.accept(word_floats) || (t.text == "[" && holds_float())) {
      c.type = constant_type::float32_list;
      c.values = floats(0xffff, errc::nac_text_list);
    } else if (in.accept(word_ints) || t.text == "[") {
      c.type = constant_type::int32_list;
      c.values = integers(-0x80000000ll, 0x7fffffff, 0xffff, errc::nac_text_list);
    } else {
      in.fail(errc::nac_text_constant);
    }
    return c;
  }

  /// What a payload's size must be is unknown.
  static constexpr std::uint64_t any_size = ~std::uint64_t{0} - 1;

  /// A payload of `expected` bytes, or of the size that the text gives.
  [[nodiscard]] payload data(std::uint64_t expected) const {
    const std::uint64_t offset = in.offset();
    if (in.accept(word_file)) return reference(offset);
    if (!in.accept(word_hex)) return in.fail(errc::nac_text_payload), payload();
    if (in.peek().kind == token_kind::number)
      expected = static_cast<std::uint64_t>(in.integer(0, 0x7fffffffffffffff));
    if (!in.expect('{')) return {};
    payload p{nullptr, out.own_bytes.size(), 0};
    while (!in.failed() && !in.accept('}')) {
      const token t = in.peek();
      if (t.kind != token_kind::number && t.kind != token_kind::word)
        return in.fail(errc::nac_text_hex), p;
      for (std::size_t i = 0; i < t.text.size(); ++i)
        if (hex_digit(t.text[i]) > 15) return in.fail(errc::nac_text_hex, t.offset + i), p;
      if (t.text.size() % 2 != 0) return in.fail(errc::nac_text_hex), p;
      for (std::size_t i = 0; i < t.text.size(); i += 2)
        out.own_bytes.push_back(
            static_cast<std::byte>(hex_digit(t.text[i]) << 4 | hex_digit(t.text[i + 1])));
      in.next();
    }
    p.size = out.own_bytes.size() - p.first;
    if (expected != any_size && p.size != expected) in.fail(errc::nac_text_hex_size, offset);
    return p;
  }

  /// The same for elements of a type, which may be given as values too.
  [[nodiscard]] payload elements(data_type type, const range& dimensions) const {
    const std::uint64_t expected = shape_bytes(type, out.numbers_of(dimensions));
    const std::uint64_t offset = in.offset();
    if (!in.accept(word_values)) return data(expected);
    payload p{nullptr, out.own_bytes.size(), 0};
    list(~std::size_t{0}, errc::nac_text_list, [&] {
      std::byte b[8];
      store_le(b, element(type));
      out.own_bytes.append(b, size_of(type));
    });
    p.size = out.own_bytes.size() - p.first;
    if (p.size != expected) in.fail(errc::nac_text_values, offset);
    return p;
  }

  /// A tensor's type, shape and quantization.
  void tensor_type(tensor_part& t) const {
    t.type = type();
    t.shape = shape();
    const token q = in.peek();
    if (q.kind != token_kind::word) return;
    const std::size_t method = word_of(quantization_names, q.text);
    if (method == not_a_word) return;
    in.next();
    t.quantization = static_cast<quantization>(method);
    switch (t.quantization) {
      case quantization::none:
      case quantization::fp16: break;
      case quantization::int8_tensor:
        field(word_scale);
        t.scales = {static_cast<std::uint32_t>(out.numbers.size()), 1};
        out.numbers.push_back(float32());
        break;
      case quantization::int8_channel:
        field(word_axis);
        t.axis = static_cast<std::uint8_t>(in.integer(0, 255));
        field(word_scales);
        t.scales = floats(0xffffffff, errc::nac_text_list);
        break;
      case quantization::block_fp8:
        field(word_block);
        t.block = static_cast<std::uint16_t>(in.integer(1, 0xffff));
        field(word_shape);
        t.original_shape = shape();
        field(word_scales);
        t.scales = floats(0xffffffff, errc::nac_text_list);
        break;
    }
  }
  [[nodiscard]] data_type type() const noexcept {
    std::size_t i = 0;
    while (i < data_type_count && data_types[i].name != in.peek().text) ++i;
    if (i == data_type_count) return in.fail(errc::nac_text_data_type), data_type::float32;
    in.next();
    return static_cast<data_type>(i);
  }

 private:
  /// The bits of an element, in as many bytes as its type has.
  [[nodiscard]] std::uint64_t element(data_type type) const noexcept {
    const auto integer = [this](std::int64_t min, std::int64_t max) {
      return static_cast<std::uint64_t>(in.integer(min, max));
    };
    constexpr std::int64_t max = 0x7fffffffffffffff;
    switch (type) {
      case data_type::float32: return float32();
      case data_type::float64: return float64();
      case data_type::float16: return half_from_float(std::bit_cast<float>(float32()));
      case data_type::bfloat16: return bfloat16_from_float(std::bit_cast<float>(float32()));
      case data_type::int32: return integer(-0x80000000ll, 0x7fffffff);
      case data_type::int64: return integer(-max - 1, max);
      case data_type::int16: return integer(-0x8000, 0x7fff);
      case data_type::int8: return integer(-0x80, 0x7f);
      case data_type::uint8: return integer(0, 0xff);
      case data_type::boolean:
        if (in.accept(boolean_words[1])) return 1;
        return in.accept(boolean_words[0]) ? 0 : integer(0, 1);
    }
    return 0;  // unreachable: all types are above
  }
  void field(std::string_view word) const noexcept {
    if (!in.accept(word)) in.fail(errc::nac_text_quantization_field);
  }
  [[nodiscard]] payload reference(std::uint64_t where) const {
    text name;
    in.string(name);
    constexpr std::int64_t max = 0x7fffffffffffffff;
    const auto offset = static_cast<std::uint64_t>(in.integer(0, max));
    const auto size = static_cast<std::uint64_t>(in.integer(0, max));
    bytes found;
    if (in.failed()) return {};
    if (resolver.resolve == nullptr ||
        !resolver.resolve(resolver.context, {name.view(), offset, size}, found))
      return in.fail(errc::nac_text_payload_unresolved, where), payload();
    if (found.size() != size) return in.fail(errc::nac_text_payload_size, where), payload();
    return parts::borrow(found);
  }
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_VALUES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac {
namespace detail {

/// Whether a section begins here: a word, a colon and the end of the line.
[[nodiscard]] inline bool at_section(const lexer& in) noexcept {
  if (in.peek().kind != token_kind::word) return false;
  lexer ahead = in;
  ahead.next();
  return ahead.accept(':') && ahead.at_line_end();
}

/// Reads OPS and TRNG.
class code_assembler {
 public:
  lexer& in;
  parts& out;
  value_reader read;
  short_ids operations, signatures;
  constant_values constants;
  parameter_names parameters;
  bool has_input_names = false, has_outputs = false;

  code_assembler(lexer& from, parts& to, const resolver& r, text_map* map)
      : in(from), out(to), read{from, to, r}, map_(map) {}

  /// Before anything else reads the code: what ids it names by themselves.
  void look_over() {
    while (!in.failed() && in.peek().kind != token_kind::end && !at_section(in)) {
      while (!in.failed() && !in.at_line_end()) {
        const token t = in.next();
        const token n = in.peek();
        std::uint32_t id = 0;
        if (n.kind != token_kind::number || !small(n.text, id)) continue;
        if (t.text == "op") operations.reserve(id);
        if (t.text == ":") signatures.reserve(id);
        if (t.text == "#") constants.ids.add(static_cast<std::uint16_t>(id));
        if (t.text == "parameter" || t.text == "step")
          parameters.ids.add(static_cast<std::uint16_t>(id));
      }
      in.skip_lines();
    }
  }

  /// Everything up to the next section.
  void code(bool is_training) {
    is_training_ = is_training;
    to_ = is_training ? &out.training : &out.instructions;
    scope& names = is_training ? training_ : forward_;
    in.skip_lines();
    while (!in.failed() && in.peek().kind != token_kind::end && !at_section(in)) {
      index_ = static_cast<std::uint32_t>(to_->size());
      name_ = {};
      if (map_ != nullptr)
        map_->add(is_training ? text_section::training : text_section::code, index_, in.offset());
      if (in.peek().kind == token_kind::word) {
        lexer ahead = in;
        const token first = ahead.next();
        if (ahead.accept('=')) {
          if (word_of(reserved_words, first.text) != not_a_word)
            return in.fail(errc::nac_text_value_reserved);
          names.define(first.text, index_, first.offset);
          name_ = first.text;
          in = ahead;
        }
      }
      statement();
      in.end_line();
    }
    if (in.failed()) return;
    names.close(in);
    for (const reference& r : references_) {
      const std::uint32_t target = names.find(in, r.name, r.offset);
      if (in.failed()) return;
      if (r.is_index) {
        if (target > 0xffff) return in.fail(errc::nac_text_range, r.offset);
        out.words[r.word] = static_cast<std::uint16_t>(target);
        continue;
      }
      const std::int64_t distance = std::int64_t{target} - r.from;
      if (distance == 0) return in.fail(errc::nac_text_value_own, r.offset);
      if (distance < -0x8000 || distance > 0x7fff)
        return in.fail(errc::nac_text_distance, r.offset);
      out.words[r.word] = static_cast<std::uint16_t>(distance);
    }
    references_.clear();
  }

  /// An index into OPS: itself, or the name of its result.
  [[nodiscard]] std::uint16_t forward_index() {
    const token t = in.peek();
    if (t.kind != token_kind::word) return static_cast<std::uint16_t>(in.integer(0, 0xffff));
    in.next();
    const std::uint32_t index = forward_.find(in, t.text, t.offset);
    if (index > 0xffff) in.fail(errc::nac_text_range, t.offset);
    return static_cast<std::uint16_t>(index);
  }

  /// After the last instruction: the tables, and those that the text leaves out.
  void close(bool has_parameters) {
    if (!in.failed()) constants.close(in, out);
    if (!in.failed()) parameters.close(in, out, has_parameters);
    if (!in.failed()) input_names_.close(in, out);
  }
  [[nodiscard]] std::uint32_t inputs() const noexcept { return inputs_; }

 private:
  struct reference {
    std::string_view name;
    std::uint64_t offset;
    std::uint32_t from, word;
    bool is_index;  // the word is an instruction's index, no distance
  };
  /// Up to five digits, decimal or hex after 0x.
  [[nodiscard]] static bool small(std::string_view digits, std::uint32_t& id) noexcept {
    const bool hex = digits.substr(0, 2) == "0x";
    if (hex) digits.remove_prefix(2);
    id = 0;
    for (const char c : digits) {
      const unsigned d = hex_digit(c);
      if (d >= (hex ? 16u : 10u)) return false;
      id = id * (hex ? 16 : 10) + d;
      if (id > 0xffff) return false;
    }
    return !digits.empty();
  }

  void statement() {
    c_.clear();
    d_.clear();
    first_reference_ = references_.size();
    const token t = in.peek();
    instruction_part i;
    if (t.kind == token_kind::string) {
      regular(i, t);
    } else if (t.kind != token_kind::word) {
      return in.fail(errc::nac_text_instruction);
    } else if (const instruction_word* const w = instruction_word_of(t.text); w == nullptr) {
      regular(i, t);
    } else {
      in.next();
      i.a = w->a;
      i.b = w->b;
      system(i, *w, t);
    }
    if (in.failed()) return;
    i.c = out.add_words(c_);
    i.d = out.add_words(d_);
    to_->push_back(i);
    // Places in C and D become places in the words of all.
    for (std::size_t k = first_reference_; k < references_.size(); ++k) {
      std::uint32_t& word = references_[k].word;
      word = (word & in_c) != 0 ? i.c.first + (word & ~in_c) : i.d.first + word;
    }
    for (const value_use& u : values_) constants.add(u.constant, i.c.first + u.word, u.offset);
    for (const value_use& u : parameter_uses_)
      parameters.add(name_text_.view(), i.c.first + u.word, false, u.offset);
    values_.clear();
    parameter_uses_.clear();
  }

  // ---- operands

  static constexpr std::uint32_t in_c = std::uint32_t{1} << 31;

  /// A result, into D or C.
  void result(pool<std::uint16_t>& to, bool zero_allowed) {
    const token t = in.peek();
    if (in.accept('@')) {
      const std::uint64_t offset = in.offset();
      const std::int64_t distance = in.integer(-0x8000, 0x7fff);
      if (distance == 0 && !zero_allowed) in.fail(errc::nac_text_value_own, offset);
      return to.push_back(static_cast<std::uint16_t>(distance));
    }
    if (t.kind != token_kind::word || word_of(reserved_words, t.text) != not_a_word)
      return in.fail(errc::nac_text_result);
    in.next();
    const auto word = static_cast<std::uint32_t>(to.size());
    references_.push_back({t.text, t.offset, index_, &to == &c_ ? word | in_c : word, false});
    to.push_back(0);
  }
  /// # and an id, or a value; returns its code.
  char constant() {
    const std::uint64_t offset = in.offset();
    if (in.accept('#')) {
      c_.push_back(static_cast<std::uint16_t>(in.integer(0, 0xffff)));
      return code_of(constants.type_of(out, c_.back()));
    }
    const constant_part c = read.constant();
    values_.push_back({c, static_cast<std::uint32_t>(c_.size()), offset});
    c_.push_back(0);
    return code_of(c.type);
  }
  void number() { c_.push_back(static_cast<std::uint16_t>(in.integer(0, 0xffff))); }
  void parameter() {
    if (in.peek().kind != token_kind::string) return number();
    parameter_uses_.push_back({{}, static_cast<std::uint32_t>(c_.size()), in.offset()});
    const std::uint64_t offset = in.offset();
    name_text_.clear();
    in.string(name_text_);
    if (name_text_.size() > 0xffff) in.fail(errc::nac_text_length, offset);
    c_.push_back(0);
  }
  void variant(instruction_part& i) {
    if (in.accept(':')) i.b = static_cast<std::uint8_t>(in.integer(0, 255));
  }
  void words(std::int64_t min, std::int64_t max, pool<std::uint16_t>& to) {
    read.list(0xffff, errc::nac_text_list,
              [&] { to.push_back(static_cast<std::uint16_t>(in.integer(min, max))); });
  }
  template <class Each>
  void parentheses(Each&& each) {
    if (!in.expect('(') || in.accept(')')) return;
    while (!in.failed()) {
      each();
      if (in.accept(')')) return;
      in.expect(',');
    }
  }

  // ---- operations

  void regular(instruction_part& i, const token& t) {
    if (t.kind == token_kind::string) {
      name_text_.clear();
      in.string(name_text_);
      if (name_text_.empty()) in.fail(errc::nac_text_instruction, t.offset);
      if (!in.failed()) i.a = operation(name_text_.view(), t.offset);
    } else {
      in.next();
      i.a = operation(t.text, t.offset);
    }
    arguments(i);
  }
  [[nodiscard]] std::uint8_t operation(std::string_view name, std::uint64_t offset) {
    std::uint32_t id = operations.find(name);
    if (id < 256) return static_cast<std::uint8_t>(id);
    if (name.size() > 255) in.fail(errc::nac_text_length, offset);
    id = operations.free(first_custom_op);
    if (id > 255) in.fail(errc::nac_text_operations, offset);
    if (in.failed()) return 0;
    out.add_name(out.operations, static_cast<std::uint16_t>(id), name);
    operations.set(static_cast<std::uint8_t>(id), name);
    return static_cast<std::uint8_t>(id);
  }

  void arguments(instruction_part& i) {
    const std::uint64_t offset = in.offset();
    bool is_explicit = false, is_number = false;
    token chosen;
    std::uint32_t id = 0;
    if (in.accept(':')) {
      is_explicit = true;
      chosen = in.peek();
      is_number = chosen.kind == token_kind::number;
      if (is_number) {
        id = static_cast<std::uint32_t>(in.integer(0, 255));
      } else if (chosen.kind == token_kind::string) {
        name_text_.clear();
        in.string(name_text_);
      } else {
        return in.fail(errc::nac_text_signature);
      }
    }
    char derived[255];
    std::size_t count = 0;
    parentheses([&] {
      if (count == 255) return in.fail(errc::nac_text_arguments);
      const token t = in.peek();
      const bool is_result =
          (t.kind == token_kind::mark && t.text == "@") ||
          (t.kind == token_kind::word && word_of(reserved_words, t.text) == not_a_word);
      if (is_result) {
        derived[count++] = 'T';
        return result(d_, false);
      }
      derived[count++] = constant();
      d_.push_back(0);
    });
    if (in.failed()) return;
    const std::string_view codes(derived, count);
    if (!is_explicit) {
      i.b = signature(codes, offset);
    } else if (is_number && !signatures.has(id)) {
      add_signature(id, codes);
      i.b = static_cast<std::uint8_t>(id);
    } else {
      i.b = is_number ? static_cast<std::uint8_t>(id) : signature(name_text_.view(), chosen.offset);
      if (in.failed()) return;
      const std::string_view known = signatures[i.b];
      if (known.size() != count || !(c_.empty() || takes_constants(known)))
        in.fail(errc::nac_text_signature_arguments, chosen.offset);
    }
  }
  [[nodiscard]] std::uint8_t signature(std::string_view codes, std::uint64_t offset) {
    std::uint32_t id = signatures.find(codes);
    if (id < 256) return static_cast<std::uint8_t>(id);
    if (codes.size() > 255) in.fail(errc::nac_text_length, offset);
    id = signatures.free(1);
    if (id > 255) in.fail(errc::nac_text_signatures, offset);
    if (!in.failed()) add_signature(id, codes);
    return static_cast<std::uint8_t>(id);
  }
  void add_signature(std::uint32_t id, std::string_view codes) {
    out.add_name(out.signatures, static_cast<std::uint16_t>(id), codes);
    signatures.set(static_cast<std::uint8_t>(id), codes);
  }

  // ---- the system's

  void system(instruction_part& i, const instruction_word& w, const token& t) {
    switch (w.what) {
      case operands::name: input(); break;
      case operands::parameter: parameter(); break;
      case operands::number: number(); break;
      case operands::constant: (void)constant(); break;
      case operands::saved: saved(); break;
      case operands::values: outputs(t); break;
      case operands::step:
        parameter();
        in.expect('(');
        result(d_, true);
        in.expect(',');
        result(d_, true);
        in.expect(')');
        break;
      case operands::end:
        parentheses([&] {
          if (!d_.empty()) return in.fail(errc::nac_text_mark);
          result(d_, true);
        });
        if (d_.empty()) d_.push_back(0);
        break;
      case operands::branch:
        variant(i);
        in.expect('(');
        result(d_, true);
        in.expect(',');
        number();
        in.expect(',');
        number();
        in.expect(')');
        break;
      case operands::convergence: convergence(i); break;
      case operands::raw:
        i.a = static_cast<std::uint8_t>(in.integer(0, 255));
        i.b = static_cast<std::uint8_t>(in.integer(0, 255));
        if (in.accept(word_c)) words(-0x8000, 0xffff, c_);
        if (in.accept(word_d)) words(-0x8000, 0x7fff, d_);
        break;
      case operands::operation:
        i.a = static_cast<std::uint8_t>(in.integer(first_regular_op, 255));
        arguments(i);
        break;
    }
  }
  void input() {
    if (!is_training_) ++inputs_;
    const std::uint64_t offset = in.offset();
    range name;
    if (in.peek().kind == token_kind::string) {
      name = read.string(0xffff);
      if (index_ > 0xffff || is_training_) in.fail(errc::nac_text_input_name, offset);
    } else if (is_training_ || has_input_names || name_.empty() || index_ > 0xffff ||
               name_.size() > 0xffff) {
      return;
    } else {
      name = out.add_string(name_);
    }
    input_names_.add(name, index_, offset);
  }
  void saved() {
    const token t = in.peek();
    if (is_training_ || t.kind != token_kind::word) return c_.push_back(forward_index());
    in.next();  // names that follow aren't known yet
    references_.push_back({t.text, t.offset, index_, in_c, true});
    c_.push_back(0);
  }
  void outputs(const token& t) {
    parentheses([&] {
      if (d_.size() == 0xffff) return in.fail(errc::nac_text_outputs, t.offset);
      result(d_, true);
    });
    if (!has_outputs) {
      has_outputs = true;
      out.outputs = static_cast<std::uint16_t>(d_.size());
    }
    if (d_.size() != out.outputs) in.fail(errc::nac_text_outputs, t.offset);
    const std::uint64_t offset = in.offset();
    if (in.accept(word_filler)) {
      words(0, 0xffff, c_);
      if (c_.size() != out.outputs) in.fail(errc::nac_text_outputs, offset);
    }
    if (!in.failed()) c_.resize(out.outputs);
  }
  /// C: where the value comes from; D: the end, how many branches there are, and each.
  void convergence(instruction_part& i) {
    variant(i);
    in.expect('(');
    result(c_, true);
    if (!in.failed() && in.accept(',')) {
      result(d_, false);
      d_.push_back(0);
      while (!in.failed() && in.accept(',')) {
        if (d_.size() == 2 + 0x7fff) return in.fail(errc::nac_text_list);
        result(d_, true);
      }
      if (!in.failed()) d_[1] = static_cast<std::uint16_t>(d_.size() - 2);
    } else {
      d_.push_back(0);
    }
    in.expect(')');
  }

  struct value_use {
    constant_part constant;
    std::uint32_t word;
    std::uint64_t offset;
  };

  text_map* map_;
  pool<instruction_part>* to_ = nullptr;
  scope forward_, training_;
  bool is_training_ = false;
  std::uint32_t index_ = 0, inputs_ = 0;
  std::string_view name_;  // of the result
  text name_text_;         // decoded: an operation, a signature or a parameter
  pool<std::uint16_t> c_, d_;
  pool<reference> references_;
  pool<value_use> values_, parameter_uses_;
  input_names input_names_;
  std::size_t first_reference_ = 0;
};

}  // namespace detail
}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_CODE_HPP

// ---- tessera/nac/detail/assemble_execution_plan.hpp
//
// NAC assembly: the text of execution plans, read back to the same bytes.
//
// Lifetime:   for the time of a call.
// Errors:     those of nac/execution_plan.hpp, at the token.
// Limits:     what the fields can hold.
// Allocation: what the parts own.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class plan_parser {
 public:
  explicit plan_parser(lexer& in, text_map* map = nullptr) noexcept : in_(in), map_(map) {}

  [[nodiscard]] bool parse(parts& p) {
    for (in_.skip_lines(); in_.peek().kind != token_kind::end; in_.skip_lines()) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) in_.fail(errc::nac_mep_mnemonic);
      if (t.kind != token_kind::word || t.text == word_end) break;
      in_.next();
      if (in_.accept(':')) {
        add(labels_, t);
        continue;
      }
      if (map_ != nullptr) map_->add(text_section::plan, code_.size(), t.offset);
      if (t.text == "bytes") {
        parse_bytes(in_, code_);
      } else if (const plan_op_row* const row = find(t.text); row != nullptr) {
        instruction(*row);
      } else {
        in_.fail(errc::nac_mep_mnemonic, t.offset);
      }
      if (!in_.failed()) in_.end_line();
    }
    if (!in_.failed()) resolve();
    if (in_.failed()) return false;
    p.plan = p.keep(bytes(code_.data(), code_.size()));
    return true;
  }

 private:
  /// A label, or a jump to one.
  struct place {
    std::uint32_t source, size, code;
  };

  [[nodiscard]] std::string_view name(const place& p) const noexcept {
    return in_.source().substr(p.source, p.size);
  }
  void add(pool<place>& to, const token& t) {
    if (t.offset > 0xffffffff) return in_.fail(errc::input_too_large, t.offset);
    to.push_back({static_cast<std::uint32_t>(t.offset), static_cast<std::uint32_t>(t.text.size()),
                  static_cast<std::uint32_t>(code_.size())});
  }

  [[nodiscard]] static const plan_op_row* find(std::string_view name) noexcept {
    for (const plan_op_row& row : plan_ops)
      if (row.name == name) return &row;
    return nullptr;
  }
  void put(std::uint32_t size, std::int64_t value) {
    if (size == 1)
      append_le(code_, static_cast<std::uint8_t>(value & 0xff));
    else
      append_le(code_, static_cast<std::uint16_t>(value & 0xffff));
  }

  void instruction(const plan_op_row& row) {
    code_.push_back(static_cast<std::byte>(row.op));
    bool first = true;
    for (plan_layout layout(row); layout.kind() != '\0' && !in_.failed(); first = false) {
      if (!first && !in_.accept(',')) return in_.fail(errc::nac_mep_operand_count);
      const char kind = layout.kind();
      const std::uint64_t at = in_.offset();
      const std::int64_t value = is_list_operand(kind) ? list(kind) : operand(kind);
      if (in_.failed()) return;
      if (!layout.pass(value)) return in_.fail(choice_error(kind), at);
      if (is_list_operand(kind))
        while (layout.slots() != 0) (void)layout.pass(0);  // which are there already
    }
  }
  std::int64_t list(char kind) {
    const std::uint64_t at = in_.offset();
    const std::size_t count_at = code_.size();
    put(1, 0);
    if (!in_.expect('[')) return 0;
    std::uint32_t count = 0;
    while (!in_.failed() && !in_.accept(']')) {
      if (count != 0 && !in_.expect(',')) return 0;
      if (++count > 255) return in_.fail(errc::nac_mep_list, at), 0;
      (void)operand(kind == 'v' ? 'i' : 'o');
    }
    code_[count_at] = static_cast<std::byte>(count);
    return count;
  }
  std::int64_t operand(char kind) {
    const std::uint32_t size = operand_size(kind);
    std::int64_t value = 0;
    if (kind == 'j') {
      const token t = in_.peek();
      if (t.kind == token_kind::word) {
        in_.next();
        add(jumps_, t);
      } else {
        value = in_.integer(-0x8000, 0x7fff);
      }
    } else if (is_choice_operand(kind) && in_.peek().kind == token_kind::word) {
      const plan_choice* choice = nullptr;
      for (const plan_choice& c : plan_choices)
        if (c.set == kind && c.name == in_.peek().text) choice = &c;
      if (choice == nullptr) return in_.fail(errc::nac_mep_choice), 0;
      value = choice->value;
      in_.next();
    } else if ((kind != 'z' && kind != 'w') || !in_.accept("none")) {
      if (is_slot_operand(kind) || is_constant_operand(kind))
        in_.expect(is_slot_operand(kind) ? '$' : '#');
      if (!in_.failed()) value = in_.integer(0, size == 1 ? 0xff : 0xffff);
    }
    put(size, value);
    return value;
  }

  void resolve() {
    sort(labels_.data(), labels_.size(),
         [this](const place& a, const place& b) { return name(a) < name(b); });
    for (std::size_t i = 1; i < labels_.size(); ++i)
      if (name(labels_[i]) == name(labels_[i - 1]))
        return in_.fail(errc::nac_mep_label_repeated, labels_[i].source);
    for (const place& j : jumps_) {
      const std::size_t to =
          first_not_below(labels_.data(), labels_.size(),
                          [&](const place& label) { return name(label) < name(j); });
      if (to == labels_.size() || name(labels_[to]) != name(j))
        return in_.fail(errc::nac_mep_label_unknown, j.source);
      const std::int64_t distance = std::int64_t{labels_[to].code} - j.code - 2;
      if (distance < -0x8000 || distance > 0x7fff)
        return in_.fail(errc::nac_mep_jump_range, j.source);
      store_le(code_.data() + j.code, static_cast<std::int16_t>(distance));
    }
  }

  lexer& in_;
  text_map* map_;
  pool<std::byte> code_;
  pool<place> labels_, jumps_;
};

/// Reads the lines of a plan up to the word `end`, which it leaves, and puts the bytecode into
/// parts. False after an error, which the lexer has.
[[nodiscard]] inline bool parse_plan(lexer& in, parts& p, text_map* map = nullptr) {
  return plan_parser(in, map).parse(p);
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_EXECUTION_PLAN_HPP

// ---- tessera/nac/detail/assemble_tokenizer.hpp
//
// NAC assembly: the text of the tokenizer's manifest, read back to the same bytes.
//
// Lifetime:   for the time of a call.
// Errors:     those of nac/tokenizer.hpp, at the token.
// Limits:     what the fields can hold.
// Allocation: what the parts own.

#ifndef TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP
#define TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class manifest_parser {
 public:
  explicit manifest_parser(lexer& in, text_map* map = nullptr) noexcept : in_(in), map_(map) {}

  [[nodiscard]] bool parse(parts& p) {
    for (in_.skip_lines(); in_.peek().kind != token_kind::end; in_.skip_lines()) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) in_.fail(errc::nac_tisa_name);
      if (t.kind != token_kind::word || t.text == word_end) break;
      in_.next();
      if (map_ != nullptr) map_->add(text_section::tokenizer, out_.size(), t.offset);
      line(t);
      if (!in_.failed()) in_.end_line();
    }
    if (in_.failed()) return false;
    p.manifest = p.keep(bytes(out_.data(), out_.size()));
    p.has_manifest = true;
    return true;
  }

 private:
  template <class T>
  void number(T value) {
    append_le(out_, value);
  }
  /// A string from the text, with its length before it.
  template <class Length>
  void string() {
    const std::uint64_t at = in_.offset();
    scratch_.clear();
    in_.string(scratch_);
    if (scratch_.size() > static_cast<Length>(~Length{0})) in_.fail(errc::nac_tisa_string, at);
    number(static_cast<Length>(scratch_.size()));
    out_.append(as_bytes(scratch_.view()).data(), scratch_.size());
  }
  /// A list of strings or items up to the end of the line, with its count before it.
  void list(bool items) {
    const std::size_t count_at = out_.size();
    number(std::uint8_t{0});
    std::uint32_t count = 0;
    while (!in_.failed() && !in_.at_line_end()) {
      if (count != 0 && !in_.expect(',')) return;
      if (++count > 255) return in_.fail(errc::nac_tisa_list);
      if (items)
        item();
      else
        string<std::uint8_t>();
    }
    out_[count_at] = static_cast<std::byte>(count);
  }
  void item() {
    const token_kind kind = in_.peek().kind;
    if (in_.accept("ids")) return number(std::uint8_t{0});
    number(std::uint8_t{1});
    number(static_cast<std::uint8_t>(kind == token_kind::number ? 1 : 0));
    if (kind == token_kind::number)
      number(static_cast<std::int32_t>(in_.integer(-0x80000000LL, 0x7fffffff)));
    else if (kind == token_kind::string)
      string<std::uint8_t>();
    else
      in_.fail(errc::nac_tisa_item);
  }
  void rule() {
    const std::size_t flags_at = out_.size();
    number(std::uint8_t{0});
    string<std::uint16_t>();
    // In the order of the fields.
    std::uint8_t flags = in_.accept("protected") ? partition_rule::protects : std::uint8_t{0};
    std::int64_t behaviour = -1;
    if (in_.accept("remove"))
      behaviour = partition_rule::remove;
    else if (in_.accept("isolate"))
      behaviour = partition_rule::isolate;
    else if (in_.accept("behaviour"))
      behaviour = in_.integer(0, 255);
    if (behaviour >= 0) {
      flags |= partition_rule::has_behaviour;
      number(static_cast<std::uint8_t>(behaviour));
    }
    if (in_.accept("trim")) {
      flags |= partition_rule::has_trim;
      string<std::uint8_t>();
    }
    if (!in_.failed() && !in_.at_line_end()) in_.fail(errc::nac_tisa_rule);
    out_[flags_at] = static_cast<std::byte>(flags);
  }
  void rules() {
    const std::size_t count_at = out_.size();
    number(std::uint16_t{0});
    std::uint32_t count = 0;
    // The line's end is the caller's, but for those between rules.
    while (!in_.failed()) {
      lexer ahead = in_;
      ahead.skip_lines();
      const std::uint64_t at = ahead.offset();
      if (!in_.at_line_end() || !ahead.accept("rule")) return;
      in_ = ahead;
      if (++count > 0xffff) return in_.fail(errc::nac_tisa_list, at);
      rule();
      store_le(out_.data() + count_at, static_cast<std::uint16_t>(count));
    }
  }

  void line(const token& t) {
    if (t.text == "version") {
      out_.append(as_bytes("TISA").data(), 4);
      return number(static_cast<std::uint8_t>(in_.integer(0, 255)));
    }
    if (t.text == "bytes") return parse_bytes(in_, out_);
    const tokenizer_op_row* row = nullptr;
    for (const tokenizer_op_row& r : tokenizer_ops)
      if (r.name == t.text) row = &r;
    const bool by_number = t.text == "op";
    if (row == nullptr && !by_number) return in_.fail(errc::nac_tisa_name, t.offset);
    number(by_number ? static_cast<std::uint8_t>(in_.integer(0, 255))
                     : static_cast<std::uint8_t>(row->op));
    number(std::uint32_t{0});
    const std::size_t first = out_.size();
    if (by_number) {
      if (!in_.failed() && !in_.at_line_end()) parse_bytes(in_, out_);
    } else {
      payload(*row);
    }
    const std::uint64_t size = out_.size() - first;
    if (size > 0xffffffff) return in_.fail(errc::nac_tisa_string, t.offset);
    store_le(out_.data() + first - 4, static_cast<std::uint32_t>(size));
  }
  void payload(const tokenizer_op_row& row) {
    switch (row.form) {
      case tokenizer_form::none: break;
      case tokenizer_form::short_text:
        if (row.op != tokenizer_op::bpe_encode || !in_.at_line_end()) string<std::uint8_t>();
        break;
      case tokenizer_form::long_texts:
        string<std::uint16_t>();
        if (!in_.failed()) in_.expect(',');
        [[fallthrough]];
      case tokenizer_form::long_text: string<std::uint16_t>(); break;
      case tokenizer_form::categories: list(false); break;
      case tokenizer_form::rules: rules(); break;
      case tokenizer_form::items: list(true); break;
    }
  }

  lexer& in_;
  text_map* map_;
  pool<std::byte> out_;
  text scratch_;
};

/// Reads the lines of a manifest up to the word `end`, which it leaves, and puts the bytes into
/// parts. False after an error, which the lexer has.
[[nodiscard]] inline bool parse_manifest(lexer& in, parts& p, text_map* map = nullptr) {
  return manifest_parser(in, map).parse(p);
}

}  // namespace nac::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLE_TOKENIZER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

class assembler {
 public:
  assembler(std::string_view source, const resolver& r, text_map* map)
      : in_(source), code_(in_, out_, r, map), read_{in_, out_, r}, map_(map) {}

  [[nodiscard]] error run() {
    in_.skip_lines();
    header();
    while (!in_.failed() && in_.peek().kind != token_kind::end) section();
    if (!in_.failed()) tables();
    if (has(text_section::code)) second(text_section::code);
    if (has(text_section::training)) second(text_section::training);
    if (has(text_section::schedule)) second(text_section::schedule);
    if (!in_.failed()) code_.close(has(text_section::parameters));
    // Without an OUTPUT a run gives the last result.
    if (!code_.has_outputs && has(text_section::code)) out_.outputs = 1;
    if (!in_.failed()) defaults();
    return in_.error();
  }
  [[nodiscard]] parts take() noexcept { return std::move(out_); }

 private:
  static constexpr std::size_t section_total = sizeof section_words / sizeof *section_words;
  static constexpr std::size_t key_total = sizeof key_words / sizeof *key_words;

  [[nodiscard]] bool has(text_section s) const noexcept {
    return has_section_[static_cast<std::size_t>(s)];
  }
  [[nodiscard]] bool has(key k) const noexcept { return has_key_[static_cast<std::size_t>(k)]; }

  // ---- header

  void header() {
    while (!in_.failed() && in_.peek().kind != token_kind::end && !at_section(in_)) {
      const token t = in_.peek();
      if (t.kind != token_kind::word) return in_.fail(errc::nac_text_syntax);
      const std::size_t k = word_of(key_words, t.text);
      if (k == not_a_word) return in_.fail(errc::nac_text_key);
      if (has_key_[k]) return in_.fail(errc::nac_text_key_repeated);
      has_key_[k] = true;
      if (map_ != nullptr) map_->set(static_cast<key>(k), t.offset);
      in_.next();
      value(static_cast<key>(k));
      in_.end_line();
    }
  }
  void value(key k) {
    switch (k) {
      case key::nac:
        out_.form = static_cast<nac::header>(one_of(header_names, errc::nac_text_version));
        break;
      case key::quantization:
        out_.quantization =
            static_cast<quantization>(one_of(quantization_names, errc::nac_text_quantization));
        break;
      case key::weights:
        out_.internal_weights = one_of(weights_words, errc::nac_text_weights) != 0;
        break;
      case key::inputs: out_.inputs = id(); break;
      case key::outputs:
        out_.outputs = id();
        code_.has_outputs = true;
        break;
      case key::d_model: out_.d_model = id(); break;
      case key::training_flag:
        out_.training_flag = one_of(boolean_words, errc::nac_text_boolean) != 0;
        break;
      case key::self_counting: self_counting(); break;
      case key::order: order(); break;
    }
  }
  void self_counting() {
    self_count* const rules[] = {&out_.layout.inputs, &out_.layout.outputs, &out_.layout.branches};
    for (self_count* const rule : rules) *rule = self_count::no;
    if (in_.accept(word_none)) return;
    do {
      const std::size_t i = one_of(counting_words, errc::nac_text_self_counting);
      if (!in_.failed()) *rules[i] = self_count::yes;
    } while (!in_.failed() && !in_.at_line_end());
  }
  void order() {
    bool placed[section_count] = {};
    do {
      std::size_t i = 0;
      while (i < section_count && tag_word(static_cast<nac::section>(i)) != in_.peek().text) ++i;
      if (i == section_count) return in_.fail(errc::nac_text_section);
      if (placed[i]) return in_.fail(errc::nac_text_section_repeated);
      placed[i] = true;
      out_.layout.order.push_back(static_cast<nac::section>(i));
      in_.next();
    } while (!in_.failed() && !in_.at_line_end());
  }
  template <std::size_t N>
  [[nodiscard]] std::size_t one_of(const std::string_view (&words)[N], errc otherwise) noexcept {
    const std::size_t i = word_of(words, in_.peek().text);
    if (i == not_a_word) return in_.fail(otherwise), 0;
    in_.next();
    return i;
  }
  [[nodiscard]] std::uint16_t id() noexcept {
    return static_cast<std::uint16_t>(in_.integer(0, 0xffff));
  }

  // ---- sections; those that name results or operations are read when all others are known

  void section() {
    const token t = in_.peek();
    if (!at_section(in_)) return in_.fail(errc::nac_text_syntax);
    const std::size_t s = word_of(section_words, t.text);
    if (s == not_a_word) return in_.fail(errc::nac_text_section);
    if (has_section_[s]) return in_.fail(errc::nac_text_section_repeated);
    has_section_[s] = true;
    if (map_ != nullptr) map_->set(static_cast<text_section>(s), t.offset);
    in_.next();
    in_.next();
    in_.skip_lines();
    switch (static_cast<text_section>(s)) {
      case text_section::operations: names(text_section::operations, out_.operations, 255); break;
      case text_section::signatures: names(text_section::signatures, out_.signatures, 255); break;
      case text_section::parameters:
        names(text_section::parameters, out_.parameters, 0xffff);
        break;
      case text_section::input_names:
        names(text_section::input_names, out_.input_names, 0xffff);
        break;
      case text_section::constants: constants(text_section::constants, out_.constants); break;
      case text_section::plan_constants:
        constants(text_section::plan_constants, out_.plan_constants);
        break;
      case text_section::tensors: rows(text_section::tensors, [this] { tensor(); }); break;
      case text_section::arrays: rows(text_section::arrays, [this] { array(); }); break;
      case text_section::resources: rows(text_section::resources, [this] { resource(); }); break;
      case text_section::code:
      case text_section::training:
      case text_section::schedule:
        second_[s] = in_;
        code_.look_over();
        break;
      case text_section::plan:
        if (parse_plan(in_, out_, map_)) body_end();
        break;
      case text_section::tokenizer:
        if (parse_manifest(in_, out_, map_)) body_end();
        break;
    }
  }
  /// Statements up to the next section.
  template <class Each>
  void rows(text_section s, Each&& each) {
    for (std::uint64_t i = 0;
         !in_.failed() && in_.peek().kind != token_kind::end && !at_section(in_); ++i) {
      if (map_ != nullptr) map_->add(s, i, in_.offset());
      each();
      in_.end_line();
    }
  }
  void names(text_section s, pool<named_part>& to, std::size_t max) {
    rows(s, [&] {
      named_part n;
      n.id = id();
      in_.expect('=');
      n.text = read_.string(max);
      to.push_back(n);
    });
  }
  void constants(text_section s, pool<constant_part>& to) {
    rows(s, [&] {
      const std::uint16_t number = id();
      in_.expect('=');
      constant_part c = read_.constant();
      c.id = number;
      to.push_back(c);
    });
  }
  void tensor() {
    tensor_part t;
    const std::uint64_t offset = in_.offset();
    if (in_.peek().kind == token_kind::string) {
      text name;
      in_.string(name);
      if (name.size() > 0xffff) in_.fail(errc::nac_text_length, offset);
      code_.parameters.add(name, static_cast<std::uint32_t>(out_.tensors.size()), true, offset);
    } else {
      t.id = id();
      code_.parameters.ids.add(t.id);
    }
    in_.expect('=');
    read_.tensor_type(t);
    t.data = read_.elements(t.type, t.shape);
    out_.tensors.push_back(t);
  }
  void array() {
    array_part a;
    a.name = read_.string(0xffff);
    in_.expect('=');
    a.type = read_.type();
    a.shape = read_.shape();
    a.data = read_.elements(a.type, a.shape);
    out_.arrays.push_back(a);
  }
  void resource() {
    resource_part r;
    r.name = read_.string(0xffff);
    in_.expect('=');
    r.data = read_.data(value_reader::any_size);
    out_.resources.push_back(r);
  }
  /// The end of a plan or of a manifest.
  void body_end() {
    if (!in_.accept(word_end)) in_.fail(errc::nac_text_end);
    in_.end_line();
  }

  /// What the code leans on.
  void tables() {
    const std::uint32_t version = container_version(out_.form);
    for (std::uint32_t i = first_regular_op; i < first_custom_op; ++i)
      if (const std::string_view n = predefined_operation(i, version); !n.empty())
        code_.operations.set(static_cast<std::uint8_t>(i), n);
    code_.operations.fill(out_, out_.operations, first_regular_op);
    code_.signatures.set(0, {});
    code_.signatures.fill(out_, out_.signatures, 0);
    if (!has(text_section::constants)) out_.constants.push_back({1, constant_type::null, 0, {}});
    code_.constants.ids.start_at(2);
    code_.constants.fill(out_);
    for (const named_part& n : out_.parameters) code_.parameters.ids.add(n.id);
    code_.has_input_names = has(text_section::input_names);
  }

  void second(text_section s) {
    if (in_.failed()) return;
    in_ = second_[static_cast<std::size_t>(s)];
    if (s != text_section::schedule) return code_.code(s == text_section::training);
    rows(s, [this] { tick(); });
  }
  void tick() {
    tick_part t;
    t.instruction = code_.forward_index();
    t.commands.first = static_cast<std::uint32_t>(out_.commands.size());
    in_.expect(':');
    while (!in_.failed() && !in_.at_line_end()) {
      if (t.commands.size != 0) in_.expect(',');
      if (t.commands.size == 255) return in_.fail(errc::nac_text_commands);
      command_part c;
      const token what = in_.peek();
      std::size_t i = 0;
      while (i < sizeof actions / sizeof *actions && actions[i].name != what.text) ++i;
      if (i < sizeof actions / sizeof *actions) {
        in_.next();
        c.what = actions[i].what;
      } else if (in_.accept(word_action)) {
        c.what = static_cast<action>(in_.integer(0, 255));
      } else {
        in_.fail(errc::nac_text_action);
      }
      c.target = code_.forward_index();
      out_.commands.push_back(c);
      ++t.commands.size;
    }
    out_.schedule.push_back(t);
  }

  void defaults() {
    out_.has_training = has(text_section::training);
    out_.has_resources = has(text_section::resources);
    out_.has_manifest = has(text_section::tokenizer);
    if (!has(key::training_flag))
      out_.training_flag = out_.has_training && container_version(out_.form) == 2;
    if (!has(key::weights))
      out_.internal_weights = has(text_section::tensors) || out_.parameters.empty();
    if (!has(key::inputs))
      out_.inputs = static_cast<std::uint16_t>(code_.inputs() < 0xffff ? code_.inputs() : 0xffff);
  }

  parts out_;
  lexer in_;
  code_assembler code_;
  value_reader read_;
  text_map* map_;
  lexer second_[section_total];
  bool has_section_[section_total] = {}, has_key_[key_total] = {};
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<parts> assemble(std::string_view source, const assemble_options& options,
                                      text_map* map) {
  const std::uint64_t max =
      options.limit.max_bytes < 0xffffffff ? options.limit.max_bytes : 0xffffffff;
  if (source.size() > max) return error{errc::input_too_large, max};
  detail::assembler a(source, options.resolver, map);
  if (const error e = a.run(); e.code != errc::ok) return e;
  return a.take();
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_ASSEMBLY_HPP

// ---- tessera/nac/detail/text_map.hpp
//
// The bodies of nac/assembly.hpp.

#ifndef TESSERA_NAC_DETAIL_TEXT_MAP_HPP
#define TESSERA_NAC_DETAIL_TEXT_MAP_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nac {

TESSERA_INLINE text_map::text_map() noexcept {
  for (std::uint64_t& k : keys_) k = none;
  for (std::uint64_t& s : sections_) s = none;
}

TESSERA_INLINE void text_map::add(assembly::text_section s, std::uint64_t first,
                                  std::uint64_t offset) {
  rows_[static_cast<std::size_t>(s)].push_back(
      {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(offset)});
}

TESSERA_INLINE std::uint64_t text_map::of(assembly::text_section s) const noexcept {
  const std::uint64_t offset = sections_[static_cast<std::size_t>(s)];
  return known(offset != none ? offset
                              : sections_[static_cast<std::size_t>(assembly::text_section::code)]);
}

TESSERA_INLINE std::uint64_t text_map::of(assembly::text_section s,
                                          std::uint64_t part) const noexcept {
  const pool<row>& rows = rows_[static_cast<std::size_t>(s)];
  const std::size_t count =
      first_not_below(rows.data(), rows.size(), [part](const row& r) { return r.first <= part; });
  const bool is_body = s == assembly::text_section::plan || s == assembly::text_section::tokenizer;
  if (count == 0 || (!is_body && rows[count - 1].first != part)) return of(s);
  return rows[count - 1].offset;
}

TESSERA_INLINE std::uint64_t text_map::offset_of(const model& f, std::uint64_t offset) const {
  for (std::size_t i = 0; i < section_count; ++i) {
    const auto s = static_cast<section>(i);
    if (f.has(s) && offset >= f.offset(s) && offset - f.offset(s) < f.section(s).size())
      return in_section(f, s, offset);
  }
  if (offset == 4) return of(assembly::key::training_flag);
  if (offset >= 5 && offset < 7) return of(assembly::key::inputs);
  return of(offset >= 7 && offset < 9 ? assembly::key::outputs : assembly::key::nac);
}

TESSERA_INLINE std::uint64_t text_map::in_section(const model& f, section s,
                                                  std::uint64_t offset) const {
  using assembly::text_section;
  switch (s) {
    case section::mmap: return in_list(text_section::schedule, f.schedule(), offset);
    case section::ops: return in_list(text_section::code, f.instructions(), offset);
    case section::cmap: return in_list(text_section::operations, f.operations(), offset);
    case section::cnst: return in_list(text_section::constants, f.constants(), offset);
    case section::perm: return in_list(text_section::signatures, f.signatures(), offset);
    case section::data:
      if (!f.tensors().empty() && offset >= f.tensors().offset())
        return in_list(text_section::tensors, f.tensors(), offset);
      if (!f.input_names().empty() && offset >= f.input_names().offset())
        return in_list(text_section::input_names, f.input_names(), offset);
      return in_list(text_section::parameters, f.parameters(), offset);
    case section::proc: {
      const std::uint64_t first = f.offset(s) + 8;  // the tag, and the size
      return offset < first ? of(text_section::tokenizer)
                            : of(text_section::tokenizer, offset - first);
    }
    case section::orch: {
      const std::uint64_t first = f.offset(s) + 12;  // the tag, and both sizes
      if (offset < first) return of(text_section::plan);
      if (offset - first <= f.execution_plan().size())
        return of(text_section::plan, offset - first);
      return in_list(text_section::plan_constants, f.plan_constants(), offset);
    }
    case section::trng: return in_list(text_section::training, f.training(), offset);
    case section::rsrc: return in_list(text_section::resources, f.resources(), offset);
    case section::arrs: return in_list(text_section::arrays, f.arrays(), offset);
  }
  return 0;  // unreachable: all sections are above
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TEXT_MAP_HPP

// ---- tessera/nac/detail/quantization.hpp
//
// The bodies of nac/quantization.hpp.

#ifndef TESSERA_NAC_DETAIL_QUANTIZATION_HPP
#define TESSERA_NAC_DETAIL_QUANTIZATION_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <limits>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

TESSERA_INLINE float stored(float value) noexcept {
#if FLT_EVAL_METHOD != 0
  volatile float in_memory = value;
  return in_memory;
#else
  return value;
#endif
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<tensor_values> tensor_values::of(const tensor& t) noexcept {
  tensor_values v;
  v.tensor_ = t;
  if (const error e = detail::tensor_fault(t); e.code != errc::ok) return error{e.code, t.offset};
  (void)detail::count_elements(t.value_shape(), v.size_);  // which fits
  v.run_ = v.size_;
  if (t.quantization == quantization::int8_channel) {
    v.run_ = 1;
    for (std::uint32_t i = t.axis + 1u; i < t.shape.size() && v.size_ != 0; ++i)
      v.run_ *= t.shape[i];
  } else if (t.quantization == quantization::block_fp8) {
    v.run_ = t.block;
  }
  return v;
}

TESSERA_INLINE void tensor_values::read(std::uint64_t first, float* to,
                                        std::size_t count) const noexcept {
  const std::byte* const from = tensor_.data.data() + to_size(first * size_of(tensor_.type));
  if (tensor_.quantization >= quantization::int8_tensor) return scaled(first, from, to, count);
  switch (tensor_.type) {
    case data_type::float32: return detail::convert<float>(from, to, count);
    case data_type::float64: return detail::convert<double>(from, to, count);
    case data_type::float16:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = float_from_half(load_le<std::uint16_t>(from + i * 2));
      return;
    case data_type::bfloat16:
      for (std::size_t i = 0; i < count; ++i)
        to[i] = float_from_bfloat16(load_le<std::uint16_t>(from + i * 2));
      return;
    case data_type::int32: return detail::convert<std::int32_t>(from, to, count);
    case data_type::int64: return detail::convert<std::int64_t>(from, to, count);
    case data_type::int16: return detail::convert<std::int16_t>(from, to, count);
    case data_type::int8: return detail::convert<std::int8_t>(from, to, count);
    case data_type::uint8: return detail::convert<std::uint8_t>(from, to, count);
    case data_type::boolean:
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i] != std::byte{0} ? 1.0f : 0.0f;
      return;
  }
}

TESSERA_INLINE void tensor_values::scaled(std::uint64_t first, const std::byte* from, float* to,
                                          std::size_t count) const noexcept {
  if (count == 0) return;  // so there are elements, and runs aren't empty
  std::uint64_t left = run_ - first % run_, scale = first / run_ % tensor_.scales.size();
  while (count != 0) {
    const auto n = to_size(left < count ? left : count);
    const float factor = tensor_.scales[to_size(scale)];
    for (std::size_t i = 0; i < n; ++i)
      to[i] = detail::stored(static_cast<float>(load_le<std::int8_t>(from + i)) * factor);
    from += n;
    to += n;
    count -= n;
    left = run_;
    if (++scale == tensor_.scales.size()) scale = 0;
  }
}

TESSERA_INLINE result<pool<float>> dequantize(const tensor& t) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  pool<float> out;
  const auto count = to_size(values->size());
  values->read(0, out.prepare(count), count);
  out.advance(count);
  return out;
}

TESSERA_INLINE error dequantize(const tensor& t, std::uint64_t first, float* to,
                                std::size_t count) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  if (first > values->size() || count > values->size() - first)
    return {errc::nac_tensor_range, t.offset};
  values->read(first, to, count);
  return {};
}

}  // namespace nac
namespace nac::detail {

TESSERA_INLINE float scale_of(float largest, quantization method) noexcept {
  const float scale = stored(largest / 127.0f);
  if (scale != 0) return scale;
  return method == quantization::block_fp8 ? 1.0f : 1e-9f;
}

TESSERA_INLINE std::int8_t quantized(float x, float scale, float low) noexcept {
  float q = stored(x / scale);
  q = q < low ? low : q;
  q = q > 127.0f ? 127.0f : q;
  // Of floats from 2^23 to 2^24 the last bit is 1, so that adding rounds; what was added is gone
  // when bits are subtracted.
  constexpr float large = 0x1.8p23f;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(stored(q + large));
  return static_cast<std::int8_t>(bits - std::bit_cast<std::uint32_t>(large));
}

TESSERA_INLINE std::uint32_t largest_of(const float* values, std::size_t count) noexcept {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffu;
    largest = bits > largest ? bits : largest;
  }
  return largest;
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<quantized_values> quantize(view<float> values, view<std::uint32_t> shape,
                                                 quantization method, std::uint16_t block) {
  quantized_values out;
  const float_values from(values);
  if (const error e = measure(from, shape, method, block, out.form, out.scales); e.code != errc::ok)
    return e;
  const auto count = to_size(out.form.elements);
  const std::size_t size = count * size_of(out.form.type);
  quantize_elements(from, out.form, out.scales.data(), 0, out.data.prepare(size), count);
  out.data.advance(size);
  return out;
}

TESSERA_INLINE void quantization_error::add(float x, float y) noexcept {
  const double d = static_cast<double>(x) - static_cast<double>(y);
  const double size = d < 0 ? -d : d;
  if (!(size <= largest)) largest = size;
  signal += static_cast<double>(x) * static_cast<double>(x);
  noise += d * d;
  ++values;
}

TESSERA_INLINE void quantization_error::add(const quantization_error& other) noexcept {
  values += other.values;
  if (!(other.largest <= largest)) largest = other.largest;
  signal += other.signal;
  noise += other.noise;
}

TESSERA_INLINE double quantization_error::snr_db() const noexcept {
  return noise == 0 ? std::numeric_limits<double>::infinity()
                    : 10 * __builtin_log10(signal / noise);
}

TESSERA_INLINE result<quantization_error> error_between(const tensor& original,
                                                        const tensor& stored) {
  const result<tensor_values> x = tensor_values::of(original), y = tensor_values::of(stored);
  if (!x) return x.error();
  if (!y) return y.error();
  if (x->size() != y->size()) return error{errc::nac_tensor_shapes, stored.offset};
  quantization_error out;
  float some[detail::chunk];
  (void)detail::each_value(*x, [&](float value, std::uint64_t i) {
    if (i % detail::chunk == 0) {
      const std::uint64_t left = y->size() - i;
      y->read(i, some, left < detail::chunk ? static_cast<std::size_t>(left) : detail::chunk);
    }
    out.add(value, some[i % detail::chunk]);
    return true;
  });
  return out;
}

TESSERA_INLINE result<quantization_error> requantization_error(const tensor& t, quantization method,
                                                               std::uint16_t block) {
  const result<tensor_values> values = tensor_values::of(t);
  if (!values) return values.error();
  pool<std::uint32_t> shape;
  const packed<std::uint32_t> of = t.value_shape();
  for (std::uint32_t i = 0; i < of.size(); ++i) shape.push_back(of[i]);
  quantized_form form;
  pool<float> scales;
  if (const error e = measure(*values, shape, method, block, form, scales); e.code != errc::ok)
    return error{e.code, t.offset};
  quantization_error out;
  (void)detail::each_value(*values, [&](float x, std::uint64_t i) {
    if (form.type == data_type::float16) {
      out.add(x, float_from_half(half_from_float(x)));
    } else {
      const float scale = scales[to_size(i / form.run)];
      const float low = detail::lowest(form.quantization);
      out.add(x, detail::stored(static_cast<float>(detail::quantized(x, scale, low)) * scale));
    }
    return true;
  });
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_QUANTIZATION_HPP

// ---- tessera/nac/detail/tensor_index.hpp
//
// The bodies of nac/weights.hpp.

#ifndef TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP
#define TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

struct index_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE std::string_view tensor_index::name(const indexed_tensor& t) const noexcept {
  const std::uint32_t i = last_of(parameters_, parameters_by_id_, t.id);
  return i == none ? std::string_view() : name(parameters_[i]);
}

TESSERA_INLINE const indexed_tensor* tensor_index::find(std::uint16_t id) const& noexcept {
  const std::uint32_t i = last_of(tensors_, tensors_by_id_, id);
  return i == none ? nullptr : &tensors_[i];
}

TESSERA_INLINE const indexed_tensor* tensor_index::find(std::string_view name) const& noexcept {
  const auto name_of = [this](std::uint32_t i) { return this->name(parameters_[i]); };
  std::size_t i = first_not_below(by_name_.data(), by_name_.size(),
                                  [&](std::uint32_t p) { return name_of(p) < name; });
  for (; i < by_name_.size() && name_of(by_name_[i]) == name; ++i)
    if (const indexed_tensor* const t = find(parameters_[by_name_[i]].id)) return t;
  return nullptr;
}

}  // namespace nac
namespace nac::detail {

/// Reads into an index.
struct index_maker {
  const source& from;
  const limits& limit;
  tensor_index& out;
  std::uint64_t at = 0, end = 0;  // the next record, and the section's bound
  pool<std::byte> buffer{};       // the bytes from `start` on
  std::uint64_t start = 0;

  [[nodiscard]] error read(std::uint64_t offset, std::byte* to, std::size_t count) const {
    if (count == 0 || from.read_at(from.context, offset, to, count)) return {};
    return {errc::nac_source_read, offset};
  }
  /// Has the next `least` bytes in the buffer, or all that the section holds; reads `more` at once
  /// if it must read.
  [[nodiscard]] error fill(std::uint64_t least, std::uint64_t more) {
    const std::uint64_t left = end - at;
    if (least > left) least = left;
    if (at - start > buffer.size()) {  // hopped over what follows
      buffer.clear();
      start = at;
    }
    const std::uint64_t had = buffer.size() - (at - start);
    if (had >= least) return {};
    if (more < least) more = least;
    if (more > left) more = left;
    if (had != 0) {  // what is there already comes first
      std::byte* const first = buffer.data();
      std::memmove(first, first + (at - start), static_cast<std::size_t>(had));
    }
    buffer.clear();
    buffer.advance(static_cast<std::size_t>(had));
    start = at;
    const auto count = to_size(more - had);
    const error e = read(at + had, buffer.prepare(count), count);
    if (e.code == errc::ok) buffer.advance(count);
    return e;
  }
  /// At the next record: offsets are from there, what it loads must be in the buffer.
  [[nodiscard]] cursor here() const noexcept {
    return {buffer.data() + to_size(at - start), 0, end - at};
  }
  [[nodiscard]] error past_end(const cursor& in, error e) noexcept {
    if (e.code != errc::ok) return {e.code, e.offset + at};
    at += in.offset();
    return e;
  }

  [[nodiscard]] error count(std::uint64_t least, std::uint32_t& n) {
    if (const error e = fill(4, 64); e.code != errc::ok) return e;
    cursor in = here();
    if (!in.has(4)) return {errc::nac_truncated, at};
    n = load_le<std::uint32_t>(in.data());
    if (n > limit.max_items) return {errc::too_many_items, at};
    if (n * least > in.left() - 4) return {errc::nac_count, at};
    at += 4;
    return {};
  }

  template <class Each>
  [[nodiscard]] error names(Each&& each) {
    std::uint32_t n = 0;
    if (const error e = count(long_named::least, n); e.code != errc::ok) return e;
    for (; n != 0; --n) {
      const std::uint64_t max = std::uint64_t{16} * n;
      const std::uint64_t piece = max < 4096 ? 4096 : max < 65536 ? max : 65536;
      if (const error e = fill(4, piece); e.code != errc::ok) return e;
      if (here().has(4)) {
        const auto length = load_le<std::uint16_t>(here().data() + 2);
        if (const error e = fill(4 + std::uint64_t{length}, piece); e.code != errc::ok) return e;
      }
      cursor in = here();
      named record;
      const error e = long_named::parse(in, record);
      if (out.names_.size() > 0xfffe'ffff) return {errc::too_many_items, at};
      if (e.code == errc::ok) each(record);
      if (const error wrong = past_end(in, e); wrong.code != errc::ok) return wrong;
    }
    return {};
  }

  /// How many bytes of the record at hand, 16 or more of which are there, are looked at.
  [[nodiscard]] static std::uint64_t looked_at(const std::byte* record,
                                               std::uint64_t had) noexcept {
    constexpr std::uint64_t longest = 14 + 2 + 4 * 255 + 1 + 2 + 1 + 4 * 255 + 4;
    const std::uint64_t whole = std::uint64_t{14} + load_le<std::uint32_t>(record + 2);
    const std::uint64_t max = whole < longest ? whole : longest;
    const std::uint64_t method = 16 + 4 * std::uint64_t{load_le<std::uint8_t>(record + 15)};
    if (had < method + 4) return max;
    std::uint64_t count = method + 1;
    const auto code = load_le<std::uint8_t>(record + method);
    if (code == static_cast<std::uint8_t>(quantization::int8_channel)) count += 5;
    if (code == static_cast<std::uint8_t>(quantization::block_fp8))
      count += 7 + 4 * std::uint64_t{load_le<std::uint8_t>(record + method + 3)};
    return count < max ? count : max;
  }

  [[nodiscard]] error one_tensor() {
    constexpr std::uint64_t usual = 64;
    if (const error e = fill(16, usual); e.code != errc::ok) return e;
    if (here().has(16)) {
      const std::byte* const record = buffer.data() + (at - start);
      const std::uint64_t wanted = looked_at(record, buffer.size() - (at - start));
      if (const error e = fill(wanted, wanted); e.code != errc::ok) return e;
    }
    cursor in = here();
    tensor t;
    const error e = tensor_form::parse(in, t);
    if (e.code == errc::ok) {
      if (out.dimensions_.size() > 0xffff'ff00) return {errc::too_many_items, at};
      indexed_tensor i;
      i.offset = at;
      i.data_offset = at + t.data_offset;
      i.data_size = load_le<std::uint64_t>(here().data() + 6);
      i.scales = t.scales.size();
      if (i.scales != 0) i.scales_offset = i.data_offset - 4 * std::uint64_t{i.scales};
      i.dimensions = static_cast<std::uint32_t>(out.dimensions_.size());
      i.id = t.id;
      i.block = t.block;
      i.type = t.type;
      i.quantization = t.quantization;
      i.axis = t.axis;
      i.rank = static_cast<std::uint8_t>(t.shape.size());
      i.original_rank = static_cast<std::uint8_t>(t.original_shape.size());
      for (std::uint32_t k = 0; k < i.rank; ++k) out.dimensions_.push_back(t.shape[k]);
      for (std::uint32_t k = 0; k < i.original_rank; ++k)
        out.dimensions_.push_back(t.original_shape[k]);
      out.tensors_.push_back(i);
    }
    return past_end(in, e);
  }

  [[nodiscard]] error header() {
    struct tags {
      const index_maker& maker;
      mutable error failed;
    } const context{*this, {}};
    if (from.size > limit.max_bytes) return {errc::input_too_large, limit.max_bytes};
    std::byte first[100];
    const std::size_t size = from.size < 100 ? static_cast<std::size_t>(from.size) : 100;
    if (const error e = read(0, first, size); e.code != errc::ok) return e;
    model f;
    maker in{f,
             limit,
             bytes(first, size),
             from.size,
             &context,
             [](const void* c, std::uint64_t offset, std::byte* to) {
               const auto* const t = static_cast<const tags*>(c);
               if (t->failed.code == errc::ok) t->failed = t->maker.read(offset, to, 4);
               return t->failed.code == errc::ok;
             }};
    const error e = in.header();
    if (context.failed.code != errc::ok) return context.failed;
    out.header_ = f.header();
    out.internal_weights_ = f.has_internal_weights();
    if (f.has(section::data)) {
      at = in.part(section::data).first;
      end = in.part(section::data).end;
    }
    return e;
  }

  [[nodiscard]] error data() {
    start = at;
    error e = names([this](const named& n) {
      const auto first = static_cast<std::uint32_t>(out.names_.size());
      out.parameters_.push_back({n.id, static_cast<std::uint16_t>(n.text.size()), first});
      out.names_ << n.text;
    });
    if (e.code == errc::ok) e = names([](const named&) {});
    if (e.code != errc::ok || !out.internal_weights_) return e;
    std::uint32_t n = 0;
    e = count(tensor_form::least, n);
    for (; n != 0 && e.code == errc::ok; --n) e = one_tensor();
    return e;
  }

  [[nodiscard]] error all() {
    if (const error e = header(); e.code != errc::ok) return e;
    if (at != 0)
      if (const error e = data(); e.code != errc::ok) return e;
    tensor_index::order_by_id(out.tensors_, out.tensors_by_id_);
    tensor_index::order_by_id(out.parameters_, out.parameters_by_id_);
    for (std::uint32_t i = 0; i < out.parameters_.size(); ++i) out.by_name_.push_back(i);
    sort(out.by_name_.data(), out.by_name_.size(), [this](std::uint32_t a, std::uint32_t b) {
      return out.name(out.parameters_[a]) < out.name(out.parameters_[b]);
    });
    return {};
  }
};

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<tensor_index> index_tensors(const source& from, const read_options& options) {
  result<tensor_index> out{tensor_index()};
  detail::index_maker maker{from, options.limit, *out};
  if (const error e = maker.all(); e.code != errc::ok) return e;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_TENSOR_INDEX_HPP

// ---- tessera/nac/detail/weights.hpp
//
// The bodies of nac/weights.hpp.

#ifndef TESSERA_NAC_DETAIL_WEIGHTS_HPP
#define TESSERA_NAC_DETAIL_WEIGHTS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nac::detail {

/// Numbers of parts as records have them: little-endian.
[[nodiscard]] inline pool<std::byte> little_endian(const pool<std::uint32_t>& numbers) {
  pool<std::byte> out;
  out.reserve(numbers.size() * 4);
  for (const std::uint32_t n : numbers) append_le(out, n);
  return out;
}

/// A tensor of parts as a record over those numbers.
[[nodiscard]] inline tensor record_of(const tensor_part& t, const pool<std::byte>& numbers,
                                      bytes data) noexcept {
  const auto at = [&](range r) { return numbers.data() + std::size_t{r.first} * 4; };
  tensor out;
  out.id = t.id;
  out.type = t.type;
  out.quantization = t.quantization;
  out.axis = t.axis;
  out.block = t.block;
  out.shape = {at(t.shape), t.shape.size};
  out.original_shape = {at(t.original_shape), t.original_shape.size};
  out.scales = {at(t.scales), t.scales.size};
  out.data = data;
  return out;
}

struct conversion_maker;

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE bool conversion::read(const void* context, std::uint64_t key, std::uint64_t first,
                                     std::byte* to, std::size_t count) {
  const state& all = *static_cast<const state*>(context);
  const item& i = all.items[key];
  const std::size_t size = size_of(i.form.type);
  first /= size;
  count /= size;
  if (i.form.type != data_type::float32) {
    quantize_elements(i.values, i.form, all.scales + i.first_scale, first, to, count);
    return true;
  }
  float some[detail::chunk];
  while (count != 0) {
    const std::size_t n = count < detail::chunk ? count : detail::chunk;
    i.values.read(first, some, n);
    for (std::size_t k = 0; k < n; ++k) store_le(to + k * 4, some[k]);
    first += n;
    to += n * 4;
    count -= n;
  }
  return true;
}

}  // namespace nac
namespace nac::detail {

/// Fills a conversion, tensor by tensor.
struct conversion_maker {
  conversion& out;

  [[nodiscard]] error begin(const parts& from) const {
    if (const error e = check(from); e.code != errc::ok) return e;
    out.model = from;
    out.numbers_ = little_endian(from.numbers);
    out.state_.push_back({});
    out.source_.push_back({out.state_.data(), conversion::read});
    return {};
  }
  void end() const { out.state_[0] = {out.items_.data(), out.scales_.data()}; }

  [[nodiscard]] error values(std::size_t index, tensor_values& to) const {
    const tensor_part& t = out.model.tensors[index];
    if (t.data.source != nullptr) return {errc::nac_weights_made, index};
    const result<tensor_values> v =
        tensor_values::of(record_of(t, out.numbers_, out.model.data_of(t.data)));
    if (!v) return {v.error().code, index};
    to = *v;
    return {};
  }
  /// The elements of a tensor are from now on those of a form.
  void replace(tensor_part& t, const tensor_values& v, const quantized_form& form,
               std::uint64_t first_scale) const {
    t.type = form.type;
    t.quantization = form.quantization;
    t.axis = 0;
    t.block = form.block;
    t.data = {nullptr, out.items_.size(), form.elements * size_of(form.type), out.source_.data()};
    out.items_.push_back({v, form, first_scale});
  }

  /// Whether the tensor is stored as the method would store it.
  [[nodiscard]] static bool is_stored(const tensor_part& t, quantization method,
                                      std::uint16_t block) noexcept {
    switch (method) {
      case quantization::none:  // unreachable: no method of quantize
      case quantization::fp16:
        return t.quantization < quantization::int8_tensor && t.type == data_type::float16;
      case quantization::int8_tensor: return t.quantization == method;
      case quantization::int8_channel:
        return (t.quantization == method && t.axis == 0) ||
               (t.quantization == quantization::int8_tensor && t.shape.size == 1);
      case quantization::block_fp8: return t.quantization == method && t.block == block;
    }
    return false;  // unreachable: all methods are above
  }

  /// Whether dimensions and numbers of parts have room for what a tensor will need.
  [[nodiscard]] bool fits(std::uint64_t values, view<std::uint32_t> shape, quantization method,
                          std::uint16_t block) const noexcept {
    std::uint64_t needed = method == quantization::int8_channel ? shape[0] : 1;
    if (method == quantization::block_fp8) {
      needed = values / block + (values % block != 0 ? 1 : 0);
      if (needed > UINT32_MAX / block) return false;
    }
    return needed < UINT32_MAX - out.model.numbers.size();
  }

  [[nodiscard]] error quantize(std::size_t index, quantization method, std::uint16_t block) const {
    tensor_part& t = out.model.tensors[index];
    tensor_values v;
    if (const error e = values(index, v); e.code != errc::ok) return e;
    const bool scaled = t.quantization >= quantization::int8_tensor;
    const range shape = t.quantization == quantization::block_fp8 ? t.original_shape : t.shape;
    if ((!scaled && !is_floating(t.type)) || shape.size == 0 || is_stored(t, method, block))
      return {};
    if (!fits(v.size(), out.model.numbers_of(shape), method, block))
      return {errc::nac_weights_blocks, index};
    const std::size_t first_scale = out.scales_.size();
    quantized_form form;
    const error e = measure(v, out.model.numbers_of(shape), method, block, form, out.scales_);
    if (e.code != errc::ok) return {e.code, index};
    t.shape = shape;
    t.original_shape = t.scales = {};
    if (form.quantization == quantization::block_fp8) {
      const auto elements = static_cast<std::uint32_t>(form.elements);
      t.original_shape = shape;
      t.shape = out.model.add_numbers({&elements, 1});
    }
    t.scales.first = static_cast<std::uint32_t>(out.model.numbers.size());
    t.scales.size = static_cast<std::uint32_t>(out.scales_.size() - first_scale);
    for (std::size_t i = first_scale; i < out.scales_.size(); ++i)
      out.model.numbers.push_back(std::bit_cast<std::uint32_t>(out.scales_[i]));
    replace(t, v, form, first_scale);
    return {};
  }

  [[nodiscard]] error dequantize(std::size_t index, bool narrow_float64) const {
    tensor_part& t = out.model.tensors[index];
    tensor_values v;
    if (const error e = values(index, v); e.code != errc::ok) return e;
    const bool scaled = t.quantization >= quantization::int8_tensor;
    if (t.quantization == quantization::fp16) t.quantization = quantization::none;
    if (!scaled && t.type != data_type::float16 && t.type != data_type::bfloat16 &&
        !(t.type == data_type::float64 && narrow_float64))
      return {};
    if (t.quantization == quantization::block_fp8) t.shape = t.original_shape;
    t.original_shape = t.scales = {};
    const std::uint64_t n = v.size();
    replace(t, v, {data_type::float32, quantization::none, 0, n, n, n}, 0);
    return {};
  }
};

// ---- out of the container

/// The bytes of two payloads are the same; sources are asked in pieces.
[[nodiscard]] inline bool same_bytes(const parts& p, const payload& a, const payload& b) {
  if (a.size != b.size) return false;
  std::byte of_a[1024], of_b[1024];
  const auto piece = [&p](const payload& d, std::uint64_t first, std::byte* to, std::size_t count) {
    if (d.source != nullptr) return d.source->read(d.source->context, d.first, first, to, count);
    std::memcpy(to, p.data_of(d).data() + first, count);
    return true;
  };
  if (a.source == b.source && a.borrowed == b.borrowed && a.first == b.first) return true;
  for (std::uint64_t first = 0; first < a.size; first += sizeof of_a) {
    const std::uint64_t left = a.size - first;
    const std::size_t n = left < sizeof of_a ? static_cast<std::size_t>(left) : sizeof of_a;
    if (!piece(a, first, of_a, n) || !piece(b, first, of_b, n) || std::memcmp(of_a, of_b, n) != 0)
      return false;
  }
  return true;
}

[[nodiscard]] inline bool same_numbers(const parts& p, range a, range b) noexcept {
  return a.size == b.size &&
         (a.size == 0 || std::memcmp(p.numbers.data() + a.first, p.numbers.data() + b.first,
                                     std::size_t{a.size} * 4) == 0);
}

[[nodiscard]] inline bool same_tensor(const parts& p, const tensor_part& a, const tensor_part& b) {
  return a.type == b.type && a.quantization == b.quantization && a.axis == b.axis &&
         a.block == b.block && same_numbers(p, a.shape, b.shape) &&
         same_numbers(p, a.original_shape, b.original_shape) &&
         same_numbers(p, a.scales, b.scales) && same_bytes(p, a.data, b.data);
}

/// How a tensor is quantized, by either convention's names.
inline void put_quantization(json::writer& out, const parts& p, const tensor_part& t, bool tools) {
  out.begin_object();
  if (tools) out.key("quant_code").integer(static_cast<unsigned>(t.quantization));
  char upper[16];
  const std::string_view method = name(t.quantization);
  for (std::size_t i = 0; i < method.size(); ++i)
    upper[i] = static_cast<char>(method[i] >= 'a' ? method[i] - 'a' + 'A' : method[i]);
  out.key("quant_type").string({upper, method.size()});
  const auto scale = [&](std::uint32_t bits) {
    out.number(static_cast<double>(std::bit_cast<float>(bits)));
  };
  const auto numbers = p.numbers_of(t.scales);
  const bool block = t.quantization == quantization::block_fp8;
  if (t.quantization == quantization::int8_tensor) {
    out.key("scale");
    scale(numbers[0]);
  } else if (block || t.quantization == quantization::int8_channel) {
    if (block) {
      out.key("block_size").integer(t.block);
      out.key(tools ? "orig_shape" : "original_shape").begin_array();
      for (const std::uint32_t n : p.numbers_of(t.original_shape)) out.integer(n);
      out.end();
    } else {
      out.key("axis").integer(t.axis);
    }
    out.key(block && tools ? "block_scales" : "scales").begin_array();
    for (const std::uint32_t bits : numbers) scale(bits);
    out.end();
  }
  out.end();
}

/// The metadata of the tensors that are quantized, which have `names` in parts::characters.
struct quantized_tensor {
  range name;
  std::uint32_t tensor;
};

inline void put_metadata(const parts& p, const pool<quantized_tensor>& all, external_parts& to) {
  text json;
  json::writer out(json);
  out.begin_object();
  for (const quantized_tensor& q : all)
    put_quantization(out.key(p.string(q.name)), p, p.tensors[q.tensor], true);
  out.end();
  to.add_metadata(nac_quantization_key, json);
  for (const quantized_tensor& q : all) {
    if (p.string(q.name) == nac_quantization_key) continue;  // whose place is taken
    json.clear();
    json::writer one(json);
    put_quantization(one, p, p.tensors[q.tensor], false);
    to.add_metadata(p.string(q.name), json);
  }
}

[[nodiscard]] inline error move_out(const parts& from, external_weights& out) {
  if (const error e = check(from); e.code != errc::ok) return e;
  if (!from.internal_weights) return {errc::nac_weights_outside, 0};
  const id_table names(from.parameters), tensors(from.tensors);
  for (std::size_t i = 0; i < from.tensors.size(); ++i) {
    const tensor_part& t = from.tensors[i];
    if (names[t.id] == no_index) return {errc::nac_weights_unnamed, i};
    for (const std::uint32_t bits : from.numbers_of(t.scales))
      if ((bits & 0x7f800000u) == 0x7f800000u) return {errc::nac_weights_scale, i};
  }
  pool<std::uint32_t> rows;  // of parameters, by name
  for (std::uint32_t id = 0; id < names.end(); ++id) {
    if (names[id] == no_index) continue;
    if (tensors[id] == no_index) return {errc::nac_weights_absent, names[id]};
    rows.push_back(names[id]);
  }
  const auto name_of = [&](std::uint32_t row) { return from.string(from.parameters[row].text); };
  sort(rows.data(), rows.size(),
       [&](std::uint32_t a, std::uint32_t b) { return name_of(a) < name_of(b); });
  out.model = from;
  out.model.tensors.clear();
  out.model.internal_weights = false;
  pool<quantized_tensor> quantized;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t index = tensors[from.parameters[rows[i]].id];
    const tensor_part& t = from.tensors[index];
    if (i != 0 && name_of(rows[i]) == name_of(rows[i - 1])) {
      if (!same_tensor(from, from.tensors[tensors[from.parameters[rows[i - 1]].id]], t))
        return {errc::nac_weights_tied, index};
      continue;
    }
    payload data = t.data;
    if (data.source == nullptr) data = parts::borrow(out.model.data_of(t.data));
    out.weights.add(name_of(rows[i]), t.type, from.numbers_of(t.shape), data);
    if (t.quantization != quantization::none)
      quantized.push_back({from.parameters[rows[i]].text, index});
  }
  if (!quantized.empty()) put_metadata(from, quantized, out.weights);
  return {};
}

// ---- into the container

[[nodiscard]] inline error move_in(const parts& from, const safetensors& weights, parts& out) {
  if (const error e = check(from); e.code != errc::ok) return e;
  if (from.internal_weights) return {errc::nac_weights_inside, 0};
  out = from;
  out.internal_weights = true;
  const id_table names(from.parameters);
  const part_maker make{out};
  // Of tied parameters, shape and scales are kept once.
  pool<std::uint32_t> first_use;
  for (std::size_t i = 0; i < weights.size(); ++i) first_use.push_back(no_index);
  for (std::uint32_t id = 0; id < names.end(); ++id) {
    const std::uint32_t row = names[id];
    if (row == no_index) continue;
    const std::size_t i = weights.find(from.string(from.parameters[row].text));
    if (i == weights.size()) return {errc::nac_weights_missing, row};
    tensor_part part;
    if (first_use[i] == no_index) {
      const external_tensor found = weights[i];
      if (!found.representable) return {errc::nac_weights_form, row};
      const tensor& t = found.as;
      if (const error e = tensor_values::of(t).error(); e.code != errc::ok) return {e.code, row};
      const range shape = make.numbers(t.shape);
      const range original = make.numbers(t.original_shape);
      const range scales = make.numbers(t.scales);
      part = {0,        t.type, t.quantization,       t.axis, t.block, shape,
              original, scales, parts::borrow(t.data)};
      first_use[i] = static_cast<std::uint32_t>(out.tensors.size());
    } else {
      part = out.tensors[first_use[i]];
    }
    part.id = static_cast<std::uint16_t>(id);
    out.tensors.push_back(part);
  }
  return {};
}

}  // namespace nac::detail
namespace nac {

TESSERA_INLINE result<external_weights> externalise(const parts& from) {
  result<external_weights> out{external_weights()};
  if (const error e = detail::move_out(from, *out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<parts> internalise(const parts& from, const safetensors& weights) {
  result<parts> out{parts()};
  if (const error e = detail::move_in(from, weights, *out); e.code != errc::ok) return e;
  return out;
}

TESSERA_INLINE result<conversion> quantize(const parts& from, quantization method,
                                           std::uint16_t block) {
  if (method == quantization::none) return error{errc::nac_quantize_method, 0};
  if (block == 0) return error{errc::nac_quantize_block, 0};
  result<conversion> out{conversion()};
  const detail::conversion_maker make{*out};
  error e = make.begin(from);
  for (std::size_t i = 0; i < from.tensors.size() && e.code == errc::ok; ++i)
    e = make.quantize(i, method, block);
  if (e.code != errc::ok) return e;
  make.end();
  out->model.quantization = method;
  return out;
}

TESSERA_INLINE result<conversion> dequantize(const parts& from, bool narrow_float64) {
  result<conversion> out{conversion()};
  const detail::conversion_maker make{*out};
  error e = make.begin(from);
  for (std::size_t i = 0; i < from.tensors.size() && e.code == errc::ok; ++i)
    e = make.dequantize(i, narrow_float64);
  if (e.code != errc::ok) return e;
  make.end();
  out->model.quantization = quantization::none;
  return out;
}

}  // namespace nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NAC_DETAIL_WEIGHTS_HPP

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
