# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Writes small networks as NAC v1.2 streams, with what PyTorch gives for them.

    python3 tests/data/genome/networks/decompose.py     # writes the other files of this folder

registry.json       of all streams
NAME.b64            a network as torch.export has it, decomposed by an empty table; "core", to core operations
NAME.safetensors    its parameters by name, and "input.K" and "output.K"

Nodes are those of the exported graph in its order. Registries and nodes have the forms that the
original tools give them: D ascending and without duplicates; constants that are equal in Python are
one, whatever their types are (False is 0, True and 1.0 are 1); one constant alone has no key;
signatures sort their keywords. What these forms can't tell is told so:

    B           counts in D as it is written, so that it says what is which argument
    add, mul    the tensors come in the order of their names in B, since it doesn't matter
    1 - x       a constant alone in front of a tensor has its key, in a group of one
    lists       of tensors aren't part of B where they are as D has them; in another order, with one
                twice or with other elements they are written like arguments of their own
    COPY        would lose which of several inputs is meant: there is none
    assertions  give nothing, and are left out
"""

import base64
import json
import math
import os
import struct

import numpy
import torch
import torch.nn.functional as F
from torch import nn


class Registry:
    def __init__(self):
        self.canonical = {name: i for i, name in enumerate(
            ["<NONE>", "<PAD>", "<DATA_INPUT>", "<PARAM_INPUT>", "<OUTPUT>", "<CONST_REF>",
             "<PATTERN_PREFIX>", "<COPY_PREFIX>", "<CONTROL_FLOW_PREFIX>", "<RESERVED>"])}
        self.variations, self.groups, self.parameters = {}, {}, {}
        self.values, self.constants = [], {}

    def operation(self, text):
        return self.canonical.setdefault(text, len(self.canonical))

    @staticmethod
    def of(table, text):
        return table.setdefault(text, len(table) + 10)

    def constant(self, value):
        for i, known in enumerate(self.values):
            if known == value or (known is value):
                return i + 10
        self.values.append(value)
        number = len(self.values) + 9
        name, stored = type(value).__name__, value
        if isinstance(value, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            name, stored = "torch." + name, str(value)
        elif isinstance(value, slice):
            stored = [value.start, value.stop, value.step]
        elif isinstance(value, (list, tuple)):
            stored = list(value)
        elif isinstance(value, float) and not math.isfinite(value):
            stored = str(value)
        self.constants[number] = {"type": name, "value": stored}
        return number

    def write(self, path):
        def reverse(table):
            return {str(i): text for text, i in table.items()}

        with open(path, "w") as out:
            json.dump({"canonical_to_index": self.canonical,
                       "index_to_canonical": reverse(self.canonical),
                       "variation_to_index": self.variations,
                       "constants": self.constants,
                       "constant_group_to_index": self.groups,
                       "index_to_constant_group": reverse(self.groups),
                       "param_name_to_index": self.parameters,
                       "index_to_param_name": reverse(self.parameters),
                       "patterns": {},
                       "rules": {"transition_rules": {}, "composition_rules": {},
                                 "structural_rules": {}}}, out, indent=0)
            out.write("\n")


registry = Registry()


def is_node(v):
    return isinstance(v, torch.fx.Node)


def node_of(n, ids):
    """A, B, C and D of an operation."""
    inputs = sorted({ids[i] for i in n.all_input_nodes})
    arguments = {}
    shift = 0
    for i, a in enumerate(n.args):
        key = f"arg{i + shift}"
        if not isinstance(a, (list, tuple)) or not any(map(is_node, a)):
            arguments[key] = a
            continue
        others = {ids[x] for x in n.args[:i] + n.args[i + 1:] if is_node(x)}
        listed = [ids[x] if is_node(x) else -1 for x in a]
        if listed == sorted(set(listed) - {-1}) and not others & set(listed):
            continue
        for k, x in enumerate(a):
            arguments[f"arg{i + k}"] = x
        shift = len(a) - 1
    arguments.update(n.kwargs)
    tensors = {k: v for k, v in arguments.items() if is_node(v)}
    constants = {k: v for k, v in arguments.items() if not is_node(v)}
    order = sorted(tensors)
    if str(n.target) in ("aten.add.Tensor", "aten.mul.Tensor"):
        order.sort(key=lambda k: tensors[k].name)
    order = ",".join(f"in{inputs.index(ids[tensors[k]])}" for k in order)
    b = registry.of(registry.variations, order) if order else 1
    c = 0
    in_front = "arg0" in constants and tensors and str(n.target) != "aten.pow.Scalar"
    if len(constants) == 1 and not in_front:
        c = registry.constant(*constants.values())
    elif constants:
        parts = ";".join(f"{k}={registry.constant(constants[k])}" for k in sorted(constants))
        c = -registry.of(registry.groups, parts) - 1
    keywords = repr(tuple(sorted(n.kwargs))).replace("()", "")
    keywords = f"({keywords.strip('()')})"
    a = registry.operation(f"{n.target}:node_args({len(inputs)}):kwargs{keywords}")
    return a, b, c, inputs


def write_tensors(path, tensors):
    types = {torch.float32: "F32", torch.int64: "I64", torch.bool: "BOOL", torch.int32: "I32"}
    header, data = {}, b""
    for name, t in tensors.items():
        elements = t.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": types[t.dtype], "shape": list(t.shape),
                        "data_offsets": [len(data), len(data) + len(elements)]}
        data += elements
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def record(folder, name, net, inputs, core=False):
    net.eval()
    exported = torch.export.export(net, inputs).run_decompositions(None if core else {})
    kinds = {s.arg.name: s for s in exported.graph_signature.input_specs}
    held = {**exported.state_dict, **exported.constants}
    ids, stream, tensors = {}, b"", {}
    for n in exported.graph.nodes:
        if n.op == "placeholder" and kinds[n.name].target is None:
            a, b, c, d = 2, 1, 0, []
        elif n.op == "placeholder":
            a, b, c, d = 5, 1, registry.of(registry.parameters, f"{name}.{n.name}"), []
            tensors[f"{name}.{n.name}"] = held[kinds[n.name].target]
        elif n.target is torch.ops.aten._assert_tensor_metadata.default:
            continue
        elif n.op == "output":
            a, b, c = 4, 1, 0
            d = [ids[x] for x in n.args[0]]
        else:
            assert n.op == "call_function", n.op
            a, b, c, d = node_of(n, ids)
        ids[n] = len(ids)
        stream += struct.pack(f">BBhB{len(d)}h", a, b, c, len(d), *d)
    outputs = net(*inputs)
    for i, t in enumerate(inputs):
        tensors[f"input.{i}"] = t
    for i, t in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
        tensors[f"output.{i}"] = t
    with open(os.path.join(folder, name + ".b64"), "w") as out:
        out.write(base64.b64encode(stream).decode() + "\n")
    write_tensors(os.path.join(folder, name + ".safetensors"), tensors)
    if name == "perceptron":
        numpy.save(os.path.join(folder, name + ".npy"), inputs[0].numpy())
    print(name, len(ids), "nodes", len(stream), "bytes")


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8, bias=False), nn.Tanh(),
                                    nn.Dropout(0.5), nn.Linear(8, 5), nn.Softmax(dim=1))

    def forward(self, x):
        return self.layers(x)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        return F.relu(y + (x if self.down is None else self.down(x)))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(2, 4, 5, 1, 2, groups=2)
        self.norm = nn.BatchNorm2d(4)
        self.blocks = nn.Sequential(Block(4, 4, 1), Block(4, 4, 1), Block(4, 6, 2))
        self.last = nn.Linear(6, 3)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                for t in (m.running_mean, m.bias.data):
                    t.uniform_(-0.5, 0.5)
                for t in (m.running_var, m.weight.data):
                    t.uniform_(0.5, 1.5)

    def forward(self, x):
        x = F.avg_pool2d(F.relu(self.norm(self.first(x))), 3, 2, 1)
        x = self.blocks(x)
        return self.last(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class Layer(nn.Module):
    """Attention written out, with a mask; layer norm after each part."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x, mask):
        batch, n, width = x.shape
        shape = (batch, n, self.heads, width // self.heads)
        q = self.q(x).view(shape).permute(0, 2, 1, 3)
        k = self.k(x).view(shape).permute(0, 2, 3, 1)
        v = self.v(x).view(shape).transpose(1, 2)
        scores = torch.matmul(q, k) / math.sqrt(width // self.heads) + mask
        y = torch.matmul(torch.softmax(scores, dim=-1), v)
        x = self.first_norm(self.o(y.transpose(1, 2).reshape(batch, n, width)) + x)
        return self.second_norm(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(11, 8, padding_idx=0), nn.Embedding(6, 8)
        self.layers = nn.ModuleList(Layer(8, 2) for _ in range(2))
        self.pool = nn.Linear(8, 4)

    def forward(self, ids, attention):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        mask = (1.0 - attention[:, None, None, :].to(x.dtype)) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, mask)
        return x, torch.tanh(self.pool(x[:, 0]))


class RootNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width).uniform_(0.5, 1.5))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


