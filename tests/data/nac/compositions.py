# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
"""Records what PyTorch gives for further names of NAC operations, and for compositions of others.

    python3 tests/data/nac/compositions.py                # writes operations/GROUP.txt beside it
    python3 tests/data/nac/compositions.py aliases        # of these groups only

The rows' form is that of operations.py.
"""

import sys

import operations
from operations import *  # noqa: F403


# ---- other names for what has all rows already


def aliases():
    begin("aliases")
    tolerance(0, 0)
    pair = ("subtract", "greater", "greater_equal", "less", "less_equal", "not_equal")
    for name in pair:
        compact_binary(f"aten.{name}.Tensor")
        scalar_name(f"aten.{name}.Scalar")
    scalar_name("aten.multiply.Scalar")
    for name in ("aten.bitwise_and.Scalar_Tensor", "aten.bitwise_or.Scalar_Tensor",
                 "aten.bitwise_xor.Scalar_Tensor", "aten.bitwise_left_shift.Scalar_Tensor",
                 "aten.bitwise_right_shift.Scalar_Tensor"):
        for t in (i64, i32, i8, u8):
            row(name, 5, tensor([0, 1, 3], t))
        row(name, 6, tensor(2, i64))
        row(name, 6, empty(0, dtype=i64))
        refuse(name, 6, noise(2))
    for t in (f32, f64, i64, i8):
        row("aten.remainder.Scalar_Tensor", 7, tensor([2, 3, 5], t))
        row("aten.remainder.Scalar_Tensor", -7.5, tensor([2, 3, 5], t))
    tolerance(1, 1)
    for name in ("aten.divide.Scalar", "aten.true_divide.Scalar"):
        scalar_name(name)
    for name in ("aten.divide.Tensor_mode", "aten.divide.Scalar_mode"):
        for mode in ("floor", "trunc", None):
            for t in (f32, i32):
                other = 2 if "Scalar" in name else tensor([2, -3], t)
                row(name, tensor([7, -7], t), other, rounding_mode=mode)
        refuse(name, noise(2), 2 if "Scalar" in name else noise(2), rounding_mode="up")
    scalar_name("aten.floor_divide.Scalar", (2,))
    row("aten.floor_divide_.Tensor", tensor([7, -7]), tensor([2, 2]))
    row("aten.pow_.Tensor", tensor([3, -2]), tensor([2, 3]))
    row("aten.transpose_.default", noise(2, 3), 0, 1)
    tolerance(0, 0)
    x, table = noise(3, 4), noise(4, 4)
    row("aten._unsafe_index.Tensor", x, [None, tensor([0, 3, 3], i64)])
    row("aten._unsafe_index.Tensor", x, [tensor([2, 1], i64), tensor([0, 3], i64)])
    for name in ("aten.concat.default", "aten.concatenate.default"):
        row(name, [x, noise(1, 4)])
        row(name, [x, noise(3, 1)], 1)
    row("aten.unsafe_split.Tensor", x, 3, 1)
    row("aten.split_copy.Tensor", x, 2)
    for name in ("aten.split.sizes", "aten.unsafe_split_with_sizes.default",
                 "aten.split_with_sizes_copy.default"):
        row(name, x, [1, 3], 1)
        row(name, x, [2, 1])
    row("aten.unsafe_chunk.default", x, 2)
    row("aten.size.int", x, -1)
    row("aten.stride.int", x, 0)
    row("aten.numel.default", x)
    row("aten.ravel.default", x)
    row("aten.ravel.default", tensor(2.0))
    row("aten.transpose_copy.int", x, 0, -1)
    row("aten.t_copy.default", x)
    row("aten.view_copy.default", x, [2, -1])
    row("aten.permute_copy.default", x, [1, 0])
    row("aten.expand_copy.default", noise(3, 1), [2, 3, 2])
    row("aten.slice_copy.Tensor", x, 1, 1, None, 2)
    row("aten.select_copy.int", x, 1, -1)
    row("aten.squeeze_copy.default", noise(1, 2, 1))
    row("aten.squeeze_copy.dim", noise(1, 2, 1), 0)
    row("aten.squeeze_copy.dims", noise(1, 2, 1), [0, 2])
    row("aten.unsqueeze_copy.default", x, -1)
    row("aten.unbind_copy.int", x, 1)
    row("aten.diagonal_copy.default", x, 1)
    row("aten.as_strided_copy.default", x, [2, 2], [1, 3], 1)
    row("aten.unfold_copy.default", x, 1, 2, 1)
    for name in ("aten.lift.default", "aten.lift_fresh.default", "aten.resolve_conj.default",
                 "aten.resolve_neg.default", "aten.alias_copy.default",
                 "aten.detach_copy.default"):
        row(name, x)
    row("aten.linalg_matmul.default", tensor([[1, 2], [3, 4]]), tensor([1, -1]))
    row("aten.to.other", x, noise(1, dtype=f64))
    row("aten.to.other", x, noise(1, dtype=i32))
    fixed("aten._assert_async.default", [tensor(True, boolean)], tensor(True, boolean))
    fixed("aten._assert_async.msg", [tensor(True, boolean), "why"], tensor(True, boolean))
    fixed("aten._assert_async.msg", [tensor(False, boolean), "why"], "error nac_run_argument")
    row("aten._aminmax.default", x)
    row("aten._aminmax.dim", x, 1, True)
    row("aten.linspace.Tensor_Tensor", tensor(0.0), tensor(1.0), 5)
    row("aten.linspace.Tensor_Scalar", tensor(0.0), 2, 5)
    row("aten.linspace.Scalar_Tensor", -1, tensor(1.0), 3)
    fixed("aten.new_empty.default", [x, [2, 2]], torch.zeros(2, 2))
    row("aten.argwhere.default", tensor([[0, 1], [2, 0]]))
    row("aten._is_all_true.default", tensor([True, False], boolean))
    row("aten._is_any_true.default", tensor([True, False], boolean))
    tolerance(8, 2)
    row("aten.special_softmax.default", x, 1)
    row("aten.special_log_softmax.default", x, 0)
    # A correction that is null is 1.
    tolerance(4, 1)
    for name in ("var", "std", "var_mean", "std_mean"):
        name = f"aten.{name}.correction"
        for dims in ([1], [0, 1], None):
            row(name, table, dims, correction=None, keepdim=True)
        row(name, table, [0], correction=None)
        row(name, table, None, correction=2)


