"""Divisors and exponents, bit for bit as NumPy's; fits, and covariances with weights."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

_rng = np.random.default_rng(0)
FLOATS = np.concatenate(
    [
        _rng.normal(size=20) * 10.0 ** _rng.integers(-300, 300, 20),
        2.0 ** np.arange(-1074, 1024, 37),
        -(2.0 ** np.arange(-1022, 1024, 41)),
        [
            0,
            -0.0,
            np.inf,
            -np.inf,
            np.nan,
            1 - 2**-53,
            1 + 2**-52,
            5e-324,
            np.finfo(float).max,
            np.finfo(float).tiny,
        ],
    ]
)
EXPONENTS = _rng.integers(-2100, 2100, FLOATS.size).astype(np.int32)
INTEGERS = _rng.integers(-50, 50, (2, 40))


@pytest.mark.parametrize(("dtype", "interpret"), [(np.float64, False), (np.float32, True)])
def test_as_numpy(dtype, interpret) -> None:
    low = np.iinfo(np.int64).min

    def function(x, y, n, k):
        return (
            *np.frexp(x), np.ldexp(x, n), np.spacing(x), np.nextafter(x, y), np.nextafter(x, dtype(np.inf)),
            np.nextafter(x, dtype(0)), np.gcd(*k), np.lcm(*k), np.lcm(k[0] * 0 + low, low),
            np.gcd.reduce(k[0, :5] * 6),
        )  # fmt: skip

    with np.errstate(all="ignore"):
        x = FLOATS.astype(dtype)
        arguments = (x, _rng.permutation(x), EXPONENTS, INTEGERS)
        expected = function(*arguments)
    found = ad.jit(function, interpret=interpret, flush_subnormals=False)(*arguments)
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(one, other, err_msg=str(number))
        assert one.dtype == other.dtype


def test_derivatives() -> None:
    found = ad.grad(lambda x: np.ldexp(x, 3) + np.frexp(x)[0] + np.nextafter(x, 9.0))(3.0)
    assert found == 8 + 0.25 + 1


def test_fits_and_covariances() -> None:
    x, y, w = np.arange(6.0), _rng.normal(size=6), _rng.uniform(1, 2, 6)
    rows, repeats = _rng.normal(size=(2, 6)), np.array([1, 2, 1, 3, 1, 1])

    def function(x, y, w, rows, repeats):
        return (
            np.polyfit(x, y, 2), np.polyfit(x, rows.T, 1, w=w), np.geomspace(w[0], 9.0, 5),
            np.geomspace(-w[:2], -3.0, 4, endpoint=False, axis=1), np.cov(rows, aweights=w),
            np.cov(rows, fweights=repeats, aweights=w, ddof=0), np.cov(rows, fweights=repeats),
            y[np.tril_indices_from(rows[:, :2])[0]], np.diag_indices_from(rows[:, :2])[1],
        )  # fmt: skip

    found = ad.jit(function, interpret=True)(x, y, w, rows, repeats)
    for one, other in zip(found, function(x, y, w, rows, repeats), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    with pytest.raises(ad.ShapeError, match="one for each"):
        ad.jit(lambda x: np.cov(x, aweights=x[0, :2]))(rows)
    with pytest.raises(ad.ShapeError, match="columns of a matrix"):
        ad.jit(lambda x, y: np.polyfit(x, y, 1))(x, y[:3])
