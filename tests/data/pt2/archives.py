# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Makes the archives of this folder with PyTorch 2.13: python3 archives.py FOLDER
#
# Small programs that each use another part of the format. Weights are random with fixed seeds. The
# exporter's stack traces and modules are replaced, so that the files don't depend on the machine.

import os
import sys

import torch
from torch import nn
from torch._higher_order_ops import while_loop
from torch.export import Dim, export, save

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


class Two(nn.Module):
    """relu(x + w)"""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))

    def forward(self, x):
        return torch.relu(x + self.w)


class Network(nn.Module):
    """Convolution, batch normalization and a linear layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.head = nn.Linear(2, 3)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


class Dynamic(nn.Module):
    """Symbolic sizes, numbers that are computed from them, and a boolean."""

    def forward(self, x, y, n):
        z = torch.cat([x, y, x])
        torch._check(n <= 8)
        return z.view(-1, 2), torch.arange(z.shape[0]) * n, z.sum() * (z.shape[0] * 0.5)


class Branches(nn.Module):
    """cond and while_loop."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: self.a(x), lambda x: x - 1, (x,))
        return while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2),
                          (torch.zeros((), dtype=torch.int64), y))


class Cache(nn.Module):
    """A buffer that is written in place, and one that isn't saved."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(4, 2))
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("scale", torch.tensor([0.5, 2.0]), persistent=False)

    def forward(self, x):
        self.cache.index_copy_(0, self.position, x * self.scale)
        self.position.add_(1)
        return self.cache.sum(0)


class Storages(nn.Module):
    """Tied, sliced and transposed weights, constants, several element types."""

    def __init__(self):
        super().__init__()
        whole = torch.arange(12, dtype=torch.float32)
        self.a = nn.Parameter(whole[:6].view(2, 3))
        self.b = nn.Parameter(whole[3:9].view(3, 2).t())
        self.tied = self.a
        self.register_buffer("brain", torch.ones(3, dtype=torch.bfloat16))
        self.register_buffer("mask", torch.tensor([True, False, True]))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("wave", torch.tensor([1 + 2j]))
        self.constant = torch.tensor([3, 4], dtype=torch.int16)

    def forward(self, x):
        y = x * self.a + self.b + self.tied
        return (torch.where(self.mask, y, self.brain), self.empty, self.wave.real,
                y.sum() + self.constant + torch.tensor([0.1, 0.2]))


class Tree(nn.Module):
    """Nested inputs and outputs, constants among them, and arguments of many kinds."""

    def forward(self, pair, *, options, mode="sum", flag=True, nothing=None):
        x, y = pair
        z = x[:, None, torch.tensor([0, 1])] + options["bias"]
        parts = torch.split(z, [1, 2], 0)
        w = torch.nn.functional.interpolate(y[None, None], scale_factor=[2.0, 1.5], mode="nearest")
        return {"parts": parts, "w": w, "n": 3, "x": x.to(torch.float64), "nothing": None,
                "v": torch.full((2,), float("inf")), "names": [x, (y,)]}


def neutral(program):
    """Without what depends on the machine or the run."""
    for module in program.graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for i, node in enumerate(module.graph.nodes):
            for key in ("from_node", "custom", "source_fn_stack"):
                node.meta.pop(key, None)
            if "stack_trace" in node.meta:
                node.meta["stack_trace"] = (
                    f'File "model.py", line {i + 1}, in forward\n    caf\u00e9 \U0001f600 = {node.name}')
    return program


def make(name, program, **more):
    save(neutral(program), os.path.join(folder, name + ".pt2"), **more)


def main():
    torch.manual_seed(7)
    x = torch.randn(2, 3)
    make("two", export(Two().eval(), (x,)))
    image = torch.randn(2, 1, 4, 4)
    network = export(Network().eval(), (image,))
    make("network", network, extra_files={"labels.txt": "a\nb\nc\n"})
    make("network_core", export(Network().eval(), (image,)).run_decompositions())
    batch, rows = Dim("batch", min=2, max=64), Dim.AUTO
    make("dynamic", export(Dynamic(), (torch.randn(2, 2), torch.randn(3, 2), 4),
                           dynamic_shapes=({0: batch}, {0: rows}, Dim.AUTO)))
    make("branches", export(Branches().eval(), (torch.randn(2, 2),)))
    make("cache", export(Cache(), (torch.randn(1, 2),)))
    make("cache_core", export(Cache(), (torch.randn(1, 2),)).run_decompositions())
    make("storages", export(Storages(), (torch.randn(2, 3),)))
    make("tree", export(Tree(), ((torch.randn(3, 4), torch.randn(2, 2)),),
                        {"options": {"bias": torch.randn(2)}, "mode": "sum", "flag": True,
                         "nothing": None}))
    from torch.export.pt2_archive._package import package_pt2
    package_pt2(os.path.join(folder, "programs.pt2"),
                exported_programs={"first": neutral(export(Two().eval(), (x,))),
                                   "second": neutral(export(Cache(), (torch.randn(1, 2),)))})


main()
