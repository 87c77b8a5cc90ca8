// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Tessera 0.9.0: tessera/ark.hpp and all that it includes, in one file.
//
// Made by cmake/amalgamate.cmake. To change something, change the header it comes from, then run
// `cmake --build build --target single`.

// ---- tessera/ark.hpp
//
// ARK models: JSON, one file for each rank of a model.
//
//   auto model = tessera::ark::read(source);
//   if (!model) return fail(describe(model.error(), source));
//   std::cout << tessera::ark::print(*model);
//   tessera::report found;
//   auto program = tessera::ark::verify(std::move(*model), {.source = source}, &found);
//   if (!program) return fail(describe(found, {&file, 1}));
//   auto json = tessera::ark::write(program->model(), {.to = tessera::ark::dialect::d2});
//
//   read            every dialect                                      ark/read.hpp
//   verify          the rules of one file: a report and a program      ark/verify.hpp
//   verify_ranks    the rules of all ranks together: a world           ark/ranks.hpp
//   schedule        the order in which one process runs all ranks      ark/ranks.hpp
//   write           byte for byte as the format's own serializer       ark/write.hpp
//   convert         from one dialect to another                        ark/convert.hpp
//   canonicalise    one form for all models that differ only in Ids    ark/convert.hpp
//   print           a listing, one operation per line                  ark/print.hpp
//   builder         models built in code                               ark/build.hpp
//   read_plan       a plan: how a machine runs a model; also           ark/plan.hpp
//                   verify_plan, write_plan, print, plan_model
//   describe        errors and reports with line, path and caret       core/describe.hpp
//
// Lifetime:   models own themselves; views don't convert from temporary owners.
// Errors:     values; codes and messages are listed in core/error_table_ark.hpp.
// Limits:     core/limits.hpp, on by default.
// Allocation: at most 24 × input + 64 KiB to read.


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

#ifndef TESSERA_ARK_HPP
#define TESSERA_ARK_HPP


// ---- tessera/ark/build.hpp
//
// Builds a model in code.
//
//   ark::builder b;
//   const ark::value x = b.tensor({4, 8}, ark::data_type::fp32);
//   const ark::value w = b.tensor({16, 8}, ark::data_type::fp32);
//   const ark::value y = b.relu(b.matmul(x, w, {.transpose_other = true}));   // [4,16]
//   b.reduce_sum(y, -1, {.name = "total", .keep_dim = true});
//   auto model = b.finish();                                // D3, as the format compresses it
//
// Every operation writes a fresh tensor, whose shape follows from its inputs, or the tensor `to`. It
// returns the result: a new tensor over the same memory. Use results rather than the tensors they
// were written to, because a node depends on the nodes whose results it uses.
//
//   tensor          new memory                refer, shard, reshape     views of the same memory
//   relu add …      one operation each        op                        any operation of the table
//   send recv       with their tags           send_tag recv_tag         tags for op() and packets
//
// Views are not operations; a node that uses one depends on the node that made the viewed tensor.
// Names are those given, or the Type in snake_case, made unique by "_1", "_2", …
//
// Lifetime:   the builder owns the model until finish(); values are numbers.
// Errors:     the first one is kept, and finish() returns it; later calls do nothing. The offset is
//             the number of operations before the refused one.
// Limits:     32-bit indices.
// Allocation: the model, an edge for each use of a result, and the names.

#ifndef TESSERA_ARK_BUILD_HPP
#define TESSERA_ARK_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>


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

// ---- tessera/ark/convert.hpp
//
// Equivalent forms of a model: in another dialect, or in the canonical one.
//
//   auto old = ark::convert(std::move(*model), ark::dialect::d1b);
//   if (!old) return fail(describe(old.error(), source));
//
// convert() keeps operations and their order, and tensors and buffers with their Ids:
//
//   Ops to Op        a node of several operations becomes a chain of nodes. An edge goes between the
//                    operations that share a tensor, or from the last one to the first when none
//                    do. Nodes get their indices as Ids, edges are ascending in both lists
//   Op to Ops        nodes of one operation
//   Matmul           d1a and d1b get the arguments that repeat the shapes, others lose them
//   IsExternal       d2x and d3x get `false` where there is none, others lose `false`
//   Pads             d1a gets ones, others get PaddedShape = Shape
//   spellings        IsInputColumnMajor and IsOtherColumnMajor become TransposeInput and
//                    TransposeOther; Value of ScalarAdd and ScalarMul becomes Factor
//
// canonicalise() gives one form to all models that differ only in Ids and in insignificant orders:
//
//   const auto left = ark::write(ark::canonicalise(one)), right = ark::write(ark::canonicalise(other));
//   if (*left == *right) …                      // the same model
//
//   Ids         0, 1, … in order of appearance, of tensors and of buffers; of nodes their indices
//   edges       ascending by index; Ids that no node has come last
//   tags        ascending
//   arguments   by name
//
// It keeps operations, the tensors in each list and the dialect, and drops what nothing refers to.
// The format's own serializer takes Ids from counters of its process and edges from the order of
// addresses, so two runs of one program give different texts.
//
// Lifetime:   models own themselves.
// Errors:     of convert(): what check() refuses; ark_dialect where `true` would be lost as
//             IsExternal, or padding in d1a; ark_g01, g03, g05 where no chain can be made; ark_o03
//             for a Matmul with a wrong number of tensors. The offset is that of the node.
//             canonicalise() has none: it returns a copy of a model that check() refuses.
// Limits:     none.
// Allocation: linear in the model.

#ifndef TESSERA_ARK_CONVERT_HPP
#define TESSERA_ARK_CONVERT_HPP

#include <cstdint>


// ---- tessera/ark/model.hpp
//
// An ARK model in memory: flat pools, in which each tensor and buffer is described once.
//
//   for (const ark::node& n : g.nodes)
//     for (const ark::op& o : operations(g, n))
//       for (const std::uint32_t t : reads(g, o))
//         use(name(g, o), g.tensors[t].id, layout_of(g, t).shape);
//
//   model    Rank WorldSize Nodes
//   node     Id ProducerNodeIds ConsumerNodeIds Op or Ops
//   op       Type Name IsVirtual ReadTensors WriteTensors ResultTensors Args
//   tensor   Id DataType Shape Strides Offsets PaddedShape Buffer
//   buffer   Id Rank SendTags RecvTags [IsExternal ExternalDataSize DeviceId]
//
// Files repeat a tensor in full at each of its uses; here uses are indices into `tensors`. A tensor
// Id that a file describes in two ways has two entries (which violates rule T08),
// and so have buffers. Layouts are shared among tensors.
//
// Members that the format doesn't know are kept, as JSON text, with the object that held them.
//
// Lifetime:   a model owns everything; views of its pools last until the pool grows.
// Errors:     none. Indices in a model that was read are in range; in one that was built in code,
//             verify() checks them.
// Limits:     32-bit indices.
// Allocation: pools, which double.

#ifndef TESSERA_ARK_MODEL_HPP
#define TESSERA_ARK_MODEL_HPP

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

// ---- tessera/ark/format.hpp
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

// ---- tessera/ark/detail/operation_rows.hpp
//
// The rows of ark/format.hpp: operations and their arguments.

#ifndef TESSERA_ARK_DETAIL_OPERATION_ROWS_HPP
#define TESSERA_ARK_DETAIL_OPERATION_ROWS_HPP

// X(enumerator, Type, kind, tensors read, written, result; -1: any number). The last block holds
// the known part of operations newer than D3; unknown ones keep only their name.
#define TESSERA_ARK_OP_TYPES(X)                                                                    \
  X(tensor, "Tensor", view, -1, 0, 1)                                                              \
  X(placeholder, "Placeholder", view, 0, 0, 1)                                                     \
  X(reshape, "Reshape", view, -1, 0, 1)                                                            \
  X(noop, "Noop", none, 1, 0, 0)                                                                   \
  X(add, "Add", binary, 2, 1, 1)                                                                   \
  X(sub, "Sub", binary, 2, 1, 1)                                                                   \
  X(mul, "Mul", binary, 2, 1, 1)                                                                   \
  X(div, "Div", binary, 2, 1, 1)                                                                   \
  X(rope, "Rope", binary, 2, 1, 1)                                                                 \
  X(scalar_add, "ScalarAdd", unary, 1, 1, 1)                                                       \
  X(scalar_mul, "ScalarMul", unary, 1, 1, 1)                                                       \
  X(scalar_assign, "ScalarAssign", fill, 0, 1, 1)                                                  \
  X(copy, "Copy", unary, 1, 1, 1)                                                                  \
  X(cast, "Cast", unary, 1, 1, 1)                                                                  \
  X(exp, "Exp", unary, 1, 1, 1)                                                                    \
  X(sqrt, "Sqrt", unary, 1, 1, 1)                                                                  \
  X(rsqrt, "Rsqrt", unary, 1, 1, 1)                                                                \
  X(relu, "Relu", unary, 1, 1, 1)                                                                  \
  X(sigmoid, "Sigmoid", unary, 1, 1, 1)                                                            \
  X(gelu, "Gelu", unary, 1, 1, 1)                                                                  \
  X(reduce_sum, "ReduceSum", reduce, 1, 1, 1)                                                      \
  X(reduce_max, "ReduceMax", reduce, 1, 1, 1)                                                      \
  X(reduce_mean, "ReduceMean", reduce, 1, 1, 1)                                                    \
  X(transpose, "Transpose", transpose, 1, 1, 1)                                                    \
  X(matmul, "Matmul", matmul, 2, 1, 1)                                                             \
  X(embedding, "Embedding", embedding, 2, 1, 1)                                                    \
  X(send, "Send", communication, 1, 1, 1)                                                          \
  X(send_done, "SendDone", communication, 1, 0, 1)                                                 \
  X(recv, "Recv", communication, 1, 1, 1)                                                          \
  X(send_packet, "SendPacket", communication, 1, 1, 1)                                             \
  X(recv_packet, "RecvPacket", communication, 2, 1, 1)                                             \
  X(recv_reduce_send_packet, "RecvReduceSendPacket", communication, 2, -1, 1)                      \
  X(recv_reduce_send, "RecvReduceSend", communication, 2, -1, 1)                                   \
  X(device_sync, "DeviceSync", communication, 1, 1, 1)                                             \
  X(softmax, "Softmax", unary, 1, 1, 1)                                                            \
  X(layer_norm, "LayerNorm", layer_norm, 3, 1, 1)                                                  \
  X(matmul_gelu, "MatmulGelu", matmul, 2, 1, 1)                                                    \
  X(matmul_scale, "MatmulScale", matmul, 2, 1, 1)                                                  \
  X(matmul_add, "MatmulAdd", matmul, 3, 1, 1)                                                      \
  X(mma, "Mma", matmul, 2, 1, 1)                                                                   \
  X(store, "Store", unary, 1, 1, 1)                                                                \
  X(kv_cache_slot, "KvCacheSlot", kv_cache_slot, 2, 3, 1)

// X(operation, argument, type, use): the arguments of each operation. `alias` is an older spelling
// of a required argument; `redundant` repeats what follows from the tensors.
#define TESSERA_ARK_ARGUMENTS(X)                                                                   \
  X(scalar_add, factor, float32, required)                                                         \
  X(scalar_add, value, float32, alias)                                                             \
  X(scalar_mul, factor, float32, required)                                                         \
  X(scalar_mul, value, float32, alias)                                                             \
  X(scalar_assign, value, float32, required)                                                       \
  X(scalar_assign, factor, float32, alias)                                                         \
  X(reduce_sum, axis, int32, required)                                                             \
  X(reduce_sum, keep_dim, boolean, required)                                                       \
  X(reduce_max, axis, int32, required)                                                             \
  X(reduce_max, keep_dim, boolean, required)                                                       \
  X(reduce_mean, axis, int32, required)                                                            \
  X(reduce_mean, keep_dim, boolean, required)                                                      \
  X(transpose, permutation, dims, required)                                                        \
  X(matmul, transpose_input, boolean, required)                                                    \
  X(matmul, transpose_other, boolean, required)                                                    \
  X(matmul, is_input_column_major, boolean, alias)                                                 \
  X(matmul, is_other_column_major, boolean, alias)                                                 \
  X(matmul, input_dim_nc, dims, redundant)                                                         \
  X(matmul, other_dim_nc, dims, redundant)                                                         \
  X(matmul, padded_shape_mnk, dims, redundant)                                                     \
  X(matmul, shape_mnk, dims, redundant)                                                            \
  X(matmul, strides_acdb, dims, redundant)                                                         \
  X(matmul_gelu, transpose_input, boolean, required)                                               \
  X(matmul_gelu, transpose_other, boolean, required)                                               \
  X(matmul_scale, transpose_input, boolean, required)                                              \
  X(matmul_scale, transpose_other, boolean, required)                                              \
  X(matmul_scale, scale, float32, required)                                                        \
  X(matmul_add, transpose_input, boolean, required)                                                \
  X(matmul_add, transpose_other, boolean, required)                                                \
  X(mma, transpose_input, boolean, required)                                                       \
  X(mma, transpose_other, boolean, required)                                                       \
  X(send_packet, flag, uint32, required)                                                           \
  X(recv_packet, flag, uint32, required)                                                           \
  X(recv_reduce_send_packet, flag, uint32, required)                                               \
  X(recv_reduce_send_packet, n_peers, uint32, required)                                            \
  X(recv_reduce_send_packet, rank, int32, required)                                                \
  X(recv_reduce_send, n_peers, uint32, required)                                                   \
  X(recv_reduce_send, rank, int32, required)                                                       \
  X(device_sync, rank, int32, required)                                                            \
  X(device_sync, peer_num, int32, required)

#endif  // TESSERA_ARK_DETAIL_OPERATION_ROWS_HPP

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


#endif  // TESSERA_ARK_FORMAT_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

inline constexpr std::uint32_t none = 0xffffffff;  ///< no index
inline constexpr std::size_t max_rank = 4;         ///< maximum dimensions of a tensor

/// A range of model::characters.
struct string {
  /// Its first character and how many there are.
  std::uint32_t first = 0, size = 0;
};
/// A range of one of the pools.
struct range {
  /// The first element and how many there are.
  std::uint32_t first = 0, count = 0;
};

/// Where the elements of a tensor lie in its buffer (specification, "Tensor"). `strides` are the
/// dimensions of the memory, not distances: element (i, j) of two dimensions is number
/// (offsets[0] + i) * strides[1] + offsets[1] + j, counted from the start of the buffer. Dimensions
/// from `rank` on are 1, and offsets 0.
struct layout {
  std::int64_t shape[max_rank] = {1, 1, 1, 1};         ///< of the tensor
  std::int64_t strides[max_rank] = {1, 1, 1, 1};       ///< of the memory; see above
  std::int64_t offsets[max_rank] = {0, 0, 0, 0};       ///< in elements, of each dimension
  std::int64_t padded_shape[max_rank] = {1, 1, 1, 1};  ///< with the padding
  std::uint32_t rank = 0;                              ///< how many dimensions count
  std::uint32_t pads = none;  ///< D1a: its Pads, `rank` numbers in model::integers; else none
};
/// Whether all four lists and the rank are the same.
[[nodiscard]] constexpr bool same_dimensions(const layout& a, const layout& b) noexcept {
  bool same = a.rank == b.rank;
  for (std::size_t d = 0; d < max_rank; ++d)
    same = same && a.shape[d] == b.shape[d] && a.strides[d] == b.strides[d] &&
           a.offsets[d] == b.offsets[d] && a.padded_shape[d] == b.padded_shape[d];
  return same;
}

/// A patch of a buffer, under an Id of its own (specification, "Tensor").
struct tensor {
  std::int64_t id = 0;               ///< in the file; unique among tensors
  std::uint32_t layout = 0;          ///< in model::layouts
  std::uint32_t buffer = 0;          ///< in model::buffers
  std::uint32_t members = none;      ///< unknown members
  data_type type = data_type::fp32;  ///< of its elements
};

/// A tag, which matches a send with its receive: [RemoteRank, Tag] (specification, "Buffer").
struct tag {
  /// The other rank, and the number that the send and its receive share.
  std::int32_t rank = 0, number = 0;
  friend constexpr bool operator==(const tag&, const tag&) = default;
};

/// IsExternal: not in the file, false or true.
enum class external : std::uint8_t { absent, no, yes };  ///< IsExternal

/// Memory that tensors lie in (specification, "Buffer").
struct buffer {
  std::int64_t id = 0;           ///< in the file; tensors refer to it
  std::int32_t rank = -1;        ///< which rank holds it; -1: this file's
  range send_tags, recv_tags;    ///< in model::tags
  std::uint32_t members = none;  ///< unknown members, ExternalDataSize and DeviceId among them
  ark::external external = external::absent;  ///< whether a caller provides the memory
};

/// {"name": {"TYPE": value}}. The value is in the field that the TYPE calls for.
struct argument {
  argument_name name = argument_name::other;  ///< of the table; `other`: see other_name
  argument_type type = argument_type::other;  ///< decides which of the values below counts
  string other_name;                          ///< when `name` is other
  string token;    ///< float32: the number as the file has it, if any; other: JSON
  float real = 0;  ///< float32
  range integers;  ///< dims: up to four; offset: BufferId and Value; in model::integers
  std::int64_t integer =
      0;  ///< int32, int64, uint32, uint64 (its bits), boolean; tensor: its index
};

/// How Args were written: as an object, or in one of the two tolerated forms of an empty one.
enum class args_form : std::uint8_t { object, null, array };

/// One operation (specification, "Op").
struct op {
  op_type type = op_type::unknown;     ///< of the table; `unknown`: see unknown_type
  bool is_virtual = false;             ///< IsVirtual: computes nothing
  args_form args = args_form::object;  ///< as the file has them
  string unknown_type;                 ///< the Type when it isn't in the table
  string name;                         ///< Name; may be empty
  std::uint32_t first_use = 0;         ///< in model::uses: read, then written, then result tensors
  /// How many tensors each list has.
  std::uint32_t reads = 0, writes = 0, results = 0;
  range arguments;               ///< in model::arguments, in the file's order
  std::uint32_t members = none;  ///< unknown members
};

/// One node (specification, "Node").
struct node {
  std::int64_t id = 0;           ///< in the file
  std::uint64_t offset = 0;      ///< of its text in the file
  range producers, consumers;    ///< Ids, in model::integers
  range ops;                     ///< in model::ops
  std::uint32_t members = none;  ///< unknown members
};

/// A member that the format doesn't know: a list for each object, in the file's order.
struct member {
  string key;                 ///< as the file has it, unescaped
  string value;               ///< JSON, compact
  std::uint32_t next = none;  ///< in model::members
};

/// A model graph of one rank, not yet verified. Rows refer to each other by indices.
struct model {
  std::int32_t rank = 0;             ///< which rank of the model this file is
  std::int32_t world_size = 1;       ///< how many ranks it has
  dialect form = dialect::d3;        ///< the dialect of the file
  std::uint32_t own_members = none;  ///< unknown members of the root

  pool<node> nodes;             ///< in the file's order
  pool<op> ops;                 ///< of all nodes
  pool<std::uint32_t> uses;     ///< indices of tensors, as operations list them
  pool<argument> arguments;     ///< of all operations
  pool<tensor> tensors;         ///< each distinct one once
  pool<layout> layouts;         ///< each distinct one once
  pool<buffer> buffers;         ///< each distinct one once
  pool<tag> tags;               ///< of all buffers
  pool<std::int64_t> integers;  ///< edges, dimensions of arguments, pads
  pool<member> members;         ///< unknown ones, of all objects
  text characters;              ///< of all strings

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept;
};

/// The characters of a string. Borrows from the model.
[[nodiscard]] inline std::string_view text_of(const model& g, string s) noexcept {
  return {g.characters.data() + s.first, s.size};
}
/// An error in a row that was read, at its offset in the file, or in one that was built in code, by its
/// index: as no row takes less than a byte, the offset of what was read is above its index.
template <class Row>
[[nodiscard]] error error_in(const pool<Row>& rows, const Row& row, errc code,
                             error_index kind) noexcept {
  const auto index = static_cast<std::uint64_t>(&row - rows.data());
  return row.offset > index ? error{code, row.offset} : error{code, index, kind};
}

/// The operations of a node. Borrows.
[[nodiscard]] inline view<op> operations(const model& g, const node& n) noexcept {
  return {g.ops.data() + n.ops.first, n.ops.count};
}
/// The numbers of a range of model::integers. Borrows.
[[nodiscard]] inline view<std::int64_t> integers(const model& g, range r) noexcept {
  return {g.integers.data() + r.first, r.count};
}
/// The tensors that an operation reads: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> reads(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use, o.reads};
}
/// The tensors that an operation writes: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> writes(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use + o.reads, o.writes};
}
/// The tensors that an operation results in: indices of model::tensors. Borrows.
[[nodiscard]] inline view<std::uint32_t> results(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use + o.reads + o.writes, o.results};
}
/// All three lists, in this order.
[[nodiscard]] inline view<std::uint32_t> uses(const model& g, const op& o) noexcept {
  return {g.uses.data() + o.first_use, std::size_t{o.reads} + o.writes + o.results};
}
/// The arguments of an operation, in the file's order. Borrows.
[[nodiscard]] inline view<argument> arguments(const model& g, const op& o) noexcept {
  return {g.arguments.data() + o.arguments.first, o.arguments.count};
}
/// The tags of a range of model::tags. Borrows.
[[nodiscard]] inline view<tag> tags(const model& g, range r) noexcept {
  return {g.tags.data() + r.first, r.count};
}
/// The layout of the tensor of that index.
[[nodiscard]] inline const layout& layout_of(const model& g, std::uint32_t tensor) noexcept {
  return g.layouts[g.tensors[tensor].layout];
}
/// The buffer of the tensor of that index.
[[nodiscard]] inline const buffer& buffer_of(const model& g, std::uint32_t tensor) noexcept {
  return g.buffers[g.tensors[tensor].buffer];
}
/// The Name of an operation. Borrows.
[[nodiscard]] inline std::string_view name(const model& g, const op& o) noexcept {
  return text_of(g, o.name);
}
/// The Type as files spell it.
[[nodiscard]] inline std::string_view type_name(const model& g, const op& o) noexcept {
  return o.type == op_type::unknown ? text_of(g, o.unknown_type) : info(o.type).name;
}
/// The name of an argument as files spell it. Borrows.
[[nodiscard]] std::string_view name(const model& g, const argument& a) noexcept;
/// The argument of that name, or null.
[[nodiscard]] const argument* find_argument(const model& g, const op& o,
                                            argument_name name) noexcept;
/// Whether this rank holds the buffer.
[[nodiscard]] inline bool is_local(const model& g, const buffer& b) noexcept {
  return b.rank == -1 || b.rank == g.rank;
}

/// Fills a model's tables of strings, layouts, buffers and tensors, each description once. Readers
/// and builders share it. Ids that were given in order cost an array access; any others a walk of
/// at most 64 steps, whatever they are.
class interner {
 public:
  /// Adds to `g`, which must outlive it.
  explicit interner(model& g) noexcept : model_(g) {}
  interner(const interner&) = delete;  // its journal points into it
  interner& operator=(const interner&) = delete;

  /// Copies characters.
  [[nodiscard]] string characters(std::string_view s);
  /// The layout's index.
  [[nodiscard]] std::uint32_t layout(const ark::layout& l);
  /// The buffer's index; its tags are the last of model::tags, from `first_tag` on, and are removed
  /// again if the buffer is known.
  [[nodiscard]] std::uint32_t buffer(const ark::buffer& b, std::size_t first_tag);
  /// The tensor's index.
  [[nodiscard]] std::uint32_t tensor(const ark::tensor& t);
  /// The tensor or buffer that was added last under an Id, or `none`.
  [[nodiscard]] std::uint32_t find_tensor(std::int64_t id) const noexcept {
    return tensor_ids_.find(id);
  }
  /// The buffer that was added last under an Id, or `none`.
  [[nodiscard]] std::uint32_t find_buffer(std::int64_t id) const noexcept {
    return buffer_ids_.find(id);
  }
  /// How many layouts have lost their place to another one of the same hash. While it stays the same,
  /// layout() finds what it found before.
  [[nodiscard]] std::uint32_t replaced_layouts() const noexcept { return replaced_layouts_; }

  /// The sizes of all the model's pools.
  struct mark {
    /// How many elements each pool has.
    std::size_t nodes, ops, uses, arguments, tensors, layouts, buffers, tags, integers, members,
        characters, changes;
  };
  /// From now on, until this is called again, go_back() can undo what is added.
  [[nodiscard]] mark set_mark() noexcept;
  /// One more place to go back to, after set_mark().
  [[nodiscard]] mark inner_mark() const noexcept;
  /// Cuts all pools back to where they were at a mark. Inner marks after it are void.
  void go_back(const mark& to);

  /// Whether a pool exceeded 32-bit indices; the model is then invalid.
  [[nodiscard]] bool overflown() const noexcept { return overflown_; }
  /// A pool's size as an index.
  [[nodiscard]] std::uint32_t index(std::size_t size) noexcept;

 private:
  /// The entry that was added last for an Id. Ids near the first one, as far as there are as many,
  /// index an array; the others are in a digital search tree over their bits, mixed, whose depth
  /// can't exceed 64.
  class id_map {
   public:
    [[nodiscard]] std::uint32_t& latest(std::int64_t id);
    [[nodiscard]] std::uint32_t find(std::int64_t id) const noexcept;

   private:
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t number) noexcept;
    struct leaf {
      std::int64_t id;
      std::uint32_t child[2];
      std::uint32_t entry;
    };
    pool<std::uint32_t> dense_;
    pool<leaf> tree_;
    std::uint64_t lookups_ = 0, base_ = 0;
  };

  /// Before `latest`, the entry of a key, changes.
  void note(id_map& map, std::int64_t key, std::uint32_t latest) {
    if (noting_ && latest != none) journal_.push_back({&map, key, latest});
  }

  [[nodiscard]] static std::uint64_t hash_of(const ark::layout& l) noexcept;
  [[nodiscard]] static std::size_t recent_slot(std::uint64_t hash) noexcept {
    return to_size(hash >> 52);
  }

  [[nodiscard]] bool same(const ark::layout& a, const ark::layout& b) const noexcept;
  [[nodiscard]] bool same(const ark::buffer& a, const ark::buffer& b) const noexcept;
  [[nodiscard]] bool same_members(std::uint32_t a, std::uint32_t b) const noexcept;
  [[nodiscard]] bool same(range a, range b) const noexcept;

  /// An entry of a map that another has replaced.
  struct change {
    id_map* map;
    std::int64_t key;
    std::uint32_t entry;
  };

  static constexpr std::size_t recent_layouts = 4096;
  ark::model& model_;
  id_map tensor_ids_, buffer_ids_, layout_hashes_;
  pool<std::uint32_t> recent_;  // indices + 1, by hash; to find most layouts at once
  pool<change> journal_;        // since the mark
  std::uint32_t replaced_layouts_ = 0;
  bool noting_ = false;  // a mark is set
  bool overflown_ = false;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_MODEL_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether the model can be written in its dialect: one operation per node without "Ops", no
/// padding where there are "Pads".
[[nodiscard]] bool in_dialect(const model& g) noexcept;

namespace detail {

/// An edge between two nodes, by their indices.
struct edge {
  std::uint32_t from, to;
};

}  // namespace detail

/// The same operations in the same order, as another dialect writes them. A model that is already in
/// that dialect is returned unchanged.
[[nodiscard]] result<model> convert(model m, dialect to);

/// The canonical form of a model.
[[nodiscard]] model canonicalise(const model& m);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_CONVERT_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// A tensor of a builder: its index in model::tensors, which is its Id too.
struct value {
  std::uint32_t index = none;  ///< `none`: no tensor
};

/// Up to four dimensions; a longer list is kept as too long.
struct dims {
  std::int64_t at[max_rank] = {};  ///< the first `count`
  std::uint32_t count = 0;         ///< more than max_rank: too long

  constexpr dims() noexcept = default;
  /// A list such as {2, 3, 4}.
  constexpr dims(std::initializer_list<std::int64_t> list) noexcept {
    for (const std::int64_t v : list) {
      if (count < max_rank) at[count] = v;
      ++count;
    }
  }
};

/// An argument for builder::op.
struct setting {
  argument_name name = argument_name::other;  ///< a name of the table
  argument_type type = argument_type::int32;  ///< decides which of the values below counts
  std::int64_t integer = 0;                   ///< of integers and booleans
  float real = 0;                             ///< of float32
  ark::dims dims = {};                        ///< of dims
};

/// What most operations can be given besides their operands.
struct op_options {
  std::string_view name = {};        ///< of the operation; empty: made from its Type
  value to = {};                     ///< the output, if not a fresh tensor
  view<value> writes = {};           ///< the same, for operations that write several
  view<setting> args = {};           ///< for builder::op
  data_type type = data_type::fp32;  ///< for builder::op: of a fresh tensor that Cast writes
};

/// The layout of a tensor, where it isn't the plain case.
struct tensor_options {
  dims strides = {};       ///< default: PaddedShape; for refer(), those of the viewed tensor
  dims offsets = {};       ///< else zeros
  dims padded_shape = {};  ///< else the shape
  std::int32_t rank = -1;  ///< the owner; of another rank: a remote buffer
};

/// The options of a reduction along an axis.
struct reduce_options {
  std::string_view name = {};  ///< of the operation; empty: made from its Type
  value to = {};               ///< the output, if not a fresh tensor
  bool keep_dim = true;        ///< keep the reduced dimension, as 1
};
/// The options of a matrix product.
struct matmul_options {
  std::string_view name = {};  ///< of the operation; empty: made from its Type
  value to = {};               ///< the output, if not a fresh tensor
  /// Transpose the last two dimensions of that operand.
  bool transpose_input = false, transpose_other = false;
};

/// Builds the model of one rank, one node for each operation, in the order of the calls.
class builder {
 public:
  /// For rank `rank` of `world_size`.
  explicit builder(std::int32_t rank = 0, std::int32_t world_size = 1);
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;

  /// New memory.
  value tensor(const dims& shape, data_type type, const tensor_options& o = {});
  /// Another view of the memory of `of`.
  value refer(value of, const dims& shape, const tensor_options& o = {});
  /// Equal parts along an axis, `size` each.
  pool<value> shard(value of, std::int32_t axis, std::int64_t size);
  /// The same elements in another shape; they must be contiguous.
  value reshape(value of, const dims& shape);

  // clang-format off
  /// Element-wise on one tensor.
  ///@{
  value copy(value a, const op_options& o = {}) { return op(op_type::copy, {a}, o); }
  value exp(value a, const op_options& o = {}) { return op(op_type::exp, {a}, o); }
  value sqrt(value a, const op_options& o = {}) { return op(op_type::sqrt, {a}, o); }
  value rsqrt(value a, const op_options& o = {}) { return op(op_type::rsqrt, {a}, o); }
  value relu(value a, const op_options& o = {}) { return op(op_type::relu, {a}, o); }
  value sigmoid(value a, const op_options& o = {}) { return op(op_type::sigmoid, {a}, o); }
  value gelu(value a, const op_options& o = {}) { return op(op_type::gelu, {a}, o); }
  ///@}
  /// Element-wise on two tensors, which are broadcast.
  ///@{
  value add(value a, value b, const op_options& o = {}) { return op(op_type::add, {a, b}, o); }
  value sub(value a, value b, const op_options& o = {}) { return op(op_type::sub, {a, b}, o); }
  value mul(value a, value b, const op_options& o = {}) { return op(op_type::mul, {a, b}, o); }
  value div(value a, value b, const op_options& o = {}) { return op(op_type::div, {a, b}, o); }
  ///@}
  /// Rotary position embedding of `x` by the factors `f`.
  value rope(value x, value f, const op_options& o = {}) { return op(op_type::rope, {x, f}, o); }
  /// Rows of `table` by the indices `rows`.
  value embedding(value rows, value table, const op_options& o = {}) { return op(op_type::embedding, {rows, table}, o); }
  /// Every element and the number `f`.
  ///@{
  value scalar_add(value a, float f, const op_options& o = {}) { return scalar(op_type::scalar_add, a, f, o); }
  value scalar_mul(value a, float f, const op_options& o = {}) { return scalar(op_type::scalar_mul, a, f, o); }
  ///@}
  /// Reduces an axis; -1 is the last.
  ///@{
  value reduce_sum(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_sum, a, axis, o); }
  value reduce_max(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_max, a, axis, o); }
  value reduce_mean(value a, std::int32_t axis, const reduce_options& o = {}) { return reduce(op_type::reduce_mean, a, axis, o); }
  ///@}
  // clang-format on
  /// Every element as another type.
  value cast(value a, data_type to, op_options o = {});
  /// Every element of `to` becomes `v`.
  value scalar_assign(value to, float v, op_options o = {});
  /// Dimension i of the result is dimension permutation[i] of `a`.
  value transpose(value a, const dims& permutation, const op_options& o = {});
  /// The matrix product of the last two dimensions; those before are broadcast.
  value matmul(value a, value b, const matmul_options& o = {});
  /// Keeps `a` alive; has no result.
  void noop(value a, const op_options& o = {}) { (void)op(op_type::noop, {a}, o); }

  /// Copies `data` into memory of rank `to_rank`: a fresh remote buffer, unless `to` is given.
  value send(value data, std::int32_t to_rank, std::int32_t tag, op_options o = {});
  /// Waits until the send has completed.
  value send_done(value sent, const op_options& o = {}) {
    return op(op_type::send_done, {sent}, o);
  }
  /// Waits until rank `from_rank` has written `to`.
  value recv(value to, std::int32_t from_rank, std::int32_t tag, op_options o = {});
  /// A barrier of all ranks.
  value device_sync(value a, op_options o = {});
  /// A tag for the buffer of `of`: that it is sent to rank `rank`.
  void send_tag(value of, std::int32_t rank, std::int32_t number) { add_tag(of, 0, rank, number); }
  /// A tag for the buffer of `of`: that it is received from rank `rank`.
  void recv_tag(value of, std::int32_t rank, std::int32_t number) { add_tag(of, 1, rank, number); }

  /// Any operation of the table, with its arguments in options.args.
  value op(op_type type, std::initializer_list<value> reads, const op_options& o = {}) {
    return op(type, {reads.begin(), reads.size()}, o);
  }
  /// Any operation of the table, with its arguments in options.args.
  value op(op_type type, view<value> reads, const op_options& o);

  /// The first error of any call.
  [[nodiscard]] tessera::error error() const noexcept { return error_; }
  /// The model. Later calls fail.
  [[nodiscard]] result<model> finish();

 private:
  struct pending_tag {
    std::uint32_t buffer, list;  // 0: sends, 1: receives
    tag what;
  };
  struct base_name {
    string name;
    std::uint32_t uses;
  };

  value fail(errc code);
  [[nodiscard]] bool known(value v);
  [[nodiscard]] bool other_rank(std::int32_t rank);
  [[nodiscard]] bool normalise(std::int32_t& axis, std::uint32_t rank);
  [[nodiscard]] static setting boolean(argument_name name, bool v) noexcept {
    return {.name = name, .type = argument_type::boolean, .integer = v ? 1 : 0};
  }

  /// The layout for a shape and options, of a view of `shown` if there is one.
  [[nodiscard]] bool place(const dims& shape, const tensor_options& o, const layout* shown,
                           data_type type, layout& l);
  std::uint32_t add_buffer(std::int32_t rank);
  value add_tensor(const layout& l, data_type type, std::uint32_t buffer, std::uint32_t maker);
  void add_tag(value of, std::uint32_t list, std::int32_t rank, std::int32_t number) {
    if (known(of)) tags_.push_back({model_.tensors[of.index].buffer, list, {rank, number}});
  }

  value with(op_type type, view<value> reads, op_options o, const setting* s, std::size_t count);
  value scalar(op_type type, value a, float f, const op_options& o);
  value reduce(op_type type, value a, std::int32_t axis, const reduce_options& o);

  value append(op_type type, view<value> reads, const pool<value>& written, const op_options& o);

  /// The name, or the Type in snake_case, with a number appended from the second use on.
  [[nodiscard]] string unique_name(op_type type, std::string_view given);
  [[nodiscard]] std::size_t find_base(std::string_view base) const noexcept;
  void grow_bases();

  model model_;
  interner names_{model_};
  pool<std::uint32_t> maker_;  // of each tensor: the node whose result it is, or shows
  pool<detail::edge> edges_;
  pool<pending_tag> tags_;
  pool<base_name> bases_;  // an open hash table: base names and how often each was used
  std::size_t bases_used_ = 0;
  tessera::error error_;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_BUILD_HPP

// ---- tessera/ark/check.hpp
//
// Whether a file could hold a model: the precondition of writers and converters, which check it.
//
//   if (const error e = ark::check(model); e.code != errc::ok) return e;
//
// Every model from read() passes. For one that was built in code:
//
//   indices     outside their pools, or lists of members that don't ascend      ark_too_large
//   numbers     negative Ids, Rank not below WorldSize, INT beyond 32 bits       ark_s*, ark_o05
//   floats      not finite, and without a token                                 ark_not_finite
//   names       not UTF-8                                                       json_bad_utf8
//   arguments   the same name twice                                             json_duplicate_key
//
// Lifetime:   borrows for the call.
// Errors:     at the node, by its offset or index (see error_in).
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_CHECK_HPP
#define TESSERA_ARK_CHECK_HPP


namespace tessera::inline TESSERA_ABI {
namespace ark {

/// Whether writing the model and reading that text again would give this model. write() itself finds
/// what shows only in the text, such as a kept member that is no JSON.
[[nodiscard]] error check(const model& g);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_CHECK_HPP

// ---- tessera/ark/plan.hpp
//
// Plans: how a machine runs a model. Operations cut into tiles, and who computes them.
//
//   auto plan = ark::read_plan(source);
//   if (!plan) return fail(describe(plan.error(), source));
//   tessera::report found;
//   const error e = ark::verify_plan(*plan, {.model = &*program, .source = source}, &found);
//   std::cout << ark::print(*plan);
//   auto text = ark::write_plan(*plan);
//
//   plan             Rank WorldSize [Architecture] NumProcessors NumWarpsPerProcessor TaskInfos
//                    ProcessorGroups
//   task             Id NumWarps SramBytes Ops: operations of the model, each with its Config
//   Config           NumWarps SramBytes NumTasks [Tile TileShapeMNK ImplType ChannelType …]
//   processor group  ProcessorRange ResourceGroups
//   resource group   ProcessorRange WarpRange SramRange TaskGroups
//   task group       TaskId TaskRange Granularity
//   range            [begin, end] or [begin, end, step]; `end` is exclusive
//
// Older files have no Architecture, and some that were edited by hand have it after
// NumWarpsPerProcessor. A plan keeps that, unknown members of every object, and null for the lists
// that older planners wrote for an empty model. It keeps each Config whole, as compact JSON, and the
// values in it that are known; values of an unexpected form count as absent.
//
// Lifetime:   a plan owns itself.
// Errors:     of read_plan(): those of read() for operations; ark_plan_member, ark_plan_range and
//             ark_plan_config at the wrong value, or at the object that lacks a member.
// Limits:     read_options and plan_options.
// Allocation: at most 16 × input + 64 KiB to read hostile text; about the input for real files.

#ifndef TESSERA_ARK_PLAN_HPP
#define TESSERA_ARK_PLAN_HPP

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

// ---- tessera/ark/print.hpp
//
// A listing of a model: one line per operation, with its tensors, arguments, name and edges.
//
//   tessera::text listing = ark::print(*model);
//
//   ark D3: rank 0 of 2, 3 nodes, 3 operations, 9 tensors, 6 buffers
//   %2 = ReduceSum(%0 FP16[3,10] @0) -> %1 FP16[3,1] @1 {Axis=1, KeepDim=true}  # node 0 "sum" -> 1
//   %4 FP16[3,1] of [4,8] at [1,0] @2 = Tensor(%2 FP16[3,1] @1)  # node 1 "view" <- 0
//   %6 = Send(%2 FP16[3,1] @1) -> %5 FP16[3,1] @3:rank1  # node 2 "send"
//   @1: sends [1,-2147483648]
//   @3: rank 1, receives [-1,-2147483648]
//
//   %ID TYPE[Shape]     of [Strides], at [Offsets], padded [PaddedShape], pads [Pads]: each only where
//                       it isn't the plain case. A result without them is the same view as the first
//                       tensor that is written
//   @ID                 the buffer; those that aren't plain local ones are listed at the end
//   {Name=value}        arguments in file order; with their TYPE if it isn't the expected one
//   node 3.1            the second operation of node 3; <- its producers, -> its consumers
//
// Lifetime:   the text owns itself.
// Errors:     none. For a model that check() refuses: the first line, with the error's name.
// Limits:     none.
// Allocation: the text.

#ifndef TESSERA_ARK_PRINT_HPP
#define TESSERA_ARK_PRINT_HPP


namespace tessera::inline TESSERA_ABI {
namespace ark {

struct print_options {};  // reserved for later options

/// The listing of a model.
[[nodiscard]] text print(const model& m, const print_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_PRINT_HPP

// ---- tessera/ark/read.hpp
//
// Reads ARK models.
//
//   auto model = ark::read(source);
//   if (!model) return fail(describe(model.error(), source));
//   model->form;                         // dialect::d2, found from the content
//
//   {"Rank": 0, "WorldSize": 1, "Nodes": [
//     {"Id": 0, "ProducerNodeIds": [], "ConsumerNodeIds": [1], "Op": {
//        "Type": "Relu", "Name": "relu", "IsVirtual": false,
//        "ReadTensors": [{"Id": 0, "DataType": "FP32", "Shape": [4, 8], "Strides": [4, 8],
//                         "Offsets": [0, 0], "PaddedShape": [4, 8],
//                         "Buffer": {"Id": 0, "Rank": -1, "SendTags": [], "RecvTags": []}}],
//        "WriteTensors": […], "ResultTensors": […], "Args": {"Axis": {"INT": 1}}}}]}
//
// Every dialect is read (see format.hpp), members in any order. Reading refuses what a model
// can't represent; verify() decides about the rest.
//
//   kept       operations of unknown Type, unknown members of every object (as compact JSON), number
//              tokens of FLOAT arguments, arguments whose value isn't {TYPE: value} of a known TYPE
//   tolerated  null and [] in place of empty Args, an integer in place of an OFFSET object, a BOM
//   refused    more than four dimensions, lists of dimensions that differ in length, unknown
//              DataTypes, tags that aren't pairs, fractions and exponents in integers
//
// Lifetime:   the model owns itself.
// Errors:     json_*, and ark_s*, ark_t01, ark_t06, ark_b03 at the value that is wrong, or at the
//             object that lacks a member; too_many_items, input_too_large, ark_too_large.
// Limits:     max_bytes; max_items for every list; max_depth.
// Allocation: at most 24 × input + 64 KiB, for hostile text; about half of the input for real files.

#ifndef TESSERA_ARK_READ_HPP
#define TESSERA_ARK_READ_HPP

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
namespace ark {

/// Ways to read, which differ only in speed: `best` compares text with text that was read before (see
/// detail/read_fast.hpp), and falls back to `plain`.
enum class read_path : std::uint8_t { plain, best };

/// How to read, and how much.
struct read_options {
  limits limit = {};                 ///< of bytes, items and depth
  read_path path = read_path::best;  ///< `plain` is for tests
};

/// Reads a model of any dialect.
[[nodiscard]] result<model> read(std::string_view source, const read_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_READ_HPP

// ---- tessera/ark/verify.hpp
//
// Proves that a model can run: the rules S, G, T, B, O and C.
//
//   tessera::report found;
//   auto program = ark::verify(std::move(*model), {.source = source}, &found);
//   const tessera::source_file file{"model.json", source};
//   std::cerr << describe(found, {&file, 1});
//   if (!program) …                       // program.error() is the first error
//
//   model.json:1:812: error: producer 99 does not exist
//     [G03] at $.Nodes[3].ProducerNodeIds[0], offset 811
//     …
//
// Rule ids are a letter for the subject (S structure, G graph, T tensors, B buffers, O operations,
// C communication, M models of many ranks) and a number. A verified program guarantees
// (specification, "Node" to "Buffer"):
//
//   graph       edges name nodes, are listed by both of their nodes and form no cycle; a tensor is
//               the result of one operation, which precedes all that use it; the array's order can
//               run
//   tensors     1 <= Shape <= PaddedShape, Offsets + PaddedShape <= Strides, fewer than 2^63 bytes;
//               one description for each Id, of tensors and of buffers
//   operations  of a known Type: their tensors, DataTypes, shapes, arguments (see argument_of); the
//               result is the view that was written
//   messages    remote buffers, tags, packets and peers match as far as one file shows
//
// Not checked: operations of unknown Type (unless strict), the rows that a lookup asks for, division
// of integers by zero. Reads and writes may overlap (warning O14), except in reductions.
//
// Lifetime:   a program owns its model.
// Errors:     that of the first diagnostic that is an error; ark_pool_index for a model with indices
//             out of range, which reading never makes.
// Limits:     verify_options.
// Allocation: linear in the model: about 80 bytes for each operation with its tensors and edges.

#ifndef TESSERA_ARK_VERIFY_HPP
#define TESSERA_ARK_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


namespace tessera::inline TESSERA_ABI {
namespace ark {

class program;

/// How strict to be, what to look for, and how much is reported.
struct verify_options {
  bool strict = false;   ///< unknown Types are errors, unknown members warnings
  bool fp8 = false;      ///< FP8 data types are warnings rather than errors
  bool of_plan = false;  ///< the model is a plan's (plan_model): T08 and G10 are warnings
  bool hazards = true;   ///< look for accesses that no dependency orders (rule G14)
  std::uint64_t hazard_steps = std::uint64_t{1} << 24;  ///< limit for G14; see report::is_bounded
  std::uint64_t max_diagnostics = 1000;                 ///< how many a report keeps
  std::string_view source = {};  ///< the text that was read, for exact offsets; without it they are
                                 ///< those of nodes
};

/// Verifies one file. `found` receives all diagnostics.
[[nodiscard]] result<program> verify(model m, const verify_options& options = {},
                                     report* found = nullptr);

/// A verified model. Only verify() makes one.
class program {
 public:
  /// The model that was verified. Borrows from the program.
  [[nodiscard]] const ark::model& model() const& noexcept { return model_; }
  const ark::model& model() const&& = delete;
  /// Moves the model out.
  [[nodiscard]] ark::model release() && noexcept { return std::move(model_); }

  /// Entries of model().buffers with the same Id share their memory: the first of them.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return storages_[buffer];
  }
  /// Bytes of the memory of a storage: what its largest tensor needs (specification, "Buffer"); 0
  /// for other entries.
  [[nodiscard]] std::uint64_t bytes(std::uint32_t storage) const noexcept {
    return bytes_[storage];
  }

 private:
  friend result<program> verify(ark::model m, const verify_options& options, report* found);
  program() = default;

  ark::model model_;
  pool<std::uint32_t> storages_;  // of each buffer
  pool<std::uint64_t> bytes_;     // of each buffer; 0 where another is the storage
};

/// The id of the rule that a code of reading or verifying is for, such as "G06"; empty for others.
class rule {
 public:
  /// Of any code.
  explicit rule(errc code) noexcept;
  /// The rule's id. Borrows.
  [[nodiscard]] std::string_view id() const noexcept { return {id_, size_}; }

 private:
  void set(std::string_view id) noexcept {
    for (const char c : id) id_[size_++] = c;
  }
  char id_[3] = {};
  std::size_t size_ = 0;
};

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_VERIFY_HPP

// ---- tessera/ark/write.hpp
//
// Writes a model: byte for byte the text of the format's own serializer.
//
//   auto text = ark::write(*model);                                      // D3, pretty
//   auto same = ark::write(*model, {.to = model->form, .pretty = false});  // its own dialect
//   if (!text) return fail(describe(text.error(), source));
//   std::cout << *text;
//
//   compact   no white space, no newline at the end
//   pretty    two spaces per level, "key": value, a newline at the end. A child is on one line,
//             compact, when it is a scalar or an array that begins with a number, and below the
//             levels of its dialect (format.hpp): tensors from D2 on, buffers always
//   order     members in the order of the dialect, unknown ones last; arguments by name
//   FLOAT     the token that was read, else the shortest digits of the value as a double, plain for
//             1e-4 <= |v| < 1e15
//
// Text from the format's own serializer survives read() and write() in its own dialect. Lists of
// edges stay in their order; canonicalise() sorts them. To change a FLOAT that was read, set its
// `token` to nothing, too.
//
// Lifetime:   the text owns itself.
// Errors:     what check() and convert() refuse; json_* for a kept value that is no JSON. The offset
//             is that of the node in the text that was read.
// Limits:     none.
// Allocation: the text, at most twice its length, and 8 bytes for each tensor, layout and buffer.

#ifndef TESSERA_ARK_WRITE_HPP
#define TESSERA_ARK_WRITE_HPP


namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What text to write.
struct write_options {
  dialect to = dialect::d3;  ///< converted to it if the model is of another dialect
  bool pretty = true;        ///< spread over lines, else one line
};

/// The text of a model, converted first if its dialect isn't `to`.
[[nodiscard]] result<text> write(const model& g, const write_options& options = {});

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_WRITE_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

/// begin, begin + step, … below end. The format's own code generator takes every step for 1.
struct plan_range {
  /// The first, the end, and the distance.
  std::int64_t begin = 0, end = 0, step = 1;
  bool has_step = false;  ///< the file has the step

  /// How many there are when the step is 1.
  [[nodiscard]] constexpr std::int64_t count() const noexcept {
    return end > begin ? end - begin : 0;
  }
  /// Whether all of it lies in `outer`. An empty range does where its ends do.
  [[nodiscard]] constexpr bool inside(const plan_range& outer) const noexcept {
    return begin >= outer.begin && end <= outer.end;
  }
};

/// A member that is not in the file, false or true.
enum class flag : std::uint8_t { absent, no, yes };

/// How one operation is computed. Numbers are -1, texts and lists empty when absent.
struct plan_config {
  std::uint64_t offset = 0;       ///< of its operation in the file
  string text;                    ///< all of it, JSON, compact
  std::int64_t num_warps = -1;    ///< of one tile
  std::int64_t sram_bytes = -1;   ///< of one tile
  std::int64_t num_tasks = -1;    ///< how many tiles there are
  std::int64_t granularity = -1;  ///< Granularity
  /// Lists of numbers, in parts.integers.
  range tile, tile_shape_mnk, tile_pad_mnk;  ///< in parts.integers
  /// Names as the file has them.
  string impl_type, channel_type, packet_type;
  /// Whether a communication signals, and whether it waits.
  flag signal = flag::absent, wait = flag::absent;
};

/// One of TaskInfos: operations whose tiles are computed together.
struct plan_task {
  std::int64_t id = 0;  ///< in the file; task groups refer to it
  /// Warps and bytes of SRAM that one tile needs.
  std::int64_t num_warps = 0, sram_bytes = 0;  ///< what one tile needs
  std::uint64_t offset = 0;                    ///< of its text in the file
  range ops;                                   ///< in parts.ops and in configs
  std::uint32_t members = none;                ///< unknown members, as in model
};

/// Tiles of one task.
struct task_group {
  std::int64_t task_id = 0;      ///< the task's Id
  plan_range tasks;              ///< which of its tiles
  std::int64_t granularity = 1;  ///< how many tiles one processor takes at a time
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Warps and memory of some processors. Those of one processor group run side by side.
struct resource_group {
  /// Which of the processors, of their warps and of their bytes of SRAM.
  plan_range processors, warps, sram;
  range task_groups;             ///< in plan::task_groups
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Groups that share processors run one after the other.
struct processor_group {
  plan_range processors;         ///< those that its resource groups share
  range resource_groups;         ///< in plan::resource_groups
  std::uint64_t offset = 0;      ///< of its text in the file
  std::uint32_t members = none;  ///< unknown members
};

/// Where the file has Architecture.
enum class architecture_place : std::uint8_t { absent, after_world_size, after_num_warps };

/// A plan of one rank, not yet verified.
struct plan {
  /// Rank, WorldSize, operations and what they refer to; no nodes. own_members are the plan's.
  /// `form` is the layout of tensors and buffers; plans of D2 and D3 don't differ, and are d3.
  model parts;
  string architecture;                                    ///< as the file has it; empty: absent
  architecture_place place = architecture_place::absent;  ///< where it is among the members
  bool null_tasks = false, null_groups = false;           ///< null in place of an empty list
  /// What the plan was made for.
  std::int64_t num_processors = 0, num_warps_per_processor = 0;

  pool<plan_config> configs;               ///< one for each of parts.ops
  pool<plan_task> tasks;                   ///< in the file's order
  pool<processor_group> processor_groups;  ///< in the file's order
  pool<resource_group> resource_groups;    ///< of all processor groups
  pool<task_group> task_groups;            ///< of all resource groups

  /// Bytes that its pools hold.
  [[nodiscard]] std::size_t memory() const noexcept;
};

/// The operations of a task. Borrows.
[[nodiscard]] inline view<op> operations(const plan& p, const plan_task& t) noexcept {
  return {p.parts.ops.data() + t.ops.first, t.ops.count};
}
/// The configurations of a task's operations. Borrows.
[[nodiscard]] inline view<plan_config> configs(const plan& p, const plan_task& t) noexcept {
  return {p.configs.data() + t.ops.first, t.ops.count};
}
/// The parts of a processor group. Borrows.
[[nodiscard]] inline view<resource_group> resource_groups(const plan& p,
                                                          const processor_group& g) noexcept {
  return {p.resource_groups.data() + g.resource_groups.first, g.resource_groups.count};
}
/// The parts of a resource group. Borrows.
[[nodiscard]] inline view<task_group> task_groups(const plan& p, const resource_group& g) noexcept {
  return {p.task_groups.data() + g.task_groups.first, g.task_groups.count};
}

/// Reads a plan file.
[[nodiscard]] result<plan> read_plan(std::string_view source, const read_options& options = {});

/// Whether a file could hold the plan: every plan that was read passes. Of one that was built in
/// code it finds, at the task or group:
///
///   operations  what check() refuses in them
///   indices     outside their pools                               ark_too_large
///   numbers     negative                                          ark_plan_member, ark_plan_range
///   Config      not one for each operation, or not an object      ark_plan_config
///   lists       both null and filled                              ark_plan_member
[[nodiscard]] error check(const plan& p);

/// The JSON of a plan, byte for byte what the format's own planner writes. Fails with what check()
/// refuses, and with json_* for a kept value that is no JSON. `to` of the options has no effect:
/// plans have one dialect.
///
///   compact   no white space, no newline at the end
///   pretty    two spaces per level, "key": value, a newline at the end. Five levels below the root
///             have a line for each element; deeper ones, and arrays that begin with a number, are
///             compact
///   order     members in the planner's order, Architecture where it was, unknown ones last
///   Config    plan_config::text, unchanged; the other fields of plan_config are ignored
[[nodiscard]] result<text> write_plan(const plan& p, const write_options& options = {});

/// A listing of a plan: its tasks, then its schedule.
///
///   plan of rank 0 of 1, CUDA_80, 4 processors of 4 warps, 2 tasks
///   task 0, 4 warps, 24672 bytes: Matmul "matmul" 0:FP32[4,8] 1:FP32[8,16] -> 6:FP32[4,16], 1 tile
///   task 1, 1 warp, 0 bytes: Relu "relu" 8:FP32[4,16] -> 10:FP32[4,16], 4 tiles of 1x64
///   group on processors 0..1
///     warps 0..4, memory 0..24672: task 0 tiles 0..1
[[nodiscard]] text print(const plan& p, const print_options& options = {});

/// The operations of a plan, which must have passed check(), as a model that can be verified (with
/// verify_options::of_plan), run and compared.
///
///   nodes   one for each operation, tasks by their Ids, within a task in file order; Ids from 0
///   edges   from the node that makes a tensor to those that use it; for a tensor that none makes,
///           from the last one before that writes its buffer, as plans have no views
///   form    d3, or d3x when buffers have IsExternal
///
/// Planners number tasks in an order that terminates; in the order of the schedule, ranks may
/// deadlock.
[[nodiscard]] model plan_model(const plan& p);

/// What a plan is checked against, and how much is reported.
struct plan_options {
  const program* model = nullptr;        ///< the model that the plan has to run
  std::string_view source = {};          ///< the text that was read, for exact offsets
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Verifies a plan, and that it runs the model if there is one. Returns the first error, or ok.
///
///   ark_plan_architecture  E  an unknown Architecture
///   ark_plan_task          E  a duplicate Id of a task; a task group's TaskId that no task has
///   ark_plan_config        E  Config without NumWarps, SramBytes or NumTasks; a Matmul's tile that
///                             doesn't divide its padded shape
///                          W  an unknown ImplType or ChannelType; a NumTasks that doesn't match the
///                             tile and the padded shape
///   ark_plan_range         E  a range that ends before it begins, or steps by 0
///                          W  a step other than 1: generated code steps by 1 all the same
///   ark_plan_parent        E  processors outside their group's or the machine's, warps outside the
///                             processor's, tiles outside the task's
///   ark_plan_resources     E  an operation needs more than its task, a task more than its resource
///                             group: warps, memory, or any processor at all
///   ark_plan_tiles         E  a tile that no task group covers, or more than one
///                          W  a task that no task group runs; operations of one task that have
///                             different NumTasks
///   ark_plan_member        E  Granularity 0
///   ark_s07_no_ops         E  a task without operations
///   rules of models        those that verify() finds in plan_model(), but for edges and hazards; T08
///                          and G10 are warnings, as plans that people edit break them and run
///
/// Not checked: the NumTasks of a Matmul with the tile [1,1,1], which planners write where
/// they have no default.
///
/// With a model, operations that aren't virtual are matched by what they are: Type, Args, and of each
/// tensor the DataType, the layout and the buffer. Ids of tensors and names don't matter, and Ids of
/// buffers only if the two files agree in them; otherwise buffers count in the order of their first
/// use. Unmatched operations are paired by the buffer that they write. So a plan that was edited, to
/// split a multiplication say, is distinguished from one that lacks an operation:
///
///   ark_plan_model         E  Rank or WorldSize differ
///                          E  an operation of the model that the plan lacks (a Noop: W)
///                          E  two operations that use the same memory, one of them writing it, in
///                             the opposite order; of each buffer only the last use is compared
///                          W  an operation with other tensors, Args or Type than in the model
///                          W  an operation that the model doesn't have
///
/// Whether changed operations still compute the same is found by running both.
[[nodiscard]] error verify_plan(const plan& p, const plan_options& options = {},
                                report* found = nullptr);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_PLAN_HPP

// ---- tessera/ark/ranks.hpp
//
// All ranks of a model together: the rules M, and the order in which one process runs them.
//
//   const ark::program* ranks[] = {&*rank0, &*rank1};
//   auto world = ark::verify_ranks({ranks, 2}, {}, &found);
//   ark::schedule order(*world);
//   for (ark::schedule::step s; order.next(s);)
//     execute(s.rank, world->rank(s.rank).model().ops[s.op]);
//
// A file describes a buffer of another rank by a remote buffer, which only its tags connect with the
// buffer of its owner:
//
//   in rank r: {"Id": 9, "Rank": o, "RecvTags": [[-1, t]]}     the remote buffer
//   in rank o: {"Id": 4, "Rank": -1, "RecvTags": [[r, t], …]}  its owner's buffer
//
// Each message has a source, a destination and a tag: a channel. A send adds a message, a receive
// waits for one; DeviceSync waits for all ranks. Messages on one channel are interchangeable, so
// counting them is enough to run the ranks in turns, and to prove that there is no deadlock.
//
//   Send, SendPacket       sends on (own rank, W[0]'s rank, t) for each t of W[0]'s RecvTags
//   Recv                   waits for (R[0]'s rank, own rank, t) for each t of R[0]'s SendTags
//   RecvPacket             waits for (R[0]'s rank, own rank, t) for its tags in R[1]'s RecvTags
//   RecvReduceSend[Packet] waits for each of R[1]'s RecvTags, then sends on W[1], W[2], …
//
// In a report, place::file is the number of the program in the list that was given.
//
// Lifetime:   a world borrows its programs, a schedule its world.
// Errors:     ark_m*, that of the first diagnostic that is an error.
// Limits:     ranks_options.
// Allocation: linear in the models.

#ifndef TESSERA_ARK_RANKS_HPP
#define TESSERA_ARK_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {

/// What interchangeable messages have in common.
struct channel {
  /// The rank that sends, and the one that receives.
  std::uint32_t source = 0, destination = 0;  ///< ranks
  std::int32_t tag = 0;                       ///< the tag of both
  friend constexpr bool operator==(const channel&, const channel&) = default;
};

namespace detail {
class ranks_checker;
}
/// Programs that together are a model; only verify_ranks() makes one. Borrows the programs.
class world {
 public:
  /// How many ranks there are: WorldSize.
  [[nodiscard]] std::size_t size() const noexcept { return programs_.size(); }
  /// Programs in order of their Rank, whatever the order they were given in.
  [[nodiscard]] const program& rank(std::size_t r) const noexcept { return *programs_[r]; }
  /// The owner's buffer for the remote `buffer` of rank r: an entry of the owner's buffers, which is
  /// its storage. By its RecvTags or, without any, its SendTags; none if there is none.
  [[nodiscard]] std::uint32_t owner_buffer(std::size_t r, std::uint32_t buffer) const noexcept {
    return owners_[first_buffer_[r] + programs_[r]->storage(buffer)];
  }

  /// The channels that operations use, each once.
  [[nodiscard]] const pool<channel>& channels() const& noexcept { return channels_; }
  const pool<channel>& channels() const&& = delete;
  /// Indices of the channels on which an operation (an index into rank r's model().ops) sends.
  [[nodiscard]] view<std::uint32_t> sends(std::size_t r, std::size_t op) const noexcept;
  /// The same for those on which it waits.
  [[nodiscard]] view<std::uint32_t> receives(std::size_t r, std::size_t op) const noexcept;

 private:
  friend class detail::ranks_checker;
  struct traffic {
    std::uint32_t first = 0, sends = 0, receives = 0;
  };
  world() = default;

  pool<const program*> programs_;
  pool<std::size_t> first_buffer_, first_op_;  // of each rank, in the pools below
  pool<std::uint32_t> owners_;
  pool<traffic> traffic_;
  pool<std::uint32_t> uses_;  // indices of channels
  pool<channel> channels_;
};

/// The order in which one process runs all ranks: each runs until it waits, then the next one that can
/// continue does. next() gives an operation that waits once its messages have been sent.
class schedule {
 public:
  /// One operation of one rank.
  struct step {
    std::uint32_t rank = 0;  ///< which rank runs it
    std::uint32_t node = 0;  ///< in model().nodes
    std::uint32_t op = 0;    ///< in model().ops
  };
  /// Where a rank waits, and for what.
  struct wait {
    step at;            ///< the operation that waits
    bool sync = false;  ///< for all ranks
    channel message;    ///< otherwise: for one of these
  };

  /// From the first operations of all ranks on. Borrows the world.
  explicit schedule(const world& w);
  explicit schedule(world&&) = delete;

  /// The next operation to execute; false when all have ended, or when no rank can continue.
  [[nodiscard]] bool next(step& out);
  /// How many ranks have not ended; once next() is false, these wait for each other.
  [[nodiscard]] std::size_t unfinished() const noexcept;
  /// Once next() is false: where rank r waits. False when it has ended.
  [[nodiscard]] bool waits(std::size_t r, wait& out) const noexcept;
  /// Messages that were sent and not received.
  [[nodiscard]] std::uint64_t left_over() const noexcept;

 private:
  struct state {
    std::uint32_t node = 0,
                  op = 0;        // the next one: indices of a node and of one of its operations
    std::uint32_t received = 0;  // messages that it has received so far
    bool synced = false;         // it is at a DeviceSync that all have reached
    bool ended = false;
  };

  /// Continues with the current rank by one operation; false when it waits or has ended.
  bool advance(step& out);
  void wake(std::uint32_t rank);

  const world& world_;
  pool<state> ranks_;
  pool<std::uint32_t> queue_;  // a ring: the ranks that can continue
  std::size_t first_ = 0, queued_ = 0, arrived_ = 0;
  pool<std::uint64_t> messages_;  // by channel: those that are under way
  pool<std::uint32_t> waiting_;   // by channel: the rank that waits, + 1; 0: none does
  std::uint32_t current_ = 0;
  bool running_ = false;
};

/// Appends one sentence: which ranks wait, where and for what.
void describe_waits(const world& w, const schedule& order, text& out);

/// What the ranks' texts are, and how much is reported.
struct ranks_options {
  view<std::string_view> sources = {};   ///< the texts of the programs, for exact offsets
  std::uint64_t max_diagnostics = 1000;  ///< how many a report keeps
};

/// Verifies that programs, in any order, are all ranks of one model and cannot deadlock.
[[nodiscard]] result<world> verify_ranks(view<const program*> ranks,
                                         const ranks_options& options = {},
                                         report* found = nullptr);

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_RANKS_HPP

// ---- tessera/ark/shapes.hpp
//
// The shapes that operations produce, for verifying models and for building them.
//
//   ark::dimensions out;
//   if (ark::broadcast(ark::shape_of(a), ark::shape_of(b), out)) …      // [4,1] + [8] → [4,8]
//   ark::matmul_shape m;
//   if (ark::multiply(ark::shape_of(a), ark::shape_of(b), false, true, m)) use(m.out, m.inner);
//
//   broadcast     aligned at the last dimension; each pair equal, or one of them 1
//   reduced       the axis becomes 1, or goes; the only axis that goes leaves [1]
//   permuted      out[i] = in[permutation[i]]
//   multiply      [.., M, K] x [.., K, N]; one dimension acts as [1, K] or [K, 1]; up to two of them
//                 give [M, N], otherwise batches are broadcast to the rank of the larger
//   looked_up     [a, b, c] in [rows, columns] → [a, b, c, columns], in two forms
//
// Lifetime:   values.
// Errors:     false, for shapes that don't fit.
// Limits:     four dimensions.
// Allocation: none.

#ifndef TESSERA_ARK_SHAPES_HPP
#define TESSERA_ARK_SHAPES_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark {

/// One to four sizes; those from `rank` on are 1.
struct dimensions {
  std::int64_t size[max_rank] = {1, 1, 1, 1};  ///< from the outermost
  std::uint32_t rank = 1;                      ///< from 1 to 4

  /// The innermost size.
  [[nodiscard]] constexpr std::int64_t last() const noexcept { return size[rank - 1]; }
  friend constexpr bool operator==(const dimensions&, const dimensions&) = default;
};
/// One list of sizes of a layout; a layout without dimensions is [1].
[[nodiscard]] constexpr dimensions dimensions_of(const std::int64_t (&sizes)[max_rank],
                                                 std::uint32_t rank) noexcept {
  dimensions d;
  d.rank = rank == 0 ? 1 : rank;
  for (std::size_t i = 0; i < max_rank; ++i) d.size[i] = sizes[i];
  return d;
}
/// The shape of a layout.
[[nodiscard]] constexpr dimensions shape_of(const layout& l) noexcept {
  return dimensions_of(l.shape, l.rank);
}
/// The padded shape of a layout.
[[nodiscard]] constexpr dimensions padded_shape_of(const layout& l) noexcept {
  return dimensions_of(l.padded_shape, l.rank);
}
/// The number of elements; it can't overflow for a tensor of fewer than 2^63 bytes.
[[nodiscard]] constexpr std::uint64_t elements(const layout& l) noexcept {
  std::uint64_t n = 1;
  for (const std::int64_t d : l.shape) n *= static_cast<std::uint64_t>(d);
  return n;
}
/// "[4,8]"
text& operator<<(text& out, const dimensions& d);

/// The same, padded with leading ones: four dimensions.
[[nodiscard]] dimensions extended(const dimensions& d) noexcept;
/// The last `rank` of four dimensions.
[[nodiscard]] dimensions last_of(const dimensions& four, std::uint32_t rank) noexcept;
/// The shape to which both broadcast; false if there is none.
[[nodiscard]] bool broadcast(const dimensions& a, const dimensions& b, dimensions& out) noexcept;
/// Whether `a` broadcasts to the shape `to`.
[[nodiscard]] inline bool broadcasts_to(const dimensions& a, const dimensions& to) noexcept {
  dimensions out;
  return broadcast(a, to, out) && out == to;
}
/// `axis` may be negative: -1 is the last.
[[nodiscard]] bool reduced(const dimensions& in, std::int64_t axis, bool keep,
                           dimensions& out) noexcept;
/// Dimension i of `out` is dimension permutation[i]; false if that is no permutation.
[[nodiscard]] bool permuted(const dimensions& in, view<std::int64_t> permutation,
                            dimensions& out) noexcept;
/// The shape of a matrix product, and its sizes.
struct matmul_shape {
  dimensions out;                                 ///< of the product
  std::int64_t rows = 1, columns = 1, inner = 1;  ///< M, N, K
};
/// False when the inner dimensions differ or the batches don't broadcast; rows, columns and the
/// left inner dimension are then given all the same.
[[nodiscard]] bool multiply(const dimensions& a, const dimensions& b, bool transpose_a,
                            bool transpose_b, matmul_shape& m) noexcept;
/// The shape of rows looked up in a table: the indices' and the columns, padded with leading ones.
[[nodiscard]] bool looked_up(const dimensions& indices, const dimensions& table,
                             dimensions& out) noexcept;
/// Whether `out` is one of the two shapes that a lookup has: with the leading ones, or without.
[[nodiscard]] bool is_looked_up(const dimensions& indices, const dimensions& table,
                                const dimensions& out) noexcept;

/// The name under which older files have an argument of `op`; `other` when there is none.
[[nodiscard]] argument_name older_name(argument_name name, op_type op) noexcept;
/// An operation's argument under its name or the older one; null when neither is there. For an
/// operation of a program, each argument that its Type requires is there, in its TYPE.
[[nodiscard]] const argument* argument_of(const model& g, const op& o, argument_name name) noexcept;

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI


#endif  // TESSERA_ARK_SHAPES_HPP

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

#endif  // TESSERA_ARK_HPP

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

// ---- tessera/ark/detail/errors.hpp
//
// The names and messages of ARK's codes, made known to core.

#ifndef TESSERA_ARK_DETAIL_ERRORS_HPP
#define TESSERA_ARK_DETAIL_ERRORS_HPP


// ---- tessera/ark/detail/member_message.hpp
//
// The messages of ark_s02, s05, s08, s09, s10 and ark_plan_member, which the source decides: the
// members that an object lacks, or the kind of value that a member has instead of its own; and the
// DataType that an unknown one is near to.

#ifndef TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP
#define TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP

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

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// An object of the format: `key` holds it, or with `is_element` is the array that holds it.
struct object_row {
  errc code;
  std::string_view key;  ///< empty: the root
  bool is_element;
  std::string_view what;
  std::string_view members;  ///< that it must have, blanks between them
};
inline constexpr std::string_view op_members =
    "Type Name IsVirtual ReadTensors WriteTensors ResultTensors Args";
inline constexpr std::string_view tensor_members = "Id DataType Shape Strides Offsets Buffer";
inline constexpr object_row object_rows[] = {
    {errc::ark_s02_root_member, "", false, "the root", "Rank WorldSize Nodes"},
    {errc::ark_s05_node_member, "Nodes", true, "a node", "Id ProducerNodeIds ConsumerNodeIds"},
    {errc::ark_s08_op_member, "Op", false, "an operation", op_members},
    {errc::ark_s08_op_member, "Ops", true, "an operation", op_members},
    {errc::ark_s09_tensor_member, "ReadTensors", true, "a tensor", tensor_members},
    {errc::ark_s09_tensor_member, "WriteTensors", true, "a tensor", tensor_members},
    {errc::ark_s09_tensor_member, "ResultTensors", true, "a tensor", tensor_members},
    {errc::ark_s10_buffer_member, "Buffer", false, "a buffer", "Id Rank SendTags RecvTags"},
    {errc::ark_plan_member, "", false, "a plan",
     "Rank WorldSize NumProcessors NumWarpsPerProcessor TaskInfos ProcessorGroups"},
    {errc::ark_plan_member, "TaskInfos", true, "a task", "Id NumWarps SramBytes Ops"},
    {errc::ark_plan_member, "ProcessorGroups", true, "a processor group",
     "ProcessorRange ResourceGroups"},
    {errc::ark_plan_member, "ResourceGroups", true, "a resource group",
     "ProcessorRange WarpRange SramRange TaskGroups"},
    {errc::ark_plan_member, "TaskGroups", true, "a task group", "TaskId TaskRange Granularity"},
};

/// What a member of that key has in every object.
struct member_row {
  std::string_view key;
  std::string_view expected;
};
inline constexpr std::string_view an_integer = "an integer";
inline constexpr member_row member_rows[] = {
    {"Id", an_integer},
    {"Rank", an_integer},
    {"NumProcessors", an_integer},
    {"NumWarpsPerProcessor", an_integer},
    {"NumWarps", an_integer},
    {"SramBytes", an_integer},
    {"TaskId", an_integer},
    {"Granularity", an_integer},
    {"ProducerNodeIds", "an array of integers"},
    {"ConsumerNodeIds", "an array of integers"},
    {"Shape", "an array of integers"},
    {"Strides", "an array of integers"},
    {"Offsets", "an array of integers"},
    {"PaddedShape", "an array of integers"},
    {"Pads", "an array of integers"},
    {"Type", "a string"},
    {"Name", "a string"},
    {"DataType", "a string"},
    {"Architecture", "a string"},
    {"IsVirtual", "true or false"},
    {"IsExternal", "true or false"},
    {"Args", "an object, null or an empty array"},
    {"ReadTensors", "an array of tensors"},
    {"WriteTensors", "an array of tensors"},
    {"ResultTensors", "an array of tensors"},
    {"Buffer", "an object"},
    {"SendTags", "an array of pairs [rank, tag]"},
    {"RecvTags", "an array of pairs [rank, tag]"},
    {"Ops", "an array of operations"},
    {"ResourceGroups", "an array of resource groups"},
    {"TaskGroups", "an array of task groups"},
    {"TaskInfos", "an array of tasks, or null"},
    {"ProcessorGroups", "an array of processor groups, or null"},
};

[[nodiscard]] constexpr std::string_view name_of(json::kind k) noexcept {
  switch (k) {
    case json::kind::none: return "no value";
    case json::kind::object: return "an object";
    case json::kind::array: return "an array";
    case json::kind::string: return "a string";
    case json::kind::number: return "a number";
    case json::kind::boolean: return "true or false";
    case json::kind::null: return "null";
  }
  return {};  // unreachable: all kinds are above
}

/// Whether the object that `source` begins with has a member.
[[nodiscard, gnu::cold]] inline bool has_member(std::string_view source, std::string_view wanted) {
  json::reader in(source);
  std::string_view key;
  for (in.object(); in.key(key); in.skip())
    if (key == wanted) return true;
  return false;
}

/// Whether an object of this row has a member of that name.
[[nodiscard]] constexpr bool is_member(const object_row& row, std::string_view key) noexcept {
  const std::size_t at = row.members.find(key);
  return at != row.members.npos && (at == 0 || row.members[at - 1] == ' ') &&
         (at + key.size() == row.members.size() || row.members[at + key.size()] == ' ');
}

/// The message of an unknown DataType that is near to one.
[[gnu::cold]] inline void append_data_type(text& to, const error& e, std::string_view source) {
  json::reader in(source.substr(to_size(e.offset)));
  const std::string_view near = nearest(in.string(), data_type_table);
  if (!in.failed() && !near.empty()) to << e.message() << "; did you mean " << near << '?';
}

[[gnu::cold]] inline void append_missing(text& to, const object_row& row, std::string_view source) {
  text names;
  std::size_t count = 0;
  const auto add = [&](std::string_view member) { names << (count++ == 0 ? "" : ", ") << member; };
  for (std::string_view left = row.members; !left.empty();) {
    const std::string_view member = left.substr(0, left.find(' '));
    left.remove_prefix(member.size() == left.size() ? left.size() : member.size() + 1);
    if (!has_member(source, member)) add(member);
  }
  if (row.code == errc::ark_s09_tensor_member) {
    const bool padded = has_member(source, "PaddedShape"), pads = has_member(source, "Pads");
    if (padded && pads && count == 0)
      to << row.what << " has both PaddedShape and Pads; expected one of them";
    if (!padded && !pads) add("PaddedShape (or Pads)");
  }
  if (count == 0) return;
  to << (count == 1 ? "missing member of " : "missing members of ") << row.what << ": "
     << names.view();
  if (count != 1) return;
  // A misspelt key is an unknown member to the reader.
  suggestion near(names.view());
  json::reader in(source);
  std::string_view key;
  text kept;  // the reader reuses the memory of keys with escapes
  for (in.object(); in.key(key); in.skip())
    if (!is_member(row, key)) kept << key << '\n';
  for (std::string_view left = kept.view(); !left.empty();) {
    const std::string_view word = left.substr(0, left.find('\n'));
    near.offer(word);
    left.remove_prefix(word.size() + 1);
  }
  if (near.word().empty()) return;
  append_shown(to << "; \"", near.word());
  to << "\" is unknown";
}

/// Appends the message of an error; nothing where its code's own says all. `path` leads to its place.
[[gnu::cold]] inline void append_member_message(text& to, const error& e, std::string_view source,
                                                std::string_view path) {
  switch (e.code) {
    case errc::ark_s02_root_member:
    case errc::ark_s05_node_member:
    case errc::ark_s08_op_member:
    case errc::ark_s09_tensor_member:
    case errc::ark_s10_buffer_member:
    case errc::ark_plan_member: break;
    case errc::ark_t06_data_type:
      if (e.offset < source.size()) append_data_type(to, e, source);
      return;
    default: return;
  }
  if (e.offset >= source.size()) return;
  source.remove_prefix(to_size(e.offset));
  json::reader in(source);
  const json::kind found = in.peek();
  // The last key of the path, and the index after it.
  const std::size_t index = path.rfind('[');
  const bool is_element = !path.empty() && path.back() == ']' && index != path.npos;
  const std::string_view up_to_key = is_element ? path.substr(0, index) : path;
  const std::size_t dot = up_to_key.rfind('.');
  const std::string_view key = dot == path.npos ? std::string_view() : up_to_key.substr(dot + 1);

  const auto wrong = [&](std::string_view expected) {
    to << (dot == path.npos ? path : path.substr(dot + 1)) << ": expected " << expected
       << ", found " << name_of(found);
    if (key == "Args" && found == json::kind::array) to << " with elements";
  };
  for (const object_row& row : object_rows) {
    if (row.code != e.code || row.key != key || row.is_element != is_element) continue;
    return found == json::kind::object ? append_missing(to, row, source) : wrong("an object");
  }
  if (is_element) {
    if (key == "ProducerNodeIds" || key == "ConsumerNodeIds") wrong(an_integer);
    return;
  }
  for (const member_row& row : member_rows)
    if (row.key == key && !(row.expected == an_integer && found == json::kind::number))
      return wrong(row.expected);
}

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_MEMBER_MESSAGE_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

inline constexpr errc_row error_rows[] = {
#define TESSERA_X(name, value, text) {errc::name, #name, text},
    TESSERA_ARK_ERRORS(TESSERA_X)
#undef TESSERA_X
};

// One store when the program starts: it is what lets a program without this format go without its
// messages. Nothing but names and messages depends on it, hence neither on the order of such stores.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wglobal-constructors"
#endif
[[gnu::used]] inline const errc_table& known_errors = tessera::detail::table_of(2) = {
    error_rows, sizeof error_rows / sizeof error_rows[0], nullptr, append_member_message};
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_ERRORS_HPP

// ---- tessera/ark/detail/model.hpp
//
// The bodies of ark/model.hpp.

#ifndef TESSERA_ARK_DETAIL_MODEL_HPP
#define TESSERA_ARK_DETAIL_MODEL_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE std::size_t model::memory() const noexcept {
  return nodes.size() * sizeof(node) + ops.size() * sizeof(op) + uses.size() * 4 +
         arguments.size() * sizeof(argument) + tensors.size() * sizeof(tensor) +
         layouts.size() * sizeof(layout) + buffers.size() * sizeof(buffer) +
         tags.size() * sizeof(tag) + integers.size() * 8 + members.size() * sizeof(member) +
         characters.size();
}

TESSERA_INLINE std::string_view name(const model& g, const argument& a) noexcept {
  return a.name == argument_name::other ? text_of(g, a.other_name)
                                        : argument_names[static_cast<std::size_t>(a.name)];
}

TESSERA_INLINE const argument* find_argument(const model& g, const op& o,
                                             argument_name name) noexcept {
  for (const argument& a : arguments(g, o))
    if (a.name == name) return &a;
  return nullptr;
}

TESSERA_INLINE string interner::characters(std::string_view s) {
  const string out{index(model_.characters.size()), index(s.size())};
  model_.characters << s;
  return out;
}

TESSERA_INLINE std::uint32_t interner::layout(const ark::layout& l) {
  if (recent_.empty()) recent_.resize(recent_layouts);
  const std::uint64_t hash = hash_of(l);
  std::uint32_t& slot = recent_[recent_slot(hash)];
  if (slot != 0 && same(model_.layouts[slot - 1], l)) return slot - 1;
  std::uint32_t& latest = layout_hashes_.latest(static_cast<std::int64_t>(hash));
  if (latest == none || !same(model_.layouts[latest], l)) {
    replaced_layouts_ += latest != none ? 1 : 0;
    note(layout_hashes_, static_cast<std::int64_t>(hash), latest);
    latest = index(model_.layouts.size());
    model_.layouts.push_back(l);
  }
  slot = latest + 1;
  return latest;
}

TESSERA_INLINE std::uint32_t interner::buffer(const ark::buffer& b, std::size_t first_tag) {
  std::uint32_t& latest = buffer_ids_.latest(b.id);
  if (latest != none && same(model_.buffers[latest], b)) {
    model_.tags.resize(first_tag);
    return latest;
  }
  note(buffer_ids_, b.id, latest);
  latest = index(model_.buffers.size());
  model_.buffers.push_back(b);
  return latest;
}

TESSERA_INLINE std::uint32_t interner::tensor(const ark::tensor& t) {
  std::uint32_t& latest = tensor_ids_.latest(t.id);
  if (latest != none) {
    const ark::tensor& known = model_.tensors[latest];
    if (known.type == t.type && known.buffer == t.buffer &&
        same_members(known.members, t.members) &&
        (known.layout == t.layout || same(model_.layouts[known.layout], model_.layouts[t.layout])))
      return latest;
  }
  note(tensor_ids_, t.id, latest);
  latest = index(model_.tensors.size());
  model_.tensors.push_back(t);
  return latest;
}

TESSERA_INLINE auto interner::set_mark() noexcept -> mark {
  journal_.clear();
  noting_ = true;
  return inner_mark();
}

TESSERA_INLINE auto interner::inner_mark() const noexcept -> mark {
  const model& g = model_;
  return {g.nodes.size(),    g.ops.size(),     g.uses.size(),       g.arguments.size(),
          g.tensors.size(),  g.layouts.size(), g.buffers.size(),    g.tags.size(),
          g.integers.size(), g.members.size(), g.characters.size(), journal_.size()};
}

TESSERA_INLINE void interner::go_back(const mark& to) {
  for (; journal_.size() > to.changes; journal_.pop_back())
    journal_.back().map->latest(journal_.back().key) = journal_.back().entry;
  const auto forget = [](id_map& map, std::int64_t key, std::size_t size) {
    if (std::uint32_t& latest = map.latest(key); latest >= size) latest = none;
  };
  model& g = model_;
  for (std::size_t i = to.tensors; i < g.tensors.size(); ++i)
    forget(tensor_ids_, g.tensors[i].id, to.tensors);
  for (std::size_t i = to.buffers; i < g.buffers.size(); ++i)
    forget(buffer_ids_, g.buffers[i].id, to.buffers);
  for (std::size_t i = to.layouts; i < g.layouts.size(); ++i) {
    const std::uint64_t hash = hash_of(g.layouts[i]);
    forget(layout_hashes_, static_cast<std::int64_t>(hash), to.layouts);
    recent_[recent_slot(hash)] = 0;
  }
  g.nodes.resize(to.nodes);
  g.ops.resize(to.ops);
  g.uses.resize(to.uses);
  g.arguments.resize(to.arguments);
  g.tensors.resize(to.tensors);
  g.layouts.resize(to.layouts);
  g.buffers.resize(to.buffers);
  g.tags.resize(to.tags);
  g.integers.resize(to.integers);
  g.members.resize(to.members);
  g.characters.truncate(to.characters);
}

TESSERA_INLINE std::uint32_t interner::index(std::size_t size) noexcept {
  overflown_ = overflown_ || size >= none;
  return static_cast<std::uint32_t>(size);
}

TESSERA_INLINE std::uint32_t& interner::id_map::latest(std::int64_t id) {
  const auto number = static_cast<std::uint64_t>(id);
  if (lookups_++ == 0) base_ = number > 512 ? number - 512 : 0;
  const std::uint64_t i = number - base_;
  if (i < dense_.size()) return dense_[static_cast<std::size_t>(i)];
  if (i < 1024 + 2 * lookups_) {
    const std::size_t first = dense_.size();
    dense_.resize(1024 + 4 * to_size(lookups_));
    for (std::size_t j = first; j < dense_.size(); ++j) dense_[j] = none;
    for (const leaf& l : tree_)
      if (static_cast<std::uint64_t>(l.id) - base_ - first < dense_.size() - first)
        dense_[to_size(static_cast<std::uint64_t>(l.id) - base_)] = l.entry;
    return dense_[static_cast<std::size_t>(i)];
  }
  std::uint32_t at = tree_.empty() ? none : 0, parent = none;
  std::uint64_t bits = mixed(number);
  std::size_t side = 0;
  for (; at != none; bits <<= 1) {
    if (tree_[at].id == id) return tree_[at].entry;
    parent = at;
    side = to_size(bits >> 63);
    at = tree_[at].child[side];
  }
  if (parent != none) tree_[parent].child[side] = static_cast<std::uint32_t>(tree_.size());
  tree_.push_back({id, {none, none}, none});
  return tree_.back().entry;
}

TESSERA_INLINE std::uint32_t interner::id_map::find(std::int64_t id) const noexcept {
  const auto number = static_cast<std::uint64_t>(id);
  const std::uint64_t i = number - base_;
  if (i < dense_.size()) return dense_[static_cast<std::size_t>(i)];
  std::uint64_t bits = mixed(number);
  for (std::uint32_t at = tree_.empty() ? none : 0; at != none; bits <<= 1) {
    if (tree_[at].id == id) return tree_[at].entry;
    at = tree_[at].child[bits >> 63];
  }
  return none;
}

TESSERA_INLINE std::uint64_t interner::id_map::mixed(std::uint64_t number) noexcept {
  const std::uint64_t bits = number * 0x9e3779b97f4a7c15u;
  return bits ^ bits >> 32;
}

TESSERA_INLINE std::uint64_t interner::hash_of(const ark::layout& l) noexcept {
  std::uint64_t hash = l.rank;
  for (std::size_t d = 0; d < l.rank && d < max_rank; ++d)
    for (const std::int64_t v : {l.shape[d], l.strides[d], l.offsets[d], l.padded_shape[d]})
      hash = std::rotl(hash ^ static_cast<std::uint64_t>(v), 23) * 0x9e3779b97f4a7c15u;
  return hash;
}

TESSERA_INLINE bool interner::same(const ark::layout& a, const ark::layout& b) const noexcept {
  if (!same_dimensions(a, b) || (a.pads == none) != (b.pads == none)) return false;
  for (std::uint32_t d = 0; a.pads != none && d < a.rank; ++d)
    if (model_.integers[a.pads + d] != model_.integers[b.pads + d]) return false;
  return true;
}

TESSERA_INLINE bool interner::same(const ark::buffer& a, const ark::buffer& b) const noexcept {
  return a.rank == b.rank && a.external == b.external && same(a.send_tags, b.send_tags) &&
         same(a.recv_tags, b.recv_tags) && same_members(a.members, b.members);
}

TESSERA_INLINE bool interner::same_members(std::uint32_t a, std::uint32_t b) const noexcept {
  for (; a != none && b != none; a = model_.members[a].next, b = model_.members[b].next)
    if (text_of(model_, model_.members[a].key) != text_of(model_, model_.members[b].key) ||
        text_of(model_, model_.members[a].value) != text_of(model_, model_.members[b].value))
      return false;
  return a == b;
}

TESSERA_INLINE bool interner::same(range a, range b) const noexcept {
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i)
    if (!(model_.tags[a.first + i] == model_.tags[b.first + i])) return false;
  return true;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_MODEL_HPP

// ---- tessera/ark/detail/convert.hpp
//
// The bodies of ark/convert.hpp.

#ifndef TESSERA_ARK_DETAIL_CONVERT_HPP
#define TESSERA_ARK_DETAIL_CONVERT_HPP

#include <cstddef>
#include <cstdint>
#include <utility>


// ---- tessera/ark/detail/check.hpp
//
// The bodies of ark/check.hpp.

#ifndef TESSERA_ARK_DETAIL_CHECK_HPP
#define TESSERA_ARK_DETAIL_CHECK_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

[[nodiscard]] inline bool is_ascii(std::string_view s) noexcept {
  std::uint64_t all = 0, word = 0;
  std::size_t i = 0;
  for (; s.size() - i >= 8; i += 8) {
    std::memcpy(&word, s.data() + i, 8);
    all |= word;
  }
  for (; i < s.size(); ++i) all |= static_cast<unsigned char>(s[i]);
  return (all & 0x8080808080808080u) == 0;
}

class graph_check {
 public:
  explicit graph_check(const model& g) noexcept : g_(g), ascii_(is_ascii(g.characters)) {}

  [[nodiscard]] error all() const {
    if (static_cast<std::size_t>(g_.form) >= std::size(dialect_table))
      return {errc::ark_dialect, 0, error_index::whole};
    if (g_.rank < 0 || g_.rank >= g_.world_size)
      return {errc::ark_s03_world, 0, error_index::whole};
    if (const errc code = tables(); code != errc::ok) return {code, 0, error_index::whole};
    for (const node& n : g_.nodes) {
      errc code = node_itself(n);
      if (code == errc::ok)
        for (const op& o : operations(g_, n))
          if (code = operation(o); code != errc::ok) break;
      if (code != errc::ok) return error_in(g_.nodes, n, code, error_index::node);
    }
    return {};
  }
  /// One operation, after tables(); plans check theirs with it.
  [[nodiscard]] errc operation(const op& o) const {
    if (o.type > op_type::unknown) return errc::ark_o01_type;
    const std::uint64_t last =
        std::uint64_t{o.first_use} + o.reads + std::uint64_t{o.writes} + o.results;
    if (last > g_.uses.size() || !inside(o.arguments, g_.arguments.size()) ||
        outside(o.members, g_.members.size()))
      return errc::ark_too_large;
    bool uses_inside = true;
    for (const std::uint32_t t : uses(g_, o)) uses_inside = uses_inside && t < g_.tensors.size();
    if (!uses_inside) return errc::ark_too_large;
    if (const errc code = string(o.name); code != errc::ok) return code;
    if (o.type == op_type::unknown)
      if (const errc code = string(o.unknown_type); code != errc::ok) return code;
    for (const argument& a : arguments(g_, o))
      if (const errc code = one_argument(a); code != errc::ok) return code;
    return errc::ok;
  }
  /// What operations refer to.
  [[nodiscard]] errc tables() const {
    if (outside(g_.own_members, g_.members.size())) return errc::ark_too_large;
    for (std::size_t i = 0; i < g_.members.size(); ++i) {
      const member& m = g_.members[i];
      if (m.next != none && (m.next <= i || m.next >= g_.members.size()))
        return errc::ark_too_large;
      for (const ark::string& s : {m.key, m.value})
        if (const errc code = string(s); code != errc::ok) return code;
    }
    for (const layout& l : g_.layouts) {
      if (l.rank > max_rank) return errc::ark_t01_rank;
      if (l.pads != none && !inside({l.pads, l.rank}, g_.integers.size()))
        return errc::ark_too_large;
    }
    for (const tensor& t : g_.tensors) {
      if (t.id < 0) return errc::ark_s13_integer;
      if (t.layout >= g_.layouts.size() || t.buffer >= g_.buffers.size() ||
          outside(t.members, g_.members.size()))
        return errc::ark_too_large;
      if (static_cast<std::size_t>(t.type) >= std::size(data_type_table))
        return errc::ark_t06_data_type;
    }
    for (const buffer& b : g_.buffers) {
      if (b.id < 0) return errc::ark_s13_integer;
      if (!inside(b.send_tags, g_.tags.size()) || !inside(b.recv_tags, g_.tags.size()) ||
          outside(b.members, g_.members.size()))
        return errc::ark_too_large;
    }
    return errc::ok;
  }

 private:
  [[nodiscard]] static bool inside(range r, std::size_t size) noexcept {
    return std::uint64_t{r.first} + r.count <= size;
  }
  [[nodiscard]] static bool outside(std::uint32_t first, std::size_t size) noexcept {
    return first != none && first >= size;
  }
  [[nodiscard]] errc string(ark::string s) const noexcept {
    if (!inside({s.first, s.size}, g_.characters.size())) return errc::ark_too_large;
    return ascii_ || is_utf8(text_of(g_, s)) ? errc::ok : errc::json_bad_utf8;
  }
  [[nodiscard]] errc node_itself(const node& n) const noexcept {
    if (!inside(n.producers, g_.integers.size()) || !inside(n.consumers, g_.integers.size()) ||
        !inside(n.ops, g_.ops.size()) || outside(n.members, g_.members.size()))
      return errc::ark_too_large;
    std::int64_t signs = n.id;
    for (const range r : {n.producers, n.consumers})
      for (const std::int64_t id : integers(g_, r)) signs |= id;
    if (signs < 0) return errc::ark_s13_integer;
    return n.ops.count == 0 ? errc::ark_s07_no_ops : errc::ok;
  }
  [[nodiscard]] errc one_argument(const argument& a) const {
    if (a.name > argument_name::other) return errc::ark_o04_argument;
    if (a.name == argument_name::other)
      if (const errc code = string(a.other_name); code != errc::ok) return code;
    const auto fits = [&a](std::int64_t low, std::int64_t high) {
      return a.integer >= low && a.integer <= high ? errc::ok : errc::ark_o05_argument_form;
    };
    switch (a.type) {
      case argument_type::int32: return fits(INT32_MIN, INT32_MAX);
      case argument_type::uint32: return fits(0, std::int64_t{UINT32_MAX});
      case argument_type::int64:
      case argument_type::uint64:
      case argument_type::boolean: return errc::ok;
      case argument_type::float32: {
        if (a.token.size == 0)
          return (std::bit_cast<std::uint32_t>(a.real) & 0x7f800000u) == 0x7f800000u
                     ? errc::ark_not_finite
                     : errc::ok;
        if (const errc code = string(a.token); code != errc::ok) return code;
        json::reader in(text_of(g_, a.token));
        (void)in.float32();
        return in.finish().code;
      }
      case argument_type::dims:
        if (!inside(a.integers, g_.integers.size())) return errc::ark_too_large;
        return a.integers.count <= max_rank ? errc::ok : errc::ark_o05_argument_form;
      case argument_type::tensor:
        return a.integer >= 0 && static_cast<std::uint64_t>(a.integer) < g_.tensors.size()
                   ? errc::ok
                   : errc::ark_too_large;
      case argument_type::offset:
        if (!inside(a.integers, g_.integers.size())) return errc::ark_too_large;
        if (a.integers.count != 1 && a.integers.count != 2) return errc::ark_o05_argument_form;
        for (const std::int64_t v : integers(g_, a.integers))
          if (v < 0) return errc::ark_o05_argument_form;
        return errc::ok;
      case argument_type::other: return string(a.token);
    }
    return errc::ark_o05_argument_form;
  }

  const ark::model& g_;
  bool ascii_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE error check(const model& g) { return detail::graph_check(g).all(); }

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CHECK_HPP

// ---- tessera/ark/detail/index.hpp
//
// Finding things by their Id.
//
//   id_index nodes(g.nodes.data(), g.nodes.size());
//   nodes.first(7);        // the first node whose Id is 7, or none
//   nodes.first_of(3);     // the first node that has the Id of node 3
//
// Ids that are nearly dense, as writers make them, index an array; any others are sorted.
//
// Lifetime:   an index keeps no reference to its source.
// Errors:     none.
// Limits:     32-bit indices.
// Allocation: 4 bytes for each thing and for each Id in their range, or 20 bytes for each thing.

#ifndef TESSERA_ARK_DETAIL_INDEX_HPP
#define TESSERA_ARK_DETAIL_INDEX_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class id_index {
 public:
  id_index() noexcept = default;
  template <class Thing>
  id_index(const Thing* things, std::size_t count) {
    if (count == 0) return;
    std::int64_t low = things[0].id, high = low;
    for (std::size_t i = 1; i < count; ++i) {
      if (things[i].id < low) low = things[i].id;
      if (things[i].id > high) high = things[i].id;
    }
    low_ = static_cast<std::uint64_t>(low);
    const std::uint64_t range = static_cast<std::uint64_t>(high) - low_;
    firsts_.reserve(count);
    if (range < 4 * std::uint64_t{count} + 1024) {
      dense_.resize(static_cast<std::size_t>(range) + 1);  // index + 1
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t& slot = dense_[static_cast<std::size_t>(number(things[i].id))];
        if (slot == 0) slot = static_cast<std::uint32_t>(i) + 1;
        firsts_.push_back(slot - 1);
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      sorted_.push_back({number(things[i].id), static_cast<std::uint32_t>(i)});
    sort_ids();
  }

  /// The first thing with that Id, or none.
  [[nodiscard]] std::uint32_t first(std::int64_t id) const noexcept {
    const std::uint64_t n = number(id);
    if (sorted_.empty()) {
      if (n >= dense_.size()) return none;
      return dense_[static_cast<std::size_t>(n)] - 1;  // 0 - 1 is none
    }
    std::size_t from = 0, to = sorted_.size();
    while (from < to) {
      const std::size_t middle = from + (to - from) / 2;
      if (sorted_[middle].number < n)
        from = middle + 1;
      else
        to = middle;
    }
    return from < sorted_.size() && sorted_[from].number == n ? sorted_[from].index : none;
  }
  /// The first thing with the Id of thing `i`.
  [[nodiscard]] std::uint32_t first_of(std::size_t i) const noexcept { return firsts_[i]; }
  /// first_of all things.
  [[nodiscard]] const pool<std::uint32_t>& firsts() const noexcept { return firsts_; }

 private:
  struct entry {
    std::uint64_t number;
    std::uint32_t index;
  };
  [[nodiscard]] std::uint64_t number(std::int64_t id) const noexcept {
    return static_cast<std::uint64_t>(id) - low_;
  }
  /// Leaves the first entry of each Id in `sorted_`.
  [[gnu::noinline]] void sort_ids() {
    const std::size_t count = sorted_.size();
    sort(sorted_.data(), count, [](const entry& a, const entry& b) { return a.number < b.number; });
    firsts_.resize(count);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (kept == 0 || sorted_[kept - 1].number != sorted_[i].number) sorted_[kept++] = sorted_[i];
      firsts_[sorted_[i].index] = sorted_[kept - 1].index;
    }
    sorted_.resize(kept);
  }

  std::uint64_t low_ = 0;
  pool<std::uint32_t> dense_, firsts_;
  pool<entry> sorted_;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_INDEX_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE bool in_dialect(const model& g) noexcept {
  if (!info(g.form).holds_ops)
    for (const node& n : g.nodes)
      if (n.ops.count != 1) return false;
  if (info(g.form).pads)
    for (const tensor& t : g.tensors)
      for (std::size_t d = 0; d < max_rank; ++d)
        if (g.layouts[t.layout].padded_shape[d] != g.layouts[t.layout].shape[d]) return false;
  return true;
}

}  // namespace ark
namespace ark::detail {

/// Gives each node the edges of a list, ascending and without repetitions, as indices.
inline void set_edges(model& g, pool<edge>& edges) {
  const auto fill = [&](range node::*list, std::uint32_t edge::*owner, std::uint32_t edge::*other) {
    sort(edges.data(), edges.size(), [=](const edge& a, const edge& b) {
      return a.*owner != b.*owner ? a.*owner < b.*owner : a.*other < b.*other;
    });
    std::size_t at = 0;
    for (std::uint32_t n = 0; n < g.nodes.size(); ++n) {
      const std::size_t first = g.integers.size();
      for (; at < edges.size() && edges[at].*owner == n; ++at)
        if (g.integers.size() == first || g.integers.back() != edges[at].*other)
          g.integers.push_back(edges[at].*other);
      g.nodes[n].*list = {static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(g.integers.size() - first)};
    }
  };
  fill(&node::producers, &edge::to, &edge::from);
  fill(&node::consumers, &edge::from, &edge::to);
}

class converter {
 public:
  converter(model& g, dialect to) : g_(g), from_(info(g.form)), to_(info(to)) {}

  [[nodiscard]] error run() {
    if (const error e = check(g_); e.code != errc::ok) return e;
    if (const error e = losses(); e.code != errc::ok) return e;
    if (!to_.holds_ops)
      if (const error e = split(); e.code != errc::ok) return e;
    for (const node& n : g_.nodes)
      for (std::uint32_t i = 0; i < n.ops.count; ++i)
        if (const errc code = spelling(g_.ops[n.ops.first + i]); code != errc::ok)
          return error_in(g_.nodes, n, code, error_index::node);
    for (buffer& b : g_.buffers)
      if (to_.external)
        b.external = b.external == external::yes ? external::yes : external::no;
      else
        b.external = external::absent;
    if (!to_.pads)
      for (layout& l : g_.layouts) l.pads = none;
    if (g_.integers.size() >= none || g_.arguments.size() >= none || g_.nodes.size() >= none)
      return {errc::ark_too_large, 0, error_index::whole};  // unreachable: in less than 16 GiB
    g_.form = to_.which;
    return {};
  }

 private:
  /// Refuses what the dialect can't express.
  [[nodiscard]] error losses() const {
    for (const node& n : g_.nodes)
      for (const op& o : operations(g_, n)) {
        bool lost = false;
        for (const std::uint32_t t : uses(g_, o)) lost = lost || loses(t);
        for (const argument& a : arguments(g_, o))
          if (a.type == argument_type::tensor)
            lost = lost || loses(static_cast<std::uint32_t>(a.integer));
        if (lost) return error_in(g_.nodes, n, errc::ark_dialect, error_index::node);
      }
    return {};
  }
  [[nodiscard]] bool loses(std::uint32_t t) const noexcept {
    bool lost = !to_.external && buffer_of(g_, t).external == external::yes;
    const layout& l = layout_of(g_, t);
    for (std::size_t d = 0; d < max_rank && to_.pads; ++d)
      lost = lost || l.padded_shape[d] != l.shape[d];
    return lost;
  }

  /// One operation a node.
  [[nodiscard]] error split() {
    bool split = from_.holds_ops;
    for (const node& n : g_.nodes) split = split || n.ops.count != 1;
    if (!split) return {};
    const pool<node> old = std::move(g_.nodes);
    g_.nodes = {};
    // Where each old node's operations went: from first[i] to before first[i + 1].
    pool<std::uint32_t> first;
    std::uint64_t count = 0;
    for (const node& n : old) count += n.ops.count;
    if (count >= none) return {errc::ark_too_large, 0, error_index::whole};
    pool<std::uint32_t> owner;  // the old node of each new one
    pool<std::uint32_t> maker;  // the new node that makes each tensor
    for (std::size_t t = 0; t < g_.tensors.size(); ++t) maker.push_back(none);
    for (std::uint32_t i = 0; i < old.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(g_.nodes.size()));
      for (std::uint32_t k = 0; k < old[i].ops.count; ++k) {
        node piece = old[i];
        piece.id = static_cast<std::int64_t>(g_.nodes.size());
        piece.ops = {old[i].ops.first + k, 1};
        if (k != 0) piece.members = none;
        for (const std::uint32_t t : results(g_, g_.ops[piece.ops.first]))
          if (maker[t] == none) maker[t] = static_cast<std::uint32_t>(g_.nodes.size());
        g_.nodes.push_back(piece);
        owner.push_back(i);
      }
    }
    first.push_back(static_cast<std::uint32_t>(g_.nodes.size()));

    pool<edge> outer;
    if (const error e = old_edges(old, outer); e.code != errc::ok) return e;
    // Edges into one old node are adjacent. `wanted`: which nodes have one to the current node;
    // `found`: for which of them a shared tensor determines the target.
    pool<edge> edges;
    pool<std::uint32_t> wanted, found;
    wanted.resize(old.size());
    found.resize(old.size());
    std::size_t at = 0;
    for (std::uint32_t to = 0; to < old.size(); ++to) {
      const std::size_t begin = at;
      for (; at < outer.size() && outer[at].to == to; ++at) wanted[outer[at].from] = to + 1;
      for (std::uint32_t piece = first[to]; piece < first[to + 1]; ++piece) {
        if (piece != first[to]) edges.push_back({piece - 1, piece});
        const op& o = g_.ops[g_.nodes[piece].ops.first];
        for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
          const std::uint32_t made = maker[g_.uses[o.first_use + u]];
          if (made == none) continue;
          if (wanted[owner[made]] == to + 1) found[owner[made]] = to + 1;
          if (owner[made] == to ? made < piece : wanted[owner[made]] == to + 1)
            edges.push_back({made, piece});
        }
      }
      for (std::size_t i = begin; i < at; ++i)
        if (const std::uint32_t from = outer[i].from; found[from] != to + 1)
          edges.push_back({first[from + 1] - 1, first[to]});
    }
    set_edges(g_, edges);
    return {};
  }
  /// The edges among the nodes of the file, from either side, those into one node together.
  [[nodiscard]] error old_edges(const pool<node>& old, pool<edge>& out) {
    const id_index index(old.data(), old.size());
    const auto at = [&old](errc code, std::uint32_t i) {
      return error_in(old, old[i], code, error_index::node);
    };
    for (std::uint32_t i = 0; i < old.size(); ++i)
      if (index.first_of(i) != i) return at(errc::ark_g01_node_id, i);
    for (std::uint32_t i = 0; i < old.size(); ++i)
      for (const bool producers : {true, false})
        for (const std::int64_t id :
             integers(g_, producers ? old[i].producers : old[i].consumers)) {
          const std::uint32_t other = index.first(id);
          if (other == none) return at(errc::ark_g03_edge_target, i);
          if (other == i) return at(errc::ark_g05_self_edge, i);
          out.push_back(producers ? edge{other, i} : edge{i, other});
        }
    sort(out.data(), out.size(),
         [](const edge& a, const edge& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
    return {};
  }

  /// The arguments that the dialect wants, under their names of today.
  [[nodiscard]] errc spelling(op& o) {
    bool repeats = false;
    for (std::uint32_t i = 0; i < o.arguments.count; ++i) {
      argument& a = g_.arguments[o.arguments.first + i];
      argument_name today = a.name;
      bool redundant = false;
      for (const argument_row& row : argument_table)
        if (row.op == o.type && row.name == a.name && row.type == a.type) {
          redundant = row.use == argument_use::redundant;
          if (row.use == argument_use::alias) today = spelled_today(a.name);
        }
      repeats = repeats || redundant;
      if (find_argument(g_, o, today) == nullptr) a.name = today;
    }
    const bool wanted =
        o.type == op_type::matmul && (to_.which == dialect::d1a || to_.which == dialect::d1b);
    if (!repeats && !wanted) return errc::ok;
    range kept{static_cast<std::uint32_t>(g_.arguments.size()), 0};
    for (std::uint32_t i = 0; i < o.arguments.count; ++i) {
      const argument a = g_.arguments[o.arguments.first + i];
      bool redundant = false;
      for (const argument_row& row : argument_table)
        redundant = redundant ||
                    (row.op == o.type && row.name == a.name && row.use == argument_use::redundant);
      if (!redundant) g_.arguments.push_back(a);
    }
    if (wanted)
      if (const errc code = repeat_shapes(o); code != errc::ok) return code;
    kept.count = static_cast<std::uint32_t>(g_.arguments.size() - kept.first);
    sort(g_.arguments.data() + kept.first, kept.count,
         [&](const argument& a, const argument& b) { return name(g_, a) < name(g_, b); });
    o.arguments = kept;
    return errc::ok;
  }
  [[nodiscard]] static argument_name spelled_today(argument_name n) noexcept {
    switch (n) {
      case argument_name::is_input_column_major: return argument_name::transpose_input;
      case argument_name::is_other_column_major: return argument_name::transpose_other;
      case argument_name::value: return argument_name::factor;
      case argument_name::factor: return argument_name::value;
      default: return n;  // unreachable: no other aliases
    }
  }

  /// The arguments of Matmul that repeat what follows from its tensors.
  [[nodiscard]] errc repeat_shapes(const op& o) {
    if (o.reads < 2 || o.writes < 1) return errc::ark_o03_arity;
    const layout& a = layout_of(g_, reads(g_, o)[0]);
    const layout& b = layout_of(g_, reads(g_, o)[1]);
    const layout& c = layout_of(g_, writes(g_, o)[0]);
    if (a.rank == 0 || b.rank == 0 || c.rank == 0) return errc::ark_o12_matmul;
    const auto flag = [&](argument_name n) {
      const argument* const found = find_argument(g_, o, n);
      return found != nullptr && found->type == argument_type::boolean && found->integer != 0;
    };
    const bool transpose_a = flag(argument_name::transpose_input);
    const bool transpose_b = flag(argument_name::transpose_other);
    // One dimension acts as [1,K] on the left and as [K,1] on the right.
    const auto from_end = [](const std::int64_t* d, std::uint32_t rank, std::uint32_t back) {
      return back < rank ? d[rank - 1 - back] : 1;
    };
    const auto mnk = [&](const std::int64_t* x, const std::int64_t* y, std::int64_t* out) {
      out[0] = from_end(x, a.rank, transpose_a ? 0 : 1);
      out[2] = from_end(x, a.rank, transpose_a ? 1 : 0);
      out[1] = b.rank == 1 ? (transpose_b ? y[0] : 1) : from_end(y, b.rank, transpose_b ? 1 : 0);
    };
    std::int64_t shape[3], padded[3];
    mnk(a.shape, b.shape, shape);
    mnk(a.padded_shape, b.padded_shape, padded);
    const std::int64_t input[] = {from_end(a.shape, a.rank, 3), from_end(a.shape, a.rank, 2)};
    const std::int64_t other[] = {from_end(b.shape, b.rank, 3), from_end(b.shape, b.rank, 2)};
    const std::int64_t last_c = c.strides[c.rank - 1];
    const std::int64_t strides[] = {a.strides[a.rank - 1], last_c, last_c, b.strides[b.rank - 1]};
    dims(argument_name::input_dim_nc, input, 2);
    dims(argument_name::other_dim_nc, other, 2);
    if (to_.which == dialect::d1b) dims(argument_name::padded_shape_mnk, padded, 3);
    dims(argument_name::shape_mnk, shape, 3);
    dims(argument_name::strides_acdb, strides, 4);
    return errc::ok;
  }
  void dims(argument_name name, const std::int64_t* values, std::uint32_t count) {
    argument a;
    a.name = name;
    a.type = argument_type::dims;
    a.integers = {static_cast<std::uint32_t>(g_.integers.size()), count};
    g_.integers.append(values, count);
    g_.arguments.push_back(a);
  }

  ark::model& g_;
  const dialect_row& from_;
  const dialect_row& to_;
};

/// Numbers for Ids, in the order in which they are asked for.
class renumbering {
 public:
  /// Every Id that there is, before any is asked for.
  void add(std::int64_t id) { entries_.push_back({id, none}); }
  void finish() {
    sort(entries_.data(), entries_.size(),
         [](const entry& a, const entry& b) { return a.id < b.id; });
    std::size_t kept = 0;
    for (const entry& e : entries_)
      if (kept == 0 || entries_[kept - 1].id != e.id) entries_[kept++] = e;
    entries_.resize(kept);
  }
  [[nodiscard]] std::int64_t operator()(std::int64_t id) noexcept {
    std::size_t low = 0, high = entries_.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      (entries_[middle].id <= id ? low : high) = middle;
    }
    std::uint32_t& number = entries_[low].number;
    if (number == none) number = next_++;
    return number;
  }

 private:
  struct entry {
    std::int64_t id;
    std::uint32_t number;
  };
  pool<entry> entries_;  // by Id
  std::uint32_t next_ = 0;
};

class canonicaliser {
 public:
  explicit canonicaliser(const model& g) : g_(g), names_(out_) {
    for (const node& n : g.nodes) {
      node_ids_.add(n.id);
      for (const range r : {n.producers, n.consumers})
        for (const std::int64_t id : integers(g, r)) node_ids_.add(id);
    }
    for (const tensor& t : g.tensors) {
      tensor_ids_.add(t.id);
      made_.push_back(none);
    }
    for (const buffer& b : g.buffers) {
      buffer_ids_.add(b.id);
      stored_.push_back(none);
    }
    for (const argument& a : g.arguments)
      if (a.type == argument_type::offset && a.integers.count == 2 &&
          a.integers.first < g.integers.size())
        buffer_ids_.add(g.integers[a.integers.first]);
    node_ids_.finish();
    tensor_ids_.finish();
    buffer_ids_.finish();
  }

  [[nodiscard]] model run() {
    out_.rank = g_.rank;
    out_.world_size = g_.world_size;
    out_.form = g_.form;
    for (const node& n : g_.nodes) (void)node_ids_(n.id);
    for (const node& n : g_.nodes) {
      node made = n;
      made.id = static_cast<std::int64_t>(out_.nodes.size());
      made.producers = edges(n.producers);
      made.consumers = edges(n.consumers);
      made.ops.first = names_.index(out_.ops.size());
      for (const op& o : operations(g_, n)) operation(o);
      made.members = members(n.members);
      out_.nodes.push_back(made);
    }
    out_.own_members = members(g_.own_members);
    return static_cast<model&&>(out_);
  }

 private:
  [[nodiscard]] range edges(range r) {
    const range out{names_.index(out_.integers.size()), r.count};
    for (const std::int64_t id : integers(g_, r)) out_.integers.push_back(node_ids_(id));
    sort(out_.integers.data() + out.first, out.count,
         [](std::int64_t a, std::int64_t b) { return a < b; });
    return out;
  }
  [[nodiscard]] string characters(string s) { return names_.characters(text_of(g_, s)); }
  [[nodiscard]] std::uint32_t members(std::uint32_t first) {
    std::uint32_t made = none, last = none;
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      const std::uint32_t at = names_.index(out_.members.size());
      (last == none ? made : out_.members[last].next) = at;
      last = at;
      member m;
      m.key = characters(g_.members[i].key);
      m.value = characters(g_.members[i].value);
      out_.members.push_back(m);
    }
    return made;
  }

  void operation(const op& o) {
    op made = o;
    made.unknown_type = o.type == op_type::unknown ? characters(o.unknown_type) : string{};
    made.name = characters(o.name);
    made.first_use = names_.index(out_.uses.size());
    for (const std::uint32_t t : uses(g_, o)) {
      const std::uint32_t mapped = tensor_of(t);
      out_.uses.push_back(mapped);
    }
    const view<argument> all = arguments(g_, o);
    order_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) order_.push_back(i);
    sort(order_.data(), order_.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(g_, all[a]) < name(g_, all[b]); });
    made.arguments.first = names_.index(out_.arguments.size());
    for (const std::uint32_t i : order_) out_.arguments.push_back(one_argument(all[i]));
    made.members = members(o.members);
    out_.ops.push_back(made);
  }
  [[nodiscard]] argument one_argument(const argument& a) {
    argument made = a;
    made.other_name = a.name == argument_name::other ? characters(a.other_name) : string{};
    made.token = characters(a.token);
    made.integers = {names_.index(out_.integers.size()), 0};
    if (a.type == argument_type::tensor)
      made.integer = tensor_of(static_cast<std::uint32_t>(a.integer));
    if (a.type != argument_type::dims && a.type != argument_type::offset) return made;
    made.integers.count = a.integers.count;
    for (const std::int64_t v : integers(g_, a.integers)) out_.integers.push_back(v);
    if (a.type == argument_type::offset && a.integers.count == 2)
      out_.integers[made.integers.first] = buffer_ids_(out_.integers[made.integers.first]);
    return made;
  }

  [[nodiscard]] std::uint32_t tensor_of(std::uint32_t t) {
    if (made_[t] != none) return made_[t];
    tensor made = g_.tensors[t];
    made.id = tensor_ids_(made.id);
    layout l = g_.layouts[made.layout];
    if (l.pads != none) {
      const std::uint32_t first = names_.index(out_.integers.size());
      for (const std::int64_t v : integers(g_, {l.pads, l.rank})) out_.integers.push_back(v);
      l.pads = first;
    }
    made.layout = names_.layout(l);
    made.buffer = buffer_of(made.buffer);
    made.members = members(made.members);
    made_[t] = names_.index(out_.tensors.size());
    out_.tensors.push_back(made);
    return made_[t];
  }
  [[nodiscard]] std::uint32_t buffer_of(std::uint32_t b) {
    if (stored_[b] != none) return stored_[b];
    buffer made = g_.buffers[b];
    made.id = buffer_ids_(made.id);
    made.send_tags = sorted_tags(made.send_tags);
    made.recv_tags = sorted_tags(made.recv_tags);
    made.members = members(made.members);
    stored_[b] = names_.index(out_.buffers.size());
    out_.buffers.push_back(made);
    return stored_[b];
  }
  [[nodiscard]] range sorted_tags(range r) {
    const range out{names_.index(out_.tags.size()), r.count};
    for (const tag& t : tags(g_, r)) out_.tags.push_back(t);
    sort(out_.tags.data() + out.first, out.count, [](const tag& a, const tag& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
    });
    return out;
  }

  const ark::model& g_;
  model out_;
  interner names_;
  renumbering node_ids_, tensor_ids_, buffer_ids_;
  pool<std::uint32_t> made_, stored_;  // the new place of each tensor and buffer
  pool<std::uint32_t> order_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<model> convert(model m, dialect to) {
  if (static_cast<std::size_t>(to) >= std::size(dialect_table)) return error{errc::ark_dialect, 0};
  if (const error e = check(m); e.code != errc::ok) return e;
  if (to == m.form && in_dialect(m)) return m;
  detail::converter c(m, to);
  if (const error e = c.run(); e.code != errc::ok) return e;
  return m;
}

TESSERA_INLINE model canonicalise(const model& m) {
  if (check(m).code != errc::ok) return m;
  return detail::canonicaliser(m).run();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_CONVERT_HPP

// ---- tessera/ark/detail/build.hpp
//
// The bodies of ark/build.hpp.

#ifndef TESSERA_ARK_DETAIL_BUILD_HPP
#define TESSERA_ARK_DETAIL_BUILD_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>


// ---- tessera/ark/detail/build_rules.hpp
//
// The shapes that follow from the operands of an operation, for builders.
//
//   element-wise   numpy's broadcasting            transpose   shape[i] = a.shape[permutation[i]]
//   reduce         the axis becomes 1, or goes     matmul      [..,M,N], of PaddedShape too
//   embedding      four dimensions: three of the indices, the table's columns
//
// Lifetime:   borrows the model.
// Errors:     the codes of the rules of verify().
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_BUILD_RULES_HPP
#define TESSERA_ARK_DETAIL_BUILD_RULES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The shape rules of operations, for one model.
class shape_rules {
 public:
  explicit shape_rules(const model& g) noexcept : model_(g) {}

  /// Rules T02 to T07.
  [[nodiscard]] static errc check_place(const layout& l, data_type type) noexcept {
    if (static_cast<std::size_t>(type) >= std::size(data_type_table))
      return errc::ark_t06_data_type;
    std::int64_t room = INT64_MAX / info(type).bytes;
    for (std::size_t d = 0; d < l.rank; ++d) {
      if (l.shape[d] < 1) return errc::ark_t02_dimension;
      if (l.offsets[d] < 0) return errc::ark_t03_offset;
      if (l.padded_shape[d] < l.shape[d]) return errc::ark_t04_padding;
      if (l.strides[d] < l.padded_shape[d] || l.strides[d] - l.padded_shape[d] < l.offsets[d])
        return errc::ark_t05_strides;
      if ((room /= l.strides[d]) == 0) return errc::ark_t07_size;
    }
    return errc::ok;
  }
  /// The shape of a transposed tensor.
  [[nodiscard]] static errc permute(const layout& a, const op_options& o, layout& out) {
    const setting* const p = find(o.args, argument_name::permutation);
    if (p == nullptr) return errc::ark_o04_argument;
    if (p->dims.count != a.rank) return errc::ark_o11_permutation;
    unsigned seen = 0;
    out.rank = a.rank;
    for (std::uint32_t d = 0; d < a.rank; ++d) {
      const std::int64_t from = p->dims.at[d];
      if (from < 0 || from >= a.rank || (seen >> from & 1) != 0) return errc::ark_o11_permutation;
      seen |= 1u << from;
      out.shape[d] = a.shape[from];
    }
    return errc::ok;
  }
  /// The layout and type of what an operation writes, by the rules of its kind.
  [[nodiscard]] errc derive(op_type type, view<value> reads, const op_options& o, layout& out,
                            data_type& of) const {
    const auto read = [&](std::size_t i) -> const layout& {
      return layout_of(model_, reads[i].index);
    };
    const auto type_of = [&](std::size_t i) { return model_.tensors[reads[i].index].type; };
    const auto plain = [&out] {
      for (std::size_t d = 0; d < max_rank; ++d) {
        if (d >= out.rank) out.shape[d] = 1;
        out.strides[d] = out.padded_shape[d] = out.shape[d];
      }
      return errc::ok;
    };
    if (!reads.empty()) of = type_of(0);
    switch (info(type).kind) {
      case op_kind::unary:
      case op_kind::layer_norm:
        if (type == op_type::cast) of = o.type;
        return (void)broadcast(read(0), read(0), out), plain();
      case op_kind::binary:
        if (type_of(1) != of) return errc::ark_o06_data_types;
        return broadcast(read(0), read(1), out) ? plain() : errc::ark_o07_shape;
      case op_kind::reduce: {
        const setting* const axis = find(o.args, argument_name::axis);
        const setting* const keep = find(o.args, argument_name::keep_dim);
        if (axis == nullptr || keep == nullptr) return errc::ark_o04_argument;
        const layout& a = read(0);
        if (axis->integer < 0 || axis->integer >= a.rank) return errc::ark_o10_reduction;
        for (std::uint32_t d = 0; d < a.rank; ++d) {
          if (d != axis->integer)
            out.shape[out.rank++] = a.shape[d];
          else if (keep->integer != 0 || a.rank == 1)
            out.shape[out.rank++] = 1;
        }
        return plain();
      }
      case op_kind::transpose: {
        const errc code = permute(read(0), o, out);
        return code == errc::ok ? plain() : code;
      }
      case op_kind::matmul: {
        const auto flag = [&](argument_name n) {
          const setting* const s = find(o.args, n);
          return s != nullptr && s->integer != 0;
        };
        const bool ta = flag(argument_name::transpose_input),
                   tb = flag(argument_name::transpose_other);
        if (type_of(1) != of) return errc::ark_o06_data_types;
        errc code = matmul_shape(read(0), read(1), &layout::shape, ta, tb, out.rank, out.shape);
        if (code == errc::ok)
          code = matmul_shape(read(0), read(1), &layout::padded_shape, ta, tb, out.rank,
                              out.padded_shape);
        for (std::size_t d = 0; d < max_rank; ++d) out.strides[d] = out.padded_shape[d];
        return code;
      }
      case op_kind::embedding: {
        const layout &rows = read(0), &table = read(1);
        if (rows.rank > 3 || table.rank != 2) return errc::ark_o13_embedding;
        if (of != data_type::int32) return errc::ark_o06_data_types;
        of = type_of(1);
        out.rank = max_rank;
        for (std::uint32_t d = 0; d < 3; ++d) out.shape[d] = from_end(rows.shape, rows.rank, 2 - d);
        out.shape[3] = table.shape[1];
        return plain();
      }
      case op_kind::fill:
      case op_kind::kv_cache_slot:
      case op_kind::communication:
      case op_kind::none:
      case op_kind::view:
      case op_kind::unknown: break;
    }
    return errc::ark_o03_arity;  // the output doesn't follow from the inputs
  }
  /// Whether tensors that were given may be written.
  [[nodiscard]] errc fits(op_type type, view<value> reads, const op_options& o,
                          const pool<value>& written) const {
    const op_kind kind = info(type).kind;
    if (kind == op_kind::fill || kind == op_kind::communication || kind == op_kind::none ||
        kind == op_kind::kv_cache_slot)
      return errc::ok;
    const layout& w = layout_of(model_, written[0].index);
    const data_type target = model_.tensors[written[0].index].type;
    layout made, both;
    data_type of = target;
    op_options wanted = o;
    wanted.type = target;
    if (const errc code = derive(type, reads, wanted, made, of); code != errc::ok) return code;
    if (of != target) return errc::ark_o06_data_types;
    bool same = kind == op_kind::unary ? broadcast(made, w, both) : made.rank == w.rank;
    for (std::size_t d = 0; d < max_rank; ++d)
      same = same && (kind == op_kind::unary ? both.shape[d] : made.shape[d]) == w.shape[d];
    for (std::size_t d = 0; d < max_rank && kind == op_kind::matmul; ++d)
      same = same && made.padded_shape[d] == w.padded_shape[d];
    return same ? errc::ok : kind == op_kind::matmul ? errc::ark_o12_matmul : errc::ark_o07_shape;
  }
  [[nodiscard]] static errc arguments_complete(op_type type, view<setting> args) noexcept {
    for (const argument_row& row : argument_table) {
      if (row.op != type || row.use != argument_use::required) continue;
      const setting* const s = find(args, row.name);
      if (s == nullptr || s->type != row.type) return errc::ark_o04_argument;
    }
    return errc::ok;
  }

 private:
  /// Dimension `back` from the end, with ones in front.
  [[nodiscard]] static std::int64_t from_end(const std::int64_t* d, std::uint32_t rank,
                                             std::uint32_t back) noexcept {
    return back < rank ? d[rank - 1 - back] : 1;
  }
  /// out = a and b broadcast to each other; false when they don't fit.
  [[nodiscard]] static bool broadcast(const layout& a, const layout& b, layout& out) noexcept {
    out.rank = a.rank > b.rank ? a.rank : b.rank;
    for (std::uint32_t back = 0; back < out.rank; ++back) {
      const std::int64_t x = from_end(a.shape, a.rank, back), y = from_end(b.shape, b.rank, back);
      if (x != y && x != 1 && y != 1) return false;
      out.shape[out.rank - 1 - back] = x == 1 ? y : x;
    }
    return true;
  }
  [[nodiscard]] static const setting* find(view<setting> args, argument_name name) noexcept {
    for (const setting& s : args)
      if (s.name == name) return &s;
    return nullptr;
  }
  /// What the operation's rule makes of shapes: those of the data, or the padded ones.
  [[nodiscard]] static errc matmul_shape(const layout& a, const layout& b,
                                         const std::int64_t (layout::*shape)[max_rank],
                                         bool transpose_a, bool transpose_b, std::uint32_t& rank,
                                         std::int64_t* out) noexcept {
    const std::int64_t *x = a.*shape, *y = b.*shape;
    const std::int64_t m = from_end(x, a.rank, transpose_a ? 0 : 1);
    const std::int64_t k = from_end(x, a.rank, transpose_a ? 1 : 0);
    const bool column = b.rank == 1;  // a vector on the right is a column
    const std::int64_t n =
        column ? (transpose_b ? y[0] : 1) : from_end(y, b.rank, transpose_b ? 1 : 0);
    const std::int64_t other =
        column ? (transpose_b ? 1 : y[0]) : from_end(y, b.rank, transpose_b ? 0 : 1);
    if (k != other) return errc::ark_o12_matmul;
    rank = a.rank > b.rank ? a.rank : b.rank;
    if (rank < 2) rank = 2;
    out[rank - 1] = n;
    out[rank - 2] = m;
    for (std::uint32_t back = 2; back < rank; ++back) {
      const std::int64_t p = from_end(x, a.rank, back), q = from_end(y, b.rank, back);
      if (p != q && p != 1 && q != 1) return errc::ark_o12_matmul;
      out[rank - 1 - back] = p == 1 ? q : p;
    }
    return errc::ok;
  }

  const ark::model& model_;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_BUILD_RULES_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE builder::builder(std::int32_t rank, std::int32_t world_size) {
  model_.rank = rank;
  model_.world_size = world_size;
}

TESSERA_INLINE value builder::tensor(const dims& shape, data_type type, const tensor_options& o) {
  layout l;
  if (!place(shape, o, nullptr, type, l)) return {};
  return add_tensor(l, type, add_buffer(o.rank), none);
}

TESSERA_INLINE value builder::refer(value of, const dims& shape, const tensor_options& o) {
  if (!known(of)) return {};
  const ark::tensor t = model_.tensors[of.index];
  const layout shown = model_.layouts[t.layout];
  layout l;
  if (!place(shape, o, &shown, t.type, l)) return {};
  return add_tensor(l, t.type, t.buffer, maker_[of.index]);
}

TESSERA_INLINE pool<value> builder::shard(value of, std::int32_t axis, std::int64_t size) {
  pool<value> parts;
  if (!known(of)) return parts;
  const layout l = layout_of(model_, of.index);
  if (!normalise(axis, l.rank)) return parts;
  if (size < 1 || l.shape[axis] % size != 0 || l.padded_shape[axis] != l.shape[axis])
    return fail(errc::ark_t02_dimension), parts;
  for (std::int64_t from = 0; from < l.shape[axis]; from += size) {
    layout part = l;
    part.shape[axis] = part.padded_shape[axis] = size;
    part.offsets[axis] += from;
    const ark::tensor t = model_.tensors[of.index];
    parts.push_back(add_tensor(part, t.type, t.buffer, maker_[of.index]));
  }
  return parts;
}

TESSERA_INLINE value builder::reshape(value of, const dims& shape) {
  if (!known(of)) return {};
  const ark::tensor t = model_.tensors[of.index];
  const layout from = model_.layouts[t.layout];
  layout l;
  if (!place(shape, {}, nullptr, t.type, l)) return {};
  std::int64_t before = 1, after = 1;
  bool whole = true;
  for (std::size_t d = 0; d < max_rank; ++d) {
    before *= from.strides[d];
    after *= l.shape[d];
    whole = whole && from.shape[d] == from.strides[d];
  }
  if (!whole || before != after) return fail(errc::ark_o07_shape);
  return add_tensor(l, t.type, t.buffer, maker_[of.index]);
}

TESSERA_INLINE value builder::cast(value a, data_type to, op_options o) {
  o.type = to;
  return op(op_type::cast, {a}, o);
}

TESSERA_INLINE value builder::scalar_assign(value to, float v, op_options o) {
  o.to = to;
  const setting s[] = {{.name = argument_name::value, .type = argument_type::float32, .real = v}};
  return with(op_type::scalar_assign, {}, o, s, 1);
}

TESSERA_INLINE value builder::transpose(value a, const dims& permutation, const op_options& o) {
  const setting s[] = {
      {.name = argument_name::permutation, .type = argument_type::dims, .dims = permutation}};
  return with(op_type::transpose, {&a, 1}, o, s, 1);
}

TESSERA_INLINE value builder::matmul(value a, value b, const matmul_options& o) {
  const value both[] = {a, b};
  const setting s[] = {
      boolean(argument_name::transpose_input, o.transpose_input),
      boolean(argument_name::transpose_other, o.transpose_other),
  };
  return with(op_type::matmul, {both, 2}, {.name = o.name, .to = o.to}, s, 2);
}

TESSERA_INLINE value builder::send(value data, std::int32_t to_rank, std::int32_t tag,
                                   op_options o) {
  if (!known(data) || !other_rank(to_rank)) return {};
  if (o.to.index == none)
    o.to = add_tensor(layout_of(model_, data.index), model_.tensors[data.index].type,
                      add_buffer(to_rank), none);
  else if (!known(o.to) || buffer_of(model_, o.to.index).rank != to_rank)
    return fail(errc::ark_c01_send);
  if (!is_local(model_, buffer_of(model_, data.index))) return fail(errc::ark_c01_send);
  const value sent = op(op_type::send, {data}, o);
  send_tag(data, to_rank, tag);
  recv_tag(o.to, -1, tag);
  return sent;
}

TESSERA_INLINE value builder::recv(value to, std::int32_t from_rank, std::int32_t tag,
                                   op_options o) {
  if (!known(to) || !other_rank(from_rank)) return {};
  if (!is_local(model_, buffer_of(model_, to.index))) return fail(errc::ark_c02_recv);
  const value label = add_tensor(layout_of(model_, to.index), model_.tensors[to.index].type,
                                 add_buffer(from_rank), none);
  o.to = to;
  const value received = op(op_type::recv, {label}, o);
  send_tag(label, -1, tag);
  recv_tag(to, from_rank, tag);
  return received;
}

TESSERA_INLINE value builder::device_sync(value a, op_options o) {
  if (!known(a)) return {};
  o.to = add_tensor(layout_of(model_, a.index), model_.tensors[a.index].type,
                    model_.tensors[a.index].buffer, maker_[a.index]);
  const setting s[] = {{.name = argument_name::rank, .integer = model_.rank},
                       {.name = argument_name::peer_num, .integer = model_.world_size - 1}};
  return with(op_type::device_sync, {&a, 1}, o, s, 2);
}

TESSERA_INLINE value builder::op(op_type type, view<value> reads, const op_options& o) {
  if (error_.code != errc::ok) return {};
  const op_row& row = info(type);
  if (type >= op_type::unknown || row.kind == op_kind::view) return fail(errc::ark_o01_type);
  if (row.reads >= 0 && reads.size() != static_cast<std::size_t>(row.reads))
    return fail(errc::ark_o03_arity);
  for (const value r : reads)
    if (!known(r)) return {};
  pool<value> written;
  written.append(o.writes.data(), o.writes.size());
  if (written.empty() && o.to.index != none) written.push_back(o.to);
  bool local = true;
  for (const value w : written) {
    if (!known(w)) return {};
    local = local && is_local(model_, buffer_of(model_, w.index));
  }
  for (const value r : reads) local = local && is_local(model_, buffer_of(model_, r.index));
  if (!local && row.kind != op_kind::communication) return fail(errc::ark_c07_remote);
  if (written.empty() && row.writes != 0) {
    layout fresh;
    data_type of = data_type::fp32;
    if (const errc code = detail::shape_rules(model_).derive(type, reads, o, fresh, of);
        code != errc::ok)
      return fail(code);
    if (const errc code = detail::shape_rules::check_place(fresh, of); code != errc::ok)
      return fail(code);
    written.push_back(add_tensor(fresh, of, add_buffer(-1), none));
  } else if (row.writes > 0 || row.kind != op_kind::communication) {
    if (written.size() != static_cast<std::size_t>(row.writes)) return fail(errc::ark_o03_arity);
    if (const errc code = detail::shape_rules(model_).fits(type, reads, o, written);
        code != errc::ok)
      return fail(code);
  }
  if (const errc code = detail::shape_rules(model_).arguments_complete(type, o.args);
      code != errc::ok)
    return fail(code);
  return append(type, reads, written, o);
}

TESSERA_INLINE result<model> builder::finish() {
  if (error_.code != errc::ok) return error_;
  if (names_.overflown()) return tessera::error{errc::ark_too_large, 0, error_index::whole};
  sort(tags_.data(), tags_.size(), [](const pending_tag& a, const pending_tag& b) {
    if (a.buffer != b.buffer) return a.buffer < b.buffer;
    if (a.list != b.list) return a.list < b.list;
    return a.what.rank != b.what.rank ? a.what.rank < b.what.rank : a.what.number < b.what.number;
  });
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    const pending_tag& t = tags_[i];
    range& list =
        t.list == 0 ? model_.buffers[t.buffer].send_tags : model_.buffers[t.buffer].recv_tags;
    if (list.count == 0) list.first = names_.index(model_.tags.size());
    if (list.count != 0 && model_.tags.back() == t.what) continue;
    model_.tags.push_back(t.what);
    ++list.count;
  }
  detail::set_edges(model_, edges_);
  error_ = {errc::ark_s04_nodes, model_.ops.size(), error_index::operation};
  if (const tessera::error e = check(model_); e.code != errc::ok) return e;
  return std::move(model_);
}

TESSERA_INLINE value builder::fail(errc code) {
  if (error_.code == errc::ok) error_ = {code, model_.ops.size(), error_index::operation};
  return {};
}

TESSERA_INLINE bool builder::known(value v) {
  if (error_.code == errc::ok && v.index >= model_.tensors.size()) (void)fail(errc::ark_o03_arity);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::other_rank(std::int32_t rank) {
  if (rank < 0 || rank >= model_.world_size || rank == model_.rank)
    (void)fail(errc::ark_b02_buffer_rank);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::normalise(std::int32_t& axis, std::uint32_t rank) {
  const auto dimensions = static_cast<std::int32_t>(rank);
  if (axis < 0) axis += dimensions;
  if (axis < 0 || axis >= dimensions) (void)fail(errc::ark_o10_reduction);
  return error_.code == errc::ok;
}

TESSERA_INLINE bool builder::place(const dims& shape, const tensor_options& o, const layout* shown,
                                   data_type type, layout& l) {
  if (error_.code != errc::ok) return false;
  l.rank = shape.count;
  if (l.rank == 0 || l.rank > max_rank) return (void)fail(errc::ark_t01_rank), false;
  const auto list = [&](const dims& given, const std::int64_t* otherwise, std::int64_t* out) {
    for (std::size_t d = 0; d < l.rank; ++d) out[d] = given.count != 0 ? given.at[d] : otherwise[d];
    return given.count == 0 || given.count == l.rank;
  };
  constexpr std::int64_t zeros[max_rank] = {};
  const bool same_rank = shown != nullptr && shown->rank == l.rank;
  if (!list(shape, nullptr, l.shape) || !list(o.padded_shape, l.shape, l.padded_shape) ||
      !list(o.strides, same_rank ? shown->strides : l.padded_shape, l.strides) ||
      !list(o.offsets, zeros, l.offsets))
    return (void)fail(errc::ark_t01_rank), false;
  if (const errc code = detail::shape_rules::check_place(l, type); code != errc::ok)
    return (void)fail(code), false;
  return true;
}

TESSERA_INLINE std::uint32_t builder::add_buffer(std::int32_t rank) {
  buffer b;
  b.id = static_cast<std::int64_t>(model_.buffers.size());
  b.rank = rank == model_.rank ? -1 : rank;
  model_.buffers.push_back(b);
  return names_.index(model_.buffers.size()) - 1;
}

TESSERA_INLINE value builder::add_tensor(const layout& l, data_type type, std::uint32_t buffer,
                                         std::uint32_t maker) {
  ark::tensor t;
  t.id = static_cast<std::int64_t>(model_.tensors.size());
  t.layout = names_.layout(l);
  t.buffer = buffer;
  t.type = type;
  model_.tensors.push_back(t);
  maker_.push_back(maker);
  return {names_.index(model_.tensors.size()) - 1};
}

TESSERA_INLINE value builder::with(op_type type, view<value> reads, op_options o, const setting* s,
                                   std::size_t count) {
  o.args = {s, count};
  return op(type, reads, o);
}

TESSERA_INLINE value builder::scalar(op_type type, value a, float f, const op_options& o) {
  const setting s[] = {{.name = argument_name::factor, .type = argument_type::float32, .real = f}};
  return with(type, {&a, 1}, o, s, 1);
}

TESSERA_INLINE value builder::reduce(op_type type, value a, std::int32_t axis,
                                     const reduce_options& o) {
  if (!known(a) || !normalise(axis, layout_of(model_, a.index).rank)) return {};
  const setting s[] = {{.name = argument_name::axis, .integer = axis},
                       boolean(argument_name::keep_dim, o.keep_dim)};
  return with(type, {&a, 1}, {.name = o.name, .to = o.to}, s, 2);
}

TESSERA_INLINE value builder::append(op_type type, view<value> reads, const pool<value>& written,
                                     const op_options& o) {
  const std::uint32_t number = names_.index(model_.nodes.size());
  ark::op made;
  made.type = type;
  made.name = unique_name(type, o.name);
  made.first_use = names_.index(model_.uses.size());
  made.reads = names_.index(reads.size());
  made.writes = names_.index(written.size());
  const auto use = [&](value v) {
    model_.uses.push_back(v.index);
    if (maker_[v.index] != none) edges_.push_back({maker_[v.index], number});
  };
  for (const value v : reads) use(v);
  for (const value v : written) use(v);
  value result;
  if (info(type).results != 0) {
    // The last one for KvCacheSlot, whose others are its state.
    const std::size_t which = type == op_type::kv_cache_slot ? written.size() - 1 : 0;
    const ark::tensor shown = model_.tensors[(written.empty() ? reads[0] : written[which]).index];
    const layout l = model_.layouts[shown.layout];
    result = add_tensor(l, shown.type, shown.buffer, number);
    model_.uses.push_back(result.index);
    made.results = 1;
  }
  made.arguments = {names_.index(model_.arguments.size()), names_.index(o.args.size())};
  for (const setting& s : o.args) {
    argument a;
    a.name = s.name;
    a.type = s.type;
    a.integer = s.integer;
    a.real = s.real;
    if (s.type == argument_type::dims) {
      if (s.dims.count > max_rank) return fail(errc::ark_o05_argument_form);
      a.integers = {names_.index(model_.integers.size()), s.dims.count};
      model_.integers.append(s.dims.at, s.dims.count);
    }
    model_.arguments.push_back(a);
  }
  node n;
  n.id = number;
  n.ops = {names_.index(model_.ops.size()), 1};
  model_.ops.push_back(made);
  model_.nodes.push_back(n);
  return result;
}

TESSERA_INLINE string builder::unique_name(op_type type, std::string_view given) {
  text base(given);
  for (const char c : given.empty() ? info(type).name : std::string_view()) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !base.empty()) base << '_';
    base << (upper ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (2 * (bases_used_ + 1) > bases_.size()) grow_bases();
  base_name& slot = bases_[find_base(base)];
  if (slot.uses++ == 0) {
    ++bases_used_;
    return slot.name = names_.characters(base);
  }
  base << '_' << slot.uses - 1;
  return names_.characters(base);
}

TESSERA_INLINE std::size_t builder::find_base(std::string_view base) const noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : base) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  for (std::size_t i = to_size(hash);; ++i) {
    const base_name& slot = bases_[i & (bases_.size() - 1)];
    if (slot.uses == 0 || text_of(model_, slot.name) == base) return i & (bases_.size() - 1);
  }
}

TESSERA_INLINE void builder::grow_bases() {
  const pool<base_name> old = std::move(bases_);
  bases_ = {};
  bases_.resize(old.empty() ? 64 : 2 * old.size());
  for (const base_name& b : old)
    if (b.uses != 0) bases_[find_base(text_of(model_, b.name))] = b;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_BUILD_HPP

// ---- tessera/core/detail/report.hpp
//
// The bodies of core/report.hpp.

#ifndef TESSERA_CORE_DETAIL_REPORT_HPP
#define TESSERA_CORE_DETAIL_REPORT_HPP


// ---- tessera/core/detail/json_path.hpp
//
// The bodies of core/json_path.hpp.

#ifndef TESSERA_CORE_DETAIL_JSON_PATH_HPP
#define TESSERA_CORE_DETAIL_JSON_PATH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


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

// ---- tessera/ark/detail/print.hpp
//
// The bodies of ark/print.hpp.

#ifndef TESSERA_ARK_DETAIL_PRINT_HPP
#define TESSERA_ARK_DETAIL_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Appends the parts of a listing. Plans hold the same operations and use it too.
class graph_printer {
 public:
  graph_printer(text& out, const model& g) : out_(out), g_(g) {}

  void count(std::size_t n, std::string_view noun) {
    out_ << n << ' ' << noun << (n == 1 ? "" : "s");
  }

  /// Results, Type, tensors that are read and written, arguments. No end of line.
  void operation(const op& o) {
    const view<std::uint32_t> written = writes(g_, o);
    std::string_view between;
    for (const std::uint32_t t : results(g_, o)) {
      out_ << between;
      if (!written.empty() && same_view(t, written[0]))
        out_ << '%' << g_.tensors[t].id;
      else
        tensor(t);
      between = ", ";
    }
    if (o.results != 0) out_ << " = ";
    word(type_name(g_, o));
    out_ << '(';
    tensors(reads(g_, o));
    out_ << ')';
    if (o.writes != 0) out_ << " -> ";
    tensors(written);
    if (o.arguments.count == 0) return;
    between = " {";
    for (const argument& a : arguments(g_, o)) {
      out_ << between;
      one_argument(o, a);
      between = ", ";
    }
    out_ << '}';
  }
  /// The parts without effect on the result.
  void comment(const op& o) {
    out_ << ' ';
    json::append_quoted(out_, name(g_, o));
    if (o.is_virtual != is_virtual(o.type)) out_ << (o.is_virtual ? ", virtual" : ", not virtual");
    members(o.members);
  }
  void members(std::uint32_t first) {
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      out_ << ", ";
      word(text_of(g_, g_.members[i].key));
      append_shown(out_ << '=', text_of(g_, g_.members[i].value));
    }
  }
  void edges(std::string_view arrow, view<std::int64_t> ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) out_ << (i == 0 ? arrow : ", ") << ids[i];
  }

  /// A line for a buffer that isn't a plain local one.
  void buffer(const ark::buffer& b) {
    const bool local = is_local(g_, b);
    if (local && b.send_tags.count + std::uint64_t{b.recv_tags.count} == 0 &&
        b.external != external::yes && b.members == none)
      return;
    out_ << '@' << b.id << ": ";
    std::string_view between;
    if (!local) {
      out_ << "rank " << b.rank;
      between = ", ";
    }
    if (b.external == external::yes) {
      out_ << between << "external";
      between = ", ";
    }
    for (const bool sends : {true, false}) {
      const view<tag> list = tags(g_, sends ? b.send_tags : b.recv_tags);
      if (list.empty()) continue;
      out_ << between << (sends ? "sends" : "receives");
      for (const tag& t : list) out_ << " [" << t.rank << ',' << t.number << ']';
      between = ", ";
    }
    if (between.empty()) out_ << "local";
    members(b.members);
    out_ << '\n';
  }

 private:
  /// A name, in quotes unless it is an identifier.
  void word(std::string_view s) {
    bool plain = !s.empty();
    for (const char c : s)
      plain = plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '-');
    if (plain)
      out_ << s;
    else
      json::append_quoted(out_, s);
  }
  void list(const std::int64_t* values, std::size_t count) {
    out_ << '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) out_ << ',';
      out_ << values[i];
    }
    out_ << ']';
  }
  static bool equal(const std::int64_t* a, const std::int64_t* b, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  [[nodiscard]] bool same_view(std::uint32_t a, std::uint32_t b) const noexcept {
    return g_.tensors[a].type == g_.tensors[b].type &&
           g_.tensors[a].buffer == g_.tensors[b].buffer &&
           same_dimensions(layout_of(g_, a), layout_of(g_, b));
  }
  void tensors(view<std::uint32_t> all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != 0) out_ << ", ";
      tensor(all[i]);
    }
  }
  void tensor(std::uint32_t index) {
    constexpr std::int64_t zeros[max_rank] = {}, ones[max_rank] = {1, 1, 1, 1};
    const ark::tensor& t = g_.tensors[index];
    const layout& l = g_.layouts[t.layout];
    out_ << '%' << t.id << ' ' << info(t.type).name;
    list(l.shape, l.rank);
    const auto unless = [&](const std::int64_t* plain, const char* word, const std::int64_t* is) {
      if (equal(plain, is, l.rank)) return;
      out_ << word;
      list(is, l.rank);
    };
    unless(l.shape, " of ", l.strides);
    unless(zeros, " at ", l.offsets);
    unless(l.shape, " padded ", l.padded_shape);
    if (l.pads != none) unless(ones, " pads ", g_.integers.data() + l.pads);
    const ark::buffer& b = g_.buffers[t.buffer];
    out_ << " @" << b.id;
    if (!is_local(g_, b)) out_ << ":rank" << b.rank;
  }

  void one_argument(const op& o, const argument& a) {
    word(name(g_, a));
    out_ << '=';
    bool known = false;
    for (const argument_row& row : argument_table)
      known = known || (row.op == o.type && row.name == a.name && row.type == a.type);
    if (!known && a.type != argument_type::other)
      out_ << argument_type_names[static_cast<std::size_t>(a.type)] << ':';
    switch (a.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32: out_ << a.integer; break;
      case argument_type::uint64: out_ << static_cast<std::uint64_t>(a.integer); break;
      case argument_type::boolean: out_ << (a.integer != 0 ? "true" : "false"); break;
      case argument_type::float32:
        if (a.token.size != 0)
          out_ << text_of(g_, a.token);
        else
          append_double(out_, static_cast<double>(a.real), double_style::json15);
        break;
      case argument_type::dims:
        list(g_.integers.data() + a.integers.first, a.integers.count);
        break;
      case argument_type::tensor: tensor(static_cast<std::uint32_t>(a.integer)); break;
      case argument_type::offset: {
        const view<std::int64_t> parts = integers(g_, a.integers);
        if (parts.size() == 2) out_ << '@' << parts[0] << '+';
        out_ << parts[parts.size() - 1];
        break;
      }
      case argument_type::other: append_shown(out_, text_of(g_, a.token)); break;
    }
  }

  text& out_;
  const ark::model& g_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE text print(const model& m, const print_options&) {
  text out;
  detail::graph_printer p(out, m);
  const error wrong = check(m);
  out << "ark " << (wrong.code == errc::ark_dialect ? std::string_view("?") : info(m.form).name)
      << ": rank " << m.rank << " of " << m.world_size << ", ";
  p.count(m.nodes.size(), "node");
  out << ", ";
  p.count(m.ops.size(), "operation");
  out << ", ";
  p.count(m.tensors.size(), "tensor");
  out << ", ";
  p.count(m.buffers.size(), "buffer");
  if (wrong.code != errc::ok) {
    out << "; " << wrong.name() << '\n';
    return out;
  }
  p.members(m.own_members);
  out << '\n';
  for (const node& n : m.nodes)
    for (std::uint32_t i = 0; i < n.ops.count; ++i) {
      const op& o = m.ops[n.ops.first + i];
      p.operation(o);
      out << "  # node " << n.id;
      if (n.ops.count > 1) out << '.' << i;
      p.comment(o);
      if (i == 0) {
        p.edges(" <- ", integers(m, n.producers));
        p.edges(" -> ", integers(m, n.consumers));
        p.members(n.members);
      }
      out << '\n';
    }
  for (const buffer& b : m.buffers) p.buffer(b);
  return out;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PRINT_HPP

// ---- tessera/ark/detail/read.hpp
//
// The bodies of ark/read.hpp.

#ifndef TESSERA_ARK_DETAIL_READ_HPP
#define TESSERA_ARK_DETAIL_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/ark/detail/dialect_signs.hpp
//
// The dialect of a file, which has no version number, from the members that a reader meets.
//
//   signs.holds_ops = true;                       // at a node's "Ops"
//   if (o.type == op_type::matmul) signs.matmul(g, o);
//   g.form = signs.form();
//
//   holds_ops      nodes have "Ops": D1, D2        pads      tensors have "Pads": D1a
//   buffer_third   "Buffer" before "Shape": D1     external  buffers have "IsExternal": D2x, D3x
//
// Lifetime:   a value.
// Errors:     none; readers refuse a mixture of "Op" and "Ops".
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP
#define TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP

#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// A flag that is unknown until it is set.
class maybe {
 public:
  maybe& operator=(bool v) noexcept { return value_ = v ? 1 : 0, *this; }
  [[nodiscard]] bool operator==(bool v) const noexcept { return value_ == (v ? 1 : 0); }
  [[nodiscard]] bool known() const noexcept { return value_ >= 0; }

 private:
  std::int8_t value_ = -1;
};

/// The evidence of the members so far.
struct dialect_signs {
  maybe holds_ops, buffer_third;
  bool pads = false, external = false, external_last = false;
  bool long_matmul = false, short_matmul = false;

  void matmul(const model& g, const op& o) noexcept {
    (find_argument(g, o, argument_name::shape_mnk) != nullptr ? long_matmul : short_matmul) = true;
  }
  [[nodiscard]] dialect form() const noexcept {
    if (holds_ops != true) return external ? dialect::d3x : dialect::d3;
    if (pads) return dialect::d1a;
    if (buffer_third == true) return short_matmul && !long_matmul ? dialect::d1c : dialect::d1b;
    return external ? dialect::d2x : dialect::d2;
  }
  /// The same for a plan, which has no nodes: whatever its operations show.
  [[nodiscard]] dialect plan_form() const noexcept {
    if (pads) return dialect::d1a;
    if (buffer_third == true) return short_matmul && !long_matmul ? dialect::d1c : dialect::d1b;
    return !external ? dialect::d3 : external_last ? dialect::d2x : dialect::d3x;
  }
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_DIALECT_SIGNS_HPP

// ---- tessera/ark/detail/read_fast.hpp
//
// Nodes by comparison with earlier ones: the fast path of read.hpp.
//
//   detail::fast_nodes fast(plain);           // a graph_reader
//   for (in.array(); in.element();)
//     if (!fast.read(in)) plain.node(in);     // as many as it takes, then one that it doesn't
//
// Files repeat themselves, and so text is compared with text that was read, not parsed again:
//
//   keys      in any order, with any white space (repeated_text.hpp)
//   tensors   whole, but for two numbers, the tensor's Id and its buffer's. Which pattern comes is
//             guessed: the one that the Id had before, that followed on the same tensors, or that
//             goes on like this one after the Id. Three comparisons and two numbers then read a tensor
//   Args      whole
//
// Anything unusual is left to the plain reader, but no more than that: a string with escapes, an
// integer of more than 15 digits, an unknown member, a tensor, Args. A node that can't be read so, as
// when a value is of the wrong kind, is undone and left to it whole: it also finds the error if there
// is one. Models and errors are the same with and without it.
//
// Lifetime:   borrows the text, the model and its interner.
// Errors:     none; it stops before a node that it doesn't recognise.
// Limits:     those of read.hpp; what exceeds them is left to the plain reader.
// Allocation: the model, a tenth of it again, and at most 400 KB of patterns.

#ifndef TESSERA_ARK_DETAIL_READ_FAST_HPP
#define TESSERA_ARK_DETAIL_READ_FAST_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/ark/detail/repeated_text.hpp
//
// JSON that repeats itself: objects and arrays are compared with earlier ones.
//
//   links<2> next;                                   // for each kind of object
//   p = object(keys, next, p, seen, [&](std::size_t key, const char* v) {
//     return key == 0 ? integer(v, t.id) : quoted(v, t.name);     // what follows, or null
//   });
//
// The text between a value and the next one (comma, white space, key in quotes, colon) is the same in
// nearly all objects of a kind. For each member it is kept as a view of its last occurrence; one
// comparison then gives the next key, for any order of keys and any white space. Only a difference is
// parsed, and kept instead. What is unusual inside a value is read by a json::reader from there on.
//
// Lifetime:   borrows the text.
// Errors:     none: a step returns null at anything that it doesn't read, which json::reader then
//             reads, or refuses. What isn't null is as json::reader reads it.
// Limits:     the last 24 bytes of the text, and lists of more than `max_items`, aren't read.
// Allocation: that of json::reader, where one is needed.

#ifndef TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP
#define TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The names of a table, whose rows are found by a few bytes of them.
struct name_table {
  const std::string_view* names;
  const std::uint8_t* slots;  // of 256: index + 1
  std::size_t count;

  /// The index of a name, or `count`.
  [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
    if (name.empty()) return count;
    for (std::uint8_t at = slot(name); slots[at] != 0; ++at)
      if (const std::size_t i = slots[at] - 1u; names[i] == name) return i;
    return count;
  }
  /// Where the search for a name starts.
  [[nodiscard]] static constexpr std::uint8_t slot(std::string_view s) noexcept {
    auto hash = static_cast<std::uint32_t>(s.size());
    for (const std::size_t i : {std::size_t{0}, s.size() / 4, s.size() / 2, s.size() - 1})
      hash = (hash ^ static_cast<unsigned char>(s[i])) * 0x9e3779b1u;
    return static_cast<std::uint8_t>(hash >> 24);
  }
};
template <std::size_t Count>
class name_slots {
 public:
  template <class Row>
  constexpr explicit name_slots(const Row (&rows)[Count]) {
    for (std::size_t i = 0; i < Count; ++i) {
      if constexpr (requires { rows[i].name; })
        names_[i] = rows[i].name;
      else
        names_[i] = rows[i];
      if (names_[i].empty()) continue;
      std::uint8_t at = name_table::slot(names_[i]);
      while (slots_[at] != 0) ++at;
      slots_[at] = static_cast<std::uint8_t>(i + 1);
    }
  }
  /// Its index, or Count.
  [[nodiscard]] constexpr std::size_t find(std::string_view name) const noexcept {
    return table().find(name);
  }
  [[nodiscard]] constexpr name_table table() const noexcept { return {names_, slots_, Count}; }

 private:
  std::string_view names_[Count] = {};
  std::uint8_t slots_[256] = {};  // index + 1
};
template <class Row, std::size_t Count>
name_slots(const Row (&)[Count]) -> name_slots<Count>;

class repeated_text {
 protected:
  explicit repeated_text(const limits& limit) noexcept : limit_(limit) {}

  static constexpr std::size_t reach = 24;  // what small values may look at

  struct expected {
    const char* text = nullptr;
    std::size_t size = SIZE_MAX;
  };
  [[nodiscard]] static std::uint64_t word(const char* p) noexcept {
    return load_le<std::uint64_t>(p);
  }
  [[nodiscard, gnu::always_inline]] static bool equal(const char* a, const char* b,
                                                      std::size_t size) noexcept {
    if (size > 32) return std::memcmp(a, b, size) == 0;
    if (size >= 8) {
      const char *const c = a + size - 8, *const d = b + size - 8;
      std::uint64_t differ = (word(a) ^ word(b)) | (word(c) ^ word(d));
      if (size > 16) differ |= (word(a + 8) ^ word(b + 8)) | (word(c - 8) ^ word(d - 8));
      return differ == 0;
    }
    if (size >= 4)
      return load_le<std::uint32_t>(a) == load_le<std::uint32_t>(b) &&
             load_le<std::uint32_t>(a + size - 4) == load_le<std::uint32_t>(b + size - 4);
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
  }
  /// One more byte than that can be read there.
  [[nodiscard, gnu::always_inline]] bool is(const char* p, const char* text,
                                            std::size_t size) const noexcept {
    return static_cast<std::size_t>(end_ - p) > size && equal(p, text, size);
  }
  [[nodiscard]] static bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }
  [[nodiscard]] const char* space(const char* p) const noexcept {
    while (p != end_ && is_space(*p)) ++p;
    return p;
  }
  /// `c` with the white space around it.
  const char* separator(expected& e, const char* p, char c) const noexcept {
    if (is(p, e.text, e.size) && !is_space(p[e.size])) return p + e.size;
    const char* q = space(p);
    if (q == end_ || *q != c) return nullptr;
    q = space(q + 1);
    e = {p, static_cast<std::size_t>(q - p)};
    return q;
  }

  // ---- Objects and arrays

  struct link : expected {
    std::size_t key = 0;     // which member it leads to: that many keys after the last one, and
                             // one more for a member that isn't of the keys
    std::size_t key_at = 0;  // where the quote before its key is
  };
  /// What leads from each member to the next; the last entries are for the first member, and for
  /// what follows a member that isn't of the keys.
  template <std::size_t Keys>
  using links = link[Keys + 2];

  [[gnu::noinline]] bool learn(const name_table& keys, link& l, const char* const p,
                               bool first) const {
    const char* q = first ? p : space(p);
    if (q == end_) return false;
    l.text = p;
    l.key = keys.count;
    if (!(first && *q == '{') && !(!first && *q == ',')) {
      l.size = static_cast<std::size_t>(q + 1 - p);
      return !first && *q == '}';
    }
    q = space(q + 1);
    l.size = SIZE_MAX;
    l.key_at = static_cast<std::size_t>(q - p);
    q = string(q, [&](std::string_view key) { l.key = keys.find(key); });
    if (q == nullptr) return false;
    if (l.key == keys.count) ++l.key;
    q = space(q);
    if (q == end_ || *q != ':') return false;
    l.size = static_cast<std::size_t>(space(q + 1) - p);
    return true;
  }
  /// Calls value(key, at) for each member of the keys and other(quote before its key, at) for any
  /// other, which return what follows; `seen` gets a bit for each of the keys.
  template <std::size_t Keys, class Value, class Other>
  [[gnu::always_inline]] const char* object(const name_slots<Keys>& keys, links<Keys>& next,
                                            const char* p, unsigned& seen, Value value,
                                            Other other) {
    seen = 0;
    for (std::size_t before = Keys;;) {
      link& l = next[before];
      if (!is(p, l.text, l.size) || (l.key != Keys && is_space(p[l.size])))
        if (!learn(keys.table(), l, p, before == Keys)) return l.size = SIZE_MAX, nullptr;
      const char* const key = p + l.key_at;
      p += l.size;
      before = l.key;
      if (before == Keys) return p;
      if (before > Keys) {
        if ((p = other(key, p)) == nullptr) return nullptr;
        continue;
      }
      if ((seen >> before & 1) != 0) return nullptr;
      seen |= 1u << before;
      if ((p = value(before, p)) == nullptr) return nullptr;
    }
  }

  struct array_space {
    expected open, comma;
  };
  /// Calls element(at) for each, which returns what follows.
  template <class Element>
  [[gnu::always_inline]] const char* array(array_space& s, const char* p, std::uint32_t& count,
                                           Element element) {
    count = 0;
    if (end_ - p < 2 || *p != '[') return nullptr;
    if (p[1] == ']') return p + 2;
    p = separator(s.open, p, '[');
    if (p == nullptr || p == end_) return nullptr;
    for (;;) {
      if ((p = element(p)) == nullptr || ++count > limit_.max_items) return nullptr;
      if (end_ - p < 2) return nullptr;
      if (*p == ',' && !is_space(p[1])) {
        ++p;
        continue;
      }
      if (*p == ']') return p + 1;
      if (const char* const next = separator(s.comma, p, ',')) {
        p = next;
        continue;
      }
      p = space(p);
      return p != end_ && *p == ']' ? p + 1 : nullptr;
    }
  }

  // ---- Values

  /// What `read` reads with a reader from `p` on; null when that fails.
  template <class Read>
  [[gnu::cold, gnu::noinline]] const char* by_reader(const char* p, Read read) const {
    if (p == end_ || *p == '\xef') return nullptr;  // where readers skip a byte order mark
    json::reader in({p, static_cast<std::size_t>(end_ - p)}, limit_);
    read(in);
    return in.failed() ? nullptr : in.place();
  }
  const char* integer(const char* p, std::int64_t& out, std::int64_t low,
                      std::int64_t high = INT64_MAX) const {
    if (static_cast<std::size_t>(end_ - p) < reach) return nullptr;
    const bool negative = *p == '-';
    p += negative ? 1 : 0;
    std::uint64_t v = 0;
    const char* const first = p;
    unsigned size = digits(p, v);
    if (size == 8) size += digits(p, v);
    if (size - 1 > 14)
      return by_reader(first - (negative ? 1 : 0),
                       [&](json::reader& in) { out = in.integer<std::int64_t>(low, high); });
    if (*first == '0' && size > 1) return nullptr;
    out = static_cast<std::int64_t>(negative ? 0 - v : v);
    return out >= low && out <= high ? p : nullptr;
  }
  /// An Id: an integer from 0 on, mostly of a few digits.
  [[gnu::always_inline]] const char* id(const char* const p, std::int64_t& out) const {
    if (static_cast<std::size_t>(end_ - p) < reach) return nullptr;
    std::uint64_t v = 0;
    const char* end = p;
    const unsigned size = digits(end, v);
    if (size - 1 > 6 || (*p == '0' && size > 1)) return integer(p, out, 0);
    out = static_cast<std::int64_t>(v);
    return end;
  }
  /// Appends up to 8 digits to `value`. Returns how many.
  [[gnu::always_inline]] static unsigned digits(const char*& p, std::uint64_t& value) noexcept {
    const std::uint64_t w = word(p) ^ 0x3030303030303030u;
    // The lowest byte that is above 9 sets its top bit; what it carries goes up.
    const std::uint64_t others = (w | (w + 0x7676767676767676u)) & 0x8080808080808080u;
    const auto bits = static_cast<unsigned>(std::countr_zero(others)) & 0x78u;
    if (bits == 0) return 0;
    std::uint64_t d = w << (64 - bits);
    d = d * (10 * 256 + 1) >> 8;
    d = (d & 0x00ff00ff00ff00ffu) * (100 * 65536 + 1) >> 16;
    d = (d & 0x0000ffff0000ffffu) * (10000 * 4294967296 + 1) >> 32;
    value = value * tessera::detail::powers_of_ten[bits / 8] + d;
    p += bits / 8;
    return bits / 8;
  }
  /// Calls take(text) with a string, unescaped.
  template <class Take>
  const char* string(const char* p, Take take) const {
    std::string_view text;
    if (const char* const end = quoted(p, text)) return take(text), end;
    return by_reader(p, [&](json::reader& in) { take(in.string()); });
  }
  /// A string without escapes.
  const char* quoted(const char* p, std::string_view& out) const noexcept {
    if (p == end_ || *p != '"') return nullptr;
    const char* const first = ++p;
    while (static_cast<std::size_t>(end_ - p) >= reach) {
      constexpr std::uint64_t ones = 0x0101010101010101u;
      const std::uint64_t w = word(p), quote = w ^ ones * '"', slash = w ^ ones * '\\';
      // The lowest byte that isn't plain text sets its top bit; what it borrows comes from above.
      const std::uint64_t stop =
          (w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) & (ones * 0x80);
      p += stop == 0 ? 8 : std::countr_zero(stop) / 8;
      if (stop == 0) continue;
      if (*p == '"') {
        out = {first, static_cast<std::size_t>(p - first)};
        return p + 1;
      }
      const auto c = static_cast<unsigned char>(*p);
      const unsigned length = c < 0x80 ? 0 : utf8_length(p, end_);  // else an escape or a control
      if (length == 0) return nullptr;
      p += length;
    }
    return nullptr;
  }
  const char* boolean(const char* p, bool& out) const noexcept {
    out = is(p, "true", 4);
    return out ? p + 4 : is(p, "false", 5) ? p + 5 : nullptr;
  }

  const char *begin_ = nullptr, *end_ = nullptr;  // of the whole text
  limits limit_;                                  // max_depth: from inside of a node on
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_REPEATED_TEXT_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

inline constexpr name_slots op_slots(op_table);
inline constexpr name_slots argument_slots(argument_names);
inline constexpr name_slots argument_type_slots(argument_type_names);
inline constexpr name_slots data_type_slots(data_type_table);

inline constexpr std::string_view node_keys[] = {"Id", "ProducerNodeIds", "ConsumerNodeIds", "Op",
                                                 "Ops"};
inline constexpr std::string_view op_keys[] = {
    "Type", "Name", "IsVirtual", "ReadTensors", "WriteTensors", "ResultTensors", "Args"};
inline constexpr std::string_view tensor_keys[] = {"Id",      "DataType",    "Shape",  "Strides",
                                                   "Offsets", "PaddedShape", "Buffer", "Pads"};
inline constexpr std::string_view buffer_keys[] = {"Id", "Rank", "SendTags", "RecvTags",
                                                   "IsExternal"};
inline constexpr name_slots node_slots(node_keys);
inline constexpr name_slots op_member_slots(op_keys);
inline constexpr name_slots tensor_slots(tensor_keys);
inline constexpr name_slots buffer_slots(buffer_keys);

class graph_reader;

class fast_nodes : repeated_text {
 public:
  explicit fast_nodes(graph_reader& plain) noexcept;
  fast_nodes(const fast_nodes&) = delete;
  fast_nodes& operator=(const fast_nodes&) = delete;

  /// Reads nodes, the one that comes next and those end it, as many as it knows; false when that
  /// is none.
  bool read(json::reader& in) {
    const std::string_view rest = in.rest();
    if (rest.data() == refused_ || rest.size() < reach || in.depth_left() < depth) return false;
    limit_.max_depth = in.depth_left() - depth;
    begin_ = rest.data() - in.offset();
    end_ = rest.data() + rest.size();
    if (table_bits_ == 0) {
      const auto bits = static_cast<unsigned>(std::bit_width(rest.size()));
      table_bits_ = bits < 14 ? 5 : bits > 23 ? 14 : bits - 9;
    }
    const char* done = rest.data();
    for (const char* p = done; p != nullptr; p = separator(between_nodes_, done, ',')) {
      if (!reserved_ && p - rest.data() > sample) reserve(p);
      const interner::mark start = names_.set_mark();
      const char* const end = node(p);
      if (end == nullptr) {
        // Signs, tensors and Args are kept: the plain reader finds the same.
        names_.go_back(start);
        refused_ = p;
        break;
      }
      done = end;
    }
    in.resume(done);
    return done != rest.data();
  }

 private:
  static constexpr std::uint32_t depth = 8;  // of a tag's number inside a node
  static constexpr std::ptrdiff_t sample = 1 << 16;

  // ---- The model. All functions return what follows, or null.

  const char* node(const char* p) {
    ark::node n;
    n.offset = static_cast<std::uint64_t>(p - begin_);
    unsigned seen = 0;
    p = object(
        node_slots, node_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: return id(v, n.id);
            case 1: return ids(v, n.producers);
            case 2: return ids(v, n.consumers);
            default: return operations(v, n.ops, key == 4);
          }
        },
        [&](const char* key, const char* v) { return member(key, v, n.members); });
    if (p == nullptr || (seen != 0b01111 && seen != 0b10111)) return nullptr;
    model_.nodes.push_back(n);
    return p;
  }
  const char* ids(const char* p, range& out) {
    out.first = names_.index(model_.integers.size());
    return array(ids_space_, p, out.count, [this](const char* v) {
      std::int64_t n = 0;
      if ((v = id(v, n)) != nullptr) model_.integers.push_back(n);
      return v;
    });
  }
  const char* dimensions(const char* p, std::int64_t (&out)[max_rank], std::uint32_t& count) {
    std::size_t at = 0;
    return array(dimensions_space_, p, count, [&](const char* v) {
      return at < max_rank ? integer(v, out[at++], INT64_MIN) : nullptr;
    });
  }
  const char* operations(const char* p, range& out, bool many) {
    if (signs_.holds_ops == !many) return nullptr;
    signs_.holds_ops = many;
    out = {names_.index(model_.ops.size()), 1};
    if (!many) return operation(p);
    p = array(ops_space_, p, out.count, [this](const char* v) { return operation(v); });
    return out.count == 0 ? nullptr : p;
  }
  const char* operation(const char* p) {
    ark::op o;
    unsigned seen = 0;
    p = object(
        op_member_slots, op_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0:
              return string(v, [&](std::string_view text) {
                const std::size_t type = op_slots.find(text);
                o.type = type < std::size(op_table) ? static_cast<op_type>(type) : op_type::unknown;
                if (o.type == op_type::unknown) o.unknown_type = names_.characters(text);
              });
            case 1:
              return string(v, [&](std::string_view text) { o.name = names_.characters(text); });
            case 2: return boolean(v, o.is_virtual);
            case 6: return arguments(v, o);
            default: {
              pool<std::uint32_t>& list = uses_[key - 3];
              std::uint32_t count = 0;
              list.clear();
              return array(tensors_space_, v, count, [&](const char* t) {
                std::uint32_t use = 0;
                if ((t = tensor(t, use)) != nullptr) list.push_back(use);
                return t;
              });
            }
          }
        },
        [&](const char* key, const char* v) { return member(key, v, o.members); });
    if (p == nullptr || seen != 0b1111111) return nullptr;
    o.first_use = names_.index(model_.uses.size());
    o.reads = names_.index(uses_[0].size());
    o.writes = names_.index(uses_[1].size());
    o.results = names_.index(uses_[2].size());
    for (const pool<std::uint32_t>& list : uses_) model_.uses.append(list.data(), list.size());
    if (o.type == op_type::matmul) signs_.matmul(model_, o);
    model_.ops.push_back(o);
    return p;
  }

  /// A member that isn't of the format's, added to a list of them.
  const char* member(const char* quote, const char* p, std::uint32_t& first);

  // ---- Args

  /// Args that were read, and where they are in model::arguments.
  struct known_arguments {
    const char* text;
    std::uint32_t size, first, count;
  };
  static constexpr std::size_t argument_sets = 64, ways = 4;

  const char* arguments(const char* const p, op& o) {
    range& out = o.arguments;
    out = {names_.index(model_.arguments.size()), 0};
    if (end_ - p < 32 || *p != '{') return plain_arguments(p, o);
    if (p[1] == '}') return p + 2;
    const std::uint64_t hash = mixed(0, p, 32);
    if (known_arguments_.empty()) known_arguments_.resize(argument_sets * ways);
    known_arguments* const set = &known_arguments_[to_size(hash >> 58) * ways];
    for (std::size_t i = 0; i < ways; ++i)
      if (set[i].text != nullptr && is(p, set[i].text, set[i].size)) {
        out.count = set[i].count;
        repeat(set[i]);
        return p + set[i].size;
      }
    const interner::mark start = names_.inner_mark();
    unsigned seen = 0;
    const char* const end = object(
        argument_slots, argument_links_, p, seen,
        [&](std::size_t name, const char* v) {
          argument a;
          a.name = static_cast<argument_name>(name);
          if ((v = argument_value(v, a)) != nullptr) model_.arguments.push_back(a);
          return v;
        },
        not_read);
    if (end == nullptr) {
      names_.go_back(start);
      return plain_arguments(p, o);
    }
    out.count = names_.index(model_.arguments.size() - out.first);
    if (out.count > limit_.max_items) return nullptr;
    if (end - p <= 4096)
      set[next_way_++ % ways] = {p, static_cast<std::uint32_t>(end - p), out.first, out.count};
    return end;
  }
  const char* plain_arguments(const char* p, op& o);
  void repeat(const known_arguments& k) {
    for (std::uint32_t i = k.first; i < k.first + k.count; ++i) {
      argument a = model_.arguments[i];
      if (a.type == argument_type::float32) a.token = names_.characters(text_of(model_, a.token));
      if (a.type == argument_type::dims) {
        const std::uint32_t from = a.integers.first;
        a.integers.first = names_.index(model_.integers.size());
        model_.integers.append(model_.integers.data() + from, a.integers.count);
      }
      model_.arguments.push_back(a);
    }
  }
  /// {"TYPE": value}
  const char* argument_value(const char* p, argument& a) {
    unsigned seen = 0;
    p = object(
        argument_type_slots, argument_type_links_, p, seen,
        [&](std::size_t type, const char* v) -> const char* {
          a.type = static_cast<argument_type>(type);
          switch (a.type) {
            case argument_type::int32: return integer(v, a.integer, INT32_MIN, INT32_MAX);
            case argument_type::int64: return integer(v, a.integer, INT64_MIN);
            case argument_type::uint32: return integer(v, a.integer, 0, UINT32_MAX);
            case argument_type::uint64: return integer(v, a.integer, 0);
            case argument_type::boolean: {
              bool value = false;
              v = boolean(v, value);
              a.integer = value ? 1 : 0;
              return v;
            }
            case argument_type::float32: {
              const std::string_view rest(v, static_cast<std::size_t>(end_ - v));
              json::reader in(rest), again(rest);
              a.real = in.float32();
              const std::string_view token = again.number().token;
              if (in.failed()) return nullptr;
              a.token = names_.characters(token);
              return v + token.size();
            }
            case argument_type::dims: {
              std::int64_t dims[max_rank] = {};
              a.integers.first = names_.index(model_.integers.size());
              v = dimensions(v, dims, a.integers.count);
              if (v != nullptr) model_.integers.append(dims, a.integers.count);
              return v;
            }
            default: return nullptr;
          }
        },
        not_read);
    return std::has_single_bit(seen) ? p : nullptr;
  }

  // ---- Tensors

  /// Text of a tensor in three parts, between and around its Id and its buffer's, and what it says.
  struct pattern {
    const char* text;         // of the first part; null: there is none
    std::uint32_t sizes[3];   // of the parts
    std::uint32_t starts[3];  // after `text`
    std::uint32_t layout;
    std::int32_t rank;
    range send_tags, recv_tags;  // in model::tags
    data_type type;
    ark::external external;
    bool buffer_first, recv_first;  // of two Ids, of two lists of tags
  };

  const char* tensor(const char* p, std::uint32_t& out) {
    if (patterns_.empty()) {
      patterns_.resize((std::size_t{1} << table_bits_ >> 2) + 1);
      after_path_.resize(std::size_t{1} << table_bits_);
      after_two_.resize(std::size_t{1} << table_bits_);
      after_id_.resize(std::size_t{1} << table_bits_);
    }
    if (replaced_layouts_ != names_.replaced_layouts()) {
      replaced_layouts_ = names_.replaced_layouts();
      for (pattern& t : patterns_) t.text = nullptr;
    }
    std::uint16_t met = static_cast<std::uint16_t>(two_);
    const char* end = known(p, met, out);
    if (end == nullptr) {
      std::uint16_t& by_path = after_path_[slot(path_)];
      std::uint16_t& by_two = after_two_[slot(two_)];
      end = follows(p, met = by_path, out);
      if (end == nullptr && by_two != by_path) end = follows(p, met = by_two, out);
      if (end == nullptr) end = alike(p, met, out);
      if (end == nullptr) end = spelled(p, met, out);
      by_path = by_two = met;
    }
    path_ = path_ << 4 ^ std::uint64_t{met} * 0x9e3779b1u;  // of the last 16, and less of each
    two_ = two_ << 16 | met;
    return end;
  }
  /// A tensor of the pattern that its first Id had before, if it begins as `which` does.
  const char* known(const char* p, std::uint16_t& which, std::uint32_t& out) {
    const pattern& t = patterns_[which];
    std::int64_t ids[2];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    p = id(p + t.sizes[0], ids[0]);
    if (p == nullptr) return nullptr;
    const std::uint32_t entry =
        t.buffer_first ? names_.find_buffer(ids[0]) : names_.find_tensor(ids[0]);
    const pool<std::uint16_t>& had = had_[t.buffer_first ? 1 : 0];
    if (entry >= had.size()) return nullptr;
    const pattern& u = patterns_[had[entry]];
    if (u.text == nullptr || u.sizes[0] != t.sizes[0] || !equal(t.text, u.text, t.sizes[0]))
      return nullptr;
    p = second_half(u, p, ids[1]);
    if (p != nullptr) out = intern(u, which = had[entry], ids);
    return p;
  }
  /// A hash with the whole words of a text in it, too.
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t hash, const char* p,
                                           std::size_t size) noexcept {
    for (std::size_t i = 0; i + 8 <= size; i += 8)
      hash = std::rotl(hash ^ word(p + i), 23) * 0x9e3779b97f4a7c15u;
    return hash;
  }
  [[nodiscard]] std::size_t slot(std::uint64_t hash) const noexcept {
    return to_size(hash * 0x9e3779b97f4a7c15u >> (64 - table_bits_));
  }
  /// Where the pattern is that goes on like this after its first Id; null when the text ends.
  [[nodiscard]] std::uint16_t* with_text(const char* p) noexcept {
    constexpr std::size_t enough = 64;
    if (static_cast<std::size_t>(end_ - p) < enough) return nullptr;
    return &after_id_[slot(mixed(0, p, enough))];
  }
  /// A tensor that begins as the latest that was spelled, and goes on like another one.
  const char* alike(const char* p, std::uint16_t& which, std::uint32_t& out) {
    const pattern& t = patterns_[latest_];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    std::int64_t ignored = 0;
    const char* const q = id(p + t.sizes[0], ignored);
    const std::uint16_t* const found = q == nullptr ? nullptr : with_text(q);
    return found == nullptr ? nullptr : follows(p, which = *found, out);
  }
  /// A tensor of this pattern.
  const char* follows(const char* p, std::uint16_t which, std::uint32_t& out) {
    const pattern& t = patterns_[which];
    std::int64_t ids[2];
    if (t.text == nullptr || !is(p, t.text, t.sizes[0])) return nullptr;
    p = id(p + t.sizes[0], ids[0]);
    if (p != nullptr) p = second_half(t, p, ids[1]);
    if (p != nullptr) out = intern(t, which, ids);
    return p;
  }
  [[gnu::always_inline]] const char* second_half(const pattern& t, const char* p,
                                                 std::int64_t& out) const noexcept {
    if (!is(p, t.text + t.starts[1], t.sizes[1])) return nullptr;
    p = id(p + t.sizes[1], out);
    return p != nullptr && is(p, t.text + t.starts[2], t.sizes[2]) ? p + t.sizes[2] : nullptr;
  }
  std::uint32_t intern(const pattern& t, std::uint16_t which, const std::int64_t (&ids)[2]) {
    const std::int64_t id = ids[t.buffer_first ? 1 : 0], buffer_id = ids[t.buffer_first ? 0 : 1];
    const std::uint32_t before = names_.find_tensor(id);
    if (before != none && is_of(model_.tensors[before], t) &&
        model_.tensors[before].buffer == names_.find_buffer(buffer_id)) {
      remember(t.buffer_first, t.buffer_first ? model_.tensors[before].buffer : before, which);
      return before;
    }
    ark::buffer b;
    b.id = buffer_id;
    b.rank = t.rank;
    b.external = t.external;
    const std::size_t first = model_.tags.size();
    if (t.recv_first) b.recv_tags = tags_again(t.recv_tags);
    b.send_tags = tags_again(t.send_tags);
    if (!t.recv_first) b.recv_tags = tags_again(t.recv_tags);
    const std::uint32_t buffer = names_.buffer(b, first);
    const std::uint32_t tensor = names_.tensor({id, t.layout, buffer, none, t.type});
    remember(t.buffer_first, t.buffer_first ? buffer : tensor, which);
    return tensor;
  }
  /// Whether that is all that the pattern says of it. Tags are left to the interner.
  [[nodiscard]] bool is_of(const ark::tensor& k, const pattern& t) const noexcept {
    const ark::buffer& b = model_.buffers[k.buffer];
    return k.layout == t.layout && k.type == t.type && k.members == none && b.rank == t.rank &&
           b.external == t.external && b.members == none &&
           (b.send_tags.count | b.recv_tags.count | t.send_tags.count | t.recv_tags.count) == 0;
  }
  range tags_again(range r) {
    const std::uint32_t first = names_.index(model_.tags.size());
    if (r.count != 0) model_.tags.append(model_.tags.data() + r.first, r.count);
    return {first, r.count};
  }
  /// The pattern that a tensor, or a buffer, had.
  void remember(bool is_buffer, std::uint32_t entry, std::uint16_t which) {
    pool<std::uint16_t>& had = had_[is_buffer ? 1 : 0];
    if (entry >= had.size()) had.resize(std::size_t{entry} + 1);
    had[entry] = which;
  }

  /// Reads a tensor member by member, and keeps its pattern if it has one.
  const char* spelled(const char* const p, std::uint16_t& which, std::uint32_t& out) {
    which = 0;
    const interner::mark start = names_.inner_mark();
    if (const char* const end = usual(p, which, out)) return end;
    names_.go_back(start);
    return plain_tensor(p, out);
  }
  const char* plain_tensor(const char* p, std::uint32_t& out);

  const char* usual(const char* const p, std::uint16_t& which, std::uint32_t& out) {
    ark::tensor t;
    ark::layout l;
    const char *id_at[2][2] = {}, *end = nullptr;  // [1]: the buffer's
    bool recv_first = false;
    std::uint32_t counts[4] = {};
    unsigned seen = 0;
    end = object(
        tensor_slots, tensor_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: id_at[0][0] = v; return id_at[0][1] = id(v, t.id);
            case 1: {
              std::string_view name;
              if ((v = quoted(v, name)) == nullptr) return v;
              const std::size_t type = data_type_slots.find(name);
              t.type = static_cast<data_type>(type);
              return type < std::size(data_type_table) ? v : nullptr;
            }
            case 2: return dimensions(v, l.shape, counts[0]);
            case 3: return dimensions(v, l.strides, counts[1]);
            case 4: return dimensions(v, l.offsets, counts[2]);
            case 5: return dimensions(v, l.padded_shape, counts[3]);
            case 7: return v = nullptr;  // of the dialect that has no padded shape
            default:
              if (!signs_.buffer_third.known()) signs_.buffer_third = (seen & 1u << 2) == 0;
              return buffer(v, t.buffer, id_at[1], recv_first);
          }
        },
        [&](const char* key, const char* v) { return member(key, v, t.members); });
    if (end == nullptr || seen != 0b1111111 || counts[1] != counts[0] || counts[2] != counts[0] ||
        counts[3] != counts[0])
      return nullptr;
    l.rank = counts[0];
    t.layout = names_.layout(l);
    out = names_.tensor(t);
    const ark::buffer& b = model_.buffers[t.buffer];
    if (end - p > 8192 || t.members != none || b.members != none) return end;

    const bool buffer_first = id_at[1][0] < id_at[0][0];
    const char* const(&one)[2] = id_at[buffer_first ? 1 : 0];
    const char* const(&two)[2] = id_at[buffer_first ? 0 : 1];
    const auto size = [](const char* from, const char* to) {
      return static_cast<std::uint32_t>(to - from);
    };
    const pattern made{p,
                       {size(p, one[0]), size(one[1], two[0]), size(two[1], end)},
                       {0, size(p, one[1]), size(p, two[1])},
                       t.layout,
                       b.rank,
                       b.send_tags,
                       b.recv_tags,
                       t.type,
                       b.external,
                       buffer_first,
                       recv_first};
    which = latest_ = place(made);
    if (std::uint16_t* const found = with_text(one[1])) *found = which;
    remember(buffer_first, buffer_first ? t.buffer : out, which);
    return end;
  }
  /// Where the pattern of the same text is, or goes; never 0.
  std::uint16_t place(const pattern& made) {
    std::uint64_t hash = 0;
    for (std::size_t part = 0; part < 3; ++part)
      hash = mixed(hash, made.text + made.starts[part], made.sizes[part]);
    hash = (hash ^ made.sizes[1]) * 0x9e3779b97f4a7c15u;
    const std::size_t set = 1 + to_size(hash >> (64 - table_bits_ + 4)) * ways;  // 0: no pattern
    std::size_t at = set + next_way_++ % ways;
    for (std::size_t i = set; i < set + ways; ++i) {
      const pattern& t = patterns_[i];
      bool same = t.text != nullptr;
      for (std::size_t part = 0; part < 3 && same; ++part)
        same = t.sizes[part] == made.sizes[part] &&
               equal(t.text + t.starts[part], made.text + made.starts[part], made.sizes[part]);
      if (same) return static_cast<std::uint16_t>(i);
      if (t.text == nullptr) at = i;
    }
    patterns_[at] = made;
    return static_cast<std::uint16_t>(at);
  }
  const char* buffer(const char* p, std::uint32_t& out, const char* (&id_at)[2], bool& recv_first) {
    ark::buffer b;
    const std::size_t first_tag = model_.tags.size();
    unsigned seen = 0;
    p = object(
        buffer_slots, buffer_links_, p, seen,
        [&](std::size_t key, const char* v) {
          switch (key) {
            case 0: id_at[0] = v; return id_at[1] = id(v, b.id);
            case 1: {
              std::int64_t rank = 0;
              v = integer(v, rank, INT32_MIN, INT32_MAX);
              b.rank = static_cast<std::int32_t>(rank);
              return v;
            }
            case 2: return tags(v, b.send_tags);
            case 3: recv_first = (seen & 1u << 2) == 0; return tags(v, b.recv_tags);
            default: {
              bool external = false;
              v = boolean(v, external);
              b.external = external ? external::yes : external::no;
              signs_.external = true;
              signs_.external_last = signs_.external_last || (seen & 0b1100) != 0;
              return v;
            }
          }
        },
        [&](const char* key, const char* v) { return member(key, v, b.members); });
    if (p == nullptr || (seen & 0b1111) != 0b1111) return nullptr;
    out = names_.buffer(b, first_tag);
    return p;
  }
  const char* tags(const char* p, range& out) {
    out.first = names_.index(model_.tags.size());
    return array(tags_space_, p, out.count, [this](const char* v) -> const char* {
      std::int64_t pair[2] = {};
      std::uint32_t count = 0, at = 0;
      v = array(tag_space_, v, count, [&](const char* n) {
        return at < 2 ? integer(n, pair[at++], INT32_MIN, INT32_MAX) : nullptr;
      });
      if (v == nullptr || count != 2) return nullptr;
      model_.tags.push_back(
          {static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
      return v;
    });
  }

  /// Reserves pools for the nodes from `p` on, assuming that they resemble the earlier ones.
  void reserve(const char* p) {
    reserved_ = true;
    const double more = 1.06 * static_cast<double>(end_ - begin_) / static_cast<double>(p - begin_);
    const auto scale = [more](auto& list) {
      list.reserve(static_cast<std::size_t>(static_cast<double>(list.size()) * more));
    };
    scale(model_.nodes);
    scale(model_.ops);
    scale(model_.uses);
    scale(model_.arguments);
    scale(model_.tensors);
    scale(model_.buffers);
    scale(model_.integers);
  }

  static constexpr auto not_read = [](const char*, const char*) -> const char* { return nullptr; };

  graph_reader& plain_;
  ark::model& model_;
  interner& names_;
  dialect_signs& signs_;
  const char* refused_ = nullptr;  // the node that was left last
  bool reserved_ = false;
  unsigned table_bits_ = 0;  // of tables of the past; they grow with the text

  expected between_nodes_;
  array_space ids_space_, ops_space_, tensors_space_, dimensions_space_, tags_space_, tag_space_;
  links<std::size(node_keys)> node_links_;
  links<std::size(op_keys)> op_links_;
  links<std::size(tensor_keys)> tensor_links_;
  links<std::size(buffer_keys)> buffer_links_;
  links<std::size(argument_names)> argument_links_;
  links<std::size(argument_type_names)> argument_type_links_;

  pool<std::uint32_t> uses_[3];
  pool<known_arguments> known_arguments_;
  pool<pattern> patterns_;                      // by their hash
  pool<std::uint16_t> after_path_, after_two_;  // patterns that followed on others
  pool<std::uint16_t> after_id_;                // patterns by the text after their first Id
  pool<std::uint16_t> had_[2];                  // patterns of tensors, and of buffers
  std::uint64_t path_ = 0;                      // the latest patterns, mixed
  std::uint16_t latest_ = 0;                    // the latest pattern that was spelled
  std::uint32_t two_ = 0;                       // the latest two
  std::uint32_t replaced_layouts_ = 0, next_way_ = 0;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_READ_FAST_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class plan_reader;

/// Reads the objects of a model into a model. Plans hold the same operations and use it too.
class graph_reader {
 public:
  graph_reader(model& g, const limits& limit) : model_(g), names_(g), limit_(limit) {}

  [[gnu::cold]] void root(json::reader& in, read_path path) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s01_root)) return;
    bool rank = false, world = false, nodes = false;
    std::uint64_t rank_at = at;
    member_list unknown{model_.own_members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Rank") {
        rank = true;
        rank_at = in.offset();
        model_.rank = small_integer(in, errc::ark_s03_world);
      } else if (key == "WorldSize") {
        world = true;
        model_.world_size = small_integer(in, errc::ark_s03_world);
      } else if (key == "Nodes") {
        nodes = true;
        if (!expect(in, json::kind::array, errc::ark_s04_nodes)) return;
        fast_nodes fast(*this);
        for (in.array(); in.element();)
          if (path == read_path::plain || !fast.read(in)) node(in);
        too_many(in, model_.nodes.size());
      } else {
        member(in, key, unknown);
      }
    }
    if (!in.failed() && !(rank && world && nodes)) in.fail(errc::ark_s02_root_member, at);
    if (!in.failed() && model_.rank >= model_.world_size) in.fail(errc::ark_s03_world, rank_at);
    model_.form = signs_.form();
  }

  void node(json::reader& in) {
    ark::node n;
    n.offset = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s04_nodes)) return;
    bool id = false, producers = false, consumers = false, op = false, ops = false;
    member_list unknown{n.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        n.id = integer(in, errc::ark_s05_node_member);
      } else if (key == "ProducerNodeIds") {
        producers = true;
        n.producers = ids(in);
      } else if (key == "ConsumerNodeIds") {
        consumers = true;
        n.consumers = ids(in);
      } else if (key == "Op" || key == "Ops") {
        const bool many = key == "Ops";
        (many ? ops : op) = true;
        if ((op && ops) || signs_.holds_ops == !many)
          return in.fail(errc::ark_s06_op_or_ops, n.offset);
        signs_.holds_ops = many;
        n.ops = many ? operations(in) : one_operation(in);
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && producers && consumers)) return in.fail(errc::ark_s05_node_member, n.offset);
    if (!(op || ops)) return in.fail(errc::ark_s06_op_or_ops, n.offset);
    model_.nodes.push_back(n);
  }

  /// An operation, appended to the model's. `config` gets the text of a plan's member "Config".
  void operation(json::reader& in, std::string_view* config = nullptr) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s08_op_member)) return;
    ark::op o;
    bool type = false, name = false, is_virtual = false, args = false;
    bool listed[3] = {};
    pool<std::uint32_t>(&uses)[3] = uses_;
    member_list unknown{o.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Type") {
        type = true;
        if (!expect(in, json::kind::string, errc::ark_s08_op_member)) return;
        const std::string_view text = in.string();
        o.type = find_op_type(text);
        if (o.type == op_type::unknown) o.unknown_type = names_.characters(text);
      } else if (key == "Name") {
        name = true;
        if (!expect(in, json::kind::string, errc::ark_s08_op_member)) return;
        o.name = names_.characters(in.string());
      } else if (key == "IsVirtual") {
        is_virtual = true;
        if (!expect(in, json::kind::boolean, errc::ark_s08_op_member)) return;
        o.is_virtual = in.boolean();
      } else if (key == "Args") {
        args = true;
        arguments(in, o);
      } else if (key == "ReadTensors" || key == "WriteTensors" || key == "ResultTensors") {
        const std::size_t list = key[0] == 'W' ? 1 : key[2] == 'a' ? 0 : 2;
        listed[list] = true;
        if (!expect(in, json::kind::array, errc::ark_s08_op_member)) return;
        uses[list].clear();
        for (in.array(); in.element();) uses[list].push_back(tensor(in));
        too_many(in, uses[list].size());
      } else if (config != nullptr && key == "Config") {
        *config = in.skip();
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(type && name && is_virtual && args && listed[0] && listed[1] && listed[2]))
      return in.fail(errc::ark_s08_op_member, at);
    o.first_use = names_.index(model_.uses.size());
    o.reads = names_.index(uses[0].size());
    o.writes = names_.index(uses[1].size());
    o.results = names_.index(uses[2].size());
    for (const pool<std::uint32_t>& list : uses) model_.uses.append(list.data(), list.size());
    if (o.type == op_type::matmul) signs_.matmul(model_, o);
    model_.ops.push_back(o);
  }

  /// The dialect of a plan, which has no nodes: whatever its operations show.
  [[nodiscard]] dialect plan_form() const noexcept { return signs_.plan_form(); }
  /// Fails when an index of 32 bits no longer reaches.
  void finish(json::reader& in) {
    if (names_.overflown()) in.fail(errc::ark_too_large, 0);
  }
  [[nodiscard]] interner& names() noexcept { return names_; }

 private:
  friend class plan_reader;
  friend class fast_nodes;

  /// False, after failing with `code`, when another kind of value comes next. Text that is no JSON
  /// is left to the reader.
  static bool expect(json::reader& in, json::kind kind, errc code) {
    const json::kind found = in.peek();
    if (found == kind || found == json::kind::none) return true;
    in.fail(code, in.offset());
    return false;
  }
  /// An integer from `low` on: `kind` when there is none, `value` when it doesn't fit.
  static std::int64_t integer(json::reader& in, errc kind, std::int64_t low = 0,
                              std::int64_t high = INT64_MAX, errc value = errc::ark_s13_integer) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::number, kind)) return 0;
    const json::number n = in.number();
    if (in.failed()) return 0;
    json::reader digits(n.token);
    const std::int64_t v = digits.int64();
    if (digits.failed() || v < low || v > high) return in.fail(value, at), 0;
    return v;
  }
  /// Rank or WorldSize; one that is 0 there fails as 0 <= Rank < WorldSize does.
  static std::int32_t small_integer(json::reader& in, errc code) {
    return static_cast<std::int32_t>(integer(in, code, 0, INT32_MAX, code));
  }
  void too_many(json::reader& in, std::size_t count) const {
    if (count > limit_.max_items) in.fail(errc::too_many_items, in.offset());
  }

  /// The unknown members of an object: the first, which the object keeps, and the last.
  struct member_list {
    std::uint32_t& first;
    std::uint32_t last = none;
  };
  void member(json::reader& in, std::string_view key, member_list& to) {
    ark::member m;
    m.key = names_.characters(key);
    m.value = compact(in);
    const std::uint32_t at = names_.index(model_.members.size());
    (to.last == none ? to.first : model_.members[to.last].next) = at;
    to.last = at;
    model_.members.push_back(m);
  }
  /// The next value as compact JSON.
  string compact(json::reader& in) {
    string out{names_.index(model_.characters.size()), 0};
    json::writer w(model_.characters);
    json::copy(in, w);
    out.size = names_.index(model_.characters.size() - out.first);
    return out;
  }

  range ids(json::reader& in) {
    range out{names_.index(model_.integers.size()), 0};
    if (!expect(in, json::kind::array, errc::ark_s05_node_member)) return out;
    for (in.array(); in.element();)
      model_.integers.push_back(integer(in, errc::ark_s05_node_member));
    out.count = names_.index(model_.integers.size() - out.first);
    too_many(in, out.count);
    return out;
  }

  range one_operation(json::reader& in) {
    const range out{names_.index(model_.ops.size()), 1};
    if (expect(in, json::kind::object, errc::ark_s06_op_or_ops)) operation(in);
    return out;
  }
  range operations(json::reader& in) {
    range out{names_.index(model_.ops.size()), 0};
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::array, errc::ark_s06_op_or_ops)) return out;
    for (in.array(); in.element();) operation(in);
    out.count = names_.index(model_.ops.size() - out.first);
    too_many(in, out.count);
    if (!in.failed() && out.count == 0) in.fail(errc::ark_s07_no_ops, at);
    return out;
  }

  /// A list of up to four numbers; any more are counted, not stored.
  std::size_t dimensions(json::reader& in, std::int64_t (&out)[max_rank], errc kind) {
    std::size_t count = 0;
    if (!expect(in, json::kind::array, kind)) return 0;
    for (in.array(); in.element(); ++count) {
      const std::int64_t v = integer(in, errc::ark_s13_integer, INT64_MIN);
      if (count < max_rank) out[count] = v;
    }
    return count;
  }

  std::uint32_t tensor(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s09_tensor_member)) return 0;
    ark::tensor t;
    ark::layout l;
    bool id = false, type = false, has_buffer = false;
    std::int64_t pads[max_rank] = {};
    std::int64_t(*const lists[])[max_rank] = {&l.shape, &l.strides, &l.offsets, &l.padded_shape,
                                              &pads};
    constexpr std::string_view keys[] = {"Shape", "Strides", "Offsets", "PaddedShape", "Pads"};
    std::size_t counts[5] = {}, offsets[5] = {};
    bool seen[5] = {};
    member_list unknown{t.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      std::size_t list = 0;
      while (list < 5 && key != keys[list]) ++list;
      if (list < 5) {
        seen[list] = true;
        offsets[list] = to_size(in.offset());
        counts[list] = dimensions(in, *lists[list], errc::ark_s09_tensor_member);
        if (!in.failed() && counts[list] > max_rank)
          return in.fail(errc::ark_t01_rank, offsets[list]), 0;
      } else if (key == "Id") {
        id = true;
        t.id = integer(in, errc::ark_s09_tensor_member);
      } else if (key == "DataType") {
        type = true;
        if (!expect(in, json::kind::string, errc::ark_s09_tensor_member)) return 0;
        const std::uint64_t name_at = in.offset();
        if (const std::string_view name = in.string(); !in.failed())
          if (!find_data_type(name, t.type)) return in.fail(errc::ark_t06_data_type, name_at), 0;
      } else if (key == "Buffer") {
        has_buffer = true;
        if (!signs_.buffer_third.known()) signs_.buffer_third = !seen[0];
        t.buffer = buffer(in);
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return 0;
    if (!(id && type && has_buffer && seen[0] && seen[1] && seen[2] && seen[3] != seen[4]))
      return in.fail(errc::ark_s09_tensor_member, at), 0;
    for (std::size_t list = 1; list < 5; ++list)
      if (seen[list] && counts[list] != counts[0])
        return in.fail(errc::ark_t01_rank, offsets[list]), 0;
    l.rank = static_cast<std::uint32_t>(counts[0]);
    if (seen[4]) {  // no padded region exists; the value is kept for writing
      for (std::size_t d = 0; d < max_rank; ++d) l.padded_shape[d] = l.shape[d];
      l.pads = names_.index(model_.integers.size());
      model_.integers.append(pads, counts[4]);
      signs_.pads = true;
    }
    t.layout = names_.layout(l);
    return names_.tensor(t);
  }

  std::uint32_t buffer(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!expect(in, json::kind::object, errc::ark_s09_tensor_member)) return 0;
    ark::buffer b;
    bool id = false, rank = false, send = false, recv = false;
    const std::size_t first_tag = model_.tags.size();
    member_list unknown{b.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        b.id = integer(in, errc::ark_s10_buffer_member);
      } else if (key == "Rank") {
        rank = true;
        b.rank = static_cast<std::int32_t>(
            integer(in, errc::ark_s10_buffer_member, INT32_MIN, INT32_MAX));
      } else if (key == "SendTags") {
        send = true;
        b.send_tags = tags(in);
      } else if (key == "RecvTags") {
        recv = true;
        b.recv_tags = tags(in);
      } else if (key == "IsExternal") {
        if (!expect(in, json::kind::boolean, errc::ark_s10_buffer_member)) return 0;
        b.external = in.boolean() ? external::yes : external::no;
        signs_.external = true;
        signs_.external_last = signs_.external_last || send || recv;
      } else {
        member(in, key, unknown);
      }
    }
    if (in.failed()) return 0;
    if (!(id && rank && send && recv)) return in.fail(errc::ark_s10_buffer_member, at), 0;
    return names_.buffer(b, first_tag);
  }
  range tags(json::reader& in) {
    range out{names_.index(model_.tags.size()), 0};
    if (!expect(in, json::kind::array, errc::ark_s10_buffer_member)) return out;
    for (in.array(); in.element();) {
      if (!expect(in, json::kind::array, errc::ark_b03_tags)) return out;
      const std::uint64_t at = in.offset();
      std::int64_t pair[2] = {};
      std::size_t count = 0;
      for (in.array(); in.element(); ++count) {
        const std::int64_t v =
            integer(in, errc::ark_b03_tags, INT32_MIN, INT32_MAX, errc::ark_b03_tags);
        if (count < 2) pair[count] = v;
      }
      if (!in.failed() && count != 2) return in.fail(errc::ark_b03_tags, at), out;
      model_.tags.push_back(
          {static_cast<std::int32_t>(pair[0]), static_cast<std::int32_t>(pair[1])});
    }
    out.count = names_.index(model_.tags.size() - out.first);
    too_many(in, out.count);
    return out;
  }

  void arguments(json::reader& in, ark::op& o) {
    o.arguments = {names_.index(model_.arguments.size()), 0};
    const std::uint64_t at = in.offset();
    if (in.peek() == json::kind::null) {
      o.args = args_form::null;
      return in.null();
    }
    if (in.peek() == json::kind::array) {
      o.args = args_form::array;
      in.array();
      if (in.element()) in.fail(errc::ark_s08_op_member, at);
      return;
    }
    if (!expect(in, json::kind::object, errc::ark_s08_op_member)) return;
    std::string_view key;
    for (in.object(); in.key(key);) {
      argument a;
      a.name = find_argument_name(key);
      if (a.name == argument_name::other) a.other_name = names_.characters(key);
      const std::string_view value = in.skip();
      if (in.failed()) return;
      json::reader known(value, limit_);
      if (!argument_value(known, a)) {
        json::reader again(value, limit_);
        a.type = argument_type::other;
        a.integers = {};
        a.token = compact(again);
      }
      model_.arguments.push_back(a);
    }
    o.arguments.count = names_.index(model_.arguments.size() - o.arguments.first);
    too_many(in, o.arguments.count);
  }
  /// {"TYPE": value} of a known TYPE with a value in its range; false for anything else.
  bool argument_value(json::reader& in, argument& a) {
    std::string_view key;
    if (in.peek() != json::kind::object) return false;
    in.object();
    if (!in.key(key)) return false;
    a.type = find_argument_type(key);
    switch (a.type) {
      case argument_type::int32: a.integer = in.int32(); break;
      case argument_type::int64: a.integer = in.int64(); break;
      case argument_type::uint32:
        a.integer = in.integer<std::int64_t>(0, std::int64_t{UINT32_MAX});
        break;
      case argument_type::uint64: a.integer = static_cast<std::int64_t>(in.uint64()); break;
      case argument_type::boolean: a.integer = in.boolean() ? 1 : 0; break;
      case argument_type::float32: {
        if (in.peek() != json::kind::number) return false;
        json::reader token(in.rest(), limit_);
        const std::string_view number = token.number().token;
        a.real = in.float32();
        if (!in.failed()) a.token = names_.characters(number);
        break;
      }
      case argument_type::dims: {
        std::int64_t dims[max_rank] = {};
        const std::size_t count = dimensions(in, dims, errc::ark_o05_argument_form);
        if (in.failed() || count > max_rank) return false;
        a.integers = {names_.index(model_.integers.size()), static_cast<std::uint32_t>(count)};
        model_.integers.append(dims, count);
        break;
      }
      case argument_type::tensor: a.integer = tensor(in); break;
      case argument_type::offset: offset(in, a); break;
      case argument_type::other: return false;
    }
    return !in.key(key) && in.finish().code == errc::ok;
  }
  /// {"BufferId": …, "Value": …}; in place of it the value alone.
  void offset(json::reader& in, argument& a) {
    a.integers.first = names_.index(model_.integers.size());
    std::int64_t parts[2] = {};
    bool seen[2] = {};
    if (in.peek() == json::kind::number) {
      model_.integers.push_back(in.integer<std::int64_t>(0, INT64_MAX));
      a.integers.count = 1;
      return;
    }
    std::string_view key;
    for (in.object(); in.key(key);) {
      const std::size_t part = key == "BufferId" ? 0 : key == "Value" ? 1 : 2;
      if (part == 2) return in.fail(errc::ark_o05_argument_form, in.offset());
      parts[part] = in.integer<std::int64_t>(0, INT64_MAX);
      seen[part] = true;
    }
    if (!(seen[0] && seen[1])) in.fail(errc::ark_o05_argument_form, 0);
    model_.integers.append(parts, 2);
    a.integers.count = 2;
  }

  ark::model& model_;
  interner names_;
  limits limit_;
  pool<std::uint32_t> uses_[3];
  dialect_signs signs_;
};

// ---- What the fast path leaves to the plain one.

inline fast_nodes::fast_nodes(graph_reader& plain) noexcept
    : repeated_text(plain.limit_),
      plain_(plain),
      model_(plain.model_),
      names_(plain.names_),
      signs_(plain.signs_) {}

inline const char* fast_nodes::member(const char* quote, const char* p, std::uint32_t& first) {
  std::string_view key;
  if (quoted(quote, key) == nullptr) return nullptr;
  constexpr unsigned few = 8;
  unsigned count = 0;
  graph_reader::member_list list{first};
  for (std::uint32_t i = first; i != none; i = model_.members[i].next) {
    if (++count > few || text_of(model_, model_.members[i].key) == key) return nullptr;
    list.last = i;
  }
  return by_reader(p, [&](json::reader& in) { plain_.member(in, key, list); });
}
inline const char* fast_nodes::plain_arguments(const char* p, op& o) {
  return by_reader(p, [&](json::reader& in) { plain_.arguments(in, o); });
}
inline const char* fast_nodes::plain_tensor(const char* p, std::uint32_t& out) {
  return by_reader(p, [&](json::reader& in) { out = plain_.tensor(in); });
}

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<model> read(std::string_view source, const read_options& options) {
  model m;
  json::reader in(source, options.limit);
  detail::graph_reader reader(m, options.limit);
  reader.root(in, options.path);
  reader.finish(in);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return m;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_READ_HPP

// ---- tessera/ark/detail/verify.hpp
//
// The bodies of ark/verify.hpp.

#ifndef TESSERA_ARK_DETAIL_VERIFY_HPP
#define TESSERA_ARK_DETAIL_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>


// ---- tessera/ark/detail/findings.hpp
//
// How rules report: values of a model, which become paths at once and offsets at the end.
//
//   findings found({&model, 1}, {&source, 1}, max_diagnostics, report);
//   found.add(errc::ark_t02_dimension, severity::error, at_use(n, o, list::reads, 1).in("Shape"))
//       << "Shape " << shape << " has a dimension below 1";
//   found.finish();
//
// Lifetime:   borrows the models, the report and the sources.
// Errors:     error(): the first one, kept or not.
// Limits:     max_diagnostics are kept, all are counted.
// Allocation: the report's; a path and 16 bytes for each finding while offsets are looked up.

#ifndef TESSERA_ARK_DETAIL_FINDINGS_HPP
#define TESSERA_ARK_DETAIL_FINDINGS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/core/detail/describe.hpp
//
// The bodies of core/describe.hpp.

#ifndef TESSERA_CORE_DETAIL_DESCRIBE_HPP
#define TESSERA_CORE_DETAIL_DESCRIBE_HPP


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

// ---- tessera/ark/detail/shapes.hpp
//
// The bodies of ark/shapes.hpp.

#ifndef TESSERA_ARK_DETAIL_SHAPES_HPP
#define TESSERA_ARK_DETAIL_SHAPES_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE text& operator<<(text& out, const dimensions& d) {
  out << '[';
  for (std::uint32_t i = 0; i < d.rank; ++i) out << (i == 0 ? "" : ",") << d.size[i];
  return out << ']';
}

TESSERA_INLINE bool broadcast(const dimensions& a, const dimensions& b, dimensions& out) noexcept {
  const dimensions x = extended(a), y = extended(b);
  dimensions four = x;
  for (std::size_t i = 0; i < max_rank; ++i) {
    if (x.size[i] != y.size[i] && x.size[i] != 1 && y.size[i] != 1) return false;
    if (x.size[i] == 1) four.size[i] = y.size[i];
  }
  out = last_of(four, a.rank > b.rank ? a.rank : b.rank);
  return true;
}

TESSERA_INLINE dimensions extended(const dimensions& d) noexcept {
  dimensions out;
  out.rank = max_rank;
  for (std::uint32_t i = 0; i < d.rank; ++i) out.size[max_rank - d.rank + i] = d.size[i];
  return out;
}

TESSERA_INLINE dimensions last_of(const dimensions& four, std::uint32_t rank) noexcept {
  dimensions out;
  out.rank = rank;
  for (std::uint32_t i = 0; i < rank; ++i) out.size[i] = four.size[max_rank - rank + i];
  return out;
}

TESSERA_INLINE bool reduced(const dimensions& in, std::int64_t axis, bool keep,
                            dimensions& out) noexcept {
  const std::int64_t rank = in.rank;
  if (axis < -rank || axis >= rank) return false;
  const auto at = static_cast<std::uint32_t>(axis < 0 ? axis + rank : axis);
  out = in;
  out.size[at] = 1;
  if (keep || in.rank == 1) return true;
  for (std::uint32_t i = at; i + 1 < in.rank; ++i) out.size[i] = in.size[i + 1];
  out.size[--out.rank] = 1;
  return true;
}

TESSERA_INLINE bool permuted(const dimensions& in, view<std::int64_t> permutation,
                             dimensions& out) noexcept {
  if (permutation.size() != in.rank) return false;
  out = in;
  unsigned seen = 0;
  for (std::uint32_t i = 0; i < in.rank; ++i) {
    const std::int64_t from = permutation[i];
    if (from < 0 || from >= std::int64_t{in.rank} || (seen >> from & 1) != 0) return false;
    seen |= 1u << from;
    out.size[i] = in.size[from];
  }
  return true;
}

TESSERA_INLINE bool multiply(const dimensions& a, const dimensions& b, bool transpose_a,
                             bool transpose_b, matmul_shape& m) noexcept {
  dimensions x = extended(a), y = extended(b);
  if (b.rank == 1) {  // a column, where the first operand would be a row
    y.size[2] = b.size[0];
    y.size[3] = 1;
  }
  m.rows = x.size[transpose_a ? 3 : 2];
  m.inner = x.size[transpose_a ? 2 : 3];
  m.columns = y.size[transpose_b ? 2 : 3];
  const std::int64_t other = y.size[transpose_b ? 3 : 2];
  for (std::size_t i = 2; i < max_rank; ++i) x.size[i] = y.size[i] = 1;
  dimensions four;
  const bool fits = broadcast(x, y, four);
  if (fits) {
    four.size[2] = m.rows;
    four.size[3] = m.columns;
    const std::uint32_t rank = a.rank > b.rank ? a.rank : b.rank;
    m.out = last_of(four, rank < 2 ? 2 : rank);
  }
  return fits && m.inner == other;
}

TESSERA_INLINE bool looked_up(const dimensions& indices, const dimensions& table,
                              dimensions& out) noexcept {
  if (indices.rank > 3 || table.rank != 2) return false;
  const dimensions four = extended(indices);
  out.rank = max_rank;
  for (std::size_t i = 0; i < 3; ++i) out.size[i] = four.size[i + 1];
  out.size[3] = table.size[1];
  return true;
}

TESSERA_INLINE bool is_looked_up(const dimensions& indices, const dimensions& table,
                                 const dimensions& out) noexcept {
  dimensions four;
  return looked_up(indices, table, four) && (out == four || out == last_of(four, indices.rank + 1));
}

TESSERA_INLINE argument_name older_name(argument_name name, op_type op) noexcept {
  switch (name) {
    case argument_name::factor:
      return op == op_type::scalar_add || op == op_type::scalar_mul ? argument_name::value
                                                                    : argument_name::other;
    case argument_name::value:
      return op == op_type::scalar_assign ? argument_name::factor : argument_name::other;
    case argument_name::transpose_input:
      return op == op_type::matmul ? argument_name::is_input_column_major : argument_name::other;
    case argument_name::transpose_other:
      return op == op_type::matmul ? argument_name::is_other_column_major : argument_name::other;
    default: return argument_name::other;
  }
}

TESSERA_INLINE const argument* argument_of(const model& g, const op& o,
                                           argument_name name) noexcept {
  if (const argument* const a = find_argument(g, o, name)) return a;
  const argument_name older = older_name(name, o.type);
  return older == argument_name::other ? nullptr : find_argument(g, o, older);
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_SHAPES_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

enum class list : std::uint8_t { reads, writes, results, nothing };

inline constexpr std::string_view list_names[] = {"ReadTensors", "WriteTensors", "ResultTensors"};

/// A member, or an element of it.
struct below {
  std::string_view member;
  std::uint32_t index = none;
};

/// A value of a file: the root, a node, an operation, a use of a tensor, or a member below.
struct location {
  std::uint32_t file = 0;     // of several
  std::uint32_t node = none;  // in model::nodes
  std::uint32_t op = none;    // among the node's
  detail::list list = detail::list::nothing;
  std::uint32_t use = 0;  // in the list
  below steps[6];
  std::uint32_t depth = 0;

  /// A member below, or an element of it.
  [[nodiscard, gnu::noinline]] location in(std::string_view member,
                                           std::uint32_t index = none) const noexcept {
    location p = *this;
    p.steps[p.depth++] = {member, index};
    return p;
  }
};

[[nodiscard, gnu::noinline]] inline location at_root() noexcept { return {}; }

[[nodiscard, gnu::noinline]] inline location at_node(std::uint32_t node) noexcept {
  location p;
  p.node = node;
  return p;
}

[[nodiscard, gnu::noinline]] inline location at_op(std::uint32_t node, std::uint32_t op) noexcept {
  location p = at_node(node);
  p.op = op;
  return p;
}

[[nodiscard, gnu::noinline]] inline location at_use(std::uint32_t node, std::uint32_t op, list l,
                                                    std::uint32_t use) noexcept {
  location p = at_op(node, op);
  p.list = l;
  p.use = use;
  return p;
}

/// The same for a use counted over all three lists of an operation.
[[nodiscard, gnu::noinline]] inline location at_use(std::uint32_t node, std::uint32_t op,
                                                    const ark::op& o, std::uint32_t use) noexcept {
  if (use < o.reads) return at_use(node, op, list::reads, use);
  if (use - o.reads < o.writes) return at_use(node, op, list::writes, use - o.reads);
  return at_use(node, op, list::results, use - o.reads - o.writes);
}

/// The start of a text of the file, as people are shown it.
struct excerpt {
  std::string_view of;
};
/// The same in quotes.
struct quoted {
  std::string_view of;
};
/// A text that is ours, however long.
struct verbatim {
  std::string_view text;
};
[[gnu::cold]] inline text& operator<<(text& out, const verbatim& v) { return out << v.text; }

[[gnu::cold]] inline std::size_t excerpt_size(std::string_view s) noexcept {
  constexpr std::size_t max = 60;
  std::size_t size = s.size() <= max ? s.size() : max;
  while (size > 0 && size < s.size() && (static_cast<unsigned char>(s[size]) & 0xc0u) == 0x80u)
    --size;
  return size;
}
[[gnu::cold]] inline text& operator<<(text& out, const excerpt& e) {
  const std::size_t size = excerpt_size(e.of);
  append_shown(out, e.of.substr(0, size));
  if (size < e.of.size()) out << "...";
  return out;
}
[[gnu::cold]] inline text& operator<<(text& out, const quoted& q) {
  const std::size_t size = excerpt_size(q.of);
  text start(q.of.substr(0, size)), json;
  if (size < q.of.size()) start << "...";
  json::append_quoted(json, start);
  append_shown(out, json);
  return out;
}

using writer = tessera::detail::findings::writer;

class findings {
 public:
  /// For some files, and those of their texts that are there.
  findings(view<const model*> models, view<std::string_view> sources, std::uint64_t max_diagnostics,
           report* found)
      : models_(models),
        sources_(sources),
        report_(found),
        max_(max_diagnostics),
        base_(found, max_diagnostics) {}
  findings(const findings&) = delete;
  findings& operator=(const findings&) = delete;

  /// One more finding, whose message is written into the result.
  [[gnu::cold, gnu::noinline]] writer add(errc code, severity s, const location& at) {
    begin(s, at);
    return base_.add(code, s, {.file = at.file}, rule(code).id(), path_);
  }

  /// How many errors there were.
  [[nodiscard]] std::uint64_t errors() const noexcept { return base_.errors(); }
  [[nodiscard]] bool failed() const noexcept { return base_.failed(); }
  /// The first error, after finish().
  [[nodiscard]] tessera::error error() const noexcept { return error_; }

  /// Looks up the offsets, one walk of the text for each node with findings.
  [[gnu::cold, gnu::noinline]] void finish() {
    base_.close();
    while (!pending_.empty() && pending_.back().index >= report_->diagnostics.size())
      pending_.pop_back();  // unreachable: with less than 1 GiB of texts
    sort(pending_.data(), pending_.size(), [](const pending& a, const pending& b) {
      return a.file != b.file ? a.file < b.file : a.node < b.node;
    });
    pool<std::string_view> paths;
    pool<std::uint64_t> offsets;
    text relative;
    for (std::size_t first = 0, last = 0; first < pending_.size(); first = last) {
      const pending& group = pending_[first];
      const std::size_t prefix = prefix_of(group.node);
      const auto path_of = [&](std::size_t i) {
        return report_->text_of(report_->diagnostics[pending_[i].index].path).substr(prefix);
      };
      relative.clear();
      for (last = first; last < pending_.size() && pending_[last].file == group.file &&
                         pending_[last].node == group.node;
           ++last)
        relative << '$' << path_of(last);
      paths.clear();
      for (std::size_t i = first, at = 0; i < last; ++i) {
        paths.push_back(relative.view().substr(at, path_of(i).size() + 1));
        at += paths.back().size();
      }
      offsets.resize(paths.size());
      const error_index index = locate(group, paths, offsets.data());
      for (std::size_t i = first; i < last; ++i) {
        tessera::place& where = report_->diagnostics[pending_[i].index].where;
        where.offset = offsets[i - first];
        where.index = index;
      }
    }
    pending_.clear();
    if (failed()) {
      error_ = base_.first_error();
      text path("$");
      path << first_path_.view().substr(prefix_of(first_place_.node));
      const std::string_view only = path;
      error_.index = locate(first_place_, {&only, 1}, &error_.offset);
    }
  }

 private:
  struct pending {
    std::uint32_t file, node, index;
  };

  /// Before a finding is added.
  void begin(severity s, const location& at) {
    if (s == severity::error && !base_.failed()) {
      first_place_ = {at.file, at.node, 0};
      append_path(first_path_, at);
    }
    path_.clear();
    if (report_ == nullptr || report_->diagnostics.size() >= max_) return;
    pending_.push_back({at.file, at.node, static_cast<std::uint32_t>(report_->diagnostics.size())});
    append_path(path_, at);
  }
  [[gnu::cold, gnu::noinline]] void append_path(text& out, const location& at) const {
    out << '$';
    if (at.node != none) {
      out << ".Nodes[" << at.node << ']';
      if (at.op != none) {
        if (info(models_[at.file]->form).holds_ops)
          out << ".Ops[" << at.op << ']';
        else
          out << ".Op";
      }
      if (at.list != list::nothing)
        out << '.' << list_names[static_cast<std::size_t>(at.list)] << '[' << at.use << ']';
    }
    for (std::uint32_t i = 0; i < at.depth; ++i) {
      json::append_key(out, at.steps[i].member);
      if (at.steps[i].index != none) out << '[' << at.steps[i].index << ']';
    }
  }
  /// How much of a path leads to its node, or to the root.
  [[nodiscard]] static std::size_t prefix_of(std::uint32_t node) noexcept {
    if (node == none) return 1;
    std::size_t digits = 1;
    for (std::uint32_t v = node; v >= 10; v /= 10) ++digits;
    return std::string_view("$.Nodes[]").size() + digits;
  }
  [[nodiscard]] std::string_view source_of(const pending& group) const noexcept {
    return group.file < sources_.size() ? sources_[group.file] : std::string_view();
  }
  /// Where a node, or the root, begins in its file; for a model that was built in code, the node's
  /// index.
  [[nodiscard]] tessera::error origin_of(const pending& group) const noexcept {
    if (group.node != none) {
      const pool<node>& nodes = models_[group.file]->nodes;
      return error_in(nodes, nodes[group.node], errc::ok, error_index::node);
    }
    return {errc::ok, 0, source_of(group).empty() ? error_index::whole : error_index::none};
  }
  /// The offsets of paths relative to a node, or what else they count.
  [[gnu::cold]] error_index locate(const pending& group, view<std::string_view> paths,
                                   std::uint64_t* offsets) const {
    const tessera::error from = origin_of(group);
    const std::uint64_t base = from.offset;
    const std::string_view source = source_of(group);
    for (std::size_t i = 0; i < paths.size(); ++i) offsets[i] = json::no_offset;
    if (from.index == error_index::none && base < source.size())
      json::find(source.substr(static_cast<std::size_t>(base)), paths, offsets,
                 {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
    for (std::size_t i = 0; i < paths.size(); ++i)
      offsets[i] = offsets[i] == json::no_offset ? base : base + offsets[i];
    return from.index;
  }

  view<const model*> models_;
  view<std::string_view> sources_;
  report* report_;
  std::uint64_t max_;
  tessera::detail::findings base_;
  pool<pending> pending_;  // those without their offsets
  text path_;              // of the finding that is being written
  pending first_place_ = {0, none, 0};
  text first_path_;
  tessera::error error_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_FINDINGS_HPP

// ---- tessera/ark/detail/hazards.hpp
//
// Rule G14: a path of dependencies orders accesses to the same bytes, one of which writes.
//
//   hazards(c, edges, steps).run();
//
// In the order of the array a file runs correctly; but running nodes in another order that the edges
// allow may give another result. Files of the format's own writer have many such accesses, because
// edges follow tensors and not buffers.
//
//   accesses   ReadTensors and WriteTensors of operations that compute or communicate; not views,
//              Noop, SendDone, DeviceSync, nor the labels that receives read
//   reported   each pair of nodes once, at the later access
//
// Each access is compared with the earlier ones of its buffer, back to a write of all its bytes that
// is itself ordered after all earlier ones and before this access: what is older is ordered, too.
//
// Lifetime:   borrows the context and the edges.
// Errors:     warnings.
// Limits:     verify_options::hazard_steps, counted in visited accesses, rows and edges.
// Allocation: 24 bytes for each access, 13 for each node, 8 for each buffer.

#ifndef TESSERA_ARK_DETAIL_HAZARDS_HPP
#define TESSERA_ARK_DETAIL_HAZARDS_HPP

#include <cstddef>
#include <cstdint>


// ---- tessera/ark/detail/overlap.hpp
//
// Which bytes of a buffer a tensor touches, and whether two tensors touch the same.
//
//   ark::footprint a(layout_of(g, x), 4), b(layout_of(g, y), 4);
//   if (overlap(a, b)) …                  // e.g. two column stripes of one matrix: no
//
// A tensor is rows of bytes, nested: row after row of the last dimension, those after one another
// along the dimension before, and so on. Dimensions that lie without a gap are one.
//
// Lifetime:   values.
// Errors:     none; layouts keep the rules T.
// Limits:     rows of two tensors that lie in a different way are compared one by one, at most
//             `max_rows` of them; beyond that overlap() returns true.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_OVERLAP_HPP
#define TESSERA_ARK_DETAIL_OVERLAP_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark {

/// The bytes of a tensor's elements, without its padding.
class footprint {
 public:
  footprint() noexcept = default;
  footprint(const layout& l, std::uint64_t element_bytes) noexcept {
    const std::uint32_t rank = l.rank == 0 ? 1 : l.rank;
    run_ = element_bytes;
    std::uint64_t step = element_bytes;  // from one index of a dimension to the next
    for (std::uint32_t d = rank; d-- > 0;) {
      first_ += static_cast<std::uint64_t>(l.offsets[d]) * step;
      const auto size = static_cast<std::uint64_t>(l.shape[d]);
      if (levels_ == 0 && step == run_)
        run_ *= size;
      else if (size > 1)
        level_[levels_++] = {size, step};
      step *= static_cast<std::uint64_t>(l.strides[d]);
    }
    end_ = first_ + run_;
    rows_ = 1;
    for (std::size_t i = 0; i < levels_; ++i) {
      end_ += (level_[i].size - 1) * level_[i].step;
      rows_ *= level_[i].size;
    }
  }

  /// One past the last byte.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  /// Rows of bytes without a gap.
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// Whether it has no gaps at all.
  [[nodiscard]] bool contiguous() const noexcept { return rows_ == 1; }

  /// Whether any byte lies in [low, high).
  [[nodiscard]] bool touches(std::uint64_t low, std::uint64_t high) const noexcept {
    // Blocks along a dimension follow each other, so at each level either a whole block lies in the
    // interval or only those at its ends, at most two, have to be visited.
    struct block {
      std::uint64_t first;
      std::size_t level;  // how many levels it consists of
    };
    block todo[2 * max_rank + 2] = {{first_, levels_}};
    for (std::size_t count = 1; count > 0;) {
      const block b = todo[--count];
      const std::uint64_t end = b.first + extent(b.level);
      if (b.first >= high || end <= low) continue;
      if (b.level == 0 || (b.first >= low && b.first < high) || (end <= high && end > low))
        return true;  // the first or the last byte of a block is always one of the tensor's
      const dimension& d = level_[b.level - 1];
      const std::uint64_t inner = extent(b.level - 1);
      // The first block that ends after `low`, and the next one.
      std::uint64_t i = 0;
      if (low >= b.first + inner) i = (low - b.first - inner) / d.step + 1;
      for (std::uint64_t k = i; k < d.size && k < i + 2; ++k)
        todo[count++] = {b.first + k * d.step, b.level - 1};
    }
    return false;
  }

  /// Whether every byte of `inner` is one of this; false also where that is hard to decide.
  [[nodiscard]] bool covers(const footprint& inner) const noexcept {
    return contiguous() ? first_ <= inner.first_ && inner.end_ <= end_ : *this == inner;
  }

  /// Whether two share a byte.
  [[nodiscard]] friend bool overlap(const footprint& a, const footprint& b) noexcept {
    if (a.first_ >= b.end_ || b.first_ >= a.end_) return false;
    const footprint& few = a.rows_ <= b.rows_ ? a : b;
    const footprint& many = a.rows_ <= b.rows_ ? b : a;
    if (few.rows_ > max_rows) return true;
    std::uint64_t index[max_rank] = {};
    for (;;) {
      std::uint64_t at = few.first_;
      for (std::size_t i = 0; i < few.levels_; ++i) at += index[i] * few.level_[i].step;
      if (many.touches(at, at + few.run_)) return true;
      std::size_t i = 0;
      while (i < few.levels_ && ++index[i] == few.level_[i].size) index[i++] = 0;
      if (i == few.levels_) return false;
    }
  }
  friend bool operator==(const footprint& a, const footprint& b) noexcept {
    if (a.first_ != b.first_ || a.run_ != b.run_ || a.levels_ != b.levels_) return false;
    for (std::size_t i = 0; i < a.levels_; ++i)
      if (a.level_[i].size != b.level_[i].size || a.level_[i].step != b.level_[i].step)
        return false;
    return true;
  }

  static constexpr std::uint64_t max_rows = 1024;

 private:
  struct dimension {
    std::uint64_t size = 1, step = 0;
  };
  /// Bytes from the first to the last of `levels` inner levels.
  [[nodiscard]] std::uint64_t extent(std::size_t levels) const noexcept {
    std::uint64_t bytes = run_;
    for (std::size_t i = 0; i < levels; ++i) bytes += (level_[i].size - 1) * level_[i].step;
    return bytes;
  }

  std::uint64_t first_ = 0, end_ = 0, run_ = 0, rows_ = 0;
  dimension level_[max_rank];  // from the innermost
  std::size_t levels_ = 0;
};

/// Whether element-wise operations may read one and write the other: each element at one place.
[[nodiscard]] constexpr bool same_elements(const layout& a, const layout& b) noexcept {
  if (a.rank != b.rank) return false;
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.shape[d] != b.shape[d] || a.offsets[d] != b.offsets[d] || a.strides[d] != b.strides[d])
      return false;
  return true;
}
/// The same for two tensors of one rank and the same Strides and bytes: where their boxes meet.
[[nodiscard]] constexpr bool same_grid(const layout& a, const layout& b) noexcept {
  if (a.rank != b.rank) return false;
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.strides[d] != b.strides[d]) return false;
  return true;
}
[[nodiscard]] constexpr bool boxes_meet(const layout& a, const layout& b) noexcept {
  for (std::size_t d = 0; d < max_rank; ++d)
    if (a.offsets[d] >= b.offsets[d] + b.shape[d] || b.offsets[d] >= a.offsets[d] + a.shape[d])
      return false;
  return true;
}
/// How many rows overlap() may have to compare: its cost.
[[nodiscard]] inline std::uint64_t overlap_cost(const footprint& a, const footprint& b) noexcept {
  if (a.first() >= b.end() || b.first() >= a.end()) return 1;
  const std::uint64_t rows = a.rows() < b.rows() ? a.rows() : b.rows();
  return rows < footprint::max_rows ? rows : footprint::max_rows;
}
/// Whether two tensors of one buffer share a byte, whose elements take so many bytes.
[[nodiscard]] inline bool overlap(const layout& a, std::uint64_t bytes_a, const layout& b,
                                  std::uint64_t bytes_b) noexcept {
  if (bytes_a == bytes_b && same_grid(a, b)) return boxes_meet(a, b);
  return overlap(footprint(a, bytes_a), footprint(b, bytes_b));
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_OVERLAP_HPP

// ---- tessera/ark/detail/rules_graph.hpp
//
// The rules G but G14: nodes, their edges, and who makes which tensor.
//
//   graph_rules edges(c);
//   edges.run();
//   edges.order();        // a topological order; empty when there is a cycle
//
//   G01  node Ids are unique                       G07  producers are earlier in the array
//   G02  a node's Id is its index                  G08  no list repeats an edge
//   G03  edges name nodes                          G09  users of a result list its producer
//   G04  both nodes list an edge                   G10  a tensor is the result of one operation
//   G05  no node depends on itself                 G12  an operation doesn't use its own result
//   G06  no cycles                                 G13  a result isn't used before it is made
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none; all is linear in nodes, edges and uses.
// Allocation: 20 bytes for each edge, 20 for each node, 4 for each tensor.

#ifndef TESSERA_ARK_DETAIL_RULES_GRAPH_HPP
#define TESSERA_ARK_DETAIL_RULES_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/ark/detail/rules_structure.hpp
//
// The rules S that reading doesn't enforce, and the state that all rules share.
//
//   context c(g, options, found);
//   if (indices_hold(g)) structure_rules(c);
//
//   S03  WorldSize is at least 1, and Rank below it           S08  Args is an object
//   S06  a node of one Op has one                             S12  no unknown members (strict)
//   S07  Ops is not empty                                     S13  Ids are not negative
//
// Lifetime:   a context borrows the model and the findings.
// Errors:     findings.
// Limits:     none.
// Allocation: 12 bytes for each operation, and the indices by Id.

#ifndef TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP
#define TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// Whether all indices and enumerators of a model are in range, and no operation is in two nodes.
[[nodiscard, gnu::cold]] inline bool indices_hold(const model& g) noexcept {
  const auto holds = [](range r, std::size_t size) {
    return r.count == 0 || (r.first < size && r.count <= size - r.first);
  };
  const auto text_holds = [&](string s) {
    return s.size == 0 ||
           (s.first < g.characters.size() && s.size <= g.characters.size() - s.first);
  };
  const auto member_holds = [&](std::uint32_t m) { return m == none || m < g.members.size(); };
  const auto in = [](auto value, std::size_t count) {
    return static_cast<std::size_t>(value) < count;
  };
  for (const std::size_t size :
       {g.nodes.size(), g.ops.size(), g.uses.size(), g.arguments.size(), g.tensors.size(),
        g.layouts.size(), g.buffers.size(), g.tags.size(), g.integers.size(), g.members.size()})
    if (size >= none) return false;
  if (!in(g.form, std::size(dialect_table)) || !member_holds(g.own_members)) return false;
  std::uint64_t ops = 0, uses = 0, edges = 0, arguments = 0;
  for (const node& n : g.nodes) {
    if (!holds(n.ops, g.ops.size()) || !holds(n.producers, g.integers.size()) ||
        !holds(n.consumers, g.integers.size()) || !member_holds(n.members))
      return false;
    ops += n.ops.count;
    edges += std::uint64_t{n.producers.count} + n.consumers.count;
  }
  for (const op& o : g.ops) {
    const std::uint64_t count = std::uint64_t{o.reads} + o.writes + o.results;
    if (!in(o.type, std::size(op_table)) || count > g.uses.size() ||
        !holds({o.first_use, static_cast<std::uint32_t>(count)}, g.uses.size()) ||
        !holds(o.arguments, g.arguments.size()) || !text_holds(o.name) ||
        !text_holds(o.unknown_type) || !in(o.args, 3) || !member_holds(o.members))
      return false;
    uses += count;
    arguments += o.arguments.count;
  }
  if (ops > g.ops.size() || uses >= none || edges >= none || arguments >= none) return false;
  for (const std::uint32_t t : g.uses)
    if (t >= g.tensors.size()) return false;
  for (const argument& a : g.arguments) {
    if (!in(a.name, std::size(argument_names)) || !in(a.type, std::size(argument_type_names)) ||
        !text_holds(a.other_name) || !text_holds(a.token) || !holds(a.integers, g.integers.size()))
      return false;
    if (a.type == argument_type::tensor &&
        (a.integer < 0 || static_cast<std::uint64_t>(a.integer) >= g.tensors.size()))
      return false;
  }
  for (const tensor& t : g.tensors)
    if (t.layout >= g.layouts.size() || t.buffer >= g.buffers.size() || !member_holds(t.members) ||
        !in(t.type, std::size(data_type_table)))
      return false;
  for (const layout& l : g.layouts) {
    if (l.pads == none) continue;
    if (!holds({l.pads, l.rank > max_rank ? 0 : l.rank}, g.integers.size())) return false;
  }
  for (const buffer& b : g.buffers)
    if (!holds(b.send_tags, g.tags.size()) || !holds(b.recv_tags, g.tags.size()) ||
        !member_holds(b.members) || !in(b.external, 3))
      return false;
  for (const member& m : g.members)
    if (!text_holds(m.key) || !text_holds(m.value) || !member_holds(m.next)) return false;
  return true;
}

/// An operation in its place.
struct op_place {
  std::uint32_t node, index;  // in model::nodes, and among the node's operations
  std::uint32_t op;           // in model::ops
};

/// The state that all rules share.
struct context {
  context(const ark::model& model, const verify_options& o, findings& f)
      : g(model),
        options(o),
        found(f),
        nodes(model.nodes.data(), model.nodes.size()),
        tensors(model.tensors.data(), model.tensors.size()),
        buffers(model.buffers.data(), model.buffers.size()) {
    ops.reserve(g.ops.size());
    for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
      for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i)
        ops.push_back({n, i, g.nodes[n].ops.first + i});
  }

  writer error(errc code, const location& at) { return found.add(code, severity::error, at); }
  writer warning(errc code, const location& at) { return found.add(code, severity::warning, at); }
  /// The first entry of a tensor's Id; of its buffer's Id.
  [[nodiscard]] std::uint32_t same_tensor(std::uint32_t t) const noexcept {
    return tensors.first_of(t);
  }
  [[nodiscard]] std::uint32_t storage_of(std::uint32_t t) const noexcept {
    return buffers.first_of(g.tensors[t].buffer);
  }
  [[nodiscard]] static location at(const op_place& p) noexcept { return at_op(p.node, p.index); }
  [[nodiscard]] static location at(const op_place& p, list l, std::uint32_t use) noexcept {
    return at_use(p.node, p.index, l, use);
  }
  [[nodiscard]] location at(const op_place& p, const argument& a) const noexcept {
    return at(p).in("Args").in(name(g, a));
  }

  const ark::model& g;
  const verify_options& options;
  findings& found;
  id_index nodes, tensors, buffers;
  pool<op_place> ops;  // in the order of execution
  pool<bool> unsound;  // by tensor: it violates a rule T, so that its shape is not used
};

/// What the writer of an unknown name may have meant, if anything is near.
inline void did_you_mean(writer out, std::string_view near) {
  if (!near.empty()) out << "; did you mean " << near << '?';
}

/// S12 for the members of one object.
[[gnu::cold]] inline void unknown_members(context& c, std::uint32_t members, const location& at,
                                          bool buffer) {
  if (!c.options.strict) return;
  std::size_t left = c.g.members.size();  // a list in a model built in code may be cyclic
  for (std::uint32_t m = members; m != none && left-- > 0; m = c.g.members[m].next) {
    const std::string_view key = text_of(c.g, c.g.members[m].key);
    if (buffer && (key == "ExternalDataSize" || key == "DeviceId")) continue;
    writer out = c.warning(errc::ark_s12_unknown_member, at.in(key));
    out << "unknown member " << quoted{key};
    if (const std::string_view near = nearest(key, member_rows); near != key)
      did_you_mean(out, near);
  }
}

/// The rules S of the root, nodes and operations; tensor_rules has those of tensors and buffers.
[[gnu::cold]] inline void structure_rules(context& c) {
  const model& g = c.g;
  if (g.world_size < 1)
    c.error(errc::ark_s03_world, at_root().in("WorldSize"))
        << "WorldSize is " << g.world_size << "; expected at least 1";
  if (g.rank < 0 || g.rank >= g.world_size)
    c.error(errc::ark_s03_world, at_root().in("Rank"))
        << "Rank is " << g.rank << "; expected 0 to " << std::int64_t{g.world_size} - 1;
  unknown_members(c, g.own_members, at_root(), false);
  const bool holds_ops = info(g.form).holds_ops;
  for (std::uint32_t n = 0; n < g.nodes.size(); ++n) {
    const node& v = g.nodes[n];
    if (v.id < 0)
      c.error(errc::ark_s13_integer, at_node(n).in("Id"))
          << "Id is " << v.id << "; expected at least 0";
    if (v.ops.count == 0)
      c.found.add(errc::ark_s07_no_ops, severity::error, at_node(n));
    else if (!holds_ops && v.ops.count != 1)
      c.error(errc::ark_s06_op_or_ops, at_node(n))
          << "the node has " << v.ops.count << " operations; expected 1 in " << info(g.form).name;
    unknown_members(c, v.members, at_node(n), false);
  }
  for (const op_place& p : c.ops) {
    const op& o = g.ops[p.op];
    if (o.args != args_form::object)
      c.warning(errc::ark_s08_op_member, c.at(p).in("Args"))
          << "Args is " << (o.args == args_form::null ? "null" : "an array")
          << "; expected an object";
    unknown_members(c, o.members, c.at(p), false);
  }
}

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_STRUCTURE_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class graph_rules {
 public:
  explicit graph_rules(context& c)
      : c_(c), g_(c.g), count_(static_cast<std::uint32_t>(c.g.nodes.size())) {}

  [[gnu::cold]] void run() {
    ids();
    for (side& s : sides_) resolve(s);
    for (side& s : sides_) listed(s);
    mirrored();
    if (!ascending()) sort_nodes();
    array_order();
    tensors();
  }

  /// Whether the order of the array is one in which producers come first.
  [[nodiscard]] bool in_order() const noexcept { return in_order_; }
  /// Otherwise such an order of the nodes; empty when there is none.
  [[nodiscard]] const pool<std::uint32_t>& order() const noexcept { return order_; }
  /// The nodes that a node lists as producers, `none` for what isn't there.
  [[nodiscard]] view<std::uint32_t> producers(std::uint32_t n) const noexcept {
    return {sides_[0].target.data() + sides_[0].first[n],
            sides_[0].first[n + 1] - sides_[0].first[n]};
  }

 private:
  /// Edges as one of their two nodes lists them.
  struct side {
    bool producers;
    pool<std::uint32_t> target;  // by edge: the node that is listed
    pool<std::uint32_t> owner;   // by edge: the node that lists it
    pool<std::uint32_t> first;   // by node: its first edge; one more for the end
    pool<std::uint32_t> by_target, first_by_target;  // edges by the node that is listed
  };

  [[nodiscard]] static std::string_view member_of(const side& s) noexcept {
    return s.producers ? "ProducerNodeIds" : "ConsumerNodeIds";
  }
  [[nodiscard]] static std::string_view word_of(const side& s) noexcept {
    return s.producers ? "producer " : "consumer ";
  }
  [[nodiscard]] range range_of(const side& s, std::uint32_t n) const noexcept {
    return s.producers ? g_.nodes[n].producers : g_.nodes[n].consumers;
  }
  [[nodiscard]] location at(const side& s, std::uint32_t edge) const noexcept {
    const std::uint32_t n = s.owner[edge];
    return at_node(n).in(member_of(s), edge - s.first[n]);
  }

  /// G01, G02.
  [[gnu::cold]] void ids() {
    for (std::uint32_t n = 0; n < count_; ++n) {
      const std::int64_t id = g_.nodes[n].id;
      if (const std::uint32_t first = c_.nodes.first_of(n); first != n) {
        repeated_ = true;
        c_.error(errc::ark_g01_node_id, at_node(n).in("Id"))
            << "duplicate Id " << id << ", also of $.Nodes[" << first << ']';
      } else if (id != std::int64_t{n}) {
        c_.warning(errc::ark_g02_node_index, at_node(n).in("Id"))
            << "Id " << id << " differs from the node's index, " << n;
      }
    }
  }

  /// Finds the nodes that edges name, and lists the edges by them.
  [[gnu::cold]] void resolve(side& s) {
    std::uint32_t edges = 0;
    s.first.reserve(std::size_t{count_} + 1);
    for (std::uint32_t n = 0; n < count_; ++n) {
      s.first.push_back(edges);
      edges += range_of(s, n).count;
    }
    s.first.push_back(edges);
    s.target.reserve(edges);
    s.owner.reserve(edges);
    s.first_by_target.resize(std::size_t{count_} + 1);
    for (std::uint32_t n = 0; n < count_; ++n)
      for (const std::int64_t id : integers(g_, range_of(s, n))) {
        const std::uint32_t t = c_.nodes.first(id);
        s.target.push_back(t);
        s.owner.push_back(n);
        if (t != none) ++s.first_by_target[t + 1];
      }
    for (std::uint32_t n = 0; n < count_; ++n) s.first_by_target[n + 1] += s.first_by_target[n];
    s.by_target.resize(s.first_by_target[count_]);
    pool<std::uint32_t> next = s.first_by_target;
    for (std::uint32_t e = 0; e < edges; ++e)
      if (s.target[e] != none) s.by_target[next[s.target[e]]++] = e;
  }

  /// G03, G05, G08.
  [[gnu::cold]] void listed(const side& s) {
    pool<std::uint32_t> seen;  // by node: the node that listed it last, + 1
    seen.resize(count_);
    for (std::uint32_t e = 0; e < s.target.size(); ++e) {
      const std::uint32_t n = s.owner[e], t = s.target[e];
      const std::int64_t id = g_.integers[range_of(s, n).first + (e - s.first[n])];
      if (t == none) {
        c_.error(errc::ark_g03_edge_target, at(s, e))
            << word_of(s) << id << " does not exist; expected the Id of a node in this file";
        continue;
      }
      if (t == c_.nodes.first_of(n))
        c_.error(errc::ark_g05_self_edge, at(s, e))
            << "node " << id << " lists itself; expected another node";
      if (seen[t] == n + 1)
        c_.warning(errc::ark_g08_repeated_edge, at(s, e)) << word_of(s) << id << " is listed twice";
      seen[t] = n + 1;
    }
  }

  /// G04.
  [[gnu::cold]] void mirrored() {
    pool<bool> repeated;  // an Id that several nodes have names none of them
    if (repeated_) {
      repeated.resize(count_);
      for (std::uint32_t n = 0; n < count_; ++n)
        if (const std::uint32_t first = c_.nodes.first_of(n); first != n)
          repeated[first] = repeated[n] = true;
    }
    pool<std::uint32_t> seen;
    for (std::size_t i = 0; i < 2; ++i) {
      const side &s = sides_[i], &other = sides_[1 - i];
      pool<bool> missing;
      missing.resize(s.target.size());
      bool any = false;
      seen.clear();
      seen.resize(count_);
      for (std::uint32_t n = 0; n < count_; ++n) {
        if (s.first_by_target[n] == s.first_by_target[n + 1]) continue;
        for (std::uint32_t e = other.first[n]; e < other.first[n + 1]; ++e)
          if (other.target[e] != none) seen[other.target[e]] = n + 1;
        for (std::uint32_t k = s.first_by_target[n]; k < s.first_by_target[n + 1]; ++k) {
          const std::uint32_t e = s.by_target[k], owner = s.owner[e];
          if (seen[owner] == n + 1 || owner == n) continue;
          if (repeated_ && (repeated[owner] || repeated[n])) continue;
          any = missing[e] = true;
        }
      }
      for (std::uint32_t e = 0; any && e < s.target.size(); ++e)
        if (missing[e])
          c_.error(errc::ark_g04_edge_mirror, at(s, e))
              << word_of(s) << g_.nodes[s.target[e]].id << " does not list node "
              << g_.nodes[s.owner[e]].id << " in its " << member_of(other);
    }
  }

  /// Whether all edges go forward in the array.
  [[nodiscard]] bool ascending() noexcept {
    in_order_ = true;
    for (const side& s : sides_)
      for (std::uint32_t e = 0; e < s.target.size(); ++e) {
        const std::uint32_t t = s.target[e], n = s.owner[e];
        if (t != none && t != n && (t > n) == s.producers) in_order_ = false;
      }
    return in_order_;
  }

  /// Some order along the edges of both sides; G06 when there is none.
  [[gnu::cold, gnu::noinline]] void sort_nodes() {
    pool<std::uint32_t> waits_for;
    waits_for.resize(count_);
    const auto each = [&](std::uint32_t n, bool before, auto&& visit) {
      // Nodes before n list it as consumer, or it lists them as producers.
      const side &own = sides_[before ? 0 : 1], &other = sides_[before ? 1 : 0];
      for (std::uint32_t e = own.first[n]; e < own.first[n + 1]; ++e)
        if (own.target[e] != none && own.target[e] != n) visit(own.target[e]);
      for (std::uint32_t k = other.first_by_target[n]; k < other.first_by_target[n + 1]; ++k)
        if (const std::uint32_t o = other.owner[other.by_target[k]]; o != n) visit(o);
    };
    for (std::uint32_t n = 0; n < count_; ++n)
      each(n, true, [&](std::uint32_t) { ++waits_for[n]; });
    for (std::uint32_t n = 0; n < count_; ++n)
      if (waits_for[n] == 0) order_.push_back(n);
    for (std::size_t i = 0; i < order_.size(); ++i)
      each(order_[i], false, [&](std::uint32_t n) {
        if (--waits_for[n] == 0) order_.push_back(n);
      });
    if (order_.size() == count_) return;
    order_.clear();

    // Each remaining node has a remaining predecessor: walking backwards ends in a cycle.
    pool<std::uint32_t> visited, cycle;  // by node: the walk that came here, + 1
    visited.resize(count_);
    for (std::uint32_t start = 0; start < count_; ++start) {
      std::uint32_t n = start;
      while (waits_for[n] != 0 && visited[n] == 0) {
        visited[n] = start + 1;
        std::uint32_t before = n;
        each(n, true, [&](std::uint32_t m) {
          if (waits_for[m] != 0 && before == n) before = m;
        });
        n = before;
      }
      if (waits_for[n] == 0 || visited[n] != start + 1) continue;
      cycle.clear();
      std::uint32_t lowest = 0;
      std::uint32_t at = n;
      do {
        visited[at] = none;  // each cycle is reported once
        if (cycle.empty() || at < cycle[lowest]) lowest = static_cast<std::uint32_t>(cycle.size());
        cycle.push_back(at);
        std::uint32_t before = at;
        each(at, true, [&](std::uint32_t m) {
          if (waits_for[m] != 0 && before == at) before = m;
        });
        at = before;
      } while (at != n);
      report_cycle(cycle, lowest);
    }
  }
  /// A cycle, backwards along its edges.
  [[gnu::cold, gnu::noinline]] void report_cycle(const pool<std::uint32_t>& cycle,
                                                 std::uint32_t lowest) {
    {
      writer out = c_.error(errc::ark_g06_cycle, at_node(cycle[lowest]));
      out << "dependency cycle: ";
      const std::size_t shown = cycle.size() < 12 ? cycle.size() : 12;
      for (std::size_t i = 0; i < shown; ++i) {
        const std::size_t k = (lowest + cycle.size() - i) % cycle.size();
        out << g_.nodes[cycle[k]].id << " -> ";
      }
      if (shown < cycle.size()) out << "(" << cycle.size() - shown << " more) -> ";
      out << g_.nodes[cycle[lowest]].id;
    }
  }

  /// G07.
  void array_order() {
    const side& s = sides_[0];
    for (std::uint32_t e = 0; !in_order_ && e < s.target.size(); ++e) {
      const std::uint32_t n = s.owner[e], t = s.target[e];
      if (t == none || t <= n) continue;
      c_.warning(errc::ark_g07_order, at(s, e))
          << "the node precedes its producer " << g_.nodes[t].id << ", $.Nodes[" << t << ']';
    }
  }

  /// G09, G10, G12, G13.
  [[gnu::cold]] void tensors() {
    pool<std::uint32_t> maker;  // by tensor: which operation in order makes it, + 1
    maker.resize(g_.tensors.size());
    for (std::uint32_t i = 0; i < c_.ops.size(); ++i) {
      const op_place& p = c_.ops[i];
      const auto made = results(g_, g_.ops[p.op]);
      for (std::uint32_t k = 0; k < made.size(); ++k) {
        std::uint32_t& m = maker[c_.same_tensor(made[k])];
        if (m == 0) {
          m = i + 1;
          continue;
        }
        const severity how = c_.options.of_plan ? severity::warning : severity::error;
        {
          writer out = c_.found.add(errc::ark_g10_second_producer, how, c_.at(p, list::results, k));
          const op_place& first = c_.ops[m - 1];
          out << "tensor " << g_.tensors[made[k]].id << " is already a result of node "
              << g_.nodes[first.node].id;
          out << ' ' << quoted{name(g_, g_.ops[first.op])};
        }
      }
    }
    pool<std::uint32_t> listed;  // by node: the one that lists it as producer, + 1
    listed.resize(count_);
    std::uint32_t current = none;
    for (std::uint32_t i = 0; i < c_.ops.size(); ++i) {
      const op_place& p = c_.ops[i];
      const op& o = g_.ops[p.op];
      const view<std::uint32_t> used{g_.uses.data() + o.first_use, std::size_t{o.reads} + o.writes};
      for (std::uint32_t u = 0; u < used.size(); ++u) {
        const std::uint32_t m = maker[c_.same_tensor(used[u])];
        if (m == 0) continue;
        const std::int64_t id = g_.tensors[used[u]].id;
        const location at = at_use(p.node, p.index, o, u);
        if (m - 1 == i) {
          c_.error(errc::ark_g12_own_result, at)
              << "the operation reads or writes tensor " << id << ", its own result";
          continue;
        }
        const std::uint32_t from = c_.ops[m - 1].node;
        if (m - 1 > i)
          c_.error(errc::ark_g13_use_before_result, at)
              << "tensor " << id << " is used before node " << g_.nodes[from].id << " makes it";
        const std::uint32_t producer = c_.nodes.first_of(from);
        if (producer == c_.nodes.first_of(p.node)) continue;
        if (current != p.node) {
          current = p.node;
          for (const std::uint32_t t : producers(current))
            if (t != none) listed[t] = current + 1;
        }
        if (listed[producer] == current + 1) continue;
        listed[producer] = current + 1;
        c_.error(errc::ark_g09_missing_edge, at)
            << "tensor " << id << " is a result of node " << g_.nodes[from].id
            << ", which this node does not list as producer; expected " << g_.nodes[from].id
            << " in ProducerNodeIds";
      }
    }
  }

  context& c_;
  const ark::model& g_;
  std::uint32_t count_;
  side sides_[2] = {{true, {}, {}, {}, {}, {}}, {false, {}, {}, {}, {}, {}}};
  pool<std::uint32_t> order_;
  bool in_order_ = true, repeated_ = false;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_GRAPH_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class hazards {
 public:
  hazards(context& c, const graph_rules& edges) : c_(c), g_(c.g), edges_(edges) {}

  /// False when it stopped early.
  bool run() {
    if (!edges_.in_order() && edges_.order().empty()) return true;  // in a cycle nothing is ordered
    const auto count = static_cast<std::uint32_t>(g_.nodes.size());
    left_ = c_.options.hazard_steps;
    rank_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) rank_[node_at(i)] = i;
    reached_.resize(count);
    reported_.resize(count);
    newest_.resize(g_.buffers.size());
    newest_write_.resize(g_.buffers.size());
    first_op_.resize(std::size_t{count} + 1);
    for (const op_place& p : c_.ops) ++first_op_[p.node + 1];
    for (std::uint32_t n = 0; n < count; ++n) first_op_[n + 1] += first_op_[n];
    written();
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t n = node_at(i);
      current_ = n;
      frontier_.clear();
      started_ = false;
      for (std::uint32_t k = first_op_[n]; k < first_op_[n + 1]; ++k)
        if (!operation(c_.ops[k])) return false;
    }
    return true;
  }

 private:
  struct access {
    std::uint32_t tensor, node;
    std::uint32_t older, older_write;  // of the same buffer, + 1; 0: none
    bool write, ordered;               // ordered: after every earlier conflicting access
  };

  /// Nodes in an order along their edges.
  [[nodiscard]] std::uint32_t node_at(std::uint32_t i) const noexcept {
    return edges_.in_order() ? i : edges_.order()[i];
  }
  [[nodiscard]] static bool accesses(op_type t) noexcept {
    switch (t) {
      case op_type::send_done:
      case op_type::device_sync: return false;
      default: return info(t).kind != op_kind::view && info(t).kind != op_kind::none;
    }
  }
  [[nodiscard]] static bool is_label(op_type t, std::uint32_t read) noexcept {
    return read == 0 && (t == op_type::recv || t == op_type::recv_packet);
  }
  /// Buffers that nothing writes are skipped.
  void written() {
    written_.resize(g_.buffers.size());
    for (const op_place& p : c_.ops) {
      const op& o = g_.ops[p.op];
      if (accesses(o.type))
        for (const std::uint32_t t : writes(g_, o)) written_[c_.storage_of(t)] = true;
    }
  }

  bool operation(const op_place& p) {
    const op& o = g_.ops[p.op];
    if (!accesses(o.type)) return true;
    for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
      const std::uint32_t t = g_.uses[o.first_use + u];
      const std::uint32_t storage = c_.storage_of(t);
      if (!written_[storage] || c_.unsound[t] || (u < o.reads && is_label(o.type, u))) continue;
      const bool write = u >= o.reads;
      access a{t, p.node, newest_[storage], newest_write_[storage], write, true};
      if (!look_back(a, p, o, u)) return false;
      all_.push_back(a);
      newest_[storage] = static_cast<std::uint32_t>(all_.size());
      if (write) newest_write_[storage] = newest_[storage];
    }
    return true;
  }

  bool look_back(access& a, const op_place& p, const op& o, std::uint32_t use) {
    const layout& mine = layout_of(g_, a.tensor);
    const std::uint64_t bytes = info(g_.tensors[a.tensor].type).bytes;
    for (std::uint32_t i = a.write ? a.older : a.older_write; i != 0;) {
      if (left_ == 0) return false;
      --left_;
      const access& b = all_[i - 1];
      i = a.write ? b.older : b.older_write;
      // A node's own accesses are in order, and were compared themselves.
      const bool same_node = b.node == a.node;
      const layout& other = layout_of(g_, b.tensor);
      const std::uint64_t other_bytes = info(g_.tensors[b.tensor].type).bytes;
      if (b.tensor != a.tensor) {
        spend(4);
        if (bytes == other_bytes && same_grid(mine, other)) {
          if (!boxes_meet(mine, other)) continue;
        } else {
          const footprint x(mine, bytes), y(other, other_bytes);
          spend(overlap_cost(x, y));
          if (!overlap(x, y)) continue;
        }
      }
      bool path = same_node;
      if (!path && !reaches(b.node, path)) return false;
      if (!path) {
        a.ordered = false;
        report_pair(a, b, p, o, use);
      } else if (b.write && b.ordered &&
                 (b.tensor == a.tensor ||
                  footprint(other, other_bytes).covers(footprint(mine, bytes)))) {
        break;
      }
    }
    return true;
  }

  /// Whether a path of edges leads from a node to the current one. The search goes backwards from
  /// the current node, the latest first, and only as far as needed.
  bool reaches(std::uint32_t from, bool& path) {
    if (!started_) {
      started_ = true;
      expand(current_);
    }
    while (reached_[from] != current_ + 1 && !frontier_.empty() && frontier_[0] >= rank_[from]) {
      if (left_ == 0) return false;
      --left_;
      expand(node_at(pop()));
    }
    path = reached_[from] == current_ + 1;
    return true;
  }
  void expand(std::uint32_t n) {
    for (const std::uint32_t m : edges_.producers(n)) {
      spend(1);
      if (m == none || reached_[m] == current_ + 1 || m == current_) continue;
      reached_[m] = current_ + 1;
      push(rank_[m]);
    }
  }
  void spend(std::uint64_t steps) noexcept { left_ -= left_ < steps ? left_ : steps; }
  // A heap of places in the order of nodes, the last on top.
  void push(std::uint32_t place) {
    frontier_.push_back(place);
    std::size_t i = frontier_.size() - 1;
    for (; i > 0 && frontier_[(i - 1) / 2] < place; i = (i - 1) / 2)
      frontier_[i] = frontier_[(i - 1) / 2];
    frontier_[i] = place;
  }
  std::uint32_t pop() noexcept {
    const std::uint32_t top = frontier_[0], last = frontier_.back();
    frontier_.pop_back();
    std::size_t i = 0;
    for (std::size_t child; (child = 2 * i + 1) < frontier_.size(); i = child) {
      if (child + 1 < frontier_.size() && frontier_[child] < frontier_[child + 1]) ++child;
      if (frontier_[child] <= last) break;
      frontier_[i] = frontier_[child];
    }
    if (!frontier_.empty()) frontier_[i] = last;
    return top;
  }

  void report_pair(const access& a, const access& b, const op_place& p, const op& o,
                   std::uint32_t use) {
    if (reported_[b.node] == a.node + 1) return;
    reported_[b.node] = a.node + 1;
    c_.warning(errc::ark_g14_unordered_access, at_use(p.node, p.index, o, use))
        << "node " << g_.nodes[b.node].id << (b.write ? " writes" : " reads")
        << " the same bytes of buffer " << buffer_of(g_, a.tensor).id
        << "; no path of dependencies leads from it to node " << g_.nodes[a.node].id;
  }

  context& c_;
  const ark::model& g_;
  const graph_rules& edges_;
  std::uint64_t left_ = 0;
  pool<std::uint32_t> rank_;                   // by node: its location in the order
  pool<std::uint32_t> first_op_;               // by node: its operations in context::ops
  pool<bool> written_;                         // by buffer
  pool<std::uint32_t> newest_, newest_write_;  // by buffer: its accesses so far, + 1; 0: none
  pool<access> all_;
  pool<std::uint32_t> reached_, reported_;  // by node: the node for which it was, + 1
  pool<std::uint32_t> frontier_;
  std::uint32_t current_ = 0;
  bool started_ = false;
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_HAZARDS_HPP

// ---- tessera/ark/detail/rules_op.hpp
//
// The rules O: the tensors and arguments that each operation takes.
//
//   op_rules(c).run();
//
//   O01  Type is known                       O09  a view stays in its buffer
//   O02  IsVirtual matches Type              O10  reductions: Axis and shape
//   O03  as many tensors as Type has         O11  transpositions: permutation and shape
//   O04  arguments, in their TYPEs           O12  matrix multiplications: shapes, padding
//   O05  {TYPE: value}                       O13  lookups: ranks and shape
//   O06  DataTypes                           O14  inputs and outputs overlap
//   O07  shapes that broadcast               O15  Rope's last dimension is even
//   O08  the result is the output's view
//
// Of operations newer than D3 only what is known is checked.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: none.

#ifndef TESSERA_ARK_DETAIL_RULES_OP_HPP
#define TESSERA_ARK_DETAIL_RULES_OP_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/ark/detail/rules_communication.hpp
//
// The rules C: what moves between ranks, as far as one file shows.
//
//   communication_rules rules(c);
//   rules.operation(place, send, true);
//   rules.computation(place, relu);
//
//   C01  Send, SendDone, SendPacket          C05  DeviceSync
//   C02  Recv, RecvPacket                    C06  a model of one rank doesn't communicate
//   C03  sizes of what is sent; packets      C07  computations use local buffers
//   C04  RecvReduceSend, RecvReduceSendPacket
//
// A packet is payload and flag, half and half, so packet buffers are UINT8 of twice the payload.
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: 8 bytes for each tag of two lists that are compared.

#ifndef TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP
#define TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

class communication_rules {
 public:
  explicit communication_rules(context& c) : c_(c), g_(c.g) {}

  /// C07: of an operation that computes.
  [[gnu::cold]] void computation(const op_place& p, const op& o) {
    const std::uint32_t count = o.reads + o.writes;
    for (std::uint32_t u = 0; u < count; ++u)
      if (const buffer& b = buffer_of(g_, uses(g_, o)[u]); !is_local(g_, b))
        c_.error(errc::ark_c07_remote, at_use(p.node, p.index, o, u).in("Buffer"))
            << info(o.type).name << " uses buffer " << b.id << " of rank " << b.rank
            << "; expected a local buffer";
  }

  /// The others, of an operation that has as many tensors as its Type says.
  [[gnu::cold]] void operation(const op_place& p, const op& o, bool arguments_hold) {
    p_ = p;
    if (g_.world_size == 1) {
      c_.error(errc::ark_c06_single, c_.at(p))
          << info(o.type).name << ": the model has 1 rank; expected at least 2";
      return;
    }
    sound_ = true;
    for (const std::uint32_t t : uses(g_, o)) sound_ = sound_ && !c_.unsound[t];
    switch (o.type) {
      case op_type::send: send(o); break;
      case op_type::send_packet: send_packet(o); break;
      case op_type::send_done: expect(errc::ark_c01_send, o, list::reads, 0, false); break;
      case op_type::recv: recv(o); break;
      case op_type::recv_packet: recv_packet(o); break;
      case op_type::recv_reduce_send:
      case op_type::recv_reduce_send_packet: recv_reduce_send(o, arguments_hold); break;
      case op_type::device_sync:
        if (arguments_hold) device_sync(o);
        break;
      default: break;  // unreachable: no other operations communicate
    }
  }

 private:
  [[nodiscard]] std::uint32_t tensor_at(const op& o, list l, std::uint32_t i) const noexcept {
    return l == list::reads ? reads(g_, o)[i] : writes(g_, o)[i];
  }
  [[nodiscard]] const buffer& buffer_at(const op& o, list l, std::uint32_t i) const noexcept {
    return buffer_of(g_, tensor_at(o, l, i));
  }
  [[nodiscard]] location use(list l, std::uint32_t i) const noexcept { return c_.at(p_, l, i); }

  /// Whether a tensor is on this rank, or on another.
  [[gnu::cold]] bool expect(errc code, const op& o, list l, std::uint32_t i, bool local) {
    const buffer& b = buffer_at(o, l, i);
    if (is_local(g_, b) == local) return true;
    c_.error(code, use(l, i).in("Buffer").in("Rank"))
        << info(o.type).name << ": expected a " << (local ? "local" : "remote")
        << " buffer here, found one of rank " << b.rank;
    return false;
  }
  /// Whether a list has tags at all, of one rank (-1: any).
  [[nodiscard]] bool has_tag(range list, std::int32_t rank) const noexcept {
    for (const tag& t : tags(g_, list))
      if (rank < 0 || t.rank == rank) return true;
    return false;
  }
  /// Whether a stand-in's tag is one of a local buffer's for the rank of the stand-in.
  [[nodiscard, gnu::cold]] bool paired(range remote, range local, std::int32_t rank) const {
    if (remote.count == 1 || local.count == 1) {
      for (const tag& a : tags(g_, remote))
        for (const tag& b : tags(g_, local))
          if (b.rank == rank && a.number == b.number) return true;
      return false;
    }
    pool<std::int32_t> numbers[2];
    for (const tag& a : tags(g_, remote)) numbers[0].push_back(a.number);
    for (const tag& b : tags(g_, local))
      if (b.rank == rank) numbers[1].push_back(b.number);
    for (pool<std::int32_t>& n : numbers)
      sort(n.data(), n.size(), [](std::int32_t a, std::int32_t b) { return a < b; });
    for (std::size_t i = 0, j = 0; i < numbers[0].size() && j < numbers[1].size();) {
      if (numbers[0][i] == numbers[1][j]) return true;
      ++(numbers[0][i] < numbers[1][j] ? i : j);
    }
    return false;
  }

  /// C01, C03.
  [[gnu::cold]] void send(const op& o) {
    const bool from = expect(errc::ark_c01_send, o, list::reads, 0, true);
    const bool to = expect(errc::ark_c01_send, o, list::writes, 0, false);
    const buffer &data = buffer_at(o, list::reads, 0), &remote = buffer_at(o, list::writes, 0);
    if (from && to && !paired(remote.recv_tags, data.send_tags, remote.rank))
      c_.error(errc::ark_c01_send, use(list::writes, 0).in("Buffer").in("RecvTags"))
          << "RecvTags and the SendTags of buffer " << data.id << " share no tag for rank "
          << remote.rank << "; expected one";
    const std::uint32_t r = reads(g_, o)[0], w = writes(g_, o)[0];
    if (!sound_) return;
    const std::uint64_t a = elements(layout_of(g_, r)), b = elements(layout_of(g_, w));
    if (a != b || g_.tensors[r].type != g_.tensors[w].type)
      c_.warning(errc::ark_c03_packet, use(list::writes, 0))
          << a << ' ' << info(g_.tensors[r].type).name << " elements are sent; the destination has "
          << b << ' ' << info(g_.tensors[w].type).name;
  }
  void send_packet(const op& o) {
    expect(errc::ark_c01_send, o, list::reads, 0, true);
    if (expect(errc::ark_c01_send, o, list::writes, 0, false))
      tagged(errc::ark_c01_send, list::writes, 0, buffer_at(o, list::writes, 0));
    packets(o, list::writes, 0, reads(g_, o)[0], 1);
  }
  void tagged(errc code, list l, std::uint32_t i, const buffer& remote) {
    if (remote.recv_tags.count == 0)
      c_.error(code, use(l, i).in("Buffer").in("RecvTags"))
          << "buffer " << remote.id << " of rank " << remote.rank
          << " is written but has no RecvTags; expected at least one";
  }
  /// C03: a tensor of packets for `count` times a payload.
  [[gnu::cold]] void packets(const op& o, list l, std::uint32_t i, std::uint32_t payload,
                             std::uint64_t count) {
    const std::uint32_t t = tensor_at(o, l, i);
    if (g_.tensors[t].type != data_type::uint8)
      c_.error(errc::ark_c03_packet, use(l, i).in("DataType"))
          << "DataType is " << info(g_.tensors[t].type).name << "; expected UINT8 for packets";
    if (!sound_) return;
    const std::uint64_t bytes =
        elements(layout_of(g_, payload)) * info(g_.tensors[payload].type).bytes;
    const std::uint64_t found = elements(layout_of(g_, t));
    std::uint64_t wanted = 0;
    if (__builtin_mul_overflow(bytes, 2 * count, &wanted) || wanted != found)
      c_.error(errc::ark_c03_packet, use(l, i).in("Shape"))
          << "the packet buffer has " << found << " bytes; expected twice the " << count
          << (count == 1 ? " payload of " : " payloads of ") << bytes << " bytes";
  }

  /// C02.
  [[gnu::cold]] void recv(const op& o) {
    const bool from = expect(errc::ark_c02_recv, o, list::reads, 0, false);
    const bool to = expect(errc::ark_c02_recv, o, list::writes, 0, true);
    const buffer &remote = buffer_at(o, list::reads, 0), &data = buffer_at(o, list::writes, 0);
    if (from && to && !paired(remote.send_tags, data.recv_tags, remote.rank))
      c_.error(errc::ark_c02_recv, use(list::reads, 0).in("Buffer").in("SendTags"))
          << "SendTags and the RecvTags of buffer " << data.id << " share no tag for rank "
          << remote.rank << "; expected one";
  }
  [[gnu::cold]] void recv_packet(const op& o) {
    const bool from = expect(errc::ark_c02_recv, o, list::reads, 0, false);
    const bool scratch = expect(errc::ark_c02_recv, o, list::reads, 1, true);
    expect(errc::ark_c02_recv, o, list::writes, 0, true);
    const buffer &peer = buffer_at(o, list::reads, 0), &b = buffer_at(o, list::reads, 1);
    if (from && scratch && !has_tag(b.recv_tags, peer.rank))
      c_.error(errc::ark_c02_recv, use(list::reads, 1).in("Buffer").in("RecvTags"))
          << "RecvTags have no tag for rank " << peer.rank << "; expected one for its packets";
    packets(o, list::reads, 1, writes(g_, o)[0], 1);
  }

  /// C04, C03.
  [[gnu::cold]] void recv_reduce_send(const op& o, bool arguments_hold) {
    constexpr errc code = errc::ark_c04_peers;
    const bool packet = o.type == op_type::recv_reduce_send_packet;
    const std::uint32_t peers = o.writes - 1;
    expect(code, o, list::reads, 0, true);
    const bool scratch_local = expect(code, o, list::reads, 1, true);
    expect(code, o, list::writes, 0, true);
    if (arguments_hold) {
      const argument& n = *find_argument(g_, o, argument_name::n_peers);
      const argument& rank = *find_argument(g_, o, argument_name::rank);
      if (n.integer != std::int64_t{peers})
        c_.error(code, c_.at(p_, n)) << "NPeers is " << n.integer << "; expected " << peers
                                     << ", the number of WriteTensors after the first";
      own_rank(code, rank);
    }
    const buffer& scratch = buffer_at(o, list::reads, 1);
    pool<bool> tagged_ranks;  // which ranks the scratch buffer has a tag for
    if (scratch_local) {
      tagged_ranks.resize(peers + std::size_t{1});
      for (const tag& t : tags(g_, scratch.recv_tags))
        if (t.rank >= 0 && static_cast<std::uint32_t>(t.rank) <= peers)
          tagged_ranks[static_cast<std::size_t>(t.rank)] = true;
    }
    for (std::uint32_t i = 0; i < peers; ++i) {
      if (!expect(code, o, list::writes, i + 1, false)) continue;
      const buffer& b = buffer_at(o, list::writes, i + 1);
      const std::int64_t wanted = std::int64_t{i} + (std::int64_t{i} < g_.rank ? 0 : 1);
      if (b.rank != wanted)
        c_.error(code, use(list::writes, i + 1).in("Buffer").in("Rank"))
            << "peers are ordered by rank: expected rank " << wanted << ", found " << b.rank;
      else if (scratch_local && !tagged_ranks[static_cast<std::size_t>(wanted)])
        c_.error(code, use(list::reads, 1).in("Buffer").in("RecvTags"))
            << "the scratch buffer's RecvTags have no tag for rank " << wanted
            << "; expected one for each peer";
      tagged(code, list::writes, i + 1, b);
      if (packet) packets(o, list::writes, i + 1, reads(g_, o)[0], 1);
    }
    if (packet) return packets(o, list::reads, 1, reads(g_, o)[0], peers);
    if (!sound_) return;
    const std::uint32_t data = reads(g_, o)[0], s = reads(g_, o)[1];
    std::uint64_t wanted = 0;
    const std::uint64_t found = elements(layout_of(g_, s));
    if (g_.tensors[s].type != g_.tensors[data].type)
      c_.error(code, use(list::reads, 1).in("DataType"))
          << "the scratch buffer's DataType is " << info(g_.tensors[s].type).name << "; expected "
          << info(g_.tensors[data].type).name << ", that of the data";
    if (__builtin_mul_overflow(elements(layout_of(g_, data)), std::uint64_t{peers}, &wanted) ||
        wanted != found)
      c_.error(code, use(list::reads, 1).in("Shape"))
          << "the scratch buffer has " << found << " elements; expected "
          << elements(layout_of(g_, data)) << " for each of " << peers << " peers";
  }
  void own_rank(errc code, const argument& rank) {
    if (rank.integer != std::int64_t{g_.rank})
      c_.error(code, c_.at(p_, rank))
          << "Rank is " << rank.integer << "; expected " << g_.rank << ", the Rank of this file";
  }

  /// C05.
  [[gnu::cold]] void device_sync(const op& o) {
    own_rank(errc::ark_c05_sync, *find_argument(g_, o, argument_name::rank));
    const argument& peers = *find_argument(g_, o, argument_name::peer_num);
    if (peers.integer != std::int64_t{g_.world_size} - 1)
      c_.error(errc::ark_c05_sync, c_.at(p_, peers))
          << "PeerNum is " << peers.integer << "; expected " << g_.world_size - 1
          << ", WorldSize - 1";
    // The rule O09, for the one operation of this kind whose output is its input.
    const std::uint32_t r = reads(g_, o)[0], w = writes(g_, o)[0];
    if (c_.storage_of(r) != c_.storage_of(w))
      c_.error(errc::ark_o09_view_buffer, use(list::writes, 0).in("Buffer"))
          << "DeviceSync writes to buffer " << buffer_of(g_, w).id << "; expected buffer "
          << buffer_of(g_, r).id << ", that of its input, tensor " << g_.tensors[r].id;
  }

  context& c_;
  const ark::model& g_;
  op_place p_ = {};
  bool sound_ = true;  // all tensors of the operation are
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_COMMUNICATION_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// The rows of argument_table that are about an operation.
struct argument_rows {
  std::size_t first = 0, count = 0;
  [[nodiscard]] constexpr const argument_row* begin() const noexcept {
    return argument_table + first;
  }
  [[nodiscard]] constexpr const argument_row* end() const noexcept { return begin() + count; }
};
[[nodiscard]] consteval argument_rows rows_of(op_type type) noexcept {
  argument_rows r;
  for (std::size_t i = 0; i < std::size(argument_table); ++i) {
    if (argument_table[i].op != type) continue;
    if (r.count++ == 0) r.first = i;
  }
  return r;
}
struct argument_index {
  argument_rows of[std::size(op_table)] = {};
};
inline constexpr argument_index arguments_by_op = []() consteval {
  argument_index index;
  for (std::size_t i = 0; i < std::size(op_table); ++i)
    index.of[i] = rows_of(static_cast<op_type>(i));
  return index;
}
();

class op_rules {
 public:
  explicit op_rules(context& c) : c_(c), g_(c.g) {}

  [[gnu::cold]] void run() {
    communication_rules communication(c_);
    for (const op_place& p : c_.ops) {
      p_ = p;
      const op& o = g_.ops[p.op];
      if (o.type == op_type::unknown) {
        writer out = c_.found.add(errc::ark_o01_type,
                                  c_.options.strict ? severity::error : severity::warning,
                                  c_.at(p).in("Type"));
        out << "unknown Type " << quoted{type_name(g_, o)};
        did_you_mean(out, nearest(type_name(g_, o), op_table));
        continue;
      }
      if (o.is_virtual != is_virtual(o.type))
        c_.warning(errc::ark_o02_virtual, c_.at(p).in("IsVirtual"))
            << "IsVirtual is "
            << (o.is_virtual ? "true; expected false for " : "false; expected true for ")
            << info(o.type).name;
      const std::uint64_t before = c_.found.errors();
      arity(o);
      if (c_.found.errors() != before) continue;
      const bool arguments_hold = arguments_of(o);
      tensors_of(o, arguments_hold);
      if (info(o.type).kind == op_kind::communication)
        communication.operation(p, o, arguments_hold);
      else if (info(o.type).kind != op_kind::view && info(o.type).kind != op_kind::none)
        communication.computation(p, o);
    }
  }

 private:
  [[nodiscard]] std::uint32_t read(const op& o, std::uint32_t i) const noexcept {
    return reads(g_, o)[i];
  }
  [[nodiscard]] std::uint32_t written(const op& o, std::uint32_t i) const noexcept {
    return writes(g_, o)[i];
  }
  [[nodiscard]] const layout& at(std::uint32_t t) const noexcept { return layout_of(g_, t); }
  [[nodiscard]] data_type type(std::uint32_t t) const noexcept { return g_.tensors[t].type; }
  [[nodiscard]] location use(list l, std::uint32_t i) const noexcept { return c_.at(p_, l, i); }
  [[nodiscard]] static std::string_view name_of(const op& o) noexcept { return info(o.type).name; }

  /// O03.
  [[gnu::cold]] void arity(const op& o) {
    const op_row& row = info(o.type);
    const std::uint32_t counts[] = {o.reads, o.writes, o.results};
    const std::int8_t wanted[] = {row.reads, row.writes, row.results};
    for (std::size_t i = 0; i < 3; ++i) {
      // Any number of peers follows what is written locally.
      const bool fits = wanted[i] >= 0 ? counts[i] == static_cast<std::uint32_t>(wanted[i])
                                       : i != 1 || counts[i] >= 1;
      if (fits) continue;
      {
        writer out = c_.error(errc::ark_o03_arity, c_.at(p_).in(list_names[i]));
        out << name_of(o) << ": expected ";
        if (wanted[i] < 0)
          out << "at least 1";
        else
          out << static_cast<int>(wanted[i]);
        out << " tensors in " << list_names[i] << ", found " << counts[i];
      }
    }
  }

  // ---- arguments

  /// O04, O05. Whether the arguments have no errors.
  [[gnu::cold]] bool arguments_of(const op& o) {
    const argument_rows rows = arguments_by_op.of[static_cast<std::size_t>(o.type)];
    if (rows.count == 0 && o.arguments.count == 0) return true;
    const std::uint64_t before = c_.found.errors();
    std::uint32_t seen = 0;
    for (const argument& a : arguments(g_, o)) {
      const bool well_formed = form(a);
      const argument_row* row = nullptr;
      for (const argument_row& r : rows)
        if (r.name == a.name) row = &r;
      if (a.name != argument_name::other) {
        const std::uint32_t bit = 1u << static_cast<unsigned>(a.name);
        if ((seen & bit) != 0)
          c_.error(errc::json_duplicate_key, c_.at(p_, a))
              << "duplicate argument " << quoted{name(g_, a)};
        seen |= bit;
      }
      if (row == nullptr) {
        writer out = c_.warning(errc::ark_o04_argument, c_.at(p_, a));
        out << "unknown argument " << quoted{name(g_, a)} << " of " << name_of(o);
        suggestion near(name(g_, a));
        for (const argument_row& r : rows) near.offer(argument_names[index(r.name)]);
        did_you_mean(out, near.word());
      } else if (well_formed && a.type != row->type) {
        c_.error(errc::ark_o04_argument, c_.at(p_, a))
            << name(g_, a) << " is " << type_text(a.type) << "; expected " << type_text(row->type);
      } else if (row->use == argument_use::alias) {
        {
          writer out = c_.warning(errc::ark_o04_argument, c_.at(p_, a));
          out << name(g_, a) << " is an older spelling of ";
          for (const argument_row& r : rows)
            if (older_name(r.name, o.type) == a.name) out << argument_names[index(r.name)];
        }
      }
    }
    for (const argument_row& r : rows) {
      if (r.use != argument_use::required) continue;
      const argument* const a = find_argument(g_, o, r.name);
      const argument_name older = older_name(r.name, o.type);
      const argument* const b =
          older == argument_name::other ? nullptr : find_argument(g_, o, older);
      if (a == nullptr && b == nullptr)
        c_.error(errc::ark_o04_argument, c_.at(p_).in("Args"))
            << name_of(o) << " lacks its argument " << argument_names[index(r.name)]
            << "; expected it as " << type_text(r.type);
      if (a != nullptr && b != nullptr && a->type == b->type &&
          (a->type == argument_type::float32 ? !(a->real == b->real) : a->integer != b->integer))
        c_.error(errc::ark_o04_argument, c_.at(p_, *b))
            << name(g_, *b) << " and " << name(g_, *a)
            << " are spellings of one argument and have different values";
    }
    return c_.found.errors() == before;
  }
  template <class Enumerator>
  [[nodiscard]] static constexpr std::size_t index(Enumerator e) noexcept {
    return static_cast<std::size_t>(e);
  }
  [[nodiscard]] static std::string_view type_text(argument_type t) noexcept {
    return argument_type_names[index(t)];
  }

  /// O05.
  [[gnu::cold]] bool form(const argument& a) {
    bool fits = true;
    switch (a.type) {
      case argument_type::other: fits = false; break;
      case argument_type::int32: fits = a.integer >= INT32_MIN && a.integer <= INT32_MAX; break;
      case argument_type::uint32: fits = a.integer >= 0 && a.integer <= UINT32_MAX; break;
      case argument_type::boolean: fits = a.integer == 0 || a.integer == 1; break;
      case argument_type::float32: fits = a.real - a.real == 0; break;  // finite
      case argument_type::dims: fits = a.integers.count <= max_rank; break;
      case argument_type::offset:
        if (a.integers.count == 1)
          c_.warning(errc::ark_o05_argument_form, c_.at(p_, a))
              << "OFFSET is an integer; expected BufferId and Value";
        else
          fits = a.integers.count == 2;
        for (const std::int64_t v : integers(g_, a.integers)) fits = fits && v >= 0;
        break;
      case argument_type::int64:
      case argument_type::uint64:
      case argument_type::tensor: break;
    }
    if (!fits) {
      writer out = c_.error(errc::ark_o05_argument_form, c_.at(p_, a));
      out << "expected {TYPE: value} with one known TYPE and a value in its range";
      if (a.type == argument_type::other) out << ", found " << excerpt{text_of(g_, a.token)};
    }
    return fits;
  }

  // ---- tensors

  [[gnu::cold]] void tensors_of(const op& o, bool arguments_hold) {
    for (const std::uint32_t t : uses(g_, o))
      if (c_.unsound[t]) return;
    const op_kind kind = info(o.type).kind;
    switch (kind) {
      case op_kind::view: view_of(o); return;
      case op_kind::none:
      case op_kind::unknown: return;
      case op_kind::communication: break;
      case op_kind::fill: break;
      case op_kind::unary: unary(o); break;
      case op_kind::binary: binary(o); break;
      case op_kind::layer_norm: layer_norm(o); break;
      case op_kind::reduce:
        if (arguments_hold) reduce(o);
        break;
      case op_kind::transpose:
        if (arguments_hold) transpose(o);
        break;
      case op_kind::matmul:
        if (arguments_hold) matmul(o);
        break;
      case op_kind::embedding: embedding(o); break;
      case op_kind::kv_cache_slot: kv_cache_slot(o); break;
    }
    result(o);
    if (kind != op_kind::communication && kind != op_kind::kv_cache_slot) overlaps(o, kind);
  }

  /// O09.
  void view_of(const op& o) {
    if (o.reads > 0) same_buffer(read(o, 0), results(g_, o)[0], use(list::results, 0));
  }
  [[gnu::cold]] void same_buffer(std::uint32_t from, std::uint32_t to, const location& where) {
    if (c_.storage_of(from) == c_.storage_of(to)) return;
    c_.error(errc::ark_o09_view_buffer, where.in("Buffer"))
        << "the view is in buffer " << buffer_of(g_, to).id << "; expected buffer "
        << buffer_of(g_, from).id << ", that of tensor " << g_.tensors[from].id;
  }
  /// O08.
  [[gnu::cold]] void result(const op& o) {
    const bool done = o.type == op_type::send_done;
    const std::uint32_t at_list = o.type == op_type::kv_cache_slot ? 2 : 0;
    const std::uint32_t from = done ? read(o, 0) : written(o, at_list);
    const std::uint32_t to = results(g_, o)[0];
    if (from == to || (c_.storage_of(from) == c_.storage_of(to) && type(from) == type(to) &&
                       same_dimensions(at(from), at(to))))
      return;
    {
      writer out = c_.error(errc::ark_o08_result_view, use(list::results, 0));
      out << "expected the same view as " << (done ? "ReadTensors[" : "WriteTensors[") << at_list
          << "], tensor " << g_.tensors[from].id << ", found a different ";
      if (c_.storage_of(from) != c_.storage_of(to))
        out << "buffer";
      else if (type(from) != type(to))
        out << "DataType";
      else
        out << "layout";
    }
  }

  /// O06.
  [[gnu::cold]] void same_type(const op& o, std::uint32_t expected, std::uint32_t t,
                               const location& where) {
    if (type(expected) == type(t)) return;
    c_.error(errc::ark_o06_data_types, where.in("DataType"))
        << "DataType is " << info(type(t)).name << "; expected " << info(type(expected)).name
        << ", as in the other tensors of " << name_of(o);
  }
  void same_types(const op& o) {
    const std::uint32_t first = read(o, 0);
    for (std::uint32_t i = 1; i < o.reads; ++i)
      same_type(o, first, read(o, i), use(list::reads, i));
    same_type(o, first, written(o, 0), use(list::writes, 0));
  }
  [[gnu::cold]] void expect_type(const op& o, data_type wanted, std::uint32_t t,
                                 const location& where) {
    if (type(t) == wanted) return;
    c_.error(errc::ark_o06_data_types, where.in("DataType"))
        << "DataType is " << info(type(t)).name << "; expected " << info(wanted).name
        << " for this tensor of " << name_of(o);
  }

  [[gnu::cold]] void unary(const op& o) {
    if (o.type != op_type::cast) same_types(o);
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    if (o.type == op_type::softmax ? a == w : broadcasts_to(a, w)) return;
    c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
        << "input Shape " << a << " does not "
        << (o.type == op_type::softmax ? "equal" : "broadcast to") << " Shape " << w;
  }
  [[gnu::cold]] void binary(const op& o) {
    same_types(o);
    const dimensions a = shape_of(at(read(o, 0))), b = shape_of(at(read(o, 1)));
    const dimensions w = shape_of(at(written(o, 0)));
    dimensions out_shape;
    if (!broadcast(a, b, out_shape))
      c_.error(errc::ark_o07_shape, use(list::reads, 1).in("Shape"))
          << "Shapes " << a << " and " << b << " do not broadcast";
    else if (!(out_shape == w))
      c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
          << "Shapes " << a << " and " << b << " broadcast to " << out_shape << ", not to " << w;
    if (o.type != op_type::rope) return;
    if (a.last() == b.last() && a.last() == w.last() && w.last() % 2 == 0) return;
    c_.error(errc::ark_o15_rope, use(list::writes, 0).in("Shape"))
        << "the last dimensions are " << a.last() << ", " << b.last() << " and " << w.last()
        << "; Rope expects equal, even ones";
  }
  [[gnu::cold]] void layer_norm(const op& o) {
    same_type(o, read(o, 0), written(o, 0), use(list::writes, 0));
    const dimensions x = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    if (!(x == w))
      c_.error(errc::ark_o07_shape, use(list::writes, 0).in("Shape"))
          << "LayerNorm of Shape " << x << ": expected a result of the same Shape, found " << w;
    for (std::uint32_t i = 1; i < 3; ++i)
      if (const dimensions s = shape_of(at(read(o, i))); !broadcasts_to(s, x))
        c_.error(errc::ark_o07_shape, use(list::reads, i).in("Shape"))
            << "Shape " << s << " does not broadcast to " << x;
  }

  /// O10.
  [[gnu::cold]] void reduce(const op& o) {
    same_types(o);
    const argument& axis = *argument_of(g_, o, argument_name::axis);
    const bool keep = argument_of(g_, o, argument_name::keep_dim)->integer != 0;
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (!reduced(a, axis.integer, keep, wanted))
      c_.error(errc::ark_o10_reduction, c_.at(p_, axis))
          << "Axis is " << axis.integer << "; expected " << -std::int64_t{a.rank} << " to "
          << a.rank - 1 << " for Shape " << a;
    else if (!(wanted == w))
      c_.error(errc::ark_o10_reduction, use(list::writes, 0).in("Shape"))
          << "Shape " << a << " reduced along Axis " << axis.integer
          << (keep ? ", keeping it," : "") << " is " << wanted << ", not " << w;
  }
  /// O11.
  [[gnu::cold]] void transpose(const op& o) {
    same_types(o);
    const argument& permutation = *argument_of(g_, o, argument_name::permutation);
    const auto axes = integers(g_, permutation.integers);
    const dimensions a = shape_of(at(read(o, 0))), w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (!permuted(a, axes, wanted)) {
      writer out = c_.error(errc::ark_o11_permutation, c_.at(p_, permutation));
      out << "Permutation is [";
      for (std::size_t i = 0; i < axes.size(); ++i) out << (i == 0 ? "" : ",") << axes[i];
      out << "]; expected each of the axes 0 to " << a.rank - 1 << " of Shape " << a << " once";
      return;
    }
    if (wanted == w) return;
    std::int64_t inverse[max_rank] = {};
    for (std::uint32_t i = 0; i < a.rank; ++i) inverse[axes[i]] = i;
    dimensions other;
    const bool is_inverse = permuted(a, {inverse, a.rank}, other) && other == w;
    {
      writer out = c_.error(errc::ark_o11_permutation, use(list::writes, 0).in("Shape"));
      out << "Shape " << a << " permuted is " << wanted << ", not " << w;
      if (is_inverse) out << "; the inverse permutation would fit";
    }
  }

  /// O12.
  [[gnu::cold]] void matmul(const op& o) {
    same_types(o);
    const std::uint32_t x = read(o, 0), y = read(o, 1), z = written(o, 0);
    const bool tx = argument_of(g_, o, argument_name::transpose_input)->integer != 0;
    const bool ty = argument_of(g_, o, argument_name::transpose_other)->integer != 0;
    const dimensions a = shape_of(at(x)), b = shape_of(at(y)), w = shape_of(at(z));
    matmul_shape m, padded;
    const auto turned = [](bool t) { return t ? " (transposed)" : ""; };
    if (!multiply(a, b, tx, ty, m)) {
      c_.error(errc::ark_o12_matmul, use(list::reads, 1).in("Shape"))
          << "Shapes " << a << turned(tx) << " and " << b << turned(ty)
          << " can't be multiplied: inner dimensions or batches differ";
      return;
    }
    if (!(m.out == w))
      c_.error(errc::ark_o12_matmul, use(list::writes, 0).in("Shape"))
          << "Shapes " << a << turned(tx) << " and " << b << turned(ty) << " multiply to " << m.out
          << ", not to " << w;
    const dimensions pa = padded_shape_of(at(x)), pb = padded_shape_of(at(y));
    const dimensions pw = padded_shape_of(at(z));
    const bool fits = multiply(pa, pb, tx, ty, padded);
    if (m.out == w && !(fits && padded.out == pw)) {
      const location where = use(fits ? list::writes : list::reads, fits ? 0 : 1);
      const bool pads = (fits ? at(z) : at(y)).pads != none;
      {
        writer out = c_.error(errc::ark_o12_matmul, where.in(pads ? "Shape" : "PaddedShape"));
        out << "PaddedShapes " << pa << turned(tx) << " and " << pb << turned(ty);
        if (fits)
          out << " multiply to " << padded.out << ", not to " << pw;
        else
          out << " can't be multiplied";
      }
    }
    if (o.type == op_type::matmul_add) {
      const layout& residual = at(read(o, 2));
      if (!(shape_of(residual) == w) || !(padded_shape_of(residual) == pw))
        c_.error(errc::ark_o12_matmul, use(list::reads, 2).in("Shape"))
            << "the addend has Shape " << shape_of(residual) << " and PaddedShape "
            << padded_shape_of(residual) << "; expected " << w << " and " << pw
            << ", those of the output";
    }
    if (o.type == op_type::matmul && o.arguments.count > 2) redundant(o, m, padded);
  }
  /// O12 of arguments that repeat what follows from the tensors.
  [[gnu::cold]] void redundant(const op& o, const matmul_shape& m, const matmul_shape& padded) {
    const dimensions a = extended(shape_of(at(read(o, 0))));
    const dimensions b = extended(shape_of(at(read(o, 1))));
    const auto last = [&](std::uint32_t t) {
      const layout& l = at(t);
      return l.strides[l.rank == 0 ? 0 : l.rank - 1];
    };
    const std::int64_t c = last(written(o, 0));
    const auto check = [&](argument_name name, std::uint32_t count, std::int64_t v0,
                           std::int64_t v1, std::int64_t v2, std::int64_t v3) {
      const argument* const arg = find_argument(g_, o, name);
      if (arg == nullptr) return;
      const std::int64_t values[max_rank] = {v0, v1, v2, v3};
      const auto found = integers(g_, arg->integers);
      bool same = found.size() == count;
      for (std::size_t i = 0; same && i < count; ++i) same = found[i] == values[i];
      if (same) return;
      c_.warning(errc::ark_o12_matmul, c_.at(p_, *arg))
          << argument_names[index(name)] << " differs from " << dimensions_of(values, count)
          << ", which follows from the tensors and takes precedence";
    };
    check(argument_name::input_dim_nc, 2, a.size[0], a.size[1], 1, 1);
    check(argument_name::other_dim_nc, 2, b.size[0], b.size[1], 1, 1);
    check(argument_name::shape_mnk, 3, m.rows, m.columns, m.inner, 1);
    check(argument_name::padded_shape_mnk, 3, padded.rows, padded.columns, padded.inner, 1);
    check(argument_name::strides_acdb, 4, last(read(o, 0)), c, c, last(read(o, 1)));
  }

  /// O13.
  [[gnu::cold]] void embedding(const op& o) {
    expect_type(o, data_type::int32, read(o, 0), use(list::reads, 0));
    same_type(o, read(o, 1), written(o, 0), use(list::writes, 0));
    const dimensions i = shape_of(at(read(o, 0))), t = shape_of(at(read(o, 1)));
    const dimensions w = shape_of(at(written(o, 0)));
    dimensions wanted;
    if (i.rank > 3)
      c_.error(errc::ark_o13_embedding, use(list::reads, 0).in("Shape"))
          << "indices of Shape " << i << "; expected up to 3 dimensions";
    if (t.rank != 2)
      c_.error(errc::ark_o13_embedding, use(list::reads, 1).in("Shape"))
          << "a table of Shape " << t << "; expected 2 dimensions";
    if (looked_up(i, t, wanted) && !is_looked_up(i, t, w))
      c_.error(errc::ark_o13_embedding, use(list::writes, 0).in("Shape"))
          << "rows of " << t << " at indices " << i << " have Shape " << wanted << ", not " << w;
  }

  /// token, position → cache, position, output (facts are partial).
  [[gnu::cold]] void kv_cache_slot(const op& o) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      const list l = i == 0 ? list::reads : list::writes;
      const std::uint32_t position = i == 0 ? read(o, 1) : written(o, 1);
      expect_type(o, data_type::int32, position, use(l, 1));
      if (elements(at(position)) != 1)
        c_.error(errc::ark_o07_shape, use(l, 1).in("Shape"))
            << "a position of Shape " << shape_of(at(position)) << "; expected one element";
    }
    const std::uint32_t token = read(o, 0), cache = written(o, 0), output = written(o, 2);
    same_type(o, token, cache, use(list::writes, 0));
    same_type(o, token, output, use(list::writes, 2));
    const std::uint64_t slot = elements(at(cache)) / static_cast<std::uint64_t>(at(cache).shape[0]);
    for (std::uint32_t i = 0; i < 2; ++i)
      if (const std::uint32_t t = i == 0 ? token : output; elements(at(t)) != slot)
        c_.error(errc::ark_o07_shape,
                 use(i == 0 ? list::reads : list::writes, i == 0 ? 0 : 2).in("Shape"))
            << "Shape " << shape_of(at(t)) << " has " << elements(at(t)) << " elements; expected "
            << slot << ", as many as a slot of the cache";
  }

  /// O14.
  [[gnu::cold]] void overlaps(const op& o, op_kind kind) {
    const std::uint32_t w = written(o, 0);
    for (std::uint32_t i = 0; i < o.reads; ++i) {
      const std::uint32_t r = read(o, i);
      if (c_.storage_of(r) != c_.storage_of(w)) continue;
      const std::uint64_t rb = info(type(r)).bytes, wb = info(type(w)).bytes;
      const bool element_wise = kind == op_kind::unary || kind == op_kind::binary;
      if (element_wise && o.type != op_type::softmax && rb == wb && same_elements(at(r), at(w)))
        continue;
      if (!overlap(at(r), rb, at(w), wb)) continue;
      c_.found.add(errc::ark_o14_overlap,
                   kind == op_kind::reduce ? severity::error : severity::warning,
                   use(list::reads, i))
          << "tensor " << g_.tensors[r].id << " shares bytes with tensor " << g_.tensors[w].id
          << ", which " << name_of(o) << " writes";
    }
  }

  context& c_;
  const ark::model& g_;
  op_place p_ = {};
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_OP_HPP

// ---- tessera/ark/detail/rules_tensor.hpp
//
// The rules T and B: tensors and buffers, each at its first use.
//
//   tensor_rules(c).run();
//   c.unsound[t];              // whether its shape must not be used
//
//   T01  one to four dimensions            B01  a buffer Id has one Rank and one set of tags
//   T02  sizes of at least 1               B02  Rank is -1 or a rank
//   T03  Offsets of at least 0             B03  tags ascend, each once
//   T04  Shape <= PaddedShape              B04  tags name other ranks; a remote buffer's its own
//   T05  Offsets + PaddedShape <= Strides  B05  a tag names one sender and one receiver
//   T06  FP8 needs verify_options::fp8
//   T07  fewer than 2^63 bytes             S12, S13 for tensors and buffers
//   T08  a tensor Id has one description
//
// Lifetime:   borrows the context.
// Errors:     findings.
// Limits:     none.
// Allocation: a byte for each tensor, buffer and layout; 16 bytes for each tag.

#ifndef TESSERA_ARK_DETAIL_RULES_TENSOR_HPP
#define TESSERA_ARK_DETAIL_RULES_TENSOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark {
namespace detail {

/// Bytes that the memory of a tensor's buffer has at least, for its Strides; 0 when that is not a
/// number below 2^63.
[[nodiscard]] constexpr std::uint64_t bytes_of(const layout& l, data_type type) noexcept {
  std::uint64_t bytes = info(type).bytes;
  for (const std::int64_t d : l.strides) {
    if (d < 1 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(d), &bytes) ||
        bytes > INT64_MAX)
      return 0;
  }
  return bytes;
}

class tensor_rules {
 public:
  explicit tensor_rules(context& c) : c_(c), g_(c.g) {}

  [[gnu::cold]] void run() {
    seen_tensor_.resize(g_.tensors.size());
    seen_buffer_.resize(g_.buffers.size());
    layouts_.resize(g_.layouts.size());
    c_.unsound.resize(g_.tensors.size());
    for (const op_place& p : c_.ops) {
      const op& o = g_.ops[p.op];
      const auto used = uses(g_, o);
      for (std::uint32_t u = 0; u < used.size(); ++u)
        if (!seen_tensor_[used[u]]) first_use(used[u], at_use(p.node, p.index, o, u));
      for (const argument& a : arguments(g_, o))
        if (a.type == argument_type::tensor)
          if (const auto t = static_cast<std::uint32_t>(a.integer); !seen_tensor_[t])
            first_use(t, c_.at(p, a).in("TENSOR"));
    }
    reused_tags();
  }

 private:
  enum flaw : std::uint8_t {
    known = 1,
    rank = 2,
    no_rank = 4,
    size = 8,
    offset = 16,
    padding = 32,
    outside = 64,
    pad_step = 128
  };
  struct list_name {
    std::string_view name;
    const std::int64_t (&values)[max_rank];
  };
  struct tag_use {
    tag t;
    std::uint32_t storage, index;  // which buffer, and its location in the list
    std::uint32_t at;              // of the buffer, in places_
  };

  [[nodiscard]] flaw flaws(std::uint32_t index) noexcept {
    std::uint8_t& known_flaws = layouts_[index];
    if (known_flaws != 0) return static_cast<flaw>(known_flaws);
    const layout& l = g_.layouts[index];
    unsigned f = known;
    if (l.rank > max_rank) f |= rank;
    if (l.rank == 0) f |= no_rank;
    for (std::size_t d = 0; d < max_rank; ++d) {
      if (l.shape[d] < 1 || l.padded_shape[d] < 1 || l.strides[d] < 1) f |= size;
      if (l.offsets[d] < 0) f |= offset;
    }
    for (std::size_t d = 0; (f & (rank | size | offset)) == 0 && d < max_rank; ++d) {
      if (l.shape[d] > l.padded_shape[d]) f |= padding;
      if (l.padded_shape[d] > l.strides[d] || l.offsets[d] > l.strides[d] - l.padded_shape[d])
        f |= outside;
      if (d >= l.rank && (l.shape[d] != 1 || l.strides[d] != 1 || l.offsets[d] != 0)) f |= rank;
    }
    for (std::uint32_t d = 0; (f & (rank | size)) == 0 && l.pads != none && d < l.rank; ++d)
      if (const std::int64_t pad = g_.integers[l.pads + d]; pad < 1 || l.strides[d] % pad != 0)
        f |= pad_step;
    return static_cast<flaw>(known_flaws = static_cast<std::uint8_t>(f));
  }

  [[gnu::cold]] void first_use(std::uint32_t t, const location& at) {
    seen_tensor_[t] = true;
    const tensor& x = g_.tensors[t];
    const layout& l = g_.layouts[x.layout];
    const flaw f = flaws(x.layout);
    const std::uint64_t bytes = bytes_of(l, x.type);
    if (f != known || bytes == 0) {
      c_.unsound[t] = (f & ~unsigned{known | no_rank | pad_step}) != 0 || bytes == 0;
      layout_flaws(l, f, bytes, at);
    }
    if (x.id < 0)
      c_.error(errc::ark_s13_integer, at.in("Id")) << "Id is " << x.id << "; expected at least 0";
    if (info(x.type).kind == data_kind::fp8)
      c_.found.add(errc::ark_t06_data_type, c_.options.fp8 ? severity::warning : severity::error,
                   at.in("DataType"))
          << "DataType " << info(x.type).name << " is supported by only one fork";
    if (const std::uint32_t first = c_.same_tensor(t); first != t) differs(first, t, at);
    unknown_members(c_, x.members, at, false);
    if (!seen_buffer_[x.buffer]) first_use_of_buffer(x.buffer, at.in("Buffer"));
  }

  /// T01 to T05, T07.
  [[gnu::cold, gnu::noinline]] void layout_flaws(const layout& l, flaw f, std::uint64_t bytes,
                                                 const location& at) {
    if ((f & rank) != 0) {
      writer out = c_.error(errc::ark_t01_rank, at.in("Shape"));
      if (l.rank > max_rank)
        out << l.rank << " dimensions; expected 1 to 4";
      else
        out << "the layout has " << l.rank
            << " dimensions; expected sizes of 1 and offsets of 0 past them";
    }
    if ((f & no_rank) != 0)
      c_.warning(errc::ark_t01_rank, at.in("Shape"))
          << "no dimensions; the tensor counts as one element, [1]";
    if ((f & rank) != 0) return;
    const auto dims = [&](const std::int64_t(&v)[max_rank]) { return dimensions_of(v, l.rank); };
    // A D1a file has Pads and no PaddedShape.
    const std::string_view padded = l.pads == none ? "PaddedShape" : "Shape";
    const list_name sizes[] = {
        {"Shape", l.shape}, {padded, l.padded_shape}, {"Strides", l.strides}};
    for (const list_name& s : sizes)
      for (std::uint32_t d = 0; (f & size) != 0 && d < l.rank; ++d)
        if (s.values[d] < 1 && !(l.pads != none && &s == &sizes[1]))
          c_.error(errc::ark_t02_dimension, at.in(s.name, d))
              << s.name << " is " << dims(s.values) << "; expected sizes of at least 1";
    for (std::uint32_t d = 0; (f & offset) != 0 && d < l.rank; ++d)
      if (l.offsets[d] < 0)
        c_.error(errc::ark_t03_offset, at.in("Offsets", d))
            << "Offsets are " << dims(l.offsets) << "; expected at least 0";
    if ((f & padding) != 0)
      c_.error(errc::ark_t04_padding, at.in(padded))
          << "PaddedShape " << dims(l.padded_shape) << " is smaller than Shape " << dims(l.shape);
    if ((f & outside) != 0)
      c_.error(errc::ark_t05_strides, at.in("Strides"))
          << "Offsets " << dims(l.offsets) << " + PaddedShape " << dims(l.padded_shape)
          << " exceed Strides " << dims(l.strides);
    if ((f & pad_step) != 0) {
      writer out = c_.error(errc::ark_t05_strides, at.in("Pads"));
      std::int64_t pads[max_rank] = {1, 1, 1, 1};
      for (std::uint32_t d = 0; d < l.rank; ++d) pads[d] = g_.integers[l.pads + d];
      out << "Strides " << dims(l.strides) << " are not multiples of Pads " << dims(pads);
    }
    if (bytes == 0 && (f & size) == 0)
      c_.error(errc::ark_t07_size, at.in("Strides"))
          << "Strides " << dims(l.strides) << " span 2^63 bytes or more; expected fewer";
  }

  /// T08.
  [[gnu::cold, gnu::noinline]] void differs(std::uint32_t first, std::uint32_t t,
                                            const location& at) {
    const tensor &a = g_.tensors[first], &b = g_.tensors[t];
    const layout &x = g_.layouts[a.layout], &y = g_.layouts[b.layout];
    const severity how = c_.options.of_plan ? severity::warning : severity::error;
    constexpr errc code = errc::ark_t08_tensor_differs;
    const auto start = [&](writer out, std::string_view member) -> writer {
      return out << "tensor " << b.id << " has " << member << ' ';
    };
    if (a.type != b.type) {
      writer out = c_.found.add(code, how, at.in("DataType"));
      start(out, "DataType") << info(b.type).name << " here and " << info(a.type).name << " before";
      return;
    }
    const list_name here[] = {{"Shape", y.shape},
                              {"Strides", y.strides},
                              {"Offsets", y.offsets},
                              {y.pads == none ? "PaddedShape" : "Pads", y.padded_shape}};
    const list_name before[] = {{"Shape", x.shape},
                                {"Strides", x.strides},
                                {"Offsets", x.offsets},
                                {"PaddedShape", x.padded_shape}};
    for (std::size_t i = 0; i < 4; ++i) {
      const dimensions now = dimensions_of(here[i].values, y.rank < max_rank ? y.rank : max_rank);
      const dimensions then =
          dimensions_of(before[i].values, x.rank < max_rank ? x.rank : max_rank);
      if (now == then) continue;
      writer out = c_.found.add(code, how, at.in(here[i].name));
      start(out, here[i].name) << now << " here and " << then << " before";
      return;
    }
    if (c_.storage_of(t) == c_.storage_of(first)) return;
    writer out = c_.found.add(code, how, at.in("Buffer"));
    start(out, "Buffer") << g_.buffers[b.buffer].id << " here and " << g_.buffers[a.buffer].id
                         << " before";
  }

  void first_use_of_buffer(std::uint32_t b, const location& at) {
    seen_buffer_[b] = true;
    const buffer& x = g_.buffers[b];
    const std::uint32_t first = c_.buffers.first_of(b);
    if (first != b) buffer_differs(g_.buffers[first], x, at);
    if (x.id < 0)
      c_.error(errc::ark_s13_integer, at.in("Id")) << "Id is " << x.id << "; expected at least 0";
    unknown_members(c_, x.members, at, true);
    if (x.rank < -1 || x.rank >= g_.world_size)
      c_.error(errc::ark_b02_buffer_rank, at.in("Rank"))
          << "Rank is " << x.rank << "; expected -1 or 0 to " << std::int64_t{g_.world_size} - 1;
    tag_list(x, x.send_tags, "SendTags", at);
    tag_list(x, x.recv_tags, "RecvTags", at);
    if (first != b || !is_local(g_, x)) return;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const range list = kind == 0 ? x.send_tags : x.recv_tags;
      for (std::uint32_t i = 0; i < list.count; ++i)
        tags_[kind].push_back(
            {g_.tags[list.first + i], b, i, static_cast<std::uint32_t>(places_.size())});
    }
    if (x.send_tags.count + std::uint64_t{x.recv_tags.count} != 0) places_.push_back(at);
  }
  [[nodiscard]] static constexpr bool before(const tag& a, const tag& b) noexcept {
    return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
  }

  /// B03, B04.
  [[gnu::cold]] void tag_list(const buffer& x, range list, std::string_view member,
                              const location& at) {
    bool ascending = true;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const tag t = g_.tags[list.first + i];
      const bool local = is_local(g_, x);
      const bool good = local ? t.rank >= 0 && t.rank < g_.world_size && t.rank != g_.rank
                              : t.rank == -1 || t.rank == g_.rank;
      if (!good) {
        writer out = c_.error(errc::ark_b04_tag_rank, at.in(member, i));
        out << '[' << t.rank << ',' << t.number << "] has rank " << t.rank << "; expected ";
        if (local)
          out << "a rank below " << g_.world_size << " other than " << g_.rank;
        else
          out << "-1 or " << g_.rank << ", as the buffer is of rank " << x.rank;
      }
      if (i > 0 && !before(g_.tags[list.first + i - 1], t)) ascending = false;
    }
    if (!ascending) order_of_tags(list, member, at);
  }
  /// B03 of a list whose tags don't ascend.
  [[gnu::cold, gnu::noinline]] void order_of_tags(range list, std::string_view member,
                                                  const location& at) {
    pool<tag_use> sorted;
    for (std::uint32_t i = 0; i < list.count; ++i)
      sorted.push_back({g_.tags[list.first + i], 0, i, 0});
    const auto less = [](const tag_use& a, const tag_use& b) { return before(a.t, b.t); };
    sort(sorted.data(), sorted.size(), less);
    pool<bool> again;
    again.resize(list.count);
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i].t == sorted[i - 1].t) again[sorted[i].index] = true;
    bool unordered = false;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const tag t = g_.tags[list.first + i];
      if (again[i])
        c_.warning(errc::ark_b03_tags, at.in(member, i))
            << '[' << t.rank << ',' << t.number << "] is listed twice";
      unordered = unordered || (i > 0 && before(t, g_.tags[list.first + i - 1]));
    }
    if (unordered)
      c_.found.add(errc::ark_b03_tags, severity::note, at.in(member))
          << member << " are not in ascending order";
  }

  /// B01.
  [[gnu::cold, gnu::noinline]] void buffer_differs(const buffer& first, const buffer& x,
                                                   const location& at) {
    constexpr errc code = errc::ark_b01_buffer_differs;
    if (first.rank != x.rank)
      c_.error(code, at.in("Rank"))
          << "buffer " << x.id << " has Rank " << x.rank << " here and " << first.rank << " before";
    const auto compare_tags = [&](std::string_view member, range before, range here) {
      if (same_tags(before, here)) return;
      auto out = c_.error(code, at.in(member));
      list_tags(out << "buffer " << x.id << " has the " << member << ' ', here);
      list_tags(out << " here and ", before);
      out << " before";
    };
    compare_tags("SendTags", first.send_tags, x.send_tags);
    compare_tags("RecvTags", first.recv_tags, x.recv_tags);
    if (first.external == x.external) return;
    if (x.external == external::absent)
      c_.error(code, at) << "buffer " << x.id << " has no IsExternal here, and has one before";
    else
      c_.error(code, at.in("IsExternal"))
          << "buffer " << x.id << " has another IsExternal here than before";
  }
  /// [[1,5],[2,0]]; of long lists the beginning.
  [[gnu::cold, gnu::noinline]] void list_tags(writer out, range list) const {
    constexpr std::uint32_t most = 4;
    out << '[';
    for (std::uint32_t i = 0; i < list.count && i < most; ++i) {
      const tag& t = g_.tags[list.first + i];
      out << (i == 0 ? "[" : ",[") << t.rank << ',' << t.number << ']';
    }
    out << (list.count > most ? ",…]" : "]");
  }
  [[nodiscard, gnu::cold, gnu::noinline]] bool same_tags(range a, range b) const {
    if (a.count != b.count) return false;
    std::uint32_t same = 0;
    while (same < a.count && g_.tags[a.first + same] == g_.tags[b.first + same]) ++same;
    if (same == a.count) return true;
    pool<tag> sets[2];  // in another order they are the same
    const range lists[] = {a, b};
    for (std::size_t k = 0; k < 2; ++k) {
      sets[k].append(g_.tags.data() + lists[k].first, lists[k].count);
      sort(sets[k].data(), sets[k].size(), before);
    }
    return sets[0] == sets[1];
  }

  /// B05.
  [[gnu::cold]] void reused_tags() {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      pool<tag_use>& all = tags_[kind];
      sort(all.data(), all.size(),
           [](const tag_use& a, const tag_use& b) { return before(a.t, b.t); });
      for (std::size_t i = 1; i < all.size(); ++i) {
        const tag_use &a = all[i - 1], &b = all[i];
        if (!(a.t == b.t) || a.storage == b.storage) continue;
        c_.error(errc::ark_b05_tag_reused,
                 places_[b.at].in(kind == 0 ? "SendTags" : "RecvTags", b.index))
            << '[' << b.t.rank << ',' << b.t.number << "] is also a tag of buffer "
            << g_.buffers[a.storage].id;
      }
    }
  }

  context& c_;
  const ark::model& g_;
  pool<bool> seen_tensor_, seen_buffer_;
  pool<std::uint8_t> layouts_;  // flaws of each
  pool<tag_use> tags_[2];       // SendTags, RecvTags of local buffers
  pool<location> places_;       // of the first use of local buffers with tags
};

}  // namespace detail
}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RULES_TENSOR_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE rule::rule(errc code) noexcept {
  const std::string_view name = error{code}.name();
  if (code == errc::json_duplicate_key) {
    set("S11");
  } else if (code == errc::json_expected_integer || code == errc::json_integer_range) {
    set("S13");
  } else if (name.size() > 8 && name.substr(0, 4) == "ark_" && name[7] == '_' && name[5] >= '0' &&
             name[5] <= '9') {
    const char id[] = {static_cast<char>(name[4] - 'a' + 'A'), name[5], name[6]};
    set({id, 3});
  }
}

TESSERA_INLINE result<program> verify(model m, const verify_options& options, report* found) {
  const model* const only = &m;
  detail::findings findings({&only, 1}, {&options.source, 1}, options.max_diagnostics, found);
  if (!detail::indices_hold(m)) {
    findings.add(errc::ark_pool_index, severity::error, detail::at_root());
    findings.finish();
    return findings.error();
  }
  detail::context c(m, options, findings);
  detail::structure_rules(c);
  detail::graph_rules edges(c);
  edges.run();
  detail::tensor_rules(c).run();
  detail::op_rules(c).run();
  if (options.hazards && !detail::hazards(c, edges).run() && found != nullptr)
    found->is_bounded = true;
  findings.finish();
  if (findings.failed()) return findings.error();

  program p;
  p.storages_ = c.buffers.firsts();
  p.bytes_.resize(m.buffers.size());
  for (const tensor& t : m.tensors) {
    const std::uint64_t bytes = detail::bytes_of(m.layouts[t.layout], t.type);
    std::uint64_t& max = p.bytes_[p.storages_[t.buffer]];
    if (bytes > max) max = bytes;
  }
  p.model_ = std::move(m);
  return p;
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_VERIFY_HPP

// ---- tessera/ark/detail/write.hpp
//
// The bodies of ark/write.hpp.

#ifndef TESSERA_ARK_DETAIL_WRITE_HPP
#define TESSERA_ARK_DETAIL_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Limits for text of our own making.
inline constexpr limits no_limits{UINT64_MAX, UINT64_MAX, UINT32_MAX};

/// Appends the objects of a model to a text. Plans hold the same operations and use it too. What it
/// writes has passed check(). Depths count the containers around an object: 0 for the root.
///
/// Functions take a pointer to the end of the text, reserve their space there, and return the new
/// end. begin() gives the first pointer, done() takes the last.
class graph_writer {
 public:
  graph_writer(text& out, const model& g, dialect form, bool pretty)
      : out_(out), g_(g), form_(info(form)), levels_(pretty ? info(form).levels : -1) {
    tensors_.resize(g.tensors.size());
    layouts_.resize(g.layouts.size());
    buffers_.resize(g.buffers.size());
  }
  /// How many levels are spread over lines; it may change between values.
  void levels(int count) noexcept { levels_ = count; }

  [[nodiscard]] char* begin() {
    char* const to = out_.prepare(0);
    end_ = to + out_.available();
    return to;
  }
  void done(const char* to) noexcept {
    out_.advance(static_cast<std::size_t>(to - out_.data()) - out_.size());
  }

  [[nodiscard]] char* model(char* to) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put_integer(key(to, 0, "\"Rank\":"), g_.rank);
    to = put_integer(key(to, 0, ",\"WorldSize\":"), g_.world_size);
    to = put(key(to, 0, ",\"Nodes\":"), "[");
    for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
      to = reserve(to, record_capacity);
      if (i != 0) *to++ = ',';
      to = node(line(to, 2, 1), g_.nodes[i], 2);
    }
    to = reserve(to, record_capacity);
    if (!g_.nodes.empty()) to = line(to, 1, 1);
    *to++ = ']';
    to = reserve(members(to, g_.own_members, 0), record_capacity);
    to = put(line(to, 0, 0), "}");
    if (levels_ >= 0) *to++ = '\n';
    return to;
  }

  [[nodiscard]] char* node(char* to, const ark::node& n, unsigned depth) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put_integer(key(to, depth, "\"Id\":"), n.id);
    to = list(key(to, depth, ",\"ProducerNodeIds\":"), integers(g_, n.producers));
    to = list(key(to, depth, ",\"ConsumerNodeIds\":"), integers(g_, n.consumers));
    if (form_.holds_ops) {
      to = put(key(to, depth, ",\"Ops\":"), "[");
      for (std::uint32_t i = 0; i < n.ops.count; ++i) {
        if (i != 0) *to++ = ',';
        to = reserve(line(to, depth + 2, depth + 1), record_capacity);
        to = operation(to, g_.ops[n.ops.first + i], depth + 2);
      }
      to = put(line(to, depth + 1, depth + 1), "]");
    } else {
      to = operation(key(to, depth, ",\"Op\":"), g_.ops[n.ops.first], depth + 1);
    }
    to = line(members(to, n.members, depth), depth, depth);
    *to++ = '}';
    return to;
  }

  /// `config`: a plan's member "Config", JSON that follows the others; none when it is empty.
  /// Reserves space for the rest of a node.
  [[nodiscard]] char* operation(char* to, const op& o, unsigned depth,
                                std::string_view config = {}) {
    const std::string_view type = type_name(g_, o), called = name(g_, o);
    to = reserve(to, record_capacity + 6 * (type.size() + called.size()));
    *to++ = '{';
    to = put_quoted(key(to, depth, "\"Type\":"), type);
    to = put_quoted(key(to, depth, ",\"Name\":"), called);
    to = key(to, depth, ",\"IsVirtual\":");
    to = o.is_virtual ? put(to, "true") : put(to, "false");
    to = tensors(key(to, depth, ",\"ReadTensors\":"), reads(g_, o), depth + 1);
    to = tensors(key(to, depth, ",\"WriteTensors\":"), writes(g_, o), depth + 1);
    to = tensors(key(to, depth, ",\"ResultTensors\":"), results(g_, o), depth + 1);
    to = key(to, depth, ",\"Args\":");
    if (o.arguments.count != 0)
      to = all_arguments(to, o, depth + 1);
    else
      to = put(to, o.args == args_form::null    ? std::string_view("null")
                   : o.args == args_form::array ? "[]"
                                                : "{}");
    if (!config.empty()) {
      done(key(to, depth, ",\"Config\":"));
      value(config, depth + 1);
      to = reserve(begin(), record_capacity);
    }
    to = line(members(to, o.members, depth), depth, depth);
    *to++ = '}';
    return reserve(to, record_capacity);
  }

  /// Appends JSON text, laid out anew; its own depth, if it is a container, is `depth`.
  void value(std::string_view json, unsigned depth) {
    struct container {
      bool object, spread, fresh;
    };
    pool<container> open;
    json::reader in(json, no_limits);
    std::string_view name;
    const auto new_line = [&] {
      const unsigned indent = depth + static_cast<unsigned>(open.size());
      out_.advance(
          static_cast<std::size_t>(put_line(out_.prepare(1 + 2 * std::size_t{indent}), indent) -
                                   out_.data() - static_cast<std::ptrdiff_t>(out_.size())));
    };
    do {
      const json::kind kind = in.peek();
      if (kind == json::kind::object || kind == json::kind::array) {
        const bool object = kind == json::kind::object;
        object ? in.object() : in.array();
        out_ << (object ? '{' : '[');
        open.push_back({object,
                        spread(depth + static_cast<unsigned>(open.size())) &&
                            (open.empty() || open.back().spread),
                        true});
      } else if (kind == json::kind::string) {
        json::append_quoted(out_, in.string());
      } else {
        out_ << in.skip();
      }
      while (!open.empty() && !(open.back().object ? in.key(name) : in.element())) {
        const container closed = open.back();
        open.pop_back();
        if (closed.spread && !closed.fresh) new_line();
        out_ << (closed.object ? '}' : ']');
      }
      if (open.empty()) continue;
      container& inner = open.back();
      if (!inner.fresh)
        out_ << ',';
      else if (!inner.object && in.peek() == json::kind::number)
        inner.spread = false;
      inner.fresh = false;
      if (inner.spread) new_line();
      if (!inner.object) continue;
      json::append_quoted(out_, name);
      out_ << (inner.spread ? std::string_view(": ") : ":");
    } while (!open.empty());
    if (const error e = in.finish(); e.code != errc::ok && failed_ == errc::ok) failed_ = e.code;
  }
  /// The first error among kept values that are no JSON, or names that repeat.
  [[nodiscard]] errc failed() const noexcept { return failed_; }

 private:
  /// An earlier text of the same thing: its offset times 2^20 plus its size; 0 for none.
  using place = std::uint64_t;
  static constexpr unsigned size_bits = 20;
  static constexpr std::size_t max_indent = 64;
  static constexpr std::size_t key_capacity = max_indent + 24 + integer_capacity;
  /// Space for eight keys with numbers. A caller of another function that reserves, or returns, needs
  /// no more than that function leaves: this less a bracket or two.
  static constexpr std::size_t record_capacity = 8 * key_capacity;
  static constexpr std::size_t lists_capacity = 16 * (integer_capacity + 1) + 4 * key_capacity;

  /// Space for `count` characters from `to` on.
  [[nodiscard]] char* reserve(char* to, std::size_t count) {
    return static_cast<std::size_t>(end_ - to) >= count ? to : grow(to, count);
  }
  [[nodiscard, gnu::noinline]] char* grow(char* to, std::size_t count) {
    done(to);
    (void)out_.prepare(count);
    return begin();
  }

  template <std::size_t Size>
  static char* put(char* to, const char (&literal)[Size]) noexcept {
    std::memcpy(to, literal, Size - 1);
    return to + (Size - 1);
  }
  static char* put(char* to, std::string_view s) noexcept {
    if (!s.empty()) std::memcpy(to, s.data(), s.size());
    return to + s.size();
  }
  /// `s` in quotes; six bytes of space for each of its own, and two.
  static char* put_quoted(char* to, std::string_view s) noexcept {
    *to++ = '"';
    for (const char c : s) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\') {
        *to++ = c;
        continue;
      }
      *to++ = '\\';
      constexpr std::string_view letters = "btn?fr";  // of 8 to 13; JSON has none for 11
      if (byte >= 0x20) {
        *to++ = c;
      } else if (byte >= 8 && byte <= 13 && byte != 11) {
        *to++ = letters[byte - 8u];
      } else {
        to = put(to, "u00");
        *to++ = "0123456789abcdef"[byte >> 4];
        *to++ = "0123456789abcdef"[byte & 15];
      }
    }
    *to++ = '"';
    return to;
  }

  [[nodiscard]] bool spread(unsigned depth) const noexcept {
    return static_cast<int>(depth) <= levels_;
  }
  static char* put_line(char* to, unsigned indent) noexcept {
    const std::size_t spaces = 2 * std::size_t{indent};
    *to = '\n';
    std::memset(to + 1, ' ', spaces);
    return to + 1 + spaces;
  }
  /// A new line for a value at `indent`, in a container at `depth` that is spread.
  [[nodiscard]] char* line(char* to, unsigned indent, unsigned depth) const noexcept {
    return spread(depth) ? put_line(to, indent) : to;
  }
  /// A key, `,"Name":` or the first one without its comma, in a container at `depth`.
  template <std::size_t Size>
  [[nodiscard]] char* key(char* to, unsigned depth, const char (&literal)[Size]) const noexcept {
    if (!spread(depth)) return put(to, literal);
    const std::size_t comma = literal[0] == ',' ? 1 : 0;
    if (comma != 0) *to++ = ',';
    to = put_line(to, depth + 1);
    std::memcpy(to, literal + comma, Size - 1 - comma);
    to += Size - 1 - comma;
    *to++ = ' ';
    return to;
  }

  [[nodiscard]] char* list(char* to, view<std::int64_t> values) {
    to = reserve(to, values.size() * (integer_capacity + 1) + record_capacity);
    return put_list(to, values.data(), values.size());
  }
  static char* put_list(char* to, const std::int64_t* values, std::size_t count) noexcept {
    *to++ = '[';
    for (std::size_t i = 0; i < count; ++i) {
      to = put_integer(to, values[i]);
      *to++ = ',';
    }
    if (count != 0) --to;
    *to++ = ']';
    return to;
  }

  [[nodiscard]] char* tensors(char* to, view<std::uint32_t> list, unsigned depth) {
    *to++ = '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) *to++ = ',';
      to = tensor(line(to, depth + 1, depth), list[i], depth + 1);
    }
    if (!list.empty()) to = line(to, depth, depth);
    *to++ = ']';
    return to;
  }

  /// Copies the text at `where`, in whole blocks; the excess is overwritten.
  [[nodiscard]] char* again(char* to, place where) {
    constexpr std::size_t block_size = 32;
    const auto size = to_size(where & ((place{1} << size_bits) - 1));
    to = reserve(to, size + block_size + record_capacity);
    const char* const from = out_.data() + (where >> size_bits);
    for (std::size_t i = 0; i < size; i += block_size) {
      char block[block_size];
      std::memcpy(block, from + i, block_size);
      std::memcpy(to + i, block, block_size);
    }
    return to + size;
  }
  [[nodiscard]] std::size_t offset_of(const char* to) const noexcept {
    return static_cast<std::size_t>(to - out_.data());
  }
  [[nodiscard]] place since(std::size_t first, const char* to) const noexcept {
    const std::uint64_t start = first, size = offset_of(to) - first;  // of more bits than size_t
    return size >> size_bits == 0 && start >> (64 - size_bits) == 0 ? start << size_bits | size : 0;
  }

  /// Tensors are at one depth, except in arguments of type TENSOR, which are not copied from.
  [[nodiscard]] char* tensor(char* to, std::uint32_t index, unsigned depth, bool listed = true) {
    if (const place known = tensors_[index]; known != 0 && listed) return again(to, known);
    const ark::tensor& t = g_.tensors[index];
    to = reserve(to, record_capacity);
    const std::size_t first = offset_of(to);
    *to++ = '{';
    to = put_integer(key(to, depth, "\"Id\":"), t.id);
    to = put(key(to, depth, ",\"DataType\":"), "\"");
    to = put(put(to, info(t.type).name), "\"");
    if (form_.buffer_third) to = buffer(key(to, depth, ",\"Buffer\":"), t.buffer);
    to = layout(to, t.layout, depth, listed);
    if (!form_.buffer_third) to = buffer(key(to, depth, ",\"Buffer\":"), t.buffer);
    to = line(members(to, t.members, depth), depth, depth);
    *to++ = '}';
    to = reserve(to, record_capacity);
    if (listed) tensors_[index] = since(first, to);
    return to;
  }
  [[nodiscard]] char* layout(char* to, std::uint32_t index, unsigned depth, bool listed) {
    if (const place known = layouts_[index]; known != 0 && listed) return again(to, known);
    const ark::layout& l = g_.layouts[index];
    to = reserve(to, lists_capacity + record_capacity);
    const std::size_t first = offset_of(to);
    to = put_list(key(to, depth, ",\"Shape\":"), l.shape, l.rank);
    to = put_list(key(to, depth, ",\"Strides\":"), l.strides, l.rank);
    to = put_list(key(to, depth, ",\"Offsets\":"), l.offsets, l.rank);
    if (form_.pads) {
      constexpr std::int64_t ones[max_rank] = {1, 1, 1, 1};
      to = put_list(key(to, depth, ",\"Pads\":"),
                    l.pads == none ? ones : g_.integers.data() + l.pads, l.rank);
    } else {
      to = put_list(key(to, depth, ",\"PaddedShape\":"), l.padded_shape, l.rank);
    }
    if (listed) layouts_[index] = since(first, to);
    return to;
  }
  /// On one line, whatever the dialect.
  [[nodiscard]] char* buffer(char* to, std::uint32_t index) {
    if (const place known = buffers_[index]; known != 0) return again(to, known);
    const ark::buffer& b = g_.buffers[index];
    to = reserve(to, record_capacity);
    const std::size_t first = offset_of(to);
    to = put_integer(put(to, "{\"Id\":"), b.id);
    to = put_integer(put(to, ",\"Rank\":"), b.rank);
    if (!form_.holds_ops) to = put_external(to, b.external);
    to = tag_list(put(to, ",\"SendTags\":"), tags(g_, b.send_tags));
    to = tag_list(put(to, ",\"RecvTags\":"), tags(g_, b.recv_tags));
    if (form_.holds_ops) to = put_external(to, b.external);
    to = members(to, b.members, never_spread);
    *to++ = '}';
    buffers_[index] = since(first, to);
    return to;
  }
  static char* put_external(char* to, external e) noexcept {
    if (e == external::absent) return to;
    return put(put(to, ",\"IsExternal\":"),
               e == external::yes ? std::string_view("true") : "false");
  }
  [[nodiscard]] char* tag_list(char* to, view<tag> list) {
    constexpr std::size_t tag_capacity = 2 * integer_capacity + 4;
    to = reserve(to, list.size() * tag_capacity + record_capacity);
    *to++ = '[';
    for (const tag& t : list) {
      *to++ = '[';
      to = put_integer(to, t.rank);
      *to++ = ',';
      to = put_integer(to, t.number);
      to = put(to, "],");
    }
    if (!list.empty()) --to;
    *to++ = ']';
    return to;
  }

  [[nodiscard]] char* all_arguments(char* to, const op& o, unsigned depth) {
    const view<argument> all = arguments(g_, o);
    sorted_.clear();
    for (std::uint32_t i = 0; i < all.size(); ++i) sorted_.push_back(i);
    sort(sorted_.data(), sorted_.size(),
         [&](std::uint32_t a, std::uint32_t b) { return name(g_, all[a]) < name(g_, all[b]); });
    *to++ = '{';
    for (std::size_t i = 0; i < all.size(); ++i) {
      const argument& a = all[sorted_[i]];
      const std::string_view called = name(g_, a);
      to = reserve(to, 6 * called.size() + record_capacity);
      if (i != 0) {
        if (called == name(g_, all[sorted_[i - 1]])) failed_ = errc::json_duplicate_key;
        *to++ = ',';
      }
      to = put_quoted(line(to, depth + 1, depth), called);
      *to++ = ':';
      if (spread(depth)) *to++ = ' ';
      if (a.type != argument_type::other) {
        to = known_argument(to, a, depth + 1);
        continue;
      }
      done(to);
      value(text_of(g_, a.token), depth + 1);
      to = begin();
    }
    to = reserve(to, record_capacity);
    to = line(to, depth, depth);
    *to++ = '}';
    return to;
  }
  [[nodiscard]] char* known_argument(char* to, const argument& a, unsigned depth) {
    to = reserve(to, record_capacity);
    *to++ = '{';
    to = put(line(to, depth + 1, depth), "\"");
    to = put(put(to, argument_type_names[static_cast<std::size_t>(a.type)]), "\":");
    if (spread(depth)) *to++ = ' ';
    switch (a.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32: to = put_integer(to, a.integer); break;
      case argument_type::uint64:
        to = put_integer(to, static_cast<std::uint64_t>(a.integer));
        break;
      case argument_type::boolean: to = a.integer != 0 ? put(to, "true") : put(to, "false"); break;
      case argument_type::float32:
        to = reserve(to, a.token.size + record_capacity);
        to = a.token.size != 0 ? put(to, text_of(g_, a.token))
                               : put_double(to, static_cast<double>(a.real), double_style::json15);
        break;
      case argument_type::dims: to = list(to, integers(g_, a.integers)); break;
      case argument_type::tensor:
        to = tensor(to, static_cast<std::uint32_t>(a.integer), depth + 1, false);
        break;
      case argument_type::offset: {
        const view<std::int64_t> parts = integers(g_, a.integers);
        if (parts.size() == 1) {
          to = put_integer(to, parts[0]);
          break;
        }
        *to++ = '{';
        to = put_integer(key(to, depth + 1, "\"BufferId\":"), parts[0]);
        to = put_integer(key(to, depth + 1, ",\"Value\":"), parts[1]);
        to = put(line(to, depth + 1, depth + 1), "}");
        break;
      }
      case argument_type::other: break;  // unreachable: its text is written as it is
    }
    to = line(reserve(to, record_capacity), depth, depth);
    *to++ = '}';
    return to;
  }

  [[nodiscard]] char* members(char* to, std::uint32_t first, unsigned depth) {
    if (first == none) return to;
    for (std::uint32_t i = first; i != none; i = g_.members[i].next) {
      to = reserve(to, record_capacity);
      *to++ = ',';
      done(line(to, depth + 1, depth));
      json::append_quoted(out_, text_of(g_, g_.members[i].key));
      out_ << (spread(depth) ? std::string_view(": ") : ":");
      value(text_of(g_, g_.members[i].value), depth + 1);
      to = begin();
    }
    return reserve(to, record_capacity);
  }

  static constexpr unsigned never_spread = 1000;
  text& out_;
  const ark::model& g_;
  const dialect_row& form_;
  int levels_;  // -1: nothing is spread
  char* end_ = nullptr;
  pool<place> tensors_, layouts_, buffers_;
  pool<std::uint32_t> sorted_;
  errc failed_ = errc::ok;
};

/// The text of a model that is in its dialect.
[[nodiscard]] inline result<text> write_as_is(const model& g, bool pretty) {
  text out;
  // An estimate, below twice the real size: growing costs more than writing.
  const bool spread = pretty && info(g.form).levels > 5;
  out.reserve(256 + (pretty ? 130 : 64) * g.nodes.size() + (pretty ? 290 : 110) * g.ops.size() +
              (spread ? 320 : 220) * g.uses.size() + (spread ? 80 : 30) * g.arguments.size());
  graph_writer w(out, g, g.form, pretty);
  w.done(w.model(w.begin()));
  errc code = w.failed();
  if (code == errc::ok && !g.members.empty()) {
    // Kept members may repeat a key, in a model that was built in code.
    json::reader in(out, no_limits);
    (void)in.skip();
    code = in.finish().code;
  }
  if (code != errc::ok) return error{code, 0};
  return out;
}

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE result<text> write(const model& g, const write_options& options) {
  if (const error e = check(g); e.code != errc::ok) return e;
  if (options.to == g.form && in_dialect(g)) return detail::write_as_is(g, options.pretty);
  const result<model> converted = convert(g, options.to);
  if (!converted) return converted.error();
  return detail::write_as_is(*converted, options.pretty);
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_WRITE_HPP

// ---- tessera/ark/detail/plan.hpp
//
// The bodies of ark/plan.hpp.

#ifndef TESSERA_ARK_DETAIL_PLAN_HPP
#define TESSERA_ARK_DETAIL_PLAN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/ark/detail/plan_check.hpp
//
// Whether a file could hold a plan.

#ifndef TESSERA_ARK_DETAIL_PLAN_CHECK_HPP
#define TESSERA_ARK_DETAIL_PLAN_CHECK_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class plan_check {
 public:
  explicit plan_check(const plan& p) noexcept : p_(p) {}

  [[nodiscard]] error all() const {
    const graph_check parts(p_.parts);
    if (static_cast<std::size_t>(p_.parts.form) >= std::size(dialect_table))
      return {errc::ark_dialect, 0, error_index::whole};
    if (p_.parts.rank < 0 || p_.parts.rank >= p_.parts.world_size)
      return {errc::ark_s03_world, 0, error_index::whole};
    if (const errc code = parts.tables(); code != errc::ok) return {code, 0, error_index::whole};
    if (p_.num_processors < 0 || p_.num_warps_per_processor < 0)
      return {errc::ark_plan_member, 0, error_index::whole};
    if (p_.configs.size() != p_.parts.ops.size())
      return {errc::ark_plan_config, 0, error_index::whole};
    if (p_.place != architecture_place::absent)
      if (const errc code = words(p_.architecture); code != errc::ok)
        return {code, 0, error_index::whole};
    if ((p_.null_tasks && !p_.tasks.empty()) || (p_.null_groups && !p_.processor_groups.empty()))
      return {errc::ark_plan_member, 0, error_index::whole};
    for (const plan_task& t : p_.tasks)
      if (const errc code = task(t, parts); code != errc::ok)
        return error_in(p_.tasks, t, code, error_index::task);
    for (const processor_group& g : p_.processor_groups)
      if (const errc code = one(g); code != errc::ok)
        return error_in(p_.processor_groups, g, code, error_index::processor_group);
    return {};
  }

 private:
  [[nodiscard]] errc task(const plan_task& t, const graph_check& parts) const {
    if (t.id < 0 || t.num_warps < 0 || t.sram_bytes < 0) return errc::ark_plan_member;
    if (!inside(t.ops, p_.parts.ops.size()) || !listed(t.members)) return errc::ark_too_large;
    for (const op& o : operations(p_, t))
      if (const errc code = parts.operation(o); code != errc::ok) return code;
    for (const plan_config& c : configs(p_, t)) {
      if (const errc code = words(c.text); code != errc::ok) return code;
      if (const std::string_view text = text_of(p_.parts, c.text); text.empty() || text[0] != '{')
        return errc::ark_plan_config;
    }
    return errc::ok;
  }
  [[nodiscard]] errc one(const processor_group& g) const {
    if (negative(g.processors)) return errc::ark_plan_range;
    if (!inside(g.resource_groups, p_.resource_groups.size()) || !listed(g.members))
      return errc::ark_too_large;
    for (const resource_group& r : resource_groups(p_, g)) {
      if (negative(r.processors) || negative(r.warps) || negative(r.sram))
        return errc::ark_plan_range;
      if (!inside(r.task_groups, p_.task_groups.size()) || !listed(r.members))
        return errc::ark_too_large;
      for (const task_group& t : task_groups(p_, r)) {
        if (negative(t.tasks)) return errc::ark_plan_range;
        if (t.task_id < 0 || t.granularity < 0) return errc::ark_plan_member;
        if (!listed(t.members)) return errc::ark_too_large;
      }
    }
    return errc::ok;
  }
  [[nodiscard]] static bool negative(const plan_range& r) noexcept {
    return r.begin < 0 || r.end < 0 || r.step < 0;
  }
  [[nodiscard]] static bool inside(range r, std::size_t size) noexcept {
    return std::uint64_t{r.first} + r.count <= size;
  }
  [[nodiscard]] bool listed(std::uint32_t first) const noexcept {
    return first == none || first < p_.parts.members.size();
  }
  [[nodiscard]] errc words(string s) const noexcept {
    if (!inside({s.first, s.size}, p_.parts.characters.size())) return errc::ark_too_large;
    return is_utf8(text_of(p_.parts, s)) ? errc::ok : errc::json_bad_utf8;
  }

  const plan& p_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_CHECK_HPP

// ---- tessera/ark/detail/plan_match.hpp
//
// Compares the operations of a plan with those of its model.

#ifndef TESSERA_ARK_DETAIL_PLAN_MATCH_HPP
#define TESSERA_ARK_DETAIL_PLAN_MATCH_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>


// ---- tessera/ark/detail/plan_model.hpp
//
// The operations of a plan in order, and the edges of the model that they are.

#ifndef TESSERA_ARK_DETAIL_PLAN_MODEL_HPP
#define TESSERA_ARK_DETAIL_PLAN_MODEL_HPP

#include <cstddef>
#include <cstdint>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// An operation of a plan: number `op` of the task at `task`.
struct plan_place {
  std::uint32_t task = 0, op = 0;
};

/// All operations of a plan, in the order of their tasks' Ids.
[[nodiscard]] inline pool<plan_place> plan_order(const plan& p) {
  pool<std::uint32_t> tasks;
  for (std::size_t t = 0; t < p.tasks.size(); ++t) tasks.push_back(static_cast<std::uint32_t>(t));
  sort(tasks.data(), tasks.size(), [&p](std::uint32_t a, std::uint32_t b) {
    return p.tasks[a].id != p.tasks[b].id ? p.tasks[a].id < p.tasks[b].id : a < b;
  });
  pool<plan_place> out;
  for (const std::uint32_t t : tasks)
    for (std::uint32_t i = 0; i < p.tasks[t].ops.count; ++i) out.push_back({t, i});
  return out;
}

/// Gives the nodes of a model their edges.
inline void add_edges(model& g) {
  const id_index tensor_ids(g.tensors.data(), g.tensors.size());
  const id_index buffer_ids(g.buffers.data(), g.buffers.size());
  const pool<std::uint32_t>&tensor_of = tensor_ids.firsts(), &buffer_of = buffer_ids.firsts();
  pool<std::uint32_t> makers, writers, listed, counts;  // by tensor, buffer, node, node
  for (const std::uint32_t t : tensor_of) (void)t, makers.push_back(none);
  for (const std::uint32_t b : buffer_of) (void)b, writers.push_back(none);
  for (std::size_t n = g.nodes.size(); n-- > 0;)
    for (const std::uint32_t t : results(g, g.ops[g.nodes[n].ops.first]))
      makers[tensor_of[t]] = static_cast<std::uint32_t>(n);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) listed.push_back(none), counts.push_back(0);

  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const op& o = g.ops[g.nodes[n].ops.first];
    const std::size_t first = g.integers.size();
    for (std::uint32_t i = 0; i < o.reads + o.writes; ++i) {
      const std::uint32_t t = g.uses[o.first_use + i];
      std::uint32_t from = makers[tensor_of[t]];
      if (from == none) from = writers[buffer_of[g.tensors[t].buffer]];
      if (from == none || from == n || listed[from] == n) continue;
      listed[from] = static_cast<std::uint32_t>(n);
      ++counts[from];
      g.integers.push_back(std::int64_t{from});
    }
    for (const std::uint32_t t : writes(g, o))
      writers[buffer_of[g.tensors[t].buffer]] = static_cast<std::uint32_t>(n);
    const std::size_t count = g.integers.size() - first;
    sort(g.integers.data() + first, count, [](std::int64_t a, std::int64_t b) { return a < b; });
    g.nodes[n].producers = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    g.nodes[n].consumers = {static_cast<std::uint32_t>(g.integers.size()), 0};
    g.integers.resize(g.integers.size() + counts[n]);
  }
  for (const node& n : g.nodes)
    for (std::uint32_t i = 0; i < n.producers.count; ++i) {
      range& to = g.nodes[static_cast<std::size_t>(g.integers[n.producers.first + i])].consumers;
      g.integers[to.first + to.count++] = n.id;
    }
}

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_MODEL_HPP

// ---- tessera/ark/detail/plan_verify.hpp
//
// Verifies a plan by itself.

#ifndef TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP
#define TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Adds diagnostics with their paths to a report; the offsets come at the end.
class plan_findings {
 public:
  plan_findings(const plan_options& options, report* found)
      : options_(options),
        found_(found),
        base_(found, options.max_diagnostics),
        first_(found == nullptr ? 0 : found->diagnostics.size()) {}

  [[nodiscard]] const plan_options& options() const noexcept { return options_; }
  /// Where the plan as a whole is.
  [[nodiscard]] tessera::place root() const noexcept {
    return {.index = options_.source.empty() ? error_index::whole : error_index::none};
  }

  writer add(errc code, severity how, const tessera::place& where, std::string_view path) {
    if (how == severity::error && !base_.failed()) first_path_ << path;
    return base_.add(code, how, where, rule(code).id(), path);
  }
  /// Those that another report counted and didn't keep.
  void add_unkept(std::uint64_t errors, std::uint64_t warnings, std::uint64_t notes,
                  const tessera::error& first) noexcept {
    if (found_ != nullptr) {
      found_->errors += errors;
      found_->warnings += warnings;
      found_->notes += notes;
    }
    if (errors != 0 && !base_.failed()) unkept_ = first;
  }
  /// Looks up the offsets. Returns the first error.
  [[nodiscard]] tessera::error finish() {
    base_.close();
    const std::size_t count = found_ == nullptr ? first_ : found_->diagnostics.size();
    pool<std::string_view> paths;
    for (std::size_t i = first_; i < count; ++i)
      paths.push_back(found_->text_of(found_->diagnostics[i].path));
    paths.push_back(first_path_);
    pool<std::uint64_t> offsets;
    offsets.resize(paths.size());
    for (std::uint64_t& o : offsets) o = json::no_offset;
    if (!options_.source.empty() && (base_.failed() || paths.size() > 1))
      json::find(options_.source, paths, offsets.data(),
                 {.max_bytes = UINT64_MAX, .max_items = UINT64_MAX, .max_depth = UINT32_MAX});
    for (std::size_t i = first_; i < count; ++i)
      if (offsets[i - first_] != json::no_offset)
        found_->diagnostics[i].where.offset = offsets[i - first_];
    if (!base_.failed()) return unkept_;
    tessera::error e = base_.first_error();
    if (offsets.back() != json::no_offset) e.offset = offsets.back();
    return e;
  }

 private:
  const plan_options& options_;
  report* found_;
  tessera::detail::findings base_;
  std::size_t first_;
  text first_path_;
  tessera::error unkept_;
};

/// a * b, or -1 when that is too large or a or b is.
[[nodiscard]] constexpr std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  if (a < 0 || b < 0) return -1;
  return b == 0 || a <= INT64_MAX / b ? a * b : -1;
}

class plan_lint {
 public:
  /// `made`: plan_model(p).
  plan_lint(const plan& p, const model& made, plan_findings& found)
      : p_(p), made_(made), found_(found), ids_(p.tasks.data(), p.tasks.size()) {}

  void all() {
    if (p_.place != architecture_place::absent) architecture();
    tasks();
    pool<share> shares;
    for (std::size_t i = 0; i < p_.processor_groups.size(); ++i) {
      path_.clear();
      path_ << "$.ProcessorGroups[" << i << ']';
      set_outer(p_.processor_groups, p_.processor_groups[i], error_index::processor_group);
      group(p_.processor_groups[i], static_cast<std::uint32_t>(i), shares);
    }
    coverage(shares);
    operations();
  }

 private:
  static constexpr severity error = severity::error, warning = severity::warning;
  /// Tiles of a task that a task group covers.
  struct share {
    std::uint32_t task;
    std::uint32_t group, resource, member;  // its indices in the plan
    std::int64_t begin, end;
  };

  /// At the current path and `tail`; `offset` is that of the object, in a plan that was read.
  writer at(errc code, severity how, std::uint64_t offset, std::string_view tail) {
    place_.clear();
    place_ << path_.view() << tail;
    tessera::place where = outer_;
    if (where.index == error_index::none) where.offset = offset;
    return found_.add(code, how, where, place_);
  }
  template <class Row>
  void set_outer(const pool<Row>& rows, const Row& row, error_index kind) noexcept {
    const tessera::error e = error_in(rows, row, errc::ok, kind);
    outer_ = {.offset = e.offset, .index = e.index};
  }
  void set_task(std::size_t t) {
    set_outer(p_.tasks, p_.tasks[t], error_index::task);
    path_.clear();
    path_ << "$.TaskInfos[" << t << ']';
  }

  void architecture() {
    constexpr std::string_view known[] = {"ANY",     "CUDA", "CUDA_70",  "CUDA_80",
                                          "CUDA_90", "ROCM", "ROCM_90A", "ROCM_942"};
    const std::string_view name = text_of(p_.parts, p_.architecture);
    for (const std::string_view k : known)
      if (name == k) return;
    found_.add(errc::ark_plan_architecture, error, found_.root(), "$.Architecture")
        << "unknown Architecture " << quoted{name}
        << "; expected ANY, CUDA, CUDA_70, CUDA_80, CUDA_90, ROCM, ROCM_90A or ROCM_942";
  }

  /// Each task by itself.
  void tasks() {
    for (std::size_t i = 0; i < p_.tasks.size(); ++i) {
      const plan_task& t = p_.tasks[i];
      set_task(i);
      if (const std::uint32_t first = ids_.first_of(i); first != i)
        at(errc::ark_plan_task, error, t.offset, ".Id")
            << "duplicate task Id " << t.id << ", also of $.TaskInfos[" << first << ']';
      if (t.ops.count == 0) at(errc::ark_s07_no_ops, error, t.offset, ".Ops");
      for (std::uint32_t k = 0; k < t.ops.count; ++k) {
        const std::size_t size = path_.size();
        path_ << ".Ops[" << k << "].Config";
        config(t, k);
        path_.truncate(size);
      }
    }
  }
  /// How many tiles a task has; -1 if no operation has NumTasks.
  [[nodiscard]] std::int64_t tiles(const plan_task& t) const noexcept {
    std::int64_t max = -1;
    for (const plan_config& c : configs(p_, t)) max = c.num_tasks > max ? c.num_tasks : max;
    return max;
  }
  void config(const plan_task& t, std::uint32_t k) {
    const plan_config& c = configs(p_, t)[k];
    const op& o = ark::operations(p_, t)[k];
    const struct {
      std::string_view key;
      std::int64_t value;
    } required[] = {
        {"NumWarps", c.num_warps}, {"SramBytes", c.sram_bytes}, {"NumTasks", c.num_tasks}};
    for (const auto& r : required)
      if (r.value < 0) missing(c, r.key);
    if (c.num_warps > t.num_warps)
      at(errc::ark_plan_resources, error, c.offset, ".NumWarps")
          << "the operation needs " << c.num_warps << " warps; its task has " << t.num_warps;
    if (c.sram_bytes > t.sram_bytes)
      at(errc::ark_plan_resources, error, c.offset, ".SramBytes")
          << "the operation needs " << c.sram_bytes << " bytes of SRAM; its task has "
          << t.sram_bytes;
    if (const std::int64_t first = configs(p_, t)[0].num_tasks;
        k != 0 && c.num_tasks >= 0 && c.num_tasks != first)
      at(errc::ark_plan_tiles, warning, c.offset, ".NumTasks")
          << "NumTasks is " << c.num_tasks << "; the task's first operation has " << first;
    name(c, c.impl_type, ".ImplType", {"WarpWise", "ElementWise", ""});
    name(c, c.channel_type, ".ChannelType", {"Proxy", "SecondaryProxy", "Sm"});
    if (info(o.type).kind == op_kind::matmul)
      matmul_tile(o, c);
    else if (is_tiled(o.type))
      tile(o, c);
  }
  /// At the member if there is one, in another form; else at the Config.
  void missing(const plan_config& c, std::string_view key) {
    std::string_view k, value;
    json::reader in(text_of(p_.parts, c.text));
    for (in.object(); in.key(k);)
      if (const std::string_view v = in.skip(); k == key) value = v;
    const std::size_t size = path_.size();
    if (value.empty()) {
      at(errc::ark_plan_config, error, c.offset, "")
          << "Config has no " << key << "; expected NumWarps, SramBytes and NumTasks";
    } else {
      path_ << '.';
      at(errc::ark_plan_config, error, c.offset, key)
          << key << " is " << excerpt{value} << "; expected a non-negative integer";
    }
    path_.truncate(size);
  }
  void name(const plan_config& c, string value, std::string_view tail,
            const std::string_view (&known)[3]) {
    if (value.size == 0) return;
    const std::string_view s = text_of(p_.parts, value);
    for (const std::string_view n : known)
      if (s == n) return;
    writer out = at(errc::ark_plan_config, warning, c.offset, tail);
    out << "unknown " << tail.substr(1) << ' ' << quoted{s} << "; expected ";
    for (std::size_t i = 0; i < 3 && !known[i].empty(); ++i)
      out << (i == 0 ? "" : i == 2 || known[i + 1].empty() ? " or " : ", ") << known[i];
  }

  /// Operations whose Tile divides the output, one task a tile.
  [[nodiscard]] static bool is_tiled(op_type t) noexcept {
    const op_kind kind = info(t).kind;
    return t != op_type::softmax && (kind == op_kind::unary || kind == op_kind::binary ||
                                     kind == op_kind::fill || kind == op_kind::transpose);
  }
  [[nodiscard]] const layout* written(const op& o) const noexcept {
    return o.writes == 0 ? nullptr : &layout_of(p_.parts, writes(p_.parts, o)[0]);
  }
  /// Tiles of the last dimensions times all others; parts of a tile count.
  [[nodiscard]] static std::int64_t count(const layout& l, view<std::int64_t> tile) noexcept {
    std::int64_t n = 1;
    const std::size_t rank = l.rank > tile.size() ? l.rank : tile.size();
    for (std::size_t back = 1; back <= rank; ++back) {
      const std::int64_t d = back <= l.rank ? l.padded_shape[l.rank - back] : 1;
      const std::int64_t t = back <= tile.size() ? tile[tile.size() - back] : 1;
      n = product(n, d < 1 ? -1 : d / t + (d % t != 0 ? 1 : 0));
    }
    return n;
  }
  void tile(const op& o, const plan_config& c) {
    const layout* const l = written(o);
    if (l == nullptr || c.tile.count == 0 || c.num_tasks < 0) return;
    count_is(c, count(*l, integers(p_.parts, c.tile)));
  }
  void count_is(const plan_config& c, std::int64_t n) {
    if (n >= 0 && n != c.num_tasks)
      at(errc::ark_plan_config, warning, c.offset, ".NumTasks")
          << "NumTasks is " << c.num_tasks << "; the padded shape has " << n
          << (n == 1 ? " tile" : " tiles");
  }
  void matmul_tile(const op& o, const plan_config& c) {
    const bool mnk = c.tile_shape_mnk.count == 3;
    const view<std::int64_t> tile = integers(p_.parts, mnk ? c.tile_shape_mnk : c.tile);
    const layout* const l = written(o);
    if (l == nullptr || o.reads < 2 || tile.size() < 2) return;
    const auto dimension = [](const layout& of, std::size_t back) {
      return back <= of.rank ? of.padded_shape[of.rank - back] : 1;
    };
    if (mnk) {
      const layout& a = layout_of(p_.parts, reads(p_.parts, o)[0]);
      const bool swapped = is_true(o, argument_name::transpose_input) ||
                           is_true(o, argument_name::is_input_column_major);
      const std::int64_t sizes[] = {dimension(*l, 2), dimension(*l, 1),
                                    dimension(a, swapped && a.rank > 1 ? 2 : 1)};
      for (std::size_t d = 0; d < 3; ++d)
        if (sizes[d] % tile[d] != 0) return undivided(c, ".TileShapeMNK", sizes[d], tile[d]);
    } else {
      for (std::size_t back = 1; back <= tile.size(); ++back)
        if (dimension(*l, back) % tile[tile.size() - back] != 0)
          return undivided(c, ".Tile", dimension(*l, back), tile[tile.size() - back]);
    }
    const bool is_none = tile[0] == 1 && tile[1] == 1 && tile[tile.size() - 1] == 1;
    if (!is_none && c.num_tasks >= 0) count_is(c, count(*l, {tile.data(), mnk ? 2 : tile.size()}));
  }
  void undivided(const plan_config& c, std::string_view tail, std::int64_t size,
                 std::int64_t tile) {
    at(errc::ark_plan_config, error, c.offset, tail)
        << "the tile size " << tile << " does not divide the padded dimension " << size;
  }
  [[nodiscard]] bool is_true(const op& o, argument_name name) const noexcept {
    const argument* const a = find_argument(p_.parts, o, name);
    return a != nullptr && a->type == argument_type::boolean && a->integer != 0;
  }

  void bounds(const plan_range& r, std::uint64_t offset, std::string_view tail) {
    if (r.end < r.begin)
      at(errc::ark_plan_range, error, offset, tail)
          << "the range ends at " << r.end << ", before it begins at " << r.begin;
    else if (r.step == 0)
      at(errc::ark_plan_range, error, offset, tail)
          << "the range steps by 0; expected a step of at least 1";
    else if (r.step != 1)
      at(errc::ark_plan_range, warning, offset, tail)
          << "the range steps by " << r.step << "; generated code steps by 1";
  }
  void inside(const plan_range& r, const plan_range& outer, std::uint64_t offset,
              std::string_view tail, std::string_view of) {
    if (r.end < r.begin || r.inside(outer)) return;
    at(errc::ark_plan_parent, error, offset, tail)
        << '[' << r.begin << ',' << r.end << "] is not within the " << of << ", [" << outer.begin
        << ',' << outer.end << ']';
  }

  void group(const processor_group& g, std::uint32_t index, pool<share>& shares) {
    bounds(g.processors, g.offset, ".ProcessorRange");
    inside(g.processors, {0, p_.num_processors}, g.offset, ".ProcessorRange", "processors");
    const std::size_t size = path_.size();
    for (std::uint32_t i = 0; i < g.resource_groups.count; ++i) {
      const resource_group& r = resource_groups(p_, g)[i];
      path_ << ".ResourceGroups[" << i << ']';
      bounds(r.processors, r.offset, ".ProcessorRange");
      inside(r.processors, g.processors, r.offset, ".ProcessorRange",
             "processors of the processor group");
      bounds(r.warps, r.offset, ".WarpRange");
      inside(r.warps, {0, p_.num_warps_per_processor}, r.offset, ".WarpRange",
             "warps of a processor");
      bounds(r.sram, r.offset, ".SramRange");
      const std::size_t inner = path_.size();
      for (std::uint32_t k = 0; k < r.task_groups.count; ++k) {
        path_ << ".TaskGroups[" << k << ']';
        task_group_of(r, task_groups(p_, r)[k], {0, index, i, k, 0, 0}, shares);
        path_.truncate(inner);
      }
      path_.truncate(size);
    }
  }
  void task_group_of(const resource_group& r, const task_group& g, share s, pool<share>& shares) {
    bounds(g.tasks, g.offset, ".TaskRange");
    if (g.granularity == 0)
      at(errc::ark_plan_member, error, g.offset, ".Granularity")
          << "Granularity is 0; expected at least 1";
    const std::uint32_t index = ids_.first(g.task_id);
    if (index == none) {
      at(errc::ark_plan_task, error, g.offset, ".TaskId")
          << "TaskId is " << g.task_id << "; expected the Id of a task of this plan";
      return;
    }
    const plan_task& t = p_.tasks[index];
    if (const std::int64_t n = tiles(t); n >= 0)
      inside(g.tasks, {0, n}, g.offset, ".TaskRange", "tiles of the task");
    if (g.tasks.count() == 0) return;
    if (t.num_warps > r.warps.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs " << t.num_warps << " warps; its resource group has "
          << r.warps.count();
    if (t.sram_bytes > r.sram.count())
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs " << t.sram_bytes
          << " bytes of SRAM; its resource group has " << r.sram.count();
    if (r.processors.count() == 0)
      at(errc::ark_plan_resources, error, g.offset, ".TaskId")
          << "task " << t.id << " needs a processor; its resource group has none";
    s.task = index;
    s.begin = g.tasks.begin;
    s.end = g.tasks.end;
    shares.push_back(s);
  }
  /// Each tile once: shares of a task, side by side, leave no gap and don't overlap.
  void coverage(pool<share>& shares) {
    sort(shares.data(), shares.size(), [](const share& a, const share& b) {
      if (a.task != b.task) return a.task < b.task;
      if (a.begin != b.begin) return a.begin < b.begin;
      if (a.group != b.group) return a.group < b.group;
      return a.resource != b.resource ? a.resource < b.resource : a.member < b.member;
    });
    std::size_t next = 0;
    for (std::uint32_t t = 0; t < p_.tasks.size(); ++t) {
      if (ids_.first_of(t) != t) continue;  // a second one of its Id, which is an error already
      const std::int64_t n = tiles(p_.tasks[t]);
      std::int64_t covered = 0;
      bool gap = false;
      if (next == shares.size() || shares[next].task != t) {
        if (n > 0) unscheduled(t);
        continue;
      }
      for (; next < shares.size() && shares[next].task == t; ++next) {
        const share& s = shares[next];
        if (s.begin < covered) twice(s, covered);
        if (s.begin > covered && !gap) uncovered(t, covered, s.begin);
        gap = gap || s.begin > covered;
        covered = s.end > covered ? s.end : covered;
      }
      if (covered < n && !gap) uncovered(t, covered, n);
    }
  }
  /// Planners leave out what needs no processor, and nothing requires all tasks.
  void unscheduled(std::uint32_t t) {
    set_task(t);
    at(errc::ark_plan_tiles, warning, p_.tasks[t].offset, "")
        << "no task group runs task " << p_.tasks[t].id;
  }
  void uncovered(std::uint32_t t, std::int64_t begin, std::int64_t end) {
    set_task(t);
    at(errc::ark_plan_tiles, error, p_.tasks[t].offset, "")
        << "no task group covers tiles " << begin << " to " << end << " of task " << p_.tasks[t].id;
  }
  void twice(const share& s, std::int64_t covered) {
    const processor_group& g = p_.processor_groups[s.group];
    const resource_group& r = resource_groups(p_, g)[s.resource];
    set_outer(p_.processor_groups, g, error_index::processor_group);
    path_.clear();
    path_ << "$.ProcessorGroups[" << s.group << "].ResourceGroups[" << s.resource << "].TaskGroups["
          << s.member << ']';
    at(errc::ark_plan_tiles, error, task_groups(p_, r)[s.member].offset, ".TaskRange")
        << "tiles " << s.begin << " to " << (s.end < covered ? s.end : covered)
        << " are already covered by another task group; expected each tile once";
  }

  /// The diagnostics of the model that the operations make.
  void operations() {
    report inner;
    const result<program> made = verify(
        made_,
        {.of_plan = true, .hazards = false, .max_diagnostics = found_.options().max_diagnostics},
        &inner);
    const pool<plan_place> order = plan_order(p_);
    std::uint64_t kept[severity_count] = {};
    for (const diagnostic& d : inner.diagnostics) {
      ++kept[static_cast<std::size_t>(d.severity)];
      constexpr std::string_view nodes = "$.Nodes[";
      std::string_view path = inner.text_of(d.path);
      if (path.substr(0, nodes.size()) != nodes) {  // unreachable: plan_check looked at the root
        found_.add(d.code, d.severity, found_.root(), path) << verbatim{inner.text_of(d.text)};
        continue;
      }
      path.remove_prefix(nodes.size());
      std::size_t node = 0;
      while (!path.empty() && path[0] >= '0' && path[0] <= '9') {
        node = 10 * node + static_cast<std::size_t>(path[0] - '0');
        path.remove_prefix(1);
      }
      if (path.substr(0, 4) != "].Op" || node >= order.size()) continue;  // an edge that we made
      const plan_place from = order[node];
      set_task(from.task);
      path_ << ".Ops[" << from.op << ']';
      at(d.code, d.severity, p_.configs[p_.tasks[from.task].ops.first + from.op].offset,
         path.substr(4))
          << verbatim{inner.text_of(d.text)};
    }
    found_.add_unkept(inner.errors - kept[0], inner.warnings - kept[1], inner.notes - kept[2],
                      made ? tessera::error{} : made.error());
  }

  const plan& p_;
  const model& made_;
  plan_findings& found_;
  tessera::place outer_;  // the task or processor group at hand
  text path_, place_;
  id_index ids_;  // of tasks
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_VERIFY_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// How buffers of two files are identified.
enum class buffer_names : std::uint8_t { ids, first_uses };

/// The operations of a model that aren't virtual, in order, and how they compare.
class op_list {
 public:
  explicit op_list(const model& g) : g_(g), buffers_(g.buffers.data(), g.buffers.size()) {
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) {
        const std::uint32_t index = g.nodes[n].ops.first + i;
        if (g.ops[index].is_virtual || is_virtual(g.ops[index].type)) continue;
        ops_.push_back(index);
        nodes_.push_back(static_cast<std::uint32_t>(n));
      }
    for (std::size_t a = 0; a < g.arguments.size(); ++a)
      arguments_.push_back(static_cast<std::uint32_t>(a));
    for (const std::uint32_t o : ops_)
      sort(arguments_.data() + g.ops[o].arguments.first, g.ops[o].arguments.count,
           [&g](std::uint32_t a, std::uint32_t b) {
             const int order = name(g, g.arguments[a]).compare(name(g, g.arguments[b]));
             return order != 0 ? order < 0 : a < b;
           });
    names_.resize(g.buffers.size());
  }

  [[nodiscard]] const model& of() const noexcept { return g_; }
  [[nodiscard]] std::size_t size() const noexcept { return ops_.size(); }
  [[nodiscard]] const op& operator[](std::size_t i) const noexcept { return g_.ops[ops_[i]]; }
  [[nodiscard]] std::uint32_t node(std::size_t i) const noexcept { return nodes_[i]; }
  /// The buffer that an entry describes: the first entry of its Id.
  [[nodiscard]] std::uint32_t storage(std::uint32_t buffer) const noexcept {
    return buffers_.first_of(buffer);
  }
  /// The common name of a tensor's buffer in both files.
  [[nodiscard]] std::int64_t buffer_name(std::uint32_t tensor) const noexcept {
    return names_[storage(g_.tensors[tensor].buffer)];
  }

  void use(buffer_names how) {
    for (std::size_t b = 0; b < names_.size(); ++b)
      names_[b] = how == buffer_names::ids ? g_.buffers[b].id : -1;
    std::int64_t next = 0;
    if (how == buffer_names::first_uses)
      for (const std::uint32_t o : ops_)
        for (const std::uint32_t t : uses(g_, g_.ops[o])) {
          std::int64_t& name = names_[storage(g_.tensors[t].buffer)];
          if (name < 0) name = next++;
        }
    hashes_.clear();
    for (std::size_t i = 0; i < ops_.size(); ++i) hashes_.push_back(hash(i));
  }

  /// Less than, equal to or greater than 0, as operation `i` of `a` orders before, like or after `j`
  /// of `b`, in some total order.
  [[nodiscard]] static int compare(const op_list& a, std::size_t i, const op_list& b,
                                   std::size_t j) noexcept {
    if (a.hashes_[i] != b.hashes_[j]) return a.hashes_[i] < b.hashes_[j] ? -1 : 1;
    if (const int order = compare_type(a, i, b, j); order != 0) return order;
    if (const int order = compare_arguments(a, i, b, j); order != 0) return order;
    const op &p = a[i], &q = b[j];
    if (const int order = three(p.reads, q.reads); order != 0) return order;
    if (const int order = three(p.writes, q.writes); order != 0) return order;
    if (const int order = three(p.results, q.results); order != 0) return order;
    const view<std::uint32_t> left = uses(a.g_, p), right = uses(b.g_, q);
    for (std::size_t u = 0; u < left.size(); ++u)
      if (const int order = compare_tensors(a, left[u], b, right[u]); order != 0) return order;
    return 0;
  }
  [[nodiscard]] static int compare_type(const op_list& a, std::size_t i, const op_list& b,
                                        std::size_t j) noexcept {
    return type_name(a.g_, a[i]).compare(type_name(b.g_, b[j]));
  }
  [[nodiscard]] static int compare_arguments(const op_list& a, std::size_t i, const op_list& b,
                                             std::size_t j) noexcept {
    const range left = a[i].arguments, right = b[j].arguments;
    if (const int order = three(left.count, right.count); order != 0) return order;
    for (std::uint32_t k = 0; k < left.count; ++k) {
      const argument& p = a.g_.arguments[a.arguments_[left.first + k]];
      const argument& q = b.g_.arguments[b.arguments_[right.first + k]];
      if (const int order = name(a.g_, p).compare(name(b.g_, q)); order != 0) return order;
      if (const int order = three(p.type, q.type); order != 0) return order;
      if (const int order = compare_values(a, p, b, q); order != 0) return order;
    }
    return 0;
  }
  [[nodiscard]] static int compare_tensors(const op_list& a, std::uint32_t i, const op_list& b,
                                           std::uint32_t j) noexcept {
    const tensor &p = a.g_.tensors[i], &q = b.g_.tensors[j];
    if (const int order = three(p.type, q.type); order != 0) return order;
    const layout &l = a.g_.layouts[p.layout], &m = b.g_.layouts[q.layout];
    if (const int order = three(l.rank, m.rank); order != 0) return order;
    for (std::size_t d = 0; d < max_rank; ++d) {
      if (const int order = three(l.shape[d], m.shape[d]); order != 0) return order;
      if (const int order = three(l.strides[d], m.strides[d]); order != 0) return order;
      if (const int order = three(l.offsets[d], m.offsets[d]); order != 0) return order;
      if (const int order = three(l.padded_shape[d], m.padded_shape[d]); order != 0) return order;
    }
    if (const int order = three(a.buffer_name(i), b.buffer_name(j)); order != 0) return order;
    const buffer &s = a.g_.buffers[p.buffer], &t = b.g_.buffers[q.buffer];
    if (const int order = three(owner(a.g_, s), owner(b.g_, t)); order != 0) return order;
    if (const int order = compare_tags(a.g_, s.send_tags, b.g_, t.send_tags); order != 0)
      return order;
    return compare_tags(a.g_, s.recv_tags, b.g_, t.recv_tags);
  }

 private:
  template <class T>
  [[nodiscard]] static int three(T a, T b) noexcept {
    return a < b ? -1 : b < a ? 1 : 0;
  }
  [[nodiscard]] static std::int32_t owner(const model& g, const buffer& b) noexcept {
    return is_local(g, b) ? -1 : b.rank;
  }
  [[nodiscard]] static int compare_tags(const model& g, range a, const model& h, range b) noexcept {
    if (const int order = three(a.count, b.count); order != 0) return order;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      const tag &p = g.tags[a.first + i], &q = h.tags[b.first + i];
      if (const int order = three(p.rank, q.rank); order != 0) return order;
      if (const int order = three(p.number, q.number); order != 0) return order;
    }
    return 0;
  }
  /// Of two arguments of one name and TYPE.
  [[nodiscard]] static int compare_values(const op_list& a, const argument& p, const op_list& b,
                                          const argument& q) noexcept {
    switch (p.type) {
      case argument_type::int32:
      case argument_type::int64:
      case argument_type::uint32:
      case argument_type::uint64:
      case argument_type::boolean: return three(p.integer, q.integer);
      case argument_type::float32:
        return three(std::bit_cast<std::uint32_t>(p.real), std::bit_cast<std::uint32_t>(q.real));
      case argument_type::dims:
      case argument_type::offset: {
        const view<std::int64_t> left = integers(a.g_, p.integers);
        const view<std::int64_t> right = integers(b.g_, q.integers);
        if (left.size() != right.size()) return three(left.size(), right.size());
        for (std::size_t i = 0; i < left.size(); ++i)
          if (left[i] != right[i]) return three(left[i], right[i]);
        return 0;
      }
      case argument_type::tensor:
        return compare_tensors(a, static_cast<std::uint32_t>(p.integer), b,
                               static_cast<std::uint32_t>(q.integer));
      case argument_type::other: break;  // unreachable: verified models have none
    }
    return 0;  // unreachable: all types are above
  }
  /// Of what distinguishes most operations.
  [[nodiscard]] std::uint64_t hash(std::size_t i) const noexcept {
    std::uint64_t h = static_cast<std::uint64_t>((*this)[i].type);
    const auto mix = [&h](std::uint64_t v) { h = std::rotl(h ^ v, 23) * 0x9e3779b97f4a7c15u; };
    for (const std::uint32_t t : uses(g_, (*this)[i])) {
      mix(static_cast<std::uint64_t>(buffer_name(t)));
      const layout& l = layout_of(g_, t);
      for (std::size_t d = 0; d < max_rank; ++d) {
        mix(static_cast<std::uint64_t>(l.shape[d]));
        mix(static_cast<std::uint64_t>(l.offsets[d]));
      }
    }
    return h;
  }

  const ark::model& g_;
  id_index buffers_;
  pool<std::uint32_t> ops_, nodes_;
  pool<std::uint32_t> arguments_;  // indices of arguments, those of each operation by name
  pool<std::int64_t> names_;       // of the first entry of each buffer
  pool<std::uint64_t> hashes_;
};

/// Compares the operations of a plan with those of its model.
class plan_matcher {
 public:
  plan_matcher(const plan& p, const model& made, const model& model, plan_findings& found)
      : p_(p), order_(plan_order(p)), found_(found), here_(made), there_(model) {}

  void all() {
    if (p_.parts.rank != there_.of().rank)
      found_.add(errc::ark_plan_model, severity::error, found_.root(), "$.Rank")
          << "Rank is " << p_.parts.rank << "; the model has " << there_.of().rank;
    if (p_.parts.world_size != there_.of().world_size)
      found_.add(errc::ark_plan_model, severity::error, found_.root(), "$.WorldSize")
          << "WorldSize is " << p_.parts.world_size << "; the model has " << there_.of().world_size;
    exact(buffer_names::ids);
    if (matched_ < there_.size()) {
      const std::size_t by_ids = matched_;
      exact(buffer_names::first_uses);
      if (matched_ <= by_ids) exact(buffer_names::ids);
    }
    pair(true);
    pair(false);
    for (std::size_t i = 0; i < there_.size(); ++i)
      if (to_plan_[i] == none) missing(i);
    for (std::size_t j = 0; j < here_.size(); ++j)
      if (to_model_[j] == none)
        at(j, severity::warning, "")
            << "the model has no " << excerpt{type_name(here_.of(), here_[j])}
            << " with these tensors and Args";
      else if (!is_exact_[j])
        changed(j, to_model_[j]);
    order();
  }

 private:
  /// Matches operations that are alike, the first ones with the first ones.
  void exact(buffer_names how) {
    here_.use(how);
    there_.use(how);
    to_plan_.clear(), to_model_.clear(), is_exact_.clear();
    for (std::size_t i = 0; i < there_.size(); ++i) to_plan_.push_back(none);
    for (std::size_t j = 0; j < here_.size(); ++j) to_model_.push_back(none);
    is_exact_.resize(here_.size());
    const pool<std::uint32_t> left = sorted(there_), right = sorted(here_);
    matched_ = 0;
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
      const int order = op_list::compare(there_, left[i], here_, right[j]);
      if (order == 0) {
        to_plan_[left[i]] = right[j];
        to_model_[right[j]] = left[i];
        is_exact_[right[j]] = true;
        ++matched_, ++i, ++j;
      } else {
        ++(order < 0 ? i : j);
      }
    }
  }
  [[nodiscard]] static pool<std::uint32_t> sorted(const op_list& l) {
    pool<std::uint32_t> out;
    for (std::size_t i = 0; i < l.size(); ++i) out.push_back(static_cast<std::uint32_t>(i));
    sort(out.data(), out.size(), [&l](std::uint32_t a, std::uint32_t b) {
      const int order = op_list::compare(l, a, l, b);
      return order != 0 ? order < 0 : a < b;
    });
    return out;
  }

  /// The key for pairing unmatched operations.
  struct purpose {
    std::int64_t buffer;  // that it writes or, when it writes none, reads
    bool writes;
    std::uint32_t type;  // 0 when any will do
    std::uint32_t index;
    [[nodiscard]] static int compare(const purpose& a, const purpose& b) noexcept {
      if (a.buffer != b.buffer) return a.buffer < b.buffer ? -1 : 1;
      if (a.writes != b.writes) return a.writes ? -1 : 1;
      return a.type != b.type ? (a.type < b.type ? -1 : 1) : 0;
    }
  };
  /// Pairs unmatched operations by buffer and Type, or only by buffer.
  void pair(bool by_type) {
    const pool<purpose> left = purposes(there_, to_plan_, by_type);
    const pool<purpose> right = purposes(here_, to_model_, by_type);
    for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
      const int order = purpose::compare(left[i], right[j]);
      if (order == 0) {
        to_plan_[left[i].index] = right[j].index;
        to_model_[right[j].index] = left[i].index;
        ++i, ++j;
      } else {
        ++(order < 0 ? i : j);
      }
    }
  }
  [[nodiscard]] static pool<purpose> purposes(const op_list& l, const pool<std::uint32_t>& matched,
                                              bool by_type) {
    pool<purpose> out;
    for (std::size_t i = 0; i < l.size(); ++i) {
      if (matched[i] != none) continue;
      const op& o = l[i];
      const view<std::uint32_t> list = o.writes != 0 ? writes(l.of(), o) : reads(l.of(), o);
      if (list.empty() || (o.writes == 0 && !by_type)) continue;
      out.push_back({l.buffer_name(list[0]), o.writes != 0,
                     by_type ? 1 + static_cast<std::uint32_t>(o.type) : 0,
                     static_cast<std::uint32_t>(i)});
    }
    sort(out.data(), out.size(), [](const purpose& a, const purpose& b) {
      const int order = purpose::compare(a, b);
      return order != 0 ? order < 0 : a.index < b.index;
    });
    return out;
  }

  void missing(std::size_t i) {
    const severity how = there_[i].type == op_type::noop ? severity::warning : severity::error;
    found_.add(errc::ark_plan_model, how, found_.root(), "$.TaskInfos")
        << "the plan lacks " << shown(i) << " of the model";
  }
  void changed(std::size_t j, std::size_t i) {
    if (op_list::compare_type(there_, i, here_, j) != 0) {
      at(j, severity::warning, ".Type") << "the model has " << shown(i) << " here";
      return;
    }
    if (op_list::compare_arguments(there_, i, here_, j) != 0) {
      at(j, severity::warning, ".Args")
          << "Args differ from those of " << shown(i) << " in the model";
      return;
    }
    const op &p = there_[i], &q = here_[j];
    const struct {
      std::string_view name;
      view<std::uint32_t> model, plan;
    } lists[] = {{".ReadTensors", reads(there_.of(), p), reads(here_.of(), q)},
                 {".WriteTensors", writes(there_.of(), p), writes(here_.of(), q)},
                 {".ResultTensors", results(there_.of(), p), results(here_.of(), q)}};
    text tail;
    for (const auto& l : lists) {
      tail << l.name;
      std::size_t u = 0;
      while (u < l.model.size() && u < l.plan.size() &&
             op_list::compare_tensors(there_, l.model[u], here_, l.plan[u]) == 0)
        ++u;
      if (u < l.model.size() && u < l.plan.size()) {
        tail << '[' << u << ']';
        at(j, severity::warning, tail)
            << "the tensor differs from that of " << shown(i) << " in the model";
        return;
      }
      if (l.model.size() != l.plan.size()) {
        at(j, severity::warning, tail)
            << l.plan.size() << " tensors; " << shown(i) << " of the model has " << l.model.size();
        return;
      }
      tail.clear();
    }
  }

  /// Operations that use the same memory come in the model's order.
  void order() {
    struct access {
      std::uint32_t op = none, tensor = 0;  // in the plan: the last operation so far
    };
    pool<access> written, used;
    written.resize(here_.of().buffers.size());
    used.resize(written.size());
    for (std::size_t i = 0; i < there_.size(); ++i) {
      const std::uint32_t j = to_plan_[i];
      if (j == none) continue;
      const op& o = here_[j];
      bool reported = false;
      for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
        const std::uint32_t t = here_.of().uses[o.first_use + u];
        const std::uint32_t b = here_.storage(here_.of().tensors[t].buffer);
        const access before = u < o.reads ? written[b] : used[b];
        if (!reported && before.op != none && before.op > j && overlap(before.tensor, t)) {
          reported = true;
          at(j, severity::error, "") << shown(to_model_[before.op])
                                     << " uses the same memory and precedes this operation in the "
                                        "model; expected the same order";
        }
      }
      for (std::uint32_t u = 0; u < o.reads + o.writes; ++u) {
        const std::uint32_t t = here_.of().uses[o.first_use + u];
        const std::uint32_t b = here_.storage(here_.of().tensors[t].buffer);
        if (used[b].op == none || used[b].op < j) used[b] = {j, t};
        if (u >= o.reads && (written[b].op == none || written[b].op < j)) written[b] = {j, t};
      }
    }
  }
  /// Whether two tensors of one buffer may share bytes.
  [[nodiscard]] bool overlap(std::uint32_t a, std::uint32_t b) const noexcept {
    const model& g = here_.of();
    const layout &l = layout_of(g, a), &m = layout_of(g, b);
    if (l.rank != m.rank || info(g.tensors[a].type).bytes != info(g.tensors[b].type).bytes)
      return true;
    for (std::size_t d = 1; d < max_rank; ++d)
      if (l.strides[d] != m.strides[d]) return true;
    for (std::size_t d = 0; d < max_rank; ++d)
      if (apart(l.offsets[d], l.padded_shape[d], m.offsets[d]) ||
          apart(m.offsets[d], m.padded_shape[d], l.offsets[d]))
        return false;
    return true;
  }
  /// Whether [first, first + count) ends before `second`.
  [[nodiscard]] static bool apart(std::int64_t first, std::int64_t count,
                                  std::int64_t second) noexcept {
    return first >= 0 && count >= 0 && second >= first && second - first >= count;
  }

  /// An operation of the model: Matmul "matmul_1".
  [[nodiscard]] verbatim shown(std::size_t i) {
    words_.clear();
    if (there_[i].type == op_type::unknown)
      words_ << quoted{type_name(there_.of(), there_[i])};
    else
      words_ << type_name(there_.of(), there_[i]);
    words_ << ' ' << quoted{name(there_.of(), there_[i])};
    return {words_};
  }
  /// At an operation of the plan.
  writer at(std::size_t j, severity how, std::string_view tail) {
    const plan_place where = order_[here_.node(j)];
    path_.clear();
    path_ << "$.TaskInfos[" << where.task << "].Ops[" << where.op << ']' << tail;
    const tessera::error e = error_in(p_.tasks, p_.tasks[where.task], errc::ok, error_index::task);
    tessera::place place{.offset = e.offset, .index = e.index};
    if (e.index == error_index::none)
      place.offset = p_.configs[p_.tasks[where.task].ops.first + where.op].offset;
    return found_.add(errc::ark_plan_model, how, place, path_);
  }

  const plan& p_;
  pool<plan_place> order_;
  plan_findings& found_;
  op_list here_, there_;                    // of the plan, of the model
  pool<std::uint32_t> to_plan_, to_model_;  // the operation that each one is matched with, or none
  pool<bool> is_exact_;                     // of the plan's
  std::size_t matched_ = 0;
  text path_, words_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_MATCH_HPP

// ---- tessera/ark/detail/plan_read.hpp
//
// Reads plans. Operations are graph_reader's.

#ifndef TESSERA_ARK_DETAIL_PLAN_READ_HPP
#define TESSERA_ARK_DETAIL_PLAN_READ_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Reads a plan. Operations are graph_reader's.
class plan_reader {
 public:
  plan_reader(plan& p, std::string_view source, const limits& limit)
      : plan_(p), ops_(p.parts, limit), source_(source.data()), limit_(limit) {}

  void all(json::reader& in) {
    const std::uint64_t at = in.offset();
    if (!object(in)) return;
    enum { rank, world, processors, warps, tasks, groups, count };
    bool seen[count] = {};
    std::uint64_t rank_at = at;
    list unknown{plan_.parts.own_members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Rank") {
        seen[rank] = true;
        rank_at = in.offset();
        plan_.parts.rank = graph_reader::small_integer(in, errc::ark_s03_world);
      } else if (key == "WorldSize") {
        seen[world] = true;
        plan_.parts.world_size = graph_reader::small_integer(in, errc::ark_s03_world);
      } else if (key == "Architecture") {
        plan_.place = seen[warps] ? architecture_place::after_num_warps
                                  : architecture_place::after_world_size;
        if (!graph_reader::expect(in, json::kind::string, errc::ark_plan_member)) return;
        plan_.architecture = names().characters(in.string());
      } else if (key == "NumProcessors") {
        seen[processors] = true;
        plan_.num_processors = integer(in);
      } else if (key == "NumWarpsPerProcessor") {
        seen[warps] = true;
        plan_.num_warps_per_processor = integer(in);
      } else if (key == "TaskInfos") {
        seen[tasks] = true;
        if (list_or_null(in, plan_.null_tasks))
          for (in.array(); in.element();) task(in);
        ops_.too_many(in, plan_.tasks.size());
      } else if (key == "ProcessorGroups") {
        seen[groups] = true;
        if (list_or_null(in, plan_.null_groups))
          for (in.array(); in.element();) processor_group(in);
        ops_.too_many(in, plan_.processor_groups.size());
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    for (const bool s : seen)
      if (!s) return in.fail(errc::ark_plan_member, at);
    if (plan_.parts.rank >= plan_.parts.world_size) in.fail(errc::ark_s03_world, rank_at);
    plan_.parts.form = ops_.plan_form();
    ops_.finish(in);
  }

 private:
  using list = graph_reader::member_list;

  void task(json::reader& in) {
    plan_task t;
    t.offset = in.offset();
    if (!object(in)) return;
    bool id = false, warps = false, sram = false, ops = false;
    list unknown{t.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "Id") {
        id = true;
        t.id = integer(in);
      } else if (key == "NumWarps") {
        warps = true;
        t.num_warps = integer(in);
      } else if (key == "SramBytes") {
        sram = true;
        t.sram_bytes = integer(in);
      } else if (key == "Ops") {
        ops = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        t.ops.first = names().index(plan_.parts.ops.size());
        for (in.array(); in.element();) operation(in);
        t.ops.count = names().index(plan_.parts.ops.size() - t.ops.first);
        ops_.too_many(in, t.ops.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && warps && sram && ops)) return in.fail(errc::ark_plan_member, t.offset);
    plan_.tasks.push_back(t);
  }

  void operation(json::reader& in) {
    plan_config c;
    c.offset = in.offset();
    std::string_view text;
    ops_.operation(in, &text);
    if (in.failed()) return;
    if (text.empty()) return in.fail(errc::ark_plan_config, c.offset);
    if (text[0] != '{')
      return in.fail(errc::ark_plan_config, static_cast<std::uint64_t>(text.data() - source_));
    json::reader again(text, limit_);
    c.text = ops_.compact(again);
    config(text, c);
    plan_.configs.push_back(c);
  }
  /// The known members of a Config.
  void config(std::string_view text, plan_config& c) {
    json::reader in(text, limit_);
    std::string_view key;
    for (in.object(); in.key(key);) {
      const std::size_t known = find_text(config_keys, key);
      json::reader value(in.skip(), limit_);
      switch (known) {
        case 0: number(value, c.num_warps); break;
        case 1: number(value, c.sram_bytes); break;
        case 2: number(value, c.num_tasks); break;
        case 3: number(value, c.granularity); break;
        case 4: c.tile = numbers(value); break;
        case 5: c.tile_shape_mnk = numbers(value); break;
        case 6: c.tile_pad_mnk = numbers(value); break;
        case 7: words(value, c.impl_type); break;
        case 8: words(value, c.channel_type); break;
        case 9: words(value, c.packet_type); break;
        case 10: truth(value, c.signal); break;
        case 11: truth(value, c.wait); break;
        default: break;
      }
    }
  }
  static constexpr std::string_view config_keys[] = {
      "NumWarps",     "SramBytes",  "NumTasks",        "Granularity", "Tile",
      "TileShapeMNK", "TilePadMNK", "ImplType",        "ChannelType", "PacketType",
      "Signal",       "Wait",       std::string_view()};
  static void number(json::reader& in, std::int64_t& to) {
    const std::int64_t v = in.integer<std::int64_t>(0, INT64_MAX);
    if (!in.failed()) to = v;
  }
  /// One to four numbers of at least 1.
  range numbers(json::reader& in) {
    std::int64_t values[max_rank] = {};
    std::size_t count = 0;
    for (in.array(); in.element(); ++count) {
      const std::int64_t v = in.integer<std::int64_t>(1, INT64_MAX);
      if (count < max_rank) values[count] = v;
    }
    if (in.failed() || count == 0 || count > max_rank) return {};
    const range out{names().index(plan_.parts.integers.size()), static_cast<std::uint32_t>(count)};
    plan_.parts.integers.append(values, count);
    return out;
  }
  void words(json::reader& in, string& to) {
    if (in.peek() == json::kind::string) to = names().characters(in.string());
  }
  static void truth(json::reader& in, flag& to) {
    if (in.peek() == json::kind::boolean) to = in.boolean() ? flag::yes : flag::no;
  }

  void processor_group(json::reader& in) {
    ark::processor_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool processors = false, groups = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "ProcessorRange") {
        processors = true;
        g.processors = bounds(in);
      } else if (key == "ResourceGroups") {
        groups = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        g.resource_groups.first = names().index(plan_.resource_groups.size());
        for (in.array(); in.element();) resource_group(in);
        g.resource_groups.count =
            names().index(plan_.resource_groups.size() - g.resource_groups.first);
        ops_.too_many(in, g.resource_groups.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(processors && groups)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.processor_groups.push_back(g);
  }

  void resource_group(json::reader& in) {
    ark::resource_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool processors = false, warps = false, sram = false, groups = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "ProcessorRange") {
        processors = true;
        g.processors = bounds(in);
      } else if (key == "WarpRange") {
        warps = true;
        g.warps = bounds(in);
      } else if (key == "SramRange") {
        sram = true;
        g.sram = bounds(in);
      } else if (key == "TaskGroups") {
        groups = true;
        if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_member)) return;
        g.task_groups.first = names().index(plan_.task_groups.size());
        for (in.array(); in.element();) task_group(in);
        g.task_groups.count = names().index(plan_.task_groups.size() - g.task_groups.first);
        ops_.too_many(in, g.task_groups.count);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(processors && warps && sram && groups)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.resource_groups.push_back(g);
  }

  void task_group(json::reader& in) {
    ark::task_group g;
    g.offset = in.offset();
    if (!object(in)) return;
    bool id = false, tasks = false, granularity = false;
    list unknown{g.members};
    std::string_view key;
    for (in.object(); in.key(key);) {
      if (key == "TaskId") {
        id = true;
        g.task_id = integer(in);
      } else if (key == "TaskRange") {
        tasks = true;
        g.tasks = bounds(in);
      } else if (key == "Granularity") {
        granularity = true;
        g.granularity = integer(in);
      } else {
        ops_.member(in, key, unknown);
      }
    }
    if (in.failed()) return;
    if (!(id && tasks && granularity)) return in.fail(errc::ark_plan_member, g.offset);
    plan_.task_groups.push_back(g);
  }

  /// [begin, end] or [begin, end, step].
  plan_range bounds(json::reader& in) {
    plan_range out;
    std::int64_t values[4] = {0, 0, 1, 0};  // the last one for what is too much
    std::size_t count = 0;
    const std::uint64_t at = in.offset();
    if (!graph_reader::expect(in, json::kind::array, errc::ark_plan_range)) return out;
    for (in.array(); in.element(); ++count) {
      values[count < 3 ? count : 3] = graph_reader::integer(in, errc::ark_plan_range);
    }
    if (!in.failed() && (count < 2 || count > 3)) in.fail(errc::ark_plan_range, at);
    out.begin = values[0];
    out.end = values[1];
    out.step = values[2];
    out.has_step = count == 3;
    return out;
  }
  static bool object(json::reader& in) {
    return graph_reader::expect(in, json::kind::object, errc::ark_plan_member);
  }
  static std::int64_t integer(json::reader& in) {
    return graph_reader::integer(in, errc::ark_plan_member);
  }
  /// Whether an array comes next; null is read and noted.
  static bool list_or_null(json::reader& in, bool& null) {
    if (in.peek() == json::kind::null) {
      in.null();
      return null = true, false;
    }
    return graph_reader::expect(in, json::kind::array, errc::ark_plan_member);
  }
  interner& names() noexcept { return ops_.names(); }

  ark::plan& plan_;
  graph_reader ops_;
  const char* source_;
  limits limit_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_READ_HPP

// ---- tessera/ark/detail/plan_write.hpp
//
// Writes and prints plans.

#ifndef TESSERA_ARK_DETAIL_PLAN_WRITE_HPP
#define TESSERA_ARK_DETAIL_PLAN_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

/// Appends a plan that has passed check(). Operations are graph_writer's.
class plan_writer {
 public:
  plan_writer(text& out, const plan& p, bool pretty)
      : out_(out), p_(p), pretty_(pretty), ops_(out, p.parts, p.parts.form, pretty) {
    if (pretty) ops_.levels(levels);
  }

  void all() {
    open('{');
    member("Rank", p_.parts.rank);
    member("WorldSize", p_.parts.world_size);
    if (p_.place == architecture_place::after_world_size) architecture();
    member("NumProcessors", p_.num_processors);
    member("NumWarpsPerProcessor", p_.num_warps_per_processor);
    if (p_.place == architecture_place::after_num_warps) architecture();
    if (list("TaskInfos", p_.null_tasks))
      for (const plan_task& t : p_.tasks) task(t);
    end_list(p_.null_tasks);
    if (list("ProcessorGroups", p_.null_groups))
      for (const processor_group& g : p_.processor_groups) group(g);
    end_list(p_.null_groups);
    members(p_.parts.own_members);
    close('}');
    if (pretty_) out_ << '\n';
  }
  [[nodiscard]] errc failed() const noexcept { return ops_.failed(); }

 private:
  static constexpr int levels = 5;

  void task(const plan_task& t) {
    separate();
    open('{');
    member("Id", t.id);
    member("NumWarps", t.num_warps);
    member("SramBytes", t.sram_bytes);
    list("Ops");
    for (std::uint32_t i = t.ops.first; i < t.ops.first + t.ops.count; ++i) {
      separate();
      ops_.done(ops_.operation(ops_.begin(), p_.parts.ops[i], depth_,
                               text_of(p_.parts, p_.configs[i].text)));
      empty_ = false;
    }
    close(']');
    members(t.members);
    close('}');
  }
  void group(const processor_group& g) {
    separate();
    open('{');
    member("ProcessorRange", g.processors);
    list("ResourceGroups");
    for (const resource_group& r : resource_groups(p_, g)) {
      separate();
      open('{');
      member("ProcessorRange", r.processors);
      member("WarpRange", r.warps);
      member("SramRange", r.sram);
      list("TaskGroups");
      for (const task_group& t : task_groups(p_, r)) {
        separate();
        open('{');
        member("TaskId", t.task_id);
        member("TaskRange", t.tasks);
        member("Granularity", t.granularity);
        members(t.members);
        close('}');
      }
      close(']');
      members(r.members);
      close('}');
    }
    close(']');
    members(g.members);
    close('}');
  }

  // depth_ is how many containers are open; the innermost one is at depth_ - 1.
  [[nodiscard]] bool spread() const noexcept { return pretty_ && depth_ <= unsigned{levels} + 1; }
  void new_line() {
    out_ << '\n';
    for (unsigned i = 0; i < depth_; ++i) out_ << "  ";
  }
  void open(char bracket) {
    out_ << bracket;
    ++depth_;
    empty_ = true;
  }
  void close(char bracket) {
    const bool lines = spread() && !empty_;
    --depth_;
    if (lines) new_line();
    out_ << bracket;
    empty_ = false;
  }
  /// In front of a member or element.
  void separate() {
    if (!empty_) out_ << ',';
    if (spread()) new_line();
    empty_ = false;
  }
  void key(std::string_view name) {
    separate();
    json::append_quoted(out_, name);
    out_ << (spread() ? std::string_view(": ") : ":");
  }
  void member(std::string_view name, std::int64_t value) {
    key(name);
    out_ << value;
  }
  void member(std::string_view name, const plan_range& r) {
    key(name);
    out_ << '[' << r.begin << ',' << r.end;
    if (r.has_step) out_ << ',' << r.step;
    out_ << ']';
  }
  void architecture() {
    key("Architecture");
    json::append_quoted(out_, text_of(p_.parts, p_.architecture));
  }
  bool list(std::string_view name, bool null = false) {
    key(name);
    if (null)
      out_ << "null";
    else
      open('[');
    return !null;
  }
  void end_list(bool null) {
    if (!null) close(']');
  }
  void members(std::uint32_t first) {
    for (std::uint32_t i = first; i != none; i = p_.parts.members[i].next) {
      key(text_of(p_.parts, p_.parts.members[i].key));
      ops_.value(text_of(p_.parts, p_.parts.members[i].value), depth_);
    }
  }

  text& out_;
  const ark::plan& p_;
  bool pretty_;
  graph_writer ops_;
  unsigned depth_ = 0;
  bool empty_ = true;  // the innermost container has no elements yet
};

/// A plan for people.
class plan_printer {
 public:
  plan_printer(text& out, const plan& p) noexcept : out_(out), p_(p) {}

  void all() {
    out_ << "plan of rank " << p_.parts.rank << " of " << p_.parts.world_size;
    if (p_.place != architecture_place::absent) {
      out_ << ", ";
      plain(text_of(p_.parts, p_.architecture));
    }
    out_ << ", ";
    count(p_.num_processors, "processor");
    out_ << " of ";
    count(p_.num_warps_per_processor, "warp");
    out_ << ", ";
    count(static_cast<std::int64_t>(p_.tasks.size()), "task");
    out_ << '\n';
    for (const plan_task& t : p_.tasks) task(t);
    for (const processor_group& g : p_.processor_groups) group(g);
  }

 private:
  void task(const plan_task& t) {
    out_ << "task " << t.id << ", ";
    count(t.num_warps, "warp");
    out_ << ", ";
    count(t.sram_bytes, "byte");
    for (std::uint32_t i = t.ops.first; i < t.ops.first + t.ops.count; ++i) {
      const op& o = p_.parts.ops[i];
      const plan_config& c = p_.configs[i];
      out_ << (i == t.ops.first ? ": " : "; ");
      plain(type_name(p_.parts, o));
      out_ << ' ';
      json::append_quoted(out_, name(p_.parts, o));
      for (const std::uint32_t u : reads(p_.parts, o)) tensor(u);
      // The results name the outputs, if there are any.
      out_ << " ->";
      for (const std::uint32_t u : o.results != 0 ? results(p_.parts, o) : writes(p_.parts, o))
        tensor(u);
      if (c.num_tasks >= 0) {
        out_ << ", ";
        count(c.num_tasks, "tile");
        const range tile = c.tile_shape_mnk.count != 0 ? c.tile_shape_mnk : c.tile;
        for (std::uint32_t d = 0; d < tile.count; ++d)
          out_ << (d == 0 ? " of " : "x") << p_.parts.integers[tile.first + d];
      }
      for (const string s : {c.impl_type, c.channel_type, c.packet_type}) {
        if (s.size == 0) continue;
        out_ << ", ";
        plain(text_of(p_.parts, s));
      }
    }
    out_ << '\n';
  }
  void group(const processor_group& g) {
    out_ << "group on processors ";
    bounds(g.processors);
    out_ << '\n';
    for (const resource_group& r : resource_groups(p_, g)) {
      out_ << "  ";
      if (r.processors.begin != g.processors.begin || r.processors.end != g.processors.end) {
        out_ << "processors ";
        bounds(r.processors);
        out_ << ", ";
      }
      out_ << "warps ";
      bounds(r.warps);
      out_ << ", memory ";
      bounds(r.sram);
      out_ << ':';
      bool first = true;
      for (const task_group& t : task_groups(p_, r)) {
        out_ << (first ? " task " : ", task ") << t.task_id << " tiles ";
        bounds(t.tasks);
        if (t.granularity != 1) out_ << " by " << t.granularity;
        first = false;
      }
      out_ << '\n';
    }
  }
  void tensor(std::uint32_t index) {
    const ark::tensor& t = p_.parts.tensors[index];
    const layout& l = p_.parts.layouts[t.layout];
    out_ << ' ' << t.id << ':' << info(t.type).name << '[';
    for (std::uint32_t d = 0; d < l.rank; ++d) out_ << (d == 0 ? "" : ",") << l.shape[d];
    out_ << ']';
  }
  void bounds(const plan_range& r) {
    out_ << r.begin << ".." << r.end;
    if (r.has_step) out_ << " step " << r.step;
  }
  void count(std::int64_t n, std::string_view what) {
    out_ << n << ' ' << what << (n == 1 ? "" : "s");
  }
  /// A text of the file, in quotes unless it is an identifier.
  void plain(std::string_view s) {
    bool letters = !s.empty();
    for (const char c : s)
      letters = letters && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '-');
    if (letters)
      out_ << s;
    else
      json::append_quoted(out_, s);
  }

  text& out_;
  const ark::plan& p_;
};

}  // namespace ark::detail
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_WRITE_HPP

namespace tessera::inline TESSERA_ABI {
namespace ark {

TESSERA_INLINE std::size_t plan::memory() const noexcept {
  return parts.memory() + configs.size() * sizeof(plan_config) + tasks.size() * sizeof(plan_task) +
         processor_groups.size() * sizeof(processor_group) +
         resource_groups.size() * sizeof(resource_group) + task_groups.size() * sizeof(task_group);
}

TESSERA_INLINE result<plan> read_plan(std::string_view source, const read_options& options) {
  plan p;
  json::reader in(source, options.limit);
  detail::plan_reader(p, source, options.limit).all(in);
  if (const error e = in.finish(); e.code != errc::ok) return e;
  return p;
}

TESSERA_INLINE error check(const plan& p) { return detail::plan_check(p).all(); }

TESSERA_INLINE result<text> write_plan(const plan& p, const write_options& options) {
  if (const error e = check(p); e.code != errc::ok) return e;
  text out;
  detail::plan_writer writer(out, p, options.pretty);
  writer.all();
  errc code = writer.failed();
  if (code == errc::ok && !p.parts.members.empty()) {
    // Kept members may repeat a key, in a plan that was filled by hand.
    json::reader in(out, detail::no_limits);
    (void)in.skip();
    code = in.finish().code;
  }
  if (code != errc::ok) return error{code, 0};
  return out;
}

TESSERA_INLINE text print(const plan& p, const print_options&) {
  text out;
  detail::plan_printer(out, p).all();
  return out;
}

TESSERA_INLINE model plan_model(const plan& p) {
  model g = p.parts;
  g.own_members = none;
  g.form =
      p.parts.form == dialect::d2x || p.parts.form == dialect::d3x ? dialect::d3x : dialect::d3;
  for (layout& l : g.layouts) l.pads = none;
  g.ops.clear();
  g.nodes.clear();
  for (const detail::plan_place at : detail::plan_order(p)) {
    const std::uint32_t from = p.tasks[at.task].ops.first + at.op;
    node n;
    n.id = static_cast<std::int64_t>(g.nodes.size());
    n.offset = p.configs[from].offset;
    n.ops = {static_cast<std::uint32_t>(g.nodes.size()), 1};
    g.ops.push_back(p.parts.ops[from]);
    g.nodes.push_back(n);
  }
  detail::add_edges(g);
  return g;
}

TESSERA_INLINE error verify_plan(const plan& p, const plan_options& options, report* found) {
  detail::plan_findings findings(options, found);
  if (const error e = check(p); e.code != errc::ok) {
    findings.add(e.code, severity::error, {.offset = e.offset, .index = e.index}, "$");
  } else {
    const model made = plan_model(p);
    detail::plan_lint(p, made, findings).all();
    if (options.model != nullptr)
      detail::plan_matcher(p, made, options.model->model(), findings).all();
  }
  return findings.finish();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_PLAN_HPP

// ---- tessera/ark/detail/ranks.hpp
//
// The bodies of ark/ranks.hpp.

#ifndef TESSERA_ARK_DETAIL_RANKS_HPP
#define TESSERA_ARK_DETAIL_RANKS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>


namespace tessera::inline TESSERA_ABI {
namespace ark::detail {

class ranks_checker {
 public:
  ranks_checker(view<const program*> given, view<const model*> models, const ranks_options& options,
                report* found)
      : given_(given), found_(models, options.sources, options.max_diagnostics, found) {}

  result<world> run() {
    // The rules below index ranks by number, which takes a file for each.
    if (ranks()) {
      index();
      owners();
      partners();
      traffic();
      counts();
      syncs();
      // Messages that are never sent, which were reported above, keep ranks waiting too.
      if (!found_.failed()) deadlock();
    }
    found_.finish();
    if (found_.failed()) return found_.error();
    return static_cast<world&&>(world_);
  }

 private:
  struct local_tag {
    std::uint32_t holder, remote;  // ranks
    std::int32_t number;
    std::uint32_t storage;
  };
  struct use_place {
    std::uint32_t node = none, op = 0, use = 0;
  };
  /// A message that an operation sends or receives.
  struct event {
    channel on;
    std::uint32_t rank, node, op;  // op: in model::ops
    bool send;
  };

  [[nodiscard]] const model& graph_of(std::uint32_t rank) const noexcept {
    return world_.rank(rank).model();
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(world_.size());
  }
  writer add(std::uint32_t rank, errc code, severity s, location at) {
    at.file = files_[rank];
    return found_.add(code, s, at);
  }
  [[nodiscard]] static location place_of(const model& g, const event& e) noexcept {
    return at_op(e.node, e.op - g.nodes[e.node].ops.first);
  }

  /// M01, and the world's programs.
  [[nodiscard]] bool ranks() {
    if (given_.empty()) {
      found_.add(errc::ark_m01_ranks, severity::error, at_root());
      return false;
    }
    const std::int32_t world_size = given_[0]->model().world_size;
    for (std::uint32_t f = 0; f < given_.size(); ++f) {
      const model& g = given_[f]->model();
      if (g.world_size == world_size) continue;
      location at = at_root().in("WorldSize");
      at.file = f;
      found_.add(errc::ark_m01_ranks, severity::error, at)
          << "WorldSize is " << g.world_size << "; the first file has " << world_size;
    }
    if (found_.failed()) return false;
    struct entry {
      std::int32_t rank;
      std::uint32_t file;
    };
    pool<entry> order;
    for (std::uint32_t f = 0; f < given_.size(); ++f) order.push_back({given_[f]->model().rank, f});
    sort(order.data(), order.size(),
         [](const entry& a, const entry& b) { return a.rank < b.rank; });
    std::int64_t expected = 0, missing = 0;
    text names;
    const auto miss = [&](std::int64_t end) {
      for (; expected < end && missing < 8; ++expected, ++missing)
        names << (missing == 0 ? "" : ", ") << expected;
      missing += end > expected ? end - expected : 0;
      expected = end > expected ? end : expected;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && order[i].rank == order[i - 1].rank) {
        location at = at_root().in("Rank");
        at.file = order[i].file;
        found_.add(errc::ark_m01_ranks, severity::error, at)
            << "Rank is " << order[i].rank << ", as in another file; expected each rank once";
        continue;
      }
      miss(order[i].rank);
      expected = std::int64_t{order[i].rank} + 1;
    }
    miss(world_size);
    if (missing > 0) {
      writer out = found_.add(errc::ark_m01_ranks, severity::error, at_root().in("WorldSize"));
      if (missing == 1)
        out << "no file for rank " << names.view() << " of " << world_size;
      else
        out << "no files for " << missing << " of " << world_size << " ranks: " << names.view()
            << (missing > 8 ? ", ..." : "");
    }
    if (found_.failed()) return false;
    for (const entry& e : order) {
      world_.programs_.push_back(given_[e.file]);
      files_.push_back(e.file);
    }
    return true;
  }

  /// Where things of each rank start in the world's pools, and the tags of buffers that a rank holds.
  void index() {
    std::size_t buffers = 0, ops = 0;
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      world_.first_buffer_.push_back(buffers);
      world_.first_op_.push_back(ops);
      buffers += g.buffers.size();
      ops += g.ops.size();
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        if (world_.rank(r).storage(b) != b || !is_local(g, g.buffers[b])) continue;
        for (std::size_t kind = 0; kind < 2; ++kind)
          for (const tag& t : tags(g, kind == 0 ? g.buffers[b].recv_tags : g.buffers[b].send_tags))
            local_[kind].push_back({r, static_cast<std::uint32_t>(t.rank), t.number, b});
      }
    }
    for (pool<local_tag>& all : local_) sort(all.data(), all.size(), before);
    world_.owners_.resize(buffers);
    for (std::uint32_t& o : world_.owners_) o = none;
    world_.traffic_.resize(ops);
    first_use_.resize(buffers);
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
        for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) {
          const auto used = uses(g, g.ops[g.nodes[n].ops.first + i]);
          for (std::uint32_t u = 0; u < used.size(); ++u) {
            use_place& p = first_use_[world_.first_buffer_[r] + g.tensors[used[u]].buffer];
            if (p.node == none) p = {n, i, u};
          }
        }
    }
  }
  [[nodiscard]] static bool before(const local_tag& a, const local_tag& b) noexcept {
    if (a.holder != b.holder) return a.holder < b.holder;
    if (a.remote != b.remote) return a.remote < b.remote;
    return a.number < b.number;
  }
  /// Whether `holder` holds a buffer with a tag, and which. By rule B05 there is one at most.
  [[nodiscard]] bool holds(std::size_t kind, std::uint32_t holder, std::uint32_t remote,
                           std::int32_t number, std::uint32_t& storage) const noexcept {
    const pool<local_tag>& all = local_[kind];
    const local_tag wanted{holder, remote, number, 0};
    std::size_t first = 0, last = all.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (before(all[middle], wanted))
        first = middle + 1;
      else
        last = middle;
    }
    if (first == all.size() || before(wanted, all[first])) return false;
    storage = all[first].storage;
    return true;
  }
  /// A member of a buffer at its first use; the root for one that nothing uses.
  [[nodiscard]] location buffer_place(std::uint32_t r, std::uint32_t b, std::string_view member,
                                      std::uint32_t index) const noexcept {
    const model& g = graph_of(r);
    const use_place& p = first_use_[world_.first_buffer_[r] + b];
    if (p.node == none) return at_root();
    return at_use(p.node, p.op, g.ops[g.nodes[p.node].ops.first + p.op], p.use)
        .in("Buffer")
        .in(member, index);
  }

  /// M02, M03, M05: the owners of remote buffers.
  void owners() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        const buffer& s = g.buffers[b];
        if (world_.rank(r).storage(b) != b || is_local(g, s)) continue;
        std::uint32_t& owner = world_.owners_[world_.first_buffer_[r] + b];
        const auto holder = static_cast<std::uint32_t>(s.rank);
        const auto resolve = [&](std::size_t kind, range list, auto&& report_tag) {
          for (std::uint32_t i = 0; i < list.count; ++i) {
            const std::int32_t number = g.tags[list.first + i].number;
            std::uint32_t storage = none;
            const bool held = holds(kind, holder, r, number, storage);
            const bool other = held && owner != none && owner != storage;
            if (owner == none) owner = storage;
            if (!held || other) report_tag(i, number, held);
          }
        };
        resolve(0, s.recv_tags, [&](std::uint32_t i, std::int32_t number, bool held) {
          add(r, errc::ark_m02_owner, severity::error, buffer_place(r, b, "RecvTags", i))
              << (held ? "a different buffer than for the previous tags" : "no buffer")
              << " of rank " << holder << " has [" << r << ',' << number << "] in its RecvTags";
        });
        if (owner != none) {
          const std::uint64_t here = world_.rank(r).bytes(b);
          const std::uint64_t there = world_.rank(holder).bytes(owner);
          if (here > there)
            add(r, errc::ark_m05_size, severity::error, buffer_place(r, b, "Id", none))
                << "the buffer takes " << here << " bytes; buffer "
                << graph_of(holder).buffers[owner].id << " of rank " << holder << " has " << there;
        }
        const std::uint32_t by_data = owner;
        owner = none;
        resolve(1, s.send_tags, [&](std::uint32_t i, std::int32_t number, bool held) {
          if (held) return;  // a label may match several sends
          add(r, errc::ark_m03_label, severity::warning, buffer_place(r, b, "SendTags", i))
              << "no buffer of rank " << holder << " has [" << r << ',' << number
              << "] in its SendTags";
        });
        if (by_data != none) owner = by_data;
      }
    }
  }

  /// M04: tags of buffers that a rank holds.
  void partners() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t b = 0; b < g.buffers.size(); ++b) {
        const buffer& s = g.buffers[b];
        if (world_.rank(r).storage(b) != b || !is_local(g, s)) continue;
        for (std::size_t kind = 0; kind < 2; ++kind) {
          const range list = kind == 0 ? s.send_tags : s.recv_tags;
          for (std::uint32_t i = 0; i < list.count; ++i) {
            const tag t = g.tags[list.first + i];
            std::uint32_t storage = none;
            if (holds(kind, static_cast<std::uint32_t>(t.rank), r, t.number, storage)) continue;
            add(r, errc::ark_m04_partner, severity::note,
                buffer_place(r, b, kind == 0 ? "SendTags" : "RecvTags", i))
                << "no buffer of rank " << t.rank << " has [" << r << ',' << t.number << "] in its "
                << (kind == 0 ? "RecvTags" : "SendTags");
          }
        }
      }
    }
  }

  /// The messages of all operations.
  void traffic() {
    for (std::uint32_t r = 0; r < size(); ++r) {
      const model& g = graph_of(r);
      for (std::uint32_t n = 0; n < g.nodes.size(); ++n)
        for (std::uint32_t i = 0; i < g.nodes[n].ops.count; ++i) events_of(g, r, n, i);
    }
    pool<std::uint32_t> order, numbers;
    for (std::uint32_t i = 0; i < events_.size(); ++i) order.push_back(i);
    numbers.resize(events_.size());
    sort(order.data(), order.size(), [this](std::uint32_t a, std::uint32_t b) {
      const channel &x = events_[a].on, &y = events_[b].on;
      if (x.source != y.source) return x.source < y.source;
      if (x.destination != y.destination) return x.destination < y.destination;
      return x.tag < y.tag;
    });
    for (const std::uint32_t i : order) {
      if (world_.channels_.empty() || !(world_.channels_.back() == events_[i].on)) {
        world_.channels_.push_back(events_[i].on);
        by_channel_first_.push_back(by_channel_.size());
      }
      by_channel_.push_back(i);
      numbers[i] = static_cast<std::uint32_t>(world_.channels_.size() - 1);
    }
    by_channel_first_.push_back(by_channel_.size());
    // Events are ordered by operation, its sends first.
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const event& e = events_[i];
      world::traffic& t = world_.traffic_[world_.first_op_[e.rank] + e.op];
      if (t.sends + t.receives == 0) t.first = i;
      ++(e.send ? t.sends : t.receives);
    }
    world_.uses_ = static_cast<pool<std::uint32_t>&&>(numbers);
  }
  void events_of(const model& g, std::uint32_t r, std::uint32_t n, std::uint32_t i) {
    const std::uint32_t index = g.nodes[n].ops.first + i;
    const op& o = g.ops[index];
    const auto read = [&](std::uint32_t u) -> const buffer& {
      return buffer_of(g, reads(g, o)[u]);
    };
    const auto send = [&](std::uint32_t w) {
      const buffer& s = buffer_of(g, writes(g, o)[w]);
      for (const tag& t : tags(g, s.recv_tags))
        events_.push_back({{r, static_cast<std::uint32_t>(s.rank), t.number}, r, n, index, true});
    };
    const auto receive = [&](std::uint32_t source, std::int32_t number) {
      events_.push_back({{source, r, number}, r, n, index, false});
    };
    switch (o.type) {
      case op_type::send:
      case op_type::send_packet: send(0); break;
      case op_type::recv:
        for (const tag& t : tags(g, read(0).send_tags))
          receive(static_cast<std::uint32_t>(read(0).rank), t.number);
        break;
      case op_type::recv_packet:
        for (const tag& t : tags(g, read(1).recv_tags))
          if (t.rank == read(0).rank) receive(static_cast<std::uint32_t>(t.rank), t.number);
        break;
      case op_type::recv_reduce_send:
      case op_type::recv_reduce_send_packet:
        for (std::uint32_t w = 1; w < o.writes; ++w) send(w);
        for (const tag& t : tags(g, read(1).recv_tags))
          receive(static_cast<std::uint32_t>(t.rank), t.number);
        break;
      default: break;
    }
  }

  /// M06, M07: sends and receives match one to one.
  void counts() {
    pool<std::uint32_t> lists[2];  // sends, receives
    for (std::size_t c = 0; c < world_.channels_.size(); ++c) {
      lists[0].clear(), lists[1].clear();
      for (std::size_t i = by_channel_first_[c]; i < by_channel_first_[c + 1]; ++i)
        lists[events_[by_channel_[i]].send ? 0 : 1].push_back(by_channel_[i]);
      const std::size_t sends = lists[0].size(), receives = lists[1].size();
      for (std::size_t i = 0; i < sends && i < receives; ++i)
        transfer(events_[lists[0][i]], events_[lists[1][i]]);
      if (sends == receives) continue;
      const event& e = sends > receives ? events_[lists[0][receives]] : events_[lists[1][sends]];
      add(e.rank, errc::ark_m07_count, sends > receives ? severity::warning : severity::error,
          place_of(graph_of(e.rank), e))
          << "messages from rank " << e.on.source << " to rank " << e.on.destination << " with tag "
          << e.on.tag << " are sent " << sends << " times and received " << receives << " times";
    }
  }
  void transfer(const event& from, const event& to) {
    const model &a = graph_of(from.rank), &b = graph_of(to.rank);
    const op &send = a.ops[from.op], &receive = b.ops[to.op];
    if (send.type != op_type::send || receive.type != op_type::recv) return;
    const std::uint32_t x = reads(a, send)[0], y = writes(b, receive)[0];
    const data_type tx = a.tensors[x].type, ty = b.tensors[y].type;
    const std::uint64_t nx = elements(layout_of(a, x)), ny = elements(layout_of(b, y));
    if (tx == ty && nx == ny) return;
    add(to.rank, errc::ark_m06_transfer, severity::warning, place_of(b, to))
        << "rank " << from.rank << " sends " << nx << ' ' << info(tx).name << " with tag "
        << from.on.tag << "; rank " << to.rank << " receives " << ny << ' ' << info(ty).name;
  }
  /// M09.
  void syncs() {
    pool<std::uint64_t> all;
    std::uint32_t max = 0;
    for (std::uint32_t r = 0; r < size(); ++r) {
      std::uint64_t count = 0;
      for (const op& o : graph_of(r).ops) count += o.type == op_type::device_sync ? 1 : 0;
      all.push_back(count);
      if (count > all[max]) max = r;
    }
    for (std::uint32_t r = 0; r < size(); ++r)
      if (all[r] != all[max])
        add(r, errc::ark_m09_syncs, severity::error, at_root().in("Nodes"))
            << "rank " << r << " has " << all[r] << " DeviceSyncs; rank " << max << " has "
            << all[max];
  }

  /// M08.
  void deadlock() {
    schedule order(world_);
    for (schedule::step s; order.next(s);) continue;
    if (order.unfinished() == 0) return;
    schedule::wait w;
    std::uint32_t first = 0;
    while (!order.waits(first, w)) ++first;
    const model& g = graph_of(first);
    text waits;
    describe_waits(world_, order, waits);
    add(first, errc::ark_m08_deadlock, severity::error,
        at_op(w.at.node, w.at.op - g.nodes[w.at.node].ops.first))
        << verbatim{waits};
  }

  view<const program*> given_;
  findings found_;
  world world_;
  pool<std::uint32_t> files_;  // by rank: its location among those given
  pool<local_tag> local_[2];   // RecvTags, SendTags; sorted
  pool<use_place> first_use_;  // of all buffers
  pool<event> events_;         // by rank, node and operation
  pool<std::uint32_t> by_channel_;
  pool<std::size_t> by_channel_first_;
};

}  // namespace ark::detail
namespace ark {

TESSERA_INLINE view<std::uint32_t> world::sends(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first, t.sends};
}

TESSERA_INLINE view<std::uint32_t> world::receives(std::size_t r, std::size_t op) const noexcept {
  const traffic& t = traffic_[first_op_[r] + op];
  return {uses_.data() + t.first + t.sends, t.receives};
}

TESSERA_INLINE schedule::schedule(const world& w) : world_(w) {
  ranks_.resize(w.size());
  queue_.resize(w.size());
  messages_.resize(w.channels().size());
  waiting_.resize(w.channels().size());
  for (std::size_t r = 0; r < w.size(); ++r) queue_[r] = static_cast<std::uint32_t>(r);
  queued_ = w.size();
}

TESSERA_INLINE bool schedule::next(step& out) {
  for (;;) {
    if (!running_) {
      if (queued_ == 0) return false;
      current_ = queue_[first_];
      first_ = first_ + 1 == queue_.size() ? 0 : first_ + 1;
      --queued_;
      running_ = true;
    }
    running_ = advance(out);
    if (running_) return true;
  }
}

TESSERA_INLINE std::size_t schedule::unfinished() const noexcept {
  std::size_t count = 0;
  for (const state& s : ranks_) count += s.ended ? 0 : 1;
  return count;
}

TESSERA_INLINE bool schedule::waits(std::size_t r, wait& out) const noexcept {
  const state& s = ranks_[r];
  if (s.ended) return false;
  const model& g = world_.rank(r).model();
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  out.at = {static_cast<std::uint32_t>(r), s.node, op};
  out.sync = g.ops[op].type == op_type::device_sync;
  out.message = {};
  if (const auto list = world_.receives(r, op); s.received < list.size())
    out.message = world_.channels()[list[s.received]];
  return true;
}

TESSERA_INLINE std::uint64_t schedule::left_over() const noexcept {
  std::uint64_t count = 0;
  for (const std::uint64_t m : messages_) count += m;
  return count;
}

TESSERA_INLINE bool schedule::advance(step& out) {
  state& s = ranks_[current_];
  const model& g = world_.rank(current_).model();
  while (s.node < g.nodes.size() && s.op >= g.nodes[s.node].ops.count) {
    ++s.node;
    s.op = 0;
  }
  if (s.node == g.nodes.size()) {
    s.ended = true;
    return false;
  }
  const std::uint32_t op = g.nodes[s.node].ops.first + s.op;
  const auto wanted = world_.receives(current_, op);
  for (; s.received < wanted.size(); ++s.received) {
    const std::uint32_t c = wanted[s.received];
    if (messages_[c] == 0) {
      waiting_[c] = current_ + 1;
      return false;
    }
    --messages_[c];
  }
  if (g.ops[op].type == op_type::device_sync && !s.synced) {
    if (++arrived_ < ranks_.size()) return false;
    arrived_ = 0;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].synced = true;
      if (r != current_) wake(r);
    }
  }
  for (const std::uint32_t c : world_.sends(current_, op)) {
    ++messages_[c];
    if (waiting_[c] != 0) wake(waiting_[c] - 1);
    waiting_[c] = 0;
  }
  out = {current_, s.node, op};
  ++s.op;
  s.received = 0;
  s.synced = false;
  return true;
}

TESSERA_INLINE void schedule::wake(std::uint32_t rank) {
  std::size_t i = first_ + queued_++;
  if (i >= queue_.size()) i -= queue_.size();
  queue_[i] = rank;
}

TESSERA_INLINE void describe_waits(const world& w, const schedule& order, text& out) {
  schedule::wait at;
  std::size_t count = 0;
  for (std::size_t r = 0; r < w.size(); ++r) {
    if (!order.waits(r, at)) continue;
    if (++count > 16) continue;
    const model& g = w.rank(r).model();
    out << (count == 1 ? "" : "; ") << "rank " << r << " waits at node " << g.nodes[at.at.node].id
        << " (" << type_name(g, g.ops[at.at.op]) << ") for ";
    if (at.sync)
      out << "all ranks";
    else
      out << "a message from rank " << at.message.source << " to rank " << at.message.destination
          << " with tag " << at.message.tag;
  }
  if (count > 16) out << "; and " << count - 16 << " more";
}

TESSERA_INLINE result<world> verify_ranks(view<const program*> ranks, const ranks_options& options,
                                          report* found) {
  pool<const model*> models;
  for (const program* const p : ranks) models.push_back(&p->model());
  return detail::ranks_checker(ranks, models, options, found).run();
}

}  // namespace ark
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_ARK_DETAIL_RANKS_HPP

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
