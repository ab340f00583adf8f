"""The constructs outside of traces: what they give compiled, from Python's own calls of their functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing.pytree import flatten

X = np.array([1.0, -2.0, 3.0])
M = np.arange(6.0).reshape(3, 2)
INTEGERS = np.array([2, 0, 1])
Number = ad.sum_of(0.0, (0.0, 0))

CONSTRUCTS: dict[str, list[Callable[[], Any]]] = {
    "associative_scan": [
        lambda: ad.associative_scan(np.maximum, X),
        lambda: ad.associative_scan(lambda a, b: (a[0] + b[0], b[1]), (INTEGERS, INTEGERS), reverse=True),
        lambda: ad.associative_scan(lambda a, b: a * b, M, axis=1),
        lambda: ad.associative_scan(np.add, X[:0]),
    ],
    "asarray": [lambda: ad.asarray([1.0, 2.0]), lambda: ad.asarray(X, np.float32)],
    "build": [
        lambda: ad.build(4, lambda i: i * 2),
        lambda: ad.build((2, 3), lambda i, j: (i + 0.5 * j, np.ones(2) * j), chunk=1),
        lambda: ad.build((), lambda: 1.0),
        lambda: ad.build((0, 2), lambda i, j: X * 1.0),
    ],
    "case": [
        lambda: ad.case(ad.left(X, 0), lambda v: np.sum(v), lambda n: 1.0 * n),
        lambda: ad.case(Number((2.0, 3)), lambda v: v, lambda p: p[0] * p[1]),
        lambda: ad.case(Number(1, (2, 3)), lambda v: v, lambda p: p[0] * p[1]),
    ],
    "checkpoint": [lambda: ad.checkpoint(np.sin)(X)],
    "cond": [
        lambda: ad.cond(X[0] > 0, lambda x: x, lambda x: -x, X),
        lambda: ad.cond(np.False_, lambda: (1.5, {"a": 2}), lambda: (2.5, {"a": 3})),
    ],
    "convolution": [lambda: ad.convolution(M[None, None], np.ones((1, 1, 2, 2)))],
    "callback": [lambda: ad.callback(np.sort, np.empty(X.shape), X)],
    "debug_callback": [lambda: ad.debug_callback(len, X) or X],
    "debug_print": [lambda: ad.debug_print("{}", 1.0) or X],
    "fold": [lambda: ad.fold(lambda c, x: c * x, 1, X), lambda: ad.fold(lambda c, x: c, 1, X[:0])],
    "fori_loop": [
        lambda: ad.fori_loop(1, 4, lambda i, c: c + i, np.float32(0)),
        lambda: ad.fori_loop(3, 0, lambda i, c: c + i, 2),
    ],
    "function": [lambda: ad.function(lambda x: x * 2)(X)],
    "gather": [
        lambda: ad.gather(X, 4, lambda i: i - 1),
        lambda: ad.gather(M, (2, 2), lambda i, j: (i + j, j)),
    ],
    "index": [lambda: ad.index(X, -1), lambda: ad.index(M, (2,)), lambda: ad.index(M, (1, 1))],
    "lambda_": [
        lambda: ad.lambda_(lambda x: x * 2, 1.0)(3.0) * X,
        lambda: ad.scan(lambda f, x: (f, f(x)), ad.lambda_(np.sin, 1.0), X)[1],
    ],
    "left": [lambda: ad.case(ad.left(1, 2.0), lambda n: n + 1, lambda v: 1 + np.int64(v))],
    "map": [lambda: ad.map(lambda x, m: (x * m, m.sum()), X, M), lambda: ad.map(lambda x: x + 1, X[:0])],
    "right": [lambda: ad.case(ad.right(2.0, X), lambda v: v.sum(), lambda v: v + 1)],
    "scan": [
        lambda: ad.scan(lambda c, x: (c + x, c), 0.0, X),
        lambda: ad.scan(lambda c, x: (c + x[0].sum(), (x[1], c)), 0, (M, INTEGERS), reverse=True),
        lambda: ad.scan(lambda c, x: (c * 2, None), np.float32(1), length=3),
        lambda: ad.scan(lambda c, x: (c, x * 2), 1.0, M[:0]),
    ],
    "scatter": [
        lambda: ad.scatter(X, 2, lambda i: i // 2),
        lambda: ad.scatter(M, (2,), lambda i: (3 - i,)),
    ],
    "stack": [lambda: ad.stack([1.0, 2.0]), lambda: ad.stack([X, X], axis=1)],
    "stop_gradient": [lambda: ad.stop_gradient(X)],
    "sum_of": [lambda: ad.case(Number(2.0), lambda v: v * X, lambda p: p[0] * X)],
    "switch": [
        lambda: ad.switch(INTEGERS[0], [np.sin, np.cos, np.tan], X),
        lambda: ad.switch(-4, [lambda: 1, lambda: 2]),
        lambda: ad.switch(9, [lambda: 1, lambda: 2]),
    ],
    "where": [lambda: ad.where(X > 0, X, 0)],
    "while_loop": [
        lambda: ad.while_loop(lambda y: y > 1, lambda y: y / 2, 40),
        lambda: ad.while_loop(lambda s: s["k"] < 3, lambda s: {"k": s["k"] + 1}, {"k": 0}),
    ],
}  # fmt: skip
"""Calls of every construct; each gives arrays."""

CLASSES = {"Closure", "ShapeDtype", "Sum", "eval_shape", "itself"}
"""Public classes and functions in the package of the constructs that are not constructs."""


def test_no_construct_is_forgotten() -> None:
    modules = {name: str(getattr(getattr(ad, name), "__module__", "")) for name in ad.__all__}
    constructs = {name for name, module in modules.items() if ".frontend.constructs." in module}
    assert len(constructs) > 20
    assert constructs - CLASSES <= CONSTRUCTS.keys()


@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
@pytest.mark.parametrize("name", CONSTRUCTS)
def test_values_and_dtypes_are_those_of_the_compiled_construct(name: str) -> None:
    calls = CONSTRUCTS[name]
    together = ad.jit(lambda: [call() for call in calls], interpret=True)()
    for call, traced in zip(calls, together, strict=True):
        leaves, tree = _leaves(call())
        expected, structure = _leaves(traced)
        assert tree == structure
        for leaf, other in zip(leaves, expected, strict=True):
            assert type(leaf) is type(other)
            assert (leaf.dtype, leaf.shape) == (other.dtype, other.shape)
            np.testing.assert_array_equal(leaf, other)


def _leaves(value: Any) -> tuple[list[Any], Any]:
    leaves, tree = flatten(value)
    return leaves, str(tree)


MISTAKES: dict[str, Callable[[], Any]] = {
    "carry-shape": lambda: ad.fold(lambda c, x: c + X, 0.0, X),
    "carry-dtype": lambda: ad.fold(lambda c, x: c * 0.5, np.int64(1), X),
    "carry-structure": lambda: ad.fold(lambda c, x: (c, c), 1.0, X),
    "carry-kind": lambda: ad.fold(lambda c, x: "text", 1.0, X),
    "no-pair": lambda: ad.scan(lambda c, x: c, 1.0, X),
    "no-length": lambda: ad.scan(lambda c, x: (c, c), 1.0),
    "lengths": lambda: ad.scan(lambda c, x: (c, c), 1.0, X, length=2),
    "scalar-slices": lambda: ad.fold(lambda c, x: c, 1.0, 2.0),
    "map-lengths": lambda: ad.map(lambda a, b: a, X, M[:2]),
    "flag-shape": lambda: ad.cond(X > 0, lambda: 1, lambda: 2),
    "while-flag": lambda: ad.while_loop(lambda c: X > 0, lambda c: c, 1.0),
    "index-float": lambda: ad.switch(1.5, [lambda: 1, lambda: 2]),
    "arguments": lambda: ad.cond(True, lambda x: x, lambda: 2),
    "positions": lambda: ad.index(X, (1, 2)),
    "position-dtype": lambda: ad.index(X, 1.5),
    "scatter-positions": lambda: ad.scatter(X, (2, 2), lambda i: i),
    "no-alternative": lambda: Number("text"),
    "arms": lambda: ad.case(ad.left(1.0, 2), lambda v: v),
    "iterations": lambda: ad.fori_loop(0, 2.5, lambda i, c: c, 1.0),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_those_of_the_compiled_construct(name: str) -> None:
    messages: list[tuple[type, str]] = []
    for run in (MISTAKES[name], ad.jit(MISTAKES[name], interpret=True)):
        with pytest.raises(ad.MliradError) as caught:
            run()
        messages.append((type(caught.value), caught.value.message))
        assert __file__ in str(caught.value.location)
    assert messages[0][0] is messages[1][0]
    assert messages[0][1].split("(")[0][:30] == messages[1][1].split("(")[0][:30]


def test_bodies_get_values(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []

    def body(carry: Any, x: Any) -> tuple[Any, Any]:
        seen.append(float(x))
        ad.debug_print("at {}", x)
        return carry + x, x > 0

    assert ad.scan(body, 0.0, X)[0] == 2.0
    assert seen == [1.0, -2.0, 3.0]
    assert capsys.readouterr().out.splitlines() == ["at 1.0", "at -2.0", "at 3.0"]


def noted(x: Any) -> Any:
    """The value; a debugger that stops here has to see numbers."""
    assert isinstance(x, float | int | np.generic | np.ndarray)
    NOTED.append(x)
    return x


NOTED: list[Any] = []

CALLS: dict[str, Callable[[], Any]] = {
    "build": lambda: ad.build(3, noted),
    "case": lambda: ad.case(ad.left(1.0, 2.0), noted, lambda v: v),
    "checkpoint": lambda: ad.checkpoint(lambda x, *, y: noted(x) + noted(y))(1.0, y=X),
    "cond": lambda: ad.cond(True, noted, lambda x: x, X),
    "custom_derivative": lambda: _with_rule(noted)(X),
    "fold": lambda: ad.fold(lambda c, x: noted(c) + noted(x), 0.0, X),
    "fori_loop": lambda: ad.fori_loop(0, 3, lambda i, c: noted(i) + noted(c), 0),
    "gather": lambda: ad.gather(X, 2, noted),
    "lambda_": lambda: ad.lambda_(noted)(2.0),
    "map": lambda: ad.map(noted, X),
    "rewritten": lambda: ad.rewritten(lambda x: noted(x) if x > 0 else x)(2.0),
    "scan": lambda: ad.scan(lambda c, x: (noted(c) + noted(x), c), 0.0, X),
    "scatter": lambda: ad.scatter(X, 3, noted),
    "switch": lambda: ad.switch(1, [np.sin, noted], X),
    "while_loop": lambda: ad.while_loop(lambda x: noted(x) < 3, noted_next, 0.0),
}


def noted_next(x: Any) -> Any:
    return noted(x) + 1


def _with_rule(function: Callable[..., Any]) -> Callable[..., Any]:
    made = ad.custom_derivative(function)
    made.rule(lambda x: lambda dx: dx)
    return made


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_constructs_get_numbers(name: str) -> None:
    NOTED.clear()
    CALLS[name]()
    assert NOTED
