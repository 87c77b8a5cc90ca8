// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT

#include "operations.hpp"

namespace tessera::inline TESSERA_ABI {
namespace vm::nac {

namespace {

[[noreturn]] value unsupported(call&) { fail(errc::nac_operation_unsupported); }

[[nodiscard]] constexpr function function_of(model::operation o) {
  using model::operation;
  switch (o) {
    case operation::unknown: break;  // verified programs have none
    case operation::pass: return operations::pass;
    case operation::add: return operations::add;
    case operation::sub: return operations::sub;
    case operation::rsub: return operations::rsub;
    case operation::gt: return operations::gt;
    case operation::neg: return operations::neg;
    case operation::where: return operations::where;
    case operation::masked_fill: return operations::masked_fill;
    case operation::clone: return operations::clone;
    case operation::view: return operations::view;
    case operation::le: return operations::le;
    case operation::arange: return operations::arange;
    case operation::linspace: return operations::linspace;
    case operation::mul: return operations::mul;
    case operation::div: return operations::div;
    case operation::matmul: return operations::matmul;
    case operation::transpose: return operations::transpose;
    case operation::zeros: return operations::zeros;
    case operation::zeros_like: return operations::zeros_like;
    case operation::new_zeros: return operations::new_zeros;
    case operation::ones: return operations::ones;
    case operation::ones_like: return operations::ones_like;
    case operation::new_ones: return operations::new_ones;
    case operation::full: return operations::full;
    case operation::full_like: return operations::full_like;
    case operation::getitem: return operations::getitem;
    case operation::sym_size: return operations::sym_size;
    case operation::relu: return operations::relu;
    case operation::exp: return operations::exp;
    case operation::cos: return operations::cos;
    case operation::sin: return operations::sin;
    case operation::tanh: return operations::tanh;
    case operation::abs: return operations::abs;
    case operation::log: return operations::log;
    case operation::sqrt: return operations::sqrt;
    case operation::rsqrt: return operations::rsqrt;
    case operation::reciprocal: return operations::reciprocal;
    case operation::square: return operations::square;
    case operation::floor: return operations::floor;
    case operation::ceil: return operations::ceil;
    case operation::round: return operations::round;
    case operation::erf: return operations::erf;
    case operation::sigmoid: return operations::sigmoid;
    case operation::hardsigmoid: return operations::hardsigmoid;
    case operation::hardswish: return operations::hardswish;
    case operation::silu: return operations::silu;
    case operation::gelu: return operations::gelu;
    case operation::leaky_relu: return operations::leaky_relu;
    case operation::elu: return operations::elu;
    case operation::softplus: return operations::softplus;
    case operation::prelu: return operations::prelu;
    case operation::clamp: return operations::clamp;
    case operation::clamp_max: return operations::clamp_max;
    case operation::pow: return operations::pow;
    case operation::minimum: return operations::minimum;
    case operation::maximum: return operations::maximum;
    case operation::floor_divide: return operations::floor_divide;
    case operation::remainder: return operations::remainder;
    case operation::lt: return operations::lt;
    case operation::ge: return operations::ge;
    case operation::eq: return operations::eq;
    case operation::ne: return operations::ne;
    case operation::bitwise_and: return operations::bitwise_and;
    case operation::bitwise_or: return operations::bitwise_or;
    case operation::bitwise_xor: return operations::bitwise_xor;
    case operation::bitwise_not: return operations::bitwise_not;
    case operation::logical_and: return operations::logical_and;
    case operation::logical_or: return operations::logical_or;
    case operation::logical_xor: return operations::logical_xor;
    case operation::logical_not: return operations::logical_not;
    case operation::isnan: return operations::isnan;
    case operation::isinf: return operations::isinf;
    case operation::linear: return operations::linear;
    case operation::addmm: return operations::addmm;
    case operation::baddbmm: return operations::baddbmm;
    case operation::outer: return operations::outer;
    case operation::einsum: return operations::einsum;
    case operation::conv1d: return operations::conv1d;
    case operation::conv2d: return operations::conv2d;
    case operation::conv3d: return operations::conv3d;
    case operation::conv_padded: return operations::conv_padded;
    case operation::convolution: return operations::convolution;
    case operation::conv_transpose: return operations::conv_transpose;
    case operation::conv2d_precomputed: return operations::conv2d_precomputed;
    case operation::batch_norm: return operations::batch_norm;
    case operation::batch_norm_by_mode: return operations::batch_norm_by_mode;
    case operation::layer_norm: return operations::layer_norm;
    case operation::native_layer_norm: return operations::native_layer_norm;
    case operation::group_norm: return operations::group_norm;
    case operation::softmax: return operations::softmax;
    case operation::log_softmax: return operations::log_softmax;
    case operation::attention: return operations::attention;
    case operation::embedding: return operations::embedding;
    case operation::slice: return operations::slice;
    case operation::select: return operations::select;
    case operation::slice_scatter: return operations::slice_scatter;
    case operation::index: return operations::index;
    case operation::index_select: return operations::index_select;
    case operation::gather: return operations::gather;
    case operation::scatter: return operations::scatter;
    case operation::scatter_add: return operations::scatter_add;
    case operation::expand: return operations::expand;
    case operation::repeat: return operations::repeat;
    case operation::tile: return operations::tile;
    case operation::permute: return operations::permute;
    case operation::flip: return operations::flip;
    case operation::roll: return operations::roll;
    case operation::squeeze: return operations::squeeze;
    case operation::unsqueeze: return operations::unsqueeze;
    case operation::cat: return operations::cat;
    case operation::stack: return operations::stack;
    case operation::split: return operations::split;
    case operation::split_with_sizes: return operations::split_with_sizes;
    case operation::chunk: return operations::chunk;
    case operation::unbind: return operations::unbind;
    case operation::mean: return operations::mean;
    case operation::sum: return operations::sum;
    case operation::var: return operations::var;
    case operation::std_dev: return operations::std_dev;
    case operation::var_mean: return operations::var_mean;
    case operation::all: return operations::all;
    case operation::any: return operations::any;
    case operation::max_all: return operations::max_all;
    case operation::min_all: return operations::min_all;
    case operation::max_dim: return operations::max_dim;
    case operation::min_dim: return operations::min_dim;
    case operation::amax: return operations::amax;
    case operation::amin: return operations::amin;
    case operation::argmax: return operations::argmax;
    case operation::argmin: return operations::argmin;
    case operation::topk: return operations::topk;
    case operation::sort: return operations::sort;
    case operation::argsort: return operations::argsort;
    case operation::cumsum: return operations::cumsum;
    case operation::triu: return operations::triu;
    case operation::tril: return operations::tril;
    case operation::pad: return operations::pad;
    case operation::max_pool2d: return operations::max_pool2d;
    case operation::avg_pool2d: return operations::avg_pool2d;
    case operation::adaptive_avg_pool2d: return operations::adaptive_avg_pool2d;
    case operation::upsample_nearest: return operations::upsample_nearest;
    case operation::upsample_nearest_to: return operations::upsample_nearest_to;
    case operation::to_copy: return operations::to_copy;
    case operation::type_as: return operations::type_as;
    case operation::copy: return operations::copy;
    case operation::fill: return operations::fill;
    case operation::scalar_tensor: return operations::scalar_tensor;
    case operation::new_empty_strided: return operations::new_empty_strided;
    case operation::lstm_cell: return operations::lstm_cell;
  }
  return unsupported;
}

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
    case operation::pow:
    case operation::div:
    case operation::floor_divide:
    case operation::remainder: return {4, 16};
    case operation::sqrt:
    case operation::rsqrt:
    case operation::reciprocal:
    case operation::hardsigmoid:
    case operation::hardswish:
    case operation::prelu:
    case operation::round: return {2, 4};
    // Several passes.
    case operation::softmax:
    case operation::log_softmax:
    case operation::layer_norm:
    case operation::native_layer_norm:
    case operation::group_norm:
    case operation::var:
    case operation::std_dev:
    case operation::var_mean: return {16, 16};
    case operation::batch_norm:
    case operation::batch_norm_by_mode:
    case operation::lstm_cell:
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
    case operation::cumsum: return {8, 8};
    case operation::einsum: return {4, 4};
    // As many comparisons as the count has bits.
    case operation::sort:
    case operation::argsort:
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

constexpr std::array<function, model::operation_count> functions = [] {
  std::array<function, model::operation_count> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = function_of(static_cast<model::operation>(i));
  return out;
}();

value run(call& c) {
  const auto at = static_cast<std::size_t>(c.operation);
  const element_steps each = steps_of_elements[at];
  if (each.read != 0) c.charge_operands(each.read);
  c.arena.set_weight(each.written);
  value out = functions[at](c);
  c.arena.set_weight(1);
  return out;
}

}  // namespace vm::nac
}  // namespace tessera::inline TESSERA_ABI
