"""`cond` and `switch`: values, agreement of branches, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.control import IfOp, SwitchOp

X = np.arange(3.0)


def run(function, *args):
    return ad.jit(function, interpret=True)(*args)


def test_cond_takes_one_branch():
    function = lambda x: ad.cond(x > 2, np.sqrt, lambda x: -x, x)  # noqa: E731
    assert (run(function, 4.0), run(function, 1.0)) == (2, -1)
    assert any(isinstance(op, IfOp) for op in ad.trace(function, 1.0).walk())


def test_a_static_condition_is_decided_while_tracing():
    assert run(lambda x: ad.cond(True, lambda: x, lambda: x * 2), 4.0) == 4
    assert run(lambda x: ad.cond(x.ndim == 1, lambda: x, lambda: x * 2), 4.0) == 8
    assert run(lambda x: ad.switch(1, [lambda: x, lambda: x * 2]), 4.0) == 8


def test_numbers_are_conditions():
    function = lambda n: ad.cond(n, lambda: 1, lambda: 2)  # noqa: E731
    assert [run(function, n) for n in (0, 3)] == [2, 1]


@pytest.mark.parametrize(("index", "expected"), [(-3, 0), (0, 0), (1, 1), (2, 2), (9, 2)])
def test_switch_clamps_its_index(index, expected):
    function = lambda i, x: ad.switch(i, [lambda x: x, lambda x: x * 2, lambda x: x * 3], x)  # noqa: E731
    np.testing.assert_array_equal(run(function, index, X), X * (expected + 1))
    assert any(isinstance(op, SwitchOp) for op in ad.trace(function, 1, X).walk())


def test_branches_return_structures_and_capture():
    y = {"a": 1.5, "b": (X, 2)}
    function = lambda p, y: ad.cond(  # noqa: E731
        p, lambda: y, lambda: {"b": (y["b"][0] * 2, y["b"][1] + 1), "a": np.sum(y["b"][0])}
    )
    result = run(function, False, y)
    assert result["a"] == 3
    np.testing.assert_array_equal(result["b"][0], X * 2)
    assert result["b"][1] == 3


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((np.float32(1), 2.0), np.float32),
        ((np.float32(1), 2), np.float32),
        ((1, 2.0), np.float64),
        ((np.int32(1), 2), np.int32),
        ((1, 2, np.float32(3)), np.float32),
    ],
)
def test_python_scalars_take_the_dtype_of_the_other_branches(values, expected, order):
    branches = [lambda v=v: v for v in values[::order]]
    function = lambda i: ad.switch(i, branches)  # noqa: E731
    results = [run(function, i) for i in range(len(values))]
    assert [r.dtype for r in results] == [expected] * len(values)
    assert results == list(values[::order])


def test_branches_inside_branches_and_loops():
    def sign(x):
        return ad.cond(x > 0, lambda: 1.0, lambda: ad.cond(x < 0, lambda: -1.0, lambda: 0.0))

    np.testing.assert_array_equal(
        run(lambda x: ad.scan(lambda c, x: (c, sign(x)), 0.0, x)[1], X - 1), [-1, 0, 1]
    )


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: ad.cond(x > 0, lambda: 1, lambda: 1), ["shape (3,)", "np.where"]),
        (lambda x: ad.cond(x[0] > 0, lambda: x, lambda: x[:2]), ["float64[2]", "float64[3]", "result"]),
        (lambda x: ad.cond(x[0] > 0, lambda: {"a": x, "b": x}, lambda: {"a": x, "b": x[0]}), ["result['b']"]),
        (lambda x: ad.cond(x[0] > 0, lambda: x, lambda: (x, x)), ["structured like (*, *)", "false branch"]),
        (lambda x: ad.cond(x[0] > 0, lambda: x, lambda: x.astype(np.float32)), ["float32[3]", ".astype"]),
        (lambda x: ad.switch(x[0], [np.sin, np.cos], x), ["integer scalar"]),
        (lambda x: ad.switch(0, [], x), ["at least one branch"]),
    ],
)
def test_errors(function, words):
    with pytest.raises(ad.MliradError) as error:
        run(function, X)
    assert all(word in str(error.value) for word in [*words, __file__])
