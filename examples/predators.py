"""Hunters and prey: the parameters of a differential equation, learned from noisy observations.

    python examples/predators.py --plot predators.svg

The equations of Lotka and Volterra are solved by `ad.odeint`; SciPy's least squares take the residuals and
their Jacobian from `ad.scipy.objective`. So the derivative is that of the steps that the solver took.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

import mlirad as ad

TRUTH = {"births": 1.1, "hunted": 0.4, "deaths": 0.4, "fed": 0.1}
START = {"prey": 10.0, "hunters": 5.0}
TIMES = np.linspace(0.0, 10.0, 21)


def main() -> tuple[Any, Any]:
    """The observations, and the parameters that were learned, printed beside the true ones."""
    observed = observations(seed=0)
    found = fitted(observed)
    for name, value in TRUTH.items():
        print(f"{name:<8} {value:.3f}, learned {found[name]:.3f}")
        assert abs(found[name] - value) < 0.03 * value
    return observed, found


def slope(state: Any, t: Any, p: Any) -> Any:
    """The rates of change of both populations."""
    prey, hunters = state["prey"], state["hunters"]
    return {
        "prey": p["births"] * prey - p["hunted"] * prey * hunters,
        "hunters": p["fed"] * prey * hunters - p["deaths"] * hunters,
    }


def populations(p: Any, times: Any = TIMES) -> Any:
    """Both populations [2, times]."""
    found = ad.odeint(slope, START, times, p)
    return np.stack([found["prey"], found["hunters"]])


def observations(seed: int) -> NDArray[Any]:
    """The populations of the true parameters, with noise of three percent."""
    exact = ad.jit(populations)(TRUTH)
    return exact * (1 + 0.03 * np.random.default_rng(seed).normal(size=exact.shape))


def fitted(observed: NDArray[Any]) -> dict[str, float]:
    """The parameters of least squared relative error."""

    def residuals(logs: Any) -> Any:
        return np.log(populations({k: np.exp(v) for k, v in logs.items()}) / observed)

    problem = ad.scipy.objective(residuals, {k: np.log(0.8 * v) for k, v in TRUTH.items()})
    found = least_squares(problem.fun, problem.x0, jac=problem.jac)
    return {k: float(np.exp(v)) for k, v in problem.unflatten(found.x).items()}


def draw(figure: Any, found: tuple[Any, Any]) -> None:
    """The observations, and the populations of the parameters that were learned."""
    observed, parameters = found
    axes, times = figure.subplots(), np.linspace(TIMES[0], TIMES[-1], 200)
    curves = ad.jit(populations)(parameters, times)
    for name, points, curve in zip(("prey", "hunters"), observed, curves, strict=True):
        (line,) = axes.plot(times, curve, label=name)
        axes.plot(TIMES, points, "o", color=line.get_color(), markersize=4)
    learned = ", ".join(f"{name} {value:.2f}" for name, value in parameters.items())
    axes.set(xlabel="time", ylabel="population", title=f"learned: {learned}")
    axes.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