# ---- compositions


def by_type(name, *shapes, types=every, **kw):
    for t in types:
        either(name, *[noise(*s, dtype=t) for s in shapes], **kw)


def losses():
    tolerance(8, 2, largest=True)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        name = f"aten.{name}.default"
        by_type(name, (2, 3), (2, 3), types=[f32, f64] if "huber" not in name else [f32])
        for reduction in (0, 1, 2):
            row(name, noise(2, 3), noise(2, 3), reduction)
        row(name, empty(0), empty(0), 0)
        row(name, empty(0), empty(0), 2)
        row(name, tensor(1.5), tensor(-0.5))
        row(name, tensor([inf, nan, 1]), tensor([1, 1, inf]), 0)
        refuse(name, noise(2, 3), noise(2), code="nac_run_shape")
    for name in ("aten.smooth_l1_loss.default", "aten.huber_loss.default"):
        row(name, noise(8), noise(8), 0, 0.5)
        row(name, noise(8), noise(8), 1, 2.0)
    name = "aten.binary_cross_entropy.default"
    p, target = tensor([0.25, 0.75, 0, 1, 0.5]), tensor([0, 1, 1, 0, 0.5])
    for reduction in (0, 1, 2):
        row(name, p, target, None, reduction)
        row(name, p, target, noise(5), reduction)
    row(name, p.to(f64), target.to(f64))
    row(name, empty(0), empty(0), None, 0)
    refuse(name, p, noise(2))
    name = "aten.binary_cross_entropy_with_logits.default"
    for reduction in (0, 1, 2):
        row(name, noise(2, 3), noise(2, 3), None, None, reduction)
        row(name, noise(2, 3), noise(2, 3), noise(2, 3), None, reduction)
        row(name, noise(2, 3), noise(2, 3), noise(3), noise(3), reduction)
    row(name, noise(4), noise(4))
    row(name, tensor([200, -200, 0]), tensor([1, 0, 1]), None, None, 0)
    row(name, noise(4, dtype=f64), noise(4, dtype=f64))
    refuse(name, noise(4), noise(3), code="nac_run_shape")
    name = "aten.kl_div.default"
    for reduction in (0, 1, 2):
        row(name, noise(2, 3), noise(2, 3).abs(), reduction)
        row(name, noise(2, 3), noise(2, 3), reduction, log_target=True)
    row(name, noise(3), tensor([0, 1, 2]), 0, log_target=False)
    row(name, noise(3), noise(3).abs())
    refuse(name, noise(3), noise(2))
    name = "aten.hinge_embedding_loss.default"
    y = tensor([1, -1, 1, -1])
    for reduction in (0, 1, 2):
        row(name, noise(4), y, 1.0, reduction)
        row(name, noise(4), y, 0.5, reduction)
    row(name, noise(4), y)
    row(name, noise(2, 4), tensor([1, -1, 0, 2]), 1.0, 0)
    refuse(name, noise(4), noise(3))
    name = "aten.margin_ranking_loss.default"
    for reduction in (0, 1, 2):
        row(name, noise(4), noise(4), y, 0.0, reduction)
        row(name, noise(4), noise(4), y, 0.5, reduction)
    row(name, noise(4), noise(4), y)
    refuse(name, noise(4), noise(3), y)


