"""`numpy.fft` and `scipy.fft`: values and dtypes of all options, and transposes by the real inner product."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft

import mlirad as ad
from mlirad.errors import MliradError
from tests.frontend.test_complex import agree

RNG = np.random.default_rng(3)
X = RNG.normal(size=(3, 7, 4))
Z = X + 1j * RNG.normal(size=X.shape)
NORMS = [None, "ortho", "forward"]


def one_dimension(f: Any, x: Any) -> list[Any]:
    return [f(x, n, axis, norm) for n, axis in ((None, -1), (5, 1), (9, 1), (1, 0)) for norm in NORMS]


def several(f: Any, x: Any) -> list[Any]:
    return [f(x), f(x, (5, 6), (1, 2), "ortho"), f(x, axes=(2, 0), norm="forward")]


def numpys(x: Any, z: Any) -> list[Any]:
    fft = np.fft
    return [
        *(one_dimension(f, z) for f in (fft.fft, fft.ifft, fft.irfft, fft.hfft)),
        *(one_dimension(f, x) for f in (fft.fft, fft.rfft, fft.ihfft)),
        *(several(f, z) for f in (fft.fftn, fft.ifftn, fft.irfftn, fft.fft2, fft.ifft2, fft.irfft2)),
        *(several(f, x) for f in (fft.fftn, fft.rfftn, fft.rfft2)),
        [fft.fftshift(z), fft.ifftshift(x, 1), fft.fftshift(z, (0, 2)), fft.fftfreq(5) * x[0, :5, 0]],
        [fft.fftshift(x > 0), fft.ifftshift(x.astype(np.int32)), fft.fftshift(z.astype(np.complex64))],
        [fft.fft(x, 1), fft.ifft(x, 2), fft.fftn(x, (2, 5), (1, 1)), fft.ifftn(x, (5, 4), (0, -1), "ortho")],
        [fft.rfftn(x, axes=(1, 1)), fft.irfftn(z, (-1, -1), (0, 1)), fft.irfftn(z, axes=(1, 1))],
        [fft.fft(x[:0]), fft.rfft(x[:, :, :1]), fft.irfft(fft.rfft(x, axis=1), 7, axis=1)],
    ]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_transforms_are_numpys(dtype: str) -> None:
    x = X.astype(dtype)
    z = Z.astype(np.result_type(x, np.complex64))
    agree(ad.jit(numpys)(x, z), numpys(x, z), dtype, 1e-12 if dtype == "float64" else 1e-4)


def trigonometric(x: Any) -> list[Any]:
    return [
        f(x, type_, n, axis, norm)
        for f in (scipy.fft.dct, scipy.fft.idct, scipy.fft.dst, scipy.fft.idst)
        for type_ in (1, 2, 3, 4)
        for n, axis, norm in ((None, -1, None), (None, 1, "ortho"), (9, 1, "forward"))
    ]


def scipys(x: Any, z: Any) -> list[Any]:
    fft = scipy.fft
    return [
        trigonometric(x),
        [fft.fft(z), fft.ifft2(z, norm="ortho"), fft.rfftn(x), fft.irfft(z, 6), fft.fftshift(z)],
        [fft.dct(x, norm="ortho", orthogonalize=False), fft.idct(fft.dct(x), workers=1)],
    ]


def test_transforms_are_scipys() -> None:
    agree(ad.jit(scipys)(X, Z), scipys(X, Z), "scipy.fft", 1e-11)


LINEAR: dict[str, Callable[..., Any]] = {
    "fft": lambda z: np.fft.fft(z, 5, 1),
    "irfft": lambda z: np.fft.irfft(z, 8, axis=1),
    "rfft": lambda z: np.fft.rfft(z.real, axis=1),
    "fftn": lambda z: np.fft.fftn(z, norm="ortho"),
    "hfft": lambda z: np.fft.hfft(z),
    "dct": lambda z: scipy.fft.dct(z.real, 3) + scipy.fft.dst(z.imag, 2),
}


def parts(x: Any) -> Any:
    return np.concatenate([np.real(x).ravel(), np.imag(x).ravel()])


@pytest.mark.parametrize("interpret", [False, True])
def test_transposes_by_the_real_inner_product(interpret: bool) -> None:
    """<f(dz), ct> = <dz, f^T(ct)>, where f(dz) is NumPy's."""

    def every(z: Any) -> list[Any]:
        return [f(z) for f in LINEAR.values()]

    values, derivative = ad.linearize(every, Z, interpret=interpret)
    direction = RNG.normal(size=Z.shape) + 1j * RNG.normal(size=Z.shape)
    cotangents = [
        RNG.normal(size=v.shape) + (1j * RNG.normal(size=v.shape) if v.dtype.kind == "c" else 0)
        for v in values
    ]
    images = every(direction)
    agree(derivative(direction), images, "images")
    for k, name in enumerate(LINEAR):
        only = [ct if j == k else 0 * ct for j, ct in enumerate(cotangents)]
        pulled = derivative.T(only)
        np.testing.assert_allclose(
            parts(images[k]) @ parts(cotangents[k]), parts(direction) @ parts(pulled), err_msg=name
        )


