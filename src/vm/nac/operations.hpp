// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The operations of the NAC machine, one function for each row of tessera/nac/operations.hpp, with
// PyTorch's semantics.
//
//   value y = run(call);                     // whatever the call's operation is
//   value y = operations::softmax(call);     // this one
//
// A result may share its elements with an operand.
//
// run() charges what an operation reads, and memory each element that it writes; the steps of an
// element are in one table, in operations.cpp. Products and windows charge what they do besides that,
// before they do it.
//
// Lifetime:   results borrow nothing but memory.
// Errors:     faults: nac_run_rank … nac_run_division, budget_memory, budget_steps.
// Limits:     none of their own.
// Allocation: results, and what each needs meanwhile, from the call's memory.

#ifndef TESSERA_VM_NAC_OPERATIONS_HPP
#define TESSERA_VM_NAC_OPERATIONS_HPP

#include <array>
#include <cstddef>

#include "call.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

/// What runs an operation.
using function = value (*)(call&);
/// Those of all operations, in their order.
extern const std::array<function, model::operation_count> functions;
/// Steps of each element that an operation reads, and of each that it writes.
struct element_steps {
  std::uint8_t read = 0, written = 0;
};
/// Those of all operations, in their order.
extern const std::array<element_steps, model::operation_count> steps_of_elements;
/// Runs the call's operation, which isn't `unknown`.
[[nodiscard]] value run(call& c);

