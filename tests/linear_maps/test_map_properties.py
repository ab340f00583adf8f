"""Properties of every linear map, applied as array code: linearity, transposition, zero, equality."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from mlirad.dialects import linear
from mlirad.interpreter import run_function
from tests.generators import arguments_for, random_map
from tests.generators.arguments import function_of
from tests.interpreter.test_linear_maps import actions, dense, flat
from tests.passes.derivatives import run_passes

LOCAL = (*linear.PRIMITIVE_OPS, *linear.CONTROL_OPS, *linear.CODE_OPS)

IEEE = (linear.RecurrenceOp, linear.DotLeftOp, linear.DotRightOp, linear.TriangularSolveOp)
"""Contractions, and systems of equations, whose products are those of floats."""


def applied(module: ModuleOp, passes: str = "") -> ModuleOp:
    return run_passes(module.clone(), f"{passes}apply-linear-maps")


def assert_linear_with_transpose(module: ModuleOp, seed: int) -> None:
    """m (a x + b y) = a m x + b m y for the map and its transpose, and <m x, ct> = <x, m^T ct>."""
    apply, transpose, x, ct = actions(module, seed)
    _, _, y, other = actions(module, seed + 1)
    a, b = 1.5, -0.75
    tolerance = 1e-9 if "f32" not in str(module) else 1e-3
    for action, p, q in ((apply, x, y), (transpose, ct, other)):
        mixed = [np.asarray(a * u + b * v, np.asarray(u).dtype)[()] for u, v in zip(p, q, strict=True)]
        image, expected = flat(action(mixed)), a * flat(action(p)) + b * flat(action(q))
        np.testing.assert_allclose(image, expected, rtol=tolerance, atol=tolerance * 100)
    left, right = flat(apply(x)) * flat(ct), flat(transpose(ct)) * flat(x)
    size = 1 + np.abs(left).sum() + np.abs(right).sum()
    assert abs(left.sum() - right.sum()) <= tolerance * size


@pytest.mark.parametrize("op", LOCAL, ids=lambda op: op.name)
def test_every_map_is_linear_and_has_its_transpose(op) -> None:
    for seed in range(4):
        assert_linear_with_transpose(applied(random_map(seed, only=op)), seed)


@pytest.mark.parametrize("form", ["spine", "general"])
def test_random_expressions_are_linear_and_have_their_transposes(form) -> None:
    for seed in range(25):
        module = random_map(seed + 500, 8, form, functions=True)
        assert_linear_with_transpose(applied(module, "simplify-maps," if seed % 2 else ""), seed)


def infinite(values: list[Any]) -> list[Any]:
    """Floats with infinities and NaN in the place of every element."""
    special = np.array([np.inf, -np.inf, np.nan])
    return [
        np.resize(special, np.shape(v)).astype(np.asarray(v).dtype)[()]
        if np.issubdtype(np.asarray(v).dtype, np.floating)
        else v
        for v in values
    ]


@pytest.mark.parametrize("op", [op for op in LOCAL if op not in IEEE], ids=lambda op: op.name)
def test_zero_goes_to_zero_whatever_the_coefficients(op) -> None:
    found = 0
    for seed in range(12):
        module = random_map(seed, only=op)
        if any(isinstance(o, IEEE) for o in module.walk()):
            continue
        found += 1
        code = applied(module)
        for function in ("apply", "apply_transpose"):
            arguments = arguments_for(module, random.Random(seed), function=function)
            captures = function_of(module, function).attributes["captures"]
            assert isinstance(captures, IntegerAttr)
            count = captures.value.data
            zeros = [np.zeros_like(v)[()] for v in arguments[count:]]
            images = run_function(code, [*infinite(arguments[:count]), *zeros], function=function)
            for image in images:
                np.testing.assert_array_equal(image, np.zeros_like(image))
    assert found


def test_maps_that_are_equal_on_a_basis_are_equal() -> None:
    """Theorem 2.2 of the notes, with the laws as the source of equal maps."""
    for seed in range(30):
        module = random_map(seed, 6, "general", functions=True)
        apply, transpose, x, ct = actions(applied(module), seed)
        other, back, _, _ = actions(applied(module, "simplify-maps,"), seed)
        if flat(x).size > 24:
            continue
        tolerance = {"rtol": 1e-9, "atol": 1e-9} if "f32" not in str(module) else {"rtol": 1e-3, "atol": 1e-3}
        matrix = dense(apply, x)
        np.testing.assert_allclose(dense(other, x), matrix, **tolerance)
        np.testing.assert_allclose(flat(other(x)), matrix @ flat(x), **tolerance)
        np.testing.assert_allclose(flat(back(ct)), matrix.T @ flat(ct), **tolerance)
        np.testing.assert_allclose(flat(transpose(ct)), matrix.T @ flat(ct), **tolerance)
