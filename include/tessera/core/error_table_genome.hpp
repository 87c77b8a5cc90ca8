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
