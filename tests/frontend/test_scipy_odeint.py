"""`scipy.integrate.odeint` called in traces, against itself outside of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.integrate import odeint

import mlirad as ad
from mlirad.errors import UnsupportedError

TIMES = np.linspace(0.0, 2.0, 5)


def pendulum(y: Any, t: Any, damping: Any, length: Any) -> list[Any]:
    angle, speed = y
    return [speed, -damping * speed - np.sin(angle) / length + 0.1 * t]


class Decay:
    """A right side that reads its object."""

    def __init__(self, rate: Any):
        self.rate = rate

    def slope(self, y: Any, t: Any) -> Any:
        return -self.rate * y


CALLS = {
    "arguments": lambda p: odeint(pendulum, [1.0, 0.0], TIMES, args=(p, 2.0)),
    "start": lambda p: odeint(pendulum, [p, 0.5 * p], TIMES, (0.3, 2.0), rtol=1e-9, atol=1e-9),
    "times": lambda p: odeint(pendulum, np.array([1.0, 0.0]), p * TIMES, (0.3, 2.0)),
    "closure": lambda p: odeint(lambda y, t: -p * y, 1.0, TIMES),
    "time first": lambda p: odeint(lambda t, y: np.cos(t) - p * y, [1.0], TIMES, tfirst=True, mxstep=500),
    "partial": lambda p: odeint(partial(pendulum, damping=p, length=1.5), [1.0, 0.0], TIMES),
    "method": lambda p: odeint(Decay(p).slope, [1.0, 2.0], TIMES),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_derivatives(name: str) -> None:
    call = CALLS[name]
    found, slope = ad.jit(lambda p: ad.jvp(call, (p,), (1.0,)))(0.7)
    np.testing.assert_allclose(found, call(0.7), atol=3e-7)
    h = 1e-3
    np.testing.assert_allclose(slope, (call(0.7 + h) - call(0.7 - h)) / (2 * h), atol=1e-4)
    gradient = ad.grad(lambda p: np.sum(call(p)[-1]))(0.7)
    np.testing.assert_allclose(gradient, np.sum(slope[-1]), rtol=1e-6)


def test_constants_are_left_to_scipy() -> None:
    fixed = odeint(pendulum, [1.0, 0.0], TIMES, (0.3, 2.0))
    np.testing.assert_array_equal(
        ad.jit(lambda x: x * odeint(pendulum, [1.0, 0.0], TIMES, (0.3, 2.0)), interpret=True)(1.0), fixed
    )


@pytest.mark.parametrize("option", [{"full_output": 1}, {"tcrit": [1.0]}, {"hmax": 0.1}])
def test_what_it_does_not_do_is_named(option: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match=f"odeint with {next(iter(option))} cannot be traced"):
        ad.jit(lambda p: odeint(lambda y, t: -p * y, 1.0, TIMES, **option))(1.0)
