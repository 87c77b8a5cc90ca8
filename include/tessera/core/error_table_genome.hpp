// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
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
  X(genome_base64_character, 5001, "expected a character of base64, with + and /")                 \
  X(genome_base64_end, 5002, "expected base64 in groups of 4, padded by = with bits of 0")         \
                                                                                                   \
  X(genome_registry_member, 5010, "the registry has no member of this name here")                  \
  X(genome_registry_key, 5011, "expected an id as key: a decimal number from 0 to 65535")          \
  X(genome_registry_id, 5012, "expected an id from 0 to 65535")                                    \
  X(genome_constant_member, 5013, "expected a constant with a type and a value")                   \
  X(genome_rule_member, 5014, "expected the members of a rule, each in its type")                  \
  X(genome_rule_probability, 5015, "expected a probability from 0 to 1, as a string or a number")  \
                                                                                                   \
  X(genome_id_range, 5020, "expected an id that its field in nodes can hold")                      \
  X(genome_id_repeated, 5021, "the id stands for something else in this map already")              \
  X(genome_name_repeated, 5022, "the name stands in this map already")                             \
  X(genome_maps_differ, 5023, "the map and its reverse don't say the same")                        \
  X(genome_special_name, 5024, "ids 0 to 9 are those of the commands, under their own names")      \
  X(genome_variation_form, 5025, "expected a variation such as \"in0,in1\"")                       \
  X(genome_group_form, 5026, "expected a group such as \"arg1=10;dim=11\", its keys ascending")    \
  X(genome_group_constant, 5027, "the group names a constant that doesn't exist")                  \
  X(genome_constant_type, 5028, "expected a constant of a known type")                             \
  X(genome_constant_value, 5029, "the value isn't of the constant's type")                         \
  X(genome_pattern_empty, 5030, "a pattern has at least one node")                                 \
  X(genome_pattern_absolute, 5031, "inside of a pattern references are relative: below 0")         \
  X(genome_pattern_recursion, 5032, "the pattern contains itself")                                 \
  X(genome_pattern_size, 5033, "the pattern is longer than limits::max_items nodes when expanded") \
  X(genome_pattern_command, 5034, "a pattern holds no input, output or padding of a graph")        \
  X(genome_pattern_order, 5035,                                                                    \
    "a pattern takes what comes before the graph, or a node there that can't be taken")            \
                                                                                                   \
  X(genome_command, 5040, "expected a command 1 to 8 or an operation: 0 and 9 are reserved")       \
  X(genome_operation_unknown, 5041, "no operation in the registry has the id that the node names") \
  X(genome_variation_unknown, 5042, "no variation in the registry has the id that the node names") \
  X(genome_constant_unknown, 5043, "no constant in the registry has the id that the node names")   \
  X(genome_group_unknown, 5044,                                                                    \
    "no constant group in the registry has the id that the node names")                            \
  X(genome_parameter_unknown, 5045, "no parameter in the registry has the id that the node names") \
  X(genome_pattern_unknown, 5046, "no pattern in the registry has the id that the node names")     \
  X(genome_special_form, 5047,                                                                     \
    "expected B = 1 and C = 0 (its low byte in a PATTERN), and inputs for OUTPUT alone")           \
  X(genome_copy_form, 5048,                                                                        \
    "expected a COPY of 1 or more nodes without inputs: their A in B, their B and C in D")         \
  X(genome_control_form, 5049, "expected an IF (B = 1) or WHILE (B = 2) with C = 0 and its D")     \
  X(genome_block_length, 5050,                                                                     \
    "expected blocks of at least 1 node that end inside the block around them")                    \
  X(genome_reference, 5051, "expected the id of an earlier node")                                  \
  X(genome_reference_scope, 5052, "the node stands in a block that has ended")                     \
  X(genome_relative, 5053, "expected an absolute id: relative references stay inside a block")     \
  X(genome_reference_external, 5054,                                                               \
    "a block takes from outside what its IF or WHILE lists in D, and nothing else")                \
  X(genome_variation_inputs, 5055, "the variation names an input that the node doesn't have")      \
  X(genome_input_count, 5056, "the node has more inputs than its operation's node_args")           \
  X(genome_block_input, 5057, "the block has more DATA_INPUTs than its IF or WHILE lists")         \
  X(genome_loop_state, 5058, "expected a loop body to end in an OUTPUT of each loop variable")     \
  X(genome_reference_nothing, 5059, "the node has no result: PAD and OUTPUT can't be taken")       \
                                                                                                   \
  X(genome_expansion_size, 5060, "the expansion has more nodes or inputs than limits::max_items")  \
  X(genome_reference_range, 5061, "a stream refers to ids up to 32767 and offsets down to -32768") \
  X(genome_node_inputs, 5062, "a node has at most 255 inputs")                                     \
  X(genome_operations_full, 5063, "a registry has ids for 246 operations or variations")           \
  X(genome_ids_full, 5064, "a registry has ids for 32758 constants, groups or parameters")         \
  X(genome_pattern_result, 5066, "expected the index of a node of the pattern")                    \
                                                                                                   \
  X(genome_counterpart, 5070,                                                                      \
    "v1.2 has no node for this: CONVERGENCE, or an input, exit or result that crosses a branch")   \
                                                                                                   \
  X(genome_run_operation, 5080, "the machine has no operation of this name")                       \
  X(genome_run_arguments, 5081, "the operation takes other arguments than the node gives")         \
  X(genome_run_parameter, 5082, "the graph needs a parameter that wasn't given")                   \
  X(genome_run_constant, 5083, "the machine has no value for a constant of this type")             \
  X(genome_run_condition, 5084, "expected a condition of one element")

#endif  // TESSERA_CORE_ERROR_TABLE_GENOME_HPP