namespace operations {

// elementwise.cpp
[[nodiscard]] value where(call& c);
[[nodiscard]] value masked_fill(call& c);

// elementwise_unary.cpp
[[nodiscard]] value neg(call& c);
[[nodiscard]] value exp(call& c);
[[nodiscard]] value cos(call& c);
[[nodiscard]] value sin(call& c);
[[nodiscard]] value tanh(call& c);
[[nodiscard]] value abs(call& c);
[[nodiscard]] value log(call& c);
[[nodiscard]] value sqrt(call& c);
[[nodiscard]] value rsqrt(call& c);
[[nodiscard]] value reciprocal(call& c);
[[nodiscard]] value square(call& c);
[[nodiscard]] value floor(call& c);
[[nodiscard]] value ceil(call& c);
[[nodiscard]] value round(call& c);
[[nodiscard]] value erf(call& c);
[[nodiscard]] value relu(call& c);
[[nodiscard]] value sigmoid(call& c);
[[nodiscard]] value hardsigmoid(call& c);
[[nodiscard]] value hardswish(call& c);
[[nodiscard]] value silu(call& c);
[[nodiscard]] value gelu(call& c);
[[nodiscard]] value leaky_relu(call& c);
[[nodiscard]] value elu(call& c);
[[nodiscard]] value softplus(call& c);
[[nodiscard]] value clamp(call& c);
[[nodiscard]] value clamp_max(call& c);
[[nodiscard]] value bitwise_not(call& c);
[[nodiscard]] value logical_not(call& c);
[[nodiscard]] value isnan(call& c);
[[nodiscard]] value isinf(call& c);

// elementwise_binary.cpp
[[nodiscard]] value add(call& c);
[[nodiscard]] value sub(call& c);
[[nodiscard]] value rsub(call& c);
[[nodiscard]] value mul(call& c);
[[nodiscard]] value div(call& c);
[[nodiscard]] value pow(call& c);
[[nodiscard]] value minimum(call& c);
[[nodiscard]] value maximum(call& c);
[[nodiscard]] value floor_divide(call& c);
[[nodiscard]] value remainder(call& c);
[[nodiscard]] value lt(call& c);
[[nodiscard]] value le(call& c);
[[nodiscard]] value gt(call& c);
[[nodiscard]] value ge(call& c);
[[nodiscard]] value eq(call& c);
[[nodiscard]] value ne(call& c);
[[nodiscard]] value bitwise_and(call& c);
[[nodiscard]] value bitwise_or(call& c);
[[nodiscard]] value bitwise_xor(call& c);
[[nodiscard]] value logical_and(call& c);
[[nodiscard]] value logical_or(call& c);
[[nodiscard]] value logical_xor(call& c);
[[nodiscard]] value prelu(call& c);

// create.cpp
[[nodiscard]] value pass(call& c);
[[nodiscard]] value clone(call& c);
[[nodiscard]] value arange(call& c);
[[nodiscard]] value linspace(call& c);
[[nodiscard]] value zeros(call& c);
[[nodiscard]] value zeros_like(call& c);
[[nodiscard]] value new_zeros(call& c);
[[nodiscard]] value ones(call& c);
[[nodiscard]] value ones_like(call& c);
[[nodiscard]] value new_ones(call& c);
[[nodiscard]] value full(call& c);
[[nodiscard]] value full_like(call& c);
[[nodiscard]] value sym_size(call& c);
[[nodiscard]] value to_copy(call& c);
[[nodiscard]] value type_as(call& c);
[[nodiscard]] value copy(call& c);
[[nodiscard]] value fill(call& c);
[[nodiscard]] value scalar_tensor(call& c);
[[nodiscard]] value new_empty_strided(call& c);
[[nodiscard]] value getitem(call& c);

// layout.cpp
[[nodiscard]] value view(call& c);
[[nodiscard]] value transpose(call& c);
[[nodiscard]] value expand(call& c);
[[nodiscard]] value repeat(call& c);
[[nodiscard]] value tile(call& c);
[[nodiscard]] value permute(call& c);
[[nodiscard]] value flip(call& c);
[[nodiscard]] value roll(call& c);
[[nodiscard]] value squeeze(call& c);
[[nodiscard]] value unsqueeze(call& c);
[[nodiscard]] value cat(call& c);
[[nodiscard]] value stack(call& c);
[[nodiscard]] value split(call& c);
[[nodiscard]] value split_with_sizes(call& c);
[[nodiscard]] value chunk(call& c);
[[nodiscard]] value unbind(call& c);
[[nodiscard]] value triu(call& c);
[[nodiscard]] value tril(call& c);
[[nodiscard]] value pad(call& c);

// indexing.cpp
[[nodiscard]] value slice(call& c);
[[nodiscard]] value select(call& c);
[[nodiscard]] value slice_scatter(call& c);
[[nodiscard]] value index(call& c);
[[nodiscard]] value index_select(call& c);
[[nodiscard]] value gather(call& c);
[[nodiscard]] value scatter(call& c);
[[nodiscard]] value scatter_add(call& c);
[[nodiscard]] value embedding(call& c);

// reduce.cpp
[[nodiscard]] value mean(call& c);
[[nodiscard]] value sum(call& c);
[[nodiscard]] value var(call& c);
[[nodiscard]] value std_dev(call& c);
[[nodiscard]] value var_mean(call& c);
[[nodiscard]] value all(call& c);
[[nodiscard]] value any(call& c);
[[nodiscard]] value max_all(call& c);
[[nodiscard]] value min_all(call& c);
[[nodiscard]] value max_dim(call& c);
[[nodiscard]] value min_dim(call& c);
[[nodiscard]] value amax(call& c);
[[nodiscard]] value amin(call& c);
[[nodiscard]] value argmax(call& c);
[[nodiscard]] value argmin(call& c);
[[nodiscard]] value cumsum(call& c);
[[nodiscard]] value softmax(call& c);
[[nodiscard]] value log_softmax(call& c);

// sorting.cpp
[[nodiscard]] value topk(call& c);
[[nodiscard]] value sort(call& c);
[[nodiscard]] value argsort(call& c);

// products.cpp
[[nodiscard]] value matmul(call& c);
[[nodiscard]] value linear(call& c);
[[nodiscard]] value addmm(call& c);
[[nodiscard]] value baddbmm(call& c);
[[nodiscard]] value outer(call& c);
[[nodiscard]] value lstm_cell(call& c);

// attention.cpp
[[nodiscard]] value attention(call& c);

// einsum.cpp
[[nodiscard]] value einsum(call& c);

// convolution.cpp
[[nodiscard]] value conv1d(call& c);
[[nodiscard]] value conv2d(call& c);
[[nodiscard]] value conv3d(call& c);
[[nodiscard]] value conv_padded(call& c);
[[nodiscard]] value convolution(call& c);
[[nodiscard]] value conv_transpose(call& c);
[[nodiscard]] value conv2d_precomputed(call& c);

// normalise.cpp
[[nodiscard]] value batch_norm(call& c);
[[nodiscard]] value batch_norm_by_mode(call& c);
[[nodiscard]] value layer_norm(call& c);
[[nodiscard]] value native_layer_norm(call& c);
[[nodiscard]] value group_norm(call& c);

// pooling.cpp
[[nodiscard]] value max_pool2d(call& c);
[[nodiscard]] value avg_pool2d(call& c);
[[nodiscard]] value adaptive_avg_pool2d(call& c);
[[nodiscard]] value upsample_nearest(call& c);
[[nodiscard]] value upsample_nearest_to(call& c);

}  // namespace operations
}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI

#endif  // TESSERA_VM_NAC_OPERATIONS_HPP
