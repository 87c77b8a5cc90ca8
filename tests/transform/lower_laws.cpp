// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// Lowering: random small programs over all operations that are mapped, on each device for the types that it
// has, compared with NAC's machine.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lowered.hpp"
#include "support/sanitized.hpp"
#include "tessera/vm/nac.hpp"
#include "transform/lower/map.hpp"

using namespace tessera;
using nac::operation;
using nem::element;
using transform_tests::container;
using transform_tests::device;
using transform_tests::lowers;
using transform_tests::program_text;

namespace {

/// Calls, the last of which has the operation. $ is what they are of, # another tensor of its shape, ! the
/// call before, %0 a dimension; W(2,3) is a weight, P(2,3) one of positive numbers.
struct row {
  operation what;
  std::size_t rank;  ///< of $; 0 for any
  const char* calls;
};

/// How many elements along a dimension are positive: integers that are the same in all types.
#define COUNT(dimension) "nac.gt($, 0); aten.sum.dim_IntList(!, [" #dimension "])"

constexpr row rows[] = {
    {operation::relu, 0, "aten.relu.default($)"},
    {operation::sigmoid, 0, "aten.sigmoid.default($)"},
    {operation::tanh, 0, "aten.tanh.default($)"},
    {operation::exp, 0, "aten.clamp.default($, -3, 2); aten.exp.default(!)"},
    {operation::log, 0, "aten.abs.default($); nac.add(!, 0.5); aten.log.default(!)"},
    {operation::sqrt, 0, "aten.abs.default($); nac.add(!, 0.25); aten.sqrt.default(!)"},
    {operation::abs, 0, "aten.abs.default($)"},
    {operation::neg, 0, "aten.neg.default($)"},
    {operation::silu, 0, "aten.silu.default($)"},
    {operation::mul, 0, "nac.mul($, 0.75)"},
    {operation::mul, 0, "nac.mul($, #)"},
    {operation::mul, 4, "nac.mul($, W(%1,1,1))"},
    {operation::div, 0, "nac.div($, 3)"},
    {operation::div, 4, "nac.div($, P(%1,1,%3))"},
    {operation::minimum, 0, "aten.minimum.default($, #)"},
    {operation::maximum, 3, "aten.maximum.default($, W(%1,%2))"},
    {operation::add, 0, "nac.add($, #)"},
    {operation::add, 3, "nac.add($, W(%0,1,%2), 0.5)"},
    {operation::sub, 0, "nac.sub($, #, 2)"},
    {operation::sub, 2, "nac.sub($, W(%1))"},
    {operation::rsub, 0, "aten.rsub.Scalar($, 1.5, 2)"},
    {operation::pow, 0, "aten.pow.Tensor_Scalar($, 2)"},
    {operation::pow, 0, "aten.clamp.default($, -2, 2); aten.pow.Tensor_Scalar(!, 3)"},
    {operation::pow, 0, "aten.abs.default($); nac.add(!, 0.5); aten.pow.Tensor_Scalar(!, 1.5)"},
    {operation::square, 0, "aten.square.default($)"},
    {operation::reciprocal, 0, "aten.abs.default($); nac.add(!, 0.5); aten.reciprocal.default(!)"},
    {operation::rsqrt, 0, "aten.square.default($); nac.add(!, 0.5); aten.rsqrt.default(!)"},
    {operation::addcmul, 0, "aten.addcmul.default($, $, #, 0.5)"},
    {operation::addcdiv, 2, "aten.addcdiv.default($, $, P(%1), 0.5)"},
    {operation::clamp, 0, "aten.clamp.default($, -0.5, 0.5)"},
    {operation::clamp, 0, "aten.clamp.default($, null, 0.5)"},
    {operation::clamp_max, 0, "aten.clamp_max.default($, 0.5)"},
    {operation::hardtanh, 0, "aten.hardtanh.default($, -0.5, 0.25)"},
    {operation::relu6, 0, "aten.relu6.default($)"},
    {operation::hardsigmoid, 0, "aten.hardsigmoid.default($)"},
    {operation::hardswish, 0, "aten.hardswish.default($)"},
    {operation::leaky_relu, 0, "aten.leaky_relu.default($, 0.1)"},
    {operation::gelu, 0, "aten.gelu.default($)"},
    {operation::gelu, 0, "aten.gelu.default($, \"tanh\")"},
    {operation::elu, 0, "aten.elu.default($, 1.5)"},
    {operation::celu, 0, "aten.celu.default($, 0.5)"},
    {operation::selu, 0, "aten.selu.default($)"},
    {operation::softplus, 0, "aten.softplus.default($)"},
    {operation::mish, 0, "aten.mish.default($)"},
    {operation::log_sigmoid, 0, "aten.log_sigmoid.default($)"},
    {operation::masked_fill, 2, "nac.gt(W(%0,%1), 0); aten.masked_fill.Scalar($, !, 0.5)"},
    {operation::softmax, 0, "aten.softmax.int($, -1)"},
    {operation::softmax, 4, "aten.softmax.int($, 1)"},
    {operation::log_softmax, 3, "aten.log_softmax.int($, 1)"},
    {operation::layer_norm, 4, "aten.layer_norm.default($, [%2, %3], W(%2,%3), W(%2,%3), 0.1)"},
    {operation::layer_norm, 3, "aten.layer_norm.default($, [%2], W(%2), null, 0.1)"},
    {operation::layer_norm, 2, "aten.layer_norm.default($, [%1], null, null, 0.1)"},
    {operation::native_layer_norm, 3,
     "aten.native_layer_norm.default($, [%2], W(%2), W(%2), 0.1); getitem(!, 0)"},
    {operation::rms_norm, 3, "aten.rms_norm.default($, [%2], W(%2), 0.1)"},
    {operation::group_norm, 4, "aten.group_norm.default($, %1, W(%1), W(%1), 0.1)"},
    {operation::group_norm, 3, "aten.group_norm.default($, 1, null, null, 0.1)"},
    {operation::batch_norm, 4,
     "aten._native_batch_norm_legit_no_training.default($, W(%1), W(%1), W(%1), P(%1), 0.1, "
     "0.001); getitem(!, 0)"},
    {operation::batch_norm_by_mode, 4,
     "aten.batch_norm.default($, W(%1), W(%1), W(%1), P(%1), false, 0.1, 0.001, true)"},
    {operation::attention, 4, "aten.scaled_dot_product_attention.default($, #, $)"},
    {operation::attention, 3,
     "aten.scaled_dot_product_attention.default($, $, #, null, 0.0, true)"},
    {operation::attention, 3,
     "aten.scaled_dot_product_attention.default($, $, $, W(%1,%1), 0.0, false, 0.5)"},
    {operation::linear, 0, "nac.view($, [%0, -1]); aten.linear.default(!, W(9,%), W(9))"},
    {operation::linear, 3, "aten.linear.default($, W(17,%2), W(17))"},
    {operation::linear, 4, "aten.linear.default($, W(5,%3))"},
    {operation::addmm, 2, "aten.addmm.default(W(6), $, W(%1,6))"},
    {operation::matmul, 3, "nac.matmul($, W(%2,5))"},
    {operation::matmul, 4, "nac.transpose($, 2, 3); nac.matmul($, !)"},
    {operation::matmul, 2, "nac.transpose(#, 0, 1); nac.matmul($, !)"},
    {operation::conv1d, 3, "aten.conv1d.default($, W(4,%1,3), W(4), [2], [1])"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(6,%1,3,3), W(6), [1, 1], [1, 1])"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(5,%1,3,2), null, [2, 1], [1, 0], [2, 1])"},
    {operation::conv2d, 4,
     "aten.conv2d.default($, W(%1,1,3,3), W(%1), [1, 1], [1, 1], [1, 1], %1)"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(20,%1,1,1), W(20))"},
    {operation::convolution, 4,
     "aten.convolution.default($, W(3,%1,2,2), W(3), [1, 2], [0, 1], [1, 1], false, [0, 0], 1)"},
    {operation::max_pool2d, 4, "aten.max_pool2d.default($, [3, 2], [2, 2], [1, 1])"},
    {operation::max_pool2d_with_indices, 4,
     "aten.max_pool2d_with_indices.default($, [2, 2], [1, 2]); getitem(!, 0)"},
    {operation::avg_pool2d, 4, "aten.avg_pool2d.default($, [2, 3], [1, 2])"},
    {operation::adaptive_avg_pool2d, 4, "aten.adaptive_avg_pool2d.default($, [%2, 1])"},
    {operation::mean, 4, "aten.mean.dim($, [2, 3], true)"},
    {operation::mean, 4, "aten.mean.dim($, [1])"},
    {operation::mean, 3, "aten.mean.dim($, [-1], true)"},
    {operation::cat, 4, "aten.cat.default($, #, W(%0,%1,1,%3), 2)"},
    {operation::cat, 0, "aten.cat.default($, #, 0)"},
    {operation::stack, 2, "aten.stack.default($, #, 1)"},
    {operation::stack, 3, "aten.stack.default(#, $, 3)"},
    {operation::dropout, 0, "aten.dropout.default($, 0.5, false)"},
    {operation::pass, 0, "nac.pass($)"},
    {operation::clone, 0, "nac.clone($)"},
    {operation::view, 4, "nac.view($, [%0, -1, %3])"},
    {operation::view, 3, "nac.view($, [-1, %2])"},
    {operation::transpose, 0, "nac.transpose($, 0, -1)"},
    {operation::permute, 4, "aten.permute.default($, [0, 2, 3, 1])"},
    {operation::permute, 3, "aten.permute.default($, [2, 0, 1])"},
    {operation::expand, 2, "nac.view($, [%0, 1, %1]); aten.expand.default(!, [%0, 3, %1])"},
    {operation::expand_as, 3, "aten.slice.Tensor($, 1, 0, 1); aten.expand_as.default(!, $)"},
    {operation::reshape_as, 2, "nac.transpose($, 0, 1); aten.reshape_as.default(!, $)"},
    {operation::select, 4, "aten.select.int($, 1, -1)"},
    {operation::select, 3, "aten.select.int($, 1, 0)"},
    {operation::slice, 4, "aten.slice.Tensor($, 2, 1, 8, 2)"},
    {operation::slice, 0, "aten.slice.Tensor($, -1, 1, 100)"},
    {operation::narrow, 0, "aten.narrow.default($, 1, 0, 2)"},
    {operation::unsqueeze, 3, "aten.unsqueeze.default($, 1)"},
    {operation::unsqueeze, 2, "aten.unsqueeze.default($, 0)"},
    {operation::squeeze, 4, "aten.mean.dim($, [3], true); aten.squeeze.dim(!, 3)"},
    {operation::flatten, 4, "aten.flatten.using_ints($, 1)"},
    {operation::unflatten, 2, "aten.unflatten.int($, 0, [1, %0])"},
    {operation::split, 4, "aten.split.Tensor($, 2, 1); getitem(!, 1)"},
    {operation::split_with_sizes, 0,
     "aten.cat.default($, #, 0); aten.split_with_sizes.default(!, [%0, %0], 0); getitem(!, 1)"},
    {operation::chunk, 0, "aten.chunk.default($, 2, -1); getitem(!, 0)"},
    {operation::unbind, 3, "aten.unbind.int($, 1); getitem(!, 1)"},
    {operation::movedim, 4, "aten.movedim.int($, 1, 3)"},
    {operation::repeat, 2, "aten.repeat.default($, [2, 1])"},
    {operation::tile, 3, "aten.tile.default($, [1, 1, 2])"},
    {operation::roll, 2, "aten.roll.default($, [1], [0])"},
    {operation::transpose_matrices, 3, "aten.mT.default($)"},
    // Comparisons and what they choose.
    {operation::lt, 0, "aten.lt.Tensor($, #)"},
    {operation::le, 0, "nac.le($, 0)"},
    {operation::gt, 0, "nac.gt($, #); nac.where(!, $, 0.5)"},
    {operation::ge, 3, "aten.ge.Tensor($, W(%2))"},
    {operation::eq, 0, "aten.relu.default($); aten.eq.Scalar(!, 0)"},
    {operation::ne, 0, "aten.maximum.default($, #); aten.ne.Tensor(!, $)"},
    {operation::logical_and, 0, "nac.gt($, 0); aten.logical_and.default(!, $)"},
    {operation::logical_or, 0, "aten.lt.Scalar($, 0); aten.logical_or.default(!, $)"},
    {operation::logical_xor, 2, "nac.gt($, 0); aten.logical_xor.default(!, W(%1))"},
    {operation::logical_not, 0, "nac.gt($, 0); aten.logical_not.default(!)"},
    {operation::bitwise_and, 0, "nac.gt($, 0); aten.bitwise_and.Tensor(!, !)"},
    {operation::bitwise_or, 0, "nac.gt($, 0); aten.bitwise_or.Tensor(!, !)"},
    {operation::bitwise_xor, 0, "nac.gt($, 0); aten.bitwise_xor.Tensor(!, !)"},
    {operation::bitwise_not, 0, "nac.gt($, 0); aten.bitwise_not.default(!)"},
    {operation::where, 0, "nac.gt($, 0); nac.where(!, $, 0)"},
    {operation::where, 2, "nac.le(W(%1), 0.5); nac.where(!, $, #)"},
    {operation::where, 0, "nac.gt($, 0); nac.where(!, $, inf); aten.clamp.default(!, null, 3)"},
    {operation::where, 0, "nac.gt($, 0); nac.where(!, -inf, $); aten.clamp.default(!, -3, null)"},
    {operation::where, 0, "aten.sqrt.default($); aten.isnan.default(!); nac.where(!, 2, $)"},
    {operation::masked_fill, 0, "nac.gt($, 0); aten.masked_fill.Scalar($, !, 0.25)"},
    {operation::masked_fill, 0, "nac.gt($, 0); aten.masked_fill.Scalar($, !, -inf)"},
    {operation::tril, 2, "aten.tril.default($, 1)"},
    {operation::tril, 3, "aten.tril.default($)"},
    {operation::triu, 4, "aten.triu.default($, -1)"},
    {operation::isfinite, 0, "aten.reciprocal.default($); aten.isfinite.default(!)"},
    {operation::isfinite, 0,
     "aten.relu.default($); aten.reciprocal.default(!); aten.isfinite.default(!)"},
    {operation::isnan, 0, "aten.sqrt.default($); aten.isnan.default(!)"},
    {operation::isinf, 0,
     "aten.relu.default($); aten.reciprocal.default(!); aten.isinf.default(!)"},
    {operation::sign, 0, "aten.clamp.default($, null, 0); aten.sign.default(!)"},
    {operation::sign, 0, "aten.sign.default($)"},
    {operation::to_copy, 0, "nac.gt($, 0); aten._to_copy.default:2(!, \"float32\")"},
    {operation::to_copy, 0, "aten._to_copy.default:2($, \"bool\")"},
    {operation::to_copy, 2, COUNT(1) "; nac.mul(!, -0.37); aten._to_copy.default:2(!, \"int64\")"},
    {operation::type_as, 0, "nac.gt($, 0); aten.type_as.default(!, $)"},
    {operation::one_hot, 2, COUNT(1) "; aten.one_hot.default(!, 13)"},
    // Elements by indices.
    {operation::embedding, 2, COUNT(0) "; aten.embedding.default(W(7,9), !)"},
    {operation::embedding, 4, COUNT(1) "; aten.embedding.default(W(7,2), !)"},
    {operation::index_select, 3, "nac.arange(%1, null, null); aten.index_select.default($, 1, !)"},
    {operation::index_select, 2,
     "aten.select.int($, 0, 0); nac.gt(!, 0); aten._to_copy.default:2(!, \"int64\"); "
     "aten.index_select.default($, 0, !)"},
    {operation::gather, 3,
     "nac.gt(#, 0); aten._to_copy.default:2(!, \"int64\"); aten.gather.default($, 1, !)"},
    {operation::gather, 2,
     "nac.gt($, 0); aten._to_copy.default:2(!, \"int64\"); aten.gather.default(#, -1, !)"},
    {operation::index, 3,
     "aten.select.int($, 1, 0); nac.gt(!, 0); aten._to_copy.default:2(!, \"int64\"); "
     "aten.index.Tensor($, null, !)"},
    {operation::index, 4, "nac.arange(%2, null, null); aten.index.Tensor($, null, null, !)"},
    {operation::index, 2,
     "aten.select.int($, 1, 0); nac.gt(!, 0); aten._to_copy.default:2(!, \"int64\"); "
     "aten.index.Tensor($, !, !)"},
    {operation::take, 2, "nac.arange(7, null, null); aten.take.default($, !)"},
    {operation::take_along_dim, 2,
     "aten.argsort.default(W(%0,%1), 1); aten.take_along_dim.default($, !, 1)"},
    // Functions.
    {operation::round, 3, COUNT(1) "; nac.mul(!, 0.37); aten.round.default(!)"},
    {operation::floor, 3, COUNT(1) "; nac.mul(!, 0.37); aten.floor.default(!)"},
    {operation::ceil, 3, COUNT(1) "; nac.mul(!, -0.37); aten.ceil.default(!)"},
    {operation::trunc, 3, COUNT(1) "; nac.mul(!, 0.37); aten.trunc.default(!)"},
    {operation::round, 2, COUNT(1) "; nac.mul(!, -0.5); aten.round.default(!)"},
    {operation::floor, 2, COUNT(1) "; nac.mul(!, -0.37); aten.floor.default(!)"},
    {operation::trunc, 2, COUNT(1) "; nac.mul(!, -0.37); aten.trunc.default(!)"},
    {operation::frac, 0, "nac.mul($, 0.75); aten.frac.default(!)"},
    {operation::floor_divide, 2, COUNT(1) "; aten.floor_divide.default(!, 3)"},
    {operation::div_mode, 2, COUNT(1) "; nac.mul(!, -0.37); aten.div.Tensor_mode(!, 1, \"floor\")"},
    {operation::div_mode, 2, COUNT(1) "; nac.mul(!, -0.74); aten.div.Tensor_mode(!, 2, \"trunc\")"},
    {operation::remainder, 0, "aten.clamp.default($, 0.1, 0.4); aten.remainder.Scalar(!, 0.5)"},
    {operation::fmod, 0, "aten.clamp.default($, -0.4, 0.4); aten.fmod.Scalar(!, 0.5)"},
    {operation::exp2, 0, "aten.clamp.default($, -3, 2); aten.exp2.default(!)"},
    {operation::log2, 0, "aten.abs.default($); nac.add(!, 0.5); aten.log2.default(!)"},
    {operation::log10, 0, "aten.abs.default($); nac.add(!, 0.5); aten.log10.default(!)"},
    {operation::log1p, 0, "aten.abs.default($); aten.log1p.default(!)"},
    {operation::expm1, 0, "aten.clamp.default($, -3, 2); aten.expm1.default(!)"},
    {operation::sinh, 0, "aten.clamp.default($, -3, 2); aten.sinh.default(!)"},
    {operation::cosh, 0, "aten.clamp.default($, -3, 2); aten.cosh.default(!)"},
    {operation::asinh, 0, "aten.asinh.default($)"},
    {operation::acosh, 0, "aten.abs.default($); nac.add(!, 1.5); aten.acosh.default(!)"},
    {operation::atanh, 0, "aten.clamp.default($, -0.75, 0.75); aten.atanh.default(!)"},
    {operation::logit, 0, "aten.sigmoid.default($); aten.logit.default(!)"},
    {operation::logit, 0, "aten.logit.default($, 0.2)"},
    {operation::logaddexp, 0, "aten.logaddexp.default($, #)"},
    {operation::erf, 0, "aten.erf.default($)"},
    {operation::erfc, 0, "aten.erfc.default($)"},
    {operation::sin, 0, "aten.sin.default($)"},
    {operation::sin, 0, "aten.clamp.default($, -4, 4); nac.mul(!, 3); aten.sin.default(!)"},
    {operation::cos, 0, "aten.cos.default($)"},
    {operation::tan, 0, "aten.clamp.default($, -1, 1); aten.tan.default(!)"},
    {operation::atan, 0, "nac.mul($, 3); aten.atan.default(!)"},
    {operation::atan2, 0,
     "aten.abs.default(#); nac.add(!, 0.25); nac.neg(!); aten.atan2.default($, !)"},
    {operation::atan2, 0, "aten.abs.default($); nac.add(!, 0.25); aten.atan2.default($, !)"},
    {operation::hypot, 0, "aten.hypot.default($, #)"},
    {operation::lerp, 0, "aten.lerp.Scalar($, #, 0.25)"},
    {operation::rad2deg, 0, "aten.rad2deg.default($)"},
    {operation::deg2rad, 0, "aten.deg2rad.default($)"},
    {operation::softshrink, 0, "aten.softshrink.default($, 0.3)"},
    {operation::hardshrink, 0, "aten.hardshrink.default($, 0.3)"},
    {operation::threshold, 0, "aten.threshold.default($, 0.1, 0)"},
    {operation::threshold, 0, "aten.threshold.default($, 0.1, -2)"},
    {operation::prelu, 4, "aten.prelu.default($, W(%1))"},
    {operation::prelu, 0, "aten.prelu.default($, W(1))"},
    {operation::rrelu, 0, "aten.rrelu.default($, 0.1, 0.3, false)"},
    {operation::glu, 4, "aten.glu.default($, 1)"},
    {operation::glu, 2, "aten.glu.default($)"},
    {operation::add_relu, 0, "aten._add_relu.Tensor($, #)"},
    {operation::xlogy, 0, "aten.abs.default(#); nac.add(!, 0.5); aten.xlogy.Tensor($, !)"},
    {operation::clamp_tensor, 2, "aten.clamp.Tensor($, W(%1), null)"},
    {operation::clamp_tensor, 3, "aten.clamp.Tensor($, null, W(%2))"},
    // Sums and others over dimensions.
    {operation::sum, 4, "aten.sum.dim_IntList($, [1, 3])"},
    {operation::sum, 3, "aten.sum.dim_IntList($, [0], true)"},
    {operation::sum, 0, "aten.sum.default($)"},
    {operation::mean, 4, "aten.mean.dim($, [0, 2])"},
    {operation::mean, 0, "aten.mean.default($)"},
    {operation::amax, 4, "aten.amax.default($, [1, 2])"},
    {operation::amax, 2, "aten.amax.default($, [-1], true)"},
    {operation::amin, 3, "aten.amin.default($, [1])"},
    {operation::max_all, 0, "aten.max.default($)"},
    {operation::min_all, 0, "aten.min.default($)"},
    {operation::max_dim, 3, "aten.max.dim($, 1); getitem(!, 0)"},
    {operation::max_dim, 4,
     "nac.gt($, 0); nac.where(!, 2, 1); aten.max.dim(!, -1, true); getitem(!, 1)"},
    {operation::min_dim, 3, "aten.min.dim($, 0); getitem(!, 0)"},
    {operation::argmax, 2, "nac.gt($, 0); nac.where(!, 2, 1); aten.argmax.default(!, 1)"},
    {operation::argmax, 3, "nac.gt($, 0); nac.where(!, 2, 1); aten.argmax.default(!, 0, true)"},
    {operation::argmax, 0, "nac.gt($, 0); nac.where(!, 2, 1); aten.argmax.default(!)"},
    {operation::argmin, 4, "nac.gt($, 0); nac.where(!, 2, 1); aten.argmin.default(!, 2)"},
    {operation::topk, 2, "aten.topk.default($, 3, -1); getitem(!, 0)"},
    {operation::topk, 3, "aten.topk.default($, 2, 1, false); getitem(!, 0)"},
    {operation::topk, 2,
     "nac.arange(%1, null, null); nac.add(!, $, 0.1); aten.topk.default(!, 2, -1); getitem(!, 1)"},
    {operation::any, 3, "nac.gt($, 0); aten.any.dim(!, 0)"},
    {operation::all, 4, "nac.gt($, 0); aten.all.dim(!, 1, true)"},
    {operation::any, 0, "nac.gt($, 0); aten.any.default(!)"},
    {operation::count_nonzero, 4, "aten.relu.default($); aten.count_nonzero.dim_IntList(!, [1])"},
    {operation::prod, 2, "aten.prod.dim_int($, 1)"},
    {operation::prod, 3, "aten.prod.dim_int($, 1, true)"},
    {operation::prod, 2, "aten.prod.dim_int($, 0)"},
    {operation::var, 4, "aten.var.correction($, [2, 3], 1, true)"},
    {operation::var, 2, "aten.var.correction($, [1], 0)"},
    {operation::var_mean, 3, "aten.var_mean.correction($, [1], 0); getitem(!, 1)"},
    {operation::std_dev, 3, "aten.std.correction($, [2], 1)"},
    {operation::std_mean, 4, "aten.std_mean.correction($, [1, 2], 0); getitem(!, 0)"},
    {operation::norm, 3, "aten.linalg_vector_norm.default($, 2, [-1], true)"},
    {operation::norm, 2, "aten.linalg_vector_norm.default($, 1, [0])"},
    {operation::norm, 2, "aten.linalg_vector_norm.default($, inf, [1])"},
    {operation::logsumexp, 3, "aten.logsumexp.default($, [1])"},
    {operation::logsumexp, 4, "aten.logsumexp.default($, [1, 3], true)"},
    {operation::cosine_similarity, 2, "aten.cosine_similarity.default($, #)"},
    {operation::cosine_similarity, 3, "aten.cosine_similarity.default($, W(%1,%2), -1)"},
    {operation::cumsum, 2, "aten.cumsum.default($, 1)"},
    {operation::cumsum, 4, "aten.cumsum.default($, 2)"},
    {operation::diff, 3, "aten.diff.default($)"},
    {operation::diff, 2, "aten.diff.default($, 2, 0)"},
    {operation::mse_loss, 0, "aten.mse_loss.default($, #)"},
    {operation::mse_loss, 3, "aten.mse_loss.default($, #, 0)"},
    {operation::l1_loss, 0, "aten.l1_loss.default($, #, 2)"},
    // Windows.
    {operation::conv1d, 3, "aten.conv1d.default($, W(%1,1,2), null, [1], [2], [2], %1)"},
    {operation::conv2d, 4, "aten.conv2d.default($, W(4,2,3,3), W(4), [1, 1], [1, 1], [1, 1], 2)"},
    {operation::conv3d, 4,
     "nac.view($, [%0, 1, %1, %2, %3]); aten.conv3d.default(!, W(3,1,3,2,2), W(3), [1, 2, 1], "
     "[1, 0, 1])"},
    {operation::conv3d, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.conv3d.default(!, W(%0,1,2,3,3), null, [2, 1, 1], "
     "[0, 1, 1], [1, 1, 1], %0)"},
    {operation::conv_padded, 4, "aten.conv2d.padding($, W(3,%1,4,3), W(3), [1, 1], \"same\")"},
    {operation::conv_padded, 3, "aten.conv1d.padding($, W(3,%1,3), null, [2], \"valid\")"},
    {operation::conv_transpose, 4,
     "aten.conv_transpose2d.input($, W(%1,3,3,2), W(3), [2, 1], [1, 0], [1, 0])"},
    {operation::conv_transpose, 4,
     "aten.conv_transpose2d.input($, W(%1,2,2,2), null, [2, 2], [0, 0], [0, 0], 2)"},
    {operation::conv_transpose, 3,
     "aten.conv_transpose1d.default($, W(%1,4,3), W(4), [3], [2], [1], 1, [2])"},
    {operation::convolution, 4,
     "aten.convolution.default($, W(%1,2,3,3), W(2), [2, 2], [3, 1], [1, 1], true, [1, 0], 1)"},
    {operation::max_pool1d, 3, "aten.max_pool1d.default($, [3], [2], [1])"},
    {operation::max_pool1d_with_indices, 3,
     "aten.max_pool1d_with_indices.default($, [2]); getitem(!, 0)"},
    {operation::max_pool2d, 4, "aten.max_pool2d.default($, [2, 2], [2, 2], [0, 0], [2, 1])"},
    {operation::max_pool2d, 4, "aten.max_pool2d.default($, [3, 2], [2, 2], [1, 1], [1, 1], true)"},
    {operation::max_pool3d, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.max_pool3d.default(!, [2, 3, 2], [1, 2, 2], "
     "[1, 1, 0])"},
    {operation::max_pool3d_with_indices, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.max_pool3d_with_indices.default(!, [2, 2, 2]); "
     "getitem(!, 0)"},
    {operation::avg_pool1d, 3, "aten.avg_pool1d.default($, [3], [2], [1])"},
    {operation::avg_pool2d, 4, "aten.avg_pool2d.default($, [3, 2], [2, 1], [1, 1])"},
    {operation::avg_pool2d, 4, "aten.avg_pool2d.default($, [3, 3], [2, 2], [1, 1], true, false)"},
    {operation::avg_pool2d, 4,
     "aten.avg_pool2d.default($, [2, 2], [2, 2], [0, 0], false, true, 3)"},
    {operation::avg_pool3d, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.avg_pool3d.default(!, [2, 3, 2], [2, 2, 2], "
     "[0, 1, 0])"},
    {operation::adaptive_avg_pool1d, 3, "aten.adaptive_avg_pool1d.default($, [3])"},
    {operation::adaptive_avg_pool2d, 4, "aten.adaptive_avg_pool2d.default($, [3, 3])"},
    {operation::adaptive_avg_pool3d, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.adaptive_avg_pool3d.default(!, [1, 3, 2])"},
    {operation::adaptive_max_pool1d, 3, "aten.adaptive_max_pool1d.default($, [3]); getitem(!, 0)"},
    {operation::adaptive_max_pool2d, 4,
     "aten.adaptive_max_pool2d.default($, [3, 2]); getitem(!, 0)"},
    {operation::adaptive_max_pool3d, 4,
     "nac.view($, [1, %0, %1, %2, %3]); aten.adaptive_max_pool3d.default(!, [2, 1, 3]); "
     "getitem(!, 0)"},
    {operation::pad, 4, "aten.pad.default($, [1, 2, 0, 1], \"constant\", 0.5)"},
    {operation::pad, 3, "aten.pad.default($, [-1, 1], \"constant\", null)"},
    {operation::pad, 3, "aten.pad.default($, [1, 2], \"reflect\")"},
    {operation::pad, 4, "aten.pad.default($, [2, 1, 1, 0], \"replicate\")"},
    {operation::pad, 4, "aten.pad.default($, [1, 1, 2, 1], \"circular\")"},
    {operation::reflection_pad, 4, "aten.reflection_pad2d.default($, [1, 0, 2, 1])"},
    {operation::replication_pad, 3, "aten.replication_pad1d.default($, [2, 1])"},
    {operation::pad_circular, 4, "aten._pad_circular.default($, [1, 2, 2, 1])"},
    {operation::upsample_nearest, 4, "aten.upsample_nearest2d.vec($, null, [2.0, 3.0])"},
    {operation::upsample_nearest_to, 4, "aten.upsample_nearest2d.default($, [11, 5])"},
    {operation::upsample_nearest_nd, 3, "aten.upsample_nearest1d.vec($, null, [2.0])"},
    {operation::upsample_nearest_nd_to, 3, "aten.upsample_nearest1d.default($, [13])"},
    {operation::upsample_nearest_exact, 4, "aten._upsample_nearest_exact2d.vec($, [7, 9], null)"},
    {operation::upsample_nearest_exact_to, 4, "aten._upsample_nearest_exact2d.default($, [5, 11])"},
    {operation::upsample_linear, 4, "aten.upsample_bilinear2d.vec($, null, false, [2.0, 1.5])"},
    {operation::upsample_linear_to, 4, "aten.upsample_bilinear2d.default($, [5, 12], true)"},
    {operation::upsample_linear_to, 3, "aten.upsample_linear1d.default($, [11], false)"},
    {operation::upsample_cubic, 4, "aten.upsample_bicubic2d.vec($, [8, 10], false, null)"},
    {operation::upsample_cubic_to, 4, "aten.upsample_bicubic2d.default($, [6, 9], true)"},
    {operation::upsample_linear_antialiased, 4,
     "aten._upsample_bilinear2d_aa.vec($, [3, 2], false, null)"},
    {operation::upsample_linear_antialiased_to, 4,
     "aten._upsample_bilinear2d_aa.default($, [3, 5], false)"},
    {operation::upsample_cubic_antialiased, 4,
     "aten._upsample_bicubic2d_aa.vec($, [3, 3], false, null)"},
    {operation::upsample_cubic_antialiased_to, 4,
     "aten._upsample_bicubic2d_aa.default($, [2, 3], false)"},
    // Norms and attention.
    {operation::fused_rms_norm, 3,
     "aten._fused_rms_norm.default($, [%2], W(%2), 0.1); getitem(!, 0)"},
    {operation::native_group_norm, 4,
     "aten.select.int($, 3, 0); aten.native_group_norm.default(!, W(%1), W(%1), %0, %1, %2, 1, "
     "0.1); getitem(!, 0)"},
    {operation::instance_norm, 4,
     "aten.instance_norm.default($, W(%1), W(%1), null, null, true, 0.1, 0.1, true)"},
    {operation::native_batch_norm, 4,
     "aten.native_batch_norm.default($, W(%1), W(%1), W(%1), P(%1), false, 0.1, 0.001); "
     "getitem(!, 0)"},
    {operation::batch_norm_of_batch, 4,
     "aten._native_batch_norm_legit.no_stats($, W(%1), W(%1), true, 0.1, 0.1); getitem(!, 0)"},
    {operation::attention_for_cpu, 4,
     "aten._scaled_dot_product_flash_attention_for_cpu.default($, #, $); getitem(!, 0)"},
    {operation::attention_flash, 4,
     "aten._scaled_dot_product_flash_attention.default($, #, $, 0.0, true); getitem(!, 0)"},
    {operation::attention_efficient, 4,
     "aten._scaled_dot_product_efficient_attention.default($, #, $, null, false); getitem(!, 0)"},
    {operation::attention_math, 4,
     "aten._scaled_dot_product_attention_math.default($, #, $); getitem(!, 0)"},
    {operation::attention, 4,
     "nac.gt(W(%2,%2), -0.5); aten.scaled_dot_product_attention.default($, $, #, !)"},
    // Products.
    {operation::addmv, 2, "aten.addmv.default(W(%0), $, W(%1))"},
    {operation::baddbmm, 3, "aten.baddbmm.default(W(%1,4), $, W(%0,%2,4), 0.5, 2)"},
    {operation::addmm, 2, "aten.addmm.default(W(%0,6), $, W(%1,6), 0.5, 2)"},
    {operation::mv, 2, "aten.mv.default($, W(%1))"},
    {operation::matmul, 3, "nac.matmul($, W(%2))"},
    {operation::dot, 0, "aten.flatten.using_ints($, 0); aten.dot.default(!, !)"},
    {operation::outer, 2, "aten.outer.default(W(5), W(3)); nac.mul($, 2)"},
    {operation::outer, 2, "aten.select.int($, 0, 1); aten.outer.default(!, W(3))"},
    {operation::einsum, 3, "aten.einsum.default(\"bik,bjk->bij\", $, #)"},
    {operation::einsum, 4, "aten.einsum.default(\"bchw,cd->bdwh\", $, W(%1,3))"},
    {operation::einsum, 2, "aten.einsum.default(\"ij,ij->i\", $, #)"},
    // Sequences.
    {operation::lstm, 3,
     "aten.lstm.input($, W(1,%1,4), W(1,%1,4), W(16,%2), W(16,4), W(16), W(16), true, 1, 0.0, "
     "false, false, false); getitem(!, 0)"},
    {operation::lstm, 3,
     "aten.lstm.input($, W(4,%0,3), W(4,%0,3), W(12,%2), W(12,3), W(12), W(12), W(12,%2), "
     "W(12,3), W(12), W(12), W(12,6), W(12,3), W(12), W(12), W(12,6), W(12,3), W(12), W(12), true, "
     "2, 0.0, false, true, true); getitem(!, 2)"},
    {operation::gru, 3,
     "aten.gru.input($, W(1,%0,5), W(15,%2), W(15,5), W(15), W(15), true, 1, 0.0, false, false, "
     "true); getitem(!, 0)"},
    {operation::gru, 3,
     "aten.gru.input($, W(2,%1,2), W(6,%2), W(6,2), W(6,%2), W(6,2), false, 1, 0.0, false, true, "
     "false); getitem(!, 1)"},
    {operation::rnn_tanh, 3,
     "aten.rnn_tanh.input($, W(1,%1,3), W(3,%2), W(3,3), W(3), W(3), true, 1, 0.0, false, false, "
     "false); getitem(!, 0)"},
    {operation::rnn_relu, 3,
     "aten.rnn_relu.input($, W(1,%0,3), W(3,%2), W(3,3), W(3), W(3), true, 1, 0.0, false, false, "
     "true); getitem(!, 1)"},
    {operation::lstm_cell, 2,
     "aten.lstm_cell.default($, W(%0,3), W(%0,3), W(12,%1), W(12,3), W(12), W(12)); getitem(!, 1)"},
    {operation::gru_cell, 2, "aten.gru_cell.default($, W(%0,3), W(9,%1), W(9,3), W(9), W(9))"},
    {operation::rnn_tanh_cell, 2, "aten.rnn_tanh_cell.default($, W(%0,3), W(3,%1), W(3,3))"},
    {operation::rnn_relu_cell, 2, "aten.rnn_relu_cell.default($, W(%0,3), W(3,%1), W(3,3))"},
    // Elements that only move.
    {operation::native_dropout, 0, "aten.native_dropout.default($, 0.5, false); getitem(!, 0)"},
    {operation::feature_dropout, 4, "aten.feature_dropout.default($, 0.5, false)"},
    {operation::alpha_dropout, 0, "aten.alpha_dropout.default($, 0.5, false)"},
    {operation::slice_scatter, 3, "aten.slice_scatter.default($, W(%0,2,%2), 1, 1, 5, 2)"},
    {operation::select_scatter, 4, "aten.select_scatter.default($, W(%0,%2,%3), 1, -1)"},
    {operation::fill, 3, "aten.mean.default($); aten.fill.Tensor($, !)"},
    {operation::copy, 2, "aten.copy.default(W(%0,%1), $)"},
    {operation::broadcast_tensors, 2, "aten.broadcast_tensors.default(W(%1), $); getitem(!, 0)"},
    {operation::hstack, 2, "aten.hstack.default($, W(%0,3))"},
    {operation::vstack, 2, "aten.vstack.default($, W(%1))"},
    {operation::im2col, 4, "aten.im2col.default($, [3, 2], [1, 1], [1, 1], [2, 1])"},
    {operation::diag_embed, 2, "aten.diag_embed.default($, 1)"},
    {operation::diag, 2, "aten.select.int($, 0, 1); aten.diag.default(!)"},
    {operation::diagflat, 2, "aten.select.int($, 1, 1); aten.diagflat.default(!, -1)"},
    {operation::nan_to_num, 0, "aten.log.default($); aten.nan_to_num.default(!, 0.5)"},
    {operation::nan_to_num, 0,
     "nac.gt($, 0); nac.where(!, $, -inf); aten.nan_to_num.default(!, 0, 2, -3)"},
    {operation::bucketize, 2,
     "nac.arange(3, null, null); nac.mul(!, 2.0); aten.bucketize.Tensor($, !)"},
    {operation::searchsorted, 2,
     "nac.arange(9, null, null); nac.mul(!, 1.0); aten.searchsorted.Tensor(!, $)"},
    {operation::index_add, 2,
     "nac.arange(3, null, null); aten.index_add.default($, 0, !, W(3,%1))"},
    {operation::left_shift, 2, COUNT(1) "; aten.bitwise_left_shift.Tensor_Scalar(!, 2)"},
    {operation::right_shift, 2, COUNT(1) "; aten.bitwise_right_shift.Tensor_Scalar(!, 1)"},
    {operation::smooth_l1_loss, 0, "aten.smooth_l1_loss.default($, #, 1, 0.5)"},
    {operation::huber_loss, 3, "aten.huber_loss.default($, W(%0,%1,%2), 0, 0.25)"},
    {operation::sort, 2, "aten.sort.default($, 1); getitem(!, 0)"},
    {operation::sort, 3, "aten.sort.default($, 0, true); getitem(!, 0)"},
    {operation::affine_grid_generator, 3,
     "aten.slice.Tensor($, 1, 0, 2); aten.slice.Tensor(!, 2, 0, 3); "
     "aten.affine_grid_generator.default(!, [%0, 1, 5, 4], false)"},
    {operation::grid_sampler, 4,
     "nac.view($, [-1, 1]); aten.slice.Tensor(!, 0, 0, 24); nac.view(!, [1, 3, 4, 2]); "
     "aten.expand.default(!, [%0, 3, 4, 2]); aten.grid_sampler.default(W(%0,2,3,2), !, 0, 1, "
     "false)"},
    {operation::grid_sampler, 4,
     "aten.slice.Tensor($, 2, 0, 3); aten.slice.Tensor(!, 3, 0, 2); "
     "aten.grid_sampler.default(!, P(%0,4,5,2), 1, 0, true)"},
    {operation::flip, 4, "aten.flip.default($, [1, 3])"},
    {operation::flip, 0, "aten.flip.default($, [0])"},
    {operation::flip_rows, 2, "aten.flipud.default($)"},
    {operation::flip_columns, 3, "aten.fliplr.default($)"},
    {operation::rot90, 2, "aten.rot90.default($, 1, [0, 1])"},
    {operation::roll, 4, "aten.roll.default($, [1, -2], [2, 3])"},
    {operation::pixel_shuffle, 4,
     "aten.repeat.default($, [1, 4, 1, 1]); aten.pixel_shuffle.default(!, 2)"},
    {operation::pixel_unshuffle, 4,
     "aten.repeat.default($, [1, 1, 2, 2]); aten.pixel_unshuffle.default(!, 2)"},
    {operation::channel_shuffle, 4, "aten.channel_shuffle.default($, 2)"},
    {operation::repeat_interleave, 3, "aten.repeat_interleave.self_int($, 2, 1)"},
    {operation::unfold, 3, "aten.unfold.default($, 2, 3, 2)"},
    {operation::tensor_split, 2, "aten.tensor_split.sections($, 5, 1); getitem(!, 1)"},
    {operation::tensor_split_at, 2, "aten.tensor_split.indices($, [1, 4], 0); getitem(!, 1)"},
    {operation::hsplit, 2, "aten.hsplit.int($, [2]); getitem(!, 1)"},
    {operation::vsplit, 2, "aten.vsplit.int($, [2]); getitem(!, 0)"},
    {operation::dsplit, 3, "aten.dsplit.int($, [2]); getitem(!, 1)"},
    {operation::diagonal, 3, "aten.diagonal.default($, 1, 1, 2)"},
    {operation::linalg_diagonal, 3, "aten.linalg_diagonal.default($)"},
    {operation::reverse_axes, 3, "aten.numpy_T.default($)"},
    {operation::adjoint, 3, "aten.adjoint.default($)"},
    {operation::as_strided, 2, "aten.as_strided.default($, [3, 4], [2, 3], 1)"},
    {operation::reshape_alias, 2, "aten._reshape_alias.default($, [%1, %0], [%0, 1])"},
    {operation::atleast_1d, 0, "aten.atleast_1d.default($)"},
    {operation::atleast_2d, 0, "aten.atleast_2d.default($)"},
    {operation::atleast_3d, 2, "aten.atleast_3d.default($)"},
    {operation::positive, 0, "aten.positive.default($)"},
    {operation::fftshift, 2, "aten.fft_fftshift.default($)"},
    {operation::ifftshift, 4, "aten.fft_ifftshift.default($)"},
    {operation::conj, 0, "aten.conj.default($)"},
    {operation::real, 0, "aten.real.default($)"},
};

using dimensions = std::vector<std::int64_t>;

/// The shape of a program's output; none where it can't run.
std::optional<dimensions> shape_of_output(const std::string& code, const dimensions& input) {
  const container net{std::string_view(code)};
  vm::nac::machine machine(net.program());
  std::int64_t n = 1;
  for (const std::int64_t d : input) n *= d;
  const std::vector<float> x(static_cast<std::size_t>(n), 0.5f);
  if (!machine.set_input(0, {input, std::span(x)}) || !machine.run()) return std::nullopt;
  const vm::array_view y = machine.output(0);
  return dimensions(y.shape.begin(), y.shape.end());
}

/// Rows applied to results before them.
class random_program {
 public:
  explicit random_program(std::uint64_t seed) : text_(seed) {
    const dimensions shapes[] = {{2, 4, 9, 7}, {2, 5, 8}, {6, 12}, {1, 6, 4, 4}};
    input_ = shapes[seed % 4];
    all_.push_back({text_.add("input"), input_});
  }

  /// Whether a row fits what there is; false leaves the program as it was.
  bool add(const row& r) {
    const value of =
        r.rank == 0 || text_.below(3) == 0 ? all_[text_.below(all_.size())] : all_.back();
    if (r.rank != 0 && of.shape.size() != r.rank) return false;
    const program_text before = text_;
    const std::string y = write(r.calls, of);
    const std::optional<dimensions> shape = shape_of_output(text_.with_output(y), input_);
    std::int64_t elements = shape ? 1 : 0;
    if (shape)
      for (const std::int64_t d : *shape) elements *= d;
    if (elements == 0 || elements > 3000) {
      text_ = before;
      return false;
    }
    all_.push_back({y, *shape});
    return true;
  }
  /// Rows of any operation.
  void add_some(std::size_t count) {
    for (std::size_t k = 0; k < 20 * count && all_.size() <= count; ++k)
      (void)add(rows[text_.below(std::size(rows))]);
  }
  [[nodiscard]] std::size_t size() const { return all_.size() - 1; }
  [[nodiscard]] const dimensions& input() const { return input_; }
  [[nodiscard]] std::string code() const { return text_.with_output(all_.back().name); }

 private:
  struct value {
    std::string name;
    dimensions shape;
  };

  [[nodiscard]] std::string other_of(const value& of) {
    std::vector<std::string> out;
    for (const value& v : all_)
      if (v.shape == of.shape) out.push_back(v.name);
    return out[text_.below(out.size())];
  }
  /// %1 as a number; % the number of elements but for the first dimension.
  static std::string with_dimensions(const char* calls, const dimensions& shape) {
    std::string out;
    for (const char* c = calls; *c != 0; ++c) {
      if (*c != '%') {
        out += *c;
      } else if (c[1] >= '0' && c[1] <= '9') {
        const auto d = static_cast<std::size_t>(*++c - '0');
        out += std::to_string(d < shape.size() ? shape[d] : 1);
      } else {
        std::int64_t n = 1;
        for (std::size_t d = 1; d < shape.size(); ++d) n *= shape[d];
        out += std::to_string(n);
      }
    }
    return out;
  }
  std::string write(const char* calls, const value& of) {
    std::string left = with_dimensions(calls, of.shape), last;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find("; "), left.size());
      std::string call = left.substr(0, end);
      left.erase(0, std::min(end + 2, left.size()));
      for (std::size_t at; (at = call.find_first_of("$#!")) != call.npos;)
        call.replace(at, 1, call[at] == '$' ? of.name : call[at] == '#' ? other_of(of) : last);
      for (std::size_t at; (at = call.find_first_of("WP")) != call.npos;) {
        const std::size_t close = call.find(')', at);
        dimensions shape;
        for (std::size_t k = at + 2; k < close; k = call.find_first_of(",)", k) + 1)
          shape.push_back(std::stoll(call.substr(k)));
        std::string weight = text_.weight(shape);
        if (call[at] == 'P') weight = text_.add("aten.exp.default(" + weight + ")");
        call.replace(at, close + 1 - at, weight);
      }
      last = text_.add(call);
    }
    return last;
  }

  program_text text_;
  dimensions input_;
  std::vector<value> all_;
};

/// Of a type or of memory a device may lack something, and floats of 16 bits don't have all integers.
bool may_refuse(const std::string& why) {
  return why.find("the smallest tile takes") != why.npos ||
         why.find("the device has no ") != why.npos ||
         why.find(" for all of the calibration's inputs") != why.npos ||
         why.find(" for the calibration's inputs") != why.npos ||
         why.find(" aren't exact in ") != why.npos ||
         why.find("its result has no elements") != why.npos ||
         why.find("its operand has no dimension") != why.npos ||
         why.find("one of another type") != why.npos ||
         why.find("it chooses truth values") != why.npos;
}

struct counts {
  std::size_t lowered = 0, refused = 0;
  void add(const std::string& why) {
    INFO(why);
    CHECK((why.empty() || may_refuse(why)));
    ++(why.empty() ? lowered : refused);
  }
};

}  // namespace

TEST_CASE("transform/lower_laws: all mapped operations are in random programs", "[transform]") {
  for (std::size_t k = 1; k < nac::operation_count; ++k) {
    const auto o = static_cast<operation>(k);
    INFO(nac::operations[k].names);
    const bool is_mapped = transform::lowering::find_mapping(o) != nullptr;
    CHECK(is_mapped ==
          std::any_of(std::begin(rows), std::end(rows), [&](const row& r) { return r.what == o; }));
  }
}

namespace {

/// A program with a row in it, after `before` others at most; the first seed that makes one.
random_program program_with(std::size_t k, std::uint64_t& seed, std::size_t before) {
  for (const std::uint64_t end = seed + 64; seed != end; ++seed) {
    random_program out(seed);
    out.add_some(before == 0 ? 0 : seed % before);
    if (out.add(rows[k])) return out;
  }
  FAIL("no program has " << rows[k].calls);
  return random_program(0);
}

// The fuzz target makes such programs with sanitizers.
constexpr std::size_t rounds = test::sanitized ? 1 : 2;

/// How many tolerances: random programs take logarithms of what is near 1, and divide by what is near 0.
/// What is wrong in a lowering is wrong by far more.
constexpr double any_condition = 32, few_digits = 4;

}  // namespace

TEST_CASE("transform/lower_laws: random programs in float32", "[transform]") {
  constexpr std::int64_t l1[] = {4 << 20, 1 << 16, 1 << 13, 1 << 12};
  constexpr std::int64_t l2[] = {16 << 20, 1 << 12};
  counts all;
  for (std::size_t k = 0; k < rounds * std::size(rows); ++k) {
    std::uint64_t seed = k * 64;
    random_program net = program_with(k % std::size(rows), seed, 3);
    net.add_some(net.size() + seed % 3);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    all.add(lowers(c.program(), device("large", l1[k % 4], l2[k % 2]), {net.input()}, element::f32,
                   nullptr, {}, any_condition));
  }
  CHECK(all.refused <= all.lowered / 10);
}

TEST_CASE("transform/lower_laws: random programs in 16 bits", "[transform]") {
  counts halves, brains;
  for (std::size_t k = 0; k < std::size(rows); ++k) {
    std::uint64_t seed = k * 64;
    const random_program net = program_with(k, seed, 0);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    for (const char* const name : {"small", "npm_lite"})
      halves.add(
          lowers(c.program(), device(name), {net.input()}, element::f16, nullptr, {}, few_digits));
    // Its eltwise, view and gemm.
    brains.add(lowers(c.program(), device("npm_lite"), {net.input()}, element::bf16, nullptr, {},
                      few_digits));
  }
  CHECK(halves.refused <= halves.lowered / 20);
  CHECK(brains.refused <= brains.lowered / 2);
}

TEST_CASE("transform/lower_laws: random programs in 8 bits", "[transform]") {
  constexpr std::int64_t l1[] = {1 << 16, 1 << 13, 1 << 12};
  counts all;
  for (std::size_t k = 0; k < rounds * std::size(rows); ++k) {
    std::uint64_t seed = k * 64 + 7;
    random_program net = program_with(k % std::size(rows), seed, 3);
    net.add_some(net.size() + seed % 3);
    const std::string code = net.code();
    INFO("seed " << seed << '\n' << code);
    const container c{std::string_view(code)};
    const std::string on = k % 2 == 0 ? "small" : "large";
    all.add(lowers(c.program(), device(on, l1[k % 3], 1 << 14), {net.input()}, element::i8));
  }
  CHECK(all.refused <= all.lowered / 10);
}
