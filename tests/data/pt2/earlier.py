# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Makes the archives of earlier PyTorch versions in the folder `earlier`, with inputs and outputs:
#
#   python3 earlier.py [FOLDER]     with PyTorch 2.5.1: flat_NAME.pt2, which it saves, and flat.safetensors
#   python3 earlier.py [FOLDER]     with PyTorch 2.13: pickled_NAME.pt2 and flat_8_7_NAME.pt2, and repacked.safetensors;
#                                   programs of 2.13 in the containers of 2.8 and 2.7
#
# Small programs with random weights and fixed seeds. What depends on the machine or the run is replaced.

import io
import json
import os
import struct
import sys
import types
import zipfile

import torch
from torch import nn
from torch.export import Dim, export, save

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "earlier")
is_2_5 = torch.__version__.startswith("2.5.")


class Two(nn.Module):
    """relu(x + w)"""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, -2.0, 3.0]))

    def forward(self, x):
        return torch.relu(x + self.w)


class ConvBn(nn.Module):
    """Batch normalization, of which version 2.5 exports a functional form."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, padding=1)
        self.norm = nn.BatchNorm2d(2)
        self.head = nn.Linear(2, 3)
        nn.init.normal_(self.norm.running_mean)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


class Lengths(nn.Module):
    """Attention over a symbolic length: products of symbols."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)

    def forward(self, x):
        b, s, d = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, 2, 2).permute(2, 0, 3, 1, 4).unbind(0)
        mask = torch.ones(s, s, dtype=torch.bool).tril()
        a = (q @ k.transpose(-1, -2)).masked_fill(~mask, float("-inf")).softmax(-1)
        return (a @ v).transpose(1, 2).reshape(b, s, d), torch.cat([x, x], 1).mean(-1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.cell(x)
        return out, h, c


class Choice(nn.Module):
    """cond, whose results are a list in version 2.5."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x).relu(), lambda x: self.a(x) - 1, (x,))


class Tree(nn.Module):
    """Nested inputs and outputs, None among both, an index without a tensor."""

    def forward(self, pair, *, options, nothing=None):
        x, y = pair
        z = x[:, None, torch.tensor([0, 1])] + options["bias"]
        return {"z": z, "pair": [x * 2, (y,)], "nothing": None}


class Storages(nn.Module):
    """Tied, sliced and transposed weights, every element type that a pickle names, constants."""

    def __init__(self):
        super().__init__()
        whole = torch.arange(12, dtype=torch.float32)
        self.a = nn.Parameter(whole[:6].view(2, 3))
        self.b = nn.Parameter(whole[3:9].view(3, 2).t(), requires_grad=False)
        self.tied = self.a
        for name in ("float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8"):
            self.register_buffer("of_" + name, torch.arange(3).to(getattr(torch, name)))
        self.register_buffer("of_bool", torch.tensor([True, False, True]))
        self.register_buffer("of_complex64", torch.tensor([1 + 2j]))
        self.register_buffer("of_complex128", torch.tensor([3 - 1j], dtype=torch.complex128))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.register_buffer("kept", torch.full((300,), 0.5), persistent=False)
        self.constant = torch.tensor([3, 4, 5], dtype=torch.int16)

    def forward(self, x):
        y = x * self.a + self.b + self.tied
        z = self.of_float64 + self.of_int64 + self.of_int32 + self.of_int16 + self.of_int8 + self.of_uint8
        return (torch.where(self.of_bool, y, self.of_bfloat16), z, self.of_float16 * 2, self.empty * 2,
                y.sum() + self.constant + torch.tensor([0.25, 2.0, 4.0]), self.kept[:2] * 2)


class Counter(nn.Module):
    """A buffer that every run changes: buffer_mutation in version 2.5."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        self.count.add_(x)
        return self.count * 2


def x(*shape):
    return torch.randn(*shape)


programs = {
    "two": (Two, lambda: (x(2, 3),), {}),
    "conv_bn": (ConvBn, lambda: (x(2, 1, 4, 4),), {}),
    "lengths": (Lengths, lambda: (x(2, 3, 4),), {"dynamic_shapes": ({1: Dim("length", min=2, max=64)},)}),
    "recurrent": (Recurrent, lambda: (x(2, 4, 3),), {}),
    "choice": (Choice, lambda: (x(2, 2),), {}),
    "tree": (Tree, lambda: ((x(3, 4), x(2, 2)),), {"kwargs": {"options": {"bias": torch.tensor([1.0, 2.0])}, "nothing": None}}),
    "storages": (Storages, lambda: (x(2, 3),), {}),
    "counter": (Counter, lambda: (x(2),), {}),
}
runs = {"lengths": 2, "counter": 2}
flat_names = list(programs) if is_2_5 else ["two", "storages"]
pickled_names = [] if is_2_5 else ["two", "storages", "lengths"]


def neutral(program):
    for module in program.graph_module.modules():
        if not isinstance(module, torch.fx.GraphModule):
            continue
        for i, node in enumerate(module.graph.nodes):
            for key in ("nn_module_stack", "torch_fn", "from_node", "custom", "source_fn_stack"):
                node.meta.pop(key, None)
            if "stack_trace" in node.meta:
                node.meta["stack_trace"] = f'File "model.py", line {i + 1}, in forward'
    return program


def saved(value):
    to = io.BytesIO()
    torch.save(value, to)
    return to.getvalue()


def repack(path, program, minor):
    """The program in the container of version 2.7 (minor 7) or 2.8 (minor 8)."""
    raw = io.BytesIO()
    save(program, raw)
    with zipfile.ZipFile(raw) as z:
        root = z.namelist()[0].split("/")[0]
        text = json.loads(z.read(f"{root}/models/model.json"))
        inputs = z.read(f"{root}/data/sample_inputs/model.pt")
    text["schema_version"]["minor"] = minor
    constants = {k: v for k, v in program.constants.items() if isinstance(v, torch.Tensor)}
    state, constants, text = saved(dict(program.state_dict)), saved(constants), json.dumps(text)
    name = os.path.basename(path)[:-4]
    if minor == 7:
        members = {"serialized_exported_program.json": text, "serialized_state_dict.pt": state,
                   "serialized_constants.pt": constants, "serialized_example_inputs.pt": inputs, "version": f"8.{minor}",
                   "extra_files/labels.txt": "a\nb\n"}
    else:
        members = {f"{name}/{k}": v for k, v in {
            "models/model.json": text, "data/weights/model.pt": state, "data/constants/model.pt": constants,
            "data/sample_inputs/model.pt": inputs, "extra/labels.txt": "a\nb\n", "archive_format": "pt2", "archive_version": "0",
            ".data/version": "6\n", "byteorder": "little", ".data/serialization_id": "0" * 40}.items()}
    with zipfile.ZipFile(path, "w") as z:
        for member, content in members.items():
            z.writestr(member, content)


def safetensors(path, tensors):
    names = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
             torch.int32: "I32", torch.int16: "I16", torch.uint8: "U8", torch.bool: "BOOL"}
    header, at, payloads = {}, 0, []
    for name in sorted(tensors):
        t = tensors[name].detach().contiguous()
        data = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
        header[name] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        payloads.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(payloads))


