"""Options of NumPy's functions that are easily forgotten, and values at which functions are easily wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.versions import NUMPY

X = np.array([3.0, 1.0, 2.0])
SINGLE = X.astype(np.float32)
CUBE = np.arange(8.0).reshape(2, 2, 2)
INTEGERS = np.array([15, 149, -25])
NAN = np.array([np.nan, 1.0, -np.inf])
BOOLEANS = np.array([True, False, True])
LARGE = np.array([2**62, 2**62, 2**62])


def empty(dtype: Any) -> Any:
    """A scalar to be written."""
    return ad.asarray(np.zeros((), dtype))


CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "decreasing bins": (lambda x: np.digitize(x, [3, 2, 1]), X),
    "traced decreasing bins": (lambda x: np.digitize([0.5, 1.5, 9.0], x[[0, 2, 1]]), X),
    "NaN in bins": (lambda x: np.digitize(x, [0.0, 1.0]), NAN),
    "NaN in a table": (lambda x: np.searchsorted(np.array([1.0, 2.0, np.nan]), x, side="right"), NAN),
    "tens of integers": (lambda x: np.round(x, -1), INTEGERS),
    "steps as an array": (lambda y: np.trapezoid(y, dx=np.array([[1.0], [2.0]]), axis=1), CUBE),
    "a long kernel": (lambda x: np.correlate(x[:2], x, "same"), X),
    "odd reflection": (lambda x: np.pad(x, (5, 2), mode="reflect", reflect_type="odd"), X),
    "odd symmetry": (lambda x: np.pad(x, (7, 4), mode="symmetric", reflect_type="odd"), X),
    "two constants": (lambda x: np.pad(x, 1, constant_values=(1, 2)), X),
    "widths by axis": (lambda x: np.pad(x, {1: (1, 2), -1: 1}), CUBE),
    "columns first": (lambda i: np.unravel_index(i % 12, (3, 4), order="F"), INTEGERS),
    "clipped positions": (lambda i: np.ravel_multi_index((i, i), (3, 4), mode=("clip", "wrap")), INTEGERS),
    "reshape columns first": (lambda x: np.reshape(x, (4, 2), order="F"), CUBE),
    "dtype of concatenate": (lambda x: np.concatenate([x, x], dtype=np.float32), X),
    "an integer mean": (lambda x: np.mean(x, dtype=int), INTEGERS),
    "a logical sum": (lambda x: np.sum(x, dtype=bool), BOOLEANS),
    "a logical prefix sum": (lambda x: np.cumsum(x, dtype=bool), BOOLEANS),
    "a fractional start": (lambda x: np.prod(x, initial=2.5), INTEGERS),
    "a start of extrema": (lambda x: np.max(x, initial=2.5, where=x < 0), INTEGERS),
    "only NaN": (lambda x: np.nanmax(x[:, None], axis=1), NAN),
    "median of infinities": (lambda x: np.median(np.where(x > 1, x, -np.inf)), X),
    "quantile of infinities": (lambda x: np.quantile(x, 0.3), np.array([-np.inf, 1.0, 0.0])),
    "an infinite power": (lambda x: x**np.inf, X),
    "an inverse root": (lambda x: x**-0.5, np.array([-0.0, -np.inf, np.inf, 4.0, 0.0])),
    "the sign of zero": (lambda x: np.copysign(1.0, np.sign(x)), np.array([-0.0, 0.0, 2.0, -2.0])),
    "several distances": (lambda x: np.roll(x, (1, 2), axis=(0, 2)), CUBE),
    "wrapped positions": (lambda x: np.take(x, [0, 5, -4], mode="wrap"), X),
    "a broadcast sum": (lambda x: np.einsum("i,i->", x, np.ones(1)), X),
    "numbered subscripts": (lambda x: np.einsum(x, [0, 1, 2], [2, 0]), CUBE),
    "a difference to a constant": (lambda x: np.diff(x, prepend=0), SINGLE),
    "a mean without NaN, masked": (lambda x: np.nanmean(x, where=np.array([True, True, False])), NAN),
    "weights of two axes": (lambda x: np.average(x, axis=(2, 1), weights=np.eye(2) + 1), CUBE),
    "points by name": (lambda x: np.interp(x, xp=[0.0, 2.0], fp=[1.0, 2.0]), X),
    "a period": (lambda x: np.interp(x, [0.0, 1.0], [1.0, 2.0], period=1.5), X),
    "a masked sum of exponentials": (lambda x: np.logaddexp.reduce(x, where=x > 1, initial=-np.inf), X),
    "masked variance": (lambda x: np.var(x, where=x > 1, ddof=1), X),
    "an appended number": (lambda x: np.append(x, 1e-3), SINGLE),
    "ends of one width": (lambda x: np.linspace(x, 2 * x, 3), SINGLE),
    "a traced mask in a fold": (lambda x: np.bitwise_xor.reduce(x, where=x > 0), INTEGERS),
    "a start in the dtype of out": (lambda x: np.min(x, out=empty(np.int64), initial=-1), BOOLEANS),
    "a large sum in the dtype of out": (lambda x: np.sum(x, out=empty(np.float64)), LARGE),
    "a mean in the dtype of out": (lambda x: np.mean(x / 3, out=empty(np.float64)), SINGLE),
    "close booleans": (lambda x: np.isclose(x, x), BOOLEANS),
}


@pytest.mark.parametrize("case", CASES)
def test_as_numpy(case):
    if case == "widths by axis" and NUMPY < (2, 2):
        pytest.skip("np.pad takes no dictionary")
    function, x = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, found = function(x), ad.jit(function, interpret=True)(x)
    for e, f in zip(np.atleast_1d(expected), np.atleast_1d(found), strict=True):
        np.testing.assert_array_equal(f, e)
        assert np.asarray(f).dtype == np.asarray(e).dtype
    assert np.shape(expected) == np.shape(found)


def test_an_outer_product_with_a_number_is_as_wide_as_the_number():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ad.jit(lambda x: np.outer(x, 2**40))(np.array([1, 2], np.int32))
    np.testing.assert_array_equal(found, [[2**40], [2**41]])


def test_numpy_says_which_axis_it_is():
    with pytest.raises(ad.ShapeError, match="axis 2") as caught:
        ad.jit(lambda x: np.sum(x, axis=2))(np.ones((2, 2)))
    assert "-2 to 1" in (caught.value.hint or "")
