"""Python scalars as arguments: compared and computed with as NumPy 2 and Python do, and never wrapped."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import mlirad as ad

I32, F32 = np.array([1, 2, -3], np.int32), np.array([1.0, 2.0, 3.0], np.float32)
INTEGERS = [0, 2, -3, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**32 + 1, 2**40, -(2**63), 2**63 - 1]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
ARITHMETIC = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.and_, operator.or_, operator.xor,
]  # fmt: skip


def run(function: Any, *args: Any) -> Any:
    return ad.jit(function, interpret=True)(*args)


def check_same(actual: Any, expected: Any) -> None:
    np.testing.assert_array_equal(actual, expected)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("compare", COMPARISONS)
def test_comparisons_with_python_integers_are_exact(compare):
    arrays = (I32, I32.astype(np.int64) + 2**40, I32 > 1, np.int32(7))
    traced = ad.jit(lambda x, n: (compare(x, n), compare(n, x)), interpret=True)
    for x in arrays:
        for n in INTEGERS:
            with np.errstate(all="ignore"):
                expected = compare(x, n), compare(n, x)
            for found, right in zip(traced(x, n), expected, strict=True):
                check_same(found, right)
    for x in arrays:
        # NumPy does not compare booleans with integers of more than 64 bits
        for n in () if x.dtype == bool else (*INTEGERS, 2**63, -(2**63) - 1, 2**70, -(2**70)):
            check_same(run(lambda x, n=n: compare(x, n), x), compare(x, n))
            check_same(run(lambda x, n=n: compare(n, x), x), compare(n, x))


@pytest.mark.parametrize("interpret", [True, False])
def test_integers_that_do_not_fit_are_errors_when_the_program_runs(interpret):
    function = ad.jit(lambda x, n: x + n, interpret=interpret)
    check_same(function(I32, 7), I32 + 7)
    with pytest.raises(OverflowError, match="1099511627776 is out of bounds for int32") as error:
        function(I32, 2**40)
    assert isinstance(error.value, ad.IntegerOverflowError)
    assert "test_python_scalars.py" in str(error.value.location)
    check_same(function(I32, -7), I32 - 7)


NARROWING: dict[str, Any] = {
    "operator": lambda x, n: n * x,
    "in place": lambda x, n: operator.iadd(x, n),
    "ufunc": np.maximum,
    "where": lambda x, n: np.where(x > 0, x, n),
    "write": lambda x, n: operator.setitem(x, 0, n) or x,
    "at": lambda x, n: x.at[0].set(n),
    "fill": lambda x, n: x.fill(n) or x,
    "computed": lambda x, n: x + (n - 1) * 3,
    "in a loop": lambda x, n: ad.fori_loop(0, 2, lambda i, c: c + n, x),
    "in a branch": lambda x, n: ad.cond(x[0] > 0, lambda: x + n, lambda: x),
    "in a build": lambda x, n: ad.build((3,), lambda i: x[i] * n),
    "in a function": lambda x, n: ad.function(lambda x, n: x + n)(x, n),
    "starts a loop": lambda x, n: ad.fori_loop(0, 2, lambda i, c: c + x[0], n),
    "carried": lambda x, n: ad.fori_loop(0, 2, lambda i, c: n, np.int32(1)) + x,
}


@pytest.mark.parametrize("name", NARROWING)
def test_no_integer_wraps(name):
    function = ad.jit(NARROWING[name], interpret=True)
    with pytest.raises(ad.IntegerOverflowError, match="int32"):
        function(I32, 2**40)
    function(I32, 5)


def test_indices_that_fit_are_not_checked():
    """The counter of a loop with static bounds is known to fit, so no report is made."""
    text = ad.jit(lambda x: ad.fori_loop(0, 5, lambda i, c: c + i, x)).ir(I32)
    assert "report" not in text


@pytest.mark.parametrize("compute", ARITHMETIC)
def test_python_scalars_compute_as_in_python(compute):
    for a, b in [(True, True), (True, 3), (5, False), (7, 3), (True, 2.5), (2.5, 2)]:
        try:
            expected = compute(a, b)
        except (ZeroDivisionError, TypeError):
            continue
        check_same(run(compute, a, b), np.asarray(expected)[()])
        check_same(run(lambda a, b=b: compute(a, b), a), np.asarray(expected)[()])
        x = np.asarray(F32 if isinstance(expected, float) else I32)
        check_same(run(lambda a, b, x: x * compute(a, b), a, b, x), x * expected)


def test_booleans_count():
    check_same(run(lambda a, b, x: (a < 3) + (b < 3) + x, 1, 2, I32), 2 + I32)
    check_same(run(lambda a: (-a, abs(a), +a, a**2), True), (-1, 1, 1, 1))
    check_same(run(np.add, True, True), np.add(True, True))
    check_same(run(lambda x, b: x + b, F32, True), F32 + True)


@pytest.mark.parametrize("repeat", [lambda n: [0.0] * n, lambda n: n * [0.0], lambda n: (1, 2) * n])
def test_lists_are_not_repeated_a_traced_number_of_times(repeat):
    for n in (3, np.int64(3)):
        with pytest.raises(ad.TracingError, match="repeats a list") as error:
            run(repeat, n)
        assert "static_argnames" in str(error.value.hint)
    assert len(ad.jit(repeat, static_argnames="n", interpret=True)(3)) == len(repeat(3))


def test_lists_compute_with_arrays():
    check_same(run(lambda x: x * [1.0, 2.0, 3.0], F32), F32 * [1.0, 2.0, 3.0])
    check_same(run(lambda x: [1.0, 2.0] - x[:2], F32), [1.0, 2.0] - F32[:2])


STRONG: dict[str, Any] = {
    "append": lambda x, s: np.append(x, s),
    "outer": lambda x, s: np.outer(x, s),
    "dot": lambda x, s: np.dot(x, s),
    "stack": lambda x, s: np.stack([x[0], s]),
    "hstack": lambda x, s: np.hstack([x, s]),
    "convolve": lambda x, s: np.convolve(x, [s]),
    "tensordot": lambda x, s: np.tensordot(x, s, 0),
    "reshape": lambda x, s: x * np.reshape(s, (1,)),
    "where of scalars": lambda x, s: x * np.where(x > 0, s, s),
    "where": lambda x, s: np.where(x > 0, x, s),
    "clip": lambda x, s: np.clip(x, None, s),
    "linspace": lambda x, s: np.linspace(x, s, 3),
    "linspace of arrays": lambda x, s: np.linspace(x, x + s, 2),
    "full_like": np.full_like,
    "ufunc of a scalar": lambda x, s: x * np.square(s),
}


@pytest.mark.parametrize("name", STRONG)
def test_functions_promote_python_scalars_as_numpy_does(name):
    function = STRONG[name]
    for x, s in ((F32, 0.5), (I32, 3), (F32, 3), (I32, 0.5)):
        check_same(run(function, x, s), function(x, s))
        check_same(run(lambda x, s=s: function(x, s), x), function(x, s))


def test_outputs_stacked_by_a_scan_are_arrays():
    found = run(lambda x: x * ad.scan(lambda c, _: (c, c), 0.5, None, 3)[1], F32)
    assert found.dtype == np.float64


def test_arrays_of_many_dimensions():
    x = np.ones((1,) * 40 + (2,))
    check_same(run(lambda x: (x + x[0]) * np.ones((1,) * 41), x), x + x[0])
    with pytest.raises(ad.ShapeError, match="no more than 64"):
        run(lambda x: np.reshape(x, (1,) * 65), np.ones(1))


def test_convolution_outside_of_a_trace():
    np.testing.assert_array_equal(ad.convolution(np.ones((1, 1, 3)), np.ones((1, 1, 2))), [[[2.0, 2.0]]])
