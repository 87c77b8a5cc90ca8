// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: MIT
//
// The rows of nac/operations.hpp, which explains the letters of the arguments.

#ifndef TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP
#define TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP

// One row each, X(enumerator, arguments, names: blanks between them), for whatever has something for
// every operation: a machine's functions, say.
// clang-format off
#define TESSERA_NAC_OPERATIONS(X)                                                                  \
  X(pass, "x?d*", "nac.pass aten.detach.default aten.alias.default aten.lift.default "             \
                  "aten.lift_fresh.default aten.resolve_conj.default aten.resolve_neg.default")    \
  X(dropout, "t?nb", "aten.dropout.default")                                                       \
  X(feature_dropout, "t?nb", "aten.feature_dropout.default")                                       \
  X(native_dropout, "tn?B", "aten.native_dropout.default")                                         \
  X(rand, "v?d*", "aten.rand.default")                                                             \
  X(rand_like, "t?d*", "aten.rand_like.default")                                                   \
  X(randn, "v?d*", "aten.randn.default")                                                           \
  X(randn_like, "t?d*", "aten.randn_like.default")                                                 \
  X(randint, "n?nld*", "aten.randint.default aten.randint.low")                                    \
  X(randint_like, "tn?nd*", "aten.randint_like.default aten.randint_like.low_dtype")               \
  X(randperm, "i?d*", "aten.randperm.default")                                                     \
  X(uniform, "t?nn", "aten.uniform.default")                                                       \
  X(normal, "x?xld*", "aten.normal.Tensor_Tensor aten.normal.Tensor_float "                        \
                      "aten.normal.float_Tensor aten.normal.float_float")                          \
  X(normal_like, "t?nn", "aten.normal_functional.default aten.normal_.default")                    \
  X(bernoulli, "t", "aten.bernoulli.default")                                                      \
  X(bernoulli_by, "t?x", "aten.bernoulli.p aten.bernoulli.Tensor aten.bernoulli_.float")           \
  X(multinomial, "ti?b", "aten.multinomial.default")                                               \
  X(add, "xx?n", "nac.add aten.add.Tensor aten.add.Scalar add _operator.add")                      \
  X(sub, "xx?n", "nac.sub aten.sub.Tensor aten.sub.Scalar sub _operator.sub "                      \
                 "aten.subtract.Tensor aten.subtract.Scalar")                                      \
  X(rsub, "xx?n", "aten.rsub.Tensor aten.rsub.Scalar")                                             \
  X(gt, "xx", "nac.gt aten.gt.Tensor aten.gt.Scalar gt _operator.gt aten.greater.Tensor "          \
              "aten.greater.Scalar")                                                               \
  X(neg, "x", "nac.neg aten.neg.default neg _operator.neg aten.negative.default")                  \
  X(positive, "t", "aten.positive.default")                                                        \
  X(where, "txx", "nac.where aten.where.self aten.where.ScalarOther aten.where.ScalarSelf "        \
                  "aten.where.Scalar")                                                             \
  X(where_true, "t", "aten.where.default aten.nonzero_numpy.default")                              \
  X(masked_fill, "ttx", "aten.masked_fill.Scalar aten.masked_fill.Tensor")                         \
  X(clone, "x?d", "nac.clone aten.clone.default aten.lift_fresh_copy.default "                     \
                  "aten.contiguous.default aten.alias_copy.default aten.detach_copy.default")      \
  X(view, "tv", "nac.view aten.view.default aten.reshape.default aten._unsafe_view.default "       \
                "aten.view_copy.default")                                                          \
  X(view_bits, "td", "aten.view.dtype aten.view_copy.dtype")                                       \
  X(le, "xx", "nac.le aten.le.Tensor aten.le.Scalar le _operator.le aten.less_equal.Tensor "       \
              "aten.less_equal.Scalar")                                                            \
  X(arange, "n?nnd*", "nac.arange aten.arange.default aten.arange.start aten.arange.start_step")   \
  X(linspace, "nnn?d*", "aten.linspace.default aten.linspace.Tensor_Tensor "                       \
                        "aten.linspace.Tensor_Scalar aten.linspace.Scalar_Tensor")                 \
  X(logspace, "nnn?nd*", "aten.logspace.default")                                                  \
  X(mul, "xx", "nac.mul aten.mul.Tensor aten.mul.Scalar mul _operator.mul aten.multiply.Tensor "   \
               "aten.multiply.Scalar")                                                             \
  X(div, "xx", "nac.div aten.div.Tensor aten.div.Scalar truediv _operator.truediv "                \
               "aten.divide.Tensor aten.true_divide.Tensor aten.divide.Scalar "                    \
               "aten.true_divide.Scalar")                                                          \
  X(matmul, "tt", "nac.matmul aten.matmul.default aten.mm.default aten.bmm.default "               \
                  "aten.linalg_matmul.default")                                                    \
  X(transpose, "t?ii", "nac.transpose aten.transpose.int aten.t.default aten.swapaxes.default "    \
                       "aten.swapdims.default aten.transpose_.default aten.transpose_copy.int "    \
                       "aten.t_copy.default")                                                      \
  X(zeros, "v?d*", "nac.zeros aten.zeros.default aten.empty.memory_format")                        \
  X(zeros_like, "t?d*", "nac.zeros_like aten.zeros_like.default aten.empty_like.default "          \
                        "aten.zero.default")                                                       \
  X(new_zeros, "tv?d*", "nac.new_zeros aten.new_zeros.default aten.new_empty.default")             \
  X(ones, "v?d*", "nac.ones aten.ones.default")                                                    \
  X(ones_like, "t?d*", "nac.ones_like aten.ones_like.default")                                     \
  X(new_ones, "tv?d*", "nac.new_ones aten.new_ones.default")                                       \
  X(new_full, "tvn?d*", "aten.new_full.default")                                                   \
  X(full, "vn?d*", "nac.full aten.full.default")                                                   \
  X(full_like, "tn?d*", "nac.full_like aten.full_like.default")                                    \
  X(getitem, "ti", "getitem operator.getitem")                                                     \
  X(sym_size, "ti", "aten.sym_size.int aten.size.int")                                             \
  X(sym_stride, "ti", "aten.sym_stride.int aten.stride.int")                                       \
  X(sym_storage_offset, "t", "aten.sym_storage_offset.default")                                    \
  X(sym_is_contiguous, "t?d*", "aten.sym_is_contiguous.default")                                   \
  X(as_strided, "tll?I", "aten.as_strided.default aten.as_strided_copy.default")                   \
  X(resize, "tv?d*", "aten.resize.default")                                                        \
  X(relu, "t", "aten.relu.default")                                                                \
  X(exp, "t", "aten.exp.default")                                                                  \
  X(cos, "t", "aten.cos.default")                                                                  \
  X(sin, "t", "aten.sin.default")                                                                  \
  X(tanh, "t", "aten.tanh.default")                                                                \
  X(abs, "t", "aten.abs.default aten.absolute.default")                                            \
  X(log, "t", "aten.log.default")                                                                  \
  X(sqrt, "t", "aten.sqrt.default")                                                                \
  X(rsqrt, "t", "aten.rsqrt.default")                                                              \
  X(reciprocal, "t", "aten.reciprocal.default")                                                    \
  X(square, "t", "aten.square.default")                                                            \
  X(floor, "t", "aten.floor.default")                                                              \
  X(ceil, "t", "aten.ceil.default")                                                                \
  X(round, "t", "aten.round.default")                                                              \
  X(round_decimals, "ti", "aten.round.decimals")                                                   \
  X(erf, "t", "aten.erf.default aten.special_erf.default")                                         \
  X(sigmoid, "t", "aten.sigmoid.default aten.special_expit.default")                               \
  X(hardsigmoid, "t", "aten.hardsigmoid.default")                                                  \
  X(hardswish, "t", "aten.hardswish.default")                                                      \
  X(silu, "t", "aten.silu.default")                                                                \
  X(gelu, "t?s", "aten.gelu.default")                                                              \
  X(leaky_relu, "t?n", "aten.leaky_relu.default")                                                  \
  X(elu, "t?nnn", "aten.elu.default")                                                              \
  X(softplus, "t?nn", "aten.softplus.default")                                                     \
  X(prelu, "tt", "aten.prelu.default aten._prelu_kernel.default")                                  \
  X(clamp, "t?NN", "aten.clamp.default aten.clamp_min.default aten.clip.default")                  \
  X(clamp_max, "tn", "aten.clamp_max.default")                                                     \
  X(pow, "xx", "aten.pow.Tensor_Scalar aten.pow.Tensor_Tensor aten.pow.Scalar pow "                \
               "_operator.pow aten.pow_.Tensor")                                                   \
  X(float_power, "xx", "aten.float_power.Tensor_Tensor aten.float_power.Tensor_Scalar "            \
                       "aten.float_power.Scalar")                                                  \
  X(ldexp, "tx", "aten.ldexp.Tensor")                                                              \
  X(minimum, "xx", "aten.min.other aten.minimum.default aten.clamp_max.Tensor")                    \
  X(maximum, "xx", "aten.max.other aten.maximum.default")                                          \
  X(floor_divide, "xx", "aten.floor_divide.default floordiv _operator.floordiv "                   \
                        "aten.floor_divide.Scalar aten.floor_divide_.Tensor")                      \
  X(remainder, "xx", "aten.remainder.Tensor aten.remainder.Scalar mod _operator.mod "              \
                     "aten.remainder.Scalar_Tensor")                                               \
  X(fmod, "tx", "aten.fmod.Tensor aten.fmod.Scalar")                                               \
  X(div_mode, "xx?S", "aten.div.Tensor_mode aten.div.Scalar_mode aten.divide.Tensor_mode "         \
                      "aten.divide.Scalar_mode")                                                   \
  X(left_shift, "xx", "aten.__lshift__.Tensor aten.__lshift__.Scalar "                             \
                      "aten.bitwise_left_shift.Tensor aten.bitwise_left_shift.Tensor_Scalar "      \
                      "aten.bitwise_left_shift.Scalar_Tensor")                                     \
  X(right_shift, "xx", "aten.__rshift__.Tensor aten.__rshift__.Scalar "                            \
                       "aten.bitwise_right_shift.Tensor aten.bitwise_right_shift.Tensor_Scalar "   \
                       "aten.bitwise_right_shift.Scalar_Tensor")                                   \
  X(atan2, "tt?t", "aten.atan2.default aten.atan2.out aten.arctan2.default")                       \
  X(hypot, "tt", "aten.hypot.default")                                                             \
  X(addcmul, "ttt?n", "aten.addcmul.default")                                                      \
  X(addcdiv, "ttt?n", "aten.addcdiv.default")                                                      \
  X(lerp, "ttx", "aten.lerp.Scalar aten.lerp.Tensor")                                              \
  X(lt, "xx", "aten.lt.Tensor aten.lt.Scalar aten.lt.default lt _operator.lt aten.less.Tensor "    \
              "aten.less.Scalar")                                                                  \
  X(ge, "xx", "aten.ge.Tensor aten.ge.Scalar ge _operator.ge aten.greater_equal.Tensor "           \
              "aten.greater_equal.Scalar")                                                         \
  X(eq, "xx", "aten.eq.Tensor aten.eq.Scalar eq _operator.eq")                                     \
  X(ne, "xx", "aten.ne.Tensor aten.ne.Scalar ne _operator.ne aten.not_equal.Tensor "               \
              "aten.not_equal.Scalar")                                                             \
  X(isclose, "tt?nnb", "aten.isclose.default")                                                     \
  X(allclose, "tt?nnb", "aten.allclose.default")                                                   \
  X(equal, "tt", "aten.equal.default")                                                             \
  X(bitwise_and, "xx", "aten.__and__.Tensor aten.bitwise_and.Tensor aten.bitwise_and.Scalar "      \
                       "aten.__and__.Scalar aten.bitwise_and.Scalar_Tensor")                       \
  X(bitwise_or, "xx", "aten.__or__.Tensor aten.bitwise_or.Tensor aten.bitwise_or.Scalar "          \
                      "aten.__or__.Scalar aten.bitwise_or.Scalar_Tensor")                          \
  X(bitwise_xor, "xx", "aten.__xor__.Tensor aten.bitwise_xor.Tensor aten.bitwise_xor.Scalar "      \
                       "aten.__xor__.Scalar aten.bitwise_xor.Scalar_Tensor")                       \
  X(bitwise_not, "t", "aten.__not__.Tensor aten.bitwise_not.default")                              \
  X(logical_and, "tt", "aten.logical_and.default")                                                 \
  X(logical_or, "tt", "aten.logical_or.default")                                                   \
  X(logical_xor, "tt", "aten.logical_xor.default")                                                 \
  X(logical_not, "t", "aten.logical_not.default")                                                  \
  X(tan, "t", "aten.tan.default")                                                                  \
  X(sinh, "t", "aten.sinh.default")                                                                \
  X(cosh, "t", "aten.cosh.default")                                                                \
  X(asin, "t", "aten.asin.default aten.arcsin.default")                                            \
  X(acos, "t", "aten.acos.default aten.arccos.default")                                            \
  X(atan, "t", "aten.atan.default aten.arctan.default")                                            \
  X(asinh, "t", "aten.asinh.default aten.arcsinh.default")                                         \
  X(acosh, "t", "aten.acosh.default aten.arccosh.default")                                         \
  X(atanh, "t", "aten.atanh.default aten.arctanh.default")                                         \
  X(exp2, "t", "aten.exp2.default aten.special_exp2.default")                                      \
  X(expm1, "t", "aten.expm1.default aten.special_expm1.default")                                   \
  X(log2, "t", "aten.log2.default")                                                                \
  X(log10, "t", "aten.log10.default")                                                              \
  X(log1p, "t", "aten.log1p.default aten.special_log1p.default")                                   \
  X(erfc, "t", "aten.erfc.default aten.special_erfc.default")                                      \
  X(deg2rad, "t", "aten.deg2rad.default")                                                          \
  X(rad2deg, "t", "aten.rad2deg.default")                                                          \
  X(trunc, "t", "aten.trunc.default aten.fix.default")                                             \
  X(frac, "t", "aten.frac.default")                                                                \
  X(sign, "t", "aten.sign.default aten.sgn.default")                                               \
  X(mish, "t", "aten.mish.default")                                                                \
  X(log_sigmoid, "t", "aten.log_sigmoid.default")                                                  \
  X(relu6, "t", "aten.relu6.default")                                                              \
  X(hardtanh, "t?nn", "aten.hardtanh.default")                                                     \
  X(selu, "t", "aten.selu.default")                                                                \
  X(celu, "t?n", "aten.celu.default")                                                              \
  X(softshrink, "t?n", "aten.softshrink.default")                                                  \
  X(hardshrink, "t?n", "aten.hardshrink.default")                                                  \
  X(threshold, "tnn", "aten.threshold.default")                                                    \
  X(logit, "t?N", "aten.logit.default aten.special_logit.default")                                 \
  X(nan_to_num, "t?NNN", "aten.nan_to_num.default")                                                \
  X(isfinite, "t", "aten.isfinite.default")                                                        \
  X(signbit, "t", "aten.signbit.default")                                                          \
  X(isnan, "t", "aten.isnan.default")                                                              \
  X(isinf, "t", "aten.isinf.default")                                                              \
  X(sinc, "t", "aten.sinc.default aten.special_sinc.default")                                      \
  X(angle, "t", "aten.angle.default")                                                              \
  X(isposinf, "t", "aten.isposinf.default")                                                        \
  X(isneginf, "t", "aten.isneginf.default")                                                        \
  X(fmin, "tx", "aten.fmin.default")                                                               \
  X(fmax, "tx", "aten.fmax.default")                                                               \
  X(gcd, "tx", "aten.gcd.default")                                                                 \
  X(lcm, "tx", "aten.lcm.default")                                                                 \
  X(logaddexp, "tx", "aten.logaddexp.default")                                                     \
  X(logaddexp2, "tx", "aten.logaddexp2.default")                                                   \
  X(xlogy, "xx", "aten.xlogy.Tensor aten.xlogy.Scalar_Self aten.xlogy.Scalar_Other "               \
                 "aten.special_xlogy.default")                                                     \
  X(xlog1py, "xx", "aten.special_xlog1py.default")                                                 \
  X(copysign, "tx", "aten.copysign.Tensor aten.copysign.Scalar")                                   \
  X(heaviside, "tt", "aten.heaviside.default")                                                     \
  X(clamp_tensor, "t?TT", "aten.clamp.Tensor aten.clamp_min.Tensor aten.clip.Tensor")              \
  X(glu, "t?i", "aten.glu.default")                                                                \
  X(linear, "tt?T", "aten.linear.default")                                                         \
  X(addmm, "ttt?nn", "aten.addmm.default")                                                         \
  X(baddbmm, "ttt?nn", "aten.baddbmm.default")                                                     \
  X(outer, "tt", "aten.outer.default aten.ger.default")                                            \
  X(dot, "tt", "aten.dot.default aten.vdot.default")                                               \
  X(mv, "tt", "aten.mv.default")                                                                   \
  X(vecdot, "tt?i", "aten.linalg_vecdot.default")                                                  \
  X(inner, "tt", "aten.inner.default")                                                             \
  X(addmv, "ttt?nn", "aten.addmv.default")                                                         \
  X(addr, "ttt?nn", "aten.addr.default")                                                           \
  X(addbmm, "ttt?nn", "aten.addbmm.default")                                                       \
  X(kron, "tt", "aten.kron.default")                                                               \
  X(tensordot, "ttll", "aten.tensordot.default")                                                   \
  X(multi_dot, "t*", "aten.linalg_multi_dot.default aten.chain_matmul.default")                    \
  X(bilinear, "ttt?T", "aten.bilinear.default")                                                    \
  X(cdist, "tt?nI", "aten.cdist.default aten._cdist_forward.default")                              \
  X(pdist, "t?n", "aten.pdist.default aten._pdist_forward.default")                                \
  X(cross, "tt?I", "aten.cross.default")                                                           \
  X(linalg_cross, "tt?i", "aten.linalg_cross.default")                                             \
  X(det, "t", "aten.linalg_det.default aten.det.default")                                          \
  X(logdet, "t", "aten.logdet.default")                                                            \
  X(inverse, "t", "aten.linalg_inv.default aten.inverse.default")                                  \
  X(inverse_ex, "t?b", "aten.linalg_inv_ex.default")                                               \
  X(solve, "tt?b", "aten.linalg_solve.default")                                                    \
  X(solve_triangular, "ttb?bb", "aten.linalg_solve_triangular.default")                            \
  X(cholesky, "t?b", "aten.linalg_cholesky.default aten.cholesky.default")                         \
  X(einsum, "st*", "aten.einsum.default")                                                          \
  X(conv1d, "tt?Tllli", "aten.conv1d.default")                                                     \
  X(conv2d, "tt?Tllli", "aten.conv2d.default")                                                     \
  X(conv3d, "tt?Tllli", "aten.conv3d.default")                                                     \
  X(conv_padded, "tt?Tlsli", "aten.conv1d.padding aten.conv2d.padding aten.conv3d.padding")        \
  X(convolution, "ttTlllbli", "aten.convolution.default")                                          \
  X(conv_transpose, "tt?Tlllil", "aten.conv_transpose1d.default aten.conv_transpose2d.input "      \
                                 "aten.conv_transpose3d.input")                                    \
  X(conv2d_precomputed, "ttTl", "nac.conv2d_precomputed")                                          \
  X(batch_norm, "tTTttnn", "aten._native_batch_norm_legit_no_training.default")                    \
  X(batch_norm_by_mode, "tTTTTbnnb", "aten.batch_norm.default")                                    \
  X(native_batch_norm, "tTTTTbnn", "aten.native_batch_norm.default "                               \
                                   "aten._native_batch_norm_legit.default")                        \
  X(batch_norm_of_batch, "tTTbnn", "aten._native_batch_norm_legit.no_stats")                       \
  X(batch_norm_functional, "tTTttbnn", "aten._native_batch_norm_legit_functional.default")         \
  X(instance_norm, "tTTTTbnnb", "aten.instance_norm.default")                                      \
  X(layer_norm, "tl?TTnb", "aten.layer_norm.default")                                              \
  X(native_layer_norm, "tlTTn", "aten.native_layer_norm.default")                                  \
  X(group_norm, "ti?TTnb", "aten.group_norm.default")                                              \
  X(native_group_norm, "tTTiiiin", "aten.native_group_norm.default")                               \
  X(rms_norm, "tl?TN", "aten.rms_norm.default")                                                    \
  X(fused_rms_norm, "tlTN", "aten._fused_rms_norm.default")                                        \
  X(weight_norm, "tt?i", "aten._weight_norm.default")                                              \
  X(weight_norm_interface, "tt?i", "aten._weight_norm_interface.default")                          \
  X(softmax, "ti?d", "aten.softmax.int aten._softmax.default aten.special_softmax.default")        \
  X(log_softmax, "ti?d", "aten.log_softmax.int aten._log_softmax.default "                         \
                         "aten.special_log_softmax.default")                                       \
  X(safe_softmax, "ti?d", "aten._safe_softmax.default")                                            \
  X(attention, "ttt?TnbNb", "aten.scaled_dot_product_attention.default")                           \
  X(attention_for_cpu, "ttt?nbTN", "aten._scaled_dot_product_flash_attention_for_cpu.default")     \
  X(attention_flash, "ttt?nbbN", "aten._scaled_dot_product_flash_attention.default")               \
  X(attention_efficient, "tttTb?nbN", "aten._scaled_dot_product_efficient_attention.default")      \
  X(attention_math, "ttt?TnbTNb", "aten._scaled_dot_product_attention_math.default")               \
  X(attention_cudnn, "tttTb?nbbN", "aten._scaled_dot_product_cudnn_attention.default")             \
  X(attention_overrideable, "ttt?TnbbN",                                                           \
    "aten._scaled_dot_product_fused_attention_overrideable.default")                               \
  X(embedding, "tt?ibb", "aten.embedding.default")                                                 \
  X(embedding_bag, "ttt?bibTbI", "aten.embedding_bag.default aten.embedding_bag.padding_idx")      \
  X(embedding_bag_forward, "ttt?bibTbi", "aten._embedding_bag.default "                            \
                                         "aten._embedding_bag_forward_only.default")               \
  X(slice, "t?iIIi", "aten.slice.Tensor aten.slice_copy.Tensor")                                   \
  X(select, "tii", "aten.select.int aten.select_copy.int")                                         \
  X(slice_scatter, "tt?iIIi", "aten.slice_scatter.default")                                        \
  X(index, "tT*", "aten.index.Tensor aten._unsafe_index.Tensor")                                   \
  X(index_select, "tit", "aten.index_select.default")                                              \
  X(gather, "tit?b", "aten.gather.default")                                                        \
  X(scatter, "titx", "aten.scatter.src aten.scatter.value")                                        \
  X(scatter_add, "titt", "aten.scatter_add.default")                                               \
  X(scatter_by_word, "titxs", "aten.scatter.reduce aten.scatter.value_reduce")                     \
  X(scatter_reduce, "titts?b", "aten.scatter_reduce.two")                                          \
  X(index_add, "titt?n", "aten.index_add.default")                                                 \
  X(index_reduce, "titts?b", "aten.index_reduce.default")                                          \
  X(index_copy, "titt", "aten.index_copy.default")                                                 \
  X(index_fill, "titx", "aten.index_fill.int_Scalar aten.index_fill.int_Tensor")                   \
  X(take_along_dim, "tt?I", "aten.take_along_dim.default")                                         \
  X(take, "tt", "aten.take.default")                                                               \
  X(put, "ttt?b", "aten.put.default")                                                              \
  X(index_put, "tT*?b", "aten.index_put.default aten._unsafe_index_put.default")                   \
  X(masked_select, "tt", "aten.masked_select.default")                                             \
  X(masked_scatter, "ttt", "aten.masked_scatter.default")                                          \
  X(nonzero, "t", "aten.nonzero.default aten.argwhere.default")                                    \
  X(one_hot, "t?i", "aten.one_hot.default")                                                        \
  X(expand, "tv", "aten.expand.default aten.broadcast_to.default aten.expand_copy.default")        \
  X(repeat, "tv", "aten.repeat.default")                                                           \
  X(tile, "tv", "aten.tile.default")                                                               \
  X(permute, "tv", "aten.permute.default aten.permute_copy.default")                               \
  X(flip, "tl", "aten.flip.default")                                                               \
  X(flip_columns, "t", "aten.fliplr.default")                                                      \
  X(flip_rows, "t", "aten.flipud.default")                                                         \
  X(rot90, "t?il", "aten.rot90.default")                                                           \
  X(roll, "tl?l", "aten.roll.default")                                                             \
  X(squeeze, "t?l", "aten.squeeze.default aten.squeeze.dim aten.squeeze.dims "                     \
                    "aten.squeeze_copy.default aten.squeeze_copy.dim aten.squeeze_copy.dims")      \
  X(unsqueeze, "ti", "aten.unsqueeze.default aten.unsqueeze_copy.default")                         \
  X(atleast_1d, "t", "aten.atleast_1d.default")                                                    \
  X(atleast_2d, "t", "aten.atleast_2d.default")                                                    \
  X(atleast_3d, "t", "aten.atleast_3d.default")                                                    \
  X(cat, "t*?i", "aten.cat.default aten.concat.default aten.concatenate.default")                  \
  X(stack, "t*?i", "aten.stack.default")                                                           \
  X(hstack, "t*", "aten.hstack.default")                                                           \
  X(vstack, "t*", "aten.vstack.default aten.row_stack.default")                                    \
  X(dstack, "t*", "aten.dstack.default")                                                           \
  X(column_stack, "t*", "aten.column_stack.default")                                               \
  X(split, "ti?i", "aten.split.Tensor aten.unsafe_split.Tensor aten.split_copy.Tensor")            \
  X(split_with_sizes, "tl?i", "aten.split_with_sizes.default aten.split.sizes "                    \
                              "aten.unsafe_split_with_sizes.default "                              \
                              "aten.split_with_sizes_copy.default")                                \
  X(chunk, "ti?i", "aten.chunk.default aten.unsafe_chunk.default")                                 \
  X(unbind, "t?i", "aten.unbind.int aten.unbind_copy.int")                                         \
  X(mean, "t?Lbd", "aten.mean.dim aten.mean.default")                                              \
  X(sum, "t?Lbd", "aten.sum.dim_IntList aten.sum.default")                                         \
  X(var, "t?LNb", "aten.var.correction aten.var.dim aten.var.default")                             \
  X(std_dev, "t?LNb", "aten.std.correction aten.std.dim aten.std.default")                         \
  X(var_mean, "t?LNb", "aten.var_mean.correction aten.var_mean.dim aten.var_mean.default")         \
  X(all, "t?Lb", "aten.all.default aten.all.dim aten.all.dims aten._is_all_true.default")          \
  X(any, "t?Lb", "aten.any.default aten.any.dim aten.any.dims aten._is_any_true.default")          \
  X(max_all, "t", "aten.max.default")                                                              \
  X(min_all, "t", "aten.min.default")                                                              \
  X(max_dim, "ti?b", "aten.max.dim")                                                               \
  X(min_dim, "ti?b", "aten.min.dim")                                                               \
  X(amax, "t?lb", "aten.amax.default")                                                             \
  X(amin, "t?lb", "aten.amin.default")                                                             \
  X(argmax, "t?Ib", "aten.argmax.default")                                                         \
  X(argmin, "t?Ib", "aten.argmin.default")                                                         \
  X(prod, "t?Ibd", "aten.prod.default aten.prod.dim_int")                                          \
  X(nansum, "t?Lbd", "aten.nansum.default")                                                        \
  X(nanmean, "t?Lbd", "aten.nanmean.default")                                                      \
  X(count_nonzero, "t?L", "aten.count_nonzero.default aten.count_nonzero.dim_IntList")             \
  X(logsumexp, "tl?b", "aten.logsumexp.default aten.special_logsumexp.default")                    \
  X(std_mean, "t?LNb", "aten.std_mean.correction aten.std_mean.dim aten.std_mean.default")         \
  X(aminmax, "t?Ib", "aten.aminmax.default aten._aminmax.default aten._aminmax.dim")               \
  X(norm, "t?NLbd", "aten.linalg_vector_norm.default aten.norm.Scalar aten.norm.ScalarOpt_dim "    \
                    "aten.norm.ScalarOpt_dtype aten.norm.ScalarOpt_dim_dtype")                     \
  X(frobenius_norm, "tl?b", "aten.frobenius_norm.dim")                                             \
  X(dist, "tt?n", "aten.dist.default")                                                             \
  X(cosine_similarity, "tt?in", "aten.cosine_similarity.default")                                  \
  X(pairwise_distance, "tt?nnb", "aten.pairwise_distance.default")                                 \
  X(mse_loss, "tt?i", "aten.mse_loss.default")                                                     \
  X(l1_loss, "tt?i", "aten.l1_loss.default")                                                       \
  X(smooth_l1_loss, "tt?in", "aten.smooth_l1_loss.default")                                        \
  X(huber_loss, "tt?in", "aten.huber_loss.default")                                                \
  X(soft_margin_loss, "tt?i", "aten.soft_margin_loss.default")                                     \
  X(binary_cross_entropy, "tt?Ti", "aten.binary_cross_entropy.default")                            \
  X(binary_cross_entropy_with_logits, "tt?TTi", "aten.binary_cross_entropy_with_logits.default")   \
  X(kl_div, "tt?ib", "aten.kl_div.default")                                                        \
  X(hinge_embedding_loss, "tt?ni", "aten.hinge_embedding_loss.default")                            \
  X(margin_ranking_loss, "ttt?ni", "aten.margin_ranking_loss.default")                             \
  X(cosine_embedding_loss, "ttt?ni", "aten.cosine_embedding_loss.default")                         \
  X(triplet_margin_loss, "ttt?nnnbi", "aten.triplet_margin_loss.default")                          \
  X(median, "t", "aten.median.default")                                                            \
  X(nanmedian, "t", "aten.nanmedian.default")                                                      \
  X(median_dim, "ti?b", "aten.median.dim")                                                         \
  X(nanmedian_dim, "ti?b", "aten.nanmedian.dim")                                                   \
  X(mode, "t?ib", "aten.mode.default")                                                             \
  X(kthvalue, "ti?ib", "aten.kthvalue.default")                                                    \
  X(histc, "t?inn", "aten.histc.default")                                                          \
  X(bincount, "t?Ti", "aten.bincount.default")                                                     \
  X(trace, "t", "aten.trace.default")                                                              \
  X(diff, "t?iiTT", "aten.diff.default")                                                           \
  X(topk, "ti?ibb", "aten.topk.default")                                                           \
  X(sort, "t?ib", "aten.sort.default")                                                             \
  X(argsort, "t?ib", "aten.argsort.default")                                                       \
  X(argsort_stable, "tB?ib", "aten.argsort.stable")                                                \
  X(sort_stable, "tB?ib", "aten.sort.stable")                                                      \
  X(msort, "t", "aten.msort.default")                                                              \
  X(searchsorted, "tx?bbST", "aten.searchsorted.Tensor aten.searchsorted.Scalar")                  \
  X(bucketize, "xt?bb", "aten.bucketize.Tensor aten.bucketize.Scalar")                             \
  X(isin, "xx?bb", "aten.isin.Tensor_Tensor aten.isin.Tensor_Scalar aten.isin.Scalar_Tensor")      \
  X(unique, "t?bbb", "aten._unique2.default")                                                      \
  X(cumsum, "ti?d", "aten.cumsum.default")                                                         \
  X(cumprod, "ti?d", "aten.cumprod.default")                                                       \
  X(cummax, "ti", "aten.cummax.default")                                                           \
  X(cummin, "ti", "aten.cummin.default")                                                           \
  X(logcumsumexp, "ti", "aten.logcumsumexp.default")                                               \
  X(triu, "t?i", "aten.triu.default")                                                              \
  X(tril, "t?i", "aten.tril.default")                                                              \
  X(pad, "tl?sN", "aten.pad.default aten.constant_pad_nd.default")                                 \
  X(max_pool2d, "tl?lllb", "aten.max_pool2d.default")                                              \
  X(avg_pool2d, "tl?llbbI", "aten.avg_pool2d.default")                                             \
  X(adaptive_avg_pool2d, "tl", "aten.adaptive_avg_pool2d.default "                                 \
                               "aten._adaptive_avg_pool2d.default")                                \
  X(max_pool1d, "tl?lllb", "aten.max_pool1d.default")                                              \
  X(max_pool3d, "tl?lllb", "aten.max_pool3d.default")                                              \
  X(max_pool1d_with_indices, "tl?lllb", "aten.max_pool1d_with_indices.default")                    \
  X(max_pool2d_with_indices, "tl?lllb", "aten.max_pool2d_with_indices.default")                    \
  X(max_pool3d_with_indices, "tl?lllb", "aten.max_pool3d_with_indices.default")                    \
  X(avg_pool1d, "tl?llbb", "aten.avg_pool1d.default")                                              \
  X(avg_pool3d, "tl?llbbI", "aten.avg_pool3d.default")                                             \
  X(adaptive_avg_pool1d, "tl", "aten.adaptive_avg_pool1d.default")                                 \
  X(adaptive_avg_pool3d, "tl", "aten.adaptive_avg_pool3d.default "                                 \
                               "aten._adaptive_avg_pool3d.default")                                \
  X(adaptive_max_pool1d, "tl", "aten.adaptive_max_pool1d.default")                                 \
  X(adaptive_max_pool2d, "tl", "aten.adaptive_max_pool2d.default")                                 \
  X(adaptive_max_pool3d, "tl", "aten.adaptive_max_pool3d.default")                                 \
  X(upsample_linear, "t?VbR", "aten.upsample_linear1d.vec aten.upsample_bilinear2d.vec "           \
                              "aten.upsample_trilinear3d.vec")                                     \
  X(upsample_linear_to, "tlb?NNN", "aten.upsample_linear1d.default "                               \
                                   "aten.upsample_bilinear2d.default "                             \
                                   "aten.upsample_trilinear3d.default")                            \
  X(upsample_cubic, "t?VbR", "aten.upsample_bicubic2d.vec")                                        \
  X(upsample_cubic_to, "tlb?NN", "aten.upsample_bicubic2d.default")                                \
  X(upsample_linear_antialiased, "t?VbR", "aten._upsample_bilinear2d_aa.vec")                      \
  X(upsample_linear_antialiased_to, "tlb?NN", "aten._upsample_bilinear2d_aa.default")              \
  X(upsample_cubic_antialiased, "t?VbR", "aten._upsample_bicubic2d_aa.vec")                        \
  X(upsample_cubic_antialiased_to, "tlb?NN", "aten._upsample_bicubic2d_aa.default")                \
  X(upsample_nearest_nd, "t?VR", "aten.upsample_nearest1d.vec aten.upsample_nearest3d.vec")        \
  X(upsample_nearest_nd_to, "tl?NNN", "aten.upsample_nearest1d.default "                           \
                                      "aten.upsample_nearest3d.default")                           \
  X(upsample_nearest_exact, "t?VR", "aten._upsample_nearest_exact1d.vec "                          \
                                    "aten._upsample_nearest_exact2d.vec "                          \
                                    "aten._upsample_nearest_exact3d.vec")                          \
  X(upsample_nearest_exact_to, "tl?NNN", "aten._upsample_nearest_exact1d.default "                 \
                                         "aten._upsample_nearest_exact2d.default "                 \
                                         "aten._upsample_nearest_exact3d.default")                 \
  X(grid_sampler, "ttiib", "aten.grid_sampler.default aten.grid_sampler_2d.default "               \
                           "aten.grid_sampler_3d.default")                                         \
  X(affine_grid_generator, "tlb", "aten.affine_grid_generator.default")                            \
  X(im2col, "tllll", "aten.im2col.default")                                                        \
  X(col2im, "tlllll", "aten.col2im.default")                                                       \
  X(unfold, "tiii", "aten.unfold.default aten.unfold_copy.default")                                \
  X(pixel_shuffle, "ti", "aten.pixel_shuffle.default")                                             \
  X(pixel_unshuffle, "ti", "aten.pixel_unshuffle.default")                                         \
  X(channel_shuffle, "ti", "aten.channel_shuffle.default aten.native_channel_shuffle.default")     \
  X(reflection_pad, "tl", "aten.reflection_pad1d.default aten.reflection_pad2d.default "           \
                          "aten.reflection_pad3d.default")                                         \
  X(replication_pad, "tl", "aten.replication_pad1d.default aten.replication_pad2d.default "        \
                           "aten.replication_pad3d.default")                                       \
  X(upsample_nearest, "t?VR", "aten.upsample_nearest2d.vec")                                       \
  X(upsample_nearest_to, "tl?NN", "aten.upsample_nearest2d.default")                               \
  X(to_copy, "x?d*", "aten._to_copy.default aten.to.dtype aten.to.device aten.to.dtype_layout")    \
  X(type_as, "tt?d*", "aten.type_as.default aten.to.other")                                        \
  X(copy, "tx?b", "aten.copy.default")                                                             \
  X(fill, "tn", "aten.fill.Scalar aten.fill.Tensor")                                               \
  X(scalar_tensor, "n?d*", "aten.scalar_tensor.default")                                           \
  X(empty_strided, "ll?d*", "aten.empty_strided.default aten.empty_permuted.default")              \
  X(new_empty_strided, "tll?d*", "aten.new_empty_strided.default")                                 \
  X(flatten, "t?ii", "aten.flatten.using_ints aten.ravel.default")                                 \
  X(unflatten, "til", "aten.unflatten.int")                                                        \
  X(expand_as, "tt", "aten.expand_as.default")                                                     \
  X(broadcast_tensors, "t*", "aten.broadcast_tensors.default")                                     \
  X(reshape_as, "tt", "aten.reshape_as.default aten.view_as.default")                              \
  X(movedim, "tll", "aten.movedim.int aten.movedim.intlist aten.moveaxis.int "                     \
                    "aten.moveaxis.intlist")                                                       \
  X(reverse_axes, "t", "aten.numpy_T.default")                                                     \
  X(transpose_matrices, "t", "aten.mT.default aten.mH.default aten.adjoint.default "               \
                             "aten.matrix_H.default")                                              \
  X(narrow, "tiii", "aten.narrow.default")                                                         \
  X(diagonal, "t?iii", "aten.diagonal.default aten.diagonal_copy.default")                         \
  X(linalg_diagonal, "t?iii", "aten.linalg_diagonal.default")                                      \
  X(diag, "t?i", "aten.diag.default")                                                              \
  X(diag_embed, "t?iii", "aten.diag_embed.default")                                                \
  X(diagflat, "t?i", "aten.diagflat.default")                                                      \
  X(diagonal_scatter, "tt?iii", "aten.diagonal_scatter.default")                                   \
  X(select_scatter, "ttii", "aten.select_scatter.default")                                         \
  X(tensor_split, "ti?i", "aten.tensor_split.sections")                                            \
  X(tensor_split_at, "tl?i", "aten.tensor_split.indices")                                          \
  X(meshgrid, "t*?s", "aten.meshgrid.default aten.meshgrid.indexing")                              \
  X(repeat_interleave, "tx?II", "aten.repeat_interleave.self_int "                                 \
                                "aten.repeat_interleave.self_Tensor")                              \
  X(repeat_indices, "t?I", "aten.repeat_interleave.Tensor")                                        \
  X(eye, "n?nd*", "aten.eye.default aten.eye.m")                                                   \
  X(tril_indices, "ii?id*", "aten.tril_indices.default")                                           \
  X(triu_indices, "ii?id*", "aten.triu_indices.default")                                           \
  X(sym_numel, "t", "aten.sym_numel.default aten.numel.default")                                   \
  X(item, "t", "aten.item.default aten._local_scalar_dense.default")                               \
  X(assert_metadata, "t?LLd*", "aten._assert_tensor_metadata.default")                             \
  X(assert_true, "x?s", "aten._assert_scalar.default aten._assert_async.default "                  \
                        "aten._assert_async.msg")                                                  \
  X(constrain_range, "n?NN", "aten.sym_constrain_range.default "                                   \
                             "aten.sym_constrain_range_for_size.default")                          \
  X(lstm_cell, "ttttt?TT", "aten.lstm_cell.default")                                               \
  X(gru_cell, "tttt?TT", "aten.gru_cell.default")                                                  \
  X(rnn_tanh_cell, "tttt?TT", "aten.rnn_tanh_cell.default")                                        \
  X(rnn_relu_cell, "tttt?TT", "aten.rnn_relu_cell.default")                                        \
  X(lstm, "t*binbbb", "aten.lstm.input")                                                           \
  X(gru, "t*binbbb", "aten.gru.input")                                                             \
  X(rnn_tanh, "t*binbbb", "aten.rnn_tanh.input")                                                   \
  X(rnn_relu, "t*binbbb", "aten.rnn_relu.input")                                                   \
  X(view_as_real, "t", "aten.view_as_real.default")                                                \
  X(view_as_complex, "t", "aten.view_as_complex.default")                                          \
  X(real, "t", "aten.real.default")                                                                \
  X(imag, "t", "aten.imag.default")                                                                \
  X(complex, "tt", "aten.complex.default")                                                         \
  X(polar, "tt", "aten.polar.default")                                                             \
  X(conj, "t", "aten.conj.default aten._conj.default aten.conj_physical.default "                  \
               "aten._conj_physical.default")                                                      \
  X(fft, "t?IiS", "aten.fft_fft.default")                                                          \
  X(ifft, "t?IiS", "aten.fft_ifft.default")                                                        \
  X(rfft, "t?IiS", "aten.fft_rfft.default")                                                        \
  X(irfft, "t?IiS", "aten.fft_irfft.default")                                                      \
  X(fft2, "t?LlS", "aten.fft_fft2.default")                                                        \
  X(ifft2, "t?LlS", "aten.fft_ifft2.default")                                                      \
  X(rfft2, "t?LlS", "aten.fft_rfft2.default")                                                      \
  X(irfft2, "t?LlS", "aten.fft_irfft2.default")                                                    \
  X(fftn, "t?LLS", "aten.fft_fftn.default")                                                        \
  X(ifftn, "t?LLS", "aten.fft_ifftn.default")                                                      \
  X(rfftn, "t?LLS", "aten.fft_rfftn.default")                                                      \
  X(irfftn, "t?LLS", "aten.fft_irfftn.default")                                                    \
  X(hfft, "t?IiS", "aten.fft_hfft.default")                                                        \
  X(ihfft, "t?IiS", "aten.fft_ihfft.default")                                                      \
  X(hfft2, "t?LlS", "aten.fft_hfft2.default")                                                      \
  X(ihfft2, "t?LlS", "aten.fft_ihfft2.default")                                                    \
  X(hfftn, "t?LLS", "aten.fft_hfftn.default")                                                      \
  X(ihfftn, "t?LLS", "aten.fft_ihfftn.default")                                                    \
  X(fft_r2c, "tlib", "aten._fft_r2c.default")                                                      \
  X(fft_c2r, "tlii", "aten._fft_c2r.default")                                                      \
  X(fft_c2c, "tlib", "aten._fft_c2c.default")                                                      \
  X(fftshift, "t?L", "aten.fft_fftshift.default")                                                  \
  X(ifftshift, "t?L", "aten.fft_ifftshift.default")                                                \
  X(fftfreq, "i?nd*", "aten.fft_fftfreq.default")                                                  \
  X(rfftfreq, "i?nd*", "aten.fft_rfftfreq.default")                                                \
  X(hann_window, "i?d*", "aten.hann_window.default")                                               \
  X(hann_window_by_mode, "ib?d*", "aten.hann_window.periodic")                                     \
  X(hamming_window, "i?d*", "aten.hamming_window.default")                                         \
  X(hamming_window_by_mode, "ib?nnd*", "aten.hamming_window.periodic "                             \
                                       "aten.hamming_window.periodic_alpha "                       \
                                       "aten.hamming_window.periodic_alpha_beta")                  \
  X(blackman_window, "i?d*", "aten.blackman_window.default")                                       \
  X(blackman_window_by_mode, "ib?d*", "aten.blackman_window.periodic")                             \
  X(bartlett_window, "i?d*", "aten.bartlett_window.default")                                       \
  X(bartlett_window_by_mode, "ib?d*", "aten.bartlett_window.periodic")                             \
  X(stft, "ti?IITbBBB", "aten.stft.default")                                                       \
  X(istft, "ti?IITbbBIb", "aten.istft.default")
// clang-format on

#endif  // TESSERA_NAC_DETAIL_OPERATION_ROWS_HPP
