"""`build`, `gather`, `scatter`, `index`, `map`, `asarray`, and where ops come from."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.ir.locations import location_of

X = np.arange(12.0).reshape(3, 4)


def run(function, *args):
    return ad.jit(function, interpret=True)(*args)


def test_build_of_scalars_arrays_and_tuples():
    np.testing.assert_array_equal(
        run(lambda x: ad.build((3, 4), lambda i, j: x[i, j] * i), X), X * np.arange(3)[:, None]
    )
    np.testing.assert_array_equal(run(lambda x: ad.build(3, lambda i: x[2 - i]), X), X[::-1])
    first, second = run(lambda x: ad.build((2,), lambda i: (x[i, 0], {"row": x[i]})), X)
    np.testing.assert_array_equal(first, X[:2, 0])
    np.testing.assert_array_equal(second["row"], X[:2])
    assert run(lambda x: ad.build((), lambda: x[0, 1]), X) == 1.0
    assert run(lambda x: ad.build((0, 2), lambda i, j: x[i, j]), X).shape == (0, 2)
    assert run(lambda x: ad.build((2,), lambda i: 1), X).dtype == np.int64


def test_map_over_several_arrays():
    result = run(lambda x, n: ad.map(lambda row, k: np.sum(row) * k, x, n), X, np.array([1, 2, 3]))
    np.testing.assert_array_equal(result, X.sum(axis=1) * [1, 2, 3])


def test_positions_are_taken_as_they_are():
    for position, expected in ((2, X[2]), (3, np.zeros(4)), (-1, np.zeros(4))):
        np.testing.assert_array_equal(run(lambda x, i: ad.index(x, (i,)), X, position), expected)
    window = run(lambda x: ad.gather(x, (5,), lambda i: (i - 1, i)), X)
    np.testing.assert_array_equal(window, [0, X[0, 1], X[1, 2], X[2, 3], 0])
    shifted = run(lambda x: ad.scatter(x, (3,), lambda i: (i - 1,)), X)
    np.testing.assert_array_equal(shifted, [*X[1:], np.zeros(4)])
    slope = ad.grad(lambda x: np.sum(ad.gather(x, (5,), lambda i: (i - 1, i))), interpret=True)(X)
    np.testing.assert_array_equal(np.argwhere(slope), [[0, 1], [1, 2], [2, 3]])
    kept = ad.grad(lambda x: np.sum(ad.scatter(x, (3,), lambda i: (i - 1,))), interpret=True)(X)
    np.testing.assert_array_equal(kept, [[0] * 4, [1] * 4, [1] * 4])


def test_asarray_and_stack_outside_and_inside():
    np.testing.assert_array_equal(ad.asarray([1, 2]), np.array([1, 2]))
    table = np.array([5, 6, 7])
    assert run(lambda i: ad.asarray(table)[i], 1) == 6
    np.testing.assert_array_equal(run(lambda x: ad.asarray([[x, 1], [2, x]]), 3.0), [[3, 1], [2, 3]])
    np.testing.assert_array_equal(run(lambda x: ad.stack([x, 1.0, 2]), 3.0), [3, 1, 2])
    np.testing.assert_array_equal(ad.where(table > 5, 1, 0), [0, 1, 1])


def test_weak_arguments_keep_single_precision():
    single = np.ones(3, np.float32)
    assert run(lambda x, s: x * s, single, 2.0).dtype == np.float32
    assert run(lambda x, s: x * s, single, np.float64(2.0)).dtype == np.float64
    assert run(lambda x, s: x * (s + 1) / 2, single, 2).dtype == np.float32


@pytest.mark.parametrize("kind", ["operator", "function", "method", "ufunc", "index", "build"])
def test_every_op_knows_its_line(kind):
    functions = {
        "operator": lambda x: x + x,
        "function": lambda x: np.sum(x),
        "method": lambda x: x.mean(axis=0),
        "ufunc": lambda x: np.sin(x),
        "index": lambda x: x[1:, ::2],
        "build": lambda x: ad.build((3,), lambda i: x[i, 0] * 2),
    }
    line = functions[kind].__code__.co_firstlineno
    ops = list(ad.trace(functions[kind], X).walk())[2:-1]
    assert ops
    assert {location_of(op) for op in ops} == {f"{__file__}:{line}"}


def test_arguments_name_the_parameters():
    text = str(ad.trace(lambda params, x: params["w"] @ x, {"w": X, "b": 1.0}, X[0]))
    assert "%params_w" in text
    assert "%x" in text
