# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for NAC operations that fewer networks use.

    python3 tests/data/nac/further.py                # writes operations/GROUP.txt beside it
    python3 tests/data/nac/further.py special        # of these groups only

The rows' form is that of operations.py.
"""

import sys

import torch.ao.quantization.fx._decomposed  # noqa: F401, defines quantized_decomposed

import operations
from operations import *  # noqa: F403


def other_library(name):
    """An operator that isn't aten's."""
    library, op, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, library), op), overload)


for full in ("quantize_per_tensor.default", "quantize_per_tensor.tensor",
             "quantize_per_tensor.tensor2", "dequantize_per_tensor.default",
             "dequantize_per_tensor.tensor", "dequantize_per_tensor.tensor2",
             "quantize_per_channel.default", "dequantize_per_channel.default",
             "quantize_per_token.default", "dequantize_per_token.default",
             "choose_qparams.tensor", "fake_quant_per_channel.default",
             "convert_element_type.no_fuse"):
    full = "quantized_decomposed." + full
    meanings[full] = other_library(full)
meanings.update({
    "torch.sym_max": torch.sym_max, "torch.sym_min": torch.sym_min,
    "torch.sym_float": torch.sym_float, "torch.sym_int": torch.sym_int,
    "torch.sym_not": torch.sym_not, "torch.sym_ite": torch.sym_ite,
    "torch._sym_sqrt": math.sqrt, "math.sqrt": math.sqrt, "math.trunc": math.trunc,
    "_operator.and_": operator.and_, "_operator.or_": operator.or_,
    "_operator.lshift": operator.lshift, "_operator.rshift": operator.rshift,
})


words.update({torch.complex64: "complex64", torch.complex128: "complex128"})


def by_type(name, *shapes, types=every, **kw):
    for t in types:
        either(name, *[noise(*s, dtype=t) for s in shapes], **kw)


# ---- special functions


def special():
    begin("special")
    torch.manual_seed(51)
    s = "aten.special_"
    names = [f"{s}{n}.default" for n in
             ("gammaln", "digamma", "psi", "erfinv", "erfcx", "ndtr", "log_ndtr", "ndtri", "entr", "i0",
              "i0e", "i1", "i1e", "modified_bessel_i0", "modified_bessel_i1", "bessel_j0", "bessel_j1",
              "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
              "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0",
              "airy_ai")]
    aliases = ("aten.lgamma.default", "aten.digamma.default", "aten.erfinv.default", "aten.i0.default")
    places = [-inf, -20, -3.5, -2, -0.75, -0.25, -0.0, 0, 1e-3, 0.25, 0.5, 0.875, 1, 1.5, 2.5, 4, 7.75,
              12, 40, inf, nan]
    for name in names + list(aliases):
        tolerance(64, 2, largest=True)
        row(name, tensor([v for v in places if not ("airy" in name and math.isinf(v))]))
        if name in aliases:
            continue
        tolerance(2 ** 12, 2, largest=True)
        if "bessel_j" in name or "bessel_y" in name or "airy" in name:
            tolerance(2 ** 28, 2, largest=True)  # PyTorch's have some eight digits
        row(name, tensor([v for v in places if abs(v) < 30], f64))
        tolerance(64, 2, largest=True)
        for t in (f16, bf16, i32, boolean):
            # An operation of two names takes what one of them does.
            if not ("modified_bessel_i" in name and t in (f16, bf16)):
                either(name, tensor([1, 0, 1], t))
        row(name, noise(2, 3))
        row(name, tensor(0.5))
        row(name, empty(0, 2))
        fixed(name, ["rows"], "error")
    for name in aliases:
        fixed(name, ["rows"], "error")
    tolerance(64, 2)
    for t in (f32, f64):
        x = tensor([1.5, 2, 3, 10.5], t)
        row(s + "zeta.default", x, tensor([1, 0.5, 2.5, 7], t))
        row(s + "zeta.other_scalar", x, 3)
        row(s + "zeta.self_scalar", 2.5, x)
        for name in ("aten.igamma.default", "aten.igammac.default", s + "gammainc.default",
                     s + "gammaincc.default"):
            row(name, tensor([0.5, 1, 2, 5, 10, 3], t), tensor([0.25, 1, 4, 2.5, 12, 30], t))
            row(name, tensor([0, 1, -1, nan, inf, 2], t), tensor([1, 0, 1, 1, 1, inf], t))
    row(s + "zeta.default", tensor([1, 0.5, 2, nan, 2, 3]), tensor([2, 2, -1, 1, inf, -0.5]))
    row(s + "zeta.default", tensor([2, 3], i64), tensor([[1], [2]], i64))
    refuse(s + "zeta.default", noise(2), noise(3), code="nac_run_shape")
    for name in ("aten.igamma.default", "aten.igammac.default", s + "gammainc.default", s + "gammaincc.default"):
        refuse(name, noise(2), noise(3), code="nac_run_shape")
    for name in ("aten.polygamma.default", s + "polygamma.default"):
        for n in (0, 1, 2, 3, 5):
            row(name, n, tensor([0.25, 1, 2.5, 7, 30]))
        row(name, 2, tensor([0.25, 1, 2.5, 7, 30], f64))
        row(name, 1, tensor([-0.5, -1.25]))
        row(name, 1, tensor([1, 2], i32))
        refuse(name, -1, noise(2), code="nac_run_argument")
    row("aten.polygamma_.default", tensor([0.25, 2]), 1)
    refuse("aten.polygamma_.default", noise(2), -1, code="nac_run_argument")
    for name in ("aten.mvlgamma.default", s + "multigammaln.default"):
        for p in (1, 2, 3):
            row(name, tensor([2.5, 4, 10]), p)
            row(name, tensor([2.5, 4, 10], f64), p)
        refuse(name, noise(2), 0, code="nac_run_argument")
    for kind in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
                 "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
                 "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
                 "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
                 "laguerre_polynomial_l", "legendre_polynomial_p"):
        tolerance(2 ** 10, 2, largest=True)
        x = tensor([-0.875, -0.25, 0, 0.5, 0.75])
        row(f"{s}{kind}.default", x, tensor([[0], [1], [2], [3], [5]], f32))
        row(f"{s}{kind}.default", x.to(f64), tensor([0, 1, 4, 2, -1], f64))
        row(f"{s}{kind}.n_scalar", x, 3)
        row(f"{s}{kind}.x_scalar", 0.5, tensor([0, 1, 2, 3], f32))
        refuse(f"{s}{kind}.default", noise(2), noise(3), code="nac_run_shape")
    for name in (s + "xlogy", s + "xlog1py"):
        row(name + ".self_scalar", 2, tensor([1, 2, 0.5]))
        row(name + ".other_scalar", tensor([1, 2, 0.5]), 2)
    tolerance(0, 0)
    name = "aten.nextafter.default"
    for t in (f32, f64):
        row(name, tensor([1, 1, 0, -0.0, inf, nan, 2], t), tensor([2, -2, 1, -1, 0, 1, 2], t))
    refuse(name, noise(2, dtype=i32), noise(2, dtype=i32), code="nac_run_type")
    refuse(name, noise(2), noise(3), code="nac_run_shape")
    name = "aten.frexp.Tensor"
    for t in floats:
        row(name, tensor([1, 0.375, -20, 0, 1e-3], t))
    row(name, empty(0))
    row(name, tensor(3.0))
    refuse(name, noise(2, dtype=i32), code="nac_run_type")
    tolerance(4, 1)
    name = "aten.special_round.default"
    row(name, tensor([1.5, 2.5, -0.25]))
    row(name, tensor([1.25, 2.75, -0.375]), decimals=1)
    tolerance(16, 1, largest=True)
    name = "aten.kaiser_window.default"
    for n in (0, 1, 2, 5, 8):
        row(name, n)
        row("aten.kaiser_window.periodic", n, True)
        row("aten.kaiser_window.periodic", n, False)
        row("aten.kaiser_window.beta", n, False, 8.5)
        row("aten.kaiser_window.beta", n, True, 3.0, dtype=f64)
    refuse(name, -1, code="nac_run_argument")
    refuse("aten.kaiser_window.beta", -1, True, 3.0, code="nac_run_argument")


# ---- quantized networks


def quantized():
    begin("quantized")
    torch.manual_seed(52)
    tolerance(2, 1)
    q = "quantized_decomposed."
    x = noise(2, 3, low=-4, high=4) + 0.0625
    for t, low, high in ((i8, -128, 127), (u8, 0, 255), (i16, -32768, 32767), (i32, -100, 100)):
        zero = 3 if low else 100
        row(q + "quantize_per_tensor.default", x, 0.03, zero, low, high, t)
        row(q + "quantize_per_tensor.default", x * 100, 0.05, zero, low, high, t)
        row(q + "dequantize_per_tensor.default", noise(2, 3, dtype=t), 0.03, zero, low, high, t)
    for size in ((), (1,)):
        scale, zero = torch.full(size, 0.05), torch.full(size, 2, dtype=i64)
        row(q + "quantize_per_tensor.tensor", x, scale, zero, -128, 127, i8)
        row(q + "dequantize_per_tensor.tensor", noise(2, 3, dtype=i8), scale, zero, -128, 127, i8)
        row(q + "quantize_per_tensor.tensor2", x, scale, zero, tensor(-128, i64), tensor(127, i64), i8)
        row(q + "dequantize_per_tensor.tensor2", noise(2, 3, dtype=i8), scale, zero, tensor(-128, i64),
            tensor(127, i64), i8)
    row(q + "quantize_per_tensor.default", tensor([inf, -inf, 0.5]), 0.5, 0, -128, 127, i8)
    row(q + "quantize_per_tensor.default", noise(3, dtype=f16), 0.5, 0, -128, 127, i8)
    row(q + "quantize_per_tensor.default", empty(0, 2), 0.5, 0, -128, 127, i8)
    row(q + "dequantize_per_tensor.default", noise(3, dtype=i8), 0.5, 1, -128, 127, i8, out_dtype=f16)
    fixed(q + "quantize_per_tensor.default", [x, tensor([0.5, 1]), 0, -128, 127, i8], "error nac_run_shape")
    fixed(q + "dequantize_per_tensor.default", [noise(2, dtype=i8), tensor([0.5, 1]), 0, -128, 127, i8],
          "error nac_run_shape")
    scales, zeros = tensor([0.05, 0.1, 0.2]), tensor([0, 3, -5], i64)
    for axis in (1, -1):
        row(q + "quantize_per_channel.default", x, scales, zeros, axis, -128, 127, i8)
        row(q + "dequantize_per_channel.default", noise(2, 3, dtype=i8), scales, zeros, axis, -128, 127, i8)
    row(q + "quantize_per_channel.default", noise(3, 2, 2), scales, zeros, 0, -128, 127, i8)
    row(q + "dequantize_per_channel.default", noise(3, 2, dtype=u8), scales, zeros, 0, 0, 255, u8)
    row(q + "dequantize_per_channel.default", noise(3, 2, dtype=i8), scales, None, 0, -128, 127, i8)
    row(q + "dequantize_per_channel.default", noise(3, 2, dtype=i8), scales, zeros, 0, -128, 127, i8,
        out_dtype=f64)
    refuse(q + "quantize_per_channel.default", x, scales, zeros, 2, -128, 127, i8)
    refuse(q + "quantize_per_channel.default", x, scales, zeros, 0, -128, 127, i8)
    refuse(q + "dequantize_per_channel.default", noise(2, 3, dtype=i8), scales, zeros, 2, -128, 127, i8)
    scales, zeros = tensor([[0.05], [0.1]]), tensor([[1], [-2]], i64)
    row(q + "quantize_per_token.default", x, scales, zeros, -128, 127, i8)
    row(q + "dequantize_per_token.default", noise(2, 3, dtype=i8), scales, zeros, -128, 127, i8, f32)
    fixed(q + "quantize_per_token.default", [x, noise(3, 1), zeros, -128, 127, i8], "error nac_run_shape")
    fixed(q + "dequantize_per_token.default", [x, noise(3, 1), zeros, -128, 127, i8, f32],
          "error nac_run_shape")
    for t in (f32, f16, bf16):
        row(q + "choose_qparams.tensor", noise(2, 3, dtype=t), -128, 127, 1e-5, i8)
    row(q + "choose_qparams.tensor", noise(4).abs() + 1, 0, 255, 1e-5, u8)
    row(q + "choose_qparams.tensor", -noise(4).abs() - 1, 0, 255, 1e-5, u8)
    row(q + "choose_qparams.tensor", empty(3), -128, 127, 1e-5, i8)
    refuse(q + "choose_qparams.tensor", empty(0), -128, 127, 1e-5, i8)
    row(q + "convert_element_type.no_fuse", noise(3), i32)
    f = "aten.fake_quantize_per_tensor_affine"
    for name in (f + ".default", f + "_cachemask.default"):
        row(name, x, 0.03, 3, -128, 127)
        row(name, x * 10, 0.03, 100, 0, 255)
        row(name, tensor(0.3), 0.1, 0, -8, 7)
        row(name, empty(0), 0.1, 0, -8, 7)
        row(name, noise(3, dtype=f64), 0.1, 0, -8, 7)
    row(f + ".tensor_qparams", x, tensor([0.05]), tensor([2], i32), -128, 127)
    row(f + ".tensor_qparams", x, tensor([0.05]), tensor([2.0]), -8, 7)
    fixed(f + ".default", [x, tensor([0.5, 1]), 0, -128, 127], "error nac_run_argument")
    fixed(f + "_cachemask.default", [x, tensor([0.5, 1]), 0, -128, 127], "error nac_run_argument")
    name = "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default"
    for enabled in (0, 1):
        row(name, x, tensor([0.05]), tensor([2], i32), tensor([enabled], i64), -8, 7)
    fixed(name, [x, tensor([0.5, 1]), tensor([0, 1], i32), tensor([1], i64), -8, 7], "error nac_run_argument")
    scales, zeros = tensor([0.05, 0.1, 0.2]), tensor([0, 3, -5], i32)
    for name in ("aten.fake_quantize_per_channel_affine.default",
                 "aten.fake_quantize_per_channel_affine_cachemask.default",
                 q + "fake_quant_per_channel.default"):
        row(name, x, scales, zeros, 1, -128, 127)
        row(name, noise(3, 2, 2), scales, zeros, 0, -8, 7)
        refuse(name, x, scales, zeros, 0, -128, 127)
    # The kernels are CUDA's; the meaning is that of the operands times their scales.
    name = "aten._scaled_dot_product_flash_attention.quantized"
    cpu = torch_operator("aten._scaled_dot_product_flash_attention_for_cpu.default")
    tolerance(32, 4, largest=True)
    a, b, v = (noise(1, 2, 3, 4) for _ in range(3))
    fixed(name, [a, b, v, None, None, None], list(cpu(a, b, v)))
    fixed(name, [a, b, v, None, None, None, 0.0, True, False, 0.25],
          list(cpu(a, b, v, 0.0, True, scale=0.25)))
    by = tensor([[2, 0.5]])
    fixed(name, [a, b, v, by, by, by], list(cpu(a * by[..., None, None], b * by[..., None, None],
                                                v * by[..., None, None])))
    fixed(name, [a, b, v, None, None, None, 0.5], "error nac_run_argument")


# ---- losses of classes, and sequences of several lengths


def class_losses():
    begin("losses")
    torch.manual_seed(53)
    tolerance(16, 2, largest=True)
    scores, target = noise(4, 3).log_softmax(1), tensor([0, 2, -100, 1], i64)
    image, classes = noise(2, 3, 2, 2).log_softmax(1), tensor([[[0, 1], [2, 0]], [[1, 1], [-100, 2]]], i64)
    weight = tensor([0.5, 1, 2])
    for name in ("aten.nll_loss.default", "aten.nll_loss_nd.default", "aten.cross_entropy_loss.default"):
        for how in (0, 1, 2):
            row(name, scores, target, None, how)
            row(name, scores, tensor([0, 2, 0, 1], i64), weight, how, 0)
        row(name, scores, target)
        row(name, scores[0], target[0])
        row(name, scores.to(f64), target)
        row(name, empty(0, 3), empty(0, dtype=i64), None, 1)
        row(name, scores, tensor([-100] * 4, i64))
        refuse(name, scores, target[:2], code="nac_run_shape")
        refuse(name, scores, tensor([0, 3, 1, 1], i64), code="nac_run_index")
        refuse(name, scores, target, noise(2), code="nac_run_shape")
    for name in ("aten.nll_loss2d.default", "aten.nll_loss_nd.default", "aten.cross_entropy_loss.default"):
        for how in (0, 1, 2):
            row(name, image, classes, weight, how)
    for how in (0, 1, 2):
        row("aten.nll_loss_forward.default", scores, target, weight, how, -100)
        row("aten.nll_loss2d_forward.default", image, classes, weight, how, -100)
    row("aten.nll_loss_forward.default", scores[1], tensor(2, i64), None, 1, -100)
    refuse("aten.nll_loss_forward.default", scores, tensor([0, 3, 1, 1], i64), None, 1, -100,
           code="nac_run_index")
    name = "aten.cross_entropy_loss.default"
    shares = noise(4, 3).softmax(1)
    for how in (0, 1, 2):
        row(name, noise(4, 3), target, weight, how, -100, 0.125)
        row(name, noise(4, 3), shares, weight, how)
        row(name, noise(4, 3), shares, None, how, -100, 0.25)
        row(name, image, image.softmax(1), None, how)
    row(name, noise(3), noise(3).softmax(0))
    row(name, noise(4, 3, dtype=bf16), target)
    refuse(name, noise(4, 3), target, None, 1, -100, 1.5)
    name = "aten.multi_margin_loss.default"
    labels = tensor([0, 2, 2, 1], i64)
    for how in (0, 1, 2):
        row(name, noise(4, 3), labels, 1, 1, None, how)
        row(name, noise(4, 3), labels, 2, 0.5, weight, how)
    row(name, noise(3), tensor([1], i64))
    row(name, noise(3), tensor(1, i64))
    refuse(name, noise(4, 3), labels, 3)
    refuse(name, noise(4, 3), tensor([0, 3, 1, 1], i64))
    many = tensor([[0, 2, -1], [1, -1, 0], [-1, 1, 2], [2, 1, 0]], i64)
    for how in (0, 1, 2):
        row("aten.multilabel_margin_loss.default", noise(4, 3), many, how)
        row("aten.multilabel_margin_loss_forward.default", noise(4, 3), many, how)
    row("aten.multilabel_margin_loss.default", noise(3), tensor([1, -1, 0], i64))
    refuse("aten.multilabel_margin_loss.default", noise(4, 3), many[:2])
    refuse("aten.multilabel_margin_loss_forward.default", noise(4, 3), many[:2], 1)
    name = "aten.poisson_nll_loss.default"
    for log_input in (False, True):
        for full in (False, True):
            for how in (0, 1, 2):
                row(name, noise(4).abs() + 0.25, tensor([0, 1, 2, 5]), log_input, full, 1e-8, how)
    refuse(name, noise(4), noise(3), True, False, 1e-8, 1, code="nac_run_shape")
    tolerance(64, 2, largest=True)
    logs = noise(5, 2, 4).log_softmax(2)
    labels = tensor([[1, 2, 2], [3, 1, 0]], i64)
    for how in (0, 1, 2):
        row("aten.ctc_loss.IntList", logs, labels, [5, 4], [3, 2], 0, how)
        row("aten.ctc_loss.Tensor", logs, labels, tensor([5, 4], i64), tensor([3, 2], i64), 0, how, False)
        row("aten.ctc_loss.IntList", logs, tensor([1, 2, 2, 3, 1], i64), [5, 4], [3, 2], 0, how)
        row("aten.ctc_loss.IntList", logs, labels, [2, 4], [3, 2], 0, how, True)
    row("aten.ctc_loss.IntList", logs, labels + 0 * labels, [5, 4], [0, 2], 0, 0)
    row("aten.ctc_loss.IntList", logs.to(f64), tensor([[0, 2, 2], [3, 0, 0]], i64), [5, 4], [3, 2], 1, 0)
    refuse("aten.ctc_loss.IntList", logs, labels, [6, 4], [3, 2])
    refuse("aten.ctc_loss.IntList", logs, labels, [5], [3, 2])
    refuse("aten.ctc_loss.IntList", logs, labels, [5, 4], [3, 2], 4)


def sequences():
    begin("sequences")
    torch.manual_seed(54)
    tolerance(32, 4, largest=True)
    sizes = tensor([3, 2, 2, 1], i64)
    data = noise(8, 2)
    for name, gates, states in (("lstm", 4, 2), ("gru", 3, 1), ("rnn_tanh", 1, 1), ("rnn_relu", 1, 1)):
        name = f"aten.{name}.data"
        for layers, both, biased in ((1, False, True), (2, True, False)):
            directions = 2 if both else 1
            hx = [noise(layers * directions, 3, 2) for _ in range(states)]
            params = []
            for level in range(layers):
                for _ in range(directions):
                    inputs = 2 if level == 0 else 2 * directions
                    params += [noise(2 * gates, inputs, low=-1, high=1), noise(2 * gates, 2, low=-1, high=1)]
                    params += [noise(2 * gates) for _ in range(2 if biased else 0)]
            given = [data, sizes, hx if states == 2 else hx[0], params, biased, layers, 0.0, False, both]
            row(name, *given)
            if layers == 1:
                refuse(name, data[:7], *given[1:], code="nac_run_argument")
                refuse(name, data, sizes, *given[2:3], params[:-1], *given[4:])
    tolerance(0, 0)
    name = "aten._pack_padded_sequence.default"
    x = count(4, 3, 2)
    row(name, x, tensor([4, 2, 1], i64), False)
    row(name, count(3, 4), tensor([3, 3, 1], i64), True)
    row(name, count(2, 3, 2, dtype=i32), tensor([2, 1, 1], i64), False)
    refuse(name, x, tensor([2, 4, 1], i64), False, code="nac_run_argument")
    refuse(name, x, tensor([4, 2], i64), False, code="nac_run_shape")
    refuse(name, x, tensor([4, 2, 0], i64), False, code="nac_run_argument")
    name = "aten._pad_packed_sequence.default"
    row(name, count(8, 2), sizes, False, 0.0, -1)
    row(name, count(8, 2), sizes, True, -1.5, 6)
    row(name, count(8, dtype=i64), sizes, True, 0, -1)
    refuse(name, count(8, 2), sizes, True, 0.0, 2, code="nac_run_argument")
    name = "aten.pad_sequence.default"
    for batch_first in (False, True):
        row(name, [noise(2), noise(3)], batch_first)
        row(name, [noise(3, 2), noise(1, 2), noise(2, 2)], batch_first, 0.5)
        row(name, [noise(3, dtype=i64), noise(1, dtype=i64)], batch_first, -1.0, "left")
    row(name, [empty(0), noise(2)])
    refuse(name, [noise(2, 2), noise(2, 3)])
    refuse(name, [noise(2), noise(3)], False, 0.0, "middle")


# ---- pooling, images, and forms that few exports have


def places():
    begin("places")
    torch.manual_seed(55)
    tolerance(0, 0)
    for n in (2, 3):
        x = noise(2, 1, *[4] * n)
        best, at = torch_operator(f"aten.max_pool{n}d_with_indices.default")(x, [2] * n)
        rest = [] if n == 2 else [[2] * n, [0] * n]
        name = f"aten.max_unpool{n}d.default"
        row(name, best, at, [4] * n, *rest)
        row(name, best[0], at[0], [5] * n, *rest)
        row(name, best.to(f64), at, [4] * n, *rest)
        row(name, empty(0, 1, *[2] * n), empty(0, 1, *[2] * n, dtype=i64), [4] * n, *rest)
        refuse(name, best, at + 100, [4] * n, *rest)
        refuse(name, best, at[:1], [4] * n, *rest)
        name = f"aten.fractional_max_pool{n}d.default"
        samples = torch.round(torch.rand(2, 1, n) * 16) / 17
        x = noise(2, 1, *[5] * n)
        row(name, x, [2] * n, [3] * n, samples)
        row(name, x, [2] + [1] * (n - 1), [2] + [3] * (n - 1), samples)
        row(name, x[0], [2] * n, [2] * n, samples[:1])
        bad = x.clone()
        bad[..., 1] = nan
        row(name, bad, [2] * n, [3] * n, samples)
        row(name, x.to(f64), [2] * n, [3] * n, samples.to(f64))
        refuse(name, x, [2] * n, [5] * n, samples)
        refuse(name, x, [2] * n, [3] * n, samples[:, :, :1])
    tolerance(16, 4, largest=True)
    image = noise(1, 2, 6, 7)
    name = "aten._upsample_lanczos2d_aa"
    for t in (f32, f64):
        row(name + ".vec", image.to(t), [3, 4], False, None)
        row(name + ".default", image.to(t), [9, 2], True)
    for size in ([7, 5], [1, 1], [2, 9]):
        row(name + ".vec", image, size, False, None)
        row(name + ".default", image, size, False)
    row(name + ".vec", image, None, False, [0.5, 1.7])
    row(name + ".default", image, [3, 3], False, 0.5, 0.4)
    refuse(name + ".vec", image, None, False, None)
    refuse(name + ".default", image, [0, 2], False)
    tolerance(4, 1, largest=True)
    x, w, b = noise(1, 2, 4, 4), noise(2, 2, 2, 2), noise(2)
    flags = [False, False, False, False]
    row("aten._convolution.default", x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, *flags)
    row("aten._convolution.default", x, w, None, [2, 2], [1, 1], [1, 1], True, [0, 0], 1, *flags)
    fixed("aten.convolution_overrideable.default", [x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1],
          torch_operator("aten.convolution.default")(x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1))
    row("aten._convolution_mode.default", x, w, b, [1, 1], "same", [1, 1], 1)
    row("aten._convolution_mode.default", x, w, None, [2, 2], "valid", [1, 1], 1)
    a, m = noise(2, 3), noise(3, 2)
    for gelu in (False, True):
        row("aten._addmm_activation.default", noise(2), a, m, beta=1, alpha=1, use_gelu=gelu)
    row("aten._addmm_activation.default", noise(2), a, m)
    refuse("aten._addmm_activation.default", noise(3), a, m)
    row("aten._int_mm.default", noise(17, 8, dtype=i8), noise(8, 8, dtype=i8))
    refuse("aten._int_mm.default", noise(17, 8, dtype=i8), noise(16, 8, dtype=i8))
    fixed("aten._int_mm.default", [tensor([[1.0, 2]]), tensor([[3.0], [4]])], tensor([[11]], i32))
    name = "aten._weight_int8pack_mm.default"
    a, w, s = noise(2, 4), noise(3, 4, dtype=i8), noise(3)  # PyTorch's kernel wants longer rows
    fixed(name, [a, w, s], a @ w.to(f32).T * s)
    fixed(name, [a, noise(3, 5, dtype=i8), s], "error nac_run_shape")
    for t in (f32, f64, i32):
        either("aten._add_relu.Tensor", noise(3, dtype=t), noise(3, dtype=t))
    row("aten._add_relu.Tensor", noise(3), noise(3), alpha=2)
    fixed("aten._add_relu.Scalar", [tensor([1.0, -2]), 1], tensor([2.0, 0]))
    refuse("aten._add_relu.Tensor", noise(3), noise(2))
    row("aten.log_sigmoid_forward.default", tensor([-inf, -2, -0.0, 1, 30, nan]))
    row("aten.log_sigmoid_forward.default", noise(2, 2, dtype=f64))
    refuse("aten.log_sigmoid_forward.default", noise(2, dtype=i32))
    for name in ("aten.trapezoid", "aten.trapz", "aten.cumulative_trapezoid"):
        row(name + ".dx", noise(2, 3))
        row(name + ".dx", noise(2, 3), dx=0.5, dim=0)
        row(name + ".dx", noise(3, dtype=i32), dx=2.0)
        row(name + ".dx", empty(2, 0))
        refuse(name + ".dx", noise(2, 3), dx=1.0, dim=2, code="nac_run_axis")
    tolerance(4, 1)
    for t in (f32, f64, i32, u8):
        row("aten.vander.default", tensor([1, 2, 3], t))
        row("aten.linalg_vander.default", tensor([[1, 2], [3, 0]], t))
    row("aten.vander.default", noise(2), 4, True)
    row("aten.vander.default", noise(2), 1)
    row("aten.linalg_vander.default", noise(2), N=4)
    fixed("aten.vander.default", ["rows"], "error")
    fixed("aten.linalg_vander.default", ["rows"], "error")
    tolerance(0, 0)
    for t in every:
        row("aten.isreal.default", values(t))
    fixed("aten.isreal.default", ["rows"], "error")
    x = count(2, 3)
    for name in ("aten._reshape_alias.default", "aten._reshape_alias_copy.default"):
        row(name, x, [3, 2], [2, 1])
    fixed("aten._reshape_alias.default", [x, [4, 2], [2, 1]], "error")
    row("aten._reshape_copy.default", x, [3, 2])
    row("aten._pad_circular.default", noise(1, 1, 4), [2, 1])
    row("aten._pad_circular.default", noise(1, 1, 3, 3), [1, 2, 0, 1])
    refuse("aten._pad_circular.default", noise(1, 1, 3), [4, 0])
    row("aten.ldexp_.default", noise(3), tensor([1, 2, 3], i64))
    row("aten.float_power_.Tensor", noise(3, dtype=f64).abs(), tensor([2, 0, 1], f64))
    row("aten.narrow_copy.default", x, 1, 1, 2)
    row("aten.narrow.Tensor", x, 1, tensor(1, i64), 2)
    row("aten.view_as_real_copy.default", torch.complex(noise(2), noise(2)))
    row("aten.view_as_complex_copy.default", noise(3, 2))
    row("aten._conj_copy.default", torch.complex(noise(2), noise(2)))
    row("aten.logspace.Tensor_Tensor", tensor(0.0), tensor(2.0), 3)
    row("aten.logspace.Tensor_Scalar", tensor(0.0), 2, 3)
    row("aten.logspace.Scalar_Tensor", 0, tensor(2.0), 3, 2.0)
    row("aten._stack.default", [noise(2), noise(2)], 1)
    row("aten.storage_offset.default", x)
    row("aten.is_contiguous.default", x)
    fixed("aten.is_contiguous.memory_format", [x, 0], "=bool:1")
    row("aten._index_put_impl.default", x, [tensor([1], i64)], noise(1, 3), False, False)
    row("aten._index_put_impl.default", x, [None, tensor([0, 0], i64)], noise(2, 2), True, False)
    # Random ones have a seed of their own; what doesn't depend on it is here.
    row("aten.rand.generator", [0, 2], generator=None)
    row("aten.randn.generator", [2, 0], generator=None)
    row("aten.rand_like.generator", empty(0), generator=None)
    row("aten.randn_like.generator", empty(0, 3), generator=None)
    row("aten.randperm.generator", 1, generator=None)
    row("aten.randint.generator", 1, [2], generator=None)
    row("aten.randint.low_generator", 3, 4, [2], generator=None)
    row("aten.randint_like.Tensor", empty(2), tensor(1, i64))
    row("aten.randint_like.generator", empty(2), 1, generator=None)
    row("aten.randint_like.Tensor_generator", empty(2), tensor(1, i64), generator=None)
    row("aten.randint_like.low_generator_dtype", empty(2), 3, 4, generator=None)


# ---- parts, and what differs


def parts():
    begin("parts")
    torch.manual_seed(56)
    tolerance(0, 0)
    x = count(4, 6, 2)
    for name, least in (("hsplit", 1), ("vsplit", 2), ("dsplit", 3)):
        row(f"aten.{name}.int", x, 2)
        row(f"aten.{name}.array", x, [1, 3])
        row(f"aten.{name}.array", x, [])
        refuse(f"aten.{name}.int", x, 5, code="nac_run_argument")
        refuse(f"aten.{name}.int", x, 0, code="nac_run_argument")
        refuse(f"aten.{name}.int", noise(*[2] * (least - 1)), 1, code="nac_run_shape")
    row("aten.hsplit.int", count(6), 3)
    name = "aten.tensor_split.tensor_indices_or_sections"
    row(name, count(7), tensor(3, i64))
    row(name, x, tensor([1, 4], i64), 1)
    refuse(name, x, tensor([[1]], i64))
    refuse(name, x, tensor(2.0))
    for k in (1, 2, 3):
        row(f"aten.atleast_{k}d.Sequence", [tensor(1.0), noise(2), noise(2, 1)])
        fixed(f"aten.atleast_{k}d.Sequence", ["rows"], "error")
    name = "aten.block_diag.default"
    row(name, [noise(2, 3), noise(1, 2)])
    row(name, [tensor(2.0), noise(2), noise(2, 1, dtype=i32)])
    row(name, [noise(2, 2)])
    row(name, [empty(0, 2), noise(1, 1)])
    refuse(name, [noise(2, 2), noise(1, 1, 1)], code="nac_run_shape")
    name = "aten.cartesian_prod.default"
    row(name, [count(2), count(3)])
    row(name, [count(2), count(2), count(2)])
    row(name, [count(3)])
    refuse(name, [noise(2, 2), noise(2)], code="nac_run_shape")
    name = "aten.combinations.default"
    for t in (f32, i64, boolean):
        row(name, noise(4, dtype=t))
    row(name, count(4), 3)
    row(name, count(3), 2, True)
    row(name, count(3), 1)
    row(name, count(2), 3)
    row(name, count(3), 0)
    refuse(name, noise(2, 2), code="nac_run_shape")
    refuse(name, noise(2), -1, code="nac_run_argument")
    name = "aten.fill_diagonal_.default"
    for t in every:
        row(name, noise(2, 3, dtype=t), 1)
    row(name, noise(7, 2), 5, True)
    row(name, noise(7, 2), 5, False)
    row(name, noise(3, 3, 3), 0.5)
    row(name, empty(0, 2), 1)
    refuse(name, noise(2), 1, code="nac_run_shape")
    refuse(name, noise(2, 2, 3), 1, code="nac_run_shape")
    name = "aten.nonzero_static.default"
    for size in (0, 2, 3, 5):
        row(name, tensor([[1, 0], [2, 3]]), size=size)
        row(name, tensor([[1, 0], [2, 3]]), size=size, fill_value=7)
    row(name, tensor([True, False], boolean), size=2)
    row(name, tensor(1.0), size=2)
    refuse(name, noise(2), size=-1, code="nac_run_argument")
    name = "aten.as_strided_scatter.default"
    x = count(3, 4)
    row(name, x, tensor([[-1, -2], [-3, -4]]), [2, 2], [1, 5])
    row(name, x, tensor([-1, -2, -3]), [3], [2], 5)
    row(name, x, tensor(-1.0), [], [], 7)
    row(name, x, empty(0, 3), [0, 3], [1, 4])
    refuse(name, x, noise(3), [3], [5], 2, code="nac_run_index")
    refuse(name, x, noise(2), [3], [1], code="nac_run_shape")
    name = "aten._unsafe_masked_index.default"
    x = noise(3, 4)
    mask = tensor([True, False, True], boolean)
    row(name, x, mask, [tensor([0, 9, 2], i64), tensor([1, 9, 3], i64)], 0)
    row(name, x, tensor([[True], [False]], boolean), [None, tensor([[0], [9]], i64)], -1.5)
    refuse(name, x, noise(3), [tensor([0, 1, 2], i64)], 0)
    tolerance(4, 1)
    name = "aten.sum_to_size.default"
    x = noise(2, 3, 4)
    for size in ([2, 3, 4], [3, 4], [1, 4], [2, 1, 1], [4], []):
        row(name, x, size)
    refuse(name, x, [2, 4], code="nac_run_shape")
    row(name, noise(2, 3, dtype=i32), [3])
    for name in ("aten.trapezoid.x", "aten.trapz.x", "aten.cumulative_trapezoid.x"):
        row(name, noise(2, 3), noise(3))
        row(name, noise(3, 2), noise(3), dim=0)
        row(name, noise(2, 3), noise(2, 3))
        row(name, noise(3), tensor([1, 2, 4], i64))
        refuse(name, noise(2, 3), noise(2))
    name = "aten.renorm.default"
    for p in (1, 2, 3):
        row(name, noise(3, 4), p, 0, 1.5)
        row(name, noise(2, 3, 2), p, 1, 2.0)
    row(name, noise(3, 4, dtype=f64), 2, -1, 1.0)
    refuse(name, noise(3), 2, 0, 1.0, code="nac_run_shape")
    refuse(name, noise(3, 2), 2, 2, 1.0, code="nac_run_axis")
    refuse(name, noise(3, 2), 2, 0, -1.0, code="nac_run_argument")
    tolerance(16, 2, largest=True)
    name = "aten.cov.default"
    row(name, noise(3, 5))
    row(name, noise(5))
    row(name, noise(2, 4, dtype=f64), correction=0)
    row(name, noise(2, 4, dtype=i32))
    row(name, noise(2, 4), correction=1, fweights=tensor([1, 2, 0, 3], i64))
    row(name, noise(2, 4), correction=1, fweights=None, aweights=tensor([0.5, 1, 2, 0.25]))
    row(name, noise(2, 4), correction=1, fweights=tensor([1, 2, 0, 3], i64), aweights=tensor([0.5, 1, 2, 0.25]))
    refuse(name, noise(2, 2, 2), code="nac_run_shape")
    refuse(name, noise(2, 4), correction=1, fweights=tensor([1, 2], i64))
    name = "aten.corrcoef.default"
    row(name, noise(3, 5))
    row(name, noise(5))
    refuse(name, noise(2, 2, 2), code="nac_run_shape")
    tolerance(2, 1)
    row("aten.range.default", 0, 4)
    row("aten.range.step", 0, 1, 0.25)
    row("aten.range.step", 5, 1, -2)
    row("aten.range.default", 1, 3, dtype=i64)
    fixed("aten.range.step", [0, 1, 0], "error")


def complexes():
    begin("complex")
    torch.manual_seed(58)

    def z(*shape, dtype=f32):
        return torch.complex(noise(*shape, dtype=dtype), noise(*shape, dtype=dtype))

    tolerance(0, 0)
    x = z(2, 3, 4)
    row("nac.view", x, [6, 4])
    row("aten.reshape.default", x, [2, -1])
    row("aten.reshape_as.default", x, noise(6, 4))
    row("aten.flatten.using_ints", x, 1)
    row("aten.unflatten.int", x, -1, [2, 2])
    row("aten.unsqueeze.default", x, -1)
    row("aten.squeeze.default", z(1, 3, 1))
    row("nac.transpose", x, -1, -2)
    row("aten.permute.default", x, [2, 0, 1])
    row("aten.movedim.int", x, 0, -1)
    row("aten.expand.default", z(3, 1), [2, 3, 2])
    row("aten.repeat.default", z(2), [2, 2])
    row("aten.flip.default", x, [-1])
    row("aten.roll.default", x, [1], [-1])
    row("aten.slice.Tensor", x, -1, 1, 3)
    row("aten.select.int", x, 1, -1)
    row("aten.narrow.default", x, 2, 1, 2)
    row("aten.index.Tensor", x, [None, tensor([2, 0], i64)])
    row("aten.index_select.default", x, -1, tensor([3, 0], i64))
    row("aten.gather.default", z(2, 3), 1, tensor([[2, 0], [1, 1]], i64))
    row("aten.split.Tensor", z(4), 2)
    row("aten.split_with_sizes.default", z(2, 3), [1, 2], -1)
    row("aten.chunk.default", z(4), 2)
    row("aten.unbind.int", z(2, 2), 1)
    row("aten.diagonal.default", z(2, 2))
    row("aten.triu.default", z(2, 2))
    row("aten.tril.default", z(2, 2))
    row("aten.cat.default", [z(2, 2), z(1, 2)])
    row("aten.cat.default", [z(2, 2), noise(2, 1)], -1)
    row("aten.cat.default", [noise(2), z(1)])
    row("aten.stack.default", [z(2), z(2)], -1)
    row("aten.where.self", noise(2, 3, dtype=boolean), z(2, 3), z(3))
    row("aten.where.self", noise(2, 3, dtype=boolean), z(2, 3), noise(3))
    row("aten.slice_scatter.default", z(3, 2), z(1, 2), 0, 1, 2)
    row("aten.select_scatter.default", z(3, 2), z(2), 0, 1)
    row("aten.neg.default", z(2))
    row("nac.zeros_like", z(2))
    tolerance(2, 1)
    for t in (f32, f64):
        a, b, r = z(2, 3, dtype=t), z(3, dtype=t), noise(2, 3, dtype=t)
        for name in ("nac.add", "nac.sub"):
            row(name, a, b)
            row(name, a, r)
            row(name, r, b)
            row(name, a, 2.5)
        row("aten.rsub.Scalar", a, 2.5)
        row("aten.add.Tensor", a, b, alpha=2)
    row("nac.add", z(2), 3)
    tolerance(8, 1, largest=True)
    for t in (f32, f64):
        a, b, r = z(2, 3, dtype=t), z(3, dtype=t), noise(2, 3, dtype=t)
        row("nac.mul", r, b)
        row("nac.mul", 2.5, b)
        row("aten.div.Tensor", a, b)
        row("aten.div.Tensor", a, r.abs() + 1)
        row("aten.div.Tensor", r, b)
        row("aten.div.Tensor", a, 2.5)
        for name in ("exp", "log", "square", "angle", "abs"):
            row(f"aten.{name}.default", a)
        row("aten.sum.default", a)
        row("aten.sum.dim_IntList", a, [-1], True)
        row("aten.mean.dim", a, [0])
        row("aten.cumsum.default", a, 1)
        row("aten.matmul.default", z(2, 3, dtype=t), z(3, 2, dtype=t))
        row("aten.bmm.default", z(2, 1, 3, dtype=t), z(2, 3, 2, dtype=t))
        row("aten.outer.default", z(2, dtype=t), z(3, dtype=t))
    a, b, r = z(2, 3), z(3, 4), noise(3, 4)
    row("aten.einsum.default", "ij,jk->ik", [a, b])
    fixed("aten.matmul.default", [a, r], torch.matmul(a, torch.complex(r, torch.zeros_like(r))))
    refuse("nac.add", z(2), z(3))
    refuse("aten.matmul.default", z(2, 3), z(2, 3))
    fixed("nac.add", [noise(2), "rows"], "error")
    fixed("aten.cumsum.default", [z(2), 1], "error nac_run_axis")
    fixed("aten.relu.default", [z(2)], "error nac_run_kind")


def matrices():
    begin("matrices")
    torch.manual_seed(59)
    tolerance(64, 2, largest=True)
    square, tall = noise(3, 3) + 2 * torch.eye(3), noise(4, 2)
    many, wide = noise(2, 2, 3), noise(2, 4, dtype=f64)
    for name in ("aten.linalg_slogdet.default", "aten.slogdet.default"):
        row(name, square)
        row(name, noise(2, 2, 2, dtype=f64))
        row(name, tensor([[1, 2], [2, 4]]))
        row(name, empty(0, 0))
        refuse(name, tall, code="nac_run_shape")
    name = "aten.linalg_qr.default"
    for x in (square, tall, wide, many):
        for mode in ("reduced", "complete", "r"):
            row(name, x, mode)
    row(name, tall)
    row(name, tensor([[2.0, 1], [0, -3]]))
    refuse(name, noise(3), code="nac_run_shape")
    refuse(name, tall, "other", code="nac_run_argument")
    # Vectors have signs of their own where they aren't axes: tests/vm/nac/products.cpp has those.
    name = "aten.linalg_svd.default"
    row(name, tensor([[3.0, 0], [0, 2]]))
    row(name, tensor([[3.0, 0], [0, 2], [0, 0]]), False)
    row(name, empty(0, 2, 2))
    refuse(name, noise(3), code="nac_run_shape")
    name = "aten.linalg_svdvals.default"
    for x in (square, tall, wide, many, tensor([[1, 2], [2, 4]])):
        row(name, x)
    refuse(name, noise(3), code="nac_run_shape")
    symmetric = square + square.T
    row("aten.linalg_eigh.default", tensor([[2.0, 0], [0, 3]]))
    refuse("aten.linalg_eigh.default", tall, code="nac_run_shape")
    for x in (symmetric, square, noise(2, 3, 3, dtype=f64), tensor([[2.0]])):
        row("aten.linalg_eigvalsh.default", x)
        row("aten.linalg_eigvalsh.default", x, "U")
    refuse("aten.linalg_eigvalsh.default", tall, code="nac_run_shape")
    fixed("aten.linalg_eigvalsh.default", [square, "other"], "error nac_run_argument")
    x = noise(2, 3, 4)
    for order in (1, -1, 2, -2, inf, -inf):
        row("aten.linalg_matrix_norm.default", x, order)
        row("aten.linalg_matrix_norm.default", x, order, [0, -1], True)
        row("aten.linalg_norm.default", x, order, [1, 2])
    for order in ("fro", "nuc"):
        row("aten.linalg_matrix_norm.str_ord", x, order)
        row("aten.linalg_matrix_norm.str_ord", x, order, [0, 1], True)
        row("aten.linalg_norm.ord_str", x, order, [1, 2])
        row("aten.linalg_norm.ord_str", tall, order)
    row("aten.linalg_matrix_norm.str_ord", x)
    row("aten.linalg_norm.default", x)
    row("aten.linalg_norm.default", x, None, [1], True)
    row("aten.linalg_norm.default", x, None, [1, 2])
    row("aten.linalg_norm.default", noise(3), 3)
    row("aten.linalg_norm.default", tall, 1)
    row("aten.linalg_norm.default", x, 3, -1)
    refuse("aten.linalg_norm.default", x, 2)
    refuse("aten.linalg_matrix_norm.default", tall, 3, code="nac_run_argument")
    refuse("aten.linalg_matrix_norm.default", tall, 1, [0, 0], code="nac_run_axis")
    row("aten.nuclear_norm.default", tall)
    refuse("aten.nuclear_norm.default", noise(3), code="nac_run_shape")
    for x in (square, tall, wide, many):
        row("aten.pinverse.default", x)
        row("aten.linalg_pinv.default", x, 1e-5)
        row("aten.linalg_pinv.atol_rtol_float", x)
        row("aten.linalg_matrix_rank.atol_rtol_float", x)
    row("aten.linalg_pinv.atol_rtol_float", tensor([[1.0, 2], [2, 4]]), atol=0.01, rtol=None)
    row("aten.linalg_matrix_rank.atol_rtol_float", tensor([[1.0, 2], [2, 4]]))
    row("aten.linalg_matrix_rank.atol_rtol_float", square, atol=2.5)
    for name in ("pinverse.default", "linalg_pinv.atol_rtol_float", "linalg_matrix_rank.atol_rtol_float"):
        refuse("aten." + name, noise(3), code="nac_run_shape")
    for name in ("aten.matrix_power.default", "aten.linalg_matrix_power.default"):
        for n in (0, 1, 2, 5, -1, -2):
            row(name, square, n)
        row(name, noise(2, 2, 2, dtype=f64), 3)
        refuse(name, tall, 2, code="nac_run_shape")
    for name in ("aten.matrix_exp.default", "aten.linalg_matrix_exp.default"):
        row(name, square)
        row(name, noise(2, 2, 2, dtype=f64) * 3)
        row(name, empty(2, 2))
        refuse(name, tall, code="nac_run_shape")
    lower = torch.tril(noise(3, 3)) + 3 * torch.eye(3)
    row("aten.cholesky_solve.default", noise(3, 2), lower)
    row("aten.cholesky_solve.default", noise(3, 2), lower.T.contiguous(), True)
    row("aten.cholesky_inverse.default", lower)
    row("aten.cholesky_inverse.default", lower.T.contiguous(), True)
    refuse("aten.cholesky_solve.default", noise(2, 2), lower)
    refuse("aten.cholesky_inverse.default", noise(3, 2))


def factors():
    begin("factors")
    torch.manual_seed(61)
    tolerance(64, 2, largest=True)
    square, tall = noise(3, 3) + 2 * torch.eye(3), noise(4, 2)
    positive = square @ square.T
    name = "aten._linalg_det.default"
    for x in (square, noise(2, 2, 2, dtype=f64), empty(0, 0)):
        fixed(name, [x], result_text([torch.linalg.det(x)]))
    refuse(name, tall, code="nac_run_shape")
    name = "aten._linalg_slogdet.default"
    for x in (square, noise(2, 2, 2, dtype=f64)):
        fixed(name, [x], result_text(list(torch.linalg.slogdet(x))))
    refuse(name, tall, code="nac_run_shape")
    name = "aten.linalg_cholesky_ex.default"
    row(name, positive)
    row(name, positive, upper=True)
    row(name, noise(2, 1, 1, dtype=f64).square() + 1)
    fixed(name, [-torch.eye(2), False, True], "error nac_run_argument")
    fixed(name, [-torch.eye(2)], result_text([-torch.eye(2), tensor(1, i32)]))
    refuse(name, tall, code="nac_run_shape")
    name = "aten._linalg_solve_ex.default"
    for a, b in ((square, noise(3)), (square, noise(3, 2)), (noise(2, 2, 2, dtype=f64), noise(2, 2, dtype=f64))):
        info = torch.zeros(a.shape[:-2], dtype=i32)
        fixed(name, [a, b], result_text([torch.linalg.solve(a, b), empty(0, dtype=a.dtype), empty(0, dtype=i32), info]))
    fixed(name, [tensor([[1, 2], [2, 4]]), tensor([1, 2]), True, True], "error nac_run_argument")
    refuse(name, tall, noise(4), code="nac_run_shape")
    name = "aten._linalg_eigh.default"
    row(name, tensor([[2.0, 0], [0, 3]]))
    row(name, tensor([[2.0, 0], [0, 3]]), "U", True)
    refuse(name, tall, code="nac_run_shape")
    name = "aten._linalg_svd.default"
    row(name, tensor([[3.0, 0], [0, 2], [0, 0]]))
    row(name, tensor([[3.0, 0], [0, 2]]), True, True)
    refuse(name, noise(3), code="nac_run_shape")
    x = tensor([[1.0, 2], [2, 4]])
    for name in ("aten.linalg_pinv.atol_rtol_tensor", "aten.linalg_matrix_rank.atol_rtol_tensor"):
        row(name, square)
        row(name, x, atol=tensor(0.01), rtol=None)
        refuse(name, noise(3), code="nac_run_shape")
    tolerance(0, 0)
    name = "aten._to_cpu.default"
    row(name, [noise(2), tensor([1, 2], i64)])
    row(name, [tensor(True, boolean)])
    fixed(name, ["rows"], "error")


def pairs():
    begin("pairs")
    torch.manual_seed(62)

    def z(*shape, dtype=f32):
        return torch.complex(noise(*shape, dtype=dtype), noise(*shape, dtype=dtype))

    tolerance(0, 0)
    x, i = z(2, 3), tensor([1, 0, 1], i64)
    for name in ("aten.zeros.default", "aten.ones.default"):
        row(name, [2, 2], dtype=torch.complex64)
    row("aten.full.default", [2], 3, dtype=torch.complex128)
    row("aten.scalar_tensor.default", 2.5, dtype=torch.complex64)
    row("aten.ones_like.default", x)
    row("aten.full_like.default", x, 2)
    row("aten.zeros_like.default", noise(2), dtype=torch.complex64)
    row("aten._to_copy.default", noise(2), dtype=torch.complex128)
    row("aten._to_copy.default", x, dtype=torch.complex128)
    row("aten.to.dtype", x, torch.complex64)
    fixed("aten.to.dtype", [x, f64], x.real.to(f64))
    row("aten.type_as.default", x, z(1, dtype=f64))
    row("aten.numpy_T.default", x)
    row("aten.mT.default", x)
    for name in ("aten.mH.default", "aten.adjoint.default", "aten.matrix_H.default"):
        row(name, x)
        row(name, noise(2, 3))
    row("aten.unfold.default", x, 1, 2, 1)
    row("aten.masked_select.default", x, noise(2, 3, dtype=boolean))
    row("aten.take_along_dim.default", x, tensor([[1], [0]], i64), 1)
    row("aten.copy.default", x, z(3))
    row("aten.copy.default", x, noise(2, 3))
    row("aten.masked_fill.Scalar", x, noise(2, 3, dtype=boolean), 2.0)
    row("aten.scatter.src", x, 1, tensor([[1], [0]], i64), z(2, 1))
    row("aten.scatter_add.default", x, 1, tensor([[1], [0]], i64), z(2, 1))
    row("aten.index_add.default", x, 1, i, z(2, 3))
    row("aten.index_copy.default", x, 1, tensor([1, 0, 2], i64), z(2, 3))
    row("aten.index_put.default", x, [tensor([1, 0], i64), tensor([2, 1], i64)], z(2))
    row("aten.index_put.default", x, [tensor([1, 1], i64)], z(3), True)
    row("aten.eq.Tensor", x, x.clone())
    row("aten.ne.Tensor", x, x.flip(0))
    row("aten.eq.Scalar", z(2).real.to(torch.complex64), 1)
    row("aten.isnan.default", tensor([1, nan]) * 1j)
    row("aten.isinf.default", torch.complex(tensor([1, inf]), tensor([inf, 0])))
    tolerance(8, 1, largest=True)
    for t in (f32, f64):
        a, b = z(2, 3, dtype=t), z(2, 3, dtype=t)
        row("aten.sqrt.default", a)
        row("aten.reciprocal.default", a)
        row("aten.linalg_vecdot.default", a, b)
        row("aten.pow.Tensor_Scalar", a, 2)
        row("aten.pow.Tensor_Scalar", a, 3)
        row("aten.pow.Tensor_Scalar", a, 0.5)
        row("aten.pow.Tensor_Scalar", a, 0)
        row("aten.linalg_vector_norm.default", a)
        row("aten.linalg_vector_norm.default", a, 1, [-1], True)
        row("aten.linear.default", a, b, z(2, dtype=t))
        row("aten.linear.default", a, b)
        row("aten.addmm.default", z(2, dtype=t), a, z(3, 2, dtype=t))
        row("aten.addmm.default", z(2, dtype=t), a, z(3, 2, dtype=t), beta=0.5, alpha=2)
        row("aten.baddbmm.default", z(1, 2, 2, dtype=t), a[None], z(1, 3, 2, dtype=t))
    tolerance(64, 1, largest=True)
    row("aten.pow.Tensor_Scalar", z(3), 2.5)
    row("aten.pow.Tensor_Scalar", z(3), -1)
    row("aten.pow.Tensor_Tensor", z(3), z(3))
    fixed("aten.sqrt.default", [torch.complex(tensor([-4.0, 4, 0, -4]), tensor([0.0, 0, 0, -0.0]))],
          torch.complex(tensor([0.0, 2, 0, 0]), tensor([2.0, 0, 0, -2])))


def ranks():
    begin("ranks")
    torch.manual_seed(57)
    tolerance(4, 1)
    x = noise(3, 4)
    holed = tensor([[1, nan, 3, 2], [4, 7, 5, -1], [nan, nan, nan, nan]])
    for name in ("aten.quantile", "aten.nanquantile"):
        for how in ("linear", "lower", "higher", "midpoint", "nearest"):
            row(name + ".scalar", x, 0.375, 1, False, interpolation=how)
            row(name + ".default", x, tensor([0, 0.25, 0.8, 1]), 0, True, interpolation=how)
        row(name + ".scalar", x, 0.5)
        row(name + ".scalar", holed, 0.5, 1)
        row(name + ".scalar", holed, 0.5, None, True)
        row(name + ".default", x, tensor(0.25), -1)
        row(name + ".default", x.to(f64), tensor([0.1, 0.9], f64))
        row(name + ".scalar", tensor(2.0), 0.5)
        refuse(name + ".scalar", x, 1.5, code="nac_run_argument")
        refuse(name + ".scalar", x, 0.5, 2, code="nac_run_axis")
        refuse(name + ".scalar", x, 0.5, 1, False, interpolation="other", code="nac_run_argument")
        refuse(name + ".scalar", noise(3, dtype=i32), 0.5, code="nac_run_type")
        refuse(name + ".scalar", empty(0), 0.5, code="nac_run_shape")
    tolerance(0, 0)
    name = "aten.unique_consecutive.default"
    for t in every:
        row(name, tensor([1, 1, 0, 1, 1, 1], t), True, True)
    row(name, tensor([1, 1, 2.5, 2.5, 1]))
    row(name, tensor([[1, 1], [1, 1], [0, 1]]), True, True, 0)
    row(name, tensor([[1, 1], [1, 1], [0, 1]]), True, True)
    row(name, tensor([[1, 1, 0], [2, 2, 0]]), False, True, 1)
    row(name, tensor(2.0), True, True)
    row(name, empty(0), True, True)
    refuse(name, noise(2), True, True, 1, code="nac_run_axis")
    name = "aten.unique_dim_consecutive.default"
    row(name, tensor([[1, 1], [1, 1], [0, 1]]), 0, True, True)
    row(name, tensor([[1, 1, 0], [2, 2, 0]], i64), -1)
    refuse(name, noise(2), 1, code="nac_run_axis")
    name = "aten.unique_dim.default"
    for t in every:
        row(name, tensor([[1, 1], [0, 1], [1, 1], [0, 0]], t), 0, True, True, True)
    row(name, tensor([[3, 1, 3], [2, 2, 2]]), 1, True, True, True)
    row(name, tensor([3, 1, 3]), 0)
    refuse(name, noise(2), 1, code="nac_run_axis")


def distributions():
    """What doesn't depend on a seed; the rest is in tests/vm/nac/random.cpp."""
    begin("distributions")
    tolerance(1, 1)
    x = noise(2, 3)
    for name in ("aten.alpha_dropout.default", "aten.feature_alpha_dropout.default"):
        row(name, x, 0.5, False)
        row(name, x, 0.0, True)
        row(name, x, 1.0, True)
        refuse(name, x, 1.5, True, code="nac_run_argument")
    for t in floats:
        row("aten.rrelu.default", noise(4, dtype=t))
        row("aten.rrelu_with_noise.default", noise(4, dtype=t), empty(4, dtype=t))
    row("aten.rrelu.default", x, 0.25, 0.5)
    row("aten.rrelu_with_noise.default", x, empty(2, 3), 0.25, 0.5, False)
    fixed("aten.rrelu.default", [x, 0.5, 0.25], "error nac_run_argument")
    fixed("aten.rrelu_with_noise.default", [x, empty(2, 3), 0.5, 0.25], "error nac_run_argument")
    for name, bad in (("exponential", [-1.0]), ("cauchy", [0.0, -1.0]), ("log_normal", [0.0, -1.0]),
                      ("geometric", [1.5])):
        name = f"aten.{name}.default"
        row(name, empty(0, 2), *([0.5] if "geometric" in name else []))
        refuse(name, x, *bad, code="nac_run_argument")
    row("aten.random.to", x, 1)
    row("aten.random.from", x, 3, 4)
    row("aten.random.default", empty(0))
    refuse("aten.random.from", x, 3, 3, code="nac_run_argument")
    row("aten.poisson.default", empty(2, 3))
    refuse("aten.poisson.default", -x.abs() - 1, code="nac_run_argument")


