"""Gathers at regular positions become slices, with the same values, and shifts no scatters in derivatives."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.shapes import Value, array_type
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.verification import verify_module
from mlirad.passes.slice_gathers import slice_gathers

ROWS, COLUMNS = 5, 7


def position(b: ArrayBuilder, rng: random.Random, i: Value, extent: int) -> Value:
    """A position of the kinds that people write: shifted, wrapped, clamped, reversed, strided, fixed."""
    n = b.index_constant(extent)
    shifted = b.add(i, b.index_constant(rng.randint(-2, 2)))
    match rng.randrange(7):
        case 0:
            return b.binary(ew.RemOp, shifted, n)
        case 1:
            return b.select(b.compare("lt", shifted, b.index_constant(0)), b.add(shifted, n), shifted)
        case 2:
            return b.sub(b.index_constant(extent - 1), shifted)
        case 3:
            return b.mul(i, b.index_constant(2))
        case 4:
            return b.index_constant(rng.randrange(extent))
        case 5:
            return b.select(b.compare("lt", i, b.index_constant(2)), b.index_constant(1), shifted)
        case _:
            return b.binary(ew.MaxOp, shifted, b.index_constant(1))


def program(seed: int) -> FuncOp:
    """A gather of a matrix, what is computed of it, and a choice by its position."""
    rng = random.Random(seed)
    swapped = rng.random() < 0.3
    shape = (rng.randint(1, 6), rng.randint(1, 6))

    def body(b: ArrayBuilder, x: Value, y: Value, s: Value) -> list[Value]:
        def positions(i: Value, j: Value) -> list[Value]:
            rows = position(b, rng, j if swapped else i, ROWS)
            return [rows, position(b, rng, i if swapped else j, COLUMNS)]

        read = b.gather(x, shape, positions)
        value = b.add(read, b.mul(read, y)) if rng.random() < 0.5 else read
        axis = rng.randrange(2)
        at = b.broadcast(b.iota((shape[axis],), 0), shape, [axis])
        bound = b.splat(rng.randrange(3), at.type)
        condition = b.compare(rng.choice(("eq", "ne", "lt", "ge")), at, bound)
        other = y if rng.random() < 0.4 else b.broadcast(s, shape, [])
        sides = (value, other) if rng.random() < 0.5 else (other, value)
        return [b.select(condition, *sides), *([value] if rng.random() < 0.2 else [])]

    types = [array_type((ROWS, COLUMNS), f64), array_type(shape, f64), f64]
    return new_function("f", types, body)


def run(function: FuncOp) -> tuple[Any, ...]:
    rng = np.random.default_rng(1)
    arguments = [rng.normal(size=arg.type.get_shape()) for arg in function.body.block.args[:2]]
    return run_function(ModuleOp([function.clone()]), [*arguments, 0.25], function="f")


@pytest.mark.parametrize("seed", range(200))
def test_random_gathers_keep_their_values(seed: int) -> None:
    function = program(seed)
    sliced = slice_gathers(function)
    verify_module(ModuleOp([sliced.clone()]))
    for got, want in zip(run(sliced), run(function), strict=True):
        np.testing.assert_array_equal(got, want)


def test_most_random_gathers_become_slices() -> None:
    texts = [str(slice_gathers(program(seed))) for seed in range(25)]
    assert sum("array.gather" in text for text in texts) <= 5


def after_zero(y: Any) -> Any:
    return ad.build(len(y), lambda i: np.where(i == 0, 2.0, y[i - 1]))


def in_the_body(y: Any) -> Any:
    return ad.build(len(y), lambda i: np.where(i > 0, 3.0 * y[i - 1] * y[i], y[i]))


def around(y: Any) -> Any:
    return ad.build(len(y), lambda i: y[i - 1] * y[(i + 1) % len(y)])


def mirrored(y: Any) -> Any:
    return ad.build(len(y), lambda i: y[len(y) - 1 - i] * y[i])


def every_second(y: Any) -> Any:
    return ad.build(len(y) // 2, lambda i: y[2 * i] - y[2 * i + 1])


def diffused(y: Any) -> Any:
    n = len(y)
    u = np.outer(y, np.sin(y))

    def at(i: Any, j: Any) -> Any:
        inner = (i > 0) & (i < n - 1) & (j > 0) & (j < n - 1)
        return np.where(inner, u[i - 1, j] + u[i + 1, j] + u[i, j - 1] - 3 * u[i, j + 1], u[i, j])

    return ad.build((n, n), at)


SHIFTS: list[Callable[[Any], Any]] = [after_zero, in_the_body, around, mirrored, every_second, diffused]
Y = np.array([0.3, -1.2, 0.7, 2.0, -0.4, 1.1])


def loss(shift: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def summed(y: Any) -> Any:
        z = shift(y)
        return np.sum(np.sin(z) * z)

    return summed


@pytest.mark.parametrize("shift", SHIFTS, ids=lambda f: f.__name__)
def test_derivatives_of_shifts(shift: Callable[[Any], Any]) -> None:
    ad.check_derivatives(loss(shift), Y, interpret=True)


@pytest.mark.parametrize("method", ["dual-arrays", "jacobian", "chad"])
@pytest.mark.parametrize("shift", SHIFTS, ids=lambda f: f.__name__)
def test_gradients_of_shifts_scatter_nothing(shift: Callable[[Any], Any], method: str) -> None:
    gradient = ad.grad(loss(shift), method=method)
    np.testing.assert_allclose(gradient(Y), ad.grad(loss(shift), interpret=True, chunk=1)(Y), rtol=1e-13)
    if method != "jacobian":
        text = gradient.ir(Y, after="lower-checkpoints")
        assert "array.scatter" not in text
        assert "array.gather" not in text


def test_a_chosen_shift_is_a_concatenation() -> None:
    text = ad.jit(after_zero).ir(Y, after="slice-gathers")
    assert "array.concatenate" in text
    assert "array.select" not in text


def test_reads_at_positions_from_data_stay() -> None:
    text = ad.jit(lambda y, p: ad.build(3, lambda i: y[p[i]])).ir(Y, np.arange(3), after="slice-gathers")
    assert "array.gather" in text


def test_two_positions_of_one_index_stay() -> None:
    text = ad.jit(lambda a: ad.build(3, lambda i: a[i, i])).ir(np.ones((3, 3)), after="slice-gathers")
    assert "array.gather" in text
