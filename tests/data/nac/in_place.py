# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for programs of random views and forms in place.

    python3 tests/data/nac/in_place.py            # writes in_place.txt beside it

A line "program N" begins one, in NAC's assembly; its only input is float32[2,3,4], -11.5 to 11.5 in
steps of 1. Then come the outputs: "= DIMS : VALUES".
"""

import os
import random

import torch

A = torch.ops.aten
PROGRAMS = 125


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = ["nac 1.8", "code:", "  v0 = input"]
        self.values = [torch.arange(24, dtype=torch.float32).reshape(2, 3, 4) - 11.5]
        for _ in range(self.random.randint(4, 14)):
            try:
                self.add(self.pick(lambda t: True))
            except (RuntimeError, IndexError):
                pass  # PyTorch refuses it
        tensors = [i for i, v in enumerate(self.values) if isinstance(v, torch.Tensor)]
        self.outputs = [0] + [i for i in tensors[1:] if self.random.random() < 0.5]
        self.lines.append("  output(%s)" % ", ".join("v%d" % i for i in self.outputs))

    def pick(self, fits):
        found = [i for i, t in enumerate(self.values) if isinstance(t, torch.Tensor) and fits(t)]
        return self.random.choice(found[-6:] if self.random.random() < 0.6 else found)

    def op(self, name, *arguments):
        """Arguments are constants, but for the indices of values, which are in sets."""
        packet, overload = name.split(".")
        tensors = [self.values[next(iter(a))] if isinstance(a, set) else a for a in arguments]
        made = getattr(getattr(A, packet), overload)(*tensors)
        words = ["v%d" % next(iter(a)) if isinstance(a, set) else repr(a) for a in arguments]
        self.lines.append("  v%d = aten.%s(%s)" % (len(self.values), name, ", ".join(words)))
        self.values.append(list(made) if isinstance(made, (list, tuple)) else made)

    def parts(self, name, *arguments):
        self.op(name, *arguments)
        at, parts = len(self.values) - 1, self.values[-1]
        for k in self.random.sample(range(len(parts)), min(2, len(parts))):
            self.lines.append("  v%d = operator.getitem(v%d, %d)" % (len(self.values), at, k))
            self.values.append(parts[k])

    def add(self, i):
        r = self.random.random()
        (self.view if r < 0.45 else self.change if r < 0.88 else self.compute)(i, self.values[i])

    def view(self, i, t):
        r = self.random
        axis = r.randrange(t.dim()) if t.dim() else 0
        what = r.randrange(12)
        if what == 0:
            self.op("select.int", {i}, axis, r.randrange(t.size(axis)))
        elif what == 1:
            first = r.randrange(t.size(axis) + 1)
            last = r.randint(first, t.size(axis))
            self.op("slice.Tensor", {i}, axis, first, last, r.choice([1, 1, 2]))
        elif what == 2:
            self.op("transpose.int", {i}, axis, r.randrange(t.dim()))
        elif what == 3:
            self.op("unsqueeze.default", {i}, r.randrange(t.dim() + 1))
        elif what == 4:
            self.op("squeeze.default", {i})
        elif what == 5:
            self.op("view.default", {i}, [t.numel()])
        elif what == 6:
            order = list(range(t.dim()))
            r.shuffle(order)
            self.op("permute.default", {i}, order)
        elif what == 7:
            self.parts("split.Tensor", {i}, 1, axis)
        elif what == 8:
            self.parts("unbind.int", {i}, axis)
        elif what == 9:
            self.op("detach.default", {i})
        elif what == 10:
            self.op("alias.default", {i})
        else:
            sizes = [2 if n == 1 and r.random() < 0.5 else n for n in t.shape]
            self.op("expand.default", {i}, sizes)

    def change(self, i, t):
        r = self.random
        number = float(r.choice([-2, 0.5, 3, 1.25]))
        what = r.randrange(12)
        if what == 0:
            self.op("relu_.default", {i})
        elif what == 1:
            self.op("mul_.Scalar", {i}, number)
        elif what == 2:
            self.op("fill_.Scalar", {i}, number)
        elif what == 3:
            self.op("clamp_.default", {i}, -3.5, 5.25)
        elif what == 4:
            self.op("hardtanh_.default", {i}, -2.5, 6.25)
        elif what < 8:
            other = self.pick(lambda u: u.shape == t.shape or u.dim() == 0)
            mine, its = (v.untyped_storage().data_ptr() for v in (t, self.values[other]))
            if mine == its and other != i:
                return  # they overlap: PyTorch's result depends on the order of elements
            self.op(["copy_.default", "add_.Tensor", "sub_.Tensor"][what - 5], {i}, {other})
        elif what == 8:
            self.op("unsqueeze_.default", {i}, 0)
        elif what == 9:
            self.op("transpose_.default", {i}, 0, 1)
        elif what == 10:
            self.op("squeeze_.default", {i})
        else:
            self.op("detach_.default", {i})

    def compute(self, i, t):
        what = self.random.randrange(5)
        if what == 0:
            self.op("relu.default", {i})
        elif what == 1:
            self.op("add.Tensor", {i}, 1.5)
        elif what == 2:
            self.op("clone.default", {i})
        elif what == 3:
            self.op("reshape.default", {i}, [t.numel()])
        else:
            self.op("contiguous.default", {i})


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_place.txt")
    with open(path, "w") as to:
        to.write("# What PyTorch %s gives for random views and forms in place.\n"
                 % torch.__version__.split("+")[0])
        to.write("# Made by in_place.py, which tells what is here.\n")
        for seed in range(PROGRAMS):
            program = Program(seed)
            to.write("program %d\n%s\n" % (seed, "\n".join(program.lines)))
            for i in program.outputs:
                v = program.values[i]
                to.write("= %s : %s\n" % (" ".join(map(str, v.shape)),
                                         " ".join("%.9g" % x for x in v.flatten().tolist())))


main()
