# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for the operations of the NAC machine.

    python3 tests/data/nac/operations.py          # writes operations/GROUP.txt beside it

A row is an operation as a file of NAC has it, its arguments by position, and the result:

    aten.softmax.int | f32[2]:0,0 ; i:-1 | f32[2]:0.5,0.5

    argument   n          null
               b:1  i:-1  f:0.5  s:tanh    constants
               I:1,2      F:0.5,2          lists of whole numbers, of floats
               f32[2,1]:1,2                a tensor; f32[]:1 has rank 0
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

import inspect
import itertools
import math
import operator
import os
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


def begin(name):
    global group
    group = groups.setdefault(name, [])


def tolerance(whole, half, largest=False):
    group.append(f"! {whole} {half}{' largest' if largest else ''}")


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
    line = f"{name} | {' ; '.join(texts)} | {result}"
    if line not in group:
        group.append(line)


def call_torch(name, args, kw):
    args = [plain(a) for a in args]
    given = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    kw = {k: plain(v) for k, v in kw.items()}
    try:
        return torch_operator(name)(*given, **kw)
    except RuntimeError as e:
        if "Unable to cast" not in str(e) and "found type" not in str(e):
            raise
    # This overload wants tensors; one of rank 0 gives way to others as a number does.
    kinds = {bool: boolean, int: i64, float: f32}
    if not any(isinstance(a, torch.Tensor) and a.dim() > 0 for a in given):
        raise TypeError("nothing to give way to")
    given = [tensor(a, kinds[type(a)]) if type(a) in kinds else a for a in given]
    return torch_operator(name)(*given, **kw)


def row(name, *args, **kw):
    """A row that PyTorch has a result for."""
    result = call_torch(name, args, kw)
    add_row(name, list(args) + list(kw.values()), result_text(result))


def refuse(name, *args, code="", **kw):
    """A row that PyTorch refuses."""
    try:
        result = call_torch(name, args, kw)
    except Exception:
        add_row(name, list(args) + list(kw.values()), f"error {code}".strip())
        return
    raise RuntimeError(f"{name}{args}: expected an error, got {result}")


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
    if dtype in (f64, bf16):
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
        either(name, values(t))
    if len(extra):
        either(name, tensor(list(extra)))
    row(name, noise(2, 3, dtype=types[0]))
    row(name, noise(2, 1, 2, dtype=types[0]))
    row(name, tensor(1, types[0]))
    row(name, empty(0, dtype=types[0]))
    row(name, empty(2, 0, 3, dtype=types[0]))
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
        refuse(name, Num(7), Num(0), code="nac_run_division") if name == "mod" else None
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
        unary(f"aten.{name}.default", extra=[-20, -4, -3.5, -0.25, 0.001, 0.1, 3.25, 10])
    for t in every:
        either("aten.gelu.default", noise(4, dtype=t), approximate="tanh")
    row("aten.gelu.default", tensor([-20.0, -3, -0.125, 0, 1, 3, 20]), approximate="none")
    row("aten.gelu.default", tensor([-20.0, -3, -0.125, 0, 1, 3, 20]), approximate="tanh")
    refuse("aten.gelu.default", noise(2), approximate="sigmoid", code="nac_run_argument")
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


def write():
    here = os.path.dirname(os.path.abspath(__file__))
    for name, lines in groups.items():
        with open(os.path.join(here, "operations", name + ".txt"), "w", encoding="utf-8") as out:
            out.write("# SPDX-FileCopyrightText: The Tessera authors\n"
                      "# SPDX-License-Identifier: MIT\n#\n"
                      f"# NAC operations, {name}: what PyTorch {torch.__version__} gives on a CPU,"
                      " recorded by\n"
                      "#   python3 tests/data/nac/operations.py\n"
                      "# whose top comment has the form of the rows and of tolerances (lines with"
                      " !).\n")
            for line in lines:
                out.write(line + "\n")


if __name__ == "__main__":
    elementwise()
    write()
