"""Legendre functions and spherical harmonics of `scipy.special`, which are objects there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.errors import ArgumentError, TracingError

multiufuncs = pytest.importorskip("scipy.special._multiufuncs")

Z = np.array([-0.95, -0.4, 0.0, 0.3, 0.7])
THETA = np.array([0.1, 0.8, 1.6, 2.5, 3.0])
PHI = np.array([-2.0, 0.0, 0.4, 1.0, 3.0])
N, M = np.array([1, 2, 3, 4, 5]), np.array([[-1], [1], [0], [3]])

CALLS: dict[str, list[tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "legendre_p": [
        (lambda z, **k: special.legendre_p(4, z, **k), (Z,)),
        (lambda z, **k: special.legendre_p(N, z, **k), (Z,)),
        (lambda z, **k: special.legendre_p(3, z, **k), (0.3,)),
        (lambda z, **k: special.legendre_p(0, z, **k), (np.zeros((2, 0)),)),
    ],
    "legendre_p_all": [
        (lambda z, **k: special.legendre_p_all(5, z, **k), (Z,)),
        (lambda z, **k: special.legendre_p_all(0, z, **k), (0.3,)),
    ],
    "assoc_legendre_p": [
        *((lambda z, m=m, **k: special.assoc_legendre_p(5, m, z, **k), (Z,)) for m in range(-6, 7)),
        *((lambda z, m=m, **k: special.assoc_legendre_p(4, m, z, norm=True, **k), (Z,)) for m in (-3, 0, 2)),
        *(
            (lambda z, m=m, **k: special.assoc_legendre_p(5, m, z, branch_cut=3, **k), (2 + Z,))
            for m in (-2, 0, 1, 3)
        ),
        (lambda z, **k: special.assoc_legendre_p(N, M, z, **k), (Z,)),
        (lambda z, **k: special.assoc_legendre_p(2, 1, z, **k), (np.array([np.nan, 1.5]),)),
    ],
    "assoc_legendre_p_all": [
        (lambda z, **k: special.assoc_legendre_p_all(4, 3, z, **k), (Z,)),
        (lambda z, **k: special.assoc_legendre_p_all(2, 4, z, norm=True, **k), (0.2,)),
    ],
    "sph_legendre_p": [
        *((lambda t, m=m, **k: special.sph_legendre_p(5, m, t, **k), (THETA,)) for m in range(-6, 7)),
        (lambda t, **k: special.sph_legendre_p(N, M, t, **k), (-THETA,)),
    ],
    "sph_legendre_p_all": [(lambda t, **k: special.sph_legendre_p_all(4, 2, t, **k), (THETA,))],
    "sph_harm_y": [
        *((lambda t, p, m=m, **k: special.sph_harm_y(4, m, t, p, **k), (THETA, PHI)) for m in range(-4, 5)),
        (lambda t, p, **k: special.sph_harm_y(N, M, t, p, **k), (THETA, PHI)),
        (lambda t, p, **k: special.sph_harm_y(3, 2, t, p, **k), (THETA[:, None], PHI)),
    ],
    "sph_harm_y_all": [
        (lambda t, p, **k: special.sph_harm_y_all(3, 2, t, p, **k), (THETA, PHI)),
        (lambda t, p, **k: special.sph_harm_y_all(1, 1, t, p, **k), (0.3, 0.2)),
    ],
}


def test_all_of_them_are_traced() -> None:
    assert set(CALLS) == set(multiufuncs.__all__)


@pytest.mark.parametrize("order", range(3))
@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives_are_those_of_scipy(name: str, order: int) -> None:
    for function, args in CALLS[name]:
        found = ad.jit(lambda *args, f=function: f(*args, diff_n=order))(*args)
        expected = function(*args, diff_n=order)
        parts = zip(*(v if isinstance(v, tuple) else (v,) for v in (found, expected)), strict=True)
        for mine, theirs in parts:
            assert np.shape(mine) == np.shape(theirs)
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", ["legendre_p", "assoc_legendre_p", "sph_legendre_p"])
def test_gradients_are_the_next_order(name: str) -> None:
    for function, (at,) in CALLS[name]:
        if not np.size(at) or np.isnan(at).any():
            continue
        first = ad.jvp(lambda x, f=function: f(x), (at,), (np.ones_like(at),))[1]
        second = ad.jvp(lambda x, f=function: f(x, diff_n=1)[1], (at,), (np.ones_like(at),))[1]
        expected = function(at, diff_n=2)
        np.testing.assert_allclose(first[0], expected[1], rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(second, expected[2], rtol=1e-10, atol=1e-10)


def test_hessians_of_harmonics() -> None:
    def part(v: Any) -> Any:
        return special.sph_harm_y(5, -3, v[0], v[1]).imag

    expected = special.sph_harm_y(5, -3, 0.7, 0.3, diff_n=2)[2].imag
    np.testing.assert_allclose(ad.hessian(part)(np.array([0.7, 0.3])), expected, rtol=1e-12)


@pytest.mark.parametrize("m", range(5))
@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_ends_of_the_line(m: int, end: float) -> None:
    """Against the limit from inside; of a second derivative by z at -1, SciPy's has another sign.

    A second derivative whose terms are infinite, of both signs, is NaN.
    """

    def function(z: Any) -> Any:
        return special.assoc_legendre_p(4, m, z)[0]

    def exact(z: Any) -> Any:
        return (-1) ** m * mpmath.sqrt(1 - z * z) ** m * mpmath.diff(lambda x: mpmath.legendre(4, x), z, m)

    with mpmath.workdps(60):
        for order, derivative in enumerate((function, ad.grad(function), ad.grad(ad.grad(function)))):
            near = float(
                mpmath.diff(exact, end * (1 - mpmath.mpf(10) ** -24), order, h=mpmath.mpf(10) ** -30)
            )
            found = derivative(end)
            if abs(near) < 1e8:
                assert found == pytest.approx(near, abs=1e-8)
            else:
                assert found == np.copysign(np.inf, near) or (order == 2 and np.isnan(found))


@pytest.mark.parametrize("m", range(-3, 4))
@pytest.mark.parametrize("theta", [0.0, 1e-9, np.pi])
def test_poles_of_the_sphere(m: int, theta: float) -> None:
    def function(t: Any) -> Any:
        return special.sph_legendre_p(4, m, t)[0]

    expected = special.sph_legendre_p(4, m, theta, diff_n=2)
    for value, derivative in zip(
        expected, (function, ad.grad(function), ad.grad(ad.grad(function))), strict=True
    ):
        assert derivative(theta) == pytest.approx(value, abs=1e-7)


def test_single_precision_stays() -> None:
    assert ad.jit(lambda z: special.legendre_p(3, z))(np.float32(0.3)).dtype == np.float32


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_dirichlet_kernels(n: int) -> None:
    at = np.array([0.0, 1e-9, -1e-5, 0.3, 2 * np.pi, -4 * np.pi, np.pi, 7.0, 100.0])
    np.testing.assert_allclose(
        ad.jit(lambda x: special.diric(x, n))(at), special.diric(at, n), rtol=1e-12, atol=1e-14
    )

    def exact(x: Any) -> Any:
        terms = [mpmath.mpf(k) - mpmath.mpf(n - 1) / 2 for k in range(n)]
        return sum(mpmath.cos(t * x) for t in terms) / n

    slope, second = ad.grad(lambda x: special.diric(x, n)), ad.grad(ad.grad(lambda x: special.diric(x, n)))
    for x in at:
        with mpmath.workdps(40):
            expected = [float(mpmath.diff(exact, mpmath.mpf(float(x)), k)) for k in (1, 2)]
        assert [slope(x), second(x)] == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert np.isnan(ad.jit(lambda x: special.diric(x, -1))(0.5))


REFUSED: list[tuple[type[Exception], str, Callable[[Any], Any]]] = [
    (TracingError, "`n` must be static", lambda z: special.legendre_p(z, z)),
    (ArgumentError, "the degree is -1", lambda z: special.legendre_p(-1, z)),
    (ArgumentError, "degrees are integers", lambda z: special.legendre_p(1.5, z)),
    (ArgumentError, "orders are integers", lambda z: special.sph_legendre_p(2, 0.5, z)),
    (ArgumentError, "must be 2 or 3", lambda z: special.assoc_legendre_p(2, 1, z, branch_cut=4)),
    (ArgumentError, "diff_n is 3", lambda z: special.sph_harm_y(2, 1, z, 0.2, diff_n=3)),
    (ArgumentError, "'phi'", lambda z: special.sph_harm_y(2, 1, z)),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda c: c[1])
def test_what_cannot_be_traced_is_said(case: tuple[type[Exception], str, Callable[[Any], Any]]) -> None:
    error, text, function = case
    with pytest.raises(error) as caught:
        ad.jit(function)(0.3)
    assert text in f"{caught.value}"
    assert __file__ in f"{caught.value}"
