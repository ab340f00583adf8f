"""Transformations compose in any order.

Each turns a function of one number into such a function, and counts as one derivative or more; compositions
of them, applied to sin, must be that derivative of sin.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

Scalar = Callable[[Any], Any]
X = 0.7


def by_linear_map(f: Scalar) -> Scalar:
    return lambda x: ad.linearize(f, x)[1](1.0)


def by_transposed_map(f: Scalar) -> Scalar:
    return lambda x: ad.linearize(f, x)[1].T(1.0)


def by_batch(f: Scalar) -> Scalar:
    return lambda x: ad.vmap(f)(np.stack([x, x]))[1]


def by_build(f: Scalar) -> Scalar:
    return lambda x: np.sum(ad.build((2,), lambda i: f(x + 0.0 * i))) / 2


def by_loop(f: Scalar) -> Scalar:
    return lambda x: ad.fold(lambda c, t: c * 0.0 + f(t), 0.0, np.stack([x, x]))


def by_branch(f: Scalar) -> Scalar:
    return lambda x: ad.cond(x > 0, f, lambda x: x, x)


def by_own_rule(f: Scalar) -> Scalar:
    """A function whose derivative is given, and is the right one."""
    ruled = ad.custom_derivative(lambda x: f(x))
    ruled.rule(lambda x: lambda dx: ad.grad(f)(x) * dx)
    return ruled


TRANSFORMATIONS: dict[str, tuple[Callable[[Scalar], Scalar], int]] = {
    "jit": (ad.jit, 0),
    "vmap": (by_batch, 0),
    "build": (by_build, 0),
    "fold": (by_loop, 0),
    "cond": (by_branch, 0),
    "checkpoint": (ad.checkpoint, 0),
    "function": (lambda f: ad.function(lambda x: f(x)), 0),
    "custom_derivative": (by_own_rule, 0),
    "grad": (ad.grad, 1),
    "value_and_grad": (lambda f: lambda x: ad.value_and_grad(f)(x)[1], 1),
    "jvp": (lambda f: lambda x: ad.jvp(f, (x,), (1.0,))[1], 1),
    "vjp": (lambda f: lambda x: ad.vjp(f, x)[1](1.0)[0], 1),
    "linearize": (by_linear_map, 1),
    "transposed": (by_transposed_map, 1),
    "jacfwd": (ad.jacfwd, 1),
    "jacrev": (ad.jacrev, 1),
    "jacobian": (ad.jacobian, 1),
    "hessian": (ad.hessian, 2),
    "hvp": (lambda f: lambda x: ad.hvp(f, (x,), (1.0,)), 2),
}
PAIRS = list(itertools.product(TRANSFORMATIONS, repeat=2))
TRIPLES = random.Random(0).sample(list(itertools.product(TRANSFORMATIONS, repeat=3)), 60)


def composed(names: tuple[str, ...]) -> tuple[Scalar, float]:
    """sin with the transformations applied, the first one innermost, and what it must be at X."""
    function, order = np.sin, 0
    for name in names:
        transformation, derivatives = TRANSFORMATIONS[name]
        function, order = transformation(function), order + derivatives
    return function, float(np.sin(X + order * np.pi / 2))


@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_pairs(names):
    function, expected = composed(names)
    assert ad.jit(function, interpret=True)(X) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("names", TRIPLES, ids="-".join)
def test_triples_compiled(names):
    function, expected = composed(names)
    assert ad.jit(function)(X) == pytest.approx(expected, abs=1e-13)