def numbers():
    begin("numbers")
    tolerance(0, 0)
    for t in every:
        for name in ("dim", "is_floating_point", "is_complex", "is_signed", "_shape_as_tensor"):
            row(f"aten.{name}.default", noise(2, 3, dtype=t))
    for name in ("dim", "is_floating_point", "is_signed", "_shape_as_tensor"):
        fixed(f"aten.{name}.default", ["rows"], "error")
    row("aten.is_complex.default", torch.complex(noise(2), noise(2)))
    fixed("aten.is_complex.default", ["rows"], "error")
    row("aten.is_nonzero.default", tensor(2.0))
    row("aten.is_nonzero.default", tensor([0], i64))
    refuse("aten.is_nonzero.default", noise(2), code="nac_run_shape")
    row("aten.is_same_size.default", noise(2, 3), noise(2, 3))
    row("aten.is_same_size.default", noise(2, 3), noise(3, 2))
    fixed("aten.is_same_size.default", ["rows", "rows"], "error")
    for name, pairs in {"torch.sym_max": ((3, 5), (2.5, 2)), "torch.sym_min": ((3, 5), (2.5, 3)),
                        "_operator.and_": ((6, 3), (True, False)),
                        "_operator.or_": ((6, 3), (True, False)),
                        "_operator.lshift": ((3, 2),), "_operator.rshift": ((13, 2),)}.items():
        for a, b in pairs:
            row(name, Num(a), Num(b))
    for v in (3, -2.5):
        row("torch.sym_float", Num(v))
        row("torch.sym_int", Num(v))
        row("math.trunc", Num(v))
    row("torch.sym_not", Num(True))
    row("torch.sym_not", Num(False))
    row("torch.sym_ite", Num(True), Num(3), Num(4))
    row("torch.sym_ite", Num(False), Num(3), Num(4))
    row("torch._sym_sqrt", Num(2))
    row("math.sqrt", Num(2.25))
    for name in ("torch.sym_float", "torch.sym_int", "torch.sym_not", "torch._sym_sqrt"):
        fixed(name, [tensor([1.0, 2])], "error nac_run_argument")
    fixed("torch.sym_ite", [tensor([1.0, 2]), 1, 2], "error nac_run_argument")


