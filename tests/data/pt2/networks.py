# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# Makes networks/ with PyTorch 2.13: python3 networks.py [FOLDER]
#
# Small networks of the kinds that people export, each as torch.export leaves it, or after
# run_decompositions() where the name ends in _core. networks.safetensors has inputs and PyTorch's
# outputs: NAME.in0, NAME.out0, and for programs with state NAME.run1.in0 and so on. Weights are random
# with fixed seeds. refused/ has programs that NAC can't express. Stack traces and modules are replaced, so that
# the files don't depend on the machine.

import os
import struct
import sys
import json

import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim, export, save

folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "networks")
torch.set_num_threads(1)
networks = {}
options = {}


def network(make=None, **how):
    """Registers a function that returns a module and its inputs."""
    def add(f):
        networks[f.__name__] = f
        options[f.__name__] = how
        return f
    return add(make) if make else add


def x(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


class Of(nn.Module):
    """A module of a function, with the modules that it uses."""

    def __init__(self, function, **modules):
        super().__init__()
        self.function = function
        for name, m in modules.items():
            if isinstance(m, torch.Tensor) and not isinstance(m, nn.Parameter):
                self.register_buffer(name, m)
            else:
                setattr(self, name, m)

    def forward(self, *inputs):
        return self.function(self, *inputs)


# ---- perceptrons and activations

@network
def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), (x(3, 8),)


@network
def mlp_inplace():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Linear(16, 4), nn.SiLU(inplace=True)), (x(3, 8),)


@network
def activations():
    return Of(lambda s, a: (F.gelu(a), F.gelu(a, approximate="tanh"), F.elu(a), F.selu(a), F.celu(a), F.mish(a),
                            F.softplus(a), F.hardtanh(a), F.hardswish(a), F.hardsigmoid(a), F.leaky_relu(a, 0.2),
                            F.logsigmoid(a), F.softshrink(a), F.tanhshrink(a), F.relu6(a), F.glu(a))), (x(4, 6),)


@network
def prelu():
    return nn.Sequential(nn.Linear(6, 6), nn.PReLU(6)), (x(2, 6),)


@network
def gated():
    return Of(lambda s, a: s.down(F.silu(s.gate(a)) * s.up(a)), gate=nn.Linear(6, 12, bias=False),
              up=nn.Linear(6, 12, bias=False), down=nn.Linear(12, 6, bias=False)), (x(2, 3, 6),)


@network
def dropout_eval():
    return nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.5), nn.Linear(5, 2)), (x(2, 5),)


# ---- convolutions

@network
def conv_bn():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5)), (x(2, 3, 9, 11),)


def residual(width):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.b = nn.BatchNorm2d(width)
            self.c = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.d = nn.BatchNorm2d(width)

        def forward(self, v):
            out = F.relu_(self.b(self.a(v)))
            out = self.d(self.c(out))
            out += v
            return F.relu_(out)
    return Block()


@network
def resnet():
    return nn.Sequential(nn.Conv2d(3, 4, 7, 2, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(inplace=True),
                         nn.MaxPool2d(3, 2, 1), residual(4), residual(4), nn.AdaptiveAvgPool2d((1, 1)),
                         nn.Flatten(), nn.Linear(4, 3)), (x(1, 3, 20, 20),)


@network(dynamic=({0: Dim("batch", min=1, max=16)},))
def resnet_batches():
    return resnet()[0], (x(2, 3, 20, 20),)


@network
def depthwise():
    return nn.Sequential(nn.Conv2d(4, 8, 1), nn.Hardswish(), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Hardswish(),
                         nn.Conv2d(8, 4, 1)), (x(1, 4, 8, 8),)


@network
def squeeze_excite():
    return Of(lambda s, a: a * s.up(F.relu(s.down(a.mean((2, 3), keepdim=True)))).sigmoid(),
              down=nn.Conv2d(6, 2, 1), up=nn.Conv2d(2, 6, 1)), (x(2, 6, 5, 5),)


@network
def dilated_and_grouped():
    return nn.Sequential(nn.Conv2d(4, 8, 3, dilation=2, padding=2, groups=2), nn.ELU(),
                         nn.Conv2d(8, 6, (3, 1), stride=(2, 1), padding=(1, 0))), (x(1, 4, 9, 7),)


@network
def transposed():
    return nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1), nn.Tanh()), (x(1, 3, 5, 5),)


