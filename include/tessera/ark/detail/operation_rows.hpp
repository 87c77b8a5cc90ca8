// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
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
