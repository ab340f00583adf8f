"""Functions whose results get a static size, against NumPy's cut to it or filled, traced and eagerly."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from mlirad.errors import MliradError


def fitted(values, size, fill):
    """NumPy's result, cut or filled."""
    values = np.asarray(values)[:size]
    return np.concatenate([values, np.full((size - len(values), *values.shape[1:]), fill, values.dtype)])


def smallest(values):
    return values[0] if len(values) else 0


_rng = np.random.default_rng(3)
VECTORS = [
    np.array([3.0, 1, 3, 5, 1, np.nan, np.nan]),
    _rng.integers(0, 6, 12),
    _rng.integers(-3, 3, (3, 4)).astype(np.int32),
    _rng.normal(size=6) > 0,
    np.zeros(0),
]
OTHER = np.array([5, 7, 3, 3, -1])


CASES = [(x, size) for x in VECTORS for size in (0, 2, 9)]
TRACED = (2, 4, 13)
"""The cases that are traced, too: one of most arrays."""


@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_numpy(number) -> None:
    x, size = CASES[number]

    def function(x):
        return (
            ad.nonzero(x, size=size, fill_value=-1),
            ad.extract(x == x[:1], x, size=size, fill_value=2),
            ad.unique(x, True, True, True, size=size),
            ad.unique(x, size=size, fill_value=1),
            ad.union1d(x, OTHER, size=size),
            ad.intersect1d(x, OTHER, size=size),
            ad.setdiff1d(x, OTHER, size=size),
            ad.setxor1d(x, OTHER, size=size),
        )

    values, index, inverse, counts = np.unique(x, True, True, True)
    sets = [f(x, OTHER) for f in (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d)]
    expected = (
        tuple(fitted(at, size, -1) for at in np.nonzero(x)),
        fitted(x[x == x[:1]], size, 2),
        (
            fitted(values, size, smallest(values)),
            fitted(index, size, 0),
            inverse.reshape(x.shape),
            fitted(counts, size, 0),
        ),
        fitted(values, size, 1),
        *(fitted(s, size, smallest(s)) for s in sets),
    )
    traced = [ad.jit(function, interpret=True)(x)] if number in TRACED else []
    for found in (function(x), *traced):
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            if place == 7 and x.dtype.kind == "f":  # NumPy's setxor1d does not count NaN twice
                continue
            for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (one, other)), strict=True):
                np.testing.assert_array_equal(a, b, err_msg=str(place))
                assert a.dtype == b.dtype, place


def test_each_nan_is_an_element_of_its_own() -> None:
    def function(x):
        return ad.unique(x, True, True, True, size=5, equal_nan=False)

    x = VECTORS[0]
    for found in (function(x), ad.jit(function, interpret=True)(x)):
        for one, other in zip(found, np.unique(x, True, True, True, equal_nan=False), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("equal_nan", [True, False])
def test_different_complex_numbers(equal_nan) -> None:
    n = np.nan
    z = np.array(
        [1 + 2j, complex(n, n), 0, complex(n, -1), 1 - 2j, complex(-1, n), complex(n, -2), 1 + 2j, 0]
    )
    found = ad.jit(lambda z: ad.unique(z, True, True, True, size=8, equal_nan=equal_nan), interpret=True)(z)
    expected = np.unique(z, True, True, True, equal_nan=equal_nan)
    for place, (one, other) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(one if place == 2 else one[: len(other)], other)


def test_complex_elements() -> None:
    z = np.array([1 + 2j, 0, 3j, 0.5])

    def function(z):
        return ad.extract(z.real > 0, z, size=3, fill_value=1j), *ad.nonzero(z, size=3)

    for found in (function(z), ad.jit(function, interpret=True)(z)):
        np.testing.assert_array_equal(found[0], [1 + 2j, 0.5, 1j])
        np.testing.assert_array_equal(found[1], [0, 2, 3])


def test_one_truth_for_all() -> None:
    x = np.arange(6.0).reshape(2, 3)
    found = ad.jit(lambda x: (ad.extract(x[0, 0] < 1, x, size=1), ad.extract(x[0, 0] > 1, x[0, 1], size=2)))(
        x
    )
    np.testing.assert_array_equal(found[0], x[np.array(True)])
    np.testing.assert_array_equal(found[1], [0, 0])


def test_bincount() -> None:
    x, w = np.array([0, 3, 1, 3, 9, -1]), np.arange(6.0)

    def function(x, w):
        return ad.bincount(x, length=5), ad.bincount(x, w, length=5), ad.bincount(x, length=0)

    for found in (function(x, w), ad.jit(function)(x, w)):
        np.testing.assert_array_equal(found[0], [1, 1, 0, 2, 0])
        np.testing.assert_array_equal(found[1], [0, 2, 0, 4, 0])
        assert found[2].shape == (0,)
    gradient = ad.grad(lambda w: np.sum(ad.bincount(x, w, length=5) ** 2))(w)
    np.testing.assert_allclose(gradient, [0, 8, 4, 8, 0, 0])


def test_rows_and_their_derivative() -> None:
    x, rows = np.array([1.0, -2.0, 3.0]), np.arange(6.0).reshape(3, 2)
    found = ad.jit(lambda x, rows: ad.extract(x > 0, rows, size=3), interpret=True)(x, rows)
    np.testing.assert_array_equal(found, [[0, 1], [4, 5], [0, 0]])
    np.testing.assert_array_equal(ad.grad(lambda x: np.sum(ad.extract(x > 0, x, size=2) ** 2))(x), [2, 0, 6])


REFUSED = {
    "no size": (lambda x: ad.unique(x, size=None), "size is None"),
    "traced size": (lambda x: ad.nonzero(x, size=x[0]), "it must be static"),
    "negative size": (lambda x: ad.nonzero(x, size=-1), "from 0 on"),
    "scalar": (lambda x: ad.nonzero(x[0], size=2), "at least one dimension"),
    "fill values": (lambda x: ad.nonzero(x, size=2, fill_value=(1, 2)), "2 fill values for 1"),
    "condition": (lambda x: ad.extract(x[:2] > 0, x, size=3), "a condition of shape"),
    "floats": (lambda x: ad.bincount(x, length=3), "counts integers"),
    "matrix": (lambda x: ad.bincount(x[None], length=3), "needs a vector"),
    "weights": (lambda x: ad.bincount(x.astype(int), x[:2], length=3), "weights of shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_arguments(name) -> None:
    function, text = REFUSED[name]
    with pytest.raises(MliradError, match=text) as caught:
        ad.jit(function, interpret=True)(np.arange(3.0))
    assert caught.value.hint is not None
