"""Extrema of complex arrays, which NumPy orders by real parts and, where these are equal, by imaginary ones.

np.max([1 + 2j, 1 + 3j, 0 + 9j])      1 + 3j
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.operations import xp


def _extremum(reduction: Any, last: float) -> Callable[..., Any]:
    """The largest or the smallest number; `last` is the one that loses against all others."""

    def reduce(a: Any, axis: Any = None, *, keepdims: bool = False) -> ComplexArray:
        z = as_complex(a)
        real = reduction(z.real, axis=axis, keepdims=True)
        imag = reduction(xp.where(xp.equal(z.real, real), z.imag, last), axis=axis, keepdims=True)
        found = real, xp.where(xp.isnan(real), np.nan, imag)
        if not keepdims:
            found = tuple(xp.squeeze(part, axis=axis) for part in found)
        return ComplexArray(*found)

    return reduce


EXTREMA: dict[Callable[..., Any], Callable[..., Any]] = {
    np.max: _extremum(xp.max, -np.inf),
    np.min: _extremum(xp.min, np.inf),
}
"""The functions that find extrema."""
