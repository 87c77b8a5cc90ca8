# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for the networks of bench/nac_networks.hpp.

    python3 tests/data/nac/networks.py            # writes networks.txt beside it
    python3 tests/data/nac/networks.py --time     # milliseconds of one thread's time

Values are computed in float64 from the float32 weights; `difference` is that of PyTorch's own result
in float32, relative to the largest value. Operations are those of torch.export, decomposed by an
empty table. Weights must have the same bits as those of the header, which tells how they are made.
"""

import collections
import math
import os
import statistics
import sys
import time

import numpy
import torch
import torch.nn.functional as F
from torch import nn


class Random:
    def __init__(self):
        self.tensors = 0

    def whole(self, count):
        self.tensors += 1
        step = numpy.uint64(0x9E3779B97F4A7C15)
        z = numpy.uint64(self.tensors << 40) + numpy.arange(1, count + 1, dtype=numpy.uint64) * step
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z = z ^ (z >> numpy.uint64(31))
        return torch.from_numpy((z >> numpy.uint64(53)).astype(numpy.int64) - 1024)

    def weights(self, shape, inputs, gain=1):
        scale = math.isqrt((3 << 24) * gain // inputs)
        return (self.whole(math.prod(shape)) * scale).float().mul(2.0**-22).reshape(shape)

    def around(self, count, centre, spread):
        return centre + self.whole(count).float() * 2.0**-10 * spread

    def below(self, count, end):
        return (self.whole(count) + 1024) * end // 2048


def fill(module, **values):
    for name, value in values.items():
        getattr(module, name).data.copy_(value)
    return module


def linear(random, inputs, outputs):
    return fill(nn.Linear(inputs, outputs), weight=random.weights((outputs, inputs), inputs),
                bias=random.around(outputs, 0, 0.125))


def convolution(random, inputs, outputs, kernel, stride):
    c = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
    shape = (outputs, inputs, kernel, kernel)
    return fill(c, weight=random.weights(shape, inputs * kernel * kernel, 2))


def batch_norm(random, channels, centre):
    return fill(nn.BatchNorm2d(channels), weight=random.around(channels, centre, 0.25),
                bias=random.around(channels, 0, 0.125), running_mean=random.around(channels, 0, 0.125),
                running_var=random.around(channels, 1, 0.25))


def layer_norm(random, width):
    return fill(nn.LayerNorm(width), weight=random.around(width, 1, 0.25),
                bias=random.around(width, 0, 0.125))


class Block(nn.Module):
    def __init__(self, random, inputs, outputs, stride):
        super().__init__()
        self.first = convolution(random, inputs, outputs, 3, stride)
        self.first_norm = batch_norm(random, outputs, 1)
        self.second = convolution(random, outputs, outputs, 3, 1)
        self.second_norm = batch_norm(random, outputs, 0.5)
        self.down = stride != 1
        if self.down:
            self.third = convolution(random, inputs, outputs, 1, stride)
            self.third_norm = batch_norm(random, outputs, 0.75)

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        if self.down:
            x = self.third_norm(self.third(x))
        return F.relu(y + x)


class Residual(nn.Module):
    def __init__(self, size, classes, widths):
        super().__init__()
        random = Random()
        self.inputs = (random.weights((1, 3, size, size), 1),)
        self.first = convolution(random, 3, widths[0], 7, 2)
        self.norm = batch_norm(random, widths[0], 1)
        blocks, channels = [], widths[0]
        for stage, width in enumerate(widths):
            for block in range(2):
                stride = 2 if stage != 0 and block == 0 else 1
                blocks.append(Block(random, channels, width, stride))
                channels = width
        self.blocks = nn.Sequential(*blocks)
        self.last = linear(random, channels, classes)

    def forward(self, x):
        x = F.relu(self.norm(self.first(x)))
        x = self.blocks(F.max_pool2d(x, 3, 2, 1))
        return self.last(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Layer(nn.Module):
    def __init__(self, random, width, heads, feed_forward):
        super().__init__()
        self.heads = heads
        self.q = linear(random, width, width)
        self.k = linear(random, width, width)
        self.v = linear(random, width, width)
        self.o = linear(random, width, width)
        self.first_norm = layer_norm(random, width)
        self.up = linear(random, width, feed_forward)
        self.down = linear(random, feed_forward, width)
        self.second_norm = layer_norm(random, width)

    def forward(self, x, mask):
        batch, n, width = x.shape
        q, k, v = self.q(x), self.k(x), self.v(x)
        shape = (batch, n, self.heads, width // self.heads)
        q, k, v = (t.view(shape).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = self.first_norm(x + self.o(y.transpose(1, 2).reshape(batch, n, width)))
        return self.second_norm(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, layers, width, heads, sequence, feed_forward, vocabulary):
        super().__init__()
        random = Random()
        ids = random.below(sequence, vocabulary).reshape(1, sequence)
        mask = torch.arange(sequence) < sequence - sequence // 4
        self.inputs = (ids, mask.reshape(1, 1, 1, sequence))
        self.words = fill(nn.Embedding(vocabulary, width), weight=random.weights((vocabulary, width), 1))
        self.positions = nn.Parameter(random.weights((sequence, width), 1))
        self.layers = nn.ModuleList(Layer(random, width, heads, feed_forward) for _ in range(layers))

    def forward(self, ids, mask):
        x = self.words(ids) + self.positions
        for layer in self.layers:
            x = layer(x, mask)
        return x


networks = {
    "residual_narrow": (lambda: Residual(32, 10, [8, 16, 32, 64]), 1),
    "residual": (lambda: Residual(224, 1000, [64, 128, 256, 512]), 37),
    "encoder_narrow": (lambda: Encoder(6, 32, 4, 16, 64, 50), 13),
    "encoder": (lambda: Encoder(6, 256, 4, 128, 1024, 1000), 1009),
}


def operations(net):
    """With their constants, and how often each is there; sorted."""
    graph = torch.export.export(net, net.inputs).run_decompositions({}).graph

    def text(v):
        if isinstance(v, torch.fx.Node):
            return "T"
        return f"{v:g}" if isinstance(v, float) else str(v)

    lines = collections.Counter()
    for node in graph.nodes:
        if node.op == "call_function":
            name = getattr(node.target, "__name__", "") if callable(node.target) else ""
            if isinstance(node.target, torch._ops.OpOverload):
                name = str(node.target)
            assert not node.kwargs
            lines[f"{name}({', '.join(map(text, node.args))})"] += 1
    return [f"{lines[line]} {line}" for line in sorted(lines)]


def record(to):
    print("# What PyTorch " + torch.__version__.split("+")[0] + " gives for the networks of "
          "bench/nac_networks.hpp.", file=to)
    print("# Made by networks.py, which tells what is here.", file=to)
    for name, (make, step) in networks.items():
        net = make().eval()
        print(f"\nnetwork {name}", file=to)
        for line in operations(net):
            print("operation", line, file=to)
        single = net(*net.inputs)
        double = net.double()(*(x.double() if x.is_floating_point() else x for x in net.inputs))
        difference = (single.double() - double).abs().max() / double.abs().max()
        print("dims", *single.shape, file=to)
        print(f"difference {difference.item():.2g}", file=to)
        print(f"step {step}", file=to)
        values = [f"{v:.9g}" for v in double.flatten()[::step].tolist()]
        for i in range(0, len(values), 8):
            print("values", *values[i:i + 8], file=to)


def measure():
    for name, (make, _) in networks.items():
        net = make().eval()
        for _ in range(5):
            net(*net.inputs)
        times = []
        for _ in range(41):
            start = time.thread_time()
            net(*net.inputs)
            times.append((time.thread_time() - start) * 1000)
        print(f"{name}: {statistics.median(times):.3f} ms, at best {min(times):.3f}")


torch.set_num_threads(1)
with torch.no_grad():
    if sys.argv[1:] == ["--time"]:
        measure()
    else:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "networks.txt"), "w") as out:
            record(out)
