"""A blurred and noisy image is sharpened: a Fourier transform for the blur, total variation for the edges.

    python examples/deblurring.py --plot image.svg

The blur is a product in the Fourier domain. The loss compares the blurred unknown image with the data and
adds the total variation, which allows edges but no noise. SciPy's minimiser takes gradients through both
transforms. The witnesses are the blur's transpose by hand, and the best linear filter, which is less sharp.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

NOISE = 0.01


class Found(NamedTuple):
    """The true image, the data, the sharpened image and that of the linear filter."""

    true: Any
    data: Any
    sharp: Any
    linear: Any


def main(size: int = 96, iterations: int = 300) -> Found:
    """Sharpen an image of `size` x `size` pixels."""
    true, spectrum = phantom(size), gaussian_spectrum(size, width=0.016 * size)
    data = blurred(true, spectrum) + NOISE * np.random.default_rng(9).normal(size=true.shape)
    problem = ad.scipy.objective(loss, data, data, spectrum, 2e-4)
    found = minimize(
        problem.fun,
        problem.x0,
        jac=problem.jac,
        method="L-BFGS-B",
        options={"maxiter": iterations, "maxcor": 20},
    )
    sharp = problem.unflatten(found.x)

    by_hand = blurred(blurred(true, spectrum) - data, spectrum)  # a symmetric blur is its own transpose
    fit = ad.grad(loss)(true, data, spectrum, 0.0)
    np.testing.assert_allclose(fit, by_hand, rtol=1e-9, atol=1e-12)

    whole = np.fft.rfft2(data) * spectrum
    linear = min(
        (np.fft.irfft2(whole / (spectrum**2 + c), s=data.shape) for c in np.logspace(-4, 0, 30)),
        key=lambda image: distance(image, true),
    )
    for name, image in (("the data", data), ("the best linear filter", linear), ("total variation", sharp)):
        print(f"{name}: {distance(image, true):.4f} off")
    assert distance(sharp, true) < 0.85 * distance(linear, true) < distance(data, true)
    return Found(true, data, sharp, linear)


def phantom(size: int) -> Any:
    """An image of flat parts with sharp edges."""
    y, x = np.mgrid[:size, :size] / size - 0.5
    image = np.where((x / 0.4) ** 2 + (y / 0.45) ** 2 < 1, 0.6, 0.0)
    image[(np.abs(x + 0.14) < 0.07) & (np.abs(y) < 0.22)] = 1.0
    image[(x - 0.15) ** 2 + (y + 0.12) ** 2 < 0.012] = 0.2
    image[np.abs(x - 0.15) + np.abs(y - 0.15) < 0.1] = 0.9
    return image


def gaussian_spectrum(size: int, width: float) -> Any:
    """The transform of a bell of some pixels width [size, size // 2 + 1]."""
    down, right = np.fft.fftfreq(size), np.fft.rfftfreq(size)
    return np.exp(-2 * (np.pi * width) ** 2 * (down[:, None] ** 2 + right**2))


def blurred(image: Any, spectrum: Any) -> Any:
    """An image whose borders meet, convolved with a kernel."""
    return np.fft.irfft2(np.fft.rfft2(image) * spectrum, s=image.shape)


def loss(image: Any, data: Any, spectrum: Any, strength: Any) -> Any:
    """Half the squared distance of the blurred image from the data, and its total variation."""
    down, right = np.roll(image, -1, axis=0) - image, np.roll(image, -1, axis=1) - image
    variation = np.sum(np.sqrt(down**2 + right**2 + 1e-6))
    return 0.5 * np.sum((blurred(image, spectrum) - data) ** 2) + strength * variation


def distance(image: Any, other: Any) -> float:
    """The root of the mean squared difference."""
    return float(np.sqrt(np.mean((image - other) ** 2)))


def draw(figure: Any, found: Found) -> None:
    """The four images."""
    names = ("true", "data", "total variation", "linear filter")
    for k, (name, image) in enumerate(zip(names, found, strict=True)):
        axes = figure.add_subplot(1, 4, k + 1)
        axes.imshow(image, vmin=0, vmax=1)
        axes.set_title(name)
        axes.set_axis_off()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
