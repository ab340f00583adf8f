"""Circular convolutions and an equation on a torus, by Fourier transforms of real numbers.

    y = irfft(rfft(x) rfft(k))                             y_i = sum of x_j k_(i - j)
    u = irfft2(rfft2(f) / d)                               5 u - u_north - u_south - u_west - u_east = f

d has the eigenvalues of 1 - L, where L is the five-point Laplacian on a torus. A loss of either has its
gradient with respect to what is transformed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def row_loss(x, kernel):
    """The sum of tanh(y)^2, y each row of x [..., n] convolved with the kernel [n]; n is even."""
    spectrum = np.fft.rfft(x) * np.fft.rfft(kernel)
    return np.sum(np.tanh(np.fft.irfft(spectrum)) ** 2)


def image_loss(x, kernel):
    """The sum of tanh(y)^2, y the image x [m, n] convolved with the kernel [m, n]; n is even."""
    spectrum = np.fft.rfft2(x) * np.fft.rfft2(kernel)
    return np.sum(np.tanh(np.fft.irfft2(spectrum)) ** 2)


def poisson_loss(source, eigenvalues):
    """The sum of u^4, u the solution for a source [m, n] with n even; eigenvalues [m, n / 2 + 1]."""
    return np.sum(np.fft.irfft2(np.fft.rfft2(source) / eigenvalues) ** 4)


def eigenvalues_of(rows: int, columns: int) -> NDArray[np.float64]:
    """The eigenvalues of 1 - L, with the five-point Laplacian L on a torus, [rows, columns / 2 + 1]."""
    down = np.sin(np.pi * np.arange(rows) / rows) ** 2
    along = np.sin(np.pi * np.arange(columns // 2 + 1) / columns) ** 2
    return 1 + 4 * (down[:, None] + along)


def random_rows(*shape: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Normal x of the shape, and a kernel for its rows of length 1 or so."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape), rng.normal(size=shape[-1]) / np.sqrt(shape[-1])


def random_image(rows: int, columns: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """A normal image, and a kernel of length 1 or so."""
    rng = np.random.default_rng(seed)
    x, kernel = rng.normal(size=(2, rows, columns))
    return x, kernel / np.sqrt(kernel.size)


def random_source(rows: int, columns: int, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """A normal source, and the eigenvalues."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), eigenvalues_of(rows, columns)
