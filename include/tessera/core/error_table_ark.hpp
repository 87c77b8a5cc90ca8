// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
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
