"""The defining laws of CHAD, at every type: duality, curves of closures, quotients of collections.

duality     <F' dg, ct> = <dg, R' ct>           forward and reverse mode are each other's transposes
curves      along p(t), d/dt (g(p))(a) is what the tangent of the closure g(p) makes of a, and likewise
            for cotangents and for arguments that move (CHAD paper, section 7)
quotients   order, merging, splitting and zeros of the pairs of a collection are not observed
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute

from mlirad.dialects.function import ApplyOp, closure_type, sum_type
from mlirad.dialects.shapes import tuple_type
from mlirad.interpreter.functions import FUNCTION_MEANINGS
from mlirad.interpreter.machine import Frame, Machine
from mlirad.interpreter.running import ELEMENT_MEANINGS, MEANINGS, prepared
from mlirad.interpreter.spaces import Pairs
from tests.generators.higher_order import VECTOR, Terms
from tests.passes.chad.worlds import Worlds, random_value_of

UNARY = closure_type([f64], [f64])

TYPES: tuple[Attribute, ...] = (
    f64,
    tuple_type([f64, VECTOR]),
    sum_type([f64, tuple_type([f64, f64])]),
    UNARY,
    closure_type([f64, f64], [f64]),
    closure_type([f64], [UNARY]),
    closure_type([VECTOR], [f64, f64]),
    tuple_type([UNARY, f64]),
    sum_type([UNARY, f64]),
    closure_type([f64], [sum_type([f64, f64])]),
    closure_type([tuple_type([f64, VECTOR])], [tuple_type([f64, f64])]),
    closure_type([UNARY], [f64]),
    closure_type([], [closure_type([closure_type([f64], [VECTOR])], [sum_type([f64, UNARY])])]),
)


def tangents(rng: random.Random) -> tuple[Any, ...]:
    """A tangent of the arguments of @main."""
    return np.float64(rng.uniform(-1, 1)), np.array([rng.uniform(-1, 1) for _ in range(3)]), ()


def arguments(rng: random.Random) -> list[Any]:
    return [rng.uniform(-1, 1), np.array([rng.uniform(-1, 1) for _ in range(3)]), rng.randint(0, 3)]


def inner(dg: tuple[Any, ...], gradient: tuple[Any, ...]) -> float:
    return float(dg[0] * gradient[0] + dg[1] @ gradient[1])


def check_duality(type_: Attribute, seed: int, fuel: int) -> None:
    rng = random.Random(seed)
    worlds = Worlds(random_value_of(type_, seed, fuel), arguments(rng))
    forward, reverse = worlds.values
    covector = worlds.covector(type_, forward, reverse, rng)
    dg = tangents(rng)
    left = covector.pairing(worlds.pushed(dg))
    right = inner(dg, worlds.pulled(covector.element))
    assert left == pytest.approx(right, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_both_modes_are_dual(type_: Attribute) -> None:
    check_duality(type_, 3, 8)


@pytest.mark.fuzz
@settings(max_examples=2000, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 16))
def test_both_modes_are_dual_at_any_type(seed: int, fuel: int) -> None:
    check_duality(Terms(random.Random(seed)).type(4), seed, fuel)


# Curves of closures ------------------------------------------------------------------------------


class Curve:
    """The closure g(p) of a random program @main, along a line p(t) of its arguments."""

    def __init__(self, seed: int, fuel: int):
        self.rng = random.Random(seed)
        self.module = random_value_of(UNARY, seed, fuel)
        self.start, self.velocity = arguments(self.rng), tangents(self.rng)
        self.worlds = Worlds(self.module, self.start)

    def at(self, t: float, a: float) -> float:
        """(g(p(t)))(a), by the program itself."""
        x, v, n = self.start
        dx, dv, _ = self.velocity
        functions, _, given = prepared(self.module, [x + t * dx, v + t * dv, n], "main")
        machine = Machine(MEANINGS, ELEMENT_MEANINGS, functions)
        (closure,) = machine.call("main", given)
        frame = Frame(machine, {})
        return float(FUNCTION_MEANINGS[ApplyOp](None, [closure, np.float64(a)], frame))

    def slope(self, a: float, da: float, h: float = 1e-5) -> float:
        """d/dt (g(p(t)))(a + t da) at 0, by differences of order 4."""
        values = {k: self.at(k * h, a + k * h * da) for k in (-2, -1, 1, 2)}
        return (8 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12 * h)


@pytest.mark.parametrize("seed", range(6))
def test_tangents_of_closures_are_slopes_of_curves(seed: int) -> None:
    curve = Curve(seed, 10)
    worlds, rng = curve.worlds, curve.rng
    tangent = worlds.pushed(curve.velocity)
    for _ in range(2):
        a, da = rng.uniform(-1, 1), rng.uniform(-1, 1)
        _, along = worlds.applied(0, worlds.values[0], [np.float64(a)])
        found = tangent.at(np.float64(a)) + along.apply(np.float64(da))
        assert found == pytest.approx(curve.slope(a, da), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_cotangents_of_closures_are_slopes_of_curves(seed: int) -> None:
    curve = Curve(seed, 10)
    rng = curve.rng
    calls = [(rng.uniform(-1, 1), rng.uniform(-1, 1)) for _ in range(3)]
    pairs = Pairs(tuple(((np.float64(a),), np.float64(w)) for a, w in calls))
    found = inner(curve.velocity, curve.worlds.pulled(pairs))
    expected = sum(w * curve.slope(a, 0.0) for a, w in calls)
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


# Quotients ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_collections_are_not_observed(seed: int) -> None:
    rng = random.Random(seed)
    worlds = Worlds(random_value_of(UNARY, seed, 10), arguments(rng))
    a, b = np.float64(rng.uniform(-1, 1)), np.float64(rng.uniform(-1, 1))
    # Binary fractions, so that sums of them are exact.
    v, w = np.float64(0.75), np.float64(-1.25)
    whole = worlds.pulled(Pairs((((a,), v + w), ((b,), v))))
    for pairs in (
        (((b,), v), ((a,), v + w)),
        (((a,), v), ((b,), v), ((a,), w)),
        (((a,), v + w), ((b,), v), ((a,), np.float64(0))),
        (((b,), v / 2), ((a,), v + w), ((b,), v / 2)),
    ):
        same = worlds.pulled(Pairs(pairs))
        for x, y in zip(whole, same, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-15)
    nothing = worlds.pulled(Pairs())
    assert not any(np.any(x) for x in nothing)