def tensors_in(tree):
    return [v for v in torch.utils._pytree.tree_leaves(tree) if isinstance(v, torch.Tensor)]


def record(data, name, program, inputs, kwargs, count):
    run = program.module()
    for k in range(count):
        prefix = name if k == 0 else f"{name}.run{k}"
        given = inputs if k == 0 else tuple(torch.cat([t, t + k], -1 if t.dim() == 1 else 1)[..., :t.shape[-1]] for t in inputs)
        for i, t in enumerate(tensors_in((given, kwargs))):
            data[f"{prefix}.in{i}"] = t.clone()
        with torch.no_grad():
            for i, t in enumerate(tensors_in(run(*given, **kwargs))):
                data[f"{prefix}.out{i}"] = t.clone()


def main():
    torch.set_num_threads(1)
    # The zip files of version 2.5 say when they were made.
    zipfile.time = types.SimpleNamespace(time=lambda: 0, localtime=lambda *of: (1980, 1, 1, 0, 0, 0, 0, 1, 0))
    os.makedirs(folder, exist_ok=True)
    data = {}
    for name, (module, inputs, how) in programs.items():
        if name not in flat_names + pickled_names:
            continue
        torch.manual_seed(1)
        made, given, kwargs = module().eval(), inputs(), how.get("kwargs", {})
        program = neutral(export(made, given, kwargs, dynamic_shapes=how.get("dynamic_shapes")))
        files = []
        if is_2_5:
            files = [f"flat_{name}"]
            save(program, os.path.join(folder, files[0] + ".pt2"))
        for names, prefix, minor in ((flat_names, "flat_8_7_", 7), (pickled_names, "pickled_", 8)):
            if is_2_5 or name not in names:
                continue
            files.append(prefix + name)
            repack(os.path.join(folder, files[-1] + ".pt2"), program, minor)
        for file in files:
            record(data, file, program, given, kwargs, runs.get(name, 1))
    safetensors(os.path.join(folder, "flat.safetensors" if is_2_5 else "repacked.safetensors"), data)


main()
