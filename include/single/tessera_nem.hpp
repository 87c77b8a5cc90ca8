// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.2.0: tessera/nem.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/nem.hpp
//
// NEM, a text language for accelerators with explicitly scheduled tasks and memories.
//
//   tessera::report found;
//   auto model = tessera::nem::read(source, {}, &found);          // the syntax tree
//   if (!model) return show(found);                              // up to 16 errors
//   auto text = tessera::nem::write(*model);                     // canonical text
//   auto program = tessera::nem::verify(std::move(*model), {}, &found);
//   const tessera::source_file file{"tiles.nem", source};
//   std::cerr << describe(found, {&file, 1});                    // each finding with its line
//
//   read        programs, devices and type families               nem/read.hpp
//   verify      178 rules over every iteration of every loop      nem/verify.hpp
//   write       canonical text                                    nem/write.hpp
//   print       the same, with comments: resolved types and bytes nem/print.hpp
//   write_json  the syntax tree, for tools                        nem/write.hpp
//   builder     documents from C++                                nem/builder.hpp
//   reformat    canonical layout with the comments                nem/reformat.hpp
//   for_each_task  a verified program, task by task               nem/verify.hpp
//   describe    findings with line, caret, note and fix           core/report.hpp
//   the tables  opcodes, types, units, decorators; families       nem/format.hpp, nem/families.hpp
//
// What the specification leaves open, as it is here:
//
//   / and mod      / truncates toward zero; mod has the sign of the divisor: -7 mod 3 is 2
//   pads           of images [top, left, bottom, right]; of pad and others all begins, then all ends
//   order          only deps, wait and .sync order tasks, not their place in the text; endloop waits
//                  for all tasks of its loop, the beginning of a loop for none
//   tokens         belong to one iteration; no task can depend on another iteration's
//   integers       sums, products, casts and 32-bit accumulators wrap around, a quotient is
//                  truncated; exp and the like, and what has a quantization descriptor, saturate
//   floats         round to nearest, ties to even; NaN goes through minimum, maximum and pools
//   i4             two in a byte, the element of the even index in the low half
//   ranges         [first, last) in every message, [first..last) in pictures; a loop includes its last
//
// Files that a program includes come from where verify_options::resolver finds them: a folder, a table
// of texts or what the caller makes (nem/resolver.hpp); without one, none is opened. Both baseline
// devices are built in.
//
// Lifetime:   models, reports and programs own themselves.
// Errors:     values; every code is a rule: nem::rule(code).id() is "CON-001".
// Limits:     core/limits.hpp to read, verify_options to verify; on by default.
// Allocation: stated in nem/read.hpp and nem/verify.hpp.


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

#if defined(TESSERA_VERSION) && TESSERA_VERSION != 200
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

#define TESSERA_VERSION 200  // major * 10000 + minor * 100 + patch
#define TESSERA_VERSION_STRING "0.2.0"

// TESSERA_ABI: the namespace of every entity. TESSERA_INLINE: before a definition that an interface
// declares.
#ifdef TESSERA_COMPILED
#define TESSERA_IS_COMPILED 1
#define TESSERA_ABI v0_2_0_compiled
#define TESSERA_INLINE
#else
#define TESSERA_IS_COMPILED 0
#define TESSERA_ABI v0_2_0
#define TESSERA_INLINE inline
#endif

#endif  // TESSERA_VERSION_HPP

#ifndef TESSERA_NEM_HPP
#define TESSERA_NEM_HPP


// ---- tessera/nem/builder.hpp
//
// Builds NEM documents in code, in the words of the language.
//
//   nem::builder b;
//   const nem::expr i("i");
//   b.program("halves").buffer("X", nem::level::l2, 512).buffer("T", nem::level::l1, 512);
//   b.loop("i", 0, 1).max_in_flight(2);
//   b.let("tile", b.region("T", i * 256, 256).elem(nem::element::f16).shape({128}).layout("C"));
//   b.transfer("t", "tile", b.region("X", i * 256, 256));
//   b.compute("r", nem::opcode::relu).in("tile").out("tile").deps({"t"}).end_loop();
//   const result<nem::model> model = b.finish();
//
// The statements come in the order of the calls. What belongs to a statement follows it: operands,
// attributes, deps, decorators. Where an expression is expected, a string is a name.
//
//   documents     include program device_file device_name
//   declarations  constant let buffer; regions: region().elem().shape().layout()
//   tasks         transfer store compute wait, then in out deps attribute sync
//   loops         loop end_loop
//   decorators    max_in_flight resource seq_engine decorate; of operands: decorate
//   devices       begin_device spec_version num_engines … end_device
//   families      begin_family parameter binding condition variant conformance end_family
//
// The builder writes source text, and finish() reads it: what it makes is a model as nem::read makes
// it of canonical text, with the places of that text. So write(model) is the text that findings of
// verify() are about, and reading it gives the same model.
//
// Lifetime:   a builder, its expressions and its operands own themselves.
// Errors:     the first one is kept, later calls do nothing; finish() returns it. SYN-001 with the
//             number of the statement for a name that isn't an identifier, a number that isn't finite,
//             and what belongs to another kind of statement; else those of nem::read.
// Limits:     those of nem::read without limits on bytes and nodes: 256 nested loops and parentheses.
// Allocation: the text, which finish() reads twice.

#ifndef TESSERA_NEM_BUILDER_HPP
#define TESSERA_NEM_BUILDER_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>


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
  /// The capacity that makes room for `count` more bytes.
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    const std::size_t doubled = capacity_ * 2, needed = size_ + count;
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
  void append(const T* values, std::size_t count) { block::append(values, count * sizeof(T)); }
  /// Removes the last element, which must exist.
  void pop_back() noexcept { size_ -= sizeof(T); }
  /// Removes all elements; the memory stays.
  void clear() noexcept { size_ = 0; }
  /// Room for `count` more elements; write them there, then say how many with advance().
  [[nodiscard]] T* prepare(std::size_t count) {
    return static_cast<T*>(block::prepare(count * sizeof(T)));
  }
  /// Counts elements that were written to what prepare() returned.
  void advance(std::size_t count) noexcept { size_ += count * sizeof(T); }
  /// How many more elements fit before it grows.
  [[nodiscard]] std::size_t available() const noexcept { return (capacity_ - size_) / sizeof(T); }
  /// Allocates for `count` elements in all.
  void reserve(std::size_t count) { block::reserve(count * sizeof(T)); }
  /// New elements are value-initialized.
  void resize(std::size_t count) {
    if (count > size()) (void)block::prepare((count - size()) * sizeof(T));
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
};

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_POOL_HPP

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

/// The size that put_integer needs: a sign and 20 digits. All of it may be overwritten, whatever
/// the number's length.
inline constexpr std::size_t integer_capacity = 21;

namespace detail {

inline constexpr std::uint64_t eight_zeros = 0x3030303030303030;  // the characters

/// The characters of each number below 1000, the first in the lowest byte, and their count in the
/// highest: most numbers in real files are small.
struct small_numbers {
  std::uint32_t at[1000] = {};
  constexpr small_numbers() noexcept {
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

// ---- tessera/nem/format.hpp
//
// NEM's tables: element types, memory levels, units, decorators, attributes and the opcodes.
//
//   nem::opcode op = nem::find_opcode("conv2d");        // opcode::conv2d
//   nem::opcode_table[std::size_t(op)].inputs;          // "X W B?"
//   nem::signature(op).required_inputs;                 // 2
//   nem::bitwidth(nem::element::i4);                    // 4
//
//   element     i4 … f32, and three extensions            "Element Types"
//   level       DDR, L2, L1                               "Memory Levels"
//   unit        NMU, CSTL, DMA, VPU, SEQ, sDMA, WDM       "Execution Units"
//   opcode      49 with operands, attributes, families    opcode registry, contract 1.0
//   attribute   22 with the kind of their value           opcode registry
//   decorator   10 with what they apply to                "Decorators"
//
// Operand names are positional. "B?" may be missing (and all after it), "X*" is one or
// more; an attribute "groups?" has a default. Families are those whose variants govern the types.
//
// Lifetime:   constants.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_FORMAT_HPP
#define TESSERA_NEM_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

// X(enumerator, bits, class): "extension" types belong to other readers, no family knows them.
#define TESSERA_NEM_ELEMENTS(X)                                                                    \
  X(i4, 4, integer)                                                                                \
  X(i8, 8, integer)                                                                                \
  X(i16, 16, integer)                                                                              \
  X(i32, 32, integer)                                                                              \
  X(u8, 8, integer)                                                                                \
  X(u16, 16, integer)                                                                              \
  X(u32, 32, integer)                                                                              \
  X(f16, 16, floating)                                                                             \
  X(bf16, 16, floating)                                                                            \
  X(f32, 32, floating)                                                                             \
  X(tf32, 32, extension)                                                                           \
  X(f64, 64, extension)                                                                            \
  X(bool_, 8, extension)

/// The type of an element; `none` where no type was given.
enum class element : std::uint8_t {
#define TESSERA_X(name, bits, kind) name,
  TESSERA_NEM_ELEMENTS(TESSERA_X)
#undef TESSERA_X
      none,
};
enum class element_class : std::uint8_t { integer, floating, extension };

struct element_row {
  std::string_view name;
  std::uint32_t bits;
  element_class kind;
};
inline constexpr element_row element_table[] = {
#define TESSERA_X(name, bits, kind) {#name, bits, element_class::kind},
    TESSERA_NEM_ELEMENTS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_ELEMENTS
inline constexpr std::size_t element_count = sizeof element_table / sizeof element_table[0];

[[nodiscard]] constexpr std::string_view name(element e) noexcept {
  return e == element::none    ? std::string_view("untyped")
         : e == element::bool_ ? std::string_view("bool")
                               : element_table[static_cast<std::size_t>(e)].name;
}
/// Bits of one element (specification, "Element Bitwidth"); 0 for none.
[[nodiscard]] constexpr std::uint32_t bitwidth(element e) noexcept {
  return e == element::none ? 0 : element_table[static_cast<std::size_t>(e)].bits;
}
[[nodiscard]] constexpr bool is_integer(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::integer;
}
[[nodiscard]] constexpr bool is_floating(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::floating;
}
[[nodiscard]] constexpr bool is_extension(element e) noexcept {
  return e != element::none &&
         element_table[static_cast<std::size_t>(e)].kind == element_class::extension;
}
/// The element type of a word of a program, or none.
[[nodiscard]] constexpr element find_element(std::string_view word) noexcept {
  for (std::size_t i = 0; i < element_count; ++i)
    if (name(static_cast<element>(i)) == word) return static_cast<element>(i);
  return element::none;
}

/// The element type that a word of another language means, such as int8, fp16 or F32; or none.
[[nodiscard, gnu::cold]] constexpr element element_meant(std::string_view word) noexcept {
  constexpr std::string_view prefixes[][2] = {
      {"i", "i"}, {"int", "i"}, {"s", "i"},     {"u", "u"},   {"uint", "u"},
      {"f", "f"}, {"fp", "f"},  {"float", "f"}, {"bf", "bf"}, {"bfloat", "bf"}};
  char lower[8] = {};
  std::size_t letters = 0;
  for (; letters < word.size() && letters < 8 && (word[letters] < '0' || word[letters] > '9');
       ++letters)
    lower[letters] = static_cast<char>(word[letters] | 0x20);
  const std::string_view bits = word.substr(letters);
  for (const auto& p : prefixes)
    for (std::size_t i = 0; i < element_count && p[0] == std::string_view(lower, letters); ++i) {
      const std::string_view known = element_table[i].name;
      if (known.size() == p[1].size() + bits.size() && known.substr(0, p[1].size()) == p[1] &&
          known.substr(p[1].size()) == bits && !is_extension(static_cast<element>(i)))
        return static_cast<element>(i);
    }
  return element::none;
}

/// Where a buffer lies, from far to near.
enum class level : std::uint8_t { ddr, l2, l1 };
inline constexpr std::size_t level_count = static_cast<std::size_t>(level::l1) + 1;
[[nodiscard]] constexpr std::string_view name(level l) noexcept {
  return l == level::ddr ? "DDR" : l == level::l2 ? "L2" : "L1";
}

/// Whether the issuing stream goes on at once, or waits for the task.
enum class mode : std::uint8_t { async, sync };
[[nodiscard]] constexpr std::string_view name(mode m) noexcept {
  return m == mode::async ? "async" : "sync";
}

/// Execution units: five of an engine, then two of the device.
enum class unit : std::uint8_t { nmu, cstl, dma, vpu, seq, sdma, wdm, none };
inline constexpr std::string_view unit_names[] = {"NMU", "CSTL", "DMA", "VPU",
                                                  "SEQ", "sDMA", "WDM"};
inline constexpr std::size_t unit_count = sizeof unit_names / sizeof unit_names[0];
[[nodiscard]] constexpr std::string_view name(unit u) noexcept {
  return u == unit::none ? std::string_view("none") : unit_names[static_cast<std::size_t>(u)];
}
[[nodiscard]] constexpr unit find_unit(std::string_view word) noexcept {
  for (std::size_t i = 0; i < unit_count; ++i)
    if (unit_names[i] == word) return static_cast<unit>(i);
  return unit::none;
}
/// Whether the unit belongs to an engine, not to the device.
[[nodiscard]] constexpr bool is_per_engine(unit u) noexcept { return u <= unit::seq; }

/// The forms of a quantization descriptor ("Quantization Descriptor").
enum class quantization : std::uint8_t { per_tensor, per_channel, per_group };
[[nodiscard]] constexpr std::string_view name(quantization q) noexcept {
  return q == quantization::per_tensor    ? "per_tensor"
         : q == quantization::per_channel ? "per_channel"
                                          : "per_group";
}
/// The fields of a descriptor, in canonical order. `scale` and `zero_point` are those of
/// per_tensor.
enum class quant_field : std::uint8_t { axis, group_size, scale, zero_point, scales, zero_points };
inline constexpr std::string_view quant_field_names[] = {"axis",       "group_size", "scale",
                                                         "zero_point", "scales",     "zero_points"};

/// What an attribute's value is.
enum class attribute_kind : std::uint8_t {
  integer,
  real,
  boolean,
  element,
  integers,
  string,
  word
};
inline constexpr std::size_t attribute_kind_count =
    static_cast<std::size_t>(attribute_kind::word) + 1;

// X(enumerator, kind)
#define TESSERA_NEM_ATTRIBUTES(X)                                                                  \
  X(accum_type, element)                                                                           \
  X(pads, integers)                                                                                \
  X(strides, integers)                                                                             \
  X(dilations, integers)                                                                           \
  X(groups, integer)                                                                               \
  X(kernel_shape, integers)                                                                        \
  X(alpha, real)                                                                                   \
  X(min_val, real)                                                                                 \
  X(max_val, real)                                                                                 \
  X(perm, integers)                                                                                \
  X(target_shape, integers)                                                                        \
  X(starts, integers)                                                                              \
  X(ends, integers)                                                                                \
  X(axes, integers)                                                                                \
  X(steps, integers)                                                                               \
  X(axis, integer)                                                                                 \
  X(split_sizes, integers)                                                                         \
  X(mode, word)                                                                                    \
  X(constant_value, real)                                                                          \
  X(keepdims, boolean)                                                                             \
  X(epsilon, real)                                                                                 \
  X(op, string)

enum class attribute : std::uint8_t {
#define TESSERA_X(name, kind) name,
  TESSERA_NEM_ATTRIBUTES(TESSERA_X)
#undef TESSERA_X
      unknown,
};
struct attribute_row {
  std::string_view name;
  attribute_kind kind;
};
inline constexpr attribute_row attribute_table[] = {
#define TESSERA_X(name, kind) {#name, attribute_kind::kind},
    TESSERA_NEM_ATTRIBUTES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_ATTRIBUTES
inline constexpr std::size_t attribute_count = sizeof attribute_table / sizeof attribute_table[0];
[[nodiscard]] constexpr attribute find_attribute(std::string_view word) noexcept {
  for (std::size_t i = 0; i < attribute_count; ++i)
    if (attribute_table[i].name == word) return static_cast<attribute>(i);
  return attribute::unknown;
}

enum class opcode_category : std::uint8_t {
  data_movement,
  linear_algebra,
  convolution,
  elementwise_unary,
  elementwise_binary,
  elementwise_other,
  pooling,
  layout,
  reduction,
  normalization,
  softmax,
  type_conversion,
  generic
};
inline constexpr std::string_view opcode_category_names[] = {"data_movement",
                                                             "linear_algebra",
                                                             "convolution",
                                                             "elementwise_unary",
                                                             "elementwise_binary",
                                                             "elementwise_other",
                                                             "pooling",
                                                             "layout",
                                                             "reduction",
                                                             "normalization",
                                                             "softmax",
                                                             "type_conversion",
                                                             "generic"};
[[nodiscard]] constexpr std::string_view name(opcode_category c) noexcept {
  return opcode_category_names[static_cast<std::size_t>(c)];
}
enum class opcode_status : std::uint8_t { stable, future };
enum class hardware_status : std::uint8_t { supported, future, partial, escape_hatch };

// clang-format off
// X(enumerator, category, status, inputs, outputs, attributes, families, unit, hardware)
#define TESSERA_NEM_OPCODES(X)                                                                     \
  X(transfer, data_movement, stable, "src", "dst", "", "", dma, supported)                         \
  X(store, data_movement, stable, "src", "dst", "", "", dma, supported)                            \
  X(gemm, linear_algebra, stable, "A B C?", "Y", "accum_type",                                     \
    "gemm.float gemm.int8 gemm.int4", nmu, supported)                                              \
  X(matmul, linear_algebra, stable, "A B", "Y", "accum_type",                                      \
    "gemm.float gemm.int8 gemm.int4", nmu, supported)                                              \
  X(conv2d, convolution, stable, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "conv2d.float conv2d.int8 conv2d.int4", nmu, supported)                                        \
  X(conv1d, convolution, future, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "", nmu, future)                                                                               \
  X(conv3d, convolution, future, "X W B?", "Y", "pads strides dilations groups? accum_type",       \
    "", nmu, future)                                                                               \
  X(depthwise_conv2d, convolution, future, "X W B?", "Y", "pads strides dilations accum_type",     \
    "", nmu, future)                                                                               \
  X(relu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(leaky_relu, elementwise_unary, stable, "X", "Y", "alpha", "eltwise", cstl, supported)          \
  X(sigmoid, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                  \
  X(tanh, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(exp, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(log, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(sqrt, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(abs, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(neg, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                      \
  X(gelu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(silu, elementwise_unary, stable, "X", "Y", "", "eltwise", cstl, supported)                     \
  X(add, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(sub, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(mul, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(div, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(min, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(max, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(pow, elementwise_binary, stable, "A B", "Y", "", "eltwise", cstl, supported)                   \
  X(clamp, elementwise_other, stable, "X", "Y", "min_val max_val", "eltwise", cstl, supported)     \
  X(maxpool, pooling, stable, "X", "Y", "kernel_shape pads strides", "", cstl, supported)          \
  X(avgpool, pooling, stable, "X", "Y", "kernel_shape pads strides", "", cstl, supported)          \
  X(transpose, layout, stable, "X", "Y", "perm", "view", cstl, supported)                          \
  X(reshape, layout, stable, "X", "Y", "target_shape", "view", cstl, supported)                    \
  X(slice, layout, stable, "X", "Y", "starts ends axes steps", "view", cstl, supported)            \
  X(concat, layout, stable, "X*", "Y", "axis", "view", cstl, supported)                            \
  X(split, layout, stable, "X", "Y*", "axis split_sizes", "view", cstl, supported)                 \
  X(pad, layout, stable, "X", "Y", "pads mode constant_value?", "view", cstl, supported)           \
  X(gather, layout, stable, "X indices", "Y", "axis", "view", cstl, supported)                     \
  X(reduce_sum, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(reduce_max, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(reduce_min, reduction, future, "X", "Y", "axes keepdims", "", cstl, future)                    \
  X(argmax, reduction, future, "X", "Y", "axis keepdims", "", cstl, future)                        \
  X(argmin, reduction, future, "X", "Y", "axis keepdims", "", cstl, future)                        \
  X(layernorm, normalization, stable, "X scale? bias?", "Y", "axis epsilon",                       \
    "norm", cstl, supported)                                                                       \
  X(rmsnorm, normalization, stable, "X scale?", "Y", "axis epsilon", "norm", cstl, supported)      \
  X(softmax, softmax, stable, "X", "Y", "axis", "softmax", cstl, supported)                        \
  X(log_softmax, softmax, stable, "X", "Y", "axis", "softmax", cstl, supported)                    \
  X(cast, type_conversion, stable, "X", "Y", "", "cast", cstl, partial)                            \
  X(quantize, type_conversion, stable, "X", "Y", "", "quantize", cstl, partial)                    \
  X(dequantize, type_conversion, stable, "X", "Y", "", "dequantize", cstl, partial)                \
  X(compute, generic, stable, "X*", "Y*", "op", "", none, escape_hatch)
// clang-format on

/// The opcodes of the registry; `unknown` for others.
enum class opcode : std::uint8_t {
#define TESSERA_X(name, ...) name,
  TESSERA_NEM_OPCODES(TESSERA_X)
#undef TESSERA_X
      unknown,
};
struct opcode_row {
  std::string_view name;
  opcode_category category;
  opcode_status status;
  std::string_view inputs, outputs, attributes;  ///< in the registry's order, blanks between
  std::string_view families;                     ///< of the variants that govern the types
  nem::unit unit;                                ///< as the registry has it; see default_unit
  hardware_status hardware;
};
inline constexpr opcode_row opcode_table[] = {
#define TESSERA_X(name, category, status, inputs, outputs, attributes, families, unit_, hardware)  \
  {#name,                                                                                          \
   opcode_category::category,                                                                      \
   opcode_status::status,                                                                          \
   inputs,                                                                                         \
   outputs,                                                                                        \
   attributes,                                                                                     \
   families,                                                                                       \
   unit::unit_,                                                                                    \
   hardware_status::hardware},
    TESSERA_NEM_OPCODES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_OPCODES
inline constexpr std::size_t opcode_count = sizeof opcode_table / sizeof opcode_table[0];
[[nodiscard]] constexpr const opcode_row& row(opcode op) noexcept {
  return opcode_table[static_cast<std::size_t>(op)];
}
[[nodiscard]] constexpr std::string_view name(opcode op) noexcept {
  return op == opcode::unknown ? std::string_view("unknown") : row(op).name;
}
[[nodiscard]] constexpr opcode find_opcode(std::string_view word) noexcept {
  for (std::size_t i = 0; i < opcode_count; ++i)
    if (opcode_table[i].name == word) return static_cast<opcode>(i);
  return opcode::unknown;
}

/// Removes the next word from a blank-separated list; empty at its end.
[[nodiscard]] constexpr std::string_view next_word(std::string_view& list) noexcept {
  std::size_t size = 0;
  while (size < list.size() && list[size] != ' ') ++size;
  const std::string_view word = list.substr(0, size);
  list.remove_prefix(size < list.size() ? size + 1 : size);
  return word;
}

/// What a row of the table says, in numbers.
struct opcode_signature {
  std::uint8_t required_inputs = 0, inputs = 0;  ///< of variadic ones at least `required_inputs`
  std::uint8_t outputs = 0;
  bool variadic_inputs = false, variadic_outputs = false;
  std::uint32_t required_attributes = 0, attributes = 0;  ///< bit n is attribute n
};
namespace detail {
[[nodiscard]] constexpr opcode_signature signature_of(const opcode_row& r) noexcept {
  opcode_signature s;
  for (std::string_view list = r.inputs; !list.empty();) {
    const std::string_view word = next_word(list);
    s.inputs = static_cast<std::uint8_t>(s.inputs + 1);
    if (word.back() != '?') s.required_inputs = s.inputs;
    s.variadic_inputs = s.variadic_inputs || word.back() == '*';
  }
  for (std::string_view list = r.outputs; !list.empty();) {
    const std::string_view word = next_word(list);
    s.outputs = static_cast<std::uint8_t>(s.outputs + 1);
    s.variadic_outputs = s.variadic_outputs || word.back() == '*';
  }
  for (std::string_view list = r.attributes; !list.empty();) {
    std::string_view word = next_word(list);
    const bool optional = word.back() == '?';
    if (optional) word.remove_suffix(1);
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(find_attribute(word));
    s.attributes |= bit;
    if (!optional) s.required_attributes |= bit;
  }
  return s;
}
struct signatures {
  opcode_signature of[opcode_count];
};
[[nodiscard]] constexpr signatures all_signatures() noexcept {
  signatures all;
  for (std::size_t i = 0; i < opcode_count; ++i) all.of[i] = signature_of(opcode_table[i]);
  return all;
}
inline constexpr signatures signature_table = all_signatures();
}  // namespace detail
[[nodiscard]] constexpr const opcode_signature& signature(opcode op) noexcept {
  return detail::signature_table.of[static_cast<std::size_t>(op)];
}

/// A set of units: bit n is unit n.
using unit_set = std::uint8_t;
[[nodiscard]] constexpr unit_set units(unit u) noexcept {
  return static_cast<unit_set>(1u << static_cast<unsigned>(u));
}

/// The unit that executes an opcode where no @resource says otherwise. Where the specification and
/// the registry differ (reductions, conversions, store), the specification decides. Transfers that
/// touch DDR go to sDMA instead.
[[nodiscard]] constexpr unit default_unit(opcode op) noexcept {
  if (op == opcode::unknown) return unit::none;
  if (op == opcode::store) return unit::cstl;
  const opcode_category c = row(op).category;
  if (c == opcode_category::reduction || c == opcode_category::type_conversion) return unit::vpu;
  return row(op).unit;
}
/// The units that @resource may bind an opcode to.
[[nodiscard]] constexpr unit_set eligible_units(opcode op) noexcept {
  constexpr unit_set n = units(unit::nmu), c = units(unit::cstl), d = units(unit::dma),
                     v = units(unit::vpu);
  if (op == opcode::unknown || op == opcode::compute) return n | c | d | v;
  if (op == opcode::store) return c | d;
  switch (row(op).category) {
    case opcode_category::data_movement: return d;
    case opcode_category::linear_algebra:
    case opcode_category::convolution: return n | v;
    case opcode_category::layout: return c | d | v;
    default: return c | v;
  }
}

/// What a decorator applies to; bits of decorator_row::targets.
enum decorator_target : std::uint8_t {
  on_buffer = 1,
  on_region = 2,
  on_operand = 4,
  on_transfer = 8,
  on_compute = 16,
  on_loop = 32,
  on_wait = 64
};
/// What a decorator takes in parentheses.
enum class decorator_argument : std::uint8_t { none, integer, unit, tag };

// X(enumerator, targets, argument)
#define TESSERA_NEM_DECORATORS(X)                                                                  \
  X(materialized, on_region | on_operand, none)                                                    \
  X(readonly, on_buffer | on_region | on_operand, none)                                            \
  X(writeonly, on_buffer | on_region | on_operand, none)                                           \
  X(deterministic, on_transfer | on_compute | on_loop, none)                                       \
  X(memmove, on_transfer, none)                                                                    \
  X(max_in_flight, on_loop, integer)                                                               \
  X(resource, on_transfer | on_compute, unit)                                                      \
  X(seq_engine, on_transfer | on_compute, integer)                                                 \
  X(debug, 127, tag)                                                                               \
  X(profile, 127, tag)

/// The decorators of the language; `unknown` for others.
enum class decorator : std::uint8_t {
#define TESSERA_X(name, targets, argument) name,
  TESSERA_NEM_DECORATORS(TESSERA_X)
#undef TESSERA_X
      unknown,
};
struct decorator_row {
  std::string_view name;
  std::uint8_t targets;
  decorator_argument argument;
};
inline constexpr decorator_row decorator_table[] = {
#define TESSERA_X(name, targets, argument) {#name, targets, decorator_argument::argument},
    TESSERA_NEM_DECORATORS(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_DECORATORS
inline constexpr std::size_t decorator_count = sizeof decorator_table / sizeof decorator_table[0];
[[nodiscard]] constexpr decorator find_decorator(std::string_view word) noexcept {
  for (std::size_t i = 0; i < decorator_count; ++i)
    if (decorator_table[i].name == word) return static_cast<decorator>(i);
  return decorator::unknown;
}

/// Reserved words, which can't be names, besides element types and DDR, L1, L2.
inline constexpr std::string_view reserved_words[] = {
    "program", "device",   "include", "const", "buffer", "let", "loop", "endloop",
    "region",  "transfer", "store",   "wait",  "in",     "out", "mod",  "type_family"};
/// Words that other readers reserve: accepted as names, with a warning.
inline constexpr std::string_view upstream_reserved_words[] = {
    "extends", "opcode", "topology", "mandatory", "extended", "spec_version", "size",  "align",
    "elem",    "shape",  "layout",   "strides",   "quant",    "deps",         "async", "sync"};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_FORMAT_HPP

// ---- tessera/nem/model.hpp
//
// The syntax tree of one NEM file: a flat array of nodes, each before its children.
//
//   for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next)      // the top level
//     if (d.nodes[i].kind == nem::node_kind::buffer) use(d.name(d.nodes[i].value));
//   for (std::uint32_t c = i + 1; c < d.nodes[i].next; c = d.nodes[c].next) …   // children of i
//
//   node         value                 detail     children
//   include      its path (a string)              -
//   device_file  its path (a string)              -
//   device_name  name                             -
//   program      name                             -
//   constant     name                             an expression
//   let          name                             a value, or a region and its decorators
//   buffer       name                  level      [level_index] [size] [align] decorators
//   loop         loop variable                    first, last, decorators, body
//   body                                          statements
//   transfer     token or no_name      mode       destination, source, [deps], decorators
//   store        token or no_name      mode       destination, source, [deps], decorators
//   compute      token or no_name      mode       opcode, inputs, outputs, then deps, attributes
//                                                 and decorators in the order of the text
//   opcode       name                  opcode     -
//   wait         token or no_name (TOK-005)       names of tokens
//   region       buffer's name                    offset, extent, type attributes in source order
//   elem                               element    -
//   shape, strides                                expressions
//   layout       name                             -
//   quant                              form       quant_field (detail: which; its value) …
//   input, output, destination, source            a name or a region, then decorators
//   attribute    name                  attribute  a value
//   decorator    name                  decorator  values, or unit_index (value: name; expression)
//   deps                                          names of tokens
//   name, string the text's index                 -
//   integer      the number                       -  (wide_integer: index in `integers`)
//   real         index in `reals`                 -
//   list                                          values
//   expression                                    operands and operators, operators last:
//                                                 1 + 2 * x is  1 2 x mul add
//
//   type_family  name ("gemm.float")              type_parameter, binding, condition, variant
//   type_parameter  name                          element_type
//   binding      operand's name                   element_type or name
//   condition    "accum", "quant"                 element_type or name, [on]
//   on           operand's name                   -
//   variant      name                             binding, conformance
//   conformance                        1 = MUST   element_type
//   element_type                       element    -
//   device       name                             [extends] spec_version topology
//                                                 unit_characteristics mandatory extended
//   extends      name                             -
//   spec_version string                           -
//   topology                                      num_engines l2_size device_units per_engine
//   num_engines                                   integer
//   l2_size, l1_size                              an expression
//   device_units, per_engine                      unit (value: name; detail: unit; integer)
//   unit_characteristics                          unit_group (value: name; detail: unit)
//   unit_group                                    characteristic (value: name; integer)
//   mandatory, extended                           variant_ref (value: family's name)
//   variant_ref                                   element_type …, name of the variant
//
// There is no root: the top level is the sequence from node 0 on, in the order of the file. An
// expression of a single number or name is just that node, parentheses leave no trace.
//
// Lifetime:   a model owns itself; name() borrows from it.
// Errors:     none.
// Limits:     sources up to 4 GiB; fewer than 2^32 nodes.
// Allocation: 16 bytes per node, and each name once.

#ifndef TESSERA_NEM_MODEL_HPP
#define TESSERA_NEM_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

// clang-format off
// X(enumerator, whether its value is a name or a string)
#define TESSERA_NEM_NODES(X)                                                                       \
  X(include, 1) X(device_file, 1) X(device_name, 1) X(program, 1) X(constant, 1) X(let, 1)         \
  X(buffer, 1) X(loop, 1) X(body, 0) X(transfer, 1) X(store, 1) X(compute, 1) X(wait, 1)           \
  X(region, 1) X(elem, 0) X(shape, 0) X(layout, 1) X(strides, 0) X(quant, 0) X(quant_field, 0)     \
  X(level_index, 0) X(size, 0) X(align, 0) X(opcode, 1) X(input, 0) X(output, 0)                   \
  X(destination, 0) X(source, 0) X(attribute, 1) X(decorator, 1) X(unit_index, 1) X(deps, 0)       \
  X(name, 1) X(string, 1) X(integer, 0) X(wide_integer, 0) X(real, 0) X(list, 0)                   \
  X(expression, 0) X(add, 0) X(subtract, 0) X(multiply, 0) X(divide, 0) X(modulo, 0)               \
  X(negate, 0) X(type_family, 1) X(type_parameter, 1) X(binding, 1) X(condition, 1) X(on, 1)       \
  X(variant, 1) X(conformance, 0) X(element_type, 0) X(device, 1) X(extends, 1)                    \
  X(spec_version, 1) X(topology, 0) X(num_engines, 0) X(l2_size, 0) X(l1_size, 0)                  \
  X(device_units, 0) X(per_engine, 0) X(unit, 1) X(unit_characteristics, 0) X(unit_group, 1)       \
  X(characteristic, 1) X(mandatory, 0) X(extended, 0) X(variant_ref, 1)
// clang-format on

enum class node_kind : std::uint8_t {
#define TESSERA_X(name, has_name) name,
  TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::string_view node_names[] = {
#define TESSERA_X(name, has_name) #name,
    TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
namespace detail {
inline constexpr bool nodes_with_names[] = {
#define TESSERA_X(name, has_name) has_name != 0,
    TESSERA_NEM_NODES(TESSERA_X)
#undef TESSERA_X
};
#undef TESSERA_NEM_NODES
}  // namespace detail
[[nodiscard]] constexpr std::string_view name(node_kind k) noexcept {
  return node_names[static_cast<std::size_t>(k)];
}

inline constexpr std::uint32_t no_name = 0xffffffff;  ///< of a task whose token has no name
inline constexpr std::uint32_t no_node = 0xffffffff;
inline constexpr std::uint32_t no_index = 0xffffffff;

/// One node of the tree. Its children follow it, up to `next`.
struct node {
  node_kind kind = node_kind::include;
  std::uint8_t detail = 0;   ///< an enumerator, by kind
  std::uint16_t length = 0;  ///< bytes of its text, 65,535 for more
  std::uint32_t offset = 0;  ///< of its first byte
  std::uint32_t value = 0;   ///< a name, a number, an index, by kind
  std::uint32_t next = 0;    ///< the first node after its children
};
static_assert(sizeof(node) == 16);

/// A range of the characters of a model or report.
struct string {
  std::uint32_t first = 0, size = 0;
  friend bool operator==(const string&, const string&) = default;
};

/// What `read` makes of one file.
struct model {
  pool<node> nodes;             ///< in the order of the file, each before its children
  pool<string> names;           ///< each name and string once, in the order of its first use
  text characters;              ///< those of the names; strings have their escapes resolved
  pool<std::int64_t> integers;  ///< of wide_integer: those from 2^32 on
  pool<double> reals;

  [[nodiscard]] std::string_view name(std::uint32_t index) const& noexcept;
  std::string_view name(std::uint32_t) const&& = delete;
  /// The number of an integer or a wide_integer.
  [[nodiscard]] std::int64_t integer(const node& n) const noexcept {
    return n.kind == node_kind::integer ? static_cast<std::int64_t>(n.value) : integers[n.value];
  }
};

/// Whether a node is an operator inside of an expression.
[[nodiscard]] constexpr bool is_operator(node_kind k) noexcept {
  return k >= node_kind::add && k <= node_kind::negate;
}
/// Whether a node begins a statement of a program.
[[nodiscard]] constexpr bool is_statement(node_kind k) noexcept {
  return (k >= node_kind::constant && k <= node_kind::loop) ||
         (k >= node_kind::transfer && k <= node_kind::wait);
}

/// Whether the value of such a node is a name or a string of the model, or no_name.
[[nodiscard]] constexpr bool has_name(node_kind k) noexcept {
  return detail::nodes_with_names[static_cast<std::size_t>(k)];
}
/// The name or string of a node, empty where it has none.
[[nodiscard]] std::string_view name_of(const model& d, std::uint32_t i) noexcept;
std::string_view name_of(const model&&, std::uint32_t) = delete;

/// The children of a node, for `for (std::uint32_t c : children(d, i))`. Lifetime: borrows.
class children {
 public:
  class iterator {
   public:
    iterator(const node* nodes, std::uint32_t at) noexcept : nodes_(nodes), at_(at) {}
    std::uint32_t operator*() const noexcept { return at_; }
    iterator& operator++() noexcept { return at_ = nodes_[at_].next, *this; }
    friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.at_ != b.at_; }

   private:
    const node* nodes_;
    std::uint32_t at_;
  };
  children(const model& d, std::uint32_t parent) noexcept
      : nodes_(d.nodes.data()), first_(parent + 1), last_(d.nodes[parent].next) {}
  children(const model&&, std::uint32_t) = delete;
  [[nodiscard]] iterator begin() const noexcept { return {nodes_, first_}; }
  [[nodiscard]] iterator end() const noexcept { return {nodes_, last_}; }

 private:
  const node* nodes_;
  std::uint32_t first_, last_;
};

/// The first child of a kind, or no_node.
[[nodiscard]] std::uint32_t child(const model& d, std::uint32_t parent, node_kind k) noexcept;
/// The first child of a kind that has a detail, such as an attribute that the registry knows.
[[nodiscard]] std::uint32_t child(const model& d, std::uint32_t parent, node_kind k,
                                  std::uint8_t detail) noexcept;

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_MODEL_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// A number, a name, or an expression of them ("Expressions"); also what else can be a value: an element
/// type, a word, a string, a list.
class expr {
 public:
  template <class Int>
    requires(std::is_integral_v<Int> && !std::is_same_v<Int, bool> && !std::is_same_v<Int, char>)
  expr(Int number) : expr(static_cast<std::int64_t>(number), static_cast<void*>(nullptr)) {
    is_bad_ = std::is_unsigned_v<Int> && static_cast<std::uint64_t>(number) > INT64_MAX;
  }
  expr(double number);
  expr(std::string_view name);
  expr(const char* name) : expr(std::string_view(name)) {}
  expr(nem::element type) : expr(nem::name(type)) {}
  expr(std::initializer_list<expr> list) : expr(view<expr>{list.begin(), list.size()}) {}
  expr(view<expr> list);
  expr(view<std::int64_t> list);
  expr(view<double> list);
  /// A string literal; its escapes are written.
  [[nodiscard]] static expr string(std::string_view characters);

  friend expr operator+(const expr& a, const expr& b) { return binary(a, " + ", b, 1); }
  friend expr operator-(const expr& a, const expr& b) { return binary(a, " - ", b, 1); }
  friend expr operator*(const expr& a, const expr& b) { return binary(a, " * ", b, 2); }
  friend expr operator/(const expr& a, const expr& b) { return binary(a, " / ", b, 2); }
  /// The remainder, which has the sign of b.
  friend expr mod(const expr& a, const expr& b) { return binary(a, " mod ", b, 2); }
  friend expr operator-(const expr& a) { return binary(expr(), "-", a, 2); }

  /// Its source text.
  [[nodiscard]] std::string_view text() const& noexcept { return text_; }
  std::string_view text() const&& = delete;
  /// Whether it has a name that isn't an identifier, or a number that isn't finite or too large.
  [[nodiscard]] bool is_bad() const noexcept { return is_bad_; }

 private:
  friend class builder;
  expr() = default;
  expr(std::int64_t number, void*);
  static expr binary(const expr& a, std::string_view sign, const expr& b, unsigned char precedence);
  template <class T>
  void put_list(view<T> list);
  void put(const expr& e, bool parentheses);

  tessera::text text_;
  unsigned char precedence_ = 3;  // of its outermost operator: 1 of + and -, 2 of others, 3 of none
  bool is_bad_ = false;
};

/// A region, or the name of one, and what follows it: type attributes, then decorators.
class region_expr {
 public:
  region_expr(std::string_view name) { put("", name); }
  region_expr(const char* name) : region_expr(std::string_view(name)) {}
  /// `extent` bytes of a buffer from byte `offset` on.
  region_expr(std::string_view buffer, const expr& offset, const expr& extent);

  region_expr& elem(nem::element type) { return put(" elem=", type); }
  /// Elements in each dimension.
  region_expr& shape(const expr& list) { return put(", shape=", list); }
  region_expr& layout(std::string_view name) { return put(", layout=", name); }
  /// Elements from one to the next in each dimension.
  region_expr& strides(const expr& list) { return put(", strides=", list); }
  region_expr& per_tensor(const expr& scale, const expr& zero_point);
  region_expr& per_channel(const expr& axis, const expr& scales, const expr& zero_points);
  region_expr& per_group(const expr& axis, const expr& group_size, const expr& scales,
                         const expr& zero_points);
  region_expr& decorate(nem::decorator d) {
    return put(" @", nem::decorator_table[static_cast<std::size_t>(d)].name);
  }

 private:
  friend class builder;
  region_expr& put(std::string_view before, const expr& e) {
    text_ << before << e.text();
    is_bad_ = is_bad_ || e.is_bad();
    return *this;
  }

  tessera::text text_;
  bool is_bad_ = false;
};

/// Element types: {element::f16, element::i8}, or a view of them.
struct element_list {
  element_list(std::initializer_list<nem::element> list) : types(list.begin(), list.size()) {}
  element_list(view<nem::element> list) : types(list) {}
  view<nem::element> types;
};

/// A document that is written statement by statement.
class builder {
 public:
  // --- documents ---
  builder& include(std::string_view path);
  builder& device_file(std::string_view path);
  builder& device_name(std::string_view name);
  builder& program(std::string_view name);

  // --- declarations ---
  builder& constant(std::string_view name, const expr& value);
  builder& let(std::string_view name, const expr& value);
  builder& let(std::string_view name, const region_expr& r);
  /// Without `align` where that is 0.
  builder& buffer(std::string_view name, nem::level level, const expr& size, const expr& align = 0);
  /// In the L1 of an engine.
  builder& buffer_in_l1(std::string_view name, const expr& engine, const expr& size,
                        const expr& align = 0);
  [[nodiscard]] static region_expr region(std::string_view buffer, const expr& offset,
                                          const expr& extent) {
    return {buffer, offset, extent};
  }

  // --- loops: the last value is included ---
  builder& loop(std::string_view variable, const expr& first, const expr& last);
  builder& end_loop();

  // --- tasks: an empty token leaves them without one ---
  builder& transfer(std::string_view token, const region_expr& destination,
                    const region_expr& source);
  builder& store(std::string_view token, const region_expr& destination, const region_expr& source);
  builder& compute(std::string_view token, nem::opcode op);
  builder& in(const region_expr& operand);
  builder& out(const region_expr& operand);
  builder& deps(std::initializer_list<std::string_view> tokens) {
    return deps({tokens.begin(), tokens.size()});
  }
  builder& deps(view<std::string_view> tokens);
  builder& attribute(std::string_view name, const expr& value);
  builder& attribute(nem::attribute a, const expr& value) {
    return attribute(nem::attribute_table[static_cast<std::size_t>(a)].name, value);
  }
  /// The stream that issues the task waits for it.
  builder& sync();
  builder& wait(std::initializer_list<std::string_view> tokens) {
    return wait({tokens.begin(), tokens.size()});
  }
  builder& wait(view<std::string_view> tokens);

  // --- decorators of the last statement ---
  builder& max_in_flight(const expr& iterations) {
    return decorate(decorator::max_in_flight, iterations);
  }
  builder& seq_engine(const expr& engine) { return decorate(decorator::seq_engine, engine); }
  builder& resource(nem::unit u, const expr& index);
  builder& decorate(nem::decorator d);
  builder& decorate(nem::decorator d, const expr& argument);

  // --- devices: what is between begin_device and end_device comes in any order ---
  builder& begin_device(std::string_view name, std::string_view parent = {});
  builder& spec_version(std::string_view version);
  builder& num_engines(std::int64_t count) { return topology("num_engines", count); }
  builder& l2_size_bytes(const expr& size) { return topology("l2_size_bytes", size); }
  builder& l1_size_bytes(const expr& size);
  builder& units(nem::unit u, std::int64_t count);
  builder& characteristic(nem::unit u, std::string_view name, std::int64_t value);
  /// mandatory("gemm.float", {element::f32}, "no_bias")
  builder& mandatory(std::string_view family, element_list types, std::string_view variant) {
    return reference(mandatory_, family, types, variant);
  }
  builder& extended(std::string_view family, element_list types, std::string_view variant) {
    return reference(extended_, family, types, variant);
  }
  builder& end_device();

  // --- type families, in the order of the grammar ---
  builder& begin_family(std::string_view name);
  builder& parameter(std::string_view name, element_list domain);
  builder& binding(std::string_view operand, std::string_view type);
  /// condition("quant", "required", "dst"); `on` may be empty.
  builder& condition(std::string_view name, std::string_view value, std::string_view on = {});
  builder& variant(std::string_view name);
  builder& conformance(bool must, element_list types = {});
  builder& end_family();

  /// What was written so far; the model's own text is write(model).
  [[nodiscard]] std::string_view source() const& noexcept { return source_; }
  std::string_view source() const&& = delete;
  /// The model, or the first error. It is called once, at the end.
  [[nodiscard]] result<model> finish(report* found = nullptr);

 private:
  enum class kind : std::uint8_t { none, plain, loop, copy, compute, wait, device, family };

  builder& fail(std::string_view text, std::string_view what);
  builder& begin(kind k);
  void end_statement();
  void end_compute();
  void end_device_text();
  void end_family_text();
  void end_variant();
  builder& belongs(bool does, std::string_view what);
  builder& put(text& to, std::string_view before, const expr& e, std::string_view after = {});
  builder& put_operand(text& to, std::string_view before, const region_expr& r);
  builder& put_name(text& to, std::string_view before, std::string_view dotted);
  void put_types(text& to, std::string_view open, element_list types, std::string_view close);
  builder& begin_task(kind k, std::string_view token);
  builder& copy(std::string_view callee, std::string_view token, const region_expr& destination,
                const region_expr& source);
  builder& properties(const expr& size, const expr& align);
  builder& topology(std::string_view word, const expr& value);
  builder& reference(text& to, std::string_view family, element_list types,
                     std::string_view variant);

  text source_;
  kind kind_ = kind::none;  // of the statement that can go on
  bool is_sync_ = false;
  // Its parts, which end_statement joins. Of a device: callee_ is the version, inputs_ the topology,
  // outputs_ the units of the device and attributes_ those of its engines; of a family: inputs_ the
  // parameters, outputs_ the bindings, attributes_ the variants, of the last one callee_ the bindings
  // and deps_ the conformance.
  text head_, callee_, inputs_, outputs_, deps_, attributes_, decorators_;
  text mandatory_, extended_, characteristics_[unit_count];
  std::uint64_t statements_ = 0;
  error error_;
  text message_;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_BUILDER_HPP

// ---- tessera/nem/catalog.hpp
//
// Type families and devices, as declarations of any file define them.
//
//   const nem::catalog& c = program.catalog();        // has the built-in families
//   const nem::type_family& f = c.families[i];
//   for (const nem::instance& x : c.instances_of(c.variants[f.first_variant])) …
//
//   type_family     parameters, operand types, accum, quant      "Type Family Grammar"
//   variant         what it adds: bias or none                   "Variant Reference IDs"
//   instance        a variant at concrete types: MUST or MAY     "Classification"
//   device          topology, characteristics, variants          "Device Configuration"
//
// An instance is what a device lists: gemm.float<f16>.no_bias is one row of `instances`. Those of a
// variant are in the order of their types.
//
// Lifetime:   a catalog owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: linear in the declarations.

#ifndef TESSERA_NEM_CATALOG_HPP
#define TESSERA_NEM_CATALOG_HPP

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

// ---- tessera/nem/rule.hpp
//
// The rules of NEM: their ids, which part of reading or verifying checks them, and how severe what
// breaks them is.
//
//   for (const tessera::diagnostic& d : found.diagnostics)
//     if (nem::phase_of(d.code) == nem::phase::hazard)
//       std::cout << nem::rule(d.code).id() << ' ' << found.text_of(d.text) << '\n';
//   // HAZ-001 …
//
//   profile     standard   severities of core/error_table_nem.hpp
//               strict     warnings that mark extensions are errors
//               upstream   FAM-004 and SHP-004 are warnings, as the format's own examples need
//
// Lifetime:   rules own their ids.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_RULE_HPP
#define TESSERA_NEM_RULE_HPP

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


#endif  // TESSERA_CORE_FINDINGS_HPP

// ---- tessera/nem/detail/keyed_rows.hpp
//
// Rows by 64-bit keys: what verification remembers, by open addressing.
//
//   struct memo { std::uint64_t key = 0; bool varies = false; };
//   detail::keyed_rows<memo> memos;
//   const auto [row, is_new] = memos.find(key);       // is_new: it has nothing but its key
//
// Lifetime:   a row lasts until the next call of find().
// Errors:     none.
// Limits:     keys other than 0.
// Allocation: 2 to 4 rows for each key.

#ifndef TESSERA_NEM_DETAIL_KEYED_ROWS_HPP
#define TESSERA_NEM_DETAIL_KEYED_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


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
namespace nem {
namespace detail {

template <class Row>
class keyed_rows {
 public:
  struct found {
    Row& row;
    bool is_new;
  };
  /// The row of a key, which is added where there is none.
  found find(std::uint64_t key) {
    if (2 * (count_ + 1) > rows_.size()) grow();
    Row& row = slot(key);
    if (row.key == key) return {row, false};
    row.key = key;
    ++count_;
    return {row, true};
  }

 private:
  void grow() {
    const pool<Row> old = std::exchange(rows_, {});
    rows_.resize(old.empty() ? 32 : old.size() * 2);
    for (const Row& r : old)
      if (r.key != 0) slot(r.key) = r;
  }
  [[nodiscard]] Row& slot(std::uint64_t key) noexcept {
    const std::size_t mask = rows_.size() - 1;
    std::size_t i = static_cast<std::uint32_t>(hash_(key, 0)) & mask;
    while (rows_[i].key != 0 && rows_[i].key != key) i = (i + 1) & mask;
    return rows_[i];
  }

  hash_key hash_;
  pool<Row> rows_;
  std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_KEYED_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Which part of reading or verifying finds something.
enum class phase : std::uint8_t {
  lex,
  parse,
  include,
  config,
  device,
  names,
  const_,
  eval,
  buffer,
  region,
  decorator,
  opcode,
  shape,
  type,
  transfer,
  token,
  place,
  loop,
  hazard,
  run
};
enum class profile : std::uint8_t { standard, strict, upstream };

/// The rule of a code.
class rule {
 public:
  explicit rule(errc code) noexcept;
  /// "CON-001"; empty for codes of other formats.
  [[nodiscard]] std::string_view id() const noexcept { return {id_, size_}; }

 private:
  char id_[14] = {};
  std::size_t size_ = 0;
};

/// A row of the table of rules.
struct rule_row {
  errc code;
  nem::phase phase;
  tessera::severity severity;  ///< in the profile `standard`
};
namespace detail {
/// Phases as the table spells them.
struct rule_phases {
  using enum phase;
};
}  // namespace detail
/// All rules, in the order of their codes.
inline constexpr rule_row rule_table[] = {
#define TESSERA_X(name, value, text, phase, severity_)                                             \
  {errc::name, detail::rule_phases::phase, severity::severity_},
    TESSERA_NEM_RULES(TESSERA_X)
#undef TESSERA_X
};
inline constexpr std::size_t rule_count = sizeof rule_table / sizeof rule_table[0];

/// Which part of verifying finds what breaks a rule.
[[nodiscard]] constexpr phase phase_of(errc code) noexcept {
  const std::size_t i =
      static_cast<std::size_t>(code) - static_cast<std::size_t>(rule_table[0].code);
  return i < rule_count ? rule_table[i].phase : phase::parse;
}
/// How severe a rule's findings are in a profile.
[[nodiscard]] constexpr severity severity_of(errc code, profile p) noexcept {
  switch (code) {
    case errc::nem_syn_017_line_operator:
    case errc::nem_syn_019_trailing_comma:
    case errc::nem_syn_020_inner_type:
    case errc::nem_typ_002_extension:
      return p == profile::strict ? severity::error : severity::warning;
    case errc::nem_fam_004_quant:
    case errc::nem_shp_004_output:
      return p == profile::upstream ? severity::warning : severity::error;
    default: break;
  }
  const std::size_t first = static_cast<std::size_t>(rule_table[0].code);
  const std::size_t i = static_cast<std::size_t>(code) - first;
  return i < rule_count ? rule_table[i].severity : severity::error;
}

namespace detail {

/// Collects findings: each rule once for a place, however many iterations find it.
class findings : public tessera::detail::findings {
 public:
  using tessera::detail::findings::ending;

  findings(tessera::report* to, nem::profile p, std::uint64_t max_diagnostics) noexcept
      : tessera::detail::findings(to != nullptr ? to : &own_, to != nullptr ? max_diagnostics : 0),
        profile_(p) {}

  /// Adds a finding, as severe as the profile has it; what is written into the result is its text.
  writer add(errc code, place where);
  /// What each message ends with from now on.
  void end_with(ending e) noexcept { ending_ = e; }
  /// Says of all findings in file 0 that their places are nodes of a model that was built in code.
  void mark_nodes() noexcept;

  [[nodiscard]] nem::profile profile() const noexcept { return profile_; }
  [[nodiscard]] tessera::report& report() noexcept { return *to_; }

 private:
  /// There are fewer than 2^16 files and codes.
  [[nodiscard]] bool first_time(errc code, const place& where);

  tessera::report own_;
  nem::profile profile_;
  struct seen {
    std::uint64_t key = 0;
  };
  keyed_rows<seen> seen_;
};

/// The place of a node of the model in `file`.
[[nodiscard]] inline place place_of(const node& n, std::uint32_t file = 0) noexcept {
  return {file, n.offset, n.length};
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_RULE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// What a family demands of quantization descriptors.
enum class quant_condition : std::uint8_t { any, absent, required, required_on };

/// The type of an operand in a family.
enum class type_form : std::uint8_t { element, parameter, absent, any_supported };
/// What a family, or a variant, says of one operand.
struct operand_type {
  string operand;  ///< its name: "A", "input", "src"
  type_form form = type_form::element;
  nem::element element = nem::element::none;
  std::uint32_t parameter = 0;  ///< index among the family's
};
/// A parameter of a family, such as T of gemm.float, and the types that it may be bound to.
struct type_parameter {
  string name;
  std::uint16_t domain = 0;  ///< bit n is element n
};
/// A variant at concrete types.
struct instance {
  std::uint32_t family = 0, variant = 0;
  std::uint32_t first_type = 0, types = 0;  ///< in catalog::types
  bool is_must = false;
};
/// What an opcode may have or lack besides its types, such as a bias.
struct variant {
  string name;
  std::uint32_t first_operand = 0, operands = 0;    ///< in catalog::operand_types
  std::uint32_t first_instance = 0, instances = 0;  ///< in catalog::instances, by their types
};
/// The types that an opcode's operands may have together.
struct type_family {
  string name;
  std::uint32_t first_parameter = 0, parameters = 0;
  std::uint32_t first_operand = 0, operands = 0;
  std::uint32_t first_variant = 0, variants = 0;
  element accum = element::none;
  quant_condition quant = quant_condition::any;
  string quant_operand;  ///< of required_on
  place where;           ///< length 0 for built-in ones
};

/// A characteristic of a unit: one number, such as SEQ's max_active_tokens.
struct unit_number {
  nem::unit unit = nem::unit::none;
  string key;  ///< of a characteristic
  std::int64_t value = 0;
};
/// What a device consists of ("Device Configuration").
struct topology {
  std::int64_t engines = 0, l1_size = 0, l2_size = 0;  ///< bytes; L1 is that of one engine
  std::int64_t units[unit_count] = {};  ///< per engine, or of the device; 0 where it has none
};
/// A device. Its topology and spec_version may be inherited. Its lists are its own, until it is
/// resolved, as a target is: then they hold what it inherits too, instances in ascending order.
struct device {
  string name, parent, spec_version;
  std::uint32_t base = no_index;  ///< the parent in catalog::devices, which precedes it
  bool has_topology = false, is_resolved = false;
  nem::topology topology;
  std::uint32_t first_characteristic = 0, characteristics = 0;  ///< in catalog::characteristics
  std::uint32_t first_mandatory = 0, mandatory = 0;             ///< in catalog::device_instances
  std::uint32_t first_extended = 0, extended = 0;  ///< likewise; resolved: none of mandatory
  place where;
};

namespace detail {

/// Appends the types of an instance: "<f16, i8>", nothing where there are none.
template <class Out>
void append_types(Out& out, view<element> types) {
  for (std::size_t k = 0; k < types.size(); ++k) out << (k == 0 ? "<" : ", ") << name(types[k]);
  if (!types.empty()) out << '>';
}
/// Appends the types of a set: "f16, f32".
template <class Out>
void append_domain(Out& out, std::uint16_t domain) {
  std::string_view comma;
  for (std::size_t e = 0; e < element_count; ++e) {
    if ((domain >> e & 1) == 0) continue;
    out << comma << name(static_cast<element>(e));
    comma = ", ";
  }
}

}  // namespace detail

/// Type families with their variants, and devices: those that are built in and those of all files.
struct catalog {
  text characters;
  pool<type_family> families;
  pool<type_parameter> parameters;
  pool<operand_type> operand_types;
  pool<variant> variants;
  pool<instance> instances;
  pool<element> types;
  pool<device> devices;
  pool<unit_number> characteristics;
  pool<std::uint32_t> device_instances;  ///< indices of `instances`

  [[nodiscard]] std::string_view text_of(string s) const& noexcept {
    return {characters.data() + s.first, s.size};
  }
  std::string_view text_of(string) const&& = delete;
  [[nodiscard]] view<instance> instances_of(const variant& v) const& noexcept {
    return {instances.data() + v.first_instance, v.instances};
  }
  view<instance> instances_of(const variant&) const&& = delete;
  /// The characteristic of a unit, such as SEQ's max_active_tokens, or `otherwise`.
  [[nodiscard]] std::int64_t characteristic(const device& d, unit u, std::string_view key,
                                            std::int64_t otherwise) const noexcept {
    for (std::uint32_t i = 0; i < d.characteristics; ++i) {
      const unit_number& n = characteristics[d.first_characteristic + i];
      if (n.unit == u && text_of(n.key) == key) return n.value;
    }
    return otherwise;
  }
  /// Whether a resolved device lists the instance as mandatory or extended.
  [[nodiscard]] bool supports(const device& d, std::uint32_t i) const noexcept {
    return holds(d.first_mandatory, d.mandatory, i) || holds(d.first_extended, d.extended, i);
  }
  /// The instance of a variant at some types, or no_index.
  [[nodiscard]] std::uint32_t find_instance(const variant& v, view<element> of) const noexcept {
    const instance* const first = instances.data() + v.first_instance;
    const std::size_t at = first_not_below(
        first, v.instances, [&](const instance& x) { return order(types_of(x), of) < 0; });
    if (at == v.instances || order(types_of(first[at]), of) != 0) return no_index;
    return v.first_instance + static_cast<std::uint32_t>(at);
  }
  [[nodiscard]] view<element> types_of(const instance& x) const& noexcept {
    return {types.data() + x.first_type, x.types};
  }
  view<element> types_of(const instance&) const&& = delete;
  /// Appends an instance's reference: "gemm.float<f16>.no_bias".
  void append_reference(text& out, const instance& i) const {
    out << text_of(families[i.family].name);
    detail::append_types(out, types_of(i));
    out << '.' << text_of(variants[i.variant].name);
  }
  /// The order of a variant's instances: negative, 0 or positive.
  [[nodiscard]] static int order(view<element> a, view<element> b) noexcept {
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k)
      if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
  }

 private:
  [[nodiscard]] bool holds(std::uint32_t first, std::uint32_t count,
                           std::uint32_t i) const noexcept {
    const std::uint32_t* const list = device_instances.data() + first;
    const std::size_t at = first_not_below(list, count, [i](std::uint32_t x) { return x < i; });
    return at != count && list[at] == i;
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_CATALOG_HPP

// ---- tessera/nem/families.hpp
//
// The 13 built-in type families as a table, and the baseline device that lists what each must have.
//
//   nem::catalog c;
//   nem::add_builtin(c);                                     // families[0] is conv2d.float
//   std::uint32_t f = nem::builtin_family("gemm.int8");      // its row, and its index in a catalog
//
//   family_table     parameters, operands, accum, quant, variants    "Type Families and Matching"
//   variant_row      what it adds, its instances: MUST or MAY        "Classification"
//   baseline_files   the two spellings of the baseline's name
//
// An instantiation that no row lists is neither: gemm.float<f32>.with_bias is illegal everywhere.
// The baseline is a file that can always be included; no file is opened (its text is
// nem/detail/device/baseline_text.hpp).
//
// Lifetime:   the table is constant; what is made of it owns itself.
// Errors:     none.
// Limits:     none.
// Allocation: a catalog's pools.

#ifndef TESSERA_NEM_FAMILIES_HPP
#define TESSERA_NEM_FAMILIES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/device/family_rows.hpp
//
// The rows of nem/families.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP
#define TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// An operand's type in the table; `operand` is empty where there is none.
struct operand_row {
  std::string_view operand;
  type_form form = type_form::element;
  nem::element element = nem::element::none;
  std::uint32_t parameter = 0;
};
/// A type parameter in the table.
struct parameter_row {
  std::string_view name;  ///< empty where there is none
  std::uint16_t domain = 0;
};
/// An instance of a variant; `types` are as many as the family has parameters.
struct instance_row {
  enum class level : std::uint8_t { none, must, may } conformance = level::none;
  element types[2] = {element::none, element::none};
};
/// A variant in the table.
struct variant_row {
  std::string_view name;  ///< empty where there is none
  operand_row operand;    ///< besides those of the family
  instance_row instances[6];
};
/// A family in the table; rows without a name fill up its arrays.
struct family_row {
  std::string_view name;
  parameter_row parameters[2];
  operand_row operands[3];
  element accum;
  quant_condition quant;
  std::string_view quant_operand;
  variant_row variants[2];
};

namespace detail {

/// What the rows are written with.
struct family_words {
  using enum element;
  static constexpr quant_condition any = quant_condition::any,
                                   unquantized = quant_condition::absent,
                                   required = quant_condition::required,
                                   required_on = quant_condition::required_on;
  /// The set of some types.
  template <class... Element>
  static consteval std::uint16_t set(Element... e) noexcept {
    return static_cast<std::uint16_t>(((1u << static_cast<unsigned>(e)) | ...));
  }
  static consteval operand_row is(std::string_view operand, element e) noexcept {
    return {operand, type_form::element, e, 0};
  }
  /// The type that a parameter means.
  static consteval operand_row like(std::string_view operand, std::uint32_t parameter) noexcept {
    return {operand, type_form::parameter, none, parameter};
  }
  static consteval operand_row absent(std::string_view operand) noexcept {
    return {operand, type_form::absent, none, 0};
  }
  static consteval operand_row any_supported(std::string_view operand) noexcept {
    return {operand, type_form::any_supported, none, 0};
  }
  static consteval instance_row must(element a = none, element b = none) noexcept {
    return {instance_row::level::must, {a, b}};
  }
  static consteval instance_row may(element a = none, element b = none) noexcept {
    return {instance_row::level::may, {a, b}};
  }
};

/// The table. Instances stand in the order of their types, as in every catalog.
struct families : family_words {
  static constexpr std::uint16_t floats = set(f16, bf16, f32);
  static constexpr std::uint16_t numbers = set(i8, i16, i32, f16, bf16, f32);
  // clang-format off
  static constexpr family_row rows[] = {
    {"conv2d.float", {{"T", floats}}, {like("X", 0), like("W", 0), like("Y", 0)}, f32, unquantized, {},
     {{"no_bias", absent("B"), {must(f16), may(bf16), may(f32)}},
      {"with_bias", like("B", 0), {must(f16), may(bf16), may(f32)}}}},
    {"conv2d.int8", {{"T_out", set(i8, i16)}}, {is("X", i8), is("W", i8), like("Y", 0)}, i32, required, {},
     {{"no_bias", absent("B"), {must(i8)}},
      {"with_bias", is("B", i32), {must(i8), may(i16)}}}},
    {"conv2d.int4", {}, {is("X", i8), is("W", i4), is("Y", i8)}, i32, required, {},
     {{"no_bias", absent("B"), {may()}},
      {"with_bias", is("B", i32), {may()}}}},
    {"gemm.float", {{"T", floats}}, {like("A", 0), like("B", 0), like("Y", 0)}, f32, unquantized, {},
     {{"no_bias", absent("C"), {must(f16), may(bf16), may(f32)}},
      {"with_bias", like("C", 0), {must(f16)}}}},
    {"gemm.int8", {{"T_out", set(i8, i16)}}, {is("A", i8), is("B", i8), like("Y", 0)}, i32, required, {},
     {{"no_bias", absent("C"), {must(i8)}},
      {"with_bias", is("C", i32), {must(i8), may(i16)}}}},
    {"gemm.int4", {}, {is("A", i8), is("B", i4), is("Y", i8)}, i32, required, {},
     {{"no_bias", absent("C"), {may()}},
      {"with_bias", is("C", i32), {may()}}}},
    {"eltwise", {{"T", numbers}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(i8), may(i16), may(i32), must(f16), may(bf16), may(f32)}}}},
    {"view", {{"T", numbers}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(i8), may(i16), may(i32), must(f16), may(bf16), may(f32)}}}},
    {"norm", {{"T", floats}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(f16), may(bf16), may(f32)}}}},
    {"softmax", {{"T", floats}}, {like("input", 0), like("output", 0)}, none, any, {},
     {{"default", {}, {must(f16), may(bf16), may(f32)}}}},
    {"cast", {}, {any_supported("src"), any_supported("dst")}, none, any, {},
     {{"default", {}, {must()}}}},
    {"quantize", {{"T_src", set(f16, f32)}, {"T_dst", set(i8)}}, {like("src", 0), like("dst", 1)}, none,
     required_on, "dst",
     {{"default", {}, {must(f16, i8), may(f32, i8)}}}},
    {"dequantize", {{"T_src", set(i8)}, {"T_dst", set(f16, f32)}}, {like("src", 0), like("dst", 1)}, none,
     required_on, "src",
     {{"default", {}, {must(i8, f16), may(i8, f32)}}}},
  };
  // clang-format on
};
[[nodiscard]] consteval std::uint32_t count_instances(instance_row::level l) noexcept {
  std::uint32_t count = 0;
  for (const family_row& f : families::rows)
    for (const variant_row& v : f.variants)
      for (const instance_row& i : v.instances) count += i.conformance == l ? 1u : 0u;
  return count;
}

}  // namespace detail

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_FAMILY_ROWS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// The table; a row is a family with its parameters, operands and variants.
inline constexpr const auto& family_table = detail::families::rows;
inline constexpr std::uint32_t builtin_families = sizeof family_table / sizeof family_table[0];
inline constexpr std::uint32_t must_count = detail::count_instances(instance_row::level::must);
inline constexpr std::uint32_t may_count = detail::count_instances(instance_row::level::may);

/// The names of the baseline: of its file and of its device.
struct baseline_row {
  std::string_view file, device;
};
inline constexpr baseline_row baseline_files[] = {{"npm_baseline_1.0.nem", "npm_baseline_1_0"},
                                                  {"nem_baseline_1.0.nem", "nem_baseline_1_0"}};
/// The only known value of spec_version.
inline constexpr std::string_view known_spec_version = "NEM-1.0";

/// A path after its last slash of either kind.
[[nodiscard]] std::string_view base_name(std::string_view path) noexcept;
/// Which baseline file a path names by its base name: an index, or 2 for none.
[[nodiscard]] std::uint32_t find_baseline(std::string_view path) noexcept;
/// The row of a built-in family, which also is its index in each catalog; builtin_families for none.
[[nodiscard]] std::uint32_t builtin_family(std::string_view name) noexcept;

/// Adds the built-in families to a catalog, which must be empty: so they have the indices of their
/// rows, and their MUST instances are the first `must_count` that have is_must.
void add_builtin(catalog& c);

/// Adds the baseline device under one of its names: abstract, with the MUST instances of a catalog
/// that begins with the built-in families.
void add_baseline_device(catalog& c, const baseline_row& names);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_FAMILIES_HPP

// ---- tessera/nem/print.hpp
//
// The canonical text of a NEM model, the same for all models that mean the same, and that of a
// verified program with comments: what its declarations and tasks resolve to.
//
//   std::cout << nem::print(model).view();       // a model
//   std::cout << nem::print(program).view();     // with comments: bytes, types, defaults
//
//   buffer A : L1[0] (size=4096, align=64) @readonly
//   loop i in [0..N - 1] @max_in_flight(2):
//     let X = region(A, (i mod 2) * 64, 64)
//         elem=i8, shape=[8, 8], layout=HW, quant=per_tensor(scale=0.5, zero_point=0)
//         @materialized
//     t = transfer.async(dst=X, src=region(B, i * 64, 64))
//     c = conv2d.async
//         in  X, W
//         out Y
//         deps=[t]
//         pads=[0, 0, 0, 0]
//         @resource(NMU[0])
//     wait(c)
//   endloop
//
//   order       includes, families, devices, device directive, header, statements
//   attributes  deps, then those of the opcode in the registry's order, then others by name
//   types       elem, shape, layout or strides, quant with its fields in their order
//   decorators  of buffers, loops and operands on the line; others on lines of their own
//
//   buffer A : L1[0] (size=N * 8, align=64) @readonly  # 64 bytes, aligned to 64
//   loop i in [0..N - 1]:  # i from 0 to 7
//     let X = region(A, i * 8, 8)  # bytes 0 to 7 of A, i8 [8] where i is 0
//         elem=i8, shape=[8]
//     c = relu.async  # unit VPU
//
// Comments are about the first iteration of loops. They name the attributes that a task leaves to
// their defaults, and the unit where none is named.
//
// An empty deps=[] is left out, except where decorators after it would move to an operand. The
// text is read as the same model, and prints as itself.
//
// Lifetime:   the text owns itself.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: the text, and what its largest expression needs; of a program also 8 bytes for each
//             node, and the comments.

#ifndef TESSERA_NEM_PRINT_HPP
#define TESSERA_NEM_PRINT_HPP


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Options for printed text.
struct print_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

class program;

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] text print(const model& d, const print_options& options = {});
/// The same of a program, with comments.
[[nodiscard]] text print(const program& p, const print_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_PRINT_HPP

// ---- tessera/nem/read.hpp
//
// Reads NEM: the text of a program, a device or type families, to its syntax tree.
//
//   tessera::report found;
//   auto model = nem::read("const N = 8  buffer A : L2 (size=N * 2)", {}, &found);
//   if (!model) return show(found);           // up to 16 errors, each with place, note and fix
//   model->nodes[0].kind;                     // node_kind::constant
//   model->name(model->nodes[0].value);    // "N"
//
//   model     include* then families and devices, or a program
//   program      [device directive] [program N :] statements
//   families, devices
//   regions, values
//
// One pass, no recursion. After an error whose meaning is clear (`shape[2]`, `progam p:`) reading goes on
// in the statement; else at the next one: after `;`, or at a line that begins with a keyword or isn't
// indented more than the wrong statement. Loops stay balanced, and one mistake gives one error.
//
// Lifetime:   the model owns itself.
// Errors:     the first one; the report has all, and the warnings.
// Limits:     limits::max_bytes, and at most 4 GiB; limits::max_items nodes; 256 nested loops, lists
//             and parentheses.
// Allocation: reading holds at most 32 times the source and 100 KB for diagnostics; the worst, a sum
//             of single digits, takes 29. Documents of real programs take 2.5 times the source.

#ifndef TESSERA_NEM_READ_HPP
#define TESSERA_NEM_READ_HPP

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

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Called about once a MiB with the bytes that were read: to show progress, or to release the pages of
/// a mapped file. Findings are looked up in all of the source.
struct read_progress {
  void (*passed)(void* self, std::uint64_t bytes) = nullptr;
  void* self = nullptr;
};

struct read_options {
  nem::profile profile = nem::profile::standard;
  limits limit;
  std::uint32_t max_errors = 16;  ///< after which reading stops; at least 1, at most 1000
  read_progress progress = {};
};

/// Reads one file. A model only where there is no error; `found` receives all errors and warnings.
[[nodiscard]] result<model> read(std::string_view source, const read_options& options = {},
                                 report* found = nullptr);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_READ_HPP

// ---- tessera/nem/reformat.hpp
//
// A NEM file in its canonical layout, with its comments: what a formatter writes.
//
//   tessera::text formatted = nem::reformat(model, source);     // read from this source
//
//   let   a=(1+2)   # a note          let a = 1 + 2  # a note
//                                ->
//                                     # about b
//   # about b                         let b = a
//   let b = a;
//
// Lines are those of print(), except:
//
//   constructs      in the order of the file
//   blank lines     one is kept between statements, and between lines of families and devices
//   own lines       a comment on a line of its own stays before the same line, at its indent
//   after a line    stays at its end, two spaces before the '#'
//   within a line   goes before that line: no line is broken for a comment
//   parts           keep the order of the file in a compute task, family or device that has a
//                   comment between them, so that it stays with what it describes
//
// All comments stay, in their order; blanks at their ends go. The result is read as the same
// model, and formatted as itself.
//
// Lifetime:   the text owns itself.
// Errors:     none. With another source than the model's, comments are misplaced.
// Limits:     none; no recursion.
// Allocation: the text, 16 bytes per comment, and 4 per closing brace or endloop.

#ifndef TESSERA_NEM_REFORMAT_HPP
#define TESSERA_NEM_REFORMAT_HPP

#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// The text of a model that was read from `source`, in canonical layout, with its comments.
[[nodiscard]] text reformat(const model& d, std::string_view source,
                            const print_options& options = {});

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_REFORMAT_HPP

// ---- tessera/nem/resolver.hpp
//
// Where the files come from that a NEM program includes: texts that the caller has, a folder, or
// whatever else finds a file by its path.
//
//   const nem::named_text texts[] = {{"npu.nem", device_text}, {"lib/families.nem", family_text}};
//   nem::text_files files(texts);                 // or nem::folder_files files("models");
//   nem::verify_options options;
//   options.resolver = files.resolver();
//   options.id = "main.nem";                      // where the program itself lies among them
//   auto program = nem::verify(std::move(*model), options, &found);
//   // Findings name included files by report::files: "lib/families.nem".
//
// A path is looked for beside the file that names it, then from the top. Its parts are separated by
// '/' or '\'; "." and ".." mean what they do in file systems, and nothing above the top is opened, nor
// is an absolute path.
//
// Lifetime:   text_files borrows its texts, folder_files owns them; both must outlive verification, and
//             a resolver borrows them.
// Errors:     a file that isn't there is INC-001, with the reason where there is one.
// Limits:     folder_files: files of `max_bytes`.
// Allocation: the paths, and the texts of a folder's files, each read once.

#ifndef TESSERA_NEM_RESOLVER_HPP
#define TESSERA_NEM_RESOLVER_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Finds the files that models name.
///
/// Called as open(context, from, path, file): `from` is file::id of the file that names `path`, or
/// verify_options::id for the model that is verified. Returns false where there is no such file, or
/// none that may be included; then `why` may say so.
/// What `file` points to must last until verification ends.
struct resolver {
  struct file {
    std::string_view id;        ///< the same for the same file, however it is named
    std::string_view text;      ///< its whole text
    std::string_view why = {};  ///< what is wrong with the path, in words
  };
  bool (*open)(void* context, std::string_view from, std::string_view path, file& to) = nullptr;
  void* context = nullptr;
};

/// A text and its path from the top, such as "lib/families.nem".
struct named_text {
  std::string_view path, text;
};

/// A table of texts as files.
class text_files {
 public:
  explicit text_files(view<named_text> texts) noexcept : texts_(texts) {}
  template <std::size_t Count>
  explicit text_files(const named_text (&texts)[Count]) noexcept : texts_{texts, Count} {}
  text_files(const text_files&) = delete;
  text_files& operator=(const text_files&) = delete;

  [[nodiscard]] nem::resolver resolver() noexcept { return {open, this}; }

 private:
  static bool open(void* self, std::string_view from, std::string_view path,
                   nem::resolver::file& to);

  view<named_text> texts_;
  text id_;
};

/// The files of a folder, and of folders in it. Links are followed, and a named pipe is waited for: a
/// program that a stranger wrote should meet a folder of plain files.
class folder_files {
 public:
  /// The current folder where the path is empty.
  explicit folder_files(std::string_view path, std::uint64_t max_bytes = std::uint64_t{1} << 32)
      : folder_(path), max_bytes_(max_bytes) {}
  folder_files(const folder_files&) = delete;
  folder_files& operator=(const folder_files&) = delete;
  ~folder_files();

  [[nodiscard]] nem::resolver resolver() noexcept { return {open, this}; }
  /// The text of a file that was opened, by its path from the folder; else empty.
  [[nodiscard]] std::string_view text_of(std::string_view id) const noexcept;

 private:
  struct loaded {
    text id, content;
    loaded* before = nullptr;
  };
  static bool open(void* self, std::string_view from, std::string_view path,
                   nem::resolver::file& to);
  /// Reads the file of `id_`. Null where there is none, or `why` says what is wrong with it.
  [[nodiscard]] const loaded* load(std::string_view& why);

  text folder_, id_;
  std::uint64_t max_bytes_;
  loaded* last_ = nullptr;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_RESOLVER_HPP

// ---- tessera/nem/verify.hpp
//
// Verifies a model: whether a device, or any device, can run what it says.
//
//   tessera::report found;
//   auto program = nem::verify(std::move(*model), {}, &found);
//   if (!program) return show(found);
//   nem::for_each_task(*program, my_visitor);          // what it does, task by task
//
//   files         includes, type families, devices, the target
//   statements    names, numbers, buffers, regions, tasks         in the order of the file
//   hazards       tasks that nothing orders
//   capacity      what the target's memories hold
//
// All errors of a model are found in one run. Warnings and notes leave it valid.
//
// The nodes of a model that was built in code, without places, get their indices as places.
//
// Lifetime:   a program owns its model and its catalog.
// Errors:     that of the first error found; all of them are in the report.
// Limits:     verify_options.
// Allocation: linear in the model and in the instances that loops are expanded to.

#ifndef TESSERA_NEM_VERIFY_HPP
#define TESSERA_NEM_VERIFY_HPP

#include <cstdint>


// ---- tessera/nem/detail/rules/walk.hpp
//
// How a program is expanded, task by task; see nem/verify.hpp.

#ifndef TESSERA_NEM_DETAIL_RULES_WALK_HPP
#define TESSERA_NEM_DETAIL_RULES_WALK_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>


// ---- tessera/nem/visitor.hpp
//
// What a program does, task by task: a visitor, and what it gets.
//
//   struct count : nem::visitor {
//     void task(const nem::values& v, const nem::task& t) {
//       for (const nem::operand& o : v.inputs(t)) bytes += v.regions[o.region].extent;
//     }
//     std::int64_t bytes = 0;
//   };
//   count c;
//   nem::for_each_task(program, c);
//
//   buffer      level, engine, size, alignment            "Buffers"
//   region      buffer, bytes, element type, shape, …     "Regions"
//   quant       scales and zero points                    "Quantization Descriptor"
//   task        opcode, operands, tasks it depends on     "Tasks and Tokens"
//
//   loop(v, node, first, last, in_flight)   then iteration(node, value) …, then end_loop(node)
//   task(v, t)                              after its operands and dependences are evaluated
//   wait(node, tasks)                       indices of those that are waited for
//   stopped()                               asked after each task and iteration; true ends it
//   end(v)                                  after all; `v` has all buffers
//
// Tasks come in the order in which a device issues them. Loops are not unrolled in memory: a body is
// evaluated anew in each iteration, and what it declared is gone after it. `values` holds what is
// visible.
//
// Lifetime:   what visitors get lasts until they return.
// Errors:     none.
// Limits:     2^32 - 2 tasks.
// Allocation: that of the pools.

#ifndef TESSERA_NEM_VISITOR_HPP
#define TESSERA_NEM_VISITOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/rules/attributes.hpp
//
// The attributes of a compute task, evaluated: what rules and machines ask for.
//
//   void task(const nem::values& v, const nem::task& t) {
//     const nem::attributes& a = v.attributes;
//     if (a.has(nem::attribute::strides)) use(a.strides[0]);
//   }
//
//   integer            axis, groups
//   real               alpha, min_val, max_val, constant_value, epsilon
//   list of integers   pads strides dilations kernel_shape perm target_shape starts ends axes steps
//                      split_sizes
//   other              accum_type, keepdims, mode, op
//
// Those that aren't given have their defaults; has() tells.
//
// Lifetime:   lists borrow; in `values` they last until the next statement is visited.
// Errors:     none.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP
#define TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

inline constexpr std::uint32_t max_rank = 32;  ///< dimensions of an operand of a compute task

/// What `pad` puts around a tensor.
enum class pad_mode : std::uint8_t { constant, reflect, edge, wrap, unknown };
inline constexpr std::string_view pad_mode_names[] = {"constant", "reflect", "edge", "wrap"};

/// The attributes of one task. What `given` lacks has its default.
struct attributes {
  std::uint32_t given = 0;  ///< bit n is attribute n
  nem::element accum_type = nem::element::none;
  pad_mode mode = pad_mode::constant;
  bool keepdims = false;
  std::uint32_t op = no_name;  ///< in model::names
  std::int64_t axis = 0, groups = 1;
  double alpha = 0, min_val = 0, max_val = 0, constant_value = 0, epsilon = 0;
  view<std::int64_t> pads, strides, dilations, kernel_shape, perm, target_shape, starts, ends, axes,
      steps, split_sizes;

  [[nodiscard]] static constexpr std::uint32_t bit(attribute a) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(a);
  }
  [[nodiscard]] bool has(attribute a) const noexcept { return (given & bit(a)) != 0; }
  /// The list that an attribute of kind `integers` fills.
  [[nodiscard]] view<std::int64_t>& list(attribute a) & noexcept {
    switch (a) {
      case attribute::strides: return strides;
      case attribute::dilations: return dilations;
      case attribute::kernel_shape: return kernel_shape;
      case attribute::perm: return perm;
      case attribute::target_shape: return target_shape;
      case attribute::starts: return starts;
      case attribute::ends: return ends;
      case attribute::axes: return axes;
      case attribute::steps: return steps;
      case attribute::split_sizes: return split_sizes;
      default: return pads;
    }
  }
  /// The number that an attribute of kind `real` fills.
  [[nodiscard]] double& real(attribute a) & noexcept {
    switch (a) {
      case attribute::alpha: return alpha;
      case attribute::min_val: return min_val;
      case attribute::max_val: return max_val;
      case attribute::constant_value: return constant_value;
      default: return epsilon;
    }
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ATTRIBUTES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

/// What @readonly, @writeonly and @materialized say; bits.
enum access_flag : std::uint8_t { flag_readonly = 1, flag_writeonly = 2, flag_materialized = 4 };

/// A buffer; `size` and `align` only count where it is known.
struct buffer {
  std::uint32_t node = 0;  ///< its declaration
  std::uint32_t name = 0;  ///< in model::names
  nem::level level = nem::level::ddr;
  std::uint8_t flags = 0;
  bool is_known = false;    ///< whether its size could be evaluated
  std::int64_t engine = 0;  ///< of an L1
  std::int64_t size = 0;    ///< bytes
  std::int64_t align = 1;   ///< bytes
};

/// The descriptor of a region: an element q means scale * (q - zero point).
struct quant {
  quantization form = quantization::per_tensor;
  std::int64_t axis = 0, group_size = 0;                ///< where the form has them
  std::uint32_t first_scale = 0, scales = 0;            ///< in values::reals
  std::uint32_t first_zero_point = 0, zero_points = 0;  ///< in values::numbers
};

/// Bytes of a buffer, and what is in them, where a type was given.
struct region {
  std::uint32_t node = 0;               ///< the node_kind::region
  std::uint32_t declaration = no_node;  ///< its `let`; no_node for a region in place
  std::uint32_t buffer = no_index;      ///< in values::buffers; no_index where it isn't known
  std::int64_t offset = 0, extent = 0;  ///< bytes, relative to the buffer
  nem::element element = nem::element::none;
  std::uint8_t flags = 0;  ///< access_flag, with those of the buffer
  bool has_shape = false, has_strides = false;
  std::uint32_t layout = no_name;               ///< in model::names
  std::uint32_t first_dimension = 0, rank = 0;  ///< in values::numbers, elements
  std::uint32_t first_stride = 0, strides = 0;  ///< in values::numbers, elements
  std::uint32_t quant = no_index;               ///< in values::quants
  bool is_sound = false;  ///< evaluated, and without an error of its own; checks of tasks need this
};

/// One operand of the current task.
struct operand {
  std::uint32_t node = 0;           ///< its node: input, output, destination or source
  std::uint32_t region = no_index;  ///< in values::regions; no_index where it isn't known
  std::uint8_t flags = 0;           ///< of the region and of the operand
};

/// One execution of a transfer, a store or a compute task.
struct task {
  std::uint32_t index = 0;  ///< how many tasks were issued before
  std::uint32_t node = 0;
  nem::opcode opcode = nem::opcode::unknown;  ///< transfer and store too
  nem::mode mode = nem::mode::async;
  std::uint32_t token = no_name;                             ///< its name
  std::uint32_t first_operand = 0, inputs = 0, outputs = 0;  ///< in values::operands, inputs first
  std::uint32_t first_dep = 0, deps = 0;                     ///< in values::deps
  nem::unit unit = nem::unit::none;  ///< of @resource, when it names one that can be bound
  std::int64_t unit_index = 0;
  std::int64_t engine = -1;  ///< of its L1 regions or @seq_engine; -1 for any
  bool is_memmove = false;
};

/// Everything that is visible at one point of a program.
struct values {
  pool<nem::buffer> buffers;
  pool<nem::region> regions;
  pool<nem::quant> quants;
  pool<std::int64_t> numbers;
  pool<double> reals;
  pool<nem::operand> operands;  ///< of the current task
  pool<std::uint32_t> deps;     ///< of the current task: indices of tasks
  nem::attributes attributes;   ///< of the current task, where it computes

  [[nodiscard]] view<nem::operand> inputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand, t.inputs};
  }
  view<nem::operand> inputs(const task&) const&& = delete;
  [[nodiscard]] view<nem::operand> outputs(const task& t) const& noexcept {
    return {operands.data() + t.first_operand + t.inputs, t.outputs};
  }
  view<nem::operand> outputs(const task&) const&& = delete;
  [[nodiscard]] view<std::uint32_t> tasks_before(const task& t) const& noexcept {
    return {deps.data() + t.first_dep, t.deps};
  }
  view<std::uint32_t> tasks_before(const task&) const&& = delete;
  [[nodiscard]] view<std::int64_t> shape(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_dimension, r.rank};
  }
  view<std::int64_t> shape(const nem::region&) const&& = delete;
  [[nodiscard]] view<std::int64_t> strides(const nem::region& r) const& noexcept {
    return {numbers.data() + r.first_stride, r.strides};
  }
  view<std::int64_t> strides(const nem::region&) const&& = delete;
  [[nodiscard]] view<double> scales(const nem::quant& q) const& noexcept {
    return {reals.data() + q.first_scale, q.scales};
  }
  view<double> scales(const nem::quant&) const&& = delete;
  [[nodiscard]] view<std::int64_t> zero_points(const nem::quant& q) const& noexcept {
    return {numbers.data() + q.first_zero_point, q.zero_points};
  }
  view<std::int64_t> zero_points(const nem::quant&) const&& = delete;
};

/// A visitor that does nothing: derive from it, and define what is wanted.
struct visitor {
  void loop(const values&, std::uint32_t /*node*/, std::int64_t /*first*/, std::int64_t /*last*/,
            std::int64_t /*in_flight*/) {}
  void iteration(std::uint32_t /*node*/, std::int64_t /*value*/) {}
  void end_loop(std::uint32_t /*node*/) {}
  void wait(std::uint32_t /*node*/, view<std::uint32_t> /*tasks*/) {}
  void task(const values&, const nem::task&) {}
  [[nodiscard]] bool stopped() const noexcept { return false; }
  void end(const values&) {}
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_VISITOR_HPP

// ---- tessera/nem/detail/rules/buffer.hpp
//
// Buffers: their declarations, and whether all of them fit into the device's memories.
//
//   detail::declare_buffer(c, node);      // into values::buffers, and bound to its name
//   detail::check_capacity(c);            // once, after the last statement
//
//   buffer NAME : level[engine] (size=, align=)     "Buffers": BUF-001 … BUF-007
//   l1_size_bytes, l2_size_bytes                    "Device Configuration", rule 6: CAP-001, CAP-002
//
// A buffer of a loop body is one allocation, whatever the number of iterations.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     none.
// Allocation: that of values::buffers; check_capacity() 16 bytes for each buffer of an L1.

#ifndef TESSERA_NEM_DETAIL_RULES_BUFFER_HPP
#define TESSERA_NEM_DETAIL_RULES_BUFFER_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/nem/detail/rules/context.hpp
//
// What the rules of verification share: the model, the catalog, the target and the findings.
//
//   c.report(errc::nem_xfr_001_small, t.node) << "destination has " << n << " bytes";
//
// Lifetime:   borrows all that it names; owned by verify().
// Errors:     none.
// Limits:     none.
// Allocation: that of `values`.

#ifndef TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP
#define TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/verify_options.hpp
//
// How a NEM program is verified.
//
//   nem::verify_options options;
//   options.profile = nem::profile::strict;       // extensions are errors
//   options.resolver = files.resolver();          // of included files, nem/resolver.hpp
//   options.device = "npu_c2";                    // in place of the program's directive, or
//   options.device_file = {"npu.nem", device_text};   // the device that a text defines
//
// Lifetime:   borrows what its views and the resolver point to.
// Errors:     none.
// Limits:     these.
// Allocation: none.

#ifndef TESSERA_NEM_VERIFY_OPTIONS_HPP
#define TESSERA_NEM_VERIFY_OPTIONS_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// How a model is verified, and within which limits.
struct verify_options {
  nem::profile profile = nem::profile::standard;
  nem::resolver resolver = {};   ///< without one, only the built-in baseline can be included
  std::string_view id = {};      ///< file::id of the model itself, where it is a file
  std::string_view device = {};  ///< a target by name, in place of the model's directive
  /// Likewise a text that defines one ("Device Configuration"): its only device, the one of the
  /// file's name, or the one that `device` names. The id is that of a file; what the text includes is
  /// looked for from there.
  resolver::file device_file = {};
  std::uint32_t max_include_depth = 32;      ///< files inside one another
  std::uint64_t max_instances = 2'000'000;   ///< tasks and iterations that loops are expanded to
  bool proves = true;                        ///< whether larger loops are proven, where they can be
  std::uint64_t hazard_steps = 128'000'000;  ///< steps of the search for hazards
  std::uint64_t max_diagnostics = 1000;      ///< that a report keeps

  /// Expands loops to so many tasks and iterations, and searches hazards in as many.
  constexpr void allow(std::uint64_t instances) noexcept {
    constexpr std::uint64_t steps = 64;  // of each
    max_instances = instances;
    const bool is_large = instances > ~std::uint64_t{0} / steps;
    if (is_large || instances * steps > hazard_steps)
      hazard_steps = is_large ? ~std::uint64_t{0} : instances * steps;
  }
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_VERIFY_OPTIONS_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class scope;  // scope.hpp

struct context {
  const model& d;
  const verify_options& options;
  findings& found;
  const catalog& types;
  const device* target = nullptr;  ///< null: the program is agnostic
  values v = {};
  scope* names = nullptr;  ///< null: expressions have literals alone

  [[nodiscard]] place at(std::uint32_t node) const noexcept { return place_of(d.nodes[node]); }
  [[nodiscard]] const node& operator[](std::uint32_t i) const noexcept { return d.nodes[i]; }
  /// Adds a finding at a node.
  [[gnu::cold, gnu::noinline]] findings::writer report(errc code, std::uint32_t node) const {
    return found.add(code, at(node));
  }
  /// The text of a node's name.
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d.name(d.nodes[i].value);
  }
  /// Whether a region has a layout that ends in two letters, as [N, K] matrices have "NK".
  [[nodiscard]] bool layout_ends_in(const region& r, std::string_view two) const noexcept {
    if (r.layout == no_name) return false;
    const std::string_view layout = d.name(r.layout);
    return layout.size() >= 2 && layout.substr(layout.size() - 2) == two;
  }
};

/// Numbers as texts show them: [2, 4]; of lists that are longer than any shape, the beginning.
struct number_list {
  view<std::int64_t> of;
};
inline text& operator<<(text& out, const number_list& n) {
  out << '[';
  for (std::size_t i = 0; i < n.of.size() && i < max_rank; ++i)
    out << (i == 0 ? "" : ", ") << n.of[i];
  return out << (n.of.size() > max_rank ? ", ...]" : "]");
}

template <class T>
[[nodiscard]] bool are_equal(view<T> a, view<T> b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_CONTEXT_HPP

// ---- tessera/nem/detail/rules/decorator.hpp
//
// The rules of decorators: which are known, what they stand on, and what they take.
//
//   check_decorators(c, buffer_node, on_buffer);          // each node that may be decorated
//   const std::int64_t n = in_flight(c, loop_node);       // 1 without @max_in_flight
//
//   DEC-001  unknown                     RES-001  a unit that @resource can't name
//   DEC-002  on the wrong thing          RES-002  an unknown unit
//   DEC-003  wrong arguments             RES-003  a negative index
//   DEC-004  given twice
//   DEC-005  @readonly and @writeonly
//   DEC-006  nothing in flight
//
// Of a decorator that is given twice, the first one is used. Arguments may depend on loop
// variables, so that the checks run once for each iteration.
//
// Lifetime:   borrows for the call.
// Errors:     findings.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP
#define TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/suggest.hpp
//
// What the writer of an unknown word may have meant: the nearest of the words that are known.
//
//   nearest("rleu", nem::opcode_table);                           // "relu"
//   suggestion s("npm_lite_v3");                                  // where there is no table:
//   for (const nem::device& d : devices) s.offer(c.text_of(d.name));
//   s.word();                                                     // empty: nothing is near
//
//   step        a character added, left out or replaced, or two neighbours swapped
//   case        the case of ASCII letters counts nothing: "cstl" means "CSTL"
//   near        at most as many steps as a third of the longer word's characters
//
// Of several words that are as near, the first one offered is taken.
//
// Lifetime:   the word that is returned is the one that was offered.
// Errors:     none; an empty word where nothing is near.
// Limits:     words up to 32 characters; longer ones are near to nothing.
// Allocation: none.

#ifndef TESSERA_CORE_SUGGEST_HPP
#define TESSERA_CORE_SUGGEST_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
inline constexpr std::size_t max_suggestion = 32;  ///< characters of words that are compared

/// The nearest of the words that are offered. Lifetime: borrows them.
class suggestion {
 public:
  /// Looks for words near `word`.
  explicit constexpr suggestion(std::string_view word) noexcept : to_(word) {}

  /// Takes the candidate where it is nearer than those before.
  [[gnu::cold]] constexpr void offer(std::string_view candidate) noexcept {
    const std::size_t longer = to_.size() > candidate.size() ? to_.size() : candidate.size();
    const std::size_t shorter = to_.size() + candidate.size() - longer;
    if (shorter == 0 || longer > max_suggestion) return;
    const std::size_t third = longer / 3, most = third < best_ ? third : best_ - 1;
    if (best_ == 0 || longer - shorter > most) return;
    const std::size_t steps = distance(to_, candidate);
    if (steps <= most) best_ = steps, word_ = candidate;
  }
  /// The nearest one so far, empty where none is near.
  [[nodiscard]] constexpr std::string_view word() const noexcept { return word_; }

 private:
  [[nodiscard]] static constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  /// The steps from one word to the other: three rows of the table over both words' beginnings.
  [[nodiscard]] static constexpr std::size_t distance(std::string_view a,
                                                      std::string_view b) noexcept {
    std::uint8_t rows[3][max_suggestion + 1] = {};
    std::uint8_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (std::size_t k = 0; k <= b.size(); ++k) last[k] = static_cast<std::uint8_t>(k);
    for (std::size_t i = 0; i < a.size(); ++i) {
      row[0] = static_cast<std::uint8_t>(i + 1);
      const char x = lower(a[i]);
      for (std::size_t k = 0; k < b.size(); ++k) {
        const char y = lower(b[k]);
        unsigned steps = last[k] + (x == y ? 0u : 1u);
        if (last[k + 1] + 1u < steps) steps = last[k + 1] + 1u;
        if (row[k] + 1u < steps) steps = row[k] + 1u;
        if (i > 0 && k > 0 && x == lower(b[k - 1]) && y == lower(a[i - 1]) &&
            before[k - 1] + 1u < steps)
          steps = before[k - 1] + 1u;
        row[k + 1] = static_cast<std::uint8_t>(steps);
      }
      std::uint8_t* const free = before;
      before = last, last = row, row = free;
    }
    return last[b.size()];
  }

  std::string_view to_, word_;
  std::size_t best_ = max_suggestion + 1;  ///< steps to word_
};

/// The nearest word of a table, whose rows are words or have a `name` or a `key`.
template <class Row, std::size_t n>
[[nodiscard]] constexpr std::string_view nearest(std::string_view word,
                                                 const Row (&table)[n]) noexcept {
  suggestion s(word);
  for (const Row& r : table) {
    if constexpr (requires { s.offer(r.name); })
      s.offer(r.name);
    else if constexpr (requires { s.offer(r.key); })
      s.offer(r.key);
    else
      s.offer(r);
  }
  return s.word();
}

}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_CORE_SUGGEST_HPP

// ---- tessera/nem/detail/rules/evaluate.hpp
//
// The value of an expression at one point of a program.
//
//   std::int64_t size;
//   if (!detail::evaluate_integer(c, node, size)) return;     // reported, here or before
//   double scale;
//   if (!detail::evaluate_real(c, node, scale)) return;       // integers convert
//
//   integers   64 bits, checked: EXP-003, EXP-004                "Expressions"
//   reals      binary64, where a FLOAT may stand; else EXP-001
//   names      those that are visible: EXP-002, EXP-005
//   const      its own rules for the same: CON-002 … CON-008     "Constants"
//
// What each iteration of a loop evaluates isn't cold, here and in region.hpp and place.hpp: a machine
// that runs the program spends a sixth of its time per task there. All else is compiled for size.
//
// Lifetime:   nothing is kept.
// Errors:     reported at the operand or the operator that is wrong.
// Limits:     1,024 operands at once: more than an expression of 256 nested parentheses holds.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP
#define TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/rules/arithmetic.hpp
//
// The operators of NEM's expressions on 64-bit integers, checked.
//
//   std::int64_t sum;
//   if (nem::apply(nem::node_kind::add, a, b, sum) == nem::arithmetic_error::overflow) …
//
//   + - *   overflow is an error
//   /       truncates towards zero
//   mod     has the sign of the divisor: -7 mod 4 is 1
//   -       negates its first operand
//
// Lifetime:   nothing is kept.
// Errors:     an arithmetic_error.
// Limits:     64 bits.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP
#define TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP

#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

enum class arithmetic_error : std::uint8_t { none, overflow, division };

/// Applies an operator. Where it can't, `to` is left as it was. `negate` takes `a` alone.
[[nodiscard]] constexpr arithmetic_error apply(node_kind op, std::int64_t a, std::int64_t b,
                                               std::int64_t& to) noexcept {
  std::int64_t value = 0;
  bool overflow = false;
  switch (op) {
    case node_kind::add: overflow = __builtin_add_overflow(a, b, &value); break;
    case node_kind::subtract: overflow = __builtin_sub_overflow(a, b, &value); break;
    case node_kind::multiply: overflow = __builtin_mul_overflow(a, b, &value); break;
    case node_kind::negate: overflow = __builtin_sub_overflow(std::int64_t{0}, a, &value); break;
    case node_kind::divide:
      if (b == 0) return arithmetic_error::division;
      if (b == -1)  // the processor traps where the quotient has no room
        overflow = __builtin_sub_overflow(std::int64_t{0}, a, &value);
      else
        value = a / b;
      break;
    case node_kind::modulo:
      if (b == 0) return arithmetic_error::division;
      value = b == -1 ? 0 : a % b;
      if (value != 0 && (value < 0) != (b < 0)) value += b;
      break;
    default: return arithmetic_error::none;  // not an operator
  }
  if (overflow) return arithmetic_error::overflow;
  to = value;
  return arithmetic_error::none;
}

/// Whether an operator takes one operand.
[[nodiscard]] constexpr bool is_unary(node_kind op) noexcept { return op == node_kind::negate; }
/// As the language writes it.
[[nodiscard]] constexpr std::string_view operator_text(node_kind op) noexcept {
  switch (op) {
    case node_kind::add: return "+";
    case node_kind::multiply: return "*";
    case node_kind::divide: return "/";
    case node_kind::modulo: return "mod";
    default: return "-";
  }
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ARITHMETIC_HPP

// ---- tessera/nem/detail/rules/scope.hpp
//
// Which names mean what at one point of a program: one name space for all that it declares.
//
//   detail::scope names(model);
//   names.open();                                     // an iteration of a loop begins
//   declare(c, n, detail::binding{…});                // NAM-001, NAM-002, CON-001, CON-006
//   if (names[n].kind == detail::binding_kind::token) …
//   names.close();                                    // and what it declared is gone
//
//   scope     the program, and each iteration of each loop body      "Scoping"
//   const     of the program alone; hides nothing, is hidden by nothing
//   others    may hide those of outer scopes, with a warning
//
// Names are interned, so a binding is an element of an array: no search, no hash. A scope remembers
// what it replaced and puts that back when it ends.
//
// Lifetime:   borrows the model.
// Errors:     declare() reports them.
// Limits:     none.
// Allocation: 24 bytes a name, 32 for each binding that an open iteration replaces.

#ifndef TESSERA_NEM_DETAIL_RULES_SCOPE_HPP
#define TESSERA_NEM_DETAIL_RULES_SCOPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

enum class binding_kind : std::uint8_t {
  none,
  constant,  ///< `integer`
  integer,   ///< a let
  real,      ///< its bits in `integer`
  integers,  ///< from `index` on, in values::numbers; `integer` is that of the scope's list_of()
  reals,     ///< likewise in values::reals
  list,      ///< of strings or lists
  string,    ///< `index` of the name
  buffer,    ///< `index` in values::buffers
  region,    ///< `index` in values::regions
  token,     ///< `index` of the task
  loop_variable,  ///< `integer`
};
/// As messages call it.
[[nodiscard]] constexpr std::string_view name(binding_kind k) noexcept {
  switch (k) {
    case binding_kind::none: return "unknown";
    case binding_kind::constant: return "const";
    case binding_kind::buffer: return "buffer";
    case binding_kind::region: return "region";
    case binding_kind::token: return "token";
    case binding_kind::loop_variable: return "loop variable";
    default: return "let";
  }
}

/// What a name means.
struct binding {
  binding_kind kind = binding_kind::none;
  bool is_known : 1 = true;  ///< false where its declaration has an error, which was reported
  bool varies : 1 = false;   ///< whether it depends on a loop variable
  std::uint16_t depth = 0;   ///< loops around its declaration: nesting is limited
  std::uint32_t node = 0;    ///< its declaration
  std::uint32_t mark = 0;    ///< the list of tokens that named it last
  std::uint32_t index = 0;
  std::int64_t integer = 0;
};
static_assert(sizeof(binding) == 24);

/// What is known of a list of numbers that has a name, so that each use needn't look at all of them.
struct named_numbers {
  std::uint32_t first_real = 0;    ///< in values::reals
  std::uint32_t first_number = 0;  ///< in values::numbers, where are_integers
  std::uint32_t count = 0;
  bool are_integers = true;        ///< FLOATs too, where they have no fraction
  double least = 0, greatest = 0;  ///< as reals; not ordered where one isn't a number
  std::int64_t min_integer = 0, greatest_integer = 0;
};

/// The bindings that are visible.
class scope {
 public:
  explicit scope(const model& d) : d_(d) { bindings_.resize(d.names.size()); }

  [[nodiscard]] const binding& operator[](std::uint32_t name) const noexcept {
    return bindings_[name];
  }
  /// Loops around the current point.
  [[nodiscard]] std::uint32_t depth() const noexcept {
    return static_cast<std::uint32_t>(starts_.size());
  }
  void open() { starts_.push_back({replaced_.size(), lists_.size()}); }
  void close() noexcept {
    const std::size_t start = starts_.back().replaced;
    while (lists_.size() > starts_.back().lists) lists_.pop_back();
    while (replaced_.size() > start) {
      bindings_[replaced_.back().name] = replaced_.back().old;
      replaced_.pop_back();
    }
    starts_.pop_back();
  }
  /// Binds a name until the scope ends; in place of what it meant before.
  void bind(std::uint32_t name, const binding& b) {
    binding& to = bindings_[name];
    const std::uint32_t loops = depth();
    if (loops != 0) replaced_.push_back({name, to});
    to = b;
    to.depth = static_cast<std::uint16_t>(loops);
  }
  /// Lists of numbers, by their binding's `integer`.
  [[nodiscard]] const named_numbers& list_of(const binding& b) const noexcept {
    return lists_[static_cast<std::size_t>(b.integer)];
  }
  std::int64_t add_list(const named_numbers& l) {
    lists_.push_back(l);
    return static_cast<std::int64_t>(lists_.size() - 1);
  }
  /// Begins a list of tokens; first_in_list() tells for each whether the list has named it before.
  void begin_list() noexcept { ++list_; }
  [[nodiscard]] bool first_in_list(std::uint32_t name) noexcept {
    if (bindings_[name].mark == list_) return false;
    bindings_[name].mark = list_;
    return true;
  }
  /// The first task of the model that assigns a token of the name, or no_node.
  [[nodiscard]] std::uint32_t task_of(std::uint32_t name) {
    if (tokens_.empty()) {
      tokens_.resize(d_.names.size());
      for (std::uint32_t i = static_cast<std::uint32_t>(d_.nodes.size()); i-- != 0;) {
        const node& n = d_.nodes[i];
        if ((n.kind == node_kind::transfer || n.kind == node_kind::store ||
             n.kind == node_kind::compute) &&
            n.value != no_name)
          tokens_[n.value] = i + 1;
      }
    }
    return tokens_[name] - 1;
  }
  /// The visible name nearest to a word: of what is a `kind`, or a number where that is none. The
  /// searches of all errors together look at some names only.
  [[nodiscard]] const binding* nearest(std::string_view word, binding_kind kind,
                                       std::string_view& found) {
    const binding* best = nullptr;
    suggestion s(word);
    if (bindings_.size() > search_) return nullptr;
    search_ -= bindings_.size();
    for (std::uint32_t i = 0; i < bindings_.size(); ++i) {
      const binding_kind k = bindings_[i].kind;
      const bool is_number = k == binding_kind::constant || k == binding_kind::integer ||
                             k == binding_kind::real || k == binding_kind::loop_variable;
      if (k == binding_kind::none || (kind == binding_kind::none ? !is_number : k != kind))
        continue;
      s.offer(d_.name(i));
      if (s.word() == found) continue;
      found = s.word();
      best = &bindings_[i];
    }
    return best;
  }

 private:
  struct replacement {
    std::uint32_t name;
    binding old;
  };
  const model& d_;
  pool<binding> bindings_;
  pool<replacement> replaced_;
  struct mark {
    std::size_t replaced, lists;
  };
  pool<mark> starts_;
  pool<named_numbers> lists_;
  pool<std::uint32_t> tokens_;  ///< by name: the task that assigns it, + 1
  std::size_t search_ = std::size_t{1} << 18;
  std::uint32_t list_ = 0;
};

/// The place of the head of a declaration, up to its name, or the name that a task assigns.
[[nodiscard]] inline place head(const context& c, std::uint32_t at) noexcept {
  const node& n = c[at];
  std::uint32_t size = 0;
  switch (n.kind) {
    case node_kind::constant: size = 6; break;
    case node_kind::buffer: size = 7; break;
    case node_kind::loop: size = 5; break;
    case node_kind::let: size = c[at + 1].offset - n.offset > c.name(at).size() + 4 ? 4 : 0; break;
    case node_kind::transfer:
    case node_kind::store:
    case node_kind::compute: break;
    default: return c.at(at);
  }
  if (n.value == no_name) return c.at(at);
  size += static_cast<std::uint32_t>(c.name(at).size());
  return {0, n.offset, size < n.length ? size : n.length};
}

/// Notes a visible name that the writer of another may have meant.
[[gnu::cold]] inline void suggest(context& c, findings::writer w, std::string_view word,
                                  binding_kind kind) {
  if (c.names == nullptr) return;
  std::string_view near;
  const binding* const b = c.names->nearest(word, kind, near);
  if (b != nullptr) w.note(head(c, b->node)) << "did you mean " << near << '?';
}

/// Declares a name in the current scope, and reports where that isn't permitted. A name that is
/// declared again keeps its kind and has no value from there on, so that there is one error.
[[gnu::cold]] inline void declare(context& c, std::uint32_t name, const binding& b) {
  scope& s = *c.names;
  if (s[name].kind == binding_kind::none) return s.bind(name, b);
  const binding old = s[name];
  const bool is_const = b.kind == binding_kind::constant;
  const bool was_const = old.kind == binding_kind::constant;
  const bool is_conflict = is_const || was_const || old.depth == s.depth();
  binding kept = is_conflict ? old : b;
  kept.is_known = kept.is_known && !is_conflict;
  s.bind(name, kept);
  if (is_const && was_const) {
    if (s.depth() != 0) return;  // CON-005 has been reported
    (c.found.add(errc::nem_con_001_duplicate, head(c, b.node))
     << "duplicate constant declaration " << c.d.name(name))
            .note(head(c, old.node))
        << "declared here before";
  } else if (is_const || was_const) {
    (c.found.add(errc::nem_con_006_conflict, head(c, b.node))
     << "name conflict - " << c.d.name(name) << " already declared as " << detail::name(old.kind))
            .note(head(c, old.node))
        << "declared here";
  } else if (old.depth == s.depth()) {
    (c.found.add(errc::nem_nam_001_duplicate, head(c, b.node))
     << c.d.name(name) << " is already declared in this scope, as " << detail::name(old.kind))
            .note(head(c, old.node))
        << "declared here";
  } else {
    (c.found.add(errc::nem_nam_002_shadow, head(c, b.node))
     << detail::name(b.kind) << ' ' << c.d.name(name) << " hides the " << detail::name(old.kind)
     << " of an outer scope")
            .note(head(c, old.node))
        << "declared here";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_SCOPE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A value while it is computed; number{} is the integer 0. It has no initializers, so that a stack of
/// them costs nothing.
struct number {
  std::int64_t integer;
  double real;
  bool is_real;
  bool is_unknown;  ///< after an error
  bool varies;      ///< whether it depends on a loop variable
  [[nodiscard]] double as_real() const noexcept {
    return is_real ? real : static_cast<double>(integer);
  }
};

/// A FLOAT without a fraction as an integer.
[[nodiscard]] inline bool to_integer(double x, std::int64_t& to) noexcept {
  if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return false;
  to = static_cast<std::int64_t>(x);
  return static_cast<double>(to) == x;
}

/// What an expression is for.
struct purpose {
  std::string_view integer;  ///< what to say of a FLOAT; empty where one is allowed
  bool is_constant = false;  ///< of a const declaration
};
inline constexpr purpose for_integer = {"expected an integer, found a FLOAT"};
inline constexpr purpose for_number = {};
inline constexpr purpose for_constant = {"const declarations must be integer", true};

inline bool report_float(context& c, std::uint32_t at, const purpose& p) {
  c.report(p.is_constant ? errc::nem_con_007_float : errc::nem_exp_001_float, at) << p.integer;
  return false;
}

/// The value of a name.
[[gnu::cold]] inline bool evaluate_name(context& c, std::uint32_t at, const purpose& p,
                                        number& to) {
  static constexpr binding nothing = {};
  const binding& b = c.names != nullptr ? (*c.names)[c[at].value] : nothing;
  if (b.kind == binding_kind::none) {
    auto&& w = c.report(p.is_constant ? errc::nem_con_002_forward : errc::nem_exp_002_name, at);
    if (p.is_constant)
      w << "forward reference to undeclared constant " << c.name(at);
    else
      w << c.name(at) << " isn't declared before this point";
    suggest(c, w, c.name(at), p.is_constant ? binding_kind::constant : binding_kind::none);
    return false;
  }
  if (p.is_constant && b.kind != binding_kind::constant) {
    (c.report(errc::nem_con_003_not_constant, at)
     << "a constant expression can't use the " << name(b.kind) << ' ' << c.name(at))
            .note(head(c, b.node))
        << c.name(at) << " is declared here";
    return false;
  }
  if (!b.is_known) return false;
  to = {};
  to.varies = b.varies;
  switch (b.kind) {
    case binding_kind::constant:
    case binding_kind::integer:
    case binding_kind::loop_variable: to.integer = b.integer; return true;
    case binding_kind::real:
      if (!p.integer.empty()) return report_float(c, at, p);
      to.real = std::bit_cast<double>(b.integer);
      to.is_real = true;
      return true;
    default: break;
  }
  const std::string_view kind = b.kind == binding_kind::string ? "string"
                                : name(b.kind) == "let"        ? "list"
                                                               : name(b.kind);
  (c.report(errc::nem_exp_005_kind, at) << "the " << kind << ' ' << c.name(at) << " isn't a number")
          .note(head(c, b.node))
      << c.name(at) << " is declared here";
  return false;
}

/// One operand of an expression, or a whole one.
inline bool evaluate_operand(context& c, std::uint32_t at, const purpose& p, number& to) {
  const node& n = c[at];
  switch (n.kind) {
    case node_kind::integer:
    case node_kind::wide_integer:
      to = {};
      to.integer = c.d.integer(n);
      return true;
    case node_kind::real:
      if (!p.integer.empty()) return report_float(c, at, p);
      to = {};
      to.real = c.d.reals[n.value];
      to.is_real = true;
      return true;
    case node_kind::name: return evaluate_name(c, at, p, to);
    case node_kind::list:
      c.report(errc::nem_exp_005_kind, at) << "a list isn't a number";
      return false;
    default: c.report(errc::nem_exp_005_kind, at) << "a string isn't a number"; return false;
  }
}

/// Applies an operator to `a`, in place, and to `b`.
[[gnu::cold]] inline void apply_operator(context& c, std::uint32_t at, const purpose& p, number& a,
                                         const number& b) {
  const node_kind op = c[at].kind;
  a.varies = a.varies || b.varies;
  a.is_unknown = a.is_unknown || b.is_unknown;
  if (a.is_unknown) return;
  bool is_division = false;
  if (a.is_real || b.is_real) {
    const double x = a.as_real(), y = b.as_real();
    a.is_real = true;
    switch (op) {
      case node_kind::add: a.real = x + y; return;
      case node_kind::subtract: a.real = x - y; return;
      case node_kind::multiply: a.real = x * y; return;
      case node_kind::negate: a.real = -x; return;
      case node_kind::divide:
        if (y != 0) {
          a.real = x / y;
          return;
        }
        is_division = true;
        break;
      default:
        c.report(errc::nem_exp_001_float, at) << "mod needs integers, found a FLOAT";
        a.is_unknown = true;
        return;
    }
  } else {
    if ((op == node_kind::divide || op == node_kind::modulo) &&
        ((a.integer < 0 && b.integer != 0) || b.integer < 0))
      c.report(errc::nem_exp_006_negative, at)
          << (op == node_kind::divide ? "'/'" : "mod") << " of " << a.integer << " and "
          << b.integer << ": implementations differ where an operand is negative";
    const std::int64_t left = a.integer;
    const arithmetic_error e = apply(op, left, b.integer, a.integer);
    if (e == arithmetic_error::none) return;
    is_division = e == arithmetic_error::division;
    if (!is_division) {
      auto w =
          c.report(p.is_constant ? errc::nem_con_008_overflow : errc::nem_exp_004_overflow, at);
      if (op == node_kind::negate)
        w << "-(" << left << ')';
      else
        w << left << ' ' << operator_text(op) << ' ' << b.integer;
      w << " leaves the range of 64 bits";
    }
  }
  a.is_unknown = true;
  if (!is_division) return;
  if (p.is_constant)
    c.report(errc::nem_con_004_division, at) << "division by zero in constant expression";
  else
    c.report(errc::nem_exp_003_division, at)
        << (op == node_kind::modulo ? "mod by zero" : "division by zero");
}

/// Operators follow their operands. What couldn't be evaluated stays unknown, so that all
/// errors of an expression are found at once, and each only where it is.
[[gnu::cold]] inline bool evaluate_expression(context& c, std::uint32_t at, const purpose& p,
                                              number& to) {
  constexpr std::size_t most = 1024;
  number stack[most];
  std::size_t size = 0;
  for (std::uint32_t i = at + 1; i < c[at].next; ++i) {
    const node_kind k = c[i].kind;
    if (!is_operator(k)) {
      if (size == most) return false;
      if (!evaluate_operand(c, i, p, stack[size])) {
        stack[size] = {};
        stack[size].is_unknown = true;
      }
      ++size;
    } else if (is_unary(k)) {
      if (size < 1) return false;
      apply_operator(c, i, p, stack[size - 1], number{});
    } else {
      if (size < 2) return false;
      --size;
      apply_operator(c, i, p, stack[size - 1], stack[size]);
    }
  }
  if (size != 1 || stack[0].is_unknown) return false;
  to = stack[0];
  return true;
}

/// The value of any expression; false after an error, which was reported here or before.
[[gnu::cold]] inline bool evaluate(context& c, std::uint32_t at, const purpose& p, number& to) {
  if (c[at].kind == node_kind::expression) return evaluate_expression(c, at, p, to);
  return evaluate_operand(c, at, p, to);
}

/// The value of an expression of integers alone, as most are: it takes a part of the time of
/// evaluate(). False where there is anything else, or an error; nothing is reported.
[[nodiscard]] inline bool evaluate_plain(const context& c, std::uint32_t at,
                                         std::int64_t& to) noexcept {
  if (c.names == nullptr) return false;
  constexpr std::size_t most = 8;
  std::int64_t stack[most] = {};
  std::size_t size = 0;
  const node *n = &c[at], *const end = n + (n->next - at);
  for (n += n->kind == node_kind::expression; n != end; ++n) {
    if (n->kind == node_kind::integer || n->kind == node_kind::name) {
      if (size == most) return false;
      std::int64_t& x = stack[size++];
      x = static_cast<std::int64_t>(n->value);
      if (n->kind == node_kind::integer) continue;
      const binding& b = (*c.names)[n->value];
      if (!b.is_known || (b.kind != binding_kind::constant && b.kind != binding_kind::integer &&
                          b.kind != binding_kind::loop_variable))
        return false;
      x = b.integer;
    } else {
      if (!is_operator(n->kind) || is_unary(n->kind) || size < 2) return false;
      std::int64_t& left = stack[--size - 1];
      const std::int64_t right = stack[size];
      const bool is_division = n->kind == node_kind::divide || n->kind == node_kind::modulo;
      if (is_division && (left < 0 || right <= 0)) return false;
      if (apply(n->kind, left, right, left) != arithmetic_error::none) return false;
    }
  }
  to = stack[0];
  return size == 1;
}

/// Where an integer must stand.
inline bool evaluate_integer(context& c, std::uint32_t at, const purpose& p, std::int64_t& to) {
  const node& n = c[at];
  if (n.kind == node_kind::integer) {
    to = static_cast<std::int64_t>(n.value);
    return true;
  }
  if (evaluate_plain(c, at, to)) return true;
  number x;
  if (!evaluate(c, at, p, x)) return false;
  to = x.integer;
  return true;
}
inline bool evaluate_integer(context& c, std::uint32_t at, std::int64_t& to) {
  return evaluate_integer(c, at, for_integer, to);
}
/// Where a number of either kind may stand.
inline bool evaluate_real(context& c, std::uint32_t at, double& to) {
  number x;
  if (!evaluate(c, at, for_number, x)) return false;
  to = x.as_real();
  return true;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_EVALUATE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The first decorator of a name on a node, or no_node.
[[nodiscard]] inline std::uint32_t find_decorator(const model& d, std::uint32_t node,
                                                  decorator which) noexcept {
  return child(d, node, node_kind::decorator, static_cast<std::uint8_t>(which));
}

/// What the decorators of a buffer, a region's `let` or an operand say of accesses: access_flag.
[[nodiscard, gnu::cold]] inline std::uint8_t decorated_access(const model& d,
                                                              std::uint32_t node) noexcept {
  unsigned flags = 0;
  for (const std::uint32_t i : children(d, node)) {
    if (d.nodes[i].kind != node_kind::decorator) continue;
    switch (static_cast<decorator>(d.nodes[i].detail)) {
      case decorator::readonly: flags |= flag_readonly; break;
      case decorator::writeonly: flags |= flag_writeonly; break;
      case decorator::materialized: flags |= flag_materialized; break;
      default: break;
    }
  }
  return static_cast<std::uint8_t>(flags);
}

/// The only argument of a decorator, or no_node after DEC-003.
[[nodiscard, gnu::cold]] inline std::uint32_t only_argument(context& c,
                                                            std::uint32_t decorator_node) {
  const decorator_row& row = decorator_table[c[decorator_node].detail];
  const std::uint32_t first = decorator_node + 1, end = c[decorator_node].next;
  const bool is_one = first < end && c[first].next == end;
  bool is_right = is_one;
  if (is_one) {
    const node_kind k = c[first].kind;
    switch (row.argument) {
      case decorator_argument::none: is_right = false; break;
      case decorator_argument::integer:
        is_right = k == node_kind::integer || k == node_kind::wide_integer ||
                   k == node_kind::name || k == node_kind::expression;
        break;
      case decorator_argument::unit: is_right = k == node_kind::unit_index; break;
      case decorator_argument::tag: is_right = k == node_kind::name || k == node_kind::string;
    }
  }
  if (is_right) return first;
  const std::uint32_t wrong = first == end ? decorator_node : is_one ? first : c[first].next;
  auto w = c.report(errc::nem_dec_003_arguments, wrong);
  w << '@' << row.name;
  switch (row.argument) {
    case decorator_argument::none: w << " takes no argument"; break;
    case decorator_argument::integer: w << " takes one integer in parentheses"; break;
    case decorator_argument::unit: w << " takes one unit and its index, such as (CSTL[0])"; break;
    case decorator_argument::tag: w << " takes one name or string in parentheses"; break;
  }
  return no_node;
}

/// The number that @max_in_flight or @seq_engine takes; false after it was reported.
[[nodiscard]] inline bool integer_argument(context& c, std::uint32_t decorator_node,
                                           std::int64_t& to) {
  const std::uint32_t argument = only_argument(c, decorator_node);
  return argument != no_node && evaluate_integer(c, argument, to);
}

/// The number that @max_in_flight takes, or 1 after what is wrong was reported.
[[gnu::cold]] inline std::int64_t in_flight_argument(context& c, std::uint32_t decorator_node) {
  std::int64_t n = 1;
  if (!integer_argument(c, decorator_node, n)) return 1;
  if (n >= 1) return n;
  c.report(errc::nem_dec_006_in_flight, decorator_node + 1)
      << "@max_in_flight takes at least 1 iteration, found " << n;
  return 1;
}

/// How many iterations of a loop may be in flight at once: 1 where nothing valid says otherwise.
[[nodiscard]] inline std::int64_t in_flight(context& c, std::uint32_t loop_node) {
  const std::uint32_t i = find_decorator(c.d, loop_node, decorator::max_in_flight);
  return i == no_node ? 1 : in_flight_argument(c, i);
}

/// The unit that @resource names, as its unit_index node, and its index; none after what is wrong
/// was reported.
struct bound_unit {
  nem::unit unit = nem::unit::none;
  std::uint32_t node = no_node;
  std::int64_t index = 0;
};
[[nodiscard, gnu::cold]] inline bound_unit resource_argument(context& c,
                                                             std::uint32_t decorator_node) {
  bound_unit to;
  to.node = only_argument(c, decorator_node);
  if (to.node == no_node) return to;
  const std::string_view word = c.name(to.node);
  const unit u = find_unit(word);
  if (u == unit::none) {
    auto w = c.report(errc::nem_res_002_unknown, to.node);
    w << "unknown unit type " << word << ": @resource takes NMU, CSTL, DMA or VPU";
    const std::string_view near = nearest(word, unit_names);
    if (!near.empty() && find_unit(near) < unit::seq) w.note() << "did you mean " << near << '?';
    return to;
  }
  if (!is_per_engine(u) || u == unit::seq) {
    c.report(errc::nem_res_001_invalid, to.node)
        << word << " is not a valid @resource target; expected NMU, CSTL, DMA or VPU";
    return to;
  }
  if (!evaluate_integer(c, to.node + 1, to.index)) return to;
  if (to.index < 0) {
    c.report(errc::nem_res_003_negative, to.node + 1)
        << "expected a unit index of at least 0, found " << to.index;
    return to;
  }
  to.unit = u;
  return to;
}

/// Names what decorators stand on: "regions and operands".
struct target_names {
  std::uint8_t targets;
};
inline text& operator<<(text& out, const target_names& n) {
  constexpr std::string_view names[] = {
      "buffers", "declared regions", "operands", "transfers and stores", "compute tasks", "loops",
      "waits"};
  unsigned left = n.targets;
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if ((left & 1u << i) == 0) continue;
    left &= ~(1u << i);
    const bool is_first = (n.targets & ((1u << i) - 1)) == 0;
    out << (is_first ? "" : left == 0 ? " and " : ", ") << names[i];
  }
  return out;
}

/// Checks the decorators that stand on a node, which is what `target` says: decorator_target.
[[gnu::cold]] inline void check_decorators(context& c, std::uint32_t node, std::uint8_t target) {
  constexpr std::uint8_t tasks = on_transfer | on_compute;
  std::uint32_t seen[decorator_count] = {};  // where, plus 1
  for (const std::uint32_t i : children(c.d, node)) {
    if (c[i].kind != node_kind::decorator) continue;
    if (c[i].detail >= decorator_count) {
      auto w = c.report(errc::nem_dec_001_unknown, i);
      w << "unknown decorator @" << c.name(i);
      const std::string_view near = nearest(c.name(i), decorator_table);
      if (!near.empty()) w.note() << "did you mean @" << near << '?';
      continue;
    }
    const decorator which = static_cast<decorator>(c[i].detail);
    const decorator_row& row = decorator_table[c[i].detail];
    if ((row.targets & target) == 0) {
      auto w = c.report(errc::nem_dec_002_target, i);
      w << '@' << row.name << " applies to " << target_names{row.targets} << ", not to "
        << target_names{target};
      if (target == on_operand && (row.targets & tasks) != 0)
        w.note() << "decorators of the task follow its attributes";
      continue;
    }
    std::uint32_t& earlier = seen[c[i].detail];
    if (earlier != 0) {
      auto w = c.report(errc::nem_dec_004_repeated, i);
      w << "duplicate @" << row.name << ": the first one is used";
      w.note(c.at(earlier - 1)) << "it is given here";
    } else {
      earlier = i + 1;
    }
    switch (which) {
      case decorator::max_in_flight: (void)in_flight_argument(c, i); break;
      case decorator::resource: (void)resource_argument(c, i); break;
      case decorator::seq_engine: {
        std::int64_t engine = 0;
        (void)integer_argument(c, i, engine);
        break;
      }
      default:
        if (row.argument == decorator_argument::tag || c[i].next != i + 1)
          (void)only_argument(c, i);
    }
  }
  const std::uint32_t r = seen[static_cast<std::size_t>(decorator::readonly)],
                      w = seen[static_cast<std::size_t>(decorator::writeonly)];
  if (r != 0 && w != 0) {
    const std::uint32_t first = r < w ? r : w, second = r < w ? w : r;
    auto found = c.report(errc::nem_dec_005_access, second - 1);
    found
        << "@readonly and @writeonly exclude each other: what has neither may be read and written";
    found.note(c.at(first - 1)) << '@' << c.name(first - 1) << " is given here";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_DECORATOR_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A number of a buffer's declaration: the same in each iteration.
[[gnu::cold]] inline bool evaluate_static(context& c, std::uint32_t at, const purpose& p,
                                          std::int64_t& to) {
  number x = {};
  if (!evaluate(c, at, p, x)) return false;
  if (x.varies) {
    c.report(errc::nem_buf_005_loop_variable, at)
        << "a buffer is allocated once: its declaration can't depend on a loop variable";
    return false;
  }
  to = x.integer;
  return true;
}

/// Evaluates a declaration for the first time.
[[gnu::cold]] inline void evaluate_buffer(context& c, std::uint32_t at, buffer& b) {
  const std::int64_t engines =
      c.target != nullptr && c.target->has_topology ? c.target->topology.engines : 0;
  bool has_size = false, has_index = false, is_known = true;
  b.flags = decorated_access(c.d, at);
  for (const std::uint32_t i : children(c.d, at)) {
    const std::uint32_t value = i + 1;
    std::int64_t x = 0;
    switch (c[i].kind) {
      case node_kind::level_index:
        has_index = true;
        if (!evaluate_static(c, value, {"engine indices must be integers"}, x)) {
          is_known = false;
        } else if (x < 0 || (engines > 0 && x >= engines)) {
          is_known = false;
          auto w = c.report(errc::nem_buf_004_engine, value);
          if (x < 0)
            w << "L1[" << x << "]: engines are counted from 0";
          else
            w << "L1[" << x << "]: the device has " << engines
              << (engines == 1 ? " engine" : " engines");
        }
        b.engine = x;
        break;
      case node_kind::size:
        has_size = true;
        if (!evaluate_static(c, value, {"buffer sizes must be integer"}, x)) {
          is_known = false;
        } else if (x <= 0) {
          is_known = false;
          c.report(errc::nem_buf_002_positive, value)
              << "buffer " << c.d.name(b.name) << " has " << x << " bytes, expected at least 1";
        }
        b.size = x;
        break;
      case node_kind::align:
        if (!evaluate_static(c, value, {"alignments must be integers"}, x)) break;
        if (x <= 0 || (x & (x - 1)) != 0)
          c.report(errc::nem_buf_003_align, value)
              << "expected an alignment that is a power of two, found " << x;
        else
          b.align = x;
        break;
      default: break;
    }
  }
  if (!has_size) {
    is_known = false;
    c.report(errc::nem_buf_001_size, at)
        << "buffer " << c.d.name(b.name) << " has no size=; expected one";
  }
  if (b.level == level::l1 && !has_index && engines > 1)
    c.report(errc::nem_buf_006_unindexed, at)
        << "buffer " << c.d.name(b.name) << " is placed in L1[0] by default; the device has "
        << engines << " engines: name one as L1[i]";
  if (c.names->depth() != 0)
    c.report(errc::nem_buf_007_in_loop, at)
        << "buffer " << c.d.name(b.name)
        << " is declared in a loop body: all iterations share one allocation";
  b.is_known = is_known;
}

[[gnu::cold]] inline void declare_buffer(context& c, std::uint32_t at) {
  // Each declaration is met first in the order of the file, so the pool is sorted by node.
  pool<buffer>& all = c.v.buffers;
  std::size_t index = all.size();
  if (index != 0 && all.back().node >= at)
    index = first_not_below(all.data(), all.size(), [&](const buffer& b) { return b.node < at; });
  if (index == all.size()) {
    buffer b;
    b.node = at;
    b.name = c[at].value;
    b.level = static_cast<level>(c[at].detail);
    evaluate_buffer(c, at, b);
    all.push_back(b);
  }
  binding b;
  b.kind = binding_kind::buffer;
  b.node = at;
  b.index = static_cast<std::uint32_t>(index);
  declare(c, c[at].value, b);
}

/// Adds up what each memory of the target holds. The buffer that is too much is reported.
[[gnu::cold]] inline void check_capacity(context& c) {
  if (c.target == nullptr || !c.target->has_topology) return;
  const topology& t = c.target->topology;
  struct share {
    std::int64_t engine;
    std::uint32_t buffer;
  };
  pool<share> in_l1;
  std::int64_t sum = 0;
  bool is_full = false;
  const auto add = [&](const buffer& b, std::int64_t room, errc code) {
    if (is_full) return;
    is_full = __builtin_add_overflow(sum, b.size, &sum) || sum > room;
    if (!is_full) return;
    auto w = c.report(code, b.node);
    if (b.level == level::l1)
      w << "L1[" << b.engine << ']';
    else
      w << "L2";
    w << " has " << room << " bytes; with " << c.d.name(b.name) << " its buffers need ";
    if (sum < 0)
      w << "more than 2^63 - 1";
    else
      w << sum;
  };
  for (std::size_t i = 0; i < c.v.buffers.size(); ++i) {
    const buffer& b = c.v.buffers[i];
    if (!b.is_known) continue;
    if (b.level == level::l2 && t.l2_size > 0) add(b, t.l2_size, errc::nem_cap_002_l2);
    if (b.level == level::l1) in_l1.push_back({b.engine, static_cast<std::uint32_t>(i)});
  }
  if (t.l1_size <= 0) return;
  sort(in_l1.data(), in_l1.size(),
       [](const share& a, const share& b) { return a.engine < b.engine; });
  for (std::size_t i = 0; i < in_l1.size(); ++i) {
    if (i == 0 || in_l1[i].engine != in_l1[i - 1].engine) sum = 0, is_full = false;
    add(c.v.buffers[in_l1[i].buffer], t.l1_size, errc::nem_cap_001_l1);
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_BUFFER_HPP

// ---- tessera/nem/detail/rules/evaluate_attributes.hpp
//
// Evaluates the attributes of a compute task.
//
//   nem::attributes a;
//   detail::evaluate_attributes(c, t.node, t.opcode, a);      // lists stand in c.v.numbers
//
//   OPC-008    a value of the wrong kind, which then counts as not given
//
// Attributes that the opcode doesn't take are left alone, and so are names that are words: types,
// true and false, modes.
//
// Lifetime:   lists borrow from values::numbers, until it grows.
// Errors:     OPC-008, and what evaluating expressions reports.
// Limits:     none.
// Allocation: 8 bytes for each number of a list.

#ifndef TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP
#define TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The value of a task's attribute, or no_node.
[[nodiscard]] inline std::uint32_t attribute_value(const model& d, std::uint32_t task,
                                                   attribute a) noexcept {
  const std::uint32_t i = child(d, task, node_kind::attribute, static_cast<std::uint8_t>(a));
  return i == no_node ? no_node : i + 1;
}
/// Number `index` of a task's attribute where it is spelled out, else the whole value.
[[nodiscard, gnu::cold]] inline std::uint32_t attribute_element(const model& d, std::uint32_t task,
                                                                attribute a,
                                                                std::size_t index) noexcept {
  const std::uint32_t value = attribute_value(d, task, a);
  if (value == no_node || d.nodes[value].kind != node_kind::list) return value;
  for (const std::uint32_t i : children(d, value))
    if (index-- == 0) return i;
  return value;
}

/// Evaluates one task's attributes.
class attribute_reader {
 public:
  attribute_reader(context& c, attributes& to) noexcept : c_(c), to_(to), numbers_(c.v.numbers) {}

  [[gnu::cold]] void read(std::uint32_t task, opcode op) {
    if (op == opcode::unknown) return;
    const std::uint32_t known = signature(op).attributes;
    if (known == 0) return;
    for (const std::uint32_t i : children(c_.d, task)) {
      if (c_[i].kind != node_kind::attribute) continue;
      const auto a = static_cast<attribute>(c_[i].detail);
      if (a == attribute::unknown || (known & attributes::bit(a)) == 0 || to_.has(a)) continue;
      if (one(a, i + 1)) to_.given |= attributes::bit(a);
    }
    // The pool doesn't grow any more: now lists can be named by their places.
    for (std::size_t k = 0; k < lists_; ++k)
      to_.list(list_[k].which) = {numbers_.data() + list_[k].first, list_[k].size};
  }

 private:
  [[nodiscard, gnu::cold]] bool one(attribute a, std::uint32_t value) {
    const node& n = c_[value];
    switch (attribute_table[static_cast<std::size_t>(a)].kind) {
      case attribute_kind::integer:
        return integer(a, value, a == attribute::groups ? to_.groups : to_.axis);
      case attribute_kind::real: return real(a, value, to_.real(a));
      case attribute_kind::integers: return integers(a, value);
      case attribute_kind::element:
        to_.accum_type = n.kind == node_kind::element_type ? static_cast<nem::element>(n.detail)
                         : n.kind == node_kind::name       ? find_element(c_.name(value))
                                                           : nem::element::none;
        if (to_.accum_type != nem::element::none && !is_extension(to_.accum_type)) return true;
        break;
      case attribute_kind::boolean:
        if (n.kind != node_kind::name) break;
        to_.keepdims = c_.name(value) == "true";
        if (to_.keepdims || c_.name(value) == "false") return true;
        break;
      case attribute_kind::word:
        if (n.kind != node_kind::name) break;
        to_.mode = pad_mode::unknown;
        for (std::size_t m = 0; m < sizeof pad_mode_names / sizeof *pad_mode_names; ++m)
          if (pad_mode_names[m] == c_.name(value)) to_.mode = static_cast<pad_mode>(m);
        return true;
      case attribute_kind::string:
        if (n.kind != node_kind::string) break;
        to_.op = n.value;
        return true;
    }
    return wrong(a, value);
  }

  /// Whether an expression names a real number; such a number is never an integer.
  [[nodiscard]] bool has_real(std::uint32_t value) const noexcept {
    if (c_[value].kind != node_kind::expression) return c_[value].kind == node_kind::real;
    for (const std::uint32_t i : children(c_.d, value))
      if (c_[i].kind == node_kind::real) return true;
    return false;
  }
  [[nodiscard]] static bool is_number(node_kind k) noexcept {
    return k == node_kind::integer || k == node_kind::wide_integer || k == node_kind::real ||
           k == node_kind::name || k == node_kind::expression;
  }
  [[nodiscard]] bool integer(attribute a, std::uint32_t value, std::int64_t& to) {
    if (c_[value].kind == node_kind::integer) return to = c_[value].value, true;
    if (!is_number(c_[value].kind) || has_real(value) || names_other(value, false))
      return wrong(a, value);
    return evaluate_integer(c_, value, to);
  }
  [[nodiscard]] bool real(attribute a, std::uint32_t value, double& to) {
    if (c_[value].kind == node_kind::real) return to = c_.d.reals[c_[value].value], true;
    if (!is_number(c_[value].kind) || names_other(value, true)) return wrong(a, value);
    return evaluate_real(c_, value, to);
  }
  [[nodiscard, gnu::cold]] bool integers(attribute a, std::uint32_t value) {
    if (c_[value].kind == node_kind::name && c_.names != nullptr) {
      const binding b = (*c_.names)[c_[value].value];
      if (b.kind == binding_kind::integers && b.is_known) {
        list_[lists_++] = {a, b.index, c_.names->list_of(b).count};
        return true;
      }
      if (b.kind != binding_kind::none) return b.is_known && wrong(a, value);
      std::int64_t none = 0;
      return evaluate_integer(c_, value, none);  // which reports it
    }
    if (c_[value].kind != node_kind::list) return wrong(a, value);
    const std::size_t first = numbers_.size();
    bool good = true;
    for (const std::uint32_t i : children(c_.d, value)) {
      std::int64_t number = 0;
      if (!integer(a, i, number)) good = false;
      numbers_.push_back(number);
    }
    if (!good) return numbers_.resize(first), false;
    list_[lists_++] = {a, first, numbers_.size() - first};
    return true;
  }
  /// Whether a name means something other than a number; such a name is of the wrong kind.
  [[nodiscard, gnu::cold]] bool names_other(std::uint32_t value, bool real_too) const noexcept {
    if (c_[value].kind != node_kind::name || c_.names == nullptr) return false;
    switch ((*c_.names)[c_[value].value].kind) {
      case binding_kind::none:
      case binding_kind::constant:
      case binding_kind::integer:
      case binding_kind::loop_variable: return false;
      case binding_kind::real: return !real_too;
      default: return true;
    }
  }

  /// Whether a value is a real number, by itself or as a name.
  [[nodiscard]] bool is_real(std::uint32_t value) const noexcept {
    if (c_[value].kind != node_kind::name || c_.names == nullptr) return has_real(value);
    return (*c_.names)[c_[value].value].kind == binding_kind::real;
  }
  static void suggest_element(findings::writer w, std::string_view word) {
    const nem::element meant = element_meant(word);
    if (meant != nem::element::none) w.note() << "did you mean " << nem::name(meant) << '?';
  }
  [[nodiscard, gnu::cold]] bool wrong(attribute a, std::uint32_t value) {
    static constexpr std::string_view kinds[attribute_kind_count] = {
        "an integer",         "a number", "true or false", "one of the ten element types",
        "a list of integers", "a string", "a name"};
    const attribute_row& row = attribute_table[static_cast<std::size_t>(a)];
    if ((row.kind == attribute_kind::integer || row.kind == attribute_kind::integers) &&
        is_real(value)) {
      c_.report(errc::nem_exp_001_float, value) << row.name << " must be integer";
      return false;
    }
    auto&& w = c_.report(errc::nem_opc_008_kind, value);
    w << row.name << " takes " << kinds[static_cast<std::size_t>(row.kind)] << ", not ";
    switch (c_[value].kind) {
      case node_kind::name:
        w << c_.name(value);
        if (row.kind == attribute_kind::element) suggest_element(w, c_.name(value));
        break;
      case node_kind::string: w << "the string \"" << c_.name(value) << '"'; break;
      case node_kind::list: w << "a list"; break;
      case node_kind::integer: w << c_[value].value; break;
      case node_kind::element_type:
        w << nem::name(static_cast<nem::element>(c_[value].detail));
        break;
      default: w << (has_real(value) ? "a floating-point number" : "an expression"); break;
    }
    return false;
  }

  context& c_;
  attributes& to_;
  pool<std::int64_t>& numbers_;
  struct {
    attribute which;
    std::size_t first, size;
  } list_[attribute_count];  ///< each attribute is given once
  std::size_t lists_ = 0;
};

/// Evaluates what an opcode's signature names of a task's attributes; others are left alone.
inline void evaluate_attributes(context& c, std::uint32_t task, opcode op, attributes& to) {
  attribute_reader(c, to).read(task, op);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_EVALUATE_ATTRIBUTES_HPP

// ---- tessera/nem/detail/rules/loop_proof.hpp
//
// Which iterations of a loop decide all of them.
//
//   detail::loop_proof proof(c, order);              // `order` answers for tasks before the loop
//   if (proof.prove(loop_node, body, {0, 999999999}, in_flight)) …    // then look at only:
//   proof.beginning(), proof.ending()                // so many iterations at both ends,
//   proof.extra()                                    // and these
//
// The rules themselves run only on iterations that are visited; what is proven here is that those
// that are left out could add nothing. That holds where
//
//   offsets   are affine in the loop variables, or periodic in them by `mod`. So the first and the
//             last period have the least and the greatest ones; where one leaves its buffer, the
//             first iteration that does is visited (REG-001, REG-003, EXP-004)
//   the rest  of what is evaluated is the same in each iteration, or periodic
//   accesses  of one buffer, of which one writes, move alike: an iteration is a copy of the one a
//             period before it, as are all pairs that may overlap (HAZ-001 … HAZ-004, XFR-006).
//             Others never meet; or their first meeting is visited, where iterations don't overlap
//   earlier   tasks that may still run touch nothing that the loop reaches only later
//   L1        what is read was written before the loop or in the same iteration (HAZ-006), and
//             what is written has no gaps
//   inner     loops are left out only where iterations of outer ones that are in flight together
//             share none of their bytes
//
// Anything else isn't proven, and the loop is expanded.
//
// Lifetime:   borrows the context; what it returns lasts until the next call.
// Errors:     none are reported.
// Limits:     4 nested loops, periods of 1,024, 64 extra iterations; `work` steps in all calls.
// Allocation: linear in the loop's statements.

#ifndef TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP
#define TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/nem/detail/rules/affine.hpp
//
// Integers that are affine in loop variables: what an expression is in all iterations at once.
//
//   detail::affine offset;                     // 64 * i + [0, 128)
//   detail::reach r = offset.reach_of(loops);  // its least and its greatest value
//   if (detail::first_above(64, rest, limit, loops[0], i)) …     // the first iteration beyond it
//
//   slopes   what one step of each loop variable adds
//   rest     a constant, or, after `mod`, one of a range of values that come back periodically
//
// Sums of 4 products of 61 and 64 bits fit in 128 bits, so that nothing here overflows.
//
// Lifetime:   values.
// Errors:     false where a result isn't affine, or a coefficient exceeds its limit.
// Limits:     4 loops; slopes of up to 2^61.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_AFFINE_HPP
#define TESSERA_NEM_DETAIL_RULES_AFFINE_HPP

#include <cstddef>
#include <cstdint>

#if !defined(__SIZEOF_INT128__)

// ---- tessera/nem/detail/rules/wide_integer.hpp
//
// A signed integer of 128 bits, where the compiler has none: what affine.hpp does with one.
//
//   detail::wide_integer a = slope;
//   if (a * variable + rest > limit) …
//
// Lifetime:   values.
// Errors:     none: results that exceed 128 bits wrap around; a quotient is rounded to 0, one by 0 is 0.
// Limits:     128 bits.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP
#define TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP

#include <cstdint>
#include <type_traits>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class wide_integer {
 public:
  constexpr wide_integer() noexcept = default;
  template <class Int>
    requires(std::is_integral_v<Int>)
  constexpr wide_integer(Int x) noexcept : low_(static_cast<std::uint64_t>(x)) {
    if constexpr (std::is_signed_v<Int>) high_ = x < 0 ? ~std::uint64_t{0} : 0;
  }
  [[nodiscard]] explicit constexpr operator std::int64_t() const noexcept {
    return static_cast<std::int64_t>(low_);
  }

  friend wide_integer operator-(wide_integer a) noexcept {
    return {~a.low_ + 1, ~a.high_ + (a.low_ == 0 ? 1u : 0u)};
  }
  friend wide_integer operator+(wide_integer a, wide_integer b) noexcept {
    const std::uint64_t low = a.low_ + b.low_;
    return {low, a.high_ + b.high_ + (low < a.low_ ? 1u : 0u)};
  }
  friend wide_integer operator-(wide_integer a, wide_integer b) noexcept { return a + -b; }
  friend wide_integer operator*(wide_integer a, wide_integer b) noexcept {
    const tessera::detail::wide_product p = tessera::detail::multiplied(a.low_, b.low_);
    return {p.low, p.high + a.low_ * b.high_ + a.high_ * b.low_};
  }
  friend wide_integer operator/(wide_integer a, wide_integer b) noexcept {
    const bool is_negative = (a < 0) != (b < 0);
    const wide_integer divisor = b < 0 ? -b : b;
    wide_integer rest, quotient;
    if (a < 0) a = -a;
    for (int bit = 128; bit-- != 0 && divisor != 0;) {
      rest = {rest.low_ << 1 | a.bit(bit), rest.high_ << 1 | rest.low_ >> 63};
      quotient = {quotient.low_ << 1, quotient.high_ << 1 | quotient.low_ >> 63};
      if (rest < divisor) continue;
      rest = rest - divisor;
      quotient.low_ |= 1;
    }
    return is_negative ? -quotient : quotient;
  }
  wide_integer& operator+=(wide_integer b) noexcept { return *this = *this + b; }
  wide_integer& operator--() noexcept { return *this = *this - 1; }

  friend bool operator==(wide_integer a, wide_integer b) noexcept {
    return a.low_ == b.low_ && a.high_ == b.high_;
  }
  friend bool operator<(wide_integer a, wide_integer b) noexcept {
    const auto x = static_cast<std::int64_t>(a.high_), y = static_cast<std::int64_t>(b.high_);
    return x != y ? x < y : a.low_ < b.low_;
  }
  friend bool operator>(wide_integer a, wide_integer b) noexcept { return b < a; }
  friend bool operator<=(wide_integer a, wide_integer b) noexcept { return !(b < a); }
  friend bool operator>=(wide_integer a, wide_integer b) noexcept { return !(a < b); }

 private:
  wide_integer(std::uint64_t low, std::uint64_t high) noexcept : low_(low), high_(high) {}
  [[nodiscard]] std::uint64_t bit(int at) const noexcept {
    return (at < 64 ? low_ >> at : high_ >> (at - 64)) & 1;
  }

  std::uint64_t low_ = 0, high_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_WIDE_INTEGER_HPP
#endif

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

#if defined(__SIZEOF_INT128__)
__extension__ using int128 = __int128;
#else
using int128 = wide_integer;
#endif

/// The values of a loop variable.
struct loop_range {
  std::int64_t first = 0, last = 0;
};
/// The values of an expression, from the least to the greatest that is possible.
struct reach {
  int128 low = 0, high = 0;
};

struct affine {
  static constexpr std::size_t max_loops = 4;
  static constexpr std::int64_t max_slope = std::int64_t{1} << 61;

  std::int64_t slopes[max_loops] = {};
  std::int64_t low = 0, high = 0;  ///< of the rest

  [[nodiscard]] static affine constant(std::int64_t x) noexcept { return {{}, x, x}; }
  /// Whether no slope counts: its values come back with the period of `mod`, if there is one.
  [[nodiscard]] bool is_steady() const noexcept {
    for (const std::int64_t s : slopes)
      if (s != 0) return false;
    return true;
  }
  /// Whether the rest is one number.
  [[nodiscard]] bool is_exact() const noexcept { return low == high; }
  [[nodiscard]] bool is_constant() const noexcept { return is_steady() && is_exact(); }
  /// From the loop `from` on: what outer loops add is left out.
  [[nodiscard]] detail::reach reach_of(const loop_range* loops,
                                       std::size_t from = 0) const noexcept {
    detail::reach r{low, high};
    for (std::size_t k = from; k < max_loops; ++k) {
      if (slopes[k] == 0) continue;
      const int128 a = int128{slopes[k]} * loops[k].first;
      const int128 b = int128{slopes[k]} * loops[k].last;
      r.low += a < b ? a : b;
      r.high += a < b ? b : a;
    }
    return r;
  }

  // Each returns false, and leaves anything, where the result isn't of this form.

  [[nodiscard]] bool add(const affine& b) noexcept {
    for (std::size_t k = 0; k < max_loops; ++k)
      if (!set_slope(k, int128{slopes[k]} + b.slopes[k])) return false;
    return !__builtin_add_overflow(low, b.low, &low) &&
           !__builtin_add_overflow(high, b.high, &high);
  }
  [[nodiscard]] bool scale(std::int64_t by) noexcept {
    for (std::size_t k = 0; k < max_loops; ++k)
      if (!set_slope(k, int128{slopes[k]} * by)) return false;
    std::int64_t a = 0, b = 0;
    if (__builtin_mul_overflow(low, by, &a) || __builtin_mul_overflow(high, by, &b)) return false;
    low = a < b ? a : b;
    high = a < b ? b : a;
    return true;
  }
  [[nodiscard]] bool multiply(const affine& b) noexcept {
    if (b.is_constant()) return scale(b.low);
    if (!is_constant()) return false;
    const std::int64_t by = low;
    *this = b;
    return scale(by);
  }

 private:
  [[nodiscard]] bool set_slope(std::size_t k, int128 x) noexcept {
    if (x > max_slope || x < -max_slope) return false;
    slopes[k] = static_cast<std::int64_t>(x);
    return true;
  }
};

/// The first value of a loop variable for which slope * variable + rest > limit.
[[nodiscard]] inline bool first_above(int128 slope, int128 rest, int128 limit,
                                      const loop_range& loop, std::int64_t& to) noexcept {
  to = loop.first;
  if (slope * loop.first + rest > limit) return true;
  if (slope <= 0 || slope * loop.last + rest <= limit) return false;
  const int128 room = limit - rest;  // slope * first <= room: rounded down, it is in the loop
  int128 i = room / slope;
  if (i * slope > room) --i;
  to = static_cast<std::int64_t>(i + 1);
  return true;
}

/// The first value of a loop variable for which [slope * variable + rest, … + p) and [0, q) meet.
[[nodiscard]] inline bool first_meeting(int128 slope, int128 rest, std::int64_t p, std::int64_t q,
                                        const loop_range& loop, std::int64_t& to) noexcept {
  const bool is_rising = slope >= 0;  // it comes from below: then from what ends before 0
  const bool comes = is_rising ? first_above(slope, rest, -int128{p}, loop, to)
                               : first_above(-slope, -rest, -int128{q}, loop, to);
  const int128 at = slope * to + rest;
  return comes && at < q && at + p > 0;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_AFFINE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes of a buffer.
struct byte_range {
  std::uint32_t buffer = 0;  ///< in values::buffers
  std::int64_t first = 0, last = 0;
};

/// What a region is in all iterations.
struct moving_region {
  affine offset;
  std::int64_t min_extent = 0, max_extent = 0;
  std::uint32_t buffer = no_index;  ///< in values::buffers
  std::uint32_t node = 0;
};
/// What a task of a loop reads or writes.
struct moving_access {
  moving_region what;
  loop_range loops[affine::max_loops];
  std::uint32_t task = 0, loop = 0;  ///< nodes: the task, the innermost loop around it
  std::uint32_t loop_end = 0;
  bool is_write = false, is_inner = false;

  /// Where its first and its last byte may be; from the loop `from` on.
  [[nodiscard]] reach bytes(std::size_t from = 0) const noexcept {
    reach r = what.offset.reach_of(loops, from);
    r.high += what.max_extent;
    return r;
  }
};
/// Whether two ranges of bytes have none in common.
[[nodiscard]] inline bool are_apart(const reach& a, const reach& b) noexcept {
  return a.high <= b.low || b.high <= a.low;
}

/// What the statements of a loop do in all of its iterations. The loop has the variable 0.
class loop_summary {
 public:
  static constexpr std::int64_t max_period = 1024;
  static constexpr std::size_t max_extra = 64;

  explicit loop_summary(context& c) : c_(c) {}

  /// False where its statements have anything that isn't affine.
  [[nodiscard, gnu::cold]] bool summarise(std::uint32_t loop, std::uint32_t body,
                                          loop_range range) {
    bound_.clear();
    regions_.clear();
    accesses_.clear();
    extra_.clear();
    period_ = 1;
    tasks_ = 0;
    iterations_ = times_ = 1;
    depth_ = 0;
    loop_ = loop;
    has_inner_ = false;
    for (loop_range& r : loops_) r = {};
    if (last_of_.empty()) last_of_.resize(c_.d.names.size());
    enter(loop, range);
    const bool is_known = statements(body + 1, c_[body].next);
    forget(0);
    return is_known;
  }

  [[nodiscard]] const pool<moving_access>& accesses() const noexcept { return accesses_; }
  [[nodiscard]] std::uint64_t period() const noexcept {
    return static_cast<std::uint64_t>(period_);
  }
  [[nodiscard]] bool has_inner() const noexcept { return has_inner_; }
  /// What one iteration does, with those of inner loops; they saturate.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return tasks_; }
  [[nodiscard]] std::uint64_t iterations() const noexcept { return iterations_; }
  /// Iterations that have to be visited, in order.
  [[nodiscard]] view<std::int64_t> extra() const noexcept { return extra_; }
  /// Adds one; false where there are too many.
  [[nodiscard]] bool visit(std::int64_t value) {
    std::size_t i = extra_.size();
    while (i != 0 && extra_[i - 1] > value) --i;
    if (i != 0 && extra_[i - 1] == value) return true;
    if (extra_.size() == max_extra) return false;
    extra_.push_back(value);
    for (std::size_t k = extra_.size() - 1; k > i; --k) extra_[k] = extra_[k - 1];
    extra_[i] = value;
    return true;
  }

 private:
  enum class kind : std::uint8_t { number, region, other };
  /// A name that the loop binds. What is `other` is the same in each iteration, or periodic.
  struct bound_name {
    std::uint32_t name, shadowed;  ///< + 1, in bound_
    kind what;
    std::uint32_t region;
    affine value;
  };

  [[nodiscard]] static std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }
  [[nodiscard]] static std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
    return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
  }

  // Names ----------------------------------------------------------------------------------------

  void bind(std::uint32_t name, kind what, std::uint32_t region, const affine& value) {
    bound_.push_back({name, last_of_[name], what, region, value});
    last_of_[name] = static_cast<std::uint32_t>(bound_.size());
  }
  void forget(std::size_t left) noexcept {
    for (; bound_.size() > left; bound_.pop_back())
      last_of_[bound_.back().name] = bound_.back().shadowed;
  }
  [[nodiscard]] const bound_name* find(std::uint32_t name) const noexcept {
    return last_of_[name] == 0 ? nullptr : &bound_[last_of_[name] - 1];
  }
  void enter(std::uint32_t loop, loop_range range) {
    loops_[depth_] = range;
    affine variable;
    variable.slopes[depth_++] = 1;
    bind(c_[loop].value, kind::number, 0, variable);
  }

  // Expressions ----------------------------------------------------------------------------------

  /// Whether what is evaluated below a node is the same in each iteration, or periodic.
  [[nodiscard]] bool is_steady(std::uint32_t at) {
    for (std::uint32_t i = at; i < c_[at].next;) {
      affine x;
      if (c_[i].kind == node_kind::expression && value(i, x)) {
        if (!x.is_steady()) return false;
        i = c_[i].next;
        continue;
      }
      const bound_name* const b = c_[i].kind == node_kind::name ? find(c_[i].value) : nullptr;
      if (b != nullptr && b->what == kind::number && !b->value.is_steady()) return false;
      ++i;
    }
    return true;
  }
  /// Whether a value stays within limits. Where it leaves them, the first iteration that has it do
  /// so is visited, for its error.
  [[nodiscard]] bool keeps(const affine& a, int128 min, int128 max) {
    const reach all = a.reach_of(loops_);
    if (all.low >= min && all.high <= max) return true;
    if (!a.is_exact()) return false;
    const reach inner = a.reach_of(loops_, 1);
    std::int64_t i = 0;
    if (first_above(a.slopes[0], inner.high, max, loops_[0], i) && !visit(i)) return false;
    return !first_above(-int128{a.slopes[0]}, -inner.low, -min, loops_[0], i) || visit(i);
  }
  [[nodiscard]] bool has_room(const affine& a) { return keeps(a, INT64_MIN, INT64_MAX); }

  [[nodiscard]] bool operand(std::uint32_t at, affine& to) const {
    const node& n = c_[at];
    if (n.kind == node_kind::integer || n.kind == node_kind::wide_integer) {
      to = affine::constant(c_.d.integer(n));
      return true;
    }
    if (n.kind != node_kind::name) return false;
    if (const bound_name* const b = find(n.value); b != nullptr) {
      to = b->value;
      return b->what == kind::number;
    }
    const binding& b = (*c_.names)[n.value];
    to = affine::constant(b.integer);
    return b.is_known && (b.kind == binding_kind::constant || b.kind == binding_kind::integer ||
                          b.kind == binding_kind::loop_variable);
  }
  /// `mod` and `/` by a positive constant of what is never negative: others are left to expansion.
  [[nodiscard]] bool divide(node_kind op, affine& a, const affine& b) {
    const reach all = a.reach_of(loops_);
    if (!b.is_constant() || b.low <= 0 || all.low < 0) return false;
    const std::int64_t by = b.low;
    if (op == node_kind::divide) {
      a.low /= by;
      a.high /= by;
      return a.is_steady();
    }
    if (all.high < by) return true;
    if (a.is_constant()) {
      a = affine::constant(a.low % by);
      return true;
    }
    if (a.slopes[0] != 0 && !repeats_after(by / gcd(a.slopes[0], by))) return false;
    a = {{}, 0, by - 1};
    return true;
  }
  [[nodiscard]] static std::int64_t gcd(std::int64_t a, std::int64_t b) noexcept {
    if (a < 0) a = -a;
    while (b != 0) {
      const std::int64_t rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }
  /// Values come back after so many iterations too.
  [[nodiscard]] bool repeats_after(std::int64_t period) noexcept {
    if (period > max_period) return false;
    period_ = period_ / gcd(period_, period) * period;
    return period_ <= max_period;
  }
  [[nodiscard]] bool apply_operator(node_kind op, affine& a, affine& b) {
    switch (op) {
      case node_kind::add: return a.add(b) && has_room(a);
      case node_kind::subtract: return b.scale(-1) && a.add(b) && has_room(a);
      case node_kind::multiply: return a.multiply(b) && has_room(a);
      case node_kind::negate: return a.scale(-1) && has_room(a);
      case node_kind::divide:
      case node_kind::modulo: return divide(op, a, b);
      default: return false;
    }
  }
  /// The value of an expression of integers; false where it isn't affine.
  [[nodiscard, gnu::cold]] bool value(std::uint32_t at, affine& to) {
    if (c_[at].kind != node_kind::expression) return operand(at, to);
    constexpr std::size_t most = 16;
    affine stack[most];
    std::size_t size = 0;
    for (std::uint32_t i = at + 1; i < c_[at].next; ++i) {
      const node_kind k = c_[i].kind;
      if (!is_operator(k)) {
        if (size == most || !operand(i, stack[size++])) return false;
        continue;
      }
      if (size < (is_unary(k) ? 1u : 2u)) return false;
      if (!is_unary(k)) --size;
      if (!apply_operator(k, stack[size - 1], stack[is_unary(k) ? size - 1 : size])) return false;
    }
    to = stack[0];
    return size == 1;
  }

  // Statements -----------------------------------------------------------------------------------

  [[nodiscard]] bool statements(std::uint32_t at, std::uint32_t end) {
    for (; at < end; at = c_[at].next) {
      bool is_known = false;
      switch (c_[at].kind) {
        case node_kind::let: is_known = let(at); break;
        case node_kind::loop: is_known = inner_loop(at); break;
        case node_kind::transfer:
        case node_kind::store:
        case node_kind::compute: is_known = task(at); break;
        case node_kind::wait: is_known = true; break;
        default: break;  // what is declared in a loop is left to expansion
      }
      if (!is_known) return false;
    }
    return true;
  }

  [[nodiscard]] bool let(std::uint32_t at) {
    const std::uint32_t value_at = at + 1, name = c_[at].value;
    std::uint32_t index = 0;
    if (c_[value_at].kind == node_kind::region || names_region(value_at)) {
      if (!region(value_at, index)) return false;
      bind(name, kind::region, index, {});
      return true;
    }
    affine x;
    const bool is_number = c_[value_at].kind != node_kind::list && value(value_at, x);
    if (!is_number && !is_steady(value_at)) return false;
    bind(name, is_number ? kind::number : kind::other, 0, is_number ? x : affine{});
    return true;
  }
  [[nodiscard]] bool names_region(std::uint32_t at) const noexcept {
    if (c_[at].kind != node_kind::name) return false;
    const bound_name* const b = find(c_[at].value);
    return b != nullptr ? b->what == kind::region
                        : (*c_.names)[c_[at].value].kind == binding_kind::region;
  }

  /// The region that a node is or names, as an index in regions_.
  [[nodiscard]] bool region(std::uint32_t at, std::uint32_t& to) {
    moving_region r;
    if (c_[at].kind == node_kind::region) {
      if (!evaluate(at, r)) return false;
    } else {
      if (!names_region(at)) return false;
      if (const bound_name* const b = find(c_[at].value); b != nullptr) {
        to = b->region;
        return true;
      }
      const binding& b = (*c_.names)[c_[at].value];
      if (!b.is_known || !c_.v.regions[b.index].is_sound) return false;
      const nem::region& x = c_.v.regions[b.index];
      r = {affine::constant(x.offset), x.extent, x.extent, x.buffer, x.node};
    }
    to = static_cast<std::uint32_t>(regions_.size());
    regions_.push_back(r);
    return true;
  }
  [[nodiscard]] bool evaluate(std::uint32_t at, moving_region& to) {
    const binding& b = (*c_.names)[c_[at].value];
    if (find(c_[at].value) != nullptr || b.kind != binding_kind::buffer || !b.is_known ||
        !c_.v.buffers[b.index].is_known)
      return false;
    to.buffer = b.index;
    to.node = at;
    std::size_t numbers = 0;
    affine extent;
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::elem:
        case node_kind::layout: break;
        case node_kind::shape:
        case node_kind::strides:
        case node_kind::quant:
          if (!is_steady(i)) return false;
          break;
        default:
          if (numbers > 1 || !value(i, numbers == 0 ? to.offset : extent)) return false;
          ++numbers;
      }
    if (numbers != 2 || !extent.is_steady() || extent.low <= 0) return false;
    to.min_extent = extent.low;
    to.max_extent = extent.high;
    affine end = to.offset;
    return keeps(to.offset, 0, INT64_MAX) && end.add(extent) &&
           keeps(end, INT64_MIN, c_.v.buffers[b.index].size);
  }

  [[nodiscard]] bool task(std::uint32_t at) {
    tasks_ = plus(tasks_, times_);
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::input:
        case node_kind::source:
          if (!access(at, i, false)) return false;
          break;
        case node_kind::output:
        case node_kind::destination:
          if (!access(at, i, true)) return false;
          break;
        case node_kind::opcode:
        case node_kind::deps: break;
        default:
          if (!is_steady(i)) return false;
      }
    return true;
  }
  [[nodiscard]] bool access(std::uint32_t task, std::uint32_t at, bool is_write) {
    std::uint32_t index = 0;
    if (!region(at + 1, index)) return false;
    moving_access a;
    a.what = regions_[index];
    for (std::size_t k = 0; k < affine::max_loops; ++k) a.loops[k] = loops_[k];
    a.task = task;
    a.loop = loop_;
    a.loop_end = c_[loop_].next;
    a.is_write = is_write;
    a.is_inner = depth_ > 1;
    accesses_.push_back(a);
    return true;
  }

  [[nodiscard]] bool inner_loop(std::uint32_t at) {
    const std::uint32_t first_at = at + 1, last_at = c_[first_at].next;
    affine first, last;
    if (depth_ == affine::max_loops || !value(first_at, first) || !value(last_at, last) ||
        !first.is_constant() || !last.is_constant() || first.low > last.low)
      return false;
    std::uint32_t body = no_node;
    for (std::uint32_t i = c_[last_at].next; i < c_[at].next; i = c_[i].next) {
      if (c_[i].kind == node_kind::body)
        body = i;
      else if (!is_steady(i))
        return false;
    }
    if (body == no_node) return true;
    has_inner_ = true;
    const std::size_t names = bound_.size();
    const std::uint64_t outer = times_;
    const std::uint32_t outer_loop = loop_;
    const std::uint64_t count =
        static_cast<std::uint64_t>(last.low) - static_cast<std::uint64_t>(first.low);
    times_ = times(times_, plus(count, 1));
    iterations_ = plus(iterations_, times_);
    loop_ = at;
    enter(at, {first.low, last.low});
    const bool is_known = statements(body + 1, c_[body].next);
    loops_[--depth_] = {};
    loop_ = outer_loop;
    times_ = outer;
    forget(names);
    return is_known;
  }

  context& c_;
  pool<std::uint32_t> last_of_;  ///< by name: its last binding + 1, in bound_
  pool<bound_name> bound_;
  pool<moving_region> regions_;
  pool<moving_access> accesses_;
  pool<std::int64_t> extra_;
  loop_range loops_[affine::max_loops];
  std::size_t depth_ = 0;
  std::uint32_t loop_ = 0;
  std::int64_t period_ = 1;
  std::uint64_t tasks_ = 0, iterations_ = 1, times_ = 1;
  bool has_inner_ = false;
};

/// Decides from a summary which iterations have to be visited. `Order` knows the tasks before the
/// loop: detail::hazards.
template <class Order>
class loop_proof {
 public:
  loop_proof(context& c, Order& order) : c_(c), order_(order), summary_(c) {}

  /// What is known of a loop: false where its statements aren't affine, or too much was asked for.
  [[nodiscard, gnu::cold]] bool summarise(std::uint32_t loop, std::uint32_t body, loop_range range,
                                          std::uint64_t in_flight) {
    range_ = range;
    in_flight_ = in_flight;
    return spend(c_[loop].next - loop) && summary_.summarise(loop, body, range);
  }
  [[nodiscard]] const loop_summary& summary() const noexcept { return summary_; }

  /// Whether iterations that are in flight together share no bytes that one of them writes, as far
  /// as inner loops touch them.
  [[nodiscard, gnu::cold]] bool are_inner_apart() {
    if (in_flight_ <= 1 || !summary_.has_inner()) return true;
    const pool<moving_access>& all = summary_.accesses();
    if (!spend(all.size() * all.size())) return false;
    for (const moving_access& p : all)
      for (const moving_access& q : all)
        if (is_conflict(p, q) && (p.is_inner || q.is_inner) && meet_in_flight(p, q)) return false;
    return true;
  }

  /// Whether all iterations follow from those of beginning(), ending() and summary().extra().
  [[nodiscard, gnu::cold]] bool prove() {
    order_by_buffer();
    if (!move_alike()) return false;
    written_.clear();
    for (const std::uint32_t i : sorted_)
      if (!is_independent(i)) return false;
    return true;
  }
  /// Iterations from the first on, and up to the last, that are visited.
  [[nodiscard]] std::uint64_t beginning() const noexcept {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    return (in_flight_ < most ? in_flight_ * 2 : most) + 4 + 2 * summary_.period();
  }
  [[nodiscard]] std::uint64_t ending() const noexcept {
    return summary_.period() < 2 ? 2 : summary_.period();
  }
  /// Bytes of L1 buffers that the loop writes.
  [[nodiscard]] view<byte_range> written() const noexcept { return written_; }

 private:
  [[nodiscard]] bool spend(std::uint64_t steps) noexcept {
    work_ -= work_ < steps ? work_ : steps;
    return work_ != 0;
  }
  [[nodiscard]] static bool is_conflict(const moving_access& p, const moving_access& q) noexcept {
    return p.what.buffer == q.what.buffer && (p.is_write || q.is_write);
  }
  /// Whether p of some iteration meets q of a later one while both are in flight.
  [[nodiscard]] bool meet_in_flight(const moving_access& p, const moving_access& q) const noexcept {
    if (are_apart(p.bytes(), q.bytes())) return false;
    const std::int64_t slope = p.what.offset.slopes[0];
    if (slope != q.what.offset.slopes[0]) return true;
    // q lies slope * d further on: [slope * d + b.low, slope * d + b.high) meets a for some d
    const reach a = p.bytes(1), b = q.bytes(1);
    const std::uint64_t trip =
        static_cast<std::uint64_t>(range_.last) - static_cast<std::uint64_t>(range_.first);
    const std::uint64_t most = in_flight_ - 1 < trip ? in_flight_ - 1 : trip;
    if (most == 0) return false;
    int128 first = 1;
    if (slope == 0) return a.low < b.high && b.low < a.high;
    const int128 step = slope < 0 ? -int128{slope} : int128{slope};
    // Downwards is upwards with both ranges mirrored.
    const int128 to_low = slope > 0 ? a.low - b.high : b.low - a.high;
    const int128 to_high = slope > 0 ? a.high - b.low : b.high - a.low;
    if (to_low >= 0) first = to_low / step + 1;  // step * d > to_low
    return first <= most && first * step < to_high;
  }

  void order_by_buffer() {
    const pool<moving_access>& all = summary_.accesses();
    sorted_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) sorted_.push_back(i);
    sort(sorted_.data(), sorted_.size(), [&all](std::uint32_t a, std::uint32_t b) {
      return all[a].what.buffer < all[b].what.buffer;
    });
  }
  /// Whether accesses of one buffer keep their distances from one iteration to the next, or don't
  /// matter to one another.
  [[nodiscard]] bool move_alike() {
    const pool<moving_access>& all = summary_.accesses();
    for (std::size_t first = 0, last = 0; first < sorted_.size(); first = last) {
      const moving_access& a = all[sorted_[first]];
      bool is_written = false, is_alike = true;
      for (last = first; last < sorted_.size(); ++last) {
        const moving_access& b = all[sorted_[last]];
        if (b.what.buffer != a.what.buffer) break;
        is_written = is_written || b.is_write;
        is_alike = is_alike && b.what.offset.slopes[0] == a.what.offset.slopes[0];
      }
      if (is_alike || !is_written) continue;
      if (!spend((last - first) * (last - first))) return false;
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t k = i + 1; k < last; ++k)
          if (!settle(all[sorted_[i]], all[sorted_[k]])) return false;
    }
    return true;
  }
  /// Whether two accesses that don't move alike never meet, or where they do is visited. Ranges of
  /// bytes are compared, so that in place or not isn't known.
  [[nodiscard]] bool settle(const moving_access& p, const moving_access& q) {
    const affine &a = p.what.offset, &b = q.what.offset;
    if (!is_conflict(p, q) || a.slopes[0] == b.slopes[0] || are_apart(p.bytes(), q.bytes()))
      return true;
    const bool is_plain = a.is_exact() && b.is_exact() && p.what.min_extent == p.what.max_extent &&
                          q.what.min_extent == q.what.max_extent;
    if (in_flight_ > 1 || p.is_inner || q.is_inner || !is_plain ||
        (p.task == q.task && c_[p.task].kind == node_kind::compute))
      return false;
    std::int64_t i = 0;
    return !first_meeting(int128{a.slopes[0]} - b.slopes[0], int128{a.low} - b.low,
                          p.what.max_extent, q.what.max_extent, range_, i) ||
           summary_.visit(i);
  }

  /// Whether an access that moves meets nothing from before the loop that an iteration in the middle
  /// would meet first.
  [[nodiscard]] bool is_independent(std::uint32_t index) {
    const moving_access& a = summary_.accesses()[index];
    if (a.what.offset.slopes[0] == 0) return true;
    const buffer& b = c_.v.buffers[a.what.buffer];
    const reach r = a.bytes();
    // Where it isn't in its buffer, an iteration that is visited has the error.
    const byte_range all{a.what.buffer, r.low < 0 ? 0 : static_cast<std::int64_t>(r.low),
                         r.high > b.size ? b.size : static_cast<std::int64_t>(r.high)};
    if (all.first >= all.last) return true;
    if (order_.may_race(c_.v, all, a.is_write)) return false;
    if (b.level != level::l1) return true;
    if (!a.is_write) return is_written_before(index) || order_.is_written(c_.v, all);
    if (!has_no_gaps(a)) return false;
    written_.push_back(all);
    return true;
  }
  /// Whether an earlier task of the same iteration has written what is read.
  [[nodiscard]] bool is_written_before(std::uint32_t index) {
    const pool<moving_access>& all = summary_.accesses();
    const moving_access& r = all[index];
    if (!spend(index + 1)) return false;
    for (std::uint32_t i = 0; i < index; ++i) {
      const moving_access& w = all[i];
      const bool is_around = w.loop <= r.loop && r.loop < w.loop_end;
      if (!w.is_write || w.task == r.task || !is_around || w.what.buffer != r.what.buffer) continue;
      if (w.what.node == r.what.node) return true;
      const affine &x = w.what.offset, &y = r.what.offset;
      bool is_same = x.is_exact() && y.is_exact();
      for (std::size_t k = 0; k < affine::max_loops; ++k)
        is_same = is_same && x.slopes[k] == y.slopes[k];
      if (is_same && x.low <= y.low &&
          int128{y.low} + r.what.max_extent <= int128{x.low} + w.what.min_extent)
        return true;
    }
    return false;
  }
  /// Whether the bytes of all iterations together are one range.
  [[nodiscard]] static bool has_no_gaps(const moving_access& a) noexcept {
    if (!a.what.offset.is_exact() || a.what.min_extent != a.what.max_extent) return false;
    const int128 plenty = int128{INT64_MAX} * 4;  // more than any stride
    int128 covered = a.what.max_extent;
    bool is_done[affine::max_loops] = {};
    for (std::size_t round = 0; round < affine::max_loops; ++round) {
      std::size_t least = affine::max_loops;
      int128 stride = 0;
      for (std::size_t k = 0; k < affine::max_loops; ++k) {
        const int128 s = a.what.offset.slopes[k] < 0 ? -int128{a.what.offset.slopes[k]}
                                                     : int128{a.what.offset.slopes[k]};
        if (is_done[k] || (least != affine::max_loops && s >= stride)) continue;
        least = k;
        stride = s;
      }
      is_done[least] = true;
      if (stride == 0 || a.loops[least].first == a.loops[least].last) continue;
      if (stride > covered) return false;
      if (covered < plenty)
        covered += stride * (int128{a.loops[least].last} - a.loops[least].first);
    }
    return true;
  }

  context& c_;
  Order& order_;
  loop_summary summary_;
  loop_range range_;
  std::uint64_t in_flight_ = 1;
  pool<std::uint32_t> sorted_;
  pool<byte_range> written_;
  std::uint64_t work_ = std::uint64_t{1} << 24;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_LOOP_PROOF_HPP

// ---- tessera/nem/detail/rules/place.hpp
//
// The rules of where a task may run, and of what it may access there.
//
//   bind(c, task);                 // the task's unit, engine and access flags, from its decorators
//   check_place(c, task);          // then its rules
//
//   DEC-007  writes what is @readonly               PLC-001  L1 memories of several engines
//   DEC-008  reads what is @writeonly               PLC-002  pinned to another engine than its L1
//   RES-004  the unit can't execute the operation   PLC-003  pinned to no engine
//   RES-005  another unit of the type is used
//   RES-006  another type of unit is used
//   RES-007  DMA where a transfer touches DDR
//   RES-008  DDR without sDMA
//
// Rules about the device need a target with a topology; without one, a program is for any device.
//
// Lifetime:   borrows for the call.
// Errors:     findings.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_PLACE_HPP
#define TESSERA_NEM_DETAIL_RULES_PLACE_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/nem/detail/rules/transfer.hpp
//
// The rules of data movement: what a transfer or a store copies, and to where.
//
//   check_transfer(c, task);              // once the operands are evaluated; others are ignored
//
//   XFR-001  the destination is smaller           XFR-005  bytes keep their order, layouts differ
//   XFR-002  the destination is larger            XFR-006  both sides overlap
//   XFR-003  different element types              XFR-007  different quantization descriptors
//   XFR-004  different shapes                     XFR-008  a store to a nearer level
//
// What isn't typed is bytes: types are compared where both sides have them. Shapes, strides and
// descriptors are the same where their values are, however they are written.
//
// Lifetime:   borrows for the call.
// Errors:     findings, at the destination; notes point to the source.
// Limits:     none.
// Allocation: that of findings.

#ifndef TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP
#define TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The name or the region of an operand.
[[nodiscard]] inline place place_of_operand(const context& c, const operand& o) noexcept {
  return c.at(o.node + 1);
}
/// What texts call an operand: its name, or "region of B" after an article.
struct operand_name {
  const context& c;
  const operand& o;
  bool has_article = false;
};
inline text& operator<<(text& out, const operand_name& n) {
  const std::uint32_t i = n.o.node + 1;
  if (n.c[i].kind == node_kind::region) out << (n.has_article ? "region of " : "a region of ");
  return out << n.c.name(i);
}
/// Whether two descriptors, or their absence, mean the same.
[[nodiscard, gnu::cold]] inline bool is_same_quant(const values& v, std::uint32_t a,
                                                   std::uint32_t b) noexcept {
  if (a == b) return true;
  if (a == no_index || b == no_index) return false;
  const quant &x = v.quants[a], &y = v.quants[b];
  return x.form == y.form && x.axis == y.axis && x.group_size == y.group_size &&
         are_equal(v.scales(x), v.scales(y)) && are_equal(v.zero_points(x), v.zero_points(y));
}
/// Whether elements of two regions of the same shape lie at the same distances. Without strides
/// they are contiguous, the last dimension next to one another.
[[nodiscard, gnu::cold]] inline bool is_same_strides(const values& v, const region& a,
                                                     const region& b) noexcept {
  if (a.has_strides && b.has_strides) return are_equal(v.strides(a), v.strides(b));
  if (!a.has_strides && !b.has_strides) return true;
  const region& strided = a.has_strides ? a : b;
  const view<std::int64_t> shape = v.shape(strided), strides = v.strides(strided);
  if (shape.size() != strides.size()) return false;
  std::int64_t contiguous = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != contiguous) return false;
    if (__builtin_mul_overflow(contiguous, shape[i], &contiguous)) return false;
  }
  return true;
}

/// Compares what both sides say of their elements.
[[gnu::cold]] inline void check_transfer_types(context& c, const operand& to, const operand& from) {
  const region &dst = c.v.regions[to.region], &src = c.v.regions[from.region];
  if (dst.element == element::none || src.element == element::none) return;
  const place where = place_of_operand(c, to), related = place_of_operand(c, from);
  const operand_name dst_name{c, to, true}, src_name{c, from, true};
  if (dst.element != src.element) {
    const findings::writer w = c.found.add(errc::nem_xfr_003_element, where);
    w << "the destination " << dst_name << " is of " << name(dst.element) << ", the source "
      << src_name << " of " << name(src.element) << ": bytes are copied, not converted";
    w.note(related) << "the source is of " << name(src.element);
    return;  // what else differs follows from it
  }
  const bool have_shapes = dst.has_shape && src.has_shape;
  if (have_shapes && !are_equal(c.v.shape(dst), c.v.shape(src))) {
    const findings::writer w = c.found.add(errc::nem_xfr_004_shape, where);
    w << "the destination " << dst_name << " has shape " << number_list{c.v.shape(dst)}
      << ", the source " << src_name << ' ' << number_list{c.v.shape(src)};
    w.note(related) << "the source has shape " << number_list{c.v.shape(src)};
  } else if (have_shapes && dst.layout != src.layout && dst.layout != no_name &&
             src.layout != no_name) {
    const findings::writer w = c.found.add(errc::nem_xfr_005_layout, where);
    w << "the destination " << dst_name << " has layout " << c.d.name(dst.layout) << ", the source "
      << src_name << ' ' << c.d.name(src.layout)
      << ": bytes are copied in order, without rearranging elements";
    w.note(related) << "the source has layout " << c.d.name(src.layout);
  } else if (have_shapes && !is_same_strides(c.v, dst, src)) {
    const findings::writer w = c.found.add(errc::nem_xfr_005_layout, where);
    w << "the destination " << dst_name << " and the source " << src_name
      << " have different strides: bytes are copied in order, without rearranging elements";
    const findings::writer n = w.note(related);
    if (src.has_strides)
      n << "the source has strides " << number_list{c.v.strides(src)};
    else
      n << "the source is contiguous";
  }
  if (!is_same_quant(c.v, dst.quant, src.quant)) {
    const findings::writer w = c.found.add(errc::nem_xfr_007_quant, where);
    w << "the destination " << dst_name << " and the source " << src_name
      << " have different quantization descriptors: values are copied as they are";
    w.note(related) << (src.quant == no_index ? "the source has no descriptor"
                                              : "the source has another descriptor");
  }
}

/// Checks a transfer or a store.
[[gnu::cold]] inline void check_transfer(context& c, const task& t) {
  if (t.opcode != opcode::transfer && t.opcode != opcode::store) return;
  if (t.inputs != 1 || t.outputs != 1) return;
  const operand &from = c.v.inputs(t)[0], &to = c.v.outputs(t)[0];
  if (from.region == no_index || to.region == no_index) return;
  const region &dst = c.v.regions[to.region], &src = c.v.regions[from.region];
  if (dst.buffer == no_index || src.buffer == no_index) return;
  const place where = place_of_operand(c, to), related = place_of_operand(c, from);
  const operand_name dst_name{c, to, true}, src_name{c, from, true};

  const level near = c.v.buffers[dst.buffer].level, far = c.v.buffers[src.buffer].level;
  if (t.opcode == opcode::store && near > far) {
    const findings::writer w = c.found.add(errc::nem_xfr_008_nearer, where);
    w << "store moves " << operand_name{c, from} << " from " << name(far) << " to "
      << operand_name{c, to} << " in " << name(near) << ", a nearer level; use transfer for that";
    w.note(c.at(c.v.buffers[src.buffer].node)) << "the source is in " << name(far);
  }
  if (!dst.is_sound || !src.is_sound) return;

  if (dst.extent < src.extent) {
    const findings::writer w = c.found.add(errc::nem_xfr_001_small, where);
    w << "the destination " << dst_name << " has " << dst.extent << " bytes, the source "
      << src_name << ' ' << src.extent;
    w.note(related) << "the source has " << src.extent << " bytes";
  } else if (dst.extent > src.extent) {
    const findings::writer w = c.found.add(errc::nem_xfr_002_large, where);
    w << "the destination " << dst_name << " has " << dst.extent << " bytes, the source "
      << src_name << ' ' << src.extent << ": the last " << dst.extent - src.extent
      << " aren't written";
    w.note(related) << "the source has " << src.extent << " bytes";
  }
  // Both lie within the buffer, so that neither end overflows.
  if (dst.buffer == src.buffer && !t.is_memmove && dst.offset < src.offset + src.extent &&
      src.offset < dst.offset + dst.extent) {
    const std::int64_t first = dst.offset > src.offset ? dst.offset : src.offset;
    const std::int64_t a = dst.offset + dst.extent, b = src.offset + src.extent;
    const findings::writer w = c.found.add(errc::nem_xfr_006_overlap, where);
    w << "the destination " << dst_name << " and the source " << src_name << " share bytes ["
      << first << ", " << (a < b ? a : b) << ") of " << c.d.name(c.v.buffers[dst.buffer].name)
      << " without @memmove";
    w.note(related) << "the source is bytes [" << src.offset << ", " << b << ')';
    const node& n = c[t.node];
    if (n.length != 0xffff) w.fix({0, n.offset + n.length, 0}) << " @memmove";
  }
  check_transfer_types(c, to, from);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_TRANSFER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The buffer of an operand, or null where it isn't known.
[[nodiscard]] inline const buffer* buffer_of(const context& c, const operand& o) noexcept {
  if (o.region == no_index) return nullptr;
  const std::uint32_t b = c.v.regions[o.region].buffer;
  return b == no_index ? nullptr : &c.v.buffers[b];
}
/// All operands of a task, inputs first.
[[nodiscard]] inline view<operand> operands_of(const context& c, const task& t) noexcept {
  return {c.v.operands.data() + t.first_operand, std::size_t{t.inputs} + t.outputs};
}

/// Sets what decorators and operands say of a task: its unit, its engine, the operands' flags.
inline void bind(context& c, task& t) {
  t.unit = unit::none;
  t.unit_index = 0;
  t.engine = -1;
  t.is_memmove = false;
  const std::size_t operands = std::size_t{t.inputs} + t.outputs;
  for (std::size_t i = 0; i < operands; ++i) {
    operand& o = c.v.operands[t.first_operand + i];
    const buffer* const b = buffer_of(c, o);
    unsigned flags = decorated_access(c.d, o.node);
    if (o.region != no_index) flags |= c.v.regions[o.region].flags;
    if (b != nullptr) flags |= b->flags;
    o.flags = static_cast<std::uint8_t>(flags);
    if (b != nullptr && b->level == level::l1 && b->is_known && t.engine < 0) t.engine = b->engine;
  }
  bool has_resource = false, has_engine = false;  // of repeated decorators the first one counts
  for (const std::uint32_t i : children(c.d, t.node)) {
    if (c[i].kind != node_kind::decorator) continue;
    switch (static_cast<decorator>(c[i].detail)) {
      case decorator::memmove: t.is_memmove = true; break;
      case decorator::resource: {
        if (has_resource) break;
        has_resource = true;
        const bound_unit u = resource_argument(c, i);
        t.unit = u.unit;
        t.unit_index = u.index;
        break;
      }
      case decorator::seq_engine: {
        std::int64_t engine = 0;
        if (!has_engine && integer_argument(c, i, engine) && t.engine < 0 && engine >= 0)
          t.engine = engine;
        has_engine = true;
        break;
      }
      default: break;
    }
  }
}

/// Reports an access that a decorator of the operand, of its region or of its buffer forbids.
[[gnu::cold]] inline void report_access(context& c, const operand& o, bool is_write) {
  const decorator which = is_write ? decorator::readonly : decorator::writeonly;
  const std::uint32_t declaration =
      o.region == no_index ? no_node : c.v.regions[o.region].declaration;
  const buffer* const b = buffer_of(c, o);
  const std::uint32_t nodes[] = {o.node, declaration, b == nullptr ? no_node : b->node};
  std::uint32_t where = no_node;
  for (const std::uint32_t n : nodes) {
    if (n == no_node) continue;
    bool has_readonly = false, has_writeonly = false;
    std::uint32_t left = 32;  // where there are more, they repeat: many tasks may use one buffer
    for (const std::uint32_t i : children(c.d, n)) {
      if (left-- == 0) break;
      if (c[i].kind != node_kind::decorator) continue;
      const decorator d = static_cast<decorator>(c[i].detail);
      has_readonly = has_readonly || d == decorator::readonly;
      has_writeonly = has_writeonly || d == decorator::writeonly;
      if (d == which && where == no_node) where = i;
    }
    if (has_readonly && has_writeonly) return;  // DEC-005 has reported it
    if (where != no_node) break;
  }
  auto w = c.found.add(is_write ? errc::nem_dec_007_readonly : errc::nem_dec_008_writeonly,
                       place_of_operand(c, o));
  w << "the task " << (is_write ? "writes " : "reads ") << operand_name{c, o}
    << ", which is marked @" << (is_write ? "readonly" : "writeonly");
  if (where != no_node) w.note(c.at(where)) << "it is marked here";
}

/// The rules of @resource, with the target's units.
[[gnu::cold]] inline void check_resource(context& c, const task& t, bool touches_ddr) {
  const std::uint32_t i = find_decorator(c.d, t.node, decorator::resource);
  if (i == no_node) return;
  const place where = c.at(i + 1);
  const unit_set eligible = eligible_units(t.opcode);
  if ((eligible & units(t.unit)) == 0) {
    auto w = c.found.add(errc::nem_res_004_eligible, where);
    w << name(t.unit) << " can't execute " << name(t.opcode) << ": ";
    bool is_first = true;
    for (std::size_t u = 0; u < unit_count; ++u) {
      if ((eligible & 1u << u) == 0) continue;
      w << (is_first ? "expected " : " or ") << unit_names[u];
      is_first = false;
    }
    return;
  }
  if (t.opcode == opcode::transfer && t.unit == unit::dma && touches_ddr)
    c.found.add(errc::nem_res_007_system_dma, where)
        << "a transfer that touches DDR takes the device's sDMA, not an engine's DMA";
  if (c.target == nullptr || !c.target->has_topology) return;
  const topology& has = c.target->topology;
  const std::string_view device = c.types.text_of(c.target->name);
  const std::int64_t count = has.units[static_cast<std::size_t>(t.unit)];
  if (count > 0 && t.unit_index >= count) {
    c.report(errc::nem_res_005_remapped, i + 2)
        << "an engine of " << device << " has " << count << ' ' << name(t.unit) << ": "
        << name(t.unit) << '[' << t.unit_index << "] becomes " << name(t.unit) << '['
        << t.unit_index % count << ']';
  } else if (count <= 0) {
    unit other = unit::none;
    const unit preferred[] = {unit::vpu, default_unit(t.opcode), unit::cstl, unit::dma, unit::nmu};
    for (const unit u : preferred)
      if (other == unit::none && u != unit::none && (eligible & units(u)) != 0 &&
          has.units[static_cast<std::size_t>(u)] > 0)
        other = u;
    if (other == unit::none)
      c.found.add(errc::nem_res_004_eligible, where)
          << device << " has no " << name(t.unit) << ", and no other unit of it can execute "
          << name(t.opcode);
    else
      c.found.add(errc::nem_res_006_translated, where)
          << device << " has no " << name(t.unit) << ": " << name(other) << " executes "
          << name(t.opcode);
  }
}

/// The rules of @seq_engine and of L1 memories; `first` is the first operand in an L1, or null.
[[gnu::cold]] inline void check_engine(context& c, const task& t, const operand* first,
                                       bool is_one_engine) {
  const std::uint32_t i = find_decorator(c.d, t.node, decorator::seq_engine);
  std::int64_t engine = 0;
  if (i == no_node || !integer_argument(c, i, engine)) return;
  const bool has_engines = c.target != nullptr && c.target->has_topology;
  if (engine < 0 || (has_engines && engine >= c.target->topology.engines)) {
    auto w = c.report(errc::nem_plc_003_no_engine, i + 1);
    w << "engine " << engine << " doesn't exist";
    if (has_engines)
      w << "; " << c.types.text_of(c.target->name) << " has " << c.target->topology.engines
        << (c.target->topology.engines == 1 ? " engine" : " engines") << ", from 0 on";
    return;
  }
  if (first == nullptr || !is_one_engine || buffer_of(c, *first)->engine == engine) return;
  auto w = c.report(errc::nem_plc_002_pinned, i + 1);
  w << "the task is pinned to engine " << engine << ", but " << operand_name{c, *first}
    << " is in L1[" << buffer_of(c, *first)->engine << ']';
  w.note(place_of_operand(c, *first)) << "it is used here";
}

/// Checks what a task accesses and where it runs. Needs bind().
[[gnu::cold]] inline void check_place(context& c, const task& t) {
  const operand* first = nullptr;  // in an L1
  const buffer* far = nullptr;     // in DDR
  bool is_one_engine = true;
  const view<operand> all = operands_of(c, t);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const operand& o = all[i];
    const bool is_write = i >= t.inputs;
    if ((o.flags & (is_write ? flag_readonly : flag_writeonly)) != 0) report_access(c, o, is_write);
    const buffer* const b = buffer_of(c, o);
    if (b == nullptr) continue;
    if (b->level == level::ddr && far == nullptr) far = b;
    if (b->level != level::l1 || !b->is_known) continue;
    if (first == nullptr) first = &o;
    const std::int64_t engine = buffer_of(c, *first)->engine;
    if (b->engine == engine) continue;
    is_one_engine = false;
    auto w = c.found.add(errc::nem_plc_001_engines, place_of_operand(c, o));
    w << operand_name{c, o} << " is in L1[" << b->engine << "] and " << operand_name{c, *first}
      << " in L1[" << engine << "]; expected all L1 operands of a task on one engine";
    w.note(place_of_operand(c, *first)) << "the other operand is in L1[" << engine << ']';
  }
  if (t.unit != unit::none) check_resource(c, t, far != nullptr);
  check_engine(c, t, first, is_one_engine);
  const bool moves = t.opcode == opcode::transfer || t.opcode == opcode::store;
  if (moves && far != nullptr && c.target != nullptr && c.target->has_topology &&
      c.target->topology.units[static_cast<std::size_t>(unit::sdma)] <= 0) {
    auto w = c.report(errc::nem_res_008_no_system_dma, t.node);
    w << "the task moves data of " << c.d.name(far->name) << " in DDR, and "
      << c.types.text_of(c.target->name) << " declares no sDMA";
    w.note(c.at(far->node)) << "the buffer lies in DDR";
  }
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_PLACE_HPP

// ---- tessera/nem/detail/rules/region.hpp
//
// Regions: which bytes of a buffer, and which elements they are.
//
//   std::uint32_t i = detail::evaluate_region(c, node, declaration);   // index in values::regions
//   if (detail::overlaps_itself(c.v, c.v.regions[i], work)) …          // decides REG-010
//
//   region(buffer, offset, extent)                   "Regions": NAM-003, NAM-004, REG-001 … REG-003
//   elem=, shape=, layout= or strides=, quant=       "Region Types": REG-004 … REG-011, TYP-002
//
// Where a region has strides, they decide which bytes it needs (REG-005), not the number of its
// elements (REG-004): a stride of 0 repeats one element.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     overlaps_itself() gives up, with no, when `work` is used up.
// Allocation: that of values::regions and numbers.

#ifndef TESSERA_NEM_DETAIL_RULES_REGION_HPP
#define TESSERA_NEM_DETAIL_RULES_REGION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/rules/quant.hpp
//
// Quantization descriptors of regions: their values, and whether they fit the shape.
//
//   bool sound = detail::evaluate_quant(c, node, region);   // sets region.quant
//
//   per_tensor(scale, zero_point)                            "Quantization Descriptor"
//   per_channel(axis, scales, zero_points)                   one for each element of the axis
//   per_group(axis, group_size, scales, zero_points)         one for each group of them
//
// QNT-001 … QNT-008. What tasks demand of descriptors is in rules/compute.hpp.
//
// Lifetime:   nothing is kept.
// Errors:     reported.
// Limits:     none.
// Allocation: that of values::quants, reals and numbers.

#ifndef TESSERA_NEM_DETAIL_RULES_QUANT_HPP
#define TESSERA_NEM_DETAIL_RULES_QUANT_HPP

#include <cstddef>
#include <cstdint>


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
namespace nem {
namespace detail {

/// A FLOAT as messages show it.
[[nodiscard, gnu::cold]] inline text spelled(double x) {
  text out;
  append_double(out, x, double_style::python);
  return out;
}

[[gnu::cold]] inline bool check_scale(context& c, std::uint32_t at, double x) {
  if (x > 0 && x <= 1.7976931348623157e308) return true;
  const text number = spelled(x);
  c.report(errc::nem_qnt_005_scale, at)
      << "expected a scale that is positive and finite, found " << number.view();
  return false;
}
[[gnu::cold]] inline bool report_fraction(context& c, std::uint32_t at, double x) {
  const text number = spelled(x);
  c.report(errc::nem_qnt_006_zero_point, at)
      << "expected an integer as zero point, found " << number.view();
  return false;
}
[[gnu::cold]] inline void check_zero_point(context& c, std::uint32_t at, std::int64_t x,
                                           element e) {
  if (!is_integer(e)) return;
  const bool is_unsigned = e == element::u8 || e == element::u16 || e == element::u32;
  const std::uint32_t bits = bitwidth(e) - (is_unsigned ? 0 : 1);
  const std::int64_t top = (std::int64_t{1} << bits) - 1, bottom = is_unsigned ? 0 : -top - 1;
  if (x < bottom || x > top)
    c.report(errc::nem_qnt_007_zero_range, at) << "zero point " << x << " isn't a value of "
                                               << name(e) << " (" << bottom << " to " << top << ')';
}

/// Scales in values::reals, or zero points in values::numbers.
struct quant_values {
  bool are_scales;
  element type;  ///< of the region
  std::uint32_t first = 0, count = 0;
};

/// One number, which is appended; where it is wrong, another one takes its place.
[[gnu::cold]] inline bool evaluate_quant_value(context& c, std::uint32_t at, quant_values& to) {
  ++to.count;
  number x = {};
  const bool is_known = evaluate(c, at, for_number, x);
  if (to.are_scales) {
    c.v.reals.push_back(is_known ? x.as_real() : 1);
    return is_known && check_scale(c, at, x.as_real());
  }
  const bool is_whole = !x.is_real || to_integer(x.real, x.integer);
  c.v.numbers.push_back(is_known && is_whole ? x.integer : 0);
  if (!is_known) return false;
  if (!is_whole) return report_fraction(c, at, x.real);
  check_zero_point(c, at, x.integer, to.type);
  return true;
}

/// Scales or zero points: a list or the name of one, which is not copied, or a number where the form
/// has just one.
[[gnu::cold]] inline bool evaluate_quant_values(context& c, std::uint32_t at, bool is_list,
                                                quant_values& to) {
  to.first = static_cast<std::uint32_t>(to.are_scales ? c.v.reals.size() : c.v.numbers.size());
  if (!is_list) return evaluate_quant_value(c, at, to);
  if (c[at].kind == node_kind::list) {
    bool is_sound = true;
    for (const std::uint32_t i : children(c.d, at))
      is_sound = evaluate_quant_value(c, i, to) && is_sound;
    return is_sound;
  }
  if (c[at].kind == node_kind::name) {
    const binding& b = (*c.names)[c[at].value];
    if (b.kind != binding_kind::none && !b.is_known) return false;
    if (b.kind == binding_kind::integers || b.kind == binding_kind::reals) {
      const named_numbers& l = c.names->list_of(b);
      to.first = to.are_scales ? l.first_real : l.first_number;
      to.count = l.count;
      if (l.count == 0) return true;
      if (to.are_scales) return check_scale(c, at, l.least) && check_scale(c, at, l.greatest);
      if (!l.are_integers) {
        std::int64_t ignored = 0;
        std::uint32_t i = 0;
        while (to_integer(c.v.reals[l.first_real + i], ignored)) ++i;
        return report_fraction(c, at, c.v.reals[l.first_real + i]);
      }
      check_zero_point(c, at, l.min_integer, to.type);
      check_zero_point(c, at, l.greatest_integer, to.type);
      return true;
    }
  }
  number x = {};
  if (evaluate(c, at, for_number, x))
    c.report(errc::nem_exp_005_kind, at) << "expected a list, found a number";
  return false;
}

/// Whether the shape of a region has the axis of a descriptor.
[[gnu::cold]] inline bool check_axis(context& c, std::uint32_t at, const quant& q,
                                     const region& r) {
  if (q.axis >= 0 && q.axis < static_cast<std::int64_t>(r.rank)) return true;
  auto w = c.report(errc::nem_qnt_004_axis, at);
  if (r.rank == 0)
    w << "quantization axis " << q.axis << " of a shape without dimensions";
  else
    w << "quantization axis " << q.axis << " isn't one of 0 to " << r.rank - 1;
  return false;
}

/// Evaluates a descriptor of a region whose type and shape are evaluated.
[[gnu::cold]] inline bool evaluate_quant(context& c, std::uint32_t at, region& r,
                                         bool has_sound_shape) {
  quant q;
  q.form = static_cast<quantization>(c[at].detail);
  quant_values scales = {true, r.element}, zero_points = {false, r.element};
  const bool is_list = q.form != quantization::per_tensor;
  bool is_sound = true, has_axis = false, has_group = false;
  bool has_scales = false, has_zero_points = false;
  std::uint32_t axis_at = at, scales_at = at, zero_points_at = at;
  for (const std::uint32_t i : children(c.d, at)) {
    if (c[i].kind != node_kind::quant_field) continue;
    const std::uint32_t value = i + 1;
    switch (static_cast<quant_field>(c[i].detail)) {
      case quant_field::axis:
        has_axis = evaluate_integer(c, value, {"quantization axes must be integers"}, q.axis);
        is_sound = is_sound && has_axis;
        axis_at = value;
        break;
      case quant_field::group_size:
        has_group = evaluate_integer(c, value, {"group sizes must be integers"}, q.group_size);
        if (has_group && q.group_size <= 0) {
          has_group = false;
          c.report(errc::nem_qnt_003_group_size, value)
              << "group_size must be positive, found " << q.group_size;
        }
        is_sound = is_sound && has_group;
        break;
      case quant_field::scale:
      case quant_field::scales:
        scales_at = value;
        has_scales = evaluate_quant_values(c, value, is_list, scales);
        is_sound = is_sound && has_scales;
        break;
      case quant_field::zero_point:
      case quant_field::zero_points:
        zero_points_at = value;
        has_zero_points = evaluate_quant_values(c, value, is_list, zero_points);
        is_sound = is_sound && has_zero_points;
        break;
    }
  }
  q.first_scale = scales.first;
  q.scales = scales.count;
  q.first_zero_point = zero_points.first;
  q.zero_points = zero_points.count;
  if (is_floating(r.element))
    c.report(errc::nem_qnt_008_float, at)
        << name(r.element) << " values carry a quantization descriptor";

  if (is_list && has_axis && r.has_shape && has_sound_shape) {
    if (!check_axis(c, axis_at, q, r)) {
      is_sound = false;
    } else {
      const std::int64_t dimension =
          c.v.numbers[r.first_dimension + static_cast<std::size_t>(q.axis)];
      const bool is_grouped = q.form == quantization::per_group;
      if (!is_grouped || has_group) {
        const std::int64_t expected =
            is_grouped ? dimension / q.group_size + (dimension % q.group_size != 0) : dimension;
        const auto check = [&](bool is_known, std::uint32_t where, std::uint32_t count,
                               const char* what) {
          if (!is_known || count == expected) return;
          is_sound = false;
          auto w =
              c.report(is_grouped ? errc::nem_qnt_002_groups : errc::nem_qnt_001_channels, where);
          w << "expected " << expected << ' ' << what << ", found " << count << ": axis " << q.axis
            << " has " << dimension << (dimension == 1 ? " element" : " elements");
          if (is_grouped) w << ", " << q.group_size << " to a group";
        };
        check(has_scales, scales_at, q.scales, "scales");
        check(has_zero_points, zero_points_at, q.zero_points, "zero points");
      }
    }
  }
  r.quant = static_cast<std::uint32_t>(c.v.quants.size());
  c.v.quants.push_back(q);
  return is_sound;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_QUANT_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes that `count` elements take; false where 64 bits don't hold them.
[[nodiscard]] inline bool bytes_of(std::int64_t count, element e, std::int64_t& to) noexcept {
  const std::int64_t bits = bitwidth(e);
  if (bits >= 8) return !__builtin_mul_overflow(count, bits / 8, &to);
  to = count / (8 / bits) + (count % (8 / bits) != 0);
  return true;
}

/// Finds the buffer of a region. False where it has none that is sound.
inline bool find_buffer(context& c, std::uint32_t at, region& r) {
  const std::uint32_t name_index = c[at].value;
  const binding& b = (*c.names)[name_index];
  if (b.kind == binding_kind::none) {
    place where = c.at(at);  // up to the name
    const auto size = static_cast<std::uint32_t>(7 + c.name(at).size());
    if (size < where.length) where.length = size;
    auto&& w = c.found.add(errc::nem_nam_003_buffer, where);
    w << "buffer " << c.d.name(name_index) << " isn't declared before this point";
    suggest(c, w, c.d.name(name_index), binding_kind::buffer);
    return false;
  }
  if (b.kind == binding_kind::buffer) {
    r.buffer = b.index;
    r.flags |= c.v.buffers[b.index].flags;
    return b.is_known && c.v.buffers[b.index].is_known;
  }
  if (b.is_known)
    (c.report(errc::nem_nam_004_not_buffer, at)
     << "expected a buffer in region(...), " << c.d.name(name_index) << " is a " << name(b.kind))
            .note(head(c, b.node))
        << c.d.name(name_index) << " is declared here";
  return false;
}

/// Evaluates the numbers of shape= or strides= from `first` on.
[[gnu::cold]] inline bool evaluate_dimensions(context& c, std::uint32_t at, const purpose& p,
                                              std::int64_t smallest, errc too_small,
                                              std::uint32_t& first, std::uint32_t& count) {
  bool is_sound = true;
  first = static_cast<std::uint32_t>(c.v.numbers.size());
  for (const std::uint32_t i : children(c.d, at)) {
    std::int64_t x = smallest;
    if (!evaluate_integer(c, i, p, x)) {
      is_sound = false;
    } else if (x < smallest) {
      is_sound = false;
      c.report(too_small, i) << "expected a " << (smallest == 0 ? "stride" : "shape dimension")
                             << " of at least " << smallest << ", found " << x;
    }
    c.v.numbers.push_back(x);
  }
  count = static_cast<std::uint32_t>(c.v.numbers.size() - first);
  return is_sound;
}

/// Whether the elements of a region lie inside of its extent.
[[gnu::cold]] inline bool check_elements(context& c, const region& r, std::uint32_t extent_at,
                                         std::uint32_t strides_at) {
  std::int64_t count = r.has_strides ? 0 : 1;
  bool overflow = false;
  const view<std::int64_t> shape = c.v.shape(r), strides = c.v.strides(r);
  for (std::size_t i = 0; i < shape.size() && !overflow; ++i) {
    std::int64_t term = 0;
    if (!r.has_strides)
      overflow = __builtin_mul_overflow(count, shape[i], &count);
    else
      overflow = __builtin_mul_overflow(shape[i] - 1, strides[i], &term) ||
                 __builtin_add_overflow(count, term, &count);
  }
  if (r.has_strides) overflow = overflow || __builtin_add_overflow(count, 1, &count);
  std::int64_t needed = 0;
  overflow = overflow || !bytes_of(count, r.element, needed);
  if (!overflow && needed <= r.extent) return true;
  auto w = r.has_strides ? c.report(errc::nem_reg_005_strides, strides_at)
                         : c.report(errc::nem_reg_004_too_small, extent_at);
  if (r.has_strides)
    w << "the strides reach ";
  else
    w << "the shape needs ";
  if (overflow)
    w << "more than 2^63 - 1 bytes";
  else
    w << needed << (needed == 1 ? " byte" : " bytes");
  w << "; the extent is " << r.extent;
  if (!overflow && !r.has_strides)
    w << " (" << count << (count == 1 ? " element of " : " elements of ") << name(r.element) << ')';
  return false;
}

/// Whether a layout id names one dimension by each of its letters.
[[nodiscard]] constexpr bool names_dimensions(std::string_view layout) noexcept {
  for (const char c : layout)
    if (c < 'A' || c > 'Z') return false;
  return true;
}

[[gnu::cold]] inline void check_layout(context& c, std::uint32_t at, const region& r) {
  const std::string_view layout = c.d.name(r.layout);
  if (layout.size() == r.rank || !names_dimensions(layout)) return;
  c.report(errc::nem_reg_007_layout, at) << "layout " << layout << " has " << layout.size()
                                         << (layout.size() == 1 ? " letter" : " letters")
                                         << "; expected " << r.rank << ", one for each dimension";
}

/// Whether the bytes of a region, of which there is at least one, are in its buffer.
inline bool check_bounds(context& c, std::uint32_t at, const region& r) {
  const buffer& b = c.v.buffers[r.buffer];
  if (r.offset <= b.size && r.extent <= b.size - r.offset) return true;
  (c.report(errc::nem_reg_003_bounds, at)
   << r.extent << (r.extent == 1 ? " byte" : " bytes") << " from " << r.offset
   << " on extend past the end of buffer " << c.d.name(b.name) << " of " << b.size << " bytes")
          .note(head(c, b.node))
      << c.d.name(b.name) << " is declared here";
  return false;
}

inline constexpr purpose for_offset = {"region offsets must be integers"};
inline constexpr purpose for_extent = {"region extents must be integers"};
inline constexpr purpose for_dimension = {"shape dimensions must be integers"};
inline constexpr purpose for_stride = {"strides must be integers"};

/// Appends the region of a node_kind::region. `declaration` is its `let`, or no_node.
inline std::uint32_t evaluate_region(context& c, std::uint32_t at, std::uint32_t declaration) {
  region r;
  r.node = at;
  r.declaration = declaration;
  bool is_sound = find_buffer(c, at, r);
  bool has_offset = false, has_extent = false, has_shape = true, has_strides = true;
  std::uint32_t offset_at = no_node, extent_at = no_node, shape_at = no_node, layout_at = no_node,
                strides_at = no_node, quant_at = no_node;
  for (const std::uint32_t i : children(c.d, at)) {
    switch (c[i].kind) {
      case node_kind::elem:
        r.element = static_cast<element>(c[i].detail);
        if (is_extension(r.element))
          c.report(errc::nem_typ_002_extension, i)
              << "element type " << name(r.element) << " is an extension: no type family knows it";
        break;
      case node_kind::shape: shape_at = i; break;
      case node_kind::layout:
        layout_at = i;
        r.layout = c[i].value;
        break;
      case node_kind::strides: strides_at = i; break;
      case node_kind::quant: quant_at = i; break;
      default:
        if (offset_at == no_node) {
          offset_at = i;
          has_offset = evaluate_integer(c, i, for_offset, r.offset);
        } else {
          extent_at = i;
          has_extent = evaluate_integer(c, i, for_extent, r.extent);
        }
    }
  }
  if (has_offset && r.offset < 0) {
    has_offset = false;
    c.report(errc::nem_reg_001_offset, offset_at)
        << "expected an offset of at least 0, found " << r.offset;
  }
  if (has_extent && r.extent <= 0) {
    has_extent = false;
    c.report(errc::nem_reg_002_extent, extent_at)
        << "expected an extent of at least 1 byte, found " << r.extent;
  }
  is_sound = is_sound && has_offset && has_extent && check_bounds(c, at, r);

  if (shape_at != no_node) {
    r.has_shape = true;
    has_shape = evaluate_dimensions(c, shape_at, for_dimension, 1, errc::nem_reg_008_dimension,
                                    r.first_dimension, r.rank);
  }
  if (strides_at != no_node) {
    r.has_strides = true;
    has_strides = evaluate_dimensions(c, strides_at, for_stride, 0,
                                      errc::nem_reg_009_negative_stride, r.first_stride, r.strides);
    if (r.has_shape && r.strides != r.rank) {
      has_strides = false;
      c.report(errc::nem_reg_006_stride_count, strides_at)
          << "expected " << r.rank << (r.rank == 1 ? " stride" : " strides")
          << ", one for each dimension, found " << r.strides;
    }
  }
  if (layout_at != no_node && r.has_shape) check_layout(c, layout_at, r);
  is_sound = is_sound && has_shape && has_strides;
  if (r.element != element::none) {
    const std::int64_t bytes = bitwidth(r.element) / 8;
    if (has_offset && bytes > 1 && r.offset % bytes != 0)
      c.report(errc::nem_reg_011_unaligned, offset_at)
          << "offset " << r.offset << " isn't a multiple of the " << bytes << " bytes of "
          << name(r.element);
    if (has_extent && r.has_shape && has_shape && has_strides)
      is_sound = check_elements(c, r, extent_at, strides_at) && is_sound;
  }
  if (quant_at != no_node) is_sound = evaluate_quant(c, quant_at, r, has_shape) && is_sound;
  r.is_sound = is_sound;
  c.v.regions.push_back(r);
  return static_cast<std::uint32_t>(c.v.regions.size() - 1);
}

/// Whether two elements of a sound region have the same place, by its strides. Each step of the
/// search takes one off `work`, and each of more than 32 dimensions takes 64; without any left the
/// answer is no.
[[nodiscard, gnu::cold]] inline bool overlaps_itself(const values& v, const region& r,
                                                     std::uint64_t& work) {
  struct dimension {
    std::int64_t stride, most;  ///< the greatest difference of two indices
    std::int64_t reach;         ///< how far all dimensions of smaller strides lead
  };
  if (!r.has_strides || !r.has_shape || r.strides != r.rank) return false;
  constexpr std::uint32_t few = 8;
  dimension in_place[few];
  pool<dimension> many;
  if (r.rank > max_rank) {  // of no use to computing: 2^16 such dimensions are looked at
    const std::uint64_t steps = std::uint64_t{r.rank} * 64;
    work -= work < steps ? work : steps;
    if (work == 0) return false;
  }
  if (r.rank > few) many.resize(r.rank);
  dimension* const all = r.rank > few ? many.data() : in_place;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < r.rank; ++i) {
    const std::int64_t size = v.shape(r)[i], stride = v.strides(r)[i];
    if (size <= 1) continue;
    if (stride == 0) return true;
    all[count++] = {stride, size - 1, 0};
  }
  sort(all, count, [](const dimension& a, const dimension& b) { return a.stride < b.stride; });

  // Two elements have one place where differences d of their indices, not all 0, give
  // sum(d * stride) == 0. While each stride is greater than all that the smaller ones reach
  // together, there are none.
  bool are_apart = true;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    are_apart = are_apart && all[i].stride > sum;
    all[i].reach = sum;
    sum += all[i].stride * all[i].most;  // has room: it lies inside of the extent
  }
  if (are_apart || sum > std::int64_t{1} << 61) return false;

  // Else try them, from the greatest stride down, but only those that the smaller strides can make
  // up for. The first that isn't 0 may be taken as positive.
  struct choice {
    std::int64_t rest;  ///< what this stride and the smaller ones must add up to
    std::int64_t next, last;
    bool is_zero;  ///< whether all greater ones are 0
  };
  pool<choice> open;
  const auto enter = [&](std::int64_t rest, bool is_zero) {
    const dimension& d = all[count - 1 - open.size()];
    const std::int64_t low = rest - d.reach, high = rest + d.reach;
    std::int64_t first = low / d.stride + (low % d.stride > 0);
    std::int64_t last = high / d.stride - (high % d.stride < 0);
    if (first < -d.most) first = -d.most;
    if (is_zero && first < 0) first = 0;
    if (last > d.most) last = d.most;
    open.push_back({rest, first, last, is_zero});
  };
  enter(0, true);
  while (!open.empty() && work != 0) {
    --work;
    choice& at = open.back();
    if (at.next > at.last) {
      open.pop_back();
      continue;
    }
    const std::int64_t x = at.next++;
    const std::int64_t rest = at.rest - x * all[count - open.size()].stride;
    const bool is_zero = at.is_zero && x == 0;
    if (rest == 0 && !is_zero) return true;
    if (open.size() < count) enter(rest, is_zero);
  }
  return false;
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_REGION_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// How much was expanded.
struct expansion {
  std::uint64_t tasks = 0, iterations = 0;
  std::uint64_t proven_tasks = 0, proven_iterations = 0;  ///< of iterations that needn't be visited
  bool is_partial = false;  ///< whether other iterations were left out
};

/// Whether a visitor knows what proofs need to know of earlier tasks.
template <class Visitor>
concept proves_loops = requires(Visitor& to) {
  to.earlier();
};
/// The order of visitors without one: any earlier task may race, and nothing is known to be written.
struct no_order {
  static bool may_race(const values&, const byte_range&, bool) noexcept { return true; }
  static bool is_written(const values&, const byte_range&) noexcept { return false; }
  static void begin_skip(bool) noexcept {}
  static void end_skip(const values&, view<byte_range>) noexcept {}
};
template <class Visitor>
[[nodiscard]] auto& order_before(Visitor& to, no_order& other) noexcept {
  if constexpr (proves_loops<Visitor>)
    return to.earlier();
  else
    return other;
}

/// `is_checking` is for verification, which also checks what doesn't depend on an iteration.
template <class Visitor, bool is_checking>
class walker {
 public:
  walker(context& c, Visitor& to, std::uint64_t max)
      : c_(c),
        v_(c.v),
        to_(to),
        names_(c.d),
        order_(order_before(to, no_order_)),
        proof_(c, order_) {
    c.names = &names_;
    if (is_checking) c.found.end_with({name_iteration, this});
    max_ = max;
    max_nodes_ = times(max, 128);
  }
  walker(const walker&) = delete;
  walker& operator=(const walker&) = delete;
  ~walker() {
    c_.names = nullptr;
    c_.found.end_with({});
  }

  [[gnu::cold]] expansion run() {
    const std::uint32_t end = static_cast<std::uint32_t>(c_.d.nodes.size());
    std::uint32_t at = 0;
    for (;;) {
      if (frames_.empty() ? at >= end : at >= frames_.back().end) {
        if (frames_.empty()) break;
        at = end_iteration();
      } else if (is_stopped_) {
        if (frames_.empty()) break;
        at = frames_.back().end;
      } else {
        at = statement(at);
      }
    }
    to_.end(v_);
    return expanded_;
  }

 private:
  using order = std::remove_reference_t<decltype(order_before(std::declval<Visitor&>(),
                                                              std::declval<no_order&>()))>;
  /// Tasks and iterations beyond the budget that loops may have that are proven.
  static constexpr std::uint64_t max_planned = 1 << 16;

  /// What a scope's end takes back.
  struct marks {
    std::size_t regions, quants, numbers, reals;
  };
  struct frame {
    std::uint32_t node, body, end;
    std::int64_t value, last, in_flight;
    std::uint64_t done;    ///< iterations that have ended
    bool is_known;         ///< whether its bounds are
    bool was_first_visit;  ///< whether the loop is met for the first time
    bool fits;             ///< whether all of it is within the budget
    bool is_apart;         ///< whether inner loops of iterations in flight share no bytes
    bool has_skipped;
    std::uint32_t plan;  ///< in plans_, of what is proven; no_index where it isn't
    std::int64_t first;
    marks before;
  };
  /// Which iterations of a loop that is proven are visited: some at both ends, and extra ones.
  struct plan {
    std::uint64_t beginning, ending;     ///< iterations
    std::size_t first_extra, extra;      ///< in extra_
    std::size_t first_written, written;  ///< in written_
    std::uint64_t tasks, iterations;     ///< of one iteration
  };

  [[nodiscard]] static std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
  }
  [[nodiscard]] static std::uint64_t plus(std::uint64_t a, std::uint64_t b) noexcept {
    return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
  }
  [[nodiscard]] marks mark() const noexcept {
    return {v_.regions.size(), v_.quants.size(), v_.numbers.size(), v_.reals.size()};
  }
  void take_back(const marks& m) noexcept {
    v_.regions.shrink(m.regions);
    v_.quants.shrink(m.quants);
    v_.numbers.shrink(m.numbers);
    v_.reals.shrink(m.reals);
  }
  /// Whether all enclosing loops are in their first iteration, so that each node is met first.
  [[nodiscard]] bool is_first_visit() const noexcept {
    return frames_.empty() || (frames_.back().was_first_visit && frames_.back().done == 0);
  }
  /// Says in which iteration something was found, where others don't have it: after a first
  /// iteration, and where what was found names something that varies. Some say so themselves.
  [[gnu::cold]] static void name_iteration(const void* self, const diagnostic& d, text& to) {
    const walker& w = *static_cast<const walker*>(self);
    if (w.frames_.empty() || d.code == errc::nem_haz_002_iterations ||
        d.code == errc::nem_haz_003_rewritten || d.code == errc::nem_haz_005_partial ||
        d.code == errc::nem_cap_003_tokens)
      return;
    bool is_meant = !w.is_first_visit();
    const phase found_by = phase_of(d.code);
    const std::uint32_t end = w.c_[w.at_].next;
    if (end - w.at_ < 256 && (found_by == phase::eval || found_by == phase::region ||
                              found_by == phase::buffer || found_by == phase::place))
      for (std::uint32_t i = w.at_; i < end && !is_meant; ++i) {
        const node& n = w.c_[i];
        is_meant = n.kind == node_kind::name && n.offset - d.where.offset < d.where.length &&
                   w.names_[n.value].varies;
      }
    if (!is_meant) return;
    constexpr std::size_t max_named = 8;
    const std::size_t depth = w.frames_.size();
    for (std::size_t i = depth > max_named ? depth - max_named : 0; i < depth; ++i) {
      const frame& f = w.frames_[i];
      if (f.is_known)
        to << (i + max_named == depth || i == 0 ? " where " : " and ")
           << w.c_.name(f.node).substr(0, 64) << " is " << f.value;
    }
  }
  void check_decorators_of([[maybe_unused]] std::uint32_t at,
                           [[maybe_unused]] std::uint8_t target) {
    if constexpr (is_checking)
      if (is_first_visit()) check_decorators(c_, at, target);
  }

  // Statements -----------------------------------------------------------------------------------

  /// Returns the statement that follows.
  std::uint32_t statement(std::uint32_t at) {
    const node& n = c_[at];
    at_ = at;
    switch (n.kind) {
      case node_kind::constant: constant(at); break;
      case node_kind::let: let(at); break;
      case node_kind::buffer:
        declare_buffer(c_, at);
        check_decorators_of(at, on_buffer);
        break;
      case node_kind::loop: return begin_loop(at);
      case node_kind::transfer:
      case node_kind::store:
      case node_kind::compute: task(at); break;
      case node_kind::wait: wait(at); break;
      default: break;
    }
    return n.next;
  }

  [[gnu::cold]] void constant(std::uint32_t at) {
    if (names_.depth() != 0)
      c_.report(errc::nem_con_005_in_loop, at)
          << "const declaration not permitted inside loop body";
    number x = {};
    binding b;
    b.kind = binding_kind::constant;
    b.node = at;
    b.is_known = evaluate(c_, at + 1, for_constant, x);
    b.integer = x.integer;
    declare(c_, c_[at].value, b);
  }

  [[gnu::cold]] void let(std::uint32_t at) {
    const std::uint32_t value = at + 1;
    binding b;
    switch (c_[value].kind) {
      case node_kind::region:
        b.kind = binding_kind::region;
        b.index = evaluate_region(c_, value, at);
        if (c_[value].next < c_[at].next) {
          v_.regions[b.index].flags |= decorated_access(c_.d, at);
          check_decorators_of(at, on_region);
        }
        break;
      case node_kind::list: b = list(value); break;
      case node_kind::string:
        b.kind = binding_kind::string;
        b.index = c_[value].value;
        break;
      case node_kind::name: {
        const binding& other = names_[c_[value].value];
        if (other.kind == binding_kind::region || other.kind == binding_kind::string ||
            other.kind == binding_kind::list || other.kind == binding_kind::integers ||
            other.kind == binding_kind::reals) {
          b = other;
          break;
        }
      }
        [[fallthrough]];
      default: {
        number x = {};
        b.is_known = evaluate(c_, value, for_number, x);
        b.kind = b.is_known && x.is_real ? binding_kind::real : binding_kind::integer;
        b.integer = x.is_real ? std::bit_cast<std::int64_t>(x.real) : x.integer;
        b.varies = x.varies;
      }
    }
    b.node = at;
    declare(c_, c_[at].value, b);
  }

  /// The value of a list: numbers if it has nothing else.
  [[gnu::cold]] binding list(std::uint32_t at) {
    binding b;
    const std::uint32_t end = c_[at].next;
    bool has_others = false, has_reals = false;
    const std::size_t first_number = v_.numbers.size(), first_real = v_.reals.size();
    for (std::uint32_t i = at + 1; i < end;) {
      const node& n = c_[i];
      if (n.kind == node_kind::list) {
        has_others = true;
        ++i;
        continue;
      }
      const binding_kind named =
          n.kind == node_kind::name ? names_[n.value].kind : binding_kind::none;
      if (n.kind == node_kind::string || named == binding_kind::string ||
          named == binding_kind::list || named == binding_kind::integers ||
          named == binding_kind::reals) {
        has_others = true;
      } else {
        number x = {};
        if (!evaluate(c_, i, for_number, x)) b.is_known = false;
        b.varies = b.varies || x.varies;
        has_reals = has_reals || x.is_real;
        v_.numbers.push_back(x.integer);
        v_.reals.push_back(x.as_real());
      }
      i = n.next;
    }
    if (has_others || !b.is_known) {
      b.kind = binding_kind::list;
      v_.numbers.resize(first_number);
      v_.reals.resize(first_real);
      return b;
    }
    named_numbers l;
    l.first_real = static_cast<std::uint32_t>(first_real);
    l.first_number = static_cast<std::uint32_t>(first_number);
    l.count = static_cast<std::uint32_t>(v_.reals.size() - first_real);
    for (std::uint32_t i = 0; i < l.count; ++i) {
      const double x = v_.reals[first_real + i];
      std::int64_t& n = v_.numbers[first_number + i];
      if (has_reals) l.are_integers = to_integer(x, n) && l.are_integers;
      if (i == 0 || !(x >= l.least)) l.least = x;
      if (i == 0 || !(x <= l.greatest)) l.greatest = x;
      if (i == 0 || n < l.min_integer) l.min_integer = n;
      if (i == 0 || n > l.greatest_integer) l.greatest_integer = n;
    }
    if (!l.are_integers) v_.numbers.resize(first_number);
    b.kind = has_reals ? binding_kind::reals : binding_kind::integers;
    b.index = has_reals ? l.first_real : l.first_number;
    b.integer = names_.add_list(l);
    return b;
  }

  // Tasks ----------------------------------------------------------------------------------------

  [[gnu::cold]] void operand(std::uint32_t at, bool is_output) {
    const std::uint32_t value = at + 1;
    nem::operand o;
    o.node = at;
    if (c_[value].kind == node_kind::region) {
      o.region = evaluate_region(c_, value, no_node);
    } else {
      const binding& b = names_[c_[value].value];
      if (b.kind == binding_kind::region) {
        if (b.is_known) o.region = b.index;
      } else if (b.kind == binding_kind::none) {
        auto&& w = c_.report(errc::nem_nam_005_operand, value);
        w << "operand " << c_.name(value) << " isn't declared before this point";
        suggest(c_, w, c_.name(value), binding_kind::region);
      } else if (b.is_known) {
        (c_.report(errc::nem_nam_006_not_region, value)
         << "expected a region as operand, " << c_.name(value) << " is a " << name(b.kind))
                .note(head(c_, b.node))
            << c_.name(value) << " is declared here";
      }
    }
    if (c_[value].next < c_[at].next) check_decorators_of(at, on_operand);
    if (is_output && o.region != no_index) {
      const region& r = v_.regions[o.region];
      if (r.is_sound && r.has_strides && overlaps_itself(v_, r, work_))
        c_.report(errc::nem_reg_010_overlapping_elements, at)
            << "the task writes a region whose strides map several elements to the same bytes";
    }
    v_.operands.push_back(o);
  }

  /// Resolves names of tokens into values::deps.
  [[gnu::cold]] void tokens(std::uint32_t at) {
    names_.begin_list();
    for (const std::uint32_t i : children(c_.d, at)) {
      if (c_[i].kind != node_kind::name) continue;
      const std::uint32_t name_index = c_[i].value;
      const binding b = names_[name_index];
      if (!names_.first_in_list(name_index))
        c_.report(errc::nem_tok_007_repeated, i) << "duplicate token " << c_.name(i);
      else if (b.kind == binding_kind::token) {
        if (b.is_known) v_.deps.push_back(b.index);
      } else if (b.kind != binding_kind::none) {
        if (!b.is_known) continue;
        (c_.report(errc::nem_tok_004_kind, i)
         << "expected a token, " << c_.name(i) << " is a " << name(b.kind))
                .note(head(c_, b.node))
            << c_.name(i) << " is declared here";
      } else if (const std::uint32_t task = names_.task_of(name_index); task != no_node) {
        unseen_token(at, i, task);
      } else {
        auto&& w = c_.report(errc::nem_tok_001_unknown, i);
        w << "no task assigns token " << c_.name(i);
        suggest(c_, w, c_.name(i), binding_kind::token);
      }
    }
  }

  /// TOK-002: the token at `name` of a list, which the task assigns where it isn't visible.
  [[gnu::cold]] void unseen_token(std::uint32_t list, std::uint32_t name, std::uint32_t task) {
    const frame* loop = nullptr;  // that both are in
    for (const frame& f : frames_)
      if (task > f.node && task < c_[f.node].next) loop = &f;
    auto&& w = c_.report(errc::nem_tok_002_early, name);
    w << (task == at_ ? "the task depends on its own token " : "token ") << c_.name(name);
    if (task < at_) {
      (w << " is visible only inside its loop: all tasks of a loop are complete after its endloop")
              .note(head(c_, task))
          << c_.name(name) << " is assigned here";
      drop_token(w, list, name);
      return;
    }
    if (task > at_) w << " is assigned only later";
    if (loop != nullptr) {
      w << ": tokens are local to an iteration, and that of the iteration before isn't visible";
      if (loop->in_flight > 1) {
        w.note(head(c_, loop->node))
            << "up to " << loop->in_flight
            << " iterations overlap; with @max_in_flight(1) each begins after the one before it";
      } else {
        w.note(head(c_, loop->node))
            << "each iteration begins after the one before it is complete; no dependency is needed";
        drop_token(w, list, name);
      }
    } else if (task > at_) {
      w.note(head(c_, task)) << c_.name(name) << " is assigned here";
    }
  }
  /// Suggests a list of deps without one of its tokens. A wait for nothing isn't valid.
  template <class Out>
  [[gnu::cold]] void drop_token(Out& w, std::uint32_t list, std::uint32_t name) const {
    const std::uint32_t end = c_[list].next, next = c_[name].next;
    const std::uint32_t last = c_[name].offset + c_[name].length;
    std::uint32_t before = list;
    for (const std::uint32_t i : children(c_.d, list))
      if (i < name) before = i;
    if (next < end)
      w.fix({0, c_[name].offset, c_[next].offset - c_[name].offset}) << "";
    else if (before != list)
      w.fix(
          {0, c_[before].offset + c_[before].length, last - c_[before].offset - c_[before].length})
          << "";
    else if (c_[list].kind == node_kind::deps)
      w.fix({0, c_[name].offset, last - c_[name].offset}) << "";
  }

  void declare_token(std::uint32_t at, std::uint32_t index, bool is_known) {
    if (c_[at].value == no_name) return;
    binding b;
    b.kind = binding_kind::token;
    b.is_known = is_known;
    b.node = at;
    b.index = index;
    declare(c_, c_[at].value, b);
  }

  [[gnu::cold]] void wait(std::uint32_t at) {
    v_.operands.clear();
    v_.deps.clear();
    tokens(at);
    check_decorators_of(at, on_wait);
    if (c_[at].value != no_name) {
      c_.report(errc::nem_tok_005_wait, at)
          << "wait produces no token, so " << c_.name(at) << " can't name one";
      declare_token(at, 0, false);
    }
    to_.wait(at, view<std::uint32_t>(v_.deps));
  }

  [[gnu::cold]] void task(std::uint32_t at) {
    const node& n = c_[at];
    const marks before = mark();
    v_.operands.clear();
    v_.deps.clear();
    nem::task t;
    t.index = static_cast<std::uint32_t>(expanded_.tasks);
    t.node = at;
    t.mode = static_cast<mode>(n.detail);
    t.token = n.value;
    if (n.kind != node_kind::compute)
      t.opcode = n.kind == node_kind::transfer ? opcode::transfer : opcode::store;
    bool has_decorators = false;
    for (const std::uint32_t i : children(c_.d, at)) switch (c_[i].kind) {
        case node_kind::opcode: t.opcode = static_cast<opcode>(c_[i].detail); break;
        case node_kind::input:
        case node_kind::source:
          operand(i, false);
          ++t.inputs;
          break;
        case node_kind::output:
        case node_kind::destination:
          operand(i, true);
          ++t.outputs;
          break;
        case node_kind::deps: tokens(i); break;
        case node_kind::decorator: has_decorators = true; break;
        default: break;
      }
    if (n.kind != node_kind::compute && v_.operands.size() == 2 &&
        c_[v_.operands[0].node].kind == node_kind::destination) {
      const nem::operand destination = v_.operands[0];
      v_.operands[0] = v_.operands[1];
      v_.operands[1] = destination;
    }
    t.deps = static_cast<std::uint32_t>(v_.deps.size());
    if (has_decorators)
      check_decorators_of(at, n.kind == node_kind::compute ? on_compute : on_transfer);
    bind(c_, t);
    if (n.kind == node_kind::compute) {
      v_.attributes = {};
      evaluate_attributes(c_, at, t.opcode, v_.attributes);
    }
    to_.task(v_, t);
    take_back(before);
    declare_token(at, t.index, true);
    ++expanded_.tasks;
    if (!frames_.empty()) ++spent_;
    is_stopped_ = to_.stopped() || expanded_.tasks >= no_index - 1;
  }

  // Loops ----------------------------------------------------------------------------------------

  [[gnu::cold]] std::uint32_t begin_loop(std::uint32_t at) {
    const std::uint32_t first_at = at + 1, last_at = c_[first_at].next;
    frame f = {};
    f.node = at;
    f.in_flight = 1;
    f.was_first_visit = is_first_visit();
    const purpose bound = {"loop bounds must be integer"};
    const bool has_first = evaluate_integer(c_, first_at, bound, f.value);
    const bool has_last = evaluate_integer(c_, last_at, bound, f.last);
    f.is_known = has_first && has_last;
    if (f.is_known && f.last < f.value) {
      f.is_known = false;
      c_.report(errc::nem_lop_001_empty, last_at)
          << "the loop ends at " << f.last << ", before its start at " << f.value;
    }
    bool has_decorators = false;
    for (std::uint32_t i = c_[last_at].next; i < c_[at].next; i = c_[i].next) {
      has_decorators = has_decorators || c_[i].kind == node_kind::decorator;
      if (c_[i].kind == node_kind::body) {
        f.body = i;
        f.end = c_[i].next;
      }
    }
    if (has_decorators) {
      check_decorators_of(at, on_loop);
      f.in_flight = detail::in_flight(c_, at);
    }
    if (f.end == 0) return c_[at].next;
    if (!f.is_known) f.value = f.last = 0;
    f.before = mark();
    f.first = f.value;
    f.plan = no_index;
    if constexpr (is_checking && proves_loops<Visitor>)
      if (c_.options.proves) prepare(f);
    to_.loop(v_, at, f.value, f.last, f.in_flight);
    frames_.push_back(f);
    begin_iteration();
    return f.body + 1;
  }

  [[gnu::cold]] void begin_iteration() {
    const frame& f = frames_.back();
    ++expanded_.iterations;
    ++spent_;
    spent_nodes_ += f.end - f.body;
    names_.open();
    binding b;
    b.kind = binding_kind::loop_variable;
    b.node = f.node;
    b.is_known = f.is_known;
    b.varies = true;
    b.integer = f.value;
    declare(c_, c_[f.node].value, b);
    to_.iteration(f.node, f.value);
    is_stopped_ = is_stopped_ || to_.stopped();
  }

  [[nodiscard]] bool is_beyond(std::uint64_t factor, std::uint64_t more = 0) const noexcept {
    return spent_ > plus(times(max_, factor), more) ||
           spent_nodes_ > plus(times(max_nodes_, factor), times(more, 128));
  }

  // Loops that needn't be expanded ---------------------------------------------------------------

  /// Whether `times` iterations of so many instances and nodes are within what is left.
  [[nodiscard]] bool fits(std::uint64_t count, std::uint64_t instances,
                          std::uint64_t nodes) const noexcept {
    return plus(spent_, times(count, instances)) <= max_ &&
           plus(spent_nodes_, times(count, nodes)) <= max_nodes_;
  }
  /// Whether a body has loops, and otherwise how many tasks.
  [[nodiscard]] bool has_loops(const frame& f, std::uint64_t& tasks) const noexcept {
    tasks = 0;
    for (std::uint32_t i = f.body + 1; i < f.end; i = c_[i].next) {
      const node_kind k = c_[i].kind;
      if (k == node_kind::loop) return true;
      tasks += k == node_kind::transfer || k == node_kind::store || k == node_kind::compute;
    }
    return false;
  }
  /// Decides how a loop is visited that begins.
  [[gnu::cold]] void prepare(frame& f) {
    const frame* const outer = frames_.empty() ? nullptr : &frames_.back();
    const std::uint64_t count =
        plus(static_cast<std::uint64_t>(f.last) - static_cast<std::uint64_t>(f.first), 1);
    f.fits = outer != nullptr && outer->fits;
    f.is_apart = true;
    if (f.fits || !f.is_known) return;
    std::uint64_t tasks = 0;
    const bool is_inside = outer != nullptr && outer->plan != no_index;
    const bool has_inner = has_loops(f, tasks);
    f.fits = !has_inner && fits(count, tasks + 1, f.end - f.body);
    if (f.fits && !is_inside) return;
    f.is_apart = f.in_flight == 1 || !has_inner;
    if (!proof_.summarise(f.node, f.body, {f.first, f.last},
                          static_cast<std::uint64_t>(f.in_flight)))
      return;
    const loop_summary& s = proof_.summary();
    const std::uint64_t instances = plus(s.tasks(), s.iterations());
    f.fits = fits(count, instances, times(s.iterations(), f.end - f.body));
    if (f.fits && !is_inside) return;
    f.is_apart = f.is_apart || proof_.are_inner_apart();
    for (const frame& other : frames_)
      if (!other.is_apart) return;
    if (proof_.beginning() + proof_.ending() < count && proof_.prove()) make_plan(f);
  }
  void make_plan(frame& f) {
    const loop_summary& s = proof_.summary();
    const view<std::int64_t> extra = s.extra();
    const view<byte_range> written = proof_.written();
    f.plan = static_cast<std::uint32_t>(plans_.size());
    plans_.push_back({proof_.beginning(), proof_.ending(), extra_.size(), extra.size(),
                      written_.size(), written.size(), s.tasks(), s.iterations()});
    extra_.append(extra.data(), extra.size());
    written_.append(written.data(), written.size());
  }
  /// The iteration of a proven loop that follows the current one, which isn't the last.
  [[nodiscard]] std::int64_t next_visited(const frame& f) const noexcept {
    const plan& p = plans_[f.plan];
    const std::uint64_t done = static_cast<std::uint64_t>(f.value) -
                               static_cast<std::uint64_t>(f.first),
                        left = static_cast<std::uint64_t>(f.last) -
                               static_cast<std::uint64_t>(f.value);
    if (done + 1 < p.beginning || left <= p.ending) return f.value + 1;
    const std::int64_t end =
        f.last - static_cast<std::int64_t>(p.ending - 1);  // where the last ones begin
    for (std::size_t i = 0; i < p.extra; ++i)
      if (const std::int64_t x = extra_[p.first_extra + i]; x > f.value) return x < end ? x : end;
    return end;
  }
  /// Goes to the next iteration of a proven loop.
  void advance(frame& f) {
    const std::int64_t next = next_visited(f);
    const std::uint64_t skipped =
        static_cast<std::uint64_t>(next) - static_cast<std::uint64_t>(f.value) - 1;
    f.value = next;
    if (skipped == 0) return;
    const plan& p = plans_[f.plan];
    expanded_.proven_tasks = plus(expanded_.proven_tasks, times(skipped, p.tasks));
    expanded_.proven_iterations = plus(expanded_.proven_iterations, times(skipped, p.iterations));
    order_.begin_skip(!f.has_skipped);
    f.has_skipped = true;
  }
  void end_plan(const frame& f) {
    const plan p = plans_[f.plan];
    if (f.has_skipped) order_.end_skip(v_, {written_.data() + p.first_written, p.written});
    plans_.shrink(f.plan);
    extra_.shrink(p.first_extra);
    written_.shrink(p.first_written);
  }

  /// Returns the statement that follows: of the next iteration, or after the loop.
  [[gnu::cold]] std::uint32_t end_iteration() {
    frame& f = frames_.back();
    names_.close();
    take_back(f.before);
    ++f.done;
    const std::uint64_t left =
        static_cast<std::uint64_t>(f.last) - static_cast<std::uint64_t>(f.value);
    if (left != 0 && f.is_known && !is_stopped_) {
      const std::uint64_t start = times(static_cast<std::uint64_t>(f.in_flight), 2);
      const bool is_proven = f.plan != no_index;
      const bool is_cut = is_beyond(2, is_proven ? max_planned : 0);
      const bool is_skipping =
          !is_proven && left > 2 && is_beyond(1) && f.done >= start && f.done - start >= 4;
      if (is_cut || is_skipping) {
        expanded_.is_partial = true;
        auto w = c_.report(errc::nem_haz_005_partial, f.node);
        w << "the loop has ";
        if (f.done + left != 0)
          w << f.done + left;
        else
          w << "2^64";
        w << " iterations; only its first " << f.done
          << (is_cut ? " are checked" : " and last 2 are checked");
      }
      if (!is_cut) {
        if (is_proven)
          advance(f);
        else
          f.value = is_skipping ? f.last - 1 : f.value + 1;
        begin_iteration();
        return f.body + 1;
      }
    }
    const std::uint32_t next = c_[f.node].next;
    to_.end_loop(f.node);
    if (f.plan != no_index) end_plan(f);
    frames_.pop_back();
    return next;
  }

  context& c_;
  values& v_;
  Visitor& to_;
  scope names_;
  pool<frame> frames_;
  no_order no_order_;
  order& order_;  ///< for proofs
  loop_proof<order> proof_;
  pool<plan> plans_;  ///< of the loops that run
  pool<std::int64_t> extra_;
  pool<byte_range> written_;
  std::uint32_t at_ = 0;  ///< the statement
  expansion expanded_;
  std::uint64_t max_ = 0, max_nodes_ = 0;
  std::uint64_t spent_ = 0, spent_nodes_ = 0;  ///< inside of loops
  std::uint64_t work_ = std::uint64_t{1} << 22;
  bool is_stopped_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_WALK_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {

class program;

/// Checks all rules that reading doesn't.
result<program> verify(model d, const verify_options& options = {}, report* found = nullptr);

/// The type families and devices that a model defines and includes, whether it is valid or not, and
/// its target: an index of catalog::devices, or no_index.
[[nodiscard]] catalog load_catalog(const model& d, const verify_options& options,
                                   std::uint32_t& target);

/// A model without errors, and what its names of files, families and devices refer to.
class program {
 public:
  [[nodiscard]] const nem::model& model() const& noexcept { return model_; }
  const nem::model& model() const&& = delete;
  [[nodiscard]] const nem::catalog& catalog() const& noexcept { return catalog_; }
  const nem::catalog& catalog() const&& = delete;
  /// The device that it is written for, or null where it names none.
  [[nodiscard]] const device* target() const& noexcept {
    return target_ == no_index ? nullptr : &catalog_.devices[target_];
  }
  const device* target() const&& = delete;
  /// The profile in which it was verified.
  [[nodiscard]] nem::profile profile() const noexcept { return profile_; }
  /// Tasks and iterations that were expanded and checked one by one.
  [[nodiscard]] std::uint64_t tasks() const noexcept { return expanded_.tasks; }
  [[nodiscard]] std::uint64_t iterations() const noexcept { return expanded_.iterations; }
  /// Those of large loops for which the rules are proven to hold, without being expanded; at most
  /// 2^64 - 1.
  [[nodiscard]] std::uint64_t proven_tasks() const noexcept { return expanded_.proven_tasks; }
  [[nodiscard]] std::uint64_t proven_iterations() const noexcept {
    return expanded_.proven_iterations;
  }
  /// Whether loops have more iterations than were checked or proven: the others may hold errors.
  [[nodiscard]] bool is_partial() const noexcept { return expanded_.is_partial; }
  /// Whether hazards were searched in all of its tasks.
  [[nodiscard]] bool has_all_hazards() const noexcept {
    return !expanded_.is_partial && !has_ended_search_;
  }
  /// How many tasks can be issued and not complete, at most (specification, "SEQ.max_active_tokens").
  [[nodiscard]] std::uint64_t max_live_tokens() const noexcept { return max_live_tokens_; }

 private:
  friend result<program> verify(nem::model, const verify_options&, report*);
  program() = default;

  nem::model model_;
  nem::catalog catalog_;
  std::uint32_t target_ = no_index;
  nem::profile profile_ = nem::profile::standard;
  detail::expansion expanded_;
  std::uint64_t max_live_tokens_ = 0;
  bool has_ended_search_ = false;
};

/// Expands a program: loops fully, or to about `max` tasks and iterations as verify() does. Its
/// visitor derives from nem::visitor and may end it by stopped(). Iterations that weren't verified may
/// have regions that aren't sound.
template <class Visitor>
void for_each_task(const program& p, Visitor& to, std::uint64_t max = ~std::uint64_t{0}) {
  const verify_options options;
  detail::findings silent(nullptr, p.profile(), 0);
  detail::context c{p.model(), options, silent, p.catalog(), p.target()};
  (void)detail::walker<Visitor, false>(c, to, max).run();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_VERIFY_HPP

// ---- tessera/nem/write.hpp
//
// A NEM model as a file, in canonical text that is the same for all models that mean the same; and its
// syntax tree as JSON, for tools.
//
//   auto text = nem::write(model);
//   if (!text) return fail(describe(text.error(), …));
//   tessera::text json = nem::write_json(model);
//
// Canonical text is what nem/print.hpp prints of a model. A model that was built in code, without places, may have
// names that no text can have, or constructs where the grammar has none: its text is read again, and
// refused where that fails.
//
//   {
//     "format": "nem-ast",
//     "version": 1,
//     "nodes": [
//       {
//         "kind": "let",
//         "range": [0, 13],
//         "name": "a",
//         "children": [
//           {"kind":"add","range":[8,5],"left":{…},"right":{…}}
//
//   kind       as in nem/model.hpp; an expression is its outermost operator
//   range      offset and length in bytes; a length of 65,535 means that or more
//   name       of what has one; of a task its token, if it has one
//   path       of include and device_file
//   value      of integer, real, string and spec_version
//   level, mode, element, form, field, conformance     by kind
//   left and right, operand                            of operators
//   children   all else, in the order of nem/model.hpp; missing if there are none
//
// Expressions, and nodes without children, are on one line. What tools don't know they can skip: a
// later version 1 may add fields, and a change of these is a version 2.
//
// Lifetime:   the text owns itself.
// Errors:     of a model that was built in code: those of read; the offset counts in its text.
// Limits:     none; no recursion. Objects of JSON are as deep as the model, or an expression, is.
// Allocation: the text; of a model that was built in code, what reading it takes; for JSON 16 bytes
//             per operand of the largest expression.

#ifndef TESSERA_NEM_WRITE_HPP
#define TESSERA_NEM_WRITE_HPP


namespace tessera::inline TESSERA_ABI {
namespace nem {

/// Options for canonical text.
struct write_options {
  /// Writes (0 - 3) for -3, which the grammar of the specification can't derive.
  bool strict_ebnf = false;
};

/// The canonical text of a model; empty for an empty one.
[[nodiscard]] result<text> write(const model& d, const write_options& options = {});

/// The tree of a model as JSON, with a newline at its end.
[[nodiscard]] text write_json(const model& d);

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_NEM_WRITE_HPP

#endif  // TESSERA_NEM_HPP

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

// ---- tessera/core/detail/report.hpp
//
// The bodies of core/report.hpp.

#ifndef TESSERA_CORE_DETAIL_REPORT_HPP
#define TESSERA_CORE_DETAIL_REPORT_HPP


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

#if !defined(TESSERA_COMPILED) || defined(TESSERA_IMPLEMENTATION)

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
#endif

#endif  // TESSERA_CORE_JSON_PATH_HPP

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

// ---- tessera/nem/detail/model.hpp
//
// The bodies of nem/model.hpp.

#ifndef TESSERA_NEM_DETAIL_MODEL_HPP
#define TESSERA_NEM_DETAIL_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE std::string_view model::name(std::uint32_t index) const& noexcept {
  const string s = names[index];
  return {characters.data() + s.first, s.size};
}

TESSERA_INLINE std::string_view name_of(const model& d, std::uint32_t i) noexcept {
  const node& n = d.nodes[i];
  return has_name(n.kind) && n.value != no_name ? d.name(n.value) : std::string_view();
}

TESSERA_INLINE std::uint32_t child(const model& d, std::uint32_t parent, node_kind k) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k) return c;
  return no_node;
}

TESSERA_INLINE std::uint32_t child(const model& d, std::uint32_t parent, node_kind k,
                                   std::uint8_t detail) noexcept {
  for (const std::uint32_t c : children(d, parent))
    if (d.nodes[c].kind == k && d.nodes[c].detail == detail) return c;
  return no_node;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_MODEL_HPP

// ---- tessera/nem/detail/syntax/builder.hpp
//
// The bodies of nem/builder.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP

#include <bit>
#include <cstdint>
#include <string_view>


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

// ---- tessera/nem/detail/syntax/print.hpp
//
// The bodies of nem/print.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>


// ---- tessera/nem/detail/syntax/print_config.hpp
//
// Type families and devices of NEM as canonical text.
//
//   type_family cast<T: {f16, f32}> {         device d extends e {
//     src: T                                    spec_version = "1.0"
//     quant = absent                            topology {
//     variants:                                   num_engines = 1
//       default: { B: absent }                    l2_size_bytes = 64
//         conformance: { MUST <f16> MAY }         device_units {
//   }                                               sDMA = 1
//                                                 }
//                                                 per_engine {
//                                                   …
//
// Each binding, variant, conformance, number and reference has a line of its own, and so has each
// brace that closes. Operands stand before other bindings, the parts of a device in the order of
// the grammar. A template for what takes the lines, as those of construct_printer.
//
// Lifetime:   borrows the model and the lines.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP

#include <cstdint>
#include <initializer_list>
#include <string_view>


// ---- tessera/nem/detail/syntax/print_expression.hpp
//
// Values of NEM as canonical text: numbers, strings, lists and expressions.
//
//   nem::detail::value_printer values(d, {});
//   values.print(out, let + 1);                // (i mod 2) * 64
//
//   number        7, and 0.5, 1.0e-5: the shortest digits that read back, on both sides of a point
//   string        "…" with \\ \" \n \t
//   list          [1, [2, 3]]
//   left operand  bare:         a * b  before + - *,  a + b and a - b  before + -,  -a
//                 parentheses:  all else, so always around / and mod
//   right operand parentheses around anything with an operator
//
// So a reader without precedence gets the same value as one with it. Where an expression is so deep
// that these parentheses would go over what readers accept, it gets only those that precedence
// needs, no more than it was read with.
//
// Lifetime:   a printer borrows the model.
// Errors:     none.
// Limits:     none; no recursion.
// Allocation: up to 16 bytes an operand of the largest expression, besides the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

namespace detail {

/// How deep parentheses, signs and lists may stand inside one another.
inline constexpr std::uint32_t readable_nesting = 256;

/// A finite number, not below zero, as the language writes them. What is infinite gets a number
/// that reads back as infinity.
inline void append_real(text& out, double v) {
  if (!(v <= DBL_MAX)) {
    out << "1.0e999";
    return;
  }
  char digits[double_capacity];
  const char* const end = put_double(digits, v, double_style::python);
  std::string_view number(digits, static_cast<std::size_t>(end - digits));
  std::size_t exponent = 0;
  while (exponent < number.size() && number[exponent] != 'e') ++exponent;
  if (exponent == number.size()) {
    out << number;
    return;
  }
  const std::string_view mantissa = number.substr(0, exponent);
  out << mantissa << (mantissa.find('.') == std::string_view::npos ? ".0e" : "e");
  number.remove_prefix(exponent + 1);
  if (number.front() == '-') out << '-';
  number.remove_prefix(1);
  while (number.front() == '0') number.remove_prefix(1);
  out << number;
}

inline void append_string(text& out, std::string_view s) {
  out << '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (c != '"' && c != '\\' && c != '\n' && c != '\t') continue;
    out << s.substr(plain, i - plain) << '\\' << (c == '\n' ? 'n' : c == '\t' ? 't' : c);
    plain = i + 1;
  }
  out << s.substr(plain) << '"';
}

[[nodiscard]] constexpr bool is_sum(node_kind k) noexcept {
  return k == node_kind::add || k == node_kind::subtract;
}
[[nodiscard]] constexpr bool is_binary(node_kind k) noexcept {
  return is_operator(k) && !is_unary(k);
}

/// Where the operands of an expression's operators stand: those of the operator `at` are at
/// `at - 1` and, if it has two, at `left(at)`.
class expression_index {
 public:
  void assign(const model& d, std::uint32_t expression) {
    root_ = expression;
    const std::uint32_t count = d.nodes[expression].next - expression - 1;
    first_.clear();
    first_.reserve(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      const node_kind kind = d.nodes[expression + 1 + k].kind;
      first_.push_back(!is_operator(kind)          ? k
                       : kind == node_kind::negate ? first_[k - 1]
                                                   : first_[first_[k - 1] - 1]);
    }
  }
  [[nodiscard]] std::uint32_t left(std::uint32_t at) const noexcept {
    return root_ + first_[at - root_ - 2];  // what ends before the right operand begins
  }

 private:
  std::uint32_t root_ = 0;
  pool<std::uint32_t> first_;  // where the part that ends with an operand or operator begins
};

class value_printer {
 public:
  value_printer(const model& d, const print_options& options) noexcept
      : d_(d), strict_(options.strict_ebnf) {}

  /// A number, name, string, list or expression.
  void print(text& out, std::uint32_t value) {
    const std::uint32_t end = d_.nodes[value].next;
    bool is_first = true;
    lists_.clear();
    for (std::uint32_t i = value;;) {
      while (!lists_.empty() && lists_.back() == i) {
        lists_.pop_back();
        out << ']';
      }
      if (i >= end) return;
      if (!is_first) out << ", ";
      const node& n = d_.nodes[i];
      is_first = n.kind == node_kind::list;
      if (is_first) {
        out << '[';
        lists_.push_back(n.next);
        if (n.next == ++i) is_first = false;
        continue;
      }
      if (n.kind == node_kind::expression)
        print_expression(out, i, static_cast<std::uint32_t>(lists_.size()));
      else
        print_primary(out, n);
      i = n.next;
    }
  }
  /// The children of a node, with commas.
  void print_children(text& out, std::uint32_t parent) {
    std::string_view comma;
    for (const std::uint32_t c : children(d_, parent)) {
      if (d_.nodes[c].kind == node_kind::decorator) break;  // of a wait, after its tokens
      out << comma;
      print(out, c);
      comma = ", ";
    }
  }

 private:
  enum class part : std::uint8_t { operand, in_parentheses, operator_, close };
  struct pending {
    std::uint32_t at;
    part what;
  };

  void print_primary(text& out, const node& n) {
    switch (n.kind) {
      case node_kind::integer:
      case node_kind::wide_integer: out << d_.integer(n); break;
      case node_kind::real: append_real(out, d_.reals[n.value]); break;
      case node_kind::string: append_string(out, d_.name(n.value)); break;
      default: out << d_.name(n.value);
    }
  }

  [[nodiscard]] node_kind kind(std::uint32_t at) const noexcept { return d_.nodes[at].kind; }
  [[nodiscard]] bool left_needs_parentheses(node_kind left, node_kind outer) const noexcept {
    if (!is_binary(left)) return false;
    if (is_minimal_) return is_sum(left) && !is_sum(outer);
    if (left == node_kind::multiply) return !is_sum(outer) && outer != node_kind::multiply;
    return !is_sum(left) || !is_sum(outer);
  }
  [[nodiscard]] bool right_needs_parentheses(node_kind right, node_kind outer) const noexcept {
    if (is_minimal_) return is_binary(right) && (is_sum(right) || !is_sum(outer));
    return is_binary(right) || (right == node_kind::negate && !strict_);
  }

  /// How deep the text of an expression would be, with its signs.
  [[nodiscard]] std::uint32_t nesting(std::uint32_t first, std::uint32_t end) {
    depths_.clear();
    depths_.reserve(end - first);
    for (std::uint32_t at = first; at < end; ++at) {
      const node_kind k = kind(at);
      std::uint32_t depth = 0;
      if (is_operator(k)) {
        depth = depths_[at - 1 - first];
        if (k == node_kind::negate) {
          depth += is_binary(kind(at - 1)) ? 2u : 1u;
        } else {
          const std::uint32_t l = index_.left(at);
          std::uint32_t other = depths_[l - first];
          if (right_needs_parentheses(kind(at - 1), k)) ++depth;
          if (left_needs_parentheses(kind(l), k)) ++other;
          if (other > depth) depth = other;
        }
      }
      depths_.push_back(depth);
    }
    return depths_.back();
  }

  void print_expression(text& out, std::uint32_t expression, std::uint32_t lists) {
    const std::uint32_t first = expression + 1, end = d_.nodes[expression].next;
    index_.assign(d_, expression);
    is_minimal_ = false;
    if (end - first + lists > readable_nesting)
      is_minimal_ = nesting(first, end) + lists > readable_nesting;
    parts_.clear();
    parts_.push_back({end - 1, part::operand});
    while (!parts_.empty()) {
      const pending p = parts_.back();
      parts_.pop_back();
      const node& n = d_.nodes[p.at];
      if (p.what == part::close) {
        out << ')';
        continue;
      }
      if (p.what == part::operator_) {
        out << ' ' << operator_text(n.kind) << ' ';
        continue;
      }
      if (p.what == part::in_parentheses) {
        out << '(';
        parts_.push_back({p.at, part::close});
      }
      if (!is_operator(n.kind)) {
        print_primary(out, n);
      } else if (n.kind == node_kind::negate) {
        out << (strict_ ? "(0 - " : "-");
        if (strict_) parts_.push_back({p.at, part::close});
        parts_.push_back(
            {p.at - 1, is_binary(kind(p.at - 1)) ? part::in_parentheses : part::operand});
      } else {
        const std::uint32_t left = index_.left(p.at), right = p.at - 1;
        parts_.push_back({right, right_needs_parentheses(kind(right), n.kind) ? part::in_parentheses
                                                                              : part::operand});
        parts_.push_back({p.at, part::operator_});
        parts_.push_back({left, left_needs_parentheses(kind(left), n.kind) ? part::in_parentheses
                                                                           : part::operand});
      }
    }
  }

  const model& d_;
  bool strict_, is_minimal_ = false;
  pool<std::uint32_t> lists_, depths_;
  expression_index index_;
  pool<pending> parts_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_EXPRESSION_HPP

// ---- tessera/nem/detail/syntax/print_lines.hpp
//
// Where the lines of canonical text go: what the printer of constructs says of each line.
//
//   nem::detail::plain_lines lines;
//   lines.begin(node.offset, 2, line_role::item) << "let a = 1";
//   lines.close(0) << "endloop";
//   text out = lines.finish();
//
//   begin          a line for what begins at an offset of the source
//   begin_heading  a line for a word without a node, the first after an offset
//   close          a line for what closes a block: endloop or a brace
//   opened         the line opens a block
//   pass_closer    the line holds a brace that closes
//   has_comment    whether a comment's next token begins between two offsets
//
// Plain lines need none of this but the text; those of `reformat` put comments between them.
//
// Lifetime:   what begin returns is for the line alone.
// Errors:     none.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP

#include <cstdint>
#include <cstring>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Items may have a blank line before them; other lines continue one.
enum class line_role : std::uint8_t { item, continuation };
inline constexpr std::uint32_t no_offset = 0xffffffff;

inline void append_indent(text& out, std::uint32_t indent) {
  if (indent == 0) return;  // there may be no memory yet
  std::memset(out.prepare(indent), ' ', indent);
  out.advance(indent);
}

class plain_lines {
 public:
  text& begin(std::uint32_t, std::uint32_t indent, line_role) {
    if (!out_.empty()) out_ << '\n';
    append_indent(out_, indent);
    return out_;
  }
  text& begin_heading(std::uint32_t, std::uint32_t indent, line_role role) {
    return begin(0, indent, role);
  }
  text& close(std::uint32_t indent) { return begin(0, indent, line_role::item); }
  void opened() noexcept {}
  void pass_closer() noexcept {}
  [[nodiscard]] bool has_comment(std::uint32_t, std::uint32_t) const noexcept { return false; }
  [[nodiscard]] text finish() {
    if (!out_.empty()) out_ << '\n';
    return std::move(out_);
  }

 protected:
  text out_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_LINES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

template <class Lines>
class config_printer {
 public:
  config_printer(const model& d, Lines& lines, value_printer& values) noexcept
      : d_(d), lines_(lines), values_(values) {}

  void print_family(std::uint32_t family) {
    keeps_ = keeps_order(family);
    text& head = lines_.begin(d_.nodes[family].offset, 0, line_role::item);
    head << "type_family " << name(family);
    std::string_view between = "<";
    for (const std::uint32_t c : children(d_, family)) {
      if (kind(c) != node_kind::type_parameter) continue;
      head << between << name(c) << ": {";
      print_list(head, c);
      head << '}';
      lines_.pass_closer();
      between = ", ";
    }
    head << (between == ", " ? "> {" : " {");
    lines_.opened();
    std::uint32_t last = d_.nodes[family].offset;  // where the last part before the variants begins
    in_order(family, {node_kind::binding, node_kind::condition}, [&](std::uint32_t c) {
      text& out = lines_.begin(d_.nodes[c].offset, 2, line_role::item);
      print_binding(out, c);
      if (d_.nodes[c].offset > last) last = d_.nodes[c].offset;
    });
    lines_.begin_heading(last, 2, line_role::item) << "variants:";
    lines_.opened();
    in_order(family, {node_kind::variant}, [this](std::uint32_t c) { print_variant(c); });
    lines_.close(0) << '}';
  }

  void print_device(std::uint32_t device) {
    keeps_ = keeps_order(device);
    text& head = lines_.begin(d_.nodes[device].offset, 0, line_role::item);
    head << "device " << name(device);
    const std::uint32_t parent = child(d_, device, node_kind::extends);
    if (parent != no_node) head << " extends " << name(parent);
    head << " {";
    lines_.opened();
    in_order(device,
             {node_kind::spec_version, node_kind::topology, node_kind::unit_characteristics,
              node_kind::mandatory, node_kind::extended},
             [this](std::uint32_t c) { print_block(c); });
    lines_.close(0) << '}';
  }

 private:
  [[nodiscard]] node_kind kind(std::uint32_t i) const noexcept { return d_.nodes[i].kind; }
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d_.name(d_.nodes[i].value);
  }
  /// Whether there is a comment between the braces, so that parts stay where they are.
  [[nodiscard]] bool keeps_order(std::uint32_t construct) const noexcept {
    for (const std::uint32_t c : children(d_, construct)) {
      if (kind(c) == node_kind::type_parameter || kind(c) == node_kind::extends) continue;
      const std::uint32_t next = d_.nodes[construct].next;
      return lines_.has_comment(d_.nodes[c].offset,
                                next < d_.nodes.size() ? d_.nodes[next].offset - 1 : no_offset - 1);
    }
    return false;
  }
  /// The children of these kinds, in this order or in that of the file.
  template <class Print>
  void in_order(std::uint32_t parent, std::initializer_list<node_kind> order, Print print) {
    if (keeps_) {
      for (const std::uint32_t c : children(d_, parent))
        for (const node_kind k : order)
          if (kind(c) == k) print(c);
      return;
    }
    for (const node_kind k : order)
      for (const std::uint32_t c : children(d_, parent))
        if (kind(c) == k) print(c);
  }

  /// Element types with commas.
  void print_list(text& out, std::uint32_t parent) const {
    std::string_view comma;
    for (const std::uint32_t c : children(d_, parent)) {
      if (kind(c) != node_kind::element_type) continue;
      out << comma << nem::name(static_cast<element>(d_.nodes[c].detail));
      comma = ", ";
    }
  }
  /// An element type or a name.
  void print_type(text& out, std::uint32_t i) const {
    if (kind(i) == node_kind::element_type)
      out << nem::name(static_cast<element>(d_.nodes[i].detail));
    else
      out << name(i);
  }
  /// X: T, or quant = required on W.
  void print_binding(text& out, std::uint32_t i) const {
    out << name(i) << (kind(i) == node_kind::binding ? ": " : " = ");
    for (const std::uint32_t c : children(d_, i)) {
      if (kind(c) == node_kind::on)
        out << " on " << name(c);
      else
        print_type(out, c);
    }
  }
  void print_variant(std::uint32_t variant) {
    text& head = lines_.begin(d_.nodes[variant].offset, 4, line_role::item);
    head << name(variant) << ": {";
    std::string_view blank = " ";
    std::uint32_t last = d_.nodes[variant].offset;
    for (const std::uint32_t c : children(d_, variant)) {
      if (kind(c) != node_kind::binding) continue;
      head << ' ';
      print_binding(head, c);
      last = d_.nodes[c].offset;
      blank = "";
    }
    head << (blank.empty() ? " }" : "}");
    lines_.pass_closer();
    text& out = lines_.begin_heading(last, 6, line_role::continuation);
    out << "conformance: {";
    blank = "";
    for (const std::uint32_t c : children(d_, variant)) {
      if (kind(c) != node_kind::conformance) continue;
      blank = " ";
      out << (d_.nodes[c].detail != 0 ? " MUST" : " MAY");
      if (d_.nodes[c].next == c + 1) continue;
      out << " <";
      print_list(out, c);
      out << '>';
    }
    out << blank << '}';
    lines_.pass_closer();
  }

  void print_block(std::uint32_t block) {
    if (kind(block) == node_kind::spec_version) {
      text& out = lines_.begin(d_.nodes[block].offset, 2, line_role::item);
      out << "spec_version = ";
      append_string(out, name(block));
      return;
    }
    const node_kind k = kind(block);
    open(block, 2,
         k == node_kind::topology               ? "topology"
         : k == node_kind::unit_characteristics ? "unit_characteristics"
         : k == node_kind::mandatory            ? "opcode.mandatory"
                                                : "opcode.extended");
    if (k == node_kind::topology) {
      in_order(block,
               {node_kind::num_engines, node_kind::l2_size, node_kind::device_units,
                node_kind::per_engine},
               [this](std::uint32_t c) { print_topology_part(c); });
    } else if (k == node_kind::unit_characteristics) {
      for (const std::uint32_t group : children(d_, block)) {
        open(group, 4, name(group));
        for (const std::uint32_t c : children(d_, group)) print_number(c, 6, name(c));
        lines_.close(4) << '}';
      }
    } else {
      for (const std::uint32_t c : children(d_, block)) print_reference(c);
    }
    lines_.close(2) << '}';
  }
  void print_topology_part(std::uint32_t i) {
    const node_kind k = kind(i);
    if (k == node_kind::num_engines) return print_number(i, 4, "num_engines");
    if (k == node_kind::l2_size) return print_number(i, 4, "l2_size_bytes");
    open(i, 4, k == node_kind::device_units ? "device_units" : "per_engine");
    in_order(i, {node_kind::unit, node_kind::l1_size}, [this](std::uint32_t c) {
      print_number(c, 6, kind(c) == node_kind::unit ? name(c) : "l1_size_bytes");
    });
    lines_.close(4) << '}';
  }
  void open(std::uint32_t block, std::uint32_t indent, std::string_view word) {
    lines_.begin(d_.nodes[block].offset, indent, line_role::item) << word << " {";
    lines_.opened();
  }
  void print_number(std::uint32_t i, std::uint32_t indent, std::string_view word) {
    text& out = lines_.begin(d_.nodes[i].offset, indent, line_role::item);
    out << word << " = ";
    values_.print_children(out, i);
  }
  /// quantize<f16, i8>.default
  void print_reference(std::uint32_t i) {
    text& out = lines_.begin(d_.nodes[i].offset, 4, line_role::item);
    out << name(i);
    bool has_types = false;
    for (const std::uint32_t c : children(d_, i))
      has_types = has_types || kind(c) == node_kind::element_type;
    if (has_types) {
      out << '<';
      print_list(out, i);
      out << '>';
    }
    for (const std::uint32_t c : children(d_, i))
      if (kind(c) == node_kind::name) out << '.' << name(c);
  }

  const model& d_;
  Lines& lines_;
  value_printer& values_;
  bool keeps_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_CONFIG_HPP

// ---- tessera/nem/detail/syntax/print_resolved.hpp
//
// What a verified program's declarations and tasks resolve to, as comments of its canonical text.
//
//   buffer A : L1[0] (size=N * 8, align=64)  # 64 bytes, aligned to 64
//   loop i in [0..N / 2]:  # i from 0 to 4
//     let X = region(A, i * 8, 8)  # bytes 0 to 7 of A, i8 [8] where i is 0
//         elem=i8, shape=[8]
//
// Of a loop it is the first iteration.
//
// Lifetime:   borrows the program.
// Errors:     none.
// Limits:     none.
// Allocation: 8 bytes for each node, and the texts.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/rules/verify.hpp
//
// The bodies of nem/verify.hpp.

#ifndef TESSERA_NEM_DETAIL_RULES_VERIFY_HPP
#define TESSERA_NEM_DETAIL_RULES_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/nem/detail/errors.hpp
//
// The names and messages of NEM's codes, made known to core.

#ifndef TESSERA_NEM_DETAIL_ERRORS_HPP
#define TESSERA_NEM_DETAIL_ERRORS_HPP


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text, ...) {errc::name, #name, text},
    TESSERA_NEM_RULES(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors =
    tessera::detail::table_of(4) = {error_rows, sizeof error_rows / sizeof error_rows[0]};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ERRORS_HPP

// ---- tessera/nem/detail/rule.hpp
//
// The bodies of nem/rule.hpp.

#ifndef TESSERA_NEM_DETAIL_RULE_HPP
#define TESSERA_NEM_DETAIL_RULE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE rule::rule(errc code) noexcept {
  const std::string_view name = error{code}.name();
  if (name.size() < 4 || name.substr(0, 4) != "nem_") return;
  const bool is_run = name.substr(4, 3) == "rt_";  // nothing but the id
  while (size_ < (is_run ? sizeof id_ : 7) && size_ + 4 < name.size()) {
    const char c = name[4 + size_];
    id_[size_++] = c == '_' ? '-' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
}

}  // namespace nem
namespace nem::detail {

[[gnu::cold]] TESSERA_INLINE auto findings::add(errc code, place where) -> writer {
  if (!first_time(code, where)) return writer(nullptr);
  return tessera::detail::findings::add(code, severity_of(code, profile_), where, rule(code).id());
}

TESSERA_INLINE void findings::mark_nodes() noexcept {
  for (diagnostic& d : to_->diagnostics)
    for (place* const p : {&d.where, &d.related, &d.fix})
      if (p->file == 0 && p->length != 0) p->index = error_index::node;
  if (failed()) first_.index = error_index::node;
}

TESSERA_INLINE bool findings::first_time(errc code, const place& where) {
  return seen_
      .find(where.offset << 32 | std::uint64_t{where.file} << 16 | static_cast<std::uint64_t>(code))
      .is_new;
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULE_HPP

// ---- tessera/nem/detail/device/load.hpp
//
// Loads what a program's types depend on: included files, type families, devices, the target.
//
//   nem::catalog c;
//   std::uint32_t target;
//   nem::detail::load(model, options, findings, c, target);
//   if (target != nem::no_index) use(c.devices[target]);     // resolved: lists all that it inherits
//
//   include         by options.resolver, else a baseline file by its base name     INC
//   type_family     joins the built-in ones                                        FDL
//   device          with its parent's fields                                       DEV
//   the directive   device "file", device NAME, or a device in the program itself  DEV-003, 016, 017
//
// Included files come first, in order, each once; then the families of a file, then its devices. All
// that was loaded is visible to what comes later. The built-in families are there without any
// include, and can be replaced (load_family.hpp); the baseline devices have to be included.
// options.device and options.device_file give the target in place of what the directive names; that
// file is loaded last. A model without a program has no target otherwise. Nor is there one after an error in it or in its parents: the program is
// taken as one for any device, so that one error doesn't cause others.
//
// Lifetime:   borrows while it runs; what the resolver gives must last as long.
// Errors:     findings; those in an included file have its index in report::files, plus 1.
// Limits:     options.max_include_depth; 4,096 files; names of 4 GiB in all.
// Allocation: linear in the files; the trees of those that include one another at the same time.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/nem/detail/syntax/read.hpp
//
// The bodies of nem/read.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/nem/detail/syntax/lexer.hpp
//
// Characters and words of NEM: what a reader sees of a source, one token ahead.
//
//   nem::detail::lexer in("const A = 1");
//   nem::detail::word w = in.peek_word();     // "const"
//   nem::detail::keyword_of(w);               // keyword::const_
//   in.take_word(w);                          // now at A
//
//   blank     space, tab, CR, LF, and comments from # to the end of the line
//   word      A-Z a-z 0-9 _, not beginning with a digit
//   number    digits, or digits.digits with an exponent or none
//   string    "…" on one line, escapes \n \t \\ \"
//   others    . .. , : ; = ( ) [ ] { } < > @ + - * /
//
// There are no token objects: the reader knows what may follow and looks at the character. Words are
// distinguished by their first eight bytes as one number.
//
// Lifetime:   borrows the source.
// Errors:     none; the reader reports.
// Limits:     sources below 4 GiB.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


// ---- tessera/nem/detail/syntax/word.hpp
//
// Words of a NEM source, sixteen characters at once.
//
//   const nem::detail::word w = nem::detail::scan_word(p, end);   // p is at a letter or _
//   w.key == nem::detail::make_key("let");                          // of words up to eight characters
//
// Where a word ends comes from one comparison of sixteen bytes; its characters as two numbers make
// comparing and hashing names cheap.
//
// Lifetime:   a word borrows the source.
// Errors:     none.
// Limits:     words below 4 GiB.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A word of the source.
struct word {
  const char* first = nullptr;
  std::uint32_t size = 0;
  std::uint64_t key = 0;   ///< its first eight bytes, the first lowest
  std::uint64_t more = 0;  ///< the eight after them
  [[nodiscard]] std::string_view text() const noexcept { return {first, size}; }
  [[nodiscard]] const char* last() const noexcept { return first + size; }
};

/// The first eight bytes of a word as a number, the first lowest.
[[nodiscard]] constexpr std::uint64_t key_of(std::string_view s) noexcept {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < s.size() && i < 8; ++i)
    key |= std::uint64_t{static_cast<unsigned char>(s[i])} << 8 * i;
  return key;
}
/// The same of a word that is known, always a constant: GCC leaves calls of constexpr functions.
[[nodiscard]] consteval std::uint64_t make_key(std::string_view s) noexcept { return key_of(s); }

using byte_lanes [[gnu::vector_size(16)]] = unsigned char;
using truth_lanes [[gnu::vector_size(16)]] = signed char;

/// How many of sixteen truths, from the first on, hold.
[[nodiscard]] inline unsigned leading_anywhere(truth_lanes holds) noexcept {
  char raw[16];
  std::memcpy(raw, &holds, 16);
  const auto low = static_cast<unsigned>(std::countr_one(load_le<std::uint64_t>(raw)));
  if (low < 64) return low / 8;
  return 8 + static_cast<unsigned>(std::countr_one(load_le<std::uint64_t>(raw + 8))) / 8;
}
[[nodiscard, gnu::always_inline]] inline unsigned leading(truth_lanes holds) noexcept {
#if defined(__SSE2__)
  using char_lanes [[gnu::vector_size(16)]] = char;
  const int bits = __builtin_ia32_pmovmskb128(std::bit_cast<char_lanes>(holds));
  return static_cast<unsigned>(__builtin_ctz(~static_cast<unsigned>(bits)));  // at most 16
#else
  return leading_anywhere(holds);
#endif
}
/// How many of the sixteen bytes at `p` belong to a word.
[[nodiscard, gnu::always_inline]] inline unsigned word_bytes(const char* p) noexcept {
  byte_lanes x;
  std::memcpy(&x, p, 16);
  // Ranges end at 0x7f then, so that one signed comparison finds them.
  const auto letters = std::bit_cast<truth_lanes>((x | 0x20) + (0x7f - 'z'));
  const auto digits = std::bit_cast<truth_lanes>(x + (0x7f - '9'));
  return leading((letters > 0x7f - 26) | (digits > 0x7f - 10) | (x == '_'));
}
/// How many of them are blanks.
[[nodiscard, gnu::always_inline]] inline unsigned blank_bytes(const char* p) noexcept {
  byte_lanes x;
  std::memcpy(&x, p, 16);
  return leading((x == ' ') | (x == '\n') | (x == '\t') | (x == '\r'));
}

/// What of eight bytes, and of the eight after them, belongs to a word of 0 to 16.
struct word_masks {
  std::uint64_t key[17], more[17];
};
[[nodiscard]] consteval word_masks make_word_masks() noexcept {
  word_masks m{};
  for (unsigned i = 0; i <= 16; ++i) {
    m.key[i] = i >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * i) - 1;
    m.more[i] = i == 16 ? ~std::uint64_t{0} : i > 8 ? (std::uint64_t{1} << 8 * (i - 8)) - 1 : 0;
  }
  return m;
}
inline constexpr word_masks masks_of_words = make_word_masks();

/// The characters of `s` as a word, which needn't be one.
[[nodiscard]] inline word word_of(std::string_view s) noexcept {
  char raw[16] = {};
  if (!s.empty()) std::memcpy(raw, s.data(), s.size() < 16 ? s.size() : 16);
  return {s.data(), static_cast<std::uint32_t>(s.size()), load_le<std::uint64_t>(raw),
          load_le<std::uint64_t>(raw + 8)};
}
/// A word that is longer than sixteen bytes, or nearer than that to the end.
[[nodiscard, gnu::cold, gnu::noinline]] inline word scan_long_word(const char* first,
                                                                   const char* end) noexcept {
  const char* p = first;
  unsigned size = 16;
  while (size == 16 && end - p >= 16) p += size = word_bytes(p);
  if (size == 16 && p < end) {
    char raw[16] = {};
    std::memcpy(raw, p, static_cast<std::size_t>(end - p));
    p += word_bytes(raw);
  }
  return word_of({first, static_cast<std::size_t>(p - first)});
}
/// The word at `first`.
[[nodiscard, gnu::always_inline]] inline word scan_word(const char* first,
                                                        const char* end) noexcept {
  if (end - first >= 16) [[likely]] {
    const unsigned size = word_bytes(first);
    if (size < 16) [[likely]]
      return {first, size, load_le<std::uint64_t>(first) & masks_of_words.key[size],
              load_le<std::uint64_t>(first + 8) & masks_of_words.more[size]};
  }
  return scan_long_word(first, end);
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WORD_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

// Bits of a character's class. An operator, or `mod`, may begin with class_operator.
inline constexpr std::uint8_t class_letter = 1, class_digit = 2, class_blank = 4, class_comment = 8,
                              class_mark = 16, class_quote = 32, class_operator = 64;
struct character_classes {
  std::uint8_t of[256];
};
[[nodiscard]] consteval character_classes make_classes() noexcept {
  character_classes c{};
  for (unsigned i = 0; i < 256; ++i) c.of[i] = 0;
  for (unsigned i = 'a'; i <= 'z'; ++i) c.of[i] = class_letter;
  for (unsigned i = 'A'; i <= 'Z'; ++i) c.of[i] = class_letter;
  c.of[static_cast<unsigned>('_')] = class_letter;
  for (unsigned i = '0'; i <= '9'; ++i) c.of[i] = class_digit;
  for (const char b : {' ', '\t', '\r', '\n'}) c.of[static_cast<unsigned>(b)] = class_blank;
  c.of[static_cast<unsigned>('#')] = class_comment;
  c.of[static_cast<unsigned>('"')] = class_quote;
  for (const char m : std::string_view(".,:;=()[]{}<>@+-*/"))
    c.of[static_cast<unsigned>(m)] = class_mark;
  for (const char o : {'+', '-', '*', '/', 'm'}) c.of[static_cast<unsigned>(o)] |= class_operator;
  return c;
}
inline constexpr character_classes classes = make_classes();
[[nodiscard]] inline bool is(char c, unsigned class_bits) noexcept {
  return (classes.of[static_cast<unsigned char>(c)] & class_bits) != 0;
}

/// Words with a number each, found by one multiplication: open addressing, at most half full.
template <std::size_t Slots>
struct word_table {
  static_assert((Slots & (Slots - 1)) == 0);
  struct entry {
    std::uint64_t key = 0, more = 0;
    std::uint32_t size = 0;
    std::uint8_t value = 0;
  };
  entry of[Slots] = {};

  [[nodiscard]] static constexpr std::size_t slot(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15u) >> 40) & (Slots - 1);
  }
  /// Adds a word of up to sixteen characters.
  consteval void add(std::string_view word, std::uint8_t value) noexcept {
    std::size_t i = slot(key_of(word));
    while (of[i].key != 0) i = (i + 1) & (Slots - 1);
    of[i] = {key_of(word), word.size() > 8 ? key_of(word.substr(8)) : 0,
             static_cast<std::uint32_t>(word.size()), value};
  }
  [[nodiscard]] std::uint8_t find(word w, std::uint8_t otherwise) const noexcept {
    for (std::size_t i = slot(w.key); of[i].key != 0; i = (i + 1) & (Slots - 1))
      if (of[i].key == w.key && of[i].more == w.more && of[i].size == w.size) return of[i].value;
    return otherwise;
  }
};

/// What a reserved word is for. From `in` on they begin no statement, from `element` on they are
/// values somewhere, and `upstream` ones are names, with a warning.
enum class keyword : std::uint8_t {
  none,
  const_,
  let,
  buffer,
  loop,
  endloop,
  transfer,
  store,
  wait,
  include,
  device,
  program,
  type_family,
  region,
  in,
  out,
  mod,
  element,
  level,
  upstream
};
[[nodiscard]] consteval word_table<256> make_keywords() noexcept {
  word_table<256> t;
  constexpr keyword order[] = {
      keyword::program, keyword::device,   keyword::include, keyword::const_,
      keyword::buffer,  keyword::let,      keyword::loop,    keyword::endloop,
      keyword::region,  keyword::transfer, keyword::store,   keyword::wait,
      keyword::in,      keyword::out,      keyword::mod,     keyword::type_family};
  static_assert(sizeof order / sizeof order[0] == sizeof reserved_words / sizeof reserved_words[0]);
  for (std::size_t i = 0; i < sizeof order / sizeof order[0]; ++i)
    t.add(reserved_words[i], static_cast<std::uint8_t>(order[i]));
  for (std::size_t i = 0; i < element_count; ++i)
    t.add(name(static_cast<element>(i)), static_cast<std::uint8_t>(keyword::element));
  for (const level l : {level::ddr, level::l2, level::l1})
    t.add(name(l), static_cast<std::uint8_t>(keyword::level));
  for (const std::string_view w : upstream_reserved_words)
    t.add(w, static_cast<std::uint8_t>(keyword::upstream));
  return t;
}
inline constexpr word_table<256> keyword_words = make_keywords();
/// The sizes of reserved words by their first character, a bit each.
struct keyword_sizes {
  std::uint16_t of[256];
};
[[nodiscard]] consteval keyword_sizes make_keyword_sizes() noexcept {
  keyword_sizes s{};
  for (const auto& e : keyword_words.of)
    s.of[e.key & 0xff] = static_cast<std::uint16_t>(s.of[e.key & 0xff] | 1u << (e.size & 15));
  return s;
}
inline constexpr keyword_sizes sizes_of_keywords = make_keyword_sizes();
[[nodiscard, gnu::noinline]] inline keyword find_keyword(std::uint32_t size, std::uint64_t key,
                                                         std::uint64_t more) noexcept {
  return static_cast<keyword>(keyword_words.find({nullptr, size, key, more}, 0));
}
[[nodiscard]] inline keyword find_keyword(word w) noexcept {
  return find_keyword(w.size, w.key, w.more);
}
/// Whether it may be a reserved word; most names aren't.
[[nodiscard]] inline bool may_be_keyword(word w) noexcept {
  return (sizes_of_keywords.of[w.key & 0xff] >> (w.size & 15) & 1) != 0;
}
[[nodiscard]] inline keyword keyword_of(word w) noexcept {
  return may_be_keyword(w) ? find_keyword(w) : keyword::none;
}
/// Whether a statement, a declaration or a directive begins with it.
[[nodiscard]] constexpr bool begins_statement(keyword k) noexcept {
  return k >= keyword::const_ && k <= keyword::type_family;
}
/// Whether it can't be a name.
[[nodiscard]] constexpr bool is_reserved(keyword k) noexcept {
  return k != keyword::none && k != keyword::upstream;
}

[[nodiscard]] consteval word_table<256> make_opcodes() noexcept {
  word_table<256> t;
  for (std::size_t i = 0; i < opcode_count; ++i)
    t.add(opcode_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<64> make_attributes() noexcept {
  word_table<64> t;
  for (std::size_t i = 0; i < attribute_count; ++i)
    t.add(attribute_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<32> make_decorators() noexcept {
  word_table<32> t;
  for (std::size_t i = 0; i < decorator_count; ++i)
    t.add(decorator_table[i].name, static_cast<std::uint8_t>(i));
  return t;
}
[[nodiscard]] consteval word_table<32> make_elements() noexcept {
  word_table<32> t;
  for (std::size_t i = 0; i < element_count; ++i)
    t.add(name(static_cast<element>(i)), static_cast<std::uint8_t>(i));
  return t;
}
inline constexpr word_table<256> opcode_words = make_opcodes();
inline constexpr word_table<64> attribute_words = make_attributes();
inline constexpr word_table<32> decorator_words = make_decorators();
inline constexpr word_table<32> element_words = make_elements();

/// A place in a source, always at a token or at the end. What dozens of productions use is compiled
/// once; the commonest productions use scan_word and skip() in its place.
class lexer {
 public:
  explicit lexer(std::string_view source) noexcept
      : source_(source.data()),
        at_(source.data()),
        last_(source.data()),
        end_(source.data() + source.size()) {
    if (source.substr(0, 3) == "\xef\xbb\xbf") at_ += 3;
    at_ = after_blanks(at_);
  }

  [[nodiscard]] bool at_end() const noexcept { return at_ >= end_; }
  /// The next character, 0 at the end.
  [[nodiscard]] char peek() const noexcept { return at_ < end_ ? *at_ : '\0'; }
  [[nodiscard]] bool at_word() const noexcept { return at_ < end_ && is(*at_, class_letter); }
  [[nodiscard]] bool at(char c) const noexcept { return at_ < end_ && *at_ == c; }
  [[nodiscard]] std::uint32_t here() const noexcept { return offset_of(at_); }
  [[nodiscard]] std::uint32_t offset_of(const char* p) const noexcept {
    return static_cast<std::uint32_t>(p - source_);
  }

  /// The word at `from`, which is at a letter.
  [[nodiscard, gnu::noinline]] word word_at(const char* from) const noexcept {
    return scan_word(from, end_);
  }
  [[nodiscard]] word peek_word() const noexcept { return word_at(at_); }
  void take_word(word w) noexcept { take_to(w.last()); }
  void take(std::size_t count = 1) noexcept { take_to(at_ + count); }
  /// The token ends before `p`.
  [[gnu::noinline]] void take_to(const char* p) noexcept {
    last_ = p;
    at_ = skip(p);
  }
  [[nodiscard]] bool take_if(char c) noexcept {
    if (!at(c)) return false;
    return take(), true;
  }

  /// The first character from `p` on that isn't blank or of a comment. All that can begin
  /// tokens but quotes are above '#', as are no blanks.
  [[nodiscard, gnu::noinline]] const char* after_blanks(const char* p) const noexcept {
    return skip(p);
  }
  /// The same, inline.
  [[nodiscard, gnu::always_inline]] const char* skip(const char* p) const noexcept {
    if (p >= end_ || *p > '#') return p;
    if (*p != ' ') return after_more_blanks(p);
    ++p;
    return p<end_&& * p> '#' ? p : after_more_blanks(p);
  }
  [[nodiscard, gnu::noinline]] const char* after_more_blanks(const char* p) const noexcept {
    if (end_ - p >= 16) [[likely]] {
      const unsigned count = blank_bytes(p);
      p += count;
      if (count < 16 && *p != '#') [[likely]]
        return p;
    }
    return after_comments(p);
  }
  [[nodiscard, gnu::noinline]] const char* after_comments(const char* p) const noexcept {
    for (;; ++p) {
      while (p < end_ && is(*p, class_blank)) ++p;
      if (p >= end_ || *p != '#') return p;
      const void* const newline = std::memchr(p, '\n', static_cast<std::size_t>(end_ - p));
      if (newline == nullptr) return end_;
      p = static_cast<const char*>(newline);
    }
  }
  /// Whether the token is the first of its line.
  [[nodiscard]] bool on_new_line() const noexcept {
    if (last_ == source_) return true;
    if (at_ - last_ <= 1) [[likely]]
      return at_ != last_ && *last_ == '\n';
    return std::memchr(last_, '\n', static_cast<std::size_t>(at_ - last_)) != nullptr;
  }
  /// Whether a task, a region or a wait begins at `p`, so that `X =` before it begins a statement
  /// and no attribute.
  [[nodiscard]] bool is_call(const char* p) const noexcept {
    if (p >= end_ || !is(*p, class_letter)) return false;
    const word w = scan_word(p, end_);
    p = skip(w.last());
    if (p >= end_) return false;
    if (*p == '(') return w.key == make_key("region") || w.key == make_key("wait");
    if (*p != '.') return false;
    if ((w.size == 8 && w.key == make_key("transfer")) ||
        (w.size == 5 && w.key == make_key("store")))
      return true;
    p = after_blanks(p + 1);
    if (p >= end_ || !is(*p, class_letter)) return false;
    const word m = scan_word(p, end_);
    return m.key == make_key("async") || m.key == make_key("sync");
  }
  /// Where `=` is if one follows the word, else null.
  [[nodiscard, gnu::noinline]] const char* equals_after(word w) const noexcept {
    const char* const p = skip(w.last());
    return p < end_ && *p == '=' ? p : nullptr;
  }

  /// The end of the number or malformed number at `p`, for messages.
  [[nodiscard]] const char* after_number(const char* p) const noexcept {
    const auto digits = [&] {
      while (p < end_ && is(*p, class_letter | class_digit)) ++p;
    };
    digits();
    if (end_ - p >= 2 && *p == '.' && is(p[1], class_digit)) ++p, digits();
    if ((p[-1] == 'e' || p[-1] == 'E') && p < end_ && (*p == '+' || *p == '-')) ++p, digits();
    return p;
  }
  /// The end of the string at `p`, or null if it isn't closed on its line.
  [[nodiscard]] const char* after_string(const char* p) const noexcept {
    for (++p; p < end_ && *p != '\n'; ++p) {
      if (*p == '"') return p + 1;
      if (*p == '\\' && end_ - p >= 2 && p[1] != '\n') ++p;
    }
    return nullptr;
  }
  /// The end of the line that `p` is on, without CR.
  [[nodiscard]] const char* line_end(const char* p) const noexcept {
    const char* const first = p;
    while (p < end_ && *p != '\n') ++p;
    return p > first && p[-1] == '\r' ? p - 1 : p;
  }
  /// The token's end, also of one that isn't sound; the end of the source is empty.
  [[nodiscard]] const char* token_end() const noexcept {
    if (at_ >= end_) return at_;
    if (is(*at_, class_letter)) return word_at(at_).last();
    if (is(*at_, class_digit)) return after_number(at_);
    if (*at_ == '"') {
      const char* const p = after_string(at_);
      return p != nullptr ? p : line_end(at_);
    }
    return end_ - at_ >= 2 && at_[0] == '.' && at_[1] == '.' ? at_ + 2 : at_ + 1;
  }

 protected:
  const char* source_;
  const char* at_;    ///< the next token
  const char* last_;  ///< the end of the one before it
  const char* end_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_LEXER_HPP

// ---- tessera/nem/detail/syntax/read_config.hpp
//
// The part of the reader of NEM that reads type families and devices.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/syntax/reader.hpp
//
// The reader of NEM: recursive descent, whose members are the productions of
// the grammar.
//
//   result<model> m = nem::detail::reader(source, options, &found).read();
//
// A production takes its tokens and appends its nodes:
//
//   const std::uint32_t n = put(node_kind::size, 0, at_);
//   take_word(w);
//   if (!expect('=') || !expression()) return false;     // reported
//   finish(n);
//
// It returns false once it reported an error that it can't go on from; what
// called it returns false in turn, up to the statement, after which reading
// resumes. Nothing recurses on the source: loops, expressions and lists keep
// what is open in arrays as long as the nesting limit allows.
//
// Bodies: read.hpp (documents, statements), read_program.hpp (declarations,
// loops, tasks), read_value.hpp (expressions, lists, regions), read_config.hpp
// (type families, devices), read_token.hpp (nodes, errors, numbers, strings)
// and read_mistakes.hpp (what authors write who come from other languages, and
// where reading resumes).
//
// Lifetime:   borrows the source.
// Errors:     LEX-*, SYN-*, TYP-001, OPC-007, DEV-011 and DEV-012, into the
// report. Limits:     limits::max_items nodes; 256 nested loops, and
// parentheses, signs and lists. Allocation: the model.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READER_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/syntax/read_names.hpp
//
// The names of a model, each kept once.
//
//   nem::detail::name_index names(model, source.size());
//   std::uint32_t a = names.of_text("t0");       // 0
//   std::uint32_t b = names.of_text("t0");       // 0 again
//
// A table of 32-bit slots with open addressing: the low bits are the name's index + 1, the others
// some bits of its hash, so that nearly all comparisons of names find what they look for; those are
// of two numbers for up to sixteen characters. Programs that other programs wrote number their
// names: what differs in its last character is near in the table, so that they go through it and
// not around in it. Hashes are keyed, so that no names can be made to collide.
//
// Lifetime:   borrows the model.
// Errors:     none.
// Limits:     fewer than 2^31 names.
// Allocation: up to 64 bytes a name while it reads, besides the model's own.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class name_index {
 public:
  name_index(model& d, std::size_t source_size) : d_(d) {
    std::size_t slots = 64;
    while (slots < source_size / 24) slots *= 2;
    fill(slots);
    d_.names.reserve(slots / 4);
    d_.characters.reserve(source_size / 16);
    entries_.reserve(slots / 4);
  }

  /// The index of a word, which is added if it is new.
  [[nodiscard, gnu::always_inline]] std::uint32_t of(word w) {
    return of(w.first, w.size, w.key, w.more);
  }
  /// The same for other characters.
  [[nodiscard]] std::uint32_t of_text(std::string_view s) { return of(word_of(s)); }

 private:
  /// What tells names apart: their characters up to sixteen. Longer ones have the key 0, which no
  /// word has, and a hash.
  struct entry {
    std::uint64_t key = 0, more = 0;
  };

  /// Nearly all names that were met before stand in the first slot that they may stand in, which is
  /// empty for nearly all others.
  [[nodiscard, gnu::noinline]] std::uint32_t of(const char* first, std::uint32_t size,
                                                std::uint64_t key, std::uint64_t more) {
    if (size - 1 < 16) [[likely]] {
      const std::uint32_t h = hash(key, more, first, size), low = mask_;
      const std::uint32_t slot = slots_.data()[h & low];
      if (slot == 0) return add(first, size, key, more, h, h & low);
      if ((slot ^ h) <= low) [[likely]] {
        const std::uint32_t index = (slot & low) - 1;
        const entry& e = entries_.data()[index];
        if (e.key == key && e.more == more) [[likely]]
          return index;
      }
    }
    return find_or_add(first, size, key, more);
  }
  [[nodiscard, gnu::noinline]] std::uint32_t find_or_add(const char* first, std::uint32_t size,
                                                         std::uint64_t key, std::uint64_t more) {
    if (size > 16) [[unlikely]] {
      key = 0;
      more = hash_long(first, size);
    }
    const std::uint32_t h = hash_of(key, more, first, size), low = mask_;
    std::uint32_t i = h & low;
    for (std::uint32_t slot; (slot = slots_[i]) != 0; i = (i + step) & low) {
      if ((slot ^ h) > low) continue;
      const std::uint32_t index = (slot & low) - 1;
      if (entries_[index].key == key && entries_[index].more == more &&
          (size <= 16 || d_.name(index) == std::string_view(first, size)))
        return index;
    }
    return add(first, size, key, more, h, i);
  }
  /// A new name, into slot `i`.
  [[nodiscard, gnu::noinline]] std::uint32_t add(const char* first, std::uint32_t size,
                                                 std::uint64_t key, std::uint64_t more,
                                                 std::uint32_t h, std::uint32_t i) {
    const auto index = static_cast<std::uint32_t>(d_.names.size());
    slots_[i] = (h & ~mask_) | (index + 1);
    *d_.names.prepare(1) = {static_cast<std::uint32_t>(d_.characters.size()), size};
    d_.names.advance(1);
    *entries_.prepare(1) = {key, more};
    entries_.advance(1);
    char* const to = d_.characters.prepare(size < 16 ? 16 : size);
    if (size <= 16) {
      store_le(to, key);
      store_le(to + 8, more);
    } else {
      std::memcpy(to, first, size);
    }
    d_.characters.advance(size);
    if (index >= mask_ / 2) [[unlikely]]  // half full
      fill(2 * slots_.size());
    return index;
  }

  [[nodiscard, gnu::always_inline]] std::uint32_t hash(std::uint64_t key,
                                                       std::uint64_t more) const noexcept {
    return static_cast<std::uint32_t>(hash_(key, more));
  }
  /// Of a name of 1 to 16: of what is before its last character, which tells where near that.
  [[nodiscard, gnu::always_inline]] std::uint32_t hash(std::uint64_t key, std::uint64_t more,
                                                       const char* first,
                                                       std::uint32_t size) const noexcept {
    return hash(key & masks_of_words.key[size - 1], more & masks_of_words.more[size - 1]) ^
           static_cast<unsigned char>(first[size - 1]);
  }
  [[nodiscard]] std::uint32_t hash_of(std::uint64_t key, std::uint64_t more, const char* first,
                                      std::uint32_t size) const noexcept {
    return size - 1 < 16 ? hash(key, more, first, size) : hash(key, more);
  }
  [[nodiscard]] std::uint64_t hash_long(const char* first, std::uint32_t size) const noexcept {
    return hash_(std::string_view(first, size)) | 1;  // so that it isn't the empty name's
  }
  [[gnu::cold]] void fill(std::size_t slots) {
    if (slots != slots_.size()) {
      slots_ = {};
      (void)slots_.prepare(slots);
      slots_.advance(slots);
    }
    std::memset(static_cast<void*>(slots_.data()), 0, slots * sizeof(std::uint32_t));
    mask_ = static_cast<std::uint32_t>(slots - 1);
    for (std::uint32_t n = 0; n < d_.names.size(); ++n) {
      const entry& e = entries_[n];
      const std::string_view s = d_.name(n);
      const std::uint32_t h = hash_of(e.key, e.more, s.data(), d_.names[n].size);
      std::uint32_t i = h & mask_;
      while (slots_[i] != 0) i = (i + step) & mask_;
      slots_[i] = (h & ~mask_) | (n + 1);
    }
  }

  static constexpr std::uint32_t step = 17;  ///< past numbered neighbours; odd, to meet each slot

  model& d_;
  pool<std::uint32_t> slots_;
  pool<entry> entries_;
  std::uint32_t mask_ = 0;  ///< slots - 1
  const hash_key hash_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_NAMES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// How many nested constructs of one kind a file may have.
inline constexpr std::uint32_t max_nesting = 256;
/// How many diagnostics a report keeps.
inline constexpr std::size_t max_findings = 1000;

/// The place of a region, which decides what may follow it.
enum class region_place : std::uint8_t { declaration, argument, operand };

class reader : private lexer {
 public:
  reader(std::string_view source, const read_options& options, tessera::report* found);

  /// All statements of the source.
  result<model> read();

 private:
  // --- what productions keep ---

  /// The fields of something that are given so far, each at most once.
  struct fields {
    std::uint32_t seen = 0;  ///< bit n is field n
    std::uint32_t first[8] = {};
    std::uint16_t length[8] = {};
  };
  /// An operator or parenthesis whose right side is being read.
  struct open_operator {
    node_kind kind = node_kind::expression;  ///< of a parenthesis
    std::uint8_t precedence = 0;
    const char* first = nullptr;  ///< of its left operand, or of itself
  };
  struct open_loop {
    std::uint32_t loop, body;
  };
  enum type_field : std::uint8_t { f_elem, f_shape, f_layout, f_strides, f_quant, f_none };
  /// The word and the `=` of a type attribute.
  struct type_word {
    word name;
    type_field field;
    const char* equals;
  };
  enum device_item : std::uint8_t {
    item_spec_version,
    item_topology,
    item_characteristics,
    item_opcode,
    item_extended,
    item_none
  };
  static constexpr std::uint32_t none = 0xffffffff;  ///< no offset

  // --- documents: read.hpp ---

  [[gnu::cold]] void report_progress();
  /// A directive, a declaration, a task, `loop` or `endloop`.
  bool statement();
  /// include "path"
  bool include(word w);
  /// program name:
  bool header(word w);
  /// device name, device "path", or device name { … }
  bool device_or_directive(word w);
  [[nodiscard]] static bool is_extends(word w) noexcept {
    return w.size == 7 && w.key == make_key("extends");
  }
  [[gnu::cold]] void bad_directive(word w);
  [[gnu::cold]] void note_first(findings::writer out, std::uint32_t first, std::string_view text);
  /// Notes that the file is a program.
  void begin_statement() {
    if (first_statement_ == none) [[unlikely]]
      begin_first_statement();
  }
  [[gnu::cold]] void begin_first_statement();
  /// Notes that the file has a family; after what belongs in a program that is
  /// an error.
  [[gnu::cold]] void begin_family();
  /// What belongs in a program, after families or several devices.
  void mix_with_config();
  [[gnu::cold]] void mixed(std::string_view text, std::uint32_t first, std::string_view note);

  // --- declarations, loops and tasks: read_program.hpp ---

  /// const N = e
  [[gnu::cold]] bool constant_statement(word start);
  /// let N = v, or let N = region(…) …
  bool let_statement(word start);
  bool region_declaration(word start, std::uint32_t i);
  /// buffer N : L1[e] (size=e, align=e)
  [[gnu::cold]] bool buffer_statement(word start);
  [[gnu::cold]] bool buffer_properties(std::uint32_t buffer);

  /// loop v in [lo..hi]:
  [[gnu::cold]] bool loop_statement(word start);
  [[gnu::cold]] bool loop_header(std::uint32_t i);
  /// Ends the innermost loop; at_ is at `endloop`.
  [[gnu::cold]] void end_loop(word w);
  /// At the end of the file.
  void check_loops();

  /// X = region(…) … or X = task, at the name.
  bool assigned_statement(word w, keyword k, const char* equals);
  bool task(const char* first, std::uint32_t token_name, word callee, keyword k);
  /// transfer.async(dst=…, src=…, deps=[…])
  bool transfer(node_kind kind, const char* first, std::uint32_t token_name, word callee);
  /// wait(a, b)
  bool wait(const char* first, std::uint32_t token_name, word callee);
  /// relu.async in X out Y axis=1 deps=[…]
  bool compute(const char* first, std::uint32_t token_name, word callee);
  /// .async or .sync
  bool mode_of(std::uint32_t i);
  /// in X, Y or out X, Y
  bool operands(node_kind kind, std::string_view expected);
  [[nodiscard]] bool at_word_out() const noexcept { return peek_word().key == make_key("out"); }
  /// A name or a region, then decorators.
  bool operand(region_place where);
  /// deps=[a, b] at the word.
  bool deps(const char* equals);
  bool tokens();

  bool attribute_of_task(word w, keyword k, const char* equals);
  bool named_attribute(word w, keyword k, const char* equals);
  /// attrs={ k=v, … }, which leaves no trace.
  bool attributes_in_braces(const char* equals);
  /// Finds attributes that are given twice.
  void note_attribute(word w, std::uint32_t name_index);
  [[gnu::cold]] void repeated_attribute(word w, std::uint32_t name_index);
  /// Marks a name; whether it is marked already since next_marks().
  bool mark(std::uint32_t name_index);
  void next_marks() noexcept { ++mark_; }
  void grow_marks() { marks_.resize(2 * d_.names.size()); }

  [[nodiscard]] static bool is_of_task(const node& n) noexcept;
  /// Without attributes, decorators of a task follow its last operand: they
  /// become the task's.
  void hoist(std::uint32_t output);
  /// The decorators from node `first` on: those of the operand before those of
  /// the task.
  [[gnu::cold]] void partition(std::uint32_t first);

  /// Takes a comma; reports one that is missing before a field and its `=`.
  bool comma_before(bool (*is_field)(word));
  [[nodiscard]] static unsigned argument_of(word w) noexcept;
  [[gnu::cold]] void missing_arguments(std::uint32_t i, std::uint32_t seen);
  // --- mistakes: read_mistakes.hpp ---

  /// After an error in the statement at `first`: an example of its right form,
  /// and then to where the next statement begins.
  [[gnu::cold]] void after_error(const char* first);
  /// Adds an example of what has an error, where the error has no note and no
  /// fix.
  [[gnu::cold]] void note_form(const char* first);
  void statement_form(const char* first, text& out) const;
  [[nodiscard]] bool is_let_of_region(word w) const noexcept;
  static void task_form(opcode op, text& out);
  /// What has an error, as messages show it. Productions inside of others come
  /// first. Returns false.
  [[gnu::cold]] bool as_in(std::string_view form) noexcept {
    if (form_.empty()) form_ = form;
    return false;
  }
  [[gnu::cold]] void recover(const char* first);
  /// Whether a statement begins with the word here. The words of declarations
  /// and loops do so anywhere if what follows fits; others at the beginning of
  /// a line that isn't indented more than the statement with the error,
  /// `is_outer`.
  [[nodiscard]] bool may_begin(word w, bool new_line, bool is_outer) const noexcept;
  [[nodiscard]] bool may_begin_outer(word w, const char* next) const noexcept;
  /// The blanks before what is the first of its line.
  [[nodiscard]] std::size_t indent_of(const char* p) const noexcept;
  /// A comment of another language, all of it. False if none is here.
  bool skip_other_comment();

  /// What begins no statement and is no word.
  [[gnu::cold]] bool bad_mark();
  /// A word that begins no statement, and what follows it.
  [[gnu::cold]] bool bad_statement(word w, const char* next);
  /// The statement that a word was meant to begin, if what follows it fits.
  [[gnu::cold]] bool meant_statement(word w, keyword k);
  /// The end of `end loop` or `end for`, else null.
  [[nodiscard]] const char* end_of_loop(word w) const noexcept;
  [[nodiscard]] bool fits(keyword k, const char* next) const noexcept;
  /// A loop of another language, up to its body.
  [[gnu::cold]] bool other_loop(word w);
  /// The error for a word that begins no statement. Returns false.
  [[gnu::cold]] bool no_statement();
  [[gnu::cold]] void no_statement(findings::writer out, word w);
  /// `(` after a word that is nearly `region`.
  [[gnu::cold]] void misspelt_region(findings::writer out);
  /// What is assigned that isn't a region or a task.
  [[gnu::cold]] void no_assignment(findings::writer out, word w, const char* equals);
  /// `t: x` and `t := x`, which are reported and read as `t = x`. Null if the
  /// word has no colon.
  [[nodiscard]] const char* colon_assignment(word w, const char* next);
  /// let t = transfer.async(…), which is reported and read without `let`.
  [[gnu::cold]] bool declared_task(std::uint32_t i, word declared);

  /// Whether a word is `in` or `out` in upper case, as older texts have it. It
  /// is reported, and reading goes on.
  [[gnu::cold]] bool is_upper_case(word w, std::string_view lower);
  /// What is in place of .async and .sync; false if reading can't go on.
  [[gnu::cold]] bool bad_mode(std::uint32_t i);
  /// Parentheses after what isn't a transfer. True if a transfer was meant,
  /// which reading goes on with.
  [[gnu::cold]] bool no_operands(word callee, keyword& meant);
  /// in X, out Y
  [[gnu::cold]] void comma_before_out();
  /// A comma between attributes: reported, and where an attribute follows
  /// reading goes on.
  [[gnu::cold]] bool stray_comma();
  /// The last operand is an attribute after a comma. Reported; it is read
  /// again, as an attribute.
  [[gnu::cold]] bool attribute_as_operand(std::uint32_t task);
  /// What is in place of an argument of a transfer; where its meaning is clear,
  /// the field and its `=`.
  [[gnu::cold]] bool bad_argument(word w, unsigned& field, const char*& equals);
  /// What is in place of the list of tokens: one without brackets, or with
  /// others.
  [[gnu::cold]] bool bad_deps();
  /// What is in place of a token; true if reading goes on after it.
  [[gnu::cold]] bool bad_token();
  [[gnu::cold]] bool bad_level(std::uint32_t i, word& w);
  [[gnu::cold]] bool bad_property(std::uint32_t buffer, word& w);
  /// `..`, and not `...`, `..=` or `..<`.
  [[nodiscard]] bool at_range() const noexcept {
    return end_ - at_ >= 2 && at_[0] == '.' && at_[1] == '.' &&
           (end_ - at_ == 2 || (at_[2] != '.' && at_[2] != '=' && at_[2] != '<'));
  }
  [[gnu::cold]] bool bad_range();
  [[gnu::cold]] bool bad_loop_end();
  /// @name[…], @name=…, @name N and @name UNIT[N], which are reported and read
  /// over.
  [[gnu::cold]] void bad_decorator_argument(word w);
  [[nodiscard]] bool at_decorator_argument(word w) const noexcept;
  /// @name(), which is reported; reading goes on.
  [[gnu::cold]] bool empty_argument(word w);
  [[nodiscard]] static std::string_view decorator_form(word w) noexcept;
  /// The end of what is in brackets at `p`, or null if they aren't closed in
  /// this statement.
  [[nodiscard]] const char* after_brackets(const char* p) const noexcept;
  /// shape[…] and shape: […]: reported, and read with `=`. False if neither is
  /// here.
  [[gnu::cold]] bool no_equals(type_word& t);
  /// region(…), elem=… and region(…) : elem=…, which are reported and read without the mark.
  [[gnu::cold]] bool mark_before_type();
  /// Whether `=` or `:` is replaced by the other one; then it is reported and
  /// taken.
  [[gnu::cold]] bool is_other_mark(char c);
  /// What a mark here may mean.
  [[nodiscard]] std::string_view mark_hint(std::string_view expected) const noexcept;
  /// What a word after a number may mean.
  [[nodiscard]] std::string_view unit_hint() const noexcept;
  [[nodiscard]] static bool is_byte_unit(std::string_view w) noexcept;

  // --- expressions, lists, decorators and regions: read_value.hpp ---

  /// An expression, a string, or a list of values. `words` admits element types
  /// as names.
  bool value(bool words = false);
  /// A single leaf, or an expression node.
  bool expression(bool words = false);
  /// A number or a name; is_leaf_here().
  [[gnu::always_inline]] bool leaf(bool words);
  [[nodiscard]] bool is_leaf_here() const noexcept {
    return at_ < end_ && is(*at_, class_letter | class_digit);
  }
  bool is_leaf_keyword(word w, bool words);
  /// Makes the leaf in `slot` the first of an expression; at_ is at an
  /// operator. Nearly always a leaf follows that, and then the end.
  bool expression_after(std::uint32_t slot, bool words);
  /// What follows in the expression node at `slot`: `depth` operators are open,
  /// and after them is the operand that began at `operand`, or none yet.
  bool operators(std::uint32_t slot, const char* operand, std::uint32_t depth, bool has_operand,
                 bool words);
  /// The operator here, whose left operand begins at `operand`.
  [[gnu::always_inline]] open_operator take_operator(const char* operand);
  [[nodiscard, gnu::always_inline]] bool at_operator() const noexcept {
    return at_ < end_ && is(*at_, class_operator) && (*at_ != 'm' || at_mod());
  }
  [[nodiscard]] bool at_mod() const noexcept;
  [[nodiscard]] static std::uint8_t precedence_of(char c) noexcept {
    return c == '+' || c == '-' ? 1 : 2;
  }
  [[gnu::cold]] void warn_line_operator();
  [[gnu::cold]] bool too_deep(std::string_view what);

  bool string_leaf();
  /// Lists of any depth.
  bool list(bool words);
  bool list_items(bool words);
  [[gnu::cold]] void trailing_comma();
  [[gnu::cold]] bool unclosed_list(std::uint32_t open);

  bool decorators();
  /// @name, @name(value, …), @resource(CSTL[e])
  bool decorator();
  bool unit_index();
  [[nodiscard]] bool at_unit_index() const noexcept;

  /// region(B, offset, extent) elem=…, shape=[…], layout=… or strides=[…],
  /// quant=… at the word.
  bool region(word start, region_place where);
  /// Whether `region (` is here.
  [[nodiscard]] bool at_region(word w) const noexcept;
  /// Type attributes, or none. Of operands only `elem` begins them, as the
  /// others may be attributes of the task.
  bool type_attributes(region_place where, bool after_comma = false);
  [[gnu::always_inline]] bool type_attribute(const type_word& t);
  /// Whether a type attribute, and no statement, begins at p. No statement can
  /// follow a comma.
  [[nodiscard, gnu::always_inline]] bool is_type_attribute(type_word& t, const char* p,
                                                           bool after_comma) const noexcept;
  [[nodiscard]] static type_field type_field_of(word w) noexcept;
  [[gnu::cold]] bool inner_type_attributes();
  [[gnu::cold]] void missing_comma();
  [[gnu::cold]] void layout_and_strides(word w, type_field other);
  /// Type attributes hold elem and shape.
  bool check_type(std::uint32_t i);
  [[gnu::cold]] void incomplete_type(std::uint32_t i);
  /// The expressions of shape= and strides=, whose node is `i`.
  bool dimensions(std::uint32_t i, std::string_view what);
  [[gnu::cold]] void empty_dimensions(const char* open, std::string_view what);
  /// per_tensor(scale=…, zero_point=…), per_channel(…) or per_group(…)
  bool quant(std::uint32_t i);
  [[gnu::cold]] void unknown_field(std::uint32_t known, quantization form);

  /// An element type as a node.
  [[gnu::cold]] bool element_leaf(node_kind kind);
  element element_of(word w);
  [[gnu::cold]] void unknown_element(word w);

  // --- type families and devices: read_config.hpp ---

  /// A type family at the word; after an error, reading goes on after it.
  void type_family_declaration(word start);
  /// An inline device at the word; the same.
  void device_declaration(word start);

  /// type_family f.g<T: {i8, f16}> { binding … variants: variant … }
  bool type_family(word start);
  bool type_parameters();
  /// X: T, or accum = i32, or quant = required on X
  bool family_binding(word w);
  /// v: { B: absent } conformance: { MUST <i8>  MAY <f16> }
  bool variant();
  /// <i8, f16>
  bool instantiation();
  /// An element type, or the name of a parameter or a word.
  bool type_leaf();
  /// Whether `on` is here, and isn't itself the name of a binding.
  [[nodiscard]] bool at_on() const noexcept;

  /// device d extends e { item … }, the items in any order.
  bool device(word start);
  bool item_of_device(fields& given);
  [[nodiscard]] static device_item item_of(word w) noexcept;
  /// topology { num_engines = n  l2_size_bytes = e  per_engine { … }
  /// device_units { … } }
  bool topology(const char* first);
  bool units_block(word start, bool per_engine);
  [[gnu::cold]] void wrong_block(word w, unit u);
  /// unit_characteristics { CSTL { name = n } }
  bool characteristics(const char* first);
  [[gnu::cold]] void repeated_characteristic(word w, std::uint32_t group, std::uint32_t name);
  /// opcode.mandatory { cast.default } or opcode.extended { … } at the word.
  bool variant_references(fields& given);
  /// Two or three words with dots between, the last is the variant; types only
  /// before the last dot.
  bool variant_reference();
  void put_taken(word w);
  /// An integer without a sign.
  bool count();
  /// One word, or two with a dot between, as the name that they are without
  /// blanks.
  bool dotted_name(std::uint32_t& index, std::string_view what);

  bool open_block();
  bool close_block();
  /// After an error: to where `depth` blocks are open, and at depth 1 to the
  /// next item of a device. False if the declaration ends before.
  [[gnu::cold]] bool leave_blocks(std::uint32_t depth);
  /// Whether a declaration or directive begins here, whose first word is
  /// reserved.
  [[nodiscard]] bool at_declaration() const noexcept {
    return at_word() && begins_statement(keyword_of(peek_word()));
  }

  // --- nodes: read_token.hpp ---

  /// Appends a node; its `next` is right if it has no children.
  std::uint32_t put(node_kind kind, unsigned detail, const char* first, std::uint32_t value = 0);
  /// The node's text ends with the last token, and its children here.
  void finish(std::uint32_t i) noexcept;
  [[gnu::always_inline]] void set_end(std::uint32_t i, const char* last) noexcept {
    nodes_[i].length = length_of(offset_of(last) - nodes_[i].offset);
  }
  [[nodiscard]] static std::uint16_t length_of(std::uint32_t length) noexcept {
    return static_cast<std::uint16_t>(length < 65535 ? length : 65535);
  }
  /// A leaf whose text is one token, which is taken.
  [[gnu::always_inline]] void put_leaf(node_kind kind, unsigned detail, const char* last,
                                       std::uint32_t value);
  [[gnu::always_inline]] void put_name(word w) {
    put_leaf(node_kind::name, 0, w.last(), intern(w));
  }
  [[nodiscard]] std::uint32_t intern(word w) { return names_.of(w); }
  void grow(std::uint64_t capacity);
  /// Room for one more node; where there can't be any the last is written
  /// again, and the source ends here.
  [[gnu::cold]] void more_nodes();

  // --- words, numbers and strings ---

  bool expect(char c);
  [[gnu::cold]] bool unexpected_mark(char c);
  /// `c` after an opening character at `open`.
  bool expect_closing(char c, const char* open);
  [[gnu::cold]] bool unclosed(char c, const char* open, std::string_view hint = {});

  /// A name that is declared here: a hard-reserved word is an error, which
  /// reading goes on from.
  bool declared_name(word& w, std::string_view what);
  [[gnu::cold]] bool questionable_name(word w, keyword k, std::string_view what);
  [[gnu::cold]] void reserved(word w, std::string_view what);
  /// A name that is used here. Element types and memory levels can't be one;
  /// other reserved words mean that it is missing.
  bool used_name(word& w, std::string_view what);
  bool is_usable(word w, std::string_view what) {
    return !may_be_keyword(w) || is_usable_keyword(w, what);
  }
  bool is_usable_keyword(word w, std::string_view what);
  /// Any word, reserved or not.
  bool any_word(word& w, std::string_view what);

  /// An integer or a real as a leaf; at_ is at a digit.
  [[gnu::always_inline]] bool number();
  /// The same from `p` on, the digits before which are `v`.
  [[gnu::cold]] bool long_number(const char* p, std::uint64_t v);
  /// A real whose point is at `point`.
  [[gnu::cold]] bool real(const char* point);
  [[gnu::cold]] bool bad_number(const char* last);
  [[nodiscard]] bool is_sound_number(const char* p, const char* last) const noexcept;

  /// The characters of the string here, which is taken; false after an error.
  [[gnu::cold]] bool string_value(std::uint32_t& index, std::string_view what);
  [[gnu::cold]] void resolve_escapes(const char* p, const char* last);

  // --- findings ---

  [[nodiscard]] place range(const char* first, const char* last) const noexcept {
    return {0, offset_of(first), static_cast<std::uint32_t>(last - first)};
  }
  [[nodiscard]] place range_of(word w) const noexcept { return range(w.first, w.last()); }
  [[nodiscard]] place range_of(std::uint32_t i) const noexcept { return place_of(nodes_[i]); }
  /// At the end of the file, the end of its last line.
  [[nodiscard, gnu::cold]] place token() const noexcept;

  /// Whether more may be reported. When not, the source ends here.
  [[nodiscard, gnu::cold]] bool may_report() noexcept;
  void stop() noexcept;
  /// A warning; false once the report is full, where it is only counted.
  [[nodiscard, gnu::cold]] bool may_warn(errc code) noexcept;

  /// What is here, in quotes and not too long.
  class got {
   public:
    explicit got(const lexer& in, std::string_view token) noexcept;
    friend text& operator<<(text& to, const got& g) {
      if (g.end_) return to << "the end of the file";
      return to << '\'' << g.token_ << (g.cut_ ? "...'" : "'");
    }

   private:
    bool end_, cut_;
    std::string_view token_;
  };
  [[nodiscard, gnu::cold]] got here_is() const noexcept;

  /// Reports what isn't a token at all; false if there is a token here.
  [[gnu::cold]] bool not_a_token();
  [[nodiscard]] unsigned character_length(const char* p) const noexcept;
  [[gnu::cold]] void bad_character(const char* p);
  /// What NEM has for a character that other languages use, after a colon.
  [[nodiscard]] static std::string_view usual(std::string_view character) noexcept;
  /// Whether a % at `p` begins a name, as in MLIR.
  [[nodiscard]] bool is_sigil(const char* p) const noexcept;
  /// Whether a comment of another language begins here, or did one character
  /// before.
  [[nodiscard]] bool at_other_comment() const noexcept;
  /// The syntax error: what was expected, and what was found. Returns false.
  [[gnu::cold]] bool unexpected(std::string_view expected, std::string_view hint = {});
  /// The same, where `what` belongs between the last token and this one for
  /// certain.
  [[gnu::cold]] void missing(std::string_view expected, std::string_view what);

  /// Notes that a field is given here; if it was given before, that is an error
  /// of `code`.
  void once(fields& f, unsigned field, word w, errc code);
  [[gnu::cold]] void repeated(errc code, place where, std::string_view name, place before);

  model d_;
  name_index names_;
  findings found_;
  tessera::error failure_;  ///< a limit that was met
  bool stopped_ = false;
  bool is_mixed_ = false;
  /// After an error in this statement, `X =` at the beginning of a line is no
  /// argument or attribute of it, whatever follows.
  bool any_assignment_ = false;
  std::string_view form_;  ///< an example of what has an error, in this statement
  std::uint64_t max_errors_;
  std::size_t warnings_ = 0;

  node* nodes_ = nullptr;
  std::uint32_t count_ = 0, room_ = 0, max_nodes_;
  read_progress progress_;
  const char* next_report_;  ///< of the progress: past this

  std::uint32_t first_other_ = none;  ///< the first construct that is no include
  std::uint32_t first_family_ = none, first_device_ = none, first_directive_ = none,
                first_header_ = none, first_statement_ = none;
  std::uint32_t devices_ = 0;
  std::uint32_t braces_ = 0;  ///< of the declaration that is being read

  fields attributes_;  ///< of the region that is being read
  std::uint32_t last_operand_ = 0;
  std::uint32_t seen_attributes_ = 0;
  std::uint32_t mark_ = 1;
  pool<std::uint32_t> marks_;  ///< by name: the `mark_` when it was last marked
  text scratch_, joined_;

  std::uint32_t loops_ = 0, excess_loops_ = 0, other_loops_ = 0;
  std::uint32_t lists_ = 0;  ///< that are open
  open_loop open_loops_[max_nesting];
  std::uint32_t open_lists_[max_nesting];
  open_operator open_[3 * max_nesting + 3];
};

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READER_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

inline void reader::type_family_declaration(word start) {
  braces_ = 0;
  if (!type_family(start)) (void)leave_blocks(0);
}

inline void reader::device_declaration(word start) {
  braces_ = 0;
  if (!device(start)) (void)leave_blocks(0);
}

// --- blocks ---

inline bool reader::open_block() {
  if (!expect('{')) return false;
  ++braces_;
  return true;
}

inline bool reader::close_block() {
  if (!expect('}')) return false;
  --braces_;
  return true;
}

[[gnu::cold]] inline bool reader::leave_blocks(std::uint32_t depth) {
  while (!at_end()) {
    if (braces_ == 0 && depth == 0 && at_declaration()) return true;
    if (at('}')) {
      if (braces_ <= depth) {
        if (depth != 0) return true;
        take();
        continue;
      }
      take();
      // The braces of a parameter's types end no declaration.
      if (--braces_ == depth && (depth != 0 || at_word() || at(';'))) return true;
    } else if (at('{')) {
      ++braces_;
      take();
    } else if (at_word()) {
      const word w = peek_word();
      if (braces_ == 1 && depth == 1 && item_of(w) != item_none) return true;
      if (on_new_line() && at_declaration()) return false;
      take_word(w);
    } else {
      take_to(token_end());
    }
  }
  return false;
}

[[gnu::cold]] inline bool reader::dotted_name(std::uint32_t& index, std::string_view what) {
  word w;
  if (!any_word(w, what)) return false;
  const char* const first = at_;
  take_word(w);
  if (!at('.')) {
    index = names_.of(w);
    return true;
  }
  take();
  word second;
  if (!any_word(second, what)) return false;
  take_word(second);
  const std::size_t size = std::size_t{w.size} + 1 + second.size;
  if (static_cast<std::size_t>(second.last() - first) == size) {
    index = names_.of_text({first, size});
  } else {
    joined_.clear();
    joined_ << w.text() << '.' << second.text();
    index = names_.of_text(joined_);
  }
  return true;
}

// --- type families ---

[[gnu::cold]] inline bool reader::type_family(word start) {
  const std::uint32_t i = put(node_kind::type_family, 0, at_);
  take_word(start);
  std::uint32_t name;
  if (!dotted_name(name, "the name of a type family")) return false;
  nodes_[i].value = name;
  if (at('<') && !type_parameters()) return false;
  if (!open_block()) return false;
  for (;;) {
    word w;
    if (!any_word(w, "a binding, or 'variants:'")) return false;
    if (w.size == 8 && w.key == make_key("variants")) break;
    if (!family_binding(w)) return false;
  }
  take(8);
  if (!expect(':')) return false;
  while (at_word())
    if (!variant()) return false;
  if (!at('}')) return unexpected("a variant or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::type_parameters() {
  const char* const open = at_;
  take();
  do {
    word w;
    if (!any_word(w, "the name of a type parameter")) return false;
    const std::uint32_t i = put(node_kind::type_parameter, 0, at_, intern(w));
    take_word(w);
    if (!expect(':')) return false;
    const char* const brace = at_;
    if (!expect('{')) return false;
    do {
      if (!element_leaf(node_kind::element_type)) return false;
    } while (take_if(','));
    if (!expect_closing('}', brace)) return false;
    finish(i);
  } while (take_if(','));
  return expect_closing('>', open);
}

[[gnu::cold]] inline bool reader::type_leaf() {
  word w;
  if (!any_word(w, "a type")) return false;
  const std::uint8_t e = element_words.find(w, static_cast<std::uint8_t>(element::none));
  if (e != static_cast<std::uint8_t>(element::none))
    put_leaf(node_kind::element_type, e, w.last(), 0);
  else
    put_name(w);
  return true;
}

[[gnu::cold]] inline bool reader::family_binding(word w) {
  const std::uint32_t i = put(node_kind::binding, 0, at_, intern(w));
  take_word(w);
  if (take_if(':')) {
    if (!type_leaf()) return false;
    finish(i);
    return true;
  }
  if (!at('=')) return unexpected("':' or '='");
  take();
  nodes_[i].kind = node_kind::condition;
  if (!type_leaf()) return false;
  if (at_word() && at_on()) {
    const std::uint32_t on = put(node_kind::on, 0, at_);
    take(2);
    word operand;
    if (!any_word(operand, "the name of an operand")) return false;
    nodes_[on].value = intern(operand);
    take_word(operand);
    finish(on);
  }
  finish(i);
  return true;
}

inline bool reader::at_on() const noexcept {
  const word w = peek_word();
  if (w.key != make_key("on")) return false;
  const char* const p = after_blanks(w.last());
  return p >= end_ || (*p != ':' && *p != '=');
}

[[gnu::cold]] inline bool reader::variant() {
  const word w = peek_word();
  const std::uint32_t i = put(node_kind::variant, 0, at_, intern(w));
  take_word(w);
  if (!expect(':') || !open_block()) return false;
  while (at_word()) {
    const word operand = peek_word();
    const std::uint32_t b = put(node_kind::binding, 0, at_, intern(operand));
    take_word(operand);
    if (!expect(':') || !type_leaf()) return false;
    finish(b);
  }
  if (!at('}')) return unexpected("a binding or '}'");
  if (!close_block()) return false;
  if (!at_word() || peek_word().text() != "conformance") return unexpected("'conformance'");
  take_word(peek_word());
  if (!expect(':') || !open_block()) return false;
  while (at_word()) {
    const word c = peek_word();
    const bool must = c.key == make_key("MUST");
    if (!must && c.key != make_key("MAY")) return unexpected("MUST, MAY or '}'");
    const std::uint32_t k = put(node_kind::conformance, must ? 1 : 0, at_);
    take_word(c);
    if (at('<') && !instantiation()) return false;
    finish(k);
  }
  if (!at('}')) return unexpected("MUST, MAY or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::instantiation() {
  const char* const open = at_;
  take();
  do {
    if (!element_leaf(node_kind::element_type)) return false;
  } while (take_if(','));
  return expect_closing('>', open);
}

// --- devices ---

[[gnu::cold]] inline reader::device_item reader::item_of(word w) noexcept {
  const std::string_view s = w.text();
  return s == "opcode"                 ? item_opcode
         : s == "topology"             ? item_topology
         : s == "spec_version"         ? item_spec_version
         : s == "unit_characteristics" ? item_characteristics
                                       : item_none;
}

[[gnu::cold]] inline bool reader::device(word start) {
  const std::uint32_t i = put(node_kind::device, 0, at_);
  take_word(start);
  word w;
  if (!any_word(w, "the name of a device")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (at_word()) {
    const word e = peek_word();
    if (e.size != 7 || e.key != make_key("extends")) return unexpected("'extends' or '{'");
    const std::uint32_t x = put(node_kind::extends, 0, at_);
    take_word(e);
    if (!any_word(w, "the name of a device")) return false;
    nodes_[x].value = intern(w);
    take_word(w);
    finish(x);
  }
  if (!open_block()) return false;
  fields given;
  while (!at('}')) {
    if (at_end()) return unexpected("'}'");
    if (!item_of_device(given) && !leave_blocks(1)) return false;
  }
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::item_of_device(fields& given) {
  constexpr std::string_view expected =
      "spec_version, topology, unit_characteristics, opcode or '}'";
  if (!at_word()) return unexpected(expected);
  const word w = peek_word();
  const char* const first = at_;
  const device_item kind = item_of(w);
  if (kind == item_none) return unexpected(expected);
  if (kind == item_opcode) return variant_references(given);
  once(given, kind, w, errc::nem_dev_012_repeated);
  take_word(w);
  if (kind == item_topology) return topology(first);
  if (kind == item_characteristics) return characteristics(first);
  const std::uint32_t i = put(node_kind::spec_version, 0, first);
  std::uint32_t index;
  if (!expect('=') || !string_value(index, "a string")) return false;
  nodes_[i].value = index;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::topology(const char* first) {
  const std::uint32_t i = put(node_kind::topology, 0, first);
  if (!open_block()) return false;
  fields given;
  while (at_word()) {
    const word w = peek_word();
    const std::string_view s = w.text();
    const unsigned field = s == "num_engines"     ? 0
                           : s == "l2_size_bytes" ? 1
                           : s == "device_units"  ? 2
                           : s == "per_engine"    ? 3
                                                  : 4;
    if (field == 4) break;
    once(given, field, w, errc::nem_dev_012_repeated);
    if (field >= 2) {
      if (!units_block(w, field == 3)) return false;
      continue;
    }
    const std::uint32_t n = put(field == 0 ? node_kind::num_engines : node_kind::l2_size, 0, at_);
    take_word(w);
    if (!expect('=') || !(field == 0 ? count() : expression())) return false;
    finish(n);
  }
  if (!at('}')) return unexpected("num_engines, l2_size_bytes, device_units, per_engine or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::count() {
  if (at_end() || !is(*at_, class_digit)) return unexpected("an integer");
  const std::uint32_t i = count_;
  if (!number()) return false;
  if (nodes_[i].kind != node_kind::real) return true;
  if (may_report())
    found_.add(errc::nem_syn_001_token, range_of(i))
        << "expected an integer, got a floating-point number";
  return true;
}

[[gnu::cold]] inline bool reader::units_block(word start, bool per_engine) {
  const std::uint32_t i = put(per_engine ? node_kind::per_engine : node_kind::device_units, 0, at_);
  take_word(start);
  if (!open_block()) return false;
  fields given;
  const std::string_view expected =
      per_engine ? "NMU, CSTL, DMA, VPU, SEQ, l1_size_bytes or '}'" : "sDMA, WDM or '}'";
  while (at_word()) {
    const word w = peek_word();
    const unit u = find_unit(w.text());
    const bool is_size = per_engine && w.text() == "l1_size_bytes";
    if (u == unit::none && !is_size) return unexpected(expected);
    if (u != unit::none && is_per_engine(u) != per_engine)
      wrong_block(w, u);
    else
      once(given, is_size ? 7u : static_cast<unsigned>(u), w, errc::nem_dev_012_repeated);
    const std::uint32_t n = is_size
                                ? put(node_kind::l1_size, 0, at_)
                                : put(node_kind::unit, static_cast<unsigned>(u), at_, intern(w));
    take_word(w);
    if (!expect('=') || !(is_size ? expression() : count())) return false;
    finish(n);
  }
  if (!at('}')) return unexpected(expected);
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline void reader::wrong_block(word w, unit u) {
  if (may_report())
    found_.add(errc::nem_dev_011_unit_block, range_of(w))
        << w.text() << " belongs in "
        << (is_per_engine(u) ? "per_engine, not in device_units"
                             : "device_units, not in per_engine");
}

[[gnu::cold]] inline bool reader::characteristics(const char* first) {
  const std::uint32_t i = put(node_kind::unit_characteristics, 0, first);
  if (!open_block()) return false;
  fields given;
  while (at_word()) {
    const word w = peek_word();
    const unit u = find_unit(w.text());
    if (u == unit::none) break;
    once(given, static_cast<unsigned>(u), w, errc::nem_dev_012_repeated);
    const std::uint32_t group =
        put(node_kind::unit_group, static_cast<unsigned>(u), at_, intern(w));
    take_word(w);
    if (!open_block()) return false;
    next_marks();
    while (at_word()) {
      const word k = peek_word();
      const std::uint32_t name = intern(k);
      if (mark(name)) repeated_characteristic(k, group, name);
      const std::uint32_t c = put(node_kind::characteristic, 0, at_, name);
      take_word(k);
      if (!expect('=') || !count()) return false;
      finish(c);
    }
    if (!at('}')) return unexpected("a characteristic or '}'");
    if (!close_block()) return false;
    finish(group);
  }
  if (!at('}')) return unexpected("NMU, CSTL, DMA, VPU, SEQ, sDMA, WDM or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline void reader::repeated_characteristic(word w, std::uint32_t group,
                                                          std::uint32_t name) {
  std::uint32_t i = group + 1;
  while (i < count_ && (nodes_[i].kind != node_kind::characteristic || nodes_[i].value != name))
    ++i;
  const std::uint32_t offset = i < count_ ? nodes_[i].offset : offset_of(w.first);
  repeated(errc::nem_dev_012_repeated, range_of(w), w.text(), {0, offset, w.size});
}

[[gnu::cold]] inline bool reader::variant_references(fields& given) {
  const char* const first = at_;
  take(6);
  word w;
  if (!expect('.') || !any_word(w, "mandatory or extended")) return false;
  const bool extended = w.text() == "extended";
  if (!extended && w.text() != "mandatory") return unexpected("mandatory or extended");
  once(given, extended ? item_extended : item_opcode, w, errc::nem_dev_012_repeated);
  const std::uint32_t i = put(extended ? node_kind::extended : node_kind::mandatory, 0, first);
  take_word(w);
  if (!open_block()) return false;
  while (at_word())
    if (!variant_reference()) return false;
  if (!at('}')) return unexpected("a variant or '}'");
  if (!close_block()) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::variant_reference() {
  const std::uint32_t i = put(node_kind::variant_ref, 0, at_);
  const word first = peek_word();
  take_word(first);
  word second, last;
  if (!at('<')) {
    if (!expect('.') || !any_word(second, "the name of a variant")) return false;
    take_word(second);
    if (!at('.') && !at('<')) {  // two words
      nodes_[i].value = intern(first);
      put_taken(second);
      finish(i);
      return true;
    }
  }
  if (second.size == 0) {
    nodes_[i].value = intern(first);
  } else {
    joined_.clear();
    joined_ << first.text() << '.' << second.text();
    nodes_[i].value = names_.of_text(joined_);
  }
  if (at('<') && !instantiation()) return false;
  if (!expect('.') || !any_word(last, "the name of a variant")) return false;
  put_name(last);
  finish(i);
  return true;
}

inline void reader::put_taken(word w) {
  const std::uint32_t i = put(node_kind::name, 0, w.first, intern(w));
  set_end(i, w.last());
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_CONFIG_HPP

// ---- tessera/nem/detail/syntax/read_mistakes.hpp
//
// The part of the reader of NEM that knows what authors write who come from C,
// Python or MLIR: messages show the right form, and reading goes on in the
// statement where its meaning is clear. Where it isn't, reading resumes at the
// next statement.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- words of other languages ---

struct other_word {
  std::string_view written, meant;
};
inline constexpr other_word other_statements[] = {
    {"end", "endloop"},    {"endfor", "endloop"}, {"for", "loop"},   {"int", "const"},
    {"float", "let"},      {"var", "let"},        {"val", "let"},    {"auto", "let"},
    {"alloc", "buffer"},   {"import", "include"}, {"await", "wait"}, {"define", "const"},
    {"module", "program"},
};
inline constexpr other_word other_properties[] = {
    {"bytes", "size"}, {"length", "size"}, {"alignment", "align"}};
inline constexpr std::string_view property_words[] = {"size", "align"};
inline constexpr other_word other_tasks[] = {
    {"copy", "transfer"}, {"load", "transfer"}, {"memcpy", "transfer"},
    {"move", "transfer"}, {"dma", "transfer"},  {"save", "store"},
};
inline constexpr other_word other_arguments[] = {
    {"to", "dst"}, {"out", "dst"},   {"output", "dst"}, {"destination", "dst"}, {"from", "src"},
    {"in", "src"}, {"input", "src"}, {"source", "src"}, {"after", "deps"},
};
/// What is meant by a word: one of a table, or else the nearest keyword. Empty
/// if none is near.
template <std::size_t N, std::size_t Keywords>
[[nodiscard, gnu::cold]] std::string_view meant_by(std::string_view word,
                                                   const other_word (&table)[N],
                                                   const std::string_view (&keywords)[Keywords]) {
  for (const other_word& o : table)
    if (o.written == word) return o.meant;
  suggestion near(word);
  for (const std::string_view k : keywords) near.offer(k);
  return near.word();
}
inline constexpr std::string_view statement_words[] = {
    "const", "let",  "buffer",  "loop",   "endloop", "transfer",
    "store", "wait", "program", "device", "include", "type_family"};
inline constexpr std::string_view transfer_words[] = {"transfer", "store"};
inline constexpr std::string_view argument_words[] = {"dst", "src", "deps"};

/// By type_field.
inline constexpr std::string_view examples_of_types[] = {
    "elem=f16", "shape=[2, 2]", "layout=NK", "strides=[2, 1]",
    "quant=per_tensor(scale=0.5, zero_point=0)"};
inline constexpr std::string_view example_of_region =
    "region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK";
[[nodiscard]] constexpr std::string_view example_of(keyword k) noexcept {
  if (k == keyword::const_) return "const N = 4";
  if (k == keyword::let) return "let N = 4";
  if (k == keyword::region) return "let X = region(B, 0, 8) elem=f16, shape=[2, 2], layout=NK";
  if (k == keyword::buffer) return "buffer B : L1[0] (size=64, align=16)";
  if (k == keyword::loop) return "loop i in [0..3] @max_in_flight(2):";
  if (k == keyword::transfer) return "t = transfer.async(dst=Y, src=X, deps=[u])";
  if (k == keyword::store) return "t = store.async(dst=Y, src=X, deps=[u])";
  if (k == keyword::wait) return "wait(t, u)";
  if (k == keyword::program) return "program p:";
  if (k == keyword::device) return "device \"npm_lite.cfg\"";
  if (k == keyword::include) return "include \"npm_lite.cfg\"";
  return {};
}
[[nodiscard]] constexpr std::string_view example_of(attribute_kind k) noexcept {
  switch (k) {
    case attribute_kind::integer: return "1";
    case attribute_kind::real: return "0.5";
    case attribute_kind::boolean: return "true";
    case attribute_kind::element: return "f32";
    case attribute_kind::integers: return "[...]";
    case attribute_kind::string: return "\"...\"";
    case attribute_kind::word: return "constant";
  }
  return {};
}

// --- after an error ---

inline void reader::after_error(const char* first) {
  note_form(first);
  form_ = {};
  recover(first);
}

inline void reader::note_form(const char* first) {
  if (found_.report().diagnostics.empty()) return;
  const diagnostic& d = found_.report().diagnostics.back();
  if (d.has_note || d.has_fix || d.where.offset < offset_of(first) ||
      (d.code != errc::nem_syn_001_token && d.code != errc::nem_syn_008_statement))
    return;
  text out;
  if (form_.empty())
    statement_form(first, out);
  else
    out << form_;
  if (!out.view().empty()) findings::writer(&found_).note() << "for example: " << out;
}

inline bool reader::is_let_of_region(word w) const noexcept {
  const char* const name = after_blanks(w.last());
  if (w.key != make_key("let") || name >= end_ || !is(*name, class_letter)) return false;
  const char* const equals = equals_after(word_at(name));
  const char* const value = equals != nullptr ? after_blanks(equals + 1) : end_;
  return value < end_ && is(*value, class_letter) && word_at(value).key == make_key("region");
}

inline void reader::statement_form(const char* first, text& out) const {
  if (!is(*first, class_letter)) return;
  word w = word_at(first);
  const char* const equals = equals_after(w);
  const bool is_assigned = equals != nullptr && !begins_statement(keyword_of(w));
  if (is_assigned) {
    const char* const value = after_blanks(equals + 1);
    if (value >= end_ || !is(*value, class_letter)) return;
    w = word_at(value);
  }
  const keyword k = is_let_of_region(w) ? keyword::region : keyword_of(w);
  const char* const next = after_blanks(w.last());
  if (k != keyword::none || next >= end_) {
    out << example_of(k);
    return;
  }
  const auto op =
      static_cast<opcode>(opcode_words.find(w, static_cast<std::uint8_t>(opcode::relu)));
  if (op != opcode::relu || *next == '.' || w.text() == "relu") task_form(op, out);
}

inline void reader::task_form(opcode op, text& out) {
  const opcode_row& r = row(op);
  out << "t = " << r.name << ".async";
  for (const bool is_input : {true, false}) {
    const char* separator = is_input ? " in " : " out ";
    for (std::string_view list = is_input ? r.inputs : r.outputs; !list.empty();) {
      const std::string_view word = next_word(list);
      if (word.back() == '?') continue;
      out << separator << (word.back() == '*' ? word.substr(0, word.size() - 1) : word);
      if (word.back() == '*') out << ", ...";
      separator = ", ";
    }
  }
  for (std::string_view list = r.attributes; !list.empty();) {
    const std::string_view word = next_word(list);
    if (word.back() == '?') continue;
    const attribute a = find_attribute(word);
    out << ' ' << word << '=' << example_of(attribute_table[static_cast<std::size_t>(a)].kind);
  }
  out << " deps=[u]";
}

inline void reader::recover(const char* first) {
  std::size_t most = indent_of(first);
  if (at_ == first && !at_end()) take_to(token_end());
  while (!at_end()) {
    if (at(';')) return;
    if (at_word()) {
      const word w = peek_word();
      const bool new_line = on_new_line();
      if (may_begin(w, new_line, new_line && indent_of(at_) <= most)) return;
      take_word(w);
    } else if (!skip_other_comment()) {
      const bool opens_block = at(':') || at('{');
      take_to(token_end());
      if (opens_block && (at_end() || on_new_line())) most = ~std::size_t{0};
    }
  }
}

inline std::size_t reader::indent_of(const char* p) const noexcept {
  constexpr std::ptrdiff_t max_column = 1000;  // so that long lines take no quadratic time
  const char* first = p;
  while (first > source_ && first[-1] != '\n' && p - first < max_column) --first;
  const char* last = first;
  while (last < p && is(*last, class_blank)) ++last;
  return static_cast<std::size_t>(last - first);
}

inline bool reader::may_begin(word w, bool new_line, bool is_outer) const noexcept {
  const keyword k = keyword_of(w);
  if (k == keyword::endloop) return true;
  if (new_line && begins_statement(k)) return true;
  const char* p = after_blanks(w.last());
  if (p >= end_) return is_outer && w.key == make_key("end");
  if (k == keyword::const_ || k == keyword::let || k == keyword::buffer || k == keyword::loop) {
    if (!is(*p, class_letter)) return false;
    p = after_blanks(word_at(p).last());
    if (p >= end_) return false;
    if (k == keyword::loop) return is(*p, class_letter) && word_at(p).key == make_key("in");
    return *p == (k == keyword::buffer ? ':' : '=');
  }
  if (!new_line || is_reserved(k)) return false;
  if (is_outer) return may_begin_outer(w, p);
  if (*p == '=') return any_assignment_ || is_call(after_blanks(p + 1));
  return *p == '.' && is_call(w.first);
}

inline bool reader::may_begin_outer(word w, const char* next) const noexcept {
  if (*next == '=') {
    if (any_assignment_ || is_call(after_blanks(next + 1))) return true;
    for (const std::string_view field : quant_field_names)
      if (w.text() == field) return false;
    return attribute_words.find(w, 255) == 255 && type_field_of(w) == f_none &&
           argument_of(w) == 3 && w.key != make_key("attrs") && w.key != make_key("size") &&
           w.key != make_key("align");
  }
  if (!is(*next, class_letter)) return *next == '.' || *next == '(' || *next == ':' || *next == '[';
  const keyword k = keyword_of(word_at(next));
  return k != keyword::in && k != keyword::out && k != keyword::mod;
}

inline bool reader::skip_other_comment() {
  if (!at_other_comment()) return false;
  const char* p = at_;
  if (at_[0] == '/' && (end_ - at_ < 2 || at_[1] != '*')) {
    take_to(line_end(p));
    return true;
  }
  for (p += at_[0] == '/' ? 2 : 1; end_ - p >= 2; ++p)
    if (p[0] == '*' && p[1] == '/') return take_to(p + 2), true;
  take_to(end_);
  return true;
}

inline bool reader::at_other_comment() const noexcept {
  if (at_end()) return false;
  const char next = end_ - at_ > 1 ? at_[1] : '\0';
  if (*at_ == '/' && (next == '/' || next == '*')) return true;
  return (*at_ == '/' || *at_ == '*') && at_ != source_ && at_[-1] == '/';
}

// --- statements ---

inline bool reader::bad_mark() {
  const char* const before = at_;
  (void)no_statement();
  if (skip_other_comment()) return true;
  if (at_ == before) take_to(token_end());
  return false;
}

inline bool reader::bad_statement(word w, const char* next) {
  if (const char* const equals = colon_assignment(w, next); equals != nullptr) {
    begin_statement();
    return assigned_statement(w, keyword::none, equals);
  }
  const keyword k = keyword_of(word_of(meant_by(w.text(), other_statements, statement_words)));
  const bool is_meant = fits(k, next);
  (void)no_statement();
  if (is_meant) return meant_statement(w, k);
  if (w.key == make_key("for") || w.key == make_key("while") || w.key == make_key("if"))
    return other_loop(w);
  take_word(w);
  return false;
}

inline bool reader::fits(keyword k, const char* next) const noexcept {
  if (k == keyword::none) return false;
  if (k == keyword::endloop) return loops_ + excess_loops_ + other_loops_ != 0;
  if (next >= end_) return false;
  if (k == keyword::transfer || k == keyword::store) return *next == '.';
  if (k == keyword::wait) return *next == '(';
  if (k == keyword::include || k == keyword::device) return *next == '"';
  if (!is(*next, class_letter)) return false;
  const char* p = after_blanks(word_at(next).last());
  if (p >= end_) return false;
  if (k == keyword::const_ || k == keyword::let) return *p == '=';
  if (k == keyword::buffer || k == keyword::program) return *p == ':';
  if (k == keyword::type_family) return *p == '{' || *p == '<' || *p == '.';
  if (!is(*p, class_letter) || word_at(p).key != make_key("in")) return false;
  p = after_blanks(word_at(p).last());
  return p < end_ && *p == '[';
}

inline const char* reader::end_of_loop(word w) const noexcept {
  const char* p = w.last();
  while (p < end_ && *p == ' ') ++p;
  if (p >= end_ || !is(*p, class_letter)) return nullptr;
  const word next = word_at(p);
  return next.key == make_key("loop") || next.key == make_key("for") ? next.last() : nullptr;
}

inline bool reader::meant_statement(word w, keyword k) {
  if (k == keyword::endloop) {
    const char* const last = end_of_loop(w);
    end_loop(w);
    if (last != nullptr) take_to(last);
    return true;
  }
  if (k == keyword::include) return include(w);
  if (k == keyword::device) return device_or_directive(w);
  if (k == keyword::program) return header(w);
  if (k == keyword::type_family) return begin_family(), type_family_declaration(w), true;
  begin_statement();
  if (k == keyword::const_) return constant_statement(w);
  if (k == keyword::let) return let_statement(w);
  if (k == keyword::buffer) return buffer_statement(w);
  if (k == keyword::loop) return loop_statement(w);
  return task(at_, no_name, w, k);
}

inline bool reader::other_loop(word w) {
  take_word(w);
  std::size_t depth = 0;
  while (!at_end() && !on_new_line()) {
    const char c = *at_;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth != 0) --depth;
    take_to(token_end());
    if (depth != 0 || (c != ':' && c != '{')) continue;
    ++other_loops_;
    return true;
  }
  return false;
}

inline bool reader::no_statement() {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_008_statement, token());
  out << "expected a declaration, a task or a loop, got " << here_is();
  if (at_other_comment()) {
    out << ": comments begin with '#'";
    const std::string_view line(at_, static_cast<std::size_t>(line_end(at_) - at_));
    const bool is_one_line = line.substr(0, 2) == "//" ||
                             (line.substr(0, 2) == "/*" && line.find("*/", 2) == line.size() - 2);
    if (is_one_line) out.fix(range(at_, at_ + 2)) << '#';
  } else if (at('@')) {
    out << (loops_ != 0 ? ": those of a loop precede its ':'"
                        : ": decorators follow what they apply to");
  } else if (at('{') && loops_ != 0) {
    out << ": the body of a loop ends with endloop";
  } else if (at(',')) {
    out << ": statements aren't separated by commas";
  } else if (at_word()) {
    no_statement(out, peek_word());
  } else {
    out << mark_hint({});
    if (at('(')) misspelt_region(out);
  }
  return false;
}

inline void reader::misspelt_region(findings::writer out) {
  const auto back = [this](const char* p, std::uint8_t wanted) {
    while (p > source_ && is(p[-1], wanted)) --p;
    return p;
  };
  constexpr std::uint8_t in_word = class_letter | class_digit;
  const char* const first = back(last_, in_word);
  const std::string_view written(first, static_cast<std::size_t>(last_ - first));
  suggestion near(written);
  near.offer("region");
  if (near.word().empty() || written == "region") return;
  // Only in let R = region(…).
  const char* const equals = back(first, class_blank);
  if (equals == source_ || equals[-1] != '=') return;
  const char* const let_last = back(back(back(equals - 1, class_blank), in_word), class_blank);
  const char* const let = back(let_last, in_word);
  if (std::string_view(let, static_cast<std::size_t>(let_last - let)) != "let") return;
  out.note() << "did you mean region?";
  out.fix(range(first, last_)) << "region";
}

inline void reader::no_statement(findings::writer out, word w) {
  if (const char* const equals = equals_after(w); equals != nullptr)
    return no_assignment(out, w, equals);
  if (w.key == make_key("deps")) {
    out << ": as in deps=[t, u]";
    return;
  }
  if (type_field_of(w) != f_none) {
    out << ": type attributes are written as " << w.text() << "=...";
    return;
  }
  if (attribute_words.find(w, 255) != 255) {
    out << ": attributes are written as " << w.text() << "=...";
    return;
  }
  if (decorator_words.find(w, 255) != 255) {
    out << ": decorators are written as @" << w.text();
    out.fix(range(w.first, w.first)) << '@';
    return;
  }
  if (opcode_words.find(w, 255) != 255) {
    out << ": " << w.text() << " is written as " << w.text() << ".async or .sync";
    return;
  }
  out << unit_hint();
  for (const std::string_view other : {"if", "else", "while", "return"})
    if (w.text() == other) out << ": the only control flow is a loop over a range";
  const std::string_view meant = meant_by(w.text(), other_statements, statement_words);
  if (meant.empty()) return;
  out.note() << "did you mean " << meant << '?';
  if (!fits(keyword_of(word_of(meant)), after_blanks(w.last()))) return;
  const char* const next = meant == "endloop" ? end_of_loop(w) : nullptr;
  out.fix(range(w.first, next != nullptr ? next : w.last())) << meant;
}

inline void reader::no_assignment(findings::writer out, word w, const char* equals) {
  const char* const value = after_blanks(equals + 1);
  const word callee = value < end_ && is(*value, class_letter) ? word_at(value) : word{};
  if (opcode_words.find(callee, 255) != 255) {
    out << ": " << callee.text() << " is written as " << callee.text() << ".async or .sync";
  } else if (w.text() == "dtype" || w.text() == "type") {
    out << ": element types are written as elem=...";
  } else if (argument_of(w) != 3) {
    out << ": " << w.text() << " belongs in the parentheses of transfer and store";
  } else {
    out << ": only regions and tasks are assigned without const or let";
    const bool is_value = value < end_ && is(*value, class_letter | class_digit | class_quote);
    if (is_value && attribute_words.find(w, 255) == 255 && type_field_of(w) == f_none)
      out.fix(range(w.first, w.first)) << "let ";
  }
}

inline const char* reader::colon_assignment(word w, const char* next) {
  if (next >= end_ || *next != ':') return nullptr;
  const char* const last = next + (end_ - next > 1 && next[1] == '=' ? 2 : 1);
  if (!is_call(after_blanks(last)) || !may_report()) return nullptr;
  auto out = found_.add(errc::nem_syn_008_statement, range_of(w));
  out << "expected a declaration, a task or a loop, got '" << w.text()
      << "': names are assigned with '='";
  out.fix(range(next, last)) << (next[-1] == ' ' ? "=" : " =");
  return last - 1;
}

inline bool reader::declared_task(std::uint32_t i, word declared) {
  const word callee = peek_word();
  const keyword k = keyword_of(callee);
  if (k == keyword::region || !may_report()) return expression();
  const char* const first = source_ + nodes_[i].offset;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is()
      << ": tokens are assigned without const or let";
  out.fix(range(first, declared.first)) << "";
  const std::uint32_t name = nodes_[i].value;
  count_ = i;
  any_assignment_ = false;
  return task(declared.first, name, callee, k);
}

// --- declarations and loops ---

inline bool reader::bad_level(std::uint32_t i, word& w) {
  suggestion near(w.text());
  for (const level l : {level::ddr, level::l2, level::l1}) near.offer(name(l));
  if (near.word().empty() || !may_report()) return unexpected("DDR, L2 or L1");
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected DDR, L2 or L1, got " << here_is();
  out.fix(range_of(w)) << near.word();
  for (const level l : {level::ddr, level::l2, level::l1})
    if (name(l) == near.word()) nodes_[i].detail = static_cast<std::uint8_t>(l);
  w.key = key_of(near.word());
  return true;
}

inline bool reader::bad_property(std::uint32_t buffer, word& w) {
  constexpr std::string_view expected = "size= or align=";
  if (at_word()) {
    const std::string_view meant = meant_by(w.text(), other_properties, property_words);
    if (meant.empty() || equals_after(w) == nullptr || !may_report()) return unexpected(expected);
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected " << expected << ", got " << here_is();
    out.fix(range_of(w)) << meant;
    w.key = key_of(meant);
    return true;
  }
  if (at_end() || !is(*at_, class_digit)) return unexpected(expected);
  const char* const number_end = after_number(at_);
  const char* const closing = after_blanks(number_end);
  const bool is_index = static_cast<level>(nodes_[buffer].detail) == level::l1 &&
                        last_[-1] == '(' && closing < end_ && *closing == ')';
  if (!is_index) return unexpected(expected, ": as in (size=64, align=16)");
  if (not_a_token() || !may_report()) return false;
  const std::string_view index(at_, static_cast<std::size_t>(number_end - at_));
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is()
      << ": the index of an engine is in brackets, as in L1[0] (size=64)";
  const char* const next = after_blanks(closing + 1);
  if (next < end_ && *next == '(') out.fix(range(last_ - 1, closing + 1)) << '[' << index << ']';
  return false;
}

inline bool reader::bad_range() {
  constexpr std::string_view hint = ": as in [0..3], where 0 and 3 are included";
  if (end_ - at_ < 3 || at_[0] != '.' || at_[1] != '.') return unexpected("'..'", hint);
  take(2);
  if (at('<')) return unexpected("an expression", hint);
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is() << hint;
  const char* const next = after_blanks(at_ + 1);
  const char first = next < end_ ? *next : '\n';
  const bool has_end = (first >= '0' && first <= '9') || (first >= 'a' && first <= 'z') ||
                       (first >= 'A' && first <= 'Z') || first == '_' || first == '(';
  if (has_end) out.fix(range(at_, at_ + 1)) << "";
  take();
  return true;
}

inline bool reader::bad_loop_end() {
  while (at_word() && !on_new_line() && decorator_words.find(peek_word(), 255) != 255) {
    if (!may_report()) return false;
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected ':', got " << here_is() << ": decorators are written as @"
        << peek_word().text();
    out.fix(range(at_, at_)) << '@';
    take_word(peek_word());
    if (const char* const last = at('(') ? after_brackets(at_) : nullptr; last != nullptr)
      take_to(last);
    if (!decorators()) return false;
    if (take_if(':')) return true;
  }
  if (is_other_mark(':')) return true;
  if (!at_end() && !at_word() && !on_new_line())
    return unexpected("':'", at('{') ? ": the body of a loop ends with endloop" : "");
  missing("':'", ":");
  return at_end() || on_new_line();
}

// --- tasks ---

inline bool reader::is_upper_case(word w, std::string_view lower) {
  if (w.size != lower.size()) return false;
  for (std::size_t i = 0; i < lower.size(); ++i)
    if ((w.first[i] | 0x20) != lower[i]) return false;
  if (may_report()) {
    auto out = found_.add(errc::nem_syn_001_token, range_of(w));
    out << "expected '" << lower << "', got '" << w.text() << "': keywords are in lower case";
    out.fix(range_of(w)) << lower;
  }
  return true;
}

inline bool reader::bad_mode(std::uint32_t i) {
  if (last_[-1] != '.') {
    const bool is_call_without = at('(');
    const bool is_store = nodes_[i].kind == node_kind::store;
    (void)unexpected("'.async' or '.sync'", is_store ? ": as in store.async(dst=Y, src=X)"
                                                     : ": as in transfer.async(dst=Y, src=X)");
    return is_call_without && !stopped_;
  }
  if (!at_word()) return unexpected("async or sync");
  const word w = peek_word();
  suggestion near(w.text());
  near.offer("async");
  near.offer("sync");
  if (near.word().empty() || !may_report()) return unexpected("async or sync");
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected async or sync, got " << here_is();
  out.fix(range_of(w)) << near.word();
  if (near.word() == "sync") nodes_[i].detail = static_cast<std::uint8_t>(mode::sync);
  take_word(w);
  return true;
}

inline bool reader::no_operands(word callee, keyword& meant) {
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected 'in', got '(': only transfer and store take parentheses";
  if (opcode_words.find(callee, 255) != 255) return false;
  const std::string_view near = meant_by(callee.text(), other_tasks, transfer_words);
  if (near.empty()) return false;
  out.note() << "did you mean " << near << '?';
  out.fix(range_of(callee)) << near;
  meant = keyword_of(word_of(near));
  return true;
}

inline void reader::comma_before_out() {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected a region, got " << here_is();
  out.fix(range(last_ - 1, last_)) << (at_ == last_ ? " " : "");
}

inline bool reader::stray_comma() {
  if (!may_report()) return false;
  const place comma = token();
  const char* const next = after_blanks(at_ + 1);
  const char* const equals =
      next < end_ && is(*next, class_letter) ? equals_after(word_at(next)) : nullptr;
  const bool goes_on = equals != nullptr && !is_call(after_blanks(equals + 1));
  auto out = found_.add(errc::nem_syn_001_token, comma);
  out << "expected an attribute or a statement, got ','";
  if (goes_on) out << ": attributes are separated by blanks";
  if (goes_on) out.fix(comma) << (next == at_ + 1 ? " " : "");
  if (goes_on) take();
  return goes_on;
}

inline bool reader::attribute_as_operand(std::uint32_t task) {
  const node& leaf = nodes_[last_operand_ + 1];
  const char* const first = source_ + leaf.offset;
  const char* comma = first;
  while (comma > source_ && is(comma[-1], class_blank)) --comma;
  const bool is_attribute = leaf.kind == node_kind::name && count_ == last_operand_ + 2 &&
                            comma[-1] == ',' && !is_call(after_blanks(at_ + 1));
  if (!is_attribute) return true;
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_008_statement, token());
  out << "expected a declaration, a task or a loop, got '=': attributes are separated by blanks";
  out.fix(range(comma - 1, comma)) << (comma == first ? " " : "");
  count_ = last_operand_;
  last_operand_ = task + 1;
  while (nodes_[last_operand_].next < count_) last_operand_ = nodes_[last_operand_].next;
  last_ = comma - 1;
  at_ = first;
  return true;
}

inline bool reader::bad_argument(word w, unsigned& field, const char*& equals) {
  constexpr std::string_view expected = "dst=, src= or deps=";
  const char* const next = after_blanks(w.last());
  const char mark = next < end_ ? *next : '\0';
  if (field == 3) {
    const std::string_view meant = meant_by(w.text(), other_arguments, argument_words);
    if (type_field_of(w) != f_none && mark == '=')
      return unexpected(expected, ": no comma precedes the type attributes of a region");
    if (meant.empty() || (mark != '=' && mark != ':'))
      return unexpected(expected, ": arguments are named, as in dst=Y, src=X");
    if (!may_report()) return false;
    auto out = found_.add(errc::nem_syn_001_token, token());
    out << "expected " << expected << ", got " << here_is();
    out.note() << "did you mean " << meant << '?';
    out.fix(range_of(w)) << meant;
    field = argument_of(word_of(meant));
    equals = next;
    return true;
  }
  take_word(w);
  equals = at_;
  if (at(':')) return is_other_mark('=');
  if (field != 2 || !at('[')) return unexpected("'='");
  missing("'='", "=");
  equals = w.last() - 1;
  return !stopped_;
}

inline bool reader::bad_deps() {
  const word w = at_word() ? peek_word() : word{};
  const char* const last = at('(') ? after_brackets(at_) : w.size != 0 ? w.last() : nullptr;
  if (last == nullptr || is_reserved(keyword_of(w))) return as_in("deps=[t, u]"), unexpected("'['");
  if (!may_report()) return false;
  const std::string_view all(at_, static_cast<std::size_t>(last - at_));
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '[', got " << here_is() << ": deps is a list of tokens";
  out.fix(range(at_, last)) << '[' << (w.size != 0 ? all : all.substr(1, all.size() - 2)) << ']';
  if (w.size != 0)
    put_name(w);
  else
    take_to(last);
  return true;
}

inline bool reader::bad_token() {
  constexpr std::string_view expected = "the name of a token";
  const bool is_trailing = (at(']') || at(')')) && last_[-1] == ',';
  const char* const last = at('"') ? after_string(at_) : nullptr;
  if ((!is_trailing && last == nullptr) || !may_report()) return unexpected(expected);
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is();
  if (is_trailing) {
    out.fix(range(last_ - 1, last_)) << "";
    return true;
  }
  out << ": tokens are names, without quotes";
  out.fix(range(at_, last)) << std::string_view(at_ + 1, static_cast<std::size_t>(last - at_ - 2));
  take_to(last);
  return true;
}

// --- decorators ---

inline std::string_view reader::decorator_form(word w) noexcept {
  switch (static_cast<nem::decorator>(
      decorator_words.find(w, static_cast<std::uint8_t>(decorator::unknown)))) {
    case decorator::max_in_flight: return ": as in @max_in_flight(2)";
    case decorator::resource: return ": as in @resource(CSTL[0])";
    case decorator::seq_engine: return ": as in @seq_engine(0)";
    case decorator::debug: return ": as in @debug(\"name\")";
    case decorator::profile: return ": as in @profile(\"name\")";
    case decorator::materialized:
    case decorator::readonly:
    case decorator::writeonly:
    case decorator::deterministic:
    case decorator::memmove: return ": it takes no argument";
    case decorator::unknown: break;
  }
  return {};
}

[[gnu::noinline]] inline bool reader::at_decorator_argument(word w) const noexcept {
  if (at_end() || on_new_line()) return false;
  if (*at_ == '[' || *at_ == '=' || is(*at_, class_digit)) return true;
  if (w.text() != "resource" || !is(*at_, class_letter)) return false;
  const char* const p = after_blanks(peek_word().last());
  return p < end_ && *p == '[';
}

inline void reader::bad_decorator_argument(word w) {
  const bool in_brackets = at('[');
  const char* const first = at('=') ? after_blanks(at_ + 1) : at_;
  const char* last = first;
  if (in_brackets) {
    last = after_brackets(first);
  } else if (first < end_ && is(*first, class_letter | class_digit)) {
    last = is(*first, class_digit) ? after_number(first) : word_at(first).last();
    if (last < end_ && *last == '[') last = after_brackets(last);
  }
  if (may_report()) {
    auto out = found_.add(errc::nem_syn_008_statement, token());
    out << "expected '(' after @" << w.text() << ", got " << here_is() << decorator_form(w);
    if (last != nullptr && last != first && !decorator_form(w).ends_with("argument")) {
      const std::string_view all(first, static_cast<std::size_t>(last - first));
      out.fix(range(w.last(), last))
          << '(' << (in_brackets ? all.substr(1, all.size() - 2) : all) << ')';
    }
  }
  take_to(last != nullptr && last != at_ ? last : token_end());
}

inline bool reader::empty_argument(word w) {
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected an expression, got " << here_is() << decorator_form(w);
  if (decorator_form(w).ends_with("argument")) out.fix(range(w.last(), at_ + 1)) << "";
  return true;
}

inline const char* reader::after_brackets(const char* p) const noexcept {
  constexpr std::ptrdiff_t max_length = 1000;
  const char* const last = end_ - p < max_length ? end_ : p + max_length;
  std::size_t depth = 0;
  for (; p < last && *p != '#' && *p != '"'; ++p) {
    if (*p == '(' || *p == '[') ++depth;
    if ((*p == ')' || *p == ']') && --depth == 0) return p + 1;
  }
  return nullptr;
}

// --- regions ---

inline bool reader::no_equals(type_word& t) {
  const char* const next = after_blanks(t.name.last());
  if (next >= end_ || (*next != '[' && *next != ':') || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, range_of(t.name));
  out << "expected '=' after '" << t.name.text() << "', got '" << *next << "': as in "
      << examples_of_types[t.field];
  out.fix(range(t.name.last(), *next == ':' ? next + 1 : t.name.last())) << '=';
  t.equals = *next == ':' ? next : t.name.last() - 1;
  return true;
}

inline bool reader::mark_before_type() {
  const char* const next = after_blanks(at_ + 1);
  type_word t;
  if (!is_type_attribute(t, next, true) || !may_report()) return false;
  const place mark = token();
  auto out = found_.add(errc::nem_syn_008_statement, mark);
  out << "expected a type attribute or a statement, got " << here_is()
      << ": type attributes follow region(...) directly";
  out.fix(mark) << "";
  take();
  return true;
}

// --- marks and units ---

inline bool reader::is_sigil(const char* p) const noexcept {
  if (p != at_ || *p != '%' || end_ - p < 2 || !is(p[1], class_letter | class_digit)) return false;
  if (last_ == source_ || on_new_line()) return true;
  const char before = last_[-1];
  const std::string_view last(source_, offset_of(last_));
  return before == '=' || before == ',' || before == '(' || before == '[' ||
         last.ends_with(" in") || last.ends_with(" out");
}

inline bool reader::is_other_mark(char c) {
  if (!(c == '=' && at(':')) && !(c == ':' && (at('=') || at(';')))) return false;
  const char* const last = at_ + (c == '=' && end_ - at_ > 1 && at_[1] == '=' ? 2 : 1);
  const char* const next = after_blanks(last);
  if (next < end_ && is(*next, class_letter) && equals_after(word_at(next)) != nullptr)
    return false;
  if (!may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '" << c << "', got " << here_is();
  out.fix(range(at_, last)) << c;
  take_to(last);
  return true;
}

inline std::string_view reader::mark_hint(std::string_view expected) const noexcept {
  if (at_end() || at_ == source_) return {};
  const char before = at_[-1];
  const char after = end_ - at_ > 1 ? at_[1] : '\0';
  if (*at_ == '.' && after != '.' && (is(before, class_digit) || is(after, class_digit)))
    return ": numbers have digits on both sides of their point";
  if (*at_ == '<' || *at_ == '>') return ": expressions have + - * / mod";
  if (*at_ == '*' && before == '*') return ": there is no operator for powers";
  if (*at_ == '[' && expected != "'('" && is(before, class_letter | class_digit))
    return ": bytes of a buffer are written as region(B, 0, 8)";
  return {};
}

inline std::string_view reader::unit_hint() const noexcept {
  if (!at_word() || last_ == source_ || !is(last_[-1], class_digit)) return {};
  return is_byte_unit(peek_word().text()) ? ": sizes are in bytes, without a unit" : "";
}

inline bool reader::is_byte_unit(std::string_view w) noexcept {
  for (const std::string_view unit : {"B", "K", "KB", "KiB", "M", "MB", "MiB", "G", "GB", "GiB",
                                      "k", "kB", "kb", "m", "mb", "g", "gb", "bytes"})
    if (w == unit) return true;
  return false;
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_MISTAKES_HPP

// ---- tessera/nem/detail/syntax/read_program.hpp
//
// The part of the reader of NEM that reads declarations, tasks and loops. Lines
// mean nothing, so what follows `X =` tells an attribute from the next
// statement.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- declarations ---

inline bool reader::constant_statement(word start) {
  const std::uint32_t i = put(node_kind::constant, 0, at_);
  take_word(start);
  any_assignment_ = true;
  word w;
  if (!declared_name(w, "the name of a constant")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect('=')) return false;
  if (at_word() && is_call(at_)) [[unlikely]]
    return declared_task(i, w);
  if (at('[') || at('"')) [[unlikely]]
    return unexpected("an expression", ": lists and strings are declared with let");
  if (!expression()) return false;
  finish(i);
  return true;
}

inline bool reader::let_statement(word start) {
  const std::uint32_t i = put(node_kind::let, 0, at_);
  take_word(start);
  word w;
  if (!declared_name(w, "a name")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect('=')) return false;
  if (at_word()) {
    const word v = peek_word();
    if (at_region(v)) return region_declaration(v, i);
    if (is_call(at_)) [[unlikely]]
      return declared_task(i, w);
  }
  any_assignment_ = true;
  if (!value()) return false;
  finish(i);
  return true;
}

inline bool reader::region_declaration(word start, std::uint32_t i) {
  if (!region(start, region_place::declaration) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::buffer_statement(word start) {
  const std::uint32_t i = put(node_kind::buffer, 0, at_);
  take_word(start);
  word w;
  if (!declared_name(w, "the name of a buffer")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect(':') || !any_word(w, "DDR, L2 or L1")) return false;
  switch (w.key) {
    case make_key("DDR"): nodes_[i].detail = static_cast<std::uint8_t>(level::ddr); break;
    case make_key("L2"): nodes_[i].detail = static_cast<std::uint8_t>(level::l2); break;
    case make_key("L1"): nodes_[i].detail = static_cast<std::uint8_t>(level::l1); break;
    default:
      if (!bad_level(i, w)) return false;
  }
  take_word(w);
  if (w.key == make_key("L1") && at('[')) {
    const std::uint32_t index = put(node_kind::level_index, 0, at_);
    const char* const open = at_;
    take();
    if (!expression() || !expect_closing(']', open)) return false;
    finish(index);
  }
  const char* const open = at_;
  if (at('[')) [[unlikely]]
    return unexpected("'('", ": only L1 has an index, which is its engine's");
  if (!expect('(')) return false;
  if (!at(')') && !buffer_properties(i)) return false;
  if (!expect_closing(')', open) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::buffer_properties(std::uint32_t buffer) {
  fields given;
  do {
    word w = at_word() ? peek_word() : word{};
    if (w.key != make_key("size") && w.key != make_key("align") && !bad_property(buffer, w))
      return false;
    const bool is_size = w.key == make_key("size");
    once(given, is_size ? 0 : 1, w, errc::nem_syn_011_argument);
    const std::uint32_t i = put(is_size ? node_kind::size : node_kind::align, 0, at_);
    take_word(w);
    if (!expect('=') || !expression()) return false;
    finish(i);
  } while (comma_before(
      [](word next) { return next.key == make_key("size") || next.key == make_key("align"); }));
  return true;
}

inline bool reader::comma_before(bool (*is_field)(word)) {
  if (take_if(',')) return true;
  if (!at_word() || !is_field(peek_word()) || equals_after(peek_word()) == nullptr) return false;
  missing("',' or ')'", ",");
  return true;
}

// --- loops ---

inline bool reader::loop_statement(word start) {
  const std::uint32_t i = put(node_kind::loop, 0, at_);
  if (loops_ + excess_loops_ >= max_nesting) {
    if (excess_loops_++ == 0 && may_report()) {
      auto out = found_.add(errc::nem_syn_014_depth, token());
      out << "loops are nested deeper than " << max_nesting;
      out.note({0, nodes_[open_loops_[0].loop].offset, 4}) << "the outermost loop begins here";
    }
  } else {
    open_loops_[loops_++] = {i, no_node};
  }
  take_word(start);
  const bool sound = loop_header(i);
  if (!sound && at('{')) {  // a loop as other languages have it: without endloop, that is
    ++other_loops_;
    if (excess_loops_ != 0)
      --excess_loops_;
    else
      --loops_;
    form_ = {};
    take();
    return true;
  }
  const std::uint32_t body = put(node_kind::body, 0, at_end() ? last_ : at_);
  if (excess_loops_ == 0) open_loops_[loops_ - 1].body = body;
  return sound;
}

inline bool reader::loop_header(std::uint32_t i) {
  word w;
  if (!declared_name(w, "the name of a loop variable")) return false;
  nodes_[i].value = intern(w);
  take_word(w);
  if (w.key != make_key("in") || !at('[')) {  // else the name is missing, which has been reported
    if (!at_word()) return unexpected("'in'");
    w = peek_word();
    if (w.key != make_key("in") && !is_upper_case(w, "in")) return unexpected("'in'");
    take_word(w);
  }
  const char* const open = at_;
  if (!expect('[') || !expression()) return false;
  if (at_range())
    take(2);
  else if (!bad_range())
    return false;
  if (!expression()) return false;
  if (!take_if(']')) return unclosed(']', open, at_word() ? ": loops count up by 1" : "");
  if (!decorators()) return false;
  return take_if(':') || bad_loop_end();
}

inline void reader::end_loop(word w) {
  if (excess_loops_ != 0) {
    --excess_loops_;
  } else if (loops_ == 0 && other_loops_ != 0) {
    --other_loops_;
  } else if (loops_ == 0) {
    if (may_report())
      found_.add(errc::nem_syn_003_endloop, range_of(w)) << "endloop without a loop";
  } else {
    const open_loop o = open_loops_[--loops_];
    if (nodes_[o.body].offset < offset_of(at_))
      finish(o.body);
    else
      nodes_[o.body].next = count_;
    take_word(w);
    finish(o.loop);
    return;
  }
  take_word(w);
}

[[gnu::cold]] inline void reader::check_loops() {
  if (loops_ == 0 || !may_report()) return;
  auto out = found_.add(errc::nem_syn_002_loop, token());
  out << "expected endloop, got the end of the file";
  if (loops_ > 1) out << "; " << loops_ << " loops aren't closed";
  out.note({0, nodes_[open_loops_[loops_ - 1].loop].offset, 4})
      << (loops_ > 1 ? "the innermost loop begins here" : "the loop begins here");
}

// --- tasks ---

inline bool reader::assigned_statement(word w, keyword k, const char* equals) {
  const char* const first = at_;
  const char* const value = after_blanks(equals + 1);
  if (value >= end_ || !is(*value, class_letter)) return no_statement();
  const word callee = scan_word(value, end_);
  const keyword called = keyword_of(callee);
  const bool is_region = called == keyword::region;
  if (!is_region && called != keyword::transfer && called != keyword::store &&
      called != keyword::wait) {
    const char* const next = after_blanks(callee.last());
    if (next >= end_ || *next != '.' || is_reserved(called)) return no_statement();
  }
  constexpr std::string_view of_region = "the name of a region", of_token = "the name of a token";
  const std::string_view what = is_region ? of_region : of_token;
  if (is_reserved(k))
    reserved(w, what);
  else if (k != keyword::none && !questionable_name(w, k, what))
    return false;
  const std::uint32_t name = intern(w);
  take_to(equals + 1);
  if (is_region) return region_declaration(callee, put(node_kind::let, 0, first, name));
  return task(first, name, callee, called);
}

inline bool reader::task(const char* first, std::uint32_t token_name, word callee, keyword k) {
  if (k == keyword::transfer) return transfer(node_kind::transfer, first, token_name, callee);
  if (k == keyword::store) return transfer(node_kind::store, first, token_name, callee);
  if (k == keyword::wait) return wait(first, token_name, callee);
  return compute(first, token_name, callee);
}

inline bool reader::mode_of(std::uint32_t i) {
  constexpr std::uint64_t async = make_key(".async");
  if (end_ - at_ >= 8 && (load_le<std::uint64_t>(at_) & ((std::uint64_t{1} << 48) - 1)) == async &&
      !is(at_[6], class_letter | class_digit)) [[likely]] {
    take(6);
    return true;
  }
  if (!take_if('.')) return bad_mode(i);
  const word w = at_word() ? peek_word() : word{};
  if (w.key == make_key("sync"))
    nodes_[i].detail = static_cast<std::uint8_t>(mode::sync);
  else if (w.key != make_key("async")) [[unlikely]]
    return bad_mode(i);
  take_word(w);
  return true;
}

inline bool reader::transfer(node_kind kind, const char* first, std::uint32_t token_name,
                             word callee) {
  const std::uint32_t i = put(kind, 0, first, token_name);
  take_word(callee);
  if (!mode_of(i)) return false;
  const char* const open = at_;
  if (!expect('(')) return false;
  fields given;
  bool more = !at(')');
  while (more) {
    if (!at_word()) return unexpected("dst=, src= or deps=");
    const word w = scan_word(at_, end_);
    unsigned field = argument_of(w);
    const char* equals = equals_after(w);
    if (field == 3 || equals == nullptr) [[unlikely]]
      if (!bad_argument(w, field, equals)) return false;
    once(given, field, w, errc::nem_syn_011_argument);
    if (field == 2) {
      if (!deps(equals)) return false;
    } else {
      const std::uint32_t argument =
          put(field == 0 ? node_kind::destination : node_kind::source, 0, at_);
      take_to(equals + 1);
      if (!operand(region_place::argument)) return false;
      finish(argument);
    }
    more = comma_before([](word next) { return argument_of(next) != 3; });
  }
  if (!expect_closing(')', open)) return false;
  if ((given.seen & 3) != 3) [[unlikely]]
    missing_arguments(i, given.seen);
  if (!decorators()) return false;
  finish(i);
  return true;
}

inline void reader::missing_arguments(std::uint32_t i, std::uint32_t seen) {
  if (may_report())
    found_.add(errc::nem_syn_012_missing, range(source_ + nodes_[i].offset, last_))
        << nem::name(nodes_[i].kind) << " needs "
        << ((seen & 3) == 0   ? "dst= and src="
            : (seen & 1) == 0 ? "dst="
                              : "src=");
}

inline unsigned reader::argument_of(word w) noexcept {
  return w.key == make_key("dst")    ? 0
         : w.key == make_key("src")  ? 1
         : w.key == make_key("deps") ? 2
                                     : 3;
}

inline bool reader::deps(const char* equals) {
  const std::uint32_t i = put(node_kind::deps, 0, at_);
  take_to(equals + 1);
  const char* const open = at_;
  if (!take_if('[')) [[unlikely]] {
    if (!bad_deps()) return false;
  } else {
    if (!at(']') && !tokens()) return false;
    if (!expect_closing(']', open)) return false;
  }
  finish(i);
  return true;
}

inline bool reader::tokens() {
  do {
    if (!at_word()) [[unlikely]] {
      if (!bad_token()) return false;
      continue;
    }
    word id;
    if (!used_name(id, "the name of a token")) return false;
    put_name(id);
  } while (take_if(','));
  return true;
}

inline bool reader::wait(const char* first, std::uint32_t token_name, word callee) {
  const std::uint32_t i = put(node_kind::wait, 0, first, token_name);
  take_word(callee);
  const char* const open = at_;
  if (!expect('(')) return false;
  if (!tokens()) return false;
  if (!expect_closing(')', open) || !decorators()) return false;
  finish(i);
  return true;
}

inline bool reader::operand(region_place where) {
  constexpr std::string_view expected = "a region";
  if (!at_word()) [[unlikely]]
    return unexpected(expected);
  const word w = scan_word(at_, end_);
  if (at_region(w)) {
    if (!region(w, where)) return false;
  } else {
    if (!is_usable(w, expected)) return false;
    put_name(w);
  }
  return !at('@') || decorators();
}

inline bool reader::operands(node_kind kind, std::string_view expected) {
  const bool is_input = kind == node_kind::input;
  if (!at_word()) return unexpected(expected);
  const word w = scan_word(at_, end_);
  constexpr std::uint64_t in = make_key("in"), out = make_key("out");
  if (w.key != (is_input ? in : out) && !is_upper_case(w, is_input ? "in" : "out"))
    return unexpected(expected);
  take_word(w);
  do {
    const std::uint32_t i = put(kind, 0, at_);
    if (!operand(region_place::operand)) return false;
    finish(i);
    last_operand_ = i;
    if (!take_if(',')) return true;
  } while (!is_input || !at('o') || !at_word_out());
  comma_before_out();
  return true;
}

inline bool reader::compute(const char* first, std::uint32_t token_name, word callee) {
  const std::uint32_t i = put(node_kind::compute, 0, first, token_name);
  put_leaf(node_kind::opcode, opcode_words.find(callee, static_cast<std::uint8_t>(opcode::unknown)),
           callee.last(), intern(callee));
  if (!mode_of(i)) return false;
  if (at('(')) [[unlikely]] {
    keyword meant = keyword::none;
    if (!no_operands(callee, meant)) return false;
    count_ = i;
    at_ = callee.first;
    return task(first, token_name, callee, meant);
  }
  if (!operands(node_kind::input, "'in'") || !operands(node_kind::output, "',' or 'out'") ||
      (at('=') && !attribute_as_operand(i)))
    return false;
  const std::uint32_t output = last_operand_;
  bool has_attributes = false;
  seen_attributes_ = 0;
  next_marks();
  for (;;) {
    if (at(',') && !stray_comma()) return false;
    if (!at_word()) break;
    const word w = scan_word(at_, end_);
    const char* const equals = equals_after(w);
    if (equals == nullptr || is_call(after_blanks(equals + 1))) break;
    const keyword k = keyword_of(w);
    if (begins_statement(k)) break;
    has_attributes = true;
    if (!attribute_of_task(w, k, equals)) return false;
  }
  if (!has_attributes)
    hoist(output);
  else if (!decorators())
    return false;
  finish(i);
  return true;
}

// --- attributes ---

inline bool reader::attribute_of_task(word w, keyword k, const char* equals) {
  if (w.key == make_key("deps")) {
    note_attribute(w, no_name);
    return deps(equals);
  }
  if (w.key == make_key("attrs")) {
    const char* const brace = after_blanks(equals + 1);
    if (brace < end_ && *brace == '{') return attributes_in_braces(equals);
  }
  return named_attribute(w, k, equals);
}

inline bool reader::named_attribute(word w, keyword k, const char* equals) {
  if (is_reserved(k)) reserved(w, "the name of an attribute");
  const std::uint8_t a = attribute_words.find(w, static_cast<std::uint8_t>(attribute::unknown));
  const std::uint32_t index = intern(w);
  note_attribute(w, index);
  const std::uint32_t i = put(node_kind::attribute, a, at_, index);
  take_to(equals + 1);
  if (!value(true)) return false;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::attributes_in_braces(const char* equals) {
  take_to(equals + 1);
  const char* const open = at_;
  take();
  while (!at('}')) {
    if (!at_word()) return expect_closing('}', open);
    const word k = peek_word();
    const char* const value = equals_after(k);
    if (value == nullptr) {
      take_word(k);
      return unexpected("'='");
    }
    if (k.key == make_key("deps")) {
      note_attribute(k, no_name);
      if (!deps(value)) return false;
    } else if (!named_attribute(k, keyword_of(k), value)) {
      return false;
    }
    (void)take_if(',');
  }
  take();
  return true;
}

inline void reader::note_attribute(word w, std::uint32_t name_index) {
  bool again;
  if (name_index == no_name) {
    again = (seen_attributes_ & 1) != 0;
    seen_attributes_ |= 1;
  } else {
    again = mark(name_index);
  }
  if (again) [[unlikely]]
    repeated_attribute(w, name_index);
}

inline bool reader::mark(std::uint32_t name_index) {
  if (marks_.size() <= name_index) grow_marks();
  const bool again = marks_[name_index] == mark_;
  marks_[name_index] = mark_;
  return again;
}

inline void reader::repeated_attribute(word w, std::uint32_t name_index) {
  const node_kind kind = name_index == no_name ? node_kind::deps : node_kind::attribute;
  std::uint32_t i = last_operand_;
  while (i < count_ &&
         (nodes_[i].kind != kind || (name_index != no_name && nodes_[i].value != name_index)))
    ++i;
  const std::uint32_t offset = i < count_ ? nodes_[i].offset : offset_of(w.first);
  repeated(errc::nem_opc_007_repeated, range_of(w), w.text(), {0, offset, w.size});
}

// --- decorators after the last operand ---

inline bool reader::is_of_task(const node& n) noexcept {
  switch (static_cast<nem::decorator>(n.detail)) {
    case decorator::resource:
    case decorator::deterministic:
    case decorator::memmove:
    case decorator::seq_engine:
    case decorator::debug:
    case decorator::profile: return true;
    default: return false;
  }
}

inline void reader::hoist(std::uint32_t output) {
  std::uint32_t first = nodes_[output + 1].next, moved = 0, kept = 0;
  bool in_order = true;
  for (std::uint32_t c = first; c < count_; c = nodes_[c].next) {
    if (is_of_task(nodes_[c])) {
      ++moved;
    } else {
      in_order = in_order && moved == 0;
      ++kept;
    }
  }
  if (moved == 0) return;
  if (!in_order) partition(first);
  std::uint32_t last_kept = output + 1;
  for (std::uint32_t c = first; kept != 0; --kept) last_kept = c, c = nodes_[c].next;
  nodes_[output].next = nodes_[last_kept].next;
  const node& n = nodes_[last_kept];
  const std::uint32_t length = n.offset - nodes_[output].offset + n.length;
  nodes_[output].length = static_cast<std::uint16_t>(length < 65535 ? length : 65535);
}

inline void reader::partition(std::uint32_t first) {
  pool<node> old;
  old.append(nodes_ + first, count_ - first);
  std::uint32_t to = first;
  for (const bool of_task : {false, true}) {
    for (std::uint32_t c = 0; c < old.size();) {
      const std::uint32_t next = old[c].next - first;
      const std::uint32_t shift = to - (first + c);
      if (is_of_task(old[c]) == of_task)
        for (std::uint32_t k = c; k < next; ++k) {
          nodes_[to] = old[k];
          nodes_[to++].next += shift;
        }
      c = next;
    }
  }
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_PROGRAM_HPP

// ---- tessera/nem/detail/syntax/read_token.hpp
//
// The part of the reader of NEM that all productions use: nodes, findings,
// numbers and strings.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- nodes ---

inline std::uint32_t reader::put(node_kind kind, unsigned detail, const char* first,
                                 std::uint32_t value) {
  if (count_ == room_) [[unlikely]]
    more_nodes();
  const std::uint32_t i = count_++;
  nodes_[i] = {kind, static_cast<std::uint8_t>(detail), 0, offset_of(first), value, i + 1};
  return i;
}

[[gnu::noinline]] inline void reader::finish(std::uint32_t i) noexcept {
  set_end(i, last_);
  nodes_[i].next = count_;
}

inline void reader::put_leaf(node_kind kind, unsigned detail, const char* last,
                             std::uint32_t value) {
  if (count_ == room_) [[unlikely]]
    more_nodes();
  const std::uint32_t i = count_++;
  nodes_[i] = {kind,
               static_cast<std::uint8_t>(detail),
               length_of(static_cast<std::uint32_t>(last - at_)),
               offset_of(at_),
               value,
               i + 1};
  last_ = last;
  at_ = skip(last);
}

// --- diagnostics ---

inline place reader::token() const noexcept {
  if (!at_end()) [[likely]]
    return range(at_, token_end());
  const char* p = at_;
  if (p > source_ && p[-1] == '\n') --p;
  if (p > source_ && p[-1] == '\r') --p;
  return range(p, p);
}

inline bool reader::may_report() noexcept {
  if (!stopped_ && found_.errors() >= max_errors_) stop();
  return !stopped_;
}

inline void reader::stop() noexcept {
  stopped_ = true;
  end_ = at_;
}

inline bool reader::may_warn(errc code) noexcept {
  if (severity_of(code, found_.profile()) == severity::error) return may_report();
  if (stopped_) return false;
  if (warnings_++ < max_findings / 2) return true;
  ++found_.report().warnings;
  return false;
}

inline reader::got::got(const lexer& in, std::string_view token) noexcept
    : end_(in.at_end()), cut_(token.size() > 40), token_(token) {
  if (!cut_) return;
  std::size_t size = 37;
  while (size > 0 && (static_cast<unsigned char>(token[size]) & 0xc0u) == 0x80u) --size;
  token_ = token.substr(0, size);
}

inline reader::got reader::here_is() const noexcept {
  const char* const last = token_end();
  return got(*this, {at_, static_cast<std::size_t>(last - at_)});
}

inline bool reader::not_a_token() {
  if (at_end() || is(*at_, class_letter | class_mark)) return false;
  if (*at_ == '"') {
    if (after_string(at_) != nullptr) return false;
    const char* const last = line_end(at_);
    if (may_report())
      found_.add(errc::nem_lex_002_string, range(at_, last))
          << "the string isn't closed before the end of its line";
    take_to(last);
    return true;
  }
  if (is(*at_, class_digit)) {
    const char* const last = after_number(at_);
    if (is_sound_number(at_, last)) return false;
    bad_number(last);
    return true;
  }
  bad_character(at_);
  take_to(at_ + character_length(at_));
  return true;
}

inline unsigned reader::character_length(const char* p) const noexcept {
  const unsigned length = utf8_length(p, end_);
  return length != 0 ? length : 1;
}

inline void reader::bad_character(const char* p) {
  if (!may_report()) return;
  const unsigned length = utf8_length(p, end_);
  const unsigned byte = static_cast<unsigned char>(*p);
  auto out = found_.add(errc::nem_lex_001_character, range(p, p + character_length(p)));
  if (length == 0 || byte < 0x20 || byte == 0x7f)
    out << "the byte " << byte << (length == 0 ? " isn't valid UTF-8" : " isn't allowed here");
  else
    out << "the character '" << std::string_view(p, length)
        << "' is allowed only in comments and strings"
        << (is_sigil(p) ? ": names have no '%'" : usual(std::string_view(p, length)));
  if (byte == '%' && (!is_sigil(p) || is(p[1], class_letter)))
    out.fix(range(p, p + 1)) << (is_sigil(p) ? "" : "mod");
}

inline std::string_view reader::usual(std::string_view character) noexcept {
  if (character == "%") return ": the remainder is mod";
  if (character == "'" || character.substr(0, 2) == "\xe2\x80")
    return ": strings are enclosed in \"\"";
  for (const std::string_view o : {"^", "&", "|", "~", "!"})
    if (character == o) return ": expressions have + - * / mod";
  return character == "\xc2\xa0" ? ": it is a no-break space" : "";
}

inline bool reader::unexpected(std::string_view expected, std::string_view hint) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected " << expected << ", got " << here_is() << hint;
  if (at_other_comment()) out << ": comments begin with '#'";
  if (hint.empty()) out << mark_hint(expected) << unit_hint();
  return false;
}

inline void reader::missing(std::string_view expected, std::string_view what) {
  if (!may_report()) return;
  const bool is_line_end = !at_end() && on_new_line();  // then it is the last one that is wrong
  auto out = found_.add(errc::nem_syn_001_token, is_line_end ? range(last_, last_) : token());
  out << "expected " << expected << (is_line_end ? " before " : ", got ") << here_is();
  out.fix(range(last_, last_)) << what;
}

// --- tokens ---

inline bool reader::expect(char c) {
  if (at_ < end_ && *at_ == c) [[likely]] {
    take();
    return true;
  }
  return unexpected_mark(c);
}

inline bool reader::unexpected_mark(char c) {
  if (is_other_mark(c)) return true;
  if (c == '=' && !at_end() && is(*at_, class_digit) && !on_new_line())
    return missing("'='", " ="), !stopped_;
  const char quoted[] = {'\'', c, '\''};
  return unexpected({quoted, 3});
}

inline bool reader::expect_closing(char c, const char* open) {
  if (take_if(c)) [[likely]]
    return true;
  return unclosed(c, open);
}

inline bool reader::unclosed(char c, const char* open, std::string_view hint) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected '" << c << "', got " << here_is() << hint;
  if (at_other_comment()) out << ": comments begin with '#'";
  if (hint.empty()) out << mark_hint({}) << unit_hint();
  out.note(range(open, open + 1)) << "to match this '" << *open << '\'';
  return false;
}

inline bool reader::declared_name(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return !may_be_keyword(w) || questionable_name(w, find_keyword(w), what);
}

inline bool reader::questionable_name(word w, keyword k, std::string_view what) {
  if (k == keyword::none) return true;
  if (k == keyword::upstream) {
    if (may_warn(errc::nem_syn_018_upstream_reserved))
      found_.add(errc::nem_syn_018_upstream_reserved, range_of(w))
          << "other readers of NEM reserve '" << w.text() << '\'';
    return true;
  }
  if (begins_statement(k) && on_new_line()) return unexpected(what);
  reserved(w, what);
  return true;
}

inline void reader::reserved(word w, std::string_view what) {
  if (may_report())
    found_.add(errc::nem_syn_013_reserved, range_of(w))
        << "expected " << what << ", but '" << w.text() << "' is a reserved word";
}

inline bool reader::used_name(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return is_usable(w, what);
}

[[gnu::noinline]] inline bool reader::is_usable_keyword(word w, std::string_view what) {
  const keyword k = find_keyword(w);
  if (k == keyword::none || k == keyword::upstream) return true;
  if (k != keyword::element && k != keyword::level) return unexpected(what);
  reserved(w, what);
  return true;
}

inline bool reader::any_word(word& w, std::string_view what) {
  if (!at_word()) [[unlikely]]
    return unexpected(what);
  w = scan_word(at_, end_);
  return true;
}

// --- numbers and strings ---

inline bool reader::number() {
  std::uint32_t v = 0;
  const char* p = at_;
  const char* const nine = end_ - p > 9 ? p + 9 : end_;  // digits that can't overflow
  for (unsigned digit; p < nine && (digit = static_cast<unsigned>(*p - '0')) < 10; ++p)
    v = v * 10 + digit;
  if (p == nine || *p == '.' || is(*p, class_letter)) [[unlikely]]
    return long_number(p, v);
  put_leaf(node_kind::integer, 0, p, v);
  return true;
}

[[gnu::noinline]] inline bool reader::long_number(const char* p, std::uint64_t v) {
  const char* const first = at_;
  while (p < end_ && is(*p, class_digit)) {
    if (v > (~std::uint64_t{0} - 9) / 10) [[unlikely]]
      v = ~std::uint64_t{0} / 10 - 1;  // stays above 2^63 with every digit that follows
    v = v * 10 + static_cast<std::uint64_t>(*p++ - '0');
  }
  if (p < end_) {
    if (is(*p, class_letter)) return bad_number(after_number(first));
    if (*p == '.' && end_ - p >= 2 && is(p[1], class_digit)) return real(p);
  }
  if (v >> 63 != 0) [[unlikely]] {
    if (may_report())
      found_.add(errc::nem_lex_005_integer, range(first, p))
          << "the integer exceeds 2^63 - 1 = 9223372036854775807";
    v = 1;  // so that reading goes on
  }
  if (v >> 32 == 0) {
    put_leaf(node_kind::integer, 0, p, static_cast<std::uint32_t>(v));
  } else {
    put_leaf(node_kind::wide_integer, 0, p, static_cast<std::uint32_t>(d_.integers.size()));
    d_.integers.push_back(static_cast<std::int64_t>(v));
  }
  return true;
}

inline bool reader::real(const char* point) {
  const char* const first = at_;
  const char* p = point + 1;
  while (p < end_ && is(*p, class_digit)) ++p;
  const char* const digits_end = p;
  std::int64_t exponent = 0;
  if (p < end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    const bool negative = p < end_ && *p == '-';
    if (p < end_ && (*p == '-' || *p == '+')) ++p;
    if (p >= end_ || !is(*p, class_digit)) return bad_number(after_number(first));
    for (; p < end_ && is(*p, class_digit); ++p)
      if (exponent < std::int64_t{1} << 50) exponent = exponent * 10 + (*p - '0');
    if (negative) exponent = -exponent;
  }
  if (p < end_ && is(*p, class_letter)) return bad_number(after_number(first));
  const double v =
      decimal_to_double({.digits = {first, static_cast<std::size_t>(digits_end - first)},
                         .exponent = exponent - (digits_end - point - 1)});
  if (v > 1.7976931348623157e308) {
    if (may_report())
      found_.add(errc::nem_lex_004_number, range(first, p))
          << "the number exceeds the largest double, 1.7976931348623157e308";
  }
  put_leaf(node_kind::real, 0, p, static_cast<std::uint32_t>(d_.reals.size()));
  d_.reals.push_back(v);
  return true;
}

inline bool reader::bad_number(const char* last) {
  if (may_report()) {
    const std::string_view number(at_, static_cast<std::size_t>(last - at_ < 40 ? last - at_ : 40));
    auto out = found_.add(errc::nem_lex_004_number, range(at_, last));
    out << "malformed number '" << number << "': ";
    const char* p = at_;
    while (p < last && is(*p, class_digit)) ++p;
    const char* const digits_end = p;
    const bool has_exponent = p < last && (*p == 'e' || *p == 'E');
    if (has_exponent && ++p < last && (*p == '-' || *p == '+')) ++p;
    const char* const exponent = p;
    while (p < last && is(*p, class_digit)) ++p;
    if (has_exponent && p != exponent && p == last) {
      out << "numbers with an exponent have a point, as 1.0e5";
      out.fix(range(digits_end, digits_end)) << ".0";
    } else if (number.substr(0, 2) == "0x" || number.substr(0, 2) == "0X") {
      out << "integers are decimal";
    } else if (is_byte_unit({digits_end, static_cast<std::size_t>(last - digits_end)})) {
      out << "sizes are in bytes, without a unit";
    } else if (number.find('_') != number.npos) {
      out << "digits aren't separated";
    } else {
      out << "expected digits, or digits '.' digits with an exponent or none";
    }
  }
  take_to(last);
  return false;
}

inline bool reader::is_sound_number(const char* p, const char* last) const noexcept {
  const auto digits = [&] {
    const char* const first = p;
    while (p < last && is(*p, class_digit)) ++p;
    return p != first;
  };
  (void)digits();
  if (p == last) return true;
  if (*p++ != '.' || !digits()) return false;
  if (p == last) return true;
  if (*p != 'e' && *p != 'E') return false;
  ++p;
  if (p < last && (*p == '+' || *p == '-')) ++p;
  return digits() && p == last;
}

inline bool reader::string_value(std::uint32_t& index, std::string_view what) {
  if (!at('"')) return unexpected(what);
  const char* const last = after_string(at_);
  if (last == nullptr) return !not_a_token();
  bool plain = true;
  for (const char* p = at_ + 1; p != last - 1; ++p) {
    const unsigned char c = static_cast<unsigned char>(*p);
    plain = plain && c != '\\' && c >= 0x20 && c < 0x7f;
  }
  if (plain) {
    index = names_.of_text({at_ + 1, static_cast<std::size_t>(last - at_ - 2)});
  } else {
    resolve_escapes(at_ + 1, last - 1);
    index = names_.of_text(scratch_);
  }
  take_to(last);
  return true;
}

inline void reader::resolve_escapes(const char* p, const char* last) {
  scratch_.clear();
  while (p != last) {
    const unsigned char c = static_cast<unsigned char>(*p);
    unsigned length = utf8_length(p, last);
    if (c == '\\') {
      const char e = p[1];
      if (e == 'n' || e == 't' || e == '\\' || e == '"') {
        scratch_ << (e == 'n' ? '\n' : e == 't' ? '\t' : e);
        p += 2;
        continue;
      }
      if (may_warn(errc::nem_lex_003_escape))
        found_.add(errc::nem_lex_003_escape, range(p, p + 1 + character_length(p + 1)))
            << "unknown escape: expected one of \\n \\t \\\\ \\\"; it is kept "
               "as it is";
    } else if ((c < 0x20 && c != '\t') || c == 0x7f || length == 0) {
      bad_character(p);
      length = 1;
    }
    scratch_ << std::string_view(p, length);
    p += length;
  }
}

inline void reader::grow(std::uint64_t capacity) {
  if (capacity < 16) capacity = 16;
  if (capacity > max_nodes_) capacity = max_nodes_;
  d_.nodes.advance(count_ - d_.nodes.size());
  d_.nodes.reserve(to_size(capacity) + 2);  // two spare ones are written when a limit is met
  nodes_ = d_.nodes.data();
  room_ = static_cast<std::uint32_t>(capacity);
}

inline void reader::more_nodes() {
  if (room_ < max_nodes_) {
    const auto left = static_cast<std::uint64_t>(end_ - at_);  // bytes; hardly any has two nodes
    const std::uint64_t enough = room_ + left + left / 4 + 64, doubled = std::uint64_t{room_} * 2;
    return grow(doubled < enough ? doubled : enough);
  }
  if (failure_.code == errc::ok && !stopped_) {
    failure_ = {errc::too_many_items, here()};
    found_.add(errc::too_many_items, token())
        << "a file holds more than limits::max_items = " << max_nodes_ << " nodes";
  }
  stop();
  count_ = room_ - 1;
}

inline void reader::once(fields& f, unsigned field, word w, errc code) {
  if ((f.seen >> field & 1) == 0) [[likely]] {
    f.seen |= 1u << field;
    f.first[field] = offset_of(w.first);
    f.length[field] = static_cast<std::uint16_t>(w.size);
    return;
  }
  repeated(code, range_of(w), w.text(), {0, f.first[field], f.length[field]});
}

inline void reader::repeated(errc code, place where, std::string_view name, place before) {
  if (!may_report()) return;
  auto out = found_.add(code, where);
  out << "duplicate '" << name << '\'';
  out.note(before) << "first given here";
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_TOKEN_HPP

// ---- tessera/nem/detail/syntax/read_value.hpp
//
// The part of the reader of NEM that reads values, decorators and regions.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

// --- expressions ---

inline bool reader::expression(bool words) {
  const char* const first = at_;
  const std::uint32_t slot = count_;
  if (!is_leaf_here()) [[unlikely]] {
    put(node_kind::expression, 0, first);
    return operators(slot, first, 0, false, words);
  }
  if (!leaf(words)) return false;
  return !at_operator() || expression_after(slot, words);
}

inline bool reader::value(bool words) {
  const char c = peek();
  if (c == '[') return list(words);
  if (c == '"') return string_leaf();
  return expression(words);
}

[[gnu::cold]] inline bool reader::string_leaf() {
  const char* const first = at_;
  std::uint32_t index;
  if (!string_value(index, "a string")) return false;
  const std::uint32_t i = put(node_kind::string, 0, first, index);
  finish(i);
  return true;
}

// --- decorators ---

inline bool reader::decorators() {
  while (at('@'))
    if (!decorator()) return false;
  return true;
}

// --- regions ---

inline bool reader::region(word start, region_place where) {
  const std::uint32_t i = put(node_kind::region, 0, start.first);
  take_word(start);
  const char* const open = at_;
  word w;
  if (!expect('(') || !used_name(w, "the name of a buffer")) return as_in(example_of_region);
  nodes_[i].value = intern(w);
  take_word(w);
  if (!expect(',') || !expression() || !expect(',') || !expression())
    return as_in(example_of_region);
  attributes_.seen = 0;
  if (at(',') && !inner_type_attributes()) return false;
  if (!expect_closing(')', open)) return false;
  if (!type_attributes(where)) return false;
  finish(i);
  return attributes_.seen == 0 || check_type(i);
}

inline bool reader::at_region(word w) const noexcept {
  if (w.key != make_key("region")) return false;
  const char* const p = after_blanks(w.last());
  return p < end_ && *p == '(';
}

inline bool reader::element_leaf(node_kind kind) {
  word w;
  if (!any_word(w, "an element type")) return false;
  const element e = element_of(w);
  put_leaf(kind, static_cast<unsigned>(e), w.last(), 0);
  return true;
}

inline element reader::element_of(word w) {
  const auto e =
      static_cast<element>(element_words.find(w, static_cast<std::uint8_t>(element::none)));
  if (e == element::none) [[unlikely]]
    unknown_element(w);
  return e;
}

inline void reader::unknown_element(word w) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_typ_001_element, range_of(w));
  out << "unknown element type '" << w.text() << "', expected one of";
  for (std::size_t k = 0; k < element_count; ++k)
    if (element_table[k].kind != element_class::extension) out << ' ' << element_table[k].name;
  const element meant = element_meant(w.text());
  if (meant != element::none) out.note() << "did you mean " << name(meant) << '?';
}

// --- expressions ---

inline bool reader::expression_after(std::uint32_t slot, bool words) {
  const char* const first = source_ + nodes_[slot].offset;
  put(node_kind::expression, 0, first);  // before the leaf, which moves
  if (stopped_) return false;
  const node e = nodes_[slot + 1];
  nodes_[slot + 1] = nodes_[slot];
  nodes_[slot] = e;
  nodes_[slot + 1].next = slot + 2;
  open_[0] = take_operator(first);
  const char* const second = at_;
  if (!is_leaf_here()) return operators(slot, second, 1, false, words);
  if (!leaf(words)) return false;
  if (at_operator()) return operators(slot, second, 1, true, words);
  set_end(put(open_[0].kind, 0, first), last_);
  finish(slot);
  return true;
}

inline bool reader::leaf(bool words) {
  if (is(*at_, class_digit)) return number();
  const word w = scan_word(at_, end_);
  if (may_be_keyword(w) && !is_leaf_keyword(w, words)) return false;
  put_name(w);
  return true;
}

[[gnu::noinline]] inline bool reader::is_leaf_keyword(word w, bool words) {
  const keyword k = find_keyword(w);
  if (k == keyword::none || k == keyword::upstream) return true;
  if (k == keyword::element || k == keyword::level) {
    if (!words || k == keyword::level) reserved(w, "an expression");
    return true;
  }
  if (k != keyword::region) return unexpected("an expression");
  if (may_report())
    found_.add(errc::nem_syn_001_token, range_of(w))
        << "expected an expression, got 'region': regions are operands, or "
           "follow 'let X ='";
  return false;
}

inline bool reader::at_mod() const noexcept {
  return end_ - at_ >= 3 && at_[1] == 'o' && at_[2] == 'd' &&
         (end_ - at_ == 3 || !is(at_[3], class_letter | class_digit));
}

inline reader::open_operator reader::take_operator(const char* operand) {
  const char c = *at_;
  const node_kind kind = c == '+'   ? node_kind::add
                         : c == '-' ? node_kind::subtract
                         : c == '*' ? node_kind::multiply
                         : c == '/' ? node_kind::divide
                                    : node_kind::modulo;
  if (on_new_line()) [[unlikely]]
    warn_line_operator();
  take(c == 'm' ? 3 : 1);
  return {kind, precedence_of(c), operand};
}

inline bool reader::operators(std::uint32_t slot, const char* operand, std::uint32_t depth,
                              bool has_operand, bool words) {
  std::uint32_t nested = lists_;
  const auto reduce = [&](unsigned precedence) {
    while (depth != 0 && open_[depth - 1].precedence >= precedence) {
      const open_operator& o = open_[--depth];
      set_end(put(o.kind, 0, o.first), last_);
      operand = o.first;
      if (o.kind == node_kind::negate) --nested;
    }
  };
  for (;;) {
    if (!has_operand) {
      for (char c; (c = peek()) == '-' || c == '(';) {
        if (++nested > max_nesting) return too_deep("parentheses, signs and lists");
        if (c == '-')
          open_[depth++] = {node_kind::negate, 3, at_};
        else
          open_[depth++] = {node_kind::expression, 0, at_};
        take();
      }
      operand = at_;
      if (!is_leaf_here()) return unexpected("an expression");
      if (!leaf(words)) return false;
    }
    has_operand = false;
    for (; at(')'); take()) {
      reduce(1);
      if (depth == 0) break;
      operand = open_[--depth].first;
      --nested;
    }
    if (!at_operator()) break;
    reduce(precedence_of(*at_));
    open_[depth++] = take_operator(operand);
  }
  reduce(1);
  if (depth != 0) return unclosed(')', open_[depth - 1].first);
  if (count_ == slot + 2) {  // parentheses around a leaf
    nodes_[slot] = nodes_[slot + 1];
    nodes_[slot].next = slot + 1;
    --count_;
  } else {
    finish(slot);
  }
  return true;
}

inline void reader::warn_line_operator() {
  if (may_warn(errc::nem_syn_017_line_operator))
    found_.add(errc::nem_syn_017_line_operator, token())
        << "operator at the beginning of a line: other readers of NEM end the "
           "expression before "
           "it";
}

inline bool reader::too_deep(std::string_view what) {
  if (may_report())
    found_.add(errc::nem_syn_014_depth, token()) << what << " nested deeper than " << max_nesting;
  return false;
}

// --- lists ---

inline bool reader::list(bool words) {
  lists_ = 0;
  const bool sound = list_items(words);
  lists_ = 0;
  return sound;
}

inline bool reader::list_items(bool words) {
  for (;;) {
    if (at('[')) {
      if (lists_ == max_nesting) return too_deep("lists");
      open_lists_[lists_++] = put(node_kind::list, 0, at_);
      take();
      if (!at(']')) continue;
    } else if (at('"') ? !string_leaf() : !expression(words)) {
      return false;
    }
    for (;;) {  // after a value, or at the end of an empty list
      if (at(']')) {
        take();
        finish(open_lists_[--lists_]);
        if (lists_ == 0) return true;
        continue;
      }
      if (!at(',')) return unclosed_list(nodes_[open_lists_[lists_ - 1]].offset);
      take();
      if (!at(']')) break;
      trailing_comma();
    }
  }
}

inline void reader::trailing_comma() {
  if (!may_warn(errc::nem_syn_019_trailing_comma)) return;
  const place comma = range(last_ - 1, last_);
  auto out = found_.add(errc::nem_syn_019_trailing_comma, comma);
  out << "a trailing comma is an extension";
  out.fix(comma) << "";
}

inline bool reader::unclosed_list(std::uint32_t open) {
  if (not_a_token() || !may_report()) return false;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected ',' or ']', got " << here_is();
  out.note({0, open, 1}) << "to match this '['";
  return false;
}

inline bool reader::dimensions(std::uint32_t i, std::string_view what) {
  const char* const open = at_;
  if (!expect('[')) return false;
  if (at(']')) [[unlikely]]
    empty_dimensions(open, what);
  while (!at(']')) {
    if (!expression()) return false;
    if (!at(',')) break;
    take();
    if (at(']')) trailing_comma();
  }
  if (!at(']')) return unclosed_list(offset_of(open));
  take();
  finish(i);
  return true;
}

inline void reader::empty_dimensions(const char* open, std::string_view what) {
  if (may_warn(errc::nem_syn_019_trailing_comma))
    found_.add(errc::nem_syn_019_trailing_comma, range(open, at_ + 1))
        << "empty " << what << " is an extension: rank 0";
}

// --- decorators ---

inline bool reader::decorator() {
  const std::uint32_t i = put(node_kind::decorator, 0, at_);
  take();
  word w;
  if (!any_word(w, "the name of a decorator")) return false;
  nodes_[i].detail = decorator_words.find(w, static_cast<std::uint8_t>(decorator::unknown));
  nodes_[i].value = intern(w);
  take_word(w);
  if (at('(')) {
    const char* const open = at_;
    take();
    if (at_word() && at_unit_index()) {
      if (!unit_index()) return false;
    } else if (at(')')) {
      if (!empty_argument(w)) return false;
    } else {
      do {
        if (!value()) return false;
      } while (take_if(','));
    }
    if (!take_if(')')) return unclosed(')', open, decorator_form(w));
  } else if (at_decorator_argument(w)) {
    bad_decorator_argument(w);
  }
  finish(i);
  return true;
}

inline bool reader::at_unit_index() const noexcept {
  const char* const p = after_blanks(peek_word().last());
  return p < end_ && *p == '[';
}

[[gnu::cold]] inline bool reader::unit_index() {
  word w;
  if (!used_name(w, "a unit")) return false;
  const std::uint32_t i = put(node_kind::unit_index, 0, at_, intern(w));
  take_word(w);
  const char* const open = at_;
  take();
  if (!expression() || !expect_closing(']', open)) return false;
  finish(i);
  return true;
}

// --- type attributes ---

inline reader::type_field reader::type_field_of(word w) noexcept {
  switch (w.key) {
    case make_key("elem"): return f_elem;
    case make_key("shape"): return f_shape;
    case make_key("layout"): return f_layout;
    case make_key("strides"): return f_strides;
    case make_key("quant"): return f_quant;
    default: return f_none;
  }
}

inline bool reader::is_type_attribute(type_word& t, const char* p,
                                      bool after_comma) const noexcept {
  t.field = f_none;
  if (p >= end_ || !is(*p, class_letter)) return false;
  t.name = scan_word(p, end_);
  t.field = type_field_of(t.name);
  if (t.field == f_none) return false;
  t.equals = equals_after(t.name);
  return t.equals != nullptr && (after_comma || !is_call(after_blanks(t.equals + 1)));
}

inline bool reader::inner_type_attributes() {
  take();
  const char* const first = at_;
  type_word t;
  if (!is_type_attribute(t, first, true)) return unexpected("a type attribute or ')'");
  if (!type_attributes(region_place::argument, true)) return false;
  if (may_warn(errc::nem_syn_020_inner_type))
    found_.add(errc::nem_syn_020_inner_type, range(first, last_))
        << "type attributes belong after the parentheses of region";
  return true;
}

inline bool reader::type_attributes(region_place where, bool after_comma) {
  type_word t;
  const char* p = at_;
  for (bool is_first = true;; is_first = false) {
    if (!is_type_attribute(t, p, after_comma) && (t.field == f_none || !no_equals(t))) {
      if (is_first && (at(',') || at(':')) && where == region_place::declaration &&
          mark_before_type())
        return type_attributes(where);
      if (is_first || !after_comma || where != region_place::declaration) return true;
      take();
      return unexpected("one of elem=, shape=, layout=, strides= and quant=");
    }
    if (is_first) {
      if (where == region_place::operand && t.field != f_elem) return true;
    } else if (!after_comma) {
      // Without a comma, `strides` may be the attribute of a task.
      if (where == region_place::operand && t.field == f_strides) return true;
      missing_comma();
      if (at_end()) return true;
    }
    at_ = p;
    once(attributes_, t.field, t.name, errc::nem_syn_010_type_attribute);
    const unsigned both = 1u << f_layout | 1u << f_strides;
    if ((both >> t.field & 1) != 0 && (attributes_.seen & both) == both) [[unlikely]]
      layout_and_strides(t.name, t.field == f_layout ? f_strides : f_layout);
    if (!type_attribute(t)) return as_in(examples_of_types[t.field]);
    after_comma = at(',');
    p = after_comma ? after_blanks(at_ + 1) : at_;
  }
}

inline void reader::missing_comma() {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_009_comma, token());
  out << "expected ',' between type attributes, got " << here_is();
  out.fix(range(last_, last_)) << ',';
}

inline void reader::layout_and_strides(word w, type_field other) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_010_type_attribute, range_of(w));
  out << "layout and strides exclude each other; expected one of them";
  out.note({0, attributes_.first[other], attributes_.length[other]}) << "the other is given here";
}

inline bool reader::type_attribute(const type_word& t) {
  constexpr node_kind kinds[] = {node_kind::elem, node_kind::shape, node_kind::layout,
                                 node_kind::strides, node_kind::quant};
  const std::uint32_t i = put(kinds[t.field], 0, t.name.first);
  take_to(t.equals + 1);
  word v;
  switch (t.field) {
    case f_shape: return dimensions(i, "shape");
    case f_strides: return dimensions(i, "strides");
    case f_quant: return quant(i);
    case f_elem:
      if (!any_word(v, "an element type")) return false;
      nodes_[i].detail = static_cast<std::uint8_t>(element_of(v));
      break;
    default:
      if (!any_word(v, "the name of a layout")) return false;
      nodes_[i].value = intern(v);
  }
  take_word(v);
  finish(i);
  return true;
}

inline bool reader::check_type(std::uint32_t i) {
  const std::uint32_t both = 1u << f_elem | 1u << f_shape;
  if ((attributes_.seen & both) != both) [[unlikely]]
    incomplete_type(i);
  return true;
}

inline void reader::incomplete_type(std::uint32_t i) {
  if (may_report())
    found_.add(errc::nem_syn_012_missing, range_of(i))
        << ((attributes_.seen & 1u << f_elem) == 0 ? "elem=" : "shape=")
        << " is missing: type attributes need both elem and shape";
}

// --- quantization ---

[[gnu::cold]] inline bool reader::quant(std::uint32_t i) {
  word w;
  if (!any_word(w, "per_tensor, per_channel or per_group")) return false;
  unsigned form = 0;
  while (form < 3 && w.text() != name(static_cast<quantization>(form))) ++form;
  if (form == 3) return unexpected("per_tensor, per_channel or per_group");
  nodes_[i].detail = static_cast<std::uint8_t>(form);
  take_word(w);
  constexpr std::uint32_t axis = 1, group_size = 2, scalars = 12, lists = 48;
  constexpr std::uint32_t required[] = {scalars, axis | lists, axis | group_size | lists};
  const char* const open = at_;
  fields given;
  bool sound = true;
  if (!expect('(')) return false;
  do {
    if (!any_word(w, "a field of the descriptor")) return false;
    unsigned field = 0;
    while (field < 6 && w.text() != quant_field_names[field]) ++field;
    if (field == 6 || (required[form] >> field & 1) == 0) {
      sound = false;
      unknown_field(required[form], static_cast<quantization>(form));
      field = 0;
    } else {
      once(given, field, w, errc::nem_syn_011_argument);
    }
    const std::uint32_t f = put(node_kind::quant_field, field, at_);
    take_word(w);
    if (!expect('=') || !value()) return false;
    finish(f);
  } while (take_if(','));
  if (!expect_closing(')', open)) return false;
  finish(i);
  const std::uint32_t absent = required[form] & ~given.seen;
  if (absent == 0 || !sound || !may_report()) return true;
  auto out = found_.add(errc::nem_syn_012_missing, range_of(i));
  out << name(static_cast<quantization>(form)) << " needs";
  for (unsigned field = 0; field < 6; ++field)
    if ((absent >> field & 1) != 0) out << ' ' << quant_field_names[field] << '=';
  return true;
}

inline void reader::unknown_field(std::uint32_t known, quantization form) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_001_token, token());
  out << "expected a field of " << name(form) << " (";
  const char* separator = "";
  for (unsigned field = 0; field < 6; ++field)
    if ((known >> field & 1) != 0) out << separator << quant_field_names[field], separator = ", ";
  out << "), got " << here_is();
}

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_VALUE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

inline reader::reader(std::string_view source, const read_options& options, tessera::report* found)
    : lexer(source),
      names_(d_, source.size()),
      found_(found, options.profile, max_findings),
      max_errors_(found_.errors() + (options.max_errors != 0 ? options.max_errors : 1)),
      max_nodes_(options.limit.max_items >= no_node ? no_node - 1
                 : options.limit.max_items == 0
                     ? 1
                     : static_cast<std::uint32_t>(options.limit.max_items)),
      progress_(options.progress),
      next_report_(options.progress.passed == nullptr ? end_ : source.data()) {
  grow(source.size() / 6);
}

inline result<model> reader::read() {
  while (!at_end()) {
    const char* const first = at_;
    if (first > next_report_) [[unlikely]]
      report_progress();
    if (!statement()) after_error(first);
  }
  check_loops();
  if (failure_.code != errc::ok && !found_.failed()) return failure_;
  if (found_.failed()) return found_.first_error();
  d_.nodes.advance(count_ - d_.nodes.size());
  return std::move(d_);
}

[[gnu::cold]] inline void reader::report_progress() {
  constexpr std::ptrdiff_t step = 1 << 20;
  progress_.passed(progress_.self, static_cast<std::uint64_t>(at_ - source_));
  next_report_ = end_ - at_ > step ? at_ + step : end_;
}

// --- statements ---

inline bool reader::statement() {
  if (!at_word()) {
    if (at(';')) return take(), true;
    if (at('}') && other_loops_ != 0) return --other_loops_, take(), true;
    return bad_mark();
  }
  const word w = scan_word(at_, end_);
  const keyword k = keyword_of(w);
  any_assignment_ = false;
  if (k >= keyword::const_ && k <= keyword::wait && k != keyword::endloop) begin_statement();
  switch (k) {
    case keyword::const_: return constant_statement(w);
    case keyword::let: return let_statement(w);
    case keyword::buffer: return buffer_statement(w);
    case keyword::loop: return loop_statement(w);
    case keyword::endloop: return end_loop(w), true;
    case keyword::include: return include(w);
    case keyword::program: return header(w);
    case keyword::device: return device_or_directive(w);
    case keyword::type_family: return begin_family(), type_family_declaration(w), true;
    default: break;
  }
  if (const char* const equals = equals_after(w); equals != nullptr) {
    begin_statement();
    const char* const before = at_;
    if (assigned_statement(w, k, equals)) return true;
    if (at_ == before) take_word(w);
    return false;
  }
  const char* const p = after_blanks(w.last());
  if (k == keyword::transfer || k == keyword::store || k == keyword::wait ||
      (!is_reserved(k) && p < end_ && *p == '.')) {
    begin_statement();
    return task(at_, no_name, w, k);
  }
  return bad_statement(w, p);
}

inline void reader::begin_first_statement() {
  mix_with_config();
  if (first_other_ == none) first_other_ = here();
  first_statement_ = here();
}

// --- the head of a model ---

[[gnu::cold]] inline bool reader::include(word w) {
  if (first_other_ != none && may_report()) {
    auto out = found_.add(errc::nem_syn_004_include, range_of(w));
    out << "includes must precede everything else";
    note_first(out, first_other_, "the first other statement is here");
  }
  const std::uint32_t i = put(node_kind::include, 0, at_);
  take_word(w);
  std::uint32_t path;
  if (!string_value(path, "the path of a file, a string")) return false;
  nodes_[i].value = path;
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::header(word w) {
  if (first_header_ != none || first_statement_ != none) {
    if (may_report()) {
      auto out = found_.add(errc::nem_syn_006_header, range_of(w));
      if (first_header_ != none)
        note_first(out << "duplicate program header; expected one per file", first_header_,
                   "the first is here");
      else
        note_first(out << "the program header must precede all statements", first_statement_,
                   "the first statement is here");
    }
  } else {
    mix_with_config();
  }
  if (first_header_ == none) first_header_ = here();
  if (first_other_ == none) first_other_ = here();
  const std::uint32_t i = put(node_kind::program, 0, at_);
  take_word(w);
  word n;
  if (!declared_name(n, "the name of the program")) return false;
  nodes_[i].value = intern(n);
  take_word(n);
  if (!at(':') && !is_other_mark(':')) {
    if (!at_end() && !at_word() && !on_new_line()) return unexpected("':'");
    missing("':'", ":");
    finish(i);
    return at_end() || on_new_line();
  }
  (void)take_if(':');
  finish(i);
  return true;
}

[[gnu::cold]] inline bool reader::device_or_directive(word w) {
  const char* p = after_blanks(w.last());
  bool is_inline = false;
  if (p < end_ && is(*p, class_letter)) {
    p = after_blanks(word_at(p).last());
    is_inline = p < end_ && (*p == '{' || (is(*p, class_letter) && is_extends(word_at(p))));
  }
  if (is_inline) {
    if (first_header_ != none || first_statement_ != none || first_directive_ != none)
      bad_directive(w);
    ++devices_;
    if (first_device_ == none) first_device_ = here();
    if (first_other_ == none) first_other_ = here();
    return device_declaration(w), true;
  }
  if (first_header_ != none || first_statement_ != none || first_directive_ != none ||
      (devices_ == 1 && first_family_ == none))
    bad_directive(w);
  else
    mix_with_config();
  if (first_directive_ == none) first_directive_ = here();
  if (first_other_ == none) first_other_ = here();
  const std::uint32_t i = put(node_kind::device_file, 0, at_);
  take_word(w);
  if (at_word()) {
    const word n = peek_word();
    if (begins_statement(keyword_of(n)) && on_new_line())
      return unexpected("the name of a device, or a file");
    nodes_[i].kind = node_kind::device_name;
    nodes_[i].value = intern(n);
    take_word(n);
    if (at('.') || at('/')) return unexpected("a program", ": the names of files are in quotes");
  } else {
    std::uint32_t path;
    if (!string_value(path, "the name of a device, or a file")) return false;
    nodes_[i].value = path;
  }
  finish(i);
  return true;
}

inline void reader::bad_directive(word w) {
  if (!may_report()) return;
  auto out = found_.add(errc::nem_syn_005_directive, range_of(w));
  if (first_header_ != none)
    note_first(out << "the device must precede the program header", first_header_,
               "the header is here");
  else if (first_statement_ != none)
    note_first(out << "the device must precede all statements", first_statement_,
               "the first statement is here");
  else
    note_first(out << "duplicate device directive; expected one per program",
               first_directive_ != none ? first_directive_ : first_device_, "the first is here");
}

inline void reader::note_first(findings::writer out, std::uint32_t first, std::string_view text) {
  const char* const p = source_ + first;
  out.note(range(p, is(*p, class_letter) ? word_at(p).last() : p + 1)) << text;
}

[[gnu::cold]] inline void reader::mix_with_config() {
  if (first_family_ == none && devices_ < 2) [[likely]]
    return;
  mixed(
      "type families and several devices belong in files of their own, not "
      "in a program",
      first_family_ != none ? first_family_ : first_device_, "the configuration is here");
}

inline void reader::begin_family() {
  const std::uint32_t first = first_directive_ != none ? first_directive_
                              : first_header_ != none  ? first_header_
                                                       : first_statement_;
  if (first != none)
    mixed("type families belong in files of their own, not in a program", first,
          "the program is here");
  if (first_other_ == none) first_other_ = here();
  if (first_family_ == none) first_family_ = here();
}

inline void reader::mixed(std::string_view text, std::uint32_t first, std::string_view note) {
  if (is_mixed_ || !may_report()) return;
  is_mixed_ = true;
  auto out = found_.add(errc::nem_syn_007_mixed, token());
  out << text;
  note_first(out, first, note);
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE result<model> read(std::string_view source, const read_options& options,
                                  report* found) {
  constexpr std::uint64_t max_offset = 0xffffffff;
  const std::uint64_t max_size =
      options.limit.max_bytes < max_offset ? options.limit.max_bytes : max_offset;
  if (source.size() > max_size) {
    detail::findings f(found, options.profile, detail::max_findings);
    f.add(errc::input_too_large, {}) << "the source is longer than " << max_size << " bytes";
    return f.first_error();
  }
  return detail::reader(source, options, found).read();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_READ_HPP

// ---- tessera/nem/detail/device/load_device.hpp
//
// Loads a declared device into the catalog, by the rules DEV that need nothing but its parent.
//
//   detail::device_loader(s, f).load(node);   // node_kind::device of the file f
//
//   DEV-001, 002, 020 spec_version      DEV-009 unknown variant        DEV-015 duplicate
//   DEV-004, 005, 006, 018 topology     DEV-013, 014 parent            DEV-019 nothing mandatory
//
// An expression in a topology may only contain numbers: EXP-001 to EXP-004 report what is wrong.
// A device with an error is unsound, and so are those that extend it: nothing that follows from the
// error is reported.
//
// Lifetime:   for one call of load().
// Errors:     findings.
// Limits:     none.
// Allocation: linear in the declaration.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/device/load_state.hpp
//
// What loading families and devices shares: names that are taken, and the file at hand.
//
//   if (s.devices.find(hash_of(name), [&](std::uint32_t i) { return …; }) != no_index) …
//   f.parameters.begin(f.d), f.parameters.put(name, 0);
//
//   hashed_names   by their text, of all files
//   local_names    by their index, of one declaration
//   loading        findings and catalog
//   declaring_file a model, its index in places, its names in the catalog
//
// Lifetime:   for one call of load().
// Errors:     none.
// Limits:     none.
// Allocation: 16 bytes for each family, variant and device; 8 for each name of a file with families.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/nem/detail/device/families.hpp
//
// The bodies of nem/families.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP
#define TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// The types of an instance.
[[nodiscard]] constexpr view<element> types_of(const instance_row& i) noexcept {
  std::size_t count = 0;
  while (count < 2 && i.types[count] != element::none) ++count;
  return {i.types, count};
}

[[nodiscard]] inline string put_name(catalog& c, std::string_view name) {
  const string s = {static_cast<std::uint32_t>(c.characters.size()),
                    static_cast<std::uint32_t>(name.size())};
  c.characters << name;
  return s;
}

[[gnu::cold]] inline void put_operand(catalog& c, const operand_row& o) {
  c.operand_types.push_back({put_name(c, o.operand), o.form, o.element, o.parameter});
}

template <class Row>
[[nodiscard]] std::uint32_t index_in(const pool<Row>& p) noexcept {
  return static_cast<std::uint32_t>(p.size());
}

[[gnu::cold]] inline void put_variant(catalog& c, std::uint32_t family, std::uint32_t parameters,
                                      const variant_row& row) {
  const std::uint32_t index = index_in(c.variants);
  variant v;
  v.name = put_name(c, row.name);
  v.first_operand = index_in(c.operand_types);
  if (!row.operand.operand.empty()) put_operand(c, row.operand);
  v.operands = index_in(c.operand_types) - v.first_operand;
  v.first_instance = index_in(c.instances);
  for (const instance_row& r : row.instances) {
    if (r.conformance == instance_row::level::none) break;
    c.instances.push_back(
        {family, index, index_in(c.types), parameters, r.conformance == instance_row::level::must});
    c.types.append(r.types, parameters);
  }
  v.instances = index_in(c.instances) - v.first_instance;
  c.variants.push_back(v);
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE std::string_view base_name(std::string_view path) noexcept {
  for (std::size_t i = path.size(); i > 0; --i)
    if (path[i - 1] == '/' || path[i - 1] == '\\') return path.substr(i);
  return path;
}

TESSERA_INLINE std::uint32_t find_baseline(std::string_view path) noexcept {
  const std::string_view name = base_name(path);
  return name == baseline_files[0].file ? 0 : name == baseline_files[1].file ? 1 : 2;
}

TESSERA_INLINE std::uint32_t builtin_family(std::string_view name) noexcept {
  std::uint32_t i = 0;
  while (i < builtin_families && family_table[i].name != name) ++i;
  return i;
}

[[gnu::cold]] TESSERA_INLINE void add_builtin(catalog& c) {
  c.characters.reserve(512);
  c.families.reserve(16);
  c.parameters.reserve(16);
  c.operand_types.reserve(64);
  c.variants.reserve(24);
  c.instances.reserve(64);
  c.types.reserve(64);
  for (const family_row& row : family_table) {
    const std::uint32_t index = detail::index_in(c.families);
    type_family f;
    f.name = detail::put_name(c, row.name);
    f.accum = row.accum;
    f.quant = row.quant;
    if (!row.quant_operand.empty()) f.quant_operand = detail::put_name(c, row.quant_operand);
    f.first_parameter = detail::index_in(c.parameters);
    for (const parameter_row& p : row.parameters)
      if (!p.name.empty()) c.parameters.push_back({detail::put_name(c, p.name), p.domain});
    f.parameters = detail::index_in(c.parameters) - f.first_parameter;
    f.first_operand = detail::index_in(c.operand_types);
    for (const operand_row& o : row.operands)
      if (!o.operand.empty()) detail::put_operand(c, o);
    f.operands = detail::index_in(c.operand_types) - f.first_operand;
    f.first_variant = detail::index_in(c.variants);
    for (const variant_row& v : row.variants)
      if (!v.name.empty()) detail::put_variant(c, index, f.parameters, v);
    f.variants = detail::index_in(c.variants) - f.first_variant;
    c.families.push_back(f);
  }
}

[[gnu::cold]] TESSERA_INLINE void add_baseline_device(catalog& c, const baseline_row& names) {
  device d;
  d.name = detail::put_name(c, names.device);
  d.spec_version = detail::put_name(c, known_spec_version);
  d.first_mandatory = detail::index_in(c.device_instances);
  for (std::uint32_t i = 0; d.mandatory < must_count; ++i)
    if (c.instances[i].is_must) c.device_instances.push_back(i), ++d.mandatory;
  d.first_extended = detail::index_in(c.device_instances);
  d.first_characteristic = detail::index_in(c.characteristics);
  c.devices.push_back(d);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_FAMILIES_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

[[nodiscard]] inline std::uint32_t hash_of(std::string_view s, std::uint32_t seed = 0) noexcept {
  return static_cast<std::uint32_t>(keyed_hash(s, seed));
}

/// Indices by the hashes of their names: open addressing.
class hashed_names {
 public:
  template <class Same>
  [[nodiscard, gnu::cold]] std::uint32_t find(std::uint32_t hash, Same same) const {
    if (slots_.empty()) return no_index;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask; slots_[i].index != no_index; i = (i + 1) & mask)
      if (slots_[i].hash == hash && same(slots_[i].index)) return slots_[i].index;
    return no_index;
  }
  [[gnu::cold]] void put(std::uint32_t hash, std::uint32_t index) {
    if (2 * (count_ + 1) > slots_.size()) {
      const pool<slot> old = std::exchange(slots_, {});
      slots_.resize(old.empty() ? 16 : old.size() * 2);
      for (const slot& s : old)
        if (s.index != no_index) place_of_hash(s.hash) = s;
    }
    place_of_hash(hash) = {hash, index};
    ++count_;
  }

 private:
  struct slot {
    std::uint32_t hash = 0, index = no_index;
  };
  [[nodiscard]] slot& place_of_hash(std::uint32_t hash) noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    while (slots_[i].index != no_index) i = (i + 1) & mask;
    return slots_[i];
  }
  pool<slot> slots_;
  std::size_t count_ = 0;
};

/// What the names of one declaration stand for. Forgets all in constant time.
class local_names {
 public:
  /// Begins a declaration.
  void begin(const model& d) {
    if (entries_.size() < d.names.size()) entries_.resize(d.names.size());
    ++turn_;
  }
  [[nodiscard]] std::uint32_t find(std::uint32_t name) const noexcept {
    return entries_[name].turn == turn_ ? entries_[name].value : no_index;
  }
  void put(std::uint32_t name, std::uint32_t value) noexcept { entries_[name] = {turn_, value}; }

 private:
  struct entry {
    std::uint32_t turn = 0, value = 0;
  };
  pool<entry> entries_;
  std::uint32_t turn_ = 0;
};

/// A device that extends itself, through others or not.
struct in_cycle {
  std::uint32_t node;
  std::uint32_t first;  ///< of the nodes of its cycle
};

/// The file whose declarations are being loaded.
struct declaring_file {
  const model& d;
  std::uint32_t file = 0;        ///< as places have it
  std::uint32_t characters = 0;  ///< where its names begin in catalog::characters
  local_names parameters = {};   ///< of a family: their nodes
  local_names variants = {};     ///< of a family: their nodes
  bool knows_devices = false;    ///< whether the next two are there
  local_names devices = {};      ///< the nodes of all its devices
  pool<in_cycle> cycles = {};    ///< by their nodes

  [[nodiscard]] const node& operator[](std::uint32_t i) const noexcept { return d.nodes[i]; }
  [[nodiscard]] place at(std::uint32_t node) const noexcept {
    return place_of(d.nodes[node], file);
  }
  [[nodiscard]] std::string_view name(std::uint32_t node) const noexcept {
    return d.name(d.nodes[node].value);
  }
  /// The name of a node, as the catalog has it.
  [[nodiscard]] string shared_name(std::uint32_t node) const noexcept {
    const string s = d.names[d.nodes[node].value];
    return {characters + s.first, s.size};
  }
};

class loading {
 public:
  loading(findings& f, catalog& c) noexcept : found(f), to(c) {}

  findings& found;
  catalog& to;
  hashed_names families = {}, variants = {}, devices = {};
  std::uint32_t unsound_builtins = 0;    ///< bit n: what replaces the built-in family n has errors
  std::uint32_t replaced = 0, used = 0;  ///< bit n: the built-in family n is, by a device
  pool<bool> unsound_families = {};      ///< those after the built-in ones
  pool<bool> unsound_devices = {};
  pool<place> entries = {};  ///< where catalog::device_instances come from
  bool lacks_files = false;  ///< whether an include failed, which may define what seems unknown
  bool has_baseline = false;
  place baseline = {};  ///< the include that made the built-in families visible

  [[nodiscard]] std::uint32_t find_family(std::string_view name) const {
    const std::uint32_t builtin = builtin_family(name);
    if (builtin < builtin_families) return builtin;
    return families.find(hash_of(name),
                         [&](std::uint32_t i) { return to.text_of(to.families[i].name) == name; });
  }
  [[nodiscard]] std::uint32_t find_device(std::string_view name) const {
    return devices.find(hash_of(name),
                        [&](std::uint32_t i) { return to.text_of(to.devices[i].name) == name; });
  }
  [[nodiscard, gnu::cold]] std::uint32_t find_variant(std::uint32_t family,
                                                      std::string_view name) const {
    const type_family& f = to.families[family];
    if (f.variants > few_variants)
      return variants.find(hash_of(name, family), [&](std::uint32_t i) {
        return i - f.first_variant < f.variants && to.text_of(to.variants[i].name) == name;
      });
    for (std::uint32_t i = f.first_variant; i < f.first_variant + f.variants; ++i)
      if (to.text_of(to.variants[i].name) == name) return i;
    return no_index;
  }
  /// A device whose name is near to one that isn't there, or no_index.
  [[nodiscard]] std::uint32_t nearest_device(std::string_view name) {
    const std::string_view near = nearest(name, to.devices);
    return near.empty() ? no_index : find_device(near);
  }
  [[nodiscard]] std::string_view nearest_family(std::string_view name) {
    return nearest(name, to.families);
  }

  static constexpr std::uint32_t few_variants = 8;  ///< for which a search in a row will do

  [[nodiscard]] bool is_unsound_family(std::uint32_t i) const noexcept {
    return i < builtin_families ? (unsound_builtins >> i & 1) != 0
                                : unsound_families[i - builtin_families];
  }
  void set_unsound_family(std::uint32_t i) {
    if (i < builtin_families)
      unsound_builtins |= std::uint32_t{1} << i;
    else
      unsound_families[i - builtin_families] = true;
  }

 private:
  /// The nearest name of the first entries. Only some names are worth it: a file can be full of
  /// those that aren't there.
  template <class Row>
  [[nodiscard, gnu::cold]] std::string_view nearest(std::string_view name, const pool<Row>& rows) {
    constexpr std::uint32_t max_suggestions = 64, max_candidates = 256;
    suggestion s(name);
    if (suggestions_++ >= max_suggestions) return {};
    for (std::uint32_t i = 0; i < rows.size() && i < max_candidates; ++i)
      s.offer(to.text_of(rows[i].name));
    return s.word();
  }
  std::uint32_t suggestions_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_STATE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Notes what a device that isn't there could be.
template <class Writer>
[[gnu::cold]] void note_visible(loading& s, Writer& text, std::string_view name) {
  for (const baseline_row& b : baseline_files)
    if (b.device == name) {
      text.note() << "include \"" << b.file << "\" defines it";
      return;
    }
  const std::uint32_t near = s.nearest_device(name);
  if (near == no_index) return;
  const device& d = s.to.devices[near];
  text.note(d.where.length != 0 ? d.where : s.baseline)
      << "did you mean " << s.to.text_of(d.name) << '?';
}

class device_loader {
 public:
  device_loader(loading& s, declaring_file& f) noexcept : s_(s), f_(f), to_(s.to) {}

  [[gnu::cold]] void load(std::uint32_t node) {
    const std::string_view device_name = f_.name(node);
    const std::uint32_t before = s_.find_device(device_name);
    if (before != no_index) {
      auto text = s_.found.add(errc::nem_dev_015_duplicate, f_.at(node));
      text << "device " << device_name << " is already defined";
      const place first = to_.devices[before].where;
      text.note(first.length != 0 ? first : s_.baseline)
          << device_name << (first.length != 0 ? " is first defined here" : " is included here");
      return;
    }
    device_ = {};
    device_.name = f_.shared_name(node);
    device_.where = f_.at(node);
    is_sound_ = true;
    const std::uint32_t extends = child(f_.d, node, node_kind::extends);
    const std::uint32_t mandatory = child(f_.d, node, node_kind::mandatory);
    if (extends == no_node)
      begin_base(node, mandatory);
    else
      begin_derived(node, extends);
    const std::uint32_t topology = child(f_.d, node, node_kind::topology);
    if (topology != no_node) load_topology(topology);
    load_characteristics(child(f_.d, node, node_kind::unit_characteristics));
    device_.first_mandatory = index_in(to_.device_instances);
    load_list(mandatory);
    device_.first_extended = index_in(to_.device_instances);
    device_.mandatory = device_.first_extended - device_.first_mandatory;
    load_list(child(f_.d, node, node_kind::extended));
    device_.extended = index_in(to_.device_instances) - device_.first_extended;

    s_.devices.put(hash_of(device_name), index_in(to_.devices));
    to_.devices.push_back(device_);
    s_.unsound_devices.push_back(!is_sound_);
  }

 private:
  auto fail(errc code, place where) {
    is_sound_ = false;
    return s_.found.add(code, where);
  }

  [[gnu::cold]] void begin_base(std::uint32_t node, std::uint32_t mandatory) {
    const std::uint32_t version = child(f_.d, node, node_kind::spec_version);
    if (version == no_node) {
      fail(errc::nem_dev_001_spec_version, f_.at(node))
          << "device " << f_.name(node) << " extends none, so it needs a spec_version";
    } else {
      device_.spec_version = f_.shared_name(version);
      if (f_.name(version) != known_spec_version)
        s_.found.add(errc::nem_dev_020_version, f_.at(version))
            << "unknown spec_version \"" << f_.name(version) << "\": expected \""
            << known_spec_version << '"';
    }
    if (mandatory == no_node || f_[mandatory].next == mandatory + 1)
      fail(errc::nem_dev_019_no_mandatory, f_.at(mandatory == no_node ? node : mandatory))
          << "device " << f_.name(node)
          << " extends none, so it needs variants in opcode.mandatory";
  }

  [[gnu::cold]] void begin_derived(std::uint32_t node, std::uint32_t extends) {
    device_.parent = f_.shared_name(extends);
    const std::uint32_t version = child(f_.d, node, node_kind::spec_version);
    const std::uint32_t parent = s_.find_device(f_.name(extends));
    if (parent == no_index) {
      report_parent(node, extends);
    } else {
      const device& p = to_.devices[parent];
      device_.base = parent;
      device_.spec_version = p.spec_version;
      device_.has_topology = p.has_topology;
      device_.topology = p.topology;
      if (s_.unsound_devices[parent]) is_sound_ = false;
    }
    if (version == no_node) return;
    auto text = fail(errc::nem_dev_002_inherited, f_.at(version));
    text << "device " << f_.name(node) << " extends " << f_.name(extends)
         << ", whose spec_version it inherits";
    if (parent != no_index)
      text.note(to_.devices[parent].where)
          << f_.name(extends) << " has \"" << to_.text_of(to_.devices[parent].spec_version) << '"';
    text.fix(f_.at(version)) << "";
  }

  /// Says why a parent isn't there: it comes later, it doesn't exist, or devices go round in circles.
  [[gnu::cold]] void report_parent(std::uint32_t node, std::uint32_t extends) {
    find_cycles();
    const std::size_t at = first_not_below(f_.cycles.data(), f_.cycles.size(),
                                           [&](const in_cycle& c) { return c.node < node; });
    const std::string_view parent = f_.name(extends);
    if (at < f_.cycles.size() && f_.cycles[at].node == node) {
      is_sound_ = false;
      if (f_.cycles[at].first != node) return;  // reported there
      auto text = fail(errc::nem_dev_014_cycle, f_.at(extends));
      text << "device " << f_.name(node) << " extends itself";
      if (f_[node].value != f_[extends].value)
        text.note(f_.at(f_.devices.find(f_[extends].value))) << "through " << parent;
      return;
    }
    const std::uint32_t later = f_.devices.find(f_[extends].value);
    if (later == no_index && s_.lacks_files) {
      is_sound_ = false;
      return;
    }
    auto text = fail(errc::nem_dev_013_parent, f_.at(extends));
    text << "device " << f_.name(node) << " extends " << parent
         << ", which isn't defined before it";
    if (later != no_index) {
      text.note(f_.at(later)) << parent << " is defined here, after it";
      return;
    }
    note_visible(s_, text, parent);
  }

  /// Notes the devices of this file and those that extend themselves, through others or not.
  [[gnu::cold]] void find_cycles() {
    if (f_.knows_devices) return;
    f_.knows_devices = true;
    const model& d = f_.d;
    f_.devices.begin(d);
    pool<std::uint32_t> all;
    for (std::uint32_t i = 0; i < d.nodes.size(); i = d.nodes[i].next) {
      if (is_statement(d.nodes[i].kind)) break;
      if (d.nodes[i].kind != node_kind::device) continue;
      if (f_.devices.find(d.nodes[i].value) != no_index) continue;
      f_.devices.put(d.nodes[i].value, i);
      all.push_back(i);
    }
    local_names walk;  // which walk came by
    walk.begin(d);
    for (std::uint32_t w = 0; w < all.size(); ++w) {
      std::uint32_t i = all[w];
      while (i != no_index && walk.find(d.nodes[i].value) == no_index) {
        walk.put(d.nodes[i].value, w);
        i = next(i);
      }
      if (i == no_index || walk.find(d.nodes[i].value) != w) continue;
      const std::uint32_t met = i;  // where this walk met itself
      const std::size_t begin = f_.cycles.size();
      std::uint32_t first = i;
      do {
        f_.cycles.push_back({i, i});
        first = i < first ? i : first;
        i = next(i);
      } while (i != met);
      for (std::size_t k = begin; k < f_.cycles.size(); ++k) f_.cycles[k].first = first;
    }
    sort(f_.cycles.data(), f_.cycles.size(),
         [](const in_cycle& a, const in_cycle& b) { return a.node < b.node; });
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t device) const {
    const std::uint32_t extends = child(f_.d, device, node_kind::extends);
    return extends == no_node ? no_index : f_.devices.find(f_[extends].value);
  }

  [[gnu::cold]] void load_topology(std::uint32_t node) {
    device_.has_topology = true;
    device_.topology = {};
    topology& t = device_.topology;
    const std::uint32_t engines = child(f_.d, node, node_kind::num_engines);
    const std::uint32_t l2 = child(f_.d, node, node_kind::l2_size);
    const std::uint32_t engine = child(f_.d, node, node_kind::per_engine);
    if (engines == no_node || l2 == no_node || engine == no_node) {
      auto text = fail(errc::nem_dev_006_memory, f_.at(node));
      text << "counts and memory sizes must be > 0: the topology lacks ";
      std::string_view between;
      const auto lack = [&](std::uint32_t what, std::string_view name) {
        if (what != no_node) return;
        text << between << name;
        between = " and ";
      };
      lack(engines, "num_engines");
      lack(l2, "l2_size_bytes");
      lack(engine, "per_engine");
    }
    if (engines != no_node) {
      t.engines = f_.d.integer(f_[engines + 1]);
      if (t.engines < 1)
        fail(errc::nem_dev_004_engines, f_.at(engines + 1))
            << "num_engines is " << t.engines << ": expected at least 1";
    }
    if (l2 != no_node) t.l2_size = memory_size(l2, "l2_size_bytes");
    const std::uint32_t shared = child(f_.d, node, node_kind::device_units);
    if (shared != no_node) load_units(shared, t, 0);
    if (engine == no_node) return;
    load_units(engine, t, 1);
    const std::uint32_t l1 = child(f_.d, engine, node_kind::l1_size);
    if (l1 != no_node)
      t.l1_size = memory_size(l1, "l1_size_bytes");
    else
      fail(errc::nem_dev_006_memory, f_.at(engine))
          << "memory sizes must be > 0: per_engine lacks l1_size_bytes";
  }

  [[gnu::cold]] void load_units(std::uint32_t block, topology& t, std::int64_t least) {
    unit_set given = 0;
    for (const std::uint32_t c : children(f_.d, block)) {
      const unit u = static_cast<unit>(f_[c].detail);
      if (f_[c].kind != node_kind::unit || u == unit::none) continue;
      given = static_cast<unit_set>(given | units(u));
      const std::int64_t count = f_.d.integer(f_[c + 1]);
      t.units[static_cast<std::size_t>(u)] = count;
      if (count < least)
        fail(errc::nem_dev_005_units, f_.at(c + 1))
            << "per_engine has " << count << ' ' << name(u) << "; expected at least " << least;
    }
    constexpr unit_set all = (1u << (static_cast<unsigned>(unit::seq) + 1)) - 1;
    if (least == 0 || (given & all) == all) return;
    auto text = s_.found.add(errc::nem_dev_018_omitted, f_.at(block));
    text << "per_engine omits ";
    std::string_view between;
    for (std::size_t u = 0; u <= static_cast<std::size_t>(unit::seq); ++u) {
      if ((given >> u & 1) != 0) continue;
      text << between << unit_names[u];
      between = ", ";
    }
    text << ": its engines have none";
  }

  [[nodiscard, gnu::cold]] std::int64_t memory_size(std::uint32_t node, std::string_view field) {
    std::int64_t value = 0;
    if (!evaluate(node + 1, value)) return 0;
    if (value <= 0)
      fail(errc::nem_dev_006_memory, f_.at(node + 1))
          << "memory sizes must be > 0: " << field << " is " << value;
    return value;
  }

  /// The value of an expression of numbers.
  [[nodiscard, gnu::cold]] bool evaluate(std::uint32_t node, std::int64_t& to) {
    if (f_[node].kind != node_kind::expression) return literal(node, to);
    stack_.clear();
    for (const std::uint32_t c : children(f_.d, node)) {
      if (!is_operator(f_[c].kind)) {
        if (!literal(c, to)) return false;
        stack_.push_back(to);
        continue;
      }
      std::int64_t right = 0;
      if (!is_unary(f_[c].kind)) {
        right = stack_.back();
        stack_.pop_back();
      }
      switch (apply(f_[c].kind, stack_.back(), right, stack_.back())) {
        case arithmetic_error::none: break;
        case arithmetic_error::division:
          fail(errc::nem_exp_003_division, f_.at(c)) << "division by zero in a memory size";
          return false;
        case arithmetic_error::overflow:
          fail(errc::nem_exp_004_overflow, f_.at(c))
              << "the memory size leaves the range of 64 bits";
          return false;
      }
    }
    to = stack_.back();
    return true;
  }
  [[nodiscard, gnu::cold]] bool literal(std::uint32_t node, std::int64_t& to) {
    switch (f_[node].kind) {
      case node_kind::integer:
      case node_kind::wide_integer: to = f_.d.integer(f_[node]); return true;
      case node_kind::name:
        fail(errc::nem_exp_002_name, f_.at(node))
            << f_.name(node) << " can't be used here: a memory size may only contain numbers";
        return false;
      default:
        fail(errc::nem_exp_001_float, f_.at(node)) << "memory sizes must be integers";
        return false;
    }
  }

  [[gnu::cold]] void load_characteristics(std::uint32_t node) {
    device_.first_characteristic = index_in(to_.characteristics);
    if (node == no_node) return;
    for (const std::uint32_t g : children(f_.d, node))
      for (const std::uint32_t c : children(f_.d, g))
        to_.characteristics.push_back(
            {static_cast<unit>(f_[g].detail), f_.shared_name(c), f_.d.integer(f_[c + 1])});
    device_.characteristics = index_in(to_.characteristics) - device_.first_characteristic;
  }

  [[gnu::cold]] void load_list(std::uint32_t node) {
    if (node == no_node) return;
    for (const std::uint32_t c : children(f_.d, node)) {
      const std::uint32_t i = find(c);
      if (i == no_index) continue;
      to_.device_instances.push_back(i);
      s_.entries.push_back(f_.at(c));
    }
  }

  /// The instance that an entry refers to; no_index after saying what is wrong.
  [[nodiscard, gnu::cold]] std::uint32_t find(std::uint32_t node) {
    const std::string_view family = f_.name(node);
    const std::uint32_t f = s_.find_family(family);
    if (f == no_index && s_.lacks_files) {
      is_sound_ = false;
      return no_index;
    }
    if (f == no_index) {
      const std::string_view near = s_.nearest_family(family);
      auto text = fail(errc::nem_dev_009_variant, f_.at(node));
      text << "there is no type family " << family;
      if (!near.empty()) text.note() << "did you mean " << near << '?';
      return no_index;
    }
    types_.clear();
    std::uint32_t last = node;
    for (const std::uint32_t c : children(f_.d, node)) {
      if (f_[c].kind == node_kind::element_type)
        types_.push_back(static_cast<element>(f_[c].detail));
      else
        last = c;
    }
    const std::uint32_t v = s_.find_variant(f, f_.name(last));
    const std::uint32_t i = v == no_index ? no_index : to_.find_instance(to_.variants[v], types_);
    if (f < builtin_families) s_.used |= std::uint32_t{1} << f;
    if (i != no_index) {
      if (s_.is_unsound_family(f)) is_sound_ = false;
      return i;
    }
    is_sound_ = false;
    if (s_.is_unsound_family(f)) return no_index;
    report_instance(node, last, f, v);
    return no_index;
  }

  [[gnu::cold]] void report_instance(std::uint32_t node, std::uint32_t last, std::uint32_t f,
                                     std::uint32_t v) {
    const std::string_view family = f_.name(node);
    const type_family& row = to_.families[f];
    if (v == no_index) {
      auto text = s_.found.add(errc::nem_dev_009_variant, f_.at(last));
      text << "type family " << family << " has no variant " << f_.name(last);
      text.note(row.where) << "its variants are ";
      put_some(text, row.variants, [&](std::uint32_t k) {
        text << to_.text_of(to_.variants[row.first_variant + k].name);
      });
      return;
    }
    auto text = s_.found.add(errc::nem_dev_009_variant, f_.at(node));
    text << family;
    append_types(text, types_);
    text << '.' << f_.name(last);
    if (types_.size() != row.parameters)
      text << " has " << types_.size() << (types_.size() == 1 ? " type" : " types") << ", but "
           << family << " has " << row.parameters
           << (row.parameters == 1 ? " parameter" : " parameters");
    else
      text << " is classified neither as MUST nor as MAY";
    const variant& variant = to_.variants[v];
    if (variant.instances == 0) return;
    text.note(row.where) << "there is ";
    put_some(text, variant.instances, [&](std::uint32_t k) {
      text << family;
      append_types(text, to_.types_of(to_.instances[variant.first_instance + k]));
      text << '.' << f_.name(last);
    });
  }
  template <class Writer, class Put>
  [[gnu::cold]] static void put_some(Writer& out, std::uint32_t count, Put put) {
    constexpr std::uint32_t most = 6;
    for (std::uint32_t k = 0; k < count && k < most; ++k) {
      if (k != 0) out << ", ";
      put(k);
    }
    if (count > most) out << " and " << count - most << " more";
  }

  loading& s_;
  declaring_file& f_;
  catalog& to_;
  device device_;
  bool is_sound_ = true;
  pool<std::int64_t> stack_;
  pool<element> types_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_DEVICE_HPP

// ---- tessera/nem/detail/device/load_family.hpp
//
// Loads a declared type family into the catalog, by the rules FDL.
//
//   detail::family_loader(s, f).load(node);   // node_kind::type_family of the file f
//
//   FDL-001 defined already         FDL-004 variant again      FDL-006 parameter again
//   FDL-002 not a type              FDL-005 no variant         FDL-007 classified again
//   FDL-003 wrong instantiation
//
// A family with the id of a built-in one takes its place, if no file includes the baseline and no
// device loaded before lists a variant of it. Conditions other than accum and quant have no effect.
//
// Lifetime:   for one call of load().
// Errors:     findings.
// Limits:     none.
// Allocation: linear in the declaration, plus load_state's.

#ifndef TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP
#define TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class family_loader {
 public:
  family_loader(loading& s, declaring_file& f) noexcept : s_(s), f_(f), to_(s.to) {}

  [[gnu::cold]] void load(std::uint32_t node) {
    index_ = slot_for(node);
    if (index_ == no_index) return;
    family_ = {};
    family_.name = f_.shared_name(node);
    family_.where = f_.at(node);
    is_sound_ = true;
    load_parameters(node);
    has_sound_parameters_ = is_sound_;
    load_operands(node);
    load_variants(node);
    to_.families[index_] = family_;
    if (!is_sound_) s_.set_unsound_family(index_);
  }

 private:
  /// Where the family goes, or no_index where its id is taken.
  [[nodiscard, gnu::cold]] std::uint32_t slot_for(std::uint32_t node) {
    const std::string_view name = f_.name(node);
    const std::uint32_t i = s_.find_family(name);
    if (i == no_index) {
      const std::uint32_t added = index_in(to_.families);
      to_.families.push_back({});
      s_.unsound_families.push_back(false);
      s_.families.put(hash_of(name), added);
      return added;
    }
    const std::uint32_t bit = i < builtin_families ? std::uint32_t{1} << i : 0;
    if (bit != 0 && !s_.has_baseline && ((s_.replaced | s_.used) & bit) == 0) {
      s_.replaced |= bit;
      return i;
    }
    auto text = s_.found.add(errc::nem_fdl_001_duplicate, f_.at(node));
    text << "type family " << name << " is already defined";
    if (bit == 0 || (s_.replaced & bit) != 0)
      text.note(to_.families[i].where) << name << " is first defined here";
    else if (s_.has_baseline)
      text.note(s_.baseline) << "the built-in " << name << " is included here";
    else
      text.note() << "devices loaded before list variants of the built-in " << name;
    return no_index;
  }

  [[gnu::cold]] void load_parameters(std::uint32_t family) {
    f_.parameters.begin(f_.d);
    parameters_.clear();
    family_.first_parameter = index_in(to_.parameters);
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind != node_kind::type_parameter) continue;
      const std::uint32_t before = f_.parameters.find(f_[c].value);
      if (before != no_index) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_006_parameter, f_.at(c));
        text << "type parameter " << f_.name(c) << " is already declared";
        text.note(f_.at(parameters_[before])) << f_.name(c) << " is first declared here";
        continue;
      }
      parameters_.push_back(c);
      f_.parameters.put(f_[c].value, family_.parameters++);
      type_parameter p{f_.shared_name(c), 0};
      for (const std::uint32_t e : children(f_.d, c))
        p.domain = static_cast<std::uint16_t>(p.domain | 1u << f_[e].detail);
      to_.parameters.push_back(p);
    }
  }

  [[gnu::cold]] void load_operands(std::uint32_t family) {
    family_.first_operand = index_in(to_.operand_types);
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind == node_kind::binding) load_binding(c);
      if (f_[c].kind == node_kind::condition) load_condition(c);
    }
    family_.operands = index_in(to_.operand_types) - family_.first_operand;
  }

  [[gnu::cold]] void load_binding(std::uint32_t node) {
    operand_type o;
    o.operand = f_.shared_name(node);
    const std::uint32_t type = node + 1;
    if (f_[type].kind == node_kind::element_type) {
      o.element = static_cast<element>(f_[type].detail);
    } else if ((o.parameter = f_.parameters.find(f_[type].value)) != no_index) {
      o.form = type_form::parameter;
    } else if (f_.name(type) == "absent") {
      o.form = type_form::absent;
      o.parameter = 0;
    } else if (f_.name(type) == "any_supported") {
      o.form = type_form::any_supported;
      o.parameter = 0;
    } else {
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_002_type, f_.at(type))
          << f_.name(type) << ", the type of " << f_.name(node)
          << ", is neither an element type nor a parameter of " << to_.text_of(family_.name)
          << ", absent or any_supported";
      return;
    }
    to_.operand_types.push_back(o);
  }

  [[gnu::cold]] void load_condition(std::uint32_t node) {
    const std::string_view what = f_.name(node);
    const std::uint32_t value = node + 1;
    const bool is_type = f_[value].kind == node_kind::element_type;
    const std::string_view word = is_type ? std::string_view() : f_.name(value);
    if (what == "accum") {
      if (is_type) {
        family_.accum = static_cast<element>(f_[value].detail);
        return;
      }
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_002_type, f_.at(value))
          << "expected an element type for accum, found " << word;
    }
    if (what == "quant") {
      const std::uint32_t on = child(f_.d, node, node_kind::on);
      if (word == "absent") {
        family_.quant = quant_condition::absent;
      } else if (word == "required" && on == no_node) {
        family_.quant = quant_condition::required;
      } else if (word == "required") {
        family_.quant = quant_condition::required_on;
        family_.quant_operand = f_.shared_name(on);
      } else {
        is_sound_ = false;
        s_.found.add(errc::nem_fdl_002_type, f_.at(value))
            << "expected absent or required for quant, found "
            << (is_type ? name(static_cast<element>(f_[value].detail)) : word);
      }
    }
  }

  [[gnu::cold]] void load_variants(std::uint32_t family) {
    f_.variants.begin(f_.d);
    family_.first_variant = index_in(to_.variants);
    std::uint32_t count = 0;
    for (const std::uint32_t c : children(f_.d, family)) {
      if (f_[c].kind != node_kind::variant) continue;
      ++count;
      const std::uint32_t before = f_.variants.find(f_[c].value);
      if (before != no_index) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_004_variant, f_.at(c));
        text << "variant " << f_.name(c) << " of " << f_.name(family) << " is already defined";
        text.note(f_.at(before)) << f_.name(c) << " is first defined here";
        continue;
      }
      f_.variants.put(f_[c].value, c);
      load_variant(c);
    }
    family_.variants = index_in(to_.variants) - family_.first_variant;
    if (count == 0) {
      is_sound_ = false;
      s_.found.add(errc::nem_fdl_005_no_variants, f_.at(family))
          << "type family " << to_.text_of(family_.name) << " has no variant";
    }
    if (family_.variants <= loading::few_variants) return;
    for (std::uint32_t i = 0; i < family_.variants; ++i) {
      const std::uint32_t v = family_.first_variant + i;
      s_.variants.put(hash_of(to_.text_of(to_.variants[v].name), index_), v);
    }
  }

  /// An instance and its node.
  struct classified {
    instance what;
    std::uint32_t node;
  };

  [[gnu::cold]] void load_variant(std::uint32_t node) {
    variant v;
    v.name = f_.shared_name(node);
    v.first_operand = index_in(to_.operand_types);
    classified_.clear();
    for (const std::uint32_t c : children(f_.d, node)) {
      if (f_[c].kind == node_kind::binding) load_binding(c);
      if (f_[c].kind == node_kind::conformance) load_instance(node, c);
    }
    v.operands = index_in(to_.operand_types) - v.first_operand;

    sort(classified_.data(), classified_.size(), [this](const classified& a, const classified& b) {
      return catalog::order(to_.types_of(a.what), to_.types_of(b.what)) < 0;
    });
    v.first_instance = index_in(to_.instances);
    std::uint32_t first = no_node;
    for (const classified& c : classified_) {
      if (index_in(to_.instances) != v.first_instance &&
          catalog::order(to_.types_of(to_.instances.back()), to_.types_of(c.what)) == 0) {
        is_sound_ = false;
        auto text = s_.found.add(errc::nem_fdl_007_twice, f_.at(c.node));
        text << reference(c.what, node) << " is already classified";
        text.note(f_.at(first)) << "first as " << (to_.instances.back().is_must ? "MUST" : "MAY");
        continue;
      }
      to_.instances.push_back(c.what);
      first = c.node;
    }
    v.instances = index_in(to_.instances) - v.first_instance;
    to_.variants.push_back(v);
  }

  [[gnu::cold]] void load_instance(std::uint32_t variant, std::uint32_t node) {
    instance i;
    i.family = index_;
    i.variant = index_in(to_.variants);
    i.first_type = index_in(to_.types);
    i.is_must = f_[node].detail == 1;
    bool fits = true;
    for (const std::uint32_t c : children(f_.d, node)) {
      const element e = static_cast<element>(f_[c].detail);
      if (i.types < family_.parameters) {
        const type_parameter& p = to_.parameters[family_.first_parameter + i.types];
        if ((p.domain >> f_[c].detail & 1) == 0) {
          fits = false;
          auto text = s_.found.add(errc::nem_fdl_003_instance, f_.at(c));
          text << name(e) << " isn't a type of parameter " << to_.text_of(p.name) << ": {";
          append_domain(text, p.domain);
          text << "}";
        }
        to_.types.push_back(e);
      }
      ++i.types;
    }
    if (i.types != family_.parameters && has_sound_parameters_) {
      fits = false;
      s_.found.add(errc::nem_fdl_003_instance, f_.at(node))
          << "variant " << f_.name(variant) << " is classified for " << i.types
          << (i.types == 1 ? " type, but " : " types, but ") << to_.text_of(family_.name) << " has "
          << family_.parameters << (family_.parameters == 1 ? " parameter" : " parameters");
    }
    if (fits && i.types == family_.parameters)
      classified_.push_back({i, node});
    else
      is_sound_ = false;
  }

  /// "f<i8>.v" of a variant that isn't in the catalog yet.
  [[nodiscard, gnu::cold]] text reference(const instance& i, std::uint32_t variant) const {
    text out;
    out << to_.text_of(family_.name);
    append_types(out, to_.types_of(i));
    out << '.' << f_.name(variant);
    return out;
  }

  loading& s_;
  declaring_file& f_;
  catalog& to_;
  std::uint32_t index_ = 0;
  type_family family_;
  bool is_sound_ = true, has_sound_parameters_ = true;
  pool<std::uint32_t> parameters_;  ///< their nodes
  pool<classified> classified_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_FAMILY_HPP

// ---- tessera/nem/detail/device/resolve_device.hpp
//
// What devices inherit: resolves one, and checks all.
//
//   nem::resolve_device(c, i);                 // c.devices[i] now lists all that it inherits
//   detail::inheritance_check(s, t).run();     // DEV-007, DEV-008, DEV-010
//
//   topology          the device's own replaces that of its parent
//   characteristics   the device's own override those of its parents, key by key
//   mandatory         the union; so extended, without what is mandatory
//
// Lifetime:   nothing is kept.
// Errors:     findings.
// Limits:     none; a chain of a million devices is checked in linear time.
// Allocation: 16 bytes an instance and a device; resolving adds what one device inherits.

#ifndef TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP
#define TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Sorts, and drops what is there twice or in `others`, which is sorted.
[[gnu::cold]] inline void make_set(pool<std::uint32_t>& list,
                                   const pool<std::uint32_t>& others = {}) {
  sort(list.data(), list.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
  std::size_t kept = 0, other = 0;
  for (const std::uint32_t i : list) {
    while (other < others.size() && others[other] < i) ++other;
    if ((other < others.size() && others[other] == i) || (kept != 0 && list[kept - 1] == i))
      continue;
    list[kept++] = i;
  }
  list.resize(kept);
}

/// A characteristic among those of a device and its parents.
struct inherited_number {
  unit_number number;
  std::uint32_t order = 0;  ///< ascending from the root to the device
};

}  // namespace detail

/// Makes the lists of a device hold what it inherits. Costs as much as there is in it and its
/// parents, so that it is for one device, or for some.
[[gnu::cold]] inline void resolve_device(catalog& c, std::uint32_t index) {
  if (c.devices[index].is_resolved) return;
  pool<std::uint32_t> chain, mandatory, extended;
  for (std::uint32_t i = index; i != no_index; i = c.devices[i].base) {
    chain.push_back(i);
    if (c.devices[i].is_resolved) break;
  }
  pool<detail::inherited_number> numbers;
  for (std::size_t k = chain.size(); k-- > 0;) {
    const device& d = c.devices[chain[k]];
    mandatory.append(c.device_instances.data() + d.first_mandatory, d.mandatory);
    extended.append(c.device_instances.data() + d.first_extended, d.extended);
    for (std::uint32_t i = 0; i < d.characteristics; ++i)
      numbers.push_back({c.characteristics[d.first_characteristic + i],
                         static_cast<std::uint32_t>(numbers.size())});
  }
  detail::make_set(mandatory);
  detail::make_set(extended, mandatory);
  const auto same = [&c](const unit_number& a, const unit_number& b) {
    return a.unit == b.unit && c.text_of(a.key) == c.text_of(b.key);
  };
  sort(numbers.data(), numbers.size(),
       [&c](const detail::inherited_number& a, const detail::inherited_number& b) {
         if (a.number.unit != b.number.unit) return a.number.unit < b.number.unit;
         return c.text_of(a.number.key) < c.text_of(b.number.key);
       });
  std::size_t kept = 0;
  for (const detail::inherited_number& n : numbers) {
    if (kept != 0 && same(numbers[kept - 1].number, n.number))
      numbers[kept - 1].number.value = n.number.value;  // its place is that of the first
    else
      numbers[kept++] = n;
  }
  numbers.resize(kept);
  sort(numbers.data(), numbers.size(),
       [](const detail::inherited_number& a, const detail::inherited_number& b) {
         return a.order < b.order;
       });

  device& d = c.devices[index];
  d.first_mandatory = detail::index_in(c.device_instances);
  d.mandatory = detail::index_in(mandatory);
  c.device_instances.append(mandatory.data(), mandatory.size());
  d.first_extended = detail::index_in(c.device_instances);
  d.extended = detail::index_in(extended);
  c.device_instances.append(extended.data(), extended.size());
  d.first_characteristic = detail::index_in(c.characteristics);
  d.characteristics = detail::index_in(numbers);
  for (const detail::inherited_number& n : numbers) c.characteristics.push_back(n.number);
  d.is_resolved = true;
}

namespace detail {

/// Goes through the forest of devices with the set of what is inherited so far, and takes back what
/// a device added when it leaves it.
class inheritance_check {
 public:
  inheritance_check(loading& s, std::uint32_t target) : s_(s), to_(s.to), target_(target) {
    entries_.resize(to_.instances.size());
    mark_must();
  }

  [[gnu::cold]] void run() {
    const std::uint32_t count = index_in(to_.devices);
    pool<std::uint32_t> first_child, sibling;
    first_child.resize(count + 1);  // the last one is the parent of those that extend none
    sibling.resize(count);
    for (std::uint32_t& c : first_child) c = no_index;
    for (std::uint32_t i = count; i-- > 0;) {
      const std::uint32_t base = to_.devices[i].base == no_index ? count : to_.devices[i].base;
      sibling[i] = first_child[base];
      first_child[base] = i;
    }
    pool<std::uint32_t> before;  // of each device on the path, how much there is to take back
    for (std::uint32_t i = first_child[count]; i != no_index;) {
      before.push_back(index_in(changes_));
      enter(i);
      if (first_child[i] != no_index) {
        i = first_child[i];
        continue;
      }
      for (;;) {
        leave(before.back());
        before.pop_back();
        if (sibling[i] != no_index) {
          i = sibling[i];
          break;
        }
        i = to_.devices[i].base;
        if (i == no_index) return;
      }
    }
  }

 private:
  enum class list : std::uint8_t { none, mandatory, extended };
  /// What is known of an instance on the path.
  struct entry {
    list in = list::none;
    bool is_must = false;
    std::uint32_t device = no_index;  ///< which one lists it
    std::uint32_t at = 0;             ///< in device_instances
  };
  struct change {
    std::uint32_t instance;
    entry before;
  };

  /// An instance that every device must have.
  struct must {
    std::uint32_t builtin;  ///< in the built-in family
    std::uint32_t index;    ///< in the family that replaces it, if one does; no_index for none
  };

  /// Marks the instances that every device must have: the built-in ones, or those that replace them.
  [[gnu::cold]] void mark_must() {
    for (std::uint32_t f = 0, i = 0; f < builtin_families; ++f)
      for (const variant_row& v : family_table[f].variants)
        for (const instance_row& row : v.instances) {
          if (row.conformance == instance_row::level::none) break;
          const std::uint32_t builtin = i++;
          if (row.conformance != instance_row::level::must) continue;
          const bool replaced = (s_.replaced >> f & 1) != 0;
          must_.push_back({builtin, replaced ? replacement(f, v, row) : builtin});
          if (must_.back().index != no_index) entries_[must_.back().index].is_must = true;
        }
  }
  [[nodiscard]] std::uint32_t replacement(std::uint32_t f, const variant_row& v,
                                          const instance_row& row) const {
    const std::uint32_t i = s_.find_variant(f, v.name);
    return i == no_index ? no_index : to_.find_instance(to_.variants[i], types_of(row));
  }

  [[gnu::cold]] void set(std::uint32_t device, std::uint32_t at, list in) {
    const std::uint32_t i = to_.device_instances[at];
    changes_.push_back({i, entries_[i]});
    if (entries_[i].is_must && in == list::mandatory) ++must_found_;
    entries_[i].in = in;
    entries_[i].device = device;
    entries_[i].at = at;
  }
  [[gnu::cold]] void leave(std::uint32_t before) {
    while (changes_.size() > before) {
      const change& c = changes_.back();
      if (c.before.is_must && entries_[c.instance].in == list::mandatory) --must_found_;
      entries_[c.instance] = c.before;
      changes_.pop_back();
    }
  }

  [[gnu::cold]] void enter(std::uint32_t index) {
    const device& d = to_.devices[index];
    for (std::uint32_t k = 0; k < d.mandatory; ++k) {
      const std::uint32_t at = d.first_mandatory + k;
      const entry known = entries_[to_.device_instances[at]];
      if (known.in == list::mandatory) {
        redundant(index, at, known);
        continue;
      }
      if (known.in == list::extended) both(at, at, known);
      set(index, at, list::mandatory);
    }
    for (std::uint32_t k = 0; k < d.extended; ++k) {
      const std::uint32_t at = d.first_extended + k;
      const entry known = entries_[to_.device_instances[at]];
      if (known.in == list::mandatory)
        both(at, known.at, known);
      else if (known.in == list::extended)
        redundant(index, at, known);
      else
        set(index, at, list::extended);
    }
    const bool inherits = d.base != no_index && to_.devices[d.base].has_topology;
    if ((d.has_topology && !inherits) || (index == target_ && !d.has_topology)) check_must(index);
  }

  [[gnu::cold]] void redundant(std::uint32_t index, std::uint32_t at, const entry& known) {
    auto text = s_.found.add(errc::nem_dev_010_redundant, s_.entries[at]);
    put_reference(text, to_.device_instances[at]);
    if (known.device == index) {
      text << " is listed twice";
      text.note(s_.entries[known.at]) << "first listed here";
    } else {
      text << " is already inherited from " << to_.text_of(to_.devices[known.device].name);
      note_listed(text, known);
    }
    text.fix(s_.entries[at]) << "";
  }
  /// An instance is mandatory, by the entry at `mandatory`, and extended; `known` came first.
  [[gnu::cold]] void both(std::uint32_t at, std::uint32_t mandatory, const entry& known) {
    auto text = s_.found.add(errc::nem_dev_008_extended, s_.entries[at]);
    put_reference(text, to_.device_instances[at]);
    text << (at == mandatory
                 ? " becomes mandatory: its inherited entry in opcode.extended is ignored"
                 : " is already mandatory: its entry in opcode.extended is ignored");
    note_listed(text, known);
    if (at != mandatory) text.fix(s_.entries[at]) << "";
  }
  template <class Writer>
  void note_listed(Writer& text, const entry& known) {
    text.note(s_.entries[known.at])
        << to_.text_of(to_.devices[known.device].name) << " lists it in opcode."
        << (known.in == list::mandatory ? "mandatory" : "extended");
  }
  template <class Writer>
  void put_reference(Writer& text, std::uint32_t instance) {
    tessera::text name;
    to_.append_reference(name, to_.instances[instance]);
    text << name;
  }

  [[gnu::cold]] void check_must(std::uint32_t index) {
    if (must_found_ == must_.size() || s_.unsound_devices[index]) return;
    s_.unsound_devices[index] = true;
    auto text = s_.found.add(errc::nem_dev_007_mandatory, to_.devices[index].where);
    text << "opcode.mandatory of device " << to_.text_of(to_.devices[index].name) << " lacks ";
    constexpr std::size_t most = 4;
    const std::size_t lacking = must_.size() - must_found_;
    std::size_t shown = 0;
    for (std::size_t k = 0; shown < lacking && shown < most; ++k) {
      if (must_[k].index != no_index && entries_[must_[k].index].in == list::mandatory) continue;
      if (shown++ != 0) text << ", ";
      put_reference(text, must_[k].builtin);
    }
    if (lacking > most) text << " and " << lacking - most << " more";
  }

  loading& s_;
  catalog& to_;
  std::uint32_t target_;
  pool<entry> entries_;  ///< by instance
  pool<must> must_;
  std::size_t must_found_ = 0;
  pool<change> changes_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_RESOLVE_DEVICE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

inline constexpr std::uint32_t max_files = 4096;

class loader {
 public:
  loader(const model& main, const verify_options& options, findings& found, catalog& to)
      : main_(main), options_(options), s_(found, to), to_(to) {
    files_.resize(found.report().files.size());  // those of a model that was verified before
  }
  loader(const loader&) = delete;
  loader& operator=(const loader&) = delete;
  ~loader() {
    while (top_ != nullptr) close();
  }

  [[nodiscard, gnu::cold]] std::uint32_t run() {
    add_builtin(to_);
    open(new frame(main_, options_.id));
    while (top_ != nullptr) step();
    if (names_device_file()) {
      const std::string_view id = options_.device_file.id;
      const std::uint64_t errors = s_.found.errors();
      device_file_ =
          include_file(frame(main_, options_.id), base_name(id), options_.device_file, {});
      while (top_ != nullptr) step();
      device_file_fails_ = s_.found.errors() != errors;
    }
    const std::uint32_t target = find_target();
    for (const device& d : to_.devices) {
      if (d.where.length == 0) continue;  // a baseline device
      inheritance_check(s_, target).run();
      break;
    }
    if (target == no_index || s_.unsound_devices[target] || !to_.devices[target].has_topology)
      return no_index;
    resolve_device(to_, target);
    return target;
  }

 private:
  /// What include() returns besides indices of places: nothing, or one of the baseline files.
  static constexpr std::uint32_t no_file = 0xffffffff, baseline_file = 0xfffffff0;

  /// A file that is being loaded.
  struct frame {
    frame(const model& of, std::string_view name) noexcept : d(of), id(name) {}
    frame(model&& of, std::string_view name) noexcept : own(std::move(of)), d(own), id(name) {}
    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;

    model own = {};
    const model& d;
    std::string_view id;
    std::uint32_t file = 0;   ///< as places have it
    std::uint32_t at = 0;     ///< the next node
    std::uint32_t depth = 0;  ///< files around it
    bool declares = false;    ///< whether families or devices stand before `at`
    place from = {};          ///< the include that names it
    frame* outer = nullptr;
  };
  /// A file that was named before.
  struct known_file {
    enum class state : std::uint8_t { open, loaded, failed } is = state::open;
    place from;
  };

  void open(frame* f) noexcept {
    f->outer = top_;
    f->depth = top_ == nullptr ? 0 : top_->depth + 1;
    top_ = f;
  }
  void close() noexcept {
    frame* const f = top_;
    top_ = f->outer;
    if (f->file != 0) files_[f->file - 1].is = known_file::state::loaded;
    delete f;
  }

  /// Goes on with the innermost file, up to its next include or its end.
  [[gnu::cold]] void step() {
    frame& f = *top_;
    const bool is_main = &f.d == &main_;
    while (f.at < f.d.nodes.size()) {
      const std::uint32_t i = f.at;
      const node& n = f.d.nodes[i];
      if (n.kind == node_kind::include || (is_main && n.kind == node_kind::device_file)) {
        f.at = n.next;
        const std::uint32_t file = include(f, f.d.name(n.value), place_of(n, f.file));
        if (file == no_file) s_.lacks_files = true;
        if (n.kind == node_kind::device_file)
          directive_ = i, directive_file_ = file, has_program_ = true;
        if (top_ != &f) return;
        continue;
      }
      if (n.kind == node_kind::type_family || n.kind == node_kind::device) {
        f.declares = true;
      } else if (!is_main) {
        auto text = s_.found.add(errc::nem_inc_004_program, f.from);
        text << "the program in \"" << f.id << "\" is ignored";
        text.note(place_of(n, f.file)) << "it begins here";
        break;
      } else {
        has_program_ = true;
        if (n.kind != node_kind::device_name) break;
        directive_ = i;
      }
      f.at = n.next;
    }
    if (f.declares) load_declarations(f);
    close();
  }

  [[gnu::cold]] void load_declarations(const frame& f) {
    if (to_.characters.size() + f.d.characters.size() >= no_index) {
      s_.found.add(errc::input_too_large, f.from) << "the names of all files exceed 4 GiB";
      return;
    }
    declaring_file source{f.d, f.file, static_cast<std::uint32_t>(to_.characters.size())};
    to_.characters << f.d.characters;
    family_loader families(s_, source);
    device_loader devices(s_, source);
    for (std::uint32_t i = 0; i < f.at; i = f.d.nodes[i].next)
      if (f.d.nodes[i].kind == node_kind::type_family) families.load(i);
    for (std::uint32_t i = 0; i < f.at; i = f.d.nodes[i].next) {
      if (f.d.nodes[i].kind != node_kind::device) continue;
      const std::uint32_t index = index_in(to_.devices);
      devices.load(i);
      if (f.file == 0 && index != to_.devices.size()) inline_device_ = index;
    }
  }

  /// Opens the file that a path names, unless it is known. Returns its index in places.
  [[nodiscard, gnu::cold]] std::uint32_t include(const frame& f, std::string_view path,
                                                 place where) {
    resolver::file opened;
    const resolver& r = options_.resolver;
    if (r.open != nullptr && r.open(r.context, f.id, path, opened))
      return include_file(f, path, opened, where);
    const std::uint32_t baseline = find_baseline(path);
    if (baseline < 2) return include_baseline(baseline, where);
    auto text = s_.found.add(errc::nem_inc_001_missing, where);
    text << "can't find \"" << path << '"';
    if (!opened.why.empty()) text << ": " << opened.why;
    suggestion near(base_name(path));
    for (const baseline_row& b : baseline_files) near.offer(b.file);
    if (!near.word().empty()) text.note() << "did you mean \"" << near.word() << "\"?";
    return no_file;
  }

  [[nodiscard, gnu::cold]] std::uint32_t include_file(const frame& f, std::string_view path,
                                                      const resolver::file& opened, place where) {
    report& all = s_.found.report();
    const std::uint32_t hash = hash_of(opened.id);
    const std::uint32_t known =
        ids_.find(hash, [&](std::uint32_t i) { return all.text_of(all.files[i]) == opened.id; });
    const bool is_main = !options_.id.empty() && opened.id == options_.id;
    if (is_main || (known != no_index && files_[known].is == known_file::state::open)) {
      auto text = s_.found.add(errc::nem_inc_002_circular, where);
      text << '"' << path << "\" includes itself";
      if (!is_main) text.note(files_[known].from) << "it is included here first";
      return no_file;
    }
    if (known != no_index)
      return files_[known].is == known_file::state::failed ? no_file : known + 1;
    if (f.depth >= options_.max_include_depth) {
      s_.found.add(errc::nem_syn_014_depth, where)
          << "includes are nested deeper than " << options_.max_include_depth << " files";
      return no_file;
    }
    if (files_.size() >= max_files) {
      s_.found.add(errc::too_many_items, where) << "more than " << max_files << " included files";
      return no_file;
    }
    const std::uint32_t index = index_in(files_);
    ids_.put(hash, index);
    files_.push_back({known_file::state::open, where});
    all.files.push_back({static_cast<std::uint32_t>(all.characters.size()),
                         static_cast<std::uint32_t>(opened.id.size())});
    all.characters << opened.id;
    return read_file(opened, where, index) ? index + 1 : no_file;
  }

  [[nodiscard, gnu::cold]] bool read_file(const resolver::file& opened, place where,
                                          std::uint32_t index) {
    report inner;
    read_options options;
    options.profile = options_.profile;
    options.max_errors = 1;
    result<model> d = read(opened.text, options, &inner);
    if (d) {
      frame* const f = new frame(*std::move(d), opened.id);
      f->file = index + 1;
      f->from = where;
      open(f);
      return true;
    }
    files_[index].is = known_file::state::failed;
    auto text = s_.found.add(errc::nem_inc_003_invalid, where);
    text << "the file isn't a valid document";
    for (const diagnostic& first : inner.diagnostics) {
      if (first.severity != severity::error) continue;
      place at = first.where;
      at.file = index + 1;
      text.note(at) << (rule(first.code).id().empty() ? "error" : rule(first.code).id()) << ": "
                    << inner.text_of(first.text);
      break;
    }
    return false;
  }

  /// Makes the built-in families and a baseline device visible.
  [[nodiscard, gnu::cold]] std::uint32_t include_baseline(std::uint32_t which, place where) {
    const std::string_view name = baseline_files[which].device;
    const std::uint32_t known = s_.find_device(name);
    if (!s_.has_baseline) {
      s_.has_baseline = true;
      s_.baseline = where;
      for (std::uint32_t i = 0; i < builtin_families; ++i) {
        if ((s_.replaced >> i & 1) == 0) continue;
        auto text = s_.found.add(errc::nem_fdl_001_duplicate, where);
        text << "type family " << family_table[i].name << " is already defined";
        text.note(to_.families[i].where) << family_table[i].name << " is first defined here";
      }
    }
    if (known == no_index) {
      const std::uint32_t index = index_in(to_.devices);
      add_baseline_device(to_, baseline_files[which]);
      s_.entries.resize(to_.device_instances.size());
      s_.unsound_devices.push_back(s_.replaced != 0);
      s_.devices.put(hash_of(name), index);
    } else if (to_.devices[known].where.length != 0) {
      auto text = s_.found.add(errc::nem_dev_015_duplicate, where);
      text << "device " << name << " is already defined";
      text.note(to_.devices[known].where) << name << " is first defined here";
    }
    return baseline_file + which;
  }

  /// The device that the program is for, whether it is sound or not.
  [[nodiscard, gnu::cold]] std::uint32_t find_target() {
    const bool is_directed = directive_ != no_node;
    place where = is_directed ? place_of(main_.nodes[directive_]) : place{};
    std::uint32_t target = no_index;
    const bool is_given = !options_.device.empty() || names_device_file();
    if (!options_.device.empty()) {
      target = find_named(options_.device, where);
    } else if (is_given) {
      if (device_file_ != no_file && !device_file_fails_)
        target = find_in_file(device_file_, base_name(options_.device_file.id), {});
    } else if (!is_directed) {
      if (has_program_) target = inline_device_;
    } else if (main_.nodes[directive_].kind == node_kind::device_name) {
      target = find_named(main_.name(main_.nodes[directive_].value), where);
    } else if (directive_file_ != no_file) {
      target = find_in_file(directive_file_, main_.name(main_.nodes[directive_].value), where);
    }
    if (target == no_index || to_.devices[target].has_topology || s_.unsound_devices[target])
      return target;
    const device& d = to_.devices[target];
    if (!is_directed || is_given) where = d.where;
    auto text = s_.found.add(errc::nem_dev_003_topology, where);
    text << "target device " << to_.text_of(d.name) << " has no topology";
    if (is_directed && !is_given && d.where.length != 0)
      text.note(d.where) << to_.text_of(d.name) << " is defined here";
    return target;
  }

  [[nodiscard, gnu::cold]] std::uint32_t find_named(std::string_view name, place where) {
    const std::uint32_t i = s_.find_device(name);
    if (i != no_index || s_.lacks_files) return i;
    auto text = s_.found.add(errc::nem_dev_016_unknown, where);
    text << "unknown device " << name << ": neither defined here nor in an included file";
    note_visible(s_, text, name);
    return no_index;
  }

  [[nodiscard]] bool names_device_file() const noexcept {
    return options_.device_file.text.data() != nullptr;
  }

  /// Of the devices that a file defines itself: the only one, or the one of its name.
  [[nodiscard, gnu::cold]] std::uint32_t find_in_file(std::uint32_t file, std::string_view path,
                                                      place where) {
    if (file >= baseline_file) return s_.find_device(baseline_files[file - baseline_file].device);
    std::string_view stem = base_name(path);
    if (const std::size_t dot = stem.rfind('.'); dot != stem.npos && dot != 0)
      stem = stem.substr(0, dot);
    pool<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < to_.devices.size(); ++i) {
      const device& d = to_.devices[i];
      if (d.where.length == 0 || d.where.file != file) continue;
      if (to_.text_of(d.name) == stem) return i;
      candidates.push_back(i);
    }
    if (candidates.size() == 1) return candidates[0];
    auto text = s_.found.add(errc::nem_dev_017_file, where);
    if (candidates.empty()) {
      text << '"' << path << "\" defines no device";
      return no_index;
    }
    text << '"' << path << "\" defines " << candidates.size() << " devices, none with the name "
         << stem;
    text.note(to_.devices[candidates[0]].where)
        << "the first is " << to_.text_of(to_.devices[candidates[0]].name);
    return no_index;
  }

  const model& main_;
  const verify_options& options_;
  loading s_;
  catalog& to_;
  frame* top_ = nullptr;
  pool<known_file> files_;  ///< those of report::files
  hashed_names ids_;
  bool has_program_ = false;
  std::uint32_t directive_ = no_node, directive_file_ = no_file, device_file_ = no_file;
  bool device_file_fails_ = false;
  std::uint32_t inline_device_ = no_index;
};

/// Loads all that the types of a model depend on into an empty catalog. `target` becomes the index
/// of the device that its program is for, or no_index.
[[gnu::cold]] inline void load(const model& d, const verify_options& options, findings& found,
                               catalog& to, std::uint32_t& target) {
  target = loader(d, options, found, to).run();
}

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_LOAD_HPP

// ---- tessera/nem/detail/order/hazards.hpp
//
// Rules HAZ and CAP-003: tasks that touch the same bytes are ordered, and not too many are live.
//
//   detail::hazards h(c);
//   detail::walker<detail::hazards, true>(c, h, most).run();
//   h.finish();
//
//   HAZ-001   two tasks touch the same bytes, one writes, neither is before the other
//   HAZ-002   likewise, in iterations that are in flight together
//   HAZ-003   likewise, but all writers copy the same bytes to there: a warning
//   HAZ-004   a compute task writes what it reads, elsewhere than in the same place
//   HAZ-005   the search was ended by verify_options::hazard_steps
//   HAZ-006   bytes of an L1 are read that no earlier task wrote
//   CAP-003   more tasks issued and not complete than the target's SEQ.max_active_tokens
//
// Each segment of a buffer has the accesses that a later one may race with. A write forgets those
// that are before it: what isn't ordered with one of them isn't ordered with the write. A read
// forgets reads before it for the same reason. So a race is reported at the task that comes later in
// the file; pairs with a write between them are found by way of that write.
//
// HAZ-003: both copies are of one statement, with the same source and destination and no write to
// the source between them; a reader sees such copies alone, one of which is before it. It is reported
// at the copy, not at its readers.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     verify_options::hazard_steps, in tasks, deps, segments and accesses that are looked at;
//             of accesses that are known to race, each segment keeps 64; HAZ-001 looks at 1024
//             earlier tasks, names 8 and suggests up to 64 deps.
// Allocation: that of happens_before and byte_map; 16 bytes an access and 12 for each of its segments, of
//             those that a later one may race with, and up to as much again; 52 a task in iterations
//             that overlap. None for buffers that are only read.

#ifndef TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP
#define TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/nem/detail/order/byte_map.hpp
//
// The bytes of all buffers, in segments that were accessed alike.
//
//   m.visit(buffer, first, last, [&](segment& s) { … return true; });
//   m.look(buffer, first, last, [&](const segment& s) { … return true; });
//   m.each([&](segment& s) { … });
//
// Visiting a range cuts segments at its ends and makes those that are missing. Neighbours for which
// the call returns true become one: writing all of a buffer leaves one segment, whatever was
// written to its parts before.
//
// The segments stand in order, in chunks that are split when they are full and found by bisection.
// Programs go through their buffers in order, or through the same ranges again: the chunks that
// were found last are tried first.
//
// Lifetime:   segments move when others are made.
// Errors:     none.
// Limits:     fewer than 2^26 chunks.
// Allocation: 32 bytes for each segment, and as much again for chunks that aren't full; each access
//             makes at most two, and one for each gap.

#ifndef TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP
#define TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Bytes of a buffer, from `first` to before `last`, and what an owner of the map knows of them.
struct segment {
  std::int64_t first = 0, last = 0;
  std::uint32_t buffer = 0;
  std::uint32_t writes = 0, reads = 0, version = 0;
};

class byte_map {
 public:
  /// Calls `each(segment&)` for segments that make up [first, last), in order. Returns how many
  /// steps that took.
  template <class Each>
  [[gnu::cold]] std::uint64_t visit(std::uint32_t buffer, std::int64_t first, std::int64_t last,
                                    Each each) {
    steps_ = 1;
    position p = find(buffer, first);
    if (is_in(p, buffer) && at(p).first < first) {
      cut(p, first);
      step(p);
    }
    bool was_alike = false;
    for (std::int64_t from = first; from < last; ++steps_) {
      if (!is_in(p, buffer) || at(p).first > from) {
        segment gap;
        gap.buffer = buffer;
        gap.first = from;
        gap.last = is_in(p, buffer) && at(p).first < last ? at(p).first : last;
        insert(p, gap);
      } else if (at(p).last > last) {
        cut(p, last);
      }
      segment& s = at(p);
      from = s.last;
      const bool is_alike = each(s);
      if (is_alike && was_alike) {
        position before = p;
        if (before.index-- == 0) before.index = directory_[--before.chunk].count - 1;
        at(before).last = from;
        erase(p);
      } else {
        step(p);
      }
      was_alike = is_alike;
    }
    return steps_;
  }
  /// Calls `each(const segment&)` for those that have bytes in [first, last), in order, until it
  /// returns false; changes nothing. Returns how many steps that took.
  template <class Each>
  std::uint64_t look(std::uint32_t buffer, std::int64_t first, std::int64_t last, Each each) {
    std::uint64_t steps = 1;
    for (position p = find(buffer, first); is_in(p, buffer) && at(p).first < last; step(p), ++steps)
      if (!each(static_cast<const segment&>(at(p)))) break;
    return steps;
  }
  /// Calls `each(segment&)` for all of them; it doesn't change their bytes.
  template <class Each>
  void each(Each f) {
    for (std::size_t c = 0; c < directory_.size(); ++c)
      for (std::uint32_t i = 0; i < directory_[c].count; ++i) f(chunk(c)[i]);
  }
  /// How many there are.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

 private:
  static constexpr std::uint32_t capacity = 64;
  static constexpr std::size_t hints = 16;
  /// A chunk: no segment of it is below (buffer, first), all of earlier chunks are.
  struct entry {
    std::int64_t first;
    std::uint32_t buffer, index, count;
  };
  struct position {
    std::size_t chunk;  ///< in `directory_`
    std::uint32_t index;
  };

  [[nodiscard]] segment* chunk(std::size_t c) noexcept {
    return segments_.data() + std::size_t{directory_[c].index} * capacity;
  }
  [[nodiscard]] segment& at(position p) noexcept { return chunk(p.chunk)[p.index]; }
  [[nodiscard]] bool is_in(position p, std::uint32_t buffer) noexcept {
    return p.chunk < directory_.size() && at(p).buffer == buffer;
  }
  void step(position& p) noexcept {
    if (++p.index == directory_[p.chunk].count) p = {p.chunk + 1, 0};
  }
  /// Whether a chunk begins after (buffer, first).
  [[nodiscard]] bool is_past(std::size_t c, std::uint32_t buffer,
                             std::int64_t first) const noexcept {
    const entry& e = directory_[c];
    return e.buffer > buffer || (e.buffer == buffer && e.first > first);
  }
  /// The first segment that ends after (buffer, first).
  [[nodiscard]] position find(std::uint32_t buffer, std::int64_t first) noexcept {
    if (directory_.empty()) return {0, 0};
    std::size_t& hint = hints_[buffer % hints];
    std::size_t c = hint;
    if (c >= directory_.size() || (c != 0 && is_past(c, buffer, first)) ||
        (c + 1 < directory_.size() && !is_past(c + 1, buffer, first))) {
      c = 0;
      for (std::size_t left = directory_.size() - 1; left != 0;) {  // c: not after it, or 0
        const std::size_t half = (left + 1) / 2;
        if (is_past(c + half, buffer, first)) {
          left = half - 1;
        } else {
          c += half;
          left -= half;
        }
      }
      hint = c;
    }
    const std::size_t i = first_not_below(chunk(c), directory_[c].count, [&](const segment& s) {
      return s.buffer < buffer || (s.buffer == buffer && s.last <= first);
    });
    if (i == directory_[c].count) return {c + 1, 0};
    return {c, static_cast<std::uint32_t>(i)};
  }
  /// Cuts a segment in two; `p` is the first one then.
  void cut(position& p, std::int64_t end) {
    segment s = at(p);
    at(p).first = end;
    s.last = end;
    insert(p, s);
  }
  /// Puts a segment before `p`, which is its position then.
  [[gnu::cold]] void insert(position& p, const segment& s) {
    ++count_;
    if (directory_.empty()) {
      add_chunk(0, s);
      directory_[0].count = 0;
      p = {0, 0};
    }
    if (p.index == 0 && p.chunk != 0 &&
        (p.chunk == directory_.size() || is_past(p.chunk, s.buffer, s.first)))
      p = {p.chunk - 1, directory_[p.chunk - 1].count};
    if (directory_[p.chunk].count == capacity) {
      // What is appended gets a chunk of its own, for more may follow it.
      const std::uint32_t kept = p.index == capacity ? capacity : capacity / 2;
      add_chunk(p.chunk + 1, p.index == capacity ? s : chunk(p.chunk)[kept]);
      if (kept != capacity)
        std::memcpy(chunk(p.chunk + 1), chunk(p.chunk) + kept, sizeof(segment) * (capacity - kept));
      directory_[p.chunk].count = kept;
      directory_[p.chunk + 1].count = capacity - kept;
      if (p.index >= kept && (p.index > kept || kept == capacity))
        p = {p.chunk + 1, p.index - kept};
    }
    entry& e = directory_[p.chunk];
    segment* const to = chunk(p.chunk) + p.index;
    std::memmove(to + 1, to, sizeof(segment) * (e.count - p.index));
    *to = s;
    ++e.count;
    if (p.index == 0) e.first = s.first, e.buffer = s.buffer;
  }
  /// `p` is the one after it then.
  void erase(position& p) noexcept {
    --count_;
    entry& e = directory_[p.chunk];
    segment* const to = chunk(p.chunk) + p.index;
    --e.count;
    std::memmove(to, to + 1, sizeof(segment) * (e.count - p.index));
    if (e.count == 0) {
      unused_.push_back(e.index);
      move_directory(p.chunk + 1, p.chunk);
      directory_.pop_back();
    } else if (p.index == e.count) {
      p = {p.chunk + 1, 0};
    } else if (p.index == 0) {
      e.first = to->first;  // a segment of the chunk before may reach up to here
      e.buffer = to->buffer;
    }
  }
  [[gnu::cold]] void add_chunk(std::size_t where, const segment& first) {
    entry e{first.first, first.buffer, 0, 0};
    if (unused_.empty()) {
      e.index = static_cast<std::uint32_t>(segments_.size() / capacity);
      segments_.resize(segments_.size() + capacity);
    } else {
      e.index = unused_.back();
      unused_.pop_back();
    }
    directory_.push_back(e);
    const std::size_t following = directory_.size() - 1 - where;
    std::memmove(directory_.data() + where + 1, directory_.data() + where,
                 sizeof(entry) * following);
    directory_[where] = e;
    steps_ += 1 + following / 64;
  }
  void move_directory(std::size_t from, std::size_t to) noexcept {
    std::memmove(directory_.data() + to, directory_.data() + from,
                 sizeof(entry) * (directory_.size() - from));
    steps_ += 1 + (directory_.size() - from) / 64;
  }

  pool<segment> segments_;
  pool<entry> directory_;
  pool<std::uint32_t> unused_;
  std::size_t hints_[hints] = {};
  std::size_t count_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_BYTE_MAP_HPP

// ---- tessera/nem/detail/order/happens_before.hpp
//
// Which tasks of a program are complete before another one starts.
//
//   nem::happens_before order;
//   order.issue(node, deps);                 // a task: the one that is asked about from now on
//   if (!order.is_before(earlier)) …         // the two may run in either order
//   order.issued(is_sync);                   // then waits, loops and iterations, as they come
//
//   deps          tasks named there, and all that is before them
//   wait          in one iteration or at the top level: before what follows there; so does .sync
//   iterations    those that @max_in_flight no longer lets overlap with the current one
//   endloop       all tasks of the loop
//
// Nothing else orders tasks. What is known to be complete wherever the next task may stand is a mark
// on each task; an iteration takes its marks back when it ends, for the next one need not be after
// them. Only tasks without a mark are searched for along deps, latest first, down to the one that is
// asked about. Tasks are numbered as they are issued, as nem::task::index is. Outside of loops marks are
// for good: the tasks up to the first one without a mark are forgotten from time to time.
//
// Lifetime:   owns what it knows; nodes are only remembered.
// Errors:     none.
// Limits:     the steps given to it; then is_exhausted(), and all counts as ordered.
// Allocation: 17 bytes a task that isn't forgotten, 4 for each of its deps, 24 an iteration; of the loop
//             that runs 40 more for each iteration, and 4 for each mark.

#ifndef TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP
#define TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>


namespace tessera::inline TESSERA_ABI {
namespace nem {

class happens_before {
 public:
  [[gnu::cold]] explicit happens_before(std::uint64_t steps = ~std::uint64_t{0})
      : left_(steps), steps_(steps) {
    frames_.push_back({});
    iterations_.push_back({});
  }

  /// Room for so many tasks, with a dependence each.
  void reserve(std::size_t tasks) {
    tasks_.reserve(tasks);
    done_.reserve(tasks);
    seen_.reserve(tasks);
    deps_.reserve(tasks);
  }

  // What a program does, in the order of its text and iteration after iteration.

  void loop(std::uint32_t node, std::int64_t in_flight) {
    frame f;
    f.node = node;
    f.in_flight = in_flight < 1 ? 1 : static_cast<std::uint64_t>(in_flight);
    f.iteration = frames_.back().iteration;
    f.first_window = f.oldest = windows_.size();
    f.first_carried = carried_.size();
    f.log = log_.size();
    f.open = open_.size();
    f.begin = size();
    frames_.push_back(f);
  }
  void iteration(std::int64_t value) {
    if (frames_.size() < 2) return;
    close_iteration();
    frame& f = frames_.back();
    for (; f.oldest < windows_.size() && distance(windows_[f.oldest].value, value) >= f.in_flight;
         ++f.oldest)
      retire(f, f.oldest);
    iteration_record i;
    i.value = value;
    i.parent = frames_[frames_.size() - 2].iteration;
    i.node = f.node;
    i.depth = static_cast<std::uint32_t>(frames_.size() - 1);
    f.iteration = static_cast<std::uint32_t>(iterations_.size());
    iterations_.push_back(i);
    f.is_open = true;
    f.first_task = size();
    f.log = log_.size();
    f.open = open_.size();
    f.live = f.peak = 0;
  }
  void end_loop() {
    if (frames_.size() < 2) return;
    close_iteration();
    frame& f = frames_.back();
    for (; f.oldest < windows_.size(); ++f.oldest) retire(f, f.oldest);
    windows_.resize(f.first_window);
    carried_.resize(f.first_carried);
    open_.resize(f.open);
    frames_.pop_back();
    if (frames_.size() == 1) log_.clear(), followed_ = 0;
  }
  void wait(view<std::uint32_t> tasks) {
    spend(tasks.size());
    for (const std::uint32_t t : tasks)
      if (t < size()) complete(t);
  }
  /// A wait for tokens that aren't known: it may be for all of them.
  void wait_for_all() {
    // Those outside of loops needn't be kept: they are all that were issued before.
    const std::uint32_t outside = frames_.size() > 1 ? frames_[1].begin : size();
    spend(outside + open_.size());
    for (std::uint32_t t = forgotten_; t < outside && !is_exhausted(); ++t) complete(t);
    for (std::size_t i = 0; i < open_.size() && !is_exhausted(); ++i) complete(open_[i]);
  }
  /// A task, which is_before() then speaks of. Deps on tasks that weren't issued count for nothing.
  [[gnu::cold]] void issue(std::uint32_t node, view<std::uint32_t> deps) {
    const std::uint32_t q = size();
    if (frames_.size() == 1) forget();
    tasks_.push_back({node, frames_.back().iteration,
                      forgotten_deps_ + static_cast<std::uint32_t>(deps_.size())});
    done_.push_back(0);
    seen_.push_back(0);
    frontier_.clear();
    for (const std::uint32_t d : deps) {
      spend(1);
      if (d >= q) continue;
      deps_.push_back(d);
      reach(d, q);
    }
    followed_ = log_.size();
  }
  /// What follows that task.
  [[gnu::cold]] void issued(bool is_sync) {
    if (frames_.size() > 1) open_.push_back(size() - 1);
    ++frames_.back().live;
    std::uint64_t live = 0;
    for (std::size_t i = frames_.size(); i-- != 0;) {
      frame& f = frames_[i];
      live += f.live;
      if (f.peak < live) f.peak = live;
      live += f.others;
    }
    spend(frames_.size());
    if (is_sync) complete(size() - 1);
  }

  // What is known.

  /// Whether an earlier task is complete before the one that was issued last starts.
  [[nodiscard]] bool is_before(std::uint32_t p) {
    if (is_complete(p)) return true;
    const std::uint32_t q = size() - 1;
    while (seen(p) != q && !frontier_.empty() && frontier_[0] > p) {
      const std::uint32_t t = take_latest();
      for (std::uint32_t i = of(t).first_dep; i < of(t + 1).first_dep; ++i) {
        spend(1);
        reach(dep(i), q);
      }
      spend(1);
    }
    return seen(p) == q || is_exhausted();
  }
  /// Takes an earlier task as one of the last task's deps, in what is_before() says of that one.
  void assume(std::uint32_t p) { reach(p, size() - 1); }
  /// Whether that is known without a search.
  [[nodiscard]] bool is_plainly_before(std::uint32_t p) const noexcept {
    return is_complete(p) || seen(p) == size() - 1;
  }
  /// Whether a task is complete, whatever follows in the iterations that run.
  [[nodiscard]] bool is_complete(std::uint32_t p) const noexcept {
    return p < forgotten_ || done_[p - forgotten_] != 0;
  }
  /// Tasks that were issued.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return forgotten_ + static_cast<std::uint32_t>(tasks_.size());
  }
  /// Of a task that isn't complete, or in a loop that runs.
  [[nodiscard]] std::uint32_t node_of(std::uint32_t task) const noexcept { return of(task).node; }
  /// An upper bound of the tasks that were at one time issued and not complete.
  [[nodiscard]] std::uint64_t max_live() const noexcept { return frames_[0].peak; }

  /// How the iteration of an earlier task, of which the same holds, is related to that of the last one.
  struct relation {
    bool is_same_path = true;  ///< the earlier task's iteration still runs
    bool is_same_scope = false;
    std::uint32_t loop = no_node;  ///< the loop whose iterations differ
    std::int64_t earlier = 0, later = 0;
    std::uint64_t in_flight = 1;
  };
  [[nodiscard]] relation relate(std::uint32_t p) const noexcept {
    relation r;
    std::uint32_t i = of(p).iteration;
    r.is_same_scope = i == frames_.back().iteration;
    for (; !is_running(i); i = iterations_[i].parent) {
      const iteration_record& x = iterations_[i];
      r.is_same_path = false;
      r.loop = x.node;
      r.earlier = x.value;
      if (x.depth >= frames_.size()) continue;
      r.later = iterations_[frames_[x.depth].iteration].value;
      r.in_flight = frames_[x.depth].in_flight;
    }
    return r;
  }
  /// Whether that relation is one of different iterations: the short answer.
  [[nodiscard]] bool is_same_path(std::uint32_t p) const noexcept {
    return is_running(of(p).iteration);
  }

  /// Work is counted here, that of who asks too.
  void spend(std::uint64_t steps) noexcept { left_ = left_ > steps ? left_ - steps : 0; }
  [[nodiscard]] bool is_exhausted() const noexcept { return left_ == 0; }
  [[nodiscard]] std::uint64_t spent() const noexcept { return steps_ - left_; }

 private:
  struct task_record {
    std::uint32_t node, iteration, first_dep;
  };
  struct iteration_record {
    std::int64_t value = 0;
    std::uint32_t parent = 0, node = no_node, depth = 0;
  };
  /// An iteration that ended, and may still run.
  struct window {
    std::int64_t value;
    std::uint32_t first_task, last_task;
    std::size_t first_carried, last_carried;  ///< tasks of outer iterations before one of its tasks
    std::uint64_t peak;
  };
  /// The program, or a loop that runs and its current iteration.
  struct frame {
    std::uint32_t node = no_node;
    std::uint32_t iteration = 0;
    std::uint32_t first_task = 0;  ///< of the iteration
    std::uint32_t begin = 0;       ///< how many tasks were issued before the loop
    bool is_open = false;
    std::uint64_t in_flight = 1;
    std::size_t first_window = 0, oldest = 0, first_carried = 0;
    std::size_t log = 0, open = 0;     ///< where those of the iteration begin
    std::uint64_t live = 0, peak = 0;  ///< of the iteration
    std::uint64_t others = 0;          ///< peaks of the iterations that may still run
  };

  // Of tasks and deps that aren't forgotten.
  [[nodiscard]] const task_record& of(std::uint32_t task) const noexcept {
    return tasks_[task - forgotten_];
  }
  [[nodiscard]] std::uint32_t seen(std::uint32_t task) const noexcept {
    return seen_[task - forgotten_];
  }
  [[nodiscard]] std::uint32_t dep(std::uint32_t i) const noexcept {
    return deps_[i - forgotten_deps_];
  }
  template <class T>
  static void drop(pool<T>& from, std::uint32_t count) noexcept {
    std::memmove(from.data(), from.data() + count, (from.size() - count) * sizeof(T));
    from.shrink(from.size() - count);
  }
  static constexpr std::uint32_t min_forgotten = 64;
  /// Forgets complete tasks, once they are most: what is kept is moved no more often than that.
  void forget() {
    while (complete_ < size() && is_complete(complete_)) ++complete_;
    const std::uint32_t tasks = complete_ - forgotten_;
    if (tasks < min_forgotten || tasks < tasks_.size() / 2) return;
    const std::uint32_t deps = complete_ < size() ? of(complete_).first_dep - forgotten_deps_
                                                  : static_cast<std::uint32_t>(deps_.size());
    drop(tasks_, tasks);
    drop(done_, tasks);
    drop(seen_, tasks);
    drop(deps_, deps);
    forgotten_ += tasks;
    forgotten_deps_ += deps;
  }

  [[nodiscard]] static std::uint64_t distance(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  }
  [[nodiscard]] bool is_running(std::uint32_t iteration) const noexcept {
    const std::uint32_t depth = iterations_[iteration].depth;
    return depth < frames_.size() && frames_[depth].iteration == iteration;
  }
  /// Where the task counts as live, or null.
  [[nodiscard]] frame* home(std::uint32_t task) noexcept {
    const std::uint32_t i = of(task).iteration;
    return is_running(i) ? &frames_[iterations_[i].depth] : nullptr;
  }

  /// Marks a task and all before it.
  [[gnu::cold]] void complete(std::uint32_t task) {
    if (is_complete(task)) return;
    mark(task);
    for (stack_.push_back(task); !stack_.empty();) {
      const std::uint32_t t = stack_.back();
      stack_.pop_back();
      const std::uint32_t last = t + 1 < size()
                                     ? of(t + 1).first_dep
                                     : forgotten_deps_ + static_cast<std::uint32_t>(deps_.size());
      for (std::uint32_t i = of(t).first_dep; i < last; ++i) {
        const std::uint32_t d = dep(i);
        spend(1);
        if (is_complete(d)) continue;
        mark(d);
        stack_.push_back(d);
      }
    }
  }
  void mark(std::uint32_t t) {
    spend(1);
    done_[t - forgotten_] = 1;
    if (frames_.size() > 1) log_.push_back(t);
    if (frame* const f = home(t); f != nullptr) --f->live;
  }
  void unmark(std::uint32_t t) noexcept {
    spend(1);
    done_[t - forgotten_] = 0;
    if (frame* const f = home(t); f != nullptr) ++f->live;
  }
  /// All of an iteration that ended precedes what follows in its loop, and after it.
  void retire(frame& f, std::size_t index) {
    const window w = windows_[index];
    const std::size_t marks = log_.size();
    for (std::uint32_t t = w.first_task; t < w.last_task && !is_exhausted(); ++t) complete(t);
    for (std::size_t i = w.first_carried; i < w.last_carried; ++i) complete(carried_[i]);
    spend(w.last_task - w.first_task);
    f.others -= w.peak;
    if (log_.size() != marks) followed_ = log_.size();
  }
  [[gnu::cold]] void close_iteration() {
    frame& f = frames_.back();
    if (!f.is_open) return;
    f.is_open = false;
    if (f.in_flight == 1) {
      // Its tasks are before all that follows. So are marks that one of them follows; the others
      // are those of a wait at its end, which orders nothing but what follows in the iteration.
      const std::size_t kept = followed_ > f.log ? followed_ : f.log;
      for (std::size_t i = kept; i < log_.size(); ++i) unmark(log_[i]);
      log_.resize(kept);
      for (std::size_t i = f.open; i < open_.size(); ++i) complete(open_[i]);
      if (size() != f.first_task) followed_ = log_.size();
    } else {
      window w{iterations_[f.iteration].value, f.first_task, size(), carried_.size(), 0, f.peak};
      for (std::size_t i = f.log; i < log_.size(); ++i) {
        if (i < followed_ && log_[i] < f.first_task) carried_.push_back(log_[i]);
        unmark(log_[i]);
      }
      log_.resize(f.log);
      if (followed_ > f.log) followed_ = f.log;
      w.last_carried = carried_.size();
      f.others += f.peak;
      windows_.push_back(w);
    }
    open_.resize(f.open);
  }

  /// `d` is before the last task, as is what is before `d`.
  void reach(std::uint32_t d, std::uint32_t q) {
    if (is_plainly_before(d)) return;
    seen_[d - forgotten_] = q;
    std::size_t i = frontier_.size();
    frontier_.push_back(d);
    for (; i != 0 && frontier_[(i - 1) / 2] < d; i = (i - 1) / 2)
      frontier_[i] = frontier_[(i - 1) / 2];
    frontier_[i] = d;
  }
  /// Takes the latest task off the frontier, a heap.
  [[nodiscard]] std::uint32_t take_latest() noexcept {
    const std::uint32_t top = frontier_[0], moved = frontier_.back();
    frontier_.pop_back();
    const std::size_t count = frontier_.size();
    std::size_t i = 0;
    for (std::size_t c = 1; c < count; c = 2 * i + 1) {
      if (c + 1 < count && frontier_[c + 1] > frontier_[c]) ++c;
      if (frontier_[c] <= moved) break;
      frontier_[i] = frontier_[c];
      i = c;
    }
    if (count != 0) frontier_[i] = moved;
    return top;
  }

  pool<task_record> tasks_;
  pool<std::uint8_t> done_;
  pool<std::uint32_t> seen_;  ///< the last task that is known to follow it; 0: none
  pool<std::uint32_t> deps_;
  std::uint32_t forgotten_ = 0, forgotten_deps_ = 0;  ///< those before the first of the pools
  std::uint32_t complete_ = 0;  ///< tasks, from the first on, that are complete for good
  pool<iteration_record> iterations_;
  pool<frame> frames_;
  pool<window> windows_;
  pool<std::uint32_t> carried_;
  pool<std::uint32_t> log_;   ///< tasks that were marked inside of loops, to be unmarked
  std::size_t followed_ = 0;  ///< those of `log_` that a task followed
  pool<std::uint32_t> open_;  ///< tasks of iterations that run, without those of inner loops
  pool<std::uint32_t> frontier_, stack_;
  std::uint64_t left_, steps_;
};

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_HAPPENS_BEFORE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class hazards {
 public:
  [[gnu::cold]] explicit hazards(context& c) : c_(c), order_(c.options.hazard_steps) {
    links_.push_back({});  // so that link 0 is none
    find_written();
    if (c.target != nullptr)
      max_tokens_ = c.types.characteristic(*c.target, unit::seq, "max_active_tokens", -1);
  }

  void loop(const values&, std::uint32_t node, std::int64_t, std::int64_t last,
            std::int64_t in_flight) {
    loops_.push_back({last, 0, false, false, in_flight > 1});
    overlapping_ += in_flight > 1;
    order_.loop(node, in_flight);
  }
  void iteration(std::uint32_t, std::int64_t value) {
    loop_state& l = loops_.back();
    is_partial_ = is_partial_ || (l.has_begun && !l.is_skipping && l.value != value - 1);
    l.value = value;
    l.has_begun = true;
    l.is_skipping = false;
    if (!has_ended_) order_.iteration(value);
  }
  void end_loop(std::uint32_t) {
    is_partial_ = is_partial_ || loops_.back().value != loops_.back().last;
    overlapping_ -= loops_.back().overlaps;
    loops_.pop_back();
    if (!has_ended_) order_.end_loop();
  }
  void wait(std::uint32_t node, view<std::uint32_t> tasks) {
    if (has_ended_) return;
    order_.wait(tasks);
    if (misses_tokens(node, tasks.size())) order_.wait_for_all();
  }
  void task(const values& v, const nem::task& t) {
    check_in_place(v, t);
    if (has_ended_) return;
    if (links_.size() >= max_links_) forget();
    order_.issue(t.node, v.tasks_before(t));
    is_unknown_ = misses_deps(t);
    reported_ = 0;
    unordered_.clear();
    std::uint32_t version = 0;
    for (const operand& o : v.inputs(t)) access(v, t, o, false, version);
    if (overlapping_ != 0) remember_copy(v, t, version);
    for (const operand& o : v.outputs(t)) access(v, t, o, true, version);
    if (!unordered_.empty()) report_unordered(t.node);
    order_.issued(t.mode == mode::sync);
    if (max_tokens_ >= 0 && first_beyond_ == no_node &&
        order_.max_live() > static_cast<std::uint64_t>(max_tokens_))
      first_beyond_ = t.node;
    if (order_.is_exhausted()) end(t);
  }
  /// All was visited.
  void finish() {
    if (first_beyond_ == no_node) return;
    c_.report(errc::nem_cap_003_tokens, first_beyond_)
        << "up to " << order_.max_live() << " tokens can be live at once, "
        << c_.types.text_of(c_.target->name) << " has SEQ.max_active_tokens = " << max_tokens_;
  }
  [[nodiscard]] static constexpr bool stopped() noexcept { return false; }

  // Loops that are proven: loop_proof.hpp.

  /// Whether an access to these bytes, with nothing before it, may race with an earlier one.
  [[nodiscard, gnu::cold]] bool may_race(const values& v, const byte_range& bytes, bool is_write) {
    bool may = has_ended_;
    const auto is_open = [&](std::uint32_t list) {
      for (std::uint32_t i = list; i != 0 && !may; i = links_[i].next) {
        order_.spend(1);
        may = !order_.is_complete(accesses_[links_[i].access].task);
      }
    };
    order_.spend(
        map_.look(v.buffers[bytes.buffer].node, bytes.first, bytes.last, [&](const segment& s) {
          is_open(s.writes);
          if (is_write) is_open(s.reads);
          may = may || order_.is_exhausted();
          return !may;
        }));
    return may;
  }
  /// Whether earlier tasks have written all of these bytes.
  [[nodiscard, gnu::cold]] bool is_written(const values& v, const byte_range& bytes) {
    std::int64_t end = bytes.first;
    if (has_ended_) return false;
    order_.spend(
        map_.look(v.buffers[bytes.buffer].node, bytes.first, bytes.last, [&](const segment& s) {
          if (s.writes == 0 || s.first > end || order_.is_exhausted()) return false;
          end = s.last;
          return true;
        }));
    return end >= bytes.last;
  }
  /// The loop's next iteration is a later one; end_skip() follows the loop, if there were any.
  void begin_skip(bool is_first) {
    loops_.back().is_skipping = true;
    if (is_first) ++skips_;
  }
  /// What the iterations that were left out wrote counts as written.
  [[gnu::cold]] void end_skip(const values& v, view<byte_range> written) {
    --skips_;
    if (has_ended_ || order_.size() == 0) return;
    for (const byte_range& w : written) {
      const buffer& b = v.buffers[w.buffer];
      const std::uint32_t task = order_.size() - 1;  // of the loop, or after it
      remember_access({w.first, w.last, task, b.name});
      const std::uint32_t mark =
          add_link({static_cast<std::uint32_t>(accesses_.size() - 1), 0, no_index});
      order_.spend(map_.visit(b.node, w.first, w.last, [&](segment& s) {
        if (s.writes != 0) return false;
        s.writes = mark;
        s.version = task + 1;
        return s.reads == 0;
      }));
    }
  }

  [[nodiscard]] const happens_before& order() const noexcept { return order_; }
  /// Whether the search ended before the last task.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

 private:
  static constexpr std::size_t max_kept = 64, max_unordered = 1024, max_listed = 8;
  static constexpr std::size_t min_links = 256;
  static constexpr std::uint8_t reported_iterations = 1, reported_rewritten = 2;

  struct loop_state {
    std::int64_t last, value;
    bool has_begun;
    bool is_skipping;  ///< whether the next iteration needn't be the following one
    bool overlaps;     ///< whether its iterations may
  };
  /// Bytes that a task reads or writes.
  struct access_record {
    std::int64_t first, last;
    std::uint32_t task, buffer_name;
  };
  /// The same as it is kept: its buffer is that of the segments that know of it.
  struct packed_access {
    std::int64_t first;
    std::uint32_t extent;  ///< wide: in wide_
    std::uint32_t task;
  };
  struct wide_access {
    std::uint32_t access;
    std::int64_t last;
  };
  static constexpr std::uint32_t wide = 0xffffffff;
  /// An access in the list of a segment.
  struct link {
    std::uint32_t access = 0, next = 0;
    std::uint32_t fed =
        no_index;  ///< of a read: the copy that it sees, when it sees no other write
  };
  /// What a transfer or a store does, when its regions are known.
  struct copy {
    std::int64_t from_first, from_last, to_first, to_last;
    std::uint32_t from, to;       ///< buffers
    std::uint32_t version, node;  ///< of the source: the last task that wrote to it, + 1
  };
  /// Two accesses to the same bytes, the earlier one first.
  struct pair {
    access_record p, q;
    bool p_writes, q_writes;
  };
  /// The access that is being checked.
  struct current {
    const nem::task& t;
    const region& r;
    access_record a;
    std::uint32_t index;
    nem::level level;
    bool is_write;
  };

  // Accesses -------------------------------------------------------------------------------------

  void access(const values& v, const nem::task& t, const operand& o, bool is_write,
              std::uint32_t& version) {
    if (o.region == no_index) return;
    const region& r = v.regions[o.region];
    if (!is_sound(v, r)) return;
    const buffer& b = v.buffers[r.buffer];
    const std::uint32_t task = order_.size() - 1;
    const std::uint32_t index = static_cast<std::uint32_t>(accesses_.size());
    current q{t, r, {r.offset, r.offset + r.extent, task, b.name}, index, b.level, is_write};
    has_unwritten_ = false;
    if (!is_written_[b.name]) {
      if (b.level == level::l1) unwritten(q, q.a.first);
      return;
    }
    remember_access(q.a);
    order_.spend(map_.visit(b.node, q.a.first, q.a.last, [&](segment& s) {
      if (order_.is_exhausted()) return false;
      if (version < s.version) version = s.version;
      if (is_write) return write(q, s);
      read(q, s);
      return false;
    }));
  }
  [[nodiscard]] static bool is_sound(const values& v, const region& r) noexcept {
    std::int64_t last = 0;
    return r.is_sound && r.buffer != no_index && v.buffers[r.buffer].is_known && r.offset >= 0 &&
           r.extent > 0 && !__builtin_add_overflow(r.offset, r.extent, &last);
  }

  void remember_access(const access_record& a) {
    const std::int64_t extent = a.last - a.first;
    const bool is_wide = extent >= std::int64_t{wide};
    if (is_wide) wide_.push_back({static_cast<std::uint32_t>(accesses_.size()), a.last});
    accesses_.push_back({a.first, is_wide ? wide : static_cast<std::uint32_t>(extent), a.task});
  }
  [[nodiscard]] access_record recall(std::uint32_t index,
                                     std::uint32_t buffer_name) const noexcept {
    const packed_access& p = accesses_[index];
    if (p.extent != wide) return {p.first, p.first + p.extent, p.task, buffer_name};
    const std::size_t i = first_not_below(wide_.data(), wide_.size(),
                                          [&](const wide_access& w) { return w.access < index; });
    return {p.first, wide_[i].last, p.task, buffer_name};
  }
  /// Finds the names of buffers that a task may write: others are only read. Names are declared
  /// before they are used, so that lets are followed from the end.
  [[gnu::cold]] void find_written() {
    is_written_.resize(c_.d.names.size());
    std::size_t tasks = 0;
    for (std::uint32_t i = static_cast<std::uint32_t>(c_.d.nodes.size()); i-- != 0;) {
      const nem::node& n = c_.d.nodes[i];
      tasks += n.kind == node_kind::transfer || n.kind == node_kind::store ||
               n.kind == node_kind::compute;
      const bool is_output = n.kind == node_kind::output || n.kind == node_kind::destination;
      if (!is_output && (n.kind != node_kind::let || !is_written_[n.value])) continue;
      const nem::node& value = c_.d.nodes[i + 1];
      if (value.kind == node_kind::region || value.kind == node_kind::name)
        is_written_[value.value] = true;
    }
    order_.reserve(tasks);
    accesses_.reserve(tasks);
    links_.reserve(tasks);
  }

  /// Whether an earlier access is before the current task.
  [[nodiscard, gnu::cold]] bool is_before(std::uint32_t p) {
    return is_unknown_ || order_.is_before(p);
  }

  [[gnu::cold]] void read(const current& q, segment& s) {
    bool is_fed = s.writes != 0, has_ordered = false;
    std::uint32_t feeder = no_index;
    for (std::uint32_t i = s.writes; i != 0; i = links_[i].next) {
      const std::uint32_t p = accesses_[links_[i].access].task;
      if (p == q.a.task) continue;
      order_.spend(1);
      has_ordered = is_before(p) || has_ordered;
      if (feeder == no_index) feeder = p;
      is_fed = is_fed && is_same_copy(feeder, p);
    }
    if (!is_fed || !has_ordered) feeder = no_index;
    for (std::uint32_t i = s.writes; i != 0; i = links_[i].next) {
      const std::uint32_t task = accesses_[links_[i].access].task;
      if (task == q.a.task || is_before(task)) continue;
      const access_record p = recall(links_[i].access, q.a.buffer_name);
      if (feeder == no_index || order_.is_same_path(p.task)) race(p, true, q, false);
    }
    if (s.writes == 0 && q.level == level::l1) unwritten(q, s.first);
    while (s.reads != 0) {
      const link& l = links_[s.reads];
      const std::uint32_t p = accesses_[l.access].task;
      if (p != q.a.task && !order_.is_plainly_before(p)) break;
      if (l.fed != feeder && feeder != no_index) break;
      s.reads = l.next;
      order_.spend(1);
    }
    s.reads = add_link({q.index, s.reads, feeder});
  }

  /// Returns whether no other access is left to know of.
  bool write(const current& q, segment& s) {
    s.writes = keep_racing(q, s.writes, true);
    s.reads = keep_racing(q, s.reads, false);
    const bool is_alone = s.writes == 0 && s.reads == 0;
    s.writes = is_alone ? own_link(q) : add_link({q.index, s.writes, no_index});
    s.version = q.a.task + 1;
    return is_alone;
  }
  /// Segments that only this access is known of share its link.
  [[nodiscard]] std::uint32_t own_link(const current& q) {
    if (links_.back().access == q.index && links_.back().next == 0 && links_.size() > 1)
      return static_cast<std::uint32_t>(links_.size() - 1);
    return add_link({q.index, 0, no_index});
  }
  [[nodiscard]] std::uint32_t add_link(const link& l) {
    links_.push_back(l);
    return static_cast<std::uint32_t>(links_.size() - 1);
  }

  /// The accesses of a list that aren't before the current write.
  [[nodiscard, gnu::cold]] std::uint32_t keep_racing(const current& q, std::uint32_t list,
                                                     bool are_writes) {
    kept_.clear();
    bool all = true;
    for (std::uint32_t i = list; i != 0; i = links_[i].next) {
      const std::uint32_t task = accesses_[links_[i].access].task;
      order_.spend(1);
      if (task == q.a.task || is_before(task)) {
        all = false;
        continue;
      }
      const access_record p = recall(links_[i].access, q.a.buffer_name);
      const std::uint32_t writer = are_writes ? p.task : links_[i].fed;
      if (writer != no_index && !order_.is_same_path(p.task) && is_same_copy(writer, q.a.task)) {
        rewrite(p, q);
      } else {
        race(p, are_writes, q, true);
        if (kept_.size() >= max_kept) {  // what follows it has been reported
          all = false;
          continue;
        }
      }
      kept_.push_back(i);
    }
    if (all) return list;
    std::uint32_t head = 0;
    for (std::size_t k = kept_.size(); k-- != 0;) {
      link l = links_[kept_[k]];
      l.next = head;
      head = add_link(l);
    }
    return head;
  }

  /// Forgets accesses that no segment knows of any more, in time for as many new ones as there are
  /// then segments or accesses.
  [[gnu::cold]] void forget() {
    // Lists share their ends, which are always older: from the newest link on, each is met after all
    // that lead to it.
    pool<std::uint32_t> links_to, accesses_to;  // by index: whether it is used, then where it moves
    links_to.resize(links_.size());
    accesses_to.resize(accesses_.size());
    map_.each([&](segment& s) { links_to[s.writes] = links_to[s.reads] = 1; });
    for (std::size_t i = links_.size(); i-- != 0;) {
      if (links_to[i] == 0 && i != 0) continue;
      links_to[links_[i].next] = 1;
      accesses_to[links_[i].access] = 1;
    }
    move_used(accesses_, accesses_to, [](const packed_access&) {});
    move_used(links_, links_to, [&](link& l) {
      l.access = accesses_to[l.access];
      l.next = links_to[l.next];
    });
    map_.each([&](segment& s) {
      s.writes = links_to[s.writes];
      s.reads = links_to[s.reads];
    });
    std::size_t kept = 0;
    for (const wide_access& w : wide_)
      if (accesses_to[w.access] != no_index) wide_[kept++] = {accesses_to[w.access], w.last};
    wide_.shrink(kept);
    const std::size_t known = links_.size() > map_.size() ? links_.size() : map_.size();
    max_links_ = 2 * (known > min_links ? known : min_links);
  }
  /// Closes the gaps between elements that are used, in their order; `to` has the new index of each.
  template <class T, class Change>
  [[gnu::cold]] static void move_used(pool<T>& all, pool<std::uint32_t>& to, Change change) {
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (to[i] == 0) {
        to[i] = no_index;
        continue;
      }
      to[i] = kept;
      all[kept] = all[i];
      change(all[kept++]);
    }
    all.shrink(kept);
  }

  // Copies ---------------------------------------------------------------------------------------

  [[gnu::cold]] void remember_copy(const values& v, const nem::task& t, std::uint32_t version) {
    if ((t.opcode != opcode::transfer && t.opcode != opcode::store) || t.inputs != 1 ||
        t.outputs != 1)
      return;
    const std::uint32_t from = v.inputs(t)[0].region, to = v.outputs(t)[0].region;
    if (from == no_index || to == no_index) return;
    const region &a = v.regions[from], &b = v.regions[to];
    if (!is_sound(v, a) || !is_sound(v, b)) return;
    copy_of_.resize(order_.size());
    copy_of_.back() = static_cast<std::uint32_t>(copies_.size() + 1);
    copies_.push_back({a.offset, a.offset + a.extent, b.offset, b.offset + b.extent,
                       v.buffers[a.buffer].node, v.buffers[b.buffer].node, version, t.node});
  }
  /// Whether two tasks are copies of one statement that copy the same.
  [[nodiscard]] bool is_same_copy(std::uint32_t p, std::uint32_t q) const noexcept {
    if (p >= copy_of_.size() || q >= copy_of_.size() || copy_of_[p] == 0 || copy_of_[q] == 0)
      return false;
    const copy &a = copies_[copy_of_[p] - 1], &b = copies_[copy_of_[q] - 1];
    return a.node == b.node && a.version == b.version && a.from == b.from && a.to == b.to &&
           a.from_first == b.from_first && a.from_last == b.from_last && a.to_first == b.to_first &&
           a.to_last == b.to_last;
  }

  // Findings -------------------------------------------------------------------------------------

  /// What to call a task: its token, or what it is.
  template <class Out>
  Out& name(Out& out, std::uint32_t node) const {
    const nem::node& n = c_[node];
    if (n.value != no_name) return out << c_.d.name(n.value), out;
    out << "the ";
    if (n.kind != node_kind::compute) return out << nem::name(n.kind), out;
    const std::uint32_t op = child(c_.d, node, node_kind::opcode);
    if (op != no_node) out << c_.name(op) << ' ';
    return out << "task", out;
  }
  template <class Out>
  void bytes(Out& out, std::int64_t first, std::int64_t last, std::uint32_t buffer_name) const {
    if (first + 1 == last)
      out << "byte " << first;
    else
      out << "bytes [" << first << ", " << last << ')';
    out << " of " << c_.d.name(buffer_name);
  }
  template <class Out>
  void overlap(Out& out, const access_record& p, const access_record& q) const {
    bytes(out, p.first > q.first ? p.first : q.first, p.last < q.last ? p.last : q.last,
          q.buffer_name);
  }
  [[nodiscard]] static std::string_view verb(bool is_write) noexcept {
    return is_write ? "writes" : "reads";
  }

  /// Whether this rule has reported the current task; then it has.
  [[nodiscard]] bool was_reported(std::uint8_t rule) noexcept {
    const bool was = (reported_ & rule) != 0;
    reported_ = static_cast<std::uint8_t>(reported_ | rule);
    return was;
  }

  [[gnu::cold]] void race(const access_record& p, bool p_writes, const current& q, bool q_writes) {
    if (order_.is_same_path(p.task)) {
      if (unordered_.empty()) first_pair_ = {p, q.a, p_writes, q_writes};
      if (unordered_.size() < max_unordered) unordered_.push_back(p.task);
      return;
    }
    if (was_reported(reported_iterations)) return;
    const std::uint32_t earlier = order_.node_of(p.task);
    auto&& out = c_.report(errc::nem_haz_002_iterations, q.t.node);
    const happens_before::relation r = order_.relate(p.task);
    const std::uint64_t apart =
        static_cast<std::uint64_t>(r.later) - static_cast<std::uint64_t>(r.earlier);
    const std::string_view variable = c_.name(r.loop);
    name(out, q.t.node) << ' ' << verb(q_writes) << ' ';
    overlap(out, p, q.a);
    out << " where " << variable << " is " << r.later << ", and ";
    name(out, earlier) << ' ' << verb(p_writes) << " the same where " << variable << " is "
                       << r.earlier << "; @max_in_flight(" << r.in_flight
                       << ") lets these iterations overlap";
    out.note(c_.at(earlier));
    name(out, earlier) << ' ' << verb(p_writes) << ' ';
    bytes(out, p.first, p.last, p.buffer_name);
    out << "; use @max_in_flight(" << apart << "), or " << r.in_flight << " regions chosen by "
        << variable << " mod " << r.in_flight;
  }

  /// HAZ-001: the task at `node` races with all tasks in `unordered_`.
  [[gnu::cold]] void report_unordered(std::uint32_t node) {
    const pair& r = first_pair_;
    const std::size_t before = c_.found.report().diagnostics.size();
    auto&& out = c_.report(errc::nem_haz_001_unordered, node);
    if (c_.found.report().diagnostics.size() == before) return;  // what isn't kept isn't made
    choose_deps();
    const std::uint32_t earlier = order_.node_of(r.p.task);
    name(out, node) << ' ' << verb(r.q_writes) << ' ';
    overlap(out, r.p, r.q);
    out << ", which ";
    name(out, earlier) << ' ' << verb(r.p_writes) << "; nothing orders the two";
    if (unordered_.size() > 1) {
      out << "; ";
      name(out, node) << " also conflicts with ";
      list_tasks(out, view<std::uint32_t>(unordered_), r.p.task);
    }
    out.note(c_.at(earlier));
    name(out, earlier) << ' ' << verb(r.p_writes) << ' ';
    bytes(out, r.p.first, r.p.last, r.p.buffer_name);
    suggest_order(out, node);
  }
  /// Sorts `unordered_`, each once, and chooses its last tasks, without those that are before others.
  [[gnu::cold]] void choose_deps() {
    order_.spend(unordered_.size());
    sort(unordered_.data(), unordered_.size(),
         [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < unordered_.size(); ++i)
      if (unordered_[i] != unordered_[i - 1]) unordered_[distinct++] = unordered_[i];
    unordered_.resize(distinct);
    chosen_.clear();
    for (std::size_t i = distinct; i-- != 0;) {
      if (!chosen_.empty() && order_.is_before(unordered_[i])) continue;
      chosen_.push_back(unordered_[i]);
      order_.assume(unordered_[i]);
    }
    for (std::size_t i = 0, k = chosen_.size() - 1; i < k; ++i, --k) {
      const std::uint32_t later = chosen_[i];
      chosen_[i] = chosen_[k];
      chosen_[k] = later;
    }
  }
  /// The note's end, and the fix.
  template <class Out>
  [[gnu::cold]] void suggest_order(Out& out, std::uint32_t node) const {
    std::size_t named = 0;
    bool is_same_scope = chosen_.size() <= max_kept;
    for (const std::uint32_t t : chosen_) {
      if (token_of(t) != no_name) ++named;
      is_same_scope = is_same_scope && order_.relate(t).is_same_scope;
    }
    if (named == 0) {
      out << (chosen_.size() == 1 ? "; give it a token and wait for it"
                                  : "; give each of them a token and wait for it");
      return;
    }
    out << "; deps=[";
    list_tokens(out, max_listed);
    if (unordered_.size() == 1) {
      out << "] or wait(" << c_.d.name(token_of(chosen_[0])) << ") orders the two";
    } else {
      out << (named == chosen_.size() ? "] orders "
                                      : "], and a token for each of the others, order ");
      name(out, node) << " after all of them";
    }
    if (is_same_scope && named == chosen_.size()) fix(out, node);
  }
  [[nodiscard]] std::uint32_t token_of(std::uint32_t task) const noexcept {
    return c_[order_.node_of(task)].value;
  }
  /// The tokens of the chosen tasks.
  template <class Out>
  void list_tokens(Out& out, std::size_t max) const {
    std::size_t listed = 0;
    for (const std::uint32_t t : chosen_) {
      if (token_of(t) == no_name) continue;
      if (listed == max) {
        out << ", ...";
        return;
      }
      out << (listed++ == 0 ? "" : ", ") << c_.d.name(token_of(t));
    }
  }
  /// The tasks of a list but one: their tokens, and how many others there are.
  template <class Out>
  void list_tasks(Out& out, view<std::uint32_t> tasks, std::uint32_t without) const {
    std::size_t listed = 0, others = 0;
    for (const std::uint32_t t : tasks) {
      if (t == without) continue;
      if (token_of(t) == no_name || listed == max_listed) {
        ++others;
        continue;
      }
      out << (listed++ == 0 ? "" : ", ") << c_.d.name(token_of(t));
    }
    if (others == 0) return;
    if (listed != 0) out << " and ";
    out << others << (listed == max_listed ? " more task" : " task") << (others == 1 ? "" : "s");
    if (listed != max_listed) out << " without a token";
  }

  [[gnu::cold]] void rewrite(const access_record& p, const current& q) {
    if (was_reported(reported_rewritten)) return;
    auto&& out = c_.report(errc::nem_haz_003_rewritten, q.t.node);
    const happens_before::relation r = order_.relate(p.task);
    const copy& k = copies_[copy_of_[q.a.task] - 1];
    name(out, q.t.node) << " writes the same data to ";
    bytes(out, k.to_first, k.to_last, q.a.buffer_name);
    out << " in iterations that overlap";
    out.note(c_.at(r.loop)) << "the data doesn't change in the loop over " << c_.name(r.loop)
                            << "; copy it once before the loop";
  }

  void unwritten(const current& q, std::int64_t byte) {
    if (is_partial_ || skips_ != 0 || has_unwritten_ || is_unknown_) return;
    has_unwritten_ = true;
    auto&& out = c_.report(errc::nem_haz_006_unwritten, q.t.node);
    name(out, q.t.node) << " reads ";
    bytes(out, q.a.first, q.a.last, q.a.buffer_name);
    out << ", and no earlier task writes byte " << byte;
  }

  [[gnu::cold]] void check_in_place(const values& v, const nem::task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store || t.opcode == opcode::unknown)
      return;
    const opcode_category k = row(t.opcode).category;
    const bool in_place =
        k == opcode_category::elementwise_unary || k == opcode_category::elementwise_binary ||
        k == opcode_category::elementwise_other || k == opcode_category::normalization ||
        k == opcode_category::softmax || t.opcode == opcode::reshape;
    for (const operand& o : v.outputs(t)) {
      if (&o != v.outputs(t).begin()) {  // the first is looked at in any case
        order_.spend(t.inputs);
        if (order_.is_exhausted()) return;
      }
      if (o.region == no_index || !is_sound(v, v.regions[o.region])) continue;
      const region& y = v.regions[o.region];
      for (const operand& i : v.inputs(t)) {
        if (i.region == no_index || !is_sound(v, v.regions[i.region])) continue;
        const region& x = v.regions[i.region];
        if (v.buffers[x.buffer].node != v.buffers[y.buffer].node ||
            x.offset >= y.offset + y.extent || y.offset >= x.offset + x.extent)
          continue;
        if (in_place && is_same_place(v, x, y)) continue;
        const access_record a{x.offset, x.offset + x.extent, 0, v.buffers[x.buffer].name};
        const access_record b{y.offset, y.offset + y.extent, 0, a.buffer_name};
        auto&& out = c_.report(errc::nem_haz_004_in_place, o.node);
        out << "the output overlaps an input of its task: ";
        overlap(out, a, b);
        if (in_place) out << "; " << nem::name(t.opcode) << " may only write all of it in place";
        out.note(c_.at(i.node)) << "the input is ";
        bytes(out, a.first, a.last, a.buffer_name);
        return;
      }
    }
  }
  [[nodiscard]] static bool is_same_place(const values& v, const region& x,
                                          const region& y) noexcept {
    if (x.offset != y.offset || x.extent != y.extent || x.has_strides != y.has_strides)
      return false;
    const view<std::int64_t> a = v.strides(x), b = v.strides(y);
    if (a.size() != b.size()) return false;
    if (a.size() > max_rank) return true;  // such operands are refused
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  /// Whether deps names tokens that aren't known: then the task may be after any other.
  [[nodiscard, gnu::cold]] bool misses_deps(const nem::task& t) {
    for (const std::uint32_t i : children(c_.d, t.node))
      if (c_[i].kind == node_kind::deps) return misses_tokens(i, t.deps);
    return false;
  }
  /// Whether a list names more tokens than are known. Those that it repeats count once.
  [[nodiscard, gnu::cold]] bool misses_tokens(std::uint32_t list, std::size_t known) {
    named_.clear();
    for (const std::uint32_t i : children(c_.d, list))
      if (c_[i].kind == node_kind::name) named_.push_back(c_[i].value);
    if (named_.size() <= known) return false;
    order_.spend(named_.size());
    sort(named_.data(), named_.size(), [](std::uint32_t a, std::uint32_t b) { return a < b; });
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < named_.size(); ++i) distinct += named_[i] != named_[i - 1];
    return distinct > known;
  }

  /// Suggests the chosen tokens in the task's deps: where they are, or after its last operand.
  template <class Out>
  void fix(Out& out, std::uint32_t task) const {
    const bool is_compute = c_[task].kind == node_kind::compute;
    std::uint32_t end = 0;
    bool has_attributes = false, has_decorators = false, is_long = false;
    for (const std::uint32_t i : children(c_.d, task)) {
      const nem::node& n = c_[i];
      switch (n.kind) {
        case node_kind::deps:
          if (n.length < 2 || n.length == 0xffff) return;
          out.fix({0, n.offset + n.length - 1, 0}) << (n.next == i + 1 ? "" : ", ");
          list_tokens(out, max_kept);
          return;
        case node_kind::output:
        case node_kind::destination:
        case node_kind::source:
          for (std::uint32_t k = i; k < n.next; ++k) {
            const std::uint32_t last = c_[k].offset + c_[k].length;
            if (end < last) end = last;
            is_long = is_long || c_[k].length == 0xffff;
          }
          break;
        case node_kind::attribute: has_attributes = true; break;
        case node_kind::decorator: has_decorators = true; break;
        default: break;
      }
    }
    // Decorators after the last operand are the task's only where neither attributes nor deps are.
    if (is_long || (is_compute && has_decorators && !has_attributes)) return;
    out.fix({0, end, 0}) << (is_compute ? " deps=[" : ", deps=[");
    list_tokens(out, max_kept);
    out << ']';
  }

  void end(const nem::task& t) {
    has_ended_ = true;
    c_.report(errc::nem_haz_005_partial, t.node)
        << "the search for hazards stops here, after " << order_.size() << " tasks and "
        << order_.spent() << " steps (verify_options::hazard_steps)";
  }

  context& c_;
  happens_before order_;
  byte_map map_;
  pool<bool> is_written_;  ///< by name of a buffer: whether any task may write it
  pool<packed_access> accesses_;
  pool<wide_access> wide_;
  pool<link> links_;
  std::size_t max_links_ =
      2 * min_links;             ///< at which those that no segment knows of are forgotten
  pool<std::uint32_t> copy_of_;  ///< of each task in iterations that overlap: its copy + 1, or 0
  pool<copy> copies_;
  pool<std::uint32_t> kept_, named_;
  pair first_pair_ = {};           ///< the current task's first race with one of the same path
  pool<std::uint32_t> unordered_;  ///< the tasks of all of them
  pool<std::uint32_t> chosen_;     ///< those that the finding suggests as deps
  pool<loop_state> loops_;
  std::int64_t max_tokens_ = -1;
  std::uint32_t first_beyond_ = no_node;
  std::uint8_t reported_ = 0;      ///< rules that have reported the current task
  bool is_unknown_ = false;        ///< whether the current task may be after any other
  bool is_partial_ = false;        ///< whether iterations were left out
  std::uint32_t overlapping_ = 0;  ///< loops that run whose iterations may overlap
  std::uint32_t skips_ = 0;        ///< loops that run, of which iterations were left out
  bool has_unwritten_ = false;     ///< whether the current access was reported
  bool has_ended_ = false;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_ORDER_HAZARDS_HPP

// ---- tessera/nem/detail/rules/compute.hpp
//
// The rules of compute tasks, put together: opcode, attributes, shapes, types, descriptors.
//
//   detail::compute_rules rules;          // one for a verification
//   rules.check(c, t);                    // each instance of each compute task, evaluated
//
//   once for each task of the text     signature, types, descriptors    OPC TYP FAM QNT
//   in each iteration                  attributes and shapes            OPC-009 SHP
//
// What an operand is typed as doesn't depend on loop variables; its sizes may.
//
// Lifetime:   keeps nothing of the context between calls.
// Errors:     those of the headers that it includes, and TYP-003.
// Limits:     those of the headers that it includes.
// Allocation: a bit for each node of the model; none for a task whose like was checked before.

#ifndef TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP
#define TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/nem/detail/rules/attribute.hpp
//
// Rules about the parts of a compute task: its opcode, its operands and its attributes.
//
//   if (check_signature(c, t)) …        // as many operands as the opcode takes
//   range_rules(c, t, a).check();       // takes values that are out of range from a.given
//
//   OPC-001 OPC-010 OPC-011    opcode          "Compute Tasks"
//   OPC-002 OPC-003 OPC-004    operands        opcode registry
//   OPC-005 OPC-006 OPC-009    attributes      opcode registry
//
// Lifetime:   nothing is kept.
// Errors:     those above.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP
#define TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP

#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The node that names a task's opcode.
[[nodiscard]] inline std::uint32_t opcode_node(const context& c, const task& t) noexcept {
  const std::uint32_t i = child(c.d, t.node, node_kind::opcode);
  return i == no_node ? t.node : i;
}

/// Whether a task has as many operands as its opcode takes.
[[nodiscard]] inline bool has_operands(const task& t) noexcept {
  const opcode_signature& s = signature(t.opcode);
  return t.inputs >= s.required_inputs && (s.variadic_inputs || t.inputs <= s.inputs) &&
         (s.variadic_outputs ? t.outputs >= 1 : t.outputs == s.outputs);
}

/// The name that the registry gives an operand; operands of variadic lists share one.
[[nodiscard]] constexpr std::string_view registry_name(opcode op, bool is_output,
                                                       std::size_t index) noexcept {
  std::string_view list = is_output ? row(op).outputs : row(op).inputs, word = next_word(list);
  for (; index > 0 && !list.empty(); --index) word = next_word(list);
  if (!word.empty() && (word.back() == '?' || word.back() == '*')) word.remove_suffix(1);
  return word;
}

/// OPC-005 and OPC-006.
[[gnu::cold]] inline void check_attribute_names(context& c, const task& t, std::uint32_t at) {
  const opcode_signature& s = signature(t.opcode);
  const std::string_view op = name(t.opcode);
  std::uint32_t given = 0, unknown = 0, meant = 0;
  for (const std::uint32_t i : children(c.d, t.node)) {
    if (c[i].kind != node_kind::attribute) continue;
    const auto a = static_cast<attribute>(c[i].detail);
    const std::uint32_t bit = a == attribute::unknown ? 0 : attributes::bit(a);
    given |= bit;
    unknown += (s.attributes & bit) == 0;
  }
  std::uint32_t missing = s.required_attributes & ~given;
  if (unknown != 0 && t.opcode != opcode::compute)
    for (const std::uint32_t i : children(c.d, t.node)) {
      if (c[i].kind != node_kind::attribute) continue;
      const auto a = static_cast<attribute>(c[i].detail);
      if (a != attribute::unknown && (s.attributes & attributes::bit(a)) != 0) continue;
      place where = c.at(i);
      if (c.name(i).size() < where.length)
        where.length = static_cast<std::uint32_t>(c.name(i).size());
      auto&& w = c.found.add(errc::nem_opc_006_unknown, where);
      w << op << " has no attribute " << c.name(i);
      suggestion near(c.name(i));
      for (std::size_t k = 0; k < attribute_count; ++k)
        if (((s.attributes & ~given) >> k & 1) != 0) near.offer(attribute_table[k].name);
      if (near.word().empty() && !std::has_single_bit(missing)) near.offer("deps");
      // One that is unknown is the one that is missing.
      const bool is_other = near.word().empty() && unknown == 1 && std::has_single_bit(missing);
      for (std::size_t k = 0; k < attribute_count; ++k)
        if (is_other ? missing == 1u << k : near.word() == attribute_table[k].name)
          meant |= 1u << k;
      if (is_other) {
        w.note() << "did you mean " << attribute_table[std::countr_zero(missing)].name << '?';
      } else if (!near.word().empty()) {
        w.note() << "did you mean " << near.word() << '?';
      } else if (s.attributes != 0) {
        w.note() << op << " takes";
        for (std::string_view list = row(t.opcode).attributes; !list.empty();) {
          std::string_view word = next_word(list);
          if (word.back() == '?') word.remove_suffix(1);
          w << ' ' << word << (list.empty() ? "" : ",");
        }
      }
    }
  missing &= ~meant;
  if (missing == 0) return;
  auto&& w = c.report(errc::nem_opc_005_missing, at);
  w << op << ':';
  bool is_first = true;
  for (std::size_t k = 0; k < attribute_count; ++k) {
    if ((missing >> k & 1) == 0) continue;
    w << (is_first ? " " : ", ") << attribute_table[k].name << " is required";
    is_first = false;
  }
}

/// What the text of a task shows without evaluating anything. Returns whether its operands can be
/// looked at.
[[gnu::cold]] inline bool check_signature(context& c, const task& t) {
  const std::uint32_t at = opcode_node(c, t);
  if (t.opcode == opcode::unknown) {
    const std::string_view word = c[at].kind == node_kind::opcode ? c.name(at) : "";
    auto&& w = c.report(errc::nem_opc_001_opcode, at);
    w << "unknown opcode " << word;
    const std::string_view near = nearest(word, opcode_table);
    if (!near.empty()) w.note() << "did you mean " << near << '?';
    return false;
  }
  const opcode_signature& s = signature(t.opcode);
  const opcode_row& r = row(t.opcode);
  const auto operands = [](std::uint32_t n, bool are_inputs) {
    return are_inputs ? (n == 1 ? " input" : " inputs") : (n == 1 ? " output" : " outputs");
  };
  if (r.hardware == hardware_status::future)
    c.report(errc::nem_opc_010_future, at) << "no hardware executes " << r.name << " yet";
  if (t.opcode == opcode::compute)
    c.report(errc::nem_opc_011_generic, at)
        << "compute is the generic opcode: binders may reject it";
  if (t.inputs < s.required_inputs) {
    auto&& w = c.report(errc::nem_opc_002_few_inputs, at);
    w << r.name << " takes "
      << (s.inputs == s.required_inputs && !s.variadic_inputs ? "" : "at least ")
      << unsigned{s.required_inputs} << operands(s.required_inputs, true) << ", not " << t.inputs;
    w.note() << "missing: " << registry_name(t.opcode, false, t.inputs);
  } else if (!s.variadic_inputs && t.inputs > s.inputs) {
    c.report(errc::nem_opc_003_many_inputs, c.v.inputs(t)[s.inputs].node)
        << r.name << " takes " << (s.inputs == s.required_inputs ? "" : "at most ")
        << unsigned{s.inputs} << operands(s.inputs, true) << ", not " << t.inputs;
  }
  if (!s.variadic_outputs && t.outputs != s.outputs) {
    const std::uint32_t node = t.outputs > s.outputs ? c.v.outputs(t)[s.outputs].node : at;
    c.report(errc::nem_opc_004_outputs, node)
        << r.name << " has " << unsigned{s.outputs} << operands(s.outputs, false) << ", not "
        << t.outputs;
  }
  check_attribute_names(c, t, at);
  return has_operands(t);
}

/// The ranges of attributes that depend on nothing but the opcode. Lists that are longer than any
/// operand needs aren't looked through: a `let` gives the same one to many tasks, and its length is
/// wrong.
class range_rules {
 public:
  range_rules(context& c, const task& t, attributes& a) noexcept : c_(c), t_(t), a_(a) {}

  [[gnu::cold]] void check() {
    if (a_.given == 0) return;
    const std::size_t axes = t_.opcode == opcode::conv1d ? 1 : t_.opcode == opcode::conv3d ? 3 : 2;
    switch (t_.opcode) {
      case opcode::conv1d:
      case opcode::conv2d:
      case opcode::conv3d:
      case opcode::depthwise_conv2d:
      case opcode::maxpool:
      case opcode::avgpool:
        list(attribute::pads, a_.pads, 0, 2 * axes);
        list(attribute::strides, a_.strides, 1, axes);
        list(attribute::dilations, a_.dilations, 1, axes);
        list(attribute::kernel_shape, a_.kernel_shape, 1, axes);
        if (a_.has(attribute::groups) && a_.groups < 1)
          reject(attribute::groups) << "groups is " << a_.groups << "; expected at least 1";
        break;
      case opcode::pad:
        if (a_.pads.size() <= 2 * max_rank) list(attribute::pads, a_.pads, 0, a_.pads.size());
        if (a_.mode == pad_mode::unknown) mode();
        finite(attribute::constant_value, a_.constant_value);
        break;
      case opcode::leaky_relu: finite(attribute::alpha, a_.alpha); break;
      case opcode::clamp:
        finite(attribute::min_val, a_.min_val);
        finite(attribute::max_val, a_.max_val);
        if (a_.has(attribute::min_val) && a_.has(attribute::max_val) && a_.min_val > a_.max_val)
          reject(attribute::min_val) << "min_val is above max_val; expected min_val <= max_val";
        break;
      case opcode::layernorm:
      case opcode::rmsnorm:
        if (finite(attribute::epsilon, a_.epsilon) && a_.epsilon < 0)
          reject(attribute::epsilon) << "epsilon is negative; expected at least 0";
        break;
      case opcode::transpose: permutation(); break;
      case opcode::reshape: target_shape(); break;
      case opcode::slice: slice(); break;
      case opcode::split:
        if (a_.split_sizes.size() == t_.outputs)
          list(attribute::split_sizes, a_.split_sizes, 1, t_.outputs);
        break;
      default: break;
    }
  }

 private:
  findings::writer reject(attribute a) {
    a_.given &= ~attributes::bit(a);
    return c_.report(errc::nem_opc_009_range, attribute_value(c_.d, t_.node, a));
  }
  findings::writer reject(attribute a, std::size_t index) {
    a_.given &= ~attributes::bit(a);
    return c_.report(errc::nem_opc_009_range, attribute_element(c_.d, t_.node, a, index));
  }
  [[nodiscard]] static std::string_view name(attribute a) noexcept {
    return attribute_table[static_cast<std::size_t>(a)].name;
  }

  bool finite(attribute a, double value) {
    if (!a_.has(a)) return false;
    if (value >= -DBL_MAX && value <= DBL_MAX) return true;
    reject(a) << name(a) << " must be finite";
    return false;
  }
  [[gnu::cold]] void list(attribute a, view<std::int64_t> values, std::int64_t least,
                          std::size_t size) {
    if (!a_.has(a)) return;
    if (values.size() != size) {
      reject(a) << name(a) << " of " << row(t_.opcode).name << " has " << values.size()
                << (values.size() == 1 ? " number" : " numbers") << "; expected " << size;
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < least) {
        reject(a, i) << name(a) << " has " << values[i] << "; expected at least " << least;
        return;
      }
  }
  [[gnu::cold]] void mode() {
    const std::uint32_t value = attribute_value(c_.d, t_.node, attribute::mode);
    auto&& w = reject(attribute::mode);
    w << "unknown mode " << c_.name(value) << "; expected constant, reflect, edge or wrap";
    const std::string_view near = nearest(c_.name(value), pad_mode_names);
    if (!near.empty()) w.note() << "did you mean " << near << '?';
  }
  /// Each of 0 to n - 1 once. Lists that are longer than any rank are refused with the rank.
  [[gnu::cold]] void permutation() {
    if (!a_.has(attribute::perm)) return;
    const view<std::int64_t> p = a_.perm;
    if (p.size() > max_rank) return;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool is_axis = p[i] >= 0 && static_cast<std::uint64_t>(p[i]) < p.size();
      const std::uint64_t bit = is_axis ? std::uint64_t{1} << p[i] : 0;
      if (is_axis && (seen & bit) == 0) {
        seen |= bit;
        continue;
      }
      reject(attribute::perm, i) << "perm must contain each of 0 to " << p.size() - 1 << " once; "
                                 << p[i] << (is_axis ? " is repeated" : " is out of range");
      return;
    }
  }
  [[gnu::cold]] void target_shape() {
    if (!a_.has(attribute::target_shape)) return;
    if (a_.target_shape.size() > max_rank) {
      reject(attribute::target_shape) << "target_shape has " << a_.target_shape.size()
                                      << " dimensions; expected at most " << max_rank;
      return;
    }
    bool is_inferred = false;
    for (std::size_t i = 0; i < a_.target_shape.size(); ++i) {
      const std::int64_t size = a_.target_shape[i];
      if (size > 0) continue;
      if (size == -1 && !is_inferred) {
        is_inferred = true;
        continue;
      }
      auto&& w = reject(attribute::target_shape, i);
      if (size == -1)
        w << "target_shape has more than one -1";
      else
        w << "target_shape has " << size << "; expected positive sizes and at most one -1";
      return;
    }
  }
  [[gnu::cold]] void slice() {
    static constexpr attribute four[] = {attribute::starts, attribute::ends, attribute::axes,
                                         attribute::steps};
    const std::size_t size = a_.starts.size();
    for (const attribute a : four) {
      if (!a_.has(attribute::starts) || !a_.has(a) || a_.list(a).size() == size) continue;
      reject(a) << name(a) << " has " << a_.list(a).size() << " numbers; expected " << size
                << ", as many as starts";
      return;
    }
    if (!a_.has(attribute::steps) || size > max_rank) return;
    for (std::size_t i = 0; i < a_.steps.size(); ++i)
      if (a_.steps[i] == 0) {
        reject(attribute::steps, i) << "steps has a 0; expected other numbers";
        return;
      }
  }

  context& c_;
  const task& t_;
  attributes& a_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_ATTRIBUTE_HPP

// ---- tessera/nem/detail/rules/descriptor.hpp
//
// Rules about quantization descriptors that operands of one task carry together.
//
//   descriptor_rules rules;             // one for a verification
//   rules.check(c, t);                  // operands are typed
//
//   QNT-009    some carry one, some don't        element-wise, pools
//   QNT-010    an i32 bias needs its own         gemm, convolutions
//   QNT-011    the output has none               gemm, convolutions of integers
//   QNT-012    values are copied, not scaled     layout operations
//   QNT-013    ignored                           cast
//   QNT-014    functions of raw integers         sigmoid tanh exp log sqrt gelu silu
//
// Lifetime:   keeps nothing of the context between calls.
// Errors:     those above.
// Limits:     none.
// Allocation: 24 bytes for each region with a list of scales.

#ifndef TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP
#define TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class descriptor_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t, const attributes& a) {
    switch (row(t.opcode).category) {
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::pooling: return raw_integers(c, t);
      case opcode_category::linear_algebra:
      case opcode_category::convolution: return accumulated(c, t);
      case opcode_category::layout: return copied(c, t, a);
      case opcode_category::type_conversion:
        if (t.opcode == opcode::cast) ignored(c, t);
        return;
      default: return;
    }
  }

 private:
  /// What is worked out once for a region whose descriptor has lists.
  struct memo {
    std::uint64_t key = 0;  ///< the region's node, plus 1
    bool varies = false;    ///< whether not all scales are equal
    std::uint64_t digest = 0;
  };

  [[nodiscard]] static const region& of(const context& c, const operand& o) noexcept {
    return c.v.regions[o.region];
  }
  [[nodiscard]] static bool is_quantized(const context& c, const operand& o) noexcept {
    return of(c, o).quant != no_index;
  }

  /// QNT-009 and QNT-014.
  [[gnu::cold]] static void raw_integers(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    if (!is_integer(of(c, in[0]).element)) return;
    const operand *with = nullptr, *without = nullptr;
    for (const view<operand> all : {in, out})
      for (const operand& o : all) {
        const operand*& first = is_quantized(c, o) ? with : without;
        if (first == nullptr) first = &o;
      }
    if (with != nullptr && without != nullptr) {
      auto&& w = c.report(errc::nem_qnt_009_mixed, without->node);
      w << "this operand of " << name(t.opcode)
        << " has no quantization descriptor where another has one: raw integers are used";
      w.note(c.at(with->node)) << "this one has a descriptor";
    }
    if (with != nullptr) return;
    switch (t.opcode) {
      case opcode::sigmoid:
      case opcode::tanh:
      case opcode::exp:
      case opcode::log:
      case opcode::sqrt:
      case opcode::gelu:
      case opcode::silu:
        c.report(errc::nem_qnt_014_function, opcode_node(c, t))
            << name(t.opcode) << " of " << name(of(c, in[0]).element)
            << " without a quantization descriptor: results are rounded to integers";
        break;
      default: break;
    }
  }

  /// QNT-010 and QNT-011.
  [[gnu::cold]] void accumulated(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const region& weight = of(c, in[1]);
    if (!is_integer(weight.element) || !is_integer(of(c, in[0]).element)) return;
    if (!is_quantized(c, out[0]) && is_integer(of(c, out[0]).element))
      c.report(errc::nem_qnt_011_output, out[0].node)
          << "the output of " << name(t.opcode)
          << " has no quantization descriptor: scale 1 and zero point 0 are assumed";
    if (in.size() < 3 || is_quantized(c, in[2]) || of(c, in[2]).element != element::i32) return;
    if (weight.quant == no_index || !varies_along_reduction(c, t, weight)) return;
    auto&& w = c.report(errc::nem_qnt_010_bias, in[2].node);
    w << "an i32 bias needs a quantization descriptor of its own: the scale of "
      << registry_name(t.opcode, false, 1) << " varies along axis " << c.v.quants[weight.quant].axis
      << ", which is summed over";
    w.note(c.at(in[1].node)) << registry_name(t.opcode, false, 1) << " is here";
  }
  [[nodiscard, gnu::cold]] bool varies_along_reduction(const context& c, const task& t,
                                                       const region& weight) {
    const quant& q = c.v.quants[weight.quant];
    if (q.form == quantization::per_tensor || weight.rank < 2) return false;
    const auto rank = static_cast<std::int64_t>(weight.rank);
    if (row(t.opcode).category == opcode_category::convolution) {
      if (q.axis >= rank - 1) return false;
    } else {
      const bool is_turned = c.layout_ends_in(weight, "NK");
      if (q.axis != rank - (is_turned ? 1 : 2)) return false;
    }
    return look(c, weight).varies;
  }

  /// QNT-013.
  [[gnu::cold]] static void ignored(context& c, const task& t) {
    for (const view<operand> all : {c.v.inputs(t), c.v.outputs(t)})
      for (const operand& o : all)
        if (is_quantized(c, o))
          c.report(errc::nem_qnt_013_cast, o.node)
              << "cast converts stored values and ignores this quantization descriptor";
  }

  /// QNT-012.
  [[gnu::cold]] void copied(context& c, const task& t, const attributes& a) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const std::size_t inputs = t.opcode == opcode::gather ? 1 : in.size();
    for (std::size_t i = 0; i < inputs; ++i)
      for (const operand& y : out) {
        if (are_alike(c, t, a, of(c, in[i]), of(c, y))) continue;
        // The many side is named: an input of concat, an output of split.
        const bool names_input = inputs > 1;
        auto&& w = c.report(errc::nem_qnt_012_copied, names_input ? in[i].node : y.node);
        w << name(t.opcode) << " copies values unchanged between regions of different descriptors";
        w.note(c.at(names_input ? y.node : in[i].node))
            << (names_input ? "the output is here" : "the input is here");
      }
  }
  [[nodiscard, gnu::cold]] bool are_alike(const context& c, const task& t, const attributes& a,
                                          const region& x, const region& y) {
    if (x.quant == y.quant) return true;
    if (x.quant == no_index || y.quant == no_index) return false;
    const quant &from = c.v.quants[x.quant], &to = c.v.quants[y.quant];
    if (from.form != to.form || from.group_size != to.group_size) return false;
    if (from.form != quantization::per_tensor) {
      // The axis that y's descriptor is about is, in x, where transpose took it from. What reshape
      // and gather do to axes isn't followed.
      std::int64_t axis = to.axis;
      if (t.opcode == opcode::transpose && a.has(attribute::perm) && axis >= 0 &&
          static_cast<std::uint64_t>(axis) < a.perm.size())
        axis = a.perm[static_cast<std::size_t>(axis)];
      const bool is_followed = t.opcode != opcode::reshape && t.opcode != opcode::gather;
      if (is_followed && axis != from.axis) return false;
      // Cutting, joining or padding along the axis takes or adds a part of the lists.
      if (from.scales != to.scales) return true;
    }
    return look(c, x).digest == look(c, y).digest;
  }

  /// What is remembered of a region with a descriptor.
  [[nodiscard, gnu::cold]] memo look(const context& c, const region& r) {
    const auto [m, is_new] = memos_.find(std::uint64_t{r.node} + 1);
    if (!is_new) return m;
    const quant& q = c.v.quants[r.quant];
    const view<double> scales = c.v.scales(q);
    for (const double s : scales) {
      m.varies = m.varies || s != scales[0];
      mix(m.digest, std::bit_cast<std::uint64_t>(s));
    }
    for (const std::int64_t z : c.v.zero_points(q)) mix(m.digest, static_cast<std::uint64_t>(z));
    return m;
  }
  static void mix(std::uint64_t& digest, std::uint64_t value) noexcept {
    digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  keyed_rows<memo> memos_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_DESCRIPTOR_HPP

// ---- tessera/nem/detail/rules/family.hpp
//
// Rules about types: the variant of a type family that an instance of an opcode matches.
//
//   family_rules rules;                 // one for a verification: it keeps what it worked out
//   rules.check(c, t, a);               // operands are typed
//
//   FAM-001    no variant takes these types               "Type Family Matching Rule"
//   FAM-002    the target has none of the matches         "Device Validity Rule"
//   FAM-003    accum_type                                 "Type Families and Matching"
//   FAM-004    quantization descriptors                   "Quantization Constraints"
//   FAM-005    element types of one operation             "Elementwise Operations"
//   FAM-006    nothing governs the opcode                 opcode registry
//
// For each opcode that occurs, the instances of its families become rows: one type for each operand
// by position, so that matching compares a few bytes. What was asked once is remembered.
//
// Lifetime:   borrows nothing between calls; belongs to one catalog and one target.
// Errors:     those above.
// Limits:     none.
// Allocation: 16 bytes for each instance of the families of an opcode that occurs, 16 bytes for
//             each combination of types.

#ifndef TESSERA_NEM_DETAIL_RULES_FAMILY_HPP
#define TESSERA_NEM_DETAIL_RULES_FAMILY_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// The operands of an opcode by position: up to three inputs, then the output. Operands of one
/// variadic list share a role.
inline constexpr std::size_t role_count = 4, output_role = 3;

/// What a variant takes in one role: an element type (element::none: nothing), or one of these.
enum role_form : std::uint8_t {
  role_optional = 0x40,   ///< bit: an element type, or nothing
  role_supported = 0x80,  ///< any of the ten element types
  role_free = 0x81,       ///< anything
};
[[nodiscard]] constexpr bool takes(std::uint8_t form, element e) noexcept {
  if (form == static_cast<std::uint8_t>(e) || form == role_free) return true;
  if (form == role_supported) return e != element::none && !is_extension(e);
  return (form & role_optional) != 0 && form < role_supported &&
         (e == element::none || static_cast<std::uint8_t>(e) == (form ^ role_optional));
}

inline constexpr std::uint32_t max_listed = 12;  ///< variants that a note lists

/// An instance as an opcode sees it.
struct candidate {
  std::uint32_t instance = 0;  ///< in catalog::instances
  std::uint8_t role[role_count] = {};
  element accum = element::none;
  std::uint8_t quantized = 0;  ///< bit n: role n must carry a descriptor
  bool refuses_quant = false, is_supported = false;
};

/// The roles and the types of a task's operands.
struct typed_task {
  element role[role_count] = {element::none, element::none, element::none, element::none};
  std::uint8_t quantized = 0;  ///< bit n: an operand in role n carries a descriptor
  element accum = element::none;
};

class family_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t, const attributes& a) {
    if (t.opcode == opcode::compute) return;
    const opcode_row& r = row(t.opcode);
    const std::string_view families = governing(t.opcode);
    if (r.families.empty())
      c.report(errc::nem_fam_006_ungoverned, opcode_node(c, t))
          << "no type family governs " << r.name;
    if (!check_elements(c, t) || families.empty()) return;
    typed_task types;
    if (!roles_of(c, t, types)) return;
    if (a.has(attribute::accum_type)) types.accum = a.accum_type;
    const found_row best = find(c, t.opcode, types);
    if (best.row == no_index) return;  // the catalog has none of the families
    if (best.differing != 0) return no_variant(c, t, types, best.row);
    conditions(c, t, types, rows_[best.row]);
  }

 private:
  struct found_row {
    std::uint32_t row = no_index, differing = 0;
  };
  struct memo {
    std::uint64_t key = 0;
    found_row value;
  };

  /// Convolutions without families of their own follow conv2d.
  [[nodiscard]] static std::string_view governing(opcode op) noexcept {
    return row(op).category == opcode_category::convolution ? row(opcode::conv2d).families
                                                            : row(op).families;
  }
  [[nodiscard]] static const region& of(const context& c, const operand& o) noexcept {
    return c.v.regions[o.region];
  }

  /// FAM-005. False where types are wrong.
  [[nodiscard, gnu::cold]] static bool check_elements(context& c, const task& t) {
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    const element first = of(c, in[0]).element;
    switch (row(t.opcode).category) {
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::pooling:
      case opcode_category::reduction: break;
      default: return true;
    }
    const operand& y = out[0];
    const element made = of(c, y).element;
    if (t.opcode == opcode::argmax || t.opcode == opcode::argmin) {
      if (is_integer(made) && made != element::i4) return true;
      auto&& w = c.report(errc::nem_fam_005_elements, y.node);
      w << "element types must match: " << name(t.opcode)
        << " gives indices of i8, i16, i32, u8, u16 or u32, not " << name(made);
      return false;
    }
    if (in.size() > 1 && of(c, in[1]).element != first) {
      const bool first_is_odd = of(c, in[1]).element == made;
      mismatch(c, t, in[first_is_odd ? 0 : 1], first_is_odd ? 0 : 1, in[first_is_odd ? 1 : 0],
               first_is_odd ? 1 : 0);
      return false;
    }
    if (made == first) return true;
    mismatch(c, t, y, output_role, in[0], 0);
    return false;
  }
  [[gnu::cold]] static void mismatch(context& c, const task& t, const operand& odd,
                                     std::size_t odd_role, const operand& other,
                                     std::size_t other_role) {
    auto&& w = c.report(errc::nem_fam_005_elements, odd.node);
    w << "element types must match: " << role_name(t.opcode, odd_role) << " is "
      << name(of(c, odd).element) << ", " << role_name(t.opcode, other_role) << " is "
      << name(of(c, other).element);
    w.note(c.at(other.node)) << role_name(t.opcode, other_role) << " is here";
  }
  [[nodiscard]] static std::string_view role_name(opcode op, std::size_t role) noexcept {
    return role == output_role ? registry_name(op, true, 0) : registry_name(op, false, role);
  }

  /// Fills in the types by roles. False after FAM-001, which operands of one list give that differ
  /// from one another, and indices that aren't integers.
  [[nodiscard, gnu::cold]] static bool roles_of(context& c, const task& t, typed_task& to) {
    const opcode_signature& s = signature(t.opcode);
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (!put(c, t, in[i], s.variadic_inputs ? 0 : i, to)) return false;
    for (const operand& o : out)
      if (!put(c, t, o, output_role, to)) return false;
    if (t.opcode != opcode::gather || is_integer(to.role[1])) return true;
    c.report(errc::nem_fam_001_variant, in[1].node)
        << "gather takes indices of an integer type, not " << name(to.role[1]);
    return false;
  }
  [[nodiscard, gnu::cold]] static bool put(context& c, const task& t, const operand& o,
                                           std::size_t role, typed_task& to) {
    const region& r = of(c, o);
    if (r.quant != no_index) to.quantized = static_cast<std::uint8_t>(to.quantized | 1u << role);
    if (to.role[role] == element::none || to.role[role] == r.element)
      return to.role[role] = r.element, true;
    c.report(errc::nem_fam_001_variant, o.node)
        << "no variant of " << name(t.opcode) << " takes " << name(r.element) << " beside "
        << name(to.role[role]);
    return false;
  }

  /// How many operands of a task a row doesn't take.
  [[nodiscard]] static std::uint32_t differing(const candidate& r, const typed_task& t) noexcept {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < role_count; ++i) n += takes(r.role[i], t.role[i]) ? 0u : 1u;
    return n;
  }
  [[nodiscard]] static bool accepts_accum(const candidate& r, const typed_task& t) noexcept {
    return t.accum == element::none || r.accum == element::none || r.accum == t.accum;
  }
  [[nodiscard]] static bool accepts_quant(const candidate& r, const typed_task& t) noexcept {
    return (r.quantized & ~t.quantized) == 0 && !(r.refuses_quant && t.quantized != 0);
  }
  /// How unlike two types are: of another kind, then by how often the width doubles.
  [[nodiscard, gnu::cold]] static std::uint32_t difference(element a, element b) noexcept {
    const auto is_real = [](element e) {
      return is_floating(e) || e == element::tf32 || e == element::f64;
    };
    const auto doublings = [](element e) { return static_cast<int>(std::bit_width(bitwidth(e))); };
    const int apart = doublings(a) - doublings(b);
    return (is_real(a) == is_real(b) && (a == element::bool_) == (b == element::bool_) ? 0u : 8u) +
           static_cast<std::uint32_t>(apart < 0 ? -apart : apart);
  }
  /// How far a row is from a task: first by how many operands differ, then by how much, then by
  /// accum_type, descriptors and whether the target has it.
  [[nodiscard, gnu::cold]] static std::uint32_t distance(const context& c, const candidate& r,
                                                         const typed_task& t) noexcept {
    std::uint32_t all = 0, inputs = 0, others = 0, unlike = 0;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (takes(r.role[i], t.role[i])) continue;
      ++all;
      if (i != output_role) ++inputs;
      // One operand more, or one less, is a greater change than another type.
      if (t.role[i] == element::none || r.role[i] == static_cast<std::uint8_t>(element::none))
        ++others;
      else if (r.role[i] < element_count)
        unlike += difference(static_cast<element>(r.role[i]), t.role[i]);
    }
    return ((all * 16 + others * 4 + inputs) * 64 + unlike) * 16 + (accepts_accum(r, t) ? 0u : 8u) +
           (accepts_quant(r, t) ? 0u : 4u) + (r.is_supported ? 0u : 2u) +
           (c.types.instances[r.instance].is_must ? 0u : 1u);
  }

  /// The nearest row for a task, from memory where it was asked before.
  [[nodiscard, gnu::cold]] found_row find(const context& c, opcode op, const typed_task& t) {
    const auto k = static_cast<std::size_t>(op);
    if (!is_built_[k]) build(c, op);
    std::uint64_t key = k + 1;
    for (const element e : t.role) key = key << 8 | static_cast<std::uint64_t>(e);
    key = key << 16 | static_cast<std::uint64_t>(t.accum) << 8 | t.quantized;
    const auto [m, is_new] = memos_.find(key);
    if (is_new) {
      std::uint32_t least = no_index;
      for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
        const std::uint32_t far = distance(c, rows_[i], t);
        if (far < least) least = far, m.value = {i, differing(rows_[i], t)};
      }
    }
    return m.value;
  }

  /// Makes the rows of an opcode.
  [[gnu::cold]] void build(const context& c, opcode op) {
    const auto k = static_cast<std::size_t>(op);
    is_built_[k] = true;
    first_[k] = static_cast<std::uint32_t>(rows_.size());
    for (std::string_view list = governing(op); !list.empty();) {
      const std::string_view wanted = next_word(list);
      for (const type_family& f : c.types.families)
        if (c.types.text_of(f.name) == wanted) {
          for (std::uint32_t v = 0; v < f.variants; ++v)
            build(c, op, f, c.types.variants[f.first_variant + v]);
          break;
        }
    }
    size_[k] = static_cast<std::uint32_t>(rows_.size()) - first_[k];
  }
  /// What a family, or a variant before it, says of a name; null for nothing.
  [[nodiscard, gnu::cold]] static const operand_type* type_named(const context& c,
                                                                 const type_family& f,
                                                                 const variant& v,
                                                                 std::string_view name) noexcept {
    for (std::uint32_t i = 0; i < v.operands; ++i)
      if (c.types.text_of(c.types.operand_types[v.first_operand + i].operand) == name)
        return &c.types.operand_types[v.first_operand + i];
    for (std::uint32_t i = 0; i < f.operands; ++i)
      if (c.types.text_of(c.types.operand_types[f.first_operand + i].operand) == name)
        return &c.types.operand_types[f.first_operand + i];
    return nullptr;
  }
  /// The roles that the opcode has: bit n.
  [[nodiscard]] static std::uint8_t roles(opcode op) noexcept {
    const std::uint8_t inputs = signature(op).inputs;
    return static_cast<std::uint8_t>(((1u << (inputs < output_role ? inputs : output_role)) - 1) |
                                     1u << output_role);
  }
  [[nodiscard, gnu::cold]] static const operand_type* type_of_role(const context& c, opcode op,
                                                                   const type_family& f,
                                                                   const variant& v,
                                                                   std::size_t role) noexcept {
    if (const operand_type* own = type_named(c, f, v, role_name(op, role))) return own;
    if (op == opcode::gather && role == 1) return nullptr;  // indices
    const bool is_output = role == output_role;
    if (const operand_type* all = type_named(c, f, v, is_output ? "output" : "input")) return all;
    return type_named(c, f, v, is_output ? "dst" : "src");
  }
  /// Whether a variant demands an operand that the opcode doesn't have, as matmul has no C.
  [[nodiscard, gnu::cold]] static bool demands_other(const context& c, opcode op,
                                                     const variant& v) noexcept {
    for (std::uint32_t i = 0; i < v.operands; ++i) {
      const operand_type& o = c.types.operand_types[v.first_operand + i];
      const std::string_view name = c.types.text_of(o.operand);
      bool is_known = o.form == type_form::absent || name == "input" || name == "output" ||
                      name == "src" || name == "dst";
      for (std::size_t r = 0; r < role_count && !is_known; ++r)
        is_known = (roles(op) >> r & 1) != 0 && role_name(op, r) == name;
      if (!is_known) return true;
    }
    return false;
  }

  [[gnu::cold]] void build(const context& c, opcode op, const type_family& f, const variant& v) {
    if (demands_other(c, op, v)) return;
    const operand_type* types[role_count] = {};
    const opcode_signature& s = signature(op);
    candidate all;
    bool has_i4 = false;
    for (std::size_t r = 0; r < role_count; ++r) {
      if ((roles(op) >> r & 1) == 0) {
        all.role[r] = static_cast<std::uint8_t>(element::none);
        continue;
      }
      types[r] = type_of_role(c, op, f, v, r);
      if (types[r] == nullptr) all.role[r] = role_free;
      has_i4 = has_i4 || (types[r] != nullptr && types[r]->form == type_form::element &&
                          types[r]->element == element::i4);
    }
    all.accum = f.accum;
    all.refuses_quant = f.quant == quant_condition::absent;
    for (std::size_t r = 0; r < role_count; ++r) {
      bool must = false;
      if (f.quant == quant_condition::required) {  // of the weight of int4, else of the data inputs
        const bool is_i4 = types[r] != nullptr && types[r]->form == type_form::element &&
                           types[r]->element == element::i4;
        must = has_i4 ? is_i4 : r < s.required_inputs && r != output_role;
      } else if (f.quant == quant_condition::required_on) {
        must = types[r] != nullptr &&
               (c.types.text_of(types[r]->operand) == c.types.text_of(f.quant_operand));
      }
      if (must) all.quantized = static_cast<std::uint8_t>(all.quantized | 1u << r);
    }
    for (std::uint32_t i = v.first_instance; i < v.first_instance + v.instances; ++i) {
      const instance& x = c.types.instances[i];
      candidate r = all;
      r.instance = i;
      r.is_supported = c.target != nullptr && c.types.supports(*c.target, i);
      bool is_whole = true;
      for (std::size_t k = 0; k < role_count; ++k) {
        if (types[k] == nullptr) continue;
        const operand_type& o = *types[k];
        element e = element::none;
        switch (o.form) {
          case type_form::element: e = o.element; break;
          case type_form::parameter:
            if (o.parameter < x.types)
              e = c.types.types[x.first_type + o.parameter];
            else
              is_whole = false;
            break;
          case type_form::absent: break;
          case type_form::any_supported: break;
        }
        const bool is_optional = k != output_role && k >= s.required_inputs &&
                                 c.types.text_of(o.operand) != role_name(op, k);
        r.role[k] = o.form == type_form::any_supported
                        ? std::uint8_t{role_supported}
                        : static_cast<std::uint8_t>(
                              static_cast<unsigned>(e) |
                              (is_optional && e != element::none ? unsigned{role_optional} : 0u));
      }
      if (is_whole) rows_.push_back(r);
    }
  }

  /// The operand in a role, or null.
  [[nodiscard]] static const operand* operand_of(const context& c, const task& t,
                                                 std::size_t role) noexcept {
    if (role == output_role) return c.v.outputs(t).data();
    return role < t.inputs ? &c.v.inputs(t)[role] : nullptr;
  }
  [[nodiscard]] static std::string_view form_name(std::uint8_t form) noexcept {
    if (form == role_supported) return "any element type";
    if (form == role_free) return "anything";
    return name(static_cast<element>(form & ~unsigned{role_optional}));
  }

  [[nodiscard]] static text reference_of(const context& c, const candidate& r) {
    text reference;
    c.types.append_reference(reference, c.types.instances[r.instance]);
    return reference;
  }
  static void refer(findings::writer out, const context& c, const candidate& r) {
    const text reference = reference_of(c, r);
    out << reference;
  }
  /// What nobody will read needn't be worked out.
  [[nodiscard]] static bool is_heard(context& c) noexcept {
    return c.found.report().diagnostics.size() < c.options.max_diagnostics;
  }
  /// How a task's operand differs from what a row takes: "A must be i8".
  [[gnu::cold]] static void append_difference(findings::writer out, opcode op, std::size_t role,
                                              std::uint8_t form, element found) {
    out << role_name(op, role);
    if (form == static_cast<std::uint8_t>(element::none))
      out << " must be left out";
    else if (found == element::none)
      out << " of " << form_name(form) << " must be given";
    else
      out << " must be " << form_name(form) << ", not " << name(found);
  }
  /// The types of all operands: "A: i8, B: i8, Y: i8".
  [[gnu::cold]] static void append_types(findings::writer out, opcode op, const candidate& r) {
    bool is_first = true;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (r.role[i] == static_cast<std::uint8_t>(element::none) || r.role[i] == role_free) continue;
      out << (is_first ? "" : ", ") << role_name(op, i) << ": " << form_name(r.role[i]);
      is_first = false;
    }
  }
  /// The nearest row; of those that the target has, where it has any.
  [[nodiscard, gnu::cold]] std::uint32_t nearest_available(const context& c, opcode op,
                                                           const typed_task& types) const {
    const auto k = static_cast<std::size_t>(op);
    bool only_supported = false;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i)
      only_supported = only_supported || rows_[i].is_supported;
    std::uint32_t best = no_index, least = no_index;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
      if (only_supported && !rows_[i].is_supported) continue;
      const std::uint32_t far = distance(c, rows_[i], types);
      if (far < least) least = far, best = i;
    }
    return best;
  }
  /// The nearest variant with its types, then the other ones that there are.
  [[gnu::cold]] void append_variants(findings::writer out, const context& c, opcode op,
                                     std::uint32_t nearest) const {
    const auto k = static_cast<std::size_t>(op);
    const bool only_supported = rows_[nearest].is_supported;
    out << "the nearest variant";
    if (only_supported) out << " of device " << c.types.text_of(c.target->name);
    out << " is ";
    refer(out, c, rows_[nearest]);
    out << " (";
    append_types(out, op, rows_[nearest]);
    out << ')';
    std::uint32_t others = 0;
    for (std::uint32_t i = first_[k]; i < first_[k] + size_[k]; ++i) {
      if (i == nearest || (only_supported && !rows_[i].is_supported)) continue;
      if (++others > max_listed) continue;
      out << (others == 1 ? "; others are " : ", ");
      refer(out, c, rows_[i]);
    }
    if (others > max_listed) out << " and " << others - max_listed << " more";
  }

  /// FAM-001.
  [[gnu::cold]] void no_variant(context& c, const task& t, const typed_task& types,
                                std::uint32_t best) {
    const bool is_shown = is_heard(c);
    const std::uint32_t near = is_shown ? nearest_available(c, t.opcode, types) : best;
    const candidate& r = rows_[near];
    std::size_t role = 0;
    while (role < output_role && takes(r.role[role], types.role[role])) ++role;
    const operand* const o = operand_of(c, t, role);
    auto&& w = c.report(errc::nem_fam_001_variant, o == nullptr ? opcode_node(c, t) : o->node);
    if (!is_shown) return;
    w << "no variant of " << name(t.opcode) << " takes ";
    bool is_first = true;
    for (std::size_t i = 0; i < role_count; ++i) {
      if (types.role[i] == element::none) continue;
      w << (is_first ? "" : ", ") << role_name(t.opcode, i) << ": " << name(types.role[i]);
      is_first = false;
    }
    w << ": ";
    append_difference(w, t.opcode, role, r.role[role], types.role[role]);
    w << " in ";
    refer(w, c, r);
    append_variants(w.note(), c, t.opcode, near);
  }

  /// FAM-002, FAM-003 and FAM-004 of a task whose operands match.
  [[gnu::cold]] void conditions(context& c, const task& t, const typed_task& types,
                                const candidate& r) {
    if (accepts_accum(r, types) && accepts_quant(r, types) &&
        (c.target == nullptr || r.is_supported))
      return;
    const text reference = reference_of(c, r);
    if (!accepts_accum(r, types)) {
      c.report(errc::nem_fam_003_accum, attribute_value(c.d, t.node, attribute::accum_type))
          << "accum_type must equal " << name(r.accum) << " of " << reference.view() << ", not "
          << name(types.accum);
      return;
    }
    if (!accepts_quant(r, types)) descriptors(c, t, r, reference);
    // Opcodes that borrow another's families aren't what devices list.
    if (c.target == nullptr || r.is_supported || row(t.opcode).families.empty()) return;
    const bool is_shown = is_heard(c);
    const findings::writer w = c.report(errc::nem_fam_002_device, opcode_node(c, t));
    if (!is_shown) return;
    w << "device " << c.types.text_of(c.target->name) << " doesn't support " << reference.view();
    const std::uint32_t near = nearest_available(c, t.opcode, types);
    const findings::writer note = w.note(c.target->where);
    if (rows_[near].is_supported)
      append_variants(note, c, t.opcode, near);
    else
      note << "it supports no variant of " << name(t.opcode);
  }
  /// FAM-004, for each operand.
  [[gnu::cold]] static void descriptors(context& c, const task& t, const candidate& r,
                                        const text& reference) {
    const auto check = [&](const operand& o, std::size_t role) {
      const bool has_quant = of(c, o).quant != no_index;
      if (r.refuses_quant && has_quant)
        c.report(errc::nem_fam_004_quant, o.node)
            << reference.view() << " takes no quantization descriptor on "
            << role_name(t.opcode, role);
      else if ((r.quantized >> role & 1) != 0 && !has_quant)
        c.report(errc::nem_fam_004_quant, o.node)
            << reference.view() << " requires a quantization descriptor on "
            << role_name(t.opcode, role);
    };
    const view<operand> in = c.v.inputs(t), out = c.v.outputs(t);
    for (std::size_t i = 0; i < in.size(); ++i)
      check(in[i], signature(t.opcode).variadic_inputs ? 0 : i);
    for (const operand& o : out) check(o, output_role);
  }

  pool<candidate> rows_;
  keyed_rows<memo> memos_;
  bool is_built_[opcode_count] = {};
  std::uint32_t first_[opcode_count] = {}, size_[opcode_count] = {};
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_FAMILY_HPP

// ---- tessera/nem/detail/rules/shape.hpp
//
// Rules about shapes: what each opcode takes, and what it makes of it.
//
//   shape_rules(c, t, a).check();       // operands are typed, attributes in range
//
//   SHP-001    rank                     gemm, matmul, convolutions, pools
//   SHP-002    shapes are identical     element-wise, normalization, softmax, conversions
//   SHP-003    inner sizes, channels    gemm, matmul, convolutions
//   SHP-004    the output               whatever derives a shape
//   SHP-005    bias and scale           gemm, convolutions, normalization
//   SHP-006    layout                   conv2d, depthwise_conv2d, pools
//   SHP-007    number of elements       reshape
//   SHP-008    parts                    concat, split
//   SHP-009    groups                   convolutions
//   SHP-010    padding                  pools
//   OPC-009    axes within the rank     whatever has an axis
//
// Where one of these fails, those that build upon it are left out.
//
// Lifetime:   nothing is kept.
// Errors:     those above.
// Limits:     operands of up to 32 dimensions (SHP-001).
// Allocation: none.

#ifndef TESSERA_NEM_DETAIL_RULES_SHAPE_HPP
#define TESSERA_NEM_DETAIL_RULES_SHAPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// A shape that is derived.
class derived_shape {
 public:
  /// More dimensions than any operand has are counted, not kept.
  void push_back(std::int64_t size) noexcept {
    if (rank_ < max_rank) sizes_[rank_] = size;
    ++rank_;
  }
  void append(view<std::int64_t> sizes) noexcept {
    for (const std::int64_t s : sizes) push_back(s);
  }
  [[nodiscard]] std::int64_t& operator[](std::size_t i) noexcept { return sizes_[i]; }
  [[nodiscard]] view<std::int64_t> sizes() const noexcept {
    return {sizes_, rank_ < max_rank ? rank_ : max_rank};
  }
  [[nodiscard]] bool equals(view<std::int64_t> other) const noexcept {
    return rank_ == other.size() && are_equal(sizes(), other);
  }

 private:
  std::int64_t sizes_[max_rank];
  std::size_t rank_ = 0;
};

/// How many positions a window has along one axis, 0 for none: its size is 1 + dilation * (kernel -
/// 1), it moves by `stride`, and the input is padded on both sides.
[[nodiscard, gnu::cold]] inline std::int64_t window_count(std::int64_t size, std::int64_t before,
                                                          std::int64_t after, std::int64_t kernel,
                                                          std::int64_t dilation,
                                                          std::int64_t stride) noexcept {
  std::int64_t padded = 0, span = 0;
  if (__builtin_add_overflow(size, before, &padded) ||
      __builtin_add_overflow(padded, after, &padded) ||
      __builtin_mul_overflow(dilation, kernel - 1, &span) || span >= padded)
    return 0;
  return (padded - span - 1) / stride + 1;
}

/// How many elements one axis of a slice keeps, with bounds as ONNX clamps them.
[[nodiscard, gnu::cold]] inline std::int64_t slice_count(std::int64_t size, std::int64_t start,
                                                         std::int64_t end,
                                                         std::int64_t step) noexcept {
  const auto clamp = [](std::int64_t x, std::int64_t low, std::int64_t high) {
    return x < low ? low : x > high ? high : x;
  };
  if (start < 0) start += size;
  if (end < 0) end += size;
  if (step > 0) {
    start = clamp(start, 0, size), end = clamp(end, 0, size);
    return end <= start ? 0 : (end - start - 1) / step + 1;
  }
  start = clamp(start, 0, size - 1), end = clamp(end, -1, size - 1);
  if (start <= end) return 0;
  const auto span = static_cast<std::uint64_t>(start - end - 1);
  return static_cast<std::int64_t>(span / (0 - static_cast<std::uint64_t>(step))) + 1;
}

class shape_rules {
 public:
  shape_rules(context& c, const task& t, const attributes& a) noexcept
      : c_(c), t_(t), a_(a), inputs_(c.v.inputs(t)), outputs_(c.v.outputs(t)) {}

  [[gnu::cold]] void check() {
    if (!check_ranks()) return;
    switch (row(t_.opcode).category) {
      case opcode_category::data_movement:
      case opcode_category::generic: break;
      case opcode_category::linear_algebra: gemm(); break;
      case opcode_category::convolution: convolution(); break;
      case opcode_category::pooling: pool_shape(); break;
      case opcode_category::layout: layout(); break;
      case opcode_category::reduction: reduction(); break;
      case opcode_category::normalization: normalization(); break;
      case opcode_category::softmax: softmax(); break;
      case opcode_category::elementwise_unary:
      case opcode_category::elementwise_binary:
      case opcode_category::elementwise_other:
      case opcode_category::type_conversion: (void)identical(t_.inputs); break;
    }
  }

 private:
  [[nodiscard]] const region& of(const operand& o) const noexcept { return c_.v.regions[o.region]; }
  [[nodiscard]] view<std::int64_t> shape(const operand& o) const noexcept {
    return c_.v.shape(of(o));
  }
  [[nodiscard]] std::string_view input_name(std::size_t i) const noexcept {
    return registry_name(t_.opcode, false, i);
  }
  findings::writer fail(errc code, const operand& o) { return c_.report(code, o.node); }
  findings::writer fail(errc code, attribute a) {
    const std::uint32_t value = attribute_value(c_.d, t_.node, a);
    return c_.report(code, value == no_node ? opcode_node(c_, t_) : value);
  }
  findings::writer fail(errc code, attribute a, std::size_t index) {
    return c_.report(code, attribute_element(c_.d, t_.node, a, index));
  }

  [[nodiscard, gnu::cold]] bool check_ranks() {
    for (const view<operand> all : {inputs_, outputs_})
      for (const operand& o : all)
        if (of(o).rank > max_rank) {
          fail(errc::nem_shp_001_rank, o) << "operands of compute tasks have at most " << max_rank
                                          << " dimensions, not " << of(o).rank;
          return false;
        }
    return true;
  }
  /// SHP-001 for an operand of exactly, or of at least, so many dimensions.
  [[nodiscard, gnu::cold]] bool has_rank(std::size_t i, std::size_t rank, bool at_least = false) {
    const std::size_t found = shape(inputs_[i]).size();
    if (found == rank || (at_least && found > rank)) return true;
    fail(errc::nem_shp_001_rank, inputs_[i])
        << input_name(i) << " of " << name(t_.opcode) << " must have "
        << (at_least ? "at least " : "") << rank << " dimensions, not " << found << ": "
        << number_list{shape(inputs_[i])};
    return false;
  }
  /// SHP-006; regions without a layout are as the shape says.
  [[nodiscard, gnu::cold]] bool has_layout(const operand& o, std::string_view operand,
                                           std::string_view wanted) {
    const std::uint32_t layout = of(o).layout;
    if (layout == no_name || c_.d.name(layout) == wanted) return true;
    auto&& w = fail(errc::nem_shp_006_layout, o);
    w << operand << " of " << name(t_.opcode) << " must have layout " << wanted << ", not "
      << c_.d.name(layout);
    declared(w, o);
    return false;
  }
  /// SHP-004.
  [[gnu::cold]] void derives(const derived_shape& y, const operand& o) {
    if (y.equals(shape(o))) return;
    for (const std::int64_t size : y.sizes())
      if (size <= 0) {
        fail(errc::nem_shp_004_output, o)
            << name(t_.opcode) << " gives no elements here: its output would be "
            << number_list{y.sizes()};
        return;
      }
    auto&& w = fail(errc::nem_shp_004_output, o);
    w << "the output of " << name(t_.opcode) << " has shape " << number_list{shape(o)}
      << "; expected " << number_list{y.sizes()};
    declared(w, o);
  }
  /// A note that points to the `let` of an operand's region.
  void declared(findings::writer w, const operand& o) {
    const region& r = of(o);
    if (r.declaration != no_node) w.note(c_.at(r.node)) << "declared here";
  }

  /// SHP-002 for the first `inputs` inputs and the output. Of three operands, the odd one is named.
  [[nodiscard, gnu::cold]] bool identical(std::size_t inputs) {
    const operand &first = inputs_[0], &y = outputs_[0];
    const std::string_view y_name = registry_name(t_.opcode, true, 0);
    if (inputs > 1) {
      const operand& second = inputs_[1];
      if (!are_equal(shape(first), shape(second))) {
        const bool first_is_odd = are_equal(shape(second), shape(y));
        differ(first_is_odd ? first : second, input_name(first_is_odd ? 0 : 1),
               first_is_odd ? second : first, input_name(first_is_odd ? 1 : 0));
        return false;
      }
    }
    if (are_equal(shape(first), shape(y))) return true;
    differ(y, y_name, first, input_name(0));
    return false;
  }
  [[gnu::cold]] void differ(const operand& odd, std::string_view odd_name, const operand& other,
                            std::string_view other_name) {
    auto&& w = fail(errc::nem_shp_002_identical, odd);
    w << "shapes must be identical: " << odd_name << " is " << number_list{shape(odd)} << ", "
      << other_name << " is " << number_list{shape(other)};
    w.note(c_.at(other.node)) << other_name << " is here";
  }

  /// Takes an axis to 0 … rank - 1. OPC-009, once for each place.
  [[nodiscard, gnu::cold]] bool axis_of(attribute a, std::size_t index, std::int64_t axis,
                                        std::size_t rank, std::size_t& to) {
    const auto limit = static_cast<std::int64_t>(rank);
    if (axis >= -limit && axis < limit) {
      to = static_cast<std::size_t>(axis < 0 ? axis + limit : axis);
      return true;
    }
    auto&& w = a == attribute::axis ? fail(errc::nem_opc_009_range, a)
                                    : fail(errc::nem_opc_009_range, a, index);
    if (rank == 0)
      w << "an operand of rank 0 has no axis " << axis;
    else
      w << "axis must be from " << -limit << " to " << limit - 1 << " where the rank is " << rank
        << ", not " << axis;
    return false;
  }
  [[nodiscard]] bool axis_of(std::size_t rank, std::size_t& to) {
    return a_.has(attribute::axis) && axis_of(attribute::axis, 0, a_.axis, rank, to);
  }
  /// The axes that a list names, as bits; OPC-009 for a duplicate.
  [[nodiscard, gnu::cold]] bool axes_of(std::size_t rank, std::uint64_t& to) {
    for (std::size_t i = 0; i < a_.axes.size(); ++i) {
      std::size_t axis = 0;
      if (!axis_of(attribute::axes, i, a_.axes[i], rank, axis)) return false;
      if ((to >> axis & 1) != 0) {
        fail(errc::nem_opc_009_range, attribute::axes, i) << "duplicate axis " << a_.axes[i];
        return false;
      }
      to |= std::uint64_t{1} << axis;
    }
    return true;
  }

  [[gnu::cold]] void gemm() {
    if (!has_rank(0, 2, true) || !has_rank(1, 2, true)) return;
    const view<std::int64_t> a = shape(inputs_[0]), b = shape(inputs_[1]);
    const std::size_t ra = a.size(), rb = b.size();
    // Operands of layout …KM and …NK are stored transposed.
    const bool a_is_turned = c_.layout_ends_in(of(inputs_[0]), "KM"),
               b_is_turned = c_.layout_ends_in(of(inputs_[1]), "NK");
    const std::int64_t m = a[ra - (a_is_turned ? 1 : 2)], k = a[ra - (a_is_turned ? 2 : 1)],
                       kb = b[rb - (b_is_turned ? 1 : 2)], n = b[rb - (b_is_turned ? 2 : 1)];
    const view<std::int64_t> batch(a.data(), ra - 2);
    if (k != kb) {
      auto&& w = fail(errc::nem_shp_003_inner, inputs_[1]);
      w << "inner dimensions differ: A is " << number_list{a} << " with K = " << k << ", B is "
        << number_list{b} << " with K = " << kb;
      w.note(c_.at(inputs_[0].node)) << "A is here";
      return;
    }
    if (rb != 2 && !are_equal(batch, view<std::int64_t>(b.data(), rb - 2))) {
      auto&& w = fail(errc::nem_shp_003_inner, inputs_[1]);
      w << "batch dimensions differ: A is " << number_list{a} << ", B is " << number_list{b};
      w.note(c_.at(inputs_[0].node)) << "A is here";
      return;
    }
    derived_shape y;
    y.append(batch);
    y.push_back(m);
    y.push_back(n);
    if (inputs_.size() > 2 && !broadcasts(shape(inputs_[2]), y.sizes()))
      fail(errc::nem_shp_005_bias, inputs_[2])
          << "C is " << number_list{shape(inputs_[2])} << ", which can't be broadcast to "
          << number_list{y.sizes()};
    derives(y, outputs_[0]);
  }
  [[nodiscard, gnu::cold]] static bool broadcasts(view<std::int64_t> from,
                                                  view<std::int64_t> to) noexcept {
    if (from.size() > to.size()) return false;
    const std::size_t skipped = to.size() - from.size();
    for (std::size_t i = 0; i < from.size(); ++i)
      if (from[i] != 1 && from[i] != to[i + skipped]) return false;
    return true;
  }

  [[gnu::cold]] void convolution() {
    const std::size_t axes = t_.opcode == opcode::conv1d ? 1 : t_.opcode == opcode::conv3d ? 3 : 2;
    const bool is_depthwise = t_.opcode == opcode::depthwise_conv2d;
    const bool x_fits = has_rank(0, axes + 2), w_fits = has_rank(1, axes + 2);
    if (!x_fits || !w_fits) return;
    if (axes == 2) {
      const bool x = has_layout(inputs_[0], "X", "NHWC"), w = has_layout(inputs_[1], "W", "HWIO"),
                 y = has_layout(outputs_[0], "Y", "NHWC");
      if (!x || !w || !y) return;
    }
    const view<std::int64_t> x = shape(inputs_[0]), w = shape(inputs_[1]);
    const std::int64_t channels = x[axes + 1], made = w[axes + 1], taken = w[axes];
    const std::int64_t groups = is_depthwise ? channels : a_.groups;
    if (channels < 1 || groups < 1) return;
    if (!is_depthwise && !a_.has(attribute::groups) && (made < 1 || taken != channels) &&
        attribute_value(c_.d, t_.node, attribute::groups) != no_node)
      return;  // they are given, and wrong themselves
    if (channels % groups != 0 || made % groups != 0) {
      auto&& e = is_depthwise ? fail(errc::nem_shp_009_groups, inputs_[1])
                              : fail(errc::nem_shp_009_groups, attribute::groups);
      if (is_depthwise)
        e << "W has " << made << " output channels; expected a multiple of the " << groups
          << " of X";
      else
        e << "groups is " << groups << "; expected a divisor of the channels of input and output, "
          << channels << " and " << made;
      return;
    }
    if (taken != channels / groups) {
      auto&& e = fail(errc::nem_shp_003_inner, inputs_[1]);
      e << "input channels differ: W is " << number_list{w} << " and takes " << taken
        << " of each group, X is " << number_list{x} << " and has " << channels / groups;
      e.note(c_.at(inputs_[0].node)) << "X is here";
      return;
    }
    if (inputs_.size() > 2) {
      const view<std::int64_t> b = shape(inputs_[2]);
      if (b.size() != 1 || b[0] != made)
        fail(errc::nem_shp_005_bias, inputs_[2])
            << "B must be [" << made << "], the output channels of W, not " << number_list{b};
    }
    if (!a_.has(attribute::pads) || !a_.has(attribute::strides) || !a_.has(attribute::dilations))
      return;
    derived_shape y;
    y.push_back(x[0]);
    for (std::size_t i = 0; i < axes; ++i)
      y.push_back(window_count(x[i + 1], a_.pads[i], a_.pads[axes + i], w[i], a_.dilations[i],
                               a_.strides[i]));
    y.push_back(made);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void pool_shape() {
    if (!has_rank(0, 4) || !has_layout(inputs_[0], "X", "NHWC")) return;
    if (!a_.has(attribute::kernel_shape) || !a_.has(attribute::pads)) return;
    for (std::size_t i = 0; i < 4; ++i)
      if (a_.pads[i] >= a_.kernel_shape[i & 1]) {
        fail(errc::nem_shp_010_padding, attribute::pads, i)
            << "the padding is " << a_.pads[i] << "; expected less than the kernel size, "
            << a_.kernel_shape[i & 1];
        return;
      }
    if (!a_.has(attribute::strides)) return;
    const view<std::int64_t> x = shape(inputs_[0]);
    derived_shape y;
    y.push_back(x[0]);
    for (std::size_t i = 0; i < 2; ++i)
      y.push_back(
          window_count(x[i + 1], a_.pads[i], a_.pads[2 + i], a_.kernel_shape[i], 1, a_.strides[i]));
    y.push_back(x[3]);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void layout() {
    switch (t_.opcode) {
      case opcode::transpose: return transpose();
      case opcode::reshape: return reshape();
      case opcode::slice: return slice();
      case opcode::concat: return concat();
      case opcode::split: return split();
      case opcode::pad: return pad();
      default: return gather();
    }
  }
  /// OPC-009 for a list that needs so many numbers.
  [[nodiscard, gnu::cold]] bool has_size(attribute a, std::size_t size, std::size_t wanted) {
    if (!a_.has(a)) return false;
    if (size == wanted) return true;
    fail(errc::nem_opc_009_range, a)
        << attribute_table[static_cast<std::size_t>(a)].name << " has " << size << " numbers, "
        << name(t_.opcode) << " of rank " << shape(inputs_[0]).size() << " takes " << wanted;
    return false;
  }
  [[gnu::cold]] void transpose() {
    const view<std::int64_t> x = shape(inputs_[0]);
    if (!has_size(attribute::perm, a_.perm.size(), x.size())) return;
    derived_shape y;
    for (const std::int64_t p : a_.perm) y.push_back(x[static_cast<std::size_t>(p)]);
    derives(y, outputs_[0]);
  }
  /// The product of sizes above 0; -1 where it is too large.
  [[nodiscard]] static std::int64_t count_of(view<std::int64_t> sizes) noexcept {
    std::int64_t count = 1;
    for (const std::int64_t s : sizes)
      if (s > 0 && __builtin_mul_overflow(count, s, &count)) return -1;
    return count;
  }
  [[gnu::cold]] void reshape() {
    if (!a_.has(attribute::target_shape)) return;
    const view<std::int64_t> x = shape(inputs_[0]), target = a_.target_shape;
    const std::int64_t count = count_of(x), given = count_of(target);
    std::size_t inferred = target.size();
    for (std::size_t i = 0; i < target.size(); ++i)
      if (target[i] < 0) inferred = i;
    const bool is_inferred = inferred < target.size();
    if (count < 0 || given < 0 || (is_inferred ? count % given != 0 : count != given)) {
      auto&& w = fail(errc::nem_shp_007_count, attribute::target_shape);
      w << "reshape must preserve the number of elements: X is " << number_list{x}
        << ", target_shape is " << number_list{target};
      w.note(c_.at(inputs_[0].node)) << "X has " << count << " elements";
      return;
    }
    derived_shape y;
    for (const std::int64_t size : target) y.push_back(size < 0 ? count / given : size);
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void slice() {
    std::uint64_t named = 0;
    derived_shape y;
    y.append(shape(inputs_[0]));
    if (!a_.has(attribute::axes) || !axes_of(y.sizes().size(), named)) return;
    if (!a_.has(attribute::starts) || !a_.has(attribute::ends) || !a_.has(attribute::steps)) return;
    for (std::size_t i = 0; i < a_.axes.size(); ++i) {
      const std::int64_t axis = a_.axes[i];
      const std::size_t at =
          static_cast<std::size_t>(axis) + (axis < 0 ? y.sizes().size() : std::size_t{0});
      y[at] = slice_count(y[at], a_.starts[i], a_.ends[i], a_.steps[i]);
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void concat() {
    derived_shape y;
    y.append(shape(inputs_[0]));
    std::size_t axis = 0;
    if (!axis_of(y.sizes().size(), axis)) return;
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      const view<std::int64_t> x = shape(inputs_[i]), first = shape(inputs_[0]);
      bool fits = x.size() == first.size();
      for (std::size_t k = 0; fits && k < x.size(); ++k) fits = k == axis || x[k] == first[k];
      fits = fits && !__builtin_add_overflow(y[axis], x[axis], &y[axis]);
      if (fits) continue;
      auto&& w = fail(errc::nem_shp_008_parts, inputs_[i]);
      w << "inputs of concat may differ along axis " << axis << " only: this one is "
        << number_list{x} << ", the first is " << number_list{first};
      w.note(c_.at(inputs_[0].node)) << "the first is here";
      return;
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void split() {
    const view<std::int64_t> x = shape(inputs_[0]), sizes = a_.split_sizes;
    std::size_t axis = 0;
    if (!axis_of(x.size(), axis) || !a_.has(attribute::split_sizes)) return;
    if (sizes.size() != outputs_.size()) {
      fail(errc::nem_shp_008_parts, attribute::split_sizes)
          << "split_sizes has " << sizes.size() << " numbers; expected " << outputs_.size()
          << ", one for each output";
      return;
    }
    std::int64_t sum = 0;
    bool fits = true;
    for (const std::int64_t s : sizes) fits = fits && !__builtin_add_overflow(sum, s, &sum);
    if (!fits || sum != x[axis]) {
      auto&& w = fail(errc::nem_shp_008_parts, attribute::split_sizes);
      w << "split_sizes must add up to " << x[axis] << ", the size of axis " << axis;
      if (fits) w << ", not to " << sum;
      return;
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      derived_shape y;
      y.append(x);
      y[axis] = sizes[i];
      derives(y, outputs_[i]);
    }
  }
  [[gnu::cold]] void pad() {
    const view<std::int64_t> x = shape(inputs_[0]);
    if (!has_size(attribute::pads, a_.pads.size(), 2 * x.size())) return;
    derived_shape y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::int64_t size = 0;
      if (__builtin_add_overflow(x[i], a_.pads[i], &size) ||
          __builtin_add_overflow(size, a_.pads[x.size() + i], &size)) {
        fail(errc::nem_opc_009_range, attribute::pads, i)
            << "pads is too large: the size of axis " << i << " exceeds 2^63 - 1";
        return;
      }
      y.push_back(size);
    }
    derives(y, outputs_[0]);
  }
  [[gnu::cold]] void gather() {
    const view<std::int64_t> x = shape(inputs_[0]), indices = shape(inputs_[1]);
    std::size_t axis = 0;
    if (!axis_of(x.size(), axis)) return;
    derived_shape y;
    y.append({x.data(), axis});
    y.append(indices);
    y.append({x.data() + axis + 1, x.size() - axis - 1});
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void reduction() {
    const view<std::int64_t> x = shape(inputs_[0]);
    const bool has_axis = t_.opcode == opcode::argmax || t_.opcode == opcode::argmin;
    std::uint64_t reduced = 0;
    if (has_axis) {
      std::size_t axis = 0;
      if (!axis_of(x.size(), axis)) return;
      reduced = std::uint64_t{1} << axis;
    } else {
      if (!a_.has(attribute::axes) || !axes_of(x.size(), reduced)) return;
      if (a_.axes.empty()) reduced = ~std::uint64_t{0};
    }
    if (!a_.has(attribute::keepdims)) return;
    derived_shape y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool is_reduced = (reduced >> i & 1) != 0;
      if (is_reduced && !a_.keepdims) continue;
      y.push_back(is_reduced ? 1 : x[i]);
    }
    // A single number is [1], or of rank 0.
    if (y.sizes().empty() && shape(outputs_[0]).size() == 1) y.push_back(1);
    derives(y, outputs_[0]);
  }

  [[gnu::cold]] void normalization() {
    const view<std::int64_t> x = shape(inputs_[0]);
    std::size_t axis = 0;
    const bool has_axis = axis_of(x.size(), axis);
    (void)identical(1);
    for (std::size_t i = 1; has_axis && i < inputs_.size(); ++i) {
      const view<std::int64_t> s = shape(inputs_[i]);
      if (s.size() == 1 && s[0] == x[axis]) continue;
      fail(errc::nem_shp_005_bias, inputs_[i])
          << input_name(i) << " must be [" << x[axis] << "], the size of axis " << axis << ", not "
          << number_list{s};
    }
  }
  void softmax() {
    std::size_t axis = 0;
    (void)axis_of(shape(inputs_[0]).size(), axis);
    (void)identical(1);
  }

  context& c_;
  const task& t_;
  const attributes& a_;
  view<operand> inputs_, outputs_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_SHAPE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

class compute_rules {
 public:
  [[gnu::cold]] void check(context& c, const task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store) return;
    const bool is_new = !is_done(t.node);
    if (is_new ? !check_signature(c, t) : !has_operands(t)) return;
    attributes& a = c.v.attributes;
    range_rules(c, t, a).check();
    if (!are_sound(c, t)) return;
    if (is_new && !check_typed(c, t)) return;
    shape_rules(c, t, a).check();
    if (!is_new) return;
    families_.check(c, t, a);
    descriptors_.check(c, t, a);
    set_done(c, t.node);
  }

 private:
  [[nodiscard]] static bool are_sound(const context& c, const task& t) noexcept {
    for (std::size_t i = 0; i < t.inputs + t.outputs; ++i) {
      const std::uint32_t r = c.v.operands[t.first_operand + i].region;
      if (r == no_index || !c.v.regions[r].is_sound) return false;
    }
    return true;
  }
  /// TYP-003.
  [[nodiscard, gnu::cold]] static bool check_typed(context& c, const task& t) {
    bool is_typed = true;
    for (std::size_t i = 0; i < t.inputs + t.outputs; ++i) {
      const operand& o = c.v.operands[t.first_operand + i];
      const region& r = c.v.regions[o.region];
      if (r.element != element::none && r.has_shape && (r.layout != no_name || r.has_strides))
        continue;
      is_typed = false;
      auto&& w = c.report(errc::nem_typ_003_untyped, o.node);
      w << "an operand of " << name(t.opcode) << " needs ";
      const char* before = "";
      if (r.element == element::none) w << "elem", before = ", ";
      if (!r.has_shape) w << before << "shape", before = ", ";
      if (r.layout == no_name && !r.has_strides) w << before << "layout (or strides)";
      if (r.declaration != no_node) w.note(c.at(r.node)) << "declared here";
    }
    return is_typed;
  }

  [[nodiscard]] bool is_done(std::uint32_t node) const noexcept {
    return node / 64 < done_.size() && (done_[node / 64] >> node % 64 & 1) != 0;
  }
  void set_done(const context& c, std::uint32_t node) {
    if (done_.empty()) done_.resize(c.d.nodes.size() / 64 + 1);
    done_[node / 64] |= std::uint64_t{1} << node % 64;
  }

  pool<std::uint64_t> done_;
  family_rules families_;
  descriptor_rules descriptors_;
};

}  // namespace detail
}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_COMPUTE_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// Gives the nodes of a model their indices as places, if it was built in code: no node has a
/// place then.
[[gnu::cold]] inline bool number_nodes(model& d) noexcept {
  for (const node& n : d.nodes)
    if (n.offset != 0 || n.length != 0) return false;
  for (std::uint32_t i = 0; i < d.nodes.size(); ++i) {
    d.nodes[i].offset = i;
    d.nodes[i].length = 1;  // 0 marks what has no place at all
  }
  return !d.nodes.empty();
}

/// Passes all that a program does on to the groups of rules.
/// Rules are marked cold: verification stays well below its limit, and what is compiled for size is
/// compiled in less time.
class checker {
 public:
  [[gnu::cold]] explicit checker(context& c) : c_(c), hazards_(c) {}

  void loop(const values& v, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t in_flight) {
    hazards_.loop(v, node, first, last, in_flight);
  }
  void iteration(std::uint32_t node, std::int64_t value) { hazards_.iteration(node, value); }
  void end_loop(std::uint32_t node) { hazards_.end_loop(node); }
  void wait(std::uint32_t node, view<std::uint32_t> tasks) { hazards_.wait(node, tasks); }
  void task(const values& v, const nem::task& t) {
    if (t.opcode == opcode::transfer || t.opcode == opcode::store)
      check_transfer(c_, t);
    else
      compute_.check(c_, t);
    check_place(c_, t);
    hazards_.task(v, t);
  }
  [[nodiscard]] bool stopped() const noexcept { return false; }
  void end(const values&) { hazards_.finish(); }
  /// For proofs: what is known of the tasks so far.
  [[nodiscard]] hazards& earlier() noexcept { return hazards_; }
  [[nodiscard]] std::uint64_t max_live_tokens() const noexcept {
    return hazards_.order().max_live();
  }
  [[nodiscard]] bool has_ended_search() const noexcept { return hazards_.has_ended(); }

 private:
  context& c_;
  compute_rules compute_;
  hazards hazards_;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE catalog load_catalog(const model& d, const verify_options& options,
                                    std::uint32_t& target) {
  detail::findings silent(nullptr, options.profile, 0);
  catalog c;
  detail::load(d, options, silent, c, target);
  return c;
}

TESSERA_INLINE result<program> verify(model d, const verify_options& options, report* found) {
  program p;
  p.model_ = std::move(d);
  p.profile_ = options.profile;
  detail::findings findings(found, options.profile, options.max_diagnostics);
  const bool is_built = detail::number_nodes(p.model_);
  detail::load(p.model_, options, findings, p.catalog_, p.target_);
  detail::context c{p.model_, options, findings, p.catalog_, p.target()};
  detail::checker checker(c);
  p.expanded_ = detail::walker<detail::checker, true>(c, checker, options.max_instances).run();
  p.max_live_tokens_ = checker.max_live_tokens();
  p.has_ended_search_ = checker.has_ended_search();
  detail::check_capacity(c);
  if (is_built) findings.mark_nodes();
  if (findings.failed()) return findings.first_error();
  return p;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_RULES_VERIFY_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// The comments of nodes, made by visiting a program.
class resolved : public visitor {
 public:
  explicit resolved(const model& d) : d_(d) { comments_.resize(d.nodes.size()); }

  /// Of the statement whose node is at `offset`; empty where it has none.
  [[nodiscard]] std::string_view comment(std::uint32_t offset) const noexcept {
    std::size_t first = 0, last = order_.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (d_.nodes[order_[middle]].offset < offset)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == order_.size() || d_.nodes[order_[first]].offset != offset) return {};
    const string& s = comments_[order_[first]];
    return {characters_.data() + s.first, s.size};
  }

  void loop(const values&, std::uint32_t node, std::int64_t first, std::int64_t last,
            std::int64_t) {
    loops_.push_back({node, first});
    if (begin(node)) end(node, characters_ << name(node) << " from " << first << " to " << last);
  }
  void end_loop(std::uint32_t) { loops_.pop_back(); }
  void iteration(std::uint32_t, std::int64_t value) { loops_.back().value = value; }
  void task(const values& v, const nem::task& t) {
    for (const operand& o : v.operands)
      if (o.region != no_index) add(v, v.regions[o.region]);
    if (begin(t.node)) add_defaults(v, t);
  }
  void end(const values& v) {
    for (const region& r : v.regions) add(v, r);
    for (const buffer& b : v.buffers) add(b);
    for (std::uint32_t i = 0; i < comments_.size(); ++i)
      if (comments_[i].size != 0) order_.push_back(i);
  }

 private:
  struct open_loop {
    std::uint32_t node;
    std::int64_t value;
  };

  [[nodiscard]] std::string_view name(std::uint32_t node) const noexcept {
    return d_.name(d_.nodes[node].value);
  }
  /// Whether a node has no comment yet, which begins then.
  [[nodiscard]] bool begin(std::uint32_t node) noexcept {
    if (comments_[node].size != 0) return false;
    comments_[node].first = static_cast<std::uint32_t>(characters_.size());
    return true;
  }
  void end(std::uint32_t node, const text&) noexcept {
    comments_[node].size = static_cast<std::uint32_t>(characters_.size()) - comments_[node].first;
  }

  void add(const buffer& b) {
    if (!b.is_known || !begin(b.node)) return;
    characters_ << b.size << " bytes";
    if (b.align > 1) characters_ << ", aligned to " << b.align;
    end(b.node, append_iteration(b.node));
  }
  void add(const values& v, const region& r) {
    if (r.buffer != no_index) add(v.buffers[r.buffer]);
    if (!r.is_sound || r.declaration == no_node || r.buffer == no_index || !begin(r.declaration))
      return;
    characters_ << "bytes " << r.offset << " to " << r.offset + r.extent - 1 << " of "
                << d_.name(v.buffers[r.buffer].name);
    if (r.element != element::none) characters_ << ", " << nem::name(r.element);
    if (r.has_shape) characters_ << ' ' << number_list{v.shape(r)};
    if (r.has_strides) characters_ << ", strides " << number_list{v.strides(r)};
    end(r.declaration, append_iteration(r.declaration));
  }
  /// What a task leaves to its defaults.
  void add_defaults(const values& v, const nem::task& t) {
    std::string_view comma;
    for (const attribute a : {attribute::groups, attribute::constant_value}) {
      const auto takes = signature(t.opcode).attributes;
      if ((takes & attributes::bit(a)) == 0 || v.attributes.has(a)) continue;
      characters_ << comma << (a == attribute::groups ? "groups=1" : "constant_value=0");
      comma = ", ";
    }
    // That of a transfer depends on the memories.
    if (t.unit == unit::none && t.opcode != opcode::transfer &&
        default_unit(t.opcode) != unit::none)
      characters_ << comma << "unit " << nem::name(default_unit(t.opcode));
    end(t.node, characters_);
  }
  /// The iteration of the loops around a node.
  const text& append_iteration(std::uint32_t node) {
    std::string_view link = " where ";
    for (const open_loop& l : loops_) {
      if (node < l.node || node >= d_.nodes[l.node].next) continue;
      characters_ << link << name(l.node) << " is " << l.value;
      link = " and ";
    }
    return characters_;
  }

  const model& d_;
  text characters_;
  pool<string> comments_;      // of each node, in characters_
  pool<std::uint32_t> order_;  // the nodes that have one
  pool<open_loop> loops_;
};

/// plain_lines with comments at the ends of the first lines of statements.
class resolved_lines : public plain_lines {
 public:
  explicit resolved_lines(const resolved& r) noexcept : resolved_(r) {}

  text& begin(std::uint32_t offset, std::uint32_t indent, line_role role) {
    end_line();
    if (role == line_role::item) comment_ = resolved_.comment(offset);
    return plain_lines::begin(offset, indent, role);
  }
  text& begin_heading(std::uint32_t, std::uint32_t indent, line_role role) {
    end_line();
    return plain_lines::begin(0, indent, role);
  }
  text& close(std::uint32_t indent) {
    end_line();
    return plain_lines::close(indent);
  }
  [[nodiscard]] text finish() {
    end_line();
    return plain_lines::finish();
  }

 private:
  void end_line() {
    if (!comment_.empty()) out_ << "  # " << comment_;
    comment_ = {};
  }

  const resolved& resolved_;
  std::string_view comment_;
};

}  // namespace nem::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_RESOLVED_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// Decorators that readers take from the last output to its task (policy G-40).
[[nodiscard]] constexpr bool is_task_level(decorator d) noexcept {
  return d == decorator::resource || d == decorator::deterministic || d == decorator::memmove ||
         d == decorator::seq_engine || d == decorator::debug || d == decorator::profile;
}

template <class Lines>
class construct_printer {
 public:
  construct_printer(const model& d, Lines& lines, const print_options& options) noexcept
      : d_(d), lines_(lines), values_(d, options), config_(d, lines, values_) {}

  /// The constructs of the top level from one to another, in their order.
  void print(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first;;) {
      while (!loops_.empty() && loops_.back() == i) {
        loops_.pop_back();
        lines_.close(indent()) << "endloop";
      }
      if (i >= end) return;
      if (kind(i) == node_kind::loop) {
        print_loop_header(i);
        loops_.push_back(d_.nodes[i].next);
        i = child(d_, i, node_kind::body) + 1;
      } else {
        print_construct(i);
        i = d_.nodes[i].next;
      }
    }
  }

 private:
  [[nodiscard]] node_kind kind(std::uint32_t i) const noexcept { return d_.nodes[i].kind; }
  [[nodiscard]] std::string_view name(std::uint32_t i) const noexcept {
    return d_.name(d_.nodes[i].value);
  }
  [[nodiscard]] std::uint32_t indent() const noexcept {
    return static_cast<std::uint32_t>(2 * loops_.size());
  }
  text& begin(std::uint32_t i) {
    return lines_.begin(d_.nodes[i].offset, indent(), line_role::item);
  }
  text& continued(std::uint32_t i) {
    return lines_.begin(d_.nodes[i].offset, indent() + 4, line_role::continuation);
  }

  void print_construct(std::uint32_t i) {
    const node& n = d_.nodes[i];
    switch (n.kind) {
      case node_kind::type_family: return config_.print_family(i);
      case node_kind::device: return config_.print_device(i);
      case node_kind::include:
      case node_kind::device_file: {
        text& out = begin(i);
        out << (n.kind == node_kind::include ? "include " : "device ");
        return append_string(out, name(i));
      }
      case node_kind::device_name: begin(i) << "device " << name(i); return;
      case node_kind::program: begin(i) << "program " << name(i) << ':'; return;
      case node_kind::constant: {
        text& out = begin(i);
        out << "const " << name(i) << " = ";
        return values_.print(out, i + 1);
      }
      case node_kind::let: return print_let(i);
      case node_kind::buffer: return print_buffer(i);
      case node_kind::transfer:
      case node_kind::store: return print_transfer(i);
      case node_kind::compute: return print_compute(i);
      case node_kind::wait: {
        text& out = begin(i);
        print_token(out, i);
        out << "wait(";
        values_.print_children(out, i);
        out << ')';
        return print_decorators(out, i);
      }
      default: return;
    }
  }

  void print_token(text& out, std::uint32_t task) const {
    if (d_.nodes[task].value != no_name) out << name(task) << " = ";
  }

  void print_let(std::uint32_t i) {
    text& out = begin(i);
    out << "let " << name(i) << " = ";
    if (kind(i + 1) != node_kind::region) return values_.print(out, i + 1);
    print_place(out, i + 1);
    std::uint32_t first_type = no_node;  // as the source has it: what a comment can stand before
    for (const std::uint32_t c : children(d_, i + 1))
      if (is_type_attribute(c) && first_type == no_node) first_type = c;
    if (first_type != no_node) print_types(continued(first_type), i + 1);
    print_decorator_lines(i);
  }

  void print_buffer(std::uint32_t i) {
    text& out = begin(i);
    out << "buffer " << name(i) << " : " << nem::name(static_cast<level>(d_.nodes[i].detail));
    const std::uint32_t index = child(d_, i, node_kind::level_index);
    if (index != no_node) {
      out << '[';
      values_.print_children(out, index);
      out << ']';
    }
    out << " (";
    std::string_view comma;
    for (const node_kind k : {node_kind::size, node_kind::align}) {
      const std::uint32_t c = child(d_, i, k);
      if (c == no_node) continue;
      out << comma << (k == node_kind::size ? "size=" : "align=");
      values_.print_children(out, c);
      comma = ", ";
    }
    out << ')';
    print_decorators(out, i);
  }

  void print_loop_header(std::uint32_t i) {
    text& out = begin(i);
    out << "loop " << name(i) << " in [";
    values_.print(out, i + 1);
    out << "..";
    values_.print(out, d_.nodes[i + 1].next);
    out << ']';
    print_decorators(out, i);
    out << ':';
    lines_.opened();
  }

  void print_transfer(std::uint32_t i) {
    text& out = begin(i);
    print_token(out, i);
    out << (kind(i) == node_kind::transfer ? "transfer." : "store.")
        << nem::name(static_cast<mode>(d_.nodes[i].detail)) << "(";
    std::string_view comma;
    for (const node_kind k : {node_kind::destination, node_kind::source}) {
      const std::uint32_t c = child(d_, i, k);
      if (c == no_node) continue;
      out << comma << (k == node_kind::destination ? "dst=" : "src=");
      print_operand(out, c);
      comma = ", ";
    }
    const std::uint32_t deps = child(d_, i, node_kind::deps);
    if (deps != no_node && !is_empty(deps)) {
      out << comma;
      print_deps(out, deps);
    }
    out << ')';
    print_decorator_lines(i);
  }

  void print_compute(std::uint32_t i) {
    {
      text& out = begin(i);
      print_token(out, i);
      const std::uint32_t op = child(d_, i, node_kind::opcode);
      out << name(op) << '.' << nem::name(static_cast<mode>(d_.nodes[i].detail));
    }
    text* line = nullptr;
    attributes_.clear();
    for (const std::uint32_t c : children(d_, i))
      if (kind(c) == node_kind::input) line = operand(c, line, "in  ");
    std::uint32_t last_output = no_node;
    for (const std::uint32_t c : children(d_, i)) {
      const node_kind k = kind(c);
      if (k == node_kind::output) {
        line = operand(c, last_output == no_node ? nullptr : line, "out ");
        last_output = c;
      } else if (k == node_kind::attribute || (k == node_kind::deps && !is_empty(c))) {
        attributes_.push_back({c, rank(i, c)});
      }
    }
    if (!lines_.has_comment(d_.nodes[i + 2].offset, d_.nodes[d_.nodes[i].next - 1].offset))
      sort(attributes_.data(), attributes_.size(), [this](const ranked& a, const ranked& b) {
        return a.rank != b.rank ? a.rank < b.rank
                                : a.rank == unregistered && name(a.at) < name(b.at);
      });
    for (const ranked& a : attributes_) {
      text& out = continued(a.at);
      if (kind(a.at) == node_kind::deps) {
        print_deps(out, a.at);
      } else {
        out << name(a.at) << '=';
        values_.print_children(out, a.at);
      }
    }
    if (attributes_.empty() && needs_separator(i, last_output)) {
      const std::uint32_t deps = child(d_, i, node_kind::deps);
      continued(deps != no_node ? deps : last_output) << "deps=[]";
    }
    print_decorator_lines(i);
  }
  /// Whether a decorator would go from the last output to the task, or the other way, if nothing
  /// stood between them.
  [[nodiscard]] bool needs_separator(std::uint32_t task, std::uint32_t output) const noexcept {
    if (output == no_node) return false;
    const auto has = [this](std::uint32_t parent, bool task_level) {
      for (const std::uint32_t c : children(d_, parent))
        if (kind(c) == node_kind::decorator &&
            is_task_level(static_cast<decorator>(d_.nodes[c].detail)) == task_level)
          return true;
      return false;
    };
    return has(output, true) || has(task, false);
  }

  struct ranked {
    std::uint32_t at, rank;
  };
  static constexpr std::uint32_t unregistered = 0xffffffff;
  /// 0 for deps, then the place in the opcode's row.
  [[nodiscard]] std::uint32_t rank(std::uint32_t task, std::uint32_t i) const noexcept {
    if (kind(i) == node_kind::deps) return 0;
    const auto op = static_cast<opcode>(d_.nodes[child(d_, task, node_kind::opcode)].detail);
    if (op == opcode::unknown) return unregistered;
    std::uint32_t place = 1;
    for (std::string_view list = row(op).attributes; !list.empty(); ++place) {
      std::string_view word = next_word(list);
      if (word.back() == '?') word.remove_suffix(1);
      if (word == name(i)) return place;
    }
    return unregistered;
  }
  /// One more operand, on a line of its own if it is the first.
  text* operand(std::uint32_t i, text* line, std::string_view word) {
    if (line == nullptr)
      *(line = &continued(i)) << word;
    else
      *line << ", ";
    print_operand(*line, i);
    return line;
  }

  // --- parts of statements ---

  [[nodiscard]] bool is_empty(std::uint32_t i) const noexcept { return d_.nodes[i].next == i + 1; }
  [[nodiscard]] bool is_type_attribute(std::uint32_t i) const noexcept {
    const node_kind k = kind(i);
    return k == node_kind::elem || k == node_kind::shape || k == node_kind::layout ||
           k == node_kind::strides || k == node_kind::quant;
  }

  void print_deps(text& out, std::uint32_t deps) {
    out << "deps=[";
    values_.print_children(out, deps);
    out << ']';
  }

  /// A name or a region, and its decorators.
  void print_operand(text& out, std::uint32_t operand) {
    const std::uint32_t what = operand + 1;
    if (kind(what) != node_kind::region) {
      out << name(what);
    } else {
      print_place(out, what);
      bool has_types = false;
      for (const std::uint32_t c : children(d_, what))
        has_types = has_types || is_type_attribute(c);
      if (has_types) print_types(out << ' ', what);
    }
    print_decorators(out, operand);
  }

  /// A region without its type.
  void print_place(text& out, std::uint32_t region) {
    out << "region(" << name(region) << ", ";
    values_.print(out, region + 1);
    out << ", ";
    values_.print(out, d_.nodes[region + 1].next);
    out << ')';
  }
  void print_types(text& out, std::uint32_t region) {
    std::string_view comma;
    for (const node_kind k : {node_kind::elem, node_kind::shape, node_kind::layout,
                              node_kind::strides, node_kind::quant}) {
      for (const std::uint32_t c : children(d_, region)) {
        if (kind(c) != k) continue;
        out << comma << nem::name(k) << '=';
        comma = ", ";
        if (k == node_kind::elem) {
          out << nem::name(static_cast<element>(d_.nodes[c].detail));
        } else if (k == node_kind::layout) {
          out << name(c);
        } else if (k == node_kind::quant) {
          print_quant(out, c);
        } else {
          out << '[';
          values_.print_children(out, c);
          out << ']';
        }
      }
    }
  }
  void print_quant(text& out, std::uint32_t quant) {
    out << nem::name(static_cast<quantization>(d_.nodes[quant].detail));
    std::string_view between = "(";
    for (std::uint8_t field = 0; field < 6; ++field) {
      for (const std::uint32_t c : children(d_, quant)) {
        if (d_.nodes[c].detail != field) continue;
        out << between << quant_field_names[field] << '=';
        values_.print_children(out, c);
        between = ", ";
      }
    }
    out << ')';
  }

  void print_decorator(text& out, std::uint32_t i) {
    out << '@' << name(i);
    if (is_empty(i)) return;
    out << '(';
    if (kind(i + 1) == node_kind::unit_index) {
      out << name(i + 1) << '[';
      values_.print_children(out, i + 1);
      out << ']';
    } else {
      values_.print_children(out, i);
    }
    out << ')';
  }
  void print_decorators(text& out, std::uint32_t parent) {
    for (const std::uint32_t c : children(d_, parent))
      if (kind(c) == node_kind::decorator) print_decorator(out << ' ', c);
  }
  void print_decorator_lines(std::uint32_t parent) {
    for (const std::uint32_t c : children(d_, parent))
      if (kind(c) == node_kind::decorator) print_decorator(continued(c), c);
  }

  const model& d_;
  Lines& lines_;
  value_printer values_;
  config_printer<Lines> config_;
  pool<std::uint32_t> loops_;  // the nodes after the open loops
  pool<ranked> attributes_;
};

/// The place of a construct of the top level among others.
[[nodiscard]] constexpr std::uint32_t canonical_place(node_kind k) noexcept {
  switch (k) {
    case node_kind::include: return 0;
    case node_kind::type_family: return 1;
    case node_kind::device: return 2;
    case node_kind::device_file:
    case node_kind::device_name: return 3;
    case node_kind::program: return 4;
    default: return 5;
  }
}

}  // namespace nem::detail
namespace nem::detail {

/// All constructs of a model, in the canonical order.
template <class Lines>
text print_all(const model& d, Lines&& lines, const print_options& options) {
  construct_printer<std::remove_reference_t<Lines>> printer(d, lines, options);
  const auto count = static_cast<std::uint32_t>(d.nodes.size());
  std::uint32_t statements = 0;  // where they begin; nothing else may follow them
  while (statements < count && !is_statement(d.nodes[statements].kind))
    statements = d.nodes[statements].next;
  for (std::uint32_t place = 0; place < 5; ++place)
    for (std::uint32_t i = 0; i < statements; i = d.nodes[i].next)
      if (canonical_place(d.nodes[i].kind) == place) printer.print(i, d.nodes[i].next);
  printer.print(statements, count);
  return lines.finish();
}

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text print(const model& d, const print_options& options) {
  return detail::print_all(d, detail::plain_lines(), options);
}

TESSERA_INLINE text print(const program& p, const print_options& options) {
  detail::resolved comments(p.model());
  for_each_task(p, comments, 1);
  return detail::print_all(p.model(), detail::resolved_lines(comments), options);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_PRINT_HPP

namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

/// Whether all characters can be those of a name, and the first one too. Reserved words are the
/// reader's to find.
[[nodiscard]] inline bool is_identifier(std::string_view s) noexcept {
  for (const char c : s)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9')))
      return false;
  return !s.empty() && (s[0] < '0' || s[0] > '9');
}
/// The same for "conv2d.float".
[[nodiscard]] inline bool is_dotted_name(std::string_view s) noexcept {
  const std::size_t dot = s.find('.');
  return dot == std::string_view::npos
             ? is_identifier(s)
             : is_identifier(s.substr(0, dot)) && is_identifier(s.substr(dot + 1));
}

}  // namespace detail

// --- expressions ---

TESSERA_INLINE expr::expr(std::int64_t number, void*) {
  if (number == INT64_MIN) {
    text_ << "(-9223372036854775807 - 1)";
    return;
  }
  text_ << number;
  if (number < 0) precedence_ = 2;
}

TESSERA_INLINE expr::expr(double number) : is_bad_(!(number - number == 0)) {
  if (is_bad_) {
    text_ << (number < 0 ? "-infinity" : number > 0 ? "infinity" : "nan");
    return;
  }
  if (std::bit_cast<std::uint64_t>(number) >> 63 != 0) {  // -0.0, too
    text_ << '-';
    number = -number;
    precedence_ = 2;
  }
  detail::append_real(text_, number);
}

TESSERA_INLINE expr::expr(std::string_view name)
    : text_(name), is_bad_(!detail::is_identifier(name)) {}

template <class T>
void expr::put_list(view<T> list) {
  text_ << '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) text_ << ", ";
    put(list[i], false);
  }
  text_ << ']';
}
TESSERA_INLINE expr::expr(view<expr> list) { put_list(list); }
TESSERA_INLINE expr::expr(view<std::int64_t> list) { put_list(list); }
TESSERA_INLINE expr::expr(view<double> list) { put_list(list); }

TESSERA_INLINE expr expr::string(std::string_view characters) {
  expr e;
  detail::append_string(e.text_, characters);
  return e;
}

TESSERA_INLINE void expr::put(const expr& e, bool parentheses) {
  is_bad_ = is_bad_ || e.is_bad_;
  if (parentheses) text_ << '(';
  text_ << e.text_;
  if (parentheses) text_ << ')';
}

TESSERA_INLINE expr expr::binary(const expr& a, std::string_view sign, const expr& b,
                                 unsigned char precedence) {
  expr e;
  e.precedence_ = precedence;
  e.put(a, a.precedence_ < precedence);
  e.text_ << sign;
  e.put(b, b.precedence_ <= precedence);
  return e;
}

// --- regions ---

TESSERA_INLINE region_expr::region_expr(std::string_view buffer, const expr& offset,
                                        const expr& extent) {
  put("region(", buffer).put(", ", offset).put(", ", extent);
  text_ << ')';
}

TESSERA_INLINE region_expr& region_expr::per_tensor(const expr& scale, const expr& zero_point) {
  put(", quant=per_tensor(scale=", scale).put(", zero_point=", zero_point);
  text_ << ')';
  return *this;
}

TESSERA_INLINE region_expr& region_expr::per_channel(const expr& axis, const expr& scales,
                                                     const expr& zero_points) {
  put(", quant=per_channel(axis=", axis).put(", scales=", scales);
  put(", zero_points=", zero_points);
  text_ << ')';
  return *this;
}

TESSERA_INLINE region_expr& region_expr::per_group(const expr& axis, const expr& group_size,
                                                   const expr& scales, const expr& zero_points) {
  put(", quant=per_group(axis=", axis).put(", group_size=", group_size);
  put(", scales=", scales).put(", zero_points=", zero_points);
  text_ << ')';
  return *this;
}

// --- what all statements use ---

TESSERA_INLINE builder& builder::fail(std::string_view text, std::string_view what) {
  if (error_.code != errc::ok) return *this;
  error_ = {errc::nem_syn_001_token, statements_ == 0 ? 0 : statements_ - 1,
            error_index::operation};
  message_ << text << what;
  return *this;
}

TESSERA_INLINE builder& builder::begin(kind k) {
  end_statement();
  kind_ = k;
  is_sync_ = false;
  for (text* const part : {&head_, &callee_, &inputs_, &outputs_, &deps_, &attributes_,
                           &decorators_, &mandatory_, &extended_})
    part->clear();
  for (text& group : characteristics_) group.clear();
  ++statements_;
  return *this;
}

TESSERA_INLINE void builder::end_statement() {
  switch (kind_) {
    case kind::none: return;
    case kind::plain: source_ << head_ << decorators_; break;
    case kind::loop: source_ << head_ << decorators_ << ':'; break;
    case kind::wait: source_ << "wait(" << deps_ << ')' << decorators_; break;
    case kind::copy:
      source_ << head_ << callee_ << (is_sync_ ? ".sync(" : ".async(") << inputs_;
      if (!deps_.empty()) source_ << ", deps=[" << deps_ << ']';
      source_ << ')' << decorators_;
      break;
    case kind::compute: end_compute(); break;
    case kind::device: end_device_text(); break;
    case kind::family: end_family_text(); break;
  }
  source_ << '\n';
  kind_ = kind::none;
}

TESSERA_INLINE builder& builder::belongs(bool does, std::string_view what) {
  if (!does) fail(what, kind_ == kind::none ? " without a statement" : " of another statement");
  return *this;
}

TESSERA_INLINE builder& builder::put(text& to, std::string_view before, const expr& e,
                                     std::string_view after) {
  to << before << e.text() << after;
  return e.is_bad() ? fail(e.text(), " is neither a name nor a number of the language") : *this;
}

TESSERA_INLINE builder& builder::put_operand(text& to, std::string_view before,
                                             const region_expr& r) {
  to << before << r.text_;
  return r.is_bad_ ? fail(r.text_, " has what is neither a name nor a number") : *this;
}

TESSERA_INLINE builder& builder::put_name(text& to, std::string_view before,
                                          std::string_view dotted) {
  to << before << dotted;
  return detail::is_dotted_name(dotted) ? *this : fail(dotted, " is not a name");
}

TESSERA_INLINE void builder::put_types(text& to, std::string_view open, element_list types,
                                       std::string_view close) {
  const view<nem::element> list = types.types;
  for (std::size_t k = 0; k < list.size(); ++k) to << (k == 0 ? open : ", ") << nem::name(list[k]);
  if (!list.empty()) to << close;
}

// --- documents ---

TESSERA_INLINE builder& builder::include(std::string_view path) {
  return begin(kind::plain).put(head_, "include ", expr::string(path));
}
TESSERA_INLINE builder& builder::device_file(std::string_view path) {
  return begin(kind::plain).put(head_, "device ", expr::string(path));
}
TESSERA_INLINE builder& builder::device_name(std::string_view name) {
  return begin(kind::plain).put(head_, "device ", name);
}
TESSERA_INLINE builder& builder::program(std::string_view name) {
  return begin(kind::plain).put(head_, "program ", name, ":");
}

// --- declarations and loops ---

TESSERA_INLINE builder& builder::constant(std::string_view name, const expr& value) {
  return begin(kind::plain).put(head_, "const ", name).put(head_, " = ", value);
}
TESSERA_INLINE builder& builder::let(std::string_view name, const expr& value) {
  return begin(kind::plain).put(head_, "let ", name).put(head_, " = ", value);
}
TESSERA_INLINE builder& builder::let(std::string_view name, const region_expr& r) {
  return begin(kind::plain).put(head_, "let ", name).put_operand(head_, " = ", r);
}
TESSERA_INLINE builder& builder::buffer(std::string_view name, nem::level level, const expr& size,
                                        const expr& align) {
  begin(kind::plain).put(head_, "buffer ", name);
  head_ << " : " << nem::name(level);
  return properties(size, align);
}
TESSERA_INLINE builder& builder::buffer_in_l1(std::string_view name, const expr& engine,
                                              const expr& size, const expr& align) {
  begin(kind::plain).put(head_, "buffer ", name).put(head_, " : L1[", engine, "]");
  return properties(size, align);
}
TESSERA_INLINE builder& builder::properties(const expr& size, const expr& align) {
  put(head_, " (size=", size);
  if (const tessera::text& a = align.text_; a != std::string_view("0"))
    put(head_, ", align=", align);
  head_ << ')';
  return *this;
}
TESSERA_INLINE builder& builder::loop(std::string_view variable, const expr& first,
                                      const expr& last) {
  begin(kind::loop).put(head_, "loop ", variable);
  return put(head_, " in [", first).put(head_, "..", last, "]");
}
TESSERA_INLINE builder& builder::end_loop() {
  begin(kind::plain).head_ << "endloop";
  return *this;
}

// --- tasks ---

TESSERA_INLINE builder& builder::begin_task(kind k, std::string_view token) {
  begin(k);
  return token.empty() ? *this : put(head_, "", token, " = ");
}
TESSERA_INLINE builder& builder::copy(std::string_view callee, std::string_view token,
                                      const region_expr& destination, const region_expr& source) {
  begin_task(kind::copy, token).callee_ << callee;
  return put_operand(inputs_, "dst=", destination).put_operand(inputs_, ", src=", source);
}
TESSERA_INLINE builder& builder::transfer(std::string_view token, const region_expr& destination,
                                          const region_expr& source) {
  return copy("transfer", token, destination, source);
}
TESSERA_INLINE builder& builder::store(std::string_view token, const region_expr& destination,
                                       const region_expr& source) {
  return copy("store", token, destination, source);
}
TESSERA_INLINE builder& builder::compute(std::string_view token, nem::opcode op) {
  begin_task(kind::compute, token).callee_ << nem::name(op);
  return *this;
}
TESSERA_INLINE void builder::end_compute() {
  source_ << head_ << callee_ << (is_sync_ ? ".sync" : ".async") << inputs_ << outputs_;
  if (!deps_.empty()) source_ << " deps=[" << deps_ << ']';
  source_ << attributes_ << decorators_;
}
TESSERA_INLINE builder& builder::in(const region_expr& operand) {
  return belongs(kind_ == kind::compute, "an input")
      .put_operand(inputs_, inputs_.empty() ? " in " : ", ", operand);
}
TESSERA_INLINE builder& builder::out(const region_expr& operand) {
  return belongs(kind_ == kind::compute, "an output")
      .put_operand(outputs_, outputs_.empty() ? " out " : ", ", operand);
}
TESSERA_INLINE builder& builder::deps(view<std::string_view> tokens) {
  belongs(kind_ == kind::compute || kind_ == kind::copy || kind_ == kind::wait, "deps");
  for (const std::string_view t : tokens) put(deps_, deps_.empty() ? "" : ", ", t);
  return *this;
}
TESSERA_INLINE builder& builder::attribute(std::string_view name, const expr& value) {
  return belongs(kind_ == kind::compute, "an attribute")
      .put(attributes_, " ", name)
      .put(attributes_, "=", value);
}
TESSERA_INLINE builder& builder::sync() {
  is_sync_ = true;
  return belongs(kind_ == kind::compute || kind_ == kind::copy, "sync");
}
TESSERA_INLINE builder& builder::wait(view<std::string_view> tokens) {
  return begin(kind::wait).deps(tokens);
}

// --- decorators ---

TESSERA_INLINE builder& builder::decorate(nem::decorator d) {
  belongs(kind_ != kind::none && kind_ < kind::device, "a decorator").decorators_
      << " @" << decorator_table[static_cast<std::size_t>(d)].name;
  return *this;
}
TESSERA_INLINE builder& builder::decorate(nem::decorator d, const expr& argument) {
  return decorate(d).put(decorators_, "(", argument, ")");
}
TESSERA_INLINE builder& builder::resource(nem::unit u, const expr& index) {
  decorate(decorator::resource).decorators_ << '(' << nem::name(u);
  return put(decorators_, "[", index, "])");
}

// --- devices ---

TESSERA_INLINE builder& builder::begin_device(std::string_view name, std::string_view parent) {
  begin(kind::device).put(head_, "device ", name);
  return parent.empty() ? *this : put(head_, " extends ", parent);
}
TESSERA_INLINE builder& builder::spec_version(std::string_view version) {
  return belongs(kind_ == kind::device, "spec_version")
      .put(callee_, " spec_version = ", expr::string(version));
}
TESSERA_INLINE builder& builder::topology(std::string_view word, const expr& value) {
  belongs(kind_ == kind::device, word).inputs_ << ' ' << word;
  return put(inputs_, " = ", value);
}
TESSERA_INLINE builder& builder::l1_size_bytes(const expr& size) {
  return belongs(kind_ == kind::device, "l1_size_bytes")
      .put(attributes_, " l1_size_bytes = ", size);
}
TESSERA_INLINE builder& builder::units(nem::unit u, std::int64_t count) {
  text& to = is_per_engine(u) ? attributes_ : outputs_;
  return belongs(kind_ == kind::device, "units").put(to, " ", nem::name(u)).put(to, " = ", count);
}
TESSERA_INLINE builder& builder::characteristic(nem::unit u, std::string_view name,
                                                std::int64_t value) {
  if (u == unit::none) return fail("none", " is not a unit");
  text& to = characteristics_[static_cast<std::size_t>(u)];
  return belongs(kind_ == kind::device, "a characteristic")
      .put(to, " ", name)
      .put(to, " = ", value);
}
TESSERA_INLINE builder& builder::reference(text& to, std::string_view family, element_list types,
                                           std::string_view variant) {
  belongs(kind_ == kind::device, "a variant").put_name(to, " ", family);
  put_types(to, "<", types, ">");
  return put(to, ".", variant);
}
TESSERA_INLINE void builder::end_device_text() {
  source_ << head_ << " {" << callee_;
  if (!inputs_.empty() || !outputs_.empty() || !attributes_.empty()) {
    source_ << " topology {" << inputs_;
    if (!outputs_.empty()) source_ << " device_units {" << outputs_ << " }";
    if (!attributes_.empty()) source_ << " per_engine {" << attributes_ << " }";
    source_ << " }";
  }
  bool has_group = false;
  for (std::size_t u = 0; u < unit_count; ++u) {
    if (characteristics_[u].empty()) continue;
    source_ << (has_group ? " " : " unit_characteristics { ") << unit_names[u] << " {"
            << characteristics_[u] << " }";
    has_group = true;
  }
  if (has_group) source_ << " }";
  if (!mandatory_.empty()) source_ << " opcode.mandatory {" << mandatory_ << " }";
  if (!extended_.empty()) source_ << " opcode.extended {" << extended_ << " }";
  source_ << " }";
}
TESSERA_INLINE builder& builder::end_device() {
  belongs(kind_ == kind::device, "the end of a device");
  end_statement();
  return *this;
}

// --- type families ---

TESSERA_INLINE builder& builder::begin_family(std::string_view name) {
  return begin(kind::family).put_name(head_, "type_family ", name);
}
TESSERA_INLINE builder& builder::parameter(std::string_view name, element_list domain) {
  belongs(kind_ == kind::family, "a type parameter");
  put(inputs_, inputs_.empty() ? "<" : ", ", name).put_types(inputs_, ": {", domain, "}");
  return *this;
}
TESSERA_INLINE builder& builder::binding(std::string_view operand, std::string_view type) {
  text& to = decorators_.empty() ? outputs_ : callee_;
  return belongs(kind_ == kind::family, "a binding").put(to, " ", operand).put(to, ": ", type);
}
TESSERA_INLINE builder& builder::condition(std::string_view name, std::string_view value,
                                           std::string_view on) {
  belongs(kind_ == kind::family, "a condition")
      .put(outputs_, " ", name)
      .put(outputs_, " = ", value);
  return on.empty() ? *this : put(outputs_, " on ", on);
}
TESSERA_INLINE builder& builder::variant(std::string_view name) {
  belongs(kind_ == kind::family, "a variant").end_variant();
  return put(decorators_, "", name);
}
TESSERA_INLINE builder& builder::conformance(bool must, element_list types) {
  belongs(kind_ == kind::family, "conformance").deps_ << (must ? " MUST" : " MAY");
  put_types(deps_, " <", types, ">");
  return *this;
}
TESSERA_INLINE void builder::end_variant() {
  if (decorators_.empty()) return;  // the name of the variant
  attributes_ << ' ' << decorators_ << ": {" << callee_ << " } conformance: {" << deps_ << " }";
  for (text* const part : {&decorators_, &callee_, &deps_}) part->clear();
}
TESSERA_INLINE void builder::end_family_text() {
  end_variant();
  source_ << head_ << inputs_ << (inputs_.empty() ? "" : ">") << " {" << outputs_
          << " variants:" << attributes_ << " }";
}
TESSERA_INLINE builder& builder::end_family() {
  belongs(kind_ == kind::family, "the end of a type family");
  end_statement();
  return *this;
}

// --- the model ---

TESSERA_INLINE result<model> builder::finish(report* found) {
  end_statement();
  if (error_.code != errc::ok) {
    tessera::detail::findings to(found, 1);
    to.add(error_.code, severity::error, {0, error_.offset, 0, error_.index}) << message_;
    return error_;
  }
  const read_options options = {.limit = {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX}};
  const result<model> written = read(source_.view(), options);
  if (!written) return read(source_.view(), options, found);
  const text canonical = print(*written);
  return read(canonical.view(), options, found);
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_BUILDER_HPP

// ---- tessera/nem/detail/syntax/reformat.hpp
//
// The bodies of nem/reformat.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

/// A comment, and what is around it.
struct comment {
  std::uint32_t offset, size;  ///< without blanks at its end
  std::uint32_t next;          ///< where the next token begins; no_offset at the end of the file
  bool is_own_line, has_blank;
};

/// What `reformat` has to know of a source besides its tree. Separators, `in`, `out` and what
/// canonical text leaves out don't count as tokens: a comment before one of those is before what
/// follows it.
class comment_scanner {
 public:
  explicit comment_scanner(std::string_view source) : source_(source) {
    const auto size = static_cast<std::uint32_t>(source.size());
    for (std::uint32_t i = source.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0; i < size;) {
      const char c = source[i];
      if (c == '\n') {
        lines_ = lines_ == 0 ? 1 : 2;
        is_own_line_ = true;
        ++i;
      } else if (is_blank(c)) {
        ++i;
      } else if (c == '#') {
        i = take_comment(i);
      } else {
        i = take_token(i);
      }
    }
  }

  [[nodiscard]] static bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  pool<comment> comments;
  pool<std::uint32_t> closers;   ///< where each endloop is, and each brace but those of attrs
  pool<std::uint32_t> headings;  ///< where "variants:" and "conformance:" stand

 private:
  [[nodiscard]] static bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::uint32_t take_comment(std::uint32_t first) {
    std::uint32_t i = first;
    while (i < source_.size() && source_[i] != '\n') ++i;
    std::uint32_t end = i;
    while (is_blank(source_[end - 1])) --end;
    comments.push_back({first, end - first, no_offset, is_own_line_, lines_ == 2});
    lines_ = 0;
    return i;
  }

  std::uint32_t take_token(std::uint32_t first) {
    std::uint32_t i = first + 1;
    const char c = source_[first];
    lines_ = 0;
    if (c == '"') {
      while (i < source_.size() && source_[i] != '"' && source_[i] != '\n')
        i += source_[i] == '\\' && i + 1 < source_.size() ? 2u : 1u;
      if (i < source_.size()) ++i;
      token(first);
    } else if (is_letter(c)) {
      while (i < source_.size() && is_letter(source_[i])) ++i;
      take_word(first, source_.substr(first, i - first));
    } else if (c == ';' || c == ',' || c == '=') {
      if (c != ';') previous_ = c;
    } else if (c == '{' && previous_ == '=') {
      in_attributes_ = true;
      previous_ = c;
    } else if (c == '}' && in_attributes_) {
      in_attributes_ = false;
      previous_ = c;
    } else {
      if (c == ':' && heading_ != no_offset) headings.push_back(heading_);
      heading_ = no_offset;
      if (c == '}') closers.push_back(first);
      token(first);
    }
    return i;
  }
  void take_word(std::uint32_t first, std::string_view word) {
    const char before = previous_;
    heading_ = word == "variants" || word == "conformance" ? first : no_offset;
    if (before != '=' && before != '@') {
      if (word == "in" || word == "out" || word == "attrs") return;
      if (word == "endloop") closers.push_back(first);
    }
    token(first);
  }
  /// What comments before it are before.
  void token(std::uint32_t at) {
    while (waiting_ < comments.size()) comments[waiting_++].next = at;
    is_own_line_ = false;
    previous_ = source_[at];
  }

  std::string_view source_;
  std::size_t waiting_ = 0;  // the first comment whose next token isn't known
  std::uint32_t lines_ = 2, heading_ = no_offset;
  char previous_ = ' ';
  bool is_own_line_ = true, in_attributes_ = false;
};

/// Lines with the comments of a source between them. The last line waits for the next one to begin:
/// only then it is known which comments stand within it.
class commented_lines {
 public:
  explicit commented_lines(std::string_view source) : source_(source), scanned_(source) {}

  text& begin(std::uint32_t offset, std::uint32_t indent, line_role role) {
    end_line(offset, indent, role == line_role::item);
    if (role == line_role::item && has_blank(offset)) blank_line();
    return start(indent);
  }
  text& begin_heading(std::uint32_t after, std::uint32_t indent, line_role role) {
    const pool<std::uint32_t>& all = scanned_.headings;
    const std::size_t i =
        first_not_below(all.data(), all.size(), [after](std::uint32_t h) { return h <= after; });
    return begin(i < all.size() ? all[i] : after, indent, role);
  }
  text& close(std::uint32_t indent) {
    end_line(closer_ < scanned_.closers.size() ? scanned_.closers[closer_] : no_offset, indent + 2,
             true);
    ++closer_;
    return start(indent);
  }
  void opened() noexcept { opens_ = true; }
  void pass_closer() noexcept { ++closer_; }
  [[nodiscard]] bool has_comment(std::uint32_t first, std::uint32_t last) const noexcept {
    const pool<comment>& all = scanned_.comments;
    const std::size_t i = first_not_below(all.data(), all.size(),
                                          [first](const comment& c) { return c.next < first; });
    return i < all.size() && all[i].next <= last;
  }
  [[nodiscard]] text finish() {
    end_line(no_offset, 0, true);
    return std::move(out_);
  }

 private:
  text& start(std::uint32_t indent) {
    line_indent_ = indent;
    append_indent(line_, indent);
    return line_;
  }
  /// Writes the line that waits, and the comments before what begins at `offset`.
  void end_line(std::uint32_t offset, std::uint32_t indent, bool is_item) {
    const pool<comment>& all = scanned_.comments;
    if (!line_.empty()) {
      for (; next_ < all.size() && all[next_].next < offset; ++next_) put(all[next_], line_indent_);
      out_ << line_;
      if (next_ < all.size() && all[next_].offset < offset && !all[next_].is_own_line)
        out_ << "  " << written(all[next_++]);
      out_ << '\n';
      line_.clear();
      is_first_ = opens_;
      opens_ = false;
    }
    for (; next_ < all.size() && all[next_].offset < offset; ++next_) {
      if (is_item && all[next_].has_blank) blank_line();
      put(all[next_], indent);
    }
  }
  void put(const comment& c, std::uint32_t indent) {
    append_indent(out_, indent);
    out_ << written(c) << '\n';
    is_first_ = false;
  }
  void blank_line() {
    if (!is_first_) out_ << '\n';
    is_first_ = true;  // one is enough
  }
  [[nodiscard]] std::string_view written(const comment& c) const noexcept {
    return source_.substr(c.offset, c.size);
  }
  /// Whether an empty line precedes what begins at `offset`.
  [[nodiscard]] bool has_blank(std::uint32_t offset) const noexcept {
    unsigned lines = 0;
    while (offset > 0 && offset <= source_.size() &&
           comment_scanner::is_blank(source_[offset - 1])) {
      lines += source_[offset - 1] == '\n';
      --offset;
    }
    return lines >= 2;
  }

  std::string_view source_;
  comment_scanner scanned_;
  text out_, line_;
  std::uint32_t line_indent_ = 0;
  std::size_t next_ = 0, closer_ = 0;  // the first comment, and the first closer, that are to come
  bool opens_ = false, is_first_ = true;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text reformat(const model& d, std::string_view source,
                             const print_options& options) {
  detail::commented_lines lines(source);
  detail::construct_printer<detail::commented_lines> printer(d, lines, options);
  printer.print(0, static_cast<std::uint32_t>(d.nodes.size()));
  return lines.finish();
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_REFORMAT_HPP

// ---- tessera/nem/detail/device/resolver.hpp
//
// The bodies of nem/resolver.hpp.

#ifndef TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP
#define TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem {
namespace detail {

[[nodiscard]] constexpr bool is_separator(char c) noexcept { return c == '/' || c == '\\'; }

/// Appends the parts of a path to one that has none of "." and "..". False above the top.
[[nodiscard]] inline bool append_path(text& to, std::string_view path) {
  while (!path.empty()) {
    std::size_t size = 0;
    while (size < path.size() && !is_separator(path[size])) ++size;
    const std::string_view part = path.substr(0, size);
    path.remove_prefix(size < path.size() ? size + 1 : size);
    if (part == "..") {
      if (to.empty()) return false;
      const std::size_t slash = to.view().rfind('/');
      to.truncate(slash == std::string_view::npos ? 0 : slash);
    } else if (!part.empty() && part != ".") {
      if (!to.empty()) to << '/';
      to << part;
    }
  }
  return true;
}

/// Calls `find`, which returns whether it has the file of the path in `id`, with where `path` leads
/// from the folder of `from`, and then from the top.
template <class Find>
[[nodiscard]] bool find_included(text& id, std::string_view from, std::string_view path,
                                 std::string_view& why, Find find) {
  if (!path.empty() && (is_separator(path[0]) || (path.size() > 1 && path[1] == ':'))) {
    why = "it is an absolute path";
    return false;
  }
  std::size_t folder = from.size();
  while (folder != 0 && !is_separator(from[folder - 1])) --folder;
  for (const std::string_view beside : {from.substr(0, folder), std::string_view()}) {
    id.clear();
    if (!append_path(id, beside) || !append_path(id, path))
      why = "it is above the top folder";
    else if (!id.empty() && find())
      return true;
    if (folder == 0 || !why.empty()) return false;
  }
  return false;
}

}  // namespace detail

TESSERA_INLINE bool text_files::open(void* self, std::string_view from, std::string_view path,
                                     nem::resolver::file& to) {
  auto& files = *static_cast<text_files*>(self);
  return detail::find_included(files.id_, from, path, to.why, [&files, &to] {
    for (const named_text& t : files.texts_) {
      if (files.id_ != t.path) continue;
      to.id = t.path;
      to.text = t.text;
      return true;
    }
    return false;
  });
}

TESSERA_INLINE folder_files::~folder_files() {
  while (last_ != nullptr) {
    const loaded* const l = last_;
    last_ = l->before;
    delete l;
  }
}

TESSERA_INLINE std::string_view folder_files::text_of(std::string_view id) const noexcept {
  for (const loaded* l = last_; l != nullptr; l = l->before)
    if (l->id == id) return l->content.view();
  return {};
}

TESSERA_INLINE bool folder_files::open(void* self, std::string_view from, std::string_view path,
                                       nem::resolver::file& to) {
  auto& files = *static_cast<folder_files*>(self);
  return detail::find_included(files.id_, from, path, to.why, [&files, &to] {
    const loaded* found = files.last_;
    while (found != nullptr && !(found->id == files.id_.view())) found = found->before;
    if (found == nullptr) found = files.load(to.why);
    if (found == nullptr) return false;
    to.id = found->id.view();
    to.text = found->content.view();
    return true;
  });
}

TESSERA_INLINE auto folder_files::load(std::string_view& why) -> const loaded* {
  text path(folder_.view());
  if (!path.empty() && !detail::is_separator(path.data()[path.size() - 1])) path << '/';
  path << id_.view() << '\0';
  if (path.view().find('\0') != path.size() - 1) return nullptr;
  std::FILE* const file = std::fopen(path.data(), "rb");
  if (file == nullptr) {
    if (errno != ENOENT && errno != ENOTDIR) why = "it can't be opened";
    return nullptr;
  }
  auto* const l = new loaded;
  l->id << id_.view();
  std::size_t count = 1;
  while (count != 0 && l->content.size() <= max_bytes_) {
    constexpr std::size_t step = 65536;
    count = std::fread(l->content.prepare(step), 1, step, file);
    l->content.advance(count);
  }
  if (std::ferror(file) != 0)
    why = "it can't be read";
  else if (l->content.size() > max_bytes_)
    why = "it is too large";
  (void)std::fclose(file);
  if (!why.empty()) {
    delete l;
    return nullptr;
  }
  l->before = last_;
  return last_ = l;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_DEVICE_RESOLVER_HPP

// ---- tessera/nem/detail/syntax/write.hpp
//
// The bodies of nem/write.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP

#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace nem {

TESSERA_INLINE result<text> write(const model& d, const write_options& options) {
  text out = print(d, {.strict_ebnf = options.strict_ebnf});
  for (const node& n : d.nodes)
    if (n.offset != 0 || n.length != 0) return out;
  constexpr limits unlimited = {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX};
  if (const result<model> again = read(out.view(), {.limit = unlimited}); !again)
    return again.error();
  return out;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WRITE_HPP

// ---- tessera/nem/detail/syntax/write_json.hpp
//
// The bodies of nem/write.hpp.

#ifndef TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP
#define TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace nem::detail {

class tree_writer {
 public:
  tree_writer(const model& d, text& out) noexcept : d_(d), json_(out, json::indented) {}

  void write() {
    json_.begin_object();
    json_.key("format").string("nem-ast").key("version").integer(1).key("nodes").begin_array();
    const auto count = static_cast<std::uint32_t>(d_.nodes.size());
    for (std::uint32_t i = 0;;) {
      while (!open_.empty() && open_.back() == i) {
        open_.pop_back();
        json_.end().end();
      }
      if (i >= count) break;
      const node& n = d_.nodes[i];
      if (n.kind == node_kind::expression) {
        write_expression(i);
        i = n.next;
        continue;
      }
      const bool is_leaf = n.next == i + 1;
      begin(n, n, is_leaf);
      if (is_leaf) {
        json_.end();
      } else {
        json_.key("children").begin_array();
        open_.push_back(n.next);
      }
      ++i;
    }
    json_.end().end();
  }

 private:
  /// The fields of a node; the range is that of another, or its own.
  void begin(const node& n, const node& range, bool one_line) {
    json_.begin_object(one_line).key("kind").string(nem::name(n.kind));
    json_.key("range").begin_array(true).integer(range.offset).integer(range.length).end();
    switch (n.kind) {
      case node_kind::include:
      case node_kind::device_file: return field("path", d_.name(n.value));
      case node_kind::spec_version:
      case node_kind::string: return field("value", d_.name(n.value));
      case node_kind::integer:
      case node_kind::wide_integer: json_.key("value").integer(d_.integer(n)); return;
      case node_kind::real: return real(d_.reals[n.value]);
      case node_kind::buffer:
        named(n);
        return field("level", nem::name(static_cast<level>(n.detail)));
      case node_kind::transfer:
      case node_kind::store:
      case node_kind::compute:
        if (n.value != no_name) named(n);
        return field("mode", nem::name(static_cast<mode>(n.detail)));
      case node_kind::wait:
        if (n.value != no_name) named(n);
        return;
      case node_kind::elem:
      case node_kind::element_type:
        return field("element", nem::name(static_cast<element>(n.detail)));
      case node_kind::quant: return field("form", nem::name(static_cast<quantization>(n.detail)));
      case node_kind::quant_field:
        if (n.detail < 6) field("field", quant_field_names[n.detail]);
        return;
      case node_kind::conformance: return field("conformance", n.detail != 0 ? "MUST" : "MAY");
      default:
        if (has_name(n.kind)) named(n);
    }
  }
  void named(const node& n) { field("name", d_.name(n.value)); }
  void field(std::string_view key, std::string_view value) { json_.key(key).string(value); }
  void real(double v) {
    json_.key("value");
    if (v <= DBL_MAX)
      json_.number(v);
    else
      json_.raw("1e999");
  }

  /// Its operators as objects, each with its operands; on one line, as it can be deep.
  void write_expression(std::uint32_t expression) {
    index_.assign(d_, expression);
    const std::uint32_t root = d_.nodes[expression].next - 1;
    parts_.clear();
    parts_.push_back({root, {}});
    while (!parts_.empty()) {
      const pending p = parts_.back();
      parts_.pop_back();
      if (p.at == no_node) {
        json_.end();
        continue;
      }
      if (!p.key.empty()) json_.key(p.key);
      const node& n = d_.nodes[p.at];
      begin(n, p.at == root ? d_.nodes[expression] : n, true);
      parts_.push_back({no_node, {}});
      if (n.kind == node_kind::negate) {
        parts_.push_back({p.at - 1, "operand"});
      } else if (is_operator(n.kind)) {
        parts_.push_back({p.at - 1, "right"});
        parts_.push_back({index_.left(p.at), "left"});
      }
    }
  }

  struct pending {
    std::uint32_t at;  ///< no_node closes an object
    std::string_view key;
  };

  const model& d_;
  json::writer json_;
  pool<std::uint32_t> open_;  // the ends of the nodes whose children are being written
  expression_index index_;
  pool<pending> parts_;
};

}  // namespace nem::detail
namespace nem {

TESSERA_INLINE text write_json(const model& d) {
  text out;
  detail::tree_writer(d, out).write();
  out << '\n';
  return out;
}

}  // namespace nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_NEM_DETAIL_SYNTAX_WRITE_JSON_HPP

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
