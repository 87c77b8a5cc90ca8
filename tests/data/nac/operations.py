# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for the operations of the NAC machine.

    python3 tests/data/nac/operations.py                # writes operations/GROUP.txt beside it
    python3 tests/data/nac/operations.py networks       # of these groups only

A line that is indented is a row of the operation that stands above it: arguments by position, as
files of NAC have them, and the result.

    aten.softmax.int
      f32[2]:0,0 ; i:-1 | f32[2]:.5,.5

    argument   n          null
               b:1  i:-1  f:0.5  s:tanh    constants
               I:1,2      F:0.5,2          lists of whole numbers, of floats
               f32[2,1]:1,2                a tensor; f32[]:1 has rank 0
               c64[1]:1,2                  a complex one, of f32: 1 + 2i
               =i64:3                      a number as Python has it, as a result: a size, say
               (f32[1]:1 & i64[1]:2)       a list, as operations with several results give
    result     a tensor, a number or a list; or an error, with its name where only one fits:
               error nac_run_shape

    ! 4 1 largest
               tolerance of the rows that follow, times the precision (2^-23 for f32, 2^-52 for
               f64, 2^-10 for f16, 2^-7 for bf16), relative to the element or to the largest one;
               the second number is for f16 and bf16. 0: the same bits, but for NaNs.

