"""`scan`, `fold`, `fori_loop` and `while_loop`: values, structures, dtypes, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import mlirad as ad
from mlirad.dialects.array.control import ScanOp, WhileOp

XS = np.arange(1.0, 6.0)


def run(function, *args):
    return ad.jit(function, interpret=True)(*args)


def ops(function, *args):
    return list(ad.trace(function, *args).walk())


def test_scan_gives_the_last_carry_and_the_outputs():
    last, before = run(lambda x: ad.scan(lambda c, x: (c + x, c), 0.0, x), XS)
    assert last == 15
    np.testing.assert_array_equal(before, [0, 1, 3, 6, 10])


def test_scan_in_reverse_keeps_the_order_of_outputs():
    last, after = run(lambda x: ad.scan(lambda c, x: (c + x, c), 0.0, x, reverse=True), XS)
    assert last == 15
    np.testing.assert_array_equal(after, [14, 12, 9, 5, 0])


@pytest.mark.parametrize("length", [0, 1, 2, 7])
def test_scan_of_a_given_length(length):
    last, outputs = run(lambda y: ad.scan(lambda c, _: (c * 2, c), y, None, length=length), 3.0)
    assert last == 3 * 2**length
    np.testing.assert_array_equal(outputs, 3.0 * 2 ** np.arange(length))


def test_scan_over_structures():
    @dataclass
    class State:
        total: object
        parts: object

    def step(state, x):
        new = State(state.total + x["a"] @ x["b"][0], (state.parts[0] * 2, [state.parts[1][0] + 1]))
        return new, {"seen": x["a"] * state.parts[0], "nothing": None}

    a, b = np.arange(6.0).reshape(3, 2), np.ones((3, 2))
    state, outputs = run(lambda xs: ad.scan(step, State(0.0, (1.0, [0])), xs), {"a": a, "b": (b,)})
    assert isinstance(state, State)
    assert (state.total, state.parts) == (15, (8, [3]))
    np.testing.assert_array_equal(outputs["seen"], a * [[1], [2], [4]])
    assert outputs["nothing"] is None


def test_bodies_capture_what_they_read():
    w = np.arange(4.0).reshape(2, 2)
    assert run(lambda w, x: ad.fold(lambda c, t: c + np.sum(w) * t + x[0], 0.0, x), w, XS) == 6 * 15 + 5


def test_nested_loops():
    table = run(lambda x: ad.scan(lambda c, a: (c, ad.fold(lambda s, b: s + a * b, 0.0, x)), 0.0, x)[1], XS)
    np.testing.assert_array_equal(table, XS * 15)


def test_a_body_is_traced_once():
    seen = []

    def body(c, x):
        seen.append(c)
        return c + x

    ad.trace(lambda x: ad.fold(body, np.float64(0), x), XS)
    ad.trace(lambda x: ad.fold(body, 0.0, x), XS)
    assert len(seen) == 2


# Types of carries --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "xs", "expected"),
    [
        (0, XS, np.float64),
        (0.0, XS.astype(np.float32), np.float32),
        (0, XS.astype(np.float32), np.float32),
        (0.0, np.arange(3), np.float64),
        (np.float64(0), XS.astype(np.float32), np.float64),
        (0, np.arange(3, dtype=np.int32), np.int32),
    ],
)
def test_python_scalars_take_the_dtype_of_what_they_become(start, xs, expected):
    assert run(lambda x: ad.fold(lambda c, x: c + x, start, x), xs).dtype == expected


def test_python_scalars_that_depend_on_each_other():
    a, b, c = run(lambda x: ad.fold(lambda s, x: (s[1], s[2], s[2] + x), (0, 0, 0), x), XS)
    assert (a, b, c) == (6, 10, 15)
    assert a.dtype == b.dtype == np.float64


def test_results_are_converted_where_they_are_python_scalars():
    assert run(lambda x: ad.fold(lambda c, x: 1, np.float32(0), x), XS).dtype == np.float32


@pytest.mark.parametrize(
    ("init", "body", "words"),
    [
        (np.float32(0), lambda c, x: c + x, ["carry", "float32[]", "float64[]", ".astype"]),
        ({"s": 0.0, "v": np.zeros(2)}, lambda c, x: c | {"v": np.ones(3) * x}, ["carry['v']", "[2]", "[3]"]),
        ((0.0, 1.0), lambda c, x: [c[0], c[1]], ["structured like (*, *)", "[*, *]"]),
        ((0.0, 1.0), lambda c, x: (c[0],), ["structured like (*, *)", "(*,)"]),
        (np.int64(0), lambda c, x: c + x, ["int64[]", "float64[]"]),
        (0.0, lambda c, x: np.ones(2) * c, ["float64[]", "float64[2]"]),
    ],
)
def test_errors_name_the_leaf_that_changes(init, body, words):
    with pytest.raises(ad.MliradError) as error:
        run(lambda x: ad.fold(body, init, x), XS)
    assert all(word in str(error.value) for word in [*words, __file__])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: ad.scan(lambda c, x: c, 0.0, x), "(carry, output)"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0), "`xs` or `length`"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0, (x, x[:3])), "3 slices, 5 are expected"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0, x, length=4), "5 slices, 4 are expected"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0, x[0]), "no slices"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0, x, checkpoint="some"), "store, recompute, sqrt"),
        (lambda x: ad.scan(lambda c, x: (c, c), 0.0, None, length=x[0]), "static integer"),
        (lambda x: ad.fold(lambda c, x: c, np.sin, x), "lambda returns a ufunc"),
        (lambda x: ad.while_loop(lambda c: x > 0, lambda c: c, 0.0), "one boolean"),
        (lambda x: ad.fori_loop(0, x[0], lambda i, c: c, 0.0), "integer scalar"),
    ],
)
def test_errors(function, words):
    with pytest.raises(ad.MliradError) as error:
        run(function, XS)
    assert words in str(error.value)


def test_values_of_a_iteration_do_not_leave_the_loop():
    kept = []

    def body(c, x):
        kept.append(x * 2)
        return c + x

    with pytest.raises(ad.TracingError, match="has ended"):
        run(lambda x: ad.fold(body, 0.0, x) + kept[-1], XS)


# Counting and conditional loops ------------------------------------------------------------------


def test_fori_loop_with_static_bounds_is_a_scan():
    function = lambda x: ad.fori_loop(1, 4, lambda i, c: c + x[i] * i, 0.0)  # noqa: E731
    assert run(function, XS) == 2 + 2 * 3 + 3 * 4
    assert any(isinstance(op, ScanOp) for op in ops(function, XS))
    assert run(lambda x: ad.fori_loop(3, 1, lambda i, c: c + 1, x), 2.0) == 2.0


@pytest.mark.parametrize(("lower", "upper"), [(0, 5), (1, 3), (4, 4), (5, 2), (-2, 3)])
def test_fori_loop_with_traced_bounds_is_a_while(lower, upper):
    function = lambda n, m: ad.fori_loop(n, m, lambda i, c: c * 2 + i, 1)  # noqa: E731
    expected = 1
    for i in range(lower, upper):
        expected = expected * 2 + i
    assert run(function, lower, upper) == expected
    assert any(isinstance(op, WhileOp) for op in ops(function, 0, 5))
    assert run(lambda m: ad.fori_loop(lower, m, lambda i, c: c * 2 + i, 1), upper) == expected


def test_the_index_promotes_like_a_python_integer():
    single = np.ones(3, np.float32)
    assert run(lambda x: ad.fori_loop(0, 3, lambda i, c: c + x[i] * i, np.float32(0)), single) == 3
    assert run(lambda x, n: ad.fori_loop(0, n, lambda i, c: c + x[i] * i, np.float32(0)), single, 3) == 3


@pytest.mark.parametrize("n", [1, 6, 27])
def test_while_loop(n):
    """The steps of Collatz' sequence."""

    def step(state):
        value, count = state
        return np.where(value % 2 == 0, value // 2, 3 * value + 1), count + 1

    expected, value = 0, n
    while value != 1:
        value, expected = value // 2 if value % 2 == 0 else 3 * value + 1, expected + 1
    assert run(lambda n: ad.while_loop(lambda s: s[0] != 1, step, (n, 0))[1], n) == expected


def test_while_loop_over_a_dictionary_with_captures():
    result = run(
        lambda x, limit: ad.while_loop(lambda s: s["y"] < limit, lambda s: {"y": s["y"] * 2 + x}, {"y": x}),
        np.float64(1),
        100.0,
    )
    assert result["y"] == 127