def stacks():
    for name in ("aten.hstack.default", "aten.vstack.default", "aten.row_stack.default",
                 "aten.dstack.default", "aten.column_stack.default"):
        row(name, [tensor(1.0), tensor(2.0)])
        row(name, [noise(3), noise(3)])
        row(name, [noise(2, 3), noise(2, 3)])
        row(name, [noise(2, 3, 2), noise(2, 3, 2)])
        row(name, [noise(2, 2), noise(2, 2, dtype=i64)])
        row(name, [noise(2, 2, dtype=boolean), noise(2, 2, dtype=i8)])
        row(name, [noise(3)])
        row(name, [empty(2, 0), empty(2, 0)])
        refuse(name, [noise(2, 3, 2), noise(3, 2, 4)])
    row("aten.hstack.default", [noise(2), noise(3)])
    row("aten.column_stack.default", [noise(2), noise(2, 3), noise(2)])
    row("aten.column_stack.default", [tensor(1.0), noise(1, 3)])
    row("aten.vstack.default", [noise(3), noise(2, 3)])
    for k in (1, 2, 3):
        name = f"aten.atleast_{k}d.default"
        for shape in ((), (3,), (2, 3), (2, 3, 1), (2, 1, 1, 2), (0,), (2, 0)):
            row(name, noise(*shape))
        row(name, tensor(3, i64))
        fixed(name, [2.0], "error")  # a number, where only a result can be
    name = "aten.broadcast_tensors.default"
    row(name, [noise(2, 1), noise(3)])
    row(name, [noise(2, 1), tensor(3.0), noise(3, 1, 2, dtype=i32)])
    row(name, [empty(0), noise(1)])
    row(name, [noise(2)])
    refuse(name, [noise(2), noise(3)], code="nac_run_shape")


def diagonals():
    by_type("aten.diag.default", (3,))
    for name in ("aten.diag.default", "aten.diagflat.default"):
        for k in (-2, 0, 1, 5):
            row(name, noise(3), k)
        row(name, empty(0))
        row(name, empty(0), 2)
    for k in (-1, 0, 2, 5):
        row("aten.diag.default", noise(2, 3), k)
    refuse("aten.diag.default", tensor(1.0))
    refuse("aten.diag.default", noise(2, 2, 2))
    row("aten.diagflat.default", noise(2, 2), 1)
    row("aten.diagflat.default", tensor(3.0))
    fixed("aten.diagflat.default", [2.0], "error")
    name = "aten.diag_embed.default"
    by_type(name, (2, 2))
    row(name, noise(3))
    row(name, noise(2, 3), 1)
    row(name, noise(2, 3), -1, 0, 2)
    row(name, noise(2, 3), 0, -1, 0)
    row(name, noise(2, 3), 1, 1, 0)
    row(name, empty(2, 0))
    row(name, empty(2, 0), 1)
    refuse(name, noise(2, 3), 0, 1, 1, code="nac_run_axis")
    refuse(name, noise(2, 3), 0, 3, 1, code="nac_run_axis")
    refuse(name, tensor(1.0))
    name = "aten.linalg_diagonal.default"
    x = noise(2, 3, 3)
    row(name, x)
    row(name, x, offset=1)
    row(name, x, offset=-1, dim1=0, dim2=2)
    refuse(name, noise(3))
    for name in ("aten.tril_indices.default", "aten.triu_indices.default"):
        for size in ((3, 3), (2, 4), (4, 2), (0, 3), (3, 0), (1, 1)):
            for k in (-1, 0, 2):
                row(name, *size, k)
        row(name, 3, 2)
        row(name, 2, 2, 0, dtype=i32)
        row(name, 2, 2, -9)
        row(name, 2, 2, 9)
        refuse(name, -1, 2)
        refuse(name, 2, 2, 0, dtype=f32, code="nac_run_type")
        fixed(name, [tensor(3.0), 2], torch_operator(name)(3, 2))  # a size that was computed


