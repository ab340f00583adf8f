"""Slopes by differences: slope(np.sin, 0.0) is 1.0 to some ten digits."""

from __future__ import annotations

from collections.abc import Callable


def slope(function: Callable[[float], float], x: float, step: float = 1e-3) -> float:
    """The derivative of a function at a point, by central differences of the fourth order."""

    def at(k: int) -> float:
        return function(x + k * step)

    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)