@network
def convolutions_1d():
    return nn.Sequential(nn.Conv1d(3, 6, 5, padding=2), nn.GELU(), nn.ConvTranspose1d(6, 3, 4, stride=2)), (x(2, 3, 10),)


@network
def convolutions_3d():
    return nn.Sequential(nn.Conv3d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool3d(2)), (x(1, 1, 4, 6, 6),)


@network
def padded():
    return Of(lambda s, a: (F.pad(a, (1, 2, 3, 0), mode="reflect"), F.pad(a, (1, 1, 0, 0), mode="replicate"),
                            F.pad(a, (1, 1, 1, 1), value=2.0), F.pad(a, (2, 2, 1, 1), mode="circular"))), (x(1, 2, 6, 6),)


@network
def unet():
    return Of(lambda s, a: s.out(torch.cat([F.interpolate(s.mid(F.max_pool2d(s.enc(a), 2)), scale_factor=2.0,
                                                         mode="bilinear", align_corners=False), s.enc(a)], 1)),
              enc=nn.Conv2d(2, 4, 3, padding=1), mid=nn.Conv2d(4, 4, 3, padding=1), out=nn.Conv2d(8, 1, 1)), (x(1, 2, 8, 8),)


@network
def upsampling():
    return Of(lambda s, a: (F.interpolate(a, size=(9, 7), mode="bicubic"), F.interpolate(a, scale_factor=2),
                            F.interpolate(a, size=(3, 3), mode="area"), F.pixel_shuffle(a, 2))), (x(1, 4, 5, 5),)


@network
def pools():
    return Of(lambda s, a: (F.avg_pool2d(a, 3, 2, 1, ceil_mode=True), F.max_pool2d(a, (2, 3), stride=(1, 2)),
                            F.adaptive_max_pool2d(a, (2, 2)), F.lp_pool2d(a.abs(), 2.0, 2))), (x(1, 2, 7, 8),)


@network
def patches():
    return Of(lambda s, a: F.fold(F.unfold(a, 2, stride=2) * 2.0, (6, 6), 2, stride=2)), (x(1, 2, 6, 6),)


@network
def sampled():
    return Of(lambda s, a, t: F.grid_sample(a, F.affine_grid(t, [1, 2, 4, 4], align_corners=False), align_corners=False)), (
        x(1, 2, 6, 6), x(1, 2, 3, seed=1) * 0.5)


@network
def instance_and_group_norm():
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.InstanceNorm2d(4, affine=True), nn.GroupNorm(2, 4),
                         nn.LocalResponseNorm(2)), (x(2, 2, 6, 6),)


@network
def weight_norm():
    return nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), (x(2, 4),)


# ---- attention

@network
def attention():
    return Of(lambda s, a: s.m(a, a, a, need_weights=False)[0], m=nn.MultiheadAttention(8, 2, batch_first=True)), (x(2, 5, 8),)


@network
def attention_weights():
    return Of(lambda s, a: s.m(a, a, a), m=nn.MultiheadAttention(8, 2)), (x(5, 2, 8),)


@network
def encoder_layer():
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), (x(2, 4, 8),)


@network
def decoder_layer():
    return nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), (x(1, 4, 8), x(1, 6, 8, seed=1))


@network
def scaled_dot_product():
    return Of(lambda s, q, k, v: (F.scaled_dot_product_attention(q, k, v, is_causal=True),
                                  F.scaled_dot_product_attention(q, k, v, attn_mask=q[0, 0, :, :1] > 0))), (
        x(1, 2, 5, 4), x(1, 2, 5, 4, seed=1), x(1, 2, 5, 4, seed=2))


@network(dynamic=({1: Dim("length", min=2, max=32)},))
def causal_lengths():
    def forward(s, ids):
        n = ids.shape[1]
        h = s.embed(ids) + s.place(torch.arange(n))
        q, k, v = s.qkv(h).chunk(3, -1)
        mask = torch.full((n, n), float("-inf")).triu(1)
        return s.head((q @ k.transpose(-1, -2) * 8 ** -0.5 + mask).softmax(-1) @ v)
    return Of(forward, embed=nn.Embedding(20, 8), place=nn.Embedding(32, 8), qkv=nn.Linear(8, 24), head=nn.Linear(8, 20)), (
        torch.arange(6).reshape(1, 6) % 20,)


