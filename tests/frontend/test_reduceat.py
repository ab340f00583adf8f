"""`ufunc.reduceat`: what NumPy computes, for few slices and many, between static and traced positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.numpy_functions.protocols.segments import FEW

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning", "ignore::RuntimeWarning")

UFUNCS = [
    np.add, np.multiply, np.maximum, np.minimum, np.logical_and, np.logical_or, np.hypot, np.logaddexp,
    np.subtract, np.divide, np.fmax, np.bitwise_xor, np.bitwise_and, np.gcd, np.logical_xor,
]  # fmt: skip

_rng = np.random.default_rng(0)
N = 40
POSITIONS = {
    "few": np.array([0, 5, 2, 39, 39]),
    "one": np.array([3]),
    "none": np.zeros(0, int),
    "increasing": np.sort(_rng.choice(N, 17, replace=False)),
    "any": _rng.integers(0, N, 21),
    "of one length": np.arange(0, N, 4),
    "repeated": np.repeat(np.arange(0, N, 8), 3),
    "long and short": np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 39]),
}


def agree(found: Any, expected: Any, what: str) -> None:
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), what
    tolerance = 1e-4 if expected.dtype == np.float32 else 1e-11
    np.testing.assert_allclose(found, expected, tolerance, 1e-12, err_msg=what)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool], ids=lambda d: d.__name__)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
def test_values_are_numpys(ufunc: np.ufunc, dtype: Any) -> None:
    x = (3 * np.random.default_rng(1).normal(size=(2, N))).astype(dtype)
    for name, at in POSITIONS.items():
        try:
            expected = ufunc.reduceat(x, at, axis=1)
        except TypeError:
            return
        if expected.dtype == np.float16:
            return
        agree(ad.jit(lambda x, at=at: ufunc.reduceat(x, at, axis=1), interpret=True)(x), expected, name)
        if name in ("any", "increasing"):
            traced = ad.jit(lambda x, at: ufunc.reduceat(x, at, axis=1), interpret=True)
            agree(traced(x, at), expected, f"{name}, traced")


SPECIAL = {
    "infinities": np.where(np.arange(N) % 3, np.inf, 1.0),
    "both": np.where(np.arange(N) % 5, -np.inf, np.inf),
    "NaN": np.where(np.arange(N) == 7, np.nan, 2.0),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_elements(name: str) -> None:
    """Rows are filled up with elements that change no result, whatever is in the others."""
    x = SPECIAL[name]
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp):
        for what in ("increasing", "of one length", "long and short"):
            at = POSITIONS[what]
            found = ad.jit(lambda x, at=at, ufunc=ufunc: ufunc.reduceat(x, at), interpret=True)(x)
            agree(found, ufunc.reduceat(x, at), what)


def test_signs_of_zeros_are_those_of_sums() -> None:
    x, at = np.repeat([-0.0], N), POSITIONS["increasing"]
    ends = np.append(at[1:], N)
    for ufunc in (np.add, np.multiply, np.maximum):
        found = ad.jit(lambda x, ufunc=ufunc: ufunc.reduceat(x, at))(x)
        one = [ad.jit(lambda x, ufunc=ufunc: ufunc.reduce(x))(x[i:j]) for i, j in zip(at, ends, strict=True)]
        np.testing.assert_array_equal(np.signbit(found), np.signbit(one), ufunc.__name__)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.hypot, np.logaddexp, np.subtract])
def test_derivatives(ufunc: np.ufunc) -> None:
    """Derivatives of orders 1 and 2, between static and traced positions, forward and transposed."""
    x = np.random.default_rng(2).normal(size=N)
    direction = np.random.default_rng(3).normal(size=N)
    for name in ("any", "few"):
        at = POSITIONS[name]

        def loss(x: Any, at: Any = at, scale: Any = 1.0) -> Any:
            return np.sum(np.sin(ufunc.reduceat(x * scale, at)))

        ad.check_derivatives(lambda x, at=at: ufunc.reduceat(x, at), x, interpret=True)
        slope = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
        for options in ({}, {"method": "jacobian"}):
            assert abs(np.sum(ad.grad(loss, **options)(x) * direction) - slope) < 1e-5
        traced = ad.grad(lambda x, at: loss(x, at))(x, at)
        np.testing.assert_allclose(traced, ad.grad(loss)(x), rtol=1e-9, atol=1e-12)
        product = ad.hvp(loss, (x,), (direction,), interpret=True)
        gradient = ad.grad(loss, interpret=True)
        slopes = (gradient(x + 1e-6 * direction) - gradient(x - 1e-6 * direction)) / 2e-6
        np.testing.assert_allclose(product, slopes, rtol=1e-4, atol=1e-5)


def test_equal_elements_share_a_derivative() -> None:
    x, at = np.ones(N), POSITIONS["of one length"]
    gradient = ad.grad(lambda x: np.sum(np.maximum.reduceat(x, at)), interpret=True)(x)
    np.testing.assert_array_equal(gradient, np.full(N, 0.25))


def test_programs_do_not_grow_with_the_number_of_slices() -> None:
    sizes: list[int] = []
    for count in (FEW + 1, 200, 3000):
        lengths = 1 + np.arange(count) % 8
        starts, x = np.cumsum(lengths) - lengths, np.ones(int(lengths.sum()))
        gradient = ad.grad(lambda x, starts=starts: np.sum(np.add.reduceat(x, starts) ** 2))
        text = gradient.ir(x, after="lower-checkpoints")
        sizes.append(text.count(" = "))
    assert max(sizes) - min(sizes) <= 2


MISTAKES = {
    "outside": (lambda x: np.add.reduceat(x, [0, 40]), ad.PositionError, "position 40"),
    "negative": (lambda x: np.add.reduceat(x, [-1, 4]), ad.PositionError, "position -1"),
    "floats": (lambda x: np.add.reduceat(x, [0.5]), ad.MliradError, "integers"),
    "matrix": (lambda x: np.add.reduceat(x, [[0, 1]]), ad.ShapeError, "vector of positions"),
    "unary": (lambda x: np.sin.reduceat(x, [0, 1]), ValueError, "binary functions"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message):
        ad.jit(call)(np.ones(N))