def orders():
    for name in ("aten.mT.default", "aten.mH.default", "aten.adjoint.default"):
        row(name, noise(2, 3))
        row(name, noise(2, 3, 1, dtype=i32))
        row(name, empty(0, 2))
        refuse(name, noise(2))
    row("aten.matrix_H.default", noise(2, 3))
    by_type("aten.fliplr.default", (2, 3))
    for name in ("aten.fliplr.default", "aten.flipud.default"):
        row(name, noise(2, 3, 2))
        row(name, empty(2, 0))
        refuse(name, tensor(1.0))
    refuse("aten.fliplr.default", noise(3))
    row("aten.flipud.default", noise(3))
    name = "aten.rot90.default"
    by_type(name, (2, 3))
    for k in range(-2, 5):
        row(name, noise(2, 3), k)
        row(name, noise(2, 3, 2), k, [2, 0])
        row(name, noise(2, 3, 2), k, [-1, 1])
    row(name, empty(2, 0))
    refuse(name, noise(3))
    refuse(name, noise(2, 3), 1, [0, 0])
    refuse(name, noise(2, 3), 1, [0])
    refuse(name, noise(2, 3), 1, [0, 2])
    for name in ("aten.channel_shuffle.default", "aten.native_channel_shuffle.default"):
        row(name, noise(1, 6, 2, 2), 2)
        row(name, noise(2, 6, 2, 1), 3)
        row(name, noise(2, 4, 3, 1), 1)
        refuse(name, noise(2, 6, 2, 2), 4)
        refuse(name, noise(2, 6, 2, 2), 0)
        refuse(name, noise(2, 6), 2)
    by_type("aten.channel_shuffle.default", (1, 4, 1, 2))
    name = "aten.resize.default"
    row(name, count(2, 3), [3, 2])
    row(name, count(2, 3), [6])
    row(name, count(2, 3), [2, 1])
    row(name, count(2, 3, dtype=i32), [])
    row(name, count(2, 3), [0, 2])
    fixed(name, [count(2, 3), [7]], "error nac_run_shape")  # elements of any value
    refuse(name, count(2, 3), [-1])
    name = "aten.sym_is_contiguous.default"
    row(name, noise(2, 3))
    row(name, tensor(1.0))
    fixed(name, [2.0], "error")


def arithmetic():
    tolerance(2, 2)
    for name in ("aten.float_power.Tensor_Tensor", "aten.float_power.Tensor_Scalar",
                 "aten.float_power.Scalar"):
        for t in every:
            x, y = (noise(3, dtype=t, low=0.0) for _ in range(2))
            if "Scalar" in name.split(".")[2]:
                args = (x, 2) if "Tensor" in name else (2.5, y)
            else:
                args = (x, y)
            either(name, *args)
    name = "aten.float_power.Tensor_Tensor"
    row(name, noise(2, 1), noise(3).round())
    row(name, tensor(2.0), tensor(-1.0))
    row(name, empty(0), tensor(2.0))
    refuse(name, noise(2), noise(3), code="nac_run_shape")
    name = "aten.ldexp.Tensor"
    by_type(name, (3,), (3,))
    row(name, noise(2, 1), tensor([1, -2, 3], i32))
    row(name, tensor([inf, nan, -0.0]), tensor([1, 2, 3], i64))
    row(name, empty(0), tensor(1, i64))
    refuse(name, noise(2), noise(3), code="nac_run_shape")
    tolerance(0, 0)
    name = "aten.positive.default"
    by_type(name, (2, 2))
    row(name, empty(0))
    for name in ("aten.conj.default", "aten._conj.default", "aten.conj_physical.default",
                 "aten._conj_physical.default"):
        if name != "aten._conj.default":
            row(name, noise(2, 2))
        row(name, torch.complex(noise(3), noise(3)))
        row(name, torch.complex(noise(1, 2, dtype=f64), noise(1, 2, dtype=f64)))
        fixed(name, [2.0], "error")
    name = "aten.round.decimals"
    for t in every:
        either(name, values(t), decimals=1)
    for t in floats:
        x = tensor([0.125, 0.375, 1.2345, -2.5, 123.456, 12.5], t)
        for decimals in (-2, -1, 0, 1, 2, 3):
            row(name, x, decimals=decimals)
    row(name, tensor(1.25), decimals=1)
    row(name, empty(0), decimals=2)
    row(name, noise(2, 2, dtype=f64), decimals=12)
    tolerance(4, 4)
    name = "aten.logspace.default"
    row(name, 0, 3, 4)
    row(name, 0, 3, 4, 2)
    row(name, -1, 1, 5, 10.0)
    row(name, 0, 1, 3, 2.0, dtype=f64)
    row(name, 2, 2, 1)
    row(name, 0, 1, 0)
    refuse(name, 0, 1, -1)
    name = "aten.polar.default"
    row(name, noise(3).abs(), noise(3))
    row(name, noise(2, 3, dtype=f64), noise(2, 3, dtype=f64))
    row(name, empty(0), empty(0))
    refuse(name, noise(3), noise(3, dtype=f64))
    refuse(name, noise(3, dtype=i64), noise(3, dtype=i64))
    tolerance(0, 0)
    for name in ("aten.isclose.default", "aten.allclose.default"):
        for t in every:
            either(name, noise(3, dtype=t), noise(3, dtype=t))
            either(name, tensor([1, 0], t), tensor([1, 0], t))
        x, y = tensor([1, 1, inf, inf, nan, -inf, 0]), tensor([1.00001, 1.1, inf, -inf, nan, 1, 1e-9])
        row(name, x, y)
        row(name, x, y, 0.2, 0.0)
        row(name, x, y, 0.0, 1e-8, True)
        row(name, x, y, 1e-5, 1e-8, True)
        row(name, x, x, 1e-5, 1e-8, True)
        row(name, noise(2, 1), noise(3))
        row(name, empty(0), empty(0))
        row(name, tensor(1.0), tensor(1.0))
        refuse(name, noise(2), noise(3), code="nac_run_shape")
    name = "aten.equal.default"
    for t in every:
        row(name, values(t), values(t))
        row(name, tensor([1, 0], t), tensor([1, 0], t))
    row(name, noise(2), noise(3))
    row(name, noise(1, 2), noise(2))
    row(name, empty(0), empty(0))
    row(name, empty(0, 2), empty(0))
    row(name, noise(2), noise(2, dtype=f64))
    row(name, tensor([1, 2]), tensor([1, 2], i64))
    fixed(name, [noise(2), 2], "error")
    for name in ("aten.where.default", "aten.nonzero_numpy.default"):
        row(name, tensor([[True, False], [True, True]], boolean))
        row(name, noise(2, 2, 2))
        row(name, empty(0))
        fixed(name, [2.0], "error")


