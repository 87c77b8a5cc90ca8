// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
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