@network
def rotary():
    def forward(s, q):
        t = torch.arange(q.shape[1], dtype=torch.float32)
        f = torch.outer(t, s.inverse)
        c, n = f.cos(), f.sin()
        a, b = q[..., ::2], q[..., 1::2]
        return torch.stack([a * c - b * n, a * n + b * c], -1).flatten(-2)
    return Of(forward, inverse=10000.0 ** (-torch.arange(0, 8, 2) / 8)), (x(2, 5, 8),)


@network
def rms_norm():
    return Of(lambda s, a: (F.rms_norm(a, (6,), s.w), a * torch.rsqrt(a.pow(2).mean(-1, keepdim=True) + 1e-6) * s.w),
              w=nn.Parameter(x(6, seed=3))), (x(2, 3, 6),)


@network
def tied():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 6)
            self.head = nn.Linear(6, 12, bias=False)
            self.head.weight = self.embed.weight

        def forward(self, ids):
            return self.head(self.embed(ids))
    return Tied(), (torch.tensor([[1, 5, 7]]),)


@network
def patch_embedding():
    def forward(s, a):
        h = s.patch(a).flatten(2).transpose(1, 2)
        return s.norm(torch.cat([s.token.expand(h.shape[0], -1, -1), h], 1) + s.place)[:, 0]
    return Of(forward, patch=nn.Conv2d(3, 6, 4, 4), norm=nn.LayerNorm(6), token=nn.Parameter(x(1, 1, 6)),
              place=nn.Parameter(x(1, 5, 6, seed=1))), (x(2, 3, 8, 8),)


@network
def windows():
    def forward(s, a):
        h = torch.roll(a, (-1, -1), (1, 2)).view(1, 2, 2, 2, 2, 4).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, 4)
        return s.lin(h).view(1, 2, 2, 2, 2, 4).permute(0, 1, 3, 2, 4, 5).contiguous().view(1, 4, 4, 4)
    return Of(forward, lin=nn.Linear(4, 4)), (x(1, 4, 4, 4),)


# ---- recurrent

@network
def lstm():
    return Of(lambda s, a: s.m(a), m=nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True)), (x(2, 6, 4),)


@network
def gru():
    return Of(lambda s, a: s.m(a), m=nn.GRU(4, 5)), (x(6, 2, 4),)


@network
def rnn_cells():
    def forward(s, a, h):
        h = s.cell(a, h)
        g, c = s.long(a, (h, h))
        return s.plain(a, h), g, c
    return Of(forward, cell=nn.GRUCell(3, 4), long=nn.LSTMCell(3, 4), plain=nn.RNNCell(3, 4)), (x(2, 3), x(2, 4, seed=1))


# ---- indices, sizes, types

@network
def indices():
    return Of(lambda s, a, i: (a[i], a.index_select(0, i), a.gather(1, i.view(-1, 1) % 4), F.one_hot(i, 6), a[:, None, 1:3],
                               a.index_add(0, i, a[:3]), a.scatter(1, i.view(-1, 1) % 4, 0.5), a[:3].take_along_dim(i.view(-1, 1) % 4, 1))), (
        x(6, 4), torch.tensor([4, 0, 2]))


@network
def comparisons():
    return Of(lambda s, a, b: (a > b, (a <= 0) & (b != 0), torch.where(a > 0, a, b), a.clamp(min=0.1), torch.minimum(a, b),
                               a.masked_fill(b < 0, -1.0), (a > 0).any(1), (b > -9).all())), (x(3, 4), x(3, 4, seed=1))


@network
def reductions():
    return Of(lambda s, a: (a.sum((0, 2)), a.mean(), a.amax(1), a.std(2), a.var(dim=0, keepdim=True), a.logsumexp(1), a.norm(dim=1),
                            a.prod(2), a.cumsum(1), a.argmax(2), a.topk(2)[0], a.sort(1)[0], a.median())), (x(2, 3, 4),)


