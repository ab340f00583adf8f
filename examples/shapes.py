"""A drawing made of functions finds its way to a picture: derivatives of a program of closures, by CHAD.

    python examples/shapes.py --plot shapes.svg

A shape is a function that says how far a point is from its edge, and shapes are made of shapes by
functions that take and return functions: moved, turned, joined. They are values of the compiled program,
by `ad.lambda_`. The method `"chad"` differentiates functions as values, too; that of dual arrays agrees
with it, and so do differences.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

import mlirad as ad

SOFTNESS = 0.04
TRUE = {"body": np.array([0.1, -0.15]), "radius": 0.28, "wing": 0.6, "angle": 0.5}
START = {"body": np.array([-0.15, 0.1]), "radius": 0.4, "wing": 0.4, "angle": 0.2}


class Found(NamedTuple):
    """The picture, and drawings at the start, half way and in the end."""

    wanted: Any
    drawings: list[Any]
    parameters: Any


def main(size: int = 40) -> Found:
    """Fit the drawing."""
    wanted = ad.jit(drawn, static_argnames="size")(TRUE, size=size)
    problem = ad.scipy.objective(error, START, wanted)
    path = [problem.x0]
    fit = minimize(
        problem.fun, problem.x0, jac=problem.jac, method="BFGS", callback=lambda v: path.append(v.copy())
    )
    found = problem.unflatten(fit.x)
    print(f"mean squared error {problem.fun(problem.x0):.4f} -> {fit.fun:.1e} in {fit.nit} iterations")
    for name, true in TRUE.items():
        print(f"{name:<7} {np.round(found[name], 4)}, true {true}")
        np.testing.assert_allclose(found[name], true, atol=1e-3)

    gradients = [ad.tree.ravel(ad.grad(error, method=m)(START, wanted))[0] for m in ("chad", "dual-arrays")]
    np.testing.assert_allclose(*gradients, rtol=1e-9)
    nudge = 1e-5 * np.eye(len(fit.x))
    slopes = [(problem.fun(problem.x0 + d) - problem.fun(problem.x0 - d)) / 2e-5 for d in nudge]
    np.testing.assert_allclose(gradients[0], slopes, atol=1e-7)
    drawings = [ad.jit(drawn, static_argnames="size")(problem.unflatten(v), size=size) for v in path]
    return Found(wanted, [drawings[0], drawings[len(path) // 3], drawings[-1]], found)


def disc(radius: Any) -> Any:
    """The distance from a disc around the origin."""
    return ad.lambda_(lambda x, y: np.sqrt(x**2 + y**2 + 1e-12) - radius, 0.0, 0.0)


def bar(length: Any, width: Any) -> Any:
    """The distance from a bar with round ends."""

    def distance(x: Any, y: Any) -> Any:
        beyond = x - np.clip(x, -length, length)
        return np.sqrt(beyond**2 + y**2 + 1e-12) - width

    return ad.lambda_(distance, 0.0, 0.0)


def moved(shape: Any, by: Any) -> Any:
    """A shape elsewhere."""
    return ad.lambda_(lambda x, y: shape(x - by[0], y - by[1]), 0.0, 0.0)


def turned(shape: Any, angle: Any) -> Any:
    """A shape turned around the origin."""
    c, s = np.cos(angle), np.sin(angle)
    return ad.lambda_(lambda x, y: shape(c * x + s * y, c * y - s * x), 0.0, 0.0)


def joined(one: Any, other: Any) -> Any:
    """Two shapes that flow into each other."""
    return ad.lambda_(lambda x, y: -0.05 * np.logaddexp(-one(x, y) / 0.05, -other(x, y) / 0.05), 0.0, 0.0)


def picture(p: Any) -> Any:
    """Return what is drawn: a body with two wings and a moon."""
    wings = joined(turned(bar(p["wing"], 0.06), p["angle"]), turned(bar(p["wing"], 0.06), -p["angle"]))
    return joined(moved(joined(disc(p["radius"]), wings), p["body"]), moved(disc(0.15), np.array([0.7, 0.7])))


def drawn(p: Any, size: int) -> Any:
    """Return how much of each pixel is covered, in a square from -1 to 1."""
    shape = picture(p)

    def coverage(i: Any, j: Any) -> Any:
        return 1 / (1 + np.exp(shape((2 * j + 1) / size - 1, (2 * i + 1) / size - 1) / SOFTNESS))

    return ad.build((size, size), coverage)


def error(p: Any, wanted: Any) -> Any:
    """The mean squared difference of pixels."""
    return np.mean((drawn(p, wanted.shape[0]) - wanted) ** 2)


def draw(figure: Any, found: Found) -> None:
    """The drawings on the way, and the picture."""
    figure.set_size_inches(7.2, 2.0)
    titles = ("start", "on the way", "found", "wanted")
    for axes, image, title in zip(
        figure.subplots(1, 4), (*found.drawings, found.wanted), titles, strict=True
    ):
        axes.imshow(image, origin="lower", cmap="cividis", vmin=0, vmax=1)
        axes.contour(found.wanted, levels=[0.5], colors="white", linewidths=0.8, linestyles="dotted")
        axes.set_title(title)
        axes.axis("off")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
