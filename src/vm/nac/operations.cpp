// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[noreturn]] value unsupported(call&) { fail(errc::nac_operation_unsupported); }

/// Reads and writes of an element by operations for which they aren't {1, 2}: measured as the time
/// that the slowest type and layout takes, in steps of about a nanosecond.
using steps_by_operation = std::array<element_steps, model::operation_count>;
constexpr void set_steps(steps_by_operation& to, element_steps each,
                         std::initializer_list<model::operation> of) {
  for (const model::operation o : of) to[static_cast<std::size_t>(o)] = each;
}
// clang-format off
[[nodiscard]] constexpr steps_by_operation all_steps() {
  using enum model::operation;
  steps_by_operation to = {};
  to.fill({1, 2});
  // Parts and shapes of what is there: only what is copied counts.
  set_steps(to, {0, 2}, {pass, view, getitem, sym_size,
    sym_stride, sym_storage_offset, sym_is_contiguous, resize, atleast_1d, atleast_2d,
    atleast_3d, positive, new_full, view_bits, constrain_range, slice, select, squeeze, unsqueeze, expand,
    zeros, zeros_like, new_zeros, ones, ones_like, new_ones, full, full_like, fill, scalar_tensor,
    empty_strided, new_empty_strided});
  // Rows of a table, which isn't read as a whole.
  set_steps(to, {0, 4}, {arange, linspace, embedding, index_select});
  // Lists of parts, each with a shape of its own.
  set_steps(to, {0, 8}, {split, split_with_sizes, chunk, unbind});
  set_steps(to, {0, 16}, {rand, rand_like, randint, randint_like, randperm, uniform});
  set_steps(to, {0, 64}, {randn, randn_like, normal, normal_like});
  set_steps(to, {1, 16}, {dropout, feature_dropout, native_dropout, bernoulli, bernoulli_by});
  // Elements from all over the memory, or in short rows.
  set_steps(to, {2, 4}, {cat, stack, as_strided, to_copy, type_as, transpose, permute, flip, roll, repeat, tile,
    pad, where, masked_fill, index, gather, scatter, scatter_add, slice_scatter, upsample_nearest,
    upsample_nearest_to, scatter_reduce, index_add, index_copy, index_fill, index_put,
    masked_select, masked_scatter, take, take_along_dim, nonzero, diagonal, diagonal_scatter,
    select_scatter, movedim, reverse_axes, repeat_interleave, meshgrid, unfold, pixel_shuffle, channel_shuffle, rot90,
    flip_columns, flip_rows, diag, diag_embed, diagflat, hstack, vstack, dstack, column_stack,
    broadcast_tensors, scatter_by_word, index_reduce, put,
    pixel_unshuffle, reflection_pad, replication_pad});
  // Divisions, exponential functions and the like.
  set_steps(to, {4, 16}, {exp, cos, sin, tanh, log, erf, sigmoid, silu, gelu, elu, softplus, tan,
    sinh, cosh, asin, acos, atan, asinh, acosh, atanh, exp2, expm1, log2, log10, log1p, erfc, mish,
    log_sigmoid, selu, celu, logit, sinc, logaddexp, logaddexp2, xlogy, xlog1py, glu, addcdiv, fmod,
    div_mode, atan2, hypot, pow, div, floor_divide, hann_window, hann_window_by_mode,
    hamming_window, blackman_window, bartlett_window,
    hamming_window_by_mode, blackman_window_by_mode, bartlett_window_by_mode, lstm_cell, gru_cell, rnn_tanh_cell,
    rnn_relu_cell, lstm, gru, rnn_tanh, rnn_relu, remainder});
  set_steps(to, {2, 4}, {sqrt, rsqrt, reciprocal, hardsigmoid, hardswish, prelu, trunc, frac,
    softshrink, hardshrink, nan_to_num, round});
  // Several passes.
  set_steps(to, {16, 16}, {safe_softmax, native_group_norm, rms_norm, fused_rms_norm, instance_norm,
    weight_norm, weight_norm_interface, softmax, log_softmax, layer_norm, native_layer_norm,
    group_norm, var, std_dev, var_mean, std_mean, logsumexp, logcumsumexp, norm, dist,
    cosine_similarity, median, nanmedian, median_dim, nanmedian_dim, kthvalue});
  set_steps(to, {8, 8}, {batch_norm, batch_norm_by_mode, native_batch_norm, batch_norm_of_batch,
    batch_norm_functional, cdist, pdist, embedding_bag, embedding_bag_forward, mean, sum, max_all,
    min_all, max_dim, min_dim, amax, amin, argmax, argmin, all, any, prod, nansum, nanmean,
    count_nonzero, aminmax, histc, bincount, cumprod, cummax, cummin, cumsum});
  set_steps(to, {4, 4}, {einsum});
  // As many comparisons, or divisions, as a count has bits.
  set_steps(to, {64, 32}, {mode, gcd, lcm, sort, argsort, sort_stable, msort, argsort_stable, unique, multinomial, topk,
    searchsorted, bucketize, isin});
  return to;
}
// clang-format on

}  // namespace

constexpr std::array<element_steps, model::operation_count> steps_of_elements = all_steps();

constexpr std::array<function, model::operation_count> functions = {
    unsupported,  // verified programs have none
#define TESSERA_X(name, ...) operations::name,
    TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};

value run(call& c) {
  const auto at = static_cast<std::size_t>(c.operation);
  const element_steps each = steps_of_elements[at];
  if (each.read != 0) c.charge_operands(each.read);
  c.arena.set_weight(each.written);
  value out = c.is_complex() ? run_complex(c) : functions[at](c);
  c.arena.set_weight(1);
  return out;
}

value result_of(call& c, model::operation o, std::span<const value> arguments) {
  std::vector<const value*> given;
  model::binding b;
  std::size_t letter = 0;
  for (const value& v : arguments) {
    b.first[letter] = static_cast<std::uint8_t>(given.size());
    if (v.is_list())
      for (const value& item : v.as_list()) given.push_back(&item);
    else
      given.push_back(&v);
    b.count[letter] = static_cast<std::uint8_t>(given.size() - b.first[letter]);
    ++letter;
  }
  call inner(c.arena, c.work, o, b, given);
  value out = run(inner);
  c.arena.set_weight(steps_of_elements[static_cast<std::size_t>(c.operation)].written);
  return out;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