@network
def arithmetic():
    return Of(lambda s, a, n: (a * 2, n * 2, n * 2.0, n / 2, n // 2, n % 3, a.pow(2), 2 ** a, a.reciprocal(), a.abs().sqrt(), a.floor(),
                               torch.addcmul(a, a, a, value=0.5), torch.lerp(a, a * 2, 0.3), a.fmod(0.7), n << 1, a.sign())), (
        x(2, 3), torch.tensor([[5, -3, 7]]))


@network
def shapes():
    return Of(lambda s, a: (a.reshape(-1, 3).t(), a.permute(2, 0, 1), a.movedim(0, -1), a.unflatten(2, (2, 3)), a.split(2, 2), a.chunk(2, 1),
                            a.unbind(0), a.repeat(1, 2, 1), a.expand(2, 4, 6).narrow(1, 1, 2), a.flip(1), a.squeeze(0),
                            torch.stack([a, a], 1), a.diagonal(0, 1, 2), torch.tril(a), a.repeat_interleave(2, 1))), (x(2, 4, 6),)


@network
def types():
    return Of(lambda s, a: (a.to(torch.float16), a.to(torch.bfloat16).float(), a.int(), a.double(), a.bool(), a.long().float(), a.half().sum())), (
        x(3, 4),)


@network
def created():
    return Of(lambda s, a: (a + torch.ones_like(a), torch.zeros(2, 3) + a, a.new_full((2,), 3.0), torch.eye(3), torch.linspace(0, 1, 5),
                            torch.arange(1, 9, 2), torch.full((2, 2), 7), torch.tensor([1.5, 2.5]) * 2)), (x(2, 3),)


@network
def products():
    return Of(lambda s, a, b: (a @ b, torch.einsum("bij,bjk->bik", a, b), torch.bmm(a, b), torch.baddbmm(a @ b, a, b, beta=0.5),
                               torch.matmul(a, b[0]), torch.mv(a[0], b[0, :, 0]), torch.outer(a[0, 0], b[0, 0]))), (x(2, 3, 4), x(2, 4, 3, seed=1))


@network
def spectra():
    return Of(lambda s, a: (torch.fft.rfft(a).abs(), torch.fft.irfft(torch.fft.rfft(a), n=8), torch.view_as_real(torch.fft.fft(a)))), (x(2, 8),)


@network(dynamic=({0: Dim("rows", min=2, max=64)},))
def sizes():
    def forward(s, a):
        n = a.shape[0]
        return a.view(n, -1, 2).mean(0) * n, torch.arange(n * 2), a.sum() / n, a.new_zeros(n, 3), a.expand(2, n, 4).reshape(2 * n, 4)
    return Of(forward), (x(6, 4),)


# ---- aliases and state

@network
def writes_to_views():
    def forward(s, a):
        b = a.clone()
        b[:, 1:3] += 1.0
        b[0] = 2.0
        v = b.view(-1)
        v.mul_(2.0)
        b[:, ::2].zero_()
        return b, v
    return Of(forward), (x(3, 4),)


@network
def writes_by_index():
    def forward(s, a, i):
        b = torch.zeros(6, 4)
        b[i] = a
        b.index_add_(0, i, a)
        b[b > 1] = 1.0
        return b, b.scatter_(1, i.view(-1, 1) % 4, -3.0)
    return Of(forward), (x(3, 4), torch.tensor([4, 0, 2]))


@network
def writes_to_reshaped():
    def forward(s, a):
        b = a.clone()
        c = b.reshape(2, 6)
        c[0] += 1
        d = b.flatten()
        d[3:5] = 7
        e = b.t().reshape(-1)
        e.zero_()
        g = a.t().contiguous()
        g.to(torch.float32).view(3, 4).t_()[0] = 0
        return b, c, d, e, g, a
    return Of(forward), (x(3, 4),)


@network(runs=3)
def counter():
    def forward(s, a):
        s.total.add_(a.sum())
        s.count += 1
        return s.total / s.count
    return Of(forward, total=torch.zeros(()).reshape(1), count=torch.tensor([0])), (x(2, 3),)


