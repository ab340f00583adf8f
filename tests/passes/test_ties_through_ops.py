"""Second derivatives at a tie of what is computed of kinks, through every op that has a derivative.

Of f(a) + f(-a), where a = |x|, it is that of f(x) + f(-x), which has no kink; that is found by differences
of values. Where a is a sum of weighted magnitudes, it has the square of each weight as a factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy import special
from xdsl.ir import Operation

import mlirad as ad
from mlirad.dialects.array import (
    control,
    factorisations,
    indexing,
    ordering,
    reductions,
    structural,
    transforms,
)
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array
from mlirad.passes.code_jets import CONTROL
from mlirad.rules.derivatives import DERIVATIVES
from mlirad.rules.elementwise_derivatives import BINARY, UNARY

V = np.array([1.0, -2.0, 0.5])
POSITIVE = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.2]])


def shifted(a: Any) -> Any:
    """A matrix that depends on a number."""
    return POSITIVE + a * np.outer(V, V) / 9


@ad.custom_derivative
def doubled_sine(x: Any) -> Any:
    return 2 * np.sin(x)


@doubled_sine.rule
def _(x: Any) -> Any:
    return lambda dx: 2 * np.cos(x) * dx


@ad.custom_derivative
def doubled_cosine(x: Any) -> Any:
    return 2 * np.cos(x)


@doubled_cosine.transposed_rule
def _(x: Any) -> Any:
    return lambda dy: -2 * np.sin(x) * dy


def binary(op: type[ew.ElementwiseOp]) -> Any:
    is_slope = op in (ew.TanhSlopeOp, ew.LogisticSlopeOp)

    def f(a: Any) -> Any:
        x = 0.75 + a
        y = (np.tanh(x) if op is ew.TanhSlopeOp else special.expit(x)) if is_slope else 1.25 - a / 2
        x, y = as_array(x).value, as_array(y).value
        return made(emitting().apply_elementwise(op, (x, y)))

    return f


THROUGH: dict[type[Operation], Any] = {
    **{op: binary(op) for op in (*BINARY, ew.MaxOp, ew.MinOp)},
    ew.SelectOp: lambda a: np.where(a < 1, np.exp(a), np.sin(a)),
    ew.ConvertOp: lambda a: np.exp(np.prod(np.asarray(1 + a * V).astype(np.float32)).astype(np.float64)),
    ew.SpecialOp: lambda a: special.j0(a + 1),
    structural.BroadcastOp: lambda a: np.sum(np.exp(np.broadcast_to(a * V, (2, 3)))),
    structural.ReshapeOp: lambda a: np.prod(np.reshape(1 + a * np.outer(V, V[:2]), -1)),
    structural.SliceOp: lambda a: np.prod((1 + a * V)[1:]),
    structural.PadOp: lambda a: np.prod(np.pad(1 + a * V, 1, constant_values=2.0)),
    structural.ConcatenateOp: lambda a: np.prod(np.concatenate([1 + a * V, 2 - a * V])),
    structural.ReverseOp: lambda a: np.dot((1 + a * V)[::-1], np.exp(a * V)),
    structural.StackOp: lambda a: np.prod(np.stack([1 + a, np.exp(a)])),
    indexing.IndexOp: lambda a: np.cumprod(1 + a * V)[1],
    indexing.GatherOp: lambda a: np.prod((1 + a * V)[np.array([2, 0, 2])]),
    indexing.UpdateOp: lambda a: np.prod(ad.asarray(np.ones(3)).at[1:].set(2 + a * V[1:])),
    reductions.SumOp: lambda a: np.cumprod(np.sum(shifted(a), axis=0))[1],
    reductions.ReduceOp: lambda a: np.prod(2 + a * V) * np.max(np.exp(a * V) + np.arange(3)),
    reductions.DotOp: lambda a: np.sum(shifted(a) @ shifted(2 * a)),
    ordering.SortOp: lambda a: np.sort(V + a * np.arange(3))[1] * np.sort(np.exp(a * V) + V)[2],
    ordering.CumulativeOp: lambda a: np.sum(np.cumprod(1 + a * V) * np.cumsum(1 + a * V)),
    factorisations.LuOp: lambda a: np.linalg.slogdet(shifted(a))[1],
    factorisations.CholeskyOp: lambda a: np.sum(np.linalg.cholesky(shifted(a))),
    factorisations.QrOp: lambda a: np.linalg.qr(shifted(a))[1][0, 2],
    factorisations.EighOp: lambda a: np.linalg.eigvalsh(shifted(a))[0],
    factorisations.SvdOp: lambda a: np.linalg.svd(shifted(a))[1][0],
    factorisations.EigOp: lambda a: np.max(np.real(np.linalg.eigvals(shifted(a) + a * np.eye(3, k=1)))),
    factorisations.SchurOp: lambda a: scipy.linalg.schur(shifted(a) + a * np.eye(3, k=1))[0][1, 2] ** 2,
    factorisations.TriangularSolveOp: lambda a: np.sum(
        scipy.linalg.solve_triangular(shifted(a), np.exp(a * V), lower=True)
    ),
    factorisations.SolveOp: lambda a: np.sum(np.linalg.solve(shifted(a), np.exp(a * V))),
    transforms.FftOp: lambda a: (
        np.sum(np.abs(np.fft.fft(1 + a * V)[:2]) ** 2) + np.fft.fft(np.exp(a * V))[1].real
    ),
    control.ScanOp: lambda a: ad.fori_loop(0, 4, lambda i, y: 0.9 * y + y * y / (i + 3), a),
    control.WhileOp: lambda a: ad.while_loop(
        lambda s: s[1] < 4, lambda s: (np.sin(s[0] + 0.5), s[1] + 1), (a, 0)
    )[0],
    control.IfOp: lambda a: ad.cond(a < 1, lambda y: np.prod(1 + y * V), lambda y: y, a),
    control.SwitchOp: lambda a: ad.switch(
        (a < 1).astype(np.int64), [lambda y: y, lambda y: np.exp(np.prod(1 + y * V)), lambda y: -y], a
    ),
    CheckpointOp: lambda a: ad.checkpoint(lambda y: np.sin(np.cos(y) + y))(a),
    CustomOp: lambda a: np.prod(doubled_sine(a * V + 1) + doubled_cosine(a * V)),
}
"""By each op with a derivative: a smooth function of a number that is not even, which needs the op."""

MADE_BY_PASSES = {structural.TransposeOp, indexing.ScatterOp}
"""The ops that no function is written with."""


def test_every_op_with_a_derivative_has_a_function() -> None:
    assert set(THROUGH) == {*DERIVATIVES, *CONTROL, CustomOp} - {*UNARY, *MADE_BY_PASSES}


def even(f: Any) -> Any:
    return lambda a: f(a) + f(-a)


def bend(f: Any) -> float:
    """The second derivative at 0 by differences of values, to the sixth order."""
    h, f = 0.02, ad.jit(f)
    weights = {0: -49 / 18, 1: 3 / 2, 2: -3 / 20, 3: 1 / 90}
    return float(sum(w * (f(k * h) + f(-k * h)) / (2 if k == 0 else 1) for k, w in weights.items())) / h**2


METHODS = ("dual-arrays", "jacobian", "chad")
KINKS: dict[str, tuple[Any, Any, Any]] = {
    "magnitude": (np.abs, 0.0, 1.0),
    "norm": (np.linalg.norm, np.zeros(2), np.eye(2)),
    "hypot": (lambda x: np.hypot(x[0], x[1]), np.zeros(2), np.eye(2)),
}


CASES = [
    (op, kink, METHODS[(k + n) % len(METHODS)])
    for k, op in enumerate(THROUGH)
    for n, kink in enumerate(KINKS)
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0].name}-{c[1]}-{c[2]}")
def test_one_kink_through_an_op(case: tuple[type[Operation], str, Any]) -> None:
    op, kink, method = case
    f = even(THROUGH[op])
    of, at, unit = KINKS[kink]
    assert op.name in str(ad.trace(f, 0.5))
    is_exact = op is not ew.ConvertOp
    expected = bend(f if is_exact else even(lambda a: np.exp(np.prod(1 + a * V))))
    tolerance = {"rtol": 1e-7, "atol": 1e-7} if is_exact else {"rtol": 1e-4}
    slope = ad.jit(ad.grad(lambda x: f(of(x))), method=method)
    np.testing.assert_allclose(slope(at), 0 * at, atol=1e-12)
    hessian = ad.jit(ad.jacfwd(slope), method=method)
    np.testing.assert_allclose(hessian(at), expected * unit, **tolerance)
    for distance in (1e-9, 1e-7) if is_exact else ():
        beside = at + distance if np.ndim(at) == 0 else at + distance * np.array([0.6, -0.8])
        np.testing.assert_allclose(hessian(beside), expected * unit, rtol=1e-4, atol=1e-5)


WEIGHTS = np.array([1.0, -0.5, 2.0])
MIXED = {
    "a sum of magnitudes": (lambda x: np.dot(WEIGHTS, np.abs(x)), np.diag(WEIGHTS**2)),
    "prefix sums": (lambda x: np.cumsum(np.abs(WEIGHTS * x))[2], np.diag(WEIGHTS**2)),
    "norms of rows": (lambda x: np.sum(np.linalg.norm(np.stack([x, 2 * x], axis=1), axis=1)), 5 * np.eye(3)),
    "roots": (lambda x: np.dot(WEIGHTS, np.sqrt(x * x)), np.diag(WEIGHTS**2)),
}
"""A number that f is taken of, and the factors of the second derivatives where all are 0, by the kind."""


@pytest.mark.parametrize(
    "case",
    [(op, list(MIXED)[k % len(MIXED)], METHODS[k % len(METHODS)]) for k, op in enumerate(THROUGH)],
    ids=lambda c: f"{c[0].name}-{c[1]}-{c[2]}",
)
def test_an_array_of_kinks_through_an_op(case: tuple[type[Operation], str, Any]) -> None:
    op, kind, method = case
    f, (of, factors) = even(THROUGH[op]), MIXED[kind]
    is_exact = op is not ew.ConvertOp
    expected = bend(f if is_exact else even(lambda a: np.exp(np.prod(1 + a * V))))
    slope = ad.jit(ad.grad(lambda x: f(of(x))), method=method)
    np.testing.assert_allclose(slope(np.zeros(3)), np.zeros(3), atol=1e-12)
    hessian = ad.jit(ad.jacfwd(slope), method=method)(np.zeros(3))
    tolerance = {"rtol": 1e-7, "atol": 1e-7} if is_exact else {"rtol": 1e-4, "atol": 1e-7}
    np.testing.assert_allclose(hessian, expected * factors, **tolerance)
