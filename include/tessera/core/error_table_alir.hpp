// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
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