@network(runs=3)
def kv_cache():
    def forward(s, a):
        s.k.index_copy_(1, s.at, s.key(a))
        s.v.index_copy_(1, s.at, s.value(a))
        mask = torch.arange(6) <= s.at
        out = F.scaled_dot_product_attention(a, s.k, s.v, attn_mask=mask[None, None])
        s.at.add_(1)
        return out
    return Of(forward, key=nn.Linear(4, 4), value=nn.Linear(4, 4), k=torch.zeros(1, 6, 4), v=torch.zeros(1, 6, 4),
              at=torch.tensor([0])), (x(1, 1, 4),)


@network(core=True, runs=3)
def kv_cache_core():
    return kv_cache()


@network(runs=2)
def batch_norm_train():
    m = nn.BatchNorm1d(4)
    m.train()
    return m, (x(5, 4),)


@network
def strided_weights():
    w = nn.Parameter(x(6, 8).t())
    v = nn.Parameter(x(10)[::2])
    return Of(lambda s, a: (a @ s.w + s.v[:1], s.v), w=w, v=v), (x(2, 8),)


@network
def constants():
    return Of(lambda s, a: (a * torch.tensor([1.0, 2.0, 3.0]) + s.b, torch.tensor(4)), b=torch.ones(3)), (x(2, 3),)


@network
def buffers_of_types():
    return Of(lambda s, a: (a * s.h, a[s.m], s.i + 1, a.to(torch.bfloat16) * s.g), h=x(4).half(), m=torch.tensor([True, False, True]),
              i=torch.tensor([1, 2], dtype=torch.int16), g=x(4).bfloat16()), (x(3, 4),)


# ---- control flow and trees

@network(runs=2)
def choice():
    return Of(lambda s, a: torch.cond(a.sum() > 0, lambda v: s.one(v).relu(), lambda v: -s.two(v), [a]),
              one=nn.Linear(3, 3), two=nn.Linear(3, 3)), (x(2, 3),)


@network
def without_gradients():
    def forward(s, a):
        with torch.no_grad():
            b = s.m(a)
        return b + a
    return Of(forward, m=nn.Linear(3, 3)), (x(2, 3),)


@network
def trees():
    return Of(lambda s, a, b: {"sum": a["x"] + b[0], "list": [a["y"] * 2, (b[1], None)]}), (
        {"x": x(2, 3), "y": x(2, 3, seed=1)}, (x(2, 3, seed=2), x(2, 3, seed=3)))


@network
def losses():
    return Of(lambda s, a, t: (F.mse_loss(a, a * 2), F.log_softmax(a, 1), F.l1_loss(a, a + 1, reduction="sum"), F.smooth_l1_loss(a, a * 3),
                               F.cosine_similarity(a, a * 2 + 1), F.cross_entropy(a, t))), (x(3, 4), torch.tensor([0, 2, 1]))


# ---- arguments that archives leave out, lists of numbers that are computed, constants

@network
def keywords():
    return Of(lambda s, a, b: (torch.addmm(a, a, b, alpha=0.5), torch.baddbmm(a[None], a[None], b[None], alpha=2.0),
                               torch.searchsorted(s.edges, a, right=True), torch.bucketize(a, s.edges, right=True),
                               torch.isin(a.round(), torch.tensor([0.0, 1.0]), invert=True), torch.std(a, dim=1, keepdim=True),
                               torch.sort(a, descending=True, stable=True)[0], torch.nan_to_num(a, posinf=2.0), torch.sub(a, b, alpha=2),
                               torch.cumulative_trapezoid(a, dim=0), torch.linalg.solve(a, b, left=False),
                               torch.linalg.solve_triangular(a.triu() + 3 * torch.eye(3), b, upper=True, unitriangular=True),
                               F.interpolate(a[None, None], scale_factor=(0.7, 1.3))), edges=torch.tensor([-1.0, 0.0, 1.0])), (x(3, 3), x(3, 3, seed=1))


@network(dynamic=({0: Dim("rows", min=3, max=50)},), others=[lambda: (x(9, 4, seed=9),)])
def computed_lists():
    def forward(s, a):
        n = a.shape[0]
        return (a.split([1, n - 1], 0), F.pad(a, (0, n - 3, 1, n)), a.repeat(n, 2)[:, :3], a.new_zeros(n, 2 * n) + 1, a.expand(2, n, 4).sum(0),
                F.interpolate(a[None, None], size=(2 * n, 3)), a.sum() / n, n * 2, n / 2)
    return Of(forward), (x(6, 4),)


