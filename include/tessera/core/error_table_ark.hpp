// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The errors of ARK. Part of the table of all codes: core/error_table.hpp.
//
//   #define X(name, value, message) …
//   TESSERA_ARK_ERRORS(X)

#ifndef TESSERA_CORE_ERROR_TABLE_ARK_HPP
#define TESSERA_CORE_ERROR_TABLE_ARK_HPP

// X(enumerator, value, what was expected)
#define TESSERA_ARK_ERRORS(X)                                                                      \
  X(ark_s01_root, 2001, "the root of a model is an object")                                        \
  X(ark_s02_root_member, 2002, "expected members Rank, WorldSize and Nodes")                       \
  X(ark_s03_world, 2003, "expected integers with WorldSize >= 1 and 0 <= Rank < WorldSize")        \
  X(ark_s04_nodes, 2004, "Nodes is an array of objects")                                           \
  X(ark_s05_node_member, 2005,                                                                     \
    "expected a node with Id and the arrays ProducerNodeIds and ConsumerNodeIds")                  \
  X(ark_s06_op_or_ops, 2006, "expected either Op or Ops in each node, and the same in all nodes")  \
  X(ark_s07_no_ops, 2007, "expected at least one operation in Ops")                                \
  X(ark_s08_op_member, 2008,                                                                       \
    "expected Type, Name, IsVirtual, three lists of tensors, and Args as an object")               \
  X(ark_s09_tensor_member, 2009,                                                                   \
    "expected Id, DataType, Shape, Strides, Offsets, PaddedShape or Pads, and Buffer")             \
  X(ark_s10_buffer_member, 2010, "expected a buffer with Id, Rank, SendTags and RecvTags")         \
  X(ark_s12_unknown_member, 2012, "the format has no member of this name here")                    \
  X(ark_s13_integer, 2013, "expected an integer; Ids are at least 0")                              \
  X(ark_g01_node_id, 2021, "expected node Ids that are unique")                                    \
  X(ark_g02_node_index, 2022, "expected the node's place in Nodes as its Id")                      \
  X(ark_g03_edge_target, 2023, "expected the Id of a node in this file")                           \
  X(ark_g04_edge_mirror, 2024, "an edge stands on both of its sides: as producer and as consumer") \
  X(ark_g05_self_edge, 2025, "a node must not depend on itself")                                   \
  X(ark_g06_cycle, 2026, "the nodes depend on each other in a circle")                             \
  X(ark_g07_order, 2027, "expected a node behind all of its producers")                            \
  X(ark_g08_repeated_edge, 2028, "the edge stands in this list already")                           \
  X(ark_g09_missing_edge, 2029,                                                                    \
    "a node that uses a result lists the node that makes it as a producer")                        \
  X(ark_g10_second_producer, 2030, "a tensor is the result of one operation")                      \
  X(ark_g12_own_result, 2032, "an operation must not read or write its own result")                \
  X(ark_g13_use_before_result, 2033, "the tensor is used before the operation that makes it")      \
  X(ark_g14_unordered_access, 2034,                                                                \
    "conflicting accesses to the same bytes need a dependency between them")                       \
  X(ark_t01_rank, 2041, "expected one to four dimensions, as many in each list")                   \
  X(ark_t02_dimension, 2042, "expected dimensions of at least 1")                                  \
  X(ark_t03_offset, 2043, "expected offsets of at least 0")                                        \
  X(ark_t04_padding, 2044, "PaddedShape is at least Shape")                                        \
  X(ark_t05_strides, 2045, "Strides hold Offsets + PaddedShape")                                   \
  X(ark_t06_data_type, 2046, "expected a known DataType")                                          \
  X(ark_t07_size, 2047, "expected a tensor of fewer than 2^63 bytes")                              \
  X(ark_t08_tensor_differs, 2048, "a tensor Id has one description in the whole file")             \
  X(ark_b01_buffer_differs, 2051,                                                                  \
    "a buffer Id has one Rank and one set of tags in the whole file")                              \
  X(ark_b02_buffer_rank, 2052, "expected a buffer's Rank to be -1 or below WorldSize")             \
  X(ark_b03_tags, 2053,                                                                            \
    "expected tags as pairs [RemoteRank, Tag] of 32 bits, ascending, each once")                   \
  X(ark_b04_tag_rank, 2054,                                                                        \
    "expected another rank in a local buffer's tags, and -1 or the own rank in a remote one's")    \
  X(ark_b05_tag_reused, 2055, "a pair of rank and tag names one sending and one receiving buffer") \
  X(ark_o01_type, 2061, "expected a known operation Type")                                         \
  X(ark_o02_virtual, 2062,                                                                         \
    "IsVirtual is true for Tensor, Placeholder and Reshape, and for nothing else")                 \
  X(ark_o03_arity, 2063, "the number of tensors doesn't match the operation")                      \
  X(ark_o04_argument, 2064, "expected the operation's arguments, each of its TYPE")                \
  X(ark_o05_argument_form, 2065,                                                                   \
    "expected {TYPE: value} with one known TYPE and a value in its range")                         \
  X(ark_o06_data_types, 2066, "the DataTypes don't fit the operation")                             \
  X(ark_o07_shape, 2067, "the shapes don't broadcast to the tensor that is written")               \
  X(ark_o08_result_view, 2068, "the result is the same view as the tensor that is written")        \
  X(ark_o09_view_buffer, 2069, "a view stays in the buffer of the tensor that it reads")           \
  X(ark_o10_reduction, 2070,                                                                       \
    "expected an Axis of the tensor, and a result whose shape is reduced along it")                \
  X(ark_o11_permutation, 2071,                                                                     \
    "expected a permutation of the axes, and a result with Shape[i] = input "                      \
    "Shape[Permutation[i]]")                                                                       \
  X(ark_o12_matmul, 2072, "the shapes don't fit a matrix multiplication")                          \
  X(ark_o13_embedding, 2073,                                                                       \
    "expected indices of up to 3 dimensions, a table of 2, and rows of the table as result")       \
  X(ark_o14_overlap, 2074, "the tensors that are read and written overlap")                        \
  X(ark_o15_rope, 2075, "expected a last dimension that is even and not broadcast")                \
  X(ark_c01_send, 2081,                                                                            \
    "a send reads a local buffer, writes a remote one, and both carry its tag")                    \
  X(ark_c02_recv, 2082,                                                                            \
    "a receive reads a remote buffer, writes a local one, and both carry its tag")                 \
  X(ark_c03_packet, 2083,                                                                          \
    "expected packet buffers of UINT8 and twice the payload, and as many elements sent as "        \
    "received")                                                                                    \
  X(ark_c04_peers, 2084, "NPeers, Rank, the scratch buffer and the peers' order don't agree")      \
  X(ark_c05_sync, 2085, "expected the file's own Rank, and WorldSize - 1 as PeerNum")              \
  X(ark_c06_single, 2086, "a model of one rank has no communication")                              \
  X(ark_c07_remote, 2087, "computations use local buffers alone")                                  \
  X(ark_m01_ranks, 2091, "expected one file for each rank, all of one WorldSize")                  \
  X(ark_m02_owner, 2092, "a remote buffer's RecvTags name exactly one buffer of its owner")        \
  X(ark_m03_label, 2093, "a remote buffer's SendTags name one buffer of its owner")                \
  X(ark_m04_partner, 2094, "a tag has a partner on the other rank")                                \
  X(ark_m05_size, 2095, "a remote buffer is no larger than what its owner holds")                  \
  X(ark_m06_transfer, 2096, "a send and its receive agree in DataType and number of elements")     \
  X(ark_m07_count, 2097, "expected as many sends as receives of each tag")                         \
  X(ark_m08_deadlock, 2098, "the ranks wait for each other")                                       \
  X(ark_m09_syncs, 2099, "expected as many DeviceSyncs on every rank")                             \
  X(ark_dialect, 2110, "the dialect has no form for this")                                         \
  X(ark_not_finite, 2111, "expected a finite FLOAT: JSON has no form for others")                  \
  X(ark_too_large, 2112, "the model is larger than 32-bit indices reach")                          \
  X(ark_unsupported, 2113, "no machine runs this operation or DataType")                           \
  X(ark_division, 2114, "an integer is divided by zero")                                           \
  X(ark_index, 2115, "a row index lies outside the table")                                         \
  X(ark_pool_index, 2116, "an index or enumerator of the graph lies outside its table")            \
  X(ark_plan_member, 2121, "expected the plan's member, in its type")                              \
  X(ark_plan_architecture, 2122, "expected ANY, CUDA or ROCM with a known version")                \
  X(ark_plan_range, 2123,                                                                          \
    "expected a range [begin, end] or [begin, end, step] with 0 <= begin <= end")                  \
  X(ark_plan_parent, 2124, "expected a range inside the one that holds it")                        \
  X(ark_plan_task, 2125, "expected the Id of a task, each once")                                   \
  X(ark_plan_tiles, 2126, "the task groups don't cover each tile of the task once")                \
  X(ark_plan_resources, 2127, "a task needs more warps or memory than its resource group has")     \
  X(ark_plan_config, 2128,                                                                         \
    "expected NumWarps, SramBytes and NumTasks in Config, and tiles that divide the operation")    \
  X(ark_plan_model, 2129, "the plan's operations don't compute what the model's do")

#endif  // TESSERA_CORE_ERROR_TABLE_ARK_HPP
