"""A lens whose rays meet in one point: its surfaces, shaped by the derivatives of a ray tracer.

    python examples/lens.py --plot lens.svg

A ray meets a surface where an equation has its root, which some steps of Newton's method find; `ad.root`
knows by the implicit function theorem how it moves with the surface. The normal there is the gradient of
the surface, taken by `ad.grad` inside of the program that is differentiated. SciPy's least squares shape
both surfaces. Fermat's principle is the witness: light takes equally long on all rays to a sharp image.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import least_squares

import mlirad as ad

GLASS, FOCUS, THICKNESS = 1.5168, 50.0, 8.0  # the index of BK7; the screen and the rear vertex [mm]
HEIGHTS = np.linspace(-12.0, 12.0, 25)
START = {"front": np.array([1 / 50.0, 0.0, 0.0, 0.0]), "rear": np.array([-1 / 50.0, 0.0, 0.0, 0.0])}


class Found(NamedTuple):
    """The shaped lens, and the rays through both lenses: points [surface, (z, y), ray]."""

    lens: dict[str, Any]
    before: Any
    after: Any


def main(heights: Any = HEIGHTS) -> Found:
    """Shape the lens."""
    problem = ad.scipy.objective(misses, START, heights)
    scale = np.tile([1e-2, 1e-5, 1e-7, 1e-9], 2)
    found = least_squares(problem.fun, problem.x0, jac=problem.jac, x_scale=scale, xtol=1e-14)
    lens = problem.unflatten(found.x)
    rays = ad.jit(traced)
    before, after = rays(START, heights), rays(lens, heights)
    for name, points in (("spherical", before), ("shaped", after)):
        print(
            f"{name:<10} rays miss the focus by {rms(points[-1, 1]) * 1e3:10.4f} um, "
            f"paths differ by {np.ptp(optical_path(points)) * 1e6:10.2f} nm"
        )
    assert rms(after[-1, 1]) < 1e-4 < 0.1 < rms(before[-1, 1])
    assert np.ptp(optical_path(after)) < 50e-6  # a tenth of a wavelength: the lens is limited by diffraction
    return Found(lens, before, after)


def sag(surface: Any, y: Any) -> Any:
    """Return how far a surface lies behind its vertex, at a height: a curvature, and three terms of an
    asphere.
    """
    c, *aspheric = surface
    sphere = c * y**2 / (1 + np.sqrt(1 - c**2 * y**2))
    return sphere + sum(a * y ** (2 * k) for k, a in enumerate(aspheric, start=2))


def traced(lens: Any, heights: Any) -> Any:
    """Return where parallel rays meet the entrance plane, both surfaces and the screen [surface, (z, y),
    ray].
    """

    def ray(height: Any) -> Any:
        z, y, direction = -10.0, height, np.array([1.0, 0.0])
        points = [(z, y)]
        for name, vertex, ratio in (("front", 0.0, 1 / GLASS), ("rear", THICKNESS, GLASS)):
            surface = lens[name]
            way = ad.root(distance(surface, vertex, z, y, direction), vertex - z, solver=newton)
            z, y = z + way * direction[0], y + way * direction[1]
            direction = refracted(direction, ad.grad(sag, argnums=1)(surface, y), ratio)
            points.append((z, y))
        way = (THICKNESS + FOCUS - z) / direction[0]
        points.append((z + way * direction[0], y + way * direction[1]))
        return ad.stack([ad.stack(point) for point in points])

    return ad.vmap(ray, out_axes=2)(heights)


def distance(surface: Any, vertex: float, z: Any, y: Any, direction: Any) -> Any:
    """Return how far before a surface a ray is, as a function of how far it has come."""
    return lambda way: z + way * direction[0] - vertex - sag(surface, y + way * direction[1])


def newton(f: Any, x: Any) -> Any:
    """A root by a few of Newton's steps, which suffice for a ray that starts close to the surface."""
    return ad.fori_loop(0, 6, lambda _, x: x - f(x) / ad.grad(f)(x), x)


def refracted(direction: Any, slope: Any, ratio: float) -> Any:
    """The direction behind a surface, by Snell's law for vectors; `ratio` is of the indices."""
    normal = ad.stack([1.0, -slope]) / np.sqrt(1 + slope**2)
    cosine = direction @ normal
    return ratio * direction + (np.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine) * normal


def misses(lens: Any, heights: Any) -> Any:
    """Return how far from the axis rays meet the screen."""
    return traced(lens, heights)[-1, 1]


def optical_path(points: Any) -> Any:
    """The length of each ray, in the glass times its index."""
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.array([1.0, GLASS, 1.0]) @ lengths


def rms(values: Any) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(values**2)))


def draw(figure: Any, found: Found) -> None:
    """Rays through both lenses, and where they meet the axis."""
    pictures = figure.subplots(2, 1, sharex=True)
    lenses = (("two spheres", START, found.before), ("shaped", found.lens, found.after))
    y = np.linspace(-14.0, 14.0, 61)
    for axes, (title, lens, points) in zip(pictures, lenses, strict=True):
        outline = [sag(lens["front"], y), THICKNESS + sag(lens["rear"], y)]
        axes.fill_betweenx(y, *outline, color="#cfe3f5", zorder=0)
        beyond = points[-1] + 0.25 * (points[-1] - points[-2])
        for k in range(points.shape[2]):
            axes.plot(*np.hstack([points[:, :, k].T, beyond[:, k : k + 1]]), color="C3", linewidth=0.6)
        axes.axvline(THICKNESS + FOCUS, color="C4", linewidth=0.8)
        axes.set(
            title=f"{title}: misses of {rms(points[-1, 1]) * 1e3:.3g} µm", ylabel="y [mm]", ylim=(-15, 15)
        )
    pictures[-1].set_xlabel("z [mm]")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