@network
def constant_outputs():
    return Of(lambda s, a: (a + 1, 7, 2.5, True, None)), (x(2),)


# ---- complex numbers

@network
def complex_rotary():
    angles = torch.outer(torch.arange(8.0), 10000.0 ** (-torch.arange(0, 4, 2) / 4))
    def forward(s, a):
        pairs = torch.view_as_complex(a.float().reshape(1, 5, 2, -1, 2))
        return torch.view_as_real(pairs * s.turns[None, :5, None, :]).flatten(3).type_as(a)
    return Of(forward, turns=torch.polar(torch.ones_like(angles), angles)), (x(1, 5, 2, 4),)


@network
def fourier_operator():
    def forward(s, a):
        modes = torch.fft.rfft2(a)
        out = torch.zeros(a.shape[0], 2, 6, 4, dtype=torch.cfloat)
        out[:, :, :2, :2] = torch.einsum("bixy,ioxy->boxy", modes[:, :, :2, :2], s.low)
        out[:, :, -2:, :2] = torch.einsum("bixy,ioxy->boxy", modes[:, :, -2:, :2], s.high)
        return F.gelu(torch.fft.irfft2(out, s=(6, 7)) + s.skip(a))
    weights = [nn.Parameter(torch.complex(x(2, 2, 2, 2, seed=k), x(2, 2, 2, 2, seed=k + 1))) for k in (0, 2)]
    return Of(forward, low=weights[0], high=weights[1], skip=nn.Conv2d(2, 2, 1)), (x(1, 2, 6, 7),)


@network
def complex_numbers():
    def forward(s, a):
        z = F.linear(a, s.weight, s.bias) * 2j + (1 + 0.5j)
        return z, z.mH @ z, z.sqrt().real, z.abs(), (z ** 2).imag, torch.linalg.vector_norm(z), z == z
    return Of(forward, weight=nn.Parameter(torch.complex(x(3, 4), x(3, 4, seed=1))), bias=nn.Parameter(torch.complex(x(3), x(3, seed=2)))), (
        torch.complex(x(2, 4, seed=3), x(2, 4, seed=4)),)


@network(runs=2)
def complex_state():
    def forward(s, a):
        s.sum.add_(torch.fft.fft(a))
        return s.sum.real
    return Of(forward, sum=torch.zeros(4, dtype=torch.cfloat)), (x(4),)


# ---- bodies

@network
def autocast():
    def forward(s, a):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = F.relu(s.linear(a)) @ s.weight
            m = s.attention(h, h, h)[0]
            with torch.autocast("cpu", enabled=False):
                g = s.linear(h.float())
        return (m.float() + a.sum()) * g
    return Of(forward, linear=nn.Linear(4, 4), weight=nn.Parameter(x(4, 4)), attention=nn.MultiheadAttention(4, 2)), (x(2, 4),)


@network(runs=3)
def choices():
    def forward(s, a):
        p, q, r = torch.cond(a.sum() > 0, lambda v: (v + 1, v.sum(), v > 0), lambda v: (s.linear(v), v.mean(), v < 0), [a])
        return p * q, torch.cond(a.max() > 1, lambda u: torch.cond(u.min() > 0, lambda v: v * 2, lambda v: v + 5, [u]), lambda u: -u, [p]), r
    return Of(forward, linear=nn.Linear(3, 3)), (x(2, 3),)


@network
def mapped():
    from torch._higher_order_ops import map as over_rows
    return Of(lambda s, a, b: over_rows(lambda v, w: s.linear(v) + w, a, b), linear=nn.Linear(3, 3)), (x(4, 2, 3), x(3, seed=1))


@network
def scanned():
    from torch._higher_order_ops import scan
    return Of(lambda s, a: scan(lambda c, v: (c + s.linear(v), c * 2 + v), torch.zeros(3), a), linear=nn.Linear(3, 3)), (x(5, 3),)


@network
def counted_loop():
    from torch._higher_order_ops import while_loop
    return Of(lambda s, a: while_loop(lambda i, v: i < 4, lambda i, v: (i + 1, torch.tanh(s.linear(v))), (torch.tensor(1), a)), linear=nn.Linear(2, 2)), (
        x(2, 2),)


