"""Gradients through Fourier transforms: convolutions of rows and of images, and an equation on a torus."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.problem import Golden, Problem, Program, by_complex_step
from examples.programs import fourier


def golden_rows() -> Golden:
    """By complex steps through the sums that convolutions are, without transforms."""

    def loss(x, kernel):
        turned = [np.roll(kernel[::-1], i + 1) for i in range(len(kernel))]
        return np.sum(np.tanh(x @ np.transpose(turned)) ** 2)

    return by_complex_step(loss, fourier.random_rows(3, 12, seed=1), (0, 1))


def golden_image() -> Golden:
    """By complex steps through sums, too."""

    def loss(x, kernel):
        places = [(i, j) for i in range(kernel.shape[0]) for j in range(kernel.shape[1])]
        made: Any = sum(kernel[place] * np.roll(x, place, (0, 1)) for place in places)
        return np.sum(np.tanh(made) ** 2)

    return by_complex_step(loss, fourier.random_image(5, 6, seed=1), (0, 1))


def golden_poisson() -> Golden:
    """By complex steps through the solution of the system of equations, element by element."""
    arguments = fourier.random_source(5, 6, seed=1)
    shape = arguments[0].shape
    units = np.eye(arguments[0].size).reshape(-1, *shape)
    moves = [np.roll(units, step, axis) for axis in (1, 2) for step in (1, -1)]
    matrix = (5 * units - sum(moves)).reshape(len(units), len(units))

    def loss(source, _):
        return np.sum(np.linalg.solve(matrix, source.reshape(-1)) ** 4)

    return by_complex_step(loss, arguments, (0,))


def jax_rows() -> Program:
    import jax.numpy as jnp

    def loss(x, kernel):
        return jnp.sum(jnp.tanh(jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(kernel))) ** 2)

    return loss


def torch_rows() -> Program:
    import torch
    from torch.fft import irfft, rfft

    return lambda x, kernel: (torch.tanh(irfft(rfft(x) * rfft(kernel))) ** 2).sum()


def jax_image() -> Program:
    import jax.numpy as jnp

    def loss(x, kernel):
        return jnp.sum(jnp.tanh(jnp.fft.irfft2(jnp.fft.rfft2(x) * jnp.fft.rfft2(kernel))) ** 2)

    return loss


def torch_image() -> Program:
    import torch
    from torch.fft import irfft2, rfft2

    return lambda x, kernel: (torch.tanh(irfft2(rfft2(x) * rfft2(kernel))) ** 2).sum()


def jax_poisson() -> Program:
    import jax.numpy as jnp

    def loss(source, eigenvalues):
        return jnp.sum(jnp.fft.irfft2(jnp.fft.rfft2(source) / eigenvalues) ** 4)

    return loss


def torch_poisson() -> Program:
    from torch.fft import irfft2, rfft2

    return lambda source, eigenvalues: (irfft2(rfft2(source) / eigenvalues) ** 4).sum()


ROWS = Problem(
    name="fft-convolution",
    argnums=(0, 1),
    sizes={
        "1e4": partial(fourier.random_rows, 10**4),
        "16 rows of 256": partial(fourier.random_rows, 16, 256),
        "1024 rows of 256": partial(fourier.random_rows, 1024, 256),
    },
    golden=golden_rows,
    numpy_program=fourier.row_loss,
    jax_program=jax_rows,
    torch_program=torch_rows,
)

IMAGE = Problem(
    name="fft2-convolution",
    argnums=(0, 1),
    sizes={f"{n}x{n}": partial(fourier.random_image, n, n) for n in (64, 256, 512)},
    golden=golden_image,
    numpy_program=fourier.image_loss,
    jax_program=jax_image,
    torch_program=torch_image,
)

POISSON = Problem(
    name="fft2-poisson",
    argnums=(0,),
    sizes={f"{n}x{n}": partial(fourier.random_source, n, n) for n in (64, 256, 512)},
    golden=golden_poisson,
    numpy_program=fourier.poisson_loss,
    jax_program=jax_poisson,
    torch_program=torch_poisson,
)
