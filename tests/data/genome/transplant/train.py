# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Trains the teachers of the tests of transplantation, and makes students of other depths with random
# weights, as NAC containers: python3 train.py TESSERA, the tool's path, with PyTorch 2.13 and numpy. The
# task: the direction of a wave, one of eight, on an image of 12 by 12 pixels or in 12 vectors.

import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
from torch import nn

FOLDER = pathlib.Path(__file__).parent
CLASSES, SIZE, WIDTH = 8, 12, 12


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.norm_a = nn.BatchNorm2d(WIDTH)
        self.b = nn.Conv2d(WIDTH, WIDTH, 3, padding=1, bias=False)
        self.norm_b = nn.BatchNorm2d(WIDTH)

    def forward(self, x):
        y = self.norm_b(self.b(torch.relu(self.norm_a(self.a(x)))))
        return torch.relu(x + y)


class Images(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.stem = nn.Conv2d(1, WIDTH, 3, padding=1)
        self.blocks = nn.Sequential(*[Residual() for _ in range(depth)])
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        return self.head(self.blocks(torch.relu(self.stem(x[:, None]))).mean((2, 3)))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.norm_mlp = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        x = x + self.project(nn.functional.scaled_dot_product_attention(q, k, v))
        return x + self.down(nn.functional.gelu(self.up(self.norm_mlp(x))))


class Sequences(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.embed = nn.Linear(SIZE, WIDTH)
        self.positions = nn.Parameter(torch.randn(1, SIZE, WIDTH) * 0.1)
        self.layers = nn.Sequential(*[Layer() for _ in range(depth)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        return self.head(self.norm(self.layers(self.embed(x) + self.positions)).mean(1))


def samples(count, generator):
    label = torch.randint(CLASSES, (count,), generator=generator)
    angle = (label * math.tau / CLASSES / 2)[:, None, None]
    phase = torch.rand(count, 1, 1, generator=generator) * math.tau
    y, x = torch.meshgrid(torch.arange(float(SIZE)), torch.arange(float(SIZE)), indexing="ij")
    wave = torch.sin((x * torch.cos(angle) + y * torch.sin(angle)) * 1.2 + phase)
    return wave + 0.3 * torch.randn(count, SIZE, SIZE, generator=generator), label


def train(network, generator):
    optimizer = torch.optim.Adam(network.parameters(), 0.005)
    for _ in range(400):
        x, label = samples(64, generator)
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(x), label).backward()
        optimizer.step()
    network.eval()
    x, label = samples(512, generator)
    return (network(x).argmax(1) == label).float().mean().item()


def export(network, name, x):
    with tempfile.NamedTemporaryFile(suffix=".pt2") as archive:
        torch.export.save(torch.export.export(network.eval(), (x,)), archive.name)
        subprocess.run([sys.argv[1], "import", archive.name, "-o", FOLDER / (name + ".nac")], check=True)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(2)
    x, _ = samples(16, torch.Generator().manual_seed(3))
    numpy.save(FOLDER / "samples.npy", x.numpy())
    for name, make, depths in (("images", Images, (1, 2, 4)), ("sequences", Sequences, (1, 2, 4))):
        teacher = make(3)
        print(name, "teacher's share of right answers:", train(teacher, generator))
        export(teacher, name + "_teacher", x)
        for depth in depths:
            export(make(depth), f"{name}_{depth}", x)


main()