def products_and_norms():
    tolerance(4, 2, largest=True)
    name = "aten.linalg_vecdot.default"
    by_type(name, (2, 3), (2, 3), types=[f32, f64])
    row(name, noise(2, 3), noise(3))
    row(name, noise(2, 3), noise(2, 3), dim=0)
    row(name, empty(2, 0), empty(2, 0))
    refuse(name, noise(2, 3), noise(2, 2), code="nac_run_shape")
    name = "aten.inner.default"
    by_type(name, (2, 3), (4, 3), types=[f32, f64, i64])
    row(name, noise(3), noise(3))
    row(name, noise(2, 3), tensor(2.0))
    row(name, tensor(3.0), tensor(2.0))
    row(name, noise(2, 1, 3), noise(2, 3))
    row(name, empty(2, 0), empty(3, 0))
    refuse(name, noise(3), noise(2))
    name = "aten.pairwise_distance.default"
    by_type(name, (2, 3), (2, 3))
    for p in (1.0, 2.0, 3.0, inf):
        row(name, noise(2, 3), noise(2, 3), p)
    row(name, noise(2, 3), noise(3), 2.0, 0.5, True)
    row(name, noise(3), noise(3))
    refuse(name, noise(2, 3), noise(2, 2), code="nac_run_shape")
    name = "aten.frobenius_norm.dim"
    by_type(name, (2, 3), dim=[0, 1])
    row(name, noise(2, 3), [1])
    row(name, noise(2, 3, 2), [-1, 0], True)
    refuse(name, noise(2, 3), [2])
    name = "aten.logdet.default"
    row(name, tensor([[2, 1], [1, 3]]))
    row(name, tensor([[1, 2], [2, 1]]))
    row(name, tensor([[1, 1], [1, 1]]))
    row(name, tensor([[[2, 0], [0, 4]]], f64))
    refuse(name, noise(2, 3))


