// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "row_major.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "schedule.hpp"
#include "tensor.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

enum class order : std::uint8_t { as_operands, row_major, unknown };
using orders = std::array<order, model::operation_count>;

constexpr void set(orders& to, order o, std::initializer_list<model::operation> of) {
  for (const model::operation each : of) to[static_cast<std::size_t>(each)] = o;
}
[[nodiscard]] constexpr orders all_orders() {
  using enum model::operation;
  orders to = {};
  set(to, order::row_major,
      {rand,         randn,   randint,      randperm,      arange,   linspace,  zeros,
       new_zeros,    ones,    new_ones,     full,          eye,      matmul,    addmm,
       linear,       baddbmm, mean,         sum,           prod,     var,       std_dev,
       all,          any,     amax,         amin,          argmax,   argmin,    max_all,
       min_all,      max_dim, min_dim,      nansum,        nanmean,  logsumexp, norm,
       embedding,    one_hot, index_select, scalar_tensor, new_full, logspace,  tril_indices,
       triu_indices, logdet});
  // Views, and what is made of them.
  set(to, order::unknown, {transpose,
                           permute,
                           movedim,
                           reverse_axes,
                           slice,
                           select,
                           narrow,
                           split,
                           split_with_sizes,
                           chunk,
                           unbind,
                           tensor_split,
                           tensor_split_at,
                           expand,
                           expand_as,
                           diagonal,
                           unfold,
                           real,
                           imag,
                           view_as_real,
                           view_as_complex,
                           as_strided,
                           index});
  set(to, order::unknown,
      {transpose_matrices, linalg_diagonal, diag, diag_embed, where_true, broadcast_tensors,
       meshgrid, nonzero, reshape_alias, hsplit, vsplit, dsplit, tensor_split_by, unique_dim});
  // What PyTorch hands to libraries.
  set(to, order::unknown,
      {inverse, inverse_ex, solve, solve_triangular, cholesky, stft, istft, empty_strided,
       new_empty_strided, qr, svd, eigh, linalg_pinv, pinverse, matrix_power, matrix_exp,
       cholesky_solve, cholesky_inverse});
  // Attention and recurrent networks.
  set(to, order::unknown,
      {attention, attention_for_cpu, attention_flash, attention_efficient, attention_math,
       attention_cudnn, attention_overrideable, lstm, gru, rnn_tanh, rnn_relu, pad_packed_sequence,
       lstm_packed, gru_packed, rnn_tanh_packed, rnn_relu_packed, attention_flash_quantized});
  return to;
}
constexpr orders order_of = all_orders();

[[nodiscard]] bool asks_for_strides(model::operation o) {
  return o == model::operation::as_strided || o == model::operation::as_strided_scatter ||
         o == model::operation::sym_stride || o == model::operation::sym_storage_offset ||
         o == model::operation::sym_is_contiguous || o == model::operation::resize;
}

}  // namespace

void check_strides(const model::program& p, std::uint32_t& at) {
  const view<model::step> steps = p.code().steps;
  const auto asks = [](const model::step& s) {
    return s.a >= model::first_regular_op && asks_for_strides(model::program::operation_of(s));
  };
  if (std::none_of(steps.begin(), steps.end(), asks)) return;
  std::vector<bool> known(steps.size());
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const model::step& s = steps[i];
    if (s.a < model::first_regular_op) {
      known[i] = s.a == model::op_input;
      continue;
    }
    const model::operation o = model::program::operation_of(s);
    const std::string_view name = p.model().operation_name(s.a);
    const view<model::argument> given = p.code().arguments_of(s);
    if (asks(s) && !given.empty() && !given[0].is_constant() && !known[given[0].index()]) {
      at = i;
      fail(errc::nac_run_strides, std::string(name) + ": its result depends on the strides of v" +
                                      std::to_string(given[0].index()) +
                                      ", which may not have been row-major when it was exported");
    }
    const order how = order_of[static_cast<std::size_t>(o)];
    known[i] = how == order::row_major || name.find(".contiguous.") != name.npos ||
               (how == order::as_operands &&
                std::all_of(given.begin(), given.end(), [&](const model::argument& a) {
                  return a.is_constant() || known[a.index()];
                }));
  }
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
