"""Is a derivative linear? Tested by applying it to multiples and sums of random vectors.

    J (s v) = s J v         for s negative, large and small, so that thresholds show on both sides
    J (u + v) = J u + J v

A derivative that mlirad makes is linear. A custom rule is applied as it is written: one that clips, rounds or
branches on what it is given is not linear. The tolerance admits rules that iterate to convergence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mlirad.errors import DerivativeCheckError
from mlirad.frontend.differentiation.remainders import Arrays, Modes
from mlirad.frontend.tracing.source import user_line

SCALES = (-1.0, 2.0**10, 2.0**-10, -(2.0**20))
"""Powers of two, by which a linear map is scaled without rounding."""


def require_linear(modes: Modes, points: Arrays, results: Arrays, tolerance: float | None, seed: int) -> None:
    """Raise unless what a mode applies is linear."""
    rng = np.random.default_rng(seed)
    for mode, like, what in (
        (modes.forward, points, "derivative is not linear in the tangents"),
        (modes.transposed, results, "transposed derivative is not linear in the cotangents"),
    ):
        if mode is None or not like:
            continue
        vectors = [rng.normal(size=a.shape).astype(a.dtype) for a in like]
        unit = max(float(np.finfo(a.dtype).eps) for a in (*points, *results))
        found = _deviation(mode, vectors, rng)
        if not found <= max(float(np.cbrt(unit)), tolerance or 0.0):
            raise DerivativeCheckError(
                f"the {what}: at their multiples and sums it deviates by {found:.1e}, relative to its size",
                location=user_line(),
                hint="a rule that clips, rounds or chooses by what it is given is applied as it is written",
            )


def _deviation(apply: Callable[[Arrays], Arrays], vectors: Arrays, rng: np.random.Generator) -> float:
    """Return how far an application is from a linear one at these and other vectors, relative to its size."""
    image = apply(vectors)
    found = 0.0
    for s in SCALES:
        scaled = apply([(v.dtype.type(s) * v) for v in vectors])
        found = max(found, _distance(scaled, [s * a.astype(np.float64) for a in image]))
    others = [rng.normal(size=v.shape).astype(v.dtype) * _size(v) for v in vectors]
    both = apply([v + o for v, o in zip(vectors, others, strict=True)])
    parts = zip(image, apply(others), strict=True)
    return max(found, _distance(both, [a.astype(np.float64) + b for a, b in parts]))


def _size(v: npt.NDArray[Any]) -> Any:
    return v.dtype.type(max(1.0, float(np.max(np.abs(v), initial=0.0))))


def _distance(found: Arrays, expected: Arrays) -> float:
    size = max((float(np.max(np.abs(e), initial=0.0)) for e in (*found, *expected)), default=0.0)
    largest = max(
        (float(np.max(np.abs(a - b), initial=0.0)) for a, b in zip(found, expected, strict=True)), default=0.0
    )
    return largest / size if size else largest
