"""Rewritten functions are the functions they were: globals, cells, defaults, methods, staleness."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import mlirad as ad

scale = 2.0


def scaled(x, factor=1.0, *, shift=0.0):
    """Positive parts, scaled."""
    if x > 0:
        return x * scale * factor + shift
    return shift


class Model:
    __offset = 1.0

    def __init__(self, w):
        self.w = w

    def loss(self, x):
        if x > self.w:
            return (x - self.w) ** 2 + self.__offset
        return 0.0 * x

    def __call__(self, x):
        return self.loss(x) if x < 10 else x


class Doubled(Model):
    def loss(self, x):
        if x > 0:
            return 2 * super().loss(x)
        return x


def test_globals_attributes_and_defaults_are_seen_as_they_are_now(monkeypatch: pytest.MonkeyPatch) -> None:
    f = ad.jit(scaled, control="rewrite", interpret=True)
    assert (f(3.0), f(-3.0), f(3.0, shift=1.0)) == (6.0, 0.0, 7.0)
    monkeypatch.setitem(globals(), "scale", 5.0)
    assert f(3.0) == 15.0
    monkeypatch.setattr(scaled, "__defaults__", (10.0,))
    assert f(3.0) == 150.0
    model = Model(1.0)
    loss = ad.grad(model.loss, control="rewrite", interpret=True)
    assert (loss(3.0), loss(0.5)) == (4.0, 0.0)
    model.w = 2.0
    assert loss(3.0) == 2.0


def test_cells_are_shared() -> None:
    factor = 2.0
    log: list[str] = []

    def f(x: Any) -> Any:
        nonlocal factor
        if factor > 1:
            factor = 0.5
            log.append("changed")
        return x * factor if x > 0 else x

    assert ad.rewritten(f)(3.0) == 1.5
    assert (factor, log) == (0.5, ["changed"])


def test_methods_objects_partials_and_super() -> None:
    for function in (Doubled(1.0).loss, functools.partial(Doubled.loss, Doubled(1.0)), Doubled(1.0)):
        f = ad.jit(function, control="rewrite", interpret=True)
        assert (f(3.0), f(-3.0)) == (10.0, -3.0)


def test_the_function_looks_as_it_did() -> None:
    f = ad.rewritten(scaled)
    assert (f.__name__, f.__qualname__, f.__doc__) == (scaled.__name__, scaled.__qualname__, scaled.__doc__)
    assert inspect.signature(f) == inspect.signature(scaled)
    assert f.__code__.co_filename == __file__
    assert ad.rewritten(f) is f
    assert (f(3.0), f(-3.0, shift=1.0)) == (6.0, 1.0)


def test_it_is_compiled_once() -> None:
    traces: list[int] = []

    def f(x: Any) -> Any:
        traces.append(1)
        return x if x > 0 else -x

    for _ in range(3):
        assert ad.jit(f, control="rewrite", interpret=True)(-2.0) == 2.0
    assert len(traces) == 1


def test_lambdas_on_one_line() -> None:
    one, other = (lambda x: x if x > 0 else -x), (lambda x: 1.0 if x > 0 else x)
    assert ad.jit(one, control="rewrite", interpret=True)(-2.0) == 2.0
    assert ad.jit(other, control="rewrite", interpret=True)(-2.0) == -2.0


def test_every_transformation_takes_the_option() -> None:
    def f(x: Any) -> Any:
        y = x[0]
        for value in x:
            if value > y:
                y = value * value
        return y

    x, v = np.array([1.0, 3.0, 2.0]), np.ones(3)
    run: Any = {"control": "rewrite", "interpret": True}
    assert ad.jit(f, **run)(x) == 9.0
    expected = np.array([0.0, 6.0, 0.0])
    np.testing.assert_array_equal(ad.grad(f, **run)(x), expected)
    np.testing.assert_array_equal(ad.jacfwd(f, **run)(x), expected)
    np.testing.assert_array_equal(ad.jacobian(f, **run)(x), expected)
    assert ad.jvp(f, (x,), (v,), **run) == (9.0, 6.0)
    np.testing.assert_array_equal(ad.hessian(f, **run)(x), np.diag([0.0, 2.0, 0.0]))
    np.testing.assert_array_equal(ad.hvp(f, (x,), (v,), **run), [0.0, 2.0, 0.0])
    np.testing.assert_array_equal(ad.vmap(f, **run)(np.stack([x, -x])), [9.0, -1.0])
    assert ad.linearize(f, x, **run)[1](v) == 6.0
    np.testing.assert_array_equal(ad.vjp(f, x, **run)[1](1.0)[0], expected)


def test_functions_of_the_program_call_themselves() -> None:
    @ad.function
    @ad.rewritten
    def steps(n: Any) -> Any:
        if n <= 1:
            return 0
        return 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    assert ad.jit(steps, interpret=True)(6) == 8


def test_long_loops_are_loops() -> None:
    def f(x: Any) -> Any:
        for i in range(1000):
            x = np.sin(x) + i
        return x

    text = ad.jit(f, control="rewrite").ir(1.0)
    assert text.count("array.sin") == 1
    short = ad.jit(lambda x: [x := np.sin(x) for _ in range(3)][-1], control="rewrite").ir(1.0)
    assert short.count("array.sin") == 3


def test_arrays_of_numpy_that_hold_traced_values() -> None:
    import mlirad.numpy as xp

    def arrays(x: Any) -> Any:
        y = xp.zeros(3)
        y[1] = x
        z = xp.array([[1.0, 2.0]])
        z[0, 0] = x
        return [
            y, z, np.array([x, 1.0]), np.asarray([[x, 2], [3, x]]), np.full((2,), x), np.array(x),
            np.array([x, 1], np.float32), np.array([x], ndmin=2), xp.full(2, x), xp.ones((2, 2), int),
            xp.empty(2) * 0, xp.eye(2), xp.identity(2), xp.array([1, 2]), xp.asarray([x]), xp.sin(x),
            np.array([1.0, 2.0]), np.full(2, 3),
        ]  # fmt: skip

    for found, expected in zip(ad.jit(arrays, interpret=True)(2.0), arrays(np.float64(2.0)), strict=True):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found, expected)
    assert ad.numpy.pi is np.pi
    assert type(xp.zeros(2)) is np.ndarray
