// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rows of nac/operations.hpp, which explains the letters of the arguments.

#ifndef TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP
#define TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP

// One row each, X(enumerator, work, order, arguments, what PyTorch calls them, names), for whatever
// has something for every operation: a machine's functions, say. Blanks separate words. New rows come
// last, for the numbers of genes are made of their places.
// clang-format off
#define TESSERA_NAC_OPERATIONS(X)                                                                  \
  X(pass, part, kept, "x?d*", "self p", "nac.pass aten.detach.default aten.alias.default "         \
    "aten.lift.default aten.lift_fresh.default aten.resolve_conj.default "                         \
    "aten.resolve_neg.default")                                                                    \
  X(dropout, draw, kept, "t?nb", "input p train", "aten.dropout.default")                          \
  X(feature_dropout, draw, kept, "t?nb", "input p train", "aten.feature_dropout.default")          \
  X(native_dropout, draw, kept, "tn?B", "input p train", "aten.native_dropout.default")            \
  X(rand, uniform, row_major, "v?d*", "size dtype", "aten.rand.default aten.rand.generator")       \
  X(rand_like, uniform, kept, "t?d*", "self dtype", "aten.rand_like.default "                      \
    "aten.rand_like.generator")                                                                    \
  X(randn, normal, row_major, "v?d*", "size dtype", "aten.randn.default aten.randn.generator")     \
  X(randn_like, normal, kept, "t?d*", "self dtype", "aten.randn_like.default "                     \
    "aten.randn_like.generator")                                                                   \
  X(randint, uniform, row_major, "n?nld*", "high low size dtype", "aten.randint.default "          \
    "aten.randint.low aten.randint.generator aten.randint.low_generator")                          \
  X(randint_like, uniform, kept, "tn?nd*", "self high low dtype", "aten.randint_like.default "     \
    "aten.randint_like.low_dtype aten.randint_like.Tensor aten.randint_like.generator "            \
    "aten.randint_like.low_generator_dtype aten.randint_like.Tensor_generator")                    \
  X(randperm, uniform, row_major, "i?d*", "n dtype", "aten.randperm.default "                      \
    "aten.randperm.generator")                                                                     \
  X(uniform, uniform, kept, "t?nn", "self from to", "aten.uniform.default")                        \
  X(normal, normal, kept, "x?xld*", "mean std size dtype", "aten.normal.Tensor_Tensor "            \
    "aten.normal.Tensor_float aten.normal.float_Tensor aten.normal.float_float")                   \
  X(normal_like, normal, kept, "t?nn", "self mean std", "aten.normal_functional.default "          \
    "aten.normal_.default")                                                                        \
  X(bernoulli, draw, kept, "t", "self", "aten.bernoulli.default")                                  \
  X(bernoulli_by, draw, kept, "t?x", "self p", "aten.bernoulli.p aten.bernoulli.Tensor "           \
    "aten.bernoulli_.float")                                                                       \
  X(multinomial, compare, kept, "ti?b", "self num_samples replacement",                            \
    "aten.multinomial.default")                                                                    \
  X(add, each, kept, "xx?n", "self other alpha", "nac.add aten.add.Tensor aten.add.Scalar add "    \
    "_operator.add")                                                                               \
  X(sub, each, kept, "xx?n", "self other alpha", "nac.sub aten.sub.Tensor aten.sub.Scalar sub "    \
    "_operator.sub aten.subtract.Tensor aten.subtract.Scalar")                                     \
  X(rsub, each, kept, "xx?n", "self other alpha", "aten.rsub.Tensor aten.rsub.Scalar")             \
  X(gt, each, kept, "xx", "self other", "nac.gt aten.gt.Tensor aten.gt.Scalar gt _operator.gt "    \
    "aten.greater.Tensor aten.greater.Scalar")                                                     \
  X(neg, each, kept, "x", "self", "nac.neg aten.neg.default neg _operator.neg "                    \
    "aten.negative.default")                                                                       \
  X(positive, part, kept, "t", "self", "aten.positive.default")                                    \
  X(where, move, kept, "txx", "condition self other", "nac.where aten.where.self "                 \
    "aten.where.ScalarOther aten.where.ScalarSelf aten.where.Scalar")                              \
  X(where_true, each, unknown, "t", "self", "aten.where.default aten.nonzero_numpy.default")       \
  X(masked_fill, move, kept, "ttx", "self mask value", "aten.masked_fill.Scalar "                  \
    "aten.masked_fill.Tensor")                                                                     \
  X(clone, each, kept, "x?d", "self memory_format", "nac.clone aten.clone.default "                \
    "aten.lift_fresh_copy.default aten.contiguous.default aten.alias_copy.default "                \
    "aten.detach_copy.default")                                                                    \
  X(view, part, kept, "tv", "self size", "nac.view aten.view.default aten.reshape.default "        \
    "aten._unsafe_view.default aten.view_copy.default aten._reshape_copy.default")                 \
  X(view_bits, part, kept, "td", "self dtype", "aten.view.dtype aten.view_copy.dtype")             \
  X(le, each, kept, "xx", "self other", "nac.le aten.le.Tensor aten.le.Scalar le _operator.le "    \
    "aten.less_equal.Tensor aten.less_equal.Scalar")                                               \
  X(arange, pick, row_major, "n?nnd*", "start end step dtype", "nac.arange aten.arange.default "   \
    "aten.arange.start aten.arange.start_step")                                                    \
  X(linspace, pick, row_major, "nnn?d*", "start end steps dtype", "aten.linspace.default "         \
    "aten.linspace.Tensor_Tensor aten.linspace.Tensor_Scalar aten.linspace.Scalar_Tensor")         \
  X(logspace, each, row_major, "nnn?nd*", "start end steps base dtype", "aten.logspace.default "   \
    "aten.logspace.Tensor_Tensor aten.logspace.Tensor_Scalar aten.logspace.Scalar_Tensor")         \
  X(mul, each, kept, "xx", "self other", "nac.mul aten.mul.Tensor aten.mul.Scalar mul "            \
    "_operator.mul aten.multiply.Tensor aten.multiply.Scalar")                                     \
  X(div, function, kept, "xx", "self other", "nac.div aten.div.Tensor aten.div.Scalar truediv "    \
    "_operator.truediv aten.divide.Tensor aten.true_divide.Tensor aten.divide.Scalar "             \
    "aten.true_divide.Scalar")                                                                     \
  X(matmul, each, row_major, "tt", "self other", "nac.matmul aten.matmul.default "                 \
    "aten.mm.default aten.bmm.default aten.linalg_matmul.default")                                 \
  X(transpose, move, unknown, "t?ii", "self dim0 dim1", "nac.transpose aten.transpose.int "        \
    "aten.t.default aten.swapaxes.default aten.swapdims.default aten.transpose_.default "          \
    "aten.transpose_copy.int aten.t_copy.default")                                                 \
  X(zeros, part, row_major, "v?d*", "size dtype", "nac.zeros aten.zeros.default "                  \
    "aten.empty.memory_format")                                                                    \
  X(zeros_like, part, kept, "t?d*", "self dtype", "nac.zeros_like aten.zeros_like.default "        \
    "aten.empty_like.default aten.zero.default")                                                   \
  X(new_zeros, part, row_major, "tv?d*", "self size dtype", "nac.new_zeros "                       \
    "aten.new_zeros.default aten.new_empty.default")                                               \
  X(ones, part, row_major, "v?d*", "size dtype", "nac.ones aten.ones.default")                     \
  X(ones_like, part, kept, "t?d*", "self dtype", "nac.ones_like aten.ones_like.default")           \
  X(new_ones, part, row_major, "tv?d*", "self size dtype", "nac.new_ones aten.new_ones.default")   \
  X(new_full, part, row_major, "tvn?d*", "self size fill_value dtype", "aten.new_full.default")    \
  X(full, part, row_major, "vn?d*", "size fill_value dtype", "nac.full aten.full.default")         \
  X(full_like, part, kept, "tn?d*", "self fill_value dtype", "nac.full_like "                      \
    "aten.full_like.default")                                                                      \
  X(getitem, part, kept, "ti", "self index", "getitem operator.getitem")                           \
  X(sym_size, part, kept, "ti", "self dim", "aten.sym_size.int aten.size.int")                     \
  X(sym_stride, part, kept, "ti", "self other", "aten.sym_stride.int aten.stride.int")             \
  X(sym_storage_offset, part, kept, "t", "self", "aten.sym_storage_offset.default "                \
    "aten.storage_offset.default")                                                                 \
  X(sym_is_contiguous, part, kept, "t?d*", "self memory_format",                                   \
    "aten.sym_is_contiguous.default aten.is_contiguous.default aten.is_contiguous.memory_format")  \
  X(as_strided, move, unknown, "tll?I", "self size stride storage_offset",                         \
    "aten.as_strided.default aten.as_strided_copy.default")                                        \
  X(resize, part, kept, "tv?d*", "self size memory_format", "aten.resize.default")                 \
  X(relu, each, kept, "t", "self", "aten.relu.default")                                            \
  X(exp, function, kept, "t", "self", "aten.exp.default")                                          \
  X(cos, function, kept, "t", "self", "aten.cos.default")                                          \
  X(sin, function, kept, "t", "self", "aten.sin.default")                                          \
  X(tanh, function, kept, "t", "self", "aten.tanh.default")                                        \
  X(abs, each, kept, "t", "self", "aten.abs.default aten.absolute.default")                        \
  X(log, function, kept, "t", "self", "aten.log.default")                                          \
  X(sqrt, root, kept, "t", "self", "aten.sqrt.default")                                            \
  X(rsqrt, root, kept, "t", "self", "aten.rsqrt.default")                                          \
  X(reciprocal, root, kept, "t", "self", "aten.reciprocal.default")                                \
  X(square, each, kept, "t", "self", "aten.square.default")                                        \
  X(floor, each, kept, "t", "self", "aten.floor.default")                                          \
  X(ceil, each, kept, "t", "self", "aten.ceil.default")                                            \
  X(round, root, kept, "t", "self", "aten.round.default")                                          \
  X(round_decimals, each, kept, "t?i", "self decimals", "aten.round.decimals "                     \
    "aten.special_round.default")                                                                  \
  X(erf, function, kept, "t", "self", "aten.erf.default aten.special_erf.default")                 \
  X(sigmoid, function, kept, "t", "self", "aten.sigmoid.default aten.special_expit.default")       \
  X(hardsigmoid, root, kept, "t", "self", "aten.hardsigmoid.default")                              \
  X(hardswish, root, kept, "t", "self", "aten.hardswish.default")                                  \
  X(silu, function, kept, "t", "self", "aten.silu.default")                                        \
  X(gelu, function, kept, "t?s", "self approximate", "aten.gelu.default")                          \
  X(leaky_relu, each, kept, "t?n", "self negative_slope", "aten.leaky_relu.default")               \
  X(elu, function, kept, "t?nnn", "self alpha scale input_scale", "aten.elu.default")              \
  X(softplus, function, kept, "t?nn", "self beta threshold", "aten.softplus.default")              \
  X(prelu, root, kept, "tt", "self weight", "aten.prelu.default aten._prelu_kernel.default")       \
  X(clamp, each, kept, "t?NN", "self min max", "aten.clamp.default aten.clamp_min.default "        \
    "aten.clip.default")                                                                           \
  X(clamp_max, each, kept, "tn", "self max", "aten.clamp_max.default")                             \
  X(pow, function, kept, "xx", "self exponent", "aten.pow.Tensor_Scalar aten.pow.Tensor_Tensor "   \
    "aten.pow.Scalar pow _operator.pow aten.pow_.Tensor")                                          \
  X(float_power, each, kept, "xx", "self exponent", "aten.float_power.Tensor_Tensor "              \
    "aten.float_power.Tensor_Scalar aten.float_power.Scalar aten.float_power_.Tensor")             \
  X(ldexp, each, kept, "tx", "self other", "aten.ldexp.Tensor aten.ldexp_.default")                \
  X(minimum, each, kept, "xx", "self other", "aten.min.other aten.minimum.default "                \
    "aten.clamp_max.Tensor torch.sym_min")                                                         \
  X(maximum, each, kept, "xx", "self other", "aten.max.other aten.maximum.default torch.sym_max")  \
  X(floor_divide, function, kept, "xx", "self other", "aten.floor_divide.default floordiv "        \
    "_operator.floordiv aten.floor_divide.Scalar aten.floor_divide_.Tensor")                       \
  X(remainder, function, kept, "xx", "self other", "aten.remainder.Tensor aten.remainder.Scalar "  \
    "mod _operator.mod aten.remainder.Scalar_Tensor")                                              \
  X(fmod, function, kept, "tx", "self other", "aten.fmod.Tensor aten.fmod.Scalar")                 \
  X(div_mode, function, kept, "xx?S", "self other rounding_mode", "aten.div.Tensor_mode "          \
    "aten.div.Scalar_mode aten.divide.Tensor_mode aten.divide.Scalar_mode")                        \
  X(left_shift, each, kept, "xx", "self other", "aten.__lshift__.Tensor aten.__lshift__.Scalar "   \
    "aten.bitwise_left_shift.Tensor aten.bitwise_left_shift.Tensor_Scalar "                        \
    "aten.bitwise_left_shift.Scalar_Tensor _operator.lshift")                                      \
  X(right_shift, each, kept, "xx", "self other", "aten.__rshift__.Tensor aten.__rshift__.Scalar "  \
    "aten.bitwise_right_shift.Tensor aten.bitwise_right_shift.Tensor_Scalar "                      \
    "aten.bitwise_right_shift.Scalar_Tensor _operator.rshift")                                     \
  X(atan2, function, kept, "tt?t", "self other out", "aten.atan2.default aten.atan2.out "          \
    "aten.arctan2.default")                                                                        \
  X(hypot, function, kept, "tt", "self other", "aten.hypot.default")                               \
  X(addcmul, each, kept, "ttt?n", "self tensor1 tensor2 value", "aten.addcmul.default")            \
  X(addcdiv, function, kept, "ttt?n", "self tensor1 tensor2 value", "aten.addcdiv.default")        \
  X(lerp, each, kept, "ttx", "self end weight", "aten.lerp.Scalar aten.lerp.Tensor")               \
  X(lt, each, kept, "xx", "self other", "aten.lt.Tensor aten.lt.Scalar aten.lt.default lt "        \
    "_operator.lt aten.less.Tensor aten.less.Scalar")                                              \
  X(ge, each, kept, "xx", "self other", "aten.ge.Tensor aten.ge.Scalar ge _operator.ge "           \
    "aten.greater_equal.Tensor aten.greater_equal.Scalar")                                         \
  X(eq, each, kept, "xx", "self other", "aten.eq.Tensor aten.eq.Scalar eq _operator.eq")           \
  X(ne, each, kept, "xx", "self other", "aten.ne.Tensor aten.ne.Scalar ne _operator.ne "           \
    "aten.not_equal.Tensor aten.not_equal.Scalar")                                                 \
  X(isclose, each, kept, "tt?nnb", "self other rtol atol equal_nan", "aten.isclose.default")       \
  X(allclose, each, kept, "tt?nnb", "self other rtol atol equal_nan", "aten.allclose.default")     \
  X(equal, each, kept, "tt", "self other", "aten.equal.default")                                   \
  X(bitwise_and, each, kept, "xx", "self other", "aten.__and__.Tensor aten.bitwise_and.Tensor "    \
    "aten.bitwise_and.Scalar aten.__and__.Scalar aten.bitwise_and.Scalar_Tensor _operator.and_")   \
  X(bitwise_or, each, kept, "xx", "self other", "aten.__or__.Tensor aten.bitwise_or.Tensor "       \
    "aten.bitwise_or.Scalar aten.__or__.Scalar aten.bitwise_or.Scalar_Tensor _operator.or_")       \
  X(bitwise_xor, each, kept, "xx", "self other", "aten.__xor__.Tensor aten.bitwise_xor.Tensor "    \
    "aten.bitwise_xor.Scalar aten.__xor__.Scalar aten.bitwise_xor.Scalar_Tensor")                  \
  X(bitwise_not, each, kept, "t", "self", "aten.__not__.Tensor aten.bitwise_not.default")          \
  X(logical_and, each, kept, "tt", "self other", "aten.logical_and.default")                       \
  X(logical_or, each, kept, "tt", "self other", "aten.logical_or.default")                         \
  X(logical_xor, each, kept, "tt", "self other", "aten.logical_xor.default")                       \
  X(logical_not, each, kept, "t", "self", "aten.logical_not.default")                              \
  X(tan, function, kept, "t", "self", "aten.tan.default")                                          \
  X(sinh, function, kept, "t", "self", "aten.sinh.default")                                        \
  X(cosh, function, kept, "t", "self", "aten.cosh.default")                                        \
  X(asin, function, kept, "t", "self", "aten.asin.default aten.arcsin.default")                    \
  X(acos, function, kept, "t", "self", "aten.acos.default aten.arccos.default")                    \
  X(atan, function, kept, "t", "self", "aten.atan.default aten.arctan.default")                    \
  X(asinh, function, kept, "t", "self", "aten.asinh.default aten.arcsinh.default")                 \
  X(acosh, function, kept, "t", "self", "aten.acosh.default aten.arccosh.default")                 \
  X(atanh, function, kept, "t", "self", "aten.atanh.default aten.arctanh.default")                 \
  X(exp2, function, kept, "t", "self", "aten.exp2.default aten.special_exp2.default")              \
  X(expm1, function, kept, "t", "self", "aten.expm1.default aten.special_expm1.default")           \
  X(log2, function, kept, "t", "self", "aten.log2.default")                                        \
  X(log10, function, kept, "t", "self", "aten.log10.default")                                      \
  X(log1p, function, kept, "t", "self", "aten.log1p.default aten.special_log1p.default")           \
  X(erfc, function, kept, "t", "self", "aten.erfc.default aten.special_erfc.default")              \
  X(deg2rad, each, kept, "t", "self", "aten.deg2rad.default")                                      \
  X(rad2deg, each, kept, "t", "self", "aten.rad2deg.default")                                      \
  X(trunc, root, kept, "t", "self", "aten.trunc.default aten.fix.default")                         \
  X(frac, root, kept, "t", "self", "aten.frac.default")                                            \
  X(sign, each, kept, "t", "self", "aten.sign.default aten.sgn.default")                           \
  X(mish, function, kept, "t", "self", "aten.mish.default")                                        \
  X(log_sigmoid, function, kept, "t", "self", "aten.log_sigmoid.default")                          \
  X(relu6, each, kept, "t", "self", "aten.relu6.default")                                          \
  X(hardtanh, each, kept, "t?nn", "self min_val max_val", "aten.hardtanh.default")                 \
  X(selu, function, kept, "t", "self", "aten.selu.default")                                        \
  X(celu, function, kept, "t?n", "self alpha", "aten.celu.default")                                \
  X(softshrink, root, kept, "t?n", "self lambd", "aten.softshrink.default")                        \
  X(hardshrink, root, kept, "t?n", "self lambd", "aten.hardshrink.default")                        \
  X(threshold, each, kept, "tnn", "self threshold value", "aten.threshold.default")                \
  X(logit, function, kept, "t?N", "self eps", "aten.logit.default aten.special_logit.default")     \
  X(nan_to_num, root, kept, "t?NNN", "self nan posinf neginf", "aten.nan_to_num.default")          \
  X(isfinite, each, kept, "t", "self", "aten.isfinite.default")                                    \
  X(signbit, each, kept, "t", "self", "aten.signbit.default")                                      \
  X(isnan, each, kept, "t", "self", "aten.isnan.default")                                          \
  X(isinf, each, kept, "t", "self", "aten.isinf.default")                                          \
  X(sinc, function, kept, "t", "self", "aten.sinc.default aten.special_sinc.default")              \
  X(angle, each, kept, "t", "self", "aten.angle.default")                                          \
  X(isposinf, each, kept, "t", "self", "aten.isposinf.default")                                    \
  X(isneginf, each, kept, "t", "self", "aten.isneginf.default")                                    \
  X(fmin, each, kept, "tx", "self other", "aten.fmin.default")                                     \
  X(fmax, each, kept, "tx", "self other", "aten.fmax.default")                                     \
  X(gcd, compare, kept, "tx", "self other", "aten.gcd.default")                                    \
  X(lcm, compare, kept, "tx", "self other", "aten.lcm.default")                                    \
  X(logaddexp, function, kept, "tx", "self other", "aten.logaddexp.default")                       \
  X(logaddexp2, function, kept, "tx", "self other", "aten.logaddexp2.default")                     \
  X(xlogy, function, kept, "xx", "self other", "aten.xlogy.Tensor aten.xlogy.Scalar_Self "         \
    "aten.xlogy.Scalar_Other aten.special_xlogy.default aten.special_xlogy.self_scalar "           \
    "aten.special_xlogy.other_scalar")                                                             \
  X(xlog1py, function, kept, "xx", "self other", "aten.special_xlog1py.default "                   \
    "aten.special_xlog1py.self_scalar aten.special_xlog1py.other_scalar")                          \
  X(copysign, each, kept, "tx", "self other", "aten.copysign.Tensor aten.copysign.Scalar")         \
  X(heaviside, each, kept, "tt", "self values", "aten.heaviside.default")                          \
  X(clamp_tensor, each, kept, "t?TT", "self min max", "aten.clamp.Tensor aten.clamp_min.Tensor "   \
    "aten.clip.Tensor")                                                                            \
  X(glu, function, kept, "t?i", "self dim", "aten.glu.default")                                    \
  X(linear, each, row_major, "tt?T", "input weight bias", "aten.linear.default")                   \
  X(addmm, each, row_major, "ttt?nn", "self mat1 mat2 beta alpha", "aten.addmm.default")           \
  X(baddbmm, each, row_major, "ttt?nn", "self batch1 batch2 beta alpha", "aten.baddbmm.default")   \
  X(outer, each, kept, "tt", "self vec2", "aten.outer.default aten.ger.default")                   \
  X(dot, each, kept, "tt", "self tensor", "aten.dot.default aten.vdot.default")                    \
  X(mv, each, kept, "tt", "self vec", "aten.mv.default")                                           \
  X(vecdot, each, kept, "tt?i", "x y dim", "aten.linalg_vecdot.default")                           \
  X(inner, each, kept, "tt", "self other", "aten.inner.default")                                   \
  X(addmv, each, kept, "ttt?nn", "self mat vec beta alpha", "aten.addmv.default")                  \
  X(addr, each, kept, "ttt?nn", "self vec1 vec2 beta alpha", "aten.addr.default")                  \
  X(addbmm, each, kept, "ttt?nn", "self batch1 batch2 beta alpha", "aten.addbmm.default")          \
  X(kron, each, kept, "tt", "self other", "aten.kron.default")                                     \
  X(tensordot, each, kept, "ttll", "self other dims_self dims_other", "aten.tensordot.default")    \
  X(multi_dot, each, kept, "t*", "self", "aten.linalg_multi_dot.default "                          \
    "aten.chain_matmul.default")                                                                   \
  X(bilinear, each, kept, "ttt?T", "input1 input2 weight bias", "aten.bilinear.default")           \
  X(cdist, fold, kept, "tt?nI", "x1 x2 p compute_mode", "aten.cdist.default "                      \
    "aten._cdist_forward.default")                                                                 \
  X(pdist, fold, kept, "t?n", "self p", "aten.pdist.default aten._pdist_forward.default")          \
  X(cross, each, kept, "tt?I", "self other dim", "aten.cross.default")                             \
  X(linalg_cross, each, kept, "tt?i", "self other dim", "aten.linalg_cross.default")               \
  X(det, each, kept, "t", "self", "aten.linalg_det.default aten.det.default")                      \
  X(linalg_det, each, kept, "t", "A", "aten._linalg_det.default")                                  \
  X(logdet, each, row_major, "t", "self", "aten.logdet.default")                                   \
  X(inverse, each, unknown, "t", "self", "aten.linalg_inv.default aten.inverse.default")           \
  X(inverse_ex, each, unknown, "t?b", "A check_errors", "aten.linalg_inv_ex.default")              \
  X(solve, each, unknown, "tt?b", "A B left", "aten.linalg_solve.default")                         \
  X(solve_ex, each, unknown, "tt?bb", "A B left check_errors", "aten._linalg_solve_ex.default")    \
  X(solve_triangular, each, unknown, "ttb?bb", "self B upper left unitriangular",                  \
    "aten.linalg_solve_triangular.default")                                                        \
  X(cholesky, each, unknown, "t?b", "self upper", "aten.linalg_cholesky.default "                  \
    "aten.cholesky.default")                                                                       \
  X(cholesky_ex, each, unknown, "t?bb", "self upper check_errors",                                 \
    "aten.linalg_cholesky_ex.default")                                                             \
  X(einsum, product, kept, "st*", "equation tensors", "aten.einsum.default")                       \
  X(conv1d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv1d.default")                                                                         \
  X(conv2d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv2d.default")                                                                         \
  X(conv3d, each, kept, "tt?Tllli", "input weight bias stride padding dilation groups",            \
    "aten.conv3d.default")                                                                         \
  X(conv_padded, each, kept, "tt?Tlsli", "input weight bias stride padding dilation groups",       \
    "aten.conv1d.padding aten.conv2d.padding aten.conv3d.padding aten._convolution_mode.default")  \
  X(convolution, each, kept, "ttTlllbli?d*",                                                       \
    "input weight bias stride padding dilation transposed output_padding groups flags",            \
    "aten.convolution.default aten._convolution.default aten.convolution_overrideable.default")    \
  X(conv_transpose, each, kept, "tt?Tlllil",                                                       \
    "input weight bias stride padding output_padding groups dilation",                             \
    "aten.conv_transpose1d.default aten.conv_transpose2d.input aten.conv_transpose3d.input")       \
  X(conv2d_precomputed, each, kept, "ttTl", "input weight bias sizes", "nac.conv2d_precomputed")   \
  X(batch_norm, fold, kept, "tTTttnn", "input weight bias running_mean running_var momentum eps",  \
    "aten._native_batch_norm_legit_no_training.default")                                           \
  X(batch_norm_by_mode, fold, kept, "tTTTTbnnb",                                                   \
    "input weight bias running_mean running_var training momentum eps cudnn_enabled",              \
    "aten.batch_norm.default")                                                                     \
  X(native_batch_norm, fold, kept, "tTTTTbnn",                                                     \
    "input weight bias running_mean running_var training momentum eps",                            \
    "aten.native_batch_norm.default aten._native_batch_norm_legit.default")                        \
  X(batch_norm_of_batch, fold, kept, "tTTbnn", "input weight bias training momentum eps",          \
    "aten._native_batch_norm_legit.no_stats")                                                      \
  X(batch_norm_functional, fold, kept, "tTTttbnn",                                                 \
    "input weight bias running_mean running_var training momentum eps",                            \
    "aten._native_batch_norm_legit_functional.default")                                            \
  X(instance_norm, passes, kept, "tTTTTbnnb",                                                      \
    "input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled",       \
    "aten.instance_norm.default")                                                                  \
  X(layer_norm, passes, kept, "tl?TTnb", "input normalized_shape weight bias eps cudnn_enable",    \
    "aten.layer_norm.default")                                                                     \
  X(native_layer_norm, passes, kept, "tlTTn", "input normalized_shape weight bias eps",            \
    "aten.native_layer_norm.default")                                                              \
  X(group_norm, passes, kept, "ti?TTnb", "input num_groups weight bias eps cudnn_enabled",         \
    "aten.group_norm.default")                                                                     \
  X(native_group_norm, passes, kept, "tTTiiiin", "input weight bias N C HxW group eps",            \
    "aten.native_group_norm.default")                                                              \
  X(rms_norm, passes, kept, "tl?TN", "input normalized_shape weight eps", "aten.rms_norm.default") \
  X(fused_rms_norm, passes, kept, "tlTN", "input normalized_shape weight eps",                     \
    "aten._fused_rms_norm.default")                                                                \
  X(weight_norm, passes, kept, "tt?i", "v g dim", "aten._weight_norm.default")                     \
  X(weight_norm_interface, passes, kept, "tt?i", "v g dim", "aten._weight_norm_interface.default") \
  X(softmax, passes, kept, "ti?d", "self dim dtype", "aten.softmax.int aten._softmax.default "     \
    "aten.special_softmax.default")                                                                \
  X(log_softmax, passes, kept, "ti?d", "self dim dtype", "aten.log_softmax.int "                   \
    "aten._log_softmax.default aten.special_log_softmax.default")                                  \
  X(safe_softmax, passes, kept, "ti?d", "self dim dtype", "aten._safe_softmax.default")            \
  X(attention, each, unknown, "ttt?TnbNb",                                                         \
    "query key value attn_mask dropout_p is_causal scale enable_gqa",                              \
    "aten.scaled_dot_product_attention.default")                                                   \
  X(attention_for_cpu, each, unknown, "ttt?nbTN",                                                  \
    "query key value dropout_p is_causal attn_mask scale",                                         \
    "aten._scaled_dot_product_flash_attention_for_cpu.default")                                    \
  X(attention_flash, each, unknown, "ttt?nbbN",                                                    \
    "query key value dropout_p is_causal return_debug_mask scale",                                 \
    "aten._scaled_dot_product_flash_attention.default")                                            \
  X(attention_efficient, each, unknown, "tttTb?nbN",                                               \
    "query key value attn_bias compute_log_sumexp dropout_p is_causal scale",                      \
    "aten._scaled_dot_product_efficient_attention.default")                                        \
  X(attention_math, each, unknown, "ttt?TnbTNb",                                                   \
    "query key value attn_mask dropout_p is_causal dropout_mask scale enable_gqa",                 \
    "aten._scaled_dot_product_attention_math.default")                                             \
  X(attention_cudnn, each, unknown, "tttTb?nbbN",                                                  \
    "query key value attn_bias compute_log_sumexp dropout_p is_causal return_debug_mask scale",    \
    "aten._scaled_dot_product_cudnn_attention.default")                                            \
  X(attention_overrideable, each, unknown, "ttt?TnbbN",                                            \
    "query key value attn_bias dropout_p is_causal return_debug_mask scale",                       \
    "aten._scaled_dot_product_fused_attention_overrideable.default")                               \
  X(embedding, pick, row_major, "tt?ibb", "weight indices padding_idx scale_grad_by_freq sparse",  \
    "aten.embedding.default")                                                                      \
  X(embedding_bag, fold, kept, "ttt?bibTbI",                                                       \
    "weight indices offsets scale_grad_by_freq "                                                   \
    "mode sparse per_sample_weights include_last_offset padding_idx",                              \
    "aten.embedding_bag.default aten.embedding_bag.padding_idx")                                   \
  X(embedding_bag_forward, fold, kept, "ttt?bibTbi",                                               \
    "weight indices offsets scale_grad_by_freq "                                                   \
    "mode sparse per_sample_weights include_last_offset padding_idx",                              \
    "aten._embedding_bag.default aten._embedding_bag_forward_only.default")                        \
  X(slice, part, unknown, "t?iIIi", "self dim start end step", "aten.slice.Tensor "                \
    "aten.slice_copy.Tensor")                                                                      \
  X(select, part, unknown, "tii", "self dim index", "aten.select.int aten.select_copy.int")        \
  X(slice_scatter, move, kept, "tt?iIIi", "self src dim start end step",                           \
    "aten.slice_scatter.default")                                                                  \
  X(index, move, unknown, "tT*", "self indices", "aten.index.Tensor aten._unsafe_index.Tensor")    \
  X(index_select, pick, row_major, "tit", "self dim index", "aten.index_select.default")           \
  X(gather, move, kept, "tit?b", "self dim index sparse_grad", "aten.gather.default")              \
  X(scatter, move, kept, "titx", "self dim index src", "aten.scatter.src aten.scatter.value")      \
  X(scatter_add, move, kept, "titt", "self dim index src", "aten.scatter_add.default")             \
  X(scatter_by_word, move, kept, "titxs", "self dim index src reduce", "aten.scatter.reduce "      \
    "aten.scatter.value_reduce")                                                                   \
  X(scatter_reduce, move, kept, "titts?b", "self dim index src reduce include_self",               \
    "aten.scatter_reduce.two")                                                                     \
  X(index_add, move, kept, "titt?n", "self dim index source alpha", "aten.index_add.default")      \
  X(index_reduce, move, kept, "titts?b", "self dim index source reduce include_self",              \
    "aten.index_reduce.default")                                                                   \
  X(index_copy, move, kept, "titt", "self dim index source", "aten.index_copy.default")            \
  X(index_fill, move, kept, "titx", "self dim index value", "aten.index_fill.int_Scalar "          \
    "aten.index_fill.int_Tensor")                                                                  \
  X(take_along_dim, move, kept, "tt?I", "self indices dim", "aten.take_along_dim.default")         \
  X(take, move, kept, "tt", "self index", "aten.take.default")                                     \
  X(put, move, kept, "ttt?b", "self index source accumulate", "aten.put.default")                  \
  X(index_put, move, kept, "tT*?bb", "self indices accumulate unsafe", "aten.index_put.default "   \
    "aten._unsafe_index_put.default aten._index_put_impl.default")                                 \
  X(masked_select, move, kept, "tt", "self mask", "aten.masked_select.default")                    \
  X(masked_scatter, move, kept, "ttt", "self mask source", "aten.masked_scatter.default")          \
  X(nonzero, move, unknown, "t", "self", "aten.nonzero.default aten.argwhere.default")             \
  X(one_hot, each, row_major, "t?i", "self num_classes", "aten.one_hot.default")                   \
  X(expand, part, unknown, "tv", "self size", "aten.expand.default aten.broadcast_to.default "     \
    "aten.expand_copy.default")                                                                    \
  X(repeat, move, kept, "tv", "self repeats", "aten.repeat.default")                               \
  X(tile, move, kept, "tv", "self dims", "aten.tile.default")                                      \
  X(permute, move, unknown, "tv", "self dims", "aten.permute.default aten.permute_copy.default")   \
  X(flip, move, kept, "tl", "self dims", "aten.flip.default")                                      \
  X(flip_columns, move, kept, "t", "self", "aten.fliplr.default")                                  \
  X(flip_rows, move, kept, "t", "self", "aten.flipud.default")                                     \
  X(rot90, move, kept, "t?il", "self k dims", "aten.rot90.default")                                \
  X(roll, move, kept, "tl?l", "self shifts dims", "aten.roll.default")                             \
  X(squeeze, part, kept, "t?l", "self dim", "aten.squeeze.default aten.squeeze.dim "               \
    "aten.squeeze.dims aten.squeeze_copy.default aten.squeeze_copy.dim aten.squeeze_copy.dims")    \
  X(unsqueeze, part, kept, "ti", "self dim", "aten.unsqueeze.default aten.unsqueeze_copy.default") \
  X(atleast_1d, part, kept, "t", "self", "aten.atleast_1d.default")                                \
  X(atleast_2d, part, kept, "t", "self", "aten.atleast_2d.default")                                \
  X(atleast_3d, part, kept, "t", "self", "aten.atleast_3d.default")                                \
  X(cat, move, kept, "t*?i", "tensors dim", "aten.cat.default aten.concat.default "                \
    "aten.concatenate.default")                                                                    \
  X(stack, move, kept, "t*?i", "tensors dim", "aten.stack.default aten._stack.default")            \
  X(hstack, move, kept, "t*", "tensors", "aten.hstack.default")                                    \
  X(vstack, move, kept, "t*", "tensors", "aten.vstack.default aten.row_stack.default")             \
  X(dstack, move, kept, "t*", "tensors", "aten.dstack.default")                                    \
  X(column_stack, move, kept, "t*", "tensors", "aten.column_stack.default")                        \
  X(split, parts, unknown, "ti?i", "self split_size dim", "aten.split.Tensor "                     \
    "aten.unsafe_split.Tensor aten.split_copy.Tensor")                                             \
  X(split_with_sizes, parts, unknown, "tl?i", "self split_sizes dim",                              \
    "aten.split_with_sizes.default aten.split.sizes aten.unsafe_split_with_sizes.default "         \
    "aten.split_with_sizes_copy.default")                                                          \
  X(chunk, parts, unknown, "ti?i", "self chunks dim", "aten.chunk.default "                        \
    "aten.unsafe_chunk.default")                                                                   \
  X(unbind, parts, unknown, "t?i", "self dim", "aten.unbind.int aten.unbind_copy.int")             \
  X(mean, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.mean.dim aten.mean.default")   \
  X(sum, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.sum.dim_IntList "               \
    "aten.sum.default")                                                                            \
  X(var, passes, row_major, "t?LNb", "self dim correction keepdim", "aten.var.correction "         \
    "aten.var.dim aten.var.default")                                                               \
  X(std_dev, passes, row_major, "t?LNb", "self dim correction keepdim", "aten.std.correction "     \
    "aten.std.dim aten.std.default")                                                               \
  X(var_mean, passes, kept, "t?LNb", "self dim correction keepdim", "aten.var_mean.correction "    \
    "aten.var_mean.dim aten.var_mean.default")                                                     \
  X(all, fold, row_major, "t?Lb", "self dim keepdim", "aten.all.default aten.all.dim "             \
    "aten.all.dims aten._is_all_true.default")                                                     \
  X(any, fold, row_major, "t?Lb", "self dim keepdim", "aten.any.default aten.any.dim "             \
    "aten.any.dims aten._is_any_true.default")                                                     \
  X(max_all, fold, row_major, "t", "self", "aten.max.default")                                     \
  X(min_all, fold, row_major, "t", "self", "aten.min.default")                                     \
  X(max_dim, fold, row_major, "ti?b", "self dim keepdim", "aten.max.dim")                          \
  X(min_dim, fold, row_major, "ti?b", "self dim keepdim", "aten.min.dim")                          \
  X(amax, fold, row_major, "t?lb", "self dim keepdim", "aten.amax.default")                        \
  X(amin, fold, row_major, "t?lb", "self dim keepdim", "aten.amin.default")                        \
  X(argmax, fold, row_major, "t?Ib", "self dim keepdim", "aten.argmax.default")                    \
  X(argmin, fold, row_major, "t?Ib", "self dim keepdim", "aten.argmin.default")                    \
  X(prod, fold, row_major, "t?Ibd", "self dim keepdim dtype", "aten.prod.default "                 \
    "aten.prod.dim_int")                                                                           \
  X(nansum, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.nansum.default")             \
  X(nanmean, fold, row_major, "t?Lbd", "self dim keepdim dtype", "aten.nanmean.default")           \
  X(count_nonzero, fold, kept, "t?L", "self dim", "aten.count_nonzero.default "                    \
    "aten.count_nonzero.dim_IntList")                                                              \
  X(logsumexp, passes, row_major, "tl?b", "self dim keepdim", "aten.logsumexp.default "            \
    "aten.special_logsumexp.default")                                                              \
  X(std_mean, passes, kept, "t?LNb", "self dim correction keepdim", "aten.std_mean.correction "    \
    "aten.std_mean.dim aten.std_mean.default")                                                     \
  X(aminmax, fold, kept, "t?Ib", "self dim keepdim", "aten.aminmax.default "                       \
    "aten._aminmax.default aten._aminmax.dim")                                                     \
  X(norm, passes, row_major, "t?NLbd", "self ord dim keepdim dtype",                               \
    "aten.linalg_vector_norm.default aten.norm.Scalar aten.norm.ScalarOpt_dim "                    \
    "aten.norm.ScalarOpt_dtype aten.norm.ScalarOpt_dim_dtype")                                     \
  X(frobenius_norm, each, kept, "tl?b", "self dim keepdim", "aten.frobenius_norm.dim")             \
  X(dist, passes, kept, "tt?n", "self other p", "aten.dist.default")                               \
  X(cosine_similarity, passes, kept, "tt?in", "x1 x2 dim eps", "aten.cosine_similarity.default")   \
  X(pairwise_distance, each, kept, "tt?nnb", "x1 x2 p eps keepdim",                                \
    "aten.pairwise_distance.default")                                                              \
  X(mse_loss, each, kept, "tt?i", "self target reduction", "aten.mse_loss.default")                \
  X(l1_loss, each, kept, "tt?i", "self target reduction", "aten.l1_loss.default")                  \
  X(smooth_l1_loss, each, kept, "tt?in", "self target reduction beta",                             \
    "aten.smooth_l1_loss.default")                                                                 \
  X(huber_loss, each, kept, "tt?in", "self target reduction delta", "aten.huber_loss.default")     \
  X(soft_margin_loss, each, kept, "tt?i", "self target reduction",                                 \
    "aten.soft_margin_loss.default")                                                               \
  X(binary_cross_entropy, each, kept, "tt?Ti", "self target weight reduction",                     \
    "aten.binary_cross_entropy.default")                                                           \
  X(binary_cross_entropy_with_logits, each, kept, "tt?TTi",                                        \
    "self target weight pos_weight reduction", "aten.binary_cross_entropy_with_logits.default")    \
  X(kl_div, each, kept, "tt?ib", "self target reduction log_target", "aten.kl_div.default")        \
  X(hinge_embedding_loss, each, kept, "tt?ni", "self target margin reduction",                     \
    "aten.hinge_embedding_loss.default")                                                           \
  X(margin_ranking_loss, each, kept, "ttt?ni", "input1 input2 target margin reduction",            \
    "aten.margin_ranking_loss.default")                                                            \
  X(cosine_embedding_loss, each, kept, "ttt?ni", "input1 input2 target margin reduction",          \
    "aten.cosine_embedding_loss.default")                                                          \
  X(triplet_margin_loss, each, kept, "ttt?nnnbi",                                                  \
    "anchor positive negative margin p eps swap reduction", "aten.triplet_margin_loss.default")    \
  X(median, passes, kept, "t", "self", "aten.median.default")                                      \
  X(nanmedian, passes, kept, "t", "self", "aten.nanmedian.default")                                \
  X(median_dim, passes, kept, "ti?b", "self dim keepdim", "aten.median.dim")                       \
  X(nanmedian_dim, passes, kept, "ti?b", "self dim keepdim", "aten.nanmedian.dim")                 \
  X(mode, compare, kept, "t?ib", "self dim keepdim", "aten.mode.default")                          \
  X(kthvalue, passes, kept, "ti?ib", "self k dim keepdim", "aten.kthvalue.default")                \
  X(histc, fold, kept, "t?inn", "self bins min max", "aten.histc.default")                         \
  X(bincount, fold, kept, "t?Ti", "self weights minlength", "aten.bincount.default")               \
  X(trace, each, kept, "t", "self", "aten.trace.default")                                          \
  X(diff, each, kept, "t?iiTT", "self n dim prepend append", "aten.diff.default")                  \
  X(topk, compare, kept, "ti?ibb", "self k dim largest sorted", "aten.topk.default")               \
  X(sort, compare, kept, "t?ib", "self dim descending", "aten.sort.default")                       \
  X(argsort, compare, kept, "t?ib", "self dim descending", "aten.argsort.default")                 \
  X(argsort_stable, compare, kept, "tB?ib", "self stable dim descending", "aten.argsort.stable")   \
  X(sort_stable, compare, kept, "tB?ib", "self stable dim descending", "aten.sort.stable")         \
  X(msort, compare, kept, "t", "self", "aten.msort.default")                                       \
  X(searchsorted, compare, kept, "tx?bbST", "sorted_sequence self out_int32 right side sorter",    \
    "aten.searchsorted.Tensor aten.searchsorted.Scalar")                                           \
  X(bucketize, compare, kept, "xt?bb", "self boundaries out_int32 right",                          \
    "aten.bucketize.Tensor aten.bucketize.Scalar")                                                 \
  X(isin, compare, kept, "xx?bb", "elements test_elements assume_unique invert",                   \
    "aten.isin.Tensor_Tensor aten.isin.Tensor_Scalar aten.isin.Scalar_Tensor")                     \
  X(unique, compare, kept, "t?bbb", "self sorted return_inverse return_counts",                    \
    "aten._unique2.default")                                                                       \
  X(cumsum, fold, kept, "ti?d", "self dim dtype", "aten.cumsum.default")                           \
  X(cumprod, fold, kept, "ti?d", "self dim dtype", "aten.cumprod.default")                         \
  X(cummax, fold, kept, "ti", "self dim", "aten.cummax.default")                                   \
  X(cummin, fold, kept, "ti", "self dim", "aten.cummin.default")                                   \
  X(logcumsumexp, passes, kept, "ti", "self dim", "aten.logcumsumexp.default")                     \
  X(triu, each, kept, "t?i", "self diagonal", "aten.triu.default")                                 \
  X(tril, each, kept, "t?i", "self diagonal", "aten.tril.default")                                 \
  X(pad, move, kept, "tl?sN", "self pad mode value", "aten.pad.default "                           \
    "aten.constant_pad_nd.default")                                                                \
  X(max_pool2d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool2d.default")                                                                     \
  X(avg_pool2d, each, kept, "tl?llbbI",                                                            \
    "self kernel_size stride padding ceil_mode count_include_pad divisor_override",                \
    "aten.avg_pool2d.default")                                                                     \
  X(adaptive_avg_pool2d, each, kept, "tl", "self output_size",                                     \
    "aten.adaptive_avg_pool2d.default aten._adaptive_avg_pool2d.default")                          \
  X(max_pool1d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool1d.default")                                                                     \
  X(max_pool3d, each, kept, "tl?lllb", "self kernel_size stride padding dilation ceil_mode",       \
    "aten.max_pool3d.default")                                                                     \
  X(max_pool1d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool1d_with_indices.default")  \
  X(max_pool2d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool2d_with_indices.default")  \
  X(max_pool3d_with_indices, each, kept, "tl?lllb",                                                \
    "self kernel_size stride padding dilation ceil_mode", "aten.max_pool3d_with_indices.default")  \
  X(avg_pool1d, each, kept, "tl?llbb",                                                             \
    "self kernel_size stride padding ceil_mode count_include_pad", "aten.avg_pool1d.default")      \
  X(avg_pool3d, each, kept, "tl?llbbI",                                                            \
    "self kernel_size stride padding ceil_mode count_include_pad divisor_override",                \
    "aten.avg_pool3d.default")                                                                     \
  X(adaptive_avg_pool1d, each, kept, "tl", "self output_size", "aten.adaptive_avg_pool1d.default") \
  X(adaptive_avg_pool3d, each, kept, "tl", "self output_size",                                     \
    "aten.adaptive_avg_pool3d.default aten._adaptive_avg_pool3d.default")                          \
  X(adaptive_max_pool1d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool1d.default") \
  X(adaptive_max_pool2d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool2d.default") \
  X(adaptive_max_pool3d, each, kept, "tl", "self output_size", "aten.adaptive_max_pool3d.default") \
  X(upsample_linear, each, kept, "t?VbR", "input output_size align_corners scale_factors",         \
    "aten.upsample_linear1d.vec aten.upsample_bilinear2d.vec aten.upsample_trilinear3d.vec")       \
  X(upsample_linear_to, each, kept, "tlb?NNN",                                                     \
    "self output_size align_corners scales_d scales_h scales_w",                                   \
    "aten.upsample_linear1d.default aten.upsample_bilinear2d.default "                             \
    "aten.upsample_trilinear3d.default")                                                           \
  X(upsample_cubic, each, kept, "t?VbR", "input output_size align_corners scale_factors",          \
    "aten.upsample_bicubic2d.vec")                                                                 \
  X(upsample_cubic_to, each, kept, "tlb?NN", "self output_size align_corners scales_h scales_w",   \
    "aten.upsample_bicubic2d.default")                                                             \
  X(upsample_linear_antialiased, each, kept, "t?VbR",                                              \
    "input output_size align_corners scale_factors", "aten._upsample_bilinear2d_aa.vec")           \
  X(upsample_linear_antialiased_to, each, kept, "tlb?NN",                                          \
    "self output_size align_corners scales_h scales_w", "aten._upsample_bilinear2d_aa.default")    \
  X(upsample_cubic_antialiased, each, kept, "t?VbR",                                               \
    "input output_size align_corners scale_factors", "aten._upsample_bicubic2d_aa.vec")            \
  X(upsample_cubic_antialiased_to, each, kept, "tlb?NN",                                           \
    "self output_size align_corners scales_h scales_w", "aten._upsample_bicubic2d_aa.default")     \
  X(upsample_nearest_nd, each, kept, "t?VR", "input output_size scale_factors",                    \
    "aten.upsample_nearest1d.vec aten.upsample_nearest3d.vec")                                     \
  X(upsample_nearest_nd_to, each, kept, "tl?NNN", "self output_size scales_d scales_h scales_w",   \
    "aten.upsample_nearest1d.default aten.upsample_nearest3d.default")                             \
  X(upsample_nearest_exact, each, kept, "t?VR", "input output_size scale_factors",                 \
    "aten._upsample_nearest_exact1d.vec aten._upsample_nearest_exact2d.vec "                       \
    "aten._upsample_nearest_exact3d.vec")                                                          \
  X(upsample_nearest_exact_to, each, kept, "tl?NNN",                                               \
    "self output_size scales_d scales_h scales_w", "aten._upsample_nearest_exact1d.default "       \
    "aten._upsample_nearest_exact2d.default aten._upsample_nearest_exact3d.default")               \
  X(grid_sampler, each, kept, "ttiib", "input grid interpolation_mode padding_mode align_corners", \
    "aten.grid_sampler.default aten.grid_sampler_2d.default aten.grid_sampler_3d.default")         \
  X(affine_grid_generator, each, kept, "tlb", "theta size align_corners",                          \
    "aten.affine_grid_generator.default")                                                          \
  X(im2col, each, kept, "tllll", "self kernel_size dilation padding stride",                       \
    "aten.im2col.default")                                                                         \
  X(col2im, each, kept, "tlllll", "self output_size kernel_size dilation padding stride",          \
    "aten.col2im.default")                                                                         \
  X(unfold, move, unknown, "tiii", "self dimension size step", "aten.unfold.default "              \
    "aten.unfold_copy.default")                                                                    \
  X(pixel_shuffle, move, kept, "ti", "self upscale_factor", "aten.pixel_shuffle.default")          \
  X(pixel_unshuffle, move, kept, "ti", "self downscale_factor", "aten.pixel_unshuffle.default")    \
  X(channel_shuffle, move, kept, "ti", "self groups", "aten.channel_shuffle.default "              \
    "aten.native_channel_shuffle.default")                                                         \
  X(reflection_pad, move, kept, "tl", "self padding", "aten.reflection_pad1d.default "             \
    "aten.reflection_pad2d.default aten.reflection_pad3d.default")                                 \
  X(replication_pad, move, kept, "tl", "self padding", "aten.replication_pad1d.default "           \
    "aten.replication_pad2d.default aten.replication_pad3d.default")                               \
  X(upsample_nearest, move, kept, "t?VR", "input output_size scale_factors",                       \
    "aten.upsample_nearest2d.vec")                                                                 \
  X(upsample_nearest_to, move, kept, "tl?NN", "self output_size scales_h scales_w",                \
    "aten.upsample_nearest2d.default")                                                             \
  X(to_copy, move, kept, "x?d*", "self dtype", "aten._to_copy.default aten.to.dtype "              \
    "aten.to.device aten.to.dtype_layout quantized_decomposed.convert_element_type.no_fuse")       \
  X(type_as, move, kept, "tt?d*", "self other dtype", "aten.type_as.default aten.to.other")        \
  X(copy, each, kept, "tx?b", "self src non_blocking", "aten.copy.default")                        \
  X(fill, part, kept, "tn", "self value", "aten.fill.Scalar aten.fill.Tensor")                     \
  X(scalar_tensor, part, row_major, "n?d*", "s dtype", "aten.scalar_tensor.default")               \
  X(empty_strided, part, unknown, "ll?d*", "size stride dtype", "aten.empty_strided.default "      \
    "aten.empty_permuted.default")                                                                 \
  X(new_empty_strided, part, unknown, "tll?d*", "self size stride dtype",                          \
    "aten.new_empty_strided.default")                                                              \
  X(flatten, each, kept, "t?ii", "self start_dim end_dim", "aten.flatten.using_ints "              \
    "aten.ravel.default")                                                                          \
  X(unflatten, each, kept, "til", "self dim sizes", "aten.unflatten.int")                          \
  X(expand_as, each, unknown, "tt", "self other", "aten.expand_as.default")                        \
  X(broadcast_tensors, move, unknown, "t*", "tensors", "aten.broadcast_tensors.default")           \
  X(reshape_as, each, kept, "tt", "self other", "aten.reshape_as.default aten.view_as.default")    \
  X(movedim, move, unknown, "tll", "self source destination", "aten.movedim.int "                  \
    "aten.movedim.intlist aten.moveaxis.int aten.moveaxis.intlist")                                \
  X(reverse_axes, move, unknown, "t", "self", "aten.numpy_T.default")                              \
  X(transpose_matrices, each, unknown, "t", "self", "aten.mT.default")                             \
  X(adjoint, each, unknown, "t", "self", "aten.mH.default aten.adjoint.default "                   \
    "aten.matrix_H.default")                                                                       \
  X(narrow, each, unknown, "tiii", "self dim start length", "aten.narrow.default "                 \
    "aten.narrow_copy.default aten.narrow.Tensor")                                                 \
  X(diagonal, move, unknown, "t?iii", "self offset dim1 dim2", "aten.diagonal.default "            \
    "aten.diagonal_copy.default")                                                                  \
  X(linalg_diagonal, each, unknown, "t?iii", "A offset dim1 dim2", "aten.linalg_diagonal.default") \
  X(diag, move, unknown, "t?i", "self diagonal", "aten.diag.default")                              \
  X(diag_embed, move, unknown, "t?iii", "self offset dim1 dim2", "aten.diag_embed.default")        \
  X(diagflat, move, kept, "t?i", "self offset", "aten.diagflat.default")                           \
  X(diagonal_scatter, move, kept, "tt?iii", "self src offset dim1 dim2",                           \
    "aten.diagonal_scatter.default")                                                               \
  X(select_scatter, move, kept, "ttii", "self src dim index", "aten.select_scatter.default")       \
  X(tensor_split, each, unknown, "ti?i", "self sections dim", "aten.tensor_split.sections")        \
  X(tensor_split_at, each, unknown, "tl?i", "self indices dim", "aten.tensor_split.indices")       \
  X(meshgrid, move, unknown, "t*?s", "tensors indexing", "aten.meshgrid.default "                  \
    "aten.meshgrid.indexing")                                                                      \
  X(repeat_interleave, move, kept, "tx?II", "self repeats dim output_size",                        \
    "aten.repeat_interleave.self_int aten.repeat_interleave.self_Tensor")                          \
  X(repeat_indices, each, kept, "t?I", "repeats output_size", "aten.repeat_interleave.Tensor")     \
  X(eye, each, row_major, "n?nd*", "n m dtype", "aten.eye.default aten.eye.m")                     \
  X(tril_indices, each, row_major, "ii?id*", "row col offset dtype", "aten.tril_indices.default")  \
  X(triu_indices, each, row_major, "ii?id*", "row col offset dtype", "aten.triu_indices.default")  \
  X(sym_numel, each, kept, "t", "self", "aten.sym_numel.default aten.numel.default")               \
  X(item, each, kept, "t", "self", "aten.item.default aten._local_scalar_dense.default")           \
  X(assert_metadata, each, kept, "t?LLd*", "a size stride dtype",                                  \
    "aten._assert_tensor_metadata.default")                                                        \
  X(assert_true, each, kept, "x?s", "self assert_msg", "aten._assert_scalar.default "              \
    "aten._assert_async.default aten._assert_async.msg")                                           \
  X(constrain_range, part, kept, "n?NN", "size min max", "aten.sym_constrain_range.default "       \
    "aten.sym_constrain_range_for_size.default")                                                   \
  X(lstm_cell, function, kept, "ttttt?TT", "input hx cx w_ih w_hh b_ih b_hh",                      \
    "aten.lstm_cell.default")                                                                      \
  X(gru_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh", "aten.gru_cell.default")  \
  X(rnn_tanh_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh",                      \
    "aten.rnn_tanh_cell.default")                                                                  \
  X(rnn_relu_cell, function, kept, "tttt?TT", "input hx w_ih w_hh b_ih b_hh",                      \
    "aten.rnn_relu_cell.default")                                                                  \
  X(lstm, function, unknown, "t*binbbb",                                                           \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.lstm.input")      \
  X(gru, function, unknown, "t*binbbb",                                                            \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.gru.input")       \
  X(rnn_tanh, function, unknown, "t*binbbb",                                                       \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.rnn_tanh.input")  \
  X(rnn_relu, function, unknown, "t*binbbb",                                                       \
    "input has_biases num_layers dropout train bidirectional batch_first", "aten.rnn_relu.input")  \
  X(view_as_real, each, unknown, "t", "self", "aten.view_as_real.default "                         \
    "aten.view_as_real_copy.default")                                                              \
  X(view_as_complex, each, unknown, "t", "self", "aten.view_as_complex.default "                   \
    "aten.view_as_complex_copy.default")                                                           \
  X(real, each, unknown, "t", "self", "aten.real.default")                                         \
  X(imag, each, unknown, "t", "self", "aten.imag.default")                                         \
  X(complex, each, kept, "tt", "real imag", "aten.complex.default")                                \
  X(polar, each, kept, "tt", "abs angle", "aten.polar.default")                                    \
  X(conj, each, kept, "t", "self", "aten.conj.default aten._conj.default "                         \
    "aten.conj_physical.default aten._conj_physical.default aten._conj_copy.default")              \
  X(fft, each, kept, "t?IiS", "self n dim norm", "aten.fft_fft.default")                           \
  X(ifft, each, kept, "t?IiS", "self n dim norm", "aten.fft_ifft.default")                         \
  X(rfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_rfft.default")                         \
  X(irfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_irfft.default")                       \
  X(fft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_fft2.default")                         \
  X(ifft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_ifft2.default")                       \
  X(rfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_rfft2.default")                       \
  X(irfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_irfft2.default")                     \
  X(fftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_fftn.default")                         \
  X(ifftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_ifftn.default")                       \
  X(rfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_rfftn.default")                       \
  X(irfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_irfftn.default")                     \
  X(hfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_hfft.default")                         \
  X(ihfft, each, kept, "t?IiS", "self n dim norm", "aten.fft_ihfft.default")                       \
  X(hfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_hfft2.default")                       \
  X(ihfft2, each, kept, "t?LlS", "self s dim norm", "aten.fft_ihfft2.default")                     \
  X(hfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_hfftn.default")                       \
  X(ihfftn, each, kept, "t?LLS", "self s dim norm", "aten.fft_ihfftn.default")                     \
  X(fft_r2c, each, kept, "tlib", "self dim normalization onesided", "aten._fft_r2c.default")       \
  X(fft_c2r, each, kept, "tlii", "self dim normalization last_dim_size", "aten._fft_c2r.default")  \
  X(fft_c2c, each, kept, "tlib", "self dim normalization forward", "aten._fft_c2c.default")        \
  X(fftshift, each, kept, "t?L", "self dim", "aten.fft_fftshift.default")                          \
  X(ifftshift, each, kept, "t?L", "self dim", "aten.fft_ifftshift.default")                        \
  X(fftfreq, each, kept, "i?nd*", "n d dtype", "aten.fft_fftfreq.default")                         \
  X(rfftfreq, each, kept, "i?nd*", "n d dtype", "aten.fft_rfftfreq.default")                       \
  X(hann_window, function, kept, "i?d*", "window_length dtype", "aten.hann_window.default")        \
  X(hann_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",                  \
    "aten.hann_window.periodic")                                                                   \
  X(hamming_window, function, kept, "i?d*", "window_length dtype", "aten.hamming_window.default")  \
  X(hamming_window_by_mode, function, kept, "ib?nnd*", "window_length periodic alpha beta dtype",  \
    "aten.hamming_window.periodic aten.hamming_window.periodic_alpha "                             \
    "aten.hamming_window.periodic_alpha_beta")                                                     \
  X(blackman_window, function, kept, "i?d*", "window_length dtype",                                \
    "aten.blackman_window.default")                                                                \
  X(blackman_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",              \
    "aten.blackman_window.periodic")                                                               \
  X(bartlett_window, function, kept, "i?d*", "window_length dtype",                                \
    "aten.bartlett_window.default")                                                                \
  X(bartlett_window_by_mode, function, kept, "ib?d*", "window_length periodic dtype",              \
    "aten.bartlett_window.periodic")                                                               \
  X(stft, each, unknown, "ti?IITbBBB",                                                             \
    "self n_fft hop_length win_length window normalized onesided return_complex align_to_window",  \
    "aten.stft.default")                                                                           \
  X(istft, each, unknown, "ti?IITbbBIb",                                                           \
    "self n_fft hop_length win_length window center normalized onesided length return_complex",    \
    "aten.istft.default")                                                                          \
  X(reshape_alias, each, unknown, "tll", "self size stride", "aten._reshape_alias.default "        \
    "aten._reshape_alias_copy.default")                                                            \
  X(pad_circular, each, kept, "tl", "self pad", "aten._pad_circular.default")                      \
  X(log_sigmoid_forward, each, kept, "t", "self", "aten.log_sigmoid_forward.default")              \
  X(add_relu, each, kept, "tx?n", "self other alpha", "aten._add_relu.Tensor "                     \
    "aten._add_relu.Scalar")                                                                       \
  X(addmm_activation, each, kept, "ttt?nnb", "self mat1 mat2 beta alpha use_gelu",                 \
    "aten._addmm_activation.default")                                                              \
  X(int_mm, each, kept, "tt", "self mat2", "aten._int_mm.default")                                 \
  X(weight_int8pack_mm, each, kept, "ttt", "self mat2 scales", "aten._weight_int8pack_mm.default") \
  X(isreal, each, kept, "t", "self", "aten.isreal.default")                                        \
  X(trapezoid, each, kept, "t?ni", "y dx dim", "aten.trapezoid.dx aten.trapz.dx")                  \
  X(cumulative_trapezoid, each, kept, "t?ni", "y dx dim", "aten.cumulative_trapezoid.dx")          \
  X(vander, each, kept, "t?Ib", "x N increasing", "aten.vander.default")                           \
  X(linalg_vander, each, kept, "t?I", "x N", "aten.linalg_vander.default")                         \
  X(poisson_nll_loss, each, kept, "ttbbni", "input target log_input full eps reduction",           \
    "aten.poisson_nll_loss.default")                                                               \
  X(quantize_per_tensor, each, kept, "tnnnnd", "input scale zero_point quant_min quant_max dtype", \
    "quantized_decomposed.quantize_per_tensor.default "                                            \
    "quantized_decomposed.quantize_per_tensor.tensor "                                             \
    "quantized_decomposed.quantize_per_tensor.tensor2")                                            \
  X(dequantize_per_tensor, each, kept, "tnnnnd?d",                                                 \
    "input scale zero_point quant_min quant_max dtype out_dtype",                                  \
    "quantized_decomposed.dequantize_per_tensor.default "                                          \
    "quantized_decomposed.dequantize_per_tensor.tensor "                                           \
    "quantized_decomposed.dequantize_per_tensor.tensor2")                                          \
  X(quantize_per_channel, each, kept, "ttTinnd",                                                   \
    "input scales zero_points axis quant_min quant_max dtype",                                     \
    "quantized_decomposed.quantize_per_channel.default")                                           \
  X(dequantize_per_channel, each, kept, "ttTinnd?d",                                               \
    "input scales zero_points axis quant_min quant_max dtype out_dtype",                           \
    "quantized_decomposed.dequantize_per_channel.default")                                         \
  X(quantize_per_token, each, kept, "tttnnd",                                                      \
    "input scales zero_points quant_min quant_max dtype",                                          \
    "quantized_decomposed.quantize_per_token.default")                                             \
  X(dequantize_per_token, each, kept, "tttnndd",                                                   \
    "input scales zero_points quant_min quant_max dtype output_dtype",                             \
    "quantized_decomposed.dequantize_per_token.default")                                           \
  X(choose_qparams, each, kept, "tnnnd", "input quant_min quant_max eps dtype",                    \
    "quantized_decomposed.choose_qparams.tensor")                                                  \
  X(fake_quantize, each, kept, "tnnnn", "self scale zero_point quant_min quant_max",               \
    "aten.fake_quantize_per_tensor_affine.default "                                                \
    "aten.fake_quantize_per_tensor_affine.tensor_qparams")                                         \
  X(fake_quantize_with_mask, each, kept, "tnnnn", "self scale zero_point quant_min quant_max",     \
    "aten.fake_quantize_per_tensor_affine_cachemask.default")                                      \
  X(fake_quantize_by_tensors, each, kept, "tttnnn",                                                \
    "self scale zero_point fake_quant_enabled quant_min quant_max",                                \
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default")                      \
  X(fake_quantize_channels, each, kept, "tttinn",                                                  \
    "self scale zero_point axis quant_min quant_max",                                              \
    "aten.fake_quantize_per_channel_affine.default "                                               \
    "quantized_decomposed.fake_quant_per_channel.default")                                         \
  X(fake_quantize_channels_with_mask, each, kept, "tttinn",                                        \
    "self scale zero_point axis quant_min quant_max",                                              \
    "aten.fake_quantize_per_channel_affine_cachemask.default")                                     \
  X(sym_float, each, kept, "n", "a", "torch.sym_float")                                            \
  X(sym_int, each, kept, "n", "a", "torch.sym_int math.trunc")                                     \
  X(sym_not, each, kept, "n", "a", "torch.sym_not")                                                \
  X(sym_ite, each, kept, "nxx", "b t f", "torch.sym_ite")                                          \
  X(sym_sqrt, each, kept, "n", "a", "torch._sym_sqrt math.sqrt")                                   \
  X(lgamma, each, kept, "t", "self", "aten.lgamma.default aten.special_gammaln.default")           \
  X(digamma, each, kept, "t", "self", "aten.digamma.default aten.special_digamma.default "         \
    "aten.special_psi.default")                                                                    \
  X(erfinv, each, kept, "t", "self", "aten.erfinv.default aten.special_erfinv.default")            \
  X(erfcx, each, kept, "t", "self", "aten.special_erfcx.default")                                  \
  X(ndtr, each, kept, "t", "self", "aten.special_ndtr.default")                                    \
  X(log_ndtr, each, kept, "t", "self", "aten.special_log_ndtr.default")                            \
  X(ndtri, each, kept, "t", "self", "aten.special_ndtri.default")                                  \
  X(entr, each, kept, "t", "self", "aten.special_entr.default")                                    \
  X(i0, each, kept, "t", "self", "aten.i0.default aten.special_i0.default "                        \
    "aten.special_modified_bessel_i0.default")                                                     \
  X(i0e, each, kept, "t", "self", "aten.special_i0e.default")                                      \
  X(i1, each, kept, "t", "self", "aten.special_i1.default "                                        \
    "aten.special_modified_bessel_i1.default")                                                     \
  X(i1e, each, kept, "t", "self", "aten.special_i1e.default")                                      \
  X(bessel_j0, each, kept, "t", "self", "aten.special_bessel_j0.default")                          \
  X(bessel_j1, each, kept, "t", "self", "aten.special_bessel_j1.default")                          \
  X(bessel_y0, each, kept, "t", "self", "aten.special_bessel_y0.default")                          \
  X(bessel_y1, each, kept, "t", "self", "aten.special_bessel_y1.default")                          \
  X(modified_bessel_k0, each, kept, "t", "self", "aten.special_modified_bessel_k0.default")        \
  X(modified_bessel_k1, each, kept, "t", "self", "aten.special_modified_bessel_k1.default")        \
  X(scaled_modified_bessel_k0, each, kept, "t", "x",                                               \
    "aten.special_scaled_modified_bessel_k0.default")                                              \
  X(scaled_modified_bessel_k1, each, kept, "t", "x",                                               \
    "aten.special_scaled_modified_bessel_k1.default")                                              \
  X(spherical_bessel_j0, each, kept, "t", "x", "aten.special_spherical_bessel_j0.default")         \
  X(airy_ai, each, kept, "t", "x", "aten.special_airy_ai.default")                                 \
  X(zeta, each, kept, "xx", "self other", "aten.special_zeta.default "                             \
    "aten.special_zeta.self_scalar aten.special_zeta.other_scalar")                                \
  X(igamma, each, kept, "tt", "self other", "aten.igamma.default aten.special_gammainc.default")   \
  X(igammac, each, kept, "tt", "self other", "aten.igammac.default "                               \
    "aten.special_gammaincc.default")                                                              \
  X(polygamma, each, kept, "it", "n self", "aten.polygamma.default "                               \
    "aten.special_polygamma.default")                                                              \
  X(polygamma_of, each, kept, "ti", "self n", "aten.polygamma_.default")                           \
  X(multigammaln, each, kept, "ti", "self p", "aten.mvlgamma.default "                             \
    "aten.special_multigammaln.default")                                                           \
  X(chebyshev_t, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_t.default "           \
    "aten.special_chebyshev_polynomial_t.n_scalar aten.special_chebyshev_polynomial_t.x_scalar")   \
  X(chebyshev_u, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_u.default "           \
    "aten.special_chebyshev_polynomial_u.n_scalar aten.special_chebyshev_polynomial_u.x_scalar")   \
  X(chebyshev_v, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_v.default "           \
    "aten.special_chebyshev_polynomial_v.n_scalar aten.special_chebyshev_polynomial_v.x_scalar")   \
  X(chebyshev_w, each, kept, "xx", "x n", "aten.special_chebyshev_polynomial_w.default "           \
    "aten.special_chebyshev_polynomial_w.n_scalar aten.special_chebyshev_polynomial_w.x_scalar")   \
  X(shifted_chebyshev_t, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_t.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_t.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_t.x_scalar")                                        \
  X(shifted_chebyshev_u, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_u.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_u.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_u.x_scalar")                                        \
  X(shifted_chebyshev_v, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_v.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_v.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_v.x_scalar")                                        \
  X(shifted_chebyshev_w, each, kept, "xx", "x n",                                                  \
    "aten.special_shifted_chebyshev_polynomial_w.default "                                         \
    "aten.special_shifted_chebyshev_polynomial_w.n_scalar "                                        \
    "aten.special_shifted_chebyshev_polynomial_w.x_scalar")                                        \
  X(hermite_h, each, kept, "xx", "x n", "aten.special_hermite_polynomial_h.default "               \
    "aten.special_hermite_polynomial_h.n_scalar aten.special_hermite_polynomial_h.x_scalar")       \
  X(hermite_he, each, kept, "xx", "x n", "aten.special_hermite_polynomial_he.default "             \
    "aten.special_hermite_polynomial_he.n_scalar aten.special_hermite_polynomial_he.x_scalar")     \
  X(laguerre_l, each, kept, "xx", "x n", "aten.special_laguerre_polynomial_l.default "             \
    "aten.special_laguerre_polynomial_l.n_scalar aten.special_laguerre_polynomial_l.x_scalar")     \
  X(legendre_p, each, kept, "xx", "x n", "aten.special_legendre_polynomial_p.default "             \
    "aten.special_legendre_polynomial_p.n_scalar aten.special_legendre_polynomial_p.x_scalar")     \
  X(nextafter, each, kept, "tt", "self other", "aten.nextafter.default")                           \
  X(frexp, each, kept, "t", "self", "aten.frexp.Tensor")                                           \
  X(nll_loss, each, kept, "tt?Tii", "self target weight reduction ignore_index",                   \
    "aten.nll_loss.default aten.nll_loss_nd.default aten.nll_loss2d.default")                      \
  X(nll_loss_forward, each, kept, "ttTii", "self target weight reduction ignore_index",            \
    "aten.nll_loss_forward.default aten.nll_loss2d_forward.default")                               \
  X(cross_entropy_loss, each, kept, "tt?Tiin",                                                     \
    "self target weight reduction ignore_index label_smoothing",                                   \
    "aten.cross_entropy_loss.default")                                                             \
  X(multi_margin_loss, each, kept, "tt?nnTi", "self target p margin weight reduction",             \
    "aten.multi_margin_loss.default")                                                              \
  X(multilabel_margin_loss, each, kept, "tt?i", "self target reduction",                           \
    "aten.multilabel_margin_loss.default")                                                         \
  X(multilabel_margin_loss_forward, each, kept, "tti", "self target reduction",                    \
    "aten.multilabel_margin_loss_forward.default")                                                 \
  X(ctc_loss, each, kept, "ttll?iib",                                                              \
    "log_probs targets input_lengths target_lengths blank reduction zero_infinity",                \
    "aten.ctc_loss.IntList aten.ctc_loss.Tensor")                                                  \
  X(lstm_packed, each, unknown, "t*binbb",                                                         \
    "data has_biases num_layers dropout train bidirectional", "aten.lstm.data")                    \
  X(gru_packed, each, unknown, "t*binbb",                                                          \
    "data has_biases num_layers dropout train bidirectional", "aten.gru.data")                     \
  X(rnn_tanh_packed, each, unknown, "t*binbb",                                                     \
    "data has_biases num_layers dropout train bidirectional", "aten.rnn_tanh.data")                \
  X(rnn_relu_packed, each, unknown, "t*binbb",                                                     \
    "data has_biases num_layers dropout train bidirectional", "aten.rnn_relu.data")                \
  X(pack_padded_sequence, each, kept, "ttb", "input lengths batch_first",                          \
    "aten._pack_padded_sequence.default")                                                          \
  X(pad_packed_sequence, each, unknown, "ttbni",                                                   \
    "data batch_sizes batch_first padding_value total_length",                                     \
    "aten._pad_packed_sequence.default")                                                           \
  X(pad_sequence, each, kept, "t*?bns", "sequences batch_first padding_value padding_side",        \
    "aten.pad_sequence.default")                                                                   \
  X(max_unpool2d, each, kept, "ttl", "self indices output_size", "aten.max_unpool2d.default")      \
  X(max_unpool3d, each, kept, "ttlll", "self indices output_size stride padding",                  \
    "aten.max_unpool3d.default")                                                                   \
  X(fractional_max_pool2d, each, kept, "tllt", "self kernel_size output_size random_samples",      \
    "aten.fractional_max_pool2d.default")                                                          \
  X(fractional_max_pool3d, each, kept, "tllt", "self kernel_size output_size random_samples",      \
    "aten.fractional_max_pool3d.default")                                                          \
  X(upsample_lanczos_antialiased, each, kept, "t?VbR",                                             \
    "input output_size align_corners scale_factors", "aten._upsample_lanczos2d_aa.vec")            \
  X(upsample_lanczos_antialiased_to, each, kept, "tlb?NN",                                         \
    "self output_size align_corners scales_h scales_w", "aten._upsample_lanczos2d_aa.default")     \
  X(kaiser_window, each, kept, "i?d*", "window_length dtype", "aten.kaiser_window.default")        \
  X(kaiser_window_by_mode, each, kept, "ib?nd*", "window_length periodic beta dtype",              \
    "aten.kaiser_window.periodic aten.kaiser_window.beta")                                         \
  X(attention_flash_quantized, each, unknown, "tttTTT?nbbN",                                       \
    "query key value q_descale k_descale v_descale dropout_p is_causal return_debug_mask scale",   \
    "aten._scaled_dot_product_flash_attention.quantized")                                          \
  X(hsplit, each, unknown, "tl", "self sections", "aten.hsplit.int aten.hsplit.array")             \
  X(vsplit, each, unknown, "tl", "self sections", "aten.vsplit.int aten.vsplit.array")             \
  X(dsplit, each, unknown, "tl", "self sections", "aten.dsplit.int aten.dsplit.array")             \
  X(tensor_split_by, each, unknown, "tt?i", "self tensor_indices_or_sections dim",                 \
    "aten.tensor_split.tensor_indices_or_sections")                                                \
  X(atleast_1d_each, each, kept, "t*", "tensors", "aten.atleast_1d.Sequence")                      \
  X(atleast_2d_each, each, kept, "t*", "tensors", "aten.atleast_2d.Sequence")                      \
  X(atleast_3d_each, each, kept, "t*", "tensors", "aten.atleast_3d.Sequence")                      \
  X(to_cpu, part, kept, "t*", "tensors", "aten._to_cpu.default")                                   \
  X(block_diag, each, kept, "t*", "tensors", "aten.block_diag.default")                            \
  X(cartesian_prod, each, kept, "t*", "tensors", "aten.cartesian_prod.default")                    \
  X(combinations, each, kept, "t?ib", "self r with_replacement", "aten.combinations.default")      \
  X(fill_diagonal, each, kept, "tn?b", "self fill_value wrap", "aten.fill_diagonal_.default")      \
  X(nonzero_static, each, kept, "ti?i", "self size fill_value", "aten.nonzero_static.default")     \
  X(sum_to_size, each, kept, "tl", "self size", "aten.sum_to_size.default")                        \
  X(trapezoid_over, each, kept, "tt?i", "y x dim", "aten.trapezoid.x aten.trapz.x")                \
  X(cumulative_trapezoid_over, each, kept, "tt?i", "y x dim", "aten.cumulative_trapezoid.x")       \
  X(renorm, each, kept, "tnin", "self p dim maxnorm", "aten.renorm.default")                       \
  X(cov, each, kept, "t?iTT", "self correction fweights aweights", "aten.cov.default")             \
  X(corrcoef, each, kept, "t", "self", "aten.corrcoef.default")                                    \
  X(unsafe_masked_index, each, kept, "ttT*n", "self mask indices fill",                            \
    "aten._unsafe_masked_index.default")                                                           \
  X(as_strided_scatter, each, kept, "ttll?I", "self src size stride storage_offset",               \
    "aten.as_strided_scatter.default")                                                             \
  X(range_inclusive, each, kept, "nn?nd*", "start end step dtype", "aten.range.default "           \
    "aten.range.step")                                                                             \
  X(is_nonzero, each, kept, "t", "self", "aten.is_nonzero.default")                                \
  X(dim, each, kept, "t", "self", "aten.dim.default")                                              \
  X(is_floating_point, each, kept, "t", "self", "aten.is_floating_point.default")                  \
  X(is_complex, each, kept, "t", "self", "aten.is_complex.default")                                \
  X(is_signed, each, kept, "t", "self", "aten.is_signed.default")                                  \
  X(is_same_size, each, kept, "tt", "self other", "aten.is_same_size.default")                     \
  X(shape_as_tensor, each, kept, "t", "self", "aten._shape_as_tensor.default")                     \
  X(quantile, each, kept, "tx?Ibs", "self q dim keepdim interpolation", "aten.quantile.default "   \
    "aten.quantile.scalar")                                                                        \
  X(nanquantile, each, kept, "tx?Ibs", "self q dim keepdim interpolation",                         \
    "aten.nanquantile.default aten.nanquantile.scalar")                                            \
  X(unique_consecutive, each, kept, "t?bbI", "self return_inverse return_counts dim",              \
    "aten.unique_consecutive.default")                                                             \
  X(unique_dim_consecutive, each, kept, "ti?bb", "self dim return_inverse return_counts",          \
    "aten.unique_dim_consecutive.default")                                                         \
  X(unique_dim, each, unknown, "ti?bbb", "self dim sorted return_inverse return_counts",           \
    "aten.unique_dim.default")                                                                     \
  X(alpha_dropout, draw, kept, "t?nb", "input p train", "aten.alpha_dropout.default")              \
  X(feature_alpha_dropout, draw, kept, "t?nb", "input p train",                                    \
    "aten.feature_alpha_dropout.default")                                                          \
  X(rrelu, draw, kept, "t?nnbd", "self lower upper training generator", "aten.rrelu.default")      \
  X(rrelu_with_noise, draw, kept, "tt?nnbd", "self noise lower upper training generator",          \
    "aten.rrelu_with_noise.default")                                                               \
  X(exponential, draw, kept, "t?nd", "self lambd generator", "aten.exponential.default")           \
  X(cauchy, draw, kept, "t?nnd", "self median sigma generator", "aten.cauchy.default")             \
  X(log_normal, draw, kept, "t?nnd", "self mean std generator", "aten.log_normal.default")         \
  X(geometric, draw, kept, "tn?d", "self p generator", "aten.geometric.default")                   \
  X(random_integers, draw, kept, "t?INd", "self from to generator", "aten.random.default "         \
    "aten.random.to aten.random.from")                                                             \
  X(poisson, draw, kept, "t?d", "self generator", "aten.poisson.default")                          \
  X(slogdet, each, kept, "t", "A", "aten.linalg_slogdet.default aten.slogdet.default "             \
    "aten._linalg_slogdet.default")                                                                \
  X(qr, each, unknown, "t?s", "A mode", "aten.linalg_qr.default")                                  \
  X(svd, each, unknown, "t?bS", "A full_matrices driver", "aten.linalg_svd.default")               \
  X(reduced_svd, each, unknown, "t?bbS", "A full_matrices compute_uv driver",                      \
    "aten._linalg_svd.default")                                                                    \
  X(svdvals, each, kept, "t?S", "A driver", "aten.linalg_svdvals.default")                         \
  X(eigh, each, unknown, "t?sb", "A UPLO compute_v", "aten.linalg_eigh.default "                   \
    "aten._linalg_eigh.default")                                                                   \
  X(eigvalsh, each, kept, "t?s", "A UPLO", "aten.linalg_eigvalsh.default")                         \
  X(matrix_norm, each, kept, "t?nslbd", "self ord word dim keepdim dtype",                         \
    "aten.linalg_matrix_norm.default aten.linalg_matrix_norm.str_ord")                             \
  X(linalg_norm, each, kept, "t?NsLbd", "self ord word dim keepdim dtype",                         \
    "aten.linalg_norm.default aten.linalg_norm.ord_str")                                           \
  X(nuclear_norm, each, kept, "t", "self", "aten.nuclear_norm.default")                            \
  X(pinverse, each, unknown, "t?nb", "self rcond hermitian", "aten.pinverse.default "              \
    "aten.linalg_pinv.default")                                                                    \
  X(linalg_pinv, each, unknown, "t?NNb", "self atol rtol hermitian",                               \
    "aten.linalg_pinv.atol_rtol_float aten.linalg_pinv.atol_rtol_tensor")                          \
  X(matrix_rank, each, kept, "t?NNb", "self atol rtol hermitian",                                  \
    "aten.linalg_matrix_rank.atol_rtol_float aten.linalg_matrix_rank.atol_rtol_tensor")            \
  X(matrix_power, each, unknown, "ti", "self n", "aten.matrix_power.default "                      \
    "aten.linalg_matrix_power.default")                                                            \
  X(matrix_exp, each, unknown, "t", "self", "aten.matrix_exp.default "                             \
    "aten.linalg_matrix_exp.default")                                                              \
  X(cholesky_solve, each, unknown, "tt?b", "self input2 upper", "aten.cholesky_solve.default")     \
  X(cholesky_inverse, each, unknown, "t?b", "self upper", "aten.cholesky_inverse.default")         \
  X(grouped_mm, each, row_major, "tt?TTd", "self mat2 offs bias out_dtype",                        \
    "aten._grouped_mm.default transformers.grouped_mm_fallback.default")
// clang-format on

#endif  // TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP
