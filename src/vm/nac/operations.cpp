// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

#include <vector>

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[noreturn]] value unsupported(call&) { fail(errc::nac_operation_unsupported); }

/// Measured as the time that the slowest type and layout takes, in steps of about a nanosecond.
[[nodiscard]] constexpr element_steps steps_of(model::operation o) {
  using model::operation;
  switch (o) {
    // Parts and shapes of what is there: only what is copied counts.
    case operation::pass:
    case operation::view:
    case operation::getitem:
    case operation::sym_size:
    case operation::slice:
    case operation::select:
    case operation::squeeze:
    case operation::unsqueeze:
    case operation::expand:
    case operation::zeros:
    case operation::zeros_like:
    case operation::new_zeros:
    case operation::ones:
    case operation::ones_like:
    case operation::new_ones:
    case operation::full:
    case operation::full_like:
    case operation::fill:
    case operation::scalar_tensor:
    case operation::new_empty_strided: return {0, 2};
    case operation::arange:
    case operation::linspace:
    // Rows of a table, which isn't read as a whole.
    case operation::embedding:
    case operation::index_select: return {0, 4};
    // Lists of parts, each with a shape of its own.
    case operation::split:
    case operation::split_with_sizes:
    case operation::chunk:
    case operation::unbind: return {0, 8};
    case operation::rand:
    case operation::rand_like:
    case operation::randint:
    case operation::randint_like:
    case operation::randperm:
    case operation::uniform: return {0, 16};
    case operation::randn:
    case operation::randn_like:
    case operation::normal:
    case operation::normal_like: return {0, 64};
    case operation::dropout:
    case operation::feature_dropout:
    case operation::native_dropout:
    case operation::bernoulli:
    case operation::bernoulli_by: return {1, 16};
    // Elements from all over the memory, or in short rows.
    case operation::cat:
    case operation::stack:
    case operation::to_copy:
    case operation::type_as:
    case operation::transpose:
    case operation::permute:
    case operation::flip:
    case operation::roll:
    case operation::repeat:
    case operation::tile:
    case operation::pad:
    case operation::where:
    case operation::masked_fill:
    case operation::index:
    case operation::gather:
    case operation::scatter:
    case operation::scatter_add:
    case operation::slice_scatter:
    case operation::upsample_nearest:
    case operation::upsample_nearest_to: return {2, 4};
    // Divisions, exponential functions and the like.
    case operation::exp:
    case operation::cos:
    case operation::sin:
    case operation::tanh:
    case operation::log:
    case operation::erf:
    case operation::sigmoid:
    case operation::silu:
    case operation::gelu:
    case operation::elu:
    case operation::softplus:
    case operation::tan:
    case operation::sinh:
    case operation::cosh:
    case operation::asin:
    case operation::acos:
    case operation::atan:
    case operation::asinh:
    case operation::acosh:
    case operation::atanh:
    case operation::exp2:
    case operation::expm1:
    case operation::log2:
    case operation::log10:
    case operation::log1p:
    case operation::erfc:
    case operation::mish:
    case operation::log_sigmoid:
    case operation::selu:
    case operation::celu:
    case operation::logit:
    case operation::sinc:
    case operation::logaddexp:
    case operation::logaddexp2:
    case operation::xlogy:
    case operation::xlog1py:
    case operation::glu:
    case operation::addcdiv:
    case operation::fmod:
    case operation::div_mode:
    case operation::atan2:
    case operation::hypot:
    case operation::pow:
    case operation::div:
    case operation::floor_divide:
    case operation::hann_window:
    case operation::hann_window_by_mode:
    case operation::hamming_window:
    case operation::blackman_window:
    case operation::bartlett_window:
    case operation::lstm_cell:
    case operation::gru_cell:
    case operation::rnn_tanh_cell:
    case operation::rnn_relu_cell:
    case operation::lstm:
    case operation::gru:
    case operation::rnn_tanh:
    case operation::rnn_relu:
    case operation::remainder: return {4, 16};
    case operation::sqrt:
    case operation::rsqrt:
    case operation::reciprocal:
    case operation::hardsigmoid:
    case operation::hardswish:
    case operation::prelu:
    case operation::trunc:
    case operation::frac:
    case operation::softshrink:
    case operation::hardshrink:
    case operation::nan_to_num:
    case operation::round: return {2, 4};
    // Several passes.
    case operation::safe_softmax:
    case operation::native_group_norm:
    case operation::rms_norm:
    case operation::fused_rms_norm:
    case operation::instance_norm:
    case operation::weight_norm:
    case operation::weight_norm_interface:
    case operation::softmax:
    case operation::log_softmax:
    case operation::layer_norm:
    case operation::native_layer_norm:
    case operation::group_norm:
    case operation::var:
    case operation::std_dev:
    case operation::var_mean:
    case operation::std_mean:
    case operation::logsumexp:
    case operation::logcumsumexp:
    case operation::norm:
    case operation::dist:
    case operation::cosine_similarity:
    case operation::median:
    case operation::nanmedian:
    case operation::median_dim:
    case operation::nanmedian_dim:
    case operation::kthvalue: return {16, 16};
    case operation::batch_norm:
    case operation::batch_norm_by_mode:
    case operation::native_batch_norm:
    case operation::batch_norm_of_batch:
    case operation::batch_norm_functional:
    case operation::cdist:
    case operation::pdist:
    case operation::embedding_bag:
    case operation::embedding_bag_forward:
    case operation::mean:
    case operation::sum:
    case operation::max_all:
    case operation::min_all:
    case operation::max_dim:
    case operation::min_dim:
    case operation::amax:
    case operation::amin:
    case operation::argmax:
    case operation::argmin:
    case operation::all:
    case operation::any:
    case operation::prod:
    case operation::nansum:
    case operation::nanmean:
    case operation::count_nonzero:
    case operation::aminmax:
    case operation::histc:
    case operation::bincount:
    case operation::cumprod:
    case operation::cummax:
    case operation::cummin:
    case operation::cumsum: return {8, 8};
    case operation::einsum: return {4, 4};
    // As many comparisons, or divisions, as a count has bits.
    case operation::mode:
    case operation::gcd:
    case operation::lcm:
    case operation::sort:
    case operation::argsort:
    case operation::multinomial:
    case operation::topk: return {64, 32};
    default: return {1, 2};
  }
}

}  // namespace

constexpr std::array<element_steps, model::operation_count> steps_of_elements = [] {
  std::array<element_steps, model::operation_count> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = steps_of(static_cast<model::operation>(i));
  return out;
}();

constexpr std::array<function, model::operation_count> functions = {
    unsupported,  // verified programs have none
#define TESSERA_X(name, arguments, names) operations::name,
    TESSERA_NAC_OPERATIONS(TESSERA_X)
#undef TESSERA_X
};

value run(call& c) {
  const auto at = static_cast<std::size_t>(c.operation);
  const element_steps each = steps_of_elements[at];
  if (each.read != 0) c.charge_operands(each.read);
  c.arena.set_weight(each.written);
  const bool complex = c.count(0) != 0 && c.at(0).is_complex();
  value out = complex ? run_complex(c) : functions[at](c);
  c.arena.set_weight(1);
  return out;
}

value result_of(call& c, model::operation o, std::initializer_list<value> arguments) {
  std::vector<const value*> given;
  model::binding b;
  std::size_t letter = 0;
  for (const value& v : arguments) {
    b.first[letter] = static_cast<std::uint8_t>(given.size());
    if (v.is_list())
      for (const value& one : v.as_list()) given.push_back(&one);
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
