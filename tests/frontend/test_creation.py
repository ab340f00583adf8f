"""Arrays made of traced values: NumPy's own names in a trace, and those of `mlirad.numpy`."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import mlirad as ad

xp: Any = np
X = np.array([0.5, -1.0, 2.0])
Z = X * (1.0 + 2.0j)

NESTS: dict[str, Any] = {
    "array": lambda x: [np.array([x[0], 1.0]), np.array([x, [1, 2, 3]]), np.array([[x[0], 1], [2, x[1]]])],
    "array by name": lambda x: [np.array(object=[x[0], 1.0]), np.array([x], ndmin=3)],
    "dtypes": lambda x: [np.array([x[0], 1], dtype=np.float32), np.array([x[0] > 0, True])],
    "asarray": lambda x: [np.asarray([x, x]), np.asarray(a=[x[0], 1.0]), np.asanyarray((x[0], 2))],
    "full": lambda x: [
        np.full(2, x[0]),
        np.full((2, 3), x),
        np.full(shape=2, fill_value=x[0], dtype=np.float32),
    ],
    "complex entries": lambda x: [np.array([x[0], 1j]), np.array([[x[0], x[1]], [0, 2j]])],
    "complex dtype": lambda x: [np.array([x[0], 1], dtype=complex), np.full(2, x[0], dtype=complex)],
}


@pytest.mark.parametrize("name", NESTS)
def test_nests_of_traced_values_are_what_numpy_makes_of_values(name: str) -> None:
    for found, expected in zip(ad.jit(NESTS[name])(X), NESTS[name](X), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda z: [
            np.array([z, z]),
            np.array(z),
            np.asarray(z),
            np.full(3, z[0]),
            np.array([z[0].imag, z[1]]),
        ],
        lambda z: [ad.asarray(z), ad.stack([z, z.real]), ad.asarray(1j), ad.asarray(z, np.complex64)],
    ],
)
def test_complex_nests(function: Any) -> None:
    for found, expected in zip(ad.jit(function)(Z), function(Z), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_arrays_made_in_a_trace_are_written_to() -> None:
    def function(np: Any, z: Any) -> Any:
        y, w = np.zeros(3, complex), np.full((2, 3), 1.0)
        y[0], w[1] = z[1] * 2, z.imag
        kept, raised = np.array(y), np.array(w, ndmin=3)
        y[2], raised[0, 0] = 1j, 5.0
        return [y, w, kept, raised, np.ones(2, np.float32), np.eye(2)]

    for found, expected in zip(ad.jit(lambda z: function(ad.numpy, z))(Z), function(np, Z), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_copies_are_made_where_they_are_asked_for() -> None:
    def function(np: Any, x: Any) -> Any:
        own, shared, kept = np.asarray(x, copy=True), np.asarray(x), np.array(x, copy=False)
        shared[0] = 7.0
        return [x, own, shared, kept, np.asarray(x, np.float32, device="cpu")]

    for found, expected in zip(ad.jit(lambda x: function(xp, 1 * x))(X), function(xp, 1 * X), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_code_that_asks_arrays_for_their_namespace() -> None:
    def function(x: Any) -> Any:
        xp = x.__array_namespace__()
        y = xp.zeros(3, dtype=x.dtype, device=x.device)
        y[0] = xp.sum(x)
        return xp.concat([y, x.to_device("cpu")]) + xp.pi

    for x in (X, Z):
        np.testing.assert_array_equal(ad.jit(function)(x), function(x), strict=True)


@pytest.mark.parametrize("name", ["eye", "full", "identity", "ones"])
def test_signatures_are_numpys(name: str) -> None:
    assert inspect.signature(getattr(ad.numpy, name)) == inspect.signature(getattr(np, name))


def test_ranges() -> None:
    for given in ((7,), (7, None, 2), (2, 7), (7.5, None, 2.0), (7, 2, -2)):
        np.testing.assert_array_equal(ad.numpy.arange(*given), xp.arange(*given), strict=True)


def test_derivatives_of_nests() -> None:
    def loss(x: Any) -> Any:
        z = np.array([x[0] * x[1], x[2] * 1j, 1.0])
        return np.sum(np.abs(z) ** 2) + np.sum(np.array([[x[0], x[1]], [2.0, x[2]]]) ** 3)

    expected = 2 * np.array([X[0] * X[1] ** 2, X[1] * X[0] ** 2, X[2]]) + 3 * X**2
    np.testing.assert_allclose(ad.grad(loss)(X), expected)


@pytest.mark.parametrize(
    ("function", "error", "word"),
    [
        (lambda x: np.array([x[0], x]), ad.ShapeError, "np.broadcast_to"),
        (lambda x: np.array([x * 1j, x], dtype=np.float64), ad.DtypeError, "z.real"),
        (lambda x: np.array([x, "a"]), ad.DtypeError, "dtype <U1"),
        (lambda x: np.asarray(x, np.float32, copy=False), ad.ArgumentError, "copy=None"),
        (lambda x: np.array([x, x], copy=False), ad.ArgumentError, "copy=None"),
        (lambda x: np.asarray([x, np.asarray(x)], device="cpu", copy=False), ad.ArgumentError, "copy=None"),
        (lambda x: x.to_device("gpu"), ad.ArgumentError, "no device 'gpu'"),
        (lambda x: (1j * x).to_device("cpu", stream=1), ad.ArgumentError, "no streams"),
        (lambda x: x.__array_namespace__(api_version="1999"), ad.ArgumentError, "leave out api_version"),
        (lambda x: complex(x[0]), ad.TracingError, "x + 0j"),
    ],
)
def test_what_is_no_array(function: Any, error: type[ad.MliradError], word: str) -> None:
    with pytest.raises(error) as caught:
        ad.jit(function, control="plain")(X)
    assert word in str(caught.value)
    assert str(caught.value.location).startswith(__file__)
