"""An image from its blurred and noisy copy, through the filters of `scipy.ndimage`.

    python examples/image_filters.py --plot filters.svg

The sharp image is the one whose blurred copy is what was seen, and whose edges are short: the sum of the
lengths of its gradients, by Sobel's filters, is small. L-BFGS of SciPy finds it, with gradients from mlirad.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.optimize import minimize

import mlirad as ad

WIDTH = 1.5
SOBEL = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]) / 8


def main(size: int = 48) -> tuple[Any, Any, Any]:
    """The sharp image, what is seen of it and what is restored, after a report of how far these are off."""
    sharp = picture(size)
    found = seen = blurred(sharp)
    print(f"blurred:  {deviation(seen, sharp):.4f} from the sharp image")
    for steps in (5, 20, 100):
        found = restored(seen, steps)
        print(f"restored: {deviation(found, sharp):.4f} after {steps} steps")
    assert deviation(found, sharp) < 0.6 * deviation(seen, sharp)
    return sharp, seen, found


def picture(size: int) -> NDArray[Any]:
    """A disc and a bar on a ground."""
    y, x = np.mgrid[:size, :size] / size
    image = 0.2 + 0.6 * ((x - 0.35) ** 2 + (y - 0.4) ** 2 < 0.05)
    image[int(0.7 * size) : int(0.8 * size), size // 8 : -size // 8] = 1.0
    return image


def blurred(sharp: NDArray[Any], seed: int = 0) -> NDArray[Any]:
    """Return what is seen of an image."""
    noise = np.random.default_rng(seed).normal(size=sharp.shape)
    return ndimage.gaussian_filter(sharp, WIDTH) + 0.01 * noise


def loss(image: Any, seen: Any) -> Any:
    """The squared error of the blurred image, and the length of its edges, smoothed where they vanish."""
    across, along = ndimage.correlate(image, SOBEL), ndimage.correlate(image, SOBEL.T)
    edges = np.sum(np.sqrt(across**2 + along**2 + 1e-6))
    return np.sum((ndimage.gaussian_filter(image, WIDTH) - seen) ** 2) + 2e-3 * edges


def restored(seen: NDArray[Any], steps: int) -> NDArray[Any]:
    """The image of least loss after `steps` steps."""
    problem = ad.scipy.objective(loss, seen, seen)
    found = minimize(problem.fun, problem.x0, jac=problem.jac, method="L-BFGS-B", options={"maxiter": steps})
    return problem.unflatten(found.x)


def deviation(image: NDArray[Any], sharp: NDArray[Any]) -> float:
    """The root of the mean squared difference."""
    return float(np.sqrt(np.mean((image - sharp) ** 2)))


def draw(figure: Any, found: tuple[Any, Any, Any]) -> None:
    """The three images."""
    figure.set_size_inches(7.2, 2.6)
    sharp, seen, restored_image = found
    titles = (
        "sharp",
        f"seen: {deviation(seen, sharp):.3f} off",
        f"restored: {deviation(restored_image, sharp):.3f} off",
    )
    for axes, image, title in zip(figure.subplots(1, 3), found, titles, strict=True):
        axes.imshow(image, cmap="gray", vmin=0.1, vmax=1.1)
        axes.set_title(title)
        axes.axis("off")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
