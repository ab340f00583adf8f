"""An ordinary differential equation, solved by s steps of the Runge-Kutta method of order 4.

    y'_0 = x_0,    y'_i = x_i y_{i-1},    y(0) = 0,    solved up to t = 2

The solution is y_i(t) = x_0 ... x_i t^(i+1) / (i+1)!, and the method is exact for the first four components.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

END = 2.0


def slope(x, y):
    """The right-hand side: x times y, moved by one component, with a 1 in front."""
    return x * np.concatenate([np.ones_like(y[:1]), y[:-1]])


def slope_by_build(x, y):
    """The same by a formula for component i."""
    return ad.build(x.shape, lambda i: x[i] * np.where(i == 0, 1.0, ad.index(y, i - 1)))


def primal(x, steps, slope=slope):
    """y(2) [n] for the parameters x [n]; the number of steps is static."""
    h = END / steps

    def step(_, y):
        k1 = slope(x, y)
        k2 = slope(x, y + h / 2 * k1)
        k3 = slope(x, y + h / 2 * k2)
        k4 = slope(x, y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return ad.fori_loop(0, steps, step, np.zeros_like(x))


def last_component(x, steps, slope=slope):
    """The component of y(2) whose gradient is asked for."""
    return primal(x, steps, slope)[-1]


def random_instance(n: int, seed: int = 0) -> NDArray[Any]:
    """n parameters, uniform in [0, 1)."""
    return np.random.default_rng(seed).uniform(size=n)
