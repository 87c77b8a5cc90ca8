# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Computes what each opcode of NEM gives, with Python and numpy alone, and records rows of it.

    python3 tests/data/nem/operations.py          # writes operations_GROUP.txt beside it

An indented line is a row of the task that stands above it: opcode, then its attributes and
decorators as NEM has them.

    gemm accum_type=i32
      i8[2,2]*t(0.5,3):0afd7f80 & i8[2,2]*t(0.25,0):05f90264 -> i8[2,2]*t(2.0,-1):3f98..

    operand   element[shape]attributes:bytes      bytes in hex, from the region's first to its last
              f16[2,3]NK                          a layout; `x` where there is none
              f16[2,3]/4,1                        strides
              *t(scale,zero point)                per_tensor
              *c(axis;scales;zero points)         per_channel
              *g(axis;size;scales;zero points)    per_group
    output    as an operand, with the bytes that are expected. All its bytes were a5 before.
    ! 1       the rows that follow may differ from floats of 32 bits by so many units in the last place
    # RT-...  what is reported. After an error: the bytes of a run that keeps going

Rows of `program` are whole programs: text | buffers that are bound | buffers that are expected.

Nothing here looks at the implementation. Integers are Python's. Real functions are binary64;
rows whose result is so close to the middle of two values that it hangs on the last bits of
binary64, or on the order of a sum, aren't recorded.
"""

import itertools
import math
import os
import random
import struct

import numpy as np

np.seterr(all="ignore")
rng = random.Random(8)
inf, nan = math.inf, math.nan
BITS = {"i4": 4, "i8": 8, "i16": 16, "i32": 32, "u8": 8, "u16": 16, "u32": 32, "f16": 16,
        "bf16": 16, "f32": 32}
FLOATS = ["f16", "bf16", "f32"]
WHOLES = ["i8", "i16", "i32"]
ALL_WHOLES = ["i4", "i8", "i16", "i32", "u8", "u16", "u32"]
CANONICAL_NAN = {"f16": 0x7E00, "bf16": 0x7FC0, "f32": 0x7FC00000}


# ---- elements


def is_float(e):
    return e in CANONICAL_NAN


def limits(e):
    n = BITS[e]
    return (0, 2**n - 1) if e[0] == "u" else (-(2 ** (n - 1)), 2 ** (n - 1) - 1)


def value_of(bits, e):
    bits = int(bits)
    if e == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if e == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if e == "f32":
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    n = BITS[e]
    return bits - 2**n if e[0] == "i" and bits >> (n - 1) else bits


def round_float(x, e):
    """The pattern of the float nearest to x: one rounding, ties to even."""
    x = float(x)
    precision, least, bias = {"f16": (11, -14, 15), "bf16": (8, -126, 127),
                              "f32": (24, -126, 127)}[e]
    sign = (1 if math.copysign(1, x) < 0 else 0) << (BITS[e] - 1)
    top = (2 * bias + 1) << (precision - 1)  # infinity
    if math.isnan(x):
        return CANONICAL_NAN[e]
    if math.isinf(x):
        return sign | top
    if x == 0:
        return sign
    exponent = max(math.frexp(abs(x))[1] - 1, least)
    # Scaling by a power of two is exact: abs(x) is below 2^53 units.
    units = round(math.ldexp(abs(x), precision - 1 - exponent))  # Python's round: half to even
    pattern = units + ((exponent + bias - 1) << (precision - 1)) if exponent > least or units >= 1 << (
        precision - 1) else units
    return sign | min(pattern, top)


def wrap(x, e):
    return int(x) & (2 ** BITS[e] - 1)


def clip(x, e):
    lo, hi = limits(e)
    return max(lo, min(hi, x))


def rint(x):
    """To even at ties; an int, or a float that is infinite."""
    return x if math.isinf(x) else round(x)


def sat_round(x, e, zero=0):
    """sat(rint(x) + zero), NaN is `zero`."""
    if math.isnan(x):
        return clip(zero, e)
    if math.isinf(x):
        return limits(e)[x > 0]
    return clip(round(x) + zero, e)


class Fragile(Exception):
    """A result that hangs on the last bits of binary64."""


def firm(x):
    """x, when rounding it to an integer doesn't hang on its last bits."""
    if math.isfinite(x) and abs(x) < 2**40:
        off = abs(x - math.floor(x) - 0.5)
        if 0 < off < 1e-7:
            raise Fragile
    return x


def f32(x):
    return float(np.float32(x))


# ---- tensors


class Quant:
    def __init__(self, form, axis, size, scales, zeros):
        self.form, self.axis, self.size = form, axis, size
        self.scales, self.zeros = [float(s) for s in scales], list(zeros)

    def text(self):
        s, z = ",".join(real(s) for s in self.scales), ",".join(str(z) for z in self.zeros)
        if self.form == "t":
            return f"*t({s},{z})"
        if self.form == "c":
            return f"*c({self.axis};{s};{z})"
        return f"*g({self.axis};{self.size};{s};{z})"

    def pair(self, index):
        i = 0
        if self.form == "c":
            i = index[self.axis]
        if self.form == "g":
            i = index[self.axis] // self.size
        return f32(self.scales[i]), self.zeros[i]

    def __eq__(self, other):
        return other is not None and self.text() == other.text()


def per_tensor(scale, zero=0):
    return Quant("t", 0, 1, [scale], [zero])


def per_channel(axis, scales, zeros=None):
    return Quant("c", axis, 1, scales, zeros or [0] * len(scales))


def per_group(axis, size, scales, zeros=None):
    return Quant("g", axis, size, scales, zeros or [0] * len(scales))


def real(x):
    """A number as NEM writes floats."""
    text = repr(float(x))
    if "e" in text:
        m, e = text.split("e")
        return f"{m if '.' in m else m + '.0'}e{int(e)}"
    return text


def indices(shape):
    return itertools.product(*(range(d) for d in shape))


def dense(shape):
    out, n = [], 1
    for d in reversed(shape):
        out.insert(0, n)
        n *= d
    return out


