"""Extrema that cancel get no derivative, and nothing else is taken for one."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, shape_of
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.verification import verify_module
from mlirad.passes.stop_shift_gradients import stop_shift_gradients

Floats = npt.NDArray[np.float64]


def log_sum_exp(x: Any) -> Any:
    m = np.max(x, axis=-1, keepdims=True)
    return (m + np.log(np.sum(np.exp(x - m), axis=-1, keepdims=True)))[..., 0]


def log_sum_exp_from_below(x: Any) -> Any:
    m = -x.min(axis=-1)
    return np.log(np.sum(np.exp(-x - m[..., None]), axis=-1)) + m


def softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return np.sin(e / np.sum(e, axis=-1, keepdims=True))


def softmax_of_columns(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=0))
    return np.sum(x * e, axis=0) / np.sum(e, axis=0)


def cross_entropy(x: Any) -> Any:
    z = x - np.max(x, axis=1, keepdims=True)
    return -np.sum(np.cos(x) * (z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))))


def attention(x: Any) -> Any:
    scores = np.where(np.tri(len(x)) > 0, x @ x.T, -np.inf)
    e = np.where(np.tri(len(x)) > 0, np.exp(scores - scores.max(axis=1, keepdims=True)), 0)
    return (e @ x) / e.sum(axis=1)[:, None]


def log_add_exp(x: Any) -> Any:
    a, b = x[0], x[1]
    m = np.maximum(a, b)
    return m + np.log(np.exp(a - m) + np.exp(b - m))


def power_mean(x: Any) -> Any:
    m = np.max(x)
    return np.sqrt(np.sum(np.exp(2 * (x - m)))) / np.exp(-m)


def best_and_its_lead(x: Any) -> Any:
    m = np.max(x, axis=1, keepdims=True)
    z = np.exp(x - m)
    return np.where(np.max(z, axis=1, keepdims=True) > z, x, x * x) + np.argmax(x - m, axis=1)[:, None]


CANCELLING = [
    log_sum_exp,
    log_sum_exp_from_below,
    softmax,
    softmax_of_columns,
    cross_entropy,
    attention,
    log_add_exp,
    power_mean,
    best_and_its_lead,
]


@pytest.mark.parametrize("function", CANCELLING)
def test_what_cancels_is_detached_and_has_the_same_derivatives(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(3).normal(size=(3, 4))
    text = ad.jacobian(function).ir(x, after="stop-shift-gradients")
    assert "array.stop_gradient" in text
    total = ad.grad(lambda y: np.sum(function(y)))
    assert "compare eq" not in total.ir(x, after="lower-checkpoints")
    ad.check_derivatives(function, x)
    ad.check_derivatives(ad.grad(lambda y: np.sum(np.sin(function(y)))), x)
    for method in ("dual-arrays", "jacobian"):
        expected = np.array([_slope(function, x, d) for d in np.eye(x.size).reshape(-1, *x.shape)])
        found = ad.jacobian(function, method=method)(x)
        np.testing.assert_allclose(found.reshape(-1, x.size).T, expected, rtol=1e-6, atol=1e-8)


def _slope(function: Callable[..., Any], x: Floats, direction: Floats) -> Floats:
    return np.ravel(function(x + 1e-6 * direction) - function(x - 1e-6 * direction)) / 2e-6


def test_batches_and_loops_are_searched_too() -> None:
    x = np.random.default_rng(4).normal(size=(3, 4))

    def row_by_row(y: Any) -> Any:
        return ad.scan(lambda total, row: (total + log_sum_exp(row * total), total), 1.0, y)[0]

    for function in (ad.vmap(log_sum_exp), lambda y: ad.map(log_sum_exp, y), row_by_row):
        whole = ad.grad(lambda y, f=function: np.sum(f(y) ** 2))
        assert "array.stop_gradient" in whole.ir(x, after="stop-shift-gradients")
        ad.check_derivatives(function, x)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (log_sum_exp(x), np.max(x, axis=-1)),
        lambda x: np.exp(x - np.max(x)),
        lambda x: (x - np.max(x)) ** 2,
        lambda x: np.sum(np.exp(x - np.max(x, axis=1, keepdims=True))),
        lambda x: np.log(np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)))) + np.sum(np.max(x, axis=1)),
        lambda x: np.sin(np.max(x)) + np.log(np.sum(np.exp(x - np.sin(np.max(x))))),
        lambda x: np.max(x) * np.log(np.sum(np.exp(x - np.max(x)))),
        lambda x: ad.fori_loop(0, 3, lambda _, s: s + np.max(x), 0.0) - np.max(x),
    ],
)
def test_what_does_not_cancel_keeps_its_derivative(function: Callable[..., Any]) -> None:
    x = np.random.default_rng(5).normal(size=(3, 4))
    assert "array.stop_gradient" not in ad.jacobian(function).ir(x, after="stop-shift-gradients")
    ad.check_derivatives(function, x)


def test_a_program_without_derivatives_stays_as_it_is() -> None:
    assert "array.stop_gradient" not in ad.jit(log_sum_exp).ir(np.ones((2, 3)), after="stop-shift-gradients")


def random_function(rng: random.Random) -> FuncOp:
    """Random ops on x of 3 by 4 elements and the maximum m of t and -1e300, which is t, and their results."""
    sides = rng.choice([(), (3,), (4,)])

    def body(b: ArrayBuilder, x: Value, t: Value) -> list[Value]:
        m = b.binary(ew.MaxOp, t, b.splat(-1e300, t.type))
        wide = b.broadcast(m, (3, 4), [(3, 4).index(d) for d in sides])
        z = b.sub(x, wide)
        pool = [x, m, wide, z, b.unary(ew.ExpOp, z)]
        for _ in range(rng.randint(3, 9)):
            pool.append(_random_value(rng, b, pool, m))
        return [pool[-1]]

    return new_function("f", [array_type((3, 4), f64), array_type(sides, f64)], body)


def _random_value(rng: random.Random, b: ArrayBuilder, pool: list[Value], m: Value) -> Value:
    v = rng.choice(pool[-4:])
    shape = shape_of(v)
    alike = [w for w in pool if shape_of(w) == shape]
    w = rng.choice(alike)
    dims = [d for d in range(len(shape)) if rng.random() < 0.6]
    kept = [d for d in range(len(shape)) if d not in dims]
    makers: list[Callable[[], Value]] = [
        lambda: b.add(v, w),
        lambda: b.sub(v, w),
        lambda: b.mul(v, w),
        lambda: b.div(v, w),
        lambda: b.scaled(v, rng.choice([-1.0, 2.0, 0.5])),
        lambda: b.neg(v),
        lambda: b.unary(rng.choice([ew.ExpOp, ew.LogOp, ew.LogOp, ew.SqrtOp, ew.AbsOp, ew.SinOp]), v),
        lambda: b.sum(v, dims),
        lambda: b.reduce(rng.choice(["max", "min"]), v, dims),
        lambda: b.broadcast(b.sum(v, dims), shape, kept),
        lambda: b.div(v, b.broadcast(b.sum(v, dims), shape, kept)),
        lambda: b.select(b.compare("lt", v, w), v, w),
        lambda: b.binary(rng.choice([ew.MaxOp, ew.MinOp]), v, w),
        lambda: b.transpose(v, list(range(len(shape)))[::-1]),
        lambda: b.reshape(v, (1, *shape)),
        lambda: b.dot(v, w, [], [], list(range(len(shape))), list(range(len(shape)))),
        lambda: b.dot(v, pool[0], [], [], [0], [0]) if shape[:1] == (3,) else b.neg(v),
        lambda: b.add(m, b.unary(ew.LogOp, v)) if shape == shape_of(m) else b.sub(v, w),
    ]
    return rng.choice(makers)()


def test_what_is_detached_has_no_influence() -> None:
    """The witness: another value in the place of m leaves the results of random programs as they are."""
    detached = 0
    with np.errstate(all="ignore"):
        for seed in range(1500):
            rng = random.Random(seed)
            function = random_function(rng)
            m = next(op for op in function.body.block.ops if isinstance(op, ew.MaxOp))
            stop_shift_gradients(function)
            if not isinstance(m.next_op, ew.StopGradientOp):
                continue
            verify_module(ModuleOp([function]))
            numbers = np.random.default_rng(seed)
            x, t, u = (numbers.normal(size=shape_of(function.body.block.args[k])) for k in (0, 1, 1))
            before, after = (np.asarray(run_function(function, [x, s])[0]) for s in (t, u))
            detached += np.isfinite(before).all()
            np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}")
    assert detached >= 20