Values are the shortest that round to the element. Rows that don't come from PyTorch (its operator
doesn't exist, or facts about files decide otherwise) are marked in here: `fixed`.
"""

import itertools
import math
import operator
import os
import sys
import warnings

import torch

warnings.filterwarnings("ignore")
torch.manual_seed(6)
torch.set_num_threads(1)
A = torch.ops.aten
inf, nan = math.inf, math.nan

f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
i64, i32, i16, i8, u8 = torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8
boolean = torch.bool
names = {f32: "f32", f64: "f64", f16: "f16", bf16: "bf16", i64: "i64", i32: "i32", i16: "i16",
         i8: "i8", u8: "u8", boolean: "bool"}
words = {f32: "float32", f64: "float64", f16: "float16", bf16: "bfloat16", i64: "int64",
         i32: "int32", i16: "int16", i8: "int8", u8: "uint8", boolean: "bool"}
floats = [f32, f64, f16, bf16]
wholes = [i64, i32, i16, i8, u8]
every = floats + wholes + [boolean]


class Num:
    """A number that is the result of an earlier instruction."""

    def __init__(self, value):
        self.value = value


# ---- text


def shortest(v, dtype=f64):
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    want = torch.tensor(v, dtype=dtype)
    for digits in range(1, 18):
        text = f"{v:.{digits}g}"
        if torch.equal(torch.tensor(float(text), dtype=dtype), want):
            break
    if "e" in text:
        m, e = text.split("e")
        text = f"{m}e{int(e)}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def tensor_text(t):
    t = t.detach()
    dims = ",".join(str(d) for d in t.shape)
    if t.dtype.is_complex:
        parts = torch.view_as_real(t.resolve_conj())
        values = [shortest(v, parts.dtype) for v in parts.reshape(-1).to(f64).tolist()]
        return f"{'c64' if parts.dtype == f32 else 'c128'}[{dims}]:{','.join(values)}"
    flat = t.contiguous().reshape(-1)
    if t.dtype.is_floating_point:
        values = [shortest(v, t.dtype) for v in flat.to(f64).tolist()]
    else:
        values = [str(int(v)) for v in flat.tolist()]
    return f"{names[t.dtype]}[{dims}]:{','.join(values)}"


def number_text(v):
    if isinstance(v, bool):
        return f"=bool:{int(v)}"
    if isinstance(v, int):
        return f"=i64:{v}"
    return f"=f64:{shortest(v)}"


def result_text(r):
    if isinstance(r, (list, tuple)):
        return f"({' & '.join(result_text(x) for x in r)})"
    if isinstance(r, torch.Tensor):
        return tensor_text(r)
    return number_text(r)


def is_results(v):
    return isinstance(v, (list, tuple)) and any(isinstance(x, (torch.Tensor, Num)) for x in v)


def argument_texts(v):
    """An argument of Python as those of a file: lists of tensors are laid flat."""
    if isinstance(v, Results):
        return [result_text(v.values)]
    if is_results(v):
        return [t for x in v for t in argument_texts(x)]
    if v is None:
        return ["n"]
    if isinstance(v, Num):
        return [number_text(v.value)]
    if isinstance(v, torch.Tensor):
        return [tensor_text(v)]
    if isinstance(v, bool):
        return [f"b:{int(v)}"]
    if isinstance(v, int):
        return [f"i:{v}"]
    if isinstance(v, float):
        return [f"f:{shortest(v)}"]
    if isinstance(v, str):
        return [f"s:{v}"]
    if isinstance(v, torch.dtype):
        return [f"s:{words[v]}"]
    if any(isinstance(x, float) for x in v):
        return ["F:" + ",".join(shortest(x, f32) for x in v)]
    return ["I:" + ",".join(str(int(x)) for x in v)]


class Results:
    """A list as one argument."""

    def __init__(self, *values):
        self.values = list(values)


# ---- rows

groups = {}
group = None
within = None
problems = []  # rows that aren't as they are meant here


def begin(name):
    global group
    group = groups.setdefault(name, {})


def tolerance(whole, half, largest=False):
    global within
    within = f"! {whole} {half}{' largest' if largest else ''}"


# What names mean that aren't PyTorch's.
meanings = {}


def torch_operator(name):
    if name in meanings:
        return meanings[name]
    _, op, overload = name.split(".")
    return getattr(getattr(A, op), overload)


def plain(v):
    if isinstance(v, Num):
        return v.value
    if isinstance(v, Results):
        return v.values
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v


def add_row(name, args, result):
    texts = [t for a in args for t in argument_texts(a)]
    rows = group.setdefault(within, {}).setdefault(name, {})
    rows[f"  {' ; '.join(texts)} | {result}"] = True


def call_torch(name, args, kw):
    args = [plain(a) for a in args]
    given = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    kw = {k: plain(v) for k, v in kw.items()}
    try:
        return torch_operator(name)(*given, **kw)
    except RuntimeError as e:
        if "to Tensor" not in str(e):
            raise
    # This overload wants tensors; one of rank 0 gives way to others as a number does.
    kinds = {bool: boolean, int: i64, float: f32}
    if not any(isinstance(a, torch.Tensor) and a.dim() > 0 for a in given):
        raise TypeError("nothing to give way to")
    given = [tensor(a, kinds[type(a)]) if type(a) in kinds else a for a in given]
    return torch_operator(name)(*given, **kw)


def row(name, *args, **kw):
    """A row that PyTorch has a result for."""
    try:
        result = call_torch(name, args, kw)
    except Exception as e:
        problems.append(f"{name} {args} {kw}: {str(e).splitlines()[0]}")
        return
    add_row(name, list(args) + list(kw.values()), result_text(result))


def refuse(name, *args, code="", **kw):
    """A row that PyTorch refuses."""
    try:
        result = call_torch(name, args, kw)
    except Exception:
        add_row(name, list(args) + list(kw.values()), f"error {code}".strip())
        return
    problems.append(f"{name} {args} {kw}: expected an error, got {result}")


def either(name, *args, **kw):
    try:
        result = call_torch(name, args, kw)
    except Exception:
        add_row(name, list(args) + list(kw.values()), "error")
        return
    add_row(name, list(args) + list(kw.values()), result_text(result))


def fixed(name, args, result):
    """A row whose result is not what PyTorch says."""
    add_row(name, args, result if isinstance(result, str) else result_text(result))


def tensor(values, dtype=f32):
    return torch.tensor(values, dtype=dtype)


def empty(*shape, dtype=f32):
    return torch.zeros(shape, dtype=dtype)


def noise(*shape, dtype=f32, low=-2.0, high=2.0):
    """Random values of few digits."""
    t = torch.rand(shape, dtype=f64) * (high - low) + low
    if dtype == boolean:
        return torch.rand(shape) < 0.5
    if not dtype.is_floating_point:
        return torch.round(t * 3).to(dtype) if dtype != u8 else torch.round(t * 3).abs().to(u8)
    return (torch.round(t * 4) / 4).to(dtype)


def count(*shape, dtype=f32):
    return torch.arange(math.prod(shape)).reshape(shape).to(dtype)


def whole_values(dtype):
    if dtype == u8:
        return [0, 1, 2, 3, 200, 255]
    low = torch.iinfo(dtype).min
    return [low, -3, 0, 1, 7, -low - 1]


def values(dtype):
    if dtype == boolean:
        return tensor([False, True], boolean)
    if dtype in (f64, f16, bf16):
        return tensor([-2.5, -0.0, 0.375, 1, nan], dtype)
    if dtype.is_floating_point:
        return tensor([-inf, -2.5, -1, -0.5, -0.0, 0, 0.375, 1, 1.5, 2.5, 7, inf, nan], dtype)
    return tensor(whole_values(dtype), dtype)


# ---- elementwise


def number_operation(one, two):
    """A symbol of Python: of numbers, or of tensors too."""

    def run(*args):
        return (two if any(isinstance(a, torch.Tensor) for a in args) else one)(*args)

    return run


meanings.update({
    "nac.add": number_operation(operator.add, A.add.Tensor),
    "nac.sub": number_operation(operator.sub, A.sub.Tensor),
    "nac.mul": number_operation(operator.mul, A.mul.Tensor),
    "nac.div": number_operation(operator.truediv, A.div.Tensor),
    "nac.gt": number_operation(operator.gt, A.gt.Tensor),
    "nac.le": number_operation(operator.le, A.le.Tensor),
    "nac.neg": number_operation(operator.neg, A.neg.default),
    "mul": number_operation(operator.mul, A.mul.Tensor),
    "truediv": number_operation(operator.truediv, A.div.Tensor),
    "floordiv": number_operation(operator.floordiv, A.floor_divide.default),
    "mod": number_operation(operator.mod, A.remainder.Tensor),
    "pow": number_operation(operator.pow, A.pow.Tensor_Tensor),
    "nac.where": torch.where,
    "aten.__not__.Tensor": A.bitwise_not.default,
    "aten.lt.default": A.lt.Tensor,
    "aten.ge.default": A.ge.Tensor,
})


def binary(name, types=every, scalars=True, nonzero=False, brief=False):
    """Two operands: shapes, types, their mixtures, refusals."""

    def right(t):
        t = t.clone()
        if nonzero and not t.dtype.is_floating_point:
            t[t == 0] = 3 if t.dtype != boolean else True
        return t

    x, y = noise(2, 3), right(noise(3))
    row(name, x, y) if f32 in types else None
    base = types[0]
    row(name, noise(2, 1, 2, dtype=base), right(noise(3, 1, dtype=base)))
    if not brief:
        row(name, noise(3, dtype=base), right(noise(2, 3, dtype=base)))
    row(name, noise(2, 2, dtype=base), right(tensor(2, base)))
    row(name, tensor(3, base), right(tensor(2, base)))
    row(name, empty(0, dtype=base), right(tensor(2, base)))
    row(name, empty(2, 0, dtype=base), right(noise(1, dtype=base)))
    refuse(name, noise(2, 3, dtype=base), right(noise(2, dtype=base)), code="nac_run_shape")
    refuse(name, empty(0, dtype=base), right(noise(2, dtype=base)), code="nac_run_shape")
    for t in every:
        v = values(t)
        w = right(v.flip(0).roll(2))
        if v.dtype.is_floating_point:
            v, w = v[1::2], w[1::2]
        either(name, v, w)
        if scalars:
            numbers = [Num(2), 1.5, True]
            if brief or t not in (i32, boolean, f16):
                numbers = [numbers[every.index(t) % 3]]
            for number in numbers:
                # PyTorch refuses x - True and truth ** True, but True may stand for 1 in a file.
                if number is True and (name == "nac.sub" or
                                       name == "aten.pow.Tensor_Tensor" and t == boolean):
                    continue
                either(name, right(noise(2, dtype=t)), number)
    mixtures = [(f16, bf16), (i32, f16), (u8, i8), (i64, f32), (f32, f64), (i16, i64),
                (boolean, u8), (boolean, bf16)]
    for s, t in mixtures[:4] if brief else mixtures:
        either(name, noise(2, dtype=s), right(noise(2, dtype=t)))
    for s, t in mixtures[2:4] if brief else mixtures[:6]:
        either(name, right(noise(2, dtype=t)), right(tensor(1, s)))
    if scalars:
        either(name, 2, right(noise(2, dtype=base)))
        either(name, Num(2.5), right(noise(2, dtype=base)))


def compact_binary(name, types=every, nonzero=False):
    """Another name of what has all rows already."""
    for t in (f32, i32, boolean):
        either(name, noise(2, dtype=t), tensor([1, 3], i16) if t == i32 else
               tensor([1, 2], boolean if f32 not in types and t == boolean else f32 if t == f32
                      else i64))


def scalar_name(name, numbers=(2, 0.5)):
    for t in (f32, i32, boolean):
        for v in numbers:
            either(name, noise(3, dtype=t), v)


def unary(name, types=every, extra=()):
    for t in every:
        x = values(t)
        either(name, x[x != inf] if "gelu" in name else x)
    if len(extra):
        either(name, tensor(list(extra)))
    row(name, noise(2, 3, dtype=types[0]))
    row(name, noise(2, 1, 2, dtype=types[0]))
    row(name, tensor(1, types[0]))
    row(name, empty(0, dtype=types[0]))
    row(name, empty(2, 0, 3, dtype=types[0]))
    if "neg" not in name:
        fixed(name, [2.0], "error")  # a number, where only a result stands


def elementwise():
    begin("elementwise")
    tolerance(0, 0)
    for name in ("nac.add", "nac.sub", "nac.mul"):
        binary(name)
    for name in ("aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor"):
        compact_binary(name)
    for name in ("aten.add.Scalar", "aten.sub.Scalar", "aten.mul.Scalar", "aten.rsub.Scalar"):
        scalar_name(name)
    compact_binary("aten.rsub.Tensor")
    binary("aten.rsub.Tensor", scalars=False, brief=True)
    for name in ("aten.add.Tensor", "aten.sub.Tensor"):
        for t in every:
            either(name, noise(2, dtype=t), noise(2, dtype=t), alpha=2)
        for t in (f32, bf16, i32, boolean):
            either(name, noise(2, dtype=t), noise(2, dtype=t), alpha=0.5)
        row(name, noise(2), noise(2, dtype=i32), alpha=-1.5)
    row("aten.add.Scalar", noise(2), 3, 2)
    row("aten.sub.Scalar", noise(2), 3, 2)
    row("aten.rsub.Tensor", noise(2), noise(2), alpha=2)
    row("aten.rsub.Scalar", noise(2), 3, 2)
    for name in ("nac.add", "nac.sub", "nac.mul", "mul"):
        row(name, Num(7), 3)
        row(name, Num(7), Num(-2))
        row(name, 2, Num(5))
    row("mul", noise(2), 2)
    for name in ("nac.gt", "nac.le", "aten.lt.Tensor", "aten.ge.Tensor", "aten.eq.Tensor",
                 "aten.ne.Tensor"):
        binary(name, brief=name != "nac.gt")
    for name in ("aten.gt.Tensor", "aten.le.Tensor", "aten.lt.default"):
        compact_binary(name)
    for name in ("gt", "le", "lt", "ge", "eq", "ne"):
        scalar_name(f"aten.{name}.Scalar")
        row(f"aten.{name}.Scalar", tensor([200, 1, 0], u8), -1)
        row(f"aten.{name}.Scalar", tensor([127, -128, 3], i8), 2.5)
    for name in ("nac.gt", "nac.le"):
        row(name, Num(7), 3)
        row(name, Num(7), Num(7))
    row("nac.gt", tensor([16777217, 16777216], i64), tensor([16777216.0, 16777216.0]))
    row("aten.eq.Tensor", tensor([2**53 + 1], i64), tensor([2.0**53], f64))
    unary("nac.neg")
    row("nac.neg", Num(3))
    for name in ("aten.neg.default", "aten.abs.default", "aten.relu.default", "aten.floor.default",
                 "aten.ceil.default", "aten.isnan.default", "aten.isinf.default",
                 "aten.square.default"):
        unary(name)
    unary("aten.round.default", extra=[-1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 1e9, -0.3])
    unary("aten.logical_not.default")
    unary("aten.bitwise_not.default", types=[i64])
    unary("aten.__not__.Tensor", types=[i64])
    for name in ("aten.logical_and.default", "aten.logical_or.default", "aten.logical_xor.default"):
        binary(name, scalars=False, brief=True)
    for name in ("aten.bitwise_and.Tensor", "aten.bitwise_or.Tensor", "aten.bitwise_xor.Tensor"):
        binary(name, types=[i64], brief=True)
    for name in ("aten.__and__.Tensor", "aten.__or__.Tensor", "aten.__xor__.Tensor"):
        compact_binary(name, types=[i64])
    for name in ("aten.bitwise_and.Scalar", "aten.bitwise_or.Scalar", "aten.bitwise_xor.Scalar"):
        for t in every:
            either(name, noise(3, dtype=t), 6)
        either(name, noise(2, dtype=i32), True)
        either(name, noise(2, dtype=boolean), True)
        refuse(name, noise(2, dtype=i32), 1.5)
    for name in ("aten.minimum.default", "aten.maximum.default"):
        binary(name, brief=True)
        row(name, tensor([nan, 1, nan, -0.0]), tensor([1, nan, nan, 0.0]))
    compact_binary("aten.min.other")
    compact_binary("aten.max.other")
    tolerance(1, 1)
    binary("nac.div")
    row("nac.div", Num(7), noise(2))
    compact_binary("aten.div.Tensor")
    scalar_name("aten.div.Scalar")
    row("truediv", noise(2), 3)
    row("truediv", tensor([7, -7], i64), tensor([2, 2], i64))
    tolerance(0, 0)
    for name in ("aten.floor_divide.default", "aten.remainder.Tensor"):
        binary(name, nonzero=True)
        for t in floats:
            row(name, tensor([5, -5, 5, -5, 0.5, -0.5, inf, 1, -1, nan, 6, -6, 0.0, -0.0], t),
                tensor([3, 3, -3, -3, 0.125, 0.375, 2, inf, inf, 1, 3, 3, 2, 2], t))
            row(name, tensor([1, -1, 0], t), tensor([0, 0, 0], t))
        for t in (i64, i32, i16, i8):
            low = torch.iinfo(t).min
            row(name, tensor([7, -7, 7, -7, 6, -6, low, low], t),
                tensor([2, 2, -2, -2, 3, 3, 1, 2], t))
        for t in wholes:
            refuse(name, tensor([7, 1], t), tensor([1, 0], t), code="nac_run_division")
        refuse(name, noise(2, dtype=i32), 0, code="nac_run_division")
    scalar_name("aten.remainder.Scalar", numbers=(2, 0.5, -3))
    for name in ("floordiv", "mod"):
        for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3)):
            row(name, Num(a), b)
        row(name, 9, Num(4))
        row(name, noise(2, dtype=i32), 2)
        row(name, noise(2), 0.75)
        refuse(name, Num(7), 0, code="nac_run_division")
    # An overflow that is no result anywhere: -2^63 / -1 wraps, as other integers do.
    for name, result in (("aten.floor_divide.default", -2**63), ("aten.remainder.Tensor", 0)):
        fixed(name, [tensor([-2**63], i64), tensor([-1], i64)], tensor([result], i64))
    tolerance(4, 1)
    binary("aten.pow.Tensor_Tensor")
    for t in every:
        for e in (2, 3, 0, 1, 0.5, -1, -2, 2.5, -0.5):
            either("aten.pow.Tensor_Scalar", tensor([0, 1, 2, 3], t), e)
        either("aten.pow.Scalar", 2, tensor([0, 1, 2, 3], t))
        either("aten.pow.Scalar", 2.5, tensor([0, 1, 2], t))
    row("aten.pow.Tensor_Scalar", values(f32), 2)
    row("aten.pow.Tensor_Scalar", values(f32), 3)
    row("aten.pow.Tensor_Scalar", values(f32), 0.5)
    row("aten.pow.Tensor_Scalar", values(f32), 0)
    row("aten.pow.Tensor_Scalar", values(f32), 1.5)
    row("aten.pow.Tensor_Scalar", tensor([-3, 3, 100], i8), 3)
    refuse("aten.pow.Tensor_Scalar", tensor([1, 2], i32), -1)
    row("aten.pow.Tensor_Tensor", tensor([1, -1, 2, -2, 3], i32), tensor([-3, -3, -1, 31, 21], i32))
    row("pow", Num(2), 5)
    row("pow", noise(2), 2)
    row("aten.pow.Scalar", 1, values(f32))

    for name in ("exp", "cos", "sin", "tanh", "log", "sqrt", "rsqrt", "reciprocal", "erf",
                 "sigmoid", "hardsigmoid", "hardswish", "silu", "gelu"):
        if name == "gelu":  # PyTorch's is as exact as 1 + erf is in float
            tolerance(4, 1, largest=True)
        unary(f"aten.{name}.default", extra=[-20, -4, -3.5, -0.25, 0.001, 0.1, 3.25, 10])
    for t in every:
        either("aten.gelu.default", noise(4, dtype=t), approximate="tanh")
    row("aten.gelu.default", tensor([-20.0, -3, -0.125, 0, 1, 3, 20]), approximate="none")
    row("aten.gelu.default", tensor([-20.0, -3, -0.125, 0, 1, 3, 20]), approximate="tanh")
    # PyTorch gives NaN for infinity on processors with AVX-512, and infinity on others.
    fixed("aten.gelu.default", [tensor([inf])], tensor([inf]))
    refuse("aten.gelu.default", noise(2), approximate="sigmoid", code="nac_run_argument")
    tolerance(4, 1)
    for name, argument_lists in (
            ("leaky_relu", ((), (0.25,), (1,), (-0.5,))),
            ("elu", ((), (0.5,), (2.0, 0.5), (1.0, 1.5, 0.5), (1,))),
            ("softplus", ((), (2.0,), (1, 2), (0.5, 3.0)))):
        for t in every:
            for arguments in argument_lists[:1 if t in wholes else 9]:
                either(f"aten.{name}.default", values(t) if not arguments else noise(3, dtype=t),
                       *arguments)
        row(f"aten.{name}.default", empty(2, 0))
        row(f"aten.{name}.default", tensor(-0.5))
        row(f"aten.{name}.default", noise(2, 3))
        refuse(f"aten.{name}.default", noise(2, dtype=i64))
    row("aten.softplus.default", tensor([19, 20, 21, 100, -100.0]))
    for name in ("aten.prelu.default", "aten._prelu_kernel.default"):
        for t in floats:
            row(name, noise(2, 3, dtype=t), tensor([0.25], t).reshape(
                (1,) if name == "aten.prelu.default" else (1, 1)))
    for t in (i64, boolean):
        refuse("aten.prelu.default", noise(2, 2, dtype=t), noise(1, dtype=t))
    row("aten.prelu.default", noise(2, 3), noise(3))
    row("aten.prelu.default", noise(2, 3, 2), noise(3))
    row("aten.prelu.default", noise(3), noise(1))
    row("aten.prelu.default", tensor(-1.0), noise(1))
    row("aten.prelu.default", tensor(-1.0), tensor(0.5))
    row("aten.prelu.default", empty(0, 3), noise(3))
    refuse("aten.prelu.default", noise(2, 3), noise(2), code="nac_run_shape")
    refuse("aten.prelu.default", noise(2, 3), noise(3, 1), code="nac_run_shape")
    refuse("aten.prelu.default", noise(2, 3), noise(3, dtype=f64))
    tolerance(0, 0)
    for t in every:
        v = values(t)
        either("aten.clamp.default", v, 0, 2)
        either("aten.clamp.default", v, -0.5, 1.5)
        either("aten.clamp.default", v, None, 1)
        either("aten.clamp.default", v, 1)
        either("aten.clamp_min.default", v, 1)
        either("aten.clamp_max.default", v, 1)
        either("aten.clamp_max.default", v, 0.5)
        either("aten.clamp_min.default", v, 0.5)
    row("aten.clamp.default", noise(2, 3), 1.0, -1.0)
    row("aten.clamp.default", noise(2, 3), None, 0.5)
    row("aten.clamp.default", noise(2), nan, 1.0)
    row("aten.clamp.default", tensor([1, 300], i64), Num(2), Num(9))
    row("aten.clamp.default", tensor(3.0), 1, 2)
    row("aten.clamp.default", empty(0, 2), 0, 1)
    row("aten.clamp_max.default", empty(0, 2), 0)
    row("aten.clamp_max.default", tensor(5, i32), 3)
    refuse("aten.clamp.default", noise(2), code="nac_run_argument")
    refuse("aten.clamp.default", noise(2), None, None, code="nac_run_argument")
    fixed("aten.clamp_max.default", [noise(2), None], "error")

    c = tensor([True, False, True], boolean)
    for t in every:
        either("nac.where", c, noise(3, dtype=t), noise(3, dtype=t))
        either("aten.where.self", c, noise(2, 3, dtype=t), noise(2, 1, dtype=i32))
        either("aten.where.ScalarOther", c, noise(3, dtype=t), 0.5)
        either("aten.where.ScalarSelf", c, 2, noise(3, dtype=t))
        if t != boolean:
            either("nac.where", noise(3, dtype=t), noise(3), noise(3))
    row("aten.where.Scalar", c, 1, 2)
    row("aten.where.Scalar", c, 1.5, 2)
    row("aten.where.Scalar", c, True, False)
    row("aten.where.Scalar", c, True, 3)
    row("nac.where", tensor(True, boolean), noise(2), noise(2, 1))
    row("nac.where", tensor([[True], [False]], boolean), tensor(1.0), noise(3))
    row("nac.where", tensor(False, boolean), tensor(1.0), tensor(2, i32))
    row("nac.where", empty(0, dtype=boolean), empty(0), tensor(1.0))
    row("nac.where", c, -3.4028234663852886e+38, noise(3, dtype=f32))
    row("nac.where", c, noise(3), noise(3, dtype=f64))
    row("nac.where", c, noise(3, dtype=f16), tensor(1.0))
    refuse("nac.where", c, noise(2), noise(3), code="nac_run_shape")
    refuse("nac.where", c, noise(3), noise(2), code="nac_run_shape")
    for t in every:
        either("aten.masked_fill.Scalar", noise(3, dtype=t), c, 1)
        either("aten.masked_fill.Scalar", noise(3, dtype=t), c, -inf)
        either("aten.masked_fill.Scalar", noise(3, dtype=t), c, 0.5)
        either("aten.masked_fill.Tensor", noise(3, dtype=t), c, tensor(1, t))
        if t != boolean:
            refuse("aten.masked_fill.Scalar", noise(3), noise(3, dtype=t), 1)
    row("aten.masked_fill.Scalar", noise(2, 3), c, 0)
    row("aten.masked_fill.Scalar", noise(3), tensor([[True], [False]], boolean), 0)
    row("aten.masked_fill.Scalar", tensor(1.5), tensor(True, boolean), 2)
    row("aten.masked_fill.Scalar", empty(0), tensor(True, boolean), 2)
    row("aten.masked_fill.Tensor", noise(3, dtype=f16), c, tensor(2.5))
    refuse("aten.masked_fill.Tensor", noise(3), c, noise(3))
    refuse("aten.masked_fill.Scalar", noise(2), c, 0, code="nac_run_shape")


def types_of(name, make, *rest, **kw):
    """A row for each data type."""
    for t in every:
        either(name, make(t), *rest, **kw)


# ---- create

meanings.update({
    "nac.pass": lambda x, *rest: x,
    "nac.clone": lambda x, **kw: x,
    "nac.zeros": A.zeros.default,
    "nac.zeros_like": A.zeros_like.default,
    "aten.empty_like.default": A.zeros_like.default,
    "nac.new_zeros": A.new_zeros.default,
    "nac.ones": A.ones.default,
    "nac.ones_like": A.ones_like.default,
    "nac.new_ones": A.new_ones.default,
    "nac.full": A.full.default,
    "nac.full_like": A.full_like.default,
    "getitem": lambda x, i: x[i],
    "operator.getitem": lambda x, i: x[i],
})


def create():
    begin("create")
    tolerance(0, 0)
    types_of("nac.pass", values)
    row("nac.pass", noise(2, 2), 0.1, False)
    row("nac.pass", Num(3))
    row("nac.pass", 2.5)
    row("aten.dropout.default", noise(2), 0.5, False)
    for name in ("aten.detach.default", "aten.alias.default"):
        row(name, noise(2, 2))
        row(name, tensor(2, i32))
        row(name, empty(0, 2))
    types_of("nac.clone", values)
    row("nac.clone", empty(2, 0))
    x = noise(2)
    fixed("nac.clone", [x, "contiguous_format"], x)
    fixed("aten.clone.default", [x, "contiguous_format"], x)
    fixed("aten.clone.default", [tensor(2, u8)], tensor(2, u8))
    row("aten.lift_fresh_copy.default", noise(2))
    for name in ("nac.pass", "nac.clone"):
        fixed(name, ["text"], "error")

    def arange(name, *args):
        numbers = [a for a in args if not isinstance(a, (str, torch.dtype)) and a is not None]
        if numbers and isinstance(numbers[-1], bool) and len(numbers) > 1:
            numbers.pop()  # pin_memory
        dtype = [a for a in args if isinstance(a, torch.dtype)]
        result = torch.arange(*[plain(a) for a in numbers], dtype=dtype[0] if dtype else None)
        fixed(name, args, result)

    for name in ("nac.arange", "aten.arange.default"):
        for args in ((5,), (0,), (2.5,), (Num(4),), (True,), (5, "cpu", False),
                     (5, None, None, "cpu", False), (3, i32, "strided", "cpu", False), (3, f16),
                     (3, f64), (3, u8), (4.0, i64)):
            arange(name, *args)
    for args in ((1, 5), (5, 5), (-2, 2, "cpu", False), (0.5, 3), (0, Num(3)), (1, 4, bf16)):
        arange("nac.arange", *args)
        arange("aten.arange.start", *args)
    for args in ((0, 5, 2), (5, 0, -2), (0, 1, 0.25), (1.5, -1, -0.5), (0, 6, 4, "cpu", False),
                 (0, 1, 0.1, f64), (0, 7, 3, i16), (10, 0, -3, f32), (0, 0, 1)):
        arange("aten.arange.start_step", *args)
    for name, args in (("nac.arange", (-1,)), ("nac.arange", (3, 1)),
                       ("aten.arange.start_step", (0, 5, 0)),
                       ("aten.arange.start_step", (0, 5, -1)), ("nac.arange", (nan,)),
                       ("nac.arange", (inf,)), ("nac.arange", (0, 5, -inf))):
        fixed(name, args, "error nac_run_argument")
    fixed("nac.arange", [2**62], "error budget_memory")
    fixed("nac.arange", [-2**63, 2**63 - 1], "error budget_memory")
    fixed("nac.arange", [], "error")
    tolerance(2, 1)
    for args in ((0, 1, 5), (-1, 1, 4), (3, 3, 2), (0, 1, 1), (0, 1, 0), (5, -5.5, 3),
                 (0.0, 10.0, 7)):
        row("aten.linspace.default", *args)
    for t in every:
        either("aten.linspace.default", 0, 4, 5, dtype=t)
    fixed("aten.linspace.default", [0, 1, 3, None, None, "cpu", False], tensor([0, 0.5, 1]))
    refuse("aten.linspace.default", 0, 1, -1, code="nac_run_argument")
    fixed("aten.linspace.default", [0, 1, 2**50], "error budget_memory")
    tolerance(0, 0)
    for nac, aten, make in (("nac.zeros", "aten.zeros.default", torch.zeros),
                            ("nac.ones", "aten.ones.default", torch.ones)):
        for dims in ([2, 3], [], [0, 2], [1], [2, 1, 2]):
            row(nac, dims)
        for t in every:
            row(aten, [2], dtype=t)
        fixed(nac, [[2], f16, "strided", "cpu", False], make(2, dtype=f16))
        fixed(nac, [[2], None, None, "cpu", False], make(2))
        fixed(nac, [[2], "cpu", False], make(2))
        fixed(nac, [Num(2), 3, i64], make(2, 3, dtype=i64))
        fixed(nac, [3], make(3))
        fixed(nac, [2, Num(1)], make(2, 1))
        refuse(nac, [2, -1], code="nac_run_shape")
        fixed(nac, [[2**30, 2**30]], "error budget_memory")
        fixed(nac, [[1] * 17], "error nac_run_rank")
    for name, make in (("zeros_like", torch.zeros_like), ("ones_like", torch.ones_like)):
        for t in every:
            row(f"nac.{name}", noise(2, dtype=t))
            row(f"aten.{name}.default", noise(2), dtype=t)
        row(f"nac.{name}", tensor(1, i32))
        row(f"nac.{name}", empty(0, 3))
        fixed(f"nac.{name}", [noise(2), i64, "strided", "cpu", False, "preserve_format"],
              make(empty(2), dtype=i64))
        fixed(f"nac.{name}", [noise(2), "cpu", False], make(empty(2)))
        fixed(f"nac.{name}", [2], "error")
    row("aten.empty_like.default", noise(2, dtype=i64))
    for name, make in (("new_zeros", torch.zeros), ("new_ones", torch.ones)):
        for t in every:
            row(f"nac.{name}", noise(1, dtype=t), [2, 2])
        row(f"aten.{name}.default", noise(1, dtype=f64), [])
        row(f"aten.{name}.default", noise(1), [2, 0], dtype=i64)
        fixed(f"nac.{name}", [noise(1), [2], None, None, "cpu", False], make(2))
        fixed(f"nac.{name}", [noise(1, dtype=i64), Num(2), 1], make(2, 1, dtype=i64))
        fixed(f"nac.{name}", [noise(1, dtype=i64), Num(2), 1, f32], make(2, 1))
        refuse(f"nac.{name}", noise(1), [-1], code="nac_run_shape")
    for v in (2, 1.5, True, -inf):
        row("nac.full", [2, 2], v)
        for t in every:
            either("aten.full.default", [2], v, dtype=t)
    row("nac.full", [], 3)
    row("nac.full", [0], 3.5)
    row("nac.full", [2], Num(3))
    fixed("nac.full", [Num(2), 3, 0.5], torch.full((2, 3), 0.5))
    fixed("nac.full", [2, 3, 7], torch.full((2, 3), 7))
    fixed("nac.full", [2, 3, 7, f32], torch.full((2, 3), 7.0))
    fixed("nac.full", [[2], 0.5, f64, None, "cpu", False], torch.full((2,), 0.5, dtype=f64))
    fixed("nac.full", [[2], 0.5, "cpu", False], torch.full((2,), 0.5))
    fixed("nac.full", [[2], -3.4028234663852886e38, "cpu", False],
          torch.full((2,), -3.4028234663852886e38))
    refuse("nac.full", [-2], 1, code="nac_run_shape")
    for v in (2, 1.5, True):
        for t in every:
            row("nac.full_like", noise(2, dtype=t), v)
    row("aten.full_like.default", noise(2, 1), 0.5, dtype=f16)
    row("aten.full_like.default", tensor(1), 2, dtype=i64)
    row("nac.full_like", empty(0, 1), 2)
    fixed("nac.full_like", [noise(2), 0.5, "cpu", False], torch.full((2,), 0.5))
    fixed("nac.full_like", [noise(2), "cpu"], "error")
    for x, d in ((noise(2, 3), 0), (noise(2, 3), 1), (noise(2, 3), -1), (noise(2, 3), -2),
                 (empty(0, 4), 0), (noise(2, dtype=u8), 0)):
        row("aten.sym_size.int", x, d)
    for x, d in ((noise(2, 3), 2), (noise(2, 3), -3), (tensor(1.0), 0), (tensor(1.0), -1),
                 (noise(2), -2**63)):
        refuse("aten.sym_size.int", x, d, code="nac_run_axis")
    for s, t in itertools.product(every, every):
        x = tensor([False, True], boolean) if s == boolean else \
            tensor([0, 1.5, 100.25], s) if s.is_floating_point else tensor([0, 3, 100], s)
        row("aten._to_copy.default", x, dtype=t)
    row("aten._to_copy.default", tensor([-1.75, -0.5, -100]), dtype=i8)
    row("aten._to_copy.default", tensor([300, -1, 65535, 2**40 + 5], i64), dtype=u8)
    row("aten._to_copy.default", tensor([300, -129], i64), dtype=i8)
    row("aten._to_copy.default", tensor([65504.0, 65519, 65520, 1e-8, 6e-8, 1.0009765]), dtype=f16)
    row("aten._to_copy.default", tensor([1.00390625, 1.01171875, 3.4e38, nan, inf]), dtype=bf16)
    row("aten._to_copy.default", tensor([16777217, -16777217], i64), dtype=f32)
    row("aten._to_copy.default", tensor([nan, 0.25, -0.0]), dtype=boolean)
    row("aten._to_copy.default", tensor([0.1, 1e300, -1e-300], f64), dtype=f32)
    row("aten._to_copy.default", tensor(2.5), dtype=i32)
    row("aten._to_copy.default", empty(0, 2), dtype=i32)
    x = noise(2)
    for rest in ([], ["cpu"], ["strided"], ["cpu", i32], [i32, "strided", "cpu"], ["cpu", None, i32],
                 [None, None, "cpu", False, False, "contiguous_format"]):
        fixed("aten._to_copy.default", [x] + rest, x.to(i32) if i32 in rest else x)
    fixed("aten._to_copy.default", ["float32"], "error")
    for t in every:
        row("aten.type_as.default", tensor([0, 1, 2.5]), noise(1, dtype=t))
        row("aten.copy.default", noise(2, dtype=t), tensor([1, 2]))
        row("aten.fill.Scalar", noise(2, dtype=t), 2)
        either("aten.fill.Scalar", noise(2, dtype=t), 1.5)
        row("aten.scalar_tensor.default", 2, dtype=t)
        row("aten.new_empty_strided.default", noise(1, dtype=t), [0], [1])
    fixed("aten.type_as.default", [noise(2), 2], "error")
    row("aten.copy.default", noise(2, 3), noise(3))
    row("aten.copy.default", noise(2, 2), tensor(2.5, f64))
    row("aten.copy.default", noise(2), noise(2), False)
    row("aten.copy.default", empty(0), noise(1))
    refuse("aten.copy.default", noise(2), noise(3), code="nac_run_shape")
    refuse("aten.copy.default", noise(3), noise(2, 3), code="nac_run_shape")
    row("aten.fill.Scalar", tensor(1.0), 2)
    row("aten.fill.Scalar", empty(2, 0), 2)
    fixed("aten.fill.Scalar", [noise(2), "text"], "error")
    row("aten.scalar_tensor.default", 2)
    row("aten.scalar_tensor.default", 1.5)
    row("aten.scalar_tensor.default", True)
    fixed("aten.scalar_tensor.default", [0.5, f64, None, "cpu", False], tensor(0.5, f64))
    fixed("aten.scalar_tensor.default", [-inf, "cpu"], tensor(-inf))
    fixed("aten.scalar_tensor.default", ["text"], "error")
    row("aten.new_empty_strided.default", noise(1), [2, 0], [3, 1], dtype=i64)
    refuse("aten.new_empty_strided.default", noise(1), [-2], [1], code="nac_run_shape")
    refuse("aten.new_empty_strided.default", noise(1), [2, 0], [1])
    for name in ("getitem", "operator.getitem"):
        row(name, Results(noise(2), noise(1, dtype=i64)), 1)
        row(name, Results(noise(2), noise(1, dtype=i64)), 0)
        row(name, Results(noise(2), noise(1, dtype=i64)), -1)
        row(name, noise(3, 2), 1)
        row(name, noise(3, 2), -1)
        row(name, noise(3), Num(2))
        for t in every:
            row(name, noise(3, dtype=t), 1)
        row(name, empty(2, 0), 1)
        for x in (Results(noise(2), noise(1)), noise(2)):
            refuse(name, x, 2, code="nac_run_index")
            refuse(name, x, -3, code="nac_run_index")
        refuse(name, tensor(1.0), 0)
        refuse(name, empty(0), 0, code="nac_run_index")


# ---- layout

meanings.update({
    "nac.view": A.view.default,
    "nac.transpose": lambda x, *rest: (A.transpose.int if rest else A.t.default)(x, *rest),
})


def layout():
    begin("layout")
    tolerance(0, 0)
    for t in every:
        row("nac.view", noise(2, 3, dtype=t), [3, 2])
        row("aten.reshape.default", noise(4, dtype=t), [2, -1])
        row("nac.transpose", noise(2, 3, dtype=t), 0, 1)
        row("aten.expand.default", noise(2, 1, dtype=t), [2, 2])
        row("aten.repeat.default", noise(2, dtype=t), [2])
        row("aten.permute.default", noise(2, 3, dtype=t), [1, 0])
        row("aten.flip.default", noise(3, dtype=t), [0])
        row("aten.roll.default", noise(3, dtype=t), [1])
        row("aten.cat.default", [noise(2, dtype=t), noise(1, dtype=t)])
        row("aten.cat.default", [noise(1, dtype=t), noise(1, dtype=f16)])
        row("aten.stack.default", [noise(2, dtype=t), noise(2, dtype=t)])
        row("aten.split.Tensor", noise(3, dtype=t), 2)
        row("aten.unbind.int", noise(2, dtype=t))
        row("aten.triu.default", noise(2, 2, dtype=t))
        row("aten.tril.default", noise(2, 2, dtype=t))
        row("aten.pad.default", noise(2, dtype=t), [1, 0])
        either("aten.constant_pad_nd.default", noise(2, dtype=t), [0, 1], 1.5)
    x = count(2, 3, 4)
    for dims in ([24], [-1], [4, -1], [2, 3, 4], [1, 2, 1, 12, 1], [-1, 4], [6, 4]):
        row("nac.view", x, dims)
    row("aten.view.default", count(6), [2, 3])
    row("aten._unsafe_view.default", count(6), [3, -1])
    row("aten.reshape.default", tensor(3.0), [1, 1])
    row("nac.view", tensor(3.0), [])
    row("nac.view", tensor([3.0]), [])
    row("nac.view", tensor(3.0), [-1])
    row("nac.view", empty(0), [2, 0])
    row("nac.view", empty(2, 0), [2, -1])
    row("nac.view", empty(0, 3), [-1, 3])
    fixed("nac.view", [count(6), Num(2), 3], count(2, 3))
    fixed("nac.view", [count(6), Num(2), -1], count(2, 3))
    fixed("nac.view", [count(1, 2, 1, 3)], count(2, 3))  # squeeze
    fixed("nac.view", [count(1, 2, 1, 3), 2], count(1, 2, 3))  # squeeze.dim
    fixed("nac.view", [count(1, 2, 1, 3), -1], count(1, 2, 1, 3))
    fixed("nac.view", [count(2, 3), Num(-1)], count(6))
    fixed("aten.view.default", [count(2, 3), -1], count(6))
    fixed("nac.view", [count(2, 3), [6.0, 1.0]], count(6, 1))
    fixed("nac.view", [count(2, 3), tensor([3, 2], i64)], count(3, 2))
    for dims in ([5], [4, -1], [-1, -1], [-2, -3], [0, -1], [7, -1], []):
        refuse("nac.view", count(6), dims)
    refuse("aten.reshape.default", count(6), [4], code="nac_run_shape")
    refuse("nac.view", empty(0), [-1, 0])
    refuse("nac.view", count(2), [2**62, 4, -1])
    refuse("nac.view", empty(0), [2**62, 4, 0, -1])
    fixed("nac.view", [tensor([1.0]), [1] * 17], "error nac_run_rank")
    fixed("nac.view", [tensor([1.0]), [0.5]], "error")
    for name in ("nac.transpose", "aten.t.default"):
        row(name, count(2, 3))
        row(name, count(3))
        row(name, tensor(2.0))
        row(name, empty(0, 2))
        refuse(name, count(2, 3, 2))
    for a, b in ((0, 1), (1, 2), (-1, -2), (0, -1), (1, 1), (2, 0)):
        row("aten.transpose.int", x, a, b)
    row("nac.transpose", count(2, 3, 2, 2), 1, 2)
    row("nac.transpose", tensor(2.0), 0, -1)
    row("nac.transpose", empty(0, 2), 0, 1)
    for a, b in ((0, 3), (-4, 0), (2**62, 0), (0, -2**63)):
        refuse("nac.transpose", x, a, b, code="nac_run_axis")
    refuse("nac.transpose", tensor(2.0), 0, 1, code="nac_run_axis")
    for t, dims in ((count(3), [2, 3]), (count(1, 3), [2, -1]), (count(3, 1), [-1, 2]),
                    (tensor(2.0), [2, 2]), (tensor(2.0), []), (count(1, 3), [0, 3]),
                    (empty(1, 0), [2, 0]), (count(2, 1, 2), [3, 2, 2, -1]), (count(1), [0]),
                    (count(2, 2), [2, 2])):
        row("aten.expand.default", t, dims)
    fixed("aten.expand.default", [count(1, 2), Num(3), -1], count(1, 2).expand(3, 2))
    fixed("aten.expand.default", [count(1), 3], count(1).expand(3))
    for t, dims in ((count(3), [2]), (count(2, 3), [3]), (count(3), [-1, 3]), (count(1), [-2]),
                    (count(2), [0]), (empty(0), [2])):
        refuse("aten.expand.default", t, dims, code="nac_run_shape")
    fixed("aten.expand.default", [tensor(1.0), [1] * 17], "error nac_run_rank")
    for t, dims in ((count(2), [3]), (count(2, 2), [2, 3]), (count(2), [2, 1, 2]), (count(2), [0]),
                    (tensor(2.0), [2]), (tensor(2.0), []), (empty(0, 2), [2, 2]),
                    (count(2, 1), [1, 1])):
        row("aten.repeat.default", t, dims)
        row("aten.tile.default", t, dims)
    fixed("aten.repeat.default", [count(2), Num(2), 1], count(2).repeat(2, 1))
    fixed("aten.repeat.default", [count(2), 2], count(2).repeat(2))
    row("aten.tile.default", count(2, 2), [2])
    row("aten.tile.default", count(1, 2, 2), [2, 1])
    row("aten.tile.default", count(2, 2), [])
    refuse("aten.repeat.default", count(2, 2), [2])
    for name in ("repeat", "tile"):
        refuse(f"aten.{name}.default", count(2), [-1])
        fixed(f"aten.{name}.default", [count(2), 2**62, 2**62], "error")
        fixed(f"aten.{name}.default", [count(2), [2**30, 2**30]], "error budget_memory")
    for dims in ([0, 1, 2], [2, 0, 1], [-1, 0, -2], [1, 2, 0], [0, 2, 1]):
        row("aten.permute.default", x, dims)
    row("aten.permute.default", count(1, 2, 3, 2), [0, 2, 1, 3])
    row("aten.permute.default", tensor(2.0), [])
    row("aten.permute.default", empty(0, 2), [1, 0])
    fixed("aten.permute.default", [count(2, 3), 1, 0], count(2, 3).permute(1, 0))
    for dims in ([0, 1], [0, 0, 1], [0, 1, 2, 3], [0, -3, 1]):
        refuse("aten.permute.default", x, dims)
    refuse("aten.permute.default", x, [0, 1, 3], code="nac_run_axis")
    for dims in ([0], [-1], [0, 2], [1, 0, 2], []):
        row("aten.flip.default", x, dims)
    row("aten.flip.default", tensor(2.0), [])
    row("aten.flip.default", tensor(2.0), [0])
    row("aten.flip.default", empty(0, 2), [1])
    fixed("aten.flip.default", [count(3), 0], count(3).flip(0))
    refuse("aten.flip.default", x, [3], code="nac_run_axis")
    refuse("aten.flip.default", x, [0, 0])
    refuse("aten.flip.default", x, [0, -3])
    for shifts, dims in (([1], []), ([-2], [1]), ([1, 2], [0, -1]), ([5], [0]), ([100, -100], [1, 2]),
                         ([2**62], [2]), ([1, 1], [1, 1])):
        row("aten.roll.default", count(2, 3, 2), shifts, dims) if dims else \
            row("aten.roll.default", count(2, 3, 2), shifts)
    row("aten.roll.default", empty(0, 2), [1], [0])
    row("aten.roll.default", empty(0), [1])
    row("aten.roll.default", tensor(2.0), [1])
    fixed("aten.roll.default", [count(4), 1, 0], count(4).roll(1, 0))
    refuse("aten.roll.default", count(4), [1], [1], code="nac_run_axis")
    refuse("aten.roll.default", count(2, 2), [1, 2], [0])
    refuse("aten.roll.default", count(2, 2), [1, 2])
    refuse("aten.roll.default", count(2, 2), [])
    y = count(1, 2, 1, 3)
    row("aten.squeeze.default", y)
    row("aten.squeeze.default", tensor(1.0))
    row("aten.squeeze.default", empty(1, 0))
    row("aten.squeeze.default", count(2, 2, dtype=i64))
    for d in (0, 1, 2, -2, -4):
        row("aten.squeeze.dim", y, d)
    row("aten.squeeze.dim", tensor(1.0), 0)
    row("aten.squeeze.dim", tensor(1.0), -1)
    for dims in ([0, 2], [-2], [0, 1], []):
        row("aten.squeeze.dims", y, dims)
    refuse("aten.squeeze.dim", y, 4, code="nac_run_axis")
    refuse("aten.squeeze.dims", y, [0, -5], code="nac_run_axis")
    refuse("aten.squeeze.dims", y, [0, -4])
    for d in (0, 1, 2, -1, -3):
        row("aten.unsqueeze.default", count(2, 2), d)
    row("aten.unsqueeze.default", tensor(1.0), 0)
    row("aten.unsqueeze.default", empty(0, dtype=i8), -1)
    for d in (3, -4, -2**63):
        refuse("aten.unsqueeze.default", count(2, 2), d, code="nac_run_axis")
    fixed("aten.unsqueeze.default", [tensor([1.0]).reshape([1] * 16), 0], "error nac_run_rank")
    a, b = count(2, 2), count(2, 1)
    row("aten.cat.default", [a, b, a], 1)
    row("aten.cat.default", [a, b], -1)
    row("aten.cat.default", [a, count(1, 2)])
    row("aten.cat.default", [a])
    row("aten.cat.default", [empty(0), a], 1)
    row("aten.cat.default", [a, empty(0, dtype=f64), b], 1)
    row("aten.cat.default", [empty(0), empty(0)])
    row("aten.cat.default", [empty(0, 2), a])
    row("aten.cat.default", [empty(0, 2), empty(0, 3)], 1)
    row("aten.cat.default", [count(1, 2, 2), count(1, 1, 2)], -2)
    row("aten.cat.default", [count(1, dtype=i32), count(1, dtype=i64), count(1)])
    row("aten.cat.default", [count(1, dtype=u8), count(1, dtype=i8)])
    row("aten.cat.default", [count(1)] * 9)
    fixed("aten.cat.default", [count(2), count(1), 0.0],
          torch.cat([count(2), count(1)]))
    refuse("aten.cat.default", [a, count(3, 2)], 1, code="nac_run_shape")
    refuse("aten.cat.default", [a, count(2)], code="nac_run_shape")
    refuse("aten.cat.default", [a, b], 2, code="nac_run_axis")
    refuse("aten.cat.default", [a, b], -3, code="nac_run_axis")
    refuse("aten.cat.default", [tensor(1.0), tensor(2.0)])
    fixed("aten.cat.default", [0], "error")
    for d in (0, 1, 2, -1, -3):
        row("aten.stack.default", [a, a + 4], d)
    row("aten.stack.default", [tensor(1.0), tensor(2.0)])
    row("aten.stack.default", [empty(0), empty(0)], 1)
    row("aten.stack.default", [count(2)], -1)
    row("aten.stack.default", [count(2), count(2, dtype=i32)])
    refuse("aten.stack.default", [count(2), count(3)], code="nac_run_shape")
    refuse("aten.stack.default", [count(2), count(1, 2)], code="nac_run_shape")
    refuse("aten.stack.default", [count(2), count(2)], 2, code="nac_run_axis")
    refuse("aten.stack.default", [count(1), count(2)], code="nac_run_shape")
    for n, d in ((1, 0), (2, 1), (2, -1), (3, 2), (5, 0)):
        row("aten.split.Tensor", count(2, 3, 2), n, d)
        row("aten.chunk.default", count(2, 3, 2), n, d)
    row("aten.split.Tensor", count(5), 2)
    row("aten.chunk.default", count(5), 3)
    row("aten.chunk.default", count(7, dtype=u8), 4)
    row("aten.chunk.default", count(2, dtype=i64), 1)
    row("aten.split.Tensor", empty(0), 2)
    row("aten.split.Tensor", empty(0), 0)
    row("aten.chunk.default", empty(0), 3)
    row("aten.chunk.default", empty(2, 0), 2)
    refuse("aten.split.Tensor", count(2), 0)
    refuse("aten.split.Tensor", count(2), -1)
    refuse("aten.split.Tensor", count(2), 1, 1, code="nac_run_axis")
    refuse("aten.split.Tensor", tensor(1.0), 1)
    refuse("aten.chunk.default", count(2), 0)
    refuse("aten.chunk.default", count(2), -2)
    refuse("aten.chunk.default", count(2), 1, -2, code="nac_run_axis")
    refuse("aten.chunk.default", tensor(1.0), 1)
    row("aten.split_with_sizes.default", count(5), [2, 3])
    row("aten.split_with_sizes.default", count(5), [2, 0, 3])
    row("aten.split_with_sizes.default", count(2, 3), [1, 2], -1)
    row("aten.split_with_sizes.default", count(2, 3, dtype=i16), [2], 0)
    row("aten.split_with_sizes.default", empty(0), [0, 0])
    refuse("aten.split_with_sizes.default", count(5), [2, 2])
    refuse("aten.split_with_sizes.default", count(5), [6, -1])
    refuse("aten.split_with_sizes.default", count(5), [2**31 - 1, 2**31 - 1])
    refuse("aten.split_with_sizes.default", count(5), [5], 1, code="nac_run_axis")
    for d in (0, 1, -1):
        row("aten.unbind.int", count(2, 3), d)
    row("aten.unbind.int", empty(2, 0))
    row("aten.unbind.int", empty(0, 2))
    refuse("aten.unbind.int", tensor(1.0))
    refuse("aten.unbind.int", count(2), 1, code="nac_run_axis")
    for name in ("aten.triu.default", "aten.tril.default"):
        for d in (0, 1, -1, 5, -5, 2**62, -2**63):
            row(name, count(2, 3) + 1, d)
        row(name, count(2, 2, 2) + 1)
        row(name, count(3, 2) + 1, -1)
        row(name, empty(0, 2))
        row(name, empty(2, 0))
        row(name, tensor([[nan, inf], [inf, nan]]))
        refuse(name, count(2))
        refuse(name, tensor(1.0))
    for pad in ([1, 2], [1, 0, 0, 1], [0, 0, 1, 1], [-1, 0], [-1, 2, 1, -1], []):
        row("aten.pad.default", count(2, 3), pad)
        row("aten.constant_pad_nd.default", count(2, 3), pad)
    row("aten.pad.default", count(2, 3), [1, 1], "constant", 2.5)
    row("aten.pad.default", count(2, 3), [1, 1], "constant")
    row("aten.pad.default", count(2, 3), [1, 1], "constant", None)
    row("aten.pad.default", count(2, 3), [1, 1], "constant", -inf)
    row("aten.constant_pad_nd.default", count(1, 1, 2, 1), [0, 1, 1, 0, 0, 0, 1, 0], 7)
    row("aten.constant_pad_nd.default", empty(0, 2), [0, 0, 1, 1], 3)
    row("aten.constant_pad_nd.default", empty(2, 0), [1, 1])
    row("aten.pad.default", tensor(2.0), [])
    row("aten.constant_pad_nd.default", count(3), [-1, -2])
    refuse("aten.pad.default", count(2, 3), [1])
    refuse("aten.pad.default", count(2), [1, 1, 1, 1])
    refuse("aten.pad.default", count(2), [-2, -1])
    refuse("aten.constant_pad_nd.default", count(2), [-2**31, 0])
    refuse("aten.pad.default", count(2), [1, 1], "wrapped", code="nac_run_argument")
    fixed("aten.pad.default", [count(2), [2**31 - 1, 2**31 - 1]], "error budget_memory")


# ---- indexing


def indexing():
    begin("indexing")
    tolerance(0, 0)
    x, m = count(4, 3), count(2, 3, 4)
    index = tensor([[0, 1], [1, 0]], i64)
    for t in every:
        v, w = noise(3, dtype=t), noise(2, 2, dtype=t)
        row("aten.slice.Tensor", v, 0, 1, 3)
        row("aten.select.int", w, 0, 1)
        row("aten.slice_scatter.default", v, noise(1, dtype=t), 0, 0, 1)
        row("aten.index.Tensor", v, [tensor([2, -1], i64)])
        row("aten.index_select.default", v, 0, tensor([2, 0], i64))
        row("aten.gather.default", w, 0, index)
        row("aten.scatter.src", w, 0, index, noise(2, 2, dtype=t))
        either("aten.scatter.value", w, 1, index[:, :1], 2)
        either("aten.scatter.value", w, 1, index[:, :1], 1.5)
        row("aten.scatter_add.default", w, 0, index, noise(2, 2, dtype=t))
        either("aten.index.Tensor", noise(4), [tensor([1, 0, 1, 1], t)])
        either("aten.index_select.default", v, 0, tensor([1], t))
        either("aten.gather.default", noise(3), 0, tensor([1], t))
        either("aten.scatter.src", noise(3), 0, tensor([1], t), noise(3))
        either("aten.scatter_add.default", noise(3), 0, tensor([1], t), noise(3))
        row("aten.embedding.default", noise(2, 2, dtype=t), tensor([1, 0], i64))
        either("aten.embedding.default", noise(3, 2), tensor([1, 0], t))
    big = 2**63 - 1
    for rest in ((), (1,), (0, 1), (0, None, 2), (1, 0, big), (1, 1, 2), (-1, -2), (0, 0, -1),
                 (0, -100, 100), (0, 3, 1), (0, 0, 4, 2), (0, 1, big, 3), (1, None, None, 2),
                 (0, 4), (-2, -3, -1, 1), (0, -big - 1, big), (0, big, big)):
        row("aten.slice.Tensor", x, *rest)
    row("aten.slice.Tensor", empty(0, 2), 0, 0, 5)
    row("aten.slice.Tensor", empty(2, 0), 1, 1)
    row("aten.slice.Tensor", m, 1, Num(1), Num(3))
    refuse("aten.slice.Tensor", x, 2, 0, 1, code="nac_run_axis")
    refuse("aten.slice.Tensor", x, -3, code="nac_run_axis")
    refuse("aten.slice.Tensor", x, 0, 0, 1, 0)
    refuse("aten.slice.Tensor", x, 0, 3, 0, -1)
    refuse("aten.slice.Tensor", tensor(1.0), 0)
    for d, i in ((0, 1), (1, -1), (-1, 3), (2, 0), (-3, -2)):
        row("aten.select.int", m, d, i)
    row("aten.select.int", tensor([3], i32), 0, 0)
    row("aten.select.int", empty(2, 0), 0, 1)
    for d, i in ((0, 2), (1, -4), (2, 2**62), (0, -2**63)):
        refuse("aten.select.int", m, d, i, code="nac_run_index")
    refuse("aten.select.int", m, 3, 0, code="nac_run_axis")
    refuse("aten.select.int", tensor(1.0), 0, 0)
    refuse("aten.select.int", empty(0), 0, 0, code="nac_run_index")
    for src, rest in ((noise(2, 3), (0, 1, 3)), (noise(4, 1), (1, -1)), (noise(4, 3), ()),
                      (noise(2, 3), (0, 0, 4, 2)), (noise(4, 2), (-1, 0, big, 2)),
                      (noise(0, 3), (0, 2, 2)), (noise(4, 3), (0, 0, big)),
                      (noise(4, 2), (1, None, 2)), (noise(2, 3), (0, -2))):
        row("aten.slice_scatter.default", x, src, *rest)
    refuse("aten.slice_scatter.default", x, noise(3, 3), 0, 1, 3, code="nac_run_shape")
    refuse("aten.slice_scatter.default", x, noise(3), 0, 1, 3)
    refuse("aten.slice_scatter.default", x, noise(4, 3), 2, code="nac_run_axis")
    refuse("aten.slice_scatter.default", x, noise(4, 3), 0, 0, 4, 0)
    refuse("aten.slice_scatter.default", tensor(1.0), tensor(1.0))
    i = tensor([2, 0], i64)
    k = tensor([[0], [-1]], i64)
    mask = tensor([True, False, True, False], boolean)
    for indices in ([i], [None, i], [i, i], [k, i], [k], [mask], [mask, tensor([1, 2], i64)],
                    [None, tensor([True, False, True], boolean)], [tensor(1, i64)], [empty(0, dtype=i64)],
                    [tensor([1, 2], i32)], [None, None], [tensor([1], i64), i],
                    [tensor([False] * 4, boolean)], [x > 4], [x > 100]):
        row("aten.index.Tensor", x, indices) if any(a is not None for a in indices) else None
    for indices in ([i - 1, None, i], [None, i, i], [i, i], [None, None, k], [k, None, tensor([1], i64)],
                    [None, k, i], [i, None], [m > 5], [m[:, :, 0] > 4], [i - 1, tensor([1], i64), tensor([3], i64)], [None, tensor([True, False, True], boolean), i],
                    [tensor([True, False], boolean), None, i[:1]], [tensor(0, i64), None, tensor(1, i64)],
                    [tensor(0, i64), tensor([0, 1, 2], i64)], [empty(0, dtype=i64), None, tensor([1], i64)]):
        if any(a is not None and a.dtype != boolean and a.numel() and a.max() > 1 for a in indices[:1]):
            indices[0] = indices[0].clamp(max=1)
        row("aten.index.Tensor", m, indices)
    refuse("aten.index.Tensor", tensor(2.0), [tensor(True, boolean)])
    either("aten.index.Tensor", count(2), [tensor(True, boolean)])
    row("aten.index.Tensor", empty(0, 2), [empty(0, dtype=i64)])
    row("aten.index.Tensor", x, [tensor([0, 1, 1, 0], u8)])
    refuse("aten.index.Tensor", x, [tensor([4], i64)], code="nac_run_index")
    refuse("aten.index.Tensor", x, [tensor([-5], i64)], code="nac_run_index")
    refuse("aten.index.Tensor", x, [i, tensor([0, 1, 2], i64)], code="nac_run_shape")
    refuse("aten.index.Tensor", x, [i, i, i])
    refuse("aten.index.Tensor", x, [tensor([True, False], boolean)])
    refuse("aten.index.Tensor", x, [None, mask])
    refuse("aten.index.Tensor", x, [tensor([1.0])])
    refuse("aten.index.Tensor", empty(0), [tensor([0], i64)], code="nac_run_index")
    for d, j in ((0, [1, 1, 3]), (1, [2, 0]), (-1, [1]), (0, [])):
        row("aten.index_select.default", x, d, tensor(j, i64))
    row("aten.index_select.default", x, 0, tensor(2, i64))
    row("aten.index_select.default", x, 1, tensor([1, 0], i32))
    row("aten.index_select.default", tensor(3.0), 0, tensor([0], i64))
    row("aten.index_select.default", empty(0, 2), 1, tensor([1], i64))
    refuse("aten.index_select.default", x, 0, tensor([4], i64), code="nac_run_index")
    refuse("aten.index_select.default", x, 0, tensor([-1], i64), code="nac_run_index")
    refuse("aten.index_select.default", x, 0, tensor([[1]], i64))
    refuse("aten.index_select.default", x, 2, tensor([1], i64), code="nac_run_axis")
    for d, j in ((0, [[0, 1, 2], [3, 0, 1]]), (1, [[2], [0], [1]]), (-1, [[0, 0, 1, 2]]), (0, [[1]]),
                 (1, [[2, 1], [0, 0], [1, 1], [2, 2]])):
        row("aten.gather.default", x, d, tensor(j, i64))
        src = noise(*tensor(j).shape)
        row("aten.scatter_add.default", x, d, tensor(j, i64), src)
        if d != 1 or len(j) < 4:
            row("aten.scatter.src", x, 0, tensor(j, i64), noise(4, 4)) if d == 0 else None
            row("aten.scatter.value", x, d, tensor(j, i64), -1.5)
    row("aten.gather.default", x, 1, tensor([[2]], i64), sparse_grad=False)
    row("aten.gather.default", m, 2, tensor([[[3, 0]]], i64))
    row("aten.gather.default", tensor(3.0), 0, tensor(0, i64))
    row("aten.gather.default", tensor(3.0), 0, tensor([0, 0], i64))
    row("aten.gather.default", x, 0, empty(0, 3, dtype=i64))
    row("aten.gather.default", x, 0, empty(0, dtype=i64))
    row("aten.gather.default", x, 0, tensor([[1]], i32))
    row("aten.scatter_add.default", x, 0, empty(0, dtype=i64), empty(0))
    row("aten.scatter_add.default", tensor(1.0), 0, tensor(0, i64), tensor(2.0))
    row("aten.scatter_add.default", tensor([100, 1], u8), 0, tensor([0, 0, 0], i64),
        tensor([100, 100, 7], u8))
    row("aten.scatter_add.default", tensor([1.0], f16), 0, tensor([0] * 4, i64),
        tensor([2048, 1, 1, 1], f16))
    row("aten.scatter.src", tensor(1.0), 0, tensor(0, i64), tensor(2.0))
    row("aten.scatter.value", tensor(1.0), -1, tensor(0, i64), 3)
    row("aten.scatter.value", x, 0, empty(0, 3, dtype=i64), 3)
    row("aten.scatter.src", m, 1, tensor([[[2, 0]], [[1, 1]]], i64), noise(2, 1, 3))
    for name, rest in (("gather.default", ()), ("scatter.src", (noise(4, 3),)),
                       ("scatter.value", (1,)), ("scatter_add.default", (noise(4, 3),))):
        name = f"aten.{name}"
        refuse(name, x, 0, tensor([[4]], i64), *rest, code="nac_run_index")
        refuse(name, x, 1, tensor([[0], [-1]], i64), *rest, code="nac_run_index")
        refuse(name, x, 2, tensor([[0]], i64), *rest, code="nac_run_axis")
        refuse(name, x, 0, tensor([0], i64), *rest)
        refuse(name, x, 0, tensor([[0, 0, 0, 0]], i64), *rest)
        refuse(name, x, 1, tensor([[0]] * 5, i64), *rest)
        refuse(name, tensor(1.0), 0, tensor(1, i64), *(r if isinstance(r, int) else tensor(1.0)
                                                       for r in rest), code="nac_run_index")
    for name in ("scatter.src", "scatter_add.default"):
        refuse(f"aten.{name}", x, 0, tensor([[0, 0], [1, 1]], i64), noise(1, 2))
        refuse(f"aten.{name}", x, 0, tensor([[0]], i64), noise(1))
        refuse(f"aten.{name}", x, 0, tensor([[0]], i64), noise(1, 1, dtype=f64))
    w = noise(4, 2)
    for j in (tensor([3, 0], i64), tensor([[1, 1], [2, 0]], i64), tensor(2, i64),
              empty(0, dtype=i64), tensor([1, 2], i32), empty(2, 0, dtype=i64)):
        row("aten.embedding.default", w, j)
    row("aten.embedding.default", w, tensor([1, 0], i64), 1)
    row("aten.embedding.default", w, tensor([1, 0], i64), 0, False, False)
    row("aten.embedding.default", w, tensor([1], i64), -1, False, False)
    row("aten.embedding.default", empty(3, 0), tensor([1], i64))
    # A file's indices may be negative: they count from the end.
    fixed("aten.embedding.default", [w, tensor([-1, -4], i64)], w[[-1, -4]])
    fixed("aten.embedding.default", [w, tensor([-2], i32), 0], w[[-2]])
    refuse("aten.embedding.default", w, tensor([4], i64), code="nac_run_index")
    refuse("aten.embedding.default", w, tensor([-5], i64), code="nac_run_index")
    refuse("aten.embedding.default", w, tensor([2**62], i64), code="nac_run_index")
    refuse("aten.embedding.default", w, tensor([1.0]), code="nac_run_type")
    refuse("aten.embedding.default", noise(4), tensor([1], i64))
    refuse("aten.embedding.default", empty(0, 2), tensor([0], i64), code="nac_run_index")


# ---- reduce


def reduce():
    begin("reduce")
    x = noise(2, 3, 2)
    tolerance(4, 1)

    def dims_of(name, lists, keep=True, **kw):
        for dims in lists:
            row(name, x, dims, **kw)
        if keep:
            row(name, x, lists[0], True)
            row(name, x, lists[-1], False)
        row(name, empty(2, 0), [0])
        row(name, tensor(1.5), [0])
        row(name, tensor(1.5), [-1])
        refuse(name, x, [3], code="nac_run_axis")
        refuse(name, x, [0, -4], code="nac_run_axis")
        refuse(name, x, [0, 0])
        refuse(name, x, [1, -2])

    lists = ([1], [0, 2], [-1], [], None, [0, 1, 2], [-2, 0])
    for name in ("aten.mean.dim", "aten.sum.dim_IntList"):
        dims_of(name, lists)
        base = name.split(".")[1]
        for t in every:
            either(name, noise(2, 2, dtype=t), [0])
            either(f"aten.{base}.default", values(t)[1:3] if t.is_floating_point else values(t))
            either(f"aten.{base}.default", noise(3, dtype=t), dtype=f64)
            either(name, noise(3), [0], dtype=t)
            either(name, noise(1, 2, dtype=t), [0], True, dtype=f16)
        row(f"aten.{base}.default", x)
        row(f"aten.{base}.default", tensor(2.5))
        row(f"aten.{base}.default", empty(0))
        row(name, empty(2, 0), [1])
        row(name, empty(2, 0), [1], True)
        row(name, tensor([inf, 1, nan]), [0])
        row(name, tensor([[inf, -inf], [1, 2]]), [1])
        fixed(name, [x, 1], x.mean(1) if base == "mean" else x.sum(1))
        row(name, tensor([2048, 1, 1, 1, 1], f16), [0])
        row(name, tensor([256] + [1] * 9, bf16), [0])
    row("aten.sum.default", tensor([2**62, 2**62, 2**62], i64))
    row("aten.sum.default", tensor([200, 200], u8))
    row("aten.sum.dim_IntList", tensor([100, 100], i8), [0], dtype=i8)
    for name in ("var", "std", "var_mean"):
        full = f"aten.{name}.correction"
        for dims in lists:
            row(full, x, dims)
        for c in (0, 1, 2, 0.5):
            row(full, x, [1], correction=c)
        row(full, x, [0, 1], correction=0, keepdim=True)
        row(full, x, None, correction=0)
        row(full, x, [1], correction=5)
        for t in every:
            either(full, noise(3, dtype=t), [0])
            either(f"aten.{name}.dim", noise(2, 2, dtype=t), [0], True)
        row(f"aten.{name}.dim", x, [0], False)
        row(f"aten.{name}.dim", x, [0, 2], True, True)
        row(f"aten.{name}.dim", x, [1])
        row(f"aten.{name}.default", x)
        row(f"aten.{name}.default", x, False)
        row(f"aten.{name}.default", x, True)
        row(f"aten.{name}.default", tensor(1.5))
        row(f"aten.{name}.default", tensor([1.5]))
        row(full, tensor(1.5), [0], correction=0)
        row(full, empty(0), [0])
        row(full, empty(0, 2), [0])
        row(full, empty(0, 2), [1], correction=0)
        row(full, tensor([1e6, 1e6 + 1, 1e6 + 2]), [0])
        if name != "var_mean":  # whose mean PyTorch takes for NaN
            row(full, tensor([inf, 1]), [0])
        refuse(full, x, [3], code="nac_run_axis")
        refuse(full, x, [0, 0])
        refuse(full, noise(2, dtype=i64), [0], code="nac_run_type")
    tolerance(0, 0)
    for name in ("all", "any"):
        for t in every:
            row(f"aten.{name}.default", values(t))
            row(f"aten.{name}.dim", noise(2, 3, dtype=t), 1)
        b = noise(2, 3, 2, dtype=boolean)
        row(f"aten.{name}.default", b)
        row(f"aten.{name}.default", tensor([nan]))
        row(f"aten.{name}.default", tensor(0.0))
        row(f"aten.{name}.default", empty(0))
        for d in (0, 2, -2):
            row(f"aten.{name}.dim", b, d)
            row(f"aten.{name}.dim", b, d, True)
        row(f"aten.{name}.dim", tensor(True, boolean), 0)
        row(f"aten.{name}.dim", empty(2, 0), 1)
        row(f"aten.{name}.dims", b, [0, 2])
        row(f"aten.{name}.dims", b, [-1], True)
        row(f"aten.{name}.dims", b, None)
        row(f"aten.{name}.dims", b, [0, 1, 2], True)
        refuse(f"aten.{name}.dim", b, 3, code="nac_run_axis")
        refuse(f"aten.{name}.dims", b, [0, 0])
        refuse(f"aten.{name}.dims", b, [-4], code="nac_run_axis")
    for name in ("max", "min"):
        full, along, every_axis = f"aten.{name}.default", f"aten.{name}.dim", f"aten.a{name}.default"
        for t in every:
            row(full, values(t))
            row(along, noise(2, 3, dtype=t), 1)
            row(every_axis, noise(2, 3, dtype=t), [1])
            either(f"aten.arg{name}.default", noise(2, 3, dtype=t), 1)
        row(full, tensor([1.0, 5, -7]))
        row(full, tensor(2.0))
        row(full, tensor([1, nan, 2]))
        refuse(full, empty(0))
        for d in (0, 1, -1):
            row(along, x, d)
            row(along, x, d, True)
            row(f"aten.arg{name}.default", x, d)
            row(f"aten.arg{name}.default", x, d, True)
        row(along, tensor([[1, nan, nan], [2, 1, 2]]), 1)
        row(along, tensor(2.0), 0)
        row(along, tensor([-inf, -inf]), 0)
        row(along, tensor([inf, inf]), 0)
        row(along, empty(0, 2), 1)
        refuse(along, empty(0, 2), 0)
        refuse(along, x, 3, code="nac_run_axis")
        refuse(along, tensor(2.0), 1, code="nac_run_axis")
        for dims in ([0], [0, 2], [-1], []):
            row(every_axis, x, dims)
            row(every_axis, x, dims, True)
        row(every_axis, x)
        row(every_axis, tensor(2.0))
        row(every_axis, tensor([1, nan]))
        row(every_axis, empty(0, 2), [1])
        refuse(every_axis, empty(0, 2), [0])
        refuse(every_axis, empty(0))
        refuse(every_axis, x, [3], code="nac_run_axis")
        refuse(every_axis, x, [0, 0])
        arg = f"aten.arg{name}.default"
        row(arg, x)
        row(arg, x, None)
        row(arg, x, None, True)
        row(arg, tensor([1, nan, nan]))
        row(arg, tensor([3, 5, 5, 3], i64), 0)
        row(arg, tensor(2.0))
        row(arg, tensor(2.0), 0)
        row(arg, empty(0, 2), 1)
        refuse(arg, empty(0))
        refuse(arg, empty(0, 2), 0)
        refuse(arg, x, 3, code="nac_run_axis")
    p = tensor([[3, 1, 4, 1.5, 9], [2, 6, 5, -3.5, -8]])
    for t in floats + wholes:
        row("aten.topk.default", (p * 2 + 20).to(t), 2)
        row("aten.sort.default", (p * 2 + 20).to(t))
        row("aten.argsort.default", (p * 2 + 20).to(t), 1, True)
    either("aten.topk.default", tensor([True, False], boolean), 1)
    row("aten.sort.default", tensor([True, False], boolean))
    for rest in ((3,), (5, -1), (1, 0), (2, 1, False), (2, 0, True, True), (2, -1, False, True),
                 (0,), (Num(2),)):
        row("aten.topk.default", p, *rest)
    row("aten.topk.default", tensor([1, nan, 3, inf, -inf]), 5)
    row("aten.topk.default", tensor([1, nan, 3, inf, -inf]), 5, 0, False)
    row("aten.topk.default", tensor(2.0), 1)
    row("aten.topk.default", empty(0, 2), 1)
    row("aten.topk.default", empty(2, 0), 0)
    refuse("aten.topk.default", p, 6)
    refuse("aten.topk.default", p, -1)
    refuse("aten.topk.default", p, 3, 0)
    refuse("aten.topk.default", p, 1, 2, code="nac_run_axis")
    for name in ("aten.sort.default", "aten.argsort.default"):
        for rest in ((), (0,), (1, True), (-2, True), (-1, False)):
            row(name, p, *rest)
        row(name, tensor([1, nan, 3, inf, -inf]))
        row(name, tensor([1, nan, 3, inf, -inf]), 0, True)
        row(name, tensor(2.0))
        row(name, tensor(2.0), -1, True)
        row(name, empty(0))
        row(name, empty(2, 0), 0)
        row(name, tensor([2, 1, 2, 1, 1], i64))
        row(name, tensor([2, 1, 2, 1, 1], i64), 0, True)
        refuse(name, p, 2, code="nac_run_axis")
        refuse(name, tensor(2.0), 1, code="nac_run_axis")
    tolerance(2, 1)
    for t in every:
        row("aten.cumsum.default", noise(3, dtype=t), 0)
        row("aten.cumsum.default", noise(2, 2, dtype=t), 1, dtype=f64)
        either("aten.cumsum.default", tensor([1, 2.5, 3]), 0, dtype=t)
    for d in (0, 1, -1, -3):
        row("aten.cumsum.default", x, d)
    row("aten.cumsum.default", tensor([2**63 - 1, 1], i64), 0)
    row("aten.cumsum.default", tensor([200, 100], u8), 0, dtype=u8)
    row("aten.cumsum.default", tensor([1, inf, -inf, nan]), 0)
    row("aten.cumsum.default", tensor(2.0), 0)
    row("aten.cumsum.default", tensor(2, i32), -1)
    row("aten.cumsum.default", empty(0, 2), 0)
    row("aten.cumsum.default", empty(0, 2), 1)
    refuse("aten.cumsum.default", x, 3, code="nac_run_axis")
    refuse("aten.cumsum.default", tensor(2.0), 1, code="nac_run_axis")
    for name in ("softmax", "log_softmax"):
        tolerance(8, 1, largest=True)
        full, under = f"aten.{name}.int", f"aten._{name}.default"
        for d in (0, 1, -1, -2):
            row(full, x, d)
            row(under, x, d, False)
        for t in every:
            either(full, noise(3, dtype=t), 0)
            either(full, noise(3, dtype=t), 0, f64)
            either(full, noise(3), 0, t)
        for t in floats:
            row(under, noise(2, 3, dtype=t), -1, False)
        fixed(full, [noise(1), 0, None], torch.ones(1) if name == "softmax" else empty(1))
        row(full, tensor(2.0), 0)
        row(full, tensor(2.0), -1)
        row(full, empty(0), 0)
        row(full, empty(2, 0), 1)
        row(full, empty(2, 0), 0)
        row(full, tensor([[1000.0, 1001], [-1000, -1001]]), 1)
        row(full, tensor([-inf, 0, 1]), 0)
        row(full, tensor([-inf, -inf]), 0)
        row(full, tensor([inf, 0]), 0)
        row(full, tensor([nan, 0]), 0)
        row(full, noise(20), 0)
        refuse(full, x, 3, code="nac_run_axis")
        refuse(full, tensor(2.0), 1, code="nac_run_axis")
        refuse(full, tensor([1, 2], i64), 0)


# ---- products

meanings.update({
    "nac.matmul": A.matmul.default,
    "aten.lstm_cell.default": lambda x, h, c, *rest: A.lstm_cell.default(x, [h, c], *rest),
})


def products():
    begin("products")
    tolerance(4, 1, largest=True)
    for t in every:
        either("nac.matmul", noise(2, 3, dtype=t), noise(3, 2, dtype=t))
        either("nac.matmul", noise(3, dtype=t), noise(3, dtype=t))
        either("aten.linear.default", noise(2, 3, dtype=t), noise(2, 3, dtype=t),
               noise(2, dtype=t))
        either("aten.addmm.default", noise(2, dtype=t), noise(2, 2, dtype=t), noise(2, 2, dtype=t))
        either("aten.baddbmm.default", noise(1, 2, dtype=t), noise(2, 1, 2, dtype=t),
               noise(2, 2, 2, dtype=t))
        either("aten.outer.default", noise(2, dtype=t), noise(3, dtype=t))
        either("aten.einsum.default", "ij,jk->ik", [noise(2, 2, dtype=t), noise(2, 2, dtype=t)])
        either("aten.scaled_dot_product_attention.default",
               *(noise(1, 2, 2, dtype=t) for _ in range(3)))
    for a, b in (((2,), (2, 3)), ((3, 2), (2,)), ((2, 2, 3), (3, 2)), ((2, 3), (2, 3, 1)),
                 ((2, 1, 2, 3), (3, 3, 1)), ((2, 2, 2), (2, 2, 2)), ((1, 2, 2), (2, 2, 1)),
                 ((2,), (2, 2, 2)), ((2, 1, 2), (2,)), ((0, 2), (2, 3)), ((2, 0), (0, 3)),
                 ((0,), (0,)), ((2, 0, 2), (2, 1)), ((1, 1), (1, 1)), ((5, 7), (7, 3))):
        row("nac.matmul", noise(*a), noise(*b))
    row("aten.matmul.default", noise(1, 2), noise(2, 1))
    row("aten.mm.default", noise(2, 2), noise(2, 2))
    row("aten.bmm.default", noise(2, 1, 2), noise(2, 2, 1))
    row("nac.matmul", tensor([[inf, 1]]), tensor([[0.0], [1]]))
    row("nac.matmul", tensor([[100, 100]], u8), tensor([[2], [3]], u8))
    for a, b in (((2, 3), (2, 3)), ((2,), (3,)), ((2, 2, 3), (3, 3, 2)), ((2, 3), (4,)),
                 ((0, 2), (3, 2))):
        refuse("nac.matmul", noise(*a), noise(*b), code="nac_run_shape")
    refuse("nac.matmul", tensor(1.0), noise(2))
    refuse("nac.matmul", noise(2, 2), tensor(1.0))
    refuse("nac.matmul", noise(2, 2), noise(2, 2, dtype=f64), code="nac_run_type")
    refuse("nac.matmul", noise(2, 2), noise(2, 2, dtype=i64), code="nac_run_type")
    for x, w, b in (((2, 3), (4, 3), None), ((2, 3), (4, 3), (4,)), ((3,), (2, 3), (2,)),
                    ((3,), (2, 3), None), ((2, 1, 3), (2, 3), (2,)), ((0, 3), (2, 3), (2,)),
                    ((2, 0), (3, 0), (3,)), ((2, 3), (0, 3), None), ((2, 3), (3,), None),
                    ((1, 2, 2, 2), (1, 2), (1,)), ((2, 0), (3, 0), None)):
        row("aten.linear.default", noise(*x), noise(*w), *([noise(*b)] if b else []))
    row("aten.linear.default", noise(2, 3), noise(4, 3), None)
    refuse("aten.linear.default", noise(2, 3), noise(3, 2), code="nac_run_shape")
    refuse("aten.linear.default", noise(2, 3), noise(2, 3), noise(3), code="nac_run_shape")
    refuse("aten.linear.default", tensor(1.0), noise(2, 3))
    refuse("aten.linear.default", noise(2, 3), noise(2, 3, dtype=f16), code="nac_run_type")
    for c in ((2,), (2, 2), (1, 2), (2, 1), (1,)):
        row("aten.addmm.default", noise(*c), noise(2, 3), noise(3, 2))
    c, m1, m2 = noise(2, 2), noise(2, 3), noise(3, 2)
    row("aten.addmm.default", tensor(1.0), m1, m2)
    row("aten.addmm.default", c, m1, m2, beta=0.5, alpha=2)
    row("aten.addmm.default", c, m1, m2, beta=2)
    row("aten.addmm.default", tensor([nan, inf]), m1, m2, beta=0)
    row("aten.addmm.default", c, m1, m2, beta=1, alpha=0)
    row("aten.addmm.default", c, empty(2, 0), empty(0, 2))
    row("aten.addmm.default", empty(2), empty(0, 3), m2)
    row("aten.addmm.default", noise(2, 2, dtype=i64), noise(2, 2, dtype=i64),
        noise(2, 2, dtype=i64), beta=2, alpha=3)
    refuse("aten.addmm.default", noise(3), m1, m2, code="nac_run_shape")
    refuse("aten.addmm.default", c, m1, m1, code="nac_run_shape")
    refuse("aten.addmm.default", noise(1, 2, 2), m1, m2)
    refuse("aten.addmm.default", c, noise(1, 2, 3), m2)
    refuse("aten.addmm.default", c, m1, noise(3, 2, dtype=f64))
    for c in ((2, 1, 2), (1, 1, 1), (2,), (1, 2)):
        row("aten.baddbmm.default", noise(*c), noise(2, 1, 3), noise(2, 3, 2))
    row("aten.baddbmm.default", noise(2, 1, 2), noise(2, 1, 3), noise(2, 3, 2), beta=0.5, alpha=2)
    row("aten.baddbmm.default", tensor([nan]), noise(2, 1, 3), noise(2, 3, 2), beta=0)
    row("aten.baddbmm.default", noise(2, 1, 2), noise(2, 1, 0), noise(2, 0, 2))
    row("aten.baddbmm.default", noise(1), noise(0, 1, 2), noise(0, 2, 2))
    refuse("aten.baddbmm.default", noise(2), noise(2, 1, 3), noise(3, 3, 2), code="nac_run_shape")
    refuse("aten.baddbmm.default", noise(3), noise(2, 1, 3), noise(2, 3, 2), code="nac_run_shape")
    refuse("aten.baddbmm.default", noise(2), noise(1, 3), noise(2, 3, 2))
    row("aten.outer.default", noise(3), noise(2))
    row("aten.outer.default", empty(0), noise(2))
    row("aten.outer.default", noise(2, dtype=i32), noise(2))
    refuse("aten.outer.default", noise(2, 2), noise(2))
    refuse("aten.outer.default", noise(2), tensor(1.0))
    for equation, shapes in (
            ("ij,jk", ((2, 3), (3, 2))), ("ij->ji", ((2, 3),)), ("ii->i", ((3, 3),)),
            ("ii", ((2, 2),)), ("i,j->ij", ((2,), (3,))), ("i,i->", ((3,), (3,))),
            ("bij,bjk->bik", ((2, 1, 2), (2, 2, 1))), ("...ij,...jk->...ik", ((2, 2, 1), (1, 2))),
            ("ij->", ((2, 3),)), ("ij->i", ((2, 3),)), ("b...->...", ((2, 3),)),
            ("bhqd,bhkd->bhqk", ((1, 2, 2, 3), (1, 2, 2, 3))), ("ab,bc,cd->ad", ((1, 2), (2, 2), (2, 1))),
            ("i,ij->j", ((2,), (2, 2))), (",i->i", ((), (2,))), ("->", ((),)), ("ba", ((2, 3),)),
            ("ij,ij->ij", ((2, 1), (1, 3))), ("...a->a...", ((2, 3),)), ("iij->ij", ((2, 2, 2),)),
            (" i j , j k -> k i ", ((2, 2), (2, 1))), ("aB,Bc->ca", ((1, 2), (2, 2))),
            ("ij,jk->ik", ((2, 0), (0, 3))), ("i->i", ((0,),)), ("ijk,lj->ilk", ((1, 2, 2), (2, 2))),
            ("...,...", ((2,), (2,))), ("a...,b...->ab...", ((2, 2), (1, 2)))):
        row("aten.einsum.default", equation, [noise(*s) for s in shapes])
    for equation, shapes in (
            ("ij,jk->ik", ((2, 3), (2, 3))), ("ij,jk", ((2, 3),)), ("ij", ((2, 3), (3,))),
            ("ij->iji", ((2, 3),)), ("ij->ik", ((2, 3),)), ("ijk", ((2, 3),)), ("i", ((2, 3),)),
            ("ii->i", ((2, 3),)), ("i1", ((2, 3),)), ("i.j", ((2, 3),)), ("i-j", ((2, 3),)),
            ("......", ((2, 3),)), ("i->", ()), ("ij->j->i", ((2, 3),)), ("i->...i...", ((2,),))):
        refuse("aten.einsum.default", equation, [noise(*s) for s in shapes])
    fixed("aten.einsum.default", ["i->i", 2.0], "error")

    tolerance(16, 2, largest=True)
    sdpa = "aten.scaled_dot_product_attention.default"
    q, k, v = noise(1, 2, 3, 4), noise(1, 2, 3, 4), noise(1, 2, 3, 4)
    # Values as small as the others: the wanted ones come from the definition in double precision.

    def attention(q, k, v, mask=None, causal=False, scale=None):
        s = q.double() @ k.double().transpose(-1, -2)
        s = s * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
        if causal:
            s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -inf)
        if mask is not None:
            s = s.masked_fill(~mask, -inf) if mask.dtype == boolean else s + mask.double()
        p = s.softmax(-1)
        p = torch.where(torch.isneginf(s).all(-1, keepdim=True), 0.0, p)  # all masked: zeros
        return (p @ v.double()).to(q.dtype)

    float_mask, bool_mask = noise(3, 3), tensor([[1, 0, 1], [1, 1, 0], [0, 0, 1]], boolean)
    row(sdpa, q, k, v)
    row(sdpa, q, k, v, float_mask)
    row(sdpa, q, k, v, bool_mask)
    row(sdpa, q, k, v, noise(1, 1, 3, 3))
    row(sdpa, q, k, v, bool_mask[:1])
    row(sdpa, q, k, v, None, 0.0, True)
    row(sdpa, q, k, v, None, 0.0, False)
    row(sdpa, q, k, v, bool_mask, 0.0, False)
    row(sdpa, q, k, v, None, 0.0, True, scale=0.25)
    row(sdpa, q, k, v, None, 0.0, False, scale=2.0)
    fixed(sdpa, [q, k, v, None, 0, 0], attention(q, k, v))
    fixed(sdpa, [q, k, v, None, False, True], attention(q, k, v, causal=True))
    fixed(sdpa, [q, k, v, bool_mask, False, False], attention(q, k, v, bool_mask))
    # A float that no truth value follows is the scale: dropout isn't in graphs of inference.
    fixed(sdpa, [q, k, v, 0.25], attention(q, k, v, scale=0.25))
    fixed(sdpa, [q, k, v, 1.0], attention(q, k, v, scale=1.0))
    fixed(sdpa, [q, k, v, float_mask, 0.25], attention(q, k, v, float_mask, scale=0.25))
    fixed(sdpa, [q, k, v, float_mask, 1], attention(q, k, v, float_mask, scale=1.0))
    fixed(sdpa, [q, k, v, None, 0.25], attention(q, k, v, scale=0.25))
    row(sdpa, noise(2, 4), noise(3, 4), noise(3, 2))
    row(sdpa, noise(2, 3, 2), noise(2, 2, 2), noise(2, 2, 3))
    row(sdpa, noise(2, 1, 2, 2), noise(2, 1, 3, 2), noise(2, 1, 3, 1))
    row(sdpa, noise(1, 1, 2, 2), noise(1, 1, 4, 2), noise(1, 1, 4, 2), None, 0.0, True)
    row(sdpa, noise(1, 1, 4, 2), noise(1, 1, 2, 2), noise(1, 1, 2, 2), None, 0.0, True)
    row(sdpa, noise(1, 2, 2, 2), noise(1, 1, 2, 2), noise(1, 1, 2, 2))
    row(sdpa, noise(1, 4, 1, 2), noise(1, 2, 2, 2), noise(1, 2, 2, 2), None, 0.0, False,
        enable_gqa=True)
    fixed(sdpa, [q, k, v, tensor([[True] * 3, [False] * 3, [True, False, False]], boolean)],
          attention(q, k, v, tensor([[True] * 3, [False] * 3, [True, False, False]], boolean)))
    row(sdpa, noise(1, 2, 3), empty(1, 0, 3), empty(1, 0, 2))
    row(sdpa, empty(1, 0, 3), noise(1, 2, 3), noise(1, 2, 2))
    refuse(sdpa, noise(1, 2, 3), noise(1, 2, 2), noise(1, 2, 2), code="nac_run_shape")
    refuse(sdpa, noise(1, 2, 2), noise(1, 3, 2), noise(1, 2, 2), code="nac_run_shape")
    refuse(sdpa, noise(2), noise(2), noise(2))
    refuse(sdpa, q, k, v, noise(2, 2), code="nac_run_shape")
    refuse(sdpa, q, k, v, noise(3, 3, dtype=i64))
    refuse(sdpa, q, k, v.to(f64))
    lstm = [noise(2, 3), noise(2, 2), noise(2, 2), noise(8, 3), noise(8, 2)]
    row("aten.lstm_cell.default", *lstm)
    row("aten.lstm_cell.default", *lstm, noise(8), noise(8))
    row("aten.lstm_cell.default", *[a.to(f64) for a in lstm])
    for t in (f16, bf16):
        either("aten.lstm_cell.default", *[a.to(t) for a in lstm], noise(8, dtype=t), noise(8, dtype=t))
    row("aten.lstm_cell.default", noise(1, 2), noise(1, 1), noise(1, 1), noise(4, 2), noise(4, 1),
        noise(4), noise(4))
    refuse("aten.lstm_cell.default", *[a.to(i64) for a in lstm])
    refuse("aten.lstm_cell.default", noise(2, 2), *lstm[1:])
    refuse("aten.lstm_cell.default", lstm[0], noise(3, 2), *lstm[2:])
    refuse("aten.lstm_cell.default", *lstm[:3], noise(6, 3), lstm[4])


# ---- convolution


def convolution():
    begin("convolution")
    tolerance(8, 2, largest=True)
    conv = {1: "aten.conv1d.default", 2: "aten.conv2d.default", 3: "aten.conv3d.default"}
    padded = {n: f"aten.conv{n}d.padding" for n in (1, 2, 3)}
    transposed = {1: "aten.conv_transpose1d.default", 2: "aten.conv_transpose2d.input",
                  3: "aten.conv_transpose3d.input"}
    for t in every:
        either(conv[1], noise(1, 1, 3, dtype=t), noise(1, 1, 2, dtype=t))
        either(conv[2], noise(1, 1, 2, 2, dtype=t), noise(1, 1, 2, 1, dtype=t), noise(1, dtype=t))
        if t not in (f64, f16):
            continue
        row(conv[3], noise(1, 1, 2, 1, 2, dtype=t), noise(1, 1, 1, 1, 2, dtype=t))
        row(transposed[2], noise(1, 1, 1, 2, dtype=t), noise(1, 1, 2, 2, dtype=t))
        row(padded[1], noise(1, 1, 3, dtype=t), noise(1, 1, 2, dtype=t), None, [1], "same")
    x, w, b = noise(2, 2, 5), noise(3, 2, 2), noise(3)
    for rest in ((), (None,), (b,), (b, [2]), (None, [1], [1]), (b, [2], [2], [2]),
                 (None, [1], [0], [2]), (None, [3], [3], [1], 1)):
        row(conv[1], x, w, *rest)
    row(conv[1], noise(2, 5), noise(1, 2, 3), noise(1))
    row(conv[1], noise(1, 4, 4), noise(4, 2, 2), None, [1], [0], [1], 2)
    row(conv[1], noise(1, 2, 3), noise(4, 1, 1), noise(4), [1], [0], [1], 2)
    fixed(conv[1], [x, w, b, 2, 1, 1, 1], torch.conv1d(x, w, b, 2, 1))
    x, w, b = noise(1, 2, 4, 3), noise(2, 2, 2, 2), noise(2)
    for rest in ((), (b,), (None, [2, 1]), (b, [1, 1], [1, 1]), (None, [2, 2], [2, 0]),
                 (b, [1, 2], [1, 2], [2, 1]), (None, [1], [1]), (None, [1, 1], [1, 1], [1, 1], 1),
                 (None, [1, 1], [0, 0], [3, 2])):
        row(conv[2], x, w, *rest)
    row(conv[2], noise(2, 1, 3, 3), noise(1, 1, 3, 3), None, [1, 1], [1, 1])
    row(conv[2], noise(2, 3, 3), noise(1, 2, 2, 2), noise(1))
    row(conv[2], noise(1, 2, 3, 3), noise(2, 1, 3, 3), None, [1, 1], [1, 1], [1, 1], 2)
    row(conv[2], noise(1, 4, 2, 2), noise(2, 2, 1, 1), noise(2), [1, 1], [0, 0], [1, 1], 2)
    row(conv[2], noise(1, 3, 2, 2), noise(2, 3, 1, 1))
    fixed(conv[2], [x, w, b, 1, 1, 1, 1], torch.conv2d(x, w, b, 1, 1))
    row(conv[2], empty(0, 2, 4, 3), w, b)
    x, w = noise(1, 1, 2, 3, 2), noise(2, 1, 2, 2, 1)
    for rest in ((), (noise(2), [1, 2, 1]), (None, [1, 1, 1], [1, 0, 1]),
                 (None, [2, 1, 1], [1, 1, 0], [1, 2, 1])):
        row(conv[3], x, w, *rest)
    row(conv[3], noise(2, 1, 2, 2), noise(1, 2, 1, 2, 1), noise(1))
    row(conv[3], noise(1, 2, 1, 2, 1), noise(2, 1, 1, 1, 1), None, [1] * 3, [0] * 3, [1] * 3, 2)
    for n in (1, 2, 3):
        x, w = noise(1, 2, *[3] * n), noise(2, 2, *[2] * n)
        one = [1] * n
        refuse(conv[n], x, noise(2, 3, *[2] * n))
        refuse(conv[n], x, w, noise(3))
        refuse(conv[n], x, w, None, [0] * n)
        refuse(conv[n], x, w, None, one, [-1] * n)
        refuse(conv[n], x, w, None, one, [0] * n, [0] * n)
        refuse(conv[n], x, w, None, one, [0] * n, one, 3)
        refuse(conv[n], x, w, None, one, [0] * n, one, 0)
        refuse(conv[n], x, noise(2, 2, *[4] * n))
        refuse(conv[n], x, noise(2, 2, *[2] * (n - 1)))
        refuse(conv[n], noise(*[3] * (n + 3)), w)
        refuse(conv[n], noise(2), w)
        refuse(conv[n], x, w, None, [1] * (n + 1))
        refuse(conv[n], x, w.to(f64))
        small, kernel = noise(1, 1, *[3] * n), noise(1, 1, *[2] * n)
        row(padded[n], small, kernel, None, one, "same") if n < 3 else None
        row(padded[n], small, noise(1, 1, *[3] * n), noise(1), one, "same") if n < 3 else None
        row(padded[n], small, kernel, None, one, "valid")
        row(padded[n], small, kernel)
        row(padded[n], small, kernel, None, [2] * n, "valid")
        row(padded[n], small, kernel, None, one, "same", [2] * n)
        refuse(padded[n], small, kernel, None, [2] * n, "same")
        refuse(padded[n], small, kernel, None, one, "full", code="nac_run_argument")
        x, w, b = noise(1, 2, *[2] * n), noise(2, 1, *[2] * n), noise(1)
        row(transposed[n], x, w)
        row(transposed[n], x, w, b, [2] * n)
        row(transposed[n], x, w, None, [2] * n, [1] * n)
        if n < 3:
            row(transposed[n], x, w, b, [2] * n, [1] * n, [1] * n)
            row(transposed[n], x, w, None, [1] * n, [0] * n, [0] * n, 2)
            row(transposed[n], x, w, None, [1] * n, [1] * n, [0] * n, 1, [2] * n)
            row(transposed[n], x[0], w)
        refuse(transposed[n], x, noise(3, 1, *[2] * n))
        refuse(transposed[n], x, w, noise(2))
        refuse(transposed[n], x, w, None, [1] * n, [0] * n, [1] * n)
        refuse(transposed[n], x, w, None, [0] * n)
        refuse(transposed[n], x, w, None, [1] * n, [5] * n)
    full = "aten.convolution.default"
    x, w, b = noise(1, 2, 3, 3), noise(2, 2, 2, 2), noise(2)
    row(full, x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    row(full, x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)
    row(full, x, noise(2, 1, 2, 2), b, [1, 1], [1, 0], [1, 1], False, [0, 0], 2)
    row(full, x, noise(2, 1, 2, 2), noise(1), [2, 2], [0, 0], [1, 1], True, [1, 1], 1)
    row(full, x, noise(2, 1, 2, 2), None, [1, 1], [1, 1], [1, 1], True, [0, 0], 2)
    row(full, noise(1, 1, 4), noise(1, 1, 2), None, [1], [1], [2], False, [0], 1)
    row(full, noise(1, 1, 2, 2, 2), noise(1, 1, 2, 1, 1), None, [1] * 3, [0] * 3, [1] * 3, False,
        [0] * 3, 1)
    refuse(full, x, noise(2, 3, 2, 2), b, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    refuse(full, x, w, b, [1, 1], [0, 0], [1, 1], False, [0, 0], 3)
    # x [N, C, H, W], weights as a matrix [out, C * kh * kw], bias, and what conv2d makes of it:
    # [out, oh, ow, kh, kw, sh, sw, ph, pw, groups].
    pre = "nac.conv2d_precomputed"
    for n, c, h, wd, o, kh, kw, sh, sw, ph, pw in ((1, 2, 3, 3, 2, 2, 2, 1, 1, 0, 0),
                                                   (2, 1, 4, 3, 1, 3, 2, 2, 1, 1, 0),
                                                   (1, 3, 2, 2, 2, 1, 1, 1, 1, 0, 0)):
        for bias in (noise(o), None):
            x, w = noise(n, c, h, wd), noise(o, c, kh, kw)
            y = torch.conv2d(x, w, bias, (sh, sw), (ph, pw))
            fixed(pre, [x, w.reshape(o, -1), bias,
                        [o, y.shape[2], y.shape[3], kh, kw, sh, sw, ph, pw, 1]], y)
    x, w = noise(1, 2, 3, 3), noise(2, 8)
    good = [2, 2, 2, 2, 2, 1, 1, 0, 0, 1]
    fixed(pre, [x, w, None, good[:9]], "error")
    fixed(pre, [x, noise(2, 7), None, good], "error")
    fixed(pre, [x, noise(3, 8), None, good], "error")
    fixed(pre, [x, w, noise(3), good], "error")
    fixed(pre, [x, w, None, [2, 5, 2, 2, 2, 1, 1, 0, 0, 1]], "error")
    fixed(pre, [x, w, None, [2, 2, 2, 2, 2, 0, 1, 0, 0, 1]], "error")
    fixed(pre, [x, w, None, [2, 2, 2, 2, 2, 1, 1, -1, 0, 1]], "error")
    fixed(pre, [x, w, None, [2, 2, 2, 2, 2, 1, 1, 0, 0, 0]], "error")


# ---- normalise


def normalise():
    begin("normalise")
    tolerance(16, 2, largest=True)
    legit, by_mode = "aten._native_batch_norm_legit_no_training.default", "aten.batch_norm.default"
    layer, native, group_norm = ("aten.layer_norm.default", "aten.native_layer_norm.default",
                                 "aten.group_norm.default")
    x = noise(2, 2, 3)

    def four(n, t=f32):
        return [noise(n, dtype=t), noise(n, dtype=t), noise(n, dtype=t),
                noise(n, dtype=t, low=0.5, high=3)]

    for t in every:
        either(legit, noise(2, 2, dtype=t), *four(2, t), 0.1, 1e-5)
        either(by_mode, noise(2, 2, dtype=t), *four(2, t), False, 0.1, 1e-5, False)
        either(layer, noise(2, 3, dtype=t), [3])
        either(layer, noise(2, 3, dtype=t), [3], noise(3, dtype=t), noise(3, dtype=t))
        either(native, noise(2, 3, dtype=t), [3], noise(3, dtype=t), None, 1e-5)
        either(group_norm, noise(1, 4, 2, dtype=t), 2, noise(4, dtype=t), noise(4, dtype=t))
    for t in (f16, bf16):
        either(layer, noise(2, 3, dtype=t), [3], noise(3), noise(3))
        either(legit, noise(2, 2, dtype=t), *four(2), 0.1, 1e-5)
    w, b, mean, var = four(2)
    for shape in ((2, 2), (1, 2, 3), (2, 2, 2, 1), (1, 2, 1, 2, 1)):
        row(legit, noise(*shape), w, b, mean, var, 0.1, 1e-5)
    row(legit, x, None, None, mean, var, 0.1, 0.001)
    row(legit, empty(0, 2, 3), w, b, mean, var, 0.1, 1e-5)
    row(by_mode, x, w, b, mean, var, False, 0.1, 1e-5, True)
    row(by_mode, x, None, None, mean, var, False, 0.1, 1e-5, True)
    row(by_mode, x, w, b, mean, var, True, 0.1, 1e-5, True)
    row(by_mode, x, w, b, None, None, True, 0.1, 1e-5, True)
    row(by_mode, x, None, None, None, None, True, 0.1, 0.01, False)
    refuse(by_mode, x, w, b, None, None, False, 0.1, 1e-5, True)
    for name, rest in ((legit, (0.1, 1e-5)), (by_mode, (False, 0.1, 1e-5, True))):
        # PyTorch doesn't look at these sizes in the first of the two.
        fixed(name, [x, noise(3), b, mean, var, *rest], "error")
        fixed(name, [x, w, noise(3), mean, var, *rest], "error")
        fixed(name, [x, w, b, noise(3), var, *rest], "error")
        refuse(name, noise(2), w, b, mean, var, *rest)
    x = noise(2, 2, 3)
    w, b = noise(3), noise(3)
    for rest in (([3],), ([3], w), ([3], w, b), ([3], None, b), ([3], w, b, 0.1), ([2, 3],),
                 ([3], w, b, 1e-5, False), ([3], None, None, 1e-12), ([2, 2, 3], noise(2, 2, 3)),
                 ([2, 3], noise(2, 3), noise(2, 3))):
        row(layer, x, *rest)
        if len(rest) > 3:
            row(native, x, *rest[:4])
    fixed(layer, [x, 3], torch.layer_norm(x, [3]))
    row(native, x, [2, 3], None, None, 1e-5)
    row(layer, tensor([[1000.0, 1001, 1002]]), [3])
    row(layer, tensor([[2.0, 2, 2]]), [3])
    row(layer, empty(0, 3), [3], w, b)
    row(layer, tensor([[1, inf, 2]]), [3])
    row(native, empty(0, 3), [3], w, b, 1e-5)
    for name, rest in ((layer, ()), (native, (None, None, 1e-5))):
        refuse(name, x, [2], *rest)
        refuse(name, x, [], *rest)
        refuse(name, x, [2, 2, 2, 3], *rest)
        refuse(name, tensor(1.0), [1], *rest)
    refuse(layer, x, [3], noise(2))
    refuse(layer, x, [3], w, noise(2))
    refuse(native, x, [3], noise(2), None, 1e-5)
    for shape, g in (((1, 4), 2), ((2, 2, 3), 1), ((1, 4, 1, 2), 4), ((1, 4, 2, 1), 1)):
        row(group_norm, noise(*shape), g)
        row(group_norm, noise(*shape), g, noise(shape[1]), noise(shape[1]), 0.001)
    row(group_norm, noise(2, 2, 1), 2, None, noise(2), 0.5)  # groups of one element
    row(group_norm, noise(1, 2, 2), 2, None, noise(2))
    row(group_norm, noise(1, 2, 2), 2, noise(2), None, 1e-5, False)
    row(group_norm, noise(1, 2, 2), 2, None, None, 1e-5, True)
    row(group_norm, empty(0, 2, 2), 2)
    refuse(group_norm, noise(1, 4), 3)
    refuse(group_norm, noise(1, 4), 0)
    refuse(group_norm, noise(1, 4), -2)
    refuse(group_norm, noise(1, 4), 2, noise(2))
    refuse(group_norm, noise(1, 4), 2, noise(4), noise(2))
    refuse(group_norm, noise(4), 2)


# ---- pooling


def pooling():
    begin("pooling")
    largest, average, adaptive, near, near_to = (
        "aten.max_pool2d.default", "aten.avg_pool2d.default", "aten.adaptive_avg_pool2d.default",
        "aten.upsample_nearest2d.vec", "aten.upsample_nearest2d.default")
    tolerance(0, 0)
    for t in every:
        either(largest, noise(1, 2, 3, dtype=t), [2, 2], [1, 1])
        either(near, noise(1, 1, 1, 2, dtype=t), [2, 3], None)
        either(near_to, noise(1, 1, 2, 1, dtype=t), [3, 1])
    x = noise(1, 2, 4, 3, low=-4, high=-0.5)
    for rest in (([2, 2],), ([2],), ([2, 2], [1, 1]), ([3, 3], [2, 2], [1, 1]), ([2, 1], [2, 1]),
                 ([2, 2], []), ([2, 2], [1, 1], [1, 0], [1, 1], False),
                 ([2, 2], [1, 1], [0, 0], [2, 2]), ([3, 3], [2, 2], [1, 1], [1, 1], True),
                 ([2, 2], [2, 2], [0, 0], [1, 1], True), ([2, 2], [3, 3], [1, 1], [1, 1], True),
                 ([2, 2], [2, 2], [1, 1], [2, 2], True)):
        row(largest, x, *rest)
    row(largest, noise(2, 3, 3), [2, 2])
    row(largest, noise(2, 1, 2, 2), [2, 2])
    row(largest, tensor([[[1, nan], [inf, -inf]]]), [1, 2])
    row(largest, tensor([[[-inf, -inf]]]), [1, 2])
    row(largest, empty(0, 1, 2, 2), [2, 2])
    fixed(largest, [x, 2, 1], torch.max_pool2d(x, 2, 1))
    refuse(largest, noise(2, 2), [2, 2])
    refuse(largest, x, [0, 1])
    refuse(largest, x, [2, 2], [0, 1])
    refuse(largest, x, [2, 2], [1, 1], [2, 2])
    refuse(largest, x, [2, 2], [1, 1], [-1, 0])
    refuse(largest, x, [2, 2], [1, 1], [0, 0], [0, 1])
    refuse(largest, x, [5, 5])
    refuse(largest, x, [2, 2, 2])
    refuse(largest, empty(1, 0, 2, 2), [3, 3])
    tolerance(4, 1, largest=True)
    for t in every:
        either(average, noise(1, 2, 2, dtype=t), [2, 2])
        either(adaptive, noise(1, 3, 3, dtype=t), [2, 2])
    for rest in (([2, 2],), ([2],), ([2, 2], [1, 1]), ([3, 3], [2, 2], [1, 1]), ([2, 2], []),
                 ([3, 3], [2, 2], [1, 1], False, False), ([3, 3], [2, 2], [1, 1], True),
                 ([3, 3], [2, 2], [1, 1], True, False), ([2, 2], [2, 2], [0, 0], True),
                 ([2, 2], [1, 1], [0, 0], False, True, 3), ([2, 2], [2, 2], [1, 1], True, True, -1),
                 ([2, 2], [3, 3], [1, 1], True), ([2, 2], [1, 1], [0, 0], False, True, None)):
        row(average, x, *rest)
    row(average, noise(2, 2, 3), [2, 2])
    row(average, empty(0, 1, 2, 2), [2, 2])
    refuse(average, noise(2, 2), [2, 2])
    refuse(average, x, [2, 2], [0, 0])
    refuse(average, x, [2, 2], [1, 1], [2, 0])
    refuse(average, x, [2, 2], [1, 1], [0, 0], False, True, 0)
    refuse(average, x, [5, 1])
    refuse(average, x, [0, 1])
    for h, w, o in ((5, 3, [3, 2]), (6, 4, [4, 3]), (7, 1, [5, 1]), (4, 4, [1, 1]), (2, 2, [3, 4]),
                    (8, 2, [3, 2]), (3, 3, [0, 2]), (1, 1, [2, 2])):
        row(adaptive, noise(1, 1, h, w), o)
    row(adaptive, noise(2, 3, 2), [2, 1])
    row(adaptive, empty(0, 1, 2, 2), [1, 1])
    fixed(adaptive, [noise(1, 1, 2, 2) * 0 + 2, [1]], "error")
    refuse(adaptive, noise(2, 2), [2, 2])
    refuse(adaptive, noise(1, 2, 2), [-1, 1])
    refuse(adaptive, noise(1, 2, 2), [1, 1, 1])
    refuse(adaptive, empty(1, 0, 2), [2, 2])
    tolerance(0, 0)
    x = count(1, 2, 2, 3)
    for size, scale in (([4, 6], None), ([3, 5], None), ([1, 1], None), (None, [2.0, 2.0]),
                        (None, [1.5, 2.5]), (None, [0.5, 0.75])):
        row(near, x, size, scale)
    fixed(near, [x, None, 2.0], torch.nn.functional.interpolate(x, scale_factor=2.0))
    fixed(near, [x, None, [2, 2]], torch.nn.functional.interpolate(x, scale_factor=2.0))
    row(near, count(1, 1, 1, 7), None, [1.0, 1.7])
    row(near, empty(0, 1, 2, 2), [3, 3], None)
    for size in ([4, 6], [3, 5], [1, 2]):
        row(near_to, x, size)
    row(near_to, x, [4, 6], 2.0, 2.0)
    row(near_to, x, [3, 7], 1.5, 2.4)
    row(near_to, x, [4, 6], None, None)
    row(near_to, x, [4, 6], None, 2.0)
    refuse(near, x, None, None)
    refuse(near, x, [2, 2], [1.0, 1.0])
    refuse(near, x, [0, 2], None)
    refuse(near, x, [2], None)
    refuse(near, noise(2, 2, 2), [2, 2], None)
    refuse(near_to, x, [0, 2])
    refuse(near_to, x, [-1, 2])
    refuse(near_to, x, [2, 2, 2])
    refuse(near_to, noise(2, 2), [2, 2])
    fixed(near_to, [x, [2**31 - 1, 2**31 - 1]], "error")


def functions():
    begin("functions")
    torch.manual_seed(19)
    tolerance(4, 1)
    for name in ("tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "exp2",
                 "expm1", "log2", "log10", "log1p", "erfc", "deg2rad", "rad2deg", "mish",
                 "log_sigmoid", "selu", "celu", "logit"):
        unary(f"aten.{name}.default", extra=[-20, -4, -3.5, -0.25, 0.001, 0.1, 0.75, 3.25, 10])
    for alpha in (0.5, 2, -1.5):
        row("aten.celu.default", noise(5), alpha)
    refuse("aten.celu.default", noise(2), 0)
    for eps in (None, 0.125, 0.0):
        for t in (f32, f64, f16, bf16, i32):
            either("aten.logit.default", tensor([-1, 0, 0.0625, 0.5, 0.75, 1, 2], t), eps)
    tolerance(0, 0)
    for name in ("trunc", "fix", "frac", "sign", "sgn", "isfinite", "signbit", "relu6", "hardtanh",
                 "softshrink", "hardshrink", "nan_to_num"):
        unary(f"aten.{name}.default", extra=[-7.5, -1.25, -0.5, -0.25, 0.25, 0.5, 1.25, 6, 7.5])
    for name in ("softshrink", "hardshrink"):
        for t in floats:
            row(f"aten.{name}.default", noise(6, dtype=t), 1)
            row(f"aten.{name}.default", noise(6, dtype=t), 0)
    refuse("aten.softshrink.default", noise(2), -1)
    for t in every:
        either("aten.hardtanh.default", noise(6, dtype=t), 0, 2)
        either("aten.hardtanh.default", noise(6, dtype=t), 0.25, 1.5)
        either("aten.threshold.default", noise(6, dtype=t), 1, 7)
        either("aten.threshold.default", noise(6, dtype=t), -1, 2)
        either("aten.threshold.default", values(t), 0.5, 1)
        either("aten.nan_to_num.default", values(t), 1.5, 2, -3)
        either("aten.nan_to_num.default", values(t), None, 9)
    for t in floats:
        row("aten.nan_to_num.default", tensor([nan, inf, -inf, 1], t))
    row("aten.hardtanh.default", noise(6), -0.5)
    fixed("aten.threshold.default", [noise(2), 1], "error")
    fmod = "aten.fmod.Tensor"
    binary(fmod, scalars=False, nonzero=True)
    for t in floats:
        row(fmod, tensor([5, -5, 5, -5, 0.5, -0.5, inf, 1, -1, nan, 6, -6, 0.0, -0.0], t),
            tensor([3, 3, -3, -3, 0.125, 0.375, 2, inf, inf, 1, 3, 3, 2, 2], t))
        row(fmod, tensor([1, -1, 0], t), tensor([0, 0, 0], t))
    for t in (i64, i32, i16, i8):
        low = torch.iinfo(t).min
        row(fmod, tensor([7, -7, 7, -7, 6, -6, low, low], t),
            tensor([2, 2, -2, -2, 3, 3, 1, 2], t))
    for t in wholes:
        refuse(fmod, tensor([7, 1], t), tensor([1, 0], t), code="nac_run_division")
    scalar_name("aten.fmod.Scalar", numbers=(2, 0.5, -3))
    for mode in ("floor", "trunc"):
        for t in every:
            left, right = noise(6, dtype=t), values(t)
            right = torch.where(right == 0, torch.ones_like(right), right)[:6]
            either("aten.div.Tensor_mode", left[:right.numel()], right, rounding_mode=mode)
            either("aten.div.Scalar_mode", left, 3, rounding_mode=mode)
        for t in floats:
            row("aten.div.Tensor_mode", tensor([5, -5, 5, -5, inf, 1, -1, nan, 6, -6], t),
                tensor([3, 3, -3, -3, 2, inf, inf, 1, 3, 3], t), rounding_mode=mode)
            row("aten.div.Tensor_mode", tensor([1, -1, 0], t), tensor([0, 0, 0], t),
                rounding_mode=mode)
        for t in wholes:
            refuse("aten.div.Tensor_mode", tensor([7, 1], t), tensor([1, 0], t),
                   rounding_mode=mode, code="nac_run_division")
        row("aten.div.Tensor_mode", tensor([-128, 127], i8), tensor([-1, -1], i8),
            rounding_mode=mode)
        row("aten.div.Tensor_mode", noise(2, 1), noise(3), rounding_mode=mode)
    row("aten.div.Tensor_mode", noise(3), tensor([2, 4, 8]), rounding_mode=None)
    row("aten.div.Scalar_mode", noise(3, dtype=i32), 2, rounding_mode=None)
    refuse("aten.div.Tensor_mode", noise(3), noise(3), rounding_mode="round",
           code="nac_run_argument")
    for side in ("left", "right"):
        for name in (f"aten.__{side[0]}shift__.Tensor", f"aten.bitwise_{side}_shift.Tensor"):
            for t in wholes:
                v = values(t)
                row(name, v, torch.arange(v.numel()).to(t))
                row(name, v, tensor(3, t))
                row(name, v[-1:], tensor([7, 8, 15, 31, 63], t))
            for t in (i64, i32, i16, i8):
                row(name, tensor([5, -5], t), tensor([-1, -1], t))
        for name in (f"aten.__{side[0]}shift__.Scalar", f"aten.bitwise_{side}_shift.Tensor_Scalar"):
            for t in wholes:
                row(name, noise(4, dtype=t), 2)
        fixed(f"aten.__{side[0]}shift__.Scalar", [noise(2), 2], "error nac_run_type")
        fixed(f"aten.__{side[0]}shift__.Tensor", [noise(2), noise(2)], "error nac_run_type")
    for name in ("and", "or", "xor"):
        for t in wholes + [boolean]:
            row(f"aten.__{name}__.Scalar", noise(3, dtype=t), True if t == boolean else 5)
    # The same by other names.
    for t in every:
        x = noise(2, 3, dtype=t)
        row("aten.fill.Tensor", x, tensor(2, t))
        row("aten.contiguous.default", x)
        row("aten.swapaxes.default", x, 0, 1)
        row("aten.swapdims.default", x, -1, 0)
        row("aten.broadcast_to.default", x, [2, 2, 3])
        for to in (f32, i64, boolean):
            row("aten.to.dtype", x, dtype=to)
    row("aten.to.dtype", noise(3), f16, False, True)
    fixed("aten.to.dtype_layout", [count(3), "float16", "strided", "cpu"], count(3, dtype=f16))
    fixed("aten.to.device", [count(3), "cpu", "float16"], count(3, dtype=f16))
    fixed("aten.to.device", [count(3), "cpu", "cpu"], count(3))
    row("aten._adaptive_avg_pool2d.default", noise(1, 2, 4, 5), [2, 2])
    fixed("aten.feature_dropout.default", [count(1, 2), 0.5, False], count(1, 2))
    fixed("aten.empty.memory_format", [[2, 3], "float16"], empty(2, 3, dtype=f16))
    tolerance(2, 1, largest=True)
    for name in ("aten.addcmul.default", "aten.addcdiv.default"):
        for t in every:
            x, a, b = noise(2, 3, dtype=t), noise(3, dtype=t), noise(2, 1, dtype=t)
            b = torch.where(b == 0, torch.ones_like(b), b)
            either(name, x, a, b)
            either(name, x, a, b, value=2)
            if t.is_floating_point:
                row(name, x, a, b, value=-0.5)
        row(name, tensor(1.0), noise(2, 2), noise(2) + 3)
        row(name, empty(0), noise(1), noise(1) + 3)
        refuse(name, noise(2), noise(3), noise(2), code="nac_run_shape")
    row("aten.addcmul.default", tensor([1, 2], i32), tensor([3, 4], i32), tensor([5, 6], i32),
        value=1.5)
    for t in every:
        for weight in (0.25, 0.5, 0.75, 2, -1):
            either("aten.lerp.Scalar", noise(4, dtype=t), noise(2, 1, dtype=t), weight)
        either("aten.lerp.Tensor", noise(4, dtype=t), noise(4, dtype=t), noise(4, dtype=t))
    row("aten.lerp.Tensor", noise(2, 3), noise(3), noise(2, 1))
    refuse("aten.lerp.Scalar", noise(2), noise(2, dtype=f64), 0.5)
    tolerance(4, 1)
    for name in ("aten.atan2.default", "aten.hypot.default"):
        binary(name, scalars=False, brief=True)
    row("aten.atan2.default", tensor([0.0, -0.0, 0.0, -0.0, 1, -1, inf, nan]),
        tensor([1, 1, -1, -1, 0.0, -0.0, -inf, 1]))
    for t in every:
        row("aten.zero.default", noise(2, dtype=t))
    row("aten.zero.default", empty(0, 2))


def selection():
    begin("selection")
    torch.manual_seed(20)
    tolerance(4, 2)
    x, m = count(4, 3), count(2, 3, 4)
    index = tensor([[0, 1], [1, 0]], i64)
    for t in every:
        v, w, s = noise(4, dtype=t), noise(2, 2, dtype=t), noise(2, 2, dtype=t)
        for how in ("sum", "prod", "mean", "amax", "amin"):
            if t != boolean:
                row("aten.scatter_reduce.two", w, 0, index, s, how)
                row("aten.scatter_reduce.two", noise(3, dtype=t), 0, tensor([1, 1, 0, 1], i64), v, how, include_self=False)
        either("aten.index_add.default", v, 0, tensor([1, 1], i64), noise(2, dtype=t))
        either("aten.index_add.default", v, 0, tensor([1, 3], i64), noise(2, dtype=t), alpha=2)
        row("aten.index_copy.default", w, 0, tensor([1], i64), noise(1, 2, dtype=t))
        row("aten.index_fill.int_Scalar", w, 1, tensor([1], i64), 2)
        row("aten.index_fill.int_Tensor", w, 1, tensor([0], i64), tensor(1, t))
        row("aten.take_along_dim.default", w, index, 1)
        row("aten.take.default", w, tensor([3, -1, 0], i64))
        row("aten.index_put.default", v, [tensor([2, -1], i64)], noise(2, dtype=t))
        row("aten.index_put.default", v, [tensor([2, 2], i64)], noise(2, dtype=t), True)
        row("aten.masked_select.default", v, tensor([True, False, True, False], boolean))
        row("aten.masked_scatter.default", v, tensor([True, False, True, False], boolean), noise(3, dtype=t))
        row("aten.nonzero.default", noise(2, 3, dtype=t))
        either("aten.one_hot.default", tensor([1, 0], t), 3)
        row("aten.select_scatter.default", w, noise(2, dtype=t), 1, 0)
        row("aten.diagonal.default", w)
        row("aten.diagonal_scatter.default", w, noise(1, dtype=t), 1)
        row("aten.repeat_interleave.self_int", v, 2)
        row("aten.eye.default", 2, dtype=t)
        row("aten.item.default", noise(1, dtype=t)) if t in (f32, f64, i64, boolean) else None
        if t in (f32, i64, boolean):
            row("aten._local_scalar_dense.default", noise(1, dtype=t))
    for name in ("aten.scatter_reduce.two",):
        row(name, tensor([1, nan, inf]), 0, tensor([0, 1, 2, 0], i64), tensor([nan, 1, -inf, 3]), "amax")
        row(name, x, -1, tensor([[2, 0], [1, 1]], i64), noise(2, 2), "mean")
        row(name, tensor(2.0), 0, tensor(0, i64), tensor(3.0), "sum")
        refuse(name, x, 0, tensor([[4]], i64), noise(1, 1), "sum", code="nac_run_index")
        refuse(name, x, 0, tensor([[0]], i64), noise(1, 1), "median", code="nac_run_argument")
        refuse(name, x, 2, tensor([[0]], i64), noise(1, 1), "sum", code="nac_run_axis")
    for name, src in (("aten.index_add.default", noise(2, 3)), ("aten.index_copy.default", noise(2, 3))):
        row(name, x, 0, tensor([3, 0], i64), src)
        row(name, x, -1, tensor([0, 2], i64), noise(4, 2))
        refuse(name, x, 0, tensor([4, 0], i64), src, code="nac_run_index")
        refuse(name, x, 0, tensor([0], i64), src, code="nac_run_shape")
        refuse(name, x, 2, tensor([0, 1], i64), src, code="nac_run_axis")
    row("aten.index_add.default", x, 0, tensor([1, 1], i64), noise(2, 3), alpha=0.5)
    row("aten.index_fill.int_Scalar", m, -2, tensor([2, 0], i64), 1.5)
    row("aten.index_fill.int_Tensor", m, 0, tensor([1], i64), tensor(2.5))
    refuse("aten.index_fill.int_Scalar", x, 0, tensor([4], i64), 1, code="nac_run_index")
    refuse("aten.index_fill.int_Tensor", x, 0, tensor([1], i64), noise(2), code="nac_run_shape")
    row("aten.take_along_dim.default", m, tensor([[[1], [2], [0]]], i64), 2)
    row("aten.take_along_dim.default", x, tensor([5, 0], i64))
    row("aten.take_along_dim.default", x, x.argsort(0), 0)
    refuse("aten.take_along_dim.default", x, tensor([3], i64), 0)
    fixed("aten.take_along_dim.default", [x, tensor([[4, 0, 0]], i64), 0], "error nac_run_index")
    row("aten.take.default", x, tensor([[11, 0], [5, -12]], i64))
    row("aten.take.default", x, empty(0, dtype=i64))
    refuse("aten.take.default", x, tensor([12], i64), code="nac_run_index")
    i = tensor([2, 0], i64)
    k = tensor([[0], [1]], i64)
    for indices, v in (([i], noise(2, 3)), ([i], noise(3)), ([i], noise(2, 1)), ([None, i], noise(4, 2)), ([i, i], tensor(2.5)),
                       ([k, i], noise(2, 2)), ([x > 4], tensor(1.0)), ([x > 4], noise(int((x > 4).sum()))),
                       ([tensor([True, False, True, False], boolean)], noise(2, 3)), ([empty(0, dtype=i64)], tensor(1.0))):
        row("aten.index_put.default", x, indices, v)
        row("aten._unsafe_index_put.default", x, indices, v)
        row("aten.index_put.default", x, indices, v, True)
    row("aten.index_put.default", m, [tensor([1], i64), None, i], noise(2, 3))
    refuse("aten.index_put.default", x, [tensor([4], i64)], tensor(1.0), code="nac_run_index")
    refuse("aten.index_put.default", x, [i], noise(3, 3), code="nac_run_shape")
    refuse("aten.index_put.default", x, [i], noise(2, 3, dtype=f64), code="nac_run_type")
    row("aten.masked_select.default", x, x > 5)
    row("aten.masked_select.default", x, tensor([True, False, True], boolean))
    row("aten.masked_select.default", noise(3), x > 5)
    row("aten.masked_select.default", tensor(2.0), tensor(True, boolean))
    refuse("aten.masked_select.default", x, noise(4, 3), code="nac_run_type")
    refuse("aten.masked_select.default", x, tensor([True, False], boolean), code="nac_run_shape")
    row("aten.masked_scatter.default", x, x > 5, noise(12))
    row("aten.masked_scatter.default", x, tensor([True, False, True], boolean), noise(3, 4))
    refuse("aten.masked_scatter.default", x, x > 5, noise(2), code="nac_run_shape")
    refuse("aten.masked_scatter.default", x, x > 5, noise(12, dtype=f64), code="nac_run_type")
    for v in (m > 5, x - 4, tensor(0.0), tensor(2.5), empty(0, 3), tensor([nan, 0, -0.0, inf])):
        row("aten.nonzero.default", v)
    fixed("aten.nonzero.default", ["text"], "error")
    row("aten.one_hot.default", tensor([[1, 0], [4, 2]], i64))
    row("aten.one_hot.default", tensor(2, i64), 4)
    fixed("aten.one_hot.default", [Num(2), 4], torch.nn.functional.one_hot(tensor(2, i64), 4))
    refuse("aten.one_hot.default", tensor([3], i64), 3)
    refuse("aten.one_hot.default", tensor([-1], i64), 3)
    # ---- shapes
    for rest in ((), (1,), (0, 1), (-2, -1), (2, 2)):
        row("aten.flatten.using_ints", m, *rest)
    row("aten.flatten.using_ints", tensor(2.0))
    row("aten.flatten.using_ints", empty(2, 0, 3), 1)
    refuse("aten.flatten.using_ints", m, 2, 1, code="nac_run_axis")
    refuse("aten.flatten.using_ints", m, 3, code="nac_run_axis")
    for rest in ((2, [2, 2]), (-1, [-1, 2]), (0, [1, 2, 1]), (1, [3])):
        row("aten.unflatten.int", m, *rest)
    refuse("aten.unflatten.int", m, 2, [3, -1], code="nac_run_shape")
    refuse("aten.unflatten.int", m, 2, [3, 2], code="nac_run_shape")
    refuse("aten.unflatten.int", m, 3, [1], code="nac_run_axis")
    row("aten.expand_as.default", noise(3, 1), noise(2, 3, 4))
    row("aten.expand_as.default", tensor(2.0), noise(2))
    refuse("aten.expand_as.default", noise(2), noise(3), code="nac_run_shape")
    for name in ("aten.reshape_as.default", "aten.view_as.default"):
        row(name, m, noise(4, 6))
        refuse(name, m, noise(5), code="nac_run_shape")
    for name in ("movedim", "moveaxis"):
        row(f"aten.{name}.int", m, 0, 2)
        row(f"aten.{name}.int", m, -1, 0)
        row(f"aten.{name}.intlist", m, [0, 1], [-1, 0])
        refuse(f"aten.{name}.int", m, 3, 0, code="nac_run_axis")
    refuse("aten.movedim.intlist", m, [0, 1], [0])
    row("aten.numpy_T.default", x)
    row("aten.numpy_T.default", m)
    row("aten.numpy_T.default", tensor(1.0))
    fixed("aten.numpy_T.default", ["text"], "error")
    for rest in ((0, 1, 2), (1, -2, 1), (-1, 0, 0), (0, 4, 0)):
        row("aten.narrow.default", x, *rest)
    refuse("aten.narrow.default", x, 0, 3, 2)
    refuse("aten.narrow.default", x, 0, 5, 0, code="nac_run_index")
    refuse("aten.narrow.default", x, 0, 0, -1)
    refuse("aten.narrow.default", x, 2, 0, 1, code="nac_run_axis")
    for rest in ((), (1,), (-2,), (0, 1, 2), (1, 2, 0), (9,), (-9, -1, -2)):
        row("aten.diagonal.default", m, *rest)
    refuse("aten.diagonal.default", m, 0, 1, 1, code="nac_run_axis")
    refuse("aten.diagonal.default", noise(3), code="")
    row("aten.diagonal_scatter.default", x, noise(3))
    row("aten.diagonal_scatter.default", m, noise(2, 3), 1, 1, 2)
    refuse("aten.diagonal_scatter.default", x, noise(2), code="nac_run_shape")
    row("aten.select_scatter.default", m, noise(2, 4), 1, -1)
    row("aten.select_scatter.default", x, noise(3), 0, 2)
    refuse("aten.select_scatter.default", x, noise(3), 0, 4, code="nac_run_index")
    refuse("aten.select_scatter.default", x, noise(4), 0, 0, code="nac_run_shape")
    for rest in ((3,), (2, 1), (5, -1), (1,)):
        row("aten.tensor_split.sections", x, *rest)
    refuse("aten.tensor_split.sections", x, 0, code="nac_run_argument")
    refuse("aten.tensor_split.sections", x, 2, 2, code="nac_run_axis")
    for rest in (([1, 3],), ([2], 1), ([3, 1],), ([-1, 9],)):
        row("aten.tensor_split.indices", x, *rest)
    refuse("aten.tensor_split.indices", x, [1], 2, code="nac_run_axis")
    row("aten.meshgrid.default", [noise(2), noise(3)])
    row("aten.meshgrid.default", [tensor(1.0), noise(2)])
    row("aten.meshgrid.indexing", [noise(2), noise(3), noise(1)], indexing="ij")
    row("aten.meshgrid.indexing", [noise(2), noise(3), noise(2)], indexing="xy")
    refuse("aten.meshgrid.default", [noise(2, 2), noise(3)], code="nac_run_shape")
    refuse("aten.meshgrid.default", [noise(2), noise(3, dtype=f64)], code="nac_run_type")
    for rest in ((2,), (2, 1), (3, -2), (0,)):
        row("aten.repeat_interleave.self_int", x, *rest)
    refuse("aten.repeat_interleave.self_int", x, -1)
    refuse("aten.repeat_interleave.self_int", x, 2, 2, code="nac_run_axis")
    row("aten.repeat_interleave.self_Tensor", x, tensor([1, 0, 2, 1], i64), 0)
    row("aten.repeat_interleave.self_Tensor", x, tensor([2], i64), 1)
    row("aten.repeat_interleave.self_Tensor", noise(3), tensor([1, 2, 0], i32))
    refuse("aten.repeat_interleave.self_Tensor", x, tensor([1, 2], i64), 0)
    refuse("aten.repeat_interleave.self_Tensor", x, tensor([1, -2, 0, 0], i64), 0)
    row("aten.repeat_interleave.Tensor", tensor([2, 0, 3], i64))
    row("aten.repeat_interleave.Tensor", tensor([1, 1], i32))
    refuse("aten.repeat_interleave.Tensor", tensor([-1], i64))
    refuse("aten.repeat_interleave.Tensor", noise(2), code="nac_run_type")
    row("aten.eye.default", 3)
    row("aten.eye.default", 0)
    row("aten.eye.m", 2, 3)
    row("aten.eye.m", 3, 2, dtype=i64)
    refuse("aten.eye.default", -1, code="nac_run_shape")
    for name, order in (("empty_strided", [1, 2]), ("empty_permuted", [1, 0])):
        for t in every:
            fixed(f"aten.{name}.default", [[2, 1], order, t], empty(2, 1, dtype=t))
        fixed(f"aten.{name}.default", [[0, 2], order], empty(0, 2))
        fixed(f"aten.{name}.default", [[-1, 2], order], "error nac_run_shape")
    fixed("aten.sym_numel.default", [x], "=i64:12")
    fixed("aten.sym_numel.default", ["text"], "error")
    refuse("aten.item.default", noise(2), code="nac_run_shape")
    row("aten.item.default", tensor([[2.5]]))
    refuse("aten._local_scalar_dense.default", empty(0), code="nac_run_shape")
    fixed("aten._assert_tensor_metadata.default", [x, [4, 3]], x)
    fixed("aten._assert_tensor_metadata.default", [x, None, None, "float32"], x)
    fixed("aten._assert_tensor_metadata.default", [x, [4, 3], [3, 1], "float32", "cpu", "strided"], x)
    fixed("aten._assert_tensor_metadata.default", [x, [3, 4]], "error nac_run_shape")
    fixed("aten._assert_tensor_metadata.default", [x, None, None, "int64"], "error nac_run_type")
    fixed("aten._assert_scalar.default", [Num(True), "holds"], "=bool:1")
    fixed("aten._assert_scalar.default", [tensor(1.0), "holds"], tensor(1.0))
    fixed("aten._assert_scalar.default", [tensor(0.0), "doesn't hold"], "error nac_run_argument")
    # ---- operators of Python, of numbers and tensors
    for name, python in (("ge", operator.ge), ("le", operator.le), ("gt", operator.gt), ("lt", operator.lt),
                         ("eq", operator.eq), ("ne", operator.ne), ("add", operator.add), ("sub", operator.sub),
                         ("mul", operator.mul), ("truediv", operator.truediv), ("pow", operator.pow),
                         ("floordiv", operator.floordiv), ("mod", operator.mod)):
        for word in ((name, f"_operator.{name}") if name not in ("mul", "truediv", "pow", "floordiv", "mod") else (f"_operator.{name}",)):
            meanings[word] = python
            row(word, noise(3, low=1), 2)
            row(word, noise(3, low=1), noise(3, low=1))
    for word in ("neg", "_operator.neg"):
        meanings[word] = operator.neg
        row(word, noise(3))


# ---- networks


def wrong(name, *args):
    """A row that PyTorch should refuse, but may read other memory for."""
    fixed(name, list(args), "error")


def recurrent_parameters(gates, size, inputs, layers=1, directions=1, bias=True, project=0,
                         dtype=f32):
    hidden = project or size
    out = []
    for level in range(layers):
        for _ in range(directions):
            columns = inputs if level == 0 else hidden * directions
            out += [noise(gates * size, columns, dtype=dtype), noise(gates * size, hidden, dtype=dtype)]
            if bias:
                out += [noise(gates * size, dtype=dtype), noise(gates * size, dtype=dtype)]
            if project:
                out.append(noise(project, size, dtype=dtype))
    return out


def recurrent():
    tolerance(32, 4, largest=True)
    networks = (("aten.lstm.input", 4), ("aten.gru.input", 3), ("aten.rnn_tanh.input", 1),
                ("aten.rnn_relu.input", 1))
    for name, gates in networks:
        def states(layers, rows, size, project=0, dtype=f32):
            h = noise(layers, rows, project or size, dtype=dtype)
            return [h, noise(layers, rows, size, dtype=dtype)] if gates == 4 else h

        def run(x, h, parameters, *rest, way=row):
            way(name, x, h, parameters, *rest)

        def parameters(*args, **kw):
            return recurrent_parameters(gates, *args, **kw)

        one = (True, 1, 0.0, False, False, False)
        x = noise(3, 2, 2)
        # PyTorch computes some of these in integers.
        for t in every:
            run(x.to(t), states(1, 2, 2, dtype=t), parameters(2, 2, dtype=t), *one,
                way=row if t.is_floating_point else wrong)
        run(x, states(1, 2, 3), parameters(3, 2, bias=False), False, 1, 0.0, False, False, False)
        run(x, states(2, 2, 2), parameters(2, 2, layers=2), True, 2, 0.0, False, False, False)
        run(x, states(2, 2, 2), parameters(2, 2, directions=2), True, 1, 0.0, False, True, False)
        run(noise(2, 3, 2), states(4, 2, 1), parameters(1, 2, layers=2, directions=2), True, 2, 0.5,
            False, True, True)
        run(noise(2, 1, 2), states(1, 2, 2), parameters(2, 2), True, 1, 0.0, False, False, True)
        run(noise(1, 1, 1), states(1, 1, 1), parameters(1, 1), *one)
        run(empty(3, 0, 2), states(1, 0, 2), parameters(2, 2), *one)
        run(x, states(1, 2, 2), parameters(2, 2), True, 1, 0.0, True, False, False)
        run(tensor([[[nan, 1]], [[inf, -inf]]]), states(1, 1, 1), parameters(1, 2), *one)
        run(empty(0, 2, 2), states(1, 2, 2), parameters(2, 2), *one, way=refuse)
        run(noise(2, 2), states(1, 2, 2), parameters(2, 2), *one, way=wrong)
        run(x, states(1, 2, 2), parameters(2, 3), *one, way=wrong)
        run(x, states(1, 3, 2), parameters(2, 2), *one, way=wrong)
        run(x, states(2, 2, 2), parameters(2, 2), *one, way=wrong)
        run(x, states(1, 2, 2), parameters(2, 2)[:3], *one, way=refuse)
        run(x, states(1, 2, 2), parameters(2, 2), True, 2, 0.0, False, False, False, way=refuse)
        run(x, states(1, 2, 2), parameters(2, 2), True, 0, 0.0, False, False, False, way=refuse)
        run(x, states(1, 2, 2), parameters(2, 2, dtype=f64), *one, way=refuse)
        fixed(name, [x, states(1, 2, 2), parameters(2, 2), True, 1, 0.5, True, False, False],
              "error nac_run_argument")
        if gates == 4:
            for directions in (1, 2):
                run(x, states(directions, 2, 3, 2), parameters(3, 2, directions=directions, project=2),
                    True, 1, 0.0, False, directions == 2, False)
            run(x, states(2, 2, 3, 1), parameters(3, 2, layers=2, bias=False, project=1), False, 2,
                0.0, False, False, False)
    for name, gates in (("aten.gru_cell.default", 3), ("aten.rnn_tanh_cell.default", 1),
                        ("aten.rnn_relu_cell.default", 1)):
        cell = [noise(2, 3), noise(2, 2), noise(2 * gates, 3), noise(2 * gates, 2)]
        biases = [noise(2 * gates), noise(2 * gates)]
        for t in every:
            (row if t.is_floating_point else wrong)(name, *[a.to(t) for a in cell + biases])
        row(name, *cell)
        row(name, *cell, *biases)
        row(name, noise(1, 2), noise(1, 1), noise(gates, 2), noise(gates, 1))
        row(name, empty(0, 3), empty(0, 2), *cell[2:])
        refuse(name, noise(2, 2), *cell[1:])
        refuse(name, cell[0], noise(3, 2), *cell[2:])
        refuse(name, *cell[:2], noise(2 * gates + 1, 3), cell[3])
        refuse(name, *cell[:3], noise(2 * gates, 3))
        refuse(name, *cell, noise(3), biases[1])


def norms():
    tolerance(32, 2, largest=True)
    x = noise(2, 2, 3)
    w, b, mean, var = noise(2), noise(2), noise(2), noise(2, low=0.5, high=3)
    batch, legit = "aten.native_batch_norm.default", "aten._native_batch_norm_legit.default"
    no_stats = "aten._native_batch_norm_legit.no_stats"
    functional = "aten._native_batch_norm_legit_functional.default"
    for name in (batch, legit, functional):
        for training in (False, True):
            for t in every:
                if not t.is_floating_point:
                    if not training:
                        either(name, x.to(t), *[v.to(t) for v in (w, b, mean, var)], training, 0.1, 1e-5)
                    continue
                row(name, x.to(t), *[v.to(t) for v in (w, b, mean, var)], training, 0.1, 1e-5)
            row(name, x, None, None, mean, var, training, 0.25, 0.5)
            row(name, noise(3, 2), w, b, mean, var, training, 0.1, 1e-5)
            row(name, noise(2, 2, 2, 2), w, None, mean, var, training, 0.1, 1e-5)
            row(name, x.to(f16), w, b, mean, var, training, 0.1, 1e-5)
        refuse(name, noise(2), w, b, mean, var, False, 0.1, 1e-5)
        fixed(name, [x, noise(3), b, mean, var, False, 0.1, 1e-5], "error")
        fixed(name, [x, w, b, noise(3), var, True, 0.1, 1e-5], "error")
    row(batch, x, w, b, None, None, True, 0.1, 1e-5)
    # PyTorch crashes.
    fixed(batch, [x, w, b, None, None, False, 0.1, 1e-5], "error nac_run_argument")
    for t in (f32, f64, i64):
        either(no_stats, x.to(t), w.to(t), b.to(t), True, 0.1, 1e-5)
    row(no_stats, x, None, None, True, 0.1, 1e-5)
    row(no_stats, noise(3, 2), w, None, True, 0.1, 0.5)
    fixed(no_stats, [x, w, b, False, 0.1, 1e-5], "error nac_run_argument")
    refuse(no_stats, noise(2), None, None, True, 0.1, 1e-5)
    name = "aten.instance_norm.default"
    for t in every:
        either(name, x.to(t), w.to(t), b.to(t), None, None, True, 0.1, 1e-5, False)
    row(name, x, None, None, None, None, True, 0.1, 1e-5, True)
    row(name, noise(1, 2, 2, 2), w, b, None, None, True, 0.1, 0.5, True)
    row(name, x, w, b, mean, var, False, 0.1, 1e-5, True)
    row(name, x, None, None, mean, var, True, 0.1, 1e-5, True)
    refuse(name, x, w, b, None, None, False, 0.1, 1e-5, True)
    refuse(name, x, noise(3), b, None, None, True, 0.1, 1e-5, True)
    name = "aten.native_group_norm.default"
    x = noise(2, 4, 3)
    w, b = noise(4), noise(4)
    for t in every:
        either(name, x.to(t), w.to(t), b.to(t), 2, 4, 3, 2, 1e-5)
    for t in (f16, bf16):
        row(name, x.to(t), w, b, 2, 4, 3, 2, 1e-5)
    row(name, x, None, None, 2, 4, 3, 1, 1e-5)
    row(name, x, w, None, 2, 4, 3, 4, 0.5)
    row(name, noise(1, 2, 2, 2), None, noise(2), 1, 2, 4, 2, 1e-5)
    refuse(name, x, w, b, 2, 4, 3, 3, 1e-5)
    refuse(name, x, w, b, 2, 4, 3, 0, 1e-5)
    refuse(name, x, noise(3), b, 2, 4, 3, 2, 1e-5)
    fixed(name, [x, w, b, 2, 4, 2, 2, 1e-5], "error")
    rms, fused = "aten.rms_norm.default", "aten._fused_rms_norm.default"
    x = noise(2, 2, 3)
    for t in every:
        either(rms, x.to(t), [3])
        either(rms, x.to(t), [3], noise(3, dtype=t), 1e-5)
        either(fused, x.to(t), [3], noise(3, dtype=t), 1e-5)
    row(rms, x, [2, 3], noise(2, 3))
    row(rms, x, [3], None, 0.5)
    row(rms, x.to(bf16), [3], noise(3))
    row(rms, empty(2, 3), [3])
    row(rms, empty(0, 3), [3])
    row(fused, x, [2, 3], None, 0.5)
    row(fused, x, [3], None, None)
    row(fused, empty(0, 3), [3], None, None)
    for name, rest, way in ((rms, (), refuse), (fused, (None, None), wrong)):
        way(name, x, [2], *rest)
        way(name, x, [], *rest)
        way(name, tensor(1.0), [1], *rest)
    refuse(rms, x, [3], noise(2))
    weight, interface = "aten._weight_norm.default", "aten._weight_norm_interface.default"
    v = noise(2, 3, 2)
    for name in (weight, interface):
        for t in floats:
            either(name, v.to(t), noise(2, 1, 1, dtype=t), 0)
        row(name, v, noise(2, 1, 1))
        row(name, v, noise(1, 1, 2), 2)
        row(name, noise(3), noise(3), 0)
        row(name, empty(1, 2), noise(1, 1), 0)
        refuse(name, v, noise(2, 1, 1), 3)
        wrong(name, v, noise(5, 2, 1), 0)
    row(weight, v, noise(1, 3, 1), 1)
    row(weight, v, tensor(2.0), -1)
    refuse(interface, v, noise(1, 3, 1), 1)
    fixed(weight, [v.to(i64), noise(2, 1, 1, dtype=i64), 0], "error nac_run_type")
    fixed(interface, [v.to(i64), noise(2, 1, 1, dtype=i64), 0], "error nac_run_type")
    name = "aten.native_dropout.default"
    for t in every:
        row(name, noise(2, dtype=t), 0.5, False)
    row(name, noise(2), 0.0, True)


def attentions():
    tolerance(32, 4, largest=True)
    name = "aten._safe_softmax.default"
    for t in every:
        either(name, noise(2, 3, dtype=t), -1)
    row(name, tensor([[-inf, -inf], [1, 2]]), -1)
    row(name, tensor([[-inf, 1], [-inf, -inf]]), 0)
    row(name, tensor([[nan, 1], [inf, -inf]]), 1)
    row(name, noise(2, 2, dtype=i64), 1, f32)
    row(name, tensor(3.0), 0)
    row(name, empty(0, 2), 1)
    row(name, empty(2, 0), 1)
    refuse(name, noise(2), 1)
    name = "aten._scaled_dot_product_flash_attention_for_cpu.default"
    q, k, v = noise(1, 2, 3, 4), noise(1, 2, 3, 4), noise(1, 2, 3, 4)
    for t in every:
        either(name, *[x.to(t) for x in (q, k, v)])
    row(name, q, k, v, 0.0, True)
    row(name, q, k, v, 0.0, False, attn_mask=noise(3, 3))
    row(name, q, k, v, 0.0, False, attn_mask=noise(1, 1, 3, 3), scale=0.5)
    row(name, q, k, v, attn_mask=noise(3, 3))
    row(name, q, k, v, attn_mask=noise(3, 3), scale=2.0)
    row(name, q, k, v, 0.0, False, attn_mask=tensor([[-inf] * 3, [0, 0, -inf], [0, 1, 2]]))
    row(name, q, k, v, 0.0, True, attn_mask=None, scale=2.0)
    row(name, noise(2, 1, 2, 2), noise(2, 1, 3, 2), noise(2, 1, 3, 2))
    refuse(name, q, k, v, 0.5)
    refuse(name, noise(2, 3, 2), noise(2, 3, 2), noise(2, 3, 2))
    refuse(name, q, k.to(f64), v)
    refuse(name, q, noise(1, 2, 3, 2), v)
    cpu = torch_operator(name)
    # These don't run on a CPU, but mean the same.
    flash = "aten._scaled_dot_product_flash_attention.default"
    efficient = "aten._scaled_dot_product_efficient_attention.default"
    fixed(flash, [q, k, v], list(cpu(q, k, v)))
    fixed(flash, [q, k, v, 0.0, True, False, 0.5], list(cpu(q, k, v, 0.0, True, scale=0.5)))
    fixed(flash, [q, k, v, 0.5], "error nac_run_argument")
    fixed(efficient, [q, k, v, None, True], list(cpu(q, k, v)))
    mask = noise(1, 2, 3, 3)
    fixed(efficient, [q, k, v, mask, False, 0.0, False, 2.0],
          list(cpu(q, k, v, attn_mask=mask, scale=2.0)))
    fixed(efficient, [q, k, v, None, False, 0.0, True], list(cpu(q, k, v, 0.0, True)))
    fixed(efficient, [q, k, v, None, False, 0.5], "error nac_run_argument")


def bags():
    tolerance(4, 2, largest=True)
    table, indices, offsets = noise(6, 2), tensor([1, 2, 4, 5, 4, 3], i64), tensor([0, 2, 2], i64)

    # Of the results the first; the others are there for training.
    def bag(name, *args, way=fixed):
        if way is refuse:
            return refuse(name, *args)
        try:
            result = [torch_operator(name)(*args)[0]]
        except Exception:
            result = "error"
        fixed(name, list(args), result)

    plain_bag, padded = "aten.embedding_bag.default", "aten.embedding_bag.padding_idx"
    forward, only = "aten._embedding_bag.default", "aten._embedding_bag_forward_only.default"
    for t in every:
        bag(plain_bag, table.to(t), indices, offsets)
    for t in (i32, i16, f32):
        bag(plain_bag, table, indices.to(t), offsets.to(t))
    for m in range(3):
        for name in (plain_bag, forward, only):
            bag(name, table, indices, offsets, False, m)
            bag(name, table, indices, tensor([0, 2, 2, 6], i64), False, m, False, None, True)
        for p in (None, 4, -2):
            bag(padded, table, indices, offsets, False, m, False, None, False, p)
        for p in (-1, 4):
            bag(forward, table, indices, offsets, False, m, False, None, False, p)
        bag(plain_bag, table, empty(0, dtype=i64), tensor([0, 0], i64), False, m)
    bag(plain_bag, table, indices, offsets, False, 0, False, noise(6))
    bag(padded, table, indices, offsets, False, 0, False, noise(6), False, 4)
    for name in (plain_bag, forward):
        bag(name, table, tensor([6], i64), tensor([0], i64), way=refuse)
        bag(name, table, tensor([-1], i64), tensor([0], i64), way=refuse)
        bag(name, table, indices, tensor([1], i64), way=refuse)
        bag(name, noise(3), indices, offsets, way=refuse)
        bag(name, table, indices, offsets, False, 1, False, noise(6), way=refuse)
        bag(name, table, indices, offsets, False, 0, False, noise(5), way=refuse)
    fixed(plain_bag, [table, indices, tensor([0, 4, 2], i64)], "error nac_run_argument")
    bag(padded, table, indices, offsets, False, 0, False, None, False, 6, way=refuse)


def networks():
    begin("networks")
    torch.manual_seed(43)
    recurrent()
    norms()
    attentions()
    bags()


# ---- algebra


def algebra():
    begin("algebra")
    torch.manual_seed(41)
    tolerance(16, 4, largest=True)
    for t in every:
        for name in ("aten.dot.default", "aten.vdot.default"):
            either(name, noise(3, dtype=t), noise(3, dtype=t))
        either("aten.mv.default", noise(2, 3, dtype=t), noise(3, dtype=t))
        either("aten.addmv.default", noise(2, dtype=t), noise(2, 3, dtype=t), noise(3, dtype=t))
        if t != boolean:
            either("aten.addr.default", noise(2, 3, dtype=t), noise(2, dtype=t), noise(3, dtype=t))
        either("aten.addbmm.default", noise(2, 2, dtype=t), noise(2, 2, 3, dtype=t),
               noise(2, 3, 2, dtype=t))
        either("aten.kron.default", noise(2, dtype=t), noise(2, 2, dtype=t))
        either("aten.tensordot.default", noise(2, 3, dtype=t), noise(3, 2, dtype=t), [1], [0])
        either("aten.linalg_multi_dot.default", [noise(2, 3, dtype=t), noise(3, 2, dtype=t)])
        if t.is_floating_point:
            either("aten.bilinear.default", noise(2, 2, dtype=t), noise(2, 3, dtype=t),
                   noise(2, 2, 3, dtype=t), noise(2, dtype=t))
        either("aten.ger.default", noise(2, dtype=t), noise(3, dtype=t))
        for name in ("aten.cross.default", "aten.linalg_cross.default"):
            if t != boolean:
                either(name, noise(2, 3, dtype=t), noise(2, 3, dtype=t))
    for name in ("aten.dot.default", "aten.vdot.default"):
        row(name, empty(0), empty(0))
        refuse(name, noise(2), noise(3))
        refuse(name, noise(2, 2), noise(2))
        refuse(name, noise(2), noise(2, dtype=f64))
    row("aten.mv.default", empty(2, 0), empty(0))
    refuse("aten.mv.default", noise(2, 3), noise(2))
    refuse("aten.mv.default", noise(3), noise(3))
    name = "aten.addmv.default"
    for c in ((2,), (1,), ()):
        row(name, noise(*c), noise(2, 3), noise(3), beta=0.5, alpha=2)
    row(name, tensor([nan, inf]), noise(2, 3), noise(3), beta=0)
    refuse(name, noise(3), noise(2, 3), noise(3))
    refuse(name, noise(2), noise(2, 3), noise(2))
    name = "aten.addr.default"
    for c in ((2, 3), (3,), (2, 1), ()):
        row(name, noise(*c), noise(2), noise(3), beta=0.5, alpha=2)
    refuse(name, noise(2, 2), noise(2), noise(3))
    refuse(name, noise(2, 3), noise(2, 1), noise(3))
    name = "aten.addbmm.default"
    row(name, noise(2), noise(3, 1, 2), noise(3, 2, 2), beta=0.5, alpha=2)
    row(name, noise(1, 1), empty(0, 1, 2), empty(0, 2, 2))
    refuse(name, noise(2, 2), noise(2, 2, 3), noise(3, 3, 2))
    refuse(name, noise(3, 3), noise(2, 2, 3), noise(2, 3, 2))
    name = "aten.kron.default"
    for a, b in (((2, 2), (2, 3)), ((), (2,)), ((2,), ()), ((2, 1, 2), (3,)), ((0,), (2,))):
        row(name, noise(*a), noise(*b))
    row(name, noise(2, dtype=i32), noise(2))
    fixed(name, [noise(2), "x"], "error")
    name = "aten.tensordot.default"
    for a, b, i, j in (((2, 3, 2), (2, 3), [1, 0], [1, 0]), ((2, 3), (2,), [0], [-1]),
                       ((2,), (3,), [], []), ((2, 3), (2, 3), [0, 1], [0, 1]),
                       ((2, 0), (0, 3), [1], [0]), ((3, 2, 2), (2, 2), [-1], [0])):
        row(name, noise(*a), noise(*b), i, j)
    refuse(name, noise(2, 3), noise(2, 3), [1], [0])
    refuse(name, noise(2, 3), noise(2, 3), [0, 1], [0])
    refuse(name, noise(2, 2), noise(2, 2), [0, 0], [0, 1])
    refuse(name, noise(2, 3), noise(2, 3), [2], [0])
    dots, chain = "aten.linalg_multi_dot.default", "aten.chain_matmul.default"
    row(dots, [noise(2), noise(2, 3), noise(3)])
    row(dots, [noise(1, 2), noise(2, 3), noise(3, 1), noise(1, 2)])
    refuse(dots, [noise(2, 3)])
    refuse(dots, [noise(2, 3), noise(2, 3)])
    refuse(dots, [noise(2, 3), noise(3), noise(3, 1)])
    row(chain, [noise(2, 3), noise(3, 2), noise(2, 1)])
    refuse(chain, [noise(2, 3), noise(2, 2)])
    name = "aten.bilinear.default"
    row(name, noise(2), noise(3), noise(2, 2, 3))
    row(name, noise(2, 1, 2), noise(2, 1, 3), noise(1, 2, 3), noise(1))
    row(name, noise(2, 2), noise(2, 3), noise(2, 2, 3), None)
    refuse(name, noise(2, 2), noise(3, 3), noise(2, 2, 3))
    refuse(name, noise(2, 2), noise(2, 2), noise(2, 2, 3))
    refuse(name, noise(2, 2), noise(2, 3), noise(2, 3))
    cross, linalg_cross = "aten.cross.default", "aten.linalg_cross.default"
    row(cross, noise(3, 2), noise(3, 2))
    row(cross, noise(3, 3), noise(3, 3), 1)
    row(cross, noise(2, 3), noise(2, 3), -1)
    row(linalg_cross, noise(3, 2), noise(3, 2), dim=0)
    row(linalg_cross, noise(1, 3), noise(2, 3))
    row(linalg_cross, empty(0, 3), empty(0, 3))
    for name in (cross, linalg_cross):
        refuse(name, noise(2, 2), noise(2, 2))
        refuse(name, noise(2, 3), noise(3))
    refuse(cross, noise(2, 3), noise(2, 3), 0)
    refuse(cross, noise(2, 3), noise(2, 3), 2)

    distance, cdist_forward = "aten.cdist.default", "aten._cdist_forward.default"
    pairs, pdist_forward = "aten.pdist.default", "aten._pdist_forward.default"
    for t in every:
        either(distance, noise(2, 3, dtype=t), noise(3, 3, dtype=t))
        either(pdist_forward, noise(3, 2, dtype=t))
    for p in (0.0, 0.5, 1.0, 2.0, 3.0, inf):
        row(distance, noise(2, 2), noise(3, 2), p)
        row(cdist_forward, noise(1, 2, 2), noise(1, 1, 2), p, None)
        row(pairs, noise(3, 2), p)
        row(pdist_forward, noise(3, 2), p)
    row(distance, noise(2, 2, 2), noise(1, 3, 2), 2.0, 1)
    for a, b in (((2, 0), (3, 0)), ((0, 2), (3, 2))):
        for p in (1.0, 2.0, inf):
            row(distance, empty(*a), empty(*b), p)
    row(pairs, noise(1, 2))
    row(pairs, empty(0, 2))
    row(pairs, empty(3, 0))
    refuse(distance, noise(2, 3), noise(2, 2))
    refuse(distance, noise(3), noise(2, 3))
    refuse(distance, noise(2, 3), noise(2, 3), -1.0)
    refuse(cdist_forward, noise(2, 3), noise(2, 2), 2.0, None)
    refuse(pairs, noise(2, 2, 2))
    wrong(pdist_forward, noise(2, 2, 2))
    refuse(pairs, noise(2, 2), -1.0)

    tolerance(256, 4, largest=True)
    det, old_det = "aten.linalg_det.default", "aten.det.default"
    inverse, old_inverse = "aten.linalg_inv.default", "aten.inverse.default"
    inverse_ex, solve = "aten.linalg_inv_ex.default", "aten.linalg_solve.default"
    lower, triangular = "aten.linalg_cholesky.default", "aten.linalg_solve_triangular.default"

    def matrix(*shape, dtype=f32):
        return noise(*shape, dtype=dtype) + (3 * torch.eye(shape[-1])).to(dtype)

    def positive(*shape, dtype=f32):
        a = noise(*shape).double()
        return (a @ a.mT + torch.eye(shape[-1])).to(dtype)

    for t in every:
        for name in (det, old_det, inverse, old_inverse, inverse_ex):
            either(name, matrix(2, 2, dtype=t))
        either(solve, matrix(2, 2, dtype=t), noise(2, 2, dtype=t))
        either(triangular, matrix(2, 2, dtype=t), noise(2, 1, dtype=t), upper=True)
        either(lower, positive(2, 2, dtype=t))
    for name in (det, inverse, inverse_ex, lower):
        make = positive if name == lower else matrix
        for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0), (0, 2, 2)):
            row(name, make(*shape))
        refuse(name, noise(2, 3))
        refuse(name, noise(2))
    row(det, tensor([[0.0, 2], [3, 4]]))
    row(det, tensor([[1.0, 2], [2, 4]]))
    row(inverse, tensor([[0.0, 2], [4, 0]]))
    refuse(old_inverse, noise(2, 3))
    refuse(inverse, tensor([[1.0, 2], [2, 4]]), code="nac_run_argument")
    refuse(inverse_ex, tensor([[1.0, 2], [2, 4]]), check_errors=True)
    for a, b in (((3, 3), (3,)), ((2, 2, 2), (2, 2)), ((2, 2, 2), (2, 2, 3)), ((2, 2), (3, 2, 1)),
                 ((1, 2, 2), (2, 2, 1)), ((0, 0), (0, 2)), ((2, 2), (2, 0))):
        row(solve, matrix(*a), noise(*b))
    row(solve, matrix(2, 2), noise(3, 2), left=False)
    refuse(solve, matrix(2, 2), noise(3, 2))
    refuse(solve, tensor([[1.0, 2], [2, 4]]), noise(2))
    refuse(solve, noise(2, 3), noise(2))
    for upper in (True, False):
        for left in (True, False):
            row(triangular, matrix(2, 2), noise(2, 2), upper=upper, left=left)
        row(triangular, matrix(2, 3, 3), noise(3, 2), upper=upper, left=True, unitriangular=True)
    refuse(triangular, noise(2, 3), noise(2, 1), upper=True)
    refuse(triangular, matrix(2, 2), noise(3, 1), upper=True)
    for upper in (True, False):
        row(lower, positive(3, 3), upper=upper)
        row("aten.cholesky.default", positive(2, 2), upper)
    refuse(lower, tensor([[1.0, 2], [2, 1]]))
    refuse("aten.cholesky.default", tensor([[-1.0]]))


# ---- fourier


def complex_noise(*shape, dtype=f32):
    return torch.view_as_complex(noise(*shape, 2, dtype=dtype))


def fourier():
    begin("fourier")
    torch.manual_seed(42)
    tolerance(8, 4, largest=True)
    one = [f"aten.fft_{n}.default" for n in ("fft", "ifft", "rfft", "irfft")]
    many = [f"aten.fft_{n}.default" for n in ("fft2", "ifft2", "rfft2", "irfft2")]
    whole = [f"aten.fft_{n}.default" for n in ("fftn", "ifftn", "rfftn", "irfftn")]
    for name in one:
        real = "rfft" in name and "irfft" not in name
        make = noise if real else complex_noise
        for t in every:
            either(name, noise(3, dtype=t))
        for n in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12):
            if "irfft" not in name or n > 1:
                row(name, make(n))
        row(name, make(2, 3, dtype=f64))
        row(name, make(4), 3)
        row(name, make(3), 5)
        row(name, make(3, 2), None, 0)
        row(name, make(2, 3, 2), 4, 1, "ortho")
        row(name, make(2, 3), None, -1, "forward")
        row(name, make(2, 3), None, -1, "backward")
        refuse(name, tensor(1.0))
        refuse(name, noise(3), 0)
        refuse(name, empty(0))
        refuse(name, noise(3), None, 1)
        refuse(name, noise(3), None, -1, "other")
        if real:
            refuse(name, complex_noise(3))
    for name in many + whole:
        real = "rfft" in name and "irfft" not in name
        make = noise if real else complex_noise
        row(name, make(2, 3))
        row(name, noise(3, 2, 4))
        row(name, make(2, 3), [3, 2])
        row(name, make(2, 3), [-1, 4], [0, 1], "ortho")
        row(name, make(3, 2, 2), None, [0, 2], "forward")
        row(name, make(2, 3), None, [1, 0])
        row(name, make(2, 3, dtype=f64), [2], [0])
        row(name, noise(2, 2, dtype=i64))
        refuse(name, noise(2, 3), [2], [0, 1])
        refuse(name, noise(2, 3), None, [0, 0])
        refuse(name, noise(2, 3), None, [2])
        if name in many:
            refuse(name, noise(3))
        else:
            row(name, make(3))
            row(name, make(2, 3), [3])
            refuse(name, noise(3), [2, 2])
    r2c, c2r, c2c = "aten._fft_r2c.default", "aten._fft_c2r.default", "aten._fft_c2c.default"
    for norm in range(3):
        row(r2c, noise(2, 4), [1], norm, True)
        row(c2r, complex_noise(2, 3), [1], norm, 4)
        row(c2c, complex_noise(2, 3), [0, 1], norm, norm != 1)
    row(r2c, noise(2, 3), [0, 1], 0, False)
    row(r2c, noise(2, 3), [0, 1], 0, True)
    row(c2r, complex_noise(2, 3), [0, 1], 2, 5)
    row(c2c, complex_noise(4, dtype=f64), [0], 0, False)
    refuse(r2c, noise(2, 3, dtype=i64), [0], 0, True)
    refuse(c2r, complex_noise(2, 3), [1], 0, 0)
    refuse(c2c, complex_noise(2, 3), [2], 0, True)
    for name in ("aten.fft_fftshift.default", "aten.fft_ifftshift.default"):
        for t in every:
            row(name, noise(5, dtype=t))
        row(name, noise(2, 3))
        row(name, complex_noise(3, 2))
        row(name, noise(2, 3), [1])
        row(name, empty(0, 2))
        refuse(name, noise(2, 3), [2])
    tolerance(4, 2, largest=True)
    for name in ("aten.hann_window.default", "aten.hamming_window.default",
                 "aten.blackman_window.default", "aten.bartlett_window.default",
                 "aten.hann_window.periodic"):
        rest = [True] if "periodic" in name else []
        for n in (0, 1, 2, 5, 8):
            row(name, n, *rest)
        if rest:
            for n in (1, 2, 5):
                row(name, n, False)
        for t in (f64, f16, bf16):
            row(name, 4, *rest, dtype=t)
        refuse(name, 4, *rest, dtype=i64)
        refuse(name, -1, *rest)
        fixed(name, [4, *rest, "float32", None, "cpu", False],
              torch_operator(name)(4, *rest))
    tolerance(16, 4, largest=True)
    name, x = "aten.stft.default", noise(12)
    row(name, x, 4, None, None, None, False, None, True)
    row(name, x, 4, 2, None, noise(4), False, True, True)
    row(name, x, 5, 3, 3, noise(3), True, True, True)
    row(name, noise(2, 9), 4, 2, 4, torch.hann_window(4), False, False, True)
    row(name, noise(2, 9), 4, 2, 4, torch.hann_window(4), False, True, False)
    row(name, noise(8, dtype=f64), 8, 1, 2, noise(2, dtype=f64), True, None, True)
    refuse(name, x, 4)
    refuse(name, x, 13, None, None, None, False, None, True)
    refuse(name, x, 4, 0, None, None, False, None, True)
    refuse(name, x, 4, None, 5, None, False, None, True)
    refuse(name, x, 4, None, None, noise(3), False, None, True)
    refuse(name, noise(2, 2, 9), 4, None, None, None, False, None, True)
    refuse(name, noise(9, dtype=i64), 4, None, None, None, False, None, True)
    tolerance(4, 2, largest=True)
    z = complex_noise(2, 3)
    for t in every:
        either("aten.view_as_complex.default", noise(2, 2, dtype=t)) if t != f16 else None
        row("aten.real.default", noise(2, dtype=t))
        if t != f16:
            either("aten.complex.default", noise(2, dtype=t), noise(2, dtype=t))
    fixed("aten.view_as_complex.default", [noise(2, 2, dtype=f16)], "error nac_run_type")
    refuse("aten.view_as_complex.default", noise(2, 3))
    refuse("aten.view_as_complex.default", tensor(1.0))
    row("aten.view_as_complex.default", empty(0, 2))
    row("aten.complex.default", noise(2, 1), noise(3))
    refuse("aten.complex.default", noise(2), noise(3))
    refuse("aten.complex.default", noise(2), noise(2, dtype=f64))
    for name in ("aten.view_as_real.default", "aten.imag.default"):
        row(name, z)
        row(name, complex_noise(1, dtype=f64))
        refuse(name, noise(2))
    row("aten.real.default", z)
    row("aten.abs.default", z)
    row("aten.abs.default", complex_noise(2, dtype=f64))
    row("nac.mul", z, complex_noise(3))
    row("nac.mul", z, noise(2, 1))
    row("nac.mul", z, 2.5)
    row("nac.clone", z)
    # PyTorch has complex numbers here.
    fixed("aten.real.default", [2.0], "error")
    for name in ("aten.relu.default", "aten.tanh.default", "aten.sort.default"):
        fixed(name, [z], "error nac_run_kind")


def random():
    """Results that are random are left to tests/vm/nac/random.cpp."""
    begin("random")
    torch.manual_seed(44)
    tolerance(1, 1)
    for t in every:
        row("aten.dropout.default", noise(2, 3, dtype=t), 0.5, False)
        row("aten.bernoulli.p", noise(2, 3, dtype=t), 1.0)
        either("aten.rand_like.default", noise(0, 2, dtype=t))
        either("aten.bernoulli.default", tensor([0, 1, 1], t))
        either("aten.uniform.default", noise(2, 2, dtype=t), 3.0, 3.0)
        either("aten.normal_functional.default", noise(2, 2, dtype=t), 2.0, 0.0)
        row("aten.randint_like.low_dtype", noise(2, dtype=t), 0, 1)
        row("aten.randint.low", 0, 1, [2], dtype=t)
    for t in floats:
        row("aten.randn_like.default", noise(0, 2, dtype=t))
    for name in ("aten.rand.default", "aten.randn.default"):
        row(name, [0, 3])
        row(name, [2, 0], dtype=f16)
        refuse(name, [2], dtype=i64, code="nac_run_type")
        refuse(name, [-1], code="nac_run_shape")
    refuse("aten.rand_like.default", count(2, dtype=i64), code="nac_run_type")
    refuse("aten.randn_like.default", count(2, dtype=i64), code="nac_run_type")
    row("aten.randint.default", 1, [2, 2])
    row("aten.randint.default", 1, [2, 2], dtype=f32)
    row("aten.randint.low", -3, -2, [])
    refuse("aten.randint.default", 0, [2], code="nac_run_argument")
    refuse("aten.randint.low", 3, 3, [2], code="nac_run_argument")
    refuse("aten.randint.default", 300, [2], dtype=i8, code="nac_run_argument")
    row("aten.randint_like.default", noise(2, 2), 1)
    row("aten.randint_like.default", noise(2, 2), 1, dtype=i32)
    refuse("aten.randint_like.default", noise(2, 2), 0, code="nac_run_argument")
    row("aten.randperm.default", 1, dtype=f32)
    row("aten.randperm.default", 0)
    row("aten.randperm.default", 1)
    refuse("aten.randperm.default", -1, code="nac_run_argument")
    refuse("aten.uniform.default", noise(2), 2.0, 1.0, code="nac_run_argument")
    row("aten.normal_.default", noise(2, 2), 2.0, 0.0)
    refuse("aten.normal_functional.default", noise(2), 0.0, -1.0, code="nac_run_argument")
    row("aten.normal.Tensor_float", noise(2, 3), 0.0)
    row("aten.normal.float_Tensor", 2.0, empty(3))
    row("aten.normal.Tensor_Tensor", noise(2, 1), empty(3))
    row("aten.normal.Tensor_Tensor", noise(2, 1, dtype=f16), empty(3, dtype=f16))
    row("aten.normal.float_float", 2.5, 0.0, [2, 2])
    row("aten.normal.float_float", 2.5, 0.0, [2, 2], dtype=f64)
    refuse("aten.normal.Tensor_float", noise(2), -1.0, code="nac_run_argument")
    refuse("aten.normal.Tensor_Tensor", noise(2), tensor([1.0, -1]), code="nac_run_argument")
    refuse("aten.normal.Tensor_Tensor", noise(2), noise(3), code="nac_run_shape")
    row("aten.bernoulli.p", noise(2, 3), 0.0)
    row("aten.bernoulli.Tensor", noise(2, 3), tensor([0.0, 1, 1]))
    row("aten.bernoulli_.float", noise(2, 3), 1.0)
    refuse("aten.bernoulli.default", tensor([0.5, 1.5]), code="nac_run_argument")
    refuse("aten.bernoulli.p", noise(2), -0.5, code="nac_run_argument")
    row("aten.multinomial.default", tensor([0.0, 2, 0]), 1)
    row("aten.multinomial.default", tensor([0.0, 2, 0], f16), 3, True)
    row("aten.multinomial.default", tensor([[0.0, 2], [0.5, 0]], f64), 1)
    refuse("aten.multinomial.default", tensor([0.5, 0.5]), 3, code="nac_run_argument")
    refuse("aten.multinomial.default", tensor([0.5, -0.5]), 1, code="nac_run_argument")
    refuse("aten.multinomial.default", tensor([0.0, 0.0]), 1, True, code="nac_run_argument")
    refuse("aten.multinomial.default", tensor([0.5, inf]), 1, code="nac_run_argument")
    refuse("aten.multinomial.default", tensor([1, 2], i64), 1, code="nac_run_type")
    for name in ("aten.dropout.default", "aten.feature_dropout.default"):
        for t in floats:
            row(name, noise(2, 3, 2, dtype=t), 0.0, True)
            row(name, noise(2, 3, 2, dtype=t), 1.0, True)
        row(name, empty(0, 2), 0.5, True)
        # PyTorch's own refusal is in its Python functions.
        fixed(name, [noise(2, 2), 1.5, True], "error nac_run_argument")
    refuse("aten.feature_dropout.default", noise(2), 0.5, True, code="nac_run_shape")
    for t in floats:
        row("aten.native_dropout.default", noise(2, 3, dtype=t), 0.0, True)
        row("aten.native_dropout.default", noise(2, 3, dtype=t), 1.0, None)
        row("aten.native_dropout.default", noise(2, 3, dtype=t), 0.5, False)
    row("aten.native_dropout.default", empty(0, 2), 0.5, True)
    fixed("aten.native_dropout.default", [noise(2, 2), 1.5, True], "error nac_run_argument")


def arithmetic():
    begin("arithmetic")
    torch.manual_seed(23)
    # The same by other names.
    tolerance(4, 1)
    for name in ("special_expit", "special_exp2", "special_expm1", "special_log1p", "special_erf",
                 "special_erfc", "special_logit", "arcsin", "arccos", "arctan", "arcsinh",
                 "arccosh", "arctanh", "absolute", "negative"):
        for t in (f32, f16, i32, boolean):
            either(f"aten.{name}.default", tensor([0, 1, 0.5], t))
    for t in (f32, i32):
        row("aten.arctan2.default", noise(3, dtype=t), noise(3, dtype=t))
        row("aten.atan2.out", noise(3, dtype=t), noise(3, dtype=t), empty(3))
        row("aten.clip.default", noise(4, dtype=t), -1, 1)
        row("aten.clip.Tensor", noise(4, dtype=t), noise(4, dtype=t), noise(4, dtype=t) + 2)
        row("aten.divide.Tensor", noise(3, dtype=t), tensor([2, 4, 3], t))
        row("aten.true_divide.Tensor", noise(3, dtype=t), tensor([2, 4, 3], t))
        row("aten.multiply.Tensor", noise(3, dtype=t), noise(3, dtype=t))
        row("aten.special_sinc.default", noise(3, dtype=t))
        row("aten.special_xlogy.default", noise(3, dtype=t), tensor([2, 4, 3], t))
    unary("aten.sinc.default", types=floats, extra=[-3.5, 0.001, 0.5, 0.25])
    unary("aten.angle.default")
    for name in ("aten.logaddexp.default", "aten.logaddexp2.default"):
        binary(name, types=floats, scalars=False, brief=True)
        for t in floats:
            row(name, tensor([inf, -inf, inf, -inf, 3, nan, 100], t),
                tensor([inf, -inf, -inf, 2, nan, 1, -100], t))
    for name in ("aten.xlogy.Tensor", "aten.special_xlog1py.default"):
        binary(name, scalars=False, brief=True)
        for t in floats:
            row(name, tensor([0, 0, 0, 0, 1, 2, -0.0, nan], t),
                tensor([0, inf, nan, -2, 0, inf, 3, 2], t))
    for t in every:
        either("aten.xlogy.Scalar_Self", 2, values(t))
        either("aten.xlogy.Scalar_Other", values(t), 3)
    row("aten.xlogy.Scalar_Other", noise(3), 0.5)
    for t in every:
        either("aten.glu.default", noise(2, 4, dtype=t))
        either("aten.glu.default", noise(2, 3, dtype=t), 0)
    row("aten.glu.default", noise(2, 2, 4), 1)
    row("aten.glu.default", noise(2, 2, 3), -2)
    row("aten.glu.default", empty(0, 4))
    row("aten.glu.default", empty(0))
    row("aten.glu.default", tensor([inf, -inf, nan, 1, 2, -inf, 3, inf, 0, nan]))
    refuse("aten.glu.default", noise(3), code="nac_run_shape")
    refuse("aten.glu.default", tensor(1.0))
    refuse("aten.glu.default", noise(4), 1, code="nac_run_axis")
    tolerance(0, 0)
    for name in ("isposinf", "isneginf"):
        unary(f"aten.{name}.default")
        fixed(f"aten.{name}.default", [2.0], "error")
    for name in ("fmin", "fmax"):
        binary(f"aten.{name}.default", scalars=False)
        row(f"aten.{name}.default", tensor([nan, 1, nan, inf, -inf]), tensor([1, nan, nan, 2, nan]))
    for name in ("gcd", "lcm"):
        binary(f"aten.{name}.default", types=wholes, scalars=False, brief=True)
        for t in wholes:
            row(f"aten.{name}.default", tensor([12, 18, 0, 7, 0, 35], t),
                tensor([18, 12, 5, 0, 0, 5], t))
        for t in (i64, i32, i16, i8):
            row(f"aten.{name}.default", tensor([-12, 18, -7, 0], t), tensor([18, -12, -7, -3], t))
    for t in (i64, i32, i16, i8):  # PyTorch has -2, and for int64 no defined result
        least = torch.iinfo(t).min
        fixed("aten.gcd.default", [tensor([least, 6, least], t), tensor([6, least, 0], t)],
              tensor([2, 2, least], t))
    binary("aten.copysign.Tensor", scalars=False)
    for t in every:
        for v in (-1, 2.5, -0.0):
            either("aten.copysign.Scalar", values(t), v)
    for t in every:
        either("aten.heaviside.default", values(t), noise(1, dtype=t))
        either("aten.heaviside.default", tensor([0, 1, 0, 1], t), tensor([0.5, 2, 1, nan]).to(t)
               if t.is_floating_point else tensor([3, 2, 1, 0], t))
    row("aten.heaviside.default", noise(2, 1), noise(3))
    row("aten.heaviside.default", empty(0), noise(1))
    refuse("aten.heaviside.default", noise(2), noise(2, dtype=f64), code="nac_run_type")
    refuse("aten.heaviside.default", noise(2), noise(3), code="nac_run_shape")
    for t in every:
        x, low = noise(2, 3, dtype=t), noise(3, dtype=t)
        high = noise(2, 1, dtype=t)
        either("aten.clamp.Tensor", x, low)
        either("aten.clamp.Tensor", x, None, high)
        either("aten.clamp.Tensor", x, low, high)
        either("aten.clamp.Tensor", values(t), tensor(1, t), tensor(3, t))
        either("aten.clamp_min.Tensor", x, low)
        either("aten.clamp_max.Tensor", x, low)
    row("aten.clamp.Tensor", tensor([nan, 1, 2, 3]), tensor([0, nan, 3, 5]), tensor([4, 5, nan, 1]))
    row("aten.clamp.Tensor", noise(3, dtype=i64), tensor(0.5), tensor([1, 2, 2], f16))
    row("aten.clamp.Tensor", noise(3, dtype=i32), tensor([0.5]), None)
    row("aten.clamp.Tensor", empty(0), tensor([0.5]), tensor(1.0))
    refuse("aten.clamp.Tensor", noise(2), code="nac_run_argument")
    refuse("aten.clamp.Tensor", noise(2), noise(3), code="nac_run_shape")
    refuse("aten.clamp.Tensor", noise(2), noise(3), noise(2), code="nac_run_shape")


def distinct(*shape, dtype=f32):
    """Elements of which no two are equal."""
    return (torch.randperm(math.prod(shape)) - (0 if dtype == u8 else 3)).reshape(shape).to(dtype)


def statistics():
    begin("statistics")
    torch.manual_seed(29)
    x = noise(2, 3, 2)
    tolerance(4, 2)
    for t in every:
        either("aten.prod.default", values(t))
        either("aten.prod.default", noise(2, 2, dtype=t))
        either("aten.prod.default", noise(3), dtype=t)
        either("aten.prod.default", noise(3, dtype=t), dtype=f64)
        either("aten.prod.dim_int", noise(2, 3, dtype=t), 0)
        either("aten.prod.dim_int", noise(2, 3, dtype=t), -1, True, dtype=f32)
        either("aten.cumprod.default", noise(2, 3, dtype=t), 1)
        either("aten.cumprod.default", noise(3), 0, dtype=t)
    row("aten.prod.default", empty(0))
    row("aten.prod.default", tensor(2.5))
    row("aten.prod.dim_int", empty(2, 0), 1)
    row("aten.prod.dim_int", empty(2, 0), 0)
    row("aten.prod.dim_int", tensor(2.5), 0)
    row("aten.prod.dim_int", x, 1, True)
    row("aten.prod.default", tensor([2**62, 3, 5], i64))
    row("aten.prod.default", tensor([inf, 0, 1]))
    refuse("aten.prod.dim_int", x, 3, code="nac_run_axis")
    row("aten.cumprod.default", x, 0)
    row("aten.cumprod.default", x, -1, dtype=f64)
    row("aten.cumprod.default", tensor(2.5), -1)
    row("aten.cumprod.default", empty(0, 2), 1)
    row("aten.cumprod.default", tensor([1, nan, 0]), 0)
    refuse("aten.cumprod.default", x, 3, code="nac_run_axis")
    holed = torch.where(noise(2, 3, 2) > 1, torch.tensor(nan), x)
    for name in ("nansum", "nanmean"):
        full = f"aten.{name}.default"
        for t in every:
            either(full, values(t))
            either(full, noise(2, 3, dtype=t), [1])
            if t != boolean:
                either(full, tensor([[1, nan], [nan, nan]]), [1], True, dtype=t)
        for dims in ([0], [1, 2], [-1], [], None):
            row(full, holed, dims)
        row(full, holed, [0, 2], True)
        row(full, empty(0))
        row(full, tensor(nan))
        refuse(full, x, [3], code="nac_run_axis")
    for t in every:
        either("aten.count_nonzero.default", values(t))
        either("aten.count_nonzero.default", noise(2, 3, dtype=t), 1)
        either("aten.count_nonzero.dim_IntList", noise(2, 3, dtype=t), [0, 1])
    row("aten.count_nonzero.dim_IntList", x, [-1, 0])
    row("aten.count_nonzero.dim_IntList", x, [])
    row("aten.count_nonzero.default", empty(0))
    row("aten.count_nonzero.default", empty(2, 0), 1)
    row("aten.count_nonzero.default", tensor(0.0))
    refuse("aten.count_nonzero.default", x, 3, code="nac_run_axis")
    for name in ("aten.logsumexp.default", "aten.special_logsumexp.default"):
        for t in every:
            either(name, noise(2, 3, dtype=t), [1])
        row(name, x, [0, -1], True)
        row(name, x, 1)
        row(name, tensor([[inf, 1], [-inf, -inf], [nan, 1], [-inf, 2], [1000, 1000]]), [1])
        row(name, empty(2, 0), [1])
        row(name, empty(2, 0), [0])
        row(name, tensor(1.5), [0])
        refuse(name, x, [3], code="nac_run_axis")
    for t in every:
        either("aten.logcumsumexp.default", noise(2, 3, dtype=t), 1)
    row("aten.logcumsumexp.default", x, 0)
    row("aten.logcumsumexp.default", x, -2)
    row("aten.logcumsumexp.default", tensor(1.5), 0)
    row("aten.logcumsumexp.default", empty(0, 2), 0)
    row("aten.logcumsumexp.default", tensor([-inf, -inf, 1, inf, 2, nan, 1]), 0)
    row("aten.logcumsumexp.default", tensor([1000, -1000, 1000]), 0)
    refuse("aten.logcumsumexp.default", x, 3, code="nac_run_axis")
    full = "aten.std_mean.correction"
    for dims in ([1], [0, 2], None, [-2]):
        row(full, x, dims)
    row(full, x, [0, 1], correction=0, keepdim=True)
    row("aten.std_mean.dim", x, [1], False, True)
    row("aten.std_mean.default", x)
    row("aten.std_mean.default", x, False)
    for t in every:
        either("aten.std_mean.dim", noise(2, 3, dtype=t), [1])
    refuse("aten.std_mean.dim", x, [3], code="nac_run_axis")
    for t in every:
        either("aten.aminmax.default", noise(2, 3, dtype=t))
        either("aten.aminmax.default", noise(2, 3, dtype=t), dim=1)
    row("aten.aminmax.default", x, dim=0, keepdim=True)
    row("aten.aminmax.default", x, dim=None, keepdim=True)
    row("aten.aminmax.default", tensor(1.5), dim=-1)
    row("aten.aminmax.default", tensor([[1, nan], [2, 3]]), dim=1)
    row("aten.aminmax.default", empty(0, 2), dim=1)
    refuse("aten.aminmax.default", empty(0, 2), dim=0, code="nac_run_shape")
    refuse("aten.aminmax.default", empty(0))
    refuse("aten.aminmax.default", x, dim=3, code="nac_run_axis")
    norm = "aten.linalg_vector_norm.default"
    for order in (2, 1, 0, -1, inf, -inf, 3, 0.5, -2, 2.5):
        row(norm, x, order)
        row(norm, x, order, [1])
        row(norm, x, order, [0, -1], True)
        row(norm, tensor([[nan, 1], [inf, 2], [0, -0.0]]), order, [1])
        either(norm, empty(2, 0), order, [1])
        either(norm, empty(2, 0), order, [0])
        either(norm, empty(0), order)
        for t in (f64, f16, bf16):
            row(norm, noise(2, 3, dtype=t), order, [1])
    for t in every:
        either(norm, noise(2, 2, dtype=t))
        either(norm, noise(2, 2, dtype=f16), 2, None, False, dtype=t)
        either(norm, noise(2, 2), 2, [1], True, dtype=t)
        either("aten.norm.Scalar", noise(2, 2, dtype=t))
        either("aten.norm.ScalarOpt_dim", noise(2, 2, dtype=t), None, [1], True)
        either("aten.norm.ScalarOpt_dtype", noise(2, 2), None, dtype=t)
        either("aten.norm.ScalarOpt_dim_dtype", noise(2, 2), 1, [0], False, dtype=t)
    row(norm, x, 2, [])
    row(norm, tensor(-1.5), 3)
    refuse(norm, x, 2, [3], code="nac_run_axis")
    refuse(norm, x, 2, [0, 0])
    for order in (1, inf, 0.5):
        row("aten.norm.Scalar", x, order)
        row("aten.norm.ScalarOpt_dim", x, order, [-1])
    row("aten.norm.ScalarOpt_dim", x, 2, [])
    for order in (2, 1, 0, inf, 3):
        row("aten.dist.default", noise(2, 3), noise(3), order)
        row("aten.dist.default", noise(2), noise(2, dtype=f64), order)
    for t in every:
        either("aten.dist.default", noise(3, dtype=t), noise(3, dtype=t))
    row("aten.dist.default", empty(0), empty(0))
    refuse("aten.dist.default", noise(2), noise(3), code="nac_run_shape")
    cosine = "aten.cosine_similarity.default"
    for t in every:
        either(cosine, noise(2, 3, dtype=t), noise(2, 3, dtype=t))
    row(cosine, x, noise(3, 2))
    row(cosine, x, noise(2, 1, 2), 0)
    row(cosine, x, noise(2, 3, 2), -1, 0.5)
    row(cosine, empty(2, 3), noise(3))
    row(cosine, noise(3), noise(3), 0)
    row(cosine, empty(2, 0), empty(2, 0))
    row(cosine, noise(2, 3), noise(2, 3, dtype=i32))
    refuse(cosine, noise(3), noise(3), code="nac_run_axis")
    refuse(cosine, noise(2, 3), noise(2, 4), code="nac_run_shape")
    for t in every:
        either("aten.trace.default", noise(3, 2, dtype=t))
        either("aten.diff.default", values(t))
        either("aten.diff.default", noise(2, 4, dtype=t), 2)
        either("aten.diff.default", noise(2, 2, dtype=t), 1, 0, noise(1, 2, dtype=t),
               noise(2, 2, dtype=t))
    row("aten.trace.default", noise(2, 5))
    row("aten.trace.default", empty(0, 3))
    refuse("aten.trace.default", noise(3), code="nac_run_shape")
    for n in (0, 1, 2, 3, 7):
        row("aten.diff.default", x, n, 1)
        row("aten.diff.default", noise(3), n, -1, noise(2, dtype=i32))
    row("aten.diff.default", noise(3), 1, -1, None, noise(2, dtype=f64))
    row("aten.diff.default", empty(0))
    refuse("aten.diff.default", tensor(1.0), code="nac_run_shape")
    refuse("aten.diff.default", noise(3), -1, code="nac_run_argument")
    refuse("aten.diff.default", noise(3), 1, 1, code="nac_run_axis")
    refuse("aten.diff.default", noise(3), 1, -1, tensor(1.0), code="nac_run_shape")
    refuse("aten.diff.default", noise(2, 3), 1, -1, noise(3, 3), code="nac_run_shape")
    tolerance(0, 0)
    for name in ("cummax", "cummin"):
        full = f"aten.{name}.default"
        for t in every:
            either(full, noise(2, 5, dtype=t), 1)
            either(full, values(t), 0)
        row(full, x, 0)
        row(full, x, -2)
        row(full, tensor(1.5), 0)
        row(full, empty(2, 0), 1)
        row(full, tensor([1, 1, nan, 3, nan, 0]), 0)
        refuse(full, x, 3, code="nac_run_axis")
    for name in ("median", "nanmedian"):
        for t in every:
            either(f"aten.{name}.default", noise(2, 3, dtype=t))
            if t != boolean:
                row(f"aten.{name}.dim", distinct(3, 4, dtype=t), 1)
                row(f"aten.{name}.dim", distinct(3, 4, dtype=t), 0, True)
        row(f"aten.{name}.default", empty(0))
        fixed(f"aten.{name}.default", [empty(0, dtype=i32)], "error nac_run_shape")
        row(f"aten.{name}.default", tensor([1, nan, 3, 2]))
        row(f"aten.{name}.default", tensor([nan, nan]))
        row(f"aten.{name}.dim", tensor([[1, nan, 3, 2], [4, 7, 5, -inf]]), 1)
        row(f"aten.{name}.dim", distinct(2, 3, 2), -2)
        row(f"aten.{name}.dim", tensor(1.5), 0)
        row(f"aten.{name}.dim", empty(0, 2), 1)
        refuse(f"aten.{name}.dim", empty(0, 2), 0, code="nac_run_shape")
        refuse(f"aten.{name}.dim", x, 3, code="nac_run_axis")
        refuse(f"aten.{name}.dim", tensor([True], boolean), 0, code="nac_run_type")
    for t in every:
        if t == boolean:
            refuse("aten.kthvalue.default", tensor([True, False], boolean), 1, code="nac_run_type")
        else:
            row("aten.kthvalue.default", distinct(3, 4, dtype=t), 2)
            row("aten.kthvalue.default", distinct(3, 4, dtype=t), 3, 0, True)
        row("aten.mode.default", noise(2, 7, dtype=t))
        row("aten.mode.default", noise(5, 2, dtype=t), 0, True)
    row("aten.kthvalue.default", tensor([1, nan, 3, 0]), 3)
    row("aten.kthvalue.default", tensor([1, nan, 3, 0]), 4)
    row("aten.kthvalue.default", tensor(1.5), 1)
    refuse("aten.kthvalue.default", distinct(3), 0, code="nac_run_argument")
    refuse("aten.kthvalue.default", distinct(3), 4, code="nac_run_argument")
    refuse("aten.kthvalue.default", x, 1, 3, code="nac_run_axis")
    fixed("aten.mode.default", [tensor([1, nan, 3, nan, 3])],  # whatever the NaNs' places are
          [tensor(3.0), tensor(4, i64)])
    fixed("aten.nansum.default", [noise(3), None, False, boolean], "error nac_run_type")
    row("aten.mode.default", tensor(1.5))
    row("aten.mode.default", tensor([5, 3, 3, 5]))
    refuse("aten.mode.default", empty(2, 0), code="nac_run_shape")
    refuse("aten.mode.default", x, 3, code="nac_run_axis")
    for t in every:
        either("aten.histc.default", noise(20, dtype=t), 5)
        either("aten.histc.default", noise(20, dtype=t), 4, -1, 1)
        either("aten.bincount.default", tensor([1, 3, 1, 0, 3], t))
        either("aten.bincount.default", tensor([1, 3, 1, 0, 3]), noise(5))
        either("aten.bincount.default", tensor([1, 3, 1, 0, 3], i64), noise(5, dtype=t))
    row("aten.histc.default", count(10), 3, 2, 7)
    row("aten.histc.default", noise(3, 4), 7, -2, 2)
    row("aten.histc.default", tensor([1, nan, 3]), 4, 0, 3)
    row("aten.histc.default", empty(0), 4)
    row("aten.histc.default", tensor([1, 1, 1]), 4)
    row("aten.histc.default", tensor([1, inf]), 4, 0, 2)
    row("aten.histc.default", tensor(2.0), 3)
    refuse("aten.histc.default", tensor([1, inf]), 4, code="nac_run_argument")
    refuse("aten.histc.default", tensor([1, nan]), 4, code="nac_run_argument")
    refuse("aten.histc.default", noise(3), 4, 3, 1, code="nac_run_argument")
    refuse("aten.histc.default", noise(3), 0, code="nac_run_argument")
    row("aten.bincount.default", tensor([1, 3], i64), None, 7)
    row("aten.bincount.default", tensor([1, 3], i64), tensor([0.5, 2]), 2)
    row("aten.bincount.default", empty(0, dtype=i64), None, 3)
    row("aten.bincount.default", empty(0, dtype=i64), empty(0), 3)
    row("aten.bincount.default", empty(0, dtype=i64))
    refuse("aten.bincount.default", tensor([1, -3], i64), code="nac_run_argument")
    refuse("aten.bincount.default", tensor([[1, 3]], i64), code="nac_run_shape")
    refuse("aten.bincount.default", tensor([1, 3], i64), noise(3), code="nac_run_shape")
    refuse("aten.bincount.default", tensor([1, 3], i64), None, -1, code="nac_run_argument")


meanings["aten.atan2.out"] = lambda a, b, out: A.atan2.default(a, b)


def spatial():
    begin("spatial")
    torch.manual_seed(21)
    line, image, volume = noise(1, 2, 6), noise(1, 1, 4, 3), noise(1, 1, 3, 3, 4)
    tolerance(0, 0)
    pools = {"max_pool1d": line, "max_pool3d": volume, "max_pool1d_with_indices": line,
             "max_pool2d_with_indices": image, "max_pool3d_with_indices": volume}
    for name, x in pools.items():
        name, n = f"aten.{name}.default", x.dim() - 2
        for t in every:
            either(name, noise(1, 1, *[2] * n, dtype=t), [2] * n)
        for rest in (([2],), ([2] * n, [1] * n, [1] * n), ([2] * n, [2] * n, [0] * n, [1] * n, True),
                     ([2] * n, [1] * n, [1] * n, [2] * n), ([3] * n, [2] * n, [1] * n, [1] * n, True), ([2] * n, [])):
            row(name, x, *rest)
        row(name, x[0], [2] * n)
        bad = x.clone()
        bad[..., 1] = nan
        bad[..., 2] = -inf
        row(name, bad, [2] * n, [1] * n)
        row(name, noise(0, 1, *[3] * n), [2] * n)
        refuse(name, x, [9] * n)
        refuse(name, x, [2] * n, [1] * n, [2] * n)
        refuse(name, x, [2] * n, [0] * n)
        refuse(name, x, [2] * (n + 1))
        refuse(name, tensor([1.0]), [2] * n)
    row("aten.max_pool2d_with_indices.default", noise(1, 1, 4, 4), [2, 2], [1, 1], [1, 1], [5, 5])
    for name, x in {"adaptive_max_pool1d": line, "adaptive_max_pool2d": image, "adaptive_max_pool3d": volume}.items():
        name, n = f"aten.{name}.default", x.dim() - 2
        for t in every:
            either(name, noise(1, 1, *[2] * n, dtype=t), [2] * n)
        for o in ([1] * n, [3] * n):
            row(name, x, o)
        row(name, x[0], [2] * n)
        refuse(name, x, [2] * (n + 1))
        refuse(name, tensor([1.0]), [2] * n)
    tolerance(4, 1, largest=True)
    for name, x in {"avg_pool1d": line, "avg_pool3d": volume}.items():
        name, n = f"aten.{name}.default", x.dim() - 2
        for t in every:
            either(name, noise(1, 1, *[2] * n, dtype=t), [2] * n)
        for rest in (([2],), ([2] * n, [1] * n, [1] * n), ([2] * n, [2] * n, [0] * n, True),
                     ([3] * n, [2] * n, [1] * n, True, False), ([3] * n, [2] * n, [1] * n, False, False)):
            row(name, x, *rest)
        row(name, x[0], [2] * n)
        refuse(name, x, [9] * n)
        refuse(name, x, [2] * n, [1] * n, [2] * n)
        refuse(name, x, [2] * n, [0] * n)
        refuse(name, tensor([1.0]), [2] * n)
    row("aten.avg_pool3d.default", volume, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    refuse("aten.avg_pool3d.default", volume, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 0)
    for name, x in {"adaptive_avg_pool1d": line, "adaptive_avg_pool3d": volume, "_adaptive_avg_pool3d": volume}.items():
        name, n = f"aten.{name}.default", x.dim() - 2
        for t in every:
            either(name, noise(1, 1, *[2] * n, dtype=t), [2] * n)
        for o in ([1] * n, [3] * n):
            row(name, x, o)
        row(name, x[0], [2] * n)
        refuse(name, x, [2] * (n + 1))
        refuse(name, tensor([1.0]), [2] * n)
    # ---- between elements; cubic ones cancel
    tolerance(32, 2, largest=True)
    for mode, x in {"linear1d": line, "bilinear2d": image, "trilinear3d": volume, "bicubic2d": image}.items():
        n = x.dim() - 2
        name = f"aten.upsample_{mode}"
        for t in floats:
            row(name + ".vec", x[:1, :1].to(t), [4] * n, False, None)
            row(name + ".default", x[:1, :1].to(t), [4] * n, True)
        for size in ([7, 2, 1][:n], [1] * n):
            for align in (False, True):
                row(name + ".vec", x, size, align, None)
                row(name + ".default", x, size, align)
        for scales in ([2.0] * n, [0.6] * n):
            row(name + ".vec", x, None, False, scales)
            row(name + ".vec", x, None, True, scales)
        row(name + ".default", x, [4] * n, False, *[1.3] * n)
        refuse(name + ".vec", x, None, False, None)
        refuse(name + ".vec", x, [2] * n, False, [2.0] * n)
        refuse(name + ".default", x, [0] * n, False)
        refuse(name + ".default", x, [2] * (n + 1), False)
        refuse(name + ".default", tensor([1.0]), [2] * n, False)
    tolerance(0, 0)
    for mode, x in {"upsample_nearest1d": line, "upsample_nearest3d": volume, "_upsample_nearest_exact1d": line,
                    "_upsample_nearest_exact2d": image, "_upsample_nearest_exact3d": volume}.items():
        n = x.dim() - 2
        name = f"aten.{mode}"
        for t in (f32, f64, f16, bf16, u8):
            row(name + ".vec", noise(1, 1, *x.shape[2:], dtype=t), [4] * n, None)
            row(name + ".default", noise(1, 1, *x.shape[2:], dtype=t), [2] * n)
        for size in ([7, 2, 1][:n], [1] * n):
            row(name + ".vec", x, size, None)
            row(name + ".default", x, size)
        for scales in ([2.0] * n, [0.6] * n):
            row(name + ".vec", x, None, scales)
        refuse(name + ".vec", x, None, None)
        refuse(name + ".default", x, [0] * n)
        refuse(name + ".default", tensor([1.0]), [2] * n)
    # ---- grids
    tolerance(16, 8, largest=True)
    places = torch.rand(1, 2, 4, 2) * 2.6 - 1.3
    places = torch.round(places * 64) / 64 + 1 / 256
    deep = torch.round((torch.rand(1, 1, 3, 2, 3) * 2.6 - 1.3) * 64) / 64 + 1 / 256
    for name in ("aten.grid_sampler.default", "aten.grid_sampler_2d.default"):
        for mode in (0, 1, 2):
            for padding in (0, 1, 2):
                for align in (False, True):
                    row(name, image, places, mode, padding, align)
        row(name, image.to(f64), places.to(f64), 0, 0, False)
        refuse(name, image, places.to(f64), 0, 0, False)
        refuse(name, image, noise(2, 3, 4, 2), 0, 0, False)
        refuse(name, image, noise(1, 3, 4, 3), 0, 0, False)
    for name in ("aten.grid_sampler.default", "aten.grid_sampler_3d.default"):
        for mode in (0, 1):
            for padding in (0, 1, 2):
                row(name, volume, deep, mode, padding, False)
                row(name, volume, deep, mode, padding, True)
        refuse(name, volume, deep, 2, 0, False)
    for align in (False, True):
        for t in (f32, f64):
            row("aten.affine_grid_generator.default", noise(2, 2, 3, dtype=t), [2, 1, 3, 4], align)
            row("aten.affine_grid_generator.default", noise(1, 3, 4, dtype=t), [1, 2, 2, 3, 2], align)
        row("aten.affine_grid_generator.default", noise(1, 2, 3), [1, 1, 1, 2], align)
    refuse("aten.affine_grid_generator.default", noise(1, 2, 2), [1, 1, 2, 2], False)
    # ---- columns
    tolerance(4, 1)
    for t in every:
        either("aten.im2col.default", noise(1, 2, 3, 3, dtype=t), [2, 2], [1, 1], [0, 0], [1, 1])
        if t in floats:
            row("aten.col2im.default", noise(1, 4, 4, dtype=t), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])
        row("aten.unfold.default", noise(5, dtype=t), 0, 2, 2)
        row("aten.pixel_shuffle.default", noise(1, 4, 1, 2, dtype=t), 2)
        row("aten.pixel_unshuffle.default", noise(1, 1, 2, 4, dtype=t), 2)
    for rest in (([3, 2], [1, 1], [1, 0], [2, 1]), ([2, 2], [2, 1], [1, 1], [1, 2]), ([4, 3], [1, 1], [0, 0], [1, 1])):
        row("aten.im2col.default", image, *rest)
        row("aten.im2col.default", image[0], *rest)
        made = A.im2col(image, *rest)
        row("aten.col2im.default", made, [4, 3], *rest)
        row("aten.col2im.default", made[0], [4, 3], *rest)
    refuse("aten.im2col.default", image, [6, 2], [1, 1], [0, 0], [1, 1])
    refuse("aten.im2col.default", noise(3, 3), [2, 2], [1, 1], [0, 0], [1, 1])
    refuse("aten.col2im.default", noise(1, 5, 4), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])
    for rest in ((0, 2, 1), (-1, 3, 2), (1, 0, 1), (2, 4, 3)):
        row("aten.unfold.default", noise(2, 3, 4), *rest)
    row("aten.unfold.default", tensor(2.0), 0, 1, 1)
    refuse("aten.unfold.default", noise(3), 0, 4, 1)
    refuse("aten.unfold.default", noise(3), 0, 2, 0)
    refuse("aten.unfold.default", noise(3), 1, 2, 1, code="nac_run_axis")
    row("aten.pixel_shuffle.default", noise(2, 9, 2, 1), 3)
    row("aten.pixel_shuffle.default", noise(4, 2, 2), 2)
    refuse("aten.pixel_shuffle.default", noise(1, 3, 2, 2), 2)
    refuse("aten.pixel_shuffle.default", noise(2, 2), 1)
    row("aten.pixel_unshuffle.default", noise(2, 1, 6, 3), 3)
    refuse("aten.pixel_unshuffle.default", noise(1, 1, 3, 2), 2)
    for n, x in ((1, line), (2, image), (3, volume)):
        for kind in ("reflection", "replication"):
            name = f"aten.{kind}_pad{n}d.default"
            for t in (f32, f64, f16, bf16):
                row(name, noise(1, 1, *[2] * n, dtype=t), [1, 0] * n)
            row(name, x, [2, 1, 0, 1, 1, 0][:2 * n])
            row(name, x[0], [1, 2, 1, 1, 0, 1][:2 * n])
            refuse(name, tensor([1.0]), [1] * 2 * n)
            refuse(name, x, [1] * (2 * n - 1))
        refuse(f"aten.reflection_pad{n}d.default", x, [9] * 2 * n)


def searching():
    begin("searching")
    torch.manual_seed(31)
    tolerance(1, 1)
    rows_of = torch.sort(noise(2, 5), -1)[0]
    for t in every:
        edges = torch.sort(noise(4, dtype=t))[0]
        asked = torch.cat([noise(3, dtype=t), edges[:2]])
        for right in (False, True):
            either("aten.searchsorted.Tensor", edges, asked, out_int32=False, right=right)
            either("aten.bucketize.Tensor", asked.reshape(5, 1), edges, out_int32=False, right=right)
        either("aten.isin.Tensor_Tensor", asked, edges)
        either("aten.isin.Tensor_Tensor", asked, edges, assume_unique=False, invert=True)
        row("aten.sort.stable", noise(2, 4, dtype=t), stable=True)
        row("aten.sort.stable", noise(2, 4, dtype=t), stable=True, dim=0, descending=True)
        row("aten.msort.default", noise(3, 2, dtype=t))
        row("aten._unique2.default", noise(2, 5, dtype=t), True, True, True)
        row("aten._unique2.default", noise(4, dtype=t))
        row("aten.as_strided.default", noise(2, 3, dtype=t), [2, 2, 2], [3, 1, 1])
    name = "aten.searchsorted.Tensor"
    edges = tensor([-1, 0, 0, 2.5, nan])
    asked = tensor([[0, nan, inf], [-inf, 3, -1]])
    row(name, edges, asked)
    row(name, edges, asked, out_int32=False, right=True)
    row(name, edges, asked, out_int32=True)
    row(name, edges, asked, out_int32=False, right=False, side="right")
    row(name, edges, asked, out_int32=False, right=False, side="left")
    row(name, edges, tensor(2.5))
    row(name, tensor([1, 2, 3], i64), tensor([2.5]))
    row(name, rows_of, noise(2, 3))
    row(name, rows_of.reshape(2, 1, 5), noise(2, 1, 2), out_int32=False, right=True)
    row(name, noise(2, 0), noise(2, 3))
    row(name, rows_of, noise(2, 0))
    row(name, tensor([3.0, 1, 2]), tensor([1.5, 3.5]),
        out_int32=False, right=False, side=None, sorter=tensor([1, 2, 0], i64))
    row(name, tensor([[3.0, 1, 2], [0, 5, 1]]), tensor([[2.0], [2.0]]),
        out_int32=False, right=False, side=None, sorter=tensor([[1, 2, 0], [0, 2, 1]], i64))
    refuse(name, edges, asked, out_int32=False, right=True, side="left", code="nac_run_argument")
    refuse(name, edges, asked, out_int32=False, right=False, side="middle", code="nac_run_argument")
    refuse(name, rows_of, noise(3, 3), code="nac_run_shape")
    refuse(name, rows_of, tensor(1.0), code="nac_run_shape")
    refuse(name, tensor(1.0), asked, code="nac_run_shape")
    refuse(name, edges, asked,
           out_int32=False, right=False, side=None, sorter=tensor([0, 1], i64), code="nac_run_shape")
    refuse(name, tensor([1.0, 2]), asked,
           out_int32=False, right=False, side=None, sorter=tensor([0, 2], i64), code="nac_run_index")
    row("aten.searchsorted.Scalar", edges, 0)
    row("aten.searchsorted.Scalar", tensor([1, 2, 3], i64), 2.5, out_int32=False, right=True)
    row("aten.bucketize.Scalar", 2.5, tensor([1, 2, 3], i64))
    row("aten.bucketize.Tensor", asked, edges, out_int32=True, right=True)
    refuse("aten.bucketize.Tensor", asked, noise(2, 2), code="nac_run_shape")
    row("aten.isin.Tensor_Tensor", tensor([2, nan]), tensor([1, nan]))
    row("aten.isin.Tensor_Tensor", tensor([2], i64), tensor([2.0]))
    row("aten.isin.Tensor_Tensor", tensor([[2, 3]], i64), empty(0))
    row("aten.isin.Tensor_Tensor", empty(2, 0), tensor([1.0]))
    row("aten.isin.Tensor_Scalar", tensor([2, 3], i64), 3)
    row("aten.isin.Scalar_Tensor", 2, tensor([2, 3], i64))
    row("aten.isin.Scalar_Tensor", 2.5, tensor([2, 3], i64), assume_unique=False, invert=True)
    row("aten.sort.stable", tensor([1, nan, 1, -inf]), stable=False, dim=-1, descending=True)
    row("aten.sort.stable", tensor(2.0), stable=True)
    refuse("aten.sort.stable", noise(2), stable=True, dim=1, code="nac_run_axis")
    row("aten.msort.default", tensor(2.0))
    row("aten.msort.default", empty(0, 2))
    for name in ("aten.msort.default", "aten._unique2.default", "aten.sym_storage_offset.default"):
        refuse(name, "rows")
    row("aten._unique2.default", tensor([[3, nan], [nan, 1]]), True, True, True)
    row("aten._unique2.default", tensor(2.0), True, True, True)
    row("aten._unique2.default", empty(0), True, True, True)
    row("aten._unique2.default", tensor([3, 1, 3], i64), True, False, True)
    row("aten._unique2.default", tensor([3, 1, 3], i64), False, True, False)
    name = "aten.as_strided.default"
    x = count(3, 4)
    row(name, x, [2, 2], [1, 5])
    row(name, x, [2, 3], [0, 2], 5)
    row(name, x, [], [], 7)
    row(name, x, [0, 3], [1, 90])
    row(name, x, [2, 6, 1, 1], [6, 1, 6, 6])
    row(name, tensor(2.0), [3], [0])
    row(name, x, [3], [5], 1)
    refuse(name, x, [3], [5], 2, code="nac_run_index")
    refuse(name, x, [2], [12], code="nac_run_index")
    refuse(name, x, [1], [1], 12, code="nac_run_index")
    refuse(name, x, [2, 2], [1], code="nac_run_argument")
    refuse(name, x, [2], [-1], 1, code="nac_run_argument")
    refuse(name, x, [2], [1], -1, code="nac_run_argument")
    row("aten.sym_stride.int", count(2, 3, 4), 0)
    row("aten.sym_stride.int", count(2, 3, 4), -1)
    refuse("aten.sym_stride.int", x, 2, code="nac_run_axis")
    refuse("aten.sym_stride.int", tensor(1.0), 0, code="nac_run_axis")
    row("aten.sym_storage_offset.default", x)


def write(script="operations.py"):
    here = os.path.dirname(os.path.abspath(__file__))
    for name, lines in groups.items():
        with open(os.path.join(here, "operations", name + ".txt"), "w", encoding="utf-8") as out:
            out.write("# SPDX-FileCopyrightText: The Tessera authors\n"
                      "# SPDX-License-Identifier: MIT\n#\n"
                      f"# NAC operations, {name}: what PyTorch {torch.__version__} gives on a CPU,"
                      " recorded by\n"
                      f"#   python3 tests/data/nac/{script}\n"
                      "# whose top comment has the form: tolerances (!), operations, rows of them.\n")
            for limits, operations in lines.items():
                out.write(limits + "\n")
                for operation, rows in operations.items():
                    out.write("\n".join([operation, *rows]) + "\n")


if __name__ == "__main__":
    recorded = {f.__name__: f for f in (elementwise, create, layout, indexing, reduce, products,
                                        convolution, normalise, pooling, functions, networks,
                                        algebra, fourier,
                                        selection, random, arithmetic,
                                        statistics, spatial, searching)}
    for name in sys.argv[1:] or recorded:
        recorded[name]()
    if problems:
        sys.exit("\n".join(problems))
    write()
