"""Filters and convolutions of `scipy.ndimage` and `scipy.signal`, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage, signal

import mlirad as ad
from tests.frontend.scipy_checks import check

RNG = np.random.default_rng(3)
X = RNG.normal(size=(5, 6))
W = RNG.normal(size=(3, 4))
V = RNG.normal(size=4)
MODES = ["reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap"]

FILTERS = {
    **{
        f"{name} {mode} {origin}": lambda x, name=name, mode=mode, origin=origin: getattr(ndimage, name)(
            x, W, mode=mode, cval=0.5, origin=origin
        )
        for name in ("correlate", "convolve")
        for mode, origin in zip(MODES, [0, (0, -1), 0, (1, 1), (-1, -2), 0, 0, (1, 0)], strict=True)
    },
    "correlate1d": lambda x: ndimage.correlate1d(x, V, axis=0, origin=1),
    "convolve1d": lambda x: ndimage.convolve1d(x, V, mode="mirror", origin=-1),
    "convolve1d odd": lambda x: ndimage.convolve1d(x, V[:3], mode="nearest", axis=0),
    "longer than the array": lambda x: ndimage.correlate1d(x, np.arange(15.0), mode="reflect"),
    "uniform_filter1d": lambda x: ndimage.uniform_filter1d(x, 4, origin=-1, mode="wrap"),
    "uniform_filter": lambda x: ndimage.uniform_filter(x, (2, 3), mode=["reflect", "nearest"]),
    "gaussian_filter1d": lambda x: ndimage.gaussian_filter1d(x, 0.9, axis=0),
    "gaussian_filter": lambda x: ndimage.gaussian_filter(x, (0.7, 0.4), order=(1, 2)),
    "gaussian_filter third": lambda x: ndimage.gaussian_filter(x, 1.1, order=3, mode="mirror"),
    "gaussian_filter radius": lambda x: ndimage.gaussian_filter(x, 1.1, radius=2, truncate=9.0),
    "sobel": lambda x: ndimage.sobel(x, 0, mode=["wrap", "constant"], cval=0.3),
    "prewitt": lambda x: ndimage.prewitt(x, mode="nearest"),
    "laplace": lambda x: ndimage.laplace(x, mode=["mirror", "reflect"]),
    "gaussian_laplace": lambda x: ndimage.gaussian_laplace(x, (0.7, 1.1), mode="constant", cval=0.5),
    "gaussian_gradient_magnitude": lambda x: ndimage.gaussian_gradient_magnitude(x, 0.8, radius=2),
    "gaussian_filter none": lambda x: ndimage.gaussian_filter(x, (0.0, 0.8)),
    **{
        f"{name} {mode}": lambda x, name=name, mode=mode: getattr(signal, name)(x, W, mode)
        for name in ("convolve", "correlate", "fftconvolve", "oaconvolve")
        for mode in ("full", "same", "valid")
    },
    "convolve with a larger one": lambda x: signal.convolve(W, x, "same"),
    "correlate with a larger one": lambda x: signal.correlate(W, x, "valid"),
    "lfilter": lambda x: signal.lfilter([1.0, 0.5], [2.0, -0.3, 0.2], x, axis=0),
    "lfilter without feedback": lambda x: signal.lfilter([1.0, 0.5, -0.25], 2.0 * np.ones(1), x),
}


@pytest.mark.parametrize("name", FILTERS)
def test_values(name):
    np.testing.assert_allclose(
        ad.jit(FILTERS[name], interpret=True)(X), FILTERS[name](X), rtol=1e-11, atol=1e-12
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled(dtype):
    x = X.astype(dtype)
    names = ["correlate wrap 0", "gaussian_filter", "convolve same", "lfilter"]
    found = ad.jit(lambda x: [FILTERS[name](x) for name in names])(x)
    for name, got in zip(names, found, strict=True):
        want = FILTERS[name](x)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-4 if dtype is np.float32 else 1e-12, atol=1e-5)


KINDS = {
    "integers": (np.arange(5), np.array([1, -2, 3])),
    "integers and floats": (np.arange(5), np.array([0.5, 2.0])),
    "float32": (np.arange(5, dtype=np.float32), np.ones(2, np.float32)),
    "numbers": (np.array(4.0), np.array(3.0)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_convolutions_have_dtypes_and_shapes_of_scipy(kind, name):
    x, k = KINDS[kind]
    for mode in ("full", "same", "valid"):
        got = ad.jit(lambda x, k, mode=mode: getattr(signal, name)(x, k, mode), interpret=True)(x, k)
        want = np.asarray(getattr(signal, name)(x, k, mode))
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)


ENDS = {
    "fftconvolve of nothing": lambda x: signal.fftconvolve(x[:0], x),
    "correlate of a number": lambda x: ndimage.correlate(x[0, 0], np.array(2.0)),
    "gaussian_filter of a number": lambda x: ndimage.gaussian_filter(x[0, 0], 1.0),
    "lfilter by numbers": lambda x: signal.lfilter(3.0, 2.0, x),
    "lfilter of one element": lambda x: signal.lfilter([1.0, 0.5], [2.0, 0.5], x[:1, :1], axis=0),
}


@pytest.mark.parametrize("name", ENDS)
def test_small_operands(name):
    got, want = ad.jit(ENDS[name], interpret=True)(X), np.asarray(ENDS[name](X))
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: ndimage.convolve(x, w, mode="mirror"),
        lambda x, w: signal.correlate(x, w, "same"),
        lambda x, w: signal.lfilter(w[0], w[1] + 3.0, x),
        lambda x, w: ndimage.gaussian_filter(ndimage.correlate1d(x, w[0], mode="wrap"), 0.8),
    ],
)
def test_derivatives_in_arrays_and_weights(function):
    ad.check_derivatives(function, X, W, interpret=True)


def test_errors_say_what_to_write():
    def raises(match: str, function) -> str:
        with pytest.raises(ad.MliradError, match=match) as error:
            ad.jit(function)(X)
        return str(error.value.hint)

    assert "astype" in raises("would round its results", lambda x: ndimage.correlate1d(x > 0, V))
    raises("origin 4 is outside of 3 weights", lambda x: ndimage.convolve(x, W, origin=(-4, 0)))
    raises("weights of shape", lambda x: ndimage.correlate(x, V))
    raises("3 values of `size` for 2 axes", lambda x: ndimage.uniform_filter(x, (1, 2, 3)))
    raises("sigma is -1", lambda x: ndimage.gaussian_filter1d(x, -1.0))
    raises("as many dimensions", lambda x: signal.convolve(x, V, "full"))
    raises("mode='valid'", lambda x: signal.convolve(x[:2], W[:, :2], "valid"))
    raises("coefficients of shapes", lambda x: signal.lfilter(x, [1.0], x))
    raises("zi has shape", lambda x: signal.lfilter([1.0], [1.0, 0.5], x, zi=np.zeros((5, 2))))
    assert "astype" in raises("booleans", lambda x: signal.convolve(x > 0, W > 0))
    raises("mode", lambda x: ndimage.correlate(x, W, mode="spam"))


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
def test_planes_beyond_their_edges(name: str, mode: str, boundary: str) -> None:
    rng = np.random.default_rng(5)
    function = getattr(signal, name)
    for one, other in (
        ((5, 6), (3, 2)),
        ((4, 4), (4, 3)),
        ((2, 3), (5, 6)),
        ((3, 1), (2, 1)),
        ((1, 1), (3, 3)),
    ):
        check(
            lambda x, k: function(x, k, mode=mode, boundary=boundary, fillvalue=0.7),
            rng.normal(size=one),
            rng.normal(size=other),
        )
    counts = rng.integers(0, 9, (4, 5))
    got = ad.jit(lambda k: function(counts, k, mode, boundary), interpret=True)(counts[:2, :3])
    assert got.dtype == function(counts, counts[:2, :3], mode, boundary).dtype


def test_planes_that_do_not_fit_are_errors() -> None:
    with pytest.raises(ad.ShapeError, match="mode='valid'"):
        ad.jit(lambda x: signal.convolve2d(x, np.ones((4, 1)), "valid"))(np.ones((2, 3)))
    with pytest.raises(ad.ShapeError, match="matrices"):
        ad.jit(lambda x: signal.correlate2d(x, x[0]))(np.ones((2, 3)))