class T:
    """A tensor: the patterns of its elements in the order of its shape."""

    def __init__(self, e, shape, bits, layout="", strides=None, quant=None):
        self.e, self.shape, self.layout, self.strides, self.quant = (
            e, list(shape), layout, strides, quant)
        self.bits = np.array([int(b) for b in np.asarray(bits, dtype=object).reshape(-1)],
                             dtype=object).reshape(self.shape)

    def value(self, index):
        return value_of(self.bits[tuple(index)], self.e)

    def real(self, index):
        """What a quantized element stands for."""
        s, z = self.quant.pair(index)
        return s * (self.value(index) - z)

    def number(self, index):
        return self.real(index) if self.quant else self.value(index)

    def like(self, bits, **changes):
        args = {"e": self.e, "shape": self.shape, "layout": self.layout, "strides": self.strides,
                "quant": self.quant}
        args.update(changes)
        return T(bits=bits, **args)

    def text(self, is_output=False):
        head = f"{self.e}[{','.join(map(str, self.shape))}]"
        head += "/" + ",".join(map(str, self.strides)) if self.strides else self.layout
        return f"{head}{self.quant.text() if self.quant else ''}:{self.memory(is_output).hex()}"

    def memory(self, is_output=False):
        steps = self.strides or dense(self.shape)
        n = BITS[self.e]
        last = sum((d - 1) * s for d, s in zip(self.shape, steps))
        size = ((last + 1) * n + 7) // 8
        memory = bytearray(b"\xa5" * size)
        for i in indices(self.shape):
            at = sum(k * s for k, s in zip(i, steps))
            b = int(self.bits[i])
            if n == 4:
                shift = at % 2 * 4
                memory[at // 2] = memory[at // 2] & ~(15 << shift) | b << shift
            else:
                memory[at * n // 8:(at + 1) * n // 8] = b.to_bytes(n // 8, "little")
        if n == 4 and is_output and not self.strides and last % 2 == 0:
            memory[-1] &= 15  # an unused nibble is written
        return bytes(memory)


def make(e, shape, values, **rest):
    """Of numbers: floats are rounded, integers have to fit."""
    flat = list(np.asarray(values, dtype=object).reshape(-1))
    return T(e, shape, [round_float(v, e) if is_float(e) else wrap(v, e) for v in flat], **rest)


def count(shape):
    return math.prod(shape)


def random_values(e, n, small=True):
    if is_float(e):
        return [rng.randrange(-64, 65) / 8 if small else rng.gauss(0, 3) for _ in range(n)]
    lo, hi = limits(e)
    if small:
        lo, hi = max(lo, -100), min(hi, 100)
    return [rng.randrange(lo, hi + 1) for _ in range(n)]


def some(e, shape, small=True, **rest):
    return make(e, shape, random_values(e, count(shape), small), **rest)


def specials(e):
    """Patterns that matter."""
    if not is_float(e):
        lo, hi = limits(e)
        out = [lo, lo + 1, -3 if lo else 3, -2 if lo else 2, -1 if lo else 5, 0, 1, 2, 3, 5,
               hi - 1, hi]
        return [wrap(v, e) for v in out]
    precision = {"f16": 10, "bf16": 7, "f32": 23}[e]
    sign, top = 1 << (BITS[e] - 1), ((1 << (BITS[e] - 1)) - 1) >> precision << precision
    one = round_float(1, e)
    plus = [0, 1, (1 << precision) - 1, 1 << precision, one, one + 1, one - 1, round_float(0.5, e),
            round_float(2, e), top - 1, top]
    return plus + [p | sign for p in plus] + [top | 1, top | sign | 3, CANONICAL_NAN[e]]


def out_values(values, e, quant, index_of=None):
    """Patterns of real values: rounded, or quantized."""


# ---- rows

groups = {}
current = None
header = None
seen = set()


def group(name):
    global current, header
    current = groups.setdefault(name, [])
    header = None


def task(text, tolerance=0):
    """Begins the rows of a task."""
    global header
    header = (text, tolerance)
    current.append(text)
    if tolerance:
        current.append(f"! {tolerance}")


def row(inputs, outputs, found=""):
    line = " & ".join(t.text() for t in inputs) + " -> " + " & ".join(t.text(True) for t in outputs)
    line = f"  {line} # {found}" if found else f"  {line}"
    current.append(line)


def program(text, bound, expected, found=""):
    def list_of(d):
        return " ".join(f"{k}={v.hex()}" for k, v in d.items())

    current.append(f"  {' '.join(text.split())} | {list_of(bound)} | {list_of(expected)}"
                   + (f" # {found}" if found else ""))


def attempt(f, *args, **rest):
    """Records a row unless it is fragile; tries again with other random values."""
    for _ in range(8):
        try:
            f(*args, **rest)
            return
        except Fragile:
            continue


# ---- element-wise


def each(f, inputs, y):
    """Patterns of f over elements: real values when all have a descriptor."""
    is_quantized = not is_float(y.e) and y.quant and all(t.quant for t in inputs)
    out, found = [], ""
    for i in indices(y.shape):
        if is_float(y.e):
            v = round_float(f.real(*[t.value(i) for t in inputs]), y.e)
        elif is_quantized:
            s, z = y.quant.pair(i)
            v = wrap(sat_round(firm(f.real(*[t.real(i) for t in inputs]) / s), y.e, z), y.e)
        else:
            v = f.whole(y.e, *[t.value(i) for t in inputs])
            if v is None:
                v, found = 0, "RT-DIV0"
            v = wrap(v, y.e)
        out.append(v)
    return y.like(out), found


class Function:
    def __init__(self, real, whole=None):
        self.real = real
        self.whole = whole or (lambda e, *x: sat_round(firm(real(*[float(v) for v in x])), e))


def guarded(f):
    def g(x):
        try:
            return f(x)
        except OverflowError:
            return inf
        except ValueError:
            return nan
    return g


def log(x):
    return nan if x < 0 or x != x else -inf if x == 0 else math.log(x)


def relu(x):
    return x if x > 0 or x != x else 0.0


exp = guarded(math.exp)


def sigmoid(x):
    return 1 / (1 + exp(-x))


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def sqrt(x):
    return math.sqrt(x) if x >= 0 or x != x else nan


def divide(a, b):
    return float(np.float64(a) / np.float64(b))


def least(a, b):
    if a != a or b != b:
        return nan
    if a == b == 0:
        return a if math.copysign(1, a) < 0 else b
    return min(a, b)


def most(a, b):
    return -least(-a, -b)


def power(a, b):
    return float(np.power(np.float64(a), np.float64(b)))


def quotient(e, a, b):
    if b == 0:
        return None
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def whole_power(e, a, b):
    if b < 0:
        if a == 0:
            return None
        return (1 if b % 2 == 0 or a == 1 else -1) if abs(a) == 1 else 0
    return pow(a, b, 2 ** BITS[e]) if b > 64 else a**b


def leaky(alpha):
    a = f32(alpha)
    return Function(lambda x: x if x >= 0 or x != x else a * x,
                    lambda e, x: x if x >= 0 else sat_round(a * x, e))


def clamp(lo, hi):
    def whole(e, x):
        return min(max(x, math.ceil(lo)), math.floor(hi))
    return Function(lambda x: least(most(x, lo), hi), whole)


UNARY = {
    "relu": Function(relu, lambda e, x: max(x, 0)),
    "sigmoid": Function(sigmoid),
    "tanh": Function(math.tanh),
    "exp": Function(exp),
    "log": Function(log),
    "sqrt": Function(sqrt),
    "abs": Function(abs, lambda e, x: abs(x)),
    "neg": Function(lambda x: -x, lambda e, x: -x),
    "gelu": Function(gelu),
    "silu": Function(lambda x: x * sigmoid(x)),
}
BINARY = {
    "add": Function(lambda a, b: a + b, lambda e, a, b: a + b),
    "sub": Function(lambda a, b: a - b, lambda e, a, b: a - b),
    "mul": Function(lambda a, b: a * b, lambda e, a, b: a * b),
    "div": Function(divide, quotient),
    "min": Function(least, lambda e, a, b: min(a, b)),
    "max": Function(most, lambda e, a, b: max(a, b)),
    "pow": Function(power, whole_power),
}
MATHS = {"sigmoid", "tanh", "exp", "log", "gelu", "silu", "pow"}
# (input, output) descriptors: equal, powers of two, any; by channel and by group of 4 x 6.
DESCRIPTORS = [
    (per_tensor(0.5, 3), per_tensor(0.5, 3)),
    (per_tensor(0.25, -5), per_tensor(0.125, 7)),
    (per_tensor(0.037, 11), per_tensor(0.091, -20)),
    (per_channel(0, [0.5, 0.25, 1.0, 0.03], [0, -4, 9, 1]), per_tensor(0.25, 2)),
    (per_tensor(0.3, 1), per_channel(1, [0.5, 0.25, 1.0, 0.03, 0.7, 2.0], [0, -4, 9, 1, 2, 3])),
    (per_group(1, 4, [0.5, 0.06], [3, -3]), per_group(0, 2, [0.1, 0.9], [0, 5])),
]


def gelu_range(e, patterns):
    """gelu as it is defined cancels below -5: such rows would hang on the last bits."""
    return [p for p in patterns if not -inf < value_of(p, e) < -4]


def record_unary(name, f, attributes=""):
    task(f"{name} {attributes}".strip(), 1 if name in MATHS else 0)
    for e in FLOATS:
        patterns = specials(e) + [round_float(rng.gauss(0, 4), e) for _ in range(9)]
        if name == "gelu":
            patterns = gelu_range(e, patterns)
        x = T(e, [len(patterns)], patterns)
        row([x], [each(f, [x], x)[0]])
        x = make(e, [2, 3, 2], [rng.randrange(-24, 40) / 8 for _ in range(12)])
        x, y = x.like(x.bits, strides=[9, 3, 1]), x.like(x.bits, strides=[12, 2, 6])
        row([x], [each(f, [x], y)[0]])
    for e in WHOLES:
        x = T(e, [12], specials(e))
        row([x], [each(f, [x], x)[0]])
        x = make(e, [3, 1, 5], [rng.randrange(-40, 12) for _ in range(15)], strides=[11, 1, 2])
        row([x], [each(f, [x], x)[0]])

    def quantized(e, a, b):
        x = some(e, [4, 6], quant=a)
        row([x], [each(f, [x], x.like(x.bits, quant=b))[0]])

    for a, b in DESCRIPTORS:
        attempt(quantized, "i8", a, b)
    attempt(quantized, "i16", *DESCRIPTORS[1])
    attempt(quantized, "i32", *DESCRIPTORS[0])

    def mixed():  # one has no descriptor: whole numbers
        x = some("i8", [6], quant=per_tensor(0.5, 2))
        row([x], [each(f, [x], x.like(x.bits, quant=None))[0]])

    attempt(mixed)


def record_binary(name, f):
    task(name, 1 if name in MATHS else 0)
    for e in FLOATS:
        chosen = specials(e)
        chosen = chosen[:1] + chosen[1:2] + chosen[4:6] + chosen[8:13] + chosen[15:16] + chosen[
            20:23]
        pairs = list(itertools.product(chosen, chosen)) if e == "f16" else [
            (a, rng.choice(chosen)) for a in chosen for _ in range(3)]
        a, b = (T(e, [len(pairs)], [p[k] for p in pairs]) for k in (0, 1))
        row([a, b], [each(f, [a, b], a)[0]])
        a, b = some(e, [3, 2, 1, 3], small=False), some(e, [3, 2, 1, 3], small=False)
        b = b.like(b.bits, strides=[1, 3, 50, 9])
        row([a, b], [each(f, [a, b], a.like(a.bits, strides=[20, 7, 1, 2]))[0]])
    for e in WHOLES:
        pairs = list(itertools.product(specials(e), specials(e)))
        for keep in (True, False):
            chosen = pairs if keep and e == "i8" else rng.sample(pairs, 24)
            if not keep:  # without errors
                chosen = [p for p in chosen if f.whole(e, *[value_of(v, e) for v in p]) is not None]
            a, b = (T(e, [len(chosen)], [p[k] for p in chosen]) for k in (0, 1))
            y, found = each(f, [a, b], a)
            row([a, b], [y], found)

    def quantized(e, d, which):
        a, b = some(e, [4, 6], quant=d[0]), some(e, [4, 6], quant=d[which])
        row([a, b], [each(f, [a, b], a.like(a.bits, quant=d[1]))[0]])

    for n, d in enumerate(DESCRIPTORS):
        attempt(quantized, "i8", d, n % 2)
    attempt(quantized, "i16", DESCRIPTORS[1], 0)
    attempt(quantized, "i32", DESCRIPTORS[0], 0)

    def mixed():
        a, b = some("i8", [6], quant=per_tensor(0.5, 2)), make("i8", [6], [1, 2, 3, 5, 7, 90])
        row([a, b], [each(f, [a, b], a)[0]])

    attempt(mixed)


def elementwise():
    group("elementwise")
    for name, f in UNARY.items():
        record_unary(name, f)
    for alpha in (0.1, -2.5):
        record_unary("leaky_relu", leaky(alpha), f"alpha={alpha}")
    for lo, hi in ((-1.5, 2.25), (0.2, 0.8), (-3, 3)):
        record_unary("clamp", clamp(lo, hi), f"min_val={lo} max_val={hi}")
    for name, f in BINARY.items():
        record_binary(name, f)
    # Figures that are known.
    for name, want in (("gelu", "14b18835bb3afe41"), ("silu", "4eb4fb34d939b741")):
        task(name)
        x = make("f16", [4], [-1, 0.5, 1, 3])
        y, _ = each(UNARY[name], [x], x)
        assert y.memory().hex() == want
        row([x], [y])


# ---- products


def wrapped(x):
    return (x + 2**31) % 2**32 - 2**31


class Products:
    """One output element after another; `found` is what they report together."""

    def __init__(self, y):
        self.y, self.found, self.bits = y, "", []

    def whole(self, index, terms, c):
        """terms: (a, sa, za, b, sb, zb), in order; a is None where there is padding."""
        sy, zy = self.y.quant.pair(index) if self.y.quant else (1.0, 0)
        scales = [t[1] * t[4] for t in terms]
        partial = [0 if t[0] is None else (t[0] - t[2]) * (t[3] - t[5]) for t in terms]
        if all(s == scales[0] for s in scales):
            acc = sum(partial) + (c.value(self.place(c, index)) if c else 0)
            if wrapped(acc) != acc:
                self.found = "RT-ACC"
            scaled = wrapped(acc) * (scales[0] / sy)
        else:
            total = 0.0
            for s, run in itertools.groupby(range(len(terms)), lambda k: scales[k]):
                total += sum(partial[k] for k in run) * s
            if c:
                total += c.real(self.place(c, index))
            scaled = firm(total / sy)
        self.bits.append(wrap(sat_round(scaled, self.y.e, zy), self.y.e))

    def floats(self, index, terms, c, in_order):
        acc = np.float32(0)
        size = 0.0
        for a, b in terms:
            acc = np.float32(acc + np.float32(np.float32(a) * np.float32(b)))
            size += abs(a * b)
        v = 0.0 if not c else c.value(self.place(c, index))
        acc = float(np.float32(acc + np.float32(v))) if c else float(acc)
        if not in_order and math.isfinite(size):
            exact = math.fsum([a * b for a, b in terms] + [v])
            slack = 2.0**-24 * (len(terms) + 1) * (size + abs(v))
            is_exact = all((a * b * 256).is_integer() for a, b in terms) and (
                v * 256).is_integer() and size + abs(v) < 2**15
            if not is_exact and len({round_float(exact + d, self.y.e)
                                     for d in (-slack, 0, slack)}) > 1:
                raise Fragile
        self.bits.append(round_float(acc, self.y.e))

    @staticmethod
    def place(c, index):
        """Where broadcasting takes an element from."""
        tail = index[len(index) - len(c.shape):]
        return tuple(0 if d == 1 else i for i, d in zip(tail, c.shape))

    def done(self):
        return self.y.like(self.bits)


def quant_pair(t, index):
    return t.quant.pair(index) if t.quant else (1.0, 0)


def gemm(a, b, c, y, in_order=False):
    p = Products(y)
    at_a = (lambda i, m, k: i + (k, m)) if a.layout.endswith("KM") else lambda i, m, k: i + (m, k)
    at_b = (lambda i, k, n: i + (n, k)) if b.layout.endswith("NK") else lambda i, k, n: i + (k, n)
    depth = a.shape[-2] if a.layout.endswith("KM") else a.shape[-1]
    for index in indices(y.shape):
        batch, (m, n) = index[:-2], index[-2:]
        places = [(at_a(batch, m, k), at_b(batch if len(b.shape) > 2 else (), k, n))
                  for k in range(depth)]
        if is_float(y.e):
            p.floats(index, [(a.value(i), b.value(j)) for i, j in places], c, in_order)
        else:
            p.whole(index, [(a.value(i), *quant_pair(a, i), b.value(j), *quant_pair(b, j))
                            for i, j in places], c)
    return p.done(), p.found


def blank(e, shape, **rest):
    return T(e, shape, [0] * count(shape), **rest)


def record_gemm(a, b, c, y, in_order=False):
    out, found = gemm(a, b, c, y, in_order)
    row([a, b] + ([c] if c else []), [out], found)


def gemm_rows():
    for op in ("gemm", "matmul"):
        for order in ("", " @deterministic"):
            task(f"{op} accum_type=f32{order}")
            for e in FLOATS:
                def shaped(a_shape, b_shape, y_shape, la="", lb="", small=True, c_shape=None, sa=None,
                           sb=None, sy=None):
                    a = some(e, a_shape, small, layout=la, strides=sa)
                    b = some(e, b_shape, small, layout=lb, strides=sb)
                    c = some(e, c_shape, small) if c_shape is not None else None
                    record_gemm(a, b, c, blank(e, y_shape, strides=sy), bool(order))

                small = not order and e == "f32"
                for m, k, n in ((1, 1, 1), (2, 3, 4), (5, 7, 3), (1, 17, 9), (9, 4, 1)):
                    attempt(shaped, [m, k], [k, n], [m, n], small=small)
                attempt(shaped, [3, 2], [4, 3], [2, 4], "KM", "NK", small=small)
                attempt(shaped, [2, 3], [4, 3], [2, 4], "MK", "NK")
                attempt(shaped, [3, 2], [3, 4], [2, 4], "KM", "KN")
                attempt(shaped, [2, 2, 3], [2, 3, 2], [2, 2, 2], "BMK", "BKN", small=small)
                attempt(shaped, [2, 3, 2], [3, 2], [2, 2, 2], "BKM", "KN")
                attempt(shaped, [2, 1, 2, 3], [2, 1, 4, 3], [2, 1, 2, 4], "ABMK", "ABNK")
                attempt(shaped, [2, 1, 2, 2, 3], [3, 2], [2, 1, 2, 2, 2], "", "")
                attempt(shaped, [2, 3], [3, 2], [2, 2], sa=[5, 1], sb=[1, 4], sy=[7, 3])
                if op == "gemm" and e == "f16":
                    for c_shape in ([4], [1], [2, 1], [1, 4], [2, 4], [1, 1]):
                        attempt(shaped, [2, 3], [3, 4], [2, 4], small=small, c_shape=c_shape)
                    attempt(shaped, [2, 2, 3], [2, 3, 2], [2, 2, 2], c_shape=[2, 1, 2])
                    attempt(shaped, [2, 2, 3], [3, 2], [2, 2, 2], c_shape=[2, 1])
                # infinities, NaN, sums that overflow, no negative zero
                a = make(e, [5, 2], [inf, 1, inf, -inf, nan, 0, -0.0, -0.0, 0, inf])
                record_gemm(a, make(e, [2, 3], [1, 0, -1, 1, 2, 1]), None, blank(e, [5, 3]),
                            bool(order))
                a = T(e, [1, 2], [specials(e)[9]] * 2)  # the largest
                record_gemm(a, make(e, [2, 2], [1, -1, 1, -1]), None, blank(e, [1, 2]), True)
                if order:
                    a = make(e, [1, 4], [2**24 if e == "f32" else 256, 1, 1, -1])
                    record_gemm(a, make(e, [4, 1], [256] * 4), None, blank(e, [1, 1]), True)
        task(f"{op} accum_type=i32")
        whole_gemms(op == "gemm")


def scales(n):
    return [rng.choice([0.5, 0.25, 0.0625, 0.03, 0.7, 1.0]) for _ in range(n)]


def varied(n):
    """Scales of which neighbours differ."""
    out = []
    for _ in range(n):
        out.append(rng.choice([s for s in [0.5, 0.25, 0.0625, 0.03, 0.7] if s not in out[-1:]]))
    return out


def zeros(n, low=-8, high=8):
    return [rng.randrange(low, high) for _ in range(n)]


def whole_gemms(with_bias):
    def one(m, k, n, qa, qb, qy, weight="i8", made="i8", c=None, qc=None, la="", lb="", batch=(),
            shared=False, strides=None, c_large=False):
        a = some("i8", [*batch, *((k, m) if la.endswith("KM") else (m, k))], False, layout=la,
                 quant=qa)
        b = some(weight, [*(() if shared else batch), *((n, k) if lb.endswith("NK") else (k, n))],
                 False, layout=lb, quant=qb, strides=strides)
        bias = None
        if c is not None:
            bias = make("i32", c, [rng.randrange(-2000, 2000) + (2**31 - 3000 if c_large else 0)
                                   for _ in range(count(c))], quant=qc)
        record_gemm(a, b, bias, blank(made, [*batch, m, n], quant=qy))

    q1, q2, q3 = per_tensor(0.5, 3), per_tensor(0.03, -7), per_tensor(11.0, -9)
    for m, k, n in ((1, 1, 1), (2, 3, 4), (7, 9, 5), (1, 33, 17), (4, 16, 1)):
        attempt(one, m, k, n, q1, q2, q3)
        attempt(one, m, k, n, q1, per_channel(1, scales(n), zeros(n)), per_tensor(8.0, 5))
        attempt(one, m, k, n, q2, per_tensor(0.02), per_tensor(0.04, 1), "i4")
    for la, lb in (("KM", "NK"), ("KM", "KN"), ("MK", "NK")):
        attempt(one, 2, 5, 3, q1, q2, q3, la=la, lb=lb)
        axis = 0 if lb == "NK" else 1
        attempt(one, 2, 5, 3, q1, per_channel(axis, scales(3), zeros(3)), q3, la=la, lb=lb)
        attempt(one, 2, 5, 3, q1, per_channel(1 - axis, varied(5), zeros(5)), q3, la=la, lb=lb)
        attempt(one, 2, 5, 3, q1, per_channel(axis, scales(3)), q3, "i4", la=la, lb=lb)
    attempt(one, 2, 5, 3, q1, q2, None)  # no descriptor: scale 1
    attempt(one, 2, 5, 3, None, per_tensor(0.3, 1), None, "i4")
    attempt(one, 2, 5, 3, None, per_tensor(0.3, 1), q3, "i4")
    attempt(one, 2, 5, 3, per_channel(0, [0.5, 0.3], [1, 2]), q2, q3)  # of rows
    attempt(one, 2, 5, 3, q1, q2, per_channel(1, [1.0, 5.0, 9.0], [0, 1, -100]))
    attempt(one, 2, 5, 3, q1, q2, per_channel(0, [1.0, 5.0], [0, 1]))
    for size in (1, 2, 3):
        n = -(-5 // size)
        attempt(one, 2, 5, 3, q1, per_group(0, size, varied(n), zeros(n)), q3)
        attempt(one, 2, 5, 3, q1, per_group(0, size, varied(n), zeros(n)), q3, "i4")
    attempt(one, 2, 5, 4, q1, per_group(1, 3, [0.5, 0.3], [1, -2]), q3)
    attempt(one, 2, 4, 3, per_channel(1, varied(4), zeros(4)), q2, q3)  # A's scale varies along K
    for shared in (True, False):
        attempt(one, 2, 3, 2, q1, q2, q3, batch=(3,), shared=shared)
        attempt(one, 2, 3, 2, q1, q2, q3, "i4", batch=(2, 2), shared=shared, la="ABKM")
    attempt(one, 2, 3, 2, q1, per_channel(0, varied(3), zeros(3)), q3, batch=(3,))  # of a batch
    attempt(one, 2, 3, 4, q1, q2, q3, strides=[1, 5])
    attempt(one, 2, 3, 5, q1, per_tensor(0.3, 1), q3, "i4", strides=[7, 1])
    attempt(one, 2, 3, 2, per_tensor(0.5, 100000), per_tensor(0.5, -100000), q3)  # overflows
    if not with_bias:
        return
    for c in ([4], [1], [3, 1], [1, 4], [3, 4]):
        attempt(one, 3, 5, 4, q1, q2, q3, c=c)
        attempt(one, 3, 5, 4, q1, q2, per_tensor(0.1, 7), made="i16", c=c)
        attempt(one, 3, 5, 4, q1, per_tensor(0.1), q3, "i4", c=c)
        attempt(one, 3, 5, 4, q1, per_channel(0, varied(5), zeros(5)), q3, c=c,
                qc=per_tensor(0.02, 9))
    attempt(one, 3, 5, 4, q1, per_group(0, 2, varied(3)), q3, "i4", c=[4],
            qc=per_channel(0, scales(4), zeros(4)))
    attempt(one, 3, 5, 4, q1, per_channel(1, scales(4)), q3, c=[4])
    attempt(one, 2, 3, 2, q1, q2, q3, c=[2, 1, 2], batch=(2,))
    attempt(one, 3, 9, 2, q1, per_tensor(0.001), per_tensor(100000.0), c=[2], c_large=True)
    # Figures that are known.
    a = make("i8", [2, 2], [10, -3, 127, -128], quant=per_tensor(0.5, 3))
    b = make("i8", [2, 2], [5, -7, 2, 100], quant=per_tensor(0.25, 0))
    y = blank("i8", [2, 2], quant=per_tensor(2, -1))
    out, _ = gemm(a, b, make("i32", [2], [1000, -1000]), y)
    assert [out.value(i) for i in indices([2, 2])] == [63, -104, 84, -128]
    record_gemm(a, b, make("i32", [2], [1000, -1000]), y)
    a = make("i8", [1, 4], [1, 2, 3, 4], quant=per_tensor(1, 0))
    b = make("i4", [1, 4], [7, -8, 3, 1], layout="NK", quant=per_group(1, 2, [0.5, 0.25]))
    y = blank("i8", [1, 1], quant=per_tensor(0.5, 0))
    out, _ = gemm(a, b, None, y)
    assert out.value((0, 0)) == -2
    record_gemm(a, b, None, y)


def conv(x, w, bias, y, pads, strides, dilations, groups_, in_order=False):
    """Any number of spatial axes; `groups_` may be None: depthwise."""
    d = len(x.shape) - 2
    depthwise = groups_ is None
    per_group_in = w.shape[-2]
    cin, cout = x.shape[-1], w.shape[-1]
    p = Products(y)
    for index in indices(y.shape):
        o = index[-1]
        first = o // (cout // cin) if depthwise else o // (cout // groups_) * per_group_in
        terms = []
        for kernel in indices(w.shape[:d]):
            at = tuple(index[1 + s] * strides[s] - pads[s] + kernel[s] * dilations[s]
                       for s in range(d))
            inside = all(0 <= q < n for q, n in zip(at, x.shape[1:-1]))
            for c in range(per_group_in):
                ix, iw = (index[0], *at, first + c), (*kernel, c, o)
                if is_float(y.e):
                    if inside:
                        terms.append((x.value(ix), w.value(iw)))
                else:
                    terms.append((x.value(ix) if inside else None, *quant_pair(x, ix), w.value(iw),
                                  *quant_pair(w, iw)))
        if is_float(y.e):
            p.floats(index, terms, bias, in_order)
        else:
            p.whole(index, terms, bias)
    return p.done(), p.found


def conv_shape(x, k, cout, pads, strides, dilations):
    d = len(k)
    spatial = [(n + pads[s] + pads[s + d] - dilations[s] * (k[s] - 1) - 1) // strides[s] + 1
               for s, n in enumerate(x[1:-1])]
    return [x[0], *spatial, cout] if min(spatial) > 0 else None


def conv_rows():
    def one(op, e, x_shape, kernel, cout, pads, strides, dilations, g, order, small, bias=False,
            weight="i8", made=None, qx=None, qw=None, qy=None, qb=None, x_strides=None,
            bias_large=False):
        d = len(kernel)
        cin = x_shape[-1]
        x = some(e, x_shape, small, layout="NHWC" if d == 2 else "", quant=qx, strides=x_strides)
        w = some(e if is_float(e) else weight, [*kernel, 1 if g is None else cin // g, cout], small,
                 layout="HWIO" if d == 2 else "", quant=qw)
        shape = conv_shape(x_shape, kernel, cout, pads, strides, dilations)
        b = None
        if bias:
            b = some(e, [cout], small) if is_float(e) else make(
                "i32", [cout], [rng.randrange(-500, 500) + (2**31 - 800 if bias_large else 0)
                                for _ in range(cout)], quant=qb)
        y = blank(made or e, shape, layout="NHWC" if d == 2 else "", quant=qy)
        out, found = conv(x, w, b, y, pads, strides, dilations, g, order)
        attributes = (f"pads={list(pads)} strides={list(strides)} dilations={list(dilations)}"
                      f"{'' if g in (None, 1) else f' groups={g}'}"
                      f" accum_type={'f32' if is_float(e) else 'i32'}"
                      f"{' @deterministic' if order else ''}")
        if header[0] != f"{op} {attributes}":
            task(f"{op} {attributes}")
        row([x, w] + ([b] if b else []), [out], found)

    q1, q2, q3 = per_tensor(0.5, 3), per_tensor(0.03, -7), per_tensor(0.9, -9)
    geometries = {
        "conv1d": [((1, 5, 2), (3,), 3, (0, 0), (1,), (1,), 1),
                   ((2, 7, 4), (3,), 6, (1, 2), (2,), (2,), 2),
                   ((1, 6, 3), (1,), 3, (0, 1), (1,), (1,), 3)],
        "conv2d": [((1, 4, 5, 2), (3, 3), 3, (0, 0, 0, 0), (1, 1), (1, 1), 1),
                   ((2, 5, 4, 4), (3, 2), 4, (1, 0, 2, 1), (2, 1), (1, 2), 2),
                   ((1, 3, 3, 3), (1, 1), 5, (0, 0, 0, 0), (1, 1), (1, 1), 1),
                   ((1, 6, 5, 4), (2, 3), 4, (0, 1, 1, 2), (1, 2), (3, 1), 4),
                   ((1, 1, 1, 1), (1, 1), 1, (2, 0, 0, 3), (2, 2), (1, 1), 1),
                   ((1, 4, 4, 8), (3, 3), 9, (1, 1, 1, 1), (1, 1), (1, 1), 1)],
        "conv3d": [((1, 3, 3, 2, 2), (2, 2, 2), 2, (0,) * 6, (1, 1, 1), (1, 1, 1), 1),
                   ((1, 3, 4, 3, 2), (2, 1, 3), 4, (1, 0, 1, 0, 2, 1), (1, 2, 1), (2, 1, 1), 2)],
        "depthwise_conv2d": [((1, 4, 4, 3), (3, 3), 3, (1, 1, 1, 1), (1, 1), (1, 1), None),
                             ((2, 4, 3, 2), (2, 2), 6, (0, 1, 1, 0), (2, 1), (1, 1), None)],
    }
    for op, list_ in geometries.items():
        for x, k, cout, pads, strides, dilations, g in list_:
            geometry = (x, k, cout, pads, strides, dilations, g)
            for order in (False, True):
                for e in FLOATS:
                    for bias in (False, True):
                        attempt(one, op, e, *geometry, order, not order, bias)
            whole = (op, "i8", *geometry, False, False)
            last = len(k) + 1  # the axis of output channels
            attempt(one, *whole, qx=q1, qw=q2, qy=q3)
            attempt(one, *whole, bias=True, qx=q1, qw=q2, qy=q3)
            attempt(one, *whole, bias=True, made="i16", qx=q1, qw=q2, qy=per_tensor(0.01, 3))
            attempt(one, *whole, bias=True, qx=q1, qw=per_channel(last, scales(cout), zeros(cout)),
                    qy=q3)
            attempt(one, *whole, weight="i4", qx=q1, qw=per_tensor(0.3), qy=q3)
            attempt(one, *whole, bias=True, weight="i4", qx=q1, qw=per_channel(last, scales(cout)),
                    qy=per_channel(len(k) + 1, scales(cout), zeros(cout)))
            attempt(one, *whole, weight="i4", qw=per_tensor(0.3))
            cin = x[-1] // g if g else 1
            if cin > 1:
                attempt(one, *whole, bias=True, qx=q1, qw=per_channel(last - 1, varied(cin), zeros(cin)),
                        qy=q3, qb=per_tensor(0.1, 2))
                attempt(one, *whole, weight="i4", qx=q1,
                        qw=per_group(last - 1, 2, varied(-(-cin // 2))), qy=q3)
            if k[0] > 1:
                attempt(one, *whole, qx=q1, qw=per_channel(0, varied(k[0]), zeros(k[0])), qy=q3)
            if x[-1] > 1:
                attempt(one, *whole, qx=per_channel(last, varied(x[-1]), zeros(x[-1])), qw=q2, qy=q3)
            attempt(one, *whole, bias=True, qx=q1, qw=per_tensor(0.001), qy=per_tensor(100000.0),
                    bias_large=True)
    attempt(one, "conv2d", "f16", (2, 3, 3, 2), (2, 2), 2, (0, 0, 0, 0), (1, 1), (1, 1), 1, False,
            True, x_strides=[40, 12, 3, 1])
    # Figures that are known.
    x = make("f32", [1, 3, 3, 1], range(1, 10), layout="NHWC")
    w = make("f32", [2, 2, 1, 1], [1, 0, 0, -1], layout="HWIO")
    for pads, step, dilation, want in (
            ((0, 0, 0, 0), 1, 1, [-4] * 4), ((1, 0, 0, 0), 1, 1, [-2, -3, -4, -4, -4, -4]),
            ((0, 1, 0, 0), 1, 1, [-4, -4, -4, -7, -4, -4]), ((0, 0, 1, 1), 2, 1, [-4, 3, 7, 9]),
            ((0, 0, 0, 0), 1, 2, [-8])):
        shape = conv_shape(x.shape, [2, 2], 1, pads, [step] * 2, [dilation] * 2)
        out, _ = conv(x, w, None, blank("f32", shape, layout="NHWC"), pads, [step] * 2,
                      [dilation] * 2, 1)
        assert [out.value(i) for i in indices(shape)] == want
        task(f"conv2d pads={list(pads)} strides={[step] * 2} dilations={[dilation] * 2}"
             " accum_type=f32")
        row([x, w], [out])


def products():
    group("products")
    gemm_rows()
    group("convolutions")
    task("# convolutions")
    current.pop()
    conv_rows()


# ---- pooling and reductions


def fits(e):
    return [v for v in (-8, 7, 0, 1, 2, 3, 5) if limits(e)[0] <= v <= limits(e)[1]]


def float_sum(values):
    total = 0.0
    for v in values:
        total += v
    return total


def extremum(values, sign):
    """The first NaN, or the first of the largest (sign 1) or smallest (sign -1)."""
    best = 0
    for k, v in enumerate(values):
        if v != v:
            return k
        if sign * v > sign * values[best]:
            best = k
    return best


def pool(op, x, y, kernel, pads, strides):
    out = []
    is_real = is_float(x.e)
    is_quantized = not is_real and x.quant and y.quant
    same = x.quant == y.quant
    for n, i, j, c in indices(y.shape):
        places = [(n, a, b, c)
                  for a in range(i * strides[0] - pads[0], i * strides[0] - pads[0] + kernel[0])
                  for b in range(j * strides[1] - pads[1], j * strides[1] - pads[1] + kernel[1])
                  if 0 <= a < x.shape[1] and 0 <= b < x.shape[2]]
        raw = [x.value(p) for p in places]
        scale, zero = y.quant.pair((n, i, j, c)) if is_quantized else (1.0, 0)
        if op == "maxpool":
            k = extremum(raw, 1)
            if is_real:
                v = round_float(raw[k], x.e)
            elif is_quantized and not same:
                v = wrap(sat_round(firm(x.real(places[k]) / scale), x.e, zero), x.e)
            else:
                v = wrap(raw[k], x.e)
        elif is_real:
            v = round_float(float_sum(raw) / len(raw), x.e)
        elif is_quantized and not same:
            reals = [x.real(p) for p in places]
            v = wrap(sat_round(firm(float_sum(reals) / len(reals) / scale), x.e, zero), x.e)
        elif is_quantized:
            v = wrap(sat_round(sum(q - zero for q in raw) / len(raw), x.e, zero), x.e)
        else:
            v = wrap(sat_round(sum(raw) / len(raw), x.e), x.e)
        out.append(v)
    return y.like(out)


def pool_rows():
    geometries = [((1, 4, 4, 1), (2, 2), (0, 0, 0, 0), (2, 2)),
                  ((2, 3, 5, 2), (3, 2), (1, 1, 2, 0), (1, 2)),
                  ((1, 5, 1, 3), (2, 1), (1, 0, 0, 0), (3, 1)),
                  ((1, 1, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1)),
                  ((1, 2, 2, 2), (4, 3), (3, 2, 2, 2), (1, 1))]
    for op in ("maxpool", "avgpool"):
        for x_shape, kernel, pads, strides in geometries:
            shape = conv_shape(list(x_shape), kernel, x_shape[-1], pads, strides, (1, 1))
            task(f"{op} kernel_shape={list(kernel)} pads={list(pads)} strides={list(strides)}",
                 1 if op == "avgpool" else 0)

            def one(e, qx, qy, values=None, x_strides=None, y_strides=None):
                x = some(e, x_shape, small=is_float(e), layout="NHWC", quant=qx, strides=x_strides)
                if values:
                    x = x.like([rng.choice(values) for _ in range(count(x_shape))])
                y = blank(e, shape, layout="NHWC", quant=qy, strides=y_strides)
                row([x], [pool(op, x, y, kernel, pads, strides)])

            for e in FLOATS:
                attempt(one, e, None, None)
                if x_shape[1] > 2:
                    ok = [p for p in specials(e) if p & (2 ** (BITS[e] - 1) - 1)]  # no zeros
                    attempt(one, e, None, None, [*ok, *[round_float(7, e)] * 30])
            for e in ALL_WHOLES:
                attempt(one, e, None, None)
            n = x_shape[3]
            for a, b in ((per_tensor(0.5, 3), per_tensor(0.5, 3)),
                         (per_tensor(0.5, 3), per_tensor(0.25, -4)),
                         (per_tensor(0.07, 3), per_tensor(0.13, -4)),
                         (per_channel(3, varied(n), zeros(n)), per_tensor(0.2, 3)),
                         (per_tensor(0.2, 3), per_channel(3, varied(n), zeros(n))),
                         (per_tensor(0.5, 3), None), (None, per_tensor(0.5, 3))):
                attempt(one, "i8", a, b)
            same = per_channel(3, varied(n), zeros(n))
            attempt(one, "i8", same, same)
            attempt(one, "u8", per_tensor(0.5, 128), per_tensor(0.25, 100))
            attempt(one, "i4", per_tensor(0.5, 1), per_tensor(0.25, -2))
            attempt(one, "i16", per_tensor(0.5, 300), per_tensor(0.5, 300))
            if x_shape == (2, 3, 5, 2):
                attempt(one, "f16", None, None, x_strides=[61, 20, 3, 1],
                        y_strides=[1, 40, 7, 3])
                attempt(one, "i4", None, None, x_strides=[31, 10, 2, 1])
    # Figures that are known: windows of one row each, filled up to four columns by padding.
    task("avgpool kernel_shape=[1, 2] pads=[0, 0, 0, 0] strides=[1, 2]")
    x = make("i8", [1, 4, 2, 1], [1, 2, 1, 0, -1, 0, -1, -2], layout="NHWC")
    y = pool("avgpool", x, blank("i8", [1, 4, 1, 1], layout="NHWC"), (1, 2), (0,) * 4, (1, 2))
    assert [y.value(i) for i in indices(y.shape)] == [2, 0, 0, -2]
    row([x], [y])


def reduce(op, x, y, axes, keep):
    rank = len(x.shape)
    chosen = {a % rank for a in axes} or set(range(rank))
    is_quantized = not is_float(x.e) and x.quant and y.quant
    out = []
    for o in indices([1 if d in chosen else n for d, n in enumerate(x.shape)]):
        places = [i for i in indices(x.shape)
                  if all(d in chosen or i[d] == o[d] for d in range(rank))]
        kept = tuple(o) if keep else tuple(o[d] for d in range(rank) if d not in chosen)
        kept = kept or (0,) * len(y.shape)
        values = [x.number(p) if is_quantized else x.value(p) for p in places]
        if op == "reduce_sum":
            v = float_sum(values) if is_float(x.e) or is_quantized else sum(values)
        else:
            v = values[extremum(values, 1 if op == "reduce_max" else -1)]
        if is_float(x.e):
            v = round_float(v, x.e)
        elif is_quantized:
            s, z = y.quant.pair(kept)
            v = wrap(sat_round(firm(v / s), y.e, z), y.e)
        else:
            v = wrap(v, y.e)
        out.append(v)
    return y.like(out)


def reduced_shape(shape, axes, keep):
    chosen = {a % len(shape) for a in axes} or set(range(len(shape)))
    if keep:
        return [1 if d in chosen else n for d, n in enumerate(shape)]
    return [n for d, n in enumerate(shape) if d not in chosen] or [1]


def argument(op, x, y, axis, keep):
    rank = len(x.shape)
    axis %= rank
    out, found = [], ""
    for o in indices([1 if d == axis else n for d, n in enumerate(x.shape)]):
        values = [x.value(o[:axis] + (k,) + o[axis + 1:]) for k in range(x.shape[axis])]
        k = extremum(values, 1 if op == "argmax" else -1)
        if k > limits(y.e)[1]:
            k, found = 0, "RT-INDEX"
        out.append(wrap(k, y.e))
    return y.like(out), found


def reduce_rows():
    cases = [([5], [0], "true"), ([5], [], "false"), ([2, 3, 4], [1], "false"),
             ([2, 3, 4], [-1, 0], "true"), ([2, 3, 4], [0, 2], "false"), ([2, 3, 4], [], "true"),
             ([2, 2, 3, 1, 2], [1, -2], "false"), ([2, 2, 3, 1, 2], [0, 1, 2, 3, 4], "false"),
             ([1], [0], "false")]
    for op in ("reduce_sum", "reduce_max", "reduce_min"):
        for shape, axes, keep in cases:
            task(f"{op} axes={axes} keepdims={keep}", 1 if op == "reduce_sum" else 0)
            y_shape = reduced_shape(shape, axes, keep == "true")

            def one(e, qx=None, qy=None, values=None, x_strides=None, small=False):
                x = some(e, shape, small=small, quant=qx, strides=x_strides)
                if values:
                    x = x.like([rng.choice(values) for _ in range(count(shape))])
                row([x], [reduce(op, x, blank(e, y_shape, quant=qy), axes, keep == "true")])

            for e in FLOATS:
                attempt(one, e)
                ok = [p for p in specials(e) if p & (2 ** (BITS[e] - 1) - 1)]
                attempt(one, e, values=ok)
            for e in ALL_WHOLES:
                attempt(one, e)
            attempt(one, "i8", per_tensor(0.5, 3), per_tensor(0.5, 3))
            attempt(one, "i8", per_tensor(0.31, 3), per_tensor(2.7, -5))
            attempt(one, "u8", per_tensor(0.5, 128), None)
            attempt(one, "i16", per_channel(0, varied(shape[0]), zeros(shape[0])),
                    per_tensor(0.21, 2))
            if len(shape) == 3:
                attempt(one, "bf16", x_strides=[1, 9, 2])
                attempt(one, "i4", x_strides=[13, 4, 1])
    for op in ("argmax", "argmin"):
        for shape, axis, keep in (([7], 0, "true"), ([7], -1, "false"), ([3, 4], 0, "false"),
                                  ([2, 3, 4], -2, "true"), ([2, 3, 2, 2, 1], 2, "false"),
                                  ([1], 0, "false")):
            task(f"{op} axis={axis} keepdims={keep}")
            y_shape = reduced_shape(shape, [axis], keep == "true")
            kinds = ["i8", "u8", "i16", "u16", "i32", "u32"]
            for n, e in enumerate(FLOATS + ALL_WHOLES):
                made = kinds[n % 6]
                values = [wrap(v, e) for v in (1, 2, 3, 5)] if not is_float(e) else [
                    round_float(v, e) for v in (1.5, -2, 3, 3, 0.0, -0.0)]
                x = T(e, shape, [rng.choice(values) for _ in range(count(shape))])
                row([x], [argument(op, x, blank(made, y_shape), axis, keep == "true")[0]])
                x = T(e, shape, [rng.choice(specials(e)) for _ in range(count(shape))])
                row([x], [argument(op, x, blank(made, y_shape), axis, keep == "true")[0]])
        task(f"{op} axis=1 keepdims=false")
        for made in ("i8", "u8", "i16"):
            x = np.full((2, 300), 5)
            x[0, 299 if made != "i8" else 128] = 9 if op == "argmax" else 1
            x[1, 127] = 9 if op == "argmax" else 1
            x = make("i8", [2, 300], list(x.reshape(-1)))
            out, found = argument(op, x, blank(made, [2]), 1, False)
            row([x], [out], found)


def pooling():
    group("pooling")
    pool_rows()
    group("reductions")
    reduce_rows()


# ---- layout


VIEW = ["i8", "i16", "i32", "f16", "bf16", "f32"]


def patterns(e, shape, **rest):
    """Any bits, NaNs too: they are only moved."""
    if rng.randrange(3) == 0:
        return T(e, shape, [rng.choice(specials(e)) for _ in range(count(shape))], **rest)
    return T(e, shape, [rng.getrandbits(BITS[e]) for _ in range(count(shape))], **rest)


def spread(shape, turn):
    """Strides that leave gaps, in some order of the dimensions."""
    order = list(range(len(shape)))
    rng.shuffle(order)
    out, n = [0] * len(shape), 1 + turn % 2
    for d in order:
        out[d] = n
        n = n * shape[d] + turn % 3
    return out


def with_strides(t, turn):
    return t.like(t.bits, strides=spread(t.shape, turn)) if turn % 3 == 2 else t


def slice_indices(n, start, end, step):
    start, end = (v + n if v < 0 else v for v in (start, end))
    if step > 0:
        start, end = (min(max(v, 0), n) for v in (start, end))
    else:
        start, end = min(max(start, 0), n - 1), min(max(end, -1), n - 1)
    out = []
    while start < end if step > 0 else start > end:
        out.append(start)
        start += step
    return out


def cast_value(v, source, e):
    """The pattern that a number has as an element of type e."""
    if is_float(e):
        return round_float(v, e)
    if not is_float(source):
        return wrap(v, e)
    if v != v:
        return 0
    return wrap(limits(e)[v > 0] if math.isinf(v) else clip(math.trunc(v), e), e)


def layout():
    group("layout")
    turn = 0

    def moved(x, bits):
        nonlocal turn
        turn += 1
        bits = np.asarray(bits)
        y = with_strides(T(x.e, list(bits.shape), bits), turn)
        row([with_strides(x, turn // 2)], [y])

    for shape, perm in (([5], [0]), ([2, 3], [1, 0]), ([2, 3], [0, 1]), ([2, 3, 4], [2, 0, 1]),
                        ([2, 3, 4], [0, 2, 1]), ([3, 1, 2, 2], [3, 1, 0, 2]),
                        ([2, 1, 3, 2, 2], [4, 2, 0, 1, 3]), ([9, 17], [1, 0])):
        task(f"transpose perm={perm}")
        for e in VIEW:
            x = patterns(e, shape)
            moved(x, np.transpose(x.bits, perm))
    for shape, target, made in (([6], [2, 3], [2, 3]), ([2, 3, 4], [4, -1], [4, 6]),
                                ([2, 3, 4], [24], [24]), ([2, 1, 3], [3, 2], [3, 2]),
                                ([2, 2, 2, 2, 2], [1, 32], [1, 32]), ([4], [-1, 1, 2], [2, 1, 2])):
        task(f"reshape target_shape={target}")
        for e in VIEW:
            x = patterns(e, shape)
            moved(x, x.bits.reshape(made))
    for shape, starts, ends, axes, steps in (
            ([10], [8], [2], [0], [-2]), ([10], [2], [9], [0], [3]), ([10], [-1], [-100], [0], [-1]),
            ([10], [-4], [1000], [-1], [1]), ([10], [100], [-11], [0], [-4]),
            ([4, 5], [1, 0], [3, 5], [0, 1], [1, 2]), ([4, 5], [4], [0], [1], [-3]),
            ([3, 4, 5], [0, -2], [2, -5], [-3, 1], [1, -1]), ([2, 3, 4, 2], [1], [2], [2], [1]),
            ([2, 2, 2, 3, 2], [0, 2, 1], [1, -4, 2], [4, 3, 0], [1, -2, 1]),
            ([6], [-9223372036854775807], [9223372036854775807], [0], [5]),
            ([6], [9223372036854775807], [-9223372036854775807], [0], [-9223372036854775807]),
            ([6], [1], [9223372036854775807], [0], [9223372036854775807])):
        task(f"slice starts={starts} ends={ends} axes={axes} steps={steps}")
        for e in VIEW:
            x = patterns(e, shape)
            bits = x.bits
            for s, t, a, p in zip(starts, ends, axes, steps):
                bits = np.take(bits, slice_indices(shape[a], s, t, p), axis=a)
            moved(x, bits)
    x = make("i8", [10], range(10))
    task("slice starts=[8] ends=[2] axes=[0] steps=[-2]")
    y = make("i8", [3], [8, 6, 4])
    row([x], [y])
    for shapes, axis in (([[3]], 0), ([[3], [1], [2]], -1), ([[2, 3], [4, 3]], 0),
                         ([[2, 3], [2, 1], [2, 2]], 1), ([[2, 1, 3], [2, 4, 3]], -2),
                         ([[1, 2, 2, 1, 2], [1, 2, 2, 3, 2]], 3)):
        pieces = [s[axis] for s in shapes]
        for e in VIEW:
            turn += 1
            xs = [patterns(e, s) for s in shapes]
            whole = np.concatenate([x.bits for x in xs], axis=axis)
            whole = T(e, list(whole.shape), whole)
            task(f"concat axis={axis}")
            row([with_strides(x, turn + k) for k, x in enumerate(xs)], [with_strides(whole, turn // 3)])
            task(f"split axis={axis} split_sizes={pieces}")
            row([with_strides(whole, turn)], [with_strides(x, turn // 2 + k) for k, x in enumerate(xs)])
    for shape, pads in (([4], [2, 3]), ([4], [0, 0]), ([3], [7, 9]), ([1], [2, 1]),
                        ([2, 3], [1, 0, 0, 2]), ([2, 1, 3], [0, 1, 2, 1, 0, 2]),
                        ([1, 2, 2, 1, 2], [0, 1, 0, 0, 1, 1, 0, 0, 2, 0])):
        n = len(shape)
        widths = list(zip(pads[:n], pads[n:]))
        for mode in ("reflect", "edge", "wrap"):
            task(f"pad pads={pads} mode={mode}")
            for e in VIEW:
                x = patterns(e, shape)
                bits = x.bits
                for a, (before, after) in enumerate(widths):
                    bits = np.take(bits, pad_indices(shape[a], before, after, mode), axis=a)
                moved(x, bits)
        for fill in (None, 2.75, -3.9, 1000000, 0.1):
            task(f"pad pads={pads} mode=constant{'' if fill is None else f' constant_value={fill}'}")
            for e in VIEW:
                x = patterns(e, shape)
                moved(x, np.pad(x.bits, widths, constant_values=cast_value(float(fill or 0), "f32", e)))
    for mode, want in (("reflect", [3, 2, 1, 2, 3, 4, 3, 2, 1]), ("edge", [1, 1, 1, 2, 3, 4, 4, 4, 4]),
                       ("wrap", [3, 4, 1, 2, 3, 4, 1, 2, 3])):
        assert [k + 1 for k in pad_indices(4, 2, 3, mode)] == want
    turn_of_kinds = 0
    for shape, axis, index_shape in (([5], 0, [3]), ([5], -1, [2, 2]), ([3, 4], 0, [2]),
                                     ([3, 4], 1, [1, 3]), ([2, 3, 2], -2, [4]),
                                     ([2, 1, 3, 2], 2, [2]), ([2, 3], 0, [2, 1, 2, 1])):
        task(f"gather axis={axis}")
        for e in VIEW:
            for is_wrong in (False, False, True):
                kind = ALL_WHOLES[turn_of_kinds % 7]
                turn_of_kinds += 1
                n = shape[axis]
                low = 0 if kind[0] == "u" else -n
                chosen = [rng.randrange(low, n) for _ in range(count(index_shape))]
                if is_wrong:
                    if e not in ("i8", "f32"):
                        continue
                    chosen[-1] = rng.choice([n, limits(kind)[1]] + ([-n - 1] if low else []))
                index = make(kind, index_shape, chosen)
                x = patterns(e, shape)
                ok = [k if -n <= k < n else 0 for k in chosen]
                bits = np.take(x.bits, np.asarray(ok).reshape(index_shape), axis=axis)
                for k, at in zip(chosen, indices(index_shape)):
                    if not -n <= k < n:
                        bits[(slice(None),) * (axis % len(shape)) + at] = 0
                turn += 1
                y = T(e, list(bits.shape), bits)
                row([with_strides(x, turn), index], [with_strides(y, turn // 2)],
                    "RT-INDEX" if is_wrong else "")
    task("reshape target_shape=[4]")  # other descriptors: nothing is quantized again
    x = make("i8", [2, 2], [1, -2, 3, 127], quant=per_tensor(0.5, 3))
    row([x], [T("i8", [4], x.bits, quant=per_tensor(0.25, 0))])


def pad_indices(n, before, after, mode):
    out = []
    for k in range(-before, n + after):
        if mode == "edge":
            k = min(max(k, 0), n - 1)
        elif mode == "wrap":
            k %= n
        elif n == 1:
            k = 0
        else:  # there and back again
            k %= 2 * (n - 1)
            k = min(k, 2 * (n - 1) - k)
        out.append(k)
    return out


# ---- normalization, softmax and conversions


def by_axis(f, x, axis, extra=()):
    """f: lists along an axis to lists; one rounding at the end."""
    axis %= len(x.shape)
    bits = np.empty(x.shape, dtype=object)
    for o in indices([1 if d == axis else n for d, n in enumerate(x.shape)]):
        places = [o[:axis] + (k,) + o[axis + 1:] for k in range(x.shape[axis])]
        for p, v in zip(places, f([x.value(p) for p in places], *extra)):
            bits[p] = round_float(v, x.e)
    return x.like(bits)


def layernorm(x, scale, bias, epsilon):
    n = len(x)
    mean = float_sum(x) / n
    root = sqrt(float_sum([(v - mean) ** 2 for v in x]) / n + epsilon)
    return [divide(v - mean, root) * s + b for v, s, b in zip(x, scale, bias)]


def rmsnorm(x, scale, epsilon):
    root = sqrt(float_sum([v * v for v in x]) / len(x) + epsilon)
    return [divide(v, root) * s for v, s in zip(x, scale)]


def softmax(x):
    if any(v != v for v in x):
        return [nan] * len(x)
    top = max(x)
    e = [exp(v - top) for v in x]
    return [v / float_sum(e) for v in e]


def log_softmax(x):
    if any(v != v for v in x):
        return [nan] * len(x)
    top = max(x)
    all_ = log(float_sum([exp(v - top) for v in x]))
    return [v - top - all_ for v in x]


def normalization():
    group("normalization")
    shapes = (([4], 0), ([1], -1), ([3, 5], 1), ([3, 5], 0), ([2, 3, 4], -2), ([2, 1, 3, 2], 2),
              ([2, 2, 2, 1, 3], -5), ([2, 33], -1))

    def values(e, shape, **rest):
        return make(e, shape, [rng.gauss(0, 3) for _ in range(count(shape))], **rest)

    for op in ("softmax", "log_softmax"):
        f = softmax if op == "softmax" else log_softmax
        for n, (shape, axis) in enumerate(shapes):
            task(f"{op} axis={axis}", 2)
            for e in FLOATS:
                x = values(e, shape)
                y = by_axis(f, x, axis)
                row([with_strides(x, n)], [with_strides(y, n + 1)])
        task(f"{op} axis=-1", 2)
        for e in FLOATS:
            x = make(e, [7, 3], [0, 0, 0, -inf, -inf, -inf, nan, 1, 2, inf, 1, 2, -inf, 1, 2, 30000,
                                 29000, -30000, -0.0, 1e-7, 5])
            row([x], [by_axis(f, x, -1)])
    for op in ("layernorm", "rmsnorm"):
        for n, (shape, axis) in enumerate(shapes):
            epsilon = (1e-5, 0.5, 0)[n % 3] if shape != [1] else 0.25
            task(f"{op} axis={axis} epsilon={real(epsilon) if epsilon else 0}", 2)
            length = shape[axis]
            for e in FLOATS:
                for extra in range(3 if op == "layernorm" else 2):
                    x = values(e, shape)
                    more = [values(e, [length]) for _ in range(extra)]
                    lists = [[t.value((k,)) for k in range(length)] for t in more]
                    if op == "layernorm":
                        defaults = [[1.0] * length, [0.0] * length]
                        lists += defaults[len(lists):]
                    else:
                        lists += [[1.0] * length] * (1 - len(lists))
                    y = by_axis(layernorm if op == "layernorm" else rmsnorm, x, axis,
                                (*lists, epsilon))
                    row([with_strides(x, n + extra)] + more, [with_strides(y, n + extra + 1)])
        task(f"{op} axis=1 epsilon=0", 2)
        for e in FLOATS:  # no variance, infinities, NaN, numbers whose squares are large
            x = make(e, [5, 3], [0, 0, 0, 2, 2, 2, inf, 1, 2, nan, 1, 2, 60000, -60000, 30000])
            lists = ([1.0] * 3, [0.0] * 3) if op == "layernorm" else ([1.0] * 3,)
            row([x], [by_axis(layernorm if op == "layernorm" else rmsnorm, x, 1, (*lists, 0.0))])
    known = ((softmax, [1, 2, 3], "c32dd5335239", "softmax axis=0", ()),
             (log_softmax, [1, 2, 3], "d1c0a1bd86b6", "log_softmax axis=0", ()),
             (layernorm, [1, 2, 3, 4], "5ebd28b728375e3d"[:0] + "5ebd28b728373d"[:0], "", ()))
    for f, list_, want, text, extra in known[:2]:
        task(text)
        x = make("f16", [len(list_)], list_)
        y = by_axis(f, x, 0, extra)
        assert y.memory().hex() == want
        row([x], [y])
    for f, want, text, extra in (
            (layernorm, [0xBD5E, 0xB728, 0x3728, 0x3D5E], "layernorm", ([1.0] * 4, [0.0] * 4, 1e-5)),
            (rmsnorm, [0x35D8, 0x39D8, 0x3C62, 0x3DD8], "rmsnorm", ([1.0] * 4, 1e-5))):
        task(f"{text} axis=0 epsilon=1.0e-5")
        x = make("f16", [4], [1, 2, 3, 4])
        y = by_axis(f, x, 0, extra)
        assert list(y.bits) == want
        row([x], [y])


def conversions():
    group("conversions")
    task("cast")
    every = list(BITS)
    for a, b in itertools.product(every, every):
        chosen = specials(a) + [rng.getrandbits(BITS[a]) for _ in range(6)]
        if is_float(a):  # around the limits, halves, and ties of narrower floats
            more = [200.7, -3.9, 127.5, 128, -128.9, -129, 255.9, 32767.5, -32769, 65535.5, 2147483647,
                    2147483648, -2147483649, 4294967295, 4294967296, 65504, 65519.99, 65520,
                    2.0**-24, 2.0**-25, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 3 * 2.0**-8,
                    0.1, 3.3895314e38]
            chosen += [round_float(v, a) for v in more]
        else:
            chosen += [wrap(v, a) for v in (300, 70000, 16777217, 2147483583, 65519, 65520, 257)]
        x = T(a, [len(chosen)], chosen)
        row([x], [T(b, [len(chosen)], [cast_value(value_of(p, a), a, b) for p in chosen])])
    turn = 2
    for a, b in (("f32", "i4"), ("i4", "f16"), ("i8", "i4"), ("i4", "i4"), ("u32", "bf16")):
        x = T(a, [3, 1, 3], [rng.choice(specials(a)) for _ in range(9)])
        bits = [cast_value(x.value(i), a, b) for i in indices(x.shape)]
        row([x], [T(b, x.shape, bits)])  # 9 elements: a nibble remains
        turn += 3
        y = T(b, x.shape, bits)
        row([with_strides(x, turn)], [y if b == "i4" else with_strides(y, turn)])
    x = make("i8", [3], [1, -2, 127], quant=per_tensor(0.5, 3))  # descriptors mean nothing to it
    row([x], [make("f16", [3], [1, -2, 127])])
    row([make("f16", [3], [1.7, -2, 300])], [make("i8", [3], [1, -2, 127], quant=per_tensor(0.5, 3))])

    forms = [([5], None), ([4, 6], per_channel(0, [0.5, 0.25, 0.03, 2.0], [0, -4, 9, 1])),
             ([2, 3, 2], per_channel(2, [0.1, 0.7], [-100, 100])),
             ([4, 6], per_group(1, 4, [0.3, 0.06], [3, -3])),
             ([2, 1, 5, 1, 2], per_group(2, 2, [0.3, 0.06, 1.5], [3, -3, 0]))]
    task("quantize")

    def quantized(e, shape, q, values=None):
        x = some(e, shape, small=False)
        if values:
            x = make(e, shape, values)
        y = blank("i8", shape, quant=q)
        bits = []
        for i in indices(shape):
            s, z = q.pair(i)
            v = float(np.float32(np.float32(x.value(i)) / np.float32(s)))
            bits.append(wrap(sat_round(v, "i8", z), "i8"))
        row([with_strides(x, len(current))], [with_strides(y.like(bits), len(current) + 1)])

    for e in ("f16", "f32"):
        for q in (per_tensor(0.5, 0), per_tensor(0.1, 5), per_tensor(0.5, 1000), per_tensor(1.0e-30, 0)):
            quantized(e, [14], q, [0.25, 0.75, 1.25, -0.25, -0.75, 63.75, 64, -64.25, -100, nan, inf,
                                   -inf, -0.0, 6e-8])
        for shape, q in forms:
            quantized(e, shape, q or per_tensor(0.37, -3))
            quantized(e, shape, q or per_tensor(3.0e-3, 17))
    task("dequantize")
    for e in ("f16", "f32"):
        for shape, q in forms + [([5], per_tensor(0.1, 127)), ([5], per_tensor(1000.0, 1000)),
                                 ([5], per_tensor(1.0e-8, 3)), ([5], per_tensor(3.0e38, -3))]:
            q = q or per_tensor(0.37, -3)
            x = T("i8", shape, [rng.getrandbits(8) for _ in range(count(shape))], quant=q)
            bits = []
            for i in indices(shape):
                s, z = q.pair(i)
                bits.append(round_float(float(np.float32(np.float32(x.value(i) - z) * np.float32(s))), e))
            y = T(e, shape, bits)
            row([with_strides(x, len(current))], [with_strides(y, len(current) + 1)])


# ---- whole programs


def programs():
    group("programs")
    task("program")
    data = bytes(rng.getrandbits(8) for _ in range(16))
    for op in ("transfer", "store"):
        for mode in ("async", "sync"):
            program(f"buffer A : L2 (size=16); buffer B : L1 (size=20); buffer Y : L2 (size=20);"
                    f"t = {op}.{mode}(dst=region(B, 1, 17), src=region(A, 2, 11));"
                    f"u = {op}.{mode}(dst=region(Y, 0, 20), src=region(B, 0, 20), deps=[t])",
                    {"A": data, "B": b"\x77" * 20}, {"Y": b"\x77" + data[2:13] + b"\x77" * 8,
                                                    "A": data})
    for src, dst in ((0, 3), (3, 0), (5, 5), (0, 8)):
        want = bytearray(data)
        want[dst:dst + 8] = data[src:src + 8]
        program(f"buffer B : L2 (size=16);"
                f"t = transfer.sync(dst=region(B, {dst}, 8), src=region(B, {src}, 8)) @memmove",
                {"B": data}, {"B": bytes(want)})
    # Bytes are copied as they are, whatever the layouts and strides say.
    program("buffer A : DDR (size=8); buffer Y : DDR (size=8);"
            "transfer.sync(dst=region(Y, 0, 8) elem=i8, shape=[4, 2], layout=KN,"
            " src=region(A, 0, 8) elem=i8, shape=[2, 4], layout=NK)",
            {"A": data[:8]}, {"Y": data[:8]})
    program("buffer A : L2 (size=11); buffer Y : L2 (size=11);"
            "transfer.sync(dst=region(Y, 0, 11) elem=i8, shape=[2, 4], strides=[6, 1],"
            " src=region(A, 0, 11) elem=i8, shape=[2, 4], strides=[6, 1])",
            {"A": data[:11]}, {"Y": data[:11]})
    # Operations in place.
    x = make("f16", [6], [1, -2, 0.5, -0.0, 3, -5])
    typed = "elem=f16, shape=[6], layout=x"
    for text, f in (("relu.sync in R out R", lambda: each(UNARY["relu"], [x], x)[0]),
                    ("add.sync in R, R out R", lambda: each(BINARY["add"], [x, x], x)[0]),
                    ("softmax.sync in R out R axis=0", lambda: by_axis(softmax, x, 0)),
                    ("rmsnorm.sync in R, R out R axis=0 epsilon=0.5", lambda: by_axis(
                        rmsnorm, x, 0, ([x.value((k,)) for k in range(6)], 0.5))),
                    ("reshape.sync in R out R target_shape=[6]", lambda: x)):
        program(f"buffer B : L1 (size=14); let R = region(B, 1, 12) {typed}; {text}",
                {"B": b"\x11" + x.memory() + b"\x22"}, {"B": b"\x11" + f().memory() + b"\x22"})
    # compute has no function to call.
    program(f"buffer B : L1 (size=12); buffer Y : L1 (size=12);"
            f"compute.sync in region(B, 0, 12) {typed} out region(Y, 0, 12) {typed} op=\"fft\"",
            {"B": x.memory()}, {}, "RT-UNSUPPORTED")
    program("buffer B : L1 (size=12); buffer Y : L1 (size=12);"
            "compute.sync in region(B, 0, 12) elem=f16, shape=[6], layout=x"
            " out region(Y, 0, 12) elem=f16, shape=[6], layout=x op=\"sort\" attrs={k=1, by=\"value\"}",
            {"B": x.memory()}, {}, "RT-UNSUPPORTED")
    # Constants that are missing: bytes that nothing wrote are 0.
    program(f"buffer Z : L2 (size=12); buffer Y : L2 (size=12); exp.sync in region(Z, 0, 12) {typed}"
            f" out region(Y, 0, 12) {typed}", {}, {"Y": make("f16", [6], [1] * 6).memory()}, "RT-UNINIT")
    tiles()
    attention()
    ring()


def tiles():
    """Rows by rows of a product, with two tiles in flight, its bias and relu behind it."""
    a, b, c = some("i8", [6, 5], quant=per_tensor(0.5, 1)), some("i8", [5, 3], quant=per_channel(
        1, [0.5, 0.25, 1.0], [0, 2, -1])), make("i32", [3], [100, -200, 300])
    y = blank("i8", [6, 3], quant=per_tensor(9.0, -4))
    out, _ = gemm(a, b, c, y)
    y, _ = each(UNARY["relu"], [out], out)
    program("""
const rows = 2 const k = 5 const n = 3
buffer A : DDR (size=30) @readonly buffer B : DDR (size=15) buffer C : DDR (size=12)
buffer Y : DDR (size=18) @writeonly
buffer a : L1 (size=2 * rows * k) buffer b : L1 (size=k * n) buffer c : L1 (size=12)
buffer y : L1 (size=2 * rows * n)
let w = region(b, 0, k * n) elem=i8, shape=[k, n], layout=KN,
    quant=per_channel(axis=1, scales=[0.5, 0.25, 1.0], zero_points=[0, 2, -1])
let bias = region(c, 0, 12) elem=i32, shape=[n], layout=N
t0 = transfer.async(dst=w, src=region(B, 0, 15))
t1 = transfer.async(dst=bias, src=region(C, 0, 12))
wait(t0, t1)
loop i in [0..2] @max_in_flight(2):
  let x = region(a, (i mod 2) * rows * k, rows * k) elem=i8, shape=[rows, k], layout=MK,
      quant=per_tensor(scale=0.5, zero_point=1)
  let made = region(y, (i mod 2) * rows * n, rows * n) elem=i8, shape=[rows, n], layout=MN,
      quant=per_tensor(scale=9.0, zero_point=-4)
  t2 = transfer.async(dst=x, src=region(A, i * rows * k, rows * k))
  t3 = gemm.async in x, w, bias out made deps=[t2] accum_type=i32
  t4 = relu.async in made out made deps=[t3]
  t5 = store.async(dst=region(Y, i * rows * n, rows * n), src=made, deps=[t4])
endloop""", {"A": a.memory(), "B": b.memory(), "C": c.memory()}, {"Y": y.memory()})


def attention():
    """softmax(q k^T) v."""
    q, k, v = (some("f16", s) for s in ([2, 3], [4, 3], [4, 2]))
    scores, _ = gemm(q, k.like(k.bits, layout="NK"), None, blank("f16", [2, 4]), True)
    weights = by_axis(softmax, scores, -1)
    y, _ = gemm(weights, v, None, blank("f16", [2, 2]), True)
    program("""
buffer Q : L2 (size=12) buffer K : L2 (size=24) buffer V : L2 (size=16) buffer Y : L2 (size=8)
buffer S : L1 (size=16)
let s = region(S, 0, 16) elem=f16, shape=[2, 4], layout=MN
t0 = gemm.async in region(Q, 0, 12) elem=f16, shape=[2, 3], layout=MK,
     region(K, 0, 24) elem=f16, shape=[4, 3], layout=NK out s accum_type=f32 @deterministic
t1 = softmax.async in s out s deps=[t0] axis=-1
t2 = matmul.async in s, region(V, 0, 16) elem=f16, shape=[4, 2], layout=KN
     out region(Y, 0, 8) elem=f16, shape=[2, 2], layout=MN deps=[t1] accum_type=f32 @deterministic
""", {"Q": q.memory(), "K": k.memory(), "V": v.memory()}, {"Y": y.memory()})


def ring():
    """A sum of all tiles before: iterations one after another, and a loop in a loop."""
    x = some("i16", [4, 3])
    rows_, total = [], [0, 0, 0]
    for r in range(4):
        total = [t + x.value((r, k)) for k, t in enumerate(total)]
        rows_ += total
    y = make("i16", [4, 3], rows_)
    program("""
buffer X : L2 (size=24) buffer Y : L2 (size=24) buffer sum : L1 (size=6) buffer x : L1 (size=6)
let all = region(sum, 0, 6) elem=i16, shape=[3], layout=x
let new = region(x, 0, 6) elem=i16, shape=[3], layout=x
sub.sync in region(X, 0, 6) elem=i16, shape=[3], layout=x,
  region(X, 0, 6) elem=i16, shape=[3], layout=x out all
loop i in [0..1]:
  loop j in [0..1]:
    t0 = transfer.async(dst=new, src=region(X, (2 * i + j) * 6, 6))
    t1 = add.async in all, new out all deps=[t0]
    wait(t1)
    store.async(dst=region(Y, (2 * i + j) * 6, 6), src=all)
  endloop
endloop""", {"X": x.memory()}, {"Y": y.memory()})


# ---- known patterns, and the files


def check():
    f16 = [round_float(v, "f16") for v in (65504, 65519.99, 65520, 2.0**-24, 2.0**-25,
                                           2.0**-25 * 1.0001, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 0.1,
                                           -0.0)]
    assert f16 == [0x7BFF, 0x7BFF, 0x7C00, 1, 0, 1, 0x3C00, 0x3C02, 0x2E66, 0x8000]
    bf16 = [round_float(v, "bf16") for v in (1 + 2.0**-8, 1 + 3 * 2.0**-8, 0.1, 3.4028234663852886e38,
                                             3.3895314e38, nan)]
    assert bf16 == [0x3F80, 0x3F82, 0x3DCD, 0x7F80, 0x7F7F, 0x7FC0]
    assert make("i4", [3], [-8, 7, 3]).memory(True) == b"\x78\x03"
    for e, kind in (("f16", np.float16), ("f32", np.float32)):
        for _ in range(2000):
            v = math.ldexp(rng.gauss(0, 1), rng.randrange(-30, 20))
            assert round_float(v, e) == int.from_bytes(kind(v).tobytes(), "little")


def main():
    check()
    for part in (elementwise, products, pooling, layout, normalization, conversions, programs):
        part()
    where = os.path.dirname(os.path.abspath(__file__))
    for name, lines in groups.items():
        with open(os.path.join(where, f"operations_{name}.txt"), "w", encoding="ascii",
                  newline="\n") as f:
            f.write("# Recorded by operations.py, which says what stands here.\n")
            for a, b in zip(lines, lines[1:] + [""]):
                f.write(a + "\n")


if __name__ == "__main__":
    main()
