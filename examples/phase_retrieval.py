"""An image from the intensities of its Fourier transforms: what a camera without lenses sees.

    python examples/phase_retrieval.py --plot phases.svg

A detector counts light and loses its phase. With the object lit through a few random masks, the
intensities say all but one common phase. The unknown is a complex image, the gradient of a real loss by
it is complex as well, and passes through `np.fft`. SciPy's L-BFGS starts at noise. Parseval's theorem
checks the transforms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

MASKS = 6


class Found(NamedTuple):
    """The object, one intensity, and the object that was found, turned to the same phase; losses."""

    object: Any
    intensity: Any
    found: Any
    losses: list[float]


def main(size: int = 32, iterations: int = 300) -> Found:
    """Recover an object."""
    rng = np.random.default_rng(0)
    original = specimen(size)
    masks = np.exp(0.5j * np.pi * rng.integers(4, size=(MASKS, size, size)))
    measured = ad.jit(intensities)(original, masks)
    np.testing.assert_allclose(np.sum(measured, axis=(1, 2)), np.sum(np.abs(original) ** 2), rtol=1e-12)

    start = 0.3 * (rng.normal(size=(size, size)) + 1j * rng.normal(size=(size, size)))
    problem = ad.scipy.objective(loss, start, masks, measured)
    losses = [float(problem.fun(problem.x0))]
    fit = minimize(
        problem.fun,
        problem.x0,
        jac=problem.jac,
        method="L-BFGS-B",
        options={"maxiter": iterations},
        callback=lambda v: losses.append(float(problem.fun(v))),
    )
    found = problem.unflatten(fit.x)
    found = found * np.exp(1j * np.angle(np.vdot(found, original)))
    error = np.linalg.norm(found - original) / np.linalg.norm(original)
    print(f"loss {losses[0]:.3g} -> {losses[-1]:.1e} in {fit.nit} iterations, the object is {error:.1e} off")
    assert error < 1e-2
    return Found(original, measured[0], found, losses)


def specimen(size: int) -> Any:
    """A transparent object: a ring that delays light, and a bar that absorbs some of it."""
    ticks = (2 * np.arange(size) + 1) / size - 1
    y, x = ticks[:, None], ticks[None, :]
    delay = 1.5 * np.exp(-(((np.hypot(x, y) - 0.5) / 0.15) ** 2))
    passed = 1 - 0.7 * np.exp(-(((x + 0.5 * y) / 0.2) ** 4))
    return passed * np.exp(1j * delay)


def intensities(image: Any, masks: Any) -> Any:
    """Return what the detector counts behind each mask [mask, row, column]."""
    return np.abs(np.fft.fft2(masks * image, norm="ortho")) ** 2


def loss(image: Any, masks: Any, measured: Any) -> Any:
    """The mean squared error of the intensities."""
    return np.mean((intensities(image, masks) - measured) ** 2)


def draw(figure: Any, found: Found) -> None:
    """The phase of the object, an intensity, and the phase that was found."""
    figure.set_size_inches(7.2, 2.0)
    pictures = figure.subplots(1, 4, width_ratios=[1, 1, 1, 1.2])
    images = np.angle(found.object), np.log10(found.intensity + 1e-3), np.angle(found.found)
    for axes, image, title in zip(
        pictures, images, ("phase of the object", "one intensity (log)", "phase found"), strict=False
    ):
        axes.imshow(image)
        axes.set_title(title)
        axes.axis("off")
    pictures[-1].semilogy(found.losses)
    pictures[-1].set(xlabel="iteration", title="loss", box_aspect=1)


if __name__ == "__main__":
    from plots import run

    run(main, draw)
