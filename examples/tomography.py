"""A slice through a body from its X-ray shadows, by a linear map and its transpose.

    python examples/tomography.py --plot tomography.svg

The shadows are sums along rays of an image that is read between its pixels. They are linear in the image,
so `ad.linearize` gives them as a map, which SciPy's LSMR inverts by products with it and with its
transpose, the back projection of radiology. Nobody wrote that one. A disc, whose shadow is known, checks
the map.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import lsmr

import mlirad as ad

ELLIPSES = (  # brightness, centre x and y, half axes, angle in degrees: after Shepp and Logan
    (1.0, 0.0, 0.0, 0.69, 0.92, 0.0),
    (-0.8, 0.0, -0.02, 0.66, 0.87, 0.0),
    (-0.2, 0.22, 0.0, 0.11, 0.31, -18.0),
    (-0.2, -0.22, 0.0, 0.16, 0.41, 18.0),
    (0.3, 0.0, 0.35, 0.21, 0.25, 0.0),
    (0.3, 0.0, -0.1, 0.08, 0.08, 0.0),
    (0.4, -0.1, -0.6, 0.09, 0.05, 0.0),
)


class Found(NamedTuple):
    """The slice, its shadows [angle, ray], their back projection, and the slice that was found."""

    image: Any
    shadows: Any
    smeared: Any
    restored: Any


def main(size: int = 64, angles: int = 60, steps: int = 60) -> Found:
    """Reconstruct the slice from noisy shadows."""
    directions = np.linspace(0.0, np.pi, angles, endpoint=False)
    image = phantom(size)
    shadows, projection = ad.linearize(projected, image, directions, argnums=0)
    print(projection)
    noisy = shadows + 0.01 * np.max(shadows) * np.random.default_rng(0).normal(size=shadows.shape)
    smeared = projection.T(noisy)
    flat = lsmr(projection.as_linear_operator(), noisy.ravel(), damp=0.1, maxiter=steps)[0]
    restored = flat.reshape(size, size)
    error = np.linalg.norm(restored - image) / np.linalg.norm(image)
    print(f"{angles} shadows with noise of 1 %: the slice is {100 * error:.1f} % off")
    assert error < 0.35

    y, x = grid(size)
    disc = np.clip((0.6 - np.hypot(x, y)) * size / 2 + 0.5, 0.0, 1.0)
    chords = 2 * np.sqrt(np.maximum(0.36 - x[0] ** 2, 0.0))
    assert np.mean(np.abs(projection(disc) - chords)) < 0.5 / size
    np.testing.assert_allclose(np.vdot(projection(disc), noisy), np.vdot(disc, smeared), rtol=1e-12)
    return Found(image, noisy, smeared, restored)


def grid(size: int) -> tuple[Any, Any]:
    """The coordinates of the centres of pixels, in a square from -1 to 1."""
    ticks = (2 * np.arange(size) + 1) / size - 1
    return ticks[:, None], ticks[None, :]


def phantom(size: int) -> Any:
    """A section of a head."""
    y, x = grid(size)
    image = np.zeros((size, size))
    for brightness, cx, cy, a, b, degrees in ELLIPSES:
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        u, v = c * (x - cx) + s * (y - cy), -s * (x - cx) + c * (y - cy)
        image += brightness * ((u / a) ** 2 + (v / b) ** 2 <= 1)
    return image


def projected(image: Any, directions: Any) -> Any:
    """The integral of an image along rays: of each direction, one ray for each column [angle, ray]."""
    size = image.shape[0]
    across, along = grid(size)[1][0], grid(size)[1][0]

    def shadow(angle: Any) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        x, y = c * across[:, None] - s * along, s * across[:, None] + c * along
        return (
            np.sum(between_pixels(image, (y + 1) * size / 2 - 0.5, (x + 1) * size / 2 - 0.5), axis=1)
            * 2
            / size
        )

    return ad.vmap(shadow)(directions)


def between_pixels(image: Any, row: Any, column: Any) -> Any:
    """An image at fractional positions, from the four pixels around each; it is 0 outside."""
    top, left = np.floor(row).astype(int), np.floor(column).astype(int)
    down, right = row - top, column - left
    total = 0.0
    for i, j, weight in (
        (0, 0, (1 - down) * (1 - right)),
        (0, 1, (1 - down) * right),
        (1, 0, down * (1 - right)),
        (1, 1, down * right),
    ):
        total += weight * ad.gather(image, top.shape, lambda k, m, i=i, j=j: (top[k, m] + i, left[k, m] + j))
    return total


def draw(figure: Any, found: Found) -> None:
    """The slice, its shadows, what the transpose makes of them, and the reconstruction."""
    figure.set_size_inches(7.2, 2.0)
    titles = ("the slice", "its shadows", "back projection", "least squares")
    for axes, picture, title in zip(figure.subplots(1, 4), found, titles, strict=True):
        limits = {} if picture is found.shadows or picture is found.smeared else {"vmin": 0, "vmax": 1}
        axes.imshow(picture, cmap="gray", aspect="auto" if picture is found.shadows else "equal", **limits)
        axes.set_title(title)
        axes.axis("off")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
