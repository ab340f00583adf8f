"""A robot arm with three joints follows a curve around an obstacle, by sparse Gauss-Newton steps.

    python examples/robot_arm.py --plot arm.svg

The unknowns are the angles at all times. A residual reads the angles of one to three times, so the Jacobian
is banded: `ad.jacobian(sparse=True)` makes it, and a sparse solve takes a damped step. The witnesses are
differences of the residuals along a direction, and how well the hand follows the curve.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import mlirad as ad

LENGTHS = np.array([1.0, 0.8, 0.6])
OBSTACLE, RADIUS = np.array([0.8, -0.6]), 0.3


class Found(NamedTuple):
    """The curve [n, 2], the angles [n, 3], and the sums of squares after the steps."""

    curve: Any
    angles: Any
    losses: list[float]


def main(times: int = 120) -> Found:
    """Find the angles by the Levenberg-Marquardt method."""
    turn = np.linspace(0.0, 2 * np.pi, times)
    curve = np.stack([1.5 + 0.4 * np.cos(turn), 0.6 + 0.5 * np.sin(2 * turn)], axis=1)
    angles = np.tile([-0.3, 0.9, 0.6], (times, 1))
    evaluate, jacobian = ad.jit(residuals), ad.jacobian(residuals, sparse=True)

    steepest = np.max(np.abs(jacobian(angles, curve).T @ evaluate(angles, curve)))
    damping, losses = 1.0, [float(np.sum(evaluate(angles, curve) ** 2))]
    for _ in range(100):
        j, r = jacobian(angles, curve), evaluate(angles, curve)
        normal = j.T @ j + damping * sp.eye_array(angles.size)
        tried = angles - spsolve(normal.tocsc(), j.T @ r).reshape(angles.shape)
        loss = float(np.sum(evaluate(tried, curve) ** 2))
        if loss < losses[-1]:
            angles, damping = tried, damping / 5
            losses.append(loss)
            if losses[-2] - loss < 1e-10 * loss:
                break
        else:
            damping *= 4

    print(f"{angles.size} angles, {j.nnz} entries of {j.shape[0]} x {j.shape[1]}")
    print(f"sum of squares {losses[0]:.1f} -> {losses[-1]:.4f} in {len(losses) - 1} steps")
    direction = np.random.default_rng(0).normal(size=angles.shape)
    ends = [evaluate(angles + t * direction, curve) for t in (1e-6, -1e-6)]
    along = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(jacobian(angles, curve) @ direction.ravel(), along, rtol=1e-4, atol=1e-4)
    slope = np.max(np.abs(jacobian(angles, curve).T @ evaluate(angles, curve)))
    print(f"largest element of the gradient {steepest:.1e} -> {slope:.1e}")
    assert slope < 1e-3 * steepest
    distance = np.max(np.linalg.norm(joints(angles)[:, -1] - curve, axis=1))
    print(f"the hand is at most {distance:.4f} off the curve")
    assert distance < 0.05
    return Found(curve, angles, losses)


def joints(angles: Any) -> Any:
    """The places of elbow, wrist and hand [n, 3, 2]."""
    heading = np.cumsum(angles, axis=-1)
    steps = LENGTHS[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=-1)
    return np.cumsum(steps, axis=-2)


def residuals(angles: Any, curve: Any) -> Any:
    """The distance of the hand, the speed and unevenness of the joints, and their depth in the obstacle."""
    places = joints(angles)
    inside = np.maximum(RADIUS - np.sqrt(np.sum((places - OBSTACLE) ** 2, axis=-1)), 0.0)
    parts = [
        100 * (places[:, -1] - curve),
        np.diff(angles, axis=0),
        10 * np.diff(angles, n=2, axis=0),
        30 * inside[:, :2],
    ]
    return np.concatenate([part.ravel() for part in parts])


def draw(figure: Any, found: Found) -> None:
    """The arm at some times, and the sums of squares."""
    left, right = figure.subplots(1, 2)
    places = np.concatenate([np.zeros((len(found.angles), 1, 2)), joints(found.angles)], axis=1)
    for arm in places[:: len(places) // 12]:
        left.plot(*arm.T, "-", color="C0", alpha=0.5, linewidth=1)
    left.plot(*found.curve.T, color="C3", label="curve")
    round_ = np.linspace(0, 2 * np.pi, 60)
    left.fill(OBSTACLE[0] + RADIUS * np.cos(round_), OBSTACLE[1] + RADIUS * np.sin(round_), color="C4")
    left.set(aspect="equal", title="the arm around the obstacle")
    left.legend()
    right.semilogy(found.losses, ".-")
    right.set(xlabel="step", ylabel="sum of squares", title="Levenberg and Marquardt")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
