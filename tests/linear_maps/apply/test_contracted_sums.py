"""Sums of contractions are taken of an operand first, with the same result."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.dialects.array.reductions import DotOp
from mlirad.dialects.shapes import Value, array_type, shape_of, size_of
from mlirad.interpreter import run_function
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.dead_code import erase_unused
from mlirad.linear_maps.apply.contracted_sums import summed

EXTENTS = {"a": 2, "b": 3, "i": 4, "j": 5, "k": 2, "l": 3}


def program(seed: int, *, plainly: bool) -> FuncOp:
    """The sum of a random contraction, negated and transposed at random, over random dimensions."""
    rng = random.Random(seed)
    batch = rng.sample("ab", rng.randint(0, 2))
    contracted = rng.sample("kl", rng.randint(0, 2))
    sides = [[*batch, *contracted, "i"], [*batch, *contracted, "j"]]
    for side in sides:
        rng.shuffle(side)

    def body(b: ArrayBuilder, x: Value, y: Value) -> list[Value]:
        places = [[side.index(d) for d in group] for group in (batch, contracted) for side in sides]
        value = b.dot(x, y, *places)
        for _ in range(rng.randint(0, 2)):
            value = b.neg(value)
            order = list(range(len(shape_of(value))))
            rng.shuffle(order)
            value = b.transpose(value, order)
        rank = len(shape_of(value))
        dims = sorted(rng.sample(range(rank), rng.randint(1, rank)))
        return [b.sum(value, dims) if plainly else summed(b, value, dims)]

    types = [array_type(tuple(EXTENTS[d] for d in side), f64) for side in sides]
    function = new_function("f", types, body)
    erase_unused(function_block(function))
    return function


def work(function: FuncOp) -> int:
    """The products of all contractions."""
    dots = [op for op in function.walk() if isinstance(op, DotOp)]
    return sum(size_of(op.result) * size_of(op.lhs) for op in dots)


@pytest.mark.parametrize("seed", range(100))
def test_random_contractions(seed: int) -> None:
    plain, moved = (program(seed, plainly=plainly) for plainly in (True, False))
    rng = np.random.default_rng(seed)
    arguments = [rng.normal(size=shape_of(a)) for a in plain.body.block.args]
    (want,), (got,) = (run_function(ModuleOp([f.clone()]), arguments, function="f") for f in (plain, moved))
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    assert work(moved) <= work(plain)


def test_some_contractions_get_smaller() -> None:
    pairs = [(work(program(seed, plainly=True)), work(program(seed, plainly=False))) for seed in range(30)]
    assert sum(moved < plain for plain, moved in pairs) >= 10


def test_the_cotangent_of_what_is_broadcast_takes_no_product_per_copy() -> None:
    def loss(mean, matrix, points):
        return np.sum(((points - mean) @ matrix) ** 2)

    rng = np.random.default_rng(0)
    mean, matrix, points = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(50, 3))
    gradient = ad.grad(loss)
    expected = -2 * np.sum((points - mean) @ matrix @ matrix.T, axis=0)
    np.testing.assert_allclose(gradient(mean, matrix, points), expected, rtol=1e-12)
    text = gradient.ir(mean, matrix, points, after="lower-checkpoints")
    assert sum("tensor<50x3xf64>" in line for line in text.splitlines() if "array.dot" in line) == 1
