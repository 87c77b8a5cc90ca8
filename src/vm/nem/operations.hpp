// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of NEM, one function for each group of opcodes that share their code.
//
//   const verdict v = execute(c, scratch);
//   if (!v) report(v.code);
//
//   file               opcodes
//   execute.cpp        transfer, store; which function an opcode has
//   products.cpp       gemm, matmul
//   convolutions.cpp   conv1d, conv2d, conv3d, depthwise_conv2d
//   elementwise.cpp    relu to silu, add to pow, clamp
//   pooling.cpp        maxpool, avgpool
//   layout.cpp         transpose, reshape, slice, concat, split, pad, gather
//   reductions.cpp     reduce_sum, reduce_max, reduce_min, argmax, argmin
//   normalization.cpp  layernorm, rmsnorm, softmax, log_softmax
//   conversions.cpp    cast, quantize, dequantize
//
// Operands are verified: their shapes and types agree. execute() copies inputs that an output
// overwrites, so that the functions it calls may write at once. An input in exactly the place of
// the output isn't copied where the operation reads each element before it writes there.
//
// Where the specification has no numeric semantics, ONNX's are meant; floats are computed in binary64
// and rounded once, but for products, whose sums are binary32. Products take the shared kernels, unless
// the task is @deterministic: then their sums are made in ascending order of k, without fused
// multiplication.
//
// Integers are quantized values where all operands that hold data have a descriptor (indices and
// biases of 32 bits aside): then the real function is computed, and its value quantized again. Where
// not all have one, they are plain integers that wrap.
//
// Lifetime:   nothing is kept.
// Errors:     verdict; std::bad_alloc.
// Limits:     those of verification. Strides of 0 give operands more elements than they have bytes:
//             nem_rt_mem where a copy would be out of proportion.
// Allocation: the workspace, which grows with the largest operands; a list of the inputs where one is
//             overwritten, and of the rows of a block of products.

#ifndef TESSERA_VM_NEM_OPERATIONS_HPP
#define TESSERA_VM_NEM_OPERATIONS_HPP

#include "tensor.hpp"
#include "workspace.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nem {

[[nodiscard]] verdict execute(const call& c, workspace& scratch);

[[nodiscard]] verdict multiply(const call& c, workspace& scratch);
[[nodiscard]] verdict convolve(const call& c, workspace& scratch);
[[nodiscard]] verdict apply_unary(const call& c, workspace& scratch);
[[nodiscard]] verdict apply_binary(const call& c, workspace& scratch);
[[nodiscard]] verdict clamp(const call& c, workspace& scratch);
[[nodiscard]] verdict pool(const call& c, workspace& scratch);
[[nodiscard]] verdict change_layout(const call& c, workspace& scratch);
[[nodiscard]] verdict reduce(const call& c, workspace& scratch);
[[nodiscard]] verdict normalize(const call& c, workspace& scratch);
[[nodiscard]] verdict softmax(const call& c, workspace& scratch);
[[nodiscard]] verdict cast(const call& c, workspace& scratch);
[[nodiscard]] verdict quantize(const call& c, workspace& scratch);
[[nodiscard]] verdict dequantize(const call& c, workspace& scratch);

/// Whether the integers of a task are quantized values: all operands that hold data have a descriptor.
[[nodiscard]] bool is_quantized(const call& c) noexcept;

/// Steps (vm/meter.hpp) of all elements that it may touch.
[[nodiscard]] std::uint64_t steps_of(const call& c) noexcept;

}  // namespace vm::nem
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NEM_OPERATIONS_HPP
