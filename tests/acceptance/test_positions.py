"""Positions outside an array read 0, get no gradient and write nothing; no address outside is touched.

Every way to read and write is tried at positions inside, just outside and as far outside as integers go,
interpreted, compiled, and compiled with checks of every address, under guard.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.pipelines import expansion
from tests.acceptance.stages import native
from tests.passes.derivatives import run_passes

HUGE = 2**63 - 1
POSITIONS = np.array([0, 2, 3, -1, -3, -4, 17, HUGE, -HUGE - 1, HUGE - 1])
X = np.array([2.0, 3.0, 5.0])
ROWS = np.arange(1.0, 7.0).reshape(3, 2)


def checked(function, *arguments: Any) -> Any:
    """The results of a function, the same by the interpreter, compiled, and compiled with checks."""
    outcome = ad.jit(function, interpret=True)(*arguments)
    compiled = ad.jit(function)(*arguments)
    module = run_passes(ad.trace(function, *arguments), ",".join(expansion()))
    guarded = native(module, "main")(*arguments)
    want = outcome if isinstance(outcome, tuple) else (outcome,)
    for results in (compiled if isinstance(compiled, tuple) else (compiled,), guarded):
        for got, expected in zip(results, want, strict=True):
            np.testing.assert_array_equal(got, expected)
    return outcome


def taken(x, positions, *, wraps):
    """The result of reading x at positions: 0 outside; with `wraps`, negative ones count from the end."""
    out = np.zeros((*np.shape(positions), *x.shape[1:]))
    for k in np.ndindex(np.shape(positions)):
        p = int(positions[k])
        p += len(x) if wraps and p < 0 else 0
        if 0 <= p < len(x):
            out[k] = x[p]
    return out


def given_back(x, positions, weights, *, wraps):
    """The gradient of sum(weights * taken): the weights, added where they were taken from."""
    out = np.zeros_like(x)
    for k in np.ndindex(np.shape(positions)):
        p = int(positions[k])
        p += len(x) if wraps and p < 0 else 0
        if 0 <= p < len(x):
            out[p] += weights[k]
    return out


READS = {
    "x[i]": (lambda x, at: x[at], True),
    "x[i] in build": (lambda x, at: ad.build((10,), lambda k: x[at[k]]), True),
    "index in build": (lambda x, at: ad.build((10,), lambda k: ad.index(x, (at[k],))), False),
    "gather": (lambda x, at: ad.gather(x, (10,), lambda k: (at[k],)), False),
}


@pytest.mark.parametrize("x", [X, ROWS], ids=["scalars", "rows"])
@pytest.mark.parametrize("name", READS)
def test_reading(name, x):
    read, wraps = READS[name]
    expected = taken(x, POSITIONS, wraps=wraps)
    np.testing.assert_array_equal(checked(read, x, POSITIONS), expected)
    weights = np.arange(1.0, 1.0 + expected.size).reshape(expected.shape)
    gradient = checked(
        lambda x, at, weights: ad.grad(lambda x: np.sum(read(x, at) * weights))(x), x, POSITIONS, weights
    )
    np.testing.assert_array_equal(gradient, given_back(x, POSITIONS, weights, wraps=wraps))
    tangent = np.cos(x)
    slope = checked(lambda x, at, dx: ad.jvp(lambda x: read(x, at), (x,), (dx,))[1], x, POSITIONS, tangent)
    np.testing.assert_array_equal(slope, taken(tangent, POSITIONS, wraps=wraps))


def test_reading_guards_what_is_done_with_the_element():
    """exp(x)[99] is 0, exp(x[99]) is 1: the zero belongs to the read, not to what is read."""
    outside, inside = checked(lambda x, i: (np.exp(x)[i], np.exp(x[i])), X, 99)
    assert (outside, inside) == (0.0, 1.0)
    reads = lambda x, i: ad.build((1,), lambda k: (np.exp(x) * x)[i + k])  # noqa: E731
    np.testing.assert_array_equal(checked(reads, X, 99), [0.0])


def test_reading_one_position():
    for p in map(int, POSITIONS):
        assert checked(lambda x, i: x[i], X, p) == taken(X, np.array([p]), wraps=True)[0]
        assert checked(lambda x, i: ad.index(x, (i,)), X, p) == taken(X, np.array([p]), wraps=False)[0]
        gradient = checked(lambda x, i: ad.grad(lambda x: ad.index(x, (i,)) ** 2)(x), X, p)
        np.testing.assert_array_equal(gradient, 2 * X * (np.arange(3) == p))


def test_reading_by_two_positions():
    at = np.array([[0, 0], [2, 1], [2, 2], [3, 0], [-1, 0], [0, -1], [HUGE, 1], [1, -HUGE - 1]])

    def read(x, at):
        by_index = ad.build((8,), lambda k: ad.index(x, (at[k, 0], at[k, 1])))
        return by_index, ad.gather(x, (8,), lambda k: (at[k, 0], at[k, 1]))

    expected = [ROWS[i, j] if 0 <= i < 3 and 0 <= j < 2 else 0.0 for i, j in at]
    for got in checked(read, ROWS, at):
        np.testing.assert_array_equal(got, expected)
    gradient = checked(lambda x, at: ad.grad(lambda x: sum(map(np.sum, read(x, at))))(x), ROWS, at)
    np.testing.assert_array_equal(gradient, [[2.0, 0.0], [0.0, 0.0], [0.0, 2.0]])


def test_scattering_outside_is_dropped_and_gets_no_gradient():
    values, weights = np.arange(1.0, 11.0), np.array([1.0, 10.0, 100.0])
    scattered = lambda v, at: ad.scatter(v, (3,), lambda k: (at[k],))  # noqa: E731
    expected = np.zeros(3)
    for v, p in zip(values, POSITIONS, strict=True):
        if 0 <= p < 3:
            expected[p] += v
    np.testing.assert_array_equal(checked(scattered, values, POSITIONS), expected)
    gradient = checked(
        lambda v, at, w: ad.grad(lambda v: np.sum(scattered(v, at) * w))(v), values, POSITIONS, weights
    )
    np.testing.assert_array_equal(gradient, taken(weights, POSITIONS, wraps=False))


@pytest.mark.parametrize("kind", ["set", "add"])
def test_writing_outside_does_nothing(kind):
    def write(x, at, v):
        return x.at[at].set(v) if kind == "set" else x.at[at].add(v)

    values = np.arange(10.0, 20.0)
    expected = X.copy()
    for v, p in zip(values, map(int, POSITIONS), strict=True):
        p += 3 if p < 0 else 0
        if 0 <= p < 3:
            expected[p] = v if kind == "set" else expected[p] + v
    np.testing.assert_array_equal(checked(write, X, POSITIONS, values), expected)
    weights = np.array([1.0, 10.0, 100.0])

    def gradient(x, at, v):
        return ad.grad(lambda x, v: np.sum(write(x, at, v) * weights), argnums=(0, 1))(x, v)

    by_x, by_v = checked(gradient, X, POSITIONS, values)
    inside = taken(weights, POSITIONS, wraps=True)
    if kind == "add":
        np.testing.assert_array_equal(by_x, weights)
        np.testing.assert_array_equal(by_v, inside)
    else:
        written = {int(p) % 3 for p in POSITIONS if -3 <= p < 3}
        np.testing.assert_array_equal(by_x, [0 if k in written else weights[k] for k in range(3)])
        last = {int(p) % 3: k for k, p in enumerate(POSITIONS) if -3 <= p < 3}
        np.testing.assert_array_equal(
            by_v, [weights[int(p) % 3] if last.get(int(p) % 3) == k and -3 <= p < 3 else 0.0
                   for k, p in enumerate(POSITIONS)]
        )  # fmt: skip


def test_an_empty_array_reads_zero():
    empty = np.zeros((0, 2))
    at = np.array([0, -1, 5])
    for read in (
        lambda x, at: x[at],
        lambda x, at: ad.build((3,), lambda k: ad.index(x, (at[k],))),
        lambda x, at: ad.gather(x, (3,), lambda k: (at[k],)),
    ):
        np.testing.assert_array_equal(checked(read, empty, at), np.zeros((3, 2)))
        gradient = checked(lambda x, at, r=read: ad.grad(lambda x: np.sum(r(x, at)))(x), empty, at)
        assert gradient.shape == (0, 2)


def test_convolutions_pad_with_zeros():
    """An example of what users build on it: a window that hangs over both ends."""

    def convolved(x, k):
        return ad.build((5,), lambda i: sum(ad.index(x, (i + j - 2,)) * k[j] for j in range(3)))

    kernel = np.array([1.0, 10.0, 100.0])
    np.testing.assert_array_equal(checked(convolved, X, kernel), np.convolve(X, kernel[::-1]))
    gradient = checked(lambda x, k: ad.grad(lambda x: np.sum(convolved(x, k)))(x), X, kernel)
    np.testing.assert_array_equal(gradient, np.full(3, 111.0))