class Decoder(nn.Module):
    """A causal layer with rotated positions, grouped keys and a gate."""

    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.words = nn.Embedding(13, width)
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * self.size, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.first, self.second = RootNorm(width), RootNorm(width)
        self.gate, self.up = (nn.Linear(width, 12, bias=False) for _ in range(2))
        self.down = nn.Linear(12, width, bias=False)
        angles = 1 / 100 ** (torch.arange(0, self.size, 2).float() / self.size)
        self.register_buffer("angles", angles, persistent=False)

    @staticmethod
    def turn(x, cos, sin):
        left, right = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-right, left), dim=-1) * sin

    def forward(self, ids):
        x = self.words(ids)
        batch, n, width = x.shape
        angles = torch.outer(torch.arange(n).float(), self.angles)
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos(), angles.sin()
        y = self.first(x)
        q = self.q(y).view(batch, n, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(batch, n, 1, 2 * self.size).transpose(1, 2).split(self.size, dim=-1)
        q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)
        k, v = (t.expand(batch, self.heads, n, self.size) for t in (k, v))
        hidden = torch.full((n, n), float("-inf")).triu(1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=hidden, scale=0.4)
        y = y + F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).contiguous().view(batch, n, width))
        y = self.second(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return F.linear(x, self.words.weight)


class Elementwise(nn.Module):
    """Orders of arguments, numbers on both sides, and one tensor twice."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, -1.5, 2.0]))

    def forward(self, x, y):
        a = x + x
        b = a - x * self.w
        c = self.w - b
        d = torch.sub(y, c, alpha=2)
        e = torch.add(d, 3, alpha=0.5)
        f = 1 / (1 + torch.exp(-e)) + 2 - torch.sigmoid(e)
        g = torch.where(x > y, a, b) + torch.where(x > 0, x, 0.25) + torch.where(y < 0, -1.0, y)
        h = torch.pow(2.0, y) + torch.pow(x, 3) + torch.pow(torch.abs(self.w), y)
        i = torch.clamp(x, -0.5, 0.5) + torch.clamp(y, max=0.3) + torch.clamp(x, min=-0.1)
        j = F.gelu(x, approximate="tanh") + F.leaky_relu(y, 0.2) + F.elu(x, 0.7) + F.softplus(y)
        k = F.relu(x) + F.silu(x) + F.hardswish(x) + F.hardsigmoid(y) + torch.tanh(y)
        m = x.masked_fill(x > y, -1.0) + torch.maximum(y, x) - torch.minimum(x, y)
        n = torch.remainder(x, 0.75) + torch.floor(y) + torch.round(x * 4)
        o = (torch.logical_and(x > 0, y > 0) | ~(x < y)).to(torch.float32) + (x >= 0.5).float()
        p = torch.log(torch.abs(x) + 1) + torch.sqrt(torch.abs(y)) + torch.erf(x) + torch.reciprocal(y)
        q = x // 0.5 + torch.sin(x) * torch.cos(y) + torch.rsub(x, y) + torch.rsub(y, 3, alpha=2)
        return f, g, h, i, j, k, m, n, o, p, q, torch.isnan(x / (x - x)), (x > 0).sum()


class Reductions(nn.Module):
    def forward(self, x):
        top, where = x.max(dim=1)
        low, lowest = torch.min(x, 2, keepdim=True)
        first, second, third = x.split([1, 2, 1], dim=2)
        one, two = x.chunk(2, dim=1)
        values, places = torch.topk(x, 2, dim=-1)
        ordered, order = torch.sort(x, dim=1, descending=True)
        a, b = x.unbind(0)
        var, mean = torch.var_mean(x, dim=2, correction=0)
        return (top, where, low, lowest, second - first * third, two / one, values, places, ordered,
                order, b - a, var - mean, x.mean(), x.sum((0, 2)), x.mean(1, keepdim=True),
                x.var(-1), x.std(1, unbiased=False), x.amax((1, 2)), x.amin(0, keepdim=True),
                x.argmax(), x.argmin(dim=2), x.cumsum(1), (x > 0).any(), (x > -9).all(1), F.log_softmax(x, 2),
                F.softmax(x, 1, dtype=torch.float64).float(), x.sum(0, dtype=torch.float32))


class Indices(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(5, 3))

    def forward(self, x, i):
        rows = self.table[i]
        late = x * 2
        columns = x[:, :, i]
        both = x[torch.arange(2), i[:2]]
        slices = x[1:, ::2, -3:-1], x[..., None, 0], x[:, 1], x.narrow(1, 1, 2)
        joined = (torch.cat([late, x], 1), torch.cat([x, late]), torch.cat((x, x, late), -1),
                  torch.stack([x, late], 1), torch.stack((late, x)), torch.cat((late, x, late), 1))
        made = (torch.zeros(2, 3), torch.ones(2, dtype=torch.int64), torch.full((2, 2), 7.5),
                torch.zeros_like(x, dtype=torch.bool), torch.arange(1, 9, 3), torch.arange(2.5),
                x.new_zeros((1, 2)), torch.full_like(i, 3), torch.linspace(0, 1, 5),
                torch.tensor([2.5, 1.5]) + x[0, 0, :2])
        moved = (x.flip([1, 2]), x.roll(1, 2), x.repeat(1, 2, 1), x.expand(2, 3, 4).unsqueeze(0),
                 x.permute(2, 0, 1), x.unsqueeze(1).squeeze(1), x.flatten(1), F.pad(x, (1, 2, 0, 1)),
                 F.pad(x, [1, 1], value=-3.0), x.tril(-1), x.transpose(-1, 0), x[:, 0].t(),
                 torch.tile(x, (2, 1)), x.movedim(0, 2), x.reshape(-1, 6))
        taken = (torch.gather(x, 2, i.view(1, 1, -1).expand(2, 3, 3)), x.index_select(2, i),
                 x.scatter(2, i.view(1, 1, 3).expand(2, 3, 3), late),
                 torch.einsum("bij,kj->bik", x, x[0]), F.embedding(i, self.table),
                 x.masked_fill(x > 1, 0), x[0].matmul(self.table[:4]), torch.bmm(x, late.mT),
                 i.to(torch.float32), (x[0, 0] > 0).long(), x.int(), i // 2, i % 2, i / 2)
        return (rows, columns, both, *slices, *joined, *made, *moved, *taken)


class Picture(nn.Module):
    def __init__(self):
        super().__init__()
        self.narrow, self.wide = nn.Conv2d(2, 4, 3, padding=1), nn.ConvTranspose2d(4, 2, 2, stride=2)
        self.norm, self.line = nn.GroupNorm(2, 4), nn.Conv1d(2, 3, 3, dilation=2, bias=False)
        self.same, self.slope = nn.Conv2d(4, 4, 3, padding="same", groups=4), nn.PReLU(4)

    def forward(self, x):
        y = self.slope(self.norm(self.narrow(x)))
        z = self.wide(F.avg_pool2d(self.same(y), 2))
        up = F.interpolate(z, scale_factor=2.0)
        down = F.adaptive_avg_pool2d(up, (3, 2))
        return z + x, self.line(z.flatten(2)), down, F.max_pool2d(y, 3, 2, 1)


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    torch.manual_seed(12)
    torch.set_num_threads(1)
    ids = torch.tensor([[3, 7, 1, 10, 0, 0], [5, 5, 2, 9, 4, 8]])
    attention = (ids != 0).long()
    encoder, decoder, residual = Encoder(), Decoder(), Residual()
    picture = torch.randn(2, 2, 8, 8)
    x, y = torch.randn(4, 3), torch.randn(4, 3)
    block, places = torch.randn(2, 3, 4), torch.tensor([2, 0, 3])
    with torch.no_grad():
        record(folder, "perceptron", Perceptron(), (torch.randn(3, 6),))
        record(folder, "residual", residual, (picture,))
        record(folder, "residual_core", residual, (picture,), core=True)
        record(folder, "encoder", encoder, (ids, attention))
        record(folder, "encoder_core", encoder, (ids, attention), core=True)
        record(folder, "decoder", decoder, (ids,))
        record(folder, "elementwise", Elementwise(), (x, y))
        record(folder, "reductions", Reductions(), (block,))
        record(folder, "indices", Indices(), (block, places))
        record(folder, "picture", Picture(), (picture,))
    registry.write(os.path.join(folder, "registry.json"))


main()
