"""NumPy's functions of lists of traced values, `np.r_` and `np.c_`: NumPy's figures, dtypes, errors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import ArgumentError, MliradError, ShapeError, TracingError, UnsupportedError

X, S, T = np.array([0.5, 1.5, -2.0]), 1.25, -0.75


def of_lists(x: Any, s: Any, t: Any) -> list[Any]:
    return [
        np.mean([s, t]), np.std([x, [s, t, 2.0]], axis=0), np.var((s, t, 1), ddof=1), np.sum([[s], [t]]),
        np.max([s, t]), np.cumsum((s, t)), np.append([s, t], [x[0]]), np.outer([s, t], [t, 2]),
        np.dot([s, t], [t, s]), np.linalg.norm([s, t, 1]), np.linalg.solve([[s, t], [1, 5]], [s, 3.0]),
        np.linalg.det([[s, t], [t, s]]), np.where([s > 0, t > 0], [s, t], 0.0), np.sort([s, t, 0.0]),
        np.array([[s, t], [0, 1]]), np.asarray((s, 1)), np.full(2, s), np.fft.irfft([s, t, 1]),
        np.mean(a=[s, t]), np.interp(s, [t, 2.0], [s, t]), np.concatenate([[s], x]),
        np.reshape([s, t], (2, 1)),
    ]  # fmt: skip


def joined(x: Any, s: Any, t: Any) -> list[Any]:
    m = np.outer(x, x)
    return [
        np.r_[x, 1, 1:4, [5, 6]], np.r_[s, t, x], np.r_[s, 2], np.r_[0:1:3j, s], np.r_["0,2", x, x],
        np.r_["1,2,0", x, x], np.r_["0,2,0", x, np.ones((2, 1))], np.r_["-1", m, m[:, :1]], np.r_[m, m[:1]],
        np.c_[x, x + 1, [1, 2, 3]], np.c_[x], np.c_[s, t, 2], np.c_[m, x],
        np.r_["1,3,-1", x, x], np.r_["1,3,1", x, x],
    ]  # fmt: skip


@pytest.mark.parametrize("compute", [of_lists, joined])
def test_what_numpy_makes_of_lists(compute):
    for got, want in zip(
        ad.jit(compute, interpret=True)(X, S, T), compute(X, np.float64(S), np.float64(T)), strict=True
    ):
        assert (np.shape(got), got.dtype) == (np.shape(want), want.dtype)
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_dtypes_of_what_is_joined():
    x = np.array([1.0, 2.0], np.float32)
    n = np.array([1, 2], np.int32)

    def compute(x: Any, n: Any) -> list[Any]:
        return [np.r_[x, 1.0], np.r_[n, 1], np.r_[n, 1.5], np.r_[x, n], np.c_[n > 1, [True, False]]]

    for got, want in zip(ad.jit(compute, interpret=True)(x, n), compute(x, n), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_complex_lists():
    def compute(x: Any, z: Any) -> list[Any]:
        return [np.array([x, z]), np.array([[z, 1], [x, 1j]]), np.r_[x, z, 2], np.c_[z, z]]

    for got, want in zip(ad.jit(compute, interpret=True)(S, 1 + 2j), compute(S, 1 + 2j), strict=True):
        np.testing.assert_array_equal(got, want)


def test_derivatives_of_lists():
    def norm(x: Any, s: Any, t: Any) -> Any:
        return np.linalg.norm(np.r_[x, [s, t]]) + np.var([s, t, x[0]])

    slopes = ad.grad(norm, (0, 1, 2), interpret=True)(X, S, T)
    size = np.linalg.norm([*X, S, T])
    mean = np.mean([S, T, X[0]])
    np.testing.assert_allclose(slopes[1], S / size + 2 * (S - mean) / 3)
    np.testing.assert_allclose(slopes[0], X / size + np.array([2 * (X[0] - mean) / 3, 0, 0]))


def test_names_are_numpys_outside_of_traces_and_equal_to_them_inside():
    own, seen = np.mean, {np.mean: "mean"}

    def function(x: Any) -> Any:
        assert np.mean == own
        assert own == np.mean
        assert seen[np.mean] == "mean"
        assert {np.mean: 1}[own] == 1
        assert np.mean != np.sum
        return ad.vmap(np.mean)(np.stack([x, x])) + np.mean([1.0, x[0]])

    assert ad.jit(function, interpret=True)(X).shape == (2,)
    assert np.mean is own
    assert type(np.r_).__getitem__ is type(np.c_).__getitem__


def test_a_program_that_imports_mlirad_alone_makes_arrays_of_lists():
    code = (
        "import mlirad as ad, numpy as np; print(ad.jit(lambda x: np.array([x, 1.0]), interpret=True)(2.0))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[2. 1.]"


MISTAKES: list[tuple[Callable[[Any], Any], type[MliradError], str]] = [
    (lambda x: np.mean([x, x[:2]]), ShapeError, "np.mean: `a`: stacked arrays must have one shape"),
    (lambda x: np.poly1d([x[0], 1.0]), UnsupportedError, "np.poly1d cannot be traced"),
    (lambda x: np.sin([x[0], x]), ShapeError, "stacked arrays must have one shape"),
    (lambda x: np.r_["r", x], UnsupportedError, "np.r_['r', ...]"),
    (lambda x: np.r_["1,2,3,4", x], ArgumentError, "directives are numbers"),
    (lambda x: np.r_[x, "0"], ArgumentError, "a directive is the first entry"),
    (lambda x: np.r_[0 : x[0]], TracingError, "the length of a range"),
    (lambda x: np.r_[x, np.outer(x, x)], ShapeError, "concatenated arrays"),
    (lambda x: np.mean([x[x > 0], x[x > 0]]), TracingError, "depends on a traced mask"),
]


def test_names_of_arguments_that_numpy_does_not_have():
    for function in (lambda x: np.mean(x, axes=0), lambda x: np.mean([x], axes=0)):
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'axes'"):
            ad.jit(function, interpret=True)(X)


@pytest.mark.parametrize("case", range(len(MISTAKES)))
def test_mistakes(case):
    function, error, message = MISTAKES[case]
    with pytest.raises(error) as caught:
        ad.jit(function, interpret=True)(X)
    assert message in str(caught.value)
    assert "test_nests.py" in str(caught.value)
