"""Functions and sums as values: a partially applied cell, a function in a carry, one chosen by data, models.

    python examples/functions_as_values.py

Each example is a function of arrays that makes functions of the program, passes them on and differentiates
through them. The output is a value and a gradient of each, which differences confirm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mlirad as ad


def main() -> None:
    """Print the value and a gradient of each example."""
    for name, (function, arguments) in EXAMPLES.items():
        value, slope = ad.value_and_grad(function)(*arguments)
        parts = slope if isinstance(slope, dict) else {"gradient": slope}
        shown = ", ".join(f"{key} {np.linalg.norm(part):.4f}" for key, part in parts.items())
        print(f"{name:<24} value {value:.4f}, norms of {shown}")
        assert abs(difference(ad.jit(function), *arguments) - np.sum(ad.tree.ravel(slope)[0])) < 1e-6


def difference(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Return how a value changes as all components of the first argument grow alike."""
    vector, unravel = ad.tree.ravel(first)
    ends = (function(unravel(vector + h), *others) for h in (1e-5, -1e-5))
    return (next(ends) - next(ends)) / 2e-5


# A partially applied cell ------------------------------------------------------------------------


def cell(parameters: Any, state: Any, x: Any) -> Any:
    """The next state of a simple recurrent network."""
    return np.tanh(parameters["w"] @ state + parameters["u"] @ x + parameters["b"])


@ad.function
def last_state(step: Any, state: Any, xs: Any) -> Any:
    """The state after all inputs, by whatever cell."""
    return ad.fold(step, state, xs)


def recurrent_loss(parameters: Any, xs: Any, wanted: Any) -> Any:
    """The squared error of the last state: the cell with its parameters is given to `last_state`."""
    step = ad.lambda_(lambda state, x: cell(parameters, state, x))
    return np.sum((last_state(step, np.zeros(len(wanted)), xs) - wanted) ** 2)


# A function in a carry ---------------------------------------------------------------------------


def well_depth(a: Any, start: Any) -> Any:
    """The least x⁴ - a x² near a start. The loop carries how to step: down the slope, close by as Newton."""

    def height(x: Any) -> Any:
        return x**4 - a * x**2

    slope = ad.grad(height)
    down = ad.lambda_(lambda x: x - 0.05 * slope(x))
    newton = ad.lambda_(lambda x: x - slope(x) / ad.grad(slope)(x))

    def improved(_: Any, carry: Any) -> Any:
        x, step = carry
        return step(x), ad.cond(np.abs(slope(x)) < 1.0, lambda: newton, lambda: step)

    x, _ = ad.fori_loop(0, 12, improved, (start, down))
    return height(x)


# A function chosen by data -----------------------------------------------------------------------


def robust_loss(residuals: Any, scale: Any) -> Any:
    """The mean of a penalty that is chosen by how far the largest residual lies out."""
    far = np.max(np.abs(residuals)) / scale
    penalty = ad.switch(
        np.floor(far).astype(np.int64),
        [
            lambda: ad.lambda_(lambda r: r**2 / scale),
            lambda: ad.lambda_(lambda r: np.hypot(r, scale) - scale),
            lambda: ad.lambda_(lambda r: scale * np.log1p((r / scale) ** 2)),
        ],
    )
    return np.mean(ad.map(penalty, residuals))


# A sum of models ---------------------------------------------------------------------------------


@dataclass
class Linear:
    """y = slope * x + start."""

    slope: Any
    start: Any


@dataclass
class Decay:
    """y = height * exp(-rate * x)."""

    height: Any
    rate: Any


Model = ad.sum_of(Linear(0.0, 0.0), Decay(0.0, 0.0))


def predicted(model: Any, x: Any) -> Any:
    """Return what a model says at x."""
    return ad.case(
        model,
        lambda line: line.slope * x + line.start,
        lambda decay: decay.height * np.exp(-decay.rate * x),
    )


def switching_error(parameters: Any, times: Any, measured: Any) -> Any:
    """The squared error of a prediction by a line that is replaced, once it is negative, by a decay."""

    def step(carry: Any, point: Any) -> Any:
        model, error = carry
        time, value = point
        y = predicted(model, time)
        after = Model(Decay(parameters["height"], parameters["rate"]))
        return ad.cond(y < 0, lambda: after, lambda: model), error + (y - value) ** 2

    line = Model(Linear(parameters["slope"], parameters["start"]))
    return ad.fold(step, (line, 0.0), (times, measured))[1]


# Instances ---------------------------------------------------------------------------------------

_rng = np.random.default_rng(0)

EXAMPLES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "partially applied cell": (
        recurrent_loss,
        (
            {
                "w": 0.5 * _rng.normal(size=(4, 4)),
                "u": _rng.normal(size=(4, 3)),
                "b": np.zeros(4),
            },
            _rng.normal(size=(10, 3)),
            np.linspace(-0.5, 0.5, 4),
        ),
    ),
    "function in a carry": (well_depth, (3.0, 0.4)),
    "function chosen by data": (robust_loss, (_rng.normal(size=20), 0.9)),
    "sum of models": (
        switching_error,
        (
            {"slope": -1.0, "start": 1.4, "height": 2.0, "rate": 0.7},
            np.linspace(0.0, 3.0, 7),
            np.linspace(1.4, 0.1, 7),
        ),
    ),
}

if __name__ == "__main__":
    main()
