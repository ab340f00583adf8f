"""Bundle adjustment by Gauss-Newton steps, without a matrix: cameras and points from where points were seen.

    python examples/bundle_adjustment.py --plot scene.svg

Each step linearises the residuals once, r(x + dx) ≈ r + J dx, and solves for dx by an iterative method of
SciPy, which only asks for products with J and its transpose:

    lsmr     min |J dx + r|² + damping |dx|², by products with J and J.T
    cg       (J.T @ J + damping I) dx = -J.T r, by products with that map, which is one program
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import cg, lsmr

import mlirad as ad

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.programs import ba

Array = NDArray[Any]
Solver = Literal["lsmr", "cg"]
NOISE = 1e-3  # of what cameras measure, relative to the focal length


class Observations(NamedTuple):
    """Observations: where [p, 2] the camera camera_of[i] saw the point point_of[i]."""

    camera_of: Array
    point_of: Array
    measured: Array


class Found(NamedTuple):
    """Observations, the points as they were thought to be and as they are, and the norms by solver."""

    observations: Observations
    start: tuple[Array, Array]
    adjusted: tuple[Array, Array]
    norms: dict[str, list[float]]


def main() -> Found:
    """Adjust a synthetic scene with both solvers."""
    observations, cameras, points = scene(cameras=6, points=80, seed=0)
    print(f"{len(cameras)} cameras, {len(points)} points, {len(observations.measured)} observations")
    norms = {}
    for solver in ("lsmr", "cg"):
        *adjusted, norms[solver] = adjust(observations, cameras, points, steps=8, solver=solver)
        print(f"{solver:>5}: |r| = " + " -> ".join(f"{norm:.3g}" for norm in norms[solver]))
        assert norms[solver][-1] < 1.1 * NOISE * np.sqrt(observations.measured.size)
    return Found(observations, (cameras, points), tuple(adjusted), norms)


def errors(cameras: Any, points: Any, observations: Observations) -> Any:
    """Seen less measured, [p, 2]."""
    camera_of, point_of, measured = observations
    return ba.project(cameras[camera_of], points[point_of]) - measured


def adjust(
    observations: Observations, cameras: Array, points: Array, *, steps: int, solver: Solver = "lsmr"
) -> tuple[Array, Array, list[float]]:
    """Cameras and points after some steps, and the norm of the errors before each step and at the end.

    The damping falls while steps succeed and rises when one does not (Levenberg-Marquardt).
    """
    damping = 1e-3
    residuals, jacobian = linearized(cameras, points, observations)
    norms = [float(np.linalg.norm(residuals))]
    for _ in range(steps):
        dcameras, dpoints = step(residuals, jacobian, damping, solver)
        moved = cameras + dcameras, points + dpoints
        tried, slope = linearized(*moved, observations)
        if np.linalg.norm(tried) < norms[-1]:
            (cameras, points), residuals, jacobian = moved, tried, slope
            damping /= 10
        else:
            damping *= 10
        norms.append(float(np.linalg.norm(residuals)))
    return cameras, points, norms


def linearized(cameras: Array, points: Array, observations: Observations) -> tuple[Array, ad.LinearMap]:
    """The errors, and their derivative by cameras and points."""
    r, jacobian = ad.linearize(errors, cameras, points, observations)
    return r, jacobian.restrict("cameras", "points")


def step(r: Array, jacobian: ad.LinearMap, damping: float, solver: Solver) -> tuple[Array, Array]:
    """The damped Gauss-Newton step for cameras and points."""
    if solver == "lsmr":
        operator = jacobian.as_linear_operator()
        flat = lsmr(operator, -r.ravel(), damp=damping**0.5, atol=1e-10, btol=1e-10)[0]
    else:
        zeros = jacobian.domain.unflatten(np.zeros(jacobian.shape[1]))
        normal = jacobian.T @ jacobian + damping * ad.LinearMap.identity(zeros)
        gradient = jacobian.domain.flatten(*jacobian.T(r))
        flat = cg(normal.as_linear_operator(), -gradient, rtol=1e-8)[0]
    return jacobian.domain.unflatten(flat)


def scene(cameras: int, points: int, seed: int) -> tuple[Observations, Array, Array]:
    """Points around the origin, cameras before them: observations, and cameras and points to start at.

    Every camera sees every point, with noise of a thousandth of the focal length; the start is off by more.
    """
    rng = np.random.default_rng(seed)
    true_points = rng.normal(size=(points, 3))
    true_cameras = np.zeros((cameras, 11))
    true_cameras[:, 0:3] = 0.1 * rng.normal(size=(cameras, 3))
    true_cameras[:, 3:6] = rng.normal(size=(cameras, 3)) + np.array([0.0, 0.0, -8.0])
    true_cameras[:, 6] = 1.0
    true_cameras[:, 9:11] = 0.01 * rng.normal(size=(cameras, 2))
    camera_of, point_of = (index.ravel() for index in np.indices((cameras, points)))
    exact = ba.project(true_cameras[camera_of], true_points[point_of])
    measured = exact + NOISE * rng.normal(size=exact.shape)
    start_cameras = true_cameras + 0.02 * rng.normal(size=true_cameras.shape)
    start_points = true_points + 0.05 * rng.normal(size=true_points.shape)
    return Observations(camera_of, point_of, measured), start_cameras, start_points


def draw(figure: Any, found: Found) -> None:
    """Draw what one camera saw, with where the points would be seen, and the errors by step."""
    left, right = figure.subplots(1, 2)
    own = found.observations.camera_of == 0
    seen = found.observations.measured[own]
    left.plot(*seen.T, "o", color="C4", markersize=5, markerfacecolor="none", label="measured")
    for (cameras, points), marker, name in (
        (found.start, ".", "at the start"),
        (found.adjusted, "x", "adjusted"),
    ):
        offsets = errors(cameras, points, found.observations)[own]
        left.plot(*(seen + offsets).T, marker, markersize=4, linestyle="none", label=name)
    left.set(title="what the first camera sees")
    left.legend()
    floor = NOISE * np.sqrt(found.observations.measured.size)
    right.axhline(floor, color="C4", linewidth=0.8, label="noise")
    for (name, norms), style in zip(found.norms.items(), ("o-", "x--"), strict=True):
        right.semilogy(norms, style, markersize=5, label=name)
    right.set(xlabel="step", title="norm of all errors")
    right.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
