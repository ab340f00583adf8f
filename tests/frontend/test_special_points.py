"""Derivatives at special points are those beside them, of all functions of NumPy and SciPy that are traced.

A formula that selects by equality (x == 0, x == y, a point of a table) has a branch of its own there, whose
derivative can be another one than that of the function. Along a line through such points, first and second
derivatives at the point, and 1e-9 beside it, are compared with those 1e-6 away on both sides: they are
between the two, and so equal to them where the function is smooth. `tests/sweep` compares ufuncs with mpmath.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial.distance
import scipy.special

import mlirad as ad
from mlirad.errors import DifferentiationError, MliradError
from mlirad.frontend.numpy_functions.protocols.functions import SCIPY_MODULES, scipy_functions
from tests.generators.numpy_calls import random_call

Floats = npt.NDArray[np.float64]
Function = Callable[[Any], Any]

STEP = 1e-6
STEPS = np.array([0.0, 1e-9, -1e-9, STEP, 2 * STEP, -STEP, -2 * STEP])

POINTS = [np.array(x) for x in ([0.0, 1, -1, 0.5], [0.0, 0, 0, 0], [1.0, 1, 1, 1], [2.0, -2, 0, 1])]
"""Points with elements that are 0, whole, equal, or opposite."""

DIRECTIONS = [np.array([1.0, 0.31, -0.72, 0.17]), np.array([-0.23, 0.91, 0.44, -0.65])]

SKEW = np.array([[0.3, -0.2, 0.1, 0.4], [0.2, 0.3, -0.1, 0.1], [-0.3, 0.1, 0.2, 0.2], [0.1, 0.2, -0.4, 0.3]])
FIRST = np.array([1.0, -2.0, 0.5, 3.0])


def matrix(x: Any) -> Any:
    """A matrix whose eigenvalues and singular values are apart, with zeros at special points."""
    return np.diag(np.array([3.0, 5.0, 8.0, 12.0])) + x[:, None] * SKEW


def symmetric(x: Any) -> Any:
    return np.diag(np.array([3.0, 5.0, 8.0, 12.0])) + x[:, None] * SKEW + (x[:, None] * SKEW).T


def positive(x: Any) -> Any:
    """A positive definite matrix."""
    return matrix(x).T @ matrix(x) + np.eye(4)


def parts(value: Any) -> Any:
    """Complex numbers as their parts."""
    return np.stack([np.real(value), np.imag(value)])


def transformed(name: str) -> Function:
    """A transform of squares."""
    function = getattr(scipy.fft, name)
    return lambda x: parts(function((x * x).reshape(2, 2)))


la, sp, nd, sg = scipy.linalg, scipy.special, scipy.ndimage, scipy.signal
ip, ig, ds = scipy.interpolate, scipy.integrate, scipy.spatial.distance

LINALG: dict[str, Function] = {
    "sqrtm": lambda x: la.sqrtm(positive(x)),
    "logm": lambda x: la.logm(positive(x)),
    "signm": lambda x: la.signm(positive(x)),
    "fractional_matrix_power": lambda x: la.fractional_matrix_power(positive(x), 0.3),
    "solve": lambda x: la.solve(matrix(x), x),
    "inv": lambda x: la.inv(matrix(x)),
    "det": lambda x: la.det(x[:, None] * SKEW),
    "lu_factor": lambda x: la.lu_factor(matrix(x))[0],
    "lu_solve": lambda x: la.lu_solve(la.lu_factor(matrix(x)), x),
    "solve_triangular": lambda x: la.solve_triangular(matrix(x), x),
    "cholesky": lambda x: la.cholesky(symmetric(x)),
    "cho_factor": lambda x: np.triu(la.cho_factor(symmetric(x))[0]),
    "cho_solve": lambda x: la.cho_solve(la.cho_factor(symmetric(x)), x),
    "eigh": lambda x: la.eigh(symmetric(x))[1] ** 2,
    "eigvalsh": lambda x: la.eigvalsh(symmetric(x)),
    "eig": lambda x: np.real(la.eig(matrix(x))[0]),
    "eigvals": lambda x: np.real(la.eigvals(matrix(x))),
    "schur": lambda x: np.sort(np.diagonal(la.schur(matrix(x))[0])),
    "qr": lambda x: np.abs(la.qr(matrix(x))[1]),
    "polar": lambda x: np.concatenate(la.polar(matrix(x))),
    "svd": lambda x: la.svd(matrix(x))[0] ** 2,
    "svdvals": lambda x: la.svdvals(matrix(x)),
    "pinv": lambda x: la.pinv(matrix(x)),
    "lstsq": lambda x: la.lstsq(matrix(x), x)[0],
    "norm": lambda x: np.stack(
        [la.norm(x), la.norm(x, 3), la.norm(x, 1), la.norm(matrix(x)), la.norm(x) ** 2]
    ),
    "expm": lambda x: la.expm(x[:, None] * SKEW),
    "block_diag": lambda x: la.block_diag(matrix(x), x),
    "toeplitz": lambda x: la.toeplitz(x) @ x,
    "solve_banded": lambda x: la.solve_banded((1, 0), np.stack([x + 4, x]), x),
    "solveh_banded": lambda x: la.solveh_banded(np.stack([x * 0.5, x + 9]), x),
    "solve_toeplitz": lambda x: la.solve_toeplitz(x + np.array([9.0, 0, 0, 0]), x),
    "solve_circulant": lambda x: la.solve_circulant(x + np.array([9.0, 0, 0, 0]), x),
    "solve_sylvester": lambda x: la.solve_sylvester(matrix(x), np.eye(4), x[:, None] * SKEW),
    "solve_continuous_lyapunov": lambda x: la.solve_continuous_lyapunov(matrix(x), x[:, None] * SKEW),
    "solve_lyapunov": lambda x: la.solve_lyapunov(matrix(x), x[:, None] * SKEW),
    "solve_discrete_lyapunov": lambda x: la.solve_discrete_lyapunov(x[:, None] * SKEW / 9, np.eye(4)),
}

SPECIAL: dict[str, Function] = {
    "logsumexp": lambda x: np.stack(
        [sp.logsumexp(x), sp.logsumexp(FIRST, b=x + 3), sp.logsumexp(x, b=x * x + 1)]
    ),
    "softmax": lambda x: sp.softmax(x),
    "log_softmax": lambda x: sp.log_softmax(x),
    "polygamma": lambda x: sp.polygamma(1, x + 3),
    "multigammaln": lambda x: sp.multigammaln(x + 4, 2),
    "zeta": lambda x: sp.zeta(3.0, x + 4),
    "comb": lambda x: sp.comb(x + 3, 2),
    "perm": lambda x: sp.perm(x + 4, 2),
    "factorial": lambda x: sp.factorial(x + 3),
    "lambertw": lambda x: np.real(sp.lambertw(x + 3)),
    "spherical_jn": lambda x: np.stack([sp.spherical_jn(n, x) for n in (0, 1, 2)]),
    "spherical_yn": lambda x: sp.spherical_yn(1, x + 3),
    "spherical_in": lambda x: np.stack([sp.spherical_in(n, x) for n in (0, 1, 2)]),
    "spherical_kn": lambda x: sp.spherical_kn(1, x + 3),
    "legendre_p": lambda x: sp.legendre_p(4, x),
    "legendre_p_all": lambda x: sp.legendre_p_all(3, x),
    "assoc_legendre_p": lambda x: sp.assoc_legendre_p(4, 2, np.sin(x) / 2),
    "assoc_legendre_p_all": lambda x: sp.assoc_legendre_p_all(3, 2, np.sin(x) / 2),
    "sph_legendre_p": lambda x: sp.sph_legendre_p(4, 2, x),
    "sph_legendre_p_all": lambda x: sp.sph_legendre_p_all(2, 2, np.cos(x) + 1.5),
    "sph_harm_y": lambda x: np.real(sp.sph_harm_y(3, 2, x, x)),
    "sph_harm_y_all": lambda x: np.imag(sp.sph_harm_y_all(2, 1, np.cos(x) + 1.5, x)),
    "diric": lambda x: sp.diric(x, 5),
}

FILTERS: dict[str, Function] = {
    f"ndimage.{name}": function
    for name, function in {
        "correlate": lambda x: nd.correlate(x, x[:3]),
        "convolve": lambda x: nd.convolve(x, x[:3]),
        "correlate1d": lambda x: nd.correlate1d(x, x[:3]),
        "convolve1d": lambda x: nd.convolve1d(x, x[:3]),
        "uniform_filter1d": lambda x: nd.uniform_filter1d(x, 3) ** 2,
        "uniform_filter": lambda x: nd.uniform_filter(x, 3) ** 2,
        "gaussian_filter1d": lambda x: nd.gaussian_filter1d(x, 0.8) ** 2,
        "gaussian_filter": lambda x: nd.gaussian_filter(x, 0.8) ** 2,
        "gaussian_laplace": lambda x: nd.gaussian_laplace(x, 0.8) ** 2,
        "gaussian_gradient_magnitude": lambda x: nd.gaussian_gradient_magnitude(x, 0.8) ** 2,
        "sobel": lambda x: nd.sobel(x) ** 2,
        "prewitt": lambda x: nd.prewitt(x) ** 2,
        "laplace": lambda x: nd.laplace(x) ** 2,
        "map_coordinates": lambda x: nd.map_coordinates(x, 1.5 + np.sin(x)[np.newaxis, :3]),
        "shift": lambda x: nd.shift(x, 0.3) ** 2,
        "zoom": lambda x: nd.zoom(x, 1.5) ** 2,
        "affine_transform": lambda x: nd.affine_transform(x, np.array([0.8]), 0.3) ** 2,
        "rotate": lambda x: nd.rotate(x.reshape(2, 2), 20.0, order=2, mode="mirror") ** 2,
        "spline_filter1d": lambda x: nd.spline_filter1d(x) ** 2,
        "spline_filter": lambda x: nd.spline_filter(x) ** 2,
    }.items()
} | {
    f"signal.{name}": function
    for name, function in {
        "convolve": lambda x: sg.convolve(x, x[:2]),
        "fftconvolve": lambda x: sg.fftconvolve(x, x[:2]),
        "oaconvolve": lambda x: sg.oaconvolve(x, x[:2]),
        "correlate": lambda x: sg.correlate(x, x[:2]),
        "convolve2d": lambda x: sg.convolve2d(x.reshape(2, 2), x[np.newaxis, :2]).reshape(-1),
        "correlate2d": lambda x: sg.correlate2d(x.reshape(2, 2), x[np.newaxis, :2]).reshape(-1),
        "lfilter": lambda x: sg.lfilter(x[:2], np.stack([x[2] + 4, x[3]]), x),
        "sosfilt": lambda x: sg.sosfilt(np.array([[1.0, 0.5, 0.2, 1.0, 0.3, 0.1]]) * (1 + x[0] ** 2), x),
        "filtfilt": lambda x: sg.filtfilt([1.0, 0.5], [1.0, 0.3], x, padlen=1) ** 2,
        "hilbert": lambda x: parts(sg.hilbert(x)) ** 2,
        "detrend": lambda x: sg.detrend(x) ** 2,
        "savgol_filter": lambda x: sg.savgol_filter(x, 3, 1) ** 2,
        "welch": lambda x: sg.welch(x, nperseg=2)[1],
        "periodogram": lambda x: sg.periodogram(x)[1],
        "csd": lambda x: parts(sg.csd(x, x * x, nperseg=2)[1]),
        "coherence": lambda x: sg.coherence(x + np.array([9.0, 1, 5, 0]), FIRST + x[0], nperseg=2)[1],
    }.items()
}

INTEGRATION: dict[str, Function] = {
    "trapezoid": lambda x: ig.trapezoid(x, x * x),
    "simpson": lambda x: ig.simpson(x, x=FIRST.cumsum() + np.array([0.0, 9, 9, 9])),
    "quad": lambda x: ig.quad(lambda t: np.sum(np.cos(x * t)), 0.0, x[0])[0],
    "odeint": lambda x: ig.odeint(lambda y, t: x * x * np.cos(t), x, [0.0, 0.5, 1.0]),
    "solve_ivp": lambda x: (
        ig.solve_ivp(lambda t, y: x * x * np.cos(t), (0.0, 1.0), x, t_eval=[0.0, 0.5, 1.0]).y
    ),
    "cumulative_trapezoid": lambda x: ig.cumulative_trapezoid(x, x * x),
}

KNOTS = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
HEIGHTS = np.array([1.0, 3.0, 2.0, 2.0, 5.0, 4.0, 0.0])

INTERPOLATION: dict[str, Function] = {
    "make_interp_spline": lambda x: ip.make_interp_spline(KNOTS, HEIGHTS)(x / 2),
    "make_lsq_spline": lambda x: ip.make_lsq_spline(KNOTS, HEIGHTS, np.array([-2.0] * 4 + [0.5] + [3.0] * 4))(
        x / 2
    ),
    "splev": lambda x: ip.splev(x / 2, ip.splrep(KNOTS, HEIGHTS)),
    "interpn": lambda x: ip.interpn((KNOTS,), HEIGHTS, x[:, None] / 3 + 0.1),
}

TRUTHS = ("hamming", "jaccard", "dice", "rogerstanimoto", "russellrao", "sokalsneath", "yule")

DISTANCES: dict[str, Function] = {
    "cdist": lambda x: ds.cdist(x.reshape(2, 2), FIRST.reshape(2, 2)),
    "pdist": lambda x: ds.pdist(np.stack([x, FIRST, x * 2 + 1])),
    "euclidean": lambda x: ds.euclidean(x, FIRST * 0) ** 2,
    "sqeuclidean": lambda x: ds.sqeuclidean(x, x * x),
    "cityblock": lambda x: ds.cityblock(x, FIRST),
    "chebyshev": lambda x: ds.chebyshev(x, FIRST),
    "cosine": lambda x: ds.cosine(x + FIRST, FIRST),
    "correlation": lambda x: ds.correlation(x + FIRST, FIRST),
    "canberra": lambda x: ds.canberra(x + 4, FIRST),
    "braycurtis": lambda x: ds.braycurtis(x, FIRST + 5),
    "minkowski": lambda x: np.stack([ds.minkowski(x, FIRST, 3), ds.minkowski(x, FIRST * 0, 2) ** 2]),
    "mahalanobis": lambda x: ds.mahalanobis(x, FIRST, symmetric(x * 0)),
    "squareform": lambda x: ds.squareform(x[:3] * x[1:]),
    "seuclidean": lambda x: ds.seuclidean(x, FIRST, 1 + x * x),
    "jensenshannon": lambda x: ds.jensenshannon(x * x + 1, np.arange(1.0, 5.0)) ** 2,
    **{name: lambda x, name=name: getattr(ds, name)(x > 0, FIRST > 0) for name in TRUTHS},
}

OPTIMIZATION: dict[str, Function] = {
    "rosen": lambda x: scipy.optimize.rosen(x),
    "rosen_der": lambda x: scipy.optimize.rosen_der(x),
    "rosen_hess": lambda x: scipy.optimize.rosen_hess(x) @ x,
    "rosen_hess_prod": lambda x: scipy.optimize.rosen_hess_prod(x, x * x),
    **{
        name: lambda x, name=name: getattr(scipy.optimize, name)(lambda t: t**3 + t - np.sum(x), -9, 9)
        for name in ("brentq", "brenth", "ridder", "bisect", "toms748")
    },
    "newton": lambda x: scipy.optimize.newton(lambda t: t**3 + t - x, x * 0.0),
    "fsolve": lambda x: scipy.optimize.fsolve(lambda t: t**3 + t - x, np.zeros(4)),
    "root_scalar": lambda x: scipy.optimize.root_scalar(lambda t: t + t**3 - x[0], bracket=(-9, 9)).root,
}

SAMPLES: dict[str, Function] = {
    **{f"scipy.linalg.{name}": f for name, f in LINALG.items()},
    **{f"scipy.special.{name}": f for name, f in SPECIAL.items()},
    **{f"scipy.{name}": f for name, f in FILTERS.items()},
    **{f"scipy.integrate.{name}": f for name, f in INTEGRATION.items()},
    **{f"scipy.optimize.{name}": f for name, f in OPTIMIZATION.items()},
    **{f"scipy.interpolate.{name}": f for name, f in INTERPOLATION.items()},
    **{f"scipy.spatial.distance.{name}": f for name, f in DISTANCES.items()},
    **{f"scipy.fft.{name}": transformed(name) for name in scipy_functions("scipy.fft")},
}
"""Functions of a vector of four elements, by the name of the function of SciPy that they call."""


def of_complex(name: str, scale: complex, offset: complex) -> Function:
    """A ufunc of scaled and shifted numbers."""
    function = getattr(np, name)
    return lambda z: function(scale * z + offset)


UFUNCS = {
    (1, 0): ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "square", "expm1"),
    (1, 3): ("sqrt", "log", "log2", "log10", "log1p", "reciprocal"),
    (0.1, 0.3): ("arcsin", "arccos", "arctan", "arcsinh"),
    (0.1, 0.3 + 0.2j): ("arccosh", "arctanh"),
}
"""The names of functions by the factor and the summand that bring arguments into the domain."""

COMPLEX: dict[str, Function] = {
    **{name: of_complex(name, *moved) for moved, names in UFUNCS.items() for name in names},
    "abs^2": lambda z: np.abs(z) ** 2,
    "abs": lambda z: np.abs(z + 3),
    "angle": lambda z: np.angle(z + 3),
    "whole powers": lambda z: np.stack([z**2, z**3, z**0, (z + 3) ** -1]),
    "powers": lambda z: np.stack([(z + 3) ** 0.5, z**2.0, (z + 3) ** (0.5 + 1j), (z + 3) ** z]),
    "prod": lambda z: np.prod(z),
    "norm": lambda z: np.linalg.norm(z) ** 2,
    "vdot": lambda z: np.vdot(z, z + 1),
    "division": lambda z: z / (z + 3),
}
"""Functions of complex numbers, on and beside the axes."""


def derivatives(function: Function, lines: list[tuple[Any, Any]]) -> tuple[Floats, ...]:
    """Value, first and second derivative of all elements along lines, and those of a sum of them in reverse.

    Each is an array by line, step and element.
    """

    def along(x: Any, d: Any, t: Any) -> tuple[Any, ...]:
        def elements(t: Any) -> Any:
            return np.ravel(function(x + t * d))

        def slope(t: Any) -> Any:
            return ad.jvp(elements, (t,), (1.0,))[1]

        def total(t: Any) -> Any:
            found = elements(t)
            return np.sum(found * np.cos(1.0 + 1.7 * np.arange(found.size)))

        return elements(t), slope(t), ad.jvp(slope, (t,), (1.0,))[1], ad.jvp(ad.grad(total), (t,), (1.0,))

    repeated = [np.repeat([line[k] for line in lines], STEPS.size, axis=0) for k in (0, 1)]
    value, first, second, reverse = ad.jit(ad.vmap(along), interpret=True)(
        *repeated, np.tile(STEPS, len(lines))
    )
    shape = (len(lines), STEPS.size, -1)
    return tuple(v.reshape(shape) for v in (value, first, second, *reverse))


def wrong(values: Floats, derived: Floats) -> list[tuple[Any, ...]]:
    """The cases of a derivative outside of those on both sides: line, step, element, and the three."""
    at, right, left = derived[:, :3], derived[:, 3:5], derived[:, 5:7]
    limits = [2 * side[:, :1] - side[:, 1:] for side in (right, left)]
    low, high = np.minimum(*limits), np.maximum(*limits)
    margin = 1e-4 * (1 + np.abs(low) + np.abs(high))
    steady = [np.abs(side[:, :1] - side[:, 1:]) < 1e-2 * (1 + np.abs(side[:, :1])) for side in (right, left)]
    jumps = np.abs(values[:, :1] - values[:, 3:4]) + np.abs(values[:, :1] - values[:, 5:6])
    counts = steady[0] & steady[1] & (jumps < 1e-3 * (1 + np.abs(values[:, :1])))
    is_wrong = counts & ~((at >= low - margin) & (at <= high + margin))
    return [
        (int(i), int(j), int(k), at[i, j, k], low[i, 0, k], high[i, 0, k])
        for i, j, k in zip(*np.nonzero(is_wrong), strict=True)
    ]


def require_continuous(function: Function, lines: list[tuple[Any, Any]]) -> None:
    """First and second derivatives, forward and in reverse, are those beside special points."""
    with np.errstate(all="ignore"):
        value, first, second, slope, bend = derivatives(function, lines)
        weights = np.cos(1.0 + 1.7 * np.arange(value.shape[-1]))
        for derived, total in ((first, slope), (second, bend)):
            assert not wrong(value, derived)
            sums = np.sum(derived * weights, axis=-1)
            finite = np.isfinite(sums)
            np.testing.assert_allclose(total[..., 0][finite], sums[finite], rtol=1e-8, atol=1e-8)


LINES = [(x, d) for x in POINTS for d in DIRECTIONS]


def test_every_function_of_scipy_is_here() -> None:
    importlib.import_module("mlirad.frontend.interface")  # which binds functions of the packages above
    assert set(SAMPLES) == {
        f"{module}.{name}" for module in SCIPY_MODULES for name in scipy_functions(module)
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_functions_of_scipy(name: str) -> None:
    require_continuous(SAMPLES[name], LINES)


@pytest.mark.parametrize("name", COMPLEX)
def test_functions_of_complex_numbers(name: str) -> None:
    function = COMPLEX[name]
    for unit in (1.0 + 0j, 1j, 1.0 + 1j):
        require_continuous(lambda x, unit=unit: parts(function(x * unit)), LINES)


CORNERS = ("huber",)
"""Functions without a second derivative at some special points, whose limits do not bound what is given."""

SPECIAL_ELEMENTS = (0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.5)


@pytest.mark.parametrize("seed", range(400))
def test_random_calls(seed: int) -> None:
    """Calls of NumPy's functions with options, of arrays whose elements are 0, whole, and equal."""
    call = random_call(seed)
    if call.name.partition(".")[0] in CORNERS:
        return
    numbers = np.random.default_rng(seed)
    places = [
        k for k, v in enumerate(call.leaves) if isinstance(v, np.ndarray) and v.dtype == np.float64 and v.size
    ]
    start = [numbers.choice(SPECIAL_ELEMENTS, size=call.leaves[k].size) for k in places]
    x = np.concatenate([*start, np.zeros(0)])
    ends = np.cumsum([v.size for v in start])

    def function(x: Any) -> Any:
        leaves = list(call.leaves)
        for k, end, own in zip(places, ends, start, strict=True):
            leaves[k] = np.reshape(x[int(end) - own.size : int(end)], call.leaves[k].shape)
        found = call.apply(leaves)
        found = found if isinstance(found, list | tuple) else [found]
        floats = [np.ravel(v) for v in found if hasattr(v, "dtype") and v.dtype == np.float64]
        return np.concatenate([*floats, np.sum(x)[None]])

    try:
        ad.jit(function, interpret=True)(x)
    except (MliradError, TypeError, ValueError, IndexError, ZeroDivisionError):
        return  # a call that is an error
    try:
        require_continuous(function, [(x, numbers.normal(size=x.size))])
    except DifferentiationError as error:
        assert "has no derivative" in error.message
