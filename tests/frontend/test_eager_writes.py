"""Writes in and behind constructs outside of traces: they show where they show in the compiled construct.

A body writes what it is given, or the caller writes what it gets: arrays of the caller, and what other
iterations and bodies are given, are as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.frontend.test_eager import CLASSES, CONSTRUCTS

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")

Write = Callable[[Any], object]

WRITES: dict[str, Write] = {
    "x[0] = 9": lambda x: x.__setitem__(0, 9.0),
    "x[...] = 9": lambda x: x.__setitem__(..., 9.0),
    "x[1:] += 9": lambda x: x[1:].__iadd__(9.0),
    "x += 9": lambda x: x.__iadd__(9.0),
    "x[x > 0] = 9": lambda x: x.__setitem__(x > 0, 9.0),
    "x[::-1].sort()": lambda x: x[::-1].sort(),
    "x.fill(9)": lambda x: x.fill(9.0),
    "out=": lambda x: np.negative(x, out=x),
    "np.add.at": lambda x: np.add.at(x, [0, 0], 9.0),
    "np.copyto": lambda x: np.copyto(x, 9.0),
    "x.flat[1] = 9": lambda x: x.flat.__setitem__(1, 9.0),
    "x.reshape(-1, 1)[0] = 9": lambda x: x.reshape(-1, 1).__setitem__(0, 9.0),
}


@ad.custom_derivative
def kept(x: Any) -> Any:
    return x


@kept.rule
def _(x: Any) -> Any:
    return lambda dx: dx


def written_custom(write: Write) -> Any:
    f = ad.custom_derivative(lambda x: (write(x), x * 1.0)[1])
    f.rule(lambda x: lambda dx: dx)
    return f


def alternating(write: Write, x: Any) -> Any:
    """Carries that change places; one of them is written."""

    def body(c: Any, _: Any) -> Any:
        write(c[0])
        return (c[1], c[0], c[0] * 0.5), np.sum(c[1])

    return ad.scan(body, (x, x, x), np.ones(3))


def condition_writes(write: Write, x: Any) -> Any:
    def goes_on(s: Any) -> Any:
        write(s[1])
        return s[0] < 2

    return ad.while_loop(goes_on, lambda s: (s[0] + 1, s[1] + 1.0), (0, x))


def case_of(value: Any, write: Write) -> Any:
    both = [ad.case(value, lambda v: (write(v), v)[1], lambda n: np.zeros(4)) for _ in range(2)]
    return both[0] + both[1]


INSIDE: dict[str, list[Callable[[Write, Any], Any]]] = {
    "associative_scan": [
        lambda w, x: ad.associative_scan(lambda a, b: ((w(a), a)[1] + b)[...], ad.stack([x, x]))
    ],
    "build": [lambda w, x: ad.build(2, lambda i: (lambda y: (w(y), y)[1])(x * 1.0))],
    "case": [
        lambda w, x: case_of(ad.left(x, 0), w),
        lambda w, x: ad.case(ad.sum_of(np.zeros(4), 0)(0, x), lambda v: (w(v), v)[1], lambda n: np.zeros(4)),
    ],
    "checkpoint": [lambda w, x: ad.checkpoint(lambda y: (w(y), y)[1])(x)],
    "cond": [lambda w, x: ad.cond(x[0] < 9, lambda y: (w(y), y)[1], lambda y: y, x)],
    "custom_derivative": [lambda w, x: written_custom(w)(x)],
    "fold": [lambda w, x: ad.fold(lambda c, y: (w(c), c)[1], x, np.ones(3))],
    "fori_loop": [lambda w, x: ad.fori_loop(0, 2, lambda i, c: (w(c), c)[1], x)],
    "function": [lambda w, x: ad.function(lambda y: (w(y), y)[1])(x)],
    "jit": [lambda w, x: ad.jit(lambda y: (w(y), y)[1], interpret=True)(x)],
    "lambda_": [lambda w, x: ad.lambda_(lambda y: (w(y), y)[1], np.zeros(4))(x)],
    "map": [lambda w, x: ad.map(lambda y: (w(y), y)[1], ad.stack([x, x]))],
    "scan": [
        lambda w, x: ad.scan(lambda c, y: (c, (w(y), y)[1]), 0.0, ad.stack([x, x])),
        lambda w, x: ad.scan(lambda c, y: ((w(c), c)[1], c), x, np.ones(3)),
        lambda w, x: alternating(w, x),
    ],
    "switch": [lambda w, x: ad.switch(1, [lambda y: y, lambda y: (w(y), y)[1]], x)],
    "vmap": [lambda w, x: ad.vmap(lambda y: (w(y), y)[1], interpret=True)(ad.stack([x, x]))],
    "while_loop": [
        lambda w, x: ad.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, (w(s[1]), s[1])[1]), (0, x)),
        lambda w, x: condition_writes(w, x),
    ],
}
"""Constructs whose functions write what they are given."""

BEHIND: dict[str, list[Callable[[Any], Any]]] = {
    "asarray": [lambda x: ad.asarray(x)],
    "case": [lambda x: ad.case(ad.left(x, 0), lambda v: v, lambda n: x)],
    "checkpoint": [lambda x: ad.checkpoint(lambda y: y)(x), lambda x: ad.checkpoint(lambda: x)()],
    "cond": [
        lambda x: ad.cond(x[0] < 9, lambda: x, lambda: x * 2),
        lambda x: ad.cond(True, lambda y: y, lambda y: y, x),
    ],
    "custom_derivative": [lambda x: kept(x)],
    "fold": [
        lambda x: ad.fold(lambda c, y: c, x, np.ones(2)),
        lambda x: ad.fold(lambda c, y: x, x, np.ones(2)),
    ],
    "fori_loop": [
        lambda x: ad.fori_loop(0, 0, lambda i, c: c, x),
        lambda x: ad.fori_loop(0, 2, lambda i, c: x, x),
    ],
    "function": [lambda x: ad.function(lambda y: y)(x)],
    "gather": [lambda x: ad.gather(x, 4, lambda i: i)],
    "index": [lambda x: ad.index(x, ()), lambda x: ad.index(x.reshape(1, 4), 0)],
    "lambda_": [lambda x: ad.lambda_(lambda y: y, np.zeros(4))(x)],
    "map": [lambda x: ad.map(lambda y: y, x.reshape(1, 4))[0]],
    "scan": [
        lambda x: ad.scan(lambda c, y: (c, x), x, np.ones(2))[0],
        lambda x: ad.scan(lambda c, y: (c, x), x, np.ones(2))[1][0],
    ],
    "scatter": [lambda x: ad.scatter(x, 4, lambda i: i)],
    "stack": [lambda x: ad.stack([x])[0]],
    "stop_gradient": [lambda x: ad.stop_gradient(x), lambda x: ad.stop_gradient({"a": x})["a"]],
    "switch": [lambda x: ad.switch(0, [lambda: x, lambda: x * 2])],
    "where": [lambda x: ad.where(True, x, x)],
    "while_loop": [lambda x: ad.while_loop(lambda c: c[0] > 99, lambda c: c, x)],
}
"""Constructs that give the array that they are given, or that their functions capture."""

NOTHING_TO_WRITE = {"callback", "convolution", "debug_callback", "debug_print", "left", "right", "sum_of"}
"""Constructs that hand no array on: what they give is computed, or is not an array."""


def test_every_construct_is_tried() -> None:
    assert CONSTRUCTS.keys() - CLASSES <= INSIDE.keys() | BEHIND.keys() | NOTHING_TO_WRITE


def agree(function: Callable[[Any], Any]) -> None:
    x = np.array([3.0, 1.0, 2.0, 4.0])
    eager, compiled = function(x.copy()), ad.jit(function, interpret=True)(x)
    leaves, tree = ad.tree.flatten(eager)
    expected, structure = ad.tree.flatten(compiled)
    assert str(tree) == str(structure)
    for leaf, other in zip(leaves, expected, strict=True):
        np.testing.assert_array_equal(leaf, other)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("name", INSIDE)
def test_what_bodies_write(name: str, write: str) -> None:
    for construct in INSIDE[name]:
        agree(lambda x, construct=construct: (construct(WRITES[write], x), x))


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("name", BEHIND)
def test_what_is_written_behind(name: str, write: str) -> None:
    for construct in BEHIND[name]:
        agree(lambda x, construct=construct: (WRITES[write](construct(x)), x)[1])
