"""Piecewise affine forms are the values that the interpreter computes, wherever there is a form."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type, is_boolean
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import returned
from mlirad.ir.piecewise_affine import MOST, Along, Pieces

EXTENT = 12
VECTOR = array_type((EXTENT,), i64)
PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")

ARITHMETIC = (ew.AddOp, ew.SubOp, ew.MaxOp, ew.MinOp, ew.MulOp, ew.RemOp, ew.FloorDivOp)


def expression(b: ArrayBuilder, rng: random.Random, depth: int, *, is_condition: bool = False) -> Value:
    """A random integer vector, or condition, of the position."""

    def inner(*, condition: bool = False) -> Value:
        return expression(b, rng, depth - 1, is_condition=condition)

    if is_condition:
        if depth <= 1 or rng.random() < 0.6:
            return b.compare(rng.choice(PREDICATES), inner(), inner())
        both = b.binary(rng.choice((ew.AndOp, ew.OrOp)), inner(condition=True), inner(condition=True))
        return both if rng.random() < 0.7 else b.logical_not(both)
    if depth <= 0 or rng.random() < 0.15:
        return b.iota((EXTENT,), 0) if rng.random() < 0.6 else b.splat(rng.randint(-4, 14), VECTOR)
    if rng.random() < 0.3:
        return b.select(inner(condition=True), inner(), inner())
    op = rng.choice(ARITHMETIC)
    right = b.splat(rng.randint(-2, 7), VECTOR) if op in ARITHMETIC[4:] else inner()
    return b.binary(op, inner(), right)


def function_of(make: Callable[[ArrayBuilder], Value]) -> FuncOp:
    return new_function("f", [], lambda b: [make(b)])


def values(found: Along) -> np.ndarray:
    """The elements that pieces stand for."""
    if found.axis is None:
        return np.full(EXTENT, found.pieces[0].offset)
    assert [p.start for p in found.pieces[1:]] == [p.stop for p in found.pieces[:-1]]
    return np.array([p.at(i) for p in found.pieces for i in range(p.start, p.stop)])


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions(seed: int) -> None:
    rng = random.Random(seed)
    is_condition = seed % 3 == 0
    function = function_of(lambda b: expression(b, rng, 4, is_condition=is_condition))
    (result,) = returned(function)
    pieces = Pieces()
    found = pieces.of(result)
    (expected,) = run_function(ModuleOp([function]), [], function="f")
    if found is not None:
        assert len(found.pieces) <= MOST
        np.testing.assert_array_equal(values(found), expected.astype(np.int64))
    if is_boolean(result):
        for start in range(0, EXTENT, 3):
            for holds in (False, True):
                if pieces.never(result, holds, 0, start, start + 3):
                    assert not np.any(expected[start : start + 3] == holds)


def test_most_random_expressions_have_a_form() -> None:
    rng = random.Random(0)
    functions = [function_of(lambda b: expression(b, rng, 3)) for _ in range(40)]
    known = [Pieces().of(returned(f)[0]) for f in functions]
    assert sum(found is not None for found in known) >= 30


def test_a_wrapping_shift_has_two_pieces() -> None:
    def make(b: ArrayBuilder) -> Value:
        q = b.sub(b.iota((EXTENT,), 0), b.splat(1, VECTOR))
        return b.select(b.compare("lt", q, b.splat(0, VECTOR)), b.add(q, b.splat(EXTENT, VECTOR)), q)

    found = Pieces().of(returned(function_of(make))[0])
    assert found is not None
    assert [tuple(p)[:2] for p in found.pieces] == [(0, 1), (1, EXTENT)]
    assert found.pieces[1].slope == 1


@pytest.mark.parametrize("shift", [-2, -1, 1, 2])
def test_a_clamped_shift_is_constant_only_where_it_is_clamped(shift: int) -> None:
    found = Pieces().of(
        returned(function_of(lambda b: b.add(b.iota((EXTENT,), 0), b.splat(shift, VECTOR))))[0]
    )
    assert found is not None
    clamped = found.clamped(EXTENT)
    assert clamped is not None
    np.testing.assert_array_equal(values(clamped), np.clip(np.arange(EXTENT) + shift, 0, EXTENT - 1))
    steep = [p.stop - p.start for p in clamped.pieces if p.slope]
    assert steep == [EXTENT - abs(shift)]


def test_two_indices_have_no_form() -> None:
    function = function_of(lambda b: b.add(b.iota((3, 4), 0), b.iota((3, 4), 1)))
    assert Pieces().of(returned(function)[0]) is None


def test_huge_values_are_not_followed() -> None:
    def make(b: ArrayBuilder) -> Value:
        return b.mul(b.iota((EXTENT,), 0), b.splat(2**62, VECTOR))

    assert Pieces().of(returned(function_of(make))[0]) is None