@network(runs=2)
def scalar_states():
    class Average(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(3))
            self.register_buffer("count", torch.tensor(0))

        def forward(self, a):
            self.count += 1
            self.mean.mul_(0.9).add_(a.mean(0), alpha=0.1)
            return self.mean / (1 - 0.9 ** self.count), self.count.clone()
    return Average(), (x(2, 3),)


@network(core=True)
def filter_core():
    def forward(s, z):
        m, p = torch.zeros(2), torch.eye(2)
        for t in range(3):
            m, p = s.a @ m, s.a @ p @ s.a.T + 0.1 * torch.eye(2)
            k = torch.linalg.solve(s.h @ p @ s.h.T + 0.1, s.h @ p).T
            m, p = m + k @ (z[t] - s.h @ m), p - k @ s.h @ p
        return m, torch.linalg.cholesky(p), torch.logdet(p), torch.linalg.eigh(p)[0]
    return Of(forward, a=torch.tensor([[1.0, 0.1], [0, 1]]), h=torch.tensor([[1.0, 0]])), (x(3, 1),)


# ---- what NAC has no form for

@network(refused=True)
def loop():
    from torch._higher_order_ops import while_loop
    return Of(lambda s, a: while_loop(lambda v: v.sum() < 9, lambda v: (v + 1,), (a,))[0]), (x(2, 2),)


@network(refused=True)
def unsigned():
    return Of(lambda s, a: a + s.u.to(torch.float32), u=torch.tensor([1, 2], dtype=torch.uint16)), (x(2),)


for base in ("conv_bn", "resnet", "encoder_layer", "attention", "unet", "lstm", "shapes", "writes_to_views", "causal_lengths",
             "computed_lists", "fourier_operator", "keywords"):
    def add(base=base):
        networks[base + "_core"] = networks[base]
        options[base + "_core"] = {**options[base], "core": True}
    add()


# ---- files

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


def leaves(tree):
    """Tensors and numbers, as a machine has them: complex ones as pairs."""
    types = {bool: torch.bool, int: torch.int64, float: torch.float64}
    all = [torch.tensor(v, dtype=types[type(v)]) if type(v) in types else v for v in torch.utils._pytree.tree_leaves(tree)]
    return [torch.view_as_real(v.resolve_conj()) if v.is_complex() else v for v in all if isinstance(v, torch.Tensor)]


def main():
    os.makedirs(folder, exist_ok=True)
    data = {}
    for name in sorted(networks):
        how = options[name]
        torch.manual_seed(1)
        module, inputs = networks[name]()
        if "train" not in name:
            module.eval()
        with torch.set_grad_enabled("gradients" in name):
            dynamic = how.get("dynamic")
            if dynamic and isinstance(module, Of):
                dynamic = (dynamic,)  # of *inputs
            program = export(module, inputs, dynamic_shapes=dynamic)
            if how.get("core"):
                program = program.run_decompositions()
        for _, node in [(g, n) for g in program.graph_module.modules() if hasattr(g, "graph") for n in g.graph.nodes]:
            if node.stack_trace:
                node.meta["stack_trace"] = f'  File "networks.py", line 1, in {name}\n'
            for key in ("nn_module_stack", "torch_fn", "source_fn_stack", "from_node"):
                node.meta.pop(key, None)
        to = os.path.join(folder, "..", "refused") if how.get("refused") else folder
        os.makedirs(to, exist_ok=True)
        path = os.path.join(to, name + ".pt2")
        save(program, path)
        if how.get("refused"):
            continue
        run = torch.export.load(path).module()
        others = how.get("others", [])
        for k in range(how.get("runs", 1) + len(others)):
            prefix = name if k == 0 else f"{name}.run{k}"
            given = torch.utils._pytree.tree_map(lambda t: t.roll(k, -1) - k * 1.5 if k and t.is_floating_point() else t, inputs)
            if k >= how.get("runs", 1):
                given = others[k - how.get("runs", 1)]()
            for i, t in enumerate(leaves(given)):
                data[f"{prefix}.in{i}"] = t.clone()
            with torch.no_grad():
                for i, t in enumerate(leaves(run(*given))):
                    data[f"{prefix}.out{i}"] = t.clone()
    safetensors(os.path.join(folder, "networks.safetensors"), data)
    print(len(networks), "networks")


main()