def choices():
    tolerance(0, 0)
    for t in every:
        x = noise(3, 4, dtype=t)
        either("aten.argsort.stable", x, stable=True)
        index = tensor([[0, 2, 1, 0], [2, 2, 0, 1]], i64)
        for word in ("add", "multiply"):
            either("aten.scatter.reduce", x, 0, index, noise(2, 4, dtype=t), reduce=word)
            either("aten.scatter.value_reduce", x, 0, index, 2, reduce=word)
    name = "aten.argsort.stable"
    row(name, tensor([2, 1, 2, 1, nan]), stable=True, dim=0, descending=True)
    row(name, noise(2, 3), stable=False, dim=0)
    row(name, tensor(1.0), stable=True)
    row(name, empty(2, 0), stable=True)
    refuse(name, noise(2, 3), stable=True, dim=2)
    name = "aten.scatter.reduce"
    row(name, noise(3), -1, tensor([0, 0], i64), noise(2), reduce="add")
    row(name, noise(2, 3), 1, empty(2, 0, dtype=i64), empty(2, 0), reduce="multiply")
    row(name, tensor(1.0), 0, tensor(0, i64), tensor(3.0), reduce="add")
    row(name, tensor([inf, nan]), 0, tensor([0, 1], i64), tensor([-inf, 1]), reduce="add")
    refuse(name, noise(3), 0, tensor([3], i64), noise(1), reduce="add", code="nac_run_index")
    refuse(name, noise(3), 1, tensor([0], i64), noise(1), reduce="add", code="nac_run_axis")
    refuse(name, noise(3), 0, tensor([0], i64), noise(1), reduce="mean",
           code="nac_run_argument")
    refuse(name, noise(3), 0, tensor([0], i64), noise(1, dtype=f64), reduce="add")
    row("aten.scatter.value_reduce", noise(3), 0, tensor([0, 2, 2], i64), 0.5, reduce="multiply")
    name = "aten.index_reduce.default"
    tolerance(2, 2)
    for t in every:
        for word in ("prod", "mean", "amax", "amin"):
            either(name, noise(3, 2, dtype=t), 0, tensor([0, 2, 0], i64), noise(3, 2, dtype=t), word)
    for word in ("prod", "mean", "amax", "amin"):
        row(name, noise(2, 3), -1, tensor([1, 1], i32), noise(2, 2), word, include_self=False)
    row(name, noise(2, 3), 1, empty(0, dtype=i64), empty(2, 0), "prod")
    refuse(name, noise(2, 3), 0, tensor([0], i64), noise(1, 3), "sum", code="nac_run_argument")
    refuse(name, noise(2, 3), 0, tensor([2], i64), noise(1, 3), "prod", code="nac_run_index")
    refuse(name, noise(2, 3), 0, tensor([0], i64), noise(2, 3), "prod")
    tolerance(0, 0)
    name = "aten.new_full.default"
    for t in every:
        row(name, noise(1, dtype=t), [2, 1], 1)
    row(name, noise(1), [2], 2, dtype=i32)
    row(name, noise(1, dtype=i64), [], 3)
    row(name, noise(1, dtype=i64), [0, 2], 3)
    row(name, noise(1), [2], inf)
    refuse(name, noise(1), [-1], 2)


def compositions():
    begin("compositions")
    tolerance(0, 0)
    stacks()
    diagonals()
    orders()
    arithmetic()
    products_and_norms()
    choices()
    losses()


# ---- transforms, images, attention


