"""Functions that an equation defines: Kepler's, and the weights that a penalty leaves of a regression.

    python examples/implicit_functions.py --plot penalty.svg

The eccentric anomaly x solves x - e sin x = m, and its derivatives are known: dx/de = sin x / (1 - e cos x).
The weights of a ridge regression are an argmin; the error that they make on other data is differentiated by
the penalty, and the penalty is improved by it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import mlirad as ad


def main() -> list[tuple[float, float]]:
    """Print an orbit and its sensitivity, and how the penalty improves; the penalties and their errors."""
    anomaly, slope = ad.value_and_grad(eccentric_anomaly)(0.3, 1.0)
    print(f"Kepler: x = {anomaly:.9f}, dx/de = {slope:.9f} (exact {exact_slope(0.3, anomaly):.9f})")
    assert abs(slope - exact_slope(0.3, anomaly)) < 1e-9
    found = improved_penalties(regression(), 6)
    for step, (penalty, error) in enumerate(found):
        print(f"step {step}: penalty {penalty:8.4f}, error on other data {error:.6f}")
    assert found[-1][1] <= min(error for _, error in ridge_errors(np.geomspace(0.3, 100.0, 50))) * (1 + 1e-6)
    return found


def eccentric_anomaly(eccentricity: Any, mean_anomaly: Any) -> Any:
    """The solution x of Kepler's equation x - e sin x = m."""
    return ad.root(lambda x: x - eccentricity * np.sin(x) - mean_anomaly, mean_anomaly)


def exact_slope(eccentricity: float, x: float) -> float:
    """dx/de, by hand."""
    return np.sin(x) / (1 - eccentricity * np.cos(x))


def regression(seed: int = 0) -> dict[str, Any]:
    """Features [n, 8] and targets [n] of a linear law with noise, to learn from and to judge by."""
    rng = np.random.default_rng(seed)
    law, features = rng.normal(size=8), rng.normal(size=(2, 20, 8))
    targets = features @ law + 2.0 * rng.normal(size=(2, 20))
    return {"x": features[0], "y": targets[0], "other_x": features[1], "other_y": targets[1]}


def ridge_errors(penalties: Any) -> list[tuple[float, float]]:
    """Penalties and their errors by the normal equations of ridge regression."""
    data, found = regression(), []
    x, y = data["x"], data["y"]
    for penalty in penalties:
        w = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)
        found.append((float(penalty), float(np.mean((data["other_x"] @ w - data["other_y"]) ** 2))))
    return found


def weights(log_penalty: Any, data: Any) -> Any:
    """The weights of least squared error and penalty."""

    def loss(w: Any) -> Any:
        return np.sum((data["x"] @ w - data["y"]) ** 2) + np.exp(log_penalty) * np.sum(w**2)

    return ad.minimize(loss, np.zeros(data["x"].shape[1]), method="newton")


def error(log_penalty: Any, data: Any) -> Any:
    """The mean squared error of the weights on the other data."""
    return np.mean((data["other_x"] @ weights(log_penalty, data) - data["other_y"]) ** 2)


def improved_penalties(data: Any, steps: int) -> list[tuple[float, float]]:
    """Penalties and errors, in steps of Newton's method for one unknown, halved where it is not convex."""
    log_penalty, found = 0.0, []
    slope, curvature = ad.value_and_grad(error), ad.grad(ad.grad(error))
    for _ in range(steps):
        value, first = slope(log_penalty, data)
        found.append((float(np.exp(log_penalty)), float(value)))
        log_penalty -= float(np.clip(first / max(float(curvature(log_penalty, data)), 1e-3), -1.0, 1.0))
    return found


def draw(figure: Any, found: list[tuple[float, float]]) -> None:
    """An orbit at equal times, and the error over the penalty with the steps of Newton's method."""
    left, right = figure.subplots(1, 2)
    eccentricity = 0.6
    times = np.linspace(0.0, 2 * np.pi, 25)
    anomalies = ad.jit(ad.vmap(eccentric_anomaly, in_axes=(None, 0)))(eccentricity, times)
    turn, height = np.linspace(0.0, 2 * np.pi, 200), np.sqrt(1 - eccentricity**2)
    left.plot(np.cos(turn) - eccentricity, height * np.sin(turn), color="C4", linewidth=0.8)
    left.plot(np.cos(anomalies) - eccentricity, height * np.sin(anomalies), "o", markersize=4)
    left.plot(0, 0, "o", color="C1", markersize=10)
    left.set(aspect="equal", title="Kepler's equation: an orbit at equal times")
    left.axis("off")
    penalties = [penalty for penalty, _ in found]
    right.plot(
        *zip(*ridge_errors(np.geomspace(0.5 * min(penalties), 2 * max(penalties), 80)), strict=True),
        color="C4",
    )
    right.plot(*zip(*found, strict=True), "o-", color="C3", markersize=4, linewidth=0.8)
    right.set(xlabel="penalty", title="error on other data, and Newton's steps")


if __name__ == "__main__":
    from plots import run

    run(main, draw)