def test_transforms_of_real_numbers_are_real_ones() -> None:
    def power(x: Any) -> Any:
        return np.sum(np.abs(np.fft.fft(x, axis=1)) ** 2) + np.sum(np.abs(np.fft.ifft(x, 3)))

    text = ad.jit(ad.grad(power)).lower(X).ir(after="apply-linear-maps")
    assert "fft real" in text
    assert "fft half" in text
    assert "fft forward" not in text
    assert "fft backward" not in text


def test_real_parts_take_transforms_of_half_the_length() -> None:
    def real_parts(z: Any) -> list[Any]:
        return [
            np.fft.ifft(z).real,
            np.fft.ifftn(z, (3, 6, 4), (0, 1, 2), "ortho").real,
            np.fft.fft2(z).real,
            np.real(np.fft.fft(z, axis=1)),  # of odd length
            np.fft.fft(z, 8, axis=0).real[1:3],
        ]

    agree(ad.jit(real_parts)(Z), real_parts(Z), "real parts")
    agree(ad.jit(ad.vmap(lambda z: np.fft.ifft2(z).real))(Z), np.fft.ifft2(Z).real, "vmap")

    def solution(f: Any) -> Any:
        """The solution of an equation with constant coefficients."""
        return np.fft.ifft2(np.fft.fft2(f) / (1 + np.arange(28.0).reshape(7, 4))).real

    def energy(f: Any) -> Any:
        return np.sum(solution(f) ** 3)

    text = ad.jit(ad.grad(energy)).lower(X[0]).ir(after="lower-checkpoints")
    assert text.count("fft real") == text.count("fft half") == 2
    assert "tensor<2x7x4xf64>" not in text, "the whole spectrum"
    ad.check_derivatives(energy, X[0])


def test_transforms_in_batches_and_in_derivatives_of_derivatives() -> None:
    spectrum = np.fft.fft(Z, axis=1)
    agree(ad.jit(ad.vmap(ad.vmap(np.fft.fft, 1, 1)))(Z), spectrum, "vmap")

    def power(x: Any) -> Any:
        return np.sum(np.abs(np.fft.rfft(x)) ** 2)

    hessian = ad.hessian(power)(X[0, 0])
    half = ad.jacobian(lambda x: np.fft.rfft(x))(X[0, 0])
    agree(hessian, 2 * (half.conj().T @ half).real, "hessian", 1e-10)
    for method in ("jacobian", "chad"):
        agree(ad.grad(power, method=method)(X[0, 0]), ad.grad(power)(X[0, 0]), method)
    pattern = ad.jacobian(lambda x: np.fft.rfft(x, axis=1).real, sparse=True)(X[:, :, 0])
    assert pattern.nnz == 3 * 7 * 4, "each row depends on itself alone"


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.fft.fft(x, 0), "a transform of 0 numbers"),
        (lambda x: np.fft.fft(x, axis=3), "axis 3"),
        (lambda x: np.fft.fft(x, norm="half"), "norm"),
        (lambda x: np.fft.fftn(x, (3,), (0, 1)), "1 lengths for 2 axes"),
        (lambda x: np.fft.irfftn(x[0, 0, 0]), "a transform along no axis"),
        (lambda x: scipy.fft.dct(x, 5), "there is no transform of type 5"),
    ],
)
def test_bad_input_is_refused(f: Any, message: str) -> None:
    with pytest.raises(MliradError) as caught:
        ad.jit(f)(X)
    assert message in str(caught.value)