def transforms():
    tolerance(16, 4, largest=True)
    for name in ("hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn"):
        real, one = name[0] == "i", name in ("hfft", "ihfft")
        make = noise if real else complex_noise
        name = f"aten.fft_{name}.default"
        either(name, noise(3, 4, dtype=i64))
        either(name, noise(3, 4, dtype=f64))
        for shape in ((2, 3), (1, 4), (3, 3), (2, 2, 4)):
            row(name, make(*shape))
        row(name, make(2, 3, dtype=f64))
        for norm in ("ortho", "forward", "backward"):
            row(name, make(3, 4), None, *([-1] if one else [[0, 1]]), norm)
        row(name, make(3, 4), 5 if one else [2, 5])
        row(name, make(3, 4), 3 if one else [4, 3], 0 if one else [1, 0])
        refuse(name, noise(3, 4), None, 2 if one else [2, 0])
        refuse(name, noise(3, 4), None, -1 if one else [0, 1], "other")
        refuse(name, noise(3, 4), 0 if one else [2, 2, 2])
        if real:
            refuse(name, complex_noise(3, 3))
    tolerance(1, 2)
    for name in ("aten.fft_fftfreq.default", "aten.fft_rfftfreq.default"):
        for n in (1, 2, 5, 8):
            row(name, n)
            row(name, n, 0.25)
        row(name, 6, 2.0, dtype=f64)
        fixed(name, [-1], "error nac_run_argument")
    tolerance(8, 4, largest=True)
    for name in ("hamming", "blackman", "bartlett"):
        name = f"aten.{name}_window.periodic"
        for n in (0, 1, 3, 5, 8):
            row(name, n, True)
            row(name, n, False)
        row(name, 6, False, dtype=f64)
        refuse(name, -1, True)
        refuse(name, 4, True, dtype=i64)
    row("aten.hamming_window.periodic_alpha", 6, True, 0.6)
    row("aten.hamming_window.periodic_alpha_beta", 6, False, 0.6, 0.3)
    tolerance(32, 4, largest=True)
    name = "aten.istft.default"

    def spectrum(n, length, hop, window=None, dtype=f32, **kw):
        return A.stft.default(noise(*length, dtype=dtype), n, hop, None, window,
                              return_complex=True, **kw)

    window = torch.hann_window(8)
    row(name, spectrum(8, [24], 2, window), 8, 2, None, window)
    row(name, spectrum(8, [2, 24], 4, window), 8, 4, 8, window, True)
    row(name, spectrum(8, [24], 2), 8, 2, None, None, False)
    row(name, spectrum(8, [24], 2), 8, 2, None, torch.ones(8), True, False, True, 10)
    row(name, spectrum(8, [24], 2), 8, 2, None, torch.ones(8), True, False, True, 30)
    row(name, spectrum(8, [24], 2, normalized=True), 8, 2, None, torch.ones(8), True, True)
    row(name, spectrum(7, [21], 3), 7, 3, 5, torch.ones(5))
    row(name, spectrum(8, [24], 2, onesided=False), 8, 2, None, torch.ones(8), True, False, False)
    row(name, spectrum(8, [24], 2, torch.ones(8, dtype=f64), f64), 8, 2, None,
        torch.ones(8, dtype=f64))
    refuse(name, spectrum(8, [24], 2, window), 8, 2, None, window, False)  # a window of 0 at 0
    refuse(name, spectrum(8, [24], 2), 10, 2, None, torch.ones(10))
    refuse(name, spectrum(8, [24], 2), 8, 9, None, torch.ones(8))
    refuse(name, spectrum(8, [24], 2), 8, 2, None, torch.ones(7))
    refuse(name, noise(5, 4), 8, 2, None, torch.ones(8))


def images():
    tolerance(32, 4, largest=True)
    image = noise(1, 2, 7, 5)
    for mode in ("bilinear2d", "bicubic2d"):
        name = f"aten._upsample_{mode}_aa"
        for t in (f32, f64):
            row(name + ".vec", image.to(t), [3, 4], False, None)
            row(name + ".default", image.to(t), [9, 2], True)
        for t in (f16, bf16, i32, boolean):
            refuse(name + ".default", image.to(t), [9, 2], True)
        for size in ([7, 5], [1, 1], [2, 9], [14, 3], [4, 4]):
            for align in (False, True):
                row(name + ".vec", image, size, align, None)
                row(name + ".default", image, size, align)
        for scales in ([2.0, 2.0], [0.5, 0.4], [1.7, 0.6]):
            row(name + ".vec", image, None, False, scales)
            row(name + ".default", image, [3, 3], False, *scales)
        row(name + ".default", empty(0, 2, 3, 3), [2, 2], False)
        refuse(name + ".default", image, [0, 2], False)
        refuse(name + ".default", image, [2], False)
        refuse(name + ".default", image[0], [2, 2], False)
        refuse(name + ".vec", image, None, False, None)
        refuse(name + ".vec", image, [2, 2], False, [2.0, 2.0])
        refuse(name + ".vec", empty(1, 2, 0, 3), [2, 2], False, None)


def attentions():
    tolerance(32, 4, largest=True)
    name = "aten._scaled_dot_product_attention_math.default"
    q, k, v = noise(1, 2, 3, 4), noise(1, 2, 5, 4), noise(1, 2, 5, 2)
    for t in (f32, f64):
        row(name, q.to(t), k.to(t), v.to(t))
    row(name, q, k, v, noise(3, 5))
    row(name, q, k, v, noise(2, 3, 5) > 0)
    row(name, q, k, v, None, 0.0, True)
    row(name, q, k, v, tensor([[True] * 5, [False] * 5, [True, False] * 2 + [True]], boolean))
    row(name, q, k, v, None, 0.0, False, None, scale=0.25)
    row(name, noise(1, 4, 3, 2), noise(1, 2, 3, 2), noise(1, 2, 3, 2), None, 0.0, False, None,
        scale=None, enable_gqa=True)
    row(name, noise(3, 4), noise(2, 4), noise(2, 4))
    fixed(name, [q, k, v, None, 0.5], "error nac_run_argument")
    refuse(name, q, noise(1, 2, 5, 3), v)
    refuse(name, q, k, v, noise(3, 5), 0.0, True)
    # These don't run on a CPU, but mean the same.
    cpu = torch_operator("aten._scaled_dot_product_flash_attention_for_cpu.default")
    q, k, v, mask = *(noise(1, 2, 3, 4) for _ in range(3)), noise(1, 2, 3, 3)
    name = "aten._scaled_dot_product_cudnn_attention.default"
    fixed(name, [q, k, v, None, True], list(cpu(q, k, v)))
    fixed(name, [q, k, v, mask, False, 0.0, False, False, 2.0],
          list(cpu(q, k, v, attn_mask=mask, scale=2.0)))
    fixed(name, [q, k, v, None, True, 0.0, True], list(cpu(q, k, v, 0.0, True)))
    fixed(name, [q, k, v, None, True, 0.5], "error nac_run_argument")
    name = "aten._scaled_dot_product_fused_attention_overrideable.default"
    fixed(name, [q, k, v], list(cpu(q, k, v)))
    fixed(name, [q, k, v, mask, 0.0, False, False, 2.0],
          list(cpu(q, k, v, attn_mask=mask, scale=2.0)))
    fixed(name, [q, k, v, None, 0.0, True], list(cpu(q, k, v, 0.0, True)))
    fixed(name, [q, k, v, None, 0.5], "error nac_run_argument")


