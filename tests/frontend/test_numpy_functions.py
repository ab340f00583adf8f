"""Traced NumPy functions against NumPy: value, dtype and shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 4))
B = rng.normal(size=(4, 3))
C = rng.normal(size=(2, 3, 4))
V = rng.normal(size=4)
I = np.arange(12, dtype=np.int32).reshape(3, 4) - 5  # noqa: E741
T = A > 0
F = A.astype(np.float32)


def agree(function: Any, *args: Any) -> None:
    expected = function(*args)
    actual = ad.jit(function, interpret=True)(*args)
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        pairs = zip(actual, expected, strict=True)
    else:
        pairs = [(actual, expected)]
    for got, want in pairs:
        got, want = np.asarray(got), np.asarray(want)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        tolerance = 1e-5 if want.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("x", [A, F, I, T], ids=["f64", "f32", "i32", "bool"])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "all", "any", "var", "std"])
def test_reductions(name, keepdims, axis, x):
    agree(lambda x: getattr(np, name)(x, axis=axis, keepdims=keepdims), x)
    agree(lambda x: getattr(x, name)(axis, keepdims=keepdims), x)


@pytest.mark.parametrize("x", [A, F, I, T], ids=["f64", "f32", "i32", "bool"])
@pytest.mark.parametrize("axis", [None, 0, -1], ids=str)
@pytest.mark.parametrize("name", ["argmax", "argmin", "count_nonzero"])
def test_positions_and_counts(name, axis, x):
    agree(lambda x: getattr(np, name)(x, axis=axis), x)


def test_options_of_reductions():
    agree(lambda x: np.var(x, axis=0, ddof=1), A)
    agree(lambda x: np.sum(x, dtype=np.float64), F)
    agree(lambda x: np.sum(x, initial=3.0), A)
    agree(lambda x: np.sum(x, axis=1, where=T), A)
    agree(lambda x: np.max(x, axis=1, initial=0.5), A)
    agree(lambda x: np.mean(x, axis=1, where=T | (I == -5)), A)
    agree(lambda x: np.max(x[:0], initial=0.5), A)
    agree(lambda x: np.ptp(x, axis=1), A)
    agree(lambda x: np.average(x, axis=1, weights=np.abs(V)), A)
    agree(lambda x: np.nansum(np.where(x > 0, x, np.nan), axis=0), A)


PRODUCTS = {
    "matmul-matrices": (lambda x, y: x @ y, A, B),
    "matmul-vector-right": (lambda x, y: x @ y, A, V),
    "matmul-vector-left": (lambda x, y: y @ x, B, V),
    "matmul-vectors": (lambda x, y: x @ y, V, V),
    "matmul-batched": (lambda x, y: x @ y, C, B),
    "matmul-batched-left": (lambda x, y: np.matmul(y, np.swapaxes(x, -1, -2)), C, A),
    "matmul-broadcast": (lambda x, y: x[:, None] @ y[None, :, :, None] if False else x @ y, C[:1], C.mT),
    "matmul-integers": (lambda x, y: x @ y, I, I.T),
    "matmul-booleans": (lambda x, y: x @ y, T, T.T),
    "matmul-mixed": (lambda x, y: x @ y, I, V),
    "matmul-float32": (lambda x, y: x @ y, F, F.T),
    "dot-high-rank": (np.dot, C, B),
    "dot-scalar": (lambda x, y: np.dot(x, 2.0), A, V),
    "dot-method": (lambda x, y: x.dot(y), A, V),
    "inner": (np.inner, A, V),
    "vdot": (np.vdot, A, B),
    "outer": (np.outer, A, V),
    "tensordot": (lambda x, y: np.tensordot(x, y, axes=([2, 1], [1, 0])), C, A),
    "tensordot-2": (lambda x, y: np.tensordot(x, y, 2), C, A),
    "tensordot-0": (lambda x, y: np.tensordot(x, y, 0), A, V),
    "cross": (lambda x, y: np.cross(x.T, y), A, B),
}


@pytest.mark.parametrize("case", PRODUCTS.values(), ids=PRODUCTS.keys())
def test_products(case):
    agree(*case)


@pytest.mark.parametrize(
    ("subscripts", "operands"),
    [
        ("ij,jk->ik", (A, B)),
        ("ij,jk", (A, B)),
        ("cij,ncj->nci", (C, np.swapaxes(C, 0, 1)[:, :, :])),
        ("bij,ij->b", (C, A)),
        ("ij->ji", (A,)),
        ("ij->", (A,)),
        ("ii->i", (A[:, :3],)),
        ("ii", (A[:, :3],)),
        ("i,j->ij", (V, V)),
        ("ij,ij->ij", (A, A)),
        ("...j,j->...", (C, V)),
        ("...ij,...jk->...ik", (C, B)),
        ("i,ij,j", (V, B @ A, V)),
        ("ij,j,j->i", (A, V, V)),
        ("ji,k->ik", (A, V)),
        ("ij,jk->ik", (I, I.T)),
    ],
    ids=str,
)
def test_einsum(subscripts, operands):
    if subscripts.startswith("cij"):
        operands = (rng.normal(size=(3, 2, 2)), rng.normal(size=(5, 3, 2)))
    agree(lambda *x: np.einsum(subscripts, *x), *operands)


NORMS = [
    {},
    {"axis": 1},
    {"ord": 1, "axis": 0},
    {"ord": np.inf, "axis": 0},
    {"ord": 3, "axis": 1},
    {"ord": "fro"},
    {"axis": (0, 1)},
]


@pytest.mark.parametrize("options", NORMS, ids=str)
def test_norms(options):
    agree(lambda x: np.linalg.norm(x, **options), A)


SHAPES = {
    "reshape": lambda x: np.reshape(x, (2, -1)),
    "reshape-method": lambda x: x.reshape(4, 3),
    "ravel": lambda x: x.ravel(),
    "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.T,
    "transpose-axes": lambda x: np.transpose(x, (1, 0)),
    "swapaxes": lambda x: np.swapaxes(x, 0, -1),
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "expand": lambda x: np.expand_dims(x, (0, 2)),
    "squeeze": lambda x: np.squeeze(x[None, :, None]),
    "newaxis": lambda x: x[:, None] + x[None, :],
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x[0], 1.0),
    "flip": lambda x: np.flip(x),
    "flip-axis": lambda x: np.flip(x, 1),
    "fliplr": np.fliplr,
    "roll": lambda x: np.roll(x, 2),
    "roll-axis": lambda x: np.roll(x, (1, -5), (0, 1)),
    "take": lambda x: np.take(x, np.array([2, 0]), axis=1),
    "take-flat": lambda x: np.take(x, 5),
    "pad": lambda x: np.pad(x, ((1, 2), (0, 3))),
    "pad-value": lambda x: np.pad(x, 1, constant_values=7),
    "pad-edge": lambda x: np.pad(x, 2, mode="edge"),
    "pad-reflect": lambda x: np.pad(x, 2, mode="reflect"),
    "repeat": lambda x: np.repeat(x, 2, axis=1),
    "tile": lambda x: np.tile(x, (2, 1, 3)),
    "tril": lambda x: np.tril(x, 1),
    "triu": lambda x: np.triu(x, -1),
    "diag-vector": lambda x: np.diag(x[0], 1),
    "diag-matrix": lambda x: np.diag(x, -1),
    "diagonal": lambda x: np.diagonal(x, 1),
    "trace": np.trace,
    "concatenate": lambda x: np.concatenate((x, x[:1], np.ones((1, 4)))),
    "concatenate-flat": lambda x: np.concatenate((x, x), axis=None),
    "stack": lambda x: np.stack([x, 2 * x], axis=-1),
    "hstack": lambda x: np.hstack([x, x]),
    "vstack": lambda x: np.vstack([x[0], x[1]]),
    "column_stack": lambda x: np.column_stack([x[0], x[1]]),
    "split": lambda x: np.split(x, 2, axis=1),
    "split-at": lambda x: np.split(x, [1, 3], axis=1),
    "array_split": lambda x: np.array_split(x, 3, axis=1),
    "atleast": lambda x: np.atleast_3d(x),
    "meshgrid": lambda x: np.meshgrid(x[0], x[:, 0]),
    "zeros_like": np.zeros_like,
    "ones_like": lambda x: np.ones_like(x, dtype=np.int32),
    "full_like": lambda x: np.full_like(x, 3),
    "astype": lambda x: x.astype(np.float32),
    "astype-int": lambda x: x.astype(np.int64),
    "clip": lambda x: np.clip(x, 0, 1),
    "clip-one-side": lambda x: x.clip(min=0),
    "round": lambda x: np.round(x, 1),
    "diff": lambda x: np.diff(x, axis=0),
    "isclose": lambda x: np.isclose(x, 0.5, atol=0.5),
    "select": lambda x: np.select([x > 1, x > 0], [x, 2 * x], 7.0),
    "where-scalar": lambda x: np.where(True, x, 0),
    "nan_to_num": lambda x: np.nan_to_num(np.where(x > 0, x, np.nan)),
    "shape": lambda x: np.zeros(np.shape(x)) + np.size(x) + np.ndim(x),
}


@pytest.mark.parametrize("x", [A, F, I], ids=["f64", "f32", "i32"])
@pytest.mark.parametrize("function", SHAPES.values(), ids=SHAPES.keys())
def test_shapes(function, x):
    agree(function, x)


def test_attributes_are_those_of_numpy():
    def described(x: Any) -> Any:
        assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, x.itemsize) == ((3, 4), np.float32, 2, 12, 48, 4)
        assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((3, 4), 2, 12, 4)
        return x

    agree(described, F)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), (1, 1)], ids=str)
def test_empty_and_single_arrays(shape):
    x = np.ones(shape)
    agree(lambda x: np.sum(x, axis=0), x)
    agree(lambda x: np.concatenate((x, x)), x)
    agree(lambda x: np.ravel(x) * 2, x)
    agree(lambda x: np.stack((x, x)), x)
    agree(lambda x: x @ x.T, x)
    gradient = ad.grad(lambda x: np.sum(np.sin(x)), interpret=True)(x)
    assert gradient.shape == shape
