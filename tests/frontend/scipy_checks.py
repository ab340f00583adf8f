"""`check(function, *args)`: SciPy's values of a traced function, and derivatives against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad

RNG = np.random.default_rng(3)


def check(function: Callable[..., Any], *args: Any) -> None:
    """Values are SciPy's, and derivatives of order 1 and 2 those of differences."""
    want = np.asarray(function(*args))
    got = ad.jit(function, interpret=True)(*args)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)
    for k in range(len(args)):
        weights = RNG.normal(size=want.shape)

        def scalar(x: Any, k: int = k, weights: Any = weights) -> Any:
            return np.sum(function(*args[:k], x, *args[k + 1 :]) * weights)

        direction = RNG.normal(size=np.shape(args[k]))
        slope = np.sum(ad.grad(scalar, interpret=True)(args[k]) * direction)
        step = 1e-6
        found = (scalar(args[k] + step * direction) - scalar(args[k] - step * direction)) / (2 * step)
        np.testing.assert_allclose(slope, found, rtol=1e-6, atol=1e-7)
        curved = ad.hvp(scalar, (args[k],), (direction,), interpret=True)
        gradients = [ad.grad(scalar, interpret=True)(args[k] + s * direction) for s in (step, -step)]
        np.testing.assert_allclose(curved, (gradients[0] - gradients[1]) / (2 * step), rtol=1e-5, atol=1e-6)