def others():
    tolerance(0, 0)
    name = "aten.put.default"
    for t in every:
        either(name, noise(2, 3, dtype=t), tensor([0, 5, -2], i64), noise(3, dtype=t))
        either(name, noise(2, 3, dtype=t), tensor([0, 5, 0], i64), noise(3, dtype=t), True)
    row(name, noise(2, 3), tensor([[1, 2]], i64), noise(2, 1))
    row(name, noise(2, 3), empty(0, dtype=i64), empty(0))
    row(name, tensor(1.0), tensor(0, i64), tensor(2.0))
    refuse(name, noise(2, 3), tensor([6], i64), noise(1))
    refuse(name, noise(2, 3), tensor([0], i64), noise(2), code="nac_run_shape")
    refuse(name, noise(2, 3), tensor([0], i64), noise(1, dtype=f64), code="nac_run_type")
    for name in ("aten.view.dtype", "aten.view_copy.dtype"):
        row(name, tensor([1.5, -0.0]), i32)
        row(name, tensor([1, -1], i64), f64)
        row(name, tensor([1.5, -2.0]), i16)
        row(name, tensor([[1, 2], [3, 4]], i16), f32)
        row(name, tensor([1.5, -2.0], f16), bf16)
        row(name, tensor(1.5), i32)
        row(name, tensor([True, False], boolean), u8)
        row(name, tensor([1, 0], u8), boolean)
        refuse(name, tensor([1, 2, 3], u8), i16)
        refuse(name, tensor(1.5), i16)
    for name in ("aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default"):
        fixed(name, [Num(3)], "=i64:3")
        fixed(name, [Num(3), 0, 5], "=i64:3")
        fixed(name, [Num(3), None, 5], "=i64:3")
        fixed(name, [tensor(3.0), 2], tensor(3.0))
        fixed(name, [Num(3), 4], "error nac_run_argument")
        fixed(name, [Num(3), 0, 2], "error nac_run_argument")
    tolerance(8, 2, largest=True)
    name = "aten.cosine_embedding_loss.default"
    for reduction in (0, 1, 2):
        row(name, noise(3, 4), noise(3, 4), tensor([1, -1, 1]), 0.0, reduction)
        row(name, noise(3, 4), noise(3, 4), tensor([-1, -1, 1]), -0.5, reduction)
    row(name, noise(4), noise(4), tensor(1.0))
    row(name, noise(2, 4, dtype=f64), noise(2, 4, dtype=f64), tensor([1, -1], f64))
    refuse(name, noise(3, 4), noise(3, 3), tensor([1, -1, 1]), code="nac_run_shape")
    name = "aten.triplet_margin_loss.default"
    for reduction in (0, 1, 2):
        row(name, noise(3, 4), noise(3, 4), noise(3, 4), 1.0, 2.0, 1e-6, False, reduction)
        row(name, noise(3, 4), noise(3, 4), noise(3, 4), 0.5, 1.0, 1e-6, True, reduction)
    row(name, noise(3, 4), noise(3, 4), noise(3, 4))
    refuse(name, noise(3, 4), noise(3, 2), noise(3, 4), code="nac_run_shape")


def exports():
    begin("exports")
    transforms()
    images()
    attentions()
    others()


if __name__ == "__main__":
    recorded = {f.__name__: f for f in (aliases, compositions, exports)}
    for chosen in sys.argv[1:] or recorded:
        recorded[chosen]()
    if operations.problems:
        sys.exit("\n".join(operations.problems))
    operations.write("compositions.py")