def ties():
    """Which of equal values topk takes, and in what order."""
    begin("ties")
    torch.manual_seed(67)
    tolerance(0, 0)
    few = torch.randint(0, 4, (2, 150))
    for t in (f32, i64):
        for k in (1, 2, 3, 20, 149, 150):
            for largest in (True, False):
                row("aten.topk.default", few.to(t), k, -1, largest)
        row("aten.topk.default", few.to(t), 20, -1, True, False)
    row("aten.topk.default", torch.zeros(40), 7)
    row("aten.topk.default", tensor([nan, 1, nan, nan, 2, nan]), 4)
    row("aten.topk.default", few.to(f32).t().contiguous(), 5, 0)


def groups():
    """Products of groups, whose rows PyTorch wants to begin at multiples of 16 bytes."""
    begin("groups")
    torch.manual_seed(71)
    tolerance(4, 1, largest=True)
    name, at = "aten._grouped_mm.default", tensor([2, 2, 5], i32)
    for t in (f32, f16, bf16):
        a, b = noise(5, 8, dtype=t), noise(3, 8, 8, dtype=t)
        row(name, a, b, at)
        row(name, b, noise(8, 8, dtype=t), tensor([1, 4, 8], i32))
        row(name, noise(8, 8, dtype=t), noise(8, 8, dtype=t), tensor([0, 3, 8], i32))
        row(name, b, b)
    # With rows that no group has: zeros, where PyTorch leaves what was in memory.
    a, b = noise(6, 8), noise(3, 8, 8)
    fixed(name, [a, b, at], torch.cat([A._grouped_mm.default(a[:5], b, at), torch.zeros(1, 8)]))
    row(name, a, b, tensor([0, 6, 6], i32), None, None)
    row(name, a.to(bf16), b.to(bf16), tensor([0, 6, 6], i32), None, bf16)
    refuse(name, a, b)
    refuse(name, b, b, at)
    refuse(name, a, b, tensor([3, 6], i32))
    refuse(name, a, b[:, :4], at)
    refuse(name, a, b.to(f16), at)
    refuse(name, a[0], b, at)
    refuse(name, b, b[:2])
    refuse(name, a, b, tensor([2.0, 2, 6]))
    fixed(name, [a, b, tensor([2, 1, 6], i32)], "error nac_run_argument")
    fixed(name, [a, b, tensor([2, 2, 7], i32)], "error nac_run_argument")
    refuse(name, a, b, tensor([2, 2, 6], i32), noise(3, 8))
    # Of transformers: the same of any type.
    name = "transformers.grouped_mm_fallback.default"
    for t in (f32, f64):
        a, b = noise(4, 3, dtype=t), noise(3, 3, 2, dtype=t)
        fixed(name, [a, b, tensor([1, 1, 3], i32)],
              torch.cat([a[:1] @ b[0], a[1:3] @ b[2], torch.zeros(1, 2, dtype=t)]))


if __name__ == "__main__":
    recorded = {f.__name__: f for f in (special, quantized, class_losses, sequences, places, parts,
                                        complexes, matrices, factors, pairs, ranks,
                                        distributions, numbers, ties, groups)}
    for chosen in sys.argv[1:] or recorded:
        recorded[chosen]()
    if operations.problems:
        sys.exit("\n".join(operations.problems))
    operations.write("further.py")
